/* matmul_weight_only_digits_4: C[q][M][N] = A[q][M][K] * W^T; W[n][k] = (B[n][k]) * scales[n][g], g = k / group.
 *
 * B in panels of 2 vectors of dwords, each of 8 integers, [panel][K / 8][2 * LANES], scales as [panel][g][2 * LANES].
 * At most 8 rows, for each of this thread's (q, panel): all rows at once
 *   for each group, in slices of at most 256 steps: A times integers, added up in registers, then scaled and added to the totals
 * At most 3 rows whose numbers are finite, and not tiny: each number is an integer of 4 bytes times a power of two of its slice,
 *   and its bytes are multiplied by integers of the weight, four at a time (sol_digits.h)
 * More rows, for each of this thread's (q, panel, 64 blocks of 8 rows): for each slice of at most 256 steps
 *   dequantize the slice of the panel, which stays in the cache; for each block of rows 8 x 2 accumulators, partial sums wait in scratch
 * Options: 0 batch dimensions. */
#include "sol_team.h"
#include "sol_codes.h"
#include "sol_digits.h"
#include "sol_pack.h"

enum { STEPS = 8, SLICE = 256, DIGITS = 4 };
enum { MR = 8, NV = 2, WIDTH = NV * LANES };

/* 8 rows x 2 vectors. */
static __attribute__((noinline)) void tile_8(const float *a0, int64_t lda, const float *b, int64_t K, float *part, int64_t k0, int last, float *c, int64_t ldc, int64_t count)
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
    vf c0_0 = vf_zero(), c0_1 = vf_zero();
    vf c1_0 = vf_zero(), c1_1 = vf_zero();
    vf c2_0 = vf_zero(), c2_1 = vf_zero();
    vf c3_0 = vf_zero(), c3_1 = vf_zero();
    vf c4_0 = vf_zero(), c4_1 = vf_zero();
    vf c5_0 = vf_zero(), c5_1 = vf_zero();
    vf c6_0 = vf_zero(), c6_1 = vf_zero();
    vf c7_0 = vf_zero(), c7_1 = vf_zero();
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
            { VF_NUMBER(x, a6[k + 0]); VF_ADD_PRODUCT(c6_0, w0, x); VF_ADD_PRODUCT(c6_1, w1, x); }
            { VF_NUMBER(x, a7[k + 0]); VF_ADD_PRODUCT(c7_0, w0, x); VF_ADD_PRODUCT(c7_1, w1, x); }
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
            { VF_NUMBER(x, a6[k + 1]); VF_ADD_PRODUCT(c6_0, w0, x); VF_ADD_PRODUCT(c6_1, w1, x); }
            { VF_NUMBER(x, a7[k + 1]); VF_ADD_PRODUCT(c7_0, w0, x); VF_ADD_PRODUCT(c7_1, w1, x); }
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
            { VF_NUMBER(x, a6[k + 2]); VF_ADD_PRODUCT(c6_0, w0, x); VF_ADD_PRODUCT(c6_1, w1, x); }
            { VF_NUMBER(x, a7[k + 2]); VF_ADD_PRODUCT(c7_0, w0, x); VF_ADD_PRODUCT(c7_1, w1, x); }
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
            { VF_NUMBER(x, a6[k + 3]); VF_ADD_PRODUCT(c6_0, w0, x); VF_ADD_PRODUCT(c6_1, w1, x); }
            { VF_NUMBER(x, a7[k + 3]); VF_ADD_PRODUCT(c7_0, w0, x); VF_ADD_PRODUCT(c7_1, w1, x); }
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
        { const float x = a6[k]; c6_0 += w0 * x; c6_1 += w1 * x; }
        { const float x = a7[k]; c7_0 += w0 * x; c7_1 += w1 * x; }
    }
    if (k0) {
c0_0 += vf_load(part + 0 * LANES); c0_1 += vf_load(part + 1 * LANES); 
c1_0 += vf_load(part + 2 * LANES); c1_1 += vf_load(part + 3 * LANES); 
c2_0 += vf_load(part + 4 * LANES); c2_1 += vf_load(part + 5 * LANES); 
c3_0 += vf_load(part + 6 * LANES); c3_1 += vf_load(part + 7 * LANES); 
c4_0 += vf_load(part + 8 * LANES); c4_1 += vf_load(part + 9 * LANES); 
c5_0 += vf_load(part + 10 * LANES); c5_1 += vf_load(part + 11 * LANES); 
c6_0 += vf_load(part + 12 * LANES); c6_1 += vf_load(part + 13 * LANES); 
c7_0 += vf_load(part + 14 * LANES); c7_1 += vf_load(part + 15 * LANES); 
    }
    if (!last) {
vf_store(part + 0 * LANES, c0_0); vf_store(part + 1 * LANES, c0_1); 
vf_store(part + 2 * LANES, c1_0); vf_store(part + 3 * LANES, c1_1); 
vf_store(part + 4 * LANES, c2_0); vf_store(part + 5 * LANES, c2_1); 
vf_store(part + 6 * LANES, c3_0); vf_store(part + 7 * LANES, c3_1); 
vf_store(part + 8 * LANES, c4_0); vf_store(part + 9 * LANES, c4_1); 
vf_store(part + 10 * LANES, c5_0); vf_store(part + 11 * LANES, c5_1); 
vf_store(part + 12 * LANES, c6_0); vf_store(part + 13 * LANES, c6_1); 
vf_store(part + 14 * LANES, c7_0); vf_store(part + 15 * LANES, c7_1); 
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
    {
        vf_store(c + 6 * ldc + 0 * LANES, c6_0);
    }
    {
        vf_store(c + 6 * ldc + 1 * LANES, c6_1);
    }
    {
        vf_store(c + 7 * ldc + 0 * LANES, c7_0);
    }
    {
        vf_store(c + 7 * ldc + 1 * LANES, c7_1);
    }
}

