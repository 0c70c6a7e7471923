/* attention_grad: gradients of q, k and v of softmax(q k^T * scale, causal) v for every head; G is that of the result.
 *
 *   for each of this thread's heads: pack k and v; the gradients of both are zero
 *     for each block of 32 queries, of which q * scale, q and G are copied to scratch
 *       weights[32][S] = softmax(q k^T * scale), none beyond the diagonal
 *       scores[32][S] = weights * (G v^T - the row's sum of weights * G v^T) * scale
 *       gradient of q = scores k; add scores^T q to that of k, and weights^T G to that of v
 * Register tiles: 8 rows x 2 vectors. Options: 2 batch dimensions, causal. */
#include "sol_team.h"
#include "sol_simd.h"
#include "sol_pack.h"

enum { MR = 8, NV = 2, WIDTH = NV * LANES, STRETCH = 256, BLOCK = 32 };

/* c[i][WIDTH] = a[i][K] . b[K][WIDTH] for MR rows, added to what is there if it is more of the same sums; rows of b are ldb apart. */
static __attribute__((noinline)) void stretch(const float *a0, int64_t lda, const float *b, int64_t ldb, int64_t K, float *c, int64_t ldc, int more)
{
    const float *a1 = a0 + 1 * lda;
    const float *a2 = a0 + 2 * lda;
    const float *a3 = a0 + 3 * lda;
    const float *a4 = a0 + 4 * lda;
    const float *a5 = a0 + 5 * lda;
    const float *a6 = a0 + 6 * lda;
    const float *a7 = a0 + 7 * lda;
    vf c0_0 = vf_zero(), c0_1 = vf_zero();
    vf c1_0 = vf_zero(), c1_1 = vf_zero();
    vf c2_0 = vf_zero(), c2_1 = vf_zero();
    vf c3_0 = vf_zero(), c3_1 = vf_zero();
    vf c4_0 = vf_zero(), c4_1 = vf_zero();
    vf c5_0 = vf_zero(), c5_1 = vf_zero();
    vf c6_0 = vf_zero(), c6_1 = vf_zero();
    vf c7_0 = vf_zero(), c7_1 = vf_zero();
    for (int64_t k = 0; k < K; k++, b += ldb) {
        vf w0 = vf_load(b + 0 * LANES), w1 = vf_load(b + 1 * LANES);
        SOL_HOLD(w0); SOL_HOLD(w1);
        { VF_NUMBER(x, a0[k]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); }
        { VF_NUMBER(x, a1[k]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); }
        { VF_NUMBER(x, a2[k]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); }
        { VF_NUMBER(x, a3[k]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); }
        { VF_NUMBER(x, a4[k]); VF_ADD_PRODUCT(c4_0, w0, x); VF_ADD_PRODUCT(c4_1, w1, x); }
        { VF_NUMBER(x, a5[k]); VF_ADD_PRODUCT(c5_0, w0, x); VF_ADD_PRODUCT(c5_1, w1, x); }
        { VF_NUMBER(x, a6[k]); VF_ADD_PRODUCT(c6_0, w0, x); VF_ADD_PRODUCT(c6_1, w1, x); }
        { VF_NUMBER(x, a7[k]); VF_ADD_PRODUCT(c7_0, w0, x); VF_ADD_PRODUCT(c7_1, w1, x); }
    }
    if (more) {
c0_0 += vf_load(c + 0 * ldc + 0 * LANES); c0_1 += vf_load(c + 0 * ldc + 1 * LANES); 
c1_0 += vf_load(c + 1 * ldc + 0 * LANES); c1_1 += vf_load(c + 1 * ldc + 1 * LANES); 
c2_0 += vf_load(c + 2 * ldc + 0 * LANES); c2_1 += vf_load(c + 2 * ldc + 1 * LANES); 
c3_0 += vf_load(c + 3 * ldc + 0 * LANES); c3_1 += vf_load(c + 3 * ldc + 1 * LANES); 
c4_0 += vf_load(c + 4 * ldc + 0 * LANES); c4_1 += vf_load(c + 4 * ldc + 1 * LANES); 
c5_0 += vf_load(c + 5 * ldc + 0 * LANES); c5_1 += vf_load(c + 5 * ldc + 1 * LANES); 
c6_0 += vf_load(c + 6 * ldc + 0 * LANES); c6_1 += vf_load(c + 6 * ldc + 1 * LANES); 
c7_0 += vf_load(c + 7 * ldc + 0 * LANES); c7_1 += vf_load(c + 7 * ldc + 1 * LANES); 
    }
vf_store(c + 0 * ldc + 0 * LANES, c0_0); vf_store(c + 0 * ldc + 1 * LANES, c0_1); 
vf_store(c + 1 * ldc + 0 * LANES, c1_0); vf_store(c + 1 * ldc + 1 * LANES, c1_1); 
vf_store(c + 2 * ldc + 0 * LANES, c2_0); vf_store(c + 2 * ldc + 1 * LANES, c2_1); 
vf_store(c + 3 * ldc + 0 * LANES, c3_0); vf_store(c + 3 * ldc + 1 * LANES, c3_1); 
vf_store(c + 4 * ldc + 0 * LANES, c4_0); vf_store(c + 4 * ldc + 1 * LANES, c4_1); 
vf_store(c + 5 * ldc + 0 * LANES, c5_0); vf_store(c + 5 * ldc + 1 * LANES, c5_1); 
vf_store(c + 6 * ldc + 0 * LANES, c6_0); vf_store(c + 6 * ldc + 1 * LANES, c6_1); 
vf_store(c + 7 * ldc + 0 * LANES, c7_0); vf_store(c + 7 * ldc + 1 * LANES, c7_1); 
}

