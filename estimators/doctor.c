/* The doctor: gathers candidates from all parts and judges them together. */
#include "estimators/doctor.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rank_tests.h"
#include "base/vector.h"
#include "estimators/examiner.h"
#include "estimators/outliers.h"

const double cpm_least_spread = 0.005;

static cpm_family family_of(cpm_symptom_kind kind)
{
    static const cpm_family families[] = {
        [CPM_OWN] = CPM_OF_PROCESSES,     [CPM_LINKS] = CPM_OF_PROCESSES,
        [CPM_WAYS] = CPM_OF_PROCESSES,    [CPM_LINK] = CPM_OF_PAIRS,
        [CPM_ASYMMETRY] = CPM_OF_PAIRS,   [CPM_EXPERIMENT] = CPM_OF_EXPERIMENTS,
        [CPM_CROWDED] = CPM_OF_PROCESSES, [CPM_UNLIKE] = CPM_OF_MEMBERS,
        [CPM_TRUNK] = CPM_OF_TRUNKS,      [CPM_TRUNK_WAYS] = CPM_OF_TRUNKS,
    };
    return families[kind];
}

/* ---- what the parts use */

static int add_comparison(cpm_examiner *x, cpm_comparison c, double freedom)
{
    int count = x->d->comparisons;
    if (!cpm_vector_extend(&x->d->compared, count, sizeof c) ||
        !cpm_vector_extend(&x->freedom, count, sizeof freedom))
        return cpm_fail(x->e, CPM_ENOMEM, "no memory for a comparison");
    x->freedom[x->d->comparisons] = freedom;
    x->d->compared[x->d->comparisons++] = c;
    return CPM_OK;
}

static int add_scored(cpm_examiner *x, const cpm_score *scores, int count,
                      const cpm_symptom *symptoms)
{
    if (!cpm_vector_reserve(&x->at, &x->capacity, x->count + count, sizeof *x->at))
        return cpm_fail(x->e, CPM_ENOMEM, "no memory to compare %d values", x->count + count);
    for (int q = 0; q < count; q++) {
        cpm_symptom s = symptoms[q];
        s.times = exp(scores[q].distance);
        if (s.kind == CPM_ASYMMETRY)
            s.times = fmax(s.times, 1 / s.times); /* of the slower way */
        s.p = scores[q].p;
        s.of_kind = x->d->compared[x->d->comparisons - 1].kinds > 1;
        x->at[x->count++] = (cpm_candidate){s, x->d->comparisons - 1, scores[q].score, s.p};
    }
    return CPM_OK;
}

static int add_scores(cpm_examiner *x, const cpm_score *scores, const cpm_score_basis *basis,
                      int count, int kinds, const cpm_symptom *symptoms, double typical)
{
    cpm_comparison c = {.kind = symptoms[0].kind,
                        .parameter = symptoms[0].parameter,
                        .slice = symptoms[0].slice,
                        .example = symptoms[0].kind == CPM_EXPERIMENT ? symptoms[0].i : -1,
                        .tests = count,
                        .kinds = kinds,
                        .typical = typical,
                        .spread = basis->spread,
                        .error = basis->error};
    int status = add_comparison(x, c, basis->freedom);
    return status ? status : add_scored(x, scores, count, symptoms);
}

int cpm_examine_scores(cpm_examiner *x, const cpm_score *scores, const cpm_score_basis *basis,
                       int count, const cpm_symptom *symptoms, double typical)
{
    return add_scores(x, scores, basis, count, 1, symptoms, typical);
}

int cpm_examine(cpm_examiner *x, const double *logs, const double *se, int count, int lost,
                const cpm_symptom *symptoms, double typical)
{
    if (count < 1)
        return CPM_OK;
    int kinds = 1;
    cpm_score_basis basis = {0};
    cpm_score *scores = malloc((size_t)count * sizeof *scores);
    int status = scores ? cpm_scores(logs, se, count, lost, cpm_least_spread, scores, &basis, x->e)
                        : cpm_fail(x->e, CPM_ENOMEM, "no memory to compare %d values", count);
    double among_all = basis.spread;
    if (!status && symptoms[0].kind == CPM_OWN)
        status = cpm_examine_kinds(x, logs, se, count, symptoms, scores, &basis, &kinds);
    if (!status)
        status = add_scores(x, scores, &basis, count, kinds, symptoms, typical);
    if (!status)
        x->d->compared[x->d->comparisons - 1].among_all = among_all;
    free(scores);
    return status;
}

/* ---- judging */