/* 4 rows x 2 vectors. */
static __attribute__((noinline)) void tile_4(const float *a0, int64_t lda, const float *b, int64_t K, float *part, int64_t k0, int last, float *c, int64_t ldc, int64_t count)
{
    (void)lda, (void)count;
    const float *a1 = a0 + 1 * lda;
    const float *a2 = a0 + 2 * lda;
    const float *a3 = a0 + 3 * lda;
    int64_t k = 0;
    const int64_t stop = K;
    vf c0_0 = vf_zero(), c0_1 = vf_zero();
    vf c1_0 = vf_zero(), c1_1 = vf_zero();
    vf c2_0 = vf_zero(), c2_1 = vf_zero();
    vf c3_0 = vf_zero(), c3_1 = vf_zero();
    for (; k + 4 <= stop; k += 4, b += 8 * LANES) {
        {
            vf w0 = vf_load(b + 0 * LANES), w1 = vf_load(b + 1 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1);
            { VF_NUMBER(x, a0[k + 0]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); }
            { VF_NUMBER(x, a1[k + 0]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); }
            { VF_NUMBER(x, a2[k + 0]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); }
            { VF_NUMBER(x, a3[k + 0]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 2 * LANES), w1 = vf_load(b + 3 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1);
            { VF_NUMBER(x, a0[k + 1]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); }
            { VF_NUMBER(x, a1[k + 1]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); }
            { VF_NUMBER(x, a2[k + 1]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); }
            { VF_NUMBER(x, a3[k + 1]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 4 * LANES), w1 = vf_load(b + 5 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1);
            { VF_NUMBER(x, a0[k + 2]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); }
            { VF_NUMBER(x, a1[k + 2]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); }
            { VF_NUMBER(x, a2[k + 2]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); }
            { VF_NUMBER(x, a3[k + 2]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 6 * LANES), w1 = vf_load(b + 7 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1);
            { VF_NUMBER(x, a0[k + 3]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); }
            { VF_NUMBER(x, a1[k + 3]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); }
            { VF_NUMBER(x, a2[k + 3]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); }
            { VF_NUMBER(x, a3[k + 3]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); }
        }
        SOL_FENCE();
    }
    for (; k < stop; k++, b += 2 * LANES) {
        const vf w0 = vf_load(b + 0 * LANES), w1 = vf_load(b + 1 * LANES);
        { const float x = a0[k]; c0_0 += w0 * x; c0_1 += w1 * x; }
        { const float x = a1[k]; c1_0 += w0 * x; c1_1 += w1 * x; }
        { const float x = a2[k]; c2_0 += w0 * x; c2_1 += w1 * x; }
        { const float x = a3[k]; c3_0 += w0 * x; c3_1 += w1 * x; }
    }
    if (k0) {
c0_0 += vf_load(part + 0 * LANES); c0_1 += vf_load(part + 1 * LANES); 
c1_0 += vf_load(part + 2 * LANES); c1_1 += vf_load(part + 3 * LANES); 
c2_0 += vf_load(part + 4 * LANES); c2_1 += vf_load(part + 5 * LANES); 
c3_0 += vf_load(part + 6 * LANES); c3_1 += vf_load(part + 7 * LANES); 
    }
    if (!last) {
vf_store(part + 0 * LANES, c0_0); vf_store(part + 1 * LANES, c0_1); 
vf_store(part + 2 * LANES, c1_0); vf_store(part + 3 * LANES, c1_1); 
vf_store(part + 4 * LANES, c2_0); vf_store(part + 5 * LANES, c2_1); 
vf_store(part + 6 * LANES, c3_0); vf_store(part + 7 * LANES, c3_1); 
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
}

/* 2 rows x 2 vectors. */
static __attribute__((noinline)) void tile_2(const float *a0, int64_t lda, const float *b, int64_t K, float *part, int64_t k0, int last, float *c, int64_t ldc, int64_t count)
{
    (void)lda, (void)count;
    const float *a1 = a0 + 1 * lda;
    int64_t k = 0;
    const int64_t stop = K;
    vf c0_0 = vf_zero(), c0_1 = vf_zero();
    vf c1_0 = vf_zero(), c1_1 = vf_zero();
    vf c0_0_1 = vf_zero(), c0_1_1 = vf_zero();
    vf c1_0_1 = vf_zero(), c1_1_1 = vf_zero();
    for (; k + 4 <= stop; k += 4, b += 8 * LANES) {
        {
            vf w0 = vf_load(b + 0 * LANES), w1 = vf_load(b + 1 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1);
            { VF_NUMBER(x, a0[k + 0]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); }
            { VF_NUMBER(x, a1[k + 0]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 2 * LANES), w1 = vf_load(b + 3 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1);
            { VF_NUMBER(x, a0[k + 1]); VF_ADD_PRODUCT(c0_0_1, w0, x); VF_ADD_PRODUCT(c0_1_1, w1, x); }
            { VF_NUMBER(x, a1[k + 1]); VF_ADD_PRODUCT(c1_0_1, w0, x); VF_ADD_PRODUCT(c1_1_1, w1, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 4 * LANES), w1 = vf_load(b + 5 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1);
            { VF_NUMBER(x, a0[k + 2]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); }
            { VF_NUMBER(x, a1[k + 2]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 6 * LANES), w1 = vf_load(b + 7 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1);
            { VF_NUMBER(x, a0[k + 3]); VF_ADD_PRODUCT(c0_0_1, w0, x); VF_ADD_PRODUCT(c0_1_1, w1, x); }
            { VF_NUMBER(x, a1[k + 3]); VF_ADD_PRODUCT(c1_0_1, w0, x); VF_ADD_PRODUCT(c1_1_1, w1, x); }
        }
        SOL_FENCE();
    }
    for (; k < stop; k++, b += 2 * LANES) {
        const vf w0 = vf_load(b + 0 * LANES), w1 = vf_load(b + 1 * LANES);
        { const float x = a0[k]; c0_0 += w0 * x; c0_1 += w1 * x; }
        { const float x = a1[k]; c1_0 += w0 * x; c1_1 += w1 * x; }
    }
c0_0 += c0_0_1; c0_1 += c0_1_1; 
c1_0 += c1_0_1; c1_1 += c1_1_1; 
    if (k0) {
c0_0 += vf_load(part + 0 * LANES); c0_1 += vf_load(part + 1 * LANES); 
c1_0 += vf_load(part + 2 * LANES); c1_1 += vf_load(part + 3 * LANES); 
    }
    if (!last) {
vf_store(part + 0 * LANES, c0_0); vf_store(part + 1 * LANES, c0_1); 
vf_store(part + 2 * LANES, c1_0); vf_store(part + 3 * LANES, c1_1); 
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
}

/* 1 rows x 2 vectors. */
static __attribute__((noinline)) void tile_1(const float *a0, int64_t lda, const float *b, int64_t K, float *part, int64_t k0, int last, float *c, int64_t ldc, int64_t count)
{
    (void)lda, (void)count;
    int64_t k = 0;
    const int64_t stop = K;
    vf c0_0 = vf_zero(), c0_1 = vf_zero();
    vf c0_0_1 = vf_zero(), c0_1_1 = vf_zero();
    vf c0_0_2 = vf_zero(), c0_1_2 = vf_zero();
    vf c0_0_3 = vf_zero(), c0_1_3 = vf_zero();
    for (; k + 4 <= stop; k += 4, b += 8 * LANES) {
        {
            vf w0 = vf_load(b + 0 * LANES), w1 = vf_load(b + 1 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1);
            { VF_NUMBER(x, a0[k + 0]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 2 * LANES), w1 = vf_load(b + 3 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1);
            { VF_NUMBER(x, a0[k + 1]); VF_ADD_PRODUCT(c0_0_1, w0, x); VF_ADD_PRODUCT(c0_1_1, w1, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 4 * LANES), w1 = vf_load(b + 5 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1);
            { VF_NUMBER(x, a0[k + 2]); VF_ADD_PRODUCT(c0_0_2, w0, x); VF_ADD_PRODUCT(c0_1_2, w1, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 6 * LANES), w1 = vf_load(b + 7 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1);
            { VF_NUMBER(x, a0[k + 3]); VF_ADD_PRODUCT(c0_0_3, w0, x); VF_ADD_PRODUCT(c0_1_3, w1, x); }
        }
        SOL_FENCE();
    }
    for (; k < stop; k++, b += 2 * LANES) {
        const vf w0 = vf_load(b + 0 * LANES), w1 = vf_load(b + 1 * LANES);
        { const float x = a0[k]; c0_0 += w0 * x; c0_1 += w1 * x; }
    }
c0_0 += c0_0_1; c0_1 += c0_1_1; 
c0_0 += c0_0_2; c0_1 += c0_1_2; 
c0_0 += c0_0_3; c0_1 += c0_1_3; 
    if (k0) {
c0_0 += vf_load(part + 0 * LANES); c0_1 += vf_load(part + 1 * LANES); 
    }
    if (!last) {
vf_store(part + 0 * LANES, c0_0); vf_store(part + 1 * LANES, c0_1); 
        return;
    }
    {
        vf_store(c + 0 * ldc + 0 * LANES, c0_0);
    }
    {
        vf_store(c + 0 * ldc + 1 * LANES, c0_1);
    }
}

/* 8 rows x 1 vectors, count columns exist. */
static __attribute__((noinline)) void tile_8_ragged(const float *a0, int64_t lda, const float *b, int64_t K, float *part, int64_t k0, int last, float *c, int64_t ldc, int64_t count)
{
    (void)lda, (void)count;
    const int n0 = sol_lanes(count, 0);
    const float *a1 = a0 + 1 * lda;
    const float *a2 = a0 + 2 * lda;
    const float *a3 = a0 + 3 * lda;
    const float *a4 = a0 + 4 * lda;
    const float *a5 = a0 + 5 * lda;
    const float *a6 = a0 + 6 * lda;
    const float *a7 = a0 + 7 * lda;
    int64_t k = 0;
    const int64_t stop = K;
    vf c0_0 = vf_zero();
    vf c1_0 = vf_zero();
    vf c2_0 = vf_zero();
    vf c3_0 = vf_zero();
    vf c4_0 = vf_zero();
    vf c5_0 = vf_zero();
    vf c6_0 = vf_zero();
    vf c7_0 = vf_zero();
    for (; k + 4 <= stop; k += 4, b += 4 * LANES) {
        {
            vf w0 = vf_load(b + 0 * LANES);
            SOL_HOLD(w0);
            { VF_NUMBER(x, a0[k + 0]); VF_ADD_PRODUCT(c0_0, w0, x); }
            { VF_NUMBER(x, a1[k + 0]); VF_ADD_PRODUCT(c1_0, w0, x); }
            { VF_NUMBER(x, a2[k + 0]); VF_ADD_PRODUCT(c2_0, w0, x); }
            { VF_NUMBER(x, a3[k + 0]); VF_ADD_PRODUCT(c3_0, w0, x); }
            { VF_NUMBER(x, a4[k + 0]); VF_ADD_PRODUCT(c4_0, w0, x); }
            { VF_NUMBER(x, a5[k + 0]); VF_ADD_PRODUCT(c5_0, w0, x); }
            { VF_NUMBER(x, a6[k + 0]); VF_ADD_PRODUCT(c6_0, w0, x); }
            { VF_NUMBER(x, a7[k + 0]); VF_ADD_PRODUCT(c7_0, w0, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 1 * LANES);
            SOL_HOLD(w0);
            { VF_NUMBER(x, a0[k + 1]); VF_ADD_PRODUCT(c0_0, w0, x); }
            { VF_NUMBER(x, a1[k + 1]); VF_ADD_PRODUCT(c1_0, w0, x); }
            { VF_NUMBER(x, a2[k + 1]); VF_ADD_PRODUCT(c2_0, w0, x); }
            { VF_NUMBER(x, a3[k + 1]); VF_ADD_PRODUCT(c3_0, w0, x); }
            { VF_NUMBER(x, a4[k + 1]); VF_ADD_PRODUCT(c4_0, w0, x); }
            { VF_NUMBER(x, a5[k + 1]); VF_ADD_PRODUCT(c5_0, w0, x); }
            { VF_NUMBER(x, a6[k + 1]); VF_ADD_PRODUCT(c6_0, w0, x); }
            { VF_NUMBER(x, a7[k + 1]); VF_ADD_PRODUCT(c7_0, w0, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 2 * LANES);
            SOL_HOLD(w0);
            { VF_NUMBER(x, a0[k + 2]); VF_ADD_PRODUCT(c0_0, w0, x); }
            { VF_NUMBER(x, a1[k + 2]); VF_ADD_PRODUCT(c1_0, w0, x); }
            { VF_NUMBER(x, a2[k + 2]); VF_ADD_PRODUCT(c2_0, w0, x); }
            { VF_NUMBER(x, a3[k + 2]); VF_ADD_PRODUCT(c3_0, w0, x); }
            { VF_NUMBER(x, a4[k + 2]); VF_ADD_PRODUCT(c4_0, w0, x); }
            { VF_NUMBER(x, a5[k + 2]); VF_ADD_PRODUCT(c5_0, w0, x); }
            { VF_NUMBER(x, a6[k + 2]); VF_ADD_PRODUCT(c6_0, w0, x); }
            { VF_NUMBER(x, a7[k + 2]); VF_ADD_PRODUCT(c7_0, w0, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 3 * LANES);
            SOL_HOLD(w0);
            { VF_NUMBER(x, a0[k + 3]); VF_ADD_PRODUCT(c0_0, w0, x); }
            { VF_NUMBER(x, a1[k + 3]); VF_ADD_PRODUCT(c1_0, w0, x); }
            { VF_NUMBER(x, a2[k + 3]); VF_ADD_PRODUCT(c2_0, w0, x); }
            { VF_NUMBER(x, a3[k + 3]); VF_ADD_PRODUCT(c3_0, w0, x); }
            { VF_NUMBER(x, a4[k + 3]); VF_ADD_PRODUCT(c4_0, w0, x); }
            { VF_NUMBER(x, a5[k + 3]); VF_ADD_PRODUCT(c5_0, w0, x); }
            { VF_NUMBER(x, a6[k + 3]); VF_ADD_PRODUCT(c6_0, w0, x); }
            { VF_NUMBER(x, a7[k + 3]); VF_ADD_PRODUCT(c7_0, w0, x); }
        }
        SOL_FENCE();
    }
    for (; k < stop; k++, b += 1 * LANES) {
        const vf w0 = vf_load(b + 0 * LANES);
        { const float x = a0[k]; c0_0 += w0 * x; }
        { const float x = a1[k]; c1_0 += w0 * x; }
        { const float x = a2[k]; c2_0 += w0 * x; }
        { const float x = a3[k]; c3_0 += w0 * x; }
        { const float x = a4[k]; c4_0 += w0 * x; }
        { const float x = a5[k]; c5_0 += w0 * x; }
        { const float x = a6[k]; c6_0 += w0 * x; }
        { const float x = a7[k]; c7_0 += w0 * x; }
    }
    if (k0) {
c0_0 += vf_load(part + 0 * LANES); 
c1_0 += vf_load(part + 1 * LANES); 
c2_0 += vf_load(part + 2 * LANES); 
c3_0 += vf_load(part + 3 * LANES); 
c4_0 += vf_load(part + 4 * LANES); 
c5_0 += vf_load(part + 5 * LANES); 
c6_0 += vf_load(part + 6 * LANES); 
c7_0 += vf_load(part + 7 * LANES); 
    }
    if (!last) {
vf_store(part + 0 * LANES, c0_0); 
vf_store(part + 1 * LANES, c1_0); 
vf_store(part + 2 * LANES, c2_0); 
vf_store(part + 3 * LANES, c3_0); 
vf_store(part + 4 * LANES, c4_0); 
vf_store(part + 5 * LANES, c5_0); 
vf_store(part + 6 * LANES, c6_0); 
vf_store(part + 7 * LANES, c7_0); 
        return;
    }
    {
        vf_store_n(c + 0 * ldc + 0 * LANES, c0_0, n0);
    }
    {
        vf_store_n(c + 1 * ldc + 0 * LANES, c1_0, n0);
    }
    {
        vf_store_n(c + 2 * ldc + 0 * LANES, c2_0, n0);
    }
    {
        vf_store_n(c + 3 * ldc + 0 * LANES, c3_0, n0);
    }
    {
        vf_store_n(c + 4 * ldc + 0 * LANES, c4_0, n0);
    }
    {
        vf_store_n(c + 5 * ldc + 0 * LANES, c5_0, n0);
    }
    {
        vf_store_n(c + 6 * ldc + 0 * LANES, c6_0, n0);
    }
    {
        vf_store_n(c + 7 * ldc + 0 * LANES, c7_0, n0);
    }
}

/* 4 rows x 1 vectors, count columns exist. */
static __attribute__((noinline)) void tile_4_ragged(const float *a0, int64_t lda, const float *b, int64_t K, float *part, int64_t k0, int last, float *c, int64_t ldc, int64_t count)
{
    (void)lda, (void)count;
    const int n0 = sol_lanes(count, 0);
    const float *a1 = a0 + 1 * lda;
    const float *a2 = a0 + 2 * lda;
    const float *a3 = a0 + 3 * lda;
    int64_t k = 0;
    const int64_t stop = K;
    vf c0_0 = vf_zero();
    vf c1_0 = vf_zero();
    vf c2_0 = vf_zero();
    vf c3_0 = vf_zero();
    for (; k + 4 <= stop; k += 4, b += 4 * LANES) {
        {
            vf w0 = vf_load(b + 0 * LANES);
            SOL_HOLD(w0);
            { VF_NUMBER(x, a0[k + 0]); VF_ADD_PRODUCT(c0_0, w0, x); }
            { VF_NUMBER(x, a1[k + 0]); VF_ADD_PRODUCT(c1_0, w0, x); }
            { VF_NUMBER(x, a2[k + 0]); VF_ADD_PRODUCT(c2_0, w0, x); }
            { VF_NUMBER(x, a3[k + 0]); VF_ADD_PRODUCT(c3_0, w0, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 1 * LANES);
            SOL_HOLD(w0);
            { VF_NUMBER(x, a0[k + 1]); VF_ADD_PRODUCT(c0_0, w0, x); }
            { VF_NUMBER(x, a1[k + 1]); VF_ADD_PRODUCT(c1_0, w0, x); }
            { VF_NUMBER(x, a2[k + 1]); VF_ADD_PRODUCT(c2_0, w0, x); }
            { VF_NUMBER(x, a3[k + 1]); VF_ADD_PRODUCT(c3_0, w0, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 2 * LANES);
            SOL_HOLD(w0);
            { VF_NUMBER(x, a0[k + 2]); VF_ADD_PRODUCT(c0_0, w0, x); }
            { VF_NUMBER(x, a1[k + 2]); VF_ADD_PRODUCT(c1_0, w0, x); }
            { VF_NUMBER(x, a2[k + 2]); VF_ADD_PRODUCT(c2_0, w0, x); }
            { VF_NUMBER(x, a3[k + 2]); VF_ADD_PRODUCT(c3_0, w0, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 3 * LANES);
            SOL_HOLD(w0);
            { VF_NUMBER(x, a0[k + 3]); VF_ADD_PRODUCT(c0_0, w0, x); }
            { VF_NUMBER(x, a1[k + 3]); VF_ADD_PRODUCT(c1_0, w0, x); }
            { VF_NUMBER(x, a2[k + 3]); VF_ADD_PRODUCT(c2_0, w0, x); }
            { VF_NUMBER(x, a3[k + 3]); VF_ADD_PRODUCT(c3_0, w0, x); }
        }
        SOL_FENCE();
    }
    for (; k < stop; k++, b += 1 * LANES) {
        const vf w0 = vf_load(b + 0 * LANES);
        { const float x = a0[k]; c0_0 += w0 * x; }
        { const float x = a1[k]; c1_0 += w0 * x; }
        { const float x = a2[k]; c2_0 += w0 * x; }
        { const float x = a3[k]; c3_0 += w0 * x; }
    }
    if (k0) {
c0_0 += vf_load(part + 0 * LANES); 
c1_0 += vf_load(part + 1 * LANES); 
c2_0 += vf_load(part + 2 * LANES); 
c3_0 += vf_load(part + 3 * LANES); 
    }
    if (!last) {
vf_store(part + 0 * LANES, c0_0); 
vf_store(part + 1 * LANES, c1_0); 
vf_store(part + 2 * LANES, c2_0); 
vf_store(part + 3 * LANES, c3_0); 
        return;
    }
    {
        vf_store_n(c + 0 * ldc + 0 * LANES, c0_0, n0);
    }
    {
        vf_store_n(c + 1 * ldc + 0 * LANES, c1_0, n0);
    }
    {
        vf_store_n(c + 2 * ldc + 0 * LANES, c2_0, n0);
    }
    {
        vf_store_n(c + 3 * ldc + 0 * LANES, c3_0, n0);
    }
}

/* 2 rows x 1 vectors, count columns exist. */
static __attribute__((noinline)) void tile_2_ragged(const float *a0, int64_t lda, const float *b, int64_t K, float *part, int64_t k0, int last, float *c, int64_t ldc, int64_t count)
{
    (void)lda, (void)count;
    const int n0 = sol_lanes(count, 0);
    const float *a1 = a0 + 1 * lda;
    int64_t k = 0;
    const int64_t stop = K;
    vf c0_0 = vf_zero();
    vf c1_0 = vf_zero();
    vf c0_0_1 = vf_zero();
    vf c1_0_1 = vf_zero();
    for (; k + 4 <= stop; k += 4, b += 4 * LANES) {
        {
            vf w0 = vf_load(b + 0 * LANES);
            SOL_HOLD(w0);
            { VF_NUMBER(x, a0[k + 0]); VF_ADD_PRODUCT(c0_0, w0, x); }
            { VF_NUMBER(x, a1[k + 0]); VF_ADD_PRODUCT(c1_0, w0, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 1 * LANES);
            SOL_HOLD(w0);
            { VF_NUMBER(x, a0[k + 1]); VF_ADD_PRODUCT(c0_0_1, w0, x); }
            { VF_NUMBER(x, a1[k + 1]); VF_ADD_PRODUCT(c1_0_1, w0, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 2 * LANES);
            SOL_HOLD(w0);
            { VF_NUMBER(x, a0[k + 2]); VF_ADD_PRODUCT(c0_0, w0, x); }
            { VF_NUMBER(x, a1[k + 2]); VF_ADD_PRODUCT(c1_0, w0, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 3 * LANES);
            SOL_HOLD(w0);
            { VF_NUMBER(x, a0[k + 3]); VF_ADD_PRODUCT(c0_0_1, w0, x); }
            { VF_NUMBER(x, a1[k + 3]); VF_ADD_PRODUCT(c1_0_1, w0, x); }
        }
        SOL_FENCE();
    }
    for (; k < stop; k++, b += 1 * LANES) {
        const vf w0 = vf_load(b + 0 * LANES);
        { const float x = a0[k]; c0_0 += w0 * x; }
        { const float x = a1[k]; c1_0 += w0 * x; }
    }
c0_0 += c0_0_1; 
c1_0 += c1_0_1; 
    if (k0) {
c0_0 += vf_load(part + 0 * LANES); 
c1_0 += vf_load(part + 1 * LANES); 
    }
    if (!last) {
vf_store(part + 0 * LANES, c0_0); 
vf_store(part + 1 * LANES, c1_0); 
        return;
    }
    {
        vf_store_n(c + 0 * ldc + 0 * LANES, c0_0, n0);
    }
    {
        vf_store_n(c + 1 * ldc + 0 * LANES, c1_0, n0);
    }
}

/* 1 rows x 1 vectors, count columns exist. */
static __attribute__((noinline)) void tile_1_ragged(const float *a0, int64_t lda, const float *b, int64_t K, float *part, int64_t k0, int last, float *c, int64_t ldc, int64_t count)
{
    (void)lda, (void)count;
    const int n0 = sol_lanes(count, 0);
    int64_t k = 0;
    const int64_t stop = K;
    vf c0_0 = vf_zero();
    vf c0_0_1 = vf_zero();
    vf c0_0_2 = vf_zero();
    vf c0_0_3 = vf_zero();
    for (; k + 4 <= stop; k += 4, b += 4 * LANES) {
        {
            vf w0 = vf_load(b + 0 * LANES);
            SOL_HOLD(w0);
            { VF_NUMBER(x, a0[k + 0]); VF_ADD_PRODUCT(c0_0, w0, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 1 * LANES);
            SOL_HOLD(w0);
            { VF_NUMBER(x, a0[k + 1]); VF_ADD_PRODUCT(c0_0_1, w0, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 2 * LANES);
            SOL_HOLD(w0);
            { VF_NUMBER(x, a0[k + 2]); VF_ADD_PRODUCT(c0_0_2, w0, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 3 * LANES);
            SOL_HOLD(w0);
            { VF_NUMBER(x, a0[k + 3]); VF_ADD_PRODUCT(c0_0_3, w0, x); }
        }
        SOL_FENCE();
    }
    for (; k < stop; k++, b += 1 * LANES) {
        const vf w0 = vf_load(b + 0 * LANES);
        { const float x = a0[k]; c0_0 += w0 * x; }
    }
c0_0 += c0_0_1; 
c0_0 += c0_0_2; 
c0_0 += c0_0_3; 
    if (k0) {
c0_0 += vf_load(part + 0 * LANES); 
    }
    if (!last) {
vf_store(part + 0 * LANES, c0_0); 
        return;
    }
    {
        vf_store_n(c + 0 * ldc + 0 * LANES, c0_0, n0);
    }
}

#define TILE(rows) (count < WIDTH ? tile_##rows##_ragged : tile_##rows)(a_q + m * lda + k0, lda, unpacked, kc, partial + (m - r * MR) * WIDTH, k0, last, c_q + m * ldc, ldc, count)
/* 8 rows x 2 vectors. */
static __attribute__((noinline)) void few_tile_8(const float *a0, int64_t lda, const int32_t *b, int64_t K, const float *scales, int64_t group, float *c, int64_t ldc, int64_t count)
{
    (void)lda, (void)count;
    const float *a1 = a0 + 1 * lda;
    const float *a2 = a0 + 2 * lda;
    const float *a3 = a0 + 3 * lda;
    const float *a4 = a0 + 4 * lda;
    const float *a5 = a0 + 5 * lda;
    const float *a6 = a0 + 6 * lda;
    const float *a7 = a0 + 7 * lda;
    const int64_t width = 2 * LANES;
    (void)width;
    vf totals[16] = {0}, *total = totals;
    SOL_PIN(total);
    int64_t k = 0, border = group < K ? group : K;
    while (k < K) {
        const int64_t stop = border - k > SLICE ? k + SLICE : border;
        vf c0_0 = vf_zero(), c0_1 = vf_zero();
        vf c1_0 = vf_zero(), c1_1 = vf_zero();
        vf c2_0 = vf_zero(), c2_1 = vf_zero();
        vf c3_0 = vf_zero(), c3_1 = vf_zero();
        vf c4_0 = vf_zero(), c4_1 = vf_zero();
        vf c5_0 = vf_zero(), c5_1 = vf_zero();
        vf c6_0 = vf_zero(), c6_1 = vf_zero();
        vf c7_0 = vf_zero(), c7_1 = vf_zero();
        for (; k + 8 <= stop; k += 8, b += 8 / STEPS * width) {
            vi v0, v1;
            v0 = vi_load_codes(b + 0 * width + 0 * LANES); SOL_ASK(b + 0 * width + 0 * LANES, 1024, 4096); v1 = vi_load_codes(b + 0 * width + 1 * LANES); SOL_ASK(b + 0 * width + 1 * LANES, 1024, 4096); 
            {
                const vf w0 = vf_of_quarter_bytes(v0, 0); const vf w1 = vf_of_quarter_bytes(v1, 0); 
                { const float x = a0[k + 0]; c0_0 += w0 * x; c0_1 += w1 * x; }
                { const float x = a1[k + 0]; c1_0 += w0 * x; c1_1 += w1 * x; }
                { const float x = a2[k + 0]; c2_0 += w0 * x; c2_1 += w1 * x; }
                { const float x = a3[k + 0]; c3_0 += w0 * x; c3_1 += w1 * x; }
                { const float x = a4[k + 0]; c4_0 += w0 * x; c4_1 += w1 * x; }
                { const float x = a5[k + 0]; c5_0 += w0 * x; c5_1 += w1 * x; }
                { const float x = a6[k + 0]; c6_0 += w0 * x; c6_1 += w1 * x; }
                { const float x = a7[k + 0]; c7_0 += w0 * x; c7_1 += w1 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 4); const vf w1 = vf_of_quarter_bytes(v1, 4); 
                { const float x = a0[k + 1]; c0_0 += w0 * x; c0_1 += w1 * x; }
                { const float x = a1[k + 1]; c1_0 += w0 * x; c1_1 += w1 * x; }
                { const float x = a2[k + 1]; c2_0 += w0 * x; c2_1 += w1 * x; }
                { const float x = a3[k + 1]; c3_0 += w0 * x; c3_1 += w1 * x; }
                { const float x = a4[k + 1]; c4_0 += w0 * x; c4_1 += w1 * x; }
                { const float x = a5[k + 1]; c5_0 += w0 * x; c5_1 += w1 * x; }
                { const float x = a6[k + 1]; c6_0 += w0 * x; c6_1 += w1 * x; }
                { const float x = a7[k + 1]; c7_0 += w0 * x; c7_1 += w1 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 8); const vf w1 = vf_of_quarter_bytes(v1, 8); 
                { const float x = a0[k + 2]; c0_0 += w0 * x; c0_1 += w1 * x; }
                { const float x = a1[k + 2]; c1_0 += w0 * x; c1_1 += w1 * x; }
                { const float x = a2[k + 2]; c2_0 += w0 * x; c2_1 += w1 * x; }
                { const float x = a3[k + 2]; c3_0 += w0 * x; c3_1 += w1 * x; }
                { const float x = a4[k + 2]; c4_0 += w0 * x; c4_1 += w1 * x; }
                { const float x = a5[k + 2]; c5_0 += w0 * x; c5_1 += w1 * x; }
                { const float x = a6[k + 2]; c6_0 += w0 * x; c6_1 += w1 * x; }
                { const float x = a7[k + 2]; c7_0 += w0 * x; c7_1 += w1 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 12); const vf w1 = vf_of_quarter_bytes(v1, 12); 
                { const float x = a0[k + 3]; c0_0 += w0 * x; c0_1 += w1 * x; }
                { const float x = a1[k + 3]; c1_0 += w0 * x; c1_1 += w1 * x; }
                { const float x = a2[k + 3]; c2_0 += w0 * x; c2_1 += w1 * x; }
                { const float x = a3[k + 3]; c3_0 += w0 * x; c3_1 += w1 * x; }
                { const float x = a4[k + 3]; c4_0 += w0 * x; c4_1 += w1 * x; }
                { const float x = a5[k + 3]; c5_0 += w0 * x; c5_1 += w1 * x; }
                { const float x = a6[k + 3]; c6_0 += w0 * x; c6_1 += w1 * x; }
                { const float x = a7[k + 3]; c7_0 += w0 * x; c7_1 += w1 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 16); const vf w1 = vf_of_quarter_bytes(v1, 16); 
                { const float x = a0[k + 4]; c0_0 += w0 * x; c0_1 += w1 * x; }
                { const float x = a1[k + 4]; c1_0 += w0 * x; c1_1 += w1 * x; }
                { const float x = a2[k + 4]; c2_0 += w0 * x; c2_1 += w1 * x; }
                { const float x = a3[k + 4]; c3_0 += w0 * x; c3_1 += w1 * x; }
                { const float x = a4[k + 4]; c4_0 += w0 * x; c4_1 += w1 * x; }
                { const float x = a5[k + 4]; c5_0 += w0 * x; c5_1 += w1 * x; }
                { const float x = a6[k + 4]; c6_0 += w0 * x; c6_1 += w1 * x; }
                { const float x = a7[k + 4]; c7_0 += w0 * x; c7_1 += w1 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 20); const vf w1 = vf_of_quarter_bytes(v1, 20); 
                { const float x = a0[k + 5]; c0_0 += w0 * x; c0_1 += w1 * x; }
                { const float x = a1[k + 5]; c1_0 += w0 * x; c1_1 += w1 * x; }
                { const float x = a2[k + 5]; c2_0 += w0 * x; c2_1 += w1 * x; }
                { const float x = a3[k + 5]; c3_0 += w0 * x; c3_1 += w1 * x; }
                { const float x = a4[k + 5]; c4_0 += w0 * x; c4_1 += w1 * x; }
                { const float x = a5[k + 5]; c5_0 += w0 * x; c5_1 += w1 * x; }
                { const float x = a6[k + 5]; c6_0 += w0 * x; c6_1 += w1 * x; }
                { const float x = a7[k + 5]; c7_0 += w0 * x; c7_1 += w1 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 24); const vf w1 = vf_of_quarter_bytes(v1, 24); 
                { const float x = a0[k + 6]; c0_0 += w0 * x; c0_1 += w1 * x; }
                { const float x = a1[k + 6]; c1_0 += w0 * x; c1_1 += w1 * x; }
                { const float x = a2[k + 6]; c2_0 += w0 * x; c2_1 += w1 * x; }
                { const float x = a3[k + 6]; c3_0 += w0 * x; c3_1 += w1 * x; }
                { const float x = a4[k + 6]; c4_0 += w0 * x; c4_1 += w1 * x; }
                { const float x = a5[k + 6]; c5_0 += w0 * x; c5_1 += w1 * x; }
                { const float x = a6[k + 6]; c6_0 += w0 * x; c6_1 += w1 * x; }
                { const float x = a7[k + 6]; c7_0 += w0 * x; c7_1 += w1 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 28); const vf w1 = vf_of_quarter_bytes(v1, 28); 
                { const float x = a0[k + 7]; c0_0 += w0 * x; c0_1 += w1 * x; }
                { const float x = a1[k + 7]; c1_0 += w0 * x; c1_1 += w1 * x; }
                { const float x = a2[k + 7]; c2_0 += w0 * x; c2_1 += w1 * x; }
                { const float x = a3[k + 7]; c3_0 += w0 * x; c3_1 += w1 * x; }
                { const float x = a4[k + 7]; c4_0 += w0 * x; c4_1 += w1 * x; }
                { const float x = a5[k + 7]; c5_0 += w0 * x; c5_1 += w1 * x; }
                { const float x = a6[k + 7]; c6_0 += w0 * x; c6_1 += w1 * x; }
                { const float x = a7[k + 7]; c7_0 += w0 * x; c7_1 += w1 * x; }
            }
        }
        for (int u = 0; k < stop; k++, u++) { /* the end of a row */
            const vf w0 = vf_of_quarter_bytes(vi_load(b + u / STEPS * width + 0 * LANES), 4 * (u % STEPS)); const vf w1 = vf_of_quarter_bytes(vi_load(b + u / STEPS * width + 1 * LANES), 4 * (u % STEPS)); 
            { const float x = a0[k]; c0_0 += w0 * x; c0_1 += w1 * x; }
            { const float x = a1[k]; c1_0 += w0 * x; c1_1 += w1 * x; }
            { const float x = a2[k]; c2_0 += w0 * x; c2_1 += w1 * x; }
            { const float x = a3[k]; c3_0 += w0 * x; c3_1 += w1 * x; }
            { const float x = a4[k]; c4_0 += w0 * x; c4_1 += w1 * x; }
            { const float x = a5[k]; c5_0 += w0 * x; c5_1 += w1 * x; }
            { const float x = a6[k]; c6_0 += w0 * x; c6_1 += w1 * x; }
            { const float x = a7[k]; c7_0 += w0 * x; c7_1 += w1 * x; }
        }
        const vf scale0 = vf_load(scales + 0 * LANES);
        const vf scale1 = vf_load(scales + 1 * LANES);
        total[0] += scale0 * c0_0; total[1] += scale1 * c0_1; 
        total[2] += scale0 * c1_0; total[3] += scale1 * c1_1; 
        total[4] += scale0 * c2_0; total[5] += scale1 * c2_1; 
        total[6] += scale0 * c3_0; total[7] += scale1 * c3_1; 
        total[8] += scale0 * c4_0; total[9] += scale1 * c4_1; 
        total[10] += scale0 * c5_0; total[11] += scale1 * c5_1; 
        total[12] += scale0 * c6_0; total[13] += scale1 * c6_1; 
        total[14] += scale0 * c7_0; total[15] += scale1 * c7_1; 
        if (k == border) {
            scales += width;
            border = K - k > group ? k + group : K;
        }
    }
    const vf c0_0 = total[0], c0_1 = total[1];
    const vf c1_0 = total[2], c1_1 = total[3];
    const vf c2_0 = total[4], c2_1 = total[5];
    const vf c3_0 = total[6], c3_1 = total[7];
    const vf c4_0 = total[8], c4_1 = total[9];
    const vf c5_0 = total[10], c5_1 = total[11];
    const vf c6_0 = total[12], c6_1 = total[13];
    const vf c7_0 = total[14], c7_1 = total[15];
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
    {
        vf_store(c + 6 * ldc + 0 * LANES, c6_0);
    }
    {
        vf_store(c + 6 * ldc + 1 * LANES, c6_1);
    }
    {
        vf_store(c + 7 * ldc + 0 * LANES, c7_0);
    }
    {
        vf_store(c + 7 * ldc + 1 * LANES, c7_1);
    }
}

/* 4 rows x 2 vectors. */
static __attribute__((noinline)) void few_tile_4(const float *a0, int64_t lda, const int32_t *b, int64_t K, const float *scales, int64_t group, float *c, int64_t ldc, int64_t count)
{
    (void)lda, (void)count;
    const float *a1 = a0 + 1 * lda;
    const float *a2 = a0 + 2 * lda;
    const float *a3 = a0 + 3 * lda;
    const int64_t width = 2 * LANES;
    (void)width;
    vf totals[8] = {0}, *total = totals;
    SOL_PIN(total);
    int64_t k = 0, border = group < K ? group : K;
    while (k < K) {
        const int64_t stop = border - k > SLICE ? k + SLICE : border;
        vf c0_0 = vf_zero(), c0_1 = vf_zero();
        vf c1_0 = vf_zero(), c1_1 = vf_zero();
        vf c2_0 = vf_zero(), c2_1 = vf_zero();
        vf c3_0 = vf_zero(), c3_1 = vf_zero();
        for (; k + 8 <= stop; k += 8, b += 8 / STEPS * width) {
            vi v0, v1;
            v0 = vi_load_codes(b + 0 * width + 0 * LANES); SOL_ASK(b + 0 * width + 0 * LANES, 1024, 4096); v1 = vi_load_codes(b + 0 * width + 1 * LANES); SOL_ASK(b + 0 * width + 1 * LANES, 1024, 4096); 
            {
                const vf w0 = vf_of_quarter_bytes(v0, 0); const vf w1 = vf_of_quarter_bytes(v1, 0); 
                { const float x = a0[k + 0]; c0_0 += w0 * x; c0_1 += w1 * x; }
                { const float x = a1[k + 0]; c1_0 += w0 * x; c1_1 += w1 * x; }
                { const float x = a2[k + 0]; c2_0 += w0 * x; c2_1 += w1 * x; }
                { const float x = a3[k + 0]; c3_0 += w0 * x; c3_1 += w1 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 4); const vf w1 = vf_of_quarter_bytes(v1, 4); 
                { const float x = a0[k + 1]; c0_0 += w0 * x; c0_1 += w1 * x; }
                { const float x = a1[k + 1]; c1_0 += w0 * x; c1_1 += w1 * x; }
                { const float x = a2[k + 1]; c2_0 += w0 * x; c2_1 += w1 * x; }
                { const float x = a3[k + 1]; c3_0 += w0 * x; c3_1 += w1 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 8); const vf w1 = vf_of_quarter_bytes(v1, 8); 
                { const float x = a0[k + 2]; c0_0 += w0 * x; c0_1 += w1 * x; }
                { const float x = a1[k + 2]; c1_0 += w0 * x; c1_1 += w1 * x; }
                { const float x = a2[k + 2]; c2_0 += w0 * x; c2_1 += w1 * x; }
                { const float x = a3[k + 2]; c3_0 += w0 * x; c3_1 += w1 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 12); const vf w1 = vf_of_quarter_bytes(v1, 12); 
                { const float x = a0[k + 3]; c0_0 += w0 * x; c0_1 += w1 * x; }
                { const float x = a1[k + 3]; c1_0 += w0 * x; c1_1 += w1 * x; }
                { const float x = a2[k + 3]; c2_0 += w0 * x; c2_1 += w1 * x; }
                { const float x = a3[k + 3]; c3_0 += w0 * x; c3_1 += w1 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 16); const vf w1 = vf_of_quarter_bytes(v1, 16); 
                { const float x = a0[k + 4]; c0_0 += w0 * x; c0_1 += w1 * x; }
                { const float x = a1[k + 4]; c1_0 += w0 * x; c1_1 += w1 * x; }
                { const float x = a2[k + 4]; c2_0 += w0 * x; c2_1 += w1 * x; }
                { const float x = a3[k + 4]; c3_0 += w0 * x; c3_1 += w1 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 20); const vf w1 = vf_of_quarter_bytes(v1, 20); 
                { const float x = a0[k + 5]; c0_0 += w0 * x; c0_1 += w1 * x; }
                { const float x = a1[k + 5]; c1_0 += w0 * x; c1_1 += w1 * x; }
                { const float x = a2[k + 5]; c2_0 += w0 * x; c2_1 += w1 * x; }
                { const float x = a3[k + 5]; c3_0 += w0 * x; c3_1 += w1 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 24); const vf w1 = vf_of_quarter_bytes(v1, 24); 
                { const float x = a0[k + 6]; c0_0 += w0 * x; c0_1 += w1 * x; }
                { const float x = a1[k + 6]; c1_0 += w0 * x; c1_1 += w1 * x; }
                { const float x = a2[k + 6]; c2_0 += w0 * x; c2_1 += w1 * x; }
                { const float x = a3[k + 6]; c3_0 += w0 * x; c3_1 += w1 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 28); const vf w1 = vf_of_quarter_bytes(v1, 28); 
                { const float x = a0[k + 7]; c0_0 += w0 * x; c0_1 += w1 * x; }
                { const float x = a1[k + 7]; c1_0 += w0 * x; c1_1 += w1 * x; }
                { const float x = a2[k + 7]; c2_0 += w0 * x; c2_1 += w1 * x; }
                { const float x = a3[k + 7]; c3_0 += w0 * x; c3_1 += w1 * x; }
            }
        }
        for (int u = 0; k < stop; k++, u++) { /* the end of a row */
            const vf w0 = vf_of_quarter_bytes(vi_load(b + u / STEPS * width + 0 * LANES), 4 * (u % STEPS)); const vf w1 = vf_of_quarter_bytes(vi_load(b + u / STEPS * width + 1 * LANES), 4 * (u % STEPS)); 
            { const float x = a0[k]; c0_0 += w0 * x; c0_1 += w1 * x; }
            { const float x = a1[k]; c1_0 += w0 * x; c1_1 += w1 * x; }
            { const float x = a2[k]; c2_0 += w0 * x; c2_1 += w1 * x; }
            { const float x = a3[k]; c3_0 += w0 * x; c3_1 += w1 * x; }
        }
        const vf scale0 = vf_load(scales + 0 * LANES);
        const vf scale1 = vf_load(scales + 1 * LANES);
        total[0] += scale0 * c0_0; total[1] += scale1 * c0_1; 
        total[2] += scale0 * c1_0; total[3] += scale1 * c1_1; 
        total[4] += scale0 * c2_0; total[5] += scale1 * c2_1; 
        total[6] += scale0 * c3_0; total[7] += scale1 * c3_1; 
        if (k == border) {
            scales += width;
            border = K - k > group ? k + group : K;
        }
    }
    const vf c0_0 = total[0], c0_1 = total[1];
    const vf c1_0 = total[2], c1_1 = total[3];
    const vf c2_0 = total[4], c2_1 = total[5];
    const vf c3_0 = total[6], c3_1 = total[7];
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
}

/* 2 rows x 2 vectors. */
static __attribute__((noinline)) void few_tile_2(const float *a0, int64_t lda, const int32_t *b, int64_t K, const float *scales, int64_t group, float *c, int64_t ldc, int64_t count)
{
    (void)lda, (void)count;
    const float *a1 = a0 + 1 * lda;
    const int64_t width = 2 * LANES;
    (void)width;
    vf totals[4] = {0}, *total = totals;
    SOL_PIN(total);
    int64_t k = 0, border = group < K ? group : K;
    while (k < K) {
        const int64_t stop = border - k > SLICE ? k + SLICE : border;
        vf c0_0 = vf_zero(), c0_1 = vf_zero();
        vf c1_0 = vf_zero(), c1_1 = vf_zero();
        vf c0_0_1 = vf_zero(), c0_1_1 = vf_zero();
        vf c1_0_1 = vf_zero(), c1_1_1 = vf_zero();
        for (; k + 8 <= stop; k += 8, b += 8 / STEPS * width) {
            vi v0, v1;
            v0 = vi_load_codes(b + 0 * width + 0 * LANES); SOL_ASK(b + 0 * width + 0 * LANES, 1024, 4096); v1 = vi_load_codes(b + 0 * width + 1 * LANES); SOL_ASK(b + 0 * width + 1 * LANES, 1024, 4096); 
            {
                const vf w0 = vf_of_quarter_bytes(v0, 0); const vf w1 = vf_of_quarter_bytes(v1, 0); 
                { const float x = a0[k + 0]; c0_0 += w0 * x; c0_1 += w1 * x; }
                { const float x = a1[k + 0]; c1_0 += w0 * x; c1_1 += w1 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 4); const vf w1 = vf_of_quarter_bytes(v1, 4); 
                { const float x = a0[k + 1]; c0_0_1 += w0 * x; c0_1_1 += w1 * x; }
                { const float x = a1[k + 1]; c1_0_1 += w0 * x; c1_1_1 += w1 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 8); const vf w1 = vf_of_quarter_bytes(v1, 8); 
                { const float x = a0[k + 2]; c0_0 += w0 * x; c0_1 += w1 * x; }
                { const float x = a1[k + 2]; c1_0 += w0 * x; c1_1 += w1 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 12); const vf w1 = vf_of_quarter_bytes(v1, 12); 
                { const float x = a0[k + 3]; c0_0_1 += w0 * x; c0_1_1 += w1 * x; }
                { const float x = a1[k + 3]; c1_0_1 += w0 * x; c1_1_1 += w1 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 16); const vf w1 = vf_of_quarter_bytes(v1, 16); 
                { const float x = a0[k + 4]; c0_0 += w0 * x; c0_1 += w1 * x; }
                { const float x = a1[k + 4]; c1_0 += w0 * x; c1_1 += w1 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 20); const vf w1 = vf_of_quarter_bytes(v1, 20); 
                { const float x = a0[k + 5]; c0_0_1 += w0 * x; c0_1_1 += w1 * x; }
                { const float x = a1[k + 5]; c1_0_1 += w0 * x; c1_1_1 += w1 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 24); const vf w1 = vf_of_quarter_bytes(v1, 24); 
                { const float x = a0[k + 6]; c0_0 += w0 * x; c0_1 += w1 * x; }
                { const float x = a1[k + 6]; c1_0 += w0 * x; c1_1 += w1 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 28); const vf w1 = vf_of_quarter_bytes(v1, 28); 
                { const float x = a0[k + 7]; c0_0_1 += w0 * x; c0_1_1 += w1 * x; }
                { const float x = a1[k + 7]; c1_0_1 += w0 * x; c1_1_1 += w1 * x; }
            }
        }
        for (int u = 0; k < stop; k++, u++) { /* the end of a row */
            const vf w0 = vf_of_quarter_bytes(vi_load(b + u / STEPS * width + 0 * LANES), 4 * (u % STEPS)); const vf w1 = vf_of_quarter_bytes(vi_load(b + u / STEPS * width + 1 * LANES), 4 * (u % STEPS)); 
            { const float x = a0[k]; c0_0 += w0 * x; c0_1 += w1 * x; }
            { const float x = a1[k]; c1_0 += w0 * x; c1_1 += w1 * x; }
        }
        c0_0 += c0_0_1; c0_1 += c0_1_1; 
        c1_0 += c1_0_1; c1_1 += c1_1_1; 
        const vf scale0 = vf_load(scales + 0 * LANES);
        const vf scale1 = vf_load(scales + 1 * LANES);
        total[0] += scale0 * c0_0; total[1] += scale1 * c0_1; 
        total[2] += scale0 * c1_0; total[3] += scale1 * c1_1; 
        if (k == border) {
            scales += width;
            border = K - k > group ? k + group : K;
        }
    }
    const vf c0_0 = total[0], c0_1 = total[1];
    const vf c1_0 = total[2], c1_1 = total[3];
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
}

/* 1 rows x 2 vectors. */
static __attribute__((noinline)) void few_tile_1(const float *a0, int64_t lda, const int32_t *b, int64_t K, const float *scales, int64_t group, float *c, int64_t ldc, int64_t count)
{
    (void)lda, (void)count;
    const int64_t width = 2 * LANES;
    (void)width;
    vf totals[2] = {0}, *total = totals;
    SOL_PIN(total);
    int64_t k = 0, border = group < K ? group : K;
    while (k < K) {
        const int64_t stop = border - k > SLICE ? k + SLICE : border;
        vf c0_0 = vf_zero(), c0_1 = vf_zero();
        vf c0_0_1 = vf_zero(), c0_1_1 = vf_zero();
        vf c0_0_2 = vf_zero(), c0_1_2 = vf_zero();
        vf c0_0_3 = vf_zero(), c0_1_3 = vf_zero();
        for (; k + 8 <= stop; k += 8, b += 8 / STEPS * width) {
            vi v0, v1;
            v0 = vi_load_codes(b + 0 * width + 0 * LANES); SOL_ASK(b + 0 * width + 0 * LANES, 1024, 4096); v1 = vi_load_codes(b + 0 * width + 1 * LANES); SOL_ASK(b + 0 * width + 1 * LANES, 1024, 4096); 
            {
                const vf w0 = vf_of_quarter_bytes(v0, 0); const vf w1 = vf_of_quarter_bytes(v1, 0); 
                { const float x = a0[k + 0]; c0_0 += w0 * x; c0_1 += w1 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 4); const vf w1 = vf_of_quarter_bytes(v1, 4); 
                { const float x = a0[k + 1]; c0_0_1 += w0 * x; c0_1_1 += w1 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 8); const vf w1 = vf_of_quarter_bytes(v1, 8); 
                { const float x = a0[k + 2]; c0_0_2 += w0 * x; c0_1_2 += w1 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 12); const vf w1 = vf_of_quarter_bytes(v1, 12); 
                { const float x = a0[k + 3]; c0_0_3 += w0 * x; c0_1_3 += w1 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 16); const vf w1 = vf_of_quarter_bytes(v1, 16); 
                { const float x = a0[k + 4]; c0_0 += w0 * x; c0_1 += w1 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 20); const vf w1 = vf_of_quarter_bytes(v1, 20); 
                { const float x = a0[k + 5]; c0_0_1 += w0 * x; c0_1_1 += w1 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 24); const vf w1 = vf_of_quarter_bytes(v1, 24); 
                { const float x = a0[k + 6]; c0_0_2 += w0 * x; c0_1_2 += w1 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 28); const vf w1 = vf_of_quarter_bytes(v1, 28); 
                { const float x = a0[k + 7]; c0_0_3 += w0 * x; c0_1_3 += w1 * x; }
            }
        }
        for (int u = 0; k < stop; k++, u++) { /* the end of a row */
            const vf w0 = vf_of_quarter_bytes(vi_load(b + u / STEPS * width + 0 * LANES), 4 * (u % STEPS)); const vf w1 = vf_of_quarter_bytes(vi_load(b + u / STEPS * width + 1 * LANES), 4 * (u % STEPS)); 
            { const float x = a0[k]; c0_0 += w0 * x; c0_1 += w1 * x; }
        }
        c0_0 += c0_0_1; c0_1 += c0_1_1; 
        c0_0 += c0_0_2; c0_1 += c0_1_2; 
        c0_0 += c0_0_3; c0_1 += c0_1_3; 
        const vf scale0 = vf_load(scales + 0 * LANES);
        const vf scale1 = vf_load(scales + 1 * LANES);
        total[0] += scale0 * c0_0; total[1] += scale1 * c0_1; 
        if (k == border) {
            scales += width;
            border = K - k > group ? k + group : K;
        }
    }
    const vf c0_0 = total[0], c0_1 = total[1];
    {
        vf_store(c + 0 * ldc + 0 * LANES, c0_0);
    }
    {
        vf_store(c + 0 * ldc + 1 * LANES, c0_1);
    }
}

/* 8 rows x 1 vectors, count columns exist. */
static __attribute__((noinline)) void few_tile_8_ragged(const float *a0, int64_t lda, const int32_t *b, int64_t K, const float *scales, int64_t group, float *c, int64_t ldc, int64_t count)
{
    (void)lda, (void)count;
    const int n0 = sol_lanes(count, 0);
    const float *a1 = a0 + 1 * lda;
    const float *a2 = a0 + 2 * lda;
    const float *a3 = a0 + 3 * lda;
    const float *a4 = a0 + 4 * lda;
    const float *a5 = a0 + 5 * lda;
    const float *a6 = a0 + 6 * lda;
    const float *a7 = a0 + 7 * lda;
    const int64_t width = 1 * LANES;
    (void)width;
    vf totals[8] = {0}, *total = totals;
    SOL_PIN(total);
    int64_t k = 0, border = group < K ? group : K;
    while (k < K) {
        const int64_t stop = border - k > SLICE ? k + SLICE : border;
        vf c0_0 = vf_zero();
        vf c1_0 = vf_zero();
        vf c2_0 = vf_zero();
        vf c3_0 = vf_zero();
        vf c4_0 = vf_zero();
        vf c5_0 = vf_zero();
        vf c6_0 = vf_zero();
        vf c7_0 = vf_zero();
        for (; k + 8 <= stop; k += 8, b += 8 / STEPS * width) {
            vi v0;
            v0 = vi_load_codes(b + 0 * width + 0 * LANES); SOL_ASK(b + 0 * width + 0 * LANES, 1024, 4096); 
            {
                const vf w0 = vf_of_quarter_bytes(v0, 0); 
                { const float x = a0[k + 0]; c0_0 += w0 * x; }
                { const float x = a1[k + 0]; c1_0 += w0 * x; }
                { const float x = a2[k + 0]; c2_0 += w0 * x; }
                { const float x = a3[k + 0]; c3_0 += w0 * x; }
                { const float x = a4[k + 0]; c4_0 += w0 * x; }
                { const float x = a5[k + 0]; c5_0 += w0 * x; }
                { const float x = a6[k + 0]; c6_0 += w0 * x; }
                { const float x = a7[k + 0]; c7_0 += w0 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 4); 
                { const float x = a0[k + 1]; c0_0 += w0 * x; }
                { const float x = a1[k + 1]; c1_0 += w0 * x; }
                { const float x = a2[k + 1]; c2_0 += w0 * x; }
                { const float x = a3[k + 1]; c3_0 += w0 * x; }
                { const float x = a4[k + 1]; c4_0 += w0 * x; }
                { const float x = a5[k + 1]; c5_0 += w0 * x; }
                { const float x = a6[k + 1]; c6_0 += w0 * x; }
                { const float x = a7[k + 1]; c7_0 += w0 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 8); 
                { const float x = a0[k + 2]; c0_0 += w0 * x; }
                { const float x = a1[k + 2]; c1_0 += w0 * x; }
                { const float x = a2[k + 2]; c2_0 += w0 * x; }
                { const float x = a3[k + 2]; c3_0 += w0 * x; }
                { const float x = a4[k + 2]; c4_0 += w0 * x; }
                { const float x = a5[k + 2]; c5_0 += w0 * x; }
                { const float x = a6[k + 2]; c6_0 += w0 * x; }
                { const float x = a7[k + 2]; c7_0 += w0 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 12); 
                { const float x = a0[k + 3]; c0_0 += w0 * x; }
                { const float x = a1[k + 3]; c1_0 += w0 * x; }
                { const float x = a2[k + 3]; c2_0 += w0 * x; }
                { const float x = a3[k + 3]; c3_0 += w0 * x; }
                { const float x = a4[k + 3]; c4_0 += w0 * x; }
                { const float x = a5[k + 3]; c5_0 += w0 * x; }
                { const float x = a6[k + 3]; c6_0 += w0 * x; }
                { const float x = a7[k + 3]; c7_0 += w0 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 16); 
                { const float x = a0[k + 4]; c0_0 += w0 * x; }
                { const float x = a1[k + 4]; c1_0 += w0 * x; }
                { const float x = a2[k + 4]; c2_0 += w0 * x; }
                { const float x = a3[k + 4]; c3_0 += w0 * x; }
                { const float x = a4[k + 4]; c4_0 += w0 * x; }
                { const float x = a5[k + 4]; c5_0 += w0 * x; }
                { const float x = a6[k + 4]; c6_0 += w0 * x; }
                { const float x = a7[k + 4]; c7_0 += w0 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 20); 
                { const float x = a0[k + 5]; c0_0 += w0 * x; }
                { const float x = a1[k + 5]; c1_0 += w0 * x; }
                { const float x = a2[k + 5]; c2_0 += w0 * x; }
                { const float x = a3[k + 5]; c3_0 += w0 * x; }
                { const float x = a4[k + 5]; c4_0 += w0 * x; }
                { const float x = a5[k + 5]; c5_0 += w0 * x; }
                { const float x = a6[k + 5]; c6_0 += w0 * x; }
                { const float x = a7[k + 5]; c7_0 += w0 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 24); 
                { const float x = a0[k + 6]; c0_0 += w0 * x; }
                { const float x = a1[k + 6]; c1_0 += w0 * x; }
                { const float x = a2[k + 6]; c2_0 += w0 * x; }
                { const float x = a3[k + 6]; c3_0 += w0 * x; }
                { const float x = a4[k + 6]; c4_0 += w0 * x; }
                { const float x = a5[k + 6]; c5_0 += w0 * x; }
                { const float x = a6[k + 6]; c6_0 += w0 * x; }
                { const float x = a7[k + 6]; c7_0 += w0 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 28); 
                { const float x = a0[k + 7]; c0_0 += w0 * x; }
                { const float x = a1[k + 7]; c1_0 += w0 * x; }
                { const float x = a2[k + 7]; c2_0 += w0 * x; }
                { const float x = a3[k + 7]; c3_0 += w0 * x; }
                { const float x = a4[k + 7]; c4_0 += w0 * x; }
                { const float x = a5[k + 7]; c5_0 += w0 * x; }
                { const float x = a6[k + 7]; c6_0 += w0 * x; }
                { const float x = a7[k + 7]; c7_0 += w0 * x; }
            }
        }
        for (int u = 0; k < stop; k++, u++) { /* the end of a row */
            const vf w0 = vf_of_quarter_bytes(vi_load(b + u / STEPS * width + 0 * LANES), 4 * (u % STEPS)); 
            { const float x = a0[k]; c0_0 += w0 * x; }
            { const float x = a1[k]; c1_0 += w0 * x; }
            { const float x = a2[k]; c2_0 += w0 * x; }
            { const float x = a3[k]; c3_0 += w0 * x; }
            { const float x = a4[k]; c4_0 += w0 * x; }
            { const float x = a5[k]; c5_0 += w0 * x; }
            { const float x = a6[k]; c6_0 += w0 * x; }
            { const float x = a7[k]; c7_0 += w0 * x; }
        }
        const vf scale0 = vf_load(scales + 0 * LANES);
        total[0] += scale0 * c0_0; 
        total[1] += scale0 * c1_0; 
        total[2] += scale0 * c2_0; 
        total[3] += scale0 * c3_0; 
        total[4] += scale0 * c4_0; 
        total[5] += scale0 * c5_0; 
        total[6] += scale0 * c6_0; 
        total[7] += scale0 * c7_0; 
        if (k == border) {
            scales += width;
            border = K - k > group ? k + group : K;
        }
    }
    const vf c0_0 = total[0];
    const vf c1_0 = total[1];
    const vf c2_0 = total[2];
    const vf c3_0 = total[3];
    const vf c4_0 = total[4];
    const vf c5_0 = total[5];
    const vf c6_0 = total[6];
    const vf c7_0 = total[7];
    {
        vf_store_n(c + 0 * ldc + 0 * LANES, c0_0, n0);
    }
    {
        vf_store_n(c + 1 * ldc + 0 * LANES, c1_0, n0);
    }
    {
        vf_store_n(c + 2 * ldc + 0 * LANES, c2_0, n0);
    }
    {
        vf_store_n(c + 3 * ldc + 0 * LANES, c3_0, n0);
    }
    {
        vf_store_n(c + 4 * ldc + 0 * LANES, c4_0, n0);
    }
    {
        vf_store_n(c + 5 * ldc + 0 * LANES, c5_0, n0);
    }
    {
        vf_store_n(c + 6 * ldc + 0 * LANES, c6_0, n0);
    }
    {
        vf_store_n(c + 7 * ldc + 0 * LANES, c7_0, n0);
    }
}

/* 4 rows x 1 vectors, count columns exist. */
static __attribute__((noinline)) void few_tile_4_ragged(const float *a0, int64_t lda, const int32_t *b, int64_t K, const float *scales, int64_t group, float *c, int64_t ldc, int64_t count)
{
    (void)lda, (void)count;
    const int n0 = sol_lanes(count, 0);
    const float *a1 = a0 + 1 * lda;
    const float *a2 = a0 + 2 * lda;
    const float *a3 = a0 + 3 * lda;
    const int64_t width = 1 * LANES;
    (void)width;
    vf totals[4] = {0}, *total = totals;
    SOL_PIN(total);
    int64_t k = 0, border = group < K ? group : K;
    while (k < K) {
        const int64_t stop = border - k > SLICE ? k + SLICE : border;
        vf c0_0 = vf_zero();
        vf c1_0 = vf_zero();
        vf c2_0 = vf_zero();
        vf c3_0 = vf_zero();
        for (; k + 8 <= stop; k += 8, b += 8 / STEPS * width) {
            vi v0;
            v0 = vi_load_codes(b + 0 * width + 0 * LANES); SOL_ASK(b + 0 * width + 0 * LANES, 1024, 4096); 
            {
                const vf w0 = vf_of_quarter_bytes(v0, 0); 
                { const float x = a0[k + 0]; c0_0 += w0 * x; }
                { const float x = a1[k + 0]; c1_0 += w0 * x; }
                { const float x = a2[k + 0]; c2_0 += w0 * x; }
                { const float x = a3[k + 0]; c3_0 += w0 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 4); 
                { const float x = a0[k + 1]; c0_0 += w0 * x; }
                { const float x = a1[k + 1]; c1_0 += w0 * x; }
                { const float x = a2[k + 1]; c2_0 += w0 * x; }
                { const float x = a3[k + 1]; c3_0 += w0 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 8); 
                { const float x = a0[k + 2]; c0_0 += w0 * x; }
                { const float x = a1[k + 2]; c1_0 += w0 * x; }
                { const float x = a2[k + 2]; c2_0 += w0 * x; }
                { const float x = a3[k + 2]; c3_0 += w0 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 12); 
                { const float x = a0[k + 3]; c0_0 += w0 * x; }
                { const float x = a1[k + 3]; c1_0 += w0 * x; }
                { const float x = a2[k + 3]; c2_0 += w0 * x; }
                { const float x = a3[k + 3]; c3_0 += w0 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 16); 
                { const float x = a0[k + 4]; c0_0 += w0 * x; }
                { const float x = a1[k + 4]; c1_0 += w0 * x; }
                { const float x = a2[k + 4]; c2_0 += w0 * x; }
                { const float x = a3[k + 4]; c3_0 += w0 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 20); 
                { const float x = a0[k + 5]; c0_0 += w0 * x; }
                { const float x = a1[k + 5]; c1_0 += w0 * x; }
                { const float x = a2[k + 5]; c2_0 += w0 * x; }
                { const float x = a3[k + 5]; c3_0 += w0 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 24); 
                { const float x = a0[k + 6]; c0_0 += w0 * x; }
                { const float x = a1[k + 6]; c1_0 += w0 * x; }
                { const float x = a2[k + 6]; c2_0 += w0 * x; }
                { const float x = a3[k + 6]; c3_0 += w0 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 28); 
                { const float x = a0[k + 7]; c0_0 += w0 * x; }
                { const float x = a1[k + 7]; c1_0 += w0 * x; }
                { const float x = a2[k + 7]; c2_0 += w0 * x; }
                { const float x = a3[k + 7]; c3_0 += w0 * x; }
            }
        }
        for (int u = 0; k < stop; k++, u++) { /* the end of a row */
            const vf w0 = vf_of_quarter_bytes(vi_load(b + u / STEPS * width + 0 * LANES), 4 * (u % STEPS)); 
            { const float x = a0[k]; c0_0 += w0 * x; }
            { const float x = a1[k]; c1_0 += w0 * x; }
            { const float x = a2[k]; c2_0 += w0 * x; }
            { const float x = a3[k]; c3_0 += w0 * x; }
        }
        const vf scale0 = vf_load(scales + 0 * LANES);
        total[0] += scale0 * c0_0; 
        total[1] += scale0 * c1_0; 
        total[2] += scale0 * c2_0; 
        total[3] += scale0 * c3_0; 
        if (k == border) {
            scales += width;
            border = K - k > group ? k + group : K;
        }
    }
    const vf c0_0 = total[0];
    const vf c1_0 = total[1];
    const vf c2_0 = total[2];
    const vf c3_0 = total[3];
    {
        vf_store_n(c + 0 * ldc + 0 * LANES, c0_0, n0);
    }
    {
        vf_store_n(c + 1 * ldc + 0 * LANES, c1_0, n0);
    }
    {
        vf_store_n(c + 2 * ldc + 0 * LANES, c2_0, n0);
    }
    {
        vf_store_n(c + 3 * ldc + 0 * LANES, c3_0, n0);
    }
}

/* 2 rows x 1 vectors, count columns exist. */
static __attribute__((noinline)) void few_tile_2_ragged(const float *a0, int64_t lda, const int32_t *b, int64_t K, const float *scales, int64_t group, float *c, int64_t ldc, int64_t count)
{
    (void)lda, (void)count;
    const int n0 = sol_lanes(count, 0);
    const float *a1 = a0 + 1 * lda;
    const int64_t width = 1 * LANES;
    (void)width;
    vf totals[2] = {0}, *total = totals;
    SOL_PIN(total);
    int64_t k = 0, border = group < K ? group : K;
    while (k < K) {
        const int64_t stop = border - k > SLICE ? k + SLICE : border;
        vf c0_0 = vf_zero();
        vf c1_0 = vf_zero();
        vf c0_0_1 = vf_zero();
        vf c1_0_1 = vf_zero();
        for (; k + 8 <= stop; k += 8, b += 8 / STEPS * width) {
            vi v0;
            v0 = vi_load_codes(b + 0 * width + 0 * LANES); SOL_ASK(b + 0 * width + 0 * LANES, 1024, 4096); 
            {
                const vf w0 = vf_of_quarter_bytes(v0, 0); 
                { const float x = a0[k + 0]; c0_0 += w0 * x; }
                { const float x = a1[k + 0]; c1_0 += w0 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 4); 
                { const float x = a0[k + 1]; c0_0_1 += w0 * x; }
                { const float x = a1[k + 1]; c1_0_1 += w0 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 8); 
                { const float x = a0[k + 2]; c0_0 += w0 * x; }
                { const float x = a1[k + 2]; c1_0 += w0 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 12); 
                { const float x = a0[k + 3]; c0_0_1 += w0 * x; }
                { const float x = a1[k + 3]; c1_0_1 += w0 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 16); 
                { const float x = a0[k + 4]; c0_0 += w0 * x; }
                { const float x = a1[k + 4]; c1_0 += w0 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 20); 
                { const float x = a0[k + 5]; c0_0_1 += w0 * x; }
                { const float x = a1[k + 5]; c1_0_1 += w0 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 24); 
                { const float x = a0[k + 6]; c0_0 += w0 * x; }
                { const float x = a1[k + 6]; c1_0 += w0 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 28); 
                { const float x = a0[k + 7]; c0_0_1 += w0 * x; }
                { const float x = a1[k + 7]; c1_0_1 += w0 * x; }
            }
        }
        for (int u = 0; k < stop; k++, u++) { /* the end of a row */
            const vf w0 = vf_of_quarter_bytes(vi_load(b + u / STEPS * width + 0 * LANES), 4 * (u % STEPS)); 
            { const float x = a0[k]; c0_0 += w0 * x; }
            { const float x = a1[k]; c1_0 += w0 * x; }
        }
        c0_0 += c0_0_1; 
        c1_0 += c1_0_1; 
        const vf scale0 = vf_load(scales + 0 * LANES);
        total[0] += scale0 * c0_0; 
        total[1] += scale0 * c1_0; 
        if (k == border) {
            scales += width;
            border = K - k > group ? k + group : K;
        }
    }
    const vf c0_0 = total[0];
    const vf c1_0 = total[1];
    {
        vf_store_n(c + 0 * ldc + 0 * LANES, c0_0, n0);
    }
    {
        vf_store_n(c + 1 * ldc + 0 * LANES, c1_0, n0);
    }
}

/* 1 rows x 1 vectors, count columns exist. */
static __attribute__((noinline)) void few_tile_1_ragged(const float *a0, int64_t lda, const int32_t *b, int64_t K, const float *scales, int64_t group, float *c, int64_t ldc, int64_t count)
{
    (void)lda, (void)count;
    const int n0 = sol_lanes(count, 0);
    const int64_t width = 1 * LANES;
    (void)width;
    vf totals[1] = {0}, *total = totals;
    SOL_PIN(total);
    int64_t k = 0, border = group < K ? group : K;
    while (k < K) {
        const int64_t stop = border - k > SLICE ? k + SLICE : border;
        vf c0_0 = vf_zero();
        vf c0_0_1 = vf_zero();
        vf c0_0_2 = vf_zero();
        vf c0_0_3 = vf_zero();
        for (; k + 8 <= stop; k += 8, b += 8 / STEPS * width) {
            vi v0;
            v0 = vi_load_codes(b + 0 * width + 0 * LANES); SOL_ASK(b + 0 * width + 0 * LANES, 1024, 4096); 
            {
                const vf w0 = vf_of_quarter_bytes(v0, 0); 
                { const float x = a0[k + 0]; c0_0 += w0 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 4); 
                { const float x = a0[k + 1]; c0_0_1 += w0 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 8); 
                { const float x = a0[k + 2]; c0_0_2 += w0 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 12); 
                { const float x = a0[k + 3]; c0_0_3 += w0 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 16); 
                { const float x = a0[k + 4]; c0_0 += w0 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 20); 
                { const float x = a0[k + 5]; c0_0_1 += w0 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 24); 
                { const float x = a0[k + 6]; c0_0_2 += w0 * x; }
            }
            {
                const vf w0 = vf_of_quarter_bytes(v0, 28); 
                { const float x = a0[k + 7]; c0_0_3 += w0 * x; }
            }
        }
        for (int u = 0; k < stop; k++, u++) { /* the end of a row */
            const vf w0 = vf_of_quarter_bytes(vi_load(b + u / STEPS * width + 0 * LANES), 4 * (u % STEPS)); 
            { const float x = a0[k]; c0_0 += w0 * x; }
        }
        c0_0 += c0_0_1; 
        c0_0 += c0_0_2; 
        c0_0 += c0_0_3; 
        const vf scale0 = vf_load(scales + 0 * LANES);
        total[0] += scale0 * c0_0; 
        if (k == border) {
            scales += width;
            border = K - k > group ? k + group : K;
        }
    }
    const vf c0_0 = total[0];
    {
        vf_store_n(c + 0 * ldc + 0 * LANES, c0_0, n0);
    }
}

/* 3 rows x 2 vectors, by digits. */
static __attribute__((noinline)) void by_digits_3(const uint8_t *row, int64_t pitch, const sol_slice *slice, int64_t slices, const int32_t *b, int64_t K, const float *scales, int64_t group, float *c, int64_t ldc, int64_t count)
{
    (void)slices, (void)count;
    const int64_t width = 2 * LANES;
    vf totals[6] = {0}, *total = totals;
    SOL_PIN(total);
    vi low = vi_set(0x0f0f0f0f);
    SOL_HOLD(low);
    int64_t k = 0, border = group < K ? group : K;
    while (k < K) {
        const int64_t stop = border - k > SLICE ? k + SLICE : border;
        vi c0_0_0 = vi_set(-8 * slice[0 * slices].sums[0]), c0_0_1 = vi_set(-8 * slice[0 * slices].sums[0]);
        vi c0_1_0 = vi_set(-8 * slice[0 * slices].sums[1]), c0_1_1 = vi_set(-8 * slice[0 * slices].sums[1]);
        vi c0_2_0 = vi_set(-8 * slice[0 * slices].sums[2]), c0_2_1 = vi_set(-8 * slice[0 * slices].sums[2]);
        vi c0_3_0 = vi_set(-8 * slice[0 * slices].sums[3]), c0_3_1 = vi_set(-8 * slice[0 * slices].sums[3]);
        vi c1_0_0 = vi_set(-8 * slice[1 * slices].sums[0]), c1_0_1 = vi_set(-8 * slice[1 * slices].sums[0]);
        vi c1_1_0 = vi_set(-8 * slice[1 * slices].sums[1]), c1_1_1 = vi_set(-8 * slice[1 * slices].sums[1]);
        vi c1_2_0 = vi_set(-8 * slice[1 * slices].sums[2]), c1_2_1 = vi_set(-8 * slice[1 * slices].sums[2]);
        vi c1_3_0 = vi_set(-8 * slice[1 * slices].sums[3]), c1_3_1 = vi_set(-8 * slice[1 * slices].sums[3]);
        vi c2_0_0 = vi_set(-8 * slice[2 * slices].sums[0]), c2_0_1 = vi_set(-8 * slice[2 * slices].sums[0]);
        vi c2_1_0 = vi_set(-8 * slice[2 * slices].sums[1]), c2_1_1 = vi_set(-8 * slice[2 * slices].sums[1]);
        vi c2_2_0 = vi_set(-8 * slice[2 * slices].sums[2]), c2_2_1 = vi_set(-8 * slice[2 * slices].sums[2]);
        vi c2_3_0 = vi_set(-8 * slice[2 * slices].sums[3]), c2_3_1 = vi_set(-8 * slice[2 * slices].sums[3]);
        for (; k < stop; k += 8, b += width) {
            const vi v0 = vi_load_codes(b + 0 * LANES); SOL_ASK(b + 0 * LANES, 1024, 4096); const vi v1 = vi_load_codes(b + 1 * LANES); SOL_ASK(b + 1 * LANES, 1024, 4096); 
            {
                const vi w0 = v0 & low, w1 = v1 & low;
                { const vi x = vi_set(sol_dword(row + 0 * pitch + k)); c0_0_0 = vi_dot(c0_0_0, vq_unsigned(x), vq_signed(w0)); c0_0_1 = vi_dot(c0_0_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 1 * pitch + k)); c0_1_0 = vi_dot(c0_1_0, vq_unsigned(x), vq_signed(w0)); c0_1_1 = vi_dot(c0_1_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 2 * pitch + k)); c0_2_0 = vi_dot(c0_2_0, vq_unsigned(x), vq_signed(w0)); c0_2_1 = vi_dot(c0_2_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 3 * pitch + k)); c0_3_0 = vi_dot(c0_3_0, vq_unsigned(w0), vq_signed(x)); c0_3_1 = vi_dot(c0_3_1, vq_unsigned(w1), vq_signed(x)); }
                { const vi x = vi_set(sol_dword(row + 4 * pitch + k)); c1_0_0 = vi_dot(c1_0_0, vq_unsigned(x), vq_signed(w0)); c1_0_1 = vi_dot(c1_0_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 5 * pitch + k)); c1_1_0 = vi_dot(c1_1_0, vq_unsigned(x), vq_signed(w0)); c1_1_1 = vi_dot(c1_1_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 6 * pitch + k)); c1_2_0 = vi_dot(c1_2_0, vq_unsigned(x), vq_signed(w0)); c1_2_1 = vi_dot(c1_2_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 7 * pitch + k)); c1_3_0 = vi_dot(c1_3_0, vq_unsigned(w0), vq_signed(x)); c1_3_1 = vi_dot(c1_3_1, vq_unsigned(w1), vq_signed(x)); }
                { const vi x = vi_set(sol_dword(row + 8 * pitch + k)); c2_0_0 = vi_dot(c2_0_0, vq_unsigned(x), vq_signed(w0)); c2_0_1 = vi_dot(c2_0_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 9 * pitch + k)); c2_1_0 = vi_dot(c2_1_0, vq_unsigned(x), vq_signed(w0)); c2_1_1 = vi_dot(c2_1_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 10 * pitch + k)); c2_2_0 = vi_dot(c2_2_0, vq_unsigned(x), vq_signed(w0)); c2_2_1 = vi_dot(c2_2_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 11 * pitch + k)); c2_3_0 = vi_dot(c2_3_0, vq_unsigned(w0), vq_signed(x)); c2_3_1 = vi_dot(c2_3_1, vq_unsigned(w1), vq_signed(x)); }
}
            {
                const vi w0 = v0 >> 4 & low, w1 = v1 >> 4 & low;
                { const vi x = vi_set(sol_dword(row + 0 * pitch + k + 4)); c0_0_0 = vi_dot(c0_0_0, vq_unsigned(x), vq_signed(w0)); c0_0_1 = vi_dot(c0_0_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 1 * pitch + k + 4)); c0_1_0 = vi_dot(c0_1_0, vq_unsigned(x), vq_signed(w0)); c0_1_1 = vi_dot(c0_1_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 2 * pitch + k + 4)); c0_2_0 = vi_dot(c0_2_0, vq_unsigned(x), vq_signed(w0)); c0_2_1 = vi_dot(c0_2_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 3 * pitch + k + 4)); c0_3_0 = vi_dot(c0_3_0, vq_unsigned(w0), vq_signed(x)); c0_3_1 = vi_dot(c0_3_1, vq_unsigned(w1), vq_signed(x)); }
                { const vi x = vi_set(sol_dword(row + 4 * pitch + k + 4)); c1_0_0 = vi_dot(c1_0_0, vq_unsigned(x), vq_signed(w0)); c1_0_1 = vi_dot(c1_0_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 5 * pitch + k + 4)); c1_1_0 = vi_dot(c1_1_0, vq_unsigned(x), vq_signed(w0)); c1_1_1 = vi_dot(c1_1_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 6 * pitch + k + 4)); c1_2_0 = vi_dot(c1_2_0, vq_unsigned(x), vq_signed(w0)); c1_2_1 = vi_dot(c1_2_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 7 * pitch + k + 4)); c1_3_0 = vi_dot(c1_3_0, vq_unsigned(w0), vq_signed(x)); c1_3_1 = vi_dot(c1_3_1, vq_unsigned(w1), vq_signed(x)); }
                { const vi x = vi_set(sol_dword(row + 8 * pitch + k + 4)); c2_0_0 = vi_dot(c2_0_0, vq_unsigned(x), vq_signed(w0)); c2_0_1 = vi_dot(c2_0_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 9 * pitch + k + 4)); c2_1_0 = vi_dot(c2_1_0, vq_unsigned(x), vq_signed(w0)); c2_1_1 = vi_dot(c2_1_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 10 * pitch + k + 4)); c2_2_0 = vi_dot(c2_2_0, vq_unsigned(x), vq_signed(w0)); c2_2_1 = vi_dot(c2_2_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 11 * pitch + k + 4)); c2_3_0 = vi_dot(c2_3_0, vq_unsigned(w0), vq_signed(x)); c2_3_1 = vi_dot(c2_3_1, vq_unsigned(w1), vq_signed(x)); }
}
        }
        k = stop;
        const vf scale0 = vf_load(scales + 0 * LANES);
        const vf scale1 = vf_load(scales + 1 * LANES);
        {
            const float unit = slice[0 * slices].unit;
            vf c0 = vf_of_ints(c0_3_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_2_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_1_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_0_0);
            total[0] += scale0 * (c0 * unit);
            vf c1 = vf_of_ints(c0_3_1);
            c1 = c1 * 256.0f + vf_of_ints(c0_2_1);
            c1 = c1 * 256.0f + vf_of_ints(c0_1_1);
            c1 = c1 * 256.0f + vf_of_ints(c0_0_1);
            total[1] += scale1 * (c1 * unit);
        }
        {
            const float unit = slice[1 * slices].unit;
            vf c0 = vf_of_ints(c1_3_0);
            c0 = c0 * 256.0f + vf_of_ints(c1_2_0);
            c0 = c0 * 256.0f + vf_of_ints(c1_1_0);
            c0 = c0 * 256.0f + vf_of_ints(c1_0_0);
            total[2] += scale0 * (c0 * unit);
            vf c1 = vf_of_ints(c1_3_1);
            c1 = c1 * 256.0f + vf_of_ints(c1_2_1);
            c1 = c1 * 256.0f + vf_of_ints(c1_1_1);
            c1 = c1 * 256.0f + vf_of_ints(c1_0_1);
            total[3] += scale1 * (c1 * unit);
        }
        {
            const float unit = slice[2 * slices].unit;
            vf c0 = vf_of_ints(c2_3_0);
            c0 = c0 * 256.0f + vf_of_ints(c2_2_0);
            c0 = c0 * 256.0f + vf_of_ints(c2_1_0);
            c0 = c0 * 256.0f + vf_of_ints(c2_0_0);
            total[4] += scale0 * (c0 * unit);
            vf c1 = vf_of_ints(c2_3_1);
            c1 = c1 * 256.0f + vf_of_ints(c2_2_1);
            c1 = c1 * 256.0f + vf_of_ints(c2_1_1);
            c1 = c1 * 256.0f + vf_of_ints(c2_0_1);
            total[5] += scale1 * (c1 * unit);
        }
        slice++;
        if (k == border) {
            scales += width;
            border = K - k > group ? k + group : K;
        }
    }
    const vf c0_0 = total[0], c0_1 = total[1];
    const vf c1_0 = total[2], c1_1 = total[3];
    const vf c2_0 = total[4], c2_1 = total[5];
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
}

/* 2 rows x 2 vectors, by digits. */
static __attribute__((noinline)) void by_digits_2(const uint8_t *row, int64_t pitch, const sol_slice *slice, int64_t slices, const int32_t *b, int64_t K, const float *scales, int64_t group, float *c, int64_t ldc, int64_t count)
{
    (void)slices, (void)count;
    const int64_t width = 2 * LANES;
    vf totals[4] = {0}, *total = totals;
    SOL_PIN(total);
    vi low = vi_set(0x0f0f0f0f);
    SOL_HOLD(low);
    int64_t k = 0, border = group < K ? group : K;
    while (k < K) {
        const int64_t stop = border - k > SLICE ? k + SLICE : border;
        vi c0_0_0 = vi_set(-8 * slice[0 * slices].sums[0]), c0_0_1 = vi_set(-8 * slice[0 * slices].sums[0]);
        vi c0_1_0 = vi_set(-8 * slice[0 * slices].sums[1]), c0_1_1 = vi_set(-8 * slice[0 * slices].sums[1]);
        vi c0_2_0 = vi_set(-8 * slice[0 * slices].sums[2]), c0_2_1 = vi_set(-8 * slice[0 * slices].sums[2]);
        vi c0_3_0 = vi_set(-8 * slice[0 * slices].sums[3]), c0_3_1 = vi_set(-8 * slice[0 * slices].sums[3]);
        vi c1_0_0 = vi_set(-8 * slice[1 * slices].sums[0]), c1_0_1 = vi_set(-8 * slice[1 * slices].sums[0]);
        vi c1_1_0 = vi_set(-8 * slice[1 * slices].sums[1]), c1_1_1 = vi_set(-8 * slice[1 * slices].sums[1]);
        vi c1_2_0 = vi_set(-8 * slice[1 * slices].sums[2]), c1_2_1 = vi_set(-8 * slice[1 * slices].sums[2]);
        vi c1_3_0 = vi_set(-8 * slice[1 * slices].sums[3]), c1_3_1 = vi_set(-8 * slice[1 * slices].sums[3]);
        for (; k < stop; k += 8, b += width) {
            const vi v0 = vi_load_codes(b + 0 * LANES); SOL_ASK(b + 0 * LANES, 1024, 4096); const vi v1 = vi_load_codes(b + 1 * LANES); SOL_ASK(b + 1 * LANES, 1024, 4096); 
            {
                const vi w0 = v0 & low, w1 = v1 & low;
                { const vi x = vi_set(sol_dword(row + 0 * pitch + k)); c0_0_0 = vi_dot(c0_0_0, vq_unsigned(x), vq_signed(w0)); c0_0_1 = vi_dot(c0_0_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 1 * pitch + k)); c0_1_0 = vi_dot(c0_1_0, vq_unsigned(x), vq_signed(w0)); c0_1_1 = vi_dot(c0_1_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 2 * pitch + k)); c0_2_0 = vi_dot(c0_2_0, vq_unsigned(x), vq_signed(w0)); c0_2_1 = vi_dot(c0_2_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 3 * pitch + k)); c0_3_0 = vi_dot(c0_3_0, vq_unsigned(w0), vq_signed(x)); c0_3_1 = vi_dot(c0_3_1, vq_unsigned(w1), vq_signed(x)); }
                { const vi x = vi_set(sol_dword(row + 4 * pitch + k)); c1_0_0 = vi_dot(c1_0_0, vq_unsigned(x), vq_signed(w0)); c1_0_1 = vi_dot(c1_0_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 5 * pitch + k)); c1_1_0 = vi_dot(c1_1_0, vq_unsigned(x), vq_signed(w0)); c1_1_1 = vi_dot(c1_1_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 6 * pitch + k)); c1_2_0 = vi_dot(c1_2_0, vq_unsigned(x), vq_signed(w0)); c1_2_1 = vi_dot(c1_2_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 7 * pitch + k)); c1_3_0 = vi_dot(c1_3_0, vq_unsigned(w0), vq_signed(x)); c1_3_1 = vi_dot(c1_3_1, vq_unsigned(w1), vq_signed(x)); }
}
            {
                const vi w0 = v0 >> 4 & low, w1 = v1 >> 4 & low;
                { const vi x = vi_set(sol_dword(row + 0 * pitch + k + 4)); c0_0_0 = vi_dot(c0_0_0, vq_unsigned(x), vq_signed(w0)); c0_0_1 = vi_dot(c0_0_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 1 * pitch + k + 4)); c0_1_0 = vi_dot(c0_1_0, vq_unsigned(x), vq_signed(w0)); c0_1_1 = vi_dot(c0_1_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 2 * pitch + k + 4)); c0_2_0 = vi_dot(c0_2_0, vq_unsigned(x), vq_signed(w0)); c0_2_1 = vi_dot(c0_2_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 3 * pitch + k + 4)); c0_3_0 = vi_dot(c0_3_0, vq_unsigned(w0), vq_signed(x)); c0_3_1 = vi_dot(c0_3_1, vq_unsigned(w1), vq_signed(x)); }
                { const vi x = vi_set(sol_dword(row + 4 * pitch + k + 4)); c1_0_0 = vi_dot(c1_0_0, vq_unsigned(x), vq_signed(w0)); c1_0_1 = vi_dot(c1_0_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 5 * pitch + k + 4)); c1_1_0 = vi_dot(c1_1_0, vq_unsigned(x), vq_signed(w0)); c1_1_1 = vi_dot(c1_1_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 6 * pitch + k + 4)); c1_2_0 = vi_dot(c1_2_0, vq_unsigned(x), vq_signed(w0)); c1_2_1 = vi_dot(c1_2_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 7 * pitch + k + 4)); c1_3_0 = vi_dot(c1_3_0, vq_unsigned(w0), vq_signed(x)); c1_3_1 = vi_dot(c1_3_1, vq_unsigned(w1), vq_signed(x)); }
}
        }
        k = stop;
        const vf scale0 = vf_load(scales + 0 * LANES);
        const vf scale1 = vf_load(scales + 1 * LANES);
        {
            const float unit = slice[0 * slices].unit;
            vf c0 = vf_of_ints(c0_3_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_2_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_1_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_0_0);
            total[0] += scale0 * (c0 * unit);
            vf c1 = vf_of_ints(c0_3_1);
            c1 = c1 * 256.0f + vf_of_ints(c0_2_1);
            c1 = c1 * 256.0f + vf_of_ints(c0_1_1);
            c1 = c1 * 256.0f + vf_of_ints(c0_0_1);
            total[1] += scale1 * (c1 * unit);
        }
        {
            const float unit = slice[1 * slices].unit;
            vf c0 = vf_of_ints(c1_3_0);
            c0 = c0 * 256.0f + vf_of_ints(c1_2_0);
            c0 = c0 * 256.0f + vf_of_ints(c1_1_0);
            c0 = c0 * 256.0f + vf_of_ints(c1_0_0);
            total[2] += scale0 * (c0 * unit);
            vf c1 = vf_of_ints(c1_3_1);
            c1 = c1 * 256.0f + vf_of_ints(c1_2_1);
            c1 = c1 * 256.0f + vf_of_ints(c1_1_1);
            c1 = c1 * 256.0f + vf_of_ints(c1_0_1);
            total[3] += scale1 * (c1 * unit);
        }
        slice++;
        if (k == border) {
            scales += width;
            border = K - k > group ? k + group : K;
        }
    }
    const vf c0_0 = total[0], c0_1 = total[1];
    const vf c1_0 = total[2], c1_1 = total[3];
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
}

