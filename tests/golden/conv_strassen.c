/* Convolution by Strassen's algorithm, NCHWc -> NCHWc, then relu.
 *
 * The product out = w * in has two halves along pixels, input channels and output channels each. 7 products of sums of halves give
 * what 8 products of halves would. Parts are halves of both dimensions of a tensor.
 *
 *   block of this thread's tile groups           group = the tiles at one place of both halves of the pixels: neighbours, where sizes allow
 *     sums of input parts, in scratch, scaled: input channels by powers of two that weights are divided by, parts to the same size
 *     panel                                      panel = 2 output vectors of every output part, neighbours
 *       product                                  its weights stay in the cache
 *         group: reduction in registers; add to the parts held in scratch;
 *                what is complete goes through the tail; both pixel by pixel, while the last input channels of others are multiplied
 * Where groups are few, threads share out the (panel, group) pairs; a few threads each make the sums for themselves, a larger team makes
 * them together in its common memory, then waits.
 *
 * Register tile: 2 output vectors x 1 rows x 14 pixels.
 * w: [panel][product][input block][r][s][channel][2 * LANES], sums of weight parts. */
#include "sol_team.h"
#include "sol_simd.h"

enum { PARTS = 2, SLOTS = 3, PRODUCTS = 7, SUMS = 5, SCALES = 16, HELD = 28 * LANES };

typedef struct conv {
    const float *in;
    const float *scale;
    const float *w;
    const float *factor;
    float *out;
    int64_t N, OH, OW, half_rows, half_columns, vectors, block, held_block, by_panels, overlap, in_blocks, R, S, in_n, in_cb, in_row;
    int64_t in_r, in_s, in_start, in_half, down, right, tile_y, tile_x, sum_size, patch_row, patch_rows, patch_columns, row_step, sum_r, sum_s, out_n;
    int64_t out_cb, out_row, rows, columns, out_half, sum_row, sum_cb, group, claims;
    /* scale: of each input channel; factor: of each output channel's results; half: elements from one half of the pixels to the other.
     * patch: input of a tile; sum: the same in a sum, sum_size: from one sum of a group to the next; group: elements of its sums and scales.
     * tile: rows and columns from one group to the next. claims: are the output's lines to be asked for, whether another thread may have read
     * what was there before? */
} conv;

/* The accumulators, their sign flipped where ``flip`` says so, are added to what is held at ``from``; the result is held at ``to`` or stays in the registers. */
typedef struct {
    int32_t from, to, flip;
} move;

/* One product: its input (one part, or a sum), the output's part that is complete after it, and the moves of its result:
 * ``held`` adds to a sum, if there is such a one; ``last`` begins a sum, or completes a part of the output. */
typedef struct {
    signed char sum, pixels, channels; /* sum < 0: the part (pixels, channels) itself */
    signed char completes; /* < 0: nothing */
    signed char has_held;
    move held, last;
} step;

static const step steps[PRODUCTS] = {
    {0, 0, 0, -1, 0, {0}, {0, 0, 0}},
    {1, 0, 0, -1, 1, {0, 1 * HELD, INT32_MIN}, {0, 2 * HELD, 0}},
    {-1, 0, 0, 1, 1, {0, 0, 0}, {2 * HELD, 0, 0}},
    {-1, 1, 1, -1, 1, {1 * HELD, 1 * HELD, 0}, {0, 2 * HELD, 0}},
    {2, 0, 0, 0, 0, {0}, {1 * HELD, 0, 0}},
    {3, 0, 0, 2, 1, {0, 0, INT32_MIN}, {2 * HELD, 0, 0}},
    {4, 0, 0, 3, 0, {0}, {0, 0, 0}},
};/* scales: of each part of the pixels, a power of two by which its inputs come to about the same size; the bits that are kept of them, none if
 * one is not finite; what undoes the scaling. Returns whether all are finite. Runs of a patch are short: the next block's are prefetched. */
static __attribute__((noinline)) int measure_parts(const conv *c, const float *in, int64_t patch_rows, int64_t pixels, float *scales)
{
    const int64_t half = c->in_half, channels = c->in_blocks * c->in_cb, next = c->in_cb;
    vf t0 = vf_zero(), t1 = vf_zero();
    for (int64_t b = 0; b < c->in_blocks; b++) {
        const vf s0_0 = vf_load(c->scale + (0 * c->in_blocks + b) * LANES) * 0x1p-16f;
        const vf s0_1 = vf_load(c->scale + (1 * c->in_blocks + b) * LANES) * 0x1p-16f;
        const vf s1_0 = vf_load(c->scale + (0 * c->in_blocks + b) * LANES) * 0x1p-16f;
        const vf s1_1 = vf_load(c->scale + (1 * c->in_blocks + b) * LANES) * 0x1p-16f;
        for (int64_t r = 0; r < patch_rows; r++) {
            const float *i = in + b * c->in_cb + r * c->patch_row;
            for (int64_t x = 0; x < pixels; x += 1, i += 1 * LANES) {
                t0 += vf_abs(vf_load(i) * s0_0);
                __builtin_prefetch(i + next);
                t0 += vf_abs(vf_load(i + channels) * s0_1);
                __builtin_prefetch(i + next + channels);
                t1 += vf_abs(vf_load(i + half) * s1_0);
                __builtin_prefetch(i + next + half);
                t1 += vf_abs(vf_load(i + half + channels) * s1_1);
                __builtin_prefetch(i + next + half + channels);
            }
}
    }
    const float total[PARTS] = {vf_sum(t0), vf_sum(t1)};
    int32_t all = 1, bits[PARTS];
    memcpy(bits, total, sizeof bits);
    for (int p = 0; p < PARTS; p++) {
        const int32_t exponent = bits[p] & 0x7f800000, finite = exponent < 0x7f800000, least = 27 << 23, most = 252 << 23;
        const int32_t undo = exponent < least ? least : exponent > most ? most : exponent, scale = 0x7f000000 - undo, keep = -finite;
        memcpy(scales + p, &scale, sizeof scale);
        memcpy(scales + PARTS + p, &keep, sizeof keep);
        memcpy(scales + 2 * PARTS + p, &undo, sizeof undo);
        if (!finite || total[p] == 0) scales[2 * PARTS + p] = finite ? 0 : total[p] - total[p];
        all &= finite;
    }
    return all;
}

/* The sums of input parts of one patch, scaled. */
static __attribute__((noinline)) void add_all_parts(const conv *c, const float *in, int64_t patch_rows, int64_t pixels, float *sums, const float *scales)
{
    const int64_t half = c->in_half, channels = c->in_blocks * c->in_cb, sum = c->sum_size;
    for (int64_t b = 0; b < c->in_blocks; b++) {
        const vf s0_0 = vf_load(c->scale + (0 * c->in_blocks + b) * LANES) * scales[0];
        const vf s0_1 = vf_load(c->scale + (1 * c->in_blocks + b) * LANES) * scales[0];
        const vf s1_0 = vf_load(c->scale + (0 * c->in_blocks + b) * LANES) * scales[1];
        const vf s1_1 = vf_load(c->scale + (1 * c->in_blocks + b) * LANES) * scales[1];
        for (int64_t r = 0; r < patch_rows; r++) {
            const float *i = in + b * c->in_cb + r * c->patch_row;
            float *o = sums + b * c->sum_cb + r * c->sum_row;
            for (int64_t x = 0; x < pixels; x += 1, i += 1 * LANES, o += 1 * LANES) {
                const vf i0_0 = vf_load(i) * s0_0;
                const vf i0_1 = vf_load(i + channels) * s0_1;
                const vf i1_0 = vf_load(i + half) * s1_0;
                const vf i1_1 = vf_load(i + half + channels) * s1_1;
                vf_store(o, i0_0 + i1_1);
                vf_store(o + 1 * sum, i0_0 + i0_1);
                vf_store(o + 2 * sum, i0_1 - i1_1);
                vf_store(o + 3 * sum, i1_0 + i1_1);
                vf_store(o + 4 * sum, i1_0 - i0_0);
            }
}
    }
}

