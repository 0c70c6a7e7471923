/* Convolution of a plain input with few channels, NCHW -> NCHWc, then relu, then mean over the whole map.
 *
 * Each thread copies what a band of output rows reads into a zero-padded scratch of its own, [C][LINES][LINE], small enough for the cache;
 * then register tiles of 2 output vectors x 13 pixels take the whole reduction, the taps of a filter row unrolled.
 * Where most tiles' windows lie inside the image, and its elements side by side, these tiles read it where it is.
 *   band of this thread's tiles (image, row, column)
 *     copy the lines of the input, or those parts that tiles at the border read
 *     panel of 2 output vectors, tile
 *       channel, filter row, tap
 * Too few tiles for the team: the threads share out panels and tiles, and go through the bands once per panel.
 *
 * w: [panel][channel][r][s][2 * LANES]. */
#include "sol_team.h"
#include "sol_simd.h"

enum { WIDTH = 13, PANEL = 2 };

typedef struct conv {
    const float *in;
    const float *w;
    const float *bias;
    float *pooled;
    float *out;
    int64_t N, OH, OW, C, H, W, LINES, LINE, band_rows, band_columns, R, S, pad_y, pad_x, stride_y, dilation_y;
    int64_t vectors, source_n, source_c, source_h, source_w, map_start, pooled_n, pooled_cb, pooled_lane, pooled_channels, count, out_n, out_cb, out_row, in_c, in_row;
    int64_t in_r, w_kb, columns;
    const struct conv *direct; /* the same with the strides of the image itself */
    int64_t inner_y, inner_y_end, inner_x, inner_x_end; /* rows and columns of tiles that need no copy; no row if there are few */
} conv;

/* Tiles of one image: rows [y, y_end) and columns [x, x_end), those from ``direct`` to ``right`` without a copy. */
typedef struct {
    int64_t n, y, y_end, x, direct, right, x_end;
    const float *left_copy, *right_copy;
} band;

