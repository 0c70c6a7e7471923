/* A matrix of K x N numbers, in[k * in_k + n * in_n], as parts of bfloat16 (sol_parts.h): [slice][panel of 32 columns][step of 32][part][tile][16][16 pairs], zeros beyond K and N. A slice is so many steps.
 *
 * An infinity's first part is itself and NaN's is NaN, the others are zero; no other number is rounded to infinity.
 * Threads share out steps of panels.
 */
#include "sol_team.h"

enum { SIDE = 16, STEP = 2 * SIDE, PARTS = 3, TILE = SIDE * 2 * SIDE };

static inline void take_apart(uint32_t bits, uint16_t *to, int64_t part_step)
{
    const uint32_t infinite = 0x7f800000u;
    if ((bits & infinite) == infinite) {
        to[0] = (uint16_t)(bits >> 16 | ((bits & 0x7fffffu) != 0) << 6), to[part_step] = to[2 * part_step] = 0;
        return;
    }
    uint32_t upper = (bits + 0x8000u) & 0xffff0000u;
    if ((upper & infinite) == infinite) upper = bits & 0xffff0000u;
    float x, part;
    memcpy(&x, &bits, sizeof x), memcpy(&part, &upper, sizeof part);
    to[0] = (uint16_t)(upper >> 16);
    x -= part;
    memcpy(&bits, &x, sizeof x);
    upper = (bits + 0x8000u) & 0xffff0000u;
    memcpy(&part, &upper, sizeof part);
    to[part_step] = (uint16_t)(upper >> 16);
    x -= part;
    memcpy(&bits, &x, sizeof x);
    to[2 * part_step] = (uint16_t)(bits >> 16);
}

void pack_parts(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    uint16_t *out = buf[1];
    const int64_t K = arg[0];
    const int64_t N = arg[1];
    const int64_t in_k = arg[2];
    const int64_t in_n = arg[3];
    const int64_t slice = arg[4];
    (void)team; (void)buf; (void)arg;
    const int64_t steps = (K + STEP - 1) / STEP, panels = (N + 2 * SIDE - 1) / (2 * SIDE);
    int64_t begin, end;
    sol_split(team, panels * steps, &begin, &end);
    for (int64_t item = begin; item < end; item++) {
        const int64_t p = item / steps, k0 = item % steps * STEP, tiles = N - p * 2 * SIDE > SIDE ? 2 : 1;
        const int64_t first = item % steps / slice * slice, length = steps - first < slice ? steps - first : slice; /* steps of the slice */
        uint16_t *const block = out + (first * ((N + SIDE - 1) / SIDE) + p * 2 * length + (item % steps - first) * tiles) * PARTS * TILE;
        for (int64_t t = 0; t < tiles; t++)
            for (int64_t j = 0; j < SIDE; j++) {
                const int64_t n = (p * 2 + t) * SIDE + j;
                for (int64_t k = k0; k < k0 + STEP; k++) {
                    uint32_t bits = 0;
                    if (n < N && k < K) memcpy(&bits, in + k * in_k + n * in_n, sizeof bits);
                    take_apart(bits, block + t * TILE + k % SIDE * 2 * SIDE + 2 * j + (k - k0) / SIDE, tiles * TILE);
                }
            }
    }
}
