/* matmul_int_words: C[q][M][N] = A[q][M][K] * B[q][K][N] of unsigned and signed bytes, summed in int32.
 *
 * B in panels of 2 vectors, [panel][K / 4][2 * LANES][4], packed when the weights were loaded.
 *   for each of this thread's (q, panel, block of 5 rows), rows innermost:
 *     5 x 2 accumulators; four bytes of K in each step, those of A in all lanes
 * Options: 2 tiles, 0 batch dimensions, A copied to rows of whole steps first, bytes as words, those of a panel for all rows. */
#include "sol_team.h"
#include "sol_int.h"
#include "sol_pack.h"

enum { MR = 5, NV = 2, WIDTH = NV * LANES };

/* 5 rows x 2 vectors. */
static __attribute__((noinline)) void tile_5(const uint8_t *a0, int64_t pitch, const int32_t *b, int64_t K, int32_t *c, int64_t ldc, int64_t count)
{
    (void)pitch, (void)count;
    const uint8_t *a1 = a0 + 1 * pitch;
    const uint8_t *a2 = a0 + 2 * pitch;
    const uint8_t *a3 = a0 + 3 * pitch;
    const uint8_t *a4 = a0 + 4 * pitch;
    vi c0_0 = {0}, c0_1 = {0};
    vi c1_0 = {0}, c1_1 = {0};
    vi c2_0 = {0}, c2_1 = {0};
    vi c3_0 = {0}, c3_1 = {0};
    vi c4_0 = {0}, c4_1 = {0};
    const int64_t steps = (K + 3) / 4;
    int64_t k = 0;
    for (; k < steps; k++, b += 4 * LANES) {
        {
            vi w0 = vi_load(b + 0 * LANES), w1 = vi_load(b + 1 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1);
            { vi x = vi_set(sol_dword(a0 + 8 * k)); SOL_HOLD(x); c0_0 = vi_madd(c0_0, x, w0); c0_1 = vi_madd(c0_1, x, w1); }
            { vi x = vi_set(sol_dword(a1 + 8 * k)); SOL_HOLD(x); c1_0 = vi_madd(c1_0, x, w0); c1_1 = vi_madd(c1_1, x, w1); }
            { vi x = vi_set(sol_dword(a2 + 8 * k)); SOL_HOLD(x); c2_0 = vi_madd(c2_0, x, w0); c2_1 = vi_madd(c2_1, x, w1); }
            { vi x = vi_set(sol_dword(a3 + 8 * k)); SOL_HOLD(x); c3_0 = vi_madd(c3_0, x, w0); c3_1 = vi_madd(c3_1, x, w1); }
            { vi x = vi_set(sol_dword(a4 + 8 * k)); SOL_HOLD(x); c4_0 = vi_madd(c4_0, x, w0); c4_1 = vi_madd(c4_1, x, w1); }
        }
        SOL_FENCE();
        {
            vi w0 = vi_load(b + 2 * LANES), w1 = vi_load(b + 3 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1);
            { vi x = vi_set(sol_dword(a0 + 8 * k + 4)); SOL_HOLD(x); c0_0 = vi_madd(c0_0, x, w0); c0_1 = vi_madd(c0_1, x, w1); }
            { vi x = vi_set(sol_dword(a1 + 8 * k + 4)); SOL_HOLD(x); c1_0 = vi_madd(c1_0, x, w0); c1_1 = vi_madd(c1_1, x, w1); }
            { vi x = vi_set(sol_dword(a2 + 8 * k + 4)); SOL_HOLD(x); c2_0 = vi_madd(c2_0, x, w0); c2_1 = vi_madd(c2_1, x, w1); }
            { vi x = vi_set(sol_dword(a3 + 8 * k + 4)); SOL_HOLD(x); c3_0 = vi_madd(c3_0, x, w0); c3_1 = vi_madd(c3_1, x, w1); }
            { vi x = vi_set(sol_dword(a4 + 8 * k + 4)); SOL_HOLD(x); c4_0 = vi_madd(c4_0, x, w0); c4_1 = vi_madd(c4_1, x, w1); }
        }
        SOL_FENCE();
    }
    {
        vi_store(c + 0 * ldc + 0 * LANES, c0_0);
    }
    {
        vi_store(c + 0 * ldc + 1 * LANES, c0_1);
    }
    {
        vi_store(c + 1 * ldc + 0 * LANES, c1_0);
    }
    {
        vi_store(c + 1 * ldc + 1 * LANES, c1_1);
    }
    {
        vi_store(c + 2 * ldc + 0 * LANES, c2_0);
    }
    {
        vi_store(c + 2 * ldc + 1 * LANES, c2_1);
    }
    {
        vi_store(c + 3 * ldc + 0 * LANES, c3_0);
    }
    {
        vi_store(c + 3 * ldc + 1 * LANES, c3_1);
    }
    {
        vi_store(c + 4 * ldc + 0 * LANES, c4_0);
    }
    {
        vi_store(c + 4 * ldc + 1 * LANES, c4_1);
    }
}

