/* Numbers of 16 bits, LANES of them: half a vector. */
#ifndef SOL_WORDS_H
#define SOL_WORDS_H
#include "sol_int.h"

typedef uint16_t vw __attribute__((vector_size(2 * LANES), may_alias)); /* without a sign: sums may wrap around on the way */

SOL_INLINE vw vw_load_bytes(const uint8_t *p)
{
    typedef uint8_t bytes __attribute__((vector_size(LANES), aligned(1), may_alias));
    return __builtin_convertvector(*(const bytes *)p, vw);
}
SOL_INLINE void vw_store(int16_t *p, vw v) { *(vw *)p = v; }
#endif
