/* conv_weight_pairs: gradient of a convolution of bfloat16 for its weights by pairs of products; blocked operands, row-major result of float32.
 *
 *   out[k, c, r, s] = sum over n, y, x of grad[n, k, y, x] * in[n, c, y * sy + r * dy - py, x * sx + s * dx - px]
 *
 * Lanes are channels of the gradient. Tile: up to 3 vectors of them times 8 channels of the input; a pair is two neighbouring pixels.
 * Both operands have rows of ``pitch`` pixels, of which a row of the gradient holds OW and zeros, so that pixel i of the gradient meets pixel i + shift
 * of a plane for each tap. Planes: the input's pixels from a first row and column on in steps of the strides, from the first or the second one on.
 *   (set, part) of this thread       set: panels of vectors x steps of channels; part: of all chunks
 *     chunk of pixels: numbers are packed, [block][plane, if of the input][pair][channel][pixel of the pair]
 *       panel: vectors are packed likewise
 *         step, tap: the tile over the chunk's pairs; written. Meanwhile the next panel, and the next chunk's numbers, are fetched.
 *
 * arg: planes (first row, first column, first pixel of the pairs), then taps (plane, shift in pairs). */
#include "sol_team.h"
#include "sol_pack.h"
#include "sol_pairs.h"
#include "sol_dots.h"

enum { STEP = 8, WIDEST = 3 };

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

/* What a tile fetches meanwhile: where it begins, and elements from one pair to the next. */
typedef struct {
    const uint16_t *at;
    int64_t further;
} fetched;

