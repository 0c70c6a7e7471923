/* Devices of OpenCL 1.2 or later: their library, libOpenCL.so.1, is loaded at run time, and its functions and constants are declared here from the
 * public specification, so that a C compiler alone builds this driver.
 *
 * OpenCL has handles of buffers where this interface has addresses. So every allocation reserves as many addresses of the process, without access:
 * they are distinct, can be added to, and fault where the host reads one by mistake. An address is looked up among the allocations, which are
 * kept in order, and becomes a buffer and an offset. A stream is a queue in order.
 *
 * SOL_OPENCL_TYPE: "cpu", "gpu" or "accelerator", which devices are used; all unless set. SOL_OPENCL_MEMORY: bytes that are allocated of each
 * device at most. sol_opencl_trace and sol_opencl_times tell when launches were queued, started and ended.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>

#include "common.h"

typedef struct cl_object *cl_handle; /* platforms, devices, contexts, queues, buffers, programs, kernels and events are opaque */
typedef int32_t cl_code;

enum { CL_SUCCESS = 0, CL_DEVICE_NOT_FOUND = -1, CL_DEVICE_NOT_AVAILABLE = -2, CL_NO_BUFFER = -4, CL_OUT_OF_RESOURCES = -5, CL_OUT_OF_HOST_MEMORY = -6 };
enum { CL_INVALID_BUFFER_SIZE = -61, CL_PLATFORM_NOT_FOUND = -1001 };
enum { CL_TYPE_CPU = 2, CL_TYPE_GPU = 4, CL_TYPE_ACCELERATOR = 8 };
enum { CL_QUEUE_PROFILING = 2, CL_MEM_READ_WRITE = 1, CL_COMPLETE = 0 };
enum {
    CL_DEVICE_TYPE = 0x1000, CL_DEVICE_UNITS = 0x1002, CL_DEVICE_LARGEST = 0x1010, CL_DEVICE_MEMORY = 0x101F, CL_DEVICE_LOCAL_MEMORY = 0x1023,
    CL_DEVICE_AVAILABLE = 0x1027, CL_DEVICE_COMPILER = 0x1028, CL_DEVICE_NAME = 0x102B, CL_DEVICE_VERSION = 0x102F,
    CL_PROGRAM_BUILD_LOG = 0x1183, CL_KERNEL_ARGUMENTS = 0x1191, CL_EVENT_STATUS = 0x11D3,
    CL_TIME_QUEUED = 0x1280, CL_TIME_START = 0x1282, CL_TIME_END = 0x1283,
};

#define WAITS uint32_t waits, const cl_handle *wait, cl_handle *event
/* result, name without "cl", parameters */
#define FUNCTIONS(X) \
    X(cl_code, GetPlatformIDs, (uint32_t most, cl_handle *platforms, uint32_t *count)) \
    X(cl_code, GetDeviceIDs, (cl_handle platform, uint64_t type, uint32_t most, cl_handle *devices, uint32_t *count)) \
    X(cl_code, GetDeviceInfo, (cl_handle device, uint32_t what, size_t bytes, void *value, size_t *written)) \
    X(cl_handle, CreateContext, (const intptr_t *properties, uint32_t count, const cl_handle *devices, void *report, void *user, cl_code *code)) \
    X(cl_handle, CreateCommandQueue, (cl_handle context, cl_handle device, uint64_t properties, cl_code *code)) \
    X(cl_code, ReleaseCommandQueue, (cl_handle queue)) \
    X(cl_handle, CreateBuffer, (cl_handle context, uint64_t flags, size_t bytes, void *host, cl_code *code)) \
    X(cl_code, ReleaseMemObject, (cl_handle buffer)) \
    X(cl_code, EnqueueReadBuffer, (cl_handle queue, cl_handle from, uint32_t blocking, size_t offset, size_t bytes, void *to, WAITS)) \
    X(cl_code, EnqueueWriteBuffer, (cl_handle queue, cl_handle to, uint32_t blocking, size_t offset, size_t bytes, const void *from, WAITS)) \
    X(cl_code, EnqueueCopyBuffer, (cl_handle queue, cl_handle from, cl_handle to, size_t from_offset, size_t to_offset, size_t bytes, WAITS)) \
    X(cl_code, EnqueueFillBuffer, (cl_handle queue, cl_handle to, const void *pattern, size_t size, size_t offset, size_t bytes, WAITS)) \
    X(cl_code, EnqueueMarkerWithWaitList, (cl_handle queue, WAITS)) \
    X(cl_code, EnqueueBarrierWithWaitList, (cl_handle queue, WAITS)) \
    X(cl_code, Flush, (cl_handle queue)) \
    X(cl_code, Finish, (cl_handle queue)) \
    X(cl_code, WaitForEvents, (uint32_t count, const cl_handle *events)) \
    X(cl_code, GetEventInfo, (cl_handle event, uint32_t what, size_t bytes, void *value, size_t *written)) \
    X(cl_code, GetEventProfilingInfo, (cl_handle event, uint32_t what, size_t bytes, void *value, size_t *written)) \
    X(cl_code, SetEventCallback, (cl_handle event, cl_code when, void (*call)(cl_handle, cl_code, void *), void *user)) \
    X(cl_code, RetainEvent, (cl_handle event)) \
    X(cl_code, ReleaseEvent, (cl_handle event)) \
    X(cl_handle, CreateProgramWithSource, (cl_handle context, uint32_t count, const char **texts, const size_t *lengths, cl_code *code)) \
    X(cl_code, BuildProgram, (cl_handle program, uint32_t count, const cl_handle *devices, const char *options, void *report, void *user)) \
    X(cl_code, GetProgramBuildInfo, (cl_handle program, cl_handle device, uint32_t what, size_t bytes, void *value, size_t *written)) \
    X(cl_code, ReleaseProgram, (cl_handle program)) \
    X(cl_handle, CreateKernel, (cl_handle program, const char *name, cl_code *code)) \
    X(cl_code, ReleaseKernel, (cl_handle kernel)) \
    X(cl_code, GetKernelInfo, (cl_handle kernel, uint32_t what, size_t bytes, void *value, size_t *written)) \
    X(cl_code, SetKernelArg, (cl_handle kernel, uint32_t index, size_t bytes, const void *value)) \
    X(cl_code, EnqueueNDRangeKernel, (cl_handle queue, cl_handle kernel, uint32_t dimensions, const size_t *first, const size_t *global, const size_t *local, WAITS))

