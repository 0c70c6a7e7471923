/* pool_rows: maximum over windows clipped to the map, row-major float32, any strides in memory.
 *
 *   for n, for channel k, for output row (z, y), for chunk of XC columns:     (split over the team)
 *     the rows of the window become one, column by column, with -infinity where the map ends
 *     its columns: LANES outputs at once, a vector for each tap
 *     pointwise epilogue, store
 *
 * Sizes and strides are arguments, but for the stride of columns: 2. */
#include "sol_simd.h"
#include "sol_team.h"
#include "sol_pack.h"
#include "sol_apart.h"

enum { XC = 1024 };
#define REDUCE(a, b) vf_max(a, b)
#define NOTHING vf_set(-INFINITY)

/* Taps [first, last) of a window that starts at an input position and meets [0, size). */
SOL_INLINE int64_t first_tap(int64_t start, int64_t step) { return start < 0 ? (step - 1 - start) / step : 0; }
SOL_INLINE int64_t last_tap(int64_t start, int64_t step, int64_t size, int64_t kernel)
{
    const int64_t n = start < size ? (size - start + step - 1) / step : 0;
    return n < kernel ? n : kernel;
}


void pool_rows(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    float *out = buf[1];
    const int64_t N = arg[0];
    const int64_t C = arg[1];
    const int64_t D = arg[2];
    const int64_t H = arg[3];
    const int64_t W = arg[4];
    const int64_t ID = arg[5];
    const int64_t IH = arg[6];
    const int64_t IW = arg[7];
    const int64_t KD = arg[8];
    const int64_t R = arg[9];
    const int64_t S = arg[10];
    const int64_t sz = arg[11];
    const int64_t sy = arg[12];
    const int64_t lo_z = arg[13];
    const int64_t lo_y = arg[14];
    const int64_t lo_x = arg[15];
    const int64_t dz = arg[16];
    const int64_t dy = arg[17];
    const int64_t dx = arg[18];
    const int64_t in_n = arg[19];
    const int64_t in_c = arg[20];
    const int64_t in_z = arg[21];
    const int64_t in_y = arg[22];
    const int64_t out_n = arg[23];
    const int64_t out_c = arg[24];
    const int64_t out_z = arg[25];
    const int64_t out_y = arg[26];
    (void)team; (void)buf; (void)arg;
    const int64_t chunks = (W + XC - 1) / XC;
    float *const row = (float *)team->scratch, *const from = row + (XC - 1) * 2 + (S - 1) * dx + LANES * (2 + 1);
    int64_t unit, last;
    sol_split(team, N * C * D * H * chunks, &unit, &last);
    for (; unit < last; unit++) {
        const int64_t left = unit % chunks * XC, line = unit / chunks, columns = W - left < XC ? W - left : XC;
        const int64_t y = line % H, z = line / H % D, k = line / H / D % C, n = line / H / D / C;
        const int64_t zs = z * sz - lo_z, z0 = first_tap(zs, dz), z1 = last_tap(zs, dz, ID, KD);
        const int64_t ys = y * sy - lo_y, y0 = first_tap(ys, dy), y1 = last_tap(ys, dy, IH, R);
        /* row[i] belongs to input column first + i; those from begin to end exist. */
        const int64_t first = left * 2 - lo_x, length = (columns - 1) * 2 + (S - 1) * dx + 1;
        const int64_t full = length + LANES * 2;
        int64_t begin = first < 0 ? -first : 0, end = IW - first < length ? IW - first : length;
        begin = begin < length ? begin : length;
        end = end < begin ? begin : end;
        for (int64_t i = 0; i < begin; i += LANES) vf_store(row + i, NOTHING);
        const float *const corner = in + n * in_n + k * in_c + (zs + z0 * dz) * in_z + (ys + y0 * dy) * in_y + first * 1;
        for (int64_t i = begin; i < end; i += LANES) {
            const int some = (int)(end - i < LANES ? end - i : LANES);
            vf a = NOTHING;
            for (int64_t d = 0; d < z1 - z0; d++)
                for (int64_t r = 0; r < y1 - y0; r++) {
                    const float *p = corner + d * dz * in_z + r * dy * in_y + i * 1;
                    a = REDUCE(a, some == LANES ? vf_load(p) : vf_load_n(p, some));
                }
            vf_store(row + i, a);
        }
        for (int64_t i = end; i < full; i += LANES) vf_store(row + i, NOTHING);
        for (int64_t x = 0; x < columns; x += LANES) {
            const float *p = row + x * 2;
            vf a = vf_load_apart(p, 2, LANES);
            for (int64_t s = 1; s < S; s++) a = REDUCE(a, vf_load_apart(p + s * dx, 2, LANES));
            vf_store(from + x, a);
        }
        float *to = out + n * out_n + k * out_c + z * out_z + y * out_y + left * 1;
                for (int64_t x = 0; x < columns; x += LANES) {
                    const int some = (int)(columns - x < LANES ? columns - x : LANES);
                    const vf a = vf_load(from + x);
                    const vf r = a;
                    if (some == LANES) vf_store(to + x, r);
                    else vf_store_n(to + x, r, some);
                }
    }
}
