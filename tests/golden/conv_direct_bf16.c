/* Direct convolution, NCHWc -> NCHWc, then add_relu_cast.
 *
 * out[n, k, y, x] = epilogue(bias[k] + sum over c, r, s of w[k, c, r, s] * in[n, c, y * stride_y + r * dilation_y, x * 1 + s * dilation_x])
 *
 * Register tile: 2 output vectors x 1 rows x 10 pixels, the whole reduction in registers.
 *   share of (panel, tile) pairs of this thread       panel = 2 output vectors, its weights stay in the cache
 *     panel
 *       tile (image, row, column)
 *         input block, r, s, channel of the block     sizes and strides are run-time arguments; the zero border is physical
 *
 * w: [panel][input block][r][s][channel][2 * LANES]; the last input block holds in_last channels only. */
#include "sol_team.h"
#include "sol_simd.h"

typedef struct conv {
    const uint16_t *in;
    const uint16_t *w;
    const uint16_t *bias;
    const uint16_t *e0;
    float *out;
    int64_t N, OH, OW, groups, group_vectors, by_tiles, in_blocks, in_last, R, S, stride_y, in_n, in_cb, in_row, in_r, in_s;
    int64_t in_start, out_n, out_cb, out_row, e0_n, e0_cb, e0_row, rows, columns, w_kb, in_group;
} conv;

