/* Convolution of bfloat16, by matrix tiles (AMX), NCHWc -> NCHWc, then add_relu_cast.
 *
 * out[n, k, y, x] = epilogue(bias[k] + sum over c, r, s of w[k, c, r, s] * in[n, c, y * stride_y + r * dilation_y, x * stride_x + s * dilation_x])
 *
 * A tile's patch is what it reads of the input, laid out as matrix tiles read it: [block of STEP channels][row][column][STEP].
 * Register tile: 2 output vectors x 1 rows x 20 pixels, the whole reduction in up to four matrix tiles of sums.
 *   share of (panel, tile) pairs of this thread       panel = 2 output vectors
 *     strip of tiles: their patches in the thread's scratch
 *       panel
 *         tile: patch block, r, s                     up to two matrix tiles of pixels, 2 of weights; sizes and strides are run-time arguments
 * Or, where threads share out the panels: a larger team lays all patches together in its shared memory, then waits.
 *
 * w: [panel][block of STEP channels][r][s][16 groups of channels][2 * LANES][2]. */
#include "sol_team.h"
#include "sol_simd.h"
#include "sol_tiles.h"

enum { STEP = 32, PIXEL = 32, PIECE = PIXEL < LANES ? PIXEL : LANES, PIECES = PIXEL / PIECE }; /* channels of a matrix tile's row, of a pixel of a patch, and of what it takes of a block of the input */

typedef struct conv {
    const uint16_t *in;
    const uint16_t *w;
    const uint16_t *bias;
    const uint16_t *e0;
    float *out;
    int64_t N, OH, OW, group_vectors, groups, by_tiles, in_blocks, from_blocks, R, S, height, width, down, line, in_cb, in_row;
    int64_t in_r, strip, in_s, from_n, from_cb, from_row, from_column, from_start, tile_y, tile_x, out_n, out_cb, out_row, e0_n, e0_cb, e0_row;
    int64_t rows, columns, w_kb, patch, touched;
    const sol_tiles **held; /* shapes of the thread's matrix tiles */
} conv;

