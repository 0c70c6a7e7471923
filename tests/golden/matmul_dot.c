/* matmul_dot: C[q][M][N] = A[q][M][K] * B^T, for few columns or few rows.
 *
 *   for each of this thread's (block of 4 rows, group of 3 columns)
 *     12 dot products along K, 1 vector of each at once, B as [N][ldb] */
#include "sol_team.h"
#include "sol_simd.h"
#include "sol_pack.h"

enum { GROUP = 3, ROWS = 4 };

/* s[r] = a[r] . b[0 … GROUP - 1]; rows and columns beyond those that exist repeat the last one. */
SOL_INLINE void dots(const float *a, int64_t lda, int rows, const float *b, int64_t ldb, int count, int64_t K, vf s[ROWS])
{
    (void)lda, (void)ldb, (void)count, (void)rows;
    const float *a0 = a, *a1 = a + (rows > 1 ? 1 : rows - 1) * lda, *a2 = a + (rows > 2 ? 2 : rows - 1) * lda, *a3 = a + (rows > 3 ? 3 : rows - 1) * lda;
    const float *b0 = b, *b1 = b + (count > 1 ? 1 : count - 1) * ldb, *b2 = b + (count > 2 ? 2 : count - 1) * ldb;
    vf s0_0_0 = vf_zero(), s0_1_0 = vf_zero(), s0_2_0 = vf_zero();
    vf s1_0_0 = vf_zero(), s1_1_0 = vf_zero(), s1_2_0 = vf_zero();
    vf s2_0_0 = vf_zero(), s2_1_0 = vf_zero(), s2_2_0 = vf_zero();
    vf s3_0_0 = vf_zero(), s3_1_0 = vf_zero(), s3_2_0 = vf_zero();
    int64_t k = 0;
    for (; k + 1 * LANES <= K; k += 1 * LANES) {
        {
const vf y0 = vf_load(b0 + k + 0 * LANES); const vf y1 = vf_load(b1 + k + 0 * LANES); const vf y2 = vf_load(b2 + k + 0 * LANES); 
            { const vf x = vf_load(a0 + k + 0 * LANES); s0_0_0 += x * y0; s0_1_0 += x * y1; s0_2_0 += x * y2; }
            { const vf x = vf_load(a1 + k + 0 * LANES); s1_0_0 += x * y0; s1_1_0 += x * y1; s1_2_0 += x * y2; }
            { const vf x = vf_load(a2 + k + 0 * LANES); s2_0_0 += x * y0; s2_1_0 += x * y1; s2_2_0 += x * y2; }
            { const vf x = vf_load(a3 + k + 0 * LANES); s3_0_0 += x * y0; s3_1_0 += x * y1; s3_2_0 += x * y2; }
        }
    }
    for (; k < K; k += LANES) {
        const int n = sol_lanes(K - k, 0);
const vf y0 = vf_load_n(b0 + k, n); const vf y1 = vf_load_n(b1 + k, n); const vf y2 = vf_load_n(b2 + k, n); 
        { const vf x = vf_load_n(a0 + k, n); s0_0_0 += x * y0; s0_1_0 += x * y1; s0_2_0 += x * y2; }
        { const vf x = vf_load_n(a1 + k, n); s1_0_0 += x * y0; s1_1_0 += x * y1; s1_2_0 += x * y2; }
        { const vf x = vf_load_n(a2 + k, n); s2_0_0 += x * y0; s2_1_0 += x * y1; s2_2_0 += x * y2; }
        { const vf x = vf_load_n(a3 + k, n); s3_0_0 += x * y0; s3_1_0 += x * y1; s3_2_0 += x * y2; }
    }
    s[0] = sol_sums4(s0_0_0, s0_1_0, s0_2_0, vf_zero());
    s[1] = sol_sums4(s1_0_0, s1_1_0, s1_2_0, vf_zero());
    s[2] = sol_sums4(s2_0_0, s2_1_0, s2_2_0, vf_zero());
    s[3] = sol_sums4(s3_0_0, s3_1_0, s3_2_0, vf_zero());
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
    const int64_t groups = (N + GROUP - 1) / GROUP, blocks = (M + ROWS - 1) / ROWS, units = 1 * blocks * groups;
    int64_t active = 1 + 1 * M * N * K / 32768;
    if (active > team->size) active = team->size;
    if (team->id >= active) return;
    const int64_t end = units * (team->id + 1) / active;
    for (int64_t u = units * team->id / active; u < end; u++) {
        const int64_t n = u % groups * GROUP, first = u / groups % blocks * ROWS;
        int64_t q = u / groups / blocks;
        const int count = N - n < GROUP ? (int)(N - n) : GROUP, rows = M - first < ROWS ? (int)(M - first) : ROWS;
        const float *a_q = A, *b_q = B;
        float *c_q = C;
        (void)q;
        vf sums[ROWS];
        dots(a_q + first * lda, lda, rows, b_q + n * ldb, ldb, count, K, sums);
        for (int r = 0; r < rows; r++) {
            const int64_t m = first + r;
            const vf s = sums[r];
            vf_store_n(c_q + m * ldc + n, s, count);
        }
    }
}
