/* Convolution by Winograd's inner product, NCHWc -> NCHWc, then relu.
 *
 *   block of this thread's tiles
 *     pack: input of each tile [tap of a channel block][pixel][LANES], scaled; what its pixels subtract, and their scales
 *     panel of LANES output channels             its weights stay in the cache
 *       tile: reduction in registers, tail       both pixel by pixel at the end, while the last input channels of others are multiplied
 * Where tiles are few, threads share out the (panel, tile) pairs; a few threads each pack for themselves, a larger team packs together
 * into its common memory, then waits.
 *
 * Register tile: 1 rows x 20 pixels.
 * w: [panel][input block][r][s][channel][LANES], then what its channels subtract, and what undoes their scaling. */
#include "sol_team.h"
#include "sol_simd.h"
#include "sol_pack.h"

typedef struct {
    const float *in, *w, *factors; /* factors: of input channels at each tap, with the signs of pairs */
    float *out;
    int64_t in_blocks, R, S, in_n, in_cb, in_row, in_r, in_s, steps; /* steps: taps of all channel blocks */
    int64_t out_n, out_cb, out_row, rows, columns, OH, OW, packed; /* packed: elements of a tile's packed input */
    int64_t claims; /* are the output's lines to be asked for: whether another thread may have read what was there before */
} conv;

/* Winograd's inner product: two input channels share a multiply-add and take two additions, for which this processor has units of their own:
 *   x * w + x' * w' = (x + w') * (x' + w) - x * x' - w * w'
 * What is subtracted depends on the pixel alone or on the output channel alone; in every other pair x' and w' are negated, so that it nearly
 * cancels. Of LANES channels, 5 and those LANES / 2 behind them are paired, the others multiplied as usual: both kinds of units are busy.
 * Pixels, input and output channels are scaled by powers of two, lest the smaller one of x and w be lost in the sum: the error is bounded by the
 * norms of both, as that of the usual product. */
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

/* Powers of two that scale data of these magnitudes to one from 1 up to 2, and what undoes it. */
SOL_INLINE vf pair_scale(vf size, vf *undo)
{
    const vi exponent = (vi)size & 0x7f800000, huge = exponent > 0x7e000000, kept = (huge & 0x7e000000) | (~huge & exponent);
    *undo = (vf)kept;
    return (vf)(0x7f000000 - kept);
}

/* The mean magnitude of a pixel's input. */
static __attribute__((noinline)) float pack_mean(const conv *c, const float *in, int64_t steps)
{
    vf total = vf_zero();
    const float *factor = c->factors;
    for (int64_t block = 0; block < c->in_blocks; block++) for (int64_t r = 0; r < c->R; r++) for (int64_t s = 0; s < c->S; s++) { const float *tap = in + block * c->in_cb + r * c->in_r + s * c->in_s;
        total += vf_abs(vf_load(tap) * vf_load(factor));
        factor += LANES;
    }
    return vf_sum(total) / (float)(steps * LANES);
}

/* x: [step][pixel][LANES] of ``count`` pixels, scaled by the root of their mean square, or by their mean magnitude where squares leave the range. */
SOL_INLINE void pack_4(const conv *c, const float *in, int64_t steps, int64_t count, float *x, float *beside)
{
    const vf firsts = vf_load(pair_firsts);
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
            const vf v = vf_load(tap + 1 * LANES) * f;
            m1 += v * v;
        }
        {
            const vf v = vf_load(tap + 2 * LANES) * f;
            m2 += v * v;
        }
        {
            const vf v = vf_load(tap + 3 * LANES) * f;
            m3 += v * v;
        }
        factor += LANES;
    }
    vf m[LANES] = {m0, m1, m2, m3};
    const vf squares = pair_sums(m) * vf_set(1.0f / (float)(steps * LANES));
    vf size = vf_sqrt(squares);
    if (!(squares[0] > 1e-30f && squares[0] < 1e30f)) size[0] = pack_mean(c, in, steps);
    m0 = vf_zero();
    if (!(squares[1] > 1e-30f && squares[1] < 1e30f)) size[1] = pack_mean(c, in + 1 * LANES, steps);
    m1 = vf_zero();
    if (!(squares[2] > 1e-30f && squares[2] < 1e30f)) size[2] = pack_mean(c, in + 2 * LANES, steps);
    m2 = vf_zero();
    if (!(squares[3] > 1e-30f && squares[3] < 1e30f)) size[3] = pack_mean(c, in + 3 * LANES, steps);
    m3 = vf_zero();
    vf_store(scale, pair_scale(size, &undo));
    factor = c->factors;
    for (int64_t block = 0; block < c->in_blocks; block++) for (int64_t r = 0; r < c->R; r++) for (int64_t s = 0; s < c->S; s++) { const float *tap = in + block * c->in_cb + r * c->in_r + s * c->in_s;
        const vf f = vf_load(factor);
        {
            const vf v = vf_load(tap) * (f * scale[0]);
            vf_store(x + 0 * LANES, v);
            m0 += pair_product(v);
        }
        {
            const vf v = vf_load(tap + 1 * LANES) * (f * scale[1]);
            vf_store(x + 1 * LANES, v);
            m1 += pair_product(v);
        }
        {
            const vf v = vf_load(tap + 2 * LANES) * (f * scale[2]);
            vf_store(x + 2 * LANES, v);
            m2 += pair_product(v);
        }
        {
            const vf v = vf_load(tap + 3 * LANES) * (f * scale[3]);
            vf_store(x + 3 * LANES, v);
            m3 += pair_product(v);
        }
        x += count * LANES, factor += LANES;
    }
    vf u[LANES] = {m0 * firsts, m1 * firsts, m2 * firsts, m3 * firsts};
    u[0] = pair_sums(u);
    for (int64_t p = 0; p < 4; p++) beside[p] = u[0][p], beside[(count + LANES - 1) / LANES * LANES + p] = undo[p];
}

/* x: [step][pixel][LANES] of ``count`` pixels, scaled by the root of their mean square, or by their mean magnitude where squares leave the range. */
SOL_INLINE void pack_2(const conv *c, const float *in, int64_t steps, int64_t count, float *x, float *beside)
{
    const vf firsts = vf_load(pair_firsts);
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
            const vf v = vf_load(tap + 1 * LANES) * f;
            m1 += v * v;
        }
        factor += LANES;
    }
    vf m[LANES] = {m0, m1};
    const vf squares = pair_sums(m) * vf_set(1.0f / (float)(steps * LANES));
    vf size = vf_sqrt(squares);
    if (!(squares[0] > 1e-30f && squares[0] < 1e30f)) size[0] = pack_mean(c, in, steps);
    m0 = vf_zero();
    if (!(squares[1] > 1e-30f && squares[1] < 1e30f)) size[1] = pack_mean(c, in + 1 * LANES, steps);
    m1 = vf_zero();
    vf_store(scale, pair_scale(size, &undo));
    factor = c->factors;
    for (int64_t block = 0; block < c->in_blocks; block++) for (int64_t r = 0; r < c->R; r++) for (int64_t s = 0; s < c->S; s++) { const float *tap = in + block * c->in_cb + r * c->in_r + s * c->in_s;
        const vf f = vf_load(factor);
        {
            const vf v = vf_load(tap) * (f * scale[0]);
            vf_store(x + 0 * LANES, v);
            m0 += pair_product(v);
        }
        {
            const vf v = vf_load(tap + 1 * LANES) * (f * scale[1]);
            vf_store(x + 1 * LANES, v);
            m1 += pair_product(v);
        }
        x += count * LANES, factor += LANES;
    }
    vf u[LANES] = {m0 * firsts, m1 * firsts};
    u[0] = pair_sums(u);
    for (int64_t p = 0; p < 2; p++) beside[p] = u[0][p], beside[(count + LANES - 1) / LANES * LANES + p] = undo[p];
}

/* x: [step][pixel][LANES] of ``count`` pixels, scaled by the root of their mean square, or by their mean magnitude where squares leave the range. */
SOL_INLINE void pack_1(const conv *c, const float *in, int64_t steps, int64_t count, float *x, float *beside)
{
    const vf firsts = vf_load(pair_firsts);
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
    vf m[LANES] = {m0};
    const vf squares = pair_sums(m) * vf_set(1.0f / (float)(steps * LANES));
    vf size = vf_sqrt(squares);
    if (!(squares[0] > 1e-30f && squares[0] < 1e30f)) size[0] = pack_mean(c, in, steps);
    m0 = vf_zero();
    vf_store(scale, pair_scale(size, &undo));
    factor = c->factors;
    for (int64_t block = 0; block < c->in_blocks; block++) for (int64_t r = 0; r < c->R; r++) for (int64_t s = 0; s < c->S; s++) { const float *tap = in + block * c->in_cb + r * c->in_r + s * c->in_s;
        const vf f = vf_load(factor);
        {
            const vf v = vf_load(tap) * (f * scale[0]);
            vf_store(x + 0 * LANES, v);
            m0 += pair_product(v);
        }
        x += count * LANES, factor += LANES;
    }
    vf u[LANES] = {m0 * firsts};
    u[0] = pair_sums(u);
    for (int64_t p = 0; p < 1; p++) beside[p] = u[0][p], beside[(count + LANES - 1) / LANES * LANES + p] = undo[p];
}

