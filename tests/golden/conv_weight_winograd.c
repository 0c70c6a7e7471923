/* conv_weight_winograd: gradient of a convolution for its weights by Winograd's algorithm F(3x3, 2x2); blocked operands, row-major result.
 *
 *   out[k, c] = A^T (sum over tiles of (G grad[k, tile] G^T) * (B^T in[c, tile] B)) A        2 x 2 pixels of the gradient, 4 x 4 of the input
 *
 * Lanes are channels of the input. Tile of registers: up to 2 vectors of them times 8 channels of the gradient, at a frequency.
 *   (set, part) of this thread       set: panels of vectors x steps of channels; part: of all chunks
 *     chunk of tiles: both operands are transformed, [block][frequency][tile][LANES]
 *       panel, step, frequency: sum over the chunk's tiles
 *     sums are transformed back -> result; those of several parts are added before, always in the same order
 * Sums that are far larger than what they are transformed to have lost its digits: that tile of registers is multiplied directly, tap by tap. */
#include "sol_team.h"
#include "sol_simd.h"
#include "sol_pack.h"

enum { STEP = 8, PIECE = 256, WIDEST = 2, FREQUENCIES = 16, TAPS = 9, PATCH = 16 };

/* A map under a tile: its first pixel, and elements from one to the next. */
typedef struct {
    const float *at;
    int64_t n, row, x;
} map;

