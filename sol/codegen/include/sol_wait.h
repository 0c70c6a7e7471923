/* How threads of a pool wait for each other: they spin for microseconds, yield while nobody else wants the core, then sleep. */
#ifndef SOL_WAIT_H
#define SOL_WAIT_H
#include "sol_team.h"
#include <time.h>
#if defined(__linux__) && !defined(SOL_NO_FUTEX)
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#else
#include <pthread.h>
#endif

#define SOL_SPIN_NS 10000   /* a wait spins that long before it first yields */
#define SOL_OUSTED_NS 50000 /* a yield that takes longer let others run: it is kinder, and comes back sooner, to sleep */
#define SOL_AWAKE_NS 1000000 /* the longest that a thread of a running team yields before it sleeps: to wake it costs up to 60 microseconds */
#define SOL_NAP_NS 1000000

/* What the calling thread's waits took, ns: awake without work, and asleep until it was woken. */
static __thread int64_t sol_waited, sol_slept;

static inline int64_t sol_clock(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#if defined(__linux__) && !defined(SOL_NO_FUTEX)
/* Until the word is changed and somebody wakes, or for no reason; at most so long, if longest is not 0. */
static void sol_sleep(uint32_t *word, uint32_t value, long longest)
{
    const struct timespec t = {longest / 1000000000, longest % 1000000000};
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, longest ? &t : NULL, NULL, 0);
}
static void sol_make_beds(void) {}
static void sol_wake(uint32_t *word) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0); }
#else
/* Words share a few beds: who wakes one wakes its neighbours as well, who look again and lie down. */
static struct sol_bed {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
} sol_beds[] = {{PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER}, {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER},
                {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER}, {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER}};

/* In a forked child nobody sleeps, whatever the parent's threads did. */
static void sol_make_beds(void)
{
    for (int i = 0; i < 4; i++) {
        pthread_mutex_init(&sol_beds[i].mutex, NULL);
        pthread_cond_init(&sol_beds[i].cond, NULL);
    }
}

static struct sol_bed *sol_bed_of(const uint32_t *word) { return &sol_beds[(uintptr_t)word / 64 % 4]; }

static void sol_sleep(uint32_t *word, uint32_t value, long longest)
{
    struct sol_bed *bed = sol_bed_of(word);
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += longest;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    pthread_mutex_lock(&bed->mutex);
    if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value) {
    } else if (longest) pthread_cond_timedwait(&bed->cond, &bed->mutex, &end);
    else pthread_cond_wait(&bed->cond, &bed->mutex);
    pthread_mutex_unlock(&bed->mutex);
}

static void sol_wake(uint32_t *word)
{
    struct sol_bed *bed = sol_bed_of(word);
    pthread_mutex_lock(&bed->mutex); /* who looked at the word before it changed sleeps by then */
    pthread_cond_broadcast(&bed->cond);
    pthread_mutex_unlock(&bed->mutex);
}
#endif

static void sol_rouse(sol_signal *s)
{
    __atomic_store_n(&s->roused, sol_clock(CLOCK_MONOTONIC), __ATOMIC_RELAXED);
    sol_wake(&s->turn);
}

static void sol_signal_next(sol_signal *s) { sol_pass(s, __atomic_load_n(&s->turn, __ATOMIC_RELAXED), sol_rouse); }

/* Who passed the signal in the moment in which we lay down may not have seen us (sol_pass), later ones do: so the first sleep is short. */
static void sol_sleep_until(sol_signal *s, uint32_t old)
{
    const int64_t start = sol_clock(CLOCK_MONOTONIC);
    __atomic_fetch_add(&s->sleepers, 1, __ATOMIC_SEQ_CST);
    while (!sol_passed(s, old)) sol_sleep(&s->turn, old, sol_clock(CLOCK_MONOTONIC) - start < SOL_NAP_NS ? SOL_NAP_NS : 0);
    __atomic_fetch_sub(&s->sleepers, 1, __ATOMIC_RELAXED);
    const int64_t slept = __atomic_load_n(&s->roused, __ATOMIC_RELAXED) - start;
    if (slept > 0) sol_slept += slept;
}

/* Waits until the turn is no longer old; longest: ns after which it sleeps. */
static void sol_wait(sol_signal *s, uint32_t old, int64_t longest)
{
    const int64_t start = sol_clock(CLOCK_MONOTONIC);
    int64_t now = start;
    while (!sol_passed(s, old)) {
        const int64_t before = now;
        if (now - start < SOL_SPIN_NS && now - start < longest)
            for (int spin = 0; spin < 16 && !sol_passed(s, old); spin++) sol_pause();
        else if (now - start < longest) sched_yield();
        else {
            sol_sleep_until(s, old);
            return;
        }
        now = sol_clock(CLOCK_MONOTONIC);
        if (now - before > SOL_OUSTED_NS) longest = 0;
        else sol_waited += now - before;
    }
}

/* Within a running team. */
static void sol_await(sol_signal *s, uint32_t old) { sol_wait(s, old, SOL_AWAKE_NS); }
#endif
