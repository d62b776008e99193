/* The flow walk against SMPI, its growth and its tolerance. Every row runs in a process of its own.
 */
#include "bench/walk_flows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collectives/schedule/flow_walk.h"
#include "models/simgrid.h"
#include "models/walking.h"
#include "tests/models/hosts_model.h"

enum { BYTES = 16384, RUNS = 3, MORE_CALLS = 3 };

double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- models */

cpm_model *bench_unlike_hosts(int hosts)
{
    unsigned seed = 3;
    cpm_model *m = random_lmo2(hosts, 1);
    for (int i = 0; i < hosts; i++) {
        m->value[CPM_LMO2_GO][i] = random_between(&seed, 8e-9, 14e-9);
        m->value[CPM_LMO2_GI][i] = random_between(&seed, 8e-9, 14e-9);
    }
    return m;
}

/* Unlike hosts of so many processes each; messages share link ends. */
static cpm_model *model_of(int hosts, int each)
{
    if (each == 1)
        return bench_unlike_hosts(hosts);
    int *host = malloc((size_t)hosts * (size_t)each * sizeof *host);
    for (int i = 0; host && i < hosts * each; i++)
        host[i] = i / each;
    cpm_model *m = host ? hosts_model(host, hosts * each, 1) : NULL;
    free(host);
    return m;
}

/* Like hosts, whose processes are of one class: with the values of two of model_of. */
static cpm_model *like_model_of(int hosts, int each)
{
    const int two[] = {0, 0, 1, 1};
    cpm_model *from = hosts_model(two, 4, 1), *m = NULL;
    int n = hosts * each, *of = calloc((size_t)n, sizeof *of);
    cpm_classes one;
    bool made =
        of && !cpm_classes_create(n, of, 1, NULL, &one, NULL) &&
        !cpm_model_allocate(&cpm_lmo2, &one,
                            (const cpm_sizes[CPM_LEVELS]){from->sizes, from->inside}, &m, NULL);
    for (int i = 0; made && i < n; i++) {
        char host[16];
        snprintf(host, sizeof host, "h%d", i / each);
        made = !cpm_model_set_host(m, i, host, NULL);
    }
    if (!made || cpm_model_settle_hosts(m, NULL))
        abort();
    for (int p = 0; p < m->type->count; p++) {
        size_t values = cpm_parameter_values(m, p), those = cpm_parameter_values(from, p);
        for (size_t k = 0; values && k < (size_t)cpm_parameter_slices(m, p); k++)
            m->value[p][k] = from->value[p][k * those + (those == 4)]; /* of a pair: from 0 to 1 */
    }
    cpm_classes_clear(&one);
    cpm_model_free(from);
    free(of);
    return m;
}

/* ---- the walk */

typedef struct {
    const char *operation, *algorithm;
    int hosts, each;
    bool alike, simulated;
    size_t seconds; /* where its seconds go in bench_found; 0: nowhere */
} row;

/* clang-format off */
static const row rows[] = {
    {"alltoall", "ring", 256, 1, false, true, 0},
    {"alltoall", "pair", 256, 1, false, true, 0},
    {"allgather", "ring", 256, 1, false, true, 0},
    {"alltoall", "ring", 16, 16, false, true, 0},
    {"alltoall", "pair", 16, 16, false, true, 0},
    {"allgather", "ring", 16, 16, false, true, 0},
    {"alltoall", "ring", 64, 1, false, false, offsetof(bench_found, ring_64)},
    {"alltoall", "ring", 1024, 1, false, false, offsetof(bench_found, ring_1024)},
    {"alltoall", "simple", 64, 1, false, false, 0},
    {"alltoall", "simple", 256, 1, false, false, offsetof(bench_found, simple_256)},
    {"alltoall", "ring", 1024, 64, true, false, offsetof(bench_found, alike_65536)},
};
/* clang-format on */

