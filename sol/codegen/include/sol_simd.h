/* One vector vocabulary for every target: vf is LANES floats, vi is LANES int32 (also the mask type: -1 true, 0 false).
 * Arithmetic and comparisons are GCC vector extensions (gcc and clang); the target header adds what they cannot say.
 * The build passes -DSOL_SIMD_HEADER="sol_simd_<target>.h". */
#ifndef SOL_SIMD_H
#define SOL_SIMD_H
#include "sol_libc.h"

#ifndef SOL_SIMD_HEADER
#define SOL_SIMD_HEADER "sol_simd_generic.h"
#endif

#define SOL_INLINE static inline __attribute__((always_inline, unused))
/* Keeps the compiler from hoisting loads over a step of a hand-scheduled loop (register pressure). */
#define SOL_FENCE() __asm__ volatile("" ::: "memory")

/* Keeps the compiler from knowing how an address came about: it then follows a pointer that moves instead of holding many sums, and
 * leaves an array behind a pointer in memory, where it does not take the registers of a loop. */
#define SOL_PIN(p) __asm__("" : "+r"(p))

/* Asks for a cache line that will be written: a store to one that another core has would hold those after it up. */
#define SOL_CLAIM(p) __builtin_prefetch(p, 1)

/* Asks for the vector of that number behind p, where it begins a cache line: shorter ones come with the line before. locality: see gcc. */
#define SOL_FETCH(p, number, locality) \
    do { \
        if ((number) * LANES % 16 == 0) __builtin_prefetch((p) + (number) * LANES, 0, locality); \
    } while (0)

/* The first cache takes the lines of so many bytes, a constant. */
SOL_INLINE void sol_fetch(const void *p, size_t bytes)
{
#pragma GCC unroll 16
    for (size_t i = 0; i < bytes; i += 64) __builtin_prefetch((const char *)p + i, 0, 3);
    if (bytes % 64) __builtin_prefetch((const char *)p + bytes - 1, 0, 3);
}

#define SOL_VECTOR_TYPES(lanes)                                                                  \
    enum { LANES = lanes };                                                                      \
    typedef float vf __attribute__((vector_size(4 * lanes), may_alias));                         \
    typedef float vf_unaligned __attribute__((vector_size(4 * lanes), aligned(4), may_alias));   \
    typedef float vh __attribute__((vector_size(2 * lanes), may_alias)); /* half a vector */     \
    typedef float vh_unaligned __attribute__((vector_size(2 * lanes), aligned(4), may_alias));   \
    typedef int32_t vi __attribute__((vector_size(4 * lanes), may_alias));                       \
    typedef int32_t vi_unaligned __attribute__((vector_size(4 * lanes), aligned(4), may_alias)); \
    typedef double vd __attribute__((vector_size(4 * lanes), may_alias)); /* as many bytes, half as many numbers */ \
    typedef int64_t vl __attribute__((vector_size(4 * lanes), may_alias));                       \
    typedef uint64_t vlu __attribute__((vector_size(4 * lanes), may_alias));

#include SOL_SIMD_HEADER /* SOL_VECTOR_TYPES(n), SOL_SWAPS; vf_max_quiet, vf_min_quiet, vf_load_n, vf_store_n, vf_permute, vf_rint, vf_sqrt … */

SOL_INLINE vf vf_set(float x) { return x - (vf){0}; }
SOL_INLINE vf vf_zero(void) { return (vf){0}; }
SOL_INLINE vi vi_set(int32_t x) { return x - (vi){0}; }
SOL_INLINE vf vf_load(const float *p) { return *(const vf_unaligned *)p; }
SOL_INLINE void vf_store(float *p, vf v) { *(vf_unaligned *)p = v; }
SOL_INLINE vh vh_load(const float *p) { return *(const vh_unaligned *)p; }
SOL_INLINE vh vf_low(vf a) { vh low; memcpy(&low, &a, sizeof low); return low; }
/* Keeps the compiler from computing with a vector before it comes to this place, as it would with many at once, which then need memory. */
#ifndef SOL_SETTLE
#define SOL_SETTLE(a) ((void)0)
#endif

/* Keeps a vector that was loaded in a register: compilers that run short of registers would read it from memory at each use, and a processor
 * starts no more loads per cycle than multiply-adds. */
#ifndef SOL_HOLD
#define SOL_HOLD(v) ((void)0)
#endif
/* A number by which vectors are multiplied; sum += v * number. Where sums and vectors take all registers but one, numbers are in that one:
 * compilers would use several, and move sums through memory. */
#ifndef VF_ADD_PRODUCT
#define VF_NUMBER(name, number) const float name = (number)
#define VF_ADD_PRODUCT(sum, v, number) ((sum) += (v) * (number))
#endif

