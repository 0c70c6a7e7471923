/* Winograd convolution F(4x4, 3x3), NCHWc -> NCHWc, then relu.
 *
 * A tile is 4 x 4 outputs, which depend on 6 x 6 inputs. Both are transformed to 36 frequencies, where the convolution is a product:
 *   v[frequency, c, tile] = B^T in B      m[frequency, tile, k] = sum over c of v * w      out = tail(bias + A^T m A)
 *
 *   By tiles (many tiles):                    By channels (few tiles per thread, if split_channels allows it):
 *     block of this thread's tiles              all tiles: transform; each thread for itself, or if that is too much
 *       transform                                 work or memory, its share into common memory, then a barrier
 *       channel group                           share of (channel group, tile) pairs
 *         products, transform back                products, transform back
 *
 *   products: per frequency a matrix product of 2 vectors x 14, 8, 7, 4 tiles, the whole reduction in registers.
 *
 * w: [channel group][frequency][channel][2 * LANES]; v: [frequency][input block][tile][LANES]; m: [frequency][tile][2 * LANES].
 * Frequencies lie one line more apart than they are long, lest their addresses be a power of two apart. The last product of
 * a block may compute up to 3 tiles too many: v and m have room for them. */
#include "sol_team.h"
#include "sol_simd.h"

enum { TILE = 4, SIDE = 6, FREQUENCIES = 36, PANEL = 2 * LANES, LINE = 16 };

typedef struct {
    const float *in, *w;
    float *out;
int64_t in_blocks, in_last, in_n, in_cb, in_row, out_n, out_cb, out_row, w_frequency, vectors;
    int64_t OH, OW, rows, columns, v_block, v_frequency, m_frequency;
} conv;

typedef struct {
    int64_t n, y, x;
} place;

static inline place place_of(const conv *c, int64_t tile)
{
    return (place){tile / (c->rows * c->columns), tile / c->columns % c->rows, tile % c->columns};
}

static inline void advance(const conv *c, place *p)
{
    if (++p->x < c->columns) return;
    p->x = 0;
    if (++p->y < c->rows) return;
    p->y = 0, p->n++;
}