/* In all of them every rank sends as many. */
static double messages_of(const cpm_schedule *s)
{
    cpm_steps steps = {0};
    double messages = 0;
    int failed = cpm_schedule_rank(s, 0, &steps, NULL);
    for (int k = 0; k < steps.count && !failed; k++)
        messages += steps.at[k].kind == CPM_SEND;
    cpm_steps_free(&steps);
    return s->n * messages;
}

/* Seconds of the fastest of several: of short ones of as many as take a while together. */
static double time_walk(const cpm_model *m, const cpm_schedule *s, cpm_error *e)
{
    const double a_while = 0.3;
    const cpm_block_sizes sizes = {.bytes = BYTES};
    double best = INFINITY, all = 0;
    for (int k = 0; k < RUNS || all < a_while; k++) {
        double begin = bench_now();
        if (cpm_model_walk(m, s, &sizes, NULL, NULL, e) < 0)
            return -1;
        double seconds = bench_now() - begin;
        best = fmin(best, seconds);
        all += seconds;
    }
    return best;
}

/* ---- the simulator */

static double of_children(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec +
           (double)usage.ru_stime.tv_sec + 1e-6 * (double)usage.ru_stime.tv_usec;
}

/* Nothing but what the platform says, and that computing takes no time. Seconds; -1: it failed. */
static double simulate_calls(const row *r, const char *simulator, const char *folder, int calls)
{
    char command[4096];
    snprintf(command, sizeof command,
             "smpirun -np %d -platform '%s/p.xml' -hostfile '%s/hosts'"
             " --cfg=smpi/simulate-computation:no --cfg=smpi/cpu-threshold:-1 --cfg=smpi/wtime:0"
             " --cfg=surf/precision:3e-9 --cfg=maxmin/precision:1e-6"
             " --cfg=contexts/stack-size:1024 --log=root.thres:warning --cfg=smpi/%s:%s"
             " '%s' %s %d %d >'%s/log' 2>&1 </dev/null",
             r->hosts * r->each, folder, folder, r->operation, r->algorithm, simulator,
             r->operation, calls, BYTES, folder);
    double begin = of_children();
    return system(command) == 0 ? of_children() - begin : -1; /* NOLINT(cert-env33-c) */
}

static bool write_file(const char *folder, const char *name, const cpm_model *m, cpm_error *e)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "w");
    if (!out)
        return false;
    int status = name[0] == 'p' ? cpm_model_write_simgrid(m, out, e) : CPM_OK;
    for (int i = 0; i < m->n && name[0] != 'p'; i++) /* processes without a name have a number */
        if (m->on.n)
            fprintf(out, "%s\n", m->hosts[i]);
        else
            fprintf(out, "%%%d\n", i);
    return fclose(out) == 0 && !status;
}

/* Of one call: the simulator's start and its reading of the platform do not count. */
static double time_simulator(const row *r, const cpm_model *m, const char *simulator, cpm_error *e)
{
    char folder[] = "/tmp/bench-walk-XXXXXX", command[64];
    if (!mkdtemp(folder))
        return -1;
    double once = -1, more = -1;
    if (write_file(folder, "p.xml", m, e) && write_file(folder, "hosts", m, e)) {
        once = simulate_calls(r, simulator, folder, 1);
        more = once < 0 ? -1 : simulate_calls(r, simulator, folder, 1 + MORE_CALLS);
    }
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (more >= 0 && system(command)) /* NOLINT(cert-env33-c) */
        return -1;
    return more < 0 ? -1 : (more - once) / MORE_CALLS;
}

/* ---- rows */

static void note(const row *r, double seconds, double times, bench_found *found)
{
    double *least = &found->least_times[r->each > 1];
    if (r->seconds)
        *(double *)((char *)found + r->seconds) = seconds;
    if (times > 0)
        *least = *least > 0 ? fmin(*least, times) : times;
}

