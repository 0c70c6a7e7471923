/* conv_weight_plain: gradient of a convolution for its weights, row-major float, any shape and strides.
 *
 *   for weight (k, c, z, r, s):                               (split over the team)
 *     for image n and row (d, y) of the gradient:  += sum over the columns x that meet a pixel of  grad[n, k, d, y, x] * in[n, c, …]
 *
 * Each row is summed for itself, in double for float, so that errors do not grow with the number of pixels. */
#include "sol_team.h"
#include "sol_scalar.h"

/* Places 0 … size - 1 whose pixel, place * step + shift, lies in a map of so many. */
static inline void inside(int64_t size, int64_t step, int64_t shift, int64_t pixels, int64_t *begin, int64_t *end)
{
    *begin = shift < 0 ? (-shift + step - 1) / step : 0;
    *end = shift >= pixels ? 0 : (pixels - 1 - shift) / step + 1;
    if (*end > size) *end = size;
}

SOL_VECTORIZE
SOL_SCALAR __attribute__((always_inline)) double row(const float *a, int64_t a_step, const float *b, int64_t b_step, int64_t count)
{
    double sums[8] = {0}, sum = 0;
    int64_t i = 0;
    for (; i + 8 <= count; i += 8)
        for (int j = 0; j < 8; j++) sums[j] += (double)a[(i + j) * a_step] * b[(i + j) * b_step];
    for (int j = 0; j < 8; j++) sum += sums[j];
    for (; i < count; i++) sum += (double)a[i * a_step] * b[i * b_step];
    return sum;
}

void conv_weight_plain(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    const float *grad = buf[1];
    float *out = buf[2];
    const int64_t N = arg[0];
    const int64_t G = arg[1];
    const int64_t K = arg[2];
    const int64_t C = arg[3];
    const int64_t ID = arg[4];
    const int64_t IH = arg[5];
    const int64_t IW = arg[6];
    const int64_t D = arg[7];
    const int64_t H = arg[8];
    const int64_t W = arg[9];
    const int64_t KD = arg[10];
    const int64_t R = arg[11];
    const int64_t S = arg[12];
    const int64_t sz = arg[13];
    const int64_t sy = arg[14];
    const int64_t sx = arg[15];
    const int64_t dz = arg[16];
    const int64_t dy = arg[17];
    const int64_t dx = arg[18];
    const int64_t lo_z = arg[19];
    const int64_t lo_y = arg[20];
    const int64_t lo_x = arg[21];
    const int64_t in_n = arg[22];
    const int64_t in_c = arg[23];
    const int64_t in_z = arg[24];
    const int64_t in_y = arg[25];
    const int64_t in_x = arg[26];
    const int64_t grad_n = arg[27];
    const int64_t grad_c = arg[28];
    const int64_t grad_z = arg[29];
    const int64_t grad_y = arg[30];
    const int64_t grad_x = arg[31];
    const int64_t out_n = arg[32];
    const int64_t out_c = arg[33];
    const int64_t out_z = arg[34];
    const int64_t out_y = arg[35];
    const int64_t out_x = arg[36];
    (void)team; (void)buf; (void)arg;
    int64_t at, last;
    sol_split(team, K * C * KD * R * S, &at, &last);
    for (; at < last; at++) {
        const int64_t s = at % S, r = at / S % R, z = at / S / R % KD, c = at / S / R / KD % C, k = at / S / R / KD / C;
        const int64_t tz = z * dz - lo_z, ty = r * dy - lo_y, tx = s * dx - lo_x;
        int64_t z0, z1, y0, y1, x0, x1;
        inside(D, sz, tz, ID, &z0, &z1), inside(H, sy, ty, IH, &y0, &y1), inside(W, sx, tx, IW, &x0, &x1);
        const float *a = grad + k * grad_c + x0 * grad_x, *b = in + (k / (K / G) * C + c) * in_c + (x0 * sx + tx) * in_x;
        double sum = 0;
        for (int64_t n = 0; n < N && x0 < x1; n++)
            for (int64_t d = z0; d < z1; d++)
                for (int64_t y = y0; y < y1; y++) {
                    const float *p = a + n * grad_n + d * grad_z + y * grad_y, *q = b + n * in_n + (d * sz + tz) * in_z + (y * sy + ty) * in_y;
                    sum += grad_x == 1 && in_x == 1 && sx == 1 ? row(p, 1, q, 1, x1 - x0) : row(p, grad_x, q, sx * in_x, x1 - x0);
                }
        out[k * out_n + c * out_c + z * out_z + r * out_y + s * out_x] = (float)sum;
    }
}
