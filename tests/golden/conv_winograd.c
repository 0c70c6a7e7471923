/* Winograd convolution F(6x6, 3x3), NCHWc -> NCHWc, then relu.
 *
 * A tile is 6 x 6 outputs, which depend on 8 x 8 inputs. Both are transformed to 81 frequencies, where the convolution is a product:
 *   v[frequency, c, tile] = B^T in B      m[frequency, tile, k] = sum over c of v * w      out = tail(bias + A^T m A)
 * The last row and column of tiles are shorter and lack some frequencies: tiles of 6x6, 6x4, 4x6, 4x4.
 *
 *   By tiles (many tiles):                    By channels (fewer than split_channels tiles per thread):
 *     block of this thread's tiles              all tiles: transform; each thread for itself, or if that is too much
 *       transform                                 work or memory, its share into common memory, then a barrier
 *       channel group                           share of (channel group, tile) pairs
 *         products, transform back                products, transform back
 *
 *   products: per frequency a matrix product of 2 vectors x 14, 13, 8, 4 tiles, the whole reduction in registers.
 *
 * w: [channel group][frequency][channel][2 * LANES]; v: [frequency][input block][slot][LANES]; m: [frequency][slot][2 * LANES].
 * A block's tiles take slots by kind, so that those which have a frequency are neighbours. Frequencies lie one line more
 * apart than they are long, lest their addresses be a power of two apart. The last product of a block may compute up to
 * 3 tiles too many: v and m have room for them. */
#include "sol_team.h"
#include "sol_simd.h"

enum { ROWS = 6, COLUMNS = 6, FREQUENCIES = 81, PANEL = 2 * LANES, LINE = 16 };

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

/* v = B^T in B for LANES channels of one tile of 6 x 6. */
static __attribute__((noinline)) void transform_input_6x6(const float *in, int64_t in_row, float *v, int64_t v_frequency)
{
    const float *r0 = in, *r1 = r0 + in_row, *r2 = r1 + in_row, *r3 = r2 + in_row, *r4 = r3 + in_row, *r5 = r4 + in_row, *r6 = r5 + in_row, *r7 = r6 + in_row;
    {
        const vf t0_0 = 0.531738281f * vf_load(r0 + 0 * LANES) + 0.5f * vf_load(r6 + 0 * LANES) - 0.694824219f * vf_load(r2 + 0 * LANES) - 0.7265625f * vf_load(r4 + 0 * LANES);
        const vf t0_1 = 0.531738281f * vf_load(r0 + 1 * LANES) + 0.5f * vf_load(r6 + 1 * LANES) - 0.694824219f * vf_load(r2 + 1 * LANES) - 0.7265625f * vf_load(r4 + 1 * LANES);
        const vf t0_2 = 0.531738281f * vf_load(r0 + 2 * LANES) + 0.5f * vf_load(r6 + 2 * LANES) - 0.694824219f * vf_load(r2 + 2 * LANES) - 0.7265625f * vf_load(r4 + 2 * LANES);
        const vf t0_3 = 0.531738281f * vf_load(r0 + 3 * LANES) + 0.5f * vf_load(r6 + 3 * LANES) - 0.694824219f * vf_load(r2 + 3 * LANES) - 0.7265625f * vf_load(r4 + 3 * LANES);
        const vf t0_4 = 0.531738281f * vf_load(r0 + 4 * LANES) + 0.5f * vf_load(r6 + 4 * LANES) - 0.694824219f * vf_load(r2 + 4 * LANES) - 0.7265625f * vf_load(r4 + 4 * LANES);
        const vf t0_5 = 0.531738281f * vf_load(r0 + 5 * LANES) + 0.5f * vf_load(r6 + 5 * LANES) - 0.694824219f * vf_load(r2 + 5 * LANES) - 0.7265625f * vf_load(r4 + 5 * LANES);
        const vf t0_6 = 0.531738281f * vf_load(r0 + 6 * LANES) + 0.5f * vf_load(r6 + 6 * LANES) - 0.694824219f * vf_load(r2 + 6 * LANES) - 0.7265625f * vf_load(r4 + 6 * LANES);
        const vf t0_7 = 0.531738281f * vf_load(r0 + 7 * LANES) + 0.5f * vf_load(r6 + 7 * LANES) - 0.694824219f * vf_load(r2 + 7 * LANES) - 0.7265625f * vf_load(r4 + 7 * LANES);
        vf_store(v, 0.531738281f * t0_0 + 0.5f * t0_6 - 0.694824219f * t0_2 - 0.7265625f * t0_4);
        const vf even0_of_1 = 0.5f * t0_6 - 0.9453125f * t0_2 - 0.4453125f * t0_4, odd0_of_1 = 0.375f * t0_5 - 0.708984375f * t0_1 - 0.333984375f * t0_3;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even0_of_1 + odd0_of_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even0_of_1 - odd0_of_1);
        const vf even0_of_3 = 0.109375f * t0_4 + 0.25f * t0_6 - 0.140625f * t0_2, odd0_of_3 = 0.150390625f * t0_3 + 0.34375f * t0_5 - 0.193359375f * t0_1;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even0_of_3 + odd0_of_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even0_of_3 - odd0_of_3);
        const vf even0_of_5 = 0.13293457f * t0_1 + 0.125f * t0_5 - 0.306640625f * t0_3, odd0_of_5 = 0.265869141f * t0_2 + 0.25f * t0_6 - 0.61328125f * t0_4;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even0_of_5 + odd0_of_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even0_of_5 - odd0_of_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.766601562f * t0_3 - 0.332336426f * t0_1 - 0.3125f * t0_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t0_1 + 0.5f * t0_7 - 0.694824219f * t0_3 - 0.7265625f * t0_5);
    }
    {
        const vf even_0 = 0.5f * vf_load(r6 + 0 * LANES) - 0.9453125f * vf_load(r2 + 0 * LANES) - 0.4453125f * vf_load(r4 + 0 * LANES), odd_0 = 0.375f * vf_load(r5 + 0 * LANES) - 0.708984375f * vf_load(r1 + 0 * LANES) - 0.333984375f * vf_load(r3 + 0 * LANES);
        const vf t1_0 = even_0 + odd_0;
        const vf t2_0 = even_0 - odd_0;
        const vf even_1 = 0.5f * vf_load(r6 + 1 * LANES) - 0.9453125f * vf_load(r2 + 1 * LANES) - 0.4453125f * vf_load(r4 + 1 * LANES), odd_1 = 0.375f * vf_load(r5 + 1 * LANES) - 0.708984375f * vf_load(r1 + 1 * LANES) - 0.333984375f * vf_load(r3 + 1 * LANES);
        const vf t1_1 = even_1 + odd_1;
        const vf t2_1 = even_1 - odd_1;
        const vf even_2 = 0.5f * vf_load(r6 + 2 * LANES) - 0.9453125f * vf_load(r2 + 2 * LANES) - 0.4453125f * vf_load(r4 + 2 * LANES), odd_2 = 0.375f * vf_load(r5 + 2 * LANES) - 0.708984375f * vf_load(r1 + 2 * LANES) - 0.333984375f * vf_load(r3 + 2 * LANES);
        const vf t1_2 = even_2 + odd_2;
        const vf t2_2 = even_2 - odd_2;
        const vf even_3 = 0.5f * vf_load(r6 + 3 * LANES) - 0.9453125f * vf_load(r2 + 3 * LANES) - 0.4453125f * vf_load(r4 + 3 * LANES), odd_3 = 0.375f * vf_load(r5 + 3 * LANES) - 0.708984375f * vf_load(r1 + 3 * LANES) - 0.333984375f * vf_load(r3 + 3 * LANES);
        const vf t1_3 = even_3 + odd_3;
        const vf t2_3 = even_3 - odd_3;
        const vf even_4 = 0.5f * vf_load(r6 + 4 * LANES) - 0.9453125f * vf_load(r2 + 4 * LANES) - 0.4453125f * vf_load(r4 + 4 * LANES), odd_4 = 0.375f * vf_load(r5 + 4 * LANES) - 0.708984375f * vf_load(r1 + 4 * LANES) - 0.333984375f * vf_load(r3 + 4 * LANES);
        const vf t1_4 = even_4 + odd_4;
        const vf t2_4 = even_4 - odd_4;
        const vf even_5 = 0.5f * vf_load(r6 + 5 * LANES) - 0.9453125f * vf_load(r2 + 5 * LANES) - 0.4453125f * vf_load(r4 + 5 * LANES), odd_5 = 0.375f * vf_load(r5 + 5 * LANES) - 0.708984375f * vf_load(r1 + 5 * LANES) - 0.333984375f * vf_load(r3 + 5 * LANES);
        const vf t1_5 = even_5 + odd_5;
        const vf t2_5 = even_5 - odd_5;
        const vf even_6 = 0.5f * vf_load(r6 + 6 * LANES) - 0.9453125f * vf_load(r2 + 6 * LANES) - 0.4453125f * vf_load(r4 + 6 * LANES), odd_6 = 0.375f * vf_load(r5 + 6 * LANES) - 0.708984375f * vf_load(r1 + 6 * LANES) - 0.333984375f * vf_load(r3 + 6 * LANES);
        const vf t1_6 = even_6 + odd_6;
        const vf t2_6 = even_6 - odd_6;
        const vf even_7 = 0.5f * vf_load(r6 + 7 * LANES) - 0.9453125f * vf_load(r2 + 7 * LANES) - 0.4453125f * vf_load(r4 + 7 * LANES), odd_7 = 0.375f * vf_load(r5 + 7 * LANES) - 0.708984375f * vf_load(r1 + 7 * LANES) - 0.333984375f * vf_load(r3 + 7 * LANES);
        const vf t1_7 = even_7 + odd_7;
        const vf t2_7 = even_7 - odd_7;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t1_0 + 0.5f * t1_6 - 0.694824219f * t1_2 - 0.7265625f * t1_4);
        const vf even1_of_1 = 0.5f * t1_6 - 0.9453125f * t1_2 - 0.4453125f * t1_4, odd1_of_1 = 0.375f * t1_5 - 0.708984375f * t1_1 - 0.333984375f * t1_3;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even1_of_1 + odd1_of_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even1_of_1 - odd1_of_1);
        const vf even1_of_3 = 0.109375f * t1_4 + 0.25f * t1_6 - 0.140625f * t1_2, odd1_of_3 = 0.150390625f * t1_3 + 0.34375f * t1_5 - 0.193359375f * t1_1;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even1_of_3 + odd1_of_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even1_of_3 - odd1_of_3);
        const vf even1_of_5 = 0.13293457f * t1_1 + 0.125f * t1_5 - 0.306640625f * t1_3, odd1_of_5 = 0.265869141f * t1_2 + 0.25f * t1_6 - 0.61328125f * t1_4;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even1_of_5 + odd1_of_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even1_of_5 - odd1_of_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.766601562f * t1_3 - 0.332336426f * t1_1 - 0.3125f * t1_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t1_1 + 0.5f * t1_7 - 0.694824219f * t1_3 - 0.7265625f * t1_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t2_0 + 0.5f * t2_6 - 0.694824219f * t2_2 - 0.7265625f * t2_4);
        const vf even2_of_1 = 0.5f * t2_6 - 0.9453125f * t2_2 - 0.4453125f * t2_4, odd2_of_1 = 0.375f * t2_5 - 0.708984375f * t2_1 - 0.333984375f * t2_3;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even2_of_1 + odd2_of_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even2_of_1 - odd2_of_1);
        const vf even2_of_3 = 0.109375f * t2_4 + 0.25f * t2_6 - 0.140625f * t2_2, odd2_of_3 = 0.150390625f * t2_3 + 0.34375f * t2_5 - 0.193359375f * t2_1;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even2_of_3 + odd2_of_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even2_of_3 - odd2_of_3);
        const vf even2_of_5 = 0.13293457f * t2_1 + 0.125f * t2_5 - 0.306640625f * t2_3, odd2_of_5 = 0.265869141f * t2_2 + 0.25f * t2_6 - 0.61328125f * t2_4;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even2_of_5 + odd2_of_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even2_of_5 - odd2_of_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.766601562f * t2_3 - 0.332336426f * t2_1 - 0.3125f * t2_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t2_1 + 0.5f * t2_7 - 0.694824219f * t2_3 - 0.7265625f * t2_5);
    }
    {
        const vf even_0 = 0.109375f * vf_load(r4 + 0 * LANES) + 0.25f * vf_load(r6 + 0 * LANES) - 0.140625f * vf_load(r2 + 0 * LANES), odd_0 = 0.150390625f * vf_load(r3 + 0 * LANES) + 0.34375f * vf_load(r5 + 0 * LANES) - 0.193359375f * vf_load(r1 + 0 * LANES);
        const vf t3_0 = even_0 + odd_0;
        const vf t4_0 = even_0 - odd_0;
        const vf even_1 = 0.109375f * vf_load(r4 + 1 * LANES) + 0.25f * vf_load(r6 + 1 * LANES) - 0.140625f * vf_load(r2 + 1 * LANES), odd_1 = 0.150390625f * vf_load(r3 + 1 * LANES) + 0.34375f * vf_load(r5 + 1 * LANES) - 0.193359375f * vf_load(r1 + 1 * LANES);
        const vf t3_1 = even_1 + odd_1;
        const vf t4_1 = even_1 - odd_1;
        const vf even_2 = 0.109375f * vf_load(r4 + 2 * LANES) + 0.25f * vf_load(r6 + 2 * LANES) - 0.140625f * vf_load(r2 + 2 * LANES), odd_2 = 0.150390625f * vf_load(r3 + 2 * LANES) + 0.34375f * vf_load(r5 + 2 * LANES) - 0.193359375f * vf_load(r1 + 2 * LANES);
        const vf t3_2 = even_2 + odd_2;
        const vf t4_2 = even_2 - odd_2;
        const vf even_3 = 0.109375f * vf_load(r4 + 3 * LANES) + 0.25f * vf_load(r6 + 3 * LANES) - 0.140625f * vf_load(r2 + 3 * LANES), odd_3 = 0.150390625f * vf_load(r3 + 3 * LANES) + 0.34375f * vf_load(r5 + 3 * LANES) - 0.193359375f * vf_load(r1 + 3 * LANES);
        const vf t3_3 = even_3 + odd_3;
        const vf t4_3 = even_3 - odd_3;
        const vf even_4 = 0.109375f * vf_load(r4 + 4 * LANES) + 0.25f * vf_load(r6 + 4 * LANES) - 0.140625f * vf_load(r2 + 4 * LANES), odd_4 = 0.150390625f * vf_load(r3 + 4 * LANES) + 0.34375f * vf_load(r5 + 4 * LANES) - 0.193359375f * vf_load(r1 + 4 * LANES);
        const vf t3_4 = even_4 + odd_4;
        const vf t4_4 = even_4 - odd_4;
        const vf even_5 = 0.109375f * vf_load(r4 + 5 * LANES) + 0.25f * vf_load(r6 + 5 * LANES) - 0.140625f * vf_load(r2 + 5 * LANES), odd_5 = 0.150390625f * vf_load(r3 + 5 * LANES) + 0.34375f * vf_load(r5 + 5 * LANES) - 0.193359375f * vf_load(r1 + 5 * LANES);
        const vf t3_5 = even_5 + odd_5;
        const vf t4_5 = even_5 - odd_5;
        const vf even_6 = 0.109375f * vf_load(r4 + 6 * LANES) + 0.25f * vf_load(r6 + 6 * LANES) - 0.140625f * vf_load(r2 + 6 * LANES), odd_6 = 0.150390625f * vf_load(r3 + 6 * LANES) + 0.34375f * vf_load(r5 + 6 * LANES) - 0.193359375f * vf_load(r1 + 6 * LANES);
        const vf t3_6 = even_6 + odd_6;
        const vf t4_6 = even_6 - odd_6;
        const vf even_7 = 0.109375f * vf_load(r4 + 7 * LANES) + 0.25f * vf_load(r6 + 7 * LANES) - 0.140625f * vf_load(r2 + 7 * LANES), odd_7 = 0.150390625f * vf_load(r3 + 7 * LANES) + 0.34375f * vf_load(r5 + 7 * LANES) - 0.193359375f * vf_load(r1 + 7 * LANES);
        const vf t3_7 = even_7 + odd_7;
        const vf t4_7 = even_7 - odd_7;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t3_0 + 0.5f * t3_6 - 0.694824219f * t3_2 - 0.7265625f * t3_4);
        const vf even3_of_1 = 0.5f * t3_6 - 0.9453125f * t3_2 - 0.4453125f * t3_4, odd3_of_1 = 0.375f * t3_5 - 0.708984375f * t3_1 - 0.333984375f * t3_3;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even3_of_1 + odd3_of_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even3_of_1 - odd3_of_1);
        const vf even3_of_3 = 0.109375f * t3_4 + 0.25f * t3_6 - 0.140625f * t3_2, odd3_of_3 = 0.150390625f * t3_3 + 0.34375f * t3_5 - 0.193359375f * t3_1;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even3_of_3 + odd3_of_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even3_of_3 - odd3_of_3);
        const vf even3_of_5 = 0.13293457f * t3_1 + 0.125f * t3_5 - 0.306640625f * t3_3, odd3_of_5 = 0.265869141f * t3_2 + 0.25f * t3_6 - 0.61328125f * t3_4;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even3_of_5 + odd3_of_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even3_of_5 - odd3_of_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.766601562f * t3_3 - 0.332336426f * t3_1 - 0.3125f * t3_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t3_1 + 0.5f * t3_7 - 0.694824219f * t3_3 - 0.7265625f * t3_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t4_0 + 0.5f * t4_6 - 0.694824219f * t4_2 - 0.7265625f * t4_4);
        const vf even4_of_1 = 0.5f * t4_6 - 0.9453125f * t4_2 - 0.4453125f * t4_4, odd4_of_1 = 0.375f * t4_5 - 0.708984375f * t4_1 - 0.333984375f * t4_3;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even4_of_1 + odd4_of_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even4_of_1 - odd4_of_1);
        const vf even4_of_3 = 0.109375f * t4_4 + 0.25f * t4_6 - 0.140625f * t4_2, odd4_of_3 = 0.150390625f * t4_3 + 0.34375f * t4_5 - 0.193359375f * t4_1;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even4_of_3 + odd4_of_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even4_of_3 - odd4_of_3);
        const vf even4_of_5 = 0.13293457f * t4_1 + 0.125f * t4_5 - 0.306640625f * t4_3, odd4_of_5 = 0.265869141f * t4_2 + 0.25f * t4_6 - 0.61328125f * t4_4;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even4_of_5 + odd4_of_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even4_of_5 - odd4_of_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.766601562f * t4_3 - 0.332336426f * t4_1 - 0.3125f * t4_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t4_1 + 0.5f * t4_7 - 0.694824219f * t4_3 - 0.7265625f * t4_5);
    }
    {
        const vf even_0 = 0.13293457f * vf_load(r1 + 0 * LANES) + 0.125f * vf_load(r5 + 0 * LANES) - 0.306640625f * vf_load(r3 + 0 * LANES), odd_0 = 0.265869141f * vf_load(r2 + 0 * LANES) + 0.25f * vf_load(r6 + 0 * LANES) - 0.61328125f * vf_load(r4 + 0 * LANES);
        const vf t5_0 = even_0 + odd_0;
        const vf t6_0 = even_0 - odd_0;
        const vf even_1 = 0.13293457f * vf_load(r1 + 1 * LANES) + 0.125f * vf_load(r5 + 1 * LANES) - 0.306640625f * vf_load(r3 + 1 * LANES), odd_1 = 0.265869141f * vf_load(r2 + 1 * LANES) + 0.25f * vf_load(r6 + 1 * LANES) - 0.61328125f * vf_load(r4 + 1 * LANES);
        const vf t5_1 = even_1 + odd_1;
        const vf t6_1 = even_1 - odd_1;
        const vf even_2 = 0.13293457f * vf_load(r1 + 2 * LANES) + 0.125f * vf_load(r5 + 2 * LANES) - 0.306640625f * vf_load(r3 + 2 * LANES), odd_2 = 0.265869141f * vf_load(r2 + 2 * LANES) + 0.25f * vf_load(r6 + 2 * LANES) - 0.61328125f * vf_load(r4 + 2 * LANES);
        const vf t5_2 = even_2 + odd_2;
        const vf t6_2 = even_2 - odd_2;
        const vf even_3 = 0.13293457f * vf_load(r1 + 3 * LANES) + 0.125f * vf_load(r5 + 3 * LANES) - 0.306640625f * vf_load(r3 + 3 * LANES), odd_3 = 0.265869141f * vf_load(r2 + 3 * LANES) + 0.25f * vf_load(r6 + 3 * LANES) - 0.61328125f * vf_load(r4 + 3 * LANES);
        const vf t5_3 = even_3 + odd_3;
        const vf t6_3 = even_3 - odd_3;
        const vf even_4 = 0.13293457f * vf_load(r1 + 4 * LANES) + 0.125f * vf_load(r5 + 4 * LANES) - 0.306640625f * vf_load(r3 + 4 * LANES), odd_4 = 0.265869141f * vf_load(r2 + 4 * LANES) + 0.25f * vf_load(r6 + 4 * LANES) - 0.61328125f * vf_load(r4 + 4 * LANES);
        const vf t5_4 = even_4 + odd_4;
        const vf t6_4 = even_4 - odd_4;
        const vf even_5 = 0.13293457f * vf_load(r1 + 5 * LANES) + 0.125f * vf_load(r5 + 5 * LANES) - 0.306640625f * vf_load(r3 + 5 * LANES), odd_5 = 0.265869141f * vf_load(r2 + 5 * LANES) + 0.25f * vf_load(r6 + 5 * LANES) - 0.61328125f * vf_load(r4 + 5 * LANES);
        const vf t5_5 = even_5 + odd_5;
        const vf t6_5 = even_5 - odd_5;
        const vf even_6 = 0.13293457f * vf_load(r1 + 6 * LANES) + 0.125f * vf_load(r5 + 6 * LANES) - 0.306640625f * vf_load(r3 + 6 * LANES), odd_6 = 0.265869141f * vf_load(r2 + 6 * LANES) + 0.25f * vf_load(r6 + 6 * LANES) - 0.61328125f * vf_load(r4 + 6 * LANES);
        const vf t5_6 = even_6 + odd_6;
        const vf t6_6 = even_6 - odd_6;
        const vf even_7 = 0.13293457f * vf_load(r1 + 7 * LANES) + 0.125f * vf_load(r5 + 7 * LANES) - 0.306640625f * vf_load(r3 + 7 * LANES), odd_7 = 0.265869141f * vf_load(r2 + 7 * LANES) + 0.25f * vf_load(r6 + 7 * LANES) - 0.61328125f * vf_load(r4 + 7 * LANES);
        const vf t5_7 = even_7 + odd_7;
        const vf t6_7 = even_7 - odd_7;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t5_0 + 0.5f * t5_6 - 0.694824219f * t5_2 - 0.7265625f * t5_4);
        const vf even5_of_1 = 0.5f * t5_6 - 0.9453125f * t5_2 - 0.4453125f * t5_4, odd5_of_1 = 0.375f * t5_5 - 0.708984375f * t5_1 - 0.333984375f * t5_3;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even5_of_1 + odd5_of_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even5_of_1 - odd5_of_1);
        const vf even5_of_3 = 0.109375f * t5_4 + 0.25f * t5_6 - 0.140625f * t5_2, odd5_of_3 = 0.150390625f * t5_3 + 0.34375f * t5_5 - 0.193359375f * t5_1;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even5_of_3 + odd5_of_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even5_of_3 - odd5_of_3);
        const vf even5_of_5 = 0.13293457f * t5_1 + 0.125f * t5_5 - 0.306640625f * t5_3, odd5_of_5 = 0.265869141f * t5_2 + 0.25f * t5_6 - 0.61328125f * t5_4;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even5_of_5 + odd5_of_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even5_of_5 - odd5_of_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.766601562f * t5_3 - 0.332336426f * t5_1 - 0.3125f * t5_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t5_1 + 0.5f * t5_7 - 0.694824219f * t5_3 - 0.7265625f * t5_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t6_0 + 0.5f * t6_6 - 0.694824219f * t6_2 - 0.7265625f * t6_4);
        const vf even6_of_1 = 0.5f * t6_6 - 0.9453125f * t6_2 - 0.4453125f * t6_4, odd6_of_1 = 0.375f * t6_5 - 0.708984375f * t6_1 - 0.333984375f * t6_3;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even6_of_1 + odd6_of_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even6_of_1 - odd6_of_1);
        const vf even6_of_3 = 0.109375f * t6_4 + 0.25f * t6_6 - 0.140625f * t6_2, odd6_of_3 = 0.150390625f * t6_3 + 0.34375f * t6_5 - 0.193359375f * t6_1;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even6_of_3 + odd6_of_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even6_of_3 - odd6_of_3);
        const vf even6_of_5 = 0.13293457f * t6_1 + 0.125f * t6_5 - 0.306640625f * t6_3, odd6_of_5 = 0.265869141f * t6_2 + 0.25f * t6_6 - 0.61328125f * t6_4;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even6_of_5 + odd6_of_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even6_of_5 - odd6_of_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.766601562f * t6_3 - 0.332336426f * t6_1 - 0.3125f * t6_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t6_1 + 0.5f * t6_7 - 0.694824219f * t6_3 - 0.7265625f * t6_5);
    }
    {
        const vf t7_0 = 0.766601562f * vf_load(r3 + 0 * LANES) - 0.332336426f * vf_load(r1 + 0 * LANES) - 0.3125f * vf_load(r5 + 0 * LANES);
        const vf t7_1 = 0.766601562f * vf_load(r3 + 1 * LANES) - 0.332336426f * vf_load(r1 + 1 * LANES) - 0.3125f * vf_load(r5 + 1 * LANES);
        const vf t7_2 = 0.766601562f * vf_load(r3 + 2 * LANES) - 0.332336426f * vf_load(r1 + 2 * LANES) - 0.3125f * vf_load(r5 + 2 * LANES);
        const vf t7_3 = 0.766601562f * vf_load(r3 + 3 * LANES) - 0.332336426f * vf_load(r1 + 3 * LANES) - 0.3125f * vf_load(r5 + 3 * LANES);
        const vf t7_4 = 0.766601562f * vf_load(r3 + 4 * LANES) - 0.332336426f * vf_load(r1 + 4 * LANES) - 0.3125f * vf_load(r5 + 4 * LANES);
        const vf t7_5 = 0.766601562f * vf_load(r3 + 5 * LANES) - 0.332336426f * vf_load(r1 + 5 * LANES) - 0.3125f * vf_load(r5 + 5 * LANES);
        const vf t7_6 = 0.766601562f * vf_load(r3 + 6 * LANES) - 0.332336426f * vf_load(r1 + 6 * LANES) - 0.3125f * vf_load(r5 + 6 * LANES);
        const vf t7_7 = 0.766601562f * vf_load(r3 + 7 * LANES) - 0.332336426f * vf_load(r1 + 7 * LANES) - 0.3125f * vf_load(r5 + 7 * LANES);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t7_0 + 0.5f * t7_6 - 0.694824219f * t7_2 - 0.7265625f * t7_4);
        const vf even7_of_1 = 0.5f * t7_6 - 0.9453125f * t7_2 - 0.4453125f * t7_4, odd7_of_1 = 0.375f * t7_5 - 0.708984375f * t7_1 - 0.333984375f * t7_3;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even7_of_1 + odd7_of_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even7_of_1 - odd7_of_1);
        const vf even7_of_3 = 0.109375f * t7_4 + 0.25f * t7_6 - 0.140625f * t7_2, odd7_of_3 = 0.150390625f * t7_3 + 0.34375f * t7_5 - 0.193359375f * t7_1;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even7_of_3 + odd7_of_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even7_of_3 - odd7_of_3);
        const vf even7_of_5 = 0.13293457f * t7_1 + 0.125f * t7_5 - 0.306640625f * t7_3, odd7_of_5 = 0.265869141f * t7_2 + 0.25f * t7_6 - 0.61328125f * t7_4;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even7_of_5 + odd7_of_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even7_of_5 - odd7_of_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.766601562f * t7_3 - 0.332336426f * t7_1 - 0.3125f * t7_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t7_1 + 0.5f * t7_7 - 0.694824219f * t7_3 - 0.7265625f * t7_5);
    }
    {
        const vf t8_0 = 0.531738281f * vf_load(r1 + 0 * LANES) + 0.5f * vf_load(r7 + 0 * LANES) - 0.694824219f * vf_load(r3 + 0 * LANES) - 0.7265625f * vf_load(r5 + 0 * LANES);
        const vf t8_1 = 0.531738281f * vf_load(r1 + 1 * LANES) + 0.5f * vf_load(r7 + 1 * LANES) - 0.694824219f * vf_load(r3 + 1 * LANES) - 0.7265625f * vf_load(r5 + 1 * LANES);
        const vf t8_2 = 0.531738281f * vf_load(r1 + 2 * LANES) + 0.5f * vf_load(r7 + 2 * LANES) - 0.694824219f * vf_load(r3 + 2 * LANES) - 0.7265625f * vf_load(r5 + 2 * LANES);
        const vf t8_3 = 0.531738281f * vf_load(r1 + 3 * LANES) + 0.5f * vf_load(r7 + 3 * LANES) - 0.694824219f * vf_load(r3 + 3 * LANES) - 0.7265625f * vf_load(r5 + 3 * LANES);
        const vf t8_4 = 0.531738281f * vf_load(r1 + 4 * LANES) + 0.5f * vf_load(r7 + 4 * LANES) - 0.694824219f * vf_load(r3 + 4 * LANES) - 0.7265625f * vf_load(r5 + 4 * LANES);
        const vf t8_5 = 0.531738281f * vf_load(r1 + 5 * LANES) + 0.5f * vf_load(r7 + 5 * LANES) - 0.694824219f * vf_load(r3 + 5 * LANES) - 0.7265625f * vf_load(r5 + 5 * LANES);
        const vf t8_6 = 0.531738281f * vf_load(r1 + 6 * LANES) + 0.5f * vf_load(r7 + 6 * LANES) - 0.694824219f * vf_load(r3 + 6 * LANES) - 0.7265625f * vf_load(r5 + 6 * LANES);
        const vf t8_7 = 0.531738281f * vf_load(r1 + 7 * LANES) + 0.5f * vf_load(r7 + 7 * LANES) - 0.694824219f * vf_load(r3 + 7 * LANES) - 0.7265625f * vf_load(r5 + 7 * LANES);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t8_0 + 0.5f * t8_6 - 0.694824219f * t8_2 - 0.7265625f * t8_4);
        const vf even8_of_1 = 0.5f * t8_6 - 0.9453125f * t8_2 - 0.4453125f * t8_4, odd8_of_1 = 0.375f * t8_5 - 0.708984375f * t8_1 - 0.333984375f * t8_3;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even8_of_1 + odd8_of_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even8_of_1 - odd8_of_1);
        const vf even8_of_3 = 0.109375f * t8_4 + 0.25f * t8_6 - 0.140625f * t8_2, odd8_of_3 = 0.150390625f * t8_3 + 0.34375f * t8_5 - 0.193359375f * t8_1;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even8_of_3 + odd8_of_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even8_of_3 - odd8_of_3);
        const vf even8_of_5 = 0.13293457f * t8_1 + 0.125f * t8_5 - 0.306640625f * t8_3, odd8_of_5 = 0.265869141f * t8_2 + 0.25f * t8_6 - 0.61328125f * t8_4;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even8_of_5 + odd8_of_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even8_of_5 - odd8_of_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.766601562f * t8_3 - 0.332336426f * t8_1 - 0.3125f * t8_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t8_1 + 0.5f * t8_7 - 0.694824219f * t8_3 - 0.7265625f * t8_5);
    }
}

