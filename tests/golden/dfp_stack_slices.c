/* dfp_stack_slices: slices of volumes put together as the channels of what a filter reads along their depth.
 *   channels, or blocks of them, of a tap of a result (split over the team): rows copied whole.
 *   N: results; C: of a slice. Tap t of result z of a volume is slice z * stride + t * dilation + start of depth; beyond its ends
 *   zeros. H, W: rows and elements of a row (one row where memory allows).
 *   n, c, h: strides of the batch, a channel, a row. */
#include "sol_dfp.h"

void dfp_stack_slices(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in0 = buf[0];
    float *out0 = buf[1];
    const int64_t N = arg[0];
    const int64_t C = arg[1];
    const int64_t H = arg[2];
    const int64_t W = arg[3];
    const int64_t depth = arg[4];
    const int64_t size = arg[5];
    const int64_t taps = arg[6];
    const int64_t stride = arg[7];
    const int64_t dilation = arg[8];
    const int64_t start = arg[9];
    const int64_t n_in0 = arg[10];
    const int64_t c_in0 = arg[11];
    const int64_t h_in0 = arg[12];
    const int64_t n_out0 = arg[13];
    const int64_t c_out0 = arg[14];
    const int64_t h_out0 = arg[15];
    (void)team; (void)buf; (void)arg;
    if (N * C * H * W == 0) return;
    int64_t begin = 0, end = N * taps * C;
    if (end * H * W >= 8192) sol_split(team, end, &begin, &end);
    else if (team->id) return;
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t c = unit % C, t = unit / C % taps, n = unit / (C * taps);
        int64_t z = n % size * stride + t * dilation + start;
        const float *x = in0 + (n / size * depth + z) * n_in0 + c * c_in0;
        float *o = out0 + n * n_out0 + (t * C + c) * c_out0;
        for (int64_t y = 0; y < H; y++, x += h_in0, o += h_out0) {
            if (z < 0 || z >= depth) {
                memset(o, 0, (size_t)W * sizeof *o);
                continue;
            }
            memcpy(o, x, (size_t)W * sizeof *o);
        }
    }
}