/* v = B^T in B for LANES channels of one tile. */
static __attribute__((noinline)) void transform_input(const float *in, int64_t in_row, float *v, int64_t v_frequency)
{
    vf t[SIDE][SIDE];
    {
        const vf x0 = vf_load(in + 0 * in_row + 0 * LANES);
        const vf x1 = vf_load(in + 1 * in_row + 0 * LANES);
        const vf x2 = vf_load(in + 2 * in_row + 0 * LANES);
        const vf x3 = vf_load(in + 3 * in_row + 0 * LANES);
        const vf x4 = vf_load(in + 4 * in_row + 0 * LANES);
        const vf x5 = vf_load(in + 5 * in_row + 0 * LANES);
        t[0][0] = 0.439453125f * x0 + 0.5f * x4 - 1.3203125f * x2;
        const vf even1 = 0.5f * x4 - 1.125f * x2, odd1 = 0.3125f * x3 - 0.703125f * x1;
        t[1][0] = even1 + odd1;
        t[2][0] = even1 - odd1;
        const vf even3 = 0.5f * x4 - 0.1953125f * x2, odd3 = 0.75f * x3 - 0.29296875f * x1;
        t[3][0] = even3 + odd3;
        t[4][0] = even3 - odd3;
        t[5][0] = 0.439453125f * x1 + 0.5f * x5 - 1.3203125f * x3;
    }
    {
        const vf x0 = vf_load(in + 0 * in_row + 1 * LANES);
        const vf x1 = vf_load(in + 1 * in_row + 1 * LANES);
        const vf x2 = vf_load(in + 2 * in_row + 1 * LANES);
        const vf x3 = vf_load(in + 3 * in_row + 1 * LANES);
        const vf x4 = vf_load(in + 4 * in_row + 1 * LANES);
        const vf x5 = vf_load(in + 5 * in_row + 1 * LANES);
        t[0][1] = 0.439453125f * x0 + 0.5f * x4 - 1.3203125f * x2;
        const vf even1 = 0.5f * x4 - 1.125f * x2, odd1 = 0.3125f * x3 - 0.703125f * x1;
        t[1][1] = even1 + odd1;
        t[2][1] = even1 - odd1;
        const vf even3 = 0.5f * x4 - 0.1953125f * x2, odd3 = 0.75f * x3 - 0.29296875f * x1;
        t[3][1] = even3 + odd3;
        t[4][1] = even3 - odd3;
        t[5][1] = 0.439453125f * x1 + 0.5f * x5 - 1.3203125f * x3;
    }
    {
        const vf x0 = vf_load(in + 0 * in_row + 2 * LANES);
        const vf x1 = vf_load(in + 1 * in_row + 2 * LANES);
        const vf x2 = vf_load(in + 2 * in_row + 2 * LANES);
        const vf x3 = vf_load(in + 3 * in_row + 2 * LANES);
        const vf x4 = vf_load(in + 4 * in_row + 2 * LANES);
        const vf x5 = vf_load(in + 5 * in_row + 2 * LANES);
        t[0][2] = 0.439453125f * x0 + 0.5f * x4 - 1.3203125f * x2;
        const vf even1 = 0.5f * x4 - 1.125f * x2, odd1 = 0.3125f * x3 - 0.703125f * x1;
        t[1][2] = even1 + odd1;
        t[2][2] = even1 - odd1;
        const vf even3 = 0.5f * x4 - 0.1953125f * x2, odd3 = 0.75f * x3 - 0.29296875f * x1;
        t[3][2] = even3 + odd3;
        t[4][2] = even3 - odd3;
        t[5][2] = 0.439453125f * x1 + 0.5f * x5 - 1.3203125f * x3;
    }
    {
        const vf x0 = vf_load(in + 0 * in_row + 3 * LANES);
        const vf x1 = vf_load(in + 1 * in_row + 3 * LANES);
        const vf x2 = vf_load(in + 2 * in_row + 3 * LANES);
        const vf x3 = vf_load(in + 3 * in_row + 3 * LANES);
        const vf x4 = vf_load(in + 4 * in_row + 3 * LANES);
        const vf x5 = vf_load(in + 5 * in_row + 3 * LANES);
        t[0][3] = 0.439453125f * x0 + 0.5f * x4 - 1.3203125f * x2;
        const vf even1 = 0.5f * x4 - 1.125f * x2, odd1 = 0.3125f * x3 - 0.703125f * x1;
        t[1][3] = even1 + odd1;
        t[2][3] = even1 - odd1;
        const vf even3 = 0.5f * x4 - 0.1953125f * x2, odd3 = 0.75f * x3 - 0.29296875f * x1;
        t[3][3] = even3 + odd3;
        t[4][3] = even3 - odd3;
        t[5][3] = 0.439453125f * x1 + 0.5f * x5 - 1.3203125f * x3;
    }
    {
        const vf x0 = vf_load(in + 0 * in_row + 4 * LANES);
        const vf x1 = vf_load(in + 1 * in_row + 4 * LANES);
        const vf x2 = vf_load(in + 2 * in_row + 4 * LANES);
        const vf x3 = vf_load(in + 3 * in_row + 4 * LANES);
        const vf x4 = vf_load(in + 4 * in_row + 4 * LANES);
        const vf x5 = vf_load(in + 5 * in_row + 4 * LANES);
        t[0][4] = 0.439453125f * x0 + 0.5f * x4 - 1.3203125f * x2;
        const vf even1 = 0.5f * x4 - 1.125f * x2, odd1 = 0.3125f * x3 - 0.703125f * x1;
        t[1][4] = even1 + odd1;
        t[2][4] = even1 - odd1;
        const vf even3 = 0.5f * x4 - 0.1953125f * x2, odd3 = 0.75f * x3 - 0.29296875f * x1;
        t[3][4] = even3 + odd3;
        t[4][4] = even3 - odd3;
        t[5][4] = 0.439453125f * x1 + 0.5f * x5 - 1.3203125f * x3;
    }
    {
        const vf x0 = vf_load(in + 0 * in_row + 5 * LANES);
        const vf x1 = vf_load(in + 1 * in_row + 5 * LANES);
        const vf x2 = vf_load(in + 2 * in_row + 5 * LANES);
        const vf x3 = vf_load(in + 3 * in_row + 5 * LANES);
        const vf x4 = vf_load(in + 4 * in_row + 5 * LANES);
        const vf x5 = vf_load(in + 5 * in_row + 5 * LANES);
        t[0][5] = 0.439453125f * x0 + 0.5f * x4 - 1.3203125f * x2;
        const vf even1 = 0.5f * x4 - 1.125f * x2, odd1 = 0.3125f * x3 - 0.703125f * x1;
        t[1][5] = even1 + odd1;
        t[2][5] = even1 - odd1;
        const vf even3 = 0.5f * x4 - 0.1953125f * x2, odd3 = 0.75f * x3 - 0.29296875f * x1;
        t[3][5] = even3 + odd3;
        t[4][5] = even3 - odd3;
        t[5][5] = 0.439453125f * x1 + 0.5f * x5 - 1.3203125f * x3;
    }
    {
        vf_store(v + 0 * v_frequency, 0.439453125f * t[0][0] + 0.5f * t[0][4] - 1.3203125f * t[0][2]);
        const vf even1 = 0.5f * t[0][4] - 1.125f * t[0][2], odd1 = 0.3125f * t[0][3] - 0.703125f * t[0][1];
        vf_store(v + 1 * v_frequency, even1 + odd1);
        vf_store(v + 2 * v_frequency, even1 - odd1);
        const vf even3 = 0.5f * t[0][4] - 0.1953125f * t[0][2], odd3 = 0.75f * t[0][3] - 0.29296875f * t[0][1];
        vf_store(v + 3 * v_frequency, even3 + odd3);
        vf_store(v + 4 * v_frequency, even3 - odd3);
        vf_store(v + 5 * v_frequency, 0.439453125f * t[0][1] + 0.5f * t[0][5] - 1.3203125f * t[0][3]);
    }
    {
        vf_store(v + 6 * v_frequency, 0.439453125f * t[1][0] + 0.5f * t[1][4] - 1.3203125f * t[1][2]);
        const vf even1 = 0.5f * t[1][4] - 1.125f * t[1][2], odd1 = 0.3125f * t[1][3] - 0.703125f * t[1][1];
        vf_store(v + 7 * v_frequency, even1 + odd1);
        vf_store(v + 8 * v_frequency, even1 - odd1);
        const vf even3 = 0.5f * t[1][4] - 0.1953125f * t[1][2], odd3 = 0.75f * t[1][3] - 0.29296875f * t[1][1];
        vf_store(v + 9 * v_frequency, even3 + odd3);
        vf_store(v + 10 * v_frequency, even3 - odd3);
        vf_store(v + 11 * v_frequency, 0.439453125f * t[1][1] + 0.5f * t[1][5] - 1.3203125f * t[1][3]);
    }
    {
        vf_store(v + 12 * v_frequency, 0.439453125f * t[2][0] + 0.5f * t[2][4] - 1.3203125f * t[2][2]);
        const vf even1 = 0.5f * t[2][4] - 1.125f * t[2][2], odd1 = 0.3125f * t[2][3] - 0.703125f * t[2][1];
        vf_store(v + 13 * v_frequency, even1 + odd1);
        vf_store(v + 14 * v_frequency, even1 - odd1);
        const vf even3 = 0.5f * t[2][4] - 0.1953125f * t[2][2], odd3 = 0.75f * t[2][3] - 0.29296875f * t[2][1];
        vf_store(v + 15 * v_frequency, even3 + odd3);
        vf_store(v + 16 * v_frequency, even3 - odd3);
        vf_store(v + 17 * v_frequency, 0.439453125f * t[2][1] + 0.5f * t[2][5] - 1.3203125f * t[2][3]);
    }
    {
        vf_store(v + 18 * v_frequency, 0.439453125f * t[3][0] + 0.5f * t[3][4] - 1.3203125f * t[3][2]);
        const vf even1 = 0.5f * t[3][4] - 1.125f * t[3][2], odd1 = 0.3125f * t[3][3] - 0.703125f * t[3][1];
        vf_store(v + 19 * v_frequency, even1 + odd1);
        vf_store(v + 20 * v_frequency, even1 - odd1);
        const vf even3 = 0.5f * t[3][4] - 0.1953125f * t[3][2], odd3 = 0.75f * t[3][3] - 0.29296875f * t[3][1];
        vf_store(v + 21 * v_frequency, even3 + odd3);
        vf_store(v + 22 * v_frequency, even3 - odd3);
        vf_store(v + 23 * v_frequency, 0.439453125f * t[3][1] + 0.5f * t[3][5] - 1.3203125f * t[3][3]);
    }
    {
        vf_store(v + 24 * v_frequency, 0.439453125f * t[4][0] + 0.5f * t[4][4] - 1.3203125f * t[4][2]);
        const vf even1 = 0.5f * t[4][4] - 1.125f * t[4][2], odd1 = 0.3125f * t[4][3] - 0.703125f * t[4][1];
        vf_store(v + 25 * v_frequency, even1 + odd1);
        vf_store(v + 26 * v_frequency, even1 - odd1);
        const vf even3 = 0.5f * t[4][4] - 0.1953125f * t[4][2], odd3 = 0.75f * t[4][3] - 0.29296875f * t[4][1];
        vf_store(v + 27 * v_frequency, even3 + odd3);
        vf_store(v + 28 * v_frequency, even3 - odd3);
        vf_store(v + 29 * v_frequency, 0.439453125f * t[4][1] + 0.5f * t[4][5] - 1.3203125f * t[4][3]);
    }
    {
        vf_store(v + 30 * v_frequency, 0.439453125f * t[5][0] + 0.5f * t[5][4] - 1.3203125f * t[5][2]);
        const vf even1 = 0.5f * t[5][4] - 1.125f * t[5][2], odd1 = 0.3125f * t[5][3] - 0.703125f * t[5][1];
        vf_store(v + 31 * v_frequency, even1 + odd1);
        vf_store(v + 32 * v_frequency, even1 - odd1);
        const vf even3 = 0.5f * t[5][4] - 0.1953125f * t[5][2], odd3 = 0.75f * t[5][3] - 0.29296875f * t[5][1];
        vf_store(v + 33 * v_frequency, even3 + odd3);
        vf_store(v + 34 * v_frequency, even3 - odd3);
        vf_store(v + 35 * v_frequency, 0.439453125f * t[5][1] + 0.5f * t[5][5] - 1.3203125f * t[5][3]);
    }
}

