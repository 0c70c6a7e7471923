/* conv_small_grouped: grouped convolution with 4 channels in and out per group, NCHW16c to NCHW16c, float32.
 *
 *   for n, for channel block c, for strip of 1 output row(s):      (split over the team: blocks or strips)
 *     for tile of 14 output columns:                   (accumulators in registers, start at the bias)
 *       for r, the 3 taps of a filter row, unrolled; each input column is loaded once
 *         the 4 channels of every group in turn: channel j is spread over its group's lanes and multiplied
 *     pointwise tail, store
 *
 * Groups never cross a block, so a block of outputs reads one block of inputs.
 * in: element (0, 0, -padding, -padding); its zero border is read.
 * weight: [C/16][R][S][4 input channels of the group][16 output channels].
 * Columns step by 1. Sizes and strides are arguments.
 */
#include "sol_simd.h"
#include "sol_team.h"

#define SPREAD0(x) VF_PERMUTE(x, 0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12)
#define SPREAD1(x) VF_PERMUTE(x, 1, 1, 1, 1, 5, 5, 5, 5, 9, 9, 9, 9, 13, 13, 13, 13)
#define SPREAD2(x) VF_PERMUTE(x, 2, 2, 2, 2, 6, 6, 6, 6, 10, 10, 10, 10, 14, 14, 14, 14)
#define SPREAD3(x) VF_PERMUTE(x, 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15)

/* The pointwise ops behind the anchor: relu. */
SOL_INLINE vf tail(vf a)
{
    const vf t0 = vf_max_quiet(vf_set(0.0f), a);
    return t0;
}