/* The same of a[K][i], rows of a being lda apart. */
static __attribute__((noinline)) void turned(const float *a0, int64_t lda, const float *b, int64_t ldb, int64_t K, float *c, int64_t ldc, int more)
{
    vf c0_0 = vf_zero(), c0_1 = vf_zero();
    vf c1_0 = vf_zero(), c1_1 = vf_zero();
    vf c2_0 = vf_zero(), c2_1 = vf_zero();
    vf c3_0 = vf_zero(), c3_1 = vf_zero();
    vf c4_0 = vf_zero(), c4_1 = vf_zero();
    vf c5_0 = vf_zero(), c5_1 = vf_zero();
    vf c6_0 = vf_zero(), c6_1 = vf_zero();
    vf c7_0 = vf_zero(), c7_1 = vf_zero();
    for (int64_t k = 0; k < K; k++, b += ldb) {
        vf w0 = vf_load(b + 0 * LANES), w1 = vf_load(b + 1 * LANES);
        SOL_HOLD(w0); SOL_HOLD(w1);
        { VF_NUMBER(x, a0[k * lda + 0]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); }
        { VF_NUMBER(x, a0[k * lda + 1]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); }
        { VF_NUMBER(x, a0[k * lda + 2]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); }
        { VF_NUMBER(x, a0[k * lda + 3]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); }
        { VF_NUMBER(x, a0[k * lda + 4]); VF_ADD_PRODUCT(c4_0, w0, x); VF_ADD_PRODUCT(c4_1, w1, x); }
        { VF_NUMBER(x, a0[k * lda + 5]); VF_ADD_PRODUCT(c5_0, w0, x); VF_ADD_PRODUCT(c5_1, w1, x); }
        { VF_NUMBER(x, a0[k * lda + 6]); VF_ADD_PRODUCT(c6_0, w0, x); VF_ADD_PRODUCT(c6_1, w1, x); }
        { VF_NUMBER(x, a0[k * lda + 7]); VF_ADD_PRODUCT(c7_0, w0, x); VF_ADD_PRODUCT(c7_1, w1, x); }
    }
    if (more) {
c0_0 += vf_load(c + 0 * ldc + 0 * LANES); c0_1 += vf_load(c + 0 * ldc + 1 * LANES); 
c1_0 += vf_load(c + 1 * ldc + 0 * LANES); c1_1 += vf_load(c + 1 * ldc + 1 * LANES); 
c2_0 += vf_load(c + 2 * ldc + 0 * LANES); c2_1 += vf_load(c + 2 * ldc + 1 * LANES); 
c3_0 += vf_load(c + 3 * ldc + 0 * LANES); c3_1 += vf_load(c + 3 * ldc + 1 * LANES); 
c4_0 += vf_load(c + 4 * ldc + 0 * LANES); c4_1 += vf_load(c + 4 * ldc + 1 * LANES); 
c5_0 += vf_load(c + 5 * ldc + 0 * LANES); c5_1 += vf_load(c + 5 * ldc + 1 * LANES); 
c6_0 += vf_load(c + 6 * ldc + 0 * LANES); c6_1 += vf_load(c + 6 * ldc + 1 * LANES); 
c7_0 += vf_load(c + 7 * ldc + 0 * LANES); c7_1 += vf_load(c + 7 * ldc + 1 * LANES); 
    }
vf_store(c + 0 * ldc + 0 * LANES, c0_0); vf_store(c + 0 * ldc + 1 * LANES, c0_1); 
vf_store(c + 1 * ldc + 0 * LANES, c1_0); vf_store(c + 1 * ldc + 1 * LANES, c1_1); 
vf_store(c + 2 * ldc + 0 * LANES, c2_0); vf_store(c + 2 * ldc + 1 * LANES, c2_1); 
vf_store(c + 3 * ldc + 0 * LANES, c3_0); vf_store(c + 3 * ldc + 1 * LANES, c3_1); 
vf_store(c + 4 * ldc + 0 * LANES, c4_0); vf_store(c + 4 * ldc + 1 * LANES, c4_1); 
vf_store(c + 5 * ldc + 0 * LANES, c5_0); vf_store(c + 5 * ldc + 1 * LANES, c5_1); 
vf_store(c + 6 * ldc + 0 * LANES, c6_0); vf_store(c + 6 * ldc + 1 * LANES, c6_1); 
vf_store(c + 7 * ldc + 0 * LANES, c7_0); vf_store(c + 7 * ldc + 1 * LANES, c7_1); 
}

