/* recurrent_scan_grad: gradients of a lstm layer over time, from its last step to its first.
 *
 *   each thread owns blocks of LANES hidden units for all steps, so that its weights stay in its cache
 *     for t: for tiles of own blocks and batch rows
 *       gradient of h = that of y[t] + sum over 4 H of d[t+1] w_hh, then the cell's own, into d[t]
 *     barrier
 * Weights [panel of 1 blocks][4 H][block][LANES]; d is [2][B][DP] in shared memory, whose rows start on different cache lines; what goes on from unit to unit is [B][HP] behind it.
 * Options: 2 rows, 1 blocks. */
#include "sol_team.h"
#include "sol_simd.h"
#include "sol_pack.h"

/* Sums of 2 batch rows for 1 blocks of units: [row][block][LANES]. */
static __attribute__((noinline)) void sums_2x1(const float *d, int64_t DP, int64_t K, const float *w, float *sums)
{
    vf s0_0 = vf_zero();
    vf s1_0 = vf_zero();
    const float *const d1 = d + 1 * DP;
    (void)DP;
    for (int64_t k = 0; k < K; k++, w += 1 * LANES) {
        vf w0 = vf_load(w + 0 * LANES);
        SOL_HOLD(w0);
        { VF_NUMBER(a, d[k]); VF_ADD_PRODUCT(s0_0, w0, a); }
        { VF_NUMBER(a, d1[k]); VF_ADD_PRODUCT(s1_0, w0, a); }
        SOL_FENCE();
    }
vf_store(sums + 0 * LANES, s0_0); 
vf_store(sums + 1 * LANES, s1_0); 
}

/* Fetch what a tile of ``tall`` rows by ``wide`` blocks reads and writes behind its sums. */
#define AHEAD(at, rows_apart, writes) \
    for (int64_t i = 0; i < tall; i++) \
        for (int64_t v = 0; v < wide; v++) __builtin_prefetch((at) + i * (rows_apart) + v * LANES, writes, 2)

