/* Libraries of the host as programs, for drivers of devices that run on the host. */
#ifndef SOL_HOST_LIBRARY_H
#define SOL_HOST_LIBRARY_H
#include <dlfcn.h>

#include "common.h"

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
