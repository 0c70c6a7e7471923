/* Direct convolution of bytes, summed in int32, NCHWc -> NCHWc, then cast_mul_round_clamp_cast.
 *
 * out[n, k, y, x] = epilogue(sum over c, r, s of w[k, c, r, s] * in[n, c, y * stride_y + r * dilation_y, x * 1 + s * dilation_x] + start[k])
 *
 * Register tile: 2 output vectors x 1 rows x 10 pixels, the whole reduction in registers.
 *   share of (panel, tile) pairs of this thread       panel = 2 output vectors, its weights stay in the cache
 *     panel
 *       tile (image, row, column)
 *         input block, r, s, channel of the block     sizes and strides are run-time arguments; the zero border is physical
 *
 * w: [panel][input block][r][s][four channels][2 * LANES][4]; the last input block holds in_last channels only. */
#include "sol_team.h"
#include "sol_simd.h"
#include "sol_int.h"

typedef struct conv {
    const uint8_t *in;
    const int8_t *w;
    const int32_t *start;
    const float *e1;
    uint8_t *out;
    int64_t N, OH, OW, group_vectors, out_n, out_cb, out_row, e1_n, e1_cb, e1_row, start_cb, groups, by_tiles, in_blocks, in_last, R;
    int64_t S, stride_y, in_n, in_cb, in_row, in_r, in_s, in_start, rows, columns, w_kb, in_group;
} conv;

