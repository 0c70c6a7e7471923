/* Winograd convolution F(3x4, 3x3) of bytes in whole numbers (kernels/winograd_words.py), NCHWc -> NCHWc, then cast_relu.
 *
 * A tile is 3 x 4 outputs, which depend on 5 x 6 inputs. Both are transformed to 30 frequencies, where the convolution is a product:
 *   v[frequency, c, tile] = B^T in B      m[frequency, tile, k] = sum over c of v * w      out = epilogue(bias + A^T m A)
 * The last row and column of tiles are shorter and lack some frequencies: tiles of 3x4, 3x2, 2x4, 2x2.
 *
 *   By tiles (many tiles):                    By channels (fewer than split_channels tiles per thread):
 *     block of this thread's tiles              all tiles: transform; each thread for itself, or if that is too much
 *       transform                                 work or memory, its share into shared memory, then a barrier
 *       channel group                           share of (channel group, tile) pairs
 *         products, transform back                products, transform back
 *
 *   products: per frequency a matrix product of 2 vectors x 6, 4, 2 tiles, the whole reduction in registers.
 *
 * w: [channel group][frequency][channel][2 * LANES]; v: [frequency][input block][slot][LANES]; m: [frequency][slot][2 * LANES].
 * A block's tiles take slots by kind, so that those which have a frequency are neighbours. Frequencies lie one line more
 * apart than they are long, lest their addresses be a power of two apart. The last product of a block may compute up to
 * 3 tiles too many: v and m have room for them.
 *
 * v and w hold words, those of w in pairs of channels. Products and sums, also those of the transform back, wrap around in 32 bits. */
#include "sol_team.h"
#include "sol_simd.h"
#include "sol_words.h"

enum { ROWS = 3, COLUMNS = 4, FREQUENCIES = 30, PANEL = 2 * LANES, LINE = 32, BESIDE = 0 };

typedef struct conv {
    const uint8_t *in;
    const int8_t *w;
    const int32_t *start;
    float *out;
    int64_t N, OH, OW, vectors, split_channels, block, in_blocks, in_last, in_n, in_cb, in_row, in_start, out_n, out_cb, out_row, start_cb;
    int64_t rows, columns, w_frequency, v_block, v_frequency, m_frequency;
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
            const int64_t kind = 2 * ((y + 1) * ROWS > c->OH) + ((x + 1) * COLUMNS > c->OW);
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

/* v = B^T in B for LANES channels of one tile of 3 x 4. */
static __attribute__((noinline)) void transform_input_3x4(const uint8_t *in, int64_t in_row, int16_t *v, int64_t v_frequency)
{
    const uint8_t *r0 = in, *r1 = r0 + in_row, *r2 = r1 + in_row, *r3 = r2 + in_row, *r4 = r3 + in_row;
    vw t[5][6];
    {
        const vw x0 = vw_load_bytes(r0 + 0 * LANES);
        const vw x1 = vw_load_bytes(r1 + 0 * LANES);
        const vw x2 = vw_load_bytes(r2 + 0 * LANES);
        const vw x3 = vw_load_bytes(r3 + 0 * LANES);
        const vw x4 = vw_load_bytes(r4 + 0 * LANES);
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        const vw d2 = x4 - x2;
        t[0][0] = d1 - 2 * d0;
        t[1][0] = d1 - x1 - x2;
        t[2][0] = x3 + 2 * x1 - 3 * x2;
        t[3][0] = d1;
        t[4][0] = d2 - 2 * d1;
    }
    {
        const vw x0 = vw_load_bytes(r0 + 1 * LANES);
        const vw x1 = vw_load_bytes(r1 + 1 * LANES);
        const vw x2 = vw_load_bytes(r2 + 1 * LANES);
        const vw x3 = vw_load_bytes(r3 + 1 * LANES);
        const vw x4 = vw_load_bytes(r4 + 1 * LANES);
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        const vw d2 = x4 - x2;
        t[0][1] = d1 - 2 * d0;
        t[1][1] = d1 - x1 - x2;
        t[2][1] = x3 + 2 * x1 - 3 * x2;
        t[3][1] = d1;
        t[4][1] = d2 - 2 * d1;
    }
    {
        const vw x0 = vw_load_bytes(r0 + 2 * LANES);
        const vw x1 = vw_load_bytes(r1 + 2 * LANES);
        const vw x2 = vw_load_bytes(r2 + 2 * LANES);
        const vw x3 = vw_load_bytes(r3 + 2 * LANES);
        const vw x4 = vw_load_bytes(r4 + 2 * LANES);
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        const vw d2 = x4 - x2;
        t[0][2] = d1 - 2 * d0;
        t[1][2] = d1 - x1 - x2;
        t[2][2] = x3 + 2 * x1 - 3 * x2;
        t[3][2] = d1;
        t[4][2] = d2 - 2 * d1;
    }
    {
        const vw x0 = vw_load_bytes(r0 + 3 * LANES);
        const vw x1 = vw_load_bytes(r1 + 3 * LANES);
        const vw x2 = vw_load_bytes(r2 + 3 * LANES);
        const vw x3 = vw_load_bytes(r3 + 3 * LANES);
        const vw x4 = vw_load_bytes(r4 + 3 * LANES);
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        const vw d2 = x4 - x2;
        t[0][3] = d1 - 2 * d0;
        t[1][3] = d1 - x1 - x2;
        t[2][3] = x3 + 2 * x1 - 3 * x2;
        t[3][3] = d1;
        t[4][3] = d2 - 2 * d1;
    }
    {
        const vw x0 = vw_load_bytes(r0 + 4 * LANES);
        const vw x1 = vw_load_bytes(r1 + 4 * LANES);
        const vw x2 = vw_load_bytes(r2 + 4 * LANES);
        const vw x3 = vw_load_bytes(r3 + 4 * LANES);
        const vw x4 = vw_load_bytes(r4 + 4 * LANES);
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        const vw d2 = x4 - x2;
        t[0][4] = d1 - 2 * d0;
        t[1][4] = d1 - x1 - x2;
        t[2][4] = x3 + 2 * x1 - 3 * x2;
        t[3][4] = d1;
        t[4][4] = d2 - 2 * d1;
    }
    {
        const vw x0 = vw_load_bytes(r0 + 5 * LANES);
        const vw x1 = vw_load_bytes(r1 + 5 * LANES);
        const vw x2 = vw_load_bytes(r2 + 5 * LANES);
        const vw x3 = vw_load_bytes(r3 + 5 * LANES);
        const vw x4 = vw_load_bytes(r4 + 5 * LANES);
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        const vw d2 = x4 - x2;
        t[0][5] = d1 - 2 * d0;
        t[1][5] = d1 - x1 - x2;
        t[2][5] = x3 + 2 * x1 - 3 * x2;
        t[3][5] = d1;
        t[4][5] = d2 - 2 * d1;
    }
    {
        vw y[6];
        const vw x0 = t[0][0];
        const vw x1 = t[0][1];
        const vw x2 = t[0][2];
        const vw x3 = t[0][3];
        const vw x4 = t[0][4];
        const vw x5 = t[0][5];
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        const vw d2 = x4 - x2;
        const vw d3 = x5 - x3;
        y[0] = 3 * d1 + 2 * d2 - 2 * d0;
        y[3] = 2 * d2 - d1;
        y[4] = d2 + 2 * d1;
        y[5] = 3 * d2 + 2 * d3 - 2 * d1;
        const vw even1 = 3 * x3 + 2 * d2, odd1 = 3 * x2 + 2 * d1;
        y[1] = even1 + odd1;
        y[2] = even1 - odd1;
        vw_store(v, y[0]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[1]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[2]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[3]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[4]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[5]);
    }
    {
        vw y[6];
        const vw x0 = t[1][0];
        const vw x1 = t[1][1];
        const vw x2 = t[1][2];
        const vw x3 = t[1][3];
        const vw x4 = t[1][4];
        const vw x5 = t[1][5];
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        const vw d2 = x4 - x2;
        const vw d3 = x5 - x3;
        y[0] = 3 * d1 + 2 * d2 - 2 * d0;
        y[3] = 2 * d2 - d1;
        y[4] = d2 + 2 * d1;
        y[5] = 3 * d2 + 2 * d3 - 2 * d1;
        const vw even1 = 3 * x3 + 2 * d2, odd1 = 3 * x2 + 2 * d1;
        y[1] = even1 + odd1;
        y[2] = even1 - odd1;
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[0]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[1]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[2]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[3]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[4]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[5]);
    }
    {
        vw y[6];
        const vw x0 = t[2][0];
        const vw x1 = t[2][1];
        const vw x2 = t[2][2];
        const vw x3 = t[2][3];
        const vw x4 = t[2][4];
        const vw x5 = t[2][5];
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        const vw d2 = x4 - x2;
        const vw d3 = x5 - x3;
        y[0] = 3 * d1 + 2 * d2 - 2 * d0;
        y[3] = 2 * d2 - d1;
        y[4] = d2 + 2 * d1;
        y[5] = 3 * d2 + 2 * d3 - 2 * d1;
        const vw even1 = 3 * x3 + 2 * d2, odd1 = 3 * x2 + 2 * d1;
        y[1] = even1 + odd1;
        y[2] = even1 - odd1;
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[0]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[1]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[2]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[3]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[4]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[5]);
    }
    {
        vw y[6];
        const vw x0 = t[3][0];
        const vw x1 = t[3][1];
        const vw x2 = t[3][2];
        const vw x3 = t[3][3];
        const vw x4 = t[3][4];
        const vw x5 = t[3][5];
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        const vw d2 = x4 - x2;
        const vw d3 = x5 - x3;
        y[0] = 3 * d1 + 2 * d2 - 2 * d0;
        y[3] = 2 * d2 - d1;
        y[4] = d2 + 2 * d1;
        y[5] = 3 * d2 + 2 * d3 - 2 * d1;
        const vw even1 = 3 * x3 + 2 * d2, odd1 = 3 * x2 + 2 * d1;
        y[1] = even1 + odd1;
        y[2] = even1 - odd1;
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[0]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[1]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[2]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[3]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[4]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[5]);
    }
    {
        vw y[6];
        const vw x0 = t[4][0];
        const vw x1 = t[4][1];
        const vw x2 = t[4][2];
        const vw x3 = t[4][3];
        const vw x4 = t[4][4];
        const vw x5 = t[4][5];
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        const vw d2 = x4 - x2;
        const vw d3 = x5 - x3;
        y[0] = 3 * d1 + 2 * d2 - 2 * d0;
        y[3] = 2 * d2 - d1;
        y[4] = d2 + 2 * d1;
        y[5] = 3 * d2 + 2 * d3 - 2 * d1;
        const vw even1 = 3 * x3 + 2 * d2, odd1 = 3 * x2 + 2 * d1;
        y[1] = even1 + odd1;
        y[2] = even1 - odd1;
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[0]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[1]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[2]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[3]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[4]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[5]);
    }
}

