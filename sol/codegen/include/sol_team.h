/* The thread team that runs one network: who am I, how is work split, where is my scratch, wait for the others. */
#ifndef SOL_TEAM_H
#define SOL_TEAM_H
#include "sol_libc.h"
#if !defined(__x86_64__)
#include <time.h>
#endif

/* What threads wait for; what is written often lies on cache lines of its own. */
typedef struct {
    _Alignas(64) uint32_t turn;     /* another one whenever it has happened */
    _Alignas(64) uint32_t sleepers; /* threads that sleep until then */
    int64_t roused;                 /* when they were woken, ns */
} sol_signal;

/* What is left of a thread's share of a launch: the launch's number (32 bits), the first piece and the one behind the last (16 bits each). */
typedef struct {
    _Alignas(64) uint64_t left;
} sol_slot;

/* One per running network. */
typedef struct {
    sol_slot *slots;                           /* NULL: shares stay what they are; else one for each of up to SOL_SLOTS threads */
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
    uint32_t *launches; /* NULL, or the number of the launch at hand: that of any other launch of this call is another one */
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

/* Shares that follow what threads get done: each begins with an equal one, takes half of what is left of it at a time, and then half of what
 * is left of another's. A core may be slower than the others, because of other programs or of what shares its hardware; nobody waits for it.
 *   sol_share s = sol_share_of(team, n, parts);                   of n units for the first ``parts`` threads; once for each launch
 *   for (int64_t u, end; sol_share_take(&s, &u, &end);) for (; u < end; u++) ...
 * Who does a unit must not matter to the result. Who began takes until nothing is left. */
#define SOL_SLOTS 64
#define SOL_WORTH 6000 /* ticks that what is left of another's share has to take: to fetch it takes some hundred */

typedef struct {
    sol_slot *slots; /* NULL: shares stay */
    uint64_t launch; /* its number, where slots have it */
    int64_t n, each, pieces, least; /* units, of a piece, pieces, and of these the fewest that are taken at once while there are so many */
    int64_t step;                   /* of which a multiple is taken while there are more */
    int64_t begun, done;
    int id, parts, own;
} sol_share;

static inline int64_t sol_ticks(void)
{
#if defined(__x86_64__)
    return (int64_t)__builtin_ia32_rdtsc();
#else
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
#endif
}

static inline uint64_t sol_left(const sol_share *s, int64_t begin, int64_t end) { return s->launch | (uint64_t)begin << 16 | (uint64_t)end; }

/* Equal shares that nobody else takes from: where it matters who does what. */
static inline sol_share sol_fixed_share(const sol_team *team, int64_t n, int64_t parts)
{
    return (sol_share){.n = n, .id = team->id, .parts = (int)parts, .own = 1};
}

static inline sol_share sol_share_of(const sol_team *team, int64_t n, int64_t parts)
{
    sol_share s = sol_fixed_share(team, n, parts);
    if (!team->launches || !team->shared->slots || team->size > SOL_SLOTS || parts < 2 || s.id >= parts) return s;
    s.launch = (uint64_t)*team->launches << 32;
    s.slots = team->shared->slots;
    s.each = n / 65535 + 1; /* a slot has 16 bits for each of two numbers of pieces */
    s.pieces = (n + s.each - 1) / s.each;
    s.least = s.pieces / (8 * parts);
    s.begun = sol_ticks();
    __atomic_store_n(&s.slots[s.id].left, sol_left(&s, s.pieces * s.id / parts, s.pieces * (s.id + 1) / parts), __ATOMIC_RELEASE);
    return s;
}

/* At least so many units are taken at once while there are so many, and a whole number of blocks of so many units. */
static inline void sol_share_at_least(sol_share *s, int64_t units, int64_t block)
{
    if (!s->slots) return;
    if (units > s->least * s->each) s->least = (units + s->each - 1) / s->each;
    s->step = block / s->each;
}

/* Half of what is left of a slot, but at least ``least`` pieces while there are so many: from its begin for who owns it, else from its end. */
static __attribute__((noinline, unused)) int sol_share_take_from(sol_share *s, int id, int64_t *begin, int64_t *end)
{
    uint64_t *const slot = &s->slots[id].left;
    uint64_t before = __atomic_load_n(slot, __ATOMIC_ACQUIRE), after;
    do {
        const int64_t from = before >> 16 & 0xffff, to = before & 0xffff;
        if (before >> 32 != s->launch >> 32 || from >= to) return 0; /* it has gone on, or not come yet, or nothing is left */
        const int64_t left = to - from, half = left - left / 2;
        int64_t some = half > s->least ? half : left < s->least ? left : s->least;
        if (s->step > 1) {
            some += id == s->id ? s->step - 1 - (some - 1) % s->step : (left - some) % s->step;
            some = some < left ? some : left;
        }
        if (id == s->id) *begin = from, *end = from + some, after = sol_left(s, from + some, to);
        else {
            if (s->done && left * (sol_ticks() - s->begun) < SOL_WORTH * s->done) return 0;
            *begin = to - some, *end = to, after = sol_left(s, from, to - some);
        }
    } while (!__atomic_compare_exchange_n(slot, &before, after, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    s->done += *end - *begin;
    *begin *= s->each, *end *= s->each;
    if (*end > s->n) *end = s->n;
    return 1;
}

static inline int sol_share_take(sol_share *s, int64_t *begin, int64_t *end)
{
    if (s->id >= s->parts) return 0;
    if (!s->slots) {
        *begin = s->n * s->id / s->parts, *end = s->n * (s->id + 1) / s->parts;
        return s->own-- > 0 && *begin < *end;
    }
    if (s->own && sol_share_take_from(s, s->id, begin, end)) return 1;
    s->own = 0;
    for (int i = 1; i < s->parts; i++)
        if (sol_share_take_from(s, (s->id + i) % s->parts, begin, end)) return 1;
    return 0;
}

/* This thread's part of ``images`` x ``blocks`` of channels x ``rows``: rows of all blocks if by_rows, so that the threads of one
 * kernel after the other work on the same positions and little crosses between cores; else whole blocks, to the row.
 *   sol_walk w = sol_walk_of(team, images, blocks, rows, by_rows);
 *   while (sol_next(&w)) ...                                         rows w.y0 ... w.y1 - 1 of block w.c of image w.n */
typedef struct {
    int64_t n, c, y0, y1;
    int64_t at, end, blocks, rows;
    int by_rows;
    sol_share share;
} sol_walk;

static inline int64_t sol_walk_units(int64_t images, int64_t blocks, int64_t rows, int64_t by_rows)
{
    return by_rows ? (blocks ? images * rows : 0) : images * blocks * rows;
}
static inline sol_walk sol_walk_of(const sol_team *team, int64_t images, int64_t blocks, int64_t rows, int64_t by_rows)
{
    return (sol_walk){.blocks = blocks, .rows = rows, .by_rows = by_rows != 0, .share = sol_share_of(team, sol_walk_units(images, blocks, rows, by_rows), team->size)};
}
/* The same where it matters who does what. */
static inline sol_walk sol_fixed_walk(const sol_team *team, int64_t images, int64_t blocks, int64_t rows, int64_t by_rows)
{
    return (sol_walk){.blocks = blocks, .rows = rows, .by_rows = by_rows != 0, .share = sol_fixed_share(team, sol_walk_units(images, blocks, rows, by_rows), team->size)};
}

static inline int sol_next(sol_walk *w)
{
    if (w->by_rows && w->y0 < w->y1 && w->c + 1 < w->blocks) {
        w->c++;
        return 1;
    }
    w->at += w->y1 - w->y0;
    if (w->at >= w->end && !sol_share_take(&w->share, &w->at, &w->end)) return 0;
    const int64_t row = w->at / w->rows, left = w->end - w->at;
    w->c = w->by_rows ? 0 : row % w->blocks;
    w->n = w->by_rows ? row : row / w->blocks;
    w->y0 = w->at % w->rows;
    w->y1 = w->rows - w->y0 < left ? w->rows : w->y0 + left;
    return 1;
}
#endif
