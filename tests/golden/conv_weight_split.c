/* conv_weight_split: gradient of a 1x1 convolution for its weights by matrix tiles (AMX); blocked operands, row-major result.
 *
 *   out[k, c] = sum over n, y, x of grad[n, k, y, x] * in[n, c, y * sy, x * sx]
 *
 * A product of matrices: rows are the gradient's channels, columns the input's, and its steps the pixels of all images. Each number of float32 is
 * the sum of three of bfloat16 (sol_parts.h); six products of parts make one of float32.
 *   for each of this thread's (part of the pixels, columns of ``wide`` panels, ``high`` rows): for each slice of the pixels
 *     take the input's channels apart, then ``chunk`` of the gradient's channels at a time
 *       panel of 32 columns, block of 32 rows: two by two tiles of sums, which join those of the slices before
 *       after the last slice: what is not finite is computed again as float32, then written, or kept until all parts are there
 * Pixels are cut into parts, whose sums are added in the end, where all sums of a thread fit its cache. */
#include "sol_team.h"
#include "sol_parts.h"
#include "sol_tiles.h"

enum { WIDTH = 2 * SOL_SIDE, BLOCK = WIDTH * WIDTH, STEPS = 4, SLICE = STEPS * SOL_STEP };

/* An operand: pixels of blocks of channels, as many as results have. */
typedef struct {
    const float *from;
    int64_t n, c, row, column, OH, OW;
} map;

typedef struct {
    map grad, in;
    float *out, *kept; /* of all parts; NULL where there is one */
    int64_t out_n, out_c, M, N;
} problem;

/* Elements from a channel block's begin to pixel p of all images. */
static inline int64_t place_of(const map *m, int64_t p)
{
    return p / (m->OH * m->OW) * m->n + p / m->OW % m->OH * m->row + p % m->OW * m->column;
}

/* The same for neighbouring pixels. */
static void places_of(const map *m, int64_t *to, int64_t p, int64_t count)
{
    int64_t n = p / (m->OH * m->OW), y = p / m->OW % m->OH, x = p % m->OW;
    for (int64_t i = 0; i < count; i++) {
        to[i] = n * m->n + y * m->row + x * m->column;
        if (++x < m->OW) continue;
        x = 0;
        if (++y == m->OH) y = 0, n++;
    }
}

/* sums[row][32] = the product of a block of rows by 1 tiles and a panel of 1 over up to four steps of 32: first of all small parts, then of the
 * large ones, which alone are rounded as float32 is. No loop: tiles that were multiplied by mistake behind its end would cost time. */
static __attribute__((noinline)) void multiply_1x1(float *sums, const uint16_t *a, const uint16_t *b, int64_t steps, const char *of_grad, int64_t of_grad_step, const char *of_in, int64_t of_in_step)
{
    enum { A = 1 * SOL_TILE, B = 1 * SOL_TILE };
(void)of_grad, (void)of_grad_step; (void)of_in, (void)of_in_step;
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
static __attribute__((noinline)) void multiply_1x2(float *sums, const uint16_t *a, const uint16_t *b, int64_t steps, const char *of_grad, int64_t of_grad_step, const char *of_in, int64_t of_in_step)
{
    enum { A = 1 * SOL_TILE, B = 2 * SOL_TILE };
(void)of_grad, (void)of_grad_step; (void)of_in, (void)of_in_step;
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
static __attribute__((noinline)) void multiply_2x1(float *sums, const uint16_t *a, const uint16_t *b, int64_t steps, const char *of_grad, int64_t of_grad_step, const char *of_in, int64_t of_in_step)
{
    enum { A = 2 * SOL_TILE, B = 1 * SOL_TILE };
(void)of_grad, (void)of_grad_step; (void)of_in, (void)of_in_step;
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
 * large ones, which alone are rounded as float32 is. Beside each product of parts cache lines are asked for: 3 of the gradient's next pixels, 128 of each row; 3 of the input's, 128 of each row. No loop: tiles that were multiplied by mistake behind its end would cost time. */
static __attribute__((noinline)) void multiply_2x2(float *sums, const uint16_t *a, const uint16_t *b, int64_t steps, const char *of_grad, int64_t of_grad_step, const char *of_in, int64_t of_in_step)
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
        __builtin_prefetch(of_grad + 0 * of_grad_step + 0, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 0, 0, 2);
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 64, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 64, 0, 2);
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 128, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 128, 0, 2);
SOL_TILE_LOAD(4, a + 1 * A, 64); SOL_TILE_LOAD(5, a + 1 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 192, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 192, 0, 2);
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 256, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 256, 0, 2);
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 320, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 320, 0, 2);
SOL_TILE_LOAD(6, b + 1 * B, 64); SOL_TILE_LOAD(7, b + 1 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 384, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 384, 0, 2);
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 448, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 448, 0, 2);
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 512, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 512, 0, 2);
SOL_TILE_LOAD(4, a + 0 * A, 64); SOL_TILE_LOAD(5, a + 0 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 576, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 576, 0, 2);
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 640, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 640, 0, 2);
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 704, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 704, 0, 2);
SOL_TILE_LOAD(6, b + 2 * B, 64); SOL_TILE_LOAD(7, b + 2 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 768, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 768, 0, 2);
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 832, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 832, 0, 2);
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 896, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 896, 0, 2);
        __attribute__((fallthrough));
    case STEPS - 1:
SOL_TILE_LOAD(4, a + 5 * A, 64); SOL_TILE_LOAD(5, a + 5 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 3 * B, 64); SOL_TILE_LOAD(7, b + 3 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 960, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 960, 0, 2);
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 1024, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 1024, 0, 2);
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 1088, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 1088, 0, 2);
SOL_TILE_LOAD(4, a + 4 * A, 64); SOL_TILE_LOAD(5, a + 4 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 1152, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 1152, 0, 2);
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 1216, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 1216, 0, 2);
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 1280, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 1280, 0, 2);
SOL_TILE_LOAD(6, b + 4 * B, 64); SOL_TILE_LOAD(7, b + 4 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 1344, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 1344, 0, 2);
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 1408, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 1408, 0, 2);
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 1472, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 1472, 0, 2);
SOL_TILE_LOAD(4, a + 3 * A, 64); SOL_TILE_LOAD(5, a + 3 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 1536, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 1536, 0, 2);
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 1600, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 1600, 0, 2);
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 1664, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 1664, 0, 2);
SOL_TILE_LOAD(6, b + 5 * B, 64); SOL_TILE_LOAD(7, b + 5 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 1728, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 1728, 0, 2);
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 1792, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 1792, 0, 2);
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 1856, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 1856, 0, 2);
        __attribute__((fallthrough));
    case STEPS - 2:
SOL_TILE_LOAD(4, a + 8 * A, 64); SOL_TILE_LOAD(5, a + 8 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 6 * B, 64); SOL_TILE_LOAD(7, b + 6 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 1920, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 1920, 0, 2);
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 1984, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 1984, 0, 2);
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 2048, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 2048, 0, 2);
SOL_TILE_LOAD(4, a + 7 * A, 64); SOL_TILE_LOAD(5, a + 7 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 2112, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 2112, 0, 2);
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 2176, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 2176, 0, 2);
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 2240, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 2240, 0, 2);
SOL_TILE_LOAD(6, b + 7 * B, 64); SOL_TILE_LOAD(7, b + 7 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 2304, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 2304, 0, 2);
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 2368, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 2368, 0, 2);
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 2432, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 2432, 0, 2);
SOL_TILE_LOAD(4, a + 6 * A, 64); SOL_TILE_LOAD(5, a + 6 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 2496, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 2496, 0, 2);
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 2560, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 2560, 0, 2);
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 2624, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 2624, 0, 2);
SOL_TILE_LOAD(6, b + 8 * B, 64); SOL_TILE_LOAD(7, b + 8 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 2688, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 2688, 0, 2);
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 2752, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 2752, 0, 2);
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 2816, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 2816, 0, 2);
        __attribute__((fallthrough));
    case STEPS - 3:
SOL_TILE_LOAD(4, a + 11 * A, 64); SOL_TILE_LOAD(5, a + 11 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 9 * B, 64); SOL_TILE_LOAD(7, b + 9 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 2880, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 2880, 0, 2);
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 2944, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 2944, 0, 2);
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 3008, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 3008, 0, 2);
SOL_TILE_LOAD(4, a + 10 * A, 64); SOL_TILE_LOAD(5, a + 10 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 3072, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 3072, 0, 2);
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 3136, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 3136, 0, 2);
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 3200, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 3200, 0, 2);
SOL_TILE_LOAD(6, b + 10 * B, 64); SOL_TILE_LOAD(7, b + 10 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 3264, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 3264, 0, 2);
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 3328, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 3328, 0, 2);
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 3392, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 3392, 0, 2);
SOL_TILE_LOAD(4, a + 9 * A, 64); SOL_TILE_LOAD(5, a + 9 * A + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 3456, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 3456, 0, 2);
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 3520, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 3520, 0, 2);
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 3584, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 3584, 0, 2);
SOL_TILE_LOAD(6, b + 11 * B, 64); SOL_TILE_LOAD(7, b + 11 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 3648, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 3648, 0, 2);
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 3712, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 3712, 0, 2);
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 3776, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 3776, 0, 2);
        break;
    }
    switch (steps) {
    case STEPS - 0:
SOL_TILE_LOAD(4, a + 0 * A, 64); SOL_TILE_LOAD(5, a + 0 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 0 * B, 64); SOL_TILE_LOAD(7, b + 0 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 3840, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 3840, 0, 2);
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 3904, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 3904, 0, 2);
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 3968, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 3968, 0, 2);
        __attribute__((fallthrough));
    case STEPS - 1:
SOL_TILE_LOAD(4, a + 3 * A, 64); SOL_TILE_LOAD(5, a + 3 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 3 * B, 64); SOL_TILE_LOAD(7, b + 3 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 4032, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 4032, 0, 2);
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 4096, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 4096, 0, 2);
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 4160, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 4160, 0, 2);
        __attribute__((fallthrough));
    case STEPS - 2:
SOL_TILE_LOAD(4, a + 6 * A, 64); SOL_TILE_LOAD(5, a + 6 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 6 * B, 64); SOL_TILE_LOAD(7, b + 6 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 4224, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 4224, 0, 2);
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 4288, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 4288, 0, 2);
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 4352, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 4352, 0, 2);
        __attribute__((fallthrough));
    case STEPS - 3:
SOL_TILE_LOAD(4, a + 9 * A, 64); SOL_TILE_LOAD(5, a + 9 * A + SOL_TILE, 64); SOL_TILE_LOAD(6, b + 9 * B, 64); SOL_TILE_LOAD(7, b + 9 * B + SOL_TILE, 64); 
        SOL_TILE_DOT(0, 4, 6);
        SOL_TILE_DOT(1, 4, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 4416, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 4416, 0, 2);
        SOL_TILE_DOT(2, 5, 6);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 4480, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 4480, 0, 2);
        SOL_TILE_DOT(3, 5, 7);
        __builtin_prefetch(of_grad + 0 * of_grad_step + 4544, 0, 2);
        __builtin_prefetch(of_in + 0 * of_in_step + 4544, 0, 2);
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

/* Pixels of one channel block, zeros behind the last. */
SOL_INLINE void load_pixels(sol_row v[SOL_STEP], const float *from, const int64_t *places, int64_t count)
{
    if (count >= SOL_STEP)
        for (int i = 0; i < SOL_STEP; i++) v[i] = vf_load(from + places[i]);
    else
        for (int i = 0; i < SOL_STEP; i++) v[i] = i < count ? vf_load(from + places[i]) : vf_zero();
}

/* Blocks of channels m … m + rows - 1 of the gradient, kc pixels from p on: rows of tiles are channels. */
static __attribute__((noinline)) void split_left(const map *of, uint16_t *to, int64_t m, int64_t rows, int64_t p, int64_t kc)
{
    int64_t places[SLICE];
    places_of(of, places, p, kc);
    for (; rows > 0; rows -= WIDTH, m += WIDTH) {
        const int64_t tiles = rows > SOL_SIDE ? 2 : 1;
        for (int64_t k = 0; k < kc; k += SOL_STEP, to += SOL_PARTS * tiles * SOL_TILE)
            for (int64_t t = 0; t < tiles; t++) {
                sol_row v[SOL_STEP];
                load_pixels(v, of->from + (m / SOL_SIDE + t) * of->c, places + k, kc - k);
                vf_transpose(v);
                vf_transpose(v + SOL_SIDE);
                for (int i = 0; i < SOL_SIDE; i++) sol_parts_row(to + t * SOL_TILE + i * 2 * SOL_SIDE, tiles * SOL_TILE, v + i, v + i + SOL_SIDE);
            }
    }
}

/* Blocks of so many channels of the input from c on: rows of tiles are pairs of pixels. */
static __attribute__((noinline)) void split_right(const map *of, uint16_t *to, int64_t c, int64_t columns, int64_t p, int64_t kc)
{
    int64_t places[SLICE];
    places_of(of, places, p, kc);
    const int64_t tiles = columns > SOL_SIDE ? 2 : 1;
    for (int64_t k = 0; k < kc; k += SOL_STEP, to += SOL_PARTS * tiles * SOL_TILE)
        for (int64_t t = 0; t < tiles; t++) {
            sol_row v[SOL_STEP];
            load_pixels(v, of->from + (c / SOL_SIDE + t) * of->c, places + k, kc - k);
            for (int i = 0; i < SOL_SIDE; i++) sol_parts_row(to + t * SOL_TILE + i * 2 * SOL_SIDE, tiles * SOL_TILE, v + i, v + i + SOL_SIDE);
        }
}

