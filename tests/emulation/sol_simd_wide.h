/* Vectors of 16 floats in plain C, in place of sol_simd_avx512.h on a machine without AVX-512. */
#define SOL_LANES 16
SOL_VECTOR_TYPES(SOL_LANES)
#define SOL_SWAPS(step) \
    step(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7) \
    step(4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11) \
    step(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13) \
    step(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14)
#define SOL_EACH(expression)                                \
    vf r;                                                   \
    for (int i = 0; i < LANES; i++) r[i] = expression;      \
    return r
SOL_INLINE vf vf_max_quiet(vf a, vf b) { SOL_EACH(a[i] > b[i] ? a[i] : b[i]); }
SOL_INLINE vf vf_min_quiet(vf a, vf b) { SOL_EACH(a[i] < b[i] ? a[i] : b[i]); }
SOL_INLINE vf vf_sqrt(vf a) { SOL_EACH(__builtin_sqrtf(a[i])); }
SOL_INLINE vf vf_rint(vf a) { SOL_EACH(__builtin_rintf(a[i])); }
SOL_INLINE vf vf_floor(vf a) { SOL_EACH(__builtin_floorf(a[i])); }
SOL_INLINE vf vf_permute(vf a, vi at) { SOL_EACH(a[at[i] & (LANES - 1)]); }
SOL_INLINE vf vf_load_n(const float *p, int n) { SOL_EACH(i < n ? p[i] : 0.0f); }
SOL_INLINE void vf_store_n(float *p, vf v, int n)
{
    for (int i = 0; i < LANES && i < n; i++) p[i] = v[i];
}
SOL_INLINE vi vi_load_bytes(const uint8_t *p)
{
    vi r;
    for (int i = 0; i < LANES; i++) r[i] = p[i];
    return r;
}
SOL_INLINE void vi_store_bytes(uint8_t *p, vi v)
{
    for (int i = 0; i < LANES; i++) p[i] = (uint8_t)v[i];
}