void conv_small_grouped(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    const float *weight = buf[1];
    float *out = buf[2];
    const int64_t N = arg[0];
    const int64_t CB = arg[1];
    const int64_t H = arg[2];
    const int64_t W = arg[3];
    const int64_t by_rows = arg[4];
    const int64_t R = arg[5];
    const int64_t in_n = arg[6];
    const int64_t in_b = arg[7];
    const int64_t in_y = arg[8];
    const int64_t out_n = arg[9];
    const int64_t out_b = arg[10];
    const int64_t out_y = arg[11];
    (void)team; (void)buf; (void)arg;
    const int64_t strips = H;
    sol_walk walk = sol_walk_of(team, N, CB, strips, by_rows);
    while (sol_next(&walk)) {
        for (int64_t strip = walk.y0; strip < walk.y1; strip++) {
            const int64_t y = strip * 1, c = walk.c, n = walk.n;
            const float *i = in + n * in_n + c * in_b + y * 1 * in_y;
            const float *w = weight + c * (R * 3 * 4 * LANES);
            float *o = out + n * out_n + c * out_b + y * out_y;
            const vf b = vf_zero();
                        {
                int64_t x = 0;
                for (; x + 14 <= W; x += 14) {
                    vf a0_0 = b, a0_1 = b, a0_2 = b, a0_3 = b, a0_4 = b, a0_5 = b, a0_6 = b, a0_7 = b, a0_8 = b, a0_9 = b, a0_10 = b, a0_11 = b, a0_12 = b, a0_13 = b;
                    const float *q = w;
                    for (int64_t r = 0; r < R; r++) {
                        const float *p = i + r * 1 * in_y + x * 1 * LANES;
                        const vf w0_0 = vf_load(q + 0 * LANES), w0_1 = vf_load(q + 1 * LANES), w0_2 = vf_load(q + 2 * LANES), w0_3 = vf_load(q + 3 * LANES);
                        const vf w1_0 = vf_load(q + 4 * LANES), w1_1 = vf_load(q + 5 * LANES), w1_2 = vf_load(q + 6 * LANES), w1_3 = vf_load(q + 7 * LANES);
                        const vf w2_0 = vf_load(q + 8 * LANES), w2_1 = vf_load(q + 9 * LANES), w2_2 = vf_load(q + 10 * LANES), w2_3 = vf_load(q + 11 * LANES);
                        {
                            const vf v = vf_load(p + 0 * LANES);
                            const vf v0 = SPREAD0(v);
                            a0_0 += v0 * w0_0;
                            const vf v1 = SPREAD1(v);
                            a0_0 += v1 * w0_1;
                            const vf v2 = SPREAD2(v);
                            a0_0 += v2 * w0_2;
                            const vf v3 = SPREAD3(v);
                            a0_0 += v3 * w0_3;
                            SOL_FENCE();
                        }
                        {
                            const vf v = vf_load(p + 1 * LANES);
                            const vf v0 = SPREAD0(v);
                            a0_0 += v0 * w1_0; a0_1 += v0 * w0_0;
                            const vf v1 = SPREAD1(v);
                            a0_0 += v1 * w1_1; a0_1 += v1 * w0_1;
                            const vf v2 = SPREAD2(v);
                            a0_0 += v2 * w1_2; a0_1 += v2 * w0_2;
                            const vf v3 = SPREAD3(v);
                            a0_0 += v3 * w1_3; a0_1 += v3 * w0_3;
                            SOL_FENCE();
                        }
                        {
                            const vf v = vf_load(p + 2 * LANES);
                            const vf v0 = SPREAD0(v);
                            a0_0 += v0 * w2_0; a0_1 += v0 * w1_0; a0_2 += v0 * w0_0;
                            const vf v1 = SPREAD1(v);
                            a0_0 += v1 * w2_1; a0_1 += v1 * w1_1; a0_2 += v1 * w0_1;
                            const vf v2 = SPREAD2(v);
                            a0_0 += v2 * w2_2; a0_1 += v2 * w1_2; a0_2 += v2 * w0_2;
                            const vf v3 = SPREAD3(v);
                            a0_0 += v3 * w2_3; a0_1 += v3 * w1_3; a0_2 += v3 * w0_3;
                            SOL_FENCE();
                        }
                        {
                            const vf v = vf_load(p + 3 * LANES);
                            const vf v0 = SPREAD0(v);
                            a0_1 += v0 * w2_0; a0_2 += v0 * w1_0; a0_3 += v0 * w0_0;
                            const vf v1 = SPREAD1(v);
                            a0_1 += v1 * w2_1; a0_2 += v1 * w1_1; a0_3 += v1 * w0_1;
                            const vf v2 = SPREAD2(v);
                            a0_1 += v2 * w2_2; a0_2 += v2 * w1_2; a0_3 += v2 * w0_2;
                            const vf v3 = SPREAD3(v);
                            a0_1 += v3 * w2_3; a0_2 += v3 * w1_3; a0_3 += v3 * w0_3;
                            SOL_FENCE();
                        }
                        {
                            const vf v = vf_load(p + 4 * LANES);
                            const vf v0 = SPREAD0(v);
                            a0_2 += v0 * w2_0; a0_3 += v0 * w1_0; a0_4 += v0 * w0_0;
                            const vf v1 = SPREAD1(v);
                            a0_2 += v1 * w2_1; a0_3 += v1 * w1_1; a0_4 += v1 * w0_1;
                            const vf v2 = SPREAD2(v);
                            a0_2 += v2 * w2_2; a0_3 += v2 * w1_2; a0_4 += v2 * w0_2;
                            const vf v3 = SPREAD3(v);
                            a0_2 += v3 * w2_3; a0_3 += v3 * w1_3; a0_4 += v3 * w0_3;
                            SOL_FENCE();
                        }
                        {
                            const vf v = vf_load(p + 5 * LANES);
                            const vf v0 = SPREAD0(v);
                            a0_3 += v0 * w2_0; a0_4 += v0 * w1_0; a0_5 += v0 * w0_0;
                            const vf v1 = SPREAD1(v);
                            a0_3 += v1 * w2_1; a0_4 += v1 * w1_1; a0_5 += v1 * w0_1;
                            const vf v2 = SPREAD2(v);
                            a0_3 += v2 * w2_2; a0_4 += v2 * w1_2; a0_5 += v2 * w0_2;
                            const vf v3 = SPREAD3(v);
                            a0_3 += v3 * w2_3; a0_4 += v3 * w1_3; a0_5 += v3 * w0_3;
                            SOL_FENCE();
                        }
                        {
                            const vf v = vf_load(p + 6 * LANES);
                            const vf v0 = SPREAD0(v);
                            a0_4 += v0 * w2_0; a0_5 += v0 * w1_0; a0_6 += v0 * w0_0;
                            const vf v1 = SPREAD1(v);
                            a0_4 += v1 * w2_1; a0_5 += v1 * w1_1; a0_6 += v1 * w0_1;
                            const vf v2 = SPREAD2(v);
                            a0_4 += v2 * w2_2; a0_5 += v2 * w1_2; a0_6 += v2 * w0_2;
                            const vf v3 = SPREAD3(v);
                            a0_4 += v3 * w2_3; a0_5 += v3 * w1_3; a0_6 += v3 * w0_3;
                            SOL_FENCE();
                        }
                        {
                            const vf v = vf_load(p + 7 * LANES);
                            const vf v0 = SPREAD0(v);
                            a0_5 += v0 * w2_0; a0_6 += v0 * w1_0; a0_7 += v0 * w0_0;
                            const vf v1 = SPREAD1(v);
                            a0_5 += v1 * w2_1; a0_6 += v1 * w1_1; a0_7 += v1 * w0_1;
                            const vf v2 = SPREAD2(v);
                            a0_5 += v2 * w2_2; a0_6 += v2 * w1_2; a0_7 += v2 * w0_2;
                            const vf v3 = SPREAD3(v);
                            a0_5 += v3 * w2_3; a0_6 += v3 * w1_3; a0_7 += v3 * w0_3;
                            SOL_FENCE();
                        }
                        {
                            const vf v = vf_load(p + 8 * LANES);
                            const vf v0 = SPREAD0(v);
                            a0_6 += v0 * w2_0; a0_7 += v0 * w1_0; a0_8 += v0 * w0_0;
                            const vf v1 = SPREAD1(v);
                            a0_6 += v1 * w2_1; a0_7 += v1 * w1_1; a0_8 += v1 * w0_1;
                            const vf v2 = SPREAD2(v);
                            a0_6 += v2 * w2_2; a0_7 += v2 * w1_2; a0_8 += v2 * w0_2;
                            const vf v3 = SPREAD3(v);
                            a0_6 += v3 * w2_3; a0_7 += v3 * w1_3; a0_8 += v3 * w0_3;
                            SOL_FENCE();
                        }
                        {
                            const vf v = vf_load(p + 9 * LANES);
                            const vf v0 = SPREAD0(v);
                            a0_7 += v0 * w2_0; a0_8 += v0 * w1_0; a0_9 += v0 * w0_0;
                            const vf v1 = SPREAD1(v);
                            a0_7 += v1 * w2_1; a0_8 += v1 * w1_1; a0_9 += v1 * w0_1;
                            const vf v2 = SPREAD2(v);
                            a0_7 += v2 * w2_2; a0_8 += v2 * w1_2; a0_9 += v2 * w0_2;
                            const vf v3 = SPREAD3(v);
                            a0_7 += v3 * w2_3; a0_8 += v3 * w1_3; a0_9 += v3 * w0_3;
                            SOL_FENCE();
                        }
                        {
                            const vf v = vf_load(p + 10 * LANES);
                            const vf v0 = SPREAD0(v);
                            a0_8 += v0 * w2_0; a0_9 += v0 * w1_0; a0_10 += v0 * w0_0;
                            const vf v1 = SPREAD1(v);
                            a0_8 += v1 * w2_1; a0_9 += v1 * w1_1; a0_10 += v1 * w0_1;
                            const vf v2 = SPREAD2(v);
                            a0_8 += v2 * w2_2; a0_9 += v2 * w1_2; a0_10 += v2 * w0_2;
                            const vf v3 = SPREAD3(v);
                            a0_8 += v3 * w2_3; a0_9 += v3 * w1_3; a0_10 += v3 * w0_3;
                            SOL_FENCE();
                        }
                        {
                            const vf v = vf_load(p + 11 * LANES);
                            const vf v0 = SPREAD0(v);
                            a0_9 += v0 * w2_0; a0_10 += v0 * w1_0; a0_11 += v0 * w0_0;
                            const vf v1 = SPREAD1(v);
                            a0_9 += v1 * w2_1; a0_10 += v1 * w1_1; a0_11 += v1 * w0_1;
                            const vf v2 = SPREAD2(v);
                            a0_9 += v2 * w2_2; a0_10 += v2 * w1_2; a0_11 += v2 * w0_2;
                            const vf v3 = SPREAD3(v);
                            a0_9 += v3 * w2_3; a0_10 += v3 * w1_3; a0_11 += v3 * w0_3;
                            SOL_FENCE();
                        }
                        {
                            const vf v = vf_load(p + 12 * LANES);
                            const vf v0 = SPREAD0(v);
                            a0_10 += v0 * w2_0; a0_11 += v0 * w1_0; a0_12 += v0 * w0_0;
                            const vf v1 = SPREAD1(v);
                            a0_10 += v1 * w2_1; a0_11 += v1 * w1_1; a0_12 += v1 * w0_1;
                            const vf v2 = SPREAD2(v);
                            a0_10 += v2 * w2_2; a0_11 += v2 * w1_2; a0_12 += v2 * w0_2;
                            const vf v3 = SPREAD3(v);
                            a0_10 += v3 * w2_3; a0_11 += v3 * w1_3; a0_12 += v3 * w0_3;
                            SOL_FENCE();
                        }
                        {
                            const vf v = vf_load(p + 13 * LANES);
                            const vf v0 = SPREAD0(v);
                            a0_11 += v0 * w2_0; a0_12 += v0 * w1_0; a0_13 += v0 * w0_0;
                            const vf v1 = SPREAD1(v);
                            a0_11 += v1 * w2_1; a0_12 += v1 * w1_1; a0_13 += v1 * w0_1;
                            const vf v2 = SPREAD2(v);
                            a0_11 += v2 * w2_2; a0_12 += v2 * w1_2; a0_13 += v2 * w0_2;
                            const vf v3 = SPREAD3(v);
                            a0_11 += v3 * w2_3; a0_12 += v3 * w1_3; a0_13 += v3 * w0_3;
                            SOL_FENCE();
                        }
                        {
                            const vf v = vf_load(p + 14 * LANES);
                            const vf v0 = SPREAD0(v);
                            a0_12 += v0 * w2_0; a0_13 += v0 * w1_0;
                            const vf v1 = SPREAD1(v);
                            a0_12 += v1 * w2_1; a0_13 += v1 * w1_1;
                            const vf v2 = SPREAD2(v);
                            a0_12 += v2 * w2_2; a0_13 += v2 * w1_2;
                            const vf v3 = SPREAD3(v);
                            a0_12 += v3 * w2_3; a0_13 += v3 * w1_3;
                            SOL_FENCE();
                        }
                        {
                            const vf v = vf_load(p + 15 * LANES);
                            const vf v0 = SPREAD0(v);
                            a0_13 += v0 * w2_0;
                            const vf v1 = SPREAD1(v);
                            a0_13 += v1 * w2_1;
                            const vf v2 = SPREAD2(v);
                            a0_13 += v2 * w2_2;
                            const vf v3 = SPREAD3(v);
                            a0_13 += v3 * w2_3;
                            SOL_FENCE();
                        }
                        q += 12 * LANES;
                    }
                    vf_store(o + 0 * out_y + (x + 0) * LANES, tail(a0_0));
                    vf_store(o + 0 * out_y + (x + 1) * LANES, tail(a0_1));
                    vf_store(o + 0 * out_y + (x + 2) * LANES, tail(a0_2));
                    vf_store(o + 0 * out_y + (x + 3) * LANES, tail(a0_3));
                    vf_store(o + 0 * out_y + (x + 4) * LANES, tail(a0_4));
                    vf_store(o + 0 * out_y + (x + 5) * LANES, tail(a0_5));
                    vf_store(o + 0 * out_y + (x + 6) * LANES, tail(a0_6));
                    vf_store(o + 0 * out_y + (x + 7) * LANES, tail(a0_7));
                    vf_store(o + 0 * out_y + (x + 8) * LANES, tail(a0_8));
                    vf_store(o + 0 * out_y + (x + 9) * LANES, tail(a0_9));
                    vf_store(o + 0 * out_y + (x + 10) * LANES, tail(a0_10));
                    vf_store(o + 0 * out_y + (x + 11) * LANES, tail(a0_11));
                    vf_store(o + 0 * out_y + (x + 12) * LANES, tail(a0_12));
                    vf_store(o + 0 * out_y + (x + 13) * LANES, tail(a0_13));
                }
}
        }
    }
}