/* The input of one tile of rows x width pixels as the products want it. */
static __attribute__((noinline)) void pack_tile(const conv *c, const float *in, int64_t rows, int64_t width, float *o)
{
    const int64_t count = rows * width, steps = c->steps;
    float *beside = o + steps * count * LANES;
    for (int64_t y = 0; y < rows; y++, in += c->in_row) {
        const float *i = in;
        for (int64_t x = 0; x < width;) {
            const int64_t some = width - x >= 4 ? 4 : width - x >= 2 ? 2 : 1;
            if (some == 4) pack_4(c, i, steps, count, o, beside);
            else if (some == 2) pack_2(c, i, steps, count, o, beside);
            else pack_1(c, i, steps, count, o, beside);
            x += some, i += some * 1 * LANES, o += some * LANES, beside += some;
        }
    }
}

/* LANES output channels of one tile. */
static __attribute__((noinline)) void tile_1x20(const conv *c, const float *x, const float *w, int64_t ahead, float *out)
{
    const float *const beside = x + c->steps * 20 * LANES, *const scale = beside + 2 * LANES;
    const float *const panel = w + c->steps * LANES * LANES;
    const float *const end = x + (c->steps - 1) * 20 * LANES;
    const int64_t bytes = 4 * ahead;
    if (c->claims)
        for (int64_t y = 0; y < 1; y++)
            for (int64_t x = 0; x < 20; x++) SOL_CLAIM(out + y * c->out_row + x * LANES);
    vf a0_0_0, a0_0_1, a0_0_2, a0_0_3, a0_0_4, a0_0_5, a0_0_6, a0_0_7, a0_0_8, a0_0_9, a0_0_10, a0_0_11, a0_0_12, a0_0_13, a0_0_14, a0_0_15, a0_0_16, a0_0_17, a0_0_18, a0_0_19;
    __asm__ volatile(
        "vpxord %%zmm23, %%zmm23, %%zmm23\n\t"
        "vsubps %[e], %%zmm23, %%zmm22\n\t"
        "vsubps 0(%[beside])%{1to16%}, %%zmm22, %[a0]\n\t"
        "vsubps 4(%[beside])%{1to16%}, %%zmm22, %[a1]\n\t"
        "vsubps 8(%[beside])%{1to16%}, %%zmm22, %[a2]\n\t"
        "vsubps 12(%[beside])%{1to16%}, %%zmm22, %[a3]\n\t"
        "vsubps 16(%[beside])%{1to16%}, %%zmm22, %[a4]\n\t"
        "vsubps 20(%[beside])%{1to16%}, %%zmm22, %[a5]\n\t"
        "vsubps 24(%[beside])%{1to16%}, %%zmm22, %[a6]\n\t"
        "vsubps 28(%[beside])%{1to16%}, %%zmm22, %[a7]\n\t"
        "vsubps 32(%[beside])%{1to16%}, %%zmm22, %[a8]\n\t"
        "vsubps 36(%[beside])%{1to16%}, %%zmm22, %[a9]\n\t"
        "vsubps 40(%[beside])%{1to16%}, %%zmm22, %[a10]\n\t"
        "vsubps 44(%[beside])%{1to16%}, %%zmm22, %[a11]\n\t"
        "vsubps 48(%[beside])%{1to16%}, %%zmm22, %[a12]\n\t"
        "vsubps 52(%[beside])%{1to16%}, %%zmm22, %[a13]\n\t"
        "vsubps 56(%[beside])%{1to16%}, %%zmm22, %[a14]\n\t"
        "vsubps 60(%[beside])%{1to16%}, %%zmm22, %[a15]\n\t"
        "vsubps 64(%[beside])%{1to16%}, %%zmm22, %[a16]\n\t"
        "vsubps 68(%[beside])%{1to16%}, %%zmm22, %[a17]\n\t"
        "vsubps 72(%[beside])%{1to16%}, %%zmm22, %[a18]\n\t"
        "vsubps 76(%[beside])%{1to16%}, %%zmm22, %[a19]\n\t"
        "cmp %[end], %[x]\n\t"
        "je 2f\n\t"
        ".p2align 5\n"
        "1:\n\t"
        "vmovups 0(%[w]), %%zmm22\n\t"
        "prefetcht1 0(%[w],%[ahead])\n\t"
        "vmovups 512(%[w]), %%zmm23\n\t"
        "prefetcht1 512(%[w],%[ahead])\n\t"
        "vaddps 0(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 32(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vmovups 320(%[w]), %%zmm26\n\t"
        "prefetcht1 320(%[w],%[ahead])\n\t"
        "vfmadd231ps 660(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 724(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vaddps 64(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 96(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 788(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vaddps 128(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 160(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 852(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vaddps 192(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 224(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 916(%[x])%{1to16%}, %%zmm26, %[a14]\n\t"
        "vaddps 256(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 288(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 980(%[x])%{1to16%}, %%zmm26, %[a15]\n\t"
        "vaddps 320(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 352(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 1044(%[x])%{1to16%}, %%zmm26, %[a16]\n\t"
        "vfmadd231ps 1108(%[x])%{1to16%}, %%zmm26, %[a17]\n\t"
        "vaddps 384(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 416(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 1172(%[x])%{1to16%}, %%zmm26, %[a18]\n\t"
        "vaddps 448(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 480(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 1236(%[x])%{1to16%}, %%zmm26, %[a19]\n\t"
        "vaddps 512(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 544(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vfmadd231ps 20(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vaddps 576(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 608(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 84(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vaddps 640(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 672(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vfmadd231ps 148(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 212(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vaddps 704(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 736(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 276(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vaddps 768(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 800(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 340(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vaddps 832(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 864(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 404(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vaddps 896(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 928(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vfmadd231ps 468(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vaddps 960(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 992(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 532(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 596(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vaddps 1024(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 1056(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a16]\n\t"
        "vmovups 384(%[w]), %%zmm27\n\t"
        "prefetcht1 384(%[w],%[ahead])\n\t"
        "vfmadd231ps 664(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vaddps 1088(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1120(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a17]\n\t"
        "vfmadd231ps 728(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vaddps 1152(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 1184(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a18]\n\t"
        "vfmadd231ps 792(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vaddps 1216(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1248(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a19]\n\t"
        "vfmadd231ps 856(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vmovups 64(%[w]), %%zmm24\n\t"
        "prefetcht1 64(%[w],%[ahead])\n\t"
        "vmovups 576(%[w]), %%zmm25\n\t"
        "prefetcht1 576(%[w],%[ahead])\n\t"
        "vaddps 4(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 36(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 920(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vfmadd231ps 984(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "vaddps 68(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 100(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 1048(%[x])%{1to16%}, %%zmm27, %[a16]\n\t"
        "vaddps 132(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 164(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 1112(%[x])%{1to16%}, %%zmm27, %[a17]\n\t"
        "vaddps 196(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 228(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 1176(%[x])%{1to16%}, %%zmm27, %[a18]\n\t"
        "vaddps 260(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 292(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 1240(%[x])%{1to16%}, %%zmm27, %[a19]\n\t"
        "vaddps 324(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 356(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 24(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 88(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vaddps 388(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 420(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 152(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vaddps 452(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 484(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 216(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vaddps 516(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 548(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vfmadd231ps 280(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vaddps 580(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 612(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 344(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vaddps 644(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 676(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vfmadd231ps 408(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 472(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vaddps 708(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 740(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 536(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vaddps 772(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 804(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 600(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vaddps 836(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 868(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vmovups 448(%[w]), %%zmm26\n\t"
        "prefetcht1 448(%[w],%[ahead])\n\t"
        "vfmadd231ps 668(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vaddps 900(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 932(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vfmadd231ps 732(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vaddps 964(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 996(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 796(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vfmadd231ps 860(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vaddps 1028(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 1060(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a16]\n\t"
        "vfmadd231ps 924(%[x])%{1to16%}, %%zmm26, %[a14]\n\t"
        "vaddps 1092(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 1124(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a17]\n\t"
        "vfmadd231ps 988(%[x])%{1to16%}, %%zmm26, %[a15]\n\t"
        "vaddps 1156(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 1188(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a18]\n\t"
        "vfmadd231ps 1052(%[x])%{1to16%}, %%zmm26, %[a16]\n\t"
        "vaddps 1220(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 1252(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a19]\n\t"
        "vfmadd231ps 1116(%[x])%{1to16%}, %%zmm26, %[a17]\n\t"
        "vmovups 128(%[w]), %%zmm22\n\t"
        "prefetcht1 128(%[w],%[ahead])\n\t"
        "vmovups 640(%[w]), %%zmm23\n\t"
        "prefetcht1 640(%[w],%[ahead])\n\t"
        "vaddps 8(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 40(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 1180(%[x])%{1to16%}, %%zmm26, %[a18]\n\t"
        "vfmadd231ps 1244(%[x])%{1to16%}, %%zmm26, %[a19]\n\t"
        "vaddps 72(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 104(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 28(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vaddps 136(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 168(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 92(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vaddps 200(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 232(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 156(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vaddps 264(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 296(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 220(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vaddps 328(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 360(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 284(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 348(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vaddps 392(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 424(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 412(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vaddps 456(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 488(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 476(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vaddps 520(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 552(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vfmadd231ps 540(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vaddps 584(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 616(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 604(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vaddps 648(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 680(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vmovups 832(%[w]), %%zmm27\n\t"
        "prefetcht1 832(%[w],%[ahead])\n\t"
        "vfmadd231ps 692(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 756(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vaddps 712(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 744(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 820(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vaddps 776(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 808(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 884(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vaddps 840(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 872(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 948(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vaddps 904(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 936(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vfmadd231ps 1012(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "vaddps 968(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1000(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 1076(%[x])%{1to16%}, %%zmm27, %[a16]\n\t"
        "vfmadd231ps 1140(%[x])%{1to16%}, %%zmm27, %[a17]\n\t"
        "vaddps 1032(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 1064(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a16]\n\t"
        "vfmadd231ps 1204(%[x])%{1to16%}, %%zmm27, %[a18]\n\t"
        "vaddps 1096(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1128(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a17]\n\t"
        "vfmadd231ps 1268(%[x])%{1to16%}, %%zmm27, %[a19]\n\t"
        "vaddps 1160(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 1192(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a18]\n\t"
        "vfmadd231ps 52(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vaddps 1224(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1256(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a19]\n\t"
        "vfmadd231ps 116(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vmovups 192(%[w]), %%zmm24\n\t"
        "prefetcht1 192(%[w],%[ahead])\n\t"
        "vmovups 704(%[w]), %%zmm25\n\t"
        "prefetcht1 704(%[w],%[ahead])\n\t"
        "vaddps 12(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 44(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 180(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 244(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vaddps 76(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 108(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 308(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vaddps 140(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 172(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 372(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vaddps 204(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 236(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 436(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vaddps 268(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 300(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 500(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vaddps 332(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 364(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 564(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 628(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vaddps 396(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 428(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vmovups 896(%[w]), %%zmm26\n\t"
        "prefetcht1 896(%[w],%[ahead])\n\t"
        "vfmadd231ps 696(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vaddps 460(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 492(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 760(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vaddps 524(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 556(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vfmadd231ps 824(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vaddps 588(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 620(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 888(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vaddps 652(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 684(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vfmadd231ps 952(%[x])%{1to16%}, %%zmm26, %[a14]\n\t"
        "vfmadd231ps 1016(%[x])%{1to16%}, %%zmm26, %[a15]\n\t"
        "vaddps 716(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 748(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 1080(%[x])%{1to16%}, %%zmm26, %[a16]\n\t"
        "vaddps 780(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 812(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 1144(%[x])%{1to16%}, %%zmm26, %[a17]\n\t"
        "vaddps 844(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 876(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 1208(%[x])%{1to16%}, %%zmm26, %[a18]\n\t"
        "vaddps 908(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 940(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vfmadd231ps 1272(%[x])%{1to16%}, %%zmm26, %[a19]\n\t"
        "vaddps 972(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 1004(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 56(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 120(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vaddps 1036(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 1068(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a16]\n\t"
        "vfmadd231ps 184(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vaddps 1100(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 1132(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a17]\n\t"
        "vfmadd231ps 248(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vaddps 1164(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 1196(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a18]\n\t"
        "vfmadd231ps 312(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vaddps 1228(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 1260(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a19]\n\t"
        "vfmadd231ps 376(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vmovups 256(%[w]), %%zmm22\n\t"
        "prefetcht1 256(%[w],%[ahead])\n\t"
        "vmovups 768(%[w]), %%zmm23\n\t"
        "prefetcht1 768(%[w],%[ahead])\n\t"
        "vaddps 16(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 48(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 440(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 504(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vaddps 80(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 112(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 568(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vaddps 144(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 176(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 632(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vaddps 208(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 240(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vmovups 960(%[w]), %%zmm27\n\t"
        "prefetcht1 960(%[w],%[ahead])\n\t"
        "vfmadd231ps 700(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vaddps 272(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 304(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 764(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vaddps 336(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 368(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 828(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vfmadd231ps 892(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vaddps 400(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 432(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 956(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vaddps 464(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 496(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 1020(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "vaddps 528(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 560(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vfmadd231ps 1084(%[x])%{1to16%}, %%zmm27, %[a16]\n\t"
        "vaddps 592(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 624(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 1148(%[x])%{1to16%}, %%zmm27, %[a17]\n\t"
        "vaddps 656(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 688(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vfmadd231ps 1212(%[x])%{1to16%}, %%zmm27, %[a18]\n\t"
        "vfmadd231ps 1276(%[x])%{1to16%}, %%zmm27, %[a19]\n\t"
        "vaddps 720(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 752(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 60(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vaddps 784(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 816(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 124(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vaddps 848(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 880(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 188(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vaddps 912(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 944(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vfmadd231ps 252(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vaddps 976(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1008(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 316(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 380(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vaddps 1040(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 1072(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a16]\n\t"
        "vfmadd231ps 444(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vaddps 1104(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1136(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a17]\n\t"
        "vfmadd231ps 508(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vaddps 1168(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 1200(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a18]\n\t"
        "vfmadd231ps 572(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vaddps 1232(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1264(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a19]\n\t"
        "vfmadd231ps 636(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "add $1024, %[w]\n\t"
        "add $1280, %[x]\n\t"
        "cmp %[end], %[x]\n\t"
        "jne 1b\n"
        "2:\n\t"
        "vmovups 0(%[w]), %%zmm22\n\t"
        "prefetcht1 0(%[w],%[ahead])\n\t"
        "vmovups 512(%[w]), %%zmm23\n\t"
        "prefetcht1 512(%[w],%[ahead])\n\t"
        "vaddps 0(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 32(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vmovups 320(%[w]), %%zmm26\n\t"
        "prefetcht1 320(%[w],%[ahead])\n\t"
        "vfmadd231ps 660(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vaddps 64(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 96(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vaddps 128(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 160(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 724(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vaddps 192(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 224(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vaddps 256(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 288(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vaddps 320(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 352(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 788(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vaddps 384(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 416(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vaddps 448(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 480(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 852(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vaddps 512(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 544(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vaddps 576(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 608(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vaddps 640(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 672(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vfmadd231ps 916(%[x])%{1to16%}, %%zmm26, %[a14]\n\t"
        "vaddps 704(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 736(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vaddps 768(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 800(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 980(%[x])%{1to16%}, %%zmm26, %[a15]\n\t"
        "vaddps 832(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 864(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vaddps 896(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 928(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vaddps 960(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 992(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 1044(%[x])%{1to16%}, %%zmm26, %[a16]\n\t"
        "vaddps 1024(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 1056(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a16]\n\t"
        "vaddps 1088(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1120(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a17]\n\t"
        "vfmadd231ps 1108(%[x])%{1to16%}, %%zmm26, %[a17]\n\t"
        "vaddps 1152(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 1184(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a18]\n\t"
        "vaddps 1216(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1248(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a19]\n\t"
        "vmovups 64(%[w]), %%zmm24\n\t"
        "prefetcht1 64(%[w],%[ahead])\n\t"
        "vmovups 576(%[w]), %%zmm25\n\t"
        "prefetcht1 576(%[w],%[ahead])\n\t"
        "vaddps 4(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 36(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 1172(%[x])%{1to16%}, %%zmm26, %[a18]\n\t"
        "vaddps 68(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 100(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vaddps 132(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 164(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 1236(%[x])%{1to16%}, %%zmm26, %[a19]\n\t"
        "vaddps 196(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 228(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vaddps 260(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 292(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vaddps 324(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 356(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 20(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vaddps 388(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 420(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vaddps 452(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 484(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 84(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vaddps 516(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 548(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vaddps 580(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 612(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vaddps 644(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 676(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vfmadd231ps 148(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vaddps 708(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 740(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vaddps 772(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 804(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 212(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vaddps 836(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 868(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vaddps 900(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 932(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vaddps 964(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 996(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 276(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vaddps 1028(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 1060(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a16]\n\t"
        "vaddps 1092(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 1124(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a17]\n\t"
        "vfmadd231ps 340(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vaddps 1156(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 1188(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a18]\n\t"
        "vaddps 1220(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 1252(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a19]\n\t"
        "vmovups 128(%[w]), %%zmm22\n\t"
        "prefetcht1 128(%[w],%[ahead])\n\t"
        "vmovups 640(%[w]), %%zmm23\n\t"
        "prefetcht1 640(%[w],%[ahead])\n\t"
        "vaddps 8(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 40(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 404(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vaddps 72(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 104(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vaddps 136(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 168(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 468(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vaddps 200(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 232(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vaddps 264(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 296(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vaddps 328(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 360(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 532(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vaddps 392(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 424(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vaddps 456(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 488(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 596(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vaddps 520(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 552(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vaddps 584(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 616(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vaddps 648(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 680(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vmovups 384(%[w]), %%zmm27\n\t"
        "prefetcht1 384(%[w],%[ahead])\n\t"
        "vfmadd231ps 664(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vaddps 712(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 744(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vaddps 776(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 808(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 728(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vaddps 840(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 872(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vaddps 904(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 936(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vaddps 968(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1000(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 792(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vaddps 1032(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 1064(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a16]\n\t"
        "vaddps 1096(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1128(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a17]\n\t"
        "vfmadd231ps 856(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vaddps 1160(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 1192(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a18]\n\t"
        "vaddps 1224(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1256(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a19]\n\t"
        "vmovups 192(%[w]), %%zmm24\n\t"
        "prefetcht1 192(%[w],%[ahead])\n\t"
        "vmovups 704(%[w]), %%zmm25\n\t"
        "prefetcht1 704(%[w],%[ahead])\n\t"
        "vaddps 12(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 44(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 920(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vaddps 76(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 108(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vaddps 140(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 172(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 984(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "vaddps 204(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 236(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vaddps 268(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 300(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vaddps 332(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 364(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 1048(%[x])%{1to16%}, %%zmm27, %[a16]\n\t"
        "vaddps 396(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 428(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vaddps 460(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 492(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 1112(%[x])%{1to16%}, %%zmm27, %[a17]\n\t"
        "vaddps 524(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 556(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vaddps 588(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 620(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vaddps 652(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 684(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vfmadd231ps 1176(%[x])%{1to16%}, %%zmm27, %[a18]\n\t"
        "vaddps 716(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 748(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vaddps 780(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 812(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 1240(%[x])%{1to16%}, %%zmm27, %[a19]\n\t"
        "vaddps 844(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 876(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vaddps 908(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 940(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vaddps 972(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 1004(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 24(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vaddps 1036(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 1068(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a16]\n\t"
        "vaddps 1100(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 1132(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a17]\n\t"
        "vfmadd231ps 88(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vaddps 1164(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 1196(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a18]\n\t"
        "vaddps 1228(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 1260(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a19]\n\t"
        "vmovups 256(%[w]), %%zmm22\n\t"
        "prefetcht1 256(%[w],%[ahead])\n\t"
        "vmovups 768(%[w]), %%zmm23\n\t"
        "prefetcht1 768(%[w],%[ahead])\n\t"
        "vaddps 16(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 48(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 152(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vaddps 80(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 112(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vaddps 144(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 176(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 216(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vaddps 208(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 240(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vaddps 272(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 304(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vaddps 336(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 368(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 280(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vaddps 400(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 432(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vaddps 464(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 496(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 344(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vaddps 528(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 560(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vaddps 592(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 624(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vaddps 656(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 688(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vfmadd231ps 408(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vaddps 720(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 752(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vaddps 784(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 816(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 472(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vaddps 848(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 880(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vaddps 912(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 944(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vaddps 976(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1008(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 536(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vaddps 1040(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 1072(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a16]\n\t"
        "vaddps 1104(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1136(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a17]\n\t"
        "vfmadd231ps 600(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vaddps 1168(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 1200(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a18]\n\t"
        "vaddps 1232(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1264(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a19]\n\t"
        : [a0] "=&v"(a0_0_0), [a1] "=&v"(a0_0_1), [a2] "=&v"(a0_0_2), [a3] "=&v"(a0_0_3), [a4] "=&v"(a0_0_4), [a5] "=&v"(a0_0_5), [a6] "=&v"(a0_0_6), [a7] "=&v"(a0_0_7), [a8] "=&v"(a0_0_8), [a9] "=&v"(a0_0_9), [a10] "=&v"(a0_0_10), [a11] "=&v"(a0_0_11), [a12] "=&v"(a0_0_12), [a13] "=&v"(a0_0_13), [a14] "=&v"(a0_0_14), [a15] "=&v"(a0_0_15), [a16] "=&v"(a0_0_16), [a17] "=&v"(a0_0_17), [a18] "=&v"(a0_0_18), [a19] "=&v"(a0_0_19), [x] "+&r"(x), [w] "+&r"(w)
        : [e] "m"(*(const vf_unaligned *)panel), [beside] "r"(beside), [end] "r"(end), [ahead] "r"(bytes)
        : "memory", "cc", "zmm22", "zmm23", "zmm24", "zmm25", "zmm26", "zmm27", "zmm28", "zmm29", "zmm30", "zmm31");
    const vf d7 = vf_load(w + 7 * LANES), d13 = vf_load(w + 13 * LANES), d14 = vf_load(w + 14 * LANES), d15 = vf_load(w + 15 * LANES), factor = vf_load(panel + LANES);
    __builtin_prefetch(w + ahead + 7 * LANES, 0, 2); __builtin_prefetch(w + ahead + 13 * LANES, 0, 2); __builtin_prefetch(w + ahead + 14 * LANES, 0, 2); __builtin_prefetch(w + ahead + 15 * LANES, 0, 2);
    {
        a0_0_0 += d7 * x[0 * LANES + 7];
        a0_0_0 += d13 * x[0 * LANES + 13];
        a0_0_0 += d14 * x[0 * LANES + 14];
        a0_0_0 += d15 * x[0 * LANES + 15];
        a0_0_0 = a0_0_0 * (factor * scale[0]);
        const vf t0_0_0_0 = vf_max_quiet(vf_set(0.0f), a0_0_0);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 0 * LANES, t0_0_0_0);
    }
    {
        a0_0_1 += d7 * x[1 * LANES + 7];
        a0_0_1 += d13 * x[1 * LANES + 13];
        a0_0_1 += d14 * x[1 * LANES + 14];
        a0_0_1 += d15 * x[1 * LANES + 15];
        a0_0_1 = a0_0_1 * (factor * scale[1]);
        const vf t0_0_1_0 = vf_max_quiet(vf_set(0.0f), a0_0_1);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 1 * LANES, t0_0_1_0);
    }
    SOL_FENCE();
    {
        a0_0_2 += d7 * x[2 * LANES + 7];
        a0_0_2 += d13 * x[2 * LANES + 13];
        a0_0_2 += d14 * x[2 * LANES + 14];
        a0_0_2 += d15 * x[2 * LANES + 15];
        a0_0_2 = a0_0_2 * (factor * scale[2]);
        const vf t0_0_2_0 = vf_max_quiet(vf_set(0.0f), a0_0_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 2 * LANES, t0_0_2_0);
    }
    {
        a0_0_3 += d7 * x[3 * LANES + 7];
        a0_0_3 += d13 * x[3 * LANES + 13];
        a0_0_3 += d14 * x[3 * LANES + 14];
        a0_0_3 += d15 * x[3 * LANES + 15];
        a0_0_3 = a0_0_3 * (factor * scale[3]);
        const vf t0_0_3_0 = vf_max_quiet(vf_set(0.0f), a0_0_3);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 3 * LANES, t0_0_3_0);
    }
    SOL_FENCE();
    {
        a0_0_4 += d7 * x[4 * LANES + 7];
        a0_0_4 += d13 * x[4 * LANES + 13];
        a0_0_4 += d14 * x[4 * LANES + 14];
        a0_0_4 += d15 * x[4 * LANES + 15];
        a0_0_4 = a0_0_4 * (factor * scale[4]);
        const vf t0_0_4_0 = vf_max_quiet(vf_set(0.0f), a0_0_4);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 4 * LANES, t0_0_4_0);
    }
    {
        a0_0_5 += d7 * x[5 * LANES + 7];
        a0_0_5 += d13 * x[5 * LANES + 13];
        a0_0_5 += d14 * x[5 * LANES + 14];
        a0_0_5 += d15 * x[5 * LANES + 15];
        a0_0_5 = a0_0_5 * (factor * scale[5]);
        const vf t0_0_5_0 = vf_max_quiet(vf_set(0.0f), a0_0_5);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 5 * LANES, t0_0_5_0);
    }
    SOL_FENCE();
    {
        a0_0_6 += d7 * x[6 * LANES + 7];
        a0_0_6 += d13 * x[6 * LANES + 13];
        a0_0_6 += d14 * x[6 * LANES + 14];
        a0_0_6 += d15 * x[6 * LANES + 15];
        a0_0_6 = a0_0_6 * (factor * scale[6]);
        const vf t0_0_6_0 = vf_max_quiet(vf_set(0.0f), a0_0_6);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 6 * LANES, t0_0_6_0);
    }
    {
        a0_0_7 += d7 * x[7 * LANES + 7];
        a0_0_7 += d13 * x[7 * LANES + 13];
        a0_0_7 += d14 * x[7 * LANES + 14];
        a0_0_7 += d15 * x[7 * LANES + 15];
        a0_0_7 = a0_0_7 * (factor * scale[7]);
        const vf t0_0_7_0 = vf_max_quiet(vf_set(0.0f), a0_0_7);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 7 * LANES, t0_0_7_0);
    }
    SOL_FENCE();
    {
        a0_0_8 += d7 * x[8 * LANES + 7];
        a0_0_8 += d13 * x[8 * LANES + 13];
        a0_0_8 += d14 * x[8 * LANES + 14];
        a0_0_8 += d15 * x[8 * LANES + 15];
        a0_0_8 = a0_0_8 * (factor * scale[8]);
        const vf t0_0_8_0 = vf_max_quiet(vf_set(0.0f), a0_0_8);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 8 * LANES, t0_0_8_0);
    }
    {
        a0_0_9 += d7 * x[9 * LANES + 7];
        a0_0_9 += d13 * x[9 * LANES + 13];
        a0_0_9 += d14 * x[9 * LANES + 14];
        a0_0_9 += d15 * x[9 * LANES + 15];
        a0_0_9 = a0_0_9 * (factor * scale[9]);
        const vf t0_0_9_0 = vf_max_quiet(vf_set(0.0f), a0_0_9);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 9 * LANES, t0_0_9_0);
    }
    SOL_FENCE();
    {
        a0_0_10 += d7 * x[10 * LANES + 7];
        a0_0_10 += d13 * x[10 * LANES + 13];
        a0_0_10 += d14 * x[10 * LANES + 14];
        a0_0_10 += d15 * x[10 * LANES + 15];
        a0_0_10 = a0_0_10 * (factor * scale[10]);
        const vf t0_0_10_0 = vf_max_quiet(vf_set(0.0f), a0_0_10);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 10 * LANES, t0_0_10_0);
    }
    {
        a0_0_11 += d7 * x[11 * LANES + 7];
        a0_0_11 += d13 * x[11 * LANES + 13];
        a0_0_11 += d14 * x[11 * LANES + 14];
        a0_0_11 += d15 * x[11 * LANES + 15];
        a0_0_11 = a0_0_11 * (factor * scale[11]);
        const vf t0_0_11_0 = vf_max_quiet(vf_set(0.0f), a0_0_11);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 11 * LANES, t0_0_11_0);
    }
    SOL_FENCE();
    {
        a0_0_12 += d7 * x[12 * LANES + 7];
        a0_0_12 += d13 * x[12 * LANES + 13];
        a0_0_12 += d14 * x[12 * LANES + 14];
        a0_0_12 += d15 * x[12 * LANES + 15];
        a0_0_12 = a0_0_12 * (factor * scale[12]);
        const vf t0_0_12_0 = vf_max_quiet(vf_set(0.0f), a0_0_12);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 12 * LANES, t0_0_12_0);
    }
    {
        a0_0_13 += d7 * x[13 * LANES + 7];
        a0_0_13 += d13 * x[13 * LANES + 13];
        a0_0_13 += d14 * x[13 * LANES + 14];
        a0_0_13 += d15 * x[13 * LANES + 15];
        a0_0_13 = a0_0_13 * (factor * scale[13]);
        const vf t0_0_13_0 = vf_max_quiet(vf_set(0.0f), a0_0_13);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 13 * LANES, t0_0_13_0);
    }
    SOL_FENCE();
    {
        a0_0_14 += d7 * x[14 * LANES + 7];
        a0_0_14 += d13 * x[14 * LANES + 13];
        a0_0_14 += d14 * x[14 * LANES + 14];
        a0_0_14 += d15 * x[14 * LANES + 15];
        a0_0_14 = a0_0_14 * (factor * scale[14]);
        const vf t0_0_14_0 = vf_max_quiet(vf_set(0.0f), a0_0_14);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 14 * LANES, t0_0_14_0);
    }
    {
        a0_0_15 += d7 * x[15 * LANES + 7];
        a0_0_15 += d13 * x[15 * LANES + 13];
        a0_0_15 += d14 * x[15 * LANES + 14];
        a0_0_15 += d15 * x[15 * LANES + 15];
        a0_0_15 = a0_0_15 * (factor * scale[15]);
        const vf t0_0_15_0 = vf_max_quiet(vf_set(0.0f), a0_0_15);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 15 * LANES, t0_0_15_0);
    }
    SOL_FENCE();
    {
        a0_0_16 += d7 * x[16 * LANES + 7];
        a0_0_16 += d13 * x[16 * LANES + 13];
        a0_0_16 += d14 * x[16 * LANES + 14];
        a0_0_16 += d15 * x[16 * LANES + 15];
        a0_0_16 = a0_0_16 * (factor * scale[16]);
        const vf t0_0_16_0 = vf_max_quiet(vf_set(0.0f), a0_0_16);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 16 * LANES, t0_0_16_0);
    }
    {
        a0_0_17 += d7 * x[17 * LANES + 7];
        a0_0_17 += d13 * x[17 * LANES + 13];
        a0_0_17 += d14 * x[17 * LANES + 14];
        a0_0_17 += d15 * x[17 * LANES + 15];
        a0_0_17 = a0_0_17 * (factor * scale[17]);
        const vf t0_0_17_0 = vf_max_quiet(vf_set(0.0f), a0_0_17);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 17 * LANES, t0_0_17_0);
    }
    SOL_FENCE();
    {
        a0_0_18 += d7 * x[18 * LANES + 7];
        a0_0_18 += d13 * x[18 * LANES + 13];
        a0_0_18 += d14 * x[18 * LANES + 14];
        a0_0_18 += d15 * x[18 * LANES + 15];
        a0_0_18 = a0_0_18 * (factor * scale[18]);
        const vf t0_0_18_0 = vf_max_quiet(vf_set(0.0f), a0_0_18);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 18 * LANES, t0_0_18_0);
    }
    {
        a0_0_19 += d7 * x[19 * LANES + 7];
        a0_0_19 += d13 * x[19 * LANES + 13];
        a0_0_19 += d14 * x[19 * LANES + 14];
        a0_0_19 += d15 * x[19 * LANES + 15];
        a0_0_19 = a0_0_19 * (factor * scale[19]);
        const vf t0_0_19_0 = vf_max_quiet(vf_set(0.0f), a0_0_19);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 19 * LANES, t0_0_19_0);
    }
    SOL_FENCE();
}