/* v = B^T in B for LANES channels of one tile of 3 x 2. */
static __attribute__((noinline)) void transform_input_3x2(const uint8_t *in, int64_t in_row, int16_t *v, int64_t v_frequency)
{
    const uint8_t *r0 = in, *r1 = r0 + in_row, *r2 = r1 + in_row, *r3 = r2 + in_row, *r4 = r3 + in_row;
    vw t[5][4];
    {
        const vw x0 = vw_load_bytes(r0 + 0 * LANES);
        const vw x1 = vw_load_bytes(r1 + 0 * LANES);
        const vw x2 = vw_load_bytes(r2 + 0 * LANES);
        const vw x3 = vw_load_bytes(r3 + 0 * LANES);
        const vw x4 = vw_load_bytes(r4 + 0 * LANES);
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        const vw d2 = x4 - x2;
        t[0][0] = d1 - 2 * d0;
        t[1][0] = d1 - x1 - x2;
        t[2][0] = x3 + 2 * x1 - 3 * x2;
        t[3][0] = d1;
        t[4][0] = d2 - 2 * d1;
    }
    {
        const vw x0 = vw_load_bytes(r0 + 1 * LANES);
        const vw x1 = vw_load_bytes(r1 + 1 * LANES);
        const vw x2 = vw_load_bytes(r2 + 1 * LANES);
        const vw x3 = vw_load_bytes(r3 + 1 * LANES);
        const vw x4 = vw_load_bytes(r4 + 1 * LANES);
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        const vw d2 = x4 - x2;
        t[0][1] = d1 - 2 * d0;
        t[1][1] = d1 - x1 - x2;
        t[2][1] = x3 + 2 * x1 - 3 * x2;
        t[3][1] = d1;
        t[4][1] = d2 - 2 * d1;
    }
    {
        const vw x0 = vw_load_bytes(r0 + 2 * LANES);
        const vw x1 = vw_load_bytes(r1 + 2 * LANES);
        const vw x2 = vw_load_bytes(r2 + 2 * LANES);
        const vw x3 = vw_load_bytes(r3 + 2 * LANES);
        const vw x4 = vw_load_bytes(r4 + 2 * LANES);
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        const vw d2 = x4 - x2;
        t[0][2] = d1 - 2 * d0;
        t[1][2] = d1 - x1 - x2;
        t[2][2] = x3 + 2 * x1 - 3 * x2;
        t[3][2] = d1;
        t[4][2] = d2 - 2 * d1;
    }
    {
        const vw x0 = vw_load_bytes(r0 + 3 * LANES);
        const vw x1 = vw_load_bytes(r1 + 3 * LANES);
        const vw x2 = vw_load_bytes(r2 + 3 * LANES);
        const vw x3 = vw_load_bytes(r3 + 3 * LANES);
        const vw x4 = vw_load_bytes(r4 + 3 * LANES);
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        const vw d2 = x4 - x2;
        t[0][3] = d1 - 2 * d0;
        t[1][3] = d1 - x1 - x2;
        t[2][3] = x3 + 2 * x1 - 3 * x2;
        t[3][3] = d1;
        t[4][3] = d2 - 2 * d1;
    }
    {
        vw y[4];
        const vw x0 = t[0][0];
        const vw x1 = t[0][1];
        const vw x2 = t[0][2];
        const vw x3 = t[0][3];
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        y[0] = -d0;
        y[1] = x1 + x2;
        y[2] = x1 - x2;
        y[3] = d1;
        vw_store(v, y[0]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[1]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[2]);
        v += 3 * v_frequency; SOL_PIN(v); vw_store(v, y[3]);
    }
    {
        vw y[4];
        const vw x0 = t[1][0];
        const vw x1 = t[1][1];
        const vw x2 = t[1][2];
        const vw x3 = t[1][3];
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        y[0] = -d0;
        y[1] = x1 + x2;
        y[2] = x1 - x2;
        y[3] = d1;
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[0]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[1]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[2]);
        v += 3 * v_frequency; SOL_PIN(v); vw_store(v, y[3]);
    }
    {
        vw y[4];
        const vw x0 = t[2][0];
        const vw x1 = t[2][1];
        const vw x2 = t[2][2];
        const vw x3 = t[2][3];
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        y[0] = -d0;
        y[1] = x1 + x2;
        y[2] = x1 - x2;
        y[3] = d1;
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[0]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[1]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[2]);
        v += 3 * v_frequency; SOL_PIN(v); vw_store(v, y[3]);
    }
    {
        vw y[4];
        const vw x0 = t[3][0];
        const vw x1 = t[3][1];
        const vw x2 = t[3][2];
        const vw x3 = t[3][3];
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        y[0] = -d0;
        y[1] = x1 + x2;
        y[2] = x1 - x2;
        y[3] = d1;
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[0]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[1]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[2]);
        v += 3 * v_frequency; SOL_PIN(v); vw_store(v, y[3]);
    }
    {
        vw y[4];
        const vw x0 = t[4][0];
        const vw x1 = t[4][1];
        const vw x2 = t[4][2];
        const vw x3 = t[4][3];
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        y[0] = -d0;
        y[1] = x1 + x2;
        y[2] = x1 - x2;
        y[3] = d1;
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[0]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[1]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[2]);
        v += 3 * v_frequency; SOL_PIN(v); vw_store(v, y[3]);
    }
}

