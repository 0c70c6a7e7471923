/* Direct convolution of selected channels, NCHWc -> NCHWc.
 *
 * out[n, k, y, x] = epilogue(bias[k] + sum over c of w[k, c] * in<i>[n, d, y, x])     table: for every c, d * 4 + i
 *
 * Register tile: 2 output vectors x 1 rows x 14 pixels, the whole reduction in registers.
 *   where every channel of the thread's images begins: in the thread's scratch
 *   share of (panel, tile) pairs of this thread       panel = 2 output vectors, its weights stay in the cache
 *     panel
 *       tile (image, row, column)
 *         channel     sizes and strides are run-time arguments
 *
 * w: [panel][C][2 * LANES]. */
#include "sol_team.h"
#include "sol_simd.h"

typedef struct {
    const float *base; /* the channel's first element in an image */
} origin;

typedef struct conv {
    const float *in0;
    const float *in1;
    const float *in2;
    const float *in3;
    const float *w;
    float *out;
    int64_t N, OH, OW, groups, group_vectors, by_tiles, C, in0_n, in0_cb, in1_n, in1_cb, in2_n, in2_cb, in3_n, in3_cb, in_row;
    int64_t out_n, out_cb, out_row, rows, columns, w_kb;
    const origin *origins; /* [image][C] */
} conv;

