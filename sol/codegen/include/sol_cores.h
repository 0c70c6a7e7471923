/* How many CPUs a call may use: those of its thread's affinity, and what the quota of a container (control group) leaves. */
#ifndef SOL_CORES_H
#define SOL_CORES_H
#include <dlfcn.h>
#include <limits.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SOL_BURST 2 /* threads for each CPU of a quota: a call that comes now and then is over in half the time; a process that computes
                     * all the time is held up for half of each period and gets as much done in the other half */

/* Two numbers of a file, the second one optional; "max" is no limit. 0 if there is no such file or no limit. */
static double sol_limit_in(const char *folder, const char *quota_file, const char *period_file)
{
    char path[4400];
    double quota = 0, period = 100000;
    snprintf(path, sizeof path, "%s/%s", folder, quota_file);
    FILE *file = fopen(path, "re");
    if (!file) return 0;
    const int read = fscanf(file, "%lf %lf", &quota, &period);
    fclose(file);
    if (read < 1 || quota <= 0) return 0;
    if (period_file) {
        snprintf(path, sizeof path, "%s/%s", folder, period_file);
        file = fopen(path, "re");
        if (!file) return 0;
        if (fscanf(file, "%lf", &period) != 1) period = 0;
        fclose(file);
    }
    return period > 0 ? quota / period : 0;
}

/* The smallest quota of a group and those that it lies in. mount: where groups of its kind are; path: of the group, changed. */
static double sol_limit_above(const char *mount, char *path, int version)
{
    double least = 0;
    for (;;) {
        char folder[4200];
        snprintf(folder, sizeof folder, "%.2000s%.2000s", mount, path);
        const double limit = version == 2 ? sol_limit_in(folder, "cpu.max", NULL) : sol_limit_in(folder, "cpu.cfs_quota_us", "cpu.cfs_period_us");
        if (limit > 0 && (least == 0 || limit < least)) least = limit;
        char *slash = strrchr(path, '/');
        if (!slash) return least;
        *slash = 0;
    }
}

static int sol_controls_cpu(const char *controllers)
{
    for (const char *at = controllers; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, "cpu", 3) == 0 && (at[3] == 0 || at[3] == ',')) return 1;
    }
    return 0;
}

/* CPUs' worth of time that the control groups of this process leave; 0: no limit. root: "", or a folder with files for a test. */
static double sol_quota(const char *root)
{
    static const char *const mounts[] = {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"};
    char line[4096], mount[2048];
    double least = 0;
    snprintf(mount, sizeof mount, "%.1000s/proc/self/cgroup", root);
    FILE *file = fopen(mount, "re");
    if (!file) return 0;
    while (fgets(line, sizeof line, file)) { /* id:controllers:path */
        line[strcspn(line, "\n")] = 0;
        char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path) continue;
        *controllers++ = 0, *path++ = 0;
        const int version = *controllers ? 1 : 2;
        if (version == 1 && !sol_controls_cpu(controllers)) continue;
        for (int i = 0; i < (version == 2 ? 1 : 2); i++) {
            char copy[4096];
            snprintf(mount, sizeof mount, "%.1000s%s", root, version == 2 ? "/sys/fs/cgroup" : mounts[i]);
            snprintf(copy, sizeof copy, "%s", strcmp(path, "/") ? path : "");
            const double limit = sol_limit_above(mount, copy, version);
            if (limit > 0 && (least == 0 || limit < least)) least = limit;
        }
    }
    fclose(file);
    return least;
}

/* Threads that a quota allows for; INT_MAX without one. */
static int sol_quota_threads(const char *root)
{
    const double quota = sol_quota(root);
    if (quota <= 0 || quota > 1 << 20) return INT_MAX;
    const int cores = (int)quota < quota ? (int)quota + 1 : (int)quota;
    return SOL_BURST * cores;
}

#if defined(__linux__)
typedef cpu_set_t sol_cpus;

/* Was an OpenMP runtime told to bind threads to CPUs? It reads the variables once, as this does. */
static int sol_openmp_binds(void)
{
    static const char *const told[] = {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"};
    static int answer; /* 1: no, 2: yes */
    int binds = __atomic_load_n(&answer, __ATOMIC_RELAXED);
    if (!binds) {
        binds = 1;
        for (size_t i = 0; i < sizeof told / sizeof *told; i++)
            if (getenv(told[i])) binds = 2;
        __atomic_store_n(&answer, binds, __ATOMIC_RELAXED);
    }
    return binds == 2;
}

/* Adds the CPUs of all places of such a runtime: it binds the program's first thread to one of them, which says nothing about ours. */
static void sol_add_places(sol_cpus *cpus)
{
    int ids[CPU_SETSIZE];
    if (!sol_openmp_binds()) return;
    int (*places)(void), (*size_of)(int);
    void (*ids_of)(int, int *);
    *(void **)&places = dlsym(RTLD_DEFAULT, "omp_get_num_places");
    *(void **)&size_of = dlsym(RTLD_DEFAULT, "omp_get_place_num_procs");
    *(void **)&ids_of = dlsym(RTLD_DEFAULT, "omp_get_place_proc_ids");
    for (int place = 0; places && size_of && ids_of && place < places(); place++) {
        const int size = size_of(place);
        if (size <= 0 || size > CPU_SETSIZE) continue;
        ids_of(place, ids);
        for (int i = 0; i < size; i++)
            if (ids[i] >= 0 && ids[i] < CPU_SETSIZE) CPU_SET(ids[i], cpus);
    }
}

/* The CPUs that the calling thread may use, and their number; 0 if that cannot be told. */
static int sol_cpus_here(sol_cpus *cpus)
{
    memset(cpus, 0, sizeof *cpus);
    if (sched_getaffinity(0, sizeof *cpus, cpus) != 0) return 0;
    sol_add_places(cpus);
    return CPU_COUNT(cpus);
}

static int sol_count_cpus(const sol_cpus *cpus) { return CPU_COUNT(cpus); }

/* Several threads may do so at once. */
static void sol_add_cpus(sol_cpus *all, const sol_cpus *more)
{
    unsigned long *to = (unsigned long *)all;
    const unsigned long *from = (const unsigned long *)more;
    for (size_t i = 0; i < sizeof *all / sizeof *to; i++)
        if (from[i] & ~__atomic_load_n(&to[i], __ATOMIC_RELAXED)) __atomic_fetch_or(&to[i], from[i], __ATOMIC_RELAXED);
}
#else
typedef char sol_cpus;

static int sol_cpus_here(sol_cpus *cpus)
{
    *cpus = 0;
    return 0;
}
static int sol_count_cpus(const sol_cpus *cpus) { return *cpus; }
static void sol_add_cpus(sol_cpus *all, const sol_cpus *more) { (void)all, (void)more; }
#endif

static int sol_cpu_count(int here)
{
    const long online = here > 0 ? here : sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}
#endif
