/* pool_global: mean over whole maps, NCHW16c to NCHW16c, float32.
 *
 *   for n, for channel block c:                        (split over the team)
 *     for row (z, y), for column: 8 independent sums
 *     join them, pointwise epilogue, store
 */
#include "sol_simd.h"
#include "sol_team.h"

#define REDUCE(a, b) ((a) + (b))
#define START vf_zero()

void pool_global(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    float *out = buf[1];
    const int64_t N = arg[0];
    const int64_t CB = arg[1];
    const int64_t ID = arg[2];
    const int64_t IH = arg[3];
    const int64_t IW = arg[4];
    const int64_t in_n = arg[5];
    const int64_t in_b = arg[6];
    const int64_t in_z = arg[7];
    const int64_t in_y = arg[8];
    const int64_t out_n = arg[9];
    const int64_t out_b = arg[10];
    const int64_t divisor = arg[11];
    (void)team; (void)buf; (void)arg;
    int64_t unit, last;
    sol_split(team, N * CB, &unit, &last);
    for (; unit < last; unit++) {
        const int64_t c = unit % CB, n = unit / CB;
        vf a0 = START, a1 = START, a2 = START, a3 = START, a4 = START, a5 = START, a6 = START, a7 = START;
        for (int64_t z = 0; z < ID; z++)
            for (int64_t y = 0; y < IH; y++) {
                const float *p = in + n * in_n + c * in_b + z * in_z + y * in_y;
                int64_t x = 0;
                for (; x + 8 <= IW; x += 8, p += 8 * LANES) {
                    a0 = REDUCE(a0, vf_load(p + 0 * LANES));
                    a1 = REDUCE(a1, vf_load(p + 1 * LANES));
                    a2 = REDUCE(a2, vf_load(p + 2 * LANES));
                    a3 = REDUCE(a3, vf_load(p + 3 * LANES));
                    a4 = REDUCE(a4, vf_load(p + 4 * LANES));
                    a5 = REDUCE(a5, vf_load(p + 5 * LANES));
                    a6 = REDUCE(a6, vf_load(p + 6 * LANES));
                    a7 = REDUCE(a7, vf_load(p + 7 * LANES));
                }
                for (; x < IW; x++, p += LANES) a0 = REDUCE(a0, vf_load(p));
            }
        a0 = REDUCE(a0, a4);
        a1 = REDUCE(a1, a5);
        a2 = REDUCE(a2, a6);
        a3 = REDUCE(a3, a7);
        a0 = REDUCE(a0, a2);
        a1 = REDUCE(a1, a3);
        a0 = REDUCE(a0, a1);
        a0 *= vf_set(1.0f / (float)divisor);
        vf_store(out + n * out_n + c * out_b, a0);
    }
}