static __attribute__((noinline)) void tile_2x1x14(const conv *c, const origin *from, int64_t row, int64_t column, const float *w, float *out, int64_t ahead)
{
    const vf b0 = vf_zero();
    vf a0_0_0 = b0, a0_0_1 = b0, a0_0_2 = b0, a0_0_3 = b0, a0_0_4 = b0, a0_0_5 = b0, a0_0_6 = b0, a0_0_7 = b0, a0_0_8 = b0, a0_0_9 = b0, a0_0_10 = b0, a0_0_11 = b0, a0_0_12 = b0, a0_0_13 = b0;
    const vf b1 = vf_zero();
    vf a1_0_0 = b1, a1_0_1 = b1, a1_0_2 = b1, a1_0_3 = b1, a1_0_4 = b1, a1_0_5 = b1, a1_0_6 = b1, a1_0_7 = b1, a1_0_8 = b1, a1_0_9 = b1, a1_0_10 = b1, a1_0_11 = b1, a1_0_12 = b1, a1_0_13 = b1;
const int64_t at = row * c->in_row + column * LANES;
    for (int64_t i = c->C / 2 - 1; i; i--, from += 2, w += 4 * LANES) {
        {
            const float *x0 = from[0].base + at;
    {
        vf w0 = vf_load(w + 0 * LANES), w1 = vf_load(w + 1 * LANES);
        SOL_HOLD(w0); SOL_HOLD(w1);
        SOL_FETCH(w + ahead, 0, 2); SOL_FETCH(w + ahead, 1, 2);
        { VF_NUMBER(b, x0[0 * LANES]); VF_ADD_PRODUCT(a0_0_0, w0, b); VF_ADD_PRODUCT(a1_0_0, w1, b); }
        { VF_NUMBER(b, x0[1 * LANES]); VF_ADD_PRODUCT(a0_0_1, w0, b); VF_ADD_PRODUCT(a1_0_1, w1, b); }
        { VF_NUMBER(b, x0[2 * LANES]); VF_ADD_PRODUCT(a0_0_2, w0, b); VF_ADD_PRODUCT(a1_0_2, w1, b); }
        { VF_NUMBER(b, x0[3 * LANES]); VF_ADD_PRODUCT(a0_0_3, w0, b); VF_ADD_PRODUCT(a1_0_3, w1, b); }
        { VF_NUMBER(b, x0[4 * LANES]); VF_ADD_PRODUCT(a0_0_4, w0, b); VF_ADD_PRODUCT(a1_0_4, w1, b); }
        { VF_NUMBER(b, x0[5 * LANES]); VF_ADD_PRODUCT(a0_0_5, w0, b); VF_ADD_PRODUCT(a1_0_5, w1, b); }
        { VF_NUMBER(b, x0[6 * LANES]); VF_ADD_PRODUCT(a0_0_6, w0, b); VF_ADD_PRODUCT(a1_0_6, w1, b); }
        { VF_NUMBER(b, x0[7 * LANES]); VF_ADD_PRODUCT(a0_0_7, w0, b); VF_ADD_PRODUCT(a1_0_7, w1, b); }
        { VF_NUMBER(b, x0[8 * LANES]); VF_ADD_PRODUCT(a0_0_8, w0, b); VF_ADD_PRODUCT(a1_0_8, w1, b); }
        { VF_NUMBER(b, x0[9 * LANES]); VF_ADD_PRODUCT(a0_0_9, w0, b); VF_ADD_PRODUCT(a1_0_9, w1, b); }
        { VF_NUMBER(b, x0[10 * LANES]); VF_ADD_PRODUCT(a0_0_10, w0, b); VF_ADD_PRODUCT(a1_0_10, w1, b); }
        { VF_NUMBER(b, x0[11 * LANES]); VF_ADD_PRODUCT(a0_0_11, w0, b); VF_ADD_PRODUCT(a1_0_11, w1, b); }
        { VF_NUMBER(b, x0[12 * LANES]); VF_ADD_PRODUCT(a0_0_12, w0, b); VF_ADD_PRODUCT(a1_0_12, w1, b); }
        { VF_NUMBER(b, x0[13 * LANES]); VF_ADD_PRODUCT(a0_0_13, w0, b); VF_ADD_PRODUCT(a1_0_13, w1, b); }
    }
    SOL_FENCE();
    }
        {
            const float *x0 = from[1].base + at;
    {
        vf w0 = vf_load(w + 2 * LANES), w1 = vf_load(w + 3 * LANES);
        SOL_HOLD(w0); SOL_HOLD(w1);
        SOL_FETCH(w + ahead, 2, 2); SOL_FETCH(w + ahead, 3, 2);
        { VF_NUMBER(b, x0[0 * LANES]); VF_ADD_PRODUCT(a0_0_0, w0, b); VF_ADD_PRODUCT(a1_0_0, w1, b); }
        { VF_NUMBER(b, x0[1 * LANES]); VF_ADD_PRODUCT(a0_0_1, w0, b); VF_ADD_PRODUCT(a1_0_1, w1, b); }
        { VF_NUMBER(b, x0[2 * LANES]); VF_ADD_PRODUCT(a0_0_2, w0, b); VF_ADD_PRODUCT(a1_0_2, w1, b); }
        { VF_NUMBER(b, x0[3 * LANES]); VF_ADD_PRODUCT(a0_0_3, w0, b); VF_ADD_PRODUCT(a1_0_3, w1, b); }
        { VF_NUMBER(b, x0[4 * LANES]); VF_ADD_PRODUCT(a0_0_4, w0, b); VF_ADD_PRODUCT(a1_0_4, w1, b); }
        { VF_NUMBER(b, x0[5 * LANES]); VF_ADD_PRODUCT(a0_0_5, w0, b); VF_ADD_PRODUCT(a1_0_5, w1, b); }
        { VF_NUMBER(b, x0[6 * LANES]); VF_ADD_PRODUCT(a0_0_6, w0, b); VF_ADD_PRODUCT(a1_0_6, w1, b); }
        { VF_NUMBER(b, x0[7 * LANES]); VF_ADD_PRODUCT(a0_0_7, w0, b); VF_ADD_PRODUCT(a1_0_7, w1, b); }
        { VF_NUMBER(b, x0[8 * LANES]); VF_ADD_PRODUCT(a0_0_8, w0, b); VF_ADD_PRODUCT(a1_0_8, w1, b); }
        { VF_NUMBER(b, x0[9 * LANES]); VF_ADD_PRODUCT(a0_0_9, w0, b); VF_ADD_PRODUCT(a1_0_9, w1, b); }
        { VF_NUMBER(b, x0[10 * LANES]); VF_ADD_PRODUCT(a0_0_10, w0, b); VF_ADD_PRODUCT(a1_0_10, w1, b); }
        { VF_NUMBER(b, x0[11 * LANES]); VF_ADD_PRODUCT(a0_0_11, w0, b); VF_ADD_PRODUCT(a1_0_11, w1, b); }
        { VF_NUMBER(b, x0[12 * LANES]); VF_ADD_PRODUCT(a0_0_12, w0, b); VF_ADD_PRODUCT(a1_0_12, w1, b); }
        { VF_NUMBER(b, x0[13 * LANES]); VF_ADD_PRODUCT(a0_0_13, w0, b); VF_ADD_PRODUCT(a1_0_13, w1, b); }
    }
    SOL_FENCE();
    }
}
    const float *l0_0 = from[0].base + at;
    const float *l1_0 = from[1].base + at;
    {
        const float p0 = l0_0[0 * LANES], p1 = l1_0[0 * LANES];
        a0_0_0 += vf_load(w + 0 * LANES) * p0; a1_0_0 += vf_load(w + 1 * LANES) * p0;
        a0_0_0 += vf_load(w + 2 * LANES) * p1; a1_0_0 += vf_load(w + 3 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 0 * LANES, a0_0_0);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 0 * LANES, a1_0_0);
    }
    {
        const float p0 = l0_0[1 * LANES], p1 = l1_0[1 * LANES];
        a0_0_1 += vf_load(w + 0 * LANES) * p0; a1_0_1 += vf_load(w + 1 * LANES) * p0;
        a0_0_1 += vf_load(w + 2 * LANES) * p1; a1_0_1 += vf_load(w + 3 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 1 * LANES, a0_0_1);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 1 * LANES, a1_0_1);
    }
    SOL_FENCE();
    {
        const float p0 = l0_0[2 * LANES], p1 = l1_0[2 * LANES];
        a0_0_2 += vf_load(w + 0 * LANES) * p0; a1_0_2 += vf_load(w + 1 * LANES) * p0;
        a0_0_2 += vf_load(w + 2 * LANES) * p1; a1_0_2 += vf_load(w + 3 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 2 * LANES, a0_0_2);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 2 * LANES, a1_0_2);
    }
    {
        const float p0 = l0_0[3 * LANES], p1 = l1_0[3 * LANES];
        a0_0_3 += vf_load(w + 0 * LANES) * p0; a1_0_3 += vf_load(w + 1 * LANES) * p0;
        a0_0_3 += vf_load(w + 2 * LANES) * p1; a1_0_3 += vf_load(w + 3 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 3 * LANES, a0_0_3);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 3 * LANES, a1_0_3);
    }
    SOL_FENCE();
    {
        const float p0 = l0_0[4 * LANES], p1 = l1_0[4 * LANES];
        a0_0_4 += vf_load(w + 0 * LANES) * p0; a1_0_4 += vf_load(w + 1 * LANES) * p0;
        a0_0_4 += vf_load(w + 2 * LANES) * p1; a1_0_4 += vf_load(w + 3 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 4 * LANES, a0_0_4);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 4 * LANES, a1_0_4);
    }
    {
        const float p0 = l0_0[5 * LANES], p1 = l1_0[5 * LANES];
        a0_0_5 += vf_load(w + 0 * LANES) * p0; a1_0_5 += vf_load(w + 1 * LANES) * p0;
        a0_0_5 += vf_load(w + 2 * LANES) * p1; a1_0_5 += vf_load(w + 3 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 5 * LANES, a0_0_5);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 5 * LANES, a1_0_5);
    }
    SOL_FENCE();
    {
        const float p0 = l0_0[6 * LANES], p1 = l1_0[6 * LANES];
        a0_0_6 += vf_load(w + 0 * LANES) * p0; a1_0_6 += vf_load(w + 1 * LANES) * p0;
        a0_0_6 += vf_load(w + 2 * LANES) * p1; a1_0_6 += vf_load(w + 3 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 6 * LANES, a0_0_6);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 6 * LANES, a1_0_6);
    }
    {
        const float p0 = l0_0[7 * LANES], p1 = l1_0[7 * LANES];
        a0_0_7 += vf_load(w + 0 * LANES) * p0; a1_0_7 += vf_load(w + 1 * LANES) * p0;
        a0_0_7 += vf_load(w + 2 * LANES) * p1; a1_0_7 += vf_load(w + 3 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 7 * LANES, a0_0_7);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 7 * LANES, a1_0_7);
    }
    SOL_FENCE();
    {
        const float p0 = l0_0[8 * LANES], p1 = l1_0[8 * LANES];
        a0_0_8 += vf_load(w + 0 * LANES) * p0; a1_0_8 += vf_load(w + 1 * LANES) * p0;
        a0_0_8 += vf_load(w + 2 * LANES) * p1; a1_0_8 += vf_load(w + 3 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 8 * LANES, a0_0_8);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 8 * LANES, a1_0_8);
    }
    {
        const float p0 = l0_0[9 * LANES], p1 = l1_0[9 * LANES];
        a0_0_9 += vf_load(w + 0 * LANES) * p0; a1_0_9 += vf_load(w + 1 * LANES) * p0;
        a0_0_9 += vf_load(w + 2 * LANES) * p1; a1_0_9 += vf_load(w + 3 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 9 * LANES, a0_0_9);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 9 * LANES, a1_0_9);
    }
    SOL_FENCE();
    {
        const float p0 = l0_0[10 * LANES], p1 = l1_0[10 * LANES];
        a0_0_10 += vf_load(w + 0 * LANES) * p0; a1_0_10 += vf_load(w + 1 * LANES) * p0;
        a0_0_10 += vf_load(w + 2 * LANES) * p1; a1_0_10 += vf_load(w + 3 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 10 * LANES, a0_0_10);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 10 * LANES, a1_0_10);
    }
    {
        const float p0 = l0_0[11 * LANES], p1 = l1_0[11 * LANES];
        a0_0_11 += vf_load(w + 0 * LANES) * p0; a1_0_11 += vf_load(w + 1 * LANES) * p0;
        a0_0_11 += vf_load(w + 2 * LANES) * p1; a1_0_11 += vf_load(w + 3 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 11 * LANES, a0_0_11);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 11 * LANES, a1_0_11);
    }
    SOL_FENCE();
    {
        const float p0 = l0_0[12 * LANES], p1 = l1_0[12 * LANES];
        a0_0_12 += vf_load(w + 0 * LANES) * p0; a1_0_12 += vf_load(w + 1 * LANES) * p0;
        a0_0_12 += vf_load(w + 2 * LANES) * p1; a1_0_12 += vf_load(w + 3 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 12 * LANES, a0_0_12);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 12 * LANES, a1_0_12);
    }
    {
        const float p0 = l0_0[13 * LANES], p1 = l1_0[13 * LANES];
        a0_0_13 += vf_load(w + 0 * LANES) * p0; a1_0_13 += vf_load(w + 1 * LANES) * p0;
        a0_0_13 += vf_load(w + 2 * LANES) * p1; a1_0_13 += vf_load(w + 3 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 13 * LANES, a0_0_13);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 13 * LANES, a1_0_13);
    }
    SOL_FENCE();
}

