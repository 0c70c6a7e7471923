/* Any machine: vectors of 4 floats in plain C, lowered by the compiler to whatever there is. */
SOL_VECTOR_TYPES(4)
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
    vf v = {0};
    for (int i = 0; i < LANES; i++)
        if (i < n) v[i] = p[i];
    return v;
}
SOL_INLINE void vf_store_n(float *p, vf v, int n)
{
    for (int i = 0; i < LANES; i++)
        if (i < n) p[i] = v[i];
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
/* LANES bytes to int32 lanes, and back (values 0 … 255). */
SOL_INLINE vi vi_load_bytes(const uint8_t *p) { return (vi){p[0], p[1], p[2], p[3]}; }
SOL_INLINE void vi_store_bytes(uint8_t *p, vi v)
{
    for (int i = 0; i < LANES; i++) p[i] = (uint8_t)v[i];
}
