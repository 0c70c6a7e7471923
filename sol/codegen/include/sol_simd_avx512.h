/* AVX-512: 16 lanes. Compiler builtins rather than <immintrin.h>, whose parsing costs more than compiling a kernel. */
#define SOL_LANES 16
SOL_VECTOR_TYPES(SOL_LANES)
#define SOL_SWAPS(step) \
    step(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7) \
    step(4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11) \
    step(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13) \
    step(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14)
#if defined(__clang__) || __GNUC__ >= 12
#define SOL_HAS_FROM_LOW /* in a register: a load that waits for two stores cannot be forwarded */
SOL_INLINE vf vf_from_low(vh low) { return __builtin_shufflevector(low, (vh){0}, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15); }
#endif
#ifdef __clang__
#define SOL_BUILTINS (__has_builtin(__builtin_ia32_loadups512_mask) && \
    __has_builtin(__builtin_ia32_maxps512) && \
    __has_builtin(__builtin_ia32_minps512) && \
    __has_builtin(__builtin_ia32_permvarsf512) && \
    __has_builtin(__builtin_ia32_rndscaleps_mask) && \
    __has_builtin(__builtin_ia32_getexpps512_mask) && \
    __has_builtin(__builtin_ia32_getmantps512_mask) && \
    __has_builtin(__builtin_ia32_rcp14ps512_mask) && \
    __has_builtin(__builtin_ia32_rsqrt14ps512_mask) && \
    __has_builtin(__builtin_ia32_scalefps512_mask) && \
    __has_builtin(__builtin_ia32_cvtd2mask512) && \
    __has_builtin(__builtin_ia32_storeups512_mask))
#else
#define SOL_BUILTINS (__has_builtin(__builtin_ia32_loadups512_mask) && \
    __has_builtin(__builtin_ia32_cvtpd2ps512_mask) && \
    __has_builtin(__builtin_ia32_cvtps2pd512_mask) && \
    __has_builtin(__builtin_ia32_extractf32x8_mask) && \
    __has_builtin(__builtin_ia32_insertf32x8_mask) && \
    __has_builtin(__builtin_ia32_maxps512_mask) && \
    __has_builtin(__builtin_ia32_minps512_mask) && \
    __has_builtin(__builtin_ia32_permvarsf512_mask) && \
    __has_builtin(__builtin_ia32_pmovdb512_mask) && \
    __has_builtin(__builtin_ia32_pmovzxbd512_mask) && \
    __has_builtin(__builtin_ia32_rndscaleps_mask) && \
    __has_builtin(__builtin_ia32_getexpps512_mask) && \
    __has_builtin(__builtin_ia32_getmantps512_mask) && \
    __has_builtin(__builtin_ia32_rcp14ps512_mask) && \
    __has_builtin(__builtin_ia32_rsqrt14ps512_mask) && \
    __has_builtin(__builtin_ia32_scalefps512_mask) && \
    __has_builtin(__builtin_ia32_cvtd2mask512) && \
    __has_builtin(__builtin_ia32_storeups512_mask))
