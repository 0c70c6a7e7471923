/* select_nms: greedy non-maximum suppression of boxes[N][B][4] with scores[N][C][B], two corners.
 *   for image n, for class c:                                                                              (split over the team)
 *     sort the boxes that score above the limit; keep one after the other unless a kept one overlaps it
 *   barrier; then every thread writes its rows (n, c, box) behind those of the threads before it.
 * Kept boxes are in shared memory: [N * C] counts, then [N * C][limit] boxes. */
#include "sol_dfp.h"

typedef struct { const float *score; int64_t stride; } context;
typedef struct { float low[2], high[2], area; } box;

/* Whether box a comes before box b: by score, of equal ones the first; NaN last. */
static inline int before(const context *c, int64_t a, int64_t b)
{
    const float u = c->score[a * c->stride], v = c->score[b * c->stride];
    if (u != u || v != v) return (u != u) == (v != v) ? a < b : v != v;
    return u > v || (u == v && a < b);
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

static inline box load_box(const float *p, int64_t s)
{
    box r;
    for (int i = 0; i < 2; i++) {
        const float a = p[i * s], b = p[(i + 2) * s];
        r.low[i] = a < b ? a : b, r.high[i] = a < b ? b : a;
    }
    r.area = (r.high[0] - r.low[0]) * (r.high[1] - r.low[1]);
    return r;
}
/* Intersection over union; 0 if one has no area. */
static inline float overlap(const box *a, const box *b)
{
    float common = 1;
    for (int i = 0; i < 2; i++) {
        const float low = a->low[i] > b->low[i] ? a->low[i] : b->low[i], high = a->high[i] < b->high[i] ? a->high[i] : b->high[i];
        common *= high > low ? high - low : 0;
    }
    const float all = a->area + b->area - common;
    return a->area > 0 && b->area > 0 && all > 0 ? common / all : 0;
}

void select_nms(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *boxes = buf[0];
    const float *scores = buf[1];
    const int64_t *most = buf[2];
    const float *iou = buf[3];
    const float *score = buf[4];
    int64_t *out0 = buf[5];
    int64_t *total = buf[6];
    const int64_t N = arg[0];
    const int64_t C = arg[1];
    const int64_t B = arg[2];
    const int64_t limit = arg[3];
    const int64_t b_n = arg[4];
    const int64_t b_b = arg[5];
    const int64_t b_4 = arg[6];
    const int64_t s_n = arg[7];
    const int64_t s_c = arg[8];
    const int64_t s_b = arg[9];
    const int64_t s_row = arg[10];
    const int64_t s_column = arg[11];
    (void)team; (void)buf; (void)arg;
    int64_t *const counts = (int64_t *)team->shared_scratch, *const kept = counts + N * C;
    int64_t *const order = (int64_t *)team->scratch;
    const int64_t wanted = *most < 0 ? 0 : *most < limit ? *most : limit;
    int64_t begin, end;
    sol_split(team, N * C, &begin, &end);
    for (int64_t unit = begin; unit < end; unit++) {
        const float *const from = boxes + unit / C * b_n;
        const context here = {scores + unit / C * s_n + unit % C * s_c, s_b}, *c = &here;
        int64_t n = 0, found = 0, *const mine = kept + unit * limit;
        for (int64_t i = 0; i < B; i++)
            if (c->score[i * s_b] > *score || *score == -INFINITY) order[n++] = i;
        make_heap(c, order, n);
        unmake_heap(c, order, n);
        for (int64_t i = 0; i < n && found < wanted; i++) {
            const box next = load_box(from + order[i] * b_b, b_4);
            int free = 1;
            for (int64_t j = 0; j < found && free; j++) {
                const box other = load_box(from + mine[j] * b_b, b_4);
                free = !(overlap(&next, &other) > *iou);
            }
            if (free) mine[found++] = order[i];
        }
        counts[unit] = found;
    }
    sol_barrier(team);
    int64_t row = 0;
    for (int64_t unit = 0; unit < begin; unit++) row += counts[unit];
    for (int64_t unit = begin; unit < end; unit++)
        for (int64_t i = 0; i < counts[unit]; i++, row++) {
            out0[row * s_row] = unit / C;
            out0[row * s_row + s_column] = unit % C;
            out0[row * s_row + 2 * s_column] = kept[unit * limit + i];
        }
    if (team->id == team->size - 1) *total = row;
}
