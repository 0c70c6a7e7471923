/* windows
 *   in  x: f32[1,32,14,14]
 *   out reorder_4: f32[1,32,7,7]
 *   out reorder_5: f32[1,32,3,3]
 * Target avx512; 6 launches of 5 kernels; arena 65536 bytes.
 */
#include "sol_run.h"

void dfp_reorder(const sol_team *, void *const *, const int64_t *);
void conv_direct1x1_s1_2x14(const sol_team *, void *const *, const int64_t *);
void max_pool3s2(const sol_team *, void *const *, const int64_t *);
void dfp_reorder_v2(const sol_team *, void *const *, const int64_t *);
void adaptive_max_pool(const sol_team *, void *const *, const int64_t *);
static void network(const sol_team *team, const sol_call *call)
{
    void *const *in = call->inputs, *const *out = call->outputs, *const *w = call->weights;
    char *const arena = call->memory;
    (void)in, (void)out, (void)w, (void)arena;
    /* reorder_3 */
    sol_begin(team, call, 0);
    {
        void *const b[] = { (char *)in[0], arena + 0 };
        static const int64_t a[] = { 1, 2, 1, 196, 32, 6272, 3136, 1, 6272, 3136, 16, 196 };
        dfp_reorder(team, b, a);
    }
    sol_end(team, call, 0);
    /* conv */
    sol_barrier(team);
    sol_begin(team, call, 1);
    {
        void *const b[] = { arena + 0, (char *)w[0], arena + 25152 };
        static const int64_t a[] = { 1, 1, 196, 1, 2, 1, 2, 16, 1, 1, 1, 6272, 3136, 224, 224, 16, 0, 6272, 3136, 224 };
        conv_direct1x1_s1_2x14(team, b, a);
    }
    sol_end(team, call, 1);
    /* max_pool */
    sol_barrier(team);
    sol_begin(team, call, 2);
    {
        void *const b[] = { arena + 25152, arena + 53248 };
        static const int64_t a[] = { 1, 2, 1, 1, 7, 7, 1, 14, 14, 1, 3, 1, 2, 0, 1, 1, 1, 1, 6272, 3136, 0, 224, 1568, 784, 0, 112 };
        max_pool3s2(team, b, a);
    }
    sol_end(team, call, 2);
    /* reorder_4 */
    sol_barrier(team);
    sol_begin(team, call, 3);
    {
        void *const b[] = { arena + 53248, (char *)out[0] };
        static const int64_t a[] = { 1, 2, 1, 49, 32, 1568, 784, 1, 1568, 784, 16, 49 };
        dfp_reorder_v2(team, b, a);
    }
    sol_end(team, call, 3);
    /* adaptive_max_pool */
    sol_begin(team, call, 4);
    {
        void *const b[] = { arena + 25152, arena + 61440 };
        static const int64_t a[] = { 1, 2, 1, 1, 3, 3, 1, 14, 14, 6272, 3136, 0, 224, 288, 144, 0, 48 };
        adaptive_max_pool(team, b, a);
    }
    sol_end(team, call, 4);
    /* reorder_5 */
    sol_barrier(team);
    sol_begin(team, call, 5);
    {
        void *const b[] = { arena + 61440, (char *)out[1] };
        static const int64_t a[] = { 1, 2, 1, 9, 32, 288, 144, 1, 288, 144, 16, 9 };
        dfp_reorder_v2(team, b, a);
    }
    sol_end(team, call, 5);
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
