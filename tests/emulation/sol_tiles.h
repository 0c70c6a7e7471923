/* Matrix tiles in plain C, in place of sol/codegen/include/sol_tiles.h: the same macros on an array for each thread.
 *
 * As in "Intel 64 and IA-32 Architectures Software Developer's Manual", volume 2: products of bfloat16 take subnormal numbers for zero, and add up
 * the first and the second numbers of pairs apart. Where a tile is used that is not configured, the program ends, as it does on a processor. */
#ifndef SOL_TILES_H
#define SOL_TILES_H
#include "sol_simd.h"

typedef struct {
    uint8_t palette, start, reserved[14];
    uint16_t bytes[16];
    uint8_t rows[16];
} sol_tiles;

static __thread sol_tiles emulated_shape;
static __thread uint8_t emulated_tile[8][16][64];

static inline __attribute__((unused)) void emulated_check(int t)
{
    if (emulated_shape.palette != 1 || emulated_shape.bytes[t] > 64 || emulated_shape.rows[t] > 16) __builtin_trap();
}

static inline __attribute__((unused)) void emulated_begin(const sol_tiles *shape)
{
    emulated_shape = *shape;
    memset(emulated_tile, 0, sizeof emulated_tile);
}

/* A processor refuses a product whose tiles do not fit each other. */
static inline __attribute__((unused)) void emulated_fit(int c, int a, int b)
{
    const sol_tiles *s = &emulated_shape;
    emulated_check(a), emulated_check(b), emulated_check(c);
    if (s->rows[c] != s->rows[a] || s->bytes[c] != s->bytes[b] || s->bytes[a] != 4 * s->rows[b]) __builtin_trap();
}

static __attribute__((noinline, unused)) void emulated_load(int t, const void *p, int64_t stride)
{
    emulated_check(t);
    memset(emulated_tile[t], 0, sizeof emulated_tile[t]);
    for (int i = 0; i < emulated_shape.rows[t]; i++) memcpy(emulated_tile[t][i], (const char *)p + i * stride, emulated_shape.bytes[t]);
}

static __attribute__((noinline, unused)) void emulated_store(int t, void *p, int64_t stride)
{
    emulated_check(t);
    for (int i = 0; i < emulated_shape.rows[t]; i++) memcpy((char *)p + i * stride, emulated_tile[t][i], emulated_shape.bytes[t]);
}

/* Lane by lane: subnormal numbers become zero. */
static inline __attribute__((unused)) vf emulated_normal(vf x)
{
    const vi bits = (vi)x;
    return (vf)(bits & ((bits & 0x7fffffff) >= 0x00800000));
}

static __attribute__((noinline, unused)) void emulated_dot(int c, int a, int b)
{
    const vi high = vi_set((int32_t)0xffff0000u);
    emulated_fit(c, a, b);
    for (int m = 0; m < emulated_shape.rows[c]; m++) {
        uint16_t left[32];
        vf sums, part[2] = {vf_zero(), vf_zero()};
        memcpy(left, emulated_tile[a][m], sizeof left);
        memcpy(&sums, emulated_tile[c][m], sizeof sums);
        for (int k = 0; k < emulated_shape.bytes[a] / 4; k++) {
            vi right; /* a pair of numbers for each column */
            memcpy(&right, emulated_tile[b][k], sizeof right);
            for (int i = 0; i < 2; i++) {
                const vf x = emulated_normal(vf_set(sol_from_bf16(left[2 * k + i]))), y = i ? (vf)(right & high) : (vf)(right << 16);
                part[i] = emulated_normal(part[i] + x * emulated_normal(y));
            }
        }
        sums = emulated_normal(emulated_normal(sums) + emulated_normal(part[0] + part[1]));
        memcpy(emulated_tile[c][m], &sums, emulated_shape.bytes[c]);
    }
}

/* is_signed: whether bytes of a are signed; those of b are signed where those of a are not. */
static __attribute__((noinline, unused)) void emulated_dot_bytes(int c, int a, int b, int is_signed)
{
    emulated_fit(c, a, b);
    for (int m = 0; m < emulated_shape.rows[c]; m++) {
        vi sums;
        memcpy(&sums, emulated_tile[c][m], sizeof sums);
        for (int k = 0; k < emulated_shape.bytes[a]; k++) {
            vi right; /* four bytes for each column */
            memcpy(&right, emulated_tile[b][k / 4], sizeof right);
            const uint8_t x = emulated_tile[a][m][k];
            const vi y = right << (24 - 8 * (k % 4)) >> 24; /* with its sign */
            sums += is_signed ? (int8_t)x * (y & 0xff) : x * y;
        }
        memcpy(emulated_tile[c][m], &sums, emulated_shape.bytes[c]);
    }
}

#define SOL_TILES_BEGIN(tiles) emulated_begin(&(tiles))
#define SOL_TILES_HOLD(held, tiles)     \
    do {                                \
        if ((held) != &(tiles)) {       \
            SOL_TILES_BEGIN(tiles);     \
            (held) = &(tiles);          \
        }                               \
    } while (0)
#define SOL_TILES_END() memset(&emulated_shape, 0, sizeof emulated_shape)
#define SOL_TILE_ZERO(t) (emulated_check(t), memset(emulated_tile[t], 0, sizeof emulated_tile[t]))
#define SOL_TILE_LOAD(t, p, stride) emulated_load(t, p, stride)
#define SOL_TILE_STORE(t, p, stride) emulated_store(t, p, stride)
#define SOL_TILE_DOT(c, a, b) emulated_dot(c, a, b)
#define SOL_TILE_DOT_BYTES(c, a, b) emulated_dot_bytes(c, a, b, 0)
#define SOL_TILE_DOT_SIGNED(c, a, b) emulated_dot_bytes(c, a, b, 1)
#endif
