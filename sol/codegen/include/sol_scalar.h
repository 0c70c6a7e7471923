/* What scalar kernels need beyond C: integer arithmetic with torch's rules that never traps, and the small float types. */
#ifndef SOL_SCALAR_H
#define SOL_SCALAR_H
#include "sol_libc.h"
#include "sol_bf16.h"
#define SOL_SCALAR static inline __attribute__((unused))

/* SOL_VECTORIZE before a function and SOL_INDEPENDENT before a loop of it, whose rounds touch different elements: the compiler makes vectors
 * of them. */
#ifdef __clang__
#define SOL_VECTORIZE
#define SOL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define SOL_VECTORIZE _Pragma("GCC optimize(\"tree-loop-vectorize\", \"vect-cost-model=dynamic\")")
#define SOL_INDEPENDENT _Pragma("GCC ivdep")
#endif

#include "sol_integers.h"
/* An integer that a floating-point number was cut to. gcc would turn the way there and back into trunc, which keeps the sign of zero. */
#if defined(__clang__)
#define sol_whole(i) (i)
#elif __GNUC__ >= 12
#define sol_whole(i) __builtin_assoc_barrier(i)
#else
SOL_SCALAR int64_t sol_whole(int64_t i)
{
    __asm__("" : "+r"(i));
    return i;
}
#endif
/* A negative number wraps around, as its conversion to int64_t does. */
SOL_SCALAR uint64_t sol_to_u64(double x)
{
    const double half = 9223372036854775808.0;
    return x >= half ? (uint64_t)(int64_t)(x - half) ^ (1ull << 63) : (uint64_t)(int64_t)x;
}
/* The low bits of an integer as a number of 4 or 2 bits. */
SOL_SCALAR int8_t sol_wrap_i4(uint8_t v) { return (int8_t)((int8_t)(v << 4) >> 4); }
SOL_SCALAR int8_t sol_wrap_i2(uint8_t v) { return (int8_t)((int8_t)(v << 6) >> 6); }
SOL_SCALAR uint8_t sol_wrap_u4(uint8_t v) { return v & 15; }
SOL_SCALAR uint8_t sol_wrap_u2(uint8_t v) { return v & 3; }

/* Floats of 8 and 4 bits (sol/ir/minifloat.py): codes of the largest finite value, of what overflows and of NaN (-1: none); neg0: whether
   the sign bit alone is a zero. Doubles are used because kernels may run with denormal floats flushed. */
SOL_SCALAR double sol_power_of_two(int e)
{
    uint64_t bits = (uint64_t)(e + 1023) << 52;
    double x;
    memcpy(&x, &bits, 8);
    return x;
}
SOL_SCALAR uint8_t sol_encode_minifloat(float x, int saturate, int E, int M, int bias, int largest, int over, int nan, int neg0)
{
    int sign = 1 << (E + M), code = saturate ? largest : over, minus;
    uint32_t bits;
    memcpy(&bits, &x, 4);
    minus = bits >> 31;
    bits &= 0x7fffffff;
    if (bits > 0x7f800000) return (uint8_t)(nan < 0 ? sign : minus ? nan | sign : nan);
    if (bits < 0x7f800000) {
        int e = (int)(bits >> 23) - 127;
        e = e < 1 - bias ? 1 - bias : e;
        double size = (bits >> 23) ? sol_power_of_two((int)(bits >> 23) - 150) * (double)((bits & 0x7fffff) | 0x800000) : 0;
        int rounded = (e + bias - 1) * (1 << M) + (int)rint(size * sol_power_of_two(M - e));
        if (rounded <= largest) code = rounded;
    }
    return (uint8_t)(minus && (neg0 || (code != 0 && code != nan)) ? code | sign : code);
}
SOL_SCALAR float sol_decode_minifloat(uint8_t v, int E, int M, int bias, int largest, int over, int nan, int neg0)
{
    int sign = 1 << (E + M), low = v & (sign - 1), e = low >> M, m = low & ((1 << M) - 1);
    if (nan >= 0 && (neg0 ? low > largest : v == nan)) return low == over && over != nan ? (v & sign ? -INFINITY : INFINITY) : NAN;
    double x = e ? sol_power_of_two(e - bias - M) * (m + (1 << M)) : sol_power_of_two(1 - bias - M) * m;
    return (float)(v & sign ? -x : x);
}
#define SOL_MINIFLOAT(name, E, M, bias, largest, over, nan, neg0)                                                             \
    SOL_SCALAR uint8_t sol_encode_##name(float x, int saturate)                                                               \
    {                                                                                                                         \
        return sol_encode_minifloat(x, saturate, E, M, bias, largest, over, nan, neg0);                                       \
    }                                                                                                                         \
    SOL_SCALAR uint8_t sol_to_##name(float x) { return sol_encode_##name(x, 0); }                                             \
    SOL_SCALAR float sol_from_##name(uint8_t v) { return sol_decode_minifloat(v, E, M, bias, largest, over, nan, neg0); }
SOL_MINIFLOAT(f8e4m3fn, 4, 3, 7, 0x7e, 0x7f, 0x7f, 1)
SOL_MINIFLOAT(f8e4m3fnuz, 4, 3, 8, 0x7f, 0x80, 0x80, 0)
SOL_MINIFLOAT(f8e5m2, 5, 2, 15, 0x7b, 0x7c, 0x7e, 1)
SOL_MINIFLOAT(f8e5m2fnuz, 5, 2, 16, 0x7f, 0x80, 0x80, 0)
SOL_MINIFLOAT(f4e2m1, 2, 1, 1, 0x7, 0x7, -1, 1)

/* Powers of two without sign. rounding: 0 up, 1 down, 2 to nearest. */
SOL_SCALAR uint8_t sol_encode_f8e8m0(float x, int saturate, int rounding)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    uint32_t size = bits & 0x7fffffff, rest = size & 0x7fffff;
    if (size > 0x7f800000) return 255;
    if (size == 0x7f800000) return saturate ? 254 : 255;
    if (!saturate && (bits >> 31 || size == 0)) return 255;
    int code = (int)(size >> 23);
    if (code == 0) {
        int up = rounding == 0 ? rest > 0x400000 : rounding == 2 && rest >= 0x600000;
        if (rest < 0x400000) return !saturate && !(rounding == 0 ? rest > 0x200000 : rounding == 2 && rest >= 0x300000) ? 255 : 0;
        return (uint8_t)up;
    }
    code += rounding == 0 ? rest > 0 : rounding == 2 && rest >= 0x400000;
    return (uint8_t)(code > 254 ? (saturate ? 254 : 255) : code);
}
SOL_SCALAR uint8_t sol_to_f8e8m0(float x) { return sol_encode_f8e8m0(x, 0, 0); }
SOL_SCALAR float sol_from_f8e8m0(uint8_t v)
{
    uint32_t bits = v == 255 ? 0x7fc00000 : v ? (uint32_t)v << 23 : 0x400000;
    float x;
    memcpy(&x, &bits, 4);
    return x;
}
#endif
