/* An example of a driver: two devices whose memory lies in this process but not at the addresses that it gives away.
 *
 * Addresses are reserved without access, so that reading one on the host faults, as it would on a real device. The same pages are mapped a
 * second time for copies and kernels, at a fixed distance. Everything that may be asynchronous is done at once, which the interface allows.
 * SOL_EXAMPLE_MEMORY: bytes of each device, 4 GiB unless set; a multiple of the page size.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "sol_driver.h"

enum { DEVICES = 2, ALIGNMENT = 4096 };

struct sol_stream { int32_t device; };
struct sol_event { double milliseconds; int recorded, timing; };
struct sol_program { void *library; };
struct sol_kernel { sol_host_kernel entry; };

/* A piece of a device's memory, used or free; pieces are kept in the order of their addresses and cover all of it. */
typedef struct piece { uint64_t offset, bytes; int used; struct piece *next; } piece;

static struct { char *shown, *real; uint64_t bytes; piece *pieces; } device_memory[DEVICES];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local char text[256] = "no error";

static int failure(int code, const char *what) { snprintf(text, sizeof text, "%s", what); return code; }
static const char *error_text(void) { return text; }

/* Where the host finds an address, or NULL where it and so many bytes are in no device. */
static char *real_at(uint64_t address, uint64_t bytes) {
    for (int d = 0; d < DEVICES; ++d) {
        uint64_t start = (uint64_t)(uintptr_t)device_memory[d].shown;
        if (address >= start && address - start <= device_memory[d].bytes && bytes <= device_memory[d].bytes - (address - start))
            return device_memory[d].real + (address - start);
    }
    return NULL;
}

static int device_count(int32_t *count) { *count = DEVICES; return SOL_OK; }
static int device_properties(int32_t device, sol_device_properties *properties) {
    if (device < 0 || device >= DEVICES) return failure(SOL_ERROR_DEVICE, "there are devices 0 and 1");
    memset(properties, 0, sizeof *properties);
    snprintf(properties->name, sizeof properties->name, "example device %d", device);
    pthread_mutex_lock(&mutex);
    for (piece *p = device_memory[device].pieces; p; p = p->next) {
        if (p->used) continue;
        properties->memory_free += p->bytes;
        if (p->bytes > properties->largest) properties->largest = p->bytes;
    }
    pthread_mutex_unlock(&mutex);
    properties->memory = device_memory[device].bytes;
    properties->alignment = ALIGNMENT;
    properties->units = 1;
    properties->program_kind = SOL_PROGRAM_HOST_LIBRARY;
    properties->flags = SOL_IS_SIMULATED;
    return SOL_OK;
}

