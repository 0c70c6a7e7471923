/* AArch64 NEON: 4 lanes. One instruction each in assembler rather than <arm_neon.h>, whose parsing costs more than compiling a kernel. */
#define SOL_LANES 4
SOL_VECTOR_TYPES(SOL_LANES)
#define SOL_SWAPS(step) \
    step(2, 3, 0, 1) \
    step(1, 0, 3, 2)
#define SOL_NEON1(name, instruction)                                          \
    SOL_INLINE vf name(vf a)                                                  \
    {                                                                         \
        vf r;                                                                 \
        __asm__(instruction " %0.4s, %1.4s" : "=w"(r) : "w"(a));              \
        return r;                                                             \
    }
#define SOL_NEON2(name, instruction)                                          \
    SOL_INLINE vf name(vf a, vf b)                                            \
    {                                                                         \
        vf r;                                                                 \
        __asm__(instruction " %0.4s, %1.4s, %2.4s" : "=w"(r) : "w"(a), "w"(b)); \
        return r;                                                             \
    }
SOL_NEON1(vf_sqrt, "fsqrt")
SOL_NEON1(vf_rint, "frintn")
SOL_NEON1(vf_floor, "frintm")
SOL_NEON2(vf_max, "fmax")
SOL_NEON2(vf_min, "fmin")
#define SOL_HAS_MAX /* vf_max and vf_min are one instruction */
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
SOL_INLINE vf vf_permute(vf a, vi at)
{
    const vi bytes = (at & (LANES - 1)) * 0x04040404 + 0x03020100;
    vf r;
    __asm__("tbl %0.16b, {%1.16b}, %2.16b" : "=w"(r) : "w"(a), "w"(bytes));
    return r;
}
/* LANES bytes to int32 lanes, and the low bytes back. */
SOL_INLINE vi vi_load_bytes(const uint8_t *p)
{
    int32_t bytes;
    memcpy(&bytes, p, sizeof bytes);
    vi r;
    __asm__("uxtl %0.8h, %1.8b\n\tuxtl %0.4s, %0.4h" : "=w"(r) : "w"((vi){bytes}));
    return r;
}
SOL_INLINE void vi_store_bytes(uint8_t *p, vi v)
{
    vi r;
    __asm__("xtn %0.4h, %1.4s\n\txtn %0.8b, %0.8h" : "=w"(r) : "w"(v));
    int32_t bytes = r[0];
    memcpy(p, &bytes, sizeof bytes);
}
