/* select_topk: the k largest elements of every line along one dimension, in order; of equal ones the first. NaN is the largest of all.
 *   lines (split over the team): a heap of the k best, which every further element that is better than its worst enters
 *   (looked for by vectors); then sorted. */
#include "sol_dfp.h"
typedef struct { float v; int64_t at; } item;
typedef struct { int unused; } context;

/* Whether a comes before b. */
static inline int before(const context *c, item a, item b)
{
    (void)c;
    const int na = a.v != a.v, nb = b.v != b.v;
    if (na | nb) return na == nb ? a.at < b.at : na;
    return a.v > b.v || (a.v == b.v && a.at < b.at);
}
/* A heap of n items whose root is the one that comes last: sift the item at ``at`` down to its place. */
static void sift(const context *c, item *heap, int64_t n, int64_t at)
{
    const item moved = heap[at];
    for (int64_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && before(c, heap[child], heap[child + 1])) child++;
        if (!before(c, moved, heap[child])) break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}
static void make_heap(const context *c, item *heap, int64_t n)
{
    for (int64_t at = n / 2; at-- > 0;) sift(c, heap, n, at);
}
/* A heap to a list, first item first. */
static void unmake_heap(const context *c, item *heap, int64_t n)
{
    while (n-- > 1) {
        const item last = heap[0];
        heap[0] = heap[n];
        heap[n] = last;
        sift(c, heap, n, 0);
    }
}

void select_topk(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in0 = buf[0];
    float *values = buf[1];
    int64_t *indices = buf[2];
    const int64_t n0 = arg[0];
    const int64_t n1 = arg[1];
    const int64_t s_in0_0 = arg[2];
    const int64_t s_values_0 = arg[3];
    const int64_t s_indices_0 = arg[4];
    const int64_t k = arg[5];
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

    if (k > length) return; /* no such sizes pass the checks of a call */
    const context none = {0}, *c = &none;
    item *const best = (item *)team->scratch;
    for (int64_t unit = begin; unit < end; unit++) {
        const float *x = in0 + i0 * s_in0_0;
        int64_t n = 0;
        for (; n < k; n++) best[n] = (item){*(x + n * 1), n};
        make_heap(c, best, k);
        while (k && n < length) {
            const vf worst = vf_set(best[0].v);
            for (; n + 4 * LANES <= length; n += 4 * LANES) {
                vi better = {0};
                for (int j = 0; j < 4; j++) better |= ~(vf_load(x + n + j * LANES) <= worst);
                if (vi_any(better)) break;
            }
            const int64_t stop = n + 4 * LANES < length ? n + 4 * LANES : length;
            for (; n < stop; n++) {
                const item next = {*(x + n * 1), n};
                if (!before(c, next, best[0])) continue;
                best[0] = next;
                sift(c, best, k, 0);
            }
        }
        unmake_heap(c, best, k);
        for (int64_t i = 0; i < k; i++) {
            values[i0 * s_values_0 + i * 1] = x[best[i].at * 1];
            indices[i0 * s_indices_0 + i * 1] = best[i].at;
        }
        i0++;

    }
}
