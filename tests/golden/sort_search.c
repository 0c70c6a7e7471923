/* sort_search: how many elements of a sorted line (count long, step: its stride) are less than each value; all for NaN.
 *   rows of values (split over the team): the part of the line that is left is halved without a branch. */
#include "sol_dfp.h"

void sort_search(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *line = buf[0];
    const float *values = buf[1];
    int64_t *out0 = buf[2];
    const int64_t n0 = arg[0];
    const int64_t count = arg[1];
    const int64_t step = arg[2];
    (void)team; (void)buf; (void)arg;
    const int64_t rows = 1, length = n0;
    if (rows * length == 0) return;
    int64_t size = team->size;
    if (rows * length * 32 < 8192) {
        if (team->id) return;
        size = 1;
    }
    const int64_t begin = rows * team->id / size, end = rows * (team->id + 1) / size;
    if (begin == end) return;

    for (int64_t unit = begin; unit < end; unit++) {
        const float *x = line + 0, *v = values + 0;
        int64_t *o = out0 + 0;
        for (int64_t i = 0; i < length; i++) {
            const float value = *(v + i * 1);
            int64_t at = 0, left = count;
            while (left > 0) {
                const int64_t half = (left + 1) / 2;
                const float middle = *(x + (at + half - 1) * step);
                at += !(middle >= value) ? half : 0;
                left -= half;
            }
            o[i * 1] = at;
        }

    }
}
