/* Winograd convolution F(2x2, 3x3), NCHWc -> NCHWc, then relu.
 *
 * A tile is 2 x 2 outputs, which depend on 4 x 4 inputs. Both are transformed to 16 frequencies, where the convolution is a product:
 *   v[frequency, c, tile] = B^T in B      m[frequency, tile, k] = sum over c of v * w      out = epilogue(bias + A^T m A)
 *
 *   By tiles (many tiles):                    By channels (fewer than split_channels tiles per thread):
 *     block of this thread's tiles              all tiles: transform; each thread for itself, or if that is too much
 *       transform                                 work or memory, its share into shared memory, then a barrier
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

enum { ROWS = 2, COLUMNS = 2, FREQUENCIES = 16, PANEL = 2 * LANES, LINE = 16, BESIDE = 0 };

typedef struct conv {
    const float *in;
    const float *w;
    float *out;
    int64_t N, OH, OW, vectors, split_channels, block, in_blocks, in_last, in_n, in_cb, in_row, in_start, out_n, out_cb, out_row, rows;
    int64_t columns, w_frequency, v_block, v_frequency, m_frequency;
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

/* v = B^T in B for LANES channels of one tile of 2 x 2. */
static __attribute__((noinline)) void transform_input_2x2(const float *in, int64_t in_row, float *v, int64_t v_frequency)
{
    const float *r0 = in, *r1 = r0 + in_row, *r2 = r1 + in_row, *r3 = r2 + in_row;
    {
        const vf t0_0 = vf_load(r2 + 0 * LANES) - vf_load(r0 + 0 * LANES);
        const vf t0_1 = vf_load(r2 + 1 * LANES) - vf_load(r0 + 1 * LANES);
        const vf t0_2 = vf_load(r2 + 2 * LANES) - vf_load(r0 + 2 * LANES);
        const vf t0_3 = vf_load(r2 + 3 * LANES) - vf_load(r0 + 3 * LANES);
        vf_store(v, t0_2 - t0_0);
        const vf even0_of_1 = t0_2, odd0_of_1 = t0_1;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even0_of_1 + odd0_of_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even0_of_1 - odd0_of_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, t0_3 - t0_1);
    }
    {
        const vf even_0 = vf_load(r2 + 0 * LANES), odd_0 = vf_load(r1 + 0 * LANES);
        const vf t1_0 = even_0 + odd_0;
        const vf t2_0 = even_0 - odd_0;
        const vf even_1 = vf_load(r2 + 1 * LANES), odd_1 = vf_load(r1 + 1 * LANES);
        const vf t1_1 = even_1 + odd_1;
        const vf t2_1 = even_1 - odd_1;
        const vf even_2 = vf_load(r2 + 2 * LANES), odd_2 = vf_load(r1 + 2 * LANES);
        const vf t1_2 = even_2 + odd_2;
        const vf t2_2 = even_2 - odd_2;
        const vf even_3 = vf_load(r2 + 3 * LANES), odd_3 = vf_load(r1 + 3 * LANES);
        const vf t1_3 = even_3 + odd_3;
        const vf t2_3 = even_3 - odd_3;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, t1_2 - t1_0);
        const vf even1_of_1 = t1_2, odd1_of_1 = t1_1;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even1_of_1 + odd1_of_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even1_of_1 - odd1_of_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, t1_3 - t1_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, t2_2 - t2_0);
        const vf even2_of_1 = t2_2, odd2_of_1 = t2_1;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even2_of_1 + odd2_of_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even2_of_1 - odd2_of_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, t2_3 - t2_1);
    }
    {
        const vf t3_0 = vf_load(r3 + 0 * LANES) - vf_load(r1 + 0 * LANES);
        const vf t3_1 = vf_load(r3 + 1 * LANES) - vf_load(r1 + 1 * LANES);
        const vf t3_2 = vf_load(r3 + 2 * LANES) - vf_load(r1 + 2 * LANES);
        const vf t3_3 = vf_load(r3 + 3 * LANES) - vf_load(r1 + 3 * LANES);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, t3_2 - t3_0);
        const vf even3_of_1 = t3_2, odd3_of_1 = t3_1;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even3_of_1 + odd3_of_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even3_of_1 - odd3_of_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, t3_3 - t3_1);
    }
}

/* Slots t0 … t1 - 1, one input block. v: that of slot t0. */
static void transform_tiles(const conv *c, int64_t first, const place *places, int64_t t0, int64_t t1, float *v)
{
    for (; t0 < t1; t0++, v += LANES) {
        const place p = places[t0];
        const int64_t in_row = c->in_row, in_cb = c->in_cb;
        const float *at = c->in + first * in_cb + p.n * c->in_n + p.y * in_row + p.x * LANES;
        float *o = v;
        for (int64_t block = first; block < first + 1; block++, at += in_cb, o += c->v_block) {
            switch (p.kind) {
            case 0: transform_input_2x2(at, in_row, o, c->v_frequency); break;
            }
}
    }
}

/* Of so many slots the (input block, slot) pairs u0 … u1 - 1. */
static void transform(const conv *c, const place *places, int64_t u0, int64_t u1, int64_t slots, float *v)
{
    for (int64_t t0, t1; u0 < u1; u0 += t1 - t0) {
        const int64_t block = u0 / slots;
        t0 = u0 % slots, t1 = u1 - u0 < slots - t0 ? t0 + u1 - u0 : slots;
        transform_tiles(c, block, places, t0, t1, v + block * c->v_block + t0 * LANES);
    }
}

