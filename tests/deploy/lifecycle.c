/* Opens, calls and closes a deployed library in all the ways in which programs begin and end. NETWORK: the path of a library whose function
 * predict has one input and one output. Arguments: what to do, how often. Input: the operand. Output: the result, once. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
    void *handle;
    void (*predict)(void *, const float *, float **);
    const char *(*last_error)(void);
    void *(*create)(void);
    void (*destroy)(void *);
    int (*run_async)(void *, const float *, float **);
    int (*sync)(void *);
    int (*threads)(int);
} lib;
static float input[1 << 16], first[1 << 12];
static int results;

static void die(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, lib.handle && lib.last_error() ? lib.last_error() : strerror(errno));
    _exit(3);
}

static void *name(const char *text)
{
    void *found = dlsym(lib.handle, text);
    if (!found) die(text);
    return found;
}

static void open_library(void)
{
    lib.handle = dlopen(NETWORK, RTLD_NOW | RTLD_LOCAL);
    if (!lib.handle) {
        fprintf(stderr, "%s\n", dlerror());
        _exit(3);
    }
    *(void **)&lib.predict = name("predict");
    *(void **)&lib.last_error = name("predict_last_error");
    *(void **)&lib.create = name("predict_create");
    *(void **)&lib.destroy = name("predict_destroy");
    *(void **)&lib.run_async = name("predict_run_async");
    *(void **)&lib.sync = name("predict_sync");
    *(void **)&lib.threads = name("predict_threads");
}

static void close_library(void)
{
    if (dlclose(lib.handle)) die("dlclose");
    memset(&lib, 0, sizeof lib);
    if (dlopen(NETWORK, RTLD_NOW | RTLD_NOLOAD)) die("the library is still there");
}

static void same(const float *got)
{
    if (memcmp(got, first, sizeof *got * (size_t)results) != 0) die("another result");
}

static void call(void *context)
{
    float *out = NULL;
    lib.predict(context, input, &out);
    if (lib.last_error()) die("call");
    same(out);
}

static void call_later(void *context)
{
    float *out = NULL;
    if (lib.run_async(context, input, &out) || lib.sync(context)) die("asynchronous call");
    same(out);
}

static int running(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/task");
    for (struct dirent *d; folder && (d = readdir(folder));) count += d->d_name[0] != '.';
    if (folder) closedir(folder);
    return count;
}

static long resident(void)
{
    long pages = 0, all = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &all, &pages) != 2) die("statm");
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void expect_threads(int count)
{
    for (int i = 0; i < 200 && running() > count; i++) usleep(1000); /* a thread that was joined is listed a little longer */
    if (running() != count) die("threads are left");
}

static void *call_often(void *times)
{
    for (int i = 0; i < *(int *)times; i++) call(NULL);
    return NULL;
}

/* Every way to leave the library's threads behind, then it is closed. */
static void open_and_close(int round)
{
    open_library();
    call(NULL);
    if (round % 4 == 1) call_later(NULL);
    if (round % 4 == 2) {
        void *context = lib.create();
        call_later(context);
        if (round % 8 == 2) lib.destroy(context); /* else its thread ends when the library is closed */
    }
    if (round % 4 == 3) {
        pthread_t callers[3];
        int times = 2;
        for (int i = 0; i < 3; i++) pthread_create(&callers[i], NULL, call_often, &times);
        for (int i = 0; i < 3; i++) pthread_join(callers[i], NULL);
    }
    close_library();
}

static void rounds(int count)
{
    long before = 0;
    for (int i = 0; i < count; i++) {
        if (i == count / 4) before = resident();
        open_and_close(i % 8 == 6 ? 0 : i); /* a context that nobody destroys is memory that nobody frees */
    }
    expect_threads(1);
    if (resident() - before > 2048) {
        fprintf(stderr, "%ld KiB more than after a quarter\n", resident() - before);
        die("memory is left");
    }
}

