/* conv_plain_transposed: transposed convolution of row-major values, float: any group width, stride, dilation, padding and strides in memory.
 *
 *   for image n:
 *     copy the image into shared memory: padded, each pixel by its place modulo the strides  (rows split over the team)
 *     barrier; for slice z, for turn of rows, for chunk of XC places, for group g, for 4 output channel(s):              (split over the team)
 *       for turn of columns, for tile of 4 vectors of places:         4 x 4 accumulators in registers
 *         for input channel c, for tap t:        4 unit-stride loads, 4 weights in all lanes
 *       pointwise epilogue over the rows of the chunk, store
 *
 * A place is that of its first tap's pixel in the copy, so that rows of a slice follow each other, without a gap but for the padding.
 * off[t], woff[t]: where tap t reads the copy and the weights, which are packed as [g][block][c][tap][4]. All sizes, strides and options are arguments. */
#include "sol_int.h"
#include "sol_team.h"
#include "sol_pack.h"

enum { VL = 4 * LANES / (int)sizeof(float), XV = 4, KB = 4 };
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
/* columns elements from step rows, apart elements from each other: one of each in turn. */
static void weave(float *to, const float *from, int64_t apart, int64_t step, int64_t columns)
{
    int64_t x = 0;
    if (step == 2)
        for (; x + 2 * LANES <= columns; x += 2 * LANES) {
            vf low, high;
            vf_zip(vf_load(from + x / 2), vf_load(from + apart + x / 2), &low, &high);
            vf_store(to + x, low);
            vf_store(to + x + LANES, high);
        }
    for (int64_t i = x / step; x < columns; i++)
        for (int64_t phase = 0; phase < step && x < columns; phase++, x++) to[x] = from[phase * apart + i];
}


