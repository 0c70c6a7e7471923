/* matmul_int: C[q][M][N] = A[q][M][K] * B[q][K][N] of unsigned and signed bytes, summed in int32.
 *
 * B in panels of 3 vectors, [panel][K / 4][3 * LANES][4], packed when the weights were loaded.
 *   for each of this thread's (q, panel, block of 5 rows), rows innermost:
 *     5 x 3 accumulators; four bytes of K in each step, those of A in all lanes
 * Options: 1 tiles, 0 batch dimensions. */
#include "sol_team.h"
#include "sol_int.h"
#include "sol_pack.h"

enum { MR = 5, NV = 3, WIDTH = NV * LANES };

/* 5 rows x 3 vectors, count columns exist. */
static __attribute__((noinline)) void tile_5_ragged(const uint8_t *a0, int64_t pitch, const int32_t *b, int64_t K, int32_t *c, int64_t ldc, int64_t count)
{
    (void)pitch, (void)count;
    const uint8_t *a1 = a0 + 1 * pitch;
    const uint8_t *a2 = a0 + 2 * pitch;
    const uint8_t *a3 = a0 + 3 * pitch;
    const uint8_t *a4 = a0 + 4 * pitch;
    vi c0_0 = {0}, c0_1 = {0}, c0_2 = {0};
    vi c1_0 = {0}, c1_1 = {0}, c1_2 = {0};
    vi c2_0 = {0}, c2_1 = {0}, c2_2 = {0};
    vi c3_0 = {0}, c3_1 = {0}, c3_2 = {0};
    vi c4_0 = {0}, c4_1 = {0}, c4_2 = {0};
    const int64_t steps = (K + 3) / 4;
    int64_t k = 0;
    for (; k + 4 <= steps; k += 4, b += 12 * LANES) {
        {
            const vq w0 = vq_signed(vi_load(b + 0 * LANES)), w1 = vq_signed(vi_load(b + 1 * LANES)), w2 = vq_signed(vi_load(b + 2 * LANES));
__builtin_prefetch(b + 0 * LANES + 2048); __builtin_prefetch(b + 1 * LANES + 2048); __builtin_prefetch(b + 2 * LANES + 2048); 
            { const vq x = vq_spread(sol_dword(a0 + 4 * (k + 0))); c0_0 = vi_dot(c0_0, x, w0); c0_1 = vi_dot(c0_1, x, w1); c0_2 = vi_dot(c0_2, x, w2); }
            { const vq x = vq_spread(sol_dword(a1 + 4 * (k + 0))); c1_0 = vi_dot(c1_0, x, w0); c1_1 = vi_dot(c1_1, x, w1); c1_2 = vi_dot(c1_2, x, w2); }
            { const vq x = vq_spread(sol_dword(a2 + 4 * (k + 0))); c2_0 = vi_dot(c2_0, x, w0); c2_1 = vi_dot(c2_1, x, w1); c2_2 = vi_dot(c2_2, x, w2); }
            { const vq x = vq_spread(sol_dword(a3 + 4 * (k + 0))); c3_0 = vi_dot(c3_0, x, w0); c3_1 = vi_dot(c3_1, x, w1); c3_2 = vi_dot(c3_2, x, w2); }
            { const vq x = vq_spread(sol_dword(a4 + 4 * (k + 0))); c4_0 = vi_dot(c4_0, x, w0); c4_1 = vi_dot(c4_1, x, w1); c4_2 = vi_dot(c4_2, x, w2); }
        }
        SOL_FENCE();
        {
            const vq w0 = vq_signed(vi_load(b + 3 * LANES)), w1 = vq_signed(vi_load(b + 4 * LANES)), w2 = vq_signed(vi_load(b + 5 * LANES));
__builtin_prefetch(b + 3 * LANES + 2048); __builtin_prefetch(b + 4 * LANES + 2048); __builtin_prefetch(b + 5 * LANES + 2048); 
            { const vq x = vq_spread(sol_dword(a0 + 4 * (k + 1))); c0_0 = vi_dot(c0_0, x, w0); c0_1 = vi_dot(c0_1, x, w1); c0_2 = vi_dot(c0_2, x, w2); }
            { const vq x = vq_spread(sol_dword(a1 + 4 * (k + 1))); c1_0 = vi_dot(c1_0, x, w0); c1_1 = vi_dot(c1_1, x, w1); c1_2 = vi_dot(c1_2, x, w2); }
            { const vq x = vq_spread(sol_dword(a2 + 4 * (k + 1))); c2_0 = vi_dot(c2_0, x, w0); c2_1 = vi_dot(c2_1, x, w1); c2_2 = vi_dot(c2_2, x, w2); }
            { const vq x = vq_spread(sol_dword(a3 + 4 * (k + 1))); c3_0 = vi_dot(c3_0, x, w0); c3_1 = vi_dot(c3_1, x, w1); c3_2 = vi_dot(c3_2, x, w2); }
            { const vq x = vq_spread(sol_dword(a4 + 4 * (k + 1))); c4_0 = vi_dot(c4_0, x, w0); c4_1 = vi_dot(c4_1, x, w1); c4_2 = vi_dot(c4_2, x, w2); }
        }
        SOL_FENCE();
        {
            const vq w0 = vq_signed(vi_load(b + 6 * LANES)), w1 = vq_signed(vi_load(b + 7 * LANES)), w2 = vq_signed(vi_load(b + 8 * LANES));
__builtin_prefetch(b + 6 * LANES + 2048); __builtin_prefetch(b + 7 * LANES + 2048); __builtin_prefetch(b + 8 * LANES + 2048); 
            { const vq x = vq_spread(sol_dword(a0 + 4 * (k + 2))); c0_0 = vi_dot(c0_0, x, w0); c0_1 = vi_dot(c0_1, x, w1); c0_2 = vi_dot(c0_2, x, w2); }
            { const vq x = vq_spread(sol_dword(a1 + 4 * (k + 2))); c1_0 = vi_dot(c1_0, x, w0); c1_1 = vi_dot(c1_1, x, w1); c1_2 = vi_dot(c1_2, x, w2); }
            { const vq x = vq_spread(sol_dword(a2 + 4 * (k + 2))); c2_0 = vi_dot(c2_0, x, w0); c2_1 = vi_dot(c2_1, x, w1); c2_2 = vi_dot(c2_2, x, w2); }
            { const vq x = vq_spread(sol_dword(a3 + 4 * (k + 2))); c3_0 = vi_dot(c3_0, x, w0); c3_1 = vi_dot(c3_1, x, w1); c3_2 = vi_dot(c3_2, x, w2); }
            { const vq x = vq_spread(sol_dword(a4 + 4 * (k + 2))); c4_0 = vi_dot(c4_0, x, w0); c4_1 = vi_dot(c4_1, x, w1); c4_2 = vi_dot(c4_2, x, w2); }
        }
        SOL_FENCE();
        {
            const vq w0 = vq_signed(vi_load(b + 9 * LANES)), w1 = vq_signed(vi_load(b + 10 * LANES)), w2 = vq_signed(vi_load(b + 11 * LANES));
__builtin_prefetch(b + 9 * LANES + 2048); __builtin_prefetch(b + 10 * LANES + 2048); __builtin_prefetch(b + 11 * LANES + 2048); 
            { const vq x = vq_spread(sol_dword(a0 + 4 * (k + 3))); c0_0 = vi_dot(c0_0, x, w0); c0_1 = vi_dot(c0_1, x, w1); c0_2 = vi_dot(c0_2, x, w2); }
            { const vq x = vq_spread(sol_dword(a1 + 4 * (k + 3))); c1_0 = vi_dot(c1_0, x, w0); c1_1 = vi_dot(c1_1, x, w1); c1_2 = vi_dot(c1_2, x, w2); }
            { const vq x = vq_spread(sol_dword(a2 + 4 * (k + 3))); c2_0 = vi_dot(c2_0, x, w0); c2_1 = vi_dot(c2_1, x, w1); c2_2 = vi_dot(c2_2, x, w2); }
            { const vq x = vq_spread(sol_dword(a3 + 4 * (k + 3))); c3_0 = vi_dot(c3_0, x, w0); c3_1 = vi_dot(c3_1, x, w1); c3_2 = vi_dot(c3_2, x, w2); }
            { const vq x = vq_spread(sol_dword(a4 + 4 * (k + 3))); c4_0 = vi_dot(c4_0, x, w0); c4_1 = vi_dot(c4_1, x, w1); c4_2 = vi_dot(c4_2, x, w2); }
        }
        SOL_FENCE();
    }
    for (; k < steps; k++, b += 3 * LANES) {
        const vq w0 = vq_signed(vi_load(b + 0 * LANES)), w1 = vq_signed(vi_load(b + 1 * LANES)), w2 = vq_signed(vi_load(b + 2 * LANES));
        { const vq x = vq_spread(sol_dword(a0 + 4 * k)); c0_0 = vi_dot(c0_0, x, w0); c0_1 = vi_dot(c0_1, x, w1); c0_2 = vi_dot(c0_2, x, w2); }
        { const vq x = vq_spread(sol_dword(a1 + 4 * k)); c1_0 = vi_dot(c1_0, x, w0); c1_1 = vi_dot(c1_1, x, w1); c1_2 = vi_dot(c1_2, x, w2); }
        { const vq x = vq_spread(sol_dword(a2 + 4 * k)); c2_0 = vi_dot(c2_0, x, w0); c2_1 = vi_dot(c2_1, x, w1); c2_2 = vi_dot(c2_2, x, w2); }
        { const vq x = vq_spread(sol_dword(a3 + 4 * k)); c3_0 = vi_dot(c3_0, x, w0); c3_1 = vi_dot(c3_1, x, w1); c3_2 = vi_dot(c3_2, x, w2); }
        { const vq x = vq_spread(sol_dword(a4 + 4 * k)); c4_0 = vi_dot(c4_0, x, w0); c4_1 = vi_dot(c4_1, x, w1); c4_2 = vi_dot(c4_2, x, w2); }
    }
    const int n0 = sol_lanes(count, 0);
    const int n1 = sol_lanes(count, 1);
    const int n2 = sol_lanes(count, 2);
    {
        vi_store_n(c + 0 * ldc + 0 * LANES, c0_0, n0);
    }
    {
        vi_store_n(c + 0 * ldc + 1 * LANES, c0_1, n1);
    }
    {
        vi_store_n(c + 0 * ldc + 2 * LANES, c0_2, n2);
    }
    {
        vi_store_n(c + 1 * ldc + 0 * LANES, c1_0, n0);
    }
    {
        vi_store_n(c + 1 * ldc + 1 * LANES, c1_1, n1);
    }
    {
        vi_store_n(c + 1 * ldc + 2 * LANES, c1_2, n2);
    }
    {
        vi_store_n(c + 2 * ldc + 0 * LANES, c2_0, n0);
    }
    {
        vi_store_n(c + 2 * ldc + 1 * LANES, c2_1, n1);
    }
    {
        vi_store_n(c + 2 * ldc + 2 * LANES, c2_2, n2);
    }
    {
        vi_store_n(c + 3 * ldc + 0 * LANES, c3_0, n0);
    }
    {
        vi_store_n(c + 3 * ldc + 1 * LANES, c3_1, n1);
    }
    {
        vi_store_n(c + 3 * ldc + 2 * LANES, c3_2, n2);
    }
    {
        vi_store_n(c + 4 * ldc + 0 * LANES, c4_0, n0);
    }
    {
        vi_store_n(c + 4 * ldc + 1 * LANES, c4_1, n1);
    }
    {
        vi_store_n(c + 4 * ldc + 2 * LANES, c4_2, n2);
    }
}

