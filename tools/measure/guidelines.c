/* Everything is measured once in each turn, so that what a machine does meanwhile meets all alike.
 */
#include "tools/measure/guidelines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "adapt/guidelines.h"
#include "tools/frame/options.h"
#include "tools/frame/output.h"
#include "tools/frame/placement.h"
#include "tools/frame/table.h"
#include "tools/measure/last_words.h"
#include "tools/measure/measuring.h"
#include "tools/measure/session.h"
#include "tools/measure/sweep.h"

typedef struct {
    call *c;
    const guidelines_options *options;
    placement placed;
    bool only[CPM_OPERATIONS], some; /* some: those only */
    cpm_guidelines list;
    cpm_measurements all; /* at rank 0: a sample of each turn */
    int turn;
    double begin;
} guiding;

/* ---- which */

static bool is_file(const call *c)
{
    return c->operands == 1 && file_begins(c->operand[0], "# cpm measurements");
}

static bool has_guidelines(const char *operation)
{
    for (const cpm_guideline_pattern *p = cpm_guideline_patterns; p->left; p++)
        if (strcmp(p->left, operation) == 0)
            return true;
    return false;
}

static int name_operation(guiding *g, const char *text, cpm_error *e)
{
    const cpm_operation *o;
    if (strchr(text, ':'))
        return cpm_fail(e, CPM_EINVAL,
                        "%s: --guidelines are of operations, and of the library's own routines",
                        text);
    int status = cpm_operation_find(text, &o, e);
    if (!status && !has_guidelines(o->name))
        return cpm_fail(e, CPM_EINVAL, "%s: there is no guideline for it", text);
    if (!status)
        g->some = g->only[o - cpm_operations] = true;
    return status;
}

static int name_operations(guiding *g, cpm_error *e)
{
    int status = CPM_OK;
    for (int k = 0; k < g->c->operands && !status; k++) {
        char *list = strdup(g->c->operand[k]), *rest = list;
        if (!list)
            return cpm_no_memory(e);
        for (char *one; !status && (one = strsep(&rest, ","));)
            status = name_operation(g, one, e);
        free(list);
    }
    return status;
}

static int create(guiding *g, const cpm_guideline_field *f, cpm_error *e)
{
    cpm_guideline_field field = *f;
    field.only = g->some ? g->only : NULL;
    int status = cpm_guidelines_create(&field, &g->list, e);
    if (!status && !g->list.count)
        status = cpm_fail(e, CPM_EINVAL, "there is no guideline to test: name sizes above 0 (-m)");
    return status;
}

/* ---- measuring */

static int open_placement(guiding *g, cpm_error *e)
{
    call *c = g->c;
    if (c->set->calls.root >= c->machine->n)
        return cpm_fail(e, CPM_EINVAL, "--root: %d is not in 0..%d", c->set->calls.root,
                        c->machine->n - 1);
    int status = name_operations(g, e);
    if (!status)
        status = placement_open(c->set, c->machine->n, &g->placed, e);
    if (!status)
        status = sweep_default_sizes(c->set, "64,1K,16K", e);
    return status || !c->speaks ? status : output_check(c->set->out.path, CPM_FILE_MEASUREMENTS, e);
}

static int choose(guiding *g, cpm_error *e)
{
    const call *c = g->c;
    return create(g,
                  &(cpm_guideline_field){.n = c->machine->n,
                                         .root = c->set->calls.root,
                                         .placement = &g->placed.known,
                                         .combining = c->set->calls.combining,
                                         .sizes = &c->set->calls.sizes},
                  e);
}

static int plan(void *context, int n, const cpm_measurements *so_far, cpm_design *next,
                cpm_error *e)
{
    const guiding *g = context;
    (void)n, (void)so_far;
    return cpm_guidelines_ask(&g->list, g->turn, next, e);
}

/* A turn's value of x is a sample of it. */
static int add_sample(guiding *g, const cpm_measurements *m, const cpm_measurement *x, cpm_error *e)
{
    int at = cpm_measurements_find(&g->all, &x->what);
    if (at < 0) {
        const cpm_measurement new = {.what = x->what};
        int status = cpm_measurements_add(&g->all, &new, e);
        if (status)
            return status;
        at = g->all.count - 1;
    }
    cpm_measurement *to = &g->all.at[at];
    double *more = realloc(to->samples, ((size_t)to->summary.reps + 1) * sizeof *to->samples);
    if (!more)
        return cpm_no_memory(e);
    to->samples = more;
    more[to->summary.reps++] = cpm_measurement_value(x, m->statistic);
    return CPM_OK;
}

