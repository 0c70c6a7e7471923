/* matmul_chunks: C[M][N] = A[M][K] * B[K][N], operands with any strides.
 *
 * The team packs all of B in its shared memory, [panel][k][2 * LANES], then waits. A chunk is at most 17 x 6 rows by 512 steps of
 * the reduction: what a core's second-level cache holds of A, packed, [row][k].
 *   for each of this thread's chunks, and its panels of them: for each slice of the reduction
 *     pack the chunk
 *     for each panel: for each tile of the chunk
 *       6 x 2 accumulators; sums of slices are added */
#include "sol_team.h"
#include "sol_simd.h"
#include "sol_pack.h"

enum { MR = 6, NV = 2, WIDTH = NV * LANES };

/* 6 rows x 2 vectors. */
static __attribute__((noinline)) void tile_6(const float *a0, int64_t lda, const float *b, int64_t K, float *part, int64_t k0, int last, float *c, int64_t ldc, int64_t count)
{
    (void)lda, (void)count;
    const float *a1 = a0 + 1 * lda;
    const float *a2 = a0 + 2 * lda;
    const float *a3 = a0 + 3 * lda;
    const float *a4 = a0 + 4 * lda;
    const float *a5 = a0 + 5 * lda;
    int64_t k = 0;
    const int64_t stop = K;
    vf c0_0 = vf_zero(), c0_1 = vf_zero();
    vf c1_0 = vf_zero(), c1_1 = vf_zero();
    vf c2_0 = vf_zero(), c2_1 = vf_zero();
    vf c3_0 = vf_zero(), c3_1 = vf_zero();
    vf c4_0 = vf_zero(), c4_1 = vf_zero();
    vf c5_0 = vf_zero(), c5_1 = vf_zero();
    for (; k + 4 <= stop; k += 4, b += 8 * LANES) {
        {
            vf w0 = vf_load(b + 0 * LANES), w1 = vf_load(b + 1 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1);
            { VF_NUMBER(x, a0[k + 0]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); }
            { VF_NUMBER(x, a1[k + 0]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); }
            { VF_NUMBER(x, a2[k + 0]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); }
            { VF_NUMBER(x, a3[k + 0]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); }
            { VF_NUMBER(x, a4[k + 0]); VF_ADD_PRODUCT(c4_0, w0, x); VF_ADD_PRODUCT(c4_1, w1, x); }
            { VF_NUMBER(x, a5[k + 0]); VF_ADD_PRODUCT(c5_0, w0, x); VF_ADD_PRODUCT(c5_1, w1, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 2 * LANES), w1 = vf_load(b + 3 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1);
            { VF_NUMBER(x, a0[k + 1]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); }
            { VF_NUMBER(x, a1[k + 1]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); }
            { VF_NUMBER(x, a2[k + 1]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); }
            { VF_NUMBER(x, a3[k + 1]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); }
            { VF_NUMBER(x, a4[k + 1]); VF_ADD_PRODUCT(c4_0, w0, x); VF_ADD_PRODUCT(c4_1, w1, x); }
            { VF_NUMBER(x, a5[k + 1]); VF_ADD_PRODUCT(c5_0, w0, x); VF_ADD_PRODUCT(c5_1, w1, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 4 * LANES), w1 = vf_load(b + 5 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1);
            { VF_NUMBER(x, a0[k + 2]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); }
            { VF_NUMBER(x, a1[k + 2]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); }
            { VF_NUMBER(x, a2[k + 2]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); }
            { VF_NUMBER(x, a3[k + 2]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); }
            { VF_NUMBER(x, a4[k + 2]); VF_ADD_PRODUCT(c4_0, w0, x); VF_ADD_PRODUCT(c4_1, w1, x); }
            { VF_NUMBER(x, a5[k + 2]); VF_ADD_PRODUCT(c5_0, w0, x); VF_ADD_PRODUCT(c5_1, w1, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 6 * LANES), w1 = vf_load(b + 7 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1);
            { VF_NUMBER(x, a0[k + 3]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); }
            { VF_NUMBER(x, a1[k + 3]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); }
            { VF_NUMBER(x, a2[k + 3]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); }
            { VF_NUMBER(x, a3[k + 3]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); }
            { VF_NUMBER(x, a4[k + 3]); VF_ADD_PRODUCT(c4_0, w0, x); VF_ADD_PRODUCT(c4_1, w1, x); }
            { VF_NUMBER(x, a5[k + 3]); VF_ADD_PRODUCT(c5_0, w0, x); VF_ADD_PRODUCT(c5_1, w1, x); }
        }
        SOL_FENCE();
    }
    for (; k < stop; k++, b += 2 * LANES) {
        const vf w0 = vf_load(b + 0 * LANES), w1 = vf_load(b + 1 * LANES);
        { const float x = a0[k]; c0_0 += w0 * x; c0_1 += w1 * x; }
        { const float x = a1[k]; c1_0 += w0 * x; c1_1 += w1 * x; }
        { const float x = a2[k]; c2_0 += w0 * x; c2_1 += w1 * x; }
        { const float x = a3[k]; c3_0 += w0 * x; c3_1 += w1 * x; }
        { const float x = a4[k]; c4_0 += w0 * x; c4_1 += w1 * x; }
        { const float x = a5[k]; c5_0 += w0 * x; c5_1 += w1 * x; }
    }
    if (k0) {
c0_0 += vf_load(part + 0 * LANES); c0_1 += vf_load(part + 1 * LANES); 
c1_0 += vf_load(part + 2 * LANES); c1_1 += vf_load(part + 3 * LANES); 
c2_0 += vf_load(part + 4 * LANES); c2_1 += vf_load(part + 5 * LANES); 
c3_0 += vf_load(part + 6 * LANES); c3_1 += vf_load(part + 7 * LANES); 
c4_0 += vf_load(part + 8 * LANES); c4_1 += vf_load(part + 9 * LANES); 
c5_0 += vf_load(part + 10 * LANES); c5_1 += vf_load(part + 11 * LANES); 
    }
    if (!last) {
vf_store(part + 0 * LANES, c0_0); vf_store(part + 1 * LANES, c0_1); 
vf_store(part + 2 * LANES, c1_0); vf_store(part + 3 * LANES, c1_1); 
vf_store(part + 4 * LANES, c2_0); vf_store(part + 5 * LANES, c2_1); 
vf_store(part + 6 * LANES, c3_0); vf_store(part + 7 * LANES, c3_1); 
vf_store(part + 8 * LANES, c4_0); vf_store(part + 9 * LANES, c4_1); 
vf_store(part + 10 * LANES, c5_0); vf_store(part + 11 * LANES, c5_1); 
        return;
    }
    {
        vf_store(c + 0 * ldc + 0 * LANES, c0_0);
    }
    {
        vf_store(c + 0 * ldc + 1 * LANES, c0_1);
    }
    {
        vf_store(c + 1 * ldc + 0 * LANES, c1_0);
    }
    {
        vf_store(c + 1 * ldc + 1 * LANES, c1_1);
    }
    {
        vf_store(c + 2 * ldc + 0 * LANES, c2_0);
    }
    {
        vf_store(c + 2 * ldc + 1 * LANES, c2_1);
    }
    {
        vf_store(c + 3 * ldc + 0 * LANES, c3_0);
    }
    {
        vf_store(c + 3 * ldc + 1 * LANES, c3_1);
    }
    {
        vf_store(c + 4 * ldc + 0 * LANES, c4_0);
    }
    {
        vf_store(c + 4 * ldc + 1 * LANES, c4_1);
    }
    {
        vf_store(c + 5 * ldc + 0 * LANES, c5_0);
    }
    {
        vf_store(c + 5 * ldc + 1 * LANES, c5_1);
    }
}

#define TILE(rows) tile_##rows(packed_a + (i - r) * MR * DEPTH, DEPTH, panel, kc, part, k0, last, c_q + m * ldc, ldc, count)
enum { ROWS = 17, HIGH = 3, SLICE = 512, DEPTH = 528 };

void matmul_chunks(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *A = buf[0];
    const float *B = buf[1];
    float *C = buf[2];
    const int64_t M = arg[0];
    const int64_t N = arg[1];
    const int64_t K = arg[2];
    const int64_t lda = arg[3];
    const int64_t ldc = arg[4];
    const int64_t A_k = arg[5];
    const int64_t B_k = arg[6];
    const int64_t B_n = arg[7];
    (void)team; (void)buf; (void)arg;
    const int64_t panels = (N + WIDTH - 1) / WIDTH, blocks = (M + MR - 1) / MR;
    float *const packed_b = (float *)team->shared_scratch, *const sums = (float *)team->scratch, *const packed_a = sums + 1632;
    int64_t begin, end;
    sol_split(team, panels, &begin, &end);
    if (begin < end) sol_pack_panels(packed_b + begin * K * WIDTH, B + begin * WIDTH * B_n, B_k, B_n, K, (end * WIDTH < N ? end * WIDTH : N) - begin * WIDTH, NV);
    sol_barrier(team);
    sol_split(team, panels * HIGH, &begin, &end);
    for (int64_t u = begin, run; u < end; u += run) {
        const int64_t chunk = u / panels, first = u % panels, r = blocks * chunk / HIGH, r_end = blocks * (chunk + 1) / HIGH;
        const int64_t height = (r_end * MR < M ? r_end * MR : M) - r * MR;
        run = panels - first < end - u ? panels - first : end - u;
        for (int64_t k0 = 0, kc; k0 < K; k0 += kc) {
            kc = K - k0 < SLICE ? K - k0 : SLICE;
            const int last = k0 + kc == K;
            sol_pack_panels(packed_a, A + r * MR * lda + k0 * A_k, lda, A_k, height, kc, DEPTH / LANES);
            for (int64_t p = first; p < first + run; p++) {
                const int64_t count = N - p * WIDTH;
                const float *panel = packed_b + (p * K + k0) * WIDTH;
                float *c_q = C + p * WIDTH;
                for (int64_t i = r; i < r_end; i++) {
                    const int64_t m = i * MR, left = M - m;
                    float *const part = sums + (i - r) * MR * WIDTH;
                    (void)left;
                    TILE(6);
                }
            }
        }
    }
}
