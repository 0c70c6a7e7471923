/* matmul_weight_only_parts: C[q][M][N] = A[q][M][K] * W^T; W[n][k] = (B[n][k] - zeros[n][g]) * scales[n][g], g = k / group.
 *
 * B in panels of 2 vectors of dwords, each of 8 integers, [panel][K / 8][2 * LANES], scales and zero points as [panel][g][2 * LANES].
 * At most 8 rows, for each of this thread's (q, panel): all rows at once
 *   for each group, in slices of at most 256 steps: A times integers, added up in registers, then scaled and added to the totals
 * At most 4 rows whose numbers are finite, and not tiny: each number is an integer of 3 bytes times a power of two of its slice,
 *   and its bytes are multiplied by integers of the weight, four at a time (sol_digits.h)
 * More rows of bfloat16, by matrix tiles (AMX), for each of this thread's (q, panel, blocks of 32 rows): for each slice of at most 64 steps
 *   dequantize the slice of the panel to sums of two numbers of bfloat16, which stay in the cache; for each block of rows up to four tiles of sums
 *   Rows whose sums are not all finite are multiplied as floats.
 * Options: 0 batch dimensions, A copied to rows of float32 first. */
#include "sol_team.h"
#include "sol_codes.h"
#include "sol_digits.h"
#include "sol_tiles.h"
#include "sol_pack.h"

enum { STEPS = 8, SLICE = 256, DIGITS = 3 };
enum { MR = 8, NV = 2, WIDTH = NV * LANES };

/* 8 rows x 2 vectors. */
static __attribute__((noinline)) void few_tile_8(const float *a0, int64_t lda, const int32_t *b, int64_t K, const uint16_t *scales, const int8_t *zeros, const float *sums, int64_t slices, int64_t group, uint16_t *c, int64_t ldc, int64_t count)
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
        const vf scale0 = vbf_load(scales + 0 * LANES), zero0 = vf_of_bytes((const uint8_t *)zeros + 0 * LANES);
        const vf scale1 = vbf_load(scales + 1 * LANES), zero1 = vf_of_bytes((const uint8_t *)zeros + 1 * LANES);
        { const float sum = sums[0 * slices]; total[0] += scale0 * (c0_0 - zero0 * sum); total[1] += scale1 * (c0_1 - zero1 * sum); }
        { const float sum = sums[1 * slices]; total[2] += scale0 * (c1_0 - zero0 * sum); total[3] += scale1 * (c1_1 - zero1 * sum); }
        { const float sum = sums[2 * slices]; total[4] += scale0 * (c2_0 - zero0 * sum); total[5] += scale1 * (c2_1 - zero1 * sum); }
        { const float sum = sums[3 * slices]; total[6] += scale0 * (c3_0 - zero0 * sum); total[7] += scale1 * (c3_1 - zero1 * sum); }
        { const float sum = sums[4 * slices]; total[8] += scale0 * (c4_0 - zero0 * sum); total[9] += scale1 * (c4_1 - zero1 * sum); }
        { const float sum = sums[5 * slices]; total[10] += scale0 * (c5_0 - zero0 * sum); total[11] += scale1 * (c5_1 - zero1 * sum); }
        { const float sum = sums[6 * slices]; total[12] += scale0 * (c6_0 - zero0 * sum); total[13] += scale1 * (c6_1 - zero1 * sum); }
        { const float sum = sums[7 * slices]; total[14] += scale0 * (c7_0 - zero0 * sum); total[15] += scale1 * (c7_1 - zero1 * sum); }
        sums++;
        if (k == border) {
            scales += width;
            zeros += width;
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
        vbf_result_store(c + 0 * ldc + 0 * LANES, c0_0);
    }
    {
        vbf_result_store(c + 0 * ldc + 1 * LANES, c0_1);
    }
    {
        vbf_result_store(c + 1 * ldc + 0 * LANES, c1_0);
    }
    {
        vbf_result_store(c + 1 * ldc + 1 * LANES, c1_1);
    }
    {
        vbf_result_store(c + 2 * ldc + 0 * LANES, c2_0);
    }
    {
        vbf_result_store(c + 2 * ldc + 1 * LANES, c2_1);
    }
    {
        vbf_result_store(c + 3 * ldc + 0 * LANES, c3_0);
    }
    {
        vbf_result_store(c + 3 * ldc + 1 * LANES, c3_1);
    }
    {
        vbf_result_store(c + 4 * ldc + 0 * LANES, c4_0);
    }
    {
        vbf_result_store(c + 4 * ldc + 1 * LANES, c4_1);
    }
    {
        vbf_result_store(c + 5 * ldc + 0 * LANES, c5_0);
    }
    {
        vbf_result_store(c + 5 * ldc + 1 * LANES, c5_1);
    }
    {
        vbf_result_store(c + 6 * ldc + 0 * LANES, c6_0);
    }
    {
        vbf_result_store(c + 6 * ldc + 1 * LANES, c6_1);
    }
    {
        vbf_result_store(c + 7 * ldc + 0 * LANES, c7_0);
    }
    {
        vbf_result_store(c + 7 * ldc + 1 * LANES, c7_1);
    }
}

/* 4 rows x 2 vectors. */
static __attribute__((noinline)) void few_tile_4(const float *a0, int64_t lda, const int32_t *b, int64_t K, const uint16_t *scales, const int8_t *zeros, const float *sums, int64_t slices, int64_t group, uint16_t *c, int64_t ldc, int64_t count)
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
        const vf scale0 = vbf_load(scales + 0 * LANES), zero0 = vf_of_bytes((const uint8_t *)zeros + 0 * LANES);
        const vf scale1 = vbf_load(scales + 1 * LANES), zero1 = vf_of_bytes((const uint8_t *)zeros + 1 * LANES);
        { const float sum = sums[0 * slices]; total[0] += scale0 * (c0_0 - zero0 * sum); total[1] += scale1 * (c0_1 - zero1 * sum); }
        { const float sum = sums[1 * slices]; total[2] += scale0 * (c1_0 - zero0 * sum); total[3] += scale1 * (c1_1 - zero1 * sum); }
        { const float sum = sums[2 * slices]; total[4] += scale0 * (c2_0 - zero0 * sum); total[5] += scale1 * (c2_1 - zero1 * sum); }
        { const float sum = sums[3 * slices]; total[6] += scale0 * (c3_0 - zero0 * sum); total[7] += scale1 * (c3_1 - zero1 * sum); }
        sums++;
        if (k == border) {
            scales += width;
            zeros += width;
            border = K - k > group ? k + group : K;
        }
    }
    const vf c0_0 = total[0], c0_1 = total[1];
    const vf c1_0 = total[2], c1_1 = total[3];
    const vf c2_0 = total[4], c2_1 = total[5];
    const vf c3_0 = total[6], c3_1 = total[7];
    {
        vbf_result_store(c + 0 * ldc + 0 * LANES, c0_0);
    }
    {
        vbf_result_store(c + 0 * ldc + 1 * LANES, c0_1);
    }
    {
        vbf_result_store(c + 1 * ldc + 0 * LANES, c1_0);
    }
    {
        vbf_result_store(c + 1 * ldc + 1 * LANES, c1_1);
    }
    {
        vbf_result_store(c + 2 * ldc + 0 * LANES, c2_0);
    }
    {
        vbf_result_store(c + 2 * ldc + 1 * LANES, c2_1);
    }
    {
        vbf_result_store(c + 3 * ldc + 0 * LANES, c3_0);
    }
    {
        vbf_result_store(c + 3 * ldc + 1 * LANES, c3_1);
    }
}

/* 2 rows x 2 vectors. */
static __attribute__((noinline)) void few_tile_2(const float *a0, int64_t lda, const int32_t *b, int64_t K, const uint16_t *scales, const int8_t *zeros, const float *sums, int64_t slices, int64_t group, uint16_t *c, int64_t ldc, int64_t count)
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
        const vf scale0 = vbf_load(scales + 0 * LANES), zero0 = vf_of_bytes((const uint8_t *)zeros + 0 * LANES);
        const vf scale1 = vbf_load(scales + 1 * LANES), zero1 = vf_of_bytes((const uint8_t *)zeros + 1 * LANES);
        { const float sum = sums[0 * slices]; total[0] += scale0 * (c0_0 - zero0 * sum); total[1] += scale1 * (c0_1 - zero1 * sum); }
        { const float sum = sums[1 * slices]; total[2] += scale0 * (c1_0 - zero0 * sum); total[3] += scale1 * (c1_1 - zero1 * sum); }
        sums++;
        if (k == border) {
            scales += width;
            zeros += width;
            border = K - k > group ? k + group : K;
        }
    }
    const vf c0_0 = total[0], c0_1 = total[1];
    const vf c1_0 = total[2], c1_1 = total[3];
    {
        vbf_result_store(c + 0 * ldc + 0 * LANES, c0_0);
    }
    {
        vbf_result_store(c + 0 * ldc + 1 * LANES, c0_1);
    }
    {
        vbf_result_store(c + 1 * ldc + 0 * LANES, c1_0);
    }
    {
        vbf_result_store(c + 1 * ldc + 1 * LANES, c1_1);
    }
}

/* 1 rows x 2 vectors. */
static __attribute__((noinline)) void few_tile_1(const float *a0, int64_t lda, const int32_t *b, int64_t K, const uint16_t *scales, const int8_t *zeros, const float *sums, int64_t slices, int64_t group, uint16_t *c, int64_t ldc, int64_t count)
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
        const vf scale0 = vbf_load(scales + 0 * LANES), zero0 = vf_of_bytes((const uint8_t *)zeros + 0 * LANES);
        const vf scale1 = vbf_load(scales + 1 * LANES), zero1 = vf_of_bytes((const uint8_t *)zeros + 1 * LANES);
        { const float sum = sums[0 * slices]; total[0] += scale0 * (c0_0 - zero0 * sum); total[1] += scale1 * (c0_1 - zero1 * sum); }
        sums++;
        if (k == border) {
            scales += width;
            zeros += width;
            border = K - k > group ? k + group : K;
        }
    }
    const vf c0_0 = total[0], c0_1 = total[1];
    {
        vbf_result_store(c + 0 * ldc + 0 * LANES, c0_0);
    }
    {
        vbf_result_store(c + 0 * ldc + 1 * LANES, c0_1);
    }
}

