/* sort_lines: every line along one dimension in ascending order, stable, NaN as the largest; the first length of it are written.
 *   lines (split over the team): items of key and place; sorted by digits; elements fetched by their places. */
#include "sol_dfp.h"
#include "sol_sort.h"

void sort_lines(const sol_team *team, void *const *buf, const int64_t *arg)
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
        for (int64_t i = 0; i < length; i++) {
            const int64_t at = sol_place32(sorted[i]);
            values[i0 * s_values_0 + i * 1] = x[at * 1];
            indices[i0 * s_indices_0 + i * 1] = at;
        }
        i0++;

    }
}
