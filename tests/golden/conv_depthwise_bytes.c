/* Depthwise convolution of unsigned bytes with signed ones, NCHWc -> NCHWc, summed in int32.
 *
 *   (image, block of channels, row) of this thread
 *     tile: 5 pixels of a vector of channels, all taps in registers; the border is physical
 *
 * w: [block][r][s / 4][LANES][4]: a row of taps meets neighbouring pixels, whose channels are taken together in fours. */
#include "sol_team.h"
#include "sol_int.h"
typedef struct conv {
    const uint8_t *in;
    const int8_t *w;
    int32_t *out;
    int64_t N, CB, OH, OW, R, S, in_n, in_cb, in_row, in_r, in_s, in_start, out_n, out_cb, out_row;
} conv;

static __attribute__((noinline)) void tile_5(const conv *c, const uint8_t *in, const int8_t *w, int32_t *out)
{
    vi a0_0_0 = {0}, a0_0_1 = {0}, a0_0_2 = {0}, a0_0_3 = {0}, a0_0_4 = {0};
    for (int64_t r = 0; r < 3; r++, in += c->in_r) {
        const uint8_t *tap = in;
        {
            const vq k = vq_signed(vi_load((const int32_t *)w));
a0_0_0 = vi_dot(a0_0_0, vq_unsigned(vi_columns(tap + 0 * LANES, 3)), k); a0_0_1 = vi_dot(a0_0_1, vq_unsigned(vi_columns(tap + 1 * LANES, 3)), k); a0_0_2 = vi_dot(a0_0_2, vq_unsigned(vi_columns(tap + 2 * LANES, 3)), k); a0_0_3 = vi_dot(a0_0_3, vq_unsigned(vi_columns(tap + 3 * LANES, 3)), k); a0_0_4 = vi_dot(a0_0_4, vq_unsigned(vi_columns(tap + 4 * LANES, 3)), k); 
            tap += 4 * LANES, w += 4 * LANES;
        }
    }
    SOL_SETTLE(a0_0_0);
    vi_store(out + 0 * c->out_cb + 0 * c->out_row + 0 * LANES, a0_0_0);
    SOL_SETTLE(a0_0_1);
    vi_store(out + 0 * c->out_cb + 0 * c->out_row + 1 * LANES, a0_0_1);
    SOL_SETTLE(a0_0_2);
    vi_store(out + 0 * c->out_cb + 0 * c->out_row + 2 * LANES, a0_0_2);
    SOL_SETTLE(a0_0_3);
    vi_store(out + 0 * c->out_cb + 0 * c->out_row + 3 * LANES, a0_0_3);
    SOL_SETTLE(a0_0_4);
    vi_store(out + 0 * c->out_cb + 0 * c->out_row + 4 * LANES, a0_0_4);
}

void conv_depthwise_bytes(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const uint8_t *in = buf[0];
    const int8_t *w = buf[1];
    int32_t *out = buf[2];
    const int64_t N = arg[0];
    const int64_t CB = arg[1];
    const int64_t OH = arg[2];
    const int64_t OW = arg[3];
    const int64_t R = arg[4];
    const int64_t S = arg[5];
    const int64_t in_n = arg[6];
    const int64_t in_cb = arg[7];
    const int64_t in_row = arg[8];
    const int64_t in_r = arg[9];
    const int64_t in_s = arg[10];
    const int64_t in_start = arg[11];
    const int64_t out_n = arg[12];
    const int64_t out_cb = arg[13];
    const int64_t out_row = arg[14];
    (void)team; (void)buf; (void)arg;
    const conv c_ = {
        .in = in, .w = w, .out = out, .N = N, .CB = CB, .OH = OH, .OW = OW, .R = R,
        .S = S, .in_n = in_n, .in_cb = in_cb, .in_row = in_row, .in_r = in_r, .in_s = in_s, .in_start = in_start, .out_n = out_n,
        .out_cb = out_cb, .out_row = out_row,
    }, *const c = &c_;
    int64_t unit, last;
    sol_split(team, N * CB * OH, &unit, &last);
    for (; unit < last; unit++) {
        const int64_t y = unit % OH, cb = unit / OH % CB, n = unit / OH / CB;
        const uint8_t *from = in + in_start + n * in_n + cb * in_cb + y * in_row;
        const int8_t *weights = w + cb * 12 * LANES;
        int32_t *to = out + n * out_n + cb * out_cb + y * out_row;
        int64_t x = 0;
        for (; x + 5 <= OW; x += 5)
            tile_5(c, from + x * 1 * LANES, weights, to + x * LANES);
    }
}
