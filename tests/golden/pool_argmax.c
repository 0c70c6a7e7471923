/* pool_argmax: where the largest element of each window lies in its map, the first of equal ones, the last NaN; row-major float, any strides.
 *
 *   for n, channel k, output row (z, y):             (split over the team)
 *     for the taps that exist: over the row, whose largest elements and their places so far lie in scratch */
#include "sol_team.h"
#include "sol_scalar.h"

/* From each window of a row the element at one tap, if it beats what was found. */
SOL_VECTORIZE
SOL_SCALAR __attribute__((always_inline)) void compare(const float *restrict from, int64_t step, int32_t place, int32_t along,
                                                       int64_t count, float *restrict best, int32_t *restrict where)
{
    SOL_INDEPENDENT
    for (int64_t x = 0; x < count; x++) {
        const float v = (float)from[x * step];
        const int beats = (v > best[x]) | (where[x] < 0) | (v != v);
        best[x] = beats ? v : best[x];
        where[x] = beats ? place + (int32_t)x * along : where[x];
    }
}

void pool_argmax(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    int64_t *out = buf[1];
    const int64_t N = arg[0];
    const int64_t C = arg[1];
    const int64_t ID = arg[2];
    const int64_t IH = arg[3];
    const int64_t IW = arg[4];
    const int64_t D = arg[5];
    const int64_t H = arg[6];
    const int64_t W = arg[7];
    const int64_t KD = arg[8];
    const int64_t R = arg[9];
    const int64_t S = arg[10];
    const int64_t sz = arg[11];
    const int64_t sy = arg[12];
    const int64_t sx = arg[13];
    const int64_t dz = arg[14];
    const int64_t dy = arg[15];
    const int64_t dx = arg[16];
    const int64_t lo_z = arg[17];
    const int64_t lo_y = arg[18];
    const int64_t lo_x = arg[19];
    const int64_t in_n = arg[20];
    const int64_t in_c = arg[21];
    const int64_t in_z = arg[22];
    const int64_t in_y = arg[23];
    const int64_t in_x = arg[24];
    const int64_t out_n = arg[25];
    const int64_t out_c = arg[26];
    const int64_t out_z = arg[27];
    const int64_t out_y = arg[28];
    const int64_t out_x = arg[29];
    (void)team; (void)buf; (void)arg;
    float *best = (float *)team->scratch;
    int32_t *where = (int32_t *)(team->scratch + 8 * W);
    int64_t row, last;
    sol_split(team, N * C * D * H, &row, &last);
    for (; row < last; row++) {
        const int64_t y = row % H, z = row / H % D, k = row / H / D % C, n = row / H / D / C;
        const float *map = in + n * in_n + k * in_c;
        int64_t *to = out + n * out_n + k * out_c + z * out_z + y * out_y;
        for (int64_t x = 0; x < W; x++) best[x] = 0, where[x] = -1;
        for (int64_t d = 0; d < KD; d++) {
            const int64_t iz = z * sz - lo_z + d * dz;
            if (iz < 0 || iz >= ID) continue;
            for (int64_t r = 0; r < R; r++) {
                const int64_t iy = y * sy - lo_y + r * dy;
                if (iy < 0 || iy >= IH) continue;
                for (int64_t s = 0; s < S; s++) {
                    const int64_t left = lo_x - s * dx, right = IW - 1 + left;
                    if (right < 0) continue;
                    const int64_t begin = left > 0 ? (left + sx - 1) / sx : 0, end = right / sx + 1 < W ? right / sx + 1 : W;
                    const int64_t ix = begin * sx - left;
                    const float *from = map + iz * in_z + iy * in_y + ix * in_x;
                    const int32_t place = (int32_t)((iz * IH + iy) * IW + ix);
                    const int32_t along = (int32_t)(sx);
                    if (in_x * sx == 1) compare(from, 1, place, along, end - begin, best + begin, where + begin);
                    else
                    if (in_x * sx == 2) compare(from, 2, place, along, end - begin, best + begin, where + begin);
                    else
                    compare(from, in_x * sx, place, along, end - begin, best + begin, where + begin);
                }
            }
        }
        for (int64_t x = 0; x < W; x++) to[x * out_x] = where[x];
    }
}
