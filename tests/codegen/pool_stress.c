/* Many calls of teams at once, with delays where they hurt: every member must run once, a barrier must let nobody through early,
 * and each unit of work that is shared out must be done once.
 * Arguments: calling threads, rounds of each, largest team, whether teams are of fixed size, forks meanwhile, seed. */
#define _GNU_SOURCE
#include "sol_pool.h"
#include <sys/wait.h>

enum { MOST = 16, STEPS = 5, UNITS = 70000 };

typedef struct {
    int64_t slots[STEPS][MOST];
    int members[MOST]; /* how often each id ran */
    uint8_t *units[STEPS]; /* how often each was done */
    int size, wrong;
    unsigned seed;
} round_state;

static int rounds, largest, fixed;

static void delay(unsigned *seed)
{
    const unsigned kind = (unsigned)rand_r(seed) % 64;
    if (kind < 8) sched_yield();
    else if (kind == 8) usleep((unsigned)rand_r(seed) % 200);
    else if (kind == 9) usleep(1500); /* longer than anybody stays awake */
    else
        for (volatile unsigned i = 0; i < kind * 16; i++) {}
}

/* Units of a launch. */
static int64_t units_of(unsigned *seed)
{
    static const unsigned most[4] = {3, 40, 300, UNITS};
    const unsigned kind = (unsigned)rand_r(seed) % 48;
    return (unsigned)rand_r(seed) % most[kind < 45 ? kind % 3 : 3];
}

/* Launches without a barrier in between, of few units and of very many; of some the team's first members alone do the work. */
static void share_out(round_state *r, const sol_team *team, unsigned *seed)
{
    unsigned same = r->seed;
    for (int step = 0; step < STEPS; step++) {
        const int64_t n = units_of(&same);
        const int64_t parts = 1 + (int64_t)(rand_r(&same) % (unsigned)team->size);
        if (rand_r(&same) % 2) sol_barrier(team);
        if (rand_r(seed) % 4 == 0) delay(seed);
        ++*team->launches;
        const int64_t block = 1 + (int64_t)(rand_r(&same) % 20);
        sol_share share = sol_share_of(team, n, parts);
        if (team->id >= parts) continue;
        if (block % 2) sol_share_at_least(&share, block / 2, block);
        for (int64_t u, end; sol_share_take(&share, &u, &end);)
            for (; u < end; u++) {
                __atomic_fetch_add(&r->units[step][u], 1, __ATOMIC_RELAXED);
                if (rand_r(seed) % 32 == 0 && n < 1000) delay(seed);
            }
    }
    sol_barrier(team);
    same = r->seed;
    for (int step = 0; step < STEPS && !team->id; step++) {
        const int64_t n = units_of(&same);
        rand_r(&same), rand_r(&same), rand_r(&same);
        for (int64_t u = 0; u < UNITS; u++)
            if (r->units[step][u] != (u < n)) __atomic_store_n(&r->wrong, 1, __ATOMIC_RELAXED);
    }
}

static void body(void *data, sol_shared *shared, int id, int size)
{
    round_state *r = data;
    uint32_t launches = 0;
    const sol_team team = {id, size, NULL, NULL, shared, NULL, &launches};
    unsigned seed = r->seed + (unsigned)id * 7919;
    __atomic_fetch_add(&r->members[id], 1, __ATOMIC_RELAXED);
    if (id == 0) r->size = size;
    for (int step = 0; step < STEPS; step++) {
        delay(&seed);
        r->slots[step][id] = (int64_t)(r->seed ^ (unsigned)step) * 31 + id;
        sol_barrier(&team);
        for (int other = 0; other < size; other++)
            if (r->slots[step][other] != (int64_t)(r->seed ^ (unsigned)step) * 31 + other) __atomic_store_n(&r->wrong, 1, __ATOMIC_RELAXED);
    }
    share_out(r, &team, &seed);
}

/* The second member stays at its first unit until the first one has done all that it may take: the rest of either share. */
static void uneven(void *data, sol_shared *shared, int id, int size)
{
    int64_t *const done = data;
    uint32_t launches = 1;
    const sol_team team = {id, size, NULL, NULL, shared, NULL, &launches};
    sol_barrier(&team);
    sol_share share = sol_share_of(&team, 64, size);
    for (int64_t u, end; sol_share_take(&share, &u, &end);) {
        if (id == 0 && __atomic_load_n(done + 1, __ATOMIC_ACQUIRE) == 0) /* not before the other one has begun */
            while (__atomic_load_n(done + 2, __ATOMIC_ACQUIRE) == 0) sched_yield();
        __atomic_store_n(done + 2, 1, __ATOMIC_RELEASE);
        while (id == 1 && __atomic_load_n(done, __ATOMIC_ACQUIRE) < 64 - (end - u)) sched_yield();
        for (; u < end; u++) {
            if (id == 0) usleep(10); /* what is left is worth taking */
            __atomic_fetch_add(done + id, 1, __ATOMIC_RELEASE);
        }
    }
}

static int once(unsigned *seed)
{
    round_state r = {.seed = (unsigned)rand_r(seed)};
    const int wish = 1 + rand_r(seed) % largest;
    for (int step = 0; step < STEPS; step++) r.units[step] = calloc(UNITS, 1);
    (fixed ? sol_pool_run_fixed : sol_pool_run)(body, &r, wish);
    for (int step = 0; step < STEPS; step++) free(r.units[step]);
    if (r.wrong || r.size < 1 || r.size > wish || (fixed && r.size != wish)) return 1;
    for (int id = 0; id < MOST; id++)
        if (r.members[id] != (id < r.size)) return 1;
    return 0;
}

static void *caller(void *p)
{
    unsigned seed = *(unsigned *)p;
    for (int i = 0; i < rounds; i++) {
        if (once(&seed)) return p;
        delay(&seed);
    }
    return NULL;
}

static int forked_child(unsigned seed)
{
    const pid_t child = fork();
    if (child == 0) {
        alarm(30);
        for (int i = 0; i < 20; i++)
            if (once(&seed)) _exit(1);
        _exit(sol_pool.made > MOST * 8);
    }
    int status = 1;
    return child < 0 || waitpid(child, &status, 0) != child || status != 0;
}

int main(int count, char **values)
{
    if (count != 7) return 2;
    const int callers = atoi(values[1]), forks = atoi(values[5]);
    rounds = atoi(values[2]), largest = atoi(values[3]), fixed = atoi(values[4]);
    pthread_t threads[MOST];
    unsigned seeds[MOST];
    alarm(120);
    for (int i = 0; i < callers; i++) {
        seeds[i] = (unsigned)atoi(values[6]) + (unsigned)i * 104729;
        if (pthread_create(&threads[i], NULL, caller, &seeds[i]) != 0) return 3;
    }
    int wrong = 0;
    int64_t done[3] = {0}; /* by each member, and whether the second one has begun */
    sol_pool_run_fixed(uneven, done, 2);
    if (done[0] != 48 || done[1] != 16) wrong = 7;
    for (int i = 0; i < forks; i++) {
        usleep(2000);
        if (forked_child((unsigned)i)) wrong = 4;
    }
    for (int i = 0; i < callers; i++) {
        void *failed = NULL;
        pthread_join(threads[i], &failed);
        if (failed) wrong = 5;
    }
    if (sol_pool.present != 0) wrong = 6;
    printf("%d workers\n", sol_pool.made);
    return wrong;
}
