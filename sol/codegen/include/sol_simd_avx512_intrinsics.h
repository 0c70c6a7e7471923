/* The same as sol_simd_avx512.h for compilers whose builtins have other names. */
#include <immintrin.h>
#define SOL_MASK16(n) ((__mmask16)((n) >= 16 ? 0xffffu : (1u << (n)) - 1u))
SOL_INLINE vf vf_max_quiet(vf a, vf b) { return (vf)_mm512_max_ps((__m512)a, (__m512)b); }
SOL_INLINE vf vf_min_quiet(vf a, vf b) { return (vf)_mm512_min_ps((__m512)a, (__m512)b); }
SOL_INLINE vf vf_load_n(const float *p, int n) { return (vf)_mm512_maskz_loadu_ps(SOL_MASK16(n), p); }
SOL_INLINE void vf_store_n(float *p, vf v, int n) { _mm512_mask_storeu_ps(p, SOL_MASK16(n), (__m512)v); }
SOL_INLINE vf vf_sqrt(vf a) { return (vf)_mm512_sqrt_ps((__m512)a); }
SOL_INLINE vf vf_rint(vf a) { return (vf)_mm512_roundscale_ps((__m512)a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
SOL_INLINE vf vf_floor(vf a) { return (vf)_mm512_roundscale_ps((__m512)a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); }
SOL_INLINE vf vf_permute(vf a, vi at) { return (vf)_mm512_permutexvar_ps((__m512i)at, (__m512)a); }
/* LANES bytes to int32 lanes, and the low bytes back. */
SOL_INLINE vi vi_load_bytes(const uint8_t *p) { return (vi)_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)p)); }
SOL_INLINE void vi_store_bytes(uint8_t *p, vi v) { _mm_storeu_si128((__m128i *)p, _mm512_cvtepi32_epi8((__m512i)v)); }
