/* dfp_pad: a constant around (or, by negative counts, a window of) a tensor.
 *   rows of the result (split over the team): fill, copy, fill. n: result sizes, m: input sizes, b: elements before. */
#include "sol_dfp.h"

SOL_INLINE void copy(float *o, const float *x, int64_t n)
{
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) vf_store(o + i, vf_load(x + i));
    if (i < n) vf_store_n(o + i, vf_load_n(x + i, (int)(n - i)), (int)(n - i));
}
SOL_INLINE void fill(float *o, vf v, int64_t n)
{
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) vf_store(o + i, v);
    if (i < n) vf_store_n(o + i, v, (int)(n - i));
}
void dfp_pad(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in0 = buf[0];
    float *out0 = buf[1];
    const int64_t b0 = arg[0];
    const int64_t b1 = arg[1];
    const int64_t m2 = arg[2];
    const int64_t b2 = arg[3];
    const int64_t s_in0_0 = arg[4];
    const int64_t s_in0_1 = arg[5];
    const int64_t n2 = arg[6];
    const int64_t s_out0_0 = arg[7];
    const int64_t s_out0_1 = arg[8];
    const int64_t n0 = arg[9];
    const int64_t n1 = arg[10];
    (void)team; (void)buf; (void)arg;
    const float value = 0.0f;
    float number;
    memcpy(&number, &value, sizeof number);
    const vf filling = vf_set(number);
    const int64_t rows = n0 * n1, length = n2;
    if (rows * length == 0) return;
    int64_t size = team->size;
    if (rows * length * 1 < 8192) {
        if (team->id) return;
        size = 1;
    }
    const int64_t begin = rows * team->id / size, end = rows * (team->id + 1) / size;
    if (begin == end) return;
    int64_t row = begin;
    int64_t i1 = row % n1;
    row /= n1;
    int64_t i0 = row;

    /* The part [from, to) of a row that comes from the input. */
    int64_t from = b2 < 0 ? 0 : b2, to = b2 + m2;
    if (to > length) to = length;
    if (from > to) from = to < 0 ? (to = 0) : (from > length ? (to = length) : to);
    for (int64_t unit = begin; unit < end; unit++) {
        float *o = out0 + i0 * s_out0_0 + i1 * s_out0_1;
        if (1) {
            const float *x = in0 + (i0 - b0) * s_in0_0 + (i1 - b1) * s_in0_1 - b2 * 1;
            if (from) fill((float *)o, filling, from);
            copy((float *)o + from, (const float *)x + from, to - from);
            if (to < length) fill((float *)o + to, filling, length - to);
        } else {
            fill((float *)o, filling, length);
        }
        if (++i1 < n1) continue;
        i1 = 0;
        i0++;

    }
}
