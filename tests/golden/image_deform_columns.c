/* image_deform_columns: columns of a deformable convolution: out[n][c][tap][i][j] = in[n][c] read bilinearly at the tap's displaced place, float.
 *
 *   for n, offset group, tap, output row i: (split over the team)
 *     for output column j: the place, its four corners
 *       for channel of the group
 */
#include "sol_team.h"

void image_deform_columns(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    const float *offset = buf[1];
    float *out = buf[2];
    const int64_t N = arg[0];
    const int64_t C = arg[1];
    const int64_t H = arg[2];
    const int64_t W = arg[3];
    const int64_t G = arg[4];
    const int64_t OH = arg[5];
    const int64_t OW = arg[6];
    const int64_t R = arg[7];
    const int64_t S = arg[8];
    const int64_t sy = arg[9];
    const int64_t sx = arg[10];
    const int64_t pad_y = arg[11];
    const int64_t pad_x = arg[12];
    const int64_t dy = arg[13];
    const int64_t dx = arg[14];
    const int64_t in_n = arg[15];
    const int64_t in_c = arg[16];
    const int64_t in_y = arg[17];
    const int64_t in_x = arg[18];
    const int64_t offset_n = arg[19];
    const int64_t offset_c = arg[20];
    const int64_t offset_y = arg[21];
    const int64_t offset_x = arg[22];
    const int64_t out_n = arg[23];
    const int64_t out_c = arg[24];
    const int64_t out_t = arg[25];
    const int64_t out_y = arg[26];
    const int64_t out_x = arg[27];
    (void)team; (void)buf; (void)arg;
    const int64_t taps = R * S, channels = C / G;
    int64_t unit, last;
    sol_split(team, N * G * taps * OH, &unit, &last);
    for (; unit < last; unit++) {
        const int64_t i = unit % OH, tap = unit / OH % taps, g = unit / OH / taps % G, n = unit / OH / taps / G;
        for (int64_t j = 0; j < OW; j++) {
            const float *d = offset + n * offset_n + (g * taps + tap) * 2 * offset_c + i * offset_y + j * offset_x;
            float y = d[0] + (i * sy - pad_y + tap / S * dy), x = d[offset_c] + (j * sx - pad_x + tap % S * dx);
            const int inside = y > -1 && y < H && x > -1 && x < W;
            if (!inside) y = x = 0;
            const float fy = floorf(y), fx = floorf(x), v = y - fy, u = x - fx;
            const int64_t top = (int64_t)fy, left = (int64_t)fx;
            float weight[4];
            int64_t at[4];
            int count = 0;
            for (int k = 0; inside && k < 4; k++) {
                const int64_t a = top + k / 2, b = left + k % 2;
                if (a < 0 || a >= H || b < 0 || b >= W) continue;
                weight[count] = (k / 2 ? v : 1 - v) * (k % 2 ? u : 1 - u);
                at[count++] = a * in_y + b * in_x;
            }
            for (int64_t c = g * channels; c < (g + 1) * channels; c++) {
                const float *from = in + n * in_n + c * in_c;
                float sum = 0;
                for (int k = 0; k < count; k++) sum += weight[k] * from[at[k]];
                out[n * out_n + c * out_c + tap * out_t + i * out_y + j * out_x] = sum;
            }
        }
    }
}