#endif
#if SOL_BUILTINS
#define SOL_MASK16(n) ((unsigned short)((n) >= 16 ? 0xffffu : (1u << (n)) - 1u))
typedef float sol_v16 __attribute__((vector_size(64)));
typedef int sol_i16 __attribute__((vector_size(64)));
#ifdef __clang__
SOL_INLINE vf vf_max_quiet(vf a, vf b) { return (vf)__builtin_ia32_maxps512((sol_v16)a, (sol_v16)b, 4); }
SOL_INLINE vf vf_min_quiet(vf a, vf b) { return (vf)__builtin_ia32_minps512((sol_v16)a, (sol_v16)b, 4); }
SOL_INLINE vf vf_permute(vf a, vi at) { return (vf)__builtin_ia32_permvarsf512((sol_v16)a, (sol_i16)at); }
#else
SOL_INLINE vf vf_max_quiet(vf a, vf b) { return (vf)__builtin_ia32_maxps512_mask((sol_v16)a, (sol_v16)b, (sol_v16){0}, -1, 4); }
SOL_INLINE vf vf_min_quiet(vf a, vf b) { return (vf)__builtin_ia32_minps512_mask((sol_v16)a, (sol_v16)b, (sol_v16){0}, -1, 4); }
SOL_INLINE vf vf_permute(vf a, vi at) { return (vf)__builtin_ia32_permvarsf512_mask((sol_v16)a, (sol_i16)at, (sol_v16){0}, -1); }
#endif
SOL_INLINE vf vf_load_n(const float *p, int n) { return (vf)__builtin_ia32_loadups512_mask((const void *)p, (sol_v16){0}, SOL_MASK16(n)); }
SOL_INLINE void vf_store_n(float *p, vf v, int n) { __builtin_ia32_storeups512_mask((void *)p, (sol_v16)v, SOL_MASK16(n)); }
#if __has_builtin(__builtin_ia32_rangeps512_mask)
#define SOL_HAS_RANGE /* vf_max_abs */
SOL_INLINE vf vf_max_abs(vf a, vf b) { return (vf)__builtin_ia32_rangeps512_mask((sol_v16)a, (sol_v16)b, 11, (sol_v16)a, -1, 4); }
#endif
SOL_INLINE vf vf_rint(vf a) { return (vf)__builtin_ia32_rndscaleps_mask((sol_v16)a, 8, (sol_v16)a, -1, 4); }
SOL_INLINE vf vf_floor(vf a) { return (vf)__builtin_ia32_rndscaleps_mask((sol_v16)a, 9, (sol_v16)a, -1, 4); }
#if __has_builtin(__builtin_ia32_gathersiv16sf)
#define SOL_HAS_GATHER /* p[at] */
SOL_INLINE vf vf_gather(const float *p, vi at)
{
    return (vf)__builtin_ia32_gathersiv16sf((sol_v16){0}, (const void *)p, (sol_i16)at, (unsigned short)-1, 4);
}
#endif
SOL_INLINE int vi_any(vi mask) { return __builtin_ia32_cvtd2mask512((sol_i16)mask) != 0; }
SOL_INLINE vf vf_scale(vf x, vf n) { return (vf)__builtin_ia32_scalefps512_mask((sol_v16)x, (sol_v16)n, (sol_v16){0}, -1, 4); }
SOL_INLINE vf vf_exponent(vf x) { return (vf)__builtin_ia32_getexpps512_mask((sol_v16)x, (sol_v16){0}, -1, 4); }
SOL_INLINE vf vf_significand(vf x) { return (vf)__builtin_ia32_getmantps512_mask((sol_v16)x, 11, (sol_v16){0}, -1, 4); } /* 3/4 … 3/2 */
SOL_INLINE vf vf_reciprocal_roughly(vf x) { return (vf)__builtin_ia32_rcp14ps512_mask((sol_v16)x, (sol_v16){0}, -1); }
SOL_INLINE vf vf_rsqrt_roughly(vf x) { return (vf)__builtin_ia32_rsqrt14ps512_mask((sol_v16)x, (sol_v16){0}, -1); }
/* LANES bytes to int32 lanes, and the low bytes back. */
typedef uint8_t sol_bytes __attribute__((vector_size(16), aligned(1), may_alias));
#ifdef __clang__
SOL_INLINE vd vd_low(vf x) { return __builtin_convertvector(__builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7), vd); }
SOL_INLINE vd vd_high(vf x) { return __builtin_convertvector(__builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15), vd); }
SOL_INLINE vf vf_from_doubles(vd low, vd high)
{
    return __builtin_shufflevector(__builtin_convertvector(low, vh), __builtin_convertvector(high, vh), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
                                   12, 13, 14, 15);
}
#else
typedef double sol_d8 __attribute__((vector_size(64)));
typedef float sol_v8 __attribute__((vector_size(32)));
#define SOL_HALF(x, part) __builtin_ia32_extractf32x8_mask((sol_v16)(x), part, (sol_v8){0}, -1)
SOL_INLINE vd vd_low(vf x) { return (vd)__builtin_ia32_cvtps2pd512_mask(SOL_HALF(x, 0), (sol_d8){0}, -1, 4); }
SOL_INLINE vd vd_high(vf x) { return (vd)__builtin_ia32_cvtps2pd512_mask(SOL_HALF(x, 1), (sol_d8){0}, -1, 4); }
SOL_INLINE vf vf_from_doubles(vd low, vd high)
{
    const sol_v8 a = (sol_v8)__builtin_ia32_cvtpd2ps512_mask((sol_d8)low, (sol_v8){0}, -1, 4);
    const sol_v8 b = (sol_v8)__builtin_ia32_cvtpd2ps512_mask((sol_d8)high, (sol_v8){0}, -1, 4);
    sol_v16 r = {0};
    r = __builtin_ia32_insertf32x8_mask(r, a, 0, r, -1);
    return (vf)__builtin_ia32_insertf32x8_mask(r, b, 1, r, -1);
}
#endif
typedef char sol_c16 __attribute__((vector_size(16)));
#ifdef __clang__
SOL_INLINE vi sol_widen(sol_c16 b) { return __builtin_convertvector((sol_bytes)b, vi); }
SOL_INLINE sol_c16 sol_narrow(vi v) { return (sol_c16)__builtin_convertvector(v, sol_bytes); }
#else
SOL_INLINE vi sol_widen(sol_c16 b) { return (vi)__builtin_ia32_pmovzxbd512_mask(b, (sol_i16){0}, -1); }
SOL_INLINE sol_c16 sol_narrow(vi v) { return (sol_c16)__builtin_ia32_pmovdb512_mask((sol_i16)v, (sol_c16){0}, -1); }
#endif
SOL_INLINE vi vi_load_bytes(const uint8_t *p) { return sol_widen((sol_c16)*(const sol_bytes *)p); }
SOL_INLINE void vi_store_bytes(uint8_t *p, vi v) { *(sol_bytes *)p = (sol_bytes)sol_narrow(v); }
#if __has_builtin(__builtin_ia32_loaddquqi128_mask) && __has_builtin(__builtin_ia32_storedquqi128_mask) && \
    __has_builtin(__builtin_ia32_pmovusdb512_mask) && __has_builtin(__builtin_ia32_pmovsdb512_mask)
