/* dfp_pointwise: add, element by element.
 *   rows (split over the team) x pieces of the innermost axis x vectors; all intermediates in registers. */
#include "sol_dfp.h"

void dfp_pointwise(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in0 = buf[0];
    const float *in1 = buf[1];
    float *out0 = buf[2];
    const int64_t n0 = arg[0];
    (void)team; (void)buf; (void)arg;
    const int64_t rows = 1, length = n0;
    if (rows * length == 0) return;
    int64_t size = team->size;
    if (rows * length * 1 * 1 < 8192) {
        if (team->id) return;
        size = 1;
    }
    const int64_t wanted = rows >= 4 * size ? 1 : (4 * size + rows - 1) / rows;
    int64_t piece = (length + wanted - 1) / wanted;
    piece = piece < 256 ? 256 : (piece + 63) / 64 * 64;
    const int64_t parts = (length + piece - 1) / piece, pieces = rows * parts;
    sol_share share = sol_share_of(team, pieces, size);
    for (int64_t begin, end; sol_share_take(&share, &begin, &end);) {
        int64_t part = begin % parts;
        for (int64_t unit = begin; unit < end; unit++) {
            const float *p_in0 = in0 + 0;
            const float *p_in1 = in1 + 0;
            float *p_out0 = out0 + 0;
            const int64_t last = (part + 1) * piece < length ? (part + 1) * piece : length;
            int64_t i = part * piece;
            for (; i + LANES <= last; i += LANES) {
                const vf t0 = vf_load(p_in0 + i);
                const vf t1 = vf_load(p_in1 + i);
                const vf t2 = t0 + t1;
                vf_store(p_out0 + i, t2);
            }
            if (i < last) {
                const int left = (int)(last - i);
                const vf t0 = vf_load_n(p_in0 + i, left);
                const vf t1 = vf_load_n(p_in1 + i, left);
                const vf t2 = t0 + t1;
                vf_store_n(p_out0 + i, t2, left);
            }
            if (++part < parts) continue;
            part = 0;
        }
    }
}