static int note_turn(guiding *g, cpm_measurements *m, cpm_error *e)
{
    int status = CPM_OK;
    if (g->turn == 0) {
        g->all.n = m->n;
        g->all.statistic = m->statistic;
        status = cpm_metadata_copy(&g->all.metadata, &m->metadata, e);
    }
    for (int i = 0; i < m->count && !status; i++)
        status = add_sample(g, m, &m->at[i], e);
    return status;
}

static int run_turn(guiding *g, const cpm_metadata *what, cpm_error *e)
{
    const call *c = g->c;
    cpm_measurements results = {0};
    const cpm_campaign campaign = {.precision = c->set->how.precision,
                                   .raw = true,
                                   .serial = true,
                                   .placement = &g->placed.known,
                                   .metadata = *what};
    int status = cpm_campaign_run(c->machine, plan, g, &campaign, &results, e);
    if (!status)
        status = session_agree(g->c, c->speaks ? note_turn(g, &results, e) : CPM_OK, e);
    cpm_measurements_clear(&results);
    return status;
}

static int describe(const guiding *g, cpm_metadata *what, cpm_error *e)
{
    int status = measuring_describe(g->c, "bench coll, guidelines", NULL, NULL, what, e);
    if (!status)
        status = cpm_metadata_set(what, e, "root", "%d", g->c->set->calls.root);
    if (!status && g->c->set->calls.combining != CPM_COMBINING_BYTES)
        status = cpm_metadata_set(what, e, CPM_METADATA_COMBINING, "%s",
                                  cpm_combinings[g->c->set->calls.combining].name);
    if (!status)
        status = cpm_metadata_set(what, e, "turns", "%d", g->options->turns);
    return status ? status : call_describe(g->c, what, e);
}

static int run_turns(guiding *g, cpm_error *e)
{
    const call *c = g->c;
    cpm_metadata what = {0};
    c->set->how.precision.max_reps = c->set->how.precision.min_reps;
    last_words_prepare(NULL);
    g->begin = c->machine->now(c->machine);
    int status = session_agree(g->c, describe(g, &what, e), e);
    for (g->turn = 0; g->turn < g->options->turns && !status; g->turn++) {
        status = run_turn(g, &what, e);
        if (!status && c->speaks && !c->set->out.quiet)
            fprintf(stderr, "cpm bench coll: turn %d of %d\n", g->turn + 1, g->options->turns);
    }
    last_words_measured();
    cpm_metadata_clear(&what);
    return status;
}

/* The samples of the turns, with what they say. */
static int write_measurements(guiding *g, cpm_error *e)
{
    const call *c = g->c;
    cpm_meas_file *file;
    int status = CPM_OK;
    for (int i = 0; i < g->all.count && !status; i++) {
        cpm_measurement *x = &g->all.at[i];
        x->round = i;
        status = cpm_summarize(x->samples, x->summary.reps, &c->set->how.precision, &x->summary, e);
    }
    if (status || !c->set->out.path)
        return status;
    status = cpm_meas_open(c->set->out.path, false, true, &g->all, &file, e);
    if (status)
        return status;
    for (int i = 0; i < g->all.count && !status; i++)
        status = cpm_meas_append(file, &g->all.at[i], e);
    if (!status)
        status = cpm_meas_complete(file, c->machine->now(c->machine) - g->begin, e);
    cpm_meas_close(file);
    return status;
}

/* ---- reading instead */

static int combining_of(const cpm_measurements *m, cpm_combining *out)
{
    const char *name = cpm_metadata_get(&m->metadata, CPM_METADATA_COMBINING);
    for (int k = 0; name && k < CPM_COMBININGS; k++)
        if (strcmp(cpm_combinings[k].name, name) == 0)
            *out = (cpm_combining)k;
    return CPM_OK;
}