/* The sums of input parts of one patch, scaled, with zeros for parts that are not finite: these concern nobody else. */
static __attribute__((noinline)) void add_finite_parts(const conv *c, const float *in, int64_t patch_rows, int64_t pixels, float *sums, const float *scales)
{
    const int64_t half = c->in_half, channels = c->in_blocks * c->in_cb, sum = c->sum_size;
    int32_t bits[PARTS];
    memcpy(bits, scales + PARTS, sizeof bits);
    for (int64_t b = 0; b < c->in_blocks; b++) {
        const vf s0_0 = vf_load(c->scale + (0 * c->in_blocks + b) * LANES) * scales[0];
        const vf s0_1 = vf_load(c->scale + (1 * c->in_blocks + b) * LANES) * scales[0];
        const vf s1_0 = vf_load(c->scale + (0 * c->in_blocks + b) * LANES) * scales[1];
        const vf s1_1 = vf_load(c->scale + (1 * c->in_blocks + b) * LANES) * scales[1];
        for (int64_t r = 0; r < patch_rows; r++) {
            const float *i = in + b * c->in_cb + r * c->patch_row;
            float *o = sums + b * c->sum_cb + r * c->sum_row;
            for (int64_t x = 0; x < pixels; x += 1, i += 1 * LANES, o += 1 * LANES) {
                const vf i0_0 = (vf)((vi)(vf_load(i) * s0_0) & vi_set(bits[0]));
                const vf i0_1 = (vf)((vi)(vf_load(i + channels) * s0_1) & vi_set(bits[0]));
                const vf i1_0 = (vf)((vi)(vf_load(i + half) * s1_0) & vi_set(bits[1]));
                const vf i1_1 = (vf)((vi)(vf_load(i + half + channels) * s1_1) & vi_set(bits[1]));
                vf_store(o, i0_0 + i1_1);
                vf_store(o + 1 * sum, i0_0 + i0_1);
                vf_store(o + 2 * sum, i0_1 - i1_1);
                vf_store(o + 3 * sum, i1_0 + i1_1);
                vf_store(o + 4 * sum, i1_0 - i0_0);
            }
}
    }
}

/* The sums of input parts of one patch, behind them what scaled them. */
static void add_parts(const conv *c, const float *in, int64_t patch_rows, int64_t pixels, float *sums)
{
    float *const scales = sums + c->group - SCALES;
    if (measure_parts(c, in, patch_rows, pixels, scales)) add_all_parts(c, in, patch_rows, pixels, sums, scales);
    else add_finite_parts(c, in, patch_rows, pixels, sums, scales);
}/* One product of a tile. at: what is held of its group. out: its part that is complete after this, or null; bias and operands are there in any case.
 * alone: scale and kept bits of an input that is no sum, or null. factor, undo: what undoes the scaling of what is complete. */
