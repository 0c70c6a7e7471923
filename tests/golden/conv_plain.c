/* conv_plain: convolution of row-major values, float: any group width, stride, dilation, padding and strides in memory.
 *
 *   for image n:
 *     copy the image into shared memory: padded, each pixel by its place modulo the strides  (rows split over the team)
 *     barrier; for slice z, for chunk of XC places, for group g, for 8 output channel(s):              (split over the team)
 *       for tile of 2 vectors of places:         8 x 2 accumulators in registers
 *         for input channel c, for tap t:        2 unit-stride loads, 8 weights in all lanes
 *       pointwise epilogue over the rows of the chunk, store
 *
 * A place is that of its first tap's pixel in the copy, so that rows of a slice follow each other, without a gap but for the padding.
 * off[t], woff[t]: where tap t reads the copy and the weights, which are packed as [g][block][c][tap][8]. All sizes, strides and options are arguments. */
#include "sol_int.h"
#include "sol_team.h"
#include "sol_pack.h"

enum { VL = 4 * LANES / (int)sizeof(float), XV = 2, KB = 8 };
typedef float vt __attribute__((vector_size(4 * LANES), may_alias));
typedef float vt_unaligned __attribute__((vector_size(4 * LANES), aligned(sizeof(float)), may_alias));

/* Elements j = 0 … count-1 of a row whose pixel 0 lies at j = lo, pixels in_x apart; beyond elsewhere. */
static void pad_row(float *to, const float *from, int64_t in_x, int64_t size, int64_t lo, int64_t count, float beyond)
{
    if (!from) size = 0;
    const int64_t begin = lo < 0 ? 0 : lo < count ? lo : count, end = lo + size < begin ? begin : lo + size < count ? lo + size : count;
    int64_t j = 0, x = begin - lo;
    for (; j < begin; j++) to[j] = beyond;
    if (in_x == 1 && j < end) {
        memcpy(to + j, from + x, (size_t)(end - j) * sizeof *to);
        j = end;
    }
    for (; j < end; j++, x++) to[j] = from[x * in_x];
    for (; j < count; j++) to[j] = beyond;
}
/* The elements of a row into step rows of so many columns, apart elements from each other: one into each in turn. */
static void split_row(float *to, const float *from, int64_t step, int64_t columns, int64_t apart)
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