#define MEMBER(result, name, parameters) result (*name) parameters;
static struct { FUNCTIONS(MEMBER) } cl;

enum { MOST_DEVICES = 16, MOST_PLATFORMS = 16, ALIGNMENT = 4096, STAGED = 1 << 20, FLUSHED = 8, MOST_TRACED = 1 << 14 };

typedef struct { uint64_t start, bytes; cl_handle buffer; int32_t device; } allocation;
typedef struct area { char *start; uint64_t bytes; struct area *next; } area;

struct sol_stream { int32_t device; cl_handle queue, last; uint32_t unflushed; pthread_mutex_t mutex; };
struct sol_event { int32_t device; int timing; cl_handle recorded; };
struct sol_kernel { cl_handle kernel; uint32_t count; struct sol_kernel *next; };
struct sol_program { cl_handle program; int32_t device; sol_kernel *kernels; };

static struct { cl_handle id, context, copies; uint64_t used; } devices[MOST_DEVICES];
static int32_t count_of_devices;
static uint64_t most_memory;
static allocation *allocations; /* in order of addresses */
static size_t allocated, room;
static area *pinned;
static cl_handle *traced;
static uint32_t count_of_traced;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;       /* allocations, pinned areas, events, the trace */
static pthread_mutex_t launch_mutex = PTHREAD_MUTEX_INITIALIZER; /* arguments of kernels, until they are queued */

static int no_memory(void) { return failure(SOL_ERROR_OUT_OF_MEMORY, "the host has no memory left"); }

/* A code of OpenCL as one of ours. */
static int told(cl_code code, int otherwise, const char *what) {
    if (code == CL_SUCCESS) return SOL_OK;
    int memory = code == CL_NO_BUFFER || code == CL_OUT_OF_RESOURCES || code == CL_OUT_OF_HOST_MEMORY || code == CL_INVALID_BUFFER_SIZE;
    snprintf(error_of_thread, sizeof error_of_thread, "%s: OpenCL gave the error %d%s", what, code, memory ? " (no memory or resources left)" : "");
    return memory ? SOL_ERROR_OUT_OF_MEMORY : code == CL_DEVICE_NOT_AVAILABLE ? SOL_ERROR_LOST : otherwise;
}

static int check_device(int32_t device) {
    if (device >= 0 && device < count_of_devices) return SOL_OK;
    snprintf(error_of_thread, sizeof error_of_thread, "there is no device %d: there are %d, counted from 0", device, count_of_devices);
    return SOL_ERROR_DEVICE;
}

static uint64_t fact(int32_t device, uint32_t what, size_t bytes) {
    uint64_t value = 0;
    return cl.GetDeviceInfo(devices[device].id, what, bytes, &value, NULL) == CL_SUCCESS ? value : 0;
}

