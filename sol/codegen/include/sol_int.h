/* Integers in vectors: bytes and int32 in memory as int32 lanes, and sums of four products of bytes per lane.
 * A target header may define SOL_DOT with vi_dot of its own, SOL_MADD with vi_madd, SOL_BYTES_N with vu8_load_n, vu8_store_n and vi8_store_n,
 * SOL_NEAREST with vi_nearest, and SOL_SATURATED with vu8_store and vi8_store, which then store numbers beyond a byte as its limits, as
 * those for some lanes do. */
#ifndef SOL_INT_H
#define SOL_INT_H
#include "sol_simd.h"

typedef uint32_t vu __attribute__((vector_size(4 * LANES), may_alias));
typedef int16_t vs __attribute__((vector_size(4 * LANES), may_alias));

SOL_INLINE vi vi_load(const int32_t *p) { return *(const vi_unaligned *)p; }
SOL_INLINE void vi_store(int32_t *p, vi v) { *(vi_unaligned *)p = v; }
SOL_INLINE vi vi_load_n(const int32_t *p, int n) { return (vi)vf_load_n((const float *)p, n); }
SOL_INLINE void vi_store_n(int32_t *p, vi v, int n) { vf_store_n((float *)p, (vf)v, n); }
SOL_INLINE vi vi_select(vi mask, vi a, vi b) { return (mask & a) | (~mask & b); }
SOL_INLINE vi vi_max(vi a, vi b) { return vi_select(a > b, a, b); }
SOL_INLINE vi vi_min(vi a, vi b) { return vi_select(a < b, a, b); }
/* Truncated, as in C; back; and the nearest integers. */
SOL_INLINE vi vi_of_floats(vf a) { return __builtin_convertvector(a, vi); }
SOL_INLINE vf vf_of_ints(vi a) { return __builtin_convertvector(a, vf); }
#ifndef SOL_NEAREST
SOL_INLINE vi vi_nearest(vf a) { return vi_of_floats(vf_rint(a)); }
#endif
SOL_INLINE vi vi_wrap_u8(vi a) { return a & 255; }
SOL_INLINE vi vi_wrap_i8(vi a) { return (vi)((vu)a << 24) >> 24; }

SOL_INLINE vi vu8_load(const uint8_t *p) { return vi_load_bytes(p); }
#ifndef SOL_SATURATED
SOL_INLINE void vu8_store(uint8_t *p, vi v) { vi_store_bytes(p, v); }
SOL_INLINE void vi8_store(int8_t *p, vi v) { vi_store_bytes((uint8_t *)p, v); }
#endif
#ifndef SOL_BYTES_N
SOL_INLINE vi vu8_load_n(const uint8_t *p, int n)
{
    uint8_t b[LANES] = {0};
    memcpy(b, p, (size_t)(n < LANES ? n : LANES));
    return vi_load_bytes(b);
}
SOL_INLINE void vu8_store_n(uint8_t *p, vi v, int n)
{
    uint8_t b[LANES];
    vi_store_bytes(b, v);
    memcpy(p, b, (size_t)(n < LANES ? n : LANES));
}
SOL_INLINE void vi8_store_n(int8_t *p, vi v, int n) { vu8_store_n((uint8_t *)p, v, n); }
#endif
/* The nearest whole numbers from low to the largest byte, or from the smallest one to high, to be stored as bytes: conversions make of what
 * is too large or too small the smallest int32, which is the largest number without a sign. NaN becomes low or high. */
SOL_INLINE vi vi_nearest_u8(vf x, float low)
{
    x = vf_max_quiet(x, vf_set(low));
#ifndef SOL_SATURATED
    x = vf_min_quiet(x, vf_set(255.0f));
#endif
    return vi_nearest(x);
}
SOL_INLINE vi vi_nearest_i8(vf x, float high)
{
    x = vf_min_quiet(x, vf_set(high));
#ifndef SOL_SATURATED
    x = vf_max_quiet(x, vf_set(-128.0f));
#endif
    return vi_nearest(x);
}
SOL_INLINE vi vu8_set(uint8_t x) { return vi_set(x); }
SOL_INLINE vi vi8_load(const int8_t *p) { return vi_wrap_i8(vi_load_bytes((const uint8_t *)p)); }
SOL_INLINE vi vi8_load_n(const int8_t *p, int n) { return vi_wrap_i8(vu8_load_n((const uint8_t *)p, n)); }
SOL_INLINE vi vi8_set(int8_t x) { return vi_set(x); }