/* 1 rows x 2 vectors, by digits. */
static __attribute__((noinline)) void by_digits_1(const uint8_t *row, int64_t pitch, const sol_slice *slice, int64_t slices, const int32_t *b, int64_t K, const float *scales, int64_t group, float *c, int64_t ldc, int64_t count)
{
    (void)slices, (void)count;
    const int64_t width = 2 * LANES;
    vf totals[2] = {0}, *total = totals;
    SOL_PIN(total);
    vi low = vi_set(0x0f0f0f0f);
    SOL_HOLD(low);
    int64_t k = 0, border = group < K ? group : K;
    while (k < K) {
        const int64_t stop = border - k > SLICE ? k + SLICE : border;
        vi c0_0_0 = vi_set(-8 * slice[0 * slices].sums[0]), c0_0_1 = vi_set(-8 * slice[0 * slices].sums[0]);
        vi c0_1_0 = vi_set(-8 * slice[0 * slices].sums[1]), c0_1_1 = vi_set(-8 * slice[0 * slices].sums[1]);
        vi c0_2_0 = vi_set(-8 * slice[0 * slices].sums[2]), c0_2_1 = vi_set(-8 * slice[0 * slices].sums[2]);
        vi c0_3_0 = vi_set(-8 * slice[0 * slices].sums[3]), c0_3_1 = vi_set(-8 * slice[0 * slices].sums[3]);
        for (; k < stop; k += 8, b += width) {
            const vi v0 = vi_load_codes(b + 0 * LANES); SOL_ASK(b + 0 * LANES, 1024, 4096); const vi v1 = vi_load_codes(b + 1 * LANES); SOL_ASK(b + 1 * LANES, 1024, 4096); 
            {
                const vi w0 = v0 & low, w1 = v1 & low;
                { const vi x = vi_set(sol_dword(row + 0 * pitch + k)); c0_0_0 = vi_dot(c0_0_0, vq_unsigned(x), vq_signed(w0)); c0_0_1 = vi_dot(c0_0_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 1 * pitch + k)); c0_1_0 = vi_dot(c0_1_0, vq_unsigned(x), vq_signed(w0)); c0_1_1 = vi_dot(c0_1_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 2 * pitch + k)); c0_2_0 = vi_dot(c0_2_0, vq_unsigned(x), vq_signed(w0)); c0_2_1 = vi_dot(c0_2_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 3 * pitch + k)); c0_3_0 = vi_dot(c0_3_0, vq_unsigned(w0), vq_signed(x)); c0_3_1 = vi_dot(c0_3_1, vq_unsigned(w1), vq_signed(x)); }
}
            {
                const vi w0 = v0 >> 4 & low, w1 = v1 >> 4 & low;
                { const vi x = vi_set(sol_dword(row + 0 * pitch + k + 4)); c0_0_0 = vi_dot(c0_0_0, vq_unsigned(x), vq_signed(w0)); c0_0_1 = vi_dot(c0_0_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 1 * pitch + k + 4)); c0_1_0 = vi_dot(c0_1_0, vq_unsigned(x), vq_signed(w0)); c0_1_1 = vi_dot(c0_1_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 2 * pitch + k + 4)); c0_2_0 = vi_dot(c0_2_0, vq_unsigned(x), vq_signed(w0)); c0_2_1 = vi_dot(c0_2_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 3 * pitch + k + 4)); c0_3_0 = vi_dot(c0_3_0, vq_unsigned(w0), vq_signed(x)); c0_3_1 = vi_dot(c0_3_1, vq_unsigned(w1), vq_signed(x)); }
}
        }
        k = stop;
        const vf scale0 = vf_load(scales + 0 * LANES);
        const vf scale1 = vf_load(scales + 1 * LANES);
        {
            const float unit = slice[0 * slices].unit;
            vf c0 = vf_of_ints(c0_3_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_2_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_1_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_0_0);
            total[0] += scale0 * (c0 * unit);
            vf c1 = vf_of_ints(c0_3_1);
            c1 = c1 * 256.0f + vf_of_ints(c0_2_1);
            c1 = c1 * 256.0f + vf_of_ints(c0_1_1);
            c1 = c1 * 256.0f + vf_of_ints(c0_0_1);
            total[1] += scale1 * (c1 * unit);
        }
        slice++;
        if (k == border) {
            scales += width;
            border = K - k > group ? k + group : K;
        }
    }
    const vf c0_0 = total[0], c0_1 = total[1];
    {
        vf_store(c + 0 * ldc + 0 * LANES, c0_0);
    }
    {
        vf_store(c + 0 * ldc + 1 * LANES, c0_1);
    }
}

