/* conv_weight_depthwise: gradient of a depthwise convolution for its weights; blocked operands, row-major result.
 *
 *   out[c, r, s] = sum over n, y, x of grad[n, c, y, x] * in[n, c, y * sy + r * dy - py, x * sx + s * dx - px]
 *
 *   block of channels, part of the images             (split over the team)
 *     image, row, 3 row(s) of the filter: their taps' sums over the row in registers; added to those in memory
 *   sums of all parts, always in the same order -> result      (split over the team)
 *
 * Beyond the image, rows of the input are a row of zeros. Columns where a tap reads beyond it are computed tap by tap. */
#include "sol_team.h"
#include "sol_simd.h"

enum { S = 3 };

/* Columns all of whose taps read the image: grad at g, rows of the input at x. */
static __attribute__((noinline)) void row_3(float *sums, const float *g, const float *const *x, int64_t sx, int64_t dx, int64_t columns)
{
    vf a0_0 = {0}, a0_1 = {0}, a0_2 = {0}, a1_0 = {0}, a1_1 = {0}, a1_2 = {0}, a2_0 = {0}, a2_1 = {0}, a2_2 = {0};
    const float *x0 = x[0], *x1 = x[1], *x2 = x[2];
    for (; columns; columns--, g += LANES) {
        const vf v = vf_load(g);
a0_0 += v * vf_load(x0); a0_1 += v * vf_load(x0 + dx); a0_2 += v * vf_load(x0 + 2 * dx); x0 += sx;
a1_0 += v * vf_load(x1); a1_1 += v * vf_load(x1 + dx); a1_2 += v * vf_load(x1 + 2 * dx); x1 += sx;
a2_0 += v * vf_load(x2); a2_1 += v * vf_load(x2 + dx); a2_2 += v * vf_load(x2 + 2 * dx); x2 += sx;
    }
    vf_store(sums + 0 * LANES, vf_load(sums + 0 * LANES) + a0_0);
    vf_store(sums + 1 * LANES, vf_load(sums + 1 * LANES) + a0_1);
    vf_store(sums + 2 * LANES, vf_load(sums + 2 * LANES) + a0_2);
    vf_store(sums + 3 * LANES, vf_load(sums + 3 * LANES) + a1_0);
    vf_store(sums + 4 * LANES, vf_load(sums + 4 * LANES) + a1_1);
    vf_store(sums + 5 * LANES, vf_load(sums + 5 * LANES) + a1_2);
    vf_store(sums + 6 * LANES, vf_load(sums + 6 * LANES) + a2_0);
    vf_store(sums + 7 * LANES, vf_load(sums + 7 * LANES) + a2_1);
    vf_store(sums + 8 * LANES, vf_load(sums + 8 * LANES) + a2_2);
}

/* Columns x0 … x1 - 1 at the border: the taps that read the image. */
static void border(float *sums, const float *g, const float *const *rows, int64_t height, int64_t x0, int64_t x1, int64_t sx, int64_t dx, int64_t px, int64_t W)
{
    for (int64_t x = x0; x < x1; x++)
        for (int64_t s = 0; s < S; s++) {
            const int64_t from = x * sx + s * dx - px;
            if (from < 0 || from >= W) continue;
            const vf v = vf_load(g + x * LANES);
            for (int64_t i = 0; i < height; i++) {
                float *sum = sums + (i * S + s) * LANES;
                vf_store(sum, vf_load(sum) + v * vf_load(rows[i] + from * LANES));
            }
        }
}

void conv_weight_depthwise(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    const float *grad = buf[1];
    float *out = buf[2];
    const int64_t N = arg[0];
    const int64_t H = arg[1];
    const int64_t W = arg[2];
    const int64_t OH = arg[3];
    const int64_t OW = arg[4];
    const int64_t R = arg[5];
    const int64_t sy = arg[6];
    const int64_t sx = arg[7];
    const int64_t dy = arg[8];
    const int64_t dx = arg[9];
    const int64_t py = arg[10];
    const int64_t px = arg[11];
    const int64_t C = arg[12];
    const int64_t blocks = arg[13];
    const int64_t parts = arg[14];
    const int64_t out_n = arg[15];
    const int64_t in_n = arg[16];
    const int64_t in_c = arg[17];
    const int64_t in_row = arg[18];
    const int64_t grad_n = arg[19];
    const int64_t grad_c = arg[20];
    const int64_t grad_row = arg[21];
    (void)team; (void)buf; (void)arg;
    float *shared = (float *)team->shared_scratch, *zeros = (float *)team->scratch;
    const int64_t taps = R * S, size = taps * LANES, last_pixel = W - 1 + px - (S - 1) * dx;
    int64_t inner = px > 0 ? (px + sx - 1) / sx : 0, outer = last_pixel < 0 ? 0 : last_pixel / sx + 1;
    if (outer > OW) outer = OW;
    if (inner >= outer) inner = outer = OW; /* all columns are at the border */
    memset(zeros, 0, (size_t)(W * LANES) * sizeof *zeros);
    int64_t job, end;
    for (sol_share share = sol_share_of(team, blocks * parts, team->size); sol_share_take(&share, &job, &end);) for (; job < end; job++) {
        const int64_t part = job % parts, block = job / parts;
        float *sums = shared + (part * blocks + block) * size;
        memset(sums, 0, (size_t)size * sizeof *sums);
        for (int64_t n = N * part / parts; n < N * (part + 1) / parts; n++) {
            const float *map = in + n * in_n + block * in_c;
            for (int64_t y = 0; y < OH; y++) {
                const float *g = grad + n * grad_n + block * grad_c + y * grad_row;
                for (int64_t r = 0; r < R; r += 3) {
                    const int64_t height = R - r < 3 ? R - r : 3;
                    const float *rows[3], *moved[3];
                    int64_t there = 0;
                    for (int64_t i = 0; i < height; i++) {
                        const int64_t from = y * sy + (r + i) * dy - py;
                        there += from >= 0 && from < H;
                        rows[i] = from >= 0 && from < H ? map + from * in_row : zeros;
                        moved[i] = rows[i] + (inner * sx - px) * LANES;
                    }
                    if (!there) continue;
                    float *to = sums + r * S * LANES;
                    border(to, g, rows, height, 0, inner, sx, dx, px, W);
                    if (inner < outer) {
                        row_3(to, g + inner * LANES, moved, sx * LANES, dx * LANES, outer - inner);
                    }
                    border(to, g, rows, height, outer, OW, sx, dx, px, W);
                }
            }
        }
    }
    sol_barrier(team);
    for (sol_split(team, blocks, &job, &end); job < end; job++) {
        for (int64_t tap = 0; tap < taps; tap++) {
            const float *sums = shared + job * size + tap * LANES;
            vf sum = vf_load(sums);
            for (int64_t part = 1; part < parts; part++) sum += vf_load(sums + part * blocks * size);
            float lanes[LANES];
            vf_store(lanes, sum);
            for (int64_t c = job * LANES, i = 0; i < LANES && c < C; c++, i++) out[c * out_n + tap] = lanes[i];
        }
    }
}
