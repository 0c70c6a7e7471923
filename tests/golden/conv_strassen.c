/* Convolution by Strassen's algorithm, 2 levels, NCHWc -> NCHWc, then relu.
 *
 * The product out = w * in has 4 parts along pixels, input channels and output channels each. 49 products of sums of parts,
 * each with an 4th of every dimension, give what 64 products of parts would.
 *
 *   block of this thread's tile groups           group = the tiles at one place of all 4 pixel parts: neighbours, where sizes allow
 *     sums of input parts, in scratch
 *     panel                                      panel = 2 output vectors of every output part, neighbours
 *       product                                  its weights stay in the cache
 *         group: reduction in registers; add to the parts held in scratch, of the inner level and, when complete, of the outer one;
 *                what is complete goes through the tail; both pixel by pixel, while the last input channels of others are multiplied
 * Where groups are few, threads share out the (panel, group) pairs; a few threads each make the sums for themselves, a larger team makes
 * them together in its common memory, then waits.
 *
 * Register tile: 2 output vectors x 1 rows x 13 pixels.
 * w: [panel][product][input block][r][s][channel][2 * LANES], sums of weight parts. */
#include "sol_team.h"
#include "sol_simd.h"

enum { PARTS = 4, SLOTS = 15, PRODUCTS = 49, SUMS = 45, HELD = 26 * LANES };

typedef struct {
    const float *in;
    float *out;
int64_t in_blocks, R, S, in_n, in_cb, in_row, in_r, in_s, in_half, in_pair;
    int64_t out_n, out_cb, out_row, out_half, out_pair, rows, columns, OH, OW, vectors;
    int64_t patch_row, patch_rows, patch_columns, patch_rows_edge, patch_columns_edge; /* input of a tile; elements between its rows */
    int64_t claims; /* are the output's lines to be asked for: whether another thread may have read what was there before */
    int64_t tile_y, tile_x; /* rows and columns from one group to the next */
    int64_t sum_row, sum_cb, sum_size; /* the same in a sum; elements of a block of channels, and from one sum of a group to the next */
} conv;

/* The accumulators, their sign flipped where ``flip`` says so, are added to what is held at ``from``; the result is held at ``to`` or stays in the registers. */
typedef struct {
    int32_t from, to, flip;
} move;

/* One product: its input (one part, or a sum), the output's part that is complete after it, and the moves of its result: of the inner level's sums,
 * ``held`` adds to a sum; ``inner`` completes one, which then is the outer level's product: ``outer`` adds it to a sum; ``last`` begins a sum, or completes a part of the output. */
typedef struct {
    signed char sum, pixels, channels; /* sum < 0: the part (pixels, channels) itself */
    signed char completes; /* < 0: nothing */
    signed char has_held, has_inner, has_outer;
    move held, inner, outer, last;
} step;

static const step steps[PRODUCTS] = {
    {0, 0, 0, -1, 0, 0, 0, {0}, {0}, {0}, {0, 0, 0}},
    {1, 0, 0, -1, 1, 0, 0, {0, 1 * HELD, INT32_MIN}, {0}, {0}, {0, 2 * HELD, 0}},
    {2, 0, 0, -1, 1, 1, 0, {0, 0, 0}, {2 * HELD, 0, 0}, {0}, {0, 4 * HELD, 0}},
    {3, 0, 0, -1, 1, 0, 0, {1 * HELD, 1 * HELD, 0}, {0}, {0}, {0, 2 * HELD, 0}},
    {4, 0, 0, -1, 0, 1, 0, {0}, {1 * HELD, 0, 0}, {0}, {0, 3 * HELD, 0}},
    {5, 0, 0, -1, 1, 1, 0, {0, 0, INT32_MIN}, {2 * HELD, 0, 0}, {0}, {0, 5 * HELD, 0}},
    {6, 0, 0, -1, 0, 1, 0, {0}, {0, 0, 0}, {0}, {0, 6 * HELD, 0}},
    {7, 0, 0, -1, 0, 0, 0, {0}, {0}, {0}, {0, 0, 0}},
    {8, 0, 0, -1, 1, 0, 0, {0, 1 * HELD, INT32_MIN}, {0}, {0}, {0, 2 * HELD, 0}},
    {9, 0, 0, -1, 1, 1, 1, {0, 0, 0}, {2 * HELD, 0, 0}, {4 * HELD, 8 * HELD, INT32_MIN}, {0, 12 * HELD, 0}},
    {10, 0, 0, -1, 1, 0, 0, {1 * HELD, 1 * HELD, 0}, {0}, {0}, {0, 2 * HELD, 0}},
    {11, 0, 0, -1, 0, 1, 1, {0}, {1 * HELD, 0, 0}, {3 * HELD, 7 * HELD, INT32_MIN}, {0, 11 * HELD, 0}},
    {12, 0, 0, -1, 1, 1, 1, {0, 0, INT32_MIN}, {2 * HELD, 0, 0}, {5 * HELD, 9 * HELD, INT32_MIN}, {0, 13 * HELD, 0}},
    {13, 0, 0, -1, 0, 1, 1, {0}, {0, 0, 0}, {6 * HELD, 10 * HELD, INT32_MIN}, {0, 14 * HELD, 0}},
    {14, 0, 0, -1, 0, 0, 0, {0}, {0}, {0}, {0, 0, 0}},
    {15, 0, 0, -1, 1, 0, 0, {0, 1 * HELD, INT32_MIN}, {0}, {0}, {0, 2 * HELD, 0}},
    {-1, 0, 0, 3, 1, 1, 1, {0, 0, 0}, {2 * HELD, 0, 0}, {4 * HELD, 4 * HELD, 0}, {12 * HELD, 0, 0}},
    {-1, 1, 1, -1, 1, 0, 0, {1 * HELD, 1 * HELD, 0}, {0}, {0}, {0, 2 * HELD, 0}},
    {16, 0, 0, 2, 0, 1, 1, {0}, {1 * HELD, 0, 0}, {3 * HELD, 3 * HELD, 0}, {11 * HELD, 0, 0}},
    {17, 0, 0, 6, 1, 1, 1, {0, 0, INT32_MIN}, {2 * HELD, 0, 0}, {5 * HELD, 5 * HELD, 0}, {13 * HELD, 0, 0}},
    {18, 0, 0, 7, 0, 1, 1, {0}, {0, 0, 0}, {6 * HELD, 6 * HELD, 0}, {14 * HELD, 0, 0}},
    {19, 0, 0, -1, 0, 0, 0, {0}, {0}, {0}, {0, 0, 0}},
    {20, 0, 0, -1, 1, 0, 0, {0, 1 * HELD, INT32_MIN}, {0}, {0}, {0, 2 * HELD, 0}},
    {-1, 2, 2, -1, 1, 1, 1, {0, 0, 0}, {2 * HELD, 0, 0}, {8 * HELD, 8 * HELD, 0}, {0, 12 * HELD, 0}},
    {-1, 3, 3, -1, 1, 0, 0, {1 * HELD, 1 * HELD, 0}, {0}, {0}, {0, 2 * HELD, 0}},
    {21, 0, 0, -1, 0, 1, 1, {0}, {1 * HELD, 0, 0}, {7 * HELD, 7 * HELD, 0}, {0, 11 * HELD, 0}},
    {22, 0, 0, -1, 1, 1, 1, {0, 0, INT32_MIN}, {2 * HELD, 0, 0}, {9 * HELD, 9 * HELD, 0}, {0, 13 * HELD, 0}},
    {23, 0, 0, -1, 0, 1, 1, {0}, {0, 0, 0}, {10 * HELD, 10 * HELD, 0}, {0, 14 * HELD, 0}},
    {24, 0, 0, -1, 0, 0, 0, {0}, {0}, {0}, {0, 0, 0}},
    {25, 0, 0, -1, 1, 0, 0, {0, 1 * HELD, INT32_MIN}, {0}, {0}, {0, 2 * HELD, 0}},
    {26, 0, 0, 1, 1, 1, 0, {0, 0, 0}, {2 * HELD, 0, 0}, {0}, {8 * HELD, 0, 0}},
    {27, 0, 0, -1, 1, 0, 0, {1 * HELD, 1 * HELD, 0}, {0}, {0}, {0, 2 * HELD, 0}},
    {28, 0, 0, 0, 0, 1, 0, {0}, {1 * HELD, 0, 0}, {0}, {7 * HELD, 0, 0}},
    {29, 0, 0, 4, 1, 1, 0, {0, 0, INT32_MIN}, {2 * HELD, 0, 0}, {0}, {9 * HELD, 0, 0}},
    {30, 0, 0, 5, 0, 1, 0, {0}, {0, 0, 0}, {0}, {10 * HELD, 0, 0}},
    {31, 0, 0, -1, 0, 0, 0, {0}, {0}, {0}, {0, 0, 0}},
    {32, 0, 0, -1, 1, 0, 0, {0, 1 * HELD, INT32_MIN}, {0}, {0}, {0, 2 * HELD, 0}},
    {33, 0, 0, 9, 1, 1, 1, {0, 0, 0}, {2 * HELD, 0, 0}, {4 * HELD, 4 * HELD, INT32_MIN}, {12 * HELD, 0, 0}},
    {34, 0, 0, -1, 1, 0, 0, {1 * HELD, 1 * HELD, 0}, {0}, {0}, {0, 2 * HELD, 0}},
    {35, 0, 0, 8, 0, 1, 1, {0}, {1 * HELD, 0, 0}, {3 * HELD, 3 * HELD, INT32_MIN}, {11 * HELD, 0, 0}},
    {36, 0, 0, 12, 1, 1, 1, {0, 0, INT32_MIN}, {2 * HELD, 0, 0}, {5 * HELD, 5 * HELD, INT32_MIN}, {13 * HELD, 0, 0}},
    {37, 0, 0, 13, 0, 1, 1, {0}, {0, 0, 0}, {6 * HELD, 6 * HELD, INT32_MIN}, {14 * HELD, 0, 0}},
    {38, 0, 0, -1, 0, 0, 0, {0}, {0}, {0}, {0, 0, 0}},
    {39, 0, 0, -1, 1, 0, 0, {0, 1 * HELD, INT32_MIN}, {0}, {0}, {0, 2 * HELD, 0}},
    {40, 0, 0, 11, 1, 1, 0, {0, 0, 0}, {2 * HELD, 0, 0}, {0}, {4 * HELD, 0, 0}},
    {41, 0, 0, -1, 1, 0, 0, {1 * HELD, 1 * HELD, 0}, {0}, {0}, {0, 2 * HELD, 0}},
    {42, 0, 0, 10, 0, 1, 0, {0}, {1 * HELD, 0, 0}, {0}, {3 * HELD, 0, 0}},
    {43, 0, 0, 14, 1, 1, 0, {0, 0, INT32_MIN}, {2 * HELD, 0, 0}, {0}, {5 * HELD, 0, 0}},
    {44, 0, 0, 15, 0, 1, 0, {0}, {0, 0, 0}, {0}, {6 * HELD, 0, 0}},
};

