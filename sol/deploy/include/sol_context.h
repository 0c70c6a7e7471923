/* Contexts of a deployed library: their memory, the thread team's size, calls at once and on a thread of the context. */
#ifndef SOL_CONTEXT_H
#define SOL_CONTEXT_H
#include "sol_deploy.h"

/* -- threads -- */
static int sol_wanted_threads = SOL_DEFAULT_THREADS; /* 0: OMP_NUM_THREADS, else the CPUs there are */

#ifdef SOL_NO_THREADS
#define SOL_LAUNCH NULL
static int sol_threads(void) { return 1; }
static int sol_capacity(void) { return 1; }
#else
#include "sol_openmp.h"
#define SOL_LAUNCH sol_openmp_run

/* A context has scratch memory for all threads that a call may ever take; what is not used costs addresses only. */
static int sol_capacity(void)
{
    const int cpus = sol_cpu_count(0);
    return cpus < SOL_MOST ? cpus : SOL_MOST;
}

static int sol_threads(void)
{
    static int usual;
    const int wanted = __atomic_load_n(&sol_wanted_threads, __ATOMIC_RELAXED);
    if (wanted > 0) return wanted;
    int count = __atomic_load_n(&usual, __ATOMIC_RELAXED);
    if (count) return count;
    sol_cpus cpus;
    const char *told = getenv("OMP_NUM_THREADS");
    const long number = told ? strtol(told, NULL, 10) : 0;
    count = number > 0 ? (number < SOL_MOST ? (int)number : SOL_MOST) : sol_cpu_count(sol_cpus_here(&cpus));
    __atomic_store_n(&usual, count, __ATOMIC_RELAXED);
    return count;
}
#endif

/* -- memory -- */
static int64_t sol_lines(int64_t bytes) { return (bytes + 63) / 64 * 64; }

/* Offsets for buffers that share memory when they do not live at the same launch, and the bytes for all of them: the largest first, each
 * at the lowest place that is free as long as it lives. O(n²) steps, no memory but the caller's. */
__attribute__((unused)) static int64_t sol_place(int n, const sol_life *life, const int64_t *sizes, int64_t *offsets)
{
    int order[SOL_SIZE(SOL_BUFFERS)], placed[SOL_SIZE(SOL_BUFFERS)], count = 0; /* placed: by offset */
    int64_t total = 0;
    for (int i = 0; i < n; i++) {
        int k = i;
        for (; k > 0 && sizes[order[k - 1]] < sizes[i]; k--) order[k] = order[k - 1];
        order[k] = i;
    }
    for (int rank = 0; rank < n; rank++) {
        const int i = order[rank];
        int64_t at = 0;
        for (int k = 0; k < count; k++) {
            const int j = placed[k];
            if (life[j].last < life[i].first || life[i].last < life[j].first) continue;
            if (at + sizes[i] <= offsets[j]) break;
            if (offsets[j] + sizes[j] > at) at = sol_lines(offsets[j] + sizes[j]);
        }
        offsets[i] = at;
        int k = count++;
        for (; k > 0 && offsets[placed[k - 1]] > at; k--) placed[k] = placed[k - 1];
        placed[k] = i;
        if (at + sizes[i] > total) total = at + sizes[i];
    }
    return sol_lines(total);
}

#define SOL_HUGE ((size_t)2 << 20)

static void sol_release(sol_context *c)
{
    if (!c->block) return;
    if (c->block_size > SOL_HUGE) munmap(c->block, c->block_size);
    else free(c->block);
    c->block = c->memory = NULL;
    c->size = 0;
}

