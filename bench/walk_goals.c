/* The table at the end of bench_walk. */
#include "bench/walk_goals.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

bench_found *bench_share(void)
{
    bench_found *f =
        mmap(NULL, sizeof *f, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (f == MAP_FAILED) {
        perror("bench_walk");
        exit(1);
    }
    return f;
}

void bench_note_memory(bench_found *f)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    f->megabytes = fmax(f->megabytes, 1e-3 * (double)usage.ru_maxrss);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *at, int count)
{
    qsort(at, (size_t)count, sizeof *at, by_value);
    return count ? 0.5 * (at[(count - 1) / 2] + at[count / 2]) : 0;
}

enum { AT_LEAST, AT_MOST };

static void print(const char *what, double found, int side, double goal, const char *unit)
{
    bool met = side == AT_LEAST ? found >= goal : found <= goal;
    if (found > 0)
        printf("%-62s %10.4g %s %7g %-9s %s\n", what, found, side == AT_LEAST ? ">=" : "<=", goal,
               unit, met ? "reached" : "missed");
    else
        printf("%-62s %10s %s %7g %s\n", what, "-", side == AT_LEAST ? ">=" : "<=", goal, unit);
}

static void print_decisions(const char *model, const double *seconds)
{
    static const double goals[BENCH_DECISIONS] = {5, 20, 100};
    for (int k = 0; k < BENCH_DECISIONS; k++) {
        char what[64];
        snprintf(what, sizeof what, "a decision, %s, %d processes", model, 64 << 2 * k);
        print(what, 1e3 * seconds[k], AT_MOST, goals[k], "ms");
    }
}

void bench_print_goals(bench_found *f)
{
    double growth = f->ring_64 > 0 ? f->ring_1024 / f->ring_64 : 0;
    printf("\n%-62s %10s %10s\n", "goals", "found", "goal");
    print("flow walk against SMPI, 256 hosts, the least", f->least_times[0], AT_LEAST, 30, "times");
    print("the same, 16 hosts x 16 processes", f->least_times[1], AT_LEAST, 30, "times");
    print("alltoall:simple, 256 processes", f->simple_256, AT_MOST, 5, "s");
    print("what tolerance moves it by, 64 processes", 100 * f->off, AT_MOST, 0.5, "%");
    print("alltoall:ring, 64 to 1,024 processes (256 times the messages)", growth, AT_MOST, 500,
          "times");
    print("plain walk, all-to-alls of 1,024, median of patterns",
          1e-6 * median(f->plain, f->plain_count), AT_LEAST, 20, "M/s");
    print("alltoall:ring, 65,536 processes on 1,024 like hosts", f->alike_65536, AT_MOST, 2, "s");
    print("bcast, allreduce, allgather, 100,000 processes of classes", f->many_100000, AT_MOST, 5,
          "s");
    print_decisions("lmo", f->plain_decision);
    print_decisions("lmo2", f->decision);
    print("memory of all of these", f->megabytes, AT_MOST, 1000, "MB");
}
