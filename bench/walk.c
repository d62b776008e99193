/* How fast schedules are walked, and in how much memory. Every row runs in a process of its own,
 * and times are processor times, so that other work disturbs little. The floor is what no walk
 * rank by rank can do without: making all steps and pricing all messages. The last table is of what
 * is to be reached.
 *
 * bench_walk [SMPI]: beside the flow walk SMPI executes the same on the exported platform where
 * bench/walk_smpi.c was compiled for it: smpicc -O2 bench/walk_smpi.c -o SMPI. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/walk_decisions.h"
#include "bench/walk_flows.h"
#include "collectives/schedule/walk.h"
#include "models/hockney.h"
#include "models/lmo.h"
#include "models/walking.h"
#include "selection/effort.h"

enum { RUNS = 5, BYTES = 1024 };

typedef struct {
    const char *operation, *algorithm;
    int n;
    const cpm_model_type *type;
    int classes; /* of processes in the model; 0: every one for itself */
} row;

static const row rows[] = {
    {"scatter", "linear", 1024, &cpm_lmo, 0},
    {"gather", "binomial", 1024, &cpm_lmo, 0},
    {"bcast", "binomial", 65536, &cpm_lmo, 16},
    {"alltoall", "simple", 1024, &cpm_hockney, 0},
    {"alltoall", "simple", 1024, &cpm_lmo, 0},
    {"alltoall", "simple", 1024, &cpm_lmo, 16},
    {"alltoall", "spreading-simple", 1024, &cpm_hockney, 0},
    {"alltoall", "spreading-simple", 1024, &cpm_lmo, 0},
    {"alltoall", "ring", 1024, &cpm_hockney, 0},
    {"alltoall", "ring", 1024, &cpm_lmo, 0},
    {"alltoall", "pair", 1024, &cpm_hockney, 0},
    {"alltoall", "pair", 1024, &cpm_lmo, 0},
    {"barrier", "dissemination", 65536, &cpm_hockney, 16},
    {"barrier", "dissemination", 65536, &cpm_lmo, 16},
};

static int create_model(const row *r, cpm_model **out, cpm_error *e)
{
    if (!r->classes)
        return cpm_model_create(r->type, r->n, out, e);
    int *of = malloc((size_t)r->n * sizeof *of);
    for (int i = 0; of && i < r->n; i++)
        of[i] = i % r->classes;
    cpm_classes classes;
    cpm_sizes none = {0};
    int code = of ? cpm_classes_create(r->n, of, r->classes, NULL, &classes, e) : 1;
    if (!code) {
        code = cpm_model_create_classes(r->type, &classes, &none, out, e);
        cpm_classes_clear(&classes);
    }
    free(of);
    return code;
}

/* Seconds of fixed parts are about 1e-5, those per byte 1e-9. */
static void fill(cpm_model *m)
{
    srand48(1);
    for (int p = 0; p < 4 && p < m->type->count; p++) {
        double size = m->type->parameters[p].unit[1] == '/' ? 1e-9 : 1e-5;
        size_t values = cpm_parameter_values(m, p);
        for (size_t k = 0; k < values; k++)
            m->value[p][k] = size * (1 + drand48());
    }
}

/* Makes all steps and prices all messages that are sent, or does not; returns how many there are.
 */
static long price(const cpm_schedule *s, const cpm_model *m, int prices)
{
    cpm_steps steps = {0};
    long messages = 0;
    cpm_cost c = {0};
    for (int r = 0; r < s->n && !cpm_schedule_rank(s, r, &steps, NULL); r++)
        for (int k = 0; k < steps.count; k++) {
            const cpm_step *step = &steps.at[k];
            if (step->kind != CPM_SEND)
                continue;
            messages++;
            if (prices)
                m->type->cost(m, r, step->peer, BYTES, &c);
        }
    cpm_steps_free(&steps);
    return messages;
}

static double best(double a, double b)
{
    return a > 0 && a < b ? a : b;
}

static int measure(const row *r, const cpm_schedule *s, const cpm_model *m, bench_found *found,
                   cpm_error *e)
{
    double walk = 0, build = 0, floor = 0;
    long messages = 0;
    cpm_block_sizes sizes = {.bytes = BYTES};
    for (int k = 0; k < RUNS; k++) {
        double t[4] = {bench_now()};
        messages = price(s, m, 0);
        t[1] = bench_now();
        price(s, m, 1);
        t[2] = bench_now();
        if (cpm_walk(s, &sizes, m->type->cost, m, NULL, e) < 0)
            return 1;
        t[3] = bench_now();
        build = best(build, t[1] - t[0]);
        floor = best(floor, t[2] - t[1]);
        walk = best(walk, t[3] - t[2]);
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%-8s %-16s %6d %-7s %7d %8ld %9.5f %6.2f %5.0f%% %5.0f%% %6.1f %6ld\n", r->operation,
           r->algorithm, r->n, r->type->name, r->classes ? r->classes : r->n, messages, walk,
           1e-6 * (double)messages / walk, 100 * build / walk, 100 * (floor - build) / walk,
           walk / floor, usage.ru_maxrss / 1024);
    if (strcmp(r->operation, "alltoall") == 0)
        found->plain[found->plain_count++] = (double)messages / walk;
    return 0;
}

static int bench(const row *r, bench_found *found, cpm_error *e)
{
    const cpm_algorithm *a;
    cpm_schedule *s = NULL;
    cpm_model *m = NULL;
    int failed = cpm_algorithm_find(r->operation, r->algorithm, &a, e) ||
                 cpm_schedule_create(a, &(cpm_call){.n = r->n, .bytes = BYTES}, &s, e) ||
                 create_model(r, &m, e);
    if (!failed) {
        fill(m);
        failed = measure(r, s, m, found, e);
    }
    cpm_schedule_free(s);
    cpm_model_free(m);
    if (failed)
        fprintf(stderr, "walk: %s:%s: %s\n", r->operation, r->algorithm, e->text);
    return failed;
}

