/* matmul_gemm_pairs_bf16: C[q][M][N] = A[q][M][K] * B[q][K][N].
 *
 * B in panels of 1 vectors, [panel][K][1 * LANES], packed when the weights were loaded.
 *   for each of this thread's (q, panel, block of 1 rows), rows innermost: the panel stays in L2
 *     the whole reduction in registers
 *       1 x 1 accumulators; k in steps of the unrolled loop
 * Options: 1 tiles, 0 batch dimensions. */
#include "sol_team.h"
#include "sol_simd.h"
#include "sol_pack.h"
#include "sol_dots.h"

enum { MR = 1, NV = 1, WIDTH = NV * LANES };

/* 1 rows x 1 vectors, count columns exist. */
static __attribute__((noinline)) void tile_1_ragged(const uint16_t *a0, int64_t lda, const uint16_t *b, int64_t K, uint16_t *c, int64_t ldc, int64_t count, const char *next, int64_t touched)
{
    (void)lda, (void)count;
    const int n0 = sol_lanes(count, 0);
    int64_t k = 0;
    const int64_t stop = K;
    vf c0_0 = vf_zero();
    vf c0_0_1 = vf_zero();
    vf c0_0_2 = vf_zero();
    vf c0_0_3 = vf_zero();
    vf c0_0_4 = vf_zero();
    vf c0_0_5 = vf_zero();
    vf c0_0_6 = vf_zero();
    vf c0_0_7 = vf_zero();
    for (; k + 16 <= stop; k += 16, b += 16 * LANES) {
        {
            const vi w0 = vp_load(b + 0 * LANES);
            __builtin_prefetch(b + 0 * LANES + 4096);

            { const vi x = vp_set(a0 + k + 0); c0_0 = vp_dot(c0_0, w0, x); }
        }
        {
            const vi w0 = vp_load(b + 2 * LANES);
            __builtin_prefetch(b + 2 * LANES + 4096);

            { const vi x = vp_set(a0 + k + 2); c0_0_1 = vp_dot(c0_0_1, w0, x); }
        }
        {
            const vi w0 = vp_load(b + 4 * LANES);
            __builtin_prefetch(b + 4 * LANES + 4096);

            { const vi x = vp_set(a0 + k + 4); c0_0_2 = vp_dot(c0_0_2, w0, x); }
        }
        {
            const vi w0 = vp_load(b + 6 * LANES);
            __builtin_prefetch(b + 6 * LANES + 4096);

            { const vi x = vp_set(a0 + k + 6); c0_0_3 = vp_dot(c0_0_3, w0, x); }
        }
        {
            const vi w0 = vp_load(b + 8 * LANES);
            __builtin_prefetch(b + 8 * LANES + 4096);

            { const vi x = vp_set(a0 + k + 8); c0_0_4 = vp_dot(c0_0_4, w0, x); }
        }
        {
            const vi w0 = vp_load(b + 10 * LANES);
            __builtin_prefetch(b + 10 * LANES + 4096);

            { const vi x = vp_set(a0 + k + 10); c0_0_5 = vp_dot(c0_0_5, w0, x); }
        }
        {
            const vi w0 = vp_load(b + 12 * LANES);
            __builtin_prefetch(b + 12 * LANES + 4096);

            { const vi x = vp_set(a0 + k + 12); c0_0_6 = vp_dot(c0_0_6, w0, x); }
        }
        {
            const vi w0 = vp_load(b + 14 * LANES);
            __builtin_prefetch(b + 14 * LANES + 4096);

            { const vi x = vp_set(a0 + k + 14); c0_0_7 = vp_dot(c0_0_7, w0, x); }
        }
        for (int64_t i = 0; i < touched; i++, next += 64) __builtin_prefetch(next, 0, 2);
    }
    for (; k < stop; k += 2, b += 2 * LANES) {
        const vi w0 = vp_load(b + 0 * LANES);
        { const vi x = k + 1 < stop ? vp_set(a0 + k) : vi_set(a0[k]); c0_0 = vp_dot(c0_0, w0, x); }
    }
c0_0 += c0_0_1; 
c0_0 += c0_0_2; 
c0_0 += c0_0_3; 
c0_0 += c0_0_4; 
c0_0 += c0_0_5; 
c0_0 += c0_0_6; 
c0_0 += c0_0_7; 
    {
        vbf_result_store_n(c + 0 * ldc + 0 * LANES, c0_0, n0);
    }
}

#define TILE(rows) tile_##rows##_ragged(a_q + m * lda, lda, panel, K, c_q + m * ldc, ldc, count, next + (i - r) * steps * touched * 64, touched)
void matmul_gemm_pairs_bf16(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const uint16_t *A = buf[0];
    const uint16_t *B = buf[1];
    uint16_t *C = buf[2];
    const int64_t M = arg[0];
    const int64_t N = arg[1];
    const int64_t K = arg[2];
    const int64_t lda = arg[3];
    const int64_t ldc = arg[4];
    (void)team; (void)buf; (void)arg;
    const int64_t panels = (N + WIDTH - 1) / WIDTH, blocks = (M + MR - 1) / MR;
    const int64_t units = 1 * panels * blocks;
    int64_t active = 1 + 1 * M * N * K / 32768;
    if (active > team->size) active = team->size;
    sol_share share = sol_share_of(team, units, active);
    if (team->id >= active) return;
    for (int64_t u, end; sol_share_take(&share, &u, &end);) for (int64_t run; u < end; u += run) {
        const int64_t r = u % blocks, p = u / blocks % panels, q = u / blocks / panels;
        run = blocks - r < end - u ? blocks - r : end - u;
        const int64_t count = N - p * WIDTH;
        int64_t rest = q;
        const uint16_t *a_q = A;
        const uint16_t *b_q = B;
        uint16_t *c_q = C + p * WIDTH;
        (void)rest;
        const uint16_t *panel = b_q + p * (K + K % 2) * WIDTH;
        /* Beside each step of a tile it asks for its part of the next panel, which comes from far, if both fit the cache. */
        const int64_t steps = K / 16, size = (K + K % 2) * WIDTH * 2, lines = 16 * WIDTH * 2 / 64;
        const char *const next = (const char *)panel + size;
        const int64_t touched = run == 1 ? 0 : size < 393216 && u + run < end ? (lines + run - 1) / run : 0;
        for (int64_t i = r; i < r + run; i++) {
            const int64_t m = i * MR;
            TILE(1);
        }
    }
}