/* 3 rows x 1 vectors, by digits, count columns exist. */
static __attribute__((noinline)) void by_digits_3_ragged(const uint8_t *row, int64_t pitch, const sol_slice *slice, int64_t slices, const int32_t *b, int64_t K, const float *scales, int64_t group, float *c, int64_t ldc, int64_t count)
{
    (void)slices, (void)count;
    const int n0 = sol_lanes(count, 0);
    const int64_t width = 1 * LANES;
    vf totals[3] = {0}, *total = totals;
    SOL_PIN(total);
    vi low = vi_set(0x0f0f0f0f);
    SOL_HOLD(low);
    int64_t k = 0, border = group < K ? group : K;
    while (k < K) {
        const int64_t stop = border - k > SLICE ? k + SLICE : border;
        vi c0_0_0 = vi_set(-8 * slice[0 * slices].sums[0]);
        vi c0_1_0 = vi_set(-8 * slice[0 * slices].sums[1]);
        vi c0_2_0 = vi_set(-8 * slice[0 * slices].sums[2]);
        vi c0_3_0 = vi_set(-8 * slice[0 * slices].sums[3]);
        vi c1_0_0 = vi_set(-8 * slice[1 * slices].sums[0]);
        vi c1_1_0 = vi_set(-8 * slice[1 * slices].sums[1]);
        vi c1_2_0 = vi_set(-8 * slice[1 * slices].sums[2]);
        vi c1_3_0 = vi_set(-8 * slice[1 * slices].sums[3]);
        vi c2_0_0 = vi_set(-8 * slice[2 * slices].sums[0]);
        vi c2_1_0 = vi_set(-8 * slice[2 * slices].sums[1]);
        vi c2_2_0 = vi_set(-8 * slice[2 * slices].sums[2]);
        vi c2_3_0 = vi_set(-8 * slice[2 * slices].sums[3]);
        for (; k < stop; k += 8, b += width) {
            const vi v0 = vi_load_codes(b + 0 * LANES); SOL_ASK(b + 0 * LANES, 1024, 4096); 
            {
                const vi w0 = v0 & low;
                { const vi x = vi_set(sol_dword(row + 0 * pitch + k)); c0_0_0 = vi_dot(c0_0_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 1 * pitch + k)); c0_1_0 = vi_dot(c0_1_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 2 * pitch + k)); c0_2_0 = vi_dot(c0_2_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 3 * pitch + k)); c0_3_0 = vi_dot(c0_3_0, vq_unsigned(w0), vq_signed(x)); }
                { const vi x = vi_set(sol_dword(row + 4 * pitch + k)); c1_0_0 = vi_dot(c1_0_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 5 * pitch + k)); c1_1_0 = vi_dot(c1_1_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 6 * pitch + k)); c1_2_0 = vi_dot(c1_2_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 7 * pitch + k)); c1_3_0 = vi_dot(c1_3_0, vq_unsigned(w0), vq_signed(x)); }
                { const vi x = vi_set(sol_dword(row + 8 * pitch + k)); c2_0_0 = vi_dot(c2_0_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 9 * pitch + k)); c2_1_0 = vi_dot(c2_1_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 10 * pitch + k)); c2_2_0 = vi_dot(c2_2_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 11 * pitch + k)); c2_3_0 = vi_dot(c2_3_0, vq_unsigned(w0), vq_signed(x)); }
}
            {
                const vi w0 = v0 >> 4 & low;
                { const vi x = vi_set(sol_dword(row + 0 * pitch + k + 4)); c0_0_0 = vi_dot(c0_0_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 1 * pitch + k + 4)); c0_1_0 = vi_dot(c0_1_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 2 * pitch + k + 4)); c0_2_0 = vi_dot(c0_2_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 3 * pitch + k + 4)); c0_3_0 = vi_dot(c0_3_0, vq_unsigned(w0), vq_signed(x)); }
                { const vi x = vi_set(sol_dword(row + 4 * pitch + k + 4)); c1_0_0 = vi_dot(c1_0_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 5 * pitch + k + 4)); c1_1_0 = vi_dot(c1_1_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 6 * pitch + k + 4)); c1_2_0 = vi_dot(c1_2_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 7 * pitch + k + 4)); c1_3_0 = vi_dot(c1_3_0, vq_unsigned(w0), vq_signed(x)); }
                { const vi x = vi_set(sol_dword(row + 8 * pitch + k + 4)); c2_0_0 = vi_dot(c2_0_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 9 * pitch + k + 4)); c2_1_0 = vi_dot(c2_1_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 10 * pitch + k + 4)); c2_2_0 = vi_dot(c2_2_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 11 * pitch + k + 4)); c2_3_0 = vi_dot(c2_3_0, vq_unsigned(w0), vq_signed(x)); }
}
        }
        k = stop;
        const vf scale0 = vf_load(scales + 0 * LANES);
        {
            const float unit = slice[0 * slices].unit;
            vf c0 = vf_of_ints(c0_3_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_2_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_1_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_0_0);
            total[0] += scale0 * (c0 * unit);
        }
        {
            const float unit = slice[1 * slices].unit;
            vf c0 = vf_of_ints(c1_3_0);
            c0 = c0 * 256.0f + vf_of_ints(c1_2_0);
            c0 = c0 * 256.0f + vf_of_ints(c1_1_0);
            c0 = c0 * 256.0f + vf_of_ints(c1_0_0);
            total[1] += scale0 * (c0 * unit);
        }
        {
            const float unit = slice[2 * slices].unit;
            vf c0 = vf_of_ints(c2_3_0);
            c0 = c0 * 256.0f + vf_of_ints(c2_2_0);
            c0 = c0 * 256.0f + vf_of_ints(c2_1_0);
            c0 = c0 * 256.0f + vf_of_ints(c2_0_0);
            total[2] += scale0 * (c0 * unit);
        }
        slice++;
        if (k == border) {
            scales += width;
            border = K - k > group ? k + group : K;
        }
    }
    const vf c0_0 = total[0];
    const vf c1_0 = total[1];
    const vf c2_0 = total[2];
    {
        vf_store_n(c + 0 * ldc + 0 * LANES, c0_0, n0);
    }
    {
        vf_store_n(c + 1 * ldc + 0 * LANES, c1_0, n0);
    }
    {
        vf_store_n(c + 2 * ldc + 0 * LANES, c2_0, n0);
    }
}

