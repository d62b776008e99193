/* How fast schedules are created and walked: linear scatter, and a dense pattern (all to all). */
#include <stdio.h>
#include <time.h>

#include "mpib/algorithms/algorithm.h"
#include "mpib/schedule/walk.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void cost(const void *model, int from, int to, size_t bytes, cpm_cost *c)
{
    (void)model;
    double busy = 1e-5 + 1e-9 * (double)bytes;
    *c = (cpm_cost){.send = busy, .wire = 2e-5 + 1e-7 * ((from ^ to) & 15), .recv = busy};
}

static void build_all_to_all(const cpm_schedule *s, int rank, cpm_steps *out)
{
    for (int k = 1; k < s->n; k++) {
        cpm_send(out, (rank + k) % s->n, (rank + k) % s->n, 1);
        cpm_recv(out, (rank + s->n - k) % s->n, rank, 1);
    }
}

static int walk(const cpm_schedule *s, cpm_error *e)
{
    return cpm_walk(s, &(cpm_block_sizes){.bytes = 1024}, cost, NULL, NULL, e) < 0;
}

static int create_and_walk(const char *operation, const char *name, int n, cpm_error *e)
{
    const cpm_algorithm *a;
    cpm_schedule *s;
    if (cpm_algorithm_find(operation, name, &a, e) ||
        cpm_schedule_create(a, &(cpm_call){.n = n}, &s, e))
        return 1;
    int failed = walk(s, e);
    cpm_schedule_free(s);
    return failed;
}

static int bench_tree(const char *operation, const char *name, int n, cpm_error *e)
{
    enum { TIMES = 50 };
    double start = now();
    for (int k = 0; k < TIMES; k++)
        if (create_and_walk(operation, name, n, e))
            return 1;
    double seconds = (now() - start) / TIMES;
    printf("%-7s %-8s n=%-5d %8.3f ms (create and walk) %6.2f million messages/s\n", operation,
           name, n, 1e3 * seconds, 1e-6 * (n - 1) / seconds);
    return 0;
}

static int bench_all_to_all(int n, cpm_error *e)
{
    cpm_schedule s = {.n = n, .root = -1, .blocks = n, .build = build_all_to_all};
    double start = now();
    if (walk(&s, e))
        return 1;
    double seconds = now() - start;
    printf("all to all       n=%-5d %8.3f ms (walk)            %6.2f million messages/s\n", n,
           1e3 * seconds, 1e-6 * n * (n - 1.0) / seconds);
    return 0;
}

int main(void)
{
    cpm_error e = {0};
    if (bench_tree("scatter", "linear", 1024, &e) || bench_tree("gather", "linear", 1024, &e) ||
        bench_tree("scatter", "binomial", 1024, &e) || bench_tree("bcast", "chain", 1024, &e) ||
        bench_all_to_all(128, &e) || bench_all_to_all(1024, &e)) {
        fprintf(stderr, "walk: %s\n", e.text);
        return 1;
    }
    return 0;
}
