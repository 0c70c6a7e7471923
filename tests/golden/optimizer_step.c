/* One step of adam (amsgrad) over many tensors: each parameter and each state is read and written once.
 *
 *   tensors[t] = parameter, gradient, two or three states, count of steps (addresses), elements, elements before, whether it has no state yet
 *   numbers[t] = lr, beta1, beta2, eps, weight decay
 *
 * Elements of all tensors, one behind the other, are shared out evenly among the threads.
 */
#include "sol_simd.h"
#include "sol_team.h"

enum { STEP = 16, COLUMNS = 9, NUMBERS = 5 }; /* elements between which threads may part; columns of the tables */

typedef struct {
    vf keep1, add1, keep2, add2, size, root, eps, decay;
} factors;

SOL_INLINE void update(vf *p, vf g, vf *m, vf *v, vf *largest, const factors *f)
{
    g = -g;
    *p *= f->decay;
    *m = f->keep1 * *m + f->add1 * g;
    *v = f->keep2 * *v + f->add2 * g * g;
    *largest = vf_max(*largest, *v);
    const vf second = *largest;
    *p -= f->size * *m / (vf_sqrt(second) / f->root + f->eps);
}
/* n elements of a tensor from i on. */
SOL_INLINE void some(const int64_t *tensor, const factors *f, int64_t i, int n)
{
#define LOAD(at) (n == LANES ? vf_load((const float *)tensor[at] + i) : vf_load_n((const float *)tensor[at] + i, n))
#define STORE(at, x) n == LANES ? vf_store((float *)tensor[at] + i, x) : vf_store_n((float *)tensor[at] + i, x, n)
    vf p = LOAD(0), g = LOAD(1);
    vf m = LOAD(2), v = LOAD(3), largest = LOAD(4);
    update(&p, g, &m, &v, &largest, f);
    STORE(2, m), STORE(3, v);
    STORE(4, largest);
    STORE(0, p);
}

/* Elements i … end - 1 of a tensor. */
static void run(const int64_t *tensor, const factors *f, int64_t i, int64_t end)
{
    const factors own = *f;
    int64_t row[COLUMNS];
    memcpy(row, tensor, sizeof row);
    for (; i + LANES <= end; i += LANES) some(row, &own, i, LANES);
    if (i < end) some(row, &own, i, (int)(end - i));
}

static factors factors_of(const int64_t *tensor, const double *x)
{
    factors f;
    const double step = *(const float *)tensor[5] + 1.0;
    f.keep1 = vf_set((float)x[1]), f.add1 = vf_set((float)(1 - x[1]));
    f.keep2 = vf_set((float)x[2]), f.add2 = vf_set((float)(1 - x[2]));
    f.size = vf_set((float)(x[0] / (1 - pow(x[1], step))));
    f.root = vf_set((float)sqrt(1 - pow(x[2], step)));
    f.eps = vf_set((float)x[3]);
    f.decay = vf_set((float)(1 - x[0] * x[4]));
    return f;
}

/* Where a share that ends before this element of all ends within a tensor. */
static int64_t border(int64_t element, const int64_t *tensor)
{
    const int64_t at = (element - tensor[7] + STEP - 1) / STEP * STEP;
    return at < 0 ? 0 : at < tensor[6] ? at : tensor[6];
}

void optimizer_step(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const int64_t *tensors = buf[0];
    const double *numbers = buf[1];
    const int64_t count = arg[0];
    const int64_t total = arg[1];
    (void)team; (void)buf; (void)arg;
    int64_t begin, end;
    sol_split(team, total, &begin, &end);
    for (int64_t t = 0; t < count; t++) {
        const int64_t *tensor = tensors + t * COLUMNS;
        if (tensor[7] + tensor[6] <= begin) continue;
        if (tensor[7] >= end) break;
        const int64_t first = begin <= tensor[7] ? 0 : border(begin, tensor);
        const int64_t last = end >= tensor[7] + tensor[6] ? tensor[6] : border(end, tensor);
        if (first >= last) continue;
        const factors f = factors_of(tensor, numbers + t * NUMBERS);
        run(tensor, &f, first, last);
    }
    sol_barrier(team); /* counts are read until here */
    if (team->id == 0)
        for (int64_t t = 0; t < count; t++) *(float *)tensors[t * COLUMNS + 5] += 1;
}
