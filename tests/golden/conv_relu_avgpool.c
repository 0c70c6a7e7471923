/* Direct convolution, NCHW -> NCHWc, then relu, then mean over the whole map.
 *
 * out[n, k, y, x] = epilogue(bias[k] + sum over c, r, s of w[k, c, r, s] * in[n, c, y * stride_y + r * dilation_y, x * 1 + s * dilation_x])
 *
 * Register tile: 2 output vectors x 1 rows x 13 pixels, the whole reduction in registers.
 *   share of (panel, tile) pairs of this thread       panel = 2 output vectors, its weights stay in the cache
 *     band: what its tiles read is copied to the thread's scratch, zero-padded, [C][LINES][LINE], where it does not lie inside the image
 *     panel
 *       tile (image, row, column)
 *         channel, filter row, tap     sizes and strides are run-time arguments
 *
 * w: [panel][channel][r][s][2 * LANES]. */
#include "sol_team.h"
#include "sol_simd.h"

typedef struct conv {
    const float *in;
    const float *w;
    const float *bias;
    float *pooled;
    float *out;
    int64_t N, OH, OW, groups, group_vectors, C, H, W, LINES, LINE, band_rows, band_columns, R, S, pad_y, pad_x;
    int64_t stride_y, dilation_y, source_n, source_c, source_h, source_w, map_start, pooled_n, pooled_cb, pooled_lane, pooled_channels, count, out_n, out_cb, out_row, rows;
    int64_t columns, w_kb;
    int64_t inner_y, inner_y_end, inner_x, inner_x_end; /* rows and columns of tiles that need no copy; no row if there are few */
} conv;

enum { STEP = 13 }; /* columns of the image from one tile to the next */

/* Tiles of one image: rows from y on and columns x … x_end - 1, of which those from ``direct`` to ``right`` need no copy. */
typedef struct {
    int64_t n, y, x, direct, right, x_end;
    const float *copy;
} band;

static inline int64_t within(int64_t x, int64_t low, int64_t high) { return x < low ? low : x > high ? high : x; }

/* n elements; zeros fill the last vector. */
static inline void copy_line(float *to, const float *from, int64_t n)
{
    int64_t x = 0;
    for (; x + LANES <= n; x += LANES) vf_store(to + x, vf_load(from + x));
    if (x < n) vf_store(to + x, vf_load_n(from + x, (int)(n - x)));
}

/* What ``rows`` rows of tiles of the band read, with the zeros around the image. What is copied begins at a multiple of a vector; the zeros behind a
 * line may lie on the next one, which is copied after it. */
static void copy_lines(const conv *c, band *b, int64_t rows, float *to)
{
    const int64_t pixels = within(c->OW - b->x * 13, 0, (b->x_end - b->x) * 13);
    const int64_t left = b->x * STEP - c->pad_x, reach = (c->S - 1) * 1 + 1, width = (pixels - 1) * 1 + reach;
    const int64_t begin = within(-left, 0, width), end = within(c->W - left, begin, width); /* columns of the image */
    /* Columns that tiles before ``direct`` read, and those from ``right`` on. */
    const int64_t first = b->direct == b->x ? 0 : within((b->direct - b->x) * STEP - 1 + reach, begin, end);
    const int64_t second = b->right == b->x_end ? end : (b->right - b->x) * STEP;
    const int64_t lines = (rows - 1) * c->stride_y + (c->R - 1) * c->dilation_y + 1;
    b->copy = to += (LANES - begin % LANES) % LANES;
    for (int64_t k = 0; k < c->C; k++) {
        float *line = to + k * c->LINES * c->LINE;
        for (int64_t y = b->y * c->stride_y - c->pad_y, y_end = y + lines; y < y_end; y++, line += c->LINE) {
            if (y < 0 || y >= c->H) {
                memset(line, 0, width * sizeof *line);
                continue;
            }
            const float *s = c->in + b->n * c->source_n + k * c->source_c + y * c->source_h + left * c->source_w;
            if (0 < begin && begin <= LANES) vf_store(line + begin - LANES, vf_zero());
            else for (int64_t x = 0; x < begin; x++) line[x] = 0;
            if (c->source_w == 1) copy_line(line + begin, s + begin, first - begin), copy_line(line + second, s + second, end - second);
            else for (int64_t x = begin; x < end; x++) line[x] = s[x * c->source_w];
            for (int64_t x = end; x < width; x++) line[x] = 0;
        }
    }
}

