/* Direct convolution, then relu, then mean over the whole map: the convolution's result stays in registers.
 *
 * Register tile: 2 output vectors x 1 rows x 13 pixels, as in conv_direct, from a row-major input.
 *   share of (panel, image, chunk of tiles) of this thread
 *     tile: reduction in registers, tail, and into the local array total[2]
 *   barrier; (image, output vector): combine the chunks, finish, store
 *
 * The chunks do not depend on the team's size, so neither does the rounding. */
#include "sol_team.h"
#include "sol_simd.h"

typedef struct {
    const float *in, *w, *bias;
    int64_t C, R, in_n, in_c, in_row, in_r, in_group;
    int64_t w_kb, rows, columns, group_vectors, OH, OW;
} conv;

static inline vf gather(vf total, vf v) { return total + v; }

static __attribute__((noinline)) void tile_2x1x13(const conv *c, const float *in, const float *w, const float *bias, vf *total)
{
    const vf b0 = vf_load(bias + 0 * LANES);
    vf a0_0_0 = b0, a0_0_1 = b0, a0_0_2 = b0, a0_0_3 = b0, a0_0_4 = b0, a0_0_5 = b0, a0_0_6 = b0, a0_0_7 = b0, a0_0_8 = b0, a0_0_9 = b0, a0_0_10 = b0, a0_0_11 = b0, a0_0_12 = b0;
    const vf b1 = vf_load(bias + 1 * LANES);
    vf a1_0_0 = b1, a1_0_1 = b1, a1_0_2 = b1, a1_0_3 = b1, a1_0_4 = b1, a1_0_5 = b1, a1_0_6 = b1, a1_0_7 = b1, a1_0_8 = b1, a1_0_9 = b1, a1_0_10 = b1, a1_0_11 = b1, a1_0_12 = b1;
const int64_t channels = c->C, R = c->R, in_c = c->in_c, in_r = c->in_r;
    for (int64_t k = 0; k < channels; k++, in += in_c) {
        const float *row = in;
        for (int64_t r = 0; r < R; r++, row += in_r) {
            {
                const float *x0 = row;
                {
                    const vf w0 = vf_load(w + 0 * LANES), w1 = vf_load(w + 1 * LANES);
                    { const float b = x0[0]; a0_0_0 += w0 * b; a1_0_0 += w1 * b; }
                    { const float b = x0[1]; a0_0_1 += w0 * b; a1_0_1 += w1 * b; }
                    { const float b = x0[2]; a0_0_2 += w0 * b; a1_0_2 += w1 * b; }
                    { const float b = x0[3]; a0_0_3 += w0 * b; a1_0_3 += w1 * b; }
                    { const float b = x0[4]; a0_0_4 += w0 * b; a1_0_4 += w1 * b; }
                    { const float b = x0[5]; a0_0_5 += w0 * b; a1_0_5 += w1 * b; }
                    { const float b = x0[6]; a0_0_6 += w0 * b; a1_0_6 += w1 * b; }
                    { const float b = x0[7]; a0_0_7 += w0 * b; a1_0_7 += w1 * b; }
                    { const float b = x0[8]; a0_0_8 += w0 * b; a1_0_8 += w1 * b; }
                    { const float b = x0[9]; a0_0_9 += w0 * b; a1_0_9 += w1 * b; }
                    { const float b = x0[10]; a0_0_10 += w0 * b; a1_0_10 += w1 * b; }
                    { const float b = x0[11]; a0_0_11 += w0 * b; a1_0_11 += w1 * b; }
                    { const float b = x0[12]; a0_0_12 += w0 * b; a1_0_12 += w1 * b; }
                }
                SOL_FENCE();
                w += 2 * LANES;
            }
        }
    }
    vf s0 = total[0];
    vf s1 = total[1];
    const vf t0_0_0_0 = vf_max_quiet(vf_set(0.0f), a0_0_0);
    s0 = gather(s0, t0_0_0_0);
    const vf t0_0_1_0 = vf_max_quiet(vf_set(0.0f), a0_0_1);
    s0 = gather(s0, t0_0_1_0);
    const vf t0_0_2_0 = vf_max_quiet(vf_set(0.0f), a0_0_2);
    s0 = gather(s0, t0_0_2_0);
    const vf t0_0_3_0 = vf_max_quiet(vf_set(0.0f), a0_0_3);
    s0 = gather(s0, t0_0_3_0);
    const vf t0_0_4_0 = vf_max_quiet(vf_set(0.0f), a0_0_4);
    s0 = gather(s0, t0_0_4_0);
    const vf t0_0_5_0 = vf_max_quiet(vf_set(0.0f), a0_0_5);
    s0 = gather(s0, t0_0_5_0);
    const vf t0_0_6_0 = vf_max_quiet(vf_set(0.0f), a0_0_6);
    s0 = gather(s0, t0_0_6_0);
    const vf t0_0_7_0 = vf_max_quiet(vf_set(0.0f), a0_0_7);
    s0 = gather(s0, t0_0_7_0);
    const vf t0_0_8_0 = vf_max_quiet(vf_set(0.0f), a0_0_8);
    s0 = gather(s0, t0_0_8_0);
    const vf t0_0_9_0 = vf_max_quiet(vf_set(0.0f), a0_0_9);
    s0 = gather(s0, t0_0_9_0);
    const vf t0_0_10_0 = vf_max_quiet(vf_set(0.0f), a0_0_10);
    s0 = gather(s0, t0_0_10_0);
    const vf t0_0_11_0 = vf_max_quiet(vf_set(0.0f), a0_0_11);
    s0 = gather(s0, t0_0_11_0);
    const vf t0_0_12_0 = vf_max_quiet(vf_set(0.0f), a0_0_12);
    s0 = gather(s0, t0_0_12_0);
    const vf t1_0_0_0 = vf_max_quiet(vf_set(0.0f), a1_0_0);
    s1 = gather(s1, t1_0_0_0);
    const vf t1_0_1_0 = vf_max_quiet(vf_set(0.0f), a1_0_1);
    s1 = gather(s1, t1_0_1_0);
    const vf t1_0_2_0 = vf_max_quiet(vf_set(0.0f), a1_0_2);
    s1 = gather(s1, t1_0_2_0);
    const vf t1_0_3_0 = vf_max_quiet(vf_set(0.0f), a1_0_3);
    s1 = gather(s1, t1_0_3_0);
    const vf t1_0_4_0 = vf_max_quiet(vf_set(0.0f), a1_0_4);
    s1 = gather(s1, t1_0_4_0);
    const vf t1_0_5_0 = vf_max_quiet(vf_set(0.0f), a1_0_5);
    s1 = gather(s1, t1_0_5_0);
    const vf t1_0_6_0 = vf_max_quiet(vf_set(0.0f), a1_0_6);
    s1 = gather(s1, t1_0_6_0);
    const vf t1_0_7_0 = vf_max_quiet(vf_set(0.0f), a1_0_7);
    s1 = gather(s1, t1_0_7_0);
    const vf t1_0_8_0 = vf_max_quiet(vf_set(0.0f), a1_0_8);
    s1 = gather(s1, t1_0_8_0);
    const vf t1_0_9_0 = vf_max_quiet(vf_set(0.0f), a1_0_9);
    s1 = gather(s1, t1_0_9_0);
    const vf t1_0_10_0 = vf_max_quiet(vf_set(0.0f), a1_0_10);
    s1 = gather(s1, t1_0_10_0);
    const vf t1_0_11_0 = vf_max_quiet(vf_set(0.0f), a1_0_11);
    s1 = gather(s1, t1_0_11_0);
    const vf t1_0_12_0 = vf_max_quiet(vf_set(0.0f), a1_0_12);
    s1 = gather(s1, t1_0_12_0);
    total[0] = s0;
    total[1] = s1;
}

