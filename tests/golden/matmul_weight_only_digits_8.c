/* matmul_weight_only_digits_8: C[q][M][N] = A[q][M][K] * W^T; W[n][k] = (B[n][k] - zeros[n][g]) * scales[n][g], g = k / group.
 *
 * B in panels of 2 vectors of dwords, each of 4 integers, [panel][K / 4][2 * LANES], scales and zero points as [panel][g][2 * LANES].
 * Few rows, for each of this thread's (q, panel): all rows at once
 *   for each group, in slices of at most 256 steps: A times integers, added up in registers, then scaled and added to the totals
 * The rows whose numbers are finite, and not tiny: each number is an integer of 4 bytes times a power of two of its slice,
 *   and its bytes are multiplied by integers of the weight, four at a time (sol_digits.h)
 * Options: 0 batch dimensions. */
#include "sol_team.h"
#include "sol_codes.h"
#include "sol_digits.h"
#include "sol_pack.h"

enum { STEPS = 4, SLICE = 256, DIGITS = 4 };
enum { MR = 2, NV = 2, WIDTH = NV * LANES };

/* 2 rows x 2 vectors. */
static __attribute__((noinline)) void few_tile_2(const float *a0, int64_t lda, const int32_t *b, int64_t K, const uint16_t *scales, const int8_t *zeros, const float *sums, int64_t slices, int64_t group, float *c, int64_t ldc, int64_t count)
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
                const vf w0 = vf_of_byte_at(v0, 0); const vf w1 = vf_of_byte_at(v1, 0); 
                { const float x = a0[k + 0]; c0_0 += w0 * x; c0_1 += w1 * x; }
                { const float x = a1[k + 0]; c1_0 += w0 * x; c1_1 += w1 * x; }
            }
            {
                const vf w0 = vf_of_byte_at(v0, 8); const vf w1 = vf_of_byte_at(v1, 8); 
                { const float x = a0[k + 1]; c0_0_1 += w0 * x; c0_1_1 += w1 * x; }
                { const float x = a1[k + 1]; c1_0_1 += w0 * x; c1_1_1 += w1 * x; }
            }
            {
                const vf w0 = vf_of_byte_at(v0, 16); const vf w1 = vf_of_byte_at(v1, 16); 
                { const float x = a0[k + 2]; c0_0 += w0 * x; c0_1 += w1 * x; }
                { const float x = a1[k + 2]; c1_0 += w0 * x; c1_1 += w1 * x; }
            }
            {
                const vf w0 = vf_of_byte_at(v0, 24); const vf w1 = vf_of_byte_at(v1, 24); 
                { const float x = a0[k + 3]; c0_0_1 += w0 * x; c0_1_1 += w1 * x; }
                { const float x = a1[k + 3]; c1_0_1 += w0 * x; c1_1_1 += w1 * x; }
            }
            v0 = vi_load_codes(b + 1 * width + 0 * LANES); SOL_ASK(b + 1 * width + 0 * LANES, 1024, 4096); v1 = vi_load_codes(b + 1 * width + 1 * LANES); SOL_ASK(b + 1 * width + 1 * LANES, 1024, 4096); 
            {
                const vf w0 = vf_of_byte_at(v0, 0); const vf w1 = vf_of_byte_at(v1, 0); 
                { const float x = a0[k + 4]; c0_0 += w0 * x; c0_1 += w1 * x; }
                { const float x = a1[k + 4]; c1_0 += w0 * x; c1_1 += w1 * x; }
            }
            {
                const vf w0 = vf_of_byte_at(v0, 8); const vf w1 = vf_of_byte_at(v1, 8); 
                { const float x = a0[k + 5]; c0_0_1 += w0 * x; c0_1_1 += w1 * x; }
                { const float x = a1[k + 5]; c1_0_1 += w0 * x; c1_1_1 += w1 * x; }
            }
            {
                const vf w0 = vf_of_byte_at(v0, 16); const vf w1 = vf_of_byte_at(v1, 16); 
                { const float x = a0[k + 6]; c0_0 += w0 * x; c0_1 += w1 * x; }
                { const float x = a1[k + 6]; c1_0 += w0 * x; c1_1 += w1 * x; }
            }
            {
                const vf w0 = vf_of_byte_at(v0, 24); const vf w1 = vf_of_byte_at(v1, 24); 
                { const float x = a0[k + 7]; c0_0_1 += w0 * x; c0_1_1 += w1 * x; }
                { const float x = a1[k + 7]; c1_0_1 += w0 * x; c1_1_1 += w1 * x; }
            }
        }
        for (int u = 0; k < stop; k++, u++) { /* the end of a row */
            const vf w0 = vf_of_byte_at(vi_load(b + u / STEPS * width + 0 * LANES), 8 * (u % STEPS)); const vf w1 = vf_of_byte_at(vi_load(b + u / STEPS * width + 1 * LANES), 8 * (u % STEPS)); 
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

/* 2 rows x 1 vectors, count columns exist. */
static __attribute__((noinline)) void few_tile_2_ragged(const float *a0, int64_t lda, const int32_t *b, int64_t K, const uint16_t *scales, const int8_t *zeros, const float *sums, int64_t slices, int64_t group, float *c, int64_t ldc, int64_t count)
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
                const vf w0 = vf_of_byte_at(v0, 0); 
                { const float x = a0[k + 0]; c0_0 += w0 * x; }
                { const float x = a1[k + 0]; c1_0 += w0 * x; }
            }
            {
                const vf w0 = vf_of_byte_at(v0, 8); 
                { const float x = a0[k + 1]; c0_0_1 += w0 * x; }
                { const float x = a1[k + 1]; c1_0_1 += w0 * x; }
            }
            {
                const vf w0 = vf_of_byte_at(v0, 16); 
                { const float x = a0[k + 2]; c0_0 += w0 * x; }
                { const float x = a1[k + 2]; c1_0 += w0 * x; }
            }
            {
                const vf w0 = vf_of_byte_at(v0, 24); 
                { const float x = a0[k + 3]; c0_0_1 += w0 * x; }
                { const float x = a1[k + 3]; c1_0_1 += w0 * x; }
            }
            v0 = vi_load_codes(b + 1 * width + 0 * LANES); SOL_ASK(b + 1 * width + 0 * LANES, 1024, 4096); 
            {
                const vf w0 = vf_of_byte_at(v0, 0); 
                { const float x = a0[k + 4]; c0_0 += w0 * x; }
                { const float x = a1[k + 4]; c1_0 += w0 * x; }
            }
            {
                const vf w0 = vf_of_byte_at(v0, 8); 
                { const float x = a0[k + 5]; c0_0_1 += w0 * x; }
                { const float x = a1[k + 5]; c1_0_1 += w0 * x; }
            }
            {
                const vf w0 = vf_of_byte_at(v0, 16); 
                { const float x = a0[k + 6]; c0_0 += w0 * x; }
                { const float x = a1[k + 6]; c1_0 += w0 * x; }
            }
            {
                const vf w0 = vf_of_byte_at(v0, 24); 
                { const float x = a0[k + 7]; c0_0_1 += w0 * x; }
                { const float x = a1[k + 7]; c1_0_1 += w0 * x; }
            }
        }
        for (int u = 0; k < stop; k++, u++) { /* the end of a row */
            const vf w0 = vf_of_byte_at(vi_load(b + u / STEPS * width + 0 * LANES), 8 * (u % STEPS)); 
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
        vf_store_n(c + 0 * ldc + 0 * LANES, c0_0, n0);
    }
    {
        vf_store_n(c + 1 * ldc + 0 * LANES, c1_0, n0);
    }
}

