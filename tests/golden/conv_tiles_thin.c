/* Convolution of bytes, summed in int32, by matrix tiles (AMX), NCHWc -> NCHWc, then cast_mul_round_clamp_cast.
 *
 * out[n, k, y, x] = epilogue(sum over c, r, s of w[k, c, r, s] * in[n, c, y * stride_y + r * dilation_y, x * stride_x + s * dilation_x] + start[k])
 *
 * A tile's patch is what it reads of the input, laid out as matrix tiles read it: [row][column][PIXEL channels]; a row of a matrix tile takes those of several taps.
 * Register tile: 2 output vectors x 1 rows x 20 pixels, the whole reduction in up to four matrix tiles of sums.
 *   share of (panel, tile) pairs of this thread       panel = 2 output vectors
 *     strip of tiles: their patches in the thread's scratch
 *       panel
 *         tile: patch block, r, s                     up to two matrix tiles of pixels, 2 of weights; sizes and strides are run-time arguments
 * Or, where threads share out the panels: a larger team lays all patches together in its shared memory, then waits.
 *
 * w: [panel][r][PIXEL channels of each tap, in groups of four][2 * LANES][4]. */
#include "sol_team.h"
#include "sol_simd.h"
#include "sol_int.h"
#include "sol_tiles.h"

enum { STEP = 64, PIXEL = 4, PIECE = PIXEL < LANES ? PIXEL : LANES, PIECES = PIXEL / PIECE }; /* channels of a matrix tile's row, of a pixel of a patch, and of what it takes of a block of the input */

typedef struct conv {
    const uint8_t *in;
    const int8_t *w;
    const int32_t *start;
    const float *e1;
    uint8_t *out;
    int64_t N, OH, OW, group_vectors, out_n, out_cb, out_row, e1_n, e1_cb, e1_row, start_cb, groups, by_tiles, in_blocks, from_blocks, R;
    int64_t S, height, width, down, line, in_cb, in_row, in_r, strip, in_s, from_n, from_cb, from_row, from_column, from_start, tile_y;
    int64_t tile_x, rows, columns, w_kb, patch, touched;
    const sol_tiles **held; /* shapes of the thread's matrix tiles */
} conv;

/* Blocks u0 … u1 - 1 of patches. A tile at the map's edge has fewer pixels; channels that the last block of a group lacks are zero. */
static __attribute__((noinline)) void lay_patches(const conv *c, int64_t u0, int64_t u1, uint8_t *to)
{
    const int64_t blocks = c->groups * c->in_blocks, from_cb = c->from_cb, from_column = c->from_column;
    for (; u0 < u1; u0++, to += c->in_cb) {
        const int64_t t = u0 / blocks, group = u0 % blocks / c->in_blocks, block = u0 % c->in_blocks;
        const int64_t n = t / (c->rows * c->columns), y = t / c->columns % c->rows, x = t % c->columns;
        const int64_t lacks_y = (y + 1) * 1 - c->OH, lacks_x = (x + 1) * 20 - c->OW;
        const int64_t height = c->height - (lacks_y > 0 ? lacks_y * c->down : 0), width = c->width - (lacks_x > 0 ? lacks_x * 1 : 0);
        const int64_t pieces = c->from_blocks - block * PIECES;
        const uint8_t *from = c->in + n * c->from_n + (group * c->from_blocks + block * PIECES) * from_cb + y * c->tile_y + x * c->tile_x;
        for (int64_t r = 0; r < height; r++, from += c->from_row) {
            uint8_t *pixel = to + r * c->line;
            if (pieces >= PIECES) {
                for (int64_t s = 0; s < width; s++, pixel += PIXEL)
                    for (int64_t q = 0; q < PIECES; q++) memcpy(pixel + q * LANES, from + q * from_cb + s * from_column, PIECE * sizeof *to);
            } else {
                for (int64_t s = 0; s < width; s++, pixel += PIXEL) {
                    for (int64_t q = 0; q < pieces; q++) memcpy(pixel + q * LANES, from + q * from_cb + s * from_column, LANES * sizeof *to);
                    memset(pixel + pieces * LANES, 0, (PIECES - pieces) * LANES * sizeof *to);
                }
            }
        }
    }
}