/* 8 rows x 1 vectors, count columns exist. */
static __attribute__((noinline)) void few_tile_8_ragged(const float *a0, int64_t lda, const int32_t *b, int64_t K, const uint16_t *scales, const int8_t *zeros, const float *sums, int64_t slices, int64_t group, uint16_t *c, int64_t ldc, int64_t count)
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
        const vf scale0 = vbf_load(scales + 0 * LANES), zero0 = vf_of_bytes((const uint8_t *)zeros + 0 * LANES);
        { const float sum = sums[0 * slices]; total[0] += scale0 * (c0_0 - zero0 * sum); }
        { const float sum = sums[1 * slices]; total[1] += scale0 * (c1_0 - zero0 * sum); }
        { const float sum = sums[2 * slices]; total[2] += scale0 * (c2_0 - zero0 * sum); }
        { const float sum = sums[3 * slices]; total[3] += scale0 * (c3_0 - zero0 * sum); }
        { const float sum = sums[4 * slices]; total[4] += scale0 * (c4_0 - zero0 * sum); }
        { const float sum = sums[5 * slices]; total[5] += scale0 * (c5_0 - zero0 * sum); }
        { const float sum = sums[6 * slices]; total[6] += scale0 * (c6_0 - zero0 * sum); }
        { const float sum = sums[7 * slices]; total[7] += scale0 * (c7_0 - zero0 * sum); }
        sums++;
        if (k == border) {
            scales += width;
            zeros += width;
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
        vbf_result_store_n(c + 0 * ldc + 0 * LANES, c0_0, n0);
    }
    {
        vbf_result_store_n(c + 1 * ldc + 0 * LANES, c1_0, n0);
    }
    {
        vbf_result_store_n(c + 2 * ldc + 0 * LANES, c2_0, n0);
    }
    {
        vbf_result_store_n(c + 3 * ldc + 0 * LANES, c3_0, n0);
    }
    {
        vbf_result_store_n(c + 4 * ldc + 0 * LANES, c4_0, n0);
    }
    {
        vbf_result_store_n(c + 5 * ldc + 0 * LANES, c5_0, n0);
    }
    {
        vbf_result_store_n(c + 6 * ldc + 0 * LANES, c6_0, n0);
    }
    {
        vbf_result_store_n(c + 7 * ldc + 0 * LANES, c7_0, n0);
    }
}

/* 4 rows x 1 vectors, count columns exist. */
static __attribute__((noinline)) void few_tile_4_ragged(const float *a0, int64_t lda, const int32_t *b, int64_t K, const uint16_t *scales, const int8_t *zeros, const float *sums, int64_t slices, int64_t group, uint16_t *c, int64_t ldc, int64_t count)
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
        const vf scale0 = vbf_load(scales + 0 * LANES), zero0 = vf_of_bytes((const uint8_t *)zeros + 0 * LANES);
        { const float sum = sums[0 * slices]; total[0] += scale0 * (c0_0 - zero0 * sum); }
        { const float sum = sums[1 * slices]; total[1] += scale0 * (c1_0 - zero0 * sum); }
        { const float sum = sums[2 * slices]; total[2] += scale0 * (c2_0 - zero0 * sum); }
        { const float sum = sums[3 * slices]; total[3] += scale0 * (c3_0 - zero0 * sum); }
        sums++;
        if (k == border) {
            scales += width;
            zeros += width;
            border = K - k > group ? k + group : K;
        }
    }
    const vf c0_0 = total[0];
    const vf c1_0 = total[1];
    const vf c2_0 = total[2];
    const vf c3_0 = total[3];
    {
        vbf_result_store_n(c + 0 * ldc + 0 * LANES, c0_0, n0);
    }
    {
        vbf_result_store_n(c + 1 * ldc + 0 * LANES, c1_0, n0);
    }
    {
        vbf_result_store_n(c + 2 * ldc + 0 * LANES, c2_0, n0);
    }
    {
        vbf_result_store_n(c + 3 * ldc + 0 * LANES, c3_0, n0);
    }
}

/* 2 rows x 1 vectors, count columns exist. */
static __attribute__((noinline)) void few_tile_2_ragged(const float *a0, int64_t lda, const int32_t *b, int64_t K, const uint16_t *scales, const int8_t *zeros, const float *sums, int64_t slices, int64_t group, uint16_t *c, int64_t ldc, int64_t count)
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
        const vf scale0 = vbf_load(scales + 0 * LANES), zero0 = vf_of_bytes((const uint8_t *)zeros + 0 * LANES);
        { const float sum = sums[0 * slices]; total[0] += scale0 * (c0_0 - zero0 * sum); }
        { const float sum = sums[1 * slices]; total[1] += scale0 * (c1_0 - zero0 * sum); }
        sums++;
        if (k == border) {
            scales += width;
            zeros += width;
            border = K - k > group ? k + group : K;
        }
    }
    const vf c0_0 = total[0];
    const vf c1_0 = total[1];
    {
        vbf_result_store_n(c + 0 * ldc + 0 * LANES, c0_0, n0);
    }
    {
        vbf_result_store_n(c + 1 * ldc + 0 * LANES, c1_0, n0);
    }
}

/* 1 rows x 1 vectors, count columns exist. */
static __attribute__((noinline)) void few_tile_1_ragged(const float *a0, int64_t lda, const int32_t *b, int64_t K, const uint16_t *scales, const int8_t *zeros, const float *sums, int64_t slices, int64_t group, uint16_t *c, int64_t ldc, int64_t count)
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
        const vf scale0 = vbf_load(scales + 0 * LANES), zero0 = vf_of_bytes((const uint8_t *)zeros + 0 * LANES);
        { const float sum = sums[0 * slices]; total[0] += scale0 * (c0_0 - zero0 * sum); }
        sums++;
        if (k == border) {
            scales += width;
            zeros += width;
            border = K - k > group ? k + group : K;
        }
    }
    const vf c0_0 = total[0];
    {
        vbf_result_store_n(c + 0 * ldc + 0 * LANES, c0_0, n0);
    }
}

/* 4 rows x 2 vectors, by digits. */
static __attribute__((noinline)) void by_digits_4(const uint8_t *row, int64_t pitch, const sol_slice *slice, const int32_t *b, int64_t K, const uint16_t *scales, const int8_t *zeros, const float *sums, int64_t slices, int64_t group, uint16_t *c, int64_t ldc, int64_t count)
{
    (void)slices, (void)count;
    const int64_t width = 2 * LANES;
    vf totals[8] = {0}, *total = totals;
    SOL_PIN(total);
    vi low = vi_set(0x0f0f0f0f);
    SOL_HOLD(low);
    int64_t k = 0, border = group < K ? group : K;
    while (k < K) {
        const int64_t stop = border - k > SLICE ? k + SLICE : border;
        vi c0_0_0 = vi_set(-8 * slice[0 * slices].sums[0]), c0_0_1 = vi_set(-8 * slice[0 * slices].sums[0]);
        vi c0_1_0 = vi_set(-8 * slice[0 * slices].sums[1]), c0_1_1 = vi_set(-8 * slice[0 * slices].sums[1]);
        vi c0_2_0 = vi_set(-8 * slice[0 * slices].sums[2]), c0_2_1 = vi_set(-8 * slice[0 * slices].sums[2]);
        vi c1_0_0 = vi_set(-8 * slice[1 * slices].sums[0]), c1_0_1 = vi_set(-8 * slice[1 * slices].sums[0]);
        vi c1_1_0 = vi_set(-8 * slice[1 * slices].sums[1]), c1_1_1 = vi_set(-8 * slice[1 * slices].sums[1]);
        vi c1_2_0 = vi_set(-8 * slice[1 * slices].sums[2]), c1_2_1 = vi_set(-8 * slice[1 * slices].sums[2]);
        vi c2_0_0 = vi_set(-8 * slice[2 * slices].sums[0]), c2_0_1 = vi_set(-8 * slice[2 * slices].sums[0]);
        vi c2_1_0 = vi_set(-8 * slice[2 * slices].sums[1]), c2_1_1 = vi_set(-8 * slice[2 * slices].sums[1]);
        vi c2_2_0 = vi_set(-8 * slice[2 * slices].sums[2]), c2_2_1 = vi_set(-8 * slice[2 * slices].sums[2]);
        vi c3_0_0 = vi_set(-8 * slice[3 * slices].sums[0]), c3_0_1 = vi_set(-8 * slice[3 * slices].sums[0]);
        vi c3_1_0 = vi_set(-8 * slice[3 * slices].sums[1]), c3_1_1 = vi_set(-8 * slice[3 * slices].sums[1]);
        vi c3_2_0 = vi_set(-8 * slice[3 * slices].sums[2]), c3_2_1 = vi_set(-8 * slice[3 * slices].sums[2]);
        for (; k < stop; k += 8, b += width) {
            const vi v0 = vi_load_codes(b + 0 * LANES); SOL_ASK(b + 0 * LANES, 1024, 4096); const vi v1 = vi_load_codes(b + 1 * LANES); SOL_ASK(b + 1 * LANES, 1024, 4096); 
            {
                const vi w0 = v0 & low, w1 = v1 & low;
                { const vi x = vi_set(sol_dword(row + 0 * pitch + k)); c0_0_0 = vi_dot(c0_0_0, vq_unsigned(x), vq_signed(w0)); c0_0_1 = vi_dot(c0_0_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 1 * pitch + k)); c0_1_0 = vi_dot(c0_1_0, vq_unsigned(x), vq_signed(w0)); c0_1_1 = vi_dot(c0_1_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 2 * pitch + k)); c0_2_0 = vi_dot(c0_2_0, vq_unsigned(w0), vq_signed(x)); c0_2_1 = vi_dot(c0_2_1, vq_unsigned(w1), vq_signed(x)); }
                { const vi x = vi_set(sol_dword(row + 3 * pitch + k)); c1_0_0 = vi_dot(c1_0_0, vq_unsigned(x), vq_signed(w0)); c1_0_1 = vi_dot(c1_0_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 4 * pitch + k)); c1_1_0 = vi_dot(c1_1_0, vq_unsigned(x), vq_signed(w0)); c1_1_1 = vi_dot(c1_1_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 5 * pitch + k)); c1_2_0 = vi_dot(c1_2_0, vq_unsigned(w0), vq_signed(x)); c1_2_1 = vi_dot(c1_2_1, vq_unsigned(w1), vq_signed(x)); }
                { const vi x = vi_set(sol_dword(row + 6 * pitch + k)); c2_0_0 = vi_dot(c2_0_0, vq_unsigned(x), vq_signed(w0)); c2_0_1 = vi_dot(c2_0_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 7 * pitch + k)); c2_1_0 = vi_dot(c2_1_0, vq_unsigned(x), vq_signed(w0)); c2_1_1 = vi_dot(c2_1_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 8 * pitch + k)); c2_2_0 = vi_dot(c2_2_0, vq_unsigned(w0), vq_signed(x)); c2_2_1 = vi_dot(c2_2_1, vq_unsigned(w1), vq_signed(x)); }
                { const vi x = vi_set(sol_dword(row + 9 * pitch + k)); c3_0_0 = vi_dot(c3_0_0, vq_unsigned(x), vq_signed(w0)); c3_0_1 = vi_dot(c3_0_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 10 * pitch + k)); c3_1_0 = vi_dot(c3_1_0, vq_unsigned(x), vq_signed(w0)); c3_1_1 = vi_dot(c3_1_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 11 * pitch + k)); c3_2_0 = vi_dot(c3_2_0, vq_unsigned(w0), vq_signed(x)); c3_2_1 = vi_dot(c3_2_1, vq_unsigned(w1), vq_signed(x)); }
}
            {
                const vi w0 = v0 >> 4 & low, w1 = v1 >> 4 & low;
                { const vi x = vi_set(sol_dword(row + 0 * pitch + k + 4)); c0_0_0 = vi_dot(c0_0_0, vq_unsigned(x), vq_signed(w0)); c0_0_1 = vi_dot(c0_0_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 1 * pitch + k + 4)); c0_1_0 = vi_dot(c0_1_0, vq_unsigned(x), vq_signed(w0)); c0_1_1 = vi_dot(c0_1_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 2 * pitch + k + 4)); c0_2_0 = vi_dot(c0_2_0, vq_unsigned(w0), vq_signed(x)); c0_2_1 = vi_dot(c0_2_1, vq_unsigned(w1), vq_signed(x)); }
                { const vi x = vi_set(sol_dword(row + 3 * pitch + k + 4)); c1_0_0 = vi_dot(c1_0_0, vq_unsigned(x), vq_signed(w0)); c1_0_1 = vi_dot(c1_0_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 4 * pitch + k + 4)); c1_1_0 = vi_dot(c1_1_0, vq_unsigned(x), vq_signed(w0)); c1_1_1 = vi_dot(c1_1_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 5 * pitch + k + 4)); c1_2_0 = vi_dot(c1_2_0, vq_unsigned(w0), vq_signed(x)); c1_2_1 = vi_dot(c1_2_1, vq_unsigned(w1), vq_signed(x)); }
                { const vi x = vi_set(sol_dword(row + 6 * pitch + k + 4)); c2_0_0 = vi_dot(c2_0_0, vq_unsigned(x), vq_signed(w0)); c2_0_1 = vi_dot(c2_0_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 7 * pitch + k + 4)); c2_1_0 = vi_dot(c2_1_0, vq_unsigned(x), vq_signed(w0)); c2_1_1 = vi_dot(c2_1_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 8 * pitch + k + 4)); c2_2_0 = vi_dot(c2_2_0, vq_unsigned(w0), vq_signed(x)); c2_2_1 = vi_dot(c2_2_1, vq_unsigned(w1), vq_signed(x)); }
                { const vi x = vi_set(sol_dword(row + 9 * pitch + k + 4)); c3_0_0 = vi_dot(c3_0_0, vq_unsigned(x), vq_signed(w0)); c3_0_1 = vi_dot(c3_0_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 10 * pitch + k + 4)); c3_1_0 = vi_dot(c3_1_0, vq_unsigned(x), vq_signed(w0)); c3_1_1 = vi_dot(c3_1_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 11 * pitch + k + 4)); c3_2_0 = vi_dot(c3_2_0, vq_unsigned(w0), vq_signed(x)); c3_2_1 = vi_dot(c3_2_1, vq_unsigned(w1), vq_signed(x)); }
}
        }
        k = stop;
        const vf scale0 = vbf_load(scales + 0 * LANES), zero0 = vf_of_bytes((const uint8_t *)zeros + 0 * LANES);
        const vf scale1 = vbf_load(scales + 1 * LANES), zero1 = vf_of_bytes((const uint8_t *)zeros + 1 * LANES);
        {
            const float unit = slice[0 * slices].unit, sum = sums[0 * slices];
            vf c0 = vf_of_ints(c0_2_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_1_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_0_0);
            total[0] += scale0 * (c0 * unit - zero0 * sum);
            vf c1 = vf_of_ints(c0_2_1);
            c1 = c1 * 256.0f + vf_of_ints(c0_1_1);
            c1 = c1 * 256.0f + vf_of_ints(c0_0_1);
            total[1] += scale1 * (c1 * unit - zero1 * sum);
        }
        {
            const float unit = slice[1 * slices].unit, sum = sums[1 * slices];
            vf c0 = vf_of_ints(c1_2_0);
            c0 = c0 * 256.0f + vf_of_ints(c1_1_0);
            c0 = c0 * 256.0f + vf_of_ints(c1_0_0);
            total[2] += scale0 * (c0 * unit - zero0 * sum);
            vf c1 = vf_of_ints(c1_2_1);
            c1 = c1 * 256.0f + vf_of_ints(c1_1_1);
            c1 = c1 * 256.0f + vf_of_ints(c1_0_1);
            total[3] += scale1 * (c1 * unit - zero1 * sum);
        }
        {
            const float unit = slice[2 * slices].unit, sum = sums[2 * slices];
            vf c0 = vf_of_ints(c2_2_0);
            c0 = c0 * 256.0f + vf_of_ints(c2_1_0);
            c0 = c0 * 256.0f + vf_of_ints(c2_0_0);
            total[4] += scale0 * (c0 * unit - zero0 * sum);
            vf c1 = vf_of_ints(c2_2_1);
            c1 = c1 * 256.0f + vf_of_ints(c2_1_1);
            c1 = c1 * 256.0f + vf_of_ints(c2_0_1);
            total[5] += scale1 * (c1 * unit - zero1 * sum);
        }
        {
            const float unit = slice[3 * slices].unit, sum = sums[3 * slices];
            vf c0 = vf_of_ints(c3_2_0);
            c0 = c0 * 256.0f + vf_of_ints(c3_1_0);
            c0 = c0 * 256.0f + vf_of_ints(c3_0_0);
            total[6] += scale0 * (c0 * unit - zero0 * sum);
            vf c1 = vf_of_ints(c3_2_1);
            c1 = c1 * 256.0f + vf_of_ints(c3_1_1);
            c1 = c1 * 256.0f + vf_of_ints(c3_0_1);
            total[7] += scale1 * (c1 * unit - zero1 * sum);
        }
        slice++;
        sums++;
        if (k == border) {
            scales += width;
            zeros += width;
            border = K - k > group ? k + group : K;
        }
    }
    const vf c0_0 = total[0], c0_1 = total[1];
    const vf c1_0 = total[2], c1_1 = total[3];
    const vf c2_0 = total[4], c2_1 = total[5];
    const vf c3_0 = total[6], c3_1 = total[7];
    {
        vbf_result_store(c + 0 * ldc + 0 * LANES, c0_0);
    }
    {
        vbf_result_store(c + 0 * ldc + 1 * LANES, c0_1);
    }
    {
        vbf_result_store(c + 1 * ldc + 0 * LANES, c1_0);
    }
    {
        vbf_result_store(c + 1 * ldc + 1 * LANES, c1_1);
    }
    {
        vbf_result_store(c + 2 * ldc + 0 * LANES, c2_0);
    }
    {
        vbf_result_store(c + 2 * ldc + 1 * LANES, c2_1);
    }
    {
        vbf_result_store(c + 3 * ldc + 0 * LANES, c3_0);
    }
    {
        vbf_result_store(c + 3 * ldc + 1 * LANES, c3_1);
    }
}

