/* dfp_scatter: updates written over (or combined with) the elements of out0 whose position along one dimension (count long, along: its
 * stride) the index gives; a negative index counts from the end; one out of range is skipped.
 *   lines of the updates, and parts of their rows (split over the team): row after row of n0 elements, each at a place of its own.
 */
#include "sol_dfp.h"

void dfp_scatter(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const int64_t *index = buf[0];
    const float *updates = buf[1];
    float *out0 = buf[2];
    const int64_t count = arg[0];
    const int64_t along = arg[1];
    const int64_t n1 = arg[2];
    const int64_t n0 = arg[3];
    const int64_t s_index_1 = arg[4];
    const int64_t s_updates_1 = arg[5];
    (void)team; (void)buf; (void)arg;
    const int64_t rows = 1, length = n1;
    const int64_t parts = n0 >= 32 * team->size ? team->size : 1;
    int64_t begin, end;
    sol_split(team, rows * parts, &begin, &end);
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t part = unit % parts;
        float *o = out0 + 0;
        const int64_t from_column = n0 * part / parts, to_column = n0 * (part + 1) / parts;
        for (int64_t i = 0; i < length; i++) {
            for (int64_t j = from_column; j < to_column; j++) {
                uint64_t at = (uint64_t)index[0 + i * s_index_1 + j];
                if (at >= (uint64_t)count && (at += (uint64_t)count, at >= (uint64_t)count)) continue;
                float *to = o + at * along;
                const float *from = updates + 0 + i * s_updates_1;
                const float t0 = *(from + j);
                const float t1 = *(to + j);
                const float t2 = t1 + t0;
                *(to + j) = t2;
            }
        }
    }
}
