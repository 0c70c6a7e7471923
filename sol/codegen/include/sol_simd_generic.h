/* Any machine: vectors of 4 floats in plain C, lowered by the compiler to whatever there is. */
SOL_VECTOR_TYPES(4)
#define SOL_SWAPS(step) \
    step(2, 3, 0, 1) \
    step(1, 0, 3, 2)
SOL_INLINE vf vf_max_quiet(vf a, vf b)
{
    vi m = a > b;
    return (vf)((m & (vi)a) | (~m & (vi)b));
}
SOL_INLINE vf vf_min_quiet(vf a, vf b)
{
    vi m = a < b;
    return (vf)((m & (vi)a) | (~m & (vi)b));
}
SOL_INLINE vf vf_load_n(const float *p, int n)
{
    if (n >= LANES) return *(const vf_unaligned *)p;
    return (vf){n > 0 ? p[0] : 0.0f, n > 1 ? p[1] : 0.0f, n > 2 ? p[2] : 0.0f, 0.0f};
}
SOL_INLINE void vf_store_n(float *p, vf v, int n)
{
    if (n >= LANES) {
        *(vf_unaligned *)p = v;
        return;
    }
    if (n > 0) p[0] = v[0];
    if (n > 1) p[1] = v[1];
    if (n > 2) p[2] = v[2];
}
SOL_INLINE vf vf_sqrt(vf a)
{
    vf r;
    for (int i = 0; i < LANES; i++) r[i] = __builtin_sqrtf(a[i]);
    return r;
}
SOL_INLINE vf vf_rint(vf a)
{
    vf r;
    for (int i = 0; i < LANES; i++) r[i] = __builtin_rintf(a[i]);
    return r;
}
SOL_INLINE vf vf_floor(vf a)
{
    vf r;
    for (int i = 0; i < LANES; i++) r[i] = __builtin_floorf(a[i]);
    return r;
}
SOL_INLINE vf vf_permute(vf a, vi at)
{
    vf r;
    for (int i = 0; i < LANES; i++) r[i] = a[at[i] & (LANES - 1)];
    return r;
}
/* LANES bytes to int32 lanes, and the low bytes back. */
SOL_INLINE vi vi_load_bytes(const uint8_t *p) { return (vi){p[0], p[1], p[2], p[3]}; }
SOL_INLINE void vi_store_bytes(uint8_t *p, vi v)
{
    for (int i = 0; i < LANES; i++) p[i] = (uint8_t)v[i];
}
