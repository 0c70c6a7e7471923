/* Vectors of float and bfloat16 elements that lie apart: in reverse, every second to fourth one, or anywhere. */
#ifndef SOL_APART_H
#define SOL_APART_H
#include "sol_simd.h"

/* n lanes from p on, stride elements apart; the others are zero. Nothing beyond the last lane is read. */
SOL_INLINE vf vf_load_apart(const float *p, int64_t stride, int n)
{
    if (__builtin_constant_p(stride) && n == LANES) {
        vi at;
        if (stride == -1) {
            for (int i = 0; i < LANES; i++) at[i] = LANES - 1 - i;
            return vf_permute(vf_load(p - (LANES - 1)), at);
        }
#ifndef __clang__ /* which has no shuffle by a vector, and finds other ways */
        if (stride == 2) {
            const vf a = vf_load(p), b = vf_load(p + LANES - 1);
            for (int i = 0; i < LANES; i++) at[i] = i < LANES / 2 ? 2 * i : i + i + 1;
            return __builtin_shuffle(a, b, at);
        }
        if (stride == 3 || stride == 4) {
            vf r = vf_load(p);
            for (int k = 1; k < stride; k++) {
                const int first = k + 1 < stride ? k * LANES : (int)((LANES - 1) * stride) - (LANES - 1);
                for (int i = 0; i < LANES; i++) {
                    const int wanted = i * (int)stride;
                    at[i] = k == 1 && wanted < LANES ? wanted : wanted < k * LANES ? i : wanted - first < LANES ? LANES + wanted - first : 0;
                }
                r = __builtin_shuffle(r, vf_load(p + first), at);
            }
            return r;
        }
#endif
    }
    float v[LANES] = {0};
    for (int i = 0; i < n; i++) v[i] = p[i * stride];
    return vf_load(v);
}
/* The same of bfloat16, stride elements apart. */
SOL_INLINE vf vbf_load_apart(const uint16_t *p, int64_t stride, int n)
{
    uint16_t v[LANES] = {0};
    for (int i = 0; i < n; i++) v[i] = p[i * stride];
    return vbf_load(v);
}
#endif