/* 2 rows x 1 vectors, by digits, count columns exist. */
static __attribute__((noinline)) void by_digits_2_ragged(const uint8_t *row, int64_t pitch, const sol_slice *slice, int64_t slices, const int32_t *b, int64_t K, const float *scales, int64_t group, float *c, int64_t ldc, int64_t count)
{
    (void)slices, (void)count;
    const int n0 = sol_lanes(count, 0);
    const int64_t width = 1 * LANES;
    vf totals[2] = {0}, *total = totals;
    SOL_PIN(total);
    vi low = vi_set(0x0f0f0f0f);
    SOL_HOLD(low);
    int64_t k = 0, border = group < K ? group : K;
    while (k < K) {
        const int64_t stop = border - k > SLICE ? k + SLICE : border;
        vi c0_0_0 = vi_set(-8 * slice[0 * slices].sums[0]);
        vi c0_1_0 = vi_set(-8 * slice[0 * slices].sums[1]);
        vi c0_2_0 = vi_set(-8 * slice[0 * slices].sums[2]);
        vi c0_3_0 = vi_set(-8 * slice[0 * slices].sums[3]);
        vi c1_0_0 = vi_set(-8 * slice[1 * slices].sums[0]);
        vi c1_1_0 = vi_set(-8 * slice[1 * slices].sums[1]);
        vi c1_2_0 = vi_set(-8 * slice[1 * slices].sums[2]);
        vi c1_3_0 = vi_set(-8 * slice[1 * slices].sums[3]);
        for (; k < stop; k += 8, b += width) {
            const vi v0 = vi_load_codes(b + 0 * LANES); SOL_ASK(b + 0 * LANES, 1024, 4096); 
            {
                const vi w0 = v0 & low;
                { const vi x = vi_set(sol_dword(row + 0 * pitch + k)); c0_0_0 = vi_dot(c0_0_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 1 * pitch + k)); c0_1_0 = vi_dot(c0_1_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 2 * pitch + k)); c0_2_0 = vi_dot(c0_2_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 3 * pitch + k)); c0_3_0 = vi_dot(c0_3_0, vq_unsigned(w0), vq_signed(x)); }
                { const vi x = vi_set(sol_dword(row + 4 * pitch + k)); c1_0_0 = vi_dot(c1_0_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 5 * pitch + k)); c1_1_0 = vi_dot(c1_1_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 6 * pitch + k)); c1_2_0 = vi_dot(c1_2_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 7 * pitch + k)); c1_3_0 = vi_dot(c1_3_0, vq_unsigned(w0), vq_signed(x)); }
}
            {
                const vi w0 = v0 >> 4 & low;
                { const vi x = vi_set(sol_dword(row + 0 * pitch + k + 4)); c0_0_0 = vi_dot(c0_0_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 1 * pitch + k + 4)); c0_1_0 = vi_dot(c0_1_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 2 * pitch + k + 4)); c0_2_0 = vi_dot(c0_2_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 3 * pitch + k + 4)); c0_3_0 = vi_dot(c0_3_0, vq_unsigned(w0), vq_signed(x)); }
                { const vi x = vi_set(sol_dword(row + 4 * pitch + k + 4)); c1_0_0 = vi_dot(c1_0_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 5 * pitch + k + 4)); c1_1_0 = vi_dot(c1_1_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 6 * pitch + k + 4)); c1_2_0 = vi_dot(c1_2_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 7 * pitch + k + 4)); c1_3_0 = vi_dot(c1_3_0, vq_unsigned(w0), vq_signed(x)); }
}
        }
        k = stop;
        const vf scale0 = vf_load(scales + 0 * LANES);
        {
            const float unit = slice[0 * slices].unit;
            vf c0 = vf_of_ints(c0_3_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_2_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_1_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_0_0);
            total[0] += scale0 * (c0 * unit);
        }
        {
            const float unit = slice[1 * slices].unit;
            vf c0 = vf_of_ints(c1_3_0);
            c0 = c0 * 256.0f + vf_of_ints(c1_2_0);
            c0 = c0 * 256.0f + vf_of_ints(c1_1_0);
            c0 = c0 * 256.0f + vf_of_ints(c1_0_0);
            total[1] += scale0 * (c0 * unit);
        }
        slice++;
        if (k == border) {
            scales += width;
            border = K - k > group ? k + group : K;
        }
    }
    const vf c0_0 = total[0];
    const vf c1_0 = total[1];
    {
        vf_store_n(c + 0 * ldc + 0 * LANES, c0_0, n0);
    }
    {
        vf_store_n(c + 1 * ldc + 0 * LANES, c1_0, n0);
    }
}

