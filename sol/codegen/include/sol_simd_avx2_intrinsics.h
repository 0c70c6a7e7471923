/* The same as sol_simd_avx2.h for compilers whose builtins have other names. */
#include <immintrin.h>
SOL_INLINE __m256i sol_mask8(int n)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
SOL_INLINE vf vf_max_quiet(vf a, vf b) { return (vf)_mm256_max_ps((__m256)a, (__m256)b); }
SOL_INLINE vf vf_min_quiet(vf a, vf b) { return (vf)_mm256_min_ps((__m256)a, (__m256)b); }
SOL_INLINE vf vf_load_n(const float *p, int n) { return (vf)_mm256_maskload_ps(p, sol_mask8(n)); }
SOL_INLINE void vf_store_n(float *p, vf v, int n) { _mm256_maskstore_ps(p, sol_mask8(n), (__m256)v); }
SOL_INLINE vf vf_sqrt(vf a) { return (vf)_mm256_sqrt_ps((__m256)a); }
SOL_INLINE vf vf_rint(vf a) { return (vf)_mm256_round_ps((__m256)a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
SOL_INLINE vf vf_floor(vf a) { return (vf)_mm256_round_ps((__m256)a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); }
SOL_INLINE vf vf_permute(vf a, vi at) { return (vf)_mm256_permutevar8x32_ps((__m256)a, (__m256i)at); }
/* LANES bytes to int32 lanes, and back (values 0 … 255). */
SOL_INLINE vi vi_load_bytes(const uint8_t *p) { return (vi)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)p)); }
SOL_INLINE void vi_store_bytes(uint8_t *p, vi v)
{
    __m128i words = _mm_packs_epi32(_mm256_castsi256_si128((__m256i)v), _mm256_extracti128_si256((__m256i)v, 1));
    _mm_storel_epi64((__m128i *)p, _mm_packus_epi16(words, words));
}