/* 2 rows x 2 vectors, by digits. */
static __attribute__((noinline)) void by_digits_2(const uint8_t *row, int64_t pitch, const sol_slice *slice, const int32_t *b, int64_t K, const uint16_t *scales, const int8_t *zeros, const float *sums, int64_t slices, int64_t group, float *c, int64_t ldc, int64_t count)
{
    (void)slices, (void)count;
    const int64_t width = 2 * LANES;
    vf totals[4] = {0}, *total = totals;
    SOL_PIN(total);
    vi high = vi_set((int32_t)0x80808080u);
    SOL_HOLD(high);
    int64_t k = 0, border = group < K ? group : K;
    while (k < K) {
        const int64_t stop = border - k > SLICE ? k + SLICE : border;
        vi c0_0_0 = vi_set(0), c0_0_1 = vi_set(0);
        vi c0_1_0 = vi_set(0), c0_1_1 = vi_set(0);
        vi c0_2_0 = vi_set(0), c0_2_1 = vi_set(0);
        vi c0_3_0 = vi_set(-128 * slice[0 * slices].sums[3]), c0_3_1 = vi_set(-128 * slice[0 * slices].sums[3]);
        vi c1_0_0 = vi_set(0), c1_0_1 = vi_set(0);
        vi c1_1_0 = vi_set(0), c1_1_1 = vi_set(0);
        vi c1_2_0 = vi_set(0), c1_2_1 = vi_set(0);
        vi c1_3_0 = vi_set(-128 * slice[1 * slices].sums[3]), c1_3_1 = vi_set(-128 * slice[1 * slices].sums[3]);
        for (; k < stop; k += 4, b += width) {
            const vi w0 = vi_load_codes(b + 0 * LANES); SOL_ASK(b + 0 * LANES, 1024, 4096); const vi w1 = vi_load_codes(b + 1 * LANES); SOL_ASK(b + 1 * LANES, 1024, 4096); 
            {
                { const vi x = vi_set(sol_dword(row + 0 * pitch + k)); c0_0_0 = vi_dot(c0_0_0, vq_unsigned(x), vq_signed(w0)); c0_0_1 = vi_dot(c0_0_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 1 * pitch + k)); c0_1_0 = vi_dot(c0_1_0, vq_unsigned(x), vq_signed(w0)); c0_1_1 = vi_dot(c0_1_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 2 * pitch + k)); c0_2_0 = vi_dot(c0_2_0, vq_unsigned(x), vq_signed(w0)); c0_2_1 = vi_dot(c0_2_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 3 * pitch + k)); c0_3_0 = vi_dot(c0_3_0, vq_unsigned(w0 ^ high), vq_signed(x)); c0_3_1 = vi_dot(c0_3_1, vq_unsigned(w1 ^ high), vq_signed(x)); }
                { const vi x = vi_set(sol_dword(row + 4 * pitch + k)); c1_0_0 = vi_dot(c1_0_0, vq_unsigned(x), vq_signed(w0)); c1_0_1 = vi_dot(c1_0_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 5 * pitch + k)); c1_1_0 = vi_dot(c1_1_0, vq_unsigned(x), vq_signed(w0)); c1_1_1 = vi_dot(c1_1_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 6 * pitch + k)); c1_2_0 = vi_dot(c1_2_0, vq_unsigned(x), vq_signed(w0)); c1_2_1 = vi_dot(c1_2_1, vq_unsigned(x), vq_signed(w1)); }
                { const vi x = vi_set(sol_dword(row + 7 * pitch + k)); c1_3_0 = vi_dot(c1_3_0, vq_unsigned(w0 ^ high), vq_signed(x)); c1_3_1 = vi_dot(c1_3_1, vq_unsigned(w1 ^ high), vq_signed(x)); }
}
        }
        k = stop;
        const vf scale0 = vbf_load(scales + 0 * LANES), zero0 = vf_of_bytes((const uint8_t *)zeros + 0 * LANES);
        const vf scale1 = vbf_load(scales + 1 * LANES), zero1 = vf_of_bytes((const uint8_t *)zeros + 1 * LANES);
        {
            const float unit = slice[0 * slices].unit, sum = sums[0 * slices];
            vf c0 = vf_of_ints(c0_3_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_2_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_1_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_0_0);
            total[0] += scale0 * (c0 * unit - zero0 * sum);
            vf c1 = vf_of_ints(c0_3_1);
            c1 = c1 * 256.0f + vf_of_ints(c0_2_1);
            c1 = c1 * 256.0f + vf_of_ints(c0_1_1);
            c1 = c1 * 256.0f + vf_of_ints(c0_0_1);
            total[1] += scale1 * (c1 * unit - zero1 * sum);
        }
        {
            const float unit = slice[1 * slices].unit, sum = sums[1 * slices];
            vf c0 = vf_of_ints(c1_3_0);
            c0 = c0 * 256.0f + vf_of_ints(c1_2_0);
            c0 = c0 * 256.0f + vf_of_ints(c1_1_0);
            c0 = c0 * 256.0f + vf_of_ints(c1_0_0);
            total[2] += scale0 * (c0 * unit - zero0 * sum);
            vf c1 = vf_of_ints(c1_3_1);
            c1 = c1 * 256.0f + vf_of_ints(c1_2_1);
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

/* 2 rows x 1 vectors, by digits, count columns exist. */
static __attribute__((noinline)) void by_digits_2_ragged(const uint8_t *row, int64_t pitch, const sol_slice *slice, const int32_t *b, int64_t K, const uint16_t *scales, const int8_t *zeros, const float *sums, int64_t slices, int64_t group, float *c, int64_t ldc, int64_t count)
{
    (void)slices, (void)count;
    const int n0 = sol_lanes(count, 0);
    const int64_t width = 1 * LANES;
    vf totals[2] = {0}, *total = totals;
    SOL_PIN(total);
    vi high = vi_set((int32_t)0x80808080u);
    SOL_HOLD(high);
    int64_t k = 0, border = group < K ? group : K;
    while (k < K) {
        const int64_t stop = border - k > SLICE ? k + SLICE : border;
        vi c0_0_0 = vi_set(0);
        vi c0_1_0 = vi_set(0);
        vi c0_2_0 = vi_set(0);
        vi c0_3_0 = vi_set(-128 * slice[0 * slices].sums[3]);
        vi c1_0_0 = vi_set(0);
        vi c1_1_0 = vi_set(0);
        vi c1_2_0 = vi_set(0);
        vi c1_3_0 = vi_set(-128 * slice[1 * slices].sums[3]);
        for (; k < stop; k += 4, b += width) {
            const vi w0 = vi_load_codes(b + 0 * LANES); SOL_ASK(b + 0 * LANES, 1024, 4096); 
            {
                { const vi x = vi_set(sol_dword(row + 0 * pitch + k)); c0_0_0 = vi_dot(c0_0_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 1 * pitch + k)); c0_1_0 = vi_dot(c0_1_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 2 * pitch + k)); c0_2_0 = vi_dot(c0_2_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 3 * pitch + k)); c0_3_0 = vi_dot(c0_3_0, vq_unsigned(w0 ^ high), vq_signed(x)); }
                { const vi x = vi_set(sol_dword(row + 4 * pitch + k)); c1_0_0 = vi_dot(c1_0_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 5 * pitch + k)); c1_1_0 = vi_dot(c1_1_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 6 * pitch + k)); c1_2_0 = vi_dot(c1_2_0, vq_unsigned(x), vq_signed(w0)); }
                { const vi x = vi_set(sol_dword(row + 7 * pitch + k)); c1_3_0 = vi_dot(c1_3_0, vq_unsigned(w0 ^ high), vq_signed(x)); }
}
        }
        k = stop;
        const vf scale0 = vbf_load(scales + 0 * LANES), zero0 = vf_of_bytes((const uint8_t *)zeros + 0 * LANES);
        {
            const float unit = slice[0 * slices].unit, sum = sums[0 * slices];
            vf c0 = vf_of_ints(c0_3_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_2_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_1_0);
            c0 = c0 * 256.0f + vf_of_ints(c0_0_0);
            total[0] += scale0 * (c0 * unit - zero0 * sum);
        }
        {
            const float unit = slice[1 * slices].unit, sum = sums[1 * slices];
            vf c0 = vf_of_ints(c1_3_0);
            c0 = c0 * 256.0f + vf_of_ints(c1_2_0);
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
        vf_store_n(c + 0 * ldc + 0 * LANES, c0_0, n0);
    }
    {
        vf_store_n(c + 1 * ldc + 0 * LANES, c1_0, n0);
    }
}