/* The band that begins with tile t and ends before tile ``last``: several rows, or a part of one. Returns its end. */
static int64_t copy_band(const conv *c, band *b, int64_t t, int64_t last, float *to)
{
    *b = (band){.n = t / (c->rows * c->columns), .y = t / c->columns % c->rows, .x = t % c->columns};
    int64_t rows = 1, columns = within(c->columns - b->x, 1, last - t);
    if (columns == c->columns && columns <= c->band_columns) rows = within((last - t) / columns, 1, within(c->band_rows, 1, c->rows - b->y));
    else columns = within(columns, 1, c->band_columns);
    b->x_end = b->direct = b->right = b->x + columns;
    if (b->y >= c->inner_y && b->y < c->inner_y_end) {
        rows = within(rows, 1, c->inner_y_end - b->y);
        b->direct = within(c->inner_x, b->x, b->x_end), b->right = within(c->inner_x_end, b->x, b->x_end);
    } else if (b->y < c->inner_y) rows = within(rows, 1, c->inner_y - b->y);
    if (b->x < b->direct || b->right < b->x_end) copy_lines(c, b, rows, to);
    return t + rows * columns;
}

/* First and one behind the last of count outputs whose windows, that begin at i * stride - pad and are reach long, lie inside size elements. */
static void find_inner(int64_t *first, int64_t *end, int64_t count, int64_t stride, int64_t pad, int64_t reach, int64_t size)
{
    *first = (pad + stride - 1) / stride;
    *end = size + pad < reach ? 0 : within((size + pad - reach) / stride + 1, 0, count);
}

