/* Matrix product, rows by columns, by Winograd's inner product.
 *
 *   block of this thread's tiles
 *     pack: input of each tile [tap of a channel block][pixel][LANES], scaled; what its pixels subtract, their scales and their share
 *     panel of LANES output channels             its weights stay in the cache
 *       tile: reduction in registers, epilogue       both pixel by pixel at the end, while the last input channels of others are multiplied
 * Where tiles are few, threads share out the (panel, tile) pairs; a few threads each pack for themselves, a larger team packs together
 * into its shared memory, then waits.
 *
 * Register tile: 13 rows x 1 pixels.
 * w: [panel][input block][r][s][channel][LANES], then what its channels subtract, what undoes their scaling, and the share to be paired. */
#include "sol_team.h"
#include "sol_simd.h"
#include "sol_pack.h"

typedef struct conv {
    const float *in;
    const float *w;
    const float *factors;
    float *out;
    int64_t N, OH, OW, vectors, block, by_tiles, packed_size, in_n, in_cb, in_row, in_r, in_s, in_start, in_blocks, R, S;
    int64_t out_n, out_cb, out_row, steps, rows, columns, claims;
    /* factors: of input channels at each tap, with the signs of pairs; steps: taps of all channel blocks; packed_size: elements of a tile's packed input;
     * claims: are the output's lines to be asked for, whether another thread may have read what was there before? */
} conv;

/* Winograd's inner product: two input channels share a multiply-add and take two additions, for which this processor has units of their own:
 *   x * w + x' * w' = (x + w') * (x' + w) - x * x' - w * w'
 * What is subtracted depends on the pixel alone or on the output channel alone; in every other pair x' and w' are negated, so that it nearly
 * cancels. Of LANES channels, 5 and those LANES / 2 behind them are paired, the others multiplied as usual: both kinds of units are busy.
 * Pixels, input and output channels are scaled by powers of two, lest the smaller one of x and w be lost in the sum: the error is bounded by the
 * norms of both, as that of the usual product. Where most of x or w is zero, that one's error is smaller: all is multiplied as usual then, at
 * shares below the one that lies behind a panel's weights. */
static const float pair_firsts[LANES] = {1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}; /* 1 where a lane is the first of a pair */

/* Lane by lane, x * x' of a pair in both of its lanes. */
SOL_INLINE vf pair_product(vf v) { return v * VF_PERMUTE(v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7); }

/* The sum of the lanes of each vector, one per lane. */
SOL_INLINE vf pair_sums(vf r[LANES])
{
#pragma GCC unroll 4
    for (int n = LANES / 2; n; n /= 2)
#pragma GCC unroll 8
        for (int i = 0; i < n; i++) {
            vf low, high;
            vf_zip(r[i], r[i + n], &low, &high);
            r[i] = low + high;
        }
    return r[0];
}

/* The same of pairs of vectors whose lanes were taken in turn, the first half beside the second: sums of vectors i and i + LANES / 2 in r[i]. */
SOL_INLINE vf pair_halves(vf r[LANES / 2])
{
#pragma GCC unroll 4
    for (int n = LANES / 4; n; n /= 2)
#pragma GCC unroll 4
        for (int i = 0; i < n; i++) {
            vf low, high;
            vf_zip(r[i], r[i + n], &low, &high);
            r[i] = low + high;
        }
    return r[0];
}

/* The share of data that is not small: the largest mean magnitude over the largest root of a mean square, squared. */
#define PAIR_LARGEST(...) v = vf_max_quiet(VF_PERMUTE(v, __VA_ARGS__), v);
SOL_FOLD(pair_largest, vf, float, PAIR_LARGEST)
SOL_INLINE float pair_share(vf means, vf sizes)
{
    const float root = pair_largest(means) / pair_largest(sizes);
    return root * root;
}

/* Powers of two that scale data of these magnitudes to one from 1 up to 2, and what undoes it. */
SOL_INLINE vf pair_scale(vf size, vf *undo)
{
    const vi exponent = (vi)size & 0x7f800000, huge = exponent > 0x7e000000, kept = (huge & 0x7e000000) | (~huge & exponent);
    *undo = (vf)kept;
    return (vf)(0x7f000000 - kept);
}

/* The root of the mean square of a pixel's input, whose squares may leave the range. */
static __attribute__((noinline)) float pack_size(const conv *c, const float *in, int64_t steps)
{
    vf total = vf_zero();
    float mean = 0;
    for (int pass = 0; pass < 2; pass++) {
        const float *factor = c->factors;
        for (int64_t block = 0; block < c->in_blocks; block++) for (int64_t r = 0; r < c->R; r++) for (int64_t s = 0; s < c->S; s++) { const float *tap = in + block * c->in_cb + r * c->in_r + s * c->in_s;
            const vf v = vf_load(tap) * vf_load(factor), r = v / mean;
            if (pass) total += r * r;
            else total += vf_abs(v);
            factor += LANES;
        }
        if (pass) break;
        mean = vf_sum(total) / (float)(steps * LANES);
        if (!(mean > 0 && mean < INFINITY)) return mean;
        total = vf_zero();
    }
    return mean * vf_sqrt(total = vf_set(vf_sum(total) / (float)(steps * LANES)))[0];
}

/* x: [step][pixel][LANES] of ``count`` pixels, scaled by the root of their mean square. means, sizes: the largest of pixels so far, of their magnitudes
 * (no more than that: of two channels' the larger one is added) and of these roots. */
SOL_INLINE void pack_4(const conv *c, const float *in, int64_t steps, int64_t count, float *x, float *beside, vf *means, vf *sizes)
{
    vf m0 = vf_zero(), m1 = vf_zero(), m2 = vf_zero(), m3 = vf_zero(), undo;
    const float *factor = c->factors;
    float scale[LANES];
    for (int64_t block = 0; block < c->in_blocks; block++) for (int64_t r = 0; r < c->R; r++) for (int64_t s = 0; s < c->S; s++) { const float *tap = in + block * c->in_cb + r * c->in_r + s * c->in_s;
        const vf f = vf_load(factor);
        {
            const vf v = vf_load(tap) * f;
            m0 += v * v;
        }
        {
            const vf v = vf_load(tap + 1 * c->in_row) * f;
            m1 += v * v;
        }
        {
            const vf v = vf_load(tap + 2 * c->in_row) * f;
            m2 += v * v;
        }
        {
            const vf v = vf_load(tap + 3 * c->in_row) * f;
            m3 += v * v;
        }
        factor += LANES;
    }
    vf r[LANES / 2] = {sol_pair(m0, m1), sol_pair(m2, m3)};
    const vf squares = pair_halves(r) * vf_set(1.0f / (float)(steps * LANES));
    vf size = vf_sqrt(squares);
    if (!(squares[0] > 1e-30f && squares[0] < 1e30f)) size[0] = pack_size(c, in, steps);
    if (!(squares[8] > 1e-30f && squares[8] < 1e30f)) size[8] = pack_size(c, in + 1 * c->in_row, steps);
    if (!(squares[1] > 1e-30f && squares[1] < 1e30f)) size[1] = pack_size(c, in + 2 * c->in_row, steps);
    if (!(squares[9] > 1e-30f && squares[9] < 1e30f)) size[9] = pack_size(c, in + 3 * c->in_row, steps);
    vf t0 = vf_zero(), l0 = vf_zero();
    vf t2 = vf_zero(), l2 = vf_zero();
    vf_store(scale, pair_scale(size, &undo));
    factor = c->factors;
    for (int64_t block = 0; block < c->in_blocks; block++) for (int64_t r = 0; r < c->R; r++) for (int64_t s = 0; s < c->S; s++) { const float *tap = in + block * c->in_cb + r * c->in_r + s * c->in_s;
        const vf f = vf_load(factor);
        __builtin_prefetch(tap + 4 * c->in_row);
        __builtin_prefetch(tap + 5 * c->in_row);
        __builtin_prefetch(tap + 6 * c->in_row);
        __builtin_prefetch(tap + 7 * c->in_row);
        {
            vf first, second;
            const vf v0 = vf_load(tap) * (f * scale[0]);
            vf_store(x + 0 * LANES, v0);
            const vf v1 = vf_load(tap + 1 * c->in_row) * (f * scale[8]);
            vf_store(x + 1 * LANES, v1);
            vf_zip(v0, v1, &first, &second);
            t0 += first * second;
            l0 += vf_max_abs(first, second);
        }
        {
            vf first, second;
            const vf v2 = vf_load(tap + 2 * c->in_row) * (f * scale[1]);
            vf_store(x + 2 * LANES, v2);
            const vf v3 = vf_load(tap + 3 * c->in_row) * (f * scale[9]);
            vf_store(x + 3 * LANES, v3);
            vf_zip(v2, v3, &first, &second);
            t2 += first * second;
            l2 += vf_max_abs(first, second);
        }
        x += count * LANES, factor += LANES;
    }
    vf firsts, none;
    vf_zip(vf_load(pair_firsts), vf_load(pair_firsts), &firsts, &none);
    vf u[LANES / 2] = {t0 * firsts, t2 * firsts, l0, l2};
    const vf sums = pair_halves(u), magnitudes = vf_rotated(sums, 2);
    beside[0] = sums[0], beside[(count + LANES - 1) / LANES * LANES + 0] = undo[0];
    beside[1] = sums[8], beside[(count + LANES - 1) / LANES * LANES + 1] = undo[8];
    beside[2] = sums[1], beside[(count + LANES - 1) / LANES * LANES + 2] = undo[1];
    beside[3] = sums[9], beside[(count + LANES - 1) / LANES * LANES + 3] = undo[9];
    *means = vf_max_quiet(size / (magnitudes * undo), *means), (void)sizes;
}

/* x: [step][pixel][LANES] of ``count`` pixels, scaled by the root of their mean square. means, sizes: the largest of pixels so far, of their magnitudes
 * (no more than that: of two channels' the larger one is added) and of these roots. */
SOL_INLINE void pack_2(const conv *c, const float *in, int64_t steps, int64_t count, float *x, float *beside, vf *means, vf *sizes)
{
    vf m0 = vf_zero(), m1 = vf_zero(), undo;
    const float *factor = c->factors;
    float scale[LANES];
    for (int64_t block = 0; block < c->in_blocks; block++) for (int64_t r = 0; r < c->R; r++) for (int64_t s = 0; s < c->S; s++) { const float *tap = in + block * c->in_cb + r * c->in_r + s * c->in_s;
        const vf f = vf_load(factor);
        {
            const vf v = vf_load(tap) * f;
            m0 += v * v;
        }
        {
            const vf v = vf_load(tap + 1 * c->in_row) * f;
            m1 += v * v;
        }
        factor += LANES;
    }
    vf r[LANES / 2] = {sol_pair(m0, m1)};
    const vf squares = pair_halves(r) * vf_set(1.0f / (float)(steps * LANES));
    vf size = vf_sqrt(squares);
    if (!(squares[0] > 1e-30f && squares[0] < 1e30f)) size[0] = pack_size(c, in, steps);
    if (!(squares[8] > 1e-30f && squares[8] < 1e30f)) size[8] = pack_size(c, in + 1 * c->in_row, steps);
    vf t0 = vf_zero(), l0 = vf_zero();
    vf_store(scale, pair_scale(size, &undo));
    factor = c->factors;
    for (int64_t block = 0; block < c->in_blocks; block++) for (int64_t r = 0; r < c->R; r++) for (int64_t s = 0; s < c->S; s++) { const float *tap = in + block * c->in_cb + r * c->in_r + s * c->in_s;
        const vf f = vf_load(factor);
        {
            vf first, second;
            const vf v0 = vf_load(tap) * (f * scale[0]);
            vf_store(x + 0 * LANES, v0);
            const vf v1 = vf_load(tap + 1 * c->in_row) * (f * scale[8]);
            vf_store(x + 1 * LANES, v1);
            vf_zip(v0, v1, &first, &second);
            t0 += first * second;
            l0 += vf_max_abs(first, second);
        }
        x += count * LANES, factor += LANES;
    }
    vf firsts, none;
    vf_zip(vf_load(pair_firsts), vf_load(pair_firsts), &firsts, &none);
    vf u[LANES / 2] = {t0 * firsts, l0};
    const vf sums = pair_halves(u), magnitudes = vf_rotated(sums, 1);
    beside[0] = sums[0], beside[(count + LANES - 1) / LANES * LANES + 0] = undo[0];
    beside[1] = sums[8], beside[(count + LANES - 1) / LANES * LANES + 1] = undo[8];
    *means = vf_max_quiet(size / (magnitudes * undo), *means), (void)sizes;
}

