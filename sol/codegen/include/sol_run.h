/* How a compiled network is called, and how its thread team starts. */
#ifndef SOL_RUN_H
#define SOL_RUN_H
#include "sol_team.h"
#include <time.h>

/* What each thread of a team runs. */
typedef void (*sol_body)(void *data, sol_shared *shared, int id, int size);

/* Runs a body on a team of 1 to most threads and returns when all have finished: sol_pool_run (sol_pool.h). */
typedef void (*sol_launch)(sol_body body, void *data, int most);

typedef struct {
    void *const *inputs;      /* contiguous, in the order of the network's inputs */
    void *const *outputs;     /* contiguous, written by the call */
    void *const *weights;     /* packed constants */
    char *memory;             /* arena, then shared_scratch, then scratch for each thread; 64-byte aligned */
    const int64_t *dims;      /* run-time sizes, in the order of the symbols */
    const int64_t *offsets;   /* arena offset of each buffer, if sizes are symbolic */
    int64_t arena, shared_scratch, scratch; /* bytes */
    int64_t *marks;           /* NULL, or where trials write a time stamp (ns) per group of launches plus one at the end */
    int64_t *spans;           /* NULL, or where networks write what sol_spans.h tells */
    int32_t threads;          /* memory is laid out for so many */
    int32_t flush_denormals;
    int32_t zeroed;           /* not 0: memory was zero before the first call, and only calls of this network wrote to it since */
    sol_launch launch;        /* starts a team; NULL: the calling thread runs alone */
    int64_t *stray;           /* NULL, or where the number of a check is written that found an index out of range */
} sol_call;

typedef void (*sol_network)(const sol_team *, const sol_call *);

static inline int64_t sol_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Time stamp before launch i; all threads wait so that a stamp means the same to each of them. */
static inline void sol_mark(const sol_team *team, const sol_call *call, int i)
{
    if (!call->marks) return;
    sol_barrier(team);
    if (team->id == 0) call->marks[i] = sol_now();
    sol_barrier(team);
}

#include "sol_spans.h"

/* Copies size bytes, a part in each thread. */
static inline void sol_copy(const sol_team *team, void *to, const void *from, int64_t size)
{
    int64_t begin, end;
    sol_split(team, size, &begin, &end);
    if (to != from && begin < end) memcpy((char *)to + begin, (const char *)from + begin, (size_t)(end - begin));
}

/* The mode of the floating-point unit of the calling thread: rounding, traps, denormal numbers. */
static inline uint64_t sol_float_mode(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_stmxcsr();
#elif defined(__aarch64__)
    uint64_t mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
    return mode;
#else
    return 0;
#endif
}
static inline void sol_set_float_mode(uint64_t mode)
{
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr((unsigned)mode);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" ::"r"(mode));
#else
    (void)mode;
#endif
}

/* Denormal numbers, which make a kernel tens of times slower, taken as zero. */
static inline uint64_t sol_flushing(uint64_t mode)
{
#if defined(__x86_64__)
    return mode | 0x8040;
#elif defined(__aarch64__)
    return mode | 1u << 24;
#else
    return mode;
#endif
}

typedef struct {
    const sol_call *call;
    sol_network network;
    uint64_t mode; /* of the caller's floating-point unit, with or without denormal numbers */
} sol_region;

static void sol_member(void *data, sol_shared *shared, int id, int size)
{
    const sol_region *r = data;
    const sol_call *call = r->call;
    char *shared_scratch = call->memory + call->arena;
    uint32_t launches = 0;
    const sol_team team = {id, size, shared_scratch + call->shared_scratch + (int64_t)id * call->scratch, shared_scratch, shared, call->stray, &launches};
    const uint64_t before = sol_float_mode();
    sol_set_float_mode(r->mode);
    r->network(&team, call);
    sol_set_float_mode(before);
}

static inline void sol_start(const sol_call *call, sol_network network)
{
    const uint64_t mode = sol_float_mode();
    sol_region region = {call, network, call->flush_denormals ? sol_flushing(mode) : mode};
    if (call->launch && call->threads > 1) {
        call->launch(sol_member, &region, call->threads);
        return;
    }
    sol_shared alone = {0};
    sol_member(&region, &alone, 0, 1);
}
#endif
