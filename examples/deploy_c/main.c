/* Classifies images in two threads, each with a context of its own. Neither Python nor sol is needed to build or run this. */
#include "ResNet50.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { PIXELS = 3 * 224 * 224, CLASSES = 1000 };

static void *classify(void *shade)
{
    float *image = malloc(PIXELS * sizeof *image), *scores = NULL;
    void *context = predict_create();
    if (!image || !context) {
        fprintf(stderr, "%s\n", predict_last_error());
        exit(1);
    }
    for (int i = 0; i < PIXELS; i++) image[i] = *(const float *)shade * (float)(i % 224) / 224;

    predict(context, image, &scores); /* scores points to memory of the context until its next call */
    if (predict_last_error()) {
        fprintf(stderr, "%s\n", predict_last_error());
        exit(1);
    }
    int best = 0;
    for (int i = 1; i < CLASSES; i++)
        if (scores[i] > scores[best]) best = i;
    printf("shade %.1f: class %d, score %.4f\n", *(const float *)shade, best, scores[best]);
    predict_destroy(context);
    free(image);
    return NULL;
}

int main(void)
{
    static const float shades[2] = {0.2f, 0.9f};
    pthread_t threads[2];
    predict_init(0);
    predict_threads(1); /* of each call */
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, classify, (void *)&shades[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
