/* What a deployed library holds besides its network: types, errors, choice of the instruction set, weights (sol_context.h has the rest).
 * Included once, through sol_context.h, by the file that defines the public functions, which first says what it is for:
 * SOL_INPUTS, SOL_OUTPUTS, SOL_RESULTS (outputs that the network computes), SOL_SYMBOLS, SOL_DECIDED (sizes that the
 * data decides), SOL_VARIANTS, SOL_BUFFERS, SOL_CHUNKS, SOL_FLUSH_DENORMALS, SOL_CHECK_INDICES, SOL_DEFAULT_THREADS;
 * SOL_WEIGHTS_FILE if the weights are a file of that name, and SOL_CHECK_AT_START whether all of it is hashed when it is
 * opened; SOL_NO_THREADS if there is no thread team. */
#ifndef SOL_DEPLOY_H
#define SOL_DEPLOY_H
#include "sol_run.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define SOL_SIZE(n) ((n) > 0 ? (n) : 1) /* of an array that may have no element */

typedef struct {
    int64_t first, last; /* launches between which a buffer lives */
} sol_life;

typedef struct {
    int64_t arena, shared_scratch, scratch;
    int32_t serial; /* one thread finishes sooner than a team could start */
} sol_sizes;

/* A packed constant: where in which piece of the weights. If it is made of that by moves, at tells where in memory, else it is -1. */
typedef struct {
    int32_t chunk;
    int64_t offset, at;
} sol_weight;

/* Runs of units of 16 bytes that are copied, in two loops. */
typedef struct {
    int32_t weight, to, from, run;
    struct {
        int32_t count, to, from;
    } inner, outer;
} sol_move;

/* A piece of the weights: where in the file, or where in this library. */
typedef struct {
    int64_t start, bytes;
    uint64_t hash;
    const char *data;
} sol_chunk;

typedef struct {
    const char *name; /* of the CPU feature */
    uint8_t leaf, subleaf, reg, bit;
} sol_feature;

/* The network for one instruction set. */
typedef struct {
    const char *isa;
    void (*run)(const sol_call *);
    void (*sizes)(const int64_t *dims, int64_t *offsets, sol_sizes *sizes);
    const sol_feature *features;
    const sol_weight *weights;
    void **pointers; /* to the weights, filled when they are there */
    int32_t feature_count, weight_count;
    const sol_move *moves;
    int64_t move_count, moved; /* moved: bytes of what is made by moves */
    const char *const *checks; /* operations whose indices are looked at, by their number less one */
} sol_variant;

typedef struct {
    const void *inputs[SOL_SIZE(SOL_INPUTS)];
    void *outputs[SOL_SIZE(SOL_OUTPUTS)];
    void *places[SOL_SIZE(SOL_OUTPUTS)]; /* addresses of the caller's pointers */
    int64_t dims[SOL_SIZE(SOL_SYMBOLS)];
} sol_job;

/* What one call needs for itself. */
typedef struct sol_context {
    struct sol_context *next, *previous;
    sol_sizes sizes;
    int64_t dims[SOL_SIZE(SOL_SYMBOLS)];                    /* in the order of the interface */
    int64_t values[SOL_SIZE(SOL_SYMBOLS + SOL_DECIDED)];    /* in the order of the network, then what the data decided */
    int64_t offsets[SOL_SIZE(SOL_BUFFERS)], outputs[SOL_SIZE(SOL_OUTPUTS)]; /* outputs: place in memory */
    char *memory, *block;   /* memory: aligned start within block */
    size_t size, block_size; /* size: usable bytes */
    int64_t arena_at;
    int32_t ready, busy, capacity; /* capacity: threads for which there is scratch memory */
    pthread_t worker;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int32_t has_worker, pending, quit, forks; /* forks: of the process when it was made or adopted */
    sol_job job;
    char failure[256];
} sol_context;

