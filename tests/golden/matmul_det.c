/* matmul_det: determinants of [N][N] matrices in float by elimination with row pivots; matrices are split over the team. */
#include "sol_team.h"

void matmul_det(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    float *out = buf[1];
    const int64_t N = arg[0];
    const int64_t in_i = arg[1];
    const int64_t in_j = arg[2];
    const int64_t B0 = arg[3];
    const int64_t in_0 = arg[4];
    const int64_t out_0 = arg[5];
    (void)team; (void)buf; (void)arg;
    float *m = (float *)team->scratch;
    const int64_t units = B0 * 1;
    int64_t unit, last;
    sol_split(team, units, &unit, &last);
    for (; unit < last; unit++) {
        int64_t q = unit;
        const float *from = in;
        float *to = out;
        from += q % B0 * in_0;
        to += q % B0 * out_0;
        q /= B0;
        (void)q;
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < N; j++) m[i * N + j] = from[i * in_i + j * in_j];
        float result = 1;
        for (int64_t k = 0; k < N; k++) {
            int64_t pivot = k;
            for (int64_t i = k + 1; i < N; i++) {
                const float a = m[i * N + k] < 0 ? -m[i * N + k] : m[i * N + k], b = m[pivot * N + k] < 0 ? -m[pivot * N + k] : m[pivot * N + k];
                if (a > b || a != a) pivot = i;
            }
            const float p = m[pivot * N + k];
            result *= pivot == k ? p : -p;
            if (p == 0) break;
            if (pivot != k)
                for (int64_t j = k; j < N; j++) {
                    const float swapped = m[k * N + j];
                    m[k * N + j] = m[pivot * N + j];
                    m[pivot * N + j] = swapped;
                }
            for (int64_t i = k + 1; i < N; i++) {
                const float factor = m[i * N + k] / p;
                for (int64_t j = k + 1; j < N; j++) m[i * N + j] -= factor * m[k * N + j];
            }
        }
        *to = result;
    }
}
