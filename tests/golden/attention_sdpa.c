/* attention_sdpa: out = softmax(q k^T * scale, causal) v for every head.
 *
 *   for each of this thread's (head, block of 5 queries); a thread packs k once per head of keys it meets
 *     q * scale -> scratch, rows beyond L are zero
 *     scores[5][S] = q k^T, panels of 2 vectors of keys, none beyond the diagonal
 *     softmax in place, its division left for the end
 *     out = scores v, panels of 2 vectors of features
 * Options: 2 batch dimensions, causal. A row that attends to nothing gives zeros. */
#include "sol_team.h"
#include "sol_simd.h"
#include "sol_pack.h"

enum { MR = 5, NV = 2, WIDTH = NV * LANES, STRETCH = 256 };

/* c[i][WIDTH] = a[i][K] . b[K][WIDTH] for MR rows, added to what is there if it is more of the same sums; rows of b are ldb apart. */
static __attribute__((noinline)) void stretch(const float *a0, int64_t lda, const float *b, int64_t ldb, int64_t K, float *c, int64_t ldc, int more)
{
    (void)lda;
    const float *a1 = a0 + 1 * lda;
    const float *a2 = a0 + 2 * lda;
    const float *a3 = a0 + 3 * lda;
    const float *a4 = a0 + 4 * lda;
    vf c0_0 = vf_zero(), c0_1 = vf_zero();
    vf c1_0 = vf_zero(), c1_1 = vf_zero();
    vf c2_0 = vf_zero(), c2_1 = vf_zero();
    vf c3_0 = vf_zero(), c3_1 = vf_zero();
    vf c4_0 = vf_zero(), c4_1 = vf_zero();
    int64_t k = 0;
    for (; k + 2 <= K; k += 2, b += 2 * ldb) {
        {
            vf w0 = vf_load(b + 0 * LANES), w1 = vf_load(b + 1 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1);
            { VF_NUMBER(x, a0[k + 0]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); }
            { VF_NUMBER(x, a1[k + 0]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); }
            { VF_NUMBER(x, a2[k + 0]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); }
            { VF_NUMBER(x, a3[k + 0]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); }
            { VF_NUMBER(x, a4[k + 0]); VF_ADD_PRODUCT(c4_0, w0, x); VF_ADD_PRODUCT(c4_1, w1, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + ldb + 0 * LANES), w1 = vf_load(b + ldb + 1 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1);
            { VF_NUMBER(x, a0[k + 1]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); }
            { VF_NUMBER(x, a1[k + 1]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); }
            { VF_NUMBER(x, a2[k + 1]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); }
            { VF_NUMBER(x, a3[k + 1]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); }
            { VF_NUMBER(x, a4[k + 1]); VF_ADD_PRODUCT(c4_0, w0, x); VF_ADD_PRODUCT(c4_1, w1, x); }
        }
        SOL_FENCE();
    }
    for (; k < K; k++, b += ldb) {
        const vf w0 = vf_load(b + 0 * LANES), w1 = vf_load(b + 1 * LANES);
        { const float x = a0[k]; c0_0 += w0 * x; c0_1 += w1 * x; }
        { const float x = a1[k]; c1_0 += w0 * x; c1_1 += w1 * x; }
        { const float x = a2[k]; c2_0 += w0 * x; c2_1 += w1 * x; }
        { const float x = a3[k]; c3_0 += w0 * x; c3_1 += w1 * x; }
        { const float x = a4[k]; c4_0 += w0 * x; c4_1 += w1 * x; }
    }
    if (more) {
c0_0 += vf_load(c + 0 * ldc + 0 * LANES); c0_1 += vf_load(c + 0 * ldc + 1 * LANES); 
c1_0 += vf_load(c + 1 * ldc + 0 * LANES); c1_1 += vf_load(c + 1 * ldc + 1 * LANES); 
c2_0 += vf_load(c + 2 * ldc + 0 * LANES); c2_1 += vf_load(c + 2 * ldc + 1 * LANES); 
c3_0 += vf_load(c + 3 * ldc + 0 * LANES); c3_1 += vf_load(c + 3 * ldc + 1 * LANES); 
c4_0 += vf_load(c + 4 * ldc + 0 * LANES); c4_1 += vf_load(c + 4 * ldc + 1 * LANES); 
    }
vf_store(c + 0 * ldc + 0 * LANES, c0_0); vf_store(c + 0 * ldc + 1 * LANES, c0_1); 
vf_store(c + 1 * ldc + 0 * LANES, c1_0); vf_store(c + 1 * ldc + 1 * LANES, c1_1); 
vf_store(c + 2 * ldc + 0 * LANES, c2_0); vf_store(c + 2 * ldc + 1 * LANES, c2_1); 
vf_store(c + 3 * ldc + 0 * LANES, c3_0); vf_store(c + 3 * ldc + 1 * LANES, c3_1); 
vf_store(c + 4 * ldc + 0 * LANES, c4_0); vf_store(c + 4 * ldc + 1 * LANES, c4_1); 
}
/* The same for any length: in stretches, because errors grow with the length of a sum. */
static void product(const float *a, int64_t lda, const float *b, int64_t ldb, int64_t K, float *c, int64_t ldc)
{
    for (int64_t k = 0; k < K || !k; k += STRETCH) stretch(a + k, lda, b + k * ldb, ldb, K - k < STRETCH ? K - k : STRETCH, c, ldc, k > 0);
}
/* One panel of results for rows queries, divided by the sums of the softmax; count features exist. */
static __attribute__((noinline)) void value_panel(const float *scores, int64_t lds, const float *v, int64_t ldv, int64_t S, const float *inverse,
                                                  float *out, int64_t ldo, int rows, int64_t count)
{
    vf c[MR][NV];
    product(scores, lds, v, ldv, S, (float *)c, WIDTH);
    for (int i = 0; i < rows; i++) {
        const vf factor = vf_set(inverse[i]);
        if (count >= WIDTH) {
vf_store(out + i * ldo + 0 * LANES, c[i][0] * factor); vf_store(out + i * ldo + 1 * LANES, c[i][1] * factor); 
        } else {
vf_store_n(out + i * ldo + 0 * LANES, c[i][0] * factor, sol_lanes(count, 0)); vf_store_n(out + i * ldo + 1 * LANES, c[i][1] * factor, sol_lanes(count, 1)); 
        }
    }
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

/* The second cache takes so many rows of ``size`` numbers. */
SOL_INLINE void fetch_rows(const float *p, int64_t step, int64_t rows, int64_t size)
{
    for (int64_t i = 0; i < rows; i++, p += step)
        for (int64_t e = 0; e < size; e += 16) __builtin_prefetch(p + e, 0, 2);
}

void attention_sdpa(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *Q = buf[0];
    const float *K = buf[1];
    const float *VALUE = buf[2];
    float *OUT = buf[3];
    const int64_t L = arg[0];
    const int64_t S = arg[1];
    const int64_t E = arg[2];
    const int64_t V = arg[3];
    const int64_t Q_l = arg[4];
    const int64_t K_s = arg[5];
    const int64_t K_e = arg[6];
    const int64_t VALUE_s = arg[7];
    const int64_t OUT_l = arg[8];
    const int64_t B0 = arg[9];
    const int64_t B1 = arg[10];
    const int64_t Q_0 = arg[11];
    const int64_t Q_1 = arg[12];
    const int64_t K_0 = arg[13];
    const int64_t K_1 = arg[14];
    const int64_t VALUE_0 = arg[15];
    const int64_t VALUE_1 = arg[16];
    const int64_t OUT_0 = arg[17];
    const int64_t OUT_1 = arg[18];
    (void)team; (void)buf; (void)arg;
    const int64_t key_panels = (S + WIDTH - 1) / WIDTH, value_panels = (V + WIDTH - 1) / WIDTH, blocks = (L + MR - 1) / MR;
    const int64_t lds = key_panels * WIDTH + LANES; /* no power of two between rows */
    const int64_t units = B0 * B1 * blocks;
    int64_t active = 1 + units * MR * S * (E + V) / 32768;
    if (active > team->size) active = team->size;
    sol_share share = sol_share_of(team, units, active);
    if (team->id >= active) return;
    float *const keys = (float *)team->scratch, *const values = keys + key_panels * WIDTH * E, *const queries = values + (V % WIDTH ? WIDTH : 0) * S;
    float *const scores = queries + MR * E;
    const float scale = 0.25f;
    const float *packed_keys = NULL, *packed_values = NULL;
    /* What the head after the one at hand reads, which is fetched piece by piece. */
    const float *q_next = NULL, *k_next = NULL, *v_next = NULL;
    for (int64_t u, end; sol_share_take(&share, &u, &end);) for (; u < end; u++) {
        const int64_t head = u / blocks, l0 = u % blocks * MR;
        const int rows = L - l0 < MR ? (int)(L - l0) : MR;
        int64_t rest = head;
        const float *q = Q + l0 * Q_l, *k = K, *v = VALUE;
        float *out = OUT + l0 * OUT_l;
        
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
        if (packed_keys != k || packed_values != v) {
            for (int64_t p = 0; p < key_panels; p++) sol_pack_panel(keys + p * WIDTH * E, k + p * WIDTH * K_s, K_e, K_s, E, S - p * WIDTH, NV);
            if (V % WIDTH) sol_pack_panel(values, v + V / WIDTH * WIDTH, VALUE_s, 1, S, V % WIDTH, NV);
            packed_keys = k;
            packed_values = v;
        }
        const int64_t block = u % blocks;
        if (block == 0 || !q_next) {
            q_next = Q, k_next = K, v_next = VALUE;
            rest = (head + 1) * blocks < end ? head + 1 : head;
            q_next += rest % B1 * Q_1; k_next += rest % B1 * K_1; v_next += rest % B1 * VALUE_1;
            rest /= B1;
            q_next += rest % B0 * Q_0; k_next += rest % B0 * K_0; v_next += rest % B0 * VALUE_0;
            rest /= B0;
            (void)rest;
        }
        fetch_rows(q_next + l0 * Q_l, Q_l, rows, E);
        if (k_next != k) {
            const int64_t s0 = S * block / blocks, s1 = S * (block + 1) / blocks;
            if (K_e == 1) fetch_rows(k_next + s0 * K_s, K_s, s1 - s0, E);
            fetch_rows(v_next + s0 * VALUE_s, VALUE_s, s1 - s0, V);
        }
        for (int i = 0; i < MR; i++)
            for (int64_t e = 0; e < E; e += LANES) {
                const int n = sol_lanes(E - e, 0);
                const vf x = i < rows ? sol_numbers_strided(q + i * Q_l + e * 1, 1, n, 0) : vf_zero();
                vf_store_n(queries + i * E + e, x * scale, n);
            }
        const int64_t reach = l0 + rows < S ? l0 + rows : S;
        for (int64_t p = 0; p * WIDTH < reach; p++) product(queries, E, keys + p * WIDTH * E, WIDTH, E, scores + p * WIDTH, lds);
        float inverse[MR];
        for (int i = 0; i < rows; i++) {
            float *const x = scores + i * lds;
            for (int64_t s = l0 + i + 1; s < reach; s++) x[s] = -INFINITY;
        }
        int i = 0;
        for (; i + 4 <= rows; i += 4) softmax_rows(scores + i * lds, lds, reach, inverse + i);
        for (; i < rows; i++) inverse[i] = softmax_row(scores + i * lds, reach);
        for (int64_t p = 0; p < value_panels; p++)
            if (V - p * WIDTH >= WIDTH)
                value_panel(scores, lds, v + p * WIDTH, VALUE_s, reach, inverse, out + p * WIDTH, OUT_l, rows, WIDTH);
            else
                value_panel(scores, lds, values, WIDTH, reach, inverse, out + p * WIDTH, OUT_l, rows, V - p * WIDTH);
    }
}
