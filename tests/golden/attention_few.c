/* attention_few: out = softmax(q k^T * scale) v for every head, 1 query each; keys and values are read where they lie.
 *
 *   for each of this thread's heads
 *     scores[1][S]: dot products with 4 keys at once, beside which as many values as 524288 bytes hold are asked for
 *     softmax in place, its division left for the end
 *     out = scores v, 4 vectors of features at once, in stretches of keys, every second key with accumulators of its own
 * Options: 2 batch dimensions. A row that attends to nothing gives zeros. */
#include "sol_team.h"
#include "sol_simd.h"
#include "sol_pack.h"
enum { ROWS = 1, GROUP = 4, NV = 4, WIDTH = NV * LANES, STRETCH = 256 };

/* Asks for the rows begin … end - 1 of so many numbers, pitch apart. */
#define ASK(p, pitch, width, begin, end, locality) \
    do { \
        const int64_t from = (begin), to = (end), size = (width) * (int64_t)sizeof *(p); \
        if ((pitch) == (width)) \
            for (int64_t b = from * size; b < to * size; b += 64) __builtin_prefetch((const char *)(p) + b, 0, locality); \
        else \
            for (int64_t i = from; i < to; i++) \
                for (int64_t b = 0; b < size; b += 64) __builtin_prefetch((const char *)((p) + i * (pitch)) + b, 0, locality); \
    } while (0)

/* scores[r][s … s + GROUP - 1] = q[r] . k[s …]: of the keys count exist, the last one is repeated. The lanes after them are overwritten, too. */
SOL_INLINE void key_group(const float *q, int64_t ldq, const float *k, int64_t ldk, int64_t count, int64_t E, float *scores, int64_t lds)
{
    (void)ldq, (void)lds, (void)count;
    const float *k0 = k, *k1 = k + (count > 1 ? 1 : count - 1) * ldk, *k2 = k + (count > 2 ? 2 : count - 1) * ldk, *k3 = k + (count > 3 ? 3 : count - 1) * ldk;
    vf s0_0 = vf_zero(), s0_1 = vf_zero(), s0_2 = vf_zero(), s0_3 = vf_zero();
    int64_t e = 0;
    for (; e + LANES <= E; e += LANES) {
const vf y0 = vf_load(k0 + e); const vf y1 = vf_load(k1 + e); const vf y2 = vf_load(k2 + e); const vf y3 = vf_load(k3 + e); 
        { const vf x = vf_load(q + 0 * ldq + e); s0_0 += x * y0; s0_1 += x * y1; s0_2 += x * y2; s0_3 += x * y3; }
    }
    if (e < E) {
        const int n = (int)(E - e);
const vf y0 = vf_load_n(k0 + e, n); const vf y1 = vf_load_n(k1 + e, n); const vf y2 = vf_load_n(k2 + e, n); const vf y3 = vf_load_n(k3 + e, n); 
        { const vf x = vf_load_n(q + 0 * ldq + e, n); s0_0 += x * y0; s0_1 += x * y1; s0_2 += x * y2; s0_3 += x * y3; }
    }
    vf_store(scores + 0 * lds, sol_sums4(s0_0, s0_1, s0_2, s0_3));
}
/* 4 vectors of features of every query, divided by the sums of the softmax. */
SOL_INLINE void values(const float *scores, int64_t lds, const float *v, int64_t ldv, int64_t S, const float *inverse, float *out, int64_t ldo)
{
    (void)lds, (void)ldo;
    vf totals[ROWS * 4] = {0}, *total = totals;
    SOL_PIN(total);
    for (int64_t s = 0; s < S;) {
        const int64_t stop = S - s > STRETCH ? s + STRETCH : S;
        vf c0_0_0 = vf_zero(), c0_0_1 = vf_zero(), c0_0_2 = vf_zero(), c0_0_3 = vf_zero(), c1_0_0 = vf_zero(), c1_0_1 = vf_zero(), c1_0_2 = vf_zero(), c1_0_3 = vf_zero();
        for (; s + 2 <= stop; s += 2) {
            {
const vf w0 = vf_load(v + 0 * LANES); const vf w1 = vf_load(v + 1 * LANES); const vf w2 = vf_load(v + 2 * LANES); const vf w3 = vf_load(v + 3 * LANES); 
                { const float x = scores[0 * lds + s + 0]; c0_0_0 += w0 * x; c0_0_1 += w1 * x; c0_0_2 += w2 * x; c0_0_3 += w3 * x; }
                v += ldv;
            }
            {
const vf w0 = vf_load(v + 0 * LANES); const vf w1 = vf_load(v + 1 * LANES); const vf w2 = vf_load(v + 2 * LANES); const vf w3 = vf_load(v + 3 * LANES); 
                { const float x = scores[0 * lds + s + 1]; c1_0_0 += w0 * x; c1_0_1 += w1 * x; c1_0_2 += w2 * x; c1_0_3 += w3 * x; }
                v += ldv;
            }
        }
        if (s < stop) {
const vf w0 = vf_load(v + 0 * LANES); const vf w1 = vf_load(v + 1 * LANES); const vf w2 = vf_load(v + 2 * LANES); const vf w3 = vf_load(v + 3 * LANES); 
            { const float x = scores[0 * lds + s]; c0_0_0 += w0 * x; c0_0_1 += w1 * x; c0_0_2 += w2 * x; c0_0_3 += w3 * x; }
            s++;
        }
total[0] += c0_0_0 + c1_0_0; total[1] += c0_0_1 + c1_0_1; total[2] += c0_0_2 + c1_0_2; total[3] += c0_0_3 + c1_0_3; 
    }
    vf_store(out + 0 * ldo + 0 * LANES, total[0] * inverse[0]);
    vf_store(out + 0 * ldo + 1 * LANES, total[1] * inverse[0]);
    vf_store(out + 0 * ldo + 2 * LANES, total[2] * inverse[0]);
    vf_store(out + 0 * ldo + 3 * LANES, total[3] * inverse[0]);
}
/* 1 vector of features of every query, of which n lanes exist, divided by the sums of the softmax. */
SOL_INLINE void values_left(const float *scores, int64_t lds, const float *v, int64_t ldv, int64_t S, const float *inverse, float *out, int64_t ldo, int n)
{
    (void)lds, (void)ldo;
    vf totals[ROWS * 1] = {0}, *total = totals;
    SOL_PIN(total);
    for (int64_t s = 0; s < S;) {
        const int64_t stop = S - s > STRETCH ? s + STRETCH : S;
        vf c0_0_0 = vf_zero(), c1_0_0 = vf_zero();
        for (; s + 2 <= stop; s += 2) {
            {
const vf w0 = vf_load_n(v + 0 * LANES, n); 
                { const float x = scores[0 * lds + s + 0]; c0_0_0 += w0 * x; }
                v += ldv;
            }
            {
const vf w0 = vf_load_n(v + 0 * LANES, n); 
                { const float x = scores[0 * lds + s + 1]; c1_0_0 += w0 * x; }
                v += ldv;
            }
        }
        if (s < stop) {
const vf w0 = vf_load_n(v + 0 * LANES, n); 
            { const float x = scores[0 * lds + s]; c0_0_0 += w0 * x; }
            s++;
        }
total[0] += c0_0_0 + c1_0_0; 
    }
    vf_store_n(out + 0 * ldo + 0 * LANES, total[0] * inverse[0], n);
}
/* The largest lane; none is NaN. */
SOL_INLINE float largest(vf v)
{
#pragma GCC unroll 4
    for (int n = LANES / 2; n; n /= 2) v = vf_max_quiet(v, vf_rotated(v, n));
    return v[0];
}

