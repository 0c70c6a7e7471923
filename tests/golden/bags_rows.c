/* bags_rows: sum of the rows of a table that the index names, bag by bag; float, any strides.
 *
 *   for bags (split over the team): for its rows: added up
 * A row out of range counts for nothing. */
#include "sol_dfp.h"

/* One more row of a bag. */
SOL_VECTORIZE
SOL_SCALAR void join(float *restrict to, const float *restrict row, int64_t columns, float weight)
{
    SOL_INDEPENDENT
    for (int64_t j = 0; j < columns; j++) {
        const float x = row[j], before = to[j];
        to[j] = before + x * weight;
    }
}

void bags_rows(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *table = buf[0];
    const int64_t *index = buf[1];
    const int64_t *starts = buf[2];
    const float *weights = buf[3];
    float *out = buf[4];
    const int64_t count = arg[0];
    const int64_t columns = arg[1];
    const int64_t length = arg[2];
    const int64_t bags = arg[3];
    const int64_t edges = arg[4];
    const int64_t table_r = arg[5];
    const int64_t index_n = arg[6];
    const int64_t starts_n = arg[7];
    const int64_t out_b = arg[8];
    const int64_t out_c = arg[9];
    const int64_t weights_n = arg[10];
    (void)team; (void)buf; (void)arg;
    int64_t bag, last;
    if (length * columns < 8192) {
        if (team->id) return;
        bag = 0, last = bags;
    } else
        sol_split(team, bags, &bag, &last);
    for (; bag < last; bag++) {
        float *to = out + bag * out_b;
        int64_t from = (int64_t)starts[bag * starts_n], end = bag + 1 < edges ? (int64_t)starts[(bag + 1) * starts_n] : length, found = 0;
        if (from < 0) from = 0;
        if (end > length) end = length;
        for (int64_t j = 0; j < columns; j++) to[j * out_c] = 0;
        for (int64_t i = from; i < end; i++) {
            const int64_t row = (int64_t)index[i * index_n];
            if (row < 0 || row >= count) {
                continue;
            }
            join(to, table + row * table_r, columns, weights[i * weights_n]);
            found++;
        }
        (void)found;
    }
}
