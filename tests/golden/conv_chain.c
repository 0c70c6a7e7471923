/* Convolutions one after the other, row by row: 1x1, depthwise 3x3, 1x1.
 *
 * wide: 1x1 convolution of in, then relu; a ring of rows in scratch, never complete
 * narrow: depthwise convolution of wide, then relu; a strip of rows in scratch
 * out: 1x1 convolution of narrow
 *
 *   share of output rows of this thread; rows of wide at its edge are computed by both neighbours
 *     strip of rows
 *       panel of 2 vectors: the rows of wide that are still missing
 *         each vector: depthwise, tiles of 7 columns
 *       panel of 2 vectors: tiles of 14 pixels
 *
 * Rows beyond the map are a row of zeros in scratch. Sizes and strides are arguments. */
#include "sol_team.h"
#include "sol_simd.h"

typedef struct conv {
    const float *in;
    const float *expand_w;
    const float *depthwise_w;
    const float *w;
    float *out;
    int64_t N, OH, OW, strip, vectors, narrow_last, out_vectors, in_n, in_cb, in_row, out_n, out_cb, out_row, in_blocks, in_last, H;
    int64_t W, above, left, wide_row, rows, columns, w_kb;
} conv;

static __attribute__((noinline)) void expand_2x1x14(const conv *c, const float *in, const float *w, float *out)
{
    const vf b0 = vf_zero();
    vf a0_0_0 = b0, a0_0_1 = b0, a0_0_2 = b0, a0_0_3 = b0, a0_0_4 = b0, a0_0_5 = b0, a0_0_6 = b0, a0_0_7 = b0, a0_0_8 = b0, a0_0_9 = b0, a0_0_10 = b0, a0_0_11 = b0, a0_0_12 = b0, a0_0_13 = b0;
    const vf b1 = vf_zero();
    vf a1_0_0 = b1, a1_0_1 = b1, a1_0_2 = b1, a1_0_3 = b1, a1_0_4 = b1, a1_0_5 = b1, a1_0_6 = b1, a1_0_7 = b1, a1_0_8 = b1, a1_0_9 = b1, a1_0_10 = b1, a1_0_11 = b1, a1_0_12 = b1, a1_0_13 = b1;
const int64_t blocks = c->in_blocks, last = c->in_last, in_cb = c->in_cb;
    const float *x0 = in;
for (int64_t block = 1; block <= blocks; block++, in += in_cb) {
        const int64_t pairs = block < blocks ? LANES / 2 : last / 2;
        x0 = in;
        sol_fetch(in + in_cb, 14 * LANES * sizeof *in);
        for (int64_t i = pairs - (block == blocks); i; i--, x0 += 2, w += 4 * LANES) {
            {
                vf w0 = vf_load(w + 0 * LANES), w1 = vf_load(w + 1 * LANES);
                SOL_HOLD(w0); SOL_HOLD(w1);
                { VF_NUMBER(b, x0[0 * LANES + 0]); VF_ADD_PRODUCT(a0_0_0, w0, b); VF_ADD_PRODUCT(a1_0_0, w1, b); }
                { VF_NUMBER(b, x0[1 * LANES + 0]); VF_ADD_PRODUCT(a0_0_1, w0, b); VF_ADD_PRODUCT(a1_0_1, w1, b); }
                { VF_NUMBER(b, x0[2 * LANES + 0]); VF_ADD_PRODUCT(a0_0_2, w0, b); VF_ADD_PRODUCT(a1_0_2, w1, b); }
                { VF_NUMBER(b, x0[3 * LANES + 0]); VF_ADD_PRODUCT(a0_0_3, w0, b); VF_ADD_PRODUCT(a1_0_3, w1, b); }
                { VF_NUMBER(b, x0[4 * LANES + 0]); VF_ADD_PRODUCT(a0_0_4, w0, b); VF_ADD_PRODUCT(a1_0_4, w1, b); }
                { VF_NUMBER(b, x0[5 * LANES + 0]); VF_ADD_PRODUCT(a0_0_5, w0, b); VF_ADD_PRODUCT(a1_0_5, w1, b); }
                { VF_NUMBER(b, x0[6 * LANES + 0]); VF_ADD_PRODUCT(a0_0_6, w0, b); VF_ADD_PRODUCT(a1_0_6, w1, b); }
                { VF_NUMBER(b, x0[7 * LANES + 0]); VF_ADD_PRODUCT(a0_0_7, w0, b); VF_ADD_PRODUCT(a1_0_7, w1, b); }
                { VF_NUMBER(b, x0[8 * LANES + 0]); VF_ADD_PRODUCT(a0_0_8, w0, b); VF_ADD_PRODUCT(a1_0_8, w1, b); }
                { VF_NUMBER(b, x0[9 * LANES + 0]); VF_ADD_PRODUCT(a0_0_9, w0, b); VF_ADD_PRODUCT(a1_0_9, w1, b); }
                { VF_NUMBER(b, x0[10 * LANES + 0]); VF_ADD_PRODUCT(a0_0_10, w0, b); VF_ADD_PRODUCT(a1_0_10, w1, b); }
                { VF_NUMBER(b, x0[11 * LANES + 0]); VF_ADD_PRODUCT(a0_0_11, w0, b); VF_ADD_PRODUCT(a1_0_11, w1, b); }
                { VF_NUMBER(b, x0[12 * LANES + 0]); VF_ADD_PRODUCT(a0_0_12, w0, b); VF_ADD_PRODUCT(a1_0_12, w1, b); }
                { VF_NUMBER(b, x0[13 * LANES + 0]); VF_ADD_PRODUCT(a0_0_13, w0, b); VF_ADD_PRODUCT(a1_0_13, w1, b); }
            }
            SOL_FENCE();
            {
                vf w0 = vf_load(w + 2 * LANES), w1 = vf_load(w + 3 * LANES);
                SOL_HOLD(w0); SOL_HOLD(w1);
                { VF_NUMBER(b, x0[0 * LANES + 1]); VF_ADD_PRODUCT(a0_0_0, w0, b); VF_ADD_PRODUCT(a1_0_0, w1, b); }
                { VF_NUMBER(b, x0[1 * LANES + 1]); VF_ADD_PRODUCT(a0_0_1, w0, b); VF_ADD_PRODUCT(a1_0_1, w1, b); }
                { VF_NUMBER(b, x0[2 * LANES + 1]); VF_ADD_PRODUCT(a0_0_2, w0, b); VF_ADD_PRODUCT(a1_0_2, w1, b); }
                { VF_NUMBER(b, x0[3 * LANES + 1]); VF_ADD_PRODUCT(a0_0_3, w0, b); VF_ADD_PRODUCT(a1_0_3, w1, b); }
                { VF_NUMBER(b, x0[4 * LANES + 1]); VF_ADD_PRODUCT(a0_0_4, w0, b); VF_ADD_PRODUCT(a1_0_4, w1, b); }
                { VF_NUMBER(b, x0[5 * LANES + 1]); VF_ADD_PRODUCT(a0_0_5, w0, b); VF_ADD_PRODUCT(a1_0_5, w1, b); }
                { VF_NUMBER(b, x0[6 * LANES + 1]); VF_ADD_PRODUCT(a0_0_6, w0, b); VF_ADD_PRODUCT(a1_0_6, w1, b); }
                { VF_NUMBER(b, x0[7 * LANES + 1]); VF_ADD_PRODUCT(a0_0_7, w0, b); VF_ADD_PRODUCT(a1_0_7, w1, b); }
                { VF_NUMBER(b, x0[8 * LANES + 1]); VF_ADD_PRODUCT(a0_0_8, w0, b); VF_ADD_PRODUCT(a1_0_8, w1, b); }
                { VF_NUMBER(b, x0[9 * LANES + 1]); VF_ADD_PRODUCT(a0_0_9, w0, b); VF_ADD_PRODUCT(a1_0_9, w1, b); }
                { VF_NUMBER(b, x0[10 * LANES + 1]); VF_ADD_PRODUCT(a0_0_10, w0, b); VF_ADD_PRODUCT(a1_0_10, w1, b); }
                { VF_NUMBER(b, x0[11 * LANES + 1]); VF_ADD_PRODUCT(a0_0_11, w0, b); VF_ADD_PRODUCT(a1_0_11, w1, b); }
                { VF_NUMBER(b, x0[12 * LANES + 1]); VF_ADD_PRODUCT(a0_0_12, w0, b); VF_ADD_PRODUCT(a1_0_12, w1, b); }
                { VF_NUMBER(b, x0[13 * LANES + 1]); VF_ADD_PRODUCT(a0_0_13, w0, b); VF_ADD_PRODUCT(a1_0_13, w1, b); }
            }
            SOL_FENCE();
}
    }
    {
        const float p0 = x0[0 * LANES], p1 = x0[0 * LANES + 1];
        a0_0_0 += vf_load(w + 0 * LANES) * p0; a1_0_0 += vf_load(w + 1 * LANES) * p0;
        a0_0_0 += vf_load(w + 2 * LANES) * p1; a1_0_0 += vf_load(w + 3 * LANES) * p1;
        const vf t0_0_0_0 = vf_max_quiet(vf_set(0.0f), a0_0_0);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 0 * LANES, t0_0_0_0);
        const vf t1_0_0_0 = vf_max_quiet(vf_set(0.0f), a1_0_0);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 0 * LANES, t1_0_0_0);
    }
    {
        const float p0 = x0[1 * LANES], p1 = x0[1 * LANES + 1];
        a0_0_1 += vf_load(w + 0 * LANES) * p0; a1_0_1 += vf_load(w + 1 * LANES) * p0;
        a0_0_1 += vf_load(w + 2 * LANES) * p1; a1_0_1 += vf_load(w + 3 * LANES) * p1;
        const vf t0_0_1_0 = vf_max_quiet(vf_set(0.0f), a0_0_1);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 1 * LANES, t0_0_1_0);
        const vf t1_0_1_0 = vf_max_quiet(vf_set(0.0f), a1_0_1);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 1 * LANES, t1_0_1_0);
    }
    SOL_FENCE();
    {
        const float p0 = x0[2 * LANES], p1 = x0[2 * LANES + 1];
        a0_0_2 += vf_load(w + 0 * LANES) * p0; a1_0_2 += vf_load(w + 1 * LANES) * p0;
        a0_0_2 += vf_load(w + 2 * LANES) * p1; a1_0_2 += vf_load(w + 3 * LANES) * p1;
        const vf t0_0_2_0 = vf_max_quiet(vf_set(0.0f), a0_0_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 2 * LANES, t0_0_2_0);
        const vf t1_0_2_0 = vf_max_quiet(vf_set(0.0f), a1_0_2);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 2 * LANES, t1_0_2_0);
    }
    {
        const float p0 = x0[3 * LANES], p1 = x0[3 * LANES + 1];
        a0_0_3 += vf_load(w + 0 * LANES) * p0; a1_0_3 += vf_load(w + 1 * LANES) * p0;
        a0_0_3 += vf_load(w + 2 * LANES) * p1; a1_0_3 += vf_load(w + 3 * LANES) * p1;
        const vf t0_0_3_0 = vf_max_quiet(vf_set(0.0f), a0_0_3);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 3 * LANES, t0_0_3_0);
        const vf t1_0_3_0 = vf_max_quiet(vf_set(0.0f), a1_0_3);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 3 * LANES, t1_0_3_0);
    }
    SOL_FENCE();
    {
        const float p0 = x0[4 * LANES], p1 = x0[4 * LANES + 1];
        a0_0_4 += vf_load(w + 0 * LANES) * p0; a1_0_4 += vf_load(w + 1 * LANES) * p0;
        a0_0_4 += vf_load(w + 2 * LANES) * p1; a1_0_4 += vf_load(w + 3 * LANES) * p1;
        const vf t0_0_4_0 = vf_max_quiet(vf_set(0.0f), a0_0_4);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 4 * LANES, t0_0_4_0);
        const vf t1_0_4_0 = vf_max_quiet(vf_set(0.0f), a1_0_4);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 4 * LANES, t1_0_4_0);
    }
    {
        const float p0 = x0[5 * LANES], p1 = x0[5 * LANES + 1];
        a0_0_5 += vf_load(w + 0 * LANES) * p0; a1_0_5 += vf_load(w + 1 * LANES) * p0;
        a0_0_5 += vf_load(w + 2 * LANES) * p1; a1_0_5 += vf_load(w + 3 * LANES) * p1;
        const vf t0_0_5_0 = vf_max_quiet(vf_set(0.0f), a0_0_5);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 5 * LANES, t0_0_5_0);
        const vf t1_0_5_0 = vf_max_quiet(vf_set(0.0f), a1_0_5);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 5 * LANES, t1_0_5_0);
    }
    SOL_FENCE();
    {
        const float p0 = x0[6 * LANES], p1 = x0[6 * LANES + 1];
        a0_0_6 += vf_load(w + 0 * LANES) * p0; a1_0_6 += vf_load(w + 1 * LANES) * p0;
        a0_0_6 += vf_load(w + 2 * LANES) * p1; a1_0_6 += vf_load(w + 3 * LANES) * p1;
        const vf t0_0_6_0 = vf_max_quiet(vf_set(0.0f), a0_0_6);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 6 * LANES, t0_0_6_0);
        const vf t1_0_6_0 = vf_max_quiet(vf_set(0.0f), a1_0_6);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 6 * LANES, t1_0_6_0);
    }
    {
        const float p0 = x0[7 * LANES], p1 = x0[7 * LANES + 1];
        a0_0_7 += vf_load(w + 0 * LANES) * p0; a1_0_7 += vf_load(w + 1 * LANES) * p0;
        a0_0_7 += vf_load(w + 2 * LANES) * p1; a1_0_7 += vf_load(w + 3 * LANES) * p1;
        const vf t0_0_7_0 = vf_max_quiet(vf_set(0.0f), a0_0_7);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 7 * LANES, t0_0_7_0);
        const vf t1_0_7_0 = vf_max_quiet(vf_set(0.0f), a1_0_7);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 7 * LANES, t1_0_7_0);
    }
    SOL_FENCE();
    {
        const float p0 = x0[8 * LANES], p1 = x0[8 * LANES + 1];
        a0_0_8 += vf_load(w + 0 * LANES) * p0; a1_0_8 += vf_load(w + 1 * LANES) * p0;
        a0_0_8 += vf_load(w + 2 * LANES) * p1; a1_0_8 += vf_load(w + 3 * LANES) * p1;
        const vf t0_0_8_0 = vf_max_quiet(vf_set(0.0f), a0_0_8);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 8 * LANES, t0_0_8_0);
        const vf t1_0_8_0 = vf_max_quiet(vf_set(0.0f), a1_0_8);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 8 * LANES, t1_0_8_0);
    }
    {
        const float p0 = x0[9 * LANES], p1 = x0[9 * LANES + 1];
        a0_0_9 += vf_load(w + 0 * LANES) * p0; a1_0_9 += vf_load(w + 1 * LANES) * p0;
        a0_0_9 += vf_load(w + 2 * LANES) * p1; a1_0_9 += vf_load(w + 3 * LANES) * p1;
        const vf t0_0_9_0 = vf_max_quiet(vf_set(0.0f), a0_0_9);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 9 * LANES, t0_0_9_0);
        const vf t1_0_9_0 = vf_max_quiet(vf_set(0.0f), a1_0_9);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 9 * LANES, t1_0_9_0);
    }
    SOL_FENCE();
    {
        const float p0 = x0[10 * LANES], p1 = x0[10 * LANES + 1];
        a0_0_10 += vf_load(w + 0 * LANES) * p0; a1_0_10 += vf_load(w + 1 * LANES) * p0;
        a0_0_10 += vf_load(w + 2 * LANES) * p1; a1_0_10 += vf_load(w + 3 * LANES) * p1;
        const vf t0_0_10_0 = vf_max_quiet(vf_set(0.0f), a0_0_10);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 10 * LANES, t0_0_10_0);
        const vf t1_0_10_0 = vf_max_quiet(vf_set(0.0f), a1_0_10);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 10 * LANES, t1_0_10_0);
    }
    {
        const float p0 = x0[11 * LANES], p1 = x0[11 * LANES + 1];
        a0_0_11 += vf_load(w + 0 * LANES) * p0; a1_0_11 += vf_load(w + 1 * LANES) * p0;
        a0_0_11 += vf_load(w + 2 * LANES) * p1; a1_0_11 += vf_load(w + 3 * LANES) * p1;
        const vf t0_0_11_0 = vf_max_quiet(vf_set(0.0f), a0_0_11);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 11 * LANES, t0_0_11_0);
        const vf t1_0_11_0 = vf_max_quiet(vf_set(0.0f), a1_0_11);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 11 * LANES, t1_0_11_0);
    }
    SOL_FENCE();
    {
        const float p0 = x0[12 * LANES], p1 = x0[12 * LANES + 1];
        a0_0_12 += vf_load(w + 0 * LANES) * p0; a1_0_12 += vf_load(w + 1 * LANES) * p0;
        a0_0_12 += vf_load(w + 2 * LANES) * p1; a1_0_12 += vf_load(w + 3 * LANES) * p1;
        const vf t0_0_12_0 = vf_max_quiet(vf_set(0.0f), a0_0_12);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 12 * LANES, t0_0_12_0);
        const vf t1_0_12_0 = vf_max_quiet(vf_set(0.0f), a1_0_12);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 12 * LANES, t1_0_12_0);
    }
    {
        const float p0 = x0[13 * LANES], p1 = x0[13 * LANES + 1];
        a0_0_13 += vf_load(w + 0 * LANES) * p0; a1_0_13 += vf_load(w + 1 * LANES) * p0;
        a0_0_13 += vf_load(w + 2 * LANES) * p1; a1_0_13 += vf_load(w + 3 * LANES) * p1;
        const vf t0_0_13_0 = vf_max_quiet(vf_set(0.0f), a0_0_13);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 13 * LANES, t0_0_13_0);
        const vf t1_0_13_0 = vf_max_quiet(vf_set(0.0f), a1_0_13);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 13 * LANES, t1_0_13_0);
    }
    SOL_FENCE();
}

