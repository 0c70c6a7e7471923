/* Convolution by Strassen's algorithm, 1 level, NCHWc -> NCHWc, then relu.
 *
 * The product out = w * in has 2 parts along pixels, input channels and output channels each. 7 products of sums of parts,
 * each with an 2th of every dimension, give what 8 products of parts would.
 *
 *   block of this thread's tile groups           group = the tiles at one place of all 2 pixel parts: neighbours, where sizes allow
 *     sums of input parts, in scratch
 *     panel                                      panel = 2 output vectors of every output part, neighbours
 *       product                                  its weights stay in the cache
 *         group: reduction in registers; add to the outputs' parts held in scratch; what is complete goes through the tail
 * Where groups are few, threads share out the (panel, group) pairs; a few threads each make the sums for themselves, a larger team makes
 * them together in its common memory, then waits.
 *
 * Register tile: 2 output vectors x 1 rows x 14 pixels.
 * w: [panel][product][input block][r][s][channel][2 * LANES], sums of weight parts. */
#include "sol_team.h"
#include "sol_simd.h"

enum { PARTS = 2, PRODUCTS = 7, SUMS = 5, HELD = 28 * LANES };

typedef struct {
    const float *in;
    float *out;
int64_t in_blocks, in_last, R, S, in_n, in_cb, in_row, in_r, in_s, in_half, in_pair;
    int64_t out_n, out_cb, out_row, out_half, out_pair, rows, columns, OH, OW, vectors;
    int64_t patch_row, patch_rows, patch_columns; /* input of a tile; elements between its rows */
    int64_t tile_y, tile_x; /* rows and columns from one group to the next */
    int64_t sum_row, sum_size; /* the same in a sum; elements of a sum of one group */
} conv;

/* Adds sign times a product to what is held of one part; ``from`` is ``to``, or zeros the first time. */
typedef struct {
    const float *from;
    float *to;
    float sign;
} addition;

/* One product: its input (one part, or a sum), the parts that it is added to, and the one that it completes. */
typedef struct {
    signed char sum, pixels, channels; /* sum < 0: the part (pixels, channels) itself */
    signed char additions, part[2], sign[2], fresh[2];
    signed char completes, last_sign, alone; /* completes < 0: nothing; alone: no other product adds to that part */
} step;

static const step steps[PRODUCTS] = {
    {0, 0, 0, 2, {0, 3}, {1, 1}, {1, 1}, -1, 0, 0},
    {1, 0, 0, 2, {2, 3}, {1, -1}, {1, 0}, -1, 0, 0},
    {-1, 0, 0, 2, {1, 3}, {1, 1}, {1, 0}, -1, 0, 0},
    {-1, 1, 1, 1, {0, 0}, {1, 0}, {0, 0}, 2, 1, 0},
    {2, 0, 0, 1, {0, 0}, {-1, 0}, {0, 0}, 1, 1, 0},
    {3, 0, 0, 0, {0, 0}, {0, 0}, {0, 0}, 3, 1, 0},
    {4, 0, 0, 0, {0, 0}, {0, 0}, {0, 0}, 0, 1, 0},
};

static _Alignas(64) const float zeros[HELD];

/* The sums of input parts of one patch, LANES channels at a time. Runs of a patch are short: the next block's are prefetched. */
static __attribute__((noinline)) void add_parts(const conv *c, const float *in, int64_t patch_rows, int64_t pixels, float *sums)
{
    const int64_t half = c->in_half, pair = c->in_pair, channels = c->in_blocks * c->in_cb, sum = c->sum_size, next = c->in_cb;
    (void)pair;
    for (int64_t b = 0; b < c->in_blocks; b++)
        for (int64_t r = 0; r < patch_rows; r++) {
            const float *i = in + b * c->in_cb + r * c->patch_row;
            float *o = sums + b * (sum / c->in_blocks) + r * c->sum_row;
            for (int64_t x = 0; x < pixels; x += 1, i += 1 * LANES, o += 1 * LANES) {
                const vf i0_0 = vf_load(i);
                __builtin_prefetch(i + next);
                const vf i0_1 = vf_load(i + channels);
                __builtin_prefetch(i + next + channels);
                const vf i1_0 = vf_load(i + half);
                __builtin_prefetch(i + next + half);
                const vf i1_1 = vf_load(i + half + channels);
                __builtin_prefetch(i + next + half + channels);
                vf_store(o, i0_0 + i1_1);
                vf_store(o + 1 * sum, i1_0 + i1_1);
                vf_store(o + 2 * sum, i0_0 + i0_1);
                vf_store(o + 3 * sum, i1_0 - i0_0);
                vf_store(o + 4 * sum, i0_1 - i1_1);
            }
        }
}