/* 1 rows x 1 vectors, by digits, count columns exist. */
static __attribute__((noinline)) void by_digits_1_ragged(const uint8_t *row, int64_t pitch, const sol_slice *slice, int64_t slices, const int32_t *b, int64_t K, const float *scales, int64_t group, float *c, int64_t ldc, int64_t count)
{
    (void)slices, (void)count;
    const int n0 = sol_lanes(count, 0);
    const int64_t width = 1 * LANES;
    vf totals[1] = {0}, *total = totals;
    SOL_PIN(total);
    vi low = vi_set(0x0f0f0f0f);
    SOL_HOLD(low);
    int64_t k = 0, border = group < K ? group : K;
    while (k < K) {
        const int64_t stop = border - k > SLICE ? k + SLICE : border;
        vi c0_0_0 = vi_set(-8 * slice[0 * slices].sums[0]);
        vi c0_1_0 = vi_set(-8 * slice[0 * slices].sums[1]);
        vi c0_2_0 = vi_set(-8 * slice[0 * slices].sums[2]);
        vi c0_3_0 = vi_set(-8 * slice[0 * slices].sums[3]);
        for (; k < stop; k += 8, b += width) {
            const vi v0 = vi_load_codes(b + 0 * LANES); SOL_ASK(b + 0 * LANES, 1024, 4096); 
            {
                const vi w0 = v0 & low;
                { const vi x = vi_set(sol_dword(row + 0 * pitch + k)); c0_0_0 = vi_dot(c0_0_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 1 * pitch + k)); c0_1_0 = vi_dot(c0_1_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 2 * pitch + k)); c0_2_0 = vi_dot(c0_2_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 3 * pitch + k)); c0_3_0 = vi_dot(c0_3_0, vq_unsigned(w0), vq_signed(x)); }
}
            {
                const vi w0 = v0 >> 4 & low;
                { const vi x = vi_set(sol_dword(row + 0 * pitch + k + 4)); c0_0_0 = vi_dot(c0_0_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 1 * pitch + k + 4)); c0_1_0 = vi_dot(c0_1_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 2 * pitch + k + 4)); c0_2_0 = vi_dot(c0_2_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 3 * pitch + k + 4)); c0_3_0 = vi_dot(c0_3_0, vq_unsigned(w0), vq_signed(x)); }
}
        }
        k = stop;
        const vf scale0 = vf_load(scales + 0 * LANES);
        {
            const float unit = slice[0 * slices].unit;
            vf c0 = vf_of_ints(c0_3_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_2_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_1_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_0_0);
            total[0] += scale0 * (c0 * unit);
        }
        slice++;
        if (k == border) {
            scales += width;
            border = K - k > group ? k + group : K;
        }
    }
    const vf c0_0 = total[0];
    {
        vf_store_n(c + 0 * ldc + 0 * LANES, c0_0, n0);
    }
}