static int print_row(const row *r, const cpm_model *m, const cpm_schedule *s, const char *simulator,
                     bench_found *found, cpm_error *e)
{
    double messages = messages_of(s), seconds = time_walk(m, s, e);
    if (seconds < 0)
        return 1;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%-9s %-7s %5d x %-3d %-7s %10.0f %9.4f %8.2f %6ld", r->operation, r->algorithm,
           r->hosts, r->each, r->alike ? "alike" : "unlike", messages, seconds,
           1e-6 * messages / seconds, usage.ru_maxrss / 1024);
    double simulated = simulator && r->simulated ? time_simulator(r, m, simulator, e) : -1;
    if (simulated > 0)
        printf(" %8.2f %6.1f", simulated, simulated / seconds);
    putchar('\n');
    note(r, seconds, simulated / seconds, found);
    return simulator && r->simulated && simulated < 0;
}

static int bench(const row *r, const char *simulator, bench_found *found)
{
    const cpm_algorithm *a;
    cpm_schedule *s = NULL;
    cpm_error e = {0};
    cpm_model *m = r->alike ? like_model_of(r->hosts, r->each) : model_of(r->hosts, r->each);
    cpm_call call = {.n = r->hosts * r->each, .bytes = BYTES};
    int failed = !m || cpm_algorithm_find(r->operation, r->algorithm, &a, &e) ||
                 cpm_schedule_create(a, &call, &s, &e) || print_row(r, m, s, simulator, found, &e);
    if (failed)
        fprintf(stderr, "walk: %s:%s: %s\n", r->operation, r->algorithm, e.text);
    cpm_schedule_free(s);
    cpm_model_free(m);
    return failed;
}

/* ---- what tolerance costs */

static int print_tolerance(int n, size_t bytes, bench_found *found)
{
    const cpm_algorithm *a;
    cpm_schedule *s = NULL;
    cpm_error e = {0};
    cpm_model *m = model_of(n, 1);
    const cpm_block_sizes sizes = {.bytes = bytes};
    if (cpm_algorithm_find("alltoall", "simple", &a, &e) ||
        cpm_schedule_create(a, &(cpm_call){.n = n, .bytes = bytes}, &s, &e))
        return 1;
    double exact = cpm_flow_walk(s, &sizes, m->type->flow, m, NULL, NULL, &e);
    double usual = cpm_flow_walk(s, &sizes, m->type->flow, m,
                                 &(cpm_flow_walking){.tolerance = CPM_CROWD_TOLERANCE}, NULL, &e);
    printf("alltoall:simple, %d processes, %zu B: %+.3f %% from the exact walk\n", n, bytes,
           100 * (usual / exact - 1));
    found->off = fmax(found->off, fabs(usual / exact - 1));
    cpm_schedule_free(s);
    cpm_model_free(m);
    return exact < 0 || usual < 0;
}

/* ---- the whole */

typedef int part(int k, const char *simulator, bench_found *found);

static int in_process(part *of, int k, const char *simulator, bench_found *found)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int failed = of(k, simulator, found);
        bench_note_memory(found);
        exit(failed);
    }
    int status = 1;
    return child < 0 || waitpid(child, &status, 0) < 0 || status != 0;
}

static int row_of(int k, const char *simulator, bench_found *found)
{
    return bench(&rows[k], simulator, found);
}

static int tolerance_of(int k, const char *simulator, bench_found *found)
{
    (void)simulator;
    return print_tolerance(64, (size_t)1024 << 2 * k, found);
}

int bench_flows(const char *simulator, bench_found *found)
{
    int failed = 0;
    printf("\nflow walk, blocks of %d B%s\n%-9s %-7s %11s %-7s %10s %9s %8s %6s %8s %6s\n", BYTES,
           simulator ? "; SMPI: one call, and its time over the walk's" : "", "", "", "hosts", "",
           "messages", "seconds", "M/s", "MB", "SMPI", "times");
    for (int k = 0; k < (int)(sizeof rows / sizeof rows[0]); k++)
        failed |= in_process(row_of, k, simulator, found);
    puts("\ntolerance in crowds");
    for (int k = 0; k < 4; k++)
        failed |= in_process(tolerance_of, k, NULL, found);
    return failed;
}
