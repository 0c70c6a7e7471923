/* Long sums in vectors: reductions, and products along long rows. After sol_simd.h. */
#ifndef SOL_SUMS_H
#define SOL_SUMS_H
#include "sol_simd.h"

/* Sums and what rounding took from them (Knuth, The Art of Computer Programming, volume 2, 4.2.2, theorem B), of vectors lane by lane or of numbers.
 * What was lost is no number where a sum became infinite, and is then left out. */
#define SOL_COMPENSATED(name, type)                                                        \
    typedef struct {                                                                       \
        type sum, lost;                                                                    \
    } name;                                                                                \
    SOL_INLINE name name##_add(name t, type x)                                             \
    {                                                                                      \
        const type sum = t.sum + x, part = sum - t.sum;                                    \
        return (name){sum, t.lost + ((t.sum - (sum - part)) + (x - part))};                \
    }                                                                                      \
    SOL_INLINE name name##_sum(name a, name b)                                             \
    {                                                                                      \
        name t = name##_add(a, b.sum);                                                     \
        t.lost += b.lost;                                                                  \
        return t;                                                                          \
    }
SOL_COMPENSATED(vw, vf)
SOL_INLINE vf vw_value(vw t) { return t.sum + vf_select(t.lost == t.lost, t.lost, vf_zero()); }
SOL_INLINE double vw_total(vw t) { return (double)vf_sum(t.sum) + (double)vf_sum(vf_select(t.lost == t.lost, t.lost, vf_zero())); }
#endif