/* The first for any length: in stretches, because errors grow with the length of a sum. */
static void product(const float *a, int64_t lda, const float *b, int64_t ldb, int64_t K, float *c, int64_t ldc)
{
    for (int64_t k = 0; k < K || !k; k += STRETCH) stretch(a + k, lda, b + k * ldb, ldb, K - k < STRETCH ? K - k : STRETCH, c, ldc, k > 0);
}

/* out[i][ldo] = x[i][count] * factor for rows rows, zero beyond count and for the rows up to BLOCK. */
static void copy_rows(float *out, int64_t ldo, const float *x, int64_t row, int64_t step, int64_t rows, int64_t count, float factor)
{
    for (int64_t i = 0; i < BLOCK; i++)
        for (int64_t e = 0; e < ldo; e += LANES) {
            const int n = i < rows ? sol_lanes(count - e, 0) : 0;
            vf_store(out + i * ldo + e, (n ? sol_load_strided(x + i * row + e * step, step, n) : vf_zero()) * factor);
        }
}

/* out[i][count] = x[i][ldx]. */
static void give_rows(float *out, int64_t row, int64_t step, const float *x, int64_t ldx, int64_t rows, int64_t count)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t e = 0; e < count; e += LANES) sol_store_strided(out + i * row + e * step, step, vf_load(x + i * ldx + e), sol_lanes(count - e, 0));
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

/* weights = e * inverse, scores = weights * (given - the row's sum of weights * given) * scale for S columns, both zero up to lds.
 * With dropout, given is multiplied by its factors before, and so are the weights afterwards. */
static __attribute__((noinline)) void finish_row(float *weights, float *scores, int64_t S, int64_t lds, float inverse, float scale)
{
    const vf factor = vf_set(inverse);
    vf sum = vf_zero(), total = vf_zero();
    for (int64_t s = 0; s < S; s += LANES) {
        const vf w = vf_load(weights + s) * factor;
        vf_store(weights + s, w);
        const int n = sol_lanes(S - s, 0);
        sum += w * (n == LANES ? vf_load(scores + s) : vf_load_n(scores + s, n));
        if ((s + LANES) % (STRETCH * LANES) == 0) total += sum, sum = vf_zero();
    }
    const vf mean = vf_set(vf_sum(total + sum)), by = vf_set(scale);
    const int64_t whole = (S + LANES - 1) / LANES * LANES;
    for (int64_t s = 0; s < whole; s += LANES) {
        const int n = sol_lanes(S - s, 0);
        const vf given = n == LANES ? vf_load(scores + s) : vf_load_n(scores + s, n);
        vf_store(scores + s, vf_load(weights + s) * (given - mean) * by);
    }
    for (int64_t s = whole; s < lds; s++) weights[s] = scores[s] = 0;
    for (int64_t s = S; s < whole; s++) weights[s] = scores[s] = 0;
}