static __attribute__((noinline)) void tile_2x1x10(const conv *c, const uint16_t *in, const uint16_t *w, const uint16_t *bias, const uint16_t *e0, float *out, int64_t ahead)
{
    const vf b0 = vbf_load(bias + 0 * LANES);
    vf a0_0_0 = b0, a0_0_1 = b0, a0_0_2 = b0, a0_0_3 = b0, a0_0_4 = b0, a0_0_5 = b0, a0_0_6 = b0, a0_0_7 = b0, a0_0_8 = b0, a0_0_9 = b0;
    const vf b1 = vbf_load(bias + 1 * LANES);
    vf a1_0_0 = b1, a1_0_1 = b1, a1_0_2 = b1, a1_0_3 = b1, a1_0_4 = b1, a1_0_5 = b1, a1_0_6 = b1, a1_0_7 = b1, a1_0_8 = b1, a1_0_9 = b1;
const int64_t blocks = c->in_blocks, last = c->in_last, in_cb = c->in_cb;
    const uint16_t *x0 = in;
    const int64_t R = c->R, S = c->S, in_r = c->in_r, in_s = c->in_s;
for (int64_t block = 1; block <= blocks; block++, in += in_cb) {
        const int64_t pairs = block < blocks ? LANES / 2 : last / 2;
        const uint16_t *row = in;
        for (int64_t r = 1; r <= R; r++, row += in_r) {
            const uint16_t *tap = row;
            sol_fetch(row + in_cb, 12 * LANES * sizeof *in);
            for (int64_t s = 1; s <= S; s++, tap += in_s) {
                x0 = tap;
                for (int64_t i = pairs; i; i--, x0 += 2, w += 4 * LANES) {
                    {
                        vf w0 = vbf_load(w + 0 * LANES), w1 = vbf_load(w + 1 * LANES);
                        SOL_HOLD(w0); SOL_HOLD(w1);
                        SOL_FETCH(w + ahead, 0, 2); SOL_FETCH(w + ahead, 1, 2);
                        { VF_NUMBER(b, sol_from_bf16(x0[0 * LANES + 0])); VF_ADD_PRODUCT(a0_0_0, w0, b); VF_ADD_PRODUCT(a1_0_0, w1, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[1 * LANES + 0])); VF_ADD_PRODUCT(a0_0_1, w0, b); VF_ADD_PRODUCT(a1_0_1, w1, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[2 * LANES + 0])); VF_ADD_PRODUCT(a0_0_2, w0, b); VF_ADD_PRODUCT(a1_0_2, w1, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[3 * LANES + 0])); VF_ADD_PRODUCT(a0_0_3, w0, b); VF_ADD_PRODUCT(a1_0_3, w1, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[4 * LANES + 0])); VF_ADD_PRODUCT(a0_0_4, w0, b); VF_ADD_PRODUCT(a1_0_4, w1, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[5 * LANES + 0])); VF_ADD_PRODUCT(a0_0_5, w0, b); VF_ADD_PRODUCT(a1_0_5, w1, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[6 * LANES + 0])); VF_ADD_PRODUCT(a0_0_6, w0, b); VF_ADD_PRODUCT(a1_0_6, w1, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[7 * LANES + 0])); VF_ADD_PRODUCT(a0_0_7, w0, b); VF_ADD_PRODUCT(a1_0_7, w1, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[8 * LANES + 0])); VF_ADD_PRODUCT(a0_0_8, w0, b); VF_ADD_PRODUCT(a1_0_8, w1, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[9 * LANES + 0])); VF_ADD_PRODUCT(a0_0_9, w0, b); VF_ADD_PRODUCT(a1_0_9, w1, b); }
                    }
                    SOL_FENCE();
                    {
                        vf w0 = vbf_load(w + 2 * LANES), w1 = vbf_load(w + 3 * LANES);
                        SOL_HOLD(w0); SOL_HOLD(w1);
                        SOL_FETCH(w + ahead, 2, 2); SOL_FETCH(w + ahead, 3, 2);
                        { VF_NUMBER(b, sol_from_bf16(x0[0 * LANES + 1])); VF_ADD_PRODUCT(a0_0_0, w0, b); VF_ADD_PRODUCT(a1_0_0, w1, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[1 * LANES + 1])); VF_ADD_PRODUCT(a0_0_1, w0, b); VF_ADD_PRODUCT(a1_0_1, w1, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[2 * LANES + 1])); VF_ADD_PRODUCT(a0_0_2, w0, b); VF_ADD_PRODUCT(a1_0_2, w1, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[3 * LANES + 1])); VF_ADD_PRODUCT(a0_0_3, w0, b); VF_ADD_PRODUCT(a1_0_3, w1, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[4 * LANES + 1])); VF_ADD_PRODUCT(a0_0_4, w0, b); VF_ADD_PRODUCT(a1_0_4, w1, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[5 * LANES + 1])); VF_ADD_PRODUCT(a0_0_5, w0, b); VF_ADD_PRODUCT(a1_0_5, w1, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[6 * LANES + 1])); VF_ADD_PRODUCT(a0_0_6, w0, b); VF_ADD_PRODUCT(a1_0_6, w1, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[7 * LANES + 1])); VF_ADD_PRODUCT(a0_0_7, w0, b); VF_ADD_PRODUCT(a1_0_7, w1, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[8 * LANES + 1])); VF_ADD_PRODUCT(a0_0_8, w0, b); VF_ADD_PRODUCT(a1_0_8, w1, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[9 * LANES + 1])); VF_ADD_PRODUCT(a0_0_9, w0, b); VF_ADD_PRODUCT(a1_0_9, w1, b); }
                    }
                    SOL_FENCE();
}
            }
        }
    }
    const vf t0_0_0_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 0 * 16);
    const vf t0_0_0_1 = a0_0_0 + t0_0_0_0;
    const vf t0_0_0_2 = vf_max_quiet(vf_set(0.0f), t0_0_0_1);
    const vf t0_0_0_3 = vf_result_bf16(t0_0_0_2);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 0 * LANES, t0_0_0_3);
    const vf t0_0_1_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 1 * 16);
    const vf t0_0_1_1 = a0_0_1 + t0_0_1_0;
    const vf t0_0_1_2 = vf_max_quiet(vf_set(0.0f), t0_0_1_1);
    const vf t0_0_1_3 = vf_result_bf16(t0_0_1_2);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 1 * LANES, t0_0_1_3);
    const vf t0_0_2_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 2 * 16);
    const vf t0_0_2_1 = a0_0_2 + t0_0_2_0;
    const vf t0_0_2_2 = vf_max_quiet(vf_set(0.0f), t0_0_2_1);
    const vf t0_0_2_3 = vf_result_bf16(t0_0_2_2);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 2 * LANES, t0_0_2_3);
    const vf t0_0_3_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 3 * 16);
    const vf t0_0_3_1 = a0_0_3 + t0_0_3_0;
    const vf t0_0_3_2 = vf_max_quiet(vf_set(0.0f), t0_0_3_1);
    const vf t0_0_3_3 = vf_result_bf16(t0_0_3_2);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 3 * LANES, t0_0_3_3);
    const vf t0_0_4_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 4 * 16);
    const vf t0_0_4_1 = a0_0_4 + t0_0_4_0;
    const vf t0_0_4_2 = vf_max_quiet(vf_set(0.0f), t0_0_4_1);
    const vf t0_0_4_3 = vf_result_bf16(t0_0_4_2);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 4 * LANES, t0_0_4_3);
    const vf t0_0_5_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 5 * 16);
    const vf t0_0_5_1 = a0_0_5 + t0_0_5_0;
    const vf t0_0_5_2 = vf_max_quiet(vf_set(0.0f), t0_0_5_1);
    const vf t0_0_5_3 = vf_result_bf16(t0_0_5_2);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 5 * LANES, t0_0_5_3);
    const vf t0_0_6_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 6 * 16);
    const vf t0_0_6_1 = a0_0_6 + t0_0_6_0;
    const vf t0_0_6_2 = vf_max_quiet(vf_set(0.0f), t0_0_6_1);
    const vf t0_0_6_3 = vf_result_bf16(t0_0_6_2);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 6 * LANES, t0_0_6_3);
    const vf t0_0_7_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 7 * 16);
    const vf t0_0_7_1 = a0_0_7 + t0_0_7_0;
    const vf t0_0_7_2 = vf_max_quiet(vf_set(0.0f), t0_0_7_1);
    const vf t0_0_7_3 = vf_result_bf16(t0_0_7_2);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 7 * LANES, t0_0_7_3);
    const vf t0_0_8_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 8 * 16);
    const vf t0_0_8_1 = a0_0_8 + t0_0_8_0;
    const vf t0_0_8_2 = vf_max_quiet(vf_set(0.0f), t0_0_8_1);
    const vf t0_0_8_3 = vf_result_bf16(t0_0_8_2);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 8 * LANES, t0_0_8_3);
    const vf t0_0_9_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 9 * 16);
    const vf t0_0_9_1 = a0_0_9 + t0_0_9_0;
    const vf t0_0_9_2 = vf_max_quiet(vf_set(0.0f), t0_0_9_1);
    const vf t0_0_9_3 = vf_result_bf16(t0_0_9_2);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 9 * LANES, t0_0_9_3);
    const vf t1_0_0_0 = vbf_load(e0 + 1 * c->e0_cb + 0 * c->e0_row + 0 * 16);
    const vf t1_0_0_1 = a1_0_0 + t1_0_0_0;
    const vf t1_0_0_2 = vf_max_quiet(vf_set(0.0f), t1_0_0_1);
    const vf t1_0_0_3 = vf_result_bf16(t1_0_0_2);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 0 * LANES, t1_0_0_3);
    const vf t1_0_1_0 = vbf_load(e0 + 1 * c->e0_cb + 0 * c->e0_row + 1 * 16);
    const vf t1_0_1_1 = a1_0_1 + t1_0_1_0;
    const vf t1_0_1_2 = vf_max_quiet(vf_set(0.0f), t1_0_1_1);
    const vf t1_0_1_3 = vf_result_bf16(t1_0_1_2);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 1 * LANES, t1_0_1_3);
    const vf t1_0_2_0 = vbf_load(e0 + 1 * c->e0_cb + 0 * c->e0_row + 2 * 16);
    const vf t1_0_2_1 = a1_0_2 + t1_0_2_0;
    const vf t1_0_2_2 = vf_max_quiet(vf_set(0.0f), t1_0_2_1);
    const vf t1_0_2_3 = vf_result_bf16(t1_0_2_2);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 2 * LANES, t1_0_2_3);
    const vf t1_0_3_0 = vbf_load(e0 + 1 * c->e0_cb + 0 * c->e0_row + 3 * 16);
    const vf t1_0_3_1 = a1_0_3 + t1_0_3_0;
    const vf t1_0_3_2 = vf_max_quiet(vf_set(0.0f), t1_0_3_1);
    const vf t1_0_3_3 = vf_result_bf16(t1_0_3_2);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 3 * LANES, t1_0_3_3);
    const vf t1_0_4_0 = vbf_load(e0 + 1 * c->e0_cb + 0 * c->e0_row + 4 * 16);
    const vf t1_0_4_1 = a1_0_4 + t1_0_4_0;
    const vf t1_0_4_2 = vf_max_quiet(vf_set(0.0f), t1_0_4_1);
    const vf t1_0_4_3 = vf_result_bf16(t1_0_4_2);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 4 * LANES, t1_0_4_3);
    const vf t1_0_5_0 = vbf_load(e0 + 1 * c->e0_cb + 0 * c->e0_row + 5 * 16);
    const vf t1_0_5_1 = a1_0_5 + t1_0_5_0;
    const vf t1_0_5_2 = vf_max_quiet(vf_set(0.0f), t1_0_5_1);
    const vf t1_0_5_3 = vf_result_bf16(t1_0_5_2);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 5 * LANES, t1_0_5_3);
    const vf t1_0_6_0 = vbf_load(e0 + 1 * c->e0_cb + 0 * c->e0_row + 6 * 16);
    const vf t1_0_6_1 = a1_0_6 + t1_0_6_0;
    const vf t1_0_6_2 = vf_max_quiet(vf_set(0.0f), t1_0_6_1);
    const vf t1_0_6_3 = vf_result_bf16(t1_0_6_2);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 6 * LANES, t1_0_6_3);
    const vf t1_0_7_0 = vbf_load(e0 + 1 * c->e0_cb + 0 * c->e0_row + 7 * 16);
    const vf t1_0_7_1 = a1_0_7 + t1_0_7_0;
    const vf t1_0_7_2 = vf_max_quiet(vf_set(0.0f), t1_0_7_1);
    const vf t1_0_7_3 = vf_result_bf16(t1_0_7_2);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 7 * LANES, t1_0_7_3);
    const vf t1_0_8_0 = vbf_load(e0 + 1 * c->e0_cb + 0 * c->e0_row + 8 * 16);
    const vf t1_0_8_1 = a1_0_8 + t1_0_8_0;
    const vf t1_0_8_2 = vf_max_quiet(vf_set(0.0f), t1_0_8_1);
    const vf t1_0_8_3 = vf_result_bf16(t1_0_8_2);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 8 * LANES, t1_0_8_3);
    const vf t1_0_9_0 = vbf_load(e0 + 1 * c->e0_cb + 0 * c->e0_row + 9 * 16);
    const vf t1_0_9_1 = a1_0_9 + t1_0_9_0;
    const vf t1_0_9_2 = vf_max_quiet(vf_set(0.0f), t1_0_9_1);
    const vf t1_0_9_3 = vf_result_bf16(t1_0_9_2);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 9 * LANES, t1_0_9_3);
}

