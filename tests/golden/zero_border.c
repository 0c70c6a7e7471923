/* Zero the physical border of a blocked buffer: `maps` maps of H x W pixels with `lanes` floats each. Threads split the maps. */
#include "sol_team.h"
#include <string.h>

static void zero(float *p, int64_t pixels, int64_t lanes) { memset(p, 0, (size_t)(pixels * lanes) * sizeof *p); }

void zero_border(const sol_team *team, void *const *buf, const int64_t *arg)
{
    float *x = buf[0];
    const int64_t maps = arg[0];
    const int64_t map_stride = arg[1];
    const int64_t H = arg[2];
    const int64_t W = arg[3];
    const int64_t row = arg[4];
    const int64_t lanes = arg[5];
    const int64_t top = arg[6];
    const int64_t bottom = arg[7];
    const int64_t left = arg[8];
    const int64_t right = arg[9];
    (void)team; (void)buf; (void)arg;
    int64_t begin, end;
    sol_split(team, maps, &begin, &end);
    for (int64_t m = begin; m < end; m++) {
        float *map = x + m * map_stride;
        zero(map, top * (W + left + right) + left, lanes);
        for (int64_t y = 0; y + 1 < H; y++) zero(map + (top + y) * row + (left + W) * lanes, right + left, lanes);
        zero(map + (top + H - 1) * row + (left + W) * lanes, right + bottom * (W + left + right), lanes);
    }
}