#define SOL_BYTES_N /* those of sol_int.h */
SOL_INLINE vi vu8_load_n(const uint8_t *p, int n)
{
    return sol_widen((sol_c16)__builtin_ia32_loaddquqi128_mask((const void *)p, (sol_c16){0}, SOL_MASK16(n)));
}
#define SOL_SATURATED
SOL_INLINE sol_c16 sol_narrow_u8(vi v) { return (sol_c16)__builtin_ia32_pmovusdb512_mask((sol_i16)v, (sol_c16){0}, -1); }
SOL_INLINE sol_c16 sol_narrow_i8(vi v) { return (sol_c16)__builtin_ia32_pmovsdb512_mask((sol_i16)v, (sol_c16){0}, -1); }
SOL_INLINE void vu8_store(uint8_t *p, vi v) { *(sol_bytes *)p = (sol_bytes)sol_narrow_u8(v); }
SOL_INLINE void vi8_store(int8_t *p, vi v) { *(sol_bytes *)p = (sol_bytes)sol_narrow_i8(v); }
SOL_INLINE void vu8_store_n(uint8_t *p, vi v, int n) { __builtin_ia32_storedquqi128_mask((void *)p, sol_narrow_u8(v), SOL_MASK16(n)); }
SOL_INLINE void vi8_store_n(int8_t *p, vi v, int n) { __builtin_ia32_storedquqi128_mask((void *)p, sol_narrow_i8(v), SOL_MASK16(n)); }
#endif
#if __has_builtin(__builtin_ia32_cvtps2dq512_mask)
#define SOL_NEAREST
SOL_INLINE vi vi_nearest(vf a) { return (vi)__builtin_ia32_cvtps2dq512_mask((sol_v16)a, (sol_i16){0}, -1, 4); }
#endif
#else
#include "sol_simd_avx512_intrinsics.h"
#endif
#define SOL_MADD
/* Sums of products of bytes and of words (sol_int.h). Assembly, because compilers disagree about the types of these builtins. */
#ifdef __AVX512VNNI__
#define SOL_DOT
SOL_INLINE vi vi_dot(vi sum, vi a, vi b)
{
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(a), "vm"(b));
    return sum;
}
SOL_INLINE vi vi_madd(vi sum, vi a, vi b)
{
    __asm__("vpdpwssd %2, %1, %0" : "+v"(sum) : "v"(a), "vm"(b));
    return sum;
}
#else
SOL_INLINE vi vi_madd(vi sum, vi a, vi b)
{
    vi r;
    __asm__("vpmaddwd %3, %2, %1\n\tvpaddd %1, %0, %0" : "+v"(sum), "=&v"(r) : "v"(a), "vm"(b));
    return sum;
}
#endif
#define SOL_SETTLE(a) __asm__ volatile("" : "+v"(a))
#define SOL_HAS_SCALE /* vf_scale, vf_exponent, vf_significand, vf_reciprocal_roughly, vf_rsqrt_roughly; vi_any; vd_low, vd_high */