/* 2 rows x 2 vectors, by digits. */
static __attribute__((noinline)) void by_digits_2(const uint8_t *row, int64_t pitch, const sol_slice *slice, const int32_t *b, int64_t K, const uint16_t *scales, const int8_t *zeros, const float *sums, int64_t slices, int64_t group, uint16_t *c, int64_t ldc, int64_t count)
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
        vi c1_0_0 = vi_set(-8 * slice[1 * slices].sums[0]), c1_0_1 = vi_set(-8 * slice[1 * slices].sums[0]);
        vi c1_1_0 = vi_set(-8 * slice[1 * slices].sums[1]), c1_1_1 = vi_set(-8 * slice[1 * slices].sums[1]);
        vi c1_2_0 = vi_set(-8 * slice[1 * slices].sums[2]), c1_2_1 = vi_set(-8 * slice[1 * slices].sums[2]);
        for (; k < stop; k += 8, b += width) {
            const vi v0 = vi_load_codes(b + 0 * LANES); SOL_ASK(b + 0 * LANES, 1024, 4096); const vi v1 = vi_load_codes(b + 1 * LANES); SOL_ASK(b + 1 * LANES, 1024, 4096); 
            {
                const vi w0 = v0 & low, w1 = v1 & low;
                { const vi x = vi_set(sol_dword(row + 0 * pitch + k)); c0_0_0 = vi_dot(c0_0_0, vq_unsigned(x), vq_signed(w0)); c0_0_1 = vi_dot(c0_0_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 1 * pitch + k)); c0_1_0 = vi_dot(c0_1_0, vq_unsigned(x), vq_signed(w0)); c0_1_1 = vi_dot(c0_1_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 2 * pitch + k)); c0_2_0 = vi_dot(c0_2_0, vq_unsigned(w0), vq_signed(x)); c0_2_1 = vi_dot(c0_2_1, vq_unsigned(w1), vq_signed(x)); }
                { const vi x = vi_set(sol_dword(row + 3 * pitch + k)); c1_0_0 = vi_dot(c1_0_0, vq_unsigned(x), vq_signed(w0)); c1_0_1 = vi_dot(c1_0_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 4 * pitch + k)); c1_1_0 = vi_dot(c1_1_0, vq_unsigned(x), vq_signed(w0)); c1_1_1 = vi_dot(c1_1_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 5 * pitch + k)); c1_2_0 = vi_dot(c1_2_0, vq_unsigned(w0), vq_signed(x)); c1_2_1 = vi_dot(c1_2_1, vq_unsigned(w1), vq_signed(x)); }
}
            {
                const vi w0 = v0 >> 4 & low, w1 = v1 >> 4 & low;
                { const vi x = vi_set(sol_dword(row + 0 * pitch + k + 4)); c0_0_0 = vi_dot(c0_0_0, vq_unsigned(x), vq_signed(w0)); c0_0_1 = vi_dot(c0_0_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 1 * pitch + k + 4)); c0_1_0 = vi_dot(c0_1_0, vq_unsigned(x), vq_signed(w0)); c0_1_1 = vi_dot(c0_1_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 2 * pitch + k + 4)); c0_2_0 = vi_dot(c0_2_0, vq_unsigned(w0), vq_signed(x)); c0_2_1 = vi_dot(c0_2_1, vq_unsigned(w1), vq_signed(x)); }
                { const vi x = vi_set(sol_dword(row + 3 * pitch + k + 4)); c1_0_0 = vi_dot(c1_0_0, vq_unsigned(x), vq_signed(w0)); c1_0_1 = vi_dot(c1_0_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 4 * pitch + k + 4)); c1_1_0 = vi_dot(c1_1_0, vq_unsigned(x), vq_signed(w0)); c1_1_1 = vi_dot(c1_1_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 5 * pitch + k + 4)); c1_2_0 = vi_dot(c1_2_0, vq_unsigned(w0), vq_signed(x)); c1_2_1 = vi_dot(c1_2_1, vq_unsigned(w1), vq_signed(x)); }
}
        }
        k = stop;
        const vf scale0 = vbf_load(scales + 0 * LANES), zero0 = vf_of_bytes((const uint8_t *)zeros + 0 * LANES);
        const vf scale1 = vbf_load(scales + 1 * LANES), zero1 = vf_of_bytes((const uint8_t *)zeros + 1 * LANES);
        {
            const float unit = slice[0 * slices].unit, sum = sums[0 * slices];
            vf c0 = vf_of_ints(c0_2_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_1_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_0_0);
            total[0] += scale0 * (c0 * unit - zero0 * sum);
            vf c1 = vf_of_ints(c0_2_1);
            c1 = c1 * 256.0f + vf_of_ints(c0_1_1);
            c1 = c1 * 256.0f + vf_of_ints(c0_0_1);
            total[1] += scale1 * (c1 * unit - zero1 * sum);
        }
        {
            const float unit = slice[1 * slices].unit, sum = sums[1 * slices];
            vf c0 = vf_of_ints(c1_2_0);
            c0 = c0 * 256.0f + vf_of_ints(c1_1_0);
            c0 = c0 * 256.0f + vf_of_ints(c1_0_0);
            total[2] += scale0 * (c0 * unit - zero0 * sum);
            vf c1 = vf_of_ints(c1_2_1);
            c1 = c1 * 256.0f + vf_of_ints(c1_1_1);
            c1 = c1 * 256.0f + vf_of_ints(c1_0_1);
            total[3] += scale1 * (c1 * unit - zero1 * sum);
        }
        slice++;
        sums++;
        if (k == border) {
            scales += width;
            zeros += width;
            border = K - k > group ? k + group : K;
        }
    }
    const vf c0_0 = total[0], c0_1 = total[1];
    const vf c1_0 = total[2], c1_1 = total[3];
    {
        vbf_result_store(c + 0 * ldc + 0 * LANES, c0_0);
    }
    {
        vbf_result_store(c + 0 * ldc + 1 * LANES, c0_1);
    }
    {
        vbf_result_store(c + 1 * ldc + 0 * LANES, c1_0);
    }
    {
        vbf_result_store(c + 1 * ldc + 1 * LANES, c1_1);
    }
}

