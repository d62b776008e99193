/* What decisions of 64 to 1,024 processes take; each number of them in a process of its own. */
#include "bench/walk_decisions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/walk_flows.h"
#include "selection/model_selector.h"
#include "tests/models/random_model.h"

static int decide(cpm_selector *s, const cpm_operation *o, int n, size_t bytes, double *seconds,
                  bool *known)
{
    cpm_request r = {.operation = o, .n = n, .bytes = bytes};
    cpm_choice c = {0};
    cpm_error e = {0};
    double begin = bench_now();
    int status = s->choose(s, &r, &c, &e);
    *seconds = bench_now() - begin;
    *known = c.expected;
    if (status)
        fprintf(stderr, "walk: a decision on %s: %s\n", o->name, e.text);
    else
        cpm_choice_clear(&c);
    return status;
}

/* *mean over operations and sizes, seconds. */
static int print_decisions(const cpm_model *m, double *mean)
{
    cpm_selector_options options = CPM_SELECTOR_DEFAULT;
    options.seconds = 0;
    options.library = CPM_LIBRARY_MPICH;
    cpm_selector *s;
    double sum = 0, longest = 0;
    int count = 0, unknown = 0, status = cpm_selector_of_model(m, &options, &s, NULL);
    for (const cpm_operation *o = cpm_operations; !status && o->name; o++)
        for (size_t bytes = 64; !o->like && !status && bytes <= 1 << 20; bytes *= 4) {
            double seconds;
            bool known;
            status = decide(s, o, m->n, bytes, &seconds, &known);
            sum += seconds;
            longest = fmax(longest, seconds);
            unknown += !known;
            count++;
        }
    printf("%4d processes, %-4s: %5.1f ms, longest %4.0f ms; %d of %d without a prediction\n", m->n,
           m->type->name, 1e3 * sum / count, 1e3 * longest, unknown, count);
    *mean = sum / count;
    if (!status)
        s->free(s);
    return status;
}

static int in_process(cpm_model *m, double *mean, bench_found *found)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int failed = print_decisions(m, mean);
        bench_note_memory(found);
        exit(failed);
    }
    cpm_model_free(m);
    int status = 1;
    return child < 0 || waitpid(child, &status, 0) < 0 || status != 0;
}

int bench_decisions(bench_found *found)
{
    int failed = 0;
    puts("\ndecisions, unlike hosts, 64 B to 1 MB, without mapping: mean over operations");
    for (int k = 0; k < BENCH_DECISIONS; k++) {
        int n = 64 << 2 * k;
        failed |= in_process(random_lmo(n, 3), &found->plain_decision[k], found);
        failed |= in_process(bench_unlike_hosts(n), &found->decision[k], found);
    }
    return failed;
}