/* v = B^T in B for LANES channels of one tile of 2 x 4. */
static __attribute__((noinline)) void transform_input_2x4(const uint8_t *in, int64_t in_row, int16_t *v, int64_t v_frequency)
{
    const uint8_t *r0 = in, *r1 = r0 + in_row, *r2 = r1 + in_row, *r3 = r2 + in_row;
    vw t[4][6];
    {
        const vw x0 = vw_load_bytes(r0 + 0 * LANES);
        const vw x1 = vw_load_bytes(r1 + 0 * LANES);
        const vw x2 = vw_load_bytes(r2 + 0 * LANES);
        const vw x3 = vw_load_bytes(r3 + 0 * LANES);
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        t[0][0] = -d0;
        t[1][0] = -x1 - x2;
        t[2][0] = x1 - x2;
        t[3][0] = d1;
    }
    {
        const vw x0 = vw_load_bytes(r0 + 1 * LANES);
        const vw x1 = vw_load_bytes(r1 + 1 * LANES);
        const vw x2 = vw_load_bytes(r2 + 1 * LANES);
        const vw x3 = vw_load_bytes(r3 + 1 * LANES);
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        t[0][1] = -d0;
        t[1][1] = -x1 - x2;
        t[2][1] = x1 - x2;
        t[3][1] = d1;
    }
    {
        const vw x0 = vw_load_bytes(r0 + 2 * LANES);
        const vw x1 = vw_load_bytes(r1 + 2 * LANES);
        const vw x2 = vw_load_bytes(r2 + 2 * LANES);
        const vw x3 = vw_load_bytes(r3 + 2 * LANES);
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        t[0][2] = -d0;
        t[1][2] = -x1 - x2;
        t[2][2] = x1 - x2;
        t[3][2] = d1;
    }
    {
        const vw x0 = vw_load_bytes(r0 + 3 * LANES);
        const vw x1 = vw_load_bytes(r1 + 3 * LANES);
        const vw x2 = vw_load_bytes(r2 + 3 * LANES);
        const vw x3 = vw_load_bytes(r3 + 3 * LANES);
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        t[0][3] = -d0;
        t[1][3] = -x1 - x2;
        t[2][3] = x1 - x2;
        t[3][3] = d1;
    }
    {
        const vw x0 = vw_load_bytes(r0 + 4 * LANES);
        const vw x1 = vw_load_bytes(r1 + 4 * LANES);
        const vw x2 = vw_load_bytes(r2 + 4 * LANES);
        const vw x3 = vw_load_bytes(r3 + 4 * LANES);
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        t[0][4] = -d0;
        t[1][4] = -x1 - x2;
        t[2][4] = x1 - x2;
        t[3][4] = d1;
    }
    {
        const vw x0 = vw_load_bytes(r0 + 5 * LANES);
        const vw x1 = vw_load_bytes(r1 + 5 * LANES);
        const vw x2 = vw_load_bytes(r2 + 5 * LANES);
        const vw x3 = vw_load_bytes(r3 + 5 * LANES);
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        t[0][5] = -d0;
        t[1][5] = -x1 - x2;
        t[2][5] = x1 - x2;
        t[3][5] = d1;
    }
    {
        vw y[6];
        const vw x0 = t[0][0];
        const vw x1 = t[0][1];
        const vw x2 = t[0][2];
        const vw x3 = t[0][3];
        const vw x4 = t[0][4];
        const vw x5 = t[0][5];
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        const vw d2 = x4 - x2;
        const vw d3 = x5 - x3;
        y[0] = 3 * d1 + 2 * d2 - 2 * d0;
        y[3] = 2 * d2 - d1;
        y[4] = d2 + 2 * d1;
        y[5] = 3 * d2 + 2 * d3 - 2 * d1;
        const vw even1 = 3 * x3 + 2 * d2, odd1 = 3 * x2 + 2 * d1;
        y[1] = even1 + odd1;
        y[2] = even1 - odd1;
        vw_store(v, y[0]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[1]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[2]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[3]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[4]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[5]);
    }
    {
        vw y[6];
        const vw x0 = t[1][0];
        const vw x1 = t[1][1];
        const vw x2 = t[1][2];
        const vw x3 = t[1][3];
        const vw x4 = t[1][4];
        const vw x5 = t[1][5];
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        const vw d2 = x4 - x2;
        const vw d3 = x5 - x3;
        y[0] = 3 * d1 + 2 * d2 - 2 * d0;
        y[3] = 2 * d2 - d1;
        y[4] = d2 + 2 * d1;
        y[5] = 3 * d2 + 2 * d3 - 2 * d1;
        const vw even1 = 3 * x3 + 2 * d2, odd1 = 3 * x2 + 2 * d1;
        y[1] = even1 + odd1;
        y[2] = even1 - odd1;
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[0]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[1]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[2]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[3]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[4]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[5]);
    }
    {
        vw y[6];
        const vw x0 = t[2][0];
        const vw x1 = t[2][1];
        const vw x2 = t[2][2];
        const vw x3 = t[2][3];
        const vw x4 = t[2][4];
        const vw x5 = t[2][5];
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        const vw d2 = x4 - x2;
        const vw d3 = x5 - x3;
        y[0] = 3 * d1 + 2 * d2 - 2 * d0;
        y[3] = 2 * d2 - d1;
        y[4] = d2 + 2 * d1;
        y[5] = 3 * d2 + 2 * d3 - 2 * d1;
        const vw even1 = 3 * x3 + 2 * d2, odd1 = 3 * x2 + 2 * d1;
        y[1] = even1 + odd1;
        y[2] = even1 - odd1;
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[0]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[1]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[2]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[3]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[4]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[5]);
    }
    {
        vw y[6];
        const vw x0 = t[3][0];
        const vw x1 = t[3][1];
        const vw x2 = t[3][2];
        const vw x3 = t[3][3];
        const vw x4 = t[3][4];
        const vw x5 = t[3][5];
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        const vw d2 = x4 - x2;
        const vw d3 = x5 - x3;
        y[0] = 3 * d1 + 2 * d2 - 2 * d0;
        y[3] = 2 * d2 - d1;
        y[4] = d2 + 2 * d1;
        y[5] = 3 * d2 + 2 * d3 - 2 * d1;
        const vw even1 = 3 * x3 + 2 * d2, odd1 = 3 * x2 + 2 * d1;
        y[1] = even1 + odd1;
        y[2] = even1 - odd1;
        v += 7 * v_frequency; SOL_PIN(v); vw_store(v, y[0]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[1]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[2]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[3]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[4]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[5]);
    }
}

