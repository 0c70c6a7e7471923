/* Numbers of float32 as sums of three of bfloat16, so that matrix tiles (AMX) multiply float32: 8 + 8 + 8 bits hold all 24 of a number.
 *
 * a = a0 + a1 + a2 exactly, each of the last two at most 2^-8 of the one before it. Of the nine products of parts the six largest are added up, in float32;
 * the others are below 2^-25 of a * b. Numbers below 2^-110 lose their last bits, because tiles take subnormal parts for zero.
 * G. Henry, P. T. P. Tang and A. Heinecke, Leveraging the bfloat16 artificial intelligence datatype for higher-precision computations, 2019.
 *
 * For vectors of 16 numbers, as every processor with such tiles has them. Blocks of up to 32 x 32 sums, two by two tiles. An operand's block:
 * [step of 32][part][tile][16][16 pairs], a pair holding steps i and i + 16. Of the left operand a tile's 16 are rows and its pairs steps; of the
 * right one its 16 are the pairs of steps and within them are columns. */
#ifndef SOL_PARTS_H
#define SOL_PARTS_H
#include "sol_pack.h"

enum { SOL_SIDE = 16, SOL_STEP = 32, SOL_PARTS = 3, SOL_TILE = 512 }; /* rows of a tile; steps, parts and numbers of bfloat16 of one */

typedef float sol_row __attribute__((vector_size(64), may_alias));
typedef float sol_row_unaligned __attribute__((vector_size(64), aligned(4), may_alias));
typedef uint32_t sol_words __attribute__((vector_size(64), may_alias));

/* The parts of x, each in the upper halves of its lanes. Of what is infinite, NaN or rounded to infinity one is NaN. */
SOL_INLINE void sol_parts_of(const sol_row *x, sol_words parts[SOL_PARTS])
{
    const sol_words upper = (sol_words){0} + 0xffff0000u, half = (sol_words){0} + 0x8000u;
    parts[0] = ((sol_words)*x + half) & upper;
    const sol_row rest = *x - (sol_row)parts[0];
    parts[1] = ((sol_words)rest + half) & upper;
    parts[2] = (sol_words)(rest - (sol_row)parts[1]) & upper; /* lower halves are zero but in subnormal numbers */
}

/* Row i of a tile from two rows, for all parts, part_step numbers apart. */
SOL_INLINE void sol_parts_row(uint16_t *to, int64_t part_step, const sol_row *first, const sol_row *second)
{
    sol_words low[SOL_PARTS], high[SOL_PARTS];
    sol_parts_of(first, low);
    sol_parts_of(second, high);
#pragma GCC unroll 3 /* lest they go through memory */
    for (int q = 0; q < SOL_PARTS; q++) *(sol_words *)(to + q * part_step) = low[q] >> 16 | high[q];
}

/* Numbers of bfloat16 (``narrow``) have one part. */
SOL_INLINE void sol_joined_row(uint16_t *to, int64_t part_step, const sol_row *first, const sol_row *second, int narrow)
{
    if (narrow) *(sol_words *)to = (sol_words)*first >> 16 | (sol_words)*second;
    else sol_parts_row(to, part_step, first, second);
}

