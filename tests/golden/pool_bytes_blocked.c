/* pool_bytes_blocked: maximum over sliding windows of unsigned bytes in blocks of channels.
 *
 *   for n, for block c, for output row y:     (split over the team)
 *     the maximum of the rows that its windows cover, whole vectors of bytes at a time, with the lowest byte around it
 *     pixel: that of 3 neighbours in it */
#include "sol_simd.h"
#include "sol_team.h"

enum { BYTES = 4 * LANES };
typedef uint8_t channels __attribute__((vector_size(LANES), aligned(1), may_alias));
SOL_INLINE channels larger_channels(channels a, channels b)
{
    const channels m = (channels)(a > b);
    return (m & a) | (~m & b);
}
/* The maximum of the vectors at p, p + step, …, count of them. */
SOL_INLINE channels largest_channels(const uint8_t *p, int64_t step, int64_t count)
{
    channels best = *(const channels *)p;
    for (int64_t i = 1; i < count; i++) best = larger_channels(best, *(const channels *)(p + i * step));
    return best;
}
typedef uint8_t pixels __attribute__((vector_size(BYTES), aligned(1), may_alias));
SOL_INLINE pixels larger_pixels(pixels a, pixels b)
{
    const pixels m = (pixels)(a > b);
    return (m & a) | (~m & b);
}
/* The maximum of the vectors at p, p + step, …, count of them. */
SOL_INLINE pixels largest_pixels(const uint8_t *p, int64_t step, int64_t count)
{
    pixels best = *(const pixels *)p;
    for (int64_t i = 1; i < count; i++) best = larger_pixels(best, *(const pixels *)(p + i * step));
    return best;
}
/* to[i] = the maximum of from[i], from[i + step], …, count of them, for i < n, which is a multiple of LANES. */
SOL_INLINE void take_largest(uint8_t *to, const uint8_t *from, int64_t step, int64_t count, int64_t n)
{
    int64_t i = 0;
    for (; i + BYTES <= n; i += BYTES) *(pixels *)(to + i) = largest_pixels(from + i, step, count);
    for (; i < n; i += LANES) *(channels *)(to + i) = largest_channels(from + i, step, count);
}

void pool_bytes_blocked(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const uint8_t *in = buf[0];
    uint8_t *out = buf[1];
    const int64_t N = arg[0];
    const int64_t CB = arg[1];
    const int64_t H = arg[2];
    const int64_t W = arg[3];
    const int64_t IH = arg[4];
    const int64_t IW = arg[5];
    const int64_t R = arg[6];
    const int64_t S = arg[7];
    const int64_t sy = arg[8];
    const int64_t sx = arg[9];
    const int64_t lo_y = arg[10];
    const int64_t lo_x = arg[11];
    const int64_t dy = arg[12];
    const int64_t dx = arg[13];
    const int64_t in_n = arg[14];
    const int64_t in_c = arg[15];
    const int64_t in_y = arg[16];
    const int64_t out_n = arg[17];
    const int64_t out_c = arg[18];
    const int64_t out_y = arg[19];
    (void)team; (void)buf; (void)arg;
    if (N * CB * H * W == 0) return;
    const int64_t length = (W - 1) * sx + 1 + (S - 1) * dx, first = lo_x > 0 ? lo_x : 0, skip = lo_x < 0 ? -lo_x : 0;
    const int64_t count = IW - skip < length - first ? IW - skip : length - first;
    uint8_t *line = (uint8_t *)team->scratch, *const inside = line + first * LANES;
    memset(line, 0, (size_t)(length * LANES));
    int64_t unit, last;
    sol_split(team, N * CB * H, &unit, &last);
    for (; unit < last; unit++) {
        const int64_t y = unit % H, cb = unit / H % CB, n = unit / H / CB, top = y * sy - lo_y;
        const int64_t r0 = top < 0 ? (-top + dy - 1) / dy : 0, r1 = top + (R - 1) * dy >= IH ? (IH - top + dy - 1) / dy : R;
        const uint8_t *rows = in + n * in_n + cb * in_c + (top + r0 * dy) * in_y + skip * LANES;
        uint8_t *to = out + n * out_n + cb * out_c + y * out_y;
        if (count > 0) {
            if (r0 >= r1) memset(inside, 0, (size_t)(count * LANES));
            else if (r1 - r0 == 3) take_largest(inside, rows, dy * in_y, 3, count * LANES);
            else take_largest(inside, rows, dy * in_y, r1 - r0, count * LANES);
        }
        if (sx == 1) take_largest(to, line, dx * LANES, 3, W * LANES);
        else
            for (int64_t x = 0; x < W; x++) *(channels *)(to + x * LANES) = largest_channels(line + x * sx * LANES, dx * LANES, 3);
    }
}