/* v = B^T in B for LANES channels of one tile of 2 x 2. */
static __attribute__((noinline)) void transform_input_2x2(const uint8_t *in, int64_t in_row, int16_t *v, int64_t v_frequency)
{
    const uint8_t *r0 = in, *r1 = r0 + in_row, *r2 = r1 + in_row, *r3 = r2 + in_row;
    vw t[4][4];
    {
        const vw x0 = vw_load_bytes(r0 + 0 * LANES);
        const vw x1 = vw_load_bytes(r1 + 0 * LANES);
        const vw x2 = vw_load_bytes(r2 + 0 * LANES);
        const vw x3 = vw_load_bytes(r3 + 0 * LANES);
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        t[0][0] = -d0;
        t[1][0] = -x1 - x2;
        t[2][0] = x1 - x2;
        t[3][0] = d1;
    }
    {
        const vw x0 = vw_load_bytes(r0 + 1 * LANES);
        const vw x1 = vw_load_bytes(r1 + 1 * LANES);
        const vw x2 = vw_load_bytes(r2 + 1 * LANES);
        const vw x3 = vw_load_bytes(r3 + 1 * LANES);
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        t[0][1] = -d0;
        t[1][1] = -x1 - x2;
        t[2][1] = x1 - x2;
        t[3][1] = d1;
    }
    {
        const vw x0 = vw_load_bytes(r0 + 2 * LANES);
        const vw x1 = vw_load_bytes(r1 + 2 * LANES);
        const vw x2 = vw_load_bytes(r2 + 2 * LANES);
        const vw x3 = vw_load_bytes(r3 + 2 * LANES);
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        t[0][2] = -d0;
        t[1][2] = -x1 - x2;
        t[2][2] = x1 - x2;
        t[3][2] = d1;
    }
    {
        const vw x0 = vw_load_bytes(r0 + 3 * LANES);
        const vw x1 = vw_load_bytes(r1 + 3 * LANES);
        const vw x2 = vw_load_bytes(r2 + 3 * LANES);
        const vw x3 = vw_load_bytes(r3 + 3 * LANES);
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        t[0][3] = -d0;
        t[1][3] = -x1 - x2;
        t[2][3] = x1 - x2;
        t[3][3] = d1;
    }
    {
        vw y[4];
        const vw x0 = t[0][0];
        const vw x1 = t[0][1];
        const vw x2 = t[0][2];
        const vw x3 = t[0][3];
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        y[0] = -d0;
        y[1] = x1 + x2;
        y[2] = x1 - x2;
        y[3] = d1;
        vw_store(v, y[0]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[1]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[2]);
        v += 3 * v_frequency; SOL_PIN(v); vw_store(v, y[3]);
    }
    {
        vw y[4];
        const vw x0 = t[1][0];
        const vw x1 = t[1][1];
        const vw x2 = t[1][2];
        const vw x3 = t[1][3];
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        y[0] = -d0;
        y[1] = x1 + x2;
        y[2] = x1 - x2;
        y[3] = d1;
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[0]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[1]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[2]);
        v += 3 * v_frequency; SOL_PIN(v); vw_store(v, y[3]);
    }
    {
        vw y[4];
        const vw x0 = t[2][0];
        const vw x1 = t[2][1];
        const vw x2 = t[2][2];
        const vw x3 = t[2][3];
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        y[0] = -d0;
        y[1] = x1 + x2;
        y[2] = x1 - x2;
        y[3] = d1;
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[0]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[1]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[2]);
        v += 3 * v_frequency; SOL_PIN(v); vw_store(v, y[3]);
    }
    {
        vw y[4];
        const vw x0 = t[3][0];
        const vw x1 = t[3][1];
        const vw x2 = t[3][2];
        const vw x3 = t[3][3];
        const vw d0 = x2 - x0;
        const vw d1 = x3 - x1;
        y[0] = -d0;
        y[1] = x1 + x2;
        y[2] = x1 - x2;
        y[3] = d1;
        v += 7 * v_frequency; SOL_PIN(v); vw_store(v, y[0]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[1]);
        v += 1 * v_frequency; SOL_PIN(v); vw_store(v, y[2]);
        v += 3 * v_frequency; SOL_PIN(v); vw_store(v, y[3]);
    }
}

/* Slots t0 … t1 - 1, one input block. v: that of slot t0. */
static void transform_tiles(const conv *c, int64_t first, const place *places, int64_t t0, int64_t t1, int16_t *v)
{
    for (; t0 < t1; t0++, v += LANES) {
        const place p = places[t0];
        const int64_t in_row = c->in_row, in_cb = c->in_cb;
        const uint8_t *at = c->in + first * in_cb + p.n * c->in_n + p.y * in_row + p.x * LANES;
        int16_t *o = v;
        for (int64_t block = first; block < first + 1; block++, at += in_cb, o += c->v_block) {
            switch (p.kind) {
            case 0: transform_input_3x4(at, in_row, o, c->v_frequency); break;
            case 1: transform_input_3x2(at, in_row, o, c->v_frequency); break;
            case 2: transform_input_2x4(at, in_row, o, c->v_frequency); break;
            case 3: transform_input_2x2(at, in_row, o, c->v_frequency); break;
            }
}
    }
}

/* Of so many slots the (input block, slot) pairs u0 … u1 - 1. */
static void transform(const conv *c, const place *places, int64_t u0, int64_t u1, int64_t slots, int16_t *v)
{
    for (int64_t t0, t1; u0 < u1; u0 += t1 - t0) {
        const int64_t block = u0 / slots;
        t0 = u0 % slots, t1 = u1 - u0 < slots - t0 ? t0 + u1 - u0 : slots;
        transform_tiles(c, block, places, t0, t1, v + block * c->v_block + t0 * LANES);
    }
}

