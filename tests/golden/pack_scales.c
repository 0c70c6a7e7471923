/* Powers of two by which a convolution's channels are scaled (packers/scales.py), for in[groups][rows][channels][taps].
 *
 * Row factors come from the mean of a row's squares; input factors from the columns' means of squares over the row factors', the largest of
 * a group 1, 0 for channels without weights. What is not finite counts as 1.
 * batch, row, channel: elements from one group, row, channel of it to the next. tap: NULL where this order is that of memory,
 * or where each tap lies: then channels are the outer loop of memory and rows lie inside.
 * place: NULL, or where each channel goes among those that are taken, negative: nowhere; taken: their number.
 * over[groups * rows]: one over the squares of the row factors; with ``tap`` one for each place inside a row, 0 where no tap lies.
 * sums: of squares, added up over the lines of memory, rows or channels.
 * inputs[groups * room]: the factors of channels, with zeros behind those of a group.
 * Weights are read as they lie, once for the rows and once for the channels. Threads share out rows, then channels, then inputs; a barrier
 * lies between.
 */
#include "sol_powers.h"
#include "sol_math_parts.h"
#include "sol_team.h"

enum { LARGEST = 100, ADDERS = 4, STRIP = 1024 };

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

static double square(float x) { return x - x == 0 ? (double)x * x : 1; }

SOL_INLINE vf finite(vf x) { return vf_select(x - x == 0.0f, x, vf_set(1)); }

SOL_INLINE vd doubles(const double *at)
{
    vd x;
    memcpy(&x, at, sizeof x);
    return x;
}

/* The square of what a row's weights are multiplied by. */
static double factor_of(const float *factor, int64_t k)
{
    const double by = factor ? (double)factor[k] * factor[k] : 1;
    return by - by == 0 ? by : 1;
}

/* The squares of n weights, each of them times its share (NULL: 1). */
static double along(const float *w, const double *shares, int64_t n)
{
    vd sums[2 * ADDERS] = {0};
    double parts[LANES / 2], total = 0;
    int64_t i = 0;
    for (; i + ADDERS * LANES <= n; i += ADDERS * LANES)
#pragma GCC unroll 4
        for (int j = 0; j < ADDERS; j++) {
            const vf x = finite(vf_load(w + i + j * LANES));
            const vd a = vd_low(x), b = vd_high(x);
            sums[2 * j] += shares ? a * a * doubles(shares + i + j * LANES) : a * a;
            sums[2 * j + 1] += shares ? b * b * doubles(shares + i + j * LANES + LANES / 2) : b * b;
        }
#pragma GCC unroll 3
    for (int half = ADDERS; half; half /= 2)
#pragma GCC unroll 4
        for (int j = 0; j < half; j++) sums[j] += sums[j + half];
    memcpy(parts, sums, sizeof parts);
    for (int j = 0; j < LANES / 2; j++) total += parts[j];
    for (; i < n; i++) total += square(w[i]) * (shares ? shares[i] : 1);
    return total;
}

/* For elements begin to end of lines ``step`` apart: the squares of all lines, times each line's share (NULL: 1). Lines whose place is
 * negative are left out. Of several lines at once a strip is read, while its sums stay in the first-level cache and those of the next lines
 * are asked for. */
static void across(double *sums, const float *in, const double *shares, const int32_t *place, int64_t lines, int64_t step, int64_t begin,
                   int64_t end)
{
    for (int64_t first = begin; first < end; first += STRIP) {
        const int64_t n = end - first < STRIP ? end - first : STRIP;
        double *const found = sums + first;
        memset(found, 0, (size_t)n * sizeof *found);
        for (int64_t l = 0; l < lines; l += ADDERS) {
            const float *w[ADDERS];
            double share[ADDERS];
            for (int j = 0; j < ADDERS; j++) {
                const int64_t at = l + j < lines ? l + j : l;
                w[j] = in + at * step + first;
                share[j] = l + j >= lines || (place && place[at] < 0) ? 0 : shares ? shares[at] : 1;
            }
            int64_t e = 0;
            const int64_t next = l + 2 * ADDERS <= lines ? ADDERS * step : 0;
            for (; e + LANES <= n; e += LANES) {
                vd a = doubles(found + e), b = doubles(found + e + LANES / 2);
#pragma GCC unroll 4
                for (int j = 0; j < ADDERS; j++) {
                    __builtin_prefetch(w[j] + next + e);
                    const vf x = finite(vf_load(w[j] + e));
                    const vd low = vd_low(x), high = vd_high(x);
                    a += low * low * share[j];
                    b += high * high * share[j];
                }
                memcpy(found + e, &a, sizeof a);
                memcpy(found + e + LANES / 2, &b, sizeof b);
            }
            for (; e < n; e++)
                for (int j = 0; j < ADDERS; j++) found[e] += square(w[j][e]) * share[j];
        }
    }
}

