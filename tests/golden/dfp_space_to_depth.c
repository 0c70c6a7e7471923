/* dfp_space_to_depth: squares of 2 x 2 pixels become channels, ordered (channel, row, column); row-major to blocks of 16 channels.
 * Lanes beyond the channels become zero, as do pixels beyond an odd size.
 *   rows of the result (split over the team) x blocks of channels x LANES pixels, whose channels are transposed in registers.
 *   CB, H, W: blocks, rows and pixels of the result; channels, rows, pixels: of the image. n, c, h: strides of the batch, a block and a row;
 *   along, down: of a channel and a row in the image. */
#include "sol_dfp.h"

enum { BLOCK = 16 };
#define FIRST1(a, b) VF_SHUFFLE(a, b, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30)
#define SECOND1(a, b) VF_SHUFFLE(a, b, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31)
#define FIRST2(a, b) VF_SHUFFLE(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define SECOND2(a, b) VF_SHUFFLE(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#define FIRST4(a, b) VF_SHUFFLE(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27)
#define SECOND4(a, b) VF_SHUFFLE(a, b, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31)
#define FIRST8(a, b) VF_SHUFFLE(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
#define SECOND8(a, b) VF_SHUFFLE(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31)
#define EVEN(a, b) VF_SHUFFLE(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define ODD(a, b) VF_SHUFFLE(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)

SOL_INLINE vf load_at_most(const float *x, int64_t n) { return n >= LANES ? vf_load(x) : n > 0 ? vf_load_n(x, (int)n) : vf_zero(); }

/* BLOCK channels of LANES pixels, of which n are stored; left, rows, pixels: what the image still has from x on. */
SOL_INLINE void squares(const float *restrict x, float *restrict o, int64_t along, int64_t down, int64_t left, int64_t rows, int64_t pixels, int64_t n)
{
    vf t, u;
    vf r0 = vf_zero(), r1 = vf_zero();
    if (0 < left && 0 < rows) {
        const float *s = x + 0 * along + 0 * down;
        t = load_at_most(s, pixels), u = load_at_most(s + LANES, pixels - LANES);
        r0 = EVEN(t, u), r1 = ODD(t, u);
    }
    vf r2 = vf_zero(), r3 = vf_zero();
    if (0 < left && 1 < rows) {
        const float *s = x + 0 * along + 1 * down;
        t = load_at_most(s, pixels), u = load_at_most(s + LANES, pixels - LANES);
        r2 = EVEN(t, u), r3 = ODD(t, u);
    }
    vf r4 = vf_zero(), r5 = vf_zero();
    if (1 < left && 0 < rows) {
        const float *s = x + 1 * along + 0 * down;
        t = load_at_most(s, pixels), u = load_at_most(s + LANES, pixels - LANES);
        r4 = EVEN(t, u), r5 = ODD(t, u);
    }
    vf r6 = vf_zero(), r7 = vf_zero();
    if (1 < left && 1 < rows) {
        const float *s = x + 1 * along + 1 * down;
        t = load_at_most(s, pixels), u = load_at_most(s + LANES, pixels - LANES);
        r6 = EVEN(t, u), r7 = ODD(t, u);
    }
    vf r8 = vf_zero(), r9 = vf_zero();
    if (2 < left && 0 < rows) {
        const float *s = x + 2 * along + 0 * down;
        t = load_at_most(s, pixels), u = load_at_most(s + LANES, pixels - LANES);
        r8 = EVEN(t, u), r9 = ODD(t, u);
    }
    vf r10 = vf_zero(), r11 = vf_zero();
    if (2 < left && 1 < rows) {
        const float *s = x + 2 * along + 1 * down;
        t = load_at_most(s, pixels), u = load_at_most(s + LANES, pixels - LANES);
        r10 = EVEN(t, u), r11 = ODD(t, u);
    }
    vf r12 = vf_zero(), r13 = vf_zero();
    if (3 < left && 0 < rows) {
        const float *s = x + 3 * along + 0 * down;
        t = load_at_most(s, pixels), u = load_at_most(s + LANES, pixels - LANES);
        r12 = EVEN(t, u), r13 = ODD(t, u);
    }
    vf r14 = vf_zero(), r15 = vf_zero();
    if (3 < left && 1 < rows) {
        const float *s = x + 3 * along + 1 * down;
        t = load_at_most(s, pixels), u = load_at_most(s + LANES, pixels - LANES);
        r14 = EVEN(t, u), r15 = ODD(t, u);
    }
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

void dfp_space_to_depth(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in0 = buf[0];
    float *out0 = buf[1];
    const int64_t N = arg[0];
    const int64_t CB = arg[1];
    const int64_t H = arg[2];
    const int64_t W = arg[3];
    const int64_t channels = arg[4];
    const int64_t rows = arg[5];
    const int64_t pixels = arg[6];
    const int64_t n_in0 = arg[7];
    const int64_t along = arg[8];
    const int64_t down = arg[9];
    const int64_t n_out0 = arg[10];
    const int64_t c_out0 = arg[11];
    const int64_t h_out0 = arg[12];
    (void)team; (void)buf; (void)arg;
    int64_t begin, end;
    sol_split(team, N * H, &begin, &end);
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t n = unit / H, y = unit % H;
        for (int64_t c = 0; c < CB; c++) {
            const float *x = in0 + n * n_in0 + c * (BLOCK / 4) * along + 2 * y * down;
            float *o = out0 + n * n_out0 + c * c_out0 + y * h_out0;
            const int64_t left = channels - c * (BLOCK / 4);
            int64_t i = 0;
            for (; 2 * (i + LANES) <= pixels; i += LANES) squares(x + 2 * i, o + i * BLOCK, along, down, left, rows - 2 * y, 2 * LANES, LANES);
            if (i < W) squares(x + 2 * i, o + i * BLOCK, along, down, left, rows - 2 * y, pixels - 2 * i, W - i);
        }
    }
}
