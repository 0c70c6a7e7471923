/* Numbers as digits: each of a slice is an integer of up to four bytes times the slice's unit, and products of bytes add up each byte by itself. */
#ifndef SOL_DIGITS_H
#define SOL_DIGITS_H
#include "sol_int.h"

/* unit: what an integer's one stands for. sums: of each digit, the lowest first. */
typedef struct {
    float unit;
    int32_t sums[4];
} sol_slice;

SOL_INLINE int32_t sol_greatest(vi v)
{
    int32_t most = v[0];
    for (int i = 1; i < LANES; i++) most = v[i] > most ? v[i] : most;
    return most;
}
SOL_INLINE int32_t sol_total(vi v)
{
    int32_t total = 0;
    for (int i = 0; i < LANES; i++) total += v[i];
    return total;
}
/* A row of n numbers, cut at the borders of groups and into slices of at most ``longest``: [digit][pitch] bytes, of which the highest digit is
 * signed. Integers stay below a quarter of what their bytes hold. in_halves: of eight bytes, those of even places come first. pitch is 64 more
 * than n rounded up to 64. Sums of each slice's numbers go to sums. False if a number is not finite, or a slice's largest so small that
 * its unit would be no normal number. */
static int __attribute__((unused)) sol_to_digits(
    const float *a, int64_t n, int64_t group, int64_t longest, int digits, int in_halves, uint8_t *to, int64_t pitch, sol_slice *slices, float *sums)
{
    const int bits = 8 * digits - 2;
    vi order = {0};
    for (int i = 0; i < LANES; i++) order[i] = (i & ~7) | (i & 3) << 1 | (i & 4) >> 2;
    for (int64_t k = 0, border = group < n ? group : n; k < n; slices++) {
        const int64_t stop = border - k > longest ? k + longest : border;
        vi most = {0};
        for (int64_t i = k; i < stop; i += LANES) most = vi_max(most, (vi)vf_abs(vf_load_n(a + i, stop - i < LANES ? (int)(stop - i) : LANES)));
        const int exponent = sol_greatest(most) >> 23; /* of the largest number, plus 127 */
        if (exponent == 255 || (exponent < 64 && sol_greatest(most))) return 0;
        const union {
            uint32_t bits;
            float number;
        } scale = {(uint32_t)(exponent ? 253 + bits - exponent : 127) << 23}, unit = {(uint32_t)(exponent ? exponent + 1 - bits : 0) << 23};
        vi sum[4] = {{0}};
        for (int64_t i = k; i < stop; i += LANES) {
            const vf scaled = vf_rint(vf_load_n(a + i, stop - i < LANES ? (int)(stop - i) : LANES) * scale.number);
            const vi x = vi_of_floats(in_halves && LANES >= 8 ? vf_permute(scaled, order) : scaled);
            for (int d = 0; d < digits; d++) {
                const vi digit = x >> (8 * d), byte = digit & 255;
                if (d + 1 < digits) sum[d] += byte;
                else sum[d] += digit;
                vi_store_bytes(to + d * pitch + i, byte);
            }
        }
        for (int d = 0; in_halves && LANES < 8 && d < digits; d++)
            for (uint8_t *p = to + d * pitch + k; p < to + d * pitch + stop; p += 8) {
                uint8_t halves[8];
                for (int i = 0; i < 8; i++) halves[i] = p[(i & 3) << 1 | i >> 2];
                memcpy(p, halves, 8);
            }
        double total = 0;
        slices->unit = unit.number;
        for (int d = digits; d-- > 0;) total = total * 256 + (slices->sums[d] = sol_total(sum[d]));
        *sums++ = (float)(total * unit.number);
        k = stop;
        if (k == border) border = n - k > group ? k + group : n;
    }
    return 1;
}
#endif
