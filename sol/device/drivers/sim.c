/* A simulated accelerator: several devices with memory of their own, and streams that work through what is queued in threads of their own.
 *
 * Addresses are reserved without access, so that reading one on the host faults, as it would on a real device. The same pages are mapped a
 * second time for copies and kernels, at a fixed distance. A stream's thread starts with the first operation that is really queued: what the
 * caller would wait for anyway is done by the caller where nothing is queued before it.
 *
 * SOL_SIM_DEVICES: how many, 2 unless set. SOL_SIM_MEMORY: bytes of each, 4 GiB unless set. SOL_SIM_LATENCY: microseconds that every operation
 * takes to start; then all are queued. SOL_SIM_FAULTS: "alloc:3,launch:1" lets the third allocation and the first launch fail, once each; names
 * are alloc, copy, launch and lost (the device is gone from its n-th operation on). Tests call sol_sim_inject and sol_sim_alive.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "host_library.h"

enum { MOST_DEVICES = 8, ALIGNMENT = 4096, STAGED = 1 << 16 };

typedef enum { COPY, FILL, LAUNCH, RECORD, WAIT } kind;
typedef enum { FAULT_ALLOC, FAULT_COPY, FAULT_LAUNCH, FAULT_LOST, FAULTS } fault;
static const char *const fault_names[FAULTS] = {"alloc", "copy", "launch", "lost"};

typedef struct operation {
    struct operation *next;
    kind kind;
    char *to, *from;
    uint64_t bytes;
    uint8_t value;
    sol_event *event;
    uint64_t generation;
    sol_host_kernel entry;
    uint32_t count;
    const void **values; /* behind it: the bytes of values */
    char staged[];
} operation;

struct sol_stream {
    int32_t device;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    operation *first, *last;
    int busy, ending, has_thread;
    pthread_t thread;
    int code; /* of queued work, until somebody waits */
    char text[256];
};
struct sol_event {
    atomic_int users;
    int timing, code;
    uint64_t recorded, happened; /* counts of recordings */
    double milliseconds;
};

/* A piece of a device's memory, used or free; pieces are kept in the order of their addresses and cover all of it. */
typedef struct piece { uint64_t offset, bytes; int used; struct piece *next; } piece;
typedef struct area { char *start; uint64_t bytes; struct area *next; } area;

static struct { char *shown, *real; piece *pieces; atomic_int lost; } devices[MOST_DEVICES];
static int32_t count_of_devices;
static uint64_t memory_of_device, latency;
static area *pinned;
static atomic_llong faults[FAULTS];            /* 0: none; n: the n-th from now on */
static atomic_llong alive[4];                  /* allocations, streams, events, programs */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* pieces, pinned areas and programs */
static pthread_mutex_t events_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t event_happened = PTHREAD_COND_INITIALIZER;

static int no_memory(void) { return failure(SOL_ERROR_OUT_OF_MEMORY, "the host has no memory left"); }

static int due(fault which) {
    if (!atomic_load_explicit(&faults[which], memory_order_relaxed)) return 0;
    return atomic_fetch_sub(&faults[which], 1) == 1;
}

/* SOL_OK, or the error for a device that is not there or lost. */
static int check_device(int32_t device) {
    if (device < 0 || device >= count_of_devices) {
        snprintf(error_of_thread, sizeof error_of_thread, "there is no device %d: there are %d, counted from 0", device, count_of_devices);
        return SOL_ERROR_DEVICE;
    }
    if (due(FAULT_LOST)) devices[device].lost = 1;
    return devices[device].lost ? failure(SOL_ERROR_LOST, "the simulated device was taken away") : SOL_OK;
}

/* Where the host finds an address, or NULL where it and so many bytes are in no device. */
static char *real_at(uint64_t address, uint64_t bytes) {
    for (int d = 0; d < count_of_devices; ++d) {
        uint64_t start = (uint64_t)(uintptr_t)devices[d].shown;
        if (address >= start && address - start < memory_of_device && bytes <= memory_of_device - (address - start))
            return devices[d].real + (address - start);
    }
    return NULL;
}