void conv_plain_transposed(const sol_team *team, void *const *buf, const int64_t *arg)
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
    const int64_t pad_z = arg[25];
    const int64_t pad_y = arg[26];
    const int64_t pad_x = arg[27];
    const int64_t XC = arg[28];
    const int64_t in_n = arg[29];
    const int64_t in_c = arg[30];
    const int64_t in_z = arg[31];
    const int64_t in_y = arg[32];
    const int64_t out_n = arg[33];
    const int64_t out_c = arg[34];
    const int64_t out_z = arg[35];
    const int64_t out_y = arg[36];
    (void)team; (void)buf; (void)arg;
    int64_t *off = (int64_t *)team->scratch, *woff = off + KD * R * S, taps;
    float *rows = (float *)(((uintptr_t)(woff + KD * R * S) + 63) / 64 * 64), *line = rows + KB * sx * XC, *image = (float *)team->shared_scratch;
    const int64_t plane = PD * PH * PW, pc = 1 * 1 * 1 * plane, CQ = CG, width = 1 * PW, held = G;
    const int64_t high = (H + sy - 1) / sy, wide = (W + sx - 1) / sx;
    const int64_t chunks = ((high - 1) * PW + wide + XC - 1) / XC, blocks = (KG + KB - 1) / KB, w_c = KD * R * S * KB;
    if (N * D * H * W * G * KG == 0) return;
    /* A copy holds so many groups of an image, and is made and read by a thread or by the team. */
    int64_t part = 0, parts = N;
    const sol_team *const sharers = team;
    
    for (; part < parts; part++) {
        const int64_t n = part * held / G, g0 = part * held % G;
        int64_t unit, last;
        sol_split(sharers, held * CQ * 1 * PD * 1 * PH, &unit, &last);
        int64_t y = unit % PH, z = unit / PH % PD;
        for (int64_t places = unit / (PD * PH); unit < last; places++, y = z = 0) { /* rows at the same places modulo the strides, of all of a channel */
            const int64_t q = places / 1 / 1, y0 = places % 1 - lo_y, z0 = places / 1 % 1 - lo_z;
            for (; unit < last; unit++, y++) {
                if (y == PH) y = 0, z++;
                if (z == PD) break;
                const int64_t iy = y * 1 + y0, iz = z * 1 + z0;
                const float *from = iy >= 0 && iy < IH && iz >= 0 && iz < ID ? in + n * in_n + iz * in_z + iy * in_y : NULL;
                float *to = image + places * 1 * plane + (z * PH + y) * PW;
                if (from) from += (g0 * CG + q) * in_c;
                pad_row(to, from, 1, IW, lo_x, width, 0);
            }
        }
        sol_barrier(sharers);
        sol_split(sharers, D * sy * chunks * held * blocks, &unit, &last);
        for (; unit < last; unit++) {
            const int64_t block = unit % blocks, h = unit / blocks % held, g = g0 + h, place = unit / blocks / held;
            const float *group = image + h * CQ * pc;
            const int64_t first = place % chunks * XC, turn = place / chunks % sy, z = place / chunks / sy;
            const int64_t whole = ((H - turn + sy - 1) / sy - 1) * PW + wide, end = whole - first < XC ? whole : first + XC;
            const int64_t k0 = block * KB, channels = KG - k0 < KB ? KG - k0 : KB;
            /* Channels beyond the last one of the group are not stored. */
            const float *const w = (const float *)weight + (g * blocks + block) * CQ * w_c;
            const float b0 = 0;
            const float b1 = 0;
            const float b2 = 0;
            const float b3 = 0;
            for (int64_t phase = 0; phase < sx; phase++) {
            taps = 0;
            for (int64_t d = 0; d < KD; d++)
                for (int64_t r = 0; r < R; r++)
                    for (int64_t s = 0; s < S; s++) {
                        const int64_t tz = z + pad_z + d * dz, ty = turn + pad_y + r * dy, tx = phase + pad_x + s * dx;
                        if (tz % sz || ty % sy || tx % sx) continue;
                        off[taps] = (tz / sz * PH + ty / sy) * PW + tx / sx;
                        woff[taps++] = ((d * R + r) * S + s) * KB;
                    }
            for (int64_t x = first; x < end; x += XV * VL) {
                const int64_t stop = CQ;
                int64_t c = 0;
                vt a0_0 = b0 - (vt){0}, a0_1 = b0 - (vt){0}, a0_2 = b0 - (vt){0}, a0_3 = b0 - (vt){0};
                vt a1_0 = b1 - (vt){0}, a1_1 = b1 - (vt){0}, a1_2 = b1 - (vt){0}, a1_3 = b1 - (vt){0};
                vt a2_0 = b2 - (vt){0}, a2_1 = b2 - (vt){0}, a2_2 = b2 - (vt){0}, a2_3 = b2 - (vt){0};
                vt a3_0 = b3 - (vt){0}, a3_1 = b3 - (vt){0}, a3_2 = b3 - (vt){0}, a3_3 = b3 - (vt){0};
                for (; c < stop; c++) {
                    const float *p = group + c * pc + x;
                    for (int64_t t = 0; t < taps; t++) {
                        const float *q = p + off[t];
                        const float *u = w + c * w_c + woff[t];
                        const vt v0 = *(const vt_unaligned *)(q + 0 * VL), v1 = *(const vt_unaligned *)(q + 1 * VL), v2 = *(const vt_unaligned *)(q + 2 * VL), v3 = *(const vt_unaligned *)(q + 3 * VL);
                        a0_0 += v0 * u[0]; a0_1 += v1 * u[0]; a0_2 += v2 * u[0]; a0_3 += v3 * u[0];
                        a1_0 += v0 * u[1]; a1_1 += v1 * u[1]; a1_2 += v2 * u[1]; a1_3 += v3 * u[1];
                        a2_0 += v0 * u[2]; a2_1 += v1 * u[2]; a2_2 += v2 * u[2]; a2_3 += v3 * u[2];
                        a3_0 += v0 * u[3]; a3_1 += v1 * u[3]; a3_2 += v2 * u[3]; a3_3 += v3 * u[3];
                    }
                }
                *(vt_unaligned *)(rows + (0 * sx + phase) * XC + (x - first) + 0 * VL) = a0_0;
                *(vt_unaligned *)(rows + (0 * sx + phase) * XC + (x - first) + 1 * VL) = a0_1;
                *(vt_unaligned *)(rows + (0 * sx + phase) * XC + (x - first) + 2 * VL) = a0_2;
                *(vt_unaligned *)(rows + (0 * sx + phase) * XC + (x - first) + 3 * VL) = a0_3;
                *(vt_unaligned *)(rows + (1 * sx + phase) * XC + (x - first) + 0 * VL) = a1_0;
                *(vt_unaligned *)(rows + (1 * sx + phase) * XC + (x - first) + 1 * VL) = a1_1;
                *(vt_unaligned *)(rows + (1 * sx + phase) * XC + (x - first) + 2 * VL) = a1_2;
                *(vt_unaligned *)(rows + (1 * sx + phase) * XC + (x - first) + 3 * VL) = a1_3;
                *(vt_unaligned *)(rows + (2 * sx + phase) * XC + (x - first) + 0 * VL) = a2_0;
                *(vt_unaligned *)(rows + (2 * sx + phase) * XC + (x - first) + 1 * VL) = a2_1;
                *(vt_unaligned *)(rows + (2 * sx + phase) * XC + (x - first) + 2 * VL) = a2_2;
                *(vt_unaligned *)(rows + (2 * sx + phase) * XC + (x - first) + 3 * VL) = a2_3;
                *(vt_unaligned *)(rows + (3 * sx + phase) * XC + (x - first) + 0 * VL) = a3_0;
                *(vt_unaligned *)(rows + (3 * sx + phase) * XC + (x - first) + 1 * VL) = a3_1;
                *(vt_unaligned *)(rows + (3 * sx + phase) * XC + (x - first) + 2 * VL) = a3_2;
                *(vt_unaligned *)(rows + (3 * sx + phase) * XC + (x - first) + 3 * VL) = a3_3;
            }
            }
            for (int64_t row = first / PW; row * PW < end; row++) {
                const int64_t x0 = row * PW < first ? first - row * PW : 0, x1 = end - row * PW < wide ? end - row * PW : wide;
                if (x0 >= x1) continue;
                const int64_t y = turn + row * sy, left = x0 * sx, columns = (x1 * sx < W ? x1 * sx : W) - left;
                for (int64_t j = 0; j < channels; j++) {
                    const int64_t k = g * KG + k0 + j;
                    const float *from = rows + j * sx * XC + (row * PW + x0 - first);
                    weave(line, from, XC, sx, columns);
                    from = line;
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
