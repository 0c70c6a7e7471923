/* The same as sol_simd_avx512.h for compilers whose builtins have other names. */
#include <immintrin.h>
#define SOL_MASK16(n) ((__mmask16)((n) >= 16 ? 0xffffu : (1u << (n)) - 1u))
SOL_INLINE vf vf_max_quiet(vf a, vf b) { return (vf)_mm512_max_ps((__m512)a, (__m512)b); }
SOL_INLINE vf vf_min_quiet(vf a, vf b) { return (vf)_mm512_min_ps((__m512)a, (__m512)b); }
SOL_INLINE vf vf_load_n(const float *p, int n) { return (vf)_mm512_maskz_loadu_ps(SOL_MASK16(n), p); }
SOL_INLINE void vf_store_n(float *p, vf v, int n) { _mm512_mask_storeu_ps(p, SOL_MASK16(n), (__m512)v); }
SOL_INLINE int vi_any(vi mask) { return _mm512_movepi32_mask((__m512i)mask) != 0; }
SOL_INLINE vf vf_scale(vf x, vf n) { return (vf)_mm512_scalef_ps((__m512)x, (__m512)n); }
SOL_INLINE vf vf_exponent(vf x) { return (vf)_mm512_getexp_ps((__m512)x); }
SOL_INLINE vf vf_significand(vf x) { return (vf)_mm512_getmant_ps((__m512)x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan); }
SOL_INLINE vf vf_reciprocal_roughly(vf x) { return (vf)_mm512_rcp14_ps((__m512)x); }
SOL_INLINE vf vf_rsqrt_roughly(vf x) { return (vf)_mm512_rsqrt14_ps((__m512)x); }
SOL_INLINE vd vd_low(vf x) { return (vd)_mm512_cvtps_pd(_mm512_castps512_ps256((__m512)x)); }
SOL_INLINE vd vd_high(vf x) { return (vd)_mm512_cvtps_pd(_mm512_extractf32x8_ps((__m512)x, 1)); }
SOL_INLINE vf vf_from_doubles(vd low, vd high)
{
    return (vf)_mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps((__m512d)low)), _mm512_cvtpd_ps((__m512d)high), 1);
}
SOL_INLINE vf vf_rint(vf a) { return (vf)_mm512_roundscale_ps((__m512)a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
SOL_INLINE vf vf_floor(vf a) { return (vf)_mm512_roundscale_ps((__m512)a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); }
SOL_INLINE vf vf_permute(vf a, vi at) { return (vf)_mm512_permutexvar_ps((__m512i)at, (__m512)a); }
/* LANES bytes to int32 lanes, and the low bytes back. */
SOL_INLINE vi vi_load_bytes(const uint8_t *p) { return (vi)_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)p)); }
SOL_INLINE void vi_store_bytes(uint8_t *p, vi v) { _mm_storeu_si128((__m128i *)p, _mm512_cvtepi32_epi8((__m512i)v)); }
#define SOL_NEAREST
SOL_INLINE vi vi_nearest(vf a) { return (vi)_mm512_cvtps_epi32((__m512)a); }