static __attribute__((noinline)) void tile_2x1x20(const conv *c, const uint8_t *in, const int8_t *w, const int32_t *start, const float *e1, uint8_t *out, int64_t ahead)
{
    static const sol_tiles shape = {.palette = 1, .bytes = {64, 64, 64, 64, 64, 64, 64, 64}, .rows = {10, 10, 10, 10, 10, 10, 16, 16}};
    int32_t sums[40 * LANES] __attribute__((aligned(64)));
    const int64_t blocks = c->in_blocks, in_cb = c->in_cb, touched = ahead ? c->touched : 0;
    const int64_t R = c->R, S = c->S, in_r = c->in_r, in_s = c->in_s;
    SOL_TILES_HOLD(*c->held, shape);
SOL_TILE_ZERO(0); SOL_TILE_ZERO(1); SOL_TILE_ZERO(2); SOL_TILE_ZERO(3); 
    for (int64_t block = 0; block < blocks; block++, in += in_cb) {
        const uint8_t *row = in;
        for (int64_t r = 0; r < R; r++, row += in_r) {
            const uint8_t *tap = row;
            for (int64_t s = 0; s < S; s++, tap += in_s) {
SOL_TILE_LOAD(6, w + 0 * LANES, 8 * LANES); SOL_TILE_LOAD(7, w + 4 * LANES, 8 * LANES); 
                SOL_TILE_LOAD(4, tap, 4);
SOL_TILE_DOT_BYTES(0, 4, 6); SOL_TILE_DOT_BYTES(1, 4, 7); 
                SOL_TILE_LOAD(5, tap + 10 * PIXEL, 4);
SOL_TILE_DOT_BYTES(2, 5, 6); SOL_TILE_DOT_BYTES(3, 5, 7); 
                for (int64_t i = 0; i < touched; i++) __builtin_prefetch(w + ahead + i * STEP, 0, 2);
                w += 2 * LANES * STEP;
            }
        }
    }
SOL_TILE_STORE(0, sums + 0 * LANES, 8 * LANES); SOL_TILE_STORE(1, sums + 1 * LANES, 8 * LANES); 
SOL_TILE_STORE(2, sums + 20 * LANES, 8 * LANES); SOL_TILE_STORE(3, sums + 21 * LANES, 8 * LANES); 
    const vi b0 = -vi_load(start);
    start += c->start_cb;
    const vi b1 = -vi_load(start);
    start += c->start_cb;
    const vf e1_0 = vf_load(e1 + 0 * c->e1_cb);
    const vf e1_1 = vf_load(e1 + 1 * c->e1_cb);
    {
        const vi a0_0_0 = vi_load(sums + 0 * LANES) + b0, a1_0_0 = vi_load(sums + 1 * LANES) + b1;
        const vf t0_0_0_0 = vf_of_ints(a0_0_0);
        const vf t0_0_0_1 = t0_0_0_0 * e1_0;
        const vi t0_0_0_2 = vi_nearest_u8(t0_0_0_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 0 * LANES, t0_0_0_2);
        const vf t1_0_0_0 = vf_of_ints(a1_0_0);
        const vf t1_0_0_1 = t1_0_0_0 * e1_1;
        const vi t1_0_0_2 = vi_nearest_u8(t1_0_0_1, 0.0f);
        vu8_store(out + 1 * c->out_cb + 0 * c->out_row + 0 * LANES, t1_0_0_2);
    }
    {
        const vi a0_0_1 = vi_load(sums + 2 * LANES) + b0, a1_0_1 = vi_load(sums + 3 * LANES) + b1;
        const vf t0_0_1_0 = vf_of_ints(a0_0_1);
        const vf t0_0_1_1 = t0_0_1_0 * e1_0;
        const vi t0_0_1_2 = vi_nearest_u8(t0_0_1_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 1 * LANES, t0_0_1_2);
        const vf t1_0_1_0 = vf_of_ints(a1_0_1);
        const vf t1_0_1_1 = t1_0_1_0 * e1_1;
        const vi t1_0_1_2 = vi_nearest_u8(t1_0_1_1, 0.0f);
        vu8_store(out + 1 * c->out_cb + 0 * c->out_row + 1 * LANES, t1_0_1_2);
    }
    {
        const vi a0_0_2 = vi_load(sums + 4 * LANES) + b0, a1_0_2 = vi_load(sums + 5 * LANES) + b1;
        const vf t0_0_2_0 = vf_of_ints(a0_0_2);
        const vf t0_0_2_1 = t0_0_2_0 * e1_0;
        const vi t0_0_2_2 = vi_nearest_u8(t0_0_2_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 2 * LANES, t0_0_2_2);
        const vf t1_0_2_0 = vf_of_ints(a1_0_2);
        const vf t1_0_2_1 = t1_0_2_0 * e1_1;
        const vi t1_0_2_2 = vi_nearest_u8(t1_0_2_1, 0.0f);
        vu8_store(out + 1 * c->out_cb + 0 * c->out_row + 2 * LANES, t1_0_2_2);
    }
    {
        const vi a0_0_3 = vi_load(sums + 6 * LANES) + b0, a1_0_3 = vi_load(sums + 7 * LANES) + b1;
        const vf t0_0_3_0 = vf_of_ints(a0_0_3);
        const vf t0_0_3_1 = t0_0_3_0 * e1_0;
        const vi t0_0_3_2 = vi_nearest_u8(t0_0_3_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 3 * LANES, t0_0_3_2);
        const vf t1_0_3_0 = vf_of_ints(a1_0_3);
        const vf t1_0_3_1 = t1_0_3_0 * e1_1;
        const vi t1_0_3_2 = vi_nearest_u8(t1_0_3_1, 0.0f);
        vu8_store(out + 1 * c->out_cb + 0 * c->out_row + 3 * LANES, t1_0_3_2);
    }
    {
        const vi a0_0_4 = vi_load(sums + 8 * LANES) + b0, a1_0_4 = vi_load(sums + 9 * LANES) + b1;
        const vf t0_0_4_0 = vf_of_ints(a0_0_4);
        const vf t0_0_4_1 = t0_0_4_0 * e1_0;
        const vi t0_0_4_2 = vi_nearest_u8(t0_0_4_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 4 * LANES, t0_0_4_2);
        const vf t1_0_4_0 = vf_of_ints(a1_0_4);
        const vf t1_0_4_1 = t1_0_4_0 * e1_1;
        const vi t1_0_4_2 = vi_nearest_u8(t1_0_4_1, 0.0f);
        vu8_store(out + 1 * c->out_cb + 0 * c->out_row + 4 * LANES, t1_0_4_2);
    }
    {
        const vi a0_0_5 = vi_load(sums + 10 * LANES) + b0, a1_0_5 = vi_load(sums + 11 * LANES) + b1;
        const vf t0_0_5_0 = vf_of_ints(a0_0_5);
        const vf t0_0_5_1 = t0_0_5_0 * e1_0;
        const vi t0_0_5_2 = vi_nearest_u8(t0_0_5_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 5 * LANES, t0_0_5_2);
        const vf t1_0_5_0 = vf_of_ints(a1_0_5);
        const vf t1_0_5_1 = t1_0_5_0 * e1_1;
        const vi t1_0_5_2 = vi_nearest_u8(t1_0_5_1, 0.0f);
        vu8_store(out + 1 * c->out_cb + 0 * c->out_row + 5 * LANES, t1_0_5_2);
    }
    {
        const vi a0_0_6 = vi_load(sums + 12 * LANES) + b0, a1_0_6 = vi_load(sums + 13 * LANES) + b1;
        const vf t0_0_6_0 = vf_of_ints(a0_0_6);
        const vf t0_0_6_1 = t0_0_6_0 * e1_0;
        const vi t0_0_6_2 = vi_nearest_u8(t0_0_6_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 6 * LANES, t0_0_6_2);
        const vf t1_0_6_0 = vf_of_ints(a1_0_6);
        const vf t1_0_6_1 = t1_0_6_0 * e1_1;
        const vi t1_0_6_2 = vi_nearest_u8(t1_0_6_1, 0.0f);
        vu8_store(out + 1 * c->out_cb + 0 * c->out_row + 6 * LANES, t1_0_6_2);
    }
    {
        const vi a0_0_7 = vi_load(sums + 14 * LANES) + b0, a1_0_7 = vi_load(sums + 15 * LANES) + b1;
        const vf t0_0_7_0 = vf_of_ints(a0_0_7);
        const vf t0_0_7_1 = t0_0_7_0 * e1_0;
        const vi t0_0_7_2 = vi_nearest_u8(t0_0_7_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 7 * LANES, t0_0_7_2);
        const vf t1_0_7_0 = vf_of_ints(a1_0_7);
        const vf t1_0_7_1 = t1_0_7_0 * e1_1;
        const vi t1_0_7_2 = vi_nearest_u8(t1_0_7_1, 0.0f);
        vu8_store(out + 1 * c->out_cb + 0 * c->out_row + 7 * LANES, t1_0_7_2);
    }
    {
        const vi a0_0_8 = vi_load(sums + 16 * LANES) + b0, a1_0_8 = vi_load(sums + 17 * LANES) + b1;
        const vf t0_0_8_0 = vf_of_ints(a0_0_8);
        const vf t0_0_8_1 = t0_0_8_0 * e1_0;
        const vi t0_0_8_2 = vi_nearest_u8(t0_0_8_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 8 * LANES, t0_0_8_2);
        const vf t1_0_8_0 = vf_of_ints(a1_0_8);
        const vf t1_0_8_1 = t1_0_8_0 * e1_1;
        const vi t1_0_8_2 = vi_nearest_u8(t1_0_8_1, 0.0f);
        vu8_store(out + 1 * c->out_cb + 0 * c->out_row + 8 * LANES, t1_0_8_2);
    }
    {
        const vi a0_0_9 = vi_load(sums + 18 * LANES) + b0, a1_0_9 = vi_load(sums + 19 * LANES) + b1;
        const vf t0_0_9_0 = vf_of_ints(a0_0_9);
        const vf t0_0_9_1 = t0_0_9_0 * e1_0;
        const vi t0_0_9_2 = vi_nearest_u8(t0_0_9_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 9 * LANES, t0_0_9_2);
        const vf t1_0_9_0 = vf_of_ints(a1_0_9);
        const vf t1_0_9_1 = t1_0_9_0 * e1_1;
        const vi t1_0_9_2 = vi_nearest_u8(t1_0_9_1, 0.0f);
        vu8_store(out + 1 * c->out_cb + 0 * c->out_row + 9 * LANES, t1_0_9_2);
    }
    {
        const vi a0_0_10 = vi_load(sums + 20 * LANES) + b0, a1_0_10 = vi_load(sums + 21 * LANES) + b1;
        const vf t0_0_10_0 = vf_of_ints(a0_0_10);
        const vf t0_0_10_1 = t0_0_10_0 * e1_0;
        const vi t0_0_10_2 = vi_nearest_u8(t0_0_10_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 10 * LANES, t0_0_10_2);
        const vf t1_0_10_0 = vf_of_ints(a1_0_10);
        const vf t1_0_10_1 = t1_0_10_0 * e1_1;
        const vi t1_0_10_2 = vi_nearest_u8(t1_0_10_1, 0.0f);
        vu8_store(out + 1 * c->out_cb + 0 * c->out_row + 10 * LANES, t1_0_10_2);
    }
    {
        const vi a0_0_11 = vi_load(sums + 22 * LANES) + b0, a1_0_11 = vi_load(sums + 23 * LANES) + b1;
        const vf t0_0_11_0 = vf_of_ints(a0_0_11);
        const vf t0_0_11_1 = t0_0_11_0 * e1_0;
        const vi t0_0_11_2 = vi_nearest_u8(t0_0_11_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 11 * LANES, t0_0_11_2);
        const vf t1_0_11_0 = vf_of_ints(a1_0_11);
        const vf t1_0_11_1 = t1_0_11_0 * e1_1;
        const vi t1_0_11_2 = vi_nearest_u8(t1_0_11_1, 0.0f);
        vu8_store(out + 1 * c->out_cb + 0 * c->out_row + 11 * LANES, t1_0_11_2);
    }
    {
        const vi a0_0_12 = vi_load(sums + 24 * LANES) + b0, a1_0_12 = vi_load(sums + 25 * LANES) + b1;
        const vf t0_0_12_0 = vf_of_ints(a0_0_12);
        const vf t0_0_12_1 = t0_0_12_0 * e1_0;
        const vi t0_0_12_2 = vi_nearest_u8(t0_0_12_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 12 * LANES, t0_0_12_2);
        const vf t1_0_12_0 = vf_of_ints(a1_0_12);
        const vf t1_0_12_1 = t1_0_12_0 * e1_1;
        const vi t1_0_12_2 = vi_nearest_u8(t1_0_12_1, 0.0f);
        vu8_store(out + 1 * c->out_cb + 0 * c->out_row + 12 * LANES, t1_0_12_2);
    }
    {
        const vi a0_0_13 = vi_load(sums + 26 * LANES) + b0, a1_0_13 = vi_load(sums + 27 * LANES) + b1;
        const vf t0_0_13_0 = vf_of_ints(a0_0_13);
        const vf t0_0_13_1 = t0_0_13_0 * e1_0;
        const vi t0_0_13_2 = vi_nearest_u8(t0_0_13_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 13 * LANES, t0_0_13_2);
        const vf t1_0_13_0 = vf_of_ints(a1_0_13);
        const vf t1_0_13_1 = t1_0_13_0 * e1_1;
        const vi t1_0_13_2 = vi_nearest_u8(t1_0_13_1, 0.0f);
        vu8_store(out + 1 * c->out_cb + 0 * c->out_row + 13 * LANES, t1_0_13_2);
    }
    {
        const vi a0_0_14 = vi_load(sums + 28 * LANES) + b0, a1_0_14 = vi_load(sums + 29 * LANES) + b1;
        const vf t0_0_14_0 = vf_of_ints(a0_0_14);
        const vf t0_0_14_1 = t0_0_14_0 * e1_0;
        const vi t0_0_14_2 = vi_nearest_u8(t0_0_14_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 14 * LANES, t0_0_14_2);
        const vf t1_0_14_0 = vf_of_ints(a1_0_14);
        const vf t1_0_14_1 = t1_0_14_0 * e1_1;
        const vi t1_0_14_2 = vi_nearest_u8(t1_0_14_1, 0.0f);
        vu8_store(out + 1 * c->out_cb + 0 * c->out_row + 14 * LANES, t1_0_14_2);
    }
    {
        const vi a0_0_15 = vi_load(sums + 30 * LANES) + b0, a1_0_15 = vi_load(sums + 31 * LANES) + b1;
        const vf t0_0_15_0 = vf_of_ints(a0_0_15);
        const vf t0_0_15_1 = t0_0_15_0 * e1_0;
        const vi t0_0_15_2 = vi_nearest_u8(t0_0_15_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 15 * LANES, t0_0_15_2);
        const vf t1_0_15_0 = vf_of_ints(a1_0_15);
        const vf t1_0_15_1 = t1_0_15_0 * e1_1;
        const vi t1_0_15_2 = vi_nearest_u8(t1_0_15_1, 0.0f);
        vu8_store(out + 1 * c->out_cb + 0 * c->out_row + 15 * LANES, t1_0_15_2);
    }
    {
        const vi a0_0_16 = vi_load(sums + 32 * LANES) + b0, a1_0_16 = vi_load(sums + 33 * LANES) + b1;
        const vf t0_0_16_0 = vf_of_ints(a0_0_16);
        const vf t0_0_16_1 = t0_0_16_0 * e1_0;
        const vi t0_0_16_2 = vi_nearest_u8(t0_0_16_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 16 * LANES, t0_0_16_2);
        const vf t1_0_16_0 = vf_of_ints(a1_0_16);
        const vf t1_0_16_1 = t1_0_16_0 * e1_1;
        const vi t1_0_16_2 = vi_nearest_u8(t1_0_16_1, 0.0f);
        vu8_store(out + 1 * c->out_cb + 0 * c->out_row + 16 * LANES, t1_0_16_2);
    }
    {
        const vi a0_0_17 = vi_load(sums + 34 * LANES) + b0, a1_0_17 = vi_load(sums + 35 * LANES) + b1;
        const vf t0_0_17_0 = vf_of_ints(a0_0_17);
        const vf t0_0_17_1 = t0_0_17_0 * e1_0;
        const vi t0_0_17_2 = vi_nearest_u8(t0_0_17_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 17 * LANES, t0_0_17_2);
        const vf t1_0_17_0 = vf_of_ints(a1_0_17);
        const vf t1_0_17_1 = t1_0_17_0 * e1_1;
        const vi t1_0_17_2 = vi_nearest_u8(t1_0_17_1, 0.0f);
        vu8_store(out + 1 * c->out_cb + 0 * c->out_row + 17 * LANES, t1_0_17_2);
    }
    {
        const vi a0_0_18 = vi_load(sums + 36 * LANES) + b0, a1_0_18 = vi_load(sums + 37 * LANES) + b1;
        const vf t0_0_18_0 = vf_of_ints(a0_0_18);
        const vf t0_0_18_1 = t0_0_18_0 * e1_0;
        const vi t0_0_18_2 = vi_nearest_u8(t0_0_18_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 18 * LANES, t0_0_18_2);
        const vf t1_0_18_0 = vf_of_ints(a1_0_18);
        const vf t1_0_18_1 = t1_0_18_0 * e1_1;
        const vi t1_0_18_2 = vi_nearest_u8(t1_0_18_1, 0.0f);
        vu8_store(out + 1 * c->out_cb + 0 * c->out_row + 18 * LANES, t1_0_18_2);
    }
    {
        const vi a0_0_19 = vi_load(sums + 38 * LANES) + b0, a1_0_19 = vi_load(sums + 39 * LANES) + b1;
        const vf t0_0_19_0 = vf_of_ints(a0_0_19);
        const vf t0_0_19_1 = t0_0_19_0 * e1_0;
        const vi t0_0_19_2 = vi_nearest_u8(t0_0_19_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 19 * LANES, t0_0_19_2);
        const vf t1_0_19_0 = vf_of_ints(a1_0_19);
        const vf t1_0_19_1 = t1_0_19_0 * e1_1;
        const vi t1_0_19_2 = vi_nearest_u8(t1_0_19_1, 0.0f);
        vu8_store(out + 1 * c->out_cb + 0 * c->out_row + 19 * LANES, t1_0_19_2);
    }
}

