/* How a compiled network is called, and how its thread team starts. */
#ifndef SOL_RUN_H
#define SOL_RUN_H
#include "sol_team.h"
#include <string.h>
#include <time.h>

typedef struct {
    void *const *inputs;      /* contiguous, in the order of the network's inputs */
    void *const *outputs;     /* contiguous, written by the call */
    void *const *weights;     /* packed constants */
    char *memory;             /* arena, then common, then scratch for each thread; 64-byte aligned */
    const int64_t *dims;      /* run-time sizes, in the order of the symbols */
    const int64_t *offsets;   /* arena offset of each buffer, if sizes are symbolic */
    int64_t arena, common, scratch; /* bytes */
    int64_t *marks;           /* NULL, or where trials write a time stamp (ns) per group of launches plus one at the end */
    int64_t *spans;           /* NULL, or where networks write what sol_spans.h tells */
    int32_t threads;
    int32_t flush_denormals;
    int32_t zeroed;           /* not 0: memory was zero before the first call, and only calls of this network wrote to it since */
} sol_call;

typedef void (*sol_network)(const sol_team *, const sol_call *);

#ifndef SOL_NO_THREADS /* defined for a library that is to need no OpenMP runtime: calls run on the calling thread */
extern void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);
extern int omp_get_thread_num(void);
extern int omp_get_num_threads(void);
#endif

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

/* Denormal numbers make a kernel tens of times slower; the caller's mode is restored afterwards. */
static inline uint64_t sol_flush_denormals(int on)
{
#if defined(__x86_64__)
    unsigned old = __builtin_ia32_stmxcsr();
    if (on) __builtin_ia32_ldmxcsr(old | 0x8040);
    return old;
#elif defined(__aarch64__)
    uint64_t old;
    __asm__ volatile("mrs %0, fpcr" : "=r"(old));
    if (on) __asm__ volatile("msr fpcr, %0" ::"r"(old | (1u << 24)));
    return old;
#else
    (void)on;
    return 0;
#endif
}
static inline void sol_restore_denormals(uint64_t old)
{
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr((unsigned)old);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" ::"r"(old));
#else
    (void)old;
#endif
}

typedef struct {
    const sol_call *call;
    sol_network network;
    sol_shared shared;
} sol_region;

static void sol_member(const sol_call *call, sol_network network, sol_shared *shared, int id, int size)
{
    char *common = call->memory + call->arena;
    sol_team team = {id, size, common + call->common + (int64_t)id * call->scratch, common, shared};
    uint64_t mode = sol_flush_denormals(call->flush_denormals);
    network(&team, call);
    sol_restore_denormals(mode);
}

#ifndef SOL_NO_THREADS
static void sol_parallel_body(void *p)
{
    sol_region *r = (sol_region *)p;
    sol_member(r->call, r->network, &r->shared, omp_get_thread_num(), omp_get_num_threads());
}
#endif

static inline void sol_start(const sol_call *call, sol_network network)
{
    sol_region region = {call, network, {0, 0}};
#ifndef SOL_NO_THREADS
    if (call->threads > 1) {
        GOMP_parallel(sol_parallel_body, &region, (unsigned)call->threads, 0);
        return;
    }
#endif
    sol_member(call, network, &region.shared, 0, 1);
}
#endif
