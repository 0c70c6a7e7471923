/* conv_small_grouped: grouped convolution with 4 channels in and out per group, NCHW16c to NCHW16c, float32.
 *
 *   for n, for channel block c, for strip of 1 output row(s):      (split over the team: blocks or strips)
 *     for tile of 14 output columns:                   (accumulators in registers, start at the bias)
 *       for r, the 3 taps of a filter row, unrolled; each input column is loaded once
 *         the 4 channels of every group in turn: channel j is spread over its group's lanes and multiplied
 *     pointwise epilogue, store
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
SOL_INLINE vf epilogue(vf a)
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
                        {
                            const vf w0_0 = vf_load(q + 0 * LANES), w0_1 = vf_load(q + 1 * LANES), w0_2 = vf_load(q + 2 * LANES), w0_3 = vf_load(q + 3 * LANES);
                            const vf w1_0 = vf_load(q + 4 * LANES), w1_1 = vf_load(q + 5 * LANES), w1_2 = vf_load(q + 6 * LANES), w1_3 = vf_load(q + 7 * LANES);
                            const vf w2_0 = vf_load(q + 8 * LANES), w2_1 = vf_load(q + 9 * LANES), w2_2 = vf_load(q + 10 * LANES), w2_3 = vf_load(q + 11 * LANES);
                            const vf v0 = vf_load(p + 0 * LANES);
                            const vf v0_0 = SPREAD0(v0); a0_0 += v0_0 * w0_0;
                            const vf v0_1 = SPREAD1(v0); a0_0 += v0_1 * w0_1;
                            const vf v0_2 = SPREAD2(v0); a0_0 += v0_2 * w0_2;
                            const vf v0_3 = SPREAD3(v0); a0_0 += v0_3 * w0_3;
                            SOL_FENCE();
                            const vf v1 = vf_load(p + 1 * LANES);
                            const vf v1_0 = SPREAD0(v1); a0_0 += v1_0 * w1_0; a0_1 += v1_0 * w0_0;
                            const vf v1_1 = SPREAD1(v1); a0_0 += v1_1 * w1_1; a0_1 += v1_1 * w0_1;
                            const vf v1_2 = SPREAD2(v1); a0_0 += v1_2 * w1_2; a0_1 += v1_2 * w0_2;
                            const vf v1_3 = SPREAD3(v1); a0_0 += v1_3 * w1_3; a0_1 += v1_3 * w0_3;
                            SOL_FENCE();
                            const vf v2 = vf_load(p + 2 * LANES);
                            const vf v2_0 = SPREAD0(v2); a0_0 += v2_0 * w2_0; a0_1 += v2_0 * w1_0; a0_2 += v2_0 * w0_0;
                            const vf v2_1 = SPREAD1(v2); a0_0 += v2_1 * w2_1; a0_1 += v2_1 * w1_1; a0_2 += v2_1 * w0_1;
                            const vf v2_2 = SPREAD2(v2); a0_0 += v2_2 * w2_2; a0_1 += v2_2 * w1_2; a0_2 += v2_2 * w0_2;
                            const vf v2_3 = SPREAD3(v2); a0_0 += v2_3 * w2_3; a0_1 += v2_3 * w1_3; a0_2 += v2_3 * w0_3;
                            SOL_FENCE();
                            const vf v3 = vf_load(p + 3 * LANES);
                            const vf v3_0 = SPREAD0(v3); a0_1 += v3_0 * w2_0; a0_2 += v3_0 * w1_0; a0_3 += v3_0 * w0_0;
                            const vf v3_1 = SPREAD1(v3); a0_1 += v3_1 * w2_1; a0_2 += v3_1 * w1_1; a0_3 += v3_1 * w0_1;
                            const vf v3_2 = SPREAD2(v3); a0_1 += v3_2 * w2_2; a0_2 += v3_2 * w1_2; a0_3 += v3_2 * w0_2;
                            const vf v3_3 = SPREAD3(v3); a0_1 += v3_3 * w2_3; a0_2 += v3_3 * w1_3; a0_3 += v3_3 * w0_3;
                            SOL_FENCE();
                            const vf v4 = vf_load(p + 4 * LANES);
                            const vf v4_0 = SPREAD0(v4); a0_2 += v4_0 * w2_0; a0_3 += v4_0 * w1_0; a0_4 += v4_0 * w0_0;
                            const vf v4_1 = SPREAD1(v4); a0_2 += v4_1 * w2_1; a0_3 += v4_1 * w1_1; a0_4 += v4_1 * w0_1;
                            const vf v4_2 = SPREAD2(v4); a0_2 += v4_2 * w2_2; a0_3 += v4_2 * w1_2; a0_4 += v4_2 * w0_2;
                            const vf v4_3 = SPREAD3(v4); a0_2 += v4_3 * w2_3; a0_3 += v4_3 * w1_3; a0_4 += v4_3 * w0_3;
                            SOL_FENCE();
                            const vf v5 = vf_load(p + 5 * LANES);
                            const vf v5_0 = SPREAD0(v5); a0_3 += v5_0 * w2_0; a0_4 += v5_0 * w1_0; a0_5 += v5_0 * w0_0;
                            const vf v5_1 = SPREAD1(v5); a0_3 += v5_1 * w2_1; a0_4 += v5_1 * w1_1; a0_5 += v5_1 * w0_1;
                            const vf v5_2 = SPREAD2(v5); a0_3 += v5_2 * w2_2; a0_4 += v5_2 * w1_2; a0_5 += v5_2 * w0_2;
                            const vf v5_3 = SPREAD3(v5); a0_3 += v5_3 * w2_3; a0_4 += v5_3 * w1_3; a0_5 += v5_3 * w0_3;
                            SOL_FENCE();
                            const vf v6 = vf_load(p + 6 * LANES);
                            const vf v6_0 = SPREAD0(v6); a0_4 += v6_0 * w2_0; a0_5 += v6_0 * w1_0; a0_6 += v6_0 * w0_0;
                            const vf v6_1 = SPREAD1(v6); a0_4 += v6_1 * w2_1; a0_5 += v6_1 * w1_1; a0_6 += v6_1 * w0_1;
                            const vf v6_2 = SPREAD2(v6); a0_4 += v6_2 * w2_2; a0_5 += v6_2 * w1_2; a0_6 += v6_2 * w0_2;
                            const vf v6_3 = SPREAD3(v6); a0_4 += v6_3 * w2_3; a0_5 += v6_3 * w1_3; a0_6 += v6_3 * w0_3;
                            SOL_FENCE();
                            const vf v7 = vf_load(p + 7 * LANES);
                            const vf v7_0 = SPREAD0(v7); a0_5 += v7_0 * w2_0; a0_6 += v7_0 * w1_0; a0_7 += v7_0 * w0_0;
                            const vf v7_1 = SPREAD1(v7); a0_5 += v7_1 * w2_1; a0_6 += v7_1 * w1_1; a0_7 += v7_1 * w0_1;
                            const vf v7_2 = SPREAD2(v7); a0_5 += v7_2 * w2_2; a0_6 += v7_2 * w1_2; a0_7 += v7_2 * w0_2;
                            const vf v7_3 = SPREAD3(v7); a0_5 += v7_3 * w2_3; a0_6 += v7_3 * w1_3; a0_7 += v7_3 * w0_3;
                            SOL_FENCE();
                            const vf v8 = vf_load(p + 8 * LANES);
                            const vf v8_0 = SPREAD0(v8); a0_6 += v8_0 * w2_0; a0_7 += v8_0 * w1_0; a0_8 += v8_0 * w0_0;
                            const vf v8_1 = SPREAD1(v8); a0_6 += v8_1 * w2_1; a0_7 += v8_1 * w1_1; a0_8 += v8_1 * w0_1;
                            const vf v8_2 = SPREAD2(v8); a0_6 += v8_2 * w2_2; a0_7 += v8_2 * w1_2; a0_8 += v8_2 * w0_2;
                            const vf v8_3 = SPREAD3(v8); a0_6 += v8_3 * w2_3; a0_7 += v8_3 * w1_3; a0_8 += v8_3 * w0_3;
                            SOL_FENCE();
                            const vf v9 = vf_load(p + 9 * LANES);
                            const vf v9_0 = SPREAD0(v9); a0_7 += v9_0 * w2_0; a0_8 += v9_0 * w1_0; a0_9 += v9_0 * w0_0;
                            const vf v9_1 = SPREAD1(v9); a0_7 += v9_1 * w2_1; a0_8 += v9_1 * w1_1; a0_9 += v9_1 * w0_1;
                            const vf v9_2 = SPREAD2(v9); a0_7 += v9_2 * w2_2; a0_8 += v9_2 * w1_2; a0_9 += v9_2 * w0_2;
                            const vf v9_3 = SPREAD3(v9); a0_7 += v9_3 * w2_3; a0_8 += v9_3 * w1_3; a0_9 += v9_3 * w0_3;
                            SOL_FENCE();
                            const vf v10 = vf_load(p + 10 * LANES);
                            const vf v10_0 = SPREAD0(v10); a0_8 += v10_0 * w2_0; a0_9 += v10_0 * w1_0; a0_10 += v10_0 * w0_0;
                            const vf v10_1 = SPREAD1(v10); a0_8 += v10_1 * w2_1; a0_9 += v10_1 * w1_1; a0_10 += v10_1 * w0_1;
                            const vf v10_2 = SPREAD2(v10); a0_8 += v10_2 * w2_2; a0_9 += v10_2 * w1_2; a0_10 += v10_2 * w0_2;
                            const vf v10_3 = SPREAD3(v10); a0_8 += v10_3 * w2_3; a0_9 += v10_3 * w1_3; a0_10 += v10_3 * w0_3;
                            SOL_FENCE();
                            const vf v11 = vf_load(p + 11 * LANES);
                            const vf v11_0 = SPREAD0(v11); a0_9 += v11_0 * w2_0; a0_10 += v11_0 * w1_0; a0_11 += v11_0 * w0_0;
                            const vf v11_1 = SPREAD1(v11); a0_9 += v11_1 * w2_1; a0_10 += v11_1 * w1_1; a0_11 += v11_1 * w0_1;
                            const vf v11_2 = SPREAD2(v11); a0_9 += v11_2 * w2_2; a0_10 += v11_2 * w1_2; a0_11 += v11_2 * w0_2;
                            const vf v11_3 = SPREAD3(v11); a0_9 += v11_3 * w2_3; a0_10 += v11_3 * w1_3; a0_11 += v11_3 * w0_3;
                            SOL_FENCE();
                            const vf v12 = vf_load(p + 12 * LANES);
                            const vf v12_0 = SPREAD0(v12); a0_10 += v12_0 * w2_0; a0_11 += v12_0 * w1_0; a0_12 += v12_0 * w0_0;
                            const vf v12_1 = SPREAD1(v12); a0_10 += v12_1 * w2_1; a0_11 += v12_1 * w1_1; a0_12 += v12_1 * w0_1;
                            const vf v12_2 = SPREAD2(v12); a0_10 += v12_2 * w2_2; a0_11 += v12_2 * w1_2; a0_12 += v12_2 * w0_2;
                            const vf v12_3 = SPREAD3(v12); a0_10 += v12_3 * w2_3; a0_11 += v12_3 * w1_3; a0_12 += v12_3 * w0_3;
                            SOL_FENCE();
                            const vf v13 = vf_load(p + 13 * LANES);
                            const vf v13_0 = SPREAD0(v13); a0_11 += v13_0 * w2_0; a0_12 += v13_0 * w1_0; a0_13 += v13_0 * w0_0;
                            const vf v13_1 = SPREAD1(v13); a0_11 += v13_1 * w2_1; a0_12 += v13_1 * w1_1; a0_13 += v13_1 * w0_1;
                            const vf v13_2 = SPREAD2(v13); a0_11 += v13_2 * w2_2; a0_12 += v13_2 * w1_2; a0_13 += v13_2 * w0_2;
                            const vf v13_3 = SPREAD3(v13); a0_11 += v13_3 * w2_3; a0_12 += v13_3 * w1_3; a0_13 += v13_3 * w0_3;
                            SOL_FENCE();
                            const vf v14 = vf_load(p + 14 * LANES);
                            const vf v14_0 = SPREAD0(v14); a0_12 += v14_0 * w2_0; a0_13 += v14_0 * w1_0;
                            const vf v14_1 = SPREAD1(v14); a0_12 += v14_1 * w2_1; a0_13 += v14_1 * w1_1;
                            const vf v14_2 = SPREAD2(v14); a0_12 += v14_2 * w2_2; a0_13 += v14_2 * w1_2;
                            const vf v14_3 = SPREAD3(v14); a0_12 += v14_3 * w2_3; a0_13 += v14_3 * w1_3;
                            SOL_FENCE();
                            const vf v15 = vf_load(p + 15 * LANES);
                            const vf v15_0 = SPREAD0(v15); a0_13 += v15_0 * w2_0;
                            const vf v15_1 = SPREAD1(v15); a0_13 += v15_1 * w2_1;
                            const vf v15_2 = SPREAD2(v15); a0_13 += v15_2 * w2_2;
                            const vf v15_3 = SPREAD3(v15); a0_13 += v15_3 * w2_3;
                            SOL_FENCE();
                        }
                        q += 12 * LANES;
                    }
                    vf_store(o + 0 * out_y + (x + 0) * LANES, epilogue(a0_0));
                    vf_store(o + 0 * out_y + (x + 1) * LANES, epilogue(a0_1));
                    vf_store(o + 0 * out_y + (x + 2) * LANES, epilogue(a0_2));
                    vf_store(o + 0 * out_y + (x + 3) * LANES, epilogue(a0_3));
                    vf_store(o + 0 * out_y + (x + 4) * LANES, epilogue(a0_4));
                    vf_store(o + 0 * out_y + (x + 5) * LANES, epilogue(a0_5));
                    vf_store(o + 0 * out_y + (x + 6) * LANES, epilogue(a0_6));
                    vf_store(o + 0 * out_y + (x + 7) * LANES, epilogue(a0_7));
                    vf_store(o + 0 * out_y + (x + 8) * LANES, epilogue(a0_8));
                    vf_store(o + 0 * out_y + (x + 9) * LANES, epilogue(a0_9));
                    vf_store(o + 0 * out_y + (x + 10) * LANES, epilogue(a0_10));
                    vf_store(o + 0 * out_y + (x + 11) * LANES, epilogue(a0_11));
                    vf_store(o + 0 * out_y + (x + 12) * LANES, epilogue(a0_12));
                    vf_store(o + 0 * out_y + (x + 13) * LANES, epilogue(a0_13));
                }
}
        }
    }
}
