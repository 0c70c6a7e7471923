/* w[K][C][ry][rx] -> G w G^T as [panel][frequency][channel][width], computed in float64 (kernels/winograd_matrices.py).
 *
 * row, channel: elements from one output's taps to the next one's, and from one input channel's.
 * gy[ny][ry], gx[nx][rx]: the matrices along both axes. A panel is width outputs; each of its frequencies is ``kind`` elements long.
 * factor: NULL, or what the weights of every output are multiplied by.
 * stream: filters shall not stay in caches; whole lines are then written past them.
 * Threads share out groups of input channels of panels. Rows are read along and transposed in registers into scratch, so that a vector holds
 * one tap of several outputs; what was transformed goes through scratch, too, lest single lines be written to many pages in turn.
 */
#include "sol_turn.h"
#include "sol_team.h"

enum { GROUP = LANES, MOST = 12, LINE = 64 }; /* input channels at once; taps and products along an axis at most; bytes */

/* All frequencies of one input channel, whose taps lie at w. Its vectors are halves of float64; factors stay in registers along an axis. */
SOL_INLINE void transform(float *to, const vf *w, const double *gy, const double *gx, int64_t ny, int64_t nx, int64_t ry, int64_t rx, int64_t kind,
                          int room)
{
    vd low[MOST * MOST], high[MOST * MOST], first[MOST * MOST], last[MOST * MOST];
#pragma GCC unroll 9
    for (int64_t t = 0; t < ry * rx; t++) first[t] = vd_low(w[t]), last[t] = vd_high(w[t]);
    for (int64_t i = 0; i < ny; i++)
#pragma GCC unroll 3
        for (int64_t s = 0; s < rx; s++) {
            vd a = {0}, b = {0};
#pragma GCC unroll 3
            for (int64_t r = 0; r < ry; r++) a += first[r * rx + s] * gy[i * ry + r], b += last[r * rx + s] * gy[i * ry + r];
            low[i * rx + s] = a, high[i * rx + s] = b;
        }
    for (int64_t j = 0; j < nx; j++, gx += rx, to += kind)
        for (int64_t i = 0; i < ny; i++) {
            vd a = {0}, b = {0};
#pragma GCC unroll 3
            for (int64_t s = 0; s < rx; s++) a += low[i * rx + s] * gx[s], b += high[i * rx + s] * gx[s];
            const vf x = vf_from_doubles(a, b);
            if (room == LANES) vf_store(to + i * nx * kind, x);
            else vf_store_n(to + i * nx * kind, x, room);
        }
}

/* A part of each frequency, which lie ``kind`` elements apart in the panel. */
static void put(float *out, const float *from, int64_t size, int64_t frequencies, int64_t kind, int stream)
{
    for (int64_t f = 0; f < frequencies; f++, out += kind, from += size) {
        int64_t e = 0;
        if (stream && (uintptr_t)out % LINE == 0) e = size - size % (LINE / 4), sol_stream_lines(out, from, e);
        for (; e + LANES <= size; e += LANES) vf_store(out + e, vf_load(from + e));
        if (e < size) vf_store_n(out + e, vf_load_n(from + e, (int)(size - e)), (int)(size - e));
    }
}

/* Ask for so many pieces. */
static void fetch(const float *in, int64_t pieces, int64_t step, int64_t size)
{
    for (int64_t i = 0; i < pieces; i++, in += step)
        for (int64_t e = 0; e < size; e += LINE / 4) __builtin_prefetch(in + e);
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
    float *const part = (float *)(rows + GROUP * taps + LANES);
    int64_t begin, end;
    sol_split(team, panels * groups, &begin, &end);
    for (int64_t item = begin; item < end; item++) {
        const int64_t c0 = item % groups * GROUP, p = item / groups;
        const int64_t count = C - c0 < GROUP ? C - c0 : GROUP, next = C - c0 - count < GROUP ? C - c0 - count : GROUP;
        for (int64_t v = 0; v < vectors; v++) {
            const int64_t k = p * width + v * LANES;
            const int n = sol_lanes(K - k, 0), room = sol_lanes(width - v * LANES, 0), taken = n < room ? n : room;
            const float *const from = in + k * row + c0 * channel, *const by = factor ? factor + k : NULL;
            if (channel == taps) {
                gather(rows, from, by, row, count * taps, taken);
                fetch(from + count * taps, taken, row, next * taps);
            } else {
                for (int64_t c = 0; c < count; c++) gather(rows + c * taps, from + c * channel, by, row, taps, taken);
                fetch(from + count * channel, next, channel, taken * taps);
            }
            for (int64_t c = 0; c < count; c++) {
                const vf *const w = rows + c * taps;
                float *const to = part + c * width + v * LANES;
                if (ry == 3 && rx == 3) transform(to, w, gy, gx, ny, nx, 3, 3, count * width, room);
                else transform(to, w, gy, gx, ny, nx, ry, rx, count * width, room);
            }
        }
        put(out + p * ny * nx * kind + c0 * width, part, count * width, ny * nx, kind, stream);
    }
    sol_streamed();
}