static __attribute__((noinline)) void tile_2(float *sums, map v, int64_t v_c, map b, int64_t images, int64_t rows, int64_t columns, int64_t fresh)
{
    vf a0_0 = {0}, a1_0 = {0}, a0_1 = {0}, a1_1 = {0}, a0_2 = {0}, a1_2 = {0}, a0_3 = {0}, a1_3 = {0}, a0_4 = {0}, a1_4 = {0}, a0_5 = {0}, a1_5 = {0}, a0_6 = {0}, a1_6 = {0}, a0_7 = {0}, a1_7 = {0};
    int64_t added = 0;
    for (int64_t n = 0; n < images; n++) {
        const float *p_row = v.at + n * v.n, *q_row = b.at + n * b.n;
        for (int64_t y = rows; y; y--, p_row += v.row, q_row += b.row) {
            const float *p = p_row, *q = q_row;
            for (int64_t left = columns, piece; left; left -= piece) {
                piece = left < PIECE ? left : PIECE;
                for (int64_t x = piece; x; x--, p += v.x, q += b.x) {
                    vf v0 = vf_load(p), v1 = vf_load(p + v_c);
                    SOL_HOLD(v0); SOL_HOLD(v1);
                    { VF_NUMBER(number, q[0]); VF_ADD_PRODUCT(a0_0, v0, number); VF_ADD_PRODUCT(a1_0, v1, number); }
                    { VF_NUMBER(number, q[1]); VF_ADD_PRODUCT(a0_1, v0, number); VF_ADD_PRODUCT(a1_1, v1, number); }
                    { VF_NUMBER(number, q[2]); VF_ADD_PRODUCT(a0_2, v0, number); VF_ADD_PRODUCT(a1_2, v1, number); }
                    { VF_NUMBER(number, q[3]); VF_ADD_PRODUCT(a0_3, v0, number); VF_ADD_PRODUCT(a1_3, v1, number); }
                    { VF_NUMBER(number, q[4]); VF_ADD_PRODUCT(a0_4, v0, number); VF_ADD_PRODUCT(a1_4, v1, number); }
                    { VF_NUMBER(number, q[5]); VF_ADD_PRODUCT(a0_5, v0, number); VF_ADD_PRODUCT(a1_5, v1, number); }
                    { VF_NUMBER(number, q[6]); VF_ADD_PRODUCT(a0_6, v0, number); VF_ADD_PRODUCT(a1_6, v1, number); }
                    { VF_NUMBER(number, q[7]); VF_ADD_PRODUCT(a0_7, v0, number); VF_ADD_PRODUCT(a1_7, v1, number); }
                    SOL_FENCE();
                }
                added += piece;
                if (added >= PIECE) {
                    added = 0;
                    if (fresh) { vf_store(sums + 0 * LANES, a0_0); vf_store(sums + 1 * LANES, a1_0); vf_store(sums + 2 * LANES, a0_1); vf_store(sums + 3 * LANES, a1_1); vf_store(sums + 4 * LANES, a0_2); vf_store(sums + 5 * LANES, a1_2); vf_store(sums + 6 * LANES, a0_3); vf_store(sums + 7 * LANES, a1_3); vf_store(sums + 8 * LANES, a0_4); vf_store(sums + 9 * LANES, a1_4); vf_store(sums + 10 * LANES, a0_5); vf_store(sums + 11 * LANES, a1_5); vf_store(sums + 12 * LANES, a0_6); vf_store(sums + 13 * LANES, a1_6); vf_store(sums + 14 * LANES, a0_7); vf_store(sums + 15 * LANES, a1_7); }
        else { vf_store(sums + 0 * LANES, vf_load(sums + 0 * LANES) + a0_0); vf_store(sums + 1 * LANES, vf_load(sums + 1 * LANES) + a1_0); vf_store(sums + 2 * LANES, vf_load(sums + 2 * LANES) + a0_1); vf_store(sums + 3 * LANES, vf_load(sums + 3 * LANES) + a1_1); vf_store(sums + 4 * LANES, vf_load(sums + 4 * LANES) + a0_2); vf_store(sums + 5 * LANES, vf_load(sums + 5 * LANES) + a1_2); vf_store(sums + 6 * LANES, vf_load(sums + 6 * LANES) + a0_3); vf_store(sums + 7 * LANES, vf_load(sums + 7 * LANES) + a1_3); vf_store(sums + 8 * LANES, vf_load(sums + 8 * LANES) + a0_4); vf_store(sums + 9 * LANES, vf_load(sums + 9 * LANES) + a1_4); vf_store(sums + 10 * LANES, vf_load(sums + 10 * LANES) + a0_5); vf_store(sums + 11 * LANES, vf_load(sums + 11 * LANES) + a1_5); vf_store(sums + 12 * LANES, vf_load(sums + 12 * LANES) + a0_6); vf_store(sums + 13 * LANES, vf_load(sums + 13 * LANES) + a1_6); vf_store(sums + 14 * LANES, vf_load(sums + 14 * LANES) + a0_7); vf_store(sums + 15 * LANES, vf_load(sums + 15 * LANES) + a1_7); }
fresh = 0;
a0_0 = a1_0 = a0_1 = a1_1 = a0_2 = a1_2 = a0_3 = a1_3 = a0_4 = a1_4 = a0_5 = a1_5 = a0_6 = a1_6 = a0_7 = a1_7 = vf_zero();

                }
            }
        }
    }
    if (added) {
        if (fresh) { vf_store(sums + 0 * LANES, a0_0); vf_store(sums + 1 * LANES, a1_0); vf_store(sums + 2 * LANES, a0_1); vf_store(sums + 3 * LANES, a1_1); vf_store(sums + 4 * LANES, a0_2); vf_store(sums + 5 * LANES, a1_2); vf_store(sums + 6 * LANES, a0_3); vf_store(sums + 7 * LANES, a1_3); vf_store(sums + 8 * LANES, a0_4); vf_store(sums + 9 * LANES, a1_4); vf_store(sums + 10 * LANES, a0_5); vf_store(sums + 11 * LANES, a1_5); vf_store(sums + 12 * LANES, a0_6); vf_store(sums + 13 * LANES, a1_6); vf_store(sums + 14 * LANES, a0_7); vf_store(sums + 15 * LANES, a1_7); }
        else { vf_store(sums + 0 * LANES, vf_load(sums + 0 * LANES) + a0_0); vf_store(sums + 1 * LANES, vf_load(sums + 1 * LANES) + a1_0); vf_store(sums + 2 * LANES, vf_load(sums + 2 * LANES) + a0_1); vf_store(sums + 3 * LANES, vf_load(sums + 3 * LANES) + a1_1); vf_store(sums + 4 * LANES, vf_load(sums + 4 * LANES) + a0_2); vf_store(sums + 5 * LANES, vf_load(sums + 5 * LANES) + a1_2); vf_store(sums + 6 * LANES, vf_load(sums + 6 * LANES) + a0_3); vf_store(sums + 7 * LANES, vf_load(sums + 7 * LANES) + a1_3); vf_store(sums + 8 * LANES, vf_load(sums + 8 * LANES) + a0_4); vf_store(sums + 9 * LANES, vf_load(sums + 9 * LANES) + a1_4); vf_store(sums + 10 * LANES, vf_load(sums + 10 * LANES) + a0_5); vf_store(sums + 11 * LANES, vf_load(sums + 11 * LANES) + a1_5); vf_store(sums + 12 * LANES, vf_load(sums + 12 * LANES) + a0_6); vf_store(sums + 13 * LANES, vf_load(sums + 13 * LANES) + a1_6); vf_store(sums + 14 * LANES, vf_load(sums + 14 * LANES) + a0_7); vf_store(sums + 15 * LANES, vf_load(sums + 15 * LANES) + a1_7); }
fresh = 0;
a0_0 = a1_0 = a0_1 = a1_1 = a0_2 = a1_2 = a0_3 = a1_3 = a0_4 = a1_4 = a0_5 = a1_5 = a0_6 = a1_6 = a0_7 = a1_7 = vf_zero();

    }
}

