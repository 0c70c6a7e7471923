/* matmul_int_tiles: C[q][M][N] = A[q][M][K] * B[q][K][N] of unsigned and signed bytes, summed in int32.
 *
 * B in panels of 2 vectors, [panel][K / 4][2 * LANES][4], packed when the weights were loaded.
 *   for each of this thread's (q, panel, block of 20 rows), rows innermost:
 *     matrix tiles (AMX) of up to 16 rows by 16 columns; 64 bytes of K in each step
 * Options: 2 tiles, 0 batch dimensions. */
#include "sol_team.h"
#include "sol_int.h"
#include "sol_pack.h"
#include "sol_tiles.h"

enum { MR = 20, NV = 2, WIDTH = NV * LANES };

/* 20 rows x 2 vectors. */
static __attribute__((noinline)) void tile_20(const uint8_t *a0, int64_t pitch, const int32_t *b, int64_t K, int32_t *c, int64_t ldc, int64_t count, const sol_tiles **held, const char *next, int64_t touched)
{
    (void)pitch, (void)count;
    static const sol_tiles shape = {.palette = 1, .bytes = {64, 64, 64, 64, 64, 64, 64, 64}, .rows = {10, 10, 10, 10, 10, 10, 16, 16}};
    int32_t sums[40 * LANES] __attribute__((aligned(64)));
    SOL_TILES_HOLD(*held, shape);
SOL_TILE_ZERO(0); SOL_TILE_ZERO(1); SOL_TILE_ZERO(2); SOL_TILE_ZERO(3); 
    for (int64_t k = 0; k < K; k += 64, b += 32 * LANES) {
        for (int64_t i = 0; i < touched; i++, next += 64) __builtin_prefetch(next, 0, 2);
SOL_TILE_LOAD(6, b + 0 * LANES, 8 * LANES); SOL_TILE_LOAD(7, b + 1 * LANES, 8 * LANES); 
        SOL_TILE_LOAD(4, a0 + k, pitch);
SOL_TILE_DOT_BYTES(0, 4, 6); SOL_TILE_DOT_BYTES(1, 4, 7); 
        SOL_TILE_LOAD(5, a0 + 10 * pitch + k, pitch);
SOL_TILE_DOT_BYTES(2, 5, 6); SOL_TILE_DOT_BYTES(3, 5, 7); 
    }
SOL_TILE_STORE(0, sums + 0 * LANES, 8 * LANES); SOL_TILE_STORE(1, sums + 1 * LANES, 8 * LANES); 
SOL_TILE_STORE(2, sums + 20 * LANES, 8 * LANES); SOL_TILE_STORE(3, sums + 21 * LANES, 8 * LANES); 
    for (int64_t i = 0; i < 20; i++) {
const vi ci_0 = vi_load(sums + (i * 2 + 0) * LANES); const vi ci_1 = vi_load(sums + (i * 2 + 1) * LANES); 
        {
            vi_store(c + i * ldc + 0 * LANES, ci_0);
        }
        {
            vi_store(c + i * ldc + 1 * LANES, ci_1);
        }
    }
}

/* 20 rows x 1 vectors, count columns exist. */
static __attribute__((noinline)) void tile_20_ragged(const uint8_t *a0, int64_t pitch, const int32_t *b, int64_t K, int32_t *c, int64_t ldc, int64_t count, const sol_tiles **held, const char *next, int64_t touched)
{
    (void)pitch, (void)count;
    static const sol_tiles shape = {.palette = 1, .bytes = {64, 64, 64, 64, 64, 64, 64, 64}, .rows = {10, 10, 1, 1, 10, 10, 16, 16}};
    int32_t sums[20 * LANES] __attribute__((aligned(64)));
    SOL_TILES_HOLD(*held, shape);
SOL_TILE_ZERO(0); SOL_TILE_ZERO(1); 
    for (int64_t k = 0; k < K; k += 64, b += 16 * LANES) {
        for (int64_t i = 0; i < touched; i++, next += 64) __builtin_prefetch(next, 0, 2);
SOL_TILE_LOAD(6, b + 0 * LANES, 4 * LANES); 
        SOL_TILE_LOAD(4, a0 + k, pitch);
SOL_TILE_DOT_BYTES(0, 4, 6); 
        SOL_TILE_LOAD(5, a0 + 10 * pitch + k, pitch);
SOL_TILE_DOT_BYTES(1, 5, 6); 
    }
SOL_TILE_STORE(0, sums + 0 * LANES, 4 * LANES); 
SOL_TILE_STORE(1, sums + 10 * LANES, 4 * LANES); 
    const int n0 = sol_lanes(count, 0);
    for (int64_t i = 0; i < 20; i++) {
const vi ci_0 = vi_load(sums + (i * 1 + 0) * LANES); 
        {
            vi_store_n(c + i * ldc + 0 * LANES, ci_0, n0);
        }
    }
}

#define TILE(rows) (count < WIDTH ? tile_##rows##_ragged : tile_##rows)(a_q + m * pitch, pitch, panel, K, c_q + m * ldc, ldc, count, &held, next + (i - r) * (K / 64) * touched * 64, touched)
void matmul_int_tiles(const sol_team *team, void *const *buf, const int64_t *arg)
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
    const sol_tiles *held = 0;
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
        /* Beside each step of a tile it asks for its part of the next panel, which comes from far, if both fit the cache. Where one tile takes
         * all rows, it asks for what it loads next: a tile's load waits for fewer lines at once than are asked for so. */
        const int64_t size = steps * WIDTH * 4;
        const char *const next = (const char *)panel + (run == 1 ? 0 : size);
        const int64_t touched = run == 1 ? 2 * 16 : size < 262144 && u + run < end ? (2 * 16 + run - 1) / run : 0;
        for (int64_t i = r; i < r + run; i++) {
            const int64_t m = i * MR;
            TILE(20);
        }
    }
    SOL_TILES_END();
}
