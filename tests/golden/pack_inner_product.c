/* Panels of 16 output channels, [step][channel of 16][output of 16] as they were laid, scaled for Winograd's inner product (kernels/inner_product.py).
 *
 * Weights are divided by the factors of their input channels (inputs[group][channels]; a panel's group is p / per_group), their signs are those
 * of pairs, and every output is scaled by a power of two such that the root of its mean square is from 1 up to 2. Behind each panel come
 * what pairs subtract, the factors that undo the scaling (0 for an output without weights), and the least share of inputs that are paired.
 * chunks: panels in a row that have their own input channels, of a group's chunks * channels.
 * A step is a tap of 16 input channels: taps of a block of channels lie one behind the other; alike steps in a row have the same signs.
 * kinds: panels in a row that belong to one (frequencies of a transformed filter), gains[kind]: what weights are scaled by; their least
 * shares become the largest of them. Threads share out the panels, all kinds of one together.
 */
#include "sol_powers.h"
#include "sol_team.h"

enum { WIDE = 16, PAIRS = 5, BEHIND = 3 };
static const float signs[2][WIDE] = {
    { 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, -1.0f, 1.0f, -1.0f, 1.0f, 1.0f, 1.0f, 1.0f, },
    { 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, -1.0f, 1.0f, -1.0f, 1.0f, -1.0f, 1.0f, 1.0f, 1.0f, },
};

/* The exponent of the power of two up to the root, 0 where there is none. */
static int exponent_of(double square)
{
    const int e = sol_exponent(square) >> 1;
    return !(square > 0) || square - square != 0 ? 0 : e < -120 ? -120 : e > 120 ? 120 : e;
}

static float inverse(float x) { return x == 0 ? 1 : 1 / x; }

static void scaled_panel(float *panel, const float *inputs, int64_t blocks, int64_t taps, int64_t alike, float gain)
{
    const int64_t steps = blocks * taps, depth = steps * WIDE;
    double squares[WIDE] = {0}, sums[WIDE] = {0}, subtracted[WIDE] = {0}, size = 0, mean = 0;
    float scale[WIDE], factor[WIDE];
    for (int64_t s = 0; s < steps; s++)
        for (int j = 0; j < WIDE; j++) {
            float *w = panel + (s * WIDE + j) * WIDE;
            const float by = inverse(inputs[s / taps * WIDE + j]);
            for (int i = 0; i < WIDE; i++) {
                w[i] *= by;
                squares[i] += (double)w[i] * w[i];
                sums[i] += fabs((double)w[i]);
            }
        }
    for (int i = 0; i < WIDE; i++) {
        const int e = exponent_of(squares[i] / (double)depth);
        const double root = sqrt(squares[i] / (double)depth), magnitude = sums[i] / (double)depth;
        scale[i] = (float)sol_power(-e);
        factor[i] = squares[i] == 0 ? 0 : (float)sol_power(e);
        if (root - root == 0 && magnitude - magnitude == 0) {
            size = root > size ? root : size;
            mean = magnitude > mean ? magnitude : mean;
        }
    }
    for (int64_t s = 0; s < steps; s++) {
        float *w = panel + s * WIDE * WIDE;
        for (int j = 0; j < WIDE; j++)
            for (int i = 0; i < WIDE; i++) w[j * WIDE + i] *= scale[i] * signs[s / alike % 2][j];
        for (int j = 0; j < PAIRS; j++)
            for (int i = 0; i < WIDE; i++) {
                const float product = w[j * WIDE + i] * w[(j + WIDE / 2) * WIDE + i];
                subtracted[i] += product;
            }
        if (gain != 1)
            for (int j = 0; j < WIDE * WIDE; j++) w[j] *= gain;
    }
    const double share = size / (mean > 0 ? mean : 1);
    float *behind = panel + steps * WIDE * WIDE;
    for (int i = 0; i < WIDE; i++) {
        behind[i] = (float)subtracted[i] * (gain * gain);
        behind[WIDE + i] = factor[i] / gain;
        behind[2 * WIDE + i] = (float)(0.06 * (share * share));
    }
}

void pack_inner_product(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *inputs = buf[0];
    const float *gains = buf[1];
    float *out = buf[2];
    const int64_t panels = arg[0];
    const int64_t per_group = arg[1];
    const int64_t channels = arg[2];
    const int64_t blocks = arg[3];
    const int64_t taps = arg[4];
    const int64_t alike = arg[5];
    const int64_t chunks = arg[6];
    const int64_t kinds = arg[7];
    (void)team; (void)buf; (void)arg;
    const int64_t size = (blocks * taps * WIDE + BEHIND) * WIDE;
    int64_t begin, end;
    sol_split(team, panels, &begin, &end);
    for (int64_t p = begin; p < end; p++) {
        float *first = out + p * kinds * size, most = 0;
        for (int64_t f = 0; f < kinds; f++) {
            scaled_panel(first + f * size, inputs + (p / per_group * chunks + p % chunks) * channels, blocks, taps, alike, gains ? gains[f] : 1);
            const float least = first[(f + 1) * size - 1];
            most = least > most ? least : most;
        }
        for (int64_t f = 0; f < kinds; f++)
            for (int i = 1; i <= WIDE; i++) first[(f + 1) * size - i] = most;
    }
}
