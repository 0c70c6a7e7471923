/* conv_small: depthwise convolution (3x3), NCHW16c to NCHW16c, float32.
 *
 *   for n, for channel block c, for strip of 2 output row(s):      (split over the team: blocks or strips)
 *     for tile of 7 output columns:                   (accumulators in registers, start at the bias)
 *       all 3 x 3 taps, unrolled; the weights stay in registers over the whole strip
 *     pointwise epilogue, store
 *
 * in: element (0, 0, -padding, -padding); its zero border is read.
 * weight: [C/16][R][S][16 output channels].
 * Columns step by 1. Sizes and strides are arguments.
 */
#include "sol_simd.h"
#include "sol_team.h"


/* The pointwise ops behind the anchor: relu. */
SOL_INLINE vf epilogue(vf a)
{
    const vf t0 = vf_max_quiet(vf_set(0.0f), a);
    return t0;
}

void conv_small(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    const float *weight = buf[1];
    float *out = buf[2];
    const int64_t N = arg[0];
    const int64_t CB = arg[1];
    const int64_t H = arg[2];
    const int64_t W = arg[3];
    const int64_t by_rows = arg[4];
    const int64_t in_n = arg[5];
    const int64_t in_b = arg[6];
    const int64_t in_y = arg[7];
    const int64_t out_n = arg[8];
    const int64_t out_b = arg[9];
    const int64_t out_y = arg[10];
    (void)team; (void)buf; (void)arg;
    const int64_t strips = (H + 1) / 2;
    sol_walk walk = sol_walk_of(team, N, CB, strips, by_rows);
    const int64_t halo = team->size > 1 && walk.by_rows ? (3 - 1) * 1 / 2 : 0, columns = (W - 1) * 1 + (3 - 1) * 1 + 1;
    while (sol_next(&walk)) {
        /* Rows that a neighbouring thread has written take long to come: those of a block further on are asked for. */
        const int64_t end = walk.y1 * 2 < H ? walk.y1 * 2 : H;
        for (int64_t r = 0; r < halo && walk.c + 2 < CB; r++) {
            const float *block = in + walk.n * in_n + (walk.c + 2) * in_b;
            const float *above = block + (walk.y0 * 2 + r) * in_y, *below = block + ((end - 1) * 1 + (3 - 1) * 1 - r) * in_y;
            for (int64_t x = 0; x < columns; x++) {
                if (walk.y0 > 0) __builtin_prefetch(above + x * LANES);
                if (end < H) __builtin_prefetch(below + x * LANES);
            }
        }
        for (int64_t strip = walk.y0; strip < walk.y1; strip++) {
            const int64_t y = strip * 2, c = walk.c, n = walk.n;
            const float *i = in + n * in_n + c * in_b + y * 1 * in_y;
            const float *w = weight + c * (3 * 3 * 1 * LANES);
            float *o = out + n * out_n + c * out_b + y * out_y;
            const vf b = vf_zero();
            const vf w0 = vf_load(w + 0 * LANES);
            const vf w1 = vf_load(w + 1 * LANES);
            const vf w2 = vf_load(w + 2 * LANES);
            const vf w3 = vf_load(w + 3 * LANES);
            const vf w4 = vf_load(w + 4 * LANES);
            const vf w5 = vf_load(w + 5 * LANES);
            const vf w6 = vf_load(w + 6 * LANES);
            const vf w7 = vf_load(w + 7 * LANES);
            const vf w8 = vf_load(w + 8 * LANES);
            {
                int64_t x = 0;
                for (; x + 7 <= W; x += 7) {
                    vf a0_0 = b, a0_1 = b, a0_2 = b, a0_3 = b, a0_4 = b, a0_5 = b, a0_6 = b;
                    vf a1_0 = b, a1_1 = b, a1_2 = b, a1_3 = b, a1_4 = b, a1_5 = b, a1_6 = b;
                    {
                        const float *p = i + 0 * in_y + x * 1 * LANES;
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
                        const float *p = i + 1 * in_y + x * 1 * LANES;
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
                        const float *p = i + 2 * in_y + x * 1 * LANES;
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
                        const float *p = i + 3 * in_y + x * 1 * LANES;
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
        }
    }
}