/* The sums of input parts of one patch, LANES channels at a time. Runs of a patch are short: the next block's are prefetched. */
static __attribute__((noinline)) void add_parts(const conv *c, const float *in, int64_t patch_rows, int64_t pixels, float *sums)
{
    const int64_t half = c->in_half, pair = c->in_pair, channels = c->in_blocks * c->in_cb, sum = c->sum_size, next = c->in_cb;
    (void)pair;
    for (int64_t b = 0; b < c->in_blocks; b++)
        for (int64_t r = 0; r < patch_rows; r++) {
            const float *i = in + b * c->in_cb + r * c->patch_row;
            float *o = sums + b * c->sum_cb + r * c->sum_row;
            for (int64_t x = 0; x < pixels; x += 1, i += 1 * LANES, o += 1 * LANES) {
                const vf i0_0 = vf_load(i);
                __builtin_prefetch(i + next);
                const vf i0_1 = vf_load(i + channels);
                __builtin_prefetch(i + next + channels);
                const vf i0_2 = vf_load(i + 2 * channels);
                __builtin_prefetch(i + next + 2 * channels);
                const vf i0_3 = vf_load(i + 3 * channels);
                __builtin_prefetch(i + next + 3 * channels);
                const vf i1_0 = vf_load(i + half);
                __builtin_prefetch(i + next + half);
                const vf i1_1 = vf_load(i + half + channels);
                __builtin_prefetch(i + next + half + channels);
                const vf i1_2 = vf_load(i + half + 2 * channels);
                __builtin_prefetch(i + next + half + 2 * channels);
                const vf i1_3 = vf_load(i + half + 3 * channels);
                __builtin_prefetch(i + next + half + 3 * channels);
                const vf i2_0 = vf_load(i + pair);
                __builtin_prefetch(i + next + pair);
                const vf i2_1 = vf_load(i + pair + channels);
                __builtin_prefetch(i + next + pair + channels);
                const vf i2_2 = vf_load(i + pair + 2 * channels);
                __builtin_prefetch(i + next + pair + 2 * channels);
                const vf i2_3 = vf_load(i + pair + 3 * channels);
                __builtin_prefetch(i + next + pair + 3 * channels);
                const vf i3_0 = vf_load(i + pair + half);
                __builtin_prefetch(i + next + pair + half);
                const vf i3_1 = vf_load(i + pair + half + channels);
                __builtin_prefetch(i + next + pair + half + channels);
                const vf i3_2 = vf_load(i + pair + half + 2 * channels);
                __builtin_prefetch(i + next + pair + half + 2 * channels);
                const vf i3_3 = vf_load(i + pair + half + 3 * channels);
                __builtin_prefetch(i + next + pair + half + 3 * channels);
                vf_store(o, i0_0 + i1_1 + i2_2 + i3_3);
                vf_store(o + 1 * sum, i0_0 + i0_1 + i2_2 + i2_3);
                vf_store(o + 2 * sum, i0_0 + i2_2);
                vf_store(o + 3 * sum, i1_1 + i3_3);
                vf_store(o + 4 * sum, i0_1 - i1_1 + i2_3 - i3_3);
                vf_store(o + 5 * sum, i1_0 + i1_1 + i3_2 + i3_3);
                vf_store(o + 6 * sum, i1_0 - i0_0 + i3_2 - i2_2);
                vf_store(o + 7 * sum, i0_0 + i1_1 + i0_2 + i1_3);
                vf_store(o + 8 * sum, i0_0 + i0_1 + i0_2 + i0_3);
                vf_store(o + 9 * sum, i0_0 + i0_2);
                vf_store(o + 10 * sum, i1_1 + i1_3);
                vf_store(o + 11 * sum, i0_1 - i1_1 + i0_3 - i1_3);
                vf_store(o + 12 * sum, i1_0 + i1_1 + i1_2 + i1_3);
                vf_store(o + 13 * sum, i1_0 - i0_0 + i1_2 - i0_2);
                vf_store(o + 14 * sum, i0_0 + i1_1);
                vf_store(o + 15 * sum, i0_0 + i0_1);
                vf_store(o + 16 * sum, i0_1 - i1_1);
                vf_store(o + 17 * sum, i1_0 + i1_1);
                vf_store(o + 18 * sum, i1_0 - i0_0);
                vf_store(o + 19 * sum, i2_2 + i3_3);
                vf_store(o + 20 * sum, i2_2 + i2_3);
                vf_store(o + 21 * sum, i2_3 - i3_3);
                vf_store(o + 22 * sum, i3_2 + i3_3);
                vf_store(o + 23 * sum, i3_2 - i2_2);
                vf_store(o + 24 * sum, i0_2 + i1_3 - i2_2 - i3_3);
                vf_store(o + 25 * sum, i0_2 + i0_3 - i2_2 - i2_3);
                vf_store(o + 26 * sum, i0_2 - i2_2);
                vf_store(o + 27 * sum, i1_3 - i3_3);
                vf_store(o + 28 * sum, i0_3 - i1_3 - i2_3 + i3_3);
                vf_store(o + 29 * sum, i1_2 + i1_3 - i3_2 - i3_3);
                vf_store(o + 30 * sum, i1_2 - i0_2 - i3_2 + i2_2);
                vf_store(o + 31 * sum, i2_0 + i3_1 + i2_2 + i3_3);
                vf_store(o + 32 * sum, i2_0 + i2_1 + i2_2 + i2_3);
                vf_store(o + 33 * sum, i2_0 + i2_2);
                vf_store(o + 34 * sum, i3_1 + i3_3);
                vf_store(o + 35 * sum, i2_1 - i3_1 + i2_3 - i3_3);
                vf_store(o + 36 * sum, i3_0 + i3_1 + i3_2 + i3_3);
                vf_store(o + 37 * sum, i3_0 - i2_0 + i3_2 - i2_2);
                vf_store(o + 38 * sum, i2_0 + i3_1 - i0_0 - i1_1);
                vf_store(o + 39 * sum, i2_0 + i2_1 - i0_0 - i0_1);
                vf_store(o + 40 * sum, i2_0 - i0_0);
                vf_store(o + 41 * sum, i3_1 - i1_1);
                vf_store(o + 42 * sum, i2_1 - i3_1 - i0_1 + i1_1);
                vf_store(o + 43 * sum, i3_0 + i3_1 - i1_0 - i1_1);
                vf_store(o + 44 * sum, i3_0 - i2_0 - i1_0 + i0_0);
            }
        }
}

