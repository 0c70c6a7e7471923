/* Convolution of a plain input with few channels, NCHW -> NCHWc, then relu.
 *
 * Each image is copied into a zero-padded scratch [C][rows][columns] that the team shares; then register tiles of 2 output vectors x
 * 8 pixels take the whole reduction, the taps of a filter row unrolled.
 *   image
 *     copy this thread's share of rows; barrier       two scratches in turn: one barrier per image is enough
 *     panel of 2 output vectors, tile (row, column) of this thread
 *       channel, filter row, tap
 *
 * w: [panel][channel][r][s][2 * LANES]. */
#include "sol_team.h"
#include "sol_simd.h"

typedef struct {
    const float *in, *w;
    float *out;
int64_t C, R, S, in_n, in_c, in_row, in_r, out_n, out_cb, out_row, w_kb, rows, columns, OH, OW;
} conv;

static __attribute__((noinline)) void tile_2x1x8(const conv *c, const float *in, const float *w, float *out)
{
    const vf b0 = vf_zero();
    vf a0_0_0 = b0, a0_0_1 = b0, a0_0_2 = b0, a0_0_3 = b0, a0_0_4 = b0, a0_0_5 = b0, a0_0_6 = b0, a0_0_7 = b0;
    const vf b1 = vf_zero();
    vf a1_0_0 = b1, a1_0_1 = b1, a1_0_2 = b1, a1_0_3 = b1, a1_0_4 = b1, a1_0_5 = b1, a1_0_6 = b1, a1_0_7 = b1;
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
                }
                SOL_FENCE();
                {
                    const vf w0 = vf_load(w + 2 * LANES), w1 = vf_load(w + 3 * LANES);
                    { const float b = x0[1]; a0_0_0 += w0 * b; a1_0_0 += w1 * b; }
                    { const float b = x0[2]; a0_0_1 += w0 * b; a1_0_1 += w1 * b; }
                    { const float b = x0[3]; a0_0_2 += w0 * b; a1_0_2 += w1 * b; }
                    { const float b = x0[4]; a0_0_3 += w0 * b; a1_0_3 += w1 * b; }
                    { const float b = x0[5]; a0_0_4 += w0 * b; a1_0_4 += w1 * b; }
                    { const float b = x0[6]; a0_0_5 += w0 * b; a1_0_5 += w1 * b; }
                    { const float b = x0[7]; a0_0_6 += w0 * b; a1_0_6 += w1 * b; }
                    { const float b = x0[8]; a0_0_7 += w0 * b; a1_0_7 += w1 * b; }
                }
                SOL_FENCE();
                {
                    const vf w0 = vf_load(w + 4 * LANES), w1 = vf_load(w + 5 * LANES);
                    { const float b = x0[2]; a0_0_0 += w0 * b; a1_0_0 += w1 * b; }
                    { const float b = x0[3]; a0_0_1 += w0 * b; a1_0_1 += w1 * b; }
                    { const float b = x0[4]; a0_0_2 += w0 * b; a1_0_2 += w1 * b; }
                    { const float b = x0[5]; a0_0_3 += w0 * b; a1_0_3 += w1 * b; }
                    { const float b = x0[6]; a0_0_4 += w0 * b; a1_0_4 += w1 * b; }
                    { const float b = x0[7]; a0_0_5 += w0 * b; a1_0_5 += w1 * b; }
                    { const float b = x0[8]; a0_0_6 += w0 * b; a1_0_6 += w1 * b; }
                    { const float b = x0[9]; a0_0_7 += w0 * b; a1_0_7 += w1 * b; }
                }
                SOL_FENCE();
                w += 6 * LANES;
            }
        }
    }
    const vf t0_0_0_0 = vf_max_quiet(vf_set(0.0f), a0_0_0);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 0 * LANES, t0_0_0_0);
    const vf t0_0_1_0 = vf_max_quiet(vf_set(0.0f), a0_0_1);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 1 * LANES, t0_0_1_0);
    const vf t0_0_2_0 = vf_max_quiet(vf_set(0.0f), a0_0_2);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 2 * LANES, t0_0_2_0);
    const vf t0_0_3_0 = vf_max_quiet(vf_set(0.0f), a0_0_3);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 3 * LANES, t0_0_3_0);
    const vf t0_0_4_0 = vf_max_quiet(vf_set(0.0f), a0_0_4);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 4 * LANES, t0_0_4_0);
    const vf t0_0_5_0 = vf_max_quiet(vf_set(0.0f), a0_0_5);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 5 * LANES, t0_0_5_0);
    const vf t0_0_6_0 = vf_max_quiet(vf_set(0.0f), a0_0_6);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 6 * LANES, t0_0_6_0);
    const vf t0_0_7_0 = vf_max_quiet(vf_set(0.0f), a0_0_7);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 7 * LANES, t0_0_7_0);
    const vf t1_0_0_0 = vf_max_quiet(vf_set(0.0f), a1_0_0);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 0 * LANES, t1_0_0_0);
    const vf t1_0_1_0 = vf_max_quiet(vf_set(0.0f), a1_0_1);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 1 * LANES, t1_0_1_0);
    const vf t1_0_2_0 = vf_max_quiet(vf_set(0.0f), a1_0_2);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 2 * LANES, t1_0_2_0);
    const vf t1_0_3_0 = vf_max_quiet(vf_set(0.0f), a1_0_3);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 3 * LANES, t1_0_3_0);
    const vf t1_0_4_0 = vf_max_quiet(vf_set(0.0f), a1_0_4);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 4 * LANES, t1_0_4_0);
    const vf t1_0_5_0 = vf_max_quiet(vf_set(0.0f), a1_0_5);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 5 * LANES, t1_0_5_0);
    const vf t1_0_6_0 = vf_max_quiet(vf_set(0.0f), a1_0_6);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 6 * LANES, t1_0_6_0);
    const vf t1_0_7_0 = vf_max_quiet(vf_set(0.0f), a1_0_7);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 7 * LANES, t1_0_7_0);
}

