/* conv_plain_tiles: convolution of row-major unsigned with signed bytes, summed in int32: any group width, stride, dilation, padding and strides in memory.
 *
 *   for image n:
 *     copy the image into shared memory: four channels a dword, padded, each pixel by its place modulo the strides  (rows split over the team)
 *     barrier; for slice z, for chunk of XC places, for group g, for 32 output channel(s):              (split over the team)
 *       for tile of 2 vectors of places:         4 matrix tiles (AMX) of sums
 *         for four times quads input channels c, for tap t:        2 tiles of places, 2 of weights
 *       pointwise epilogue over the rows of the chunk, store
 *
 * A place is that of its first tap's pixel in the copy, so that rows of a slice follow each other, without a gap but for the padding.
 * off[t], woff[t]: where tap t reads the copy and the weights, which are packed as [g][output channel][c][tap][quads][4], pitch bytes per channel. All sizes, strides and options are arguments. */
#include "sol_int.h"
#include "sol_team.h"
#include "sol_pack.h"
#include "sol_tiles.h"

enum { VL = 4 * LANES / (int)sizeof(int32_t), XV = 2, KB = 32 };
typedef int32_t vt __attribute__((vector_size(4 * LANES), may_alias));
typedef int32_t vt_unaligned __attribute__((vector_size(4 * LANES), aligned(sizeof(int32_t)), may_alias));

/* Elements j = 0 … count-1 of a row whose pixel 0 lies at j = lo, pixels in_x apart, channels of one in_c; beyond elsewhere. */
static void pad_row(int32_t *to, const uint8_t *from, int64_t in_x, int64_t size, int64_t lo, int64_t count, int32_t beyond, int64_t in_c, int64_t channels)
{
    if (!from) size = 0;
    const int64_t begin = lo < 0 ? 0 : lo < count ? lo : count, end = lo + size < begin ? begin : lo + size < count ? lo + size : count;
    int64_t j = 0, x = begin - lo;
    for (; j < begin; j++) to[j] = beyond;
    for (; in_x == 1 && j + LANES <= end; j += LANES, x += LANES) vi_store(to + j, vi_interleave(from + x, in_c, channels, LANES));
    if (in_x == 1 && j < end) {
        vi_store_n(to + j, vi_interleave(from + x, in_c, channels, (int)(end - j)), (int)(end - j));
        j = end;
    }
    for (; j < end; j++, x++) {
        uint32_t dword = 0;
        if (in_c == 1 && channels == 4) dword = (uint32_t)sol_dword(from + x * in_x);
        else
            for (int64_t c = 0; c < channels; c++) dword |= (uint32_t)from[x * in_x + c * in_c] << (8 * c);
        to[j] = (int32_t)dword;
    }
    for (; j < count; j++) to[j] = beyond;
}
/* The elements of a row into step rows of so many columns, apart elements from each other: one into each in turn. */
static void split_row(int32_t *to, const int32_t *from, int64_t step, int64_t columns, int64_t apart)
{
    int64_t whole = 0;
    if (step == 2)
        for (; whole + LANES <= columns; whole += LANES) {
            vi even, odd;
            vi_unzip(*(const vi_unaligned *)(from + 2 * whole), *(const vi_unaligned *)(from + 2 * whole + LANES), &even, &odd);
            *(vi_unaligned *)(to + whole) = even;
            *(vi_unaligned *)(to + apart + whole) = odd;
        }
    for (int64_t p = 0; p < step; p++)
        for (int64_t x = whole; x < columns; x++) to[p * apart + x] = from[x * step + p];
}