static int device_count(int32_t *count) { *count = count_of_devices; return SOL_OK; }
static int device_properties(int32_t device, sol_device_properties *properties) {
    int code = check_device(device);
    if (code != SOL_OK) return code;
    memset(properties, 0, sizeof *properties);
    snprintf(properties->name, sizeof properties->name, "simulated device %d", device);
    pthread_mutex_lock(&mutex);
    for (piece *p = devices[device].pieces; p; p = p->next) {
        if (p->used) continue;
        properties->memory_free += p->bytes;
        if (p->bytes > properties->largest) properties->largest = p->bytes;
    }
    pthread_mutex_unlock(&mutex);
    properties->memory = memory_of_device;
    properties->alignment = ALIGNMENT;
    properties->units = cores();
    properties->program_kind = SOL_PROGRAM_HOST_LIBRARY;
    properties->flags = SOL_IS_SIMULATED;
    return SOL_OK;
}

static int device_alloc(int32_t device, uint64_t bytes, uint64_t *address) {
    int code = check_device(device);
    if (code != SOL_OK) return code;
    if (bytes > memory_of_device) return failure(SOL_ERROR_OUT_OF_MEMORY, "that is more than the device has");
    if (due(FAULT_ALLOC)) return failure(SOL_ERROR_OUT_OF_MEMORY, "a fault that was asked for");
    uint64_t size = bytes ? (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
    pthread_mutex_lock(&mutex);
    piece *p = devices[device].pieces;
    while (p && (p->used || p->bytes < size)) p = p->next;
    piece *rest = p && p->bytes > size ? malloc(sizeof *rest) : NULL;
    if (rest) {
        *rest = (piece){p->offset + size, p->bytes - size, 0, p->next};
        p->bytes = size;
        p->next = rest;
    }
    if (p) {
        p->used = 1;
        *address = (uint64_t)(uintptr_t)devices[device].shown + p->offset;
        ++alive[0];
    } else {
        code = failure(SOL_ERROR_OUT_OF_MEMORY, "no free piece of its memory is large enough");
    }
    pthread_mutex_unlock(&mutex);
    return code;
}

/* Also of a lost device, so that the host's part of it is given back. */
static int device_release(int32_t device, uint64_t address) {
    if (device < 0 || device >= count_of_devices) return check_device(device);
    uint64_t offset = address - (uint64_t)(uintptr_t)devices[device].shown;
    pthread_mutex_lock(&mutex);
    piece *before = NULL, *p = devices[device].pieces;
    while (p && !(p->used && p->offset == offset)) {
        before = p;
        p = p->next;
    }
    if (p) {
        p->used = 0;
        --alive[0];
        madvise(devices[device].real + p->offset, p->bytes, MADV_REMOVE); /* the host has its pages back */
        for (piece *q = before && !before->used ? before : p; q->next && !q->next->used;) { /* free neighbours become one piece */
            piece *gone = q->next;
            q->bytes += gone->bytes;
            q->next = gone->next;
            free(gone);
        }
    }
    pthread_mutex_unlock(&mutex);
    return p ? SOL_OK : failure(SOL_ERROR_INVALID, "nothing was allocated at that address");
}

static int alloc_pinned(uint64_t bytes, void **address) {
    area *made = malloc(sizeof *made);
    *address = NULL;
    if (!made || posix_memalign(address, ALIGNMENT, bytes ? bytes : 1)) {
        free(made);
        return no_memory();
    }
    pthread_mutex_lock(&mutex);
    *made = (area){*address, bytes, pinned};
    pinned = made;
    pthread_mutex_unlock(&mutex);
    return SOL_OK;
}
static int release_pinned(void *address) {
    pthread_mutex_lock(&mutex);
    area **place = &pinned;
    while (*place && (*place)->start != address) place = &(*place)->next;
    area *gone = *place;
    if (gone) *place = gone->next;
    pthread_mutex_unlock(&mutex);
    if (!gone) return failure(SOL_ERROR_INVALID, "no pinned memory starts there");
    free(gone);
    free(address);
    return SOL_OK;
}
static int is_pinned(const void *address) {
    pthread_mutex_lock(&mutex);
    area *found = pinned;
    while (found && !((const char *)address >= found->start && (const char *)address < found->start + found->bytes)) found = found->next;
    pthread_mutex_unlock(&mutex);
    return found != NULL;
}

static void let_go(sol_event *event) {
    if (atomic_fetch_sub(&event->users, 1) != 1) return;
    free(event);
    --alive[2];
}

static void fail_stream(sol_stream *stream, int code, const char *what) {
    if (stream->code != SOL_OK) return; /* the first error is what caused the others */
    stream->code = code;
    snprintf(stream->text, sizeof stream->text, "%s", what);
}

/* Run by one thread at a time for each stream. */
static void perform(sol_stream *stream, operation *op) {
    int works = !devices[stream->device].lost;
    if (latency) usleep((useconds_t)latency);
    if (!works) fail_stream(stream, SOL_ERROR_LOST, "the simulated device was taken away");
    if (op->kind == RECORD) {
        pthread_mutex_lock(&events_mutex);
        op->event->happened = op->generation;
        op->event->code = stream->code;
        op->event->milliseconds = milliseconds_now();
        pthread_cond_broadcast(&event_happened);
        pthread_mutex_unlock(&events_mutex);
    } else if (op->kind == WAIT) {
        pthread_mutex_lock(&events_mutex);
        while (op->event->happened < op->generation) pthread_cond_wait(&event_happened, &events_mutex);
        pthread_mutex_unlock(&events_mutex);
    } else if (works && op->kind == COPY) {
        memmove(op->to, op->from, op->bytes);
    } else if (works && op->kind == FILL) {
        memset(op->to, op->value, op->bytes);
    } else if (works) {
        int code = op->entry(op->values, op->count, (int)cores());
        char what[64];
        snprintf(what, sizeof what, "a kernel failed with code %d", code);
        if (code != SOL_OK) fail_stream(stream, SOL_ERROR_LAUNCH, what);
    }
    if (op->event) let_go(op->event);
}

static void *work(void *of) {
    sol_stream *stream = of;
    pthread_mutex_lock(&stream->mutex);
    for (;;) {
        while ((!stream->first || stream->busy) && !(stream->ending && !stream->first)) pthread_cond_wait(&stream->changed, &stream->mutex);
        if (!stream->first) break;
        operation *op = stream->first;
        stream->busy = 1;
        pthread_mutex_unlock(&stream->mutex);
        perform(stream, op);
        pthread_mutex_lock(&stream->mutex);
        stream->first = op->next;
        if (!stream->first) stream->last = NULL;
        stream->busy = 0;
        free(op);
        pthread_cond_broadcast(&stream->changed);
    }
    pthread_mutex_unlock(&stream->mutex);
    return NULL;
}

static void wait_until_idle(sol_stream *stream) {
    while (stream->first || stream->busy) pthread_cond_wait(&stream->changed, &stream->mutex);
}

/* Queues a copy of an operation. */
static int append(sol_stream *stream, const operation *op, const void *staged, uint64_t bytes) {
    operation *made = malloc(sizeof *made + bytes);
    if (!made) return no_memory();
    *made = *op;
    if (bytes) memcpy(made->staged, staged, bytes);
    if (op->kind == COPY && bytes) made->from = made->staged;
    if (op->event) atomic_fetch_add(&op->event->users, 1);
    pthread_mutex_lock(&stream->mutex);
    if (!stream->has_thread) {
        if (pthread_create(&stream->thread, NULL, work, stream)) {
            pthread_mutex_unlock(&stream->mutex);
            if (op->event) let_go(op->event);
            free(made);
            return failure(SOL_ERROR_OUT_OF_MEMORY, "no thread for a stream can be started");
        }
        stream->has_thread = 1;
    }
    if (stream->last) stream->last->next = made;
    else stream->first = made;
    stream->last = made;
    pthread_cond_broadcast(&stream->changed);
    pthread_mutex_unlock(&stream->mutex);
    return SOL_OK;
}

/* The error of what was queued before; whoever hears of it takes it away. The stream's mutex is held. */
static int heard(sol_stream *stream) {
    int code = stream->code;
    stream->code = SOL_OK;
    return code == SOL_OK ? SOL_OK : failure(code, stream->text);
}

/* Does an operation in the calling thread. only_if_idle: returns -1 where something is queued before it, and does nothing. */
static int at_once(sol_stream *stream, operation *op, int only_if_idle) {
    pthread_mutex_lock(&stream->mutex);
    if (only_if_idle && (stream->first || stream->busy || latency)) {
        pthread_mutex_unlock(&stream->mutex);
        return -1;
    }
    wait_until_idle(stream);
    stream->busy = 1;
    pthread_mutex_unlock(&stream->mutex);
    if (op->event) atomic_fetch_add(&op->event->users, 1);
    perform(stream, op);
    pthread_mutex_lock(&stream->mutex);
    stream->busy = 0;
    int code = only_if_idle ? SOL_OK : heard(stream);
    if (stream->has_thread) pthread_cond_broadcast(&stream->changed);
    pthread_mutex_unlock(&stream->mutex);
    return code;
}

static int stream_create(int32_t device, int32_t priority, sol_stream **stream) {
    int code = check_device(device);
    (void)priority;
    if (code != SOL_OK) return code;
    sol_stream *made = calloc(1, sizeof *made);
    if (!made) return no_memory();
    made->device = device;
    pthread_mutex_init(&made->mutex, NULL);
    pthread_cond_init(&made->changed, NULL);
    *stream = made;
    ++alive[1];
    return SOL_OK;
}
static int stream_destroy(sol_stream *stream) {
    pthread_mutex_lock(&stream->mutex);
    wait_until_idle(stream);
    stream->ending = 1;
    pthread_cond_broadcast(&stream->changed);
    pthread_mutex_unlock(&stream->mutex);
    if (stream->has_thread) pthread_join(stream->thread, NULL);
    pthread_cond_destroy(&stream->changed);
    pthread_mutex_destroy(&stream->mutex);
    free(stream);
    --alive[1];
    return SOL_OK;
}
static int stream_synchronize(sol_stream *stream) {
    pthread_mutex_lock(&stream->mutex);
    wait_until_idle(stream);
    int code = heard(stream);
    pthread_mutex_unlock(&stream->mutex);
    return code == SOL_OK ? check_device(stream->device) : code;
}
static int stream_query(sol_stream *stream, int32_t *done) {
    pthread_mutex_lock(&stream->mutex);
    *done = !stream->first && !stream->busy;
    pthread_mutex_unlock(&stream->mutex);
    return SOL_OK;
}

static int event_create(int32_t device, int32_t timing, sol_event **event) {
    int code = check_device(device);
    if (code != SOL_OK) return code;
    *event = calloc(1, sizeof **event);
    if (!*event) return no_memory();
    (*event)->timing = timing;
    atomic_init(&(*event)->users, 1);
    ++alive[2];
    return SOL_OK;
}
static int event_destroy(sol_event *event) { let_go(event); return SOL_OK; }
static int event_record(sol_event *event, sol_stream *stream) {
    operation op = {.kind = RECORD, .event = event};
    pthread_mutex_lock(&events_mutex);
    op.generation = ++event->recorded;
    pthread_mutex_unlock(&events_mutex);
    int code = at_once(stream, &op, 1);
    return code >= 0 ? code : append(stream, &op, NULL, 0);
}
static int event_wait(sol_event *event, sol_stream *stream) {
    operation op = {.kind = WAIT, .event = event};
    pthread_mutex_lock(&events_mutex);
    op.generation = event->recorded;
    int happened = event->happened >= op.generation;
    pthread_mutex_unlock(&events_mutex);
    return happened ? SOL_OK : append(stream, &op, NULL, 0);
}
static int event_synchronize(sol_event *event) {
    pthread_mutex_lock(&events_mutex);
    uint64_t generation = event->recorded;
    while (event->happened < generation) pthread_cond_wait(&event_happened, &events_mutex);
    int code = event->code;
    event->code = SOL_OK;
    pthread_mutex_unlock(&events_mutex);
    return code == SOL_OK ? SOL_OK : failure(code, "work that was queued before the event failed");
}
static int event_query(sol_event *event, int32_t *done) {
    pthread_mutex_lock(&events_mutex);
    *done = event->happened >= event->recorded;
    pthread_mutex_unlock(&events_mutex);
    return SOL_OK;
}
static int event_elapsed(sol_event *start, sol_event *end, double *milliseconds) {
    pthread_mutex_lock(&events_mutex);
    int usable = start->recorded && end->recorded && start->happened >= start->recorded && end->happened >= end->recorded;
    *milliseconds = end->milliseconds - start->milliseconds;
    pthread_mutex_unlock(&events_mutex);
    if (!start->timing || !end->timing) return failure(SOL_ERROR_INVALID, "an event was made without timing");
    return usable ? SOL_OK : failure(SOL_ERROR_INVALID, "an event was not recorded, or has not happened");
}

static int can_copy(sol_stream *stream, const char *to, const char *from) {
    int code = check_device(stream->device);
    if (code != SOL_OK) return code;
    if (!to || !from) return failure(SOL_ERROR_INVALID, "a copy reaches out of the memory of its device");
    return due(FAULT_COPY) ? failure(SOL_ERROR_LAUNCH, "a fault that was asked for") : SOL_OK;
}
static int copy_in(sol_stream *stream, uint64_t to, const void *from, uint64_t bytes) {
    operation op = {.kind = COPY, .to = real_at(to, bytes), .from = (char *)(uintptr_t)from, .bytes = bytes};
    int code = can_copy(stream, op.to, op.from);
    if (code != SOL_OK) return code;
    if (is_pinned(from)) return append(stream, &op, NULL, 0);
    code = at_once(stream, &op, 1);
    if (code >= 0) return code;
    return bytes <= STAGED ? append(stream, &op, from, bytes) : at_once(stream, &op, 0);
}
static int copy_out(sol_stream *stream, void *to, uint64_t from, uint64_t bytes) {
    operation op = {.kind = COPY, .to = to, .from = real_at(from, bytes), .bytes = bytes};
    int code = can_copy(stream, op.to, op.from);
    if (code != SOL_OK) return code;
    return is_pinned(to) ? append(stream, &op, NULL, 0) : at_once(stream, &op, 0);
}
static int copy_within(sol_stream *stream, uint64_t to, uint64_t from, uint64_t bytes) {
    operation op = {.kind = COPY, .to = real_at(to, bytes), .from = real_at(from, bytes), .bytes = bytes};
    int code = can_copy(stream, op.to, op.from);
    if (code != SOL_OK) return code;
    code = bytes <= STAGED ? at_once(stream, &op, 1) : -1;
    return code >= 0 ? code : append(stream, &op, NULL, 0);
}
static int copy_between(sol_stream *stream, int32_t to_device, uint64_t to, uint64_t from, uint64_t bytes) {
    int code = check_device(to_device);
    return code == SOL_OK ? copy_within(stream, to, from, bytes) : code; /* addresses of all devices are distinct */
}
static int fill(sol_stream *stream, uint64_t to, uint8_t value, uint64_t bytes) {
    operation op = {.kind = FILL, .to = real_at(to, bytes), .bytes = bytes, .value = value};
    int code = can_copy(stream, op.to, op.to);
    if (code != SOL_OK) return code;
    code = bytes <= STAGED ? at_once(stream, &op, 1) : -1;
    return code >= 0 ? code : append(stream, &op, NULL, 0);
}

static int program_load(int32_t device, const void *image, uint64_t bytes, const char *options, sol_program **program) {
    (void)bytes, (void)options;
    int code = check_device(device);
    if (code == SOL_OK) code = library_load(device, image, program);
    if (code == SOL_OK) ++alive[3];
    return code;
}
static int program_unload(sol_program *program) {
    library_unload(program);
    --alive[3];
    return SOL_OK;
}
static int program_kernel(sol_program *program, const char *name, sol_kernel **kernel) {
    pthread_mutex_lock(&mutex);
    int code = library_kernel(program, name, kernel);
    pthread_mutex_unlock(&mutex);
    return code;
}

/* Values lie behind the operation: first the pointers, then the bytes that they point to. */
static int launch(sol_stream *stream, sol_kernel *kernel, const sol_argument *arguments, uint32_t count, const uint64_t global[3], const uint64_t local[3]) {
    uint64_t bytes = count * sizeof(void *);
    (void)global, (void)local;
    int code = check_device(stream->device);
    if (code != SOL_OK) return code;
    if (count > MOST_ARGUMENTS) return failure(SOL_ERROR_INVALID, "a kernel takes up to 256 arguments");
    if (due(FAULT_LAUNCH)) return failure(SOL_ERROR_LAUNCH, "a fault that was asked for");
    for (uint32_t i = 0; i < count; ++i) {
        if (arguments[i].kind == SOL_ARGUMENT_BYTES) bytes += (arguments[i].bytes + 15) / 16 * 16;
        else if (arguments[i].address && !real_at(arguments[i].address, 0)) return failure(SOL_ERROR_INVALID, "an argument is no address of a device");
        if (arguments[i].kind == SOL_ARGUMENT_BYTES && arguments[i].bytes > MOST_BYTES) return failure(SOL_ERROR_INVALID, "a value has over 4096 bytes");
    }
    operation *op = calloc(1, sizeof *op + bytes + 16);
    if (!op) return no_memory();
    op->kind = LAUNCH, op->entry = entry_of(kernel), op->count = count;
    op->values = (const void **)(void *)op->staged;
    char *place = op->staged + count * sizeof(void *);
    for (uint32_t i = 0; i < count; ++i) {
        if (arguments[i].kind == SOL_ARGUMENT_BYTES) {
            memcpy(place, arguments[i].value, arguments[i].bytes);
            op->values[i] = place;
            place += (arguments[i].bytes + 15) / 16 * 16;
        } else {
            op->values[i] = arguments[i].address ? real_at(arguments[i].address, 0) : NULL;
        }
    }
    pthread_mutex_lock(&stream->mutex);
    int starts = stream->has_thread || !pthread_create(&stream->thread, NULL, work, stream);
    if (starts) {
        stream->has_thread = 1;
        if (stream->last) stream->last->next = op;
        else stream->first = op;
        stream->last = op;
        pthread_cond_broadcast(&stream->changed);
    }
    pthread_mutex_unlock(&stream->mutex);
    if (starts) return SOL_OK;
    free(op);
    return failure(SOL_ERROR_OUT_OF_MEMORY, "no thread for a stream can be started");
}

static const sol_driver table = {
    SOL_DRIVER_VERSION, sizeof(sol_driver), "sim", error_text, device_count, device_properties, device_alloc, device_release, alloc_pinned,
    release_pinned, stream_create, stream_destroy, stream_synchronize, stream_query, event_create, event_destroy, event_record, event_wait,
    event_synchronize, event_query, event_elapsed, copy_in, copy_out, copy_within, copy_between, fill, program_load, program_unload,
    program_kernel, launch,
};

/* The n-th operation of a kind from now on fails, or with "lost" takes its device away; 0: none does. Returns 0 for an unknown kind. */
int sol_sim_inject(const char *what, int64_t nth) {
    for (int i = 0; i < FAULTS; ++i)
        if (!strcmp(what, fault_names[i])) return atomic_store(&faults[i], nth), 1;
    return 0;
}

/* What is allocated, in the order: allocations, streams, events, programs. */
int64_t sol_sim_alive(int which) { return which >= 0 && which < 4 ? atomic_load(&alive[which]) : -1; }

static int read_faults(const char *text) {
    char name[16];
    long long nth;
    for (int length; *text; text += length + (text[length] == ','))
        if (sscanf(text, "%15[a-z]:%lld%n", name, &nth, &length) != 2 || !sol_sim_inject(name, nth)) return 0;
    return 1;
}

const sol_driver *sol_driver_open(uint32_t version, const char **reason) {
    *reason = "it was built for another version of the interface";
    if (version != SOL_DRIVER_VERSION) return NULL;
    if (count_of_devices) return &table;
    uint64_t count = number_of("SOL_SIM_DEVICES", 2), bytes = number_of("SOL_SIM_MEMORY", UINT64_C(4) << 30);
    *reason = "SOL_SIM_DEVICES is a number up to 8, SOL_SIM_MEMORY a multiple of 4096";
    if (count > MOST_DEVICES || !bytes || bytes % ALIGNMENT) return NULL;
    *reason = "SOL_SIM_FAULTS is a list as \"alloc:3,launch:1\" of alloc, copy, launch and lost";
    if (!read_faults(getenv("SOL_SIM_FAULTS") ? getenv("SOL_SIM_FAULTS") : "")) return NULL;
    *reason = "the memory of its devices cannot be reserved: make SOL_SIM_MEMORY smaller";
    latency = number_of("SOL_SIM_LATENCY", 0);
    memory_of_device = bytes;
    for (uint64_t d = 0; d < count; ++d) {
        int file = memfd_create("sol simulated device", MFD_CLOEXEC);
        if (file < 0 || ftruncate(file, (off_t)bytes)) return NULL;
        char *shown = mmap(NULL, bytes, PROT_NONE, MAP_SHARED, file, 0);
        char *real = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        piece *whole = malloc(sizeof *whole);
        close(file);
        if (shown == MAP_FAILED || real == MAP_FAILED || !whole) return NULL;
        *whole = (piece){0, bytes, 0, NULL};
        devices[d].shown = shown, devices[d].real = real, devices[d].pieces = whole;
    }
    count_of_devices = (int32_t)count;
    return &table;
}
