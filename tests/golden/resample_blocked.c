/* resample_blocked: weighted sums of up to 2 rows, then of up to 1 columns, NCHW16c to NCHW16c, float32.
 *
 *   for n, for channel block c, for output row y:        (split over the team: blocks or rows)
 *     the rows that make it are added up in scratch; one row that counts whole is read where it is
 *     for output column x: columns of that line are added up
 *     pointwise epilogue, store
 *
 * rows, row_weights: [2][H]. columns, column_weights: [1][W]. A place of -1, behind the others, is none.
 */
#include "sol_simd.h"
#include "sol_team.h"

/* The pointwise ops behind the anchor: relu. */
SOL_INLINE vf epilogue(vf a)
{
    const vf t0 = vf_max_quiet(vf_set(0.0f), a);
    return t0;
}

void resample_blocked(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    const int32_t *rows = buf[1];
    const float *row_weights = buf[2];
    const int32_t *columns = buf[3];
    const float *column_weights = buf[4];
    float *out = buf[5];
    const int64_t N = arg[0];
    const int64_t CB = arg[1];
    const int64_t by_rows = arg[2];
    const int64_t H = arg[3];
    const int64_t W = arg[4];
    const int64_t IW = arg[5];
    const int64_t in_n = arg[6];
    const int64_t in_b = arg[7];
    const int64_t in_y = arg[8];
    const int64_t out_n = arg[9];
    const int64_t out_b = arg[10];
    const int64_t out_y = arg[11];
    (void)team; (void)buf; (void)arg;
    float *const sums = (float *)team->scratch;
    sol_walk walk = sol_walk_of(team, N, CB, H, by_rows);
    while (sol_next(&walk)) for (int64_t y = walk.y0; y < walk.y1; y++) {
        const int64_t c = walk.c, n = walk.n;
        const float *i = in + n * in_n + c * in_b, *line = i + (rows[y] < 0 ? 0 : rows[y]) * in_y;
        float *o = out + n * out_n + c * out_b + y * out_y;
        int64_t some = 0;
        while (some < 2 && rows[some * H + y] >= 0) some++;
        if (!some) {
            for (int64_t x = 0; x < IW; x++) vf_store(sums + x * LANES, vf_zero());
            line = sums;
        } else if (some > 1 || row_weights[y] != 1.0f) {
            int64_t x = 0;
            for (; x + 4 <= IW; x += 4) {
                const vf first = vf_set(row_weights[y]);
                vf a0 = first * vf_load(line + (x + 0) * LANES), a1 = first * vf_load(line + (x + 1) * LANES), a2 = first * vf_load(line + (x + 2) * LANES), a3 = first * vf_load(line + (x + 3) * LANES);
                for (int64_t t = 1; t < some; t++) {
                    const float *p = i + rows[t * H + y] * in_y + x * LANES;
                    const vf w = vf_set(row_weights[t * H + y]);
                    a0 += w * vf_load(p + 0 * LANES); a1 += w * vf_load(p + 1 * LANES); a2 += w * vf_load(p + 2 * LANES); a3 += w * vf_load(p + 3 * LANES);
                }
                vf_store(sums + (x + 0) * LANES, a0); vf_store(sums + (x + 1) * LANES, a1); vf_store(sums + (x + 2) * LANES, a2); vf_store(sums + (x + 3) * LANES, a3);
            }
            for (; x + 1 <= IW; x += 1) {
                const vf first = vf_set(row_weights[y]);
                vf a0 = first * vf_load(line + (x + 0) * LANES);
                for (int64_t t = 1; t < some; t++) {
                    const float *p = i + rows[t * H + y] * in_y + x * LANES;
                    const vf w = vf_set(row_weights[t * H + y]);
                    a0 += w * vf_load(p + 0 * LANES);
                }
                vf_store(sums + (x + 0) * LANES, a0);
            }
            line = sums;
        }
        for (int64_t x = 0; x < W; x++) {
            vf a = vf_zero();
            if (columns[x] >= 0) a = vf_set(column_weights[x]) * vf_load(line + columns[x] * LANES);
            vf_store(o + x * LANES, epilogue(a));
        }
    }
}
