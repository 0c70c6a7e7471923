/* Calls between operations of a framework: on the OpenMP threads of the calling thread, while these are awake.
 *
 * Behind a parallel region, OpenMP's threads spin for milliseconds and wait for the next one (GOMP_SPINCOUNT, OMP_WAIT_POLICY). A team of
 * our own would share cores with them. So a call that comes then is a parallel region itself. Whether such a thread is awake tells its
 * CPU time, which grows from one look to the next. Which thread to look at is known from the first region. That is tried behind a call
 * in which a member was late, or where OpenMP is expected, if as many other threads of the process are awake.
 *
 * Regions of ours keep the threads awake as well: after SOL_LEASE_NS of them, calls are our own until it is seen whether others do. Where a
 * thread had no core for a quarter of a call in a third of the regions, other programs want cores, and the pool, which learns what they
 * leave, serves the next calls. A forked child, which has none of the threads, never does it. */
#ifndef SOL_OPENMP_H
#define SOL_OPENMP_H
#include "sol_pool.h"

#if defined(__linux__)
#include <dirent.h>

#define SOL_LEASE_NS 1000000000     /* regions of ours follow each other that long before it is seen whether others keep the threads awake */
#define SOL_SOON_NS 15000           /* too short between two calls for a parallel region of others */
#define SOL_DOZE_NS 20000000        /* CPU time after which a thread that nobody needs sleeps */
#define SOL_FIRST_BAN_NS 100000000  /* no regions for so long where threads were late; */
#define SOL_LAST_BAN_NS 3000000000  /* twice as long each time that they soon are again, up to this */

static struct {
    int known;      /* 1: no such library is loaded, 2: these are its functions */
    int64_t looked; /* when one was looked for */
    void (*parallel)(void (*)(void *), void *, unsigned, unsigned);
    int (*thread)(void), (*threads)(void), (*most)(void), (*inside)(void);
    int child;      /* this process was forked */
    int calls;      /* that ran as regions so far */
} sol_openmp;

/* What the calling thread knows of its OpenMP threads. */
static __thread struct {
    long worker;           /* one of them; 0: none is known */
    int64_t used, spent;   /* its CPU time when it was looked at, and when our last region ended */
    int64_t slept;         /* when our last call ended, if it was found asleep before it, or 0 */
    int64_t since;         /* when our regions began to follow each other */
    int trouble;           /* 256 times the share of recent regions in which a thread was late */
    int64_t banned, ban;   /* no regions until then, and for how long that was */
    int expected;          /* OpenMP is, so it is looked for without a reason */
    int64_t again, pause;  /* when it is, and how long it waits then */
} sol_openmp_here;

typedef struct {
    sol_crew crew;
    long worker;
    sol_record first, second;
} sol_openmp_call;

static void sol_openmp_in_child(void) { sol_openmp.child = 1; }

/* Whether an OpenMP runtime is loaded; several threads may find the same. */
static int sol_find_openmp(int64_t now)
{
    const int known = __atomic_load_n(&sol_openmp.known, __ATOMIC_ACQUIRE);
    if (known == 2 || (known && now - sol_openmp.looked < SOL_LOOK_QUOTA_NS)) return known == 2;
    sol_openmp.looked = now;
    *(void **)&sol_openmp.parallel = dlsym(RTLD_DEFAULT, "GOMP_parallel");
    *(void **)&sol_openmp.thread = dlsym(RTLD_DEFAULT, "omp_get_thread_num");
    *(void **)&sol_openmp.threads = dlsym(RTLD_DEFAULT, "omp_get_num_threads");
    *(void **)&sol_openmp.most = dlsym(RTLD_DEFAULT, "omp_get_max_threads");
    *(void **)&sol_openmp.inside = dlsym(RTLD_DEFAULT, "omp_in_parallel");
    const int all = sol_openmp.parallel && sol_openmp.thread && sol_openmp.threads && sol_openmp.most && sol_openmp.inside;
    const int found = all && pthread_atfork(NULL, NULL, sol_openmp_in_child) == 0;
    __atomic_store_n(&sol_openmp.known, found ? 2 : 1, __ATOMIC_RELEASE);
    return found;
}

/* CPU time of a thread of this process, ns; -1: there is none. */
static int64_t sol_cpu_time(long thread)
{
    struct timespec t;
    const clockid_t clock = (clockid_t)(~(unsigned)thread << 3 | 6); /* as the kernel numbers the clocks of threads */
    return clock_gettime(clock, &t) == 0 ? (int64_t)t.tv_sec * 1000000000 + t.tv_nsec : -1;
}

static int sol_is_awake(long thread)
{
    const int64_t before = sol_openmp_here.used, used = sol_cpu_time(thread);
    sol_openmp_here.used = used;
    if (used < 0) sol_openmp_here.worker = 0;
    if (used < 0 || used == before) return 0;
    sol_openmp_here.used = sol_cpu_time(thread);
    return sol_openmp_here.used > used;
}

static int sol_is_worker(long thread)
{
    const int made = __atomic_load_n(&sol_pool.made, __ATOMIC_ACQUIRE);
    for (int i = 0; i < made; i++)
        if (__atomic_load_n(&sol_pool.workers[i]->number, __ATOMIC_RELAXED) == thread) return 1;
    return 0;
}

