/* conv_weight_inner_product: gradient of a convolution for its weights by Winograd's inner product; blocked operands, row-major result.
 *
 *   out[k, c, r, s] = sum over n, y, x of grad[n, k, y, x] * in[n, c, y * sy + r * dy - py, x * sx + s * dx - px]
 *
 * Lanes are channels of the gradient. Tile of registers: a vector of them times 16 channels of the input.
 *   (set, part) of this thread       set: panels of a vector x steps of channels; part: of all chunks
 *     chunk of pixels: channels of the input are packed, scaled, [step][16 pixels][channel][16 pixels], for each tap
 *       panel: packed, scaled, [pixel][LANES]
 *         step: the tile over the chunk's pixels; added to the set's sums
 *     sums -> result; of several parts in the end, always in the same order
 * Each channel is scaled by the root of its mean square over the chunk's pixels. Its share is the square of its mean magnitude over that root. */
#include "sol_team.h"
#include "sol_simd.h"
#include "sol_pack.h"

enum { STEP = 16, WIDEST = 1 };

/* Winograd's inner product: two terms of a sum share a multiply-add and take two additions, for which this processor has units of their own:
 *   x * w + x' * w' = (x + w') * (x' + w) - x * x' - w * w'
 * Of 16 terms, PAIRS and those HALF behind them are paired. In every other pair x' and w' are negated, so that what is subtracted nearly cancels.
 * Each channel is scaled by the root of its mean square. Its share is the square of its mean magnitude over that root: where the product of the
 * shares of both operands is small, most of their numbers are, and nothing is paired. */
enum { MOST = 22, PAIRS = 5, HALF = 8 };

/* Where the sums of a panel and a step go. vectors, numbers: how many channels of each are left from the tile's first on. */
typedef struct {
    float *out;
    int64_t vectors, numbers;
} place;

static void write_tile(const float *sums, int64_t width, place to, int64_t taps, int64_t vector_step, int64_t number_step)
{
    const int64_t numbers = to.numbers < STEP ? to.numbers : STEP, vectors = to.vectors < width * LANES ? to.vectors : width * LANES;
    if (taps == 1 && number_step == 1 && (int)LANES >= (int)STEP) {
        for (int64_t i = 0; i < vectors; i += LANES) {
            vf turned[LANES] = {0};
            for (int j = 0; j < STEP; j++) turned[j] = vf_load(sums + j * width * LANES + i);
            vf_transpose(turned);
            for (int j = 0; j < LANES && i + j < vectors; j++) vf_store_n(to.out + (i + j) * vector_step, turned[j], (int)numbers);
        }
        return;
    }
    for (int64_t i = 0; i < vectors; i++) {
        float *row = to.out + i * vector_step;
        for (int64_t j = 0; j < numbers; j++) {
            float *at = row + j * number_step;
            const float *from = sums + j * width * LANES + i;
            for (int64_t tap = 0; tap < taps; tap++) at[tap] = from[tap * STEP * width * LANES];
        }
    }
}

/* An operand as the pixels of a result see it at one tap: elements from one image, row and pixel to the next; rows and columns that exist; the first
 * row and column that is read, and steps. */
typedef struct {
    int64_t n, row, x, H, W, y0, x0, sy, sx;
} map;

/* Pixels first … first + count - 1 of OH x OW of LANES channels, zeros beyond the map: to[pixel][LANES]; sums of their squares and of their magnitudes. */
static __attribute__((noinline)) void gather(float *to, const float *from, const map *m, int64_t OH, int64_t OW, int64_t first, int64_t count, vf *squares, vf *magnitudes)
{
    vf a = vf_zero(), b = vf_zero(), c = vf_zero(), d = vf_zero();
    int64_t n = first / (OH * OW), y = first % (OH * OW) / OW, x = first % OW;
    for (int64_t left = count, run; left; left -= run, x = 0, y = y + 1 < OH ? y + 1 : 0, n += y == 0) {
        run = OW - x < left ? OW - x : left;
        const int64_t row = m->y0 + y * m->sy, column = m->x0 + x * m->sx;
        int64_t before = column < 0 ? (-column + m->sx - 1) / m->sx : 0, inside = m->W - 1 - column < 0 ? 0 : (m->W - 1 - column) / m->sx + 1;
        if (row < 0 || row >= m->H) before = run;
        if (before > run) before = run;
        if (inside > run) inside = run;
        if (inside < before) inside = before;
        const float *at = from + n * m->n + row * m->row + (column + before * m->sx) * m->x;
        const int64_t next = m->sx * m->x;
        for (int64_t i = 0; i < before; i++, to += LANES) vf_store(to, vf_zero());
        int64_t i = before;
        for (; i + 1 < inside; i += 2, at += 2 * next, to += 2 * LANES) {
            const vf v = vf_load(at), w = vf_load(at + next);
            vf_store(to, v), vf_store(to + LANES, w);
            a += v * v, b += vf_abs(v), c += w * w, d += vf_abs(w);
        }
        for (; i < inside; i++, at += next, to += LANES) {
            const vf v = vf_load(at);
            vf_store(to, v);
            a += v * v, b += vf_abs(v);
        }
        for (; i < run; i++, to += LANES) vf_store(to, vf_zero());
    }
    *squares = a + c, *magnitudes = b + d;
}

/* Where pixels first … first + count - 1 are read, or are neighbours of what is, in bytes, if they lie in one image and exist; else ``otherwise``. */
SOL_INLINE int64_t address(const float *from, const map *m, int64_t OH, int64_t OW, int64_t first, int64_t count, int64_t every, const float *otherwise)
{
    const int64_t n = first / (OH * OW), y = first % (OH * OW) / OW, x = first % OW, last = first + count < every ? first + count - 1 : every - 1;
    if (first >= every || last / (OH * OW) != n) return (int64_t)otherwise;
    return (int64_t)from + 4 * (n * m->n + (m->y0 + y * m->sy) * m->row + (m->x0 + x * m->sx) * m->x);
}

/* Powers of two that scale data of these magnitudes to one from 1 up to 2, and what undoes it. */
SOL_INLINE vf pair_scale(vf size, vf *undo)
{
    const vi exponent = (vi)size & 0x7f800000, huge = exponent > 0x7e000000, kept = (huge & 0x7e000000) | (~huge & exponent);
    *undo = (vf)kept;
    return (vf)(0x7f000000 - kept);
}
/* Do squares of a channel that is not zero leave the range? */
SOL_INLINE int out_of_range(vf squares, vf magnitudes)
{
    int found = 0;
    for (int i = 0; i < LANES; i++) found |= magnitudes[i] != 0 && !(squares[i] > 1e-30f && squares[i] < 1e30f);
    return found;
}

/* The same, while all is finite. */
SOL_INLINE int too_small_or_large(vf squares, vf magnitudes)
{
    int finite = 1;
    for (int i = 0; i < LANES; i++) finite &= magnitudes[i] < INFINITY;
    return finite && out_of_range(squares, magnitudes);
}

/* Powers of two that scale channels, what undoes them, and their shares, -1 for channels that are zero. Where something is not finite, nothing is
 * scaled, and no share is a number, so that products are not paired. */
SOL_INLINE vf scales(vf squares, vf magnitudes, int64_t depth, vf *undo, vf *share)
{
    const vf root = vf_sqrt(squares * (1.0f / (float)depth)), scale = pair_scale(root, undo), mean = magnitudes * (1.0f / (float)depth) / root;
    if (out_of_range(squares, magnitudes)) {
        *undo = vf_set(1), *share = vf_set(__builtin_nanf(""));
        return vf_set(1);
    }
    *share = mean * mean;
    for (int i = 0; i < LANES; i++)
        if (magnitudes[i] == 0) (*share)[i] = -1;
    return scale;
}

/* Powers of two that scale channels by their mean magnitude, 1 for those that are zero. */
SOL_INLINE vf by_magnitude(vf magnitudes, int64_t depth, vf *before)
{
    const vi none = magnitudes == vf_zero();
    const vf by = pair_scale(magnitudes * (1.0f / (float)depth), before);
    *before = vf_select(none, vf_set(1), *before);
    return vf_select(none, vf_set(1), by);
}

