/* matmul_strips: C[M][N] = A[M][K] * B[K][N], for few rows and a right operand that no cache holds.
 *
 *   for each 53 of this thread's panels of 3 vectors at most: for each 192 steps of the reduction, whose sums join the total
 *     for each 16 rows of B, of which what follows is asked for: for each panel: for each block of 5 rows
 *       5 x 3 accumulators, which join the sums that wait in scratch, or become results */
#include "sol_team.h"
#include "sol_simd.h"
#include "sol_pack.h"

enum { MR = 5, NV = 3, WIDTH = NV * LANES };

/* 5 rows x 3 vectors. */
static __attribute__((noinline)) void tile_5(const float *a0, int64_t lda, const float *b, int64_t K, int64_t ldb, float *part, int64_t k0, int last, float *c, int64_t ldc, int64_t count)
{
    (void)lda, (void)count;
    const float *a1 = a0 + 1 * lda;
    const float *a2 = a0 + 2 * lda;
    const float *a3 = a0 + 3 * lda;
    const float *a4 = a0 + 4 * lda;
    int64_t k = 0;
    const int64_t stop = K;
    vf c0_0 = vf_zero(), c0_1 = vf_zero(), c0_2 = vf_zero();
    vf c1_0 = vf_zero(), c1_1 = vf_zero(), c1_2 = vf_zero();
    vf c2_0 = vf_zero(), c2_1 = vf_zero(), c2_2 = vf_zero();
    vf c3_0 = vf_zero(), c3_1 = vf_zero(), c3_2 = vf_zero();
    vf c4_0 = vf_zero(), c4_1 = vf_zero(), c4_2 = vf_zero();
    for (; k + 4 <= stop; k += 4, b += 4 * ldb) {
        {
            vf w0 = vf_load(b + 0 * LANES), w1 = vf_load(b + 1 * LANES), w2 = vf_load(b + 2 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1); SOL_HOLD(w2);
            __builtin_prefetch(b + 256 + 0 * LANES); __builtin_prefetch(b + 256 + 1 * LANES); __builtin_prefetch(b + 256 + 2 * LANES);
            { VF_NUMBER(x, a0[k + 0]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); VF_ADD_PRODUCT(c0_2, w2, x); }
            { VF_NUMBER(x, a1[k + 0]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); VF_ADD_PRODUCT(c1_2, w2, x); }
            { VF_NUMBER(x, a2[k + 0]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); VF_ADD_PRODUCT(c2_2, w2, x); }
            { VF_NUMBER(x, a3[k + 0]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); VF_ADD_PRODUCT(c3_2, w2, x); }
            { VF_NUMBER(x, a4[k + 0]); VF_ADD_PRODUCT(c4_0, w0, x); VF_ADD_PRODUCT(c4_1, w1, x); VF_ADD_PRODUCT(c4_2, w2, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 1 * ldb + 0 * LANES), w1 = vf_load(b + 1 * ldb + 1 * LANES), w2 = vf_load(b + 1 * ldb + 2 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1); SOL_HOLD(w2);
            __builtin_prefetch(b + 1 * ldb + 256 + 0 * LANES); __builtin_prefetch(b + 1 * ldb + 256 + 1 * LANES); __builtin_prefetch(b + 1 * ldb + 256 + 2 * LANES);
            { VF_NUMBER(x, a0[k + 1]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); VF_ADD_PRODUCT(c0_2, w2, x); }
            { VF_NUMBER(x, a1[k + 1]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); VF_ADD_PRODUCT(c1_2, w2, x); }
            { VF_NUMBER(x, a2[k + 1]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); VF_ADD_PRODUCT(c2_2, w2, x); }
            { VF_NUMBER(x, a3[k + 1]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); VF_ADD_PRODUCT(c3_2, w2, x); }
            { VF_NUMBER(x, a4[k + 1]); VF_ADD_PRODUCT(c4_0, w0, x); VF_ADD_PRODUCT(c4_1, w1, x); VF_ADD_PRODUCT(c4_2, w2, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 2 * ldb + 0 * LANES), w1 = vf_load(b + 2 * ldb + 1 * LANES), w2 = vf_load(b + 2 * ldb + 2 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1); SOL_HOLD(w2);
            __builtin_prefetch(b + 2 * ldb + 256 + 0 * LANES); __builtin_prefetch(b + 2 * ldb + 256 + 1 * LANES); __builtin_prefetch(b + 2 * ldb + 256 + 2 * LANES);
            { VF_NUMBER(x, a0[k + 2]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); VF_ADD_PRODUCT(c0_2, w2, x); }
            { VF_NUMBER(x, a1[k + 2]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); VF_ADD_PRODUCT(c1_2, w2, x); }
            { VF_NUMBER(x, a2[k + 2]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); VF_ADD_PRODUCT(c2_2, w2, x); }
            { VF_NUMBER(x, a3[k + 2]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); VF_ADD_PRODUCT(c3_2, w2, x); }
            { VF_NUMBER(x, a4[k + 2]); VF_ADD_PRODUCT(c4_0, w0, x); VF_ADD_PRODUCT(c4_1, w1, x); VF_ADD_PRODUCT(c4_2, w2, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 3 * ldb + 0 * LANES), w1 = vf_load(b + 3 * ldb + 1 * LANES), w2 = vf_load(b + 3 * ldb + 2 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1); SOL_HOLD(w2);
            __builtin_prefetch(b + 3 * ldb + 256 + 0 * LANES); __builtin_prefetch(b + 3 * ldb + 256 + 1 * LANES); __builtin_prefetch(b + 3 * ldb + 256 + 2 * LANES);
            { VF_NUMBER(x, a0[k + 3]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); VF_ADD_PRODUCT(c0_2, w2, x); }
            { VF_NUMBER(x, a1[k + 3]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); VF_ADD_PRODUCT(c1_2, w2, x); }
            { VF_NUMBER(x, a2[k + 3]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); VF_ADD_PRODUCT(c2_2, w2, x); }
            { VF_NUMBER(x, a3[k + 3]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); VF_ADD_PRODUCT(c3_2, w2, x); }
            { VF_NUMBER(x, a4[k + 3]); VF_ADD_PRODUCT(c4_0, w0, x); VF_ADD_PRODUCT(c4_1, w1, x); VF_ADD_PRODUCT(c4_2, w2, x); }
        }
        SOL_FENCE();
    }
    for (; k < stop; k++, b += ldb) {
        const vf w0 = vf_load(b + 0 * LANES), w1 = vf_load(b + 1 * LANES), w2 = vf_load(b + 2 * LANES);
        { const float x = a0[k]; c0_0 += w0 * x; c0_1 += w1 * x; c0_2 += w2 * x; }
        { const float x = a1[k]; c1_0 += w0 * x; c1_1 += w1 * x; c1_2 += w2 * x; }
        { const float x = a2[k]; c2_0 += w0 * x; c2_1 += w1 * x; c2_2 += w2 * x; }
        { const float x = a3[k]; c3_0 += w0 * x; c3_1 += w1 * x; c3_2 += w2 * x; }
        { const float x = a4[k]; c4_0 += w0 * x; c4_1 += w1 * x; c4_2 += w2 * x; }
    }
    if (k0) {
c0_0 += vf_load(part + 0 * LANES); c0_1 += vf_load(part + 1 * LANES); c0_2 += vf_load(part + 2 * LANES); 
c1_0 += vf_load(part + 3 * LANES); c1_1 += vf_load(part + 4 * LANES); c1_2 += vf_load(part + 5 * LANES); 
c2_0 += vf_load(part + 6 * LANES); c2_1 += vf_load(part + 7 * LANES); c2_2 += vf_load(part + 8 * LANES); 
c3_0 += vf_load(part + 9 * LANES); c3_1 += vf_load(part + 10 * LANES); c3_2 += vf_load(part + 11 * LANES); 
c4_0 += vf_load(part + 12 * LANES); c4_1 += vf_load(part + 13 * LANES); c4_2 += vf_load(part + 14 * LANES); 
    }
    if (!last) {
vf_store(part + 0 * LANES, c0_0); vf_store(part + 1 * LANES, c0_1); vf_store(part + 2 * LANES, c0_2); 
vf_store(part + 3 * LANES, c1_0); vf_store(part + 4 * LANES, c1_1); vf_store(part + 5 * LANES, c1_2); 
vf_store(part + 6 * LANES, c2_0); vf_store(part + 7 * LANES, c2_1); vf_store(part + 8 * LANES, c2_2); 
vf_store(part + 9 * LANES, c3_0); vf_store(part + 10 * LANES, c3_1); vf_store(part + 11 * LANES, c3_2); 
vf_store(part + 12 * LANES, c4_0); vf_store(part + 13 * LANES, c4_1); vf_store(part + 14 * LANES, c4_2); 
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
}

/* 4 rows x 3 vectors. */
static __attribute__((noinline)) void tile_4(const float *a0, int64_t lda, const float *b, int64_t K, int64_t ldb, float *part, int64_t k0, int last, float *c, int64_t ldc, int64_t count)
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
    for (; k + 4 <= stop; k += 4, b += 4 * ldb) {
        {
            vf w0 = vf_load(b + 0 * LANES), w1 = vf_load(b + 1 * LANES), w2 = vf_load(b + 2 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1); SOL_HOLD(w2);
            __builtin_prefetch(b + 256 + 0 * LANES); __builtin_prefetch(b + 256 + 1 * LANES); __builtin_prefetch(b + 256 + 2 * LANES);
            { VF_NUMBER(x, a0[k + 0]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); VF_ADD_PRODUCT(c0_2, w2, x); }
            { VF_NUMBER(x, a1[k + 0]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); VF_ADD_PRODUCT(c1_2, w2, x); }
            { VF_NUMBER(x, a2[k + 0]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); VF_ADD_PRODUCT(c2_2, w2, x); }
            { VF_NUMBER(x, a3[k + 0]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); VF_ADD_PRODUCT(c3_2, w2, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 1 * ldb + 0 * LANES), w1 = vf_load(b + 1 * ldb + 1 * LANES), w2 = vf_load(b + 1 * ldb + 2 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1); SOL_HOLD(w2);
            __builtin_prefetch(b + 1 * ldb + 256 + 0 * LANES); __builtin_prefetch(b + 1 * ldb + 256 + 1 * LANES); __builtin_prefetch(b + 1 * ldb + 256 + 2 * LANES);
            { VF_NUMBER(x, a0[k + 1]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); VF_ADD_PRODUCT(c0_2, w2, x); }
            { VF_NUMBER(x, a1[k + 1]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); VF_ADD_PRODUCT(c1_2, w2, x); }
            { VF_NUMBER(x, a2[k + 1]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); VF_ADD_PRODUCT(c2_2, w2, x); }
            { VF_NUMBER(x, a3[k + 1]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); VF_ADD_PRODUCT(c3_2, w2, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 2 * ldb + 0 * LANES), w1 = vf_load(b + 2 * ldb + 1 * LANES), w2 = vf_load(b + 2 * ldb + 2 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1); SOL_HOLD(w2);
            __builtin_prefetch(b + 2 * ldb + 256 + 0 * LANES); __builtin_prefetch(b + 2 * ldb + 256 + 1 * LANES); __builtin_prefetch(b + 2 * ldb + 256 + 2 * LANES);
            { VF_NUMBER(x, a0[k + 2]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); VF_ADD_PRODUCT(c0_2, w2, x); }
            { VF_NUMBER(x, a1[k + 2]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); VF_ADD_PRODUCT(c1_2, w2, x); }
            { VF_NUMBER(x, a2[k + 2]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); VF_ADD_PRODUCT(c2_2, w2, x); }
            { VF_NUMBER(x, a3[k + 2]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); VF_ADD_PRODUCT(c3_2, w2, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load(b + 3 * ldb + 0 * LANES), w1 = vf_load(b + 3 * ldb + 1 * LANES), w2 = vf_load(b + 3 * ldb + 2 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1); SOL_HOLD(w2);
            __builtin_prefetch(b + 3 * ldb + 256 + 0 * LANES); __builtin_prefetch(b + 3 * ldb + 256 + 1 * LANES); __builtin_prefetch(b + 3 * ldb + 256 + 2 * LANES);
            { VF_NUMBER(x, a0[k + 3]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); VF_ADD_PRODUCT(c0_2, w2, x); }
            { VF_NUMBER(x, a1[k + 3]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); VF_ADD_PRODUCT(c1_2, w2, x); }
            { VF_NUMBER(x, a2[k + 3]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); VF_ADD_PRODUCT(c2_2, w2, x); }
            { VF_NUMBER(x, a3[k + 3]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); VF_ADD_PRODUCT(c3_2, w2, x); }
        }
        SOL_FENCE();
    }
    for (; k < stop; k++, b += ldb) {
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

/* 5 rows x 3 vectors, count columns exist. */
static __attribute__((noinline)) void tile_5_ragged(const float *a0, int64_t lda, const float *b, int64_t K, int64_t ldb, float *part, int64_t k0, int last, float *c, int64_t ldc, int64_t count)
{
    (void)lda, (void)count;
    const int n0 = sol_lanes(count, 0);
    const int n1 = sol_lanes(count, 1);
    const int n2 = sol_lanes(count, 2);
    const float *a1 = a0 + 1 * lda;
    const float *a2 = a0 + 2 * lda;
    const float *a3 = a0 + 3 * lda;
    const float *a4 = a0 + 4 * lda;
    int64_t k = 0;
    const int64_t stop = K;
    vf c0_0 = vf_zero(), c0_1 = vf_zero(), c0_2 = vf_zero();
    vf c1_0 = vf_zero(), c1_1 = vf_zero(), c1_2 = vf_zero();
    vf c2_0 = vf_zero(), c2_1 = vf_zero(), c2_2 = vf_zero();
    vf c3_0 = vf_zero(), c3_1 = vf_zero(), c3_2 = vf_zero();
    vf c4_0 = vf_zero(), c4_1 = vf_zero(), c4_2 = vf_zero();
    for (; k + 4 <= stop; k += 4, b += 4 * ldb) {
        {
            vf w0 = vf_load_n(b + 0 * LANES, n0), w1 = vf_load_n(b + 1 * LANES, n1), w2 = vf_load_n(b + 2 * LANES, n2);
            SOL_HOLD(w0); SOL_HOLD(w1); SOL_HOLD(w2);
            __builtin_prefetch(b + 256 + 0 * LANES); __builtin_prefetch(b + 256 + 1 * LANES); __builtin_prefetch(b + 256 + 2 * LANES);
            { VF_NUMBER(x, a0[k + 0]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); VF_ADD_PRODUCT(c0_2, w2, x); }
            { VF_NUMBER(x, a1[k + 0]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); VF_ADD_PRODUCT(c1_2, w2, x); }
            { VF_NUMBER(x, a2[k + 0]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); VF_ADD_PRODUCT(c2_2, w2, x); }
            { VF_NUMBER(x, a3[k + 0]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); VF_ADD_PRODUCT(c3_2, w2, x); }
            { VF_NUMBER(x, a4[k + 0]); VF_ADD_PRODUCT(c4_0, w0, x); VF_ADD_PRODUCT(c4_1, w1, x); VF_ADD_PRODUCT(c4_2, w2, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load_n(b + 1 * ldb + 0 * LANES, n0), w1 = vf_load_n(b + 1 * ldb + 1 * LANES, n1), w2 = vf_load_n(b + 1 * ldb + 2 * LANES, n2);
            SOL_HOLD(w0); SOL_HOLD(w1); SOL_HOLD(w2);
            __builtin_prefetch(b + 1 * ldb + 256 + 0 * LANES); __builtin_prefetch(b + 1 * ldb + 256 + 1 * LANES); __builtin_prefetch(b + 1 * ldb + 256 + 2 * LANES);
            { VF_NUMBER(x, a0[k + 1]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); VF_ADD_PRODUCT(c0_2, w2, x); }
            { VF_NUMBER(x, a1[k + 1]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); VF_ADD_PRODUCT(c1_2, w2, x); }
            { VF_NUMBER(x, a2[k + 1]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); VF_ADD_PRODUCT(c2_2, w2, x); }
            { VF_NUMBER(x, a3[k + 1]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); VF_ADD_PRODUCT(c3_2, w2, x); }
            { VF_NUMBER(x, a4[k + 1]); VF_ADD_PRODUCT(c4_0, w0, x); VF_ADD_PRODUCT(c4_1, w1, x); VF_ADD_PRODUCT(c4_2, w2, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load_n(b + 2 * ldb + 0 * LANES, n0), w1 = vf_load_n(b + 2 * ldb + 1 * LANES, n1), w2 = vf_load_n(b + 2 * ldb + 2 * LANES, n2);
            SOL_HOLD(w0); SOL_HOLD(w1); SOL_HOLD(w2);
            __builtin_prefetch(b + 2 * ldb + 256 + 0 * LANES); __builtin_prefetch(b + 2 * ldb + 256 + 1 * LANES); __builtin_prefetch(b + 2 * ldb + 256 + 2 * LANES);
            { VF_NUMBER(x, a0[k + 2]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); VF_ADD_PRODUCT(c0_2, w2, x); }
            { VF_NUMBER(x, a1[k + 2]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); VF_ADD_PRODUCT(c1_2, w2, x); }
            { VF_NUMBER(x, a2[k + 2]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); VF_ADD_PRODUCT(c2_2, w2, x); }
            { VF_NUMBER(x, a3[k + 2]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); VF_ADD_PRODUCT(c3_2, w2, x); }
            { VF_NUMBER(x, a4[k + 2]); VF_ADD_PRODUCT(c4_0, w0, x); VF_ADD_PRODUCT(c4_1, w1, x); VF_ADD_PRODUCT(c4_2, w2, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load_n(b + 3 * ldb + 0 * LANES, n0), w1 = vf_load_n(b + 3 * ldb + 1 * LANES, n1), w2 = vf_load_n(b + 3 * ldb + 2 * LANES, n2);
            SOL_HOLD(w0); SOL_HOLD(w1); SOL_HOLD(w2);
            __builtin_prefetch(b + 3 * ldb + 256 + 0 * LANES); __builtin_prefetch(b + 3 * ldb + 256 + 1 * LANES); __builtin_prefetch(b + 3 * ldb + 256 + 2 * LANES);
            { VF_NUMBER(x, a0[k + 3]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); VF_ADD_PRODUCT(c0_2, w2, x); }
            { VF_NUMBER(x, a1[k + 3]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); VF_ADD_PRODUCT(c1_2, w2, x); }
            { VF_NUMBER(x, a2[k + 3]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); VF_ADD_PRODUCT(c2_2, w2, x); }
            { VF_NUMBER(x, a3[k + 3]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); VF_ADD_PRODUCT(c3_2, w2, x); }
            { VF_NUMBER(x, a4[k + 3]); VF_ADD_PRODUCT(c4_0, w0, x); VF_ADD_PRODUCT(c4_1, w1, x); VF_ADD_PRODUCT(c4_2, w2, x); }
        }
        SOL_FENCE();
    }
    for (; k < stop; k++, b += ldb) {
        const vf w0 = vf_load_n(b + 0 * LANES, n0), w1 = vf_load_n(b + 1 * LANES, n1), w2 = vf_load_n(b + 2 * LANES, n2);
        { const float x = a0[k]; c0_0 += w0 * x; c0_1 += w1 * x; c0_2 += w2 * x; }
        { const float x = a1[k]; c1_0 += w0 * x; c1_1 += w1 * x; c1_2 += w2 * x; }
        { const float x = a2[k]; c2_0 += w0 * x; c2_1 += w1 * x; c2_2 += w2 * x; }
        { const float x = a3[k]; c3_0 += w0 * x; c3_1 += w1 * x; c3_2 += w2 * x; }
        { const float x = a4[k]; c4_0 += w0 * x; c4_1 += w1 * x; c4_2 += w2 * x; }
    }
    if (k0) {
c0_0 += vf_load(part + 0 * LANES); c0_1 += vf_load(part + 1 * LANES); c0_2 += vf_load(part + 2 * LANES); 
c1_0 += vf_load(part + 3 * LANES); c1_1 += vf_load(part + 4 * LANES); c1_2 += vf_load(part + 5 * LANES); 
c2_0 += vf_load(part + 6 * LANES); c2_1 += vf_load(part + 7 * LANES); c2_2 += vf_load(part + 8 * LANES); 
c3_0 += vf_load(part + 9 * LANES); c3_1 += vf_load(part + 10 * LANES); c3_2 += vf_load(part + 11 * LANES); 
c4_0 += vf_load(part + 12 * LANES); c4_1 += vf_load(part + 13 * LANES); c4_2 += vf_load(part + 14 * LANES); 
    }
    if (!last) {
vf_store(part + 0 * LANES, c0_0); vf_store(part + 1 * LANES, c0_1); vf_store(part + 2 * LANES, c0_2); 
vf_store(part + 3 * LANES, c1_0); vf_store(part + 4 * LANES, c1_1); vf_store(part + 5 * LANES, c1_2); 
vf_store(part + 6 * LANES, c2_0); vf_store(part + 7 * LANES, c2_1); vf_store(part + 8 * LANES, c2_2); 
vf_store(part + 9 * LANES, c3_0); vf_store(part + 10 * LANES, c3_1); vf_store(part + 11 * LANES, c3_2); 
vf_store(part + 12 * LANES, c4_0); vf_store(part + 13 * LANES, c4_1); vf_store(part + 14 * LANES, c4_2); 
        return;
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
}

/* 4 rows x 3 vectors, count columns exist. */
static __attribute__((noinline)) void tile_4_ragged(const float *a0, int64_t lda, const float *b, int64_t K, int64_t ldb, float *part, int64_t k0, int last, float *c, int64_t ldc, int64_t count)
{
    (void)lda, (void)count;
    const int n0 = sol_lanes(count, 0);
    const int n1 = sol_lanes(count, 1);
    const int n2 = sol_lanes(count, 2);
    const float *a1 = a0 + 1 * lda;
    const float *a2 = a0 + 2 * lda;
    const float *a3 = a0 + 3 * lda;
    int64_t k = 0;
    const int64_t stop = K;
    vf c0_0 = vf_zero(), c0_1 = vf_zero(), c0_2 = vf_zero();
    vf c1_0 = vf_zero(), c1_1 = vf_zero(), c1_2 = vf_zero();
    vf c2_0 = vf_zero(), c2_1 = vf_zero(), c2_2 = vf_zero();
    vf c3_0 = vf_zero(), c3_1 = vf_zero(), c3_2 = vf_zero();
    for (; k + 4 <= stop; k += 4, b += 4 * ldb) {
        {
            vf w0 = vf_load_n(b + 0 * LANES, n0), w1 = vf_load_n(b + 1 * LANES, n1), w2 = vf_load_n(b + 2 * LANES, n2);
            SOL_HOLD(w0); SOL_HOLD(w1); SOL_HOLD(w2);
            __builtin_prefetch(b + 256 + 0 * LANES); __builtin_prefetch(b + 256 + 1 * LANES); __builtin_prefetch(b + 256 + 2 * LANES);
            { VF_NUMBER(x, a0[k + 0]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); VF_ADD_PRODUCT(c0_2, w2, x); }
            { VF_NUMBER(x, a1[k + 0]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); VF_ADD_PRODUCT(c1_2, w2, x); }
            { VF_NUMBER(x, a2[k + 0]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); VF_ADD_PRODUCT(c2_2, w2, x); }
            { VF_NUMBER(x, a3[k + 0]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); VF_ADD_PRODUCT(c3_2, w2, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load_n(b + 1 * ldb + 0 * LANES, n0), w1 = vf_load_n(b + 1 * ldb + 1 * LANES, n1), w2 = vf_load_n(b + 1 * ldb + 2 * LANES, n2);
            SOL_HOLD(w0); SOL_HOLD(w1); SOL_HOLD(w2);
            __builtin_prefetch(b + 1 * ldb + 256 + 0 * LANES); __builtin_prefetch(b + 1 * ldb + 256 + 1 * LANES); __builtin_prefetch(b + 1 * ldb + 256 + 2 * LANES);
            { VF_NUMBER(x, a0[k + 1]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); VF_ADD_PRODUCT(c0_2, w2, x); }
            { VF_NUMBER(x, a1[k + 1]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); VF_ADD_PRODUCT(c1_2, w2, x); }
            { VF_NUMBER(x, a2[k + 1]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); VF_ADD_PRODUCT(c2_2, w2, x); }
            { VF_NUMBER(x, a3[k + 1]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); VF_ADD_PRODUCT(c3_2, w2, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load_n(b + 2 * ldb + 0 * LANES, n0), w1 = vf_load_n(b + 2 * ldb + 1 * LANES, n1), w2 = vf_load_n(b + 2 * ldb + 2 * LANES, n2);
            SOL_HOLD(w0); SOL_HOLD(w1); SOL_HOLD(w2);
            __builtin_prefetch(b + 2 * ldb + 256 + 0 * LANES); __builtin_prefetch(b + 2 * ldb + 256 + 1 * LANES); __builtin_prefetch(b + 2 * ldb + 256 + 2 * LANES);
            { VF_NUMBER(x, a0[k + 2]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); VF_ADD_PRODUCT(c0_2, w2, x); }
            { VF_NUMBER(x, a1[k + 2]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); VF_ADD_PRODUCT(c1_2, w2, x); }
            { VF_NUMBER(x, a2[k + 2]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); VF_ADD_PRODUCT(c2_2, w2, x); }
            { VF_NUMBER(x, a3[k + 2]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); VF_ADD_PRODUCT(c3_2, w2, x); }
        }
        SOL_FENCE();
        {
            vf w0 = vf_load_n(b + 3 * ldb + 0 * LANES, n0), w1 = vf_load_n(b + 3 * ldb + 1 * LANES, n1), w2 = vf_load_n(b + 3 * ldb + 2 * LANES, n2);
            SOL_HOLD(w0); SOL_HOLD(w1); SOL_HOLD(w2);
            __builtin_prefetch(b + 3 * ldb + 256 + 0 * LANES); __builtin_prefetch(b + 3 * ldb + 256 + 1 * LANES); __builtin_prefetch(b + 3 * ldb + 256 + 2 * LANES);
            { VF_NUMBER(x, a0[k + 3]); VF_ADD_PRODUCT(c0_0, w0, x); VF_ADD_PRODUCT(c0_1, w1, x); VF_ADD_PRODUCT(c0_2, w2, x); }
            { VF_NUMBER(x, a1[k + 3]); VF_ADD_PRODUCT(c1_0, w0, x); VF_ADD_PRODUCT(c1_1, w1, x); VF_ADD_PRODUCT(c1_2, w2, x); }
            { VF_NUMBER(x, a2[k + 3]); VF_ADD_PRODUCT(c2_0, w0, x); VF_ADD_PRODUCT(c2_1, w1, x); VF_ADD_PRODUCT(c2_2, w2, x); }
            { VF_NUMBER(x, a3[k + 3]); VF_ADD_PRODUCT(c3_0, w0, x); VF_ADD_PRODUCT(c3_1, w1, x); VF_ADD_PRODUCT(c3_2, w2, x); }
        }
        SOL_FENCE();
    }
    for (; k < stop; k++, b += ldb) {
        const vf w0 = vf_load_n(b + 0 * LANES, n0), w1 = vf_load_n(b + 1 * LANES, n1), w2 = vf_load_n(b + 2 * LANES, n2);
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
}

#define TILE(rows) (count < WIDTH ? tile_##rows##_ragged : tile_##rows)(A + m * lda + k2, lda, panel, kc, B_k, part, k0, last, c_q + m * ldc, ldc, count)
enum { STEPS = 16, LONGEST = 192, PANELS = 53 };

void matmul_strips(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *A = buf[0];
    const float *B = buf[1];
    float *C = buf[2];
    const int64_t M = arg[0];
    const int64_t N = arg[1];
    const int64_t K = arg[2];
    const int64_t lda = arg[3];
    const int64_t ldc = arg[4];
    const int64_t B_k = arg[5];
    (void)team; (void)buf; (void)arg;
    const int64_t all = (N + WIDTH - 1) / WIDTH, rows = (M + MR - 1) / MR * MR;
    int64_t active = 1 + M * N * K / 32768;
    if (active > team->size) active = team->size;
    if (team->id >= active) return;
    const int64_t begin = all * team->id / active, own = all * (team->id + 1) / active - begin, chunks = (own + PANELS - 1) / PANELS;
    float *const totals = (float *)team->scratch, *const partial = totals + PANELS * rows * WIDTH;
    for (int64_t chunk = 0; chunk < chunks; chunk++) {
        const int64_t first = begin + own * chunk / chunks, end = begin + own * (chunk + 1) / chunks;
        for (int64_t k1 = 0; k1 < K; k1 += LONGEST) {
            const int final = K - k1 <= LONGEST;
            float *const sums = k1 && !final ? partial : totals;
            for (int64_t k2 = k1, kc; k2 < K && k2 < k1 + LONGEST; k2 += kc) {
                kc = K - k2 < STEPS ? K - k2 : STEPS;
                const int last = k2 + kc == K;
                const int64_t k0 = final ? k2 : k2 - k1; /* 0 where sums begin */
                for (int64_t p = first; p < end; p++) {
                    const float *panel = B + k2 * B_k + p * WIDTH;
                    const int64_t count = N - p * WIDTH;
                    float *c_q = C + p * WIDTH;
                    for (int64_t m = 0; m < M; m += MR) {
                        float *const part = sums + ((p - first) * rows + m) * WIDTH;
                        if (M - m >= MR) TILE(5);
                        else TILE(4);
                    }
                }
            }
            if (k1 && !final)
                for (int64_t i = 0; i < (end - first) * rows * WIDTH; i += LANES) vf_store(totals + i, vf_load(totals + i) + vf_load(partial + i));
        }
    }
}
