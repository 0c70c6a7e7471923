/* Winograd convolution F(4x4, 3x3), NCHWc -> NCHWc, then relu.
 *
 * A tile is 4 x 4 outputs, which depend on 6 x 6 inputs. Both are transformed to 36 frequencies, where the convolution is a product:
 *   v[frequency, c, tile] = B^T in B      m[frequency, tile, k] = sum over c of v * w      out = tail(bias + A^T m A)
 *
 *   By tiles (many tiles):                    By channels (fewer than split_channels tiles per thread):
 *     block of this thread's tiles              all tiles: transform; each thread for itself, or if that is too much
 *       transform                                 work or memory, its share into common memory, then a barrier
 *       channel group                           share of (channel group, tile) pairs
 *         products, transform back                products, transform back
 *
 *   products: per frequency a matrix product of 2 vectors x 14, 8, 4 tiles, the whole reduction in registers.
 *
 * w: [channel group][frequency][channel][2 * LANES]; v: [frequency][input block][slot][LANES]; m: [frequency][slot][2 * LANES].
 * A block's tiles take slots by kind, so that those which have a frequency are neighbours. Frequencies lie one line more
 * apart than they are long, lest their addresses be a power of two apart. The last product of a block may compute up to
 * 3 tiles too many: v and m have room for them. */
#include "sol_team.h"
#include "sol_simd.h"

enum { ROWS = 4, COLUMNS = 4, FREQUENCIES = 36, PANEL = 2 * LANES, LINE = 16 };

typedef struct {
    const float *in, *w;
    float *out;
int64_t in_blocks, in_last, in_n, in_cb, in_row, out_n, out_cb, out_row, w_frequency, vectors;
    int64_t OH, OW, rows, columns, v_block, v_frequency, m_frequency;
} conv;

/* A tile: image, first output row and column. kind: 0 whole, + 1 in a shorter column, + 2 in a shorter row. */
typedef struct {
    int64_t n, y, x, kind;
} place;

/* The slots [begin, end) that have a frequency: one that all tiles have, + 1 not those in a shorter column, + 2 not those in a shorter row. */
typedef struct {
    int64_t begin[4], end[4];
} spans;

/* Slots of tiles t0 … t1 - 1: shorter columns, whole tiles, shorter rows, tiles shorter in both. */
static void survey(const conv *c, int64_t t0, int64_t t1, place *places, spans *s)
{
    int64_t count[4] = {0}, at[4], total = t1 - t0;
    for (int pass = 0; pass < 2; pass++) {
        int64_t n = t0 / (c->rows * c->columns), y = t0 / c->columns % c->rows, x = t0 % c->columns;
        for (int64_t t = t0; t < t1; t++) {
            const int64_t kind = 0 + 0;
            if (pass) places[at[kind]++] = (place){n, y * ROWS, x * COLUMNS, kind};
            else count[kind]++;
            if (++x == c->columns) x = 0, y++;
            if (y == c->rows) y = 0, n++;
        }
        at[1] = 0, at[0] = count[1], at[2] = at[0] + count[0], at[3] = at[2] + count[2];
    }
    for (int kind = 0; kind < 4; kind++) s->begin[kind] = kind & 1 ? count[1] : 0;
    s->end[0] = total, s->end[1] = total - count[3], s->end[2] = s->end[3] = count[1] + count[0];
}

