/* matmul_pairs: C[q][M][N] = A[q][M][K] * B[q][K][N], by Winograd's inner product.
 *
 * A block is at most 5 x 20 rows by 6 vectors by 256 steps of the reduction: what is packed of A, and partial sums, stay in
 * caches. Threads share out the rows.
 *   for each of this thread's (q, columns, rows): for each slice of the reduction
 *     pack, scaled, [tile of rows][16 steps][row][16] of A
 *     for every GROUP panels of NV vectors of columns: pack, scaled, [vector][step][LANES] of B; what comes next is asked for meanwhile
 *       for each tile of rows, each panel: 20 x 1 accumulators */
#include "sol_team.h"
#include "sol_simd.h"
#include "sol_pack.h"
#include "sol_ahead.h"

enum { STEP = 20, SLICE = 256, VECTOR = (SLICE + 2) * LANES };
/* Winograd's inner product: two terms of a sum share a multiply-add and take two additions, for which this processor has units of their own:
 *   x * w + x' * w' = (x + w') * (x' + w) - x * x' - w * w'
 * Of 16 terms, PAIRS and those HALF behind them are paired. In every other pair x' and w' are negated, so that what is subtracted nearly cancels.
 * Each channel is scaled by the root of its mean square. Its share is the square of its mean magnitude over that root: where the product of the
 * shares of both operands is small, most of their numbers are, and nothing is paired. */
enum { MOST = 22, PAIRS = 5, HALF = 8 };

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

