/* Powers of two as doubles, by their bits. */
#ifndef SOL_POWERS_H
#define SOL_POWERS_H
#include "sol_simd.h"

/* The exponent of a positive normal number: 0 for 1 up to 2. */
SOL_INLINE int sol_exponent(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int)(bits >> 52 & 0x7ff) - 1023;
}

/* 2 to the power of n, from -1022 to 1023. */
SOL_INLINE double sol_power(int n)
{
    const uint64_t bits = (uint64_t)(n + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
#endif
