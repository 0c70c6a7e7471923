/* pool_argmax: where the largest element of each window lies in its map, the first of equal ones; row-major float, any strides.
 *
 *   for n, channel k, output position (z, y, x):     (split over the team)
 *     over the taps that exist */
#include "sol_team.h"

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
    int64_t unit, last;
    sol_split(team, N * C * D * H * W, &unit, &last);
    for (; unit < last; unit++) {
        const int64_t x = unit % W, y = unit / W % H, z = unit / W / H % D, k = unit / W / H / D % C, n = unit / W / H / D / C;
        const float *from = in + n * in_n + k * in_c;
        int64_t where = -1;
        float best = 0;
        for (int64_t d = 0; d < KD; d++) {
            const int64_t iz = z * sz - lo_z + d * dz;
            if (iz < 0 || iz >= ID) continue;
            for (int64_t r = 0; r < R; r++) {
                const int64_t iy = y * sy - lo_y + r * dy;
                if (iy < 0 || iy >= IH) continue;
                for (int64_t s = 0; s < S; s++) {
                    const int64_t ix = x * sx - lo_x + s * dx;
                    if (ix < 0 || ix >= IW) continue;
                    const float v = (float)from[iz * in_z + iy * in_y + ix * in_x];
                    if (where >= 0 && !(v > best) && !(v != v && best == best)) continue;
                    best = v;
                    where = (iz * IH + iy) * IW + ix;
                }
            }
        }
        out[n * out_n + k * out_c + z * out_z + y * out_y + x * out_x] = where;
    }
}
