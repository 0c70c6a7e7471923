/* Compares two compilations of simd_table.c (for NEON and for plain C) bit by bit: special values, all pairs, every tail length. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void neon_apply(int op, const float *a, const float *b, float *out);
void generic_apply(int op, const float *a, const float *b, float *out);
void neon_tail(const float *in, const uint8_t *bytes, int n, float *out, uint8_t *bytes_out);
void generic_tail(const float *in, const uint8_t *bytes, int n, float *out, uint8_t *bytes_out);
extern const char *const neon_names[];
extern const int neon_count, generic_count;

static float values[4096];
static int count;

static int same(float x, float y)
{
    uint32_t a, b;
    memcpy(&a, &x, 4), memcpy(&b, &y, 4);
    return a == b || (x != x && y != y);
}

static int wrong;
static void report(const char *name, float a, float b, float neon, float generic)
{
    if (wrong++ < 20) printf("%s(%a, %a) is %a on neon, %a on generic\n", name, (double)a, (double)b, (double)neon, (double)generic);
}

int main(void)
{
    const float special[] = {0.0f, -0.0f, __builtin_inff(), -__builtin_inff(), __builtin_nanf(""), -__builtin_nanf(""), 1e-45f, -1e-45f,
                             1.17549435e-38f, 0.5f, -0.5f, 1.5f, -1.5f, 2.5f, 3.5f, 0.49999997f, 8388607.5f, -8388607.5f, 8388608.0f, 16777216.0f,
                             3e38f, -3e38f, 1e6f, -1e6f, 88.9f, -104.0f, -150.0f, 1.0f, -1.0f, 2.0f, 100.0f, 1e10f, -3e9f, 2147483648.0f};
    for (unsigned i = 0; i < sizeof special / sizeof *special; i++) values[count++] = special[i];
    uint32_t state = 1;
    while (count < 200) {
        state = state * 1664525u + 1013904223u;
        float x;
        memcpy(&x, &state, 4);
        values[count++] = x;
    }
    if (neon_count != generic_count) return 1;
    for (int op = 0; op < neon_count; op++)
        for (int i = 0; i < count; i++)
            for (int j = 0; j < count; j += 4) {
                float a[4], x[4], y[4];
                for (int l = 0; l < 4; l++) a[l] = values[(i + l * (j % 3)) % count];
                neon_apply(op, a, values + j, x);
                generic_apply(op, a, values + j, y);
                for (int l = 0; l < 4; l++)
                    if (!same(x[l], y[l])) report(neon_names[op], a[l], values[j + l], x[l], y[l]);
            }
    for (int n = 0; n <= 6; n++)
        for (int shift = 0; shift < 4; shift++) {
            float x[12], y[12];
            uint8_t bytes[8] = {0, 1, 127, 128, 255, 254, 7, 9}, p[16], q[16];
            memset(x, 0x5a, sizeof x), memset(y, 0x5a, sizeof y), memset(p, 0x5a, sizeof p), memset(q, 0x5a, sizeof q);
            neon_tail(values + shift, bytes + shift, n, x + shift, p + shift);
            generic_tail(values + shift, bytes + shift, n, y + shift, q + shift);
            if (memcmp(x, y, sizeof x) || memcmp(p, q, sizeof p)) report("tail", (float)n, (float)shift, x[shift], y[shift]);
        }
    printf(wrong ? "%d differ\n" : "same\n", wrong);
    return 0;
}
