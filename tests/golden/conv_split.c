/* 1x1 convolution, NCHWc -> NCHWc, then relu, by matrix tiles (AMX).
 *
 * out[n, k, y, x] = epilogue(bias[k] + sum over c of w[k, c] * in[n, c, y * stride_y, x * 1])
 *
 * A product of matrices: rows are the pixels of all images, columns the output channels. Each number of float32 is the sum of three of bfloat16
 * (sol_parts.h); six products of parts make one of float32.
 *   for each of this thread's (columns of ``wide`` panels, ``high`` pixels): for each slice of the input channels
 *     take the weights of the panels apart, unless the last pixels had them
 *     for each ``chunk`` pixels: take them apart, unless the last panels had them
 *       panel of 32 output channels, block of 32 pixels: two by two tiles of sums, which join those of the slices before
 *       after the last slice: what is not finite is computed again as float32, then the epilogue
 *
 * w: parts, [slice][panel][step of 32 channels][part][tile][16][16 pairs]. */
#include "sol_team.h"
#include "sol_parts.h"
#include "sol_tiles.h"

enum { WIDTH = 2 * SOL_SIDE, BLOCK = WIDTH * WIDTH, STEPS = 4, SLICE = STEPS * SOL_STEP };
#define PARTS(p, k0) sol_parts_at(c->w, N, K, STEPS, p, k0) /* panel p from step k0 on */
typedef struct conv {
    const float *in;
    const float *w;
    float *out;
    int64_t N, OH, OW, vectors, channels, turns, in_n, in_cb, in_row, in_start, high, chunk, wide, ahead, out_n, out_cb;
    int64_t out_row;
} conv;

/* A pixel of the map, of all images. */
typedef struct {
    int64_t n, y, x;
} place;

static inline place place_of(const conv *c, int64_t p)
{
    return (place){p / (c->OH * c->OW), p / c->OW % c->OH, p % c->OW};
}

static inline const float *input_at(const conv *c, place p)
{
    return c->in + p.n * c->in_n + p.y * c->in_row + p.x * 1 * LANES;
}

static inline float *result_at(const conv *c, place p, int64_t kb)
{
    return c->out + kb * c->out_cb + p.n * c->out_n + p.y * c->out_row + p.x * LANES;
}

/* What is soon taken apart of pixel p from channel k on, so many blocks of channels further. A hint: it may not exist. */
static inline const char *ahead_of(const conv *c, int64_t p, int64_t k, int64_t block)
{
    return (const char *)(input_at(c, place_of(c, p)) + (k / LANES + block) * c->in_cb);
}

static inline void advance(const conv *c, place *p)
{
    if (++p->x < c->OW) return;
    p->x = 0;
    if (++p->y < c->OH) return;
    p->y = 0, p->n++;
}

/* sums[row][32] = the product of a block of rows by 1 tiles and a panel of 1 over up to four steps of 32: first of all small parts, then of the
 * large ones, which alone are rounded as float32 is. No loop: tiles that were multiplied by mistake behind its end would cost time. */