static __attribute__((noinline)) void tile_1x1x14(const conv *c, const origin *from, int64_t row, int64_t column, const float *w, float *out, int64_t ahead)
{
    const vf b0 = vf_zero();
    vf a0_0_0 = b0, a0_0_1 = b0, a0_0_2 = b0, a0_0_3 = b0, a0_0_4 = b0, a0_0_5 = b0, a0_0_6 = b0, a0_0_7 = b0, a0_0_8 = b0, a0_0_9 = b0, a0_0_10 = b0, a0_0_11 = b0, a0_0_12 = b0, a0_0_13 = b0;
const int64_t at = row * c->in_row + column * LANES;
    for (int64_t i = c->C / 2 - 1; i; i--, from += 2, w += 2 * LANES) {
        {
            const float *x0 = from[0].base + at;
    {
        vf w0 = vf_load(w + 0 * LANES);
        SOL_HOLD(w0);
        SOL_FETCH(w + ahead, 0, 2);
        { VF_NUMBER(b, x0[0 * LANES]); VF_ADD_PRODUCT(a0_0_0, w0, b); }
        { VF_NUMBER(b, x0[1 * LANES]); VF_ADD_PRODUCT(a0_0_1, w0, b); }
        { VF_NUMBER(b, x0[2 * LANES]); VF_ADD_PRODUCT(a0_0_2, w0, b); }
        { VF_NUMBER(b, x0[3 * LANES]); VF_ADD_PRODUCT(a0_0_3, w0, b); }
        { VF_NUMBER(b, x0[4 * LANES]); VF_ADD_PRODUCT(a0_0_4, w0, b); }
        { VF_NUMBER(b, x0[5 * LANES]); VF_ADD_PRODUCT(a0_0_5, w0, b); }
        { VF_NUMBER(b, x0[6 * LANES]); VF_ADD_PRODUCT(a0_0_6, w0, b); }
        { VF_NUMBER(b, x0[7 * LANES]); VF_ADD_PRODUCT(a0_0_7, w0, b); }
        { VF_NUMBER(b, x0[8 * LANES]); VF_ADD_PRODUCT(a0_0_8, w0, b); }
        { VF_NUMBER(b, x0[9 * LANES]); VF_ADD_PRODUCT(a0_0_9, w0, b); }
        { VF_NUMBER(b, x0[10 * LANES]); VF_ADD_PRODUCT(a0_0_10, w0, b); }
        { VF_NUMBER(b, x0[11 * LANES]); VF_ADD_PRODUCT(a0_0_11, w0, b); }
        { VF_NUMBER(b, x0[12 * LANES]); VF_ADD_PRODUCT(a0_0_12, w0, b); }
        { VF_NUMBER(b, x0[13 * LANES]); VF_ADD_PRODUCT(a0_0_13, w0, b); }
    }
    SOL_FENCE();
    }
        {
            const float *x0 = from[1].base + at;
    {
        vf w0 = vf_load(w + 1 * LANES);
        SOL_HOLD(w0);
        SOL_FETCH(w + ahead, 1, 2);
        { VF_NUMBER(b, x0[0 * LANES]); VF_ADD_PRODUCT(a0_0_0, w0, b); }
        { VF_NUMBER(b, x0[1 * LANES]); VF_ADD_PRODUCT(a0_0_1, w0, b); }
        { VF_NUMBER(b, x0[2 * LANES]); VF_ADD_PRODUCT(a0_0_2, w0, b); }
        { VF_NUMBER(b, x0[3 * LANES]); VF_ADD_PRODUCT(a0_0_3, w0, b); }
        { VF_NUMBER(b, x0[4 * LANES]); VF_ADD_PRODUCT(a0_0_4, w0, b); }
        { VF_NUMBER(b, x0[5 * LANES]); VF_ADD_PRODUCT(a0_0_5, w0, b); }
        { VF_NUMBER(b, x0[6 * LANES]); VF_ADD_PRODUCT(a0_0_6, w0, b); }
        { VF_NUMBER(b, x0[7 * LANES]); VF_ADD_PRODUCT(a0_0_7, w0, b); }
        { VF_NUMBER(b, x0[8 * LANES]); VF_ADD_PRODUCT(a0_0_8, w0, b); }
        { VF_NUMBER(b, x0[9 * LANES]); VF_ADD_PRODUCT(a0_0_9, w0, b); }
        { VF_NUMBER(b, x0[10 * LANES]); VF_ADD_PRODUCT(a0_0_10, w0, b); }
        { VF_NUMBER(b, x0[11 * LANES]); VF_ADD_PRODUCT(a0_0_11, w0, b); }
        { VF_NUMBER(b, x0[12 * LANES]); VF_ADD_PRODUCT(a0_0_12, w0, b); }
        { VF_NUMBER(b, x0[13 * LANES]); VF_ADD_PRODUCT(a0_0_13, w0, b); }
    }
    SOL_FENCE();
    }
}
    const float *l0_0 = from[0].base + at;
    const float *l1_0 = from[1].base + at;
    {
        const float p0 = l0_0[0 * LANES], p1 = l1_0[0 * LANES];
        a0_0_0 += vf_load(w + 0 * LANES) * p0;
        a0_0_0 += vf_load(w + 1 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 0 * LANES, a0_0_0);
    }
    {
        const float p0 = l0_0[1 * LANES], p1 = l1_0[1 * LANES];
        a0_0_1 += vf_load(w + 0 * LANES) * p0;
        a0_0_1 += vf_load(w + 1 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 1 * LANES, a0_0_1);
    }
    SOL_FENCE();
    {
        const float p0 = l0_0[2 * LANES], p1 = l1_0[2 * LANES];
        a0_0_2 += vf_load(w + 0 * LANES) * p0;
        a0_0_2 += vf_load(w + 1 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 2 * LANES, a0_0_2);
    }
    {
        const float p0 = l0_0[3 * LANES], p1 = l1_0[3 * LANES];
        a0_0_3 += vf_load(w + 0 * LANES) * p0;
        a0_0_3 += vf_load(w + 1 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 3 * LANES, a0_0_3);
    }
    SOL_FENCE();
    {
        const float p0 = l0_0[4 * LANES], p1 = l1_0[4 * LANES];
        a0_0_4 += vf_load(w + 0 * LANES) * p0;
        a0_0_4 += vf_load(w + 1 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 4 * LANES, a0_0_4);
    }
    {
        const float p0 = l0_0[5 * LANES], p1 = l1_0[5 * LANES];
        a0_0_5 += vf_load(w + 0 * LANES) * p0;
        a0_0_5 += vf_load(w + 1 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 5 * LANES, a0_0_5);
    }
    SOL_FENCE();
    {
        const float p0 = l0_0[6 * LANES], p1 = l1_0[6 * LANES];
        a0_0_6 += vf_load(w + 0 * LANES) * p0;
        a0_0_6 += vf_load(w + 1 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 6 * LANES, a0_0_6);
    }
    {
        const float p0 = l0_0[7 * LANES], p1 = l1_0[7 * LANES];
        a0_0_7 += vf_load(w + 0 * LANES) * p0;
        a0_0_7 += vf_load(w + 1 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 7 * LANES, a0_0_7);
    }
    SOL_FENCE();
    {
        const float p0 = l0_0[8 * LANES], p1 = l1_0[8 * LANES];
        a0_0_8 += vf_load(w + 0 * LANES) * p0;
        a0_0_8 += vf_load(w + 1 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 8 * LANES, a0_0_8);
    }
    {
        const float p0 = l0_0[9 * LANES], p1 = l1_0[9 * LANES];
        a0_0_9 += vf_load(w + 0 * LANES) * p0;
        a0_0_9 += vf_load(w + 1 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 9 * LANES, a0_0_9);
    }
    SOL_FENCE();
    {
        const float p0 = l0_0[10 * LANES], p1 = l1_0[10 * LANES];
        a0_0_10 += vf_load(w + 0 * LANES) * p0;
        a0_0_10 += vf_load(w + 1 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 10 * LANES, a0_0_10);
    }
    {
        const float p0 = l0_0[11 * LANES], p1 = l1_0[11 * LANES];
        a0_0_11 += vf_load(w + 0 * LANES) * p0;
        a0_0_11 += vf_load(w + 1 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 11 * LANES, a0_0_11);
    }
    SOL_FENCE();
    {
        const float p0 = l0_0[12 * LANES], p1 = l1_0[12 * LANES];
        a0_0_12 += vf_load(w + 0 * LANES) * p0;
        a0_0_12 += vf_load(w + 1 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 12 * LANES, a0_0_12);
    }
    {
        const float p0 = l0_0[13 * LANES], p1 = l1_0[13 * LANES];
        a0_0_13 += vf_load(w + 0 * LANES) * p0;
        a0_0_13 += vf_load(w + 1 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 13 * LANES, a0_0_13);
    }
    SOL_FENCE();
}