/* LANES channels of one tile of grad at its frequencies. */
static __attribute__((noinline)) void transform_grad(const float *in, int64_t in_row, float *v, int64_t v_frequency)
{
    const float *r0 = in, *r1 = r0 + in_row;
    {
        const vf t0_0 = -vf_load(r0 + 0 * LANES);
        const vf t0_1 = -vf_load(r0 + 1 * LANES);
        vf_store(v, -t0_0);
        const vf even0_of_1 = 0.5f * t0_0, odd0_of_1 = 0.5f * t0_1;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even0_of_1 + odd0_of_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even0_of_1 - odd0_of_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, t0_1);
    }
    {
        const vf even_0 = 0.5f * vf_load(r0 + 0 * LANES), odd_0 = 0.5f * vf_load(r1 + 0 * LANES);
        const vf t1_0 = even_0 + odd_0;
        const vf t2_0 = even_0 - odd_0;
        const vf even_1 = 0.5f * vf_load(r0 + 1 * LANES), odd_1 = 0.5f * vf_load(r1 + 1 * LANES);
        const vf t1_1 = even_1 + odd_1;
        const vf t2_1 = even_1 - odd_1;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, -t1_0);
        const vf even1_of_1 = 0.5f * t1_0, odd1_of_1 = 0.5f * t1_1;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even1_of_1 + odd1_of_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even1_of_1 - odd1_of_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, t1_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, -t2_0);
        const vf even2_of_1 = 0.5f * t2_0, odd2_of_1 = 0.5f * t2_1;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even2_of_1 + odd2_of_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even2_of_1 - odd2_of_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, t2_1);
    }
    {
        const vf t3_0 = vf_load(r1 + 0 * LANES);
        const vf t3_1 = vf_load(r1 + 1 * LANES);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, -t3_0);
        const vf even3_of_1 = 0.5f * t3_0, odd3_of_1 = 0.5f * t3_1;
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even3_of_1 + odd3_of_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, even3_of_1 - odd3_of_1);
        v += 1 * v_frequency; SOL_PIN(v); vf_store(v, t3_1);
    }
}

/* LANES channels of one tile of in at its frequencies. */
static __attribute__((noinline)) void transform_in(const float *in, int64_t in_row, float *v, int64_t v_frequency)
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