/* Sums of so many pairs: set, or added to what they are. v_c: from one block of vectors to the next. */
static __attribute__((noinline)) void tile_3(float *sums, const uint16_t *v, int64_t v_c, const uint16_t *b, fetched ahead, int64_t count, int64_t fresh)
{
    vf a0_0 = {0}, a1_0 = {0}, a2_0 = {0}, a0_1 = {0}, a1_1 = {0}, a2_1 = {0}, a0_2 = {0}, a1_2 = {0}, a2_2 = {0}, a0_3 = {0}, a1_3 = {0}, a2_3 = {0}, a0_4 = {0}, a1_4 = {0}, a2_4 = {0}, a0_5 = {0}, a1_5 = {0}, a2_5 = {0}, a0_6 = {0}, a1_6 = {0}, a2_6 = {0}, a0_7 = {0}, a1_7 = {0}, a2_7 = {0};
    for (; count; count--, v += 2 * LANES, b += 2 * LANES, ahead.at += ahead.further) {
        __builtin_prefetch(ahead.at);
        const vi v0 = vp_load(v), v1 = vp_load(v + v_c), v2 = vp_load(v + 2 * v_c);
        { const vi number = vp_set(b + 0); a0_0 = vp_dot(a0_0, v0, number); a1_0 = vp_dot(a1_0, v1, number); a2_0 = vp_dot(a2_0, v2, number); }
        { const vi number = vp_set(b + 2); a0_1 = vp_dot(a0_1, v0, number); a1_1 = vp_dot(a1_1, v1, number); a2_1 = vp_dot(a2_1, v2, number); }
        { const vi number = vp_set(b + 4); a0_2 = vp_dot(a0_2, v0, number); a1_2 = vp_dot(a1_2, v1, number); a2_2 = vp_dot(a2_2, v2, number); }
        { const vi number = vp_set(b + 6); a0_3 = vp_dot(a0_3, v0, number); a1_3 = vp_dot(a1_3, v1, number); a2_3 = vp_dot(a2_3, v2, number); }
        { const vi number = vp_set(b + 8); a0_4 = vp_dot(a0_4, v0, number); a1_4 = vp_dot(a1_4, v1, number); a2_4 = vp_dot(a2_4, v2, number); }
        { const vi number = vp_set(b + 10); a0_5 = vp_dot(a0_5, v0, number); a1_5 = vp_dot(a1_5, v1, number); a2_5 = vp_dot(a2_5, v2, number); }
        { const vi number = vp_set(b + 12); a0_6 = vp_dot(a0_6, v0, number); a1_6 = vp_dot(a1_6, v1, number); a2_6 = vp_dot(a2_6, v2, number); }
        { const vi number = vp_set(b + 14); a0_7 = vp_dot(a0_7, v0, number); a1_7 = vp_dot(a1_7, v1, number); a2_7 = vp_dot(a2_7, v2, number); }
    }
    if (fresh) { vf_store(sums + 0 * LANES, a0_0); vf_store(sums + 1 * LANES, a1_0); vf_store(sums + 2 * LANES, a2_0); vf_store(sums + 3 * LANES, a0_1); vf_store(sums + 4 * LANES, a1_1); vf_store(sums + 5 * LANES, a2_1); vf_store(sums + 6 * LANES, a0_2); vf_store(sums + 7 * LANES, a1_2); vf_store(sums + 8 * LANES, a2_2); vf_store(sums + 9 * LANES, a0_3); vf_store(sums + 10 * LANES, a1_3); vf_store(sums + 11 * LANES, a2_3); vf_store(sums + 12 * LANES, a0_4); vf_store(sums + 13 * LANES, a1_4); vf_store(sums + 14 * LANES, a2_4); vf_store(sums + 15 * LANES, a0_5); vf_store(sums + 16 * LANES, a1_5); vf_store(sums + 17 * LANES, a2_5); vf_store(sums + 18 * LANES, a0_6); vf_store(sums + 19 * LANES, a1_6); vf_store(sums + 20 * LANES, a2_6); vf_store(sums + 21 * LANES, a0_7); vf_store(sums + 22 * LANES, a1_7); vf_store(sums + 23 * LANES, a2_7); }
    else { vf_store(sums + 0 * LANES, vf_load(sums + 0 * LANES) + a0_0); vf_store(sums + 1 * LANES, vf_load(sums + 1 * LANES) + a1_0); vf_store(sums + 2 * LANES, vf_load(sums + 2 * LANES) + a2_0); vf_store(sums + 3 * LANES, vf_load(sums + 3 * LANES) + a0_1); vf_store(sums + 4 * LANES, vf_load(sums + 4 * LANES) + a1_1); vf_store(sums + 5 * LANES, vf_load(sums + 5 * LANES) + a2_1); vf_store(sums + 6 * LANES, vf_load(sums + 6 * LANES) + a0_2); vf_store(sums + 7 * LANES, vf_load(sums + 7 * LANES) + a1_2); vf_store(sums + 8 * LANES, vf_load(sums + 8 * LANES) + a2_2); vf_store(sums + 9 * LANES, vf_load(sums + 9 * LANES) + a0_3); vf_store(sums + 10 * LANES, vf_load(sums + 10 * LANES) + a1_3); vf_store(sums + 11 * LANES, vf_load(sums + 11 * LANES) + a2_3); vf_store(sums + 12 * LANES, vf_load(sums + 12 * LANES) + a0_4); vf_store(sums + 13 * LANES, vf_load(sums + 13 * LANES) + a1_4); vf_store(sums + 14 * LANES, vf_load(sums + 14 * LANES) + a2_4); vf_store(sums + 15 * LANES, vf_load(sums + 15 * LANES) + a0_5); vf_store(sums + 16 * LANES, vf_load(sums + 16 * LANES) + a1_5); vf_store(sums + 17 * LANES, vf_load(sums + 17 * LANES) + a2_5); vf_store(sums + 18 * LANES, vf_load(sums + 18 * LANES) + a0_6); vf_store(sums + 19 * LANES, vf_load(sums + 19 * LANES) + a1_6); vf_store(sums + 20 * LANES, vf_load(sums + 20 * LANES) + a2_6); vf_store(sums + 21 * LANES, vf_load(sums + 21 * LANES) + a0_7); vf_store(sums + 22 * LANES, vf_load(sums + 22 * LANES) + a1_7); vf_store(sums + 23 * LANES, vf_load(sums + 23 * LANES) + a2_7); }
}

