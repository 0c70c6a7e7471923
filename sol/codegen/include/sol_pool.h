/* The threads that run networks: made when they are needed, asleep when they are not, shared by all calls of a process at once.
 *
 * sol_pool_run(body, data, wish)         body(data, shared, id, size) on a team of at most wish threads, one of which is the caller
 * sol_pool_run_fixed(body, data, wish)   on that many, whoever else uses the cores; fewer only if they cannot be started
 *
 * A call takes the workers that are free, and as many threads as there are free cores: CPUs that its thread may use, less what other calls
 * use, less what other programs take (sol_pace.h). A team may so have any size from 1 to wish. Workers are claimed in order of their
 * number, so that calls one after the other find their data where they left it. After fork the child makes workers of its own. */
#ifndef SOL_POOL_H
#define SOL_POOL_H
#ifndef _GNU_SOURCE
#error "sol_pool.h needs _GNU_SOURCE"
#endif
#include "sol_cores.h"
#include "sol_pace.h"
#include "sol_run.h"
#include "sol_wait.h"
#include <pthread.h>
#include <signal.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif

#define SOL_MOST 1024             /* workers */
#define SOL_HOPE_NS 200000        /* calls in such a distance find workers awake */
#define SOL_LOOK_NS 10000000      /* affinity is asked for that often, */
#define SOL_LOOK_QUOTA_NS 5000000000 /* quotas so often, */
#define SOL_HIRE_NS 1000000000    /* and threads that could not be started are tried again after that */
#define SOL_STACK (2 << 20)

/* What a member measured. */
typedef struct {
    int64_t work, lost;
} sol_record;

/* One call. */
typedef struct {
    sol_shared shared;
    _Alignas(64) sol_body body;
    void *data;
    int64_t began;
    int size, measured;
    sol_slot slots[SOL_SLOTS];
    _Alignas(64) int left; /* workers that have not finished */
    sol_signal done;
} sol_crew;

typedef struct {
    _Alignas(64) sol_signal task;
    sol_crew *crew; /* NULL: the end */
    int id;
    long number; /* of its thread in the system */
    sol_record record;
    pthread_t thread;
    sol_cpus cpus; /* that it was told to use */
    sol_crew own;  /* for the call whose first worker this is */
} sol_worker;

static struct {
    uint64_t idle[SOL_MOST / 64];   /* bit of each worker that no call has */
    sol_worker *workers[SOL_MOST];
    int made, present;              /* workers; threads in calls */
    int quota;                      /* threads that control groups allow for */
    int cores;                      /* CPUs that some caller may use, */
    sol_cpus cpus;                  /* and which */
    int64_t looked, refused;        /* when quotas were read, when a thread could not be made */
    int forks;                      /* handlers are registered */
    sol_pace pace;
    pthread_mutex_t hiring;
} sol_pool = {.pace = SOL_PACE_START, .hiring = PTHREAD_MUTEX_INITIALIZER};

static __thread struct {
    int64_t looked;
    int cores;
    sol_cpus cpus;
} sol_here; /* CPUs of the calling thread */

static long sol_thread_number(void)
{
#if defined(__linux__)
    return syscall(SYS_gettid);
#else
    return 0;
#endif
}

static __thread int sol_was_late; /* a member of the calling thread's last team that was measured had to wait for a core */

/* -- members -- */
static void sol_take_part(sol_crew *crew, int id, int size, sol_record *record)
{
    if (!crew->measured) {
        crew->body(crew->data, &crew->shared, id, size);
        return;
    }
    sol_waited = sol_slept = 0;
    const int64_t start = sol_clock(CLOCK_THREAD_CPUTIME_ID);
    crew->body(crew->data, &crew->shared, id, size);
    const int64_t used = sol_clock(CLOCK_THREAD_CPUTIME_ID) - start;
    record->work = used > sol_waited ? used - sol_waited : 0;
    record->lost = sol_clock(CLOCK_MONOTONIC) - crew->began - used - sol_slept;
}

