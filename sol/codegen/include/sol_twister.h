/* MT19937 (Matsumoto & Nishimura, Mersenne Twister, 1998), a block of words at a time. Each new word depends on ones that lie 227 or more
 * words away, so that vectors of them are computed at once. */
#ifndef SOL_TWISTER_H
#define SOL_TWISTER_H
#include "sol_scalar.h"

enum { SOL_TWISTER_WORDS = 624, SOL_TWISTER_SHIFT = 397 };

SOL_SCALAR uint32_t sol_twisted(uint32_t word, uint32_t next, uint32_t far)
{
    const uint32_t y = (word & 0x80000000u) | (next & 0x7fffffffu);
    return far ^ (y >> 1) ^ (-(y & 1) & 0x9908b0dfu);
}

SOL_VECTORIZE
/* The next block of the generator's state in place of this one. */
static __attribute__((unused)) void sol_twist(uint32_t *key)
{
    const int n = SOL_TWISTER_WORDS, m = SOL_TWISTER_SHIFT;
    SOL_INDEPENDENT
    for (int i = 0; i < n - m; i++) key[i] = sol_twisted(key[i], key[i + 1], key[i + m]);
    SOL_INDEPENDENT
    for (int i = n - m; i < n - 1; i++) key[i] = sol_twisted(key[i], key[i + 1], key[i + m - n]);
    key[n - 1] = sol_twisted(key[n - 1], key[0], key[m - 1]);
}

/* The numbers that words of the state stand for. */
static __attribute__((unused)) void sol_temper(const uint32_t *restrict key, uint32_t *restrict numbers, int count)
{
    SOL_INDEPENDENT
    for (int i = 0; i < count; i++) {
        uint32_t y = key[i];
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c5680u;
        y ^= (y << 15) & 0xefc60000u;
        numbers[i] = y ^ (y >> 18);
    }
}
#endif