/* Zeroed memory of at least that size, on huge pages if it is that large. */
static int sol_allocate(sol_context *c, size_t size)
{
    sol_release(c);
    const int large = size >= SOL_HUGE;
    c->block_size = size + (large ? SOL_HUGE : 64);
    if (large) {
        c->block = mmap(NULL, c->block_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (c->block == MAP_FAILED) c->block = NULL;
#ifdef MADV_HUGEPAGE
        else madvise(c->block, c->block_size, MADV_HUGEPAGE);
#endif
    } else c->block = calloc(1, c->block_size);
    if (!c->block) return sol_fail("cannot allocate %zu bytes for a context", size);
    const uintptr_t step = large ? SOL_HUGE : 64;
    c->memory = (char *)(((uintptr_t)c->block + step - 1) / step * step);
    c->size = size;
    return 0;
}

/* Makes the context ready for these sizes; allocates only if they need more memory than it has. */
static int sol_prepare(sol_context *c, const int64_t *dims)
{
    int64_t bytes[SOL_SIZE(SOL_OUTPUTS)], total = 0;
    if (c->ready && (SOL_SYMBOLS == 0 || memcmp(c->dims, dims, sizeof(int64_t) * SOL_SYMBOLS) == 0)) return 0;
    c->ready = 0;
    sol_output_bytes(dims, bytes);
    for (int i = 0; i < SOL_OUTPUTS; i++) {
        c->outputs[i] = total;
        total += sol_lines(bytes[i]);
    }
    sol_active->sizes(dims, c->offsets, &c->sizes);
    c->arena_at = total;
    total += c->sizes.arena + c->sizes.shared_scratch + c->sizes.scratch * c->capacity + 64;
    if ((size_t)total > c->size && sol_allocate(c, (size_t)total) != 0) return -1;
    for (int i = 0; i < SOL_SYMBOLS; i++) {
        c->dims[i] = dims[i];
        c->values[i] = dims[sol_order[i]];
    }
    c->ready = 1;
    return 0;
}

/* Maps the weights of one instruction set with one system call, where there is such a call, instead of at thousands of page faults. */
static void sol_map_ahead(const sol_variant *v)
{
    const int populate = 22; /* MADV_POPULATE_READ of Linux 5.14, which headers may lack; others refuse it */
    for (int i = 0, last = -1; i < v->weight_count; i++) {
        const sol_chunk *chunk = &sol_chunks[v->weights[i].chunk];
        if (v->weights[i].chunk == last) continue;
        last = v->weights[i].chunk;
        const uintptr_t begin = (uintptr_t)chunk->data / 4096 * 4096;
        if (madvise((void *)begin, (size_t)((uintptr_t)chunk->data + (size_t)chunk->bytes - begin), populate) != 0) return;
    }
}

/* -- fork: the child has the memory of all threads, but only the one that forked -- */
static pthread_mutex_t sol_contexts_mutex = PTHREAD_MUTEX_INITIALIZER;
static int sol_forks; /* forks since the library was loaded, as the child counts them */

static void sol_hold(void)
{
    pthread_mutex_lock(&sol_setup_mutex);
    pthread_mutex_lock(&sol_contexts_mutex);
}

static void sol_let_go(void)
{
    pthread_mutex_unlock(&sol_contexts_mutex);
    pthread_mutex_unlock(&sol_setup_mutex);
}

static void sol_forked(void)
{
    sol_forks++;
    pthread_mutex_init(&sol_setup_mutex, NULL);
    pthread_mutex_init(&sol_contexts_mutex, NULL);
}

static int sol_setup(void)
{
    if (__atomic_load_n(&sol_active, __ATOMIC_ACQUIRE)) return 0;
    pthread_mutex_lock(&sol_setup_mutex);
    if (!sol_active) {
        const sol_variant *v = sol_choose(sol_setup_error, sizeof sol_setup_error);
#ifdef SOL_WEIGHTS_FILE
        if (v && sol_map_weights() != 0) v = NULL;
#endif
        if (v) sol_map_ahead(v);
        if (v && sol_point(v) != 0) v = NULL;
        if (v) pthread_atfork(sol_hold, sol_let_go, sol_forked);
        __atomic_store_n(&sol_active, v, __ATOMIC_RELEASE);
    }
    const int ready = sol_active != NULL;
    char text[sizeof sol_setup_error];
    memcpy(text, sol_setup_error, sizeof text);
    pthread_mutex_unlock(&sol_setup_mutex);
    return ready ? 0 : sol_fail("%s", text);
}

/* -- contexts -- */
static sol_context *sol_contexts; /* all there are */

/* A context that a parent left to its child: no thread works for it, and none is in a call with it. */
static void sol_adopt(sol_context *c)
{
    if (c->forks == sol_forks) return;
    c->forks = sol_forks;
    pthread_mutex_init(&c->mutex, NULL);
    pthread_cond_init(&c->changed, NULL);
    if (c->pending) snprintf(c->failure, sizeof c->failure, "the process forked while the call was under way");
    c->has_worker = c->pending = c->busy = 0;
}

static void sol_end_worker(sol_context *c)
{
    sol_adopt(c);
    if (!c->has_worker) return;
    pthread_mutex_lock(&c->mutex);
    c->quit = 1;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->mutex);
    pthread_join(c->worker, NULL);
    c->has_worker = c->quit = 0;
}

