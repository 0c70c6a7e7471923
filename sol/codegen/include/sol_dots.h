/* Sums of pairs of products of bfloat16: every lane multiplies two neighbouring numbers of each operand and adds both products to its sum. Numbers
 * below the smallest normal one are zero. One instruction where the processor has AVX-512 BF16. */
#ifndef SOL_DOTS_H
#define SOL_DOTS_H
#include "sol_simd.h"

SOL_INLINE vi vp_load(const uint16_t *p) { return *(const vi_unaligned *)p; } /* a pair for each lane */
SOL_INLINE vi vp_set(const uint16_t *p) /* the same pair in all lanes */
{
    int32_t pair;
    memcpy(&pair, p, 4);
    return vi_set(pair);
}

SOL_INLINE vf vp_dot(vf sum, vi a, vi b)
{
#ifdef __AVX512BF16__
    __asm__("vdpbf16ps %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
    return sum;
#else
    const vi high = vi_set((int32_t)0xffff0000u);
    sum += (vf)(a << 16) * (vf)(b << 16);
    return sum + (vf)(a & high) * (vf)(b & high);
#endif
}
#endif
