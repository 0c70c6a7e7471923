/* matmul_split: C[q][M][N] = A[q][M][K] * B[q][K][N], then add, by matrix tiles (AMX).
 *
 * Each number of float32 is the sum of three of bfloat16 (sol_parts.h); six products of parts make one of float32.
 *   for each of this thread's (q, columns of ``wide`` panels, ``high`` rows): for each slice of the reduction
 *     take the panels' numbers apart, unless the last rows had them
 *     for each ``chunk`` rows: take them apart, unless the last columns had them
 *       panel of 32 columns, block of 32 rows: two by two tiles of sums, which join those of the slices before
 *       after the last slice: what is not finite is computed again as float32, then the results
 * Options: 0 batch dimensions. */
#include "sol_team.h"
#include "sol_parts.h"
#include "sol_tiles.h"
enum { WIDTH = 2 * SOL_SIDE, BLOCK = WIDTH * WIDTH, STEPS = 4, SLICE = STEPS * SOL_STEP };
#define PARTS(p, k0) sol_parts_at(b_q, N, K, STEPS, p, k0) /* panel p from step k0 on */
/* sums[row][32] = the product of a block of rows by 1 tiles and a panel of 1 over up to four steps of 32: first of all small parts, then of the
 * large ones, which alone are rounded as float32 is. No loop: tiles that were multiplied by mistake behind its end would cost time. */
