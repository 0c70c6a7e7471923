/* How many threads calls take while other programs want the same cores: found by trying, for all networks of a pool together.
 *
 * A member of a team is late if it had no core for a quarter of the call. Where that happens in a third of the calls, a team without as many
 * members is tried, and kept if it gets more done: work is time of a core that no member spent waiting. From then on the full team is
 * tried again, at intervals that grow from milliseconds to a second and last several calls; for long calls they grow from one call. */
#ifndef SOL_PACE_H
#define SOL_PACE_H
#include <stdint.h>

#define SOL_UNLIMITED 1024
#define SOL_TROUBLE 80          /* of 256: the share of late calls from which another team is tried */
#define SOL_LATE_NS 200000      /* less than that is a wake-up and no other program */
#define SOL_MEASURE_NS 500000   /* calls are measured that often; measuring one costs a microsecond */
#define SOL_TRIAL_NS 10000000   /* a trial lasts so long, so that it sees several turns of the scheduler, */
#define SOL_TRIAL_CALLS 3       /* and so many calls, */
#define SOL_LONG_CALL_NS 100000000 /* or fewer that take so long */
#define SOL_FIRST_PAUSE_NS 10000000
#define SOL_LAST_PAUSE_NS 1000000000
#define SOL_LAST_PAUSE_CALLS 32 /* then trials in vain cost 3 % of the time at most */

typedef struct {
    double work, wall;
    int calls, late; /* late: calls in which a member was */
} sol_rate;

typedef struct {
    int busy;          /* somebody changes this */
    int limit, trial;  /* threads that a call may take; trial: another limit that is tried, or 0 */
    int trouble;       /* 256 times the share of recent calls in which a member was late */
    sol_rate usual, tried;
    int64_t measured;  /* when a call was measured last, ns */
    int64_t again, pause, raised; /* when another limit may be tried, how long it waits then, when the full team was taken up last */
} sol_pace;

#define SOL_PACE_START {.limit = SOL_UNLIMITED, .pause = SOL_FIRST_PAUSE_NS}

static int sol_pace_limit(const sol_pace *p)
{
    const int trial = __atomic_load_n(&p->trial, __ATOMIC_RELAXED);
    return trial ? trial : __atomic_load_n(&p->limit, __ATOMIC_RELAXED);
}

static int sol_pace_measures(const sol_pace *p, int64_t now)
{
    return __atomic_load_n(&p->trial, __ATOMIC_RELAXED) || __atomic_load_n(&p->trouble, __ATOMIC_RELAXED) > 8 ||
           now - __atomic_load_n(&p->measured, __ATOMIC_RELAXED) > SOL_MEASURE_NS;
}

static double sol_speed(const sol_rate *r) { return r->wall > 0 ? r->work / r->wall : 0; }

/* 256 times the share of recent calls that were late, behind one more call. */
static int sol_trouble(int before, int late) { return before - before / 8 + (late ? 32 : 0); }

static void sol_pace_try(sol_pace *p, int limit)
{
    p->tried = (sol_rate){0, 0, 0, 0};
    __atomic_store_n(&p->trial, limit, __ATOMIC_RELAXED);
}

static void sol_pace_settle(sol_pace *p, int64_t now)
{
    const int raises = p->trial > p->limit, lasted = p->tried.wall >= SOL_TRIAL_NS;
    const int enough = lasted && (p->tried.calls >= SOL_TRIAL_CALLS || p->tried.wall >= SOL_LONG_CALL_NS);
    const double tried = sol_speed(&p->tried), usual = sol_speed(&p->usual);
    const int hopeless = raises && tried < usual && lasted;
    if (!enough && !hopeless) return;
    const int better = tried > usual * (!raises ? 0.85 : p->tried.late ? 1.1 : 1); /* a smaller team is kinder to the others */
    if (better && raises) p->raised = now;
    if (better && !raises && now - p->raised > SOL_LAST_PAUSE_NS) p->pause = SOL_FIRST_PAUSE_NS;
    else if (better != raises) p->pause = 2 * p->pause < SOL_LAST_PAUSE_NS ? 2 * p->pause : SOL_LAST_PAUSE_NS;
    const double call = p->tried.wall / p->tried.calls;
    const int most = raises && !better ? SOL_LAST_PAUSE_CALLS : SOL_LAST_PAUSE_CALLS / 4;
    const int64_t growing = p->pause / SOL_FIRST_PAUSE_NS;
    const double least = call * (double)(call >= SOL_LONG_CALL_NS && growing < most ? growing : most);
    p->again = now + (least > p->pause ? (int64_t)least : p->pause);
    if (better) {
        __atomic_store_n(&p->limit, p->trial, __ATOMIC_RELAXED);
        p->usual = p->tried;
    }
    __atomic_store_n(&p->trouble, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&p->trial, 0, __ATOMIC_RELAXED);
}

/* A call of size threads took wall ns and did work ns of work; possible: what it could have taken without a limit; late: members that were. */
static void sol_pace_learn(sol_pace *p, int size, int possible, int late, double work, double wall, int64_t now)
{
    if (__atomic_exchange_n(&p->busy, 1, __ATOMIC_ACQUIRE)) return;
    const int limit = sol_pace_limit(p);
    __atomic_store_n(&p->measured, now, __ATOMIC_RELAXED);
    if (size != (limit < possible ? limit : possible)) { /* others have the threads: it tells nothing about the limit */
    } else if (p->trial) {
        p->tried.work += work, p->tried.wall += wall, p->tried.calls++, p->tried.late += late > 0;
        sol_pace_settle(p, now);
    } else {
        p->usual.work += work - p->usual.work / 8, p->usual.wall += wall - p->usual.wall / 8;
        __atomic_store_n(&p->trouble, sol_trouble(p->trouble, late), __ATOMIC_RELAXED);
        if (now < p->again) {
        } else if (p->trouble > SOL_TROUBLE && size > 1) sol_pace_try(p, size - late > 1 ? size - late : 1);
        else if (limit < possible) sol_pace_try(p, SOL_UNLIMITED);
    }
    __atomic_store_n(&p->busy, 0, __ATOMIC_RELEASE);
}
#endif
