/* dfp_reorder: row-major to blocks of 16 channels; lanes beyond the channels become zero.
 *   pieces of pixel rows with one block of channels (split over the team) x squares of LANES pixels and channels, transposed in registers.
 *   H, W: rows and pixels of a row (one row where memory allows). n, c, h: strides of the batch, 16 channels and a row; along: of a channel
 *   in the row-major tensor. */
#include "sol_dfp.h"
enum { BLOCK = 16, PIXELS = 16 * BLOCK };
#define FIRST1(a, b) VF_SHUFFLE(a, b, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30)
#define SECOND1(a, b) VF_SHUFFLE(a, b, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31)
#define FIRST2(a, b) VF_SHUFFLE(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define SECOND2(a, b) VF_SHUFFLE(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#define FIRST4(a, b) VF_SHUFFLE(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27)
#define SECOND4(a, b) VF_SHUFFLE(a, b, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31)
#define FIRST8(a, b) VF_SHUFFLE(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
#define SECOND8(a, b) VF_SHUFFLE(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31)
/* The plane of BLOCK channels, of which left exist, at n pixels. */
SOL_INLINE void square(const float *restrict x, float *restrict o, int64_t along, int left, int n)
{
    vf t;
    vf r0 = 0 < left ? n < LANES ? vf_load_n(x + 0 * along, n) : vf_load(x + 0 * along) : vf_zero();
    vf r1 = 1 < left ? n < LANES ? vf_load_n(x + 1 * along, n) : vf_load(x + 1 * along) : vf_zero();
    vf r2 = 2 < left ? n < LANES ? vf_load_n(x + 2 * along, n) : vf_load(x + 2 * along) : vf_zero();
    vf r3 = 3 < left ? n < LANES ? vf_load_n(x + 3 * along, n) : vf_load(x + 3 * along) : vf_zero();
    vf r4 = 4 < left ? n < LANES ? vf_load_n(x + 4 * along, n) : vf_load(x + 4 * along) : vf_zero();
    vf r5 = 5 < left ? n < LANES ? vf_load_n(x + 5 * along, n) : vf_load(x + 5 * along) : vf_zero();
    vf r6 = 6 < left ? n < LANES ? vf_load_n(x + 6 * along, n) : vf_load(x + 6 * along) : vf_zero();
    vf r7 = 7 < left ? n < LANES ? vf_load_n(x + 7 * along, n) : vf_load(x + 7 * along) : vf_zero();
    vf r8 = 8 < left ? n < LANES ? vf_load_n(x + 8 * along, n) : vf_load(x + 8 * along) : vf_zero();
    vf r9 = 9 < left ? n < LANES ? vf_load_n(x + 9 * along, n) : vf_load(x + 9 * along) : vf_zero();
    vf r10 = 10 < left ? n < LANES ? vf_load_n(x + 10 * along, n) : vf_load(x + 10 * along) : vf_zero();
    vf r11 = 11 < left ? n < LANES ? vf_load_n(x + 11 * along, n) : vf_load(x + 11 * along) : vf_zero();
    vf r12 = 12 < left ? n < LANES ? vf_load_n(x + 12 * along, n) : vf_load(x + 12 * along) : vf_zero();
    vf r13 = 13 < left ? n < LANES ? vf_load_n(x + 13 * along, n) : vf_load(x + 13 * along) : vf_zero();
    vf r14 = 14 < left ? n < LANES ? vf_load_n(x + 14 * along, n) : vf_load(x + 14 * along) : vf_zero();
    vf r15 = 15 < left ? n < LANES ? vf_load_n(x + 15 * along, n) : vf_load(x + 15 * along) : vf_zero();
    t = r0, r0 = FIRST1(t, r1), r1 = SECOND1(t, r1);
    t = r2, r2 = FIRST1(t, r3), r3 = SECOND1(t, r3);
    t = r4, r4 = FIRST1(t, r5), r5 = SECOND1(t, r5);
    t = r6, r6 = FIRST1(t, r7), r7 = SECOND1(t, r7);
    t = r8, r8 = FIRST1(t, r9), r9 = SECOND1(t, r9);
    t = r10, r10 = FIRST1(t, r11), r11 = SECOND1(t, r11);
    t = r12, r12 = FIRST1(t, r13), r13 = SECOND1(t, r13);
    t = r14, r14 = FIRST1(t, r15), r15 = SECOND1(t, r15);
    t = r0, r0 = FIRST2(t, r2), r2 = SECOND2(t, r2);
    t = r1, r1 = FIRST2(t, r3), r3 = SECOND2(t, r3);
    t = r4, r4 = FIRST2(t, r6), r6 = SECOND2(t, r6);
    t = r5, r5 = FIRST2(t, r7), r7 = SECOND2(t, r7);
    t = r8, r8 = FIRST2(t, r10), r10 = SECOND2(t, r10);
    t = r9, r9 = FIRST2(t, r11), r11 = SECOND2(t, r11);
    t = r12, r12 = FIRST2(t, r14), r14 = SECOND2(t, r14);
    t = r13, r13 = FIRST2(t, r15), r15 = SECOND2(t, r15);
    t = r0, r0 = FIRST4(t, r4), r4 = SECOND4(t, r4);
    t = r1, r1 = FIRST4(t, r5), r5 = SECOND4(t, r5);
    t = r2, r2 = FIRST4(t, r6), r6 = SECOND4(t, r6);
    t = r3, r3 = FIRST4(t, r7), r7 = SECOND4(t, r7);
    t = r8, r8 = FIRST4(t, r12), r12 = SECOND4(t, r12);
    t = r9, r9 = FIRST4(t, r13), r13 = SECOND4(t, r13);
    t = r10, r10 = FIRST4(t, r14), r14 = SECOND4(t, r14);
    t = r11, r11 = FIRST4(t, r15), r15 = SECOND4(t, r15);
    t = r0, r0 = FIRST8(t, r8), r8 = SECOND8(t, r8);
    t = r1, r1 = FIRST8(t, r9), r9 = SECOND8(t, r9);
    t = r2, r2 = FIRST8(t, r10), r10 = SECOND8(t, r10);
    t = r3, r3 = FIRST8(t, r11), r11 = SECOND8(t, r11);
    t = r4, r4 = FIRST8(t, r12), r12 = SECOND8(t, r12);
    t = r5, r5 = FIRST8(t, r13), r13 = SECOND8(t, r13);
    t = r6, r6 = FIRST8(t, r14), r14 = SECOND8(t, r14);
    t = r7, r7 = FIRST8(t, r15), r15 = SECOND8(t, r15);
    if (0 < n) vf_store(o + 0 * LANES, r0);
    if (1 < n) vf_store(o + 1 * LANES, r1);
    if (2 < n) vf_store(o + 2 * LANES, r2);
    if (3 < n) vf_store(o + 3 * LANES, r3);
    if (4 < n) vf_store(o + 4 * LANES, r4);
    if (5 < n) vf_store(o + 5 * LANES, r5);
    if (6 < n) vf_store(o + 6 * LANES, r6);
    if (7 < n) vf_store(o + 7 * LANES, r7);
    if (8 < n) vf_store(o + 8 * LANES, r8);
    if (9 < n) vf_store(o + 9 * LANES, r9);
    if (10 < n) vf_store(o + 10 * LANES, r10);
    if (11 < n) vf_store(o + 11 * LANES, r11);
    if (12 < n) vf_store(o + 12 * LANES, r12);
    if (13 < n) vf_store(o + 13 * LANES, r13);
    if (14 < n) vf_store(o + 14 * LANES, r14);
    if (15 < n) vf_store(o + 15 * LANES, r15);
}
void dfp_reorder(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in0 = buf[0];
    float *out0 = buf[1];
    const int64_t N = arg[0];
    const int64_t C = arg[1];
    const int64_t H = arg[2];
    const int64_t W = arg[3];
    const int64_t channels = arg[4];
    const int64_t n_in0 = arg[5];
    const int64_t c_in0 = arg[6];
    const int64_t h_in0 = arg[7];
    const int64_t n_out0 = arg[8];
    const int64_t c_out0 = arg[9];
    const int64_t h_out0 = arg[10];
    const int64_t along = arg[11];
    (void)team; (void)buf; (void)arg;
    if (N * C * H * W == 0) return;
    int64_t size = team->size;
    if (N * C * H * W * BLOCK < 8192) {
        if (team->id) return;
        size = 1;
    }
    const int64_t pieces = (W + PIXELS - 1) / PIXELS, units = N * C * H * pieces;
    const int64_t begin = units * team->id / size, end = units * (team->id + 1) / size;
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t from = unit % pieces * PIXELS, y = unit / pieces % H, c = unit / (pieces * H) % C, n = unit / (pieces * H * C);
        const int64_t pixels = W - from < PIXELS ? W - from : PIXELS, left = channels - c * BLOCK;
        const float *x = in0 + n * n_in0 + c * c_in0 + y * h_in0 + from;
        float *o = out0 + n * n_out0 + c * c_out0 + y * h_out0 + from * BLOCK;
        int64_t i = 0;
        if (left >= BLOCK)
            for (; i + BLOCK <= pixels; i += BLOCK) square(x + i, o + i * BLOCK, along, BLOCK, BLOCK);
        for (; i < pixels; i += BLOCK)
            square(x + i, o + i * BLOCK, along, (int)left, (int)(pixels - i < BLOCK ? pixels - i : BLOCK));
    }
}
