/* bfloat16 in vectors: memory holds 16 bits of each lane, registers hold float32. Loads widen, stores round to nearest even, NaN stays NaN.
 * The end of sol_simd.h. */
#ifndef SOL_NARROW_H
#define SOL_NARROW_H
#include "sol_bf16.h"

typedef uint32_t vbf_wide __attribute__((vector_size(4 * LANES), may_alias));
typedef uint32_t vbf_half __attribute__((vector_size(2 * LANES), may_alias));
typedef uint16_t vbf_bits __attribute__((vector_size(2 * LANES), aligned(2), may_alias));
typedef uint16_t vbf_half_bits __attribute__((vector_size(LANES), aligned(2), may_alias));

/* The result's bits in the upper half of each lane, others in the lower one. */
SOL_INLINE vbf_wide vbf_nearest(vf v)
{
    const vbf_wide bits = (vbf_wide)v, nan = (vbf_wide)(v != v);
    return (nan & 0x7fc00000u) | (~nan & (bits + 0x7fffu + (bits >> 16 & 1u)));
}
SOL_INLINE vf vf_round_bf16(vf v) { return (vf)(vbf_nearest(v) & 0xffff0000u); } /* as if stored and loaded again */

#if SOL_LANES == 16 && defined(__AVX512F__) /* one instruction where compilers take four */
SOL_INLINE vf vbf_load(const uint16_t *p)
{
    vbf_wide bits;
    __asm__("vpmovzxwd %1, %0" : "=v"(bits) : "m"(*(const vbf_bits *)p));
    return (vf)(bits << 16);
}
#else
SOL_INLINE vf vbf_load(const uint16_t *p) { return (vf)(__builtin_convertvector(*(const vbf_bits *)p, vbf_wide) << 16); }
#endif
SOL_INLINE void vbf_store_nearest(uint16_t *p, vf v) { *(vbf_bits *)p = __builtin_convertvector(vbf_nearest(v) >> 16, vbf_bits); }
#if SOL_LANES == 16 && defined(__AVX512BF16__) && __has_builtin(__builtin_ia32_fpclassps512_mask)
typedef float vbf_sixteen __attribute__((vector_size(64)));
/* One instruction, but for denormal numbers, which it would take for zero. */
SOL_INLINE void vbf_store(uint16_t *p, vf v)
{
    vbf_bits bits;
    if (__builtin_expect(__builtin_ia32_fpclassps512_mask((vbf_sixteen)v, 0x20, -1) != 0, 0)) {
        vbf_store_nearest(p, v);
        return;
    }
    __asm__("vcvtneps2bf16 %1, %0" : "=v"(bits) : "v"(v));
    *(vbf_bits *)p = bits;
}
/* Of results of convolutions and matrix products: denormal ones become zero, as where the processor multiplies pairs of bfloat16. */
SOL_INLINE vbf_bits vbf_result(vf v)
{
    vbf_bits bits;
    __asm__("vcvtneps2bf16 %1, %0" : "=v"(bits) : "v"(v));
    return bits;
}
SOL_INLINE void vbf_result_store(uint16_t *p, vf v) { *(vbf_bits *)p = vbf_result(v); }
SOL_INLINE vf vf_result_bf16(vf v)
{
    vbf_wide bits;
    __asm__("vpmovzxwd %1, %0" : "=v"(bits) : "v"(vbf_result(v)));
    return (vf)(bits << 16);
}
#else
SOL_INLINE void vbf_store(uint16_t *p, vf v) { vbf_store_nearest(p, v); }
SOL_INLINE void vbf_result_store(uint16_t *p, vf v) { vbf_store_nearest(p, v); }
SOL_INLINE vf vf_result_bf16(vf v) { return vf_round_bf16(v); }
#endif
SOL_INLINE vf vbf_load_n(const uint16_t *p, int n)
{
    uint16_t bits[LANES] = {0};
    for (int i = 0; i < LANES && i < n; i++) bits[i] = p[i];
    return vbf_load(bits);
}
SOL_INLINE void vbf_store_n(uint16_t *p, vf v, int n)
{
    uint16_t bits[LANES];
    vbf_store(bits, v);
    for (int i = 0; i < LANES && i < n; i++) p[i] = bits[i];
}
SOL_INLINE void vbf_result_store_n(uint16_t *p, vf v, int n)
{
    uint16_t bits[LANES];
    vbf_result_store(bits, v);
    for (int i = 0; i < LANES && i < n; i++) p[i] = bits[i];
}
SOL_INLINE vf vbf_set(uint16_t x) { return vf_set(sol_from_bf16(x)); }
SOL_INLINE vh vhbf_load(const uint16_t *p) { return (vh)(__builtin_convertvector(*(const vbf_half_bits *)p, vbf_half) << 16); }
#endif
