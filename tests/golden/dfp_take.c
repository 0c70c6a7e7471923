/* dfp_take: elements of in0 whose position along one dimension (count long, along: its stride) the index gives.
 *   rows of the result (split over the team); a negative index counts from the end; one out of range gives NAN and reads nothing. */
#include "sol_dfp.h"

void dfp_take(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in0 = buf[0];
    const int64_t *index = buf[1];
    float *out0 = buf[2];
    const int64_t count = arg[0];
    const int64_t along = arg[1];
    const int64_t n1 = arg[2];
    const int64_t s_out0_0 = arg[3];
    const int64_t n0 = arg[4];
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
        const float *x = in0 + 0;
        float *o = out0 + i0 * s_out0_0;
        int64_t at = (int64_t)index[i0];
        at += at < 0 ? count : 0;
        if (at >= 0 && at < count) {
            x += at * along;
            memcpy(o, x, (size_t)length * sizeof *o);
        } else {
            for (int64_t i = 0; i < length; i++) o[i * 1] = NAN;
        }
        i0++;

    }
}