/* One product of a tile. at: what is held of its group. out: its part that is complete after this, or null; bias and operands are there in any case. */
static __attribute__((noinline)) void tile_1x13(const conv *c, const float *in, const float *w, int64_t ahead, const step *s, float *at, float *out)
{
    const vf b0 = vf_zero();
    vf a0_0_0 = b0, a0_0_1 = b0, a0_0_2 = b0, a0_0_3 = b0, a0_0_4 = b0, a0_0_5 = b0, a0_0_6 = b0, a0_0_7 = b0, a0_0_8 = b0, a0_0_9 = b0, a0_0_10 = b0, a0_0_11 = b0, a0_0_12 = b0;
    const vf b1 = vf_zero();
    vf a1_0_0 = b1, a1_0_1 = b1, a1_0_2 = b1, a1_0_3 = b1, a1_0_4 = b1, a1_0_5 = b1, a1_0_6 = b1, a1_0_7 = b1, a1_0_8 = b1, a1_0_9 = b1, a1_0_10 = b1, a1_0_11 = b1, a1_0_12 = b1;
const int64_t blocks = c->in_blocks, R = c->R, S = c->S, in_cb = c->in_cb, in_r = c->in_r, in_s = c->in_s;
    const float *x0 = in;
    if (out && c->claims) {
        for (int64_t y = 0; y < 1; y++)
            for (int64_t x = 0; x < 13; x++) {
                const float *o = out + y * c->out_row + x * LANES;
                SOL_CLAIM(o); SOL_CLAIM(o + 1 * c->out_cb);
            }
    }
    for (int64_t block = 1; block <= blocks; block++, in += in_cb) {
        const float *row = in;
        for (int64_t r = 1; r <= R; r++, row += in_r) {
            const float *tap = row;
            for (int64_t t = 1; t <= S; t++, tap += in_s) {
                x0 = tap;
                for (int64_t i = block < blocks || r < R || t < S ? LANES / 2 : (LANES - 4) / 2; i; i--, x0 += 2, w += 4 * LANES) {
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
                    }
                    SOL_FENCE();
}
            }
        }
    }
    __builtin_prefetch(w + ahead + 0 * LANES, 0, 2); __builtin_prefetch(w + ahead + 1 * LANES, 0, 2); __builtin_prefetch(w + ahead + 2 * LANES, 0, 2); __builtin_prefetch(w + ahead + 3 * LANES, 0, 2); __builtin_prefetch(w + ahead + 4 * LANES, 0, 2); __builtin_prefetch(w + ahead + 5 * LANES, 0, 2); __builtin_prefetch(w + ahead + 6 * LANES, 0, 2); __builtin_prefetch(w + ahead + 7 * LANES, 0, 2);
    const float *const held_from = at + s->held.from;
    float *const held_to = at + s->held.to;
    const float *const inner_from = at + s->inner.from;
    const float *const outer_from = at + s->outer.from;
    float *const outer_to = at + s->outer.to;
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
        if (s->has_held) {
            vf_store(held_to + 0 * LANES, vf_load(held_from + 0 * LANES) + vf_flip(a0_0_0, s->held.flip));
            vf_store(held_to + 13 * LANES, vf_load(held_from + 13 * LANES) + vf_flip(a1_0_0, s->held.flip));
        }
        if (s->has_inner) {
            a0_0_0 = vf_load(inner_from + 0 * LANES) + vf_flip(a0_0_0, s->inner.flip);
            a1_0_0 = vf_load(inner_from + 13 * LANES) + vf_flip(a1_0_0, s->inner.flip);
        }
        if (s->has_outer) {
            vf_store(outer_to + 0 * LANES, vf_load(outer_from + 0 * LANES) + vf_flip(a0_0_0, s->outer.flip));
            vf_store(outer_to + 13 * LANES, vf_load(outer_from + 13 * LANES) + vf_flip(a1_0_0, s->outer.flip));
        }
        a0_0_0 = vf_flip(a0_0_0, s->last.flip);
        a1_0_0 = vf_flip(a1_0_0, s->last.flip);
        if (out) {
            a0_0_0 += vf_load(last_from + 0 * LANES);
            a1_0_0 += vf_load(last_from + 13 * LANES);
            const vf t0_0_0_0 = vf_max_quiet(vf_set(0.0f), a0_0_0);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 0 * LANES, t0_0_0_0);
            const vf t1_0_0_0 = vf_max_quiet(vf_set(0.0f), a1_0_0);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 0 * LANES, t1_0_0_0);
        } else {
            vf_store(last_to + 0 * LANES, a0_0_0);
            vf_store(last_to + 13 * LANES, a1_0_0);
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
        if (s->has_held) {
            vf_store(held_to + 1 * LANES, vf_load(held_from + 1 * LANES) + vf_flip(a0_0_1, s->held.flip));
            vf_store(held_to + 14 * LANES, vf_load(held_from + 14 * LANES) + vf_flip(a1_0_1, s->held.flip));
        }
        if (s->has_inner) {
            a0_0_1 = vf_load(inner_from + 1 * LANES) + vf_flip(a0_0_1, s->inner.flip);
            a1_0_1 = vf_load(inner_from + 14 * LANES) + vf_flip(a1_0_1, s->inner.flip);
        }
        if (s->has_outer) {
            vf_store(outer_to + 1 * LANES, vf_load(outer_from + 1 * LANES) + vf_flip(a0_0_1, s->outer.flip));
            vf_store(outer_to + 14 * LANES, vf_load(outer_from + 14 * LANES) + vf_flip(a1_0_1, s->outer.flip));
        }
        a0_0_1 = vf_flip(a0_0_1, s->last.flip);
        a1_0_1 = vf_flip(a1_0_1, s->last.flip);
        if (out) {
            a0_0_1 += vf_load(last_from + 1 * LANES);
            a1_0_1 += vf_load(last_from + 14 * LANES);
            const vf t0_0_1_0 = vf_max_quiet(vf_set(0.0f), a0_0_1);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 1 * LANES, t0_0_1_0);
            const vf t1_0_1_0 = vf_max_quiet(vf_set(0.0f), a1_0_1);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 1 * LANES, t1_0_1_0);
        } else {
            vf_store(last_to + 1 * LANES, a0_0_1);
            vf_store(last_to + 14 * LANES, a1_0_1);
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
        if (s->has_held) {
            vf_store(held_to + 2 * LANES, vf_load(held_from + 2 * LANES) + vf_flip(a0_0_2, s->held.flip));
            vf_store(held_to + 15 * LANES, vf_load(held_from + 15 * LANES) + vf_flip(a1_0_2, s->held.flip));
        }
        if (s->has_inner) {
            a0_0_2 = vf_load(inner_from + 2 * LANES) + vf_flip(a0_0_2, s->inner.flip);
            a1_0_2 = vf_load(inner_from + 15 * LANES) + vf_flip(a1_0_2, s->inner.flip);
        }
        if (s->has_outer) {
            vf_store(outer_to + 2 * LANES, vf_load(outer_from + 2 * LANES) + vf_flip(a0_0_2, s->outer.flip));
            vf_store(outer_to + 15 * LANES, vf_load(outer_from + 15 * LANES) + vf_flip(a1_0_2, s->outer.flip));
        }
        a0_0_2 = vf_flip(a0_0_2, s->last.flip);
        a1_0_2 = vf_flip(a1_0_2, s->last.flip);
        if (out) {
            a0_0_2 += vf_load(last_from + 2 * LANES);
            a1_0_2 += vf_load(last_from + 15 * LANES);
            const vf t0_0_2_0 = vf_max_quiet(vf_set(0.0f), a0_0_2);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 2 * LANES, t0_0_2_0);
            const vf t1_0_2_0 = vf_max_quiet(vf_set(0.0f), a1_0_2);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 2 * LANES, t1_0_2_0);
        } else {
            vf_store(last_to + 2 * LANES, a0_0_2);
            vf_store(last_to + 15 * LANES, a1_0_2);
        }
    }
    const vf w0_0 = vf_load(w + 0 * LANES), w0_1 = vf_load(w + 1 * LANES), w1_0 = vf_load(w + 2 * LANES), w1_1 = vf_load(w + 3 * LANES), w2_0 = vf_load(w + 4 * LANES), w2_1 = vf_load(w + 5 * LANES), w3_0 = vf_load(w + 6 * LANES), w3_1 = vf_load(w + 7 * LANES);
    {
        const float b0 = x0[3 * LANES + 0];
        a0_0_3 += w0_0 * b0;
        a1_0_3 += w0_1 * b0;
        const float b1 = x0[3 * LANES + 1];
        a0_0_3 += w1_0 * b1;
        a1_0_3 += w1_1 * b1;
        const float b2 = x0[3 * LANES + 2];
        a0_0_3 += w2_0 * b2;
        a1_0_3 += w2_1 * b2;
        const float b3 = x0[3 * LANES + 3];
        a0_0_3 += w3_0 * b3;
        a1_0_3 += w3_1 * b3;
        if (s->has_held) {
            vf_store(held_to + 3 * LANES, vf_load(held_from + 3 * LANES) + vf_flip(a0_0_3, s->held.flip));
            vf_store(held_to + 16 * LANES, vf_load(held_from + 16 * LANES) + vf_flip(a1_0_3, s->held.flip));
        }
        if (s->has_inner) {
            a0_0_3 = vf_load(inner_from + 3 * LANES) + vf_flip(a0_0_3, s->inner.flip);
            a1_0_3 = vf_load(inner_from + 16 * LANES) + vf_flip(a1_0_3, s->inner.flip);
        }
        if (s->has_outer) {
            vf_store(outer_to + 3 * LANES, vf_load(outer_from + 3 * LANES) + vf_flip(a0_0_3, s->outer.flip));
            vf_store(outer_to + 16 * LANES, vf_load(outer_from + 16 * LANES) + vf_flip(a1_0_3, s->outer.flip));
        }
        a0_0_3 = vf_flip(a0_0_3, s->last.flip);
        a1_0_3 = vf_flip(a1_0_3, s->last.flip);
        if (out) {
            a0_0_3 += vf_load(last_from + 3 * LANES);
            a1_0_3 += vf_load(last_from + 16 * LANES);
            const vf t0_0_3_0 = vf_max_quiet(vf_set(0.0f), a0_0_3);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 3 * LANES, t0_0_3_0);
            const vf t1_0_3_0 = vf_max_quiet(vf_set(0.0f), a1_0_3);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 3 * LANES, t1_0_3_0);
        } else {
            vf_store(last_to + 3 * LANES, a0_0_3);
            vf_store(last_to + 16 * LANES, a1_0_3);
        }
    }
    SOL_FENCE();
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
        if (s->has_held) {
            vf_store(held_to + 4 * LANES, vf_load(held_from + 4 * LANES) + vf_flip(a0_0_4, s->held.flip));
            vf_store(held_to + 17 * LANES, vf_load(held_from + 17 * LANES) + vf_flip(a1_0_4, s->held.flip));
        }
        if (s->has_inner) {
            a0_0_4 = vf_load(inner_from + 4 * LANES) + vf_flip(a0_0_4, s->inner.flip);
            a1_0_4 = vf_load(inner_from + 17 * LANES) + vf_flip(a1_0_4, s->inner.flip);
        }
        if (s->has_outer) {
            vf_store(outer_to + 4 * LANES, vf_load(outer_from + 4 * LANES) + vf_flip(a0_0_4, s->outer.flip));
            vf_store(outer_to + 17 * LANES, vf_load(outer_from + 17 * LANES) + vf_flip(a1_0_4, s->outer.flip));
        }
        a0_0_4 = vf_flip(a0_0_4, s->last.flip);
        a1_0_4 = vf_flip(a1_0_4, s->last.flip);
        if (out) {
            a0_0_4 += vf_load(last_from + 4 * LANES);
            a1_0_4 += vf_load(last_from + 17 * LANES);
            const vf t0_0_4_0 = vf_max_quiet(vf_set(0.0f), a0_0_4);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 4 * LANES, t0_0_4_0);
            const vf t1_0_4_0 = vf_max_quiet(vf_set(0.0f), a1_0_4);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 4 * LANES, t1_0_4_0);
        } else {
            vf_store(last_to + 4 * LANES, a0_0_4);
            vf_store(last_to + 17 * LANES, a1_0_4);
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
        if (s->has_held) {
            vf_store(held_to + 5 * LANES, vf_load(held_from + 5 * LANES) + vf_flip(a0_0_5, s->held.flip));
            vf_store(held_to + 18 * LANES, vf_load(held_from + 18 * LANES) + vf_flip(a1_0_5, s->held.flip));
        }
        if (s->has_inner) {
            a0_0_5 = vf_load(inner_from + 5 * LANES) + vf_flip(a0_0_5, s->inner.flip);
            a1_0_5 = vf_load(inner_from + 18 * LANES) + vf_flip(a1_0_5, s->inner.flip);
        }
        if (s->has_outer) {
            vf_store(outer_to + 5 * LANES, vf_load(outer_from + 5 * LANES) + vf_flip(a0_0_5, s->outer.flip));
            vf_store(outer_to + 18 * LANES, vf_load(outer_from + 18 * LANES) + vf_flip(a1_0_5, s->outer.flip));
        }
        a0_0_5 = vf_flip(a0_0_5, s->last.flip);
        a1_0_5 = vf_flip(a1_0_5, s->last.flip);
        if (out) {
            a0_0_5 += vf_load(last_from + 5 * LANES);
            a1_0_5 += vf_load(last_from + 18 * LANES);
            const vf t0_0_5_0 = vf_max_quiet(vf_set(0.0f), a0_0_5);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 5 * LANES, t0_0_5_0);
            const vf t1_0_5_0 = vf_max_quiet(vf_set(0.0f), a1_0_5);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 5 * LANES, t1_0_5_0);
        } else {
            vf_store(last_to + 5 * LANES, a0_0_5);
            vf_store(last_to + 18 * LANES, a1_0_5);
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
        if (s->has_held) {
            vf_store(held_to + 6 * LANES, vf_load(held_from + 6 * LANES) + vf_flip(a0_0_6, s->held.flip));
            vf_store(held_to + 19 * LANES, vf_load(held_from + 19 * LANES) + vf_flip(a1_0_6, s->held.flip));
        }
        if (s->has_inner) {
            a0_0_6 = vf_load(inner_from + 6 * LANES) + vf_flip(a0_0_6, s->inner.flip);
            a1_0_6 = vf_load(inner_from + 19 * LANES) + vf_flip(a1_0_6, s->inner.flip);
        }
        if (s->has_outer) {
            vf_store(outer_to + 6 * LANES, vf_load(outer_from + 6 * LANES) + vf_flip(a0_0_6, s->outer.flip));
            vf_store(outer_to + 19 * LANES, vf_load(outer_from + 19 * LANES) + vf_flip(a1_0_6, s->outer.flip));
        }
        a0_0_6 = vf_flip(a0_0_6, s->last.flip);
        a1_0_6 = vf_flip(a1_0_6, s->last.flip);
        if (out) {
            a0_0_6 += vf_load(last_from + 6 * LANES);
            a1_0_6 += vf_load(last_from + 19 * LANES);
            const vf t0_0_6_0 = vf_max_quiet(vf_set(0.0f), a0_0_6);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 6 * LANES, t0_0_6_0);
            const vf t1_0_6_0 = vf_max_quiet(vf_set(0.0f), a1_0_6);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 6 * LANES, t1_0_6_0);
        } else {
            vf_store(last_to + 6 * LANES, a0_0_6);
            vf_store(last_to + 19 * LANES, a1_0_6);
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
        if (s->has_held) {
            vf_store(held_to + 7 * LANES, vf_load(held_from + 7 * LANES) + vf_flip(a0_0_7, s->held.flip));
            vf_store(held_to + 20 * LANES, vf_load(held_from + 20 * LANES) + vf_flip(a1_0_7, s->held.flip));
        }
        if (s->has_inner) {
            a0_0_7 = vf_load(inner_from + 7 * LANES) + vf_flip(a0_0_7, s->inner.flip);
            a1_0_7 = vf_load(inner_from + 20 * LANES) + vf_flip(a1_0_7, s->inner.flip);
        }
        if (s->has_outer) {
            vf_store(outer_to + 7 * LANES, vf_load(outer_from + 7 * LANES) + vf_flip(a0_0_7, s->outer.flip));
            vf_store(outer_to + 20 * LANES, vf_load(outer_from + 20 * LANES) + vf_flip(a1_0_7, s->outer.flip));
        }
        a0_0_7 = vf_flip(a0_0_7, s->last.flip);
        a1_0_7 = vf_flip(a1_0_7, s->last.flip);
        if (out) {
            a0_0_7 += vf_load(last_from + 7 * LANES);
            a1_0_7 += vf_load(last_from + 20 * LANES);
            const vf t0_0_7_0 = vf_max_quiet(vf_set(0.0f), a0_0_7);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 7 * LANES, t0_0_7_0);
            const vf t1_0_7_0 = vf_max_quiet(vf_set(0.0f), a1_0_7);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 7 * LANES, t1_0_7_0);
        } else {
            vf_store(last_to + 7 * LANES, a0_0_7);
            vf_store(last_to + 20 * LANES, a1_0_7);
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
        if (s->has_held) {
            vf_store(held_to + 8 * LANES, vf_load(held_from + 8 * LANES) + vf_flip(a0_0_8, s->held.flip));
            vf_store(held_to + 21 * LANES, vf_load(held_from + 21 * LANES) + vf_flip(a1_0_8, s->held.flip));
        }
        if (s->has_inner) {
            a0_0_8 = vf_load(inner_from + 8 * LANES) + vf_flip(a0_0_8, s->inner.flip);
            a1_0_8 = vf_load(inner_from + 21 * LANES) + vf_flip(a1_0_8, s->inner.flip);
        }
        if (s->has_outer) {
            vf_store(outer_to + 8 * LANES, vf_load(outer_from + 8 * LANES) + vf_flip(a0_0_8, s->outer.flip));
            vf_store(outer_to + 21 * LANES, vf_load(outer_from + 21 * LANES) + vf_flip(a1_0_8, s->outer.flip));
        }
        a0_0_8 = vf_flip(a0_0_8, s->last.flip);
        a1_0_8 = vf_flip(a1_0_8, s->last.flip);
        if (out) {
            a0_0_8 += vf_load(last_from + 8 * LANES);
            a1_0_8 += vf_load(last_from + 21 * LANES);
            const vf t0_0_8_0 = vf_max_quiet(vf_set(0.0f), a0_0_8);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 8 * LANES, t0_0_8_0);
            const vf t1_0_8_0 = vf_max_quiet(vf_set(0.0f), a1_0_8);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 8 * LANES, t1_0_8_0);
        } else {
            vf_store(last_to + 8 * LANES, a0_0_8);
            vf_store(last_to + 21 * LANES, a1_0_8);
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
        if (s->has_held) {
            vf_store(held_to + 9 * LANES, vf_load(held_from + 9 * LANES) + vf_flip(a0_0_9, s->held.flip));
            vf_store(held_to + 22 * LANES, vf_load(held_from + 22 * LANES) + vf_flip(a1_0_9, s->held.flip));
        }
        if (s->has_inner) {
            a0_0_9 = vf_load(inner_from + 9 * LANES) + vf_flip(a0_0_9, s->inner.flip);
            a1_0_9 = vf_load(inner_from + 22 * LANES) + vf_flip(a1_0_9, s->inner.flip);
        }
        if (s->has_outer) {
            vf_store(outer_to + 9 * LANES, vf_load(outer_from + 9 * LANES) + vf_flip(a0_0_9, s->outer.flip));
            vf_store(outer_to + 22 * LANES, vf_load(outer_from + 22 * LANES) + vf_flip(a1_0_9, s->outer.flip));
        }
        a0_0_9 = vf_flip(a0_0_9, s->last.flip);
        a1_0_9 = vf_flip(a1_0_9, s->last.flip);
        if (out) {
            a0_0_9 += vf_load(last_from + 9 * LANES);
            a1_0_9 += vf_load(last_from + 22 * LANES);
            const vf t0_0_9_0 = vf_max_quiet(vf_set(0.0f), a0_0_9);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 9 * LANES, t0_0_9_0);
            const vf t1_0_9_0 = vf_max_quiet(vf_set(0.0f), a1_0_9);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 9 * LANES, t1_0_9_0);
        } else {
            vf_store(last_to + 9 * LANES, a0_0_9);
            vf_store(last_to + 22 * LANES, a1_0_9);
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
        if (s->has_held) {
            vf_store(held_to + 10 * LANES, vf_load(held_from + 10 * LANES) + vf_flip(a0_0_10, s->held.flip));
            vf_store(held_to + 23 * LANES, vf_load(held_from + 23 * LANES) + vf_flip(a1_0_10, s->held.flip));
        }
        if (s->has_inner) {
            a0_0_10 = vf_load(inner_from + 10 * LANES) + vf_flip(a0_0_10, s->inner.flip);
            a1_0_10 = vf_load(inner_from + 23 * LANES) + vf_flip(a1_0_10, s->inner.flip);
        }
        if (s->has_outer) {
            vf_store(outer_to + 10 * LANES, vf_load(outer_from + 10 * LANES) + vf_flip(a0_0_10, s->outer.flip));
            vf_store(outer_to + 23 * LANES, vf_load(outer_from + 23 * LANES) + vf_flip(a1_0_10, s->outer.flip));
        }
        a0_0_10 = vf_flip(a0_0_10, s->last.flip);
        a1_0_10 = vf_flip(a1_0_10, s->last.flip);
        if (out) {
            a0_0_10 += vf_load(last_from + 10 * LANES);
            a1_0_10 += vf_load(last_from + 23 * LANES);
            const vf t0_0_10_0 = vf_max_quiet(vf_set(0.0f), a0_0_10);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 10 * LANES, t0_0_10_0);
            const vf t1_0_10_0 = vf_max_quiet(vf_set(0.0f), a1_0_10);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 10 * LANES, t1_0_10_0);
        } else {
            vf_store(last_to + 10 * LANES, a0_0_10);
            vf_store(last_to + 23 * LANES, a1_0_10);
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
        if (s->has_held) {
            vf_store(held_to + 11 * LANES, vf_load(held_from + 11 * LANES) + vf_flip(a0_0_11, s->held.flip));
            vf_store(held_to + 24 * LANES, vf_load(held_from + 24 * LANES) + vf_flip(a1_0_11, s->held.flip));
        }
        if (s->has_inner) {
            a0_0_11 = vf_load(inner_from + 11 * LANES) + vf_flip(a0_0_11, s->inner.flip);
            a1_0_11 = vf_load(inner_from + 24 * LANES) + vf_flip(a1_0_11, s->inner.flip);
        }
        if (s->has_outer) {
            vf_store(outer_to + 11 * LANES, vf_load(outer_from + 11 * LANES) + vf_flip(a0_0_11, s->outer.flip));
            vf_store(outer_to + 24 * LANES, vf_load(outer_from + 24 * LANES) + vf_flip(a1_0_11, s->outer.flip));
        }
        a0_0_11 = vf_flip(a0_0_11, s->last.flip);
        a1_0_11 = vf_flip(a1_0_11, s->last.flip);
        if (out) {
            a0_0_11 += vf_load(last_from + 11 * LANES);
            a1_0_11 += vf_load(last_from + 24 * LANES);
            const vf t0_0_11_0 = vf_max_quiet(vf_set(0.0f), a0_0_11);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 11 * LANES, t0_0_11_0);
            const vf t1_0_11_0 = vf_max_quiet(vf_set(0.0f), a1_0_11);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 11 * LANES, t1_0_11_0);
        } else {
            vf_store(last_to + 11 * LANES, a0_0_11);
            vf_store(last_to + 24 * LANES, a1_0_11);
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
        if (s->has_held) {
            vf_store(held_to + 12 * LANES, vf_load(held_from + 12 * LANES) + vf_flip(a0_0_12, s->held.flip));
            vf_store(held_to + 25 * LANES, vf_load(held_from + 25 * LANES) + vf_flip(a1_0_12, s->held.flip));
        }
        if (s->has_inner) {
            a0_0_12 = vf_load(inner_from + 12 * LANES) + vf_flip(a0_0_12, s->inner.flip);
            a1_0_12 = vf_load(inner_from + 25 * LANES) + vf_flip(a1_0_12, s->inner.flip);
        }
        if (s->has_outer) {
            vf_store(outer_to + 12 * LANES, vf_load(outer_from + 12 * LANES) + vf_flip(a0_0_12, s->outer.flip));
            vf_store(outer_to + 25 * LANES, vf_load(outer_from + 25 * LANES) + vf_flip(a1_0_12, s->outer.flip));
        }
        a0_0_12 = vf_flip(a0_0_12, s->last.flip);
        a1_0_12 = vf_flip(a1_0_12, s->last.flip);
        if (out) {
            a0_0_12 += vf_load(last_from + 12 * LANES);
            a1_0_12 += vf_load(last_from + 25 * LANES);
            const vf t0_0_12_0 = vf_max_quiet(vf_set(0.0f), a0_0_12);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 12 * LANES, t0_0_12_0);
            const vf t1_0_12_0 = vf_max_quiet(vf_set(0.0f), a1_0_12);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 12 * LANES, t1_0_12_0);
        } else {
            vf_store(last_to + 12 * LANES, a0_0_12);
            vf_store(last_to + 25 * LANES, a1_0_12);
        }
    }
}

