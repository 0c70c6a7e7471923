/* pool_grad: the gradient of a maximum over windows clipped to the map, row-major float.
 *
 *   for n, channel c:                                        (split over the team)
 *     for the windows of the map: find the largest element, the first of equal ones or the last NaN, and add the gradient there
 *
 * Rows of the result become zero just before the first window that sees them. */
#include "sol_simd.h"
#include "sol_team.h"
#define LOAD(p) (*(p))
#define STORE(p, v) (*(p) = (v))
#define ALL(v) (float)(v)
#define TAP(t) (int)(t)
#define SELECT(m, a, b) ((m) ? (a) : (b))
#define CHOOSE(m, a, b) ((m) ? (a) : (b))

/* Taps [first, last) of a window that starts at an input position and meets [0, size). */
SOL_INLINE int64_t first_tap(int64_t start, int64_t step) { return start < 0 ? (step - 1 - start) / step : 0; }
SOL_INLINE int64_t last_tap(int64_t start, int64_t step, int64_t size, int64_t kernel)
{
    const int64_t n = start < size ? (size - start + step - 1) / step : 0;
    return n < kernel ? n : kernel;
}

/* One window over the taps from (r0, s0) up to (r1, s1). to, in: tap (0, 0). */
SOL_INLINE void window(const float *in, int64_t in_y, int64_t in_x, float *to, int64_t to_y, int64_t to_x, float share,
                       int64_t r0, int64_t r1, int64_t s0, int64_t s1)
{
    float best = ALL(-INFINITY);
    int where = TAP(r0 * 3 + s0);
#pragma GCC unroll 4
    for (int64_t r = r0; r < r1; r++)
#pragma GCC unroll 4
        for (int64_t s = s0; s < s1; s++) {
            const float v = LOAD(in + r * in_y + s * in_x);
            const int better = (v > best) | (v != v);
            best = SELECT(better, v, best);
            where = CHOOSE(better, TAP(r * 3 + s), where);
        }
#pragma GCC unroll 4
    for (int64_t r = r0; r < r1; r++)
#pragma GCC unroll 4
        for (int64_t s = s0; s < s1; s++) {
            float *p = to + r * to_y + s * to_x;
            STORE(p, LOAD(p) + SELECT(where == TAP(r * 3 + s), share, ALL(0)));
        }
}

void pool_grad(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    const float *grad = buf[1];
    float *out = buf[2];
    const int64_t N = arg[0];
    const int64_t C = arg[1];
    const int64_t IH = arg[2];
    const int64_t IW = arg[3];
    const int64_t H = arg[4];
    const int64_t W = arg[5];
    const int64_t sy = arg[6];
    const int64_t sx = arg[7];
    const int64_t dy = arg[8];
    const int64_t dx = arg[9];
    const int64_t lo_y = arg[10];
    const int64_t lo_x = arg[11];
    const int64_t in_n = arg[12];
    const int64_t in_c = arg[13];
    const int64_t in_y = arg[14];
    const int64_t in_x = arg[15];
    const int64_t grad_n = arg[16];
    const int64_t grad_c = arg[17];
    const int64_t grad_y = arg[18];
    const int64_t grad_x = arg[19];
    const int64_t out_n = arg[20];
    const int64_t out_c = arg[21];
    const int64_t out_y = arg[22];
    const int64_t out_x = arg[23];
    (void)team; (void)buf; (void)arg;
    int64_t unit, last;
    sol_split(team, N * C, &unit, &last);
    for (; unit < last; unit++) {
        const int64_t c = unit % C, n = unit / C;
        const float *i = in + n * in_n + c * in_c;
        const float *g = grad + n * grad_n + c * grad_c;
        float *o = out + n * out_n + c * out_c;
        int64_t cleared = 0;
        for (int64_t y = 0; y <= H; y++) {
            int64_t reach = IH;
            const int64_t ys = y * sy - lo_y, y0 = first_tap(ys, dy), y1 = last_tap(ys, dy, IH, 3);
            if (y < H) reach = ys + (y1 - 1) * dy + 1 < IH ? ys + (y1 - 1) * dy + 1 : IH;
            for (; cleared < reach; cleared++)
                for (int64_t x = 0; x < IW; x++) STORE(o + cleared * out_y + x * out_x, ALL(0));
            if (y == H) break;
            for (int64_t x = 0; x < W; x++) {
                const int64_t xs = x * sx - lo_x, x0 = first_tap(xs, dx), x1 = last_tap(xs, dx, IW, 3);
                float share = LOAD(g + y * grad_y + x * grad_x);
                float *to = o + ys * out_y + xs * out_x;
                if (y0 == 0 && x0 == 0 && y1 == 3 && x1 == 3) window(i + ys * in_y + xs * in_x, dy * in_y, dx * in_x, to, dy * out_y, dx * out_x, share, 0, 3, 0, 3);
                else
                window(i + ys * in_y + xs * in_x, dy * in_y, dx * in_x, to, dy * out_y, dx * out_x, share, y0, y1, x0, x1);
            }
        }
    }
}