/* Where the sums of a panel and a step go. vectors, numbers: how many channels of each are left from the tile's first on. */
typedef struct {
    float *out;
    int64_t vectors, numbers;
} place;

static void write_tile(const float *sums, int64_t width, place to, int64_t taps, int64_t vector_step, int64_t number_step)
{
    const int64_t numbers = to.numbers < STEP ? to.numbers : STEP, vectors = to.vectors < width * LANES ? to.vectors : width * LANES;
    if (taps == 1 && number_step == 1 && (int)LANES >= (int)STEP) {
        for (int64_t i = 0; i < vectors; i += LANES) {
            vf turned[LANES] = {0};
            for (int j = 0; j < STEP; j++) turned[j] = vf_load(sums + j * width * LANES + i);
            vf_transpose(turned);
            for (int j = 0; j < LANES && i + j < vectors; j++) vf_store_n(to.out + (i + j) * vector_step, turned[j], (int)numbers);
        }
        return;
    }
    for (int64_t i = 0; i < vectors; i++) {
        float *row = to.out + i * vector_step;
        for (int64_t j = 0; j < numbers; j++) {
            float *at = row + j * number_step;
            const float *from = sums + j * width * LANES + i;
            for (int64_t tap = 0; tap < taps; tap++) at[tap] = from[tap * STEP * width * LANES];
        }
    }
}

/* Piece ``number`` of ``size`` elements of what is read of an operand, whose first block and row ``from`` is, for a chunk of so many images: of ``more``
 * pieces of a block. Blocks of an image follow each other. */