/* One product of a tile. at: what is held of its group. out: its part that is complete after this, or null; bias and operands are there in any case. */
static __attribute__((noinline)) void tile_1x10(const conv *c, const float *in, const float *w, int64_t ahead, const step *s, float *at, float *out)
{
    const vf b0 = vf_zero();
    vf a0_0_0 = b0, a0_0_1 = b0, a0_0_2 = b0, a0_0_3 = b0, a0_0_4 = b0, a0_0_5 = b0, a0_0_6 = b0, a0_0_7 = b0, a0_0_8 = b0, a0_0_9 = b0;
    const vf b1 = vf_zero();
    vf a1_0_0 = b1, a1_0_1 = b1, a1_0_2 = b1, a1_0_3 = b1, a1_0_4 = b1, a1_0_5 = b1, a1_0_6 = b1, a1_0_7 = b1, a1_0_8 = b1, a1_0_9 = b1;
const int64_t blocks = c->in_blocks, R = c->R, S = c->S, in_cb = c->in_cb, in_r = c->in_r, in_s = c->in_s;
    const float *x0 = in;
    if (out && c->claims) {
        for (int64_t y = 0; y < 1; y++)
            for (int64_t x = 0; x < 10; x++) {
                const float *o = out + y * c->out_row + x * LANES;
                SOL_CLAIM(o); SOL_CLAIM(o + 1 * c->out_cb);
            }
    }
    for (int64_t block = 1; block <= blocks; block++, in += in_cb) {
        const float *row = in;
        for (int64_t r = 1; r <= R; r++, row += in_r) {
            const float *tap = row;
            for (int64_t t = 1; t <= S; t++, tap += in_s) {
                x0 = tap;
                for (int64_t i = block < blocks || r < R || t < S ? LANES / 2 : (LANES - 4) / 2; i; i--, x0 += 2, w += 4 * LANES) {
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
                    }
                    SOL_FENCE();
}
            }
        }
    }
    __builtin_prefetch(w + ahead + 0 * LANES, 0, 2); __builtin_prefetch(w + ahead + 1 * LANES, 0, 2); __builtin_prefetch(w + ahead + 2 * LANES, 0, 2); __builtin_prefetch(w + ahead + 3 * LANES, 0, 2); __builtin_prefetch(w + ahead + 4 * LANES, 0, 2); __builtin_prefetch(w + ahead + 5 * LANES, 0, 2); __builtin_prefetch(w + ahead + 6 * LANES, 0, 2); __builtin_prefetch(w + ahead + 7 * LANES, 0, 2);
    const float *const held_from = at + s->held.from;
    float *const held_to = at + s->held.to;
    const float *const inner_from = at + s->inner.from;
    const float *const outer_from = at + s->outer.from;
    float *const outer_to = at + s->outer.to;
    const float *const last_from = at + s->last.from;
    float *const last_to = at + s->last.to;
    const vf w0_0 = vf_load(w + 0 * LANES), w0_1 = vf_load(w + 1 * LANES), w1_0 = vf_load(w + 2 * LANES), w1_1 = vf_load(w + 3 * LANES), w2_0 = vf_load(w + 4 * LANES), w2_1 = vf_load(w + 5 * LANES), w3_0 = vf_load(w + 6 * LANES), w3_1 = vf_load(w + 7 * LANES);
    {
        const float b0 = x0[0 * LANES + 0];
        a0_0_0 += w0_0 * b0;
        a1_0_0 += w0_1 * b0;
        const float b1 = x0[0 * LANES + 1];
        a0_0_0 += w1_0 * b1;
        a1_0_0 += w1_1 * b1;
        const float b2 = x0[0 * LANES + 2];
        a0_0_0 += w2_0 * b2;
        a1_0_0 += w2_1 * b2;
        const float b3 = x0[0 * LANES + 3];
        a0_0_0 += w3_0 * b3;
        a1_0_0 += w3_1 * b3;
        if (s->has_held) {
            vf_store(held_to + 0 * LANES, vf_load(held_from + 0 * LANES) + vf_flip(a0_0_0, s->held.flip));
            vf_store(held_to + 10 * LANES, vf_load(held_from + 10 * LANES) + vf_flip(a1_0_0, s->held.flip));
        }
        if (s->has_inner) {
            a0_0_0 = vf_load(inner_from + 0 * LANES) + vf_flip(a0_0_0, s->inner.flip);
            a1_0_0 = vf_load(inner_from + 10 * LANES) + vf_flip(a1_0_0, s->inner.flip);
        }
        if (s->has_outer) {
            vf_store(outer_to + 0 * LANES, vf_load(outer_from + 0 * LANES) + vf_flip(a0_0_0, s->outer.flip));
            vf_store(outer_to + 10 * LANES, vf_load(outer_from + 10 * LANES) + vf_flip(a1_0_0, s->outer.flip));
        }
        a0_0_0 = vf_flip(a0_0_0, s->last.flip);
        a1_0_0 = vf_flip(a1_0_0, s->last.flip);
        if (out) {
            a0_0_0 += vf_load(last_from + 0 * LANES);
            a1_0_0 += vf_load(last_from + 10 * LANES);
            const vf t0_0_0_0 = vf_max_quiet(vf_set(0.0f), a0_0_0);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 0 * LANES, t0_0_0_0);
            const vf t1_0_0_0 = vf_max_quiet(vf_set(0.0f), a1_0_0);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 0 * LANES, t1_0_0_0);
        } else {
            vf_store(last_to + 0 * LANES, a0_0_0);
            vf_store(last_to + 10 * LANES, a1_0_0);
        }
    }
    {
        const float b0 = x0[1 * LANES + 0];
        a0_0_1 += w0_0 * b0;
        a1_0_1 += w0_1 * b0;
        const float b1 = x0[1 * LANES + 1];
        a0_0_1 += w1_0 * b1;
        a1_0_1 += w1_1 * b1;
        const float b2 = x0[1 * LANES + 2];
        a0_0_1 += w2_0 * b2;
        a1_0_1 += w2_1 * b2;
        const float b3 = x0[1 * LANES + 3];
        a0_0_1 += w3_0 * b3;
        a1_0_1 += w3_1 * b3;
        if (s->has_held) {
            vf_store(held_to + 1 * LANES, vf_load(held_from + 1 * LANES) + vf_flip(a0_0_1, s->held.flip));
            vf_store(held_to + 11 * LANES, vf_load(held_from + 11 * LANES) + vf_flip(a1_0_1, s->held.flip));
        }
        if (s->has_inner) {
            a0_0_1 = vf_load(inner_from + 1 * LANES) + vf_flip(a0_0_1, s->inner.flip);
            a1_0_1 = vf_load(inner_from + 11 * LANES) + vf_flip(a1_0_1, s->inner.flip);
        }
        if (s->has_outer) {
            vf_store(outer_to + 1 * LANES, vf_load(outer_from + 1 * LANES) + vf_flip(a0_0_1, s->outer.flip));
            vf_store(outer_to + 11 * LANES, vf_load(outer_from + 11 * LANES) + vf_flip(a1_0_1, s->outer.flip));
        }
        a0_0_1 = vf_flip(a0_0_1, s->last.flip);
        a1_0_1 = vf_flip(a1_0_1, s->last.flip);
        if (out) {
            a0_0_1 += vf_load(last_from + 1 * LANES);
            a1_0_1 += vf_load(last_from + 11 * LANES);
            const vf t0_0_1_0 = vf_max_quiet(vf_set(0.0f), a0_0_1);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 1 * LANES, t0_0_1_0);
            const vf t1_0_1_0 = vf_max_quiet(vf_set(0.0f), a1_0_1);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 1 * LANES, t1_0_1_0);
        } else {
            vf_store(last_to + 1 * LANES, a0_0_1);
            vf_store(last_to + 11 * LANES, a1_0_1);
        }
    }
    SOL_FENCE();
    {
        const float b0 = x0[2 * LANES + 0];
        a0_0_2 += w0_0 * b0;
        a1_0_2 += w0_1 * b0;
        const float b1 = x0[2 * LANES + 1];
        a0_0_2 += w1_0 * b1;
        a1_0_2 += w1_1 * b1;
        const float b2 = x0[2 * LANES + 2];
        a0_0_2 += w2_0 * b2;
        a1_0_2 += w2_1 * b2;
        const float b3 = x0[2 * LANES + 3];
        a0_0_2 += w3_0 * b3;
        a1_0_2 += w3_1 * b3;
        if (s->has_held) {
            vf_store(held_to + 2 * LANES, vf_load(held_from + 2 * LANES) + vf_flip(a0_0_2, s->held.flip));
            vf_store(held_to + 12 * LANES, vf_load(held_from + 12 * LANES) + vf_flip(a1_0_2, s->held.flip));
        }
        if (s->has_inner) {
            a0_0_2 = vf_load(inner_from + 2 * LANES) + vf_flip(a0_0_2, s->inner.flip);
            a1_0_2 = vf_load(inner_from + 12 * LANES) + vf_flip(a1_0_2, s->inner.flip);
        }
        if (s->has_outer) {
            vf_store(outer_to + 2 * LANES, vf_load(outer_from + 2 * LANES) + vf_flip(a0_0_2, s->outer.flip));
            vf_store(outer_to + 12 * LANES, vf_load(outer_from + 12 * LANES) + vf_flip(a1_0_2, s->outer.flip));
        }
        a0_0_2 = vf_flip(a0_0_2, s->last.flip);
        a1_0_2 = vf_flip(a1_0_2, s->last.flip);
        if (out) {
            a0_0_2 += vf_load(last_from + 2 * LANES);
            a1_0_2 += vf_load(last_from + 12 * LANES);
            const vf t0_0_2_0 = vf_max_quiet(vf_set(0.0f), a0_0_2);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 2 * LANES, t0_0_2_0);
            const vf t1_0_2_0 = vf_max_quiet(vf_set(0.0f), a1_0_2);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 2 * LANES, t1_0_2_0);
        } else {
            vf_store(last_to + 2 * LANES, a0_0_2);
            vf_store(last_to + 12 * LANES, a1_0_2);
        }
    }
    {
        const float b0 = x0[3 * LANES + 0];
        a0_0_3 += w0_0 * b0;
        a1_0_3 += w0_1 * b0;
        const float b1 = x0[3 * LANES + 1];
        a0_0_3 += w1_0 * b1;
        a1_0_3 += w1_1 * b1;
        const float b2 = x0[3 * LANES + 2];
        a0_0_3 += w2_0 * b2;
        a1_0_3 += w2_1 * b2;
        const float b3 = x0[3 * LANES + 3];
        a0_0_3 += w3_0 * b3;
        a1_0_3 += w3_1 * b3;
        if (s->has_held) {
            vf_store(held_to + 3 * LANES, vf_load(held_from + 3 * LANES) + vf_flip(a0_0_3, s->held.flip));
            vf_store(held_to + 13 * LANES, vf_load(held_from + 13 * LANES) + vf_flip(a1_0_3, s->held.flip));
        }
        if (s->has_inner) {
            a0_0_3 = vf_load(inner_from + 3 * LANES) + vf_flip(a0_0_3, s->inner.flip);
            a1_0_3 = vf_load(inner_from + 13 * LANES) + vf_flip(a1_0_3, s->inner.flip);
        }
        if (s->has_outer) {
            vf_store(outer_to + 3 * LANES, vf_load(outer_from + 3 * LANES) + vf_flip(a0_0_3, s->outer.flip));
            vf_store(outer_to + 13 * LANES, vf_load(outer_from + 13 * LANES) + vf_flip(a1_0_3, s->outer.flip));
        }
        a0_0_3 = vf_flip(a0_0_3, s->last.flip);
        a1_0_3 = vf_flip(a1_0_3, s->last.flip);
        if (out) {
            a0_0_3 += vf_load(last_from + 3 * LANES);
            a1_0_3 += vf_load(last_from + 13 * LANES);
            const vf t0_0_3_0 = vf_max_quiet(vf_set(0.0f), a0_0_3);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 3 * LANES, t0_0_3_0);
            const vf t1_0_3_0 = vf_max_quiet(vf_set(0.0f), a1_0_3);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 3 * LANES, t1_0_3_0);
        } else {
            vf_store(last_to + 3 * LANES, a0_0_3);
            vf_store(last_to + 13 * LANES, a1_0_3);
        }
    }
    SOL_FENCE();
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
        if (s->has_held) {
            vf_store(held_to + 4 * LANES, vf_load(held_from + 4 * LANES) + vf_flip(a0_0_4, s->held.flip));
            vf_store(held_to + 14 * LANES, vf_load(held_from + 14 * LANES) + vf_flip(a1_0_4, s->held.flip));
        }
        if (s->has_inner) {
            a0_0_4 = vf_load(inner_from + 4 * LANES) + vf_flip(a0_0_4, s->inner.flip);
            a1_0_4 = vf_load(inner_from + 14 * LANES) + vf_flip(a1_0_4, s->inner.flip);
        }
        if (s->has_outer) {
            vf_store(outer_to + 4 * LANES, vf_load(outer_from + 4 * LANES) + vf_flip(a0_0_4, s->outer.flip));
            vf_store(outer_to + 14 * LANES, vf_load(outer_from + 14 * LANES) + vf_flip(a1_0_4, s->outer.flip));
        }
        a0_0_4 = vf_flip(a0_0_4, s->last.flip);
        a1_0_4 = vf_flip(a1_0_4, s->last.flip);
        if (out) {
            a0_0_4 += vf_load(last_from + 4 * LANES);
            a1_0_4 += vf_load(last_from + 14 * LANES);
            const vf t0_0_4_0 = vf_max_quiet(vf_set(0.0f), a0_0_4);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 4 * LANES, t0_0_4_0);
            const vf t1_0_4_0 = vf_max_quiet(vf_set(0.0f), a1_0_4);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 4 * LANES, t1_0_4_0);
        } else {
            vf_store(last_to + 4 * LANES, a0_0_4);
            vf_store(last_to + 14 * LANES, a1_0_4);
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
        if (s->has_held) {
            vf_store(held_to + 5 * LANES, vf_load(held_from + 5 * LANES) + vf_flip(a0_0_5, s->held.flip));
            vf_store(held_to + 15 * LANES, vf_load(held_from + 15 * LANES) + vf_flip(a1_0_5, s->held.flip));
        }
        if (s->has_inner) {
            a0_0_5 = vf_load(inner_from + 5 * LANES) + vf_flip(a0_0_5, s->inner.flip);
            a1_0_5 = vf_load(inner_from + 15 * LANES) + vf_flip(a1_0_5, s->inner.flip);
        }
        if (s->has_outer) {
            vf_store(outer_to + 5 * LANES, vf_load(outer_from + 5 * LANES) + vf_flip(a0_0_5, s->outer.flip));
            vf_store(outer_to + 15 * LANES, vf_load(outer_from + 15 * LANES) + vf_flip(a1_0_5, s->outer.flip));
        }
        a0_0_5 = vf_flip(a0_0_5, s->last.flip);
        a1_0_5 = vf_flip(a1_0_5, s->last.flip);
        if (out) {
            a0_0_5 += vf_load(last_from + 5 * LANES);
            a1_0_5 += vf_load(last_from + 15 * LANES);
            const vf t0_0_5_0 = vf_max_quiet(vf_set(0.0f), a0_0_5);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 5 * LANES, t0_0_5_0);
            const vf t1_0_5_0 = vf_max_quiet(vf_set(0.0f), a1_0_5);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 5 * LANES, t1_0_5_0);
        } else {
            vf_store(last_to + 5 * LANES, a0_0_5);
            vf_store(last_to + 15 * LANES, a1_0_5);
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
        if (s->has_held) {
            vf_store(held_to + 6 * LANES, vf_load(held_from + 6 * LANES) + vf_flip(a0_0_6, s->held.flip));
            vf_store(held_to + 16 * LANES, vf_load(held_from + 16 * LANES) + vf_flip(a1_0_6, s->held.flip));
        }
        if (s->has_inner) {
            a0_0_6 = vf_load(inner_from + 6 * LANES) + vf_flip(a0_0_6, s->inner.flip);
            a1_0_6 = vf_load(inner_from + 16 * LANES) + vf_flip(a1_0_6, s->inner.flip);
        }
        if (s->has_outer) {
            vf_store(outer_to + 6 * LANES, vf_load(outer_from + 6 * LANES) + vf_flip(a0_0_6, s->outer.flip));
            vf_store(outer_to + 16 * LANES, vf_load(outer_from + 16 * LANES) + vf_flip(a1_0_6, s->outer.flip));
        }
        a0_0_6 = vf_flip(a0_0_6, s->last.flip);
        a1_0_6 = vf_flip(a1_0_6, s->last.flip);
        if (out) {
            a0_0_6 += vf_load(last_from + 6 * LANES);
            a1_0_6 += vf_load(last_from + 16 * LANES);
            const vf t0_0_6_0 = vf_max_quiet(vf_set(0.0f), a0_0_6);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 6 * LANES, t0_0_6_0);
            const vf t1_0_6_0 = vf_max_quiet(vf_set(0.0f), a1_0_6);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 6 * LANES, t1_0_6_0);
        } else {
            vf_store(last_to + 6 * LANES, a0_0_6);
            vf_store(last_to + 16 * LANES, a1_0_6);
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
        if (s->has_held) {
            vf_store(held_to + 7 * LANES, vf_load(held_from + 7 * LANES) + vf_flip(a0_0_7, s->held.flip));
            vf_store(held_to + 17 * LANES, vf_load(held_from + 17 * LANES) + vf_flip(a1_0_7, s->held.flip));
        }
        if (s->has_inner) {
            a0_0_7 = vf_load(inner_from + 7 * LANES) + vf_flip(a0_0_7, s->inner.flip);
            a1_0_7 = vf_load(inner_from + 17 * LANES) + vf_flip(a1_0_7, s->inner.flip);
        }
        if (s->has_outer) {
            vf_store(outer_to + 7 * LANES, vf_load(outer_from + 7 * LANES) + vf_flip(a0_0_7, s->outer.flip));
            vf_store(outer_to + 17 * LANES, vf_load(outer_from + 17 * LANES) + vf_flip(a1_0_7, s->outer.flip));
        }
        a0_0_7 = vf_flip(a0_0_7, s->last.flip);
        a1_0_7 = vf_flip(a1_0_7, s->last.flip);
        if (out) {
            a0_0_7 += vf_load(last_from + 7 * LANES);
            a1_0_7 += vf_load(last_from + 17 * LANES);
            const vf t0_0_7_0 = vf_max_quiet(vf_set(0.0f), a0_0_7);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 7 * LANES, t0_0_7_0);
            const vf t1_0_7_0 = vf_max_quiet(vf_set(0.0f), a1_0_7);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 7 * LANES, t1_0_7_0);
        } else {
            vf_store(last_to + 7 * LANES, a0_0_7);
            vf_store(last_to + 17 * LANES, a1_0_7);
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
        if (s->has_held) {
            vf_store(held_to + 8 * LANES, vf_load(held_from + 8 * LANES) + vf_flip(a0_0_8, s->held.flip));
            vf_store(held_to + 18 * LANES, vf_load(held_from + 18 * LANES) + vf_flip(a1_0_8, s->held.flip));
        }
        if (s->has_inner) {
            a0_0_8 = vf_load(inner_from + 8 * LANES) + vf_flip(a0_0_8, s->inner.flip);
            a1_0_8 = vf_load(inner_from + 18 * LANES) + vf_flip(a1_0_8, s->inner.flip);
        }
        if (s->has_outer) {
            vf_store(outer_to + 8 * LANES, vf_load(outer_from + 8 * LANES) + vf_flip(a0_0_8, s->outer.flip));
            vf_store(outer_to + 18 * LANES, vf_load(outer_from + 18 * LANES) + vf_flip(a1_0_8, s->outer.flip));
        }
        a0_0_8 = vf_flip(a0_0_8, s->last.flip);
        a1_0_8 = vf_flip(a1_0_8, s->last.flip);
        if (out) {
            a0_0_8 += vf_load(last_from + 8 * LANES);
            a1_0_8 += vf_load(last_from + 18 * LANES);
            const vf t0_0_8_0 = vf_max_quiet(vf_set(0.0f), a0_0_8);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 8 * LANES, t0_0_8_0);
            const vf t1_0_8_0 = vf_max_quiet(vf_set(0.0f), a1_0_8);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 8 * LANES, t1_0_8_0);
        } else {
            vf_store(last_to + 8 * LANES, a0_0_8);
            vf_store(last_to + 18 * LANES, a1_0_8);
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
        if (s->has_held) {
            vf_store(held_to + 9 * LANES, vf_load(held_from + 9 * LANES) + vf_flip(a0_0_9, s->held.flip));
            vf_store(held_to + 19 * LANES, vf_load(held_from + 19 * LANES) + vf_flip(a1_0_9, s->held.flip));
        }
        if (s->has_inner) {
            a0_0_9 = vf_load(inner_from + 9 * LANES) + vf_flip(a0_0_9, s->inner.flip);
            a1_0_9 = vf_load(inner_from + 19 * LANES) + vf_flip(a1_0_9, s->inner.flip);
        }
        if (s->has_outer) {
            vf_store(outer_to + 9 * LANES, vf_load(outer_from + 9 * LANES) + vf_flip(a0_0_9, s->outer.flip));
            vf_store(outer_to + 19 * LANES, vf_load(outer_from + 19 * LANES) + vf_flip(a1_0_9, s->outer.flip));
        }
        a0_0_9 = vf_flip(a0_0_9, s->last.flip);
        a1_0_9 = vf_flip(a1_0_9, s->last.flip);
        if (out) {
            a0_0_9 += vf_load(last_from + 9 * LANES);
            a1_0_9 += vf_load(last_from + 19 * LANES);
            const vf t0_0_9_0 = vf_max_quiet(vf_set(0.0f), a0_0_9);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 9 * LANES, t0_0_9_0);
            const vf t1_0_9_0 = vf_max_quiet(vf_set(0.0f), a1_0_9);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 9 * LANES, t1_0_9_0);
        } else {
            vf_store(last_to + 9 * LANES, a0_0_9);
            vf_store(last_to + 19 * LANES, a1_0_9);
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

#define IS_EDGE(c, p) ((p).x == (c)->columns - 1)
/* The sums of groups g0 … g1 - 1. */
static void make_sums(const conv *c, int64_t g0, int64_t g1, float *sums)
{
    place p = place_of(c, g0);
    for (; g0 < g1; g0++, sums += SUMS * c->sum_size, advance(c, &p)) {
        if (IS_EDGE(c, p)) add_parts(c, input_of(c, p), c->patch_rows_edge, c->patch_columns_edge, sums);
        else
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
            const int64_t ahead = g == g0 ? w_product : 0; /* the next product's weights are fetched by the first group */
            const float *in = s->sum < 0 ? input_of(c, p) + s->pixels / 2 * c->in_pair + s->pixels % 2 * c->in_half + s->channels * c->in_blocks * c->in_cb
                                         : sums + ((g - g0) * SUMS + s->sum) * c->sum_size;
            if (s->completes < 0) {
                if (IS_EDGE(c, p)) tile_1x10(from, in, w, ahead, s, at, 0);
                else
                tile_1x13(from, in, w, ahead, s, at, 0);
                continue;
            }
            const int64_t i = s->completes / PARTS, k = kb + s->completes % PARTS * 2;
            float *out = c->out + i / 2 * c->out_pair + i % 2 * c->out_half + k * c->out_cb + p.n * c->out_n + p.y * c->tile_y * c->out_row + p.x * c->tile_x * LANES;
            if (IS_EDGE(c, p)) tile_1x10(from, in, w, ahead, s, at, out);
            else
            tile_1x13(from, in, w, ahead, s, at, out);
        }
    }
}

