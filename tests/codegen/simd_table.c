/* Every primitive of sol_simd.h behind one function. Compiled once per header, PREFIX tells them apart. */
/* Which of two zeros an extreme is may differ, so equal operands and sums with zero hide it. */
#include "sol_dfp.h"
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define NAME(name) JOIN(PREFIX, name)
#define ROUND_TRIP(v) __builtin_convertvector(v, vf)
void NAME(apply)(int op, const float *a, const float *b, float *out);
void NAME(tail)(const float *in, const uint8_t *bytes, int n, float *out, uint8_t *bytes_out);
extern const char *const NAME(names)[];
extern const int NAME(count);

#define TABLE                                                                                                             \
    X(sqrt, vf_sqrt(x)) X(rint, vf_rint(x)) X(floor, vf_floor(x)) X(ceil, vf_ceil(x)) X(trunc, vf_trunc(x))               \
    X(abs, vf_abs(x)) X(relu, vf_relu(x)) X(copysign, vf_copysign(x, y)) X(max_quiet, vf_max_quiet(x, y))                 \
    X(min_quiet, vf_min_quiet(x, y)) X(max, vf_select(x == y, x, vf_max(x, y))) X(min, vf_select(x == y, x, vf_min(x, y))) \
    X(select, vf_select(x < y, x, y)) X(sum, vf_set(vf_sum(x))) X(total, vf_set((float)vw_total(vw_add((vw){x, y}, y)))) \
    X(fold_max, vf_set(vf_fold_max(x) + 0)) X(fold_min, vf_set(vf_fold_min(x) + 0)) X(permute, VF_PERMUTE(x, 1, 0, 3, 2)) \
    X(broadcast, VF_PERMUTE(x, 2, 2, 2, 2)) X(madd, x * y + x) X(first, vf_select(vi_first(3), x, y))                     \
    X(permute_at, vf_permute(x, (vi){3, 1, 6, 0})) X(less, ROUND_TRIP(x < y)) X(equal, ROUND_TRIP(x == y))                \
    X(exp, vf_exp(x)) X(expm1, vf_expm1(x)) X(log, vf_log(x)) X(log1p, vf_log1p(x)) X(tanh, vf_tanh(x)) X(erf, vf_erf(x)) \
    X(sin, vf_sin(x)) X(cos, vf_cos(x)) X(sigmoid, vf_sigmoid(x)) X(pow, vf_pow(x, y)) X(fmod, vf_fmod(x, y))             \
    X(atan2, vf_atan2(x, y))

#define X(name, value) static vf NAME(name)(vf x, vf y) { (void)y; return value; }
TABLE
#undef X
#define X(name, value) #name,
const char *const NAME(names)[] = {TABLE};
#undef X
#define X(name, value) NAME(name),
static vf (*const table[])(vf, vf) = {TABLE};
const int NAME(count) = sizeof table / sizeof *table;

void NAME(apply)(int op, const float *a, const float *b, float *out) { vf_store(out, table[op](vf_load(a), vf_load(b))); }

void NAME(tail)(const float *in, const uint8_t *bytes, int n, float *out, uint8_t *bytes_out)
{
    vf_store_n(out + 4, vf_load_n(in, n), LANES);
    vf_store_n(out, vf_load(in), n);
    vi_store_bytes(bytes_out, vi_load_bytes(bytes) * 3);
    if (n <= LANES) vb_store_n(bytes_out + 6, vb_load_n(bytes, n), n);
}
