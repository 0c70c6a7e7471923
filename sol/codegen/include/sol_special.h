/* Inverse and hyperbolic functions and their kin on vf, after sol_math.h and with its conventions: accuracy stated per function
 * (tests/codegen/test_math.py), special values those of libm, polynomials minimax fits in relative error. */
#ifndef SOL_SPECIAL_H
#define SOL_SPECIAL_H

#define SOL_LN2_HIGH 0.693359375f /* few bits: times a whole number below 256 it is exact */
#define SOL_LN2_LOW -2.12194440e-4f
#define SOL_HALF_PI 1.57079637f
#define SOL_HALF_PI_REST -4.37113883e-8f

/* asin of 0 … 1/2 by its odd polynomial, less the argument. */
SOL_INLINE vf vf_asin_rest(vf a, vf s)
{
    vf p = 1.440259721e-2f + s * 3.756521642e-2f;
    p = p * s + 3.181761503e-2f;
    p = p * s + 4.451572150e-2f;
    p = p * s + 7.500510663e-2f;
    p = p * s + 1.666665971e-1f;
    return p * (s * a);
}
/* asin: beyond 1/2 pi/2 - 2 asin(sqrt((1 - x) / 2)). <= 2 ulp. */
SOL_INLINE vf vf_asin(vf x)
{
    vf a = vf_abs(x);
    vi beyond = a > 0.5f;
    vf s = vf_select(beyond, 0.5f - 0.5f * a, a * a);
    vf r = vf_select(beyond, vf_sqrt(s), a);
    vf rest = vf_asin_rest(r, s);
    vf y = vf_select(beyond, SOL_HALF_PI - (2.0f * r + (2.0f * rest - SOL_HALF_PI_REST)), r + rest);
    return vf_copysign(y, x);
}
/* acos: from the same halves. <= 2 ulp. */
SOL_INLINE vf vf_acos(vf x)
{
    vf a = vf_abs(x);
    vi beyond = a > 0.5f;
    vf s = vf_select(beyond, 0.5f - 0.5f * a, a * a);
    vf r = vf_select(beyond, vf_sqrt(s), a);
    vf rest = vf_asin_rest(r, s);
    vf small = SOL_HALF_PI - (vf_copysign(r, x) + (vf_copysign(rest, x) - SOL_HALF_PI_REST));
    vf large = 2.0f * (r + rest);
    large = vf_select(x < 0.0f, 2.0f * SOL_HALF_PI - (large - 2.0f * SOL_HALF_PI_REST), large);
    return vf_select(beyond, large, small);
}

/* sinh: odd polynomial below 1, else from e^(|x| - 1) e/2, whose argument is exact. <= 4 ulp. */
SOL_INLINE vf vf_sinh(vf x)
{
    vf a = vf_abs(x);
    vf s = a * a;
    vf p = 1.983606635e-4f + s * 2.817439508e-6f;
    p = p * s + 8.333350532e-3f;
    p = p * s + 1.666666716e-1f;
    vf small = p * (s * a) + a;
    vf e = vf_exp(a - 1.0f) * 1.35914087f;
    vf large = e - 0.25f / e;
    return vf_copysign(vf_select(a < 1.0f, small, large), x);
}
/* cosh: <= 4 ulp. */
SOL_INLINE vf vf_cosh(vf x)
{
    vf e = vf_exp(vf_abs(x) - 1.0f) * 1.35914087f;
    return e + 0.25f / e;
}

/* log(y) + ln2, for arguments whose double overflows. */
SOL_INLINE vf vf_log_twice(vf y) { return vf_log(y) + 0.693147182f; }