void conv_strassen(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    const float *w = buf[1];
    float *out = buf[2];
    const int64_t N = arg[0];
    const int64_t OH = arg[1];
    const int64_t OW = arg[2];
    const int64_t vectors = arg[3];
    const int64_t block = arg[4];
    const int64_t held_block = arg[5];
    const int64_t by_panels = arg[6];
    const int64_t overlap = arg[7];
    const int64_t in_blocks = arg[8];
    const int64_t R = arg[9];
    const int64_t S = arg[10];
    const int64_t in_n = arg[11];
    const int64_t in_cb = arg[12];
    const int64_t in_row = arg[13];
    const int64_t in_r = arg[14];
    const int64_t in_s = arg[15];
    const int64_t in_start = arg[16];
    const int64_t in_half = arg[17];
    const int64_t in_pair = arg[18];
    const int64_t out_n = arg[19];
    const int64_t out_cb = arg[20];
    const int64_t out_row = arg[21];
    const int64_t out_half = arg[22];
    const int64_t out_pair = arg[23];
    const int64_t tile_y = arg[24];
    const int64_t tile_x = arg[25];
    const int64_t sum_size = arg[26];
    const int64_t patch_row = arg[27];
    const int64_t patch_rows = arg[28];
    const int64_t patch_columns = arg[29];
    const int64_t row_step = arg[30];
    const int64_t sum_r = arg[31];
    const int64_t sum_s = arg[32];
    const int64_t patch_rows_edge = arg[33];
    const int64_t patch_columns_edge = arg[34];
    (void)team; (void)buf; (void)arg;
    const int64_t groups = N * ((OH + 0) / 1) * ((OW + 12) / 13), panels = vectors / (PARTS * 2);
    const int64_t most = (groups + team->size - 1) / team->size * team->size; /* groups of the slowest thread, times the team */
    if (groups == 0) return;
    const int uneven = by_panels && team->size > 1 && (most - groups + 1) * 16 > groups;
    const conv c = {
        .in = in + in_start, .out = out,
        .in_blocks = in_blocks, .R = R, .S = S, .in_n = in_n, .in_cb = in_cb, .in_row = in_row, .in_r = in_r, .in_s = in_s,
        .in_half = in_half, .in_pair = in_pair, .out_n = out_n, .out_cb = out_cb, .out_row = out_row, .out_half = out_half, .out_pair = out_pair,
        .rows = (OH + 0) / 1, .columns = (OW + 12) / 13, .OH = OH, .OW = OW,
        .vectors = vectors, .patch_row = patch_row, .patch_rows = patch_rows, .patch_columns = patch_columns,
        .patch_rows_edge = patch_rows_edge, .patch_columns_edge = patch_columns_edge,
        .claims = overlap || uneven, .tile_y = tile_y, .tile_x = tile_x, .sum_row = patch_columns * LANES, .sum_cb = patch_rows * patch_columns * LANES, .sum_size = sum_size,
    };
    conv m = c;
    m.in_cb = c.sum_cb, m.in_row = row_step * c.sum_row, m.in_r = sum_r * c.sum_row, m.in_s = sum_s * LANES;
    float *held = (float *)team->scratch;
    int64_t u0, u1;
    if (uneven && !overlap && team->size > 4) {
        float *sums = (float *)team->common;
        sol_split(team, groups, &u0, &u1);
        make_sums(&c, u0, u1, sums + u0 * SUMS * sum_size);
        sol_barrier(team);
        sol_split(team, panels * groups, &u0, &u1);
        for (int64_t g0, g1; u0 < u1; u0 += g1 - g0) {
            g0 = u0 % groups, g1 = u1 - u0 < groups - g0 ? g0 + u1 - u0 : groups;
            if (g1 - g0 > held_block) g1 = g0 + held_block;
            multiply(&c, &m, w, u0 / groups, g0, g1, sums + g0 * SUMS * sum_size, held);
        }
        return;
    }
    /* The groups, or the (panel, group) pairs, of this thread: pairs u0 … u1 - 1 of those of groups first … last - 1. */
    float *sums = held + block * SLOTS * HELD;
    int64_t first = 0, last = groups;
    if (overlap) { /* what two parts share is written by one thread, always in the same order */
        sol_split(team, panels, &u0, &u1);
        u0 *= groups, u1 *= groups;
    } else if (uneven) {
        sol_split(team, panels * groups, &u0, &u1);
    } else {
        sol_split(team, groups, &first, &last);
        u0 = 0, u1 = panels * groups;
    }
    for (int64_t b0 = first, b1; b0 < last; b0 = b1) {
        b1 = last - b0 < block ? last : b0 + block;
        make_sums(&c, b0, b1, sums);
        for (int64_t panel = u0 / groups; panel * groups < u1; panel++) {
            const int64_t g0 = u0 - panel * groups > b0 ? u0 - panel * groups : b0, g1 = u1 - panel * groups < b1 ? u1 - panel * groups : b1;
            if (g0 < g1) multiply(&c, &m, w, panel, g0, g1, sums + (g0 - b0) * SUMS * sum_size, held);
        }
    }
}
