/* conv_grouped: grouped convolution with 4 channels in and out per group, NCHW16c to NCHW16c, float32.
 *
 *   for n, for channel block c, for output row y:                 (split over the team: blocks or rows)
 *     for tile of 14 output columns:    (accumulators in registers, start at the bias)
 *       for r, the 3 taps of a filter row, unrolled:
 *         the 4 channels of every group in turn: channel j is spread over its group's lanes and multiplied
 *     pointwise tail, store
 *
 * Groups never cross a block, so a block of outputs reads one block of inputs. in: element (0, 0, -padding, -padding); its zero border is read.
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

void conv_grouped(const sol_team *team, void *const *buf, const int64_t *arg)
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
    sol_walk walk = sol_walk_of(team, N, CB, H, by_rows);
    while (sol_next(&walk)) for (int64_t y = walk.y0; y < walk.y1; y++) {
        const int64_t c = walk.c, n = walk.n;
        const float *i = in + n * in_n + c * in_b + y * 1 * in_y;
        const float *w = weight + c * (R * 3 * 4 * LANES);
        float *o = out + n * out_n + c * out_b + y * out_y;
        const vf b = vf_zero();
        int64_t x = 0;
        for (; x + 14 <= W; x += 14) {
            vf a0 = b, a1 = b, a2 = b, a3 = b, a4 = b, a5 = b, a6 = b, a7 = b, a8 = b, a9 = b, a10 = b, a11 = b, a12 = b, a13 = b;
            const float *q = w;
            for (int64_t r = 0; r < R; r++) {
                const float *p = i + r * 1 * in_y + x * 1 * LANES;
                const vf w0_0 = vf_load(q + 0 * LANES), w0_1 = vf_load(q + 1 * LANES), w0_2 = vf_load(q + 2 * LANES), w0_3 = vf_load(q + 3 * LANES);
                const vf w1_0 = vf_load(q + 4 * LANES), w1_1 = vf_load(q + 5 * LANES), w1_2 = vf_load(q + 6 * LANES), w1_3 = vf_load(q + 7 * LANES);
                const vf w2_0 = vf_load(q + 8 * LANES), w2_1 = vf_load(q + 9 * LANES), w2_2 = vf_load(q + 10 * LANES), w2_3 = vf_load(q + 11 * LANES);
                {
                    const vf v = vf_load(p + 0 * LANES);
                    const vf v0 = SPREAD0(v);
                    a0 += v0 * w0_0;
                    const vf v1 = SPREAD1(v);
                    a0 += v1 * w0_1;
                    const vf v2 = SPREAD2(v);
                    a0 += v2 * w0_2;
                    const vf v3 = SPREAD3(v);
                    a0 += v3 * w0_3;
                    SOL_FENCE();
                }
                {
                    const vf v = vf_load(p + 1 * LANES);
                    const vf v0 = SPREAD0(v);
                    a0 += v0 * w1_0; a1 += v0 * w0_0;
                    const vf v1 = SPREAD1(v);
                    a0 += v1 * w1_1; a1 += v1 * w0_1;
                    const vf v2 = SPREAD2(v);
                    a0 += v2 * w1_2; a1 += v2 * w0_2;
                    const vf v3 = SPREAD3(v);
                    a0 += v3 * w1_3; a1 += v3 * w0_3;
                    SOL_FENCE();
                }
                {
                    const vf v = vf_load(p + 2 * LANES);
                    const vf v0 = SPREAD0(v);
                    a0 += v0 * w2_0; a1 += v0 * w1_0; a2 += v0 * w0_0;
                    const vf v1 = SPREAD1(v);
                    a0 += v1 * w2_1; a1 += v1 * w1_1; a2 += v1 * w0_1;
                    const vf v2 = SPREAD2(v);
                    a0 += v2 * w2_2; a1 += v2 * w1_2; a2 += v2 * w0_2;
                    const vf v3 = SPREAD3(v);
                    a0 += v3 * w2_3; a1 += v3 * w1_3; a2 += v3 * w0_3;
                    SOL_FENCE();
                }
                {
                    const vf v = vf_load(p + 3 * LANES);
                    const vf v0 = SPREAD0(v);
                    a1 += v0 * w2_0; a2 += v0 * w1_0; a3 += v0 * w0_0;
                    const vf v1 = SPREAD1(v);
                    a1 += v1 * w2_1; a2 += v1 * w1_1; a3 += v1 * w0_1;
                    const vf v2 = SPREAD2(v);
                    a1 += v2 * w2_2; a2 += v2 * w1_2; a3 += v2 * w0_2;
                    const vf v3 = SPREAD3(v);
                    a1 += v3 * w2_3; a2 += v3 * w1_3; a3 += v3 * w0_3;
                    SOL_FENCE();
                }
                {
                    const vf v = vf_load(p + 4 * LANES);
                    const vf v0 = SPREAD0(v);
                    a2 += v0 * w2_0; a3 += v0 * w1_0; a4 += v0 * w0_0;
                    const vf v1 = SPREAD1(v);
                    a2 += v1 * w2_1; a3 += v1 * w1_1; a4 += v1 * w0_1;
                    const vf v2 = SPREAD2(v);
                    a2 += v2 * w2_2; a3 += v2 * w1_2; a4 += v2 * w0_2;
                    const vf v3 = SPREAD3(v);
                    a2 += v3 * w2_3; a3 += v3 * w1_3; a4 += v3 * w0_3;
                    SOL_FENCE();
                }
                {
                    const vf v = vf_load(p + 5 * LANES);
                    const vf v0 = SPREAD0(v);
                    a3 += v0 * w2_0; a4 += v0 * w1_0; a5 += v0 * w0_0;
                    const vf v1 = SPREAD1(v);
                    a3 += v1 * w2_1; a4 += v1 * w1_1; a5 += v1 * w0_1;
                    const vf v2 = SPREAD2(v);
                    a3 += v2 * w2_2; a4 += v2 * w1_2; a5 += v2 * w0_2;
                    const vf v3 = SPREAD3(v);
                    a3 += v3 * w2_3; a4 += v3 * w1_3; a5 += v3 * w0_3;
                    SOL_FENCE();
                }
                {
                    const vf v = vf_load(p + 6 * LANES);
                    const vf v0 = SPREAD0(v);
                    a4 += v0 * w2_0; a5 += v0 * w1_0; a6 += v0 * w0_0;
                    const vf v1 = SPREAD1(v);
                    a4 += v1 * w2_1; a5 += v1 * w1_1; a6 += v1 * w0_1;
                    const vf v2 = SPREAD2(v);
                    a4 += v2 * w2_2; a5 += v2 * w1_2; a6 += v2 * w0_2;
                    const vf v3 = SPREAD3(v);
                    a4 += v3 * w2_3; a5 += v3 * w1_3; a6 += v3 * w0_3;
                    SOL_FENCE();
                }
                {
                    const vf v = vf_load(p + 7 * LANES);
                    const vf v0 = SPREAD0(v);
                    a5 += v0 * w2_0; a6 += v0 * w1_0; a7 += v0 * w0_0;
                    const vf v1 = SPREAD1(v);
                    a5 += v1 * w2_1; a6 += v1 * w1_1; a7 += v1 * w0_1;
                    const vf v2 = SPREAD2(v);
                    a5 += v2 * w2_2; a6 += v2 * w1_2; a7 += v2 * w0_2;
                    const vf v3 = SPREAD3(v);
                    a5 += v3 * w2_3; a6 += v3 * w1_3; a7 += v3 * w0_3;
                    SOL_FENCE();
                }
                {
                    const vf v = vf_load(p + 8 * LANES);
                    const vf v0 = SPREAD0(v);
                    a6 += v0 * w2_0; a7 += v0 * w1_0; a8 += v0 * w0_0;
                    const vf v1 = SPREAD1(v);
                    a6 += v1 * w2_1; a7 += v1 * w1_1; a8 += v1 * w0_1;
                    const vf v2 = SPREAD2(v);
                    a6 += v2 * w2_2; a7 += v2 * w1_2; a8 += v2 * w0_2;
                    const vf v3 = SPREAD3(v);
                    a6 += v3 * w2_3; a7 += v3 * w1_3; a8 += v3 * w0_3;
                    SOL_FENCE();
                }
                {
                    const vf v = vf_load(p + 9 * LANES);
                    const vf v0 = SPREAD0(v);
                    a7 += v0 * w2_0; a8 += v0 * w1_0; a9 += v0 * w0_0;
                    const vf v1 = SPREAD1(v);
                    a7 += v1 * w2_1; a8 += v1 * w1_1; a9 += v1 * w0_1;
                    const vf v2 = SPREAD2(v);
                    a7 += v2 * w2_2; a8 += v2 * w1_2; a9 += v2 * w0_2;
                    const vf v3 = SPREAD3(v);
                    a7 += v3 * w2_3; a8 += v3 * w1_3; a9 += v3 * w0_3;
                    SOL_FENCE();
                }
                {
                    const vf v = vf_load(p + 10 * LANES);
                    const vf v0 = SPREAD0(v);
                    a8 += v0 * w2_0; a9 += v0 * w1_0; a10 += v0 * w0_0;
                    const vf v1 = SPREAD1(v);
                    a8 += v1 * w2_1; a9 += v1 * w1_1; a10 += v1 * w0_1;
                    const vf v2 = SPREAD2(v);
                    a8 += v2 * w2_2; a9 += v2 * w1_2; a10 += v2 * w0_2;
                    const vf v3 = SPREAD3(v);
                    a8 += v3 * w2_3; a9 += v3 * w1_3; a10 += v3 * w0_3;
                    SOL_FENCE();
                }
                {
                    const vf v = vf_load(p + 11 * LANES);
                    const vf v0 = SPREAD0(v);
                    a9 += v0 * w2_0; a10 += v0 * w1_0; a11 += v0 * w0_0;
                    const vf v1 = SPREAD1(v);
                    a9 += v1 * w2_1; a10 += v1 * w1_1; a11 += v1 * w0_1;
                    const vf v2 = SPREAD2(v);
                    a9 += v2 * w2_2; a10 += v2 * w1_2; a11 += v2 * w0_2;
                    const vf v3 = SPREAD3(v);
                    a9 += v3 * w2_3; a10 += v3 * w1_3; a11 += v3 * w0_3;
                    SOL_FENCE();
                }
                {
                    const vf v = vf_load(p + 12 * LANES);
                    const vf v0 = SPREAD0(v);
                    a10 += v0 * w2_0; a11 += v0 * w1_0; a12 += v0 * w0_0;
                    const vf v1 = SPREAD1(v);
                    a10 += v1 * w2_1; a11 += v1 * w1_1; a12 += v1 * w0_1;
                    const vf v2 = SPREAD2(v);
                    a10 += v2 * w2_2; a11 += v2 * w1_2; a12 += v2 * w0_2;
                    const vf v3 = SPREAD3(v);
                    a10 += v3 * w2_3; a11 += v3 * w1_3; a12 += v3 * w0_3;
                    SOL_FENCE();
                }
                {
                    const vf v = vf_load(p + 13 * LANES);
                    const vf v0 = SPREAD0(v);
                    a11 += v0 * w2_0; a12 += v0 * w1_0; a13 += v0 * w0_0;
                    const vf v1 = SPREAD1(v);
                    a11 += v1 * w2_1; a12 += v1 * w1_1; a13 += v1 * w0_1;
                    const vf v2 = SPREAD2(v);
                    a11 += v2 * w2_2; a12 += v2 * w1_2; a13 += v2 * w0_2;
                    const vf v3 = SPREAD3(v);
                    a11 += v3 * w2_3; a12 += v3 * w1_3; a13 += v3 * w0_3;
                    SOL_FENCE();
                }
                {
                    const vf v = vf_load(p + 14 * LANES);
                    const vf v0 = SPREAD0(v);
                    a12 += v0 * w2_0; a13 += v0 * w1_0;
                    const vf v1 = SPREAD1(v);
                    a12 += v1 * w2_1; a13 += v1 * w1_1;
                    const vf v2 = SPREAD2(v);
                    a12 += v2 * w2_2; a13 += v2 * w1_2;
                    const vf v3 = SPREAD3(v);
                    a12 += v3 * w2_3; a13 += v3 * w1_3;
                    SOL_FENCE();
                }
                {
                    const vf v = vf_load(p + 15 * LANES);
                    const vf v0 = SPREAD0(v);
                    a13 += v0 * w2_0;
                    const vf v1 = SPREAD1(v);
                    a13 += v1 * w2_1;
                    const vf v2 = SPREAD2(v);
                    a13 += v2 * w2_2;
                    const vf v3 = SPREAD3(v);
                    a13 += v3 * w2_3;
                    SOL_FENCE();
                }
                q += 12 * LANES;
            }
            vf_store(o + (x + 0) * LANES, tail(a0));
            vf_store(o + (x + 1) * LANES, tail(a1));
            vf_store(o + (x + 2) * LANES, tail(a2));
            vf_store(o + (x + 3) * LANES, tail(a3));
            vf_store(o + (x + 4) * LANES, tail(a4));
            vf_store(o + (x + 5) * LANES, tail(a5));
            vf_store(o + (x + 6) * LANES, tail(a6));
            vf_store(o + (x + 7) * LANES, tail(a7));
            vf_store(o + (x + 8) * LANES, tail(a8));
            vf_store(o + (x + 9) * LANES, tail(a9));
            vf_store(o + (x + 10) * LANES, tail(a10));
            vf_store(o + (x + 11) * LANES, tail(a11));
            vf_store(o + (x + 12) * LANES, tail(a12));
            vf_store(o + (x + 13) * LANES, tail(a13));
        }
    }
}
