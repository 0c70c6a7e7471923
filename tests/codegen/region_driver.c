/* Calls the kernels of one region on a team of threads, one launch after the other; compiled once for all regions.
 * plan: of every launch the numbers of its buffers and of its arguments; for each buffer its place in mem and the bytes to skip; the arguments. */
#include <pthread.h>
#include <stdlib.h>
#include "sol_team.h"

typedef void kernel(const sol_team *, void *const *, const int64_t *);

typedef struct {
    sol_team team;
    kernel *const *kernels;
    void *const *mem;
    const int64_t *plan;
    int64_t launches;
} member;

static void *work(void *argument)
{
    const member *m = argument;
    const int64_t *plan = m->plan;
    for (int64_t launch = 0; launch < m->launches; launch++) {
        const int64_t buffers = plan[0], arguments = plan[1];
        void *pointers[buffers + 1];
        plan += 2;
        for (int64_t i = 0; i < buffers; i++, plan += 2) pointers[i] = (char *)m->mem[plan[0]] + plan[1];
        ++*m->team.launches;
        m->kernels[launch](&m->team, pointers, plan);
        plan += arguments;
        sol_barrier(&m->team);
    }
    return 0;
}

void run(kernel *const *kernels, void *const *mem, const int64_t *plan, int64_t launches, int64_t threads, int64_t scratch, int64_t shared_scratch);
void run(kernel *const *kernels, void *const *mem, const int64_t *plan, int64_t launches, int64_t threads, int64_t scratch, int64_t shared_scratch)
{
    scratch = (scratch + 63) / 64 * 64, shared_scratch = (shared_scratch + 63) / 64 * 64;
    char *memory = aligned_alloc(64, (size_t)(scratch * threads + shared_scratch));
    sol_slot slots[SOL_SLOTS] = {0};
    sol_shared shared = {.slots = slots};
    uint32_t numbers[threads]; /* of launches */
    pthread_t handles[threads];
    member members[threads];
    if (!memory) abort();
    for (int i = 0; i < threads; i++) {
        const sol_team team = {i, (int)threads, memory + shared_scratch + scratch * i, memory, &shared, NULL, &numbers[i]};
        numbers[i] = 0;
        members[i] = (member){team, kernels, mem, plan, launches};
    }
    for (int i = 1; i < threads; i++)
        if (pthread_create(&handles[i], 0, work, &members[i])) abort();
    work(&members[0]);
    for (int i = 1; i < threads; i++) pthread_join(handles[i], 0);
    free(memory);
}