static void *sol_work_on(void *p)
{
    sol_worker *const w = p;
    uint32_t turn = 0;
    int64_t awake = SOL_HOPE_NS;
    __atomic_store_n(&w->number, sol_thread_number(), __ATOMIC_RELAXED);
    for (;;) {
        const int64_t idle = sol_clock(CLOCK_MONOTONIC);
        sol_slept = 0;
        sol_wait(&w->task, turn, awake);
        turn++;
        if (sol_slept) awake = sol_clock(CLOCK_MONOTONIC) - idle < SOL_HOPE_NS ? SOL_HOPE_NS : 0;
        sol_crew *const crew = w->crew;
        if (!crew) return NULL;
        sol_take_part(crew, w->id, crew->size, &w->record);
        if (__atomic_sub_fetch(&crew->left, 1, __ATOMIC_ACQ_REL) == 0) sol_signal_next(&crew->done);
    }
}

/* -- workers -- */
static void sol_before_fork(void) { pthread_mutex_lock(&sol_pool.hiring); }
static void sol_after_fork(void) { pthread_mutex_unlock(&sol_pool.hiring); }

/* The child has no threads but the one that forked, which is in no call. */
static void sol_in_child(void)
{
    pthread_mutex_init(&sol_pool.hiring, NULL);
    sol_make_beds();
    memset(sol_pool.idle, 0, sizeof sol_pool.idle);
    sol_pool.made = sol_pool.present = 0;
    sol_pool.refused = sol_pool.looked = 0;
    sol_pool.pace = (sol_pace)SOL_PACE_START;
}

static int sol_start_worker(sol_worker *w)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    if (pthread_attr_init(&attributes) != 0) return -1;
    pthread_attr_setstacksize(&attributes, SOL_STACK);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* the program's handlers run on its own threads */
    const int code = pthread_create(&w->thread, &attributes, sol_work_on, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return code;
}

/* Makes a worker, which belongs to the caller; its number, or -1 if there can be no more. */
static int sol_hire(int64_t now)
{
    int number = -1;
    pthread_mutex_lock(&sol_pool.hiring);
    const int next = sol_pool.made;
    if (next < SOL_MOST && (!sol_pool.refused || now - sol_pool.refused > SOL_HIRE_NS)) {
        if (!sol_pool.forks) sol_pool.forks = pthread_atfork(sol_before_fork, sol_after_fork, sol_in_child) == 0;
        sol_worker *w = sol_pool.workers[next];
        if (!w) w = sol_pool.workers[next] = aligned_alloc(64, sizeof *w);
        if (w) {
            memset(w, 0, sizeof *w);
            w->own.shared.slots = w->own.slots;
            w->own.shared.await = sol_await;
            w->own.shared.rouse = sol_rouse;
        }
        if (w && sol_pool.forks && sol_start_worker(w) == 0) {
            number = next;
            __atomic_store_n(&sol_pool.made, next + 1, __ATOMIC_RELEASE);
        } else sol_pool.refused = now;
    }
    pthread_mutex_unlock(&sol_pool.hiring);
    return number;
}

static uint64_t sol_lowest(uint64_t bits, int count)
{
    uint64_t found = 0;
    for (; bits && count > 0; count--, bits &= bits - 1) found |= bits & -bits;
    return found;
}

/* Takes up to wish workers: their bits, and how many. */
static int sol_claim(uint64_t *taken, int wish, int64_t now)
{
    int count = 0;
    for (int i = 0; i < SOL_MOST / 64; i++) {
        uint64_t idle = __atomic_load_n(&sol_pool.idle[i], __ATOMIC_ACQUIRE);
        do taken[i] = sol_lowest(idle, wish - count);
        while (taken[i] && !__atomic_compare_exchange_n(&sol_pool.idle[i], &idle, idle & ~taken[i], 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE));
        count += __builtin_popcountll(taken[i]);
    }
    while (count < wish) {
        const int number = sol_hire(now);
        if (number < 0) break;
        taken[number / 64] |= (uint64_t)1 << number % 64;
        count++;
    }
    return count;
}