/* 1 rows x 2 vectors, by digits. */
static __attribute__((noinline)) void by_digits_1(const uint8_t *row, int64_t pitch, const sol_slice *slice, const int32_t *b, int64_t K, const uint16_t *scales, const int8_t *zeros, const float *sums, int64_t slices, int64_t group, uint16_t *c, int64_t ldc, int64_t count)
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
        for (; k < stop; k += 8, b += width) {
            const vi v0 = vi_load_codes(b + 0 * LANES); SOL_ASK(b + 0 * LANES, 1024, 4096); const vi v1 = vi_load_codes(b + 1 * LANES); SOL_ASK(b + 1 * LANES, 1024, 4096); 
            {
                const vi w0 = v0 & low, w1 = v1 & low;
                { const vi x = vi_set(sol_dword(row + 0 * pitch + k)); c0_0_0 = vi_dot(c0_0_0, vq_unsigned(x), vq_signed(w0)); c0_0_1 = vi_dot(c0_0_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 1 * pitch + k)); c0_1_0 = vi_dot(c0_1_0, vq_unsigned(x), vq_signed(w0)); c0_1_1 = vi_dot(c0_1_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 2 * pitch + k)); c0_2_0 = vi_dot(c0_2_0, vq_unsigned(w0), vq_signed(x)); c0_2_1 = vi_dot(c0_2_1, vq_unsigned(w1), vq_signed(x)); }
}
            {
                const vi w0 = v0 >> 4 & low, w1 = v1 >> 4 & low;
                { const vi x = vi_set(sol_dword(row + 0 * pitch + k + 4)); c0_0_0 = vi_dot(c0_0_0, vq_unsigned(x), vq_signed(w0)); c0_0_1 = vi_dot(c0_0_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 1 * pitch + k + 4)); c0_1_0 = vi_dot(c0_1_0, vq_unsigned(x), vq_signed(w0)); c0_1_1 = vi_dot(c0_1_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 2 * pitch + k + 4)); c0_2_0 = vi_dot(c0_2_0, vq_unsigned(w0), vq_signed(x)); c0_2_1 = vi_dot(c0_2_1, vq_unsigned(w1), vq_signed(x)); }
}
        }
        k = stop;
        const vf scale0 = vbf_load(scales + 0 * LANES), zero0 = vf_of_bytes((const uint8_t *)zeros + 0 * LANES);
        const vf scale1 = vbf_load(scales + 1 * LANES), zero1 = vf_of_bytes((const uint8_t *)zeros + 1 * LANES);
        {
            const float unit = slice[0 * slices].unit, sum = sums[0 * slices];
            vf c0 = vf_of_ints(c0_2_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_1_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_0_0);
            total[0] += scale0 * (c0 * unit - zero0 * sum);
            vf c1 = vf_of_ints(c0_2_1);
            c1 = c1 * 256.0f + vf_of_ints(c0_1_1);
            c1 = c1 * 256.0f + vf_of_ints(c0_0_1);
            total[1] += scale1 * (c1 * unit - zero1 * sum);
        }
        slice++;
        sums++;
        if (k == border) {
            scales += width;
            zeros += width;
            border = K - k > group ? k + group : K;
        }
    }
    const vf c0_0 = total[0], c0_1 = total[1];
    {
        vbf_result_store(c + 0 * ldc + 0 * LANES, c0_0);
    }
    {
        vbf_result_store(c + 0 * ldc + 1 * LANES, c0_1);
    }
}

/* 4 rows x 1 vectors, by digits, count columns exist. */
static __attribute__((noinline)) void by_digits_4_ragged(const uint8_t *row, int64_t pitch, const sol_slice *slice, const int32_t *b, int64_t K, const uint16_t *scales, const int8_t *zeros, const float *sums, int64_t slices, int64_t group, uint16_t *c, int64_t ldc, int64_t count)
{
    (void)slices, (void)count;
    const int n0 = sol_lanes(count, 0);
    const int64_t width = 1 * LANES;
    vf totals[4] = {0}, *total = totals;
    SOL_PIN(total);
    vi low = vi_set(0x0f0f0f0f);
    SOL_HOLD(low);
    int64_t k = 0, border = group < K ? group : K;
    while (k < K) {
        const int64_t stop = border - k > SLICE ? k + SLICE : border;
        vi c0_0_0 = vi_set(-8 * slice[0 * slices].sums[0]);
        vi c0_1_0 = vi_set(-8 * slice[0 * slices].sums[1]);
        vi c0_2_0 = vi_set(-8 * slice[0 * slices].sums[2]);
        vi c1_0_0 = vi_set(-8 * slice[1 * slices].sums[0]);
        vi c1_1_0 = vi_set(-8 * slice[1 * slices].sums[1]);
        vi c1_2_0 = vi_set(-8 * slice[1 * slices].sums[2]);
        vi c2_0_0 = vi_set(-8 * slice[2 * slices].sums[0]);
        vi c2_1_0 = vi_set(-8 * slice[2 * slices].sums[1]);
        vi c2_2_0 = vi_set(-8 * slice[2 * slices].sums[2]);
        vi c3_0_0 = vi_set(-8 * slice[3 * slices].sums[0]);
        vi c3_1_0 = vi_set(-8 * slice[3 * slices].sums[1]);
        vi c3_2_0 = vi_set(-8 * slice[3 * slices].sums[2]);
        for (; k < stop; k += 8, b += width) {
            const vi v0 = vi_load_codes(b + 0 * LANES); SOL_ASK(b + 0 * LANES, 1024, 4096); 
            {
                const vi w0 = v0 & low;
                { const vi x = vi_set(sol_dword(row + 0 * pitch + k)); c0_0_0 = vi_dot(c0_0_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 1 * pitch + k)); c0_1_0 = vi_dot(c0_1_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 2 * pitch + k)); c0_2_0 = vi_dot(c0_2_0, vq_unsigned(w0), vq_signed(x)); }
                { const vi x = vi_set(sol_dword(row + 3 * pitch + k)); c1_0_0 = vi_dot(c1_0_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 4 * pitch + k)); c1_1_0 = vi_dot(c1_1_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 5 * pitch + k)); c1_2_0 = vi_dot(c1_2_0, vq_unsigned(w0), vq_signed(x)); }
                { const vi x = vi_set(sol_dword(row + 6 * pitch + k)); c2_0_0 = vi_dot(c2_0_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 7 * pitch + k)); c2_1_0 = vi_dot(c2_1_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 8 * pitch + k)); c2_2_0 = vi_dot(c2_2_0, vq_unsigned(w0), vq_signed(x)); }
                { const vi x = vi_set(sol_dword(row + 9 * pitch + k)); c3_0_0 = vi_dot(c3_0_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 10 * pitch + k)); c3_1_0 = vi_dot(c3_1_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 11 * pitch + k)); c3_2_0 = vi_dot(c3_2_0, vq_unsigned(w0), vq_signed(x)); }
}
            {
                const vi w0 = v0 >> 4 & low;
                { const vi x = vi_set(sol_dword(row + 0 * pitch + k + 4)); c0_0_0 = vi_dot(c0_0_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 1 * pitch + k + 4)); c0_1_0 = vi_dot(c0_1_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 2 * pitch + k + 4)); c0_2_0 = vi_dot(c0_2_0, vq_unsigned(w0), vq_signed(x)); }
                { const vi x = vi_set(sol_dword(row + 3 * pitch + k + 4)); c1_0_0 = vi_dot(c1_0_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 4 * pitch + k + 4)); c1_1_0 = vi_dot(c1_1_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 5 * pitch + k + 4)); c1_2_0 = vi_dot(c1_2_0, vq_unsigned(w0), vq_signed(x)); }
                { const vi x = vi_set(sol_dword(row + 6 * pitch + k + 4)); c2_0_0 = vi_dot(c2_0_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 7 * pitch + k + 4)); c2_1_0 = vi_dot(c2_1_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 8 * pitch + k + 4)); c2_2_0 = vi_dot(c2_2_0, vq_unsigned(w0), vq_signed(x)); }
                { const vi x = vi_set(sol_dword(row + 9 * pitch + k + 4)); c3_0_0 = vi_dot(c3_0_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 10 * pitch + k + 4)); c3_1_0 = vi_dot(c3_1_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 11 * pitch + k + 4)); c3_2_0 = vi_dot(c3_2_0, vq_unsigned(w0), vq_signed(x)); }
}
        }
        k = stop;
        const vf scale0 = vbf_load(scales + 0 * LANES), zero0 = vf_of_bytes((const uint8_t *)zeros + 0 * LANES);
        {
            const float unit = slice[0 * slices].unit, sum = sums[0 * slices];
            vf c0 = vf_of_ints(c0_2_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_1_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_0_0);
            total[0] += scale0 * (c0 * unit - zero0 * sum);
        }
        {
            const float unit = slice[1 * slices].unit, sum = sums[1 * slices];
            vf c0 = vf_of_ints(c1_2_0);
            c0 = c0 * 256.0f + vf_of_ints(c1_1_0);
            c0 = c0 * 256.0f + vf_of_ints(c1_0_0);
            total[1] += scale0 * (c0 * unit - zero0 * sum);
        }
        {
            const float unit = slice[2 * slices].unit, sum = sums[2 * slices];
            vf c0 = vf_of_ints(c2_2_0);
            c0 = c0 * 256.0f + vf_of_ints(c2_1_0);
            c0 = c0 * 256.0f + vf_of_ints(c2_0_0);
            total[2] += scale0 * (c0 * unit - zero0 * sum);
        }
        {
            const float unit = slice[3 * slices].unit, sum = sums[3 * slices];
            vf c0 = vf_of_ints(c3_2_0);
            c0 = c0 * 256.0f + vf_of_ints(c3_1_0);
            c0 = c0 * 256.0f + vf_of_ints(c3_0_0);
            total[3] += scale0 * (c0 * unit - zero0 * sum);
        }
        slice++;
        sums++;
        if (k == border) {
            scales += width;
            zeros += width;
            border = K - k > group ? k + group : K;
        }
    }
    const vf c0_0 = total[0];
    const vf c1_0 = total[1];
    const vf c2_0 = total[2];
    const vf c3_0 = total[3];
    {
        vbf_result_store_n(c + 0 * ldc + 0 * LANES, c0_0, n0);
    }
    {
        vbf_result_store_n(c + 1 * ldc + 0 * LANES, c1_0, n0);
    }
    {
        vbf_result_store_n(c + 2 * ldc + 0 * LANES, c2_0, n0);
    }
    {
        vbf_result_store_n(c + 3 * ldc + 0 * LANES, c3_0, n0);
    }
}

