/* A matrix [N][K] of float32, rounded to bfloat16, row-major, as panels of pairs along K:
 *
 *   out[panel][pair][row][2], panels of ``width`` rows, the last one as wide as what is left, rounded up to SIDE; what does not exist is zero
 *
 * stream: panels shall not stay in caches; vectors are then written past them.
 * Threads share out pieces of panels: squares of pairs are transposed in registers. */
#include "sol_turn.h"
#include "sol_team.h"

enum { SIDE = 16, PIECE = 1024, AHEAD = 128 }; /* rows of a square; numbers of a row, or pairs, that are taken at once */

SOL_INLINE uint32_t bits_of(float v) { return sol_to_bf16(v); }
#if SOL_LANES == 16
SOL_INLINE vf pairs_of(vf a, vf b) /* of neighbours, a before b */
{
    const vi even = {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30}, odd = even + 1;
    const vi low = (vi)vbf_nearest(a), high = (vi)vbf_nearest(b);
    const vbf_wide first = (vbf_wide)__builtin_shuffle(low, high, even), second = (vbf_wide)__builtin_shuffle(low, high, odd);
    return (vf)((first >> 16) | (second & 0xffff0000u));
}
SOL_INLINE void put(uint32_t *to, vf v, int stream)
{
    if (stream) vf_stream((float *)to, v);
    else vf_store((float *)to, v);
}
#endif

void pack_pairs(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    uint16_t *out = buf[1];
    const int64_t N = arg[0];
    const int64_t K = arg[1];
    const int64_t row = arg[2];
    const int64_t width = arg[3];
    const int64_t stream = arg[4];
    (void)team; (void)buf; (void)arg;
    const int64_t pairs = (K + 1) / 2, end_row = (N + SIDE - 1) / SIDE * SIDE;
    uint32_t *const panels = (uint32_t *)out;
    int64_t begin, end;
#if SOL_LANES == 16
    const int aligned = stream && (uintptr_t)out % 64 == 0;
#else
    (void)stream;
#endif
    const int64_t cuts = (K + PIECE - 1) / PIECE, count = (N + width - 1) / width;
    sol_split(team, count * cuts, &begin, &end);
    for (int64_t item = begin; item < end; item++) {
        const int64_t base = item / cuts * width, k0 = item % cuts * PIECE, k1 = K - k0 < PIECE ? K : k0 + PIECE, left = end_row - base, wide = left < width ? left : width;
        for (int64_t v = 0; v < wide; v += SIDE) {
            const float *const from = in + (base + v) * row;
            uint32_t *const to = panels + base * pairs + v;
            const int here = N - base - v < SIDE ? (int)(N - base - v) : SIDE;
#if SOL_LANES == 16
            for (int64_t k = k0; k < k1; k += 2 * SIDE) {
                const int some = k1 - k < 2 * SIDE ? (int)(k1 - k) : 2 * SIDE;
                vf t[SIDE];
                if (here == SIDE && some == 2 * SIDE) {
#pragma GCC unroll 16
                    for (int i = 0; i < SIDE; i++) __builtin_prefetch(from + i * row + k + AHEAD), __builtin_prefetch(from + i * row + k + SIDE + AHEAD);
#pragma GCC unroll 16
                    for (int i = 0; i < SIDE; i++) t[i] = pairs_of(vf_load(from + i * row + k), vf_load(from + i * row + k + SIDE));
                } else
                    for (int i = 0; i < SIDE; i++) {
                        float line[2 * SIDE] = {0};
                        if (i < here) memcpy(line, from + i * row + k, (size_t)some * sizeof *line);
                        t[i] = pairs_of(vf_load(line), vf_load(line + SIDE));
                    }
                vf_transpose(t);
                for (int i = 0; 2 * i < some; i++) put(to + (k / 2 + i) * wide, t[i], aligned);
            }
#else
            for (int64_t k = k0; k < k1; k += 2)
                for (int i = 0; i < SIDE; i++) to[k / 2 * wide + i] = i < here ? bits_of(from[i * row + k]) | (k + 1 < k1 ? bits_of(from[i * row + k + 1]) << 16 : 0) : 0;
#endif
        }
    }
    sol_streamed();
}