/* x: [step][pixel][LANES] of ``count`` pixels, scaled by the root of their mean square. means, sizes: the largest of pixels so far, of their magnitudes
 * (no more than that: of two channels' the larger one is added) and of these roots. */
SOL_INLINE void pack_1(const conv *c, const float *in, int64_t steps, int64_t count, float *x, float *beside, vf *means, vf *sizes)
{
    vf m0 = vf_zero(), undo;
    const float *factor = c->factors;
    float scale[LANES];
    for (int64_t block = 0; block < c->in_blocks; block++) for (int64_t r = 0; r < c->R; r++) for (int64_t s = 0; s < c->S; s++) { const float *tap = in + block * c->in_cb + r * c->in_r + s * c->in_s;
        const vf f = vf_load(factor);
        {
            const vf v = vf_load(tap) * f;
            m0 += v * v;
        }
        factor += LANES;
    }
    vf r[LANES / 2] = {sol_pair(m0, vf_zero())};
    const vf squares = pair_halves(r) * vf_set(1.0f / (float)(steps * LANES));
    vf size = vf_sqrt(squares);
    if (!(squares[0] > 1e-30f && squares[0] < 1e30f)) size[0] = pack_size(c, in, steps);
    vf t0 = vf_zero(), l0 = vf_zero();
    vf_store(scale, pair_scale(size, &undo));
    factor = c->factors;
    for (int64_t block = 0; block < c->in_blocks; block++) for (int64_t r = 0; r < c->R; r++) for (int64_t s = 0; s < c->S; s++) { const float *tap = in + block * c->in_cb + r * c->in_r + s * c->in_s;
        const vf f = vf_load(factor);
        {
            vf first, second;
            const vf v0 = vf_load(tap) * (f * scale[0]);
            vf_store(x + 0 * LANES, v0);
            vf_zip(v0, vf_zero(), &first, &second);
            t0 += first * second;
            l0 += vf_max_abs(first, second);
        }
        x += count * LANES, factor += LANES;
    }
    vf firsts, none;
    vf_zip(vf_load(pair_firsts), vf_load(pair_firsts), &firsts, &none);
    vf u[LANES / 2] = {t0 * firsts, l0};
    const vf sums = pair_halves(u), magnitudes = vf_rotated(sums, 1);
    beside[0] = sums[0], beside[(count + LANES - 1) / LANES * LANES + 0] = undo[0];
    *means = vf_max_quiet(size / (magnitudes * undo), *means), (void)sizes;
}

/* The input of one tile of rows x width pixels as the products want it. */
static __attribute__((noinline)) void pack_tile(const conv *c, const float *in, int64_t rows, int64_t width, float *o)
{
    const int64_t count = rows * width, steps = c->steps;
    float *beside = o + steps * count * LANES, *share = beside + (count + LANES - 1) / LANES * 2 * LANES;
    vf means = vf_zero(), sizes = vf_zero();
    for (int64_t y = 0; y < rows; y++, in += c->in_row) {
        const float *i = in;
        for (int64_t x = 0; x < width;) {
            const int64_t some = width - x >= 4 ? 4 : width - x >= 2 ? 2 : 1;
            if (some == 4) pack_4(c, i, steps, count, o, beside, &means, &sizes);
            if (some == 2) pack_2(c, i, steps, count, o, beside, &means, &sizes);
            if (some == 1) pack_1(c, i, steps, count, o, beside, &means, &sizes);
            x += some, i += some * c->in_row, o += some * LANES, beside += some;
        }
    }
    const float least = 1.0f / (pair_largest(means) * (float)(steps * LANES)); /* promises are made for each row */
    *share = least * least;
}

