/* dfp_channel_copy: channels of up to 1 row-major tensors by a table, in any order.
 *   rows of one channel (split over the team): copied whole.
 *   H, W: rows and elements of a row (one row where memory allows). n, c, h, w: strides of the batch, a channel, a row and an element.
 *   table: source and channel of every channel of the result. */
#include "sol_dfp.h"

void dfp_channel_copy(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in0 = buf[0];
    float *out0 = buf[1];
    const int64_t N = arg[0];
    const int64_t C = arg[1];
    const int64_t H = arg[2];
    const int64_t W = arg[3];
    const int64_t n0 = arg[4];
    const int64_t c0 = arg[5];
    const int64_t h0 = arg[6];
    const int64_t n_out = arg[7];
    const int64_t c_out = arg[8];
    const int64_t h_out = arg[9];
    (void)team; (void)buf; (void)arg;
    if (N * C * H * W == 0) return;
    int64_t size = team->size;
    if (N * C * H * W < 8192) {
        if (team->id) return;
        size = 1;
    }
    const float *const source[] = { in0 };
    const int64_t batch[] = { n0 };
    const int64_t channel[] = { c0 };
    const int64_t row[] = { h0 };
    const int64_t *const table = arg + 10;
    const int64_t units = N * C * H, begin = units * team->id / size, end = units * (team->id + 1) / size;
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t y = unit % H, c = unit / H % C, n = unit / (H * C), s = table[2 * c];
        const float *x = source[s] + n * batch[s] + table[2 * c + 1] * channel[s] + y * row[s];
        float *o = out0 + n * n_out + c * c_out + y * h_out;
        memcpy(o, x, (size_t)W * sizeof *o);
    }
}