/* v = B^T in B for LANES channels of one tile of 6 x 4. */
static __attribute__((noinline)) void transform_input_6x4(const float *in, int64_t in_row, float *v, int64_t v_frequency)
{
    const float *r0 = in, *r1 = r0 + in_row, *r2 = r1 + in_row, *r3 = r2 + in_row, *r4 = r3 + in_row, *r5 = r4 + in_row, *r6 = r5 + in_row, *r7 = r6 + in_row;
    {
        const vf t0_0 = 0.531738281f * vf_load(r0 + 0 * LANES) + 0.5f * vf_load(r6 + 0 * LANES) - 0.694824219f * vf_load(r2 + 0 * LANES) - 0.7265625f * vf_load(r4 + 0 * LANES);
        const vf t0_1 = 0.531738281f * vf_load(r0 + 1 * LANES) + 0.5f * vf_load(r6 + 1 * LANES) - 0.694824219f * vf_load(r2 + 1 * LANES) - 0.7265625f * vf_load(r4 + 1 * LANES);
        const vf t0_2 = 0.531738281f * vf_load(r0 + 2 * LANES) + 0.5f * vf_load(r6 + 2 * LANES) - 0.694824219f * vf_load(r2 + 2 * LANES) - 0.7265625f * vf_load(r4 + 2 * LANES);
        const vf t0_3 = 0.531738281f * vf_load(r0 + 3 * LANES) + 0.5f * vf_load(r6 + 3 * LANES) - 0.694824219f * vf_load(r2 + 3 * LANES) - 0.7265625f * vf_load(r4 + 3 * LANES);
        const vf t0_4 = 0.531738281f * vf_load(r0 + 4 * LANES) + 0.5f * vf_load(r6 + 4 * LANES) - 0.694824219f * vf_load(r2 + 4 * LANES) - 0.7265625f * vf_load(r4 + 4 * LANES);
        const vf t0_5 = 0.531738281f * vf_load(r0 + 5 * LANES) + 0.5f * vf_load(r6 + 5 * LANES) - 0.694824219f * vf_load(r2 + 5 * LANES) - 0.7265625f * vf_load(r4 + 5 * LANES);
        vf_store(v, 0.531738281f * t0_0 + 0.0161132812f * t0_2 - 0.322265625f * t0_1 - 0.322265625f * t0_3 - 0.515625f * t0_4);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, -0.64453125f * t0_1 - 0.46875f * t0_2 - 0.64453125f * t0_3 - 0.46875f * t0_4);
        v += 3 * v_frequency; SOL_PIN(v); vf_store(v, 0.4296875f * t0_2 + 0.4296875f * t0_4 - 0.322265625f * t0_1 - 0.322265625f * t0_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.100708008f * t0_1 + 0.543212891f * t0_2 - 0.463867188f * t0_3 - 0.5859375f * t0_4);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.422973633f * t0_1 + 0.4296875f * t0_4 - 0.699462891f * t0_2 - 0.141601562f * t0_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.1953125f * t0_2 + 0.756835938f * t0_3 + 0.1953125f * t0_4 - 0.654602051f * t0_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.3125f * t0_2 + 0.3125f * t0_4 + 0.5f * t0_5 - 0.515625f * t0_1 - 0.015625f * t0_3);
    }
    {
        const vf even_0 = 0.5f * vf_load(r6 + 0 * LANES) - 0.9453125f * vf_load(r2 + 0 * LANES) - 0.4453125f * vf_load(r4 + 0 * LANES), odd_0 = 0.375f * vf_load(r5 + 0 * LANES) - 0.708984375f * vf_load(r1 + 0 * LANES) - 0.333984375f * vf_load(r3 + 0 * LANES);
        const vf t1_0 = even_0 + odd_0;
        const vf t2_0 = even_0 - odd_0;
        const vf even_1 = 0.5f * vf_load(r6 + 1 * LANES) - 0.9453125f * vf_load(r2 + 1 * LANES) - 0.4453125f * vf_load(r4 + 1 * LANES), odd_1 = 0.375f * vf_load(r5 + 1 * LANES) - 0.708984375f * vf_load(r1 + 1 * LANES) - 0.333984375f * vf_load(r3 + 1 * LANES);
        const vf t1_1 = even_1 + odd_1;
        const vf t2_1 = even_1 - odd_1;
        const vf even_2 = 0.5f * vf_load(r6 + 2 * LANES) - 0.9453125f * vf_load(r2 + 2 * LANES) - 0.4453125f * vf_load(r4 + 2 * LANES), odd_2 = 0.375f * vf_load(r5 + 2 * LANES) - 0.708984375f * vf_load(r1 + 2 * LANES) - 0.333984375f * vf_load(r3 + 2 * LANES);
        const vf t1_2 = even_2 + odd_2;
        const vf t2_2 = even_2 - odd_2;
        const vf even_3 = 0.5f * vf_load(r6 + 3 * LANES) - 0.9453125f * vf_load(r2 + 3 * LANES) - 0.4453125f * vf_load(r4 + 3 * LANES), odd_3 = 0.375f * vf_load(r5 + 3 * LANES) - 0.708984375f * vf_load(r1 + 3 * LANES) - 0.333984375f * vf_load(r3 + 3 * LANES);
        const vf t1_3 = even_3 + odd_3;
        const vf t2_3 = even_3 - odd_3;
        const vf even_4 = 0.5f * vf_load(r6 + 4 * LANES) - 0.9453125f * vf_load(r2 + 4 * LANES) - 0.4453125f * vf_load(r4 + 4 * LANES), odd_4 = 0.375f * vf_load(r5 + 4 * LANES) - 0.708984375f * vf_load(r1 + 4 * LANES) - 0.333984375f * vf_load(r3 + 4 * LANES);
        const vf t1_4 = even_4 + odd_4;
        const vf t2_4 = even_4 - odd_4;
        const vf even_5 = 0.5f * vf_load(r6 + 5 * LANES) - 0.9453125f * vf_load(r2 + 5 * LANES) - 0.4453125f * vf_load(r4 + 5 * LANES), odd_5 = 0.375f * vf_load(r5 + 5 * LANES) - 0.708984375f * vf_load(r1 + 5 * LANES) - 0.333984375f * vf_load(r3 + 5 * LANES);
        const vf t1_5 = even_5 + odd_5;
        const vf t2_5 = even_5 - odd_5;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t1_0 + 0.0161132812f * t1_2 - 0.322265625f * t1_1 - 0.322265625f * t1_3 - 0.515625f * t1_4);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, -0.64453125f * t1_1 - 0.46875f * t1_2 - 0.64453125f * t1_3 - 0.46875f * t1_4);
        v += 3 * v_frequency; SOL_PIN(v); vf_store(v, 0.4296875f * t1_2 + 0.4296875f * t1_4 - 0.322265625f * t1_1 - 0.322265625f * t1_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.100708008f * t1_1 + 0.543212891f * t1_2 - 0.463867188f * t1_3 - 0.5859375f * t1_4);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.422973633f * t1_1 + 0.4296875f * t1_4 - 0.699462891f * t1_2 - 0.141601562f * t1_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.1953125f * t1_2 + 0.756835938f * t1_3 + 0.1953125f * t1_4 - 0.654602051f * t1_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.3125f * t1_2 + 0.3125f * t1_4 + 0.5f * t1_5 - 0.515625f * t1_1 - 0.015625f * t1_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t2_0 + 0.0161132812f * t2_2 - 0.322265625f * t2_1 - 0.322265625f * t2_3 - 0.515625f * t2_4);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, -0.64453125f * t2_1 - 0.46875f * t2_2 - 0.64453125f * t2_3 - 0.46875f * t2_4);
        v += 3 * v_frequency; SOL_PIN(v); vf_store(v, 0.4296875f * t2_2 + 0.4296875f * t2_4 - 0.322265625f * t2_1 - 0.322265625f * t2_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.100708008f * t2_1 + 0.543212891f * t2_2 - 0.463867188f * t2_3 - 0.5859375f * t2_4);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.422973633f * t2_1 + 0.4296875f * t2_4 - 0.699462891f * t2_2 - 0.141601562f * t2_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.1953125f * t2_2 + 0.756835938f * t2_3 + 0.1953125f * t2_4 - 0.654602051f * t2_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.3125f * t2_2 + 0.3125f * t2_4 + 0.5f * t2_5 - 0.515625f * t2_1 - 0.015625f * t2_3);
    }
    {
        const vf even_0 = 0.109375f * vf_load(r4 + 0 * LANES) + 0.25f * vf_load(r6 + 0 * LANES) - 0.140625f * vf_load(r2 + 0 * LANES), odd_0 = 0.150390625f * vf_load(r3 + 0 * LANES) + 0.34375f * vf_load(r5 + 0 * LANES) - 0.193359375f * vf_load(r1 + 0 * LANES);
        const vf t3_0 = even_0 + odd_0;
        const vf t4_0 = even_0 - odd_0;
        const vf even_1 = 0.109375f * vf_load(r4 + 1 * LANES) + 0.25f * vf_load(r6 + 1 * LANES) - 0.140625f * vf_load(r2 + 1 * LANES), odd_1 = 0.150390625f * vf_load(r3 + 1 * LANES) + 0.34375f * vf_load(r5 + 1 * LANES) - 0.193359375f * vf_load(r1 + 1 * LANES);
        const vf t3_1 = even_1 + odd_1;
        const vf t4_1 = even_1 - odd_1;
        const vf even_2 = 0.109375f * vf_load(r4 + 2 * LANES) + 0.25f * vf_load(r6 + 2 * LANES) - 0.140625f * vf_load(r2 + 2 * LANES), odd_2 = 0.150390625f * vf_load(r3 + 2 * LANES) + 0.34375f * vf_load(r5 + 2 * LANES) - 0.193359375f * vf_load(r1 + 2 * LANES);
        const vf t3_2 = even_2 + odd_2;
        const vf t4_2 = even_2 - odd_2;
        const vf even_3 = 0.109375f * vf_load(r4 + 3 * LANES) + 0.25f * vf_load(r6 + 3 * LANES) - 0.140625f * vf_load(r2 + 3 * LANES), odd_3 = 0.150390625f * vf_load(r3 + 3 * LANES) + 0.34375f * vf_load(r5 + 3 * LANES) - 0.193359375f * vf_load(r1 + 3 * LANES);
        const vf t3_3 = even_3 + odd_3;
        const vf t4_3 = even_3 - odd_3;
        const vf even_4 = 0.109375f * vf_load(r4 + 4 * LANES) + 0.25f * vf_load(r6 + 4 * LANES) - 0.140625f * vf_load(r2 + 4 * LANES), odd_4 = 0.150390625f * vf_load(r3 + 4 * LANES) + 0.34375f * vf_load(r5 + 4 * LANES) - 0.193359375f * vf_load(r1 + 4 * LANES);
        const vf t3_4 = even_4 + odd_4;
        const vf t4_4 = even_4 - odd_4;
        const vf even_5 = 0.109375f * vf_load(r4 + 5 * LANES) + 0.25f * vf_load(r6 + 5 * LANES) - 0.140625f * vf_load(r2 + 5 * LANES), odd_5 = 0.150390625f * vf_load(r3 + 5 * LANES) + 0.34375f * vf_load(r5 + 5 * LANES) - 0.193359375f * vf_load(r1 + 5 * LANES);
        const vf t3_5 = even_5 + odd_5;
        const vf t4_5 = even_5 - odd_5;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t3_0 + 0.0161132812f * t3_2 - 0.322265625f * t3_1 - 0.322265625f * t3_3 - 0.515625f * t3_4);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, -0.64453125f * t3_1 - 0.46875f * t3_2 - 0.64453125f * t3_3 - 0.46875f * t3_4);
        v += 3 * v_frequency; SOL_PIN(v); vf_store(v, 0.4296875f * t3_2 + 0.4296875f * t3_4 - 0.322265625f * t3_1 - 0.322265625f * t3_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.100708008f * t3_1 + 0.543212891f * t3_2 - 0.463867188f * t3_3 - 0.5859375f * t3_4);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.422973633f * t3_1 + 0.4296875f * t3_4 - 0.699462891f * t3_2 - 0.141601562f * t3_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.1953125f * t3_2 + 0.756835938f * t3_3 + 0.1953125f * t3_4 - 0.654602051f * t3_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.3125f * t3_2 + 0.3125f * t3_4 + 0.5f * t3_5 - 0.515625f * t3_1 - 0.015625f * t3_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t4_0 + 0.0161132812f * t4_2 - 0.322265625f * t4_1 - 0.322265625f * t4_3 - 0.515625f * t4_4);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, -0.64453125f * t4_1 - 0.46875f * t4_2 - 0.64453125f * t4_3 - 0.46875f * t4_4);
        v += 3 * v_frequency; SOL_PIN(v); vf_store(v, 0.4296875f * t4_2 + 0.4296875f * t4_4 - 0.322265625f * t4_1 - 0.322265625f * t4_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.100708008f * t4_1 + 0.543212891f * t4_2 - 0.463867188f * t4_3 - 0.5859375f * t4_4);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.422973633f * t4_1 + 0.4296875f * t4_4 - 0.699462891f * t4_2 - 0.141601562f * t4_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.1953125f * t4_2 + 0.756835938f * t4_3 + 0.1953125f * t4_4 - 0.654602051f * t4_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.3125f * t4_2 + 0.3125f * t4_4 + 0.5f * t4_5 - 0.515625f * t4_1 - 0.015625f * t4_3);
    }
    {
        const vf even_0 = 0.13293457f * vf_load(r1 + 0 * LANES) + 0.125f * vf_load(r5 + 0 * LANES) - 0.306640625f * vf_load(r3 + 0 * LANES), odd_0 = 0.265869141f * vf_load(r2 + 0 * LANES) + 0.25f * vf_load(r6 + 0 * LANES) - 0.61328125f * vf_load(r4 + 0 * LANES);
        const vf t5_0 = even_0 + odd_0;
        const vf t6_0 = even_0 - odd_0;
        const vf even_1 = 0.13293457f * vf_load(r1 + 1 * LANES) + 0.125f * vf_load(r5 + 1 * LANES) - 0.306640625f * vf_load(r3 + 1 * LANES), odd_1 = 0.265869141f * vf_load(r2 + 1 * LANES) + 0.25f * vf_load(r6 + 1 * LANES) - 0.61328125f * vf_load(r4 + 1 * LANES);
        const vf t5_1 = even_1 + odd_1;
        const vf t6_1 = even_1 - odd_1;
        const vf even_2 = 0.13293457f * vf_load(r1 + 2 * LANES) + 0.125f * vf_load(r5 + 2 * LANES) - 0.306640625f * vf_load(r3 + 2 * LANES), odd_2 = 0.265869141f * vf_load(r2 + 2 * LANES) + 0.25f * vf_load(r6 + 2 * LANES) - 0.61328125f * vf_load(r4 + 2 * LANES);
        const vf t5_2 = even_2 + odd_2;
        const vf t6_2 = even_2 - odd_2;
        const vf even_3 = 0.13293457f * vf_load(r1 + 3 * LANES) + 0.125f * vf_load(r5 + 3 * LANES) - 0.306640625f * vf_load(r3 + 3 * LANES), odd_3 = 0.265869141f * vf_load(r2 + 3 * LANES) + 0.25f * vf_load(r6 + 3 * LANES) - 0.61328125f * vf_load(r4 + 3 * LANES);
        const vf t5_3 = even_3 + odd_3;
        const vf t6_3 = even_3 - odd_3;
        const vf even_4 = 0.13293457f * vf_load(r1 + 4 * LANES) + 0.125f * vf_load(r5 + 4 * LANES) - 0.306640625f * vf_load(r3 + 4 * LANES), odd_4 = 0.265869141f * vf_load(r2 + 4 * LANES) + 0.25f * vf_load(r6 + 4 * LANES) - 0.61328125f * vf_load(r4 + 4 * LANES);
        const vf t5_4 = even_4 + odd_4;
        const vf t6_4 = even_4 - odd_4;
        const vf even_5 = 0.13293457f * vf_load(r1 + 5 * LANES) + 0.125f * vf_load(r5 + 5 * LANES) - 0.306640625f * vf_load(r3 + 5 * LANES), odd_5 = 0.265869141f * vf_load(r2 + 5 * LANES) + 0.25f * vf_load(r6 + 5 * LANES) - 0.61328125f * vf_load(r4 + 5 * LANES);
        const vf t5_5 = even_5 + odd_5;
        const vf t6_5 = even_5 - odd_5;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t5_0 + 0.0161132812f * t5_2 - 0.322265625f * t5_1 - 0.322265625f * t5_3 - 0.515625f * t5_4);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, -0.64453125f * t5_1 - 0.46875f * t5_2 - 0.64453125f * t5_3 - 0.46875f * t5_4);
        v += 3 * v_frequency; SOL_PIN(v); vf_store(v, 0.4296875f * t5_2 + 0.4296875f * t5_4 - 0.322265625f * t5_1 - 0.322265625f * t5_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.100708008f * t5_1 + 0.543212891f * t5_2 - 0.463867188f * t5_3 - 0.5859375f * t5_4);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.422973633f * t5_1 + 0.4296875f * t5_4 - 0.699462891f * t5_2 - 0.141601562f * t5_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.1953125f * t5_2 + 0.756835938f * t5_3 + 0.1953125f * t5_4 - 0.654602051f * t5_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.3125f * t5_2 + 0.3125f * t5_4 + 0.5f * t5_5 - 0.515625f * t5_1 - 0.015625f * t5_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t6_0 + 0.0161132812f * t6_2 - 0.322265625f * t6_1 - 0.322265625f * t6_3 - 0.515625f * t6_4);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, -0.64453125f * t6_1 - 0.46875f * t6_2 - 0.64453125f * t6_3 - 0.46875f * t6_4);
        v += 3 * v_frequency; SOL_PIN(v); vf_store(v, 0.4296875f * t6_2 + 0.4296875f * t6_4 - 0.322265625f * t6_1 - 0.322265625f * t6_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.100708008f * t6_1 + 0.543212891f * t6_2 - 0.463867188f * t6_3 - 0.5859375f * t6_4);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.422973633f * t6_1 + 0.4296875f * t6_4 - 0.699462891f * t6_2 - 0.141601562f * t6_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.1953125f * t6_2 + 0.756835938f * t6_3 + 0.1953125f * t6_4 - 0.654602051f * t6_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.3125f * t6_2 + 0.3125f * t6_4 + 0.5f * t6_5 - 0.515625f * t6_1 - 0.015625f * t6_3);
    }
    {
        const vf t7_0 = 0.766601562f * vf_load(r3 + 0 * LANES) - 0.332336426f * vf_load(r1 + 0 * LANES) - 0.3125f * vf_load(r5 + 0 * LANES);
        const vf t7_1 = 0.766601562f * vf_load(r3 + 1 * LANES) - 0.332336426f * vf_load(r1 + 1 * LANES) - 0.3125f * vf_load(r5 + 1 * LANES);
        const vf t7_2 = 0.766601562f * vf_load(r3 + 2 * LANES) - 0.332336426f * vf_load(r1 + 2 * LANES) - 0.3125f * vf_load(r5 + 2 * LANES);
        const vf t7_3 = 0.766601562f * vf_load(r3 + 3 * LANES) - 0.332336426f * vf_load(r1 + 3 * LANES) - 0.3125f * vf_load(r5 + 3 * LANES);
        const vf t7_4 = 0.766601562f * vf_load(r3 + 4 * LANES) - 0.332336426f * vf_load(r1 + 4 * LANES) - 0.3125f * vf_load(r5 + 4 * LANES);
        const vf t7_5 = 0.766601562f * vf_load(r3 + 5 * LANES) - 0.332336426f * vf_load(r1 + 5 * LANES) - 0.3125f * vf_load(r5 + 5 * LANES);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t7_0 + 0.0161132812f * t7_2 - 0.322265625f * t7_1 - 0.322265625f * t7_3 - 0.515625f * t7_4);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, -0.64453125f * t7_1 - 0.46875f * t7_2 - 0.64453125f * t7_3 - 0.46875f * t7_4);
        v += 3 * v_frequency; SOL_PIN(v); vf_store(v, 0.4296875f * t7_2 + 0.4296875f * t7_4 - 0.322265625f * t7_1 - 0.322265625f * t7_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.100708008f * t7_1 + 0.543212891f * t7_2 - 0.463867188f * t7_3 - 0.5859375f * t7_4);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.422973633f * t7_1 + 0.4296875f * t7_4 - 0.699462891f * t7_2 - 0.141601562f * t7_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.1953125f * t7_2 + 0.756835938f * t7_3 + 0.1953125f * t7_4 - 0.654602051f * t7_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.3125f * t7_2 + 0.3125f * t7_4 + 0.5f * t7_5 - 0.515625f * t7_1 - 0.015625f * t7_3);
    }
    {
        const vf t8_0 = 0.531738281f * vf_load(r1 + 0 * LANES) + 0.5f * vf_load(r7 + 0 * LANES) - 0.694824219f * vf_load(r3 + 0 * LANES) - 0.7265625f * vf_load(r5 + 0 * LANES);
        const vf t8_1 = 0.531738281f * vf_load(r1 + 1 * LANES) + 0.5f * vf_load(r7 + 1 * LANES) - 0.694824219f * vf_load(r3 + 1 * LANES) - 0.7265625f * vf_load(r5 + 1 * LANES);
        const vf t8_2 = 0.531738281f * vf_load(r1 + 2 * LANES) + 0.5f * vf_load(r7 + 2 * LANES) - 0.694824219f * vf_load(r3 + 2 * LANES) - 0.7265625f * vf_load(r5 + 2 * LANES);
        const vf t8_3 = 0.531738281f * vf_load(r1 + 3 * LANES) + 0.5f * vf_load(r7 + 3 * LANES) - 0.694824219f * vf_load(r3 + 3 * LANES) - 0.7265625f * vf_load(r5 + 3 * LANES);
        const vf t8_4 = 0.531738281f * vf_load(r1 + 4 * LANES) + 0.5f * vf_load(r7 + 4 * LANES) - 0.694824219f * vf_load(r3 + 4 * LANES) - 0.7265625f * vf_load(r5 + 4 * LANES);
        const vf t8_5 = 0.531738281f * vf_load(r1 + 5 * LANES) + 0.5f * vf_load(r7 + 5 * LANES) - 0.694824219f * vf_load(r3 + 5 * LANES) - 0.7265625f * vf_load(r5 + 5 * LANES);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t8_0 + 0.0161132812f * t8_2 - 0.322265625f * t8_1 - 0.322265625f * t8_3 - 0.515625f * t8_4);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, -0.64453125f * t8_1 - 0.46875f * t8_2 - 0.64453125f * t8_3 - 0.46875f * t8_4);
        v += 3 * v_frequency; SOL_PIN(v); vf_store(v, 0.4296875f * t8_2 + 0.4296875f * t8_4 - 0.322265625f * t8_1 - 0.322265625f * t8_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.100708008f * t8_1 + 0.543212891f * t8_2 - 0.463867188f * t8_3 - 0.5859375f * t8_4);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.422973633f * t8_1 + 0.4296875f * t8_4 - 0.699462891f * t8_2 - 0.141601562f * t8_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.1953125f * t8_2 + 0.756835938f * t8_3 + 0.1953125f * t8_4 - 0.654602051f * t8_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.3125f * t8_2 + 0.3125f * t8_4 + 0.5f * t8_5 - 0.515625f * t8_1 - 0.015625f * t8_3);
    }
}

