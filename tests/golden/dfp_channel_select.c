/* dfp_channel_select: channels of up to 1 blocked tensors by a table, in any order.
 *   pieces of pixel rows with one block of channels (split over the team: blocks or positions) x pixels x the blocks that hold the wanted lanes: load, permute, blend.
 *   H, W: rows and pixels of a row (one row where memory allows). n, c, h: strides of the batch, a block of channels and a row.
 *   table: for every block the number of its first term, then terms of source, block and LANES bytes: the lane to take, 255 for none. */
#include "sol_dfp.h"

enum { BYTES = LANES < 8 ? 8 : LANES, TERM = 2 + BYTES / 8, TOGETHER = 4, PIXELS = 96 };

typedef struct {
    const float *x;
    vi at;
} part;

/* Lanes from 1 block(s), the others zero. */
static void mix1(float *restrict o, const part *parts, int64_t pixels)
{
    const float *restrict x0 = parts[0].x;
    const vi at0 = parts[0].at, take0 = at0 < LANES;
    for (int64_t i = 0; i < pixels * LANES; i += LANES) {
        vf v = vf_select(take0, vf_permute(vf_load(x0 + i), at0), vf_zero());
        vf_store(o + i, v);
    }
}
/* Lanes from 1 block(s), the others as they are. */
static void mix1_more(float *restrict o, const part *parts, int64_t pixels)
{
    const float *restrict x0 = parts[0].x;
    const vi at0 = parts[0].at, take0 = at0 < LANES;
    for (int64_t i = 0; i < pixels * LANES; i += LANES) {
        vf v = vf_select(take0, vf_permute(vf_load(x0 + i), at0), vf_load(o + i));
        vf_store(o + i, v);
    }
}
/* Lanes from 2 block(s), the others zero. */
static void mix2(float *restrict o, const part *parts, int64_t pixels)
{
    const float *restrict x0 = parts[0].x;
    const vi at0 = parts[0].at, take0 = at0 < LANES;
    const float *restrict x1 = parts[1].x;
    const vi at1 = parts[1].at, take1 = at1 < LANES;
    for (int64_t i = 0; i < pixels * LANES; i += LANES) {
        vf v = vf_select(take0, vf_permute(vf_load(x0 + i), at0), vf_zero());
        v = vf_select(take1, vf_permute(vf_load(x1 + i), at1), v);
        vf_store(o + i, v);
    }
}
/* Lanes from 2 block(s), the others as they are. */
static void mix2_more(float *restrict o, const part *parts, int64_t pixels)
{
    const float *restrict x0 = parts[0].x;
    const vi at0 = parts[0].at, take0 = at0 < LANES;
    const float *restrict x1 = parts[1].x;
    const vi at1 = parts[1].at, take1 = at1 < LANES;
    for (int64_t i = 0; i < pixels * LANES; i += LANES) {
        vf v = vf_select(take0, vf_permute(vf_load(x0 + i), at0), vf_load(o + i));
        v = vf_select(take1, vf_permute(vf_load(x1 + i), at1), v);
        vf_store(o + i, v);
    }
}
/* Lanes from 3 block(s), the others zero. */
static void mix3(float *restrict o, const part *parts, int64_t pixels)
{
    const float *restrict x0 = parts[0].x;
    const vi at0 = parts[0].at, take0 = at0 < LANES;
    const float *restrict x1 = parts[1].x;
    const vi at1 = parts[1].at, take1 = at1 < LANES;
    const float *restrict x2 = parts[2].x;
    const vi at2 = parts[2].at, take2 = at2 < LANES;
    for (int64_t i = 0; i < pixels * LANES; i += LANES) {
        vf v = vf_select(take0, vf_permute(vf_load(x0 + i), at0), vf_zero());
        v = vf_select(take1, vf_permute(vf_load(x1 + i), at1), v);
        v = vf_select(take2, vf_permute(vf_load(x2 + i), at2), v);
        vf_store(o + i, v);
    }
}
/* Lanes from 3 block(s), the others as they are. */
static void mix3_more(float *restrict o, const part *parts, int64_t pixels)
{
    const float *restrict x0 = parts[0].x;
    const vi at0 = parts[0].at, take0 = at0 < LANES;
    const float *restrict x1 = parts[1].x;
    const vi at1 = parts[1].at, take1 = at1 < LANES;
    const float *restrict x2 = parts[2].x;
    const vi at2 = parts[2].at, take2 = at2 < LANES;
    for (int64_t i = 0; i < pixels * LANES; i += LANES) {
        vf v = vf_select(take0, vf_permute(vf_load(x0 + i), at0), vf_load(o + i));
        v = vf_select(take1, vf_permute(vf_load(x1 + i), at1), v);
        v = vf_select(take2, vf_permute(vf_load(x2 + i), at2), v);
        vf_store(o + i, v);
    }
}
/* Lanes from 4 block(s), the others zero. */
static void mix4(float *restrict o, const part *parts, int64_t pixels)
{
    const float *restrict x0 = parts[0].x;
    const vi at0 = parts[0].at, take0 = at0 < LANES;
    const float *restrict x1 = parts[1].x;
    const vi at1 = parts[1].at, take1 = at1 < LANES;
    const float *restrict x2 = parts[2].x;
    const vi at2 = parts[2].at, take2 = at2 < LANES;
    const float *restrict x3 = parts[3].x;
    const vi at3 = parts[3].at, take3 = at3 < LANES;
    for (int64_t i = 0; i < pixels * LANES; i += LANES) {
        vf v = vf_select(take0, vf_permute(vf_load(x0 + i), at0), vf_zero());
        v = vf_select(take1, vf_permute(vf_load(x1 + i), at1), v);
        v = vf_select(take2, vf_permute(vf_load(x2 + i), at2), v);
        v = vf_select(take3, vf_permute(vf_load(x3 + i), at3), v);
        vf_store(o + i, v);
    }
}
/* Lanes from 4 block(s), the others as they are. */
static void mix4_more(float *restrict o, const part *parts, int64_t pixels)
{
    const float *restrict x0 = parts[0].x;
    const vi at0 = parts[0].at, take0 = at0 < LANES;
    const float *restrict x1 = parts[1].x;
    const vi at1 = parts[1].at, take1 = at1 < LANES;
    const float *restrict x2 = parts[2].x;
    const vi at2 = parts[2].at, take2 = at2 < LANES;
    const float *restrict x3 = parts[3].x;
    const vi at3 = parts[3].at, take3 = at3 < LANES;
    for (int64_t i = 0; i < pixels * LANES; i += LANES) {
        vf v = vf_select(take0, vf_permute(vf_load(x0 + i), at0), vf_load(o + i));
        v = vf_select(take1, vf_permute(vf_load(x1 + i), at1), v);
        v = vf_select(take2, vf_permute(vf_load(x2 + i), at2), v);
        v = vf_select(take3, vf_permute(vf_load(x3 + i), at3), v);
        vf_store(o + i, v);
    }
}
static void mix(float *o, const part *parts, int64_t count, int64_t pixels)
{
    static void (*const first[])(float *, const part *, int64_t) = { mix1, mix2, mix3, mix4 };
    static void (*const more[])(float *, const part *, int64_t) = { mix1_more, mix2_more, mix3_more, mix4_more };
    first[(count < TOGETHER ? count : TOGETHER) - 1](o, parts, pixels);
    for (int64_t k = TOGETHER; k < count; k += TOGETHER) more[(count - k < TOGETHER ? count - k : TOGETHER) - 1](o, parts + k, pixels);
}

