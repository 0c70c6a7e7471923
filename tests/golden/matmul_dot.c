/* matmul_dot: C[q][M][N] = A[q][M][K] * B^T, for few columns or few rows.
 *
 *   for each of this thread's (row, group of 3 columns)
 *     3 dot products along K, four vectors at once, B as [N][ldb] */
#include "sol_team.h"
#include "sol_simd.h"
#include "sol_pack.h"

enum { GROUP = 3 };

/* s[g] = a . b[g] for GROUP rows of b; rows beyond count repeat the last one. */
SOL_INLINE vf dot_group(const float *a, const float *b, int64_t ldb, int64_t K, int count)
{
    (void)ldb, (void)count;
    const float *b0 = b, *b1 = b + (count > 1 ? 1 : count - 1) * ldb, *b2 = b + (count > 2 ? 2 : count - 1) * ldb;
vf s0_0 = vf_zero(), s0_1 = vf_zero(); vf s1_0 = vf_zero(), s1_1 = vf_zero(); vf s2_0 = vf_zero(), s2_1 = vf_zero(); 
    int64_t k = 0;
    for (; k + 2 * LANES <= K; k += 2 * LANES) {
        {
            const vf x = vf_load(a + k + 0 * LANES);
s0_0 += x * vf_load(b0 + k + 0 * LANES); s1_0 += x * vf_load(b1 + k + 0 * LANES); s2_0 += x * vf_load(b2 + k + 0 * LANES); 
        }
        {
            const vf x = vf_load(a + k + 1 * LANES);
s0_1 += x * vf_load(b0 + k + 1 * LANES); s1_1 += x * vf_load(b1 + k + 1 * LANES); s2_1 += x * vf_load(b2 + k + 1 * LANES); 
        }
    }
    for (; k < K; k += LANES) {
        const int n = sol_lanes(K - k, 0);
        const vf x = vf_load_n(a + k, n);
s0_0 += x * vf_load_n(b0 + k, n); s1_0 += x * vf_load_n(b1 + k, n); s2_0 += x * vf_load_n(b2 + k, n); 
    }
    float s[LANES] = {0};
    s[0] = vf_sum(s0_0 + s0_1);
    s[1] = vf_sum(s1_0 + s1_1);
    s[2] = vf_sum(s2_0 + s2_1);
    return vf_load(s);
}

void matmul_dot(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *A = buf[0];
    const float *B = buf[1];
    float *C = buf[2];
    const int64_t M = arg[0];
    const int64_t N = arg[1];
    const int64_t K = arg[2];
    const int64_t lda = arg[3];
    const int64_t ldc = arg[4];
    const int64_t ldb = arg[5];
    (void)team; (void)buf; (void)arg;
    const int64_t groups = (N + GROUP - 1) / GROUP, units = 1 * M * groups;
    int64_t active = 1 + 1 * M * N * K / 32768;
    if (active > team->size) active = team->size;
    if (team->id >= active) return;
    const int64_t end = units * (team->id + 1) / active;
    for (int64_t u = units * team->id / active; u < end; u++) {
        const int64_t n = u % groups * GROUP, m = u / groups % M;
        int64_t q = u / groups / M;
        const int count = N - n < GROUP ? (int)(N - n) : GROUP;
        const float *a_q = A, *b_q = B;
        float *c_q = C;
        (void)q;
        const vf s = dot_group(a_q + m * lda, b_q + n * ldb, ldb, K, count);
        vf_store_n(c_q + m * ldc + n, s, count);
    }
}
