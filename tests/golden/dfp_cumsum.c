/* dfp_cumsum: running sums along one dimension.
 *   for groups of TOGETHER lines (split over the team): element by element, one line's sum while that of another is under way. */
#include "sol_dfp.h"

enum { TOGETHER = 4 };

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

    const float *x[TOGETHER];
    float *o[TOGETHER];
    int count = 0;
    for (int64_t unit = begin; unit < end; unit++) {
        x[count] = in0 + i0 * s_in0_0;
        o[count] = out0 + i0 * s_out0_0;
        if (++count == TOGETHER) {
            const float *x0 = x[0];
            float *o0 = o[0];
            double total0 = 0;
            const float *x1 = x[1];
            float *o1 = o[1];
            double total1 = 0;
            const float *x2 = x[2];
            float *o2 = o[2];
            double total2 = 0;
            const float *x3 = x[3];
            float *o3 = o[3];
            double total3 = 0;
            for (int64_t i = 0; i < length; i++) {
                const float v0 = x0[i * 1];
                total0 += v0;
                o0[i * 1] = total0;
                const float v1 = x1[i * 1];
                total1 += v1;
                o1[i * 1] = total1;
                const float v2 = x2[i * 1];
                total2 += v2;
                o2[i * 1] = total2;
                const float v3 = x3[i * 1];
                total3 += v3;
                o3[i * 1] = total3;
            }
            count = 0;
        }
        i0++;

    }
    for (int k = 0; k < count; k++) {
        double total = 0;
        for (int64_t i = 0; i < length; i++) {
            const float v = x[k][i * 1];
            total += v;
            o[k][i * 1] = total;
        }
    }
}