static __attribute__((noinline)) void tile_2x1x10(const conv *c, const uint8_t *in, const int8_t *w, const int32_t *start, const float *e1, uint8_t *out)
{
    const vi b0 = -vi_load(start);
    start += c->start_cb;
    vi a0_0_0 = b0, a0_0_1 = b0, a0_0_2 = b0, a0_0_3 = b0, a0_0_4 = b0, a0_0_5 = b0, a0_0_6 = b0, a0_0_7 = b0, a0_0_8 = b0, a0_0_9 = b0;
    const vi b1 = -vi_load(start);
    start += c->start_cb;
    vi a1_0_0 = b1, a1_0_1 = b1, a1_0_2 = b1, a1_0_3 = b1, a1_0_4 = b1, a1_0_5 = b1, a1_0_6 = b1, a1_0_7 = b1, a1_0_8 = b1, a1_0_9 = b1;
    const int64_t blocks = c->in_blocks, last = c->in_last, in_cb = c->in_cb;
    const int64_t R = c->R, S = c->S, in_r = c->in_r, in_s = c->in_s;
    for (int64_t block = 1; block <= blocks; block++, in += in_cb) {
        const int64_t quads = (block < blocks ? LANES : last) / 4;
        const uint8_t *row = in;
        for (int64_t r = 1; r <= R; r++, row += in_r) {
            const uint8_t *tap = row;
            sol_fetch(row + in_cb, 12 * LANES * sizeof *in);
            for (int64_t s = 1; s <= S; s++, tap += in_s) {
                const uint8_t *x0 = tap;
                for (int64_t i = quads; i; i--, x0 += 4, w += 8 * LANES) {
                    const vq w0 = vq_signed(vi_load((const int32_t *)(w + 0 * LANES))), w1 = vq_signed(vi_load((const int32_t *)(w + 4 * LANES)));
                    { const vq b = vq_spread(sol_dword(x0 + 0 * LANES)); a0_0_0 = vi_dot(a0_0_0, b, w0); a1_0_0 = vi_dot(a1_0_0, b, w1); }
                    { const vq b = vq_spread(sol_dword(x0 + 1 * LANES)); a0_0_1 = vi_dot(a0_0_1, b, w0); a1_0_1 = vi_dot(a1_0_1, b, w1); }
                    { const vq b = vq_spread(sol_dword(x0 + 2 * LANES)); a0_0_2 = vi_dot(a0_0_2, b, w0); a1_0_2 = vi_dot(a1_0_2, b, w1); }
                    { const vq b = vq_spread(sol_dword(x0 + 3 * LANES)); a0_0_3 = vi_dot(a0_0_3, b, w0); a1_0_3 = vi_dot(a1_0_3, b, w1); }
                    { const vq b = vq_spread(sol_dword(x0 + 4 * LANES)); a0_0_4 = vi_dot(a0_0_4, b, w0); a1_0_4 = vi_dot(a1_0_4, b, w1); }
                    { const vq b = vq_spread(sol_dword(x0 + 5 * LANES)); a0_0_5 = vi_dot(a0_0_5, b, w0); a1_0_5 = vi_dot(a1_0_5, b, w1); }
                    { const vq b = vq_spread(sol_dword(x0 + 6 * LANES)); a0_0_6 = vi_dot(a0_0_6, b, w0); a1_0_6 = vi_dot(a1_0_6, b, w1); }
                    { const vq b = vq_spread(sol_dword(x0 + 7 * LANES)); a0_0_7 = vi_dot(a0_0_7, b, w0); a1_0_7 = vi_dot(a1_0_7, b, w1); }
                    { const vq b = vq_spread(sol_dword(x0 + 8 * LANES)); a0_0_8 = vi_dot(a0_0_8, b, w0); a1_0_8 = vi_dot(a1_0_8, b, w1); }
                    { const vq b = vq_spread(sol_dword(x0 + 9 * LANES)); a0_0_9 = vi_dot(a0_0_9, b, w0); a1_0_9 = vi_dot(a1_0_9, b, w1); }
                    SOL_FENCE();
}
            }
        }
    }
    const vf e1_0 = vf_load(e1 + 0 * c->e1_cb);
    const vf e1_1 = vf_load(e1 + 1 * c->e1_cb);
    SOL_SETTLE(a0_0_0); SOL_SETTLE(a1_0_0);
    const vf t0_0_0_0 = vf_of_ints(a0_0_0);
    const vf t0_0_0_1 = t0_0_0_0 * e1_0;
    const vi t0_0_0_2 = vi_nearest_u8(t0_0_0_1, 0.0f);
    vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 0 * LANES, t0_0_0_2);
    const vf t1_0_0_0 = vf_of_ints(a1_0_0);
    const vf t1_0_0_1 = t1_0_0_0 * e1_1;
    const vi t1_0_0_2 = vi_nearest_u8(t1_0_0_1, 0.0f);
    vu8_store(out + 1 * c->out_cb + 0 * c->out_row + 0 * LANES, t1_0_0_2);
    SOL_SETTLE(a0_0_1); SOL_SETTLE(a1_0_1);
    const vf t0_0_1_0 = vf_of_ints(a0_0_1);
    const vf t0_0_1_1 = t0_0_1_0 * e1_0;
    const vi t0_0_1_2 = vi_nearest_u8(t0_0_1_1, 0.0f);
    vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 1 * LANES, t0_0_1_2);
    const vf t1_0_1_0 = vf_of_ints(a1_0_1);
    const vf t1_0_1_1 = t1_0_1_0 * e1_1;
    const vi t1_0_1_2 = vi_nearest_u8(t1_0_1_1, 0.0f);
    vu8_store(out + 1 * c->out_cb + 0 * c->out_row + 1 * LANES, t1_0_1_2);
    SOL_SETTLE(a0_0_2); SOL_SETTLE(a1_0_2);
    const vf t0_0_2_0 = vf_of_ints(a0_0_2);
    const vf t0_0_2_1 = t0_0_2_0 * e1_0;
    const vi t0_0_2_2 = vi_nearest_u8(t0_0_2_1, 0.0f);
    vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 2 * LANES, t0_0_2_2);
    const vf t1_0_2_0 = vf_of_ints(a1_0_2);
    const vf t1_0_2_1 = t1_0_2_0 * e1_1;
    const vi t1_0_2_2 = vi_nearest_u8(t1_0_2_1, 0.0f);
    vu8_store(out + 1 * c->out_cb + 0 * c->out_row + 2 * LANES, t1_0_2_2);
    SOL_SETTLE(a0_0_3); SOL_SETTLE(a1_0_3);
    const vf t0_0_3_0 = vf_of_ints(a0_0_3);
    const vf t0_0_3_1 = t0_0_3_0 * e1_0;
    const vi t0_0_3_2 = vi_nearest_u8(t0_0_3_1, 0.0f);
    vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 3 * LANES, t0_0_3_2);
    const vf t1_0_3_0 = vf_of_ints(a1_0_3);
    const vf t1_0_3_1 = t1_0_3_0 * e1_1;
    const vi t1_0_3_2 = vi_nearest_u8(t1_0_3_1, 0.0f);
    vu8_store(out + 1 * c->out_cb + 0 * c->out_row + 3 * LANES, t1_0_3_2);
    SOL_SETTLE(a0_0_4); SOL_SETTLE(a1_0_4);
    const vf t0_0_4_0 = vf_of_ints(a0_0_4);
    const vf t0_0_4_1 = t0_0_4_0 * e1_0;
    const vi t0_0_4_2 = vi_nearest_u8(t0_0_4_1, 0.0f);
    vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 4 * LANES, t0_0_4_2);
    const vf t1_0_4_0 = vf_of_ints(a1_0_4);
    const vf t1_0_4_1 = t1_0_4_0 * e1_1;
    const vi t1_0_4_2 = vi_nearest_u8(t1_0_4_1, 0.0f);
    vu8_store(out + 1 * c->out_cb + 0 * c->out_row + 4 * LANES, t1_0_4_2);
    SOL_SETTLE(a0_0_5); SOL_SETTLE(a1_0_5);
    const vf t0_0_5_0 = vf_of_ints(a0_0_5);
    const vf t0_0_5_1 = t0_0_5_0 * e1_0;
    const vi t0_0_5_2 = vi_nearest_u8(t0_0_5_1, 0.0f);
    vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 5 * LANES, t0_0_5_2);
    const vf t1_0_5_0 = vf_of_ints(a1_0_5);
    const vf t1_0_5_1 = t1_0_5_0 * e1_1;
    const vi t1_0_5_2 = vi_nearest_u8(t1_0_5_1, 0.0f);
    vu8_store(out + 1 * c->out_cb + 0 * c->out_row + 5 * LANES, t1_0_5_2);
    SOL_SETTLE(a0_0_6); SOL_SETTLE(a1_0_6);
    const vf t0_0_6_0 = vf_of_ints(a0_0_6);
    const vf t0_0_6_1 = t0_0_6_0 * e1_0;
    const vi t0_0_6_2 = vi_nearest_u8(t0_0_6_1, 0.0f);
    vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 6 * LANES, t0_0_6_2);
    const vf t1_0_6_0 = vf_of_ints(a1_0_6);
    const vf t1_0_6_1 = t1_0_6_0 * e1_1;
    const vi t1_0_6_2 = vi_nearest_u8(t1_0_6_1, 0.0f);
    vu8_store(out + 1 * c->out_cb + 0 * c->out_row + 6 * LANES, t1_0_6_2);
    SOL_SETTLE(a0_0_7); SOL_SETTLE(a1_0_7);
    const vf t0_0_7_0 = vf_of_ints(a0_0_7);
    const vf t0_0_7_1 = t0_0_7_0 * e1_0;
    const vi t0_0_7_2 = vi_nearest_u8(t0_0_7_1, 0.0f);
    vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 7 * LANES, t0_0_7_2);
    const vf t1_0_7_0 = vf_of_ints(a1_0_7);
    const vf t1_0_7_1 = t1_0_7_0 * e1_1;
    const vi t1_0_7_2 = vi_nearest_u8(t1_0_7_1, 0.0f);
    vu8_store(out + 1 * c->out_cb + 0 * c->out_row + 7 * LANES, t1_0_7_2);
    SOL_SETTLE(a0_0_8); SOL_SETTLE(a1_0_8);
    const vf t0_0_8_0 = vf_of_ints(a0_0_8);
    const vf t0_0_8_1 = t0_0_8_0 * e1_0;
    const vi t0_0_8_2 = vi_nearest_u8(t0_0_8_1, 0.0f);
    vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 8 * LANES, t0_0_8_2);
    const vf t1_0_8_0 = vf_of_ints(a1_0_8);
    const vf t1_0_8_1 = t1_0_8_0 * e1_1;
    const vi t1_0_8_2 = vi_nearest_u8(t1_0_8_1, 0.0f);
    vu8_store(out + 1 * c->out_cb + 0 * c->out_row + 8 * LANES, t1_0_8_2);
    SOL_SETTLE(a0_0_9); SOL_SETTLE(a1_0_9);
    const vf t0_0_9_0 = vf_of_ints(a0_0_9);
    const vf t0_0_9_1 = t0_0_9_0 * e1_0;
    const vi t0_0_9_2 = vi_nearest_u8(t0_0_9_1, 0.0f);
    vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 9 * LANES, t0_0_9_2);
    const vf t1_0_9_0 = vf_of_ints(a1_0_9);
    const vf t1_0_9_1 = t1_0_9_0 * e1_1;
    const vi t1_0_9_2 = vi_nearest_u8(t1_0_9_1, 0.0f);
    vu8_store(out + 1 * c->out_cb + 0 * c->out_row + 9 * LANES, t1_0_9_2);
}