SOL_INLINE vi vi_even_words(vi a) { return (vi)((vs)a << 8 >> 8); } /* signed bytes 0 and 2 of each lane as words */
SOL_INLINE vi vi_odd_words(vi a) { return (vi)((vs)a >> 8); } /* bytes 1 and 3 */
/* Rows of so many vectors of fours of signed bytes as words: of each row the even ones, then the odd ones. */
static void __attribute__((unused)) sol_widen_rows(int32_t *to, const int32_t *from, int64_t rows, int64_t vectors)
{
    for (int64_t r = 0; r < rows; r++, to += vectors * LANES)
        for (int64_t v = 0; v < vectors; v++, to += LANES, from += LANES) {
            const vi bytes = vi_load(from);
            vi_store(to, vi_even_words(bytes));
            vi_store(to + vectors * LANES, vi_odd_words(bytes));
        }
}

#ifndef SOL_MADD
/* A sum, which may wrap around, and what the products of two pairs of signed words add up to, lane by lane. */
SOL_INLINE vi vi_madd(vi sum, vi a, vi b)
{
    const vu low = (vu)((vi)((vu)a << 16) >> 16) * (vu)((vi)((vu)b << 16) >> 16), high = (vu)(a >> 16) * (vu)(b >> 16);
    return (vi)((vu)sum + low + high);
}
#endif

/* vq: lanes of four bytes, ready for vi_dot(sum, unsigned bytes, signed bytes), which adds their four products to each lane of a sum. */
#ifdef SOL_DOT
typedef vi vq;
SOL_INLINE vq vq_unsigned(vi a) { return a; }
SOL_INLINE vq vq_signed(vi a) { return a; }
SOL_INLINE vq vq_spread(int32_t a) { return vi_set(a); } /* four unsigned bytes in all lanes */
#else
typedef struct {
    vi even, odd; /* 16 bits each: bytes 0 and 2, bytes 1 and 3 */
} vq;
typedef uint16_t vsu __attribute__((vector_size(4 * LANES), may_alias));
SOL_INLINE vq vq_unsigned(vi a) { return (vq){a & 0x00ff00ff, (vi)((vsu)a >> 8)}; }
SOL_INLINE vq vq_signed(vi a) { return (vq){vi_even_words(a), vi_odd_words(a)}; }
SOL_INLINE vq vq_spread(int32_t a)
{
    vi all = vi_set(a);
    SOL_HOLD(all); /* it is loaded into all lanes, and taken apart there */
    return vq_unsigned(all);
}
#ifdef SOL_MADD
SOL_INLINE vi vi_dot(vi sum, vq a, vq b) { return vi_madd(vi_madd(sum, a.even, b.even), a.odd, b.odd); }
#else
/* Products of a byte and a signed byte fit into 16 bits. */
SOL_INLINE vi vi_dot(vi sum, vq a, vq b)
{
    const vi even = (vi)((vs)a.even * (vs)b.even), odd = (vi)((vs)a.odd * (vs)b.odd);
    return sum + ((vi)((vu)even << 16) >> 16) + (even >> 16) + ((vi)((vu)odd << 16) >> 16) + (odd >> 16);
}
#endif
#endif

/* Lanes 0, 2, 4, … and 1, 3, 5, … of the pair (a, b). */
SOL_INLINE void vi_unzip(vi a, vi b, vi *even, vi *odd)
{
#ifdef __clang__
    int32_t x[2 * LANES];
    vi_store(x, a);
    vi_store(x + LANES, b);
    for (int i = 0; i < LANES; i++) (*even)[i] = x[2 * i], (*odd)[i] = x[2 * i + 1];
#else
    vi at;
    for (int i = 0; i < LANES; i++) at[i] = 2 * i;
    *even = __builtin_shuffle(a, b, at);
    *odd = __builtin_shuffle(a, b, at + 1);
#endif
}