/* 1x1 convolution: panel of 2 vectors that starts at kb, rows first … last - 1 of image n, the first of which lies at in. */
static void expand_rows_2(const conv *c, int64_t kb, const float *in, int64_t n, int64_t first, int64_t last)
{
    const float *w = c->expand_w + kb * c->w_kb;
    float *out = c->out + kb * c->out_cb;
    for (int64_t row = first; row < last; row++, in += c->in_row) {
        const int64_t y = row % c->rows;
        for (int64_t x = 0; x < c->columns; x++) {
        const float *i = in + x * 14 * LANES;
        float *o = out + n * c->out_n + y * 1 * c->out_row + x * 14 * LANES;
        expand_2x1x14(c, i, w, o);
}
    }
}

/* The panel that starts at kb, of so many vectors; returns how many it has. */
static int64_t expand_rows(const conv *c, int64_t kb, int64_t vectors, const float *in, int64_t n, int64_t first, int64_t last)
{
    (void)vectors;
    expand_rows_2(c, kb, in, n, first, last);
    return 2;
}

static __attribute__((noinline)) void project_2hx1x14(const conv *c, const float *in, const float *w, float *out)
{
    const vf b0 = vf_zero();
    vf a0_0_0 = b0, a0_0_1 = b0, a0_0_2 = b0, a0_0_3 = b0, a0_0_4 = b0, a0_0_5 = b0, a0_0_6 = b0, a0_0_7 = b0, a0_0_8 = b0, a0_0_9 = b0, a0_0_10 = b0, a0_0_11 = b0, a0_0_12 = b0, a0_0_13 = b0;
    const vh b1 = {0};
    vh h1_0_0 = b1, h1_0_1 = b1, h1_0_2 = b1, h1_0_3 = b1, h1_0_4 = b1, h1_0_5 = b1, h1_0_6 = b1, h1_0_7 = b1, h1_0_8 = b1, h1_0_9 = b1, h1_0_10 = b1, h1_0_11 = b1, h1_0_12 = b1, h1_0_13 = b1;
const int64_t blocks = c->in_blocks, last = c->in_last, in_cb = c->in_cb;
    const float *x0 = in;
for (int64_t block = 1; block <= blocks; block++, in += in_cb) {
        const int64_t pairs = block < blocks ? LANES / 2 : last / 2;
        x0 = in;
        sol_fetch(in + in_cb, 14 * LANES * sizeof *in);
        for (int64_t i = pairs - (block == blocks); i; i--, x0 += 2, w += 4 * LANES) {
            {
                vf w0 = vf_load(w + 0 * LANES);
                vh w1 = vh_load(w + 1 * LANES);
                SOL_HOLD(w0); SOL_HOLD(w1);
                { VF_NUMBER(b, x0[0 * LANES + 0]); VF_ADD_PRODUCT(a0_0_0, w0, b); VF_ADD_PRODUCT(h1_0_0, w1, b); }
                { VF_NUMBER(b, x0[1 * LANES + 0]); VF_ADD_PRODUCT(a0_0_1, w0, b); VF_ADD_PRODUCT(h1_0_1, w1, b); }
                { VF_NUMBER(b, x0[2 * LANES + 0]); VF_ADD_PRODUCT(a0_0_2, w0, b); VF_ADD_PRODUCT(h1_0_2, w1, b); }
                { VF_NUMBER(b, x0[3 * LANES + 0]); VF_ADD_PRODUCT(a0_0_3, w0, b); VF_ADD_PRODUCT(h1_0_3, w1, b); }
                { VF_NUMBER(b, x0[4 * LANES + 0]); VF_ADD_PRODUCT(a0_0_4, w0, b); VF_ADD_PRODUCT(h1_0_4, w1, b); }
                { VF_NUMBER(b, x0[5 * LANES + 0]); VF_ADD_PRODUCT(a0_0_5, w0, b); VF_ADD_PRODUCT(h1_0_5, w1, b); }
                { VF_NUMBER(b, x0[6 * LANES + 0]); VF_ADD_PRODUCT(a0_0_6, w0, b); VF_ADD_PRODUCT(h1_0_6, w1, b); }
                { VF_NUMBER(b, x0[7 * LANES + 0]); VF_ADD_PRODUCT(a0_0_7, w0, b); VF_ADD_PRODUCT(h1_0_7, w1, b); }
                { VF_NUMBER(b, x0[8 * LANES + 0]); VF_ADD_PRODUCT(a0_0_8, w0, b); VF_ADD_PRODUCT(h1_0_8, w1, b); }
                { VF_NUMBER(b, x0[9 * LANES + 0]); VF_ADD_PRODUCT(a0_0_9, w0, b); VF_ADD_PRODUCT(h1_0_9, w1, b); }
                { VF_NUMBER(b, x0[10 * LANES + 0]); VF_ADD_PRODUCT(a0_0_10, w0, b); VF_ADD_PRODUCT(h1_0_10, w1, b); }
                { VF_NUMBER(b, x0[11 * LANES + 0]); VF_ADD_PRODUCT(a0_0_11, w0, b); VF_ADD_PRODUCT(h1_0_11, w1, b); }
                { VF_NUMBER(b, x0[12 * LANES + 0]); VF_ADD_PRODUCT(a0_0_12, w0, b); VF_ADD_PRODUCT(h1_0_12, w1, b); }
                { VF_NUMBER(b, x0[13 * LANES + 0]); VF_ADD_PRODUCT(a0_0_13, w0, b); VF_ADD_PRODUCT(h1_0_13, w1, b); }
            }
            SOL_FENCE();
            {
                vf w0 = vf_load(w + 2 * LANES);
                vh w1 = vh_load(w + 3 * LANES);
                SOL_HOLD(w0); SOL_HOLD(w1);
                { VF_NUMBER(b, x0[0 * LANES + 1]); VF_ADD_PRODUCT(a0_0_0, w0, b); VF_ADD_PRODUCT(h1_0_0, w1, b); }
                { VF_NUMBER(b, x0[1 * LANES + 1]); VF_ADD_PRODUCT(a0_0_1, w0, b); VF_ADD_PRODUCT(h1_0_1, w1, b); }
                { VF_NUMBER(b, x0[2 * LANES + 1]); VF_ADD_PRODUCT(a0_0_2, w0, b); VF_ADD_PRODUCT(h1_0_2, w1, b); }
                { VF_NUMBER(b, x0[3 * LANES + 1]); VF_ADD_PRODUCT(a0_0_3, w0, b); VF_ADD_PRODUCT(h1_0_3, w1, b); }
                { VF_NUMBER(b, x0[4 * LANES + 1]); VF_ADD_PRODUCT(a0_0_4, w0, b); VF_ADD_PRODUCT(h1_0_4, w1, b); }
                { VF_NUMBER(b, x0[5 * LANES + 1]); VF_ADD_PRODUCT(a0_0_5, w0, b); VF_ADD_PRODUCT(h1_0_5, w1, b); }
                { VF_NUMBER(b, x0[6 * LANES + 1]); VF_ADD_PRODUCT(a0_0_6, w0, b); VF_ADD_PRODUCT(h1_0_6, w1, b); }
                { VF_NUMBER(b, x0[7 * LANES + 1]); VF_ADD_PRODUCT(a0_0_7, w0, b); VF_ADD_PRODUCT(h1_0_7, w1, b); }
                { VF_NUMBER(b, x0[8 * LANES + 1]); VF_ADD_PRODUCT(a0_0_8, w0, b); VF_ADD_PRODUCT(h1_0_8, w1, b); }
                { VF_NUMBER(b, x0[9 * LANES + 1]); VF_ADD_PRODUCT(a0_0_9, w0, b); VF_ADD_PRODUCT(h1_0_9, w1, b); }
                { VF_NUMBER(b, x0[10 * LANES + 1]); VF_ADD_PRODUCT(a0_0_10, w0, b); VF_ADD_PRODUCT(h1_0_10, w1, b); }
                { VF_NUMBER(b, x0[11 * LANES + 1]); VF_ADD_PRODUCT(a0_0_11, w0, b); VF_ADD_PRODUCT(h1_0_11, w1, b); }
                { VF_NUMBER(b, x0[12 * LANES + 1]); VF_ADD_PRODUCT(a0_0_12, w0, b); VF_ADD_PRODUCT(h1_0_12, w1, b); }
                { VF_NUMBER(b, x0[13 * LANES + 1]); VF_ADD_PRODUCT(a0_0_13, w0, b); VF_ADD_PRODUCT(h1_0_13, w1, b); }
            }
            SOL_FENCE();
}
    }
    {
        const float p0 = x0[0 * LANES], p1 = x0[0 * LANES + 1];
        a0_0_0 += vf_load(w + 0 * LANES) * p0; h1_0_0 += vh_load(w + 1 * LANES) * p0;
        a0_0_0 += vf_load(w + 2 * LANES) * p1; h1_0_0 += vh_load(w + 3 * LANES) * p1;
        const vf a1_0_0 = vf_from_low(h1_0_0);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 0 * LANES, a0_0_0);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 0 * LANES, a1_0_0);
    }
    {
        const float p0 = x0[1 * LANES], p1 = x0[1 * LANES + 1];
        a0_0_1 += vf_load(w + 0 * LANES) * p0; h1_0_1 += vh_load(w + 1 * LANES) * p0;
        a0_0_1 += vf_load(w + 2 * LANES) * p1; h1_0_1 += vh_load(w + 3 * LANES) * p1;
        const vf a1_0_1 = vf_from_low(h1_0_1);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 1 * LANES, a0_0_1);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 1 * LANES, a1_0_1);
    }
    SOL_FENCE();
    {
        const float p0 = x0[2 * LANES], p1 = x0[2 * LANES + 1];
        a0_0_2 += vf_load(w + 0 * LANES) * p0; h1_0_2 += vh_load(w + 1 * LANES) * p0;
        a0_0_2 += vf_load(w + 2 * LANES) * p1; h1_0_2 += vh_load(w + 3 * LANES) * p1;
        const vf a1_0_2 = vf_from_low(h1_0_2);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 2 * LANES, a0_0_2);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 2 * LANES, a1_0_2);
    }
    {
        const float p0 = x0[3 * LANES], p1 = x0[3 * LANES + 1];
        a0_0_3 += vf_load(w + 0 * LANES) * p0; h1_0_3 += vh_load(w + 1 * LANES) * p0;
        a0_0_3 += vf_load(w + 2 * LANES) * p1; h1_0_3 += vh_load(w + 3 * LANES) * p1;
        const vf a1_0_3 = vf_from_low(h1_0_3);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 3 * LANES, a0_0_3);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 3 * LANES, a1_0_3);
    }
    SOL_FENCE();
    {
        const float p0 = x0[4 * LANES], p1 = x0[4 * LANES + 1];
        a0_0_4 += vf_load(w + 0 * LANES) * p0; h1_0_4 += vh_load(w + 1 * LANES) * p0;
        a0_0_4 += vf_load(w + 2 * LANES) * p1; h1_0_4 += vh_load(w + 3 * LANES) * p1;
        const vf a1_0_4 = vf_from_low(h1_0_4);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 4 * LANES, a0_0_4);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 4 * LANES, a1_0_4);
    }
    {
        const float p0 = x0[5 * LANES], p1 = x0[5 * LANES + 1];
        a0_0_5 += vf_load(w + 0 * LANES) * p0; h1_0_5 += vh_load(w + 1 * LANES) * p0;
        a0_0_5 += vf_load(w + 2 * LANES) * p1; h1_0_5 += vh_load(w + 3 * LANES) * p1;
        const vf a1_0_5 = vf_from_low(h1_0_5);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 5 * LANES, a0_0_5);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 5 * LANES, a1_0_5);
    }
    SOL_FENCE();
    {
        const float p0 = x0[6 * LANES], p1 = x0[6 * LANES + 1];
        a0_0_6 += vf_load(w + 0 * LANES) * p0; h1_0_6 += vh_load(w + 1 * LANES) * p0;
        a0_0_6 += vf_load(w + 2 * LANES) * p1; h1_0_6 += vh_load(w + 3 * LANES) * p1;
        const vf a1_0_6 = vf_from_low(h1_0_6);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 6 * LANES, a0_0_6);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 6 * LANES, a1_0_6);
    }
    {
        const float p0 = x0[7 * LANES], p1 = x0[7 * LANES + 1];
        a0_0_7 += vf_load(w + 0 * LANES) * p0; h1_0_7 += vh_load(w + 1 * LANES) * p0;
        a0_0_7 += vf_load(w + 2 * LANES) * p1; h1_0_7 += vh_load(w + 3 * LANES) * p1;
        const vf a1_0_7 = vf_from_low(h1_0_7);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 7 * LANES, a0_0_7);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 7 * LANES, a1_0_7);
    }
    SOL_FENCE();
    {
        const float p0 = x0[8 * LANES], p1 = x0[8 * LANES + 1];
        a0_0_8 += vf_load(w + 0 * LANES) * p0; h1_0_8 += vh_load(w + 1 * LANES) * p0;
        a0_0_8 += vf_load(w + 2 * LANES) * p1; h1_0_8 += vh_load(w + 3 * LANES) * p1;
        const vf a1_0_8 = vf_from_low(h1_0_8);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 8 * LANES, a0_0_8);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 8 * LANES, a1_0_8);
    }
    {
        const float p0 = x0[9 * LANES], p1 = x0[9 * LANES + 1];
        a0_0_9 += vf_load(w + 0 * LANES) * p0; h1_0_9 += vh_load(w + 1 * LANES) * p0;
        a0_0_9 += vf_load(w + 2 * LANES) * p1; h1_0_9 += vh_load(w + 3 * LANES) * p1;
        const vf a1_0_9 = vf_from_low(h1_0_9);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 9 * LANES, a0_0_9);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 9 * LANES, a1_0_9);
    }
    SOL_FENCE();
    {
        const float p0 = x0[10 * LANES], p1 = x0[10 * LANES + 1];
        a0_0_10 += vf_load(w + 0 * LANES) * p0; h1_0_10 += vh_load(w + 1 * LANES) * p0;
        a0_0_10 += vf_load(w + 2 * LANES) * p1; h1_0_10 += vh_load(w + 3 * LANES) * p1;
        const vf a1_0_10 = vf_from_low(h1_0_10);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 10 * LANES, a0_0_10);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 10 * LANES, a1_0_10);
    }
    {
        const float p0 = x0[11 * LANES], p1 = x0[11 * LANES + 1];
        a0_0_11 += vf_load(w + 0 * LANES) * p0; h1_0_11 += vh_load(w + 1 * LANES) * p0;
        a0_0_11 += vf_load(w + 2 * LANES) * p1; h1_0_11 += vh_load(w + 3 * LANES) * p1;
        const vf a1_0_11 = vf_from_low(h1_0_11);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 11 * LANES, a0_0_11);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 11 * LANES, a1_0_11);
    }
    SOL_FENCE();
    {
        const float p0 = x0[12 * LANES], p1 = x0[12 * LANES + 1];
        a0_0_12 += vf_load(w + 0 * LANES) * p0; h1_0_12 += vh_load(w + 1 * LANES) * p0;
        a0_0_12 += vf_load(w + 2 * LANES) * p1; h1_0_12 += vh_load(w + 3 * LANES) * p1;
        const vf a1_0_12 = vf_from_low(h1_0_12);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 12 * LANES, a0_0_12);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 12 * LANES, a1_0_12);
    }
    {
        const float p0 = x0[13 * LANES], p1 = x0[13 * LANES + 1];
        a0_0_13 += vf_load(w + 0 * LANES) * p0; h1_0_13 += vh_load(w + 1 * LANES) * p0;
        a0_0_13 += vf_load(w + 2 * LANES) * p1; h1_0_13 += vh_load(w + 3 * LANES) * p1;
        const vf a1_0_13 = vf_from_low(h1_0_13);
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 13 * LANES, a0_0_13);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 13 * LANES, a1_0_13);
    }
    SOL_FENCE();
}