/* asinh: odd polynomial below 1/2, else log1p(a + a^2 / (1 + sqrt(a^2 + 1))), and log(2a) where a^2 overflows. <= 4 ulp. */
SOL_INLINE vf vf_asinh(vf x)
{
    vf a = vf_abs(x);
    vf s = a * a;
    vf p = -1.998563670e-2f + s * 9.175390005e-3f;
    p = p * s + 3.001450002e-2f;
    p = p * s - 4.461344332e-2f;
    p = p * s + 7.499890029e-2f;
    p = p * s - 1.666666567e-1f;
    vf small = p * (s * a) + a;
    vf middle = vf_log1p(a + s / (1.0f + vf_sqrt(s + 1.0f)));
    vf y = vf_select(a < 0.5f, small, vf_select(a > 1e9f, vf_log_twice(a), middle));
    return vf_copysign(y, x);
}
/* acosh: log1p(t + sqrt(2t + t^2)) with t = x - 1, and log(2x) where t^2 overflows. <= 4 ulp. */
SOL_INLINE vf vf_acosh(vf x)
{
    vf t = x - 1.0f;
    vf y = vf_log1p(t + vf_sqrt(t * (t + 2.0f)));
    y = vf_select(x > 1e9f, vf_log_twice(x), y);
    return vf_select(x >= 1.0f, y, vf_set(NAN));
}
/* atanh: odd polynomial below 1/2, else log1p(2a / (1 - a)) / 2. <= 4 ulp. */
SOL_INLINE vf vf_atanh(vf x)
{
    vf a = vf_abs(x);
    vf s = a * a;
    vf p = 5.098551139e-2f + s * 1.771964729e-1f;
    p = p * s + 1.183396056e-1f;
    p = p * s + 1.422148645e-1f;
    p = p * s + 2.000258714e-1f;
    p = p * s + 3.333329856e-1f;
    vf small = p * (s * a) + a;
    vf large = 0.5f * vf_log1p(2.0f * a / (1.0f - a));
    return vf_copysign(vf_select(a < 0.5f, small, large), x);
}

/* erfc: 1 - x p(x^2) below 1/2, else e^-x^2 g(t) / (1 + 2x) with t = (x - 3) / (x + 3); x is split so that the square of its upper half
 * is exact, and the rest's power is a short series. <= 6 ulp where the result is not subnormal. */
SOL_INLINE vf vf_erfc(vf x)
{
    vf a = vf_min_quiet(vf_set(10.5f), vf_abs(x));
    vf t = (a - 3.0f) / (a + 3.0f);
    vf p = -7.055560709e-4f + t * -2.068050671e-4f;
    p = p * t + 1.970969606e-3f;
    p = p * t + 2.515196335e-3f;
    p = p * t - 2.379386872e-2f;
    p = p * t + 6.830876321e-2f;
    p = p * t - 1.192709133e-1f;
    p = p * t + 1.296451837e-1f;
    p = p * t - 4.756240919e-2f;
    p = p * t - 1.356211007e-1f;
    p = p * t + 1.253008008f;
    vf high = (vf)((vi)a & ~0xfff);
    vf rest = (high - a) * (high + a);
    vf grown = rest * (rest * (rest * (0.166666667f + rest * 0.0416666667f) + 0.5f) + 1.0f) + 1.0f;
    vf tail = grown * (p / (1.0f + 2.0f * a)) * vf_exp(-(high * high));
    vf s = a * a;
    vf q = 5.19990642e-3f + s * -8.13001185e-4f;
    q = q * s - 2.68589407e-2f;
    q = q * s + 1.12836875e-1f;
    q = q * s - 3.76126319e-1f;
    q = q * s + 1.28379166e-1f;
    vf small = 1.0f - (x + x * q);
    vf y = vf_select(x < 0.0f, 2.0f - tail, tail);
    return vf_select(x == x, vf_select(a < 0.5f, small, y), x);
}

