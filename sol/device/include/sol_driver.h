/* What a device has to offer so that PyTorch and sol can use it: one table of functions, which a shared library gives away.
 *
 * Bytes in, bytes out: no type of PyTorch or Python crosses this interface, and a driver needs neither of them to be built or tested.
 *
 * Rules for all functions
 * - They return SOL_OK or one of the codes below; sol_driver.error_text then says what happened, for the thread that called.
 * - They may be called from any thread. A function that has "asynchronous" in its comment only queues work: operations of one stream run in the
 *   order in which they were queued, those of different streams in any order unless events order them. What an asynchronous operation reads
 *   and writes stays allocated until it has run; the caller sees to that.
 * - An error of queued work comes out of the next call that waits for its stream (stream_synchronize, event_synchronize, a copy to the host).
 * - Sizes are in bytes. Addresses are numbers of the device: a caller adds offsets to them, compares them and hands them back, and never reads
 *   through them unless the device says that its memory is the host's (SOL_MEMORY_IS_HOST). An address plus an offset inside of an
 *   allocation is accepted wherever an address is.
 */
#ifndef SOL_DRIVER_H
#define SOL_DRIVER_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised whenever a table of before could not be used any more. New functions are added at the end; sol_driver.bytes tells how many there are. */
#define SOL_DRIVER_VERSION 1

enum {
    SOL_OK = 0,
    SOL_ERROR_INVALID = 1,       /* an argument makes no sense: an address that was not allocated, a size of 2^63, an unknown kernel */
    SOL_ERROR_DEVICE = 2,        /* there is no device with that number */
    SOL_ERROR_OUT_OF_MEMORY = 3, /* may go away when memory is freed */
    SOL_ERROR_LAUNCH = 4,        /* a kernel could not be started, or failed while it ran; the device works on */
    SOL_ERROR_PROGRAM = 5,       /* a program could not be loaded: error_text has what its compiler said */
    SOL_ERROR_LOST = 6,          /* the device is gone: all later calls fail in the same way until the process ends */
    SOL_ERROR_UNSUPPORTED = 7,   /* this driver does not do that */
};

/* What kind of programs a device loads. */
enum {
    SOL_PROGRAM_HOST_LIBRARY = 1, /* the path of a shared library for the host's instruction set, ended by a 0 */
    SOL_PROGRAM_OPENCL_C = 2,     /* source text in OpenCL C, ended by a 0 */
};

enum {
    SOL_MEMORY_IS_HOST = 1,  /* addresses are the host's own: memory of the host may be handed in as memory of the device, and the other way round */
    SOL_IS_SIMULATED = 2,
    SOL_IS_GPU = 4,
    SOL_IS_CPU = 8,
};

typedef struct {
    char name[128];             /* what the maker calls it, ended by a 0 */
    uint64_t memory;            /* bytes in all */
    uint64_t memory_free;       /* bytes that can still be allocated, as far as known */
    uint64_t largest;           /* the largest single allocation */
    uint64_t alignment;         /* of addresses that alloc returns: a power of two, at least 64 */
    uint32_t units;             /* cores or compute units */
    uint32_t local_memory;      /* bytes that work items of one group share; 0: there are no groups */
    uint32_t program_kind;      /* SOL_PROGRAM_… */
    uint32_t flags;             /* SOL_MEMORY_IS_HOST and so on, added */
} sol_device_properties;

typedef struct sol_stream sol_stream;   /* a queue of operations */
typedef struct sol_event sol_event;     /* a mark in a queue */
typedef struct sol_program sol_program; /* loaded code */
typedef struct sol_kernel sol_kernel;   /* one function of it; lives as long as its program */

/* One argument of a kernel: an address in memory of the device, or up to 4096 bytes that are copied when the launch is queued. */
enum { SOL_ARGUMENT_ADDRESS = 0, SOL_ARGUMENT_BYTES = 1, SOL_ARGUMENT_LOCAL = 2 /* so many bytes of local memory; value is NULL */ };

typedef struct {
    uint32_t kind;
    uint32_t bytes;    /* of value; 8 for an address */
    uint64_t address;  /* 0 is NULL for the kernel too */
    const void *value;
} sol_argument;

