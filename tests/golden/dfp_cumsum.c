/* dfp_cumsum: running sums along one dimension; lines are split over the team. */
#include "sol_dfp.h"

void dfp_cumsum(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in0 = buf[0];
    float *out0 = buf[1];
    const int64_t n1 = arg[0];
    const int64_t s_in0_0 = arg[1];
    const int64_t s_out0_0 = arg[2];
    const int64_t n0 = arg[3];
    (void)team; (void)buf; (void)arg;
    const int64_t rows = n0, length = n1;
    if (rows * length == 0) return;
    int64_t size = team->size;
    if (rows * length * 4 < 8192) {
        if (team->id) return;
        size = 1;
    }
    const int64_t begin = rows * team->id / size, end = rows * (team->id + 1) / size;
    if (begin == end) return;
    int64_t row = begin;
    int64_t i0 = row;

    for (int64_t unit = begin; unit < end; unit++) {
        const float *x = in0 + i0 * s_in0_0;
        float *o = out0 + i0 * s_out0_0;
        double total = 0;
        for (int64_t i = 0; i < length; i++) {
            const float v = x[i * 1];
            total += v;
            o[i * 1] = total;
        }
        i0++;

    }
}
