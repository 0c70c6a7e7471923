/* AVX-512: 16 lanes. Compiler builtins rather than <immintrin.h>, whose parsing costs more than compiling a kernel. */
SOL_VECTOR_TYPES(16)
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
    __has_builtin(__builtin_ia32_sqrtps512) && \
    __has_builtin(__builtin_ia32_storeups512_mask))
#else
#define SOL_BUILTINS (__has_builtin(__builtin_ia32_loadups512_mask) && \
    __has_builtin(__builtin_ia32_maxps512_mask) && \
    __has_builtin(__builtin_ia32_minps512_mask) && \
    __has_builtin(__builtin_ia32_permvarsf512_mask) && \
    __has_builtin(__builtin_ia32_pmovdb512_mask) && \
    __has_builtin(__builtin_ia32_pmovzxbd512_mask) && \
    __has_builtin(__builtin_ia32_rndscaleps_mask) && \
    __has_builtin(__builtin_ia32_sqrtps512_mask) && \
    __has_builtin(__builtin_ia32_storeups512_mask))
#endif
#if SOL_BUILTINS
#define SOL_MASK16(n) ((unsigned short)((n) >= 16 ? 0xffffu : (1u << (n)) - 1u))
typedef float sol_v16 __attribute__((vector_size(64)));
typedef int sol_i16 __attribute__((vector_size(64)));
#ifdef __clang__
SOL_INLINE vf vf_max_quiet(vf a, vf b) { return (vf)__builtin_ia32_maxps512((sol_v16)a, (sol_v16)b, 4); }
SOL_INLINE vf vf_min_quiet(vf a, vf b) { return (vf)__builtin_ia32_minps512((sol_v16)a, (sol_v16)b, 4); }
SOL_INLINE vf vf_sqrt(vf a) { return (vf)__builtin_ia32_sqrtps512((sol_v16)a, 4); }
SOL_INLINE vf vf_permute(vf a, vi at) { return (vf)__builtin_ia32_permvarsf512((sol_v16)a, (sol_i16)at); }
#else
SOL_INLINE vf vf_max_quiet(vf a, vf b) { return (vf)__builtin_ia32_maxps512_mask((sol_v16)a, (sol_v16)b, (sol_v16){0}, -1, 4); }
SOL_INLINE vf vf_min_quiet(vf a, vf b) { return (vf)__builtin_ia32_minps512_mask((sol_v16)a, (sol_v16)b, (sol_v16){0}, -1, 4); }
SOL_INLINE vf vf_sqrt(vf a) { return (vf)__builtin_ia32_sqrtps512_mask((sol_v16)a, (sol_v16){0}, -1, 4); }
SOL_INLINE vf vf_permute(vf a, vi at) { return (vf)__builtin_ia32_permvarsf512_mask((sol_v16)a, (sol_i16)at, (sol_v16){0}, -1); }
#endif
SOL_INLINE vf vf_load_n(const float *p, int n) { return (vf)__builtin_ia32_loadups512_mask((const void *)p, (sol_v16){0}, SOL_MASK16(n)); }
SOL_INLINE void vf_store_n(float *p, vf v, int n) { __builtin_ia32_storeups512_mask((void *)p, (sol_v16)v, SOL_MASK16(n)); }
SOL_INLINE vf vf_rint(vf a) { return (vf)__builtin_ia32_rndscaleps_mask((sol_v16)a, 8, (sol_v16)a, -1, 4); }
SOL_INLINE vf vf_floor(vf a) { return (vf)__builtin_ia32_rndscaleps_mask((sol_v16)a, 9, (sol_v16)a, -1, 4); }
/* LANES bytes to int32 lanes, and the low bytes back. */
typedef uint8_t sol_bytes __attribute__((vector_size(16), aligned(1), may_alias));
#ifdef __clang__
SOL_INLINE vi vi_load_bytes(const uint8_t *p) { return __builtin_convertvector(*(const sol_bytes *)p, vi); }
SOL_INLINE void vi_store_bytes(uint8_t *p, vi v) { *(sol_bytes *)p = __builtin_convertvector(v, sol_bytes); }
#else
typedef char sol_c16 __attribute__((vector_size(16)));
SOL_INLINE vi vi_load_bytes(const uint8_t *p)
{
    return (vi)__builtin_ia32_pmovzxbd512_mask((sol_c16)*(const sol_bytes *)p, (sol_i16){0}, -1);
}
SOL_INLINE void vi_store_bytes(uint8_t *p, vi v)
{
    *(sol_bytes *)p = (sol_bytes)__builtin_ia32_pmovdb512_mask((sol_i16)v, (sol_c16){0}, -1);
}
#endif
#else
#include "sol_simd_avx512_intrinsics.h"
#endif