typedef struct {
    int tests[CPM_FAMILIES], families;
} test_count;

static test_count count_tests(const cpm_examiner *x)
{
    test_count t = {0};
    for (int q = 0; q < x->count; q++)
        t.families += t.tests[family_of(x->at[q].symptom.kind)]++ == 0;
    return t;
}

/* Holm within a family, times the number of families. */
static int correct_family(cpm_examiner *x, cpm_family family, const test_count *t)
{
    int count = 0;
    double *p = malloc(((size_t)t->tests[family] + 1) * sizeof *p);
    if (!p)
        return cpm_fail(x->e, CPM_ENOMEM, "no memory for %d tests", t->tests[family]);
    for (int q = 0; q < x->count; q++)
        if (family_of(x->at[q].symptom.kind) == family)
            p[count++] = x->at[q].symptom.p;
    int status = cpm_holm(p, count, x->e);
    count = 0;
    for (int q = 0; !status && q < x->count; q++)
        if (family_of(x->at[q].symptom.kind) == family)
            x->at[q].symptom.p = fmin(1, t->families * p[count++]);
    free(p);
    return status;
}

/* How far off a single value must be in each comparison. */
static void set_least(cpm_examiner *x, const test_count *t)
{
    for (int c = 0; c < x->d->comparisons; c++) {
        cpm_comparison *k = &x->d->compared[c];
        double alpha = x->o->alpha / t->families / t->tests[family_of(k->kind)];
        double distance = k->spread * gsl_cdf_tdist_Qinv(alpha / 2, x->freedom[c]);
        k->least = fmax(exp(distance), 1 + x->o->least_effect);
    }
}

/* A process is compared with its host's median one, and a link with the slower of its two ends
 * where a model knows these: that one is faster is no fault. Nor is a fast trunk. */
static bool only_slower(const cpm_examiner *x, const cpm_symptom *s)
{
    return s->kind == CPM_UNLIKE || s->kind == CPM_TRUNK ||
           (s->kind == CPM_LINK && x->m->type->flow);
}

static bool is_large(const cpm_examiner *x, const cpm_candidate *c)
{
    double times = c->symptom.times;
    return (only_slower(x, &c->symptom) ? times : fmax(times, 1 / times)) >= 1 + x->o->least_effect;
}

static bool is_found(const cpm_examiner *x, const cpm_candidate *c)
{
    return c->symptom.p <= x->o->alpha && is_large(x, c);
}

/* Would be found if it were alone: of a group some members are, some just not. */
static bool is_suspect(const cpm_examiner *x, const cpm_candidate *c)
{
    return c->p <= x->o->alpha && is_large(x, c);
}

/* Is process i odd in that parameter by all its links? */
static bool has_odd_links(const cpm_examiner *x, int parameter, int i)
{
    for (int q = 0; q < x->count; q++) {
        const cpm_symptom *s = &x->at[q].symptom;
        if ((s->kind == CPM_LINKS || s->kind == CPM_WAYS) && s->parameter == parameter &&
            s->i == i && is_found(x, &x->at[q]))
            return true;
    }
    return false;
}

static bool is_explained(const cpm_examiner *x, const cpm_symptom *s)
{
    return cpm_examine_is_of_process(x, s) || cpm_examine_is_of_trunk(x, s);
}

/* A link of two odd processes says nothing by itself: what two odd ends make together is unknown
 * (3 times the latency at both is 3 times, or 9), and in a small rack they are neighbours. */
static bool counts(const cpm_examiner *x, const cpm_candidate *c, int comparison)
{
    const cpm_symptom *s = &c->symptom;
    if (c->comparison != comparison || !is_suspect(x, c) || is_explained(x, s))
        return false;
    bool link = s->kind == CPM_LINK || s->kind == CPM_ASYMMETRY;
    return !link || !has_odd_links(x, s->parameter, s->i) || !has_odd_links(x, s->parameter, s->j);
}

int cpm_examine_most_faults(const cpm_examiner *x, cpm_symptom_kind kind, int tests)
{
    cpm_family family = family_of(kind);
    int most = family == CPM_OF_PROCESSES ? (x->m->n - 1) / 4
               : family == CPM_OF_MEMBERS ? (tests - 1) / 4
               : family == CPM_OF_TRUNKS  ? (tests < 12 ? 2 : tests / 4)
                                          : x->m->n / 2;
    return most > 1 ? most : 1;
}