/* Panel of vectors that starts at kb, image n, tiles t0 … t1 - 1. */
static void panel_2(const conv *c, int64_t kb, int64_t n, int64_t t0, int64_t t1)
{
    const float *w = c->w + kb * c->w_kb, *in = c->in;
    float *out = c->out + kb * c->out_cb;
    int64_t y = t0 / c->columns, x = t0 % c->columns;
    for (; t0 < t1; t0++) {
        const float *i = in + n * c->in_n + y * 1 * c->in_row + x * 8 * 1;
        float *o = out + n * c->out_n + y * 1 * c->out_row + x * 8 * LANES;
        tile_2x1x8(c, i, w, o);
if (++x == c->columns) x = 0, y++;
    }
}

/* Rows [row0, row1) of the padded image: row = channel * PH + line. */
static void copy_rows(float *to, const float *from, int64_t row0, int64_t row1, int64_t PH, int64_t PW, int64_t H, int64_t W,
                      int64_t pad_y, int64_t pad_x, int64_t source_c, int64_t source_h, int64_t source_w)
{
    for (int64_t row = row0; row < row1; row++) {
        const int64_t y = row % PH - pad_y;
        float *line = to + row * PW;
        int64_t x = 0;
        if (y >= 0 && y < H) {
            const float *s = from + row / PH * source_c + y * source_h - pad_x * source_w;
            const int64_t end = W + pad_x < PW ? W + pad_x : PW;
            for (; x < pad_x && x < PW; x++) line[x] = 0;
            if (source_w == 1 && end > x) memcpy(line + x, s + x, (end - x) * sizeof *s), x = end;
            else for (; x < end; x++) line[x] = s[x * source_w];
        }
        for (; x < PW; x++) line[x] = 0;
    }
}

void conv_stem(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    const float *w = buf[1];
    float *out = buf[2];
    const int64_t N = arg[0];
    const int64_t C = arg[1];
    const int64_t H = arg[2];
    const int64_t W = arg[3];
    const int64_t OH = arg[4];
    const int64_t OW = arg[5];
    const int64_t PH = arg[6];
    const int64_t PW = arg[7];
    const int64_t R = arg[8];
    const int64_t S = arg[9];
    const int64_t pad_y = arg[10];
    const int64_t pad_x = arg[11];
    const int64_t stride_y = arg[12];
    const int64_t dilation_y = arg[13];
    const int64_t vectors = arg[14];
    const int64_t source_n = arg[15];
    const int64_t source_c = arg[16];
    const int64_t source_h = arg[17];
    const int64_t source_w = arg[18];
    const int64_t out_n = arg[19];
    const int64_t out_cb = arg[20];
    const int64_t out_row = arg[21];
    (void)team; (void)buf; (void)arg;
    conv c = {
        .w = w, .out = out,
.C = C, .R = R, .S = S, .in_n = 0, .in_c = PH * PW, .in_row = stride_y * PW, .in_r = dilation_y * PW,
        .out_n = out_n, .out_cb = out_cb, .out_row = out_row, .w_kb = C * R * S * LANES,
        .rows = OH, .columns = (OW + 7) / 8, .OH = OH, .OW = OW,
    };
    const int64_t tiles = c.rows * c.columns, most = (tiles + team->size - 1) / team->size * team->size;
    if (tiles == 0) return;
    int64_t row0, row1, t0, t1, u0, u1;
    sol_split(team, C * PH, &row0, &row1);
    sol_split(team, tiles, &t0, &t1);
    sol_split(team, vectors * tiles, &u0, &u1);
    for (int64_t n = 0; n < N; n++) {
        float *padded = (float *)team->common + n % 2 * C * PH * PW;
        copy_rows(padded, in + n * source_n, row0, row1, PH, PW, H, W, pad_y, pad_x, source_c, source_h, source_w);
        sol_barrier(team);
        c.in = padded;
        for (int64_t kb = 0, width; kb < vectors; kb += width) {
            width = vectors - kb < 2 ? vectors - kb : 2;
            if ((most - tiles) * 16 > tiles) { /* too few tiles: share out the output vectors, to the tile */
                const int64_t base = kb * tiles;
                t0 = u0 > base ? (u0 - base) / width : 0, t1 = u1 > base ? (u1 - base) / width : 0;
                if (t1 > tiles) t1 = tiles;
            }
            panel_2(&c, kb, n, t0, t1);
        }
    }
}
