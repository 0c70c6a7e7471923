/* looped
 *   in  limit: i64[]
 *   in  x: f32[3]
 *   in  xs: f32[6,3]
 *   out loop: f32[3]
 *   out loop#1: f32[u_0,3]
 *   out loop#2: i64[]
 * Target avx512; 3 launches of 3 kernels; arena 4096 bytes.
 */
#include "sol_run.h"

void dfp_mul_add_add_sum(const sol_team *, void *const *, const int64_t *);
void dfp_lt(const sol_team *, void *const *, const int64_t *);
void dfp_copy(const sol_team *, void *const *, const int64_t *);
static void network(const sol_team *team, const sol_call *call)
{
    void *const *in = call->inputs, *const *out = call->outputs, *const *w = call->weights;
    char *const arena = call->memory;
    (void)in, (void)out, (void)w, (void)arena;

    /* loop */
    sol_barrier(team);
    int64_t c0_round = 0;
    uint8_t c0_flag = *(const uint8_t *)((char *)w[0]);
    const int64_t c0_limit = *(const int64_t *)((char *)in[0]);
    char *c0_state0 = (char *)in[1], *c0_next0 = arena + 0;
    for (; c0_round < c0_limit && c0_flag; c0_round++) {
        char *const c0_slice0 = (char *)in[2] + c0_round * (12);
        (void)c0_slice0;
        char *const c0_out0 = (char *)out[1] + c0_round * (12);
        (void)c0_out0;
        /* loop/body/mul_add_add_sum */
        sol_begin(team, call, 0);
        {
            void *const b[] = { c0_state0, (char *)w[1], c0_slice0, (char *)in[1], c0_next0, arena + 64 };
            static const int64_t a[] = { 3 };
            dfp_mul_add_add_sum(team, b, a);
        }
        sol_end(team, call, 0);
        /* loop/body/lt_1 */
        sol_barrier(team);
        sol_begin(team, call, 1);
        {
            void *const b[] = { arena + 64, arena + 128 };
            static const int64_t a[] = { 1 };
            dfp_lt(team, b, a);
        }
        sol_end(team, call, 1);
        /* loop/body/copy_1 */
        sol_begin(team, call, 2);
        {
            void *const b[] = { c0_state0, c0_out0 };
            static const int64_t a[] = { 3 };
            dfp_copy(team, b, a);
        }
        sol_end(team, call, 2);
        sol_barrier(team);
        c0_flag = *(const uint8_t *)(arena + 128);
        sol_barrier(team);
        c0_state0 = c0_next0;
        c0_next0 = c0_state0 == arena + 0 ? (char *)out[0] : arena + 0;
    }
    sol_copy(team, (char *)out[0], c0_state0, 12);
    if (team->id == 0) *(int64_t *)((char *)out[2]) = c0_round;
    sol_barrier(team);
    const int64_t u_0 = c0_round;
    (void)u_0;
    if (team->id == 0) ((int64_t *)call->dims)[0] = u_0;
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