/* Are so many threads of this process awake beside the calling one and our workers? */
static int sol_others_are_awake(int count)
{
    const long self = sol_thread_number();
    DIR *const folder = opendir("/proc/self/task");
    if (!folder) return 0;
    for (struct dirent *d; count > 0 && (d = readdir(folder));) {
        const long thread = atol(d->d_name);
        if (thread <= 0 || thread == self || sol_is_worker(thread)) continue;
        const int64_t used = sol_cpu_time(thread);
        count -= used >= 0 && sol_cpu_time(thread) > used;
    }
    closedir(folder);
    return count <= 0;
}

/* Whether a first region is tried. */
static int sol_openmp_begins(int wish, int64_t now)
{
    if (now < sol_openmp_here.again) return 0;
    if (__atomic_load_n(&sol_pool.made, __ATOMIC_RELAXED) < wish - 1) return 0; /* libgomp ends a process that may not start threads */
    if (sol_others_are_awake(wish - 1)) return 1;
    sol_was_late = 0;
    sol_openmp_here.pause = sol_openmp_here.pause ? 2 * sol_openmp_here.pause : SOL_FIRST_PAUSE_NS;
    if (sol_openmp_here.pause > SOL_LAST_PAUSE_NS) sol_openmp_here.pause = SOL_LAST_PAUSE_NS;
    sol_openmp_here.again = now + sol_openmp_here.pause;
    return 0;
}

enum { SOL_OWN, SOL_OPENMP, SOL_DOUBT };

/* Who serves a call that wants so many threads. SOL_DOUBT: we do, and do not learn from it what other programs take. */
static int sol_openmp_turn(int wish, int64_t now)
{
    if (now < sol_openmp_here.banned || (!sol_openmp_here.worker && !sol_was_late && !sol_openmp_here.expected) || sol_openmp.child) return SOL_OWN;
    if (!sol_find_openmp(now) || sol_openmp.most() != wish || sol_openmp.inside()) return SOL_OWN;
    if (!sol_openmp_here.worker) return sol_openmp_begins(wish, now) ? SOL_OPENMP : SOL_OWN;
    if (sol_openmp_here.slept && now - sol_openmp_here.slept < SOL_SOON_NS) return SOL_OWN; /* to look takes 0.3 microseconds */
    sol_openmp_here.slept = 0;
    if (!sol_is_awake(sol_openmp_here.worker)) {
        sol_openmp_here.slept = now;
        return SOL_OWN;
    }
    if (sol_openmp_here.used - sol_openmp_here.spent > SOL_DOZE_NS) sol_openmp_here.since = now;
    return now - sol_openmp_here.since < SOL_LEASE_NS ? SOL_OPENMP : SOL_DOUBT;
}

static void sol_openmp_member(void *data)
{
    sol_openmp_call *const call = data;
    sol_record other, *const records[] = {&call->first, &call->second};
    const int id = sol_openmp.thread();
    if (id == 1) call->worker = sol_thread_number();
    sol_take_part(&call->crew, id, sol_openmp.threads(), id < 2 ? records[id] : &other);
}

static void sol_openmp_region(sol_body body, void *data, int wish, int64_t now)
{
    sol_openmp_call call = {.crew = {.shared = {.await = sol_await, .rouse = sol_rouse}, .body = body, .data = data, .began = now, .measured = 1}};
    __atomic_fetch_add(&sol_pool.present, wish - 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&sol_openmp.calls, 1, __ATOMIC_RELAXED);
    sol_openmp.parallel(sol_openmp_member, &call, (unsigned)wish, 0);
    __atomic_fetch_sub(&sol_pool.present, wish, __ATOMIC_RELAXED);
    const int64_t end = sol_clock(CLOCK_MONOTONIC), most = sol_bearable(end - now);
    const int late = call.first.lost > most || call.second.lost > most;
    sol_openmp_here.trouble = sol_trouble(sol_openmp_here.trouble, late);
    if (!call.worker || sol_openmp_here.trouble > SOL_TROUBLE) {
        const int again = end - sol_openmp_here.banned < 2 * SOL_LAST_BAN_NS;
        sol_openmp_here.ban = !again ? SOL_FIRST_BAN_NS : 2 * sol_openmp_here.ban < SOL_LAST_BAN_NS ? 2 * sol_openmp_here.ban : SOL_LAST_BAN_NS;
        sol_openmp_here.banned = end + sol_openmp_here.ban;
        sol_openmp_here.trouble = 0;
    }
    if (call.worker != sol_openmp_here.worker) sol_openmp_here.since = now;
    sol_openmp_here.worker = call.worker;
    sol_openmp_here.pause = 0;
    sol_openmp_here.spent = sol_cpu_time(call.worker);
}

static void sol_openmp_run(sol_body body, void *data, int wish)
{
    const int64_t now = sol_clock(CLOCK_MONOTONIC);
    int others;
    const int possible = sol_enter(wish, now, &others);
    const int turn = possible == wish && !others ? sol_openmp_turn(wish, now) : SOL_OWN;
    if (turn == SOL_OPENMP) {
        sol_openmp_region(body, data, wish, now);
        return;
    }
    sol_start_paced(body, data, possible, turn == SOL_OWN, now);
    if (sol_openmp_here.slept) sol_openmp_here.slept = sol_clock(CLOCK_MONOTONIC);
}

static inline void sol_expect_openmp(void) { sol_openmp_here.expected = 1; }
static inline int sol_openmp_calls(void) { return __atomic_load_n(&sol_openmp.calls, __ATOMIC_RELAXED); }
#else
#define sol_openmp_run sol_pool_run
static inline void sol_expect_openmp(void) {}
static inline int sol_openmp_calls(void) { return 0; }
#endif
#endif