/* A kernel of a host library is: int name(const void *const *arguments, uint64_t count, int threads). arguments[i] points to the bytes of a
 * value, or is the address as the kernel may read through it, which is the same at every launch and in every thread of the process as long as
 * the memory is allocated. It returns SOL_OK or a code. threads is how many it may use itself.
 *
 * A kernel in OpenCL C has two parameters for each address, a buffer and an offset in it in bytes, because OpenCL passes no addresses:
 * (__global uchar *buffer, ulong offset). A NULL address is a NULL buffer. Bytes are a parameter of that size, and local memory is a
 * __local pointer. */
typedef int (*sol_host_kernel)(const void *const *arguments, uint64_t count, int threads);

typedef struct sol_driver {
    uint32_t version;  /* SOL_DRIVER_VERSION */
    uint32_t bytes;    /* sizeof(sol_driver) as the driver was built with it */
    const char *name;  /* lower case: "sim", "opencl" */

    /* What the last call of this thread that failed had to say, in a sentence; never NULL. Valid until the thread's next call. */
    const char *(*error_text)(void);

    /* Devices 0 … count-1. 0 is a good answer: there is none. */
    int (*device_count)(int32_t *count);
    int (*device_properties)(int32_t device, sol_device_properties *properties);

    /* Memory. Zero bytes give an address too. */
    int (*alloc)(int32_t device, uint64_t bytes, uint64_t *address);
    int (*release)(int32_t device, uint64_t address);
    /* Memory of the host that copies are fastest from and asynchronous with. */
    int (*alloc_pinned)(uint64_t bytes, void **address);
    int (*release_pinned)(void *address);

    /* Streams. A stream belongs to one device. A higher priority runs first where a device knows priorities; 0 is the usual one. */
    int (*stream_create)(int32_t device, int32_t priority, sol_stream **stream);
    int (*stream_destroy)(sol_stream *stream); /* after what is queued has run */
    int (*stream_synchronize)(sol_stream *stream);
    int (*stream_query)(sol_stream *stream, int32_t *done); /* without waiting */

    /* Events. An event that was never recorded has happened. */
    int (*event_create)(int32_t device, int32_t timing, sol_event **event);
    int (*event_destroy)(sol_event *event);
    int (*event_record)(sol_event *event, sol_stream *stream); /* asynchronous */
    int (*event_wait)(sol_event *event, sol_stream *stream);   /* asynchronous: what is queued behind it waits for the event as recorded now */
    int (*event_synchronize)(sol_event *event);
    int (*event_query)(sol_event *event, int32_t *done);
    int (*event_elapsed)(sol_event *start, sol_event *end, double *milliseconds); /* both with timing, and both have happened */

    /* Copies and fills, asynchronous. Memory of the host that is not pinned is read before copy_in returns; copy_out to such memory returns after
     * it is written. Areas do not overlap, but in copy_within they may. */
    int (*copy_in)(sol_stream *stream, uint64_t to, const void *from, uint64_t bytes);
    int (*copy_out)(sol_stream *stream, void *to, uint64_t from, uint64_t bytes);
    int (*copy_within)(sol_stream *stream, uint64_t to, uint64_t from, uint64_t bytes);
    /* Between two devices of this driver. The stream is one of the device that is read. */
    int (*copy_between)(sol_stream *stream, int32_t to_device, uint64_t to, uint64_t from, uint64_t bytes);
    int (*fill)(sol_stream *stream, uint64_t to, uint8_t value, uint64_t bytes);

    /* Programs. The image is read before load returns. */
    int (*program_load)(int32_t device, const void *image, uint64_t bytes, const char *options, sol_program **program);
    int (*program_unload)(sol_program *program); /* after launches of it have run */
    int (*program_kernel)(sol_program *program, const char *name, sol_kernel **kernel);
    /* Asynchronous. global: work items in each dimension; local: those of one group, or NULL for the driver's choice. A host library's kernel is
     * called once, whatever they are. */
    int (*launch)(sol_stream *stream, sol_kernel *kernel, const sol_argument *arguments, uint32_t count, const uint64_t global[3], const uint64_t local[3]);
} sol_driver;

/* The one symbol of a driver's library. version is what the caller was built with. NULL: the driver does not speak it, or cannot start, in which
 * case *reason (never NULL then) says why. */
const sol_driver *sol_driver_open(uint32_t version, const char **reason);

#ifdef __cplusplus
}
#endif
#endif
