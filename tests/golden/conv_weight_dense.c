/* conv_weight_dense: gradient of a convolution for its weights; blocked operands, row-major result.
 *
 *   out[k, c, r, s] = sum over n, y, x of grad[n, k, y, x] * in[n, c, y * sy + r * dy - py, x * sx + s * dx - px]
 *
 * Lanes are channels of the gradient. Tile: up to 2 vectors of them times 8 channels of the input, sums in registers over 256 pixels or a row more.
 *   (set, part) of this thread       set: panels of vectors x steps of channels whose sums stay in the cache; part: of all chunks
 *     chunk of pixels
 *       panel, step, tap: the tile over the pixels that the tap reads inside of the image; added to the set's sums
 *     sums -> result; of several parts in the end, always in the same order */
#include "sol_team.h"
#include "sol_simd.h"
#include "sol_pack.h"

enum { STEP = 8, PIECE = 256, WIDEST = 2 };

/* A map under a tile: its first pixel, and elements from one to the next. */
typedef struct {
    const float *at;
    int64_t n, row, x;
} map;

static __attribute__((noinline)) void tile_2(float *sums, map v, int64_t v_c, map b, int64_t images, int64_t rows, int64_t columns)
{
    vf a0_0 = {0}, a1_0 = {0}, a0_1 = {0}, a1_1 = {0}, a0_2 = {0}, a1_2 = {0}, a0_3 = {0}, a1_3 = {0}, a0_4 = {0}, a1_4 = {0}, a0_5 = {0}, a1_5 = {0}, a0_6 = {0}, a1_6 = {0}, a0_7 = {0}, a1_7 = {0};
    int64_t added = 0;
    for (int64_t n = 0; n < images; n++) {
        const float *p_row = v.at + n * v.n, *q_row = b.at + n * b.n;
        for (int64_t y = rows; y; y--, p_row += v.row, q_row += b.row) {
            const float *p = p_row, *q = q_row;
            for (int64_t left = columns, piece; left; left -= piece) {
                piece = left < PIECE ? left : PIECE;
                for (int64_t x = piece; x; x--, p += v.x, q += b.x) {
                    vf v0 = vf_load(p), v1 = vf_load(p + v_c);
                    SOL_HOLD(v0); SOL_HOLD(v1);
                    { VF_NUMBER(number, q[0]); VF_ADD_PRODUCT(a0_0, v0, number); VF_ADD_PRODUCT(a1_0, v1, number); }
                    { VF_NUMBER(number, q[1]); VF_ADD_PRODUCT(a0_1, v0, number); VF_ADD_PRODUCT(a1_1, v1, number); }
                    { VF_NUMBER(number, q[2]); VF_ADD_PRODUCT(a0_2, v0, number); VF_ADD_PRODUCT(a1_2, v1, number); }
                    { VF_NUMBER(number, q[3]); VF_ADD_PRODUCT(a0_3, v0, number); VF_ADD_PRODUCT(a1_3, v1, number); }
                    { VF_NUMBER(number, q[4]); VF_ADD_PRODUCT(a0_4, v0, number); VF_ADD_PRODUCT(a1_4, v1, number); }
                    { VF_NUMBER(number, q[5]); VF_ADD_PRODUCT(a0_5, v0, number); VF_ADD_PRODUCT(a1_5, v1, number); }
                    { VF_NUMBER(number, q[6]); VF_ADD_PRODUCT(a0_6, v0, number); VF_ADD_PRODUCT(a1_6, v1, number); }
                    { VF_NUMBER(number, q[7]); VF_ADD_PRODUCT(a0_7, v0, number); VF_ADD_PRODUCT(a1_7, v1, number); }
                    SOL_FENCE();
                }
                added += piece;
                if (added >= PIECE) {
                    added = 0;
                    { vf_store(sums + 0 * LANES, vf_load(sums + 0 * LANES) + a0_0); vf_store(sums + 1 * LANES, vf_load(sums + 1 * LANES) + a1_0); vf_store(sums + 2 * LANES, vf_load(sums + 2 * LANES) + a0_1); vf_store(sums + 3 * LANES, vf_load(sums + 3 * LANES) + a1_1); vf_store(sums + 4 * LANES, vf_load(sums + 4 * LANES) + a0_2); vf_store(sums + 5 * LANES, vf_load(sums + 5 * LANES) + a1_2); vf_store(sums + 6 * LANES, vf_load(sums + 6 * LANES) + a0_3); vf_store(sums + 7 * LANES, vf_load(sums + 7 * LANES) + a1_3); vf_store(sums + 8 * LANES, vf_load(sums + 8 * LANES) + a0_4); vf_store(sums + 9 * LANES, vf_load(sums + 9 * LANES) + a1_4); vf_store(sums + 10 * LANES, vf_load(sums + 10 * LANES) + a0_5); vf_store(sums + 11 * LANES, vf_load(sums + 11 * LANES) + a1_5); vf_store(sums + 12 * LANES, vf_load(sums + 12 * LANES) + a0_6); vf_store(sums + 13 * LANES, vf_load(sums + 13 * LANES) + a1_6); vf_store(sums + 14 * LANES, vf_load(sums + 14 * LANES) + a0_7); vf_store(sums + 15 * LANES, vf_load(sums + 15 * LANES) + a1_7); }
a0_0 = a1_0 = a0_1 = a1_1 = a0_2 = a1_2 = a0_3 = a1_3 = a0_4 = a1_4 = a0_5 = a1_5 = a0_6 = a1_6 = a0_7 = a1_7 = vf_zero();

                }
            }
        }
    }
    if (added) {
        { vf_store(sums + 0 * LANES, vf_load(sums + 0 * LANES) + a0_0); vf_store(sums + 1 * LANES, vf_load(sums + 1 * LANES) + a1_0); vf_store(sums + 2 * LANES, vf_load(sums + 2 * LANES) + a0_1); vf_store(sums + 3 * LANES, vf_load(sums + 3 * LANES) + a1_1); vf_store(sums + 4 * LANES, vf_load(sums + 4 * LANES) + a0_2); vf_store(sums + 5 * LANES, vf_load(sums + 5 * LANES) + a1_2); vf_store(sums + 6 * LANES, vf_load(sums + 6 * LANES) + a0_3); vf_store(sums + 7 * LANES, vf_load(sums + 7 * LANES) + a1_3); vf_store(sums + 8 * LANES, vf_load(sums + 8 * LANES) + a0_4); vf_store(sums + 9 * LANES, vf_load(sums + 9 * LANES) + a1_4); vf_store(sums + 10 * LANES, vf_load(sums + 10 * LANES) + a0_5); vf_store(sums + 11 * LANES, vf_load(sums + 11 * LANES) + a1_5); vf_store(sums + 12 * LANES, vf_load(sums + 12 * LANES) + a0_6); vf_store(sums + 13 * LANES, vf_load(sums + 13 * LANES) + a1_6); vf_store(sums + 14 * LANES, vf_load(sums + 14 * LANES) + a0_7); vf_store(sums + 15 * LANES, vf_load(sums + 15 * LANES) + a1_7); }
a0_0 = a1_0 = a0_1 = a1_1 = a0_2 = a1_2 = a0_3 = a1_3 = a0_4 = a1_4 = a0_5 = a1_5 = a0_6 = a1_6 = a0_7 = a1_7 = vf_zero();

    }
}

