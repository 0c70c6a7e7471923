/* Convolution of bfloat16 of few channels by matrix tiles (AMX), NCHW -> NCHWc, then relu.
 *
 * out[n, k, y, x] = epilogue(bias[k] + sum over c, r, s of w[k, c, r, s] * in[n, c, y * stride_y + r * dilation_y - pad_y, x * 1 + s * dilation_x - pad_x])
 *
 * A pixel of the result is a row of PIXEL elements, what its sum reads: [r][s][c], zeros behind them (im2col). A matrix tile takes STEP of 16 such rows at once.
 * Register tile: 2 output vectors x 1 rows x 20 pixels, the whole reduction in up to four matrix tiles of sums.
 *   share of tiles of this thread
 *     strip of tiles: rows of the image that they read are laid out as [column][c] in the thread's scratch, each once, in a ring of RING; then rows of pixels
 *       panel = 2 output vectors
 *         tile: step of the row
 *
 * w: [panel][step of (r, s, c)][pair][2 * LANES][2], zeros behind (R, S, C). */
#include "sol_team.h"
#include "sol_simd.h"
#include "sol_tiles.h"

enum { STEP = 32, PIXEL = 32, ROWS = 3, RING = 4 }; /* elements of a matrix tile's row and of a pixel's row; rows of the filter and of the ring */

/* Which rows of the image the ring holds: those of image n from ``next - RING`` to ``next - 1``, counted from the first row of padding. */
typedef struct {
    int64_t n, next;
} held_rows;

typedef struct conv {
    const uint16_t *in;
    const uint16_t *w;
    uint16_t *out;
    int64_t N, OH, OW, vectors, C, H, W, pad_y, pad_x, stride_y, dilation_y, line, strip, source_n, source_c, source_h;
    int64_t source_w, out_n, out_cb, out_row, rows, columns, w_kb, patch, in_blocks, in_cb, in_row;
    const sol_tiles **held; /* shapes of the thread's matrix tiles */
    held_rows *laid;
    uint16_t *ring;
} conv;

typedef uint16_t pixels __attribute__((vector_size(64))); /* a matrix tile's row of elements */

static inline pixels load_pixels(const uint16_t *from)
{
    pixels v;
    memcpy(&v, from, sizeof v);
    return v;
}

/* Row y of image n, counted from the first row of padding, as [column][c], with zeros around. */
static void lay_row(const conv *c, int64_t n, int64_t y, uint16_t *to)
{
    const int64_t C = c->C, W = c->W, before = c->pad_x * C, end = before + W * C, source_w = c->source_w;
    y -= c->pad_y;
    if (y < 0 || y >= c->H) {
        memset(to, 0, c->line * sizeof *to);
        return;
    }
    const uint16_t *from = c->in + n * c->source_n + y * c->source_h;
    memset(to, 0, before * sizeof *to);
    memset(to + end, 0, (c->line - end) * sizeof *to);
    to += before;
    if (c->source_c == 1 && source_w == C) {
        memcpy(to, from, W * C * sizeof *to);
        return;
    }
    int64_t x = 0;
    if (source_w == 1)
        for (; x + STEP <= W; x += STEP) {
            const pixels p0 = load_pixels(from + 0 * c->source_c + x), p1 = load_pixels(from + 1 * c->source_c + x), p2 = load_pixels(from + 2 * c->source_c + x);
            {
                pixels v = p0;
                v = __builtin_shufflevector(v, p1, 0, 32, 0, 1, 33, 1, 2, 34, 2, 3, 35, 3, 4, 36, 4, 5, 37, 5, 6, 38, 6, 7, 39, 7, 8, 40, 8, 9, 41, 9, 10, 42);
                v = __builtin_shufflevector(v, p2, 0, 1, 32, 3, 4, 33, 6, 7, 34, 9, 10, 35, 12, 13, 36, 15, 16, 37, 18, 19, 38, 21, 22, 39, 24, 25, 40, 27, 28, 41, 30, 31);
                memcpy(to + x * 3 + 0, &v, sizeof v);
            }
            {
                pixels v = p0;
                v = __builtin_shufflevector(v, p1, 10, 11, 43, 11, 12, 44, 12, 13, 45, 13, 14, 46, 14, 15, 47, 15, 16, 48, 16, 17, 49, 17, 18, 50, 18, 19, 51, 19, 20, 52, 20, 21);
                v = __builtin_shufflevector(v, p2, 42, 1, 2, 43, 4, 5, 44, 7, 8, 45, 10, 11, 46, 13, 14, 47, 16, 17, 48, 19, 20, 49, 22, 23, 50, 25, 26, 51, 28, 29, 52, 31);
                memcpy(to + x * 3 + 32, &v, sizeof v);
            }
            {
                pixels v = p0;
                v = __builtin_shufflevector(v, p1, 53, 21, 22, 54, 22, 23, 55, 23, 24, 56, 24, 25, 57, 25, 26, 58, 26, 27, 59, 27, 28, 60, 28, 29, 61, 29, 30, 62, 30, 31, 63, 31);
                v = __builtin_shufflevector(v, p2, 0, 53, 2, 3, 54, 5, 6, 55, 8, 9, 56, 11, 12, 57, 14, 15, 58, 17, 18, 59, 20, 21, 60, 23, 24, 61, 26, 27, 62, 29, 30, 63);
                memcpy(to + x * 3 + 64, &v, sizeof v);
            }
        }
    for (int64_t k = 0; k < C; k++, from += c->source_c)
        for (int64_t i = x; i < W; i++) to[i * C + k] = from[i * source_w];
}

