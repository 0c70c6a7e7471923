/* conv_int: convolution of unsigned with signed bytes, summed in int32: any groups, strides, dilations, padding and strides in memory.
 *
 *   for image n:
 *     copy the image into common memory: four channels a dword, padded, each pixel by its place modulo the strides  (rows split over the team)
 *     barrier; for chunk of XC places of the padded result, for group g, for 7 output channels:              (split over the team)
 *       for tile of 2 vectors of places:         7 x 2 accumulators in registers
 *         for four channels c, for tap t:        2 unit-stride loads, 7 weights in all lanes
 *       pointwise tail over the rows of the chunk, store
 *
 * A place of the padded result is that of its first tap's pixel in the copy, so that rows follow each other without a gap. */
#include "sol_int.h"
#include "sol_team.h"

enum { XV = 2, KB = 7 };

/* Dwords j = 0 … count-1 of a row whose pixel 0 lies at j = lo: channels c of a pixel in_c bytes apart, pixels in_x; fill beyond. */
static void pack_row(int32_t *to, const uint8_t *from, int64_t in_c, int64_t in_x, int64_t channels, int64_t size, int64_t lo, int64_t count, uint8_t fill)
{
    const int32_t beyond = (int32_t)(fill * 0x01010101u);
    int64_t j = 0, x = -lo;
    if (!from) size = 0;
    for (; j < count && x < 0; j++, x++) to[j] = beyond;
    const int64_t end = size - x < count - j ? j + size - x : count;
    if (in_x == 1) {
        for (; j + LANES <= end; j += LANES, x += LANES) vi_store(to + j, vi_interleave(from + x, in_c, channels, LANES));
        if (j < end) {
            vi_store_n(to + j, vi_interleave(from + x, in_c, channels, (int)(end - j)), (int)(end - j));
            j = end;
        }
    } else if (in_c == 1 && channels == 4) {
        for (; j < end; j++, x++) to[j] = sol_dword(from + x * in_x);
    } else {
        for (; j < end; j++, x++) {
            uint32_t bytes = 0;
            for (int64_t c = 0; c < channels; c++) bytes |= (uint32_t)from[x * in_x + c * in_c] << (8 * c);
            to[j] = (int32_t)bytes;
        }
    }
    for (; j < count; j++) to[j] = beyond;
}

