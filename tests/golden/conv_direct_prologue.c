/* Direct convolution of a map that is made on the way (mul relu), NCHWc -> NCHWc.
 *
 * prologue[n, c, y, x] = (mul, relu)(in[n, c, y * stride_y, x * stride_x])
 * out[n, k, y, x] = epilogue(bias[k] + sum over c of w[k, c] * prologue[n, c, y, x])
 *
 * Register tile: 2 output vectors x 1 rows x 14 pixels, the whole reduction in registers.
 *   share of (panel, tile) pairs of this thread       panel = 2 output vectors, its weights stay in the cache
 *     strip: made in the thread's scratch, [input block][tile][row][pixel][LANES]
 *     panel
 *       tile (image, row, column)
 *         input block, channel of the block     sizes and strides are run-time arguments
 * Or, where the weights outweigh the map or the tiles do not divide evenly: threads share out the (panel, tile) pairs. Each of a few threads
 * makes the whole map for itself, if it fits the strip; a larger team makes it together in its shared memory, then waits.
 *
 * w: [panel][input block][r][s][channel][2 * LANES]; the last input block holds in_last channels only. */
#include "sol_team.h"
#include "sol_simd.h"

typedef struct conv {
    const float *in;
    const float *p0;
    const float *w;
    float *out;
    int64_t N, OH, OW, groups, group_vectors, by_tiles, in_blocks, in_last, strip, line_tiles, lines, src_line, line_pixels, src_n, src_cb, p0_n;
    int64_t p0_cb, in_r, out_n, out_cb, out_row, rows, columns, w_kb, in_cb, in_row;
} conv;

enum { TILE = 14 * LANES }; /* floats of a tile and input block */

/* (mul, relu)(in[n, c, y * stride_y, x * stride_x]) */
SOL_INLINE vf prologue(const conv *c, const float *i, vf p0)
{
    (void)c;
    const vf i0_0 = vf_load(i);
    const vf t0_0_0 = i0_0 * p0;
    const vf t0_0_1 = vf_max_quiet(vf_set(0.0f), t0_0_0);
    return t0_0_1;
}

SOL_INLINE void make_run(const conv *c, const float *i, float *o, int64_t pixels, vf p0)
{
#pragma GCC unroll 4
    for (; pixels > 0; pixels--, i += 1 * LANES, o += LANES) vf_store(o, prologue(c, i, p0));
}

/* Makes tiles t0 … t1 - 1 of an input block, line by line. */
static __attribute__((noinline)) void make(const conv *c, int64_t block, int64_t t0, int64_t t1, float *to)
{
    for (int64_t end; t0 < t1; to += (end - t0) * TILE, t0 = end) {
        const int64_t line = t0 / c->line_tiles, n = line / c->lines, tile = t0 - line * c->line_tiles;
        end = (line + 1) * c->line_tiles < t1 ? (line + 1) * c->line_tiles : t1;
        const float *from = c->in + n * c->src_n + block * c->src_cb + line % c->lines * c->src_line;
        const vf p0 = vf_load(c->p0 + n * c->p0_n + block * c->p0_cb);
        const int64_t first = tile * 14, rest = c->line_pixels - first, most = (end - t0) * 14;
        make_run(c, from + first * 1 * LANES, to, most < rest ? most : rest, p0);
    }
}

/* The (input block, tile) pairs u0 … u1 - 1 of ``count`` tiles from tile ``first`` on, which is made at ``to``. */
static void make_tiles(const conv *c, int64_t first, int64_t u0, int64_t u1, int64_t count, float *to)
{
    for (int64_t t0, t1; u0 < u1; u0 += t1 - t0) {
        const int64_t block = u0 / count;
        t0 = u0 % count, t1 = u1 - u0 < count - t0 ? t0 + u1 - u0 : count;
        make(c, block, first + t0, first + t1, to + block * c->in_cb + t0 * TILE);
    }
}