static __attribute__((noinline)) void multiply_1x1(float *sums, const uint16_t *a, const uint16_t *b, int64_t steps, const char *weights, int64_t weights_step)
{
    enum { A = 1 * SOL_TILE, B = 1 * SOL_TILE };
(void)weights, (void)weights_step;
SOL_TILE_ZERO(0); 
    a -= (STEPS - steps) * 3 * A;
    b -= (STEPS - steps) * 3 * B;
    switch (steps) {
    case STEPS - 0:
SOL_TILE_LOAD(4, a + 2 * A, 64); SOL_TILE_LOAD(6, b + 0 * B, 64); 
        SOL_TILE_DOT(0, 4, 6);
SOL_TILE_LOAD(4, a + 1 * A, 64); 
        SOL_TILE_DOT(0, 4, 6);
SOL_TILE_LOAD(6, b + 1 * B, 64); 
        SOL_TILE_DOT(0, 4, 6);
SOL_TILE_LOAD(4, a + 0 * A, 64); 
        SOL_TILE_DOT(0, 4, 6);
SOL_TILE_LOAD(6, b + 2 * B, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __attribute__((fallthrough));
    case STEPS - 1:
SOL_TILE_LOAD(4, a + 5 * A, 64); SOL_TILE_LOAD(6, b + 3 * B, 64); 
        SOL_TILE_DOT(0, 4, 6);
SOL_TILE_LOAD(4, a + 4 * A, 64); 
        SOL_TILE_DOT(0, 4, 6);
SOL_TILE_LOAD(6, b + 4 * B, 64); 
        SOL_TILE_DOT(0, 4, 6);
SOL_TILE_LOAD(4, a + 3 * A, 64); 
        SOL_TILE_DOT(0, 4, 6);
SOL_TILE_LOAD(6, b + 5 * B, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __attribute__((fallthrough));
    case STEPS - 2:
SOL_TILE_LOAD(4, a + 8 * A, 64); SOL_TILE_LOAD(6, b + 6 * B, 64); 
        SOL_TILE_DOT(0, 4, 6);
SOL_TILE_LOAD(4, a + 7 * A, 64); 
        SOL_TILE_DOT(0, 4, 6);
SOL_TILE_LOAD(6, b + 7 * B, 64); 
        SOL_TILE_DOT(0, 4, 6);
SOL_TILE_LOAD(4, a + 6 * A, 64); 
        SOL_TILE_DOT(0, 4, 6);
SOL_TILE_LOAD(6, b + 8 * B, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __attribute__((fallthrough));
    case STEPS - 3:
SOL_TILE_LOAD(4, a + 11 * A, 64); SOL_TILE_LOAD(6, b + 9 * B, 64); 
        SOL_TILE_DOT(0, 4, 6);
SOL_TILE_LOAD(4, a + 10 * A, 64); 
        SOL_TILE_DOT(0, 4, 6);
SOL_TILE_LOAD(6, b + 10 * B, 64); 
        SOL_TILE_DOT(0, 4, 6);
SOL_TILE_LOAD(4, a + 9 * A, 64); 
        SOL_TILE_DOT(0, 4, 6);
SOL_TILE_LOAD(6, b + 11 * B, 64); 
        SOL_TILE_DOT(0, 4, 6);
        break;
    }
    switch (steps) {
    case STEPS - 0:
SOL_TILE_LOAD(4, a + 0 * A, 64); SOL_TILE_LOAD(6, b + 0 * B, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __attribute__((fallthrough));
    case STEPS - 1:
SOL_TILE_LOAD(4, a + 3 * A, 64); SOL_TILE_LOAD(6, b + 3 * B, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __attribute__((fallthrough));
    case STEPS - 2:
SOL_TILE_LOAD(4, a + 6 * A, 64); SOL_TILE_LOAD(6, b + 6 * B, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __attribute__((fallthrough));
    case STEPS - 3:
SOL_TILE_LOAD(4, a + 9 * A, 64); SOL_TILE_LOAD(6, b + 9 * B, 64); 
        SOL_TILE_DOT(0, 4, 6);
        break;
    }
SOL_TILE_STORE(0, sums + 0 * SOL_SIDE * WIDTH + 0 * SOL_SIDE, 4 * WIDTH); 
}

/* sums[row][32] = the product of a block of rows by 1 tiles and a panel of 2 over up to four steps of 32: first of all small parts, then of the
 * large ones, which alone are rounded as float32 is. No loop: tiles that were multiplied by mistake behind its end would cost time. */
static __attribute__((noinline)) void multiply_1x2(float *sums, const uint16_t *a, const uint16_t *b, int64_t steps, const char *weights, int64_t weights_step)
{
    enum { A = 1 * SOL_TILE, B = 2 * SOL_TILE };
(void)weights, (void)weights_step;
SOL_TILE_ZERO(0); SOL_TILE_ZERO(1); 
    a -= (STEPS - steps) * 3 * A;
    b -= (STEPS - steps) * 3 * B;
    switch (steps) {
    case STEPS - 0:
SOL_TILE_LOAD(4, a + 2 * A, 64); SOL_TILE_LOAD(6, b + 0 * B, 64); SOL_TILE_LOAD(7, b + 0 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
SOL_TILE_LOAD(4, a + 1 * A, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
SOL_TILE_LOAD(6, b + 1 * B, 64); SOL_TILE_LOAD(7, b + 1 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
SOL_TILE_LOAD(4, a + 0 * A, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
SOL_TILE_LOAD(6, b + 2 * B, 64); SOL_TILE_LOAD(7, b + 2 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        __attribute__((fallthrough));
    case STEPS - 1:
SOL_TILE_LOAD(4, a + 5 * A, 64); SOL_TILE_LOAD(6, b + 3 * B, 64); SOL_TILE_LOAD(7, b + 3 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
SOL_TILE_LOAD(4, a + 4 * A, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
SOL_TILE_LOAD(6, b + 4 * B, 64); SOL_TILE_LOAD(7, b + 4 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
SOL_TILE_LOAD(4, a + 3 * A, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
SOL_TILE_LOAD(6, b + 5 * B, 64); SOL_TILE_LOAD(7, b + 5 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        __attribute__((fallthrough));
    case STEPS - 2:
SOL_TILE_LOAD(4, a + 8 * A, 64); SOL_TILE_LOAD(6, b + 6 * B, 64); SOL_TILE_LOAD(7, b + 6 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
SOL_TILE_LOAD(4, a + 7 * A, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
SOL_TILE_LOAD(6, b + 7 * B, 64); SOL_TILE_LOAD(7, b + 7 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
SOL_TILE_LOAD(4, a + 6 * A, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
SOL_TILE_LOAD(6, b + 8 * B, 64); SOL_TILE_LOAD(7, b + 8 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        __attribute__((fallthrough));
    case STEPS - 3:
SOL_TILE_LOAD(4, a + 11 * A, 64); SOL_TILE_LOAD(6, b + 9 * B, 64); SOL_TILE_LOAD(7, b + 9 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
SOL_TILE_LOAD(4, a + 10 * A, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
SOL_TILE_LOAD(6, b + 10 * B, 64); SOL_TILE_LOAD(7, b + 10 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
SOL_TILE_LOAD(4, a + 9 * A, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
SOL_TILE_LOAD(6, b + 11 * B, 64); SOL_TILE_LOAD(7, b + 11 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        break;
    }
    switch (steps) {
    case STEPS - 0:
SOL_TILE_LOAD(4, a + 0 * A, 64); SOL_TILE_LOAD(6, b + 0 * B, 64); SOL_TILE_LOAD(7, b + 0 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        __attribute__((fallthrough));
    case STEPS - 1:
SOL_TILE_LOAD(4, a + 3 * A, 64); SOL_TILE_LOAD(6, b + 3 * B, 64); SOL_TILE_LOAD(7, b + 3 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        __attribute__((fallthrough));
    case STEPS - 2:
SOL_TILE_LOAD(4, a + 6 * A, 64); SOL_TILE_LOAD(6, b + 6 * B, 64); SOL_TILE_LOAD(7, b + 6 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        __attribute__((fallthrough));
    case STEPS - 3:
SOL_TILE_LOAD(4, a + 9 * A, 64); SOL_TILE_LOAD(6, b + 9 * B, 64); SOL_TILE_LOAD(7, b + 9 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        break;
    }
SOL_TILE_STORE(0, sums + 0 * SOL_SIDE * WIDTH + 0 * SOL_SIDE, 4 * WIDTH); SOL_TILE_STORE(1, sums + 0 * SOL_SIDE * WIDTH + 1 * SOL_SIDE, 4 * WIDTH); 
}

/* sums[row][32] = the product of a block of rows by 2 tiles and a panel of 1 over up to four steps of 32: first of all small parts, then of the
 * large ones, which alone are rounded as float32 is. No loop: tiles that were multiplied by mistake behind its end would cost time. */
static __attribute__((noinline)) void multiply_2x1(float *sums, const uint16_t *a, const uint16_t *b, int64_t steps, const char *weights, int64_t weights_step)
{
    enum { A = 2 * SOL_TILE, B = 1 * SOL_TILE };
(void)weights, (void)weights_step;
SOL_TILE_ZERO(0); SOL_TILE_ZERO(2); 
    a -= (STEPS - steps) * 3 * A;
    b -= (STEPS - steps) * 3 * B;
    switch (steps) {
    case STEPS - 0:
SOL_TILE_LOAD(4, a + 2 * A, 64); SOL_TILE_LOAD(5, a + 2 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 0 * B, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(2, 5, 6);
SOL_TILE_LOAD(4, a + 1 * A, 64); SOL_TILE_LOAD(5, a + 1 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(2, 5, 6);
SOL_TILE_LOAD(6, b + 1 * B, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(2, 5, 6);
SOL_TILE_LOAD(4, a + 0 * A, 64); SOL_TILE_LOAD(5, a + 0 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(2, 5, 6);
SOL_TILE_LOAD(6, b + 2 * B, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(2, 5, 6);
        __attribute__((fallthrough));
    case STEPS - 1:
SOL_TILE_LOAD(4, a + 5 * A, 64); SOL_TILE_LOAD(5, a + 5 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 3 * B, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(2, 5, 6);
SOL_TILE_LOAD(4, a + 4 * A, 64); SOL_TILE_LOAD(5, a + 4 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(2, 5, 6);
SOL_TILE_LOAD(6, b + 4 * B, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(2, 5, 6);
SOL_TILE_LOAD(4, a + 3 * A, 64); SOL_TILE_LOAD(5, a + 3 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(2, 5, 6);
SOL_TILE_LOAD(6, b + 5 * B, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(2, 5, 6);
        __attribute__((fallthrough));
    case STEPS - 2:
SOL_TILE_LOAD(4, a + 8 * A, 64); SOL_TILE_LOAD(5, a + 8 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 6 * B, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(2, 5, 6);
SOL_TILE_LOAD(4, a + 7 * A, 64); SOL_TILE_LOAD(5, a + 7 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(2, 5, 6);
SOL_TILE_LOAD(6, b + 7 * B, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(2, 5, 6);
SOL_TILE_LOAD(4, a + 6 * A, 64); SOL_TILE_LOAD(5, a + 6 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(2, 5, 6);
SOL_TILE_LOAD(6, b + 8 * B, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(2, 5, 6);
        __attribute__((fallthrough));
    case STEPS - 3:
SOL_TILE_LOAD(4, a + 11 * A, 64); SOL_TILE_LOAD(5, a + 11 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 9 * B, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(2, 5, 6);
SOL_TILE_LOAD(4, a + 10 * A, 64); SOL_TILE_LOAD(5, a + 10 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(2, 5, 6);
SOL_TILE_LOAD(6, b + 10 * B, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(2, 5, 6);
SOL_TILE_LOAD(4, a + 9 * A, 64); SOL_TILE_LOAD(5, a + 9 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(2, 5, 6);
SOL_TILE_LOAD(6, b + 11 * B, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(2, 5, 6);
        break;
    }
    switch (steps) {
    case STEPS - 0:
SOL_TILE_LOAD(4, a + 0 * A, 64); SOL_TILE_LOAD(5, a + 0 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 0 * B, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(2, 5, 6);
        __attribute__((fallthrough));
    case STEPS - 1:
SOL_TILE_LOAD(4, a + 3 * A, 64); SOL_TILE_LOAD(5, a + 3 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 3 * B, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(2, 5, 6);
        __attribute__((fallthrough));
    case STEPS - 2:
SOL_TILE_LOAD(4, a + 6 * A, 64); SOL_TILE_LOAD(5, a + 6 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 6 * B, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(2, 5, 6);
        __attribute__((fallthrough));
    case STEPS - 3:
SOL_TILE_LOAD(4, a + 9 * A, 64); SOL_TILE_LOAD(5, a + 9 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 9 * B, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(2, 5, 6);
        break;
    }
SOL_TILE_STORE(0, sums + 0 * SOL_SIDE * WIDTH + 0 * SOL_SIDE, 4 * WIDTH); SOL_TILE_STORE(2, sums + 1 * SOL_SIDE * WIDTH + 0 * SOL_SIDE, 4 * WIDTH); 
}

/* sums[row][32] = the product of a block of rows by 2 tiles and a panel of 2 over up to four steps of 32: first of all small parts, then of the
 * large ones, which alone are rounded as float32 is. Beside each product of parts cache lines are asked for: up to 8 of weights. No loop: tiles that were multiplied by mistake behind its end would cost time. */
static __attribute__((noinline)) void multiply_2x2(float *sums, const uint16_t *a, const uint16_t *b, int64_t steps, const char *weights, int64_t weights_step)
{
    enum { A = 2 * SOL_TILE, B = 2 * SOL_TILE };
SOL_TILE_ZERO(0); SOL_TILE_ZERO(1); SOL_TILE_ZERO(2); SOL_TILE_ZERO(3); 
    a -= (STEPS - steps) * 3 * A;
    b -= (STEPS - steps) * 3 * B;
    switch (steps) {
    case STEPS - 0:
SOL_TILE_LOAD(4, a + 2 * A, 64); SOL_TILE_LOAD(5, a + 2 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 0 * B, 64); SOL_TILE_LOAD(7, b + 0 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
SOL_TILE_LOAD(4, a + 1 * A, 64); SOL_TILE_LOAD(5, a + 1 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
SOL_TILE_LOAD(6, b + 1 * B, 64); SOL_TILE_LOAD(7, b + 1 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
SOL_TILE_LOAD(4, a + 0 * A, 64); SOL_TILE_LOAD(5, a + 0 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
SOL_TILE_LOAD(6, b + 2 * B, 64); SOL_TILE_LOAD(7, b + 2 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
        __attribute__((fallthrough));
    case STEPS - 1:
SOL_TILE_LOAD(4, a + 5 * A, 64); SOL_TILE_LOAD(5, a + 5 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 3 * B, 64); SOL_TILE_LOAD(7, b + 3 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
SOL_TILE_LOAD(4, a + 4 * A, 64); SOL_TILE_LOAD(5, a + 4 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
SOL_TILE_LOAD(6, b + 4 * B, 64); SOL_TILE_LOAD(7, b + 4 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
SOL_TILE_LOAD(4, a + 3 * A, 64); SOL_TILE_LOAD(5, a + 3 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
SOL_TILE_LOAD(6, b + 5 * B, 64); SOL_TILE_LOAD(7, b + 5 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
        __attribute__((fallthrough));
    case STEPS - 2:
SOL_TILE_LOAD(4, a + 8 * A, 64); SOL_TILE_LOAD(5, a + 8 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 6 * B, 64); SOL_TILE_LOAD(7, b + 6 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
SOL_TILE_LOAD(4, a + 7 * A, 64); SOL_TILE_LOAD(5, a + 7 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
SOL_TILE_LOAD(6, b + 7 * B, 64); SOL_TILE_LOAD(7, b + 7 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
SOL_TILE_LOAD(4, a + 6 * A, 64); SOL_TILE_LOAD(5, a + 6 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
SOL_TILE_LOAD(6, b + 8 * B, 64); SOL_TILE_LOAD(7, b + 8 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
        __attribute__((fallthrough));
    case STEPS - 3:
SOL_TILE_LOAD(4, a + 11 * A, 64); SOL_TILE_LOAD(5, a + 11 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 9 * B, 64); SOL_TILE_LOAD(7, b + 9 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
SOL_TILE_LOAD(4, a + 10 * A, 64); SOL_TILE_LOAD(5, a + 10 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
SOL_TILE_LOAD(6, b + 10 * B, 64); SOL_TILE_LOAD(7, b + 10 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
SOL_TILE_LOAD(4, a + 9 * A, 64); SOL_TILE_LOAD(5, a + 9 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
SOL_TILE_LOAD(6, b + 11 * B, 64); SOL_TILE_LOAD(7, b + 11 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
        break;
    }
    switch (steps) {
    case STEPS - 0:
SOL_TILE_LOAD(4, a + 0 * A, 64); SOL_TILE_LOAD(5, a + 0 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 0 * B, 64); SOL_TILE_LOAD(7, b + 0 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
        __attribute__((fallthrough));
    case STEPS - 1:
SOL_TILE_LOAD(4, a + 3 * A, 64); SOL_TILE_LOAD(5, a + 3 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 3 * B, 64); SOL_TILE_LOAD(7, b + 3 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
        __attribute__((fallthrough));
    case STEPS - 2:
SOL_TILE_LOAD(4, a + 6 * A, 64); SOL_TILE_LOAD(5, a + 6 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 6 * B, 64); SOL_TILE_LOAD(7, b + 6 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
        __attribute__((fallthrough));
    case STEPS - 3:
SOL_TILE_LOAD(4, a + 9 * A, 64); SOL_TILE_LOAD(5, a + 9 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 9 * B, 64); SOL_TILE_LOAD(7, b + 9 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
        break;
    }
SOL_TILE_STORE(0, sums + 0 * SOL_SIDE * WIDTH + 0 * SOL_SIDE, 4 * WIDTH); SOL_TILE_STORE(1, sums + 0 * SOL_SIDE * WIDTH + 1 * SOL_SIDE, 4 * WIDTH); SOL_TILE_STORE(2, sums + 1 * SOL_SIDE * WIDTH + 0 * SOL_SIDE, 4 * WIDTH); SOL_TILE_STORE(3, sums + 1 * SOL_SIDE * WIDTH + 1 * SOL_SIDE, 4 * WIDTH); 
}

/* to += from, of so many rows. */
SOL_INLINE void add(float *to, const float *from, int64_t rows)
{
    for (int64_t i = 0; i < rows * WIDTH; i += LANES) vf_store(to + i, vf_load(to + i) + vf_load(from + i));
}

/* Whether all sums of so many rows are finite. */
static int are_finite(const float *sums, int64_t rows, int64_t count)
{
    vf zero = vf_zero();
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < WIDTH && j < count; j += LANES) zero += vf_load(sums + i * WIDTH + j) * 0.0f;
    return vf_sum(zero) == 0;
}

/* The same sums, multiply-add by multiply-add: of infinities, whose parts would be subtracted from each other, and of NaN. */
static __attribute__((noinline)) void multiply_again(float *sums, int64_t rows, const float *a, int64_t lda, int64_t a_k, int64_t p, const float *parts, int64_t N, int64_t K)
{
    for (int64_t i = 0; i < rows; i++, a += lda)
        for (int64_t j = 0; j < 2 && p * WIDTH + j * SOL_SIDE < N; j++) {
            vf sum = vf_zero();
            for (int64_t k = 0; k < K; k++) sum += sol_parts_joined(parts, N, K, STEPS, p, j, k) * a[k * a_k];
            vf_store(sums + i * WIDTH + j * LANES, sum);
        }
}
/* Sums of so many rows -> results. */
static __attribute__((noinline)) void finish(const float *sums, int64_t rows, const float *e0, int64_t e0_m, float *c, int64_t ldc, int64_t count)
{
    (void)count;
    for (int64_t i = 0; i < rows; i++) {
const vf ci_0 = vf_load(sums + i * WIDTH + 0 * LANES); const vf ci_1 = vf_load(sums + i * WIDTH + 1 * LANES); 
        {
            const vf ti_0_0 = vf_load(e0 + i * e0_m + 0 * LANES);
            const vf ti_0_1 = ci_0 + ti_0_0;
            vf_store(c + i * ldc + 0 * LANES, ti_0_1);
        }
        {
            const vf ti_1_0 = vf_load(e0 + i * e0_m + 1 * LANES);
            const vf ti_1_1 = ci_1 + ti_1_0;
            vf_store(c + i * ldc + 1 * LANES, ti_1_1);
        }
    }
}

/* Sums of so many rows -> results, count columns. */
static __attribute__((noinline)) void finish_ragged(const float *sums, int64_t rows, const float *e0, int64_t e0_m, float *c, int64_t ldc, int64_t count)
{
    (void)count;
    const int n0 = sol_lanes(count, 0);
    for (int64_t i = 0; i < rows; i++) {
const vf ci_0 = vf_load(sums + i * WIDTH + 0 * LANES); 
        {
            const vf ti_0_0 = vf_load_n(e0 + i * e0_m + 0 * LANES, n0);
            const vf ti_0_1 = ci_0 + ti_0_0;
            vf_store_n(c + i * ldc + 0 * LANES, ti_0_1, n0);
        }
    }
}

void matmul_split(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *A = buf[0];
    const float *B = buf[1];
    const float *e0 = buf[2];
    float *C = buf[3];
    const int64_t M = arg[0];
    const int64_t N = arg[1];
    const int64_t K = arg[2];
    const int64_t lda = arg[3];
    const int64_t ldc = arg[4];
    const int64_t e0_m = arg[5];
    const int64_t high = arg[6];
    const int64_t chunk = arg[7];
    const int64_t wide = arg[8];
    const int64_t ahead = arg[9];
    (void)team; (void)buf; (void)arg;
    static const sol_tiles shape = {.palette = 1, .bytes = {64, 64, 64, 64, 64, 64, 64, 64}, .rows = {16, 16, 16, 16, 16, 16, 16, 16}};
    const int64_t panels = (N + WIDTH - 1) / WIDTH, across = (panels + wide - 1) / wide, down = (M + high - 1) / high;
    const int64_t units = 1 * across * down;
    int64_t active = 1 + 1 * M * N * K / 32768;
    if (active > team->size) active = team->size;
    sol_share share = sol_share_of(team, units, active);
    if (team->id >= active) return;
    float *const partial = (float *)team->scratch;
    float *const kept = partial + BLOCK;
    uint16_t *const packed_a = (uint16_t *)(kept + (SLICE < K ? wide * ((high + WIDTH - 1) / WIDTH) : 0) * BLOCK);
    int64_t have_a = -1;
    SOL_TILES_BEGIN(shape);
    for (int64_t u, end; sol_share_take(&share, &u, &end);) for (; u < end; u++) {
        const int64_t top = u % down * high, first = u / down % across * wide;
        const int64_t bottom = top + high < M ? top + high : M, p_end = first + wide < panels ? first + wide : panels;
int64_t rest = u / down / across;
        const float *a_q = A;
        const float *b_q = B;
        float *c_q0 = C;
        const float *e0_q0 = e0;
        (void)rest;
        for (int64_t k0 = 0, kc; k0 < K; k0 += kc) {
            kc = K - k0 < SLICE ? K - k0 : SLICE;
            const int64_t steps = (kc + SOL_STEP - 1) / SOL_STEP;
            const int last = k0 + kc == K;
            for (int64_t m0 = top; m0 < bottom; m0 += chunk) {
                const int64_t height = bottom - m0 < chunk ? bottom - m0 : chunk, blocks = (height + WIDTH - 1) / WIDTH;
                if (SLICE < K || have_a != u / down / across * M + m0) sol_parts_left(packed_a, a_q + m0 * lda + k0 * 1, lda, 1, height, kc);
                have_a = u / down / across * M + m0;
                for (int64_t p = first; p < p_end; p++) {
                    const int64_t count = N - p * WIDTH;
                    const uint16_t *const panel = PARTS(p, k0);
                    float *c_q = c_q0 + p * WIDTH;
                    const float *e0_q = e0_q0 + p * WIDTH;
                    for (int64_t i = 0; i < blocks; i++) {
                        const int64_t m = m0 + i * WIDTH, rows = bottom - m < WIDTH ? bottom - m : WIDTH;
                        const uint16_t *block = packed_a + i * sol_parts_size(WIDTH, kc);
                        const char *weights = (const char *)(p + 1 < p_end ? PARTS(p + 1, k0) : last ? PARTS(p + 1, 0) : PARTS(first, k0 + kc)) + i * 1536 * ahead;
float *const before = kept + ((m - top) / WIDTH * wide + p - first) * BLOCK, *const sums = k0 || last ? partial : before;
                        if (rows > SOL_SIDE && count > SOL_SIDE) multiply_2x2(sums, block, panel, steps, weights, 8 * ahead);
                        else if (rows > SOL_SIDE) multiply_2x1(sums, block, panel, steps, weights, 8 * ahead);
                        else if (count > SOL_SIDE) multiply_1x2(sums, block, panel, steps, weights, 8 * ahead);
                        else multiply_1x1(sums, block, panel, steps, weights, 8 * ahead);
                        if (k0 && last) add(sums, before, rows);
                        else if (k0) add(before, sums, rows);
                        if (!last) continue;
                        if (!are_finite(sums, rows, count))
                            multiply_again(sums, rows, a_q + m * lda, lda, 1, p, b_q, N, K);
                        (count < WIDTH ? finish_ragged : finish)(sums, rows, e0_q + m * e0_m, e0_m, c_q + m * ldc, ldc, count);
                    }
                }
            }
        }
    }
    SOL_TILES_END();
}