/* Blocks u0 … u1 - 1 of patches. A tile at the map's edge has fewer pixels; channels that the last block of a group lacks are zero. */
static __attribute__((noinline)) void lay_patches(const conv *c, int64_t u0, int64_t u1, uint16_t *to)
{
    const int64_t blocks = c->groups * c->in_blocks, from_cb = c->from_cb, from_column = c->from_column;
    for (; u0 < u1; u0++, to += c->in_cb) {
        const int64_t t = u0 / blocks, group = u0 % blocks / c->in_blocks, block = u0 % c->in_blocks;
        const int64_t n = t / (c->rows * c->columns), y = t / c->columns % c->rows, x = t % c->columns;
        const int64_t lacks_y = (y + 1) * 1 - c->OH, lacks_x = (x + 1) * 20 - c->OW;
        const int64_t height = c->height - (lacks_y > 0 ? lacks_y * c->down : 0), width = c->width - (lacks_x > 0 ? lacks_x * 1 : 0);
        const int64_t pieces = c->from_blocks - block * PIECES;
        const uint16_t *from = c->in + n * c->from_n + (group * c->from_blocks + block * PIECES) * from_cb + y * c->tile_y + x * c->tile_x;
        for (int64_t r = 0; r < height; r++, from += c->from_row) {
            uint16_t *pixel = to + r * c->line;
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

static __attribute__((noinline)) void tile_2x1x20(const conv *c, const uint16_t *in, const uint16_t *w, const uint16_t *bias, const uint16_t *e0, float *out, int64_t ahead)
{
    static const sol_tiles shape = {.palette = 1, .bytes = {64, 64, 64, 64, 64, 64, 64, 64}, .rows = {10, 10, 10, 10, 10, 10, 16, 16}};
    float sums[40 * LANES] __attribute__((aligned(64)));
    const int64_t blocks = c->in_blocks, in_cb = c->in_cb, touched = ahead ? c->touched : 0;
    const int64_t R = c->R, S = c->S, in_r = c->in_r, in_s = c->in_s;
    SOL_TILES_HOLD(*c->held, shape);
SOL_TILE_ZERO(0); SOL_TILE_ZERO(1); SOL_TILE_ZERO(2); SOL_TILE_ZERO(3); 
    for (int64_t block = 0; block < blocks; block++, in += in_cb) {
        const uint16_t *row = in;
        for (int64_t r = 0; r < R; r++, row += in_r) {
            const uint16_t *tap = row;
            for (int64_t s = 0; s < S; s++, tap += in_s) {
SOL_TILE_LOAD(6, w + 0 * LANES, 8 * LANES); SOL_TILE_LOAD(7, w + 2 * LANES, 8 * LANES); 
                SOL_TILE_LOAD(4, tap, 64);
SOL_TILE_DOT(0, 4, 6); SOL_TILE_DOT(1, 4, 7); 
                SOL_TILE_LOAD(5, tap + 10 * PIXEL, 64);
SOL_TILE_DOT(2, 5, 6); SOL_TILE_DOT(3, 5, 7); 
                for (int64_t i = 0; i < touched; i++) __builtin_prefetch(w + ahead + i * STEP, 0, 2);
                w += 2 * LANES * STEP;
            }
        }
    }
SOL_TILE_STORE(0, sums + 0 * LANES, 8 * LANES); SOL_TILE_STORE(1, sums + 1 * LANES, 8 * LANES); 
SOL_TILE_STORE(2, sums + 20 * LANES, 8 * LANES); SOL_TILE_STORE(3, sums + 21 * LANES, 8 * LANES); 
    const vf b0 = vbf_load(bias + 0 * LANES);
    const vf b1 = vbf_load(bias + 1 * LANES);
    {
        const vf a0_0_0 = vf_load(sums + 0 * LANES) + b0, a1_0_0 = vf_load(sums + 1 * LANES) + b1;
        const vf t0_0_0_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 0 * 16);
        const vf t0_0_0_1 = a0_0_0 + t0_0_0_0;
        const vf t0_0_0_2 = vf_max_quiet(vf_set(0.0f), t0_0_0_1);
        const vf t0_0_0_3 = vf_result_bf16(t0_0_0_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 0 * LANES, t0_0_0_3);
        const vf t1_0_0_0 = vbf_load(e0 + 1 * c->e0_cb + 0 * c->e0_row + 0 * 16);
        const vf t1_0_0_1 = a1_0_0 + t1_0_0_0;
        const vf t1_0_0_2 = vf_max_quiet(vf_set(0.0f), t1_0_0_1);
        const vf t1_0_0_3 = vf_result_bf16(t1_0_0_2);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 0 * LANES, t1_0_0_3);
    }
    {
        const vf a0_0_1 = vf_load(sums + 2 * LANES) + b0, a1_0_1 = vf_load(sums + 3 * LANES) + b1;
        const vf t0_0_1_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 1 * 16);
        const vf t0_0_1_1 = a0_0_1 + t0_0_1_0;
        const vf t0_0_1_2 = vf_max_quiet(vf_set(0.0f), t0_0_1_1);
        const vf t0_0_1_3 = vf_result_bf16(t0_0_1_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 1 * LANES, t0_0_1_3);
        const vf t1_0_1_0 = vbf_load(e0 + 1 * c->e0_cb + 0 * c->e0_row + 1 * 16);
        const vf t1_0_1_1 = a1_0_1 + t1_0_1_0;
        const vf t1_0_1_2 = vf_max_quiet(vf_set(0.0f), t1_0_1_1);
        const vf t1_0_1_3 = vf_result_bf16(t1_0_1_2);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 1 * LANES, t1_0_1_3);
    }
    {
        const vf a0_0_2 = vf_load(sums + 4 * LANES) + b0, a1_0_2 = vf_load(sums + 5 * LANES) + b1;
        const vf t0_0_2_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 2 * 16);
        const vf t0_0_2_1 = a0_0_2 + t0_0_2_0;
        const vf t0_0_2_2 = vf_max_quiet(vf_set(0.0f), t0_0_2_1);
        const vf t0_0_2_3 = vf_result_bf16(t0_0_2_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 2 * LANES, t0_0_2_3);
        const vf t1_0_2_0 = vbf_load(e0 + 1 * c->e0_cb + 0 * c->e0_row + 2 * 16);
        const vf t1_0_2_1 = a1_0_2 + t1_0_2_0;
        const vf t1_0_2_2 = vf_max_quiet(vf_set(0.0f), t1_0_2_1);
        const vf t1_0_2_3 = vf_result_bf16(t1_0_2_2);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 2 * LANES, t1_0_2_3);
    }
    {
        const vf a0_0_3 = vf_load(sums + 6 * LANES) + b0, a1_0_3 = vf_load(sums + 7 * LANES) + b1;
        const vf t0_0_3_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 3 * 16);
        const vf t0_0_3_1 = a0_0_3 + t0_0_3_0;
        const vf t0_0_3_2 = vf_max_quiet(vf_set(0.0f), t0_0_3_1);
        const vf t0_0_3_3 = vf_result_bf16(t0_0_3_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 3 * LANES, t0_0_3_3);
        const vf t1_0_3_0 = vbf_load(e0 + 1 * c->e0_cb + 0 * c->e0_row + 3 * 16);
        const vf t1_0_3_1 = a1_0_3 + t1_0_3_0;
        const vf t1_0_3_2 = vf_max_quiet(vf_set(0.0f), t1_0_3_1);
        const vf t1_0_3_3 = vf_result_bf16(t1_0_3_2);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 3 * LANES, t1_0_3_3);
    }
    {
        const vf a0_0_4 = vf_load(sums + 8 * LANES) + b0, a1_0_4 = vf_load(sums + 9 * LANES) + b1;
        const vf t0_0_4_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 4 * 16);
        const vf t0_0_4_1 = a0_0_4 + t0_0_4_0;
        const vf t0_0_4_2 = vf_max_quiet(vf_set(0.0f), t0_0_4_1);
        const vf t0_0_4_3 = vf_result_bf16(t0_0_4_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 4 * LANES, t0_0_4_3);
        const vf t1_0_4_0 = vbf_load(e0 + 1 * c->e0_cb + 0 * c->e0_row + 4 * 16);
        const vf t1_0_4_1 = a1_0_4 + t1_0_4_0;
        const vf t1_0_4_2 = vf_max_quiet(vf_set(0.0f), t1_0_4_1);
        const vf t1_0_4_3 = vf_result_bf16(t1_0_4_2);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 4 * LANES, t1_0_4_3);
    }
    {
        const vf a0_0_5 = vf_load(sums + 10 * LANES) + b0, a1_0_5 = vf_load(sums + 11 * LANES) + b1;
        const vf t0_0_5_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 5 * 16);
        const vf t0_0_5_1 = a0_0_5 + t0_0_5_0;
        const vf t0_0_5_2 = vf_max_quiet(vf_set(0.0f), t0_0_5_1);
        const vf t0_0_5_3 = vf_result_bf16(t0_0_5_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 5 * LANES, t0_0_5_3);
        const vf t1_0_5_0 = vbf_load(e0 + 1 * c->e0_cb + 0 * c->e0_row + 5 * 16);
        const vf t1_0_5_1 = a1_0_5 + t1_0_5_0;
        const vf t1_0_5_2 = vf_max_quiet(vf_set(0.0f), t1_0_5_1);
        const vf t1_0_5_3 = vf_result_bf16(t1_0_5_2);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 5 * LANES, t1_0_5_3);
    }
    {
        const vf a0_0_6 = vf_load(sums + 12 * LANES) + b0, a1_0_6 = vf_load(sums + 13 * LANES) + b1;
        const vf t0_0_6_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 6 * 16);
        const vf t0_0_6_1 = a0_0_6 + t0_0_6_0;
        const vf t0_0_6_2 = vf_max_quiet(vf_set(0.0f), t0_0_6_1);
        const vf t0_0_6_3 = vf_result_bf16(t0_0_6_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 6 * LANES, t0_0_6_3);
        const vf t1_0_6_0 = vbf_load(e0 + 1 * c->e0_cb + 0 * c->e0_row + 6 * 16);
        const vf t1_0_6_1 = a1_0_6 + t1_0_6_0;
        const vf t1_0_6_2 = vf_max_quiet(vf_set(0.0f), t1_0_6_1);
        const vf t1_0_6_3 = vf_result_bf16(t1_0_6_2);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 6 * LANES, t1_0_6_3);
    }
    {
        const vf a0_0_7 = vf_load(sums + 14 * LANES) + b0, a1_0_7 = vf_load(sums + 15 * LANES) + b1;
        const vf t0_0_7_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 7 * 16);
        const vf t0_0_7_1 = a0_0_7 + t0_0_7_0;
        const vf t0_0_7_2 = vf_max_quiet(vf_set(0.0f), t0_0_7_1);
        const vf t0_0_7_3 = vf_result_bf16(t0_0_7_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 7 * LANES, t0_0_7_3);
        const vf t1_0_7_0 = vbf_load(e0 + 1 * c->e0_cb + 0 * c->e0_row + 7 * 16);
        const vf t1_0_7_1 = a1_0_7 + t1_0_7_0;
        const vf t1_0_7_2 = vf_max_quiet(vf_set(0.0f), t1_0_7_1);
        const vf t1_0_7_3 = vf_result_bf16(t1_0_7_2);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 7 * LANES, t1_0_7_3);
    }
    {
        const vf a0_0_8 = vf_load(sums + 16 * LANES) + b0, a1_0_8 = vf_load(sums + 17 * LANES) + b1;
        const vf t0_0_8_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 8 * 16);
        const vf t0_0_8_1 = a0_0_8 + t0_0_8_0;
        const vf t0_0_8_2 = vf_max_quiet(vf_set(0.0f), t0_0_8_1);
        const vf t0_0_8_3 = vf_result_bf16(t0_0_8_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 8 * LANES, t0_0_8_3);
        const vf t1_0_8_0 = vbf_load(e0 + 1 * c->e0_cb + 0 * c->e0_row + 8 * 16);
        const vf t1_0_8_1 = a1_0_8 + t1_0_8_0;
        const vf t1_0_8_2 = vf_max_quiet(vf_set(0.0f), t1_0_8_1);
        const vf t1_0_8_3 = vf_result_bf16(t1_0_8_2);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 8 * LANES, t1_0_8_3);
    }
    {
        const vf a0_0_9 = vf_load(sums + 18 * LANES) + b0, a1_0_9 = vf_load(sums + 19 * LANES) + b1;
        const vf t0_0_9_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 9 * 16);
        const vf t0_0_9_1 = a0_0_9 + t0_0_9_0;
        const vf t0_0_9_2 = vf_max_quiet(vf_set(0.0f), t0_0_9_1);
        const vf t0_0_9_3 = vf_result_bf16(t0_0_9_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 9 * LANES, t0_0_9_3);
        const vf t1_0_9_0 = vbf_load(e0 + 1 * c->e0_cb + 0 * c->e0_row + 9 * 16);
        const vf t1_0_9_1 = a1_0_9 + t1_0_9_0;
        const vf t1_0_9_2 = vf_max_quiet(vf_set(0.0f), t1_0_9_1);
        const vf t1_0_9_3 = vf_result_bf16(t1_0_9_2);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 9 * LANES, t1_0_9_3);
    }
    {
        const vf a0_0_10 = vf_load(sums + 20 * LANES) + b0, a1_0_10 = vf_load(sums + 21 * LANES) + b1;
        const vf t0_0_10_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 10 * 16);
        const vf t0_0_10_1 = a0_0_10 + t0_0_10_0;
        const vf t0_0_10_2 = vf_max_quiet(vf_set(0.0f), t0_0_10_1);
        const vf t0_0_10_3 = vf_result_bf16(t0_0_10_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 10 * LANES, t0_0_10_3);
        const vf t1_0_10_0 = vbf_load(e0 + 1 * c->e0_cb + 0 * c->e0_row + 10 * 16);
        const vf t1_0_10_1 = a1_0_10 + t1_0_10_0;
        const vf t1_0_10_2 = vf_max_quiet(vf_set(0.0f), t1_0_10_1);
        const vf t1_0_10_3 = vf_result_bf16(t1_0_10_2);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 10 * LANES, t1_0_10_3);
    }
    {
        const vf a0_0_11 = vf_load(sums + 22 * LANES) + b0, a1_0_11 = vf_load(sums + 23 * LANES) + b1;
        const vf t0_0_11_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 11 * 16);
        const vf t0_0_11_1 = a0_0_11 + t0_0_11_0;
        const vf t0_0_11_2 = vf_max_quiet(vf_set(0.0f), t0_0_11_1);
        const vf t0_0_11_3 = vf_result_bf16(t0_0_11_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 11 * LANES, t0_0_11_3);
        const vf t1_0_11_0 = vbf_load(e0 + 1 * c->e0_cb + 0 * c->e0_row + 11 * 16);
        const vf t1_0_11_1 = a1_0_11 + t1_0_11_0;
        const vf t1_0_11_2 = vf_max_quiet(vf_set(0.0f), t1_0_11_1);
        const vf t1_0_11_3 = vf_result_bf16(t1_0_11_2);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 11 * LANES, t1_0_11_3);
    }
    {
        const vf a0_0_12 = vf_load(sums + 24 * LANES) + b0, a1_0_12 = vf_load(sums + 25 * LANES) + b1;
        const vf t0_0_12_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 12 * 16);
        const vf t0_0_12_1 = a0_0_12 + t0_0_12_0;
        const vf t0_0_12_2 = vf_max_quiet(vf_set(0.0f), t0_0_12_1);
        const vf t0_0_12_3 = vf_result_bf16(t0_0_12_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 12 * LANES, t0_0_12_3);
        const vf t1_0_12_0 = vbf_load(e0 + 1 * c->e0_cb + 0 * c->e0_row + 12 * 16);
        const vf t1_0_12_1 = a1_0_12 + t1_0_12_0;
        const vf t1_0_12_2 = vf_max_quiet(vf_set(0.0f), t1_0_12_1);
        const vf t1_0_12_3 = vf_result_bf16(t1_0_12_2);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 12 * LANES, t1_0_12_3);
    }
    {
        const vf a0_0_13 = vf_load(sums + 26 * LANES) + b0, a1_0_13 = vf_load(sums + 27 * LANES) + b1;
        const vf t0_0_13_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 13 * 16);
        const vf t0_0_13_1 = a0_0_13 + t0_0_13_0;
        const vf t0_0_13_2 = vf_max_quiet(vf_set(0.0f), t0_0_13_1);
        const vf t0_0_13_3 = vf_result_bf16(t0_0_13_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 13 * LANES, t0_0_13_3);
        const vf t1_0_13_0 = vbf_load(e0 + 1 * c->e0_cb + 0 * c->e0_row + 13 * 16);
        const vf t1_0_13_1 = a1_0_13 + t1_0_13_0;
        const vf t1_0_13_2 = vf_max_quiet(vf_set(0.0f), t1_0_13_1);
        const vf t1_0_13_3 = vf_result_bf16(t1_0_13_2);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 13 * LANES, t1_0_13_3);
    }
    {
        const vf a0_0_14 = vf_load(sums + 28 * LANES) + b0, a1_0_14 = vf_load(sums + 29 * LANES) + b1;
        const vf t0_0_14_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 14 * 16);
        const vf t0_0_14_1 = a0_0_14 + t0_0_14_0;
        const vf t0_0_14_2 = vf_max_quiet(vf_set(0.0f), t0_0_14_1);
        const vf t0_0_14_3 = vf_result_bf16(t0_0_14_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 14 * LANES, t0_0_14_3);
        const vf t1_0_14_0 = vbf_load(e0 + 1 * c->e0_cb + 0 * c->e0_row + 14 * 16);
        const vf t1_0_14_1 = a1_0_14 + t1_0_14_0;
        const vf t1_0_14_2 = vf_max_quiet(vf_set(0.0f), t1_0_14_1);
        const vf t1_0_14_3 = vf_result_bf16(t1_0_14_2);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 14 * LANES, t1_0_14_3);
    }
    {
        const vf a0_0_15 = vf_load(sums + 30 * LANES) + b0, a1_0_15 = vf_load(sums + 31 * LANES) + b1;
        const vf t0_0_15_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 15 * 16);
        const vf t0_0_15_1 = a0_0_15 + t0_0_15_0;
        const vf t0_0_15_2 = vf_max_quiet(vf_set(0.0f), t0_0_15_1);
        const vf t0_0_15_3 = vf_result_bf16(t0_0_15_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 15 * LANES, t0_0_15_3);
        const vf t1_0_15_0 = vbf_load(e0 + 1 * c->e0_cb + 0 * c->e0_row + 15 * 16);
        const vf t1_0_15_1 = a1_0_15 + t1_0_15_0;
        const vf t1_0_15_2 = vf_max_quiet(vf_set(0.0f), t1_0_15_1);
        const vf t1_0_15_3 = vf_result_bf16(t1_0_15_2);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 15 * LANES, t1_0_15_3);
    }
    {
        const vf a0_0_16 = vf_load(sums + 32 * LANES) + b0, a1_0_16 = vf_load(sums + 33 * LANES) + b1;
        const vf t0_0_16_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 16 * 16);
        const vf t0_0_16_1 = a0_0_16 + t0_0_16_0;
        const vf t0_0_16_2 = vf_max_quiet(vf_set(0.0f), t0_0_16_1);
        const vf t0_0_16_3 = vf_result_bf16(t0_0_16_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 16 * LANES, t0_0_16_3);
        const vf t1_0_16_0 = vbf_load(e0 + 1 * c->e0_cb + 0 * c->e0_row + 16 * 16);
        const vf t1_0_16_1 = a1_0_16 + t1_0_16_0;
        const vf t1_0_16_2 = vf_max_quiet(vf_set(0.0f), t1_0_16_1);
        const vf t1_0_16_3 = vf_result_bf16(t1_0_16_2);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 16 * LANES, t1_0_16_3);
    }
    {
        const vf a0_0_17 = vf_load(sums + 34 * LANES) + b0, a1_0_17 = vf_load(sums + 35 * LANES) + b1;
        const vf t0_0_17_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 17 * 16);
        const vf t0_0_17_1 = a0_0_17 + t0_0_17_0;
        const vf t0_0_17_2 = vf_max_quiet(vf_set(0.0f), t0_0_17_1);
        const vf t0_0_17_3 = vf_result_bf16(t0_0_17_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 17 * LANES, t0_0_17_3);
        const vf t1_0_17_0 = vbf_load(e0 + 1 * c->e0_cb + 0 * c->e0_row + 17 * 16);
        const vf t1_0_17_1 = a1_0_17 + t1_0_17_0;
        const vf t1_0_17_2 = vf_max_quiet(vf_set(0.0f), t1_0_17_1);
        const vf t1_0_17_3 = vf_result_bf16(t1_0_17_2);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 17 * LANES, t1_0_17_3);
    }
    {
        const vf a0_0_18 = vf_load(sums + 36 * LANES) + b0, a1_0_18 = vf_load(sums + 37 * LANES) + b1;
        const vf t0_0_18_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 18 * 16);
        const vf t0_0_18_1 = a0_0_18 + t0_0_18_0;
        const vf t0_0_18_2 = vf_max_quiet(vf_set(0.0f), t0_0_18_1);
        const vf t0_0_18_3 = vf_result_bf16(t0_0_18_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 18 * LANES, t0_0_18_3);
        const vf t1_0_18_0 = vbf_load(e0 + 1 * c->e0_cb + 0 * c->e0_row + 18 * 16);
        const vf t1_0_18_1 = a1_0_18 + t1_0_18_0;
        const vf t1_0_18_2 = vf_max_quiet(vf_set(0.0f), t1_0_18_1);
        const vf t1_0_18_3 = vf_result_bf16(t1_0_18_2);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 18 * LANES, t1_0_18_3);
    }
    {
        const vf a0_0_19 = vf_load(sums + 38 * LANES) + b0, a1_0_19 = vf_load(sums + 39 * LANES) + b1;
        const vf t0_0_19_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 19 * 16);
        const vf t0_0_19_1 = a0_0_19 + t0_0_19_0;
        const vf t0_0_19_2 = vf_max_quiet(vf_set(0.0f), t0_0_19_1);
        const vf t0_0_19_3 = vf_result_bf16(t0_0_19_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 19 * LANES, t0_0_19_3);
        const vf t1_0_19_0 = vbf_load(e0 + 1 * c->e0_cb + 0 * c->e0_row + 19 * 16);
        const vf t1_0_19_1 = a1_0_19 + t1_0_19_0;
        const vf t1_0_19_2 = vf_max_quiet(vf_set(0.0f), t1_0_19_1);
        const vf t1_0_19_3 = vf_result_bf16(t1_0_19_2);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 19 * LANES, t1_0_19_3);
    }
}