/* One frequency of 2 vectors x some tiles. The next weights are prefetched evenly: one touch per pair of channels, ``pace`` bytes apart. */
static __attribute__((noinline)) void multiply_6(const conv *c, const int16_t *v, const int16_t *w, int32_t *m, const char *ahead, int64_t pace)
{
    const int64_t blocks = c->in_blocks, last = c->in_last, v_block = c->v_block;
    vi a0_0 = {0}, a0_1 = {0}, a0_2 = {0}, a0_3 = {0}, a0_4 = {0}, a0_5 = {0}, a1_0 = {0}, a1_1 = {0}, a1_2 = {0}, a1_3 = {0}, a1_4 = {0}, a1_5 = {0};
    for (int64_t block = 1; block <= blocks; block++, v += v_block) {
        const int16_t *x0 = v;
        for (int64_t i = block < blocks ? LANES : last; i; i -= 4, x0 += 4, w += 4 * PANEL) {
            {
                const vi w0 = vi_load((const int32_t *)(w + 0 * LANES)), w1 = vi_load((const int32_t *)(w + 2 * LANES));
                __builtin_prefetch(ahead, 0, 2), ahead += pace;
                { vi b = vi_set(sol_dword(x0 + 0 * LANES)); SOL_HOLD(b); a0_0 = vi_madd(a0_0, b, w0); a1_0 = vi_madd(a1_0, b, w1); }
                { vi b = vi_set(sol_dword(x0 + 1 * LANES)); SOL_HOLD(b); a0_1 = vi_madd(a0_1, b, w0); a1_1 = vi_madd(a1_1, b, w1); }
                { vi b = vi_set(sol_dword(x0 + 2 * LANES)); SOL_HOLD(b); a0_2 = vi_madd(a0_2, b, w0); a1_2 = vi_madd(a1_2, b, w1); }
                { vi b = vi_set(sol_dword(x0 + 3 * LANES)); SOL_HOLD(b); a0_3 = vi_madd(a0_3, b, w0); a1_3 = vi_madd(a1_3, b, w1); }
                { vi b = vi_set(sol_dword(x0 + 4 * LANES)); SOL_HOLD(b); a0_4 = vi_madd(a0_4, b, w0); a1_4 = vi_madd(a1_4, b, w1); }
                { vi b = vi_set(sol_dword(x0 + 5 * LANES)); SOL_HOLD(b); a0_5 = vi_madd(a0_5, b, w0); a1_5 = vi_madd(a1_5, b, w1); }
            }
            SOL_FENCE();
            {
                const vi w0 = vi_load((const int32_t *)(w + 4 * LANES)), w1 = vi_load((const int32_t *)(w + 6 * LANES));
                __builtin_prefetch(ahead, 0, 2), ahead += pace;
                { vi b = vi_set(sol_dword(x0 + 0 * LANES + 2)); SOL_HOLD(b); a0_0 = vi_madd(a0_0, b, w0); a1_0 = vi_madd(a1_0, b, w1); }
                { vi b = vi_set(sol_dword(x0 + 1 * LANES + 2)); SOL_HOLD(b); a0_1 = vi_madd(a0_1, b, w0); a1_1 = vi_madd(a1_1, b, w1); }
                { vi b = vi_set(sol_dword(x0 + 2 * LANES + 2)); SOL_HOLD(b); a0_2 = vi_madd(a0_2, b, w0); a1_2 = vi_madd(a1_2, b, w1); }
                { vi b = vi_set(sol_dword(x0 + 3 * LANES + 2)); SOL_HOLD(b); a0_3 = vi_madd(a0_3, b, w0); a1_3 = vi_madd(a1_3, b, w1); }
                { vi b = vi_set(sol_dword(x0 + 4 * LANES + 2)); SOL_HOLD(b); a0_4 = vi_madd(a0_4, b, w0); a1_4 = vi_madd(a1_4, b, w1); }
                { vi b = vi_set(sol_dword(x0 + 5 * LANES + 2)); SOL_HOLD(b); a0_5 = vi_madd(a0_5, b, w0); a1_5 = vi_madd(a1_5, b, w1); }
            }
            SOL_FENCE();
        }
    }
    vi_store(m + 0 * PANEL + 0 * LANES, a0_0);
    vi_store(m + 0 * PANEL + 1 * LANES, a1_0);
    vi_store(m + 1 * PANEL + 0 * LANES, a0_1);
    vi_store(m + 1 * PANEL + 1 * LANES, a1_1);
    vi_store(m + 2 * PANEL + 0 * LANES, a0_2);
    vi_store(m + 2 * PANEL + 1 * LANES, a1_2);
    vi_store(m + 3 * PANEL + 0 * LANES, a0_3);
    vi_store(m + 3 * PANEL + 1 * LANES, a1_3);
    vi_store(m + 4 * PANEL + 0 * LANES, a0_4);
    vi_store(m + 4 * PANEL + 1 * LANES, a1_4);
    vi_store(m + 5 * PANEL + 0 * LANES, a0_5);
    vi_store(m + 5 * PANEL + 1 * LANES, a1_5);
}
static __attribute__((noinline)) void multiply_4(const conv *c, const int16_t *v, const int16_t *w, int32_t *m, const char *ahead, int64_t pace)
{
    const int64_t blocks = c->in_blocks, last = c->in_last, v_block = c->v_block;
    vi a0_0 = {0}, a0_1 = {0}, a0_2 = {0}, a0_3 = {0}, a1_0 = {0}, a1_1 = {0}, a1_2 = {0}, a1_3 = {0};
    for (int64_t block = 1; block <= blocks; block++, v += v_block) {
        const int16_t *x0 = v;
        for (int64_t i = block < blocks ? LANES : last; i; i -= 4, x0 += 4, w += 4 * PANEL) {
            {
                const vi w0 = vi_load((const int32_t *)(w + 0 * LANES)), w1 = vi_load((const int32_t *)(w + 2 * LANES));
                __builtin_prefetch(ahead, 0, 2), ahead += pace;
                { vi b = vi_set(sol_dword(x0 + 0 * LANES)); SOL_HOLD(b); a0_0 = vi_madd(a0_0, b, w0); a1_0 = vi_madd(a1_0, b, w1); }
                { vi b = vi_set(sol_dword(x0 + 1 * LANES)); SOL_HOLD(b); a0_1 = vi_madd(a0_1, b, w0); a1_1 = vi_madd(a1_1, b, w1); }
                { vi b = vi_set(sol_dword(x0 + 2 * LANES)); SOL_HOLD(b); a0_2 = vi_madd(a0_2, b, w0); a1_2 = vi_madd(a1_2, b, w1); }
                { vi b = vi_set(sol_dword(x0 + 3 * LANES)); SOL_HOLD(b); a0_3 = vi_madd(a0_3, b, w0); a1_3 = vi_madd(a1_3, b, w1); }
            }
            SOL_FENCE();
            {
                const vi w0 = vi_load((const int32_t *)(w + 4 * LANES)), w1 = vi_load((const int32_t *)(w + 6 * LANES));
                __builtin_prefetch(ahead, 0, 2), ahead += pace;
                { vi b = vi_set(sol_dword(x0 + 0 * LANES + 2)); SOL_HOLD(b); a0_0 = vi_madd(a0_0, b, w0); a1_0 = vi_madd(a1_0, b, w1); }
                { vi b = vi_set(sol_dword(x0 + 1 * LANES + 2)); SOL_HOLD(b); a0_1 = vi_madd(a0_1, b, w0); a1_1 = vi_madd(a1_1, b, w1); }
                { vi b = vi_set(sol_dword(x0 + 2 * LANES + 2)); SOL_HOLD(b); a0_2 = vi_madd(a0_2, b, w0); a1_2 = vi_madd(a1_2, b, w1); }
                { vi b = vi_set(sol_dword(x0 + 3 * LANES + 2)); SOL_HOLD(b); a0_3 = vi_madd(a0_3, b, w0); a1_3 = vi_madd(a1_3, b, w1); }
            }
            SOL_FENCE();
        }
    }
    vi_store(m + 0 * PANEL + 0 * LANES, a0_0);
    vi_store(m + 0 * PANEL + 1 * LANES, a1_0);
    vi_store(m + 1 * PANEL + 0 * LANES, a0_1);
    vi_store(m + 1 * PANEL + 1 * LANES, a1_1);
    vi_store(m + 2 * PANEL + 0 * LANES, a0_2);
    vi_store(m + 2 * PANEL + 1 * LANES, a1_2);
    vi_store(m + 3 * PANEL + 0 * LANES, a0_3);
    vi_store(m + 3 * PANEL + 1 * LANES, a1_3);
}
static __attribute__((noinline)) void multiply_2(const conv *c, const int16_t *v, const int16_t *w, int32_t *m, const char *ahead, int64_t pace)
{
    const int64_t blocks = c->in_blocks, last = c->in_last, v_block = c->v_block;
    vi a0_0 = {0}, a0_1 = {0}, a1_0 = {0}, a1_1 = {0};
    for (int64_t block = 1; block <= blocks; block++, v += v_block) {
        const int16_t *x0 = v;
        for (int64_t i = block < blocks ? LANES : last; i; i -= 4, x0 += 4, w += 4 * PANEL) {
            {
                const vi w0 = vi_load((const int32_t *)(w + 0 * LANES)), w1 = vi_load((const int32_t *)(w + 2 * LANES));
                __builtin_prefetch(ahead, 0, 2), ahead += pace;
                { vi b = vi_set(sol_dword(x0 + 0 * LANES)); SOL_HOLD(b); a0_0 = vi_madd(a0_0, b, w0); a1_0 = vi_madd(a1_0, b, w1); }
                { vi b = vi_set(sol_dword(x0 + 1 * LANES)); SOL_HOLD(b); a0_1 = vi_madd(a0_1, b, w0); a1_1 = vi_madd(a1_1, b, w1); }
            }
            SOL_FENCE();
            {
                const vi w0 = vi_load((const int32_t *)(w + 4 * LANES)), w1 = vi_load((const int32_t *)(w + 6 * LANES));
                __builtin_prefetch(ahead, 0, 2), ahead += pace;
                { vi b = vi_set(sol_dword(x0 + 0 * LANES + 2)); SOL_HOLD(b); a0_0 = vi_madd(a0_0, b, w0); a1_0 = vi_madd(a1_0, b, w1); }
                { vi b = vi_set(sol_dword(x0 + 1 * LANES + 2)); SOL_HOLD(b); a0_1 = vi_madd(a0_1, b, w0); a1_1 = vi_madd(a1_1, b, w1); }
            }
            SOL_FENCE();
        }
    }
    vi_store(m + 0 * PANEL + 0 * LANES, a0_0);
    vi_store(m + 0 * PANEL + 1 * LANES, a1_0);
    vi_store(m + 1 * PANEL + 0 * LANES, a0_1);
    vi_store(m + 1 * PANEL + 1 * LANES, a1_1);
}
static const unsigned char first[] = {0, 4, 4, 4, 4, 6, 6, 4, 4, 6, 6, 6}; /* width that starts the cheapest cover of so many tiles */