/* -- what the including file defines -- */
static const sol_variant sol_variants[SOL_VARIANTS];
static sol_chunk sol_chunks[SOL_SIZE(SOL_CHUNKS)];
static const int sol_order[SOL_SIZE(SOL_SYMBOLS)]; /* symbol of the network → its place in dims */
static void sol_output_bytes(const int64_t *dims, int64_t *bytes);
static const char *sol_check_dims(const int64_t *dims, char *text, size_t size);
static void sol_copy_results(const sol_job *job, const sol_variant *variant, const int64_t *bytes, void *const *results);
static const int sol_result_of[SOL_SIZE(SOL_OUTPUTS)]; /* output → its place among the results of the network, or -1 */

/* -- errors -- */
static __thread char sol_error_text[512];
static __thread int sol_failed;

__attribute__((format(printf, 1, 2))) static int sol_fail(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(sol_error_text, sizeof sol_error_text, format, list);
    va_end(list);
    sol_failed = 1;
    return -1;
}

/* -- instruction set -- */
static int sol_has_feature(const sol_feature *f)
{
#if defined(__x86_64__)
    unsigned r[4] = {0, 0, 0, 0}, low = 0, high;
    __cpuid_count(0, 0, r[0], r[1], r[2], r[3]);
    if (r[0] < f->leaf) return 0;
    __cpuid_count(1, 0, r[0], r[1], r[2], r[3]);
    if (r[2] >> 27 & 1) __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    const unsigned state = strncmp(f->name, "avx512", 6) == 0 ? 0xe6 : strncmp(f->name, "amx", 3) == 0 ? 0x60006 : 6; /* registers that the system saves */
    if ((low & state) != state) return 0;
    __cpuid_count(f->leaf, f->subleaf, r[0], r[1], r[2], r[3]);
    return (int)(r[f->reg] >> f->bit & 1);
#else
    (void)f;
    return 1;
#endif
}

static const sol_variant *sol_choose(char *text, size_t size)
{
    for (int i = 0; i < SOL_VARIANTS; i++) {
        const sol_variant *v = &sol_variants[i];
        const char *lacking = NULL;
        for (int k = 0; k < v->feature_count && !lacking; k++)
            if (!sol_has_feature(&v->features[k])) lacking = v->features[k].name;
        if (!lacking) return v;
        snprintf(text, size, "this CPU lacks %s, which the library was built for", lacking);
    }
    return NULL;
}

/* -- weights -- */

/* 64 bits over n bytes (a multiple of 8): sums of words times odd numbers over blocks of 64 KiB, mixed in order. */
static uint64_t sol_hash(const char *data, int64_t n)
{
    uint64_t hash = (uint64_t)n;
    for (int64_t at = 0; at < n / 8; at += 8192) {
        const int64_t count = n / 8 - at < 8192 ? n / 8 - at : 8192;
        const uint64_t *word = (const uint64_t *)(const void *)data + at;
        uint64_t sum = 0;
        for (int64_t i = 0; i < count; i++) sum += word[i] * ((uint64_t)i * 0x9E3779B97F4A7C14u + 1);
        hash = (hash ^ sum) * 0xD6E8FEB86659FD93u;
        hash ^= hash >> 29;
    }
    return hash;
}

/* The first piece that is not what it was when the library was made, or -1. */
static int sol_damaged_chunk(void)
{
    for (int i = 0; i < SOL_CHUNKS; i++)
        if (sol_hash(sol_chunks[i].data, sol_chunks[i].bytes) != sol_chunks[i].hash) return i;
    return -1;
}

static char sol_setup_error[512];
static const sol_variant *sol_active; /* NULL until everything is ready */
static pthread_mutex_t sol_setup_mutex = PTHREAD_MUTEX_INITIALIZER;

static char *sol_moved; /* memory of constants that are made by moves */

