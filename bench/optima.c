/* How near the best tree of a few processes the search comes.
 *
 * usage: bench_optima MODEL.mod [PROCESSES [SECONDS]]
 * Of the first so many processes of the model (6, at most 7): bcast, scatter, gather and reduce of
 * 8 B to 64 KB in whole blocks. Microseconds of the bound (cpm predict --bound), of the best of all
 * trees in all orders with all processes at all places (tried one by one), of the fastest algorithm
 * and of the schedule that cpm synthesize makes in so many seconds (5). closed: how much of the gap
 * between the fastest algorithm and the best tree the schedule closes, 100 % and more where it is
 * no tree. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mapping/synthesis.h"
#include "models/predict.h"
#include "selection/lower_bound.h"

enum { MOST = 7 };

typedef struct {
    const cpm_model *model;
    cpm_collective what;
    size_t bytes;
    int n, process[MOST], parent[MOST];
    bool used[MOST];
    double best;
} trial;

static void stop(const cpm_error *e)
{
    fprintf(stderr, "bench_optima: %s\n", e->text);
    exit(1);
}

static void try_tree(trial *t)
{
    cpm_error e = {0};
    t->what.at.mapping = t->process;
    t->what.at.parent = t->parent;
    double seconds = cpm_predict_bytes(t->model, &t->what, t->bytes, NULL, NULL, &e);
    if (seconds < 0)
        stop(&e);
    t->best = seconds < t->best ? seconds : t->best;
}

/* Every node from v on gets every process and every parent before it. */
static void try_from(trial *t, int v)
{
    if (v == t->n) {
        try_tree(t);
        return;
    }
    for (int process = 0; process < t->n; process++) {
        if (t->used[process])
            continue;
        t->used[process] = true;
        t->process[v] = process;
        for (int parent = 0; parent < v; parent++) {
            t->parent[v] = parent;
            try_from(t, v + 1);
        }
        t->used[process] = false;
    }
}

static double best_tree(const cpm_model *m, const char *operation, size_t bytes)
{
    char name[64];
    cpm_error e = {0};
    trial t = {.model = m, .bytes = bytes, .n = m->n, .used = {true}, .parent = {-1}, .best = 1e9};
    snprintf(name, sizeof name, "%s:tree", operation);
    if (cpm_collective_parse(name, &t.what, &e))
        stop(&e);
    t.what.at.n = m->n;
    t.what.at.hosts = m->on.n ? &m->on : NULL;
    try_from(&t, 1);
    return t.best;
}

static void print_row(const cpm_model *m, const char *operation, size_t bytes, double seconds)
{
    cpm_error e = {0};
    cpm_collective what = {.at = {.n = m->n, .hosts = m->on.n ? &m->on : NULL}};
    cpm_synthesized made = {0};
    cpm_lower_bound bound;
    const cpm_mapping_effort effort = {.seconds = seconds, .seed = 1, .attempts = 1000};
    if (cpm_operation_find(operation, &what.operation, &e) ||
        cpm_synthesize(m, &what, bytes, &effort, false, &made, &e) ||
        cpm_lower_bound_of(m, &what, bytes, &bound, &e))
        stop(&e);
    double best = best_tree(m, operation, bytes), gap = made.row_seconds - best;
    char closed[16] = "-";
    if (gap > 1e-3 * best)
        snprintf(closed, sizeof closed, "%.0f %%", 100 * (made.row_seconds - made.seconds) / gap);
    printf("%-9s %8zu %10.2f %10.2f %10.2f %10.2f %8s  %s\n", operation, bytes, bound.seconds * 1e6,
           best * 1e6, made.row_seconds * 1e6, made.seconds * 1e6, closed, made.row);
    fflush(stdout);
    cpm_synthesized_clear(&made);
}

int main(int argc, char **argv)
{
    static const char *const operations[] = {"bcast", "scatter", "gather", "reduce"};
    static const size_t sizes[] = {8, 1024, 8192, 65536};
    cpm_model *whole, *m;
    cpm_error e = {0};
    int n = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 6, first[MOST];
    double seconds = argc > 3 ? strtod(argv[3], NULL) : 5;
    if (argc < 2 || n < 2 || n > MOST || seconds <= 0) {
        fprintf(stderr, "usage: bench_optima MODEL.mod [2..%d [SECONDS]]\n", MOST);
        return 2;
    }
    if (cpm_model_read(argv[1], &whole, &e))
        stop(&e);
    for (int i = 0; i < n; i++)
        first[i] = i;
    if (cpm_model_subset(whole, first, n, &m, &e))
        stop(&e);
    printf("# %s, the first %d processes; us\n%-9s %8s %10s %10s %10s %10s %8s  %s\n", argv[1], n,
           "operation", "size", "bound", "best tree", "algorithm", "made", "closed", "algorithm");
    for (size_t k = 0; k < sizeof operations / sizeof *operations; k++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            print_row(m, operations[k], sizes[s], seconds);
    cpm_model_free(m);
    cpm_model_free(whole);
    return 0;
}
