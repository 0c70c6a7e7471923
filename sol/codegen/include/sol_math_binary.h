/* Functions of two operands on vf: powers, remainders and angles. Included by sol_math.h, whose rules hold here. */
#ifndef SOL_MATH_BINARY_H
#define SOL_MATH_BINARY_H

/* 2^(y log2 x) for x >= 0 in double, which leaves no error beyond the last rounding: log2 by the series of 2 atanh(s), s = (m - 1) / (m + 1),
 * of the mantissa 3/4 <= m < 3/2; the power by a polynomial of what is left of an integer. */
SOL_INLINE vd vd_power(vd x, vd y)
{
    const vl bits = (vl)x, biased = (vl)((vlu)(bits + 0x0008000000000000) >> 52);
    const vd m = (vd)(bits - ((biased - 1023) << 52)), k = (vd)(biased | 0x4330000000000000) - 4503599627371519.0; /* 2^52 + 1023 */
    const vd s = (m - 1.0) / (m + 1.0), u = s * s;
    vd p = 0.11067585705779681 + u * 0.1006091201239331;
    p = p * u + 0.14286591449966435;
    p = p * u + 0.19999992316305507;
    p = p * u + 0.33333333355153733;
    vd l = k + (s * 2.8853900817779268 + p * u * (s * 2.8853900817779268));
    l = vd_select(x == 0.0, vd_set(-1e300), vd_select(x > 3.5e38, vd_set(1e300), l));
    vd t = y * l;
    t = vd_select(t > 200.0, vd_set(200.0), vd_select(t < -200.0, vd_set(-200.0), t));
    const vd shifted = t + 6755399441055744.0, r = t - (shifted - 6755399441055744.0); /* rounds to an integer */
    vd e = 1.3398874634578608e-3 + r * 1.5353361264591129e-4;
    e = e * r + 9.6184373620106598e-3;
    e = e * r + 5.5503324704282903e-2;
    e = e * r + 0.24022647913564857;
    e = e * r + 0.69314720285550613;
    e = e * r + 1.0;
    return e * (vd)(((vl)shifted + 1023) << 52);
}

/* pow: the special cases are those of C. <= 1 ulp. */
SOL_INLINE vf vf_pow(vf x, vf y)
{
    const vf a = vf_abs(x);
    vf r = vf_from_doubles(vd_power(vd_low(a), vd_low(y)), vd_power(vd_high(a), vd_high(y)));
    const vi whole = vf_rint(y) == y, odd = whole & (vf_rint(y * 0.5f) != y * 0.5f);
    r = vf_flip_where(odd & ((vi)x < 0), r);
    r = vf_select((x < 0.0f) & (a < INFINITY) & ~whole, vf_set(NAN), r);
    r = vf_select(x != x, x, r);
    return vf_select((x == 1.0f) | (y == 0.0f) | ((x == -1.0f) & (vf_abs(y) == INFINITY)), vf_set(1.0f), r);
}

/* r - trunc(r / d) d for 0 <= r < 2^23 d: the quotient may be rounded up to the next integer, never down. Exact. */
SOL_INLINE vf vf_rest(vf r, vf d)
{
    const vf rest = vf_fnma(vf_floor(r / d), d, r);
    return vf_select(rest < 0.0f, rest + d, rest);
}
SOL_BY_LANE2(vf_fmod_by_lane, fmodf)
/* fmod: exact. Far apart operands take a step per 2^21; a vector with a lane that is not finite, or a divisor below the normal numbers, goes
 * through libm. */
SOL_INLINE vf vf_fmod(vf x, vf y)
{
    vf r = vf_abs(x);
    const vf d = vf_abs(y);
    if (vi_any(~((r < INFINITY) & (d < INFINITY) & (d >= 1.17549435e-38f)))) return vf_fmod_by_lane(x, y);
    for (;;) {
        const vi far = r >= d * 4194304.0f;
        if (!vi_any(far)) break;
        const vi steps = ((vi)r >> 23) - ((vi)d >> 23) - 21;
        r = vf_select(far, vf_rest(r, (vf)((vi)d + (steps << 23))), r);
    }
    return vf_copysign(vf_rest(r, d), x);
}

/* atan(a) for 0 <= a <= 1. */
SOL_INLINE vf vf_atan_reduced(vf a)
{
    const vf s = a * a;
    vf p = -1.63679142e-2f + s * 2.9206886e-3f;
    p = p * s + 4.32118364e-2f;
    p = p * s - 7.55221248e-2f;
    p = p * s + 0.106660038f;
    p = p * s - 0.142110556f;
    p = p * s + 0.199937731f;
    p = p * s - 0.333331525f;
    return p * (s * a) + a;
}
/* atan: pi/2 - atan(1 / a) above 1. <= 3 ulp. */
SOL_INLINE vf vf_atan(vf x)
{
    const vf a = vf_abs(x);
    const vi large = a > 1.0f;
    const vf r = vf_atan_reduced(vf_select(large, 1.0f / a, a));
    return vf_copysign(vf_select(large, 1.57079637f - (r + 4.37113883e-8f), r), x);
}
/* atan2(y, x): the angle of the smaller over the larger size, turned into its octant. <= 3 ulp. */
SOL_INLINE vf vf_atan2(vf y, vf x)
{
    const vf a = vf_abs(x), b = vf_abs(y), large = vf_max(a, b), small = vf_min(a, b);
    vf q = small / large;
    q = vf_select(large == 0.0f, vf_zero(), vf_select(small == INFINITY, vf_set(1.0f), q));
    vf r = vf_atan_reduced(q);
    r = vf_select(b > a, 1.57079637f - (r + 4.37113883e-8f), r);
    r = vf_select((vi)x < 0, 3.14159274f - (r + 8.74227766e-8f), r);
    return vf_copysign(vf_select(x != x, x, r), y);
}
#endif
