/* w[K][C][ry][rx] of bytes -> G w G^T as words, [panel][frequency][pair of channels][width][2] (kernels/winograd_words.py).
 *
 * gy[ny][ry], gx[nx][rx]: the matrices along both axes. A panel is width outputs; each of its frequencies is ``kind`` words long.
 * Threads share out input channels of panels. What an axis makes of a channel goes through scratch, outputs side by side.
 */
#include "sol_team.h"

/* to[i] = sum of factors of so many rows, ``step`` apart. */
static void combine(int32_t *to, const int32_t *rows, int64_t step, const int32_t *factors, int64_t count, int64_t width)
{
    for (int64_t k = 0; k < width; k++) {
        int32_t sum = 0;
        for (int64_t i = 0; i < count; i++) sum += factors[i] * rows[i * step + k];
        to[k] = sum;
    }
}

void pack_winograd_words(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const int8_t *in = buf[0];
    const int32_t *gy = buf[1];
    const int32_t *gx = buf[2];
    int16_t *out = buf[3];
    const int64_t K = arg[0];
    const int64_t C = arg[1];
    const int64_t ry = arg[2];
    const int64_t rx = arg[3];
    const int64_t ny = arg[4];
    const int64_t nx = arg[5];
    const int64_t width = arg[6];
    const int64_t kind = arg[7];
    (void)team; (void)buf; (void)arg;
    const int64_t taps = ry * rx, panels = (K + width - 1) / width;
    int32_t *const filters = (int32_t *)team->scratch, *const half = filters + taps * width, *const done = half + ny * rx * width;
    int64_t begin, end;
    sol_split(team, panels * C, &begin, &end);
    for (int64_t item = begin; item < end; item++) {
        const int64_t c = item % C, p = item / C, count = K - p * width < width ? K - p * width : width;
        const int8_t *const from = in + (p * width * C + c) * taps;
        for (int64_t t = 0; t < taps; t++)
            for (int64_t k = 0; k < width; k++) filters[t * width + k] = k < count ? from[k * C * taps + t] : 0;
        for (int64_t i = 0; i < ny; i++)
            for (int64_t s = 0; s < rx; s++) combine(half + (i * rx + s) * width, filters + s * width, rx * width, gy + i * ry, ry, width);
        int16_t *to = out + p * ny * nx * kind + c / 2 * 2 * width + c % 2;
        for (int64_t i = 0; i < ny; i++)
            for (int64_t j = 0; j < nx; j++, to += kind) {
                combine(done, half + i * rx * width, width, gx + j * rx, rx, width);
                for (int64_t k = 0; k < width; k++) to[2 * k] = (int16_t)done[k];
            }
    }
}
