/* random_uniform: numbers in [0, 1), those of numpy's RandomState(seed): MT19937 (Matsumoto & Nishimura 1998), 53 bits of two draws each.
 *   one thread: every number follows from the one before. */
#include "sol_dfp.h"
#include "sol_twister.h"

enum { N = SOL_TWISTER_WORDS };
typedef struct { uint32_t key[N], numbers[N]; int at; } twister;

static void start(twister *t, uint32_t seed)
{
    for (int i = 0; i < N; i++) {
        t->key[i] = seed;
        seed = 1812433253u * (seed ^ (seed >> 30)) + (uint32_t)i + 1;
    }
    t->at = N;
}
static uint32_t draw(twister *t)
{
    if (t->at == N) {
        sol_twist(t->key);
        sol_temper(t->key, t->numbers, N);
        t->at = 0;
    }
    return t->numbers[t->at++];
}

void random_uniform(const sol_team *team, void *const *buf, const int64_t *arg)
{
    double *out0 = buf[0];
    const int64_t size = arg[0];
    const int64_t step = arg[1];
    const int64_t seed = arg[2];
    (void)team; (void)buf; (void)arg;
    if (team->id) return;
    twister t;
    start(&t, (uint32_t)seed);
    for (int64_t i = 0; i < size; i++) {
        const uint32_t a = draw(&t) >> 5, b = draw(&t) >> 6;
        out0[i * step] = (a * 67108864.0 + b) / 9007199254740992.0;
    }
}
