/* What elementary functions are made of: one rounding for a product and a difference, powers of two, reciprocals, halves in double.
 *   vf_fnma(a, b, c)            c - a b, rounded once
 *   vi_any(mask)                whether any lane is true
 *   vf_scale(x, n)              x 2^n for integers n; overflow and subnormal results come out right, NaN of NaN
 *   vf_whole(x, &code)          the integer next to x, |x| < 2^21, and its code
 *   vf_scale_down(x, code)      x 2^n for the integer n of that code, -150 <= n <= 100, and 0 for -151; subnormal results come out right, NaN of NaN
 *   vf_mantissa(x, &n)          m with x = 2^n m, 3/4 <= m < 3/2; n is infinite where x is zero (negative) or infinite, m is NaN of negative x
 *   vf_divide(a, b)             a / b for 2^-100 < |b| < 2^100 and finite a (<= 1 ulp)
 *   vf_sqrt(x), vf_rsqrt(x)     any x, special values as in libm (<= 1 ulp, <= 2 ulp)
 *   vd_low, vd_high             halves of a vf as doubles, and vf_from_doubles back
 * The first version of each is for targets that have instructions for exponents (AVX-512). */
#ifndef SOL_MATH_PARTS_H
#define SOL_MATH_PARTS_H

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
SOL_INLINE vf vf_fnma(vf a, vf b, vf c) { return c - a * b; }
#else
SOL_INLINE vf vf_fnma(vf a, vf b, vf c)
{
    vf r;
    for (int i = 0; i < LANES; i++) r[i] = (float)((double)c[i] - (double)a[i] * (double)b[i]);
    return r;
}
#endif
#ifdef SOL_HAS_SCALE
SOL_INLINE vf vf_whole(vf x, vf *code) { return *code = vf_rint(x); }
SOL_INLINE vf vf_scale_down(vf x, vf code) { return vf_scale(x, code); }
SOL_INLINE vf vf_mantissa(vf x, vf *n)
{
    const vf m = vf_significand(x);
    *n = vf_exponent(x) - vf_exponent(m);
    return m;
}
/* One step of Newton's method on 14 bits, in half the time of the instruction. */
SOL_INLINE vf vf_divide(vf a, vf b)
{
    const vf r = vf_reciprocal_roughly(b), q = a * r;
    return q + r * (a - q * b);
}
/* Two steps from 14 bits, the second on the exact residual (Markstein 1990), in a third of the time that the instruction takes. Zero,
 * infinity and NaN as they are. */
SOL_INLINE vf vf_sqrt(vf x)
{
    const vf y = vf_rsqrt_roughly(x), g = x * y, h = 0.5f * y, e = 0.5f - g * h, root = g + g * e;
    const vi plain = (x > 0.0f) & (x < 3.40282347e38f);
    return (vf)((plain & (vi)(root + (x - root * root) * (h + h * e))) | (~plain & (vi)vf_select(x < 0.0f, vf_set(NAN), x)));
}
SOL_INLINE vf vf_rsqrt(vf x)
{
    const vf y = vf_rsqrt_roughly(x), h = 0.5f * y, e = 0.5f - (x * y) * h, better = y + y * e;
    return vf_select((x > 0.0f) & (x < 3.40282347e38f), better + better * (0.5f - (x * better) * (0.5f * better)), y);
}
#else
SOL_INLINE int vi_any(vi mask)
{
    int32_t m[LANES], any = 0;
    memcpy(m, &mask, sizeof m);
    for (int i = 0; i < LANES; i++) any |= m[i];
    return any;
}
/* In two steps, for -252 <= n <= 254. */
SOL_INLINE vf vf_scale(vf x, vf n)
{
    const vi k = __builtin_convertvector(vf_select(n == n, n, vf_zero()), vi), half = k >> 1;
    return x * (vf)((half + 127) << 23) * (vf)((k - half + 127) << 23);
}
/* 3 2^22 is so large that a sum with it is rounded to an integer, which its last bits hold. */
SOL_INLINE vf vf_whole(vf x, vf *code)
{
    *code = x + 12582912.0f;
    return *code - 12582912.0f;
}
/* By 2^(n + 24), then by 2^-24, which alone rounds. */
SOL_INLINE vf vf_scale_down(vf x, vf code)
{
    return x * (vf)(((vi)code - (0x4b400000 - 127 - 24)) << 23) * 5.96046448e-8f;
}
SOL_INLINE vf vf_mantissa(vf x, vf *n)
{
    const vi tiny = x < 1.17549435e-38f;
    const vi bits = (vi)vf_select(tiny, x * 8388608.0f, x), k = (bits - 0x3f400000) >> 23;
    const vf e = vf_select(x > 3.40282347e38f, x, __builtin_convertvector(k - (tiny & 23), vf));
    *n = vf_select(x == 0.0f, vf_set(-INFINITY), e);
    return vf_select(x >= 0.0f, (vf)(bits - (k << 23)), vf_set(NAN));
}
SOL_INLINE vf vf_divide(vf a, vf b) { return a / b; }
SOL_INLINE vf vf_rsqrt(vf x) { return 1.0f / vf_sqrt(x); }
SOL_INLINE vd vd_low(vf x) { return __builtin_convertvector(vf_low(x), vd); }
SOL_INLINE vd vd_high(vf x)
{
    vh high;
    memcpy(&high, (const char *)&x + sizeof high, sizeof high);
    return __builtin_convertvector(high, vd);
}
SOL_INLINE vf vf_from_doubles(vd low, vd high)
{
    const vh a = __builtin_convertvector(low, vh), b = __builtin_convertvector(high, vh);
#if SOL_LANES == 8 && (defined(__clang__) || __GNUC__ >= 12)
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
#else
    vf r;
    memcpy(&r, &a, sizeof a);
    memcpy((char *)&r + sizeof a, &b, sizeof b);
    return r;
#endif
}
#endif
#endif