/* The same at the bottom or right edge of the padded input, zeros beyond. */
static __attribute__((noinline)) void transform_edge(const float *in, int64_t in_row, int64_t rows, int64_t columns, float *v, int64_t v_frequency)
{
    _Alignas(64) float whole[SIDE * SIDE * LANES];
    for (int64_t y = 0; y < SIDE; y++)
        for (int64_t x = 0; x < SIDE; x++)
            vf_store(whole + (y * SIDE + x) * LANES, y < rows && x < columns ? vf_load(in + y * in_row + x * LANES) : vf_zero());
    transform_input(whole, SIDE * LANES, v, v_frequency);
}

/* Tiles t0 … t1 - 1 of one input block. */
static void transform_tiles(const conv *c, int64_t block, int64_t t0, int64_t t1, float *v)
{
    const float *in = c->in + block * c->in_cb;
    place p = place_of(c, t0);
    for (; t0 < t1; t0++, v += LANES, advance(c, &p)) {
        const int64_t rows = c->OH + 2 - p.y * TILE, columns = c->OW + 2 - p.x * TILE;
        const float *at = in + p.n * c->in_n + p.y * TILE * c->in_row + p.x * TILE * LANES;
        if (rows >= SIDE && columns >= SIDE) transform_input(at, c->in_row, v, c->v_frequency);
        else transform_edge(at, c->in_row, rows, columns, v, c->v_frequency);
    }
}

/* One frequency of 2 vectors x some tiles. The next weights are prefetched evenly: one touch per channel, ``pace`` bytes apart. */
static __attribute__((noinline)) void multiply_14(const conv *c, const float *v, const float *w, float *m, const char *ahead, int64_t pace)
{
    vf a0_0 = vf_zero(), a0_1 = vf_zero(), a0_2 = vf_zero(), a0_3 = vf_zero(), a0_4 = vf_zero(), a0_5 = vf_zero(), a0_6 = vf_zero(), a0_7 = vf_zero(), a0_8 = vf_zero(), a0_9 = vf_zero(), a0_10 = vf_zero(), a0_11 = vf_zero(), a0_12 = vf_zero(), a0_13 = vf_zero();
    vf a1_0 = vf_zero(), a1_1 = vf_zero(), a1_2 = vf_zero(), a1_3 = vf_zero(), a1_4 = vf_zero(), a1_5 = vf_zero(), a1_6 = vf_zero(), a1_7 = vf_zero(), a1_8 = vf_zero(), a1_9 = vf_zero(), a1_10 = vf_zero(), a1_11 = vf_zero(), a1_12 = vf_zero(), a1_13 = vf_zero();
    const int64_t blocks = c->in_blocks, last = c->in_last, v_block = c->v_block;
    for (int64_t block = 1; block <= blocks; block++, v += v_block) {
        const float *x0 = v;
        for (int64_t i = block < blocks ? LANES : last; i; i -= 4, x0 += 4, w += 4 * PANEL) {
            {
                __builtin_prefetch(ahead, 0, 2);
                ahead += pace;
                const vf w0 = vf_load(w + 0 * LANES), w1 = vf_load(w + 1 * LANES);
                { const float b = x0[0 * LANES + 0]; a0_0 += w0 * b; a1_0 += w1 * b; }
                { const float b = x0[1 * LANES + 0]; a0_1 += w0 * b; a1_1 += w1 * b; }
                { const float b = x0[2 * LANES + 0]; a0_2 += w0 * b; a1_2 += w1 * b; }
                { const float b = x0[3 * LANES + 0]; a0_3 += w0 * b; a1_3 += w1 * b; }
                { const float b = x0[4 * LANES + 0]; a0_4 += w0 * b; a1_4 += w1 * b; }
                { const float b = x0[5 * LANES + 0]; a0_5 += w0 * b; a1_5 += w1 * b; }
                { const float b = x0[6 * LANES + 0]; a0_6 += w0 * b; a1_6 += w1 * b; }
                { const float b = x0[7 * LANES + 0]; a0_7 += w0 * b; a1_7 += w1 * b; }
                { const float b = x0[8 * LANES + 0]; a0_8 += w0 * b; a1_8 += w1 * b; }
                { const float b = x0[9 * LANES + 0]; a0_9 += w0 * b; a1_9 += w1 * b; }
                { const float b = x0[10 * LANES + 0]; a0_10 += w0 * b; a1_10 += w1 * b; }
                { const float b = x0[11 * LANES + 0]; a0_11 += w0 * b; a1_11 += w1 * b; }
                { const float b = x0[12 * LANES + 0]; a0_12 += w0 * b; a1_12 += w1 * b; }
                { const float b = x0[13 * LANES + 0]; a0_13 += w0 * b; a1_13 += w1 * b; }
            }
            SOL_FENCE();
            {
                __builtin_prefetch(ahead, 0, 2);
                ahead += pace;
                const vf w0 = vf_load(w + 2 * LANES), w1 = vf_load(w + 3 * LANES);
                { const float b = x0[0 * LANES + 1]; a0_0 += w0 * b; a1_0 += w1 * b; }
                { const float b = x0[1 * LANES + 1]; a0_1 += w0 * b; a1_1 += w1 * b; }
                { const float b = x0[2 * LANES + 1]; a0_2 += w0 * b; a1_2 += w1 * b; }
                { const float b = x0[3 * LANES + 1]; a0_3 += w0 * b; a1_3 += w1 * b; }
                { const float b = x0[4 * LANES + 1]; a0_4 += w0 * b; a1_4 += w1 * b; }
                { const float b = x0[5 * LANES + 1]; a0_5 += w0 * b; a1_5 += w1 * b; }
                { const float b = x0[6 * LANES + 1]; a0_6 += w0 * b; a1_6 += w1 * b; }
                { const float b = x0[7 * LANES + 1]; a0_7 += w0 * b; a1_7 += w1 * b; }
                { const float b = x0[8 * LANES + 1]; a0_8 += w0 * b; a1_8 += w1 * b; }
                { const float b = x0[9 * LANES + 1]; a0_9 += w0 * b; a1_9 += w1 * b; }
                { const float b = x0[10 * LANES + 1]; a0_10 += w0 * b; a1_10 += w1 * b; }
                { const float b = x0[11 * LANES + 1]; a0_11 += w0 * b; a1_11 += w1 * b; }
                { const float b = x0[12 * LANES + 1]; a0_12 += w0 * b; a1_12 += w1 * b; }
                { const float b = x0[13 * LANES + 1]; a0_13 += w0 * b; a1_13 += w1 * b; }
            }
            SOL_FENCE();
            {
                __builtin_prefetch(ahead, 0, 2);
                ahead += pace;
                const vf w0 = vf_load(w + 4 * LANES), w1 = vf_load(w + 5 * LANES);
                { const float b = x0[0 * LANES + 2]; a0_0 += w0 * b; a1_0 += w1 * b; }
                { const float b = x0[1 * LANES + 2]; a0_1 += w0 * b; a1_1 += w1 * b; }
                { const float b = x0[2 * LANES + 2]; a0_2 += w0 * b; a1_2 += w1 * b; }
                { const float b = x0[3 * LANES + 2]; a0_3 += w0 * b; a1_3 += w1 * b; }
                { const float b = x0[4 * LANES + 2]; a0_4 += w0 * b; a1_4 += w1 * b; }
                { const float b = x0[5 * LANES + 2]; a0_5 += w0 * b; a1_5 += w1 * b; }
                { const float b = x0[6 * LANES + 2]; a0_6 += w0 * b; a1_6 += w1 * b; }
                { const float b = x0[7 * LANES + 2]; a0_7 += w0 * b; a1_7 += w1 * b; }
                { const float b = x0[8 * LANES + 2]; a0_8 += w0 * b; a1_8 += w1 * b; }
                { const float b = x0[9 * LANES + 2]; a0_9 += w0 * b; a1_9 += w1 * b; }
                { const float b = x0[10 * LANES + 2]; a0_10 += w0 * b; a1_10 += w1 * b; }
                { const float b = x0[11 * LANES + 2]; a0_11 += w0 * b; a1_11 += w1 * b; }
                { const float b = x0[12 * LANES + 2]; a0_12 += w0 * b; a1_12 += w1 * b; }
                { const float b = x0[13 * LANES + 2]; a0_13 += w0 * b; a1_13 += w1 * b; }
            }
            SOL_FENCE();
            {
                __builtin_prefetch(ahead, 0, 2);
                ahead += pace;
                const vf w0 = vf_load(w + 6 * LANES), w1 = vf_load(w + 7 * LANES);
                { const float b = x0[0 * LANES + 3]; a0_0 += w0 * b; a1_0 += w1 * b; }
                { const float b = x0[1 * LANES + 3]; a0_1 += w0 * b; a1_1 += w1 * b; }
                { const float b = x0[2 * LANES + 3]; a0_2 += w0 * b; a1_2 += w1 * b; }
                { const float b = x0[3 * LANES + 3]; a0_3 += w0 * b; a1_3 += w1 * b; }
                { const float b = x0[4 * LANES + 3]; a0_4 += w0 * b; a1_4 += w1 * b; }
                { const float b = x0[5 * LANES + 3]; a0_5 += w0 * b; a1_5 += w1 * b; }
                { const float b = x0[6 * LANES + 3]; a0_6 += w0 * b; a1_6 += w1 * b; }
                { const float b = x0[7 * LANES + 3]; a0_7 += w0 * b; a1_7 += w1 * b; }
                { const float b = x0[8 * LANES + 3]; a0_8 += w0 * b; a1_8 += w1 * b; }
                { const float b = x0[9 * LANES + 3]; a0_9 += w0 * b; a1_9 += w1 * b; }
                { const float b = x0[10 * LANES + 3]; a0_10 += w0 * b; a1_10 += w1 * b; }
                { const float b = x0[11 * LANES + 3]; a0_11 += w0 * b; a1_11 += w1 * b; }
                { const float b = x0[12 * LANES + 3]; a0_12 += w0 * b; a1_12 += w1 * b; }
                { const float b = x0[13 * LANES + 3]; a0_13 += w0 * b; a1_13 += w1 * b; }
            }
            SOL_FENCE();
        }
    }
    vf_store(m + 0 * PANEL + 0 * LANES, a0_0);
    vf_store(m + 0 * PANEL + 1 * LANES, a1_0);
    vf_store(m + 1 * PANEL + 0 * LANES, a0_1);
    vf_store(m + 1 * PANEL + 1 * LANES, a1_1);
    vf_store(m + 2 * PANEL + 0 * LANES, a0_2);
    vf_store(m + 2 * PANEL + 1 * LANES, a1_2);
    vf_store(m + 3 * PANEL + 0 * LANES, a0_3);
    vf_store(m + 3 * PANEL + 1 * LANES, a1_3);
    vf_store(m + 4 * PANEL + 0 * LANES, a0_4);
    vf_store(m + 4 * PANEL + 1 * LANES, a1_4);
    vf_store(m + 5 * PANEL + 0 * LANES, a0_5);
    vf_store(m + 5 * PANEL + 1 * LANES, a1_5);
    vf_store(m + 6 * PANEL + 0 * LANES, a0_6);
    vf_store(m + 6 * PANEL + 1 * LANES, a1_6);
    vf_store(m + 7 * PANEL + 0 * LANES, a0_7);
    vf_store(m + 7 * PANEL + 1 * LANES, a1_7);
    vf_store(m + 8 * PANEL + 0 * LANES, a0_8);
    vf_store(m + 8 * PANEL + 1 * LANES, a1_8);
    vf_store(m + 9 * PANEL + 0 * LANES, a0_9);
    vf_store(m + 9 * PANEL + 1 * LANES, a1_9);
    vf_store(m + 10 * PANEL + 0 * LANES, a0_10);
    vf_store(m + 10 * PANEL + 1 * LANES, a1_10);
    vf_store(m + 11 * PANEL + 0 * LANES, a0_11);
    vf_store(m + 11 * PANEL + 1 * LANES, a1_11);
    vf_store(m + 12 * PANEL + 0 * LANES, a0_12);
    vf_store(m + 12 * PANEL + 1 * LANES, a1_12);
    vf_store(m + 13 * PANEL + 0 * LANES, a0_13);
    vf_store(m + 13 * PANEL + 1 * LANES, a1_13);
}

