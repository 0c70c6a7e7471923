/* sort_running: the largest element of every line up to each place, and where it is: the last of equal ones, the last NaN.
 *   lines (split over the team), walked from end to end */
#include "sol_dfp.h"

void sort_running(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in0 = buf[0];
    float *values = buf[1];
    int64_t *indices = buf[2];
    const int64_t n0 = arg[0];
    const int64_t n1 = arg[1];
    const int64_t s_in0_0 = arg[2];
    const int64_t s_values_0 = arg[3];
    const int64_t s_indices_0 = arg[4];
    (void)team; (void)buf; (void)arg;
    const int64_t rows = n0, length = n1;
    if (rows * length == 0) return;
    int64_t size = team->size;
    if (rows * length * 2 < 8192) {
        if (team->id) return;
        size = 1;
    }
    const int64_t begin = rows * team->id / size, end = rows * (team->id + 1) / size;
    if (begin == end) return;
    int64_t row = begin;
    int64_t i0 = row;

    for (int64_t unit = begin; unit < end; unit++) {
        const float *x = in0 + i0 * s_in0_0;
        float held = x[0];
        float best = *(x);
        int64_t at = 0;
        for (int64_t n = 0; n < length; n++) {
            const float v = *(x + n * 1);
            if (v >= best || v != v) {
                best = v;
                at = n;
                held = x[n * 1];
            }
            values[i0 * s_values_0 + n * 1] = held;
            indices[i0 * s_indices_0 + n * 1] = at;
        }
        i0++;

    }
}