static __attribute__((noinline)) void tile_1x1x20(const conv *c, const uint16_t *in, const uint16_t *w, const uint16_t *bias, const uint16_t *e0, float *out, int64_t ahead)
{
    static const sol_tiles shape = {.palette = 1, .bytes = {64, 64, 64, 64, 64, 64, 64, 64}, .rows = {10, 10, 1, 1, 10, 10, 16, 16}};
    float sums[20 * LANES] __attribute__((aligned(64)));
    const int64_t blocks = c->in_blocks, in_cb = c->in_cb, touched = ahead ? c->touched : 0;
    const int64_t R = c->R, S = c->S, in_r = c->in_r, in_s = c->in_s;
    SOL_TILES_HOLD(*c->held, shape);
SOL_TILE_ZERO(0); SOL_TILE_ZERO(1); 
    for (int64_t block = 0; block < blocks; block++, in += in_cb) {
        const uint16_t *row = in;
        for (int64_t r = 0; r < R; r++, row += in_r) {
            const uint16_t *tap = row;
            for (int64_t s = 0; s < S; s++, tap += in_s) {
SOL_TILE_LOAD(6, w + 0 * LANES, 4 * LANES); 
                SOL_TILE_LOAD(4, tap, 64);
SOL_TILE_DOT(0, 4, 6); 
                SOL_TILE_LOAD(5, tap + 10 * PIXEL, 64);
SOL_TILE_DOT(1, 5, 6); 
                for (int64_t i = 0; i < touched; i++) __builtin_prefetch(w + ahead + i * STEP, 0, 2);
                w += 1 * LANES * STEP;
            }
        }
    }
SOL_TILE_STORE(0, sums + 0 * LANES, 4 * LANES); 
SOL_TILE_STORE(1, sums + 10 * LANES, 4 * LANES); 
    const vf b0 = vbf_load(bias + 0 * LANES);
    {
        const vf a0_0_0 = vf_load(sums + 0 * LANES) + b0;
        const vf t0_0_0_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 0 * 16);
        const vf t0_0_0_1 = a0_0_0 + t0_0_0_0;
        const vf t0_0_0_2 = vf_max_quiet(vf_set(0.0f), t0_0_0_1);
        const vf t0_0_0_3 = vf_result_bf16(t0_0_0_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 0 * LANES, t0_0_0_3);
    }
    {
        const vf a0_0_1 = vf_load(sums + 1 * LANES) + b0;
        const vf t0_0_1_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 1 * 16);
        const vf t0_0_1_1 = a0_0_1 + t0_0_1_0;
        const vf t0_0_1_2 = vf_max_quiet(vf_set(0.0f), t0_0_1_1);
        const vf t0_0_1_3 = vf_result_bf16(t0_0_1_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 1 * LANES, t0_0_1_3);
    }
    {
        const vf a0_0_2 = vf_load(sums + 2 * LANES) + b0;
        const vf t0_0_2_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 2 * 16);
        const vf t0_0_2_1 = a0_0_2 + t0_0_2_0;
        const vf t0_0_2_2 = vf_max_quiet(vf_set(0.0f), t0_0_2_1);
        const vf t0_0_2_3 = vf_result_bf16(t0_0_2_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 2 * LANES, t0_0_2_3);
    }
    {
        const vf a0_0_3 = vf_load(sums + 3 * LANES) + b0;
        const vf t0_0_3_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 3 * 16);
        const vf t0_0_3_1 = a0_0_3 + t0_0_3_0;
        const vf t0_0_3_2 = vf_max_quiet(vf_set(0.0f), t0_0_3_1);
        const vf t0_0_3_3 = vf_result_bf16(t0_0_3_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 3 * LANES, t0_0_3_3);
    }
    {
        const vf a0_0_4 = vf_load(sums + 4 * LANES) + b0;
        const vf t0_0_4_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 4 * 16);
        const vf t0_0_4_1 = a0_0_4 + t0_0_4_0;
        const vf t0_0_4_2 = vf_max_quiet(vf_set(0.0f), t0_0_4_1);
        const vf t0_0_4_3 = vf_result_bf16(t0_0_4_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 4 * LANES, t0_0_4_3);
    }
    {
        const vf a0_0_5 = vf_load(sums + 5 * LANES) + b0;
        const vf t0_0_5_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 5 * 16);
        const vf t0_0_5_1 = a0_0_5 + t0_0_5_0;
        const vf t0_0_5_2 = vf_max_quiet(vf_set(0.0f), t0_0_5_1);
        const vf t0_0_5_3 = vf_result_bf16(t0_0_5_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 5 * LANES, t0_0_5_3);
    }
    {
        const vf a0_0_6 = vf_load(sums + 6 * LANES) + b0;
        const vf t0_0_6_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 6 * 16);
        const vf t0_0_6_1 = a0_0_6 + t0_0_6_0;
        const vf t0_0_6_2 = vf_max_quiet(vf_set(0.0f), t0_0_6_1);
        const vf t0_0_6_3 = vf_result_bf16(t0_0_6_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 6 * LANES, t0_0_6_3);
    }
    {
        const vf a0_0_7 = vf_load(sums + 7 * LANES) + b0;
        const vf t0_0_7_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 7 * 16);
        const vf t0_0_7_1 = a0_0_7 + t0_0_7_0;
        const vf t0_0_7_2 = vf_max_quiet(vf_set(0.0f), t0_0_7_1);
        const vf t0_0_7_3 = vf_result_bf16(t0_0_7_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 7 * LANES, t0_0_7_3);
    }
    {
        const vf a0_0_8 = vf_load(sums + 8 * LANES) + b0;
        const vf t0_0_8_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 8 * 16);
        const vf t0_0_8_1 = a0_0_8 + t0_0_8_0;
        const vf t0_0_8_2 = vf_max_quiet(vf_set(0.0f), t0_0_8_1);
        const vf t0_0_8_3 = vf_result_bf16(t0_0_8_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 8 * LANES, t0_0_8_3);
    }
    {
        const vf a0_0_9 = vf_load(sums + 9 * LANES) + b0;
        const vf t0_0_9_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 9 * 16);
        const vf t0_0_9_1 = a0_0_9 + t0_0_9_0;
        const vf t0_0_9_2 = vf_max_quiet(vf_set(0.0f), t0_0_9_1);
        const vf t0_0_9_3 = vf_result_bf16(t0_0_9_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 9 * LANES, t0_0_9_3);
    }
    {
        const vf a0_0_10 = vf_load(sums + 10 * LANES) + b0;
        const vf t0_0_10_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 10 * 16);
        const vf t0_0_10_1 = a0_0_10 + t0_0_10_0;
        const vf t0_0_10_2 = vf_max_quiet(vf_set(0.0f), t0_0_10_1);
        const vf t0_0_10_3 = vf_result_bf16(t0_0_10_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 10 * LANES, t0_0_10_3);
    }
    {
        const vf a0_0_11 = vf_load(sums + 11 * LANES) + b0;
        const vf t0_0_11_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 11 * 16);
        const vf t0_0_11_1 = a0_0_11 + t0_0_11_0;
        const vf t0_0_11_2 = vf_max_quiet(vf_set(0.0f), t0_0_11_1);
        const vf t0_0_11_3 = vf_result_bf16(t0_0_11_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 11 * LANES, t0_0_11_3);
    }
    {
        const vf a0_0_12 = vf_load(sums + 12 * LANES) + b0;
        const vf t0_0_12_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 12 * 16);
        const vf t0_0_12_1 = a0_0_12 + t0_0_12_0;
        const vf t0_0_12_2 = vf_max_quiet(vf_set(0.0f), t0_0_12_1);
        const vf t0_0_12_3 = vf_result_bf16(t0_0_12_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 12 * LANES, t0_0_12_3);
    }
    {
        const vf a0_0_13 = vf_load(sums + 13 * LANES) + b0;
        const vf t0_0_13_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 13 * 16);
        const vf t0_0_13_1 = a0_0_13 + t0_0_13_0;
        const vf t0_0_13_2 = vf_max_quiet(vf_set(0.0f), t0_0_13_1);
        const vf t0_0_13_3 = vf_result_bf16(t0_0_13_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 13 * LANES, t0_0_13_3);
    }
    {
        const vf a0_0_14 = vf_load(sums + 14 * LANES) + b0;
        const vf t0_0_14_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 14 * 16);
        const vf t0_0_14_1 = a0_0_14 + t0_0_14_0;
        const vf t0_0_14_2 = vf_max_quiet(vf_set(0.0f), t0_0_14_1);
        const vf t0_0_14_3 = vf_result_bf16(t0_0_14_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 14 * LANES, t0_0_14_3);
    }
    {
        const vf a0_0_15 = vf_load(sums + 15 * LANES) + b0;
        const vf t0_0_15_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 15 * 16);
        const vf t0_0_15_1 = a0_0_15 + t0_0_15_0;
        const vf t0_0_15_2 = vf_max_quiet(vf_set(0.0f), t0_0_15_1);
        const vf t0_0_15_3 = vf_result_bf16(t0_0_15_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 15 * LANES, t0_0_15_3);
    }
    {
        const vf a0_0_16 = vf_load(sums + 16 * LANES) + b0;
        const vf t0_0_16_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 16 * 16);
        const vf t0_0_16_1 = a0_0_16 + t0_0_16_0;
        const vf t0_0_16_2 = vf_max_quiet(vf_set(0.0f), t0_0_16_1);
        const vf t0_0_16_3 = vf_result_bf16(t0_0_16_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 16 * LANES, t0_0_16_3);
    }
    {
        const vf a0_0_17 = vf_load(sums + 17 * LANES) + b0;
        const vf t0_0_17_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 17 * 16);
        const vf t0_0_17_1 = a0_0_17 + t0_0_17_0;
        const vf t0_0_17_2 = vf_max_quiet(vf_set(0.0f), t0_0_17_1);
        const vf t0_0_17_3 = vf_result_bf16(t0_0_17_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 17 * LANES, t0_0_17_3);
    }
    {
        const vf a0_0_18 = vf_load(sums + 18 * LANES) + b0;
        const vf t0_0_18_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 18 * 16);
        const vf t0_0_18_1 = a0_0_18 + t0_0_18_0;
        const vf t0_0_18_2 = vf_max_quiet(vf_set(0.0f), t0_0_18_1);
        const vf t0_0_18_3 = vf_result_bf16(t0_0_18_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 18 * LANES, t0_0_18_3);
    }
    {
        const vf a0_0_19 = vf_load(sums + 19 * LANES) + b0;
        const vf t0_0_19_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 19 * 16);
        const vf t0_0_19_1 = a0_0_19 + t0_0_19_0;
        const vf t0_0_19_2 = vf_max_quiet(vf_set(0.0f), t0_0_19_1);
        const vf t0_0_19_3 = vf_result_bf16(t0_0_19_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 19 * LANES, t0_0_19_3);
    }
}