/* 2 rows x 1 vectors, by digits, count columns exist. */
static __attribute__((noinline)) void by_digits_2_ragged(const uint8_t *row, int64_t pitch, const sol_slice *slice, const int32_t *b, int64_t K, const uint16_t *scales, const int8_t *zeros, const float *sums, int64_t slices, int64_t group, uint16_t *c, int64_t ldc, int64_t count)
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
        vi c1_0_0 = vi_set(-8 * slice[1 * slices].sums[0]);
        vi c1_1_0 = vi_set(-8 * slice[1 * slices].sums[1]);
        vi c1_2_0 = vi_set(-8 * slice[1 * slices].sums[2]);
        for (; k < stop; k += 8, b += width) {
            const vi v0 = vi_load_codes(b + 0 * LANES); SOL_ASK(b + 0 * LANES, 1024, 4096); 
            {
                const vi w0 = v0 & low;
                { const vi x = vi_set(sol_dword(row + 0 * pitch + k)); c0_0_0 = vi_dot(c0_0_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 1 * pitch + k)); c0_1_0 = vi_dot(c0_1_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 2 * pitch + k)); c0_2_0 = vi_dot(c0_2_0, vq_unsigned(w0), vq_signed(x)); }
                { const vi x = vi_set(sol_dword(row + 3 * pitch + k)); c1_0_0 = vi_dot(c1_0_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 4 * pitch + k)); c1_1_0 = vi_dot(c1_1_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 5 * pitch + k)); c1_2_0 = vi_dot(c1_2_0, vq_unsigned(w0), vq_signed(x)); }
}
            {
                const vi w0 = v0 >> 4 & low;
                { const vi x = vi_set(sol_dword(row + 0 * pitch + k + 4)); c0_0_0 = vi_dot(c0_0_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 1 * pitch + k + 4)); c0_1_0 = vi_dot(c0_1_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 2 * pitch + k + 4)); c0_2_0 = vi_dot(c0_2_0, vq_unsigned(w0), vq_signed(x)); }
                { const vi x = vi_set(sol_dword(row + 3 * pitch + k + 4)); c1_0_0 = vi_dot(c1_0_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 4 * pitch + k + 4)); c1_1_0 = vi_dot(c1_1_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 5 * pitch + k + 4)); c1_2_0 = vi_dot(c1_2_0, vq_unsigned(w0), vq_signed(x)); }
}
        }
        k = stop;
        const vf scale0 = vbf_load(scales + 0 * LANES), zero0 = vf_of_bytes((const uint8_t *)zeros + 0 * LANES);
        {
            const float unit = slice[0 * slices].unit, sum = sums[0 * slices];
            vf c0 = vf_of_ints(c0_2_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_1_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_0_0);
            total[0] += scale0 * (c0 * unit - zero0 * sum);
        }
        {
            const float unit = slice[1 * slices].unit, sum = sums[1 * slices];
            vf c0 = vf_of_ints(c1_2_0);
            c0 = c0 * 256.0f + vf_of_ints(c1_1_0);
            c0 = c0 * 256.0f + vf_of_ints(c1_0_0);
            total[1] += scale0 * (c0 * unit - zero0 * sum);
        }
        slice++;
        sums++;
        if (k == border) {
            scales += width;
            zeros += width;
            border = K - k > group ? k + group : K;
        }
    }
    const vf c0_0 = total[0];
    const vf c1_0 = total[1];
    {
        vbf_result_store_n(c + 0 * ldc + 0 * LANES, c0_0, n0);
    }
    {
        vbf_result_store_n(c + 1 * ldc + 0 * LANES, c1_0, n0);
    }
}

/* 1 rows x 1 vectors, by digits, count columns exist. */
static __attribute__((noinline)) void by_digits_1_ragged(const uint8_t *row, int64_t pitch, const sol_slice *slice, const int32_t *b, int64_t K, const uint16_t *scales, const int8_t *zeros, const float *sums, int64_t slices, int64_t group, uint16_t *c, int64_t ldc, int64_t count)
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
        for (; k < stop; k += 8, b += width) {
            const vi v0 = vi_load_codes(b + 0 * LANES); SOL_ASK(b + 0 * LANES, 1024, 4096); 
            {
                const vi w0 = v0 & low;
                { const vi x = vi_set(sol_dword(row + 0 * pitch + k)); c0_0_0 = vi_dot(c0_0_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 1 * pitch + k)); c0_1_0 = vi_dot(c0_1_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 2 * pitch + k)); c0_2_0 = vi_dot(c0_2_0, vq_unsigned(w0), vq_signed(x)); }
}
            {
                const vi w0 = v0 >> 4 & low;
                { const vi x = vi_set(sol_dword(row + 0 * pitch + k + 4)); c0_0_0 = vi_dot(c0_0_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 1 * pitch + k + 4)); c0_1_0 = vi_dot(c0_1_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 2 * pitch + k + 4)); c0_2_0 = vi_dot(c0_2_0, vq_unsigned(w0), vq_signed(x)); }
}
        }
        k = stop;
        const vf scale0 = vbf_load(scales + 0 * LANES), zero0 = vf_of_bytes((const uint8_t *)zeros + 0 * LANES);
        {
            const float unit = slice[0 * slices].unit, sum = sums[0 * slices];
            vf c0 = vf_of_ints(c0_2_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_1_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_0_0);
            total[0] += scale0 * (c0 * unit - zero0 * sum);
        }
        slice++;
        sums++;
        if (k == border) {
            scales += width;
            zeros += width;
            border = K - k > group ? k + group : K;
        }
    }
    const vf c0_0 = total[0];
    {
        vbf_result_store_n(c + 0 * ldc + 0 * LANES, c0_0, n0);
    }
}

enum { KC = 64, ROWS = 32 }; /* steps of a slice, rows of a block */

/* [kc / 2][width]: pairs of neighbouring steps of both parts of a panel's weights from step k0 on. */
static __attribute__((noinline)) void unpack_parts(int32_t *high, int32_t *low, const int32_t *b, const uint16_t *scales, const int8_t *zeros, int64_t k0, int64_t kc, int64_t width, int64_t group)
{
    const vi upper = vi_set((int32_t)0xffff0000u);
    b += k0 / STEPS * width;
    for (int64_t k = k0, stop; k < k0 + kc; k = stop) {
        const int64_t g = k / group;
        stop = (g + 1) * group < k0 + kc ? (g + 1) * group : k0 + kc;
        for (int64_t column = 0; column < width; column += LANES) {
            const vf scale = vbf_load(scales + g * width + column);
            const vf zero = vf_of_bytes((const uint8_t *)zeros + g * width + column);
            int64_t at = (k - k0) / 2 * width + column;
            for (int64_t i = k; i < stop; i += STEPS) {
                const vi v = vi_load(b + (i - k0) / STEPS * width + column);
                for (int u = 0; u < STEPS; u += 2, at += width) {
                    const vf first = (vf_of_quarter_bytes(v, 4 * u) - zero) * scale, second = (vf_of_quarter_bytes(v, 4 * u + 4) - zero) * scale;
                    const vi first_high = ((vi)first + 0x8000) & upper, second_high = ((vi)second + 0x8000) & upper;
                    const vi first_low = (vi)(first - (vf)first_high) + 0x8000, second_low = (vi)(second - (vf)second_high) + 0x8000;
                    vi_store(high + at, (vi)((vu)first_high >> 16) | second_high);
                    vi_store(low + at, (vi)((vu)first_low >> 16) | (second_low & upper));
                }
            }
        }
    }
}

/* sums[width] of a row and a panel, by multiply-adds: what is infinite stays so, where the products of two parts may be NaN. */
static __attribute__((noinline)) void as_floats(float *sums, const uint16_t *a, const int32_t *b, const uint16_t *scales, const int8_t *zeros, int64_t K, int64_t width, int64_t group)
{
    for (int64_t column = 0; column < width; column += LANES) {
        vf sum = vf_zero();
        for (int64_t k = 0; k < K; k++) {
            const vi v = vi_load(b + k / STEPS * width + column);
            const vf scale = vbf_load(scales + k / group * width + column), zero = vf_of_bytes((const uint8_t *)zeros + k / group * width + column);
            sum += (vf_of_quarter_bytes(v, 4 * (int)(k % STEPS)) - zero) * scale * sol_from_bf16(a[k]);
        }
        vf_store(sums + column, sum);
    }
}

/* 32 rows x 2 vectors. */
static __attribute__((noinline)) void of_parts_32(const uint16_t *a0, int64_t lda, const int32_t *high, const int32_t *low, int64_t K, float *part, int64_t k0, int last, uint16_t *c, int64_t ldc, int64_t count, const sol_tiles **held, const int32_t *codes, const uint16_t *scales, const int8_t *zeros, int64_t group)
{
    (void)lda, (void)count;
    static const sol_tiles shape = {.palette = 1, .bytes = {64, 64, 64, 64, 64, 64, 64, 64}, .rows = {16, 16, 16, 16, 16, 16, 16, 16}};
    float sums[64 * LANES] __attribute__((aligned(64)));
    SOL_TILES_HOLD(*held, shape);
    if (k0) {
SOL_TILE_LOAD(0, part + 0 * LANES, 8 * LANES); SOL_TILE_LOAD(1, part + 1 * LANES, 8 * LANES); 
SOL_TILE_LOAD(2, part + 32 * LANES, 8 * LANES); SOL_TILE_LOAD(3, part + 33 * LANES, 8 * LANES); 
    } else {
SOL_TILE_ZERO(0); SOL_TILE_ZERO(1); SOL_TILE_ZERO(2); SOL_TILE_ZERO(3); 
    }
    for (int64_t k = 0; k < K; k += 32, high += 32 * LANES, low += 32 * LANES) {
        SOL_TILE_LOAD(4, a0 + k, 2 * lda);
        SOL_TILE_LOAD(5, a0 + 16 * lda + k, 2 * lda);
        SOL_TILE_LOAD(6, low + 0 * LANES, 8 * LANES);
SOL_TILE_DOT(0, 4, 6); SOL_TILE_DOT(2, 5, 6); 
        SOL_TILE_LOAD(7, low + 1 * LANES, 8 * LANES);
SOL_TILE_DOT(1, 4, 7); SOL_TILE_DOT(3, 5, 7); 
        SOL_TILE_LOAD(6, high + 0 * LANES, 8 * LANES);
SOL_TILE_DOT(0, 4, 6); SOL_TILE_DOT(2, 5, 6); 
        SOL_TILE_LOAD(7, high + 1 * LANES, 8 * LANES);
SOL_TILE_DOT(1, 4, 7); SOL_TILE_DOT(3, 5, 7); 
    }
    float *const to = last ? sums : part;
SOL_TILE_STORE(0, to + 0 * LANES, 8 * LANES); SOL_TILE_STORE(1, to + 1 * LANES, 8 * LANES); 
SOL_TILE_STORE(2, to + 32 * LANES, 8 * LANES); SOL_TILE_STORE(3, to + 33 * LANES, 8 * LANES); 
    if (!last) return;
    for (int64_t i = 0; i < 32; i++) {
        float *const row = sums + i * 2 * LANES;
        const vf nothing = vf_load(row + 0 * LANES) * 0.0f + vf_load(row + 1 * LANES) * 0.0f;
        if (vi_any(nothing != nothing)) as_floats(row, a0 + i * lda - k0, codes, scales, zeros, k0 + K, 2 * LANES, group);
const vf ci_0 = vf_load(row + 0 * LANES); const vf ci_1 = vf_load(row + 1 * LANES); 
        {
            vbf_result_store(c + i * ldc + 0 * LANES, ci_0);
        }
        {
            vbf_result_store(c + i * ldc + 1 * LANES, ci_1);
        }
    }
}