/* The same of gathered[depth][LANES]; squares that leave the range are taken again of numbers that are scaled by their mean magnitude. */
static __attribute__((noinline)) vf scales_of(const float *gathered, vf squares, vf magnitudes, int64_t depth, vf *undo, vf *share)
{
    if (!too_small_or_large(squares, magnitudes)) return scales(squares, magnitudes, depth, undo, share);
    vf before;
    const vf by = by_magnitude(magnitudes, depth, &before);
    squares = vf_zero();
    for (int64_t d = 0; d < depth; d++) {
        const vf v = vf_load(gathered + d * LANES) * by;
        squares += v * v;
    }
    const vf scale = scales(squares, magnitudes * by, depth, undo, share) * by;
    *undo *= before;
    return scale;
}

/* Mean of the shares of channels that are not zero. */
static float share_of(const float *shares, int64_t count)
{
    float total = 0, found = 0;
    for (int64_t i = 0; i < count; i++)
        if (!(shares[i] < 0)) total += shares[i], found++;
    return found > 0 ? total / found : 0;
}
/* A step of 16 terms, scaled, with the signs of pairs; what these subtract is added up. */
SOL_INLINE void scaled_step(vf v[LANES], const float *from, vf scale, int64_t step, vf *subtracted)
{
#pragma GCC unroll 16
    for (int j = 0; j < LANES; j++) v[j] = vf_load(from + j * LANES) * scale;
    if (step % 2 == 0) { v[9] = -v[9]; v[11] = -v[11]; }
    if (step % 2 == 1) { v[8] = -v[8]; v[10] = -v[10]; v[12] = -v[12]; }
#pragma GCC unroll 8
    for (int j = 0; j < PAIRS; j++) *subtracted += v[j] * v[j + HALF];
}

/* LANES channels of so many steps, in place; behind them what pairs subtract, and what undoes the scaling. */
static __attribute__((noinline)) float pack_vectors(float *panel, int64_t steps, int64_t depth, vf squares, vf magnitudes)
{
    vf undo, share, subtracted = vf_zero();
    float shares[LANES];
    const vf scale = scales_of(panel, squares, magnitudes, depth, &undo, &share);
    float *at = panel;
    for (int64_t s = 0; s < steps; s++, at += LANES * LANES) {
        vf v[LANES];
        scaled_step(v, at, scale, s, &subtracted);
#pragma GCC unroll 16
        for (int j = 0; j < LANES; j++) vf_store(at + j * LANES, v[j]);
    }
    vf_store(at, subtracted), vf_store(at + LANES, undo), vf_store(shares, share);
    return share_of(shares, LANES);
}

/* Packed numbers of a set: [step of channels][step of the reduction][STEP][16 terms], and for each step of channels what pairs subtract, factors and shares. */
typedef struct {
    float *data, *beside;
    int64_t size; /* of a step of channels */
} packed;

/* LANES channels from ``number`` on, of which the set has ``count``; gathered: [depth][LANES]. */
static __attribute__((noinline)) void pack_numbers(const packed *to, const float *gathered, int64_t number, int64_t count, int64_t steps, int64_t depth, vf squares, vf magnitudes)
{
    vf undo, share, subtracted = vf_zero();
    const vf scale = scales_of(gathered, squares, magnitudes, depth, &undo, &share);
    const int64_t begin = number < 0 ? -number : 0, end = count - number < LANES ? count - number : LANES;
    float *rows[LANES];
    for (int64_t j = begin; j < end; j++) rows[j] = to->data + (number + j) / STEP * to->size + (number + j) % STEP * LANES;
    for (int64_t s = 0; s < steps; s++, gathered += LANES * LANES) {
        vf v[LANES];
        scaled_step(v, gathered, scale, s, &subtracted);
        vf_transpose(v);
        if (end - begin == LANES) {
#pragma GCC unroll 16
            for (int j = 0; j < LANES; j++) vf_store(rows[j] + s * STEP * LANES, v[j]);
        }
        else
            for (int64_t j = begin; j < end; j++) vf_store(rows[j] + s * STEP * LANES, v[j]);
    }
    for (int64_t j = begin; j < end; j++) {
        float *beside = to->beside + (number + j) / STEP * 3 * MOST + (number + j) % STEP;
        beside[0] = subtracted[j], beside[MOST] = undo[j], beside[2 * MOST] = share[j];
    }
}

/* Shares tell how large the sum of the products' magnitudes is expected to be, if neither operand depends on the other. This returns the square of
 * the real sum over the expected one, at most 1, found from two numbers x of a step and two lanes of the vector w. It is 0 where pixels with
 * large gradients have inputs of zero. */
static __attribute__((noinline)) float agreement(const float *x, const float *w, int64_t steps, int64_t depth)
{
    vf left = vf_zero(), right = vf_zero(), both = vf_zero();
    for (int64_t s = 0; s < steps; s++, x += STEP * LANES, w += LANES * LANES) {
        const vf a = vf_abs(vf_load(x)) + vf_abs(vf_load(x + STEP / 2 * LANES));
        float lanes[LANES];
        for (int j = 0; j < LANES; j++) lanes[j] = __builtin_fabsf(w[j * LANES]) + __builtin_fabsf(w[j * LANES + LANES / 2]);
        const vf b = vf_load(lanes);
        left += a, right += b, both += a * b;
    }
    const float expected = vf_sum(left) * vf_sum(right), found = vf_sum(both) * (float)depth / expected;
    return !(expected > 0) || found >= 1 ? 1 : found * found; /* channels of zeros tell nothing */
}