SOL_INLINE const uint16_t *piece(const uint16_t *from, int64_t n, int64_t c, int64_t images, int64_t more, int64_t number, int64_t size)
{
    const int64_t block = number / more, before = block / images * images;
    return from + block % images * n + before * c + number % more * size;
}void conv_weight_pairs(const sol_team *team, void *const *buf, const int64_t *arg)
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
    const int64_t group_vectors = arg[15];
    const int64_t group_numbers = arg[16];
    const int64_t panels = arg[17];
    const int64_t unit_sets = arg[18];
    const int64_t step_sets = arg[19];
    const int64_t parts = arg[20];
    const int64_t images = arg[21];
    const int64_t rows = arg[22];
    const int64_t lines = arg[23];
    const int64_t pitch = arg[24];
    const int64_t room = arg[25];
    const int64_t most_numbers = arg[26];
    const int64_t planes = arg[27];
    const int64_t taps = arg[28];
    const int64_t group_kernels = arg[29];
    const int64_t out_n = arg[30];
    const int64_t out_c = arg[31];
    (void)team; (void)buf; (void)arg;
    const int64_t *plane_of = arg + 32, *tap_of = plane_of + 3 * planes;
    const int64_t units = panels, steps = (group_numbers + STEP - 1) / STEP;
    const int64_t strips = (OH + rows - 1) / rows, chunks = (N + images - 1) / images * strips, sets = unit_sets * step_sets;
    const int64_t vectors_pitch = room * LANES, numbers_pitch = planes * room * LANES;
    uint16_t *vectors = (uint16_t *)team->scratch, *numbers = vectors + WIDEST * vectors_pitch;
    float *own = (float *)(numbers + most_numbers * room * LANES);
    sol_share share = sol_share_of(team, sets * parts, team->size);
    for (int64_t job, end_job; sol_share_take(&share, &job, &end_job);) for (; job < end_job; job++) {
        const int64_t part = job % parts, set = job / parts, us = set % unit_sets, ts = set / unit_sets;
        const int64_t u0 = units * us / unit_sets, u1 = units * (us + 1) / unit_sets, t0 = steps * ts / step_sets, t1 = steps * (ts + 1) / step_sets;
        const int64_t number_blocks = (group_numbers + LANES - 1) / LANES, first = t0 * STEP / LANES, end_number = (t1 * STEP + LANES - 1) / LANES;
        const int64_t last = end_number < number_blocks ? end_number : number_blocks;
        /* Pieces of a block that a tile fetches: the fewer pairs a tile reads of them, the longer it may take. */
        const int64_t of_vectors = 1, of_numbers = sy * sx, calls = (t1 - t0) * taps / (WIDEST * of_vectors);
        const int64_t slowness = calls >= 8 ? 4 : calls >= 4 ? 2 : 1, further = 2 * LANES / slowness;
        for (int64_t begin = chunks * part / parts, end = chunks * (part + 1) / parts, chunk = begin; chunk < end; chunk++) {
            const int64_t n = chunk / strips * images, y0 = chunk % strips * rows;
            const int64_t here = N - n < images ? N - n : images, y1 = OH - y0 < rows ? OH : y0 + rows, count = (here * lines * pitch + 1) / 2;
            for (int64_t block = first; block < last; block++) {
                for (int64_t plane = 0; plane < planes; plane++) {
                    const int64_t *p = plane_of + 3 * plane;
                    const image m = {in + n * in_n + block * in_c, in_n, in_row, H, W, y0 * sy + p[0] - py, sy, p[1] - px + p[2] * sx, sx};
                    pack_map(numbers + ((block - (first)) * planes + plane) * room * LANES, m, here, lines, pitch, room);
                }
            }
            int64_t number = 0;
            for (int64_t u = u0; u < u1; u++) {
                const int64_t v0 = u * group_vectors / panels, v1 = (u + 1) * group_vectors / panels, wide = v1 - v0;
                for (int64_t block = v0; block < v1; block++) {
                    const image m = {grad + n * grad_n + block * grad_c + y0 * grad_row, grad_n, grad_row, y1 - y0, OW, 0, 1, 0, 1};
                    pack_map(vectors + (block - (v0)) * room * LANES, m, here, lines, pitch, 2 * count);
                }
                const int64_t u_next = u + 1 < u1 ? u + 1 : u0, next = u + 1 < u1 ? chunk : chunk + 1, after = chunk + 1;
                const uint16_t *const vectors_next = grad + next / strips * images * grad_n + next % strips * rows * grad_row + u_next * group_vectors / panels * grad_c;
                const uint16_t *const numbers_next = in + after / strips * images * in_n + after % strips * rows * sy * in_row + first * in_c;
                int64_t left = next < end ? wide * of_vectors * slowness : 0;
                for (int64_t t = t0; t < t1; t++) {
                    float *to = own;
                    const uint16_t *b = numbers + (t * STEP / LANES - first) * numbers_pitch + t * STEP % LANES * 2, *ahead = b;
                    for (int64_t tap = 0; tap < taps; tap++, to += STEP * wide * LANES) {
                        if (left > 0) left--, ahead = piece(vectors_next, grad_n, grad_c, images, of_vectors * slowness, left, further * count);
                        else if (after < end && number < (last - first) * of_numbers * slowness) ahead = piece(numbers_next, in_n, in_c, images, of_numbers * slowness, number++, further * count);
                        else ahead = b;
                        const int64_t shift = (tap_of[2 * tap] * room + tap_of[2 * tap + 1] * 2) * LANES;
                        tile_3(to, vectors, vectors_pitch, b + shift, (fetched){ahead, further}, count, 1);
                    }
                    {
                    const int64_t g = u / panels, v0 = u % panels * group_vectors / panels, v1 = (u % panels + 1) * group_vectors / panels;
                    const place to = {out + (g * group_kernels + v0 * LANES) * out_n + t * STEP * out_c, group_kernels - v0 * LANES, group_numbers - t * STEP};
                    write_tile(own, v1 - v0, to, taps, out_n, out_c);
                }
                }
            }
        }
    }
}
