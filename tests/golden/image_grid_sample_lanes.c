/* image_grid_sample_lanes: out[n][c][point] = in[n][c] read at grid[n][point], linear, reflection outside, 2 spatial dimension(s), a vector of points at a time.
 *
 *   for n, for LANES output points in a row (split over the team):
 *     per dimension: the 2 tap(s) of every point, their weights and element offsets, and whether they read anything
 *     for channel: sum over the taps of what is gathered there
 */
#include "sol_dfp.h"

/* Mirrored at both ends until it lies in between. */
static inline vf reflect(vf x, float low, float high)
{
    const float span = high - low;
    if (span <= 0) return vf_zero();
    const vf below = low - x, above = x - high;
    const vf away = vf_max_quiet(vf_zero(), vf_select(below > 0.0f, below, above));
    const vf turns = vf_floor(away / span), rest = away - turns * span;
    const vi even = turns - 2.0f * vf_floor(turns * 0.5f) == 0.0f;
    const vf mirrored = vf_select((below > 0.0f) == even, low + rest, high - rest);
    return vf_select(away == 0.0f, x, mirrored);
}

/* Taps along one dimension: offsets, weights, and (zeros outside) whether they lie inside. */
static inline void find_taps(vf g, int64_t size, int64_t step, vi *offset, vf *weight)
{
    const float low = -0.5f, high = (float)size - 0.5f;
    vf x = ((g + 1.0f) * (float)size - 1.0f) * 0.5f;
    x = vf_select(x - x == 0.0f, x, vf_zero()); /* not finite: no number of turns leads back */
    x = vf_min_quiet(vf_set(1e9f), vf_max_quiet(x, vf_set(-1e9f)));
    x = reflect(x, low, high);
    x = vf_max_quiet(vf_zero(), vf_min_quiet(vf_set((float)(size - 1)), x)); /* beyond the outermost centres both taps are the same */
    const vf first = vf_floor(x);
    weight[1] = x - first;
    weight[0] = 1.0f - weight[1];
    for (int k = 0; k < 2; k++) {
        vf place = first + (float)(k);
        place = vf_max_quiet(vf_zero(), vf_min_quiet(vf_set((float)(size - 1)), place));
        offset[k] = __builtin_convertvector(place, vi) * (int32_t)step;
    }
}

void image_grid_sample_lanes(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    const float *grid = buf[1];
    float *out = buf[2];
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
    const int64_t out_n = arg[11];
    const int64_t out_c = arg[12];
    (void)team; (void)buf; (void)arg;
    const int64_t points = O0 * O1, groups = (points + LANES - 1) / LANES;
    int64_t unit, last;
    sol_split(team, N * groups, &unit, &last);
    for (; unit < last; unit++) {
        const int64_t n = unit / groups, at = unit % groups * LANES;
        const int count = (int)(points - at < LANES ? points - at : LANES);
        const float *g = grid + n * grid_n + at * 2;
        const vf one = vf_load_n(g, count < LANES / 2 ? 2 * count : LANES);
        const vf other = count > LANES / 2 ? vf_load_n(g + LANES, 2 * count - LANES) : vf_zero();
        const vf place[2] = {VF_SHUFFLE(one, other, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30), VF_SHUFFLE(one, other, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)};
        vi i0[2];
        vf w0[2];
        find_taps(place[1], I0, in_0, i0, w0);
        vi i1[2];
        vf w1[2];
        find_taps(place[0], I1, in_1, i1, w1);
        vi from[4];
        vf weight[4];
        int k = 0;
        for (int k0 = 0; k0 < 2; k0++)
            for (int k1 = 0; k1 < 2; k1++)
        {
            weight[k] = w0[k0] * w1[k1];
            from[k++] = i0[k0] + i1[k1];
        }
        for (int64_t c = 0; c < C; c++) {
            const float *plane = in + n * in_n + c * in_c;
            vf sum = vf_zero();
            for (int j = 0; j < 4; j++) {
                vf v = vf_gather(plane, from[j]);
                sum = sum + weight[j] * v;
            }
            vf_store_n(out + n * out_n + c * out_c + at, sum, count);
        }
    }
}
