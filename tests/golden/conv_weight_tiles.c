/* conv_weight_tiles: gradient of a convolution of bfloat16 for its weights by matrix tiles; blocked operands, row-major result of float32.
 *
 *   out[k, c, r, s] = sum over n, y, x of grad[n, k, y, x] * in[n, c, y * sy + r * dy - py, x * sx + s * dx - px]
 *
 * The sum runs over pixels. Threads pack a chunk of them together, as matrix tiles read them, then each multiplies its channels.
 *   gradient: [block of channels][32 pixels][channel][pixel], transposed
 *   input:    [plane][block of channels][pair of pixels][channel][pixel of the pair]
 * Both have rows of ``pitch`` pixels, of which a row of the gradient holds OW and zeros, so that pixel i of the gradient meets pixel i + shift of a
 * plane for each tap. Planes: the input's pixels from a first row and column on in steps of the strides, from the first or the second one on.
 *   chunk of pixels
 *     pack, wait
 *     (two blocks of the gradient's channels, two of the input's) of this thread
 *       tap: four matrix tiles of sums over the chunk, kept between chunks; in the end all taps -> result
 *     wait
 *
 * arg: planes (first row, first column, first pixel of the pairs), then taps (plane, shift in pairs). */
#include "sol_team.h"
#include "sol_pack.h"
#include "sol_pairs.h"
#include "sol_tiles.h"

enum { PIXELS = 32, TILE = 256, SUMS = 4 * TILE }; /* of a step of the sum; elements of a matrix tile of sums, and of four */

/* A map to be packed: rows from first on in steps of step, columns likewise, rows 0 ... H - 1 and columns 0 ... W - 1 exist. */
typedef struct {
    const uint16_t *from;
    int64_t n, row, H, W, first, step, column, column_step;
} image;

SOL_INLINE const uint16_t *pixel(const uint16_t *row, int64_t column, int64_t W) /* NULL where there is none */
{
    return column >= 0 && column < W ? row + column * LANES : NULL;
}

/* Pairs of pixels column, column + step, ... of a row of W. */
static void pack_row(uint16_t *to, const uint16_t *row, int64_t count, int64_t column, int64_t step, int64_t W)
{
    int64_t j = 0, begin = column < 0 ? (2 * step - 1 - column) / (2 * step) : 0; /* pairs that exist: from here on */
    int64_t end = W > column + step ? (W - 1 - column - step) / (2 * step) + 1 : 0;
    if (end > count) end = count;
    if (begin > end) begin = end;
    for (; j < begin; j++, column += 2 * step, to += 2 * LANES) *(sol_pairs *)to = sol_both(pixel(row, column, W), pixel(row, column + step, W));
    for (const uint16_t *at = row + column * LANES, *second = at + (step - 1) * LANES; j < end; j++, column += 2 * step, to += 2 * LANES) {
        *(sol_pairs *)to = sol_together(*(const sol_pairs *)at, *(const sol_pairs *)second);
        at += 2 * step * LANES, second += 2 * step * LANES;
    }
    for (; j < count; j++, column += 2 * step, to += 2 * LANES) *(sol_pairs *)to = sol_both(pixel(row, column, W), pixel(row, column + step, W));
}

/* Rows of some images, pitch pixels each, one behind the other, then zeros: ``end`` pixels in all, an even number. */
static void pack_map(uint16_t *to, image m, int64_t images, int64_t rows, int64_t pitch, int64_t end)
{
    uint16_t *const last = to + end * LANES;
    const uint16_t *first = NULL;
    int is_half = 0; /* whether ``first`` waits for the next row's first pixel */
    for (int64_t n = 0; n < images; n++)
        for (int64_t i = 0; i < rows; i++) {
            const int64_t y = m.first + i * m.step, W = y < 0 || y >= m.H ? 0 : m.W; /* of a row that does not exist no pixel does */
            const uint16_t *row = m.from + n * m.n + y * m.row;
            int64_t left = pitch, column = m.column;
            if (is_half) {
                *(sol_pairs *)to = sol_both(first, pixel(row, column, W));
                to += 2 * LANES, left--, column += m.column_step;
            }
            pack_row(to, row, left / 2, column, m.column_step, W);
            to += left / 2 * 2 * LANES, is_half = left % 2;
            if (is_half) first = pixel(row, column + (left - 1) * m.column_step, W);
        }
    if (is_half) *(sol_pairs *)to = sol_both(first, NULL), to += 2 * LANES;
    memset(to, 0, (size_t)(last - to) * sizeof *to);
}

