/* Powers of two by which a convolution's channels are scaled (kernels/scales.py), for in[groups][rows][channels][taps].
 *
 *   squares[k][c]  sums over the taps, 1 where they are not finite
 *   row factors from the mean of a row's squares; input factors from the columns' means of squares over the row factors', the largest of a
 *   group 1, 0 for channels without weights
 * batch, row, channel: elements from one group, row, channel of it to the next; tap: NULL, or where each tap lies.
 * place: NULL, or where each channel goes among those that are taken, negative: nowhere; taken: their number.
 * inputs[groups * room] with zeros behind the channels of a group, signed: steps of 16 inputs, each ``taps`` times (repeats), with the
 * signs of pairs. Each may be NULL.
 * Threads share out rows, then columns, then inputs; a barrier lies between.
 */
#include "sol_powers.h"
#include "sol_team.h"

enum { LANES16 = 16, LARGEST = 100 };
static const float signs[2][LANES16] = {
    { 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, -1.0f, 1.0f, -1.0f, 1.0f, 1.0f, 1.0f, 1.0f, },
    { 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f, -1.0f, 1.0f, -1.0f, 1.0f, -1.0f, 1.0f, 1.0f, 1.0f, },
};

/* The power of two up to the root; 1 for zero. */
static double power(double square)
{
    const int e = sol_exponent(square) >> 1;
    return square > 0 ? sol_power(e < -LARGEST ? -LARGEST : e > LARGEST ? LARGEST : e) : 1;
}

static double clamped(double column, double most)
{
    const double least = sol_power(-LARGEST), x = column / (most > least ? most : least);
    return x > least ? x : least;
}

void pack_scales(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    const float *factor = buf[1];
    const int32_t *place = buf[2];
    const int32_t *tap = buf[3];
    double *squares = buf[4];
    double *over = buf[5];
    double *columns = buf[6];
    char *empty = buf[7];
    float *inputs = buf[8];
    float *signed_ = buf[9];
    const int64_t groups = arg[0];
    const int64_t rows = arg[1];
    const int64_t channels = arg[2];
    const int64_t taps = arg[3];
    const int64_t taken = arg[4];
    const int64_t room = arg[5];
    const int64_t repeats = arg[6];
    const int64_t batch = arg[7];
    const int64_t row = arg[8];
    const int64_t channel = arg[9];
    (void)team; (void)buf; (void)arg;
    int64_t begin, end;
    sol_split(team, groups * rows, &begin, &end);
    for (int64_t k = begin; k < end; k++) {
        const float by = factor ? factor[k] : 1;
        double *mine = squares + k * taken, total = 0;
        for (int64_t c = 0; c < channels; c++) {
            const int64_t to = place ? place[c] : c;
            if (to < 0) continue;
            const float *w = in + k / rows * batch + k % rows * row + c * channel;
            double sum = 0;
            for (int64_t t = 0; t < taps; t++) {
                const float x = w[tap ? tap[t] : t] * by;
                sum += (double)x * x;
            }
            mine[to] = sum - sum == 0 ? sum : 1;
        }
        for (int64_t c = 0; c < taken; c++) total += mine[c];
        const double scale = power(total / (double)taken);
        over[k] = 1 / (scale * scale);
    }
    sol_barrier(team);
    sol_split(team, groups * taken, &begin, &end);
    for (int64_t at = begin; at < end;) {
        const int64_t g = at / taken, first = at % taken, last = taken - first < end - at ? taken : first + end - at;
        for (int64_t c = first; c < last; c++) columns[g * taken + c] = 0;
        for (int64_t k = g * rows; k < (g + 1) * rows; k++)
            for (int64_t c = first; c < last; c++) columns[g * taken + c] += squares[k * taken + c] * over[k];
        for (int64_t c = first; c < last; c++) {
            double *column = columns + g * taken + c;
            empty[g * taken + c] = *column == 0;
            if (*column == 0) /* also where squares vanish beside the row's factor */
                for (int64_t k = g * rows; k < (g + 1) * rows; k++) empty[g * taken + c] &= squares[k * taken + c] == 0;
            *column = power(*column / (double)rows);
        }
        at += last - first;
    }
    sol_barrier(team);
    for (int64_t g = 0; g < groups; g++) {
        const double *column = columns + g * taken;
        double most = 0;
        for (int64_t c = 0; c < taken; c++) most = column[c] > most ? column[c] : most;
        sol_split(team, room, &begin, &end);
        for (int64_t c = begin; c < end; c++) {
            const float x = c >= taken || empty[g * taken + c] ? 0 : (float)clamped(column[c], most);
            if (inputs) inputs[g * room + c] = x;
            for (int64_t t = 0; signed_ && t < repeats; t++) {
                const int64_t step = c / LANES16 * repeats + t;
                signed_[(g * (room / LANES16) * repeats + step) * LANES16 + c % LANES16] = x * signs[step % 2][c % LANES16];
            }
        }
    }
}