/* x[s] = exp(x[s] - max x) for s < S, zero up to the multiple of LANES; returns 1 / sum, or 0 where nothing is attended. */
static __attribute__((noinline, unused)) float softmax_row(float *x, int64_t S)
{
    const int64_t whole = S / LANES * LANES;
    const int rest = (int)(S - whole);
    vf top = vf_set(-INFINITY);
    for (int64_t s = 0; s < whole; s += LANES) top = vf_max_quiet(vf_load(x + s), top);
    if (rest) {
        vf last = vf_set(-INFINITY);
        vf_store_n((float *)&last, vf_load(x + whole), rest);
        vf_store(x + whole, last);
        top = vf_max_quiet(last, top);
    }
    float shift = largest(top);
    if (shift == -INFINITY) shift = 0;
    const vf base = vf_set(shift);
    vf sum0 = vf_zero(), sum1 = vf_zero(), total = vf_zero(); /* the sums so far, and of the stretches before */
    int64_t s = 0;
    for (; s + 2 * LANES <= S; s += 2 * LANES) {
        const vf e0 = vf_exp_below(vf_load(x + s) - base), e1 = vf_exp_below(vf_load(x + s + LANES) - base);
        vf_store(x + s, e0);
        vf_store(x + s + LANES, e1);
        sum0 += e0;
        sum1 += e1;
        if ((s + 2 * LANES) % (STRETCH * LANES) == 0) total += sum0 + sum1, sum0 = sum1 = vf_zero();
    }
    for (; s < S; s += LANES) {
        const vf e = vf_exp_below(vf_load(x + s) - base);
        vf_store(x + s, e);
        sum0 += e;
    }
    const float sum = vf_sum(total + (sum0 + sum1));
    return sum == 0 ? 0 : 1 / sum;
}

