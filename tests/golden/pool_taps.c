/* pool_taps: which tap of each window, clipped to the map, is the largest element, row-major float.
 *
 *   for n, channel c, row y of windows:                      (split over the team)
 *     for the windows of the row: the first of equal elements, or the last NaN */
#include "sol_simd.h"
#include "sol_team.h"
#define LOAD(p) (*(p))
#define STORE(p, v) (*(p) = (v))
#define ALL(v) (float)(v)
#define TAP(t) (int)(t)
#define SELECT(m, a, b) ((m) ? (a) : (b))
#define CHOOSE(m, a, b) ((m) ? (a) : (b))
#define STORE_TAP(p, v) (*(p) = (uint8_t)(v))

/* Taps [first, last) of a window that starts at an input position and meets [0, size). */
SOL_INLINE int64_t first_tap(int64_t start, int64_t step) { return start < 0 ? (step - 1 - start) / step : 0; }
SOL_INLINE int64_t last_tap(int64_t start, int64_t step, int64_t size, int64_t kernel)
{
    const int64_t n = start < size ? (size - start + step - 1) / step : 0;
    return n < kernel ? n : kernel;
}

/* One window over the taps from (r0, s0) up to (r1, s1). in: tap (0, 0). */
SOL_INLINE void window(const float *in, int64_t in_y, int64_t in_x, int64_t r0, int64_t r1, int64_t s0, int64_t s1, uint8_t *tap)
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
    STORE_TAP(tap, where);
}

void pool_taps(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    uint8_t *out = buf[1];
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
    const int64_t out_n = arg[16];
    const int64_t out_c = arg[17];
    const int64_t out_y = arg[18];
    const int64_t out_x = arg[19];
    const int64_t by_rows = arg[20];
    (void)team; (void)buf; (void)arg;
    /* Columns [inner, outer) have all their taps. */
    const int64_t inner = (lo_x + sx - 1) / sx, reach = IW - 1 - 2 * dx + lo_x;
    const int64_t outer = reach < 0 ? 0 : reach / sx + 1;
    sol_walk walk = sol_walk_of(team, N, C, H, by_rows);
    while (sol_next(&walk)) for (int64_t y = walk.y0; y < walk.y1; y++) {
        const int64_t c = walk.c, n = walk.n;
        const int64_t ys = y * sy - lo_y, y0 = first_tap(ys, dy), y1 = last_tap(ys, dy, IH, 3);
        const int whole = y0 == 0 && y1 == 3;
        const float *i = in + n * in_n + c * in_c + ys * in_y;
        uint8_t *o = out + n * out_n + c * out_c + y * out_y;
        for (int64_t x = 0; x < W; x++) {
            if (whole && x >= inner && x < outer) {
                window(i + (x * sx - lo_x) * in_x, dy * in_y, dx * in_x, 0, 3, 0, 3, o + x * out_x);
                continue;
            }
            const int64_t xs = x * sx - lo_x, x0 = first_tap(xs, dx), x1 = last_tap(xs, dx, IW, 3);
            window(i + xs * in_x, dy * in_y, dx * in_x, y0, y1, x0, x1, o + x * out_x);
        }
    }
}