/* What is soon taken apart of the two channel blocks from channel c on, so many lines further. A hint: it may not exist. */
static inline const char *ahead_of(const map *m, int64_t c, int64_t p, int64_t line)
{
    line %= 2 * SLICE;
    return (const char *)(m->from + (c / SOL_SIDE + line / SLICE) * m->c + place_of(m, p) + line % SLICE * LANES);
}

/* The same sums over ``count`` pixels, multiply-add by multiply-add: of infinities, whose parts would be subtracted from each other, and of NaN. */
static __attribute__((noinline)) void multiply_again(const problem *q, float *sums, int64_t m, int64_t rows, int64_t c, int64_t columns, int64_t p, int64_t count)
{
    for (int64_t i = 0; i < rows; i++)
        for (int j = 0; j < 2 && columns > j * LANES; j++) {
            vf sum = vf_zero();
            for (int64_t k = p; k < p + count; k++)
                sum += vf_load(q->in.from + (c / LANES + j) * q->in.c + place_of(&q->in, k)) * q->grad.from[(m + i) / LANES * q->grad.c + place_of(&q->grad, k) + (m + i) % LANES];
            vf_store(sums + i * WIDTH + j * LANES, sum);
        }
}

/* A row of sums -> result. */
SOL_INLINE void write_row(const problem *q, const float *sums, int64_t m, int64_t c, int64_t columns)
{
    float *to = q->out + m * q->out_n + c * q->out_c;
    for (int64_t j = 0; j < columns; j += LANES, to += LANES * q->out_c) {
        const int64_t count = columns - j < LANES ? columns - j : LANES;
        if (q->out_c == 1) vf_store_n(to, vf_load(sums + j), (int)count);
        else
            for (int64_t i = 0; i < count; i++) to[i * q->out_c] = sums[j + i];
    }
}

static __attribute__((noinline)) void finish(const problem *q, const float *sums, int64_t m, int64_t rows, int64_t c, int64_t columns, int64_t part)
{
    if (columns > WIDTH) columns = WIDTH;
    if (!q->kept)
        for (int64_t i = 0; i < rows; i++) write_row(q, sums + i * WIDTH, m + i, c, columns);
    else {
        float *to = q->kept + ((part * ((q->N + WIDTH - 1) / WIDTH) + c / WIDTH) * q->M + m) * WIDTH;
        for (int64_t i = 0; i < rows * WIDTH; i += LANES) vf_store(to + i, vf_load(sums + i));
    }
}

