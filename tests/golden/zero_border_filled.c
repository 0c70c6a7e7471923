/* Fill the physical border of a blocked buffer: N images of CB maps of H x W pixels with `lanes` bytes each. Threads split maps or rows. */
#include "sol_team.h"

static void zero(uint8_t *p, int64_t pixels, int64_t lanes, int64_t fill) { memset(p, (int)fill, (size_t)(pixels * lanes) * sizeof *p); }

void zero_border_filled(const sol_team *team, void *const *buf, const int64_t *arg)
{
    uint8_t *x = buf[0];
    const int64_t N = arg[0];
    const int64_t CB = arg[1];
    const int64_t by_rows = arg[2];
    const int64_t image_stride = arg[3];
    const int64_t map_stride = arg[4];
    const int64_t H = arg[5];
    const int64_t W = arg[6];
    const int64_t row = arg[7];
    const int64_t lanes = arg[8];
    const int64_t top = arg[9];
    const int64_t bottom = arg[10];
    const int64_t left = arg[11];
    const int64_t right = arg[12];
    const int64_t fill = arg[13];
    (void)team; (void)buf; (void)arg;
    sol_walk walk = sol_walk_of(team, N, CB, top + H + bottom, by_rows);
    while (sol_next(&walk)) {
        uint8_t *map = x + walk.n * image_stride + walk.c * map_stride;
        int64_t y = walk.y0;
        for (; y < walk.y1 && y < top; y++) zero(map + y * row, left + W + right, lanes, fill);
        for (int64_t open = left; y < walk.y1 && y < top + H; y++, open = 0) { /* with the left border of the row below */
            const int more = y + 1 < walk.y1 && y + 1 < top + H;
            if (open) zero(map + y * row, open, lanes, fill);
            zero(map + y * row + (left + W) * lanes, more ? right + left : right, lanes, fill);
        }
        for (; y < walk.y1; y++) zero(map + y * row, left + W + right, lanes, fill);
    }
}