/* Panel of vectors that starts at kb, tiles t0 … t1 - 1, whose patches begin at in. */
static void panel_2(const conv *c, int64_t kb, int64_t t0, int64_t t1, const uint16_t *in)
{
    const uint16_t *w = c->w + kb * c->w_kb;
    const uint16_t *bias = c->bias + kb * LANES;
    float *out = c->out + kb * c->out_cb;
    int64_t n = t0 / (c->rows * c->columns), y = t0 / c->columns % c->rows, x = t0 % c->columns;
    in += kb / c->group_vectors * c->in_blocks * c->in_cb;
    /* Beside each of its steps a tile asks for its part of what lies so far behind: the next panel's weights, which come from far. */
    const int64_t next = 2 * c->w_kb, step = 32 * STEP;
    int64_t ahead = next;
    for (; t0 < t1; t0++, in += c->patch, ahead = ahead && ahead + c->touched * STEP < next + step ? ahead + c->touched * STEP : 0) {
        const uint16_t *i = in;
        float *o = out + n * c->out_n + y * 1 * c->out_row + x * 20 * LANES;
        const uint16_t *e0 = c->e0 + n * c->e0_n + kb * c->e0_cb + y * 1 * c->e0_row + x * 20 * 16;
        tile_2x1x20(c, i, w, bias, e0, o, ahead);
if (++x == c->columns) {
            x = 0;
            if (++y == c->rows) y = 0, n++;
        }
    }
}

