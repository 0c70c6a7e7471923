/* Grouped convolution by Winograd's inner product, NCHWc -> NCHWc, then relu. Groups are whole vectors.
 *
 *   band: rows of tiles of one image
 *     group
 *       pack: input of the band [channel block][row][pixel][LANES], scaled; what its pixels subtract, added up over the taps of each output
 *       panel of LANES output channels             its weights stay in the cache
 *         tile: reduction in registers, epilogue       read from the packed band where the taps are
 * Threads share out the bands, or the (group, band) pairs. All pixels of a band have one scale: the results do not depend on the team.
 *
 * Register tile: 1 rows x 14 pixels.
 * w: [panel][input block][r][s][channel][LANES], then what its channels subtract, what undoes their scaling, and the share to be paired. */
#include "sol_team.h"
#include "sol_simd.h"
#include "sol_pack.h"

enum { SCALES = 2 * LANES }; /* floats behind a packed band: for each pixel of a tile what undoes its scaling, then its share */
typedef struct conv {
    const float *in;
    const float *w;
    const float *factors;
    float *out;
    int64_t N, OH, OW, groups, group_vectors, band, by_bands, stride_y, dilation_y, dilation_x, partial_size, in_n, in_cb, in_start, in_row, in_blocks;
    int64_t R, S, out_n, out_cb, out_row, steps, rows, columns, claims, pixels, packed_block;
    int64_t *jumps; /* bytes in the packed band from each step to the next one */
    float *partial; /* what each pixel subtracts, before that is added up over the taps of an output */
    /* factors: of input channels, with the signs of pairs; steps: taps of all channel blocks; pixels: of a packed row;
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

/* The root of the mean square of ``rows`` of so many pixels of all channel blocks, multiplied by factors; infinities left out. */
static __attribute__((noinline)) float pair_root(const float *in, int64_t in_row, int64_t in_cb, int64_t rows, int64_t pixels, int64_t blocks, const float *factors)
{
    const float count = (float)(rows * pixels * blocks * LANES);
    const vi finite = vi_set(0x7f800000);
    vf total = vf_zero();
    float mean = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t block = 0; block < blocks; block++)
            for (int64_t y = 0; y < rows; y++)
                for (int64_t x = 0; x < pixels; x++) {
                    const vi v = (vi)(vf_load(in + block * in_cb + y * in_row + x * LANES) * vf_load(factors + block * LANES)) & 0x7fffffff;
                    const vf kept = (vf)(v & (v < finite)), r = kept / mean;
                    if (pass) total += r * r;
                    else total += kept;
                }
        if (pass) break;
        mean = vf_sum(total) / count;
        if (!(mean > 0 && mean < INFINITY)) return mean;
        total = vf_zero();
    }
    total = vf_sqrt(vf_set(vf_sum(total) / count));
    return mean * total[0];
}

/* The mean magnitude and the mean square of the input, infinities left out. */
SOL_INLINE void means(const conv *c, const float *in, const float *factors, int64_t rows, int64_t pixels, float *mean, float *square)
{
    const float part = 1.0f / (float)(rows * ((pixels + 3) / 4 * 4) * c->in_blocks * LANES);
    const vi finite = vi_set(0x7f800000);
    vf sum = vf_zero(), squares = vf_zero();
    for (int64_t block = 0; block < c->in_blocks; block++) {
        const vf factor = vf_abs(vf_load(factors + block * LANES));
        vf m[4] = {0}, q[4] = {0};
        for (int64_t y = 0; y < rows; y++) {
            const float *i = in + block * c->in_cb + y * c->in_row;
            for (int64_t x = 0; x < pixels; x += 4, i += 4 * LANES) {
                const int64_t last = pixels - x - 1;
#pragma GCC unroll 4
                for (int p = 0; p < 4; p++) {
                    const vi v = (vi)vf_load(i + (p < last ? p : last) * LANES) & 0x7fffffff;
                    const vf kept = (vf)(v & (v < finite));
                    m[p] += kept, q[p] += kept * kept;
                }
            }
        }
        sum += (m[0] + m[1] + (m[2] + m[3])) * factor;
        squares += (q[0] + q[1] + (q[2] + q[3])) * (factor * factor);
    }
    *mean = vf_sum(sum) * part, *square = vf_sum(squares) * part;
}

