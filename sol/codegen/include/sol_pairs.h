/* Numbers of 16 bits in pairs of neighbours along a reduction, as products of pairs (sol_dots.h) and matrix tiles (sol_tiles.h) read them. */
#ifndef SOL_PAIRS_H
#define SOL_PAIRS_H
#include "sol_simd.h"

typedef uint16_t sol_pairs __attribute__((vector_size(64), aligned(2), may_alias)); /* of 16 rows or columns */

/* The first half of ``v`` and the second half of ``w``, number by number. */
SOL_INLINE sol_pairs sol_together(sol_pairs v, sol_pairs w)
{
    const sol_pairs index = {0, 48, 1, 49, 2, 50, 3, 51, 4, 52, 5, 53, 6, 54, 7, 55, 8, 56, 9, 57, 10, 58, 11, 59, 12, 60, 13, 61, 14, 62, 15, 63};
    return __builtin_shuffle(v, w, index);
}

/* Sixteen numbers of each row, zeros in place of NULL. */
SOL_INLINE sol_pairs sol_both(const uint16_t *first, const uint16_t *second)
{
    sol_pairs v = {0};
    if (first) memcpy(&v, first, 32);
    if (second) memcpy((uint16_t *)&v + 16, second, 32);
    return sol_together(v, v);
}
#endif
