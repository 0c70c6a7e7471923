/* Elementary functions on vf, written with vector extensions alone. Accuracy is stated per function (tests/codegen/test_math.py).
 * NaN, infinities, overflow and subnormal results are those of libm. Polynomials are minimax fits in relative error (Lawson's
 * iterated reweighting of Chebyshev least squares in double precision, coefficients rounded to float32). */
#ifndef SOL_MATH_H
#define SOL_MATH_H
#include "sol_math_parts.h"

SOL_INLINE vf vf_ceil(vf x) { return -vf_floor(-x); }
SOL_INLINE vf vf_trunc(vf x) { return vf_copysign(vf_floor(vf_abs(x)), x); }

/* Lane by lane through a scalar function of libm. */
#define SOL_BY_LANE1(name, scalar)                              \
    static __attribute__((noinline, unused)) vf name(vf x)      \
    {                                                           \
        float s[LANES];                                         \
        memcpy(s, &x, sizeof s);                                \
        for (int i = 0; i < LANES; i++) s[i] = scalar(s[i]);    \
        memcpy(&x, s, sizeof s);                                \
        return x;                                               \
    }
#define SOL_BY_LANE2(name, scalar)                                    \
    static __attribute__((noinline, unused)) vf name(vf x, vf y)      \
    {                                                                 \
        float s[LANES], t[LANES];                                     \
        memcpy(s, &x, sizeof s);                                      \
        memcpy(t, &y, sizeof t);                                      \
        for (int i = 0; i < LANES; i++) s[i] = scalar(s[i], t[i]);    \
        memcpy(&x, s, sizeof s);                                      \
        return x;                                                     \
    }
SOL_BY_LANE1(vf_sin_by_lane, sinf)
SOL_BY_LANE1(vf_cos_by_lane, cosf)
SOL_BY_LANE1(vf_tan_by_lane, tanf)

/* r = x - n ln2 with n the nearest integer to x / ln2 (Cody and Waite, two parts). */
SOL_INLINE vf vf_exp_reduced(vf x, vf *n)
{
    *n = vf_rint(x * 1.44269504f);
    const vf r = x - *n * 0.693359375f;
    return r + *n * 2.12194440e-4f;
}
/* e^r - 1 for |r| <= ln2/2. */
SOL_INLINE vf vf_expm1_reduced(vf r)
{
    vf p = 8.36652052e-3f + r * 1.38825201e-3f;
    p = p * r + 4.16672006e-2f;
    p = p * r + 1.66665435e-1f;
    p = p * r + 0.49999997f;
    return p * (r * r) + r;
}

/* e^r for |r| <= ln2/2. */
SOL_INLINE vf vf_exp_near(vf r)
{
    vf p = 8.36871658e-3f + r * 1.38145988e-3f;
    p = p * r + 4.1668389e-2f;
    p = p * r + 1.66665211e-1f;
    p = p * r + 0.49999994f;
    return p * (r * r) + r + 1.0f;
}
/* exp: 2^n e^r. <= 2 ulp. */
SOL_INLINE vf vf_exp(vf x)
{
    vf n, r = vf_exp_reduced(vf_max_quiet(vf_set(-104.0f), vf_min_quiet(vf_set(89.0f), x)), &n);
    return vf_scale(vf_exp_near(r), n);
}
/* The same for x <= 0, which takes fewer instructions. */
SOL_INLINE vf vf_exp_below(vf x)
{
    const vf c = vf_max_quiet(vf_set(-104.0f), x);
    vf code, n = vf_whole(c * 1.44269504f, &code), r = c - n * 0.693359375f;
    r = r + n * 2.12194440e-4f;
    return vf_scale_down(vf_exp_near(r), code);
}

