/* Two runs of the same collectives, compared by all their repetitions. */
#include "tools/examine/compare_runs.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/rank_tests.h"
#include "base/vector.h"
#include "collectives/parameters.h"
#include "measurements/measurements.h"
#include "tools/examine/compare.h"
#include "tools/frame/choices.h"
#include "tools/frame/output.h"
#include "tools/frame/table.h"
#include "tools/measure/conditions.h"

static const double level = 0.05;

/* A collective of both runs; the shift is of the second against the first. */
typedef struct {
    const cpm_measurement *run[2];
    cpm_rank_test test;
    double p;     /* by Holm's correction */
    double least; /* that the test gives, with a correction for as many tests */
} compared;

/* "No" is said only if a change by this share of the first run's time would have been seen. */
static const double large = 0.5;

/* Whether the interval of the shift leaves so large a change open. */
static bool is_open(const compared *r)
{
    double most = fmax(fabs(r->test.low), fabs(r->test.high));
    return !(most < large * r->run[0]->summary.median);
}

/* "too few": whatever the repetitions were like, so few could not have told. */
static const char *verdict(const compared *r)
{
    if (r->p <= level)
        return "yes";
    if (r->least > level)
        return "too few";
    return is_open(r) ? "cannot tell" : "no";
}

typedef struct {
    const call *c;
    const char *path[2];
    cpm_measurements run[2];
    choices asked; /* empty: all */
    compared *at;
    int count;
    int alone[2]; /* collectives that are in one of them only */
} run_pair;

static bool is_run(const char *operand)
{
    return file_begins(operand, "# cpm measurements");
}

/* What looks like a file and is no measurements, the caller shall read. */
static bool is_other_file(const char *operand)
{
    return file_begins(operand, "{") || (strchr(operand, '.') && !strchr(operand, ':'));
}

bool compare_is_of_runs(const call *c)
{
    int runs = 0;
    for (int k = 0; k < c->operands; k++) {
        bool run = is_run(c->operand[k]);
        if (!run && is_other_file(c->operand[k]))
            return false;
        runs += run;
    }
    return runs == 2;
}

/* ---- what is compared */

static int parse_names(run_pair *x, cpm_error *e)
{
    const choices_context context = {.n = x->run[0].n, .native = true, .whatever = true};
    int status = CPM_OK;
    for (int k = 0; k < x->c->operands && !status; k++)
        if (!is_run(x->c->operand[k]))
            status = choices_parse(&x->c->operand[k], 1, &context, &x->asked, e);
    return status;
}

/* The same header in both files, or in neither. */
static int check_fact(const run_pair *x, const char *what, const char *first, const char *second,
                      cpm_error *e)
{
    if (strcmp(first ? first : "", second ? second : "") == 0)
        return CPM_OK;
    return cpm_fail(
        e, CPM_EINVAL, "%s: its %s is '%s', but in %s it is '%s': they measured different things",
        x->path[1], what, second ? second : "unknown", x->path[0], first ? first : "unknown");
}

static void warn_about_hosts(const run_pair *x)
{
    const char *first = cpm_metadata_get(&x->run[0].metadata, "hosts");
    const char *second = cpm_metadata_get(&x->run[1].metadata, "hosts");
    char file[PATH_MAX];
    if (first && second && strcmp(first, second) != 0)
        fprintf(stderr,
                "cpm: warning: %s: has other hosts than the one before it, or in another order\n",
                cpm_escape(x->path[1], file, sizeof file));
}

/* That may be what is compared. */
static void warn_about_buffers(const run_pair *x)
{
    const char *first = cpm_metadata_get(&x->run[0].metadata, "buffers");
    const char *second = cpm_metadata_get(&x->run[1].metadata, "buffers");
    char file[PATH_MAX], before[40], now[40];
    if (first && second && strcmp(first, second) != 0)
        fprintf(stderr,
                "cpm: warning: %s: was measured with %s buffers, the one before it with %s ones\n",
                cpm_escape(x->path[1], file, sizeof file), cpm_escape(second, now, sizeof now),
                cpm_escape(first, before, sizeof before));
}

static const char *combined_by(const cpm_measurements *m)
{
    const char *what = cpm_metadata_get(&m->metadata, CPM_METADATA_COMBINING);
    return what ? what : cpm_combinings[CPM_COMBINING_BYTES].name;
}

static int check_alike(const run_pair *x, cpm_error *e)
{
    const cpm_measurements *a = &x->run[0], *b = &x->run[1];
    if (a->n != b->n)
        return cpm_fail(e, CPM_EPROCESS, "%s: has %d processes, but %s has %d", x->path[1], b->n,
                        x->path[0], a->n);
    int status = check_fact(x, "timing", cpm_metadata_get(&a->metadata, "timing"),
                            cpm_metadata_get(&b->metadata, "timing"), e);
    if (!status)
        status = check_fact(x, "placement", cpm_measurements_placement(a),
                            cpm_measurements_placement(b), e);
    if (!status)
        status = check_fact(x, CPM_METADATA_COMBINING, combined_by(a), combined_by(b), e);
    if (!status)
        warn_about_hosts(x);
    if (!status)
        warn_about_buffers(x);
    return status;
}