static __attribute__((noinline)) void tile_1x1x10(const conv *c, const uint8_t *in, const int8_t *w, const int32_t *start, const float *e1, uint8_t *out)
{
    const vi b0 = -vi_load(start);
    start += c->start_cb;
    vi a0_0_0 = b0, a0_0_1 = b0, a0_0_2 = b0, a0_0_3 = b0, a0_0_4 = b0, a0_0_5 = b0, a0_0_6 = b0, a0_0_7 = b0, a0_0_8 = b0, a0_0_9 = b0;
    const int64_t blocks = c->in_blocks, last = c->in_last, in_cb = c->in_cb;
    const int64_t R = c->R, S = c->S, in_r = c->in_r, in_s = c->in_s;
    for (int64_t block = 1; block <= blocks; block++, in += in_cb) {
        const int64_t quads = (block < blocks ? LANES : last) / 4;
        const uint8_t *row = in;
        for (int64_t r = 1; r <= R; r++, row += in_r) {
            const uint8_t *tap = row;
            sol_fetch(row + in_cb, 12 * LANES * sizeof *in);
            for (int64_t s = 1; s <= S; s++, tap += in_s) {
                const uint8_t *x0 = tap;
                for (int64_t i = quads; i; i--, x0 += 4, w += 4 * LANES) {
                    const vq w0 = vq_signed(vi_load((const int32_t *)(w + 0 * LANES)));
                    { const vq b = vq_spread(sol_dword(x0 + 0 * LANES)); a0_0_0 = vi_dot(a0_0_0, b, w0); }
                    { const vq b = vq_spread(sol_dword(x0 + 1 * LANES)); a0_0_1 = vi_dot(a0_0_1, b, w0); }
                    { const vq b = vq_spread(sol_dword(x0 + 2 * LANES)); a0_0_2 = vi_dot(a0_0_2, b, w0); }
                    { const vq b = vq_spread(sol_dword(x0 + 3 * LANES)); a0_0_3 = vi_dot(a0_0_3, b, w0); }
                    { const vq b = vq_spread(sol_dword(x0 + 4 * LANES)); a0_0_4 = vi_dot(a0_0_4, b, w0); }
                    { const vq b = vq_spread(sol_dword(x0 + 5 * LANES)); a0_0_5 = vi_dot(a0_0_5, b, w0); }
                    { const vq b = vq_spread(sol_dword(x0 + 6 * LANES)); a0_0_6 = vi_dot(a0_0_6, b, w0); }
                    { const vq b = vq_spread(sol_dword(x0 + 7 * LANES)); a0_0_7 = vi_dot(a0_0_7, b, w0); }
                    { const vq b = vq_spread(sol_dword(x0 + 8 * LANES)); a0_0_8 = vi_dot(a0_0_8, b, w0); }
                    { const vq b = vq_spread(sol_dword(x0 + 9 * LANES)); a0_0_9 = vi_dot(a0_0_9, b, w0); }
                    SOL_FENCE();
}
            }
        }
    }
    const vf e1_0 = vf_load(e1 + 0 * c->e1_cb);
    SOL_SETTLE(a0_0_0);
    const vf t0_0_0_0 = vf_of_ints(a0_0_0);
    const vf t0_0_0_1 = t0_0_0_0 * e1_0;
    const vi t0_0_0_2 = vi_nearest_u8(t0_0_0_1, 0.0f);
    vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 0 * LANES, t0_0_0_2);
    SOL_SETTLE(a0_0_1);
    const vf t0_0_1_0 = vf_of_ints(a0_0_1);
    const vf t0_0_1_1 = t0_0_1_0 * e1_0;
    const vi t0_0_1_2 = vi_nearest_u8(t0_0_1_1, 0.0f);
    vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 1 * LANES, t0_0_1_2);
    SOL_SETTLE(a0_0_2);
    const vf t0_0_2_0 = vf_of_ints(a0_0_2);
    const vf t0_0_2_1 = t0_0_2_0 * e1_0;
    const vi t0_0_2_2 = vi_nearest_u8(t0_0_2_1, 0.0f);
    vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 2 * LANES, t0_0_2_2);
    SOL_SETTLE(a0_0_3);
    const vf t0_0_3_0 = vf_of_ints(a0_0_3);
    const vf t0_0_3_1 = t0_0_3_0 * e1_0;
    const vi t0_0_3_2 = vi_nearest_u8(t0_0_3_1, 0.0f);
    vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 3 * LANES, t0_0_3_2);
    SOL_SETTLE(a0_0_4);
    const vf t0_0_4_0 = vf_of_ints(a0_0_4);
    const vf t0_0_4_1 = t0_0_4_0 * e1_0;
    const vi t0_0_4_2 = vi_nearest_u8(t0_0_4_1, 0.0f);
    vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 4 * LANES, t0_0_4_2);
    SOL_SETTLE(a0_0_5);
    const vf t0_0_5_0 = vf_of_ints(a0_0_5);
    const vf t0_0_5_1 = t0_0_5_0 * e1_0;
    const vi t0_0_5_2 = vi_nearest_u8(t0_0_5_1, 0.0f);
    vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 5 * LANES, t0_0_5_2);
    SOL_SETTLE(a0_0_6);
    const vf t0_0_6_0 = vf_of_ints(a0_0_6);
    const vf t0_0_6_1 = t0_0_6_0 * e1_0;
    const vi t0_0_6_2 = vi_nearest_u8(t0_0_6_1, 0.0f);
    vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 6 * LANES, t0_0_6_2);
    SOL_SETTLE(a0_0_7);
    const vf t0_0_7_0 = vf_of_ints(a0_0_7);
    const vf t0_0_7_1 = t0_0_7_0 * e1_0;
    const vi t0_0_7_2 = vi_nearest_u8(t0_0_7_1, 0.0f);
    vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 7 * LANES, t0_0_7_2);
    SOL_SETTLE(a0_0_8);
    const vf t0_0_8_0 = vf_of_ints(a0_0_8);
    const vf t0_0_8_1 = t0_0_8_0 * e1_0;
    const vi t0_0_8_2 = vi_nearest_u8(t0_0_8_1, 0.0f);
    vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 8 * LANES, t0_0_8_2);
    SOL_SETTLE(a0_0_9);
    const vf t0_0_9_0 = vf_of_ints(a0_0_9);
    const vf t0_0_9_1 = t0_0_9_0 * e1_0;
    const vi t0_0_9_2 = vi_nearest_u8(t0_0_9_1, 0.0f);
    vu8_store(out + 0 * c->out_cb + 0 * c->out_row + 9 * LANES, t0_0_9_2);
}