/* 16 rows x 2 vectors. */
static __attribute__((noinline)) void of_parts_16(const uint16_t *a0, int64_t lda, const int32_t *high, const int32_t *low, int64_t K, float *part, int64_t k0, int last, uint16_t *c, int64_t ldc, int64_t count, const sol_tiles **held, const int32_t *codes, const uint16_t *scales, const int8_t *zeros, int64_t group)
{
    (void)lda, (void)count;
    static const sol_tiles shape = {.palette = 1, .bytes = {64, 64, 64, 64, 64, 64, 64, 64}, .rows = {16, 16, 1, 1, 16, 1, 16, 16}};
    float sums[32 * LANES] __attribute__((aligned(64)));
    SOL_TILES_HOLD(*held, shape);
    if (k0) {
SOL_TILE_LOAD(0, part + 0 * LANES, 8 * LANES); SOL_TILE_LOAD(1, part + 1 * LANES, 8 * LANES); 
    } else {
SOL_TILE_ZERO(0); SOL_TILE_ZERO(1); 
    }
    for (int64_t k = 0; k < K; k += 32, high += 32 * LANES, low += 32 * LANES) {
        SOL_TILE_LOAD(4, a0 + k, 2 * lda);
        SOL_TILE_LOAD(6, low + 0 * LANES, 8 * LANES);
SOL_TILE_DOT(0, 4, 6); 
        SOL_TILE_LOAD(7, low + 1 * LANES, 8 * LANES);
SOL_TILE_DOT(1, 4, 7); 
        SOL_TILE_LOAD(6, high + 0 * LANES, 8 * LANES);
SOL_TILE_DOT(0, 4, 6); 
        SOL_TILE_LOAD(7, high + 1 * LANES, 8 * LANES);
SOL_TILE_DOT(1, 4, 7); 
    }
    float *const to = last ? sums : part;
SOL_TILE_STORE(0, to + 0 * LANES, 8 * LANES); SOL_TILE_STORE(1, to + 1 * LANES, 8 * LANES); 
    if (!last) return;
    for (int64_t i = 0; i < 16; i++) {
        float *const row = sums + i * 2 * LANES;
        const vf nothing = vf_load(row + 0 * LANES) * 0.0f + vf_load(row + 1 * LANES) * 0.0f;
        if (vi_any(nothing != nothing)) as_floats(row, a0 + i * lda - k0, codes, scales, zeros, k0 + K, 2 * LANES, group);
const vf ci_0 = vf_load(row + 0 * LANES); const vf ci_1 = vf_load(row + 1 * LANES); 
        {
            vbf_result_store(c + i * ldc + 0 * LANES, ci_0);
        }
        {
            vbf_result_store(c + i * ldc + 1 * LANES, ci_1);
        }
    }
}

/* 8 rows x 2 vectors. */
static __attribute__((noinline)) void of_parts_8(const uint16_t *a0, int64_t lda, const int32_t *high, const int32_t *low, int64_t K, float *part, int64_t k0, int last, uint16_t *c, int64_t ldc, int64_t count, const sol_tiles **held, const int32_t *codes, const uint16_t *scales, const int8_t *zeros, int64_t group)
{
    (void)lda, (void)count;
    static const sol_tiles shape = {.palette = 1, .bytes = {64, 64, 64, 64, 64, 64, 64, 64}, .rows = {8, 8, 1, 1, 8, 1, 16, 16}};
    float sums[16 * LANES] __attribute__((aligned(64)));
    SOL_TILES_HOLD(*held, shape);
    if (k0) {
SOL_TILE_LOAD(0, part + 0 * LANES, 8 * LANES); SOL_TILE_LOAD(1, part + 1 * LANES, 8 * LANES); 
    } else {
SOL_TILE_ZERO(0); SOL_TILE_ZERO(1); 
    }
    for (int64_t k = 0; k < K; k += 32, high += 32 * LANES, low += 32 * LANES) {
        SOL_TILE_LOAD(4, a0 + k, 2 * lda);
        SOL_TILE_LOAD(6, low + 0 * LANES, 8 * LANES);
SOL_TILE_DOT(0, 4, 6); 
        SOL_TILE_LOAD(7, low + 1 * LANES, 8 * LANES);
SOL_TILE_DOT(1, 4, 7); 
        SOL_TILE_LOAD(6, high + 0 * LANES, 8 * LANES);
SOL_TILE_DOT(0, 4, 6); 
        SOL_TILE_LOAD(7, high + 1 * LANES, 8 * LANES);
SOL_TILE_DOT(1, 4, 7); 
    }
    float *const to = last ? sums : part;
SOL_TILE_STORE(0, to + 0 * LANES, 8 * LANES); SOL_TILE_STORE(1, to + 1 * LANES, 8 * LANES); 
    if (!last) return;
    for (int64_t i = 0; i < 8; i++) {
        float *const row = sums + i * 2 * LANES;
        const vf nothing = vf_load(row + 0 * LANES) * 0.0f + vf_load(row + 1 * LANES) * 0.0f;
        if (vi_any(nothing != nothing)) as_floats(row, a0 + i * lda - k0, codes, scales, zeros, k0 + K, 2 * LANES, group);
const vf ci_0 = vf_load(row + 0 * LANES); const vf ci_1 = vf_load(row + 1 * LANES); 
        {
            vbf_result_store(c + i * ldc + 0 * LANES, ci_0);
        }
        {
            vbf_result_store(c + i * ldc + 1 * LANES, ci_1);
        }
    }
}

/* 4 rows x 2 vectors. */
static __attribute__((noinline)) void of_parts_4(const uint16_t *a0, int64_t lda, const int32_t *high, const int32_t *low, int64_t K, float *part, int64_t k0, int last, uint16_t *c, int64_t ldc, int64_t count, const sol_tiles **held, const int32_t *codes, const uint16_t *scales, const int8_t *zeros, int64_t group)
{
    (void)lda, (void)count;
    static const sol_tiles shape = {.palette = 1, .bytes = {64, 64, 64, 64, 64, 64, 64, 64}, .rows = {4, 4, 1, 1, 4, 1, 16, 16}};
    float sums[8 * LANES] __attribute__((aligned(64)));
    SOL_TILES_HOLD(*held, shape);
    if (k0) {
SOL_TILE_LOAD(0, part + 0 * LANES, 8 * LANES); SOL_TILE_LOAD(1, part + 1 * LANES, 8 * LANES); 
    } else {
SOL_TILE_ZERO(0); SOL_TILE_ZERO(1); 
    }
    for (int64_t k = 0; k < K; k += 32, high += 32 * LANES, low += 32 * LANES) {
        SOL_TILE_LOAD(4, a0 + k, 2 * lda);
        SOL_TILE_LOAD(6, low + 0 * LANES, 8 * LANES);
SOL_TILE_DOT(0, 4, 6); 
        SOL_TILE_LOAD(7, low + 1 * LANES, 8 * LANES);
SOL_TILE_DOT(1, 4, 7); 
        SOL_TILE_LOAD(6, high + 0 * LANES, 8 * LANES);
SOL_TILE_DOT(0, 4, 6); 
        SOL_TILE_LOAD(7, high + 1 * LANES, 8 * LANES);
SOL_TILE_DOT(1, 4, 7); 
    }
    float *const to = last ? sums : part;
SOL_TILE_STORE(0, to + 0 * LANES, 8 * LANES); SOL_TILE_STORE(1, to + 1 * LANES, 8 * LANES); 
    if (!last) return;
    for (int64_t i = 0; i < 4; i++) {
        float *const row = sums + i * 2 * LANES;
        const vf nothing = vf_load(row + 0 * LANES) * 0.0f + vf_load(row + 1 * LANES) * 0.0f;
        if (vi_any(nothing != nothing)) as_floats(row, a0 + i * lda - k0, codes, scales, zeros, k0 + K, 2 * LANES, group);
const vf ci_0 = vf_load(row + 0 * LANES); const vf ci_1 = vf_load(row + 1 * LANES); 
        {
            vbf_result_store(c + i * ldc + 0 * LANES, ci_0);
        }
        {
            vbf_result_store(c + i * ldc + 1 * LANES, ci_1);
        }
    }
}

/* 2 rows x 2 vectors. */
static __attribute__((noinline)) void of_parts_2(const uint16_t *a0, int64_t lda, const int32_t *high, const int32_t *low, int64_t K, float *part, int64_t k0, int last, uint16_t *c, int64_t ldc, int64_t count, const sol_tiles **held, const int32_t *codes, const uint16_t *scales, const int8_t *zeros, int64_t group)
{
    (void)lda, (void)count;
    static const sol_tiles shape = {.palette = 1, .bytes = {64, 64, 64, 64, 64, 64, 64, 64}, .rows = {2, 2, 1, 1, 2, 1, 16, 16}};
    float sums[4 * LANES] __attribute__((aligned(64)));
    SOL_TILES_HOLD(*held, shape);
    if (k0) {
SOL_TILE_LOAD(0, part + 0 * LANES, 8 * LANES); SOL_TILE_LOAD(1, part + 1 * LANES, 8 * LANES); 
    } else {
SOL_TILE_ZERO(0); SOL_TILE_ZERO(1); 
    }
    for (int64_t k = 0; k < K; k += 32, high += 32 * LANES, low += 32 * LANES) {
        SOL_TILE_LOAD(4, a0 + k, 2 * lda);
        SOL_TILE_LOAD(6, low + 0 * LANES, 8 * LANES);
SOL_TILE_DOT(0, 4, 6); 
        SOL_TILE_LOAD(7, low + 1 * LANES, 8 * LANES);
SOL_TILE_DOT(1, 4, 7); 
        SOL_TILE_LOAD(6, high + 0 * LANES, 8 * LANES);
SOL_TILE_DOT(0, 4, 6); 
        SOL_TILE_LOAD(7, high + 1 * LANES, 8 * LANES);
SOL_TILE_DOT(1, 4, 7); 
    }
    float *const to = last ? sums : part;
SOL_TILE_STORE(0, to + 0 * LANES, 8 * LANES); SOL_TILE_STORE(1, to + 1 * LANES, 8 * LANES); 
    if (!last) return;
    for (int64_t i = 0; i < 2; i++) {
        float *const row = sums + i * 2 * LANES;
        const vf nothing = vf_load(row + 0 * LANES) * 0.0f + vf_load(row + 1 * LANES) * 0.0f;
        if (vi_any(nothing != nothing)) as_floats(row, a0 + i * lda - k0, codes, scales, zeros, k0 + K, 2 * LANES, group);
const vf ci_0 = vf_load(row + 0 * LANES); const vf ci_1 = vf_load(row + 1 * LANES); 
        {
            vbf_result_store(c + i * ldc + 0 * LANES, ci_0);
        }
        {
            vbf_result_store(c + i * ldc + 1 * LANES, ci_1);
        }
    }
}