static __attribute__((noinline)) void tile_2x1x14(const conv *c, const float *in, const float *w, float *out, int64_t ahead)
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
                SOL_FETCH(w + ahead, 0, 2); SOL_FETCH(w + ahead, 1, 2);
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
                SOL_FETCH(w + ahead, 2, 2); SOL_FETCH(w + ahead, 3, 2);
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
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 0 * LANES, a0_0_0);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 0 * LANES, a1_0_0);
    }
    {
        const float p0 = x0[1 * LANES], p1 = x0[1 * LANES + 1];
        a0_0_1 += vf_load(w + 0 * LANES) * p0; a1_0_1 += vf_load(w + 1 * LANES) * p0;
        a0_0_1 += vf_load(w + 2 * LANES) * p1; a1_0_1 += vf_load(w + 3 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 1 * LANES, a0_0_1);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 1 * LANES, a1_0_1);
    }
    SOL_FENCE();
    {
        const float p0 = x0[2 * LANES], p1 = x0[2 * LANES + 1];
        a0_0_2 += vf_load(w + 0 * LANES) * p0; a1_0_2 += vf_load(w + 1 * LANES) * p0;
        a0_0_2 += vf_load(w + 2 * LANES) * p1; a1_0_2 += vf_load(w + 3 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 2 * LANES, a0_0_2);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 2 * LANES, a1_0_2);
    }
    {
        const float p0 = x0[3 * LANES], p1 = x0[3 * LANES + 1];
        a0_0_3 += vf_load(w + 0 * LANES) * p0; a1_0_3 += vf_load(w + 1 * LANES) * p0;
        a0_0_3 += vf_load(w + 2 * LANES) * p1; a1_0_3 += vf_load(w + 3 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 3 * LANES, a0_0_3);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 3 * LANES, a1_0_3);
    }
    SOL_FENCE();
    {
        const float p0 = x0[4 * LANES], p1 = x0[4 * LANES + 1];
        a0_0_4 += vf_load(w + 0 * LANES) * p0; a1_0_4 += vf_load(w + 1 * LANES) * p0;
        a0_0_4 += vf_load(w + 2 * LANES) * p1; a1_0_4 += vf_load(w + 3 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 4 * LANES, a0_0_4);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 4 * LANES, a1_0_4);
    }
    {
        const float p0 = x0[5 * LANES], p1 = x0[5 * LANES + 1];
        a0_0_5 += vf_load(w + 0 * LANES) * p0; a1_0_5 += vf_load(w + 1 * LANES) * p0;
        a0_0_5 += vf_load(w + 2 * LANES) * p1; a1_0_5 += vf_load(w + 3 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 5 * LANES, a0_0_5);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 5 * LANES, a1_0_5);
    }
    SOL_FENCE();
    {
        const float p0 = x0[6 * LANES], p1 = x0[6 * LANES + 1];
        a0_0_6 += vf_load(w + 0 * LANES) * p0; a1_0_6 += vf_load(w + 1 * LANES) * p0;
        a0_0_6 += vf_load(w + 2 * LANES) * p1; a1_0_6 += vf_load(w + 3 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 6 * LANES, a0_0_6);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 6 * LANES, a1_0_6);
    }
    {
        const float p0 = x0[7 * LANES], p1 = x0[7 * LANES + 1];
        a0_0_7 += vf_load(w + 0 * LANES) * p0; a1_0_7 += vf_load(w + 1 * LANES) * p0;
        a0_0_7 += vf_load(w + 2 * LANES) * p1; a1_0_7 += vf_load(w + 3 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 7 * LANES, a0_0_7);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 7 * LANES, a1_0_7);
    }
    SOL_FENCE();
    {
        const float p0 = x0[8 * LANES], p1 = x0[8 * LANES + 1];
        a0_0_8 += vf_load(w + 0 * LANES) * p0; a1_0_8 += vf_load(w + 1 * LANES) * p0;
        a0_0_8 += vf_load(w + 2 * LANES) * p1; a1_0_8 += vf_load(w + 3 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 8 * LANES, a0_0_8);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 8 * LANES, a1_0_8);
    }
    {
        const float p0 = x0[9 * LANES], p1 = x0[9 * LANES + 1];
        a0_0_9 += vf_load(w + 0 * LANES) * p0; a1_0_9 += vf_load(w + 1 * LANES) * p0;
        a0_0_9 += vf_load(w + 2 * LANES) * p1; a1_0_9 += vf_load(w + 3 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 9 * LANES, a0_0_9);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 9 * LANES, a1_0_9);
    }
    SOL_FENCE();
    {
        const float p0 = x0[10 * LANES], p1 = x0[10 * LANES + 1];
        a0_0_10 += vf_load(w + 0 * LANES) * p0; a1_0_10 += vf_load(w + 1 * LANES) * p0;
        a0_0_10 += vf_load(w + 2 * LANES) * p1; a1_0_10 += vf_load(w + 3 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 10 * LANES, a0_0_10);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 10 * LANES, a1_0_10);
    }
    {
        const float p0 = x0[11 * LANES], p1 = x0[11 * LANES + 1];
        a0_0_11 += vf_load(w + 0 * LANES) * p0; a1_0_11 += vf_load(w + 1 * LANES) * p0;
        a0_0_11 += vf_load(w + 2 * LANES) * p1; a1_0_11 += vf_load(w + 3 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 11 * LANES, a0_0_11);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 11 * LANES, a1_0_11);
    }
    SOL_FENCE();
    {
        const float p0 = x0[12 * LANES], p1 = x0[12 * LANES + 1];
        a0_0_12 += vf_load(w + 0 * LANES) * p0; a1_0_12 += vf_load(w + 1 * LANES) * p0;
        a0_0_12 += vf_load(w + 2 * LANES) * p1; a1_0_12 += vf_load(w + 3 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 12 * LANES, a0_0_12);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 12 * LANES, a1_0_12);
    }
    {
        const float p0 = x0[13 * LANES], p1 = x0[13 * LANES + 1];
        a0_0_13 += vf_load(w + 0 * LANES) * p0; a1_0_13 += vf_load(w + 1 * LANES) * p0;
        a0_0_13 += vf_load(w + 2 * LANES) * p1; a1_0_13 += vf_load(w + 3 * LANES) * p1;
        vf_store(out + 0 * c->out_cb + 0 * c->out_row + 13 * LANES, a0_0_13);
        vf_store(out + 1 * c->out_cb + 0 * c->out_row + 13 * LANES, a1_0_13);
    }
    SOL_FENCE();
}