static __attribute__((noinline)) void multiply_8(const conv *c, const float *v, const float *w, float *m, const char *ahead, int64_t pace)
{
    vf a0_0 = vf_zero(), a0_1 = vf_zero(), a0_2 = vf_zero(), a0_3 = vf_zero(), a0_4 = vf_zero(), a0_5 = vf_zero(), a0_6 = vf_zero(), a0_7 = vf_zero();
    vf a1_0 = vf_zero(), a1_1 = vf_zero(), a1_2 = vf_zero(), a1_3 = vf_zero(), a1_4 = vf_zero(), a1_5 = vf_zero(), a1_6 = vf_zero(), a1_7 = vf_zero();
    const int64_t blocks = c->in_blocks, last = c->in_last, v_block = c->v_block;
    for (int64_t block = 1; block <= blocks; block++, v += v_block) {
        const float *x0 = v;
        for (int64_t i = block < blocks ? LANES : last; i; i -= 4, x0 += 4, w += 4 * PANEL) {
            {
                __builtin_prefetch(ahead, 0, 2);
                ahead += pace;
                const vf w0 = vf_load(w + 0 * LANES), w1 = vf_load(w + 1 * LANES);
                { const float b = x0[0 * LANES + 0]; a0_0 += w0 * b; a1_0 += w1 * b; }
                { const float b = x0[1 * LANES + 0]; a0_1 += w0 * b; a1_1 += w1 * b; }
                { const float b = x0[2 * LANES + 0]; a0_2 += w0 * b; a1_2 += w1 * b; }
                { const float b = x0[3 * LANES + 0]; a0_3 += w0 * b; a1_3 += w1 * b; }
                { const float b = x0[4 * LANES + 0]; a0_4 += w0 * b; a1_4 += w1 * b; }
                { const float b = x0[5 * LANES + 0]; a0_5 += w0 * b; a1_5 += w1 * b; }
                { const float b = x0[6 * LANES + 0]; a0_6 += w0 * b; a1_6 += w1 * b; }
                { const float b = x0[7 * LANES + 0]; a0_7 += w0 * b; a1_7 += w1 * b; }
            }
            SOL_FENCE();
            {
                __builtin_prefetch(ahead, 0, 2);
                ahead += pace;
                const vf w0 = vf_load(w + 2 * LANES), w1 = vf_load(w + 3 * LANES);
                { const float b = x0[0 * LANES + 1]; a0_0 += w0 * b; a1_0 += w1 * b; }
                { const float b = x0[1 * LANES + 1]; a0_1 += w0 * b; a1_1 += w1 * b; }
                { const float b = x0[2 * LANES + 1]; a0_2 += w0 * b; a1_2 += w1 * b; }
                { const float b = x0[3 * LANES + 1]; a0_3 += w0 * b; a1_3 += w1 * b; }
                { const float b = x0[4 * LANES + 1]; a0_4 += w0 * b; a1_4 += w1 * b; }
                { const float b = x0[5 * LANES + 1]; a0_5 += w0 * b; a1_5 += w1 * b; }
                { const float b = x0[6 * LANES + 1]; a0_6 += w0 * b; a1_6 += w1 * b; }
                { const float b = x0[7 * LANES + 1]; a0_7 += w0 * b; a1_7 += w1 * b; }
            }
            SOL_FENCE();
            {
                __builtin_prefetch(ahead, 0, 2);
                ahead += pace;
                const vf w0 = vf_load(w + 4 * LANES), w1 = vf_load(w + 5 * LANES);
                { const float b = x0[0 * LANES + 2]; a0_0 += w0 * b; a1_0 += w1 * b; }
                { const float b = x0[1 * LANES + 2]; a0_1 += w0 * b; a1_1 += w1 * b; }
                { const float b = x0[2 * LANES + 2]; a0_2 += w0 * b; a1_2 += w1 * b; }
                { const float b = x0[3 * LANES + 2]; a0_3 += w0 * b; a1_3 += w1 * b; }
                { const float b = x0[4 * LANES + 2]; a0_4 += w0 * b; a1_4 += w1 * b; }
                { const float b = x0[5 * LANES + 2]; a0_5 += w0 * b; a1_5 += w1 * b; }
                { const float b = x0[6 * LANES + 2]; a0_6 += w0 * b; a1_6 += w1 * b; }
                { const float b = x0[7 * LANES + 2]; a0_7 += w0 * b; a1_7 += w1 * b; }
            }
            SOL_FENCE();
            {
                __builtin_prefetch(ahead, 0, 2);
                ahead += pace;
                const vf w0 = vf_load(w + 6 * LANES), w1 = vf_load(w + 7 * LANES);
                { const float b = x0[0 * LANES + 3]; a0_0 += w0 * b; a1_0 += w1 * b; }
                { const float b = x0[1 * LANES + 3]; a0_1 += w0 * b; a1_1 += w1 * b; }
                { const float b = x0[2 * LANES + 3]; a0_2 += w0 * b; a1_2 += w1 * b; }
                { const float b = x0[3 * LANES + 3]; a0_3 += w0 * b; a1_3 += w1 * b; }
                { const float b = x0[4 * LANES + 3]; a0_4 += w0 * b; a1_4 += w1 * b; }
                { const float b = x0[5 * LANES + 3]; a0_5 += w0 * b; a1_5 += w1 * b; }
                { const float b = x0[6 * LANES + 3]; a0_6 += w0 * b; a1_6 += w1 * b; }
                { const float b = x0[7 * LANES + 3]; a0_7 += w0 * b; a1_7 += w1 * b; }
            }
            SOL_FENCE();
        }
    }
    vf_store(m + 0 * PANEL + 0 * LANES, a0_0);
    vf_store(m + 0 * PANEL + 1 * LANES, a1_0);
    vf_store(m + 1 * PANEL + 0 * LANES, a0_1);
    vf_store(m + 1 * PANEL + 1 * LANES, a1_1);
    vf_store(m + 2 * PANEL + 0 * LANES, a0_2);
    vf_store(m + 2 * PANEL + 1 * LANES, a1_2);
    vf_store(m + 3 * PANEL + 0 * LANES, a0_3);
    vf_store(m + 3 * PANEL + 1 * LANES, a1_3);
    vf_store(m + 4 * PANEL + 0 * LANES, a0_4);
    vf_store(m + 4 * PANEL + 1 * LANES, a1_4);
    vf_store(m + 5 * PANEL + 0 * LANES, a0_5);
    vf_store(m + 5 * PANEL + 1 * LANES, a1_5);
    vf_store(m + 6 * PANEL + 0 * LANES, a0_6);
    vf_store(m + 6 * PANEL + 1 * LANES, a1_6);
    vf_store(m + 7 * PANEL + 0 * LANES, a0_7);
    vf_store(m + 7 * PANEL + 1 * LANES, a1_7);
}

