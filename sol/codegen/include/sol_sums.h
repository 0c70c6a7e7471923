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

/* Sums of many tiles, lane by lane, in double precision: to[LANES]. */
SOL_INLINE void sol_keep_sum(double *to, vf sum)
{
    ((vd *)to)[0] += vd_low(sum), ((vd *)to)[1] += vd_high(sum);
}
/* Adds a vector by what it is away from the first one of its tile. */
SOL_INLINE void sol_add_spread(vf away, vf *sum, vf *squares)
{
    *sum += away;
    *squares += away * away;
}
SOL_INLINE void sol_keep_spread_half(vd *to, vd first, vd sum, vd squares, double count)
{
    const vd all = first * count;
    to[0] += all + sum;
    to[2] += squares + first * (all + 2.0 * sum);
}
/* Adds ``count`` vectors of a tile, of which sum and squares say what they are away from the first one: to[LANES] sums of numbers, then to[LANES]
 * sums of squares. */
SOL_INLINE void sol_keep_spread(double *to, vf first, vf sum, vf squares, double count)
{
    sol_keep_spread_half((vd *)to, vd_low(first), vd_low(sum), vd_low(squares), count);
    sol_keep_spread_half((vd *)to + 1, vd_high(first), vd_high(sum), vd_high(squares), count);
}

/* Of so many vectors, lane by lane, the mean and the sum of squared distances from it (Chan, Golub and LeVeque, Updating formulae, 1979). */
typedef struct {
    double count, mean[LANES], square[LANES];
} vspread;
/* From the sums of what vectors are away from the first ones, and of its squares. */
SOL_INLINE vspread vspread_of(double count, vf first, vw away, vw square)
{
    vspread t = {.count = count};
    for (int i = 0; i < LANES && count > 0; i++) {
        const double sum = (double)away.sum[i] + (double)away.lost[i], mean = sum / count;
        t.mean[i] = (double)first[i] + mean;
        t.square[i] = (double)square.sum[i] + (double)square.lost[i] - sum * mean;
    }
    return t;
}
SOL_INLINE vspread vspread_sum(vspread a, vspread b)
{
    const double count = a.count + b.count, share = count > 0 ? b.count / count : 0;
    for (int i = 0; i < LANES; i++) {
        const double step = b.mean[i] - a.mean[i];
        a.mean[i] += step * share;
        a.square[i] += b.square[i] + step * step * share * a.count;
    }
    a.count = count;
    return a;
}
SOL_INLINE vf vspread_value(vspread t)
{
    vf v = vf_zero();
    for (int i = 0; i < LANES; i++) v[i] = (float)(t.square[i] < 0 ? 0 : t.square[i]);
    return v;
}
#endif
