/* random_uniform: numbers in [0, 1), those of numpy's RandomState(seed): MT19937 (Matsumoto & Nishimura 1998), 53 bits of two draws each.
 *   one thread: every number follows from the one before. */
#include "sol_dfp.h"

enum { N = 624, M = 397 };
typedef struct { uint32_t key[N]; int at; } twister;

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
        for (int i = 0; i < N; i++) {
            const uint32_t y = (t->key[i] & 0x80000000u) | (t->key[(i + 1) % N] & 0x7fffffffu);
            t->key[i] = t->key[(i + M) % N] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0);
        }
        t->at = 0;
    }
    uint32_t y = t->key[t->at++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
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