/* 1x1 convolution: panel of 2 vectors that starts at kb, rows first … last - 1 of image n, the first of which lies at in. */
static void project_rows_2h(const conv *c, int64_t kb, const float *in, int64_t n, int64_t first, int64_t last)
{
    const float *w = c->w + kb * c->w_kb;
    float *out = c->out + kb * c->out_cb;
    for (int64_t row = first; row < last; row++, in += c->in_row) {
        const int64_t y = row % c->rows;
        for (int64_t x = 0; x < c->columns; x++) {
        const float *i = in + x * 14 * LANES;
        float *o = out + n * c->out_n + y * 1 * c->out_row + x * 14 * LANES;
        project_2hx1x14(c, i, w, o);
}
    }
}

/* The panel that starts at kb, of so many vectors; returns how many it has. */
static int64_t project_rows(const conv *c, int64_t kb, int64_t vectors, const float *in, int64_t n, int64_t first, int64_t last)
{
    (void)vectors;
    project_rows_2h(c, kb, in, n, first, last);
    return 2;
}

/* Behind the depthwise convolution: relu. */
SOL_INLINE vf epilogue(vf a)
{
    const vf t0 = vf_max_quiet(vf_set(0.0f), a);
    return t0;
}

/* One vector of channels, 2 output rows. row: the 4 rows that are read, from the first column of the padded map. */
static __attribute__((noinline)) void depthwise_2(const float *const *row, const float *w, vf b, float *o, int64_t out_y, int64_t W)
{
    const vf w0 = vf_load(w + 0 * LANES);
    const vf w1 = vf_load(w + 1 * LANES);
    const vf w2 = vf_load(w + 2 * LANES);
    const vf w3 = vf_load(w + 3 * LANES);
    const vf w4 = vf_load(w + 4 * LANES);
    const vf w5 = vf_load(w + 5 * LANES);
    const vf w6 = vf_load(w + 6 * LANES);
    const vf w7 = vf_load(w + 7 * LANES);
    const vf w8 = vf_load(w + 8 * LANES);
    int64_t x = 0;
    for (; x + 7 <= W; x += 7) {
        vf a0_0 = b, a0_1 = b, a0_2 = b, a0_3 = b, a0_4 = b, a0_5 = b, a0_6 = b;
        vf a1_0 = b, a1_1 = b, a1_2 = b, a1_3 = b, a1_4 = b, a1_5 = b, a1_6 = b;
        {
            const float *p = row[0] + x * 1 * LANES;
            const vf v0 = vf_load(p + 0 * LANES);
            a0_0 += v0 * w0;
            const vf v1 = vf_load(p + 1 * LANES);
            a0_0 += v1 * w1; a0_1 += v1 * w0;
            const vf v2 = vf_load(p + 2 * LANES);
            a0_0 += v2 * w2; a0_1 += v2 * w1; a0_2 += v2 * w0;
            const vf v3 = vf_load(p + 3 * LANES);
            a0_1 += v3 * w2; a0_2 += v3 * w1; a0_3 += v3 * w0;
            const vf v4 = vf_load(p + 4 * LANES);
            a0_2 += v4 * w2; a0_3 += v4 * w1; a0_4 += v4 * w0;
            const vf v5 = vf_load(p + 5 * LANES);
            a0_3 += v5 * w2; a0_4 += v5 * w1; a0_5 += v5 * w0;
            const vf v6 = vf_load(p + 6 * LANES);
            a0_4 += v6 * w2; a0_5 += v6 * w1; a0_6 += v6 * w0;
            const vf v7 = vf_load(p + 7 * LANES);
            a0_5 += v7 * w2; a0_6 += v7 * w1;
            const vf v8 = vf_load(p + 8 * LANES);
            a0_6 += v8 * w2;
        }
        {
            const float *p = row[1] + x * 1 * LANES;
            const vf v0 = vf_load(p + 0 * LANES);
            a0_0 += v0 * w3; a1_0 += v0 * w0;
            const vf v1 = vf_load(p + 1 * LANES);
            a0_0 += v1 * w4; a0_1 += v1 * w3; a1_0 += v1 * w1; a1_1 += v1 * w0;
            const vf v2 = vf_load(p + 2 * LANES);
            a0_0 += v2 * w5; a0_1 += v2 * w4; a0_2 += v2 * w3; a1_0 += v2 * w2; a1_1 += v2 * w1; a1_2 += v2 * w0;
            const vf v3 = vf_load(p + 3 * LANES);
            a0_1 += v3 * w5; a0_2 += v3 * w4; a0_3 += v3 * w3; a1_1 += v3 * w2; a1_2 += v3 * w1; a1_3 += v3 * w0;
            const vf v4 = vf_load(p + 4 * LANES);
            a0_2 += v4 * w5; a0_3 += v4 * w4; a0_4 += v4 * w3; a1_2 += v4 * w2; a1_3 += v4 * w1; a1_4 += v4 * w0;
            const vf v5 = vf_load(p + 5 * LANES);
            a0_3 += v5 * w5; a0_4 += v5 * w4; a0_5 += v5 * w3; a1_3 += v5 * w2; a1_4 += v5 * w1; a1_5 += v5 * w0;
            const vf v6 = vf_load(p + 6 * LANES);
            a0_4 += v6 * w5; a0_5 += v6 * w4; a0_6 += v6 * w3; a1_4 += v6 * w2; a1_5 += v6 * w1; a1_6 += v6 * w0;
            const vf v7 = vf_load(p + 7 * LANES);
            a0_5 += v7 * w5; a0_6 += v7 * w4; a1_5 += v7 * w2; a1_6 += v7 * w1;
            const vf v8 = vf_load(p + 8 * LANES);
            a0_6 += v8 * w5; a1_6 += v8 * w2;
        }
        {
            const float *p = row[2] + x * 1 * LANES;
            const vf v0 = vf_load(p + 0 * LANES);
            a0_0 += v0 * w6; a1_0 += v0 * w3;
            const vf v1 = vf_load(p + 1 * LANES);
            a0_0 += v1 * w7; a0_1 += v1 * w6; a1_0 += v1 * w4; a1_1 += v1 * w3;
            const vf v2 = vf_load(p + 2 * LANES);
            a0_0 += v2 * w8; a0_1 += v2 * w7; a0_2 += v2 * w6; a1_0 += v2 * w5; a1_1 += v2 * w4; a1_2 += v2 * w3;
            vf_store(o + 0 * out_y + (x + 0) * LANES, epilogue(a0_0));
            const vf v3 = vf_load(p + 3 * LANES);
            a0_1 += v3 * w8; a0_2 += v3 * w7; a0_3 += v3 * w6; a1_1 += v3 * w5; a1_2 += v3 * w4; a1_3 += v3 * w3;
            vf_store(o + 0 * out_y + (x + 1) * LANES, epilogue(a0_1));
            const vf v4 = vf_load(p + 4 * LANES);
            a0_2 += v4 * w8; a0_3 += v4 * w7; a0_4 += v4 * w6; a1_2 += v4 * w5; a1_3 += v4 * w4; a1_4 += v4 * w3;
            vf_store(o + 0 * out_y + (x + 2) * LANES, epilogue(a0_2));
            const vf v5 = vf_load(p + 5 * LANES);
            a0_3 += v5 * w8; a0_4 += v5 * w7; a0_5 += v5 * w6; a1_3 += v5 * w5; a1_4 += v5 * w4; a1_5 += v5 * w3;
            vf_store(o + 0 * out_y + (x + 3) * LANES, epilogue(a0_3));
            const vf v6 = vf_load(p + 6 * LANES);
            a0_4 += v6 * w8; a0_5 += v6 * w7; a0_6 += v6 * w6; a1_4 += v6 * w5; a1_5 += v6 * w4; a1_6 += v6 * w3;
            vf_store(o + 0 * out_y + (x + 4) * LANES, epilogue(a0_4));
            const vf v7 = vf_load(p + 7 * LANES);
            a0_5 += v7 * w8; a0_6 += v7 * w7; a1_5 += v7 * w5; a1_6 += v7 * w4;
            vf_store(o + 0 * out_y + (x + 5) * LANES, epilogue(a0_5));
            const vf v8 = vf_load(p + 8 * LANES);
            a0_6 += v8 * w8; a1_6 += v8 * w5;
            vf_store(o + 0 * out_y + (x + 6) * LANES, epilogue(a0_6));
        }
        {
            const float *p = row[3] + x * 1 * LANES;
            const vf v0 = vf_load(p + 0 * LANES);
            a1_0 += v0 * w6;
            const vf v1 = vf_load(p + 1 * LANES);
            a1_0 += v1 * w7; a1_1 += v1 * w6;
            const vf v2 = vf_load(p + 2 * LANES);
            a1_0 += v2 * w8; a1_1 += v2 * w7; a1_2 += v2 * w6;
            vf_store(o + 1 * out_y + (x + 0) * LANES, epilogue(a1_0));
            const vf v3 = vf_load(p + 3 * LANES);
            a1_1 += v3 * w8; a1_2 += v3 * w7; a1_3 += v3 * w6;
            vf_store(o + 1 * out_y + (x + 1) * LANES, epilogue(a1_1));
            const vf v4 = vf_load(p + 4 * LANES);
            a1_2 += v4 * w8; a1_3 += v4 * w7; a1_4 += v4 * w6;
            vf_store(o + 1 * out_y + (x + 2) * LANES, epilogue(a1_2));
            const vf v5 = vf_load(p + 5 * LANES);
            a1_3 += v5 * w8; a1_4 += v5 * w7; a1_5 += v5 * w6;
            vf_store(o + 1 * out_y + (x + 3) * LANES, epilogue(a1_3));
            const vf v6 = vf_load(p + 6 * LANES);
            a1_4 += v6 * w8; a1_5 += v6 * w7; a1_6 += v6 * w6;
            vf_store(o + 1 * out_y + (x + 4) * LANES, epilogue(a1_4));
            const vf v7 = vf_load(p + 7 * LANES);
            a1_5 += v7 * w8; a1_6 += v7 * w7;
            vf_store(o + 1 * out_y + (x + 5) * LANES, epilogue(a1_5));
            const vf v8 = vf_load(p + 8 * LANES);
            a1_6 += v8 * w8;
            vf_store(o + 1 * out_y + (x + 6) * LANES, epilogue(a1_6));
        }
    }
}

