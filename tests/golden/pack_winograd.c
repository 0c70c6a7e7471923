/* w[K][C][ry][rx] -> G w G^T as [panel][frequency][channel][width], computed in float64 (kernels/winograd_matrices.py).
 *
 * row, channel: elements from one output's taps to the next one's, and from one input channel's.
 * gy[ny][ry], gx[nx][rx]: the matrices along both axes. A panel is width outputs; each of its frequencies is ``kind`` elements long.
 * factor: NULL, or what the weights of every output are multiplied by.
 * stream: filters shall not stay in caches; lines that are vectors are then written past them.
 * Threads share out vectors of outputs of groups of input channels. Rows are read along and transposed in registers into scratch, so that a
 * vector holds one tap of several outputs.
 */
#include "sol_turn.h"
#include "sol_team.h"

enum { GROUP = LANES, MOST = 12, LINE = 64 }; /* input channels at once; taps and products along an axis at most; bytes */

/* The products of one input channel, as halves of vectors: t[ny * nx]. */
SOL_INLINE void transform(vd *t, const vd *w, const double *gy, const double *gx, int64_t ny, int64_t nx, int64_t ry, int64_t rx)
{
    vd half[MOST * MOST];
    for (int64_t i = 0; i < ny; i++)
        for (int64_t s = 0; s < rx; s++) {
            vd sum = {0};
            for (int64_t r = 0; r < ry; r++) sum += w[r * rx + s] * gy[i * ry + r];
            half[i * rx + s] = sum;
        }
    for (int64_t i = 0; i < ny; i++)
        for (int64_t j = 0; j < nx; j++) {
            vd sum = {0};
            for (int64_t s = 0; s < rx; s++) sum += half[i * rx + s] * gx[j * rx + s];
            t[i * nx + j] = sum;
        }
}

/* Of all frequencies of one input channel, whose taps lie at w. */
SOL_INLINE void write(float *to, const vf *w, const double *gy, const double *gx, int64_t ny, int64_t nx, int64_t ry, int64_t rx, int64_t kind,
                      int room, int stream)
{
    vd low[MOST * MOST], high[MOST * MOST], half[MOST * MOST];
    for (int64_t t = 0; t < ry * rx; t++) half[t] = vd_low(w[t]);
    transform(low, half, gy, gx, ny, nx, ry, rx);
    for (int64_t t = 0; t < ry * rx; t++) half[t] = vd_high(w[t]);
    transform(high, half, gy, gx, ny, nx, ry, rx);
    for (int64_t f = 0; f < ny * nx; f++) {
        const vf x = vf_from_doubles(low[f], high[f]);
        if (stream) vf_stream(to + f * kind, x);
        else if (room == LANES) vf_store(to + f * kind, x);
        else vf_store_n(to + f * kind, x, room);
    }
}

/* size elements of n rows, each place as a vector. */
static void gather(vf *to, const float *in, const float *factor, int64_t row, int64_t size, int n)
{
    for (int64_t e = 0; e < size; e += LANES) {
        const int m = sol_lanes(size - e, 0);
        vf r[LANES];
        for (int i = 0; i < LANES; i++) {
            r[i] = i >= n ? vf_zero() : m == LANES ? vf_load(in + i * row + e) : vf_load_n(in + i * row + e, m);
            if (factor && i < n) r[i] *= vf_set(factor[i]);
        }
        vf_transpose(r);
        for (int i = 0; i < LANES; i++) to[e + i] = r[i];
    }
}

void pack_winograd(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    const float *factor = buf[1];
    const double *gy = buf[2];
    const double *gx = buf[3];
    float *out = buf[4];
    const int64_t K = arg[0];
    const int64_t C = arg[1];
    const int64_t row = arg[2];
    const int64_t channel = arg[3];
    const int64_t ry = arg[4];
    const int64_t rx = arg[5];
    const int64_t ny = arg[6];
    const int64_t nx = arg[7];
    const int64_t width = arg[8];
    const int64_t kind = arg[9];
    const int64_t stream = arg[10];
    (void)team; (void)buf; (void)arg;
    const int64_t taps = ry * rx, vectors = (width + LANES - 1) / LANES, groups = (C + GROUP - 1) / GROUP, panels = (K + width - 1) / width;
    vf *const rows = (vf *)team->scratch;
    int64_t begin, end;
    sol_split(team, panels * vectors * groups, &begin, &end);
    for (int64_t item = begin; item < end; item++) {
        const int64_t c0 = item % groups * GROUP, v = item / groups % vectors, p = item / groups / vectors, k = p * width + v * LANES;
        const int64_t count = C - c0 < GROUP ? C - c0 : GROUP;
        const int n = sol_lanes(K - k, 0), room = sol_lanes(width - v * LANES, 0);
        if (n == 0) continue;
        const float *const from = in + k * row + c0 * channel, *const by = factor ? factor + k : NULL;
        if (channel == taps) gather(rows, from, by, row, count * taps, n < room ? n : room);
        else
            for (int64_t c = 0; c < count; c++) {
                if (c + 2 < count)
                    for (int64_t e = 0; e < n * taps; e += LINE / 4) __builtin_prefetch(from + (c + 2) * channel + e);
                gather(rows + c * taps, from + c * channel, by, row, taps, n < room ? n : room);
            }
        float *to = out + p * ny * nx * kind + c0 * width + v * LANES;
        const int whole = stream && room == LANES && LANES * 4 == LINE && ((uintptr_t)to | (uintptr_t)width * 4 | (uintptr_t)kind * 4) % LINE == 0;
        for (int64_t c = 0; c < count; c++, to += width) {
            const vf *const w = rows + c * taps;
            if (ry == 3 && rx == 3) write(to, w, gy, gx, ny, nx, 3, 3, kind, room, whole);
            else write(to, w, gy, gx, ny, nx, ry, rx, kind, room, whole);
        }
    }
    sol_streamed();
}
