/* random_fresh: numbers in [0, 1), others at every call: element i is a hash of (stream, call, i) (splitmix64, Steele et al. 2014).
 *   the first thread counts the call; barrier; elements are split over the team. */
#include "sol_dfp.h"

uint64_t random_fresh_calls; /* of all contexts of the process */

static inline uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void random_fresh(const sol_team *team, void *const *buf, const int64_t *arg)
{
    double *out0 = buf[0];
    const int64_t size = arg[0];
    const int64_t step = arg[1];
    const int64_t stream = arg[2];
    (void)team; (void)buf; (void)arg;
    uint64_t *const call = (uint64_t *)team->shared_scratch;
    if (!team->id) *call = __atomic_fetch_add(&random_fresh_calls, 1, __ATOMIC_RELAXED);
    sol_barrier(team);
    const uint64_t key = mix(mix((uint64_t)stream * 0x9e3779b97f4a7c15u + 1) + *call);
    int64_t begin, end;
    sol_split(team, size, &begin, &end);
    for (int64_t i = begin; i < end; i++)
        out0[i * step] = (double)(mix(key + ((uint64_t)i + 1) * 0x9e3779b97f4a7c15u) >> 11) / 9007199254740992.0;
}