/* LANES output channels of one tile. */
static __attribute__((noinline)) void tile_1x13x1(const conv *c, const float *x, const float *w, int64_t ahead, float *out)
{
    const float *const beside = x + c->steps * 13 * LANES, *const scale = beside + 1 * LANES;
    const float *const end = x + (c->steps - 1) * 13 * LANES;
    const float *const panel = w + c->steps * LANES * LANES;
    const int64_t bytes = 4 * ahead, plain = !(scale[1 * LANES] >= panel[2 * LANES]);
    if (c->claims)
        for (int64_t y = 0; y < 13; y++)
            for (int64_t x = 0; x < 1; x++) SOL_CLAIM(out + y * c->out_row + x * LANES); 
    vf a0_0_0, a0_1_0, a0_2_0, a0_3_0, a0_4_0, a0_5_0, a0_6_0, a0_7_0, a0_8_0, a0_9_0, a0_10_0, a0_11_0, a0_12_0;
    float held[13 * LANES];
    const float *const whole = x + 4 * 13 * LANES;
    if (end > whole)
        for (int i = 0; i < 13; i++) vf_store(held + i * LANES, vf_zero());
    const int64_t k[] = {(int64_t)beside, (int64_t)held, plain};
    __asm__ volatile(
        "cmpq $0, 16(%[k])\n\t"
        "jne 5f\n\t"
        "vpxord %%zmm23, %%zmm23, %%zmm23\n\t"
        "vsubps %[e], %%zmm23, %%zmm22\n\t"
        "mov (%[k]), %%rax\n\t"
        "vsubps 0(%%rax)%{1to16%}, %%zmm22, %[a0]\n\t"
        "vsubps 4(%%rax)%{1to16%}, %%zmm22, %[a1]\n\t"
        "vsubps 8(%%rax)%{1to16%}, %%zmm22, %[a2]\n\t"
        "vsubps 12(%%rax)%{1to16%}, %%zmm22, %[a3]\n\t"
        "vsubps 16(%%rax)%{1to16%}, %%zmm22, %[a4]\n\t"
        "vsubps 20(%%rax)%{1to16%}, %%zmm22, %[a5]\n\t"
        "vsubps 24(%%rax)%{1to16%}, %%zmm22, %[a6]\n\t"
        "vsubps 28(%%rax)%{1to16%}, %%zmm22, %[a7]\n\t"
        "vsubps 32(%%rax)%{1to16%}, %%zmm22, %[a8]\n\t"
        "vsubps 36(%%rax)%{1to16%}, %%zmm22, %[a9]\n\t"
        "vsubps 40(%%rax)%{1to16%}, %%zmm22, %[a10]\n\t"
        "vsubps 44(%%rax)%{1to16%}, %%zmm22, %[a11]\n\t"
        "vsubps 48(%%rax)%{1to16%}, %%zmm22, %[a12]\n\t"
        "cmp %[end], %[x]\n\t"
        "je 3f\n"
        "1:\n\t"
        "mov %[x], %%rax\n\t"
        "add $3328, %%rax\n\t"
        "cmp %[end], %%rax\n\t"
        "cmova %[end], %%rax\n\t"
        ".p2align 5\n"
        "2:\n\t"
        "vmovups 0(%[w]), %%zmm22\n\t"
        "prefetcht1 0(%[w],%[ahead])\n\t"
        "vmovups 512(%[w]), %%zmm23\n\t"
        "prefetcht1 512(%[w],%[ahead])\n\t"
        "vmovups 320(%[w]), %%zmm26\n\t"
        "prefetcht1 320(%[w],%[ahead])\n\t"
        "vfmadd231ps 20(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vaddps 0(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 32(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 84(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 148(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vaddps 64(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 96(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 212(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 276(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vaddps 128(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 160(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 340(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 404(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vaddps 192(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 224(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 468(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 532(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vaddps 256(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 288(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 596(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 660(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vaddps 320(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 352(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 724(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vfmadd231ps 788(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vaddps 384(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 416(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vaddps 448(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 480(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vmovups 384(%[w]), %%zmm27\n\t"
        "prefetcht1 384(%[w],%[ahead])\n\t"
        "vfmadd231ps 24(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vaddps 512(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 544(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vfmadd231ps 88(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vaddps 576(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 608(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 152(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vaddps 640(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 672(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vfmadd231ps 216(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vaddps 704(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 736(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 280(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vaddps 768(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 800(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 344(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vmovups 64(%[w]), %%zmm24\n\t"
        "prefetcht1 64(%[w],%[ahead])\n\t"
        "vmovups 576(%[w]), %%zmm25\n\t"
        "prefetcht1 576(%[w],%[ahead])\n\t"
        "vaddps 4(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 36(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a0]\n\t"
        "vfmadd231ps 408(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vaddps 68(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 100(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a1]\n\t"
        "vfmadd231ps 472(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vaddps 132(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 164(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a2]\n\t"
        "vfmadd231ps 536(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vaddps 196(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 228(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a3]\n\t"
        "vfmadd231ps 600(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vaddps 260(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 292(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a4]\n\t"
        "vfmadd231ps 664(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vaddps 324(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 356(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a5]\n\t"
        "vfmadd231ps 728(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vaddps 388(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 420(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a6]\n\t"
        "vfmadd231ps 792(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vaddps 452(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 484(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a7]\n\t"
        "vmovups 448(%[w]), %%zmm26\n\t"
        "prefetcht1 448(%[w],%[ahead])\n\t"
        "vfmadd231ps 28(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vaddps 516(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 548(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a8]\n\t"
        "vfmadd231ps 92(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vaddps 580(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 612(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a9]\n\t"
        "vfmadd231ps 156(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vaddps 644(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 676(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a10]\n\t"
        "vfmadd231ps 220(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vaddps 708(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 740(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a11]\n\t"
        "vfmadd231ps 284(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vaddps 772(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 804(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a12]\n\t"
        "vfmadd231ps 348(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vmovups 128(%[w]), %%zmm22\n\t"
        "prefetcht1 128(%[w],%[ahead])\n\t"
        "vmovups 640(%[w]), %%zmm23\n\t"
        "prefetcht1 640(%[w],%[ahead])\n\t"
        "vaddps 8(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 40(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 412(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vaddps 72(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 104(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 476(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vaddps 136(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 168(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 540(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vaddps 200(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 232(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 604(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vaddps 264(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 296(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 668(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vaddps 328(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 360(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 732(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vaddps 392(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 424(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 796(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vaddps 456(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 488(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vmovups 832(%[w]), %%zmm27\n\t"
        "prefetcht1 832(%[w],%[ahead])\n\t"
        "vfmadd231ps 52(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vaddps 520(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 552(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vfmadd231ps 116(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vaddps 584(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 616(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 180(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vaddps 648(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 680(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vfmadd231ps 244(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vaddps 712(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 744(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 308(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vaddps 776(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 808(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 372(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vmovups 192(%[w]), %%zmm24\n\t"
        "prefetcht1 192(%[w],%[ahead])\n\t"
        "vmovups 704(%[w]), %%zmm25\n\t"
        "prefetcht1 704(%[w],%[ahead])\n\t"
        "vaddps 12(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 44(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a0]\n\t"
        "vfmadd231ps 436(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vaddps 76(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 108(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a1]\n\t"
        "vfmadd231ps 500(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vaddps 140(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 172(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a2]\n\t"
        "vfmadd231ps 564(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vaddps 204(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 236(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a3]\n\t"
        "vfmadd231ps 628(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vaddps 268(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 300(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a4]\n\t"
        "vfmadd231ps 692(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vaddps 332(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 364(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a5]\n\t"
        "vfmadd231ps 756(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vaddps 396(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 428(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a6]\n\t"
        "vfmadd231ps 820(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vaddps 460(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 492(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a7]\n\t"
        "vmovups 896(%[w]), %%zmm26\n\t"
        "prefetcht1 896(%[w],%[ahead])\n\t"
        "vfmadd231ps 56(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vaddps 524(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 556(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a8]\n\t"
        "vfmadd231ps 120(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vaddps 588(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 620(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a9]\n\t"
        "vfmadd231ps 184(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vaddps 652(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 684(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a10]\n\t"
        "vfmadd231ps 248(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vaddps 716(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 748(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a11]\n\t"
        "vfmadd231ps 312(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vaddps 780(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 812(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a12]\n\t"
        "vfmadd231ps 376(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vmovups 256(%[w]), %%zmm22\n\t"
        "prefetcht1 256(%[w],%[ahead])\n\t"
        "vmovups 768(%[w]), %%zmm23\n\t"
        "prefetcht1 768(%[w],%[ahead])\n\t"
        "vaddps 16(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 48(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 440(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vaddps 80(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 112(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 504(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vaddps 144(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 176(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 568(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vaddps 208(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 240(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 632(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vaddps 272(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 304(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 696(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vaddps 336(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 368(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 760(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vaddps 400(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 432(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 824(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vaddps 464(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 496(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vmovups 960(%[w]), %%zmm27\n\t"
        "prefetcht1 960(%[w],%[ahead])\n\t"
        "vfmadd231ps 60(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vaddps 528(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 560(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vfmadd231ps 124(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vaddps 592(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 624(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 188(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vaddps 656(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 688(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vfmadd231ps 252(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vaddps 720(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 752(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 316(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vaddps 784(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 816(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 380(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 444(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 508(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 572(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 636(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 700(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 764(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 828(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "add $1024, %[w]\n\t"
        "add $832, %[x]\n\t"
        "cmp %%rax, %[x]\n\t"
        "jne 2b\n\t"
        "cmp %[end], %[x]\n\t"
        "je 3f\n\t"
        "mov 8(%[k]), %%rax\n\t"
        "vaddps 0(%%rax), %[a0], %%zmm22\n\t"
        "vmovups %%zmm22, 0(%%rax)\n\t"
        "vpxord %[a0], %[a0], %[a0]\n\t"
        "vaddps 64(%%rax), %[a1], %%zmm22\n\t"
        "vmovups %%zmm22, 64(%%rax)\n\t"
        "vpxord %[a1], %[a1], %[a1]\n\t"
        "vaddps 128(%%rax), %[a2], %%zmm22\n\t"
        "vmovups %%zmm22, 128(%%rax)\n\t"
        "vpxord %[a2], %[a2], %[a2]\n\t"
        "vaddps 192(%%rax), %[a3], %%zmm22\n\t"
        "vmovups %%zmm22, 192(%%rax)\n\t"
        "vpxord %[a3], %[a3], %[a3]\n\t"
        "vaddps 256(%%rax), %[a4], %%zmm22\n\t"
        "vmovups %%zmm22, 256(%%rax)\n\t"
        "vpxord %[a4], %[a4], %[a4]\n\t"
        "vaddps 320(%%rax), %[a5], %%zmm22\n\t"
        "vmovups %%zmm22, 320(%%rax)\n\t"
        "vpxord %[a5], %[a5], %[a5]\n\t"
        "vaddps 384(%%rax), %[a6], %%zmm22\n\t"
        "vmovups %%zmm22, 384(%%rax)\n\t"
        "vpxord %[a6], %[a6], %[a6]\n\t"
        "vaddps 448(%%rax), %[a7], %%zmm22\n\t"
        "vmovups %%zmm22, 448(%%rax)\n\t"
        "vpxord %[a7], %[a7], %[a7]\n\t"
        "vaddps 512(%%rax), %[a8], %%zmm22\n\t"
        "vmovups %%zmm22, 512(%%rax)\n\t"
        "vpxord %[a8], %[a8], %[a8]\n\t"
        "vaddps 576(%%rax), %[a9], %%zmm22\n\t"
        "vmovups %%zmm22, 576(%%rax)\n\t"
        "vpxord %[a9], %[a9], %[a9]\n\t"
        "vaddps 640(%%rax), %[a10], %%zmm22\n\t"
        "vmovups %%zmm22, 640(%%rax)\n\t"
        "vpxord %[a10], %[a10], %[a10]\n\t"
        "vaddps 704(%%rax), %[a11], %%zmm22\n\t"
        "vmovups %%zmm22, 704(%%rax)\n\t"
        "vpxord %[a11], %[a11], %[a11]\n\t"
        "vaddps 768(%%rax), %[a12], %%zmm22\n\t"
        "vmovups %%zmm22, 768(%%rax)\n\t"
        "vpxord %[a12], %[a12], %[a12]\n\t"
        "jmp 1b\n"
        "3:\n\t"
        "vmovups 0(%[w]), %%zmm22\n\t"
        "prefetcht1 0(%[w],%[ahead])\n\t"
        "vmovups 512(%[w]), %%zmm23\n\t"
        "prefetcht1 512(%[w],%[ahead])\n\t"
        "vaddps 0(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 32(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vaddps 64(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 96(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vaddps 128(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 160(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vaddps 192(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 224(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vaddps 256(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 288(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vaddps 320(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 352(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vaddps 384(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 416(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vaddps 448(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 480(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vmovups 320(%[w]), %%zmm26\n\t"
        "prefetcht1 320(%[w],%[ahead])\n\t"
        "vfmadd231ps 20(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vaddps 512(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 544(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vfmadd231ps 84(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vaddps 576(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 608(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 148(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vaddps 640(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 672(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vfmadd231ps 212(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vaddps 704(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 736(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 276(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vaddps 768(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 800(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 340(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vmovups 64(%[w]), %%zmm24\n\t"
        "prefetcht1 64(%[w],%[ahead])\n\t"
        "vmovups 576(%[w]), %%zmm25\n\t"
        "prefetcht1 576(%[w],%[ahead])\n\t"
        "vaddps 4(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 36(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a0]\n\t"
        "vfmadd231ps 404(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vaddps 68(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 100(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a1]\n\t"
        "vfmadd231ps 468(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vaddps 132(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 164(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a2]\n\t"
        "vfmadd231ps 532(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vaddps 196(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 228(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a3]\n\t"
        "vfmadd231ps 596(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vaddps 260(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 292(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a4]\n\t"
        "vfmadd231ps 660(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vaddps 324(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 356(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a5]\n\t"
        "vfmadd231ps 724(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vaddps 388(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 420(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a6]\n\t"
        "vfmadd231ps 788(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vaddps 452(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 484(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a7]\n\t"
        "vmovups 384(%[w]), %%zmm27\n\t"
        "prefetcht1 384(%[w],%[ahead])\n\t"
        "vfmadd231ps 24(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vaddps 516(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 548(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a8]\n\t"
        "vfmadd231ps 88(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vaddps 580(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 612(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a9]\n\t"
        "vfmadd231ps 152(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vaddps 644(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 676(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a10]\n\t"
        "vfmadd231ps 216(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vaddps 708(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 740(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a11]\n\t"
        "vfmadd231ps 280(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vaddps 772(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 804(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a12]\n\t"
        "vfmadd231ps 344(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vmovups 128(%[w]), %%zmm22\n\t"
        "prefetcht1 128(%[w],%[ahead])\n\t"
        "vmovups 640(%[w]), %%zmm23\n\t"
        "prefetcht1 640(%[w],%[ahead])\n\t"
        "vaddps 8(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 40(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 408(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vaddps 72(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 104(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 472(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vaddps 136(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 168(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 536(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vaddps 200(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 232(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 600(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vaddps 264(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 296(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 664(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vaddps 328(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 360(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 728(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vaddps 392(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 424(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 792(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vaddps 456(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 488(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vaddps 520(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 552(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vaddps 584(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 616(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vaddps 648(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 680(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vaddps 712(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 744(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vaddps 776(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 808(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vmovups 192(%[w]), %%zmm24\n\t"
        "prefetcht1 192(%[w],%[ahead])\n\t"
        "vmovups 704(%[w]), %%zmm25\n\t"
        "prefetcht1 704(%[w],%[ahead])\n\t"
        "vaddps 12(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 44(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a0]\n\t"
        "vaddps 76(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 108(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a1]\n\t"
        "vaddps 140(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 172(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a2]\n\t"
        "vaddps 204(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 236(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a3]\n\t"
        "vaddps 268(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 300(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a4]\n\t"
        "vaddps 332(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 364(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a5]\n\t"
        "vaddps 396(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 428(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a6]\n\t"
        "vaddps 460(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 492(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a7]\n\t"
        "vaddps 524(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 556(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a8]\n\t"
        "vaddps 588(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 620(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a9]\n\t"
        "vaddps 652(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 684(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a10]\n\t"
        "vaddps 716(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 748(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a11]\n\t"
        "vaddps 780(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 812(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a12]\n\t"
        "vmovups 256(%[w]), %%zmm22\n\t"
        "prefetcht1 256(%[w],%[ahead])\n\t"
        "vmovups 768(%[w]), %%zmm23\n\t"
        "prefetcht1 768(%[w],%[ahead])\n\t"
        "vaddps 16(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 48(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vaddps 80(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 112(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vaddps 144(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 176(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vaddps 208(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 240(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vaddps 272(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 304(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vaddps 336(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 368(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vaddps 400(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 432(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vaddps 464(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 496(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vaddps 528(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 560(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vaddps 592(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 624(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vaddps 656(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 688(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vaddps 720(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 752(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vaddps 784(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 816(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "jmp 9f\n"
        "5:\n\t"
        "vpxord %[a0], %[a0], %[a0]\n\t"
        "vpxord %[a1], %[a1], %[a1]\n\t"
        "vpxord %[a2], %[a2], %[a2]\n\t"
        "vpxord %[a3], %[a3], %[a3]\n\t"
        "vpxord %[a4], %[a4], %[a4]\n\t"
        "vpxord %[a5], %[a5], %[a5]\n\t"
        "vpxord %[a6], %[a6], %[a6]\n\t"
        "vpxord %[a7], %[a7], %[a7]\n\t"
        "vpxord %[a8], %[a8], %[a8]\n\t"
        "vpxord %[a9], %[a9], %[a9]\n\t"
        "vpxord %[a10], %[a10], %[a10]\n\t"
        "vpxord %[a11], %[a11], %[a11]\n\t"
        "vpxord %[a12], %[a12], %[a12]\n\t"
        "cmp %[end], %[x]\n\t"
        "je 8f\n"
        "6:\n\t"
        "mov %[x], %%rax\n\t"
        "add $3328, %%rax\n\t"
        "cmp %[end], %%rax\n\t"
        "cmova %[end], %%rax\n\t"
        ".p2align 5\n"
        "7:\n\t"
        "vmovups 0(%[w]), %%zmm26\n\t"
        "prefetcht1 0(%[w],%[ahead])\n\t"
        "vfmadd231ps 0(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 64(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 128(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 192(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 256(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 320(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 384(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 448(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 512(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 576(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 640(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 704(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vfmadd231ps 768(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vmovups 64(%[w]), %%zmm27\n\t"
        "prefetcht1 64(%[w],%[ahead])\n\t"
        "vfmadd231ps 4(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 68(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 132(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 196(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 260(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 324(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 388(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 452(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 516(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 580(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 644(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 708(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 772(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vmovups 128(%[w]), %%zmm26\n\t"
        "prefetcht1 128(%[w],%[ahead])\n\t"
        "vfmadd231ps 8(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 72(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 136(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 200(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 264(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 328(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 392(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 456(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 520(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 584(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 648(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 712(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vfmadd231ps 776(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vmovups 192(%[w]), %%zmm27\n\t"
        "prefetcht1 192(%[w],%[ahead])\n\t"
        "vfmadd231ps 12(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 76(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 140(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 204(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 268(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 332(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 396(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 460(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 524(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 588(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 652(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 716(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 780(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vmovups 256(%[w]), %%zmm26\n\t"
        "prefetcht1 256(%[w],%[ahead])\n\t"
        "vfmadd231ps 16(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 80(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 144(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 208(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 272(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 336(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 400(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 464(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 528(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 592(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 656(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 720(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vfmadd231ps 784(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vmovups 320(%[w]), %%zmm27\n\t"
        "prefetcht1 320(%[w],%[ahead])\n\t"
        "vfmadd231ps 20(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 84(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 148(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 212(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 276(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 340(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 404(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 468(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 532(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 596(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 660(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 724(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 788(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vmovups 384(%[w]), %%zmm26\n\t"
        "prefetcht1 384(%[w],%[ahead])\n\t"
        "vfmadd231ps 24(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 88(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 152(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 216(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 280(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 344(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 408(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 472(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 536(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 600(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 664(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 728(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vfmadd231ps 792(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vmovups 448(%[w]), %%zmm27\n\t"
        "prefetcht1 448(%[w],%[ahead])\n\t"
        "vfmadd231ps 28(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 92(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 156(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 220(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 284(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 348(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 412(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 476(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 540(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 604(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 668(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 732(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 796(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vmovups 512(%[w]), %%zmm26\n\t"
        "prefetcht1 512(%[w],%[ahead])\n\t"
        "vfmadd231ps 32(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 96(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 160(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 224(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 288(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 352(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 416(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 480(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 544(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 608(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 672(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 736(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vfmadd231ps 800(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vmovups 576(%[w]), %%zmm27\n\t"
        "prefetcht1 576(%[w],%[ahead])\n\t"
        "vfmadd231ps 36(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 100(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 164(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 228(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 292(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 356(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 420(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 484(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 548(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 612(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 676(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 740(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 804(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vmovups 640(%[w]), %%zmm26\n\t"
        "prefetcht1 640(%[w],%[ahead])\n\t"
        "vfmadd231ps 40(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 104(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 168(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 232(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 296(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 360(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 424(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 488(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 552(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 616(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 680(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 744(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vfmadd231ps 808(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vmovups 704(%[w]), %%zmm27\n\t"
        "prefetcht1 704(%[w],%[ahead])\n\t"
        "vfmadd231ps 44(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 108(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 172(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 236(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 300(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 364(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 428(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 492(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 556(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 620(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 684(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 748(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 812(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vmovups 768(%[w]), %%zmm26\n\t"
        "prefetcht1 768(%[w],%[ahead])\n\t"
        "vfmadd231ps 48(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 112(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 176(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 240(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 304(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 368(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 432(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 496(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 560(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 624(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 688(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 752(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vfmadd231ps 816(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vmovups 832(%[w]), %%zmm27\n\t"
        "prefetcht1 832(%[w],%[ahead])\n\t"
        "vfmadd231ps 52(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 116(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 180(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 244(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 308(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 372(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 436(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 500(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 564(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 628(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 692(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 756(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 820(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vmovups 896(%[w]), %%zmm26\n\t"
        "prefetcht1 896(%[w],%[ahead])\n\t"
        "vfmadd231ps 56(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 120(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 184(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 248(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 312(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 376(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 440(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 504(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 568(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 632(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 696(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 760(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vfmadd231ps 824(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vmovups 960(%[w]), %%zmm27\n\t"
        "prefetcht1 960(%[w],%[ahead])\n\t"
        "vfmadd231ps 60(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 124(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 188(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 252(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 316(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 380(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 444(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 508(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 572(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 636(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 700(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 764(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 828(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "add $1024, %[w]\n\t"
        "add $832, %[x]\n\t"
        "cmp %%rax, %[x]\n\t"
        "jne 7b\n\t"
        "cmp %[end], %[x]\n\t"
        "je 8f\n\t"
        "mov 8(%[k]), %%rax\n\t"
        "vaddps 0(%%rax), %[a0], %%zmm22\n\t"
        "vmovups %%zmm22, 0(%%rax)\n\t"
        "vpxord %[a0], %[a0], %[a0]\n\t"
        "vaddps 64(%%rax), %[a1], %%zmm22\n\t"
        "vmovups %%zmm22, 64(%%rax)\n\t"
        "vpxord %[a1], %[a1], %[a1]\n\t"
        "vaddps 128(%%rax), %[a2], %%zmm22\n\t"
        "vmovups %%zmm22, 128(%%rax)\n\t"
        "vpxord %[a2], %[a2], %[a2]\n\t"
        "vaddps 192(%%rax), %[a3], %%zmm22\n\t"
        "vmovups %%zmm22, 192(%%rax)\n\t"
        "vpxord %[a3], %[a3], %[a3]\n\t"
        "vaddps 256(%%rax), %[a4], %%zmm22\n\t"
        "vmovups %%zmm22, 256(%%rax)\n\t"
        "vpxord %[a4], %[a4], %[a4]\n\t"
        "vaddps 320(%%rax), %[a5], %%zmm22\n\t"
        "vmovups %%zmm22, 320(%%rax)\n\t"
        "vpxord %[a5], %[a5], %[a5]\n\t"
        "vaddps 384(%%rax), %[a6], %%zmm22\n\t"
        "vmovups %%zmm22, 384(%%rax)\n\t"
        "vpxord %[a6], %[a6], %[a6]\n\t"
        "vaddps 448(%%rax), %[a7], %%zmm22\n\t"
        "vmovups %%zmm22, 448(%%rax)\n\t"
        "vpxord %[a7], %[a7], %[a7]\n\t"
        "vaddps 512(%%rax), %[a8], %%zmm22\n\t"
        "vmovups %%zmm22, 512(%%rax)\n\t"
        "vpxord %[a8], %[a8], %[a8]\n\t"
        "vaddps 576(%%rax), %[a9], %%zmm22\n\t"
        "vmovups %%zmm22, 576(%%rax)\n\t"
        "vpxord %[a9], %[a9], %[a9]\n\t"
        "vaddps 640(%%rax), %[a10], %%zmm22\n\t"
        "vmovups %%zmm22, 640(%%rax)\n\t"
        "vpxord %[a10], %[a10], %[a10]\n\t"
        "vaddps 704(%%rax), %[a11], %%zmm22\n\t"
        "vmovups %%zmm22, 704(%%rax)\n\t"
        "vpxord %[a11], %[a11], %[a11]\n\t"
        "vaddps 768(%%rax), %[a12], %%zmm22\n\t"
        "vmovups %%zmm22, 768(%%rax)\n\t"
        "vpxord %[a12], %[a12], %[a12]\n\t"
        "jmp 6b\n"
        "8:\n\t"
        "vmovups 0(%[w]), %%zmm26\n\t"
        "prefetcht1 0(%[w],%[ahead])\n\t"
        "vfmadd231ps 0(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 64(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 128(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 192(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 256(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 320(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 384(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 448(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 512(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 576(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 640(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 704(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vfmadd231ps 768(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vmovups 64(%[w]), %%zmm27\n\t"
        "prefetcht1 64(%[w],%[ahead])\n\t"
        "vfmadd231ps 4(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 68(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 132(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 196(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 260(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 324(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 388(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 452(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 516(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 580(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 644(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 708(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 772(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vmovups 128(%[w]), %%zmm26\n\t"
        "prefetcht1 128(%[w],%[ahead])\n\t"
        "vfmadd231ps 8(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 72(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 136(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 200(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 264(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 328(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 392(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 456(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 520(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 584(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 648(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 712(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vfmadd231ps 776(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vmovups 192(%[w]), %%zmm27\n\t"
        "prefetcht1 192(%[w],%[ahead])\n\t"
        "vfmadd231ps 12(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 76(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 140(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 204(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 268(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 332(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 396(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 460(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 524(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 588(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 652(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 716(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 780(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vmovups 256(%[w]), %%zmm26\n\t"
        "prefetcht1 256(%[w],%[ahead])\n\t"
        "vfmadd231ps 16(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 80(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 144(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 208(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 272(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 336(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 400(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 464(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 528(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 592(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 656(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 720(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vfmadd231ps 784(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vmovups 320(%[w]), %%zmm27\n\t"
        "prefetcht1 320(%[w],%[ahead])\n\t"
        "vfmadd231ps 20(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 84(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 148(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 212(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 276(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 340(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 404(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 468(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 532(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 596(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 660(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 724(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 788(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vmovups 384(%[w]), %%zmm26\n\t"
        "prefetcht1 384(%[w],%[ahead])\n\t"
        "vfmadd231ps 24(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 88(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 152(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 216(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 280(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 344(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 408(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 472(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 536(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 600(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 664(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 728(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vfmadd231ps 792(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vmovups 512(%[w]), %%zmm27\n\t"
        "prefetcht1 512(%[w],%[ahead])\n\t"
        "vfmadd231ps 32(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 96(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 160(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 224(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 288(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 352(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 416(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 480(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 544(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 608(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 672(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 736(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 800(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vmovups 576(%[w]), %%zmm26\n\t"
        "prefetcht1 576(%[w],%[ahead])\n\t"
        "vfmadd231ps 36(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 100(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 164(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 228(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 292(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 356(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 420(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 484(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 548(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 612(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 676(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 740(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vfmadd231ps 804(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vmovups 640(%[w]), %%zmm27\n\t"
        "prefetcht1 640(%[w],%[ahead])\n\t"
        "vfmadd231ps 40(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 104(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 168(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 232(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 296(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 360(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 424(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 488(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 552(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 616(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 680(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 744(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 808(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vmovups 704(%[w]), %%zmm26\n\t"
        "prefetcht1 704(%[w],%[ahead])\n\t"
        "vfmadd231ps 44(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 108(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 172(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 236(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 300(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 364(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 428(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 492(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 556(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 620(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 684(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 748(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vfmadd231ps 812(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vmovups 768(%[w]), %%zmm27\n\t"
        "prefetcht1 768(%[w],%[ahead])\n\t"
        "vfmadd231ps 48(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 112(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 176(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 240(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 304(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 368(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 432(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 496(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 560(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 624(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 688(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 752(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 816(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "9:\n\t"
        : [a0] "=&v"(a0_0_0), [a1] "=&v"(a0_1_0), [a2] "=&v"(a0_2_0), [a3] "=&v"(a0_3_0), [a4] "=&v"(a0_4_0), [a5] "=&v"(a0_5_0), [a6] "=&v"(a0_6_0), [a7] "=&v"(a0_7_0), [a8] "=&v"(a0_8_0), [a9] "=&v"(a0_9_0), [a10] "=&v"(a0_10_0), [a11] "=&v"(a0_11_0), [a12] "=&v"(a0_12_0), [x] "+&r"(x), [w] "+&r"(w)
        : [e] "m"(*(const vf_unaligned *)panel), [k] "r"(k), [end] "r"(end), [ahead] "r"(bytes)
        : "memory", "cc", "rax", "zmm22", "zmm23", "zmm24", "zmm25", "zmm26", "zmm27", "zmm28", "zmm29", "zmm30", "zmm31");
    if (end > whole) {
        a0_0_0 += vf_load(held + 0 * LANES);
        a0_1_0 += vf_load(held + 1 * LANES);
        a0_2_0 += vf_load(held + 2 * LANES);
        a0_3_0 += vf_load(held + 3 * LANES);
        a0_4_0 += vf_load(held + 4 * LANES);
        a0_5_0 += vf_load(held + 5 * LANES);
        a0_6_0 += vf_load(held + 6 * LANES);
        a0_7_0 += vf_load(held + 7 * LANES);
        a0_8_0 += vf_load(held + 8 * LANES);
        a0_9_0 += vf_load(held + 9 * LANES);
        a0_10_0 += vf_load(held + 10 * LANES);
        a0_11_0 += vf_load(held + 11 * LANES);
        a0_12_0 += vf_load(held + 12 * LANES);
    }
    const vf d7 = vf_load(w + 7 * LANES), d13 = vf_load(w + 13 * LANES), d14 = vf_load(w + 14 * LANES), d15 = vf_load(w + 15 * LANES), factor = vf_load(panel + LANES);
    __builtin_prefetch(w + ahead + 7 * LANES, 0, 2); __builtin_prefetch(w + ahead + 13 * LANES, 0, 2); __builtin_prefetch(w + ahead + 14 * LANES, 0, 2); __builtin_prefetch(w + ahead + 15 * LANES, 0, 2);
    {
        a0_0_0 += d7 * x[0 * LANES + 7];
        a0_0_0 += d13 * x[0 * LANES + 13];
        a0_0_0 += d14 * x[0 * LANES + 14];
        a0_0_0 += d15 * x[0 * LANES + 15];
        a0_0_0 = a0_0_0 * (factor * scale[0]);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 0 * LANES, a0_0_0);
    }
    {
        a0_1_0 += d7 * x[1 * LANES + 7];
        a0_1_0 += d13 * x[1 * LANES + 13];
        a0_1_0 += d14 * x[1 * LANES + 14];
        a0_1_0 += d15 * x[1 * LANES + 15];
        a0_1_0 = a0_1_0 * (factor * scale[1]);
        vf_store(out + 0 * c->out_cb + 1 * c->out_row + 0 * LANES, a0_1_0);
    }
    SOL_FENCE();
    {
        a0_2_0 += d7 * x[2 * LANES + 7];
        a0_2_0 += d13 * x[2 * LANES + 13];
        a0_2_0 += d14 * x[2 * LANES + 14];
        a0_2_0 += d15 * x[2 * LANES + 15];
        a0_2_0 = a0_2_0 * (factor * scale[2]);
        vf_store(out + 0 * c->out_cb + 2 * c->out_row + 0 * LANES, a0_2_0);
    }
    {
        a0_3_0 += d7 * x[3 * LANES + 7];
        a0_3_0 += d13 * x[3 * LANES + 13];
        a0_3_0 += d14 * x[3 * LANES + 14];
        a0_3_0 += d15 * x[3 * LANES + 15];
        a0_3_0 = a0_3_0 * (factor * scale[3]);
        vf_store(out + 0 * c->out_cb + 3 * c->out_row + 0 * LANES, a0_3_0);
    }
    SOL_FENCE();
    {
        a0_4_0 += d7 * x[4 * LANES + 7];
        a0_4_0 += d13 * x[4 * LANES + 13];
        a0_4_0 += d14 * x[4 * LANES + 14];
        a0_4_0 += d15 * x[4 * LANES + 15];
        a0_4_0 = a0_4_0 * (factor * scale[4]);
        vf_store(out + 0 * c->out_cb + 4 * c->out_row + 0 * LANES, a0_4_0);
    }
    {
        a0_5_0 += d7 * x[5 * LANES + 7];
        a0_5_0 += d13 * x[5 * LANES + 13];
        a0_5_0 += d14 * x[5 * LANES + 14];
        a0_5_0 += d15 * x[5 * LANES + 15];
        a0_5_0 = a0_5_0 * (factor * scale[5]);
        vf_store(out + 0 * c->out_cb + 5 * c->out_row + 0 * LANES, a0_5_0);
    }
    SOL_FENCE();
    {
        a0_6_0 += d7 * x[6 * LANES + 7];
        a0_6_0 += d13 * x[6 * LANES + 13];
        a0_6_0 += d14 * x[6 * LANES + 14];
        a0_6_0 += d15 * x[6 * LANES + 15];
        a0_6_0 = a0_6_0 * (factor * scale[6]);
        vf_store(out + 0 * c->out_cb + 6 * c->out_row + 0 * LANES, a0_6_0);
    }
    {
        a0_7_0 += d7 * x[7 * LANES + 7];
        a0_7_0 += d13 * x[7 * LANES + 13];
        a0_7_0 += d14 * x[7 * LANES + 14];
        a0_7_0 += d15 * x[7 * LANES + 15];
        a0_7_0 = a0_7_0 * (factor * scale[7]);
        vf_store(out + 0 * c->out_cb + 7 * c->out_row + 0 * LANES, a0_7_0);
    }
    SOL_FENCE();
    {
        a0_8_0 += d7 * x[8 * LANES + 7];
        a0_8_0 += d13 * x[8 * LANES + 13];
        a0_8_0 += d14 * x[8 * LANES + 14];
        a0_8_0 += d15 * x[8 * LANES + 15];
        a0_8_0 = a0_8_0 * (factor * scale[8]);
        vf_store(out + 0 * c->out_cb + 8 * c->out_row + 0 * LANES, a0_8_0);
    }
    {
        a0_9_0 += d7 * x[9 * LANES + 7];
        a0_9_0 += d13 * x[9 * LANES + 13];
        a0_9_0 += d14 * x[9 * LANES + 14];
        a0_9_0 += d15 * x[9 * LANES + 15];
        a0_9_0 = a0_9_0 * (factor * scale[9]);
        vf_store(out + 0 * c->out_cb + 9 * c->out_row + 0 * LANES, a0_9_0);
    }
    SOL_FENCE();
    {
        a0_10_0 += d7 * x[10 * LANES + 7];
        a0_10_0 += d13 * x[10 * LANES + 13];
        a0_10_0 += d14 * x[10 * LANES + 14];
        a0_10_0 += d15 * x[10 * LANES + 15];
        a0_10_0 = a0_10_0 * (factor * scale[10]);
        vf_store(out + 0 * c->out_cb + 10 * c->out_row + 0 * LANES, a0_10_0);
    }
    {
        a0_11_0 += d7 * x[11 * LANES + 7];
        a0_11_0 += d13 * x[11 * LANES + 13];
        a0_11_0 += d14 * x[11 * LANES + 14];
        a0_11_0 += d15 * x[11 * LANES + 15];
        a0_11_0 = a0_11_0 * (factor * scale[11]);
        vf_store(out + 0 * c->out_cb + 11 * c->out_row + 0 * LANES, a0_11_0);
    }
    SOL_FENCE();
    {
        a0_12_0 += d7 * x[12 * LANES + 7];
        a0_12_0 += d13 * x[12 * LANES + 13];
        a0_12_0 += d14 * x[12 * LANES + 14];
        a0_12_0 += d15 * x[12 * LANES + 15];
        a0_12_0 = a0_12_0 * (factor * scale[12]);
        vf_store(out + 0 * c->out_cb + 12 * c->out_row + 0 * LANES, a0_12_0);
    }
}