static inline int64_t next_width(int64_t tiles) { return tiles < 12 ? first[tiles] : 6; }

/* All frequencies of one channel group and slots t0 … t1 - 1; v: that of slot 0, m: that of slot t0. */
static void multiply(const conv *c, const spans *s, int64_t t0, int64_t t1, const int16_t *v, const int16_t *w, int32_t *m)
{
    static const unsigned char kinds[] = {0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 2, 2, 2, 3, 3, 2, 0, 0, 0, 1, 1, 0}; /* of each frequency, as in spans */
    int64_t begin[4], end[4], pace[4];
    for (int kind = 0; kind < 4; kind++) {
        begin[kind] = s->begin[kind] > t0 ? s->begin[kind] : t0, end[kind] = s->end[kind] < t1 ? s->end[kind] : t1;
        int64_t calls = 0;
        for (int64_t t = begin[kind]; t < end[kind]; calls++) t += next_width(end[kind] - t);
        pace[kind] = calls > 1 ? PANEL * 4 / calls : 0; /* weights that are read once are a stream, which the hardware fetches */
    }
    for (int64_t f = 0; f < FREQUENCIES; f++, v += c->v_frequency, w += c->w_frequency, m += c->m_frequency) {
        const int kind = kinds[f];
        const int64_t stretch = ((c->in_blocks - 1) * LANES + c->in_last) / 2 * pace[kind];
        const char *ahead = (const char *)(w + c->w_frequency);
        int64_t width;
        for (int64_t t = begin[kind]; t < end[kind]; t += width, ahead += stretch) {
            int64_t alike = end[kind];
            width = next_width(alike - t);
            switch (width) {
            case 6: multiply_6(c, v + t * LANES, w, m + (t - t0) * PANEL, ahead, pace[kind]); break;
            case 4: multiply_4(c, v + t * LANES, w, m + (t - t0) * PANEL, ahead, pace[kind]); break;
            case 2: multiply_2(c, v + t * LANES, w, m + (t - t0) * PANEL, ahead, pace[kind]); break;
            }
        }
    }
}

/* The pointwise ops behind the convolution: cast relu. */
static inline vf finish(vi a)
{
    const vf t0 = vf_of_ints(a);
    const vf t1 = vf_max_quiet(vf_set(0.0f), t0);
    return t1;
}

/* out = epilogue(bias + A^T m A) for one vector of one tile of 3 x 4. */
static __attribute__((noinline)) void transform_output_3x4(const conv *c, const int32_t *m, int64_t kb, const place *p)
{
    vu t[3][6];
        float *out = c->out + kb * c->out_cb + p->n * c->out_n + p->y * c->out_row + p->x * LANES;
    const vi start = vi_load(c->start + kb * c->start_cb);
    {
        const vu m0 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m1 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m2 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m3 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m4 = (vu)vi_load(m);
        const vu sum1 = m1 + m2, difference1 = m1 - m2;
        t[0][0] = m0 + sum1 + m3;
        t[1][0] = difference1 + 2u * m3;
        t[2][0] = sum1 + m4 + 4u * m3;
    }
    {
        m += -23 * c->m_frequency; SOL_PIN(m); const vu m0 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m1 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m2 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m3 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m4 = (vu)vi_load(m);
        const vu sum1 = m1 + m2, difference1 = m1 - m2;
        t[0][1] = m0 + sum1 + m3;
        t[1][1] = difference1 + 2u * m3;
        t[2][1] = sum1 + m4 + 4u * m3;
    }
    {
        m += -23 * c->m_frequency; SOL_PIN(m); const vu m0 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m1 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m2 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m3 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m4 = (vu)vi_load(m);
        const vu sum1 = m1 + m2, difference1 = m1 - m2;
        t[0][2] = m0 + sum1 + m3;
        t[1][2] = difference1 + 2u * m3;
        t[2][2] = sum1 + m4 + 4u * m3;
    }
    {
        m += -23 * c->m_frequency; SOL_PIN(m); const vu m0 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m1 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m2 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m3 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m4 = (vu)vi_load(m);
        const vu sum1 = m1 + m2, difference1 = m1 - m2;
        t[0][3] = m0 + sum1 + m3;
        t[1][3] = difference1 + 2u * m3;
        t[2][3] = sum1 + m4 + 4u * m3;
    }
    {
        m += -23 * c->m_frequency; SOL_PIN(m); const vu m0 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m1 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m2 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m3 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m4 = (vu)vi_load(m);
        const vu sum1 = m1 + m2, difference1 = m1 - m2;
        t[0][4] = m0 + sum1 + m3;
        t[1][4] = difference1 + 2u * m3;
        t[2][4] = sum1 + m4 + 4u * m3;
    }
    {
        m += -23 * c->m_frequency; SOL_PIN(m); const vu m0 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m1 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m2 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m3 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m4 = (vu)vi_load(m);
        const vu sum1 = m1 + m2, difference1 = m1 - m2;
        t[0][5] = m0 + sum1 + m3;
        t[1][5] = difference1 + 2u * m3;
        t[2][5] = sum1 + m4 + 4u * m3;
    }
    {
        const vu sum1 = t[0][1] + t[0][2], difference1 = t[0][1] - t[0][2];
        const vi y0 = ((vi)((t[0][0] + sum1 + t[0][3] + 8u * t[0][4]) * 2767867813u) >> 2) - start;
        const vi y1 = ((vi)((difference1 + 4u * t[0][4] - 2u * t[0][3]) * 2767867813u) >> 2) - start;
        const vi y2 = ((vi)((sum1 + 4u * t[0][3] + 2u * t[0][4]) * 2767867813u) >> 2) - start;
        const vi y3 = ((vi)((difference1 + t[0][4] + t[0][5] - 8u * t[0][3]) * 2767867813u) >> 2) - start;
        vf_store(out + 0 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 0 * c->out_row + 1 * LANES, finish(y1));
        vf_store(out + 0 * c->out_row + 2 * LANES, finish(y2));
        vf_store(out + 0 * c->out_row + 3 * LANES, finish(y3));
    }
    {
        const vu sum1 = t[1][1] + t[1][2], difference1 = t[1][1] - t[1][2];
        const vi y0 = ((vi)((t[1][0] + sum1 + t[1][3] + 8u * t[1][4]) * 2767867813u) >> 2) - start;
        const vi y1 = ((vi)((difference1 + 4u * t[1][4] - 2u * t[1][3]) * 2767867813u) >> 2) - start;
        const vi y2 = ((vi)((sum1 + 4u * t[1][3] + 2u * t[1][4]) * 2767867813u) >> 2) - start;
        const vi y3 = ((vi)((difference1 + t[1][4] + t[1][5] - 8u * t[1][3]) * 2767867813u) >> 2) - start;
        vf_store(out + 1 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 1 * c->out_row + 1 * LANES, finish(y1));
        vf_store(out + 1 * c->out_row + 2 * LANES, finish(y2));
        vf_store(out + 1 * c->out_row + 3 * LANES, finish(y3));
    }
    {
        const vu sum1 = t[2][1] + t[2][2], difference1 = t[2][1] - t[2][2];
        const vi y0 = ((vi)((t[2][0] + sum1 + t[2][3] + 8u * t[2][4]) * 2767867813u) >> 2) - start;
        const vi y1 = ((vi)((difference1 + 4u * t[2][4] - 2u * t[2][3]) * 2767867813u) >> 2) - start;
        const vi y2 = ((vi)((sum1 + 4u * t[2][3] + 2u * t[2][4]) * 2767867813u) >> 2) - start;
        const vi y3 = ((vi)((difference1 + t[2][4] + t[2][5] - 8u * t[2][3]) * 2767867813u) >> 2) - start;
        vf_store(out + 2 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 2 * c->out_row + 1 * LANES, finish(y1));
        vf_store(out + 2 * c->out_row + 2 * LANES, finish(y2));
        vf_store(out + 2 * c->out_row + 3 * LANES, finish(y3));
    }
}

