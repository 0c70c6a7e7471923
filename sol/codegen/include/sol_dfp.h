/* What memory-bound kernels need beyond sol_simd.h: bools in memory as masks, the first n lanes, reduction of a vector to a number. */
#ifndef SOL_DFP_H
#define SOL_DFP_H
#include "sol_int.h"
#include "sol_scalar.h"
#include "sol_simd.h"
#include "sol_sums.h"
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

/* Integers of 16 bits as int32 lanes; of n of them the others are zero. */
#define SOL_LOAD_HALVES(name, type)                                                                                 \
    SOL_INLINE vi name##_load(const type *p)                                                                        \
    {                                                                                                               \
        typedef type some __attribute__((vector_size(LANES * sizeof(type)), aligned(sizeof(type)), may_alias));     \
        return __builtin_convertvector(*(const some *)p, vi);                                                       \
    }                                                                                                               \
    SOL_INLINE vi name##_load_n(const type *p, int n)                                                               \
    {                                                                                                               \
        type v[LANES] = {0};                                                                                        \
        memcpy(v, p, (size_t)(n < LANES ? n : LANES) * sizeof *p);                                                  \
        return name##_load(v);                                                                                      \
    }                                                                                                               \
    SOL_INLINE vi name##_set(type x) { return vi_set(x); }
SOL_LOAD_HALVES(vu16, uint16_t)
SOL_LOAD_HALVES(vi16, int16_t)

#define SOL_MEET_PROD(...) v *= VF_PERMUTE(v, __VA_ARGS__);
#define SOL_MEET_MAX(...) v = vf_max(v, VF_PERMUTE(v, __VA_ARGS__));
#define SOL_MEET_MIN(...) v = vf_min(v, VF_PERMUTE(v, __VA_ARGS__));
#define SOL_MEET_ANY(...) v |= VF_PERMUTE(v, __VA_ARGS__);
#define SOL_MEET_ALL(...) v &= VF_PERMUTE(v, __VA_ARGS__);
SOL_FOLD(vf_fold_prod, vf, float, SOL_MEET_PROD)
SOL_FOLD(vf_fold_max, vf, float, SOL_MEET_MAX)
SOL_FOLD(vf_fold_min, vf, float, SOL_MEET_MIN)
SOL_FOLD(vi_fold_any, vi, int32_t, SOL_MEET_ANY)
SOL_FOLD(vi_fold_all, vi, int32_t, SOL_MEET_ALL)

SOL_COMPENSATED(sol_twin, double)
SOL_SCALAR double sol_twin_value(sol_twin t) { return t.lost == t.lost ? t.sum + t.lost : t.sum; }

/* log(e^a + e^b). */
SOL_SCALAR double sol_log_add(double a, double b)
{
    if (a == b) return a + 0.69314718055994531; /* infinities, too */
    return a > b ? a + log1p(exp(b - a)) : b + log1p(exp(a - b));
}

/* Where the largest or smallest element is: lanes of values with their places. The first of equal ones, and the first NaN, wins. */
SOL_INLINE void vi_places(int64_t *at, vi place, int64_t start)
{
    for (int i = 0; i < LANES; i++) at[i] = start + place[i];
}
#define SOL_ARG(max, sign)                                                                                      \
    /* Lanes of two running accumulators, elements of which alternate. */                                       \
    SOL_INLINE void vf_join_arg##max(vf *a, vi *at, vf b, vi place)                                             \
    {                                                                                                           \
        const vi nan = *a != *a, same = (b == *a) | ((b != b) & nan);                                           \
        const vi better = ((b sign *a) | ((b != b) & ~nan)) | (same & (place < *at));                           \
        *a = vf_select(better, b, *a);                                                                          \
        *at = (better & place) | (~better & *at);                                                               \
    }                                                                                                           \
    SOL_INLINE int64_t vf_fold_arg##max(vf a, vi at, float *best)                                               \
    {                                                                                                           \
        int best_lane = 0;                                                                                      \
        for (int i = 1; i < LANES; i++) {                                                                       \
            const float x = a[i], y = a[best_lane];                                                             \
            if (x sign y || (x != x && y == y) || ((x == y || (x != x && y != y)) && at[i] < at[best_lane]))    \
                best_lane = i;                                                                                  \
        }                                                                                                       \
        *best = a[best_lane];                                                                                   \
        return at[best_lane];                                                                                   \
    }                                                                                                           \
    /* Lanes of what later elements give into lanes of what earlier ones gave; a negative place: none. */       \
    SOL_INLINE void vf_meet_arg##max(vf *a, int64_t *at, vf b, const int64_t *place)                            \
    {                                                                                                           \
        for (int i = 0; i < LANES; i++)                                                                         \
            if (at[i] < 0 || b[i] sign (*a)[i] || (b[i] != b[i] && (*a)[i] == (*a)[i])) {                       \
                (*a)[i] = b[i];                                                                                 \
                at[i] = place[i];                                                                               \
            }                                                                                                   \
    }
SOL_ARG(max, >)
SOL_ARG(min, <)
#endif