static __attribute__((noinline)) void tile_2x1x13(const conv *c, const float *in, const float *w, const float *bias, float *out)
{
__builtin_prefetch(out + 0 * c->out_cb + 13 * LANES, 1); __builtin_prefetch(out + 0 * c->out_cb + 14 * LANES, 1); __builtin_prefetch(out + 0 * c->out_cb + 15 * LANES, 1); __builtin_prefetch(out + 0 * c->out_cb + 16 * LANES, 1); __builtin_prefetch(out + 0 * c->out_cb + 17 * LANES, 1); __builtin_prefetch(out + 0 * c->out_cb + 18 * LANES, 1); __builtin_prefetch(out + 0 * c->out_cb + 19 * LANES, 1); __builtin_prefetch(out + 0 * c->out_cb + 20 * LANES, 1); __builtin_prefetch(out + 0 * c->out_cb + 21 * LANES, 1); __builtin_prefetch(out + 0 * c->out_cb + 22 * LANES, 1); __builtin_prefetch(out + 0 * c->out_cb + 23 * LANES, 1); __builtin_prefetch(out + 0 * c->out_cb + 24 * LANES, 1); __builtin_prefetch(out + 0 * c->out_cb + 25 * LANES, 1); 
__builtin_prefetch(out + 1 * c->out_cb + 13 * LANES, 1); __builtin_prefetch(out + 1 * c->out_cb + 14 * LANES, 1); __builtin_prefetch(out + 1 * c->out_cb + 15 * LANES, 1); __builtin_prefetch(out + 1 * c->out_cb + 16 * LANES, 1); __builtin_prefetch(out + 1 * c->out_cb + 17 * LANES, 1); __builtin_prefetch(out + 1 * c->out_cb + 18 * LANES, 1); __builtin_prefetch(out + 1 * c->out_cb + 19 * LANES, 1); __builtin_prefetch(out + 1 * c->out_cb + 20 * LANES, 1); __builtin_prefetch(out + 1 * c->out_cb + 21 * LANES, 1); __builtin_prefetch(out + 1 * c->out_cb + 22 * LANES, 1); __builtin_prefetch(out + 1 * c->out_cb + 23 * LANES, 1); __builtin_prefetch(out + 1 * c->out_cb + 24 * LANES, 1); __builtin_prefetch(out + 1 * c->out_cb + 25 * LANES, 1); 
    const vf b0 = vf_load(bias + 0 * LANES);
    vf a0_0_0 = b0, a0_0_1 = b0, a0_0_2 = b0, a0_0_3 = b0, a0_0_4 = b0, a0_0_5 = b0, a0_0_6 = b0, a0_0_7 = b0, a0_0_8 = b0, a0_0_9 = b0, a0_0_10 = b0, a0_0_11 = b0, a0_0_12 = b0;
    const vf b1 = vf_load(bias + 1 * LANES);
    vf a1_0_0 = b1, a1_0_1 = b1, a1_0_2 = b1, a1_0_3 = b1, a1_0_4 = b1, a1_0_5 = b1, a1_0_6 = b1, a1_0_7 = b1, a1_0_8 = b1, a1_0_9 = b1, a1_0_10 = b1, a1_0_11 = b1, a1_0_12 = b1;
const int64_t channels = c->C, R = c->R, in_c = c->in_c, in_r = c->in_r;
    for (int64_t k = 0; k < channels; k++, in += in_c) {
        const float *row = in;
        for (int64_t r = 0; r < R; r++, row += in_r) {
            {
                const float *x0 = row;
                {
                    const vf w0 = vf_load(w + 0 * LANES), w1 = vf_load(w + 1 * LANES);
                    { const float b = x0[0]; a0_0_0 += w0 * b; a1_0_0 += w1 * b; }
                    { const float b = x0[1]; a0_0_1 += w0 * b; a1_0_1 += w1 * b; }
                    { const float b = x0[2]; a0_0_2 += w0 * b; a1_0_2 += w1 * b; }
                    { const float b = x0[3]; a0_0_3 += w0 * b; a1_0_3 += w1 * b; }
                    { const float b = x0[4]; a0_0_4 += w0 * b; a1_0_4 += w1 * b; }
                    { const float b = x0[5]; a0_0_5 += w0 * b; a1_0_5 += w1 * b; }
                    { const float b = x0[6]; a0_0_6 += w0 * b; a1_0_6 += w1 * b; }
                    { const float b = x0[7]; a0_0_7 += w0 * b; a1_0_7 += w1 * b; }
                    { const float b = x0[8]; a0_0_8 += w0 * b; a1_0_8 += w1 * b; }
                    { const float b = x0[9]; a0_0_9 += w0 * b; a1_0_9 += w1 * b; }
                    { const float b = x0[10]; a0_0_10 += w0 * b; a1_0_10 += w1 * b; }
                    { const float b = x0[11]; a0_0_11 += w0 * b; a1_0_11 += w1 * b; }
                    { const float b = x0[12]; a0_0_12 += w0 * b; a1_0_12 += w1 * b; }
                }
                SOL_FENCE();
                w += 2 * LANES;
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

/* The panel of vectors that starts at kb. */
static void panel_2(const conv *copied, int64_t kb, const band *b)
{
    const float *w = copied->w + kb * copied->w_kb;
    const float *bias = copied->bias + kb * LANES;
    float *out = copied->out + kb * copied->out_cb;
    const int64_t n = b->n;
    for (int64_t y = b->y; y < b->y_end; y++)
        for (int64_t x = b->x; x < b->x_end; x++) {
            const conv *c = copied;
            const float *in;
            if (x < b->direct) in = b->left_copy + (y - b->y) * c->in_row + (x - b->x) * 13;
            else if (x >= b->right) in = b->right_copy + (y - b->y) * c->in_row + (x - b->right) * 13;
            else {
                c = copied->direct;
                in = c->in + n * c->source_n + (y * c->stride_y - c->pad_y) * c->source_h + x * 13 - c->pad_x;
            }
            const float *i = in;
            float *o = out + n * c->out_n + y * 1 * c->out_row + x * 13 * LANES;
            tile_2x1x13(c, i, w, bias, o);
}
}

/* n elements, the first of which goes to a multiple of a vector; zeros fill the last vector. */
static inline void copy_line(float *to, const float *from, int64_t n)
{
    int64_t x = 0;
    for (; x + LANES <= n; x += LANES) vf_store(to + x, vf_load(from + x));
    if (x < n) vf_store(to + x, vf_load_n(from + x, (int)(n - x)));
}

/* What columns x … x_end - 1 of the band read, with the zeros around the image. Returns where it begins: so that what is copied begins at a
 * multiple of a vector. */
static const float *copy_lines(const conv *c, const band *b, int64_t x, int64_t x_end, float *to)
{
    const int64_t pixels = x_end == c->columns ? c->OW - x * WIDTH : (x_end - x) * WIDTH;
    const int64_t lines = (b->y_end - 1 - b->y) * c->stride_y + (c->R - 1) * c->dilation_y + 1;
    const int64_t left = x * WIDTH * 1 - c->pad_x, width = (pixels - 1) * 1 + (c->S - 1) * 1 + 1;
    int64_t begin = left < 0 ? -left : 0, end = c->W - left < width ? c->W - left : width; /* columns of the image */
    if (begin > width) begin = width;
    if (end < begin) end = begin;
    to += (LANES - begin % LANES) % LANES;
    for (int64_t k = 0; k < c->C; k++) {
        float *line = to + k * c->in_c;
        for (int64_t i = 0; i < lines; i++, line += c->LINE) {
            const int64_t y = b->y * c->stride_y - c->pad_y + i;
            if (y < 0 || y >= c->H) {
                memset(line, 0, width * sizeof *line);
                continue;
            }
            const float *s = c->in + b->n * c->source_n + k * c->source_c + y * c->source_h + left * c->source_w;
            if (0 < begin && begin <= LANES) vf_store(line + begin - LANES, vf_zero());
            else for (int64_t x = 0; x < begin; x++) line[x] = 0;
            if (c->source_w == 1) copy_line(line + begin, s + begin, end - begin);
            else for (int64_t x = begin; x < end; x++) line[x] = s[x * c->source_w];
            for (int64_t x = end; x < width; x++) line[x] = 0;
        }
    }
    return to;
}

static inline int64_t within(int64_t x, int64_t low, int64_t high) { return x < low ? low : x > high ? high : x; }

/* Elements of a line, a multiple of a vector, of the copy for so many tiles side by side. */
static inline int64_t copied_line(const conv *c, int64_t tiles)
{
    return tiles ? ((tiles * WIDTH - 1) * 1 + (c->S - 1) * 1 + 2 * LANES - 1) / LANES * LANES : 0;
}

/* Tiles t0 … t1 - 1 of all images, vectors k0 … k1 - 1: bands of several rows, or of a part of one. */
static void walk(const conv *c, float *scratch, int64_t t0, int64_t t1, int64_t k0, int64_t k1)
{
    while (t0 < t1) {
        band b = {.n = t0 / (c->OH * c->columns), .y = t0 / c->columns % c->OH, .x = t0 % c->columns};
        int64_t rows = 1, columns = c->columns - b.x;
        if (b.x == 0 && t1 - t0 >= c->columns && c->columns <= c->band_columns) {
            rows = (t1 - t0) / c->columns;
            if (rows > c->band_rows) rows = c->band_rows;
            if (rows > c->OH - b.y) rows = c->OH - b.y;
        } else {
            if (columns > c->band_columns) columns = c->band_columns;
            if (columns > t1 - t0) columns = t1 - t0;
        }
        b.x_end = b.direct = b.right = b.x + columns;
        if (b.y >= c->inner_y && b.y < c->inner_y_end) {
            if (rows > c->inner_y_end - b.y) rows = c->inner_y_end - b.y;
            b.direct = within(c->inner_x, b.x, b.x_end), b.right = within(c->inner_x_end, b.x, b.x_end);
        } else if (b.y < c->inner_y && rows > c->inner_y - b.y) rows = c->inner_y - b.y;
        b.y_end = b.y + rows, t0 += rows * columns;
        if (b.x < b.direct) b.left_copy = copy_lines(c, &b, b.x, b.direct, scratch);
        if (b.right < b.x_end) b.right_copy = copy_lines(c, &b, b.right, b.x_end, scratch + copied_line(c, b.direct - b.x));
        for (int64_t kb = k0; kb < k1; kb += PANEL) {
            panel_2(c, kb, &b);
        }
    }
}

/* First and one behind the last of count outputs whose windows, that begin at i * stride - pad and are reach long, lie inside size elements. */
static void find_inner(int64_t *first, int64_t *end, int64_t count, int64_t stride, int64_t pad, int64_t reach, int64_t size)
{
    *first = (pad + stride - 1) / stride;
    *end = size + pad < reach ? 0 : (size + pad - reach) / stride + 1;
    if (*end > count) *end = count;
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

void conv_stem_1_s1_2x13_relu_mean_pool(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    const float *w = buf[1];
    const float *bias = buf[2];
    float *pooled = buf[3];
    const int64_t N = arg[0];
    const int64_t OH = arg[1];
    const int64_t OW = arg[2];
    const int64_t C = arg[3];
    const int64_t H = arg[4];
    const int64_t W = arg[5];
    const int64_t LINES = arg[6];
    const int64_t LINE = arg[7];
    const int64_t band_rows = arg[8];
    const int64_t band_columns = arg[9];
    const int64_t R = arg[10];
    const int64_t S = arg[11];
    const int64_t pad_y = arg[12];
    const int64_t pad_x = arg[13];
    const int64_t stride_y = arg[14];
    const int64_t dilation_y = arg[15];
    const int64_t vectors = arg[16];
    const int64_t source_n = arg[17];
    const int64_t source_c = arg[18];
    const int64_t source_h = arg[19];
    const int64_t source_w = arg[20];
    const int64_t map_start = arg[21];
    const int64_t pooled_n = arg[22];
    const int64_t pooled_cb = arg[23];
    const int64_t pooled_lane = arg[24];
    const int64_t pooled_channels = arg[25];
    const int64_t count = arg[26];
    (void)team; (void)buf; (void)arg;
    float *const out = (float *)team->common + map_start;
    const int64_t out_row = OW * LANES, out_cb = OH * out_row, out_n = vectors * out_cb;
const int64_t in_c = LINES * LINE, in_row = stride_y * LINE, in_r = dilation_y * LINE, w_kb = C * R * S * LANES, columns = (OW + WIDTH - 1) / WIDTH;
    conv direct, c = {
        .in = in, .w = w, .bias = bias, .pooled = pooled, .N = N, .OH = OH, .OW = OW, .C = C,
        .H = H, .W = W, .LINES = LINES, .LINE = LINE, .band_rows = band_rows, .band_columns = band_columns, .R = R, .S = S,
        .pad_y = pad_y, .pad_x = pad_x, .stride_y = stride_y, .dilation_y = dilation_y, .vectors = vectors, .source_n = source_n, .source_c = source_c, .source_h = source_h,
        .source_w = source_w, .map_start = map_start, .pooled_n = pooled_n, .pooled_cb = pooled_cb, .pooled_lane = pooled_lane, .pooled_channels = pooled_channels, .count = count, .out = out,
        .out_n = out_n, .out_cb = out_cb, .out_row = out_row, .in_c = in_c, .in_row = in_row, .in_r = in_r, .w_kb = w_kb, .columns = columns,
.direct = &direct,
    };
    if (source_w == 1) {
        int64_t first, end;
        find_inner(&first, &end, OW, 1, pad_x, (S - 1) * 1 + 1, W);
        c.inner_x = (first + WIDTH - 1) / WIDTH, c.inner_x_end = end == OW ? c.columns : end / WIDTH;
        if ((c.inner_x_end - c.inner_x) * 4 >= c.columns * 3 && copied_line(&c, c.inner_x) + copied_line(&c, c.columns - c.inner_x_end) <= LINE)
            find_inner(&c.inner_y, &c.inner_y_end, OH, stride_y, pad_y, (R - 1) * dilation_y + 1, H);
    }
    direct = c, direct.in_c = source_c, direct.in_r = dilation_y * source_h;
    const int64_t tiles = N * OH * c.columns, most = (tiles + team->size - 1) / team->size * team->size;
    int64_t t0, t1, u0, u1;
    if ((most - tiles) * 16 <= tiles) {
        sol_split(team, tiles, &t0, &t1);
        walk(&c, (float *)team->scratch, t0, t1, 0, vectors);
    } else {
        sol_split(team, vectors * tiles, &u0, &u1);
        for (int64_t kb = 0, width; kb < vectors; kb += width) {
            width = vectors - kb < PANEL ? vectors - kb : PANEL;
            t0 = u0 > kb * tiles ? (u0 - kb * tiles) / width : 0, t1 = u1 > kb * tiles ? (u1 - kb * tiles) / width : 0;
            walk(&c, (float *)team->scratch, t0, t1 < tiles ? t1 : tiles, kb, kb + width);
        }
    }
    sol_barrier(team);
    pool_map(team, out, out_n, out_cb, out_row, N, vectors, OH, OW, pooled, pooled_n, pooled_cb, pooled_lane, pooled_channels, count);
}