/* sums[gradient's block][input's block] += over steps of 32 pixels; a, b: the operands' blocks, a_next, b_next elements apart. */
static void multiply_1x1(float *sums, const uint16_t *a, int64_t a_next, const uint16_t *b, int64_t b_next, int64_t steps, int fresh)
{
    (void)a_next;
    (void)b_next;
    if (fresh) { SOL_TILE_ZERO(0); }
    else { SOL_TILE_LOAD(0, sums + 0 * TILE, 4 * LANES); }
    for (; steps; steps--, a += PIXELS * LANES, b += PIXELS * LANES) {
        SOL_TILE_LOAD(6, b, 4 * LANES);
        SOL_TILE_LOAD(4, a, 4 * LANES);
SOL_TILE_DOT(0, 4, 6); 
    }
SOL_TILE_STORE(0, sums + 0 * TILE, 4 * LANES); 
}

static void multiply_1x2(float *sums, const uint16_t *a, int64_t a_next, const uint16_t *b, int64_t b_next, int64_t steps, int fresh)
{
    (void)a_next;
    if (fresh) { SOL_TILE_ZERO(0); SOL_TILE_ZERO(1); }
    else { SOL_TILE_LOAD(0, sums + 0 * TILE, 4 * LANES); SOL_TILE_LOAD(1, sums + 1 * TILE, 4 * LANES); }
    for (; steps; steps--, a += PIXELS * LANES, b += PIXELS * LANES) {
        SOL_TILE_LOAD(6, b, 4 * LANES);
        SOL_TILE_LOAD(7, b + b_next, 4 * LANES);
        SOL_TILE_LOAD(4, a, 4 * LANES);
SOL_TILE_DOT(0, 4, 6); SOL_TILE_DOT(1, 4, 7); 
    }
SOL_TILE_STORE(0, sums + 0 * TILE, 4 * LANES); SOL_TILE_STORE(1, sums + 1 * TILE, 4 * LANES); 
}

static void multiply_2x1(float *sums, const uint16_t *a, int64_t a_next, const uint16_t *b, int64_t b_next, int64_t steps, int fresh)
{
    (void)b_next;
    if (fresh) { SOL_TILE_ZERO(0); SOL_TILE_ZERO(2); }
    else { SOL_TILE_LOAD(0, sums + 0 * TILE, 4 * LANES); SOL_TILE_LOAD(2, sums + 2 * TILE, 4 * LANES); }
    for (; steps; steps--, a += PIXELS * LANES, b += PIXELS * LANES) {
        SOL_TILE_LOAD(6, b, 4 * LANES);
        SOL_TILE_LOAD(4, a, 4 * LANES);
SOL_TILE_DOT(0, 4, 6); 
        SOL_TILE_LOAD(5, a + a_next, 4 * LANES);
SOL_TILE_DOT(2, 5, 6); 
    }
SOL_TILE_STORE(0, sums + 0 * TILE, 4 * LANES); SOL_TILE_STORE(2, sums + 2 * TILE, 4 * LANES); 
}

