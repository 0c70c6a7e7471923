/* conv_plain: convolution of row-major values, float: any group width, stride, dilation, padding and strides in memory.
 *
 *   for n:
 *     copy the image into common memory: zero-padded, rows and columns sorted by their position modulo the strides, so that the inputs of
 *     one tap for neighbouring outputs are neighbours, also from one row of PW columns to the next          (rows split over the team)
 *     barrier
 *     for block of RB output rows, for chunk of XC columns, for group g, for 8 output channel(s):                (split over the team)
 *       for tile of 2 vectors along the rows of the block, one behind the other:   8 x 2 accumulators in registers
 *         for input channel c of the group, for tap t:  2 unit-stride loads, 8 broadcast weights
 *       pointwise tail over the finished rows, store
 *     barrier
 *
 * off[t], woff[t]: where tap t reads the copy and the weights, which are packed as [g][block][c][tap][8]. All sizes, strides and options are arguments.
 */
#include "sol_simd.h"
#include "sol_team.h"
#include "sol_pack.h"

enum { VL = 4 * LANES / (int)sizeof(float), XV = 2, KB = 8 };
typedef float vt __attribute__((vector_size(4 * LANES), may_alias));
typedef float vt_unaligned __attribute__((vector_size(4 * LANES), aligned(sizeof(float)), may_alias));

/* One input row as FX rows of PW columns, planes apart: column q of row p is input column q * FX + p - lo, zero where there is none. */
static void copy_row(float *to, const float *from, int64_t step, int64_t size, int64_t lo, int64_t FX, int64_t PW, int64_t plane)
{
    for (int64_t p = 0; p < FX; p++, to += plane) {
        if (!from) {
            memset(to, 0, (size_t)PW * sizeof *to);
            continue;
        }
        int64_t q = 0, column = p - lo;
        for (; q < PW && column < 0; q++, column += FX) to[q] = 0;
        if (step == 1 && FX == 1) {
            const int64_t n = size - column < PW - q ? size - column : PW - q;
            if (n > 0) {
                memcpy(to + q, from + column, (size_t)n * sizeof *to);
                q += n;
            }
        } else {
            for (; q < PW && column < size; q++, column += FX) to[q] = from[column * step];
        }
        for (; q < PW; q++) to[q] = 0;
    }
}