/* v = B^T in B for LANES channels of one tile of 4 x 6. */
static __attribute__((noinline)) void transform_input_4x6(const float *in, int64_t in_row, float *v, int64_t v_frequency)
{
    const float *r0 = in, *r1 = r0 + in_row, *r2 = r1 + in_row, *r3 = r2 + in_row, *r4 = r3 + in_row, *r5 = r4 + in_row;
    {
        const vf t0_0 = 0.531738281f * vf_load(r0 + 0 * LANES) + 0.0161132812f * vf_load(r2 + 0 * LANES) - 0.322265625f * vf_load(r1 + 0 * LANES) - 0.322265625f * vf_load(r3 + 0 * LANES) - 0.515625f * vf_load(r4 + 0 * LANES);
        const vf t0_1 = 0.531738281f * vf_load(r0 + 1 * LANES) + 0.0161132812f * vf_load(r2 + 1 * LANES) - 0.322265625f * vf_load(r1 + 1 * LANES) - 0.322265625f * vf_load(r3 + 1 * LANES) - 0.515625f * vf_load(r4 + 1 * LANES);
        const vf t0_2 = 0.531738281f * vf_load(r0 + 2 * LANES) + 0.0161132812f * vf_load(r2 + 2 * LANES) - 0.322265625f * vf_load(r1 + 2 * LANES) - 0.322265625f * vf_load(r3 + 2 * LANES) - 0.515625f * vf_load(r4 + 2 * LANES);
        const vf t0_3 = 0.531738281f * vf_load(r0 + 3 * LANES) + 0.0161132812f * vf_load(r2 + 3 * LANES) - 0.322265625f * vf_load(r1 + 3 * LANES) - 0.322265625f * vf_load(r3 + 3 * LANES) - 0.515625f * vf_load(r4 + 3 * LANES);
        const vf t0_4 = 0.531738281f * vf_load(r0 + 4 * LANES) + 0.0161132812f * vf_load(r2 + 4 * LANES) - 0.322265625f * vf_load(r1 + 4 * LANES) - 0.322265625f * vf_load(r3 + 4 * LANES) - 0.515625f * vf_load(r4 + 4 * LANES);
        const vf t0_5 = 0.531738281f * vf_load(r0 + 5 * LANES) + 0.0161132812f * vf_load(r2 + 5 * LANES) - 0.322265625f * vf_load(r1 + 5 * LANES) - 0.322265625f * vf_load(r3 + 5 * LANES) - 0.515625f * vf_load(r4 + 5 * LANES);
        const vf t0_6 = 0.531738281f * vf_load(r0 + 6 * LANES) + 0.0161132812f * vf_load(r2 + 6 * LANES) - 0.322265625f * vf_load(r1 + 6 * LANES) - 0.322265625f * vf_load(r3 + 6 * LANES) - 0.515625f * vf_load(r4 + 6 * LANES);
        const vf t0_7 = 0.531738281f * vf_load(r0 + 7 * LANES) + 0.0161132812f * vf_load(r2 + 7 * LANES) - 0.322265625f * vf_load(r1 + 7 * LANES) - 0.322265625f * vf_load(r3 + 7 * LANES) - 0.515625f * vf_load(r4 + 7 * LANES);
        vf_store(v, 0.531738281f * t0_0 + 0.5f * t0_6 - 0.694824219f * t0_2 - 0.7265625f * t0_4);
        const vf even0_of_1 = 0.5f * t0_6 - 0.9453125f * t0_2 - 0.4453125f * t0_4, odd0_of_1 = 0.375f * t0_5 - 0.708984375f * t0_1 - 0.333984375f * t0_3;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even0_of_1 + odd0_of_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even0_of_1 - odd0_of_1);
        const vf even0_of_3 = 0.109375f * t0_4 + 0.25f * t0_6 - 0.140625f * t0_2, odd0_of_3 = 0.150390625f * t0_3 + 0.34375f * t0_5 - 0.193359375f * t0_1;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even0_of_3 + odd0_of_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even0_of_3 - odd0_of_3);
        const vf even0_of_5 = 0.13293457f * t0_1 + 0.125f * t0_5 - 0.306640625f * t0_3, odd0_of_5 = 0.265869141f * t0_2 + 0.25f * t0_6 - 0.61328125f * t0_4;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even0_of_5 + odd0_of_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even0_of_5 - odd0_of_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.766601562f * t0_3 - 0.332336426f * t0_1 - 0.3125f * t0_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t0_1 + 0.5f * t0_7 - 0.694824219f * t0_3 - 0.7265625f * t0_5);
    }
    {
        const vf t1_0 = -0.64453125f * vf_load(r1 + 0 * LANES) - 0.46875f * vf_load(r2 + 0 * LANES) - 0.64453125f * vf_load(r3 + 0 * LANES) - 0.46875f * vf_load(r4 + 0 * LANES);
        const vf t1_1 = -0.64453125f * vf_load(r1 + 1 * LANES) - 0.46875f * vf_load(r2 + 1 * LANES) - 0.64453125f * vf_load(r3 + 1 * LANES) - 0.46875f * vf_load(r4 + 1 * LANES);
        const vf t1_2 = -0.64453125f * vf_load(r1 + 2 * LANES) - 0.46875f * vf_load(r2 + 2 * LANES) - 0.64453125f * vf_load(r3 + 2 * LANES) - 0.46875f * vf_load(r4 + 2 * LANES);
        const vf t1_3 = -0.64453125f * vf_load(r1 + 3 * LANES) - 0.46875f * vf_load(r2 + 3 * LANES) - 0.64453125f * vf_load(r3 + 3 * LANES) - 0.46875f * vf_load(r4 + 3 * LANES);
        const vf t1_4 = -0.64453125f * vf_load(r1 + 4 * LANES) - 0.46875f * vf_load(r2 + 4 * LANES) - 0.64453125f * vf_load(r3 + 4 * LANES) - 0.46875f * vf_load(r4 + 4 * LANES);
        const vf t1_5 = -0.64453125f * vf_load(r1 + 5 * LANES) - 0.46875f * vf_load(r2 + 5 * LANES) - 0.64453125f * vf_load(r3 + 5 * LANES) - 0.46875f * vf_load(r4 + 5 * LANES);
        const vf t1_6 = -0.64453125f * vf_load(r1 + 6 * LANES) - 0.46875f * vf_load(r2 + 6 * LANES) - 0.64453125f * vf_load(r3 + 6 * LANES) - 0.46875f * vf_load(r4 + 6 * LANES);
        const vf t1_7 = -0.64453125f * vf_load(r1 + 7 * LANES) - 0.46875f * vf_load(r2 + 7 * LANES) - 0.64453125f * vf_load(r3 + 7 * LANES) - 0.46875f * vf_load(r4 + 7 * LANES);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t1_0 + 0.5f * t1_6 - 0.694824219f * t1_2 - 0.7265625f * t1_4);
        const vf even1_of_1 = 0.5f * t1_6 - 0.9453125f * t1_2 - 0.4453125f * t1_4, odd1_of_1 = 0.375f * t1_5 - 0.708984375f * t1_1 - 0.333984375f * t1_3;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even1_of_1 + odd1_of_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even1_of_1 - odd1_of_1);
        const vf even1_of_3 = 0.109375f * t1_4 + 0.25f * t1_6 - 0.140625f * t1_2, odd1_of_3 = 0.150390625f * t1_3 + 0.34375f * t1_5 - 0.193359375f * t1_1;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even1_of_3 + odd1_of_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even1_of_3 - odd1_of_3);
        const vf even1_of_5 = 0.13293457f * t1_1 + 0.125f * t1_5 - 0.306640625f * t1_3, odd1_of_5 = 0.265869141f * t1_2 + 0.25f * t1_6 - 0.61328125f * t1_4;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even1_of_5 + odd1_of_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even1_of_5 - odd1_of_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.766601562f * t1_3 - 0.332336426f * t1_1 - 0.3125f * t1_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t1_1 + 0.5f * t1_7 - 0.694824219f * t1_3 - 0.7265625f * t1_5);
    }
    {
        const vf t2_0 = 0.4296875f * vf_load(r2 + 0 * LANES) + 0.4296875f * vf_load(r4 + 0 * LANES) - 0.322265625f * vf_load(r1 + 0 * LANES) - 0.322265625f * vf_load(r3 + 0 * LANES);
        const vf t2_1 = 0.4296875f * vf_load(r2 + 1 * LANES) + 0.4296875f * vf_load(r4 + 1 * LANES) - 0.322265625f * vf_load(r1 + 1 * LANES) - 0.322265625f * vf_load(r3 + 1 * LANES);
        const vf t2_2 = 0.4296875f * vf_load(r2 + 2 * LANES) + 0.4296875f * vf_load(r4 + 2 * LANES) - 0.322265625f * vf_load(r1 + 2 * LANES) - 0.322265625f * vf_load(r3 + 2 * LANES);
        const vf t2_3 = 0.4296875f * vf_load(r2 + 3 * LANES) + 0.4296875f * vf_load(r4 + 3 * LANES) - 0.322265625f * vf_load(r1 + 3 * LANES) - 0.322265625f * vf_load(r3 + 3 * LANES);
        const vf t2_4 = 0.4296875f * vf_load(r2 + 4 * LANES) + 0.4296875f * vf_load(r4 + 4 * LANES) - 0.322265625f * vf_load(r1 + 4 * LANES) - 0.322265625f * vf_load(r3 + 4 * LANES);
        const vf t2_5 = 0.4296875f * vf_load(r2 + 5 * LANES) + 0.4296875f * vf_load(r4 + 5 * LANES) - 0.322265625f * vf_load(r1 + 5 * LANES) - 0.322265625f * vf_load(r3 + 5 * LANES);
        const vf t2_6 = 0.4296875f * vf_load(r2 + 6 * LANES) + 0.4296875f * vf_load(r4 + 6 * LANES) - 0.322265625f * vf_load(r1 + 6 * LANES) - 0.322265625f * vf_load(r3 + 6 * LANES);
        const vf t2_7 = 0.4296875f * vf_load(r2 + 7 * LANES) + 0.4296875f * vf_load(r4 + 7 * LANES) - 0.322265625f * vf_load(r1 + 7 * LANES) - 0.322265625f * vf_load(r3 + 7 * LANES);
        v += 19 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t2_0 + 0.5f * t2_6 - 0.694824219f * t2_2 - 0.7265625f * t2_4);
        const vf even2_of_1 = 0.5f * t2_6 - 0.9453125f * t2_2 - 0.4453125f * t2_4, odd2_of_1 = 0.375f * t2_5 - 0.708984375f * t2_1 - 0.333984375f * t2_3;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even2_of_1 + odd2_of_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even2_of_1 - odd2_of_1);
        const vf even2_of_3 = 0.109375f * t2_4 + 0.25f * t2_6 - 0.140625f * t2_2, odd2_of_3 = 0.150390625f * t2_3 + 0.34375f * t2_5 - 0.193359375f * t2_1;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even2_of_3 + odd2_of_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even2_of_3 - odd2_of_3);
        const vf even2_of_5 = 0.13293457f * t2_1 + 0.125f * t2_5 - 0.306640625f * t2_3, odd2_of_5 = 0.265869141f * t2_2 + 0.25f * t2_6 - 0.61328125f * t2_4;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even2_of_5 + odd2_of_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even2_of_5 - odd2_of_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.766601562f * t2_3 - 0.332336426f * t2_1 - 0.3125f * t2_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t2_1 + 0.5f * t2_7 - 0.694824219f * t2_3 - 0.7265625f * t2_5);
    }
    {
        const vf t3_0 = 0.100708008f * vf_load(r1 + 0 * LANES) + 0.543212891f * vf_load(r2 + 0 * LANES) - 0.463867188f * vf_load(r3 + 0 * LANES) - 0.5859375f * vf_load(r4 + 0 * LANES);
        const vf t3_1 = 0.100708008f * vf_load(r1 + 1 * LANES) + 0.543212891f * vf_load(r2 + 1 * LANES) - 0.463867188f * vf_load(r3 + 1 * LANES) - 0.5859375f * vf_load(r4 + 1 * LANES);
        const vf t3_2 = 0.100708008f * vf_load(r1 + 2 * LANES) + 0.543212891f * vf_load(r2 + 2 * LANES) - 0.463867188f * vf_load(r3 + 2 * LANES) - 0.5859375f * vf_load(r4 + 2 * LANES);
        const vf t3_3 = 0.100708008f * vf_load(r1 + 3 * LANES) + 0.543212891f * vf_load(r2 + 3 * LANES) - 0.463867188f * vf_load(r3 + 3 * LANES) - 0.5859375f * vf_load(r4 + 3 * LANES);
        const vf t3_4 = 0.100708008f * vf_load(r1 + 4 * LANES) + 0.543212891f * vf_load(r2 + 4 * LANES) - 0.463867188f * vf_load(r3 + 4 * LANES) - 0.5859375f * vf_load(r4 + 4 * LANES);
        const vf t3_5 = 0.100708008f * vf_load(r1 + 5 * LANES) + 0.543212891f * vf_load(r2 + 5 * LANES) - 0.463867188f * vf_load(r3 + 5 * LANES) - 0.5859375f * vf_load(r4 + 5 * LANES);
        const vf t3_6 = 0.100708008f * vf_load(r1 + 6 * LANES) + 0.543212891f * vf_load(r2 + 6 * LANES) - 0.463867188f * vf_load(r3 + 6 * LANES) - 0.5859375f * vf_load(r4 + 6 * LANES);
        const vf t3_7 = 0.100708008f * vf_load(r1 + 7 * LANES) + 0.543212891f * vf_load(r2 + 7 * LANES) - 0.463867188f * vf_load(r3 + 7 * LANES) - 0.5859375f * vf_load(r4 + 7 * LANES);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t3_0 + 0.5f * t3_6 - 0.694824219f * t3_2 - 0.7265625f * t3_4);
        const vf even3_of_1 = 0.5f * t3_6 - 0.9453125f * t3_2 - 0.4453125f * t3_4, odd3_of_1 = 0.375f * t3_5 - 0.708984375f * t3_1 - 0.333984375f * t3_3;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even3_of_1 + odd3_of_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even3_of_1 - odd3_of_1);
        const vf even3_of_3 = 0.109375f * t3_4 + 0.25f * t3_6 - 0.140625f * t3_2, odd3_of_3 = 0.150390625f * t3_3 + 0.34375f * t3_5 - 0.193359375f * t3_1;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even3_of_3 + odd3_of_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even3_of_3 - odd3_of_3);
        const vf even3_of_5 = 0.13293457f * t3_1 + 0.125f * t3_5 - 0.306640625f * t3_3, odd3_of_5 = 0.265869141f * t3_2 + 0.25f * t3_6 - 0.61328125f * t3_4;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even3_of_5 + odd3_of_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even3_of_5 - odd3_of_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.766601562f * t3_3 - 0.332336426f * t3_1 - 0.3125f * t3_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t3_1 + 0.5f * t3_7 - 0.694824219f * t3_3 - 0.7265625f * t3_5);
    }
    {
        const vf t4_0 = 0.422973633f * vf_load(r1 + 0 * LANES) + 0.4296875f * vf_load(r4 + 0 * LANES) - 0.699462891f * vf_load(r2 + 0 * LANES) - 0.141601562f * vf_load(r3 + 0 * LANES);
        const vf t4_1 = 0.422973633f * vf_load(r1 + 1 * LANES) + 0.4296875f * vf_load(r4 + 1 * LANES) - 0.699462891f * vf_load(r2 + 1 * LANES) - 0.141601562f * vf_load(r3 + 1 * LANES);
        const vf t4_2 = 0.422973633f * vf_load(r1 + 2 * LANES) + 0.4296875f * vf_load(r4 + 2 * LANES) - 0.699462891f * vf_load(r2 + 2 * LANES) - 0.141601562f * vf_load(r3 + 2 * LANES);
        const vf t4_3 = 0.422973633f * vf_load(r1 + 3 * LANES) + 0.4296875f * vf_load(r4 + 3 * LANES) - 0.699462891f * vf_load(r2 + 3 * LANES) - 0.141601562f * vf_load(r3 + 3 * LANES);
        const vf t4_4 = 0.422973633f * vf_load(r1 + 4 * LANES) + 0.4296875f * vf_load(r4 + 4 * LANES) - 0.699462891f * vf_load(r2 + 4 * LANES) - 0.141601562f * vf_load(r3 + 4 * LANES);
        const vf t4_5 = 0.422973633f * vf_load(r1 + 5 * LANES) + 0.4296875f * vf_load(r4 + 5 * LANES) - 0.699462891f * vf_load(r2 + 5 * LANES) - 0.141601562f * vf_load(r3 + 5 * LANES);
        const vf t4_6 = 0.422973633f * vf_load(r1 + 6 * LANES) + 0.4296875f * vf_load(r4 + 6 * LANES) - 0.699462891f * vf_load(r2 + 6 * LANES) - 0.141601562f * vf_load(r3 + 6 * LANES);
        const vf t4_7 = 0.422973633f * vf_load(r1 + 7 * LANES) + 0.4296875f * vf_load(r4 + 7 * LANES) - 0.699462891f * vf_load(r2 + 7 * LANES) - 0.141601562f * vf_load(r3 + 7 * LANES);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t4_0 + 0.5f * t4_6 - 0.694824219f * t4_2 - 0.7265625f * t4_4);
        const vf even4_of_1 = 0.5f * t4_6 - 0.9453125f * t4_2 - 0.4453125f * t4_4, odd4_of_1 = 0.375f * t4_5 - 0.708984375f * t4_1 - 0.333984375f * t4_3;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even4_of_1 + odd4_of_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even4_of_1 - odd4_of_1);
        const vf even4_of_3 = 0.109375f * t4_4 + 0.25f * t4_6 - 0.140625f * t4_2, odd4_of_3 = 0.150390625f * t4_3 + 0.34375f * t4_5 - 0.193359375f * t4_1;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even4_of_3 + odd4_of_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even4_of_3 - odd4_of_3);
        const vf even4_of_5 = 0.13293457f * t4_1 + 0.125f * t4_5 - 0.306640625f * t4_3, odd4_of_5 = 0.265869141f * t4_2 + 0.25f * t4_6 - 0.61328125f * t4_4;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even4_of_5 + odd4_of_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even4_of_5 - odd4_of_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.766601562f * t4_3 - 0.332336426f * t4_1 - 0.3125f * t4_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t4_1 + 0.5f * t4_7 - 0.694824219f * t4_3 - 0.7265625f * t4_5);
    }
    {
        const vf t5_0 = 0.1953125f * vf_load(r2 + 0 * LANES) + 0.756835938f * vf_load(r3 + 0 * LANES) + 0.1953125f * vf_load(r4 + 0 * LANES) - 0.654602051f * vf_load(r1 + 0 * LANES);
        const vf t5_1 = 0.1953125f * vf_load(r2 + 1 * LANES) + 0.756835938f * vf_load(r3 + 1 * LANES) + 0.1953125f * vf_load(r4 + 1 * LANES) - 0.654602051f * vf_load(r1 + 1 * LANES);
        const vf t5_2 = 0.1953125f * vf_load(r2 + 2 * LANES) + 0.756835938f * vf_load(r3 + 2 * LANES) + 0.1953125f * vf_load(r4 + 2 * LANES) - 0.654602051f * vf_load(r1 + 2 * LANES);
        const vf t5_3 = 0.1953125f * vf_load(r2 + 3 * LANES) + 0.756835938f * vf_load(r3 + 3 * LANES) + 0.1953125f * vf_load(r4 + 3 * LANES) - 0.654602051f * vf_load(r1 + 3 * LANES);
        const vf t5_4 = 0.1953125f * vf_load(r2 + 4 * LANES) + 0.756835938f * vf_load(r3 + 4 * LANES) + 0.1953125f * vf_load(r4 + 4 * LANES) - 0.654602051f * vf_load(r1 + 4 * LANES);
        const vf t5_5 = 0.1953125f * vf_load(r2 + 5 * LANES) + 0.756835938f * vf_load(r3 + 5 * LANES) + 0.1953125f * vf_load(r4 + 5 * LANES) - 0.654602051f * vf_load(r1 + 5 * LANES);
        const vf t5_6 = 0.1953125f * vf_load(r2 + 6 * LANES) + 0.756835938f * vf_load(r3 + 6 * LANES) + 0.1953125f * vf_load(r4 + 6 * LANES) - 0.654602051f * vf_load(r1 + 6 * LANES);
        const vf t5_7 = 0.1953125f * vf_load(r2 + 7 * LANES) + 0.756835938f * vf_load(r3 + 7 * LANES) + 0.1953125f * vf_load(r4 + 7 * LANES) - 0.654602051f * vf_load(r1 + 7 * LANES);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t5_0 + 0.5f * t5_6 - 0.694824219f * t5_2 - 0.7265625f * t5_4);
        const vf even5_of_1 = 0.5f * t5_6 - 0.9453125f * t5_2 - 0.4453125f * t5_4, odd5_of_1 = 0.375f * t5_5 - 0.708984375f * t5_1 - 0.333984375f * t5_3;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even5_of_1 + odd5_of_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even5_of_1 - odd5_of_1);
        const vf even5_of_3 = 0.109375f * t5_4 + 0.25f * t5_6 - 0.140625f * t5_2, odd5_of_3 = 0.150390625f * t5_3 + 0.34375f * t5_5 - 0.193359375f * t5_1;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even5_of_3 + odd5_of_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even5_of_3 - odd5_of_3);
        const vf even5_of_5 = 0.13293457f * t5_1 + 0.125f * t5_5 - 0.306640625f * t5_3, odd5_of_5 = 0.265869141f * t5_2 + 0.25f * t5_6 - 0.61328125f * t5_4;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even5_of_5 + odd5_of_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even5_of_5 - odd5_of_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.766601562f * t5_3 - 0.332336426f * t5_1 - 0.3125f * t5_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t5_1 + 0.5f * t5_7 - 0.694824219f * t5_3 - 0.7265625f * t5_5);
    }
    {
        const vf t6_0 = 0.3125f * vf_load(r2 + 0 * LANES) + 0.3125f * vf_load(r4 + 0 * LANES) + 0.5f * vf_load(r5 + 0 * LANES) - 0.515625f * vf_load(r1 + 0 * LANES) - 0.015625f * vf_load(r3 + 0 * LANES);
        const vf t6_1 = 0.3125f * vf_load(r2 + 1 * LANES) + 0.3125f * vf_load(r4 + 1 * LANES) + 0.5f * vf_load(r5 + 1 * LANES) - 0.515625f * vf_load(r1 + 1 * LANES) - 0.015625f * vf_load(r3 + 1 * LANES);
        const vf t6_2 = 0.3125f * vf_load(r2 + 2 * LANES) + 0.3125f * vf_load(r4 + 2 * LANES) + 0.5f * vf_load(r5 + 2 * LANES) - 0.515625f * vf_load(r1 + 2 * LANES) - 0.015625f * vf_load(r3 + 2 * LANES);
        const vf t6_3 = 0.3125f * vf_load(r2 + 3 * LANES) + 0.3125f * vf_load(r4 + 3 * LANES) + 0.5f * vf_load(r5 + 3 * LANES) - 0.515625f * vf_load(r1 + 3 * LANES) - 0.015625f * vf_load(r3 + 3 * LANES);
        const vf t6_4 = 0.3125f * vf_load(r2 + 4 * LANES) + 0.3125f * vf_load(r4 + 4 * LANES) + 0.5f * vf_load(r5 + 4 * LANES) - 0.515625f * vf_load(r1 + 4 * LANES) - 0.015625f * vf_load(r3 + 4 * LANES);
        const vf t6_5 = 0.3125f * vf_load(r2 + 5 * LANES) + 0.3125f * vf_load(r4 + 5 * LANES) + 0.5f * vf_load(r5 + 5 * LANES) - 0.515625f * vf_load(r1 + 5 * LANES) - 0.015625f * vf_load(r3 + 5 * LANES);
        const vf t6_6 = 0.3125f * vf_load(r2 + 6 * LANES) + 0.3125f * vf_load(r4 + 6 * LANES) + 0.5f * vf_load(r5 + 6 * LANES) - 0.515625f * vf_load(r1 + 6 * LANES) - 0.015625f * vf_load(r3 + 6 * LANES);
        const vf t6_7 = 0.3125f * vf_load(r2 + 7 * LANES) + 0.3125f * vf_load(r4 + 7 * LANES) + 0.5f * vf_load(r5 + 7 * LANES) - 0.515625f * vf_load(r1 + 7 * LANES) - 0.015625f * vf_load(r3 + 7 * LANES);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t6_0 + 0.5f * t6_6 - 0.694824219f * t6_2 - 0.7265625f * t6_4);
        const vf even6_of_1 = 0.5f * t6_6 - 0.9453125f * t6_2 - 0.4453125f * t6_4, odd6_of_1 = 0.375f * t6_5 - 0.708984375f * t6_1 - 0.333984375f * t6_3;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even6_of_1 + odd6_of_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even6_of_1 - odd6_of_1);
        const vf even6_of_3 = 0.109375f * t6_4 + 0.25f * t6_6 - 0.140625f * t6_2, odd6_of_3 = 0.150390625f * t6_3 + 0.34375f * t6_5 - 0.193359375f * t6_1;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even6_of_3 + odd6_of_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even6_of_3 - odd6_of_3);
        const vf even6_of_5 = 0.13293457f * t6_1 + 0.125f * t6_5 - 0.306640625f * t6_3, odd6_of_5 = 0.265869141f * t6_2 + 0.25f * t6_6 - 0.61328125f * t6_4;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even6_of_5 + odd6_of_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even6_of_5 - odd6_of_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.766601562f * t6_3 - 0.332336426f * t6_1 - 0.3125f * t6_5);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t6_1 + 0.5f * t6_7 - 0.694824219f * t6_3 - 0.7265625f * t6_5);
    }
}