#define FEW(rows) (count < WIDTH ? few_tile_##rows##_ragged : few_tile_##rows)(a_q + m * lda, lda, panel, K, scales_p, group, c_q + m * ldc, ldc, count)
#define BY_DIGITS(rows) (count < WIDTH ? by_digits_##rows##_ragged : by_digits_##rows)(bytes + m * DIGITS * pitch, pitch, parts + m * slices, slices, panel, K, scales_p, group, c_q + m * ldc, ldc, count)
/* out[kc][width]: the weights of a panel from step k0 on, which begins a row of codes. */
static __attribute__((noinline)) void unpack(float *out, const int32_t *b, const float *scales, int64_t k0, int64_t kc, int64_t width, int64_t group)
{
    b += k0 / STEPS * width;
    for (int64_t k = k0, stop; k < k0 + kc; k = stop) {
        const int64_t g = k / group;
        stop = (g + 1) * group < k0 + kc ? (g + 1) * group : k0 + kc;
        for (int64_t column = 0; column < width; column += LANES) {
            const vf scale = vf_load(scales + g * width + column);
            float *to = out + (k - k0) * width + column;
            for (int64_t i = k; i < stop; i += STEPS) {
                const vi v = vi_load(b + (i - k0) / STEPS * width + column);
                for (int u = 0; u < STEPS && i + u < stop; u++, to += width) vf_store(to, (vf_of_quarter_bytes(v, 4 * u)) * scale);
            }
        }
    }
}

