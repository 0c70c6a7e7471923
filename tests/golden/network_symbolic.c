/* batched
 *   in  x: f32[n,7,64]
 *   in  z: f32[n,64,30]
 *   out matmul: f32[n,7,30]
 * Target avx512; 1 launches of 1 kernels; arena set at run time bytes.
 */
#include "sol_run.h"

void matmul_7x2_in_place(const sol_team *, void *const *, const int64_t *);
static void network(const sol_team *team, const sol_call *call)
{
    void *const *in = call->inputs, *const *out = call->outputs, *const *w = call->weights;
    char *const arena = call->memory;
    (void)in, (void)out, (void)w, (void)arena;
    const int64_t n = call->dims[0];
    (void)n;
    /* matmul */
    sol_begin(team, call, 0);
    {
        void *const b[] = { (char *)in[0], (char *)in[1], (char *)out[0] };
        const int64_t a[] = { 7, 30, 64, 64, 30, 30, n, 448, 1920, 210 };
        matmul_7x2_in_place(team, b, a);
    }
    sol_end(team, call, 0);
}

__attribute__((visibility("default"))) void sol_run(const sol_call *call)
{
    sol_start(call, network);
}

/* Fetches count cache lines that the caller reads before its next call. */
__attribute__((visibility("default"))) void sol_prefetch(const void *const *lines, int64_t count)
{
    for (int64_t i = 0; i < count; i++) __builtin_prefetch(lines[i]);
}
