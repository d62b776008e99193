/* The patterns as rows; a guideline at a size is a row with experiments. */
#include "adapt/guidelines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rank_tests.h"
#include "base/vector.h"

/* clang-format off */
const cpm_guideline_pattern cpm_guideline_patterns[] = {
    {"bcast",          {"scatter", "allgather"},        {"scatter-doubling", "scatter-ring"}},
    {"scatter",        {"bcast", NULL},                 {"binomial", "linear"}},
    {"scatter",        {"scatterv", NULL},              {"linear", "binomial"}},
    {"gather",         {"allgather", NULL},             {"binomial", "linear"}},
    {"gather",         {"reduce", NULL},                {"binomial", "linear"}},
    {"gather",         {"gatherv", NULL},               {"linear", "binomial"}},
    {"allgather",      {"gather", "bcast"},             {"gather-bcast", "recursive-doubling"}},
    {"allgather",      {"alltoall", NULL},              {"simple", NULL}},
    {"allgather",      {"allreduce", NULL},             {"recursive-doubling", NULL}},
    {"allgather",      {"allgatherv", NULL},            {"logical-ring", "bruck"}},
    {"alltoall",       {"alltoallv", NULL},             {"spreading-simple", NULL}},
    {"reduce",         {"allreduce", NULL},             {"binomial", NULL}},
    {"reduce",         {"reduce_scatter", "gather"},    {"rabenseifner", NULL}},
    {"allreduce",      {"reduce", "bcast"},             {"reduce-bcast", NULL}},
    {"allreduce",      {"reduce_scatter", "allgather"}, {"rab1-doubling", "logical-ring"}},
    {"reduce_scatter", {"reduce", "scatter"},           {"halving", NULL}},
    {"reduce_scatter", {"allreduce", NULL},             {"halving", NULL}},
    {NULL, {NULL, NULL}, {NULL, NULL}},
};
/* clang-format on */

const char *cpm_guideline_verdict_name(cpm_guideline_verdict v)
{
    static const char *const names[] = {"kept", "violated", "cannot tell"};
    return names[v];
}

const cpm_guideline_pattern *cpm_guideline_mended_by(const cpm_collective *c)
{
    for (const cpm_guideline_pattern *p = cpm_guideline_patterns; p->left && c->algorithm; p++)
        for (int k = 0; k < 2 && p->mends[k] && strcmp(p->left, c->operation->name) == 0; k++)
            if (strcmp(p->mends[k], c->algorithm->name) == 0)
                return p;
    return NULL;
}

void cpm_guideline_print(const cpm_guideline_pattern *p, char text[CPM_GUIDELINE_TEXT])
{
    snprintf(text, CPM_GUIDELINE_TEXT, "%s <= %s%s%s", p->left, p->right[0],
             p->right[1] ? " + " : "", p->right[1] ? p->right[1] : "");
}

/* ---- what there is */

static bool is_whole(const cpm_operation *o)
{
    return o == &cpm_operations[CPM_OP_BCAST] || o == &cpm_operations[CPM_OP_REDUCE] ||
           o == &cpm_operations[CPM_OP_ALLREDUCE];
}

/* algorithm NULL: the library's own. bytes: of a block. False: it does not apply. */
static bool experiment_of(const cpm_guideline_field *f, const char *operation,
                          const char *algorithm, size_t bytes, cpm_experiment *out)
{
    char name[CPM_COLLECTIVE_NAME];
    cpm_collective c;
    snprintf(name, sizeof name, "%s:%s", operation, algorithm ? algorithm : "native");
    if (cpm_collective_parse(name, &c, NULL))
        return false;
    if (f->placement)
        c.at = *f->placement;
    c.at.n = f->n;
    c.at.root = c.operation->rooted ? f->root : 0;
    c.combining = f->combining;
    *out = cpm_experiment_of(&c, is_whole(c.operation) ? bytes * (size_t)f->n : bytes);
    return cpm_collective_applies(&c, NULL) == CPM_OK;
}

