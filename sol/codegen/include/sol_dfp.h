/* What memory-bound kernels need beyond sol_simd.h: bools in memory as masks, the first n lanes, reduction of a vector to a number. */
#ifndef SOL_DFP_H
#define SOL_DFP_H
#include "sol_scalar.h"
#include "sol_simd.h"
#include "sol_team.h"

/* Lanes 0 … n-1 true. */
SOL_INLINE vi vi_first(int64_t n)
{
    static const int32_t lane[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return *(const vi_unaligned *)lane < (int32_t)n;
}

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
SOL_INLINE int vi_any(vi mask)
{
    int64_t part[LANES / 2], any = 0;
    memcpy(part, &mask, sizeof part);
    for (int i = 0; i < LANES / 2; i++) any |= part[i];
    return any != 0;
}
SOL_INLINE vi vb_set(uint8_t b) { return vi_set(-(b != 0)); }

#define SOL_FOLD(name, vector, type, combine)                          \
    SOL_INLINE type name(vector v)                                     \
    {                                                                  \
        type s[LANES];                                                 \
        memcpy(s, &v, sizeof s);                                       \
        for (int n = LANES / 2; n; n /= 2)                             \
            for (int i = 0; i < n; i++) {                              \
                type a = s[i], b = s[i + n];                           \
                s[i] = combine;                                        \
            }                                                          \
        return s[0];                                                   \
    }
SOL_FOLD(vf_fold_sum, vf, float, a + b)
SOL_FOLD(vf_fold_prod, vf, float, a * b)
SOL_FOLD(vf_fold_max, vf, float, a > b || a != a ? a : b)
SOL_FOLD(vf_fold_min, vf, float, a < b || a != a ? a : b)
SOL_FOLD(vi_fold_any, vi, int32_t, (a | b) != 0)
SOL_FOLD(vi_fold_all, vi, int32_t, a != 0 && b != 0)
#endif