static int device_alloc(int32_t device, uint64_t bytes, uint64_t *address) {
    if (device < 0 || device >= DEVICES) return failure(SOL_ERROR_DEVICE, "there are devices 0 and 1");
    if (bytes > device_memory[device].bytes) return failure(SOL_ERROR_OUT_OF_MEMORY, "that is more than the device has");
    uint64_t size = bytes ? (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
    int code = SOL_OK;
    pthread_mutex_lock(&mutex);
    piece *p = device_memory[device].pieces;
    while (p && (p->used || p->bytes < size)) p = p->next;
    if (p && p->bytes > size) {
        piece *rest = malloc(sizeof *rest);
        if (rest) {
            *rest = (piece){p->offset + size, p->bytes - size, 0, p->next};
            p->bytes = size;
            p->next = rest;
        }
    }
    if (p) {
        p->used = 1;
        *address = (uint64_t)(uintptr_t)device_memory[device].shown + p->offset;
    } else {
        code = failure(SOL_ERROR_OUT_OF_MEMORY, "no free piece of memory is large enough");
    }
    pthread_mutex_unlock(&mutex);
    return code;
}

static int device_release(int32_t device, uint64_t address) {
    if (device < 0 || device >= DEVICES) return failure(SOL_ERROR_DEVICE, "there are devices 0 and 1");
    uint64_t offset = address - (uint64_t)(uintptr_t)device_memory[device].shown;
    pthread_mutex_lock(&mutex);
    piece *p = device_memory[device].pieces;
    while (p && !(p->used && p->offset == offset)) p = p->next;
    if (p) p->used = 0;
    for (piece *q = device_memory[device].pieces; p && q;) { /* free neighbours become one piece */
        if (!q->used && q->next && !q->next->used) {
            piece *gone = q->next;
            q->bytes += gone->bytes;
            q->next = gone->next;
            free(gone);
        } else {
            q = q->next;
        }
    }
    pthread_mutex_unlock(&mutex);
    return p ? SOL_OK : failure(SOL_ERROR_INVALID, "nothing was allocated at that address");
}

static int alloc_pinned(uint64_t bytes, void **address) {
    *address = NULL;
    return posix_memalign(address, ALIGNMENT, bytes ? bytes : 1) ? failure(SOL_ERROR_OUT_OF_MEMORY, "the host has no memory left") : SOL_OK;
}
static int release_pinned(void *address) { free(address); return SOL_OK; }

static int stream_create(int32_t device, int32_t priority, sol_stream **stream) {
    (void)priority;
    if (device < 0 || device >= DEVICES) return failure(SOL_ERROR_DEVICE, "there are devices 0 and 1");
    *stream = malloc(sizeof **stream);
    if (!*stream) return failure(SOL_ERROR_OUT_OF_MEMORY, "the host has no memory left");
    (*stream)->device = device;
    return SOL_OK;
}
static int stream_destroy(sol_stream *stream) { free(stream); return SOL_OK; }
static int stream_synchronize(sol_stream *stream) { (void)stream; return SOL_OK; }
static int stream_query(sol_stream *stream, int32_t *done) { (void)stream; *done = 1; return SOL_OK; }

static int event_create(int32_t device, int32_t timing, sol_event **event) {
    if (device < 0 || device >= DEVICES) return failure(SOL_ERROR_DEVICE, "there are devices 0 and 1");
    *event = calloc(1, sizeof **event);
    if (!*event) return failure(SOL_ERROR_OUT_OF_MEMORY, "the host has no memory left");
    (*event)->timing = timing;
    return SOL_OK;
}
static int event_destroy(sol_event *event) { free(event); return SOL_OK; }
static int event_record(sol_event *event, sol_stream *stream) {
    struct timespec now;
    (void)stream;
    clock_gettime(CLOCK_MONOTONIC, &now);
    event->milliseconds = now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
    event->recorded = 1;
    return SOL_OK;
}
static int event_wait(sol_event *event, sol_stream *stream) { (void)event; (void)stream; return SOL_OK; }
static int event_synchronize(sol_event *event) { (void)event; return SOL_OK; }
static int event_query(sol_event *event, int32_t *done) { (void)event; *done = 1; return SOL_OK; }
static int event_elapsed(sol_event *start, sol_event *end, double *milliseconds) {
    if (!start->timing || !end->timing) return failure(SOL_ERROR_INVALID, "an event was made without timing");
    if (!start->recorded || !end->recorded) return failure(SOL_ERROR_INVALID, "an event was not recorded");
    *milliseconds = end->milliseconds - start->milliseconds;
    return SOL_OK;
}

static int move(void *to, const void *from, uint64_t bytes) {
    if (!to || !from) return failure(SOL_ERROR_INVALID, "a copy reaches out of the memory of its device");
    memmove(to, from, bytes);
    return SOL_OK;
}
static int copy_in(sol_stream *stream, uint64_t to, const void *from, uint64_t bytes) { (void)stream; return move(real_at(to, bytes), from, bytes); }
static int copy_out(sol_stream *stream, void *to, uint64_t from, uint64_t bytes) { (void)stream; return move(to, real_at(from, bytes), bytes); }
static int copy_within(sol_stream *stream, uint64_t to, uint64_t from, uint64_t bytes) {
    (void)stream;
    return move(real_at(to, bytes), real_at(from, bytes), bytes);
}
static int copy_between(sol_stream *stream, int32_t to_device, uint64_t to, uint64_t from, uint64_t bytes) {
    (void)to_device; /* addresses of both devices are distinct */
    return copy_within(stream, to, from, bytes);
}
static int fill(sol_stream *stream, uint64_t to, uint8_t value, uint64_t bytes) {
    char *place = real_at(to, bytes);
    (void)stream;
    if (!place) return failure(SOL_ERROR_INVALID, "a fill reaches out of the memory of its device");
    memset(place, value, bytes);
    return SOL_OK;
}

static int program_load(int32_t device, const void *image, uint64_t bytes, const char *options, sol_program **program) {
    (void)device, (void)bytes, (void)options;
    *program = malloc(sizeof **program);
    if (!*program) return failure(SOL_ERROR_OUT_OF_MEMORY, "the host has no memory left");
    (*program)->library = dlopen(image, RTLD_NOW | RTLD_LOCAL);
    if ((*program)->library) return SOL_OK;
    free(*program);
    return failure(SOL_ERROR_PROGRAM, dlerror());
}
static int program_unload(sol_program *program) { dlclose(program->library); free(program); return SOL_OK; }
static int program_kernel(sol_program *program, const char *name, sol_kernel **kernel) {
    sol_host_kernel entry = (sol_host_kernel)dlsym(program->library, name);
    if (!entry) return failure(SOL_ERROR_INVALID, "the program has no kernel of that name");
    *kernel = malloc(sizeof **kernel);
    if (!*kernel) return failure(SOL_ERROR_OUT_OF_MEMORY, "the host has no memory left");
    (*kernel)->entry = entry;
    return SOL_OK;
}
static int launch(sol_stream *stream, sol_kernel *kernel, const sol_argument *arguments, uint32_t count, const uint64_t global[3], const uint64_t local[3]) {
    const void *values[256];
    (void)stream, (void)global, (void)local;
    if (count > 256) return failure(SOL_ERROR_INVALID, "a kernel takes up to 256 arguments");
    for (uint32_t i = 0; i < count; ++i) {
        values[i] = arguments[i].kind == SOL_ARGUMENT_ADDRESS ? (arguments[i].address ? real_at(arguments[i].address, 0) : NULL) : arguments[i].value;
        if (arguments[i].kind == SOL_ARGUMENT_ADDRESS && arguments[i].address && !values[i])
            return failure(SOL_ERROR_INVALID, "an argument is no address of a device");
    }
    return kernel->entry(values, count, 1) == SOL_OK ? SOL_OK : failure(SOL_ERROR_LAUNCH, "the kernel failed");
}

static const sol_driver table = {
    SOL_DRIVER_VERSION, sizeof(sol_driver), "example", error_text, device_count, device_properties, device_alloc, device_release, alloc_pinned,
    release_pinned, stream_create, stream_destroy, stream_synchronize, stream_query, event_create, event_destroy, event_record, event_wait,
    event_synchronize, event_query, event_elapsed, copy_in, copy_out, copy_within, copy_between, fill, program_load, program_unload,
    program_kernel, launch,
};

const sol_driver *sol_driver_open(uint32_t version, const char **reason) {
    const char *asked = getenv("SOL_EXAMPLE_MEMORY");
    uint64_t bytes = asked ? strtoull(asked, NULL, 10) : UINT64_C(4) << 30;
    *reason = "it was built for another version of the interface";
    if (version != SOL_DRIVER_VERSION) return NULL;
    *reason = "memory of the device cannot be reserved (SOL_EXAMPLE_MEMORY is a multiple of the page size)";
    for (int d = 0; d < DEVICES; ++d) {
        if (device_memory[d].real) continue;
        int file = memfd_create("sol example device", MFD_CLOEXEC);
        if (file < 0 || bytes % ALIGNMENT || ftruncate(file, (off_t)bytes)) return NULL;
        char *shown = mmap(NULL, bytes, PROT_NONE, MAP_SHARED, file, 0);
        char *real = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        piece *whole = malloc(sizeof *whole);
        close(file);
        if (shown == MAP_FAILED || real == MAP_FAILED || !whole) return NULL;
        *whole = (piece){0, bytes, 0, NULL};
        device_memory[d].shown = shown, device_memory[d].real = real, device_memory[d].bytes = bytes, device_memory[d].pieces = whole;
    }
    return &table;
}