void cpm_examine_put_name(const cpm_examiner *x, int p, int slice, char *text, size_t size)
{
    if (p >= 0 && slice)
        snprintf(text, size, "%s from %zu B on", x->m->type->parameters[p].name,
                 cpm_parameter_sizes(x->m, p)->at[slice]);
    else
        snprintf(text, size, "%s", p < 0 ? "time" : x->m->type->parameters[p].name);
}

static int note_group(cpm_examiner *x, int comparison, int found, double least, double most)
{
    static const char *const of[] = {[CPM_OF_PROCESSES] = "processes",
                                     [CPM_OF_PAIRS] = "pairs",
                                     [CPM_OF_EXPERIMENTS] = "experiments",
                                     [CPM_OF_MEMBERS] = "processes",
                                     [CPM_OF_TRUNKS] = "trunks, up and down,"};
    const cpm_comparison *k = &x->d->compared[comparison];
    cpm_family family = family_of(k->kind);
    bool hosts = family == CPM_OF_PROCESSES && cpm_diagnosis_of_hosts(x->d);
    char name[80];
    x->d->groups += k->kind == CPM_OWN;
    cpm_examine_put_name(x, k->parameter, k->slice, name, sizeof name);
    return cpm_note(&x->d->notes, x->e,
                    "%d of %d %s are unlike %s in %s (%.2g to %.2g times): too many to be faults, "
                    "%s",
                    found, k->tests, hosts ? "hosts" : of[family],
                    k->kinds > 1 ? "their kind" : "their median", name, least, most,
                    k->kind == CPM_OWN ? "and slow ones among them cannot be told"
                                       : "so there are several kinds");
}

int cpm_examine_keep(cpm_examiner *x, const cpm_symptom *s)
{
    if (!cpm_vector_extend(&x->d->at, x->d->count, sizeof *x->d->at))
        return cpm_fail(x->e, CPM_ENOMEM, "no memory for a diagnosis");
    x->d->at[x->d->count++] = *s;
    return CPM_OK;
}

/* Symptoms of one comparison, or a note if they are a group. */
static int judge_comparison(cpm_examiner *x, int comparison)
{
    int found = 0, suspects = 0, status = CPM_OK;
    double least = INFINITY, most = 0;
    for (int q = 0; q < x->count; q++)
        if (counts(x, &x->at[q], comparison)) {
            suspects++;
            found += is_found(x, &x->at[q]);
            least = fmin(least, x->at[q].symptom.times);
            most = fmax(most, x->at[q].symptom.times);
        }
    const cpm_comparison *k = &x->d->compared[comparison];
    if (found && suspects > cpm_examine_most_faults(x, k->kind, k->tests))
        return note_group(x, comparison, suspects, least, most);
    for (int q = 0; found && !status && q < x->count; q++)
        if (counts(x, &x->at[q], comparison) && is_found(x, &x->at[q]))
            status = cpm_examine_keep(x, &x->at[q].symptom);
    return status;
}

static bool explains(cpm_symptom_kind kind)
{
    return kind == CPM_UNLIKE || kind == CPM_TRUNK || kind == CPM_TRUNK_WAYS;
}

static int judge(cpm_examiner *x)
{
    int status = CPM_OK;
    test_count t = count_tests(x);
    cpm_examine_moderate(x);
    for (int f = 0; !status && f < CPM_FAMILIES; f++)
        status = correct_family(x, (cpm_family)f, &t);
    if (!status)
        set_least(x, &t);
    for (int rest = 0; rest < 2; rest++) /* first what explains others */
        for (int c = 0; !status && c < x->d->comparisons; c++)
            if (!explains(x->d->compared[c].kind) == rest)
                status = judge_comparison(x, c);
    return status;
}

/* ---- examining */

static bool is_known(const cpm_model *m, int p, int slice)
{
    size_t count = cpm_parameter_values(m, p);
    for (size_t at = 0; at < count; at++) {
        bool pair = m->type->parameters[p].shape == CPM_PAIR;
        if (!isnan(m->value[p][(size_t)slice * count + at]) &&
            (!pair || at / (size_t)m->n != at % (size_t)m->n))
            return true;
    }
    return false;
}

static bool is_compared(const cpm_model *m, int p)
{
    const cpm_parameter *a = &m->type->parameters[p];
    return (a->shape == CPM_PROCESS || a->shape == CPM_PAIR) && strcmp(a->unit, "B") != 0 &&
           cpm_model_has_parameter(m, p);
}

/* Constants behind the first size are what a line, seen at larger messages only, has at size 0. */
static int compared_slices(const cpm_model *m, int p)
{
    return strcmp(m->type->parameters[p].unit, "s/B") == 0 ? cpm_parameter_slices(m, p) : 1;
}

