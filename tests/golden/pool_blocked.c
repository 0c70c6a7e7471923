/* pool_blocked: maximum over windows clipped to the map, NCHW16c to NCHW16c, float32.
 *
 *   for n, for channel block c, for output row (z, y):        (split over the team: blocks or rows)
 *     inside: tiles of 5, then 1 columns; each of the tile's input columns is reduced over the window's rows once,
 *             then 3 of them make an output
 *     at the edges: column by column over the taps that exist
 *     pointwise epilogue, store
 *
 * in: element (0, 0, 0, 0); nothing outside the map is read. Sizes and strides are arguments.
 */
#include "sol_simd.h"
#include "sol_team.h"

#define REDUCE(a, b) vf_max(a, b)
#define START vf_set(-INFINITY)

/* Taps [first, last) of a window that starts at an input position and meets [0, size). */
SOL_INLINE int64_t first_tap(int64_t start, int64_t step) { return start < 0 ? (step - 1 - start) / step : 0; }
SOL_INLINE int64_t last_tap(int64_t start, int64_t step, int64_t size, int64_t kernel)
{
    const int64_t n = start < size ? (size - start + step - 1) / step : 0;
    return n < kernel ? n : kernel;
}


void pool_blocked(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    float *out = buf[1];
    const int64_t N = arg[0];
    const int64_t CB = arg[1];
    const int64_t by_rows = arg[2];
    const int64_t D = arg[3];
    const int64_t H = arg[4];
    const int64_t W = arg[5];
    const int64_t ID = arg[6];
    const int64_t IH = arg[7];
    const int64_t IW = arg[8];
    const int64_t KD = arg[9];
    const int64_t R = arg[10];
    const int64_t sz = arg[11];
    const int64_t sy = arg[12];
    const int64_t lo_z = arg[13];
    const int64_t lo_y = arg[14];
    const int64_t lo_x = arg[15];
    const int64_t dz = arg[16];
    const int64_t dy = arg[17];
    const int64_t in_n = arg[18];
    const int64_t in_b = arg[19];
    const int64_t in_z = arg[20];
    const int64_t in_y = arg[21];
    const int64_t out_n = arg[22];
    const int64_t out_b = arg[23];
    const int64_t out_z = arg[24];
    const int64_t out_y = arg[25];
    (void)team; (void)buf; (void)arg;
    sol_walk walk = sol_walk_of(team, N, CB, D * H, by_rows);
    /* Columns [inner, outer) have all their taps. */
    const int64_t inner = (lo_x + 1) / 2, reach = IW - 1 - 2 + lo_x, outer = reach < 0 ? 0 : reach / 2 + 1 < W ? reach / 2 + 1 : W;
    while (sol_next(&walk)) for (int64_t row = walk.y0; row < walk.y1; row++) {
        const int64_t y = row % H, z = row / H, c = walk.c, n = walk.n;
        const int64_t zs = z * sz - lo_z, z0 = first_tap(zs, dz), z1 = last_tap(zs, dz, ID, KD);
        const int64_t ys = y * sy - lo_y, y0 = first_tap(ys, dy), y1 = last_tap(ys, dy, IH, R);
        const float *i = in + n * in_n + c * in_b + (zs + z0 * dz) * in_z + (ys + y0 * dy) * in_y;
        float *o = out + n * out_n + c * out_b + z * out_z + y * out_y;
        const int inside = z0 < z1 && y0 < y1; /* the window has rows in the map */
        for (int64_t x = 0; x < W;) {
            if (inside && x >= inner && x + 5 <= outer) {
                const float *first = i + (x * 2 - lo_x) * LANES;
                vf c0 = vf_load(first + 0 * LANES), c1 = vf_load(first + 1 * LANES), c2 = vf_load(first + 2 * LANES), c3 = vf_load(first + 3 * LANES), c4 = vf_load(first + 4 * LANES), c5 = vf_load(first + 5 * LANES), c6 = vf_load(first + 6 * LANES), c7 = vf_load(first + 7 * LANES), c8 = vf_load(first + 8 * LANES), c9 = vf_load(first + 9 * LANES), c10 = vf_load(first + 10 * LANES);
                for (int64_t d = 0; d < z1 - z0; d++)
                    for (int64_t r = d == 0; r < y1 - y0; r++) {
                        const float *p = i + d * dz * in_z + r * dy * in_y + (x * 2 - lo_x) * LANES;
                        c0 = REDUCE(c0, vf_load(p + 0 * LANES));
                        c1 = REDUCE(c1, vf_load(p + 1 * LANES));
                        c2 = REDUCE(c2, vf_load(p + 2 * LANES));
                        c3 = REDUCE(c3, vf_load(p + 3 * LANES));
                        c4 = REDUCE(c4, vf_load(p + 4 * LANES));
                        c5 = REDUCE(c5, vf_load(p + 5 * LANES));
                        c6 = REDUCE(c6, vf_load(p + 6 * LANES));
                        c7 = REDUCE(c7, vf_load(p + 7 * LANES));
                        c8 = REDUCE(c8, vf_load(p + 8 * LANES));
                        c9 = REDUCE(c9, vf_load(p + 9 * LANES));
                        c10 = REDUCE(c10, vf_load(p + 10 * LANES));
                    }
                vf a0 = c0;
                a0 = REDUCE(a0, c1);
                a0 = REDUCE(a0, c2);
                vf_store(o + (x + 0) * LANES, a0);
                vf a1 = c2;
                a1 = REDUCE(a1, c3);
                a1 = REDUCE(a1, c4);
                vf_store(o + (x + 1) * LANES, a1);
                vf a2 = c4;
                a2 = REDUCE(a2, c5);
                a2 = REDUCE(a2, c6);
                vf_store(o + (x + 2) * LANES, a2);
                vf a3 = c6;
                a3 = REDUCE(a3, c7);
                a3 = REDUCE(a3, c8);
                vf_store(o + (x + 3) * LANES, a3);
                vf a4 = c8;
                a4 = REDUCE(a4, c9);
                a4 = REDUCE(a4, c10);
                vf_store(o + (x + 4) * LANES, a4);
                x += 5;
                continue;
            }
            if (inside && x >= inner && x + 1 <= outer) {
                const float *first = i + (x * 2 - lo_x) * LANES;
                vf c0 = vf_load(first + 0 * LANES), c1 = vf_load(first + 1 * LANES), c2 = vf_load(first + 2 * LANES);
                for (int64_t d = 0; d < z1 - z0; d++)
                    for (int64_t r = d == 0; r < y1 - y0; r++) {
                        const float *p = i + d * dz * in_z + r * dy * in_y + (x * 2 - lo_x) * LANES;
                        c0 = REDUCE(c0, vf_load(p + 0 * LANES));
                        c1 = REDUCE(c1, vf_load(p + 1 * LANES));
                        c2 = REDUCE(c2, vf_load(p + 2 * LANES));
                    }
                vf a0 = c0;
                a0 = REDUCE(a0, c1);
                a0 = REDUCE(a0, c2);
                vf_store(o + (x + 0) * LANES, a0);
                x += 1;
                continue;
            }
            const int64_t xs = x * 2 - lo_x, x0 = first_tap(xs, 1), x1 = last_tap(xs, 1, IW, 3);
            vf a = START;
            for (int64_t d = 0; d < z1 - z0; d++)
                for (int64_t r = 0; r < y1 - y0; r++) {
                    const float *p = i + d * dz * in_z + r * dy * in_y + xs * LANES;
                    for (int64_t s = x0; s < x1; s++) a = REDUCE(a, vf_load(p + s * 1 * LANES));
                }
            vf_store(o + x * LANES, a);
            x++;
        }
    }
}
