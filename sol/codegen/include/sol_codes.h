/* Weights of 8 and 4 bits in vectors: integers of so few bits as float32 lanes. */
#ifndef SOL_CODES_H
#define SOL_CODES_H
#include "sol_int.h"

/* LANES signed bytes. Assembly, because compilers take them apart one by one. */
SOL_INLINE vf vf_of_bytes(const uint8_t *p)
{
#if (SOL_LANES == 16 && defined(__AVX512F__)) || (SOL_LANES == 8 && defined(__AVX2__))
    typedef struct {
        uint8_t byte[LANES];
    } bytes;
    vi v;
    __asm__("vpmovsxbd %1, %0" : "=v"(v) : "m"(*(const bytes *)p));
    return vf_of_ints(v);
#else
    return vf_of_ints(vi_wrap_i8(vi_load_bytes(p)));
#endif
}
/* Eight integers of 4 bits or four of 8 for each lane, to stay in a register: compilers would load them again for each of them. */
SOL_INLINE vi vi_load_codes(const int32_t *p)
{
    vi v = vi_load(p);
#if (SOL_LANES == 16 && defined(__AVX512F__)) || (SOL_LANES == 8 && defined(__AVX2__))
    __asm__("" : "+v"(v));
#endif
    return v;
}
/* Asks for what lies so many bytes ahead of p: near ones in the first-level cache, far ones, if not 0, in the second. */
#define SOL_ASK(p, near, far) \
    (__builtin_prefetch((const char *)(p) + (near)), (far) ? __builtin_prefetch((const char *)(p) + (far), 0, 2) : (void)0)
/* The signed byte in bits shift … shift + 7 of each lane. */
SOL_INLINE vf vf_of_byte_at(vi v, int shift) { return vf_of_ints((vi)((vu)v << (24 - shift)) >> 24); }
/* The integer in bits shift … shift + 3 of each lane, less 8. */
SOL_INLINE vf vf_of_quarter_bytes(vi v, int shift)
{
    const vi low = (vi)((vu)v >> shift);
#if SOL_LANES == 16 && defined(__AVX512F__)
    return vf_permute((vf){-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7}, low); /* looks at four bits of each index */
#else
    return vf_of_ints((low & 15) - 8);
#endif
}
#endif