/* A power of two that scales the input by the root of its mean square, and what undoes it; the input's share. */
static __attribute__((noinline)) float magnitude(const conv *c, const float *in, const float *factors, int64_t rows, int64_t pixels, float *undo, float *share)
{
    float mean, square;
    means(c, in, factors, rows, pixels, &mean, &square);
    const vf size = square > 1e-30f && square < 1e30f ? vf_sqrt(vf_set(square)) : vf_set(pair_root(in, c->in_row, c->in_cb, rows, pixels, c->in_blocks, factors));
    vf back;
    const vf scale = pair_scale(size, &back);
    mean /= size[0];
    *undo = back[0], *share = mean * mean;
    return scale[0];
}

/* ``count`` <= LANES pixels of all channel blocks, scaled; what each subtracts. */
SOL_INLINE vf pack_pixels(const conv *c, const float *in, const float *factors, float *o, int count, float scale)
{
    vf r[LANES / 2] = {0};
    for (int64_t block = 0; block < c->in_blocks; block++, in += c->in_cb, o += c->packed_block) {
        const vf sign = vf_load(factors + block * LANES) * scale;
#pragma GCC unroll 8
        for (int p = 0; p < LANES / 2; p++) {
            vf low = vf_zero(), high = vf_zero();
            if (p < count) vf_store(o + p * LANES, low = vf_load(in + p * LANES) * sign);
            if (p + LANES / 2 < count) vf_store(o + (p + LANES / 2) * LANES, high = vf_load(in + (p + LANES / 2) * LANES) * sign);
            vf first, second;
            vf_zip(low, high, &first, &second); /* lanes of the two pixels in turn, the first half of them beside the second */
            r[p] += first * second;
        }
    }
    vf pairs, others;
    vf_zip(vf_load(pair_firsts), vf_load(pair_firsts), &pairs, &others);
#pragma GCC unroll 8
    for (int p = 0; p < LANES / 2; p++) r[p] *= pairs;
    return pair_halves(r);
}

/* A run of pixels. */
static __attribute__((noinline)) void pack_run(const conv *c, const float *in, const float *factors, float *o, int64_t pixels, float scale, float *partial)
{
    for (int64_t p = 0, at; pixels >= LANES && p < pixels; p += LANES) {
        at = p < pixels - LANES ? p : pixels - LANES; /* some once more */
        vf_store(partial + at, pack_pixels(c, in + at * LANES, factors, o + at * LANES, LANES, scale));
    }
    if (pixels >= LANES) return;
    const vf sums = pack_pixels(c, in, factors, o, (int)pixels, scale);
    for (int64_t i = 0; i < pixels; i++) partial[i] = sums[i];
}

