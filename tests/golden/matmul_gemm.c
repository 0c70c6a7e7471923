/* matmul_gemm: C[q][M][N] = A[q][M][K] * B[q][K][N].
 *
 * B in panels of 3 vectors, [panel][K][3 * LANES], packed when the weights were loaded.
 *   for each of this thread's (q, panel, block of 7 rows), rows innermost: the panel stays in L2
 *     the whole reduction in registers
 *       7 x 3 accumulators; k in steps of the unrolled loop
 * Options: 2 tiles, 0 batch dimensions. */
#include "sol_team.h"
#include "sol_simd.h"
#include "sol_pack.h"

enum { MR = 7, NV = 3, WIDTH = NV * LANES };

/* 7 rows x 3 vectors. */
static __attribute__((noinline)) void tile_7(const float *a0, int64_t lda, const float *b, int64_t K, float *c, int64_t ldc, int64_t count)
{
    (void)lda, (void)count;
    const float *a1 = a0 + 1 * lda;
    const float *a2 = a0 + 2 * lda;
    const float *a3 = a0 + 3 * lda;
    const float *a4 = a0 + 4 * lda;
    const float *a5 = a0 + 5 * lda;
    const float *a6 = a0 + 6 * lda;
    int64_t k = 0;
    const int64_t stop = K;
    vf c0_0 = vf_zero(), c0_1 = vf_zero(), c0_2 = vf_zero();
    vf c1_0 = vf_zero(), c1_1 = vf_zero(), c1_2 = vf_zero();
    vf c2_0 = vf_zero(), c2_1 = vf_zero(), c2_2 = vf_zero();
    vf c3_0 = vf_zero(), c3_1 = vf_zero(), c3_2 = vf_zero();
    vf c4_0 = vf_zero(), c4_1 = vf_zero(), c4_2 = vf_zero();
    vf c5_0 = vf_zero(), c5_1 = vf_zero(), c5_2 = vf_zero();
    vf c6_0 = vf_zero(), c6_1 = vf_zero(), c6_2 = vf_zero();
    for (; k + 4 <= stop; k += 4, b += 12 * LANES) {
        {
            vf w0 = vf_load(b + 0 * LANES), w1 = vf_load(b + 1 * LANES), w2 = vf_load(b + 2 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1); SOL_HOLD(w2);
            SOL_FETCH(b + 2048, 0, 3); SOL_FETCH(b + 2048, 1, 3); SOL_FETCH(b + 2048, 2, 3);
            { VF_NUMBER(x, a0[k + 0]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); VF_ADD_PRODUCT(c0_2, w2, x); }
            { VF_NUMBER(x, a1[k + 0]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); VF_ADD_PRODUCT(c1_2, w2, x); }
            { VF_NUMBER(x, a2[k + 0]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); VF_ADD_PRODUCT(c2_2, w2, x); }
            { VF_NUMBER(x, a3[k + 0]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); VF_ADD_PRODUCT(c3_2, w2, x); }
            { VF_NUMBER(x, a4[k + 0]); VF_ADD_PRODUCT(c4_0, w0, x); VF_ADD_PRODUCT(c4_1, w1, x); VF_ADD_PRODUCT(c4_2, w2, x); }
            { VF_NUMBER(x, a5[k + 0]); VF_ADD_PRODUCT(c5_0, w0, x); VF_ADD_PRODUCT(c5_1, w1, x); VF_ADD_PRODUCT(c5_2, w2, x); }
            { VF_NUMBER(x, a6[k + 0]); VF_ADD_PRODUCT(c6_0, w0, x); VF_ADD_PRODUCT(c6_1, w1, x); VF_ADD_PRODUCT(c6_2, w2, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 3 * LANES), w1 = vf_load(b + 4 * LANES), w2 = vf_load(b + 5 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1); SOL_HOLD(w2);
            SOL_FETCH(b + 2048, 3, 3); SOL_FETCH(b + 2048, 4, 3); SOL_FETCH(b + 2048, 5, 3);
            { VF_NUMBER(x, a0[k + 1]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); VF_ADD_PRODUCT(c0_2, w2, x); }
            { VF_NUMBER(x, a1[k + 1]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); VF_ADD_PRODUCT(c1_2, w2, x); }
            { VF_NUMBER(x, a2[k + 1]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); VF_ADD_PRODUCT(c2_2, w2, x); }
            { VF_NUMBER(x, a3[k + 1]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); VF_ADD_PRODUCT(c3_2, w2, x); }
            { VF_NUMBER(x, a4[k + 1]); VF_ADD_PRODUCT(c4_0, w0, x); VF_ADD_PRODUCT(c4_1, w1, x); VF_ADD_PRODUCT(c4_2, w2, x); }
            { VF_NUMBER(x, a5[k + 1]); VF_ADD_PRODUCT(c5_0, w0, x); VF_ADD_PRODUCT(c5_1, w1, x); VF_ADD_PRODUCT(c5_2, w2, x); }
            { VF_NUMBER(x, a6[k + 1]); VF_ADD_PRODUCT(c6_0, w0, x); VF_ADD_PRODUCT(c6_1, w1, x); VF_ADD_PRODUCT(c6_2, w2, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 6 * LANES), w1 = vf_load(b + 7 * LANES), w2 = vf_load(b + 8 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1); SOL_HOLD(w2);
            SOL_FETCH(b + 2048, 6, 3); SOL_FETCH(b + 2048, 7, 3); SOL_FETCH(b + 2048, 8, 3);
            { VF_NUMBER(x, a0[k + 2]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); VF_ADD_PRODUCT(c0_2, w2, x); }
            { VF_NUMBER(x, a1[k + 2]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); VF_ADD_PRODUCT(c1_2, w2, x); }
            { VF_NUMBER(x, a2[k + 2]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); VF_ADD_PRODUCT(c2_2, w2, x); }
            { VF_NUMBER(x, a3[k + 2]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); VF_ADD_PRODUCT(c3_2, w2, x); }
            { VF_NUMBER(x, a4[k + 2]); VF_ADD_PRODUCT(c4_0, w0, x); VF_ADD_PRODUCT(c4_1, w1, x); VF_ADD_PRODUCT(c4_2, w2, x); }
            { VF_NUMBER(x, a5[k + 2]); VF_ADD_PRODUCT(c5_0, w0, x); VF_ADD_PRODUCT(c5_1, w1, x); VF_ADD_PRODUCT(c5_2, w2, x); }
            { VF_NUMBER(x, a6[k + 2]); VF_ADD_PRODUCT(c6_0, w0, x); VF_ADD_PRODUCT(c6_1, w1, x); VF_ADD_PRODUCT(c6_2, w2, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 9 * LANES), w1 = vf_load(b + 10 * LANES), w2 = vf_load(b + 11 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1); SOL_HOLD(w2);
            SOL_FETCH(b + 2048, 9, 3); SOL_FETCH(b + 2048, 10, 3); SOL_FETCH(b + 2048, 11, 3);
            { VF_NUMBER(x, a0[k + 3]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); VF_ADD_PRODUCT(c0_2, w2, x); }
            { VF_NUMBER(x, a1[k + 3]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); VF_ADD_PRODUCT(c1_2, w2, x); }
            { VF_NUMBER(x, a2[k + 3]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); VF_ADD_PRODUCT(c2_2, w2, x); }
            { VF_NUMBER(x, a3[k + 3]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); VF_ADD_PRODUCT(c3_2, w2, x); }
            { VF_NUMBER(x, a4[k + 3]); VF_ADD_PRODUCT(c4_0, w0, x); VF_ADD_PRODUCT(c4_1, w1, x); VF_ADD_PRODUCT(c4_2, w2, x); }
            { VF_NUMBER(x, a5[k + 3]); VF_ADD_PRODUCT(c5_0, w0, x); VF_ADD_PRODUCT(c5_1, w1, x); VF_ADD_PRODUCT(c5_2, w2, x); }
            { VF_NUMBER(x, a6[k + 3]); VF_ADD_PRODUCT(c6_0, w0, x); VF_ADD_PRODUCT(c6_1, w1, x); VF_ADD_PRODUCT(c6_2, w2, x); }
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
    }
    {
        vf_store(c + 0 * ldc + 0 * LANES, c0_0);
    }
    {
        vf_store(c + 0 * ldc + 1 * LANES, c0_1);
    }
    {
        vf_store(c + 0 * ldc + 2 * LANES, c0_2);
    }
    {
        vf_store(c + 1 * ldc + 0 * LANES, c1_0);
    }
    {
        vf_store(c + 1 * ldc + 1 * LANES, c1_1);
    }
    {
        vf_store(c + 1 * ldc + 2 * LANES, c1_2);
    }
    {
        vf_store(c + 2 * ldc + 0 * LANES, c2_0);
    }
    {
        vf_store(c + 2 * ldc + 1 * LANES, c2_1);
    }
    {
        vf_store(c + 2 * ldc + 2 * LANES, c2_2);
    }
    {
        vf_store(c + 3 * ldc + 0 * LANES, c3_0);
    }
    {
        vf_store(c + 3 * ldc + 1 * LANES, c3_1);
    }
    {
        vf_store(c + 3 * ldc + 2 * LANES, c3_2);
    }
    {
        vf_store(c + 4 * ldc + 0 * LANES, c4_0);
    }
    {
        vf_store(c + 4 * ldc + 1 * LANES, c4_1);
    }
    {
        vf_store(c + 4 * ldc + 2 * LANES, c4_2);
    }
    {
        vf_store(c + 5 * ldc + 0 * LANES, c5_0);
    }
    {
        vf_store(c + 5 * ldc + 1 * LANES, c5_1);
    }
    {
        vf_store(c + 5 * ldc + 2 * LANES, c5_2);
    }
    {
        vf_store(c + 6 * ldc + 0 * LANES, c6_0);
    }
    {
        vf_store(c + 6 * ldc + 1 * LANES, c6_1);
    }
    {
        vf_store(c + 6 * ldc + 2 * LANES, c6_2);
    }
}

/* 6 rows x 3 vectors. */
static __attribute__((noinline)) void tile_6(const float *a0, int64_t lda, const float *b, int64_t K, float *c, int64_t ldc, int64_t count)
{
    (void)lda, (void)count;
    const float *a1 = a0 + 1 * lda;
    const float *a2 = a0 + 2 * lda;
    const float *a3 = a0 + 3 * lda;
    const float *a4 = a0 + 4 * lda;
    const float *a5 = a0 + 5 * lda;
    int64_t k = 0;
    const int64_t stop = K;
    vf c0_0 = vf_zero(), c0_1 = vf_zero(), c0_2 = vf_zero();
    vf c1_0 = vf_zero(), c1_1 = vf_zero(), c1_2 = vf_zero();
    vf c2_0 = vf_zero(), c2_1 = vf_zero(), c2_2 = vf_zero();
    vf c3_0 = vf_zero(), c3_1 = vf_zero(), c3_2 = vf_zero();
    vf c4_0 = vf_zero(), c4_1 = vf_zero(), c4_2 = vf_zero();
    vf c5_0 = vf_zero(), c5_1 = vf_zero(), c5_2 = vf_zero();
    for (; k + 4 <= stop; k += 4, b += 12 * LANES) {
        {
            vf w0 = vf_load(b + 0 * LANES), w1 = vf_load(b + 1 * LANES), w2 = vf_load(b + 2 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1); SOL_HOLD(w2);
            SOL_FETCH(b + 2048, 0, 3); SOL_FETCH(b + 2048, 1, 3); SOL_FETCH(b + 2048, 2, 3);
            { VF_NUMBER(x, a0[k + 0]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); VF_ADD_PRODUCT(c0_2, w2, x); }
            { VF_NUMBER(x, a1[k + 0]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); VF_ADD_PRODUCT(c1_2, w2, x); }
            { VF_NUMBER(x, a2[k + 0]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); VF_ADD_PRODUCT(c2_2, w2, x); }
            { VF_NUMBER(x, a3[k + 0]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); VF_ADD_PRODUCT(c3_2, w2, x); }
            { VF_NUMBER(x, a4[k + 0]); VF_ADD_PRODUCT(c4_0, w0, x); VF_ADD_PRODUCT(c4_1, w1, x); VF_ADD_PRODUCT(c4_2, w2, x); }
            { VF_NUMBER(x, a5[k + 0]); VF_ADD_PRODUCT(c5_0, w0, x); VF_ADD_PRODUCT(c5_1, w1, x); VF_ADD_PRODUCT(c5_2, w2, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 3 * LANES), w1 = vf_load(b + 4 * LANES), w2 = vf_load(b + 5 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1); SOL_HOLD(w2);
            SOL_FETCH(b + 2048, 3, 3); SOL_FETCH(b + 2048, 4, 3); SOL_FETCH(b + 2048, 5, 3);
            { VF_NUMBER(x, a0[k + 1]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); VF_ADD_PRODUCT(c0_2, w2, x); }
            { VF_NUMBER(x, a1[k + 1]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); VF_ADD_PRODUCT(c1_2, w2, x); }
            { VF_NUMBER(x, a2[k + 1]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); VF_ADD_PRODUCT(c2_2, w2, x); }
            { VF_NUMBER(x, a3[k + 1]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); VF_ADD_PRODUCT(c3_2, w2, x); }
            { VF_NUMBER(x, a4[k + 1]); VF_ADD_PRODUCT(c4_0, w0, x); VF_ADD_PRODUCT(c4_1, w1, x); VF_ADD_PRODUCT(c4_2, w2, x); }
            { VF_NUMBER(x, a5[k + 1]); VF_ADD_PRODUCT(c5_0, w0, x); VF_ADD_PRODUCT(c5_1, w1, x); VF_ADD_PRODUCT(c5_2, w2, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 6 * LANES), w1 = vf_load(b + 7 * LANES), w2 = vf_load(b + 8 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1); SOL_HOLD(w2);
            SOL_FETCH(b + 2048, 6, 3); SOL_FETCH(b + 2048, 7, 3); SOL_FETCH(b + 2048, 8, 3);
            { VF_NUMBER(x, a0[k + 2]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); VF_ADD_PRODUCT(c0_2, w2, x); }
            { VF_NUMBER(x, a1[k + 2]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); VF_ADD_PRODUCT(c1_2, w2, x); }
            { VF_NUMBER(x, a2[k + 2]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); VF_ADD_PRODUCT(c2_2, w2, x); }
            { VF_NUMBER(x, a3[k + 2]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); VF_ADD_PRODUCT(c3_2, w2, x); }
            { VF_NUMBER(x, a4[k + 2]); VF_ADD_PRODUCT(c4_0, w0, x); VF_ADD_PRODUCT(c4_1, w1, x); VF_ADD_PRODUCT(c4_2, w2, x); }
            { VF_NUMBER(x, a5[k + 2]); VF_ADD_PRODUCT(c5_0, w0, x); VF_ADD_PRODUCT(c5_1, w1, x); VF_ADD_PRODUCT(c5_2, w2, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 9 * LANES), w1 = vf_load(b + 10 * LANES), w2 = vf_load(b + 11 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1); SOL_HOLD(w2);
            SOL_FETCH(b + 2048, 9, 3); SOL_FETCH(b + 2048, 10, 3); SOL_FETCH(b + 2048, 11, 3);
            { VF_NUMBER(x, a0[k + 3]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); VF_ADD_PRODUCT(c0_2, w2, x); }
            { VF_NUMBER(x, a1[k + 3]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); VF_ADD_PRODUCT(c1_2, w2, x); }
            { VF_NUMBER(x, a2[k + 3]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); VF_ADD_PRODUCT(c2_2, w2, x); }
            { VF_NUMBER(x, a3[k + 3]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); VF_ADD_PRODUCT(c3_2, w2, x); }
            { VF_NUMBER(x, a4[k + 3]); VF_ADD_PRODUCT(c4_0, w0, x); VF_ADD_PRODUCT(c4_1, w1, x); VF_ADD_PRODUCT(c4_2, w2, x); }
            { VF_NUMBER(x, a5[k + 3]); VF_ADD_PRODUCT(c5_0, w0, x); VF_ADD_PRODUCT(c5_1, w1, x); VF_ADD_PRODUCT(c5_2, w2, x); }
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
    }
    {
        vf_store(c + 0 * ldc + 0 * LANES, c0_0);
    }
    {
        vf_store(c + 0 * ldc + 1 * LANES, c0_1);
    }
    {
        vf_store(c + 0 * ldc + 2 * LANES, c0_2);
    }
    {
        vf_store(c + 1 * ldc + 0 * LANES, c1_0);
    }
    {
        vf_store(c + 1 * ldc + 1 * LANES, c1_1);
    }
    {
        vf_store(c + 1 * ldc + 2 * LANES, c1_2);
    }
    {
        vf_store(c + 2 * ldc + 0 * LANES, c2_0);
    }
    {
        vf_store(c + 2 * ldc + 1 * LANES, c2_1);
    }
    {
        vf_store(c + 2 * ldc + 2 * LANES, c2_2);
    }
    {
        vf_store(c + 3 * ldc + 0 * LANES, c3_0);
    }
    {
        vf_store(c + 3 * ldc + 1 * LANES, c3_1);
    }
    {
        vf_store(c + 3 * ldc + 2 * LANES, c3_2);
    }
    {
        vf_store(c + 4 * ldc + 0 * LANES, c4_0);
    }
    {
        vf_store(c + 4 * ldc + 1 * LANES, c4_1);
    }
    {
        vf_store(c + 4 * ldc + 2 * LANES, c4_2);
    }
    {
        vf_store(c + 5 * ldc + 0 * LANES, c5_0);
    }
    {
        vf_store(c + 5 * ldc + 1 * LANES, c5_1);
    }
    {
        vf_store(c + 5 * ldc + 2 * LANES, c5_2);
    }
}

#define TILE(rows) tile_##rows(a_q + m * lda, lda, panel, K, c_q + m * ldc, ldc, count)
void matmul_gemm(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *A = buf[0];
    const float *B = buf[1];
    float *C = buf[2];
    const int64_t M = arg[0];
    const int64_t N = arg[1];
    const int64_t K = arg[2];
    const int64_t lda = arg[3];
    const int64_t ldc = arg[4];
    (void)team; (void)buf; (void)arg;
    const int64_t panels = (N + WIDTH - 1) / WIDTH, blocks = (M + MR - 1) / MR;
    const int64_t units = 1 * panels * blocks;
    int64_t active = 1 + 1 * M * N * K / 32768;
    if (active > team->size) active = team->size;
    sol_share share = sol_share_of(team, units, active);
    if (team->id >= active) return;
    for (int64_t u, end; sol_share_take(&share, &u, &end);) for (int64_t run; u < end; u += run) {
        const int64_t r = u % blocks, p = u / blocks % panels, q = u / blocks / panels;
        run = blocks - r < end - u ? blocks - r : end - u;
        const int64_t count = N - p * WIDTH;
        int64_t rest = q;
        const float *a_q = A;
        const float *b_q = B;
        float *c_q = C + p * WIDTH;
        (void)rest;
        const float *panel = b_q + p * K * WIDTH;
        for (int64_t i = r; i < r + run; i++) {
            const int64_t m = i * MR;
            const int64_t left = M - m;
            if (left >= MR) {
                TILE(7);
                continue;
            }
            if (left == 6) {
                TILE(6);
            }
        }
    }
}
