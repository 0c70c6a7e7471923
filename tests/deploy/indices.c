/* Calls a deployed library of an embedding with indices that are right, then out of range, then right again.
 * predict has the indices as input and the rows of the table as output. CHECKED: whether an index out of range is an error. */
#include "Table.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static int fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, predict_last_error() ? predict_last_error() : "no error is told");
    return 3;
}

int main(void)
{
    const int64_t good[] = {0, ROWS - 1, 1}, bad[][3] = {{0, ROWS, 1}, {-1, 0, 1}, {0, 1, INT64_MAX}, {INT64_MIN, 1, 0}};
    float first[3 * WIDTH], rows[3 * WIDTH], *place = first;
    predict(NULL, good, &place);
    if (predict_last_error()) return fail("the first call");
    void *context = predict_create();
    for (int i = 0; i < 4; i++) {
        place = rows;
        predict(NULL, bad[i], &place);
        const char *text = predict_last_error();
        if (CHECKED ? !text || !strstr(text, "index out of range in embedding") : text != NULL) return fail("a wrong index");
        if (place != rows) return fail("the pointer was exchanged");
        for (int k = 0; !CHECKED && k < 3 * WIDTH; k++) {
            const int64_t at = bad[i][k / WIDTH];
            if (at >= 0 && at < ROWS ? isnan(rows[k]) : !isnan(rows[k])) return fail("a row");
        }
        float *later = NULL;
        const int started = predict_run_async(context, bad[i], &later), ended = predict_sync(context);
        if (started != 0 || ended != (CHECKED ? -1 : 0)) return fail("a wrong index, asynchronously");
        predict(context, good, &place);
        if (predict_last_error() || memcmp(first, rows, sizeof rows) != 0) return fail("a right index afterwards");
    }
    predict_destroy(context);
    return 0;
}