static __attribute__((noinline)) void tile_1x14(const conv *c, const float *in, const float *w, int64_t ahead, const step *s, float *at, const float *alone, const float *factor, float undo, float *out)
{
    int32_t kept = -1;
    if (alone) memcpy(&kept, alone + PARTS, sizeof kept);
    if (out && c->claims) {
        for (int64_t y = 0; y < 1; y++)
            for (int64_t x = 0; x < 14; x++) {
                const float *o = out + y * c->out_row + x * LANES;
                SOL_CLAIM(o); SOL_CLAIM(o + 1 * c->out_cb);
            }
    }
    const vf b0 = vf_zero();
    vf a0_0_0 = b0, a0_0_1 = b0, a0_0_2 = b0, a0_0_3 = b0, a0_0_4 = b0, a0_0_5 = b0, a0_0_6 = b0, a0_0_7 = b0, a0_0_8 = b0, a0_0_9 = b0, a0_0_10 = b0, a0_0_11 = b0, a0_0_12 = b0, a0_0_13 = b0;
    const vf b1 = vf_zero();
    vf a1_0_0 = b1, a1_0_1 = b1, a1_0_2 = b1, a1_0_3 = b1, a1_0_4 = b1, a1_0_5 = b1, a1_0_6 = b1, a1_0_7 = b1, a1_0_8 = b1, a1_0_9 = b1, a1_0_10 = b1, a1_0_11 = b1, a1_0_12 = b1, a1_0_13 = b1;
const int64_t blocks = c->in_blocks, last = LANES, in_cb = c->in_cb;
    const float *x0 = in;
    const int64_t R = c->R, S = c->S, in_r = c->in_r, in_s = c->in_s;
    const int64_t run = LANES * R * S < 64 ? 64 / (LANES * R * S) : 1;
    vf aside[28] = {0};
for (int64_t block = 1; block <= blocks; block++, in += in_cb) {
        const int64_t pairs = block < blocks ? LANES / 2 : last / 2;
        const float *row = in;
        for (int64_t r = 1; r <= R; r++, row += in_r) {
            const float *tap = row;
            for (int64_t s = 1; s <= S; s++, tap += in_s) {
                x0 = tap;
                for (int64_t i = pairs - (block == blocks && r == R && s == S) * 2; i; i--, x0 += 2, w += 4 * LANES) {
                    {
                        const vf w0 = vf_load(w + 0 * LANES), w1 = vf_load(w + 1 * LANES);
                    __builtin_prefetch(w + ahead + 0 * LANES, 0, 2); __builtin_prefetch(w + ahead + 1 * LANES, 0, 2); 
                        { const float b = x0[0 * LANES + 0]; a0_0_0 += w0 * b; a1_0_0 += w1 * b; }
                        { const float b = x0[1 * LANES + 0]; a0_0_1 += w0 * b; a1_0_1 += w1 * b; }
                        { const float b = x0[2 * LANES + 0]; a0_0_2 += w0 * b; a1_0_2 += w1 * b; }
                        { const float b = x0[3 * LANES + 0]; a0_0_3 += w0 * b; a1_0_3 += w1 * b; }
                        { const float b = x0[4 * LANES + 0]; a0_0_4 += w0 * b; a1_0_4 += w1 * b; }
                        { const float b = x0[5 * LANES + 0]; a0_0_5 += w0 * b; a1_0_5 += w1 * b; }
                        { const float b = x0[6 * LANES + 0]; a0_0_6 += w0 * b; a1_0_6 += w1 * b; }
                        { const float b = x0[7 * LANES + 0]; a0_0_7 += w0 * b; a1_0_7 += w1 * b; }
                        { const float b = x0[8 * LANES + 0]; a0_0_8 += w0 * b; a1_0_8 += w1 * b; }
                        { const float b = x0[9 * LANES + 0]; a0_0_9 += w0 * b; a1_0_9 += w1 * b; }
                        { const float b = x0[10 * LANES + 0]; a0_0_10 += w0 * b; a1_0_10 += w1 * b; }
                        { const float b = x0[11 * LANES + 0]; a0_0_11 += w0 * b; a1_0_11 += w1 * b; }
                        { const float b = x0[12 * LANES + 0]; a0_0_12 += w0 * b; a1_0_12 += w1 * b; }
                        { const float b = x0[13 * LANES + 0]; a0_0_13 += w0 * b; a1_0_13 += w1 * b; }
                    }
                    SOL_FENCE();
                    {
                        const vf w0 = vf_load(w + 2 * LANES), w1 = vf_load(w + 3 * LANES);
                    __builtin_prefetch(w + ahead + 2 * LANES, 0, 2); __builtin_prefetch(w + ahead + 3 * LANES, 0, 2); 
                        { const float b = x0[0 * LANES + 1]; a0_0_0 += w0 * b; a1_0_0 += w1 * b; }
                        { const float b = x0[1 * LANES + 1]; a0_0_1 += w0 * b; a1_0_1 += w1 * b; }
                        { const float b = x0[2 * LANES + 1]; a0_0_2 += w0 * b; a1_0_2 += w1 * b; }
                        { const float b = x0[3 * LANES + 1]; a0_0_3 += w0 * b; a1_0_3 += w1 * b; }
                        { const float b = x0[4 * LANES + 1]; a0_0_4 += w0 * b; a1_0_4 += w1 * b; }
                        { const float b = x0[5 * LANES + 1]; a0_0_5 += w0 * b; a1_0_5 += w1 * b; }
                        { const float b = x0[6 * LANES + 1]; a0_0_6 += w0 * b; a1_0_6 += w1 * b; }
                        { const float b = x0[7 * LANES + 1]; a0_0_7 += w0 * b; a1_0_7 += w1 * b; }
                        { const float b = x0[8 * LANES + 1]; a0_0_8 += w0 * b; a1_0_8 += w1 * b; }
                        { const float b = x0[9 * LANES + 1]; a0_0_9 += w0 * b; a1_0_9 += w1 * b; }
                        { const float b = x0[10 * LANES + 1]; a0_0_10 += w0 * b; a1_0_10 += w1 * b; }
                        { const float b = x0[11 * LANES + 1]; a0_0_11 += w0 * b; a1_0_11 += w1 * b; }
                        { const float b = x0[12 * LANES + 1]; a0_0_12 += w0 * b; a1_0_12 += w1 * b; }
                        { const float b = x0[13 * LANES + 1]; a0_0_13 += w0 * b; a1_0_13 += w1 * b; }
                    }
                    SOL_FENCE();
}
            }
        }
        if (block % run == 0 && block < blocks) {
            aside[0] += a0_0_0, a0_0_0 = vf_zero();
            aside[1] += a0_0_1, a0_0_1 = vf_zero();
            aside[2] += a0_0_2, a0_0_2 = vf_zero();
            aside[3] += a0_0_3, a0_0_3 = vf_zero();
            aside[4] += a0_0_4, a0_0_4 = vf_zero();
            aside[5] += a0_0_5, a0_0_5 = vf_zero();
            aside[6] += a0_0_6, a0_0_6 = vf_zero();
            aside[7] += a0_0_7, a0_0_7 = vf_zero();
            aside[8] += a0_0_8, a0_0_8 = vf_zero();
            aside[9] += a0_0_9, a0_0_9 = vf_zero();
            aside[10] += a0_0_10, a0_0_10 = vf_zero();
            aside[11] += a0_0_11, a0_0_11 = vf_zero();
            aside[12] += a0_0_12, a0_0_12 = vf_zero();
            aside[13] += a0_0_13, a0_0_13 = vf_zero();
            aside[14] += a1_0_0, a1_0_0 = vf_zero();
            aside[15] += a1_0_1, a1_0_1 = vf_zero();
            aside[16] += a1_0_2, a1_0_2 = vf_zero();
            aside[17] += a1_0_3, a1_0_3 = vf_zero();
            aside[18] += a1_0_4, a1_0_4 = vf_zero();
            aside[19] += a1_0_5, a1_0_5 = vf_zero();
            aside[20] += a1_0_6, a1_0_6 = vf_zero();
            aside[21] += a1_0_7, a1_0_7 = vf_zero();
            aside[22] += a1_0_8, a1_0_8 = vf_zero();
            aside[23] += a1_0_9, a1_0_9 = vf_zero();
            aside[24] += a1_0_10, a1_0_10 = vf_zero();
            aside[25] += a1_0_11, a1_0_11 = vf_zero();
            aside[26] += a1_0_12, a1_0_12 = vf_zero();
            aside[27] += a1_0_13, a1_0_13 = vf_zero();
}
}
    if (blocks > run) {
        a0_0_0 += aside[0];
        a0_0_1 += aside[1];
        a0_0_2 += aside[2];
        a0_0_3 += aside[3];
        a0_0_4 += aside[4];
        a0_0_5 += aside[5];
        a0_0_6 += aside[6];
        a0_0_7 += aside[7];
        a0_0_8 += aside[8];
        a0_0_9 += aside[9];
        a0_0_10 += aside[10];
        a0_0_11 += aside[11];
        a0_0_12 += aside[12];
        a0_0_13 += aside[13];
        a1_0_0 += aside[14];
        a1_0_1 += aside[15];
        a1_0_2 += aside[16];
        a1_0_3 += aside[17];
        a1_0_4 += aside[18];
        a1_0_5 += aside[19];
        a1_0_6 += aside[20];
        a1_0_7 += aside[21];
        a1_0_8 += aside[22];
        a1_0_9 += aside[23];
        a1_0_10 += aside[24];
        a1_0_11 += aside[25];
        a1_0_12 += aside[26];
        a1_0_13 += aside[27];
}
__builtin_prefetch(w + ahead + 0 * LANES, 0, 2); __builtin_prefetch(w + ahead + 1 * LANES, 0, 2); __builtin_prefetch(w + ahead + 2 * LANES, 0, 2); __builtin_prefetch(w + ahead + 3 * LANES, 0, 2); __builtin_prefetch(w + ahead + 4 * LANES, 0, 2); __builtin_prefetch(w + ahead + 5 * LANES, 0, 2); __builtin_prefetch(w + ahead + 6 * LANES, 0, 2); __builtin_prefetch(w + ahead + 7 * LANES, 0, 2);
    const float *const held_from = at + s->held.from;
    float *const held_to = at + s->held.to;
    const float *const last_from = at + s->last.from;
    float *const last_to = at + s->last.to;
    {
        const float b0 = x0[0 * LANES + 0];
        a0_0_0 += vf_load(w + 0 * LANES) * b0;
        a1_0_0 += vf_load(w + 1 * LANES) * b0;
        const float b1 = x0[0 * LANES + 1];
        a0_0_0 += vf_load(w + 2 * LANES) * b1;
        a1_0_0 += vf_load(w + 3 * LANES) * b1;
        const float b2 = x0[0 * LANES + 2];
        a0_0_0 += vf_load(w + 4 * LANES) * b2;
        a1_0_0 += vf_load(w + 5 * LANES) * b2;
        const float b3 = x0[0 * LANES + 3];
        a0_0_0 += vf_load(w + 6 * LANES) * b3;
        a1_0_0 += vf_load(w + 7 * LANES) * b3;
        if (alone) { /* the input is no sum, which would be scaled */
            a0_0_0 = (vf)((vi)(a0_0_0 * alone[0]) & vi_set(kept));
            a1_0_0 = (vf)((vi)(a1_0_0 * alone[0]) & vi_set(kept));
        }
        if (s->has_held) {
            vf_store(held_to + 0 * LANES, vf_load(held_from + 0 * LANES) + vf_flip(a0_0_0, s->held.flip));
            vf_store(held_to + 14 * LANES, vf_load(held_from + 14 * LANES) + vf_flip(a1_0_0, s->held.flip));
        }
        a0_0_0 = vf_flip(a0_0_0, s->last.flip);
        a1_0_0 = vf_flip(a1_0_0, s->last.flip);
        if (out) {
            a0_0_0 += vf_load(last_from + 0 * LANES);
            a0_0_0 = a0_0_0 * (vf_load(factor + 0 * LANES) * undo);
            a1_0_0 += vf_load(last_from + 14 * LANES);
            a1_0_0 = a1_0_0 * (vf_load(factor + 1 * LANES) * undo);
            const vf t0_0_0_0 = vf_max_quiet(vf_set(0.0f), a0_0_0);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 0 * LANES, t0_0_0_0);
            const vf t1_0_0_0 = vf_max_quiet(vf_set(0.0f), a1_0_0);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 0 * LANES, t1_0_0_0);
        } else {
            vf_store(last_to + 0 * LANES, a0_0_0);
            vf_store(last_to + 14 * LANES, a1_0_0);
        }
    }
    {
        const float b0 = x0[1 * LANES + 0];
        a0_0_1 += vf_load(w + 0 * LANES) * b0;
        a1_0_1 += vf_load(w + 1 * LANES) * b0;
        const float b1 = x0[1 * LANES + 1];
        a0_0_1 += vf_load(w + 2 * LANES) * b1;
        a1_0_1 += vf_load(w + 3 * LANES) * b1;
        const float b2 = x0[1 * LANES + 2];
        a0_0_1 += vf_load(w + 4 * LANES) * b2;
        a1_0_1 += vf_load(w + 5 * LANES) * b2;
        const float b3 = x0[1 * LANES + 3];
        a0_0_1 += vf_load(w + 6 * LANES) * b3;
        a1_0_1 += vf_load(w + 7 * LANES) * b3;
        if (alone) { /* the input is no sum, which would be scaled */
            a0_0_1 = (vf)((vi)(a0_0_1 * alone[0]) & vi_set(kept));
            a1_0_1 = (vf)((vi)(a1_0_1 * alone[0]) & vi_set(kept));
        }
        if (s->has_held) {
            vf_store(held_to + 1 * LANES, vf_load(held_from + 1 * LANES) + vf_flip(a0_0_1, s->held.flip));
            vf_store(held_to + 15 * LANES, vf_load(held_from + 15 * LANES) + vf_flip(a1_0_1, s->held.flip));
        }
        a0_0_1 = vf_flip(a0_0_1, s->last.flip);
        a1_0_1 = vf_flip(a1_0_1, s->last.flip);
        if (out) {
            a0_0_1 += vf_load(last_from + 1 * LANES);
            a0_0_1 = a0_0_1 * (vf_load(factor + 0 * LANES) * undo);
            a1_0_1 += vf_load(last_from + 15 * LANES);
            a1_0_1 = a1_0_1 * (vf_load(factor + 1 * LANES) * undo);
            const vf t0_0_1_0 = vf_max_quiet(vf_set(0.0f), a0_0_1);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 1 * LANES, t0_0_1_0);
            const vf t1_0_1_0 = vf_max_quiet(vf_set(0.0f), a1_0_1);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 1 * LANES, t1_0_1_0);
        } else {
            vf_store(last_to + 1 * LANES, a0_0_1);
            vf_store(last_to + 15 * LANES, a1_0_1);
        }
    }
    SOL_FENCE();
    {
        const float b0 = x0[2 * LANES + 0];
        a0_0_2 += vf_load(w + 0 * LANES) * b0;
        a1_0_2 += vf_load(w + 1 * LANES) * b0;
        const float b1 = x0[2 * LANES + 1];
        a0_0_2 += vf_load(w + 2 * LANES) * b1;
        a1_0_2 += vf_load(w + 3 * LANES) * b1;
        const float b2 = x0[2 * LANES + 2];
        a0_0_2 += vf_load(w + 4 * LANES) * b2;
        a1_0_2 += vf_load(w + 5 * LANES) * b2;
        const float b3 = x0[2 * LANES + 3];
        a0_0_2 += vf_load(w + 6 * LANES) * b3;
        a1_0_2 += vf_load(w + 7 * LANES) * b3;
        if (alone) { /* the input is no sum, which would be scaled */
            a0_0_2 = (vf)((vi)(a0_0_2 * alone[0]) & vi_set(kept));
            a1_0_2 = (vf)((vi)(a1_0_2 * alone[0]) & vi_set(kept));
        }
        if (s->has_held) {
            vf_store(held_to + 2 * LANES, vf_load(held_from + 2 * LANES) + vf_flip(a0_0_2, s->held.flip));
            vf_store(held_to + 16 * LANES, vf_load(held_from + 16 * LANES) + vf_flip(a1_0_2, s->held.flip));
        }
        a0_0_2 = vf_flip(a0_0_2, s->last.flip);
        a1_0_2 = vf_flip(a1_0_2, s->last.flip);
        if (out) {
            a0_0_2 += vf_load(last_from + 2 * LANES);
            a0_0_2 = a0_0_2 * (vf_load(factor + 0 * LANES) * undo);
            a1_0_2 += vf_load(last_from + 16 * LANES);
            a1_0_2 = a1_0_2 * (vf_load(factor + 1 * LANES) * undo);
            const vf t0_0_2_0 = vf_max_quiet(vf_set(0.0f), a0_0_2);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 2 * LANES, t0_0_2_0);
            const vf t1_0_2_0 = vf_max_quiet(vf_set(0.0f), a1_0_2);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 2 * LANES, t1_0_2_0);
        } else {
            vf_store(last_to + 2 * LANES, a0_0_2);
            vf_store(last_to + 16 * LANES, a1_0_2);
        }
    }
    {
        const float b0 = x0[3 * LANES + 0];
        a0_0_3 += vf_load(w + 0 * LANES) * b0;
        a1_0_3 += vf_load(w + 1 * LANES) * b0;
        const float b1 = x0[3 * LANES + 1];
        a0_0_3 += vf_load(w + 2 * LANES) * b1;
        a1_0_3 += vf_load(w + 3 * LANES) * b1;
        const float b2 = x0[3 * LANES + 2];
        a0_0_3 += vf_load(w + 4 * LANES) * b2;
        a1_0_3 += vf_load(w + 5 * LANES) * b2;
        const float b3 = x0[3 * LANES + 3];
        a0_0_3 += vf_load(w + 6 * LANES) * b3;
        a1_0_3 += vf_load(w + 7 * LANES) * b3;
        if (alone) { /* the input is no sum, which would be scaled */
            a0_0_3 = (vf)((vi)(a0_0_3 * alone[0]) & vi_set(kept));
            a1_0_3 = (vf)((vi)(a1_0_3 * alone[0]) & vi_set(kept));
        }
        if (s->has_held) {
            vf_store(held_to + 3 * LANES, vf_load(held_from + 3 * LANES) + vf_flip(a0_0_3, s->held.flip));
            vf_store(held_to + 17 * LANES, vf_load(held_from + 17 * LANES) + vf_flip(a1_0_3, s->held.flip));
        }
        a0_0_3 = vf_flip(a0_0_3, s->last.flip);
        a1_0_3 = vf_flip(a1_0_3, s->last.flip);
        if (out) {
            a0_0_3 += vf_load(last_from + 3 * LANES);
            a0_0_3 = a0_0_3 * (vf_load(factor + 0 * LANES) * undo);
            a1_0_3 += vf_load(last_from + 17 * LANES);
            a1_0_3 = a1_0_3 * (vf_load(factor + 1 * LANES) * undo);
            const vf t0_0_3_0 = vf_max_quiet(vf_set(0.0f), a0_0_3);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 3 * LANES, t0_0_3_0);
            const vf t1_0_3_0 = vf_max_quiet(vf_set(0.0f), a1_0_3);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 3 * LANES, t1_0_3_0);
        } else {
            vf_store(last_to + 3 * LANES, a0_0_3);
            vf_store(last_to + 17 * LANES, a1_0_3);
        }
    }
    SOL_FENCE();
    const vf w0_0 = vf_load(w + 0 * LANES), w0_1 = vf_load(w + 1 * LANES), w1_0 = vf_load(w + 2 * LANES), w1_1 = vf_load(w + 3 * LANES), w2_0 = vf_load(w + 4 * LANES), w2_1 = vf_load(w + 5 * LANES), w3_0 = vf_load(w + 6 * LANES), w3_1 = vf_load(w + 7 * LANES);
    {
        const float b0 = x0[4 * LANES + 0];
        a0_0_4 += w0_0 * b0;
        a1_0_4 += w0_1 * b0;
        const float b1 = x0[4 * LANES + 1];
        a0_0_4 += w1_0 * b1;
        a1_0_4 += w1_1 * b1;
        const float b2 = x0[4 * LANES + 2];
        a0_0_4 += w2_0 * b2;
        a1_0_4 += w2_1 * b2;
        const float b3 = x0[4 * LANES + 3];
        a0_0_4 += w3_0 * b3;
        a1_0_4 += w3_1 * b3;
        if (alone) { /* the input is no sum, which would be scaled */
            a0_0_4 = (vf)((vi)(a0_0_4 * alone[0]) & vi_set(kept));
            a1_0_4 = (vf)((vi)(a1_0_4 * alone[0]) & vi_set(kept));
        }
        if (s->has_held) {
            vf_store(held_to + 4 * LANES, vf_load(held_from + 4 * LANES) + vf_flip(a0_0_4, s->held.flip));
            vf_store(held_to + 18 * LANES, vf_load(held_from + 18 * LANES) + vf_flip(a1_0_4, s->held.flip));
        }
        a0_0_4 = vf_flip(a0_0_4, s->last.flip);
        a1_0_4 = vf_flip(a1_0_4, s->last.flip);
        if (out) {
            a0_0_4 += vf_load(last_from + 4 * LANES);
            a0_0_4 = a0_0_4 * (vf_load(factor + 0 * LANES) * undo);
            a1_0_4 += vf_load(last_from + 18 * LANES);
            a1_0_4 = a1_0_4 * (vf_load(factor + 1 * LANES) * undo);
            const vf t0_0_4_0 = vf_max_quiet(vf_set(0.0f), a0_0_4);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 4 * LANES, t0_0_4_0);
            const vf t1_0_4_0 = vf_max_quiet(vf_set(0.0f), a1_0_4);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 4 * LANES, t1_0_4_0);
        } else {
            vf_store(last_to + 4 * LANES, a0_0_4);
            vf_store(last_to + 18 * LANES, a1_0_4);
        }
    }
    {
        const float b0 = x0[5 * LANES + 0];
        a0_0_5 += w0_0 * b0;
        a1_0_5 += w0_1 * b0;
        const float b1 = x0[5 * LANES + 1];
        a0_0_5 += w1_0 * b1;
        a1_0_5 += w1_1 * b1;
        const float b2 = x0[5 * LANES + 2];
        a0_0_5 += w2_0 * b2;
        a1_0_5 += w2_1 * b2;
        const float b3 = x0[5 * LANES + 3];
        a0_0_5 += w3_0 * b3;
        a1_0_5 += w3_1 * b3;
        if (alone) { /* the input is no sum, which would be scaled */
            a0_0_5 = (vf)((vi)(a0_0_5 * alone[0]) & vi_set(kept));
            a1_0_5 = (vf)((vi)(a1_0_5 * alone[0]) & vi_set(kept));
        }
        if (s->has_held) {
            vf_store(held_to + 5 * LANES, vf_load(held_from + 5 * LANES) + vf_flip(a0_0_5, s->held.flip));
            vf_store(held_to + 19 * LANES, vf_load(held_from + 19 * LANES) + vf_flip(a1_0_5, s->held.flip));
        }
        a0_0_5 = vf_flip(a0_0_5, s->last.flip);
        a1_0_5 = vf_flip(a1_0_5, s->last.flip);
        if (out) {
            a0_0_5 += vf_load(last_from + 5 * LANES);
            a0_0_5 = a0_0_5 * (vf_load(factor + 0 * LANES) * undo);
            a1_0_5 += vf_load(last_from + 19 * LANES);
            a1_0_5 = a1_0_5 * (vf_load(factor + 1 * LANES) * undo);
            const vf t0_0_5_0 = vf_max_quiet(vf_set(0.0f), a0_0_5);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 5 * LANES, t0_0_5_0);
            const vf t1_0_5_0 = vf_max_quiet(vf_set(0.0f), a1_0_5);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 5 * LANES, t1_0_5_0);
        } else {
            vf_store(last_to + 5 * LANES, a0_0_5);
            vf_store(last_to + 19 * LANES, a1_0_5);
        }
    }
    SOL_FENCE();
    {
        const float b0 = x0[6 * LANES + 0];
        a0_0_6 += w0_0 * b0;
        a1_0_6 += w0_1 * b0;
        const float b1 = x0[6 * LANES + 1];
        a0_0_6 += w1_0 * b1;
        a1_0_6 += w1_1 * b1;
        const float b2 = x0[6 * LANES + 2];
        a0_0_6 += w2_0 * b2;
        a1_0_6 += w2_1 * b2;
        const float b3 = x0[6 * LANES + 3];
        a0_0_6 += w3_0 * b3;
        a1_0_6 += w3_1 * b3;
        if (alone) { /* the input is no sum, which would be scaled */
            a0_0_6 = (vf)((vi)(a0_0_6 * alone[0]) & vi_set(kept));
            a1_0_6 = (vf)((vi)(a1_0_6 * alone[0]) & vi_set(kept));
        }
        if (s->has_held) {
            vf_store(held_to + 6 * LANES, vf_load(held_from + 6 * LANES) + vf_flip(a0_0_6, s->held.flip));
            vf_store(held_to + 20 * LANES, vf_load(held_from + 20 * LANES) + vf_flip(a1_0_6, s->held.flip));
        }
        a0_0_6 = vf_flip(a0_0_6, s->last.flip);
        a1_0_6 = vf_flip(a1_0_6, s->last.flip);
        if (out) {
            a0_0_6 += vf_load(last_from + 6 * LANES);
            a0_0_6 = a0_0_6 * (vf_load(factor + 0 * LANES) * undo);
            a1_0_6 += vf_load(last_from + 20 * LANES);
            a1_0_6 = a1_0_6 * (vf_load(factor + 1 * LANES) * undo);
            const vf t0_0_6_0 = vf_max_quiet(vf_set(0.0f), a0_0_6);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 6 * LANES, t0_0_6_0);
            const vf t1_0_6_0 = vf_max_quiet(vf_set(0.0f), a1_0_6);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 6 * LANES, t1_0_6_0);
        } else {
            vf_store(last_to + 6 * LANES, a0_0_6);
            vf_store(last_to + 20 * LANES, a1_0_6);
        }
    }
    {
        const float b0 = x0[7 * LANES + 0];
        a0_0_7 += w0_0 * b0;
        a1_0_7 += w0_1 * b0;
        const float b1 = x0[7 * LANES + 1];
        a0_0_7 += w1_0 * b1;
        a1_0_7 += w1_1 * b1;
        const float b2 = x0[7 * LANES + 2];
        a0_0_7 += w2_0 * b2;
        a1_0_7 += w2_1 * b2;
        const float b3 = x0[7 * LANES + 3];
        a0_0_7 += w3_0 * b3;
        a1_0_7 += w3_1 * b3;
        if (alone) { /* the input is no sum, which would be scaled */
            a0_0_7 = (vf)((vi)(a0_0_7 * alone[0]) & vi_set(kept));
            a1_0_7 = (vf)((vi)(a1_0_7 * alone[0]) & vi_set(kept));
        }
        if (s->has_held) {
            vf_store(held_to + 7 * LANES, vf_load(held_from + 7 * LANES) + vf_flip(a0_0_7, s->held.flip));
            vf_store(held_to + 21 * LANES, vf_load(held_from + 21 * LANES) + vf_flip(a1_0_7, s->held.flip));
        }
        a0_0_7 = vf_flip(a0_0_7, s->last.flip);
        a1_0_7 = vf_flip(a1_0_7, s->last.flip);
        if (out) {
            a0_0_7 += vf_load(last_from + 7 * LANES);
            a0_0_7 = a0_0_7 * (vf_load(factor + 0 * LANES) * undo);
            a1_0_7 += vf_load(last_from + 21 * LANES);
            a1_0_7 = a1_0_7 * (vf_load(factor + 1 * LANES) * undo);
            const vf t0_0_7_0 = vf_max_quiet(vf_set(0.0f), a0_0_7);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 7 * LANES, t0_0_7_0);
            const vf t1_0_7_0 = vf_max_quiet(vf_set(0.0f), a1_0_7);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 7 * LANES, t1_0_7_0);
        } else {
            vf_store(last_to + 7 * LANES, a0_0_7);
            vf_store(last_to + 21 * LANES, a1_0_7);
        }
    }
    SOL_FENCE();
    {
        const float b0 = x0[8 * LANES + 0];
        a0_0_8 += w0_0 * b0;
        a1_0_8 += w0_1 * b0;
        const float b1 = x0[8 * LANES + 1];
        a0_0_8 += w1_0 * b1;
        a1_0_8 += w1_1 * b1;
        const float b2 = x0[8 * LANES + 2];
        a0_0_8 += w2_0 * b2;
        a1_0_8 += w2_1 * b2;
        const float b3 = x0[8 * LANES + 3];
        a0_0_8 += w3_0 * b3;
        a1_0_8 += w3_1 * b3;
        if (alone) { /* the input is no sum, which would be scaled */
            a0_0_8 = (vf)((vi)(a0_0_8 * alone[0]) & vi_set(kept));
            a1_0_8 = (vf)((vi)(a1_0_8 * alone[0]) & vi_set(kept));
        }
        if (s->has_held) {
            vf_store(held_to + 8 * LANES, vf_load(held_from + 8 * LANES) + vf_flip(a0_0_8, s->held.flip));
            vf_store(held_to + 22 * LANES, vf_load(held_from + 22 * LANES) + vf_flip(a1_0_8, s->held.flip));
        }
        a0_0_8 = vf_flip(a0_0_8, s->last.flip);
        a1_0_8 = vf_flip(a1_0_8, s->last.flip);
        if (out) {
            a0_0_8 += vf_load(last_from + 8 * LANES);
            a0_0_8 = a0_0_8 * (vf_load(factor + 0 * LANES) * undo);
            a1_0_8 += vf_load(last_from + 22 * LANES);
            a1_0_8 = a1_0_8 * (vf_load(factor + 1 * LANES) * undo);
            const vf t0_0_8_0 = vf_max_quiet(vf_set(0.0f), a0_0_8);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 8 * LANES, t0_0_8_0);
            const vf t1_0_8_0 = vf_max_quiet(vf_set(0.0f), a1_0_8);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 8 * LANES, t1_0_8_0);
        } else {
            vf_store(last_to + 8 * LANES, a0_0_8);
            vf_store(last_to + 22 * LANES, a1_0_8);
        }
    }
    {
        const float b0 = x0[9 * LANES + 0];
        a0_0_9 += w0_0 * b0;
        a1_0_9 += w0_1 * b0;
        const float b1 = x0[9 * LANES + 1];
        a0_0_9 += w1_0 * b1;
        a1_0_9 += w1_1 * b1;
        const float b2 = x0[9 * LANES + 2];
        a0_0_9 += w2_0 * b2;
        a1_0_9 += w2_1 * b2;
        const float b3 = x0[9 * LANES + 3];
        a0_0_9 += w3_0 * b3;
        a1_0_9 += w3_1 * b3;
        if (alone) { /* the input is no sum, which would be scaled */
            a0_0_9 = (vf)((vi)(a0_0_9 * alone[0]) & vi_set(kept));
            a1_0_9 = (vf)((vi)(a1_0_9 * alone[0]) & vi_set(kept));
        }
        if (s->has_held) {
            vf_store(held_to + 9 * LANES, vf_load(held_from + 9 * LANES) + vf_flip(a0_0_9, s->held.flip));
            vf_store(held_to + 23 * LANES, vf_load(held_from + 23 * LANES) + vf_flip(a1_0_9, s->held.flip));
        }
        a0_0_9 = vf_flip(a0_0_9, s->last.flip);
        a1_0_9 = vf_flip(a1_0_9, s->last.flip);
        if (out) {
            a0_0_9 += vf_load(last_from + 9 * LANES);
            a0_0_9 = a0_0_9 * (vf_load(factor + 0 * LANES) * undo);
            a1_0_9 += vf_load(last_from + 23 * LANES);
            a1_0_9 = a1_0_9 * (vf_load(factor + 1 * LANES) * undo);
            const vf t0_0_9_0 = vf_max_quiet(vf_set(0.0f), a0_0_9);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 9 * LANES, t0_0_9_0);
            const vf t1_0_9_0 = vf_max_quiet(vf_set(0.0f), a1_0_9);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 9 * LANES, t1_0_9_0);
        } else {
            vf_store(last_to + 9 * LANES, a0_0_9);
            vf_store(last_to + 23 * LANES, a1_0_9);
        }
    }
    SOL_FENCE();
    {
        const float b0 = x0[10 * LANES + 0];
        a0_0_10 += w0_0 * b0;
        a1_0_10 += w0_1 * b0;
        const float b1 = x0[10 * LANES + 1];
        a0_0_10 += w1_0 * b1;
        a1_0_10 += w1_1 * b1;
        const float b2 = x0[10 * LANES + 2];
        a0_0_10 += w2_0 * b2;
        a1_0_10 += w2_1 * b2;
        const float b3 = x0[10 * LANES + 3];
        a0_0_10 += w3_0 * b3;
        a1_0_10 += w3_1 * b3;
        if (alone) { /* the input is no sum, which would be scaled */
            a0_0_10 = (vf)((vi)(a0_0_10 * alone[0]) & vi_set(kept));
            a1_0_10 = (vf)((vi)(a1_0_10 * alone[0]) & vi_set(kept));
        }
        if (s->has_held) {
            vf_store(held_to + 10 * LANES, vf_load(held_from + 10 * LANES) + vf_flip(a0_0_10, s->held.flip));
            vf_store(held_to + 24 * LANES, vf_load(held_from + 24 * LANES) + vf_flip(a1_0_10, s->held.flip));
        }
        a0_0_10 = vf_flip(a0_0_10, s->last.flip);
        a1_0_10 = vf_flip(a1_0_10, s->last.flip);
        if (out) {
            a0_0_10 += vf_load(last_from + 10 * LANES);
            a0_0_10 = a0_0_10 * (vf_load(factor + 0 * LANES) * undo);
            a1_0_10 += vf_load(last_from + 24 * LANES);
            a1_0_10 = a1_0_10 * (vf_load(factor + 1 * LANES) * undo);
            const vf t0_0_10_0 = vf_max_quiet(vf_set(0.0f), a0_0_10);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 10 * LANES, t0_0_10_0);
            const vf t1_0_10_0 = vf_max_quiet(vf_set(0.0f), a1_0_10);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 10 * LANES, t1_0_10_0);
        } else {
            vf_store(last_to + 10 * LANES, a0_0_10);
            vf_store(last_to + 24 * LANES, a1_0_10);
        }
    }
    {
        const float b0 = x0[11 * LANES + 0];
        a0_0_11 += w0_0 * b0;
        a1_0_11 += w0_1 * b0;
        const float b1 = x0[11 * LANES + 1];
        a0_0_11 += w1_0 * b1;
        a1_0_11 += w1_1 * b1;
        const float b2 = x0[11 * LANES + 2];
        a0_0_11 += w2_0 * b2;
        a1_0_11 += w2_1 * b2;
        const float b3 = x0[11 * LANES + 3];
        a0_0_11 += w3_0 * b3;
        a1_0_11 += w3_1 * b3;
        if (alone) { /* the input is no sum, which would be scaled */
            a0_0_11 = (vf)((vi)(a0_0_11 * alone[0]) & vi_set(kept));
            a1_0_11 = (vf)((vi)(a1_0_11 * alone[0]) & vi_set(kept));
        }
        if (s->has_held) {
            vf_store(held_to + 11 * LANES, vf_load(held_from + 11 * LANES) + vf_flip(a0_0_11, s->held.flip));
            vf_store(held_to + 25 * LANES, vf_load(held_from + 25 * LANES) + vf_flip(a1_0_11, s->held.flip));
        }
        a0_0_11 = vf_flip(a0_0_11, s->last.flip);
        a1_0_11 = vf_flip(a1_0_11, s->last.flip);
        if (out) {
            a0_0_11 += vf_load(last_from + 11 * LANES);
            a0_0_11 = a0_0_11 * (vf_load(factor + 0 * LANES) * undo);
            a1_0_11 += vf_load(last_from + 25 * LANES);
            a1_0_11 = a1_0_11 * (vf_load(factor + 1 * LANES) * undo);
            const vf t0_0_11_0 = vf_max_quiet(vf_set(0.0f), a0_0_11);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 11 * LANES, t0_0_11_0);
            const vf t1_0_11_0 = vf_max_quiet(vf_set(0.0f), a1_0_11);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 11 * LANES, t1_0_11_0);
        } else {
            vf_store(last_to + 11 * LANES, a0_0_11);
            vf_store(last_to + 25 * LANES, a1_0_11);
        }
    }
    SOL_FENCE();
    {
        const float b0 = x0[12 * LANES + 0];
        a0_0_12 += w0_0 * b0;
        a1_0_12 += w0_1 * b0;
        const float b1 = x0[12 * LANES + 1];
        a0_0_12 += w1_0 * b1;
        a1_0_12 += w1_1 * b1;
        const float b2 = x0[12 * LANES + 2];
        a0_0_12 += w2_0 * b2;
        a1_0_12 += w2_1 * b2;
        const float b3 = x0[12 * LANES + 3];
        a0_0_12 += w3_0 * b3;
        a1_0_12 += w3_1 * b3;
        if (alone) { /* the input is no sum, which would be scaled */
            a0_0_12 = (vf)((vi)(a0_0_12 * alone[0]) & vi_set(kept));
            a1_0_12 = (vf)((vi)(a1_0_12 * alone[0]) & vi_set(kept));
        }
        if (s->has_held) {
            vf_store(held_to + 12 * LANES, vf_load(held_from + 12 * LANES) + vf_flip(a0_0_12, s->held.flip));
            vf_store(held_to + 26 * LANES, vf_load(held_from + 26 * LANES) + vf_flip(a1_0_12, s->held.flip));
        }
        a0_0_12 = vf_flip(a0_0_12, s->last.flip);
        a1_0_12 = vf_flip(a1_0_12, s->last.flip);
        if (out) {
            a0_0_12 += vf_load(last_from + 12 * LANES);
            a0_0_12 = a0_0_12 * (vf_load(factor + 0 * LANES) * undo);
            a1_0_12 += vf_load(last_from + 26 * LANES);
            a1_0_12 = a1_0_12 * (vf_load(factor + 1 * LANES) * undo);
            const vf t0_0_12_0 = vf_max_quiet(vf_set(0.0f), a0_0_12);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 12 * LANES, t0_0_12_0);
            const vf t1_0_12_0 = vf_max_quiet(vf_set(0.0f), a1_0_12);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 12 * LANES, t1_0_12_0);
        } else {
            vf_store(last_to + 12 * LANES, a0_0_12);
            vf_store(last_to + 26 * LANES, a1_0_12);
        }
    }
    {
        const float b0 = x0[13 * LANES + 0];
        a0_0_13 += w0_0 * b0;
        a1_0_13 += w0_1 * b0;
        const float b1 = x0[13 * LANES + 1];
        a0_0_13 += w1_0 * b1;
        a1_0_13 += w1_1 * b1;
        const float b2 = x0[13 * LANES + 2];
        a0_0_13 += w2_0 * b2;
        a1_0_13 += w2_1 * b2;
        const float b3 = x0[13 * LANES + 3];
        a0_0_13 += w3_0 * b3;
        a1_0_13 += w3_1 * b3;
        if (alone) { /* the input is no sum, which would be scaled */
            a0_0_13 = (vf)((vi)(a0_0_13 * alone[0]) & vi_set(kept));
            a1_0_13 = (vf)((vi)(a1_0_13 * alone[0]) & vi_set(kept));
        }
        if (s->has_held) {
            vf_store(held_to + 13 * LANES, vf_load(held_from + 13 * LANES) + vf_flip(a0_0_13, s->held.flip));
            vf_store(held_to + 27 * LANES, vf_load(held_from + 27 * LANES) + vf_flip(a1_0_13, s->held.flip));
        }
        a0_0_13 = vf_flip(a0_0_13, s->last.flip);
        a1_0_13 = vf_flip(a1_0_13, s->last.flip);
        if (out) {
            a0_0_13 += vf_load(last_from + 13 * LANES);
            a0_0_13 = a0_0_13 * (vf_load(factor + 0 * LANES) * undo);
            a1_0_13 += vf_load(last_from + 27 * LANES);
            a1_0_13 = a1_0_13 * (vf_load(factor + 1 * LANES) * undo);
            const vf t0_0_13_0 = vf_max_quiet(vf_set(0.0f), a0_0_13);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 13 * LANES, t0_0_13_0);
            const vf t1_0_13_0 = vf_max_quiet(vf_set(0.0f), a1_0_13);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 13 * LANES, t1_0_13_0);
        } else {
            vf_store(last_to + 13 * LANES, a0_0_13);
            vf_store(last_to + 27 * LANES, a1_0_13);
        }
    }
    SOL_FENCE();
}