static __attribute__((noinline)) void tile_1x1x20(const conv *c, const uint8_t *in, const int8_t *w, const int32_t *start, const float *e1, uint8_t *out, int64_t ahead)
{
    static const sol_tiles shape = {.palette = 1, .bytes = {64, 64, 64, 64, 64, 64, 64, 64}, .rows = {10, 10, 1, 1, 10, 10, 16, 16}};
    int32_t sums[20 * LANES] __attribute__((aligned(64)));
    const int64_t blocks = c->in_blocks, in_cb = c->in_cb, touched = ahead ? c->touched : 0;
    const int64_t R = c->R, S = c->S, in_r = c->in_r, in_s = c->in_s;
    SOL_TILES_HOLD(*c->held, shape);
SOL_TILE_ZERO(0); SOL_TILE_ZERO(1); 
    for (int64_t block = 0; block < blocks; block++, in += in_cb) {
        const uint8_t *row = in;
        for (int64_t r = 0; r < R; r++, row += in_r) {
            const uint8_t *tap = row;
            for (int64_t s = 0; s < S; s++, tap += in_s) {
SOL_TILE_LOAD(6, w + 0 * LANES, 4 * LANES); 
                SOL_TILE_LOAD(4, tap, 4);
SOL_TILE_DOT_BYTES(0, 4, 6); 
                SOL_TILE_LOAD(5, tap + 10 * PIXEL, 4);
SOL_TILE_DOT_BYTES(1, 5, 6); 
                for (int64_t i = 0; i < touched; i++) __builtin_prefetch(w + ahead + i * STEP, 0, 2);
                w += 1 * LANES * STEP;
            }
        }
    }
SOL_TILE_STORE(0, sums + 0 * LANES, 4 * LANES); 
SOL_TILE_STORE(1, sums + 10 * LANES, 4 * LANES); 
    const vi b0 = -vi_load(start);
    start += c->start_cb;
    const vf e1_0 = vf_load(e1 + 0 * c->e1_cb);
    {
        const vi a0_0_0 = vi_load(sums + 0 * LANES) + b0;
        const vf t0_0_0_0 = vf_of_ints(a0_0_0);
        const vf t0_0_0_1 = t0_0_0_0 * e1_0;
        const vi t0_0_0_2 = vi_nearest_u8(t0_0_0_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 0 * LANES, t0_0_0_2);
    }
    {
        const vi a0_0_1 = vi_load(sums + 1 * LANES) + b0;
        const vf t0_0_1_0 = vf_of_ints(a0_0_1);
        const vf t0_0_1_1 = t0_0_1_0 * e1_0;
        const vi t0_0_1_2 = vi_nearest_u8(t0_0_1_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 1 * LANES, t0_0_1_2);
    }
    {
        const vi a0_0_2 = vi_load(sums + 2 * LANES) + b0;
        const vf t0_0_2_0 = vf_of_ints(a0_0_2);
        const vf t0_0_2_1 = t0_0_2_0 * e1_0;
        const vi t0_0_2_2 = vi_nearest_u8(t0_0_2_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 2 * LANES, t0_0_2_2);
    }
    {
        const vi a0_0_3 = vi_load(sums + 3 * LANES) + b0;
        const vf t0_0_3_0 = vf_of_ints(a0_0_3);
        const vf t0_0_3_1 = t0_0_3_0 * e1_0;
        const vi t0_0_3_2 = vi_nearest_u8(t0_0_3_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 3 * LANES, t0_0_3_2);
    }
    {
        const vi a0_0_4 = vi_load(sums + 4 * LANES) + b0;
        const vf t0_0_4_0 = vf_of_ints(a0_0_4);
        const vf t0_0_4_1 = t0_0_4_0 * e1_0;
        const vi t0_0_4_2 = vi_nearest_u8(t0_0_4_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 4 * LANES, t0_0_4_2);
    }
    {
        const vi a0_0_5 = vi_load(sums + 5 * LANES) + b0;
        const vf t0_0_5_0 = vf_of_ints(a0_0_5);
        const vf t0_0_5_1 = t0_0_5_0 * e1_0;
        const vi t0_0_5_2 = vi_nearest_u8(t0_0_5_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 5 * LANES, t0_0_5_2);
    }
    {
        const vi a0_0_6 = vi_load(sums + 6 * LANES) + b0;
        const vf t0_0_6_0 = vf_of_ints(a0_0_6);
        const vf t0_0_6_1 = t0_0_6_0 * e1_0;
        const vi t0_0_6_2 = vi_nearest_u8(t0_0_6_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 6 * LANES, t0_0_6_2);
    }
    {
        const vi a0_0_7 = vi_load(sums + 7 * LANES) + b0;
        const vf t0_0_7_0 = vf_of_ints(a0_0_7);
        const vf t0_0_7_1 = t0_0_7_0 * e1_0;
        const vi t0_0_7_2 = vi_nearest_u8(t0_0_7_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 7 * LANES, t0_0_7_2);
    }
    {
        const vi a0_0_8 = vi_load(sums + 8 * LANES) + b0;
        const vf t0_0_8_0 = vf_of_ints(a0_0_8);
        const vf t0_0_8_1 = t0_0_8_0 * e1_0;
        const vi t0_0_8_2 = vi_nearest_u8(t0_0_8_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 8 * LANES, t0_0_8_2);
    }
    {
        const vi a0_0_9 = vi_load(sums + 9 * LANES) + b0;
        const vf t0_0_9_0 = vf_of_ints(a0_0_9);
        const vf t0_0_9_1 = t0_0_9_0 * e1_0;
        const vi t0_0_9_2 = vi_nearest_u8(t0_0_9_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 9 * LANES, t0_0_9_2);
    }
    {
        const vi a0_0_10 = vi_load(sums + 10 * LANES) + b0;
        const vf t0_0_10_0 = vf_of_ints(a0_0_10);
        const vf t0_0_10_1 = t0_0_10_0 * e1_0;
        const vi t0_0_10_2 = vi_nearest_u8(t0_0_10_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 10 * LANES, t0_0_10_2);
    }
    {
        const vi a0_0_11 = vi_load(sums + 11 * LANES) + b0;
        const vf t0_0_11_0 = vf_of_ints(a0_0_11);
        const vf t0_0_11_1 = t0_0_11_0 * e1_0;
        const vi t0_0_11_2 = vi_nearest_u8(t0_0_11_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 11 * LANES, t0_0_11_2);
    }
    {
        const vi a0_0_12 = vi_load(sums + 12 * LANES) + b0;
        const vf t0_0_12_0 = vf_of_ints(a0_0_12);
        const vf t0_0_12_1 = t0_0_12_0 * e1_0;
        const vi t0_0_12_2 = vi_nearest_u8(t0_0_12_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 12 * LANES, t0_0_12_2);
    }
    {
        const vi a0_0_13 = vi_load(sums + 13 * LANES) + b0;
        const vf t0_0_13_0 = vf_of_ints(a0_0_13);
        const vf t0_0_13_1 = t0_0_13_0 * e1_0;
        const vi t0_0_13_2 = vi_nearest_u8(t0_0_13_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 13 * LANES, t0_0_13_2);
    }
    {
        const vi a0_0_14 = vi_load(sums + 14 * LANES) + b0;
        const vf t0_0_14_0 = vf_of_ints(a0_0_14);
        const vf t0_0_14_1 = t0_0_14_0 * e1_0;
        const vi t0_0_14_2 = vi_nearest_u8(t0_0_14_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 14 * LANES, t0_0_14_2);
    }
    {
        const vi a0_0_15 = vi_load(sums + 15 * LANES) + b0;
        const vf t0_0_15_0 = vf_of_ints(a0_0_15);
        const vf t0_0_15_1 = t0_0_15_0 * e1_0;
        const vi t0_0_15_2 = vi_nearest_u8(t0_0_15_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 15 * LANES, t0_0_15_2);
    }
    {
        const vi a0_0_16 = vi_load(sums + 16 * LANES) + b0;
        const vf t0_0_16_0 = vf_of_ints(a0_0_16);
        const vf t0_0_16_1 = t0_0_16_0 * e1_0;
        const vi t0_0_16_2 = vi_nearest_u8(t0_0_16_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 16 * LANES, t0_0_16_2);
    }
    {
        const vi a0_0_17 = vi_load(sums + 17 * LANES) + b0;
        const vf t0_0_17_0 = vf_of_ints(a0_0_17);
        const vf t0_0_17_1 = t0_0_17_0 * e1_0;
        const vi t0_0_17_2 = vi_nearest_u8(t0_0_17_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 17 * LANES, t0_0_17_2);
    }
    {
        const vi a0_0_18 = vi_load(sums + 18 * LANES) + b0;
        const vf t0_0_18_0 = vf_of_ints(a0_0_18);
        const vf t0_0_18_1 = t0_0_18_0 * e1_0;
        const vi t0_0_18_2 = vi_nearest_u8(t0_0_18_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 18 * LANES, t0_0_18_2);
    }
    {
        const vi a0_0_19 = vi_load(sums + 19 * LANES) + b0;
        const vf t0_0_19_0 = vf_of_ints(a0_0_19);
        const vf t0_0_19_1 = t0_0_19_0 * e1_0;
        const vi t0_0_19_2 = vi_nearest_u8(t0_0_19_1, 0.0f);
        vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 19 * LANES, t0_0_19_2);
    }
}