static void sol_give_up(const uint64_t *taken)
{
    for (int i = 0; i < SOL_MOST / 64; i++)
        if (taken[i]) __atomic_fetch_or(&sol_pool.idle[i], taken[i], __ATOMIC_RELEASE);
}

/* The workers of a claim, in order: for (int i = -1; (i = sol_next_of(taken, i)) >= 0;) */
static int sol_next_of(const uint64_t *taken, int i)
{
    for (i++; i < SOL_MOST; i = (i / 64 + 1) * 64) {
        const uint64_t rest = taken[i / 64] >> i % 64;
        if (rest) return i + __builtin_ctzll(rest);
    }
    return -1;
}

/* -- size -- */
static void sol_look(int64_t now)
{
    sol_here.cores = sol_cpu_count(sol_cpus_here(&sol_here.cpus));
    sol_here.looked = now;
    sol_add_cpus(&sol_pool.cpus, &sol_here.cpus);
    __atomic_store_n(&sol_pool.cores, sol_cpu_count(sol_count_cpus(&sol_pool.cpus)), __ATOMIC_RELAXED);
    const int64_t looked = __atomic_load_n(&sol_pool.looked, __ATOMIC_RELAXED);
    if (looked && now - looked < SOL_LOOK_QUOTA_NS) return;
    __atomic_store_n(&sol_pool.quota, sol_quota_threads(""), __ATOMIC_RELAXED);
    __atomic_store_n(&sol_pool.looked, now, __ATOMIC_RELAXED);
}

/* Threads that a call may take while others threads are in calls. */
static int sol_free_cores(int64_t now, int others)
{
    if (!sol_here.looked || now - sol_here.looked > SOL_LOOK_NS) sol_look(now);
    const int quota = __atomic_load_n(&sol_pool.quota, __ATOMIC_RELAXED), all = __atomic_load_n(&sol_pool.cores, __ATOMIC_RELAXED);
    const int left = (quota < all ? quota : all) - others;
    return sol_here.cores < left ? sol_here.cores : left;
}

/* -- calls -- */
static void sol_lead(sol_crew *crew, const uint64_t *taken)
{
    int id = 1;
    for (int i = -1; (i = sol_next_of(taken, i)) >= 0; id++) {
        sol_worker *const w = sol_pool.workers[i];
#if defined(__linux__)
        if (memcmp(&w->cpus, &sol_here.cpus, sizeof w->cpus) != 0) { /* a worker runs where its caller may */
            w->cpus = sol_here.cpus;
            pthread_setaffinity_np(w->thread, sizeof w->cpus, &w->cpus);
        }
#endif
        w->crew = crew;
        w->id = id;
        sol_signal_next(&w->task);
    }
}

/* How long a member may be without a core in a call that takes wall ns. */
static int64_t sol_bearable(int64_t wall) { return wall / 4 > SOL_LATE_NS ? wall / 4 : SOL_LATE_NS; }

static void sol_measure(const sol_crew *crew, const uint64_t *taken, const sol_record *first, int possible)
{
    const int64_t now = sol_clock(CLOCK_MONOTONIC), wall = now - crew->began;
    const int64_t most = sol_bearable(wall);
    int late = first->lost > most;
    double work = (double)first->work;
    for (int i = -1; (i = sol_next_of(taken, i)) >= 0;) {
        const sol_record *r = &sol_pool.workers[i]->record;
        late += r->lost > most;
        work += (double)r->work;
    }
    sol_was_late = late > 0;
    sol_pace_learn(&sol_pool.pace, crew->size, possible, late, work, (double)wall, now);
}

