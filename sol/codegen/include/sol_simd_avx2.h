/* AVX2 + FMA: 8 lanes. Compiler builtins rather than <immintrin.h>, whose parsing costs more than compiling a kernel. */
#define SOL_LANES 8
#define SOL_HOLD(v) __asm__("" : "+x"(v))
#define VF_ADD_PRODUCT(sum, v, number)                                                          \
    do {                                                                                        \
        const vf all_ = (number) - (vf){0};                                                     \
        __asm__("vfmadd231ps %2, %1, %0" : "+x"(sum) : "x"(v), "x"(all_));                      \
    } while (0)
SOL_VECTOR_TYPES(SOL_LANES)
#define SOL_SWAPS(step) \
    step(4, 5, 6, 7, 0, 1, 2, 3) \
    step(2, 3, 0, 1, 6, 7, 4, 5) \
    step(1, 0, 3, 2, 5, 4, 7, 6)
#define SOL_BUILTINS (__has_builtin(__builtin_ia32_maskloadps256) && \
    __has_builtin(__builtin_ia32_maskstoreps256) && \
    __has_builtin(__builtin_ia32_maxps256) && \
    __has_builtin(__builtin_ia32_minps256) && \
    __has_builtin(__builtin_ia32_permvarsf256) && \
    __has_builtin(__builtin_ia32_roundps256) && \
    __has_builtin(__builtin_ia32_sqrtps256))
#if SOL_BUILTINS
typedef float sol_v8 __attribute__((vector_size(32)));
typedef int sol_i8 __attribute__((vector_size(32)));
SOL_INLINE sol_i8 sol_mask8(int n) { return (sol_i8){0, 1, 2, 3, 4, 5, 6, 7} < n; }
SOL_INLINE vf vf_max_quiet(vf a, vf b) { return (vf)__builtin_ia32_maxps256((sol_v8)a, (sol_v8)b); }
SOL_INLINE vf vf_min_quiet(vf a, vf b) { return (vf)__builtin_ia32_minps256((sol_v8)a, (sol_v8)b); }
SOL_INLINE vf vf_load_n(const float *p, int n) { return (vf)__builtin_ia32_maskloadps256((const sol_v8 *)p, sol_mask8(n)); }
SOL_INLINE void vf_store_n(float *p, vf v, int n) { __builtin_ia32_maskstoreps256((sol_v8 *)p, sol_mask8(n), (sol_v8)v); }
SOL_INLINE vf vf_sqrt(vf a) { return (vf)__builtin_ia32_sqrtps256((sol_v8)a); }
SOL_INLINE vf vf_rint(vf a) { return (vf)__builtin_ia32_roundps256((sol_v8)a, 8); }
SOL_INLINE vf vf_floor(vf a) { return (vf)__builtin_ia32_roundps256((sol_v8)a, 9); }
SOL_INLINE vf vf_permute(vf a, vi at) { return (vf)__builtin_ia32_permvarsf256((sol_v8)a, (sol_i8)at); }
/* LANES bytes to int32 lanes, and the low bytes back. */
#if __has_builtin(__builtin_ia32_gathersiv8sf)
#define SOL_HAS_GATHER /* p[at] */
SOL_INLINE vf vf_gather(const float *p, vi at)
{
    return (vf)__builtin_ia32_gathersiv8sf((sol_v8){0}, (const float *)p, (sol_i8)at, (sol_v8)((sol_i8){0} - 1), 4);
}
#endif
typedef uint8_t sol_bytes __attribute__((vector_size(8), aligned(1), may_alias));
SOL_INLINE vi vi_load_bytes(const uint8_t *p) { return __builtin_convertvector(*(const sol_bytes *)p, vi); }
SOL_INLINE void vi_store_bytes(uint8_t *p, vi v) { *(sol_bytes *)p = __builtin_convertvector(v, sol_bytes); }
#else
#include "sol_simd_avx2_intrinsics.h"
#endif
/* Sums of products of bytes (sol_int.h). Assembly, because compilers disagree about the types of these builtins. */
#if defined(__AVXVNNI__) || defined(__AVX512VNNI__) && defined(__AVX512VL__)
#define SOL_DOT
SOL_INLINE vi vi_dot(vi sum, vi a, vi b)
{
#ifdef __AVXVNNI__
    __asm__("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum) : "x"(a), "xm"(b));
#else
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(a), "vm"(b));
#endif
    return sum;
}
#else
#define SOL_MADD
SOL_INLINE vi vi_madd(vi a, vi b)
{
    vi r;
    __asm__("vpmaddwd %2, %1, %0" : "=x"(r) : "x"(a), "xm"(b));
    return r;
}
#endif