/* Rows x columns pixels of a map, zeros beyond it. */
static void copy_patch(float *to, const float *map, int64_t row_step, int64_t y, int64_t x, int64_t rows, int64_t columns, int64_t H, int64_t W)
{
    for (int64_t i = y; i < y + rows; i++)
        for (int64_t j = x; j < x + columns; j++, to += LANES) vf_store(to, i < 0 || i >= H || j < 0 || j >= W ? vf_zero() : vf_load(map + i * row_step + j * LANES));
}

/* Sums of a panel and a step at all frequencies -> at all taps. Returns whether that keeps their digits. */
static __attribute__((noinline)) int transform_back(const float *from, int64_t width, float *to)
{
    const int64_t m_frequency = STEP * width * LANES;
    vf sums = vf_zero(), results = vf_zero();
    for (int64_t i = 0; i < STEP * width; i++) {
        const float *m = from + i * LANES;
        vf t[3][4];
        {
            const vf m0 = vf_load(m);
            m += 4 * m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
            m += 4 * m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
            m += 4 * m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
            sums += vf_abs(m0) + vf_abs(m1) + vf_abs(m2) + vf_abs(m3);
            const vf sum1 = m1 + m2, difference1 = m1 - m2;
            t[0][0] = m0 + sum1;
            t[1][0] = difference1;
            t[2][0] = sum1 + m3;
        }
        {
            m += -11 * m_frequency; SOL_PIN(m); const vf m0 = vf_load(m);
            m += 4 * m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
            m += 4 * m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
            m += 4 * m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
            sums += vf_abs(m0) + vf_abs(m1) + vf_abs(m2) + vf_abs(m3);
            const vf sum1 = m1 + m2, difference1 = m1 - m2;
            t[0][1] = m0 + sum1;
            t[1][1] = difference1;
            t[2][1] = sum1 + m3;
        }
        {
            m += -11 * m_frequency; SOL_PIN(m); const vf m0 = vf_load(m);
            m += 4 * m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
            m += 4 * m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
            m += 4 * m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
            sums += vf_abs(m0) + vf_abs(m1) + vf_abs(m2) + vf_abs(m3);
            const vf sum1 = m1 + m2, difference1 = m1 - m2;
            t[0][2] = m0 + sum1;
            t[1][2] = difference1;
            t[2][2] = sum1 + m3;
        }
        {
            m += -11 * m_frequency; SOL_PIN(m); const vf m0 = vf_load(m);
            m += 4 * m_frequency; SOL_PIN(m); const vf m1 = vf_load(m);
            m += 4 * m_frequency; SOL_PIN(m); const vf m2 = vf_load(m);
            m += 4 * m_frequency; SOL_PIN(m); const vf m3 = vf_load(m);
            sums += vf_abs(m0) + vf_abs(m1) + vf_abs(m2) + vf_abs(m3);
            const vf sum1 = m1 + m2, difference1 = m1 - m2;
            t[0][3] = m0 + sum1;
            t[1][3] = difference1;
            t[2][3] = sum1 + m3;
        }
        {
            const vf sum1 = t[0][1] + t[0][2], difference1 = t[0][1] - t[0][2];
            const vf y0 = t[0][0] + sum1;
            const vf y1 = difference1;
            const vf y2 = sum1 + t[0][3];
            results += vf_abs(y0) + vf_abs(y1) + vf_abs(y2);
            vf_store(to + 0 * m_frequency + i * LANES, y0);
            vf_store(to + 1 * m_frequency + i * LANES, y1);
            vf_store(to + 2 * m_frequency + i * LANES, y2);
        }
        {
            const vf sum1 = t[1][1] + t[1][2], difference1 = t[1][1] - t[1][2];
            const vf y0 = t[1][0] + sum1;
            const vf y1 = difference1;
            const vf y2 = sum1 + t[1][3];
            results += vf_abs(y0) + vf_abs(y1) + vf_abs(y2);
            vf_store(to + 3 * m_frequency + i * LANES, y0);
            vf_store(to + 4 * m_frequency + i * LANES, y1);
            vf_store(to + 5 * m_frequency + i * LANES, y2);
        }
        {
            const vf sum1 = t[2][1] + t[2][2], difference1 = t[2][1] - t[2][2];
            const vf y0 = t[2][0] + sum1;
            const vf y1 = difference1;
            const vf y2 = sum1 + t[2][3];
            results += vf_abs(y0) + vf_abs(y1) + vf_abs(y2);
            vf_store(to + 6 * m_frequency + i * LANES, y0);
            vf_store(to + 7 * m_frequency + i * LANES, y1);
            vf_store(to + 8 * m_frequency + i * LANES, y2);
        }
    }
    return vf_sum(sums) <= 10.3616486f * vf_sum(results);
}