SOL_INLINE vf max_pair(vf a, vf b)
{
    vf low, high;
    vf_zip(a, b, &low, &high);
    return vf_max_quiet(low, high);
}
/* The same for four rows at once, whose sums and maxima are found together. */
static __attribute__((noinline, unused)) void softmax_rows(float *x, int64_t lds, int64_t S, float *inverse)
{
    const int64_t whole = S / LANES * LANES;
    const int rest = (int)(S - whole);
    vf top[4], sum[4], total[4];
    for (int i = 0; i < 4; i++) {
        float *row = x + i * lds;
        top[i] = vf_set(-INFINITY);
        for (int64_t s = 0; s < whole; s += LANES) top[i] = vf_max_quiet(vf_load(row + s), top[i]);
        if (rest) {
            const vf last = vf_select(vi_first(rest), vf_load(row + whole), vf_set(-INFINITY));
            vf_store(row + whole, last);
            top[i] = vf_max_quiet(last, top[i]);
        }
        sum[i] = total[i] = vf_zero();
    }
    vf most = max_pair(max_pair(top[0], top[2]), max_pair(top[1], top[3]));
#pragma GCC unroll 4
    for (int n = LANES / 2; n >= 4; n /= 2) most = vf_max_quiet(most, vf_rotated(most, n));
    most = vf_select(most == -INFINITY, vf_zero(), most);
    const vf base[4] = {vf_set(most[0]), vf_set(most[1]), vf_set(most[2]), vf_set(most[3])};
    for (int64_t s = 0; s < S; s += LANES) {
        for (int i = 0; i < 4; i++) {
            const vf e = vf_exp_below(vf_load(x + i * lds + s) - base[i]);
            vf_store(x + i * lds + s, e);
            sum[i] += e;
        }
        if ((s + LANES) % (STRETCH * LANES) == 0)
            for (int i = 0; i < 4; i++) total[i] += sum[i], sum[i] = vf_zero();
    }
    const vf found = sol_sums4(total[0] + sum[0], total[1] + sum[1], total[2] + sum[2], total[3] + sum[3]);
    vf_store_n(inverse, vf_select(found == 0.0f, vf_zero(), 1.0f / found), 4);
}

void attention_few(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *Q = buf[0];
    const float *K = buf[1];
    const float *VALUE = buf[2];
    float *OUT = buf[3];
    const int64_t S = arg[0];
    const int64_t E = arg[1];
    const int64_t V = arg[2];
    const int64_t Q_l = arg[3];
    const int64_t K_s = arg[4];
    const int64_t VALUE_s = arg[5];
    const int64_t OUT_l = arg[6];
    const int64_t B0 = arg[7];
    const int64_t B1 = arg[8];
    const int64_t Q_0 = arg[9];
    const int64_t Q_1 = arg[10];
    const int64_t K_0 = arg[11];
    const int64_t K_1 = arg[12];
    const int64_t VALUE_0 = arg[13];
    const int64_t VALUE_1 = arg[14];
    const int64_t OUT_0 = arg[15];
    const int64_t OUT_1 = arg[16];
    (void)team; (void)buf; (void)arg;
    const int64_t lds = (S + LANES - 1) / LANES * LANES + LANES;
    const int64_t units = B0 * B1;
    int64_t active = 1 + units * ROWS * S * (E + V) / 32768;
    if (active > team->size) active = team->size;
    sol_share share = sol_share_of(team, units, active);
    if (team->id >= active) return;
    const int64_t ldq = (E + LANES - 1) / LANES * LANES;
    float *const queries = (float *)team->scratch, *const scores = queries + ROWS * ldq;
    const vf scale = vf_set(0.25f);
    for (int64_t u, end; sol_share_take(&share, &u, &end);) for (; u < end; u++) {
        int64_t rest = u;
        const float *q = Q, *k = K, *v = VALUE;
        float *out = OUT;
        
        {
            const int64_t i = rest % B1;
            rest /= B1;
            q += i * Q_1; k += i * K_1; v += i * VALUE_1; out += i * OUT_1;
        }
        {
            const int64_t i = rest % B0;
            rest /= B0;
            q += i * Q_0; k += i * K_0; v += i * VALUE_0; out += i * OUT_0;
        }
        (void)rest;
        for (int i = 0; i < ROWS; i++)
            for (int64_t e = 0; e < E; e += LANES)
                vf_store(queries + i * ldq + e, sol_numbers_strided(q + i * Q_l + e * 1, 1, sol_lanes(E - e, 0), 0) * scale);
        const int64_t reach = S;
        const int64_t most = 524288 / (V * (int64_t)sizeof *v + 1), asked = most < reach ? most : reach;
        for (int64_t s = 0; s < reach; s += GROUP) {
            ASK(v, VALUE_s, V, s, s + GROUP < asked ? s + GROUP : asked, 2);
            key_group(queries, ldq, k + s * K_s, K_s, reach - s, E, scores + s, lds);
        }
        float inverse[ROWS];
        for (int i = 0; i < ROWS; i++) inverse[i] = softmax_row(scores + i * lds, reach);
        int64_t f = 0;
        for (; f + WIDTH <= V; f += WIDTH) values(scores, lds, v + f, VALUE_s, reach, inverse, out + f, OUT_l);
        for (; f < V; f += LANES) values_left(scores, lds, v + f, VALUE_s, reach, inverse, out + f, OUT_l, sol_lanes(V - f, 0));
    }
}