/* v[i][j] = p[i * rows + j * lanes] for i < n and j < m, zero beyond. */
SOL_INLINE void sol_square(sol_row *v, const void *p, int64_t rows, int64_t lanes, int64_t n, int64_t m, int narrow)
{
    if (n < 0) n = 0;
    if (n > SOL_SIDE) n = SOL_SIDE;
    if (m > SOL_SIDE) m = SOL_SIDE;
    if (n == SOL_SIDE && m == SOL_SIDE && lanes == 1) {
#pragma GCC unroll 16
        for (int i = 0; i < SOL_SIDE; i++) v[i] = (sol_row)sol_numbers(sol_number_at(p, i * rows, narrow), LANES, narrow);
        return;
    }
    if (m > 0 && lanes == 1) {
        for (int i = 0; i < SOL_SIDE; i++) v[i] = i < n ? (sol_row)sol_numbers(sol_number_at(p, i * rows, narrow), (int)m, narrow) : (sol_row){0};
        return;
    }
    if (n > 0 && rows == 1) {
#pragma GCC unroll 16
        for (int j = 0; j < SOL_SIDE; j++) {
            const void *const from = sol_number_at(p, j * lanes, narrow);
            v[j] = j >= m ? (sol_row){0} : (sol_row)sol_numbers(from, (int)n, narrow);
        }
        vf_transpose(v);
        return;
    }
    for (int i = 0; i < SOL_SIDE; i++) {
        v[i] = (sol_row){0};
        for (int j = 0; i < n && j < m; j++) {
            const void *const from = sol_number_at(p, i * rows + j * lanes, narrow);
            v[i][j] = narrow ? sol_from_bf16(*(const uint16_t *)from) : *(const float *)from;
        }
    }
}

/* A tile of n x m numbers p[i * rows + j * lanes] and those ``second`` numbers behind them, n2 x m2; zeros for what is missing. */
SOL_INLINE void sol_parts_tile(uint16_t *to, int64_t part_step, const void *p, int64_t rows, int64_t lanes, int64_t second, int64_t n, int64_t m,
                               int64_t n2, int64_t m2, int narrow)
{
    if (lanes == 1 && n >= SOL_SIDE && n2 >= SOL_SIDE && m >= SOL_SIDE && m2 >= SOL_SIDE) {
#pragma GCC unroll 4
        for (int i = 0; i < SOL_SIDE; i++) {
            const sol_row low = (sol_row)sol_numbers(sol_number_at(p, i * rows, narrow), LANES, narrow);
            const sol_row high = (sol_row)sol_numbers(sol_number_at(p, second + i * rows, narrow), LANES, narrow);
            sol_joined_row(to + i * 2 * SOL_SIDE, part_step, &low, &high, narrow);
        }
        return;
    }
    sol_row v[2 * SOL_SIDE];
    sol_square(v, p, rows, lanes, n, m, narrow);
    sol_square(v + SOL_SIDE, sol_number_at(p, second, narrow), rows, lanes, n2, m2, narrow);
#pragma GCC unroll 4
    for (int i = 0; i < SOL_SIDE; i++) sol_joined_row(to + i * 2 * SOL_SIDE, part_step, v + i, v + i + SOL_SIDE, narrow);
}

/* Numbers of a left operand's block of so many rows, or of a right one's of so many columns. */
SOL_INLINE int64_t sol_parts_size(int64_t side, int64_t steps)
{
    return (side > SOL_SIDE ? 2 : 1) * SOL_PARTS * SOL_TILE * ((steps + SOL_STEP - 1) / SOL_STEP);
}

/* Blocks of rows a[m][k], m < M and k < K, one behind the other; what is missing in the last ones is zero. */
SOL_INLINE void sol_blocks_left(uint16_t *to, const void *a, int64_t sm, int64_t sk, int64_t M, int64_t K, int narrow)
{
    const int parts = narrow ? 1 : SOL_PARTS;
    for (int64_t m = 0; m < M; m += 2 * SOL_SIDE) {
        const int64_t tiles = M - m > SOL_SIDE ? 2 : 1;
        for (int64_t k = 0; k < K; k += SOL_STEP, to += parts * tiles * SOL_TILE)
            for (int64_t t = 0; t < tiles; t++) {
                const int64_t at = m + t * SOL_SIDE;
                const void *const from = sol_number_at(a, at * sm + k * sk, narrow);
                sol_parts_tile(to + t * SOL_TILE, tiles * SOL_TILE, from, sm, sk, SOL_SIDE * sk, M - at, K - k, M - at, K - k - SOL_SIDE, narrow);
            }
    }
}

