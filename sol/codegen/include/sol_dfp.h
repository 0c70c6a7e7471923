/* What memory-bound kernels need beyond sol_simd.h: bools in memory as masks, the first n lanes, reduction of a vector to a number. */
#ifndef SOL_DFP_H
#define SOL_DFP_H
#include "sol_scalar.h"
#include "sol_simd.h"
#include "sol_team.h"

/* LANES bools (one byte each) as a mask, and back. */
SOL_INLINE vi vb_load(const uint8_t *p) { return vi_load_bytes(p) != 0; }
SOL_INLINE void vb_store(uint8_t *p, vi mask) { vi_store_bytes(p, mask & 1); }
SOL_INLINE vi vb_load_n(const uint8_t *p, int n)
{
    uint8_t b[LANES] = {0};
    memcpy(b, p, (size_t)n);
    return vb_load(b);
}
SOL_INLINE void vb_store_n(uint8_t *p, vi mask, int n)
{
    uint8_t b[LANES];
    vb_store(b, mask);
    memcpy(p, b, (size_t)n);
}
SOL_INLINE vi vb_set(uint8_t b) { return vi_set(-(b != 0)); }

/* n integers of 8 to 32 bits as int32 lanes; the others are zero. */
#define SOL_LOAD_INTEGERS(name, type)                                  \
    SOL_INLINE vi name(const type *p, int n)                           \
    {                                                                  \
        typedef type some __attribute__((vector_size(LANES * sizeof(type)), aligned(sizeof(type)), may_alias)); \
        if (n == LANES) return __builtin_convertvector(*(const some *)p, vi); \
        type v[LANES] = {0};                                           \
        memcpy(v, p, (size_t)n * sizeof *p);                           \
        return __builtin_convertvector(*(const some *)v, vi);          \
    }
SOL_INLINE vi vi_load_u8(const uint8_t *p, int n)
{
    if (n == LANES) return vi_load_bytes(p);
    uint8_t b[LANES] = {0};
    memcpy(b, p, (size_t)n);
    return vi_load_bytes(b);
}
SOL_LOAD_INTEGERS(vi_load_i8, int8_t)
SOL_LOAD_INTEGERS(vi_load_u16, uint16_t)
SOL_LOAD_INTEGERS(vi_load_i16, int16_t)
SOL_INLINE vi vi_load_i32(const int32_t *p, int n)
{
    vf v = n == LANES ? vf_load((const float *)p) : vf_load_n((const float *)p, n);
    return (vi)v;
}

/* A vector reduced to a number: halves are combined until one lane is left. */
#define SOL_FOLD(name, combine)                                        \
    SOL_INLINE float name(vf a)                                        \
    {                                                                  \
        for (int n = LANES / 2; n; n /= 2) {                           \
            const vf b = vf_rotated(a, n);                             \
            a = combine;                                               \
        }                                                              \
        return a[0];                                                   \
    }
SOL_FOLD(vf_fold_sum, a + b)
SOL_FOLD(vf_fold_prod, a * b)
SOL_FOLD(vf_fold_max, vf_max(a, b))
SOL_FOLD(vf_fold_min, vf_min(a, b))
SOL_INLINE int32_t vi_fold_any(vi mask) { return vi_any(mask) != 0; }
SOL_INLINE int32_t vi_fold_all(vi mask) { return !vi_any(~mask); }
#endif
