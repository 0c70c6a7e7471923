/* Rows of a constant as panels: for every place of the rows, the elements of a panel's rows lie side by side.
 *
 *   batch b, panel p, row r of count, run j of runs, element e of run:
 *   out[b * out_batch + p * out_panel + at * step + r] = in[b * in_batch + p * in_panel + r * row + j * hop + e]
 *
 * at: place[j * run + e], that number itself if there is no table; nothing is written where it is negative.
 * lane > 1: groups of so many elements instead of elements lie side by side, at / lane * step is out's group and at % lane the element in it
 * (bytes: four; elements of two bytes: pairs).
 * room: elements that may be written for a place, count of which are rows; the others are written as zeros or not at all.
 * factor: NULL, or what each row is multiplied by (row r of panel p of batch b: element b * factor_batch + p * count + r).
 * stream: panels shall not stay in caches; lines that are vectors are then written past them.
 * A thread takes a share of the panels, cut into pieces of a row, short runs of it together. Squares of elements are transposed in registers: rows are read along,
 * and each line of a panel is written once.
 */
#include "sol_turn.h"
#include "sol_team.h"

typedef float element;
typedef vf vector;
enum { SIDE = vf_lanes, PIECE = 256, LINE = 64, AHEAD = 4 }; /* elements of a row that are taken at once; bytes; runs */

SOL_INLINE void store(element *p, vector v, int n)
{
    if (n == SIDE) vf_store(p, v);
    else vf_store_n(p, v, n);
}

/* A square of rows and places. */
SOL_INLINE void turn(element *out, const element *in, const float *factor, const int32_t *place, int64_t at, int64_t row, int64_t step, int stream)
{
    vector r[SIDE];
#pragma GCC unroll 16
    for (int i = 0; i < SIDE; i++) r[i] = vf_load(in + i * row);
    if (factor)
#pragma GCC unroll 16
        for (int i = 0; i < SIDE; i++) r[i] *= vf_set(factor[i]);
    vf_transpose(r);
#pragma GCC unroll 16
    for (int i = 0; i < SIDE; i++) {
        const int64_t to = place ? place[at + i] : at + i;
        if (to < 0) continue;
        if (stream) vf_stream(out + to * step, r[i]);
        else
        vf_store(out + to * step, r[i]);
    }
}

/* A square of which m places are taken. */
SOL_INLINE void turn_few(element *out, const element *in, const float *factor, const int32_t *place, int64_t at, int64_t row, int64_t step, int m,
                         int stream)
{
    vector r[SIDE];
#pragma GCC unroll 16
    for (int i = 0; i < SIDE; i++) {
        r[i] = vf_load_n(in + i * row, m);
        if (factor) r[i] *= vf_set(factor[i]);
    }
    vf_transpose(r);
    for (int i = 0; i < m; i++) {
        const int64_t to = place ? place[at + i] : at + i;
        if (to < 0) continue;
        if (stream) vf_stream(out + to * step, r[i]);
        else vf_store(out + to * step, r[i]);
    }
}

/* One of n rows and m places; w elements are written for each place. */
static void turn_part(element *out, const element *in, const float *factor, const int32_t *place, int64_t at, int64_t row, int64_t step, int n,
                      int m, int w)
{
    element square[SIDE][SIDE] = { {0} };
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) square[j][i] = in[i * row + j];
    for (int i = 0; factor && i < n; i++) /* else bits of any kind are moved */
        for (int j = 0; j < m; j++) square[j][i] *= factor[i];
    for (int j = 0; j < m; j++) {
        const int64_t to = place ? place[at + j] : at + j;
        if (to >= 0) store(out + to * step, vf_load(square[j]), w);
    }
}

SOL_INLINE int least(int64_t a, int64_t b) { return (int)(a < b ? a : b); }

/* Elements at … at + size - 1 of count rows. */
static void panel_of(element *out, const element *in, const float *factor, const int32_t *place, int64_t at, int64_t size, int64_t row,
                     int64_t step, int64_t count, int64_t room, int stream)
{
    for (int64_t v = 0; v < count; v += SIDE) {
        const int n = least(SIDE, count - v), w = least(SIDE, room - v);
        const float *by = factor ? factor + v : NULL;
        int64_t e = 0;
        if (n == SIDE && w == SIDE) {
            if (size == 1 && row == 1) { /* which lie side by side already */
                const int64_t to = place ? place[at] : at;
                if (to >= 0) {
                    vf x = vf_load(in + v);
                    if (by) x *= vf_load(by);
                    if (stream) vf_stream(out + to * step + v, x);
                    else vf_store(out + to * step + v, x);
                }
                continue;
            }
            for (; e + SIDE <= size; e += SIDE) turn(out + v, in + v * row + e, by, place, at + e, row, step, stream);
            if (e < size) turn_few(out + v, in + v * row + e, by, place, at + e, row, step, (int)(size - e), stream);
            continue;
        }
        for (; e < size; e += SIDE) turn_part(out + v, in + v * row + e, by, place, at + e, row, step, n, least(SIDE, size - e), w);
    }
}
void pack_panels(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    const float *factor = buf[1];
    const int32_t *place = buf[2];
    float *out = buf[3];
    const int64_t batches = arg[0];
    const int64_t in_batch = arg[1];
    const int64_t out_batch = arg[2];
    const int64_t factor_batch = arg[3];
    const int64_t panels = arg[4];
    const int64_t in_panel = arg[5];
    const int64_t out_panel = arg[6];
    const int64_t count = arg[7];
    const int64_t room = arg[8];
    const int64_t row = arg[9];
    const int64_t runs = arg[10];
    const int64_t run = arg[11];
    const int64_t hop = arg[12];
    const int64_t step = arg[13];
    const int64_t lane = arg[14];
    const int64_t stream = arg[15];
    (void)team; (void)buf; (void)arg;
    const int64_t cuts = (run + PIECE - 1) / PIECE, some = run < PIECE ? PIECE / run : 1, each = (runs + some - 1) / some * cuts;
    int64_t begin, end;
    sol_split(team, batches * panels * each, &begin, &end);
    for (int64_t item = begin; item < end; item++) {
        const int64_t b = item / each / panels, p = item / each % panels, j0 = item % each / cuts * some, e = item % cuts * PIECE;
        const element *from = in + b * in_batch + p * in_panel + j0 * hop + e;
        element *to = out + b * out_batch + p * out_panel;
        const int64_t size = least(PIECE, run - e), last = least(j0 + some, runs), ahead = (count - 1) * row + size;
        const int whole = stream && SIDE * sizeof(element) == LINE && ((uintptr_t)to | (uintptr_t)step * sizeof(element)) % LINE == 0;
        for (int64_t j = j0; j < last; j++, from += hop) {
            if (row <= size && j + AHEAD < last)
                for (int64_t i = 0; i < ahead; i += LINE / (int)sizeof(element)) __builtin_prefetch(from + AHEAD * hop + i);
            panel_of(to, from, factor ? factor + b * factor_batch + p * count : NULL, place, j * run + e, size, row, step, count, room, whole);
        }
    }
    sol_streamed();
}