void conv_int(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const uint8_t *in = buf[0];
    const int8_t *weight = buf[1];
    const uint8_t *fill = buf[2];
    int32_t *out = buf[3];
    const int64_t N = arg[0];
    const int64_t G = arg[1];
    const int64_t CG = arg[2];
    const int64_t KG = arg[3];
    const int64_t XC = arg[4];
    const int64_t ID = arg[5];
    const int64_t IH = arg[6];
    const int64_t IW = arg[7];
    const int64_t D = arg[8];
    const int64_t H = arg[9];
    const int64_t W = arg[10];
    const int64_t PD = arg[11];
    const int64_t PH = arg[12];
    const int64_t PW = arg[13];
    const int64_t KD = arg[14];
    const int64_t R = arg[15];
    const int64_t S = arg[16];
    const int64_t sz = arg[17];
    const int64_t sy = arg[18];
    const int64_t sx = arg[19];
    const int64_t dz = arg[20];
    const int64_t dy = arg[21];
    const int64_t dx = arg[22];
    const int64_t lo_z = arg[23];
    const int64_t lo_y = arg[24];
    const int64_t lo_x = arg[25];
    const int64_t in_n = arg[26];
    const int64_t in_c = arg[27];
    const int64_t in_z = arg[28];
    const int64_t in_y = arg[29];
    const int64_t out_n = arg[30];
    const int64_t out_c = arg[31];
    const int64_t out_z = arg[32];
    const int64_t out_y = arg[33];
    (void)team; (void)buf; (void)arg;
    int64_t *off = (int64_t *)team->scratch;
    int32_t *rows = (int32_t *)(((uintptr_t)(off + KD * R * S) + 63) / 64 * 64), *line = rows + KB * XC;
    const int64_t plane = PD * PH * PW, pc = sz * sy * sx * plane, CQ = (CG + 3) / 4, width = sx * PW;
    int32_t *image = (int32_t *)team->common;
    const int64_t places = ((D - 1) * PH + H - 1) * PW + W, chunks = (places + XC - 1) / XC, blocks = (KG + KB - 1) / KB;
    int64_t taps = 0;
    for (int64_t z = 0; z < KD; z++)
        for (int64_t r = 0; r < R; r++)
            for (int64_t s = 0; s < S; s++, taps++) {
                const int64_t phase = (z * dz % sz * sy + r * dy % sy) * sx + s * dx % sx;
                off[taps] = phase * plane + (z * dz / sz * PH + r * dy / sy) * PW + s * dx / sx;
            }
    if (N * D * H * W * G * KG == 0) return;
    for (int64_t n = 0; n < N; n++) {
        int64_t unit, last;
        sol_split(team, G * CQ * sz * PD * sy * PH, &unit, &last);
        int64_t y = unit % (sy * PH), z = unit / (sy * PH) % (sz * PD), q = unit / (sy * PH) / (sz * PD);
        for (; unit < last; unit++, y++) {            if (y == sy * PH) y = 0, z++;
            if (z == sz * PD) z = 0, q++;
            const int64_t iy = y - lo_y, iz = z - lo_z;
            const uint8_t *from = iy >= 0 && iy < IH && iz >= 0 && iz < ID ? in + n * in_n + iz * in_z + iy * in_y : NULL;
            const int64_t c = q % CQ * 4, g = q / CQ, channels = CG - c < 4 ? CG - c : 4;
            if (from) from += (g * CG + c) * in_c;
            int32_t *to = image + q * pc + (z % sz * sy + y % sy) * sx * plane + (z / sz * PH + y / sy) * PW;
            pack_row(sx == 1 ? to : line, from, in_c, 1, channels, IW, lo_x, width, (uint8_t)*fill);
            if (sx == 1) continue;
            int64_t whole = 0;
            if (sx == 2)
                for (; whole + LANES <= PW; whole += LANES) {
                    vi even, odd;
                    vi_unzip(vi_load(line + 2 * whole), vi_load(line + 2 * whole + LANES), &even, &odd);
                    vi_store(to + whole, even);
                    vi_store(to + plane + whole, odd);
                }
            for (int64_t p = 0; p < sx; p++)
                for (int64_t x = whole; x < PW; x++) to[p * plane + x] = line[x * sx + p];
        }
        sol_barrier(team);
        sol_split(team, chunks * G * blocks, &unit, &last);
        for (; unit < last; unit++) {
            const int64_t block = unit % blocks, g = unit / blocks % G, first = unit / blocks / G * XC;
            const int32_t *group = image + g * CQ * pc;
            const int64_t k0 = block * KB, channels = KG - k0 < KB ? KG - k0 : KB, end = places - first < XC ? places : first + XC;
            const int32_t *weights = (const int32_t *)weight + (g * blocks + block) * CQ * taps * KB;
            for (int64_t x = first; x < end; x += XV * LANES) {
                const int32_t *w = weights;
                vi a0_0 = {0}, a0_1 = {0};
                vi a1_0 = {0}, a1_1 = {0};
                vi a2_0 = {0}, a2_1 = {0};
                vi a3_0 = {0}, a3_1 = {0};
                vi a4_0 = {0}, a4_1 = {0};
                vi a5_0 = {0}, a5_1 = {0};
                vi a6_0 = {0}, a6_1 = {0};
                for (int64_t c = 0; c < CQ; c++) {
                    const int32_t *p = group + c * pc + x;
                    for (int64_t t = 0; t < taps; t++, w += KB) {
                        const int32_t *q = p + off[t];
                        const vq v0 = vq_unsigned(vi_load(q + 0 * LANES)), v1 = vq_unsigned(vi_load(q + 1 * LANES));
                        { const vq k = vq_signed(vi_set(w[0])); a0_0 = vi_dot(a0_0, v0, k); a0_1 = vi_dot(a0_1, v1, k); }
                        { const vq k = vq_signed(vi_set(w[1])); a1_0 = vi_dot(a1_0, v0, k); a1_1 = vi_dot(a1_1, v1, k); }
                        { const vq k = vq_signed(vi_set(w[2])); a2_0 = vi_dot(a2_0, v0, k); a2_1 = vi_dot(a2_1, v1, k); }
                        { const vq k = vq_signed(vi_set(w[3])); a3_0 = vi_dot(a3_0, v0, k); a3_1 = vi_dot(a3_1, v1, k); }
                        { const vq k = vq_signed(vi_set(w[4])); a4_0 = vi_dot(a4_0, v0, k); a4_1 = vi_dot(a4_1, v1, k); }
                        { const vq k = vq_signed(vi_set(w[5])); a5_0 = vi_dot(a5_0, v0, k); a5_1 = vi_dot(a5_1, v1, k); }
                        { const vq k = vq_signed(vi_set(w[6])); a6_0 = vi_dot(a6_0, v0, k); a6_1 = vi_dot(a6_1, v1, k); }
                        SOL_FENCE();
                    }
                }
vi_store(rows + 0 * XC + (x - first) + 0 * LANES, a0_0); vi_store(rows + 0 * XC + (x - first) + 1 * LANES, a0_1);
vi_store(rows + 1 * XC + (x - first) + 0 * LANES, a1_0); vi_store(rows + 1 * XC + (x - first) + 1 * LANES, a1_1);
vi_store(rows + 2 * XC + (x - first) + 0 * LANES, a2_0); vi_store(rows + 2 * XC + (x - first) + 1 * LANES, a2_1);
vi_store(rows + 3 * XC + (x - first) + 0 * LANES, a3_0); vi_store(rows + 3 * XC + (x - first) + 1 * LANES, a3_1);
vi_store(rows + 4 * XC + (x - first) + 0 * LANES, a4_0); vi_store(rows + 4 * XC + (x - first) + 1 * LANES, a4_1);
vi_store(rows + 5 * XC + (x - first) + 0 * LANES, a5_0); vi_store(rows + 5 * XC + (x - first) + 1 * LANES, a5_1);
vi_store(rows + 6 * XC + (x - first) + 0 * LANES, a6_0); vi_store(rows + 6 * XC + (x - first) + 1 * LANES, a6_1);
            }
            for (int64_t row = first / PW; row * PW < end; row++) {
                const int64_t z = row / PH, y = row % PH;
                const int64_t x0 = row * PW < first ? first - row * PW : 0, x1 = end - row * PW < W ? end - row * PW : W;
                if (y >= H || x0 >= x1) continue;
                for (int64_t j = 0; j < channels; j++) {
                    const int64_t k = g * KG + k0 + j;
                    const int32_t *from = rows + j * XC + (row * PW + x0 - first);
                    int32_t *to = out + n * out_n + k * out_c + z * out_z + y * out_y + x0 * 1;
                    for (int64_t x = 0; x < x1 - x0; x += LANES) {
                        const int some = (int)(x1 - x0 - x < LANES ? x1 - x0 - x : LANES);
                        const vi a = some == LANES ? vi_load(from + x) : vi_load_n(from + x, some);
                        const vi r = a;
                        if (some == LANES) vi_store(to + x, r);
                        else vi_store_n(to + x, r, some);
                    }
                }
            }
        }
        sol_barrier(team);
    }
}
