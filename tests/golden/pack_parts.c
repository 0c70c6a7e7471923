/* A matrix of K x N numbers, in[k * in_k + n * in_n], as parts of bfloat16 (sol_parts.h): [slice][panel of 32 columns][step of 32][part][tile][16][16 pairs], zeros beyond K and N. A slice is so many steps.
 *
 * An infinity's first part is itself and NaN's is NaN, the others are zero; no other number is rounded to infinity.
 * Threads share out steps of panels.
 */
#include "sol_team.h"

enum { SIDE = 16, STEP = 2 * SIDE, PARTS = 3, TILE = SIDE * 2 * SIDE };

typedef uint32_t words __attribute__((vector_size(4 * SIDE)));
typedef float floats __attribute__((vector_size(4 * SIDE)));

/* Parts of 16 numbers, in the upper halves of words. */
static inline void take_apart(const words bits, words parts[PARTS])
{
    const words infinite = (words){0} + 0x7f800000u, halves = (words){0} + 0xffff0000u, half = (words){0} + 0x8000u;
    const words special = (words)((bits & infinite) == infinite), nan = special & (words)((bits & 0x7fffffu) != 0) & 0x400000u;
    const words rounded = (bits + half) & halves, beyond = (words)((rounded & infinite) == infinite);
    parts[0] = (beyond & ((bits & halves) | nan)) | (~beyond & rounded);
    const floats rest = (floats)(~special & (words)((floats)bits - (floats)parts[0]));
    parts[1] = ((words)rest + half) & halves;
    parts[2] = (words)(rest - (floats)parts[1]) & halves;
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
                const int64_t have = n < N ? (K - k0 < STEP ? K - k0 : STEP) : 0;
                uint32_t bits[STEP] = {0};
                words low, high, lows[PARTS], highs[PARTS];
                uint16_t *const to = block + t * TILE + 2 * j;
                if (in_k == 1) memcpy(bits, in + k0 + n * in_n, (size_t)have * sizeof *bits);
                else
                    for (int64_t k = 0; k < have; k++) memcpy(bits + k, in + (k0 + k) * in_k + n * in_n, sizeof *bits);
                memcpy(&low, bits, sizeof low), memcpy(&high, bits + SIDE, sizeof high);
                take_apart(low, lows), take_apart(high, highs);
                for (int q = 0; q < PARTS; q++) {
                    uint32_t pairs[SIDE];
                    const words both = lows[q] >> 16 | highs[q];
                    memcpy(pairs, &both, sizeof pairs);
                    for (int i = 0; i < SIDE; i++) memcpy(to + q * tiles * TILE + i * 2 * SIDE, pairs + i, sizeof *pairs);
                }
            }
    }
}
