/* Calls a deployed library as a C program does. NETWORK_H, CALL(ctx) and the tables are defined by tests/deploy/support.py.
 * Arguments: number of threads, of which each has a context of its own, then the sizes in dims. Input: all inputs, one after the other.
 * Output: all outputs. Every thread calls with NULL outputs, with its own memory and asynchronously, and all results must be equal. */
#include NETWORK_H
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t dims[8];
static void *in[INPUTS + 1];
static size_t in_bytes[INPUTS + 1], out_bytes[OUTPUTS + 1];
static void *first[OUTPUTS + 1];

static void die(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, ERROR() ? ERROR() : "no error is told");
    exit(3);
}

static size_t bytes_of(const int64_t *shape, int rank, const char *type)
{
    const char *digits = strpbrk(type, "123456789");
    size_t n = digits ? (size_t)atoi(digits) / 8 : 1;
    for (int i = 0; i < rank; i++) n *= (size_t)shape[i];
    return n;
}

static int differ(int output, const void *a, const void *b)
{
    return memcmp(a, b, out_bytes[output]) != 0;
}

static void *work(void *arg)
{
    void *context = arg ? CREATE() : NULL;
    void *out[OUTPUTS + 1] = {NULL}, *given[OUTPUTS + 1];
    if (arg && !context) die("create");
    CALL(context, out);
    if (ERROR()) die("call");
    for (int i = 0; i < OUTPUTS; i++) {
        if (!out[i]) die("a result is NULL");
        given[i] = malloc(out_bytes[i] + 1);
        memset(given[i], 0x7f, out_bytes[i] + 1);
    }
    void *kept[OUTPUTS + 1];
    memcpy(kept, given, sizeof kept);
    CALL(context, given);
    if (ERROR()) die("call");
    for (int i = 0; i < OUTPUTS; i++) {
        if (given[i] != kept[i]) die("a pointer was exchanged");
        if (differ(i, given[i], out[i])) die("two calls differ");
        if (((char *)given[i])[out_bytes[i]] != 0x7f) die("written beyond the end");
        memset(given[i], 0, out_bytes[i]);
    }
    if (ASYNC(context, given) || SYNC(context)) die("asynchronous call");
    for (int i = 0; i < OUTPUTS; i++)
        if (differ(i, given[i], out[i])) die("the asynchronous call differs");
    if (context) DESTROY(context);
    void **result = malloc(sizeof kept);
    memcpy(result, given, sizeof kept);
    return result;
}

int main(int argc, char **argv)
{
    const int count = atoi(argv[1]);
    int64_t shape[16];
    for (int i = 2; i < argc && i < 10; i++) dims[i - 2] = atoll(argv[i]);
    INIT(0);
    if (ERROR()) die("init");
    if (CHECK()) die("check");
    for (int i = 0; i < INPUTS; i++) {
        in_bytes[i] = bytes_of(shape, INPUT_SHAPE(i, shape), INPUT_TYPE(i));
        in[i] = malloc(in_bytes[i] + 1);
        if (fread(in[i], 1, in_bytes[i], stdin) != in_bytes[i]) die("the input ends early");
    }
    for (int i = 0; i < OUTPUTS; i++) out_bytes[i] = bytes_of(shape, OUTPUT_SHAPE(i, shape), OUTPUT_TYPE(i));
    pthread_t threads[64];
    for (int t = 0; t < count; t++) pthread_create(&threads[t], NULL, work, t ? argv : NULL);
    for (int t = 0; t < count; t++) {
        void **result;
        pthread_join(threads[t], (void **)&result);
        for (int i = 0; i < OUTPUTS; i++) {
            if (t == 0) first[i] = result[i];
            else {
                if (differ(i, first[i], result[i])) die("two threads differ");
                free(result[i]);
            }
        }
        free(result);
    }
    volatile float tiny = 1e-40f;
    if (tiny * 1.0f == 0.0f) die("the mode of the floating-point unit was not restored");
    for (int i = 0; i < OUTPUTS; i++) {
        fwrite(first[i], 1, out_bytes[i], stdout);
        free(first[i]);
    }
    for (int i = 0; i < INPUTS; i++) free(in[i]);
    return 0;
}
