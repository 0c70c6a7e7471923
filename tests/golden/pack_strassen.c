/* w[K][C][taps] -> [panel][product][input channel block][tap][channel][width], sums of scaled parts (kernels/strassen_products.py).
 *
 * A panel takes ``width`` outputs of each half of K, which are neighbours; parts of C are its halves. Weights are divided by the factors of
 * their outputs and inputs; products of one input part are multiplied by its input factors again: such an input is read as it is.
 * lanes: input channels of a block. factor: NULL, or what the weights of every output are multiplied by first.
 * Threads share out vectors of outputs of blocks of input channels. Rows are read along and transposed in registers into scratch.
 */
#include "sol_pack.h"
#include "sol_team.h"

static float inverse(float x) { return x == 0 ? 1 : 1 / x; }

/* Places of ``count`` channels of n rows as vectors, scaled. */
static void gather(vf *to, const float *in, const float *factor, const float *results, const float *inputs, int64_t row, int64_t count,
                   int64_t taps, int n)
{
    const int64_t size = count * taps;
    float by[LANES];
    for (int i = 0; i < LANES; i++) by[i] = i < n ? inverse(results[i]) : 0;
    for (int64_t e = 0; e < size; e += LANES) {
        const int m = sol_lanes(size - e, 0);
        vf r[LANES];
        for (int i = 0; i < LANES; i++) {
            r[i] = i >= n ? vf_zero() : m == LANES ? vf_load(in + i * row + e) : vf_load_n(in + i * row + e, m);
            if (factor && i < n) r[i] *= vf_set(factor[i]);
            r[i] *= vf_set(by[i]);
        }
        vf_transpose(r);
        for (int i = 0; i < m; i++) to[e + i] = r[i] * vf_set(inverse(inputs[(e + i) / taps]));
    }
}

void pack_strassen(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    const float *factor = buf[1];
    const float *results = buf[2];
    const float *inputs = buf[3];
    float *out = buf[4];
    const int64_t K = arg[0];
    const int64_t C = arg[1];
    const int64_t taps = arg[2];
    const int64_t width = arg[3];
    const int64_t lanes = arg[4];
    (void)team; (void)buf; (void)arg;
    const int64_t half = C / 2, row = C * taps, vectors = (width + LANES - 1) / LANES, blocks = half / lanes, panels = K / 2 / width;
    const int64_t size = lanes * taps, product = blocks * size * width;
    vf *const part[2][2] = { {(vf *)team->scratch, (vf *)team->scratch + size + LANES},
                             {(vf *)team->scratch + 2 * (size + LANES), (vf *)team->scratch + 3 * (size + LANES)} };
    int64_t begin, end;
    sol_split(team, panels * vectors * blocks, &begin, &end);
    for (int64_t item = begin; item < end; item++) {
        const int64_t block = item % blocks, v = item / blocks % vectors, p = item / blocks / vectors;
        const int room = sol_lanes(width - v * LANES, 0);
        for (int o = 0; o < 2; o++) {
            const int64_t k = (2 * p + o) * width + v * LANES;
            for (int i = 0; i < 2; i++) {
                const int64_t c = i * half + block * lanes;
                gather(part[i][o], in + k * row + c * taps, factor ? factor + k : NULL, results + k, inputs + c, row, lanes, taps, room);
            }
        }
        for (int64_t c = 0; c < lanes; c++)
            for (int64_t t = 0; t < taps; t++) {
                const int64_t at = c * taps + t;
                float *to = out + p * 7 * product + (block * size + t * lanes + c) * width + v * LANES;
                {
                    vf sum = part[0][0][at] + part[1][1][at];
                    if (room == LANES) vf_store(to + 0 * product, sum);
                    else vf_store_n(to + 0 * product, sum, room);
                }
                {
                    vf sum = part[1][1][at];
                    if (room == LANES) vf_store(to + 1 * product, sum);
                    else vf_store_n(to + 1 * product, sum, room);
                }
                {
                    vf sum = part[0][1][at]-part[1][1][at];
                    sum *= vf_set(inputs[0 * half + block * lanes + c]);
                    if (room == LANES) vf_store(to + 2 * product, sum);
                    else vf_store_n(to + 2 * product, sum, room);
                }
                {
                    vf sum = part[1][0][at]-part[0][0][at];
                    sum *= vf_set(inputs[1 * half + block * lanes + c]);
                    if (room == LANES) vf_store(to + 3 * product, sum);
                    else vf_store_n(to + 3 * product, sum, room);
                }
                {
                    vf sum = part[1][0][at] + part[1][1][at];
                    if (room == LANES) vf_store(to + 4 * product, sum);
                    else vf_store_n(to + 4 * product, sum, room);
                }
                {
                    vf sum = part[0][0][at];
                    if (room == LANES) vf_store(to + 5 * product, sum);
                    else vf_store_n(to + 5 * product, sum, room);
                }
                {
                    vf sum = part[0][0][at] + part[0][1][at];
                    if (room == LANES) vf_store(to + 6 * product, sum);
                    else vf_store_n(to + 6 * product, sum, room);
                }
            }
    }
}
