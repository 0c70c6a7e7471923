/* dfp_iota: start, start + step, … */
#include "sol_dfp.h"

void dfp_iota(const sol_team *team, void *const *buf, const int64_t *arg)
{
    int64_t *out0 = buf[0];
    const int64_t start = arg[0];
    const int64_t step = arg[1];
    const int64_t n0 = arg[2];
    (void)team; (void)buf; (void)arg;
    int64_t begin, end;
    sol_split(team, n0, &begin, &end);
    for (int64_t i = begin; i < end; i++) out0[i * 1] = ((int64_t)((int64_t)start + (int64_t)step * i));
}
