/* The CPU as a device: memory is the host's, so that host and device exchange addresses; one device; everything is done at once. */
#define _GNU_SOURCE
#include <pthread.h>

#include "host_library.h"

enum { ALIGNMENT = 64 };

struct sol_stream { int code; char text[256]; };
struct sol_event { double milliseconds; int recorded, timing; };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int no_device(void) { return failure(SOL_ERROR_DEVICE, "the CPU is device 0, and the only one"); }
static int no_memory(void) { return failure(SOL_ERROR_OUT_OF_MEMORY, "the host has no memory left"); }

static int device_count(int32_t *count) { *count = 1; return SOL_OK; }
static int device_properties(int32_t device, sol_device_properties *properties) {
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    if (device) return no_device();
    memset(properties, 0, sizeof *properties);
    snprintf(properties->name, sizeof properties->name, "CPU of the host");
    properties->memory = page * (uint64_t)sysconf(_SC_PHYS_PAGES);
    properties->memory_free = properties->largest = page * (uint64_t)sysconf(_SC_AVPHYS_PAGES);
    properties->alignment = ALIGNMENT;
    properties->units = cores();
    properties->program_kind = SOL_PROGRAM_HOST_LIBRARY;
    properties->flags = SOL_MEMORY_IS_HOST | SOL_IS_CPU;
    return SOL_OK;
}

static int allocate(uint64_t bytes, void **address) {
    *address = NULL;
    /* more than there is would be promised by Linux, and the process ended when it is used */
    if (bytes > (uint64_t)sysconf(_SC_PAGESIZE) * (uint64_t)sysconf(_SC_PHYS_PAGES)) return no_memory();
    return posix_memalign(address, ALIGNMENT, bytes ? bytes : 1) ? no_memory() : SOL_OK;
}
static int device_alloc(int32_t device, uint64_t bytes, uint64_t *address) {
    void *made;
    int code = device ? no_device() : allocate(bytes, &made);
    if (code == SOL_OK) *address = (uint64_t)(uintptr_t)made;
    return code;
}
static int device_release(int32_t device, uint64_t address) {
    if (device) return no_device();
    free((void *)(uintptr_t)address);
    return SOL_OK;
}
static int release_pinned(void *address) { free(address); return SOL_OK; }

static int stream_create(int32_t device, int32_t priority, sol_stream **stream) {
    (void)priority;
    if (device) return no_device();
    *stream = calloc(1, sizeof **stream);
    return *stream ? SOL_OK : no_memory();
}
static int stream_destroy(sol_stream *stream) { free(stream); return SOL_OK; }
static int stream_synchronize(sol_stream *stream) {
    int code = stream->code;
    stream->code = SOL_OK;
    return code == SOL_OK ? SOL_OK : failure(code, stream->text);
}
static int stream_query(sol_stream *stream, int32_t *done) { (void)stream; *done = 1; return SOL_OK; }

static int event_create(int32_t device, int32_t timing, sol_event **event) {
    if (device) return no_device();
    *event = calloc(1, sizeof **event);
    if (!*event) return no_memory();
    (*event)->timing = timing;
    return SOL_OK;
}
static int event_destroy(sol_event *event) { free(event); return SOL_OK; }
static int event_record(sol_event *event, sol_stream *stream) {
    (void)stream;
    event->milliseconds = event->timing ? milliseconds_now() : 0;
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

static int move(uint64_t to, uint64_t from, uint64_t bytes) {
    memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
    return SOL_OK;
}
static int copy_in(sol_stream *stream, uint64_t to, const void *from, uint64_t bytes) { (void)stream; return move(to, (uintptr_t)from, bytes); }
static int copy_out(sol_stream *stream, void *to, uint64_t from, uint64_t bytes) { (void)stream; return move((uintptr_t)to, from, bytes); }
static int copy_within(sol_stream *stream, uint64_t to, uint64_t from, uint64_t bytes) { (void)stream; return move(to, from, bytes); }
static int copy_between(sol_stream *stream, int32_t to_device, uint64_t to, uint64_t from, uint64_t bytes) {
    (void)stream;
    return to_device ? no_device() : move(to, from, bytes);
}
static int fill(sol_stream *stream, uint64_t to, uint8_t value, uint64_t bytes) {
    (void)stream;
    memset((void *)(uintptr_t)to, value, bytes);
    return SOL_OK;
}

static int program_load(int32_t device, const void *image, uint64_t bytes, const char *options, sol_program **program) {
    (void)bytes, (void)options;
    return device ? no_device() : library_load(device, image, program);
}
static int program_unload(sol_program *program) { library_unload(program); return SOL_OK; }
static int program_kernel(sol_program *program, const char *name, sol_kernel **kernel) {
    pthread_mutex_lock(&mutex);
    int code = library_kernel(program, name, kernel);
    pthread_mutex_unlock(&mutex);
    return code;
}
static int launch(sol_stream *stream, sol_kernel *kernel, const sol_argument *arguments, uint32_t count, const uint64_t global[3], const uint64_t local[3]) {
    const void *values[MOST_ARGUMENTS];
    (void)global, (void)local;
    if (count > MOST_ARGUMENTS) return failure(SOL_ERROR_INVALID, "a kernel takes up to 256 arguments");
    for (uint32_t i = 0; i < count; ++i)
        values[i] = arguments[i].kind == SOL_ARGUMENT_ADDRESS ? (const void *)(uintptr_t)arguments[i].address : arguments[i].value;
    int code = entry_of(kernel)(values, count, (int)cores());
    if (code != SOL_OK) {
        stream->code = SOL_ERROR_LAUNCH;
        snprintf(stream->text, sizeof stream->text, "a kernel failed with code %d", code);
    }
    return SOL_OK;
}

static const sol_driver table = {
    SOL_DRIVER_VERSION, sizeof(sol_driver), "host", error_text, device_count, device_properties, device_alloc, device_release, allocate,
    release_pinned, stream_create, stream_destroy, stream_synchronize, stream_query, event_create, event_destroy, event_record, event_wait,
    event_synchronize, event_query, event_elapsed, copy_in, copy_out, copy_within, copy_between, fill, program_load, program_unload,
    program_kernel, launch,
};

const sol_driver *sol_driver_open(uint32_t version, const char **reason) {
    *reason = "it was built for another version of the interface";
    return version == SOL_DRIVER_VERSION ? &table : NULL;
}