static __attribute__((noinline)) void multiply_7(const conv *c, const float *v, const float *w, float *m, const char *ahead, int64_t pace)
{
    vf a0_0 = vf_zero(), a0_1 = vf_zero(), a0_2 = vf_zero(), a0_3 = vf_zero(), a0_4 = vf_zero(), a0_5 = vf_zero(), a0_6 = vf_zero();
    vf a1_0 = vf_zero(), a1_1 = vf_zero(), a1_2 = vf_zero(), a1_3 = vf_zero(), a1_4 = vf_zero(), a1_5 = vf_zero(), a1_6 = vf_zero();
    const int64_t blocks = c->in_blocks, last = c->in_last, v_block = c->v_block;
    for (int64_t block = 1; block <= blocks; block++, v += v_block) {
        const float *x0 = v;
        for (int64_t i = block < blocks ? LANES : last; i; i -= 4, x0 += 4, w += 4 * PANEL) {
            {
                __builtin_prefetch(ahead, 0, 2);
                ahead += pace;
                const vf w0 = vf_load(w + 0 * LANES), w1 = vf_load(w + 1 * LANES);
                { const float b = x0[0 * LANES + 0]; a0_0 += w0 * b; a1_0 += w1 * b; }
                { const float b = x0[1 * LANES + 0]; a0_1 += w0 * b; a1_1 += w1 * b; }
                { const float b = x0[2 * LANES + 0]; a0_2 += w0 * b; a1_2 += w1 * b; }
                { const float b = x0[3 * LANES + 0]; a0_3 += w0 * b; a1_3 += w1 * b; }
                { const float b = x0[4 * LANES + 0]; a0_4 += w0 * b; a1_4 += w1 * b; }
                { const float b = x0[5 * LANES + 0]; a0_5 += w0 * b; a1_5 += w1 * b; }
                { const float b = x0[6 * LANES + 0]; a0_6 += w0 * b; a1_6 += w1 * b; }
            }
            SOL_FENCE();
            {
                __builtin_prefetch(ahead, 0, 2);
                ahead += pace;
                const vf w0 = vf_load(w + 2 * LANES), w1 = vf_load(w + 3 * LANES);
                { const float b = x0[0 * LANES + 1]; a0_0 += w0 * b; a1_0 += w1 * b; }
                { const float b = x0[1 * LANES + 1]; a0_1 += w0 * b; a1_1 += w1 * b; }
                { const float b = x0[2 * LANES + 1]; a0_2 += w0 * b; a1_2 += w1 * b; }
                { const float b = x0[3 * LANES + 1]; a0_3 += w0 * b; a1_3 += w1 * b; }
                { const float b = x0[4 * LANES + 1]; a0_4 += w0 * b; a1_4 += w1 * b; }
                { const float b = x0[5 * LANES + 1]; a0_5 += w0 * b; a1_5 += w1 * b; }
                { const float b = x0[6 * LANES + 1]; a0_6 += w0 * b; a1_6 += w1 * b; }
            }
            SOL_FENCE();
            {
                __builtin_prefetch(ahead, 0, 2);
                ahead += pace;
                const vf w0 = vf_load(w + 4 * LANES), w1 = vf_load(w + 5 * LANES);
                { const float b = x0[0 * LANES + 2]; a0_0 += w0 * b; a1_0 += w1 * b; }
                { const float b = x0[1 * LANES + 2]; a0_1 += w0 * b; a1_1 += w1 * b; }
                { const float b = x0[2 * LANES + 2]; a0_2 += w0 * b; a1_2 += w1 * b; }
                { const float b = x0[3 * LANES + 2]; a0_3 += w0 * b; a1_3 += w1 * b; }
                { const float b = x0[4 * LANES + 2]; a0_4 += w0 * b; a1_4 += w1 * b; }
                { const float b = x0[5 * LANES + 2]; a0_5 += w0 * b; a1_5 += w1 * b; }
                { const float b = x0[6 * LANES + 2]; a0_6 += w0 * b; a1_6 += w1 * b; }
            }
            SOL_FENCE();
            {
                __builtin_prefetch(ahead, 0, 2);
                ahead += pace;
                const vf w0 = vf_load(w + 6 * LANES), w1 = vf_load(w + 7 * LANES);
                { const float b = x0[0 * LANES + 3]; a0_0 += w0 * b; a1_0 += w1 * b; }
                { const float b = x0[1 * LANES + 3]; a0_1 += w0 * b; a1_1 += w1 * b; }
                { const float b = x0[2 * LANES + 3]; a0_2 += w0 * b; a1_2 += w1 * b; }
                { const float b = x0[3 * LANES + 3]; a0_3 += w0 * b; a1_3 += w1 * b; }
                { const float b = x0[4 * LANES + 3]; a0_4 += w0 * b; a1_4 += w1 * b; }
                { const float b = x0[5 * LANES + 3]; a0_5 += w0 * b; a1_5 += w1 * b; }
                { const float b = x0[6 * LANES + 3]; a0_6 += w0 * b; a1_6 += w1 * b; }
            }
            SOL_FENCE();
        }
    }
    vf_store(m + 0 * PANEL + 0 * LANES, a0_0);
    vf_store(m + 0 * PANEL + 1 * LANES, a1_0);
    vf_store(m + 1 * PANEL + 0 * LANES, a0_1);
    vf_store(m + 1 * PANEL + 1 * LANES, a1_1);
    vf_store(m + 2 * PANEL + 0 * LANES, a0_2);
    vf_store(m + 2 * PANEL + 1 * LANES, a1_2);
    vf_store(m + 3 * PANEL + 0 * LANES, a0_3);
    vf_store(m + 3 * PANEL + 1 * LANES, a1_3);
    vf_store(m + 4 * PANEL + 0 * LANES, a0_4);
    vf_store(m + 4 * PANEL + 1 * LANES, a1_4);
    vf_store(m + 5 * PANEL + 0 * LANES, a0_5);
    vf_store(m + 5 * PANEL + 1 * LANES, a1_5);
    vf_store(m + 6 * PANEL + 0 * LANES, a0_6);
    vf_store(m + 6 * PANEL + 1 * LANES, a1_6);
}

