/* Blocks of matrices that are asked for while others are multiplied: a line every few steps, so that memory and multiply-adds go on together. */
#ifndef SOL_AHEAD_H
#define SOL_AHEAD_H
#include "sol_simd.h"

enum { SOL_AHEAD = 64 }; /* bytes of a cache line */

/* A block of numbers: so many runs of adjacent ones, stride bytes apart, each of so many cache lines. */
typedef struct {
    const char *run;
    int64_t stride, runs, lines;
} sol_runs;

/* Two blocks, one after the other. at: the next line. lines: of its run that are left; 0 if there is none. */
typedef struct {
    const char *at;
    int64_t lines;
    sol_runs now, then;
} sol_ahead;

/* The block p[i * sm + j * sn], i < m and j < n, if its numbers are adjacent in one direction; else none. */
SOL_INLINE sol_runs sol_runs_of(const float *p, int64_t sm, int64_t m, int64_t sn, int64_t n)
{
    if (sn != 1) {
        const int64_t stride = sm, size = m;
        sm = sn, m = n, sn = stride, n = size;
    }
    return (sol_runs){(const char *)p, (int64_t)sizeof(float) * sm, sn == 1 ? m : 0, ((int64_t)sizeof(float) * n + SOL_AHEAD - 1) / SOL_AHEAD};
}

SOL_INLINE sol_ahead sol_ahead_of(sol_runs first, sol_runs second)
{
    const sol_runs none = {0};
    if (first.runs == 0) first = second, second = none;
    return (sol_ahead){first.run, first.runs ? first.lines : 0, first, second};
}

/* Asks for the next line. */
SOL_INLINE void sol_ahead_line(sol_ahead *s)
{
    if (s->lines == 0) return;
    __builtin_prefetch(s->at, 0, 2);
    s->at += SOL_AHEAD;
    if (--s->lines) return;
    s->now.run += s->now.stride;
    if (--s->now.runs == 0) s->now = s->then, s->then.runs = 0;
    s->at = s->now.run;
    s->lines = s->now.runs ? s->now.lines : 0;
}
#endif