static bool is_asked(const cpm_guideline_field *f, const char *operation)
{
    const cpm_operation *o;
    return !f->only ||
           (cpm_operation_find(operation, &o, NULL) == CPM_OK && f->only[o - cpm_operations]);
}

static int add(cpm_guidelines *out, const cpm_guideline *g, cpm_error *e)
{
    if (!cpm_vector_extend(&out->at, out->count, sizeof *out->at))
        return cpm_no_memory(e);
    out->at[out->count++] = *g;
    return CPM_OK;
}

static int add_pattern(const cpm_guideline_field *f, const cpm_guideline_pattern *p, size_t bytes,
                       cpm_guidelines *out, cpm_error *e)
{
    cpm_guideline g = {.times = 1, .mended = -1};
    bool good = experiment_of(f, p->left, NULL, bytes, &g.left);
    for (; g.rights < 2 && p->right[g.rights] && good; g.rights++)
        good = experiment_of(f, p->right[g.rights], NULL, bytes, &g.right[g.rights]);
    for (int k = 0; k < 2 && p->mends[k]; k++)
        g.mend_count += experiment_of(f, p->left, p->mends[k], bytes, &g.mends[g.mend_count]);
    cpm_guideline_print(p, g.text);
    return good ? add(out, &g, e) : CPM_OK;
}

static int add_monotony(const cpm_guideline_field *f, const char *operation, size_t less,
                        size_t more, cpm_guidelines *out, cpm_error *e)
{
    cpm_guideline g = {.times = 1, .rights = 1, .mended = -1};
    if (!experiment_of(f, operation, NULL, less, &g.left) ||
        !experiment_of(f, operation, NULL, more, &g.right[0]))
        return CPM_OK;
    snprintf(g.text, sizeof g.text, "%s <= %s of %zu B", operation, operation,
             g.right[0].send_bytes);
    int status = add(out, &g, e);
    cpm_guideline split = {.left = g.right[0], .right = {g.left}, .rights = 1, .mended = -1};
    const size_t calls = (more + less - 1) / less;
    split.times = (double)calls;
    snprintf(split.text, sizeof split.text, "%s <= %.0f %s of %zu B", operation, split.times,
             operation, g.left.send_bytes);
    return status ? status : add(out, &split, e);
}

/* Each operation that stands on the left of some pattern, once. */
static bool is_first(const cpm_guideline_pattern *p)
{
    for (const cpm_guideline_pattern *k = cpm_guideline_patterns; k < p; k++)
        if (strcmp(k->left, p->left) == 0)
            return false;
    return true;
}

int cpm_guidelines_create(const cpm_guideline_field *f, cpm_guidelines *out, cpm_error *e)
{
    cpm_guidelines g = {0};
    int status = CPM_OK;
    for (const cpm_guideline_pattern *p = cpm_guideline_patterns; p->left; p++)
        for (int s = 0; s < f->sizes->count && !status && is_asked(f, p->left); s++)
            if (f->sizes->at[s] > 0)
                status = add_pattern(f, p, f->sizes->at[s], &g, e);
    for (const cpm_guideline_pattern *p = cpm_guideline_patterns; p->left; p++)
        for (int s = 0; s + 1 < f->sizes->count && !status && is_asked(f, p->left); s++)
            if (f->sizes->at[s] > 0 && is_first(p))
                status = add_monotony(f, p->left, f->sizes->at[s], f->sizes->at[s + 1], &g, e);
    if (status)
        cpm_guidelines_clear(&g);
    *out = g;
    return status;
}

void cpm_guidelines_clear(cpm_guidelines *g)
{
    free(g->at);
    *g = (cpm_guidelines){0};
}

/* ---- measuring */

static int ask(const cpm_experiment *x, cpm_design *next, cpm_error *e)
{
    int status = cpm_design_add(next, x, e);
    return status ? status : cpm_design_close_round(next, e);
}