void dfp_channel_select(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in0 = buf[0];
    float *out0 = buf[1];
    const int64_t N = arg[0];
    const int64_t C = arg[1];
    const int64_t H = arg[2];
    const int64_t W = arg[3];
    const int64_t by_rows = arg[4];
    const int64_t n0 = arg[5];
    const int64_t c0 = arg[6];
    const int64_t h0 = arg[7];
    const int64_t n_out = arg[8];
    const int64_t c_out = arg[9];
    const int64_t h_out = arg[10];
    (void)team; (void)buf; (void)arg;
    if (N * C * H * W == 0) return;
    sol_team few = *team;
    if (N * C * H * W * LANES < 8192) {
        if (team->id) return;
        few.size = 1;
    }
    const float *const source[] = { in0 };
    const int64_t batch[] = { n0 };
    const int64_t block[] = { c0 };
    const int64_t row[] = { h0 };
    const int64_t *const first = arg + 11, *const terms = first + C + 1;
    vi whole;
    for (int i = 0; i < LANES; i++) whole[i] = i;
    part parts[LANES];
    sol_walk walk = sol_walk_of(&few, N, C, H * W, by_rows);
    while (sol_next(&walk)) for (int64_t at = walk.y0, pixels; at < walk.y1; at += pixels) {
        const int64_t c = walk.c, n = walk.n, y = at / W, from = at % W;
        pixels = W - from < PIXELS ? W - from : PIXELS;
        if (pixels > walk.y1 - at) pixels = walk.y1 - at;
        const int64_t *term = terms + first[c] * TERM, count = first[c + 1] - first[c];
        float *o = out0 + n * n_out + c * c_out + y * h_out + from * LANES;
        for (int64_t k = 0; k < count; k++, term += TERM) {
            parts[k].x = source[term[0]] + n * batch[term[0]] + term[1] * block[term[0]] + y * row[term[0]] + from * LANES;
            parts[k].at = vi_load_bytes((const uint8_t *)(term + 2));
        }
        if (count == 1 && vi_fold_all(parts[0].at == whole))
            memcpy(o, parts[0].x, (size_t)pixels * LANES * sizeof *o);
        else
            mix(o, parts, count, pixels);
    }
}
