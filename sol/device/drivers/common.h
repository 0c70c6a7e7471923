/* What drivers share: texts of errors, limits of launches, time, numbers from the environment. */
#ifndef SOL_COMMON_H
#define SOL_COMMON_H
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
#endif