/* exp2: x = n + r is exact, |r| <= 1/2. <= 2 ulp. */
SOL_INLINE vf vf_exp2_reduced(vf r)
{
    vf p = 1.3398875e-3f + r * 1.5353362e-4f;
    p = p * r + 9.61843692e-3f;
    p = p * r + 5.55033237e-2f;
    p = p * r + 0.240226477f;
    p = p * r + 0.693147182f;
    return p * r + 1.0f;
}
SOL_INLINE vf vf_exp2(vf x)
{
    const vf c = vf_max_quiet(vf_set(-151.0f), vf_min_quiet(vf_set(129.0f), x)), n = vf_rint(c);
    return vf_scale(vf_exp2_reduced(c - n), n);
}

/* expm1: 2^n (e^r - 1) + (2^n - 1), halved until the end so that 2^128 is not needed. <= 3 ulp. */
SOL_INLINE vf vf_expm1(vf x)
{
    vf n, r = vf_exp_reduced(vf_max_quiet(vf_set(-30.0f), vf_min_quiet(vf_set(89.0f), x)), &n);
    const vf half = vf_scale(vf_set(0.5f), n);
    const vf y = (vf_expm1_reduced(r) * half + (half - 0.5f)) * 2.0f;
    return vf_select(x == 0.0f, x, y);
}

/* log: x = 2^n m, 3/4 <= m < 3/2, polynomial in m - 1. <= 2 ulp. */
SOL_INLINE vf vf_log(vf x)
{
    vf n, f = vf_mantissa(x, &n) - 1.0f;
    vf p = 0.117006607f - f * 0.0911618695f;
    p = p + f * f * 0.0376728885f;
    p = p * f - 0.127277792f;
    p = p * f + 0.142762393f;
    p = p * f - 0.166552961f;
    p = p * f + 0.199996054f;
    p = p * f - 0.250001639f;
    p = p * f + 0.333333403f;
    const vf s = f * f;
    return p * (f * s) + n * 1.42860677e-6f - 0.5f * s + f + n * 0.693145752f;
}

/* log1p: log(u) with u = 1 + x, and what the rounding of u lost, over u. <= 3 ulp. */
SOL_INLINE vf vf_log1p(vf x)
{
    const vf u = 1.0f + x, lost = vf_select(vf_abs(x) < 1.0f, x - (u - 1.0f), 1.0f - (u - x));
    const vf r = vf_log(u) + vf_divide(lost, u);
    return vf_select((u == 1.0f) | (x > 3.40282347e38f), x, vf_select(u == 0.0f, vf_set(-INFINITY), r));
}

/* tanh: odd polynomial below 5/8, else 1 - 2 y / (1 + y) with y = e^-2|x|. <= 2 ulp. */
SOL_INLINE vf vf_tanh(vf x)
{
    const vf a = vf_min_quiet(vf_set(10.0f), vf_abs(x)), s = a * a;
    vf p = 0.0206390787f + s * -0.00570497848f;
    p = p * s - 0.0537397116f;
    p = p * s + 0.133314416f;
    p = p * s - 0.333332807f;
    const vf y = vf_exp_below(-2.0f * a);
    return vf_copysign(vf_select(a < 0.625f, p * (s * a) + a, 1.0f - vf_divide(y + y, 1.0f + y)), x);
}

/* 1 / (1 + e^-x), by e^-|x|, which does not overflow. <= 3 ulp. */
SOL_INLINE vf vf_sigmoid(vf x)
{
    const vf y = vf_exp_below(-vf_abs(x));
    return vf_divide(vf_select(x < 0.0f, y, vf_set(1.0f)), 1.0f + y);
}

/* log(1 + e^x) = max(x, 0) + log1p(e^-|x|). <= 3 ulp. */
SOL_INLINE vf vf_softplus(vf x)
{
    const vf y = vf_exp_below(-vf_abs(x)), u = 1.0f + y;
    const vf r = vf_log(u) + vf_divide(y - (u - 1.0f), u);
    return vf_max(x, vf_zero()) + r;
}

