/* One vector vocabulary for every target: vf is LANES floats, vi is LANES int32 (also the mask type: -1 true, 0 false).
 * Arithmetic and comparisons are GCC vector extensions (gcc and clang); the target header adds what they cannot say.
 * The build passes -DSOL_SIMD_HEADER="sol_simd_<target>.h". */
#ifndef SOL_SIMD_H
#define SOL_SIMD_H
#include <stdint.h>
#include <stddef.h>
#include <math.h>
#include <string.h>

#ifndef SOL_SIMD_HEADER
#define SOL_SIMD_HEADER "sol_simd_generic.h"
#endif

#define SOL_INLINE static inline __attribute__((always_inline, unused))
/* Keeps the compiler from hoisting loads over a step of a hand-scheduled loop (register pressure). */
#define SOL_FENCE() __asm__ volatile("" ::: "memory")

/* Keeps the compiler from knowing how an address came about: it then follows a pointer that moves instead of holding many sums. */
#define SOL_PIN(p) __asm__("" : "+r"(p))

/* Asks for a cache line that will be written: a store to one that another core has would hold those after it up. */
#define SOL_CLAIM(p) __builtin_prefetch(p, 1)

#define SOL_VECTOR_TYPES(lanes)                                                                  \
    enum { LANES = lanes };                                                                      \
    typedef float vf __attribute__((vector_size(4 * lanes), may_alias));                         \
    typedef float vf_unaligned __attribute__((vector_size(4 * lanes), aligned(4), may_alias));   \
    typedef float vh __attribute__((vector_size(2 * lanes), may_alias)); /* half a vector */     \
    typedef float vh_unaligned __attribute__((vector_size(2 * lanes), aligned(4), may_alias));   \
    typedef int32_t vi __attribute__((vector_size(4 * lanes), may_alias));                       \
    typedef int32_t vi_unaligned __attribute__((vector_size(4 * lanes), aligned(4), may_alias));

#include SOL_SIMD_HEADER /* SOL_VECTOR_TYPES(n); vf_max_quiet, vf_min_quiet, vf_load_n, vf_store_n, vf_permute, vf_rint, vf_sqrt … */

SOL_INLINE vf vf_set(float x) { return x - (vf){0}; }
SOL_INLINE vf vf_zero(void) { return (vf){0}; }
SOL_INLINE vi vi_set(int32_t x) { return x - (vi){0}; }
SOL_INLINE vf vf_load(const float *p) { return *(const vf_unaligned *)p; }
SOL_INLINE void vf_store(float *p, vf v) { *(vf_unaligned *)p = v; }
SOL_INLINE vh vh_load(const float *p) { return *(const vh_unaligned *)p; }
SOL_INLINE vh vf_low(vf a) { vh low; memcpy(&low, &a, sizeof low); return low; }
#ifndef SOL_HAS_FROM_LOW
SOL_INLINE vf vf_from_low(vh low) { vf a = {0}; memcpy(&a, &low, sizeof low); return a; } /* zero in the upper half */
#endif
SOL_INLINE vf vf_select(vi mask, vf a, vf b) { return (vf)((mask & (vi)a) | (~mask & (vi)b)); }
SOL_INLINE vf vf_abs(vf a) { return (vf)((vi)a & 0x7fffffff); }
SOL_INLINE vf vf_flip(vf a, int32_t sign) { return (vf)((vi)a ^ vi_set(sign)); } /* -a where sign is INT32_MIN, a where it is 0 */
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

SOL_INLINE float vf_sum(vf v)
{
    if (LANES == 4) return (v[0] + v[2]) + (v[1] + v[3]); /* in registers */
    float s[LANES];
    memcpy(s, &v, sizeof s);
    for (int n = LANES / 2; n; n /= 2)
        for (int i = 0; i < n; i++) s[i] += s[i + n];
    return s[0];
}
#include "sol_math.h" /* vf_exp, vf_log, vf_tanh, vf_erf, vf_sigmoid, … */
#endif
