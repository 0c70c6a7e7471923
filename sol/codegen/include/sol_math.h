/* Elementary functions on vf, written with vector extensions alone. Accuracy is stated per function (tests/codegen/test_math.py).
 * NaN, infinities, overflow and subnormal results are those of libm. Polynomials are minimax fits in relative error (Lawson's
 * iterated reweighting of Chebyshev least squares in double precision, coefficients rounded to float32). */
#ifndef SOL_MATH_H
#define SOL_MATH_H

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
SOL_BY_LANE2(vf_pow, powf)
SOL_BY_LANE2(vf_fmod, fmodf)
SOL_BY_LANE2(vf_atan2, atan2f)
SOL_BY_LANE1(vf_sin_by_lane, sinf)
SOL_BY_LANE1(vf_cos_by_lane, cosf)

/* exp: x = n ln2 + r, |r| <= ln2/2, 2^n applied in two steps so that overflow and subnormals come out right. <= 2 ulp. */
SOL_INLINE vf vf_exp(vf x)
{
    vf c = vf_max_quiet(vf_set(-104.0f), vf_min_quiet(vf_set(89.0f), x));
    vf n = vf_rint(c * 1.44269504f);
    vf r = c - n * 0.693359375f;
    r = r + n * 2.12194440e-4f;
    vf p = 1.3981999507e-3f + r * 1.9875691500e-4f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * (r * r) + r + 1.0f;
    vi k = __builtin_convertvector(vf_select(x == x, n, vf_zero()), vi);
    vi half = k >> 1;
    return p * (vf)((half + 127) << 23) * (vf)((k - half + 127) << 23);
}

/* expm1: e^r - 1 by a polynomial, then 2^n (e^r - 1) + (2^n - 1), halved until the end so that 2^128 is not needed. <= 3 ulp. */
SOL_INLINE vf vf_expm1(vf x)
{
    vf c = vf_max_quiet(vf_set(-30.0f), vf_min_quiet(vf_set(89.0f), x));
    vf n = vf_rint(c * 1.44269504f);
    vf r = c - n * 0.693359375f;
    r = r + n * 2.12194440e-4f;
    vf p = 1.39407208e-3f + r * 1.98458845e-4f;
    p = p * r + 8.33338965e-3f;
    p = p * r + 4.16663587e-2f;
    p = p * r + 1.66666657e-1f;
    p = p * r + 0.5f;
    p = p * (r * r) + r;
    vf half = (vf)((__builtin_convertvector(vf_select(x == x, n, vf_zero()), vi) + 126) << 23);
    vf y = (p * half + (half - 0.5f)) * 2.0f;
    return vf_select(x == 0.0f, x, y);
}

/* log: x = 2^k m, sqrt(1/2) <= m < sqrt(2), polynomial in m - 1; subnormals are scaled first. <= 2 ulp. */
SOL_INLINE vf vf_log(vf x)
{
    vi tiny = x < 1.17549435e-38f;
    vf y = vf_select(tiny, x * 8388608.0f, x);
    vi bits = (vi)y;
    vi k = (bits - 0x3f3504f3) >> 23;
    vf m = (vf)(bits - (k << 23));
    vf n = __builtin_convertvector(k - (tiny & 23), vf);
    vf f = m - 1.0f;
    vf p = -0.116756409f + f * 0.0674660131f;
    p = p * f + 0.118881747f;
    p = p * f - 0.124055915f;
    p = p * f + 0.142195508f;
    p = p * f - 0.166679963f;
    p = p * f + 0.200021192f;
    p = p * f - 0.250000089f;
    p = p * f + 0.333333135f;
    vf s = f * f;
    vf r = p * (f * s) + n * -2.12194440e-4f;
    r = r - 0.5f * s + f + n * 0.693359375f;
    r = vf_select(x > 3.40282347e38f, x, r);
    r = vf_select(x == 0.0f, vf_set(-INFINITY), r);
    return vf_select(x >= 0.0f, r, vf_set(NAN));
}

/* log1p: log(u) x / (u - 1) with u = 1 + x, which cancels the rounding of u (Kahan). <= 3 ulp. */
SOL_INLINE vf vf_log1p(vf x)
{
    vf u = 1.0f + x;
    vf d = u - 1.0f;
    vf r = vf_log(u) * (x / d);
    return vf_select((d == 0.0f) | (x > 3.40282347e38f), x, r);
}

/* tanh: odd polynomial below 5/8, else 1 - 2 / (e^2|x| + 1). <= 2 ulp. */
SOL_INLINE vf vf_tanh(vf x)
{
    vf a = vf_min_quiet(vf_set(10.0f), vf_abs(x));
    vf s = a * a;
    vf p = 0.0206390787f + s * -0.00570497848f;
    p = p * s - 0.0537397116f;
    p = p * s + 0.133314416f;
    p = p * s - 0.333332807f;
    vf small = p * (s * a) + a;
    vf large = 1.0f - 2.0f / (vf_exp(a + a) + 1.0f);
    return vf_copysign(vf_select(a < 0.625f, small, large), x);
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
    vf large = 1.0f - vf_exp(q * a);
    return vf_copysign(vf_select(a < 0.93f, small, large), x);
}

/* sin and cos: x = q pi/2 + r with r computed in double (Cody and Waite, two parts), |r| <= pi/4. <= 2 ulp for |x| < 1e5; a vector with
 * a larger or non-finite lane goes through libm. quarter: 0 for sin, 1 for cos. */
SOL_INLINE vf vf_sin_reduced(vf x, int quarter)
{
    float in[LANES], rest[LANES];
    int32_t turn[LANES];
    memcpy(in, &x, sizeof in);
    for (int i = 0; i < LANES; i++) {
        double n = (double)in[i] * 0.63661977236758134308 + 6755399441055744.0; /* rounds to an integer */
        n -= 6755399441055744.0;
        rest[i] = (float)((double)in[i] - n * 1.57079632673412561417e+00 - n * 6.07710050650619224932e-11);
        turn[i] = (int32_t)n;
    }
    vf r;
    vi q;
    memcpy(&r, rest, sizeof r);
    memcpy(&q, turn, sizeof q);
    q += quarter;
    vf s = r * r;
    vf p = -1.98393085e-4f + s * 2.71808403e-06f;
    p = p * s + 8.33332911e-3f;
    p = p * s - 0.166666672f;
    vf sine = p * (s * r) + r;
    vf c = 2.47994558e-05f + s * -2.72053995e-07f;
    c = c * s - 1.38888834e-3f;
    c = c * s + 0.0416666679f;
    vf cosine = c * (s * s) - 0.5f * s + 1.0f;
    vf y = vf_select((q & 1) == 0, sine, cosine);
    return (vf)((vi)y ^ ((q & 2) << 30));
}
SOL_INLINE int vf_within(vf x, float limit)
{
    vi inside = vf_abs(x) < limit;
    int32_t m[LANES], all = -1;
    memcpy(m, &inside, sizeof m);
    for (int i = 0; i < LANES; i++) all &= m[i];
    return all;
}
SOL_INLINE vf vf_sin(vf x)
{
    if (!vf_within(x, 1e5f)) return vf_sin_by_lane(x);
    return vf_select(x == 0.0f, x, vf_sin_reduced(x, 0));
}
SOL_INLINE vf vf_cos(vf x) { return vf_within(x, 1e5f) ? vf_sin_reduced(x, 1) : vf_cos_by_lane(x); }

SOL_INLINE vf vf_sigmoid(vf x) { return 1.0f / (1.0f + vf_exp(-x)); }
#endif
