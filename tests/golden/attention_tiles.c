/* attention_tiles: out = softmax(q k^T * scale + mask) v for every head, by matrix tiles (AMX).
 *
 * Each number of float32 is the sum of three of bfloat16 (sol_parts.h); six products of parts make one of float32.
 *   for each of this thread's (head, ``high`` queries); a thread lays k and v out for tiles once per head of keys it meets
 *     lay the queries out
 *     for each slice of 128 keys: for each 32 queries
 *       scores = q k^T, two by two tiles at a time
 *       mask, exp(scores - the largest so far), laid out for tiles; sums and results so far are scaled where the largest grew
 *       results += those v
 *     divide by the sums
 * Options: 1 batch dimensions, mask bool. A row that attends to nothing gives zeros.
 * M. Milakov and N. Gimelshein, Online normalizer calculation for softmax, 2018; T. Dao et al., FlashAttention, 2022. */
#include "sol_team.h"
#include "sol_parts.h"
#include "sol_tiles.h"

enum { WIDTH = 2 * SOL_SIDE, BLOCK = WIDTH * WIDTH, STEPS = 4, SLICE = STEPS * SOL_STEP, DEPTH = 60, DEPTHS = (DEPTH + SOL_STEP - 1) / SOL_STEP };
enum { EACH = 3, FEATURES = 60, PANELS = (FEATURES + WIDTH - 1) / WIDTH, TILES = (FEATURES + SOL_SIDE - 1) / SOL_SIDE };
typedef uint8_t mask_number;
/* sums[row][32] = the product of a block of rows by 1 tiles and a panel of 1 over up to four steps of 32: first of all small parts, then of the
 * large ones, which alone are rounded as float32 is. No loop: tiles that were multiplied by mistake behind its end would cost time. */