static __attribute__((noinline)) void tile_1hx1x10(const conv *c, const uint16_t *in, const uint16_t *w, const uint16_t *bias, const uint16_t *e0, float *out, int64_t ahead)
{
    const vh b0 = vhbf_load(bias + 0 * LANES);
    vh h0_0_0 = b0, h0_0_1 = b0, h0_0_2 = b0, h0_0_3 = b0, h0_0_4 = b0, h0_0_5 = b0, h0_0_6 = b0, h0_0_7 = b0, h0_0_8 = b0, h0_0_9 = b0;
const int64_t blocks = c->in_blocks, last = c->in_last, in_cb = c->in_cb;
    const uint16_t *x0 = in;
    const int64_t R = c->R, S = c->S, in_r = c->in_r, in_s = c->in_s;
for (int64_t block = 1; block <= blocks; block++, in += in_cb) {
        const int64_t pairs = block < blocks ? LANES / 2 : last / 2;
        const uint16_t *row = in;
        for (int64_t r = 1; r <= R; r++, row += in_r) {
            const uint16_t *tap = row;
            sol_fetch(row + in_cb, 12 * LANES * sizeof *in);
            for (int64_t s = 1; s <= S; s++, tap += in_s) {
                x0 = tap;
                for (int64_t i = pairs; i; i--, x0 += 2, w += 2 * LANES) {
                    {
                        vh w0 = vhbf_load(w + 0 * LANES);
                        SOL_HOLD(w0);
                        SOL_FETCH(w + ahead, 0, 2);
                        { VF_NUMBER(b, sol_from_bf16(x0[0 * LANES + 0])); VF_ADD_PRODUCT(h0_0_0, w0, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[1 * LANES + 0])); VF_ADD_PRODUCT(h0_0_1, w0, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[2 * LANES + 0])); VF_ADD_PRODUCT(h0_0_2, w0, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[3 * LANES + 0])); VF_ADD_PRODUCT(h0_0_3, w0, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[4 * LANES + 0])); VF_ADD_PRODUCT(h0_0_4, w0, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[5 * LANES + 0])); VF_ADD_PRODUCT(h0_0_5, w0, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[6 * LANES + 0])); VF_ADD_PRODUCT(h0_0_6, w0, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[7 * LANES + 0])); VF_ADD_PRODUCT(h0_0_7, w0, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[8 * LANES + 0])); VF_ADD_PRODUCT(h0_0_8, w0, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[9 * LANES + 0])); VF_ADD_PRODUCT(h0_0_9, w0, b); }
                    }
                    SOL_FENCE();
                    {
                        vh w0 = vhbf_load(w + 1 * LANES);
                        SOL_HOLD(w0);
                        SOL_FETCH(w + ahead, 1, 2);
                        { VF_NUMBER(b, sol_from_bf16(x0[0 * LANES + 1])); VF_ADD_PRODUCT(h0_0_0, w0, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[1 * LANES + 1])); VF_ADD_PRODUCT(h0_0_1, w0, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[2 * LANES + 1])); VF_ADD_PRODUCT(h0_0_2, w0, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[3 * LANES + 1])); VF_ADD_PRODUCT(h0_0_3, w0, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[4 * LANES + 1])); VF_ADD_PRODUCT(h0_0_4, w0, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[5 * LANES + 1])); VF_ADD_PRODUCT(h0_0_5, w0, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[6 * LANES + 1])); VF_ADD_PRODUCT(h0_0_6, w0, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[7 * LANES + 1])); VF_ADD_PRODUCT(h0_0_7, w0, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[8 * LANES + 1])); VF_ADD_PRODUCT(h0_0_8, w0, b); }
                        { VF_NUMBER(b, sol_from_bf16(x0[9 * LANES + 1])); VF_ADD_PRODUCT(h0_0_9, w0, b); }
                    }
                    SOL_FENCE();
}
            }
        }
    }
    const vf a0_0_0 = vf_from_low(h0_0_0), a0_0_1 = vf_from_low(h0_0_1), a0_0_2 = vf_from_low(h0_0_2), a0_0_3 = vf_from_low(h0_0_3), a0_0_4 = vf_from_low(h0_0_4), a0_0_5 = vf_from_low(h0_0_5), a0_0_6 = vf_from_low(h0_0_6), a0_0_7 = vf_from_low(h0_0_7), a0_0_8 = vf_from_low(h0_0_8), a0_0_9 = vf_from_low(h0_0_9);
    const vf t0_0_0_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 0 * 16);
    const vf t0_0_0_1 = a0_0_0 + t0_0_0_0;
    const vf t0_0_0_2 = vf_max_quiet(vf_set(0.0f), t0_0_0_1);
    const vf t0_0_0_3 = vf_result_bf16(t0_0_0_2);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 0 * LANES, t0_0_0_3);
    const vf t0_0_1_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 1 * 16);
    const vf t0_0_1_1 = a0_0_1 + t0_0_1_0;
    const vf t0_0_1_2 = vf_max_quiet(vf_set(0.0f), t0_0_1_1);
    const vf t0_0_1_3 = vf_result_bf16(t0_0_1_2);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 1 * LANES, t0_0_1_3);
    const vf t0_0_2_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 2 * 16);
    const vf t0_0_2_1 = a0_0_2 + t0_0_2_0;
    const vf t0_0_2_2 = vf_max_quiet(vf_set(0.0f), t0_0_2_1);
    const vf t0_0_2_3 = vf_result_bf16(t0_0_2_2);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 2 * LANES, t0_0_2_3);
    const vf t0_0_3_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 3 * 16);
    const vf t0_0_3_1 = a0_0_3 + t0_0_3_0;
    const vf t0_0_3_2 = vf_max_quiet(vf_set(0.0f), t0_0_3_1);
    const vf t0_0_3_3 = vf_result_bf16(t0_0_3_2);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 3 * LANES, t0_0_3_3);
    const vf t0_0_4_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 4 * 16);
    const vf t0_0_4_1 = a0_0_4 + t0_0_4_0;
    const vf t0_0_4_2 = vf_max_quiet(vf_set(0.0f), t0_0_4_1);
    const vf t0_0_4_3 = vf_result_bf16(t0_0_4_2);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 4 * LANES, t0_0_4_3);
    const vf t0_0_5_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 5 * 16);
    const vf t0_0_5_1 = a0_0_5 + t0_0_5_0;
    const vf t0_0_5_2 = vf_max_quiet(vf_set(0.0f), t0_0_5_1);
    const vf t0_0_5_3 = vf_result_bf16(t0_0_5_2);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 5 * LANES, t0_0_5_3);
    const vf t0_0_6_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 6 * 16);
    const vf t0_0_6_1 = a0_0_6 + t0_0_6_0;
    const vf t0_0_6_2 = vf_max_quiet(vf_set(0.0f), t0_0_6_1);
    const vf t0_0_6_3 = vf_result_bf16(t0_0_6_2);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 6 * LANES, t0_0_6_3);
    const vf t0_0_7_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 7 * 16);
    const vf t0_0_7_1 = a0_0_7 + t0_0_7_0;
    const vf t0_0_7_2 = vf_max_quiet(vf_set(0.0f), t0_0_7_1);
    const vf t0_0_7_3 = vf_result_bf16(t0_0_7_2);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 7 * LANES, t0_0_7_3);
    const vf t0_0_8_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 8 * 16);
    const vf t0_0_8_1 = a0_0_8 + t0_0_8_0;
    const vf t0_0_8_2 = vf_max_quiet(vf_set(0.0f), t0_0_8_1);
    const vf t0_0_8_3 = vf_result_bf16(t0_0_8_2);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 8 * LANES, t0_0_8_3);
    const vf t0_0_9_0 = vbf_load(e0 + 0 * c->e0_cb + 0 * c->e0_row + 9 * 16);
    const vf t0_0_9_1 = a0_0_9 + t0_0_9_0;
    const vf t0_0_9_2 = vf_max_quiet(vf_set(0.0f), t0_0_9_1);
    const vf t0_0_9_3 = vf_result_bf16(t0_0_9_2);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 9 * LANES, t0_0_9_3);
}