/* v = B^T in B for LANES channels of one tile of 4 x 4. */
static __attribute__((noinline)) void transform_input_4x4(const float *in, int64_t in_row, float *v, int64_t v_frequency)
{
    {
        const vf t0_0 = 0.439453125f * vf_load(in + 0 * in_row + 0 * LANES) + 0.5f * vf_load(in + 4 * in_row + 0 * LANES) - 1.3203125f * vf_load(in + 2 * in_row + 0 * LANES);
        const vf t0_1 = 0.439453125f * vf_load(in + 0 * in_row + 1 * LANES) + 0.5f * vf_load(in + 4 * in_row + 1 * LANES) - 1.3203125f * vf_load(in + 2 * in_row + 1 * LANES);
        const vf t0_2 = 0.439453125f * vf_load(in + 0 * in_row + 2 * LANES) + 0.5f * vf_load(in + 4 * in_row + 2 * LANES) - 1.3203125f * vf_load(in + 2 * in_row + 2 * LANES);
        const vf t0_3 = 0.439453125f * vf_load(in + 0 * in_row + 3 * LANES) + 0.5f * vf_load(in + 4 * in_row + 3 * LANES) - 1.3203125f * vf_load(in + 2 * in_row + 3 * LANES);
        const vf t0_4 = 0.439453125f * vf_load(in + 0 * in_row + 4 * LANES) + 0.5f * vf_load(in + 4 * in_row + 4 * LANES) - 1.3203125f * vf_load(in + 2 * in_row + 4 * LANES);
        const vf t0_5 = 0.439453125f * vf_load(in + 0 * in_row + 5 * LANES) + 0.5f * vf_load(in + 4 * in_row + 5 * LANES) - 1.3203125f * vf_load(in + 2 * in_row + 5 * LANES);
        vf_store(v + 0 * v_frequency, 0.439453125f * t0_0 + 0.5f * t0_4 - 1.3203125f * t0_2);
        const vf even0_of_1 = 0.5f * t0_4 - 1.125f * t0_2, odd0_of_1 = 0.3125f * t0_3 - 0.703125f * t0_1;
        vf_store(v + 1 * v_frequency, even0_of_1 + odd0_of_1);
        vf_store(v + 2 * v_frequency, even0_of_1 - odd0_of_1);
        const vf even0_of_3 = 0.5f * t0_4 - 0.1953125f * t0_2, odd0_of_3 = 0.75f * t0_3 - 0.29296875f * t0_1;
        vf_store(v + 3 * v_frequency, even0_of_3 + odd0_of_3);
        vf_store(v + 4 * v_frequency, even0_of_3 - odd0_of_3);
        vf_store(v + 5 * v_frequency, 0.439453125f * t0_1 + 0.5f * t0_5 - 1.3203125f * t0_3);
    }
    {
        const vf even_0 = 0.5f * vf_load(in + 4 * in_row + 0 * LANES) - 1.125f * vf_load(in + 2 * in_row + 0 * LANES), odd_0 = 0.3125f * vf_load(in + 3 * in_row + 0 * LANES) - 0.703125f * vf_load(in + 1 * in_row + 0 * LANES);
        const vf t1_0 = even_0 + odd_0;
        const vf t2_0 = even_0 - odd_0;
        const vf even_1 = 0.5f * vf_load(in + 4 * in_row + 1 * LANES) - 1.125f * vf_load(in + 2 * in_row + 1 * LANES), odd_1 = 0.3125f * vf_load(in + 3 * in_row + 1 * LANES) - 0.703125f * vf_load(in + 1 * in_row + 1 * LANES);
        const vf t1_1 = even_1 + odd_1;
        const vf t2_1 = even_1 - odd_1;
        const vf even_2 = 0.5f * vf_load(in + 4 * in_row + 2 * LANES) - 1.125f * vf_load(in + 2 * in_row + 2 * LANES), odd_2 = 0.3125f * vf_load(in + 3 * in_row + 2 * LANES) - 0.703125f * vf_load(in + 1 * in_row + 2 * LANES);
        const vf t1_2 = even_2 + odd_2;
        const vf t2_2 = even_2 - odd_2;
        const vf even_3 = 0.5f * vf_load(in + 4 * in_row + 3 * LANES) - 1.125f * vf_load(in + 2 * in_row + 3 * LANES), odd_3 = 0.3125f * vf_load(in + 3 * in_row + 3 * LANES) - 0.703125f * vf_load(in + 1 * in_row + 3 * LANES);
        const vf t1_3 = even_3 + odd_3;
        const vf t2_3 = even_3 - odd_3;
        const vf even_4 = 0.5f * vf_load(in + 4 * in_row + 4 * LANES) - 1.125f * vf_load(in + 2 * in_row + 4 * LANES), odd_4 = 0.3125f * vf_load(in + 3 * in_row + 4 * LANES) - 0.703125f * vf_load(in + 1 * in_row + 4 * LANES);
        const vf t1_4 = even_4 + odd_4;
        const vf t2_4 = even_4 - odd_4;
        const vf even_5 = 0.5f * vf_load(in + 4 * in_row + 5 * LANES) - 1.125f * vf_load(in + 2 * in_row + 5 * LANES), odd_5 = 0.3125f * vf_load(in + 3 * in_row + 5 * LANES) - 0.703125f * vf_load(in + 1 * in_row + 5 * LANES);
        const vf t1_5 = even_5 + odd_5;
        const vf t2_5 = even_5 - odd_5;
        vf_store(v + 6 * v_frequency, 0.439453125f * t1_0 + 0.5f * t1_4 - 1.3203125f * t1_2);
        const vf even1_of_1 = 0.5f * t1_4 - 1.125f * t1_2, odd1_of_1 = 0.3125f * t1_3 - 0.703125f * t1_1;
        vf_store(v + 7 * v_frequency, even1_of_1 + odd1_of_1);
        vf_store(v + 8 * v_frequency, even1_of_1 - odd1_of_1);
        const vf even1_of_3 = 0.5f * t1_4 - 0.1953125f * t1_2, odd1_of_3 = 0.75f * t1_3 - 0.29296875f * t1_1;
        vf_store(v + 9 * v_frequency, even1_of_3 + odd1_of_3);
        vf_store(v + 10 * v_frequency, even1_of_3 - odd1_of_3);
        vf_store(v + 11 * v_frequency, 0.439453125f * t1_1 + 0.5f * t1_5 - 1.3203125f * t1_3);
        vf_store(v + 12 * v_frequency, 0.439453125f * t2_0 + 0.5f * t2_4 - 1.3203125f * t2_2);
        const vf even2_of_1 = 0.5f * t2_4 - 1.125f * t2_2, odd2_of_1 = 0.3125f * t2_3 - 0.703125f * t2_1;
        vf_store(v + 13 * v_frequency, even2_of_1 + odd2_of_1);
        vf_store(v + 14 * v_frequency, even2_of_1 - odd2_of_1);
        const vf even2_of_3 = 0.5f * t2_4 - 0.1953125f * t2_2, odd2_of_3 = 0.75f * t2_3 - 0.29296875f * t2_1;
        vf_store(v + 15 * v_frequency, even2_of_3 + odd2_of_3);
        vf_store(v + 16 * v_frequency, even2_of_3 - odd2_of_3);
        vf_store(v + 17 * v_frequency, 0.439453125f * t2_1 + 0.5f * t2_5 - 1.3203125f * t2_3);
    }
    {
        const vf even_0 = 0.5f * vf_load(in + 4 * in_row + 0 * LANES) - 0.1953125f * vf_load(in + 2 * in_row + 0 * LANES), odd_0 = 0.75f * vf_load(in + 3 * in_row + 0 * LANES) - 0.29296875f * vf_load(in + 1 * in_row + 0 * LANES);
        const vf t3_0 = even_0 + odd_0;
        const vf t4_0 = even_0 - odd_0;
        const vf even_1 = 0.5f * vf_load(in + 4 * in_row + 1 * LANES) - 0.1953125f * vf_load(in + 2 * in_row + 1 * LANES), odd_1 = 0.75f * vf_load(in + 3 * in_row + 1 * LANES) - 0.29296875f * vf_load(in + 1 * in_row + 1 * LANES);
        const vf t3_1 = even_1 + odd_1;
        const vf t4_1 = even_1 - odd_1;
        const vf even_2 = 0.5f * vf_load(in + 4 * in_row + 2 * LANES) - 0.1953125f * vf_load(in + 2 * in_row + 2 * LANES), odd_2 = 0.75f * vf_load(in + 3 * in_row + 2 * LANES) - 0.29296875f * vf_load(in + 1 * in_row + 2 * LANES);
        const vf t3_2 = even_2 + odd_2;
        const vf t4_2 = even_2 - odd_2;
        const vf even_3 = 0.5f * vf_load(in + 4 * in_row + 3 * LANES) - 0.1953125f * vf_load(in + 2 * in_row + 3 * LANES), odd_3 = 0.75f * vf_load(in + 3 * in_row + 3 * LANES) - 0.29296875f * vf_load(in + 1 * in_row + 3 * LANES);
        const vf t3_3 = even_3 + odd_3;
        const vf t4_3 = even_3 - odd_3;
        const vf even_4 = 0.5f * vf_load(in + 4 * in_row + 4 * LANES) - 0.1953125f * vf_load(in + 2 * in_row + 4 * LANES), odd_4 = 0.75f * vf_load(in + 3 * in_row + 4 * LANES) - 0.29296875f * vf_load(in + 1 * in_row + 4 * LANES);
        const vf t3_4 = even_4 + odd_4;
        const vf t4_4 = even_4 - odd_4;
        const vf even_5 = 0.5f * vf_load(in + 4 * in_row + 5 * LANES) - 0.1953125f * vf_load(in + 2 * in_row + 5 * LANES), odd_5 = 0.75f * vf_load(in + 3 * in_row + 5 * LANES) - 0.29296875f * vf_load(in + 1 * in_row + 5 * LANES);
        const vf t3_5 = even_5 + odd_5;
        const vf t4_5 = even_5 - odd_5;
        vf_store(v + 18 * v_frequency, 0.439453125f * t3_0 + 0.5f * t3_4 - 1.3203125f * t3_2);
        const vf even3_of_1 = 0.5f * t3_4 - 1.125f * t3_2, odd3_of_1 = 0.3125f * t3_3 - 0.703125f * t3_1;
        vf_store(v + 19 * v_frequency, even3_of_1 + odd3_of_1);
        vf_store(v + 20 * v_frequency, even3_of_1 - odd3_of_1);
        const vf even3_of_3 = 0.5f * t3_4 - 0.1953125f * t3_2, odd3_of_3 = 0.75f * t3_3 - 0.29296875f * t3_1;
        vf_store(v + 21 * v_frequency, even3_of_3 + odd3_of_3);
        vf_store(v + 22 * v_frequency, even3_of_3 - odd3_of_3);
        vf_store(v + 23 * v_frequency, 0.439453125f * t3_1 + 0.5f * t3_5 - 1.3203125f * t3_3);
        vf_store(v + 24 * v_frequency, 0.439453125f * t4_0 + 0.5f * t4_4 - 1.3203125f * t4_2);
        const vf even4_of_1 = 0.5f * t4_4 - 1.125f * t4_2, odd4_of_1 = 0.3125f * t4_3 - 0.703125f * t4_1;
        vf_store(v + 25 * v_frequency, even4_of_1 + odd4_of_1);
        vf_store(v + 26 * v_frequency, even4_of_1 - odd4_of_1);
        const vf even4_of_3 = 0.5f * t4_4 - 0.1953125f * t4_2, odd4_of_3 = 0.75f * t4_3 - 0.29296875f * t4_1;
        vf_store(v + 27 * v_frequency, even4_of_3 + odd4_of_3);
        vf_store(v + 28 * v_frequency, even4_of_3 - odd4_of_3);
        vf_store(v + 29 * v_frequency, 0.439453125f * t4_1 + 0.5f * t4_5 - 1.3203125f * t4_3);
    }
    {
        const vf t5_0 = 0.439453125f * vf_load(in + 1 * in_row + 0 * LANES) + 0.5f * vf_load(in + 5 * in_row + 0 * LANES) - 1.3203125f * vf_load(in + 3 * in_row + 0 * LANES);
        const vf t5_1 = 0.439453125f * vf_load(in + 1 * in_row + 1 * LANES) + 0.5f * vf_load(in + 5 * in_row + 1 * LANES) - 1.3203125f * vf_load(in + 3 * in_row + 1 * LANES);
        const vf t5_2 = 0.439453125f * vf_load(in + 1 * in_row + 2 * LANES) + 0.5f * vf_load(in + 5 * in_row + 2 * LANES) - 1.3203125f * vf_load(in + 3 * in_row + 2 * LANES);
        const vf t5_3 = 0.439453125f * vf_load(in + 1 * in_row + 3 * LANES) + 0.5f * vf_load(in + 5 * in_row + 3 * LANES) - 1.3203125f * vf_load(in + 3 * in_row + 3 * LANES);
        const vf t5_4 = 0.439453125f * vf_load(in + 1 * in_row + 4 * LANES) + 0.5f * vf_load(in + 5 * in_row + 4 * LANES) - 1.3203125f * vf_load(in + 3 * in_row + 4 * LANES);
        const vf t5_5 = 0.439453125f * vf_load(in + 1 * in_row + 5 * LANES) + 0.5f * vf_load(in + 5 * in_row + 5 * LANES) - 1.3203125f * vf_load(in + 3 * in_row + 5 * LANES);
        vf_store(v + 30 * v_frequency, 0.439453125f * t5_0 + 0.5f * t5_4 - 1.3203125f * t5_2);
        const vf even5_of_1 = 0.5f * t5_4 - 1.125f * t5_2, odd5_of_1 = 0.3125f * t5_3 - 0.703125f * t5_1;
        vf_store(v + 31 * v_frequency, even5_of_1 + odd5_of_1);
        vf_store(v + 32 * v_frequency, even5_of_1 - odd5_of_1);
        const vf even5_of_3 = 0.5f * t5_4 - 0.1953125f * t5_2, odd5_of_3 = 0.75f * t5_3 - 0.29296875f * t5_1;
        vf_store(v + 33 * v_frequency, even5_of_3 + odd5_of_3);
        vf_store(v + 34 * v_frequency, even5_of_3 - odd5_of_3);
        vf_store(v + 35 * v_frequency, 0.439453125f * t5_1 + 0.5f * t5_5 - 1.3203125f * t5_3);
    }
}

