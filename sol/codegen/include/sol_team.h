/* The thread team that runs one network: who am I, how is work split, where is my scratch, wait for the others. */
#ifndef SOL_TEAM_H
#define SOL_TEAM_H
#include "sol_libc.h"

/* What threads wait for; what is written often lies on cache lines of its own. */
typedef struct {
    _Alignas(64) uint32_t turn;     /* another one whenever it has happened */
    _Alignas(64) uint32_t sleepers; /* threads that sleep until then */
    int64_t roused;                 /* when they were woken, ns */
} sol_signal;

/* One per running network. */
typedef struct {
    _Alignas(64) int arrived;
    sol_signal passed;
    void (*await)(sol_signal *, uint32_t old); /* waits until the turn is no longer old, without holding a core for long */
    void (*rouse)(sol_signal *);               /* wakes who sleeps until the turn changes */
} sol_shared;

typedef struct {
    int id;             /* 0 … size-1 */
    int size;           /* threads in the team */
    char *scratch;      /* private to this thread, 64-byte aligned, as large as the launch asked for */
    char *shared_scratch;       /* shared by the team, 64-byte aligned, as large as the launch asked for */
    sol_shared *shared;
    int64_t *stray;     /* NULL, or where the number of a check is written that found an index out of range */
} sol_team;

#if defined(__x86_64__) || defined(__i386__)
#define sol_pause() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define sol_pause() __asm__ volatile("yield")
#else
#define sol_pause() ((void)0)
#endif

#define SOL_SPINS 100 /* pauses before a waiting thread looks at the clock: a few microseconds */

static inline int sol_passed(const sol_signal *s, uint32_t old)
{
    return __atomic_load_n(&s->turn, __ATOMIC_ACQUIRE) != old;
}

/* The next turn: what was written before is seen by who waited for it. That somebody sleeps may be overlooked in the very moment in which he
 * lies down, so who does so looks again a little later: to exclude it here would take longer than all the rest. */
static inline void sol_pass(sol_signal *s, uint32_t turn, void (*rouse)(sol_signal *))
{
    __atomic_store_n(&s->turn, turn + 1, __ATOMIC_RELEASE);
    if (__atomic_load_n(&s->sleepers, __ATOMIC_RELAXED)) rouse(s);
}

/* Beyond the first microseconds. A team that nobody told how to wait yields. */
static __attribute__((noinline, unused)) void sol_linger(sol_shared *shared, uint32_t turn)
{
    if (shared->await) shared->await(&shared->passed, turn);
    else
        while (!sol_passed(&shared->passed, turn)) sched_yield();
}

/* The barrier of a team of several; one function however often a unit waits, since code that is inlined is compiled again each time. */
static __attribute__((noinline, unused)) void sol_meet(const sol_team *team)
{
    sol_shared *s = team->shared;
    const uint32_t turn = __atomic_load_n(&s->passed.turn, __ATOMIC_RELAXED);
    if (__atomic_add_fetch(&s->arrived, 1, __ATOMIC_ACQ_REL) == team->size) {
        __atomic_store_n(&s->arrived, 0, __ATOMIC_RELAXED);
        sol_pass(&s->passed, turn, s->rouse);
        return;
    }
    for (int spin = 0; spin < SOL_SPINS; spin++) {
        if (sol_passed(&s->passed, turn)) return;
        sol_pause();
    }
    sol_linger(s, turn);
}

/* Everything written before it by any thread is seen after it by every thread. */
static inline void sol_barrier(const sol_team *team)
{
    if (team->size > 1) sol_meet(team);
}

/* An index is out of range; check: the number of the operation. */
static __attribute__((noinline, unused)) void sol_stray(const sol_team *team, int64_t check)
{
    if (team->stray) __atomic_store_n(team->stray, check, __ATOMIC_RELAXED);
}

/* This thread's share [*begin, *end) of n equal pieces. */
static inline void sol_split(const sol_team *team, int64_t n, int64_t *begin, int64_t *end)
{
    *begin = n * team->id / team->size;
    *end = n * (team->id + 1) / team->size;
}

/* This thread's part of ``images`` x ``blocks`` of channels x ``rows``: rows of all blocks if by_rows, so that the threads of one
 * kernel after the other work on the same positions and little crosses between cores; else whole blocks, to the row.
 *   sol_walk w = sol_walk_of(team, images, blocks, rows, by_rows);
 *   while (sol_next(&w)) ...                                         rows w.y0 ... w.y1 - 1 of block w.c of image w.n */
typedef struct {
    int64_t n, c, y0, y1;
    int64_t at, end, blocks, rows;
    int by_rows;
} sol_walk;

static inline sol_walk sol_walk_of(const sol_team *team, int64_t images, int64_t blocks, int64_t rows, int64_t by_rows)
{
    sol_walk w = {.blocks = blocks, .rows = rows, .by_rows = by_rows != 0};
    sol_split(team, by_rows ? (blocks ? images * rows : 0) : images * blocks * rows, &w.at, &w.end);
    return w;
}

static inline int sol_next(sol_walk *w)
{
    if (w->by_rows && w->y0 < w->y1 && w->c + 1 < w->blocks) {
        w->c++;
        return 1;
    }
    w->at += w->y1 - w->y0;
    if (w->at >= w->end) return 0;
    const int64_t row = w->at / w->rows, left = w->end - w->at;
    w->c = w->by_rows ? 0 : row % w->blocks;
    w->n = w->by_rows ? row : row / w->blocks;
    w->y0 = w->at % w->rows;
    w->y1 = w->rows - w->y0 < left ? w->rows : w->y0 + left;
    return 1;
}
#endif
