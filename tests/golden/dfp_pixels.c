/* dfp_pixels: mean sub square mean add rsqrt mul mul add.
 *   For every piece of LANES neighbouring pixels (split over the team): 3 pass(es) along the blocks of channels; every pixel has running
 *   vectors of its own, whose lanes are folded for all pixels of the piece together.
 */
#include "sol_dfp.h"
#include "sol_pack.h"

/* The sum, largest or smallest of the lanes of each of LANES vectors: neighbours far apart are paired first, so that lanes come in order. */
#define SOL_OF_EACH(name, meet)                                                     \
    SOL_INLINE vf name(vf r[LANES])                                                 \
    {                                                                               \
        _Pragma("GCC unroll 4")                                                     \
        for (int half = LANES / 2; half; half /= 2) {                               \
            _Pragma("GCC unroll 8")                                                 \
            for (int i = 0; i < half; i++) {                                        \
                vf low, high;                                                       \
                vf_zip(r[i], r[i + half], &low, &high);                             \
                r[i] = meet;                                                        \
            }                                                                       \
        }                                                                           \
        return r[0];                                                                \
    }
SOL_OF_EACH(vf_sum_of_each, low + high)
SOL_OF_EACH(vf_max_of_each, vf_max(low, high))
SOL_OF_EACH(vf_min_of_each, vf_min(low, high))