/* ---- every algorithm of many processes */

enum { MANY = 100000, MANY_CLASSES = 16 };

/* Those whose messages grow with n log n. */
static int walk_if_sparse(const cpm_algorithm *a, const cpm_model *m, double *seconds, int *count,
                          cpm_error *e)
{
    cpm_schedule *s;
    cpm_effort effort = {0};
    const cpm_block_sizes sizes = {.bytes = BYTES};
    if (cpm_schedule_create(a, &(cpm_call){.n = m->n, .bytes = BYTES}, &s, NULL))
        return 0; /* it does not apply */
    int failed = cpm_walk_effort(s, &sizes, &effort, e);
    if (!failed && effort.messages <= 4 * m->n * log2(m->n)) {
        double begin = bench_now();
        failed = cpm_model_walk(m, s, &sizes, NULL, NULL, e) < 0;
        *seconds += bench_now() - begin;
        ++*count;
    }
    cpm_schedule_free(s);
    return failed;
}

static int bench_many(bench_found *found)
{
    static const char *const operations[] = {"bcast", "allreduce", "allgather"};
    const row r = {.n = MANY, .type = &cpm_lmo, .classes = MANY_CLASSES};
    cpm_model *m = NULL;
    cpm_error e = {0};
    int count = 0, failed = create_model(&r, &m, &e);
    double seconds = 0;
    if (!failed)
        fill(m);
    for (const cpm_algorithm *a = cpm_algorithms; a->name && !failed; a++)
        for (int k = 0; k < 3 && !failed; k++)
            if (strcmp(a->operation, operations[k]) == 0)
                failed = walk_if_sparse(a, m, &seconds, &count, &e);
    printf("bcast, allreduce, allgather, %d processes of %d classes: %d algorithms in %.2f s\n",
           MANY, MANY_CLASSES, count, seconds);
    if (failed)
        fprintf(stderr, "walk: %s\n", e.text);
    found->many_100000 = seconds;
    cpm_model_free(m);
    return failed;
}

/* ---- what walks take against what they are expected to (selection/effort.h) */

enum { MOST_MESSAGES = 3000000 };

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The quickest of some walks of a over its effort; 0: it does not apply, or takes too long. */
static double taken_of_effort(const cpm_algorithm *a, const cpm_model *m)
{
    cpm_schedule *s;
    cpm_effort effort = {0};
    const cpm_block_sizes sizes = {.bytes = BYTES};
    double seconds = 0;
    if (cpm_schedule_create(a, &(cpm_call){.n = m->n, .bytes = BYTES}, &s, NULL))
        return 0;
    bool walks = !cpm_walk_effort(s, &sizes, &effort, NULL) && effort.messages > 0 &&
                 effort.messages < MOST_MESSAGES;
    for (int k = 0; k < RUNS && walks; k++) {
        double begin = bench_now();
        walks = cpm_walk(s, &sizes, m->type->cost, m, NULL, NULL) >= 0;
        seconds = best(seconds, bench_now() - begin);
    }
    cpm_schedule_free(s);
    return walks ? seconds / effort.seconds : 0;
}

static int bench_effort(const row *r)
{
    enum { MOST = 1000 };
    double ratio[MOST];
    int count = 0;
    cpm_model *m;
    cpm_error e = {0};
    if (create_model(r, &m, &e)) {
        fprintf(stderr, "walk: %s\n", e.text);
        return 1;
    }
    fill(m);
    for (const cpm_algorithm *a = cpm_algorithms; a->name && count < MOST; a++) {
        ratio[count] = taken_of_effort(a, m);
        count += ratio[count] > 0;
    }
    qsort(ratio, (size_t)count, sizeof *ratio, by_value);
    printf("plain walks of %d algorithms, %d processes, over their effort: median %.2f, a tenth "
           "below %.2f, a tenth above %.2f\n",
           count, r->n, ratio[count / 2], ratio[count / 10], ratio[count * 9 / 10]);
    cpm_model_free(m);
    return 0;
}

/* A row; without an algorithm what all take; NULL: of many processes. */
static int bench_one(const row *r, bench_found *found)
{
    cpm_error e = {0};
    if (!r)
        return bench_many(found);
    return r->algorithm ? bench(r, found, &e) : bench_effort(r);
}

static int in_process(const row *r, bench_found *found)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int failed = bench_one(r, found);
        bench_note_memory(found);
        exit(failed);
    }
    int status = 1;
    return child < 0 || waitpid(child, &status, 0) < 0 || status != 0;
}

int main(int argc, char **argv)
{
    int failed = 0;
    bench_found *found = bench_share();
    printf("%-8s %-16s %6s %-7s %7s %8s %9s %6s %6s %6s %6s %6s\n", "", "algorithm", "n", "model",
           "classes", "messages", "seconds", "M/s", "steps", "costs", "/floor", "MB");
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
        failed |= in_process(&rows[k], found);
    puts("LogGOPSim, which simulates what the plain walk predicts, states 1.2 to 1.6 M events/s");
    failed |= in_process(NULL, found);
    for (int n = 64; n <= 1024; n *= 4)
        failed |= in_process(&(row){.n = n, .type = &cpm_lmo}, found);
    failed |= bench_flows(argc > 1 ? argv[1] : NULL, found);
    failed |= bench_decisions(found);
    bench_print_goals(found);
    return failed;
}