/* 1 rows x 2 vectors. */
static __attribute__((noinline)) void of_parts_1(const uint16_t *a0, int64_t lda, const int32_t *high, const int32_t *low, int64_t K, float *part, int64_t k0, int last, uint16_t *c, int64_t ldc, int64_t count, const sol_tiles **held, const int32_t *codes, const uint16_t *scales, const int8_t *zeros, int64_t group)
{
    (void)lda, (void)count;
    static const sol_tiles shape = {.palette = 1, .bytes = {64, 64, 64, 64, 64, 64, 64, 64}, .rows = {1, 1, 1, 1, 1, 1, 16, 16}};
    float sums[2 * LANES] __attribute__((aligned(64)));
    SOL_TILES_HOLD(*held, shape);
    if (k0) {
SOL_TILE_LOAD(0, part + 0 * LANES, 8 * LANES); SOL_TILE_LOAD(1, part + 1 * LANES, 8 * LANES); 
    } else {
SOL_TILE_ZERO(0); SOL_TILE_ZERO(1); 
    }
    for (int64_t k = 0; k < K; k += 32, high += 32 * LANES, low += 32 * LANES) {
        SOL_TILE_LOAD(4, a0 + k, 2 * lda);
        SOL_TILE_LOAD(6, low + 0 * LANES, 8 * LANES);
SOL_TILE_DOT(0, 4, 6); 
        SOL_TILE_LOAD(7, low + 1 * LANES, 8 * LANES);
SOL_TILE_DOT(1, 4, 7); 
        SOL_TILE_LOAD(6, high + 0 * LANES, 8 * LANES);
SOL_TILE_DOT(0, 4, 6); 
        SOL_TILE_LOAD(7, high + 1 * LANES, 8 * LANES);
SOL_TILE_DOT(1, 4, 7); 
    }
    float *const to = last ? sums : part;
SOL_TILE_STORE(0, to + 0 * LANES, 8 * LANES); SOL_TILE_STORE(1, to + 1 * LANES, 8 * LANES); 
    if (!last) return;
    for (int64_t i = 0; i < 1; i++) {
        float *const row = sums + i * 2 * LANES;
        const vf nothing = vf_load(row + 0 * LANES) * 0.0f + vf_load(row + 1 * LANES) * 0.0f;
        if (vi_any(nothing != nothing)) as_floats(row, a0 + i * lda - k0, codes, scales, zeros, k0 + K, 2 * LANES, group);
const vf ci_0 = vf_load(row + 0 * LANES); const vf ci_1 = vf_load(row + 1 * LANES); 
        {
            vbf_result_store(c + i * ldc + 0 * LANES, ci_0);
        }
        {
            vbf_result_store(c + i * ldc + 1 * LANES, ci_1);
        }
    }
}

/* 32 rows x 1 vectors, count columns exist. */
static __attribute__((noinline)) void of_parts_32_ragged(const uint16_t *a0, int64_t lda, const int32_t *high, const int32_t *low, int64_t K, float *part, int64_t k0, int last, uint16_t *c, int64_t ldc, int64_t count, const sol_tiles **held, const int32_t *codes, const uint16_t *scales, const int8_t *zeros, int64_t group)
{
    (void)lda, (void)count;
    const int n0 = sol_lanes(count, 0);
    static const sol_tiles shape = {.palette = 1, .bytes = {64, 64, 64, 64, 64, 64, 64, 64}, .rows = {16, 16, 1, 1, 16, 16, 16, 16}};
    float sums[32 * LANES] __attribute__((aligned(64)));
    SOL_TILES_HOLD(*held, shape);
    if (k0) {
SOL_TILE_LOAD(0, part + 0 * LANES, 4 * LANES); 
SOL_TILE_LOAD(1, part + 16 * LANES, 4 * LANES); 
    } else {
SOL_TILE_ZERO(0); SOL_TILE_ZERO(1); 
    }
    for (int64_t k = 0; k < K; k += 32, high += 16 * LANES, low += 16 * LANES) {
        SOL_TILE_LOAD(4, a0 + k, 2 * lda);
        SOL_TILE_LOAD(5, a0 + 16 * lda + k, 2 * lda);
        SOL_TILE_LOAD(6, low + 0 * LANES, 4 * LANES);
SOL_TILE_DOT(0, 4, 6); SOL_TILE_DOT(1, 5, 6); 
        SOL_TILE_LOAD(6, high + 0 * LANES, 4 * LANES);
SOL_TILE_DOT(0, 4, 6); SOL_TILE_DOT(1, 5, 6); 
    }
    float *const to = last ? sums : part;
SOL_TILE_STORE(0, to + 0 * LANES, 4 * LANES); 
SOL_TILE_STORE(1, to + 16 * LANES, 4 * LANES); 
    if (!last) return;
    for (int64_t i = 0; i < 32; i++) {
        float *const row = sums + i * 1 * LANES;
        const vf nothing = vf_load(row + 0 * LANES) * 0.0f;
        if (vi_any(nothing != nothing)) as_floats(row, a0 + i * lda - k0, codes, scales, zeros, k0 + K, 1 * LANES, group);
const vf ci_0 = vf_load(row + 0 * LANES); 
        {
            vbf_result_store_n(c + i * ldc + 0 * LANES, ci_0, n0);
        }
    }
}

/* 16 rows x 1 vectors, count columns exist. */
static __attribute__((noinline)) void of_parts_16_ragged(const uint16_t *a0, int64_t lda, const int32_t *high, const int32_t *low, int64_t K, float *part, int64_t k0, int last, uint16_t *c, int64_t ldc, int64_t count, const sol_tiles **held, const int32_t *codes, const uint16_t *scales, const int8_t *zeros, int64_t group)
{
    (void)lda, (void)count;
    const int n0 = sol_lanes(count, 0);
    static const sol_tiles shape = {.palette = 1, .bytes = {64, 64, 64, 64, 64, 64, 64, 64}, .rows = {16, 1, 1, 1, 16, 1, 16, 16}};
    float sums[16 * LANES] __attribute__((aligned(64)));
    SOL_TILES_HOLD(*held, shape);
    if (k0) {
SOL_TILE_LOAD(0, part + 0 * LANES, 4 * LANES); 
    } else {
SOL_TILE_ZERO(0); 
    }
    for (int64_t k = 0; k < K; k += 32, high += 16 * LANES, low += 16 * LANES) {
        SOL_TILE_LOAD(4, a0 + k, 2 * lda);
        SOL_TILE_LOAD(6, low + 0 * LANES, 4 * LANES);
SOL_TILE_DOT(0, 4, 6); 
        SOL_TILE_LOAD(6, high + 0 * LANES, 4 * LANES);
SOL_TILE_DOT(0, 4, 6); 
    }
    float *const to = last ? sums : part;
SOL_TILE_STORE(0, to + 0 * LANES, 4 * LANES); 
    if (!last) return;
    for (int64_t i = 0; i < 16; i++) {
        float *const row = sums + i * 1 * LANES;
        const vf nothing = vf_load(row + 0 * LANES) * 0.0f;
        if (vi_any(nothing != nothing)) as_floats(row, a0 + i * lda - k0, codes, scales, zeros, k0 + K, 1 * LANES, group);
const vf ci_0 = vf_load(row + 0 * LANES); 
        {
            vbf_result_store_n(c + i * ldc + 0 * LANES, ci_0, n0);
        }
    }
}

/* 8 rows x 1 vectors, count columns exist. */
static __attribute__((noinline)) void of_parts_8_ragged(const uint16_t *a0, int64_t lda, const int32_t *high, const int32_t *low, int64_t K, float *part, int64_t k0, int last, uint16_t *c, int64_t ldc, int64_t count, const sol_tiles **held, const int32_t *codes, const uint16_t *scales, const int8_t *zeros, int64_t group)
{
    (void)lda, (void)count;
    const int n0 = sol_lanes(count, 0);
    static const sol_tiles shape = {.palette = 1, .bytes = {64, 64, 64, 64, 64, 64, 64, 64}, .rows = {8, 1, 1, 1, 8, 1, 16, 16}};
    float sums[8 * LANES] __attribute__((aligned(64)));
    SOL_TILES_HOLD(*held, shape);
    if (k0) {
SOL_TILE_LOAD(0, part + 0 * LANES, 4 * LANES); 
    } else {
SOL_TILE_ZERO(0); 
    }
    for (int64_t k = 0; k < K; k += 32, high += 16 * LANES, low += 16 * LANES) {
        SOL_TILE_LOAD(4, a0 + k, 2 * lda);
        SOL_TILE_LOAD(6, low + 0 * LANES, 4 * LANES);
SOL_TILE_DOT(0, 4, 6); 
        SOL_TILE_LOAD(6, high + 0 * LANES, 4 * LANES);
SOL_TILE_DOT(0, 4, 6); 
    }
    float *const to = last ? sums : part;
SOL_TILE_STORE(0, to + 0 * LANES, 4 * LANES); 
    if (!last) return;
    for (int64_t i = 0; i < 8; i++) {
        float *const row = sums + i * 1 * LANES;
        const vf nothing = vf_load(row + 0 * LANES) * 0.0f;
        if (vi_any(nothing != nothing)) as_floats(row, a0 + i * lda - k0, codes, scales, zeros, k0 + K, 1 * LANES, group);
const vf ci_0 = vf_load(row + 0 * LANES); 
        {
            vbf_result_store_n(c + i * ldc + 0 * LANES, ci_0, n0);
        }
    }
}

/* 4 rows x 1 vectors, count columns exist. */
static __attribute__((noinline)) void of_parts_4_ragged(const uint16_t *a0, int64_t lda, const int32_t *high, const int32_t *low, int64_t K, float *part, int64_t k0, int last, uint16_t *c, int64_t ldc, int64_t count, const sol_tiles **held, const int32_t *codes, const uint16_t *scales, const int8_t *zeros, int64_t group)
{
    (void)lda, (void)count;
    const int n0 = sol_lanes(count, 0);
    static const sol_tiles shape = {.palette = 1, .bytes = {64, 64, 64, 64, 64, 64, 64, 64}, .rows = {4, 1, 1, 1, 4, 1, 16, 16}};
    float sums[4 * LANES] __attribute__((aligned(64)));
    SOL_TILES_HOLD(*held, shape);
    if (k0) {
SOL_TILE_LOAD(0, part + 0 * LANES, 4 * LANES); 
    } else {
SOL_TILE_ZERO(0); 
    }
    for (int64_t k = 0; k < K; k += 32, high += 16 * LANES, low += 16 * LANES) {
        SOL_TILE_LOAD(4, a0 + k, 2 * lda);
        SOL_TILE_LOAD(6, low + 0 * LANES, 4 * LANES);
SOL_TILE_DOT(0, 4, 6); 
        SOL_TILE_LOAD(6, high + 0 * LANES, 4 * LANES);
SOL_TILE_DOT(0, 4, 6); 
    }
    float *const to = last ? sums : part;
SOL_TILE_STORE(0, to + 0 * LANES, 4 * LANES); 
    if (!last) return;
    for (int64_t i = 0; i < 4; i++) {
        float *const row = sums + i * 1 * LANES;
        const vf nothing = vf_load(row + 0 * LANES) * 0.0f;
        if (vi_any(nothing != nothing)) as_floats(row, a0 + i * lda - k0, codes, scales, zeros, k0 + K, 1 * LANES, group);
const vf ci_0 = vf_load(row + 0 * LANES); 
        {
            vbf_result_store_n(c + i * ldc + 0 * LANES, ci_0, n0);
        }
    }
}

