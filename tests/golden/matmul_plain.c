/* matmul_plain: C[q][M][N] = A[q][M][K] * B[q][K][N] in i32 (computed in int32_t), any strides.
 *
 *   for each of this thread's (q, m): for blocks of 8 columns: 8 running sums over K */
#include "sol_team.h"
#include "sol_simd.h"

typedef int32_t stored;
typedef int32_t computed;

SOL_INLINE computed get(stored x) { return (computed)x; }
SOL_INLINE stored put(computed x) { return (stored)x; }
void matmul_plain(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const int32_t *A = buf[0];
    const int32_t *B = buf[1];
    int32_t *C = buf[2];
    const int64_t M = arg[0];
    const int64_t N = arg[1];
    const int64_t K = arg[2];
    const int64_t A_k = arg[3];
    const int64_t C_n = arg[4];
    const int64_t A_m = arg[5];
    const int64_t C_m = arg[6];
    const int64_t B_k = arg[7];
    const int64_t B_n = arg[8];
    (void)team; (void)buf; (void)arg;
    const int64_t units = 1 * M;
    int64_t active = 1 + units * N * K / 4096;
    if (active > team->size) active = team->size;
    if (team->id >= active) return;
    const int64_t end = units * (team->id + 1) / active;
    for (int64_t u = units * team->id / active; u < end; u++) {
        const int64_t m = u % M;
        int64_t q = u / M;
        const stored *a = A + m * A_m, *b = B;
        stored *c = C + m * C_m;
        (void)q;
        for (int64_t n = 0; n < N; n += 8) {
            const int count = N - n < 8 ? (int)(N - n) : 8;
            computed s[8] = {0};
            for (int64_t k = 0; k < K; k++) {
                const computed x = get(a[k * A_k]);
                for (int j = 0; j < count; j++) s[j] += x * get(b[k * B_k + (n + j) * B_n]);
            }
            for (int j = 0; j < count; j++) c[(n + j) * C_n] = put(s[j]);
        }
    }
}
