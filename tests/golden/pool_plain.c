/* pool_plain: maximum over windows clipped to the map, row-major int32_t, any strides in memory.
 *
 *   for n, for channel k, for output row (z, y):     (split over the team)
 *     for column: over the taps that exist, in int32_t, into a row of scratch
 *     pointwise epilogue over the row, store
 */
#include "sol_simd.h"
#include "sol_team.h"

#define REDUCE(a, v) ((v) > (a) ? (v) : (a))

/* Taps [first, last) of a window that starts at an input position and meets [0, size). */
SOL_INLINE int64_t first_tap(int64_t start, int64_t step) { return start < 0 ? (step - 1 - start) / step : 0; }
SOL_INLINE int64_t last_tap(int64_t start, int64_t step, int64_t size, int64_t kernel)
{
    const int64_t n = start < size ? (size - start + step - 1) / step : 0;
    return n < kernel ? n : kernel;
}



void pool_plain(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const int32_t *in = buf[0];
    int32_t *out = buf[1];
    const int64_t N = arg[0];
    const int64_t C = arg[1];
    const int64_t D = arg[2];
    const int64_t H = arg[3];
    const int64_t W = arg[4];
    const int64_t ID = arg[5];
    const int64_t IH = arg[6];
    const int64_t IW = arg[7];
    const int64_t KD = arg[8];
    const int64_t R = arg[9];
    const int64_t S = arg[10];
    const int64_t sz = arg[11];
    const int64_t sy = arg[12];
    const int64_t sx = arg[13];
    const int64_t lo_z = arg[14];
    const int64_t lo_y = arg[15];
    const int64_t lo_x = arg[16];
    const int64_t dz = arg[17];
    const int64_t dy = arg[18];
    const int64_t dx = arg[19];
    const int64_t in_n = arg[20];
    const int64_t in_c = arg[21];
    const int64_t in_z = arg[22];
    const int64_t in_y = arg[23];
    const int64_t in_x = arg[24];
    const int64_t out_n = arg[25];
    const int64_t out_c = arg[26];
    const int64_t out_z = arg[27];
    const int64_t out_y = arg[28];
    (void)team; (void)buf; (void)arg;
    int32_t *from = (int32_t *)team->scratch;
    const int64_t left = 0, columns = W;
    (void)left;
    int64_t unit, last;
    sol_split(team, N * C * D * H, &unit, &last);
    for (; unit < last; unit++) {
        const int64_t y = unit % H, z = unit / H % D, k = unit / H / D % C, n = unit / H / D / C;
        const int64_t zs = z * sz - lo_z, z0 = first_tap(zs, dz), z1 = last_tap(zs, dz, ID, KD);
        const int64_t ys = y * sy - lo_y, y0 = first_tap(ys, dy), y1 = last_tap(ys, dy, IH, R);
        for (int64_t x = 0; x < W; x++) {
            const int64_t xs = x * sx - lo_x, x0 = first_tap(xs, dx), x1 = last_tap(xs, dx, IW, S);
            int32_t a = INT32_MIN;
            for (int64_t d = z0; d < z1; d++)
                for (int64_t r = y0; r < y1; r++) {
                    const int32_t *p = in + n * in_n + k * in_c + (zs + d * dz) * in_z + (ys + r * dy) * in_y;
                    int64_t s = x0;
                    for (; s < x1; s++) {
                        const int32_t v = (int32_t)p[(xs + s * dx) * in_x];
                        a = REDUCE(a, v);
                    }
                }
            from[x] = a;
        }
        int32_t *to = out + n * out_n + k * out_c + z * out_z + y * out_y;
                for (int64_t x = 0; x < columns; x++) to[x * 1] = from[x];
    }
}