void pack_scales(const sol_team *team, void *const *buf, const int64_t *arg)
{
    const float *in = buf[0];
    const float *factor = buf[1];
    const int32_t *place = buf[2];
    const int32_t *tap = buf[3];
    double *sums = buf[4];
    double *over = buf[5];
    double *columns = buf[6];
    char *empty = buf[7];
    float *inputs = buf[8];
    const int64_t groups = arg[0];
    const int64_t rows = arg[1];
    const int64_t channels = arg[2];
    const int64_t taps = arg[3];
    const int64_t taken = arg[4];
    const int64_t room = arg[5];
    const int64_t batch = arg[6];
    const int64_t row = arg[7];
    const int64_t channel = arg[8];
    (void)team; (void)buf; (void)arg;
    const int64_t span = tap ? row : taps;
    int64_t begin, end;
    sol_split(team, groups * rows, &begin, &end);
    for (int64_t at = begin; at < end;) {
        const int64_t g = at / rows, first = at % rows, last = rows - first < end - at ? rows : first + end - at;
        const float *const from = in + g * batch;
        double *const inside = sums + g * rows * span;
        if (tap) across(inside, from, NULL, place, channels, channel, first * span, last * span);
        for (int64_t k = first; k < last; k++) {
            const double by = factor_of(factor, g * rows + k);
            double total = 0;
            if (tap)
                for (int64_t t = 0; t < taps; t++) total += inside[k * span + tap[t]];
            else if (!place)
                total = along(from + k * row, NULL, channels * taps);
            else
                for (int64_t c = 0, stop; c < channels; c = stop + 1) { /* runs of channels that are taken */
                    for (stop = c; stop < channels && place[stop] >= 0; stop++) {}
                    if (stop > c) total += along(from + k * row + c * channel, NULL, (stop - c) * taps);
                }
            const double scale = power(total * by / (double)taken), share = by / (scale * scale);
            if (!tap) {
                over[g * rows + k] = share;
                continue;
            }
            double *const shares = over + (g * rows + k) * span;
            for (int64_t t = 0; t < span; t++) shares[t] = 0;
            for (int64_t t = 0; t < taps; t++) shares[tap[t]] = share;
        }
        at += last - first;
    }
    sol_barrier(team);
    sol_split(team, groups * channels, &begin, &end);
    for (int64_t at = begin; at < end;) {
        const int64_t g = at / channels, first = at % channels, last = channels - first < end - at ? channels : first + end - at;
        const float *const from = in + g * batch;
        double *const inside = sums + g * channels * span;
        if (!tap) across(inside, from, over + g * rows, NULL, rows, row, first * span, last * span);
        for (int64_t c = first; c < last; c++) {
            const int64_t to = place ? place[c] : c;
            if (to < 0) continue;
            double column = 0;
            if (tap) column = along(from + c * channel, over + g * rows * span, rows * span);
            else
                for (int64_t t = 0; t < span; t++) column += inside[c * span + t];
            empty[g * taken + to] = column == 0;
            columns[g * taken + to] = power(column / (double)rows);
        }
        at += last - first;
    }
    sol_barrier(team);
    for (int64_t g = 0; g < groups; g++) {
        const double *column = columns + g * taken;
        double most = 0;
        for (int64_t c = 0; c < taken; c++) most = column[c] > most ? column[c] : most;
        sol_split(team, room, &begin, &end);
        for (int64_t c = begin; c < end; c++)
            inputs[g * room + c] = c >= taken || empty[g * taken + c] ? 0 : (float)clamped(column[c], most);
    }
}