static __attribute__((noinline)) void tile_2x1x13(const conv *c, const float *in, int64_t in_c, int64_t in_r, const float *w, const float *bias, float *out)
{
    __builtin_prefetch(out + 0 * c->out_cb + 13 * LANES, 1); __builtin_prefetch(out + 0 * c->out_cb + 14 * LANES, 1); __builtin_prefetch(out + 0 * c->out_cb + 15 * LANES, 1); __builtin_prefetch(out + 0 * c->out_cb + 16 * LANES, 1); __builtin_prefetch(out + 0 * c->out_cb + 17 * LANES, 1); __builtin_prefetch(out + 0 * c->out_cb + 18 * LANES, 1); __builtin_prefetch(out + 0 * c->out_cb + 19 * LANES, 1); __builtin_prefetch(out + 0 * c->out_cb + 20 * LANES, 1); __builtin_prefetch(out + 0 * c->out_cb + 21 * LANES, 1); __builtin_prefetch(out + 0 * c->out_cb + 22 * LANES, 1); __builtin_prefetch(out + 0 * c->out_cb + 23 * LANES, 1); __builtin_prefetch(out + 0 * c->out_cb + 24 * LANES, 1); __builtin_prefetch(out + 0 * c->out_cb + 25 * LANES, 1); 
    __builtin_prefetch(out + 1 * c->out_cb + 13 * LANES, 1); __builtin_prefetch(out + 1 * c->out_cb + 14 * LANES, 1); __builtin_prefetch(out + 1 * c->out_cb + 15 * LANES, 1); __builtin_prefetch(out + 1 * c->out_cb + 16 * LANES, 1); __builtin_prefetch(out + 1 * c->out_cb + 17 * LANES, 1); __builtin_prefetch(out + 1 * c->out_cb + 18 * LANES, 1); __builtin_prefetch(out + 1 * c->out_cb + 19 * LANES, 1); __builtin_prefetch(out + 1 * c->out_cb + 20 * LANES, 1); __builtin_prefetch(out + 1 * c->out_cb + 21 * LANES, 1); __builtin_prefetch(out + 1 * c->out_cb + 22 * LANES, 1); __builtin_prefetch(out + 1 * c->out_cb + 23 * LANES, 1); __builtin_prefetch(out + 1 * c->out_cb + 24 * LANES, 1); __builtin_prefetch(out + 1 * c->out_cb + 25 * LANES, 1); 
    const vf b0 = vf_load(bias + 0 * LANES);
    vf a0_0_0 = b0, a0_0_1 = b0, a0_0_2 = b0, a0_0_3 = b0, a0_0_4 = b0, a0_0_5 = b0, a0_0_6 = b0, a0_0_7 = b0, a0_0_8 = b0, a0_0_9 = b0, a0_0_10 = b0, a0_0_11 = b0, a0_0_12 = b0;
    const vf b1 = vf_load(bias + 1 * LANES);
    vf a1_0_0 = b1, a1_0_1 = b1, a1_0_2 = b1, a1_0_3 = b1, a1_0_4 = b1, a1_0_5 = b1, a1_0_6 = b1, a1_0_7 = b1, a1_0_8 = b1, a1_0_9 = b1, a1_0_10 = b1, a1_0_11 = b1, a1_0_12 = b1;
const int64_t channels = c->C, R = c->R;
    for (int64_t k = 0; k < channels; k++, in += in_c) {
        const float *row = in;
        for (int64_t r = 0; r < R; r++, row += in_r) {
            const float *x0 = row;
            for (int64_t s = 1; s; s--, x0 += 1, w += 2 * LANES) {
                {
                    vf w0 = vf_load(w + 0 * LANES), w1 = vf_load(w + 1 * LANES);
                    SOL_HOLD(w0); SOL_HOLD(w1);
                    { VF_NUMBER(b, x0[0]); VF_ADD_PRODUCT(a0_0_0, w0, b); VF_ADD_PRODUCT(a1_0_0, w1, b); }
                    { VF_NUMBER(b, x0[1]); VF_ADD_PRODUCT(a0_0_1, w0, b); VF_ADD_PRODUCT(a1_0_1, w1, b); }
                    { VF_NUMBER(b, x0[2]); VF_ADD_PRODUCT(a0_0_2, w0, b); VF_ADD_PRODUCT(a1_0_2, w1, b); }
                    { VF_NUMBER(b, x0[3]); VF_ADD_PRODUCT(a0_0_3, w0, b); VF_ADD_PRODUCT(a1_0_3, w1, b); }
                    { VF_NUMBER(b, x0[4]); VF_ADD_PRODUCT(a0_0_4, w0, b); VF_ADD_PRODUCT(a1_0_4, w1, b); }
                    { VF_NUMBER(b, x0[5]); VF_ADD_PRODUCT(a0_0_5, w0, b); VF_ADD_PRODUCT(a1_0_5, w1, b); }
                    { VF_NUMBER(b, x0[6]); VF_ADD_PRODUCT(a0_0_6, w0, b); VF_ADD_PRODUCT(a1_0_6, w1, b); }
                    { VF_NUMBER(b, x0[7]); VF_ADD_PRODUCT(a0_0_7, w0, b); VF_ADD_PRODUCT(a1_0_7, w1, b); }
                    { VF_NUMBER(b, x0[8]); VF_ADD_PRODUCT(a0_0_8, w0, b); VF_ADD_PRODUCT(a1_0_8, w1, b); }
                    { VF_NUMBER(b, x0[9]); VF_ADD_PRODUCT(a0_0_9, w0, b); VF_ADD_PRODUCT(a1_0_9, w1, b); }
                    { VF_NUMBER(b, x0[10]); VF_ADD_PRODUCT(a0_0_10, w0, b); VF_ADD_PRODUCT(a1_0_10, w1, b); }
                    { VF_NUMBER(b, x0[11]); VF_ADD_PRODUCT(a0_0_11, w0, b); VF_ADD_PRODUCT(a1_0_11, w1, b); }
                    { VF_NUMBER(b, x0[12]); VF_ADD_PRODUCT(a0_0_12, w0, b); VF_ADD_PRODUCT(a1_0_12, w1, b); }
                }
                SOL_FENCE();
            }
        }
    }
    const vf t0_0_0_0 = vf_max_quiet(vf_set(0.0f), a0_0_0);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 0 * LANES, t0_0_0_0);
    const vf t0_0_1_0 = vf_max_quiet(vf_set(0.0f), a0_0_1);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 1 * LANES, t0_0_1_0);
    const vf t0_0_2_0 = vf_max_quiet(vf_set(0.0f), a0_0_2);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 2 * LANES, t0_0_2_0);
    const vf t0_0_3_0 = vf_max_quiet(vf_set(0.0f), a0_0_3);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 3 * LANES, t0_0_3_0);
    const vf t0_0_4_0 = vf_max_quiet(vf_set(0.0f), a0_0_4);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 4 * LANES, t0_0_4_0);
    const vf t0_0_5_0 = vf_max_quiet(vf_set(0.0f), a0_0_5);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 5 * LANES, t0_0_5_0);
    const vf t0_0_6_0 = vf_max_quiet(vf_set(0.0f), a0_0_6);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 6 * LANES, t0_0_6_0);
    const vf t0_0_7_0 = vf_max_quiet(vf_set(0.0f), a0_0_7);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 7 * LANES, t0_0_7_0);
    const vf t0_0_8_0 = vf_max_quiet(vf_set(0.0f), a0_0_8);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 8 * LANES, t0_0_8_0);
    const vf t0_0_9_0 = vf_max_quiet(vf_set(0.0f), a0_0_9);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 9 * LANES, t0_0_9_0);
    const vf t0_0_10_0 = vf_max_quiet(vf_set(0.0f), a0_0_10);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 10 * LANES, t0_0_10_0);
    const vf t0_0_11_0 = vf_max_quiet(vf_set(0.0f), a0_0_11);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 11 * LANES, t0_0_11_0);
    const vf t0_0_12_0 = vf_max_quiet(vf_set(0.0f), a0_0_12);
    vf_store(out + 0 * c->out_cb + 0 * c->out_row + 12 * LANES, t0_0_12_0);
    const vf t1_0_0_0 = vf_max_quiet(vf_set(0.0f), a1_0_0);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 0 * LANES, t1_0_0_0);
    const vf t1_0_1_0 = vf_max_quiet(vf_set(0.0f), a1_0_1);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 1 * LANES, t1_0_1_0);
    const vf t1_0_2_0 = vf_max_quiet(vf_set(0.0f), a1_0_2);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 2 * LANES, t1_0_2_0);
    const vf t1_0_3_0 = vf_max_quiet(vf_set(0.0f), a1_0_3);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 3 * LANES, t1_0_3_0);
    const vf t1_0_4_0 = vf_max_quiet(vf_set(0.0f), a1_0_4);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 4 * LANES, t1_0_4_0);
    const vf t1_0_5_0 = vf_max_quiet(vf_set(0.0f), a1_0_5);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 5 * LANES, t1_0_5_0);
    const vf t1_0_6_0 = vf_max_quiet(vf_set(0.0f), a1_0_6);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 6 * LANES, t1_0_6_0);
    const vf t1_0_7_0 = vf_max_quiet(vf_set(0.0f), a1_0_7);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 7 * LANES, t1_0_7_0);
    const vf t1_0_8_0 = vf_max_quiet(vf_set(0.0f), a1_0_8);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 8 * LANES, t1_0_8_0);
    const vf t1_0_9_0 = vf_max_quiet(vf_set(0.0f), a1_0_9);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 9 * LANES, t1_0_9_0);
    const vf t1_0_10_0 = vf_max_quiet(vf_set(0.0f), a1_0_10);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 10 * LANES, t1_0_10_0);
    const vf t1_0_11_0 = vf_max_quiet(vf_set(0.0f), a1_0_11);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 11 * LANES, t1_0_11_0);
    const vf t1_0_12_0 = vf_max_quiet(vf_set(0.0f), a1_0_12);
    vf_store(out + 1 * c->out_cb + 0 * c->out_row + 12 * LANES, t1_0_12_0);
}