/* LANES output channels of one tile. */
static __attribute__((noinline)) void tile_1x11x1(const conv *c, const float *x, const float *w, int64_t ahead, float *out)
{
    const float *const beside = x + c->steps * 11 * LANES, *const scale = beside + 1 * LANES;
    const float *const end = x + (c->steps - 1) * 11 * LANES;
    const float *const panel = w + c->steps * LANES * LANES;
    const int64_t bytes = 4 * ahead, plain = !(scale[1 * LANES] >= panel[2 * LANES]);
    if (c->claims)
        for (int64_t y = 0; y < 11; y++)
            for (int64_t x = 0; x < 1; x++) SOL_CLAIM(out + y * c->out_row + x * LANES); 
    vf a0_0_0, a0_1_0, a0_2_0, a0_3_0, a0_4_0, a0_5_0, a0_6_0, a0_7_0, a0_8_0, a0_9_0, a0_10_0;
    float held[11 * LANES];
    const float *const whole = x + 4 * 11 * LANES;
    if (end > whole)
        for (int i = 0; i < 11; i++) vf_store(held + i * LANES, vf_zero());
    const int64_t k[] = {(int64_t)beside, (int64_t)held, plain};
    __asm__ volatile(
        "cmpq $0, 16(%[k])\n\t"
        "jne 5f\n\t"
        "vpxord %%zmm23, %%zmm23, %%zmm23\n\t"
        "vsubps %[e], %%zmm23, %%zmm22\n\t"
        "mov (%[k]), %%rax\n\t"
        "vsubps 0(%%rax)%{1to16%}, %%zmm22, %[a0]\n\t"
        "vsubps 4(%%rax)%{1to16%}, %%zmm22, %[a1]\n\t"
        "vsubps 8(%%rax)%{1to16%}, %%zmm22, %[a2]\n\t"
        "vsubps 12(%%rax)%{1to16%}, %%zmm22, %[a3]\n\t"
        "vsubps 16(%%rax)%{1to16%}, %%zmm22, %[a4]\n\t"
        "vsubps 20(%%rax)%{1to16%}, %%zmm22, %[a5]\n\t"
        "vsubps 24(%%rax)%{1to16%}, %%zmm22, %[a6]\n\t"
        "vsubps 28(%%rax)%{1to16%}, %%zmm22, %[a7]\n\t"
        "vsubps 32(%%rax)%{1to16%}, %%zmm22, %[a8]\n\t"
        "vsubps 36(%%rax)%{1to16%}, %%zmm22, %[a9]\n\t"
        "vsubps 40(%%rax)%{1to16%}, %%zmm22, %[a10]\n\t"
        "cmp %[end], %[x]\n\t"
        "je 3f\n"
        "1:\n\t"
        "mov %[x], %%rax\n\t"
        "add $2816, %%rax\n\t"
        "cmp %[end], %%rax\n\t"
        "cmova %[end], %%rax\n\t"
        ".p2align 5\n"
        "2:\n\t"
        "vmovups 0(%[w]), %%zmm22\n\t"
        "prefetcht1 0(%[w],%[ahead])\n\t"
        "vmovups 512(%[w]), %%zmm23\n\t"
        "prefetcht1 512(%[w],%[ahead])\n\t"
        "vmovups 320(%[w]), %%zmm26\n\t"
        "prefetcht1 320(%[w],%[ahead])\n\t"
        "vfmadd231ps 20(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vaddps 0(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 32(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 84(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 148(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vaddps 64(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 96(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 212(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 276(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vaddps 128(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 160(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 340(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 404(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vaddps 192(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 224(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 468(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 532(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vaddps 256(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 288(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 596(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 660(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vaddps 320(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 352(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vaddps 384(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 416(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vmovups 384(%[w]), %%zmm27\n\t"
        "prefetcht1 384(%[w],%[ahead])\n\t"
        "vfmadd231ps 24(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vaddps 448(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 480(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 88(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vaddps 512(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 544(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vfmadd231ps 152(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vaddps 576(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 608(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 216(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vaddps 640(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 672(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vfmadd231ps 280(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vmovups 64(%[w]), %%zmm24\n\t"
        "prefetcht1 64(%[w],%[ahead])\n\t"
        "vmovups 576(%[w]), %%zmm25\n\t"
        "prefetcht1 576(%[w],%[ahead])\n\t"
        "vaddps 4(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 36(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a0]\n\t"
        "vfmadd231ps 344(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vaddps 68(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 100(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a1]\n\t"
        "vfmadd231ps 408(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vaddps 132(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 164(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a2]\n\t"
        "vfmadd231ps 472(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vaddps 196(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 228(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a3]\n\t"
        "vfmadd231ps 536(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vaddps 260(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 292(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a4]\n\t"
        "vfmadd231ps 600(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vaddps 324(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 356(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a5]\n\t"
        "vfmadd231ps 664(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vaddps 388(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 420(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a6]\n\t"
        "vmovups 448(%[w]), %%zmm26\n\t"
        "prefetcht1 448(%[w],%[ahead])\n\t"
        "vfmadd231ps 28(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vaddps 452(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 484(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a7]\n\t"
        "vfmadd231ps 92(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vaddps 516(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 548(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a8]\n\t"
        "vfmadd231ps 156(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vaddps 580(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 612(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a9]\n\t"
        "vfmadd231ps 220(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vaddps 644(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 676(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a10]\n\t"
        "vfmadd231ps 284(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vmovups 128(%[w]), %%zmm22\n\t"
        "prefetcht1 128(%[w],%[ahead])\n\t"
        "vmovups 640(%[w]), %%zmm23\n\t"
        "prefetcht1 640(%[w],%[ahead])\n\t"
        "vaddps 8(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 40(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 348(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vaddps 72(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 104(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 412(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vaddps 136(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 168(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 476(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vaddps 200(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 232(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 540(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vaddps 264(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 296(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 604(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vaddps 328(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 360(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 668(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vaddps 392(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 424(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vmovups 832(%[w]), %%zmm27\n\t"
        "prefetcht1 832(%[w],%[ahead])\n\t"
        "vfmadd231ps 52(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vaddps 456(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 488(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 116(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vaddps 520(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 552(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vfmadd231ps 180(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vaddps 584(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 616(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 244(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vaddps 648(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 680(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vfmadd231ps 308(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vmovups 192(%[w]), %%zmm24\n\t"
        "prefetcht1 192(%[w],%[ahead])\n\t"
        "vmovups 704(%[w]), %%zmm25\n\t"
        "prefetcht1 704(%[w],%[ahead])\n\t"
        "vaddps 12(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 44(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a0]\n\t"
        "vfmadd231ps 372(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vaddps 76(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 108(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a1]\n\t"
        "vfmadd231ps 436(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vaddps 140(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 172(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a2]\n\t"
        "vfmadd231ps 500(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vaddps 204(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 236(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a3]\n\t"
        "vfmadd231ps 564(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vaddps 268(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 300(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a4]\n\t"
        "vfmadd231ps 628(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vaddps 332(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 364(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a5]\n\t"
        "vfmadd231ps 692(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vaddps 396(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 428(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a6]\n\t"
        "vmovups 896(%[w]), %%zmm26\n\t"
        "prefetcht1 896(%[w],%[ahead])\n\t"
        "vfmadd231ps 56(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vaddps 460(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 492(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a7]\n\t"
        "vfmadd231ps 120(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vaddps 524(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 556(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a8]\n\t"
        "vfmadd231ps 184(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vaddps 588(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 620(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a9]\n\t"
        "vfmadd231ps 248(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vaddps 652(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 684(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a10]\n\t"
        "vfmadd231ps 312(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vmovups 256(%[w]), %%zmm22\n\t"
        "prefetcht1 256(%[w],%[ahead])\n\t"
        "vmovups 768(%[w]), %%zmm23\n\t"
        "prefetcht1 768(%[w],%[ahead])\n\t"
        "vaddps 16(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 48(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 376(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vaddps 80(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 112(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 440(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vaddps 144(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 176(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 504(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vaddps 208(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 240(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 568(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vaddps 272(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 304(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 632(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vaddps 336(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 368(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 696(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vaddps 400(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 432(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vmovups 960(%[w]), %%zmm27\n\t"
        "prefetcht1 960(%[w],%[ahead])\n\t"
        "vfmadd231ps 60(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vaddps 464(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 496(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 124(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vaddps 528(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 560(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vfmadd231ps 188(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vaddps 592(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 624(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 252(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vaddps 656(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 688(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vfmadd231ps 316(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 380(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 444(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 508(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 572(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 636(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 700(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "add $1024, %[w]\n\t"
        "add $704, %[x]\n\t"
        "cmp %%rax, %[x]\n\t"
        "jne 2b\n\t"
        "cmp %[end], %[x]\n\t"
        "je 3f\n\t"
        "mov 8(%[k]), %%rax\n\t"
        "vaddps 0(%%rax), %[a0], %%zmm22\n\t"
        "vmovups %%zmm22, 0(%%rax)\n\t"
        "vpxord %[a0], %[a0], %[a0]\n\t"
        "vaddps 64(%%rax), %[a1], %%zmm22\n\t"
        "vmovups %%zmm22, 64(%%rax)\n\t"
        "vpxord %[a1], %[a1], %[a1]\n\t"
        "vaddps 128(%%rax), %[a2], %%zmm22\n\t"
        "vmovups %%zmm22, 128(%%rax)\n\t"
        "vpxord %[a2], %[a2], %[a2]\n\t"
        "vaddps 192(%%rax), %[a3], %%zmm22\n\t"
        "vmovups %%zmm22, 192(%%rax)\n\t"
        "vpxord %[a3], %[a3], %[a3]\n\t"
        "vaddps 256(%%rax), %[a4], %%zmm22\n\t"
        "vmovups %%zmm22, 256(%%rax)\n\t"
        "vpxord %[a4], %[a4], %[a4]\n\t"
        "vaddps 320(%%rax), %[a5], %%zmm22\n\t"
        "vmovups %%zmm22, 320(%%rax)\n\t"
        "vpxord %[a5], %[a5], %[a5]\n\t"
        "vaddps 384(%%rax), %[a6], %%zmm22\n\t"
        "vmovups %%zmm22, 384(%%rax)\n\t"
        "vpxord %[a6], %[a6], %[a6]\n\t"
        "vaddps 448(%%rax), %[a7], %%zmm22\n\t"
        "vmovups %%zmm22, 448(%%rax)\n\t"
        "vpxord %[a7], %[a7], %[a7]\n\t"
        "vaddps 512(%%rax), %[a8], %%zmm22\n\t"
        "vmovups %%zmm22, 512(%%rax)\n\t"
        "vpxord %[a8], %[a8], %[a8]\n\t"
        "vaddps 576(%%rax), %[a9], %%zmm22\n\t"
        "vmovups %%zmm22, 576(%%rax)\n\t"
        "vpxord %[a9], %[a9], %[a9]\n\t"
        "vaddps 640(%%rax), %[a10], %%zmm22\n\t"
        "vmovups %%zmm22, 640(%%rax)\n\t"
        "vpxord %[a10], %[a10], %[a10]\n\t"
        "jmp 1b\n"
        "3:\n\t"
        "vmovups 0(%[w]), %%zmm22\n\t"
        "prefetcht1 0(%[w],%[ahead])\n\t"
        "vmovups 512(%[w]), %%zmm23\n\t"
        "prefetcht1 512(%[w],%[ahead])\n\t"
        "vaddps 0(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 32(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vaddps 64(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 96(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vaddps 128(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 160(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vaddps 192(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 224(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vaddps 256(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 288(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vaddps 320(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 352(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vaddps 384(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 416(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vmovups 320(%[w]), %%zmm26\n\t"
        "prefetcht1 320(%[w],%[ahead])\n\t"
        "vfmadd231ps 20(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vaddps 448(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 480(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 84(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vaddps 512(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 544(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vfmadd231ps 148(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vaddps 576(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 608(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 212(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vaddps 640(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 672(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vfmadd231ps 276(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vmovups 64(%[w]), %%zmm24\n\t"
        "prefetcht1 64(%[w],%[ahead])\n\t"
        "vmovups 576(%[w]), %%zmm25\n\t"
        "prefetcht1 576(%[w],%[ahead])\n\t"
        "vaddps 4(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 36(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a0]\n\t"
        "vfmadd231ps 340(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vaddps 68(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 100(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a1]\n\t"
        "vfmadd231ps 404(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vaddps 132(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 164(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a2]\n\t"
        "vfmadd231ps 468(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vaddps 196(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 228(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a3]\n\t"
        "vfmadd231ps 532(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vaddps 260(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 292(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a4]\n\t"
        "vfmadd231ps 596(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vaddps 324(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 356(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a5]\n\t"
        "vfmadd231ps 660(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vaddps 388(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 420(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a6]\n\t"
        "vmovups 384(%[w]), %%zmm27\n\t"
        "prefetcht1 384(%[w],%[ahead])\n\t"
        "vfmadd231ps 24(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vaddps 452(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 484(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a7]\n\t"
        "vfmadd231ps 88(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vaddps 516(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 548(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a8]\n\t"
        "vfmadd231ps 152(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vaddps 580(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 612(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a9]\n\t"
        "vfmadd231ps 216(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vaddps 644(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 676(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a10]\n\t"
        "vfmadd231ps 280(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vmovups 128(%[w]), %%zmm22\n\t"
        "prefetcht1 128(%[w],%[ahead])\n\t"
        "vmovups 640(%[w]), %%zmm23\n\t"
        "prefetcht1 640(%[w],%[ahead])\n\t"
        "vaddps 8(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 40(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 344(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vaddps 72(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 104(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 408(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vaddps 136(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 168(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 472(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vaddps 200(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 232(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 536(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vaddps 264(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 296(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 600(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vaddps 328(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 360(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 664(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vaddps 392(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 424(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vaddps 456(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 488(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vaddps 520(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 552(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vaddps 584(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 616(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vaddps 648(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 680(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vmovups 192(%[w]), %%zmm24\n\t"
        "prefetcht1 192(%[w],%[ahead])\n\t"
        "vmovups 704(%[w]), %%zmm25\n\t"
        "prefetcht1 704(%[w],%[ahead])\n\t"
        "vaddps 12(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 44(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a0]\n\t"
        "vaddps 76(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 108(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a1]\n\t"
        "vaddps 140(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 172(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a2]\n\t"
        "vaddps 204(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 236(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a3]\n\t"
        "vaddps 268(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 300(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a4]\n\t"
        "vaddps 332(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 364(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a5]\n\t"
        "vaddps 396(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 428(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a6]\n\t"
        "vaddps 460(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 492(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a7]\n\t"
        "vaddps 524(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 556(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a8]\n\t"
        "vaddps 588(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 620(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a9]\n\t"
        "vaddps 652(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 684(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a10]\n\t"
        "vmovups 256(%[w]), %%zmm22\n\t"
        "prefetcht1 256(%[w],%[ahead])\n\t"
        "vmovups 768(%[w]), %%zmm23\n\t"
        "prefetcht1 768(%[w],%[ahead])\n\t"
        "vaddps 16(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 48(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vaddps 80(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 112(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vaddps 144(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 176(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vaddps 208(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 240(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vaddps 272(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 304(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vaddps 336(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 368(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vaddps 400(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 432(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vaddps 464(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 496(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vaddps 528(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 560(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vaddps 592(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 624(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vaddps 656(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 688(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "jmp 9f\n"
        "5:\n\t"
        "vpxord %[a0], %[a0], %[a0]\n\t"
        "vpxord %[a1], %[a1], %[a1]\n\t"
        "vpxord %[a2], %[a2], %[a2]\n\t"
        "vpxord %[a3], %[a3], %[a3]\n\t"
        "vpxord %[a4], %[a4], %[a4]\n\t"
        "vpxord %[a5], %[a5], %[a5]\n\t"
        "vpxord %[a6], %[a6], %[a6]\n\t"
        "vpxord %[a7], %[a7], %[a7]\n\t"
        "vpxord %[a8], %[a8], %[a8]\n\t"
        "vpxord %[a9], %[a9], %[a9]\n\t"
        "vpxord %[a10], %[a10], %[a10]\n\t"
        "cmp %[end], %[x]\n\t"
        "je 8f\n"
        "6:\n\t"
        "mov %[x], %%rax\n\t"
        "add $2816, %%rax\n\t"
        "cmp %[end], %%rax\n\t"
        "cmova %[end], %%rax\n\t"
        ".p2align 5\n"
        "7:\n\t"
        "vmovups 0(%[w]), %%zmm26\n\t"
        "prefetcht1 0(%[w],%[ahead])\n\t"
        "vfmadd231ps 0(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 64(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 128(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 192(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 256(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 320(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 384(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 448(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 512(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 576(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 640(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vmovups 64(%[w]), %%zmm27\n\t"
        "prefetcht1 64(%[w],%[ahead])\n\t"
        "vfmadd231ps 4(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 68(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 132(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 196(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 260(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 324(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 388(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 452(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 516(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 580(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 644(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vmovups 128(%[w]), %%zmm26\n\t"
        "prefetcht1 128(%[w],%[ahead])\n\t"
        "vfmadd231ps 8(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 72(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 136(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 200(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 264(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 328(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 392(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 456(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 520(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 584(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 648(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vmovups 192(%[w]), %%zmm27\n\t"
        "prefetcht1 192(%[w],%[ahead])\n\t"
        "vfmadd231ps 12(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 76(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 140(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 204(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 268(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 332(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 396(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 460(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 524(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 588(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 652(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vmovups 256(%[w]), %%zmm26\n\t"
        "prefetcht1 256(%[w],%[ahead])\n\t"
        "vfmadd231ps 16(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 80(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 144(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 208(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 272(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 336(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 400(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 464(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 528(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 592(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 656(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vmovups 320(%[w]), %%zmm27\n\t"
        "prefetcht1 320(%[w],%[ahead])\n\t"
        "vfmadd231ps 20(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 84(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 148(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 212(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 276(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 340(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 404(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 468(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 532(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 596(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 660(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vmovups 384(%[w]), %%zmm26\n\t"
        "prefetcht1 384(%[w],%[ahead])\n\t"
        "vfmadd231ps 24(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 88(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 152(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 216(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 280(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 344(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 408(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 472(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 536(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 600(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 664(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vmovups 448(%[w]), %%zmm27\n\t"
        "prefetcht1 448(%[w],%[ahead])\n\t"
        "vfmadd231ps 28(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 92(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 156(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 220(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 284(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 348(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 412(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 476(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 540(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 604(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 668(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vmovups 512(%[w]), %%zmm26\n\t"
        "prefetcht1 512(%[w],%[ahead])\n\t"
        "vfmadd231ps 32(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 96(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 160(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 224(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 288(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 352(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 416(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 480(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 544(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 608(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 672(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vmovups 576(%[w]), %%zmm27\n\t"
        "prefetcht1 576(%[w],%[ahead])\n\t"
        "vfmadd231ps 36(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 100(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 164(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 228(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 292(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 356(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 420(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 484(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 548(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 612(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 676(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vmovups 640(%[w]), %%zmm26\n\t"
        "prefetcht1 640(%[w],%[ahead])\n\t"
        "vfmadd231ps 40(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 104(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 168(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 232(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 296(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 360(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 424(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 488(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 552(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 616(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 680(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vmovups 704(%[w]), %%zmm27\n\t"
        "prefetcht1 704(%[w],%[ahead])\n\t"
        "vfmadd231ps 44(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 108(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 172(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 236(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 300(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 364(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 428(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 492(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 556(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 620(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 684(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vmovups 768(%[w]), %%zmm26\n\t"
        "prefetcht1 768(%[w],%[ahead])\n\t"
        "vfmadd231ps 48(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 112(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 176(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 240(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 304(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 368(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 432(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 496(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 560(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 624(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 688(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vmovups 832(%[w]), %%zmm27\n\t"
        "prefetcht1 832(%[w],%[ahead])\n\t"
        "vfmadd231ps 52(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 116(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 180(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 244(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 308(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 372(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 436(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 500(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 564(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 628(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 692(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vmovups 896(%[w]), %%zmm26\n\t"
        "prefetcht1 896(%[w],%[ahead])\n\t"
        "vfmadd231ps 56(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 120(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 184(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 248(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 312(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 376(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 440(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 504(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 568(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 632(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 696(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vmovups 960(%[w]), %%zmm27\n\t"
        "prefetcht1 960(%[w],%[ahead])\n\t"
        "vfmadd231ps 60(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 124(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 188(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 252(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 316(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 380(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 444(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 508(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 572(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 636(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 700(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "add $1024, %[w]\n\t"
        "add $704, %[x]\n\t"
        "cmp %%rax, %[x]\n\t"
        "jne 7b\n\t"
        "cmp %[end], %[x]\n\t"
        "je 8f\n\t"
        "mov 8(%[k]), %%rax\n\t"
        "vaddps 0(%%rax), %[a0], %%zmm22\n\t"
        "vmovups %%zmm22, 0(%%rax)\n\t"
        "vpxord %[a0], %[a0], %[a0]\n\t"
        "vaddps 64(%%rax), %[a1], %%zmm22\n\t"
        "vmovups %%zmm22, 64(%%rax)\n\t"
        "vpxord %[a1], %[a1], %[a1]\n\t"
        "vaddps 128(%%rax), %[a2], %%zmm22\n\t"
        "vmovups %%zmm22, 128(%%rax)\n\t"
        "vpxord %[a2], %[a2], %[a2]\n\t"
        "vaddps 192(%%rax), %[a3], %%zmm22\n\t"
        "vmovups %%zmm22, 192(%%rax)\n\t"
        "vpxord %[a3], %[a3], %[a3]\n\t"
        "vaddps 256(%%rax), %[a4], %%zmm22\n\t"
        "vmovups %%zmm22, 256(%%rax)\n\t"
        "vpxord %[a4], %[a4], %[a4]\n\t"
        "vaddps 320(%%rax), %[a5], %%zmm22\n\t"
        "vmovups %%zmm22, 320(%%rax)\n\t"
        "vpxord %[a5], %[a5], %[a5]\n\t"
        "vaddps 384(%%rax), %[a6], %%zmm22\n\t"
        "vmovups %%zmm22, 384(%%rax)\n\t"
        "vpxord %[a6], %[a6], %[a6]\n\t"
        "vaddps 448(%%rax), %[a7], %%zmm22\n\t"
        "vmovups %%zmm22, 448(%%rax)\n\t"
        "vpxord %[a7], %[a7], %[a7]\n\t"
        "vaddps 512(%%rax), %[a8], %%zmm22\n\t"
        "vmovups %%zmm22, 512(%%rax)\n\t"
        "vpxord %[a8], %[a8], %[a8]\n\t"
        "vaddps 576(%%rax), %[a9], %%zmm22\n\t"
        "vmovups %%zmm22, 576(%%rax)\n\t"
        "vpxord %[a9], %[a9], %[a9]\n\t"
        "vaddps 640(%%rax), %[a10], %%zmm22\n\t"
        "vmovups %%zmm22, 640(%%rax)\n\t"
        "vpxord %[a10], %[a10], %[a10]\n\t"
        "jmp 6b\n"
        "8:\n\t"
        "vmovups 0(%[w]), %%zmm26\n\t"
        "prefetcht1 0(%[w],%[ahead])\n\t"
        "vfmadd231ps 0(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 64(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 128(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 192(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 256(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 320(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 384(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 448(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 512(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 576(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 640(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vmovups 64(%[w]), %%zmm27\n\t"
        "prefetcht1 64(%[w],%[ahead])\n\t"
        "vfmadd231ps 4(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 68(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 132(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 196(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 260(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 324(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 388(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 452(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 516(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 580(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 644(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vmovups 128(%[w]), %%zmm26\n\t"
        "prefetcht1 128(%[w],%[ahead])\n\t"
        "vfmadd231ps 8(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 72(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 136(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 200(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 264(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 328(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 392(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 456(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 520(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 584(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 648(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vmovups 192(%[w]), %%zmm27\n\t"
        "prefetcht1 192(%[w],%[ahead])\n\t"
        "vfmadd231ps 12(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 76(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 140(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 204(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 268(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 332(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 396(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 460(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 524(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 588(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 652(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vmovups 256(%[w]), %%zmm26\n\t"
        "prefetcht1 256(%[w],%[ahead])\n\t"
        "vfmadd231ps 16(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 80(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 144(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 208(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 272(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 336(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 400(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 464(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 528(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 592(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 656(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vmovups 320(%[w]), %%zmm27\n\t"
        "prefetcht1 320(%[w],%[ahead])\n\t"
        "vfmadd231ps 20(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 84(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 148(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 212(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 276(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 340(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 404(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 468(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 532(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 596(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 660(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vmovups 384(%[w]), %%zmm26\n\t"
        "prefetcht1 384(%[w],%[ahead])\n\t"
        "vfmadd231ps 24(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 88(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 152(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 216(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 280(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 344(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 408(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 472(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 536(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 600(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 664(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vmovups 512(%[w]), %%zmm27\n\t"
        "prefetcht1 512(%[w],%[ahead])\n\t"
        "vfmadd231ps 32(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 96(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 160(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 224(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 288(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 352(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 416(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 480(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 544(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 608(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 672(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vmovups 576(%[w]), %%zmm26\n\t"
        "prefetcht1 576(%[w],%[ahead])\n\t"
        "vfmadd231ps 36(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 100(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 164(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 228(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 292(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 356(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 420(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 484(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 548(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 612(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 676(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vmovups 640(%[w]), %%zmm27\n\t"
        "prefetcht1 640(%[w],%[ahead])\n\t"
        "vfmadd231ps 40(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 104(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 168(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 232(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 296(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 360(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 424(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 488(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 552(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 616(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 680(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vmovups 704(%[w]), %%zmm26\n\t"
        "prefetcht1 704(%[w],%[ahead])\n\t"
        "vfmadd231ps 44(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 108(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 172(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 236(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 300(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 364(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 428(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 492(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 556(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 620(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 684(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vmovups 768(%[w]), %%zmm27\n\t"
        "prefetcht1 768(%[w],%[ahead])\n\t"
        "vfmadd231ps 48(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 112(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 176(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 240(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 304(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 368(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 432(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 496(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 560(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 624(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 688(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "9:\n\t"
        : [a0] "=&v"(a0_0_0), [a1] "=&v"(a0_1_0), [a2] "=&v"(a0_2_0), [a3] "=&v"(a0_3_0), [a4] "=&v"(a0_4_0), [a5] "=&v"(a0_5_0), [a6] "=&v"(a0_6_0), [a7] "=&v"(a0_7_0), [a8] "=&v"(a0_8_0), [a9] "=&v"(a0_9_0), [a10] "=&v"(a0_10_0), [x] "+&r"(x), [w] "+&r"(w)
        : [e] "m"(*(const vf_unaligned *)panel), [k] "r"(k), [end] "r"(end), [ahead] "r"(bytes)
        : "memory", "cc", "rax", "zmm22", "zmm23", "zmm24", "zmm25", "zmm26", "zmm27", "zmm28", "zmm29", "zmm30", "zmm31");
    if (end > whole) {
        a0_0_0 += vf_load(held + 0 * LANES);
        a0_1_0 += vf_load(held + 1 * LANES);
        a0_2_0 += vf_load(held + 2 * LANES);
        a0_3_0 += vf_load(held + 3 * LANES);
        a0_4_0 += vf_load(held + 4 * LANES);
        a0_5_0 += vf_load(held + 5 * LANES);
        a0_6_0 += vf_load(held + 6 * LANES);
        a0_7_0 += vf_load(held + 7 * LANES);
        a0_8_0 += vf_load(held + 8 * LANES);
        a0_9_0 += vf_load(held + 9 * LANES);
        a0_10_0 += vf_load(held + 10 * LANES);
    }
    const vf d7 = vf_load(w + 7 * LANES), d13 = vf_load(w + 13 * LANES), d14 = vf_load(w + 14 * LANES), d15 = vf_load(w + 15 * LANES), factor = vf_load(panel + LANES);
    __builtin_prefetch(w + ahead + 7 * LANES, 0, 2); __builtin_prefetch(w + ahead + 13 * LANES, 0, 2); __builtin_prefetch(w + ahead + 14 * LANES, 0, 2); __builtin_prefetch(w + ahead + 15 * LANES, 0, 2);
    {
        a0_0_0 += d7 * x[0 * LANES + 7];
        a0_0_0 += d13 * x[0 * LANES + 13];
        a0_0_0 += d14 * x[0 * LANES + 14];
        a0_0_0 += d15 * x[0 * LANES + 15];
        a0_0_0 = a0_0_0 * (factor * scale[0]);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 0 * LANES, a0_0_0);
    }
    {
        a0_1_0 += d7 * x[1 * LANES + 7];
        a0_1_0 += d13 * x[1 * LANES + 13];
        a0_1_0 += d14 * x[1 * LANES + 14];
        a0_1_0 += d15 * x[1 * LANES + 15];
        a0_1_0 = a0_1_0 * (factor * scale[1]);
        vf_store(out + 0 * c->out_cb + 1 * c->out_row + 0 * LANES, a0_1_0);
    }
    SOL_FENCE();
    {
        a0_2_0 += d7 * x[2 * LANES + 7];
        a0_2_0 += d13 * x[2 * LANES + 13];
        a0_2_0 += d14 * x[2 * LANES + 14];
        a0_2_0 += d15 * x[2 * LANES + 15];
        a0_2_0 = a0_2_0 * (factor * scale[2]);
        vf_store(out + 0 * c->out_cb + 2 * c->out_row + 0 * LANES, a0_2_0);
    }
    {
        a0_3_0 += d7 * x[3 * LANES + 7];
        a0_3_0 += d13 * x[3 * LANES + 13];
        a0_3_0 += d14 * x[3 * LANES + 14];
        a0_3_0 += d15 * x[3 * LANES + 15];
        a0_3_0 = a0_3_0 * (factor * scale[3]);
        vf_store(out + 0 * c->out_cb + 3 * c->out_row + 0 * LANES, a0_3_0);
    }
    SOL_FENCE();
    {
        a0_4_0 += d7 * x[4 * LANES + 7];
        a0_4_0 += d13 * x[4 * LANES + 13];
        a0_4_0 += d14 * x[4 * LANES + 14];
        a0_4_0 += d15 * x[4 * LANES + 15];
        a0_4_0 = a0_4_0 * (factor * scale[4]);
        vf_store(out + 0 * c->out_cb + 4 * c->out_row + 0 * LANES, a0_4_0);
    }
    {
        a0_5_0 += d7 * x[5 * LANES + 7];
        a0_5_0 += d13 * x[5 * LANES + 13];
        a0_5_0 += d14 * x[5 * LANES + 14];
        a0_5_0 += d15 * x[5 * LANES + 15];
        a0_5_0 = a0_5_0 * (factor * scale[5]);
        vf_store(out + 0 * c->out_cb + 5 * c->out_row + 0 * LANES, a0_5_0);
    }
    SOL_FENCE();
    {
        a0_6_0 += d7 * x[6 * LANES + 7];
        a0_6_0 += d13 * x[6 * LANES + 13];
        a0_6_0 += d14 * x[6 * LANES + 14];
        a0_6_0 += d15 * x[6 * LANES + 15];
        a0_6_0 = a0_6_0 * (factor * scale[6]);
        vf_store(out + 0 * c->out_cb + 6 * c->out_row + 0 * LANES, a0_6_0);
    }
    {
        a0_7_0 += d7 * x[7 * LANES + 7];
        a0_7_0 += d13 * x[7 * LANES + 13];
        a0_7_0 += d14 * x[7 * LANES + 14];
        a0_7_0 += d15 * x[7 * LANES + 15];
        a0_7_0 = a0_7_0 * (factor * scale[7]);
        vf_store(out + 0 * c->out_cb + 7 * c->out_row + 0 * LANES, a0_7_0);
    }
    SOL_FENCE();
    {
        a0_8_0 += d7 * x[8 * LANES + 7];
        a0_8_0 += d13 * x[8 * LANES + 13];
        a0_8_0 += d14 * x[8 * LANES + 14];
        a0_8_0 += d15 * x[8 * LANES + 15];
        a0_8_0 = a0_8_0 * (factor * scale[8]);
        vf_store(out + 0 * c->out_cb + 8 * c->out_row + 0 * LANES, a0_8_0);
    }
    {
        a0_9_0 += d7 * x[9 * LANES + 7];
        a0_9_0 += d13 * x[9 * LANES + 13];
        a0_9_0 += d14 * x[9 * LANES + 14];
        a0_9_0 += d15 * x[9 * LANES + 15];
        a0_9_0 = a0_9_0 * (factor * scale[9]);
        vf_store(out + 0 * c->out_cb + 9 * c->out_row + 0 * LANES, a0_9_0);
    }
    SOL_FENCE();
    {
        a0_10_0 += d7 * x[10 * LANES + 7];
        a0_10_0 += d13 * x[10 * LANES + 13];
        a0_10_0 += d14 * x[10 * LANES + 14];
        a0_10_0 += d15 * x[10 * LANES + 15];
        a0_10_0 = a0_10_0 * (factor * scale[10]);
        vf_store(out + 0 * c->out_cb + 10 * c->out_row + 0 * LANES, a0_10_0);
    }
}

