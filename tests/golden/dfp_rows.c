/* dfp_rows: softmax.
 *   For every row (split over the team): 3 pass(es) along the reduced axes in vectors, each folded to one number.
 *   Few but long rows: the whole team shares each one; results of parts meet in the shared memory.
 */
#include "sol_dfp.h"

void dfp_rows(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in0 = buf[0];
    float *out0 = buf[1];
    const int64_t s_in0_0 = arg[0];
    const int64_t s_out0_0 = arg[1];
    const int64_t n1 = arg[2];
    const int64_t n0 = arg[3];
    (void)team; (void)buf; (void)arg;
    const int64_t rows = n0, lanes = 1, reduced = n1;
    const int64_t units = rows;
    int64_t size = team->size;
    const int64_t work = rows * lanes * reduced;
    if (work * 13 < 8192) {
        if (team->id) return;
        size = 1;
    }
    /* Each row is reduced in parts, as many as its length asks for: results do not depend on the size of the team. */
    int64_t parts = reduced * 1 * 13 / 8192;
    if (parts > n1 / LANES) parts = n1 / LANES;
    parts = parts < 1 ? 1 : parts > 64 ? 64 : parts;
    int64_t part_begin = 0, part_end = parts;
    int64_t begin = units * team->id / size, end = units * (team->id + 1) / size;
    const int shared = size > 1 && units < size && parts > 1 && work * 13 >= 65536;
    if (shared) {
        begin = 0;
        end = units;
        part_begin = parts * team->id / size;
        part_end = parts * (team->id + 1) / size;
    }
    int64_t turn = 0;
    (void)shared;
    if (begin >= end) return;
    int64_t row = begin;
    int64_t i0 = row;
    for (int64_t unit = begin; unit < end; unit++) {
        const float *p_in0 = in0 + i0 * s_in0_0;
        float *p_out0 = out0 + i0 * s_out0_0;
        float *keep0 = (float *)(team->scratch + 0 * (((n1) * 4 + 191) / 64 * 64));
        /* pass 0 */
        float v0_0 = -INFINITY;
        for (int64_t part = part_begin; part < part_end; part++) {
            const int64_t from = part ? n1 * part / parts / LANES * LANES : 0;
            const int64_t to = part + 1 < parts ? n1 * (part + 1) / parts / LANES * LANES : n1;
            vf a0_0 = vf_set(-INFINITY);
            vf a0_1 = vf_set(-INFINITY);
            vf a0_2 = vf_set(-INFINITY);
            vf a0_3 = vf_set(-INFINITY);
            {
                int64_t i1 = from;
                for (; i1 + 4 * LANES <= to; i1 += 4 * LANES) {
                    {
                        __builtin_prefetch(p_in0 + i1 + 512);
                        const vf t0_0 = vf_load(p_in0 + i1);
                        a0_0 = vf_max(a0_0, t0_0);
                    }
                    {
                        __builtin_prefetch(p_in0 + i1 + 1 * LANES + 512);
                        const vf t1_0 = vf_load(p_in0 + i1 + 1 * LANES);
                        a0_1 = vf_max(a0_1, t1_0);
                    }
                    {
                        __builtin_prefetch(p_in0 + i1 + 2 * LANES + 512);
                        const vf t2_0 = vf_load(p_in0 + i1 + 2 * LANES);
                        a0_2 = vf_max(a0_2, t2_0);
                    }
                    {
                        __builtin_prefetch(p_in0 + i1 + 3 * LANES + 512);
                        const vf t3_0 = vf_load(p_in0 + i1 + 3 * LANES);
                        a0_3 = vf_max(a0_3, t3_0);
                    }
                }
                for (; i1 + LANES <= to; i1 += LANES) {
                    {
                        __builtin_prefetch(p_in0 + i1 + 512);
                        const vf t0_0 = vf_load(p_in0 + i1);
                        a0_0 = vf_max(a0_0, t0_0);
                    }
                }
                if (i1 < to) {
                    const int left = (int)(to - i1);
                    {
                        const vf t0_0 = vf_load_n(p_in0 + i1, left);
                        a0_0 = vf_max(a0_0, vf_select(vi_first(left), t0_0, vf_set(-INFINITY)));
                    }
                    i1 = to;
                }
            }
            a0_0 = vf_max(a0_0, a0_1);
            a0_0 = vf_max(a0_0, a0_2);
            a0_0 = vf_max(a0_0, a0_3);
            const float p0_0 = vf_fold_max(a0_0);
            if (shared) {
                memcpy(team->shared_scratch + (((turn % 2) * 2 + 0) * 64 + part) * 64, &p0_0, sizeof p0_0);
            } else {
                v0_0 = p0_0 > v0_0 || p0_0 != p0_0 ? p0_0 : v0_0;
            }
        }
        if (shared) {
            sol_barrier(team);
            for (int64_t part = 0; part < parts; part++) {
                float p0_0;
                memcpy(&p0_0, team->shared_scratch + (((turn % 2) * 2 + 0) * 64 + part) * 64, sizeof p0_0);
                v0_0 = p0_0 > v0_0 || p0_0 != p0_0 ? p0_0 : v0_0;
            }
        }
        const float y0_0 = (float)v0_0;
        /* pass 1 */
        double v1_0 = 0.0f;
        const int short1 = parts == 1 && reduced <= 32 * LANES;
        float s1 = 0;
        for (int64_t part = part_begin; part < part_end; part++) {
            const int64_t from = part ? n1 * part / parts / LANES * LANES : 0;
            const int64_t to = part + 1 < parts ? n1 * (part + 1) / parts / LANES * LANES : n1;
            vw w1 = {0};
            {
                int64_t i1 = from;
                while (i1 < to) {
                    const int64_t stop = !short1 && i1 + 16 * LANES < to ? i1 + 16 * LANES : to;
                    vf a1_0 = vf_set(0.0f);
                    vf a1_1 = vf_set(0.0f);
                    for (; i1 + 2 * LANES <= stop; i1 += 2 * LANES) {
                        {
                            const vf t0_0 = vf_load(p_in0 + i1);
                            const vf t0_1 = t0_0 - vf_set(y0_0);
                            const vf t0_2 = vf_exp(t0_1);
                            vf_store(keep0 + i1, t0_2);
                            a1_0 += t0_2;
                        }
                        {
                            const vf t1_0 = vf_load(p_in0 + i1 + 1 * LANES);
                            const vf t1_1 = t1_0 - vf_set(y0_0);
                            const vf t1_2 = vf_exp(t1_1);
                            vf_store(keep0 + i1 + 1 * LANES, t1_2);
                            a1_1 += t1_2;
                        }
                    }
                    for (; i1 + LANES <= stop; i1 += LANES) {
                        {
                            const vf t0_0 = vf_load(p_in0 + i1);
                            const vf t0_1 = t0_0 - vf_set(y0_0);
                            const vf t0_2 = vf_exp(t0_1);
                            vf_store(keep0 + i1, t0_2);
                            a1_0 += t0_2;
                        }
                    }
                    if (i1 < stop) {
                        const int left = (int)(stop - i1);
                        {
                            const vf t0_0 = vf_load_n(p_in0 + i1, left);
                            const vf t0_1 = t0_0 - vf_set(y0_0);
                            const vf t0_2 = vf_exp(t0_1);
                            vf_store(keep0 + i1, t0_2);
                            a1_0 += vf_select(vi_first(left), t0_2, vf_set(0.0f));
                        }
                        i1 = stop;
                    }
                    if (short1) s1 = vf_sum((a1_0 + a1_1));
                    else w1 = vw_add(w1, (a1_0 + a1_1));
                }
            }
            const double p1_0 = short1 ? 0 : vw_total(w1);
            if (shared) {
                memcpy(team->shared_scratch + (((turn % 2) * 2 + 1) * 64 + part) * 64, &p1_0, sizeof p1_0);
            } else {
                v1_0 += p1_0;
            }
        }
        if (shared) {
            sol_barrier(team);
            for (int64_t part = 0; part < parts; part++) {
                double p1_0;
                memcpy(&p1_0, team->shared_scratch + (((turn % 2) * 2 + 1) * 64 + part) * 64, sizeof p1_0);
                v1_0 += p1_0;
            }
        }
        const float y1_0 = short1 ? s1 : (float)v1_0;
        const float r0_0 = 1.0f / y1_0;
        /* pass 2 */
        for (int64_t part = part_begin; part < part_end; part++) {
            const int64_t from = part ? n1 * part / parts / LANES * LANES : 0;
            const int64_t to = part + 1 < parts ? n1 * (part + 1) / parts / LANES * LANES : n1;
            {
                int64_t i1 = from;
                for (; i1 + LANES <= to; i1 += LANES) {
                    {
                        const vf t0_0 = vf_load(keep0 + i1);
                        const vf t0_1 = t0_0 * vf_set(r0_0);
                        vf_store(p_out0 + i1, t0_1);
                    }
                }
                if (i1 < to) {
                    const int left = (int)(to - i1);
                    {
                        const vf t0_0 = vf_load(keep0 + i1);
                        const vf t0_1 = t0_0 * vf_set(r0_0);
                        vf_store_n(p_out0 + i1, t0_1, left);
                    }
                    i1 = to;
                }
            }
        }
        turn++;
        i0++;
    }
}