static __attribute__((noinline)) void multiply_4(const conv *c, const float *v, const float *w, float *m, const char *ahead, int64_t pace)
{
    vf a0_0 = vf_zero(), a0_1 = vf_zero(), a0_2 = vf_zero(), a0_3 = vf_zero();
    vf a1_0 = vf_zero(), a1_1 = vf_zero(), a1_2 = vf_zero(), a1_3 = vf_zero();
    const int64_t blocks = c->in_blocks, last = c->in_last, v_block = c->v_block;
    for (int64_t block = 1; block <= blocks; block++, v += v_block) {
        const float *x0 = v;
        for (int64_t i = block < blocks ? LANES : last; i; i -= 4, x0 += 4, w += 4 * PANEL) {
            {
                __builtin_prefetch(ahead, 0, 2);
                ahead += pace;
                const vf w0 = vf_load(w + 0 * LANES), w1 = vf_load(w + 1 * LANES);
                { const float b = x0[0 * LANES + 0]; a0_0 += w0 * b; a1_0 += w1 * b; }
                { const float b = x0[1 * LANES + 0]; a0_1 += w0 * b; a1_1 += w1 * b; }
                { const float b = x0[2 * LANES + 0]; a0_2 += w0 * b; a1_2 += w1 * b; }
                { const float b = x0[3 * LANES + 0]; a0_3 += w0 * b; a1_3 += w1 * b; }
            }
            SOL_FENCE();
            {
                __builtin_prefetch(ahead, 0, 2);
                ahead += pace;
                const vf w0 = vf_load(w + 2 * LANES), w1 = vf_load(w + 3 * LANES);
                { const float b = x0[0 * LANES + 1]; a0_0 += w0 * b; a1_0 += w1 * b; }
                { const float b = x0[1 * LANES + 1]; a0_1 += w0 * b; a1_1 += w1 * b; }
                { const float b = x0[2 * LANES + 1]; a0_2 += w0 * b; a1_2 += w1 * b; }
                { const float b = x0[3 * LANES + 1]; a0_3 += w0 * b; a1_3 += w1 * b; }
            }
            SOL_FENCE();
            {
                __builtin_prefetch(ahead, 0, 2);
                ahead += pace;
                const vf w0 = vf_load(w + 4 * LANES), w1 = vf_load(w + 5 * LANES);
                { const float b = x0[0 * LANES + 2]; a0_0 += w0 * b; a1_0 += w1 * b; }
                { const float b = x0[1 * LANES + 2]; a0_1 += w0 * b; a1_1 += w1 * b; }
                { const float b = x0[2 * LANES + 2]; a0_2 += w0 * b; a1_2 += w1 * b; }
                { const float b = x0[3 * LANES + 2]; a0_3 += w0 * b; a1_3 += w1 * b; }
            }
            SOL_FENCE();
            {
                __builtin_prefetch(ahead, 0, 2);
                ahead += pace;
                const vf w0 = vf_load(w + 6 * LANES), w1 = vf_load(w + 7 * LANES);
                { const float b = x0[0 * LANES + 3]; a0_0 += w0 * b; a1_0 += w1 * b; }
                { const float b = x0[1 * LANES + 3]; a0_1 += w0 * b; a1_1 += w1 * b; }
                { const float b = x0[2 * LANES + 3]; a0_2 += w0 * b; a1_2 += w1 * b; }
                { const float b = x0[3 * LANES + 3]; a0_3 += w0 * b; a1_3 += w1 * b; }
            }
            SOL_FENCE();
        }
    }
    vf_store(m + 0 * PANEL + 0 * LANES, a0_0);
    vf_store(m + 0 * PANEL + 1 * LANES, a1_0);
    vf_store(m + 1 * PANEL + 0 * LANES, a0_1);
    vf_store(m + 1 * PANEL + 1 * LANES, a1_1);
    vf_store(m + 2 * PANEL + 0 * LANES, a0_2);
    vf_store(m + 2 * PANEL + 1 * LANES, a1_2);
    vf_store(m + 3 * PANEL + 0 * LANES, a0_3);
    vf_store(m + 3 * PANEL + 1 * LANES, a1_3);
}

