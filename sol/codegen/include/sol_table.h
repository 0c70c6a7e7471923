/* Functions of one byte, as tables of their 256 results. */
#ifndef SOL_TABLE_H
#define SOL_TABLE_H
#include "sol_simd.h"

#ifdef __AVX512VBMI__
typedef uint8_t sol_b64 __attribute__((vector_size(64), aligned(1), may_alias));
typedef int8_t sol_c64 __attribute__((vector_size(64), aligned(1), may_alias));
/* Bytes of ``low`` and behind them of ``high``, by the lower seven bits of their places. */
SOL_INLINE sol_b64 sol_pick_of_two(sol_b64 places, sol_b64 low, sol_b64 high)
{
    __asm__("vpermi2b %2, %1, %0" : "+v"(places) : "v"(low), "v"(high));
    return places;
}
#endif

/* to[i] = table[from[i]] for i < n. */
SOL_INLINE void sol_look_up(uint8_t *to, const uint8_t *from, const uint8_t *table, int64_t n)
{
    int64_t i = 0;
#ifdef __AVX512VBMI__
    const sol_b64 *const quarter = (const sol_b64 *)table, t0 = quarter[0], t1 = quarter[1], t2 = quarter[2], t3 = quarter[3];
    for (; i + 64 <= n; i += 64) {
        const sol_b64 places = *(const sol_b64 *)(from + i);
        const sol_b64 low = sol_pick_of_two(places, t0, t1), high = sol_pick_of_two(places, t2, t3);
        const sol_b64 is_high = (sol_b64)((sol_c64)places < 0);
        *(sol_b64 *)(to + i) = (is_high & high) | (~is_high & low);
    }
#endif
    for (; i < n; i++) to[i] = table[from[i]];
}

#endif