/* x = 2^n (1 + f), sqrt(1/2) <= 1 + f < sqrt(2), of positive x; log(1 + f) = f + tail. */
SOL_INLINE vf vf_log_parts(vf x, vf *f, vf *tail)
{
    vi tiny = x < 1.17549435e-38f;
    vi bits = (vi)vf_select(tiny, x * 8388608.0f, x);
    vi k = (bits - 0x3f3504f3) >> 23;
    *f = (vf)(bits - (k << 23)) - 1.0f;
    vf s = *f * *f;
    vf p = -0.116756409f + *f * 0.0674660131f;
    p = p * *f + 0.118881747f;
    p = p * *f - 0.124055915f;
    p = p * *f + 0.142195508f;
    p = p * *f - 0.166679963f;
    p = p * *f + 0.200021192f;
    p = p * *f - 0.250000089f;
    p = p * *f + 0.333333135f;
    *tail = p * (*f * s) - 0.5f * s;
    return __builtin_convertvector(k - (tiny & 23), vf);
}
SOL_INLINE vf vf_log_ends(vf x, vf y)
{
    y = vf_select(x > 3.40282347e38f, x, y);
    y = vf_select(x == 0.0f, vf_set(-INFINITY), y);
    return vf_select(x >= 0.0f, y, vf_set(NAN));
}
/* log2: exact for powers of two. The factor is split so that its upper part times f's is nearly exact. <= 2 ulp. */
SOL_INLINE vf vf_log2(vf x)
{
    vf f, tail, n = vf_log_parts(x, &f, &tail);
    vf high = (vf)((vi)f & ~0xfff), low = (f - high) + tail;
    vf y = low * 1.44269502f + high * -1.7605285e-4f;
    return vf_log_ends(x, n + (high * 1.44287109f + y));
}
/* log10: <= 3 ulp. */
SOL_INLINE vf vf_log10(vf x)
{
    vf f, tail, n = vf_log_parts(x, &f, &tail);
    vf high = (vf)((vi)f & ~0xfff), low = (f - high) + tail;
    vf y = low * 0.434294492f + high * -1.1472424e-4f + n * 7.9034151e-6f;
    return vf_log_ends(x, n * 0.301022127f + (high * 0.434409231f + y));
}

/* log |gamma| of positive x: around 2 t times a polynomial of t = x - 2, whose arguments below 1.5 lie one or two steps above and
 * those up to 8 some steps below; beyond Stirling's series. */
SOL_INLINE vf vf_lgamma_positive(vf x)
{
    vi low = x < 0.5f, middle = x < 1.5f;
    vf t = vf_select(low, x, vf_select(middle, x - 1.0f, x - 2.0f)), product = vf_set(1.0f);
    for (int i = 0; i < 5; i++) {
        vi above = (t > 1.0f) & (x < 8.0f);
        product = vf_select(above, product * (t + 1.0f), product);
        t = vf_select(above, t - 1.0f, t);
    }
    vf p = 9.0781453e-05f + t * -1.84486522e-05f;
    p = p * t - 0.000236030012f;
    p = p * t + 0.000519765932f;
    p = p * t - 0.00119166715f;
    p = p * t + 0.0028881347f;
    p = p * t - 0.00738541201f;
    p = p * t + 0.020581008f;
    p = p * t - 0.0673523159f;
    p = p * t + 0.322467029f;
    p = p * t + 0.422784335f;
    vf divisor = vf_select(low, x + x * x, vf_select(middle, x, vf_set(1.0f)));
    vf near = p * t + vf_log(product) - vf_log(divisor);
    vf z = 1.0f / x, s = z * z;
    vf series = z * (0.0833333333f + s * (-0.00277777778f + s * 0.000793650794f));
    vf far = (x - 0.5f) * (vf_log(x) - 1.0f) + (0.418938533f + series);
    return vf_select(x < 8.0f, near, vf_select(x < 4.1e36f, far, vf_set(INFINITY)));
}
/* log |gamma|: of negative x by reflection; infinite at 0 and the negative whole numbers. Within 8 ulp of the larger of the result and 1. */
SOL_INLINE vf vf_lgamma(vf x)
{
    vf a = vf_abs(x);
    vf y = vf_lgamma_positive(a);
    vf fraction = a - vf_floor(a);
    vf turned = vf_log(3.14159274f / (a * vf_sin(3.14159274f * vf_select(fraction > 0.5f, 1.0f - fraction, fraction)))) - y;
    turned = vf_select(fraction == 0.0f, vf_set(INFINITY), turned);
    y = vf_select(x < 0.0f, vf_select(a < 1e-15f, 0.0f - vf_log(a), turned), y);
    y = vf_select(a == INFINITY, a, y);
    return vf_select(x == x, y, x);
}

/* The float beside x on the way to y: the bits of a float of either sign count upwards with its size. */
SOL_INLINE vf vf_nextafter(vf x, vf y)
{
    vi step = ((y > x) == (x > 0.0f)) & 2;
    vf beside = (vf)((vi)x + step - 1);
    vi zero = ((vi)x & 0x7fffffff) == 0;
    beside = vf_select(zero, (vf)(((vi)y & (int32_t)0x80000000) | 1), beside);
    beside = vf_select(x == y, y, beside);
    return vf_select((x == x) & (y == y), beside, x + y);
}
#endif