/* 5 rows x 1 vectors, count columns exist. */
static __attribute__((noinline)) void tile_5_ragged(const uint8_t *a0, int64_t pitch, const int32_t *b, int64_t K, int32_t *c, int64_t ldc, int64_t count)
{
    (void)pitch, (void)count;
    const uint8_t *a1 = a0 + 1 * pitch;
    const uint8_t *a2 = a0 + 2 * pitch;
    const uint8_t *a3 = a0 + 3 * pitch;
    const uint8_t *a4 = a0 + 4 * pitch;
    vi c0_0 = {0};
    vi c1_0 = {0};
    vi c2_0 = {0};
    vi c3_0 = {0};
    vi c4_0 = {0};
    const int64_t steps = (K + 3) / 4;
    int64_t k = 0;
    for (; k < steps; k++, b += 2 * LANES) {
        {
            vi w0 = vi_load(b + 0 * LANES);
            SOL_HOLD(w0);
            { vi x = vi_set(sol_dword(a0 + 8 * k)); SOL_HOLD(x); c0_0 = vi_madd(c0_0, x, w0); }
            { vi x = vi_set(sol_dword(a1 + 8 * k)); SOL_HOLD(x); c1_0 = vi_madd(c1_0, x, w0); }
            { vi x = vi_set(sol_dword(a2 + 8 * k)); SOL_HOLD(x); c2_0 = vi_madd(c2_0, x, w0); }
            { vi x = vi_set(sol_dword(a3 + 8 * k)); SOL_HOLD(x); c3_0 = vi_madd(c3_0, x, w0); }
            { vi x = vi_set(sol_dword(a4 + 8 * k)); SOL_HOLD(x); c4_0 = vi_madd(c4_0, x, w0); }
        }
        SOL_FENCE();
        {
            vi w0 = vi_load(b + 1 * LANES);
            SOL_HOLD(w0);
            { vi x = vi_set(sol_dword(a0 + 8 * k + 4)); SOL_HOLD(x); c0_0 = vi_madd(c0_0, x, w0); }
            { vi x = vi_set(sol_dword(a1 + 8 * k + 4)); SOL_HOLD(x); c1_0 = vi_madd(c1_0, x, w0); }
            { vi x = vi_set(sol_dword(a2 + 8 * k + 4)); SOL_HOLD(x); c2_0 = vi_madd(c2_0, x, w0); }
            { vi x = vi_set(sol_dword(a3 + 8 * k + 4)); SOL_HOLD(x); c3_0 = vi_madd(c3_0, x, w0); }
            { vi x = vi_set(sol_dword(a4 + 8 * k + 4)); SOL_HOLD(x); c4_0 = vi_madd(c4_0, x, w0); }
        }
        SOL_FENCE();
    }
    (void)count;
    {
        vi_store(c + 0 * ldc + 0 * LANES, c0_0);
    }
    {
        vi_store(c + 1 * ldc + 0 * LANES, c1_0);
    }
    {
        vi_store(c + 2 * ldc + 0 * LANES, c2_0);
    }
    {
        vi_store(c + 3 * ldc + 0 * LANES, c3_0);
    }
    {
        vi_store(c + 4 * ldc + 0 * LANES, c4_0);
    }
}

#define TILE(rows) (count < WIDTH ? tile_##rows##_ragged : tile_##rows)(a_q + m * pitch, pitch, panel, K, c_q + m * ldc, ldc, count)
void matmul_int_words(const sol_team *team, void *const *buf, const int64_t *arg)
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
    const int64_t units = 1 * panels * blocks, pitch = 8 * steps;
    int64_t active = 1 + 1 * M * N * K / 32768;
    if (active > team->size) active = team->size;
    uint8_t *rows_of_a = (uint8_t *)team->shared_scratch;
    {
        int64_t begin, end;
        sol_split(team, 1 * M, &begin, &end);
        for (int64_t row = begin; row < end; row++) {
            int64_t q = row / M;
            const uint8_t *from = A + row % M * lda;
            (void)q;
            uint8_t *to = rows_of_a + row * pitch;
            sol_lay_words((uint16_t *)to, from, 1, K);
        }
        sol_barrier(team);
    }
    if (team->id >= active) return;
    int32_t *const packed = (int32_t *)team->scratch, *const words = packed + 0;
    int64_t have = -1;
    const int64_t end = units * (team->id + 1) / active;
    for (int64_t u = units * team->id / active, run; u < end; u += run) {
        const int64_t r = u % blocks, p = u / blocks % panels, q = u / blocks / panels;
        run = blocks - r < end - u ? blocks - r : end - u;
        const int64_t count = N - p * WIDTH;
        int64_t rest = q;
        const uint8_t *a_q = rows_of_a + q * M * pitch;
        const int32_t *b_q = (const int32_t *)B;
        int32_t *c_q = C + p * WIDTH;
        (void)rest;
        const int32_t *panel = b_q + p * steps * WIDTH;
        if (have != u / blocks) sol_widen_rows(words, panel, steps, count < WIDTH ? 1 : NV);
        panel = words;
        have = u / blocks;
        for (int64_t i = r; i < r + run; i++) {
            const int64_t m = i * MR;
            TILE(5);
        }
    }
}