/* Panel of vectors that starts at kb, image n, tiles t0 … t1 - 1. */
static void panel_2(const conv *c, int64_t kb, int64_t n, int64_t t0, int64_t t1, float *partial)
{
    const float *w = c->w + kb * c->w_kb;
    const float *bias = c->bias + kb * LANES;
    const float *in = c->in + kb / c->group_vectors * c->in_group;
    vf total[2];
    for (int o = 0; o < 2; o++) total[o] = vf_set(0.0f);
    int64_t y = t0 / c->columns, x = t0 % c->columns;
    for (; t0 < t1; t0++) {
        const float *i = in + n * c->in_n + y * 1 * c->in_row + x * 13 * 1;
        tile_2x1x13(c, i, w, bias, total);
if (++x == c->columns) x = 0, y++;
    }
    for (int o = 0; o < 2; o++) vf_store(partial + o * LANES, total[o]);
}

void conv_pooled(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    const float *w = buf[1];
    const float *bias = buf[2];
    float *out = buf[3];
    const int64_t N = arg[0];
    const int64_t OH = arg[1];
    const int64_t OW = arg[2];
    const int64_t groups = arg[3];
    const int64_t group_vectors = arg[4];
    const int64_t C = arg[5];
    const int64_t in_n = arg[6];
    const int64_t in_c = arg[7];
    const int64_t in_row = arg[8];
    const int64_t out_n = arg[9];
    const int64_t out_cb = arg[10];
    const int64_t out_lane = arg[11];
    const int64_t out_channels = arg[12];
    const int64_t chunks = arg[13];
    const int64_t count = arg[14];
    (void)team; (void)buf; (void)arg;
    const conv c = {
        .in = in, .w = w, .bias = bias,
        .C = C, .R = 1, .in_n = in_n, .in_c = in_c, .in_row = in_row, .w_kb = C * LANES,
        .rows = (OH + 0) / 1, .columns = (OW + 12) / 13,
        .group_vectors = group_vectors, .OH = OH, .OW = OW,
    };
    float *partial = (float *)team->common; /* [image][chunk][output vector][LANES] */
    const int64_t vectors = groups * group_vectors, tiles = c.rows * c.columns;
    const int64_t group_panels = (group_vectors + 1) / 2;
    int64_t u0, u1;
    sol_split(team, groups * group_panels * N * chunks, &u0, &u1);
    for (; u0 < u1; u0++) {
        const int64_t chunk = u0 % chunks, n = u0 / chunks % N, panel = u0 / chunks / N;
        const int64_t in_panel = panel % group_panels * 2, kb = panel / group_panels * group_vectors + in_panel;
        float *p = partial + ((n * chunks + chunk) * vectors + kb) * LANES;
        panel_2(&c, kb, n, tiles * chunk / chunks, tiles * (chunk + 1) / chunks, p);
    }
    sol_barrier(team);
    sol_split(team, N * vectors, &u0, &u1);
    for (; u0 < u1; u0++) {
        const int64_t n = u0 / vectors, kb = u0 % vectors;
        vf total = vf_load(partial + (n * chunks * vectors + kb) * LANES);
        for (int64_t chunk = 1; chunk < chunks; chunk++) total = gather(total, vf_load(partial + ((n * chunks + chunk) * vectors + kb) * LANES));
        float lane[LANES];
        vf_store(lane, total / (float)count);
        float *o = out + n * out_n + kb * out_cb;
        for (int64_t i = 0; i < LANES && kb * LANES + i < out_channels; i++) o[i * out_lane] = lane[i];
    }
}
