/* sort_mode: the most frequent element of every line, the smallest of several, and its last place; a NaN equals nothing.
 *   lines (split over the team): items of key and place; sorted by digits; runs of equal keys counted. */
#include "sol_dfp.h"
#include "sol_sort.h"

void sort_mode(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in0 = buf[0];
    float *values = buf[1];
    int64_t *indices = buf[2];
    const int64_t n0 = arg[0];
    const int64_t n1 = arg[1];
    const int64_t s_in0_0 = arg[2];
    (void)team; (void)buf; (void)arg;
    const int64_t rows = n0, length = n1;
    if (rows * length == 0) return;
    int64_t size = team->size;
    if (rows * length * 32 < 8192) {
        if (team->id) return;
        size = 1;
    }
    const int64_t begin = rows * team->id / size, end = rows * (team->id + 1) / size;
    if (begin == end) return;
    int64_t row = begin;
    int64_t i0 = row;

    sol_item32 *const items = (sol_item32 *)team->scratch;
    for (int64_t unit = begin; unit < end; unit++) {
        const float *x = in0 + i0 * s_in0_0;
        for (int64_t n = 0; n < length; n++) items[n] = sol_make32(sol_key_f32(*(x + n * 1)), n);
        const sol_item32 *sorted = sol_sort32(items, items + length, length);
        int64_t at = 0, most = 0, times = 0;
        for (int64_t i = 0; i < length; i++) {
            const uint32_t key = sol_key_of32(sorted[i]);
            times++;
            if (i + 1 < length && key == sol_key_of32(sorted[i + 1]) && key != UINT32_MAX) continue;
            if (times > most) {
                most = times;
                at = sol_place32(sorted[i]);
            }
            times = 0;
        }
        values[i0] = x[at * 1];
        indices[i0] = at;
        i0++;

    }
}