/* 2 rows x 1 vectors, count columns exist. */
static __attribute__((noinline)) void of_parts_2_ragged(const uint16_t *a0, int64_t lda, const int32_t *high, const int32_t *low, int64_t K, float *part, int64_t k0, int last, uint16_t *c, int64_t ldc, int64_t count, const sol_tiles **held, const int32_t *codes, const uint16_t *scales, const int8_t *zeros, int64_t group)
{
    (void)lda, (void)count;
    const int n0 = sol_lanes(count, 0);
    static const sol_tiles shape = {.palette = 1, .bytes = {64, 64, 64, 64, 64, 64, 64, 64}, .rows = {2, 1, 1, 1, 2, 1, 16, 16}};
    float sums[2 * LANES] __attribute__((aligned(64)));
    SOL_TILES_HOLD(*held, shape);
    if (k0) {
SOL_TILE_LOAD(0, part + 0 * LANES, 4 * LANES); 
    } else {
SOL_TILE_ZERO(0); 
    }
    for (int64_t k = 0; k < K; k += 32, high += 16 * LANES, low += 16 * LANES) {
        SOL_TILE_LOAD(4, a0 + k, 2 * lda);
        SOL_TILE_LOAD(6, low + 0 * LANES, 4 * LANES);
SOL_TILE_DOT(0, 4, 6); 
        SOL_TILE_LOAD(6, high + 0 * LANES, 4 * LANES);
SOL_TILE_DOT(0, 4, 6); 
    }
    float *const to = last ? sums : part;
SOL_TILE_STORE(0, to + 0 * LANES, 4 * LANES); 
    if (!last) return;
    for (int64_t i = 0; i < 2; i++) {
        float *const row = sums + i * 1 * LANES;
        const vf nothing = vf_load(row + 0 * LANES) * 0.0f;
        if (vi_any(nothing != nothing)) as_floats(row, a0 + i * lda - k0, codes, scales, zeros, k0 + K, 1 * LANES, group);
const vf ci_0 = vf_load(row + 0 * LANES); 
        {
            vbf_result_store_n(c + i * ldc + 0 * LANES, ci_0, n0);
        }
    }
}

/* 1 rows x 1 vectors, count columns exist. */
static __attribute__((noinline)) void of_parts_1_ragged(const uint16_t *a0, int64_t lda, const int32_t *high, const int32_t *low, int64_t K, float *part, int64_t k0, int last, uint16_t *c, int64_t ldc, int64_t count, const sol_tiles **held, const int32_t *codes, const uint16_t *scales, const int8_t *zeros, int64_t group)
{
    (void)lda, (void)count;
    const int n0 = sol_lanes(count, 0);
    static const sol_tiles shape = {.palette = 1, .bytes = {64, 64, 64, 64, 64, 64, 64, 64}, .rows = {1, 1, 1, 1, 1, 1, 16, 16}};
    float sums[1 * LANES] __attribute__((aligned(64)));
    SOL_TILES_HOLD(*held, shape);
    if (k0) {
SOL_TILE_LOAD(0, part + 0 * LANES, 4 * LANES); 
    } else {
SOL_TILE_ZERO(0); 
    }
    for (int64_t k = 0; k < K; k += 32, high += 16 * LANES, low += 16 * LANES) {
        SOL_TILE_LOAD(4, a0 + k, 2 * lda);
        SOL_TILE_LOAD(6, low + 0 * LANES, 4 * LANES);
SOL_TILE_DOT(0, 4, 6); 
        SOL_TILE_LOAD(6, high + 0 * LANES, 4 * LANES);
SOL_TILE_DOT(0, 4, 6); 
    }
    float *const to = last ? sums : part;
SOL_TILE_STORE(0, to + 0 * LANES, 4 * LANES); 
    if (!last) return;
    for (int64_t i = 0; i < 1; i++) {
        float *const row = sums + i * 1 * LANES;
        const vf nothing = vf_load(row + 0 * LANES) * 0.0f;
        if (vi_any(nothing != nothing)) as_floats(row, a0 + i * lda - k0, codes, scales, zeros, k0 + K, 1 * LANES, group);
const vf ci_0 = vf_load(row + 0 * LANES); 
        {
            vbf_result_store_n(c + i * ldc + 0 * LANES, ci_0, n0);
        }
    }
}

#define OF_PARTS(rows) (count < WIDTH ? of_parts_##rows##_ragged : of_parts_##rows)(a_q + m * lda + k0, lda, high, low, kc, partial + (m - r * ROWS) * WIDTH, k0, last, c_q + m * ldc, ldc, count, &held, panel, scales_p, zeros_p, group)
#define FEW(rows) (count < WIDTH ? few_tile_##rows##_ragged : few_tile_##rows)(a_q + m * K, K, panel, K, scales_p, zeros_p, sums + m * slices, slices, group, c_q + m * ldc, ldc, count)
#define BY_DIGITS(rows) (count < WIDTH ? by_digits_##rows##_ragged : by_digits_##rows)(bytes + m * DIGITS * pitch, pitch, parts + m * slices, panel, K, scales_p, zeros_p, sums + m * slices, slices, group, c_q + m * ldc, ldc, count)
/* Sums of a row's slices, as the tiles scale them. */
static void add_up(const float *a, int64_t K, int64_t group, float *sums)
{
    int64_t k = 0, border = group < K ? group : K;
    while (k < K) {
        const int64_t stop = border - k > SLICE ? k + SLICE : border;
        vf some = vf_zero();
        for (; k + LANES <= stop; k += LANES) some += vf_load(a + k);
        float sum = vf_sum(some);
        for (; k < stop; k++) sum += a[k];
        *sums++ = sum;
        if (k == border) border = K - k > group ? k + group : K;
    }
}

void matmul_weight_only_parts(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const uint16_t *A = buf[0];
    const uint8_t *B = buf[1];
    const uint16_t *scales = buf[2];
    const int8_t *zeros = buf[3];
    uint16_t *C = buf[4];
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
    float *rows_of_a = (float *)team->shared_scratch;
    if (M <= MR) {
        int64_t begin, end;
        sol_split(team, 1 * M, &begin, &end);
        for (int64_t row = begin; row < end; row++) {
            int64_t q = row / M;
            const uint16_t *from = A + row % M * lda;
            (void)q;
            for (int64_t k = 0; k < K; k++) rows_of_a[row * K + k] = sol_from_bf16(from[k]);
        }
        sol_barrier(team);
    }
    if (team->id >= active) return;
    if (M <= MR) {
    {
    const int64_t units = 1 * panels, end = units * (team->id + 1) / active;
    float *const sums = (float *)team->scratch;
    const int64_t slices = (K / group) * ((group + SLICE - 1) / SLICE) + (K % group + SLICE - 1) / SLICE;
    int64_t have = -1;
    sol_slice *const parts = (sol_slice *)(sums + 8 * slices);
    uint8_t *const bytes = (uint8_t *)(parts + 4 * slices);
    const int64_t pitch = (K + 127) / 64 * 64;
    int by_digits = 0;
    for (int64_t u = units * team->id / active; u < end; u++) {
        const int64_t p = u % panels, q = u / panels;
        const int64_t count = N - p * WIDTH, width = count >= WIDTH ? WIDTH : 1 * LANES;
        int64_t rest = q;
        const float *a_q = rows_of_a + q * M * K;
        uint16_t *c_q = C + p * WIDTH;
        (void)rest, (void)width;
        const int32_t *panel = (const int32_t *)B + p * ((K + STEPS - 1) / STEPS) * WIDTH;
        const uint16_t *scales_p = scales + p * groups * WIDTH;
        const int8_t *zeros_p = zeros + p * groups * WIDTH;

        if (have != q) {
            by_digits = M <= 4;
            for (int64_t row = 0; by_digits && row < M; row++)
                by_digits = sol_to_digits(a_q + row * K, K, group, SLICE, DIGITS, 1, bytes + row * DIGITS * pitch, pitch, parts + row * slices, sums + row * slices);
            for (int64_t row = 0; !by_digits && row < M; row++) add_up(a_q + row * K, K, group, sums + row * slices);
            have = q;
        }
        int64_t m = 0;
        if (by_digits) {
            if (M == 4) BY_DIGITS(4);
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
    const int64_t blocks = (M + ROWS - 1) / ROWS, units = 1 * panels * blocks, end = units * (team->id + 1) / active;
    int32_t *const high = (int32_t *)team->scratch, *const low = high + KC / 2 * WIDTH;
    float *const partial = (float *)(low + KC / 2 * WIDTH);
    const sol_tiles *held = 0;
    for (int64_t u = units * team->id / active, run; u < end; u += run) {
        const int64_t r = u % blocks, p = u / blocks % panels, q = u / blocks / panels;
        run = blocks - r < end - u ? blocks - r : end - u;
        const int64_t count = N - p * WIDTH, width = count >= WIDTH ? WIDTH : 1 * LANES;
        int64_t rest = q;
        const uint16_t *a_q = A;
        uint16_t *c_q = C + p * WIDTH;
        (void)rest, (void)width;
        const int32_t *panel = (const int32_t *)B + p * ((K + STEPS - 1) / STEPS) * WIDTH;
        const uint16_t *scales_p = scales + p * groups * WIDTH;
        const int8_t *zeros_p = zeros + p * groups * WIDTH;

        for (int64_t k0 = 0, kc; k0 < K; k0 += kc) {
            kc = K - k0 < KC ? K - k0 : KC;
            const int last = k0 + kc == K;
            unpack_parts(high, low, panel, scales_p, zeros_p, k0, kc, width, group);
            for (int64_t i = r; i < r + run; i++) {
                const int64_t stop = M - i * ROWS < ROWS ? M : (i + 1) * ROWS;
                for (int64_t m = i * ROWS, rows; m < stop; m += rows) {
                    if (stop - m >= 32) {
                        rows = 32;
                        OF_PARTS(32);
                    }
                    else if (stop - m >= 16) {
                        rows = 16;
                        OF_PARTS(16);
                    }
                    else if (stop - m >= 8) {
                        rows = 8;
                        OF_PARTS(8);
                    }
                    else if (stop - m >= 4) {
                        rows = 4;
                        OF_PARTS(4);
                    }
                    else if (stop - m >= 2) {
                        rows = 2;
                        OF_PARTS(2);
                    }
                    else {
                        rows = 1;
                        OF_PARTS(1);
                    }
                }
            }
        }
    }
    SOL_TILES_END();
}
