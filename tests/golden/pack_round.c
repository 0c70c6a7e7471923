/* A constant of float32 rounded to bfloat16, to nearest even: out[i] = in[i] for i = 0 … count - 1. Threads share it out in whole vectors. */
#include "sol_team.h"
#include "sol_simd.h"

void pack_round(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    uint16_t *out = buf[1];
    const int64_t count = arg[0];
    (void)team; (void)buf; (void)arg;
    int64_t begin, end;
    sol_split(team, (count + LANES - 1) / LANES, &begin, &end);
    for (int64_t i = begin * LANES; i < end * LANES; i += LANES) {
        if (count - i >= LANES) vbf_store(out + i, vf_load(in + i));
        else vbf_store_n(out + i, vf_load_n(in + i, (int)(count - i)), (int)(count - i));
    }
}
