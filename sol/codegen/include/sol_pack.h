/* Matrices into panels at run time: the in-register transpose and the packing of a right operand that is no constant. */
#ifndef SOL_PACK_H
#define SOL_PACK_H
#include "sol_simd.h"

/* lanes 0, L, 1, L+1, … and L/2, L+L/2, … of the pair (a, b), L = LANES: the perfect shuffle. */
#if defined(__clang__)
#if defined(__AVX512F__)
#define SOL_ZIP_LOW(a, b) __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define SOL_ZIP_HIGH(a, b) __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define SOL_ZIP_LANES 16
#elif defined(__AVX2__)
#define SOL_ZIP_LOW(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define SOL_ZIP_HIGH(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define SOL_ZIP_LANES 8
#else
#define SOL_ZIP_LOW(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define SOL_ZIP_HIGH(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define SOL_ZIP_LANES 4
#endif
#endif

SOL_INLINE void vf_zip(vf a, vf b, vf *low, vf *high)
{
#ifdef SOL_ZIP_LANES
    if (SOL_ZIP_LANES == LANES) {
        *low = (vf)SOL_ZIP_LOW(a, b);
        *high = (vf)SOL_ZIP_HIGH(a, b);
        return;
    }
    for (int i = 0; i < LANES; i++) {
        (*low)[i] = (i & 1 ? b : a)[i / 2];
        (*high)[i] = (i & 1 ? b : a)[LANES / 2 + i / 2];
    }
#else
    vi first;
    for (int i = 0; i < LANES; i++) first[i] = i / 2 + (i & 1) * LANES;
    *low = __builtin_shuffle(a, b, first);
    *high = __builtin_shuffle(a, b, first + LANES / 2);
#endif
}

/* r[i][j] = r[j][i]: log2(LANES) rounds of perfect shuffles. */
SOL_INLINE void vf_transpose(vf r[LANES])
{
    vf t[LANES];
#pragma GCC unroll 4
    for (int round = 1; round < LANES; round *= 2) {
#pragma GCC unroll 8
        for (int i = 0; i < LANES / 2; i++) vf_zip(r[i], r[i + LANES / 2], &t[2 * i], &t[2 * i + 1]);
#pragma GCC unroll 16
        for (int i = 0; i < LANES; i++) r[i] = t[i];
    }
}

/* The lanes of vector j that exist among count. */
SOL_INLINE int sol_lanes(int64_t count, int j)
{
    int64_t left = count - (int64_t)j * LANES;
    return left < 0 ? 0 : left < LANES ? (int)left : LANES;
}

/* Sums over the lanes of 1, 2 or 4 vectors in as many first lanes: pairs of vectors become one until one is left. */
SOL_INLINE vf sol_pair(vf a, vf b)
{
    vf low, high;
    vf_zip(a, b, &low, &high);
    return low + high;
}
SOL_INLINE vf sol_sums1(vf a) { return vf_set(vf_sum(a)); }
SOL_INLINE vf sol_sums2(vf a, vf b)
{
    vf v = sol_pair(a, b);
#pragma GCC unroll 4
    for (int n = LANES / 2; n >= 2; n /= 2) v += vf_rotated(v, n);
    return v;
}
SOL_INLINE vf sol_sums4(vf a, vf b, vf c, vf d)
{
    vf v = sol_pair(sol_pair(a, c), sol_pair(b, d));
#pragma GCC unroll 4
    for (int n = LANES / 2; n >= 4; n /= 2) v += vf_rotated(v, n);
    return v;
}

/* Numbers in memory are of float32, or of bfloat16 where ``narrow`` is set: a constant wherever it is given. */
SOL_INLINE const void *sol_number_at(const void *p, int64_t i, int narrow) { return narrow ? (const void *)((const uint16_t *)p + i) : (const float *)p + i; }
/* LANES of them, the ones beyond n are zero. */
SOL_INLINE vf sol_numbers(const void *p, int n, int narrow)
{
    if (narrow) return n == LANES ? vbf_load((const uint16_t *)p) : vbf_load_n((const uint16_t *)p, n);
    return n == LANES ? vf_load((const float *)p) : vf_load_n((const float *)p, n);
}
/* The same with any stride. */
SOL_INLINE vf sol_numbers_strided(const void *p, int64_t stride, int n, int narrow)
{
    if (stride == 1) return sol_numbers(p, n, narrow);
    float v[LANES] = {0};
    for (int i = 0; i < n; i++) {
        const void *const from = sol_number_at(p, i * stride, narrow);
        v[i] = narrow ? sol_from_bf16(*(const uint16_t *)from) : *(const float *)from;
    }
    return vf_load(v);
}
SOL_INLINE vf sol_load_strided(const float *p, int64_t stride, int n) { return sol_numbers_strided(p, stride, n, 0); }

