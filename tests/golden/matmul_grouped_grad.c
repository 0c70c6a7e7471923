/* matmul_grouped_grad: C[e][M][N] = sum over the rows r of group e, ends[e - 1] <= r < ends[e], of A[r][m] * B[r][n].
 *
 * The rows of A are turned first: [group][M][rows of the group].
 *   for each of this thread's (group, panel of 3 vectors, block of 8 rows of C), these rows innermost: the panel stays in L2
 *     8 x 3 accumulators; the whole reduction in registers
 * Options: 1 tiles. */
#include "sol_team.h"
#include "sol_simd.h"
#include "sol_pack.h"

enum { MR = 8, NV = 3, WIDTH = NV * LANES };

/* 8 rows x 3 vectors, count columns exist. */
static __attribute__((noinline)) void tile_8_ragged(const float *a0, int64_t lda, const float *b, int64_t K, float *c, int64_t ldc, int64_t count)
{
    (void)lda, (void)count;
    const int n0 = sol_lanes(count, 0);
    const int n1 = sol_lanes(count, 1);
    const int n2 = sol_lanes(count, 2);
    const float *a1 = a0 + 1 * lda;
    const float *a2 = a0 + 2 * lda;
    const float *a3 = a0 + 3 * lda;
    const float *a4 = a0 + 4 * lda;
    const float *a5 = a0 + 5 * lda;
    const float *a6 = a0 + 6 * lda;
    const float *a7 = a0 + 7 * lda;
    int64_t k = 0;
    const int64_t stop = K;
    vf c0_0 = vf_zero(), c0_1 = vf_zero(), c0_2 = vf_zero();
    vf c1_0 = vf_zero(), c1_1 = vf_zero(), c1_2 = vf_zero();
    vf c2_0 = vf_zero(), c2_1 = vf_zero(), c2_2 = vf_zero();
    vf c3_0 = vf_zero(), c3_1 = vf_zero(), c3_2 = vf_zero();
    vf c4_0 = vf_zero(), c4_1 = vf_zero(), c4_2 = vf_zero();
    vf c5_0 = vf_zero(), c5_1 = vf_zero(), c5_2 = vf_zero();
    vf c6_0 = vf_zero(), c6_1 = vf_zero(), c6_2 = vf_zero();
    vf c7_0 = vf_zero(), c7_1 = vf_zero(), c7_2 = vf_zero();
    for (; k + 4 <= stop; k += 4, b += 12 * LANES) {
        {
            vf w0 = vf_load(b + 0 * LANES), w1 = vf_load(b + 1 * LANES), w2 = vf_load(b + 2 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1); SOL_HOLD(w2);
            { VF_NUMBER(x, a0[k + 0]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); VF_ADD_PRODUCT(c0_2, w2, x); }
            { VF_NUMBER(x, a1[k + 0]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); VF_ADD_PRODUCT(c1_2, w2, x); }
            { VF_NUMBER(x, a2[k + 0]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); VF_ADD_PRODUCT(c2_2, w2, x); }
            { VF_NUMBER(x, a3[k + 0]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); VF_ADD_PRODUCT(c3_2, w2, x); }
            { VF_NUMBER(x, a4[k + 0]); VF_ADD_PRODUCT(c4_0, w0, x); VF_ADD_PRODUCT(c4_1, w1, x); VF_ADD_PRODUCT(c4_2, w2, x); }
            { VF_NUMBER(x, a5[k + 0]); VF_ADD_PRODUCT(c5_0, w0, x); VF_ADD_PRODUCT(c5_1, w1, x); VF_ADD_PRODUCT(c5_2, w2, x); }
            { VF_NUMBER(x, a6[k + 0]); VF_ADD_PRODUCT(c6_0, w0, x); VF_ADD_PRODUCT(c6_1, w1, x); VF_ADD_PRODUCT(c6_2, w2, x); }
            { VF_NUMBER(x, a7[k + 0]); VF_ADD_PRODUCT(c7_0, w0, x); VF_ADD_PRODUCT(c7_1, w1, x); VF_ADD_PRODUCT(c7_2, w2, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 3 * LANES), w1 = vf_load(b + 4 * LANES), w2 = vf_load(b + 5 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1); SOL_HOLD(w2);
            { VF_NUMBER(x, a0[k + 1]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); VF_ADD_PRODUCT(c0_2, w2, x); }
            { VF_NUMBER(x, a1[k + 1]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); VF_ADD_PRODUCT(c1_2, w2, x); }
            { VF_NUMBER(x, a2[k + 1]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); VF_ADD_PRODUCT(c2_2, w2, x); }
            { VF_NUMBER(x, a3[k + 1]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); VF_ADD_PRODUCT(c3_2, w2, x); }
            { VF_NUMBER(x, a4[k + 1]); VF_ADD_PRODUCT(c4_0, w0, x); VF_ADD_PRODUCT(c4_1, w1, x); VF_ADD_PRODUCT(c4_2, w2, x); }
            { VF_NUMBER(x, a5[k + 1]); VF_ADD_PRODUCT(c5_0, w0, x); VF_ADD_PRODUCT(c5_1, w1, x); VF_ADD_PRODUCT(c5_2, w2, x); }
            { VF_NUMBER(x, a6[k + 1]); VF_ADD_PRODUCT(c6_0, w0, x); VF_ADD_PRODUCT(c6_1, w1, x); VF_ADD_PRODUCT(c6_2, w2, x); }
            { VF_NUMBER(x, a7[k + 1]); VF_ADD_PRODUCT(c7_0, w0, x); VF_ADD_PRODUCT(c7_1, w1, x); VF_ADD_PRODUCT(c7_2, w2, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 6 * LANES), w1 = vf_load(b + 7 * LANES), w2 = vf_load(b + 8 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1); SOL_HOLD(w2);
            { VF_NUMBER(x, a0[k + 2]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); VF_ADD_PRODUCT(c0_2, w2, x); }
            { VF_NUMBER(x, a1[k + 2]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); VF_ADD_PRODUCT(c1_2, w2, x); }
            { VF_NUMBER(x, a2[k + 2]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); VF_ADD_PRODUCT(c2_2, w2, x); }
            { VF_NUMBER(x, a3[k + 2]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); VF_ADD_PRODUCT(c3_2, w2, x); }
            { VF_NUMBER(x, a4[k + 2]); VF_ADD_PRODUCT(c4_0, w0, x); VF_ADD_PRODUCT(c4_1, w1, x); VF_ADD_PRODUCT(c4_2, w2, x); }
            { VF_NUMBER(x, a5[k + 2]); VF_ADD_PRODUCT(c5_0, w0, x); VF_ADD_PRODUCT(c5_1, w1, x); VF_ADD_PRODUCT(c5_2, w2, x); }
            { VF_NUMBER(x, a6[k + 2]); VF_ADD_PRODUCT(c6_0, w0, x); VF_ADD_PRODUCT(c6_1, w1, x); VF_ADD_PRODUCT(c6_2, w2, x); }
            { VF_NUMBER(x, a7[k + 2]); VF_ADD_PRODUCT(c7_0, w0, x); VF_ADD_PRODUCT(c7_1, w1, x); VF_ADD_PRODUCT(c7_2, w2, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 9 * LANES), w1 = vf_load(b + 10 * LANES), w2 = vf_load(b + 11 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1); SOL_HOLD(w2);
            { VF_NUMBER(x, a0[k + 3]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); VF_ADD_PRODUCT(c0_2, w2, x); }
            { VF_NUMBER(x, a1[k + 3]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); VF_ADD_PRODUCT(c1_2, w2, x); }
            { VF_NUMBER(x, a2[k + 3]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); VF_ADD_PRODUCT(c2_2, w2, x); }
            { VF_NUMBER(x, a3[k + 3]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); VF_ADD_PRODUCT(c3_2, w2, x); }
            { VF_NUMBER(x, a4[k + 3]); VF_ADD_PRODUCT(c4_0, w0, x); VF_ADD_PRODUCT(c4_1, w1, x); VF_ADD_PRODUCT(c4_2, w2, x); }
            { VF_NUMBER(x, a5[k + 3]); VF_ADD_PRODUCT(c5_0, w0, x); VF_ADD_PRODUCT(c5_1, w1, x); VF_ADD_PRODUCT(c5_2, w2, x); }
            { VF_NUMBER(x, a6[k + 3]); VF_ADD_PRODUCT(c6_0, w0, x); VF_ADD_PRODUCT(c6_1, w1, x); VF_ADD_PRODUCT(c6_2, w2, x); }
            { VF_NUMBER(x, a7[k + 3]); VF_ADD_PRODUCT(c7_0, w0, x); VF_ADD_PRODUCT(c7_1, w1, x); VF_ADD_PRODUCT(c7_2, w2, x); }
        }
        SOL_FENCE();
    }
    for (; k < stop; k++, b += 3 * LANES) {
        const vf w0 = vf_load(b + 0 * LANES), w1 = vf_load(b + 1 * LANES), w2 = vf_load(b + 2 * LANES);
        { const float x = a0[k]; c0_0 += w0 * x; c0_1 += w1 * x; c0_2 += w2 * x; }
        { const float x = a1[k]; c1_0 += w0 * x; c1_1 += w1 * x; c1_2 += w2 * x; }
        { const float x = a2[k]; c2_0 += w0 * x; c2_1 += w1 * x; c2_2 += w2 * x; }
        { const float x = a3[k]; c3_0 += w0 * x; c3_1 += w1 * x; c3_2 += w2 * x; }
        { const float x = a4[k]; c4_0 += w0 * x; c4_1 += w1 * x; c4_2 += w2 * x; }
        { const float x = a5[k]; c5_0 += w0 * x; c5_1 += w1 * x; c5_2 += w2 * x; }
        { const float x = a6[k]; c6_0 += w0 * x; c6_1 += w1 * x; c6_2 += w2 * x; }
        { const float x = a7[k]; c7_0 += w0 * x; c7_1 += w1 * x; c7_2 += w2 * x; }
    }
    {
        vf_store_n(c + 0 * ldc + 0 * LANES, c0_0, n0);
    }
    {
        vf_store_n(c + 0 * ldc + 1 * LANES, c0_1, n1);
    }
    {
        vf_store_n(c + 0 * ldc + 2 * LANES, c0_2, n2);
    }
    {
        vf_store_n(c + 1 * ldc + 0 * LANES, c1_0, n0);
    }
    {
        vf_store_n(c + 1 * ldc + 1 * LANES, c1_1, n1);
    }
    {
        vf_store_n(c + 1 * ldc + 2 * LANES, c1_2, n2);
    }
    {
        vf_store_n(c + 2 * ldc + 0 * LANES, c2_0, n0);
    }
    {
        vf_store_n(c + 2 * ldc + 1 * LANES, c2_1, n1);
    }
    {
        vf_store_n(c + 2 * ldc + 2 * LANES, c2_2, n2);
    }
    {
        vf_store_n(c + 3 * ldc + 0 * LANES, c3_0, n0);
    }
    {
        vf_store_n(c + 3 * ldc + 1 * LANES, c3_1, n1);
    }
    {
        vf_store_n(c + 3 * ldc + 2 * LANES, c3_2, n2);
    }
    {
        vf_store_n(c + 4 * ldc + 0 * LANES, c4_0, n0);
    }
    {
        vf_store_n(c + 4 * ldc + 1 * LANES, c4_1, n1);
    }
    {
        vf_store_n(c + 4 * ldc + 2 * LANES, c4_2, n2);
    }
    {
        vf_store_n(c + 5 * ldc + 0 * LANES, c5_0, n0);
    }
    {
        vf_store_n(c + 5 * ldc + 1 * LANES, c5_1, n1);
    }
    {
        vf_store_n(c + 5 * ldc + 2 * LANES, c5_2, n2);
    }
    {
        vf_store_n(c + 6 * ldc + 0 * LANES, c6_0, n0);
    }
    {
        vf_store_n(c + 6 * ldc + 1 * LANES, c6_1, n1);
    }
    {
        vf_store_n(c + 6 * ldc + 2 * LANES, c6_2, n2);
    }
    {
        vf_store_n(c + 7 * ldc + 0 * LANES, c7_0, n0);
    }
    {
        vf_store_n(c + 7 * ldc + 1 * LANES, c7_1, n1);
    }
    {
        vf_store_n(c + 7 * ldc + 2 * LANES, c7_2, n2);
    }
}

#define TILE(rows) tile_##rows##_ragged(a_q + m * K, K, panel, K, c_q + m * ldc, ldc, count)

/* Where a group ends whose rows begin at start. */
static int64_t end_of(const int32_t *ends, int64_t step, int64_t e, int64_t groups, int64_t start, int64_t rows)
{
    const int64_t end = e < groups ? (int64_t)ends[e * step] : rows;
    return end < start ? start : end < rows ? end : rows;
}

void matmul_grouped_grad(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *A = buf[0];
    const int32_t *ends = buf[1];
    const float *B = buf[2];
    float *C = buf[3];
    const int64_t rows = arg[0];
    const int64_t M = arg[1];
    const int64_t N = arg[2];
    const int64_t groups = arg[3];
    const int64_t A_r = arg[4];
    const int64_t A_m = arg[5];
    const int64_t B_r = arg[6];
    const int64_t B_n = arg[7];
    const int64_t ldc = arg[8];
    const int64_t C_e = arg[9];
    const int64_t ends_n = arg[10];
    (void)team; (void)buf; (void)arg;
    const int64_t panels = (N + WIDTH - 1) / WIDTH, blocks = (M + MR - 1) / MR, size = panels * blocks, units = groups * size;
    float *const turned = (float *)team->shared_scratch;
    int64_t active = 1 + rows * M * N / 32768, strip, strips;
    if (active > team->size) active = team->size;
    sol_split(team, (M + LANES - 1) / LANES, &strip, &strips);
    for (; strip < strips; strip++)
        for (int64_t e = 0, start = 0, stop; e < groups; e++, start = stop) {
            stop = end_of(ends, ends_n, e, groups, start, rows);
            const int64_t K = stop - start, from = strip * LANES, to = M - from < LANES ? M : from + LANES;
            for (int64_t k = 0; k < K; k++)
                for (int64_t m = from; m < to; m++) turned[start * M + m * K + k] = A[(start + k) * A_r + m * A_m];
        }
    sol_barrier(team);
    if (team->id >= active) return;
    const int64_t first = units * team->id / active, last = units * (team->id + 1) / active;
    for (int64_t e = 0, start = 0, stop; e < groups && e * size < last; e++, start = stop) {
        stop = end_of(ends, ends_n, e, groups, start, rows);
        const int64_t K = stop - start, end = last - e * size < size ? last - e * size : size;
        const float *const a_q = turned + start * M;
        for (int64_t u = first > e * size ? first - e * size : 0, run; u < end; u += run) {
            const int64_t r = u % blocks, p = u / blocks, count = N - p * WIDTH;
            run = blocks - r < end - u ? blocks - r : end - u;
            float *const c_q = C + e * C_e + p * WIDTH;
            float *const panel = (float *)team->scratch;
            sol_pack_panel(panel, B + start * B_r + p * WIDTH * B_n, B_r, B_n, K, count, NV);
            for (int64_t i = r; i < r + run; i++) {
                int64_t m = i * MR;
                const int64_t left = M - m;
                if (left >= MR) {
                    TILE(8);
                    continue;
                }
            }
        }
    }
}
