/* AVX2 + FMA: 8 lanes. Compiler builtins rather than <immintrin.h>, whose parsing costs more than compiling a kernel. */
#define SOL_LANES 8
#define SOL_HOLD(v) __asm__("" : "+x"(v))
#define SOL_SETTLE(a) __asm__ volatile("" : "+x"(a))
#define VF_NUMBER(name, number) register const vf name __asm__("ymm15") = (number) - (vf){0}
#define VF_ADD_PRODUCT(sum, v, number) __asm__("vfmadd231ps %2, %1, %0" : "+x"(sum) : "x"(v), "x"(number))
SOL_VECTOR_TYPES(SOL_LANES)
/* By halves, quarters and eighths: 6 to 8 cycles on AMD's Zen 3, where a store under a mask takes 14. */
SOL_INLINE void vf_store_n(float *p, vf v, int n)
{
    typedef float quad __attribute__((vector_size(16)));
    if (n >= 8) {
        *(vf_unaligned *)p = v;
        return;
    }
    quad part = {v[0], v[1], v[2], v[3]};
    if (n >= 4) {
        memcpy(p, &part, sizeof part);
        part = (quad){v[4], v[5], v[6], v[7]};
        p += 4, n -= 4;
    }
    if (n >= 2) {
        memcpy(p, &part, sizeof part / 2);
        part = (quad){part[2], part[3], part[2], part[3]};
        p += 2, n -= 2;
    }
    if (n >= 1) *p = part[0];
}
#define SOL_SWAPS(step) \
    step(4, 5, 6, 7, 0, 1, 2, 3) \
    step(2, 3, 0, 1, 6, 7, 4, 5) \
    step(1, 0, 3, 2, 5, 4, 7, 6)
#define SOL_BUILTINS (__has_builtin(__builtin_ia32_maskloadps256) && \
    __has_builtin(__builtin_ia32_maxps256) && \
    __has_builtin(__builtin_ia32_minps256) && \
    __has_builtin(__builtin_ia32_permvarsf256) && \
    __has_builtin(__builtin_ia32_roundps256) && \
    __has_builtin(__builtin_ia32_sqrtps256))