/* Panel of vectors that starts at kb, tiles t0 … t1 - 1. */
static void panel_2(const conv *c, int64_t kb, int64_t t0, int64_t t1)
{
    const int8_t *w = c->w + kb * c->w_kb;
    const int32_t *start = c->start + kb * c->start_cb;
    const uint8_t *in = c->in + kb / c->group_vectors * c->in_group;
    uint8_t *out = c->out + kb * c->out_cb;
    int64_t n = t0 / (c->rows * c->columns), y = t0 / c->columns % c->rows, x = t0 % c->columns;
    for (; t0 < t1; t0++) {
        const uint8_t *i = in + n * c->in_n + y * 1 * c->in_row + x * 10 * LANES;
        uint8_t *o = out + n * c->out_n + y * 1 * c->out_row + x * 10 * LANES;
        const float *e1 = c->e1 + n * c->e1_n + kb * c->e1_cb + y * 1 * c->e1_row + x * 10 * 0;
        tile_2x1x10(c, i, w, start, e1, o);
if (++x == c->columns) {
            x = 0;
            if (++y == c->rows) y = 0, n++;
        }
    }
}

static void panel_1(const conv *c, int64_t kb, int64_t t0, int64_t t1)
{
    const int8_t *w = c->w + kb * c->w_kb;
    const int32_t *start = c->start + kb * c->start_cb;
    const uint8_t *in = c->in + kb / c->group_vectors * c->in_group;
    uint8_t *out = c->out + kb * c->out_cb;
    int64_t n = t0 / (c->rows * c->columns), y = t0 / c->columns % c->rows, x = t0 % c->columns;
    for (; t0 < t1; t0++) {
        const uint8_t *i = in + n * c->in_n + y * 1 * c->in_row + x * 10 * LANES;
        uint8_t *o = out + n * c->out_n + y * 1 * c->out_row + x * 10 * LANES;
        const float *e1 = c->e1 + n * c->e1_n + kb * c->e1_cb + y * 1 * c->e1_row + x * 10 * 0;
        tile_1x1x10(c, i, w, start, e1, o);
if (++x == c->columns) {
            x = 0;
            if (++y == c->rows) y = 0, n++;
        }
    }
}