void attention_grad(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *G = buf[0];
    const float *Q = buf[1];
    const float *K = buf[2];
    const float *VALUE = buf[3];
    float *DQ = buf[4];
    const int64_t L = arg[0];
    const int64_t S = arg[1];
    const int64_t E = arg[2];
    const int64_t V = arg[3];
    const int64_t G_l = arg[4];
    const int64_t G_v = arg[5];
    const int64_t Q_l = arg[6];
    const int64_t Q_e = arg[7];
    const int64_t K_s = arg[8];
    const int64_t K_e = arg[9];
    const int64_t VALUE_s = arg[10];
    const int64_t VALUE_e = arg[11];
    const int64_t DQ_l = arg[12];
    const int64_t DQ_e = arg[13];
    const int64_t B0 = arg[14];
    const int64_t B1 = arg[15];
    const int64_t G_0 = arg[16];
    const int64_t G_1 = arg[17];
    const int64_t Q_0 = arg[18];
    const int64_t Q_1 = arg[19];
    const int64_t K_0 = arg[20];
    const int64_t K_1 = arg[21];
    const int64_t VALUE_0 = arg[22];
    const int64_t VALUE_1 = arg[23];
    const int64_t DQ_0 = arg[24];
    const int64_t DQ_1 = arg[25];
    (void)team; (void)buf; (void)arg;
    const int64_t key_panels = (S + WIDTH - 1) / WIDTH, depth = (E + WIDTH - 1) / WIDTH * WIDTH, features = (V + WIDTH - 1) / WIDTH * WIDTH;
    const int64_t lds = key_panels * WIDTH + 16; /* no power of two between rows; tiles of MR keys end inside */
    const int64_t units = B0 * B1, high = (S + MR - 1) / MR * MR;
    int64_t active = 1 + units * L * S * (3 * E + 2 * V) / 32768;
    if (active > team->size) active = team->size;
    sol_share share = sol_share_of(team, units, active);
    if (team->id >= active) return;
    float *const keys = (float *)team->scratch, *const values = keys + key_panels * WIDTH * E, *const rows_of_k = values + key_panels * WIDTH * V;
    float *const scaled = rows_of_k + depth * S, *const queries = scaled + BLOCK * depth, *const given = queries + BLOCK * depth;
    float *const weights = given + BLOCK * features, *const scores = weights + BLOCK * lds, *const part = scores + BLOCK * lds;
    float *const dk = part + MR * WIDTH, *const dv = dk + high * depth;
    const float scale = 0.25f;
    for (int64_t u, end; sol_share_take(&share, &u, &end);) for (; u < end; u++) {
        int64_t rest = u;
        const float *g = G, *q = Q, *k = K, *v = VALUE;
        float *to_dq = DQ; 
        
        {
            const int64_t i = rest % B1;
            rest /= B1;
            g += i * G_1; q += i * Q_1; k += i * K_1; v += i * VALUE_1; to_dq += i * DQ_1;
        }
        {
            const int64_t i = rest % B0;
            rest /= B0;
            g += i * G_0; q += i * Q_0; k += i * K_0; v += i * VALUE_0; to_dq += i * DQ_0;
        }
        (void)rest;
        for (int64_t p = 0; p < key_panels; p++) {
            sol_pack_panel(keys + p * WIDTH * E, k + p * WIDTH * K_s, K_e, K_s, E, S - p * WIDTH, NV);
            sol_pack_panel(values + p * WIDTH * V, v + p * WIDTH * VALUE_s, VALUE_e, VALUE_s, V, S - p * WIDTH, NV);
        }
        for (int64_t e = 0; e < depth; e += WIDTH) sol_pack_panel(rows_of_k + e * S, k + e * K_e, K_s, K_e, S, E - e, NV);
        for (int64_t i = 0; i < high * depth; i++) dk[i] = 0;
        for (int64_t i = 0; i < high * features; i++) dv[i] = 0;
        for (int64_t l0 = 0; l0 < L; l0 += BLOCK) {
            const int64_t rows = L - l0 < BLOCK ? L - l0 : BLOCK, tiles = (rows + MR - 1) / MR;
            const int64_t reach = l0 + rows < S ? l0 + rows : S;
            copy_rows(scaled, depth, q + l0 * Q_l, Q_l, Q_e, rows, E, scale);
            copy_rows(queries, depth, q + l0 * Q_l, Q_l, Q_e, rows, E, 1);
            copy_rows(given, features, g + l0 * G_l, G_l, G_v, rows, V, 1);
            for (int64_t p = 0; p * WIDTH < reach; p++)
                for (int64_t t = 0; t < tiles; t++) {
                    product(scaled + t * MR * depth, depth, keys + p * WIDTH * E, WIDTH, E, weights + t * MR * lds + p * WIDTH, lds);
                    product(given + t * MR * features, features, values + p * WIDTH * V, WIDTH, V, scores + t * MR * lds + p * WIDTH, lds);
                }
            for (int64_t i = 0; i < rows; i++) {
                float *const x = weights + i * lds;
                for (int64_t s = l0 + i + 1; s < reach; s++) x[s] = -INFINITY;
                const float inverse = softmax_row(x, reach);
                finish_row(x, scores + i * lds, reach, lds, inverse, scale);
            }
            for (int64_t e = 0; e < depth; e += WIDTH)
                for (int64_t t = 0; t < tiles; t++) {
                    const int64_t left = rows - t * MR;
                    product(scores + t * MR * lds, lds, rows_of_k + e * S, WIDTH, reach, part, WIDTH);
                    give_rows(to_dq + (l0 + t * MR) * DQ_l + e * DQ_e, DQ_l, DQ_e, part, WIDTH, left < MR ? left : MR, E - e < WIDTH ? E - e : WIDTH);
                }
            for (int64_t s = 0; s < reach; s += MR) {
                for (int64_t e = 0; e < depth; e += WIDTH) turned(scores + s, lds, queries + e, depth, rows, dk + s * depth + e, depth, 1);
                for (int64_t e = 0; e < features; e += WIDTH) turned(weights + s, lds, given + e, features, rows, dv + s * features + e, features, 1);
            }
        }
    }
}