/* One frequency of 2 vectors x some tiles. The next weights are prefetched evenly: one touch per channel, ``pace`` bytes apart.
 * Sums of a stretch of channels are added to those before in m. */
static __attribute__((noinline)) void multiply_14(const conv *c, const float *v, const float *w, float *m, const char *ahead, int64_t pace)
{
    const int64_t blocks = c->in_blocks, last = c->in_last, v_block = c->v_block;
    for (int64_t done = 0, end; done < blocks; done = end) {
        vf a0_0_0 = vf_zero(), a0_0_1 = vf_zero(), a0_0_2 = vf_zero(), a0_0_3 = vf_zero(), a0_0_4 = vf_zero(), a0_0_5 = vf_zero(), a0_0_6 = vf_zero(), a0_0_7 = vf_zero(), a0_0_8 = vf_zero(), a0_0_9 = vf_zero(), a0_0_10 = vf_zero(), a0_0_11 = vf_zero(), a0_0_12 = vf_zero(), a0_0_13 = vf_zero();
        vf a1_0_0 = vf_zero(), a1_0_1 = vf_zero(), a1_0_2 = vf_zero(), a1_0_3 = vf_zero(), a1_0_4 = vf_zero(), a1_0_5 = vf_zero(), a1_0_6 = vf_zero(), a1_0_7 = vf_zero(), a1_0_8 = vf_zero(), a1_0_9 = vf_zero(), a1_0_10 = vf_zero(), a1_0_11 = vf_zero(), a1_0_12 = vf_zero(), a1_0_13 = vf_zero();
        end = blocks - done > 4 ? done + 4 : blocks;
        for (int64_t block = done + 1; block <= end; block++, v += v_block) {
            const float *x0 = v;
            for (int64_t i = block < blocks ? LANES : last; i; i -= 4, x0 += 4, w += 4 * PANEL) {
{
    __builtin_prefetch(ahead, 0, 2), ahead += pace;
    vf w0 = vf_load(w + 0 * LANES), w1 = vf_load(w + 1 * LANES);
    SOL_HOLD(w0); SOL_HOLD(w1);
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
    __builtin_prefetch(ahead, 0, 2), ahead += pace;
    vf w0 = vf_load(w + 2 * LANES), w1 = vf_load(w + 3 * LANES);
    SOL_HOLD(w0); SOL_HOLD(w1);
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
{
    __builtin_prefetch(ahead, 0, 2), ahead += pace;
    vf w0 = vf_load(w + 4 * LANES), w1 = vf_load(w + 5 * LANES);
    SOL_HOLD(w0); SOL_HOLD(w1);
    { VF_NUMBER(b, x0[0 * LANES + 2]); VF_ADD_PRODUCT(a0_0_0, w0, b); VF_ADD_PRODUCT(a1_0_0, w1, b); }
    { VF_NUMBER(b, x0[1 * LANES + 2]); VF_ADD_PRODUCT(a0_0_1, w0, b); VF_ADD_PRODUCT(a1_0_1, w1, b); }
    { VF_NUMBER(b, x0[2 * LANES + 2]); VF_ADD_PRODUCT(a0_0_2, w0, b); VF_ADD_PRODUCT(a1_0_2, w1, b); }
    { VF_NUMBER(b, x0[3 * LANES + 2]); VF_ADD_PRODUCT(a0_0_3, w0, b); VF_ADD_PRODUCT(a1_0_3, w1, b); }
    { VF_NUMBER(b, x0[4 * LANES + 2]); VF_ADD_PRODUCT(a0_0_4, w0, b); VF_ADD_PRODUCT(a1_0_4, w1, b); }
    { VF_NUMBER(b, x0[5 * LANES + 2]); VF_ADD_PRODUCT(a0_0_5, w0, b); VF_ADD_PRODUCT(a1_0_5, w1, b); }
    { VF_NUMBER(b, x0[6 * LANES + 2]); VF_ADD_PRODUCT(a0_0_6, w0, b); VF_ADD_PRODUCT(a1_0_6, w1, b); }
    { VF_NUMBER(b, x0[7 * LANES + 2]); VF_ADD_PRODUCT(a0_0_7, w0, b); VF_ADD_PRODUCT(a1_0_7, w1, b); }
    { VF_NUMBER(b, x0[8 * LANES + 2]); VF_ADD_PRODUCT(a0_0_8, w0, b); VF_ADD_PRODUCT(a1_0_8, w1, b); }
    { VF_NUMBER(b, x0[9 * LANES + 2]); VF_ADD_PRODUCT(a0_0_9, w0, b); VF_ADD_PRODUCT(a1_0_9, w1, b); }
    { VF_NUMBER(b, x0[10 * LANES + 2]); VF_ADD_PRODUCT(a0_0_10, w0, b); VF_ADD_PRODUCT(a1_0_10, w1, b); }
    { VF_NUMBER(b, x0[11 * LANES + 2]); VF_ADD_PRODUCT(a0_0_11, w0, b); VF_ADD_PRODUCT(a1_0_11, w1, b); }
    { VF_NUMBER(b, x0[12 * LANES + 2]); VF_ADD_PRODUCT(a0_0_12, w0, b); VF_ADD_PRODUCT(a1_0_12, w1, b); }
    { VF_NUMBER(b, x0[13 * LANES + 2]); VF_ADD_PRODUCT(a0_0_13, w0, b); VF_ADD_PRODUCT(a1_0_13, w1, b); }
}
SOL_FENCE();
{
    __builtin_prefetch(ahead, 0, 2), ahead += pace;
    vf w0 = vf_load(w + 6 * LANES), w1 = vf_load(w + 7 * LANES);
    SOL_HOLD(w0); SOL_HOLD(w1);
    { VF_NUMBER(b, x0[0 * LANES + 3]); VF_ADD_PRODUCT(a0_0_0, w0, b); VF_ADD_PRODUCT(a1_0_0, w1, b); }
    { VF_NUMBER(b, x0[1 * LANES + 3]); VF_ADD_PRODUCT(a0_0_1, w0, b); VF_ADD_PRODUCT(a1_0_1, w1, b); }
    { VF_NUMBER(b, x0[2 * LANES + 3]); VF_ADD_PRODUCT(a0_0_2, w0, b); VF_ADD_PRODUCT(a1_0_2, w1, b); }
    { VF_NUMBER(b, x0[3 * LANES + 3]); VF_ADD_PRODUCT(a0_0_3, w0, b); VF_ADD_PRODUCT(a1_0_3, w1, b); }
    { VF_NUMBER(b, x0[4 * LANES + 3]); VF_ADD_PRODUCT(a0_0_4, w0, b); VF_ADD_PRODUCT(a1_0_4, w1, b); }
    { VF_NUMBER(b, x0[5 * LANES + 3]); VF_ADD_PRODUCT(a0_0_5, w0, b); VF_ADD_PRODUCT(a1_0_5, w1, b); }
    { VF_NUMBER(b, x0[6 * LANES + 3]); VF_ADD_PRODUCT(a0_0_6, w0, b); VF_ADD_PRODUCT(a1_0_6, w1, b); }
    { VF_NUMBER(b, x0[7 * LANES + 3]); VF_ADD_PRODUCT(a0_0_7, w0, b); VF_ADD_PRODUCT(a1_0_7, w1, b); }
    { VF_NUMBER(b, x0[8 * LANES + 3]); VF_ADD_PRODUCT(a0_0_8, w0, b); VF_ADD_PRODUCT(a1_0_8, w1, b); }
    { VF_NUMBER(b, x0[9 * LANES + 3]); VF_ADD_PRODUCT(a0_0_9, w0, b); VF_ADD_PRODUCT(a1_0_9, w1, b); }
    { VF_NUMBER(b, x0[10 * LANES + 3]); VF_ADD_PRODUCT(a0_0_10, w0, b); VF_ADD_PRODUCT(a1_0_10, w1, b); }
    { VF_NUMBER(b, x0[11 * LANES + 3]); VF_ADD_PRODUCT(a0_0_11, w0, b); VF_ADD_PRODUCT(a1_0_11, w1, b); }
    { VF_NUMBER(b, x0[12 * LANES + 3]); VF_ADD_PRODUCT(a0_0_12, w0, b); VF_ADD_PRODUCT(a1_0_12, w1, b); }
    { VF_NUMBER(b, x0[13 * LANES + 3]); VF_ADD_PRODUCT(a0_0_13, w0, b); VF_ADD_PRODUCT(a1_0_13, w1, b); }
}
SOL_FENCE();
            }
        }
        if (done) a0_0_0 += vf_load(m + 0 * PANEL + 0 * LANES);
        vf_store(m + 0 * PANEL + 0 * LANES, a0_0_0);
        if (done) a1_0_0 += vf_load(m + 0 * PANEL + 1 * LANES);
        vf_store(m + 0 * PANEL + 1 * LANES, a1_0_0);
        if (done) a0_0_1 += vf_load(m + 1 * PANEL + 0 * LANES);
        vf_store(m + 1 * PANEL + 0 * LANES, a0_0_1);
        if (done) a1_0_1 += vf_load(m + 1 * PANEL + 1 * LANES);
        vf_store(m + 1 * PANEL + 1 * LANES, a1_0_1);
        if (done) a0_0_2 += vf_load(m + 2 * PANEL + 0 * LANES);
        vf_store(m + 2 * PANEL + 0 * LANES, a0_0_2);
        if (done) a1_0_2 += vf_load(m + 2 * PANEL + 1 * LANES);
        vf_store(m + 2 * PANEL + 1 * LANES, a1_0_2);
        if (done) a0_0_3 += vf_load(m + 3 * PANEL + 0 * LANES);
        vf_store(m + 3 * PANEL + 0 * LANES, a0_0_3);
        if (done) a1_0_3 += vf_load(m + 3 * PANEL + 1 * LANES);
        vf_store(m + 3 * PANEL + 1 * LANES, a1_0_3);
        if (done) a0_0_4 += vf_load(m + 4 * PANEL + 0 * LANES);
        vf_store(m + 4 * PANEL + 0 * LANES, a0_0_4);
        if (done) a1_0_4 += vf_load(m + 4 * PANEL + 1 * LANES);
        vf_store(m + 4 * PANEL + 1 * LANES, a1_0_4);
        if (done) a0_0_5 += vf_load(m + 5 * PANEL + 0 * LANES);
        vf_store(m + 5 * PANEL + 0 * LANES, a0_0_5);
        if (done) a1_0_5 += vf_load(m + 5 * PANEL + 1 * LANES);
        vf_store(m + 5 * PANEL + 1 * LANES, a1_0_5);
        if (done) a0_0_6 += vf_load(m + 6 * PANEL + 0 * LANES);
        vf_store(m + 6 * PANEL + 0 * LANES, a0_0_6);
        if (done) a1_0_6 += vf_load(m + 6 * PANEL + 1 * LANES);
        vf_store(m + 6 * PANEL + 1 * LANES, a1_0_6);
        if (done) a0_0_7 += vf_load(m + 7 * PANEL + 0 * LANES);
        vf_store(m + 7 * PANEL + 0 * LANES, a0_0_7);
        if (done) a1_0_7 += vf_load(m + 7 * PANEL + 1 * LANES);
        vf_store(m + 7 * PANEL + 1 * LANES, a1_0_7);
        if (done) a0_0_8 += vf_load(m + 8 * PANEL + 0 * LANES);
        vf_store(m + 8 * PANEL + 0 * LANES, a0_0_8);
        if (done) a1_0_8 += vf_load(m + 8 * PANEL + 1 * LANES);
        vf_store(m + 8 * PANEL + 1 * LANES, a1_0_8);
        if (done) a0_0_9 += vf_load(m + 9 * PANEL + 0 * LANES);
        vf_store(m + 9 * PANEL + 0 * LANES, a0_0_9);
        if (done) a1_0_9 += vf_load(m + 9 * PANEL + 1 * LANES);
        vf_store(m + 9 * PANEL + 1 * LANES, a1_0_9);
        if (done) a0_0_10 += vf_load(m + 10 * PANEL + 0 * LANES);
        vf_store(m + 10 * PANEL + 0 * LANES, a0_0_10);
        if (done) a1_0_10 += vf_load(m + 10 * PANEL + 1 * LANES);
        vf_store(m + 10 * PANEL + 1 * LANES, a1_0_10);
        if (done) a0_0_11 += vf_load(m + 11 * PANEL + 0 * LANES);
        vf_store(m + 11 * PANEL + 0 * LANES, a0_0_11);
        if (done) a1_0_11 += vf_load(m + 11 * PANEL + 1 * LANES);
        vf_store(m + 11 * PANEL + 1 * LANES, a1_0_11);
        if (done) a0_0_12 += vf_load(m + 12 * PANEL + 0 * LANES);
        vf_store(m + 12 * PANEL + 0 * LANES, a0_0_12);
        if (done) a1_0_12 += vf_load(m + 12 * PANEL + 1 * LANES);
        vf_store(m + 12 * PANEL + 1 * LANES, a1_0_12);
        if (done) a0_0_13 += vf_load(m + 13 * PANEL + 0 * LANES);
        vf_store(m + 13 * PANEL + 0 * LANES, a0_0_13);
        if (done) a1_0_13 += vf_load(m + 13 * PANEL + 1 * LANES);
        vf_store(m + 13 * PANEL + 1 * LANES, a1_0_13);
    }
}
static __attribute__((noinline)) void multiply_8(const conv *c, const float *v, const float *w, float *m, const char *ahead, int64_t pace)
{
    const int64_t blocks = c->in_blocks, last = c->in_last, v_block = c->v_block;
    for (int64_t done = 0, end; done < blocks; done = end) {
        vf a0_0_0 = vf_zero(), a0_0_1 = vf_zero(), a0_0_2 = vf_zero(), a0_0_3 = vf_zero(), a0_0_4 = vf_zero(), a0_0_5 = vf_zero(), a0_0_6 = vf_zero(), a0_0_7 = vf_zero();
        vf a1_0_0 = vf_zero(), a1_0_1 = vf_zero(), a1_0_2 = vf_zero(), a1_0_3 = vf_zero(), a1_0_4 = vf_zero(), a1_0_5 = vf_zero(), a1_0_6 = vf_zero(), a1_0_7 = vf_zero();
        end = blocks - done > 4 ? done + 4 : blocks;
        for (int64_t block = done + 1; block <= end; block++, v += v_block) {
            const float *x0 = v;
            for (int64_t i = block < blocks ? LANES : last; i; i -= 4, x0 += 4, w += 4 * PANEL) {
{
    __builtin_prefetch(ahead, 0, 2), ahead += pace;
    vf w0 = vf_load(w + 0 * LANES), w1 = vf_load(w + 1 * LANES);
    SOL_HOLD(w0); SOL_HOLD(w1);
    { VF_NUMBER(b, x0[0 * LANES + 0]); VF_ADD_PRODUCT(a0_0_0, w0, b); VF_ADD_PRODUCT(a1_0_0, w1, b); }
    { VF_NUMBER(b, x0[1 * LANES + 0]); VF_ADD_PRODUCT(a0_0_1, w0, b); VF_ADD_PRODUCT(a1_0_1, w1, b); }
    { VF_NUMBER(b, x0[2 * LANES + 0]); VF_ADD_PRODUCT(a0_0_2, w0, b); VF_ADD_PRODUCT(a1_0_2, w1, b); }
    { VF_NUMBER(b, x0[3 * LANES + 0]); VF_ADD_PRODUCT(a0_0_3, w0, b); VF_ADD_PRODUCT(a1_0_3, w1, b); }
    { VF_NUMBER(b, x0[4 * LANES + 0]); VF_ADD_PRODUCT(a0_0_4, w0, b); VF_ADD_PRODUCT(a1_0_4, w1, b); }
    { VF_NUMBER(b, x0[5 * LANES + 0]); VF_ADD_PRODUCT(a0_0_5, w0, b); VF_ADD_PRODUCT(a1_0_5, w1, b); }
    { VF_NUMBER(b, x0[6 * LANES + 0]); VF_ADD_PRODUCT(a0_0_6, w0, b); VF_ADD_PRODUCT(a1_0_6, w1, b); }
    { VF_NUMBER(b, x0[7 * LANES + 0]); VF_ADD_PRODUCT(a0_0_7, w0, b); VF_ADD_PRODUCT(a1_0_7, w1, b); }
}
SOL_FENCE();
{
    __builtin_prefetch(ahead, 0, 2), ahead += pace;
    vf w0 = vf_load(w + 2 * LANES), w1 = vf_load(w + 3 * LANES);
    SOL_HOLD(w0); SOL_HOLD(w1);
    { VF_NUMBER(b, x0[0 * LANES + 1]); VF_ADD_PRODUCT(a0_0_0, w0, b); VF_ADD_PRODUCT(a1_0_0, w1, b); }
    { VF_NUMBER(b, x0[1 * LANES + 1]); VF_ADD_PRODUCT(a0_0_1, w0, b); VF_ADD_PRODUCT(a1_0_1, w1, b); }
    { VF_NUMBER(b, x0[2 * LANES + 1]); VF_ADD_PRODUCT(a0_0_2, w0, b); VF_ADD_PRODUCT(a1_0_2, w1, b); }
    { VF_NUMBER(b, x0[3 * LANES + 1]); VF_ADD_PRODUCT(a0_0_3, w0, b); VF_ADD_PRODUCT(a1_0_3, w1, b); }
    { VF_NUMBER(b, x0[4 * LANES + 1]); VF_ADD_PRODUCT(a0_0_4, w0, b); VF_ADD_PRODUCT(a1_0_4, w1, b); }
    { VF_NUMBER(b, x0[5 * LANES + 1]); VF_ADD_PRODUCT(a0_0_5, w0, b); VF_ADD_PRODUCT(a1_0_5, w1, b); }
    { VF_NUMBER(b, x0[6 * LANES + 1]); VF_ADD_PRODUCT(a0_0_6, w0, b); VF_ADD_PRODUCT(a1_0_6, w1, b); }
    { VF_NUMBER(b, x0[7 * LANES + 1]); VF_ADD_PRODUCT(a0_0_7, w0, b); VF_ADD_PRODUCT(a1_0_7, w1, b); }
}
SOL_FENCE();
{
    __builtin_prefetch(ahead, 0, 2), ahead += pace;
    vf w0 = vf_load(w + 4 * LANES), w1 = vf_load(w + 5 * LANES);
    SOL_HOLD(w0); SOL_HOLD(w1);
    { VF_NUMBER(b, x0[0 * LANES + 2]); VF_ADD_PRODUCT(a0_0_0, w0, b); VF_ADD_PRODUCT(a1_0_0, w1, b); }
    { VF_NUMBER(b, x0[1 * LANES + 2]); VF_ADD_PRODUCT(a0_0_1, w0, b); VF_ADD_PRODUCT(a1_0_1, w1, b); }
    { VF_NUMBER(b, x0[2 * LANES + 2]); VF_ADD_PRODUCT(a0_0_2, w0, b); VF_ADD_PRODUCT(a1_0_2, w1, b); }
    { VF_NUMBER(b, x0[3 * LANES + 2]); VF_ADD_PRODUCT(a0_0_3, w0, b); VF_ADD_PRODUCT(a1_0_3, w1, b); }
    { VF_NUMBER(b, x0[4 * LANES + 2]); VF_ADD_PRODUCT(a0_0_4, w0, b); VF_ADD_PRODUCT(a1_0_4, w1, b); }
    { VF_NUMBER(b, x0[5 * LANES + 2]); VF_ADD_PRODUCT(a0_0_5, w0, b); VF_ADD_PRODUCT(a1_0_5, w1, b); }
    { VF_NUMBER(b, x0[6 * LANES + 2]); VF_ADD_PRODUCT(a0_0_6, w0, b); VF_ADD_PRODUCT(a1_0_6, w1, b); }
    { VF_NUMBER(b, x0[7 * LANES + 2]); VF_ADD_PRODUCT(a0_0_7, w0, b); VF_ADD_PRODUCT(a1_0_7, w1, b); }
}
SOL_FENCE();
{
    __builtin_prefetch(ahead, 0, 2), ahead += pace;
    vf w0 = vf_load(w + 6 * LANES), w1 = vf_load(w + 7 * LANES);
    SOL_HOLD(w0); SOL_HOLD(w1);
    { VF_NUMBER(b, x0[0 * LANES + 3]); VF_ADD_PRODUCT(a0_0_0, w0, b); VF_ADD_PRODUCT(a1_0_0, w1, b); }
    { VF_NUMBER(b, x0[1 * LANES + 3]); VF_ADD_PRODUCT(a0_0_1, w0, b); VF_ADD_PRODUCT(a1_0_1, w1, b); }
    { VF_NUMBER(b, x0[2 * LANES + 3]); VF_ADD_PRODUCT(a0_0_2, w0, b); VF_ADD_PRODUCT(a1_0_2, w1, b); }
    { VF_NUMBER(b, x0[3 * LANES + 3]); VF_ADD_PRODUCT(a0_0_3, w0, b); VF_ADD_PRODUCT(a1_0_3, w1, b); }
    { VF_NUMBER(b, x0[4 * LANES + 3]); VF_ADD_PRODUCT(a0_0_4, w0, b); VF_ADD_PRODUCT(a1_0_4, w1, b); }
    { VF_NUMBER(b, x0[5 * LANES + 3]); VF_ADD_PRODUCT(a0_0_5, w0, b); VF_ADD_PRODUCT(a1_0_5, w1, b); }
    { VF_NUMBER(b, x0[6 * LANES + 3]); VF_ADD_PRODUCT(a0_0_6, w0, b); VF_ADD_PRODUCT(a1_0_6, w1, b); }
    { VF_NUMBER(b, x0[7 * LANES + 3]); VF_ADD_PRODUCT(a0_0_7, w0, b); VF_ADD_PRODUCT(a1_0_7, w1, b); }
}
SOL_FENCE();
            }
        }
        if (done) a0_0_0 += vf_load(m + 0 * PANEL + 0 * LANES);
        vf_store(m + 0 * PANEL + 0 * LANES, a0_0_0);
        if (done) a1_0_0 += vf_load(m + 0 * PANEL + 1 * LANES);
        vf_store(m + 0 * PANEL + 1 * LANES, a1_0_0);
        if (done) a0_0_1 += vf_load(m + 1 * PANEL + 0 * LANES);
        vf_store(m + 1 * PANEL + 0 * LANES, a0_0_1);
        if (done) a1_0_1 += vf_load(m + 1 * PANEL + 1 * LANES);
        vf_store(m + 1 * PANEL + 1 * LANES, a1_0_1);
        if (done) a0_0_2 += vf_load(m + 2 * PANEL + 0 * LANES);
        vf_store(m + 2 * PANEL + 0 * LANES, a0_0_2);
        if (done) a1_0_2 += vf_load(m + 2 * PANEL + 1 * LANES);
        vf_store(m + 2 * PANEL + 1 * LANES, a1_0_2);
        if (done) a0_0_3 += vf_load(m + 3 * PANEL + 0 * LANES);
        vf_store(m + 3 * PANEL + 0 * LANES, a0_0_3);
        if (done) a1_0_3 += vf_load(m + 3 * PANEL + 1 * LANES);
        vf_store(m + 3 * PANEL + 1 * LANES, a1_0_3);
        if (done) a0_0_4 += vf_load(m + 4 * PANEL + 0 * LANES);
        vf_store(m + 4 * PANEL + 0 * LANES, a0_0_4);
        if (done) a1_0_4 += vf_load(m + 4 * PANEL + 1 * LANES);
        vf_store(m + 4 * PANEL + 1 * LANES, a1_0_4);
        if (done) a0_0_5 += vf_load(m + 5 * PANEL + 0 * LANES);
        vf_store(m + 5 * PANEL + 0 * LANES, a0_0_5);
        if (done) a1_0_5 += vf_load(m + 5 * PANEL + 1 * LANES);
        vf_store(m + 5 * PANEL + 1 * LANES, a1_0_5);
        if (done) a0_0_6 += vf_load(m + 6 * PANEL + 0 * LANES);
        vf_store(m + 6 * PANEL + 0 * LANES, a0_0_6);
        if (done) a1_0_6 += vf_load(m + 6 * PANEL + 1 * LANES);
        vf_store(m + 6 * PANEL + 1 * LANES, a1_0_6);
        if (done) a0_0_7 += vf_load(m + 7 * PANEL + 0 * LANES);
        vf_store(m + 7 * PANEL + 0 * LANES, a0_0_7);
        if (done) a1_0_7 += vf_load(m + 7 * PANEL + 1 * LANES);
        vf_store(m + 7 * PANEL + 1 * LANES, a1_0_7);
    }
}
static __attribute__((noinline)) void multiply_4(const conv *c, const float *v, const float *w, float *m, const char *ahead, int64_t pace)
{
    const int64_t blocks = c->in_blocks, last = c->in_last, v_block = c->v_block;
    for (int64_t done = 0, end; done < blocks; done = end) {
        vf a0_0_0 = vf_zero(), a0_0_1 = vf_zero(), a0_0_2 = vf_zero(), a0_0_3 = vf_zero();
        vf a1_0_0 = vf_zero(), a1_0_1 = vf_zero(), a1_0_2 = vf_zero(), a1_0_3 = vf_zero();
        end = blocks - done > 4 ? done + 4 : blocks;
        for (int64_t block = done + 1; block <= end; block++, v += v_block) {
            const float *x0 = v;
            for (int64_t i = block < blocks ? LANES : last; i; i -= 4, x0 += 4, w += 4 * PANEL) {
{
    __builtin_prefetch(ahead, 0, 2), ahead += pace;
    vf w0 = vf_load(w + 0 * LANES), w1 = vf_load(w + 1 * LANES);
    SOL_HOLD(w0); SOL_HOLD(w1);
    { VF_NUMBER(b, x0[0 * LANES + 0]); VF_ADD_PRODUCT(a0_0_0, w0, b); VF_ADD_PRODUCT(a1_0_0, w1, b); }
    { VF_NUMBER(b, x0[1 * LANES + 0]); VF_ADD_PRODUCT(a0_0_1, w0, b); VF_ADD_PRODUCT(a1_0_1, w1, b); }
    { VF_NUMBER(b, x0[2 * LANES + 0]); VF_ADD_PRODUCT(a0_0_2, w0, b); VF_ADD_PRODUCT(a1_0_2, w1, b); }
    { VF_NUMBER(b, x0[3 * LANES + 0]); VF_ADD_PRODUCT(a0_0_3, w0, b); VF_ADD_PRODUCT(a1_0_3, w1, b); }
}
SOL_FENCE();
{
    __builtin_prefetch(ahead, 0, 2), ahead += pace;
    vf w0 = vf_load(w + 2 * LANES), w1 = vf_load(w + 3 * LANES);
    SOL_HOLD(w0); SOL_HOLD(w1);
    { VF_NUMBER(b, x0[0 * LANES + 1]); VF_ADD_PRODUCT(a0_0_0, w0, b); VF_ADD_PRODUCT(a1_0_0, w1, b); }
    { VF_NUMBER(b, x0[1 * LANES + 1]); VF_ADD_PRODUCT(a0_0_1, w0, b); VF_ADD_PRODUCT(a1_0_1, w1, b); }
    { VF_NUMBER(b, x0[2 * LANES + 1]); VF_ADD_PRODUCT(a0_0_2, w0, b); VF_ADD_PRODUCT(a1_0_2, w1, b); }
    { VF_NUMBER(b, x0[3 * LANES + 1]); VF_ADD_PRODUCT(a0_0_3, w0, b); VF_ADD_PRODUCT(a1_0_3, w1, b); }
}
SOL_FENCE();
{
    __builtin_prefetch(ahead, 0, 2), ahead += pace;
    vf w0 = vf_load(w + 4 * LANES), w1 = vf_load(w + 5 * LANES);
    SOL_HOLD(w0); SOL_HOLD(w1);
    { VF_NUMBER(b, x0[0 * LANES + 2]); VF_ADD_PRODUCT(a0_0_0, w0, b); VF_ADD_PRODUCT(a1_0_0, w1, b); }
    { VF_NUMBER(b, x0[1 * LANES + 2]); VF_ADD_PRODUCT(a0_0_1, w0, b); VF_ADD_PRODUCT(a1_0_1, w1, b); }
    { VF_NUMBER(b, x0[2 * LANES + 2]); VF_ADD_PRODUCT(a0_0_2, w0, b); VF_ADD_PRODUCT(a1_0_2, w1, b); }
    { VF_NUMBER(b, x0[3 * LANES + 2]); VF_ADD_PRODUCT(a0_0_3, w0, b); VF_ADD_PRODUCT(a1_0_3, w1, b); }
}
SOL_FENCE();
{
    __builtin_prefetch(ahead, 0, 2), ahead += pace;
    vf w0 = vf_load(w + 6 * LANES), w1 = vf_load(w + 7 * LANES);
    SOL_HOLD(w0); SOL_HOLD(w1);
    { VF_NUMBER(b, x0[0 * LANES + 3]); VF_ADD_PRODUCT(a0_0_0, w0, b); VF_ADD_PRODUCT(a1_0_0, w1, b); }
    { VF_NUMBER(b, x0[1 * LANES + 3]); VF_ADD_PRODUCT(a0_0_1, w0, b); VF_ADD_PRODUCT(a1_0_1, w1, b); }
    { VF_NUMBER(b, x0[2 * LANES + 3]); VF_ADD_PRODUCT(a0_0_2, w0, b); VF_ADD_PRODUCT(a1_0_2, w1, b); }
    { VF_NUMBER(b, x0[3 * LANES + 3]); VF_ADD_PRODUCT(a0_0_3, w0, b); VF_ADD_PRODUCT(a1_0_3, w1, b); }
}
SOL_FENCE();
            }
        }
        if (done) a0_0_0 += vf_load(m + 0 * PANEL + 0 * LANES);
        vf_store(m + 0 * PANEL + 0 * LANES, a0_0_0);
        if (done) a1_0_0 += vf_load(m + 0 * PANEL + 1 * LANES);
        vf_store(m + 0 * PANEL + 1 * LANES, a1_0_0);
        if (done) a0_0_1 += vf_load(m + 1 * PANEL + 0 * LANES);
        vf_store(m + 1 * PANEL + 0 * LANES, a0_0_1);
        if (done) a1_0_1 += vf_load(m + 1 * PANEL + 1 * LANES);
        vf_store(m + 1 * PANEL + 1 * LANES, a1_0_1);
        if (done) a0_0_2 += vf_load(m + 2 * PANEL + 0 * LANES);
        vf_store(m + 2 * PANEL + 0 * LANES, a0_0_2);
        if (done) a1_0_2 += vf_load(m + 2 * PANEL + 1 * LANES);
        vf_store(m + 2 * PANEL + 1 * LANES, a1_0_2);
        if (done) a0_0_3 += vf_load(m + 3 * PANEL + 0 * LANES);
        vf_store(m + 3 * PANEL + 0 * LANES, a0_0_3);
        if (done) a1_0_3 += vf_load(m + 3 * PANEL + 1 * LANES);
        vf_store(m + 3 * PANEL + 1 * LANES, a1_0_3);
    }
}
static const unsigned char first[] = {0, 4, 4, 4, 4, 8, 8, 8, 8, 8, 8, 8, 8, 14, 14, 8, 8, 14, 14, 8, 8, 14, 14, 8, 8, 14, 14, 14}; /* width that starts the cheapest cover of so many tiles */

static inline int64_t next_width(int64_t tiles) { return tiles < 28 ? first[tiles] : 14; }

/* All frequencies of one channel group and slots t0 … t1 - 1; v: that of slot 0, m: that of slot t0. */
static void multiply(const conv *c, const spans *s, int64_t t0, int64_t t1, const float *v, const float *w, float *m)
{
    static const unsigned char kinds[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}; /* of each frequency, as in spans */
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
            int64_t alike = end[kind];
            width = next_width(alike - t);
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

/* out = epilogue(bias + A^T m A) for one vector of one tile of 2 x 2. */
static __attribute__((noinline)) void transform_output_2x2(const conv *c, const float *m, int64_t kb, const place *p)
{
    vf t[2][4];
        float *out = c->out + kb * c->out_cb + p->n * c->out_n + p->y * c->out_row + p->x * LANES;
    {
        const vf m0 = vf_load(m);
        m += 4 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 4 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 4 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        const vf sum1 = m1 + m2, difference1 = m1 - m2;
        t[0][0] = m0 + sum1;
        t[1][0] = difference1 + m3;
    }
    {
        m += -11 * c->m_frequency; SOL_PIN(m); const vf m0 = vf_load(m);
        m += 4 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 4 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 4 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        const vf sum1 = m1 + m2, difference1 = m1 - m2;
        t[0][1] = m0 + sum1;
        t[1][1] = difference1 + m3;
    }
    {
        m += -11 * c->m_frequency; SOL_PIN(m); const vf m0 = vf_load(m);
        m += 4 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 4 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 4 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        const vf sum1 = m1 + m2, difference1 = m1 - m2;
        t[0][2] = m0 + sum1;
        t[1][2] = difference1 + m3;
    }
    {
        m += -11 * c->m_frequency; SOL_PIN(m); const vf m0 = vf_load(m);
        m += 4 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 4 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 4 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        const vf sum1 = m1 + m2, difference1 = m1 - m2;
        t[0][3] = m0 + sum1;
        t[1][3] = difference1 + m3;
    }
    {
        const vf sum1 = t[0][1] + t[0][2], difference1 = t[0][1] - t[0][2];
        const vf y0 = t[0][0] + sum1;
        const vf y1 = difference1 + t[0][3];
        vf_store(out + 0 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 0 * c->out_row + 1 * LANES, finish(y1));
    }
    {
        const vf sum1 = t[1][1] + t[1][2], difference1 = t[1][1] - t[1][2];
        const vf y0 = t[1][0] + sum1;
        const vf y1 = difference1 + t[1][3];
        vf_store(out + 1 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 1 * c->out_row + 1 * LANES, finish(y1));
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
            case 0: transform_output_2x2(c, at, kb, p); break;
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
    const int64_t v_block = held * LANES, v_frequency = in_blocks * held * LANES + LINE, m_frequency = (block + 3) * PANEL + LINE;
    const int64_t w_frequency = ((in_blocks - 1) * LANES + in_last) * PANEL;
    float *const m = (float *)team->scratch, *const patch = m + FREQUENCIES * m_frequency, *const own = patch + 0;
    place *const places = (place *)(own + FREQUENCIES * (in_blocks * block * LANES + LINE) + 3 * LANES + (block + 3) * BESIDE);
    const conv c = {
        .in = in + in_start, .w = w, .out = out, .N = N, .OH = OH, .OW = OW, .vectors = vectors, .split_channels = split_channels,
        .block = block, .in_blocks = in_blocks, .in_last = in_last, .in_n = in_n, .in_cb = in_cb, .in_row = in_row, .in_start = in_start, .out_n = out_n,
        .out_cb = out_cb, .out_row = out_row, .rows = rows, .columns = columns, .w_frequency = w_frequency, .v_block = v_block, .v_frequency = v_frequency, .m_frequency = m_frequency,
    };
    spans s;
    if (tiles == 0) return;
    float *at = own;
    int64_t u0, u1, first = 0, last = tiles;
    if (by_channels && !alone) {
        at = (float *)team->shared_scratch;
        sol_split(team, in_blocks * tiles, &u0, &u1);
        survey(&c, 0, tiles, places, &s), transform(&c, places, u0, u1, tiles, at);
        sol_barrier(team);
        for (sol_share share = sol_share_of(team, groups * tiles, team->size); sol_share_take(&share, &u0, &u1);)
        for (int64_t t0, t1; u0 < u1; u0 += t1 - t0) {
            t0 = u0 % tiles, t1 = u1 - u0 < tiles - t0 ? t0 + u1 - u0 : tiles;
            if (t1 - t0 > block) t1 = t0 + block;
            finish_tiles(&c, u0 / tiles, places, &s, t0, t1, at, m);
        }
    } else {
        /* A share: (panel, tile) pairs u0 … u1 - 1 of those of tiles first … last - 1. */
        sol_share share = by_channels ? sol_fixed_share(team, groups * tiles, team->size) : sol_share_of(team, tiles, team->size);
        sol_share_at_least(&share, tiles / team->size < 2 * block ? tiles : (block + 1) / 2, block); /* for each block all weights are read */
        while (sol_share_take(&share, &u0, &u1)) {
            if (by_channels) {
                first = 0, last = tiles;
                if (u0 / tiles == (u1 - 1) / tiles) first = u0 % tiles, last = (u1 - 1) % tiles + 1;
            } else
            first = u0, last = u1, u0 = 0, u1 = groups * tiles;
            for (int64_t b0 = first, b1; b0 < last; b0 = b1) {
                b1 = last - b0 < block ? last : b0 + block;
                survey(&c, b0, b1, places, &s), transform(&c, places, 0, in_blocks * (b1 - b0), b1 - b0, at);
                for (int64_t kb = u0 / tiles; kb * tiles < u1; kb++) {
                    const int64_t from = kb * tiles, t0 = u0 - from > b0 ? u0 - from : b0, t1 = u1 - from < b1 ? u1 - from : b1;
                    if (t0 < t1) finish_tiles(&c, kb, places, &s, t0 - b0, t1 - b0, at, m);
                }
            }
        }
    }
}