static void panel_1(const conv *c, int64_t kb, int64_t t0, int64_t t1, const uint16_t *in)
{
    const uint16_t *w = c->w + kb * c->w_kb;
    const uint16_t *bias = c->bias + kb * LANES;
    float *out = c->out + kb * c->out_cb;
    int64_t n = t0 / (c->rows * c->columns), y = t0 / c->columns % c->rows, x = t0 % c->columns;
    in += kb / c->group_vectors * c->in_blocks * c->in_cb;
    /* Beside each of its steps a tile asks for its part of what lies so far behind: the next panel's weights, which come from far. */
    const int64_t next = 1 * c->w_kb, step = 16 * STEP;
    int64_t ahead = next;
    for (; t0 < t1; t0++, in += c->patch, ahead = ahead && ahead + c->touched * STEP < next + step ? ahead + c->touched * STEP : 0) {
        const uint16_t *i = in;
        float *o = out + n * c->out_n + y * 1 * c->out_row + x * 20 * LANES;
        const uint16_t *e0 = c->e0 + n * c->e0_n + kb * c->e0_cb + y * 1 * c->e0_row + x * 20 * 16;
        tile_1x1x20(c, i, w, bias, e0, o, ahead);
if (++x == c->columns) {
            x = 0;
            if (++y == c->rows) y = 0, n++;
        }
    }
}

