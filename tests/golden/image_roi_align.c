/* image_roi_align: regions of in[N][C][H][W] at a fixed size, mean over sampling places per bin, float.
 *
 *   for region r, for bin (i, j):          (split over the team)
 *     for channel: over the sampling places of the bin, four corners each
 * A region whose batch index is outside of the batch gives NaN.
 */
#include "sol_team.h"

/* Where the interpolation between two pixels reads along one dimension; 0 if the place is more than a pixel outside. */
static int corners(float x, int64_t size, int64_t *low, int64_t *high, float *t)
{
    if (!(x >= -1 && x <= size)) return 0;
    if (x < 0) x = 0;
    if (x > size - 1) x = (float)(size - 1);
    *low = (int64_t)x;
    *high = *low + 1 < size ? *low + 1 : size - 1;
    *t = x - *low;
    return 1;
}

void image_roi_align(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    const float *rois = buf[1];
    const int64_t *batch = buf[2];
    float *out = buf[3];
    const int64_t N = arg[0];
    const int64_t C = arg[1];
    const int64_t H = arg[2];
    const int64_t W = arg[3];
    const int64_t ROIS = arg[4];
    const int64_t ROWS = arg[5];
    const int64_t COLS = arg[6];
    const int64_t in_n = arg[7];
    const int64_t in_c = arg[8];
    const int64_t in_y = arg[9];
    const int64_t in_x = arg[10];
    const int64_t rois_r = arg[11];
    const int64_t rois_e = arg[12];
    const int64_t batch_r = arg[13];
    const int64_t out_r = arg[14];
    const int64_t out_c = arg[15];
    const int64_t out_y = arg[16];
    const int64_t out_x = arg[17];
    (void)team; (void)buf; (void)arg;
    int64_t unit, last;
    sol_split(team, ROIS * ROWS * COLS, &unit, &last);
    for (; unit < last; unit++) {
        const int64_t j = unit % COLS, i = unit / COLS % ROWS, r = unit / COLS / ROWS, n = (int64_t)batch[r * batch_r];
        float *to = out + r * out_r + i * out_y + j * out_x;
        if (n < 0 || n >= N) {
            for (int64_t c = 0; c < C; c++) to[c * out_c] = NAN;
            continue;
        }
        const float *roi = rois + r * rois_r;
        const float scale = 1.0f, shift = 0.5f;
        const float x1 = roi[0] * scale - shift, y1 = roi[rois_e] * scale - shift;
        float width = roi[2 * rois_e] * scale - shift - x1, height = roi[3 * rois_e] * scale - shift - y1;
        const float bin_y = height / ROWS, bin_x = width / COLS;
        const int64_t ny = bin_y > 0 && bin_y < 1e9 ? (int64_t)ceil((double)bin_y) : 0, nx = bin_x > 0 && bin_x < 1e9 ? (int64_t)ceil((double)bin_x) : 0;
        for (int64_t c = 0; c < C; c++) {
            const float *from = in + n * in_n + c * in_c;
            float result = 0;
            for (int64_t a = 0; a < ny; a++)
                for (int64_t b = 0; b < nx; b++) {
                    int64_t top, bottom, left, right;
                    float v, u, p[4] = {0, 0, 0, 0};
                    if (corners(y1 + (i + (a + 0.5f) / ny) * bin_y, H, &top, &bottom, &v)
                        && corners(x1 + (j + (b + 0.5f) / nx) * bin_x, W, &left, &right, &u)) {
                        p[0] = from[top * in_y + left * in_x] * ((1 - v) * (1 - u));
                        p[1] = from[top * in_y + right * in_x] * ((1 - v) * u);
                        p[2] = from[bottom * in_y + left * in_x] * (v * (1 - u));
                        p[3] = from[bottom * in_y + right * in_x] * (v * u);
                    }
                    result += p[0] + p[1] + p[2] + p[3];
                }
            if (ny * nx > 1) result /= (float)(ny * nx);
            to[c * out_c] = result;
        }
    }
}
