/* Arithmetic of integers with torch's rules that never traps, in C and in OpenCL C. */
#ifndef SOL_INTEGERS_H
#define SOL_INTEGERS_H
/* Division by zero gives 0 and INT64_MIN / -1 wraps: a kernel has no way to raise. */
SOL_SCALAR int64_t sol_divide(int64_t a, int64_t b) { return b == 0 ? 0 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b; }
SOL_SCALAR int64_t sol_modulo(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }
SOL_SCALAR int64_t sol_floor_divide(int64_t a, int64_t b)
{
    int64_t r = sol_modulo(a, b);
    return sol_divide(a, b) - (r != 0 && (r < 0) != (b < 0));
}
SOL_SCALAR int64_t sol_remainder(int64_t a, int64_t b)
{
    int64_t r = sol_modulo(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
/* An integer to a negative power is 0 unless it is 1 or -1. */
SOL_SCALAR int64_t sol_power(int64_t a, int64_t n)
{
    if (n < 0) return a == 1 ? 1 : a == -1 ? (n % 2 ? -1 : 1) : 0;
    uint64_t base = (uint64_t)a, r = 1;
    for (; n; n >>= 1, base *= base)
        if (n & 1) r *= base;
    return (int64_t)r;
}

SOL_SCALAR uint64_t sol_divide_u64(uint64_t a, uint64_t b) { return b == 0 ? 0 : a / b; }
/* Bits moved by n of ``bits`` places; beyond them zeros, or to the right copies of the sign. */
SOL_SCALAR int64_t sol_shift_left(int64_t a, int64_t n, int bits) { return n >= 0 && n < bits ? (int64_t)((uint64_t)a << n) : 0; }
SOL_SCALAR int64_t sol_shift_right(int64_t a, int64_t n, int bits) { return n >= 0 && n < bits ? a >> n : a < 0 ? -1 : 0; }
SOL_SCALAR uint64_t sol_gcd_u64(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a <= UINT32_MAX && b <= UINT32_MAX ? (uint32_t)a % (uint32_t)b : a % b;
        a = b, b = rest;
    }
    return a;
}
SOL_SCALAR int64_t sol_gcd(int64_t a, int64_t b)
{
    return (int64_t)sol_gcd_u64(a < 0 ? 0 - (uint64_t)a : (uint64_t)a, b < 0 ? 0 - (uint64_t)b : (uint64_t)b);
}
SOL_SCALAR uint64_t sol_shift_left_u64(uint64_t a, uint64_t n, int bits) { return n < (uint64_t)bits ? a << n : 0; }
SOL_SCALAR uint64_t sol_shift_right_u64(uint64_t a, uint64_t n, int bits) { return n < (uint64_t)bits ? a >> n : 0; }

SOL_SCALAR uint64_t sol_modulo_u64(uint64_t a, uint64_t b) { return b == 0 ? 0 : a % b; }
SOL_SCALAR uint64_t sol_remainder_u64(uint64_t a, uint64_t b) { return b == 0 ? 0 : a % b; }
SOL_SCALAR uint64_t sol_floor_divide_u64(uint64_t a, uint64_t b) { return b == 0 ? 0 : a / b; }
SOL_SCALAR uint64_t sol_power_u64(uint64_t base, uint64_t n)
{
    uint64_t r = 1;
    for (; n; n >>= 1, base *= base)
        if (n & 1) r *= base;
    return r;
}
#endif