static __attribute__((noinline)) void multiply_1x1(float *sums, const uint16_t *a, const uint16_t *b, int64_t steps)
{
    enum { A = 1 * SOL_TILE, B = 1 * SOL_TILE };
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
static __attribute__((noinline)) void multiply_1x2(float *sums, const uint16_t *a, const uint16_t *b, int64_t steps)
{
    enum { A = 1 * SOL_TILE, B = 2 * SOL_TILE };
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
static __attribute__((noinline)) void multiply_2x1(float *sums, const uint16_t *a, const uint16_t *b, int64_t steps)
{
    enum { A = 2 * SOL_TILE, B = 1 * SOL_TILE };
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
 * large ones, which alone are rounded as float32 is. No loop: tiles that were multiplied by mistake behind its end would cost time. */
static __attribute__((noinline)) void multiply_2x2(float *sums, const uint16_t *a, const uint16_t *b, int64_t steps)
{
    enum { A = 2 * SOL_TILE, B = 2 * SOL_TILE };
SOL_TILE_ZERO(0); SOL_TILE_ZERO(1); SOL_TILE_ZERO(2); SOL_TILE_ZERO(3); 
    a -= (STEPS - steps) * 3 * A;
    b -= (STEPS - steps) * 3 * B;
    switch (steps) {
    case STEPS - 0:
SOL_TILE_LOAD(4, a + 2 * A, 64); SOL_TILE_LOAD(5, a + 2 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 0 * B, 64); SOL_TILE_LOAD(7, b + 0 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        SOL_TILE_DOT(2, 5, 6);
        SOL_TILE_DOT(3, 5, 7);
SOL_TILE_LOAD(4, a + 1 * A, 64); SOL_TILE_LOAD(5, a + 1 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        SOL_TILE_DOT(2, 5, 6);
        SOL_TILE_DOT(3, 5, 7);
SOL_TILE_LOAD(6, b + 1 * B, 64); SOL_TILE_LOAD(7, b + 1 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        SOL_TILE_DOT(2, 5, 6);
        SOL_TILE_DOT(3, 5, 7);
SOL_TILE_LOAD(4, a + 0 * A, 64); SOL_TILE_LOAD(5, a + 0 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        SOL_TILE_DOT(2, 5, 6);
        SOL_TILE_DOT(3, 5, 7);
SOL_TILE_LOAD(6, b + 2 * B, 64); SOL_TILE_LOAD(7, b + 2 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        SOL_TILE_DOT(2, 5, 6);
        SOL_TILE_DOT(3, 5, 7);
        __attribute__((fallthrough));
    case STEPS - 1:
SOL_TILE_LOAD(4, a + 5 * A, 64); SOL_TILE_LOAD(5, a + 5 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 3 * B, 64); SOL_TILE_LOAD(7, b + 3 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        SOL_TILE_DOT(2, 5, 6);
        SOL_TILE_DOT(3, 5, 7);
SOL_TILE_LOAD(4, a + 4 * A, 64); SOL_TILE_LOAD(5, a + 4 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        SOL_TILE_DOT(2, 5, 6);
        SOL_TILE_DOT(3, 5, 7);
SOL_TILE_LOAD(6, b + 4 * B, 64); SOL_TILE_LOAD(7, b + 4 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        SOL_TILE_DOT(2, 5, 6);
        SOL_TILE_DOT(3, 5, 7);
SOL_TILE_LOAD(4, a + 3 * A, 64); SOL_TILE_LOAD(5, a + 3 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        SOL_TILE_DOT(2, 5, 6);
        SOL_TILE_DOT(3, 5, 7);
SOL_TILE_LOAD(6, b + 5 * B, 64); SOL_TILE_LOAD(7, b + 5 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        SOL_TILE_DOT(2, 5, 6);
        SOL_TILE_DOT(3, 5, 7);
        __attribute__((fallthrough));
    case STEPS - 2:
SOL_TILE_LOAD(4, a + 8 * A, 64); SOL_TILE_LOAD(5, a + 8 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 6 * B, 64); SOL_TILE_LOAD(7, b + 6 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        SOL_TILE_DOT(2, 5, 6);
        SOL_TILE_DOT(3, 5, 7);
SOL_TILE_LOAD(4, a + 7 * A, 64); SOL_TILE_LOAD(5, a + 7 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        SOL_TILE_DOT(2, 5, 6);
        SOL_TILE_DOT(3, 5, 7);
SOL_TILE_LOAD(6, b + 7 * B, 64); SOL_TILE_LOAD(7, b + 7 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        SOL_TILE_DOT(2, 5, 6);
        SOL_TILE_DOT(3, 5, 7);
SOL_TILE_LOAD(4, a + 6 * A, 64); SOL_TILE_LOAD(5, a + 6 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        SOL_TILE_DOT(2, 5, 6);
        SOL_TILE_DOT(3, 5, 7);
SOL_TILE_LOAD(6, b + 8 * B, 64); SOL_TILE_LOAD(7, b + 8 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        SOL_TILE_DOT(2, 5, 6);
        SOL_TILE_DOT(3, 5, 7);
        __attribute__((fallthrough));
    case STEPS - 3:
SOL_TILE_LOAD(4, a + 11 * A, 64); SOL_TILE_LOAD(5, a + 11 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 9 * B, 64); SOL_TILE_LOAD(7, b + 9 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        SOL_TILE_DOT(2, 5, 6);
        SOL_TILE_DOT(3, 5, 7);
SOL_TILE_LOAD(4, a + 10 * A, 64); SOL_TILE_LOAD(5, a + 10 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        SOL_TILE_DOT(2, 5, 6);
        SOL_TILE_DOT(3, 5, 7);
SOL_TILE_LOAD(6, b + 10 * B, 64); SOL_TILE_LOAD(7, b + 10 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        SOL_TILE_DOT(2, 5, 6);
        SOL_TILE_DOT(3, 5, 7);
SOL_TILE_LOAD(4, a + 9 * A, 64); SOL_TILE_LOAD(5, a + 9 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        SOL_TILE_DOT(2, 5, 6);
        SOL_TILE_DOT(3, 5, 7);
SOL_TILE_LOAD(6, b + 11 * B, 64); SOL_TILE_LOAD(7, b + 11 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        SOL_TILE_DOT(2, 5, 6);
        SOL_TILE_DOT(3, 5, 7);
        break;
    }
    switch (steps) {
    case STEPS - 0:
SOL_TILE_LOAD(4, a + 0 * A, 64); SOL_TILE_LOAD(5, a + 0 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 0 * B, 64); SOL_TILE_LOAD(7, b + 0 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        SOL_TILE_DOT(2, 5, 6);
        SOL_TILE_DOT(3, 5, 7);
        __attribute__((fallthrough));
    case STEPS - 1:
SOL_TILE_LOAD(4, a + 3 * A, 64); SOL_TILE_LOAD(5, a + 3 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 3 * B, 64); SOL_TILE_LOAD(7, b + 3 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        SOL_TILE_DOT(2, 5, 6);
        SOL_TILE_DOT(3, 5, 7);
        __attribute__((fallthrough));
    case STEPS - 2:
SOL_TILE_LOAD(4, a + 6 * A, 64); SOL_TILE_LOAD(5, a + 6 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 6 * B, 64); SOL_TILE_LOAD(7, b + 6 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        SOL_TILE_DOT(2, 5, 6);
        SOL_TILE_DOT(3, 5, 7);
        __attribute__((fallthrough));
    case STEPS - 3:
SOL_TILE_LOAD(4, a + 9 * A, 64); SOL_TILE_LOAD(5, a + 9 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 9 * B, 64); SOL_TILE_LOAD(7, b + 9 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        SOL_TILE_DOT(2, 5, 6);
        SOL_TILE_DOT(3, 5, 7);
        break;
    }
SOL_TILE_STORE(0, sums + 0 * SOL_SIDE * WIDTH + 0 * SOL_SIDE, 4 * WIDTH); SOL_TILE_STORE(1, sums + 0 * SOL_SIDE * WIDTH + 1 * SOL_SIDE, 4 * WIDTH); SOL_TILE_STORE(2, sums + 1 * SOL_SIDE * WIDTH + 0 * SOL_SIDE, 4 * WIDTH); SOL_TILE_STORE(3, sums + 1 * SOL_SIDE * WIDTH + 1 * SOL_SIDE, 4 * WIDTH); 
}

/* sums[32][32] of a block of rows and a panel of columns over steps of 32. */
SOL_INLINE void multiply(float *sums, const uint16_t *a, const uint16_t *b, int64_t steps, int64_t rows, int64_t columns)
{
    if (rows > SOL_SIDE && columns > SOL_SIDE) multiply_2x2(sums, a, b, steps);
    else if (rows > SOL_SIDE) multiply_2x1(sums, a, b, steps);
    else if (columns > SOL_SIDE) multiply_1x2(sums, a, b, steps);
    else multiply_1x1(sums, a, b, steps);
}

/* What is known of the softmax of 32 queries: the largest scores, sums of exp(score - largest), and by what results so far are multiplied. */
typedef struct {
    float top[WIDTH], sum[WIDTH], factor[WIDTH];
} softmax;

SOL_INLINE vf max_pair(vf a, vf b)
{
    vf low, high;
    vf_zip(a, b, &low, &high);
    return vf_max_quiet(low, high);
}
/* Scores of 16 keys with what the mask says of them; ``left`` keys exist. */
SOL_INLINE vf masked(vf x, const mask_number *mask, int64_t stride, int64_t left)
{
    const int n = sol_lanes(left, 0);
    vi keep = {0};
    if (stride == 1 && n == LANES) keep = vi_load_bytes(mask) != 0;
    else
        for (int i = 0; i < n; i++) keep[i] = -(mask[i * stride] != 0);
    return vf_select(keep, x, x + vf_set(-INFINITY)); /* NaN stays NaN, as in torch */
}
/* Scores of ``rows`` queries and ``count`` keys -> weights, laid out for tiles. edge: query i sees the first limit + i keys at most. */
SOL_INLINE void weigh_any(float *scores, uint16_t *weights, softmax *state, int64_t rows, int64_t count, int64_t limit, int first, int edge, const mask_number *mask, int64_t mask_l, int64_t mask_s)
{
    const int64_t tiles = rows > SOL_SIDE ? 2 : 1, blocks = (count + SOL_STEP - 1) / SOL_STEP;
    const vf scale = vf_set(0.125f);
    (void)limit;
    for (int64_t i = 0; i < rows; i += 4) {
        float *const x = scores + i * WIDTH;
        vf top[4];
        for (int r = 0; r < 4; r++) {
            top[r] = vf_set(-INFINITY);
            const mask_number *const m = mask + (i + r < rows ? i + r : rows - 1) * mask_l;
            for (int64_t b = 0; b < blocks; b++)
                for (int j = 0; j < 2; j++) {
                    float *const at = x + b * BLOCK + r * WIDTH + j * SOL_SIDE;
                    const int64_t key = b * SOL_STEP + j * SOL_SIDE;
                    vf y = vf_load(at) * scale;
                    y = masked(y, m + key * mask_s, mask_s, count - key);
                    if (edge) {
                        const int64_t seen = count;
                        y = vf_select(vi_first(seen - key), y, vf_set(-INFINITY));
                    }
                    if (edge || 1) vf_store(at, y);
                    top[r] = vf_max_quiet(y, top[r]);
                }
        }
        vf most = max_pair(max_pair(top[0], top[2]), max_pair(top[1], top[3]));
#pragma GCC unroll 4
        for (int n = LANES / 2; n >= 4; n /= 2) most = vf_max_quiet(most, vf_rotated(most, n));
        vf factor = vf_zero();
        if (!first) {
            const vf before = vf_load_n(state->top + i, 4);
            most = vf_max_quiet(before, most);
            factor = vf_exp_below(before - vf_select(most == -INFINITY, vf_zero(), most));
        }
        vf_store_n(state->top + i, most, 4);
        most = vf_select(most == -INFINITY, vf_zero(), most);
        vf sum[4];
        uint16_t *const to = weights + i / SOL_SIDE * SOL_TILE + i % SOL_SIDE * 2 * SOL_SIDE;
        for (int r = 0; r < 4; r++) {
            const vf base = vf_set(most[r]);
            sum[r] = vf_zero();
            for (int64_t b = 0; b < blocks; b++) {
                const float *const at = x + b * BLOCK + r * WIDTH;
                vf low = vf_load(at), high = vf_load(at + SOL_SIDE);
                if (!(edge || 1)) low *= scale, high *= scale;
                low = vf_exp_below(low - base), high = vf_exp_below(high - base);
                sum[r] += low + high;
                const sol_row row[2] = {(sol_row)low, (sol_row)high};
                sol_parts_row(to + b * SOL_PARTS * tiles * SOL_TILE + r * 2 * SOL_SIDE, tiles * SOL_TILE, row, row + 1);
            }
        }
        vf found = sol_sums4(sum[0], sum[1], sum[2], sum[3]);
        if (!first) found += vf_load_n(state->sum + i, 4) * factor;
        vf_store_n(state->factor + i, factor, 4);
        vf_store_n(state->sum + i, found, 4);
    }
}
static __attribute__((noinline)) void weigh(float *scores, uint16_t *weights, softmax *state, int64_t rows, int first, const mask_number *mask, int64_t mask_l, int64_t mask_s)
{
    weigh_any(scores, weights, state, rows, SLICE, 0, first, 0, mask, mask_l, mask_s);
}
static __attribute__((noinline)) void weigh_edge(float *scores, uint16_t *weights, softmax *state, int64_t rows, int64_t count, int64_t limit, int first, const mask_number *mask, int64_t mask_l, int64_t mask_s)
{
    weigh_any(scores, weights, state, rows, count, limit, first, 1, mask, mask_l, mask_s);
}

/* Results so far, scaled, and those of one more slice. */
static __attribute__((noinline)) void join(float *sums, const float *more, const softmax *state, int64_t rows, int64_t columns)
{
    for (int64_t i = 0; i < rows; i++) {
        const vf factor = vf_set(state->factor[i]);
        for (int64_t j = 0; j < columns; j += LANES) vf_store(sums + i * WIDTH + j, vf_load(sums + i * WIDTH + j) * factor + vf_load(more + i * WIDTH + j));
    }
}

/* Sums divided by those of the weights; whether all are finite. */
static __attribute__((noinline)) int finish(const float *sums, const softmax *state, int64_t rows, float *out, int64_t ldo)
{
    vf zero = vf_zero();
    for (int64_t i = 0; i < rows; i++) {
        const vf factor = vf_set(state->sum[i] == 0 ? 0 : 1 / state->sum[i]);
        for (int64_t j = 0; j < FEATURES; j += LANES) {
            const vf y = vf_load(sums + j / WIDTH * BLOCK + i * WIDTH + j % WIDTH) * factor;
            if (FEATURES - j >= LANES) vf_store(out + i * ldo + j, y);
            else vf_store_n(out + i * ldo + j, y, (int)(FEATURES - j));
            zero += y * 0.0f; /* beyond the features, sums of zeros */
        }
    }
    return vf_sum(zero) == 0;
}

/* One query's result, multiply-add by multiply-add: of infinities, whose parts would be subtracted from each other, and of NaN. */
static __attribute__((noinline)) void attend_again(const float *q, const float *k, int64_t k_s, int64_t k_e, const float *v, int64_t v_s, int64_t v_e, int64_t q_e, int64_t S, float *out, const mask_number *mask, int64_t mask_s)
{
    float top = -INFINITY, total = 0;
    vf sums[TILES];
    for (int t = 0; t < TILES; t++) sums[t] = vf_zero();
    for (int pass = 0; pass < 2; pass++)
        for (int64_t s = 0; s < S; s++) {
            float score = 0;
            for (int64_t e = 0; e < DEPTH; e++) score += q[e * q_e] * k[s * k_s + e * k_e];
            score *= 0.125f;
            score += mask[s * mask_s] ? 0 : -INFINITY;
            if (!pass) {
                top = score > top ? score : top;
                continue;
            }
            const float weight = vf_exp_below(vf_set(score - (top == -INFINITY ? 0 : top)))[0];
            total += weight;
            for (int t = 0; t < TILES; t++) sums[t] += sol_load_strided(v + s * v_s + t * LANES * v_e, v_e, sol_lanes(FEATURES, t)) * weight;
        }
    for (int t = 0; t < TILES; t++) vf_store_n(out + t * LANES, sums[t] * (total == 0 ? 0 : 1 / total), sol_lanes(FEATURES, t));
}
void attention_tiles(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *Q = buf[0];
    const float *K = buf[1];
    const float *VALUE = buf[2];
    const uint8_t *MASK = buf[3];
    float *OUT = buf[4];
    const int64_t L = arg[0];
    const int64_t S = arg[1];
    const int64_t Q_l = arg[2];
    const int64_t K_s = arg[3];
    const int64_t K_e = arg[4];
    const int64_t VALUE_s = arg[5];
    const int64_t VALUE_e = arg[6];
    const int64_t OUT_l = arg[7];
    const int64_t MASK_l = arg[8];
    const int64_t MASK_s = arg[9];
    const int64_t B0 = arg[10];
    const int64_t Q_0 = arg[11];
    const int64_t K_0 = arg[12];
    const int64_t VALUE_0 = arg[13];
    const int64_t OUT_0 = arg[14];
    const int64_t MASK_0 = arg[15];
    const int64_t high = arg[16];
    (void)team; (void)buf; (void)arg;
    static const sol_tiles shape = {.palette = 1, .bytes = {64, 64, 64, 64, 64, 64, 64, 64}, .rows = {16, 16, 16, 16, 16, 16, 16, 16}};
    const int64_t blocks = (L + high - 1) / high, units = B0 * blocks, steps = (S + SOL_STEP - 1) / SOL_STEP;
    int64_t active = 1 + units * high * S * (DEPTH + FEATURES) / 32768;
    if (active > team->size) active = team->size;
    sol_share share = sol_share_of(team, units, active);
    if (team->id >= active) return;
    float *const scores = (float *)team->scratch, *const partial = scores + STEPS * BLOCK, *const results = partial + BLOCK;
    softmax *const states = (softmax *)(results + high / WIDTH * PANELS * BLOCK);
    uint16_t *const weights = (uint16_t *)(states + high / WIDTH), *const queries = weights + STEPS * EACH * 2 * SOL_TILE;
    uint16_t *const keys = queries + high / SOL_SIDE * DEPTHS * EACH * SOL_TILE, *const values = keys + 2 * steps * DEPTHS * EACH * SOL_TILE;
    const float *packed_keys = NULL, *packed_values = NULL;
    SOL_TILES_BEGIN(shape);
    for (int64_t u, end; sol_share_take(&share, &u, &end);) for (; u < end; u++) {
        const int64_t l0 = u % blocks * high, height = L - l0 < high ? L - l0 : high;
        int64_t rest = u / blocks;
        const float *q = Q + l0 * Q_l, *k = K, *v = VALUE;
        float *out = OUT + l0 * OUT_l;
        const mask_number *m = MASK + l0 * MASK_l;
        {
            const int64_t i = rest % B0;
            rest /= B0;
            q += i * Q_0; k += i * K_0; v += i * VALUE_0; out += i * OUT_0; m += i * MASK_0;
        }
        (void)rest;
        if (packed_keys != k || packed_values != v) {
            sol_parts_right(keys, k, K_e, K_s, DEPTH, S);
            for (int64_t s = 0; s < S; s += SLICE)
                sol_parts_right(values + s / SOL_STEP * TILES * EACH * SOL_TILE, v + s * VALUE_s, VALUE_s, VALUE_e, S - s < SLICE ? S - s : SLICE, FEATURES);
            packed_keys = k;
            packed_values = v;
        }
        sol_parts_left(queries, q, Q_l, 1, height, DEPTH);
        const int64_t reach = S;
        for (int64_t s0 = 0; s0 < reach; s0 += SLICE)
            for (int64_t i = 0; i * WIDTH < height; i++) {
                const int64_t rows = height - i * WIDTH < WIDTH ? height - i * WIDTH : WIDTH;
                const int64_t limit = S - s0;
                const int64_t whole = S - s0 < SLICE ? S - s0 : SLICE;
                const int64_t count = whole;
                for (int64_t p = 0; p * WIDTH < count; p++)
                    multiply(scores + p * BLOCK, queries + 2 * i * DEPTHS * EACH * SOL_TILE, keys + 2 * (s0 / SOL_STEP + p) * DEPTHS * EACH * SOL_TILE, DEPTHS, rows, S - s0 - p * WIDTH);
                softmax *const state = states + i;
                if (limit >= SLICE && count == SLICE) weigh(scores, weights, state, rows, s0 == 0, m + i * WIDTH * MASK_l + s0 * MASK_s, MASK_l, MASK_s);
                else weigh_edge(scores, weights, state, rows, count, limit, s0 == 0, m + i * WIDTH * MASK_l + s0 * MASK_s, MASK_l, MASK_s);
                const uint16_t *const from = values + s0 / SOL_STEP * TILES * EACH * SOL_TILE;
                const int64_t panel = 2 * ((whole + SOL_STEP - 1) / SOL_STEP) * EACH * SOL_TILE;
                for (int64_t p = 0; p < PANELS; p++) {
                    const int64_t columns = FEATURES - p * WIDTH < WIDTH ? FEATURES - p * WIDTH : WIDTH;
                    float *const sums = results + (i * PANELS + p) * BLOCK;
                    multiply(s0 ? partial : sums, weights, from + p * panel, (count + SOL_STEP - 1) / SOL_STEP, rows, columns);
                    if (s0) join(sums, partial, state, rows, columns);
                }
            }
        for (int64_t i = 0; i * WIDTH < height; i++) {
            const int64_t rows = height - i * WIDTH < WIDTH ? height - i * WIDTH : WIDTH;
            if (finish(results + i * PANELS * BLOCK, states + i, rows, out + i * WIDTH * OUT_l, OUT_l)) continue;
            for (int64_t r = i * WIDTH; r < i * WIDTH + rows; r++) {
                const int64_t seen = S;
                attend_again(q + r * Q_l, k, K_s, K_e, v, VALUE_s, VALUE_e, 1, seen, out + r * OUT_l, m + r * MASK_l, MASK_s);
            }
        }
    }
    SOL_TILES_END();
}