/* Panel of vectors that starts at kb, tiles t0 … t1 - 1. */
static void panel_2(const conv *c, int64_t kb, int64_t t0, int64_t t1)
{
    const uint16_t *w = c->w + kb * c->w_kb;
    const uint16_t *bias = c->bias + kb * LANES;
    const uint16_t *in = c->in + kb / c->group_vectors * c->in_group;
    float *out = c->out + kb * c->out_cb;
    int64_t n = t0 / (c->rows * c->columns), y = t0 / c->columns % c->rows, x = t0 % c->columns;
    int64_t ahead = 2 * c->w_kb; /* the first tile fetches the next panel's weights */
    for (; t0 < t1; t0++, ahead = 0) {
        const uint16_t *i = in + n * c->in_n + y * 1 * c->in_row + x * 10 * LANES;
        float *o = out + n * c->out_n + y * 1 * c->out_row + x * 10 * LANES;
        const uint16_t *e0 = c->e0 + n * c->e0_n + kb * c->e0_cb + y * 1 * c->e0_row + x * 10 * 16;
        tile_2x1x10(c, i, w, bias, e0, o, ahead);
if (++x == c->columns) {
            x = 0;
            if (++y == c->rows) y = 0, n++;
        }
    }
}

static void panel_1h(const conv *c, int64_t kb, int64_t t0, int64_t t1)
{
    const uint16_t *w = c->w + kb * c->w_kb;
    const uint16_t *bias = c->bias + kb * LANES;
    const uint16_t *in = c->in + kb / c->group_vectors * c->in_group;
    float *out = c->out + kb * c->out_cb;
    int64_t n = t0 / (c->rows * c->columns), y = t0 / c->columns % c->rows, x = t0 % c->columns;
    int64_t ahead = 1 * c->w_kb; /* the first tile fetches the next panel's weights */
    for (; t0 < t1; t0++, ahead = 0) {
        const uint16_t *i = in + n * c->in_n + y * 1 * c->in_row + x * 10 * LANES;
        float *o = out + n * c->out_n + y * 1 * c->out_row + x * 10 * LANES;
        const uint16_t *e0 = c->e0 + n * c->e0_n + kb * c->e0_cb + y * 1 * c->e0_row + x * 10 * 16;
        tile_1hx1x10(c, i, w, bias, e0, o, ahead);
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
    if (kb % c->group_vectors + 2 >= c->group_vectors) panel_1h(c, kb, t0, t1); else
    panel_2(c, kb, t0, t1);
}

void conv_direct_bf16(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const uint16_t *in = buf[0];
    const uint16_t *w = buf[1];
    const uint16_t *bias = buf[2];
    const uint16_t *e0 = buf[3];
    float *out = buf[4];
    const int64_t N = arg[0];
    const int64_t OH = arg[1];
    const int64_t OW = arg[2];
    const int64_t groups = arg[3];
    const int64_t group_vectors = arg[4];
    const int64_t by_tiles = arg[5];
    const int64_t in_blocks = arg[6];
    const int64_t in_last = arg[7];
    const int64_t R = arg[8];
    const int64_t S = arg[9];
    const int64_t stride_y = arg[10];
    const int64_t in_n = arg[11];
    const int64_t in_cb = arg[12];
    const int64_t in_row = arg[13];
    const int64_t in_r = arg[14];
    const int64_t in_s = arg[15];
    const int64_t in_start = arg[16];
    const int64_t out_n = arg[17];
    const int64_t out_cb = arg[18];
    const int64_t out_row = arg[19];
    const int64_t e0_n = arg[20];
    const int64_t e0_cb = arg[21];
    const int64_t e0_row = arg[22];
    (void)team; (void)buf; (void)arg;
    const int64_t vectors = groups * group_vectors;
    const int64_t rows = (OH + 0) / 1, columns = (OW + 9) / 10, tiles = N * rows * columns;
    const int64_t in_group = in_blocks * in_cb, w_kb = ((in_blocks - 1) * LANES + in_last) * R * S * LANES;
    const int64_t tile_bytes = groups * in_blocks * 10 * stride_y * LANES * 2; /* fresh input per tile */
    const conv c = {
        .in = in + in_start, .w = w, .bias = bias, .e0 = e0, .out = out, .N = N, .OH = OH, .OW = OW,
        .groups = groups, .group_vectors = group_vectors, .by_tiles = by_tiles, .in_blocks = in_blocks, .in_last = in_last, .R = R, .S = S, .stride_y = stride_y,
        .in_n = in_n, .in_cb = in_cb, .in_row = in_row, .in_r = in_r, .in_s = in_s, .in_start = in_start, .out_n = out_n, .out_cb = out_cb,
        .out_row = out_row, .e0_n = e0_n, .e0_cb = e0_cb, .e0_row = e0_row, .rows = rows, .columns = columns, .w_kb = w_kb, .in_group = in_group,
    };
    if (tiles == 0) return;
    const int64_t pixels = N * OH * OW, weight_bytes = vectors * w_kb * 2, in_bytes = tiles * tile_bytes;
    const int64_t most = (tiles + team->size - 1) / team->size * team->size; /* tiles of the slowest thread, times the team */
    const int share_tiles = by_tiles < 0 ? 2 * in_bytes >= weight_bytes && (most - tiles) * 16 <= tiles : by_tiles != 0;
    sol_share share = sol_share_of(team, share_tiles ? tiles : (2 * vectors - 1) * pixels, team->size);
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
            const int64_t halves = 2 * width - (kb + width == vectors), end = (u1 - base) / halves;
            const int64_t t0 = u0 > base ? tile_at(&c, (u0 - base) / halves) : 0, t1 = end < pixels ? tile_at(&c, end) : tiles;
            panel(&c, kb, t0, t1);
        }
    }
}