#define FEW(rows) (count < WIDTH ? few_tile_##rows##_ragged : few_tile_##rows)(a_q + m * lda, lda, panel, K, scales_p, zeros_p, sums + m * slices, slices, group, c_q + m * ldc, ldc, count)
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

void matmul_weight_only_digits_8(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *A = buf[0];
    const int8_t *B = buf[1];
    const uint16_t *scales = buf[2];
    const int8_t *zeros = buf[3];
    float *C = buf[4];
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
    {
    const int64_t units = 1 * panels, end = units * (team->id + 1) / active;
    float *const sums = (float *)team->scratch;
    const int64_t slices = (K / group) * ((group + SLICE - 1) / SLICE) + (K % group + SLICE - 1) / SLICE;
    int64_t have = -1;
    sol_slice *const parts = (sol_slice *)(sums + 2 * slices);
    uint8_t *const bytes = (uint8_t *)(parts + 2 * slices);
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
        const uint16_t *scales_p = scales + p * groups * WIDTH;
        const int8_t *zeros_p = zeros + p * groups * WIDTH;

        if (have != q) {
            by_digits = 1;
            for (int64_t row = 0; by_digits && row < M; row++)
                by_digits = sol_to_digits(a_q + row * lda, K, group, SLICE, DIGITS, 0, bytes + row * DIGITS * pitch, pitch, parts + row * slices, sums + row * slices);
            for (int64_t row = 0; !by_digits && row < M; row++) add_up(a_q + row * lda, K, group, sums + row * slices);
            have = q;
        }
        const int64_t m = 0;
        if (by_digits) {
            BY_DIGITS(2);
            continue;
        }
        FEW(2);
    }
    }
}