/* LANES output channels of one tile. beside: what its pixels subtract; scale: what undoes their scaling, and their share. */
static __attribute__((noinline)) void tile_1x1x14(const conv *c, const float *x, const float *beside, const float *scale, const float *w, int64_t ahead, float *out)
{
    const int64_t *jump = c->jumps, *const end = jump + c->steps - 1;
    const float *const panel = w + c->steps * LANES * LANES;
    const int64_t bytes = 4 * ahead, plain = !(scale[1 * LANES] >= panel[2 * LANES]);
    if (c->claims)
        for (int64_t y = 0; y < 1; y++)
            for (int64_t x = 0; x < 14; x++) SOL_CLAIM(out + y * c->out_row + x * LANES); 
    vf a0_0_0, a0_0_1, a0_0_2, a0_0_3, a0_0_4, a0_0_5, a0_0_6, a0_0_7, a0_0_8, a0_0_9, a0_0_10, a0_0_11, a0_0_12, a0_0_13;
    float held[14 * LANES];
    const int64_t *const whole = jump + 4;
    if (end > whole)
        for (int i = 0; i < 14; i++) vf_store(held + i * LANES, vf_zero());
    const int64_t k[] = {(int64_t)beside, (int64_t)held, plain, (int64_t)panel, (int64_t)end};
    __asm__ volatile(
        "cmpq $0, 16(%[k])\n\t"
        "jne 5f\n\t"
        "mov 24(%[k]), %%rax\n\t"
        "vpxord %%zmm23, %%zmm23, %%zmm23\n\t"
        "vsubps (%%rax), %%zmm23, %%zmm22\n\t"
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
        "vsubps 52(%%rax)%{1to16%}, %%zmm22, %[a13]\n\t"
        "cmp 32(%[k]), %[jump]\n\t"
        "je 3f\n"
        "1:\n\t"
        "mov %[jump], %%rax\n\t"
        "add $32, %%rax\n\t"
        "cmp 32(%[k]), %%rax\n\t"
        "cmova 32(%[k]), %%rax\n\t"
        ".p2align 5\n"
        "2:\n\t"
        "vmovups 0(%[w]), %%zmm22\n\t"
        "prefetcht1 0(%[w],%[ahead])\n\t"
        "vmovups 512(%[w]), %%zmm23\n\t"
        "prefetcht1 512(%[w],%[ahead])\n\t"
        "vmovups 320(%[w]), %%zmm26\n\t"
        "prefetcht1 320(%[w],%[ahead])\n\t"
        "vfmadd231ps 20(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 84(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vaddps 0(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 32(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 148(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 212(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vaddps 64(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 96(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 276(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 340(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vaddps 128(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 160(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 404(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 468(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vaddps 192(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 224(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 532(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 596(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vaddps 256(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 288(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 660(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 724(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vaddps 320(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 352(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 788(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vfmadd231ps 852(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
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
        "vaddps 832(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 864(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 408(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vmovups 64(%[w]), %%zmm24\n\t"
        "prefetcht1 64(%[w],%[ahead])\n\t"
        "vmovups 576(%[w]), %%zmm25\n\t"
        "prefetcht1 576(%[w],%[ahead])\n\t"
        "vaddps 4(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 36(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 472(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vaddps 68(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 100(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 536(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vaddps 132(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 164(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 600(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vaddps 196(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 228(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 664(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vaddps 260(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 292(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 728(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vaddps 324(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 356(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 792(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vaddps 388(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 420(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 856(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vaddps 452(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 484(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vmovups 448(%[w]), %%zmm26\n\t"
        "prefetcht1 448(%[w],%[ahead])\n\t"
        "vfmadd231ps 28(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vaddps 516(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 548(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vfmadd231ps 92(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vaddps 580(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 612(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 156(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vaddps 644(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 676(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vfmadd231ps 220(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vaddps 708(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 740(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 284(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vaddps 772(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 804(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 348(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vaddps 836(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 868(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 412(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vmovups 128(%[w]), %%zmm22\n\t"
        "prefetcht1 128(%[w],%[ahead])\n\t"
        "vmovups 640(%[w]), %%zmm23\n\t"
        "prefetcht1 640(%[w],%[ahead])\n\t"
        "vaddps 8(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 40(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 476(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vaddps 72(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 104(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 540(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vaddps 136(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 168(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 604(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vaddps 200(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 232(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 668(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vaddps 264(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 296(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 732(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vaddps 328(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 360(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 796(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vaddps 392(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 424(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 860(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
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
        "vaddps 840(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 872(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 436(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vmovups 192(%[w]), %%zmm24\n\t"
        "prefetcht1 192(%[w],%[ahead])\n\t"
        "vmovups 704(%[w]), %%zmm25\n\t"
        "prefetcht1 704(%[w],%[ahead])\n\t"
        "vaddps 12(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 44(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 500(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vaddps 76(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 108(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 564(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vaddps 140(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 172(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 628(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vaddps 204(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 236(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 692(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vaddps 268(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 300(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 756(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vaddps 332(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 364(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 820(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vaddps 396(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 428(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 884(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vaddps 460(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 492(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vmovups 896(%[w]), %%zmm26\n\t"
        "prefetcht1 896(%[w],%[ahead])\n\t"
        "vfmadd231ps 56(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vaddps 524(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 556(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vfmadd231ps 120(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vaddps 588(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 620(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 184(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vaddps 652(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 684(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vfmadd231ps 248(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vaddps 716(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 748(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 312(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vaddps 780(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 812(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 376(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vaddps 844(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 876(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 440(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vmovups 256(%[w]), %%zmm22\n\t"
        "prefetcht1 256(%[w],%[ahead])\n\t"
        "vmovups 768(%[w]), %%zmm23\n\t"
        "prefetcht1 768(%[w],%[ahead])\n\t"
        "vaddps 16(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 48(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
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
        "vfmadd231ps 696(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vaddps 272(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 304(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 760(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vaddps 336(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 368(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 824(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vaddps 400(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 432(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 888(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
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
        "vaddps 848(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 880(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 444(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 508(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 572(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 636(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 700(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 764(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 828(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vfmadd231ps 892(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "add $1024, %[w]\n\t"
        "add (%[jump]), %[x]\n\t"
        "add $8, %[jump]\n\t"
        "cmp %%rax, %[jump]\n\t"
        "jne 2b\n\t"
        "cmp 32(%[k]), %[jump]\n\t"
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
        "vaddps 832(%%rax), %[a13], %%zmm22\n\t"
        "vmovups %%zmm22, 832(%%rax)\n\t"
        "vpxord %[a13], %[a13], %[a13]\n\t"
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
        "vaddps 832(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 864(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 404(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vmovups 64(%[w]), %%zmm24\n\t"
        "prefetcht1 64(%[w],%[ahead])\n\t"
        "vmovups 576(%[w]), %%zmm25\n\t"
        "prefetcht1 576(%[w],%[ahead])\n\t"
        "vaddps 4(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 36(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 468(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vaddps 68(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 100(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 532(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vaddps 132(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 164(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 596(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vaddps 196(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 228(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 660(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vaddps 260(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 292(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 724(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vaddps 324(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 356(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 788(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vaddps 388(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 420(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 852(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vaddps 452(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 484(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vmovups 384(%[w]), %%zmm27\n\t"
        "prefetcht1 384(%[w],%[ahead])\n\t"
        "vfmadd231ps 24(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vaddps 516(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 548(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vfmadd231ps 88(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vaddps 580(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 612(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 152(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vaddps 644(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 676(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vfmadd231ps 216(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vaddps 708(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 740(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 280(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vaddps 772(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 804(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 344(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vaddps 836(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 868(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 408(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vmovups 128(%[w]), %%zmm22\n\t"
        "prefetcht1 128(%[w],%[ahead])\n\t"
        "vmovups 640(%[w]), %%zmm23\n\t"
        "prefetcht1 640(%[w],%[ahead])\n\t"
        "vaddps 8(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 40(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 472(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vaddps 72(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 104(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 536(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vaddps 136(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 168(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 600(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vaddps 200(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 232(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 664(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vaddps 264(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 296(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 728(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vaddps 328(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 360(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 792(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vaddps 392(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 424(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 856(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
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
        "vaddps 840(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 872(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
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
        "vaddps 204(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 236(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vaddps 268(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 300(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vaddps 332(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 364(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vaddps 396(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 428(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vaddps 460(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 492(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vaddps 524(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 556(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vaddps 588(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 620(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vaddps 652(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 684(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vaddps 716(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 748(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vaddps 780(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 812(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vaddps 844(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 876(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
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
        "vaddps 848(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 880(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
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
        "vpxord %[a13], %[a13], %[a13]\n\t"
        "cmp 32(%[k]), %[jump]\n\t"
        "je 8f\n"
        "6:\n\t"
        "mov %[jump], %%rax\n\t"
        "add $32, %%rax\n\t"
        "cmp 32(%[k]), %%rax\n\t"
        "cmova 32(%[k]), %%rax\n\t"
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
        "vfmadd231ps 832(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
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
        "vfmadd231ps 836(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
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
        "vfmadd231ps 840(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
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
        "vfmadd231ps 844(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
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
        "vfmadd231ps 848(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
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
        "vfmadd231ps 852(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
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
        "vfmadd231ps 856(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
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
        "vfmadd231ps 860(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
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
        "vfmadd231ps 864(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
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
        "vfmadd231ps 868(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
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
        "vfmadd231ps 872(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
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
        "vfmadd231ps 876(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
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
        "vfmadd231ps 880(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
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
        "vfmadd231ps 884(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
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
        "vfmadd231ps 888(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
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
        "vfmadd231ps 892(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "add $1024, %[w]\n\t"
        "add (%[jump]), %[x]\n\t"
        "add $8, %[jump]\n\t"
        "cmp %%rax, %[jump]\n\t"
        "jne 7b\n\t"
        "cmp 32(%[k]), %[jump]\n\t"
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
        "vaddps 832(%%rax), %[a13], %%zmm22\n\t"
        "vmovups %%zmm22, 832(%%rax)\n\t"
        "vpxord %[a13], %[a13], %[a13]\n\t"
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
        "vfmadd231ps 832(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
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
        "vfmadd231ps 836(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
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
        "vfmadd231ps 840(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
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
        "vfmadd231ps 844(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
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
        "vfmadd231ps 848(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
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
        "vfmadd231ps 852(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
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
        "vfmadd231ps 856(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
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
        "vfmadd231ps 864(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
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
        "vfmadd231ps 868(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
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
        "vfmadd231ps 872(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
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
        "vfmadd231ps 876(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
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
        "vfmadd231ps 880(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "9:\n\t"
        : [a0] "=&v"(a0_0_0), [a1] "=&v"(a0_0_1), [a2] "=&v"(a0_0_2), [a3] "=&v"(a0_0_3), [a4] "=&v"(a0_0_4), [a5] "=&v"(a0_0_5), [a6] "=&v"(a0_0_6), [a7] "=&v"(a0_0_7), [a8] "=&v"(a0_0_8), [a9] "=&v"(a0_0_9), [a10] "=&v"(a0_0_10), [a11] "=&v"(a0_0_11), [a12] "=&v"(a0_0_12), [a13] "=&v"(a0_0_13), [x] "+&r"(x), [w] "+&r"(w), [jump] "+&r"(jump)
        : [k] "r"(k), [ahead] "r"(bytes)
        : "memory", "cc", "rax", "zmm22", "zmm23", "zmm24", "zmm25", "zmm26", "zmm27", "zmm28", "zmm29", "zmm30", "zmm31");
    if (end > whole) {
        a0_0_0 += vf_load(held + 0 * LANES);
        a0_0_1 += vf_load(held + 1 * LANES);
        a0_0_2 += vf_load(held + 2 * LANES);
        a0_0_3 += vf_load(held + 3 * LANES);
        a0_0_4 += vf_load(held + 4 * LANES);
        a0_0_5 += vf_load(held + 5 * LANES);
        a0_0_6 += vf_load(held + 6 * LANES);
        a0_0_7 += vf_load(held + 7 * LANES);
        a0_0_8 += vf_load(held + 8 * LANES);
        a0_0_9 += vf_load(held + 9 * LANES);
        a0_0_10 += vf_load(held + 10 * LANES);
        a0_0_11 += vf_load(held + 11 * LANES);
        a0_0_12 += vf_load(held + 12 * LANES);
        a0_0_13 += vf_load(held + 13 * LANES);
    }
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


/* Packs what tiles t0 … t1 - 1, whole rows of one image, read of group g; behind it what undoes its scaling, its share, and what each output subtracts. */
static void pack(const conv *c, int64_t g, int64_t t0, int64_t t1, float *packed)
{
    const place p = place_of(c, t0);
    const int64_t top = p.y * 1, most = (t1 - t0) / c->columns * 1, height = c->OH - top < most ? c->OH - top : most;
    const int64_t rows = (height - 1) * c->stride_y + (c->R - 1) * c->dilation_y + 1;
    const int one = c->in_row == c->pixels * LANES; /* do the rows lie one behind the other? */
    const int64_t runs = one ? 1 : rows, length = one ? rows * c->pixels : c->pixels;
    const float *const in = c->in + p.n * c->in_n + g * c->in_blocks * c->in_cb + top * c->stride_y * c->in_row, *const factors = c->factors + g * c->in_blocks * LANES;
    float *const scales = packed + c->in_blocks * c->packed_block, *beside = scales + SCALES, undo;
    const float scale = magnitude(c, in, factors, runs, length, &undo, scales + SCALES - LANES);
    for (int64_t i = 0; i < SCALES - LANES; i += LANES) vf_store(scales + i, vf_set(undo));
    for (int64_t y = 0; y < runs; y++) pack_run(c, in + y * c->in_row, factors, packed + y * length * LANES, length, scale, c->partial + y * length);
    for (int64_t y = 0; y < height; y++, beside += c->OW)
        for (int64_t x = 0; x < c->OW; x += LANES) {
            vf sum = vf_zero();
            for (int64_t r = 0; r < c->R; r++) {
                const float *from = c->partial + (y * c->stride_y + r * c->dilation_y) * c->pixels + x * 1;
                for (int64_t s = 0; s < c->S; s++, from += c->dilation_x)
                    sum += vf_load(from);
            }
            vf_store(beside + x, sum);
        }
}

/* A panel of one vector: tiles t0 … t1 - 1; packed: that of tile t0. */
static void multiply(const conv *c, int64_t kb, int64_t t0, int64_t t1, const float *packed)
{
    const int64_t panel = (c->steps * LANES + 3) * LANES;
    const float *w = c->w + kb * panel;
    place p = place_of(c, t0);
    const int64_t first = p.y;
    const float *const scale = packed + c->in_blocks * c->packed_block, *const besides = scale + SCALES;
    for (int64_t t = t0; t < t1; t++, advance(c, &p)) {
        const int64_t ahead = t == t0 ? panel : 0; /* the next panel's weights are fetched by the first tile */
        const int64_t y = (p.y - first) * 1, x = p.x * 14;
        const float *const i = packed + (y * c->stride_y * c->pixels + x * 1) * LANES, *const beside = besides + y * c->OW + x;
        float *out = c->out + kb * c->out_cb + p.n * c->out_n + p.y * 1 * c->out_row + p.x * 14 * LANES;
        tile_1x1x14(c, i, beside, scale, w, ahead, out);
    }
}


void conv_inner_product_grouped(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    const float *w = buf[1];
    const float *factors = buf[2];
    float *out = buf[3];
    const int64_t N = arg[0];
    const int64_t OH = arg[1];
    const int64_t OW = arg[2];
    const int64_t groups = arg[3];
    const int64_t group_vectors = arg[4];
    const int64_t band = arg[5];
    const int64_t by_bands = arg[6];
    const int64_t stride_y = arg[7];
    const int64_t dilation_y = arg[8];
    const int64_t dilation_x = arg[9];
    const int64_t partial_size = arg[10];
    const int64_t in_n = arg[11];
    const int64_t in_cb = arg[12];
    const int64_t in_start = arg[13];
    const int64_t in_row = arg[14];
    const int64_t in_blocks = arg[15];
    const int64_t R = arg[16];
    const int64_t S = arg[17];
    const int64_t out_n = arg[18];
    const int64_t out_cb = arg[19];
    const int64_t out_row = arg[20];
    (void)team; (void)buf; (void)arg;
const int64_t rows = (OH + 0) / 1, columns = (OW + 13) / 14, tiles = N * rows * columns, steps = in_blocks * R * S;
    if (tiles == 0) return;
    const int64_t image = (OH + band - 1) / band, bands = N * image, most = (bands + team->size - 1) / team->size * team->size;
    const int alike = by_bands && (most - bands) * 16 <= bands; /* are shares of bands about equally large? */
    const int64_t pixels = (OW - 1) * 1 + (S - 1) * dilation_x + 1, lines = (band - 1) * stride_y + (R - 1) * dilation_y + 1, packed_block = lines * pixels * LANES;
    int64_t *const jumps = (int64_t *)team->scratch;
    float *const packed = (float *)(jumps + (steps + 7) / 8 * 8), *const partial = packed + in_blocks * packed_block + SCALES + band * OW + LANES;
    const int64_t tap = dilation_x, row = dilation_y * pixels - (S - 1) * tap, block = lines * pixels - (R - 1) * (row + (S - 1) * tap) - (S - 1) * tap;
    for (int64_t i = 1; i < steps; i++) jumps[i - 1] = 4 * LANES * (i % S ? tap : i % (R * S) ? row : block);
    const int64_t claims = !alike && team->size > 1;
    const conv c = {
        .in = in + in_start, .w = w, .factors = factors, .out = out, .N = N, .OH = OH, .OW = OW, .groups = groups,
        .group_vectors = group_vectors, .band = band, .by_bands = by_bands, .stride_y = stride_y, .dilation_y = dilation_y, .dilation_x = dilation_x, .partial_size = partial_size, .in_n = in_n,
        .in_cb = in_cb, .in_start = in_start, .in_row = in_row, .in_blocks = in_blocks, .R = R, .S = S, .out_n = out_n, .out_cb = out_cb,
        .out_row = out_row, .steps = steps, .rows = rows, .columns = columns, .claims = claims, .pixels = pixels, .packed_block = packed_block,
        .jumps = jumps, .partial = partial,
    };
    int64_t u0, u1;
    sol_split(team, alike ? bands : groups * bands, &u0, &u1);
    /* This thread's bands of each group, or its (group, band) pairs. */
    const int64_t first = alike ? u0 : 0, mine = alike ? u1 - u0 : bands, end = alike ? groups * mine : u1;
    for (int64_t u = alike ? 0 : u0; u < end; u++) {
        const int64_t g = u / mine, b = first + u % mine, y = b % image * (band / 1);
        const int64_t t0 = (b / image * rows + y) * columns, t1 = t0 + (rows - y < band / 1 ? rows - y : band / 1) * columns;
        pack(&c, g, t0, t1, packed);
        for (int64_t kb = g * group_vectors; kb < (g + 1) * group_vectors; kb += 1) multiply(&c, kb, t0, t1, packed);
    }
}
