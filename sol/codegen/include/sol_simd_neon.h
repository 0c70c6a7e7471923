/* AArch64 NEON: vectors of 4 floats. */
#include <arm_neon.h>
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
SOL_INLINE vf vf_sqrt(vf a) { return (vf)vsqrtq_f32((float32x4_t)a); }
SOL_INLINE vf vf_rint(vf a) { return (vf)vrndnq_f32((float32x4_t)a); }
SOL_INLINE vf vf_floor(vf a) { return (vf)vrndmq_f32((float32x4_t)a); }
/* LANES bytes to int32 lanes, and back (values 0 … 255). */
SOL_INLINE vi vi_load_bytes(const uint8_t *p) { return (vi){p[0], p[1], p[2], p[3]}; }
SOL_INLINE void vi_store_bytes(uint8_t *p, vi v)
{
    for (int i = 0; i < LANES; i++) p[i] = (uint8_t)v[i];
}
