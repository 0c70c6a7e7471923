/* dfp_scatter: updates written over (or combined with) the elements of out0 whose position along one dimension (count long, along: its
 * stride) the index gives.
 *   lines of the updates (split over the team): update after update; a negative index counts from the end; one out of range is skipped. */
#include "sol_dfp.h"

void dfp_scatter(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const int64_t *index = buf[0];
    const float *updates = buf[1];
    float *out0 = buf[2];
    const int64_t count = arg[0];
    const int64_t along = arg[1];
    const int64_t n0 = arg[2];
    const int64_t n1 = arg[3];
    const int64_t s_index_1 = arg[4];
    const int64_t s_updates_1 = arg[5];
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
        float *o = out0 + i0;
        for (int64_t i = 0; i < length; i++) {
            int64_t at = (int64_t)index[i0 + i * s_index_1];
            at += at < 0 ? count : 0;
            if (at < 0 || at >= count) continue;
            float *to = o + at * along;
            const float *from = updates + i0 + i * s_updates_1;
            const float t0 = *(to);
            const float t1 = *(from);
            const float t2 = t0 + t1;
            *(to) = t2;
        }
        i0++;

    }
}