/* Points at the constants of an instruction set, and makes those that are stored in another order. */
static int sol_point(const sol_variant *v)
{
    char *room = NULL;
    if (v->moved && !(sol_moved = calloc(1, (size_t)v->moved + 64))) {
        snprintf(sol_setup_error, sizeof sol_setup_error, "cannot allocate %lld bytes for the weights", (long long)v->moved);
        return -1;
    }
    if (v->moved) room = sol_moved + (64 - (uintptr_t)sol_moved % 64) % 64;
    for (int i = 0; i < v->weight_count; i++) {
        const sol_weight *w = &v->weights[i];
        v->pointers[i] = w->at < 0 ? (void *)(uintptr_t)(sol_chunks[w->chunk].data + w->offset) : room + w->at;
    }
    for (const sol_move *m = v->moves; m < v->moves + v->move_count; m++) {
        const sol_weight *w = &v->weights[m->weight];
        const char *from = sol_chunks[w->chunk].data + w->offset;
        for (int64_t o = 0; o < m->outer.count; o++)
            for (int64_t i = 0; i < m->inner.count; i++)
                memcpy(room + w->at + 16 * (m->to + o * m->outer.to + i * m->inner.to),
                       from + 16 * (m->from + o * m->outer.from + i * m->inner.from), 16 * (size_t)m->run);
    }
    return 0;
}

#ifdef SOL_WEIGHTS_FILE
static char sol_weights_path[4096];
static char *sol_mapped;
static int64_t sol_mapped_size;

/* The file that predict_weights named, else the one beside this library, else the one in the current folder. */
static int sol_open_weights(char *path, size_t size)
{
    Dl_info info;
    if (sol_weights_path[0]) {
        snprintf(path, size, "%s", sol_weights_path);
        return open(path, O_RDONLY | O_CLOEXEC);
    }
    if (dladdr((const void *)sol_open_weights, &info) && info.dli_fname) {
        const char *slash = strrchr(info.dli_fname, '/');
        const int folder = slash ? (int)(slash - info.dli_fname) + 1 : 0;
        snprintf(path, size, "%.*s%s", folder, info.dli_fname, SOL_WEIGHTS_FILE);
        const int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file >= 0) return file;
    }
    const int file = open(SOL_WEIGHTS_FILE, O_RDONLY | O_CLOEXEC);
    if (file >= 0) snprintf(path, size, "%s", SOL_WEIGHTS_FILE);
    return file;
}

static int sol_map_weights(void)
{
    char path[4352];
    struct stat at;
    if (sol_mapped) return 0;
    const int file = sol_open_weights(path, sizeof path);
    if (file < 0) {
        snprintf(sol_setup_error, sizeof sol_setup_error, "cannot open the weights %.300s", path);
        return -1;
    }
    const int64_t size = SOL_CHUNKS ? sol_chunks[SOL_CHUNKS - 1].start + sol_chunks[SOL_CHUNKS - 1].bytes : 0;
    if (fstat(file, &at) != 0 || at.st_size != size) {
        snprintf(sol_setup_error, sizeof sol_setup_error, "the weights %.300s have %lld bytes, not %lld", path, (long long)at.st_size,
                 (long long)size);
        close(file);
        return -1;
    }
    char *data = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED | MAP_POPULATE, file, 0);
    close(file);
    if (data == MAP_FAILED) {
        snprintf(sol_setup_error, sizeof sol_setup_error, "cannot map the weights %.300s", path);
        return -1;
    }
    for (int i = 0; i < SOL_CHUNKS; i++) sol_chunks[i].data = data + sol_chunks[i].start;
    if (SOL_CHECK_AT_START && sol_damaged_chunk() >= 0) {
        snprintf(sol_setup_error, sizeof sol_setup_error, "the weights %.300s are not those that the library was made with", path);
        munmap(data, (size_t)size);
        return -1;
    }
    sol_mapped = data;
    sol_mapped_size = size;
    return 0;
}
#endif
#endif