/* This thread's share of M x N sums over parts of K of all the pixels. */
static void multiply(const problem *q, const sol_team *team, int64_t pixels, int64_t parts, int64_t M, int64_t N, int64_t K, int64_t high, int64_t chunk, int64_t wide)
{
    static const sol_tiles shape = {.palette = 1, .bytes = {64, 64, 64, 64, 64, 64, 64, 64}, .rows = {16, 16, 16, 16, 16, 16, 16, 16}};
    const int64_t panels = (N + WIDTH - 1) / WIDTH, across = (panels + wide - 1) / wide, down = (M + high - 1) / high;
    const int64_t units = parts * across * down;
    int64_t active = 1 + parts * M * N * K / 32768;
    if (active > team->size) active = team->size;
    sol_share share = sol_share_of(team, units, active);
    if (team->id >= active) return;
    float *const partial = (float *)team->scratch;
    float *const kept = partial + BLOCK;
    uint16_t *const packed_a = (uint16_t *)(kept + (SLICE < K ? wide * ((high + WIDTH - 1) / WIDTH) : 0) * BLOCK);
    uint16_t *const packed_b = packed_a + (chunk + WIDTH - 1) / WIDTH * sol_parts_size(WIDTH, K < SLICE ? K : SLICE);
    int64_t have_b = -1;
    int64_t have_a = -1;
    SOL_TILES_BEGIN(shape);
    for (int64_t u, end; sol_share_take(&share, &u, &end);) for (; u < end; u++) {
        const int64_t top = u % down * high, first = u / down % across * wide;
        const int64_t bottom = top + high < M ? top + high : M, p_end = first + wide < panels ? first + wide : panels;
const int64_t part = u / down / across, from = part * K, length = pixels - from < K ? pixels - from : K;
        for (int64_t k0 = 0, kc; k0 < length; k0 += kc) {
            kc = length - k0 < SLICE ? length - k0 : SLICE;
            const int64_t steps = (kc + SOL_STEP - 1) / SOL_STEP;
            const int last = k0 + kc == length;
            const int anew = SLICE < K || have_b != u / down;
            have_b = u / down;
            for (int64_t m0 = top; m0 < bottom; m0 += chunk) {
                const int64_t height = bottom - m0 < chunk ? bottom - m0 : chunk, blocks = (height + WIDTH - 1) / WIDTH;
                if (SLICE < K || have_a != u / down / across * M + m0) split_left(&q->grad, packed_a, m0, height, from + k0, kc);
                have_a = u / down / across * M + m0;
                for (int64_t p = first; p < p_end; p++) {
                    const int64_t count = N - p * WIDTH;
                    uint16_t *const panel = packed_b + (p - first) * sol_parts_size(WIDTH, kc);
                    if (anew && m0 == top) split_right(&q->in, panel, p * WIDTH, N - p * WIDTH < WIDTH ? N - p * WIDTH : WIDTH, from + k0, kc);
                    for (int64_t i = 0; i < blocks; i++) {
                        const int64_t m = m0 + i * WIDTH, rows = bottom - m < WIDTH ? bottom - m : WIDTH;
                        const uint16_t *block = packed_a + i * sol_parts_size(WIDTH, kc);
                        const char *of_grad = ahead_of(&q->grad, m, from + k0 + kc, (p - first) * 72), *of_in = ahead_of(&q->in, p * WIDTH, from + k0 + kc, (m - top) / WIDTH * 72);
float *const before = kept + ((m - top) / WIDTH * wide + p - first) * BLOCK, *const sums = k0 || last ? partial : before;
                        if (rows > SOL_SIDE && count > SOL_SIDE) multiply_2x2(sums, block, panel, steps, of_grad, 4 * q->grad.c, of_in, 4 * q->in.c);
                        else if (rows > SOL_SIDE) multiply_2x1(sums, block, panel, steps, of_grad, 4 * q->grad.c, of_in, 4 * q->in.c);
                        else if (count > SOL_SIDE) multiply_1x2(sums, block, panel, steps, of_grad, 4 * q->grad.c, of_in, 4 * q->in.c);
                        else multiply_1x1(sums, block, panel, steps, of_grad, 4 * q->grad.c, of_in, 4 * q->in.c);
                        if (k0 && last) add(sums, before, rows);
                        else if (k0) add(before, sums, rows);
                        if (!last) continue;
                        if (!are_finite(sums, rows, count))
                            multiply_again(q, sums, m, rows, p * WIDTH, count, from, length);
                        finish(q, sums, m, rows, p * WIDTH, count, part);
                    }
                }
            }
        }
    }
    SOL_TILES_END();
}

void conv_weight_split(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    const float *grad = buf[1];
    float *out = buf[2];
    const int64_t N = arg[0];
    const int64_t M = arg[1];
    const int64_t C = arg[2];
    const int64_t OH = arg[3];
    const int64_t OW = arg[4];
    const int64_t sy = arg[5];
    const int64_t sx = arg[6];
    const int64_t parts = arg[7];
    const int64_t part = arg[8];
    const int64_t out_n = arg[9];
    const int64_t out_c = arg[10];
    const int64_t in_n = arg[11];
    const int64_t in_c = arg[12];
    const int64_t in_row = arg[13];
    const int64_t grad_n = arg[14];
    const int64_t grad_c = arg[15];
    const int64_t grad_row = arg[16];
    const int64_t high = arg[17];
    const int64_t chunk = arg[18];
    const int64_t wide = arg[19];
    (void)team; (void)buf; (void)arg;
    const problem q = {
        {grad, grad_n, grad_c, grad_row, LANES, OH, OW}, {in, in_n, in_c, sy * in_row, sx * LANES, OH, OW},
        out, parts > 1 ? (float *)team->shared_scratch : NULL, out_n, out_c, M, C};
    multiply(&q, team, N * OH * OW, parts, M, C, part, high, chunk, wide);
    if (parts == 1) return;
    sol_barrier(team);
    const int64_t panels = (C + WIDTH - 1) / WIDTH;
    int64_t i, end;
    for (sol_split(team, panels * M, &i, &end); i < end; i++) {
        float *sums = q.kept + i * WIDTH;
        for (int64_t k = 1; k < parts; k++)
            for (int j = 0; j < WIDTH; j += LANES) vf_store(sums + j, vf_load(sums + j) + vf_load(sums + k * panels * M * WIDTH + j));
        const int64_t c = i / M * WIDTH;
        write_row(&q, sums, i % M, c, C - c < WIDTH ? C - c : WIDTH);
    }
}