static uint64_t memory_of(int32_t device) {
    uint64_t bytes = fact(device, CL_DEVICE_MEMORY, 8);
    return most_memory && most_memory < bytes ? most_memory : bytes;
}

static int device_count(int32_t *count) { *count = count_of_devices; return SOL_OK; }
static int device_properties(int32_t device, sol_device_properties *properties) {
    int code = check_device(device);
    if (code != SOL_OK) return code;
    memset(properties, 0, sizeof *properties);
    char name[512] = "";
    cl.GetDeviceInfo(devices[device].id, CL_DEVICE_NAME, sizeof name - 1, name, NULL);
    snprintf(properties->name, sizeof properties->name, "%.127s", name);
    pthread_mutex_lock(&mutex);
    properties->memory = memory_of(device);
    properties->memory_free = properties->memory > devices[device].used ? properties->memory - devices[device].used : 0;
    pthread_mutex_unlock(&mutex);
    uint64_t largest = fact(device, CL_DEVICE_LARGEST, 8), type = fact(device, CL_DEVICE_TYPE, 8);
    properties->largest = largest < properties->memory_free ? largest : properties->memory_free;
    properties->alignment = ALIGNMENT;
    properties->units = (uint32_t)fact(device, CL_DEVICE_UNITS, 4);
    properties->local_memory = (uint32_t)fact(device, CL_DEVICE_LOCAL_MEMORY, 8);
    properties->program_kind = SOL_PROGRAM_OPENCL_C;
    properties->flags = (type & CL_TYPE_GPU ? SOL_IS_GPU : 0) | (type & CL_TYPE_CPU ? SOL_IS_CPU : 0);
    return SOL_OK;
}