static void sol_run_with(sol_crew *crew, const uint64_t *taken, int possible)
{
    sol_record first = {0, 0};
    const uint32_t turn = crew->done.turn;
    crew->left = crew->size - 1;
    sol_lead(crew, taken);
    sol_take_part(crew, 0, crew->size, &first);
    if (crew->size > 1) {
        for (int spin = 0; spin < SOL_SPINS && !sol_passed(&crew->done, turn); spin++) sol_pause();
        if (!sol_passed(&crew->done, turn)) sol_wait(&crew->done, turn, SOL_AWAKE_NS);
    }
    if (crew->measured) sol_measure(crew, taken, &first, possible);
}

/* possible: what the call could have taken if no other program wanted cores; 0: not to be measured. */
static void sol_start_team(sol_body body, void *data, int wanted, int possible, int64_t now)
{
    uint64_t taken[SOL_MOST / 64] = {0};
    const int count = wanted > 1 ? sol_claim(taken, wanted - 1, now) : 0;
    sol_crew alone = {.size = 1}, *crew = &alone;
    if (count) {
        crew = &sol_pool.workers[sol_next_of(taken, -1)]->own;
        __atomic_fetch_add(&sol_pool.present, count, __ATOMIC_RELAXED);
    }
    crew->body = body;
    crew->data = data;
    crew->size = count + 1;
    crew->began = now;
    crew->measured = possible > 1 && sol_pace_measures(&sol_pool.pace, now);
    sol_run_with(crew, taken, possible);
    if (count) sol_give_up(taken);
    __atomic_fetch_sub(&sol_pool.present, count + 1, __ATOMIC_RELAXED);
}

/* A call begins: threads that it may take if no other program wants cores. others: threads in other calls. */
static int sol_enter(int wish, int64_t now, int *others)
{
    *others = __atomic_fetch_add(&sol_pool.present, 1, __ATOMIC_RELAXED);
    const int free = sol_free_cores(now, *others);
    return wish < free ? wish : free;
}

/* On as many of the possible threads as other programs leave. learns: whether the call tells how many these are. */
static void sol_start_paced(sol_body body, void *data, int possible, int learns, int64_t now)
{
    const int limit = sol_pace_limit(&sol_pool.pace);
    sol_start_team(body, data, possible < limit ? possible : limit, learns ? possible : 0, now);
}

__attribute__((unused)) static void sol_pool_run(sol_body body, void *data, int wish)
{
    const int64_t now = sol_clock(CLOCK_MONOTONIC);
    int others;
    sol_start_paced(body, data, sol_enter(wish, now, &others), 1, now);
}

__attribute__((unused)) static void sol_pool_run_fixed(sol_body body, void *data, int wish)
{
    const int64_t now = sol_clock(CLOCK_MONOTONIC);
    int others;
    sol_enter(wish, now, &others);
    sol_start_team(body, data, wish, 0, now);
}

/* Ends the workers that are in no call: all, unless the process ends in the midst of one. */
__attribute__((destructor)) static void sol_pool_end(void)
{
    sol_pool.refused = INT64_MAX; /* no more of them */
    uint64_t idle[SOL_MOST / 64];
    for (int i = 0; i < SOL_MOST / 64; i++) idle[i] = __atomic_exchange_n(&sol_pool.idle[i], 0, __ATOMIC_ACQUIRE);
    for (int i = -1; (i = sol_next_of(idle, i)) >= 0;) {
        sol_pool.workers[i]->crew = NULL;
        sol_signal_next(&sol_pool.workers[i]->task);
    }
    for (int i = -1; (i = sol_next_of(idle, i)) >= 0;) pthread_join(sol_pool.workers[i]->thread, NULL);
    for (int i = -1; (i = sol_next_of(idle, i)) >= 0; sol_pool.workers[i] = NULL) free(sol_pool.workers[i]); /* no other worker looks at it now */
}
#endif
