/* A constant in pieces that stay as they are, each behind a gap: rows of matrices into panels, vectors, whole arrays.
 *
 * out[i0 * out0 + i1 * out1 + i2 * out2 …] = in[i0 * in0 + i1 * in1 + i2 * in2 …], size bytes of it; all strides in bytes.
 * The pieces, cut where they are long, are shared out among the threads.
 */
#include "sol_team.h"

enum { LONGEST = 65536 }; /* bytes that are copied at once */

void pack_copy(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const char *in = buf[0];
    char *out = buf[1];
    const int64_t n0 = arg[0];
    const int64_t n1 = arg[1];
    const int64_t n2 = arg[2];
    const int64_t size = arg[3];
    const int64_t in0 = arg[4];
    const int64_t in1 = arg[5];
    const int64_t in2 = arg[6];
    const int64_t out0 = arg[7];
    const int64_t out1 = arg[8];
    const int64_t out2 = arg[9];
    (void)team; (void)buf; (void)arg;
    const int64_t cuts = (size + LONGEST - 1) / LONGEST;
    int64_t begin, end;
    sol_split(team, n0 * n1 * n2 * cuts, &begin, &end);
    for (int64_t item = begin; item < end; item++) {
        const int64_t first = item % cuts * LONGEST, i2 = item / cuts % n2, i1 = item / cuts / n2 % n1, i0 = item / cuts / n2 / n1;
        const int64_t bytes = size - first < LONGEST ? size - first : LONGEST;
        memcpy(out + i0 * out0 + i1 * out1 + i2 * out2 + first, in + i0 * in0 + i1 * in1 + i2 * in2 + first, (size_t)bytes);
    }
}