/* v = B^T in B for LANES channels of one tile of 4 x 4. */
static __attribute__((noinline)) void transform_input_4x4(const float *in, int64_t in_row, float *v, int64_t v_frequency)
{
    const float *r0 = in, *r1 = r0 + in_row, *r2 = r1 + in_row, *r3 = r2 + in_row, *r4 = r3 + in_row, *r5 = r4 + in_row;
    {
        const vf t0_0 = 0.531738281f * vf_load(r0 + 0 * LANES) + 0.0161132812f * vf_load(r2 + 0 * LANES) - 0.322265625f * vf_load(r1 + 0 * LANES) - 0.322265625f * vf_load(r3 + 0 * LANES) - 0.515625f * vf_load(r4 + 0 * LANES);
        const vf t0_1 = 0.531738281f * vf_load(r0 + 1 * LANES) + 0.0161132812f * vf_load(r2 + 1 * LANES) - 0.322265625f * vf_load(r1 + 1 * LANES) - 0.322265625f * vf_load(r3 + 1 * LANES) - 0.515625f * vf_load(r4 + 1 * LANES);
        const vf t0_2 = 0.531738281f * vf_load(r0 + 2 * LANES) + 0.0161132812f * vf_load(r2 + 2 * LANES) - 0.322265625f * vf_load(r1 + 2 * LANES) - 0.322265625f * vf_load(r3 + 2 * LANES) - 0.515625f * vf_load(r4 + 2 * LANES);
        const vf t0_3 = 0.531738281f * vf_load(r0 + 3 * LANES) + 0.0161132812f * vf_load(r2 + 3 * LANES) - 0.322265625f * vf_load(r1 + 3 * LANES) - 0.322265625f * vf_load(r3 + 3 * LANES) - 0.515625f * vf_load(r4 + 3 * LANES);
        const vf t0_4 = 0.531738281f * vf_load(r0 + 4 * LANES) + 0.0161132812f * vf_load(r2 + 4 * LANES) - 0.322265625f * vf_load(r1 + 4 * LANES) - 0.322265625f * vf_load(r3 + 4 * LANES) - 0.515625f * vf_load(r4 + 4 * LANES);
        const vf t0_5 = 0.531738281f * vf_load(r0 + 5 * LANES) + 0.0161132812f * vf_load(r2 + 5 * LANES) - 0.322265625f * vf_load(r1 + 5 * LANES) - 0.322265625f * vf_load(r3 + 5 * LANES) - 0.515625f * vf_load(r4 + 5 * LANES);
        vf_store(v, 0.531738281f * t0_0 + 0.0161132812f * t0_2 - 0.322265625f * t0_1 - 0.322265625f * t0_3 - 0.515625f * t0_4);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, -0.64453125f * t0_1 - 0.46875f * t0_2 - 0.64453125f * t0_3 - 0.46875f * t0_4);
        v += 3 * v_frequency; SOL_PIN(v); vf_store(v, 0.4296875f * t0_2 + 0.4296875f * t0_4 - 0.322265625f * t0_1 - 0.322265625f * t0_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.100708008f * t0_1 + 0.543212891f * t0_2 - 0.463867188f * t0_3 - 0.5859375f * t0_4);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.422973633f * t0_1 + 0.4296875f * t0_4 - 0.699462891f * t0_2 - 0.141601562f * t0_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.1953125f * t0_2 + 0.756835938f * t0_3 + 0.1953125f * t0_4 - 0.654602051f * t0_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.3125f * t0_2 + 0.3125f * t0_4 + 0.5f * t0_5 - 0.515625f * t0_1 - 0.015625f * t0_3);
    }
    {
        const vf t1_0 = -0.64453125f * vf_load(r1 + 0 * LANES) - 0.46875f * vf_load(r2 + 0 * LANES) - 0.64453125f * vf_load(r3 + 0 * LANES) - 0.46875f * vf_load(r4 + 0 * LANES);
        const vf t1_1 = -0.64453125f * vf_load(r1 + 1 * LANES) - 0.46875f * vf_load(r2 + 1 * LANES) - 0.64453125f * vf_load(r3 + 1 * LANES) - 0.46875f * vf_load(r4 + 1 * LANES);
        const vf t1_2 = -0.64453125f * vf_load(r1 + 2 * LANES) - 0.46875f * vf_load(r2 + 2 * LANES) - 0.64453125f * vf_load(r3 + 2 * LANES) - 0.46875f * vf_load(r4 + 2 * LANES);
        const vf t1_3 = -0.64453125f * vf_load(r1 + 3 * LANES) - 0.46875f * vf_load(r2 + 3 * LANES) - 0.64453125f * vf_load(r3 + 3 * LANES) - 0.46875f * vf_load(r4 + 3 * LANES);
        const vf t1_4 = -0.64453125f * vf_load(r1 + 4 * LANES) - 0.46875f * vf_load(r2 + 4 * LANES) - 0.64453125f * vf_load(r3 + 4 * LANES) - 0.46875f * vf_load(r4 + 4 * LANES);
        const vf t1_5 = -0.64453125f * vf_load(r1 + 5 * LANES) - 0.46875f * vf_load(r2 + 5 * LANES) - 0.64453125f * vf_load(r3 + 5 * LANES) - 0.46875f * vf_load(r4 + 5 * LANES);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t1_0 + 0.0161132812f * t1_2 - 0.322265625f * t1_1 - 0.322265625f * t1_3 - 0.515625f * t1_4);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, -0.64453125f * t1_1 - 0.46875f * t1_2 - 0.64453125f * t1_3 - 0.46875f * t1_4);
        v += 3 * v_frequency; SOL_PIN(v); vf_store(v, 0.4296875f * t1_2 + 0.4296875f * t1_4 - 0.322265625f * t1_1 - 0.322265625f * t1_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.100708008f * t1_1 + 0.543212891f * t1_2 - 0.463867188f * t1_3 - 0.5859375f * t1_4);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.422973633f * t1_1 + 0.4296875f * t1_4 - 0.699462891f * t1_2 - 0.141601562f * t1_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.1953125f * t1_2 + 0.756835938f * t1_3 + 0.1953125f * t1_4 - 0.654602051f * t1_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.3125f * t1_2 + 0.3125f * t1_4 + 0.5f * t1_5 - 0.515625f * t1_1 - 0.015625f * t1_3);
    }
    {
        const vf t2_0 = 0.4296875f * vf_load(r2 + 0 * LANES) + 0.4296875f * vf_load(r4 + 0 * LANES) - 0.322265625f * vf_load(r1 + 0 * LANES) - 0.322265625f * vf_load(r3 + 0 * LANES);
        const vf t2_1 = 0.4296875f * vf_load(r2 + 1 * LANES) + 0.4296875f * vf_load(r4 + 1 * LANES) - 0.322265625f * vf_load(r1 + 1 * LANES) - 0.322265625f * vf_load(r3 + 1 * LANES);
        const vf t2_2 = 0.4296875f * vf_load(r2 + 2 * LANES) + 0.4296875f * vf_load(r4 + 2 * LANES) - 0.322265625f * vf_load(r1 + 2 * LANES) - 0.322265625f * vf_load(r3 + 2 * LANES);
        const vf t2_3 = 0.4296875f * vf_load(r2 + 3 * LANES) + 0.4296875f * vf_load(r4 + 3 * LANES) - 0.322265625f * vf_load(r1 + 3 * LANES) - 0.322265625f * vf_load(r3 + 3 * LANES);
        const vf t2_4 = 0.4296875f * vf_load(r2 + 4 * LANES) + 0.4296875f * vf_load(r4 + 4 * LANES) - 0.322265625f * vf_load(r1 + 4 * LANES) - 0.322265625f * vf_load(r3 + 4 * LANES);
        const vf t2_5 = 0.4296875f * vf_load(r2 + 5 * LANES) + 0.4296875f * vf_load(r4 + 5 * LANES) - 0.322265625f * vf_load(r1 + 5 * LANES) - 0.322265625f * vf_load(r3 + 5 * LANES);
        v += 19 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t2_0 + 0.0161132812f * t2_2 - 0.322265625f * t2_1 - 0.322265625f * t2_3 - 0.515625f * t2_4);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, -0.64453125f * t2_1 - 0.46875f * t2_2 - 0.64453125f * t2_3 - 0.46875f * t2_4);
        v += 3 * v_frequency; SOL_PIN(v); vf_store(v, 0.4296875f * t2_2 + 0.4296875f * t2_4 - 0.322265625f * t2_1 - 0.322265625f * t2_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.100708008f * t2_1 + 0.543212891f * t2_2 - 0.463867188f * t2_3 - 0.5859375f * t2_4);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.422973633f * t2_1 + 0.4296875f * t2_4 - 0.699462891f * t2_2 - 0.141601562f * t2_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.1953125f * t2_2 + 0.756835938f * t2_3 + 0.1953125f * t2_4 - 0.654602051f * t2_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.3125f * t2_2 + 0.3125f * t2_4 + 0.5f * t2_5 - 0.515625f * t2_1 - 0.015625f * t2_3);
    }
    {
        const vf t3_0 = 0.100708008f * vf_load(r1 + 0 * LANES) + 0.543212891f * vf_load(r2 + 0 * LANES) - 0.463867188f * vf_load(r3 + 0 * LANES) - 0.5859375f * vf_load(r4 + 0 * LANES);
        const vf t3_1 = 0.100708008f * vf_load(r1 + 1 * LANES) + 0.543212891f * vf_load(r2 + 1 * LANES) - 0.463867188f * vf_load(r3 + 1 * LANES) - 0.5859375f * vf_load(r4 + 1 * LANES);
        const vf t3_2 = 0.100708008f * vf_load(r1 + 2 * LANES) + 0.543212891f * vf_load(r2 + 2 * LANES) - 0.463867188f * vf_load(r3 + 2 * LANES) - 0.5859375f * vf_load(r4 + 2 * LANES);
        const vf t3_3 = 0.100708008f * vf_load(r1 + 3 * LANES) + 0.543212891f * vf_load(r2 + 3 * LANES) - 0.463867188f * vf_load(r3 + 3 * LANES) - 0.5859375f * vf_load(r4 + 3 * LANES);
        const vf t3_4 = 0.100708008f * vf_load(r1 + 4 * LANES) + 0.543212891f * vf_load(r2 + 4 * LANES) - 0.463867188f * vf_load(r3 + 4 * LANES) - 0.5859375f * vf_load(r4 + 4 * LANES);
        const vf t3_5 = 0.100708008f * vf_load(r1 + 5 * LANES) + 0.543212891f * vf_load(r2 + 5 * LANES) - 0.463867188f * vf_load(r3 + 5 * LANES) - 0.5859375f * vf_load(r4 + 5 * LANES);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t3_0 + 0.0161132812f * t3_2 - 0.322265625f * t3_1 - 0.322265625f * t3_3 - 0.515625f * t3_4);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, -0.64453125f * t3_1 - 0.46875f * t3_2 - 0.64453125f * t3_3 - 0.46875f * t3_4);
        v += 3 * v_frequency; SOL_PIN(v); vf_store(v, 0.4296875f * t3_2 + 0.4296875f * t3_4 - 0.322265625f * t3_1 - 0.322265625f * t3_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.100708008f * t3_1 + 0.543212891f * t3_2 - 0.463867188f * t3_3 - 0.5859375f * t3_4);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.422973633f * t3_1 + 0.4296875f * t3_4 - 0.699462891f * t3_2 - 0.141601562f * t3_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.1953125f * t3_2 + 0.756835938f * t3_3 + 0.1953125f * t3_4 - 0.654602051f * t3_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.3125f * t3_2 + 0.3125f * t3_4 + 0.5f * t3_5 - 0.515625f * t3_1 - 0.015625f * t3_3);
    }
    {
        const vf t4_0 = 0.422973633f * vf_load(r1 + 0 * LANES) + 0.4296875f * vf_load(r4 + 0 * LANES) - 0.699462891f * vf_load(r2 + 0 * LANES) - 0.141601562f * vf_load(r3 + 0 * LANES);
        const vf t4_1 = 0.422973633f * vf_load(r1 + 1 * LANES) + 0.4296875f * vf_load(r4 + 1 * LANES) - 0.699462891f * vf_load(r2 + 1 * LANES) - 0.141601562f * vf_load(r3 + 1 * LANES);
        const vf t4_2 = 0.422973633f * vf_load(r1 + 2 * LANES) + 0.4296875f * vf_load(r4 + 2 * LANES) - 0.699462891f * vf_load(r2 + 2 * LANES) - 0.141601562f * vf_load(r3 + 2 * LANES);
        const vf t4_3 = 0.422973633f * vf_load(r1 + 3 * LANES) + 0.4296875f * vf_load(r4 + 3 * LANES) - 0.699462891f * vf_load(r2 + 3 * LANES) - 0.141601562f * vf_load(r3 + 3 * LANES);
        const vf t4_4 = 0.422973633f * vf_load(r1 + 4 * LANES) + 0.4296875f * vf_load(r4 + 4 * LANES) - 0.699462891f * vf_load(r2 + 4 * LANES) - 0.141601562f * vf_load(r3 + 4 * LANES);
        const vf t4_5 = 0.422973633f * vf_load(r1 + 5 * LANES) + 0.4296875f * vf_load(r4 + 5 * LANES) - 0.699462891f * vf_load(r2 + 5 * LANES) - 0.141601562f * vf_load(r3 + 5 * LANES);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t4_0 + 0.0161132812f * t4_2 - 0.322265625f * t4_1 - 0.322265625f * t4_3 - 0.515625f * t4_4);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, -0.64453125f * t4_1 - 0.46875f * t4_2 - 0.64453125f * t4_3 - 0.46875f * t4_4);
        v += 3 * v_frequency; SOL_PIN(v); vf_store(v, 0.4296875f * t4_2 + 0.4296875f * t4_4 - 0.322265625f * t4_1 - 0.322265625f * t4_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.100708008f * t4_1 + 0.543212891f * t4_2 - 0.463867188f * t4_3 - 0.5859375f * t4_4);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.422973633f * t4_1 + 0.4296875f * t4_4 - 0.699462891f * t4_2 - 0.141601562f * t4_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.1953125f * t4_2 + 0.756835938f * t4_3 + 0.1953125f * t4_4 - 0.654602051f * t4_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.3125f * t4_2 + 0.3125f * t4_4 + 0.5f * t4_5 - 0.515625f * t4_1 - 0.015625f * t4_3);
    }
    {
        const vf t5_0 = 0.1953125f * vf_load(r2 + 0 * LANES) + 0.756835938f * vf_load(r3 + 0 * LANES) + 0.1953125f * vf_load(r4 + 0 * LANES) - 0.654602051f * vf_load(r1 + 0 * LANES);
        const vf t5_1 = 0.1953125f * vf_load(r2 + 1 * LANES) + 0.756835938f * vf_load(r3 + 1 * LANES) + 0.1953125f * vf_load(r4 + 1 * LANES) - 0.654602051f * vf_load(r1 + 1 * LANES);
        const vf t5_2 = 0.1953125f * vf_load(r2 + 2 * LANES) + 0.756835938f * vf_load(r3 + 2 * LANES) + 0.1953125f * vf_load(r4 + 2 * LANES) - 0.654602051f * vf_load(r1 + 2 * LANES);
        const vf t5_3 = 0.1953125f * vf_load(r2 + 3 * LANES) + 0.756835938f * vf_load(r3 + 3 * LANES) + 0.1953125f * vf_load(r4 + 3 * LANES) - 0.654602051f * vf_load(r1 + 3 * LANES);
        const vf t5_4 = 0.1953125f * vf_load(r2 + 4 * LANES) + 0.756835938f * vf_load(r3 + 4 * LANES) + 0.1953125f * vf_load(r4 + 4 * LANES) - 0.654602051f * vf_load(r1 + 4 * LANES);
        const vf t5_5 = 0.1953125f * vf_load(r2 + 5 * LANES) + 0.756835938f * vf_load(r3 + 5 * LANES) + 0.1953125f * vf_load(r4 + 5 * LANES) - 0.654602051f * vf_load(r1 + 5 * LANES);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t5_0 + 0.0161132812f * t5_2 - 0.322265625f * t5_1 - 0.322265625f * t5_3 - 0.515625f * t5_4);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, -0.64453125f * t5_1 - 0.46875f * t5_2 - 0.64453125f * t5_3 - 0.46875f * t5_4);
        v += 3 * v_frequency; SOL_PIN(v); vf_store(v, 0.4296875f * t5_2 + 0.4296875f * t5_4 - 0.322265625f * t5_1 - 0.322265625f * t5_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.100708008f * t5_1 + 0.543212891f * t5_2 - 0.463867188f * t5_3 - 0.5859375f * t5_4);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.422973633f * t5_1 + 0.4296875f * t5_4 - 0.699462891f * t5_2 - 0.141601562f * t5_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.1953125f * t5_2 + 0.756835938f * t5_3 + 0.1953125f * t5_4 - 0.654602051f * t5_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.3125f * t5_2 + 0.3125f * t5_4 + 0.5f * t5_5 - 0.515625f * t5_1 - 0.015625f * t5_3);
    }
    {
        const vf t6_0 = 0.3125f * vf_load(r2 + 0 * LANES) + 0.3125f * vf_load(r4 + 0 * LANES) + 0.5f * vf_load(r5 + 0 * LANES) - 0.515625f * vf_load(r1 + 0 * LANES) - 0.015625f * vf_load(r3 + 0 * LANES);
        const vf t6_1 = 0.3125f * vf_load(r2 + 1 * LANES) + 0.3125f * vf_load(r4 + 1 * LANES) + 0.5f * vf_load(r5 + 1 * LANES) - 0.515625f * vf_load(r1 + 1 * LANES) - 0.015625f * vf_load(r3 + 1 * LANES);
        const vf t6_2 = 0.3125f * vf_load(r2 + 2 * LANES) + 0.3125f * vf_load(r4 + 2 * LANES) + 0.5f * vf_load(r5 + 2 * LANES) - 0.515625f * vf_load(r1 + 2 * LANES) - 0.015625f * vf_load(r3 + 2 * LANES);
        const vf t6_3 = 0.3125f * vf_load(r2 + 3 * LANES) + 0.3125f * vf_load(r4 + 3 * LANES) + 0.5f * vf_load(r5 + 3 * LANES) - 0.515625f * vf_load(r1 + 3 * LANES) - 0.015625f * vf_load(r3 + 3 * LANES);
        const vf t6_4 = 0.3125f * vf_load(r2 + 4 * LANES) + 0.3125f * vf_load(r4 + 4 * LANES) + 0.5f * vf_load(r5 + 4 * LANES) - 0.515625f * vf_load(r1 + 4 * LANES) - 0.015625f * vf_load(r3 + 4 * LANES);
        const vf t6_5 = 0.3125f * vf_load(r2 + 5 * LANES) + 0.3125f * vf_load(r4 + 5 * LANES) + 0.5f * vf_load(r5 + 5 * LANES) - 0.515625f * vf_load(r1 + 5 * LANES) - 0.015625f * vf_load(r3 + 5 * LANES);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.531738281f * t6_0 + 0.0161132812f * t6_2 - 0.322265625f * t6_1 - 0.322265625f * t6_3 - 0.515625f * t6_4);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, -0.64453125f * t6_1 - 0.46875f * t6_2 - 0.64453125f * t6_3 - 0.46875f * t6_4);
        v += 3 * v_frequency; SOL_PIN(v); vf_store(v, 0.4296875f * t6_2 + 0.4296875f * t6_4 - 0.322265625f * t6_1 - 0.322265625f * t6_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.100708008f * t6_1 + 0.543212891f * t6_2 - 0.463867188f * t6_3 - 0.5859375f * t6_4);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.422973633f * t6_1 + 0.4296875f * t6_4 - 0.699462891f * t6_2 - 0.141601562f * t6_3);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.1953125f * t6_2 + 0.756835938f * t6_3 + 0.1953125f * t6_4 - 0.654602051f * t6_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, 0.3125f * t6_2 + 0.3125f * t6_4 + 0.5f * t6_5 - 0.515625f * t6_1 - 0.015625f * t6_3);
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
        case 0: transform_input_6x6(at, c->in_row, v, c->v_frequency); break;
        case 1: transform_input_6x4(at, c->in_row, v, c->v_frequency); break;
        case 2: transform_input_4x6(at, c->in_row, v, c->v_frequency); break;
        case 3: transform_input_4x4(at, c->in_row, v, c->v_frequency); break;
        }
    }
}