typedef struct {
    int64_t n, y, x;
} place;

static inline place place_of(const conv *c, int64_t t)
{
    return (place){t / (c->rows * c->columns), t / c->columns % c->rows, t % c->columns};
}

static inline void advance(const conv *c, place *p)
{
    if (++p->x < c->columns) return;
    p->x = 0;
    if (++p->y < c->rows) return;
    p->y = 0, p->n++;
}
#define IS_EDGE(c, p) ((p).y == (c)->rows - 1)


/* Tiles t0 … t1 - 1, packed one behind the other. */
static __attribute__((noinline)) void pack(const conv *c, int64_t t0, int64_t t1, float *packed)
{
    place p = place_of(c, t0);
    for (; t0 < t1; t0++, packed += c->packed_size, advance(c, &p)) {
        const float *in = c->in + p.n * c->in_n + p.y * 13 * c->in_row + p.x * 1 * LANES;
        if (IS_EDGE(c, p)) pack_tile(c, in, 1, 11, packed);
        else
        pack_tile(c, in, 1, 13, packed);
    }
}

/* A panel of one vector: tiles t0 … t1 - 1; packed: that of tile t0. */
static void multiply(const conv *c, int64_t kb, int64_t t0, int64_t t1, const float *packed)
{
    const int64_t panel = (c->steps * LANES + 3) * LANES;
    const float *w = c->w + kb * panel;
    place p = place_of(c, t0);
    for (int64_t t = t0; t < t1; t++, packed += c->packed_size, advance(c, &p)) {
        const int64_t ahead = t == t0 ? panel : 0; /* the next panel's weights are fetched by the first tile */
        float *out = c->out + kb * c->out_cb + p.n * c->out_n + p.y * 13 * c->out_row + p.x * 1 * LANES;
        if (IS_EDGE(c, p)) tile_1x11x1(c, packed, w, ahead, out);
        else
        tile_1x13x1(c, packed, w, ahead, out);
    }
}


