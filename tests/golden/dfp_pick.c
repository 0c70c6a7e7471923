/* dfp_pick: elements at places that the table states along some dimensions.
 *   rows of the result (split over the team): vectors, each permuted out of the one that holds its elements.
 *   table: places along the outer dimensions, along the row from 4 on, then for each vector of a row where the one begins that holds its elements (-1: none does), and LANES bytes of lanes. */
#include "sol_dfp.h"
enum { WORDS = LANES < 8 ? 1 : LANES / 8 };
SOL_VECTORIZE
void dfp_pick(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in0 = buf[0];
    float *out0 = buf[1];
    const int64_t s_in0_0 = arg[0];
    const int64_t along1 = arg[1];
    const int64_t n0 = arg[2];
    const int64_t n1 = arg[3];
    const int64_t n2 = arg[4];
    const int64_t s_out0_0 = arg[5];
    const int64_t s_out0_1 = arg[6];
    (void)team; (void)buf; (void)arg;
    const int64_t *const table = arg + 7;
    (void)table;
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

    for (int64_t unit = begin; unit < end; unit++) {
        const float *x = in0 + i0 * s_in0_0 + table[0 + i1] * along1;
        float *o = out0 + i0 * s_out0_0 + i1 * s_out0_1;
        const int64_t *t = table + 4 + length;
        for (int64_t i = 0; i < length; i += LANES, t += 1 + WORDS) {
            const int n = length - i < LANES ? (int)(length - i) : LANES;
            if (t[0] >= 0) {
                const vf held = vf_load_n((const float *)x, 9);
                const vf v = vf_permute(held, vi_load_bytes((const uint8_t *)(t + 1)));
                if (n == LANES) vf_store((float *)(o + i), v);
                else vf_store_n((float *)(o + i), v, n);
            } else {
                for (int k = 0; k < n; k++) o[i + k] = x[table[4 + i + k]];
            }
        }
        if (++i1 < n1) continue;
        i1 = 0;
        i0++;

    }
}