/* The campaign leaves out what is asked for again. */
int cpm_guidelines_ask(const cpm_guidelines *g, int turn, cpm_design *next, cpm_error *e)
{
    int status = CPM_OK;
    for (int q = 0; q < g->count && !status; q++) {
        const cpm_guideline *x = &g->at[turn % 2 ? g->count - 1 - q : q];
        status = ask(&x->left, next, e);
        for (int k = 0; k < x->rights && !status; k++)
            status = ask(&x->right[k], next, e);
        for (int k = 0; k < x->mend_count && !status; k++)
            status = ask(&x->mends[k], next, e);
    }
    return status;
}

/* ---- judging */

static const cpm_measurement *find(const cpm_measurements *m, const cpm_experiment *x)
{
    int at = cpm_measurements_find(m, x);
    return at < 0 ? NULL : &m->at[at];
}

/* What was measured of a guideline. */
typedef struct {
    const cpm_measurement *left, *right[2], *mends[2];
    int turns; /* samples that all of left and right have */
} evidence;

static bool gather(const cpm_guideline *g, const cpm_measurements *m, evidence *out)
{
    *out = (evidence){.left = find(m, &g->left)};
    if (!out->left)
        return false;
    out->turns = out->left->summary.reps;
    for (int k = 0; k < g->rights; k++) {
        out->right[k] = find(m, &g->right[k]);
        if (!out->right[k])
            return false;
        if (out->right[k]->summary.reps < out->turns)
            out->turns = out->right[k]->summary.reps;
    }
    for (int k = 0; k < g->mend_count; k++)
        out->mends[k] = find(m, &g->mends[k]);
    return true;
}

static bool has_samples(const evidence *x)
{
    return x->left->samples && x->right[0]->samples && (!x->right[1] || x->right[1]->samples);
}

/* Seconds of left and right in each turn. */
typedef struct {
    double *left, *right, *d; /* d: room for differences */
    int count;
} turns;

static int turns_open(turns *t, const evidence *x, double times, cpm_error *e)
{
    t->count = x->turns;
    t->left = malloc(3 * ((size_t)t->count + 1) * sizeof *t->left);
    if (!t->left)
        return cpm_no_memory(e);
    t->right = t->left + t->count;
    t->d = t->right + t->count;
    for (int k = 0; k < t->count; k++) {
        t->left[k] = x->left->samples[k];
        t->right[k] =
            times * (x->right[0]->samples[k] + (x->right[1] ? x->right[1]->samples[k] : 0));
    }
    return CPM_OK;
}

/* The median of the turns' ratios, which one disturbed turn does not move. */
static int ratio_of(const double *above, const double *below, int count, cpm_ratio *out,
                    cpm_error *e)
{
    const cpm_precision p = {.confidence = 0.95, .statistic = CPM_MEDIAN};
    cpm_summary s;
    double *ratios = malloc(((size_t)count + 1) * sizeof *ratios);
    if (!ratios)
        return cpm_no_memory(e);
    for (int k = 0; k < count; k++)
        ratios[k] = above[k] / below[k];
    int status = cpm_summarize(ratios, count, &p, &s, e);
    if (!status)
        *out = (cpm_ratio){s.median, s.ci_low, s.ci_high};
    free(ratios);
    return status;
}

/* p of that by would be less than factor times than, by chance alone. */
static int test_less(const turns *t, const double *by, const double *than, double factor, double *p,
                     cpm_error *e)
{
    for (int k = 0; k < t->count; k++)
        t->d[k] = by[k] - factor * than[k];
    return cpm_signed_rank_less(t->d, t->count, p, e);
}

/* p of a violation, and of that there is none. */
static int test(cpm_guideline *g, const evidence *x, double tolerance, double *violated,
                double *kept, cpm_error *e)
{
    turns t = {0};
    int status = turns_open(&t, x, g->times, e);
    if (status)
        return status;
    status = test_less(&t, t.right, t.left, 1 / (1 + tolerance), violated, e);
    if (!status)
        status = test_less(&t, t.left, t.right, 1 + tolerance, kept, e);
    if (!status)
        status = ratio_of(t.left, t.right, t.count, &g->ratio, e);
    g->left_seconds = cpm_median(t.left, t.count);
    g->right_seconds = cpm_median(t.right, t.count);
    free(t.left);
    return status;
}

