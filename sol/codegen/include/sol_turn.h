/* Squares of elements of 1, 2, 4 and 8 bytes transposed in registers, by rounds of perfect shuffles. */
#ifndef SOL_TURN_H
#define SOL_TURN_H
#include "sol_pack.h"

typedef uint8_t sol_u8x16 __attribute__((vector_size(16), may_alias));
typedef uint16_t sol_u16x8 __attribute__((vector_size(16), may_alias));
typedef uint8_t sol_u8x16_unaligned __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint16_t sol_u16x8_unaligned __attribute__((vector_size(16), aligned(2), may_alias));
typedef double vd_unaligned __attribute__((vector_size(4 * LANES), aligned(8), may_alias));

enum { vf_lanes = LANES, vd_lanes = LANES / 2, sol_u8x16_lanes = 16, sol_u16x8_lanes = 8 };

/* The perfect shuffle of two vectors: lanes 0, n, 1, n + 1, … and the upper halves in the same way. */
#if defined(__clang__) || __GNUC__ >= 12
#define SOL_SHUFFLE_TWO(type, index, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SOL_SHUFFLE_TWO(type, index, a, b, ...) __builtin_shuffle(a, b, (index){__VA_ARGS__})
#endif
SOL_INLINE void sol_u8x16_zip(sol_u8x16 a, sol_u8x16 b, sol_u8x16 *low, sol_u8x16 *high)
{
    *low = SOL_SHUFFLE_TWO(sol_u8x16, sol_u8x16, a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    *high = SOL_SHUFFLE_TWO(sol_u8x16, sol_u8x16, a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}
SOL_INLINE void sol_u16x8_zip(sol_u16x8 a, sol_u16x8 b, sol_u16x8 *low, sol_u16x8 *high)
{
    *low = SOL_SHUFFLE_TWO(sol_u16x8, sol_u16x8, a, b, 0, 8, 1, 9, 2, 10, 3, 11);
    *high = SOL_SHUFFLE_TWO(sol_u16x8, sol_u16x8, a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}
SOL_INLINE void vd_zip(vd a, vd b, vd *low, vd *high)
{
#if SOL_LANES == 16
    *low = SOL_SHUFFLE_TWO(vd, vl, a, b, 0, 8, 1, 9, 2, 10, 3, 11);
    *high = SOL_SHUFFLE_TWO(vd, vl, a, b, 4, 12, 5, 13, 6, 14, 7, 15);
#elif SOL_LANES == 8
    *low = SOL_SHUFFLE_TWO(vd, vl, a, b, 0, 4, 1, 5);
    *high = SOL_SHUFFLE_TWO(vd, vl, a, b, 2, 6, 3, 7);
#else
    *low = SOL_SHUFFLE_TWO(vd, vl, a, b, 0, 2);
    *high = SOL_SHUFFLE_TWO(vd, vl, a, b, 1, 3);
#endif
}

#define SOL_TRANSPOSE(type)                                                                          \
    SOL_INLINE type type##_load(const void *p) { return *(const type##_unaligned *)p; }              \
    SOL_INLINE void type##_store(void *p, type v) { *(type##_unaligned *)p = v; }                    \
    SOL_INLINE void type##_transpose(type r[type##_lanes])                                           \
    {                                                                                                \
        type t[type##_lanes];                                                                        \
        _Pragma("GCC unroll 4")                                                                      \
        for (int round = 1; round < type##_lanes; round *= 2) {                                      \
            _Pragma("GCC unroll 8")                                                                  \
            for (int i = 0; i < type##_lanes / 2; i++)                                               \
                type##_zip(r[i], r[i + type##_lanes / 2], &t[2 * i], &t[2 * i + 1]);                 \
            _Pragma("GCC unroll 16")                                                                 \
            for (int i = 0; i < type##_lanes; i++) r[i] = t[i];                                      \
        }                                                                                            \
    }
/* Writes an aligned vector past the caches, where the compiler has such a store; sol_streamed: others may read what was written so. */
#if defined(__clang__)
SOL_INLINE void vf_stream(float *p, vf v) { __builtin_nontemporal_store(v, (vf *)p); }
#elif defined(__AVX512F__) && SOL_LANES == 16
SOL_INLINE void vf_stream(float *p, vf v) { __builtin_ia32_movntps512((void *)p, (sol_v16)v); }
#else
SOL_INLINE void vf_stream(float *p, vf v) { vf_store(p, v); }
#endif
/* Copies whole cache lines past the caches. */
SOL_INLINE void sol_stream_lines(float *to, const float *from, int64_t size)
{
#if defined(__AVX__) && SOL_LANES == 8 && !defined(__clang__)
    for (int64_t e = 0; e < size; e += LANES) __builtin_ia32_movntps256(to + e, (sol_v8)vf_load(from + e));
#else
    for (int64_t e = 0; e < size; e += LANES) vf_stream(to + e, vf_load(from + e));
#endif
}
SOL_INLINE void sol_streamed(void)
{
#ifdef __SSE__
    __builtin_ia32_sfence();
#endif
}

SOL_TRANSPOSE(sol_u8x16)
SOL_TRANSPOSE(sol_u16x8)
SOL_TRANSPOSE(vd)
#endif
