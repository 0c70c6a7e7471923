/* matmul_narrow: C[M][N] = A[M][K] * B[K][N] of bfloat16, which is rounded to bfloat16, by pairs of products.
 *
 * Tile: 8 rows times up to 3 vectors of columns; a pair is two neighbours along the reduction.
 *   (set, part) of this thread       set: panels of vectors x steps of rows; part: of all chunks
 *     chunk of the reduction: rows and columns of the set are packed, [block of 16][pair][row or column][number of the pair]
 *       panel, step: the tile over the chunk's pairs; written
 */
#include "sol_team.h"
#include "sol_pack.h"
#include "sol_bf16.h"
#include "sol_dots.h"
#include "sol_pairs.h"


enum { STEP = 8, WIDEST = 3 };

/* Sums of so many pairs: set, or added to what they are. v_c: from one block of vectors to the next. */
static __attribute__((noinline)) void tile_3(float *sums, const uint16_t *v, int64_t v_c, const uint16_t *b, int64_t count, int64_t fresh)
{
    vf a0_0 = {0}, a1_0 = {0}, a2_0 = {0}, a0_1 = {0}, a1_1 = {0}, a2_1 = {0}, a0_2 = {0}, a1_2 = {0}, a2_2 = {0}, a0_3 = {0}, a1_3 = {0}, a2_3 = {0}, a0_4 = {0}, a1_4 = {0}, a2_4 = {0}, a0_5 = {0}, a1_5 = {0}, a2_5 = {0}, a0_6 = {0}, a1_6 = {0}, a2_6 = {0}, a0_7 = {0}, a1_7 = {0}, a2_7 = {0};
    for (; count; count--, v += 2 * LANES, b += 2 * LANES) {
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

/* Lines of the reduction, ``line`` elements apart, of ``columns`` columns: to[block][pair][column][2], blocks ``room`` apart. What does not exist is 0. */
static __attribute__((noinline)) void pack_lines(uint16_t *to, int64_t room, const uint16_t *from, int64_t line, int64_t count, int64_t columns)
{
    for (int64_t k = 0; k < count; k += 2, from += 2 * line, to += 2 * LANES) {
        const uint16_t *at = from, *const next = from + (k + 1 < count ? line : 0);
        uint16_t *place = to;
        int64_t left = columns;
        if (k + 1 < count)
            for (const uint16_t *second = next - LANES; left >= LANES; left -= LANES, at += LANES, second += LANES, place += room) *(sol_pairs *)place = sol_together(*(const sol_pairs *)at, *(const sol_pairs *)second);
        for (; left > 0; left -= LANES, at += LANES, place += room) {
            const size_t bytes = 2 * (size_t)(left < LANES ? left : LANES);
            sol_pairs v = {0};
            memcpy(&v, at, bytes);
            if (k + 1 < count) memcpy((uint16_t *)&v + LANES, next + (at - from), bytes);
            *(sol_pairs *)place = sol_together(v, v);
        }
    }
}

/* Sums of so many vectors -> rows of the result. */
static void write_tile(const float *sums, int64_t wide, uint16_t *out, int64_t ldc, int64_t rows, int64_t columns)
{
    for (int64_t j = 0; j < rows && j < STEP; j++, out += ldc)
        for (int64_t i = 0; i < wide * LANES && i < columns; i += LANES) {
            const int n = (int)(columns - i < LANES ? columns - i : LANES);
            const vf v = vf_load(sums + j * wide * LANES + i);
            vbf_result_store_n(out + i, v, n);
        }
}

void matmul_narrow(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const uint16_t *A = buf[0];
    const uint16_t *B = buf[1];
    uint16_t *C = buf[2];
    const int64_t M = arg[0];
    const int64_t N = arg[1];
    const int64_t K = arg[2];
    const int64_t A_m = arg[3];
    const int64_t A_k = arg[4];
    const int64_t B_k = arg[5];
    const int64_t B_n = arg[6];
    const int64_t ldc = arg[7];
    const int64_t group_vectors = arg[8];
    const int64_t panels = arg[9];
    const int64_t unit_sets = arg[10];
    const int64_t step_sets = arg[11];
    const int64_t parts = arg[12];
    const int64_t depth = arg[13];
    const int64_t room = arg[14];
    const int64_t most_vectors = arg[15];
    const int64_t most_numbers = arg[16];
    (void)team; (void)buf; (void)arg;
    const int64_t units = panels, steps = (M + STEP - 1) / STEP, chunks = (K + depth - 1) / depth, sets = unit_sets * step_sets;
    uint16_t *vectors = (uint16_t *)team->scratch, *numbers = vectors + most_vectors * room;
    float *own = (float *)(numbers + most_numbers * room);
    sol_share share = sol_share_of(team, sets * parts, team->size);
    for (int64_t job, end_job; sol_share_take(&share, &job, &end_job);) for (; job < end_job; job++) {
        const int64_t part = job % parts, set = job / parts, us = set % unit_sets, ts = set / unit_sets;
        const int64_t u0 = units * us / unit_sets, u1 = units * (us + 1) / unit_sets, t0 = steps * ts / step_sets, t1 = steps * (ts + 1) / step_sets;
        const int64_t first = u0 * group_vectors / panels * LANES, end_column = u1 * group_vectors / panels * LANES, columns = (end_column < N ? end_column : N) - first;
        const int64_t first_row = t0 * STEP / LANES * LANES, end_row = t1 * STEP, rows = (end_row < M ? end_row : M) - first_row;
        for (int64_t begin = chunks * part / parts, end = chunks * (part + 1) / parts, chunk = begin; chunk < end; chunk++) {
            const int64_t k0 = chunk * depth, here = K - k0 < depth ? K - k0 : depth, count = (here + 1) / 2;
            pack_lines(numbers, room, A + first_row * A_m + k0 * A_k, A_k, here, rows);
            pack_lines(vectors, room, B + first * B_n + k0 * B_k, B_k, here, columns);
            for (int64_t u = u0; u < u1; u++) {
                const int64_t v0 = u * group_vectors / panels;
                for (int64_t t = t0; t < t1; t++) {
                    float *to = own;
                    const uint16_t *v = vectors + (v0 - first / LANES) * room, *b = numbers + (t * STEP - first_row) / LANES * room + t * STEP % LANES * 2;
                    tile_3(to, v, room, b, count, 1);
                    {
                    const int64_t w0 = u * group_vectors / panels, w1 = (u + 1) * group_vectors / panels, row = t * STEP;
                    write_tile(own, w1 - w0, C + row * ldc + w0 * LANES, ldc, M - row, N - w0 * LANES);
                }
                }
            }
        }
    }
}