void recurrent_scan_grad(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *W = buf[0];
    const float *KEPT = buf[1];
    const float *CELLS = buf[2];
    const float *C0 = buf[3];
    const float *DY = buf[4];
    const float *DHN = buf[5];
    const float *DCN = buf[6];
    float *DX = buf[7];
    const int64_t T = arg[0];
    const int64_t B = arg[1];
    const int64_t H = arg[2];
    const int64_t kept_t = arg[3];
    const int64_t kept_b = arg[4];
    const int64_t kept_n = arg[5];
    const int64_t cells_t = arg[6];
    const int64_t cells_b = arg[7];
    const int64_t cells_n = arg[8];
    const int64_t c0_b = arg[9];
    const int64_t c0_n = arg[10];
    const int64_t dy_t = arg[11];
    const int64_t dy_b = arg[12];
    const int64_t dy_n = arg[13];
    const int64_t dhn_b = arg[14];
    const int64_t dhn_n = arg[15];
    const int64_t dcn_b = arg[16];
    const int64_t dcn_n = arg[17];
    const int64_t dx_t = arg[18];
    const int64_t dx_b = arg[19];
    const int64_t dx_n = arg[20];
    (void)team; (void)buf; (void)arg;
    const int64_t K = H * 4, DP = 80, blocks = (H + LANES - 1) / LANES, panels = (blocks + 0) / 1;
    float *const d_state = (float *)team->shared_scratch, *const carry = d_state + 2 * B * DP;
    int64_t active = 1 + B * H * H * 4 / 16384;
    if (active > team->size) active = team->size;
    if (active > panels) active = panels;
    if (active == 1 && team->id) return; /* one thread needs no barrier */
    const int64_t me = team->id < active ? team->id : active;
    const int64_t first = panels * me / active, last = team->id < active ? panels * (me + 1) / active : first;
    float sums[2 * LANES] __attribute__((aligned(64)));
    for (int64_t step = 0; step < T + 0; step++) {
        const int64_t t = T - 1 - step;
        const float *const from = d_state + (step & 1) * B * DP;
        float *const to = d_state + (1 - (step & 1)) * B * DP;
        (void)to, (void)t;
        for (int64_t panel = first; panel < last; panel++) {
            const int64_t j = panel * 1, wide = blocks - j < 1 ? blocks - j : 1;
            for (int64_t b = 0, tall; b < B; b += tall) {
                tall = 2;
                if (step < T) {
                    const int64_t before = step + 1 < T ? t - 1 : t;
                    (void)before;
                    for (int64_t g = 0; g < 4; g++) AHEAD(KEPT + t * kept_t + b * kept_b + g * H + j * LANES, kept_b, 0);
                    for (int64_t g = 0; g < 1; g++) AHEAD(CELLS + before * cells_t + b * cells_b + g * H + j * LANES, cells_b, 0);
                    for (int64_t g = 0; g < 1; g++) AHEAD(DY + t * dy_t + b * dy_b + g * H + j * LANES, dy_b, 0);
                    for (int64_t g = 0; g < 4; g++) AHEAD(DX + t * dx_t + b * dx_b + g * H + j * LANES, dx_b, 1);
                }
                if (step == 0) {
                } else {

                    sums_2x1(from + b * DP, DP, K, W + j * K * LANES, sums);
                }
                for (int64_t i = 0; i < tall * wide; i++) {
                    const int64_t row = b + i / wide, u = (j + i % wide) * LANES;
                    const int n = sol_lanes(H - u, 0);
                    vf dh = step ? vf_load(sums + i * LANES) : sol_load_strided(DHN + row * dhn_b + u * dhn_n, dhn_n, n);
                    float *const on = carry + (row * blocks + j + i % wide) * LANES;
                    vf dc = step ? vf_load(on) : sol_load_strided(DCN + row * dcn_b + u * dcn_n, dcn_n, n);
                    if (step == T) {
                        continue;
                    }
                    dh += sol_load_strided(DY + t * dy_t + row * dy_b + u * dy_n, dy_n, n);
                    const vf in = sol_load_strided(KEPT + t * kept_t + row * kept_b + u * kept_n, kept_n, n), forget = sol_load_strided(KEPT + t * kept_t + row * kept_b + (u + 1 * H) * kept_n, kept_n, n), candidate = sol_load_strided(KEPT + t * kept_t + row * kept_b + (u + 2 * H) * kept_n, kept_n, n), out = sol_load_strided(KEPT + t * kept_t + row * kept_b + (u + 3 * H) * kept_n, kept_n, n);
                    const vf before = step + 1 < T ? sol_load_strided(CELLS + (t - 1) * cells_t + row * cells_b + u * cells_n, cells_n, n) : sol_load_strided(C0 + row * c0_b + u * c0_n, c0_n, n);
                    const vf squashed = vf_tanh(sol_load_strided(CELLS + t * cells_t + row * cells_b + u * cells_n, cells_n, n));
                    dc += dh * out * (1.0f - squashed * squashed);
                    const vf d[] = { dc * candidate * in * (1.0f - in), dc * before * forget * (1.0f - forget), dc * in * (1.0f - candidate * candidate), dh * squashed * out * (1.0f - out) };
                    vf_store(on, dc * forget);
                    sol_store_strided(to + row * DP + 0 * H + u, 1, d[0], n);
                    sol_store_strided(to + row * DP + 1 * H + u, 1, d[1], n);
                    sol_store_strided(to + row * DP + 2 * H + u, 1, d[2], n);
                    sol_store_strided(to + row * DP + 3 * H + u, 1, d[3], n);
                    sol_store_strided(DX + t * dx_t + row * dx_b + u * dx_n, dx_n, d[0], n);
                    sol_store_strided(DX + t * dx_t + row * dx_b + (u + 1 * H) * dx_n, dx_n, d[1], n);
                    sol_store_strided(DX + t * dx_t + row * dx_b + (u + 2 * H) * dx_n, dx_n, d[2], n);
                    sol_store_strided(DX + t * dx_t + row * dx_b + (u + 3 * H) * dx_n, dx_n, d[3], n);
                }
            }
        }
        if (active > 1) sol_barrier(team);
    }
}