/* erf: odd polynomial below 0.93, else 1 - exp(q) where q = log(erfc|x|) is a polynomial. <= 2 ulp. */
SOL_INLINE vf vf_erf(vf x)
{
    vf a = vf_min_quiet(vf_set(4.0f), vf_abs(x));
    vf s = a * a;
    vf p = -0.000813001185f + s * 8.31677244e-05f;
    p = p * s + 0.00519990642f;
    p = p * s - 0.0268589407f;
    p = p * s + 0.112836875f;
    p = p * s - 0.376126319f;
    p = p * s + 0.128379166f;
    vf small = p * a + a;
    vf q = 4.55812005e-05f + a * -4.93821562e-06f;
    q = q * a + 4.95866916e-05f;
    q = q * a - 0.00293015735f;
    q = q * a + 0.0226741377f;
    q = q * a - 0.105262697f;
    q = q * a - 0.635625303f;
    q = q * a - 1.12855172f;
    vf large = 1.0f - vf_exp_below(q * a);
    return vf_copysign(vf_select(a < 0.93f, small, large), x);
}

/* For a >= 0: the normal distribution left of -a, (1 - erf(a / sqrt 2)) / 2, its approximation 1 / (1 + e^u), u = sqrt(8 / pi) (a + 0.044715 a^3),
 * the slopes of gelu at -a by both, and 1 / (1 + e^a). */
#ifdef SOL_HAS_SCALE
#include "sol_pieces.h"
#else
/* 2^q, where q is a polynomial in a, which is below -150.5 at 12: zero. Absolute error <= 1e-7, relative to the result <= 5e-6 up to 6. */
SOL_INLINE vf vf_normal_tail(vf a)
{
    const vf b = vf_min_quiet(vf_set(12.0f), a);
    vf q = 6.21970798e-7f - b * 1.94693861e-8f;
    q = q * b - 8.47538649e-6f;
    q = q * b + 6.23210435e-5f;
    q = q * b - 2.32759718e-4f;
    q = q * b - 9.24947235e-5f;
    q = q * b + 7.0524714e-3f;
    q = q * b - 5.25062419e-2f;
    q = q * b - 0.4592022f;
    q = q * b - 1.15110588f;
    q = q * b - 1.0f;
    vf code, n = vf_whole(q, &code);
    return vf_scale_down(vf_exp2_reduced(q - n), code);
}
SOL_INLINE vf vf_sigmoid_tail(vf a)
{
    const vf y = vf_exp_below(-a);
    return vf_divide(y, 1.0f + y);
}
SOL_INLINE vf vf_tanh_tail(vf a) { return vf_sigmoid_tail(1.59576912f * (a + 0.044715f * (a * a * a))); }
SOL_INLINE vf vf_normal_slope(vf a) { return vf_normal_tail(a) - a * (0.398942280f * vf_exp_below(-0.5f * (a * a))); }
SOL_INLINE vf vf_tanh_slope(vf a)
{
    const vf b = vf_min_quiet(vf_set(12.0f), a), s = vf_tanh_tail(b);
    return s - b * (s * (1.0f - s)) * (1.59576912f + 0.214064414f * (b * b));
}
#endif
SOL_INLINE vf vf_normal_cdf(vf x)
{
    const vf left = vf_normal_tail(vf_abs(x));
    return vf_select(x < 0.0f, left, 1.0f - left);
}

/* x g(x) for a gate g(x) = 1 - g(-x), so max(x, 0) - |x| g(-|x|); tail(a) is g(-a). NaN at minus infinity. */
#define SOL_GATE(name, tail)                                            \
    SOL_INLINE vf name(vf x)                                            \
    {                                                                   \
        const vf a = vf_abs(vf_min_quiet(vf_set(100.0f), x));           \
        return vf_max_quiet(x, vf_zero()) - a * tail(a);                \
    }
SOL_GATE(vf_gelu, vf_normal_tail)
SOL_GATE(vf_gelu_tanh, vf_tanh_tail)
SOL_GATE(vf_silu, vf_sigmoid_tail)

/* Slopes: left of zero h at -|x|, right of it 1 - h. NaN at infinity. Absolute error <= 3e-7. */
#define SOL_GATE_SLOPE(name, slope)                                     \
    SOL_INLINE vf name(vf x)                                            \
    {                                                                   \
        const vf h = slope(vf_abs(x));                                  \
        return vf_select(x < 0.0f, h, 1.0f - h) + 0.0f * x;             \
    }
