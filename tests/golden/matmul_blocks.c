/* matmul_blocks: C[q][M][N] = A[q][M][K] * B[q][K][N], operands with any strides.
 *
 * A block is at most 38 x 8 rows by 5 panels of 3 vectors by 64 steps of the reduction: what is packed of both
 * operands, and partial sums, stay in L2. Threads share out the blocks.
 *   for each of this thread's (q, panels, rows): for each slice of the reduction
 *     pack [panel][k][3 * LANES] of B, unless the last block had it, and [row][k] of A
 *     for each tile of the block, rows outermost: results are written along their rows
 *       8 x 3 accumulators; what is packed next is asked for on the way */
#include "sol_team.h"
#include "sol_simd.h"
#include "sol_pack.h"
#include "sol_ahead.h"

enum { MR = 8, NV = 3, WIDTH = NV * LANES };

/* 8 rows x 3 vectors. */
static __attribute__((noinline)) void tile_8(const float *a0, int64_t lda, const float *b, int64_t K, float *part, int64_t k0, int last, float *c, int64_t ldc, int64_t count, sol_ahead *next)
{
    (void)lda, (void)count;
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
        sol_ahead_line(next);
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
    if (k0) {
c0_0 += vf_load(part + 0 * LANES); c0_1 += vf_load(part + 1 * LANES); c0_2 += vf_load(part + 2 * LANES); 
c1_0 += vf_load(part + 3 * LANES); c1_1 += vf_load(part + 4 * LANES); c1_2 += vf_load(part + 5 * LANES); 
c2_0 += vf_load(part + 6 * LANES); c2_1 += vf_load(part + 7 * LANES); c2_2 += vf_load(part + 8 * LANES); 
c3_0 += vf_load(part + 9 * LANES); c3_1 += vf_load(part + 10 * LANES); c3_2 += vf_load(part + 11 * LANES); 
c4_0 += vf_load(part + 12 * LANES); c4_1 += vf_load(part + 13 * LANES); c4_2 += vf_load(part + 14 * LANES); 
c5_0 += vf_load(part + 15 * LANES); c5_1 += vf_load(part + 16 * LANES); c5_2 += vf_load(part + 17 * LANES); 
c6_0 += vf_load(part + 18 * LANES); c6_1 += vf_load(part + 19 * LANES); c6_2 += vf_load(part + 20 * LANES); 
c7_0 += vf_load(part + 21 * LANES); c7_1 += vf_load(part + 22 * LANES); c7_2 += vf_load(part + 23 * LANES); 
    }
    if (!last) {
vf_store(part + 0 * LANES, c0_0); vf_store(part + 1 * LANES, c0_1); vf_store(part + 2 * LANES, c0_2); 
vf_store(part + 3 * LANES, c1_0); vf_store(part + 4 * LANES, c1_1); vf_store(part + 5 * LANES, c1_2); 
vf_store(part + 6 * LANES, c2_0); vf_store(part + 7 * LANES, c2_1); vf_store(part + 8 * LANES, c2_2); 
vf_store(part + 9 * LANES, c3_0); vf_store(part + 10 * LANES, c3_1); vf_store(part + 11 * LANES, c3_2); 
vf_store(part + 12 * LANES, c4_0); vf_store(part + 13 * LANES, c4_1); vf_store(part + 14 * LANES, c4_2); 
vf_store(part + 15 * LANES, c5_0); vf_store(part + 16 * LANES, c5_1); vf_store(part + 17 * LANES, c5_2); 
vf_store(part + 18 * LANES, c6_0); vf_store(part + 19 * LANES, c6_1); vf_store(part + 20 * LANES, c6_2); 
vf_store(part + 21 * LANES, c7_0); vf_store(part + 22 * LANES, c7_1); vf_store(part + 23 * LANES, c7_2); 
        return;
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
    {
        vf_store(c + 7 * ldc + 0 * LANES, c7_0);
    }
    {
        vf_store(c + 7 * ldc + 1 * LANES, c7_1);
    }
    {
        vf_store(c + 7 * ldc + 2 * LANES, c7_2);
    }
}

/* 4 rows x 3 vectors. */
static __attribute__((noinline)) void tile_4(const float *a0, int64_t lda, const float *b, int64_t K, float *part, int64_t k0, int last, float *c, int64_t ldc, int64_t count, sol_ahead *next)
{
    (void)lda, (void)count;
    const float *a1 = a0 + 1 * lda;
    const float *a2 = a0 + 2 * lda;
    const float *a3 = a0 + 3 * lda;
    int64_t k = 0;
    const int64_t stop = K;
    vf c0_0 = vf_zero(), c0_1 = vf_zero(), c0_2 = vf_zero();
    vf c1_0 = vf_zero(), c1_1 = vf_zero(), c1_2 = vf_zero();
    vf c2_0 = vf_zero(), c2_1 = vf_zero(), c2_2 = vf_zero();
    vf c3_0 = vf_zero(), c3_1 = vf_zero(), c3_2 = vf_zero();
    for (; k + 4 <= stop; k += 4, b += 12 * LANES) {
        {
            vf w0 = vf_load(b + 0 * LANES), w1 = vf_load(b + 1 * LANES), w2 = vf_load(b + 2 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1); SOL_HOLD(w2);
            { VF_NUMBER(x, a0[k + 0]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); VF_ADD_PRODUCT(c0_2, w2, x); }
            { VF_NUMBER(x, a1[k + 0]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); VF_ADD_PRODUCT(c1_2, w2, x); }
            { VF_NUMBER(x, a2[k + 0]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); VF_ADD_PRODUCT(c2_2, w2, x); }
            { VF_NUMBER(x, a3[k + 0]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); VF_ADD_PRODUCT(c3_2, w2, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 3 * LANES), w1 = vf_load(b + 4 * LANES), w2 = vf_load(b + 5 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1); SOL_HOLD(w2);
            { VF_NUMBER(x, a0[k + 1]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); VF_ADD_PRODUCT(c0_2, w2, x); }
            { VF_NUMBER(x, a1[k + 1]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); VF_ADD_PRODUCT(c1_2, w2, x); }
            { VF_NUMBER(x, a2[k + 1]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); VF_ADD_PRODUCT(c2_2, w2, x); }
            { VF_NUMBER(x, a3[k + 1]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); VF_ADD_PRODUCT(c3_2, w2, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 6 * LANES), w1 = vf_load(b + 7 * LANES), w2 = vf_load(b + 8 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1); SOL_HOLD(w2);
            { VF_NUMBER(x, a0[k + 2]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); VF_ADD_PRODUCT(c0_2, w2, x); }
            { VF_NUMBER(x, a1[k + 2]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); VF_ADD_PRODUCT(c1_2, w2, x); }
            { VF_NUMBER(x, a2[k + 2]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); VF_ADD_PRODUCT(c2_2, w2, x); }
            { VF_NUMBER(x, a3[k + 2]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); VF_ADD_PRODUCT(c3_2, w2, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 9 * LANES), w1 = vf_load(b + 10 * LANES), w2 = vf_load(b + 11 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1); SOL_HOLD(w2);
            { VF_NUMBER(x, a0[k + 3]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); VF_ADD_PRODUCT(c0_2, w2, x); }
            { VF_NUMBER(x, a1[k + 3]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); VF_ADD_PRODUCT(c1_2, w2, x); }
            { VF_NUMBER(x, a2[k + 3]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); VF_ADD_PRODUCT(c2_2, w2, x); }
            { VF_NUMBER(x, a3[k + 3]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); VF_ADD_PRODUCT(c3_2, w2, x); }
        }
        SOL_FENCE();
        sol_ahead_line(next);
    }
    for (; k < stop; k++, b += 3 * LANES) {
        const vf w0 = vf_load(b + 0 * LANES), w1 = vf_load(b + 1 * LANES), w2 = vf_load(b + 2 * LANES);
        { const float x = a0[k]; c0_0 += w0 * x; c0_1 += w1 * x; c0_2 += w2 * x; }
        { const float x = a1[k]; c1_0 += w0 * x; c1_1 += w1 * x; c1_2 += w2 * x; }
        { const float x = a2[k]; c2_0 += w0 * x; c2_1 += w1 * x; c2_2 += w2 * x; }
        { const float x = a3[k]; c3_0 += w0 * x; c3_1 += w1 * x; c3_2 += w2 * x; }
    }
    if (k0) {
c0_0 += vf_load(part + 0 * LANES); c0_1 += vf_load(part + 1 * LANES); c0_2 += vf_load(part + 2 * LANES); 
c1_0 += vf_load(part + 3 * LANES); c1_1 += vf_load(part + 4 * LANES); c1_2 += vf_load(part + 5 * LANES); 
c2_0 += vf_load(part + 6 * LANES); c2_1 += vf_load(part + 7 * LANES); c2_2 += vf_load(part + 8 * LANES); 
c3_0 += vf_load(part + 9 * LANES); c3_1 += vf_load(part + 10 * LANES); c3_2 += vf_load(part + 11 * LANES); 
    }
    if (!last) {
vf_store(part + 0 * LANES, c0_0); vf_store(part + 1 * LANES, c0_1); vf_store(part + 2 * LANES, c0_2); 
vf_store(part + 3 * LANES, c1_0); vf_store(part + 4 * LANES, c1_1); vf_store(part + 5 * LANES, c1_2); 
vf_store(part + 6 * LANES, c2_0); vf_store(part + 7 * LANES, c2_1); vf_store(part + 8 * LANES, c2_2); 
vf_store(part + 9 * LANES, c3_0); vf_store(part + 10 * LANES, c3_1); vf_store(part + 11 * LANES, c3_2); 
        return;
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
}

#define TILE(rows) tile_##rows(packed_a + (i - r) * MR * depth, depth, panel, kc, part, k0, last, c_q + m * ldc, ldc, count, &next)
enum { ROWS = 38, PANELS = 5, HIGH = 1, WIDE = 2, SLICE = 64 };

void matmul_blocks(const sol_team *team, void *const *buf, const int64_t *arg)
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
    int64_t active = 1 + 1 * M * N * K / 32768;
    if (active > team->size) active = team->size;
    if (team->id >= active) return;
    float *const packed_b = (float *)team->scratch, *const packed_a = packed_b + PANELS * WIDTH * SLICE;
    float *const partial = packed_a + ROWS * MR * SLICE;
    (void)partial;
    int64_t have = -1;
    const int64_t above = 0, own = HIGH;
    sol_share units = sol_share_of(team, 1 * WIDE * HIGH, active);
    for (int64_t u, end; sol_share_take(&units, &u, &end);) for (; u < end; u++) {
        const int64_t i0 = above + u % own, j0 = u / own % WIDE;
        const int64_t r = blocks * i0 / HIGH, first = panels * j0 / WIDE;
        const int64_t r_end = blocks * (i0 + 1) / HIGH, p_end = panels * (j0 + 1) / WIDE;
        const int64_t top = r * MR, height = (r_end * MR < M ? r_end * MR : M) - top;
        const int64_t left_column = first * WIDTH;
        int64_t rest = u / own / WIDE;
        const float *a_q = A + top * lda, *b_q = B + left_column * B_n;
        float *c_q0 = C;
        (void)rest;
const int64_t columns = (p_end * WIDTH < N ? p_end * WIDTH : N) - left_column;
        for (int64_t k0 = 0, kc; k0 < K; k0 += kc) {
            kc = K - k0 < SLICE ? K - k0 : SLICE;
            const int last = k0 + kc == K;
            const int64_t depth = (kc + LANES - 1) / LANES * LANES;
            if (K > SLICE || have != u / own) sol_pack_panels(packed_b, b_q + k0 * B_k, B_k, B_n, kc, columns, NV);
            sol_pack_panels(packed_a, a_q + k0 * A_k, lda, A_k, height, kc, (int)(depth / LANES));
            sol_runs ahead_a = {0}, ahead_b = {0};
            if (!last) {
                const int64_t k1 = k0 + kc, steps = K - k1 < SLICE ? K - k1 : SLICE;
                ahead_a = sol_runs_of(a_q + k1 * A_k, lda, height, A_k, steps);
                ahead_b = sol_runs_of(b_q + k1 * B_k, B_k, steps, B_n, columns);
            }
            else if (u + 1 < end) {
                const int64_t i1 = above + (u + 1) % own, j1 = (u + 1) / own, steps = K < SLICE ? K : SLICE;
                const int64_t m = blocks * i1 / HIGH * MR, n = panels * j1 / WIDE * WIDTH;
                const int64_t m_end = blocks * (i1 + 1) / HIGH * MR, n_end = panels * (j1 + 1) / WIDE * WIDTH;
                ahead_a = sol_runs_of(A + m * lda, lda, (m_end < M ? m_end : M) - m, A_k, steps);
                if (K > SLICE || n != left_column) ahead_b = sol_runs_of(B + n * B_n, B_k, steps, B_n, (n_end < N ? n_end : N) - n);
            }
            sol_ahead next = sol_ahead_of(ahead_a, ahead_b);
            for (int64_t i = r; i < r_end; i++)
                for (int64_t p = first; p < p_end; p++) {
                    const int64_t m = i * MR, left = M - m, count = N - p * WIDTH;
                    const float *panel = packed_b + (p - first) * kc * WIDTH;
                    float *const part = partial + ((i - r) * PANELS + p - first) * MR * WIDTH;
                    float *c_q = c_q0 + p * WIDTH;
                    (void)left, (void)part;
                    if (left >= MR) TILE(8);
                    else TILE(4);
                }
        }
        have = u / own;
    }
}