#ifndef SOL_HAS_FROM_LOW
SOL_INLINE vf vf_from_low(vh low) { vf a = {0}; memcpy(&a, &low, sizeof low); return a; } /* zero in the upper half */
#endif
#ifndef SOL_HAS_GATHER /* p[at] */
SOL_INLINE vf vf_gather(const float *p, vi at)
{
    float s[LANES];
    int32_t i[LANES];
    memcpy(i, &at, sizeof i);
    for (int j = 0; j < LANES; j++) s[j] = p[i[j]];
    return *(const vf_unaligned *)s;
}
#endif
SOL_INLINE vf vf_select(vi mask, vf a, vf b) { return (vf)((mask & (vi)a) | (~mask & (vi)b)); }
SOL_INLINE vd vd_set(double x) { return x - (vd){0}; }
SOL_INLINE vd vd_select(vl mask, vd a, vd b) { return (vd)((mask & (vl)a) | (~mask & (vl)b)); }
SOL_INLINE vf vf_abs(vf a) { return (vf)((vi)a & 0x7fffffff); }
#ifndef SOL_HAS_RANGE /* the larger magnitude */
SOL_INLINE vf vf_max_abs(vf a, vf b) { return vf_max_quiet(vf_abs(a), vf_abs(b)); }
#endif
SOL_INLINE vf vf_flip_where(vi mask, vf a) { return (vf)((vi)a ^ (mask & (int32_t)0x80000000)); }
/* Lanes of x in the order of LANES constant indices; VF_SHUFFLE the same of x and then y.
 * vf_permute(x, indices) takes indices at run time (modulo LANES). */
#if defined(__clang__) || __GNUC__ >= 12
#define VF_PERMUTE(x, ...) __builtin_shufflevector(x, x, __VA_ARGS__)
#define VF_SHUFFLE(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
#else
#define VF_PERMUTE(x, ...) __builtin_shuffle(x, (vi){__VA_ARGS__})
#define VF_SHUFFLE(x, y, ...) __builtin_shuffle(x, y, (vi){__VA_ARGS__})
#endif
SOL_INLINE vf vf_copysign(vf magnitude, vf sign) { return (vf)(((vi)magnitude & 0x7fffffff) | ((vi)sign & (int32_t)0x80000000)); }

/* max/min as torch: NaN if either operand is NaN. vf_max_quiet(a, b) gives b when either is NaN, so a constant goes first. */
#ifndef SOL_HAS_MAX
SOL_INLINE vf vf_max(vf a, vf b) { return vf_select(a != a, a, vf_max_quiet(a, b)); }
SOL_INLINE vf vf_min(vf a, vf b) { return vf_select(a != a, a, vf_min_quiet(a, b)); }
#endif
SOL_INLINE vf vf_relu(vf a) { return vf_max_quiet(vf_zero(), a); }

/* The numbers of the lanes. */
SOL_INLINE vi vi_lanes(void)
{
    static const int32_t lane[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return *(const vi_unaligned *)lane;
}
/* Lanes 0 … n-1 true. */
SOL_INLINE vi vi_first(int64_t n) { return vi_lanes() < (int32_t)n; }

/* Lane i + n (modulo LANES) in lane i, for n a power of two. */
#if SOL_LANES > 4
SOL_INLINE vf vf_rotated(vf v, int n)
{
    vi at = {0};
    for (int i = 0; i < LANES; i++) at[i] = (i + n) & (LANES - 1);
    return vf_permute(v, at);
}
#else
SOL_INLINE vf vf_rotated(vf v, int n) { return n == 2 ? VF_PERMUTE(v, 2, 3, 0, 1) : VF_PERMUTE(v, 1, 2, 3, 0); }
#endif
/* All lanes as one number: halves of the vector meet, then their halves. SOL_SWAPS(step) names for each step what comes to every lane. */
#define SOL_FOLD(name, vector, type, meet)          \
    SOL_INLINE type name(vector v)                  \
    {                                               \
        SOL_SWAPS(meet)                             \
        return v[0];                                \
    }
#define SOL_MEET_SUM(...) v += VF_PERMUTE(v, __VA_ARGS__);
SOL_FOLD(vf_sum, vf, float, SOL_MEET_SUM)
#include "sol_narrow.h" /* bfloat16: vbf_load, vbf_store, … */
#include "sol_math.h" /* vf_exp, vf_log, vf_tanh, vf_erf, vf_sigmoid, … */
#include "sol_special.h" /* vf_atan, vf_sinh, vf_erfc, vf_log2, … */
#endif
