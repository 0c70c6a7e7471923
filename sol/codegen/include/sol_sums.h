/* Long sums in vectors: reductions, and products along long rows. After sol_simd.h. */
#ifndef SOL_SUMS_H
#define SOL_SUMS_H
#include "sol_simd.h"

/* Sums and what rounding took from them, lane by lane (Knuth, The Art of Computer Programming, volume 2, 4.2.2, theorem B).
 * What was lost is no number where a sum became infinite, and is then left out. */
typedef struct {
    vf sum, lost;
} vw;
SOL_INLINE vw vw_add(vw t, vf x)
{
    const vf sum = t.sum + x, part = sum - t.sum;
    return (vw){sum, t.lost + ((t.sum - (sum - part)) + (x - part))};
}
SOL_INLINE vw vw_sum(vw a, vw b)
{
    vw t = vw_add(a, b.sum);
    t.lost += b.lost;
    return t;
}
SOL_INLINE vf vw_value(vw t) { return t.sum + vf_select(t.lost == t.lost, t.lost, vf_zero()); }
SOL_INLINE double vw_total(vw t) { return (double)vf_sum(t.sum) + (double)vf_sum(vf_select(t.lost == t.lost, t.lost, vf_zero())); }
#endif