/* What tiles t0 … t1 - 1 read: each step of a pixel's row is made of vectors of rows of the image, of which masks take a part. */
static __attribute__((noinline)) void lay_pixels(const conv *c, int64_t t0, int64_t t1, uint16_t *to)
{
    held_rows *laid = c->laid;
    for (; t0 < t1; t0++, to += c->patch) {
        const int64_t n = t0 / (c->rows * c->columns), y = t0 / c->columns % c->rows * 1, x = t0 % c->columns * 20;
        const int64_t height = c->OH - y < 1 ? c->OH - y : 1, width = c->OW - x < 20 ? c->OW - x : 20;
        const int64_t top = y * c->stride_y, bottom = top + (height - 1) * c->stride_y + (ROWS - 1) * c->dilation_y;
        if (laid->n != n || laid->next < top) laid->n = n, laid->next = top;
        for (; laid->next <= bottom; laid->next++) lay_row(c, n, laid->next, c->ring + laid->next % RING * c->line);
        for (int64_t i = 0; i < height; i++) {
            uint16_t *pixel = to + i * c->in_row;
            const uint16_t *row[ROWS]; /* of the filter */
            for (int r = 0; r < ROWS; r++) row[r] = c->ring + (top + i * c->stride_y + r * c->dilation_y) % RING * c->line + x * 1 * c->C;
            for (int64_t j = 0, column = 0; j < width; j++, column += 1 * c->C, pixel += PIXEL) {
                {
                    pixels v = {0};
                    v |= load_pixels(row[0] + column + 0) & (pixels){65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
                    v |= load_pixels(row[1] + column + -9) & (pixels){0, 0, 0, 0, 0, 0, 0, 0, 0, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
                    v |= load_pixels(row[2] + column + -18) & (pixels){0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 65535, 0, 0, 0, 0, 0};
                    memcpy(pixel + 0 * STEP, &v, sizeof v);
                }
            }
        }
    }
}

static __attribute__((noinline)) void tile_2x1x20(const conv *c, const uint16_t *in, const uint16_t *w, uint16_t *out)
{
    static const sol_tiles shape = {.palette = 1, .bytes = {64, 64, 64, 64, 64, 64, 64, 64}, .rows = {10, 10, 10, 10, 10, 10, 16, 16}};
    float sums[40 * LANES] __attribute__((aligned(64)));
    const int64_t blocks = c->in_blocks, in_cb = c->in_cb;
    SOL_TILES_HOLD(*c->held, shape);
SOL_TILE_ZERO(0); SOL_TILE_ZERO(1); SOL_TILE_ZERO(2); SOL_TILE_ZERO(3); 
    for (int64_t block = 0; block < blocks; block++, in += in_cb) {
        const uint16_t *tap = in;
        {
            {
SOL_TILE_LOAD(6, w + 0 * LANES, 8 * LANES); SOL_TILE_LOAD(7, w + 2 * LANES, 8 * LANES); 
                SOL_TILE_LOAD(4, tap, 64);
SOL_TILE_DOT(0, 4, 6); SOL_TILE_DOT(1, 4, 7); 
                SOL_TILE_LOAD(5, tap + 10 * PIXEL, 64);
SOL_TILE_DOT(2, 5, 6); SOL_TILE_DOT(3, 5, 7); 
                w += 2 * LANES * STEP;
            }
        }
    }
SOL_TILE_STORE(0, sums + 0 * LANES, 8 * LANES); SOL_TILE_STORE(1, sums + 1 * LANES, 8 * LANES); 
SOL_TILE_STORE(2, sums + 20 * LANES, 8 * LANES); SOL_TILE_STORE(3, sums + 21 * LANES, 8 * LANES); 
    const vf b0 = vf_zero();
    const vf b1 = vf_zero();
    {
        const vf a0_0_0 = vf_load(sums + 0 * LANES) + b0, a1_0_0 = vf_load(sums + 1 * LANES) + b1;
        const vf t0_0_0_0 = vf_max_quiet(vf_set(0.0f), a0_0_0);
        vbf_result_store(out + 0 * c->out_cb + 0 * c->out_row + 0 * LANES, t0_0_0_0);
        const vf t1_0_0_0 = vf_max_quiet(vf_set(0.0f), a1_0_0);
        vbf_result_store(out + 1 * c->out_cb + 0 * c->out_row + 0 * LANES, t1_0_0_0);
    }
    {
        const vf a0_0_1 = vf_load(sums + 2 * LANES) + b0, a1_0_1 = vf_load(sums + 3 * LANES) + b1;
        const vf t0_0_1_0 = vf_max_quiet(vf_set(0.0f), a0_0_1);
        vbf_result_store(out + 0 * c->out_cb + 0 * c->out_row + 1 * LANES, t0_0_1_0);
        const vf t1_0_1_0 = vf_max_quiet(vf_set(0.0f), a1_0_1);
        vbf_result_store(out + 1 * c->out_cb + 0 * c->out_row + 1 * LANES, t1_0_1_0);
    }
    {
        const vf a0_0_2 = vf_load(sums + 4 * LANES) + b0, a1_0_2 = vf_load(sums + 5 * LANES) + b1;
        const vf t0_0_2_0 = vf_max_quiet(vf_set(0.0f), a0_0_2);
        vbf_result_store(out + 0 * c->out_cb + 0 * c->out_row + 2 * LANES, t0_0_2_0);
        const vf t1_0_2_0 = vf_max_quiet(vf_set(0.0f), a1_0_2);
        vbf_result_store(out + 1 * c->out_cb + 0 * c->out_row + 2 * LANES, t1_0_2_0);
    }
    {
        const vf a0_0_3 = vf_load(sums + 6 * LANES) + b0, a1_0_3 = vf_load(sums + 7 * LANES) + b1;
        const vf t0_0_3_0 = vf_max_quiet(vf_set(0.0f), a0_0_3);
        vbf_result_store(out + 0 * c->out_cb + 0 * c->out_row + 3 * LANES, t0_0_3_0);
        const vf t1_0_3_0 = vf_max_quiet(vf_set(0.0f), a1_0_3);
        vbf_result_store(out + 1 * c->out_cb + 0 * c->out_row + 3 * LANES, t1_0_3_0);
    }
    {
        const vf a0_0_4 = vf_load(sums + 8 * LANES) + b0, a1_0_4 = vf_load(sums + 9 * LANES) + b1;
        const vf t0_0_4_0 = vf_max_quiet(vf_set(0.0f), a0_0_4);
        vbf_result_store(out + 0 * c->out_cb + 0 * c->out_row + 4 * LANES, t0_0_4_0);
        const vf t1_0_4_0 = vf_max_quiet(vf_set(0.0f), a1_0_4);
        vbf_result_store(out + 1 * c->out_cb + 0 * c->out_row + 4 * LANES, t1_0_4_0);
    }
    {
        const vf a0_0_5 = vf_load(sums + 10 * LANES) + b0, a1_0_5 = vf_load(sums + 11 * LANES) + b1;
        const vf t0_0_5_0 = vf_max_quiet(vf_set(0.0f), a0_0_5);
        vbf_result_store(out + 0 * c->out_cb + 0 * c->out_row + 5 * LANES, t0_0_5_0);
        const vf t1_0_5_0 = vf_max_quiet(vf_set(0.0f), a1_0_5);
        vbf_result_store(out + 1 * c->out_cb + 0 * c->out_row + 5 * LANES, t1_0_5_0);
    }
    {
        const vf a0_0_6 = vf_load(sums + 12 * LANES) + b0, a1_0_6 = vf_load(sums + 13 * LANES) + b1;
        const vf t0_0_6_0 = vf_max_quiet(vf_set(0.0f), a0_0_6);
        vbf_result_store(out + 0 * c->out_cb + 0 * c->out_row + 6 * LANES, t0_0_6_0);
        const vf t1_0_6_0 = vf_max_quiet(vf_set(0.0f), a1_0_6);
        vbf_result_store(out + 1 * c->out_cb + 0 * c->out_row + 6 * LANES, t1_0_6_0);
    }
    {
        const vf a0_0_7 = vf_load(sums + 14 * LANES) + b0, a1_0_7 = vf_load(sums + 15 * LANES) + b1;
        const vf t0_0_7_0 = vf_max_quiet(vf_set(0.0f), a0_0_7);
        vbf_result_store(out + 0 * c->out_cb + 0 * c->out_row + 7 * LANES, t0_0_7_0);
        const vf t1_0_7_0 = vf_max_quiet(vf_set(0.0f), a1_0_7);
        vbf_result_store(out + 1 * c->out_cb + 0 * c->out_row + 7 * LANES, t1_0_7_0);
    }
    {
        const vf a0_0_8 = vf_load(sums + 16 * LANES) + b0, a1_0_8 = vf_load(sums + 17 * LANES) + b1;
        const vf t0_0_8_0 = vf_max_quiet(vf_set(0.0f), a0_0_8);
        vbf_result_store(out + 0 * c->out_cb + 0 * c->out_row + 8 * LANES, t0_0_8_0);
        const vf t1_0_8_0 = vf_max_quiet(vf_set(0.0f), a1_0_8);
        vbf_result_store(out + 1 * c->out_cb + 0 * c->out_row + 8 * LANES, t1_0_8_0);
    }
    {
        const vf a0_0_9 = vf_load(sums + 18 * LANES) + b0, a1_0_9 = vf_load(sums + 19 * LANES) + b1;
        const vf t0_0_9_0 = vf_max_quiet(vf_set(0.0f), a0_0_9);
        vbf_result_store(out + 0 * c->out_cb + 0 * c->out_row + 9 * LANES, t0_0_9_0);
        const vf t1_0_9_0 = vf_max_quiet(vf_set(0.0f), a1_0_9);
        vbf_result_store(out + 1 * c->out_cb + 0 * c->out_row + 9 * LANES, t1_0_9_0);
    }
    {
        const vf a0_0_10 = vf_load(sums + 20 * LANES) + b0, a1_0_10 = vf_load(sums + 21 * LANES) + b1;
        const vf t0_0_10_0 = vf_max_quiet(vf_set(0.0f), a0_0_10);
        vbf_result_store(out + 0 * c->out_cb + 0 * c->out_row + 10 * LANES, t0_0_10_0);
        const vf t1_0_10_0 = vf_max_quiet(vf_set(0.0f), a1_0_10);
        vbf_result_store(out + 1 * c->out_cb + 0 * c->out_row + 10 * LANES, t1_0_10_0);
    }
    {
        const vf a0_0_11 = vf_load(sums + 22 * LANES) + b0, a1_0_11 = vf_load(sums + 23 * LANES) + b1;
        const vf t0_0_11_0 = vf_max_quiet(vf_set(0.0f), a0_0_11);
        vbf_result_store(out + 0 * c->out_cb + 0 * c->out_row + 11 * LANES, t0_0_11_0);
        const vf t1_0_11_0 = vf_max_quiet(vf_set(0.0f), a1_0_11);
        vbf_result_store(out + 1 * c->out_cb + 0 * c->out_row + 11 * LANES, t1_0_11_0);
    }
    {
        const vf a0_0_12 = vf_load(sums + 24 * LANES) + b0, a1_0_12 = vf_load(sums + 25 * LANES) + b1;
        const vf t0_0_12_0 = vf_max_quiet(vf_set(0.0f), a0_0_12);
        vbf_result_store(out + 0 * c->out_cb + 0 * c->out_row + 12 * LANES, t0_0_12_0);
        const vf t1_0_12_0 = vf_max_quiet(vf_set(0.0f), a1_0_12);
        vbf_result_store(out + 1 * c->out_cb + 0 * c->out_row + 12 * LANES, t1_0_12_0);
    }
    {
        const vf a0_0_13 = vf_load(sums + 26 * LANES) + b0, a1_0_13 = vf_load(sums + 27 * LANES) + b1;
        const vf t0_0_13_0 = vf_max_quiet(vf_set(0.0f), a0_0_13);
        vbf_result_store(out + 0 * c->out_cb + 0 * c->out_row + 13 * LANES, t0_0_13_0);
        const vf t1_0_13_0 = vf_max_quiet(vf_set(0.0f), a1_0_13);
        vbf_result_store(out + 1 * c->out_cb + 0 * c->out_row + 13 * LANES, t1_0_13_0);
    }
    {
        const vf a0_0_14 = vf_load(sums + 28 * LANES) + b0, a1_0_14 = vf_load(sums + 29 * LANES) + b1;
        const vf t0_0_14_0 = vf_max_quiet(vf_set(0.0f), a0_0_14);
        vbf_result_store(out + 0 * c->out_cb + 0 * c->out_row + 14 * LANES, t0_0_14_0);
        const vf t1_0_14_0 = vf_max_quiet(vf_set(0.0f), a1_0_14);
        vbf_result_store(out + 1 * c->out_cb + 0 * c->out_row + 14 * LANES, t1_0_14_0);
    }
    {
        const vf a0_0_15 = vf_load(sums + 30 * LANES) + b0, a1_0_15 = vf_load(sums + 31 * LANES) + b1;
        const vf t0_0_15_0 = vf_max_quiet(vf_set(0.0f), a0_0_15);
        vbf_result_store(out + 0 * c->out_cb + 0 * c->out_row + 15 * LANES, t0_0_15_0);
        const vf t1_0_15_0 = vf_max_quiet(vf_set(0.0f), a1_0_15);
        vbf_result_store(out + 1 * c->out_cb + 0 * c->out_row + 15 * LANES, t1_0_15_0);
    }
    {
        const vf a0_0_16 = vf_load(sums + 32 * LANES) + b0, a1_0_16 = vf_load(sums + 33 * LANES) + b1;
        const vf t0_0_16_0 = vf_max_quiet(vf_set(0.0f), a0_0_16);
        vbf_result_store(out + 0 * c->out_cb + 0 * c->out_row + 16 * LANES, t0_0_16_0);
        const vf t1_0_16_0 = vf_max_quiet(vf_set(0.0f), a1_0_16);
        vbf_result_store(out + 1 * c->out_cb + 0 * c->out_row + 16 * LANES, t1_0_16_0);
    }
    {
        const vf a0_0_17 = vf_load(sums + 34 * LANES) + b0, a1_0_17 = vf_load(sums + 35 * LANES) + b1;
        const vf t0_0_17_0 = vf_max_quiet(vf_set(0.0f), a0_0_17);
        vbf_result_store(out + 0 * c->out_cb + 0 * c->out_row + 17 * LANES, t0_0_17_0);
        const vf t1_0_17_0 = vf_max_quiet(vf_set(0.0f), a1_0_17);
        vbf_result_store(out + 1 * c->out_cb + 0 * c->out_row + 17 * LANES, t1_0_17_0);
    }
    {
        const vf a0_0_18 = vf_load(sums + 36 * LANES) + b0, a1_0_18 = vf_load(sums + 37 * LANES) + b1;
        const vf t0_0_18_0 = vf_max_quiet(vf_set(0.0f), a0_0_18);
        vbf_result_store(out + 0 * c->out_cb + 0 * c->out_row + 18 * LANES, t0_0_18_0);
        const vf t1_0_18_0 = vf_max_quiet(vf_set(0.0f), a1_0_18);
        vbf_result_store(out + 1 * c->out_cb + 0 * c->out_row + 18 * LANES, t1_0_18_0);
    }
    {
        const vf a0_0_19 = vf_load(sums + 38 * LANES) + b0, a1_0_19 = vf_load(sums + 39 * LANES) + b1;
        const vf t0_0_19_0 = vf_max_quiet(vf_set(0.0f), a0_0_19);
        vbf_result_store(out + 0 * c->out_cb + 0 * c->out_row + 19 * LANES, t0_0_19_0);
        const vf t1_0_19_0 = vf_max_quiet(vf_set(0.0f), a1_0_19);
        vbf_result_store(out + 1 * c->out_cb + 0 * c->out_row + 19 * LANES, t1_0_19_0);
    }
}

/* Panel of vectors that starts at kb, tiles t0 … t1 - 1, whose pixels begin at in. */
static void panel_2(const conv *c, int64_t kb, int64_t t0, int64_t t1, const uint16_t *in)
{
    const uint16_t *w = c->w + kb * c->w_kb;
    uint16_t *out = c->out + kb * c->out_cb;
    int64_t n = t0 / (c->rows * c->columns), y = t0 / c->columns % c->rows, x = t0 % c->columns;
    for (; t0 < t1; t0++, in += c->patch) {
        const uint16_t *i = in;
        uint16_t *o = out + n * c->out_n + y * 1 * c->out_row + x * 20 * LANES;
        tile_2x1x20(c, i, w, o);
if (++x == c->columns) {
            x = 0;
            if (++y == c->rows) y = 0, n++;
        }
    }
}

/* All panels of tiles t0 … t1 - 1. */
static void multiply(const conv *c, int64_t t0, int64_t t1, const uint16_t *in)
{
    int64_t kb = 0;
    for (; kb + 2 <= c->vectors; kb += 2) panel_2(c, kb, t0, t1, in);
}

void conv_im2col_tiles(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const uint16_t *in = buf[0];
    const uint16_t *w = buf[1];
    uint16_t *out = buf[2];
    const int64_t N = arg[0];
    const int64_t OH = arg[1];
    const int64_t OW = arg[2];
    const int64_t vectors = arg[3];
    const int64_t C = arg[4];
    const int64_t H = arg[5];
    const int64_t W = arg[6];
    const int64_t pad_y = arg[7];
    const int64_t pad_x = arg[8];
    const int64_t stride_y = arg[9];
    const int64_t dilation_y = arg[10];
    const int64_t line = arg[11];
    const int64_t strip = arg[12];
    const int64_t source_n = arg[13];
    const int64_t source_c = arg[14];
    const int64_t source_h = arg[15];
    const int64_t source_w = arg[16];
    const int64_t out_n = arg[17];
    const int64_t out_cb = arg[18];
    const int64_t out_row = arg[19];
    (void)team; (void)buf; (void)arg;
const int64_t rows = (OH + 0) / 1, columns = (OW + 19) / 20, tiles = N * rows * columns;
    const int64_t w_kb = PIXEL * LANES, in_cb = STEP, in_row = 20 * PIXEL, patch = 1 * in_row;
    const int64_t in_blocks = PIXEL / STEP;
    const sol_tiles *shapes = 0;
    held_rows laid = {-1, 0};
    uint16_t *const ring = (uint16_t *)team->scratch + STEP, *const laid_out = ring + RING * line;
    const conv c = {
        .in = in, .w = w, .out = out, .N = N, .OH = OH, .OW = OW, .vectors = vectors, .C = C,
        .H = H, .W = W, .pad_y = pad_y, .pad_x = pad_x, .stride_y = stride_y, .dilation_y = dilation_y, .line = line, .strip = strip,
        .source_n = source_n, .source_c = source_c, .source_h = source_h, .source_w = source_w, .out_n = out_n, .out_cb = out_cb, .out_row = out_row, .rows = rows,
        .columns = columns, .w_kb = w_kb, .patch = patch, .in_blocks = in_blocks, .in_cb = in_cb, .in_row = in_row,
        .held = &shapes, .laid = &laid, .ring = ring,
    };
    int64_t first, last;
    if (tiles == 0) return;
    sol_split(team, tiles, &first, &last);
    for (int64_t end; first < last; first = end) {
        end = last - first < strip ? last : first + strip;
        lay_pixels(&c, first, end, laid_out);
        multiply(&c, first, end, laid_out);
    }
    SOL_TILES_END();
}