/* sums[STEP][LANES] of so many steps of pixels: set, or added to what they are. x: packed numbers; w: a packed vector; ahead: what is fetched meanwhile. */
static __attribute__((noinline)) void multiply(float *sums, const float *x, const float *beside, const float *w, int64_t steps, int64_t plain, int64_t bytes, int64_t fresh)
{
    const float *const end = x + (steps - 1) * STEP * LANES, *const panel = w + steps * LANES * LANES;
    vf a0_0_0, a0_0_1, a0_0_2, a0_0_3, a0_0_4, a0_0_5, a0_0_6, a0_0_7, a0_0_8, a0_0_9, a0_0_10, a0_0_11, a0_0_12, a0_0_13, a0_0_14, a0_0_15;
    float held[16 * LANES];
    const float *const whole = x + 4 * 16 * LANES;
    if (end > whole)
        for (int i = 0; i < 16; i++) vf_store(held + i * LANES, vf_zero());
    const int64_t k[] = {(int64_t)beside, (int64_t)held, plain};
    __asm__ volatile(
        "cmpq $0, 16(%[k])\n\t"
        "jne 5f\n\t"
        "vpxord %%zmm23, %%zmm23, %%zmm23\n\t"
        "vsubps %[e], %%zmm23, %%zmm22\n\t"
        "mov (%[k]), %%rax\n\t"
        "vsubps 0(%%rax)%{1to16%}, %%zmm22, %[a0]\n\t"
        "vsubps 4(%%rax)%{1to16%}, %%zmm22, %[a1]\n\t"
        "vsubps 8(%%rax)%{1to16%}, %%zmm22, %[a2]\n\t"
        "vsubps 12(%%rax)%{1to16%}, %%zmm22, %[a3]\n\t"
        "vsubps 16(%%rax)%{1to16%}, %%zmm22, %[a4]\n\t"
        "vsubps 20(%%rax)%{1to16%}, %%zmm22, %[a5]\n\t"
        "vsubps 24(%%rax)%{1to16%}, %%zmm22, %[a6]\n\t"
        "vsubps 28(%%rax)%{1to16%}, %%zmm22, %[a7]\n\t"
        "vsubps 32(%%rax)%{1to16%}, %%zmm22, %[a8]\n\t"
        "vsubps 36(%%rax)%{1to16%}, %%zmm22, %[a9]\n\t"
        "vsubps 40(%%rax)%{1to16%}, %%zmm22, %[a10]\n\t"
        "vsubps 44(%%rax)%{1to16%}, %%zmm22, %[a11]\n\t"
        "vsubps 48(%%rax)%{1to16%}, %%zmm22, %[a12]\n\t"
        "vsubps 52(%%rax)%{1to16%}, %%zmm22, %[a13]\n\t"
        "vsubps 56(%%rax)%{1to16%}, %%zmm22, %[a14]\n\t"
        "vsubps 60(%%rax)%{1to16%}, %%zmm22, %[a15]\n\t"
        "cmp %[end], %[x]\n\t"
        "je 3f\n"
        "1:\n\t"
        "mov %[x], %%rax\n\t"
        "add $4096, %%rax\n\t"
        "cmp %[end], %%rax\n\t"
        "cmova %[end], %%rax\n\t"
        ".p2align 5\n"
        "2:\n\t"
        "vmovups 0(%[w]), %%zmm22\n\t"
        "prefetcht1 0(%[w],%[ahead])\n\t"
        "vmovups 512(%[w]), %%zmm23\n\t"
        "prefetcht1 512(%[w],%[ahead])\n\t"
        "vmovups 320(%[w]), %%zmm26\n\t"
        "prefetcht1 320(%[w],%[ahead])\n\t"
        "vfmadd231ps 20(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 84(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vaddps 0(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 32(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 148(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 212(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vaddps 64(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 96(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 276(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 340(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vaddps 128(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 160(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 404(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 468(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vaddps 192(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 224(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 532(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 596(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vaddps 256(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 288(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 660(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 724(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vaddps 320(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 352(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 788(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vfmadd231ps 852(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vaddps 384(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 416(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 916(%[x])%{1to16%}, %%zmm26, %[a14]\n\t"
        "vfmadd231ps 980(%[x])%{1to16%}, %%zmm26, %[a15]\n\t"
        "vaddps 448(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 480(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vaddps 512(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 544(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vmovups 384(%[w]), %%zmm27\n\t"
        "prefetcht1 384(%[w],%[ahead])\n\t"
        "vfmadd231ps 24(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vaddps 576(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 608(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 88(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vaddps 640(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 672(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vfmadd231ps 152(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vaddps 704(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 736(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 216(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vaddps 768(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 800(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 280(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vaddps 832(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 864(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 344(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vaddps 896(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 928(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vfmadd231ps 408(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vaddps 960(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 992(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 472(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vmovups 64(%[w]), %%zmm24\n\t"
        "prefetcht1 64(%[w],%[ahead])\n\t"
        "vmovups 576(%[w]), %%zmm25\n\t"
        "prefetcht1 576(%[w],%[ahead])\n\t"
        "vaddps 4(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 36(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 536(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vaddps 68(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 100(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 600(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vaddps 132(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 164(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 664(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vaddps 196(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 228(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 728(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vaddps 260(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 292(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 792(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vaddps 324(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 356(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 856(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vaddps 388(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 420(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 920(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vaddps 452(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 484(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 984(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "vaddps 516(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 548(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vmovups 448(%[w]), %%zmm26\n\t"
        "prefetcht1 448(%[w],%[ahead])\n\t"
        "vfmadd231ps 28(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vaddps 580(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 612(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 92(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vaddps 644(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 676(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vfmadd231ps 156(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vaddps 708(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 740(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 220(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vaddps 772(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 804(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 284(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vaddps 836(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 868(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 348(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vaddps 900(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 932(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vfmadd231ps 412(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vaddps 964(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 996(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 476(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vmovups 128(%[w]), %%zmm22\n\t"
        "prefetcht1 128(%[w],%[ahead])\n\t"
        "vmovups 640(%[w]), %%zmm23\n\t"
        "prefetcht1 640(%[w],%[ahead])\n\t"
        "vaddps 8(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 40(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 540(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vaddps 72(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 104(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 604(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vaddps 136(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 168(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 668(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vaddps 200(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 232(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 732(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vaddps 264(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 296(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 796(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vaddps 328(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 360(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 860(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vaddps 392(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 424(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 924(%[x])%{1to16%}, %%zmm26, %[a14]\n\t"
        "vaddps 456(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 488(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 988(%[x])%{1to16%}, %%zmm26, %[a15]\n\t"
        "vaddps 520(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 552(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vmovups 832(%[w]), %%zmm27\n\t"
        "prefetcht1 832(%[w],%[ahead])\n\t"
        "vfmadd231ps 52(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vaddps 584(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 616(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 116(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vaddps 648(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 680(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vfmadd231ps 180(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vaddps 712(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 744(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 244(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vaddps 776(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 808(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 308(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vaddps 840(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 872(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 372(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vaddps 904(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 936(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vfmadd231ps 436(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vaddps 968(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1000(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 500(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vmovups 192(%[w]), %%zmm24\n\t"
        "prefetcht1 192(%[w],%[ahead])\n\t"
        "vmovups 704(%[w]), %%zmm25\n\t"
        "prefetcht1 704(%[w],%[ahead])\n\t"
        "vaddps 12(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 44(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 564(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vaddps 76(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 108(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 628(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vaddps 140(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 172(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 692(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vaddps 204(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 236(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 756(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vaddps 268(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 300(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 820(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vaddps 332(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 364(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 884(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vaddps 396(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 428(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 948(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vaddps 460(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 492(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 1012(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "vaddps 524(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 556(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vmovups 896(%[w]), %%zmm26\n\t"
        "prefetcht1 896(%[w],%[ahead])\n\t"
        "vfmadd231ps 56(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vaddps 588(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 620(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 120(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vaddps 652(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 684(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vfmadd231ps 184(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vaddps 716(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 748(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 248(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vaddps 780(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 812(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 312(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vaddps 844(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 876(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 376(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vaddps 908(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 940(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vfmadd231ps 440(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vaddps 972(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 1004(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 504(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vmovups 256(%[w]), %%zmm22\n\t"
        "prefetcht1 256(%[w],%[ahead])\n\t"
        "vmovups 768(%[w]), %%zmm23\n\t"
        "prefetcht1 768(%[w],%[ahead])\n\t"
        "vaddps 16(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 48(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 568(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vaddps 80(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 112(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 632(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vaddps 144(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 176(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 696(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vaddps 208(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 240(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 760(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vaddps 272(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 304(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 824(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vaddps 336(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 368(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 888(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vaddps 400(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 432(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 952(%[x])%{1to16%}, %%zmm26, %[a14]\n\t"
        "vaddps 464(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 496(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 1016(%[x])%{1to16%}, %%zmm26, %[a15]\n\t"
        "vaddps 528(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 560(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vmovups 960(%[w]), %%zmm27\n\t"
        "prefetcht1 960(%[w],%[ahead])\n\t"
        "vfmadd231ps 60(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vaddps 592(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 624(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 124(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vaddps 656(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 688(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vfmadd231ps 188(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vaddps 720(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 752(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 252(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vaddps 784(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 816(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 316(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vaddps 848(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 880(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 380(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vaddps 912(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 944(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vfmadd231ps 444(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vaddps 976(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1008(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 508(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 572(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 636(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 700(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 764(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 828(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vfmadd231ps 892(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vfmadd231ps 956(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vfmadd231ps 1020(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "add $1024, %[w]\n\t"
        "add $1024, %[x]\n\t"
        "cmp %%rax, %[x]\n\t"
        "jne 2b\n\t"
        "cmp %[end], %[x]\n\t"
        "je 3f\n\t"
        "mov 8(%[k]), %%rax\n\t"
        "vaddps 0(%%rax), %[a0], %%zmm22\n\t"
        "vmovups %%zmm22, 0(%%rax)\n\t"
        "vpxord %[a0], %[a0], %[a0]\n\t"
        "vaddps 64(%%rax), %[a1], %%zmm22\n\t"
        "vmovups %%zmm22, 64(%%rax)\n\t"
        "vpxord %[a1], %[a1], %[a1]\n\t"
        "vaddps 128(%%rax), %[a2], %%zmm22\n\t"
        "vmovups %%zmm22, 128(%%rax)\n\t"
        "vpxord %[a2], %[a2], %[a2]\n\t"
        "vaddps 192(%%rax), %[a3], %%zmm22\n\t"
        "vmovups %%zmm22, 192(%%rax)\n\t"
        "vpxord %[a3], %[a3], %[a3]\n\t"
        "vaddps 256(%%rax), %[a4], %%zmm22\n\t"
        "vmovups %%zmm22, 256(%%rax)\n\t"
        "vpxord %[a4], %[a4], %[a4]\n\t"
        "vaddps 320(%%rax), %[a5], %%zmm22\n\t"
        "vmovups %%zmm22, 320(%%rax)\n\t"
        "vpxord %[a5], %[a5], %[a5]\n\t"
        "vaddps 384(%%rax), %[a6], %%zmm22\n\t"
        "vmovups %%zmm22, 384(%%rax)\n\t"
        "vpxord %[a6], %[a6], %[a6]\n\t"
        "vaddps 448(%%rax), %[a7], %%zmm22\n\t"
        "vmovups %%zmm22, 448(%%rax)\n\t"
        "vpxord %[a7], %[a7], %[a7]\n\t"
        "vaddps 512(%%rax), %[a8], %%zmm22\n\t"
        "vmovups %%zmm22, 512(%%rax)\n\t"
        "vpxord %[a8], %[a8], %[a8]\n\t"
        "vaddps 576(%%rax), %[a9], %%zmm22\n\t"
        "vmovups %%zmm22, 576(%%rax)\n\t"
        "vpxord %[a9], %[a9], %[a9]\n\t"
        "vaddps 640(%%rax), %[a10], %%zmm22\n\t"
        "vmovups %%zmm22, 640(%%rax)\n\t"
        "vpxord %[a10], %[a10], %[a10]\n\t"
        "vaddps 704(%%rax), %[a11], %%zmm22\n\t"
        "vmovups %%zmm22, 704(%%rax)\n\t"
        "vpxord %[a11], %[a11], %[a11]\n\t"
        "vaddps 768(%%rax), %[a12], %%zmm22\n\t"
        "vmovups %%zmm22, 768(%%rax)\n\t"
        "vpxord %[a12], %[a12], %[a12]\n\t"
        "vaddps 832(%%rax), %[a13], %%zmm22\n\t"
        "vmovups %%zmm22, 832(%%rax)\n\t"
        "vpxord %[a13], %[a13], %[a13]\n\t"
        "vaddps 896(%%rax), %[a14], %%zmm22\n\t"
        "vmovups %%zmm22, 896(%%rax)\n\t"
        "vpxord %[a14], %[a14], %[a14]\n\t"
        "vaddps 960(%%rax), %[a15], %%zmm22\n\t"
        "vmovups %%zmm22, 960(%%rax)\n\t"
        "vpxord %[a15], %[a15], %[a15]\n\t"
        "jmp 1b\n"
        "3:\n\t"
        "vmovups 0(%[w]), %%zmm22\n\t"
        "prefetcht1 0(%[w],%[ahead])\n\t"
        "vmovups 512(%[w]), %%zmm23\n\t"
        "prefetcht1 512(%[w],%[ahead])\n\t"
        "vmovups 320(%[w]), %%zmm26\n\t"
        "prefetcht1 320(%[w],%[ahead])\n\t"
        "vfmadd231ps 20(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 84(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vaddps 0(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 32(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 148(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 212(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vaddps 64(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 96(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 276(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 340(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vaddps 128(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 160(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 404(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 468(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vaddps 192(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 224(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 532(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 596(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vaddps 256(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 288(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 660(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 724(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vaddps 320(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 352(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 788(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vfmadd231ps 852(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vaddps 384(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 416(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 916(%[x])%{1to16%}, %%zmm26, %[a14]\n\t"
        "vfmadd231ps 980(%[x])%{1to16%}, %%zmm26, %[a15]\n\t"
        "vaddps 448(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 480(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vaddps 512(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 544(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vmovups 384(%[w]), %%zmm27\n\t"
        "prefetcht1 384(%[w],%[ahead])\n\t"
        "vfmadd231ps 24(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vaddps 576(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 608(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 88(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vaddps 640(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 672(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vfmadd231ps 152(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vaddps 704(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 736(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 216(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vaddps 768(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 800(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 280(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vaddps 832(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 864(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 344(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vaddps 896(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 928(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vfmadd231ps 408(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vaddps 960(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 992(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 472(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vmovups 64(%[w]), %%zmm24\n\t"
        "prefetcht1 64(%[w],%[ahead])\n\t"
        "vmovups 576(%[w]), %%zmm25\n\t"
        "prefetcht1 576(%[w],%[ahead])\n\t"
        "vaddps 4(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 36(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 536(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vaddps 68(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 100(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 600(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vaddps 132(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 164(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 664(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vaddps 196(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 228(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 728(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vaddps 260(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 292(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 792(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vaddps 324(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 356(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 856(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vaddps 388(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 420(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 920(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vaddps 452(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 484(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 984(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "vaddps 516(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 548(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vmovups 448(%[w]), %%zmm26\n\t"
        "prefetcht1 448(%[w],%[ahead])\n\t"
        "vfmadd231ps 28(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vaddps 580(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 612(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 92(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vaddps 644(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 676(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vfmadd231ps 156(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vaddps 708(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 740(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 220(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vaddps 772(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 804(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 284(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vaddps 836(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 868(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 348(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vaddps 900(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 932(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vfmadd231ps 412(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vaddps 964(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 996(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 476(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vmovups 128(%[w]), %%zmm22\n\t"
        "prefetcht1 128(%[w],%[ahead])\n\t"
        "vmovups 640(%[w]), %%zmm23\n\t"
        "prefetcht1 640(%[w],%[ahead])\n\t"
        "vaddps 8(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 40(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 540(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vaddps 72(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 104(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 604(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vaddps 136(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 168(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 668(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vaddps 200(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 232(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 732(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vaddps 264(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 296(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 796(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vaddps 328(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 360(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 860(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vaddps 392(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 424(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 924(%[x])%{1to16%}, %%zmm26, %[a14]\n\t"
        "vaddps 456(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 488(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 988(%[x])%{1to16%}, %%zmm26, %[a15]\n\t"
        "vaddps 520(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 552(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vmovups 832(%[w]), %%zmm27\n\t"
        "prefetcht1 832(%[w],%[ahead])\n\t"
        "vfmadd231ps 52(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vaddps 584(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 616(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 116(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vaddps 648(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 680(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vfmadd231ps 180(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vaddps 712(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 744(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 244(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vaddps 776(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 808(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 308(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vaddps 840(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 872(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 372(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vaddps 904(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 936(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vfmadd231ps 436(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vaddps 968(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1000(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 500(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vmovups 192(%[w]), %%zmm24\n\t"
        "prefetcht1 192(%[w],%[ahead])\n\t"
        "vmovups 704(%[w]), %%zmm25\n\t"
        "prefetcht1 704(%[w],%[ahead])\n\t"
        "vaddps 12(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 44(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 564(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vaddps 76(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 108(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 628(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vaddps 140(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 172(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 692(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vaddps 204(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 236(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 756(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vaddps 268(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 300(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 820(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vaddps 332(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 364(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 884(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vaddps 396(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 428(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 948(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vaddps 460(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 492(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 1012(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "vaddps 524(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 556(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vmovups 896(%[w]), %%zmm26\n\t"
        "prefetcht1 896(%[w],%[ahead])\n\t"
        "vfmadd231ps 56(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vaddps 588(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 620(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 120(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vaddps 652(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 684(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vfmadd231ps 184(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vaddps 716(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 748(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 248(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vaddps 780(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 812(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 312(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vaddps 844(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 876(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 376(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vaddps 908(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 940(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vfmadd231ps 440(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vaddps 972(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 1004(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 504(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vmovups 256(%[w]), %%zmm22\n\t"
        "prefetcht1 256(%[w],%[ahead])\n\t"
        "vmovups 768(%[w]), %%zmm23\n\t"
        "prefetcht1 768(%[w],%[ahead])\n\t"
        "vaddps 16(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 48(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 568(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vaddps 80(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 112(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 632(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vaddps 144(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 176(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 696(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vaddps 208(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 240(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 760(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vaddps 272(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 304(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 824(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vaddps 336(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 368(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 888(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vaddps 400(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 432(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 952(%[x])%{1to16%}, %%zmm26, %[a14]\n\t"
        "vaddps 464(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 496(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 1016(%[x])%{1to16%}, %%zmm26, %[a15]\n\t"
        "vaddps 528(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 560(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vmovups 960(%[w]), %%zmm27\n\t"
        "prefetcht1 960(%[w],%[ahead])\n\t"
        "vfmadd231ps 60(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vaddps 592(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 624(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 124(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vaddps 656(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 688(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vfmadd231ps 188(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vaddps 720(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 752(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 252(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vaddps 784(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 816(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 316(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vaddps 848(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 880(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 380(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vaddps 912(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 944(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vfmadd231ps 444(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vaddps 976(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1008(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 508(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 572(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 636(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 700(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 764(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 828(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vfmadd231ps 892(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vfmadd231ps 956(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vfmadd231ps 1020(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "jmp 9f\n"
        "5:\n\t"
        "vpxord %[a0], %[a0], %[a0]\n\t"
        "vpxord %[a1], %[a1], %[a1]\n\t"
        "vpxord %[a2], %[a2], %[a2]\n\t"
        "vpxord %[a3], %[a3], %[a3]\n\t"
        "vpxord %[a4], %[a4], %[a4]\n\t"
        "vpxord %[a5], %[a5], %[a5]\n\t"
        "vpxord %[a6], %[a6], %[a6]\n\t"
        "vpxord %[a7], %[a7], %[a7]\n\t"
        "vpxord %[a8], %[a8], %[a8]\n\t"
        "vpxord %[a9], %[a9], %[a9]\n\t"
        "vpxord %[a10], %[a10], %[a10]\n\t"
        "vpxord %[a11], %[a11], %[a11]\n\t"
        "vpxord %[a12], %[a12], %[a12]\n\t"
        "vpxord %[a13], %[a13], %[a13]\n\t"
        "vpxord %[a14], %[a14], %[a14]\n\t"
        "vpxord %[a15], %[a15], %[a15]\n\t"
        "cmp %[end], %[x]\n\t"
        "je 8f\n"
        "6:\n\t"
        "mov %[x], %%rax\n\t"
        "add $4096, %%rax\n\t"
        "cmp %[end], %%rax\n\t"
        "cmova %[end], %%rax\n\t"
        ".p2align 5\n"
        "7:\n\t"
        "vmovups 0(%[w]), %%zmm26\n\t"
        "prefetcht1 0(%[w],%[ahead])\n\t"
        "vfmadd231ps 0(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 64(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 128(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 192(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 256(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 320(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 384(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 448(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 512(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 576(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 640(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 704(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vfmadd231ps 768(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vfmadd231ps 832(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vfmadd231ps 896(%[x])%{1to16%}, %%zmm26, %[a14]\n\t"
        "vfmadd231ps 960(%[x])%{1to16%}, %%zmm26, %[a15]\n\t"
        "vmovups 64(%[w]), %%zmm27\n\t"
        "prefetcht1 64(%[w],%[ahead])\n\t"
        "vfmadd231ps 4(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 68(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 132(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 196(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 260(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 324(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 388(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 452(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 516(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 580(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 644(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 708(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 772(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vfmadd231ps 836(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vfmadd231ps 900(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vfmadd231ps 964(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "vmovups 128(%[w]), %%zmm26\n\t"
        "prefetcht1 128(%[w],%[ahead])\n\t"
        "vfmadd231ps 8(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 72(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 136(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 200(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 264(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 328(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 392(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 456(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 520(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 584(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 648(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 712(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vfmadd231ps 776(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vfmadd231ps 840(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vfmadd231ps 904(%[x])%{1to16%}, %%zmm26, %[a14]\n\t"
        "vfmadd231ps 968(%[x])%{1to16%}, %%zmm26, %[a15]\n\t"
        "vmovups 192(%[w]), %%zmm27\n\t"
        "prefetcht1 192(%[w],%[ahead])\n\t"
        "vfmadd231ps 12(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 76(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 140(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 204(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 268(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 332(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 396(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 460(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 524(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 588(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 652(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 716(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 780(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vfmadd231ps 844(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vfmadd231ps 908(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vfmadd231ps 972(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "vmovups 256(%[w]), %%zmm26\n\t"
        "prefetcht1 256(%[w],%[ahead])\n\t"
        "vfmadd231ps 16(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 80(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 144(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 208(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 272(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 336(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 400(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 464(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 528(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 592(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 656(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 720(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vfmadd231ps 784(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vfmadd231ps 848(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vfmadd231ps 912(%[x])%{1to16%}, %%zmm26, %[a14]\n\t"
        "vfmadd231ps 976(%[x])%{1to16%}, %%zmm26, %[a15]\n\t"
        "vmovups 320(%[w]), %%zmm27\n\t"
        "prefetcht1 320(%[w],%[ahead])\n\t"
        "vfmadd231ps 20(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 84(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 148(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 212(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 276(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 340(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 404(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 468(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 532(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 596(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 660(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 724(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 788(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vfmadd231ps 852(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vfmadd231ps 916(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vfmadd231ps 980(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "vmovups 384(%[w]), %%zmm26\n\t"
        "prefetcht1 384(%[w],%[ahead])\n\t"
        "vfmadd231ps 24(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 88(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 152(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 216(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 280(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 344(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 408(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 472(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 536(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 600(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 664(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 728(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vfmadd231ps 792(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vfmadd231ps 856(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vfmadd231ps 920(%[x])%{1to16%}, %%zmm26, %[a14]\n\t"
        "vfmadd231ps 984(%[x])%{1to16%}, %%zmm26, %[a15]\n\t"
        "vmovups 448(%[w]), %%zmm27\n\t"
        "prefetcht1 448(%[w],%[ahead])\n\t"
        "vfmadd231ps 28(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 92(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 156(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 220(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 284(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 348(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 412(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 476(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 540(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 604(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 668(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 732(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 796(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vfmadd231ps 860(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vfmadd231ps 924(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vfmadd231ps 988(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "vmovups 512(%[w]), %%zmm26\n\t"
        "prefetcht1 512(%[w],%[ahead])\n\t"
        "vfmadd231ps 32(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 96(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 160(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 224(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 288(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 352(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 416(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 480(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 544(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 608(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 672(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 736(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vfmadd231ps 800(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vfmadd231ps 864(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vfmadd231ps 928(%[x])%{1to16%}, %%zmm26, %[a14]\n\t"
        "vfmadd231ps 992(%[x])%{1to16%}, %%zmm26, %[a15]\n\t"
        "vmovups 576(%[w]), %%zmm27\n\t"
        "prefetcht1 576(%[w],%[ahead])\n\t"
        "vfmadd231ps 36(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 100(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 164(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 228(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 292(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 356(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 420(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 484(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 548(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 612(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 676(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 740(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 804(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vfmadd231ps 868(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vfmadd231ps 932(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vfmadd231ps 996(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "vmovups 640(%[w]), %%zmm26\n\t"
        "prefetcht1 640(%[w],%[ahead])\n\t"
        "vfmadd231ps 40(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 104(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 168(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 232(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 296(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 360(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 424(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 488(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 552(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 616(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 680(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 744(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vfmadd231ps 808(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vfmadd231ps 872(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vfmadd231ps 936(%[x])%{1to16%}, %%zmm26, %[a14]\n\t"
        "vfmadd231ps 1000(%[x])%{1to16%}, %%zmm26, %[a15]\n\t"
        "vmovups 704(%[w]), %%zmm27\n\t"
        "prefetcht1 704(%[w],%[ahead])\n\t"
        "vfmadd231ps 44(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 108(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 172(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 236(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 300(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 364(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 428(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 492(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 556(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 620(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 684(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 748(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 812(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vfmadd231ps 876(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vfmadd231ps 940(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vfmadd231ps 1004(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "vmovups 768(%[w]), %%zmm26\n\t"
        "prefetcht1 768(%[w],%[ahead])\n\t"
        "vfmadd231ps 48(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 112(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 176(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 240(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 304(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 368(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 432(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 496(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 560(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 624(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 688(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 752(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vfmadd231ps 816(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vfmadd231ps 880(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vfmadd231ps 944(%[x])%{1to16%}, %%zmm26, %[a14]\n\t"
        "vfmadd231ps 1008(%[x])%{1to16%}, %%zmm26, %[a15]\n\t"
        "vmovups 832(%[w]), %%zmm27\n\t"
        "prefetcht1 832(%[w],%[ahead])\n\t"
        "vfmadd231ps 52(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 116(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 180(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 244(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 308(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 372(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 436(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 500(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 564(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 628(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 692(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 756(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 820(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vfmadd231ps 884(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vfmadd231ps 948(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vfmadd231ps 1012(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "vmovups 896(%[w]), %%zmm26\n\t"
        "prefetcht1 896(%[w],%[ahead])\n\t"
        "vfmadd231ps 56(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 120(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 184(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 248(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 312(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 376(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 440(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 504(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 568(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 632(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 696(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 760(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vfmadd231ps 824(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vfmadd231ps 888(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vfmadd231ps 952(%[x])%{1to16%}, %%zmm26, %[a14]\n\t"
        "vfmadd231ps 1016(%[x])%{1to16%}, %%zmm26, %[a15]\n\t"
        "vmovups 960(%[w]), %%zmm27\n\t"
        "prefetcht1 960(%[w],%[ahead])\n\t"
        "vfmadd231ps 60(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 124(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 188(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 252(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 316(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 380(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 444(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 508(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 572(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 636(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 700(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 764(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 828(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vfmadd231ps 892(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vfmadd231ps 956(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vfmadd231ps 1020(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "add $1024, %[w]\n\t"
        "add $1024, %[x]\n\t"
        "cmp %%rax, %[x]\n\t"
        "jne 7b\n\t"
        "cmp %[end], %[x]\n\t"
        "je 8f\n\t"
        "mov 8(%[k]), %%rax\n\t"
        "vaddps 0(%%rax), %[a0], %%zmm22\n\t"
        "vmovups %%zmm22, 0(%%rax)\n\t"
        "vpxord %[a0], %[a0], %[a0]\n\t"
        "vaddps 64(%%rax), %[a1], %%zmm22\n\t"
        "vmovups %%zmm22, 64(%%rax)\n\t"
        "vpxord %[a1], %[a1], %[a1]\n\t"
        "vaddps 128(%%rax), %[a2], %%zmm22\n\t"
        "vmovups %%zmm22, 128(%%rax)\n\t"
        "vpxord %[a2], %[a2], %[a2]\n\t"
        "vaddps 192(%%rax), %[a3], %%zmm22\n\t"
        "vmovups %%zmm22, 192(%%rax)\n\t"
        "vpxord %[a3], %[a3], %[a3]\n\t"
        "vaddps 256(%%rax), %[a4], %%zmm22\n\t"
        "vmovups %%zmm22, 256(%%rax)\n\t"
        "vpxord %[a4], %[a4], %[a4]\n\t"
        "vaddps 320(%%rax), %[a5], %%zmm22\n\t"
        "vmovups %%zmm22, 320(%%rax)\n\t"
        "vpxord %[a5], %[a5], %[a5]\n\t"
        "vaddps 384(%%rax), %[a6], %%zmm22\n\t"
        "vmovups %%zmm22, 384(%%rax)\n\t"
        "vpxord %[a6], %[a6], %[a6]\n\t"
        "vaddps 448(%%rax), %[a7], %%zmm22\n\t"
        "vmovups %%zmm22, 448(%%rax)\n\t"
        "vpxord %[a7], %[a7], %[a7]\n\t"
        "vaddps 512(%%rax), %[a8], %%zmm22\n\t"
        "vmovups %%zmm22, 512(%%rax)\n\t"
        "vpxord %[a8], %[a8], %[a8]\n\t"
        "vaddps 576(%%rax), %[a9], %%zmm22\n\t"
        "vmovups %%zmm22, 576(%%rax)\n\t"
        "vpxord %[a9], %[a9], %[a9]\n\t"
        "vaddps 640(%%rax), %[a10], %%zmm22\n\t"
        "vmovups %%zmm22, 640(%%rax)\n\t"
        "vpxord %[a10], %[a10], %[a10]\n\t"
        "vaddps 704(%%rax), %[a11], %%zmm22\n\t"
        "vmovups %%zmm22, 704(%%rax)\n\t"
        "vpxord %[a11], %[a11], %[a11]\n\t"
        "vaddps 768(%%rax), %[a12], %%zmm22\n\t"
        "vmovups %%zmm22, 768(%%rax)\n\t"
        "vpxord %[a12], %[a12], %[a12]\n\t"
        "vaddps 832(%%rax), %[a13], %%zmm22\n\t"
        "vmovups %%zmm22, 832(%%rax)\n\t"
        "vpxord %[a13], %[a13], %[a13]\n\t"
        "vaddps 896(%%rax), %[a14], %%zmm22\n\t"
        "vmovups %%zmm22, 896(%%rax)\n\t"
        "vpxord %[a14], %[a14], %[a14]\n\t"
        "vaddps 960(%%rax), %[a15], %%zmm22\n\t"
        "vmovups %%zmm22, 960(%%rax)\n\t"
        "vpxord %[a15], %[a15], %[a15]\n\t"
        "jmp 6b\n"
        "8:\n\t"
        "vmovups 0(%[w]), %%zmm26\n\t"
        "prefetcht1 0(%[w],%[ahead])\n\t"
        "vfmadd231ps 0(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 64(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 128(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 192(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 256(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 320(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 384(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 448(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 512(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 576(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 640(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 704(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vfmadd231ps 768(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vfmadd231ps 832(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vfmadd231ps 896(%[x])%{1to16%}, %%zmm26, %[a14]\n\t"
        "vfmadd231ps 960(%[x])%{1to16%}, %%zmm26, %[a15]\n\t"
        "vmovups 64(%[w]), %%zmm27\n\t"
        "prefetcht1 64(%[w],%[ahead])\n\t"
        "vfmadd231ps 4(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 68(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 132(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 196(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 260(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 324(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 388(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 452(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 516(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 580(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 644(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 708(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 772(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vfmadd231ps 836(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vfmadd231ps 900(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vfmadd231ps 964(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "vmovups 128(%[w]), %%zmm26\n\t"
        "prefetcht1 128(%[w],%[ahead])\n\t"
        "vfmadd231ps 8(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 72(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 136(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 200(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 264(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 328(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 392(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 456(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 520(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 584(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 648(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 712(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vfmadd231ps 776(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vfmadd231ps 840(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vfmadd231ps 904(%[x])%{1to16%}, %%zmm26, %[a14]\n\t"
        "vfmadd231ps 968(%[x])%{1to16%}, %%zmm26, %[a15]\n\t"
        "vmovups 192(%[w]), %%zmm27\n\t"
        "prefetcht1 192(%[w],%[ahead])\n\t"
        "vfmadd231ps 12(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 76(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 140(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 204(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 268(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 332(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 396(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 460(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 524(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 588(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 652(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 716(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 780(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vfmadd231ps 844(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vfmadd231ps 908(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vfmadd231ps 972(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "vmovups 256(%[w]), %%zmm26\n\t"
        "prefetcht1 256(%[w],%[ahead])\n\t"
        "vfmadd231ps 16(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 80(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 144(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 208(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 272(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 336(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 400(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 464(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 528(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 592(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 656(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 720(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vfmadd231ps 784(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vfmadd231ps 848(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vfmadd231ps 912(%[x])%{1to16%}, %%zmm26, %[a14]\n\t"
        "vfmadd231ps 976(%[x])%{1to16%}, %%zmm26, %[a15]\n\t"
        "vmovups 320(%[w]), %%zmm27\n\t"
        "prefetcht1 320(%[w],%[ahead])\n\t"
        "vfmadd231ps 20(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 84(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 148(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 212(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 276(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 340(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 404(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 468(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 532(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 596(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 660(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 724(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 788(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vfmadd231ps 852(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vfmadd231ps 916(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vfmadd231ps 980(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "vmovups 384(%[w]), %%zmm26\n\t"
        "prefetcht1 384(%[w],%[ahead])\n\t"
        "vfmadd231ps 24(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 88(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 152(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 216(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 280(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 344(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 408(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 472(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 536(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 600(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 664(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 728(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vfmadd231ps 792(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vfmadd231ps 856(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vfmadd231ps 920(%[x])%{1to16%}, %%zmm26, %[a14]\n\t"
        "vfmadd231ps 984(%[x])%{1to16%}, %%zmm26, %[a15]\n\t"
        "vmovups 448(%[w]), %%zmm27\n\t"
        "prefetcht1 448(%[w],%[ahead])\n\t"
        "vfmadd231ps 28(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 92(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 156(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 220(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 284(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 348(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 412(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 476(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 540(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 604(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 668(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 732(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 796(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vfmadd231ps 860(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vfmadd231ps 924(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vfmadd231ps 988(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "vmovups 512(%[w]), %%zmm26\n\t"
        "prefetcht1 512(%[w],%[ahead])\n\t"
        "vfmadd231ps 32(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 96(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 160(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 224(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 288(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 352(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 416(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 480(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 544(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 608(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 672(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 736(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vfmadd231ps 800(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vfmadd231ps 864(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vfmadd231ps 928(%[x])%{1to16%}, %%zmm26, %[a14]\n\t"
        "vfmadd231ps 992(%[x])%{1to16%}, %%zmm26, %[a15]\n\t"
        "vmovups 576(%[w]), %%zmm27\n\t"
        "prefetcht1 576(%[w],%[ahead])\n\t"
        "vfmadd231ps 36(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 100(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 164(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 228(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 292(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 356(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 420(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 484(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 548(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 612(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 676(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 740(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 804(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vfmadd231ps 868(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vfmadd231ps 932(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vfmadd231ps 996(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "vmovups 640(%[w]), %%zmm26\n\t"
        "prefetcht1 640(%[w],%[ahead])\n\t"
        "vfmadd231ps 40(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 104(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 168(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 232(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 296(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 360(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 424(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 488(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 552(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 616(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 680(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 744(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vfmadd231ps 808(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vfmadd231ps 872(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vfmadd231ps 936(%[x])%{1to16%}, %%zmm26, %[a14]\n\t"
        "vfmadd231ps 1000(%[x])%{1to16%}, %%zmm26, %[a15]\n\t"
        "vmovups 704(%[w]), %%zmm27\n\t"
        "prefetcht1 704(%[w],%[ahead])\n\t"
        "vfmadd231ps 44(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 108(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 172(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 236(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 300(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 364(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 428(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 492(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 556(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 620(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 684(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 748(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 812(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vfmadd231ps 876(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vfmadd231ps 940(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vfmadd231ps 1004(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "vmovups 768(%[w]), %%zmm26\n\t"
        "prefetcht1 768(%[w],%[ahead])\n\t"
        "vfmadd231ps 48(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 112(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 176(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 240(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 304(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 368(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 432(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 496(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 560(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 624(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 688(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 752(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vfmadd231ps 816(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vfmadd231ps 880(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vfmadd231ps 944(%[x])%{1to16%}, %%zmm26, %[a14]\n\t"
        "vfmadd231ps 1008(%[x])%{1to16%}, %%zmm26, %[a15]\n\t"
        "vmovups 832(%[w]), %%zmm27\n\t"
        "prefetcht1 832(%[w],%[ahead])\n\t"
        "vfmadd231ps 52(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 116(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 180(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 244(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 308(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 372(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 436(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 500(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 564(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 628(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 692(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 756(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 820(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vfmadd231ps 884(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vfmadd231ps 948(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vfmadd231ps 1012(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "vmovups 896(%[w]), %%zmm26\n\t"
        "prefetcht1 896(%[w],%[ahead])\n\t"
        "vfmadd231ps 56(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vfmadd231ps 120(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vfmadd231ps 184(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vfmadd231ps 248(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vfmadd231ps 312(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vfmadd231ps 376(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vfmadd231ps 440(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vfmadd231ps 504(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vfmadd231ps 568(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vfmadd231ps 632(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vfmadd231ps 696(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vfmadd231ps 760(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vfmadd231ps 824(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vfmadd231ps 888(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vfmadd231ps 952(%[x])%{1to16%}, %%zmm26, %[a14]\n\t"
        "vfmadd231ps 1016(%[x])%{1to16%}, %%zmm26, %[a15]\n\t"
        "vmovups 960(%[w]), %%zmm27\n\t"
        "prefetcht1 960(%[w],%[ahead])\n\t"
        "vfmadd231ps 60(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vfmadd231ps 124(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vfmadd231ps 188(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vfmadd231ps 252(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vfmadd231ps 316(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vfmadd231ps 380(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vfmadd231ps 444(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vfmadd231ps 508(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vfmadd231ps 572(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vfmadd231ps 636(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 700(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 764(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 828(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vfmadd231ps 892(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vfmadd231ps 956(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vfmadd231ps 1020(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "9:\n\t"
        : [a0] "=&v"(a0_0_0), [a1] "=&v"(a0_0_1), [a2] "=&v"(a0_0_2), [a3] "=&v"(a0_0_3), [a4] "=&v"(a0_0_4), [a5] "=&v"(a0_0_5), [a6] "=&v"(a0_0_6), [a7] "=&v"(a0_0_7), [a8] "=&v"(a0_0_8), [a9] "=&v"(a0_0_9), [a10] "=&v"(a0_0_10), [a11] "=&v"(a0_0_11), [a12] "=&v"(a0_0_12), [a13] "=&v"(a0_0_13), [a14] "=&v"(a0_0_14), [a15] "=&v"(a0_0_15), [x] "+&r"(x), [w] "+&r"(w)
        : [e] "m"(*(const vf_unaligned *)panel), [k] "r"(k), [end] "r"(end), [ahead] "r"(bytes)
        : "memory", "cc", "rax", "zmm22", "zmm23", "zmm24", "zmm25", "zmm26", "zmm27", "zmm28", "zmm29", "zmm30", "zmm31");
    if (end > whole) {
        a0_0_0 += vf_load(held + 0 * LANES);
        a0_0_1 += vf_load(held + 1 * LANES);
        a0_0_2 += vf_load(held + 2 * LANES);
        a0_0_3 += vf_load(held + 3 * LANES);
        a0_0_4 += vf_load(held + 4 * LANES);
        a0_0_5 += vf_load(held + 5 * LANES);
        a0_0_6 += vf_load(held + 6 * LANES);
        a0_0_7 += vf_load(held + 7 * LANES);
        a0_0_8 += vf_load(held + 8 * LANES);
        a0_0_9 += vf_load(held + 9 * LANES);
        a0_0_10 += vf_load(held + 10 * LANES);
        a0_0_11 += vf_load(held + 11 * LANES);
        a0_0_12 += vf_load(held + 12 * LANES);
        a0_0_13 += vf_load(held + 13 * LANES);
        a0_0_14 += vf_load(held + 14 * LANES);
        a0_0_15 += vf_load(held + 15 * LANES);
    }
    const vf factor = vf_load(panel + LANES);
    if (fresh) {
        vf_store(sums + 0 * LANES, a0_0_0 * (factor * beside[MOST + 0]));
        vf_store(sums + 1 * LANES, a0_0_1 * (factor * beside[MOST + 1]));
        vf_store(sums + 2 * LANES, a0_0_2 * (factor * beside[MOST + 2]));
        vf_store(sums + 3 * LANES, a0_0_3 * (factor * beside[MOST + 3]));
        vf_store(sums + 4 * LANES, a0_0_4 * (factor * beside[MOST + 4]));
        vf_store(sums + 5 * LANES, a0_0_5 * (factor * beside[MOST + 5]));
        vf_store(sums + 6 * LANES, a0_0_6 * (factor * beside[MOST + 6]));
        vf_store(sums + 7 * LANES, a0_0_7 * (factor * beside[MOST + 7]));
        vf_store(sums + 8 * LANES, a0_0_8 * (factor * beside[MOST + 8]));
        vf_store(sums + 9 * LANES, a0_0_9 * (factor * beside[MOST + 9]));
        vf_store(sums + 10 * LANES, a0_0_10 * (factor * beside[MOST + 10]));
        vf_store(sums + 11 * LANES, a0_0_11 * (factor * beside[MOST + 11]));
        vf_store(sums + 12 * LANES, a0_0_12 * (factor * beside[MOST + 12]));
        vf_store(sums + 13 * LANES, a0_0_13 * (factor * beside[MOST + 13]));
        vf_store(sums + 14 * LANES, a0_0_14 * (factor * beside[MOST + 14]));
        vf_store(sums + 15 * LANES, a0_0_15 * (factor * beside[MOST + 15]));
        return;
    }
    vf_store(sums + 0 * LANES, vf_load(sums + 0 * LANES) + a0_0_0 * (factor * beside[MOST + 0]));
    vf_store(sums + 1 * LANES, vf_load(sums + 1 * LANES) + a0_0_1 * (factor * beside[MOST + 1]));
    vf_store(sums + 2 * LANES, vf_load(sums + 2 * LANES) + a0_0_2 * (factor * beside[MOST + 2]));
    vf_store(sums + 3 * LANES, vf_load(sums + 3 * LANES) + a0_0_3 * (factor * beside[MOST + 3]));
    vf_store(sums + 4 * LANES, vf_load(sums + 4 * LANES) + a0_0_4 * (factor * beside[MOST + 4]));
    vf_store(sums + 5 * LANES, vf_load(sums + 5 * LANES) + a0_0_5 * (factor * beside[MOST + 5]));
    vf_store(sums + 6 * LANES, vf_load(sums + 6 * LANES) + a0_0_6 * (factor * beside[MOST + 6]));
    vf_store(sums + 7 * LANES, vf_load(sums + 7 * LANES) + a0_0_7 * (factor * beside[MOST + 7]));
    vf_store(sums + 8 * LANES, vf_load(sums + 8 * LANES) + a0_0_8 * (factor * beside[MOST + 8]));
    vf_store(sums + 9 * LANES, vf_load(sums + 9 * LANES) + a0_0_9 * (factor * beside[MOST + 9]));
    vf_store(sums + 10 * LANES, vf_load(sums + 10 * LANES) + a0_0_10 * (factor * beside[MOST + 10]));
    vf_store(sums + 11 * LANES, vf_load(sums + 11 * LANES) + a0_0_11 * (factor * beside[MOST + 11]));
    vf_store(sums + 12 * LANES, vf_load(sums + 12 * LANES) + a0_0_12 * (factor * beside[MOST + 12]));
    vf_store(sums + 13 * LANES, vf_load(sums + 13 * LANES) + a0_0_13 * (factor * beside[MOST + 13]));
    vf_store(sums + 14 * LANES, vf_load(sums + 14 * LANES) + a0_0_14 * (factor * beside[MOST + 14]));
    vf_store(sums + 15 * LANES, vf_load(sums + 15 * LANES) + a0_0_15 * (factor * beside[MOST + 15]));
}

void conv_weight_inner_product(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    const float *grad = buf[1];
    float *out = buf[2];
    const int64_t N = arg[0];
    const int64_t H = arg[1];
    const int64_t W = arg[2];
    const int64_t OH = arg[3];
    const int64_t OW = arg[4];
    const int64_t R = arg[5];
    const int64_t S = arg[6];
    const int64_t sy = arg[7];
    const int64_t sx = arg[8];
    const int64_t dy = arg[9];
    const int64_t dx = arg[10];
    const int64_t py = arg[11];
    const int64_t px = arg[12];
    const int64_t in_n = arg[13];
    const int64_t in_c = arg[14];
    const int64_t in_row = arg[15];
    const int64_t grad_n = arg[16];
    const int64_t grad_c = arg[17];
    const int64_t grad_row = arg[18];
    const int64_t in_x = arg[19];
    const int64_t grad_x = arg[20];
    const int64_t group_vectors = arg[21];
    const int64_t group_numbers = arg[22];
    const int64_t panels = arg[23];
    const int64_t unit_sets = arg[24];
    const int64_t step_sets = arg[25];
    const int64_t parts = arg[26];
    const int64_t pixels = arg[27];
    const int64_t set_steps = arg[28];
    const int64_t group_kernels = arg[29];
    const int64_t out_n = arg[30];
    const int64_t out_c = arg[31];
    (void)team; (void)buf; (void)arg;
    const int64_t units = panels, steps = (group_numbers + STEP - 1) / STEP, taps = R * S, every = N * OH * OW;
    const int64_t chunks = (every + pixels - 1) / pixels, sets = unit_sets * step_sets, size = taps * STEP * LANES;
    float *panel = (float *)team->scratch, *own = panel + (pixels + 2) * LANES;
    const packed set_numbers = {own, own + set_steps * STEP * pixels, STEP * pixels};
    own = set_numbers.beside + set_steps * 3 * MOST;
    own = (float *)(((uintptr_t)own + 63) / 64 * 64);
    sol_share share = sol_share_of(team, sets * parts, team->size);
    for (int64_t job, last; sol_share_take(&share, &job, &last);) for (; job < last; job++) {
        const int64_t part = job % parts, set = job / parts, us = set % unit_sets, ts = set / unit_sets;
        const int64_t u0 = units * us / unit_sets, u1 = units * (us + 1) / unit_sets, t0 = steps * ts / step_sets, t1 = steps * (ts + 1) / step_sets;
        const int64_t first = t0 * STEP, count = (t1 * STEP < group_numbers ? t1 * STEP : group_numbers) - first;
        /* Sums of a panel and a step follow each other: of the set, or of all, for each part. */
        float *sums = parts > 1 ? (float *)team->shared_scratch + part * units * steps * size : own;
        const int64_t first_unit = parts > 1 ? 0 : u0, first_step = parts > 1 ? 0 : t0, pitch = parts > 1 ? steps : t1 - t0;
        for (int64_t begin = chunks * part / parts, end = chunks * (part + 1) / parts, chunk = begin; chunk < end; chunk++) {
            const int64_t p0 = chunk * pixels, here = every - p0 < pixels ? every - p0 : pixels, deep = (here + LANES - 1) / LANES;
            vf squares, magnitudes;
            memset(panel + here * LANES, 0, (size_t)((deep * LANES - here) * LANES) * sizeof *panel);
            for (int64_t tap = 0; tap < taps; tap++) {
                const map of_numbers = {in_n, in_row, in_x, H, W, tap / S * dy - py, tap % S * dx - px, sy, sx};
                for (int64_t i = count; i < (t1 - t0) * STEP; i++) {
                    float *to = set_numbers.data + i / STEP * set_numbers.size + i % STEP * LANES, *beside = set_numbers.beside + i / STEP * 3 * MOST + i % STEP;
                    for (int64_t s = 0; s < deep; s++) vf_store(to + s * STEP * LANES, vf_zero());
                    beside[0] = 0, beside[MOST] = 0, beside[2 * MOST] = -1;
                }
                for (int64_t block = first / LANES; block * LANES < first + count; block++) {
                    gather(panel, in + block * in_c, &of_numbers, OH, OW, p0, here, &squares, &magnitudes);
                    pack_numbers(&set_numbers, panel, block * LANES - first, count, deep, here, squares, magnitudes);
                }
            for (int64_t u = u0; u < u1; u++) {
                {
                    const map of_vectors = {grad_n, grad_row, grad_x, OH, OW, 0, 0, 1, 1};
                    gather(panel, grad + u * grad_c, &of_vectors, OH, OW, p0, here, &squares, &magnitudes);
                    const float share = pack_vectors(panel, deep, here, squares, magnitudes);
                    const float agreed = agreement(set_numbers.data, panel, deep, here);
                    for (int64_t t = t0; t < t1; t++) {
                        const float *beside = set_numbers.beside + (t - t0) * 3 * MOST;
                        const int64_t plain = !(share * share_of(beside + 2 * MOST, STEP) * agreed >= 0.02f);
                        /* The first tile asks for the next vector, later ones for numbers of the next chunk. */
                        const int64_t block = first / LANES + (t - t0 - 1) * (u1 - u0) + u - u0;
                        int64_t ahead = (int64_t)panel;
                        if (t == t0) ahead = address(grad + (u + 1 < u1 ? u + 1 : u0) * grad_c, &of_vectors, OH, OW, u + 1 < u1 ? p0 : p0 + pixels, here, every, panel);
                        else if (block * LANES < first + count) ahead = address(in + block * in_c, &of_numbers, OH, OW, p0 + pixels, here, every, panel);
                        float *to = sums + ((u - first_unit) * pitch + t - first_step) * size + tap * STEP * LANES;
                        multiply(to, set_numbers.data + (t - t0) * set_numbers.size, beside, panel, deep, plain, ahead - (int64_t)panel, chunk == begin);
                    }
                }
            }
            }
        }
        if (parts > 1) continue;
        for (int64_t u = u0; u < u1; u++)
            for (int64_t t = t0; t < t1; t++) {
                const int64_t g = u / panels, v0 = u % panels * group_vectors / panels, v1 = (u % panels + 1) * group_vectors / panels;
                const place to = {out + (g * group_kernels + v0 * LANES) * out_n + t * STEP * out_c, group_kernels - v0 * LANES, group_numbers - t * STEP};
                write_tile(sums + ((u - u0) * pitch + t - t0) * size, v1 - v0, to, taps, out_n, out_c);
            }
    }
    if (parts == 1) return;
    sol_barrier(team);
    float *sums = (float *)team->shared_scratch;
    int64_t i, end;
    for (sol_split(team, units * steps, &i, &end); i < end; i++) {
        for (int64_t part = 1; part < parts; part++)
            for (int64_t j = i * size; j < (i + 1) * size; j += LANES) vf_store(sums + j, vf_load(sums + j) + vf_load(sums + part * units * steps * size + j));
        {
                const int64_t g = i / steps / panels, v0 = i / steps % panels * group_vectors / panels, v1 = (i / steps % panels + 1) * group_vectors / panels;
                const place to = {out + (g * group_kernels + v0 * LANES) * out_n + i % steps * STEP * out_c, group_kernels - v0 * LANES, group_numbers - i % steps * STEP};
                write_tile(sums + i * size, v1 - v0, to, taps, out_n, out_c);
            }
    }
}
