/* Matrix tiles (AMX): products of bfloat16 with sums of float32, and of bytes with sums of int32. A tile is up to 16 rows of up to 64 bytes in one of eight registers.
 *
 * dot: C[m][n] += sum over k of A[m][2k] * B[k][2n] + A[m][2k + 1] * B[k][2n + 1], so B holds pairs of neighbouring rows of its matrix.
 * dot_bytes, of unsigned A and signed B: C[m][n] += sum over k and i < 4 of A[m][4k + i] * B[k][4n + i]. dot_signed: of signed A and unsigned B.
 * Written as assembly, so that no compiler flag is needed. */
#ifndef SOL_TILES_H
#define SOL_TILES_H
#include "sol_libc.h"

/* Rows of each tile and bytes of its rows, as the processor reads them. */
typedef struct {
    uint8_t palette, start, reserved[14];
    uint16_t bytes[16];
    uint8_t rows[16];
} sol_tiles;

#define SOL_TILES_BEGIN(tiles) __asm__ volatile("ldtilecfg %0" ::"m"(tiles))
/* The same where ``held``, what the thread began with last, is another shape: to begin takes as long as twelve products. */
#define SOL_TILES_HOLD(held, tiles)     \
    do {                                \
        if ((held) != &(tiles)) {       \
            SOL_TILES_BEGIN(tiles);     \
            (held) = &(tiles);          \
        }                               \
    } while (0)
#define SOL_TILES_END() __asm__ volatile("tilerelease")
#define SOL_TILE_ZERO(t) __asm__ volatile("tilezero %%tmm" #t ::: "memory")
#define SOL_TILE_LOAD(t, p, stride) __asm__ volatile("tileloadd (%0,%1,1), %%tmm" #t ::"r"(p), "r"((int64_t)(stride)) : "memory")
#define SOL_TILE_STORE(t, p, stride) __asm__ volatile("tilestored %%tmm" #t ", (%0,%1,1)" ::"r"(p), "r"((int64_t)(stride)) : "memory")
/* Units that add and multiply floats fall asleep some 700 ns after their last instruction; products of matrix tiles are none. The next instruction that
 * needs them, a tile's store among them, takes 300 ns longer, so each product adds zeros beside it (measured on an Intel Xeon, Granite Rapids). */
#define SOL_TILE_AWAKE "\n\tvxorps %%xmm15, %%xmm15, %%xmm15\n\tvaddss %%xmm15, %%xmm15, %%xmm15"
#define SOL_TILE_MULTIPLY(op, c, a, b) __asm__ volatile(op " %%tmm" #b ", %%tmm" #a ", %%tmm" #c SOL_TILE_AWAKE ::: "xmm15", "memory")
#define SOL_TILE_DOT(c, a, b) SOL_TILE_MULTIPLY("tdpbf16ps", c, a, b)
#define SOL_TILE_DOT_BYTES(c, a, b) SOL_TILE_MULTIPLY("tdpbusd", c, a, b)
#define SOL_TILE_DOT_SIGNED(c, a, b) SOL_TILE_MULTIPLY("tdpbsud", c, a, b)

/* Linux gives a process the registers when it asks for them: arch_prctl(ARCH_REQ_XCOMP_PERM, XTILEDATA), when the library is loaded. */
static __attribute__((constructor)) void sol_ask_for_tiles(void)
{
    int64_t number = 158;
    __asm__ volatile("syscall" : "+a"(number) : "D"((int64_t)0x1023), "S"((int64_t)18) : "rcx", "r11", "memory");
}
#endif
