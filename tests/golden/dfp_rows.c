/* dfp_rows: softmax.
 *   For every row (split over the team): 3 pass(es) along the reduced axes in vectors, each folded to one number.
 *   Few but long rows: the whole team shares each one and combines partial results through the common memory.
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
    int64_t split_begin = 0, split_end = n1;
    int64_t begin = units * team->id / size, end = units * (team->id + 1) / size;
    const int shared = size > 1 && size <= 64 && units < size && work * 13 >= 65536;
    if (shared) {
        begin = 0;
        end = units;
        split_begin = (split_end * team->id / size) / LANES * LANES;
        if (team->id + 1 < size) split_end = (split_end * (team->id + 1) / size) / LANES * LANES;
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
        vf a0_0 = vf_set(-INFINITY);
        vf a0_1 = vf_set(-INFINITY);
        vf a0_2 = vf_set(-INFINITY);
        vf a0_3 = vf_set(-INFINITY);
        {
            int64_t i1 = split_begin;
            for (; i1 + 4 * LANES <= split_end; i1 += 4 * LANES) {
                {
                    const vf t0_0 = vf_load(p_in0 + i1);
                    a0_0 = vf_max(a0_0, t0_0);
                }
                {
                    const vf t1_0 = vf_load(p_in0 + i1 + 1 * LANES);
                    a0_1 = vf_max(a0_1, t1_0);
                }
                {
                    const vf t2_0 = vf_load(p_in0 + i1 + 2 * LANES);
                    a0_2 = vf_max(a0_2, t2_0);
                }
                {
                    const vf t3_0 = vf_load(p_in0 + i1 + 3 * LANES);
                    a0_3 = vf_max(a0_3, t3_0);
                }
            }
            for (; i1 + LANES <= split_end; i1 += LANES) {
                {
                    const vf t0_0 = vf_load(p_in0 + i1);
                    a0_0 = vf_max(a0_0, t0_0);
                }
            }
            if (i1 < split_end) {
                const int left = (int)(split_end - i1);
                {
                    const vf t0_0 = vf_load_n(p_in0 + i1, left);
                    a0_0 = vf_max(a0_0, vf_select(vi_first(left), t0_0, vf_set(-INFINITY)));
                }
            }
        }
        a0_0 = vf_max(a0_0, a0_1);
        a0_0 = vf_max(a0_0, a0_2);
        a0_0 = vf_max(a0_0, a0_3);
        float v0_0 = vf_fold_max(a0_0);
        if (shared) {
            memcpy(team->common + ((turn % 2) * 2 + 0) * 4096 + team->id * 64 , &v0_0, sizeof v0_0);
            sol_barrier(team);
            memcpy(&v0_0, team->common + ((turn % 2) * 2 + 0) * 4096 , sizeof v0_0);
            for (int thread = 1; thread < team->size; thread++) {
                float other;
                memcpy(&other, team->common + ((turn % 2) * 2 + 0) * 4096 + thread * 64 , sizeof other);
                v0_0 = other > v0_0 || other != other ? other : v0_0;
            }
        }
        /* pass 1 */
        vf a1_0 = vf_set(0.0f);
        vf a1_1 = vf_set(0.0f);
        {
            int64_t i1 = split_begin;
            for (; i1 + 2 * LANES <= split_end; i1 += 2 * LANES) {
                {
                    const vf t0_0 = vf_load(p_in0 + i1);
                    const vf t0_1 = t0_0 - vf_set(v0_0);
                    const vf t0_2 = vf_exp(t0_1);
                    vf_store(keep0 + i1, t0_2);
                    a1_0 += t0_2;
                }
                {
                    const vf t1_0 = vf_load(p_in0 + i1 + 1 * LANES);
                    const vf t1_1 = t1_0 - vf_set(v0_0);
                    const vf t1_2 = vf_exp(t1_1);
                    vf_store(keep0 + i1 + 1 * LANES, t1_2);
                    a1_1 += t1_2;
                }
            }
            for (; i1 + LANES <= split_end; i1 += LANES) {
                {
                    const vf t0_0 = vf_load(p_in0 + i1);
                    const vf t0_1 = t0_0 - vf_set(v0_0);
                    const vf t0_2 = vf_exp(t0_1);
                    vf_store(keep0 + i1, t0_2);
                    a1_0 += t0_2;
                }
            }
            if (i1 < split_end) {
                const int left = (int)(split_end - i1);
                {
                    const vf t0_0 = vf_load_n(p_in0 + i1, left);
                    const vf t0_1 = t0_0 - vf_set(v0_0);
                    const vf t0_2 = vf_exp(t0_1);
                    vf_store(keep0 + i1, t0_2);
                    a1_0 += vf_select(vi_first(left), t0_2, vf_set(0.0f));
                }
            }
        }
        a1_0 += a1_1;
        float v1_0 = vf_fold_sum(a1_0);
        if (shared) {
            memcpy(team->common + ((turn % 2) * 2 + 1) * 4096 + team->id * 64 , &v1_0, sizeof v1_0);
            sol_barrier(team);
            memcpy(&v1_0, team->common + ((turn % 2) * 2 + 1) * 4096 , sizeof v1_0);
            for (int thread = 1; thread < team->size; thread++) {
                float other;
                memcpy(&other, team->common + ((turn % 2) * 2 + 1) * 4096 + thread * 64 , sizeof other);
                v1_0 += other;
            }
        }
        const float r0_0 = 1.0f / v1_0;
        /* pass 2 */
        {
            int64_t i1 = split_begin;
            for (; i1 + LANES <= split_end; i1 += LANES) {
                {
                    const vf t0_0 = vf_load(keep0 + i1);
                    const vf t0_1 = t0_0 * vf_set(r0_0);
                    vf_store(p_out0 + i1, t0_1);
                }
            }
            if (i1 < split_end) {
                const int left = (int)(split_end - i1);
                {
                    const vf t0_0 = vf_load(keep0 + i1);
                    const vf t0_1 = t0_0 * vf_set(r0_0);
                    vf_store_n(p_out0 + i1, t0_1, left);
                }
            }
        }
        turn++;
        i0++;
    }
}