/* All frequencies of one channel group and ``tiles`` tiles. */
static void multiply(const conv *c, const float *v, const float *w, float *m, int64_t tiles)
{
    static const unsigned char first[] = {0, 4, 4, 4, 4, 7, 7, 7, 4, 4, 4, 4, 4, 7, 7, 4, 4, 4, 4, 4, 4, 7, 4, 4, 4, 4, 4, 4}; /* width that starts the cheapest cover of so many tiles */
    int64_t calls = 0;
    for (int64_t t = 0; t < tiles; calls++) t += tiles - t < 28 ? first[tiles - t] : 14;
    const int64_t pace = PANEL * 4 / calls, stretch = ((c->in_blocks - 1) * LANES + c->in_last) * pace;
    for (int64_t f = 0; f < FREQUENCIES; f++, v += c->v_frequency, w += c->w_frequency, m += c->m_frequency) {
        const char *ahead = (const char *)(w + c->w_frequency);
        int64_t width;
        for (int64_t t = 0; t < tiles; t += width, ahead += stretch) {
            width = tiles - t < 28 ? first[tiles - t] : 14;
            switch (width) {
            case 14: multiply_14(c, v + t * LANES, w, m + t * PANEL, ahead, pace); break;
            case 8: multiply_8(c, v + t * LANES, w, m + t * PANEL, ahead, pace); break;
            case 7: multiply_7(c, v + t * LANES, w, m + t * PANEL, ahead, pace); break;
            case 4: multiply_4(c, v + t * LANES, w, m + t * PANEL, ahead, pace); break;
            }
        }
    }
}

/* The pointwise ops behind the convolution: relu. */
static inline vf finish(vf a)
{
    const vf t0 = vf_max_quiet(vf_set(0.0f), a);
    return t0;
}

/* out = tail(bias + A^T m A) for one vector of one tile, of which only rows x columns exist. */
SOL_INLINE void transform_output(const conv *c, const float *m, int64_t kb, place p, int64_t rows, int64_t columns)
{
    vf t[TILE][SIDE];
    float *out = c->out + p.n * c->out_n + kb * c->out_cb + p.y * TILE * c->out_row + p.x * TILE * LANES;
    {
        const vf m0 = vf_load(m + 0 * c->m_frequency);
        const vf m1 = vf_load(m + 6 * c->m_frequency);
        const vf m2 = vf_load(m + 12 * c->m_frequency);
        const vf m3 = vf_load(m + 18 * c->m_frequency);
        const vf m4 = vf_load(m + 24 * c->m_frequency);
        const vf m5 = vf_load(m + 30 * c->m_frequency);
        const vf sum1 = m1 + m2, difference1 = m1 - m2;
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        t[0][0] = m0 + sum1 + sum3;
        t[1][0] = 0.625f * difference1 + 1.5f * difference3;
        t[2][0] = 0.390625f * sum1 + 2.25f * sum3;
        t[3][0] = m5 + 0.244140625f * difference1 + 3.375f * difference3;
    }
    {
        const vf m0 = vf_load(m + 1 * c->m_frequency);
        const vf m1 = vf_load(m + 7 * c->m_frequency);
        const vf m2 = vf_load(m + 13 * c->m_frequency);
        const vf m3 = vf_load(m + 19 * c->m_frequency);
        const vf m4 = vf_load(m + 25 * c->m_frequency);
        const vf m5 = vf_load(m + 31 * c->m_frequency);
        const vf sum1 = m1 + m2, difference1 = m1 - m2;
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        t[0][1] = m0 + sum1 + sum3;
        t[1][1] = 0.625f * difference1 + 1.5f * difference3;
        t[2][1] = 0.390625f * sum1 + 2.25f * sum3;
        t[3][1] = m5 + 0.244140625f * difference1 + 3.375f * difference3;
    }
    {
        const vf m0 = vf_load(m + 2 * c->m_frequency);
        const vf m1 = vf_load(m + 8 * c->m_frequency);
        const vf m2 = vf_load(m + 14 * c->m_frequency);
        const vf m3 = vf_load(m + 20 * c->m_frequency);
        const vf m4 = vf_load(m + 26 * c->m_frequency);
        const vf m5 = vf_load(m + 32 * c->m_frequency);
        const vf sum1 = m1 + m2, difference1 = m1 - m2;
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        t[0][2] = m0 + sum1 + sum3;
        t[1][2] = 0.625f * difference1 + 1.5f * difference3;
        t[2][2] = 0.390625f * sum1 + 2.25f * sum3;
        t[3][2] = m5 + 0.244140625f * difference1 + 3.375f * difference3;
    }
    {
        const vf m0 = vf_load(m + 3 * c->m_frequency);
        const vf m1 = vf_load(m + 9 * c->m_frequency);
        const vf m2 = vf_load(m + 15 * c->m_frequency);
        const vf m3 = vf_load(m + 21 * c->m_frequency);
        const vf m4 = vf_load(m + 27 * c->m_frequency);
        const vf m5 = vf_load(m + 33 * c->m_frequency);
        const vf sum1 = m1 + m2, difference1 = m1 - m2;
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        t[0][3] = m0 + sum1 + sum3;
        t[1][3] = 0.625f * difference1 + 1.5f * difference3;
        t[2][3] = 0.390625f * sum1 + 2.25f * sum3;
        t[3][3] = m5 + 0.244140625f * difference1 + 3.375f * difference3;
    }
    {
        const vf m0 = vf_load(m + 4 * c->m_frequency);
        const vf m1 = vf_load(m + 10 * c->m_frequency);
        const vf m2 = vf_load(m + 16 * c->m_frequency);
        const vf m3 = vf_load(m + 22 * c->m_frequency);
        const vf m4 = vf_load(m + 28 * c->m_frequency);
        const vf m5 = vf_load(m + 34 * c->m_frequency);
        const vf sum1 = m1 + m2, difference1 = m1 - m2;
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        t[0][4] = m0 + sum1 + sum3;
        t[1][4] = 0.625f * difference1 + 1.5f * difference3;
        t[2][4] = 0.390625f * sum1 + 2.25f * sum3;
        t[3][4] = m5 + 0.244140625f * difference1 + 3.375f * difference3;
    }
    {
        const vf m0 = vf_load(m + 5 * c->m_frequency);
        const vf m1 = vf_load(m + 11 * c->m_frequency);
        const vf m2 = vf_load(m + 17 * c->m_frequency);
        const vf m3 = vf_load(m + 23 * c->m_frequency);
        const vf m4 = vf_load(m + 29 * c->m_frequency);
        const vf m5 = vf_load(m + 35 * c->m_frequency);
        const vf sum1 = m1 + m2, difference1 = m1 - m2;
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        t[0][5] = m0 + sum1 + sum3;
        t[1][5] = 0.625f * difference1 + 1.5f * difference3;
        t[2][5] = 0.390625f * sum1 + 2.25f * sum3;
        t[3][5] = m5 + 0.244140625f * difference1 + 3.375f * difference3;
    }
    if (0 < rows) {
        const vf sum1 = t[0][1] + t[0][2], difference1 = t[0][1] - t[0][2];
        const vf sum3 = t[0][3] + t[0][4], difference3 = t[0][3] - t[0][4];
        const vf y0 = t[0][0] + sum1 + sum3;
        const vf y1 = 0.625f * difference1 + 1.5f * difference3;
        const vf y2 = 0.390625f * sum1 + 2.25f * sum3;
        const vf y3 = t[0][5] + 0.244140625f * difference1 + 3.375f * difference3;
        if (0 < columns) vf_store(out + 0 * c->out_row + 0 * LANES, finish(y0));
        if (1 < columns) vf_store(out + 0 * c->out_row + 1 * LANES, finish(y1));
        if (2 < columns) vf_store(out + 0 * c->out_row + 2 * LANES, finish(y2));
        if (3 < columns) vf_store(out + 0 * c->out_row + 3 * LANES, finish(y3));
    }
    if (1 < rows) {
        const vf sum1 = t[1][1] + t[1][2], difference1 = t[1][1] - t[1][2];
        const vf sum3 = t[1][3] + t[1][4], difference3 = t[1][3] - t[1][4];
        const vf y0 = t[1][0] + sum1 + sum3;
        const vf y1 = 0.625f * difference1 + 1.5f * difference3;
        const vf y2 = 0.390625f * sum1 + 2.25f * sum3;
        const vf y3 = t[1][5] + 0.244140625f * difference1 + 3.375f * difference3;
        if (0 < columns) vf_store(out + 1 * c->out_row + 0 * LANES, finish(y0));
        if (1 < columns) vf_store(out + 1 * c->out_row + 1 * LANES, finish(y1));
        if (2 < columns) vf_store(out + 1 * c->out_row + 2 * LANES, finish(y2));
        if (3 < columns) vf_store(out + 1 * c->out_row + 3 * LANES, finish(y3));
    }
    if (2 < rows) {
        const vf sum1 = t[2][1] + t[2][2], difference1 = t[2][1] - t[2][2];
        const vf sum3 = t[2][3] + t[2][4], difference3 = t[2][3] - t[2][4];
        const vf y0 = t[2][0] + sum1 + sum3;
        const vf y1 = 0.625f * difference1 + 1.5f * difference3;
        const vf y2 = 0.390625f * sum1 + 2.25f * sum3;
        const vf y3 = t[2][5] + 0.244140625f * difference1 + 3.375f * difference3;
        if (0 < columns) vf_store(out + 2 * c->out_row + 0 * LANES, finish(y0));
        if (1 < columns) vf_store(out + 2 * c->out_row + 1 * LANES, finish(y1));
        if (2 < columns) vf_store(out + 2 * c->out_row + 2 * LANES, finish(y2));
        if (3 < columns) vf_store(out + 2 * c->out_row + 3 * LANES, finish(y3));
    }
    if (3 < rows) {
        const vf sum1 = t[3][1] + t[3][2], difference1 = t[3][1] - t[3][2];
        const vf sum3 = t[3][3] + t[3][4], difference3 = t[3][3] - t[3][4];
        const vf y0 = t[3][0] + sum1 + sum3;
        const vf y1 = 0.625f * difference1 + 1.5f * difference3;
        const vf y2 = 0.390625f * sum1 + 2.25f * sum3;
        const vf y3 = t[3][5] + 0.244140625f * difference1 + 3.375f * difference3;
        if (0 < columns) vf_store(out + 3 * c->out_row + 0 * LANES, finish(y0));
        if (1 < columns) vf_store(out + 3 * c->out_row + 1 * LANES, finish(y1));
        if (2 < columns) vf_store(out + 3 * c->out_row + 2 * LANES, finish(y2));
        if (3 < columns) vf_store(out + 3 * c->out_row + 3 * LANES, finish(y3));
    }
}