static void sol_free(void *context)
{
    sol_context *c = context;
    pthread_mutex_lock(&sol_contexts_mutex);
    if (c->next) c->next->previous = c->previous;
    *(c->previous ? &c->previous->next : &sol_contexts) = c->next;
    pthread_mutex_unlock(&sol_contexts_mutex);
    sol_end_worker(c);
    pthread_mutex_destroy(&c->mutex);
    pthread_cond_destroy(&c->changed);
    sol_release(c);
    free(c);
}

static sol_context *sol_new(void)
{
    if (sol_setup() != 0) return NULL;
    sol_context *c = calloc(1, sizeof *c);
    if (!c) {
        sol_fail("cannot allocate a context");
        return NULL;
    }
    pthread_mutex_init(&c->mutex, NULL);
    pthread_cond_init(&c->changed, NULL);
    c->forks = sol_forks;
    c->capacity = sol_capacity();
    pthread_mutex_lock(&sol_contexts_mutex);
    c->next = sol_contexts;
    if (c->next) c->next->previous = c;
    sol_contexts = c;
    pthread_mutex_unlock(&sol_contexts_mutex);
    if (SOL_SYMBOLS == 0 && sol_prepare(c, NULL) != 0) {
        sol_free(c);
        return NULL;
    }
    return c;
}

static __thread sol_context *sol_own; /* the default context of this thread */
static pthread_key_t sol_key;
static pthread_once_t sol_key_once = PTHREAD_ONCE_INIT;
static int sol_key_made;

static void sol_make_key(void) { sol_key_made = pthread_key_create(&sol_key, sol_free) == 0; }

static sol_context *sol_context_of(void *given)
{
    sol_context *c = given ? given : sol_own;
    if (!c && (c = sol_own = sol_new())) {
        pthread_once(&sol_key_once, sol_make_key);
        if (sol_key_made) pthread_setspecific(sol_key, sol_own); /* freed when the thread ends */
    }
    if (c) sol_adopt(c);
    return c;
}

static void sol_free_own(void)
{
    if (!sol_own) return;
    if (sol_key_made) pthread_setspecific(sol_key, NULL);
    sol_free(sol_own);
    sol_own = NULL;
}

/* When the library is unloaded or the program ends: this thread's context, and all threads of others. Their memory may be in use. */
__attribute__((destructor)) static void sol_unload(void)
{
    sol_free_own();
    if (sol_key_made) pthread_key_delete(sol_key);
    for (sol_context *c = sol_contexts; c; c = c->next) sol_end_worker(c);
    if (!sol_contexts) free(sol_moved);
#ifdef SOL_WEIGHTS_FILE
    if (sol_mapped && !sol_contexts) munmap(sol_mapped, (size_t)sol_mapped_size);
#endif
}

