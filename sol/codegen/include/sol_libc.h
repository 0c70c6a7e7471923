/* What generated code uses of C's library. Declared here, as C allows: to parse the system's <math.h>, <string.h> and <sched.h> takes each
 * unit as long as to parse all of ours. Compilers know these functions by name, with what they do, and take the same care of them. */
#ifndef SOL_LIBC_H
#define SOL_LIBC_H
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int byte, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);
int sched_yield(void);

#define SOL_OF_ONE(name) double name(double); float name##f(float);
#define SOL_OF_TWO(name) double name(double, double); float name##f(float, float);
SOL_OF_ONE(acos) SOL_OF_ONE(acosh) SOL_OF_ONE(asin) SOL_OF_ONE(asinh) SOL_OF_ONE(atan) SOL_OF_ONE(atanh) SOL_OF_ONE(cbrt) SOL_OF_ONE(ceil)
SOL_OF_ONE(cos) SOL_OF_ONE(cosh) SOL_OF_ONE(erf) SOL_OF_ONE(erfc) SOL_OF_ONE(exp) SOL_OF_ONE(exp2) SOL_OF_ONE(expm1) SOL_OF_ONE(fabs)
SOL_OF_ONE(floor) SOL_OF_ONE(lgamma) SOL_OF_ONE(log) SOL_OF_ONE(log10) SOL_OF_ONE(log1p) SOL_OF_ONE(log2) SOL_OF_ONE(nearbyint)
SOL_OF_ONE(rint) SOL_OF_ONE(round) SOL_OF_ONE(sin) SOL_OF_ONE(sinh) SOL_OF_ONE(sqrt) SOL_OF_ONE(tan) SOL_OF_ONE(tanh) SOL_OF_ONE(tgamma)
SOL_OF_ONE(trunc)
SOL_OF_TWO(atan2) SOL_OF_TWO(copysign) SOL_OF_TWO(fdim) SOL_OF_TWO(fmax) SOL_OF_TWO(fmin) SOL_OF_TWO(fmod) SOL_OF_TWO(hypot)
SOL_OF_TWO(nextafter) SOL_OF_TWO(pow) SOL_OF_TWO(remainder)
double fma(double, double, double);
float fmaf(float, float, float);

#ifndef INFINITY
#define INFINITY (__builtin_inff())
#endif
#ifndef NAN
#define NAN (__builtin_nanf(""))
#endif
#ifndef isnan
#define isnan(x) __builtin_isnan(x)
#endif
#ifndef isinf
#define isinf(x) __builtin_isinf(x)
#endif
#ifndef isfinite
#define isfinite(x) __builtin_isfinite(x)
#endif
#ifndef signbit
#define signbit(x) (sizeof(x) == sizeof(float) ? __builtin_signbitf((float)(x)) : __builtin_signbit((double)(x)))
#endif
#endif