/* LANES output channels of one tile. */
static __attribute__((noinline)) void tile_1x16(const conv *c, const float *x, const float *w, int64_t ahead, float *out)
{
    const float *const beside = x + c->steps * 16 * LANES, *const scale = beside + 1 * LANES;
    const float *const panel = w + c->steps * LANES * LANES;
    const float *const end = x + (c->steps - 1) * 16 * LANES;
    const int64_t bytes = 4 * ahead;
    if (c->claims)
        for (int64_t y = 0; y < 1; y++)
            for (int64_t x = 0; x < 16; x++) SOL_CLAIM(out + y * c->out_row + x * LANES);
    vf a0_0_0, a0_0_1, a0_0_2, a0_0_3, a0_0_4, a0_0_5, a0_0_6, a0_0_7, a0_0_8, a0_0_9, a0_0_10, a0_0_11, a0_0_12, a0_0_13, a0_0_14, a0_0_15;
    __asm__ volatile(
        "vpxord %%zmm23, %%zmm23, %%zmm23\n\t"
        "vsubps %[e], %%zmm23, %%zmm22\n\t"
        "vsubps 0(%[beside])%{1to16%}, %%zmm22, %[a0]\n\t"
        "vsubps 4(%[beside])%{1to16%}, %%zmm22, %[a1]\n\t"
        "vsubps 8(%[beside])%{1to16%}, %%zmm22, %[a2]\n\t"
        "vsubps 12(%[beside])%{1to16%}, %%zmm22, %[a3]\n\t"
        "vsubps 16(%[beside])%{1to16%}, %%zmm22, %[a4]\n\t"
        "vsubps 20(%[beside])%{1to16%}, %%zmm22, %[a5]\n\t"
        "vsubps 24(%[beside])%{1to16%}, %%zmm22, %[a6]\n\t"
        "vsubps 28(%[beside])%{1to16%}, %%zmm22, %[a7]\n\t"
        "vsubps 32(%[beside])%{1to16%}, %%zmm22, %[a8]\n\t"
        "vsubps 36(%[beside])%{1to16%}, %%zmm22, %[a9]\n\t"
        "vsubps 40(%[beside])%{1to16%}, %%zmm22, %[a10]\n\t"
        "vsubps 44(%[beside])%{1to16%}, %%zmm22, %[a11]\n\t"
        "vsubps 48(%[beside])%{1to16%}, %%zmm22, %[a12]\n\t"
        "vsubps 52(%[beside])%{1to16%}, %%zmm22, %[a13]\n\t"
        "vsubps 56(%[beside])%{1to16%}, %%zmm22, %[a14]\n\t"
        "vsubps 60(%[beside])%{1to16%}, %%zmm22, %[a15]\n\t"
        "cmp %[end], %[x]\n\t"
        "je 2f\n\t"
        ".p2align 5\n"
        "1:\n\t"
        "vmovups 0(%[w]), %%zmm22\n\t"
        "prefetcht1 0(%[w],%[ahead])\n\t"
        "vmovups 512(%[w]), %%zmm23\n\t"
        "prefetcht1 512(%[w],%[ahead])\n\t"
        "vaddps 0(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 32(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vmovups 320(%[w]), %%zmm26\n\t"
        "prefetcht1 320(%[w],%[ahead])\n\t"
        "vfmadd231ps 532(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 596(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vaddps 64(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 96(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 660(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vaddps 128(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 160(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 724(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vaddps 192(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 224(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 788(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vaddps 256(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 288(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 852(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vaddps 320(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 352(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 916(%[x])%{1to16%}, %%zmm26, %[a14]\n\t"
        "vfmadd231ps 980(%[x])%{1to16%}, %%zmm26, %[a15]\n\t"
        "vaddps 384(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 416(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
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
        "vfmadd231ps 340(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vaddps 704(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 736(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 404(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vaddps 768(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 800(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 468(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vaddps 832(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 864(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vmovups 384(%[w]), %%zmm27\n\t"
        "prefetcht1 384(%[w],%[ahead])\n\t"
        "vfmadd231ps 536(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vaddps 896(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 928(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vfmadd231ps 600(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vaddps 960(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 992(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 664(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 728(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vmovups 64(%[w]), %%zmm24\n\t"
        "prefetcht1 64(%[w],%[ahead])\n\t"
        "vmovups 576(%[w]), %%zmm25\n\t"
        "prefetcht1 576(%[w],%[ahead])\n\t"
        "vaddps 4(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 36(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 792(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vaddps 68(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 100(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 856(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vaddps 132(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 164(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 920(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vaddps 196(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 228(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 984(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "vaddps 260(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 292(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 24(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 88(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vaddps 324(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 356(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 152(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vaddps 388(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 420(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 216(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vaddps 452(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 484(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 280(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vaddps 516(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 548(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vfmadd231ps 344(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vaddps 580(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 612(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 408(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 472(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vaddps 644(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 676(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vmovups 448(%[w]), %%zmm26\n\t"
        "prefetcht1 448(%[w],%[ahead])\n\t"
        "vfmadd231ps 540(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vaddps 708(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 740(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 604(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vaddps 772(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 804(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 668(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vaddps 836(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 868(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 732(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vaddps 900(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 932(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vfmadd231ps 796(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vfmadd231ps 860(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vaddps 964(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 996(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 924(%[x])%{1to16%}, %%zmm26, %[a14]\n\t"
        "vmovups 128(%[w]), %%zmm22\n\t"
        "prefetcht1 128(%[w],%[ahead])\n\t"
        "vmovups 640(%[w]), %%zmm23\n\t"
        "prefetcht1 640(%[w],%[ahead])\n\t"
        "vaddps 8(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 40(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 988(%[x])%{1to16%}, %%zmm26, %[a15]\n\t"
        "vaddps 72(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 104(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 28(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vaddps 136(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 168(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 92(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vaddps 200(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 232(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 156(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 220(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vaddps 264(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 296(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 284(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vaddps 328(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 360(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 348(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vaddps 392(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 424(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 412(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vaddps 456(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 488(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 476(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vaddps 520(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 552(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vmovups 832(%[w]), %%zmm27\n\t"
        "prefetcht1 832(%[w],%[ahead])\n\t"
        "vfmadd231ps 564(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 628(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vaddps 584(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 616(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 692(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vaddps 648(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 680(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vfmadd231ps 756(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vaddps 712(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 744(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 820(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vaddps 776(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 808(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 884(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vaddps 840(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 872(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 948(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vfmadd231ps 1012(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "vaddps 904(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 936(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vfmadd231ps 52(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vaddps 968(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1000(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 116(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vmovups 192(%[w]), %%zmm24\n\t"
        "prefetcht1 192(%[w],%[ahead])\n\t"
        "vmovups 704(%[w]), %%zmm25\n\t"
        "prefetcht1 704(%[w],%[ahead])\n\t"
        "vaddps 12(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 44(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 180(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vaddps 76(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 108(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 244(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vaddps 140(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 172(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 308(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 372(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vaddps 204(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 236(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 436(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vaddps 268(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 300(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 500(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vaddps 332(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 364(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vmovups 896(%[w]), %%zmm26\n\t"
        "prefetcht1 896(%[w],%[ahead])\n\t"
        "vfmadd231ps 568(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vaddps 396(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 428(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 632(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vaddps 460(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 492(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 696(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 760(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vaddps 524(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 556(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vfmadd231ps 824(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vaddps 588(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 620(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 888(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vaddps 652(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 684(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vfmadd231ps 952(%[x])%{1to16%}, %%zmm26, %[a14]\n\t"
        "vaddps 716(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 748(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 1016(%[x])%{1to16%}, %%zmm26, %[a15]\n\t"
        "vaddps 780(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 812(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 56(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 120(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vaddps 844(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 876(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 184(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vaddps 908(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 940(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vfmadd231ps 248(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vaddps 972(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 1004(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
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
        "vfmadd231ps 504(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vaddps 144(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 176(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vmovups 960(%[w]), %%zmm27\n\t"
        "prefetcht1 960(%[w],%[ahead])\n\t"
        "vfmadd231ps 572(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vaddps 208(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 240(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 636(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vaddps 272(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 304(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 700(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vaddps 336(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 368(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 764(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vaddps 400(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 432(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 828(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vfmadd231ps 892(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vaddps 464(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 496(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 956(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vaddps 528(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 560(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vfmadd231ps 1020(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "vaddps 592(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 624(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 60(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vaddps 656(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 688(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vfmadd231ps 124(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vaddps 720(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 752(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 188(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 252(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vaddps 784(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 816(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 316(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vaddps 848(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 880(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 380(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vaddps 912(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 944(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vfmadd231ps 444(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vaddps 976(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1008(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 508(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "add $1024, %[w]\n\t"
        "add $1024, %[x]\n\t"
        "cmp %[end], %[x]\n\t"
        "jne 1b\n"
        "2:\n\t"
        "vmovups 0(%[w]), %%zmm22\n\t"
        "prefetcht1 0(%[w],%[ahead])\n\t"
        "vmovups 512(%[w]), %%zmm23\n\t"
        "prefetcht1 512(%[w],%[ahead])\n\t"
        "vaddps 0(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 32(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vmovups 320(%[w]), %%zmm26\n\t"
        "prefetcht1 320(%[w],%[ahead])\n\t"
        "vfmadd231ps 532(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vaddps 64(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 96(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vaddps 128(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 160(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 596(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vaddps 192(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 224(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vaddps 256(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 288(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vaddps 320(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 352(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 660(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vaddps 384(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 416(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vaddps 448(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 480(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 724(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vaddps 512(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 544(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vaddps 576(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 608(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vaddps 640(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 672(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vfmadd231ps 788(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vaddps 704(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 736(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vaddps 768(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 800(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 852(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vaddps 832(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 864(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vaddps 896(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 928(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vaddps 960(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 992(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 916(%[x])%{1to16%}, %%zmm26, %[a14]\n\t"
        "vmovups 64(%[w]), %%zmm24\n\t"
        "prefetcht1 64(%[w],%[ahead])\n\t"
        "vmovups 576(%[w]), %%zmm25\n\t"
        "prefetcht1 576(%[w],%[ahead])\n\t"
        "vaddps 4(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 36(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vaddps 68(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 100(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 980(%[x])%{1to16%}, %%zmm26, %[a15]\n\t"
        "vaddps 132(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 164(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vaddps 196(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 228(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vaddps 260(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 292(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 20(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vaddps 324(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 356(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vaddps 388(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 420(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 84(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vaddps 452(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 484(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vaddps 516(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 548(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vaddps 580(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 612(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 148(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vaddps 644(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 676(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vaddps 708(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 740(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 212(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vaddps 772(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 804(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vaddps 836(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 868(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vaddps 900(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 932(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vfmadd231ps 276(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vaddps 964(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 996(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vmovups 128(%[w]), %%zmm22\n\t"
        "prefetcht1 128(%[w],%[ahead])\n\t"
        "vmovups 640(%[w]), %%zmm23\n\t"
        "prefetcht1 640(%[w],%[ahead])\n\t"
        "vaddps 8(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 40(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 340(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vaddps 72(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 104(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vaddps 136(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 168(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vaddps 200(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 232(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 404(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vaddps 264(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 296(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vaddps 328(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 360(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 468(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vaddps 392(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 424(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vaddps 456(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 488(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vaddps 520(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 552(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vmovups 384(%[w]), %%zmm27\n\t"
        "prefetcht1 384(%[w],%[ahead])\n\t"
        "vfmadd231ps 536(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vaddps 584(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 616(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vaddps 648(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 680(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vfmadd231ps 600(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vaddps 712(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 744(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vaddps 776(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 808(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vaddps 840(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 872(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 664(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vaddps 904(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 936(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vaddps 968(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1000(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 728(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vmovups 192(%[w]), %%zmm24\n\t"
        "prefetcht1 192(%[w],%[ahead])\n\t"
        "vmovups 704(%[w]), %%zmm25\n\t"
        "prefetcht1 704(%[w],%[ahead])\n\t"
        "vaddps 12(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 44(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vaddps 76(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 108(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vaddps 140(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 172(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 792(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vaddps 204(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 236(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vaddps 268(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 300(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 856(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vaddps 332(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 364(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vaddps 396(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 428(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vaddps 460(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 492(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 920(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vaddps 524(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 556(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vaddps 588(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 620(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 984(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "vaddps 652(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 684(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vaddps 716(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 748(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vaddps 780(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 812(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 24(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vaddps 844(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 876(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vaddps 908(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 940(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vfmadd231ps 88(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vaddps 972(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 1004(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
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
        "vfmadd231ps 152(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vaddps 144(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 176(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vaddps 208(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 240(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 216(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vaddps 272(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 304(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vaddps 336(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 368(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vaddps 400(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 432(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 280(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vaddps 464(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 496(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vaddps 528(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 560(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vfmadd231ps 344(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vaddps 592(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 624(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vaddps 656(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 688(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vaddps 720(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 752(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 408(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vaddps 784(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 816(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vaddps 848(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 880(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 472(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vaddps 912(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 944(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vaddps 976(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1008(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        : [a0] "=&v"(a0_0_0), [a1] "=&v"(a0_0_1), [a2] "=&v"(a0_0_2), [a3] "=&v"(a0_0_3), [a4] "=&v"(a0_0_4), [a5] "=&v"(a0_0_5), [a6] "=&v"(a0_0_6), [a7] "=&v"(a0_0_7), [a8] "=&v"(a0_0_8), [a9] "=&v"(a0_0_9), [a10] "=&v"(a0_0_10), [a11] "=&v"(a0_0_11), [a12] "=&v"(a0_0_12), [a13] "=&v"(a0_0_13), [a14] "=&v"(a0_0_14), [a15] "=&v"(a0_0_15), [x] "+&r"(x), [w] "+&r"(w)
        : [e] "m"(*(const vf_unaligned *)panel), [beside] "r"(beside), [end] "r"(end), [ahead] "r"(bytes)
        : "memory", "cc", "zmm22", "zmm23", "zmm24", "zmm25", "zmm26", "zmm27", "zmm28", "zmm29", "zmm30", "zmm31");
    const vf d7 = vf_load(w + 7 * LANES), d13 = vf_load(w + 13 * LANES), d14 = vf_load(w + 14 * LANES), d15 = vf_load(w + 15 * LANES), factor = vf_load(panel + LANES);
    __builtin_prefetch(w + ahead + 7 * LANES, 0, 2); __builtin_prefetch(w + ahead + 13 * LANES, 0, 2); __builtin_prefetch(w + ahead + 14 * LANES, 0, 2); __builtin_prefetch(w + ahead + 15 * LANES, 0, 2);
    {
        a0_0_0 += d7 * x[0 * LANES + 7];
        a0_0_0 += d13 * x[0 * LANES + 13];
        a0_0_0 += d14 * x[0 * LANES + 14];
        a0_0_0 += d15 * x[0 * LANES + 15];
        a0_0_0 = a0_0_0 * (factor * scale[0]);
        const vf t0_0_0_0 = vf_max_quiet(vf_set(0.0f), a0_0_0);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 0 * LANES, t0_0_0_0);
    }
    {
        a0_0_1 += d7 * x[1 * LANES + 7];
        a0_0_1 += d13 * x[1 * LANES + 13];
        a0_0_1 += d14 * x[1 * LANES + 14];
        a0_0_1 += d15 * x[1 * LANES + 15];
        a0_0_1 = a0_0_1 * (factor * scale[1]);
        const vf t0_0_1_0 = vf_max_quiet(vf_set(0.0f), a0_0_1);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 1 * LANES, t0_0_1_0);
    }
    SOL_FENCE();
    {
        a0_0_2 += d7 * x[2 * LANES + 7];
        a0_0_2 += d13 * x[2 * LANES + 13];
        a0_0_2 += d14 * x[2 * LANES + 14];
        a0_0_2 += d15 * x[2 * LANES + 15];
        a0_0_2 = a0_0_2 * (factor * scale[2]);
        const vf t0_0_2_0 = vf_max_quiet(vf_set(0.0f), a0_0_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 2 * LANES, t0_0_2_0);
    }
    {
        a0_0_3 += d7 * x[3 * LANES + 7];
        a0_0_3 += d13 * x[3 * LANES + 13];
        a0_0_3 += d14 * x[3 * LANES + 14];
        a0_0_3 += d15 * x[3 * LANES + 15];
        a0_0_3 = a0_0_3 * (factor * scale[3]);
        const vf t0_0_3_0 = vf_max_quiet(vf_set(0.0f), a0_0_3);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 3 * LANES, t0_0_3_0);
    }
    SOL_FENCE();
    {
        a0_0_4 += d7 * x[4 * LANES + 7];
        a0_0_4 += d13 * x[4 * LANES + 13];
        a0_0_4 += d14 * x[4 * LANES + 14];
        a0_0_4 += d15 * x[4 * LANES + 15];
        a0_0_4 = a0_0_4 * (factor * scale[4]);
        const vf t0_0_4_0 = vf_max_quiet(vf_set(0.0f), a0_0_4);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 4 * LANES, t0_0_4_0);
    }
    {
        a0_0_5 += d7 * x[5 * LANES + 7];
        a0_0_5 += d13 * x[5 * LANES + 13];
        a0_0_5 += d14 * x[5 * LANES + 14];
        a0_0_5 += d15 * x[5 * LANES + 15];
        a0_0_5 = a0_0_5 * (factor * scale[5]);
        const vf t0_0_5_0 = vf_max_quiet(vf_set(0.0f), a0_0_5);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 5 * LANES, t0_0_5_0);
    }
    SOL_FENCE();
    {
        a0_0_6 += d7 * x[6 * LANES + 7];
        a0_0_6 += d13 * x[6 * LANES + 13];
        a0_0_6 += d14 * x[6 * LANES + 14];
        a0_0_6 += d15 * x[6 * LANES + 15];
        a0_0_6 = a0_0_6 * (factor * scale[6]);
        const vf t0_0_6_0 = vf_max_quiet(vf_set(0.0f), a0_0_6);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 6 * LANES, t0_0_6_0);
    }
    {
        a0_0_7 += d7 * x[7 * LANES + 7];
        a0_0_7 += d13 * x[7 * LANES + 13];
        a0_0_7 += d14 * x[7 * LANES + 14];
        a0_0_7 += d15 * x[7 * LANES + 15];
        a0_0_7 = a0_0_7 * (factor * scale[7]);
        const vf t0_0_7_0 = vf_max_quiet(vf_set(0.0f), a0_0_7);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 7 * LANES, t0_0_7_0);
    }
    SOL_FENCE();
    {
        a0_0_8 += d7 * x[8 * LANES + 7];
        a0_0_8 += d13 * x[8 * LANES + 13];
        a0_0_8 += d14 * x[8 * LANES + 14];
        a0_0_8 += d15 * x[8 * LANES + 15];
        a0_0_8 = a0_0_8 * (factor * scale[8]);
        const vf t0_0_8_0 = vf_max_quiet(vf_set(0.0f), a0_0_8);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 8 * LANES, t0_0_8_0);
    }
    {
        a0_0_9 += d7 * x[9 * LANES + 7];
        a0_0_9 += d13 * x[9 * LANES + 13];
        a0_0_9 += d14 * x[9 * LANES + 14];
        a0_0_9 += d15 * x[9 * LANES + 15];
        a0_0_9 = a0_0_9 * (factor * scale[9]);
        const vf t0_0_9_0 = vf_max_quiet(vf_set(0.0f), a0_0_9);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 9 * LANES, t0_0_9_0);
    }
    SOL_FENCE();
    {
        a0_0_10 += d7 * x[10 * LANES + 7];
        a0_0_10 += d13 * x[10 * LANES + 13];
        a0_0_10 += d14 * x[10 * LANES + 14];
        a0_0_10 += d15 * x[10 * LANES + 15];
        a0_0_10 = a0_0_10 * (factor * scale[10]);
        const vf t0_0_10_0 = vf_max_quiet(vf_set(0.0f), a0_0_10);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 10 * LANES, t0_0_10_0);
    }
    {
        a0_0_11 += d7 * x[11 * LANES + 7];
        a0_0_11 += d13 * x[11 * LANES + 13];
        a0_0_11 += d14 * x[11 * LANES + 14];
        a0_0_11 += d15 * x[11 * LANES + 15];
        a0_0_11 = a0_0_11 * (factor * scale[11]);
        const vf t0_0_11_0 = vf_max_quiet(vf_set(0.0f), a0_0_11);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 11 * LANES, t0_0_11_0);
    }
    SOL_FENCE();
    {
        a0_0_12 += d7 * x[12 * LANES + 7];
        a0_0_12 += d13 * x[12 * LANES + 13];
        a0_0_12 += d14 * x[12 * LANES + 14];
        a0_0_12 += d15 * x[12 * LANES + 15];
        a0_0_12 = a0_0_12 * (factor * scale[12]);
        const vf t0_0_12_0 = vf_max_quiet(vf_set(0.0f), a0_0_12);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 12 * LANES, t0_0_12_0);
    }
    {
        a0_0_13 += d7 * x[13 * LANES + 7];
        a0_0_13 += d13 * x[13 * LANES + 13];
        a0_0_13 += d14 * x[13 * LANES + 14];
        a0_0_13 += d15 * x[13 * LANES + 15];
        a0_0_13 = a0_0_13 * (factor * scale[13]);
        const vf t0_0_13_0 = vf_max_quiet(vf_set(0.0f), a0_0_13);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 13 * LANES, t0_0_13_0);
    }
    SOL_FENCE();
    {
        a0_0_14 += d7 * x[14 * LANES + 7];
        a0_0_14 += d13 * x[14 * LANES + 13];
        a0_0_14 += d14 * x[14 * LANES + 14];
        a0_0_14 += d15 * x[14 * LANES + 15];
        a0_0_14 = a0_0_14 * (factor * scale[14]);
        const vf t0_0_14_0 = vf_max_quiet(vf_set(0.0f), a0_0_14);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 14 * LANES, t0_0_14_0);
    }
    {
        a0_0_15 += d7 * x[15 * LANES + 7];
        a0_0_15 += d13 * x[15 * LANES + 13];
        a0_0_15 += d14 * x[15 * LANES + 14];
        a0_0_15 += d15 * x[15 * LANES + 15];
        a0_0_15 = a0_0_15 * (factor * scale[15]);
        const vf t0_0_15_0 = vf_max_quiet(vf_set(0.0f), a0_0_15);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 15 * LANES, t0_0_15_0);
    }
    SOL_FENCE();
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

#define IS_EDGE(c, p) (((p).x + 1) * 20 > (c)->OW)

/* Tiles t0 … t1 - 1, packed one behind the other. */
static void pack(const conv *c, int64_t t0, int64_t t1, float *packed)
{
    place p = place_of(c, t0);
    for (; t0 < t1; t0++, packed += c->packed, advance(c, &p)) {
        const float *in = c->in + p.n * c->in_n + p.y * 1 * c->in_row + p.x * 20 * LANES;
        if (IS_EDGE(c, p)) pack_tile(c, in, 1, 16, packed);
        else
        pack_tile(c, in, 1, 20, packed);
    }
}

/* One panel of tiles t0 … t1 - 1; packed: that of tile t0. */
static void multiply(const conv *c, int64_t kb, int64_t t0, int64_t t1, const float *packed)
{
    const int64_t panel = (c->steps * LANES + 2) * LANES;
    const float *w = c->w + kb * panel;
    place p = place_of(c, t0);
    for (int64_t t = t0; t < t1; t++, packed += c->packed, advance(c, &p)) {
        const int64_t ahead = t == t0 ? panel : 0; /* the next panel's weights are fetched by the first tile */
        float *out = c->out + kb * c->out_cb + p.n * c->out_n + p.y * 1 * c->out_row + p.x * 20 * LANES;
        if (IS_EDGE(c, p)) tile_1x16(c, packed, w, ahead, out);
        else
        tile_1x20(c, packed, w, ahead, out);
    }
}

void conv_paired(const sol_team *team, void *const *buf, const int64_t *arg)
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
    const int64_t in_blocks = arg[6];
    const int64_t R = arg[7];
    const int64_t S = arg[8];
    const int64_t in_n = arg[9];
    const int64_t in_cb = arg[10];
    const int64_t in_row = arg[11];
    const int64_t in_r = arg[12];
    const int64_t in_s = arg[13];
    const int64_t in_start = arg[14];
    const int64_t out_n = arg[15];
    const int64_t out_cb = arg[16];
    const int64_t out_row = arg[17];
    const int64_t packed_size = arg[18];
    (void)team; (void)buf; (void)arg;
    const int64_t rows = (OH + 0) / 1, columns = (OW + 19) / 20, tiles = N * rows * columns;
    const int by_panels = !by_tiles && team->size > 1;
    const conv c = {
        .in = in + in_start, .w = w, .factors = factors, .out = out,
.in_blocks = in_blocks, .R = R, .S = S, .in_n = in_n, .in_cb = in_cb, .in_row = in_row, .in_r = in_r, .in_s = in_s, .steps = in_blocks * R * S,
        .out_n = out_n, .out_cb = out_cb, .out_row = out_row,
        .rows = rows, .columns = columns, .OH = OH, .OW = OW, .packed = packed_size, .claims = by_panels,
    };
    float *packed = (float *)team->scratch;
    int64_t u0, u1, first = 0, last = tiles;
    if (tiles == 0) return;
    if (by_panels && team->size > 4) {
        packed = (float *)team->common;
        sol_split(team, tiles, &u0, &u1);
        pack(&c, u0, u1, packed + u0 * packed_size);
        sol_barrier(team);
        sol_split(team, vectors * tiles, &u0, &u1);
        for (int64_t t0, t1; u0 < u1; u0 += t1 - t0) {
            t0 = u0 % tiles, t1 = u1 - u0 < tiles - t0 ? t0 + u1 - u0 : tiles;
            multiply(&c, u0 / tiles, t0, t1, packed + t0 * packed_size);
        }
        return;
    }
    /* This thread's (panel, tile) pairs: u0 … u1 - 1 of those of tiles first … last - 1. */
    if (by_panels) {
        sol_split(team, vectors * tiles, &u0, &u1);
    } else {
        sol_split(team, tiles, &first, &last);
        u0 = 0, u1 = vectors * tiles;
    }
    for (int64_t b0 = first, b1; b0 < last; b0 = b1) {
        b1 = last - b0 < block ? last : b0 + block;
        pack(&c, b0, b1, packed);
        for (int64_t kb = u0 / tiles; kb * tiles < u1; kb++) {
            const int64_t t0 = u0 - kb * tiles > b0 ? u0 - kb * tiles : b0, t1 = u1 - kb * tiles < b1 ? u1 - kb * tiles : b1;
            if (t0 < t1) multiply(&c, kb, t0, t1, packed + (t0 - b0) * packed_size);
        }
    }
}