/* -- calls -- */
static int sol_run_job(sol_context *c, sol_job *job)
{
    char text[256];
    int64_t bytes[SOL_SIZE(SOL_OUTPUTS)];
    void *results[SOL_SIZE(SOL_RESULTS)];
    const char *wrong = sol_check_dims(job->dims, text, sizeof text);
    if (wrong) return sol_fail("%s", wrong);
    for (int i = 0; i < SOL_INPUTS; i++)
        if (!job->inputs[i]) return sol_fail("input %d is NULL", i);
    if (sol_prepare(c, job->dims) != 0) return -1;
    for (int i = 0; i < SOL_OUTPUTS; i++) {
        if (!job->outputs[i]) job->outputs[i] = c->memory + c->outputs[i];
        if (sol_result_of[i] >= 0) results[sol_result_of[i]] = job->outputs[i];
    }
    const int threads = c->sizes.serial ? 1 : sol_threads();
    const sol_variant *v = sol_active;
    int64_t stray = 0;
    const sol_call call = {
        .inputs = (void *const *)(uintptr_t)job->inputs,
        .outputs = results,
        .weights = v->pointers,
        .memory = c->memory + c->arena_at,
        .dims = c->values,
        .offsets = c->offsets,
        .arena = c->sizes.arena,
        .shared_scratch = c->sizes.shared_scratch,
        .scratch = c->sizes.scratch,
        .threads = threads < c->capacity ? threads : c->capacity,
        .flush_denormals = SOL_FLUSH_DENORMALS,
        .zeroed = SOL_SYMBOLS == 0,
        .launch = SOL_LAUNCH,
        .stray = &stray,
    };
    v->run(&call);
    if (SOL_CHECK_INDICES && stray) return sol_fail("index out of range in %s", v->checks[stray - 1]);
    sol_output_bytes(job->dims, bytes);
    sol_copy_results(job, v, bytes, results);
    return 0;
}

static void sol_deliver(const sol_job *job)
{
    for (int i = 0; i < SOL_OUTPUTS; i++) memcpy(job->places[i], &job->outputs[i], sizeof(void *));
}

static int sol_take(sol_context *c)
{
    if (!__atomic_exchange_n(&c->busy, 1, __ATOMIC_ACQUIRE)) return 0;
    return sol_fail("the context is in use by another call: every thread needs one of its own");
}

static void sol_give_back(sol_context *c) { __atomic_store_n(&c->busy, 0, __ATOMIC_RELEASE); }

static int sol_fill(sol_job *job)
{
    for (int i = 0; i < SOL_OUTPUTS; i++) {
        if (!job->places[i]) return sol_fail("output %d is NULL: it takes the address of a pointer", i);
        memcpy(&job->outputs[i], job->places[i], sizeof(void *));
    }
    return 0;
}

static int sol_predict(void *context, sol_job *job)
{
    sol_failed = 0;
    sol_context *c = sol_context_of(context);
    if (!c || sol_fill(job) != 0 || sol_take(c) != 0) return -1;
    const int code = sol_run_job(c, job);
    sol_give_back(c);
    if (code == 0) sol_deliver(job);
    return code;
}

static void *sol_work(void *context)
{
    sol_context *c = context;
    pthread_mutex_lock(&c->mutex);
    for (;;) {
        while (!c->pending && !c->quit) pthread_cond_wait(&c->changed, &c->mutex);
        if (!c->pending) break;
        pthread_mutex_unlock(&c->mutex);
        sol_failed = 0;
        if (sol_run_job(c, &c->job) == 0) sol_deliver(&c->job);
        else snprintf(c->failure, sizeof c->failure, "%.255s", sol_error_text);
        sol_give_back(c);
        pthread_mutex_lock(&c->mutex);
        c->pending = 0;
        pthread_cond_broadcast(&c->changed);
    }
    pthread_mutex_unlock(&c->mutex);
    return NULL;
}

/* Until the call under way is over; its failure becomes this thread's error. */
static int sol_finish(sol_context *c)
{
    pthread_mutex_lock(&c->mutex);
    while (c->pending) pthread_cond_wait(&c->changed, &c->mutex);
    const int code = c->failure[0] ? sol_fail("%s", c->failure) : 0;
    c->failure[0] = 0;
    pthread_mutex_unlock(&c->mutex);
    return code;
}

static int sol_predict_async(void *context, sol_job *job)
{
    sol_failed = 0;
    sol_context *c = sol_context_of(context);
    if (!c || sol_finish(c) != 0 || sol_fill(job) != 0 || sol_take(c) != 0) return -1;
    if (!c->has_worker && pthread_create(&c->worker, NULL, sol_work, c) != 0) {
        sol_give_back(c);
        return sol_fail("cannot start a thread");
    }
    pthread_mutex_lock(&c->mutex);
    c->has_worker = 1;
    c->job = *job;
    c->pending = 1;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->mutex);
    return 0;
}
#endif