void conv_plain_tiles(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const uint8_t *in = buf[0];
    const int8_t *weight = buf[1];
    const uint8_t *fill = buf[2];
    int32_t *out = buf[3];
    const int64_t N = arg[0];
    const int64_t G = arg[1];
    const int64_t CG = arg[2];
    const int64_t KG = arg[3];
    const int64_t ID = arg[4];
    const int64_t IH = arg[5];
    const int64_t IW = arg[6];
    const int64_t D = arg[7];
    const int64_t H = arg[8];
    const int64_t W = arg[9];
    const int64_t PD = arg[10];
    const int64_t PH = arg[11];
    const int64_t PW = arg[12];
    const int64_t KD = arg[13];
    const int64_t R = arg[14];
    const int64_t S = arg[15];
    const int64_t sz = arg[16];
    const int64_t sy = arg[17];
    const int64_t sx = arg[18];
    const int64_t dz = arg[19];
    const int64_t dy = arg[20];
    const int64_t dx = arg[21];
    const int64_t lo_z = arg[22];
    const int64_t lo_y = arg[23];
    const int64_t lo_x = arg[24];
    const int64_t XC = arg[25];
    const int64_t quads = arg[26];
    const int64_t pitch = arg[27];
    const int64_t in_n = arg[28];
    const int64_t in_c = arg[29];
    const int64_t in_z = arg[30];
    const int64_t in_y = arg[31];
    const int64_t out_n = arg[32];
    const int64_t out_c = arg[33];
    const int64_t out_z = arg[34];
    const int64_t out_y = arg[35];
    (void)team; (void)buf; (void)arg;
    int64_t *off = (int64_t *)team->scratch, *woff = off + KD * R * S, taps;
    int32_t *rows = (int32_t *)(((uintptr_t)(woff + KD * R * S) + 63) / 64 * 64), *line = rows + KB * 1 * XC, *image = (int32_t *)team->shared_scratch;
    const int64_t plane = PD * PH * PW, pc = sz * sy * sx * plane, CQ = (CG + 3) / 4, width = sx * PW, held = G;
    const int64_t high = (H + 1 - 1) / 1, wide = (W + 1 - 1) / 1;
    const int64_t chunks = ((high - 1) * PW + wide + XC - 1) / XC, blocks = (KG + KB - 1) / KB, w_c = KD * R * S * KB;
    if (N * D * H * W * G * KG == 0) return;
    taps = 0;
    for (int64_t d = 0; d < KD; d++)
        for (int64_t r = 0; r < R; r++)
            for (int64_t s = 0; s < S; s++) {
                const int64_t tz = d * dz, ty = r * dy, tx = s * dx;
                off[taps] = ((tz % sz * sy + ty % sy) * sx + tx % sx) * plane + (tz / sz * PH + ty / sy) * PW + tx / sx;
                woff[taps++] = ((d * R + r) * S + s) * KB;
            }
    sol_tiles shape = {.palette = 1, .bytes = {64, 64, 64, 64, (uint16_t)(4 * quads), (uint16_t)(4 * quads), 64, 64}, .rows = {16, 16, 16, 16, 16, 16, (uint8_t)quads, (uint8_t)quads}};
    SOL_TILES_BEGIN(shape);
    /* A copy holds so many groups of an image, and is made and read by a thread or by the team. */
    int64_t part = 0, parts = N;
    const sol_team *const sharers = team;
    
    for (; part < parts; part++) {
        const int64_t n = part * held / G, g0 = part * held % G;
        int64_t unit, last;
        sol_split(sharers, held * CQ * sz * PD * sy * PH, &unit, &last);
        int64_t y = unit % PH, z = unit / PH % PD;
        for (int64_t places = unit / (PD * PH); unit < last; places++, y = z = 0) { /* rows at the same places modulo the strides, of all of a channel */
            const int64_t q = places / sy / sz, y0 = places % sy - lo_y, z0 = places / sy % sz - lo_z;
            for (; unit < last; unit++, y++) {
                if (y == PH) y = 0, z++;
                if (z == PD) break;
                const int64_t iy = y * sy + y0, iz = z * sz + z0;
                const uint8_t *from = iy >= 0 && iy < IH && iz >= 0 && iz < ID ? in + n * in_n + iz * in_z + iy * in_y : NULL;
                int32_t *to = image + places * sx * plane + (z * PH + y) * PW;
                const int64_t c = q % CQ * 4, channels = CG - c < 4 ? CG - c : 4;
                if (from) from += ((g0 + q / CQ) * CG + c) * in_c;
                pad_row(sx == 1 ? to : line, from, 1, IW, lo_x, width, (int32_t)((uint8_t)*fill * 0x01010101u), in_c, channels);
                if (sx > 1) split_row(to, line, sx, PW, plane);
            }
        }
        sol_barrier(sharers);
        sol_split(sharers, D * 1 * chunks * held * blocks, &unit, &last);
        for (; unit < last; unit++) {
            const int64_t block = unit % blocks, h = unit / blocks % held, g = g0 + h, place = unit / blocks / held;
            const int32_t *group = image + h * CQ * pc + place / chunks * PH * PW;
            const int64_t first = place % chunks * XC, turn = place / chunks % 1, z = place / chunks / 1;
            const int64_t whole = ((H - turn + 1 - 1) / 1 - 1) * PW + wide, end = whole - first < XC ? whole : first + XC;
            const int64_t k0 = block * KB, channels = KG - k0 < KB ? KG - k0 : KB;
            /* Channels beyond the last one of the group are not stored. */
            const int8_t *const w = weight + (g * blocks + block) * KB * pitch;
            for (int64_t x = first; x < end; x += XV * VL) {
                const int8_t *u = w; /* weights of taps lie in the order in which they are read, those of output channels pitch apart */
SOL_TILE_ZERO(0); SOL_TILE_ZERO(1); SOL_TILE_ZERO(2); SOL_TILE_ZERO(3);
                for (int64_t c = 0; c < CQ; c += quads) {
                    const int32_t *p = group + c * pc + x;
                    for (int64_t t = 0; t < taps; t++, u += 4 * quads) {
SOL_TILE_LOAD(6, p + off[t] + 0 * VL, 4 * pc); SOL_TILE_LOAD(7, p + off[t] + 1 * VL, 4 * pc);
                        SOL_TILE_LOAD(4, u + 0 * pitch, pitch); SOL_TILE_DOT_SIGNED(0, 4, 6); SOL_TILE_DOT_SIGNED(1, 4, 7);
                        SOL_TILE_LOAD(5, u + 16 * pitch, pitch); SOL_TILE_DOT_SIGNED(2, 5, 6); SOL_TILE_DOT_SIGNED(3, 5, 7);
                    }
                }
                SOL_TILE_STORE(0, rows + 0 * XC + (x - first) + 0 * VL, 4 * XC); SOL_TILE_STORE(1, rows + 0 * XC + (x - first) + 1 * VL, 4 * XC);
                SOL_TILE_STORE(2, rows + 16 * XC + (x - first) + 0 * VL, 4 * XC); SOL_TILE_STORE(3, rows + 16 * XC + (x - first) + 1 * VL, 4 * XC);
            }
            for (int64_t row = first / PW; row * PW < end; row++) {
                const int64_t x0 = row * PW < first ? first - row * PW : 0, x1 = end - row * PW < wide ? end - row * PW : wide;
                if (x0 >= x1) continue;
                const int64_t y = turn + row * 1, left = x0 * 1, columns = x1 - x0;
                for (int64_t j = 0; j < channels; j++) {
                    const int64_t k = g * KG + k0 + j;
                    const int32_t *from = rows + j * 1 * XC + (row * PW + x0 - first);
                    int32_t *to = out + n * out_n + k * out_c + z * out_z + y * out_y + left * 1;
                for (int64_t x = 0; x < columns; x += LANES) {
                    const int some = (int)(columns - x < LANES ? columns - x : LANES);
                    const vi a = vi_load(from + x);
                    const vi r = a;
                    if (some == LANES) vi_store(to + x, r);
                    else vi_store_n(to + x, r, some);
                }
                }
            }
        }
        sol_barrier(sharers);
    }
    SOL_TILES_END();
}