static int make_times(cpm_examiner *x, int p)
{
    size_t count = cpm_parameter_all_values(x->m, p);
    x->d->times[p] = malloc(count * sizeof **x->d->times);
    if (!x->d->times[p])
        return cpm_fail(x->e, CPM_ENOMEM, "no memory for a diagnosis");
    for (size_t at = 0; at < count; at++)
        x->d->times[p][at] = NAN;
    return CPM_OK;
}

static int examine_parameter(cpm_examiner *x, int p)
{
    const cpm_parameter *a = &x->m->type->parameters[p];
    int status = make_times(x, p);
    for (int k = 0; !status && k < compared_slices(x->m, p); k++)
        if (is_known(x->m, p, k))
            status =
                a->shape == CPM_PAIR ? cpm_examine_pairs(x, p, k) : cpm_examine_processes(x, p, k);
        else if (!a->sized)
            status = cpm_note(&x->d->notes, x->e, "%s is not compared: it is not known", a->name);
    return status;
}

static int examine_model(cpm_examiner *x)
{
    int compared = 0, status = CPM_OK;
    x->d->times = calloc((size_t)x->m->type->count, sizeof *x->d->times);
    if (!x->d->times)
        return cpm_fail(x->e, CPM_ENOMEM, "no memory for a diagnosis");
    for (int p = 0; !status && p < x->m->type->count; p++) {
        if (!is_compared(x->m, p))
            continue;
        compared++;
        status = examine_parameter(x, p);
    }
    if (!status && *x->uncertain)
        status = cpm_note(&x->d->notes, x->e, "too uncertain to be compared: %s", x->uncertain);
    if (!status && !compared)
        return cpm_fail(x->e, CPM_EDATA,
                        "model %s has no parameters of processes or pairs to compare",
                        x->m->type->name);
    return status;
}

static int examine(cpm_examiner *x, const cpm_measurements *results)
{
    int status = examine_model(x);
    if (!status)
        status = cpm_examine_members(x);
    if (!status)
        status = cpm_examine_trunks(x);
    if (!status && results)
        status = cpm_examine_experiments(x, results);
    if (!status)
        status = judge(x);
    if (!status && x->classes->name)
        status = cpm_examine_leave_out_classes(x);
    return status ? status : cpm_examine_hosts(x);
}

/* ---- processes, or one of each host */

/* *own: what to compare, in the classes that are not of one process or host; NULL: m itself. */
static int take_apart(const cpm_model *m, cpm_model **own, cpm_classes *classes, cpm_error *e)
{
    cpm_model *hosts = NULL;
    const cpm_model *given = m;
    int status = m->inside.count > 0 ? cpm_model_of_hosts(m, &hosts, e) : CPM_OK;
    if (hosts)
        given = hosts;
    if (!status && given->classes.count < given->n) {
        status = cpm_classes_copy(&given->classes, classes, e);
        if (!status)
            status = cpm_model_expand(given, own, e);
        cpm_model_free(hosts);
        return status;
    }
    *own = hosts;
    return status;
}

int cpm_diagnose(const cpm_model *m, const cpm_measurements *results, const cpm_doctor_options *o,
                 cpm_diagnosis *out, cpm_error *e)
{
    cpm_classes classes = {0};
    cpm_diagnosis d = {.whole = m};
    int status = take_apart(m, &d.own, &classes, e);
    d.model = d.own ? d.own : m;
    cpm_examiner x = {.whole = m, .m = d.model, .classes = &classes, .o = o, .d = &d, .e = e};
    if (!status)
        status = examine(&x, results);
    free(x.at);
    free(x.freedom);
    cpm_classes_clear(&classes);
    if (status)
        cpm_diagnosis_clear(&d);
    else
        *out = d;
    return status;
}

bool cpm_diagnosis_could_tell(const cpm_diagnosis *d)
{
    enum { USELESS = 1000 };
    for (int c = 0; !d->groups && !d->apart && c < d->comparisons; c++)
        if (family_of(d->compared[c].kind) <= CPM_OF_PAIRS && d->compared[c].least < USELESS)
            return true;
    return false;
}

void cpm_diagnosis_clear(cpm_diagnosis *d)
{
    for (int p = 0; d->times && p < d->model->type->count; p++)
        free(d->times[p]);
    free(d->times);
    free(d->at);
    free(d->compared);
    free(d->notes);
    cpm_model_free(d->own);
    *d = (cpm_diagnosis){0};
}