static int child_of(void (*action)(int), int value)
{
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        action(value);
        exit(0); /* with the destructors of the library */
    }
    int status = 1;
    while (waitpid(child, &status, 0) != child) {}
    return status;
}

static void in_child(int depth)
{
    call(NULL);
    call(NULL);
    call_later(NULL);
    if (depth && child_of(in_child, depth - 1)) die("a grandchild");
}

static void forks(int count)
{
    open_library();
    call(NULL);
    call_later(NULL);
    void *context = lib.create();
    call_later(context);
    int times = 100000;
    pthread_t caller;
    pthread_create(&caller, NULL, call_often, &times); /* one fork after the other meets it in the midst of a call */
    for (int i = 0; i < count; i++) {
        if (child_of(in_child, 1)) die("a child");
        call(NULL);
        call_later(context);
    }
    pthread_cancel(caller);
    if (child_of(in_child, 0)) die("a child");
    exit(fwrite(first, sizeof *first, (size_t)results, stdout) != (size_t)results); /* its destructors run beside the caller */
}

static void closed_then_forked(int count)
{
    for (int i = 0; i < count; i++) {
        open_and_close(i);
        if (child_of(open_and_close, i)) die("a child");
    }
}

/* No thread can be started: the calling one does all. */
static void alone(int count)
{
    open_library();
    if (geteuid() == 0 && setuid(54321)) die("setuid");
    const struct rlimit none = {1, 1};
    if (setrlimit(RLIMIT_NPROC, &none)) die("setrlimit");
    for (int i = 0; i < count; i++) call(NULL);
    expect_threads(1);
    void *context = lib.create();
    float *out = NULL;
    if (!context || lib.run_async(context, input, &out) != -1 || !strstr(lib.last_error(), "cannot start a thread")) die("asynchronous call");
    close_library();
}

static void teams(int count)
{
    open_library();
    for (int i = 0; i < count; i++) {
        const int threads = i % 6 == 5 ? 99999 : i % 6 + 1;
        if (lib.threads(threads) != (threads < 1024 ? threads : 1024)) die("threads");
        call(NULL);
    }
    close_library();
    expect_threads(1);
}

/* Parallel regions of the program, whose threads spin behind them, and calls between them; a child has none of the threads. */
static void regions(int count)
{
    open_library();
    for (int i = 0; i < count; i++) {
        double sum = 0;
#pragma omp parallel for reduction(+ : sum)
        for (int j = 0; j < 200000; j++) sum += sqrt((double)j);
        if (sum < 1) die("a sum");
        call(NULL);
        if (i % 50 == 49 && child_of(in_child, 0)) die("a child");
    }
    close_library();
}

int main(int count, char **values)
{
    if (count != 3 || fread(input, 1, sizeof input, stdin) == 0) return 2;
    const int times = atoi(values[2]);
    alarm(250);
    open_library();
    float *out = NULL;
    lib.predict(NULL, input, &out);
    if (lib.last_error()) die("the first call");
    results = RESULTS;
    memcpy(first, out, sizeof *first * (size_t)results);
    if (strcmp(values[1], "exec") == 0 && times) { /* another program in its place, with its threads alive */
        char *const again[] = {values[0], values[1], "0", NULL};
        if (lseek(0, 0, SEEK_SET) == 0) execv("/proc/self/exe", again);
        die("exec");
    }
    close_library();
    if (strcmp(values[1], "rounds") == 0) rounds(times);
    if (strcmp(values[1], "forks") == 0) forks(times);
    if (strcmp(values[1], "closed") == 0) closed_then_forked(times);
    if (strcmp(values[1], "alone") == 0) alone(times);
    if (strcmp(values[1], "teams") == 0) teams(times);
    if (strcmp(values[1], "regions") == 0) regions(times);
    return fwrite(first, sizeof *first, (size_t)results, stdout) != (size_t)results;
}