void conv_inner_product_rows(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    const float *w = buf[1];
    const float *factors = buf[2];
    float *out = buf[3];
    const int64_t N = arg[0];
    const int64_t OH = arg[1];
    const int64_t OW = arg[2];
    const int64_t vectors = arg[3];
    const int64_t block = arg[4];
    const int64_t by_tiles = arg[5];
    const int64_t packed_size = arg[6];
    const int64_t in_n = arg[7];
    const int64_t in_cb = arg[8];
    const int64_t in_row = arg[9];
    const int64_t in_r = arg[10];
    const int64_t in_s = arg[11];
    const int64_t in_start = arg[12];
    const int64_t in_blocks = arg[13];
    const int64_t R = arg[14];
    const int64_t S = arg[15];
    const int64_t out_n = arg[16];
    const int64_t out_cb = arg[17];
    const int64_t out_row = arg[18];
    (void)team; (void)buf; (void)arg;
const int64_t rows = (OH + 12) / 13, columns = (OW + 0) / 1, tiles = N * rows * columns, steps = in_blocks * R * S;
    if (tiles == 0) return;
    const int by_panels = !by_tiles && team->size > 1;
    const int64_t claims = by_panels;
    const conv c = {
        .in = in + in_start, .w = w, .factors = factors, .out = out, .N = N, .OH = OH, .OW = OW, .vectors = vectors,
        .block = block, .by_tiles = by_tiles, .packed_size = packed_size, .in_n = in_n, .in_cb = in_cb, .in_row = in_row, .in_r = in_r, .in_s = in_s,
        .in_start = in_start, .in_blocks = in_blocks, .R = R, .S = S, .out_n = out_n, .out_cb = out_cb, .out_row = out_row, .steps = steps,
        .rows = rows, .columns = columns, .claims = claims,
    };
    float *at = (float *)team->scratch;
    int64_t u0, u1, first = 0, last = tiles;
    if (by_panels && team->size > 4) {
        at = (float *)team->shared_scratch;
        sol_split(team, tiles, &u0, &u1);
        pack(&c, u0, u1, at + u0 * packed_size);
        sol_barrier(team);
        for (sol_share share = sol_share_of(team, vectors * tiles, team->size); sol_share_take(&share, &u0, &u1);)
        for (int64_t t0, t1; u0 < u1; u0 += t1 - t0) {
            t0 = u0 % tiles, t1 = u1 - u0 < tiles - t0 ? t0 + u1 - u0 : tiles;
            multiply(&c, u0 / tiles, t0, t1, at + t0 * packed_size);
        }
    } else {
        /* A share: (panel, tile) pairs u0 … u1 - 1 of those of tiles first … last - 1. */
        sol_share share = by_panels ? sol_fixed_share(team, vectors * tiles, team->size) : sol_share_of(team, tiles, team->size);
        sol_share_at_least(&share, tiles / team->size < 2 * block ? tiles : (block + 1) / 2, block); /* for each block all weights are read */
        while (sol_share_take(&share, &u0, &u1)) {
            if (by_panels) {
                first = 0, last = tiles;
                if (u0 / tiles == (u1 - 1) / tiles) first = u0 % tiles, last = (u1 - 1) % tiles + 1;
            } else
            first = u0, last = u1, u0 = 0, u1 = vectors * tiles;
            for (int64_t b0 = first, b1; b0 < last; b0 = b1) {
                b1 = last - b0 < block ? last : b0 + block;
                pack(&c, b0, b1, at);
                for (int64_t kb = u0 / tiles; kb * tiles < u1; kb++) {
                    const int64_t from = kb * tiles, t0 = u0 - from > b0 ? u0 - from : b0, t1 = u1 - from < b1 ? u1 - from : b1;
                    if (t0 < t1) multiply(&c, kb, t0, t1, at + (t0 - b0) * packed_size);
                }
            }
        }
    }
}
