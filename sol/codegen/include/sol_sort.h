/* Stable sorting and selection of the elements of a line by keys: unsigned integers that order as the elements do, NaN as the largest.
 * An item is a key with the place of its element; of equal keys the lower place comes first, so no two items are equal. */
#ifndef SOL_SORT_H
#define SOL_SORT_H
#include "sol_libc.h"
#define SOL_SORT static inline __attribute__((unused))

/* Floats by their bits, so that it does not matter whether the processor takes denormal numbers as zero; both zeros have one key. */
SOL_SORT uint32_t sol_key_f32(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    if ((bits & 0x7fffffff) > 0x7f800000) return UINT32_MAX;
    if (!(bits << 1)) bits = 0;
    return bits ^ ((uint32_t)((int32_t)bits >> 31) | 0x80000000u);
}
SOL_SORT uint64_t sol_key_f64(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, 8);
    if ((bits & INT64_MAX) > UINT64_C(0x7ff0000000000000)) return UINT64_MAX;
    if (!(bits << 1)) bits = 0;
    return bits ^ ((uint64_t)((int64_t)bits >> 63) | UINT64_C(1) << 63);
}
SOL_SORT uint32_t sol_key_i32(int32_t x) { return (uint32_t)x ^ 0x80000000u; }
SOL_SORT uint32_t sol_key_u32(uint32_t x) { return x; }
SOL_SORT uint64_t sol_key_i64(int64_t x) { return (uint64_t)x ^ UINT64_C(1) << 63; }
SOL_SORT uint64_t sol_key_u64(uint64_t x) { return x; }

/* Keys of 32 bits share a word with the place. */
typedef uint64_t sol_item32;
SOL_SORT sol_item32 sol_make32(uint32_t key, int64_t at) { return (uint64_t)key << 32 | (uint64_t)at; }
SOL_SORT uint32_t sol_key_of32(sol_item32 v) { return (uint32_t)(v >> 32); }
SOL_SORT int64_t sol_place32(sol_item32 v) { return (int64_t)(v & UINT32_MAX); }
SOL_SORT int sol_before32(sol_item32 a, sol_item32 b) { return a < b; }

typedef struct { uint64_t key; int64_t at; } sol_item64;
SOL_SORT sol_item64 sol_make64(uint64_t key, int64_t at) { return (sol_item64){key, at}; }
SOL_SORT uint64_t sol_key_of64(sol_item64 v) { return v.key; }
SOL_SORT int64_t sol_place64(sol_item64 v) { return v.at; }
SOL_SORT int sol_before64(sol_item64 a, sol_item64 b) { return a.key < b.key || (a.key == b.key && a.at < b.at); }

#define SOL_FEW_ITEMS 40   /* up to which insertion is fastest */
#define SOL_MANY_ITEMS 1024 /* from which a histogram of digits pays in selection */

/* sol_insert: in place. sol_sort: by digits of 8 bits from the lowest on, those that all keys share left out; the items come in the order
 * of their places; the result lies in a or b. sol_select: the item that a sort would put at place k; a is reordered. */
#define SOL_SORT_FUNCTIONS(W)                                                                                   \
    SOL_SORT void sol_insert##W(sol_item##W *a, int64_t n)                                                      \
    {                                                                                                           \
        for (int64_t i = 1; i < n; i++) {                                                                       \
            const sol_item##W v = a[i];                                                                         \
            int64_t j = i;                                                                                      \
            for (; j > 0 && sol_before##W(v, a[j - 1]); j--) a[j] = a[j - 1];                                   \
            a[j] = v;                                                                                           \
        }                                                                                                       \
    }                                                                                                           \
    SOL_SORT sol_item##W *sol_sort##W(sol_item##W *a, sol_item##W *b, int64_t n)                                \
    {                                                                                                           \
        enum { DIGITS = W / 8 };                                                                                \
        int64_t count[DIGITS][256];                                                                             \
        if (n <= SOL_FEW_ITEMS) {                                                                               \
            sol_insert##W(a, n);                                                                                \
            return a;                                                                                           \
        }                                                                                                       \
        memset(count, 0, sizeof count);                                                                         \
        for (int64_t i = 0; i < n; i++)                                                                         \
            for (int d = 0; d < DIGITS; d++) count[d][sol_key_of##W(a[i]) >> 8 * d & 255]++;                    \
        for (int d = 0; d < DIGITS; d++) {                                                                      \
            if (count[d][sol_key_of##W(a[0]) >> 8 * d & 255] == n) continue;                                    \
            int64_t first = 0;                                                                                  \
            for (int i = 0; i < 256; i++) {                                                                     \
                const int64_t here = count[d][i];                                                               \
                count[d][i] = first;                                                                            \
                first += here;                                                                                  \
            }                                                                                                   \
            for (int64_t i = 0; i < n; i++) b[count[d][sol_key_of##W(a[i]) >> 8 * d & 255]++] = a[i];           \
            sol_item##W *const other = a;                                                                       \
            a = b;                                                                                              \
            b = other;                                                                                          \
        }                                                                                                       \
        return a;                                                                                               \
    }                                                                                                           \
    SOL_SORT sol_item##W sol_partition##W(sol_item##W *a, int64_t n, int64_t k)                                 \
    {                                                                                                           \
        int64_t low = 0, high = n - 1;                                                                          \
        while (high - low > 8) {                                                                                \
            sol_item##W x = a[low], y = a[low + (high - low) / 2], z = a[high], t;                              \
            if (sol_before##W(y, x)) t = x, x = y, y = t;                                                       \
            if (sol_before##W(z, y)) y = sol_before##W(z, x) ? x : z;                                           \
            int64_t i = low, j = high;                                                                          \
            while (i <= j) {                                                                                    \
                while (sol_before##W(a[i], y)) i++;                                                             \
                while (sol_before##W(y, a[j])) j--;                                                             \
                if (i > j) break;                                                                               \
                t = a[i], a[i] = a[j], a[j] = t;                                                                \
                i++, j--;                                                                                       \
            }                                                                                                   \
            if (k <= j) high = j;                                                                               \
            else if (k >= i) low = i;                                                                           \
            else return a[k];                                                                                   \
        }                                                                                                       \
        sol_insert##W(a + low, high - low + 1);                                                                 \
        return a[k];                                                                                            \
    }                                                                                                           \
    SOL_SORT sol_item##W sol_select##W(sol_item##W *a, int64_t n, int64_t k)                                    \
    {                                                                                                           \
        for (int shift = W - 8; shift >= 0 && n >= SOL_MANY_ITEMS; shift -= 8) {                                \
            int64_t count[256] = {0}, before = 0, left = 0;                                                     \
            for (int64_t i = 0; i < n; i++) count[sol_key_of##W(a[i]) >> shift & 255]++;                        \
            unsigned digit = 0;                                                                                 \
            while (before + count[digit] <= k) before += count[digit++];                                        \
            if (count[digit] == n) continue;                                                                    \
            for (int64_t i = 0; i < n; i++) {                                                                   \
                a[left] = a[i];                                                                                 \
                left += (sol_key_of##W(a[i]) >> shift & 255) == digit;                                          \
            }                                                                                                   \
            n = left;                                                                                           \
            k -= before;                                                                                        \
        }                                                                                                       \
        return sol_partition##W(a, n, k);                                                                       \
    }
SOL_SORT_FUNCTIONS(32)
SOL_SORT_FUNCTIONS(64)
#endif