void matmul_weight_only_digits_4(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *A = buf[0];
    const uint8_t *B = buf[1];
    const float *scales = buf[2];
    float *C = buf[3];
    const int64_t M = arg[0];
    const int64_t N = arg[1];
    const int64_t K = arg[2];
    const int64_t lda = arg[3];
    const int64_t ldc = arg[4];
    const int64_t group = arg[5];
    (void)team; (void)buf; (void)arg;
    const int64_t panels = (N + WIDTH - 1) / WIDTH, groups = (K + group - 1) / group;
    int64_t active = 1 + 1 * M * N * K / 32768;
    if (active > team->size) active = team->size;
    if (team->id >= active) return;
    if (M <= MR) {
    {
    const int64_t units = 1 * panels, end = units * (team->id + 1) / active;
    float *const sums = (float *)team->scratch;
    const int64_t slices = (K / group) * ((group + SLICE - 1) / SLICE) + (K % group + SLICE - 1) / SLICE;
    int64_t have = -1;
    sol_slice *const parts = (sol_slice *)(sums + 8 * slices);
    uint8_t *const bytes = (uint8_t *)(parts + 3 * slices);
    const int64_t pitch = (K + 127) / 64 * 64;
    int by_digits = 0;
    for (int64_t u = units * team->id / active; u < end; u++) {
        const int64_t p = u % panels, q = u / panels;
        const int64_t count = N - p * WIDTH, width = count >= WIDTH ? WIDTH : 1 * LANES;
        int64_t rest = q;
        const float *a_q = A;
        float *c_q = C + p * WIDTH;
        (void)rest, (void)width;
        const int32_t *panel = (const int32_t *)B + p * ((K + STEPS - 1) / STEPS) * WIDTH;
        const float *scales_p = scales + p * groups * WIDTH;

        if (have != q) {
            by_digits = M <= 3;
            for (int64_t row = 0; by_digits && row < M; row++)
                by_digits = sol_to_digits(a_q + row * lda, K, group, SLICE, DIGITS, 1, bytes + row * DIGITS * pitch, pitch, parts + row * slices, sums + row * slices);
            have = q;
        }
        int64_t m = 0;
        if (by_digits) {
            if (M == 3) BY_DIGITS(3);
            else if (M == 2) BY_DIGITS(2);
            else if (M == 1) BY_DIGITS(1);
            continue;
        }
        if (M - m >= MR) {
            FEW(8);
            m += 8;
        }
        if ((M - m) & 4) {
            FEW(4);
            m += 4;
        }
        if ((M - m) & 2) {
            FEW(2);
            m += 2;
        }
        if ((M - m) & 1) {
            FEW(1);
            m += 1;
        }
    }
    }
    return;
    }
    const int64_t blocks = (M + MR - 1) / MR, units = 1 * panels * blocks, end = units * (team->id + 1) / active;
    float *const unpacked = (float *)team->scratch, *const partial = unpacked + 8192;
    for (int64_t u = units * team->id / active, run; u < end; u += run) {
        const int64_t r = u % blocks, p = u / blocks % panels, q = u / blocks / panels;
        run = blocks - r < end - u ? blocks - r : end - u;
        if (run > 64) run = 64;
        const int64_t count = N - p * WIDTH, width = count >= WIDTH ? WIDTH : 1 * LANES;
        int64_t rest = q;
        const float *a_q = A;
        float *c_q = C + p * WIDTH;
        (void)rest, (void)width;
        const int32_t *panel = (const int32_t *)B + p * ((K + STEPS - 1) / STEPS) * WIDTH;
        const float *scales_p = scales + p * groups * WIDTH;

        for (int64_t k0 = 0, kc; k0 < K; k0 += kc) {
            kc = K - k0 < SLICE ? K - k0 : SLICE;
            const int last = k0 + kc == K;
            unpack(unpacked, panel, scales_p, k0, kc, width, group);
            for (int64_t i = r; i < r + run; i++) {
                int64_t m = i * MR;
                const int64_t left = M - m;
                if (left >= MR) {
                    TILE(8);
                    continue;
                }
                if (left & 4) {
                    TILE(4);
                    m += 4;
                }
                if (left & 2) {
                    TILE(2);
                    m += 2;
                }
                if (left & 1) {
                    TILE(1);
                    m += 1;
                }
            }
        }
    }
}