/* Results 0 … size - 1 whose pixel, place * step + shift, lies in a map of so many. */
static inline void inside(int64_t size, int64_t step, int64_t shift, int64_t pixels, int64_t *begin, int64_t *end)
{
    *begin = shift < 0 ? (-shift + step - 1) / step : 0;
    *end = shift >= pixels ? 0 : (pixels - 1 - shift) / step + 1;
    if (*end > size) *end = size;
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

void conv_weight_dense(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    const float *grad = buf[1];
    float *out = buf[2];
    const int64_t N = arg[0];
    const int64_t H = arg[1];
    const int64_t W = arg[2];
    const int64_t OH = arg[3];
    const int64_t OW = arg[4];
    const int64_t R = arg[5];
    const int64_t S = arg[6];
    const int64_t sy = arg[7];
    const int64_t sx = arg[8];
    const int64_t dy = arg[9];
    const int64_t dx = arg[10];
    const int64_t py = arg[11];
    const int64_t px = arg[12];
    const int64_t G = arg[13];
    const int64_t group_vectors = arg[14];
    const int64_t group_numbers = arg[15];
    const int64_t panels = arg[16];
    const int64_t images = arg[17];
    const int64_t rows = arg[18];
    const int64_t unit_sets = arg[19];
    const int64_t step_sets = arg[20];
    const int64_t parts = arg[21];
    const int64_t out_n = arg[22];
    const int64_t out_c = arg[23];
    const int64_t in_n = arg[24];
    const int64_t in_c = arg[25];
    const int64_t in_row = arg[26];
    const int64_t grad_n = arg[27];
    const int64_t grad_c = arg[28];
    const int64_t grad_row = arg[29];
    const int64_t group_kernels = arg[30];
    (void)team; (void)buf; (void)arg;
    const int64_t taps = R * S, units = G * panels, steps = (group_numbers + STEP - 1) / STEP, size = taps * STEP * WIDEST * LANES;
    const int64_t strips = (OH + rows - 1) / rows, chunks = (N + images - 1) / images * strips, sets = unit_sets * step_sets;
    float *own = (float *)team->scratch;
    int64_t *left = (int64_t *)(((uintptr_t)own + 7) / 8 * 8), *right = left + S;
    own = (float *)(((uintptr_t)(right + S) + 63) / 64 * 64);
    for (int64_t s = 0; s < S; s++) inside(OW, sx, s * dx - px, W, &left[s], &right[s]);
    sol_share share = sol_share_of(team, sets * parts, team->size);
    for (int64_t job, last; sol_share_take(&share, &job, &last);) for (; job < last; job++) {
        const int64_t part = job % parts, set = job / parts, us = set % unit_sets, ts = set / unit_sets;
        const int64_t u0 = units * us / unit_sets, u1 = units * (us + 1) / unit_sets, t0 = steps * ts / step_sets, t1 = steps * (ts + 1) / step_sets;
        const int64_t c1 = chunks * (part + 1) / parts;
        /* Sums of a panel and a step follow each other: of the set, or of all, for each part. */
        float *sums = parts > 1 ? (float *)team->shared_scratch + part * units * steps * size : own;
        const int64_t first_unit = parts > 1 ? 0 : u0, first_step = parts > 1 ? 0 : t0, pitch = parts > 1 ? steps : t1 - t0;
        for (int64_t u = u0; u < u1; u++)
            memset(sums + ((u - first_unit) * pitch + t0 - first_step) * size, 0, (size_t)((t1 - t0) * size) * sizeof *sums);
        for (int64_t chunk = chunks * part / parts; chunk < c1; chunk++) {
            const int64_t n = chunk / strips * images, y0 = chunk % strips * rows;
            const int64_t here = N - n < images ? N - n : images, y1 = OH - y0 < rows ? OH : y0 + rows;
            for (int64_t u = u0; u < u1; u++) {
                const int64_t g = u / panels, v0 = u % panels * group_vectors / panels, v1 = (u % panels + 1) * group_vectors / panels;
                const float *vector_blocks = grad + n * grad_n + (g * group_vectors + v0) * grad_c;
                for (int64_t t = t0; t < t1; t++) {
                    const float *numbers = in + n * in_n + (g * ((group_numbers + LANES - 1) / LANES) + t * STEP / LANES) * in_c + t * STEP % LANES;
                    float *to = sums + ((u - first_unit) * pitch + t - first_step) * size;
                    for (int64_t r = 0; r < R; r++) {
                        int64_t begin, end;
                        inside(OH, sy, r * dy - py, H, &begin, &end);
                        if (begin < y0) begin = y0;
                        if (end > y1) end = y1;
                        for (int64_t s = 0; s < S; s++, to += STEP * (v1 - v0) * LANES) {
                            const int64_t x0 = left[s], x1 = right[s];
                            if (begin >= end || x0 >= x1) continue;
                            const map of_grad = {vector_blocks + begin * grad_row + x0 * LANES, grad_n, grad_row, LANES};
                            const map of_in = {numbers + (begin * sy + r * dy - py) * in_row + (x0 * sx + s * dx - px) * LANES, in_n, sy * in_row, sx * LANES};
                            tile_2(to, of_grad, grad_c, of_in, here, end - begin, x1 - x0);
                        }
                    }
                }
            }
        }
        if (parts > 1) continue;
        for (int64_t u = u0; u < u1; u++)
            for (int64_t t = t0; t < t1; t++) {
                const int64_t g = u / panels, v0 = u % panels * group_vectors / panels, v1 = (u % panels + 1) * group_vectors / panels;
                const place to = {out + (g * group_kernels + v0 * LANES) * out_n + t * STEP * out_c, group_kernels - v0 * LANES, group_numbers - t * STEP};
                write_tile(sums + ((u - u0) * pitch + t - t0) * size, v1 - v0, to, taps, out_n, out_c);
            }
    }
    if (parts == 1) return;
    sol_barrier(team);
    float *sums = (float *)team->shared_scratch;
    int64_t i, end;
    for (sol_split(team, units * steps, &i, &end); i < end; i++) {
        for (int64_t part = 1; part < parts; part++)
            for (int64_t j = i * size; j < (i + 1) * size; j += LANES) vf_store(sums + j, vf_load(sums + j) + vf_load(sums + part * units * steps * size + j));
        {
                const int64_t g = i / steps / panels, v0 = i / steps % panels * group_vectors / panels, v1 = (i / steps % panels + 1) * group_vectors / panels;
                const place to = {out + (g * group_kernels + v0 * LANES) * out_n + i % steps * STEP * out_c, group_kernels - v0 * LANES, group_numbers - i % steps * STEP};
                write_tile(sums + i * size, v1 - v0, to, taps, out_n, out_c);
            }
    }
}