#if SOL_BUILTINS
typedef float sol_v8 __attribute__((vector_size(32)));
typedef int sol_i8 __attribute__((vector_size(32)));
SOL_INLINE sol_i8 sol_mask8(int n) { return (sol_i8){0, 1, 2, 3, 4, 5, 6, 7} < n; }
SOL_INLINE vf vf_max_quiet(vf a, vf b) { return (vf)__builtin_ia32_maxps256((sol_v8)a, (sol_v8)b); }
SOL_INLINE vf vf_min_quiet(vf a, vf b) { return (vf)__builtin_ia32_minps256((sol_v8)a, (sol_v8)b); }
SOL_INLINE vf vf_load_n(const float *p, int n) { return (vf)__builtin_ia32_maskloadps256((const sol_v8 *)p, sol_mask8(n)); }
SOL_INLINE vf vf_sqrt(vf a) { return (vf)__builtin_ia32_sqrtps256((sol_v8)a); }
SOL_INLINE vf vf_rint(vf a) { return (vf)__builtin_ia32_roundps256((sol_v8)a, 8); }
SOL_INLINE vf vf_floor(vf a) { return (vf)__builtin_ia32_roundps256((sol_v8)a, 9); }
SOL_INLINE vf vf_permute(vf a, vi at) { return (vf)__builtin_ia32_permvarsf256((sol_v8)a, (sol_i8)at); }
#if __has_builtin(__builtin_ia32_gathersiv8sf)
#define SOL_HAS_GATHER /* p[at] */
SOL_INLINE vf vf_gather(const float *p, vi at)
{
    return (vf)__builtin_ia32_gathersiv8sf((sol_v8){0}, (const float *)p, (sol_i8)at, (sol_v8)((sol_i8){0} - 1), 4);
}
#endif
#else
#include "sol_simd_avx2_intrinsics.h"
#endif
/* Bytes. Assembly, because compilers take numbers out of vectors one by one for what is an instruction or two. */
typedef struct {
    uint8_t of[8];
} __attribute__((may_alias)) sol_bytes;
typedef struct {
    uint8_t of[16];
} __attribute__((may_alias)) sol_block;
typedef int32_t sol_i4 __attribute__((vector_size(16), may_alias));
/* LANES bytes to int32 lanes, and the low bytes back. */
SOL_INLINE vi vi_load_bytes(const uint8_t *p)
{
    vi v;
    __asm__("vpmovzxbd %1, %0" : "=x"(v) : "m"(*(const sol_bytes *)p));
    return v;
}
#define SOL_NEAREST
SOL_INLINE vi vi_nearest(vf a)
{
    vi v;
    __asm__("vcvtps2dq %1, %0" : "=x"(v) : "x"(a));
    return v;
}
/* Bytes of each half of a vector by their places in it. */
SOL_INLINE vi vi_pick_bytes(vi v, vi places)
{
    __asm__("vpshufb %1, %0, %0" : "+x"(v) : "x"(places));
    return v;
}
SOL_INLINE void vi_store_bytes(uint8_t *p, vi v)
{
    const vi picked = vi_pick_bytes(v, (vi){0x0c080400, 0, 0, 0, 0x0c080400, 0, 0, 0});
    const int32_t low = picked[0], high = picked[4];
    memcpy(p, &low, 4), memcpy(p + 4, &high, 4);
}
/* sol_int.h: a dword for each of LANES channels: its bytes at p, p + step, …, of which up to four exist, the first one lowest. */
#define SOL_INTERLEAVE
SOL_INLINE sol_i4 sol_eight(const uint8_t *p)
{
    sol_i4 v;
    __asm__("vmovq %1, %0" : "=x"(v) : "m"(*(const sol_bytes *)p));
    return v;
}
SOL_INLINE vi vi_interleave_rows(const uint8_t *p, int64_t step, int64_t count)
{
    const sol_i4 none = {0};
    sol_i4 a = sol_eight(p), b = count > 1 ? sol_eight(p + step) : none, c = count > 2 ? sol_eight(p + 2 * step) : none;
    sol_i4 d = count > 3 ? sol_eight(p + 3 * step) : none, low, high;
    vi all;
    __asm__("vpunpcklbw %1, %0, %0" : "+x"(a) : "x"(b));
    __asm__("vpunpcklbw %1, %0, %0" : "+x"(c) : "x"(d));
    __asm__("vpunpcklwd %2, %1, %0" : "=x"(low) : "x"(a), "x"(c));
    __asm__("vpunpckhwd %2, %1, %0" : "=x"(high) : "x"(a), "x"(c));
    __asm__("vinserti128 $1, %2, %t1, %t0" : "=x"(all) : "x"(low), "x"(high));
    return all;
}
/* The same for LANES dwords of four bytes in a row, the first at p, p + step, …, for steps of 1 and 2. */
#define SOL_RUNS
SOL_INLINE vi vi_runs(const uint8_t *p, int64_t step)
{
    vi v;
    __asm__("vmovdqu %1, %x0\n\tvinserti128 $1, %2, %0, %0" : "=&x"(v) : "m"(*(const sol_block *)p), "m"(*(const sol_block *)(p + 4 * step)));
    const vi by_one = {0x03020100, 0x04030201, 0x05040302, 0x06050403, 0x03020100, 0x04030201, 0x05040302, 0x06050403};
    const vi by_two = {0x03020100, 0x05040302, 0x07060504, 0x09080706, 0x03020100, 0x05040302, 0x07060504, 0x09080706};
    return vi_pick_bytes(v, step == 1 ? by_one : by_two);
}
/* Sums of products of bytes and of pairs of words (sol_int.h). Assembly, because compilers disagree about the types of these builtins. */
#define SOL_MADD
#if defined(__AVXVNNI__) || defined(__AVX512VNNI__) && defined(__AVX512VL__)
#define SOL_DOT
SOL_INLINE vi vi_dot(vi sum, vi a, vi b)
{
#ifdef __AVXVNNI__
    __asm__("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum) : "x"(a), "xm"(b));
#else
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(a), "vm"(b));
#endif
    return sum;
}
SOL_INLINE vi vi_madd(vi sum, vi a, vi b)
{
#ifdef __AVXVNNI__
    __asm__("%{vex%} vpdpwssd %2, %1, %0" : "+x"(sum) : "x"(a), "xm"(b));
#else
    __asm__("vpdpwssd %2, %1, %0" : "+v"(sum) : "v"(a), "vm"(b));
#endif
    return sum;
}
#else
/* The sum is added to at once: compilers would add up the products of several steps first, and have no registers for them. */
SOL_INLINE vi vi_madd(vi sum, vi a, vi b)
{
    vi r;
    __asm__("vpmaddwd %3, %2, %1\n\tvpaddd %1, %0, %0" : "+x"(sum), "=&x"(r) : "x"(a), "xm"(b));
    return sum;
}
#endif