/* Slots t0 … t1 - 1 of one input block. v: that of slot t0. */
static void transform_tiles(const conv *c, int64_t block, const place *places, int64_t t0, int64_t t1, float *v)
{
    const float *in = c->in + block * c->in_cb;
    for (; t0 < t1; t0++, v += LANES) {
        const place p = places[t0];
        const float *at = in + p.n * c->in_n + p.y * c->in_row + p.x * LANES;
        switch (p.kind) {
        case 0: transform_input_4x4(at, c->in_row, v, c->v_frequency); break;
        }
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

static const unsigned char first[] = {0, 4, 4, 4, 4, 8, 8, 8, 8, 8, 8, 8, 8, 14, 14, 8, 8, 14, 14, 8, 8, 14, 14, 8, 8, 14, 14, 14}; /* width that starts the cheapest cover of so many tiles */

static inline int64_t next_width(int64_t tiles) { return tiles < 28 ? first[tiles] : 14; }

/* All frequencies of one channel group and slots t0 … t1 - 1; v: that of slot 0, m: that of slot t0. */
static void multiply(const conv *c, const spans *s, int64_t t0, int64_t t1, const float *v, const float *w, float *m)
{
    static const unsigned char kinds[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}; /* of each frequency, as in spans */
    int64_t begin[4], end[4], pace[4];
    for (int kind = 0; kind < 4; kind++) {
        begin[kind] = s->begin[kind] > t0 ? s->begin[kind] : t0, end[kind] = s->end[kind] < t1 ? s->end[kind] : t1;
        int64_t calls = 0;
        for (int64_t t = begin[kind]; t < end[kind]; calls++) t += next_width(end[kind] - t);
        pace[kind] = calls > 1 ? PANEL * 4 / calls : 0; /* weights that are read once are a stream, which the hardware fetches */
    }
    for (int64_t f = 0; f < FREQUENCIES; f++, v += c->v_frequency, w += c->w_frequency, m += c->m_frequency) {
        const int kind = kinds[f];
        const int64_t stretch = ((c->in_blocks - 1) * LANES + c->in_last) * pace[kind];
        const char *ahead = (const char *)(w + c->w_frequency);
        int64_t width;
        for (int64_t t = begin[kind]; t < end[kind]; t += width, ahead += stretch) {
            width = next_width(end[kind] - t);
            switch (width) {
            case 14: multiply_14(c, v + t * LANES, w, m + (t - t0) * PANEL, ahead, pace[kind]); break;
            case 8: multiply_8(c, v + t * LANES, w, m + (t - t0) * PANEL, ahead, pace[kind]); break;
            case 4: multiply_4(c, v + t * LANES, w, m + (t - t0) * PANEL, ahead, pace[kind]); break;
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

/* out = tail(bias + A^T m A) for one vector of one tile of 4 x 4. */
static __attribute__((noinline)) void transform_output_4x4(const conv *c, const float *m, int64_t kb, const place *p)
{
    vf t[4][6];
    float *out = c->out + p->n * c->out_n + kb * c->out_cb + p->y * c->out_row + p->x * LANES;
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
    {
        const vf sum1 = t[0][1] + t[0][2], difference1 = t[0][1] - t[0][2];
        const vf sum3 = t[0][3] + t[0][4], difference3 = t[0][3] - t[0][4];
        const vf y0 = t[0][0] + sum1 + sum3;
        const vf y1 = 0.625f * difference1 + 1.5f * difference3;
        const vf y2 = 0.390625f * sum1 + 2.25f * sum3;
        const vf y3 = t[0][5] + 0.244140625f * difference1 + 3.375f * difference3;
        vf_store(out + 0 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 0 * c->out_row + 1 * LANES, finish(y1));
        vf_store(out + 0 * c->out_row + 2 * LANES, finish(y2));
        vf_store(out + 0 * c->out_row + 3 * LANES, finish(y3));
    }
    {
        const vf sum1 = t[1][1] + t[1][2], difference1 = t[1][1] - t[1][2];
        const vf sum3 = t[1][3] + t[1][4], difference3 = t[1][3] - t[1][4];
        const vf y0 = t[1][0] + sum1 + sum3;
        const vf y1 = 0.625f * difference1 + 1.5f * difference3;
        const vf y2 = 0.390625f * sum1 + 2.25f * sum3;
        const vf y3 = t[1][5] + 0.244140625f * difference1 + 3.375f * difference3;
        vf_store(out + 1 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 1 * c->out_row + 1 * LANES, finish(y1));
        vf_store(out + 1 * c->out_row + 2 * LANES, finish(y2));
        vf_store(out + 1 * c->out_row + 3 * LANES, finish(y3));
    }
    {
        const vf sum1 = t[2][1] + t[2][2], difference1 = t[2][1] - t[2][2];
        const vf sum3 = t[2][3] + t[2][4], difference3 = t[2][3] - t[2][4];
        const vf y0 = t[2][0] + sum1 + sum3;
        const vf y1 = 0.625f * difference1 + 1.5f * difference3;
        const vf y2 = 0.390625f * sum1 + 2.25f * sum3;
        const vf y3 = t[2][5] + 0.244140625f * difference1 + 3.375f * difference3;
        vf_store(out + 2 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 2 * c->out_row + 1 * LANES, finish(y1));
        vf_store(out + 2 * c->out_row + 2 * LANES, finish(y2));
        vf_store(out + 2 * c->out_row + 3 * LANES, finish(y3));
    }
    {
        const vf sum1 = t[3][1] + t[3][2], difference1 = t[3][1] - t[3][2];
        const vf sum3 = t[3][3] + t[3][4], difference3 = t[3][3] - t[3][4];
        const vf y0 = t[3][0] + sum1 + sum3;
        const vf y1 = 0.625f * difference1 + 1.5f * difference3;
        const vf y2 = 0.390625f * sum1 + 2.25f * sum3;
        const vf y3 = t[3][5] + 0.244140625f * difference1 + 3.375f * difference3;
        vf_store(out + 3 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 3 * c->out_row + 1 * LANES, finish(y1));
        vf_store(out + 3 * c->out_row + 2 * LANES, finish(y2));
        vf_store(out + 3 * c->out_row + 3 * LANES, finish(y3));
    }
}

/* Slots t0 … t1 - 1 of channel group ``group``: products, then the transform back. v: that of slot 0. */
static void finish_tiles(const conv *c, int64_t group, const place *places, const spans *s, int64_t t0, int64_t t1, const float *v, float *m)
{
    multiply(c, s, t0, t1, v, c->w + group * FREQUENCIES * c->w_frequency, m);
    for (int64_t o = 0; o < 2 && group * 2 + o < c->vectors; o++) {
        const int64_t kb = group * 2 + o;
        for (int64_t t = t0; t < t1; t++) {
            const place *p = places + t;
            const float *at = m + (t - t0) * PANEL + o * LANES;
            switch (p->kind) {
            case 0: transform_output_4x4(c, at, kb, p); break;
            }
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
    const int64_t rows = (OH + ROWS - 1) / ROWS, columns = (OW + COLUMNS - 1) / COLUMNS, tiles = N * rows * columns;
    const int64_t groups = (vectors + 1) / 2;
    const int by_channels = tiles < split_channels * team->size;
    const int alone = tiles <= block && 2 * team->size <= vectors; /* the repeated transforms take an eighth of the time at most */
    const int64_t held = by_channels && !alone ? tiles : block;
    const conv c = {
        .in = in + in_start, .w = w, .out = out,
.in_blocks = in_blocks, .in_last = in_last, .in_n = in_n, .in_cb = in_cb, .in_row = in_row,
        .out_n = out_n, .out_cb = out_cb, .out_row = out_row,
        .w_frequency = ((in_blocks - 1) * LANES + in_last) * PANEL,
        .vectors = vectors, .OH = OH, .OW = OW, .rows = rows, .columns = columns,
        .v_block = held * LANES, .v_frequency = in_blocks * held * LANES + LINE, .m_frequency = (block + 3) * PANEL + LINE,
    };
    float *m = (float *)team->scratch, *v = m + FREQUENCIES * c.m_frequency;
    place *places = (place *)(v + FREQUENCIES * (in_blocks * block * LANES + LINE) + 3 * LANES);
    spans s;
    int64_t u0, u1;
    if (tiles == 0) return;
    if (by_channels) {
        survey(&c, 0, tiles, places, &s);
        if (alone) {
            for (int64_t b = 0; b < in_blocks; b++) transform_tiles(&c, b, places, 0, tiles, v + b * c.v_block);
        } else {
            v = (float *)team->common;
            sol_split(team, in_blocks * tiles, &u0, &u1);
            for (int64_t t0, t1; u0 < u1; u0 += t1 - t0) {
                t0 = u0 % tiles, t1 = u1 - u0 < tiles - t0 ? t0 + u1 - u0 : tiles;
                transform_tiles(&c, u0 / tiles, places, t0, t1, v + u0 * LANES);
            }
            sol_barrier(team);
        }
        sol_split(team, groups * tiles, &u0, &u1);
        for (int64_t t0, t1; u0 < u1; u0 += t1 - t0) {
            t0 = u0 % tiles, t1 = u1 - u0 < tiles - t0 ? t0 + u1 - u0 : tiles;
            if (t1 - t0 > block) t1 = t0 + block;
            finish_tiles(&c, u0 / tiles, places, &s, t0, t1, v, m);
        }
    } else {
        sol_split(team, tiles, &u0, &u1);
        for (int64_t t1; u0 < u1; u0 = t1) {
            t1 = u1 - u0 < block ? u1 : u0 + block;
            survey(&c, u0, t1, places, &s);
            for (int64_t b = 0; b < in_blocks; b++) transform_tiles(&c, b, places, 0, t1 - u0, v + b * c.v_block);
            for (int64_t group = 0; group < groups; group++) finish_tiles(&c, group, places, &s, 0, t1 - u0, v, m);
        }
    }
}
