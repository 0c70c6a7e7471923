/* Factors of channels, inputs[groups * room], as steps of 16 of them, each step so many times (repeats), with the signs of pairs. */
#include "sol_team.h"

enum { WIDE = 16 };
static const float signs[2][WIDE] = {
    { 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, -1.0f, 1.0f, -1.0f, 1.0f, 1.0f, 1.0f, 1.0f, },
    { 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, -1.0f, 1.0f, -1.0f, 1.0f, -1.0f, 1.0f, 1.0f, 1.0f, },
};

void pack_signs(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *inputs = buf[0];
    float *out = buf[1];
    const int64_t groups = arg[0];
    const int64_t room = arg[1];
    const int64_t repeats = arg[2];
    (void)team; (void)buf; (void)arg;
    int64_t begin, end;
    sol_split(team, groups * room / WIDE * repeats, &begin, &end);
    for (int64_t step = begin; step < end; step++) {
        const float *from = inputs + step / repeats * WIDE;
        for (int c = 0; c < WIDE; c++) out[step * WIDE + c] = from[c] * signs[step % (room / WIDE * repeats) % 2][c];
    }
}