/* Four bytes at any address as one int32. */
SOL_INLINE int32_t sol_dword(const void *p)
{
    int32_t x;
    memcpy(&x, p, sizeof x);
    return x;
}
/* n bytes, few as a rule: in a few moves that may overlap. */
SOL_INLINE void sol_copy_bytes(uint8_t *to, const uint8_t *from, int64_t n)
{
    typedef uint8_t block __attribute__((vector_size(16), aligned(1), may_alias));
    if (n >= 16) {
        for (int64_t i = 0; i + 16 < n; i += 16) *(block *)(to + i) = *(const block *)(from + i);
        *(block *)(to + n - 16) = *(const block *)(from + n - 16);
    } else if (n >= 8) {
        uint64_t head, tail;
        memcpy(&head, from, 8), memcpy(&tail, from + n - 8, 8);
        memcpy(to, &head, 8), memcpy(to + n - 8, &tail, 8);
    } else if (n >= 4) {
        uint32_t head, tail;
        memcpy(&head, from, 4), memcpy(&tail, from + n - 4, 4);
        memcpy(to, &head, 4), memcpy(to + n - 4, &tail, 4);
    } else {
        for (int64_t i = 0; i < n; i++) to[i] = from[i];
    }
}
/* LANES dwords of the bytes p[0], p[step], p[2 * step] and p[3 * step], of which count exist, and so on for the n bytes behind each. */
SOL_INLINE vi vi_interleave(const uint8_t *p, int64_t step, int64_t count, int n)
{
#ifdef SOL_INTERLEAVE
    if (n >= LANES) return vi_interleave_rows(p, step, count);
#endif
    if (n >= LANES && count >= 4)
        return vu8_load(p) | (vi)((vu)vu8_load(p + step) << 8) | (vi)((vu)vu8_load(p + 2 * step) << 16) | (vi)((vu)vu8_load(p + 3 * step) << 24);
    vi d = vu8_load_n(p, n);
    if (count > 1) d |= (vi)((vu)vu8_load_n(p + step, n) << 8);
    if (count > 2) d |= (vi)((vu)vu8_load_n(p + 2 * step, n) << 16);
    if (count > 3) d |= (vi)((vu)vu8_load_n(p + 3 * step, n) << 24);
    return d;
}
/* Of up to four neighbouring pixels, LANES bytes each, a dword for each channel: its bytes, the first pixel's lowest. */
SOL_INLINE vi vi_columns(const uint8_t *p, int pixels)
{
#if !defined(__clang__) && defined(__AVX512VBMI__)
#define SOL_COLUMN(i) i, LANES + i, 2 * LANES + i, 3 * LANES + i
#define SOL_COLUMNS(i) SOL_COLUMN(i), SOL_COLUMN(i + 1), SOL_COLUMN(i + 2), SOL_COLUMN(i + 3)
    typedef uint8_t bytes __attribute__((vector_size(4 * LANES)));
    static const uint8_t places[64] __attribute__((aligned(64))) = {SOL_COLUMNS(0), SOL_COLUMNS(4), SOL_COLUMNS(8), SOL_COLUMNS(12)};
    const vi all = pixels >= 4 ? vi_load((const int32_t *)p) : vi_load_n((const int32_t *)p, LANES / 4 * pixels);
    return (vi)__builtin_shuffle((bytes)all, *(const bytes *)places);
#else
    return vi_interleave(p, LANES, pixels, LANES);
#endif
}
/* LANES dwords of the bytes p[0], p[near], p[2 * near] and p[3 * near], then p[step] … and so on; 4 * LANES bytes may be read where step
 * is 1 or 2, else what the last dword holds. */
SOL_INLINE vi vi_windows(const uint8_t *p, int64_t near, int64_t step)
{
#if !defined(__clang__) && defined(__AVX512VBMI__)
    if (near == 1 && step <= 2) {
        typedef uint8_t bytes __attribute__((vector_size(4 * LANES), aligned(1), may_alias));
#define SOL_FOUR(i) i, i + 1, i + 2, i + 3
#define SOL_SIXTEEN(i, by) SOL_FOUR(i), SOL_FOUR(i + by), SOL_FOUR(i + 2 * by), SOL_FOUR(i + 3 * by)
#define SOL_WINDOWS(by) {SOL_SIXTEEN(0, by), SOL_SIXTEEN(4 * by, by), SOL_SIXTEEN(8 * by, by), SOL_SIXTEEN(12 * by, by)}
        static const uint8_t places[2][64] __attribute__((aligned(64))) = {SOL_WINDOWS(1), SOL_WINDOWS(2)};
        return (vi)__builtin_shuffle(*(const bytes *)p, *(const bytes *)places[step - 1]);
    }
#endif
#ifdef SOL_RUNS
    if (near == 1 && step <= 2) return vi_runs(p, step);
#endif
    if (step == 1) return vi_interleave(p, near, 4, LANES);
    int32_t d[LANES];
    for (int i = 0; i < LANES; i++, p += step)
        d[i] = near == 1 ? sol_dword(p) : (int32_t)(p[0] | (uint32_t)p[near] << 8 | (uint32_t)p[2 * near] << 16 | (uint32_t)p[3 * near] << 24);
    return vi_load(d);
}
#endif