SOL_INLINE void sol_store_strided(float *p, int64_t stride, vf x, int n)
{
    if (stride == 1) {
        if (n == LANES) vf_store(p, x);
        else vf_store_n(p, x, n);
        return;
    }
    float v[LANES];
    vf_store(v, x);
    for (int i = 0; i < n; i++) p[i * stride] = v[i];
}

/* out[k][nv * LANES] = b[k * sk + n * sn] for n < count, zero beyond. */
SOL_INLINE void sol_pack_numbers(float *out, const void *b, int64_t sk, int64_t sn, int64_t K, int64_t count, int nv, int narrow)
{
    const int64_t width = (int64_t)nv * LANES;
    for (int j = 0; j < nv; j++) {
        const int n = sol_lanes(count, j);
        const void *const from = sol_number_at(b, (int64_t)j * LANES * sn, narrow);
        float *to = out + (int64_t)j * LANES;
        if (sk != 1 || sn == 1) {
            for (int64_t k = 0; k < K; k++) vf_store(to + k * width, sol_numbers_strided(sol_number_at(from, k * sk, narrow), sn, n, narrow));
            continue;
        }
        for (int64_t k = 0; k < K; k += LANES) {
            const int rows = sol_lanes(K - k, 0);
            vf t[LANES];
#pragma GCC unroll 16
            for (int i = 0; i < LANES; i++) {
                if (i >= n) t[i] = vf_zero();
                else t[i] = sol_numbers(sol_number_at(from, i * sn + k, narrow), rows, narrow);
            }
            vf_transpose(t);
            if (rows == LANES)
#pragma GCC unroll 16
                for (int i = 0; i < LANES; i++) vf_store(to + (k + i) * width, t[i]);
            else
                for (int i = 0; i < rows; i++) vf_store(to + (k + i) * width, t[i]);
        }
    }
}
static __attribute__((noinline, unused)) void sol_pack_panel(float *out, const float *b, int64_t sk, int64_t sn, int64_t K, int64_t count, int nv)
{
    sol_pack_numbers(out, b, sk, sn, K, count, nv, 0);
}
static __attribute__((noinline, unused)) void sol_pack_panel_bf16(float *out, const uint16_t *b, int64_t sk, int64_t sn, int64_t K, int64_t count,
                                                                  int nv)
{
    sol_pack_numbers(out, b, sk, sn, K, count, nv, 1);
}

/* Panels one behind the other, of count columns in all: out[n / width][k][n % width], width = nv * LANES. Rows whose columns lie side by side
 * are read once, along. */
static __attribute__((noinline, unused)) void sol_pack_panels(float *out, const float *b, int64_t sk, int64_t sn, int64_t K, int64_t count,
                                                              int nv)
{
    const int64_t width = (int64_t)nv * LANES;
    if (sn != 1) {
        for (int64_t n = 0; n < count; n += width) sol_pack_panel(out + n * K, b + n * sn, sk, sn, K, count - n, nv);
        return;
    }
    const int64_t whole = count / width * width;
    for (int64_t k = 0; k < K; k++) {
        const float *from = b + k * sk;
        for (int64_t n = 0; n < whole; n += width)
            for (int j = 0; j < nv; j++) vf_store(out + n * K + k * width + j * LANES, vf_load(from + n + j * LANES));
    }
    if (whole < count) sol_pack_panel(out + whole * K, b + whole, sk, sn, K, count - whole, nv);
}

#ifdef SOL_INT_H
/* Bytes, step apart, as words: fours of them in the order 0, 2, 1, 3, as pairs of words are multiplied; zeros behind the last. */
static void __attribute__((unused)) sol_lay_words(uint16_t *to, const uint8_t *from, int64_t step, int64_t count)
{
    int64_t k = 0;
    for (; step == 1 && k + 4 * LANES <= count; k += 4 * LANES) {
        const vi v = vi_load((const int32_t *)(from + k));
        vf low, high;
        vf_zip((vf)(v & 0x00ff00ff), (vf)((vi)((vu)v >> 8) & 0x00ff00ff), &low, &high);
        vf_store((float *)(to + k), low);
        vf_store((float *)(to + k) + LANES, high);
    }
    for (; k < count; k += 4) {
        uint16_t of[4];
        for (int64_t j = 0; j < 4; j++) of[j / 2 + j % 2 * 2] = k + j < count ? from[(k + j) * step] : 0;
        memcpy(to + k, of, sizeof of);
    }
}
#endif
#endif