void conv_plain(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    const float *weight = buf[1];
    float *out = buf[2];
    const int64_t N = arg[0];
    const int64_t C = arg[1];
    const int64_t G = arg[2];
    const int64_t XC = arg[3];
    const int64_t RB = arg[4];
    const int64_t ID = arg[5];
    const int64_t IH = arg[6];
    const int64_t IW = arg[7];
    const int64_t D = arg[8];
    const int64_t H = arg[9];
    const int64_t W = arg[10];
    const int64_t RW = arg[11];
    const int64_t KD = arg[12];
    const int64_t R = arg[13];
    const int64_t S = arg[14];
    const int64_t FX = arg[15];
    const int64_t FY = arg[16];
    const int64_t CG = arg[17];
    const int64_t KG = arg[18];
    const int64_t PD = arg[19];
    const int64_t PH = arg[20];
    const int64_t PW = arg[21];
    const int64_t sz = arg[22];
    const int64_t dz = arg[23];
    const int64_t dy = arg[24];
    const int64_t dx = arg[25];
    const int64_t lo_z = arg[26];
    const int64_t lo_y = arg[27];
    const int64_t lo_x = arg[28];
    const int64_t in_n = arg[29];
    const int64_t in_c = arg[30];
    const int64_t in_z = arg[31];
    const int64_t in_y = arg[32];
    const int64_t in_x = arg[33];
    const int64_t out_n = arg[34];
    const int64_t out_c = arg[35];
    const int64_t out_z = arg[36];
    const int64_t out_y = arg[37];
    (void)team; (void)buf; (void)arg;
    float *image = (float *)team->common;
    int64_t *off = (int64_t *)team->scratch, *woff = off + KD * R * S;
    float *rows = (float *)(((uintptr_t)(woff + KD * R * S) + 63) / 64 * 64);
    const int64_t plane = PH * PW, pz = FY * FX * plane, pc = PD * pz;
    const int64_t chunks = (W + XC - 1) / XC, blocks = (KG + KB - 1) / KB;
    int64_t taps = 0;
    for (int64_t z = 0; z < KD; z++)
        for (int64_t r = 0; r < R; r++)
            for (int64_t s = 0; s < S; s++, taps++) {
                off[taps] = z * dz * pz + (r * dy % FY * FX + s * dx % FX) * plane + r * dy / FY * PW + s * dx / FX;
                woff[taps] = taps;
            }
    const int64_t stacks = (H + RB - 1) / RB;
    for (int64_t n = 0; n < N; n++) {
        int64_t unit, last;
        sol_split(team, C * PD * FY * PH, &unit, &last);
        for (; unit < last; unit++) {
            const int64_t row = unit % PH, fy = unit / PH % FY, c = unit / PH / FY / PD, z = unit / PH / FY % PD - lo_z, y = row * FY + fy - lo_y;
            const float *from = z >= 0 && z < ID && y >= 0 && y < IH ? in + n * in_n + c * in_c + z * in_z + y * in_y : NULL;
            copy_row(image + (unit / PH * FX) * plane + row * PW, from, in_x, IW, lo_x, FX, PW, plane);
        }
        sol_barrier(team);
        sol_split(team, D * stacks * chunks * G * blocks, &unit, &last);
        for (; unit < last; unit++) {
            const int64_t block = unit % blocks, g = unit / blocks % G, stack = unit / blocks / G / chunks % stacks;
            const int64_t left = unit / blocks / G % chunks * XC, z = unit / blocks / G / chunks / stacks;
            const int64_t columns = W - left < XC ? W - left : XC;
            const int64_t k0 = block * KB, channels = KG - k0 < KB ? KG - k0 : KB;
            /* Channels beyond the last one of the group are not stored. */
            const float *const w = weight + (g * blocks + block) * CG * KD * R * S * KB;
            const float b0 = 0;
            const float b1 = 0;
            const float b2 = 0;
            const float b3 = 0;
            const float b4 = 0;
            const float b5 = 0;
            const float b6 = 0;
            const float b7 = 0;
            const int64_t first = stack * RB, count = H - first < RB ? H - first : RB, apart = 1;
            const float *base = image + g * CG * pc + z * sz * pz + first * PW + left;
            const int64_t width = (count - 1) * PW + columns;
            for (int64_t x = 0; x < width; x += XV * VL) {
                const int64_t stop = CG;
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
                    const float *p = base + c * pc + x;
                    for (int64_t t = 0; t < taps; t++) {
                        const float *q = p + off[t];
                        const float *u = w + (c * KD * R * S + woff[t]) * KB;
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
                *(vt_unaligned *)(rows + 0 * RW + x + 0 * VL) = a0_0;
                *(vt_unaligned *)(rows + 0 * RW + x + 1 * VL) = a0_1;
                *(vt_unaligned *)(rows + 1 * RW + x + 0 * VL) = a1_0;
                *(vt_unaligned *)(rows + 1 * RW + x + 1 * VL) = a1_1;
                *(vt_unaligned *)(rows + 2 * RW + x + 0 * VL) = a2_0;
                *(vt_unaligned *)(rows + 2 * RW + x + 1 * VL) = a2_1;
                *(vt_unaligned *)(rows + 3 * RW + x + 0 * VL) = a3_0;
                *(vt_unaligned *)(rows + 3 * RW + x + 1 * VL) = a3_1;
                *(vt_unaligned *)(rows + 4 * RW + x + 0 * VL) = a4_0;
                *(vt_unaligned *)(rows + 4 * RW + x + 1 * VL) = a4_1;
                *(vt_unaligned *)(rows + 5 * RW + x + 0 * VL) = a5_0;
                *(vt_unaligned *)(rows + 5 * RW + x + 1 * VL) = a5_1;
                *(vt_unaligned *)(rows + 6 * RW + x + 0 * VL) = a6_0;
                *(vt_unaligned *)(rows + 6 * RW + x + 1 * VL) = a6_1;
                *(vt_unaligned *)(rows + 7 * RW + x + 0 * VL) = a7_0;
                *(vt_unaligned *)(rows + 7 * RW + x + 1 * VL) = a7_1;
            }
            for (int64_t j = 0; j < channels; j++)
                for (int64_t i = 0; i < count; i++) {
                    const int64_t k = g * KG + k0 + j, y = first + i * apart;
                    const float *from = rows + j * RW + i * PW;
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
        sol_barrier(team);
    }
}