/* Panel ``number`` of all groups. */
static void multiply(const conv *c, int64_t number, int64_t t0, int64_t t1, const uint16_t *in)
{
    const int64_t each = (c->group_vectors + 1) / 2, kb = number / each * c->group_vectors + number % each * 2;
    if (number % each + 1 == each) panel_1(c, kb, t0, t1, in); else
    panel_2(c, kb, t0, t1, in);
}

void conv_tiles(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const uint16_t *in = buf[0];
    const uint16_t *w = buf[1];
    const uint16_t *bias = buf[2];
    const uint16_t *e0 = buf[3];
    float *out = buf[4];
    const int64_t N = arg[0];
    const int64_t OH = arg[1];
    const int64_t OW = arg[2];
    const int64_t group_vectors = arg[3];
    const int64_t groups = arg[4];
    const int64_t by_tiles = arg[5];
    const int64_t in_blocks = arg[6];
    const int64_t from_blocks = arg[7];
    const int64_t R = arg[8];
    const int64_t S = arg[9];
    const int64_t height = arg[10];
    const int64_t width = arg[11];
    const int64_t down = arg[12];
    const int64_t line = arg[13];
    const int64_t in_cb = arg[14];
    const int64_t in_row = arg[15];
    const int64_t in_r = arg[16];
    const int64_t strip = arg[17];
    const int64_t in_s = arg[18];
    const int64_t from_n = arg[19];
    const int64_t from_cb = arg[20];
    const int64_t from_row = arg[21];
    const int64_t from_column = arg[22];
    const int64_t from_start = arg[23];
    const int64_t tile_y = arg[24];
    const int64_t tile_x = arg[25];
    const int64_t out_n = arg[26];
    const int64_t out_cb = arg[27];
    const int64_t out_row = arg[28];
    const int64_t e0_n = arg[29];
    const int64_t e0_cb = arg[30];
    const int64_t e0_row = arg[31];
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
        .in = in + from_start, .w = w, .bias = bias, .e0 = e0, .out = out, .N = N, .OH = OH, .OW = OW,
        .group_vectors = group_vectors, .groups = groups, .by_tiles = by_tiles, .in_blocks = in_blocks, .from_blocks = from_blocks, .R = R, .S = S, .height = height,
        .width = width, .down = down, .line = line, .in_cb = in_cb, .in_row = in_row, .in_r = in_r, .strip = strip, .in_s = in_s,
        .from_n = from_n, .from_cb = from_cb, .from_row = from_row, .from_column = from_column, .from_start = from_start, .tile_y = tile_y, .tile_x = tile_x, .out_n = out_n,
        .out_cb = out_cb, .out_row = out_row, .e0_n = e0_n, .e0_cb = e0_cb, .e0_row = e0_row, .rows = rows, .columns = columns, .w_kb = w_kb,
        .patch = patch, .touched = touched,
        .held = &shapes,
    };
    if (tiles == 0) return;
    uint16_t *at = (uint16_t *)team->scratch;
    int64_t u0, u1, first = 0, last = tiles;
    if (together) {
        at = (uint16_t *)team->shared_scratch;
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