/* The tile of all images that begins nearest to pixel p of them: there the work on a panel is cut between two threads. */
static inline int64_t tile_at(const conv *c, int64_t p)
{
    const int64_t image = c->OH * c->OW, strip = c->OW;
    const int64_t n = p / image, y = p % image / strip, x = (p % image % strip + 5) / 10;
    return (n * c->rows + y) * c->columns + x;
}

static void panel(const conv *c, int64_t kb, int64_t t0, int64_t t1)
{
    if (kb % c->group_vectors + 2 >= c->group_vectors) panel_1(c, kb, t0, t1); else
    panel_2(c, kb, t0, t1);
}

void conv_direct_quads(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const uint8_t *in = buf[0];
    const int8_t *w = buf[1];
    const int32_t *start = buf[2];
    const float *e1 = buf[3];
    uint8_t *out = buf[4];
    const int64_t N = arg[0];
    const int64_t OH = arg[1];
    const int64_t OW = arg[2];
    const int64_t group_vectors = arg[3];
    const int64_t out_n = arg[4];
    const int64_t out_cb = arg[5];
    const int64_t out_row = arg[6];
    const int64_t e1_n = arg[7];
    const int64_t e1_cb = arg[8];
    const int64_t e1_row = arg[9];
    const int64_t start_cb = arg[10];
    const int64_t groups = arg[11];
    const int64_t by_tiles = arg[12];
    const int64_t in_blocks = arg[13];
    const int64_t in_last = arg[14];
    const int64_t R = arg[15];
    const int64_t S = arg[16];
    const int64_t stride_y = arg[17];
    const int64_t in_n = arg[18];
    const int64_t in_cb = arg[19];
    const int64_t in_row = arg[20];
    const int64_t in_r = arg[21];
    const int64_t in_s = arg[22];
    const int64_t in_start = arg[23];
    (void)team; (void)buf; (void)arg;
    const int64_t vectors = groups * group_vectors;
    const int64_t rows = (OH + 0) / 1, columns = (OW + 9) / 10, tiles = N * rows * columns;
    const int64_t in_group = in_blocks * in_cb, w_kb = ((in_blocks - 1) * LANES + in_last) * R * S * LANES;
    const int64_t tile_bytes = groups * in_blocks * 10 * stride_y * LANES * 1; /* fresh input per tile */
    const conv c = {
        .in = in + in_start, .w = w, .start = start, .e1 = e1, .out = out, .N = N, .OH = OH, .OW = OW,
        .group_vectors = group_vectors, .out_n = out_n, .out_cb = out_cb, .out_row = out_row, .e1_n = e1_n, .e1_cb = e1_cb, .e1_row = e1_row, .start_cb = start_cb,
        .groups = groups, .by_tiles = by_tiles, .in_blocks = in_blocks, .in_last = in_last, .R = R, .S = S, .stride_y = stride_y, .in_n = in_n,
        .in_cb = in_cb, .in_row = in_row, .in_r = in_r, .in_s = in_s, .in_start = in_start, .rows = rows, .columns = columns, .w_kb = w_kb,
        .in_group = in_group,
    };
    if (tiles == 0) return;
    const int64_t pixels = N * OH * OW, weight_bytes = vectors * w_kb * 1, in_bytes = tiles * tile_bytes;
    const int64_t most = (tiles + team->size - 1) / team->size * team->size; /* tiles of the slowest thread, times the team */
    const int share_tiles = by_tiles < 0 ? 2 * in_bytes >= weight_bytes && (most - tiles) * 16 <= tiles : by_tiles != 0;
    sol_share share = sol_share_of(team, share_tiles ? tiles : (2 * vectors) * pixels, team->size);
    for (int64_t u0, u1; sol_share_take(&share, &u0, &u1);) if (share_tiles) {
        /* Threads share out the tiles. Where a thread's input does not fit the cache, it goes by blocks that do, if that moves fewer bytes. */
        int64_t step = 524288 / tile_bytes;
        const int64_t mine = u1 - u0, passes = step ? (mine + step - 1) / step : mine;
        if (!step || passes * weight_bytes >= mine * tile_bytes * ((vectors + 1) / 2 - 1)) step = mine;
        for (; u0 < u1; u0 += step) {
            const int64_t end = u0 + step < u1 ? u0 + step : u1;
            for (int64_t kb = 0, width; kb < vectors; kb += width) {
                const int64_t rest = group_vectors - kb % group_vectors;
                width = rest < 2 ? rest : 2;
                panel(&c, kb, u0, end);
            }
        }
    } else {
        /* Threads share out the multiply-adds: output vectors, to the tile. A last vector of which half is used is half the work. */
        int64_t kb = u0 / (2 * pixels);
        kb -= kb % group_vectors % 2;
        for (int64_t width; 2 * kb * pixels < u1; kb += width) {
            const int64_t rest = group_vectors - kb % group_vectors, base = 2 * kb * pixels;
            width = rest < 2 ? rest : 2;
            const int64_t halves = 2 * width, end = (u1 - base) / halves;
            const int64_t t0 = u0 > base ? tile_at(&c, (u0 - base) / halves) : 0, t1 = end < pixels ? tile_at(&c, end) : tiles;
            panel(&c, kb, t0, t1);
        }
    }
}
