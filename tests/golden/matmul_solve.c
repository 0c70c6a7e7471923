/* matmul_solve: lower triangular systems with ones on the diagonal in float, a[N][N] x[N][M] = b[N][M], any strides in memory.
 *
 *   for matrix, for WIDTH right sides:                   (split over the team)
 *     for row i, the first one first: x[i] = (b[i] - sum over the rows j before of a[i][j] x[j])
 */
#include "sol_team.h"

typedef float lanes __attribute__((vector_size(64)));
enum { COUNT = 16, WIDTH = 64, PART = 16 }; /* PART: rows whose products are added up before they join the sum, for its error */

void matmul_solve(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *a = buf[0];
    const float *b = buf[1];
    float *out = buf[2];
    const int64_t N = arg[0];
    const int64_t M = arg[1];
    const int64_t a_i = arg[2];
    const int64_t a_j = arg[3];
    const int64_t b_i = arg[4];
    const int64_t b_j = arg[5];
    const int64_t out_i = arg[6];
    const int64_t out_j = arg[7];
    const int64_t B0 = arg[8];
    const int64_t a_0 = arg[9];
    const int64_t b_0 = arg[10];
    const int64_t out_0 = arg[11];
    (void)team; (void)buf; (void)arg;
    lanes *const x = (lanes *)team->scratch; /* [N][4] */
    const int64_t strips = (M + WIDTH - 1) / WIDTH, units = strips * B0;
    int64_t unit, last;
    sol_split(team, units, &unit, &last);
    for (; unit < last; unit++) {
        int64_t q = unit / strips;
        const int64_t column = unit % strips * WIDTH, width = M - column < WIDTH ? M - column : WIDTH;
        const float *left = a, *right = b + column * b_j;
        float *to = out + column * out_j;
        left += q % B0 * a_0, right += q % B0 * b_0, to += q % B0 * out_0;
        q /= B0;
        (void)q;
        for (int64_t step = 0; step < N; step++) {
            const int64_t i = step;
            const float *row = left + i * a_i;
            float line[WIDTH] = {0};
            if (b_j == 1 && width == WIDTH) __builtin_memcpy(line, right + i * b_i, sizeof line);
            else
                for (int64_t l = 0; l < width; l++) line[l] = right[i * b_i + l * b_j];
            lanes s0, s1, s2, s3;
            __builtin_memcpy(&s0, line + 0 * COUNT, sizeof s0);
            __builtin_memcpy(&s1, line + 1 * COUNT, sizeof s1);
            __builtin_memcpy(&s2, line + 2 * COUNT, sizeof s2);
            __builtin_memcpy(&s3, line + 3 * COUNT, sizeof s3);
            for (int64_t first = 0, behind = i; first < behind; first += PART) {
                const int64_t end = behind - first < PART ? behind : first + PART;
                lanes p0 = {0}, p1 = {0}, p2 = {0}, p3 = {0};
                for (int64_t j = first; j < end; j++) {
                    const float factor = row[j * a_j];
p0 += x[j * 4 + 0] * factor; p1 += x[j * 4 + 1] * factor; p2 += x[j * 4 + 2] * factor; p3 += x[j * 4 + 3] * factor;
                }
s0 -= p0; s1 -= p1; s2 -= p2; s3 -= p3;
            }
x[i * 4 + 0] = s0; x[i * 4 + 1] = s1; x[i * 4 + 2] = s2; x[i * 4 + 3] = s3;
            float *result = to + i * out_i;
            if (out_j == 1 && width == WIDTH) __builtin_memcpy(result, x + i * 4, sizeof line);
            else
                for (int64_t l = 0; l < width; l++) result[l * out_j] = x[i * 4 + l / COUNT][l % COUNT];
        }
    }
}