static int read_runs(run_pair *x, cpm_error *e)
{
    int status = CPM_OK;
    for (int k = 0, runs = 0; k < x->c->operands && !status; k++)
        if (is_run(x->c->operand[k])) {
            x->path[runs] = x->c->operand[k];
            status = cpm_measurements_read(x->path[runs], &x->run[runs], NULL, e);
            if (!status)
                conditions_repeat(x->path[runs], &x->run[runs].metadata);
            runs++;
        }
    if (!status)
        status = check_alike(x, e);
    return status ? status : parse_names(x, e);
}

/* An algorithm that was asked for without parameters stands for itself with any. */
static bool stands_for(const cpm_collective *asked, const cpm_collective *x)
{
    return cpm_collective_same(asked, x) ||
           (asked->operation == x->operation && asked->algorithm == x->algorithm &&
            !cpm_parameters_given(&asked->with));
}

static bool is_asked_for(const run_pair *x, const cpm_measurement *r)
{
    if (r->what.kind)
        return false;
    for (int k = 0; k < x->asked.count; k++)
        if (stands_for(&x->asked.at[k], &r->what.collective))
            return true;
    return x->asked.count == 0;
}

static const cpm_measurement *find(const cpm_measurements *m, const cpm_measurement *r)
{
    int at = cpm_measurements_find(m, &r->what);
    return at < 0 ? NULL : &m->at[at];
}

static int add_pair(run_pair *x, const cpm_measurement *a, const cpm_measurement *b, cpm_error *e)
{
    for (int k = 0; k < 2; k++)
        if (!(k ? b : a)->samples)
            return cpm_fail(e, CPM_EDATA,
                            "%s: lacks the repetitions, by which two runs are compared: measure "
                            "with --raw",
                            x->path[k]);
    if (!cpm_vector_extend(&x->at, x->count, sizeof *x->at))
        return cpm_no_memory(e);
    x->at[x->count++] = (compared){.run = {a, b}};
    return CPM_OK;
}

static int match(run_pair *x, cpm_error *e)
{
    int both = 0, status = CPM_OK;
    for (int q = 0; q < x->run[1].count; q++)
        x->alone[1] += is_asked_for(x, &x->run[1].at[q]);
    for (int q = 0; q < x->run[0].count && !status; q++) {
        const cpm_measurement *a = &x->run[0].at[q], *b = find(&x->run[1], a);
        if (!is_asked_for(x, a))
            continue;
        if (b)
            status = add_pair(x, a, b, e);
        both += b != NULL;
        x->alone[0] += !b;
    }
    x->alone[1] -= both;
    if (!status && !both)
        status =
            cpm_fail(e, CPM_EDATA, "%s and %s have no collective in common%s", x->path[0],
                     x->path[1], x->asked.count ? " of these" : " (of the same size and root)");
    return status;
}

static int test_all(run_pair *x, cpm_error *e)
{
    double *p = malloc((size_t)x->count * sizeof *p);
    int status = p ? CPM_OK : cpm_no_memory(e);
    for (int k = 0; k < x->count && !status; k++) {
        const cpm_measurement *a = x->at[k].run[0], *b = x->at[k].run[1];
        status = cpm_rank_sum_test(b->samples, b->summary.reps, a->samples, a->summary.reps,
                                   1 - level, &x->at[k].test, e);
        if (!status)
            status = cpm_rank_sum_least(b->summary.reps, a->summary.reps, &x->at[k].least, e);
        x->at[k].least *= x->count;
        p[k] = x->at[k].test.p;
    }
    if (!status)
        status = cpm_holm(p, x->count, e);
    for (int k = 0; k < x->count && !status; k++)
        x->at[k].p = p[k];
    free(p);
    return status;
}

/* ---- the table */

static void add_row(table *t, const compared *r)
{
    const cpm_measurement *a = r->run[0];
    char name[CPM_EXPERIMENT_NAME];
    cpm_experiment_name(&a->what, name, sizeof name);
    table_cell(t, "%s", name);
    table_cell(t, "%d", a->what.i);
    table_cell(t, "%zu", a->what.send_bytes);
    table_us(t, a->summary.median);
    table_us(t, r->run[1]->summary.median);
    table_us(t, r->test.shift);
    table_us(t, r->test.low);
    table_us(t, r->test.high);
    if (a->summary.median > 0)
        table_cell(t, "%+.1f %%", 100 * r->test.shift / a->summary.median);
    else
        table_cell(t, "-");
    table_cell(t, "%.2g", r->p);
    table_cell(t, "%s", verdict(r));
}