/* Panel of vectors that starts at kb, tiles t0 … t1 - 1, whose patches begin at in. */
static void panel_2(const conv *c, int64_t kb, int64_t t0, int64_t t1, const uint8_t *in)
{
    const int8_t *w = c->w + kb * c->w_kb;
    const int32_t *start = c->start + kb * c->start_cb;
    uint8_t *out = c->out + kb * c->out_cb;
    int64_t n = t0 / (c->rows * c->columns), y = t0 / c->columns % c->rows, x = t0 % c->columns;
    in += kb / c->group_vectors * c->in_blocks * c->in_cb;
    /* Beside each of its steps a tile asks for its part of what lies so far behind: the next panel's weights, which come from far. */
    const int64_t next = 2 * c->w_kb, step = 32 * STEP;
    int64_t ahead = next;
    for (; t0 < t1; t0++, in += c->patch, ahead = ahead && ahead + c->touched * STEP < next + step ? ahead + c->touched * STEP : 0) {
        const uint8_t *i = in;
        uint8_t *o = out + n * c->out_n + y * 1 * c->out_row + x * 20 * LANES;
        const float *e1 = c->e1 + n * c->e1_n + kb * c->e1_cb + y * 1 * c->e1_row + x * 20 * 0;
        tile_2x1x20(c, i, w, start, e1, o, ahead);
if (++x == c->columns) {
            x = 0;
            if (++y == c->rows) y = 0, n++;
        }
    }
}