static __attribute__((noinline)) void output_whole(const conv *c, const float *m, int64_t kb, place p)
{
    transform_output(c, m, kb, p, TILE, TILE);
}

static __attribute__((noinline)) void output_edge(const conv *c, const float *m, int64_t kb, place p, int64_t rows, int64_t columns)
{
    transform_output(c, m, kb, p, rows, columns);
}

/* Tiles t0 … t1 - 1 of channel group ``group``: products, then the transform back. */
static void finish_tiles(const conv *c, int64_t group, int64_t t0, int64_t t1, const float *v, float *m)
{
    multiply(c, v, c->w + group * FREQUENCIES * c->w_frequency, m, t1 - t0);
    for (int64_t o = 0; o < 2 && group * 2 + o < c->vectors; o++) {
        place p = place_of(c, t0);
        for (int64_t t = 0; t < t1 - t0; t++, advance(c, &p)) {
            const int64_t rows = c->OH - p.y * TILE, columns = c->OW - p.x * TILE;
            const float *at = m + t * PANEL + o * LANES;
            if (rows >= TILE && columns >= TILE) output_whole(c, at, group * 2 + o, p);
            else output_edge(c, at, group * 2 + o, p, rows, columns);
        }
    }
}

void conv_winograd(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    const float *w = buf[1];
    float *out = buf[2];
    const int64_t N = arg[0];
    const int64_t OH = arg[1];
    const int64_t OW = arg[2];
    const int64_t vectors = arg[3];
    const int64_t split_channels = arg[4];
    const int64_t block = arg[5];
    const int64_t in_blocks = arg[6];
    const int64_t in_last = arg[7];
    const int64_t in_n = arg[8];
    const int64_t in_cb = arg[9];
    const int64_t in_row = arg[10];
    const int64_t in_start = arg[11];
    const int64_t out_n = arg[12];
    const int64_t out_cb = arg[13];
    const int64_t out_row = arg[14];
    (void)team; (void)buf; (void)arg;
    const int64_t rows = (OH + TILE - 1) / TILE, columns = (OW + TILE - 1) / TILE, tiles = N * rows * columns;
    const int64_t groups = (vectors + 1) / 2;
    const int by_channels = split_channels && tiles < 14 * team->size;
    const int alone = tiles <= block && 2 * team->size <= vectors; /* the repeated transforms take an eighth of the time at most */
    const int64_t held = by_channels && !alone ? tiles : block;
    const conv c = {
        .in = in + in_start, .w = w, .out = out,
.in_blocks = in_blocks, .in_last = in_last, .in_n = in_n, .in_cb = in_cb, .in_row = in_row,
        .out_n = out_n, .out_cb = out_cb, .out_row = out_row, .w_frequency = ((in_blocks - 1) * LANES + in_last) * PANEL,
        .vectors = vectors, .OH = OH, .OW = OW, .rows = rows, .columns = columns,
        .v_block = held * LANES, .v_frequency = in_blocks * held * LANES + LINE, .m_frequency = (block + 3) * PANEL + LINE,
    };
    float *m = (float *)team->scratch, *v = m + FREQUENCIES * c.m_frequency;
    int64_t u0, u1;
    if (tiles == 0) return;
    if (by_channels) {
        if (alone) {
            for (int64_t b = 0; b < in_blocks; b++) transform_tiles(&c, b, 0, tiles, v + b * c.v_block);
        } else {
            v = (float *)team->common;
            sol_split(team, in_blocks * tiles, &u0, &u1);
            for (int64_t t0, t1; u0 < u1; u0 += t1 - t0) {
                t0 = u0 % tiles, t1 = u1 - u0 < tiles - t0 ? t0 + u1 - u0 : tiles;
                transform_tiles(&c, u0 / tiles, t0, t1, v + u0 * LANES);
            }
            sol_barrier(team);
        }
        sol_split(team, groups * tiles, &u0, &u1);
        for (int64_t t0, t1; u0 < u1; u0 += t1 - t0) {
            t0 = u0 % tiles, t1 = u1 - u0 < tiles - t0 ? t0 + u1 - u0 : tiles;
            if (t1 - t0 > block) t1 = t0 + block;
            finish_tiles(&c, u0 / tiles, t0, t1, v + t0 * LANES, m);
        }
    } else {
        sol_split(team, tiles, &u0, &u1);
        for (int64_t t1; u0 < u1; u0 = t1) {
            t1 = u1 - u0 < block ? u1 : u0 + block;
            for (int64_t b = 0; b < in_blocks; b++) transform_tiles(&c, b, u0, t1, v + b * c.v_block);
            for (int64_t group = 0; group < groups; group++) finish_tiles(&c, group, u0, t1, v, m);
        }
    }
}