/* Panel of vectors that starts at kb, tiles t0 … t1 - 1, the first of which is made at in. */
static void panel_2(const conv *c, int64_t kb, int64_t t0, int64_t t1, const float *in)
{
    const float *w = c->w + kb * c->w_kb;
    float *out = c->out + kb * c->out_cb;
    int64_t n = t0 / (c->rows * c->columns), y = t0 / c->columns % c->rows, x = t0 % c->columns;
    int64_t ahead = 2 * c->w_kb; /* the first tile fetches the next panel's weights */
    for (; t0 < t1; t0++, in += TILE, ahead = 0) {
        const float *i = in;
        float *o = out + n * c->out_n + y * 1 * c->out_row + x * 14 * LANES;
        tile_2x1x14(c, i, w, o, ahead);
if (++x == c->columns) {
            x = 0;
            if (++y == c->rows) y = 0, n++;
        }
    }
}

static void panel(const conv *c, int64_t kb, int64_t t0, int64_t t1, const float *in)
{
    panel_2(c, kb, t0, t1, in);
}

void conv_direct_prologue(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    const float *p0 = buf[1];
    const float *w = buf[2];
    float *out = buf[3];
    const int64_t N = arg[0];
    const int64_t OH = arg[1];
    const int64_t OW = arg[2];
    const int64_t groups = arg[3];
    const int64_t group_vectors = arg[4];
    const int64_t by_tiles = arg[5];
    const int64_t in_blocks = arg[6];
    const int64_t in_last = arg[7];
    const int64_t strip = arg[8];
    const int64_t line_tiles = arg[9];
    const int64_t lines = arg[10];
    const int64_t src_line = arg[11];
    const int64_t line_pixels = arg[12];
    const int64_t src_n = arg[13];
    const int64_t src_cb = arg[14];
    const int64_t p0_n = arg[15];
    const int64_t p0_cb = arg[16];
    const int64_t in_r = arg[17];
    const int64_t out_n = arg[18];
    const int64_t out_cb = arg[19];
    const int64_t out_row = arg[20];
    (void)team; (void)buf; (void)arg;
    const int64_t vectors = groups * group_vectors;
    const int64_t rows = (OH + 0) / 1, columns = (OW + 13) / 14, tiles = N * rows * columns;
    const int by_panels = !by_tiles && team->size > 1;
    /* A few threads make what they need for themselves: that is cheaper than to wait for each other and to fetch from another core. */
    const int together = by_panels && (team->size > 4 || strip < tiles);
    const int64_t in_cb = (together ? tiles : strip) * TILE + LANES, in_row = 14 * LANES, w_kb = ((in_blocks - 1) * LANES + in_last) * LANES;
    const int64_t panels = (vectors + 1) / 2;
    const conv c = {
        .in = in, .p0 = p0, .w = w, .out = out, .N = N, .OH = OH, .OW = OW, .groups = groups,
        .group_vectors = group_vectors, .by_tiles = by_tiles, .in_blocks = in_blocks, .in_last = in_last, .strip = strip, .line_tiles = line_tiles, .lines = lines, .src_line = src_line,
        .line_pixels = line_pixels, .src_n = src_n, .src_cb = src_cb, .p0_n = p0_n, .p0_cb = p0_cb, .in_r = in_r, .out_n = out_n, .out_cb = out_cb,
        .out_row = out_row, .rows = rows, .columns = columns, .w_kb = w_kb, .in_cb = in_cb, .in_row = in_row,
    };
    if (tiles == 0) return;
    float *at = (float *)team->scratch;
    int64_t u0, u1, first = 0, last = tiles;
    if (together) {
        at = (float *)team->shared_scratch;
        sol_split(team, in_blocks * tiles, &u0, &u1);
        make_tiles(&c, 0, u0, u1, tiles, at);
        sol_barrier(team);
        for (sol_share share = sol_share_of(team, panels * tiles, team->size); sol_share_take(&share, &u0, &u1);)
        for (int64_t t0, t1; u0 < u1; u0 += t1 - t0) {
            t0 = u0 % tiles, t1 = u1 - u0 < tiles - t0 ? t0 + u1 - u0 : tiles;
            panel(&c, u0 / tiles * 2, t0, t1, at + t0 * TILE);
        }
    } else {
        /* A share: (panel, tile) pairs u0 … u1 - 1 of those of tiles first … last - 1. */
        sol_share share = by_panels ? sol_fixed_share(team, panels * tiles, team->size) : sol_share_of(team, tiles, team->size);
        sol_share_at_least(&share, tiles / team->size < 2 * strip ? tiles : (strip + 1) / 2, strip); /* for each block all weights are read */
        while (sol_share_take(&share, &u0, &u1)) {
            if (by_panels) {
                first = 0, last = tiles;
                if (u0 / tiles == (u1 - 1) / tiles) first = u0 % tiles, last = (u1 - 1) % tiles + 1;
            } else
            first = u0, last = u1, u0 = 0, u1 = panels * tiles;
            for (int64_t b0 = first, b1; b0 < last; b0 = b1) {
                b1 = last - b0 < strip ? last : b0 + strip;
                make_tiles(&c, b0, 0, in_blocks * (b1 - b0), b1 - b0, at);
                for (int64_t kb = u0 / tiles; kb * tiles < u1; kb++) {
                    const int64_t from = kb * tiles, t0 = u0 - from > b0 ? u0 - from : b0, t1 = u1 - from < b1 ? u1 - from : b1;
                    if (t0 < t1) panel(&c, kb * 2, t0, t1, at + (t0 - b0) * TILE);
                }
            }
        }
    }
}
