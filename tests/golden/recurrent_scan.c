/* recurrent_scan: a lstm layer over time, first step first; the input projection is in X.
 *
 *   each thread owns blocks of LANES hidden units for all steps, so that its weights stay in its cache
 *     for t: for each own block: for each 2 batch rows
 *       4 gates x LANES sums of h[t-1] w_hh, then the cell, into the other half of the state in shared memory
 *     barrier
 * Weights [block][k][gate][LANES]; h is [2][B][KP] in shared memory, zero beyond H; c is [B][KP] behind it.
 * Options: batch rows in tiles of 2. */
#include "sol_team.h"
#include "sol_simd.h"
#include "sol_pack.h"

/* 2 batch rows of one block: n of its LANES units exist. */
static __attribute__((noinline)) void cell_2(const float *h0, int64_t KP, const float *w, const float *x, int64_t x_b, int64_t x_g, int64_t x_n,
float *c, float *to, float *y, int64_t y_b, int64_t y_n, int64_t unit, int n)
{
    const float *h1 = h0 + 1 * KP;
    vf s0_0 = vf_zero(), s0_1 = vf_zero(), s0_2 = vf_zero(), s0_3 = vf_zero();
    vf s1_0 = vf_zero(), s1_1 = vf_zero(), s1_2 = vf_zero(), s1_3 = vf_zero();
    const float *const end = h0 + KP;
    (void)c, (void)y, (void)y_b, (void)y_n;
    /* what is read and written behind the sums */
__builtin_prefetch(x + 0 * x_b + 0 * x_g, 0, 2); __builtin_prefetch(x + 0 * x_b + 1 * x_g, 0, 2); __builtin_prefetch(x + 0 * x_b + 2 * x_g, 0, 2); __builtin_prefetch(x + 0 * x_b + 3 * x_g, 0, 2); 
    __builtin_prefetch(y + 0 * y_b, 1, 2);
__builtin_prefetch(x + 1 * x_b + 0 * x_g, 0, 2); __builtin_prefetch(x + 1 * x_b + 1 * x_g, 0, 2); __builtin_prefetch(x + 1 * x_b + 2 * x_g, 0, 2); __builtin_prefetch(x + 1 * x_b + 3 * x_g, 0, 2); 
    __builtin_prefetch(y + 1 * y_b, 1, 2);
    for (const float *k = h0; k < end; k += 2, w += 8 * LANES) {
        {
            vf w0 = vf_load(w + 0 * LANES), w1 = vf_load(w + 1 * LANES), w2 = vf_load(w + 2 * LANES), w3 = vf_load(w + 3 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1); SOL_HOLD(w2); SOL_HOLD(w3);
            { VF_NUMBER(a, k[0]); VF_ADD_PRODUCT(s0_0, w0, a); VF_ADD_PRODUCT(s0_1, w1, a); VF_ADD_PRODUCT(s0_2, w2, a); VF_ADD_PRODUCT(s0_3, w3, a); }
            { VF_NUMBER(a, h1[0]); VF_ADD_PRODUCT(s1_0, w0, a); VF_ADD_PRODUCT(s1_1, w1, a); VF_ADD_PRODUCT(s1_2, w2, a); VF_ADD_PRODUCT(s1_3, w3, a); }
        }
        {
            vf w0 = vf_load(w + 4 * LANES), w1 = vf_load(w + 5 * LANES), w2 = vf_load(w + 6 * LANES), w3 = vf_load(w + 7 * LANES);
            SOL_HOLD(w0); SOL_HOLD(w1); SOL_HOLD(w2); SOL_HOLD(w3);
            { VF_NUMBER(a, k[1]); VF_ADD_PRODUCT(s0_0, w0, a); VF_ADD_PRODUCT(s0_1, w1, a); VF_ADD_PRODUCT(s0_2, w2, a); VF_ADD_PRODUCT(s0_3, w3, a); }
            { VF_NUMBER(a, h1[1]); VF_ADD_PRODUCT(s1_0, w0, a); VF_ADD_PRODUCT(s1_1, w1, a); VF_ADD_PRODUCT(s1_2, w2, a); VF_ADD_PRODUCT(s1_3, w3, a); }
        }
h1 += 2; 
        SOL_FENCE();
    }
    {
        const float *const from = x + 0 * x_b;
        float *const state = to + 0 * KP + unit;
        const vf x0 = sol_load_strided(from + 0 * x_g, x_n, n);
        const vf x1 = sol_load_strided(from + 1 * x_g, x_n, n);
        const vf x2 = sol_load_strided(from + 2 * x_g, x_n, n);
        const vf x3 = sol_load_strided(from + 3 * x_g, x_n, n);
        float *const memory = c + 0 * KP + unit;
        const vf forget = vf_sigmoid(s0_1 + x1), input = vf_sigmoid(s0_0 + x0);
        const vf cell = forget * vf_load(memory) + input * vf_tanh(s0_2 + x2);
        vf_store(memory, cell);
        const vf h = vf_sigmoid(s0_3 + x3) * vf_tanh(cell);
        vf_store(state, h);
        sol_store_strided(y + 0 * y_b, y_n, h, n);
    }
    {
        const float *const from = x + 1 * x_b;
        float *const state = to + 1 * KP + unit;
        const vf x0 = sol_load_strided(from + 0 * x_g, x_n, n);
        const vf x1 = sol_load_strided(from + 1 * x_g, x_n, n);
        const vf x2 = sol_load_strided(from + 2 * x_g, x_n, n);
        const vf x3 = sol_load_strided(from + 3 * x_g, x_n, n);
        float *const memory = c + 1 * KP + unit;
        const vf forget = vf_sigmoid(s1_1 + x1), input = vf_sigmoid(s1_0 + x0);
        const vf cell = forget * vf_load(memory) + input * vf_tanh(s1_2 + x2);
        vf_store(memory, cell);
        const vf h = vf_sigmoid(s1_3 + x3) * vf_tanh(cell);
        vf_store(state, h);
        sol_store_strided(y + 1 * y_b, y_n, h, n);
    }
}

