/* Which of equal elements are among the k best, and in which order: torch leaves it open, and takes what the C++ library's partial_sort,
 * or nth_element and sort, leave in front. The same steps on items that compare by their keys alone: quick sort and selection around the
 * median of three that turn to insertion where a part is short and to a heap where it takes too long (D. Musser, "Introspective sorting
 * and selection algorithms", Software: Practice and Experience 27, 1997). Parts are [first, last). */
#ifndef SOL_TIES_H
#define SOL_TIES_H
#include "sol_sort.h"

#define SOL_SHORT_PART 16  /* a sort leaves shorter parts to insertion */
#define SOL_TOP_SHARE 64   /* one element of so many: a heap of the best */

#define SOL_TIES(W)                                                                                                     \
    SOL_SORT int sol_less##W(sol_item##W a, sol_item##W b) { return sol_key_of##W(a) < sol_key_of##W(b); }             \
    SOL_SORT void sol_swap##W(sol_item##W *a, sol_item##W *b)                                                           \
    {                                                                                                                   \
        const sol_item##W t = *a;                                                                                       \
        *a = *b, *b = t;                                                                                                \
    }                                                                                                                   \
    /* v into the sorted items from first to at. */                                                                     \
    SOL_SORT void sol_put##W(sol_item##W *first, sol_item##W *at, sol_item##W v)                                        \
    {                                                                                                                   \
        for (; at > first && sol_less##W(v, at[-1]); at--) *at = at[-1];                                                \
        *at = v;                                                                                                        \
    }                                                                                                                   \
    SOL_SORT void sol_insertion##W(sol_item##W *first, sol_item##W *last)                                               \
    {                                                                                                                   \
        for (sol_item##W *at = first; at < last; at++) sol_put##W(first, at, *at);                                      \
    }                                                                                                                   \
    /* The hole of a heap with the largest in front moves down to a leaf, then v up from there. */                      \
    SOL_SORT void sol_fill##W(sol_item##W *heap, int64_t hole, int64_t n, sol_item##W v)                                \
    {                                                                                                                   \
        const int64_t top = hole;                                                                                       \
        for (int64_t child; (child = 2 * hole + 1) < n; hole = child) {                                                 \
            if (child + 1 < n && !sol_less##W(heap[child + 1], heap[child])) child++;                                   \
            heap[hole] = heap[child];                                                                                   \
        }                                                                                                               \
        for (int64_t above; hole > top && sol_less##W(heap[above = (hole - 1) / 2], v); hole = above)                   \
            heap[hole] = heap[above];                                                                                   \
        heap[hole] = v;                                                                                                 \
    }                                                                                                                   \
    SOL_SORT void sol_heap_select##W(sol_item##W *first, sol_item##W *middle, sol_item##W *last)                        \
    {                                                                                                                   \
        const int64_t n = middle - first;                                                                               \
        for (int64_t at = n / 2; at-- > 0;) sol_fill##W(first, at, n, first[at]);                                       \
        for (sol_item##W *at = middle; at < last; at++)                                                                 \
            if (sol_less##W(*at, *first)) {                                                                             \
                const sol_item##W v = *at;                                                                              \
                *at = *first;                                                                                           \
                sol_fill##W(first, 0, n, v);                                                                            \
            }                                                                                                           \
    }                                                                                                                   \
    SOL_SORT void sol_heap_sort##W(sol_item##W *first, sol_item##W *last)                                               \
    {                                                                                                                   \
        while (last - first > 1) {                                                                                      \
            const sol_item##W v = *--last;                                                                              \
            *last = *first;                                                                                             \
            sol_fill##W(first, 0, last - first, v);                                                                     \
        }                                                                                                               \
    }                                                                                                                   \
    SOL_SORT sol_item##W *sol_part##W(sol_item##W *first, sol_item##W *last)                                            \
    {                                                                                                                   \
        sol_item##W *a = first + 1, *b = first + (last - first) / 2, *c = last - 1;                                     \
        const int ab = sol_less##W(*a, *b), ac = sol_less##W(*a, *c), bc = sol_less##W(*b, *c);                         \
        sol_swap##W(first, ab ? (bc ? b : ac ? c : a) : ac ? a : bc ? c : b);                                           \
        sol_item##W *low = first + 1, *high = last;                                                                     \
        for (;; low++) {                                                                                                \
            while (sol_less##W(*low, *first)) low++;                                                                    \
            do high--;                                                                                                  \
            while (sol_less##W(*first, *high));                                                                         \
            if (low >= high) return low;                                                                                \
            sol_swap##W(low, high);                                                                                     \
        }                                                                                                               \
    }                                                                                                                   \
    SOL_SORT void sol_nth##W(sol_item##W *first, sol_item##W *nth, sol_item##W *last)                                   \
    {                                                                                                                   \
        for (int depth = 2 * (63 - __builtin_clzll((uint64_t)(last - first))); last - first > 3; depth--) {             \
            if (!depth) {                                                                                               \
                sol_heap_select##W(first, nth + 1, last);                                                               \
                sol_swap##W(first, nth);                                                                                \
                return;                                                                                                 \
            }                                                                                                           \
            sol_item##W *const cut = sol_part##W(first, last);                                                          \
            if (cut <= nth) first = cut;                                                                                \
            else last = cut;                                                                                            \
        }                                                                                                               \
        sol_insertion##W(first, last);                                                                                  \
    }                                                                                                                   \
    SOL_SORT void sol_parts##W(sol_item##W *first, sol_item##W *last, int depth)                                        \
    {                                                                                                                   \
        while (last - first > SOL_SHORT_PART) {                                                                         \
            if (!depth--) {                                                                                             \
                sol_heap_select##W(first, last, last);                                                                  \
                sol_heap_sort##W(first, last);                                                                          \
                return;                                                                                                 \
            }                                                                                                           \
            sol_item##W *const cut = sol_part##W(first, last);                                                          \
            sol_parts##W(cut, last, depth);                                                                             \
            last = cut;                                                                                                 \
        }                                                                                                               \
    }                                                                                                                   \
    /* The k first of n items to the front. */                                                                          \
    SOL_SORT void sol_top##W(sol_item##W *items, int64_t n, int64_t k, int sorted)                                      \
    {                                                                                                                   \
        if (!k) return;                                                                                                 \
        if (k * SOL_TOP_SHARE <= n) {                                                                                   \
            sol_heap_select##W(items, items + k, items + n);                                                            \
            sol_heap_sort##W(items, items + k);                                                                         \
            return;                                                                                                     \
        }                                                                                                               \
        sol_nth##W(items, items + k - 1, items + n);                                                                    \
        if (!sorted || k < 2) return;                                                                                   \
        sol_parts##W(items, items + k - 1, 2 * (63 - __builtin_clzll((uint64_t)(k - 1))));                              \
        sol_insertion##W(items, items + k - 1);                                                                         \
    }
SOL_TIES(32)
SOL_TIES(64)
#endif