/* out = epilogue(bias + A^T m A) for one vector of one tile of 3 x 2. */
static __attribute__((noinline)) void transform_output_3x2(const conv *c, const int32_t *m, int64_t kb, const place *p)
{
    vu t[3][4];
        float *out = c->out + kb * c->out_cb + p->n * c->out_n + p->y * c->out_row + p->x * LANES;
    const vi start = vi_load(c->start + kb * c->start_cb);
    {
        const vu m0 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m1 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m2 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m3 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m4 = (vu)vi_load(m);
        const vu sum1 = m1 + m2, difference1 = m1 - m2;
        t[0][0] = m0 + sum1 + m3;
        t[1][0] = difference1 + 2u * m3;
        t[2][0] = sum1 + m4 + 4u * m3;
    }
    {
        m += -23 * c->m_frequency; SOL_PIN(m); const vu m0 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m1 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m2 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m3 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m4 = (vu)vi_load(m);
        const vu sum1 = m1 + m2, difference1 = m1 - m2;
        t[0][1] = m0 + sum1 + m3;
        t[1][1] = difference1 + 2u * m3;
        t[2][1] = sum1 + m4 + 4u * m3;
    }
    {
        m += -23 * c->m_frequency; SOL_PIN(m); const vu m0 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m1 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m2 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m3 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m4 = (vu)vi_load(m);
        const vu sum1 = m1 + m2, difference1 = m1 - m2;
        t[0][2] = m0 + sum1 + m3;
        t[1][2] = difference1 + 2u * m3;
        t[2][2] = sum1 + m4 + 4u * m3;
    }
    {
        m += -21 * c->m_frequency; SOL_PIN(m); const vu m0 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m1 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m2 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m3 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m4 = (vu)vi_load(m);
        const vu sum1 = m1 + m2, difference1 = m1 - m2;
        t[0][3] = m0 + sum1 + m3;
        t[1][3] = difference1 + 2u * m3;
        t[2][3] = sum1 + m4 + 4u * m3;
    }
    {
        const vu sum1 = t[0][1] + t[0][2], difference1 = t[0][1] - t[0][2];
        const vi y0 = ((vi)((2u * t[0][0] + 3u * sum1) * 2767867813u) >> 2) - start;
        const vi y1 = ((vi)((3u * difference1 + 2u * t[0][3]) * 2767867813u) >> 2) - start;
        vf_store(out + 0 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 0 * c->out_row + 1 * LANES, finish(y1));
    }
    {
        const vu sum1 = t[1][1] + t[1][2], difference1 = t[1][1] - t[1][2];
        const vi y0 = ((vi)((2u * t[1][0] + 3u * sum1) * 2767867813u) >> 2) - start;
        const vi y1 = ((vi)((3u * difference1 + 2u * t[1][3]) * 2767867813u) >> 2) - start;
        vf_store(out + 1 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 1 * c->out_row + 1 * LANES, finish(y1));
    }
    {
        const vu sum1 = t[2][1] + t[2][2], difference1 = t[2][1] - t[2][2];
        const vi y0 = ((vi)((2u * t[2][0] + 3u * sum1) * 2767867813u) >> 2) - start;
        const vi y1 = ((vi)((3u * difference1 + 2u * t[2][3]) * 2767867813u) >> 2) - start;
        vf_store(out + 2 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 2 * c->out_row + 1 * LANES, finish(y1));
    }
}

/* out = epilogue(bias + A^T m A) for one vector of one tile of 2 x 4. */
static __attribute__((noinline)) void transform_output_2x4(const conv *c, const int32_t *m, int64_t kb, const place *p)
{
    vu t[2][6];
        float *out = c->out + kb * c->out_cb + p->n * c->out_n + p->y * c->out_row + p->x * LANES;
    const vi start = vi_load(c->start + kb * c->start_cb);
    {
        const vu m0 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m1 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m2 = (vu)vi_load(m);
        m += 12 * c->m_frequency; SOL_PIN(m); const vu m3 = (vu)vi_load(m);
        t[0][0] = m1 + 2u * m0 + 3u * m2;
        t[1][0] = m1 + m3 - 3u * m2;
    }
    {
        m += -23 * c->m_frequency; SOL_PIN(m); const vu m0 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m1 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m2 = (vu)vi_load(m);
        m += 12 * c->m_frequency; SOL_PIN(m); const vu m3 = (vu)vi_load(m);
        t[0][1] = m1 + 2u * m0 + 3u * m2;
        t[1][1] = m1 + m3 - 3u * m2;
    }
    {
        m += -23 * c->m_frequency; SOL_PIN(m); const vu m0 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m1 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m2 = (vu)vi_load(m);
        m += 12 * c->m_frequency; SOL_PIN(m); const vu m3 = (vu)vi_load(m);
        t[0][2] = m1 + 2u * m0 + 3u * m2;
        t[1][2] = m1 + m3 - 3u * m2;
    }
    {
        m += -23 * c->m_frequency; SOL_PIN(m); const vu m0 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m1 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m2 = (vu)vi_load(m);
        m += 12 * c->m_frequency; SOL_PIN(m); const vu m3 = (vu)vi_load(m);
        t[0][3] = m1 + 2u * m0 + 3u * m2;
        t[1][3] = m1 + m3 - 3u * m2;
    }
    {
        m += -23 * c->m_frequency; SOL_PIN(m); const vu m0 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m1 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m2 = (vu)vi_load(m);
        m += 12 * c->m_frequency; SOL_PIN(m); const vu m3 = (vu)vi_load(m);
        t[0][4] = m1 + 2u * m0 + 3u * m2;
        t[1][4] = m1 + m3 - 3u * m2;
    }
    {
        m += -23 * c->m_frequency; SOL_PIN(m); const vu m0 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m1 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m2 = (vu)vi_load(m);
        m += 12 * c->m_frequency; SOL_PIN(m); const vu m3 = (vu)vi_load(m);
        t[0][5] = m1 + 2u * m0 + 3u * m2;
        t[1][5] = m1 + m3 - 3u * m2;
    }
    {
        const vu sum1 = t[0][1] + t[0][2], difference1 = t[0][1] - t[0][2];
        const vi y0 = ((vi)((t[0][0] + sum1 + t[0][3] + 8u * t[0][4]) * 2767867813u) >> 2) - start;
        const vi y1 = ((vi)((difference1 + 4u * t[0][4] - 2u * t[0][3]) * 2767867813u) >> 2) - start;
        const vi y2 = ((vi)((sum1 + 4u * t[0][3] + 2u * t[0][4]) * 2767867813u) >> 2) - start;
        const vi y3 = ((vi)((difference1 + t[0][4] + t[0][5] - 8u * t[0][3]) * 2767867813u) >> 2) - start;
        vf_store(out + 0 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 0 * c->out_row + 1 * LANES, finish(y1));
        vf_store(out + 0 * c->out_row + 2 * LANES, finish(y2));
        vf_store(out + 0 * c->out_row + 3 * LANES, finish(y3));
    }
    {
        const vu sum1 = t[1][1] + t[1][2], difference1 = t[1][1] - t[1][2];
        const vi y0 = ((vi)((t[1][0] + sum1 + t[1][3] + 8u * t[1][4]) * 2767867813u) >> 2) - start;
        const vi y1 = ((vi)((difference1 + 4u * t[1][4] - 2u * t[1][3]) * 2767867813u) >> 2) - start;
        const vi y2 = ((vi)((sum1 + 4u * t[1][3] + 2u * t[1][4]) * 2767867813u) >> 2) - start;
        const vi y3 = ((vi)((difference1 + t[1][4] + t[1][5] - 8u * t[1][3]) * 2767867813u) >> 2) - start;
        vf_store(out + 1 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 1 * c->out_row + 1 * LANES, finish(y1));
        vf_store(out + 1 * c->out_row + 2 * LANES, finish(y2));
        vf_store(out + 1 * c->out_row + 3 * LANES, finish(y3));
    }
}