static int print_rows(const run_pair *x, cpm_error *e)
{
    table t = {0};
    char file[PATH_MAX];
    printf("# cpm compare: two runs of %d collectives, %d processes\n", x->count, x->run[0].n);
    for (int k = 0; k < 2; k++)
        printf("# %c: %s\n", 'A' + k, cpm_escape(x->path[k], file, sizeof file));
    printf("# times in microseconds: medians; shift of B against A, and its %g %% confidence "
           "interval.\n"
           "# p: by Wilcoxon's rank-sum test, with Holm's correction for all rows\n",
           100 * (1 - level));
    table_head(&t, "algorithm", "root", "size", "A", "B", "shift", "low", "high", "of A", "p",
               "differ", NULL);
    for (int k = 0; k < x->count; k++)
        add_row(&t, &x->at[k]);
    return table_print(&t, "", 1, stdout, e);
}

static void add_compared(cpm_report_tables *all, const compared *r)
{
    char name[CPM_EXPERIMENT_NAME];
    const cpm_measurement *a = r->run[0], *b = r->run[1];
    cpm_experiment_name(&a->what, name, sizeof name);
    cpm_report_tables_row(all, "snnnnrrrrrrs", name, (long)a->what.i, (long)a->what.send_bytes,
                          (long)a->summary.reps, (long)b->summary.reps, a->summary.median * 1e6,
                          b->summary.median * 1e6, r->test.shift * 1e6, r->test.low * 1e6,
                          r->test.high * 1e6, r->p, verdict(r));
}

static void fill(cpm_report_tables *all, const run_pair *x)
{
    static const cpm_report_table_column columns[] = {
        {"algorithm", 0},   {"root", 0},        {"size", 0},     {"reps_a", 0}, {"reps_b", 0},
        {"median_a_us", 2}, {"median_b_us", 2}, {"shift_us", 2}, {"low_us", 2}, {"high_us", 2},
        {"p", 6},           {"differ", 0},      {NULL, 0}};
    static const cpm_report_table collectives = {"collectives", NULL, columns};
    *all = (cpm_report_tables){.title = "comparison of runs"};
    cpm_report_tables_metadata(all, "processes", "n", (long)x->run[0].n);
    for (int k = 0; k < 2 && x->c->set->out.format == CPM_FORMAT_JSON; k++) {
        cpm_report_tables_metadata(all, k ? "run_b" : "run_a", "s", x->path[k]);
        cpm_report_tables_metadata(all, k ? "only_in_b" : "only_in_a", "n", (long)x->alone[k]);
    }
    cpm_report_tables_begin(all, &collectives);
    for (int k = 0; k < x->count; k++)
        add_compared(all, &x->at[k]);
}

static void print_closing(const run_pair *x)
{
    int differ = 0, too_few = 0, open = 0;
    for (int k = 0; k < x->count; k++) {
        differ += x->at[k].p <= level;
        too_few += strcmp(verdict(&x->at[k]), "too few") == 0;
        open += strcmp(verdict(&x->at[k]), "cannot tell") == 0;
    }
    for (int k = 0; k < 2; k++)
        if (x->alone[k])
            printf("# in %c only: %d\n", 'A' + k, x->alone[k]);
    printf("# %d of %d differ at a level of %g %%", differ, x->count, 100 * level);
    if (too_few)
        printf("; %d have too few repetitions (--min-reps) to tell", too_few);
    if (open)
        printf("; of %d it cannot be told: their intervals leave changes of %g %% open", open,
               100 * large);
    putchar('\n');
}

static int print(const run_pair *x, cpm_error *e)
{
    cpm_report_tables all;
    const compare_settings *set = compare_of(x->c);
    int status = CPM_OK;
    fill(&all, x);
    if (set->shared.out.path)
        status = output_sheets_to(&all, set->shared.out.path, CPM_FILE_RUNS, e);
    if (!status)
        status = set->shared.out.format == CPM_FORMAT_TEXT
                     ? print_rows(x, e)
                     : output_sheets(&all, set->shared.out.format, e);
    if (!status && set->shared.out.format != CPM_FORMAT_JSON)
        print_closing(x);
    cpm_report_tables_clear(&all);
    return status;
}

/* ---- the comparison */

static int check_options(const call *c, cpm_error *e)
{
    const compare_settings *s = compare_of(c);
    if (s->full || s->shared.where.map || s->shared.where.blocks || s->shared.where.topology ||
        s->shared.where.layout || s->shared.where.placement)
        return cpm_fail(e, CPM_EINVAL,
                        "two runs are compared as they were measured, without --formulas, --map, "
                        "--blocks, --topology and --layout, which are about models");
    return output_check(s->shared.out.path, CPM_FILE_RUNS, e);
}

int compare_runs(const call *c, cpm_error *e)
{
    run_pair x = {.c = c};
    int status = check_options(c, e);
    if (!status)
        status = read_runs(&x, e);
    if (!status)
        status = match(&x, e);
    if (!status)
        status = test_all(&x, e);
    if (!status)
        status = print(&x, e);
    free(x.at);
    choices_clear(&x.asked);
    cpm_measurements_clear(&x.run[0]);
    cpm_measurements_clear(&x.run[1]);
    return status;
}