void dfp_pixels(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in0 = buf[0];
    const float *in1 = buf[1];
    const float *in2 = buf[2];
    float *out0 = buf[3];
    const int64_t n1 = arg[0];
    const int64_t s_in0_1 = arg[1];
    const int64_t s_in1_1 = arg[2];
    const int64_t s_in2_1 = arg[3];
    const int64_t s_out0_1 = arg[4];
    const int64_t n0 = arg[5];
    (void)team; (void)buf; (void)arg;
    const int64_t rows = 1, pixels = n0, pieces = (pixels + LANES - 1) / LANES, units = rows * pieces;
    const int64_t blocks = n1;
    int64_t size = team->size;
    if (rows * pixels * blocks * LANES < 8192) {
        if (team->id) return;
        size = 1;
    }
    const int64_t begin = units * team->id / size, end = units * (team->id + 1) / size;
    if (begin >= end) return;
    int64_t first = begin % pieces * LANES;
    for (int64_t unit = begin; unit < end; unit++) {
        const float *p_in0 = in0 + first * LANES;
        const float *p_in1 = in1 + 0;
        const float *p_in2 = in2 + 0;
        float *p_out0 = out0 + first * LANES;
        if (pixels - first >= LANES) {
            const int n = LANES;
            const vf r0 = vf_set((float)(blocks * LANES));
            /* pass 0 */
            vf w0[LANES];
            #pragma GCC unroll 16
            for (int p = 0; p < LANES; p++) w0[p] = vf_set(0.0f);
            for (int64_t c = 0; c < blocks;) {
                const int64_t stop = c + 8 < blocks ? c + 8 : blocks;
                vf a0[LANES];
                #pragma GCC unroll 16
                for (int p = 0; p < LANES; p++) a0[p] = vf_set(0.0f);
                for (; c < stop; c++) {
                    #pragma GCC unroll 16
                    for (int p = 0; p < LANES; p++) {
                        const int64_t at = p < n ? p : n - 1;
                        const vf t0 = vf_load(p_in0 + c * s_in0_1 + at * LANES);
                        a0[p] += t0;
                    }
                }
                #pragma GCC unroll 16
                for (int p = 0; p < LANES; p++) w0[p] += a0[p];
            }
            const vf v0 = vf_sum_of_each(w0);
            const vf r1 = v0 / r0;
            /* pass 1 */
            float b0[LANES];
            vf_store(b0, r1);
            vf w1[LANES];
            #pragma GCC unroll 16
            for (int p = 0; p < LANES; p++) w1[p] = vf_set(0.0f);
            for (int64_t c = 0; c < blocks;) {
                const int64_t stop = c + 8 < blocks ? c + 8 : blocks;
                vf a1[LANES];
                #pragma GCC unroll 16
                for (int p = 0; p < LANES; p++) a1[p] = vf_set(0.0f);
                for (; c < stop; c++) {
                    #pragma GCC unroll 16
                    for (int p = 0; p < LANES; p++) {
                        const int64_t at = p < n ? p : n - 1;
                        const vf t0 = vf_load(p_in0 + c * s_in0_1 + at * LANES);
                        const vf t1 = t0 - vf_set(b0[p]);
                        const vf t2 = t1 * t1;
                        a1[p] += t2;
                    }
                }
                #pragma GCC unroll 16
                for (int p = 0; p < LANES; p++) w1[p] += a1[p];
            }
            const vf v1 = vf_sum_of_each(w1);
            const vf r2 = v1 / r0;
            const vf r3 = r2 + vf_set(9.99999997e-07f);
            const vf r4 = vf_rsqrt(r3);
            /* pass 2 */
            float b1[LANES];
            vf_store(b1, r4);
            for (int64_t c = 0; c < blocks;) {
                const int64_t stop = c + 8 < blocks ? c + 8 : blocks;
                for (; c < stop; c++) {
                    #pragma GCC unroll 16
                    for (int p = 0; p < LANES; p++) {
                        const int64_t at = p < n ? p : n - 1;
                        const vf t0 = vf_load(p_in0 + c * s_in0_1 + at * LANES);
                        const vf t1 = t0 - vf_set(b0[p]);
                        const vf t2 = t1 * vf_set(b1[p]);
                        const vf t3 = vf_load(p_in1 + c * s_in1_1);
                        const vf t4 = t2 * t3;
                        const vf t5 = vf_load(p_in2 + c * s_in2_1);
                        const vf t6 = t4 + t5;
                        if (p < n) vf_store(p_out0 + c * s_out0_1 + at * LANES, t6);
                    }
                }
            }
        } else {
            const int n = (int)(pixels - first);
            const vf r0 = vf_set((float)(blocks * LANES));
            /* pass 0 */
            vf w0[LANES];
            #pragma GCC unroll 16
            for (int p = 0; p < LANES; p++) w0[p] = vf_set(0.0f);
            for (int64_t c = 0; c < blocks;) {
                const int64_t stop = c + 8 < blocks ? c + 8 : blocks;
                vf a0[LANES];
                #pragma GCC unroll 16
                for (int p = 0; p < LANES; p++) a0[p] = vf_set(0.0f);
                for (; c < stop; c++) {
                    #pragma GCC unroll 16
                    for (int p = 0; p < LANES; p++) {
                        const int64_t at = p < n ? p : n - 1;
                        const vf t0 = vf_load(p_in0 + c * s_in0_1 + at * LANES);
                        a0[p] += t0;
                    }
                }
                #pragma GCC unroll 16
                for (int p = 0; p < LANES; p++) w0[p] += a0[p];
            }
            const vf v0 = vf_sum_of_each(w0);
            const vf r1 = v0 / r0;
            /* pass 1 */
            float b0[LANES];
            vf_store(b0, r1);
            vf w1[LANES];
            #pragma GCC unroll 16
            for (int p = 0; p < LANES; p++) w1[p] = vf_set(0.0f);
            for (int64_t c = 0; c < blocks;) {
                const int64_t stop = c + 8 < blocks ? c + 8 : blocks;
                vf a1[LANES];
                #pragma GCC unroll 16
                for (int p = 0; p < LANES; p++) a1[p] = vf_set(0.0f);
                for (; c < stop; c++) {
                    #pragma GCC unroll 16
                    for (int p = 0; p < LANES; p++) {
                        const int64_t at = p < n ? p : n - 1;
                        const vf t0 = vf_load(p_in0 + c * s_in0_1 + at * LANES);
                        const vf t1 = t0 - vf_set(b0[p]);
                        const vf t2 = t1 * t1;
                        a1[p] += t2;
                    }
                }
                #pragma GCC unroll 16
                for (int p = 0; p < LANES; p++) w1[p] += a1[p];
            }
            const vf v1 = vf_sum_of_each(w1);
            const vf r2 = v1 / r0;
            const vf r3 = r2 + vf_set(9.99999997e-07f);
            const vf r4 = vf_rsqrt(r3);
            /* pass 2 */
            float b1[LANES];
            vf_store(b1, r4);
            for (int64_t c = 0; c < blocks;) {
                const int64_t stop = c + 8 < blocks ? c + 8 : blocks;
                for (; c < stop; c++) {
                    #pragma GCC unroll 16
                    for (int p = 0; p < LANES; p++) {
                        const int64_t at = p < n ? p : n - 1;
                        const vf t0 = vf_load(p_in0 + c * s_in0_1 + at * LANES);
                        const vf t1 = t0 - vf_set(b0[p]);
                        const vf t2 = t1 * vf_set(b1[p]);
                        const vf t3 = vf_load(p_in1 + c * s_in1_1);
                        const vf t4 = t2 * t3;
                        const vf t5 = vf_load(p_in2 + c * s_in2_1);
                        const vf t6 = t4 + t5;
                        if (p < n) vf_store(p_out0 + c * s_out0_1 + at * LANES, t6);
                    }
                }
            }
        }
        first += LANES;
        if (first < pixels) continue;
        first = 0;
    }
}
