/* Values that the compiler can neither fold nor merge nor leave out, for what measures a machine. */
#ifndef SOL_KEEP_H
#define SOL_KEEP_H
/* A vector in a register. */
#if defined(__x86_64__)
#define KEEP(v) __asm__ volatile("" : "+v"(v))
#elif defined(__aarch64__)
#define KEEP(v) __asm__ volatile("" : "+w"(v))
#else
#define KEEP(v) __asm__ volatile("" ::: "memory")
#endif
/* What was read from memory must be read again. */
#define FORGET_MEMORY() __asm__ volatile("" ::: "memory")
/* An integer in a register. */
#define KEEP_INTEGER(n) __asm__ volatile("" : "+r"(n))
#endif
