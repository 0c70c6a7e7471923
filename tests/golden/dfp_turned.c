/* dfp_turned: add, element by element; in0 is contiguous across the result's rows.
 *   outer indices x blocks of TALL x WIDE elements (split over the team) x squares, in which it is transposed in registers.
 *   All intermediates in registers.
 *   along: the axis of the result's rows, across: the one over them; strides of a tensor X are X_along and X_across. */
#include "sol_dfp.h"
#include "sol_turn.h"

enum { SIDE = vf_lanes, WIDE = 8 * SIDE, TALL = 4 * SIDE };

/* SIDE elements of SIDE rows. */
SOL_INLINE void square(const float *in0, int64_t in0_along, const float *in1, int64_t in1_across, float *out0, int64_t out0_across)
{
    vf q_in0[SIDE];
#pragma GCC unroll 16
    for (int a = 0; a < SIDE; a++) q_in0[a] = vf_load(in0 + a * in0_along);
    vf_transpose(q_in0);
#pragma GCC unroll 16
    for (int l = 0; l < SIDE; l++) {
        const vf t0 = vf_load(in1 + l * in1_across);
        const vf t1 = q_in0[l] + t0;
        vf_store(out0 + l * out0_across, t1);
    }
}
/* na elements of nb rows. */
static void part(const float *in0, int64_t in0_along, const float *in1, int64_t in1_across, float *out0, int64_t out0_across, int na, int nb)
{
    vf q_in0[SIDE];
    for (int a = 0; a < SIDE; a++) q_in0[a] = a < na ? vf_load_n(in0 + a * in0_along, nb) : vf_zero();
    vf_transpose(q_in0);
    for (int l = 0; l < nb; l++) {
        const vf t0 = vf_load_n(in1 + l * in1_across, na);
        const vf t1 = q_in0[l] + t0;
        vf_store_n(out0 + l * out0_across, t1, na);
    }
}

void dfp_turned(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in0 = buf[0];
    const float *in1 = buf[1];
    float *out0 = buf[2];
    const int64_t s_in0_1 = arg[0];
    const int64_t s_in1_0 = arg[1];
    const int64_t s_out0_0 = arg[2];
    const int64_t n1 = arg[3];
    const int64_t n0 = arg[4];
    (void)team; (void)buf; (void)arg;
    const int64_t along = n1, across = n0, columns = (along + WIDE - 1) / WIDE, parts = columns * ((across + TALL - 1) / TALL);
    const int64_t rows = 1;
    int64_t size = team->size;
    if (rows * along * across * 1 < 8192) {
        if (team->id) return;
        size = 1;
    }
    const int64_t units = rows * parts, begin = units * team->id / size, end = units * (team->id + 1) / size;
    for (int64_t unit = begin; unit < end; unit++) {
        const float *p_in0 = (const float *)in0 + 0;
        const float *p_in1 = (const float *)in1 + 0;
        float *p_out0 = (float *)out0 + 0;
        const int64_t a0 = unit % parts % columns * WIDE, b0 = unit % parts / columns * TALL;
        const int64_t a1 = a0 + WIDE < along ? a0 + WIDE : along, b1 = b0 + TALL < across ? b0 + TALL : across;
        for (int64_t b = b0; b < b1; b += SIDE)
            for (int64_t a = a0; a < a1; a += SIDE)
                if (a + SIDE <= a1 && b + SIDE <= b1)
                    square(p_in0 + a * s_in0_1 + b, s_in0_1, p_in1 + a + b * s_in1_0, s_in1_0, p_out0 + a + b * s_out0_0, s_out0_0);
                else
                    part(p_in0 + a * s_in0_1 + b, s_in0_1, p_in1 + a + b * s_in1_0, s_in1_0, p_out0 + a + b * s_out0_0, s_out0_0, (int)(a1 - a < SIDE ? a1 - a : SIDE), (int)(b1 - b < SIDE ? b1 - b : SIDE));
    }
}