#define TILE(rows) tile_##rows##_ragged(a_q + m * pitch, pitch, panel, K, c_q + m * ldc, ldc, count)
void matmul_int(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const uint8_t *A = buf[0];
    const int8_t *B = buf[1];
    int32_t *C = buf[2];
    const int64_t M = arg[0];
    const int64_t N = arg[1];
    const int64_t K = arg[2];
    const int64_t lda = arg[3];
    const int64_t ldc = arg[4];
    (void)team; (void)buf; (void)arg;
    const int64_t panels = (N + WIDTH - 1) / WIDTH, blocks = (M + MR - 1) / MR, steps = (K + 3) / 4;
    const int64_t units = 1 * panels * blocks, pitch = lda;
    int64_t active = 1 + 1 * M * N * K / 32768;
    if (active > team->size) active = team->size;
    if (team->id >= active) return;
    const int64_t end = units * (team->id + 1) / active;
    for (int64_t u = units * team->id / active, run; u < end; u += run) {
        const int64_t r = u % blocks, p = u / blocks % panels, q = u / blocks / panels;
        run = blocks - r < end - u ? blocks - r : end - u;
        const int64_t count = N - p * WIDTH;
        int64_t rest = q;
        const uint8_t *a_q = A;
        const int32_t *b_q = (const int32_t *)B;
        int32_t *c_q = C + p * WIDTH;
        (void)rest;
        const int32_t *panel = b_q + p * steps * WIDTH;
        for (int64_t i = r; i < r + run; i++) {
            const int64_t m = i * MR;
            TILE(5);
        }
    }
}