static void panel_1(const conv *c, int64_t kb, int64_t t0, int64_t t1, const uint8_t *in)
{
    const int8_t *w = c->w + kb * c->w_kb;
    const int32_t *start = c->start + kb * c->start_cb;
    uint8_t *out = c->out + kb * c->out_cb;
    int64_t n = t0 / (c->rows * c->columns), y = t0 / c->columns % c->rows, x = t0 % c->columns;
    in += kb / c->group_vectors * c->in_blocks * c->in_cb;
    /* Beside each of its steps a tile asks for its part of what lies so far behind: the next panel's weights, which come from far. */
    const int64_t next = 1 * c->w_kb, step = 16 * STEP;
    int64_t ahead = next;
    for (; t0 < t1; t0++, in += c->patch, ahead = ahead && ahead + c->touched * STEP < next + step ? ahead + c->touched * STEP : 0) {
        const uint8_t *i = in;
        uint8_t *o = out + n * c->out_n + y * 1 * c->out_row + x * 20 * LANES;
        const float *e1 = c->e1 + n * c->e1_n + kb * c->e1_cb + y * 1 * c->e1_row + x * 20 * 0;
        tile_1x1x20(c, i, w, start, e1, o, ahead);
if (++x == c->columns) {
            x = 0;
            if (++y == c->rows) y = 0, n++;
        }
    }
}