/* The same of columns b[k][n], n < N. */
SOL_INLINE void sol_blocks_right(uint16_t *to, const void *b, int64_t sk, int64_t sn, int64_t K, int64_t N, int narrow)
{
    const int parts = narrow ? 1 : SOL_PARTS;
    for (int64_t n = 0; n < N; n += 2 * SOL_SIDE) {
        const int64_t tiles = N - n > SOL_SIDE ? 2 : 1;
        for (int64_t k = 0; k < K; k += SOL_STEP, to += parts * tiles * SOL_TILE)
            for (int64_t t = 0; t < tiles; t++) {
                const int64_t at = n + t * SOL_SIDE;
                const void *const from = sol_number_at(b, at * sn + k * sk, narrow);
                sol_parts_tile(to + t * SOL_TILE, tiles * SOL_TILE, from, sk, sn, SOL_SIDE * sk, K - k, N - at, K - k - SOL_SIDE, N - at, narrow);
            }
    }
}

static __attribute__((noinline, unused)) void sol_parts_left(uint16_t *to, const float *a, int64_t sm, int64_t sk, int64_t M, int64_t K)
{
    sol_blocks_left(to, a, sm, sk, M, K, 0);
}
static __attribute__((noinline, unused)) void sol_parts_right(uint16_t *to, const float *b, int64_t sk, int64_t sn, int64_t K, int64_t N)
{
    sol_blocks_right(to, b, sk, sn, K, N, 0);
}
static __attribute__((noinline, unused)) void sol_halves_left(uint16_t *to, const uint16_t *a, int64_t sm, int64_t sk, int64_t M, int64_t K)
{
    sol_blocks_left(to, a, sm, sk, M, K, 1);
}
static __attribute__((noinline, unused)) void sol_halves_right(uint16_t *to, const uint16_t *b, int64_t sk, int64_t sn, int64_t K, int64_t N)
{
    sol_blocks_right(to, b, sk, sn, K, N, 1);
}

/* Where step k begins of panel p of a right operand that was taken apart before, N columns and K steps: [slice][panel of 32 columns][step of 32][part][tile][16][16 pairs],
 * a slice being so many steps of 32; k is one of them. */
SOL_INLINE const uint16_t *sol_parts_at(const float *parts, int64_t N, int64_t K, int64_t slice, int64_t p, int64_t k)
{
    const int64_t steps = (K + SOL_STEP - 1) / SOL_STEP, first = k / SOL_STEP / slice * slice, length = steps - first < slice ? steps - first : slice;
    const int64_t tiles = first * ((N + SOL_SIDE - 1) / SOL_SIDE) + 2 * p * length + (k / SOL_STEP - first) * (N - 2 * SOL_SIDE * p > SOL_SIDE ? 2 : 1);
    return (const uint16_t *)parts + tiles * (SOL_PARTS * SOL_TILE);
}

/* Step k of 16 of its columns as numbers again, tile j of panel p. */
SOL_INLINE sol_row sol_parts_joined(const float *parts, int64_t N, int64_t K, int64_t slice, int64_t p, int64_t j, int64_t k)
{
    const uint16_t *from = sol_parts_at(parts, N, K, slice, p, k / SOL_STEP * SOL_STEP) + j * SOL_TILE + k % SOL_SIDE * 2 * SOL_SIDE + k / SOL_SIDE % 2;
    const int64_t part_step = (N - 2 * SOL_SIDE * p > SOL_SIDE ? 2 : 1) * SOL_TILE;
    sol_row sum = {0};
    for (int i = 0; i < SOL_SIDE; i++, from += 2)
        for (int q = SOL_PARTS - 1; q >= 0; q--) {
            const uint32_t part = (uint32_t)from[q * part_step] << 16;
            float x;
            memcpy(&x, &part, sizeof x);
            sum[i] += x;
        }
    return sum;
}

#endif