static void multiply_2x2(float *sums, const uint16_t *a, int64_t a_next, const uint16_t *b, int64_t b_next, int64_t steps, int fresh)
{
    if (fresh) { SOL_TILE_ZERO(0); SOL_TILE_ZERO(1); SOL_TILE_ZERO(2); SOL_TILE_ZERO(3); }
    else { SOL_TILE_LOAD(0, sums + 0 * TILE, 4 * LANES); SOL_TILE_LOAD(1, sums + 1 * TILE, 4 * LANES); SOL_TILE_LOAD(2, sums + 2 * TILE, 4 * LANES); SOL_TILE_LOAD(3, sums + 3 * TILE, 4 * LANES); }
    for (; steps; steps--, a += PIXELS * LANES, b += PIXELS * LANES) {
        SOL_TILE_LOAD(6, b, 4 * LANES);
        SOL_TILE_LOAD(7, b + b_next, 4 * LANES);
        SOL_TILE_LOAD(4, a, 4 * LANES);
SOL_TILE_DOT(0, 4, 6); SOL_TILE_DOT(1, 4, 7); 
        SOL_TILE_LOAD(5, a + a_next, 4 * LANES);
SOL_TILE_DOT(2, 5, 6); SOL_TILE_DOT(3, 5, 7); 
    }
SOL_TILE_STORE(0, sums + 0 * TILE, 4 * LANES); SOL_TILE_STORE(1, sums + 1 * TILE, 4 * LANES); SOL_TILE_STORE(2, sums + 2 * TILE, 4 * LANES); SOL_TILE_STORE(3, sums + 3 * TILE, 4 * LANES); 
}

/* Sums [tap][gradient's block][input's block][channel][channel] of so many channels of each -> result. */
static void write_sums(float *out, int64_t out_n, int64_t out_c, const float *sums, int64_t taps, int64_t kernels, int64_t channels)
{
    for (int64_t k = 0; k < kernels; k++)
        for (int64_t half = 0; half * LANES < channels; half++) {
            const float *from = sums + (k / LANES * 2 + half) * TILE + k % LANES * LANES;
            float *to = out + k * out_n + half * LANES * out_c;
            const int64_t count = channels - half * LANES < LANES ? channels - half * LANES : LANES;
            if (taps == 1 && out_c == 1) vf_store_n(to, vf_load(from), (int)count);
            else
                for (int64_t c = 0; c < count; c++, to += out_c)
                    for (int64_t t = 0; t < taps; t++) to[t] = from[t * SUMS + c];
        }
}

