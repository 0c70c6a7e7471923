/* pool_bytes: maximum over sliding windows of unsigned bytes, row-major with adjacent columns.
 *
 *   for n, for channel k, for output row (z, y):     (split over the team)
 *     the maximum of the rows that its windows cover, whole vectors of bytes at a time, with the lowest byte around it
 *     that of S neighbours in it, and every sx-th of these */
#include "sol_simd.h"
#include "sol_team.h"

enum { BYTES = 4 * LANES, FEW = 16 };
typedef uint8_t vbytes __attribute__((vector_size(BYTES), aligned(1), may_alias));
typedef uint8_t few_bytes __attribute__((vector_size(FEW), aligned(1), may_alias));
typedef uint16_t few_pairs __attribute__((vector_size(2 * FEW), aligned(1), may_alias));

SOL_INLINE void take_vector(uint8_t *to, const uint8_t *from)
{
    const vbytes a = *(const vbytes *)to, b = *(const vbytes *)from, m = (vbytes)(a > b);
    *(vbytes *)to = (m & a) | (~m & b);
}
SOL_INLINE void take_few(uint8_t *to, const uint8_t *from)
{
    const few_bytes a = *(const few_bytes *)to, b = *(const few_bytes *)from, m = (few_bytes)(a > b);
    *(few_bytes *)to = (m & a) | (~m & b);
}
/* to[i] = max(to[i], from[i]) for i < n; the last vector may take some elements twice. */
static void take_larger(uint8_t *to, const uint8_t *from, int64_t n)
{
    int64_t i = 0;
    for (; i + BYTES <= n; i += BYTES) take_vector(to + i, from + i);
    for (; i + FEW <= n; i += FEW) take_few(to + i, from + i);
    if (i < n && n >= FEW) take_few(to + n - FEW, from + n - FEW);
    else
        for (; i < n; i++) to[i] = to[i] > from[i] ? to[i] : from[i];
}
/* to[i] = from[2 * i] for i < n; reads up to from[2 * n - 1]. */
static void take_every_other(uint8_t *to, const uint8_t *from, int64_t n)
{
    for (int64_t i = 0; i < n; i += FEW) {
        if (i + FEW > n && n >= FEW) i = n - FEW;
        if (n < FEW)
            for (; i < n; i++) to[i] = from[2 * i];
        else *(few_bytes *)(to + i) = __builtin_convertvector(*(const few_pairs *)(from + 2 * i), few_bytes);
    }
}

void pool_bytes(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const uint8_t *in = buf[0];
    uint8_t *out = buf[1];
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
    const int64_t sx = arg[13];
    const int64_t lo_z = arg[14];
    const int64_t lo_y = arg[15];
    const int64_t lo_x = arg[16];
    const int64_t dz = arg[17];
    const int64_t dy = arg[18];
    const int64_t dx = arg[19];
    const int64_t in_n = arg[20];
    const int64_t in_c = arg[21];
    const int64_t in_z = arg[22];
    const int64_t in_y = arg[23];
    const int64_t out_n = arg[24];
    const int64_t out_c = arg[25];
    const int64_t out_z = arg[26];
    const int64_t out_y = arg[27];
    (void)team; (void)buf; (void)arg;
    const int64_t reach = (W - 1) * sx + 1, length = reach + (S - 1) * dx, first = lo_x > 0 ? lo_x : 0, skip = lo_x < 0 ? -lo_x : 0;
    const int64_t count = IW - skip < length - first ? IW - skip : length - first;
    uint8_t *line = (uint8_t *)team->scratch, *best = line + length + BYTES;
    int64_t unit, last;
    sol_split(team, N * C * D * H, &unit, &last);
    for (; unit < last; unit++) {
        const int64_t y = unit % H, z = unit / H % D, k = unit / H / D % C, n = unit / H / D / C;
        memset(line, 0, (size_t)length);
        for (int64_t d = 0; d < KD; d++)
            for (int64_t r = 0; r < R; r++) {
                const int64_t iz = z * sz - lo_z + d * dz, iy = y * sy - lo_y + r * dy;
                if (iz < 0 || iz >= ID || iy < 0 || iy >= IH || count <= 0) continue;
                take_larger(line + first, in + n * in_n + k * in_c + iz * in_z + iy * in_y + skip, count);
            }
        uint8_t *to = out + n * out_n + k * out_c + z * out_z + y * out_y;
        uint8_t *const target = sx == 1 ? to : best;
        memcpy(target, line, (size_t)reach);
        for (int64_t s = 1; s < S; s++) take_larger(target, line + s * dx, reach);
        if (sx == 2) take_every_other(to, best, W);
        else if (sx > 1)
            for (int64_t x = 0; x < W; x++) to[x] = best[x * sx];
    }
}