/* Panel of vectors that starts at kb, tiles t0 … t1 - 1. */
static void panel_2(const conv *c, int64_t kb, int64_t t0, int64_t t1, const band *b)
{
    const float *w = c->w + kb * c->w_kb;
    const float *bias = c->bias + kb * LANES;
    float *out = c->out + kb * c->out_cb;
    int64_t n = t0 / (c->rows * c->columns), y = t0 / c->columns % c->rows, x = t0 % c->columns;
    for (; t0 < t1; t0++) {
        const int copied = x < b->direct || x >= b->right;
        const float *in = copied ? b->copy + (y - b->y) * c->stride_y * c->LINE + (x - b->x) * STEP
                                  : c->in + n * c->source_n + (y * c->stride_y - c->pad_y) * c->source_h + x * STEP - c->pad_x;
        const int64_t in_c = copied ? c->LINES * c->LINE : c->source_c, line = copied ? c->LINE : c->source_h, in_r = c->dilation_y * line;
        const float *i = in;
        float *o = out + n * c->out_n + y * 1 * c->out_row + x * 13 * LANES;
        tile_2x1x13(c, i, in_c, in_r, w, bias, o);
if (++x == c->columns) {
            x = 0;
            if (++y == c->rows) y = 0, n++;
        }
    }
}