/* Panel ``number`` of all groups. */
static void multiply(const conv *c, int64_t number, int64_t t0, int64_t t1, const uint8_t *in)
{
    const int64_t each = (c->group_vectors + 1) / 2, kb = number / each * c->group_vectors + number % each * 2;
    if (number % each + 1 == each) panel_1(c, kb, t0, t1, in); else
    panel_2(c, kb, t0, t1, in);
}

void conv_tiles_thin(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const uint8_t *in = buf[0];
    const int8_t *w = buf[1];
    const int32_t *start = buf[2];
    const float *e1 = buf[3];
    uint8_t *out = buf[4];
    const int64_t N = arg[0];
    const int64_t OH = arg[1];
    const int64_t OW = arg[2];
    const int64_t group_vectors = arg[3];
    const int64_t out_n = arg[4];
    const int64_t out_cb = arg[5];
    const int64_t out_row = arg[6];
    const int64_t e1_n = arg[7];
    const int64_t e1_cb = arg[8];
    const int64_t e1_row = arg[9];
    const int64_t start_cb = arg[10];
    const int64_t groups = arg[11];
    const int64_t by_tiles = arg[12];
    const int64_t in_blocks = arg[13];
    const int64_t from_blocks = arg[14];
    const int64_t R = arg[15];
    const int64_t S = arg[16];
    const int64_t height = arg[17];
    const int64_t width = arg[18];
    const int64_t down = arg[19];
    const int64_t line = arg[20];
    const int64_t in_cb = arg[21];
    const int64_t in_row = arg[22];
    const int64_t in_r = arg[23];
    const int64_t strip = arg[24];
    const int64_t in_s = arg[25];
    const int64_t from_n = arg[26];
    const int64_t from_cb = arg[27];
    const int64_t from_row = arg[28];
    const int64_t from_column = arg[29];
    const int64_t from_start = arg[30];
    const int64_t tile_y = arg[31];
    const int64_t tile_x = arg[32];
    (void)team; (void)buf; (void)arg;
    const int64_t vectors = groups * group_vectors;
const int64_t rows = (OH + 0) / 1, columns = (OW + 19) / 20, tiles = N * rows * columns;
    const int64_t w_kb = in_blocks * R * S * LANES * STEP, patch = groups * in_blocks * in_cb;
    const int64_t panels = groups * ((group_vectors + 1) / 2), most = (tiles + team->size - 1) / team->size * team->size;
    const int share_tiles = by_tiles < 0 ? 2 * tiles * patch >= vectors * w_kb && (most - tiles) * 16 <= tiles : by_tiles != 0;
    const int by_panels = !share_tiles && team->size > 1;
    const int together = by_panels && (team->size > 4 || strip < tiles);
    const int64_t own = share_tiles ? most / team->size : tiles, touched = (32 - 1) / (own < strip ? own + !own : strip) + 1;
    const sol_tiles *shapes = 0;
    const conv c = {
        .in = in + from_start, .w = w, .start = start, .e1 = e1, .out = out, .N = N, .OH = OH, .OW = OW,
        .group_vectors = group_vectors, .out_n = out_n, .out_cb = out_cb, .out_row = out_row, .e1_n = e1_n, .e1_cb = e1_cb, .e1_row = e1_row, .start_cb = start_cb,
        .groups = groups, .by_tiles = by_tiles, .in_blocks = in_blocks, .from_blocks = from_blocks, .R = R, .S = S, .height = height, .width = width,
        .down = down, .line = line, .in_cb = in_cb, .in_row = in_row, .in_r = in_r, .strip = strip, .in_s = in_s, .from_n = from_n,
        .from_cb = from_cb, .from_row = from_row, .from_column = from_column, .from_start = from_start, .tile_y = tile_y, .tile_x = tile_x, .rows = rows, .columns = columns,
        .w_kb = w_kb, .patch = patch, .touched = touched,
        .held = &shapes,
    };
    if (tiles == 0) return;
    uint8_t *at = (uint8_t *)team->scratch;
    int64_t u0, u1, first = 0, last = tiles;
    if (together) {
        at = (uint8_t *)team->shared_scratch;
        sol_split(team, groups * in_blocks * tiles, &u0, &u1);
        lay_patches(&c, u0, u1, at + u0 * in_cb);
        sol_barrier(team);
        for (sol_share share = sol_share_of(team, panels * tiles, team->size); sol_share_take(&share, &u0, &u1);)
        for (int64_t t0, t1; u0 < u1; u0 += t1 - t0) {
            t0 = u0 % tiles, t1 = u1 - u0 < tiles - t0 ? t0 + u1 - u0 : tiles;
            multiply(&c, u0 / tiles, t0, t1, at + t0 * patch);
        }
    } else {
        /* A share: (panel, tile) pairs u0 … u1 - 1 of those of tiles first … last - 1. */
        sol_share share = by_panels ? sol_fixed_share(team, panels * tiles, team->size) : sol_share_of(team, tiles, team->size);
        sol_share_at_least(&share, tiles / team->size < 2 * strip ? tiles : (strip + 1) / 2, strip); /* for each block all weights are read */
        while (sol_share_take(&share, &u0, &u1)) {
            if (by_panels) {
                first = 0, last = tiles;
                if (u0 / tiles == (u1 - 1) / tiles) first = u0 % tiles, last = (u1 - 1) % tiles + 1;
            } else
            first = u0, last = u1, u0 = 0, u1 = panels * tiles;
            for (int64_t b0 = first, b1; b0 < last; b0 = b1) {
                b1 = last - b0 < strip ? last : b0 + strip;
                lay_patches(&c, b0 * groups * in_blocks, b1 * groups * in_blocks, at);
                for (int64_t kb = u0 / tiles; kb * tiles < u1; kb++) {
                    const int64_t from = kb * tiles, t0 = u0 - from > b0 ? u0 - from : b0, t1 = u1 - from < b1 ? u1 - from : b1;
                    if (t0 < t1) multiply(&c, kb, t0, t1, at + (t0 - b0) * patch);
                }
            }
        }
    }
SOL_TILES_END();
}