static int read_file(guiding *g, cpm_error *e)
{
    cpm_guideline_field f = {0};
    cpm_sizes sizes = {0};
    cpm_error why = {0};
    int status = cpm_measurements_read(g->c->operand[0], &g->all, NULL, e);
    if (status)
        return status;
    const char *root = cpm_metadata_get(&g->all.metadata, "root");
    combining_of(&g->all, &f.combining);
    f.n = g->all.n;
    f.root = root ? (int)strtol(root, NULL, 10) : 0;
    f.sizes = &sizes;
    status = sweep_sizes(&g->all, &sizes, &why);
    if (!status)
        status = create(g, &f, &why);
    cpm_sizes_free(&sizes);
    return status ? cpm_fail(e, status, "%s: %s", g->c->operand[0], why.text) : CPM_OK;
}

/* ---- printing */

static int count_of(const cpm_guidelines *l, cpm_guideline_verdict v)
{
    int count = 0;
    for (int q = 0; q < l->count; q++)
        count += l->at[q].verdict == v;
    return count;
}

/* "allreduce:reduce-bcast", or empty. */
static const char *mended_by(const cpm_guideline *x, char name[CPM_EXPERIMENT_NAME])
{
    *name = '\0';
    if (x->mended >= 0)
        cpm_experiment_name(&x->mends[x->mended], name, CPM_EXPERIMENT_NAME);
    return name;
}

static void add_row(table *t, const cpm_guideline *x)
{
    char name[CPM_EXPERIMENT_NAME];
    table_cell(t, "%s", x->text);
    table_cell(t, "%zu", x->left.send_bytes);
    table_us(t, x->left_seconds);
    table_us(t, x->right_seconds);
    table_cell(t, "%.2f", x->ratio.value);
    table_cell(t, "%.2f..%.2f", x->ratio.low, x->ratio.high);
    table_cell(t, "%s", cpm_guideline_verdict_name(x->verdict));
    if (x->mended >= 0)
        table_cell(t, "%s (%.2f)", mended_by(x, name), x->mended_ratio.value);
    else
        table_cell(t, "-");
}

/* The violated ones first, by size. */
static int by_verdict(const void *left, const void *right)
{
    const cpm_guideline *a = *(const cpm_guideline *const *)left,
                        *b = *(const cpm_guideline *const *)right;
    static const int rank[] = {
        [CPM_GUIDELINE_VIOLATED] = 0, [CPM_GUIDELINE_UNKNOWN] = 1, [CPM_GUIDELINE_KEPT] = 2};
    if (a->verdict != b->verdict)
        return rank[a->verdict] - rank[b->verdict];
    if (a->verdict == CPM_GUIDELINE_VIOLATED && a->ratio.value != b->ratio.value)
        return a->ratio.value > b->ratio.value ? -1 : 1;
    return a < b ? -1 : 1;
}

static const cpm_guideline **sorted(const cpm_guidelines *l, cpm_error *e)
{
    const cpm_guideline **at = malloc(((size_t)l->count + 1) * sizeof *at);
    if (!at) {
        cpm_no_memory(e);
        return NULL;
    }
    for (int q = 0; q < l->count; q++)
        at[q] = &l->at[q];
    qsort(at, (size_t)l->count, sizeof *at, by_verdict);
    return at;
}

static void print_verdict(const guiding *g)
{
    const cpm_guidelines *l = &g->list;
    int violated = count_of(l, CPM_GUIDELINE_VIOLATED);
    printf("%d of %d guidelines violated, %d kept, %d undecided\n", violated, l->count,
           count_of(l, CPM_GUIDELINE_KEPT), count_of(l, CPM_GUIDELINE_UNKNOWN));
}

static int print_text(const guiding *g, const cpm_guideline *const *at, cpm_error *e)
{
    table t = {0};
    print_verdict(g);
    printf(
        "# the library's own routines on %d processes; size: bytes of the call on the left; times "
        "in microseconds, medians\n# ratio: left over right, with its 95 %% interval; violated: "
        "above %g for sure (Wilcoxon's signed-rank test, %g %% over all)\n# mended by: an "
        "algorithm "
        "of cpm that is faster for sure (its time over that of left)\n",
        g->all.n, 1 + g->options->tolerance, 100 * CPM_GUIDELINE_LEVEL);
    table_head(&t, "guideline", "size", "left", "right", "ratio", "interval", "verdict",
               "mended by", NULL);
    for (int q = 0; q < g->list.count; q++)
        add_row(&t, at[q]);
    return table_print(&t, "", 1, stdout, e);
}

