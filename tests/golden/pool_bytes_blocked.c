/* pool_bytes_blocked: maximum over sliding windows of unsigned bytes in blocks of channels.
 *
 *   for n, for block c, for output row y:     (split over the team)
 *     pixel: the maximum of the vectors of bytes that its window covers inside the map */
#include "sol_simd.h"
#include "sol_team.h"

typedef uint8_t channels __attribute__((vector_size(LANES), aligned(1), may_alias));

SOL_INLINE channels larger(channels a, channels b)
{
    const channels m = (channels)(a > b);
    return (m & a) | (~m & b);
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
    int64_t unit, last;
    sol_split(team, N * CB * H, &unit, &last);
    for (; unit < last; unit++) {
        const int64_t y = unit % H, cb = unit / H % CB, n = unit / H / CB, top = y * sy - lo_y;
        const uint8_t *map = in + n * in_n + cb * in_c;
        uint8_t *to = out + n * out_n + cb * out_c + y * out_y;
        const int64_t r0 = top < 0 ? (-top + dy - 1) / dy : 0, r1 = top + (R - 1) * dy >= IH ? (IH - top + dy - 1) / dy : R;
        for (int64_t x = 0; x < W; x++, to += LANES) {
            const int64_t left = x * sx - lo_x;
            const int64_t s0 = left < 0 ? (-left + dx - 1) / dx : 0, s1 = left + (S - 1) * dx >= IW ? (IW - left + dx - 1) / dx : S;
            channels best = (channels){0};
            for (int64_t r = r0; r < r1; r++) {
                const uint8_t *p = map + (top + r * dy) * in_y + (left + s0 * dx) * LANES;
                for (int64_t s = s0; s < s1; s++, p += dx * LANES) best = larger(best, *(const channels *)p);
            }
            *(channels *)to = best;
        }
    }
}