void conv_plain(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    const float *weight = buf[1];
    float *out = buf[2];
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
    const int64_t in_n = arg[26];
    const int64_t in_c = arg[27];
    const int64_t in_z = arg[28];
    const int64_t in_y = arg[29];
    const int64_t out_n = arg[30];
    const int64_t out_c = arg[31];
    const int64_t out_z = arg[32];
    const int64_t out_y = arg[33];
    (void)team; (void)buf; (void)arg;
    int64_t *off = (int64_t *)team->scratch, *woff = off + KD * R * S, taps;
    float *rows = (float *)(((uintptr_t)(woff + KD * R * S) + 63) / 64 * 64), *line = rows + KB * 1 * XC, *image = (float *)team->shared_scratch;
    const int64_t plane = PD * PH * PW, pc = sz * sy * sx * plane, CQ = CG, width = sx * PW, held = G;
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
                const float *from = iy >= 0 && iy < IH && iz >= 0 && iz < ID ? in + n * in_n + iz * in_z + iy * in_y : NULL;
                float *to = image + places * sx * plane + (z * PH + y) * PW;
                if (from) from += (g0 * CG + q) * in_c;
                pad_row(sx == 1 ? to : line, from, 1, IW, lo_x, width, 0);
                if (sx > 1) split_row(to, line, sx, PW, plane);
            }
        }
        sol_barrier(sharers);
        sol_split(sharers, D * 1 * chunks * held * blocks, &unit, &last);
        for (; unit < last; unit++) {
            const int64_t block = unit % blocks, h = unit / blocks % held, g = g0 + h, place = unit / blocks / held;
            const float *group = image + h * CQ * pc + place / chunks * PH * PW;
            const int64_t first = place % chunks * XC, turn = place / chunks % 1, z = place / chunks / 1;
            const int64_t whole = ((H - turn + 1 - 1) / 1 - 1) * PW + wide, end = whole - first < XC ? whole : first + XC;
            const int64_t k0 = block * KB, channels = KG - k0 < KB ? KG - k0 : KB;
            /* Channels beyond the last one of the group are not stored. */
            const float *const w = (const float *)weight + (g * blocks + block) * CQ * w_c;
            const float b0 = 0;
            const float b1 = 0;
            const float b2 = 0;
            const float b3 = 0;
            const float b4 = 0;
            const float b5 = 0;
            const float b6 = 0;
            const float b7 = 0;
            for (int64_t x = first; x < end; x += XV * VL) {
                const float *u = w; /* weights of taps lie in the order in which they are read */
                const int64_t stop = CQ;
                int64_t c = 0;
                vt a0_0 = b0 - (vt){0}, a0_1 = b0 - (vt){0};
                vt a1_0 = b1 - (vt){0}, a1_1 = b1 - (vt){0};
                vt a2_0 = b2 - (vt){0}, a2_1 = b2 - (vt){0};
                vt a3_0 = b3 - (vt){0}, a3_1 = b3 - (vt){0};
                vt a4_0 = b4 - (vt){0}, a4_1 = b4 - (vt){0};
                vt a5_0 = b5 - (vt){0}, a5_1 = b5 - (vt){0};
                vt a6_0 = b6 - (vt){0}, a6_1 = b6 - (vt){0};
                vt a7_0 = b7 - (vt){0}, a7_1 = b7 - (vt){0};
                for (; c < stop; c++) {
                    const float *p = group + c * pc + x;
                    for (int64_t t = 0; t < taps; t++, u += KB) {
                        const float *q = p + off[t];
                        const vt v0 = *(const vt_unaligned *)(q + 0 * VL), v1 = *(const vt_unaligned *)(q + 1 * VL);
                        a0_0 += v0 * u[0]; a0_1 += v1 * u[0];
                        a1_0 += v0 * u[1]; a1_1 += v1 * u[1];
                        a2_0 += v0 * u[2]; a2_1 += v1 * u[2];
                        a3_0 += v0 * u[3]; a3_1 += v1 * u[3];
                        a4_0 += v0 * u[4]; a4_1 += v1 * u[4];
                        a5_0 += v0 * u[5]; a5_1 += v1 * u[5];
                        a6_0 += v0 * u[6]; a6_1 += v1 * u[6];
                        a7_0 += v0 * u[7]; a7_1 += v1 * u[7];
                    }
                }
                *(vt_unaligned *)(rows + 0 * XC + (x - first) + 0 * VL) = a0_0;
                *(vt_unaligned *)(rows + 0 * XC + (x - first) + 1 * VL) = a0_1;
                *(vt_unaligned *)(rows + 1 * XC + (x - first) + 0 * VL) = a1_0;
                *(vt_unaligned *)(rows + 1 * XC + (x - first) + 1 * VL) = a1_1;
                *(vt_unaligned *)(rows + 2 * XC + (x - first) + 0 * VL) = a2_0;
                *(vt_unaligned *)(rows + 2 * XC + (x - first) + 1 * VL) = a2_1;
                *(vt_unaligned *)(rows + 3 * XC + (x - first) + 0 * VL) = a3_0;
                *(vt_unaligned *)(rows + 3 * XC + (x - first) + 1 * VL) = a3_1;
                *(vt_unaligned *)(rows + 4 * XC + (x - first) + 0 * VL) = a4_0;
                *(vt_unaligned *)(rows + 4 * XC + (x - first) + 1 * VL) = a4_1;
                *(vt_unaligned *)(rows + 5 * XC + (x - first) + 0 * VL) = a5_0;
                *(vt_unaligned *)(rows + 5 * XC + (x - first) + 1 * VL) = a5_1;
                *(vt_unaligned *)(rows + 6 * XC + (x - first) + 0 * VL) = a6_0;
                *(vt_unaligned *)(rows + 6 * XC + (x - first) + 1 * VL) = a6_1;
                *(vt_unaligned *)(rows + 7 * XC + (x - first) + 0 * VL) = a7_0;
                *(vt_unaligned *)(rows + 7 * XC + (x - first) + 1 * VL) = a7_1;
            }
            for (int64_t row = first / PW; row * PW < end; row++) {
                const int64_t x0 = row * PW < first ? first - row * PW : 0, x1 = end - row * PW < wide ? end - row * PW : wide;
                if (x0 >= x1) continue;
                const int64_t y = turn + row * 1, left = x0 * 1, columns = x1 - x0;
                for (int64_t j = 0; j < channels; j++) {
                    const int64_t k = g * KG + k0 + j;
                    const float *from = rows + j * 1 * XC + (row * PW + x0 - first);
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
        }
        sol_barrier(sharers);
    }
}