void conv_weight_tiles(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const uint16_t *in = buf[0];
    const uint16_t *grad = buf[1];
    float *out = buf[2];
    const int64_t N = arg[0];
    const int64_t H = arg[1];
    const int64_t W = arg[2];
    const int64_t OH = arg[3];
    const int64_t OW = arg[4];
    const int64_t sy = arg[5];
    const int64_t sx = arg[6];
    const int64_t py = arg[7];
    const int64_t px = arg[8];
    const int64_t in_n = arg[9];
    const int64_t in_c = arg[10];
    const int64_t in_row = arg[11];
    const int64_t grad_n = arg[12];
    const int64_t grad_c = arg[13];
    const int64_t grad_row = arg[14];
    const int64_t K = arg[15];
    const int64_t C = arg[16];
    const int64_t images = arg[17];
    const int64_t rows = arg[18];
    const int64_t lines = arg[19];
    const int64_t pitch = arg[20];
    const int64_t most = arg[21];
    const int64_t reach = arg[22];
    const int64_t planes = arg[23];
    const int64_t taps = arg[24];
    const int64_t out_n = arg[25];
    const int64_t out_c = arg[26];
    (void)team; (void)buf; (void)arg;
    static const sol_tiles shape = {.palette = 1, .bytes = {64, 64, 64, 64, 64, 64, 64, 64}, .rows = {16, 16, 16, 16, 16, 16, 16, 16}};
    const int64_t *plane_of = arg + 27, *tap_of = plane_of + 3 * planes;
    const int64_t k_blocks = (K + LANES - 1) / LANES, c_blocks = (C + LANES - 1) / LANES;
    const int64_t k_units = (k_blocks + 1) / 2, c_units = (c_blocks + 1) / 2;
    const int64_t strips = (OH + rows - 1) / rows, chunks = (N + images - 1) / images * strips;
    uint16_t *const of_grad = (uint16_t *)team->shared_scratch, *const of_in = of_grad + k_blocks * most * LANES;
    float *const kept = (float *)(of_in + planes * c_blocks * reach * LANES), *const own = (float *)team->scratch;
    int64_t first, last;
    sol_split(team, k_units * c_units, &first, &last);
    for (int64_t chunk = 0; chunk < chunks; chunk++) {
        const int64_t n = chunk / strips * images, y0 = chunk % strips * rows;
        const int64_t here = N - n < images ? N - n : images, y1 = OH - y0 < rows ? OH : y0 + rows;
        const int64_t steps = (here * lines * pitch + PIXELS - 1) / PIXELS;
        int64_t job, end;
        for (sol_split(team, k_blocks + planes * c_blocks, &job, &end); job < end; job++) {
            if (job < k_blocks) {
                uint16_t *to = of_grad + job * most * LANES;
                const image m = {grad + n * grad_n + job * grad_c + y0 * grad_row, grad_n, grad_row, y1 - y0, OW, 0, 1, 0, 1};
                pack_map(to, m, here, lines, pitch, steps * PIXELS);
                for (int64_t step = 0; step < steps; step++, to += PIXELS * LANES) {
                    vf t[LANES];
                    for (int i = 0; i < LANES; i++) t[i] = vf_load((const float *)(to + 2 * i * LANES));
                    vf_transpose(t);
                    for (int i = 0; i < LANES; i++) vf_store((float *)(to + 2 * i * LANES), t[i]);
                }
                continue;
            }
            const int64_t plane = (job - k_blocks) / c_blocks, block = (job - k_blocks) % c_blocks;
            const int64_t *p = plane_of + 3 * plane;
            const image m = {in + n * in_n + block * in_c, in_n, in_row, H, W, y0 * sy + p[0] - py, sy, p[1] - px + p[2] * sx, sx};
            pack_map(of_in + (plane * c_blocks + block) * reach * LANES, m, here, lines, pitch, reach);
        }
        sol_barrier(team);
        SOL_TILES_BEGIN(shape);
        for (job = first; job < last; job++) {
            const int64_t k = job / c_units * 2, c = job % c_units * 2;
            float *sums = chunks > 1 ? kept + job * taps * SUMS : own;
            const uint16_t *a = of_grad + k * most * LANES;
            for (int64_t t = 0; t < taps; t++) {
                const uint16_t *b = of_in + (tap_of[2 * t] * c_blocks + c) * reach * LANES + tap_of[2 * t + 1] * 2 * LANES;
                float *to = sums + t * SUMS;
                if (k + 1 < k_blocks && c + 1 < c_blocks) multiply_2x2(to, a, most * LANES, b, reach * LANES, steps, chunk == 0);
                else if (k + 1 < k_blocks) multiply_2x1(to, a, most * LANES, b, reach * LANES, steps, chunk == 0);
                else if (c + 1 < c_blocks) multiply_1x2(to, a, most * LANES, b, reach * LANES, steps, chunk == 0);
                else multiply_1x1(to, a, most * LANES, b, reach * LANES, steps, chunk == 0);
            }
            if (chunk < chunks - 1) continue;
            const int64_t kernels = K - k * LANES < 2 * LANES ? K - k * LANES : 2 * LANES, channels = C - c * LANES < 2 * LANES ? C - c * LANES : 2 * LANES;
            write_sums(out + k * LANES * out_n + c * LANES * out_c, out_n, out_c, sums, taps, kernels, channels);
        }
        SOL_TILES_END();
        if (chunk < chunks - 1) sol_barrier(team);
    }
}
