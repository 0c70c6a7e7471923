/* The same as sol_simd_avx2.h for compilers whose builtins have other names. */
#include <immintrin.h>
SOL_INLINE __m256i sol_mask8(int n)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
SOL_INLINE vf vf_max_quiet(vf a, vf b) { return (vf)_mm256_max_ps((__m256)a, (__m256)b); }
SOL_INLINE vf vf_min_quiet(vf a, vf b) { return (vf)_mm256_min_ps((__m256)a, (__m256)b); }
SOL_INLINE vf vf_load_n(const float *p, int n) { return (vf)_mm256_maskload_ps(p, sol_mask8(n)); }
SOL_INLINE vf vf_sqrt(vf a) { return (vf)_mm256_sqrt_ps((__m256)a); }
SOL_INLINE vf vf_rint(vf a) { return (vf)_mm256_round_ps((__m256)a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
SOL_INLINE vf vf_floor(vf a) { return (vf)_mm256_round_ps((__m256)a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); }
SOL_INLINE vf vf_permute(vf a, vi at) { return (vf)_mm256_permutevar8x32_ps((__m256)a, (__m256i)at); }