static inline vf gather(vf total, vf v) { return total + v; }

/* The team's share of the pooling of ``map``, whose rows lie ``row`` elements apart. Several sums of each vector: rounding errors grow with their length. */
static __attribute__((noinline)) void pool_map(const sol_team *team, const float *map, int64_t map_n, int64_t map_cb, int64_t row, int64_t images, int64_t vectors, int64_t rows, int64_t columns, float *to, int64_t to_n, int64_t to_cb, int64_t to_lane, int64_t channels, int64_t count)
{
    int64_t u0, u1;
    sol_split(team, images * vectors, &u0, &u1);
    if (row == columns * LANES) columns *= rows, rows = 1;
    for (; u0 < u1; u0++) {
        const int64_t kb = u0 % vectors;
        const vf none = vf_set(0.0f);
        vf t0 = none, t1 = none, t2 = none, t3 = none;
        for (int64_t y = 0; y < rows; y++) {
            const float *at = map + u0 / vectors * map_n + kb * map_cb + y * row;
            int64_t left = columns;
            for (; left >= 4; left -= 4, at += 4 * LANES)
                t0 = gather(t0, vf_load(at)), t1 = gather(t1, vf_load(at + LANES)), t2 = gather(t2, vf_load(at + 2 * LANES)), t3 = gather(t3, vf_load(at + 3 * LANES));
            for (; left; left--, at += LANES) t0 = gather(t0, vf_load(at));
        }
        const vf total = gather(gather(t0, t1), gather(t2, t3));
        float lane[LANES];
        vf_store(lane, total / (float)count);
        float *o = to + u0 / vectors * to_n + kb * to_cb;
        for (int64_t i = 0; i < LANES && kb * LANES + i < channels; i++) o[i * to_lane] = lane[i];
    }
}

static void panel(const conv *c, int64_t kb, int64_t t0, int64_t t1, const band *b)
{
    panel_2(c, kb, t0, t1, b);
}

