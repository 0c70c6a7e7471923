/* image_grid_sample: out[n][c][point] = in[n][c] read at grid[n][point], linear, reflection outside, 2 spatial dimension(s), double.
 *
 *   for n, for output point (split over the team):
 *     per dimension: the 2 tap(s), their weights, and the element offset; taps that read nothing drop out
 *     for channel: sum over the taps
 */
#include "sol_team.h"

/* Mirrored at both ends until it lies in between. */
static double reflect(double x, double low, double high)
{
    const double span = high - low;
    if (span <= 0) return 0;
    const double away = x < low ? low - x : x > high ? x - high : 0;
    if (away == 0) return x;
    const double turns = floor(away / span), rest = away - turns * span;
    return (x < low) == (fmod(turns, 2) == 0) ? low + rest : high - rest;
}

/* Taps along one dimension: offsets (-1: reads nothing) and weights. */
static void find_taps(double g, int64_t size, int64_t step, int64_t *offset, double *weight)
{
    const double low = 0.5 - 1, high = (double)size - 0.5;
    double x = ((g + 1) * size - 1) / 2;
    if (!(x - x == 0)) x = 0; /* not finite: no number of turns leads back */
    if (!(x > -1e9)) x = -1e9;
    if (x > 1e9) x = 1e9;
    x = reflect(x, low, high);
    const double first = floor(x);
    weight[1] = x - first;
    weight[0] = 1 - weight[1];
    for (int k = 0; k < 2; k++) {
        int64_t i = (int64_t)first + k;
        i = (int64_t)reflect((double)i, low, high);
        offset[k] = (i < 0 ? 0 : i >= size ? size - 1 : i) * step;
    }
}

void image_grid_sample(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const double *in = buf[0];
    const double *grid = buf[1];
    double *out = buf[2];
    const int64_t N = arg[0];
    const int64_t C = arg[1];
    const int64_t I0 = arg[2];
    const int64_t I1 = arg[3];
    const int64_t O0 = arg[4];
    const int64_t O1 = arg[5];
    const int64_t in_n = arg[6];
    const int64_t in_c = arg[7];
    const int64_t in_0 = arg[8];
    const int64_t in_1 = arg[9];
    const int64_t grid_n = arg[10];
    const int64_t grid_0 = arg[11];
    const int64_t grid_1 = arg[12];
    const int64_t grid_e = arg[13];
    const int64_t out_n = arg[14];
    const int64_t out_c = arg[15];
    const int64_t out_0 = arg[16];
    const int64_t out_1 = arg[17];
    (void)team; (void)buf; (void)arg;
    const int64_t points = O0 * O1;
    int64_t unit, last;
    sol_split(team, N * points, &unit, &last);
    for (; unit < last; unit++) {
        const int64_t n = unit / points;
        int64_t rest = unit % points;
        const double *g = grid + n * grid_n;
        double *to = out + n * out_n;
        g += rest % O1 * grid_1;
        to += rest % O1 * out_1;
        rest /= O1;
        g += rest % O0 * grid_0;
        to += rest % O0 * out_0;
        rest /= O0;
        int64_t at[4];
        double weight[4];
        int count = 0;
        int64_t i0[2];
        double w0[2];
        find_taps(g[1 * grid_e], I0, in_0, i0, w0);
        int64_t i1[2];
        double w1[2];
        find_taps(g[0 * grid_e], I1, in_1, i1, w1);
        for (int k0 = 0; k0 < 2; k0++)
            for (int k1 = 0; k1 < 2; k1++)
        {
            if (i0[k0] < 0 || i1[k1] < 0) continue;
            weight[count] = w0[k0] * w1[k1];
            at[count++] = i0[k0] + i1[k1];
        }
        for (int64_t c = 0; c < C; c++) {
            const double *from = in + n * in_n + c * in_c;
            double sum = 0;
            for (int k = 0; k < count; k++) sum += weight[k] * from[at[k]];
            to[c * out_c] = sum;
        }
    }
}