/* Panel of vectors that starts at kb, tiles t0 … t1 - 1. */
static void panel_2(const conv *c, int64_t kb, int64_t t0, int64_t t1)
{
    const float *w = c->w + kb * c->w_kb;
    float *out = c->out + kb * c->out_cb;
    int64_t n = t0 / (c->rows * c->columns), y = t0 / c->columns % c->rows, x = t0 % c->columns;
    int64_t ahead = 2 * c->w_kb; /* the first tile fetches the next panel's weights */
    for (; t0 < t1; t0++, ahead = 0) {
        const origin *from = c->origins + n * c->C;
        const int64_t row = y * 1, column = x * 14;
        float *o = out + n * c->out_n + y * 1 * c->out_row + x * 14 * LANES;
        tile_2x1x14(c, from, row, column, w, o, ahead);
if (++x == c->columns) {
            x = 0;
            if (++y == c->rows) y = 0, n++;
        }
    }
}

static void panel_1(const conv *c, int64_t kb, int64_t t0, int64_t t1)
{
    const float *w = c->w + kb * c->w_kb;
    float *out = c->out + kb * c->out_cb;
    int64_t n = t0 / (c->rows * c->columns), y = t0 / c->columns % c->rows, x = t0 % c->columns;
    int64_t ahead = 1 * c->w_kb; /* the first tile fetches the next panel's weights */
    for (; t0 < t1; t0++, ahead = 0) {
        const origin *from = c->origins + n * c->C;
        const int64_t row = y * 1, column = x * 14;
        float *o = out + n * c->out_n + y * 1 * c->out_row + x * 14 * LANES;
        tile_1x1x14(c, from, row, column, w, o, ahead);
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
    const int64_t n = p / image, y = p % image / strip, x = (p % image % strip + 7) / 14;
    return (n * c->rows + y) * c->columns + x;
}

static void panel(const conv *c, int64_t kb, int64_t t0, int64_t t1)
{
    if (kb % c->group_vectors + 2 >= c->group_vectors) panel_1(c, kb, t0, t1); else
    panel_2(c, kb, t0, t1);
}

void conv_direct_selected(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in0 = buf[0];
    const float *in1 = buf[1];
    const float *in2 = buf[2];
    const float *in3 = buf[3];
    const float *w = buf[4];
    float *out = buf[5];
    const int64_t N = arg[0];
    const int64_t OH = arg[1];
    const int64_t OW = arg[2];
    const int64_t groups = arg[3];
    const int64_t group_vectors = arg[4];
    const int64_t by_tiles = arg[5];
    const int64_t C = arg[6];
    const int64_t in0_n = arg[7];
    const int64_t in0_cb = arg[8];
    const int64_t in1_n = arg[9];
    const int64_t in1_cb = arg[10];
    const int64_t in2_n = arg[11];
    const int64_t in2_cb = arg[12];
    const int64_t in3_n = arg[13];
    const int64_t in3_cb = arg[14];
    const int64_t in_row = arg[15];
    const int64_t out_n = arg[16];
    const int64_t out_cb = arg[17];
    const int64_t out_row = arg[18];
    (void)team; (void)buf; (void)arg;
    const int64_t vectors = groups * group_vectors;
    origin *origins = (origin *)team->scratch;
    const int64_t rows = (OH + 0) / 1, columns = (OW + 13) / 14, tiles = N * rows * columns;
    const int64_t w_kb = C * LANES, tile_bytes = C * 14 * 4;
    const conv c = {
        .in0 = in0, .in1 = in1, .in2 = in2, .in3 = in3, .w = w, .out = out, .N = N, .OH = OH,
        .OW = OW, .groups = groups, .group_vectors = group_vectors, .by_tiles = by_tiles, .C = C, .in0_n = in0_n, .in0_cb = in0_cb, .in1_n = in1_n,
        .in1_cb = in1_cb, .in2_n = in2_n, .in2_cb = in2_cb, .in3_n = in3_n, .in3_cb = in3_cb, .in_row = in_row, .out_n = out_n, .out_cb = out_cb,
        .out_row = out_row, .rows = rows, .columns = columns, .w_kb = w_kb,
        .origins = origins,
    };
    if (tiles == 0) return;
    const int64_t pixels = N * OH * OW, weight_bytes = vectors * w_kb * 4, in_bytes = tiles * tile_bytes;
    const int64_t most = (tiles + team->size - 1) / team->size * team->size; /* tiles of the slowest thread, times the team */
    const int share_tiles = by_tiles < 0 ? 2 * in_bytes >= weight_bytes && (most - tiles) * 16 <= tiles : by_tiles != 0;
    sol_share share = sol_fixed_share(team, share_tiles ? tiles : (2 * vectors) * pixels, team->size);
    int64_t u0, u1;
    sol_split(team, share_tiles ? tiles : (2 * vectors) * pixels, &u0, &u1);
    const float *const from[] = { in0, in1, in2, in3 };
    const int64_t in_n[] = { in0_n, in1_n, in2_n, in3_n };
    const int64_t in_cb[] = { in0_cb, in1_cb, in2_cb, in3_cb };
const int64_t *table = arg + 19, image = rows * columns;
    for (int64_t n = share_tiles ? u0 / image : 0, end = u0 == u1 ? n : share_tiles ? (u1 - 1) / image + 1 : N; n < end; n++) {
        for (int64_t k = 0; k < C; k++) {
            const uint64_t i = (uint64_t)table[k] % 4, d = (uint64_t)table[k] / 4;
            origins[n * C + k] = (origin){from[i] + n * in_n[i] + (int64_t)(d / LANES) * in_cb[i] + d % LANES};
        }
    }
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