static __attribute__((noinline)) void multiply_1x1(float *sums, const uint16_t *a, const uint16_t *b, int64_t steps, const char *next, int64_t next_step, const char *result, int64_t result_step, const char *weights, int64_t weights_step)
{
    enum { A = 1 * SOL_TILE, B = 1 * SOL_TILE };
(void)next, (void)next_step; (void)result, (void)result_step; (void)weights, (void)weights_step;
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
static __attribute__((noinline)) void multiply_1x2(float *sums, const uint16_t *a, const uint16_t *b, int64_t steps, const char *next, int64_t next_step, const char *result, int64_t result_step, const char *weights, int64_t weights_step)
{
    enum { A = 1 * SOL_TILE, B = 2 * SOL_TILE };
(void)next, (void)next_step; (void)result, (void)result_step; (void)weights, (void)weights_step;
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
static __attribute__((noinline)) void multiply_2x1(float *sums, const uint16_t *a, const uint16_t *b, int64_t steps, const char *next, int64_t next_step, const char *result, int64_t result_step, const char *weights, int64_t weights_step)
{
    enum { A = 2 * SOL_TILE, B = 1 * SOL_TILE };
(void)next, (void)next_step; (void)result, (void)result_step; (void)weights, (void)weights_step;
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
 * large ones, which alone are rounded as float32 is. Beside each product of parts cache lines are asked for: 4 of the pixels that are split next, 32 of each row; 3 of results, 36 of each row; up to 8 of weights. No loop: tiles that were multiplied by mistake behind its end would cost time. */
static __attribute__((noinline)) void multiply_2x2(float *sums, const uint16_t *a, const uint16_t *b, int64_t steps, const char *next, int64_t next_step, const char *result, int64_t result_step, const char *weights, int64_t weights_step)
{
    enum { A = 2 * SOL_TILE, B = 2 * SOL_TILE };
SOL_TILE_ZERO(0); SOL_TILE_ZERO(1); SOL_TILE_ZERO(2); SOL_TILE_ZERO(3); 
    a -= (STEPS - steps) * 3 * A;
    b -= (STEPS - steps) * 3 * B;
    switch (steps) {
    case STEPS - 0:
SOL_TILE_LOAD(4, a + 2 * A, 64); SOL_TILE_LOAD(5, a + 2 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 0 * B, 64); SOL_TILE_LOAD(7, b + 0 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(next + 0 * next_step + 0, 0, 2);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(next + 0 * next_step + 64, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 0, 1, 2);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(next + 0 * next_step + 128, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 64, 1, 2);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(next + 0 * next_step + 192, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 128, 1, 2);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
SOL_TILE_LOAD(4, a + 1 * A, 64); SOL_TILE_LOAD(5, a + 1 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(next + 0 * next_step + 256, 0, 2);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(next + 0 * next_step + 320, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 192, 1, 2);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(next + 0 * next_step + 384, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 256, 1, 2);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(next + 0 * next_step + 448, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 320, 1, 2);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
SOL_TILE_LOAD(6, b + 1 * B, 64); SOL_TILE_LOAD(7, b + 1 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(next + 0 * next_step + 512, 0, 2);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(next + 0 * next_step + 576, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 384, 1, 2);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(next + 0 * next_step + 640, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 448, 1, 2);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(next + 0 * next_step + 704, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 512, 1, 2);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
SOL_TILE_LOAD(4, a + 0 * A, 64); SOL_TILE_LOAD(5, a + 0 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(next + 0 * next_step + 768, 0, 2);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(next + 0 * next_step + 832, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 576, 1, 2);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(next + 0 * next_step + 896, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 640, 1, 2);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(next + 0 * next_step + 960, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 704, 1, 2);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
SOL_TILE_LOAD(6, b + 2 * B, 64); SOL_TILE_LOAD(7, b + 2 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(next + 0 * next_step + 1024, 0, 2);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(next + 0 * next_step + 1088, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 768, 1, 2);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(next + 0 * next_step + 1152, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 832, 1, 2);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(next + 0 * next_step + 1216, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 896, 1, 2);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
        __attribute__((fallthrough));
    case STEPS - 1:
SOL_TILE_LOAD(4, a + 5 * A, 64); SOL_TILE_LOAD(5, a + 5 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 3 * B, 64); SOL_TILE_LOAD(7, b + 3 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(next + 0 * next_step + 1280, 0, 2);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(next + 0 * next_step + 1344, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 960, 1, 2);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(next + 0 * next_step + 1408, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 1024, 1, 2);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(next + 0 * next_step + 1472, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 1088, 1, 2);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
SOL_TILE_LOAD(4, a + 4 * A, 64); SOL_TILE_LOAD(5, a + 4 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(next + 0 * next_step + 1536, 0, 2);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(next + 0 * next_step + 1600, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 1152, 1, 2);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(next + 0 * next_step + 1664, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 1216, 1, 2);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(next + 0 * next_step + 1728, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 1280, 1, 2);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
SOL_TILE_LOAD(6, b + 4 * B, 64); SOL_TILE_LOAD(7, b + 4 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(next + 0 * next_step + 1792, 0, 2);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(next + 0 * next_step + 1856, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 1344, 1, 2);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(next + 0 * next_step + 1920, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 1408, 1, 2);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(next + 0 * next_step + 1984, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 1472, 1, 2);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
SOL_TILE_LOAD(4, a + 3 * A, 64); SOL_TILE_LOAD(5, a + 3 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(next + 1 * next_step + 0, 0, 2);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(next + 1 * next_step + 64, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 1536, 1, 2);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(next + 1 * next_step + 128, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 1600, 1, 2);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(next + 1 * next_step + 192, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 1664, 1, 2);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
SOL_TILE_LOAD(6, b + 5 * B, 64); SOL_TILE_LOAD(7, b + 5 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(next + 1 * next_step + 256, 0, 2);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(next + 1 * next_step + 320, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 1728, 1, 2);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(next + 1 * next_step + 384, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 1792, 1, 2);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(next + 1 * next_step + 448, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 1856, 1, 2);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
        __attribute__((fallthrough));
    case STEPS - 2:
SOL_TILE_LOAD(4, a + 8 * A, 64); SOL_TILE_LOAD(5, a + 8 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 6 * B, 64); SOL_TILE_LOAD(7, b + 6 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(next + 1 * next_step + 512, 0, 2);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(next + 1 * next_step + 576, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 1920, 1, 2);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(next + 1 * next_step + 640, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 1984, 1, 2);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(next + 1 * next_step + 704, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 2048, 1, 2);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
SOL_TILE_LOAD(4, a + 7 * A, 64); SOL_TILE_LOAD(5, a + 7 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(next + 1 * next_step + 768, 0, 2);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(next + 1 * next_step + 832, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 2112, 1, 2);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(next + 1 * next_step + 896, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 2176, 1, 2);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(next + 1 * next_step + 960, 0, 2);
        __builtin_prefetch(result + 0 * result_step + 2240, 1, 2);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
SOL_TILE_LOAD(6, b + 7 * B, 64); SOL_TILE_LOAD(7, b + 7 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(next + 1 * next_step + 1024, 0, 2);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(next + 1 * next_step + 1088, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 0, 1, 2);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(next + 1 * next_step + 1152, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 64, 1, 2);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(next + 1 * next_step + 1216, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 128, 1, 2);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
SOL_TILE_LOAD(4, a + 6 * A, 64); SOL_TILE_LOAD(5, a + 6 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(next + 1 * next_step + 1280, 0, 2);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(next + 1 * next_step + 1344, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 192, 1, 2);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(next + 1 * next_step + 1408, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 256, 1, 2);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(next + 1 * next_step + 1472, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 320, 1, 2);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
SOL_TILE_LOAD(6, b + 8 * B, 64); SOL_TILE_LOAD(7, b + 8 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(next + 1 * next_step + 1536, 0, 2);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(next + 1 * next_step + 1600, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 384, 1, 2);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(next + 1 * next_step + 1664, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 448, 1, 2);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(next + 1 * next_step + 1728, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 512, 1, 2);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
        __attribute__((fallthrough));
    case STEPS - 3:
SOL_TILE_LOAD(4, a + 11 * A, 64); SOL_TILE_LOAD(5, a + 11 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 9 * B, 64); SOL_TILE_LOAD(7, b + 9 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(next + 1 * next_step + 1792, 0, 2);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(next + 1 * next_step + 1856, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 576, 1, 2);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(next + 1 * next_step + 1920, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 640, 1, 2);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(next + 1 * next_step + 1984, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 704, 1, 2);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
SOL_TILE_LOAD(4, a + 10 * A, 64); SOL_TILE_LOAD(5, a + 10 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(next + 2 * next_step + 0, 0, 2);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(next + 2 * next_step + 64, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 768, 1, 2);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(next + 2 * next_step + 128, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 832, 1, 2);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(next + 2 * next_step + 192, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 896, 1, 2);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
SOL_TILE_LOAD(6, b + 10 * B, 64); SOL_TILE_LOAD(7, b + 10 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(next + 2 * next_step + 256, 0, 2);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(next + 2 * next_step + 320, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 960, 1, 2);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(next + 2 * next_step + 384, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 1024, 1, 2);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(next + 2 * next_step + 448, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 1088, 1, 2);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
SOL_TILE_LOAD(4, a + 9 * A, 64); SOL_TILE_LOAD(5, a + 9 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(next + 2 * next_step + 512, 0, 2);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(next + 2 * next_step + 576, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 1152, 1, 2);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(next + 2 * next_step + 640, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 1216, 1, 2);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(next + 2 * next_step + 704, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 1280, 1, 2);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
SOL_TILE_LOAD(6, b + 11 * B, 64); SOL_TILE_LOAD(7, b + 11 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(next + 2 * next_step + 768, 0, 2);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(next + 2 * next_step + 832, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 1344, 1, 2);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(next + 2 * next_step + 896, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 1408, 1, 2);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(next + 2 * next_step + 960, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 1472, 1, 2);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
        break;
    }
    switch (steps) {
    case STEPS - 0:
SOL_TILE_LOAD(4, a + 0 * A, 64); SOL_TILE_LOAD(5, a + 0 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 0 * B, 64); SOL_TILE_LOAD(7, b + 0 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(next + 2 * next_step + 1024, 0, 2);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(next + 2 * next_step + 1088, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 1536, 1, 2);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(next + 2 * next_step + 1152, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 1600, 1, 2);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(next + 2 * next_step + 1216, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 1664, 1, 2);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
        __attribute__((fallthrough));
    case STEPS - 1:
SOL_TILE_LOAD(4, a + 3 * A, 64); SOL_TILE_LOAD(5, a + 3 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 3 * B, 64); SOL_TILE_LOAD(7, b + 3 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(next + 2 * next_step + 1280, 0, 2);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(next + 2 * next_step + 1344, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 1728, 1, 2);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(next + 2 * next_step + 1408, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 1792, 1, 2);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(next + 2 * next_step + 1472, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 1856, 1, 2);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
        __attribute__((fallthrough));
    case STEPS - 2:
SOL_TILE_LOAD(4, a + 6 * A, 64); SOL_TILE_LOAD(5, a + 6 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 6 * B, 64); SOL_TILE_LOAD(7, b + 6 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(next + 2 * next_step + 1536, 0, 2);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(next + 2 * next_step + 1600, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 1920, 1, 2);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(next + 2 * next_step + 1664, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 1984, 1, 2);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(next + 2 * next_step + 1728, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 2048, 1, 2);
        __builtin_prefetch(weights + 6 * weights_step, 0, 2); __builtin_prefetch(weights + 7 * weights_step, 0, 2); 
        weights += 8 * weights_step;
        __attribute__((fallthrough));
    case STEPS - 3:
SOL_TILE_LOAD(4, a + 9 * A, 64); SOL_TILE_LOAD(5, a + 9 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 9 * B, 64); SOL_TILE_LOAD(7, b + 9 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        __builtin_prefetch(next + 2 * next_step + 1792, 0, 2);
        __builtin_prefetch(weights + 0 * weights_step, 0, 2); __builtin_prefetch(weights + 1 * weights_step, 0, 2); 
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(next + 2 * next_step + 1856, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 2112, 1, 2);
        __builtin_prefetch(weights + 2 * weights_step, 0, 2); __builtin_prefetch(weights + 3 * weights_step, 0, 2); 
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(next + 2 * next_step + 1920, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 2176, 1, 2);
        __builtin_prefetch(weights + 4 * weights_step, 0, 2); __builtin_prefetch(weights + 5 * weights_step, 0, 2); 
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(next + 2 * next_step + 1984, 0, 2);
        __builtin_prefetch(result + 1 * result_step + 2240, 1, 2);
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

/* Channels k0 … k0 + kc - 1 of pixels m … m + rows - 1, blocks of 32 pixels one behind the other; rows that are missing in the last one repeat a pixel. */
static __attribute__((noinline)) void split_pixels(const conv *c, uint16_t *to, int64_t m, int64_t rows, int64_t k0, int64_t kc)
{
    place at = place_of(c, m);
    for (; rows > 0; rows -= WIDTH) {
        const int64_t tiles = rows > SOL_SIDE ? 2 : 1;
        const float *from[WIDTH];
        for (int64_t i = 0; i < WIDTH; i++) {
            from[i] = input_at(c, at) + k0 / LANES * c->in_cb;
            if (i + 1 < rows) advance(c, &at);
        }
        for (int64_t k = 0; k < kc; k += SOL_STEP, to += SOL_PARTS * tiles * SOL_TILE) {
            const int64_t block = k / LANES * c->in_cb;
            if (kc - k >= SOL_STEP)
                for (int64_t i = 0; i < tiles * SOL_SIDE; i++) {
                    const sol_row low = vf_load(from[i] + block), high = vf_load(from[i] + block + c->in_cb);
                    sol_parts_row(to + i / SOL_SIDE * SOL_TILE + i % SOL_SIDE * 2 * SOL_SIDE, tiles * SOL_TILE, &low, &high);
                }
            else
                for (int64_t i = 0; i < tiles * SOL_SIDE; i++) {
                    const sol_row low = vf_load_n(from[i] + block, sol_lanes(kc - k, 0)), high = kc - k > LANES ? vf_load_n(from[i] + block + c->in_cb, sol_lanes(kc - k, 1)) : vf_zero();
                    sol_parts_row(to + i / SOL_SIDE * SOL_TILE + i % SOL_SIDE * 2 * SOL_SIDE, tiles * SOL_TILE, &low, &high);
                }
        }
    }
}

/* The same sums, multiply-add by multiply-add: of infinities, whose parts would be subtracted from each other, and of NaN. */
static __attribute__((noinline)) void multiply_again(const conv *c, float *sums, int64_t m, int64_t rows, int64_t p, const float *parts, int64_t N, int64_t K)
{
    place at = place_of(c, m);
    for (int64_t i = 0; i < rows; i++, advance(c, &at)) {
        const float *a = input_at(c, at);
        for (int j = 0; j < 2 && p * WIDTH + j * SOL_SIDE < N; j++) {
            vf sum = vf_zero();
            for (int64_t k = 0; k < K; k++) sum += sol_parts_joined(parts, N, K, STEPS, p, j, k) * a[k / LANES * c->in_cb + k % LANES];
            vf_store(sums + i * WIDTH + j * LANES, sum);
        }
    }
}

/* Sums of pixels m … m + rows - 1 and of the panel that begins with vector kb -> results. */
static __attribute__((noinline)) void finish_2(const conv *c, const float *sums, int64_t m, int64_t rows, int64_t kb)
{
    const vf b0 = vf_zero();
    const vf b1 = vf_zero();
    place at = place_of(c, m);
    while (rows > 0) {
        const int64_t run = c->OW - at.x < rows ? c->OW - at.x : rows;
        float *out = c->out + kb * c->out_cb + at.n * c->out_n + at.y * c->out_row + at.x * LANES;
        for (int64_t i = 0; i < run; i++, sums += WIDTH, out += LANES) {
const vf a0_0_0 = vf_load(sums + 0 * LANES) + b0; const vf a1_0_0 = vf_load(sums + 1 * LANES) + b1; 
            const vf t0_0_0_0 = vf_max_quiet(vf_set(0.0f), a0_0_0);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 0 * LANES, t0_0_0_0);
            const vf t1_0_0_0 = vf_max_quiet(vf_set(0.0f), a1_0_0);
            vf_store(out + 1 * c->out_cb + 0 * c->out_row + 0 * LANES, t1_0_0_0);
        }
        rows -= run;
        at.x += run - 1;
        advance(c, &at);
    }
}

/* Sums of pixels m … m + rows - 1 and of the panel that begins with vector kb -> results. */
static __attribute__((noinline)) void finish_1(const conv *c, const float *sums, int64_t m, int64_t rows, int64_t kb)
{
    const vf b0 = vf_zero();
    place at = place_of(c, m);
    while (rows > 0) {
        const int64_t run = c->OW - at.x < rows ? c->OW - at.x : rows;
        float *out = c->out + kb * c->out_cb + at.n * c->out_n + at.y * c->out_row + at.x * LANES;
        for (int64_t i = 0; i < run; i++, sums += WIDTH, out += LANES) {
const vf a0_0_0 = vf_load(sums + 0 * LANES) + b0; 
            const vf t0_0_0_0 = vf_max_quiet(vf_set(0.0f), a0_0_0);
            vf_store(out + 0 * c->out_cb + 0 * c->out_row + 0 * LANES, t0_0_0_0);
        }
        rows -= run;
        at.x += run - 1;
        advance(c, &at);
    }
}

/* This thread's share of M pixels, N columns and K channels. */
static void multiply(const conv *c, const sol_team *team, int64_t M, int64_t N, int64_t K, int64_t high, int64_t chunk, int64_t wide)
{
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
        for (int64_t k0 = 0, kc; k0 < K; k0 += kc) {
            kc = K - k0 < SLICE ? K - k0 : SLICE;
            const int64_t steps = (kc + SOL_STEP - 1) / SOL_STEP;
            const int last = k0 + kc == K;
            for (int64_t m0 = top; m0 < bottom; m0 += chunk) {
                const int64_t height = bottom - m0 < chunk ? bottom - m0 : chunk, blocks = (height + WIDTH - 1) / WIDTH;
                if (SLICE < K || have_a != u / down / across * M + m0) split_pixels(c, packed_a, m0, height, k0, kc);
                have_a = u / down / across * M + m0;
                for (int64_t p = first; p < p_end; p++) {
                    const int64_t count = N - p * WIDTH;
                    const uint16_t *const panel = PARTS(p, k0);
                    for (int64_t i = 0; i < blocks; i++) {
                        const int64_t m = m0 + i * WIDTH, rows = bottom - m < WIDTH ? bottom - m : WIDTH;
                        const uint16_t *block = packed_a + i * sol_parts_size(WIDTH, kc);
                        const char *next = ahead_of(c, m + chunk < bottom ? m + chunk : (last ? bottom : top) + m - m0, m + chunk < bottom ? k0 : last ? 0 : k0 + kc, (p - first) * c->turns % (SLICE / LANES));
                        const char *result = (const char *)(last ? result_at(c, place_of(c, m), 2 * p) : kept + ((m - top) / WIDTH * wide + p - first) * BLOCK);
                        const char *weights = (const char *)(p + 1 < p_end ? PARTS(p + 1, k0) : last ? PARTS(p + 1, 0) : PARTS(first, k0 + kc)) + i * 1536 * c->ahead;
                        const int64_t result_step = last ? 4 * c->out_cb : 2304;
float *const before = kept + ((m - top) / WIDTH * wide + p - first) * BLOCK, *const sums = k0 || last ? partial : before;
                        if (rows > SOL_SIDE && count > SOL_SIDE) multiply_2x2(sums, block, panel, steps, next, 4 * c->in_cb, result, result_step, weights, 8 * c->ahead);
                        else if (rows > SOL_SIDE) multiply_2x1(sums, block, panel, steps, next, 4 * c->in_cb, result, result_step, weights, 8 * c->ahead);
                        else if (count > SOL_SIDE) multiply_1x2(sums, block, panel, steps, next, 4 * c->in_cb, result, result_step, weights, 8 * c->ahead);
                        else multiply_1x1(sums, block, panel, steps, next, 4 * c->in_cb, result, result_step, weights, 8 * c->ahead);
                        if (k0 && last) add(sums, before, rows);
                        else if (k0) add(before, sums, rows);
                        if (!last) continue;
                        if (!are_finite(sums, rows, count))
                            multiply_again(c, sums, m, rows, p, c->w, N, K);
                        (count < WIDTH ? finish_1 : finish_2)(c, sums, m, rows, 2 * p);
                    }
                }
            }
        }
    }
    SOL_TILES_END();
}

void conv_split(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    const float *w = buf[1];
    float *out = buf[2];
    const int64_t N = arg[0];
    const int64_t OH = arg[1];
    const int64_t OW = arg[2];
    const int64_t vectors = arg[3];
    const int64_t channels = arg[4];
    const int64_t turns = arg[5];
    const int64_t in_n = arg[6];
    const int64_t in_cb = arg[7];
    const int64_t in_row = arg[8];
    const int64_t in_start = arg[9];
    const int64_t high = arg[10];
    const int64_t chunk = arg[11];
    const int64_t wide = arg[12];
    const int64_t ahead = arg[13];
    const int64_t out_n = arg[14];
    const int64_t out_cb = arg[15];
    const int64_t out_row = arg[16];
    (void)team; (void)buf; (void)arg;
const conv c = {
        .in = in + in_start, .w = w, .out = out, .N = N, .OH = OH, .OW = OW, .vectors = vectors, .channels = channels,
        .turns = turns, .in_n = in_n, .in_cb = in_cb, .in_row = in_row, .in_start = in_start, .high = high, .chunk = chunk, .wide = wide,
        .ahead = ahead, .out_n = out_n, .out_cb = out_cb, .out_row = out_row,
};
    multiply(&c, team, N * OH * OW, vectors * LANES, channels, high, chunk, wide);
}
