/* recurrent_plain: gru layer with any weights and options, float.
 *
 *   for batch row b (split over the team):
 *     for each of its steps: every gate of every unit is a dot product of a row of W with h
 *   steps beyond the row's length give 0. */
#include "sol_team.h"

static float act0(float x)
{
    return 1 / (1 + expf(-x));
}
static float act1(float x)
{
    return tanhf(x);
}
static float dot(const float *w, int64_t step, const float *h, int64_t n)
{
    float sum = 0;
    for (int64_t k = 0; k < n; k++) sum += w[k * step] * h[k];
    return sum;
}

void recurrent_plain(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *X = buf[0];
    const float *W = buf[1];
    const float *BIAS = buf[2];
    const float *H0 = buf[3];
    const int64_t *LENGTHS = buf[4];
    float *Y = buf[5];
    const int64_t T = arg[0];
    const int64_t B = arg[1];
    const int64_t H = arg[2];
    const int64_t x_t = arg[3];
    const int64_t x_b = arg[4];
    const int64_t x_n = arg[5];
    const int64_t w_r = arg[6];
    const int64_t w_c = arg[7];
    const int64_t bias_n = arg[8];
    const int64_t h0_b = arg[9];
    const int64_t h0_n = arg[10];
    const int64_t lengths_b = arg[11];
    const int64_t y_t = arg[12];
    const int64_t y_b = arg[13];
    const int64_t y_n = arg[14];
    (void)team; (void)buf; (void)arg;
    float *h = (float *)team->scratch, *next = h + H;
    float *z = next + H, *rh = z + H;
    int64_t b, last;
    sol_split(team, B, &b, &last);
    for (; b < last; b++) {
        int64_t length = (int64_t)LENGTHS[b * lengths_b];
        length = length < 0 ? 0 : length > T ? T : length;
        for (int64_t n = 0; n < H; n++) {
            h[n] = H0[b * h0_b + n * h0_n];
        }
        for (int64_t s = 0; s < length; s++) {
            const int64_t t = s;
            const float *x = X + t * x_t + b * x_b;
            for (int64_t n = 0; n < H; n++) {
                const float r = act0(x[(0 * H + n) * x_n] + dot(W + (0 * H + n) * w_r, w_c, h, H) + BIAS[(0 * H + n) * bias_n]);
                z[n] = act0(x[(1 * H + n) * x_n] + dot(W + (1 * H + n) * w_r, w_c, h, H) + BIAS[(1 * H + n) * bias_n]);
                rh[n] = r * h[n];
            }
            for (int64_t n = 0; n < H; n++) {
                const float g = act1(x[(2 * H + n) * x_n] + dot(W + (2 * H + n) * w_r, w_c, rh, H) + BIAS[(2 * H + n) * bias_n]);
                next[n] = (1 - z[n]) * g + z[n] * h[n];
            }
            memcpy(h, next, (size_t)H * sizeof *h);
            for (int64_t n = 0; n < H; n++) Y[t * y_t + b * y_b + n * y_n] = h[n];
        }
        for (int64_t t = length; t < T; t++)
            for (int64_t n = 0; n < H; n++) Y[t * y_t + b * y_b + n * y_n] = 0;
    }
}