void conv_stem_1_s1_2x13_relu_mean_pool(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    const float *w = buf[1];
    const float *bias = buf[2];
    float *pooled = buf[3];
    const int64_t N = arg[0];
    const int64_t OH = arg[1];
    const int64_t OW = arg[2];
    const int64_t groups = arg[3];
    const int64_t group_vectors = arg[4];
    const int64_t C = arg[5];
    const int64_t H = arg[6];
    const int64_t W = arg[7];
    const int64_t LINES = arg[8];
    const int64_t LINE = arg[9];
    const int64_t band_rows = arg[10];
    const int64_t band_columns = arg[11];
    const int64_t R = arg[12];
    const int64_t S = arg[13];
    const int64_t pad_y = arg[14];
    const int64_t pad_x = arg[15];
    const int64_t stride_y = arg[16];
    const int64_t dilation_y = arg[17];
    const int64_t source_n = arg[18];
    const int64_t source_c = arg[19];
    const int64_t source_h = arg[20];
    const int64_t source_w = arg[21];
    const int64_t map_start = arg[22];
    const int64_t pooled_n = arg[23];
    const int64_t pooled_cb = arg[24];
    const int64_t pooled_lane = arg[25];
    const int64_t pooled_channels = arg[26];
    const int64_t count = arg[27];
    (void)team; (void)buf; (void)arg;
    const int64_t vectors = groups * group_vectors;
    float *const out = (float *)team->shared_scratch + map_start;
    const int64_t out_row = OW * LANES, out_cb = OH * out_row, out_n = vectors * out_cb;
    const int64_t rows = (OH + 0) / 1, columns = (OW + 12) / 13, tiles = N * rows * columns;
    const int64_t w_kb = C * R * S * LANES, panels = (vectors + 1) / 2;
    const int64_t most = (tiles + team->size - 1) / team->size * team->size; /* tiles of the slowest thread, times the team */
    const int by_panels = (most - tiles) * 16 > tiles;
    conv c = {
        .in = in, .w = w, .bias = bias, .pooled = pooled, .N = N, .OH = OH, .OW = OW, .groups = groups,
        .group_vectors = group_vectors, .C = C, .H = H, .W = W, .LINES = LINES, .LINE = LINE, .band_rows = band_rows, .band_columns = band_columns,
        .R = R, .S = S, .pad_y = pad_y, .pad_x = pad_x, .stride_y = stride_y, .dilation_y = dilation_y, .source_n = source_n, .source_c = source_c,
        .source_h = source_h, .source_w = source_w, .map_start = map_start, .pooled_n = pooled_n, .pooled_cb = pooled_cb, .pooled_lane = pooled_lane, .pooled_channels = pooled_channels, .count = count,
        .out = out, .out_n = out_n, .out_cb = out_cb, .out_row = out_row, .rows = rows, .columns = columns, .w_kb = w_kb,
    };
    if (tiles == 0) return;
    if (source_w == 1) {
        int64_t first, end;
        find_inner(&first, &end, OW, 1, pad_x, (S - 1) * 1 + 1, W);
        c.inner_x = (first + 12) / 13, c.inner_x_end = end == OW ? columns : end / 13;
        if ((c.inner_x_end - c.inner_x) * 4 >= columns * 3) find_inner(&c.inner_y, &c.inner_y_end, OH, stride_y, pad_y, (R - 1) * dilation_y + 1, H);
    }
    float *at = (float *)team->scratch;
    int64_t u0, u1, first = 0, last = tiles;
    {
        /* A share: (panel, tile) pairs u0 … u1 - 1 of those of tiles first … last - 1. */
        sol_share share = by_panels ? sol_fixed_share(team, panels * tiles, team->size) : sol_share_of(team, tiles, team->size);
        while (sol_share_take(&share, &u0, &u1)) {
            if (by_panels) {
                first = 0, last = tiles;
                if (u0 / tiles == (u1 - 1) / tiles) first = u0 % tiles, last = (u1 - 1) % tiles + 1;
            } else
            first = u0, last = u1, u0 = 0, u1 = panels * tiles;
            for (int64_t b0 = first, b1; b0 < last; b0 = b1) {
                band b;
            b1 = copy_band(&c, &b, b0, last, (float *)at);
                for (int64_t kb = u0 / tiles; kb * tiles < u1; kb++) {
                    const int64_t from = kb * tiles, t0 = u0 - from > b0 ? u0 - from : b0, t1 = u1 - from < b1 ? u1 - from : b1;
                    if (t0 < t1) panel(&c, kb * 2, t0, t1, &b);
                }
            }
        }
    }
    sol_barrier(team);
    pool_map(team, out, out_n, out_cb, out_row, N, vectors, OH, OW, pooled, pooled_n, pooled_cb, pooled_lane, pooled_channels, count);
}
