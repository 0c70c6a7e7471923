/* Any machine: vectors of 4 floats in plain C, lowered by the compiler to whatever there is. */
#define SOL_LANES 4
SOL_VECTOR_TYPES(SOL_LANES)
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
/* Adding 2^23 rounds to an integer; larger numbers and NaN are as they are. */
SOL_INLINE vf vf_rint(vf a)
{
    const vi sign = (vi)a & (int32_t)0x80000000;
    const vf size = (vf)((vi)a ^ sign), rounded = (size + 8388608.0f) - 8388608.0f;
    const vi small = size < 8388608.0f;
    return (vf)(((small & (vi)rounded) | (~small & (vi)size)) | sign);
}
SOL_INLINE vf vf_floor(vf a)
{
    const vf near = vf_rint(a), down = near - 1.0f;
    const vi above = near > a;
    return (vf)((above & (vi)down) | (~above & (vi)near));
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