/* Pixels of a result, of so many, whose input at a tap, shift pixels further, exists. */
static inline void inside(int64_t size, int64_t shift, int64_t pixels, int64_t *begin, int64_t *end)
{
    *begin = shift < 0 ? -shift : 0;
    *end = pixels - shift < size ? pixels - shift : size;
}

/* Where the sums of a panel and a step go. vectors, numbers: how many channels of each are left from the tile's first on. */
typedef struct {
    float *out;
    int64_t vectors, numbers;
} place;

static void write_tile(const float *sums, int64_t width, place to, int64_t taps, int64_t vector_step, int64_t number_step)
{
    const int64_t numbers = to.numbers < STEP ? to.numbers : STEP, vectors = to.vectors < width * LANES ? to.vectors : width * LANES;
    for (int64_t j = 0; j < numbers; j++) {
        float *row = to.out + j * number_step;
        const int64_t begin = 0, end = vectors;
        if (taps == 1 && vector_step == 1) {
            for (int64_t i = 0; i < end; i += LANES) vf_store_n(row + i, vf_load(sums + j * width * LANES + i), (int)(end - i < LANES ? end - i : LANES));
            continue;
        }
        for (int64_t i = begin; i < end; i++) {
            float *at = row + i * vector_step;
            const float *from = sums + j * width * LANES + i;
            for (int64_t tap = 0; tap < taps; tap++) at[tap] = from[tap * STEP * width * LANES];
        }
    }
}

