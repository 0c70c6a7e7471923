/* Runs the kernels of one region in a program of its own: all memory comes in on standard input and goes out on standard output.
 * Input: int64 counts (buffers, words of the plan, launches), threads, scratch, shared_scratch; the plan (region_driver.c); bytes of each buffer;
 * the buffers. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sol_team.h"

typedef void kernel(const sol_team *, void *const *, const int64_t *);
extern kernel *const kernels[]; /* of each launch */
void run(kernel *const *kernels, void *const *mem, const int64_t *plan, int64_t launches, int64_t threads, int64_t scratch, int64_t shared_scratch);

enum { GUARD = 64, MARK = 0xa5 };

static void *take(int64_t bytes)
{
    size_t rounded = ((size_t)bytes + GUARD + 63) / 64 * 64;
    unsigned char *p = aligned_alloc(64, rounded);
    if (!p || fread(p, 1, (size_t)bytes, stdin) != (size_t)bytes) {
        fprintf(stderr, "the input ends early\n");
        exit(2);
    }
    memset(p + bytes, MARK, rounded - (size_t)bytes);
    return p;
}

int main(void)
{
    const int64_t *head = take(6 * 8);
    const int64_t buffers = head[0];
    const int64_t *plan = take(head[1] * 8), *bytes = take(buffers * 8);
    void **mem = malloc(sizeof(void *) * (size_t)(buffers + 1));
    for (int64_t i = 0; i < buffers; i++) mem[i] = take(bytes[i]);
    run(kernels, mem, plan, head[2], head[3], head[4], head[5]);
    for (int64_t i = 0; i < buffers; i++) {
        const unsigned char *p = mem[i];
        for (int g = 0; g < GUARD; g++)
            if (p[bytes[i] + g] != MARK) {
                fprintf(stderr, "buffer %d of %d: byte %d beyond its end was written\n", (int)i, (int)buffers, g);
                return 3;
            }
        fwrite(p, 1, (size_t)bytes[i], stdout);
    }
    return 0;
}