void recurrent_scan(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *X = buf[0];
    const float *W = buf[1];
    const float *H0 = buf[2];
    const float *C0 = buf[3];
    float *Y = buf[4];
    const int64_t T = arg[0];
    const int64_t B = arg[1];
    const int64_t H = arg[2];
    const int64_t x_t = arg[3];
    const int64_t x_b = arg[4];
    const int64_t x_n = arg[5];
    const int64_t h0_b = arg[6];
    const int64_t h0_n = arg[7];
    const int64_t c0_b = arg[8];
    const int64_t c0_n = arg[9];
    const int64_t y_t = arg[10];
    const int64_t y_b = arg[11];
    const int64_t y_n = arg[12];
    (void)team; (void)buf; (void)arg;
    const int64_t KP = (H + 15) / 16 * 16, blocks = (H + LANES - 1) / LANES;
    float *const h_state = (float *)team->shared_scratch, *const c_state = h_state + 2 * B * KP;
    int64_t active = 1 + B * H * H * 4 / 16384;
    if (active > team->size) active = team->size;
    if (active > blocks) active = blocks;
    if (active == 1 && team->id) return; /* one thread needs no barrier */
    const int64_t me = team->id < active ? team->id : active;
    const int64_t first = blocks * me / active, last = team->id < active ? blocks * (me + 1) / active : first;
    for (int64_t b = 0; b < B; b++)
        for (int64_t j = first; j < last; j++) {
            const int64_t u = j * LANES;
            const int n = sol_lanes(H - u, 0);
            vf_store(h_state + b * KP + u, sol_load_strided(H0 + b * h0_b + u * h0_n, h0_n, n));
            vf_store(c_state + b * KP + u, sol_load_strided(C0 + b * c0_b + u * c0_n, c0_n, n));
        }
    if (last == blocks && first < last)
        for (int64_t b = 0; b < 2 * B; b++)
            for (int64_t u = blocks * LANES; u < KP; u++) h_state[b * KP + u] = 0;
    if (active > 1) sol_barrier(team);
    for (int64_t step = 0; step < T; step++) {
        const int64_t t = step;
        const float *const from = h_state + (step & 1) * B * KP;
        float *const to = h_state + (1 - (step & 1)) * B * KP;
        for (int64_t j = first; j < last; j++) {
            const int64_t u = j * LANES;
            const int n = sol_lanes(H - u, 0);
            const float *const w = W + j * KP * 4 * LANES;
            const float *const x = X + t * x_t + u * x_n;
            int64_t b = 0;
            for (; b + 2 <= B; b += 2)
                cell_2(from + b * KP, KP, w, x + b * x_b, x_b, H * x_n, x_n, c_state + b * KP, to + b * KP,
Y + t * y_t + b * y_b + u * y_n, y_b, y_n, u, n);
        }
        if (active > 1) sol_barrier(team);
    }
}
