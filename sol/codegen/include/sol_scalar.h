/* What scalar kernels need beyond C: integer arithmetic with torch's rules that never traps, and bfloat16. */
#ifndef SOL_SCALAR_H
#define SOL_SCALAR_H
#include <stdint.h>
#include <string.h>
#include <math.h>
#define SOL_SCALAR static inline __attribute__((unused))

/* Division by zero gives 0 and INT64_MIN / -1 wraps: a kernel has no way to raise. */
SOL_SCALAR int64_t sol_divide(int64_t a, int64_t b) { return b == 0 ? 0 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b; }
SOL_SCALAR int64_t sol_modulo(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }
SOL_SCALAR int64_t sol_floor_divide(int64_t a, int64_t b)
{
    int64_t r = sol_modulo(a, b);
    return sol_divide(a, b) - (r != 0 && (r < 0) != (b < 0));
}
SOL_SCALAR int64_t sol_remainder(int64_t a, int64_t b)
{
    int64_t r = sol_modulo(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
/* An integer to a negative power is 0 unless it is 1 or -1. */
SOL_SCALAR int64_t sol_power(int64_t a, int64_t n)
{
    if (n < 0) return a == 1 ? 1 : a == -1 ? (n % 2 ? -1 : 1) : 0;
    uint64_t base = (uint64_t)a, r = 1;
    for (; n; n >>= 1, base *= base)
        if (n & 1) r *= base;
    return (int64_t)r;
}

SOL_SCALAR float sol_from_bf16(uint16_t v)
{
    uint32_t bits = (uint32_t)v << 16;
    float x;
    memcpy(&x, &bits, 4);
    return x;
}
/* Rounds to nearest even; NaN stays NaN. */
SOL_SCALAR uint16_t sol_to_bf16(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    if (x != x) return 0x7fc0;
    return (uint16_t)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}
#endif