typedef struct {
    int64_t n, y, x;
} place;

static inline place place_of(const conv *c, int64_t group)
{
    return (place){group / (c->rows * c->columns), group / c->columns % c->rows, group % c->columns};
}

static inline void advance(const conv *c, place *p)
{
    if (++p->x < c->columns) return;
    p->x = 0;
    if (++p->y < c->rows) return;
    p->y = 0, p->n++;
}

static inline const float *input_of(const conv *c, place p)
{
    return c->in + p.n * c->in_n + p.y * c->tile_y * c->in_row + p.x * c->tile_x * 1 * LANES;
}

/* The sums of groups g0 … g1 - 1. */
static void make_sums(const conv *c, int64_t g0, int64_t g1, float *sums)
{
    place p = place_of(c, g0);
    for (; g0 < g1; g0++, sums += c->group, advance(c, &p)) {
        add_parts(c, input_of(c, p), c->patch_rows, c->patch_columns, sums);
    }
}

/* All products of one panel and groups g0 … g1 - 1. c: strides of the input; m: of the sums. sums: of group g0. */
static void multiply(const conv *c, const conv *m, const float *w, int64_t panel, int64_t g0, int64_t g1, const float *sums, float *held)
{
    const int64_t kb = panel * 2 * PARTS, w_product = c->in_blocks * LANES * c->R * c->S * 2 * LANES;
    w += panel * PRODUCTS * w_product;
    for (const step *s = steps; s < steps + PRODUCTS; s++, w += w_product) {
        const conv *from = s->sum < 0 ? c : m;
        place p = place_of(c, g0);
        float *at = held;
        for (int64_t g = g0; g < g1; g++, at += SLOTS * HELD, advance(c, &p)) {
            const float *const scales = sums + (g - g0 + 1) * c->group - SCALES, *const alone = s->sum < 0 ? scales + s->pixels : 0;
            const int64_t ahead = g == g0 ? w_product : 0; /* the next product's weights are fetched by the first group */
            const float *in = s->sum < 0 ? input_of(c, p) + s->pixels * c->in_half + s->channels * c->in_blocks * c->in_cb
                                         : scales - SUMS * c->sum_size + s->sum * c->sum_size;
            if (s->completes < 0) {
        tile_1x14(from, in, w, ahead, s, at, alone, c->factor, 0, 0);
                continue;
            }
            const int64_t i = s->completes / PARTS, k = kb + s->completes % PARTS * 2;
            float *out = c->out + k * c->out_cb + i * c->out_half + p.n * c->out_n + p.y * c->tile_y * c->out_row + p.x * c->tile_x * LANES;
        tile_1x14(from, in, w, ahead, s, at, alone, c->factor + k * LANES, scales[2 * PARTS + i], out);
        }
    }
}

