/* bfloat16: the upper half of a float32 number. */
#ifndef SOL_BF16_H
#define SOL_BF16_H
#include "sol_libc.h"

static inline __attribute__((unused)) float sol_from_bf16(uint16_t v)
{
    uint32_t bits = (uint32_t)v << 16;
    float x;
    memcpy(&x, &bits, 4);
    return x;
}
/* Rounds to nearest even; NaN stays NaN. */
static inline __attribute__((unused)) uint16_t sol_to_bf16(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    if (x != x) return 0x7fc0;
    return (uint16_t)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}
#endif
