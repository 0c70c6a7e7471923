/* resample_plain: weighted sums of up to 2 rows, then of up to 1 columns, row-major float32, any strides in memory.
 *
 *   for n, for channel k, for output row y:              (split over the team)
 *     the rows that make it are added up in scratch; one row that counts whole is read where it is
 *     columns of that line are picked, of a vector that holds them or one by one, and added up into a row of scratch, unless the row above is made of the same rows
 *     pointwise epilogue over the row, store
 *
 * rows, row_weights: [2][H]. columns, column_weights: [1][W]. A place of -1, behind the others, is none.
 */
#include <string.h>
#include "sol_simd.h"
#include "sol_team.h"

/* n places, at most a vector of them. */
static inline vi places(const int32_t *p, int n)
{
    vi v = vi_set(0);
    if (n == LANES) memcpy(&v, p, sizeof v);
    else memcpy(&v, p, n * sizeof *p);
    return v;
}

/* Elements of a line at ``at``, all of which the vector from ``begin`` on holds unless that is negative. */
static inline vf picked(const float *line, vi at, int32_t begin)
{
    return begin >= 0 ? vf_permute(vf_load(line + begin), at - vi_set(begin)) : vf_gather(line, at & ~(at < vi_set(0)));
}


void resample_plain(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    const int32_t *rows = buf[1];
    const float *row_weights = buf[2];
    const int32_t *columns = buf[3];
    const float *column_weights = buf[4];
    float *out = buf[5];
    const int64_t N = arg[0];
    const int64_t C = arg[1];
    const int64_t H = arg[2];
    const int64_t W = arg[3];
    const int64_t IW = arg[4];
    const int64_t in_n = arg[5];
    const int64_t in_c = arg[6];
    const int64_t in_y = arg[7];
    const int64_t out_n = arg[8];
    const int64_t out_c = arg[9];
    const int64_t out_y = arg[10];
    (void)team; (void)buf; (void)arg;
    float *const sums = (float *)team->scratch, *const from = sums + (IW + LANES - 1) / LANES * LANES;
    const int64_t left = 0, width = W, z = 0, vectors = (W + LANES - 1) / LANES;
    (void)left, (void)z;
    int32_t *const begin = (int32_t *)(from + vectors * LANES); /* [1][vectors], where a vector lies that holds all places of one */
    for (int64_t v = 0; v < 1 * vectors; v++) {
        const int32_t *p = columns + v / vectors * W + v % vectors * LANES;
        const int64_t count = W - v % vectors * LANES < LANES ? W - v % vectors * LANES : LANES;
        int32_t low = (int32_t)(IW - LANES), high = 0;
        for (int64_t l = 0; l < count; l++) {
            if (p[l] >= 0 && p[l] < low) low = p[l];
            if (p[l] > high) high = p[l];
        }
        begin[v] = high - low < LANES ? low : -1;
    }
    int64_t unit, last, before = -1, map = -1;
    sol_split(team, N * C * H, &unit, &last);
    for (; unit < last; unit++) {
        const int64_t y = unit % H, k = unit / H % C, n = unit / H / C;
        const float *i = in + n * in_n + k * in_c, *line = i + (rows[y] < 0 ? 0 : rows[y]) * in_y;
        int64_t some = 0;
        while (some < 2 && rows[some * H + y] >= 0) some++;
        int same = map == unit / H && before >= 0; /* the same sums as in the row above */
        for (int64_t t = 0; t < 2 && same; t++) same = rows[t * H + y] == rows[t * H + before] && row_weights[t * H + y] == row_weights[t * H + before];
        before = y, map = unit / H;
        if (!same) {
            if (!some) {
                memset(sums, 0, IW * sizeof *sums);
                line = sums;
            } else
            if (some > 1 || row_weights[y] != 1.0f) {
                int64_t x = 0;
                for (; x + LANES <= IW; x += LANES) {
                    vf a = vf_set(row_weights[y]) * vf_load(line + x);
                    for (int64_t t = 1; t < some; t++) a += vf_set(row_weights[t * H + y]) * vf_load(i + rows[t * H + y] * in_y + x);
                    vf_store(sums + x, a);
                }
                if (x < IW) {
                    vf a = vf_set(row_weights[y]) * vf_load_n(line + x, (int)(IW - x));
                    for (int64_t t = 1; t < some; t++) a += vf_set(row_weights[t * H + y]) * vf_load_n(i + rows[t * H + y] * in_y + x, (int)(IW - x));
                    vf_store_n(sums + x, a, (int)(IW - x));
                }
                line = sums;
            }
            int64_t x = 0;
            for (; x + LANES <= W; x += LANES) {
                vi at = places(columns + x, LANES);
                vf a = vf_select(at < vi_set(0), vf_zero(), vf_load(column_weights + x) * picked(line, at, begin[x / LANES]));
                vf_store(from + x, a);
            }
            if (x < W) {
                vi at = places(columns + x, (int)(W - x));
                vf a = vf_select(at < vi_set(0), vf_zero(), vf_load_n(column_weights + x, (int)(W - x)) * picked(line, at, begin[x / LANES]));
                vf_store_n(from + x, a, (int)(W - x));
            }
        }
        float *to = out + n * out_n + k * out_c + y * out_y;
        {
            const int64_t columns = width;
                for (int64_t x = 0; x < columns; x += LANES) {
                    const int some = (int)(columns - x < LANES ? columns - x : LANES);
                    const vf a = vf_load(from + x);
                    const vf r = a;
                    if (some == LANES) vf_store(to + x, r);
                    else vf_store_n(to + x, r, some);
                }
        }
    }
}
