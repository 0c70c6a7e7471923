/* select_unique: distinct rows of in0 [rows][columns], in lexicographic order: where each is first, which one every row is, how often each occurs.
 *   one thread: sort the row numbers, number the runs of equal rows, write. */
#include "sol_dfp.h"

typedef struct { const float *x; int64_t columns, s_row, s_column; } context;

static inline float load(const float *p) { return *(p); }

/* Negative, 0 or positive as row a is less than, equal to or greater than row b. */
static int compare(const context *c, int64_t a, int64_t b)
{
    for (int64_t j = 0; j < c->columns; j++) {
        const float u = load(c->x + a * c->s_row + j * c->s_column), v = load(c->x + b * c->s_row + j * c->s_column);
        if (u < v) return -1;
        if (u > v) return 1;
        if ((u != u) != (v != v)) return u != u ? 1 : -1;
    }
    return 0;
}
static inline int before(const context *c, int64_t a, int64_t b)
{
    const int order = compare(c, a, b);
    return order < 0 || (order == 0 && a < b);
}
/* A heap of n items whose root is the one that comes last: sift the item at ``at`` down to its place. */
static void sift(const context *c, int64_t *heap, int64_t n, int64_t at)
{
    const int64_t moved = heap[at];
    for (int64_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && before(c, heap[child], heap[child + 1])) child++;
        if (!before(c, moved, heap[child])) break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}
static void make_heap(const context *c, int64_t *heap, int64_t n)
{
    for (int64_t at = n / 2; at-- > 0;) sift(c, heap, n, at);
}
/* A heap to a list, first item first. */
static void unmake_heap(const context *c, int64_t *heap, int64_t n)
{
    while (n-- > 1) {
        const int64_t last = heap[0];
        heap[0] = heap[n];
        heap[n] = last;
        sift(c, heap, n, 0);
    }
}

void select_unique(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in0 = buf[0];
    int64_t *first = buf[1];
    int64_t *total = buf[2];
    const int64_t rows = arg[0];
    const int64_t columns = arg[1];
    const int64_t s_row = arg[2];
    const int64_t s_column = arg[3];
    const int64_t s_first = arg[4];
    (void)team; (void)buf; (void)arg;
    if (team->id) return;
    const context all = {in0, columns, s_row, s_column}, *c = &all;
    int64_t *const order = (int64_t *)team->scratch, *const group = order + rows, *const rank = group + rows;
    for (int64_t i = 0; i < rows; i++) order[i] = i;
    make_heap(c, order, rows);
    unmake_heap(c, order, rows);
    int64_t found = 0;
    for (int64_t i = 0; i < rows; i++) {
        if (i == 0 || compare(c, order[i - 1], order[i])) found++;
        group[order[i]] = found - 1;
    }
    for (int64_t i = 0; i < found; i++) rank[i] = i;
    int64_t *const times = order;
    for (int64_t i = 0; i < found; i++) times[i] = 0;
    for (int64_t i = 0; i < rows; i++) {
        const int64_t at = rank[group[i]];
        if (times[at] == 0) first[at * s_first] = i;
        times[at]++;
    }
    *total = found;
}