void conv_strassen(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    const float *scale = buf[1];
    const float *w = buf[2];
    const float *factor = buf[3];
    float *out = buf[4];
    const int64_t N = arg[0];
    const int64_t OH = arg[1];
    const int64_t OW = arg[2];
    const int64_t half_rows = arg[3];
    const int64_t half_columns = arg[4];
    const int64_t vectors = arg[5];
    const int64_t block = arg[6];
    const int64_t held_block = arg[7];
    const int64_t by_panels = arg[8];
    const int64_t overlap = arg[9];
    const int64_t in_blocks = arg[10];
    const int64_t R = arg[11];
    const int64_t S = arg[12];
    const int64_t in_n = arg[13];
    const int64_t in_cb = arg[14];
    const int64_t in_row = arg[15];
    const int64_t in_r = arg[16];
    const int64_t in_s = arg[17];
    const int64_t in_start = arg[18];
    const int64_t in_half = arg[19];
    const int64_t down = arg[20];
    const int64_t right = arg[21];
    const int64_t tile_y = arg[22];
    const int64_t tile_x = arg[23];
    const int64_t sum_size = arg[24];
    const int64_t patch_row = arg[25];
    const int64_t patch_rows = arg[26];
    const int64_t patch_columns = arg[27];
    const int64_t row_step = arg[28];
    const int64_t sum_r = arg[29];
    const int64_t sum_s = arg[30];
    const int64_t out_n = arg[31];
    const int64_t out_cb = arg[32];
    const int64_t out_row = arg[33];
    (void)team; (void)buf; (void)arg;
const int64_t rows = (half_rows + 0) / 1, columns = (half_columns + 13) / 14, groups = N * rows * columns;
    const int64_t panels = vectors / (PARTS * 2), most = (groups + team->size - 1) / team->size * team->size; /* groups of the slowest thread, times the team */
    if (groups == 0) return;
    const int uneven = by_panels && team->size > 1 && (most - groups) * 16 > groups;
    const int64_t claims = overlap || uneven, out_half = down * out_row + right * LANES;
    const int64_t sum_row = patch_columns * LANES, sum_cb = patch_rows * sum_row, group = SUMS * sum_size + SCALES;
    const conv c = {
        .in = in + in_start, .scale = scale, .w = w, .factor = factor, .out = out, .N = N, .OH = OH, .OW = OW,
        .half_rows = half_rows, .half_columns = half_columns, .vectors = vectors, .block = block, .held_block = held_block, .by_panels = by_panels, .overlap = overlap, .in_blocks = in_blocks,
        .R = R, .S = S, .in_n = in_n, .in_cb = in_cb, .in_row = in_row, .in_r = in_r, .in_s = in_s, .in_start = in_start,
        .in_half = in_half, .down = down, .right = right, .tile_y = tile_y, .tile_x = tile_x, .sum_size = sum_size, .patch_row = patch_row, .patch_rows = patch_rows,
        .patch_columns = patch_columns, .row_step = row_step, .sum_r = sum_r, .sum_s = sum_s, .out_n = out_n, .out_cb = out_cb, .out_row = out_row, .rows = rows,
        .columns = columns, .out_half = out_half, .sum_row = sum_row, .sum_cb = sum_cb, .group = group, .claims = claims,
};
    conv m = c;
    m.in_cb = sum_cb, m.in_row = row_step * sum_row, m.in_r = sum_r * sum_row, m.in_s = sum_s * LANES;
    float *const held = (float *)team->scratch;
    float *at = held + block * SLOTS * HELD;
    int64_t u0, u1, first = 0, last = groups;
    if (uneven && !overlap && team->size > 4) {
        at = (float *)team->common;
        sol_split(team, groups, &u0, &u1);
        make_sums(&c, u0, u1, at + u0 * group);
        sol_barrier(team);
        sol_split(team, panels * groups, &u0, &u1);
        for (int64_t t0, t1; u0 < u1; u0 += t1 - t0) {
            t0 = u0 % groups, t1 = u1 - u0 < groups - t0 ? t0 + u1 - u0 : groups;
            if (t1 - t0 > held_block) t1 = t0 + held_block;
            multiply(&c, &m, w, u0 / groups, t0, t1, at + t0 * group, held);
        }
    } else {
        /* This thread's (panel, tile) pairs: u0 … u1 - 1 of those of tiles first … last - 1. */
        if (overlap) { /* what two parts share is written by one thread, always in the same order */
            sol_split(team, panels, &u0, &u1);
            u0 *= groups, u1 *= groups;
        } else
        if (uneven) {
            sol_split(team, panels * groups, &u0, &u1);
        } else {
            sol_split(team, groups, &first, &last);
            u0 = 0, u1 = panels * groups;
        }
        for (int64_t b0 = first, b1; b0 < last; b0 = b1) {
            b1 = last - b0 < block ? last : b0 + block;
            make_sums(&c, b0, b1, at);
            for (int64_t kb = u0 / groups; kb * groups < u1; kb++) {
                const int64_t from = kb * groups, t0 = u0 - from > b0 ? u0 - from : b0, t1 = u1 - from < b1 ? u1 - from : b1;
                if (t0 < t1) multiply(&c, &m, w, kb, t0, t1, at + (t0 - b0) * group, held);
            }
        }
    }
}
