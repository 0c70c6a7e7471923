/* Many calls of teams at once, with delays where they hurt: every member must run once, and a barrier must let nobody through early.
 * Arguments: calling threads, rounds of each, largest team, whether teams are of fixed size, forks meanwhile, seed. */
#define _GNU_SOURCE
#include "sol_pool.h"
#include <sys/wait.h>

enum { MOST = 16, STEPS = 5 };

typedef struct {
    int64_t slots[STEPS][MOST];
    int members[MOST]; /* how often each id ran */
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

static void body(void *data, sol_shared *shared, int id, int size)
{
    round_state *r = data;
    const sol_team team = {id, size, NULL, NULL, shared, NULL};
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
}

static int once(unsigned *seed)
{
    round_state r = {.seed = (unsigned)rand_r(seed)};
    const int wish = 1 + rand_r(seed) % largest;
    (fixed ? sol_pool_run_fixed : sol_pool_run)(body, &r, wish);
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