/* The least share of channels that are not zero; not a number if one is none. */
static float share_of(const float *shares, int64_t count)
{
    float least = 1;
    for (int64_t i = 0; i < count; i++) {
        if (shares[i] != shares[i]) return shares[i];
        if (shares[i] >= 0 && shares[i] < least) least = shares[i];
    }
    return least;
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

/* to[depth][LANES] = from[channel * step + d] * inverse[d], zeros for what does not exist; sums of squares and of magnitudes. */
static __attribute__((noinline)) void gather_turned(float *to, const float *from, int64_t step, int64_t depth, int64_t channels, const float *inverse, vf *squares, vf *magnitudes)
{
    vf a = vf_zero(), b = vf_zero();
    const int n = sol_lanes(channels, 0);
    for (int64_t d = 0; d < depth; d += LANES, to += LANES * LANES) {
        const int left = sol_lanes(depth - d, 0);
        vf t[LANES];
#pragma GCC unroll 16
        for (int i = 0; i < LANES; i++) t[i] = i >= n ? vf_zero() : left == LANES ? vf_load(from + i * step + d) : vf_load_n(from + i * step + d, left);
        vf_transpose(t);
#pragma GCC unroll 16
        for (int i = 0; i < LANES; i++) {
            const vf v = t[i] * inverse[d + i];
            vf_store(to + i * LANES, v);
            a += v * v, b += vf_abs(v);
        }
    }
    *squares = a, *magnitudes = b;
}

enum { SAMPLED = 32, FEW = SAMPLED / 4 };

/* Shares of two operands tell how large the sum of their products' magnitudes is expected to be, if neither depends on the other. This returns the
 * square of the real sum over the expected one, at most 1, found from a few channels of both. It is 0 where one operand is zero at the places of
 * the reduction at which the other has its large numbers: pairs would lose the rest of the sum. a[row * across + d * step], b in the same way. */
static __attribute__((noinline)) float agreement(const float *a, int64_t across, int64_t step, int64_t rows, const float *b, int64_t b_across, int64_t b_step, int64_t columns, int64_t depth, const float *factors, const float *inverse)
{
    const int64_t some = rows < FEW ? rows : FEW, others = columns < FEW ? columns : FEW;
    int64_t at[FEW], b_at[FEW];
    double left = 0, right = 0, both = 0;
    for (int64_t i = 0; i < some; i++) at[i] = rows * i / some * across;
    for (int64_t i = 0; i < others; i++) b_at[i] = columns * i / others * b_across;
    for (int64_t d = 0; d < depth; d++, a += step, b += b_step) {
        float x = 0, y = 0;
        for (int64_t i = 0; i < some; i++) x += __builtin_fabsf(a[at[i]]);
        for (int64_t i = 0; i < others; i++) y += __builtin_fabsf(b[b_at[i]]);
        x *= factors[d], y *= inverse[d];
        left += x, right += y, both += (double)x * y;
    }
    const double found = both * (double)depth / (left * right);
    return found >= 1 ? 1 : (float)(found * found);
}

/* Powers of two, at most 1, that say how large vectors are at each place of the reduction against the largest, and what undoes them: by some of the
 * channels, from[channel * across + d * step]. Numbers are multiplied by them, vectors divided. */
static __attribute__((noinline)) void balance(float *factors, float *inverse, const float *from, int64_t across, int64_t step, int64_t channels, int64_t depth)
{
    const int64_t count = channels < SAMPLED ? channels : SAMPLED;
    const vi finite = vi_set(0x7f800000), one = vi_set(0x3f800000), exponents = vi_set(0x7f800000), least = vi_set(-(20 << 23));
    vf largest = vf_zero();
    for (int64_t d = 0; d < depth; d += LANES) {
        float found[LANES] = {0};
        const int64_t left = sol_lanes(depth - d, 0);
        for (int64_t i = 0; i < count; i++) {
            const float *at = from + channels * i / count * across + d * step;
            for (int64_t j = 0; j < left; j++) found[j] += __builtin_fabsf(at[j * step]);
        }
        const vi v = (vi)vf_load(found);
        const vf kept = (vf)(v & (v < finite));
        vf_store(factors + d, kept);
        largest = vf_max_quiet(kept, largest);
    }
    float sizes[LANES], size = 0;
    vf_store(sizes, largest);
    for (int i = 0; i < LANES; i++) size = sizes[i] > size ? sizes[i] : size;
    const vi most = (vi)vf_set(size) & exponents;
    for (int64_t d = 0; d < depth; d += LANES) {
        const vi v = (vi)vf_load(factors + d);
        vi apart = (v & exponents) - most;
        apart = ((apart < least) & least) | (~(apart < least) & apart);
        apart &= v > 0;
        vf_store(factors + d, (vf)(one + apart)), vf_store(inverse + d, (vf)(one - apart));
    }
}

/* LANES numbers of from[row * step + d] * factors[d] for row = number …, of which the set has ``count``: packed along the rows. */
static __attribute__((noinline)) void pack_rows(const packed *to, const float *from, int64_t step, int64_t number, int64_t count, int64_t depth, const float *factors)
{
    static const float firsts[LANES] = {1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    static const float signs[2][LANES] = {{1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, 1.0, -1.0, 1.0, 1.0, 1.0, 1.0}, {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, 1.0, 1.0}};
    const int64_t rows = count - number < LANES ? count - number : LANES, steps = (depth + LANES - 1) / LANES;
    const int left = (int)((depth - 1) % LANES + 1);
    float squares[LANES] = {0}, magnitudes[LANES] = {0}, scale[LANES];
    for (int64_t r = 0; r < rows; r++) {
        const float *at = from + r * step;
        vf a = vf_zero(), b = vf_zero(), c = vf_zero(), d = vf_zero();
        int64_t s = 0;
        const float *by = factors;
        for (; s + 2 < steps; s += 2, at += 2 * LANES, by += 2 * LANES) {
            const vf v = vf_load(at) * vf_load(by), w = vf_load(at + LANES) * vf_load(by + LANES);
            a += v * v, b += vf_abs(v), c += w * w, d += vf_abs(w);
        }
        for (; s < steps; s++, at += LANES, by += LANES) {
            const vf v = (s + 1 < steps ? vf_load(at) : vf_load_n(at, left)) * vf_load(by);
            a += v * v, b += vf_abs(v);
        }
        squares[r] = vf_sum(a + c), magnitudes[r] = vf_sum(b + d);
    }
    vf undo, share, before = vf_set(1), by = before;
    if (too_small_or_large(vf_load(squares), vf_load(magnitudes))) {
        by = by_magnitude(vf_load(magnitudes), depth, &before);
        for (int64_t r = 0; r < rows; r++) {
            vf a = vf_zero();
            for (int64_t s = 0; s < steps; s++) {
                const float *at = from + r * step + s * LANES, *factor = factors + s * LANES;
                const vf v = (s + 1 < steps ? vf_load(at) : vf_load_n(at, left)) * vf_load(factor) * by[r];
                a += v * v;
            }
            squares[r] = vf_sum(a);
        }
        vf_store(magnitudes, vf_load(magnitudes) * by);
    }
    vf_store(scale, scales(vf_load(squares), vf_load(magnitudes), depth, &undo, &share) * by);
    undo *= before;
    for (int64_t r = 0; r < rows; r++) {
        const float *at = from + r * step;
        float *x = to->data + (number + r) / STEP * to->size + (number + r) % STEP * LANES;
        float *beside = to->beside + (number + r) / STEP * 3 * MOST + (number + r) % STEP;
        const vf even = vf_load(signs[0]) * scale[r], odd = vf_load(signs[1]) * scale[r];
        vf products = vf_zero();
        for (int64_t s = 0; s < steps; s++, at += LANES, x += STEP * LANES) {
            const float *factor = factors + s * LANES;
            const vf v = (s + 1 < steps ? vf_load(at) : vf_load_n(at, left)) * vf_load(factor) * (s % 2 ? odd : even);
            vf_store(x, v);
            products += v * VF_PERMUTE(v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
        }
        beside[0] = vf_sum(products * vf_load(firsts)), beside[MOST] = undo[r], beside[2 * MOST] = share[r];
    }
}

enum { MR = 20, NV = 1, WIDTH = NV * LANES };

/* 20 rows x 1 vectors. */
static __attribute__((noinline)) void tile_20(const float *x, const float *w, int64_t steps, int64_t plain, const float *beside, float *part, int64_t k0, int last, float *c, int64_t ldc, int64_t count)
{
    const float *const end = x + (steps - 1) * MR * LANES, *const panel = w + steps * LANES * LANES;
    const int64_t bytes = 0;
    (void)count;
    if (k0)
        for (int i = 0; i < 20; i++) __builtin_prefetch(part + i * LANES, 1);
    if (last)
        for (int i = 0; i < 20; i++) __builtin_prefetch(c + i * ldc, 1);
    vf a0_0_0, a0_0_1, a0_0_2, a0_0_3, a0_0_4, a0_0_5, a0_0_6, a0_0_7, a0_0_8, a0_0_9, a0_0_10, a0_0_11, a0_0_12, a0_0_13, a0_0_14, a0_0_15, a0_0_16, a0_0_17, a0_0_18, a0_0_19;
    float held[20 * LANES];
    const float *const whole = x + 4 * 20 * LANES;
    if (end > whole)
        for (int i = 0; i < 20; i++) vf_store(held + i * LANES, vf_zero());
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
        "vsubps 64(%%rax)%{1to16%}, %%zmm22, %[a16]\n\t"
        "vsubps 68(%%rax)%{1to16%}, %%zmm22, %[a17]\n\t"
        "vsubps 72(%%rax)%{1to16%}, %%zmm22, %[a18]\n\t"
        "vsubps 76(%%rax)%{1to16%}, %%zmm22, %[a19]\n\t"
        "cmp %[end], %[x]\n\t"
        "je 3f\n"
        "1:\n\t"
        "mov %[x], %%rax\n\t"
        "add $5120, %%rax\n\t"
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
        "vfmadd231ps 1044(%[x])%{1to16%}, %%zmm26, %[a16]\n\t"
        "vfmadd231ps 1108(%[x])%{1to16%}, %%zmm26, %[a17]\n\t"
        "vaddps 512(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 544(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vfmadd231ps 1172(%[x])%{1to16%}, %%zmm26, %[a18]\n\t"
        "vfmadd231ps 1236(%[x])%{1to16%}, %%zmm26, %[a19]\n\t"
        "vaddps 576(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 608(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vaddps 640(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 672(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vmovups 384(%[w]), %%zmm27\n\t"
        "prefetcht1 384(%[w],%[ahead])\n\t"
        "vfmadd231ps 24(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vaddps 704(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 736(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 88(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vaddps 768(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 800(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 152(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vaddps 832(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 864(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 216(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vaddps 896(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 928(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vfmadd231ps 280(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vaddps 960(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 992(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 344(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vaddps 1024(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 1056(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a16]\n\t"
        "vfmadd231ps 408(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vaddps 1088(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1120(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a17]\n\t"
        "vfmadd231ps 472(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vaddps 1152(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 1184(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a18]\n\t"
        "vfmadd231ps 536(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vaddps 1216(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1248(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a19]\n\t"
        "vfmadd231ps 600(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vmovups 64(%[w]), %%zmm24\n\t"
        "prefetcht1 64(%[w],%[ahead])\n\t"
        "vmovups 576(%[w]), %%zmm25\n\t"
        "prefetcht1 576(%[w],%[ahead])\n\t"
        "vaddps 4(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 36(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 664(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vaddps 68(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 100(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 728(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vaddps 132(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 164(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 792(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vaddps 196(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 228(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 856(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vaddps 260(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 292(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 920(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vaddps 324(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 356(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 984(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "vaddps 388(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 420(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 1048(%[x])%{1to16%}, %%zmm27, %[a16]\n\t"
        "vaddps 452(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 484(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 1112(%[x])%{1to16%}, %%zmm27, %[a17]\n\t"
        "vaddps 516(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 548(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vfmadd231ps 1176(%[x])%{1to16%}, %%zmm27, %[a18]\n\t"
        "vaddps 580(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 612(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 1240(%[x])%{1to16%}, %%zmm27, %[a19]\n\t"
        "vaddps 644(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 676(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vmovups 448(%[w]), %%zmm26\n\t"
        "prefetcht1 448(%[w],%[ahead])\n\t"
        "vfmadd231ps 28(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vaddps 708(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 740(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 92(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vaddps 772(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 804(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 156(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vaddps 836(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 868(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 220(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vaddps 900(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 932(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vfmadd231ps 284(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vaddps 964(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 996(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 348(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vaddps 1028(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 1060(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a16]\n\t"
        "vfmadd231ps 412(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vaddps 1092(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 1124(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a17]\n\t"
        "vfmadd231ps 476(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vaddps 1156(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 1188(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a18]\n\t"
        "vfmadd231ps 540(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vaddps 1220(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 1252(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a19]\n\t"
        "vfmadd231ps 604(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vmovups 128(%[w]), %%zmm22\n\t"
        "prefetcht1 128(%[w],%[ahead])\n\t"
        "vmovups 640(%[w]), %%zmm23\n\t"
        "prefetcht1 640(%[w],%[ahead])\n\t"
        "vaddps 8(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 40(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 668(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vaddps 72(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 104(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 732(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vaddps 136(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 168(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 796(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vaddps 200(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 232(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 860(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vaddps 264(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 296(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 924(%[x])%{1to16%}, %%zmm26, %[a14]\n\t"
        "vaddps 328(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 360(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 988(%[x])%{1to16%}, %%zmm26, %[a15]\n\t"
        "vaddps 392(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 424(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 1052(%[x])%{1to16%}, %%zmm26, %[a16]\n\t"
        "vaddps 456(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 488(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 1116(%[x])%{1to16%}, %%zmm26, %[a17]\n\t"
        "vaddps 520(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 552(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vfmadd231ps 1180(%[x])%{1to16%}, %%zmm26, %[a18]\n\t"
        "vaddps 584(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 616(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 1244(%[x])%{1to16%}, %%zmm26, %[a19]\n\t"
        "vaddps 648(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 680(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vmovups 832(%[w]), %%zmm27\n\t"
        "prefetcht1 832(%[w],%[ahead])\n\t"
        "vfmadd231ps 52(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vaddps 712(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 744(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 116(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vaddps 776(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 808(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 180(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vaddps 840(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 872(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 244(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vaddps 904(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 936(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vfmadd231ps 308(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vaddps 968(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1000(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 372(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vaddps 1032(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 1064(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a16]\n\t"
        "vfmadd231ps 436(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vaddps 1096(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1128(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a17]\n\t"
        "vfmadd231ps 500(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vaddps 1160(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 1192(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a18]\n\t"
        "vfmadd231ps 564(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vaddps 1224(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1256(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a19]\n\t"
        "vfmadd231ps 628(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vmovups 192(%[w]), %%zmm24\n\t"
        "prefetcht1 192(%[w],%[ahead])\n\t"
        "vmovups 704(%[w]), %%zmm25\n\t"
        "prefetcht1 704(%[w],%[ahead])\n\t"
        "vaddps 12(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 44(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 692(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vaddps 76(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 108(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 756(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vaddps 140(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 172(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 820(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vaddps 204(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 236(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 884(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vaddps 268(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 300(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 948(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vaddps 332(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 364(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 1012(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "vaddps 396(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 428(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 1076(%[x])%{1to16%}, %%zmm27, %[a16]\n\t"
        "vaddps 460(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 492(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 1140(%[x])%{1to16%}, %%zmm27, %[a17]\n\t"
        "vaddps 524(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 556(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vfmadd231ps 1204(%[x])%{1to16%}, %%zmm27, %[a18]\n\t"
        "vaddps 588(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 620(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 1268(%[x])%{1to16%}, %%zmm27, %[a19]\n\t"
        "vaddps 652(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 684(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vmovups 896(%[w]), %%zmm26\n\t"
        "prefetcht1 896(%[w],%[ahead])\n\t"
        "vfmadd231ps 56(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vaddps 716(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 748(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 120(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vaddps 780(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 812(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 184(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vaddps 844(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 876(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 248(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vaddps 908(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 940(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vfmadd231ps 312(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vaddps 972(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 1004(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 376(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vaddps 1036(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 1068(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a16]\n\t"
        "vfmadd231ps 440(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vaddps 1100(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 1132(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a17]\n\t"
        "vfmadd231ps 504(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vaddps 1164(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 1196(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a18]\n\t"
        "vfmadd231ps 568(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vaddps 1228(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 1260(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a19]\n\t"
        "vfmadd231ps 632(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vmovups 256(%[w]), %%zmm22\n\t"
        "prefetcht1 256(%[w],%[ahead])\n\t"
        "vmovups 768(%[w]), %%zmm23\n\t"
        "prefetcht1 768(%[w],%[ahead])\n\t"
        "vaddps 16(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 48(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 696(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vaddps 80(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 112(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 760(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vaddps 144(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 176(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 824(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vaddps 208(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 240(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 888(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vaddps 272(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 304(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 952(%[x])%{1to16%}, %%zmm26, %[a14]\n\t"
        "vaddps 336(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 368(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 1016(%[x])%{1to16%}, %%zmm26, %[a15]\n\t"
        "vaddps 400(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 432(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 1080(%[x])%{1to16%}, %%zmm26, %[a16]\n\t"
        "vaddps 464(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 496(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 1144(%[x])%{1to16%}, %%zmm26, %[a17]\n\t"
        "vaddps 528(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 560(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vfmadd231ps 1208(%[x])%{1to16%}, %%zmm26, %[a18]\n\t"
        "vaddps 592(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 624(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 1272(%[x])%{1to16%}, %%zmm26, %[a19]\n\t"
        "vaddps 656(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 688(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vmovups 960(%[w]), %%zmm27\n\t"
        "prefetcht1 960(%[w],%[ahead])\n\t"
        "vfmadd231ps 60(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vaddps 720(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 752(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 124(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vaddps 784(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 816(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 188(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vaddps 848(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 880(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 252(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vaddps 912(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 944(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vfmadd231ps 316(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vaddps 976(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1008(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 380(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vaddps 1040(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 1072(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a16]\n\t"
        "vfmadd231ps 444(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vaddps 1104(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1136(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a17]\n\t"
        "vfmadd231ps 508(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vaddps 1168(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 1200(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a18]\n\t"
        "vfmadd231ps 572(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vaddps 1232(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1264(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a19]\n\t"
        "vfmadd231ps 636(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 700(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 764(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 828(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vfmadd231ps 892(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vfmadd231ps 956(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vfmadd231ps 1020(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "vfmadd231ps 1084(%[x])%{1to16%}, %%zmm27, %[a16]\n\t"
        "vfmadd231ps 1148(%[x])%{1to16%}, %%zmm27, %[a17]\n\t"
        "vfmadd231ps 1212(%[x])%{1to16%}, %%zmm27, %[a18]\n\t"
        "vfmadd231ps 1276(%[x])%{1to16%}, %%zmm27, %[a19]\n\t"
        "add $1024, %[w]\n\t"
        "add $1280, %[x]\n\t"
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
        "vaddps 1024(%%rax), %[a16], %%zmm22\n\t"
        "vmovups %%zmm22, 1024(%%rax)\n\t"
        "vpxord %[a16], %[a16], %[a16]\n\t"
        "vaddps 1088(%%rax), %[a17], %%zmm22\n\t"
        "vmovups %%zmm22, 1088(%%rax)\n\t"
        "vpxord %[a17], %[a17], %[a17]\n\t"
        "vaddps 1152(%%rax), %[a18], %%zmm22\n\t"
        "vmovups %%zmm22, 1152(%%rax)\n\t"
        "vpxord %[a18], %[a18], %[a18]\n\t"
        "vaddps 1216(%%rax), %[a19], %%zmm22\n\t"
        "vmovups %%zmm22, 1216(%%rax)\n\t"
        "vpxord %[a19], %[a19], %[a19]\n\t"
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
        "vfmadd231ps 1044(%[x])%{1to16%}, %%zmm26, %[a16]\n\t"
        "vfmadd231ps 1108(%[x])%{1to16%}, %%zmm26, %[a17]\n\t"
        "vaddps 512(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 544(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vfmadd231ps 1172(%[x])%{1to16%}, %%zmm26, %[a18]\n\t"
        "vfmadd231ps 1236(%[x])%{1to16%}, %%zmm26, %[a19]\n\t"
        "vaddps 576(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 608(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vaddps 640(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 672(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vmovups 384(%[w]), %%zmm27\n\t"
        "prefetcht1 384(%[w],%[ahead])\n\t"
        "vfmadd231ps 24(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vaddps 704(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 736(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 88(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vaddps 768(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 800(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 152(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vaddps 832(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 864(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 216(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vaddps 896(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 928(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vfmadd231ps 280(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vaddps 960(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 992(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 344(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vaddps 1024(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 1056(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a16]\n\t"
        "vfmadd231ps 408(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vaddps 1088(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1120(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a17]\n\t"
        "vfmadd231ps 472(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vaddps 1152(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 1184(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a18]\n\t"
        "vfmadd231ps 536(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vaddps 1216(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1248(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a19]\n\t"
        "vfmadd231ps 600(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vmovups 64(%[w]), %%zmm24\n\t"
        "prefetcht1 64(%[w],%[ahead])\n\t"
        "vmovups 576(%[w]), %%zmm25\n\t"
        "prefetcht1 576(%[w],%[ahead])\n\t"
        "vaddps 4(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 36(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 664(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vaddps 68(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 100(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 728(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vaddps 132(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 164(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 792(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vaddps 196(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 228(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 856(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vaddps 260(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 292(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 920(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vaddps 324(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 356(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 984(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "vaddps 388(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 420(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 1048(%[x])%{1to16%}, %%zmm27, %[a16]\n\t"
        "vaddps 452(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 484(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 1112(%[x])%{1to16%}, %%zmm27, %[a17]\n\t"
        "vaddps 516(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 548(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vfmadd231ps 1176(%[x])%{1to16%}, %%zmm27, %[a18]\n\t"
        "vaddps 580(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 612(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 1240(%[x])%{1to16%}, %%zmm27, %[a19]\n\t"
        "vaddps 644(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 676(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vmovups 448(%[w]), %%zmm26\n\t"
        "prefetcht1 448(%[w],%[ahead])\n\t"
        "vfmadd231ps 28(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vaddps 708(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 740(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 92(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vaddps 772(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 804(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 156(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vaddps 836(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 868(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 220(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vaddps 900(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 932(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vfmadd231ps 284(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vaddps 964(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 996(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 348(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vaddps 1028(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 1060(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a16]\n\t"
        "vfmadd231ps 412(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vaddps 1092(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 1124(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a17]\n\t"
        "vfmadd231ps 476(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vaddps 1156(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 1188(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a18]\n\t"
        "vfmadd231ps 540(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vaddps 1220(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 1252(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a19]\n\t"
        "vfmadd231ps 604(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vmovups 128(%[w]), %%zmm22\n\t"
        "prefetcht1 128(%[w],%[ahead])\n\t"
        "vmovups 640(%[w]), %%zmm23\n\t"
        "prefetcht1 640(%[w],%[ahead])\n\t"
        "vaddps 8(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 40(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 668(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vaddps 72(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 104(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 732(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vaddps 136(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 168(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 796(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vaddps 200(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 232(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 860(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vaddps 264(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 296(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 924(%[x])%{1to16%}, %%zmm26, %[a14]\n\t"
        "vaddps 328(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 360(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 988(%[x])%{1to16%}, %%zmm26, %[a15]\n\t"
        "vaddps 392(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 424(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 1052(%[x])%{1to16%}, %%zmm26, %[a16]\n\t"
        "vaddps 456(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 488(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 1116(%[x])%{1to16%}, %%zmm26, %[a17]\n\t"
        "vaddps 520(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 552(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vfmadd231ps 1180(%[x])%{1to16%}, %%zmm26, %[a18]\n\t"
        "vaddps 584(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 616(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 1244(%[x])%{1to16%}, %%zmm26, %[a19]\n\t"
        "vaddps 648(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 680(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vmovups 832(%[w]), %%zmm27\n\t"
        "prefetcht1 832(%[w],%[ahead])\n\t"
        "vfmadd231ps 52(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vaddps 712(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 744(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 116(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vaddps 776(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 808(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 180(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vaddps 840(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 872(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 244(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vaddps 904(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 936(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vfmadd231ps 308(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vaddps 968(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1000(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 372(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vaddps 1032(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 1064(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a16]\n\t"
        "vfmadd231ps 436(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vaddps 1096(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1128(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a17]\n\t"
        "vfmadd231ps 500(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vaddps 1160(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 1192(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a18]\n\t"
        "vfmadd231ps 564(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vaddps 1224(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1256(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a19]\n\t"
        "vfmadd231ps 628(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vmovups 192(%[w]), %%zmm24\n\t"
        "prefetcht1 192(%[w],%[ahead])\n\t"
        "vmovups 704(%[w]), %%zmm25\n\t"
        "prefetcht1 704(%[w],%[ahead])\n\t"
        "vaddps 12(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 44(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 692(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vaddps 76(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 108(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 756(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vaddps 140(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 172(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 820(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vaddps 204(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 236(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 884(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vaddps 268(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 300(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 948(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vaddps 332(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 364(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 1012(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "vaddps 396(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 428(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 1076(%[x])%{1to16%}, %%zmm27, %[a16]\n\t"
        "vaddps 460(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 492(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 1140(%[x])%{1to16%}, %%zmm27, %[a17]\n\t"
        "vaddps 524(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 556(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vfmadd231ps 1204(%[x])%{1to16%}, %%zmm27, %[a18]\n\t"
        "vaddps 588(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 620(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 1268(%[x])%{1to16%}, %%zmm27, %[a19]\n\t"
        "vaddps 652(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 684(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vmovups 896(%[w]), %%zmm26\n\t"
        "prefetcht1 896(%[w],%[ahead])\n\t"
        "vfmadd231ps 56(%[x])%{1to16%}, %%zmm26, %[a0]\n\t"
        "vaddps 716(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 748(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 120(%[x])%{1to16%}, %%zmm26, %[a1]\n\t"
        "vaddps 780(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 812(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 184(%[x])%{1to16%}, %%zmm26, %[a2]\n\t"
        "vaddps 844(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 876(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 248(%[x])%{1to16%}, %%zmm26, %[a3]\n\t"
        "vaddps 908(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 940(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vfmadd231ps 312(%[x])%{1to16%}, %%zmm26, %[a4]\n\t"
        "vaddps 972(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 1004(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 376(%[x])%{1to16%}, %%zmm26, %[a5]\n\t"
        "vaddps 1036(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 1068(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a16]\n\t"
        "vfmadd231ps 440(%[x])%{1to16%}, %%zmm26, %[a6]\n\t"
        "vaddps 1100(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 1132(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a17]\n\t"
        "vfmadd231ps 504(%[x])%{1to16%}, %%zmm26, %[a7]\n\t"
        "vaddps 1164(%[x])%{1to16%}, %%zmm25, %%zmm28\n\t"
        "vaddps 1196(%[x])%{1to16%}, %%zmm24, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a18]\n\t"
        "vfmadd231ps 568(%[x])%{1to16%}, %%zmm26, %[a8]\n\t"
        "vaddps 1228(%[x])%{1to16%}, %%zmm25, %%zmm30\n\t"
        "vaddps 1260(%[x])%{1to16%}, %%zmm24, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a19]\n\t"
        "vfmadd231ps 632(%[x])%{1to16%}, %%zmm26, %[a9]\n\t"
        "vmovups 256(%[w]), %%zmm22\n\t"
        "prefetcht1 256(%[w],%[ahead])\n\t"
        "vmovups 768(%[w]), %%zmm23\n\t"
        "prefetcht1 768(%[w],%[ahead])\n\t"
        "vaddps 16(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 48(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a0]\n\t"
        "vfmadd231ps 696(%[x])%{1to16%}, %%zmm26, %[a10]\n\t"
        "vaddps 80(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 112(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a1]\n\t"
        "vfmadd231ps 760(%[x])%{1to16%}, %%zmm26, %[a11]\n\t"
        "vaddps 144(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 176(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a2]\n\t"
        "vfmadd231ps 824(%[x])%{1to16%}, %%zmm26, %[a12]\n\t"
        "vaddps 208(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 240(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a3]\n\t"
        "vfmadd231ps 888(%[x])%{1to16%}, %%zmm26, %[a13]\n\t"
        "vaddps 272(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 304(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a4]\n\t"
        "vfmadd231ps 952(%[x])%{1to16%}, %%zmm26, %[a14]\n\t"
        "vaddps 336(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 368(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a5]\n\t"
        "vfmadd231ps 1016(%[x])%{1to16%}, %%zmm26, %[a15]\n\t"
        "vaddps 400(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 432(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a6]\n\t"
        "vfmadd231ps 1080(%[x])%{1to16%}, %%zmm26, %[a16]\n\t"
        "vaddps 464(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 496(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a7]\n\t"
        "vfmadd231ps 1144(%[x])%{1to16%}, %%zmm26, %[a17]\n\t"
        "vaddps 528(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 560(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a8]\n\t"
        "vfmadd231ps 1208(%[x])%{1to16%}, %%zmm26, %[a18]\n\t"
        "vaddps 592(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 624(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a9]\n\t"
        "vfmadd231ps 1272(%[x])%{1to16%}, %%zmm26, %[a19]\n\t"
        "vaddps 656(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 688(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a10]\n\t"
        "vmovups 960(%[w]), %%zmm27\n\t"
        "prefetcht1 960(%[w],%[ahead])\n\t"
        "vfmadd231ps 60(%[x])%{1to16%}, %%zmm27, %[a0]\n\t"
        "vaddps 720(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 752(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a11]\n\t"
        "vfmadd231ps 124(%[x])%{1to16%}, %%zmm27, %[a1]\n\t"
        "vaddps 784(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 816(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a12]\n\t"
        "vfmadd231ps 188(%[x])%{1to16%}, %%zmm27, %[a2]\n\t"
        "vaddps 848(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 880(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a13]\n\t"
        "vfmadd231ps 252(%[x])%{1to16%}, %%zmm27, %[a3]\n\t"
        "vaddps 912(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 944(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a14]\n\t"
        "vfmadd231ps 316(%[x])%{1to16%}, %%zmm27, %[a4]\n\t"
        "vaddps 976(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1008(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a15]\n\t"
        "vfmadd231ps 380(%[x])%{1to16%}, %%zmm27, %[a5]\n\t"
        "vaddps 1040(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 1072(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a16]\n\t"
        "vfmadd231ps 444(%[x])%{1to16%}, %%zmm27, %[a6]\n\t"
        "vaddps 1104(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1136(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a17]\n\t"
        "vfmadd231ps 508(%[x])%{1to16%}, %%zmm27, %[a7]\n\t"
        "vaddps 1168(%[x])%{1to16%}, %%zmm23, %%zmm28\n\t"
        "vaddps 1200(%[x])%{1to16%}, %%zmm22, %%zmm29\n\t"
        "vfmadd231ps %%zmm28, %%zmm29, %[a18]\n\t"
        "vfmadd231ps 572(%[x])%{1to16%}, %%zmm27, %[a8]\n\t"
        "vaddps 1232(%[x])%{1to16%}, %%zmm23, %%zmm30\n\t"
        "vaddps 1264(%[x])%{1to16%}, %%zmm22, %%zmm31\n\t"
        "vfmadd231ps %%zmm30, %%zmm31, %[a19]\n\t"
        "vfmadd231ps 636(%[x])%{1to16%}, %%zmm27, %[a9]\n\t"
        "vfmadd231ps 700(%[x])%{1to16%}, %%zmm27, %[a10]\n\t"
        "vfmadd231ps 764(%[x])%{1to16%}, %%zmm27, %[a11]\n\t"
        "vfmadd231ps 828(%[x])%{1to16%}, %%zmm27, %[a12]\n\t"
        "vfmadd231ps 892(%[x])%{1to16%}, %%zmm27, %[a13]\n\t"
        "vfmadd231ps 956(%[x])%{1to16%}, %%zmm27, %[a14]\n\t"
        "vfmadd231ps 1020(%[x])%{1to16%}, %%zmm27, %[a15]\n\t"
        "vfmadd231ps 1084(%[x])%{1to16%}, %%zmm27, %[a16]\n\t"
        "vfmadd231ps 1148(%[x])%{1to16%}, %%zmm27, %[a17]\n\t"
        "vfmadd231ps 1212(%[x])%{1to16%}, %%zmm27, %[a18]\n\t"
        "vfmadd231ps 1276(%[x])%{1to16%}, %%zmm27, %[a19]\n\t"
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
        "vpxord %[a16], %[a16], %[a16]\n\t"
        "vpxord %[a17], %[a17], %[a17]\n\t"
        "vpxord %[a18], %[a18], %[a18]\n\t"
        "vpxord %[a19], %[a19], %[a19]\n\t"
        "cmp %[end], %[x]\n\t"
        "je 8f\n"
        "6:\n\t"
        "mov %[x], %%rax\n\t"
        "add $5120, %%rax\n\t"
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
        "vfmadd231ps 1024(%[x])%{1to16%}, %%zmm26, %[a16]\n\t"
        "vfmadd231ps 1088(%[x])%{1to16%}, %%zmm26, %[a17]\n\t"
        "vfmadd231ps 1152(%[x])%{1to16%}, %%zmm26, %[a18]\n\t"
        "vfmadd231ps 1216(%[x])%{1to16%}, %%zmm26, %[a19]\n\t"
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
        "vfmadd231ps 1028(%[x])%{1to16%}, %%zmm27, %[a16]\n\t"
        "vfmadd231ps 1092(%[x])%{1to16%}, %%zmm27, %[a17]\n\t"
        "vfmadd231ps 1156(%[x])%{1to16%}, %%zmm27, %[a18]\n\t"
        "vfmadd231ps 1220(%[x])%{1to16%}, %%zmm27, %[a19]\n\t"
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
        "vfmadd231ps 1032(%[x])%{1to16%}, %%zmm26, %[a16]\n\t"
        "vfmadd231ps 1096(%[x])%{1to16%}, %%zmm26, %[a17]\n\t"
        "vfmadd231ps 1160(%[x])%{1to16%}, %%zmm26, %[a18]\n\t"
        "vfmadd231ps 1224(%[x])%{1to16%}, %%zmm26, %[a19]\n\t"
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
        "vfmadd231ps 1036(%[x])%{1to16%}, %%zmm27, %[a16]\n\t"
        "vfmadd231ps 1100(%[x])%{1to16%}, %%zmm27, %[a17]\n\t"
        "vfmadd231ps 1164(%[x])%{1to16%}, %%zmm27, %[a18]\n\t"
        "vfmadd231ps 1228(%[x])%{1to16%}, %%zmm27, %[a19]\n\t"
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
        "vfmadd231ps 1040(%[x])%{1to16%}, %%zmm26, %[a16]\n\t"
        "vfmadd231ps 1104(%[x])%{1to16%}, %%zmm26, %[a17]\n\t"
        "vfmadd231ps 1168(%[x])%{1to16%}, %%zmm26, %[a18]\n\t"
        "vfmadd231ps 1232(%[x])%{1to16%}, %%zmm26, %[a19]\n\t"
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
        "vfmadd231ps 1044(%[x])%{1to16%}, %%zmm27, %[a16]\n\t"
        "vfmadd231ps 1108(%[x])%{1to16%}, %%zmm27, %[a17]\n\t"
        "vfmadd231ps 1172(%[x])%{1to16%}, %%zmm27, %[a18]\n\t"
        "vfmadd231ps 1236(%[x])%{1to16%}, %%zmm27, %[a19]\n\t"
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
        "vfmadd231ps 1048(%[x])%{1to16%}, %%zmm26, %[a16]\n\t"
        "vfmadd231ps 1112(%[x])%{1to16%}, %%zmm26, %[a17]\n\t"
        "vfmadd231ps 1176(%[x])%{1to16%}, %%zmm26, %[a18]\n\t"
        "vfmadd231ps 1240(%[x])%{1to16%}, %%zmm26, %[a19]\n\t"
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
        "vfmadd231ps 1052(%[x])%{1to16%}, %%zmm27, %[a16]\n\t"
        "vfmadd231ps 1116(%[x])%{1to16%}, %%zmm27, %[a17]\n\t"
        "vfmadd231ps 1180(%[x])%{1to16%}, %%zmm27, %[a18]\n\t"
        "vfmadd231ps 1244(%[x])%{1to16%}, %%zmm27, %[a19]\n\t"
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
        "vfmadd231ps 1056(%[x])%{1to16%}, %%zmm26, %[a16]\n\t"
        "vfmadd231ps 1120(%[x])%{1to16%}, %%zmm26, %[a17]\n\t"
        "vfmadd231ps 1184(%[x])%{1to16%}, %%zmm26, %[a18]\n\t"
        "vfmadd231ps 1248(%[x])%{1to16%}, %%zmm26, %[a19]\n\t"
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
        "vfmadd231ps 1060(%[x])%{1to16%}, %%zmm27, %[a16]\n\t"
        "vfmadd231ps 1124(%[x])%{1to16%}, %%zmm27, %[a17]\n\t"
        "vfmadd231ps 1188(%[x])%{1to16%}, %%zmm27, %[a18]\n\t"
        "vfmadd231ps 1252(%[x])%{1to16%}, %%zmm27, %[a19]\n\t"
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
        "vfmadd231ps 1064(%[x])%{1to16%}, %%zmm26, %[a16]\n\t"
        "vfmadd231ps 1128(%[x])%{1to16%}, %%zmm26, %[a17]\n\t"
        "vfmadd231ps 1192(%[x])%{1to16%}, %%zmm26, %[a18]\n\t"
        "vfmadd231ps 1256(%[x])%{1to16%}, %%zmm26, %[a19]\n\t"
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
        "vfmadd231ps 1068(%[x])%{1to16%}, %%zmm27, %[a16]\n\t"
        "vfmadd231ps 1132(%[x])%{1to16%}, %%zmm27, %[a17]\n\t"
        "vfmadd231ps 1196(%[x])%{1to16%}, %%zmm27, %[a18]\n\t"
        "vfmadd231ps 1260(%[x])%{1to16%}, %%zmm27, %[a19]\n\t"
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
        "vfmadd231ps 1072(%[x])%{1to16%}, %%zmm26, %[a16]\n\t"
        "vfmadd231ps 1136(%[x])%{1to16%}, %%zmm26, %[a17]\n\t"
        "vfmadd231ps 1200(%[x])%{1to16%}, %%zmm26, %[a18]\n\t"
        "vfmadd231ps 1264(%[x])%{1to16%}, %%zmm26, %[a19]\n\t"
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
        "vfmadd231ps 1076(%[x])%{1to16%}, %%zmm27, %[a16]\n\t"
        "vfmadd231ps 1140(%[x])%{1to16%}, %%zmm27, %[a17]\n\t"
        "vfmadd231ps 1204(%[x])%{1to16%}, %%zmm27, %[a18]\n\t"
        "vfmadd231ps 1268(%[x])%{1to16%}, %%zmm27, %[a19]\n\t"
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
        "vfmadd231ps 1080(%[x])%{1to16%}, %%zmm26, %[a16]\n\t"
        "vfmadd231ps 1144(%[x])%{1to16%}, %%zmm26, %[a17]\n\t"
        "vfmadd231ps 1208(%[x])%{1to16%}, %%zmm26, %[a18]\n\t"
        "vfmadd231ps 1272(%[x])%{1to16%}, %%zmm26, %[a19]\n\t"
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
        "vfmadd231ps 1084(%[x])%{1to16%}, %%zmm27, %[a16]\n\t"
        "vfmadd231ps 1148(%[x])%{1to16%}, %%zmm27, %[a17]\n\t"
        "vfmadd231ps 1212(%[x])%{1to16%}, %%zmm27, %[a18]\n\t"
        "vfmadd231ps 1276(%[x])%{1to16%}, %%zmm27, %[a19]\n\t"
        "add $1024, %[w]\n\t"
        "add $1280, %[x]\n\t"
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
        "vaddps 1024(%%rax), %[a16], %%zmm22\n\t"
        "vmovups %%zmm22, 1024(%%rax)\n\t"
        "vpxord %[a16], %[a16], %[a16]\n\t"
        "vaddps 1088(%%rax), %[a17], %%zmm22\n\t"
        "vmovups %%zmm22, 1088(%%rax)\n\t"
        "vpxord %[a17], %[a17], %[a17]\n\t"
        "vaddps 1152(%%rax), %[a18], %%zmm22\n\t"
        "vmovups %%zmm22, 1152(%%rax)\n\t"
        "vpxord %[a18], %[a18], %[a18]\n\t"
        "vaddps 1216(%%rax), %[a19], %%zmm22\n\t"
        "vmovups %%zmm22, 1216(%%rax)\n\t"
        "vpxord %[a19], %[a19], %[a19]\n\t"
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
        "vfmadd231ps 1024(%[x])%{1to16%}, %%zmm26, %[a16]\n\t"
        "vfmadd231ps 1088(%[x])%{1to16%}, %%zmm26, %[a17]\n\t"
        "vfmadd231ps 1152(%[x])%{1to16%}, %%zmm26, %[a18]\n\t"
        "vfmadd231ps 1216(%[x])%{1to16%}, %%zmm26, %[a19]\n\t"
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
        "vfmadd231ps 1028(%[x])%{1to16%}, %%zmm27, %[a16]\n\t"
        "vfmadd231ps 1092(%[x])%{1to16%}, %%zmm27, %[a17]\n\t"
        "vfmadd231ps 1156(%[x])%{1to16%}, %%zmm27, %[a18]\n\t"
        "vfmadd231ps 1220(%[x])%{1to16%}, %%zmm27, %[a19]\n\t"
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
        "vfmadd231ps 1032(%[x])%{1to16%}, %%zmm26, %[a16]\n\t"
        "vfmadd231ps 1096(%[x])%{1to16%}, %%zmm26, %[a17]\n\t"
        "vfmadd231ps 1160(%[x])%{1to16%}, %%zmm26, %[a18]\n\t"
        "vfmadd231ps 1224(%[x])%{1to16%}, %%zmm26, %[a19]\n\t"
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
        "vfmadd231ps 1036(%[x])%{1to16%}, %%zmm27, %[a16]\n\t"
        "vfmadd231ps 1100(%[x])%{1to16%}, %%zmm27, %[a17]\n\t"
        "vfmadd231ps 1164(%[x])%{1to16%}, %%zmm27, %[a18]\n\t"
        "vfmadd231ps 1228(%[x])%{1to16%}, %%zmm27, %[a19]\n\t"
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
        "vfmadd231ps 1040(%[x])%{1to16%}, %%zmm26, %[a16]\n\t"
        "vfmadd231ps 1104(%[x])%{1to16%}, %%zmm26, %[a17]\n\t"
        "vfmadd231ps 1168(%[x])%{1to16%}, %%zmm26, %[a18]\n\t"
        "vfmadd231ps 1232(%[x])%{1to16%}, %%zmm26, %[a19]\n\t"
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
        "vfmadd231ps 1044(%[x])%{1to16%}, %%zmm27, %[a16]\n\t"
        "vfmadd231ps 1108(%[x])%{1to16%}, %%zmm27, %[a17]\n\t"
        "vfmadd231ps 1172(%[x])%{1to16%}, %%zmm27, %[a18]\n\t"
        "vfmadd231ps 1236(%[x])%{1to16%}, %%zmm27, %[a19]\n\t"
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
        "vfmadd231ps 1048(%[x])%{1to16%}, %%zmm26, %[a16]\n\t"
        "vfmadd231ps 1112(%[x])%{1to16%}, %%zmm26, %[a17]\n\t"
        "vfmadd231ps 1176(%[x])%{1to16%}, %%zmm26, %[a18]\n\t"
        "vfmadd231ps 1240(%[x])%{1to16%}, %%zmm26, %[a19]\n\t"
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
        "vfmadd231ps 1052(%[x])%{1to16%}, %%zmm27, %[a16]\n\t"
        "vfmadd231ps 1116(%[x])%{1to16%}, %%zmm27, %[a17]\n\t"
        "vfmadd231ps 1180(%[x])%{1to16%}, %%zmm27, %[a18]\n\t"
        "vfmadd231ps 1244(%[x])%{1to16%}, %%zmm27, %[a19]\n\t"
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
        "vfmadd231ps 1056(%[x])%{1to16%}, %%zmm26, %[a16]\n\t"
        "vfmadd231ps 1120(%[x])%{1to16%}, %%zmm26, %[a17]\n\t"
        "vfmadd231ps 1184(%[x])%{1to16%}, %%zmm26, %[a18]\n\t"
        "vfmadd231ps 1248(%[x])%{1to16%}, %%zmm26, %[a19]\n\t"
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
        "vfmadd231ps 1060(%[x])%{1to16%}, %%zmm27, %[a16]\n\t"
        "vfmadd231ps 1124(%[x])%{1to16%}, %%zmm27, %[a17]\n\t"
        "vfmadd231ps 1188(%[x])%{1to16%}, %%zmm27, %[a18]\n\t"
        "vfmadd231ps 1252(%[x])%{1to16%}, %%zmm27, %[a19]\n\t"
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
        "vfmadd231ps 1064(%[x])%{1to16%}, %%zmm26, %[a16]\n\t"
        "vfmadd231ps 1128(%[x])%{1to16%}, %%zmm26, %[a17]\n\t"
        "vfmadd231ps 1192(%[x])%{1to16%}, %%zmm26, %[a18]\n\t"
        "vfmadd231ps 1256(%[x])%{1to16%}, %%zmm26, %[a19]\n\t"
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
        "vfmadd231ps 1068(%[x])%{1to16%}, %%zmm27, %[a16]\n\t"
        "vfmadd231ps 1132(%[x])%{1to16%}, %%zmm27, %[a17]\n\t"
        "vfmadd231ps 1196(%[x])%{1to16%}, %%zmm27, %[a18]\n\t"
        "vfmadd231ps 1260(%[x])%{1to16%}, %%zmm27, %[a19]\n\t"
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
        "vfmadd231ps 1072(%[x])%{1to16%}, %%zmm26, %[a16]\n\t"
        "vfmadd231ps 1136(%[x])%{1to16%}, %%zmm26, %[a17]\n\t"
        "vfmadd231ps 1200(%[x])%{1to16%}, %%zmm26, %[a18]\n\t"
        "vfmadd231ps 1264(%[x])%{1to16%}, %%zmm26, %[a19]\n\t"
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
        "vfmadd231ps 1076(%[x])%{1to16%}, %%zmm27, %[a16]\n\t"
        "vfmadd231ps 1140(%[x])%{1to16%}, %%zmm27, %[a17]\n\t"
        "vfmadd231ps 1204(%[x])%{1to16%}, %%zmm27, %[a18]\n\t"
        "vfmadd231ps 1268(%[x])%{1to16%}, %%zmm27, %[a19]\n\t"
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
        "vfmadd231ps 1080(%[x])%{1to16%}, %%zmm26, %[a16]\n\t"
        "vfmadd231ps 1144(%[x])%{1to16%}, %%zmm26, %[a17]\n\t"
        "vfmadd231ps 1208(%[x])%{1to16%}, %%zmm26, %[a18]\n\t"
        "vfmadd231ps 1272(%[x])%{1to16%}, %%zmm26, %[a19]\n\t"
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
        "vfmadd231ps 1084(%[x])%{1to16%}, %%zmm27, %[a16]\n\t"
        "vfmadd231ps 1148(%[x])%{1to16%}, %%zmm27, %[a17]\n\t"
        "vfmadd231ps 1212(%[x])%{1to16%}, %%zmm27, %[a18]\n\t"
        "vfmadd231ps 1276(%[x])%{1to16%}, %%zmm27, %[a19]\n\t"
        "9:\n\t"
        : [a0] "=&v"(a0_0_0), [a1] "=&v"(a0_0_1), [a2] "=&v"(a0_0_2), [a3] "=&v"(a0_0_3), [a4] "=&v"(a0_0_4), [a5] "=&v"(a0_0_5), [a6] "=&v"(a0_0_6), [a7] "=&v"(a0_0_7), [a8] "=&v"(a0_0_8), [a9] "=&v"(a0_0_9), [a10] "=&v"(a0_0_10), [a11] "=&v"(a0_0_11), [a12] "=&v"(a0_0_12), [a13] "=&v"(a0_0_13), [a14] "=&v"(a0_0_14), [a15] "=&v"(a0_0_15), [a16] "=&v"(a0_0_16), [a17] "=&v"(a0_0_17), [a18] "=&v"(a0_0_18), [a19] "=&v"(a0_0_19), [x] "+&r"(x), [w] "+&r"(w)
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
        a0_0_16 += vf_load(held + 16 * LANES);
        a0_0_17 += vf_load(held + 17 * LANES);
        a0_0_18 += vf_load(held + 18 * LANES);
        a0_0_19 += vf_load(held + 19 * LANES);
    }
    const vf factor0 = vf_load(panel + LANES);
    vf c0_0 = a0_0_0 * (factor0 * beside[MOST + 0]);
    vf c1_0 = a0_0_1 * (factor0 * beside[MOST + 1]);
    vf c2_0 = a0_0_2 * (factor0 * beside[MOST + 2]);
    vf c3_0 = a0_0_3 * (factor0 * beside[MOST + 3]);
    vf c4_0 = a0_0_4 * (factor0 * beside[MOST + 4]);
    vf c5_0 = a0_0_5 * (factor0 * beside[MOST + 5]);
    vf c6_0 = a0_0_6 * (factor0 * beside[MOST + 6]);
    vf c7_0 = a0_0_7 * (factor0 * beside[MOST + 7]);
    vf c8_0 = a0_0_8 * (factor0 * beside[MOST + 8]);
    vf c9_0 = a0_0_9 * (factor0 * beside[MOST + 9]);
    vf c10_0 = a0_0_10 * (factor0 * beside[MOST + 10]);
    vf c11_0 = a0_0_11 * (factor0 * beside[MOST + 11]);
    vf c12_0 = a0_0_12 * (factor0 * beside[MOST + 12]);
    vf c13_0 = a0_0_13 * (factor0 * beside[MOST + 13]);
    vf c14_0 = a0_0_14 * (factor0 * beside[MOST + 14]);
    vf c15_0 = a0_0_15 * (factor0 * beside[MOST + 15]);
    vf c16_0 = a0_0_16 * (factor0 * beside[MOST + 16]);
    vf c17_0 = a0_0_17 * (factor0 * beside[MOST + 17]);
    vf c18_0 = a0_0_18 * (factor0 * beside[MOST + 18]);
    vf c19_0 = a0_0_19 * (factor0 * beside[MOST + 19]);
    if (k0) {
c0_0 += vf_load(part + 0 * LANES); 
c1_0 += vf_load(part + 1 * LANES); 
c2_0 += vf_load(part + 2 * LANES); 
c3_0 += vf_load(part + 3 * LANES); 
c4_0 += vf_load(part + 4 * LANES); 
c5_0 += vf_load(part + 5 * LANES); 
c6_0 += vf_load(part + 6 * LANES); 
c7_0 += vf_load(part + 7 * LANES); 
c8_0 += vf_load(part + 8 * LANES); 
c9_0 += vf_load(part + 9 * LANES); 
c10_0 += vf_load(part + 10 * LANES); 
c11_0 += vf_load(part + 11 * LANES); 
c12_0 += vf_load(part + 12 * LANES); 
c13_0 += vf_load(part + 13 * LANES); 
c14_0 += vf_load(part + 14 * LANES); 
c15_0 += vf_load(part + 15 * LANES); 
c16_0 += vf_load(part + 16 * LANES); 
c17_0 += vf_load(part + 17 * LANES); 
c18_0 += vf_load(part + 18 * LANES); 
c19_0 += vf_load(part + 19 * LANES); 
    }
    if (!last) {
vf_store(part + 0 * LANES, c0_0); 
vf_store(part + 1 * LANES, c1_0); 
vf_store(part + 2 * LANES, c2_0); 
vf_store(part + 3 * LANES, c3_0); 
vf_store(part + 4 * LANES, c4_0); 
vf_store(part + 5 * LANES, c5_0); 
vf_store(part + 6 * LANES, c6_0); 
vf_store(part + 7 * LANES, c7_0); 
vf_store(part + 8 * LANES, c8_0); 
vf_store(part + 9 * LANES, c9_0); 
vf_store(part + 10 * LANES, c10_0); 
vf_store(part + 11 * LANES, c11_0); 
vf_store(part + 12 * LANES, c12_0); 
vf_store(part + 13 * LANES, c13_0); 
vf_store(part + 14 * LANES, c14_0); 
vf_store(part + 15 * LANES, c15_0); 
vf_store(part + 16 * LANES, c16_0); 
vf_store(part + 17 * LANES, c17_0); 
vf_store(part + 18 * LANES, c18_0); 
vf_store(part + 19 * LANES, c19_0); 
        return;
    }
    {
        vf_store(c + 0 * ldc + 0 * LANES, c0_0);
    }
    {
        vf_store(c + 1 * ldc + 0 * LANES, c1_0);
    }
    {
        vf_store(c + 2 * ldc + 0 * LANES, c2_0);
    }
    {
        vf_store(c + 3 * ldc + 0 * LANES, c3_0);
    }
    {
        vf_store(c + 4 * ldc + 0 * LANES, c4_0);
    }
    {
        vf_store(c + 5 * ldc + 0 * LANES, c5_0);
    }
    {
        vf_store(c + 6 * ldc + 0 * LANES, c6_0);
    }
    {
        vf_store(c + 7 * ldc + 0 * LANES, c7_0);
    }
    {
        vf_store(c + 8 * ldc + 0 * LANES, c8_0);
    }
    {
        vf_store(c + 9 * ldc + 0 * LANES, c9_0);
    }
    {
        vf_store(c + 10 * ldc + 0 * LANES, c10_0);
    }
    {
        vf_store(c + 11 * ldc + 0 * LANES, c11_0);
    }
    {
        vf_store(c + 12 * ldc + 0 * LANES, c12_0);
    }
    {
        vf_store(c + 13 * ldc + 0 * LANES, c13_0);
    }
    {
        vf_store(c + 14 * ldc + 0 * LANES, c14_0);
    }
    {
        vf_store(c + 15 * ldc + 0 * LANES, c15_0);
    }
    {
        vf_store(c + 16 * ldc + 0 * LANES, c16_0);
    }
    {
        vf_store(c + 17 * ldc + 0 * LANES, c17_0);
    }
    {
        vf_store(c + 18 * ldc + 0 * LANES, c18_0);
    }
    {
        vf_store(c + 19 * ldc + 0 * LANES, c19_0);
    }
}

#define TILE(rows) tile_##rows(x, panel, steps, plain, beside, part, k0, last, c_q + m * ldc, ldc, count)
enum { ROWS = 5, PANELS = 6, HIGH = 2, WIDE = 1, GROUP = 4 };

void matmul_pairs(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *A = buf[0];
    const float *B = buf[1];
    float *C = buf[2];
    const int64_t M = arg[0];
    const int64_t N = arg[1];
    const int64_t K = arg[2];
    const int64_t lda = arg[3];
    const int64_t ldc = arg[4];
    const int64_t B_k = arg[5];
    const int64_t B_n = arg[6];
    (void)team; (void)buf; (void)arg;
    const int64_t panels = (N + WIDTH - 1) / WIDTH, blocks = (M + MR - 1) / MR;
    float *const vector = (float *)team->scratch, *const factors = vector + GROUP * NV * VECTOR, *const numbers = factors + 2 * SLICE, *const partial = numbers + ROWS * MR * SLICE + (ROWS * 3 * MOST + LANES - 1) / LANES * LANES;
    const int64_t active = team->size;
    (void)partial;
    const int64_t above = HIGH * team->id / active, own = HIGH * (team->id + 1) / active - above;
    const int64_t end = 1 * WIDE * own;
    for (int64_t u = 0; u < end; u++) {
        const int64_t i0 = above + u % own, j0 = u / own % WIDE;
        const int64_t r = blocks * i0 / HIGH, first = panels * j0 / WIDE;
        const int64_t r_end = blocks * (i0 + 1) / HIGH, p_end = panels * (j0 + 1) / WIDE;
        const int64_t top = r * MR, height = (r_end * MR < M ? r_end * MR : M) - top;
        const int64_t left_column = first * WIDTH;
        int64_t rest = u / own / WIDE;
        const float *a_q = A + top * lda, *b_q = B + left_column * B_n;
        float *c_q0 = C;
        (void)rest;
for (int64_t k0 = 0, kc; k0 < K; k0 += kc) {
            kc = K - k0 < SLICE ? K - k0 : SLICE;
            const int last = k0 + kc == K;
            const int64_t steps = (kc + LANES - 1) / LANES;
            const packed left_numbers = {numbers, numbers + ROWS * MR * SLICE, steps * MR * LANES};
            const float *const a = a_q + k0 * 1;
            vf squares[GROUP * NV], magnitudes[GROUP * NV];
            (void)last;
            for (int64_t row = height; row < (r_end - r) * MR; row++) {
                float *x = left_numbers.data + row / MR * left_numbers.size + row % MR * LANES, *beside = left_numbers.beside + row / MR * 3 * MOST + row % MR;
                for (int64_t s = 0; s < steps; s++) vf_store(x + s * MR * LANES, vf_zero());
                beside[0] = 0, beside[MOST] = 0, beside[2 * MOST] = -1;
            }
            balance(factors, factors + SLICE, b_q + k0 * B_k - left_column * B_n, B_n, B_k, N, kc);
            const float *const b_first = b_q + k0 * B_k;
            const int64_t whole = (p_end - first) * WIDTH, existing = N - first * WIDTH < whole ? N - first * WIDTH : whole;
            const float agreed = agreement(a, lda, 1, height, b_first, B_n, B_k, existing, kc, factors, factors + SLICE);
            for (int64_t row = 0; row < height; row += LANES) {
                pack_rows(&left_numbers, a + row * lda, lda, row, height, kc, factors);
            }
            for (int64_t p0 = first; p0 < p_end; p0 += GROUP) {
                const int64_t group = p_end - p0 < GROUP ? p_end - p0 : GROUP, columns = N - p0 * WIDTH, vectors = columns < group * WIDTH ? (columns + LANES - 1) / LANES : group * NV;
                const float *const b = b_q + k0 * B_k + (p0 - first) * WIDTH * B_n;
                float shares[GROUP] = {0};
                for (int64_t g = 0; g < vectors; g++)
                    gather_turned(vector + g * VECTOR, b + g * LANES * B_n, B_n, kc, columns - g * LANES, factors + SLICE, &squares[g], &magnitudes[g]);
                for (int64_t g = 0; g < vectors; g++) {
                    const float share = pack_vectors(vector + g * VECTOR, steps, kc, squares[g], magnitudes[g]);
                    float *const least = shares + g / NV; /* not a number if one is none */
                    if (g % NV == 0 || (*least == *least && !(share >= *least))) *least = share;
                }
                for (int64_t g = vectors; g < group * NV; g++) memset(vector + g * VECTOR, 0, 4 * (steps * LANES + 2) * LANES);
                const int64_t rest = columns - GROUP * WIDTH, calls = (r_end - r) * group;
                const sol_runs none = {0}, following = p0 + GROUP < p_end ? sol_runs_of(b + GROUP * WIDTH * B_n, B_k, kc, B_n, rest < GROUP * WIDTH ? rest : GROUP * WIDTH) : none;
                sol_ahead next = sol_ahead_of(following, none);
                const int64_t lines = (following.runs * following.lines + calls - 1) / calls;
                for (int64_t call = 0; call < calls; call++) {
                    const int64_t p = p0 + call % group, i = r + call / group, m = i * MR, left = M - m, count = N - p * WIDTH;
                    const float *const x = left_numbers.data + (i - r) * left_numbers.size, *const beside = left_numbers.beside + (i - r) * 3 * MOST;
                    const float *const panel = vector + (p - p0) * NV * VECTOR;
                    const int64_t plain = !(shares[p - p0] * share_of(beside + 2 * MOST, MR) * agreed >= 0.06f);
                    float *const part = partial + ((i - r) * PANELS + p - first) * MR * WIDTH;
                    float *c_q = c_q0 + p * WIDTH;
                    (void)left, (void)part;
                    for (int64_t line = 0; line < lines; line++) sol_ahead_line(&next);
                    TILE(20);
                }
            }
        }
    }
}