/* out = epilogue(bias + A^T m A) for one vector of one tile of 2 x 2. */
static __attribute__((noinline)) void transform_output_2x2(const conv *c, const int32_t *m, int64_t kb, const place *p)
{
    vu t[2][4];
        float *out = c->out + kb * c->out_cb + p->n * c->out_n + p->y * c->out_row + p->x * LANES;
    const vi start = vi_load(c->start + kb * c->start_cb);
    {
        const vu m0 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m1 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m2 = (vu)vi_load(m);
        m += 12 * c->m_frequency; SOL_PIN(m); const vu m3 = (vu)vi_load(m);
        t[0][0] = m1 + 2u * m0 + 3u * m2;
        t[1][0] = m1 + m3 - 3u * m2;
    }
    {
        m += -23 * c->m_frequency; SOL_PIN(m); const vu m0 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m1 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m2 = (vu)vi_load(m);
        m += 12 * c->m_frequency; SOL_PIN(m); const vu m3 = (vu)vi_load(m);
        t[0][1] = m1 + 2u * m0 + 3u * m2;
        t[1][1] = m1 + m3 - 3u * m2;
    }
    {
        m += -23 * c->m_frequency; SOL_PIN(m); const vu m0 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m1 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m2 = (vu)vi_load(m);
        m += 12 * c->m_frequency; SOL_PIN(m); const vu m3 = (vu)vi_load(m);
        t[0][2] = m1 + 2u * m0 + 3u * m2;
        t[1][2] = m1 + m3 - 3u * m2;
    }
    {
        m += -21 * c->m_frequency; SOL_PIN(m); const vu m0 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m1 = (vu)vi_load(m);
        m += 6 * c->m_frequency; SOL_PIN(m); const vu m2 = (vu)vi_load(m);
        m += 12 * c->m_frequency; SOL_PIN(m); const vu m3 = (vu)vi_load(m);
        t[0][3] = m1 + 2u * m0 + 3u * m2;
        t[1][3] = m1 + m3 - 3u * m2;
    }
    {
        const vu sum1 = t[0][1] + t[0][2], difference1 = t[0][1] - t[0][2];
        const vi y0 = ((vi)((2u * t[0][0] + 3u * sum1) * 2767867813u) >> 2) - start;
        const vi y1 = ((vi)((3u * difference1 + 2u * t[0][3]) * 2767867813u) >> 2) - start;
        vf_store(out + 0 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 0 * c->out_row + 1 * LANES, finish(y1));
    }
    {
        const vu sum1 = t[1][1] + t[1][2], difference1 = t[1][1] - t[1][2];
        const vi y0 = ((vi)((2u * t[1][0] + 3u * sum1) * 2767867813u) >> 2) - start;
        const vi y1 = ((vi)((3u * difference1 + 2u * t[1][3]) * 2767867813u) >> 2) - start;
        vf_store(out + 1 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 1 * c->out_row + 1 * LANES, finish(y1));
    }
}

/* Slots t0 … t1 - 1 of channel group ``group``: products, then the transform back. v: that of slot 0. */
static void finish_tiles(const conv *c, int64_t group, const place *places, const spans *s, int64_t t0, int64_t t1, const int16_t *v, int32_t *m)
{
    multiply(c, s, t0, t1, v, (const int16_t *)c->w + group * FREQUENCIES * c->w_frequency, m);
    for (int64_t o = 0; o < 2 && group * 2 + o < c->vectors; o++) {
        const int64_t kb = group * 2 + o;
        for (int64_t t = t0; t < t1; t++) {
            const place *p = places + t;
            const int32_t *at = m + (t - t0) * PANEL + o * LANES;
            switch (p->kind) {
            case 0: transform_output_3x4(c, at, kb, p); break;
            case 1: transform_output_3x2(c, at, kb, p); break;
            case 2: transform_output_2x4(c, at, kb, p); break;
            case 3: transform_output_2x2(c, at, kb, p); break;
            }
        }
    }
}

void conv_winograd_words(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const uint8_t *in = buf[0];
    const int8_t *w = buf[1];
    const int32_t *start = buf[2];
    float *out = buf[3];
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
    const int64_t start_cb = arg[15];
    (void)team; (void)buf; (void)arg;
const int64_t rows = (OH + ROWS - 1) / ROWS, columns = (OW + COLUMNS - 1) / COLUMNS, tiles = N * rows * columns;
    const int64_t groups = (vectors + 1) / 2;
    const int by_channels = tiles < split_channels * team->size;
    const int alone = tiles <= block && 2 * team->size <= vectors; /* the repeated transforms take an eighth of the time at most */
    const int64_t held = by_channels && !alone ? tiles : block;
    const int64_t v_block = held * LANES, v_frequency = in_blocks * held * LANES + LINE, m_frequency = (block + 3) * PANEL + LINE;
    const int64_t w_frequency = ((in_blocks - 1) * LANES + in_last) * PANEL;
    int32_t *const m = (int32_t *)team->scratch;
    uint8_t *const patch = (uint8_t *)(m + FREQUENCIES * m_frequency);
    int16_t *const own = (int16_t *)(patch + 0);
    place *const places = (place *)(own + FREQUENCIES * (in_blocks * block * LANES + LINE) + 3 * LANES + (block + 3) * BESIDE);
    const conv c = {
        .in = in + in_start, .w = w, .start = start, .out = out, .N = N, .OH = OH, .OW = OW, .vectors = vectors,
        .split_channels = split_channels, .block = block, .in_blocks = in_blocks, .in_last = in_last, .in_n = in_n, .in_cb = in_cb, .in_row = in_row, .in_start = in_start,
        .out_n = out_n, .out_cb = out_cb, .out_row = out_row, .start_cb = start_cb, .rows = rows, .columns = columns, .w_frequency = w_frequency, .v_block = v_block,
        .v_frequency = v_frequency, .m_frequency = m_frequency,
    };
    spans s;
    if (tiles == 0) return;
    int16_t *at = own;
    int64_t u0, u1, first = 0, last = tiles;
    if (by_channels && !alone) {
        at = (int16_t *)team->shared_scratch;
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