/* The place of the first allocation that starts behind an address. */
static size_t place_behind(uint64_t address) {
    size_t low = 0, high = allocated;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (allocations[middle].start <= address) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* The allocation in which an address and so many bytes lie. */
static int find(uint64_t address, uint64_t bytes, allocation *found) {
    pthread_mutex_lock(&mutex);
    size_t behind = place_behind(address);
    int inside = behind > 0;
    if (inside) {
        *found = allocations[behind - 1];
        uint64_t offset = address - found->start;
        inside = offset <= found->bytes && bytes <= found->bytes - offset;
    }
    pthread_mutex_unlock(&mutex);
    return inside;
}

static int keep(const allocation *made) {
    if (allocated == room) {
        size_t more = room ? 2 * room : 64;
        allocation *larger = realloc(allocations, more * sizeof *larger);
        if (!larger) return 0;
        allocations = larger, room = more;
    }
    size_t place = place_behind(made->start);
    memmove(allocations + place + 1, allocations + place, (allocated - place) * sizeof *allocations);
    allocations[place] = *made;
    ++allocated;
    return 1;
}

static int device_alloc(int32_t device, uint64_t bytes, uint64_t *address) {
    int code = check_device(device);
    if (code != SOL_OK) return code;
    uint64_t memory = memory_of(device), size = bytes > memory ? bytes : bytes ? (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
    pthread_mutex_lock(&mutex);
    int fits = size <= memory && devices[device].used <= memory - size;
    if (fits) devices[device].used += size;
    pthread_mutex_unlock(&mutex);
    if (!fits) return failure(SOL_ERROR_OUT_OF_MEMORY, "that is more than the device has left");
    cl_code found = CL_SUCCESS;
    allocation made = {0, size, cl.CreateBuffer(devices[device].context, CL_MEM_READ_WRITE, size, NULL, &found), device};
    void *shown = MAP_FAILED;
    if (found != CL_SUCCESS) code = told(found, SOL_ERROR_OUT_OF_MEMORY, "a buffer");
    else if ((shown = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) == MAP_FAILED) code = no_memory();
    made.start = (uint64_t)(uintptr_t)shown;
    pthread_mutex_lock(&mutex);
    if (code == SOL_OK && !keep(&made)) code = no_memory();
    if (code != SOL_OK) devices[device].used -= size;
    pthread_mutex_unlock(&mutex);
    if (code == SOL_OK) {
        *address = made.start;
        return SOL_OK;
    }
    if (shown != MAP_FAILED) munmap(shown, size);
    if (found == CL_SUCCESS) cl.ReleaseMemObject(made.buffer);
    return code;
}

static int device_release(int32_t device, uint64_t address) {
    int code = check_device(device);
    if (code != SOL_OK) return code;
    allocation gone = {0, 0, NULL, 0};
    pthread_mutex_lock(&mutex);
    size_t behind = place_behind(address);
    int found = behind > 0 && allocations[behind - 1].start == address && allocations[behind - 1].device == device;
    if (found) {
        gone = allocations[behind - 1];
        memmove(allocations + behind - 1, allocations + behind, (allocated - behind) * sizeof *allocations);
        --allocated;
        devices[device].used -= gone.bytes;
    }
    pthread_mutex_unlock(&mutex);
    if (!found) return failure(SOL_ERROR_INVALID, "nothing was allocated at that address");
    cl.ReleaseMemObject(gone.buffer);
    munmap((void *)(uintptr_t)gone.start, gone.bytes);
    return SOL_OK;
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

static int stream_create(int32_t device, int32_t priority, sol_stream **stream) {
    int code = check_device(device);
    (void)priority;
    if (code != SOL_OK) return code;
    sol_stream *made = calloc(1, sizeof *made);
    if (!made) return no_memory();
    cl_code found;
    made->device = device;
    made->queue = cl.CreateCommandQueue(devices[device].context, devices[device].id, CL_QUEUE_PROFILING, &found);
    if (found != CL_SUCCESS) {
        free(made);
        return told(found, SOL_ERROR_INVALID, "a queue");
    }
    pthread_mutex_init(&made->mutex, NULL);
    *stream = made;
    return SOL_OK;
}

/* Takes over the event of what was queued last, and lets the device begin. */
static int queued(sol_stream *stream, cl_code code, cl_handle event, uint32_t most_unflushed, const char *what) {
    if (code != CL_SUCCESS) return told(code, SOL_ERROR_LAUNCH, what);
    pthread_mutex_lock(&stream->mutex);
    cl_handle before = stream->last;
    stream->last = event;
    int flush = ++stream->unflushed >= most_unflushed;
    if (flush) stream->unflushed = 0;
    pthread_mutex_unlock(&stream->mutex);
    if (before) cl.ReleaseEvent(before);
    return flush ? told(cl.Flush(stream->queue), SOL_ERROR_LAUNCH, what) : SOL_OK;
}

/* What the last queued operation says: CL_COMPLETE, a positive number as long as it is not done, a negative one where it failed. */
static cl_code status_of(sol_stream *stream) {
    cl_code status = CL_COMPLETE;
    pthread_mutex_lock(&stream->mutex);
    if (stream->last && cl.GetEventInfo(stream->last, CL_EVENT_STATUS, sizeof status, &status, NULL) != CL_SUCCESS) status = CL_OUT_OF_RESOURCES;
    pthread_mutex_unlock(&stream->mutex);
    return status;
}

static int stream_synchronize(sol_stream *stream) {
    int code = told(cl.Finish(stream->queue), SOL_ERROR_LAUNCH, "waiting for a queue");
    cl_code status = status_of(stream);
    return code == SOL_OK && status < 0 ? told(status, SOL_ERROR_LAUNCH, "queued work") : code;
}
static int stream_query(sol_stream *stream, int32_t *done) {
    int code = told(cl.Flush(stream->queue), SOL_ERROR_LAUNCH, "a queue");
    *done = status_of(stream) <= CL_COMPLETE;
    return code;
}
static int stream_destroy(sol_stream *stream) {
    int code = stream_synchronize(stream);
    if (stream->last) cl.ReleaseEvent(stream->last);
    cl.ReleaseCommandQueue(stream->queue);
    pthread_mutex_destroy(&stream->mutex);
    free(stream);
    return code;
}

static int event_create(int32_t device, int32_t timing, sol_event **event) {
    int code = check_device(device);
    if (code != SOL_OK) return code;
    *event = calloc(1, sizeof **event);
    if (!*event) return no_memory();
    (*event)->device = device, (*event)->timing = timing;
    return SOL_OK;
}
static int event_destroy(sol_event *event) {
    if (event->recorded) cl.ReleaseEvent(event->recorded);
    free(event);
    return SOL_OK;
}
static int event_record(sol_event *event, sol_stream *stream) {
    cl_handle made = NULL;
    cl_code code = cl.EnqueueMarkerWithWaitList(stream->queue, 0, NULL, &made);
    if (code != CL_SUCCESS) return told(code, SOL_ERROR_LAUNCH, "a mark in a queue");
    cl.RetainEvent(made);
    pthread_mutex_lock(&mutex);
    cl_handle before = event->recorded;
    event->recorded = made;
    pthread_mutex_unlock(&mutex);
    if (before) cl.ReleaseEvent(before);
    return queued(stream, CL_SUCCESS, made, 1, "a mark in a queue");
}

/* The mark as recorded now, which the caller releases; NULL if there is none. */
static cl_handle mark_of(sol_event *event) {
    pthread_mutex_lock(&mutex);
    cl_handle mark = event->recorded;
    if (mark) cl.RetainEvent(mark);
    pthread_mutex_unlock(&mutex);
    return mark;
}
static int event_wait(sol_event *event, sol_stream *stream) {
    cl_handle mark = mark_of(event), made = NULL;
    if (!mark) return SOL_OK;
    int code;
    if (event->device == stream->device) /* queues of one context */
        code = queued(stream, cl.EnqueueBarrierWithWaitList(stream->queue, 1, &mark, &made), made, 1, "waiting for an event");
    else
        code = told(cl.WaitForEvents(1, &mark), SOL_ERROR_LAUNCH, "waiting for an event");
    cl.ReleaseEvent(mark);
    return code;
}
static int event_synchronize(sol_event *event) {
    cl_handle mark = mark_of(event);
    if (!mark) return SOL_OK;
    int code = told(cl.WaitForEvents(1, &mark), SOL_ERROR_LAUNCH, "queued work");
    cl.ReleaseEvent(mark);
    return code;
}
static int event_query(sol_event *event, int32_t *done) {
    cl_handle mark = mark_of(event);
    cl_code status = CL_COMPLETE;
    int code = mark ? told(cl.GetEventInfo(mark, CL_EVENT_STATUS, sizeof status, &status, NULL), SOL_ERROR_INVALID, "an event") : SOL_OK;
    *done = status <= CL_COMPLETE;
    if (mark) cl.ReleaseEvent(mark);
    return code;
}
static int event_elapsed(sol_event *start, sol_event *end, double *milliseconds) {
    uint64_t times[2];
    sol_event *const both[2] = {start, end};
    if (!start->timing || !end->timing) return failure(SOL_ERROR_INVALID, "an event was made without timing");
    for (int i = 0; i < 2; ++i) {
        cl_handle mark = mark_of(both[i]);
        cl_code code = mark ? cl.GetEventProfilingInfo(mark, CL_TIME_END, 8, &times[i], NULL) : CL_SUCCESS;
        if (mark) cl.ReleaseEvent(mark);
        if (!mark || code != CL_SUCCESS) return failure(SOL_ERROR_INVALID, "an event was not recorded, or has not happened");
    }
    *milliseconds = ((double)times[1] - (double)times[0]) * 1e-6;
    return SOL_OK;
}

static int outside(void) { return failure(SOL_ERROR_INVALID, "a copy reaches out of the memory of its device"); }

static void free_staged(cl_handle event, cl_code status, void *staged) {
    (void)event, (void)status;
    free(staged);
}

static int copy_in(sol_stream *stream, uint64_t to, const void *from, uint64_t bytes) {
    allocation place;
    if (!find(to, bytes, &place)) return outside();
    if (!bytes) return SOL_OK;
    int pins = is_pinned(from);
    void *staged = pins || bytes > STAGED ? NULL : malloc(bytes); /* what is staged need not wait for what is queued */
    if (staged) memcpy(staged, from, bytes);
    cl_handle event = NULL;
    cl_code code = cl.EnqueueWriteBuffer(stream->queue, place.buffer, !pins && !staged, to - place.start, bytes, staged ? staged : from, 0, NULL, &event);
    if (staged && (code != CL_SUCCESS || cl.SetEventCallback(event, CL_COMPLETE, free_staged, staged) != CL_SUCCESS)) {
        if (code == CL_SUCCESS) cl.WaitForEvents(1, &event);
        free(staged);
    }
    return queued(stream, code, event, 1, "a copy to the device");
}
static int copy_out(sol_stream *stream, void *to, uint64_t from, uint64_t bytes) {
    allocation place;
    if (!find(from, bytes, &place)) return outside();
    int pins = is_pinned(to);
    if (!bytes) return pins ? SOL_OK : stream_synchronize(stream);
    cl_handle event = NULL;
    cl_code code = cl.EnqueueReadBuffer(stream->queue, place.buffer, !pins, from - place.start, bytes, to, 0, NULL, &event);
    return queued(stream, code, event, 1, "a copy from the device");
}

static int copy_ranges(sol_stream *stream, cl_handle to, uint64_t to_offset, cl_handle from, uint64_t from_offset, uint64_t bytes) {
    cl_handle event = NULL;
    cl_code code = cl.EnqueueCopyBuffer(stream->queue, from, to, from_offset, to_offset, bytes, 0, NULL, &event);
    return queued(stream, code, event, FLUSHED, "a copy");
}
static int copy_within(sol_stream *stream, uint64_t to, uint64_t from, uint64_t bytes) {
    allocation target, source;
    if (!find(to, bytes, &target) || !find(from, bytes, &source)) return outside();
    if (!bytes || to == from) return SOL_OK;
    uint64_t apart = to > from ? to - from : from - to, to_offset = to - target.start, from_offset = from - source.start;
    if (target.buffer != source.buffer || apart >= bytes) return copy_ranges(stream, target.buffer, to_offset, source.buffer, from_offset, bytes);
    cl_code found; /* ranges that overlap, which OpenCL does not copy */
    cl_handle between = cl.CreateBuffer(devices[stream->device].context, CL_MEM_READ_WRITE, bytes, NULL, &found);
    if (found != CL_SUCCESS) return told(found, SOL_ERROR_OUT_OF_MEMORY, "a buffer for a copy");
    int code = copy_ranges(stream, between, 0, source.buffer, from_offset, bytes);
    if (code == SOL_OK) code = copy_ranges(stream, target.buffer, to_offset, between, 0, bytes);
    cl.ReleaseMemObject(between); /* OpenCL keeps it until what is queued has run */
    return code;
}

/* Through the host: contexts of several devices share no buffers. */
static int copy_between(sol_stream *stream, int32_t to_device, uint64_t to, uint64_t from, uint64_t bytes) {
    allocation target;
    int code = check_device(to_device);
    if (code != SOL_OK) return code;
    if (to_device == stream->device) return copy_within(stream, to, from, bytes);
    if (!find(to, bytes, &target) || target.device != to_device) return outside();
    void *host = malloc(bytes ? bytes : 1);
    if (!host) return no_memory();
    code = copy_out(stream, host, from, bytes);
    if (code == SOL_OK && bytes) {
        cl_code found = cl.EnqueueWriteBuffer(devices[to_device].copies, target.buffer, 1, to - target.start, bytes, host, 0, NULL, NULL);
        code = told(found, SOL_ERROR_LAUNCH, "a copy to another device");
    }
    free(host);
    return code;
}
static int fill(sol_stream *stream, uint64_t to, uint8_t value, uint64_t bytes) {
    allocation place;
    if (!find(to, bytes, &place)) return outside();
    if (!bytes) return SOL_OK;
    cl_handle event = NULL;
    cl_code code = cl.EnqueueFillBuffer(stream->queue, place.buffer, &value, 1, to - place.start, bytes, 0, NULL, &event);
    return queued(stream, code, event, FLUSHED, "a fill");
}

static int program_load(int32_t device, const void *image, uint64_t bytes, const char *options, sol_program **program) {
    int code = check_device(device);
    if (code != SOL_OK) return code;
    const char *text = image;
    size_t length = strnlen(text, bytes);
    cl_code found;
    cl_handle made = cl.CreateProgramWithSource(devices[device].context, 1, &text, &length, &found);
    if (found != CL_SUCCESS) return told(found, SOL_ERROR_PROGRAM, "a program");
    found = cl.BuildProgram(made, 1, &devices[device].id, options ? options : "", NULL, NULL);
    *program = found == CL_SUCCESS ? calloc(1, sizeof **program) : NULL;
    if (*program) {
        (*program)->program = made, (*program)->device = device;
        return SOL_OK;
    }
    if (found == CL_SUCCESS) {
        code = no_memory();
    } else {
        char said[1 << 14] = "";
        size_t written = 0;
        cl.GetProgramBuildInfo(made, devices[device].id, CL_PROGRAM_BUILD_LOG, sizeof said - 1, said, &written);
        snprintf(error_of_thread, sizeof error_of_thread, "the device's compiler (error %d) said: %s", found, said);
        code = SOL_ERROR_PROGRAM;
    }
    cl.ReleaseProgram(made);
    return code;
}
static int program_unload(sol_program *program) {
    for (sol_kernel *kernel = program->kernels, *next; kernel; kernel = next) {
        next = kernel->next;
        cl.ReleaseKernel(kernel->kernel);
        free(kernel);
    }
    cl.ReleaseProgram(program->program);
    free(program);
    return SOL_OK;
}
static int program_kernel(sol_program *program, const char *name, sol_kernel **kernel) {
    sol_kernel *made = calloc(1, sizeof *made);
    if (!made) return no_memory();
    cl_code found;
    made->kernel = cl.CreateKernel(program->program, name, &found);
    if (found == CL_SUCCESS) found = cl.GetKernelInfo(made->kernel, CL_KERNEL_ARGUMENTS, sizeof made->count, &made->count, NULL);
    if (found != CL_SUCCESS) {
        free(made);
        snprintf(error_of_thread, sizeof error_of_thread, "the program has no kernel \"%s\" (OpenCL gave the error %d)", name, found);
        return SOL_ERROR_INVALID;
    }
    pthread_mutex_lock(&mutex);
    made->next = program->kernels;
    program->kernels = made;
    pthread_mutex_unlock(&mutex);
    *kernel = made;
    return SOL_OK;
}

/* An address is two parameters of a kernel: the buffer and the offset in it. */
static cl_code set_address(cl_handle kernel, uint32_t index, const sol_argument *argument) {
    allocation place = {0, 0, NULL, 0};
    if (argument->address && !find(argument->address, 0, &place)) return -38;
    uint64_t offset = argument->address - place.start;
    cl_code code = cl.SetKernelArg(kernel, index, sizeof place.buffer, place.buffer ? &place.buffer : NULL);
    return code == CL_SUCCESS ? cl.SetKernelArg(kernel, index + 1, sizeof offset, &offset) : code;
}
static int set_arguments(sol_kernel *kernel, const sol_argument *arguments, uint32_t count) {
    uint32_t index = 0;
    for (uint32_t i = 0; i < count; ++i) index += arguments[i].kind == SOL_ARGUMENT_ADDRESS ? 2 : 1;
    if (index != kernel->count) {
        snprintf(error_of_thread, sizeof error_of_thread, "a kernel takes %u parameters, of which each address is two, but was given %u", kernel->count, index);
        return SOL_ERROR_INVALID;
    }
    index = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const sol_argument *argument = &arguments[i];
        int is_address = argument->kind == SOL_ARGUMENT_ADDRESS;
        cl_code code = is_address ? set_address(kernel->kernel, index, argument)
                                  : cl.SetKernelArg(kernel->kernel, index, argument->bytes, argument->kind == SOL_ARGUMENT_LOCAL ? NULL : argument->value);
        if (code != CL_SUCCESS) {
            snprintf(error_of_thread, sizeof error_of_thread, "argument %u of a kernel does not fit it, or is no address of the device (error %d)", i, code);
            return SOL_ERROR_INVALID;
        }
        index += is_address ? 2 : 1;
    }
    return SOL_OK;
}

static void trace(cl_handle event) {
    pthread_mutex_lock(&mutex);
    if (traced && count_of_traced < MOST_TRACED) {
        cl.RetainEvent(event);
        traced[count_of_traced++] = event;
    }
    pthread_mutex_unlock(&mutex);
}

static int launch(sol_stream *stream, sol_kernel *kernel, const sol_argument *arguments, uint32_t count, const uint64_t global[3], const uint64_t local[3]) {
    if (count > MOST_ARGUMENTS) return failure(SOL_ERROR_INVALID, "a kernel takes up to 256 arguments");
    size_t items[3], group[3];
    for (int i = 0; i < 3; ++i) {
        items[i] = global[i], group[i] = local ? local[i] : 1;
        if (!items[i] || !group[i] || items[i] % group[i]) return failure(SOL_ERROR_INVALID, "work items are not a positive multiple of those of a group");
    }
    cl_handle event = NULL;
    pthread_mutex_lock(&launch_mutex);
    int code = set_arguments(kernel, arguments, count);
    cl_code found = CL_SUCCESS;
    if (code == SOL_OK) found = cl.EnqueueNDRangeKernel(stream->queue, kernel->kernel, 3, NULL, items, local ? group : NULL, 0, NULL, &event);
    pthread_mutex_unlock(&launch_mutex);
    if (code != SOL_OK) return code;
    if (found == CL_SUCCESS && traced) trace(event);
    return queued(stream, found, event, FLUSHED, "a launch");
}

/* Begins to note launches, or stops and forgets what was noted. */
void sol_opencl_trace(int on) {
    pthread_mutex_lock(&mutex);
    for (uint32_t i = 0; i < count_of_traced; ++i) cl.ReleaseEvent(traced[i]);
    count_of_traced = 0;
    free(traced);
    traced = on ? calloc(MOST_TRACED, sizeof *traced) : NULL;
    pthread_mutex_unlock(&mutex);
}

/* When the launch of a number was queued, started and ended, in nanoseconds of the device's clock. Returns 0 for a launch that was not noted or
 * has not ended. */
int sol_opencl_times(uint32_t number, uint64_t times[3]) {
    static const uint32_t what[3] = {CL_TIME_QUEUED, CL_TIME_START, CL_TIME_END};
    int known = 1;
    pthread_mutex_lock(&mutex);
    known = number < count_of_traced;
    for (int i = 0; i < 3 && known; ++i) known = cl.GetEventProfilingInfo(traced[number], what[i], 8, &times[i], NULL) == CL_SUCCESS;
    pthread_mutex_unlock(&mutex);
    return known;
}

static const sol_driver table = {
    SOL_DRIVER_VERSION, sizeof(sol_driver), "opencl", error_text, device_count, device_properties, device_alloc, device_release, alloc_pinned,
    release_pinned, stream_create, stream_destroy, stream_synchronize, stream_query, event_create, event_destroy, event_record, event_wait,
    event_synchronize, event_query, event_elapsed, copy_in, copy_out, copy_within, copy_between, fill, program_load, program_unload,
    program_kernel, launch,
};

/* 0 where a function is missing; *reason says what. */
static int load_library(const char **reason) {
    static char said[512];
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    *reason = said;
    if (!library) {
        snprintf(said, sizeof said, "OpenCL cannot be loaded (%s): install its loader and a platform, as ocl-icd-libopencl1 and pocl-opencl-icd of Debian", dlerror());
        return 0;
    }
#define TAKE(result, name, parameters) \
    { \
        void *function = dlsym(library, "cl" #name); \
        if (!function) { \
            snprintf(said, sizeof said, "libOpenCL.so.1 is older than OpenCL 1.2: it has no function cl%s", #name); \
            return 0; \
        } \
        memcpy(&cl.name, &function, sizeof function); \
    }
    FUNCTIONS(TAKE)
    return 1;
}

static void take_device(cl_handle id) {
    char version[512] = "";
    uint32_t available = 0, compiler = 0;
    cl_code code;
    if (count_of_devices == MOST_DEVICES) return;
    cl.GetDeviceInfo(id, CL_DEVICE_VERSION, sizeof version - 1, version, NULL);
    cl.GetDeviceInfo(id, CL_DEVICE_AVAILABLE, sizeof available, &available, NULL);
    cl.GetDeviceInfo(id, CL_DEVICE_COMPILER, sizeof compiler, &compiler, NULL);
    int major = 0, minor = 0;
    if (!available || !compiler || sscanf(version, "OpenCL %d.%d", &major, &minor) != 2 || 10 * major + minor < 12) return;
    cl_handle context = cl.CreateContext(NULL, 1, &id, NULL, NULL, &code);
    if (code != CL_SUCCESS) return;
    cl_handle copies = cl.CreateCommandQueue(context, id, CL_QUEUE_PROFILING, &code);
    if (code != CL_SUCCESS) return;
    devices[count_of_devices].id = id, devices[count_of_devices].context = context, devices[count_of_devices].copies = copies;
    ++count_of_devices;
}

const sol_driver *sol_driver_open(uint32_t version, const char **reason) {
    *reason = "it was built for another version of the interface";
    if (version != SOL_DRIVER_VERSION) return NULL;
    if (count_of_devices) return &table;
    const char *kind = getenv("SOL_OPENCL_TYPE");
    uint64_t type = !kind || !*kind ? 0xFFFFFFFF : !strcmp(kind, "cpu") ? CL_TYPE_CPU : !strcmp(kind, "gpu") ? CL_TYPE_GPU : CL_TYPE_ACCELERATOR;
    *reason = "SOL_OPENCL_TYPE is cpu, gpu or accelerator";
    if (type == CL_TYPE_ACCELERATOR && strcmp(kind, "accelerator")) return NULL;
    if (!cl.Finish && !load_library(reason)) return NULL;
    cl_handle platforms[MOST_PLATFORMS], found[MOST_DEVICES];
    uint32_t count = 0, some;
    most_memory = number_of("SOL_OPENCL_MEMORY", 0);
    if (cl.GetPlatformIDs(MOST_PLATFORMS, platforms, &count) != CL_SUCCESS) count = 0;
    for (uint32_t i = 0; i < count && i < MOST_PLATFORMS; ++i) {
        if (cl.GetDeviceIDs(platforms[i], type, MOST_DEVICES, found, &some) != CL_SUCCESS) continue;
        for (uint32_t d = 0; d < some && d < MOST_DEVICES; ++d) take_device(found[d]);
    }
    *reason = "no platform of OpenCL has a device of version 1.2 or later that compiles programs: install one, as pocl-opencl-icd of Debian";
    return count_of_devices ? &table : NULL;
}