/* One vector of channels, 1 output row. row: the 3 rows that are read, from the first column of the padded map. */
static __attribute__((noinline)) void depthwise_1(const float *const *row, const float *w, vf b, float *o, int64_t out_y, int64_t W)
{
    const vf w0 = vf_load(w + 0 * LANES);
    const vf w1 = vf_load(w + 1 * LANES);
    const vf w2 = vf_load(w + 2 * LANES);
    const vf w3 = vf_load(w + 3 * LANES);
    const vf w4 = vf_load(w + 4 * LANES);
    const vf w5 = vf_load(w + 5 * LANES);
    const vf w6 = vf_load(w + 6 * LANES);
    const vf w7 = vf_load(w + 7 * LANES);
    const vf w8 = vf_load(w + 8 * LANES);
    int64_t x = 0;
    for (; x + 7 <= W; x += 7) {
        vf a0_0 = b, a0_1 = b, a0_2 = b, a0_3 = b, a0_4 = b, a0_5 = b, a0_6 = b;
        {
            const float *p = row[0] + x * 1 * LANES;
            const vf v0 = vf_load(p + 0 * LANES);
            a0_0 += v0 * w0;
            const vf v1 = vf_load(p + 1 * LANES);
            a0_0 += v1 * w1; a0_1 += v1 * w0;
            const vf v2 = vf_load(p + 2 * LANES);
            a0_0 += v2 * w2; a0_1 += v2 * w1; a0_2 += v2 * w0;
            const vf v3 = vf_load(p + 3 * LANES);
            a0_1 += v3 * w2; a0_2 += v3 * w1; a0_3 += v3 * w0;
            const vf v4 = vf_load(p + 4 * LANES);
            a0_2 += v4 * w2; a0_3 += v4 * w1; a0_4 += v4 * w0;
            const vf v5 = vf_load(p + 5 * LANES);
            a0_3 += v5 * w2; a0_4 += v5 * w1; a0_5 += v5 * w0;
            const vf v6 = vf_load(p + 6 * LANES);
            a0_4 += v6 * w2; a0_5 += v6 * w1; a0_6 += v6 * w0;
            const vf v7 = vf_load(p + 7 * LANES);
            a0_5 += v7 * w2; a0_6 += v7 * w1;
            const vf v8 = vf_load(p + 8 * LANES);
            a0_6 += v8 * w2;
        }
        {
            const float *p = row[1] + x * 1 * LANES;
            const vf v0 = vf_load(p + 0 * LANES);
            a0_0 += v0 * w3;
            const vf v1 = vf_load(p + 1 * LANES);
            a0_0 += v1 * w4; a0_1 += v1 * w3;
            const vf v2 = vf_load(p + 2 * LANES);
            a0_0 += v2 * w5; a0_1 += v2 * w4; a0_2 += v2 * w3;
            const vf v3 = vf_load(p + 3 * LANES);
            a0_1 += v3 * w5; a0_2 += v3 * w4; a0_3 += v3 * w3;
            const vf v4 = vf_load(p + 4 * LANES);
            a0_2 += v4 * w5; a0_3 += v4 * w4; a0_4 += v4 * w3;
            const vf v5 = vf_load(p + 5 * LANES);
            a0_3 += v5 * w5; a0_4 += v5 * w4; a0_5 += v5 * w3;
            const vf v6 = vf_load(p + 6 * LANES);
            a0_4 += v6 * w5; a0_5 += v6 * w4; a0_6 += v6 * w3;
            const vf v7 = vf_load(p + 7 * LANES);
            a0_5 += v7 * w5; a0_6 += v7 * w4;
            const vf v8 = vf_load(p + 8 * LANES);
            a0_6 += v8 * w5;
        }
        {
            const float *p = row[2] + x * 1 * LANES;
            const vf v0 = vf_load(p + 0 * LANES);
            a0_0 += v0 * w6;
            const vf v1 = vf_load(p + 1 * LANES);
            a0_0 += v1 * w7; a0_1 += v1 * w6;
            const vf v2 = vf_load(p + 2 * LANES);
            a0_0 += v2 * w8; a0_1 += v2 * w7; a0_2 += v2 * w6;
            vf_store(o + 0 * out_y + (x + 0) * LANES, epilogue(a0_0));
            const vf v3 = vf_load(p + 3 * LANES);
            a0_1 += v3 * w8; a0_2 += v3 * w7; a0_3 += v3 * w6;
            vf_store(o + 0 * out_y + (x + 1) * LANES, epilogue(a0_1));
            const vf v4 = vf_load(p + 4 * LANES);
            a0_2 += v4 * w8; a0_3 += v4 * w7; a0_4 += v4 * w6;
            vf_store(o + 0 * out_y + (x + 2) * LANES, epilogue(a0_2));
            const vf v5 = vf_load(p + 5 * LANES);
            a0_3 += v5 * w8; a0_4 += v5 * w7; a0_5 += v5 * w6;
            vf_store(o + 0 * out_y + (x + 3) * LANES, epilogue(a0_3));
            const vf v6 = vf_load(p + 6 * LANES);
            a0_4 += v6 * w8; a0_5 += v6 * w7; a0_6 += v6 * w6;
            vf_store(o + 0 * out_y + (x + 4) * LANES, epilogue(a0_4));
            const vf v7 = vf_load(p + 7 * LANES);
            a0_5 += v7 * w8; a0_6 += v7 * w7;
            vf_store(o + 0 * out_y + (x + 5) * LANES, epilogue(a0_5));
            const vf v8 = vf_load(p + 8 * LANES);
            a0_6 += v8 * w8;
            vf_store(o + 0 * out_y + (x + 6) * LANES, epilogue(a0_6));
        }
    }
}