static int print_report_tables(const guiding *g, const cpm_guideline *const *at, cpm_error *e)
{
    static const cpm_report_table_column columns[] = {
        {"guideline", 0}, {"size", 0},      {"left_us", 2},      {"right_us", 2},
        {"ratio", 4},     {"ratio_low", 4}, {"ratio_high", 4},   {"p", 9},
        {"verdict", 0},   {"mended_by", 0}, {"mended_ratio", 4}, {NULL, 0}};
    static const cpm_report_table rows = {"guidelines", NULL, columns};
    char name[CPM_EXPERIMENT_NAME];
    cpm_report_tables all = {.title = "bench coll --guidelines"};
    cpm_report_tables_metadata(&all, "processes", "n", (long)g->all.n);
    cpm_report_tables_metadata(&all, "tolerance", "r", g->options->tolerance);
    cpm_report_tables_metadata(&all, "violated", "n",
                               (long)count_of(&g->list, CPM_GUIDELINE_VIOLATED));
    cpm_report_tables_begin(&all, &rows);
    for (int q = 0; q < g->list.count; q++) {
        const cpm_guideline *x = at[q];
        cpm_report_tables_row(
            &all, "snrrrrrrssr", x->text, (long)x->left.send_bytes, x->left_seconds * 1e6,
            x->right_seconds * 1e6, x->ratio.value, x->ratio.low, x->ratio.high, x->p,
            cpm_guideline_verdict_name(x->verdict), x->mended >= 0 ? mended_by(x, name) : NULL,
            x->mended >= 0 ? x->mended_ratio.value : NAN);
    }
    return output_sheets(&all, g->c->set->out.format, e);
}

static int print(const guiding *g, cpm_error *e)
{
    const cpm_guideline **at = sorted(&g->list, e);
    if (!at)
        return CPM_ENOMEM;
    int status =
        (g->c->set->out.format == CPM_FORMAT_TEXT ? print_text : print_report_tables)(g, at, e);
    free(at);
    return status;
}

/* ---- the whole */

static int conclude(guiding *g, cpm_error *e)
{
    cpm_error why = {0};
    const char *file = is_file(g->c) ? g->c->operand[0] : NULL;
    int status =
        cpm_guidelines_judge(&g->list, &g->all, g->options->tolerance, CPM_GUIDELINE_LEVEL, &why);
    if (status)
        return cpm_fail(e, status, "%s%s%s", file ? file : "", file ? ": " : "", why.text);
    if (!status && !g->list.count)
        status = cpm_fail(e, CPM_EDATA,
                          "%s: holds nothing that a guideline compares (both sides by "
                          "the library's own routines, OP:native)",
                          g->c->operand[0]);
    if (!status)
        status = print(g, e);
    bool told = count_of(&g->list, CPM_GUIDELINE_KEPT) > 0;
    g->c->outcome = count_of(&g->list, CPM_GUIDELINE_VIOLATED) ? OUTCOME_FOUND
                    : told                                     ? OUTCOME_DONE
                                                               : OUTCOME_CANNOT_TELL;
    return status;
}

static int measure(guiding *g, cpm_error *e)
{
    call *c = g->c;
    int status = session_needs(c, 2, e);
    if (!status)
        status = session_agree(c, open_placement(g, e), e);
    if (!status)
        status = measuring_hosts(c, &g->placed, e);
    if (!status)
        status = session_agree(c, choose(g, e), e);
    if (!status)
        status = run_turns(g, e);
    return status ? status : session_agree(c, c->speaks ? write_measurements(g, e) : CPM_OK, e);
}

int guidelines_run(call *c, const guidelines_options *o, cpm_error *e)
{
    guiding g = {.c = c, .options = o};
    int status =
        !is_file(c) ? measure(&g, e) : session_agree(c, c->speaks ? read_file(&g, e) : CPM_OK, e);
    if (!status)
        status = session_agree(c, c->speaks ? conclude(&g, e) : CPM_OK, e);
    int code = c->outcome;
    if (!status)
        status = c->machine->broadcast(c->machine, &code, sizeof code, e);
    c->outcome = (outcome)code;
    cpm_guidelines_clear(&g.list);
    cpm_measurements_clear(&g.all);
    placement_close(&g.placed);
    return status;
}