/* Takes out what was not measured. */
static int keep_measured(cpm_guidelines *g, const cpm_measurements *m, cpm_error *e)
{
    evidence x;
    int count = 0;
    for (int q = 0; q < g->count; q++) {
        if (!gather(&g->at[q], m, &x))
            continue;
        if (!has_samples(&x))
            return cpm_fail(
                e, CPM_EDATA,
                "there are no samples to test: measure with --guidelines, or with --raw");
        g->at[count++] = g->at[q];
    }
    g->count = count;
    return CPM_OK;
}

/* Of those that mend a violated guideline for sure, the faster one. p[2 q + k]: of the k-th of
 * guideline q, corrected. */
static int find_mended(cpm_guideline *g, const evidence *x, const double *p, double level,
                       cpm_error *e)
{
    int status = CPM_OK;
    for (int k = 0; k < g->mend_count && !status; k++) {
        const cpm_measurement *by = x->mends[k];
        if (g->verdict != CPM_GUIDELINE_VIOLATED || !by || !by->samples || p[k] > level)
            continue;
        cpm_ratio ratio;
        int count =
            by->summary.reps < x->left->summary.reps ? by->summary.reps : x->left->summary.reps;
        status = ratio_of(by->samples, x->left->samples, count, &ratio, e);
        if (!status && (g->mended < 0 || ratio.value < g->mended_ratio.value)) {
            g->mended = k;
            g->mended_ratio = ratio;
        }
    }
    return status;
}

static int test_mend(const evidence *x, int k, double *p, cpm_error *e)
{
    const cpm_measurement *by = x->mends[k];
    *p = 1;
    if (!by || !by->samples)
        return CPM_OK;
    int count = by->summary.reps < x->left->summary.reps ? by->summary.reps : x->left->summary.reps;
    double *d = malloc(((size_t)count + 1) * sizeof *d);
    if (!d)
        return cpm_no_memory(e);
    for (int i = 0; i < count; i++)
        d[i] = by->samples[i] - x->left->samples[i];
    int status = cpm_signed_rank_less(d, count, p, e);
    free(d);
    return status;
}

/* p has room for four of each: of a violation, of none, and of its menders. */
static int judge_all(cpm_guidelines *g, const cpm_measurements *m, double tolerance, double level,
                     double *p, cpm_error *e)
{
    double *violated = p, *kept = p + g->count, *mends = p + 2 * (ptrdiff_t)g->count;
    evidence x;
    int status = CPM_OK;
    for (int q = 0; q < g->count && !status; q++) {
        gather(&g->at[q], m, &x);
        status = test(&g->at[q], &x, tolerance, &violated[q], &kept[q], e);
        for (int k = 0; k < 2 && !status; k++)
            status = test_mend(&x, k, &mends[2 * q + k], e);
    }
    if (!status)
        status = cpm_holm(violated, g->count, e);
    if (!status)
        status = cpm_holm(kept, g->count, e);
    if (!status)
        status = cpm_holm(mends, 2 * g->count, e);
    for (int q = 0; q < g->count && !status; q++) {
        g->at[q].p = violated[q];
        g->at[q].verdict = violated[q] <= level ? CPM_GUIDELINE_VIOLATED
                           : kept[q] <= level   ? CPM_GUIDELINE_KEPT
                                                : CPM_GUIDELINE_UNKNOWN;
        gather(&g->at[q], m, &x);
        status = find_mended(&g->at[q], &x, mends + 2 * (ptrdiff_t)q, level, e);
    }
    return status;
}

int cpm_guidelines_judge(cpm_guidelines *g, const cpm_measurements *m, double tolerance,
                         double level, cpm_error *e)
{
    int status = keep_measured(g, m, e);
    if (status || !g->count)
        return status;
    double *p = malloc(4 * (size_t)g->count * sizeof *p);
    status = p ? judge_all(g, m, tolerance, level, p, e) : cpm_no_memory(e);
    free(p);
    return status;
}
