/* What drivers of devices that run on the host share: texts of errors, loaded libraries as programs, the arguments of their kernels, time. */
#ifndef SOL_COMMON_H
#define SOL_COMMON_H
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sol_driver.h"

enum { MOST_ARGUMENTS = 256, MOST_BYTES = 4096 };

static _Thread_local char error_of_thread[512] = "no error";

static inline int failure(int code, const char *what) {
    snprintf(error_of_thread, sizeof error_of_thread, "%s", what);
    return code;
}
static const char *error_text(void) { return error_of_thread; }

static inline double milliseconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}

/* Asked once: the C library reads a file for it. */
static inline uint32_t cores(void) {
    static _Atomic uint32_t known;
    if (!known) {
        long count = sysconf(_SC_NPROCESSORS_ONLN);
        known = count > 0 ? (uint32_t)count : 1;
    }
    return known;
}

/* A number from the environment, or the usual one where it is not set or no number. */
static inline uint64_t number_of(const char *variable, uint64_t usual) {
    const char *text = getenv(variable);
    char *end = NULL;
    uint64_t number = text ? strtoull(text, &end, 10) : usual;
    return text && (end == text || *end) ? usual : number;
}

typedef struct listed_kernel { sol_host_kernel entry; struct listed_kernel *next; } listed_kernel;
struct sol_program { void *library; listed_kernel *kernels; int32_t device; };

static inline int library_load(int32_t device, const void *image, sol_program **program) {
    sol_program *made = calloc(1, sizeof *made);
    if (!made) return failure(SOL_ERROR_OUT_OF_MEMORY, "the host has no memory left");
    made->device = device;
    made->library = dlopen(image, RTLD_NOW | RTLD_LOCAL);
    if (!made->library) {
        free(made);
        return failure(SOL_ERROR_PROGRAM, dlerror());
    }
    *program = made;
    return SOL_OK;
}

static inline void library_unload(sol_program *program) {
    for (listed_kernel *kernel = program->kernels, *next; kernel; kernel = next) {
        next = kernel->next;
        free(kernel);
    }
    dlclose(program->library);
    free(program);
}

/* Kernels belong to their program; the caller sees to it that no two threads ask one program at once. */
static inline int library_kernel(sol_program *program, const char *name, sol_kernel **kernel) {
    void *entry = dlsym(program->library, name);
    if (!entry) return failure(SOL_ERROR_INVALID, "the program has no kernel of that name");
    listed_kernel *made = malloc(sizeof *made);
    if (!made) return failure(SOL_ERROR_OUT_OF_MEMORY, "the host has no memory left");
    memcpy(&made->entry, &entry, sizeof entry);
    made->next = program->kernels;
    program->kernels = made;
    *kernel = (sol_kernel *)made;
    return SOL_OK;
}

static inline sol_host_kernel entry_of(const sol_kernel *kernel) { return ((const listed_kernel *)kernel)->entry; }
#endif