static __attribute__((noinline)) void add_1x14(const conv *c, const float *in, const float *w, int64_t ahead, const addition *add, int64_t count)
{
    const vf b0 = vf_zero();
    vf a0_0_0 = b0, a0_0_1 = b0, a0_0_2 = b0, a0_0_3 = b0, a0_0_4 = b0, a0_0_5 = b0, a0_0_6 = b0, a0_0_7 = b0, a0_0_8 = b0, a0_0_9 = b0, a0_0_10 = b0, a0_0_11 = b0, a0_0_12 = b0, a0_0_13 = b0;
    const vf b1 = vf_zero();
    vf a1_0_0 = b1, a1_0_1 = b1, a1_0_2 = b1, a1_0_3 = b1, a1_0_4 = b1, a1_0_5 = b1, a1_0_6 = b1, a1_0_7 = b1, a1_0_8 = b1, a1_0_9 = b1, a1_0_10 = b1, a1_0_11 = b1, a1_0_12 = b1, a1_0_13 = b1;
const int64_t blocks = c->in_blocks, last = c->in_last, R = c->R, S = c->S;
    const int64_t in_cb = c->in_cb, in_r = c->in_r, in_s = c->in_s;
    for (int64_t block = 1; block <= blocks; block++, in += in_cb) {
        const int64_t pairs = (block < blocks ? LANES : last) / 2;
        const float *row = in;
        for (int64_t r = 0; r < R; r++, row += in_r) {
            const float *tap = row;
            for (int64_t s = 0; s < S; s++, tap += in_s) {
                const float *x0 = tap;
                for (int64_t i = pairs; i; i--, x0 += 2, w += 4 * LANES) {
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
    }
    for (; count; count--, add++) {
        const vf sign = vf_set(add->sign);
        const float *from = add->from;
        float *to = add->to;
        vf_store(to + 0 * LANES, vf_load(from + 0 * LANES) + sign * a0_0_0);
        vf_store(to + 1 * LANES, vf_load(from + 1 * LANES) + sign * a0_0_1);
        vf_store(to + 2 * LANES, vf_load(from + 2 * LANES) + sign * a0_0_2);
        vf_store(to + 3 * LANES, vf_load(from + 3 * LANES) + sign * a0_0_3);
        vf_store(to + 4 * LANES, vf_load(from + 4 * LANES) + sign * a0_0_4);
        vf_store(to + 5 * LANES, vf_load(from + 5 * LANES) + sign * a0_0_5);
        vf_store(to + 6 * LANES, vf_load(from + 6 * LANES) + sign * a0_0_6);
        vf_store(to + 7 * LANES, vf_load(from + 7 * LANES) + sign * a0_0_7);
        vf_store(to + 8 * LANES, vf_load(from + 8 * LANES) + sign * a0_0_8);
        vf_store(to + 9 * LANES, vf_load(from + 9 * LANES) + sign * a0_0_9);
        vf_store(to + 10 * LANES, vf_load(from + 10 * LANES) + sign * a0_0_10);
        vf_store(to + 11 * LANES, vf_load(from + 11 * LANES) + sign * a0_0_11);
        vf_store(to + 12 * LANES, vf_load(from + 12 * LANES) + sign * a0_0_12);
        vf_store(to + 13 * LANES, vf_load(from + 13 * LANES) + sign * a0_0_13);
        vf_store(to + 14 * LANES, vf_load(from + 14 * LANES) + sign * a1_0_0);
        vf_store(to + 15 * LANES, vf_load(from + 15 * LANES) + sign * a1_0_1);
        vf_store(to + 16 * LANES, vf_load(from + 16 * LANES) + sign * a1_0_2);
        vf_store(to + 17 * LANES, vf_load(from + 17 * LANES) + sign * a1_0_3);
        vf_store(to + 18 * LANES, vf_load(from + 18 * LANES) + sign * a1_0_4);
        vf_store(to + 19 * LANES, vf_load(from + 19 * LANES) + sign * a1_0_5);
        vf_store(to + 20 * LANES, vf_load(from + 20 * LANES) + sign * a1_0_6);
        vf_store(to + 21 * LANES, vf_load(from + 21 * LANES) + sign * a1_0_7);
        vf_store(to + 22 * LANES, vf_load(from + 22 * LANES) + sign * a1_0_8);
        vf_store(to + 23 * LANES, vf_load(from + 23 * LANES) + sign * a1_0_9);
        vf_store(to + 24 * LANES, vf_load(from + 24 * LANES) + sign * a1_0_10);
        vf_store(to + 25 * LANES, vf_load(from + 25 * LANES) + sign * a1_0_11);
        vf_store(to + 26 * LANES, vf_load(from + 26 * LANES) + sign * a1_0_12);
        vf_store(to + 27 * LANES, vf_load(from + 27 * LANES) + sign * a1_0_13);
    }
}

static __attribute__((noinline)) void complete_1x14(const conv *c, const float *in, const float *w, int64_t ahead, const addition *add, int64_t count, const float *held, float last_sign, float *out)
{
    const vf b0 = vf_zero();
    vf a0_0_0 = b0, a0_0_1 = b0, a0_0_2 = b0, a0_0_3 = b0, a0_0_4 = b0, a0_0_5 = b0, a0_0_6 = b0, a0_0_7 = b0, a0_0_8 = b0, a0_0_9 = b0, a0_0_10 = b0, a0_0_11 = b0, a0_0_12 = b0, a0_0_13 = b0;
    const vf b1 = vf_zero();
    vf a1_0_0 = b1, a1_0_1 = b1, a1_0_2 = b1, a1_0_3 = b1, a1_0_4 = b1, a1_0_5 = b1, a1_0_6 = b1, a1_0_7 = b1, a1_0_8 = b1, a1_0_9 = b1, a1_0_10 = b1, a1_0_11 = b1, a1_0_12 = b1, a1_0_13 = b1;
const int64_t blocks = c->in_blocks, last = c->in_last, R = c->R, S = c->S;
    const int64_t in_cb = c->in_cb, in_r = c->in_r, in_s = c->in_s;
    for (int64_t block = 1; block <= blocks; block++, in += in_cb) {
        const int64_t pairs = (block < blocks ? LANES : last) / 2;
        const float *row = in;
        for (int64_t r = 0; r < R; r++, row += in_r) {
            const float *tap = row;
            for (int64_t s = 0; s < S; s++, tap += in_s) {
                const float *x0 = tap;
                for (int64_t i = pairs; i; i--, x0 += 2, w += 4 * LANES) {
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
    }
    for (; count; count--, add++) {
        const vf sign = vf_set(add->sign);
        const float *from = add->from;
        float *to = add->to;
        vf_store(to + 0 * LANES, vf_load(from + 0 * LANES) + sign * a0_0_0);
        vf_store(to + 1 * LANES, vf_load(from + 1 * LANES) + sign * a0_0_1);
        vf_store(to + 2 * LANES, vf_load(from + 2 * LANES) + sign * a0_0_2);
        vf_store(to + 3 * LANES, vf_load(from + 3 * LANES) + sign * a0_0_3);
        vf_store(to + 4 * LANES, vf_load(from + 4 * LANES) + sign * a0_0_4);
        vf_store(to + 5 * LANES, vf_load(from + 5 * LANES) + sign * a0_0_5);
        vf_store(to + 6 * LANES, vf_load(from + 6 * LANES) + sign * a0_0_6);
        vf_store(to + 7 * LANES, vf_load(from + 7 * LANES) + sign * a0_0_7);
        vf_store(to + 8 * LANES, vf_load(from + 8 * LANES) + sign * a0_0_8);
        vf_store(to + 9 * LANES, vf_load(from + 9 * LANES) + sign * a0_0_9);
        vf_store(to + 10 * LANES, vf_load(from + 10 * LANES) + sign * a0_0_10);
        vf_store(to + 11 * LANES, vf_load(from + 11 * LANES) + sign * a0_0_11);
        vf_store(to + 12 * LANES, vf_load(from + 12 * LANES) + sign * a0_0_12);
        vf_store(to + 13 * LANES, vf_load(from + 13 * LANES) + sign * a0_0_13);
        vf_store(to + 14 * LANES, vf_load(from + 14 * LANES) + sign * a1_0_0);
        vf_store(to + 15 * LANES, vf_load(from + 15 * LANES) + sign * a1_0_1);
        vf_store(to + 16 * LANES, vf_load(from + 16 * LANES) + sign * a1_0_2);
        vf_store(to + 17 * LANES, vf_load(from + 17 * LANES) + sign * a1_0_3);
        vf_store(to + 18 * LANES, vf_load(from + 18 * LANES) + sign * a1_0_4);
        vf_store(to + 19 * LANES, vf_load(from + 19 * LANES) + sign * a1_0_5);
        vf_store(to + 20 * LANES, vf_load(from + 20 * LANES) + sign * a1_0_6);
        vf_store(to + 21 * LANES, vf_load(from + 21 * LANES) + sign * a1_0_7);
        vf_store(to + 22 * LANES, vf_load(from + 22 * LANES) + sign * a1_0_8);
        vf_store(to + 23 * LANES, vf_load(from + 23 * LANES) + sign * a1_0_9);
        vf_store(to + 24 * LANES, vf_load(from + 24 * LANES) + sign * a1_0_10);
        vf_store(to + 25 * LANES, vf_load(from + 25 * LANES) + sign * a1_0_11);
        vf_store(to + 26 * LANES, vf_load(from + 26 * LANES) + sign * a1_0_12);
        vf_store(to + 27 * LANES, vf_load(from + 27 * LANES) + sign * a1_0_13);
    }
const vf sign = vf_set(last_sign);
    a0_0_0 = vf_load(held + 0 * LANES) + sign * a0_0_0;
    a0_0_1 = vf_load(held + 1 * LANES) + sign * a0_0_1;
    a0_0_2 = vf_load(held + 2 * LANES) + sign * a0_0_2;
    a0_0_3 = vf_load(held + 3 * LANES) + sign * a0_0_3;
    a0_0_4 = vf_load(held + 4 * LANES) + sign * a0_0_4;
    a0_0_5 = vf_load(held + 5 * LANES) + sign * a0_0_5;
    a0_0_6 = vf_load(held + 6 * LANES) + sign * a0_0_6;
    a0_0_7 = vf_load(held + 7 * LANES) + sign * a0_0_7;
    a0_0_8 = vf_load(held + 8 * LANES) + sign * a0_0_8;
    a0_0_9 = vf_load(held + 9 * LANES) + sign * a0_0_9;
    a0_0_10 = vf_load(held + 10 * LANES) + sign * a0_0_10;
    a0_0_11 = vf_load(held + 11 * LANES) + sign * a0_0_11;
    a0_0_12 = vf_load(held + 12 * LANES) + sign * a0_0_12;
    a0_0_13 = vf_load(held + 13 * LANES) + sign * a0_0_13;
    a1_0_0 = vf_load(held + 14 * LANES) + sign * a1_0_0;
    a1_0_1 = vf_load(held + 15 * LANES) + sign * a1_0_1;
    a1_0_2 = vf_load(held + 16 * LANES) + sign * a1_0_2;
    a1_0_3 = vf_load(held + 17 * LANES) + sign * a1_0_3;
    a1_0_4 = vf_load(held + 18 * LANES) + sign * a1_0_4;
    a1_0_5 = vf_load(held + 19 * LANES) + sign * a1_0_5;
    a1_0_6 = vf_load(held + 20 * LANES) + sign * a1_0_6;
    a1_0_7 = vf_load(held + 21 * LANES) + sign * a1_0_7;
    a1_0_8 = vf_load(held + 22 * LANES) + sign * a1_0_8;
    a1_0_9 = vf_load(held + 23 * LANES) + sign * a1_0_9;
    a1_0_10 = vf_load(held + 24 * LANES) + sign * a1_0_10;
    a1_0_11 = vf_load(held + 25 * LANES) + sign * a1_0_11;
    a1_0_12 = vf_load(held + 26 * LANES) + sign * a1_0_12;
    a1_0_13 = vf_load(held + 27 * LANES) + sign * a1_0_13;
    const vf t0_0_0_0 = vf_max_quiet(vf_set(0.0f), a0_0_0);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 0 * LANES, t0_0_0_0);
    const vf t0_0_1_0 = vf_max_quiet(vf_set(0.0f), a0_0_1);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 1 * LANES, t0_0_1_0);
    const vf t0_0_2_0 = vf_max_quiet(vf_set(0.0f), a0_0_2);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 2 * LANES, t0_0_2_0);
    const vf t0_0_3_0 = vf_max_quiet(vf_set(0.0f), a0_0_3);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 3 * LANES, t0_0_3_0);
    const vf t0_0_4_0 = vf_max_quiet(vf_set(0.0f), a0_0_4);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 4 * LANES, t0_0_4_0);
    const vf t0_0_5_0 = vf_max_quiet(vf_set(0.0f), a0_0_5);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 5 * LANES, t0_0_5_0);
    const vf t0_0_6_0 = vf_max_quiet(vf_set(0.0f), a0_0_6);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 6 * LANES, t0_0_6_0);
    const vf t0_0_7_0 = vf_max_quiet(vf_set(0.0f), a0_0_7);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 7 * LANES, t0_0_7_0);
    const vf t0_0_8_0 = vf_max_quiet(vf_set(0.0f), a0_0_8);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 8 * LANES, t0_0_8_0);
    const vf t0_0_9_0 = vf_max_quiet(vf_set(0.0f), a0_0_9);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 9 * LANES, t0_0_9_0);
    const vf t0_0_10_0 = vf_max_quiet(vf_set(0.0f), a0_0_10);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 10 * LANES, t0_0_10_0);
    const vf t0_0_11_0 = vf_max_quiet(vf_set(0.0f), a0_0_11);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 11 * LANES, t0_0_11_0);
    const vf t0_0_12_0 = vf_max_quiet(vf_set(0.0f), a0_0_12);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 12 * LANES, t0_0_12_0);
    const vf t0_0_13_0 = vf_max_quiet(vf_set(0.0f), a0_0_13);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 13 * LANES, t0_0_13_0);
    const vf t1_0_0_0 = vf_max_quiet(vf_set(0.0f), a1_0_0);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 0 * LANES, t1_0_0_0);
    const vf t1_0_1_0 = vf_max_quiet(vf_set(0.0f), a1_0_1);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 1 * LANES, t1_0_1_0);
    const vf t1_0_2_0 = vf_max_quiet(vf_set(0.0f), a1_0_2);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 2 * LANES, t1_0_2_0);
    const vf t1_0_3_0 = vf_max_quiet(vf_set(0.0f), a1_0_3);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 3 * LANES, t1_0_3_0);
    const vf t1_0_4_0 = vf_max_quiet(vf_set(0.0f), a1_0_4);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 4 * LANES, t1_0_4_0);
    const vf t1_0_5_0 = vf_max_quiet(vf_set(0.0f), a1_0_5);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 5 * LANES, t1_0_5_0);
    const vf t1_0_6_0 = vf_max_quiet(vf_set(0.0f), a1_0_6);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 6 * LANES, t1_0_6_0);
    const vf t1_0_7_0 = vf_max_quiet(vf_set(0.0f), a1_0_7);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 7 * LANES, t1_0_7_0);
    const vf t1_0_8_0 = vf_max_quiet(vf_set(0.0f), a1_0_8);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 8 * LANES, t1_0_8_0);
    const vf t1_0_9_0 = vf_max_quiet(vf_set(0.0f), a1_0_9);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 9 * LANES, t1_0_9_0);
    const vf t1_0_10_0 = vf_max_quiet(vf_set(0.0f), a1_0_10);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 10 * LANES, t1_0_10_0);
    const vf t1_0_11_0 = vf_max_quiet(vf_set(0.0f), a1_0_11);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 11 * LANES, t1_0_11_0);
    const vf t1_0_12_0 = vf_max_quiet(vf_set(0.0f), a1_0_12);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 12 * LANES, t1_0_12_0);
    const vf t1_0_13_0 = vf_max_quiet(vf_set(0.0f), a1_0_13);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 13 * LANES, t1_0_13_0);
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
    for (; g0 < g1; g0++, sums += SUMS * c->sum_size, advance(c, &p)) {
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
        for (int64_t g = g0; g < g1; g++, at += PARTS * PARTS * HELD, advance(c, &p)) {
            const int64_t ahead = g == g0 ? w_product : 0; /* the next product's weights are fetched by the first group */
            const float *in = s->sum < 0 ? input_of(c, p) + s->pixels / 2 * c->in_pair + s->pixels % 2 * c->in_half + s->channels * c->in_blocks * c->in_cb
                                         : sums + ((g - g0) * SUMS + s->sum) * c->sum_size;
            addition add[2];
            for (int64_t i = 0; i < s->additions; i++) {
                float *part = at + s->part[i] * HELD;
                add[i] = (addition){s->fresh[i] ? zeros : part, part, s->sign[i]};
            }
            if (s->completes < 0) {
                add_1x14(from, in, w, ahead, add, s->additions);
                continue;
            }
            const int64_t i = s->completes / PARTS, k = kb + s->completes % PARTS * 2;
            const float *last = s->alone ? zeros : at + s->completes * HELD;
            float *out = c->out + i / 2 * c->out_pair + i % 2 * c->out_half + k * c->out_cb + p.n * c->out_n + p.y * c->tile_y * c->out_row + p.x * c->tile_x * LANES;
            complete_1x14(from, in, w, ahead, add, s->additions, last, s->last_sign, out);
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
    const int64_t patch_row = arg[24];
    const int64_t patch_rows = arg[25];
    const int64_t patch_columns = arg[26];
    const int64_t tile_y = arg[27];
    const int64_t tile_x = arg[28];
    const int64_t row_step = arg[29];
    const int64_t sum_r = arg[30];
    const int64_t sum_s = arg[31];
    const int64_t sum_size = arg[32];
    (void)team; (void)buf; (void)arg;
    const conv c = {
        .in = in + in_start, .out = out,
        .in_blocks = in_blocks, .in_last = LANES, .R = R, .S = S, .in_n = in_n, .in_cb = in_cb, .in_row = in_row, .in_r = in_r, .in_s = in_s,
        .in_half = in_half, .in_pair = in_pair, .out_n = out_n, .out_cb = out_cb, .out_row = out_row, .out_half = out_half, .out_pair = out_pair,
        .rows = (OH + 0) / 1, .columns = (OW + 13) / 14, .OH = OH, .OW = OW,
        .vectors = vectors, .patch_row = patch_row, .patch_rows = patch_rows, .patch_columns = patch_columns,
        .tile_y = tile_y, .tile_x = tile_x, .sum_row = patch_columns * LANES, .sum_size = sum_size,
    };
    conv m = c;
    m.in_cb = sum_size / in_blocks, m.in_row = row_step * c.sum_row, m.in_r = sum_r * c.sum_row, m.in_s = sum_s * LANES;
    const int64_t groups = N * c.rows * c.columns, panels = vectors / (PARTS * 2);
    const int64_t most = (groups + team->size - 1) / team->size * team->size; /* groups of the slowest thread, times the team */
    float *held = (float *)team->scratch;
    int64_t u0, u1;
    if (groups == 0) return;
    const int uneven = by_panels && team->size > 1 && (most - groups) * 16 > groups;
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
    float *sums = held + block * PARTS * PARTS * HELD;
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
