/* select_nonzero: indices of the elements that are not zero, in row-major order, and their number.
 *   every thread counts its part of the elements; barrier; then writes behind those that the threads before it found. */
#include "sol_dfp.h"

void select_nonzero(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in0 = buf[0];
    int64_t *out0 = buf[1];
    int64_t *total = buf[2];
    const int64_t n0 = arg[0];
    const int64_t n1 = arg[1];
    const int64_t s0 = arg[2];
    const int64_t s1 = arg[3];
    const int64_t s_row = arg[4];
    const int64_t s_column = arg[5];
    (void)team; (void)buf; (void)arg;
    int64_t begin, end, found = 0;
    int64_t *const counts = (int64_t *)team->shared_scratch;
    sol_split(team, n0 * n1, &begin, &end);
    for (int pass = 0; pass < 2; pass++) {
        int64_t i0, i1, rest = begin;
        i1 = n1 ? rest % n1 : 0;
        rest = n1 ? rest / n1 : 0;
        i0 = n0 ? rest % n0 : 0;
        rest = n0 ? rest / n0 : 0;
        for (int64_t unit = begin; unit < end; unit++) {
            const float v = in0[i0 * s0 + i1 * s1];
            if (v != 0) {
                if (pass) {
                    out0[found * s_row + 0 * s_column] = i0;
                    out0[found * s_row + 1 * s_column] = i1;
                }
                found++;
            }
            if (++i1 < n1) continue;
            i1 = 0;
            i0++;
        }
        if (pass) break;
        counts[team->id] = found;
        sol_barrier(team);
        found = 0;
        for (int t = 0; t < team->id; t++) found += counts[t];
    }
    if (team->id == team->size - 1) *total = found;
}