/* One frequency of 2 vectors x some tiles. The next weights are prefetched evenly: one touch per channel, ``pace`` bytes apart. */
static __attribute__((noinline)) void multiply_14(const conv *c, const float *v, const float *w, float *m, const char *ahead, int64_t pace)
{
    const int64_t blocks = c->in_blocks, last = c->in_last, v_block = c->v_block;
    for (int64_t done = 0, end; done < blocks; done = end) {
        vf a0_0 = vf_zero(), a0_1 = vf_zero(), a0_2 = vf_zero(), a0_3 = vf_zero(), a0_4 = vf_zero(), a0_5 = vf_zero(), a0_6 = vf_zero(), a0_7 = vf_zero(), a0_8 = vf_zero(), a0_9 = vf_zero(), a0_10 = vf_zero(), a0_11 = vf_zero(), a0_12 = vf_zero(), a0_13 = vf_zero();
        vf a1_0 = vf_zero(), a1_1 = vf_zero(), a1_2 = vf_zero(), a1_3 = vf_zero(), a1_4 = vf_zero(), a1_5 = vf_zero(), a1_6 = vf_zero(), a1_7 = vf_zero(), a1_8 = vf_zero(), a1_9 = vf_zero(), a1_10 = vf_zero(), a1_11 = vf_zero(), a1_12 = vf_zero(), a1_13 = vf_zero();
        end = blocks - done > 4 ? done + 4 : blocks;
        for (int64_t block = done + 1; block <= end; block++, v += v_block) {
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
        if (done) {
            a0_0 += vf_load(m + 0 * PANEL + 0 * LANES);
            a1_0 += vf_load(m + 0 * PANEL + 1 * LANES);
            a0_1 += vf_load(m + 1 * PANEL + 0 * LANES);
            a1_1 += vf_load(m + 1 * PANEL + 1 * LANES);
            a0_2 += vf_load(m + 2 * PANEL + 0 * LANES);
            a1_2 += vf_load(m + 2 * PANEL + 1 * LANES);
            a0_3 += vf_load(m + 3 * PANEL + 0 * LANES);
            a1_3 += vf_load(m + 3 * PANEL + 1 * LANES);
            a0_4 += vf_load(m + 4 * PANEL + 0 * LANES);
            a1_4 += vf_load(m + 4 * PANEL + 1 * LANES);
            a0_5 += vf_load(m + 5 * PANEL + 0 * LANES);
            a1_5 += vf_load(m + 5 * PANEL + 1 * LANES);
            a0_6 += vf_load(m + 6 * PANEL + 0 * LANES);
            a1_6 += vf_load(m + 6 * PANEL + 1 * LANES);
            a0_7 += vf_load(m + 7 * PANEL + 0 * LANES);
            a1_7 += vf_load(m + 7 * PANEL + 1 * LANES);
            a0_8 += vf_load(m + 8 * PANEL + 0 * LANES);
            a1_8 += vf_load(m + 8 * PANEL + 1 * LANES);
            a0_9 += vf_load(m + 9 * PANEL + 0 * LANES);
            a1_9 += vf_load(m + 9 * PANEL + 1 * LANES);
            a0_10 += vf_load(m + 10 * PANEL + 0 * LANES);
            a1_10 += vf_load(m + 10 * PANEL + 1 * LANES);
            a0_11 += vf_load(m + 11 * PANEL + 0 * LANES);
            a1_11 += vf_load(m + 11 * PANEL + 1 * LANES);
            a0_12 += vf_load(m + 12 * PANEL + 0 * LANES);
            a1_12 += vf_load(m + 12 * PANEL + 1 * LANES);
            a0_13 += vf_load(m + 13 * PANEL + 0 * LANES);
            a1_13 += vf_load(m + 13 * PANEL + 1 * LANES);
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
}

static __attribute__((noinline)) void multiply_13(const conv *c, const float *v, const float *w, float *m, const char *ahead, int64_t pace)
{
    const int64_t blocks = c->in_blocks, last = c->in_last, v_block = c->v_block;
    for (int64_t done = 0, end; done < blocks; done = end) {
        vf a0_0 = vf_zero(), a0_1 = vf_zero(), a0_2 = vf_zero(), a0_3 = vf_zero(), a0_4 = vf_zero(), a0_5 = vf_zero(), a0_6 = vf_zero(), a0_7 = vf_zero(), a0_8 = vf_zero(), a0_9 = vf_zero(), a0_10 = vf_zero(), a0_11 = vf_zero(), a0_12 = vf_zero();
        vf a1_0 = vf_zero(), a1_1 = vf_zero(), a1_2 = vf_zero(), a1_3 = vf_zero(), a1_4 = vf_zero(), a1_5 = vf_zero(), a1_6 = vf_zero(), a1_7 = vf_zero(), a1_8 = vf_zero(), a1_9 = vf_zero(), a1_10 = vf_zero(), a1_11 = vf_zero(), a1_12 = vf_zero();
        end = blocks - done > 4 ? done + 4 : blocks;
        for (int64_t block = done + 1; block <= end; block++, v += v_block) {
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
                }
                SOL_FENCE();
            }
        }
        if (done) {
            a0_0 += vf_load(m + 0 * PANEL + 0 * LANES);
            a1_0 += vf_load(m + 0 * PANEL + 1 * LANES);
            a0_1 += vf_load(m + 1 * PANEL + 0 * LANES);
            a1_1 += vf_load(m + 1 * PANEL + 1 * LANES);
            a0_2 += vf_load(m + 2 * PANEL + 0 * LANES);
            a1_2 += vf_load(m + 2 * PANEL + 1 * LANES);
            a0_3 += vf_load(m + 3 * PANEL + 0 * LANES);
            a1_3 += vf_load(m + 3 * PANEL + 1 * LANES);
            a0_4 += vf_load(m + 4 * PANEL + 0 * LANES);
            a1_4 += vf_load(m + 4 * PANEL + 1 * LANES);
            a0_5 += vf_load(m + 5 * PANEL + 0 * LANES);
            a1_5 += vf_load(m + 5 * PANEL + 1 * LANES);
            a0_6 += vf_load(m + 6 * PANEL + 0 * LANES);
            a1_6 += vf_load(m + 6 * PANEL + 1 * LANES);
            a0_7 += vf_load(m + 7 * PANEL + 0 * LANES);
            a1_7 += vf_load(m + 7 * PANEL + 1 * LANES);
            a0_8 += vf_load(m + 8 * PANEL + 0 * LANES);
            a1_8 += vf_load(m + 8 * PANEL + 1 * LANES);
            a0_9 += vf_load(m + 9 * PANEL + 0 * LANES);
            a1_9 += vf_load(m + 9 * PANEL + 1 * LANES);
            a0_10 += vf_load(m + 10 * PANEL + 0 * LANES);
            a1_10 += vf_load(m + 10 * PANEL + 1 * LANES);
            a0_11 += vf_load(m + 11 * PANEL + 0 * LANES);
            a1_11 += vf_load(m + 11 * PANEL + 1 * LANES);
            a0_12 += vf_load(m + 12 * PANEL + 0 * LANES);
            a1_12 += vf_load(m + 12 * PANEL + 1 * LANES);
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
    }
}

static __attribute__((noinline)) void multiply_8(const conv *c, const float *v, const float *w, float *m, const char *ahead, int64_t pace)
{
    const int64_t blocks = c->in_blocks, last = c->in_last, v_block = c->v_block;
    for (int64_t done = 0, end; done < blocks; done = end) {
        vf a0_0 = vf_zero(), a0_1 = vf_zero(), a0_2 = vf_zero(), a0_3 = vf_zero(), a0_4 = vf_zero(), a0_5 = vf_zero(), a0_6 = vf_zero(), a0_7 = vf_zero();
        vf a1_0 = vf_zero(), a1_1 = vf_zero(), a1_2 = vf_zero(), a1_3 = vf_zero(), a1_4 = vf_zero(), a1_5 = vf_zero(), a1_6 = vf_zero(), a1_7 = vf_zero();
        end = blocks - done > 4 ? done + 4 : blocks;
        for (int64_t block = done + 1; block <= end; block++, v += v_block) {
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
        if (done) {
            a0_0 += vf_load(m + 0 * PANEL + 0 * LANES);
            a1_0 += vf_load(m + 0 * PANEL + 1 * LANES);
            a0_1 += vf_load(m + 1 * PANEL + 0 * LANES);
            a1_1 += vf_load(m + 1 * PANEL + 1 * LANES);
            a0_2 += vf_load(m + 2 * PANEL + 0 * LANES);
            a1_2 += vf_load(m + 2 * PANEL + 1 * LANES);
            a0_3 += vf_load(m + 3 * PANEL + 0 * LANES);
            a1_3 += vf_load(m + 3 * PANEL + 1 * LANES);
            a0_4 += vf_load(m + 4 * PANEL + 0 * LANES);
            a1_4 += vf_load(m + 4 * PANEL + 1 * LANES);
            a0_5 += vf_load(m + 5 * PANEL + 0 * LANES);
            a1_5 += vf_load(m + 5 * PANEL + 1 * LANES);
            a0_6 += vf_load(m + 6 * PANEL + 0 * LANES);
            a1_6 += vf_load(m + 6 * PANEL + 1 * LANES);
            a0_7 += vf_load(m + 7 * PANEL + 0 * LANES);
            a1_7 += vf_load(m + 7 * PANEL + 1 * LANES);
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
}

static __attribute__((noinline)) void multiply_4(const conv *c, const float *v, const float *w, float *m, const char *ahead, int64_t pace)
{
    const int64_t blocks = c->in_blocks, last = c->in_last, v_block = c->v_block;
    for (int64_t done = 0, end; done < blocks; done = end) {
        vf a0_0 = vf_zero(), a0_1 = vf_zero(), a0_2 = vf_zero(), a0_3 = vf_zero();
        vf a1_0 = vf_zero(), a1_1 = vf_zero(), a1_2 = vf_zero(), a1_3 = vf_zero();
        end = blocks - done > 4 ? done + 4 : blocks;
        for (int64_t block = done + 1; block <= end; block++, v += v_block) {
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
        if (done) {
            a0_0 += vf_load(m + 0 * PANEL + 0 * LANES);
            a1_0 += vf_load(m + 0 * PANEL + 1 * LANES);
            a0_1 += vf_load(m + 1 * PANEL + 0 * LANES);
            a1_1 += vf_load(m + 1 * PANEL + 1 * LANES);
            a0_2 += vf_load(m + 2 * PANEL + 0 * LANES);
            a1_2 += vf_load(m + 2 * PANEL + 1 * LANES);
            a0_3 += vf_load(m + 3 * PANEL + 0 * LANES);
            a1_3 += vf_load(m + 3 * PANEL + 1 * LANES);
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
}

static const unsigned char first[] = {0, 4, 4, 4, 4, 8, 8, 8, 8, 8, 8, 8, 8, 13, 14, 8, 8, 13, 14, 8, 8, 13, 14, 8, 8, 13, 13, 14}; /* width that starts the cheapest cover of so many tiles */

static inline int64_t next_width(int64_t tiles) { return tiles < 28 ? first[tiles] : 14; }

/* All frequencies of one channel group and slots t0 … t1 - 1; v: that of slot 0, m: that of slot t0. */
static void multiply(const conv *c, const spans *s, int64_t t0, int64_t t1, const float *v, const float *w, float *m)
{
    static const unsigned char kinds[] = {0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 2, 2, 3, 3, 2, 2, 2, 2, 2, 2, 2, 3, 3, 2, 2, 2, 2, 2, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0}; /* of each frequency, as in spans */
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
            case 13: multiply_13(c, v + t * LANES, w, m + (t - t0) * PANEL, ahead, pace[kind]); break;
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

/* out = tail(bias + A^T m A) for one vector of one tile of 6 x 6. */
static __attribute__((noinline)) void transform_output_6x6(const conv *c, const float *m, int64_t kb, const place *p)
{
    vf t[6][9];
    float *out = c->out + p->n * c->out_n + kb * c->out_cb + p->y * c->out_row + p->x * LANES;
    {
        const vf m0 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m4 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m5 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m6 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m7 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m8 = vf_load(m);
        const vf sum1 = m1 + m2, difference1 = m1 - m2;
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        const vf sum5 = m5 + m6, difference5 = m5 - m6;
        t[0][0] = m0 + sum1 + sum3 + sum5;
        t[1][0] = m7 + 0.75f * difference1 + 1.375f * difference3 + 0.5f * difference5;
        t[2][0] = 0.5625f * sum1 + 1.890625f * sum3 - sum5;
        t[3][0] = 0.421875f * difference1 + 2.59960938f * difference3 - m7 - 0.5f * difference5;
        t[4][0] = sum5 + 0.31640625f * sum1 + 3.57446289f * sum3;
        t[5][0] = m7 + m8 + 0.237304688f * difference1 + 4.91488647f * difference3 + 0.5f * difference5;
    }
    {
        m += -71 * c->m_frequency; SOL_PIN(m); const vf m0 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m4 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m5 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m6 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m7 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m8 = vf_load(m);
        const vf sum1 = m1 + m2, difference1 = m1 - m2;
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        const vf sum5 = m5 + m6, difference5 = m5 - m6;
        t[0][1] = m0 + sum1 + sum3 + sum5;
        t[1][1] = m7 + 0.75f * difference1 + 1.375f * difference3 + 0.5f * difference5;
        t[2][1] = 0.5625f * sum1 + 1.890625f * sum3 - sum5;
        t[3][1] = 0.421875f * difference1 + 2.59960938f * difference3 - m7 - 0.5f * difference5;
        t[4][1] = sum5 + 0.31640625f * sum1 + 3.57446289f * sum3;
        t[5][1] = m7 + m8 + 0.237304688f * difference1 + 4.91488647f * difference3 + 0.5f * difference5;
    }
    {
        m += -71 * c->m_frequency; SOL_PIN(m); const vf m0 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m4 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m5 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m6 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m7 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m8 = vf_load(m);
        const vf sum1 = m1 + m2, difference1 = m1 - m2;
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        const vf sum5 = m5 + m6, difference5 = m5 - m6;
        t[0][2] = m0 + sum1 + sum3 + sum5;
        t[1][2] = m7 + 0.75f * difference1 + 1.375f * difference3 + 0.5f * difference5;
        t[2][2] = 0.5625f * sum1 + 1.890625f * sum3 - sum5;
        t[3][2] = 0.421875f * difference1 + 2.59960938f * difference3 - m7 - 0.5f * difference5;
        t[4][2] = sum5 + 0.31640625f * sum1 + 3.57446289f * sum3;
        t[5][2] = m7 + m8 + 0.237304688f * difference1 + 4.91488647f * difference3 + 0.5f * difference5;
    }
    {
        m += -71 * c->m_frequency; SOL_PIN(m); const vf m0 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m4 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m5 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m6 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m7 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m8 = vf_load(m);
        const vf sum1 = m1 + m2, difference1 = m1 - m2;
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        const vf sum5 = m5 + m6, difference5 = m5 - m6;
        t[0][3] = m0 + sum1 + sum3 + sum5;
        t[1][3] = m7 + 0.75f * difference1 + 1.375f * difference3 + 0.5f * difference5;
        t[2][3] = 0.5625f * sum1 + 1.890625f * sum3 - sum5;
        t[3][3] = 0.421875f * difference1 + 2.59960938f * difference3 - m7 - 0.5f * difference5;
        t[4][3] = sum5 + 0.31640625f * sum1 + 3.57446289f * sum3;
        t[5][3] = m7 + m8 + 0.237304688f * difference1 + 4.91488647f * difference3 + 0.5f * difference5;
    }
    {
        m += -71 * c->m_frequency; SOL_PIN(m); const vf m0 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m4 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m5 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m6 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m7 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m8 = vf_load(m);
        const vf sum1 = m1 + m2, difference1 = m1 - m2;
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        const vf sum5 = m5 + m6, difference5 = m5 - m6;
        t[0][4] = m0 + sum1 + sum3 + sum5;
        t[1][4] = m7 + 0.75f * difference1 + 1.375f * difference3 + 0.5f * difference5;
        t[2][4] = 0.5625f * sum1 + 1.890625f * sum3 - sum5;
        t[3][4] = 0.421875f * difference1 + 2.59960938f * difference3 - m7 - 0.5f * difference5;
        t[4][4] = sum5 + 0.31640625f * sum1 + 3.57446289f * sum3;
        t[5][4] = m7 + m8 + 0.237304688f * difference1 + 4.91488647f * difference3 + 0.5f * difference5;
    }
    {
        m += -71 * c->m_frequency; SOL_PIN(m); const vf m0 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m4 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m5 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m6 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m7 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m8 = vf_load(m);
        const vf sum1 = m1 + m2, difference1 = m1 - m2;
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        const vf sum5 = m5 + m6, difference5 = m5 - m6;
        t[0][5] = m0 + sum1 + sum3 + sum5;
        t[1][5] = m7 + 0.75f * difference1 + 1.375f * difference3 + 0.5f * difference5;
        t[2][5] = 0.5625f * sum1 + 1.890625f * sum3 - sum5;
        t[3][5] = 0.421875f * difference1 + 2.59960938f * difference3 - m7 - 0.5f * difference5;
        t[4][5] = sum5 + 0.31640625f * sum1 + 3.57446289f * sum3;
        t[5][5] = m7 + m8 + 0.237304688f * difference1 + 4.91488647f * difference3 + 0.5f * difference5;
    }
    {
        m += -71 * c->m_frequency; SOL_PIN(m); const vf m0 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m4 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m5 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m6 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m7 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m8 = vf_load(m);
        const vf sum1 = m1 + m2, difference1 = m1 - m2;
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        const vf sum5 = m5 + m6, difference5 = m5 - m6;
        t[0][6] = m0 + sum1 + sum3 + sum5;
        t[1][6] = m7 + 0.75f * difference1 + 1.375f * difference3 + 0.5f * difference5;
        t[2][6] = 0.5625f * sum1 + 1.890625f * sum3 - sum5;
        t[3][6] = 0.421875f * difference1 + 2.59960938f * difference3 - m7 - 0.5f * difference5;
        t[4][6] = sum5 + 0.31640625f * sum1 + 3.57446289f * sum3;
        t[5][6] = m7 + m8 + 0.237304688f * difference1 + 4.91488647f * difference3 + 0.5f * difference5;
    }
    {
        m += -71 * c->m_frequency; SOL_PIN(m); const vf m0 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m4 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m5 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m6 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m7 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m8 = vf_load(m);
        const vf sum1 = m1 + m2, difference1 = m1 - m2;
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        const vf sum5 = m5 + m6, difference5 = m5 - m6;
        t[0][7] = m0 + sum1 + sum3 + sum5;
        t[1][7] = m7 + 0.75f * difference1 + 1.375f * difference3 + 0.5f * difference5;
        t[2][7] = 0.5625f * sum1 + 1.890625f * sum3 - sum5;
        t[3][7] = 0.421875f * difference1 + 2.59960938f * difference3 - m7 - 0.5f * difference5;
        t[4][7] = sum5 + 0.31640625f * sum1 + 3.57446289f * sum3;
        t[5][7] = m7 + m8 + 0.237304688f * difference1 + 4.91488647f * difference3 + 0.5f * difference5;
    }
    {
        m += -71 * c->m_frequency; SOL_PIN(m); const vf m0 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m4 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m5 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m6 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m7 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m8 = vf_load(m);
        const vf sum1 = m1 + m2, difference1 = m1 - m2;
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        const vf sum5 = m5 + m6, difference5 = m5 - m6;
        t[0][8] = m0 + sum1 + sum3 + sum5;
        t[1][8] = m7 + 0.75f * difference1 + 1.375f * difference3 + 0.5f * difference5;
        t[2][8] = 0.5625f * sum1 + 1.890625f * sum3 - sum5;
        t[3][8] = 0.421875f * difference1 + 2.59960938f * difference3 - m7 - 0.5f * difference5;
        t[4][8] = sum5 + 0.31640625f * sum1 + 3.57446289f * sum3;
        t[5][8] = m7 + m8 + 0.237304688f * difference1 + 4.91488647f * difference3 + 0.5f * difference5;
    }
    {
        const vf sum1 = t[0][1] + t[0][2], difference1 = t[0][1] - t[0][2];
        const vf sum3 = t[0][3] + t[0][4], difference3 = t[0][3] - t[0][4];
        const vf sum5 = t[0][5] + t[0][6], difference5 = t[0][5] - t[0][6];
        const vf y0 = t[0][0] + sum1 + sum3 + sum5;
        const vf y1 = t[0][7] + 0.75f * difference1 + 1.375f * difference3 + 0.5f * difference5;
        const vf y2 = 0.5625f * sum1 + 1.890625f * sum3 - sum5;
        const vf y3 = 0.421875f * difference1 + 2.59960938f * difference3 - t[0][7] - 0.5f * difference5;
        const vf y4 = sum5 + 0.31640625f * sum1 + 3.57446289f * sum3;
        const vf y5 = t[0][7] + t[0][8] + 0.237304688f * difference1 + 4.91488647f * difference3 + 0.5f * difference5;
        vf_store(out + 0 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 0 * c->out_row + 1 * LANES, finish(y1));
        vf_store(out + 0 * c->out_row + 2 * LANES, finish(y2));
        vf_store(out + 0 * c->out_row + 3 * LANES, finish(y3));
        vf_store(out + 0 * c->out_row + 4 * LANES, finish(y4));
        vf_store(out + 0 * c->out_row + 5 * LANES, finish(y5));
    }
    {
        const vf sum1 = t[1][1] + t[1][2], difference1 = t[1][1] - t[1][2];
        const vf sum3 = t[1][3] + t[1][4], difference3 = t[1][3] - t[1][4];
        const vf sum5 = t[1][5] + t[1][6], difference5 = t[1][5] - t[1][6];
        const vf y0 = t[1][0] + sum1 + sum3 + sum5;
        const vf y1 = t[1][7] + 0.75f * difference1 + 1.375f * difference3 + 0.5f * difference5;
        const vf y2 = 0.5625f * sum1 + 1.890625f * sum3 - sum5;
        const vf y3 = 0.421875f * difference1 + 2.59960938f * difference3 - t[1][7] - 0.5f * difference5;
        const vf y4 = sum5 + 0.31640625f * sum1 + 3.57446289f * sum3;
        const vf y5 = t[1][7] + t[1][8] + 0.237304688f * difference1 + 4.91488647f * difference3 + 0.5f * difference5;
        vf_store(out + 1 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 1 * c->out_row + 1 * LANES, finish(y1));
        vf_store(out + 1 * c->out_row + 2 * LANES, finish(y2));
        vf_store(out + 1 * c->out_row + 3 * LANES, finish(y3));
        vf_store(out + 1 * c->out_row + 4 * LANES, finish(y4));
        vf_store(out + 1 * c->out_row + 5 * LANES, finish(y5));
    }
    {
        const vf sum1 = t[2][1] + t[2][2], difference1 = t[2][1] - t[2][2];
        const vf sum3 = t[2][3] + t[2][4], difference3 = t[2][3] - t[2][4];
        const vf sum5 = t[2][5] + t[2][6], difference5 = t[2][5] - t[2][6];
        const vf y0 = t[2][0] + sum1 + sum3 + sum5;
        const vf y1 = t[2][7] + 0.75f * difference1 + 1.375f * difference3 + 0.5f * difference5;
        const vf y2 = 0.5625f * sum1 + 1.890625f * sum3 - sum5;
        const vf y3 = 0.421875f * difference1 + 2.59960938f * difference3 - t[2][7] - 0.5f * difference5;
        const vf y4 = sum5 + 0.31640625f * sum1 + 3.57446289f * sum3;
        const vf y5 = t[2][7] + t[2][8] + 0.237304688f * difference1 + 4.91488647f * difference3 + 0.5f * difference5;
        vf_store(out + 2 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 2 * c->out_row + 1 * LANES, finish(y1));
        vf_store(out + 2 * c->out_row + 2 * LANES, finish(y2));
        vf_store(out + 2 * c->out_row + 3 * LANES, finish(y3));
        vf_store(out + 2 * c->out_row + 4 * LANES, finish(y4));
        vf_store(out + 2 * c->out_row + 5 * LANES, finish(y5));
    }
    {
        const vf sum1 = t[3][1] + t[3][2], difference1 = t[3][1] - t[3][2];
        const vf sum3 = t[3][3] + t[3][4], difference3 = t[3][3] - t[3][4];
        const vf sum5 = t[3][5] + t[3][6], difference5 = t[3][5] - t[3][6];
        const vf y0 = t[3][0] + sum1 + sum3 + sum5;
        const vf y1 = t[3][7] + 0.75f * difference1 + 1.375f * difference3 + 0.5f * difference5;
        const vf y2 = 0.5625f * sum1 + 1.890625f * sum3 - sum5;
        const vf y3 = 0.421875f * difference1 + 2.59960938f * difference3 - t[3][7] - 0.5f * difference5;
        const vf y4 = sum5 + 0.31640625f * sum1 + 3.57446289f * sum3;
        const vf y5 = t[3][7] + t[3][8] + 0.237304688f * difference1 + 4.91488647f * difference3 + 0.5f * difference5;
        vf_store(out + 3 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 3 * c->out_row + 1 * LANES, finish(y1));
        vf_store(out + 3 * c->out_row + 2 * LANES, finish(y2));
        vf_store(out + 3 * c->out_row + 3 * LANES, finish(y3));
        vf_store(out + 3 * c->out_row + 4 * LANES, finish(y4));
        vf_store(out + 3 * c->out_row + 5 * LANES, finish(y5));
    }
    {
        const vf sum1 = t[4][1] + t[4][2], difference1 = t[4][1] - t[4][2];
        const vf sum3 = t[4][3] + t[4][4], difference3 = t[4][3] - t[4][4];
        const vf sum5 = t[4][5] + t[4][6], difference5 = t[4][5] - t[4][6];
        const vf y0 = t[4][0] + sum1 + sum3 + sum5;
        const vf y1 = t[4][7] + 0.75f * difference1 + 1.375f * difference3 + 0.5f * difference5;
        const vf y2 = 0.5625f * sum1 + 1.890625f * sum3 - sum5;
        const vf y3 = 0.421875f * difference1 + 2.59960938f * difference3 - t[4][7] - 0.5f * difference5;
        const vf y4 = sum5 + 0.31640625f * sum1 + 3.57446289f * sum3;
        const vf y5 = t[4][7] + t[4][8] + 0.237304688f * difference1 + 4.91488647f * difference3 + 0.5f * difference5;
        vf_store(out + 4 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 4 * c->out_row + 1 * LANES, finish(y1));
        vf_store(out + 4 * c->out_row + 2 * LANES, finish(y2));
        vf_store(out + 4 * c->out_row + 3 * LANES, finish(y3));
        vf_store(out + 4 * c->out_row + 4 * LANES, finish(y4));
        vf_store(out + 4 * c->out_row + 5 * LANES, finish(y5));
    }
    {
        const vf sum1 = t[5][1] + t[5][2], difference1 = t[5][1] - t[5][2];
        const vf sum3 = t[5][3] + t[5][4], difference3 = t[5][3] - t[5][4];
        const vf sum5 = t[5][5] + t[5][6], difference5 = t[5][5] - t[5][6];
        const vf y0 = t[5][0] + sum1 + sum3 + sum5;
        const vf y1 = t[5][7] + 0.75f * difference1 + 1.375f * difference3 + 0.5f * difference5;
        const vf y2 = 0.5625f * sum1 + 1.890625f * sum3 - sum5;
        const vf y3 = 0.421875f * difference1 + 2.59960938f * difference3 - t[5][7] - 0.5f * difference5;
        const vf y4 = sum5 + 0.31640625f * sum1 + 3.57446289f * sum3;
        const vf y5 = t[5][7] + t[5][8] + 0.237304688f * difference1 + 4.91488647f * difference3 + 0.5f * difference5;
        vf_store(out + 5 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 5 * c->out_row + 1 * LANES, finish(y1));
        vf_store(out + 5 * c->out_row + 2 * LANES, finish(y2));
        vf_store(out + 5 * c->out_row + 3 * LANES, finish(y3));
        vf_store(out + 5 * c->out_row + 4 * LANES, finish(y4));
        vf_store(out + 5 * c->out_row + 5 * LANES, finish(y5));
    }
}

/* out = tail(bias + A^T m A) for one vector of one tile of 6 x 4. */
static __attribute__((noinline)) void transform_output_6x4(const conv *c, const float *m, int64_t kb, const place *p)
{
    vf t[6][7];
    float *out = c->out + p->n * c->out_n + kb * c->out_cb + p->y * c->out_row + p->x * LANES;
    {
        const vf m0 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m4 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m5 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m6 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m7 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m8 = vf_load(m);
        const vf sum1 = m1 + m2, difference1 = m1 - m2;
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        const vf sum5 = m5 + m6, difference5 = m5 - m6;
        t[0][0] = m0 + sum1 + sum3 + sum5;
        t[1][0] = m7 + 0.75f * difference1 + 1.375f * difference3 + 0.5f * difference5;
        t[2][0] = 0.5625f * sum1 + 1.890625f * sum3 - sum5;
        t[3][0] = 0.421875f * difference1 + 2.59960938f * difference3 - m7 - 0.5f * difference5;
        t[4][0] = sum5 + 0.31640625f * sum1 + 3.57446289f * sum3;
        t[5][0] = m7 + m8 + 0.237304688f * difference1 + 4.91488647f * difference3 + 0.5f * difference5;
    }
    {
        m += -71 * c->m_frequency; SOL_PIN(m); const vf m0 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m4 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m5 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m6 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m7 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m8 = vf_load(m);
        const vf sum1 = m1 + m2, difference1 = m1 - m2;
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        const vf sum5 = m5 + m6, difference5 = m5 - m6;
        t[0][1] = m0 + sum1 + sum3 + sum5;
        t[1][1] = m7 + 0.75f * difference1 + 1.375f * difference3 + 0.5f * difference5;
        t[2][1] = 0.5625f * sum1 + 1.890625f * sum3 - sum5;
        t[3][1] = 0.421875f * difference1 + 2.59960938f * difference3 - m7 - 0.5f * difference5;
        t[4][1] = sum5 + 0.31640625f * sum1 + 3.57446289f * sum3;
        t[5][1] = m7 + m8 + 0.237304688f * difference1 + 4.91488647f * difference3 + 0.5f * difference5;
    }
    {
        m += -69 * c->m_frequency; SOL_PIN(m); const vf m0 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m4 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m5 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m6 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m7 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m8 = vf_load(m);
        const vf sum1 = m1 + m2, difference1 = m1 - m2;
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        const vf sum5 = m5 + m6, difference5 = m5 - m6;
        t[0][2] = m0 + sum1 + sum3 + sum5;
        t[1][2] = m7 + 0.75f * difference1 + 1.375f * difference3 + 0.5f * difference5;
        t[2][2] = 0.5625f * sum1 + 1.890625f * sum3 - sum5;
        t[3][2] = 0.421875f * difference1 + 2.59960938f * difference3 - m7 - 0.5f * difference5;
        t[4][2] = sum5 + 0.31640625f * sum1 + 3.57446289f * sum3;
        t[5][2] = m7 + m8 + 0.237304688f * difference1 + 4.91488647f * difference3 + 0.5f * difference5;
    }
    {
        m += -71 * c->m_frequency; SOL_PIN(m); const vf m0 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m4 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m5 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m6 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m7 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m8 = vf_load(m);
        const vf sum1 = m1 + m2, difference1 = m1 - m2;
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        const vf sum5 = m5 + m6, difference5 = m5 - m6;
        t[0][3] = m0 + sum1 + sum3 + sum5;
        t[1][3] = m7 + 0.75f * difference1 + 1.375f * difference3 + 0.5f * difference5;
        t[2][3] = 0.5625f * sum1 + 1.890625f * sum3 - sum5;
        t[3][3] = 0.421875f * difference1 + 2.59960938f * difference3 - m7 - 0.5f * difference5;
        t[4][3] = sum5 + 0.31640625f * sum1 + 3.57446289f * sum3;
        t[5][3] = m7 + m8 + 0.237304688f * difference1 + 4.91488647f * difference3 + 0.5f * difference5;
    }
    {
        m += -71 * c->m_frequency; SOL_PIN(m); const vf m0 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m4 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m5 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m6 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m7 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m8 = vf_load(m);
        const vf sum1 = m1 + m2, difference1 = m1 - m2;
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        const vf sum5 = m5 + m6, difference5 = m5 - m6;
        t[0][4] = m0 + sum1 + sum3 + sum5;
        t[1][4] = m7 + 0.75f * difference1 + 1.375f * difference3 + 0.5f * difference5;
        t[2][4] = 0.5625f * sum1 + 1.890625f * sum3 - sum5;
        t[3][4] = 0.421875f * difference1 + 2.59960938f * difference3 - m7 - 0.5f * difference5;
        t[4][4] = sum5 + 0.31640625f * sum1 + 3.57446289f * sum3;
        t[5][4] = m7 + m8 + 0.237304688f * difference1 + 4.91488647f * difference3 + 0.5f * difference5;
    }
    {
        m += -71 * c->m_frequency; SOL_PIN(m); const vf m0 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m4 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m5 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m6 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m7 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m8 = vf_load(m);
        const vf sum1 = m1 + m2, difference1 = m1 - m2;
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        const vf sum5 = m5 + m6, difference5 = m5 - m6;
        t[0][5] = m0 + sum1 + sum3 + sum5;
        t[1][5] = m7 + 0.75f * difference1 + 1.375f * difference3 + 0.5f * difference5;
        t[2][5] = 0.5625f * sum1 + 1.890625f * sum3 - sum5;
        t[3][5] = 0.421875f * difference1 + 2.59960938f * difference3 - m7 - 0.5f * difference5;
        t[4][5] = sum5 + 0.31640625f * sum1 + 3.57446289f * sum3;
        t[5][5] = m7 + m8 + 0.237304688f * difference1 + 4.91488647f * difference3 + 0.5f * difference5;
    }
    {
        m += -71 * c->m_frequency; SOL_PIN(m); const vf m0 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m4 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m5 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m6 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m7 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m8 = vf_load(m);
        const vf sum1 = m1 + m2, difference1 = m1 - m2;
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        const vf sum5 = m5 + m6, difference5 = m5 - m6;
        t[0][6] = m0 + sum1 + sum3 + sum5;
        t[1][6] = m7 + 0.75f * difference1 + 1.375f * difference3 + 0.5f * difference5;
        t[2][6] = 0.5625f * sum1 + 1.890625f * sum3 - sum5;
        t[3][6] = 0.421875f * difference1 + 2.59960938f * difference3 - m7 - 0.5f * difference5;
        t[4][6] = sum5 + 0.31640625f * sum1 + 3.57446289f * sum3;
        t[5][6] = m7 + m8 + 0.237304688f * difference1 + 4.91488647f * difference3 + 0.5f * difference5;
    }
    {
        const vf sum3 = t[0][3] + t[0][4], difference3 = t[0][3] - t[0][4];
        const vf y0 = t[0][0] + t[0][1] + t[0][2] + sum3;
        const vf y1 = t[0][5] + 0.75f * t[0][1] + 0.5f * difference3 - 1.375f * t[0][2];
        const vf y2 = 0.5625f * t[0][1] + 1.890625f * t[0][2] - sum3;
        const vf y3 = t[0][6] + 0.421875f * t[0][1] - t[0][5] - 2.59960938f * t[0][2] - 0.5f * difference3;
        vf_store(out + 0 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 0 * c->out_row + 1 * LANES, finish(y1));
        vf_store(out + 0 * c->out_row + 2 * LANES, finish(y2));
        vf_store(out + 0 * c->out_row + 3 * LANES, finish(y3));
    }
    {
        const vf sum3 = t[1][3] + t[1][4], difference3 = t[1][3] - t[1][4];
        const vf y0 = t[1][0] + t[1][1] + t[1][2] + sum3;
        const vf y1 = t[1][5] + 0.75f * t[1][1] + 0.5f * difference3 - 1.375f * t[1][2];
        const vf y2 = 0.5625f * t[1][1] + 1.890625f * t[1][2] - sum3;
        const vf y3 = t[1][6] + 0.421875f * t[1][1] - t[1][5] - 2.59960938f * t[1][2] - 0.5f * difference3;
        vf_store(out + 1 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 1 * c->out_row + 1 * LANES, finish(y1));
        vf_store(out + 1 * c->out_row + 2 * LANES, finish(y2));
        vf_store(out + 1 * c->out_row + 3 * LANES, finish(y3));
    }
    {
        const vf sum3 = t[2][3] + t[2][4], difference3 = t[2][3] - t[2][4];
        const vf y0 = t[2][0] + t[2][1] + t[2][2] + sum3;
        const vf y1 = t[2][5] + 0.75f * t[2][1] + 0.5f * difference3 - 1.375f * t[2][2];
        const vf y2 = 0.5625f * t[2][1] + 1.890625f * t[2][2] - sum3;
        const vf y3 = t[2][6] + 0.421875f * t[2][1] - t[2][5] - 2.59960938f * t[2][2] - 0.5f * difference3;
        vf_store(out + 2 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 2 * c->out_row + 1 * LANES, finish(y1));
        vf_store(out + 2 * c->out_row + 2 * LANES, finish(y2));
        vf_store(out + 2 * c->out_row + 3 * LANES, finish(y3));
    }
    {
        const vf sum3 = t[3][3] + t[3][4], difference3 = t[3][3] - t[3][4];
        const vf y0 = t[3][0] + t[3][1] + t[3][2] + sum3;
        const vf y1 = t[3][5] + 0.75f * t[3][1] + 0.5f * difference3 - 1.375f * t[3][2];
        const vf y2 = 0.5625f * t[3][1] + 1.890625f * t[3][2] - sum3;
        const vf y3 = t[3][6] + 0.421875f * t[3][1] - t[3][5] - 2.59960938f * t[3][2] - 0.5f * difference3;
        vf_store(out + 3 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 3 * c->out_row + 1 * LANES, finish(y1));
        vf_store(out + 3 * c->out_row + 2 * LANES, finish(y2));
        vf_store(out + 3 * c->out_row + 3 * LANES, finish(y3));
    }
    {
        const vf sum3 = t[4][3] + t[4][4], difference3 = t[4][3] - t[4][4];
        const vf y0 = t[4][0] + t[4][1] + t[4][2] + sum3;
        const vf y1 = t[4][5] + 0.75f * t[4][1] + 0.5f * difference3 - 1.375f * t[4][2];
        const vf y2 = 0.5625f * t[4][1] + 1.890625f * t[4][2] - sum3;
        const vf y3 = t[4][6] + 0.421875f * t[4][1] - t[4][5] - 2.59960938f * t[4][2] - 0.5f * difference3;
        vf_store(out + 4 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 4 * c->out_row + 1 * LANES, finish(y1));
        vf_store(out + 4 * c->out_row + 2 * LANES, finish(y2));
        vf_store(out + 4 * c->out_row + 3 * LANES, finish(y3));
    }
    {
        const vf sum3 = t[5][3] + t[5][4], difference3 = t[5][3] - t[5][4];
        const vf y0 = t[5][0] + t[5][1] + t[5][2] + sum3;
        const vf y1 = t[5][5] + 0.75f * t[5][1] + 0.5f * difference3 - 1.375f * t[5][2];
        const vf y2 = 0.5625f * t[5][1] + 1.890625f * t[5][2] - sum3;
        const vf y3 = t[5][6] + 0.421875f * t[5][1] - t[5][5] - 2.59960938f * t[5][2] - 0.5f * difference3;
        vf_store(out + 5 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 5 * c->out_row + 1 * LANES, finish(y1));
        vf_store(out + 5 * c->out_row + 2 * LANES, finish(y2));
        vf_store(out + 5 * c->out_row + 3 * LANES, finish(y3));
    }
}

/* out = tail(bias + A^T m A) for one vector of one tile of 4 x 6. */
static __attribute__((noinline)) void transform_output_4x6(const conv *c, const float *m, int64_t kb, const place *p)
{
    vf t[4][9];
    float *out = c->out + p->n * c->out_n + kb * c->out_cb + p->y * c->out_row + p->x * LANES;
    {
        const vf m0 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 27 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m4 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m5 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m6 = vf_load(m);
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        t[0][0] = m0 + m1 + m2 + sum3;
        t[1][0] = m5 + 0.75f * m1 + 0.5f * difference3 - 1.375f * m2;
        t[2][0] = 0.5625f * m1 + 1.890625f * m2 - sum3;
        t[3][0] = m6 + 0.421875f * m1 - m5 - 2.59960938f * m2 - 0.5f * difference3;
    }
    {
        m += -71 * c->m_frequency; SOL_PIN(m); const vf m0 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 27 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m4 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m5 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m6 = vf_load(m);
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        t[0][1] = m0 + m1 + m2 + sum3;
        t[1][1] = m5 + 0.75f * m1 + 0.5f * difference3 - 1.375f * m2;
        t[2][1] = 0.5625f * m1 + 1.890625f * m2 - sum3;
        t[3][1] = m6 + 0.421875f * m1 - m5 - 2.59960938f * m2 - 0.5f * difference3;
    }
    {
        m += -71 * c->m_frequency; SOL_PIN(m); const vf m0 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 27 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m4 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m5 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m6 = vf_load(m);
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        t[0][2] = m0 + m1 + m2 + sum3;
        t[1][2] = m5 + 0.75f * m1 + 0.5f * difference3 - 1.375f * m2;
        t[2][2] = 0.5625f * m1 + 1.890625f * m2 - sum3;
        t[3][2] = m6 + 0.421875f * m1 - m5 - 2.59960938f * m2 - 0.5f * difference3;
    }
    {
        m += -71 * c->m_frequency; SOL_PIN(m); const vf m0 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 27 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m4 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m5 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m6 = vf_load(m);
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        t[0][3] = m0 + m1 + m2 + sum3;
        t[1][3] = m5 + 0.75f * m1 + 0.5f * difference3 - 1.375f * m2;
        t[2][3] = 0.5625f * m1 + 1.890625f * m2 - sum3;
        t[3][3] = m6 + 0.421875f * m1 - m5 - 2.59960938f * m2 - 0.5f * difference3;
    }
    {
        m += -71 * c->m_frequency; SOL_PIN(m); const vf m0 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 27 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m4 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m5 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m6 = vf_load(m);
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        t[0][4] = m0 + m1 + m2 + sum3;
        t[1][4] = m5 + 0.75f * m1 + 0.5f * difference3 - 1.375f * m2;
        t[2][4] = 0.5625f * m1 + 1.890625f * m2 - sum3;
        t[3][4] = m6 + 0.421875f * m1 - m5 - 2.59960938f * m2 - 0.5f * difference3;
    }
    {
        m += -71 * c->m_frequency; SOL_PIN(m); const vf m0 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 27 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m4 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m5 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m6 = vf_load(m);
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        t[0][5] = m0 + m1 + m2 + sum3;
        t[1][5] = m5 + 0.75f * m1 + 0.5f * difference3 - 1.375f * m2;
        t[2][5] = 0.5625f * m1 + 1.890625f * m2 - sum3;
        t[3][5] = m6 + 0.421875f * m1 - m5 - 2.59960938f * m2 - 0.5f * difference3;
    }
    {
        m += -71 * c->m_frequency; SOL_PIN(m); const vf m0 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 27 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m4 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m5 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m6 = vf_load(m);
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        t[0][6] = m0 + m1 + m2 + sum3;
        t[1][6] = m5 + 0.75f * m1 + 0.5f * difference3 - 1.375f * m2;
        t[2][6] = 0.5625f * m1 + 1.890625f * m2 - sum3;
        t[3][6] = m6 + 0.421875f * m1 - m5 - 2.59960938f * m2 - 0.5f * difference3;
    }
    {
        m += -71 * c->m_frequency; SOL_PIN(m); const vf m0 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 27 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m4 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m5 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m6 = vf_load(m);
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        t[0][7] = m0 + m1 + m2 + sum3;
        t[1][7] = m5 + 0.75f * m1 + 0.5f * difference3 - 1.375f * m2;
        t[2][7] = 0.5625f * m1 + 1.890625f * m2 - sum3;
        t[3][7] = m6 + 0.421875f * m1 - m5 - 2.59960938f * m2 - 0.5f * difference3;
    }
    {
        m += -71 * c->m_frequency; SOL_PIN(m); const vf m0 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 27 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m4 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m5 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m6 = vf_load(m);
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        t[0][8] = m0 + m1 + m2 + sum3;
        t[1][8] = m5 + 0.75f * m1 + 0.5f * difference3 - 1.375f * m2;
        t[2][8] = 0.5625f * m1 + 1.890625f * m2 - sum3;
        t[3][8] = m6 + 0.421875f * m1 - m5 - 2.59960938f * m2 - 0.5f * difference3;
    }
    {
        const vf sum1 = t[0][1] + t[0][2], difference1 = t[0][1] - t[0][2];
        const vf sum3 = t[0][3] + t[0][4], difference3 = t[0][3] - t[0][4];
        const vf sum5 = t[0][5] + t[0][6], difference5 = t[0][5] - t[0][6];
        const vf y0 = t[0][0] + sum1 + sum3 + sum5;
        const vf y1 = t[0][7] + 0.75f * difference1 + 1.375f * difference3 + 0.5f * difference5;
        const vf y2 = 0.5625f * sum1 + 1.890625f * sum3 - sum5;
        const vf y3 = 0.421875f * difference1 + 2.59960938f * difference3 - t[0][7] - 0.5f * difference5;
        const vf y4 = sum5 + 0.31640625f * sum1 + 3.57446289f * sum3;
        const vf y5 = t[0][7] + t[0][8] + 0.237304688f * difference1 + 4.91488647f * difference3 + 0.5f * difference5;
        vf_store(out + 0 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 0 * c->out_row + 1 * LANES, finish(y1));
        vf_store(out + 0 * c->out_row + 2 * LANES, finish(y2));
        vf_store(out + 0 * c->out_row + 3 * LANES, finish(y3));
        vf_store(out + 0 * c->out_row + 4 * LANES, finish(y4));
        vf_store(out + 0 * c->out_row + 5 * LANES, finish(y5));
    }
    {
        const vf sum1 = t[1][1] + t[1][2], difference1 = t[1][1] - t[1][2];
        const vf sum3 = t[1][3] + t[1][4], difference3 = t[1][3] - t[1][4];
        const vf sum5 = t[1][5] + t[1][6], difference5 = t[1][5] - t[1][6];
        const vf y0 = t[1][0] + sum1 + sum3 + sum5;
        const vf y1 = t[1][7] + 0.75f * difference1 + 1.375f * difference3 + 0.5f * difference5;
        const vf y2 = 0.5625f * sum1 + 1.890625f * sum3 - sum5;
        const vf y3 = 0.421875f * difference1 + 2.59960938f * difference3 - t[1][7] - 0.5f * difference5;
        const vf y4 = sum5 + 0.31640625f * sum1 + 3.57446289f * sum3;
        const vf y5 = t[1][7] + t[1][8] + 0.237304688f * difference1 + 4.91488647f * difference3 + 0.5f * difference5;
        vf_store(out + 1 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 1 * c->out_row + 1 * LANES, finish(y1));
        vf_store(out + 1 * c->out_row + 2 * LANES, finish(y2));
        vf_store(out + 1 * c->out_row + 3 * LANES, finish(y3));
        vf_store(out + 1 * c->out_row + 4 * LANES, finish(y4));
        vf_store(out + 1 * c->out_row + 5 * LANES, finish(y5));
    }
    {
        const vf sum1 = t[2][1] + t[2][2], difference1 = t[2][1] - t[2][2];
        const vf sum3 = t[2][3] + t[2][4], difference3 = t[2][3] - t[2][4];
        const vf sum5 = t[2][5] + t[2][6], difference5 = t[2][5] - t[2][6];
        const vf y0 = t[2][0] + sum1 + sum3 + sum5;
        const vf y1 = t[2][7] + 0.75f * difference1 + 1.375f * difference3 + 0.5f * difference5;
        const vf y2 = 0.5625f * sum1 + 1.890625f * sum3 - sum5;
        const vf y3 = 0.421875f * difference1 + 2.59960938f * difference3 - t[2][7] - 0.5f * difference5;
        const vf y4 = sum5 + 0.31640625f * sum1 + 3.57446289f * sum3;
        const vf y5 = t[2][7] + t[2][8] + 0.237304688f * difference1 + 4.91488647f * difference3 + 0.5f * difference5;
        vf_store(out + 2 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 2 * c->out_row + 1 * LANES, finish(y1));
        vf_store(out + 2 * c->out_row + 2 * LANES, finish(y2));
        vf_store(out + 2 * c->out_row + 3 * LANES, finish(y3));
        vf_store(out + 2 * c->out_row + 4 * LANES, finish(y4));
        vf_store(out + 2 * c->out_row + 5 * LANES, finish(y5));
    }
    {
        const vf sum1 = t[3][1] + t[3][2], difference1 = t[3][1] - t[3][2];
        const vf sum3 = t[3][3] + t[3][4], difference3 = t[3][3] - t[3][4];
        const vf sum5 = t[3][5] + t[3][6], difference5 = t[3][5] - t[3][6];
        const vf y0 = t[3][0] + sum1 + sum3 + sum5;
        const vf y1 = t[3][7] + 0.75f * difference1 + 1.375f * difference3 + 0.5f * difference5;
        const vf y2 = 0.5625f * sum1 + 1.890625f * sum3 - sum5;
        const vf y3 = 0.421875f * difference1 + 2.59960938f * difference3 - t[3][7] - 0.5f * difference5;
        const vf y4 = sum5 + 0.31640625f * sum1 + 3.57446289f * sum3;
        const vf y5 = t[3][7] + t[3][8] + 0.237304688f * difference1 + 4.91488647f * difference3 + 0.5f * difference5;
        vf_store(out + 3 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 3 * c->out_row + 1 * LANES, finish(y1));
        vf_store(out + 3 * c->out_row + 2 * LANES, finish(y2));
        vf_store(out + 3 * c->out_row + 3 * LANES, finish(y3));
        vf_store(out + 3 * c->out_row + 4 * LANES, finish(y4));
        vf_store(out + 3 * c->out_row + 5 * LANES, finish(y5));
    }
}

/* out = tail(bias + A^T m A) for one vector of one tile of 4 x 4. */
static __attribute__((noinline)) void transform_output_4x4(const conv *c, const float *m, int64_t kb, const place *p)
{
    vf t[4][7];
    float *out = c->out + p->n * c->out_n + kb * c->out_cb + p->y * c->out_row + p->x * LANES;
    {
        const vf m0 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 27 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m4 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m5 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m6 = vf_load(m);
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        t[0][0] = m0 + m1 + m2 + sum3;
        t[1][0] = m5 + 0.75f * m1 + 0.5f * difference3 - 1.375f * m2;
        t[2][0] = 0.5625f * m1 + 1.890625f * m2 - sum3;
        t[3][0] = m6 + 0.421875f * m1 - m5 - 2.59960938f * m2 - 0.5f * difference3;
    }
    {
        m += -71 * c->m_frequency; SOL_PIN(m); const vf m0 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 27 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m4 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m5 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m6 = vf_load(m);
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        t[0][1] = m0 + m1 + m2 + sum3;
        t[1][1] = m5 + 0.75f * m1 + 0.5f * difference3 - 1.375f * m2;
        t[2][1] = 0.5625f * m1 + 1.890625f * m2 - sum3;
        t[3][1] = m6 + 0.421875f * m1 - m5 - 2.59960938f * m2 - 0.5f * difference3;
    }
    {
        m += -69 * c->m_frequency; SOL_PIN(m); const vf m0 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 27 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m4 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m5 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m6 = vf_load(m);
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        t[0][2] = m0 + m1 + m2 + sum3;
        t[1][2] = m5 + 0.75f * m1 + 0.5f * difference3 - 1.375f * m2;
        t[2][2] = 0.5625f * m1 + 1.890625f * m2 - sum3;
        t[3][2] = m6 + 0.421875f * m1 - m5 - 2.59960938f * m2 - 0.5f * difference3;
    }
    {
        m += -71 * c->m_frequency; SOL_PIN(m); const vf m0 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 27 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m4 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m5 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m6 = vf_load(m);
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        t[0][3] = m0 + m1 + m2 + sum3;
        t[1][3] = m5 + 0.75f * m1 + 0.5f * difference3 - 1.375f * m2;
        t[2][3] = 0.5625f * m1 + 1.890625f * m2 - sum3;
        t[3][3] = m6 + 0.421875f * m1 - m5 - 2.59960938f * m2 - 0.5f * difference3;
    }
    {
        m += -71 * c->m_frequency; SOL_PIN(m); const vf m0 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 27 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m4 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m5 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m6 = vf_load(m);
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        t[0][4] = m0 + m1 + m2 + sum3;
        t[1][4] = m5 + 0.75f * m1 + 0.5f * difference3 - 1.375f * m2;
        t[2][4] = 0.5625f * m1 + 1.890625f * m2 - sum3;
        t[3][4] = m6 + 0.421875f * m1 - m5 - 2.59960938f * m2 - 0.5f * difference3;
    }
    {
        m += -71 * c->m_frequency; SOL_PIN(m); const vf m0 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 27 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m4 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m5 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m6 = vf_load(m);
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        t[0][5] = m0 + m1 + m2 + sum3;
        t[1][5] = m5 + 0.75f * m1 + 0.5f * difference3 - 1.375f * m2;
        t[2][5] = 0.5625f * m1 + 1.890625f * m2 - sum3;
        t[3][5] = m6 + 0.421875f * m1 - m5 - 2.59960938f * m2 - 0.5f * difference3;
    }
    {
        m += -71 * c->m_frequency; SOL_PIN(m); const vf m0 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
        m += 27 * c->m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m4 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m5 = vf_load(m);
        m += 9 * c->m_frequency; SOL_PIN(m); const vf m6 = vf_load(m);
        const vf sum3 = m3 + m4, difference3 = m3 - m4;
        t[0][6] = m0 + m1 + m2 + sum3;
        t[1][6] = m5 + 0.75f * m1 + 0.5f * difference3 - 1.375f * m2;
        t[2][6] = 0.5625f * m1 + 1.890625f * m2 - sum3;
        t[3][6] = m6 + 0.421875f * m1 - m5 - 2.59960938f * m2 - 0.5f * difference3;
    }
    {
        const vf sum3 = t[0][3] + t[0][4], difference3 = t[0][3] - t[0][4];
        const vf y0 = t[0][0] + t[0][1] + t[0][2] + sum3;
        const vf y1 = t[0][5] + 0.75f * t[0][1] + 0.5f * difference3 - 1.375f * t[0][2];
        const vf y2 = 0.5625f * t[0][1] + 1.890625f * t[0][2] - sum3;
        const vf y3 = t[0][6] + 0.421875f * t[0][1] - t[0][5] - 2.59960938f * t[0][2] - 0.5f * difference3;
        vf_store(out + 0 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 0 * c->out_row + 1 * LANES, finish(y1));
        vf_store(out + 0 * c->out_row + 2 * LANES, finish(y2));
        vf_store(out + 0 * c->out_row + 3 * LANES, finish(y3));
    }
    {
        const vf sum3 = t[1][3] + t[1][4], difference3 = t[1][3] - t[1][4];
        const vf y0 = t[1][0] + t[1][1] + t[1][2] + sum3;
        const vf y1 = t[1][5] + 0.75f * t[1][1] + 0.5f * difference3 - 1.375f * t[1][2];
        const vf y2 = 0.5625f * t[1][1] + 1.890625f * t[1][2] - sum3;
        const vf y3 = t[1][6] + 0.421875f * t[1][1] - t[1][5] - 2.59960938f * t[1][2] - 0.5f * difference3;
        vf_store(out + 1 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 1 * c->out_row + 1 * LANES, finish(y1));
        vf_store(out + 1 * c->out_row + 2 * LANES, finish(y2));
        vf_store(out + 1 * c->out_row + 3 * LANES, finish(y3));
    }
    {
        const vf sum3 = t[2][3] + t[2][4], difference3 = t[2][3] - t[2][4];
        const vf y0 = t[2][0] + t[2][1] + t[2][2] + sum3;
        const vf y1 = t[2][5] + 0.75f * t[2][1] + 0.5f * difference3 - 1.375f * t[2][2];
        const vf y2 = 0.5625f * t[2][1] + 1.890625f * t[2][2] - sum3;
        const vf y3 = t[2][6] + 0.421875f * t[2][1] - t[2][5] - 2.59960938f * t[2][2] - 0.5f * difference3;
        vf_store(out + 2 * c->out_row + 0 * LANES, finish(y0));
        vf_store(out + 2 * c->out_row + 1 * LANES, finish(y1));
        vf_store(out + 2 * c->out_row + 2 * LANES, finish(y2));
        vf_store(out + 2 * c->out_row + 3 * LANES, finish(y3));
    }
    {
        const vf sum3 = t[3][3] + t[3][4], difference3 = t[3][3] - t[3][4];
        const vf y0 = t[3][0] + t[3][1] + t[3][2] + sum3;
        const vf y1 = t[3][5] + 0.75f * t[3][1] + 0.5f * difference3 - 1.375f * t[3][2];
        const vf y2 = 0.5625f * t[3][1] + 1.890625f * t[3][2] - sum3;
        const vf y3 = t[3][6] + 0.421875f * t[3][1] - t[3][5] - 2.59960938f * t[3][2] - 0.5f * difference3;
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
            case 0: transform_output_6x6(c, at, kb, p); break;
            case 1: transform_output_6x4(c, at, kb, p); break;
            case 2: transform_output_4x6(c, at, kb, p); break;
            case 3: transform_output_4x4(c, at, kb, p); break;
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
