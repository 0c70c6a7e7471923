/* sort_select: what stands at one place of every line in order (the lower middle), and where it is.
 *   lines (split over the team): items of key and place; parted until the wanted one is found. */
#include "sol_dfp.h"
#include "sol_sort.h"

void sort_select(const sol_team *team, void *const *buf, const int64_t *arg)
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
    if (rows * length * 16 < 8192) {
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
        int64_t missing = 0, first = -1;
        for (int64_t n = 0; n < length; n++) {
            items[n] = sol_make32(sol_key_f32(*(x + n * 1)), n);
            const int absent = sol_key_of32(items[n]) == UINT32_MAX;
            if (absent && first < 0) first = n;
            missing += absent;
        }
        const int64_t at = missing ? first : sol_place32(sol_select32(items, length, (length - 1) / 2));
        values[i0] = x[at * 1];
        indices[i0] = at;
        i0++;

    }
}