void conv_weight_winograd(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    const float *grad = buf[1];
    float *out = buf[2];
    const int64_t N = arg[0];
    const int64_t H = arg[1];
    const int64_t W = arg[2];
    const int64_t OH = arg[3];
    const int64_t OW = arg[4];
    const int64_t py = arg[5];
    const int64_t px = arg[6];
    const int64_t in_n = arg[7];
    const int64_t in_c = arg[8];
    const int64_t in_row = arg[9];
    const int64_t grad_n = arg[10];
    const int64_t grad_c = arg[11];
    const int64_t grad_row = arg[12];
    const int64_t group_vectors = arg[13];
    const int64_t group_numbers = arg[14];
    const int64_t panels = arg[15];
    const int64_t unit_sets = arg[16];
    const int64_t step_sets = arg[17];
    const int64_t parts = arg[18];
    const int64_t held = arg[19];
    const int64_t most_vectors = arg[20];
    const int64_t most_numbers = arg[21];
    const int64_t group_kernels = arg[22];
    const int64_t out_n = arg[23];
    const int64_t out_c = arg[24];
    const int64_t group_channels = arg[25];
    (void)team; (void)buf; (void)arg;
    const int64_t units = panels, steps = (group_numbers + STEP - 1) / STEP, taps = TAPS, size = FREQUENCIES * STEP * WIDEST * LANES;
    const int64_t down = (OH + 1) / 2, across = (OW + 1) / 2, tiles = N * down * across, chunks = (tiles + held - 1) / held;
    const int64_t pitch = (held + 1) * LANES, sets = unit_sets * step_sets; /* frequencies lie one line more apart than they are long */
    float *vectors = (float *)team->scratch, *numbers = vectors + most_vectors * FREQUENCIES * pitch, *patch = numbers + most_numbers * FREQUENCIES * pitch;
    float *turned = patch + PATCH * LANES, *own = turned + TAPS * STEP * WIDEST * LANES;
    sol_share share = sol_share_of(team, sets * parts, team->size);
    for (int64_t job, last; sol_share_take(&share, &job, &last);) for (; job < last; job++) {
        const int64_t part = job % parts, set = job / parts, us = set % unit_sets, ts = set / unit_sets;
        const int64_t u0 = units * us / unit_sets, u1 = units * (us + 1) / unit_sets, t0 = steps * ts / step_sets, t1 = steps * (ts + 1) / step_sets;
        const int64_t first = u0 * group_vectors / panels, first_number = t0 * STEP / LANES, number_blocks = (group_numbers + LANES - 1) / LANES;
        const int64_t last_number = (t1 * STEP + LANES - 1) / LANES < number_blocks ? (t1 * STEP + LANES - 1) / LANES : number_blocks;
        /* Sums of a panel and a step follow each other: of the set, or of all, for each part. */
        float *sums = parts > 1 ? (float *)team->shared_scratch + part * units * steps * size : own;
        const int64_t first_unit = parts > 1 ? 0 : u0, first_step = parts > 1 ? 0 : t0, step_pitch = parts > 1 ? steps : t1 - t0;
        for (int64_t begin = chunks * part / parts, end = chunks * (part + 1) / parts, chunk = begin; chunk < end; chunk++) {
            const int64_t c0 = chunk * held, c1 = tiles - c0 < held ? tiles : c0 + held;
            for (int64_t block = first; block < u1 * group_vectors / panels; block++) {
                float *v = vectors + (block - (first)) * FREQUENCIES * pitch;
                for (int64_t i = c0; i < c1; i++, v += LANES) {
                    const int64_t y = i / across % down * 2 - py, x = i % across * 2 - px;
                    const float *map = in + i / across / down * in_n + block * in_c, *at = map + y * in_row + x * LANES;
                    int64_t row = in_row;
                    if (y < 0 || x < 0 || y + 4 > H || x + 4 > W) {
                        copy_patch(patch, map, row, y, x, 4, 4, H, W);
                        at = patch, row = 4 * LANES;
                    }
                    transform_in(at, row, v, pitch);
                }
            }
            for (int64_t block = first_number; block < last_number; block++) {
                float *v = numbers + (block - (first_number)) * FREQUENCIES * pitch;
                for (int64_t i = c0; i < c1; i++, v += LANES) {
                    const int64_t y = i / across % down * 2, x = i % across * 2;
                    const float *map = grad + i / across / down * grad_n + block * grad_c, *at = map + y * grad_row + x * LANES;
                    int64_t row = grad_row;
                    if (y < 0 || x < 0 || y + 2 > OH || x + 2 > OW) {
                        copy_patch(patch, map, row, y, x, 2, 2, OH, OW);
                        at = patch, row = 2 * LANES;
                    }
                    transform_grad(at, row, v, pitch);
                }
            }
            for (int64_t u = u0; u < u1; u++) {
                const int64_t v0 = u * group_vectors / panels, v1 = (u + 1) * group_vectors / panels, wide = v1 - v0;
                for (int64_t t = t0; t < t1; t++) {
                    float *to = sums + ((u - first_unit) * step_pitch + t - first_step) * size;
                    map of_vectors = {vectors + (v0 - first) * FREQUENCIES * pitch, 0, 0, LANES};
                    map of_numbers = {numbers + (t * STEP / LANES - first_number) * FREQUENCIES * pitch + t * STEP % LANES, 0, 0, LANES};
                    for (int64_t f = 0; f < FREQUENCIES; f++, of_vectors.at += pitch, of_numbers.at += pitch) {
                        tile_2(to + f * STEP * wide * LANES, of_vectors, FREQUENCIES * pitch, of_numbers, 1, 1, c1 - c0, chunk == begin);
                    }
                }
            }
        }
        if (parts > 1) continue;
        for (int64_t u = u0; u < u1; u++)
            for (int64_t t = t0; t < t1; t++) {
                    const int64_t of_u = u, of_t = t, w0 = of_u * group_vectors / panels, w1 = (of_u + 1) * group_vectors / panels, values = STEP * (w1 - w0) * LANES;
                    if (!transform_back(sums + ((u - u0) * step_pitch + t - t0) * size, w1 - w0, turned)) {
                        memset(turned, 0, (size_t)(TAPS * values) * sizeof *turned);
                        const float *vector_blocks = in + w0 * in_c, *number_blocks = grad + of_t * STEP / LANES * grad_c + of_t * STEP % LANES;
                        for (int64_t tap = 0; tap < TAPS; tap++) {
                            const int64_t dy = tap / 3 - py, dx = tap % 3 - px;
                            int64_t y0, y1, x0, x1;
                            inside(OH, dy, H, &y0, &y1), inside(OW, dx, W, &x0, &x1);
                            if (y0 >= y1 || x0 >= x1) continue;
                            const map of_grad = {number_blocks + y0 * grad_row + x0 * LANES, grad_n, grad_row, LANES};
                            const map of_in = {vector_blocks + (y0 + dy) * in_row + (x0 + dx) * LANES, in_n, in_row, LANES};
                            tile_2(turned + tap * values, of_in, in_c, of_grad, N, y1 - y0, x1 - x0, 1);
                        }
                    }
                    {
                    const int64_t g = of_u / panels, v0 = of_u % panels * group_vectors / panels, v1 = (of_u % panels + 1) * group_vectors / panels;
                    const place to = {out + (g * group_kernels + of_t * STEP) * out_n + v0 * LANES * out_c, group_channels - v0 * LANES, group_numbers - of_t * STEP};
                    write_tile(turned, v1 - v0, to, taps, out_c, out_n);
                }
                }
    }
    if (parts == 1) return;
    sol_barrier(team);
    float *sums = (float *)team->shared_scratch;
    int64_t i, end;
    for (sol_split(team, units * steps, &i, &end); i < end; i++) {
        for (int64_t part = 1; part < parts; part++)
            for (int64_t j = i * size; j < (i + 1) * size; j += LANES) vf_store(sums + j, vf_load(sums + j) + vf_load(sums + part * units * steps * size + j));
        {
                    const int64_t of_u = i / steps, of_t = i % steps, w0 = of_u * group_vectors / panels, w1 = (of_u + 1) * group_vectors / panels, values = STEP * (w1 - w0) * LANES;
                    if (!transform_back(sums + i * size, w1 - w0, turned)) {
                        memset(turned, 0, (size_t)(TAPS * values) * sizeof *turned);
                        const float *vector_blocks = in + w0 * in_c, *number_blocks = grad + of_t * STEP / LANES * grad_c + of_t * STEP % LANES;
                        for (int64_t tap = 0; tap < TAPS; tap++) {
                            const int64_t dy = tap / 3 - py, dx = tap % 3 - px;
                            int64_t y0, y1, x0, x1;
                            inside(OH, dy, H, &y0, &y1), inside(OW, dx, W, &x0, &x1);
                            if (y0 >= y1 || x0 >= x1) continue;
                            const map of_grad = {number_blocks + y0 * grad_row + x0 * LANES, grad_n, grad_row, LANES};
                            const map of_in = {vector_blocks + (y0 + dy) * in_row + (x0 + dx) * LANES, in_n, in_row, LANES};
                            tile_2(turned + tap * values, of_in, in_c, of_grad, N, y1 - y0, x1 - x0, 1);
                        }
                    }
                    {
                    const int64_t g = of_u / panels, v0 = of_u % panels * group_vectors / panels, v1 = (of_u % panels + 1) * group_vectors / panels;
                    const place to = {out + (g * group_kernels + of_t * STEP) * out_n + v0 * LANES * out_c, group_channels - v0 * LANES, group_numbers - of_t * STEP};
                    write_tile(turned, v1 - v0, to, taps, out_c, out_n);
                }
                }
    }
}