void conv_chain(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    const float *expand_w = buf[1];
    const float *depthwise_w = buf[2];
    const float *w = buf[3];
    float *out = buf[4];
    const int64_t N = arg[0];
    const int64_t OH = arg[1];
    const int64_t OW = arg[2];
    const int64_t strip = arg[3];
    const int64_t vectors = arg[4];
    const int64_t narrow_last = arg[5];
    const int64_t out_vectors = arg[6];
    const int64_t in_n = arg[7];
    const int64_t in_cb = arg[8];
    const int64_t in_row = arg[9];
    const int64_t out_n = arg[10];
    const int64_t out_cb = arg[11];
    const int64_t out_row = arg[12];
    const int64_t in_blocks = arg[13];
    const int64_t in_last = arg[14];
    const int64_t H = arg[15];
    const int64_t W = arg[16];
    const int64_t above = arg[17];
    const int64_t left = arg[18];
    const int64_t wide_row = arg[19];
    (void)team; (void)buf; (void)arg;
    float *const narrow = (float *)team->scratch;
    const int64_t narrow_cb = (strip * OW + 1) * LANES; /* one vector more: no powers of two */
    const int64_t ring = (strip - 1) * 1 + 3; /* rows that a strip reads */
    float *const zeros = narrow + vectors * narrow_cb, *const wide = zeros + wide_row;
    const int64_t wide_cb = ring * wide_row + LANES;
    for (int64_t i = 0; i < wide_row; i += LANES) vf_store(zeros + i, vf_zero());
    for (int64_t b = 0; b < vectors; b++) {
        for (int64_t r = 0; r < ring; r++) {
            float *p = wide + b * wide_cb + r * wide_row;
            for (int64_t i = 0; i < left * LANES; i += LANES) vf_store(p + i, vf_zero());
            for (int64_t i = (left + W) * LANES; i < wide_row; i += LANES) vf_store(p + i, vf_zero());
        }
    }
    const conv second = { /* rows are those of the map, what is read is a strip */
        .in = narrow, .expand_w = expand_w, .depthwise_w = depthwise_w, .w = w, .out = out, .N = N, .OH = OH, .OW = OW,
        .strip = strip, .vectors = vectors, .narrow_last = narrow_last, .out_vectors = out_vectors, .in_n = in_n, .in_cb = narrow_cb, .in_row = OW * LANES, .out_n = out_n,
        .out_cb = out_cb, .out_row = out_row, .in_blocks = vectors, .in_last = narrow_last, .H = H, .W = W, .above = above, .left = left,
        .wide_row = wide_row, .rows = OH, .columns = (OW + 13) / 14, .w_kb = ((vectors - 1) * LANES + narrow_last) * LANES,
    };
    conv first = second; /* rows of what it makes are a ring */
    first.in_blocks = in_blocks, first.in_last = in_last, first.w_kb = ((in_blocks - 1) * LANES + in_last) * LANES, first.in_cb = in_cb, first.in_row = in_row;
    first.out = wide + left * LANES, first.out_n = 0, first.out_cb = wide_cb, first.out_row = wide_row;
    first.rows = ring, first.OW = W, first.columns = (W + 13) / 14;
    int64_t u, end;
    sol_split(team, N * OH, &u, &end);
    while (u < end) {
        const int64_t n = u / OH, top = u % OH, bottom = OH - top < end - u ? OH : top + end - u;
        u += bottom - top;
        int64_t have = top * 1 - above; /* rows of wide before it are made, or not needed */
        if (have < 0) have = 0;
        for (int64_t y0 = top; y0 < bottom; y0 += strip) {
            const int64_t y1 = bottom - y0 < strip ? bottom : y0 + strip;
            int64_t need = (y1 - 1) * 1 - above + 3;
            if (need > H) need = H;
            for (int64_t kb = 0, width; kb < vectors; kb += width) {
                width = expand_rows(&first, kb, vectors, in + n * in_n + have * in_row, n, have, need);
                for (int64_t b = kb; b < kb + width; b++) {
                    const float *dw = depthwise_w + b * (9 * LANES);
                    const vf start = vf_zero();
                    for (int64_t y = y0; y < y1;) {
                        const float *row[4];
                        const int64_t from = y * 1 - above;
                        for (int64_t r = 0; r < 4; r++) {
                            row[r] = from + r < 0 || from + r >= need ? zeros : wide + b * wide_cb + (from + r) % ring * wide_row;
                        }
                        float *o = narrow + b * narrow_cb + (y - y0) * OW * LANES;
                        if (y1 - y >= 2) { depthwise_2(row, dw, start, o, OW * LANES, OW); y += 2; } else
                        { depthwise_1(row, dw, start, o, OW * LANES, OW); y += 1; }
                    }
                }
            }
            if (need > have) have = need;
            for (int64_t kb = 0; kb < out_vectors;) kb += project_rows(&second, kb, out_vectors, narrow, n, y0, y1);
        }
    }
}