SOL_GATE_SLOPE(vf_gelu_slope, vf_normal_slope)
SOL_GATE_SLOPE(vf_gelu_tanh_slope, vf_tanh_slope)

/* The same for results that are rounded to bfloat16: relative error <= 2^-14 down to -2.5, absolute error <= 2e-7 below. */
SOL_INLINE vf vf_normal_cdf_bf16(vf x)
{
    const vf a = vf_min_quiet(vf_set(13.0f), vf_abs(x));
    vf q = 0.0066614462f - a * 0.000412905156f;
    q = q * a - 0.0508515737f;
    q = q * a - 0.460797114f;
    q = q * a - 1.1506644f;
    q = q * a - 1.0f;
    const vf n = vf_rint(q), r = q - n;
    vf p = 0.0559064258f + r * 0.00958285324f;
    p = p * r + 0.240240986f;
    p = p * r + 0.693124193f;
    p = p * r + 1.0f;
    const vf left = vf_scale(p, n);
    return vf_select(x < 0.0f, left, 1.0f - left);
}

/* x - q pi/2, q an integer below 2^17: three parts of pi/2, each multiplied and subtracted with one rounding. */
SOL_INLINE vf vf_quarter_turns(vf x, vi *q)
{
    const vf n = vf_rint(x * 0.636619772f);
    *q = __builtin_convertvector(n, vi);
    return vf_fnma(n, vf_set(-1.71512449e-15f), vf_fnma(n, vf_set(-4.37113883e-8f), vf_fnma(n, vf_set(1.57079637f), x)));
}
/* For |r| <= pi/4. */
SOL_INLINE vf vf_sin_reduced(vf r, vf s)
{
    vf p = -1.98393085e-4f + s * 2.71808403e-06f;
    p = p * s + 8.33332911e-3f;
    p = p * s - 0.166666672f;
    return p * (s * r) + r;
}
SOL_INLINE vf vf_cos_reduced(vf s)
{
    vf c = 2.47994558e-05f + s * -2.72053995e-07f;
    c = c * s - 1.38888834e-3f;
    c = c * s + 0.0416666679f;
    return c * (s * s) - 0.5f * s + 1.0f;
}
/* sin and cos: <= 2 ulp for |x| < 1e5; a vector with a larger or non-finite lane goes through libm. quarter: 0 for sin, 1 for cos. */
SOL_INLINE vf vf_circular(vf x, int quarter)
{
    vi q;
    const vf r = vf_quarter_turns(x, &q), s = r * r;
    q += quarter;
    const vf y = vf_select((q & 1) == 0, vf_sin_reduced(r, s), vf_cos_reduced(s));
    return (vf)((vi)y ^ ((q & 2) << 30));
}
#define SOL_OUTSIDE(x, limit) vi_any(~(vf_abs(x) < (limit)))
SOL_INLINE vf vf_sin(vf x)
{
    if (SOL_OUTSIDE(x, 1e5f)) return vf_sin_by_lane(x);
    return vf_select(x == 0.0f, x, vf_circular(x, 0));
}
SOL_INLINE vf vf_cos(vf x) { return SOL_OUTSIDE(x, 1e5f) ? vf_cos_by_lane(x) : vf_circular(x, 1); }
/* tan: sin / cos of the same remainder, turned over in odd quarters. <= 4 ulp, as sin and cos. */
SOL_INLINE vf vf_tan(vf x)
{
    if (SOL_OUTSIDE(x, 1e5f)) return vf_tan_by_lane(x);
    vi q;
    const vf r = vf_quarter_turns(x, &q), s = r * r, sine = vf_sin_reduced(r, s), cosine = vf_cos_reduced(s);
    const vi odd = (q & 1) != 0;
    const vf y = vf_select(odd, cosine, sine) / vf_select(odd, sine, cosine);
    return vf_select(x == 0.0f, x, vf_flip_where(odd, y));
}
#include "sol_math_binary.h" /* vf_pow, vf_fmod, vf_atan2 */
#endif
