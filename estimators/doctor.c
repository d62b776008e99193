/* The doctor: gathers candidates from all parts and judges them together. */
#include "estimators/doctor.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
        [CPM_CROWDED] = CPM_OF_PROCESSES,
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
        x->at[x->count++] = (cpm_candidate){s, x->d->comparisons - 1, s.p};
    }
    return CPM_OK;
}

int cpm_examine(cpm_examiner *x, const double *logs, const double *se, int count, int lost,
                cpm_symptom *symptoms, double typical)
{
    if (count < 1)
        return CPM_OK;
    double spread, freedom;
    cpm_score *scores = malloc((size_t)count * sizeof *scores);
    int status = scores ? cpm_scores(logs, se, count, lost, cpm_least_spread, scores, &spread,
                                     &freedom, x->e)
                        : cpm_fail(x->e, CPM_ENOMEM, "no memory to compare %d values", count);
    if (!status)
        status = add_comparison(
            x,
            (cpm_comparison){.kind = symptoms[0].kind,
                             .parameter = symptoms[0].parameter,
                             .example = symptoms[0].kind == CPM_EXPERIMENT ? symptoms[0].i : -1,
                             .tests = count,
                             .typical = typical,
                             .spread = spread},
            freedom);
    if (!status)
        status = add_scored(x, scores, count, symptoms);
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

static bool is_large(const cpm_examiner *x, const cpm_candidate *c)
{
    return fmax(c->symptom.times, 1 / c->symptom.times) >= 1 + x->o->least_effect;
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

/* A link of two odd processes says nothing by itself: what two odd ends make together is unknown
 * (3 times the latency at both is 3 times, or 9), and in a small rack they are neighbours. */
static bool counts(const cpm_examiner *x, const cpm_candidate *c, int comparison)
{
    const cpm_symptom *s = &c->symptom;
    if (c->comparison != comparison || !is_suspect(x, c))
        return false;
    bool link = s->kind == CPM_LINK || s->kind == CPM_ASYMMETRY;
    return !link || !has_odd_links(x, s->parameter, s->i) || !has_odd_links(x, s->parameter, s->j);
}

/* More symptoms than this are a property of the cluster: a quarter of the processes, half as many
 * links or experiments as processes. */
static int most_faults(const cpm_examiner *x, const cpm_comparison *k)
{
    int most = family_of(k->kind) == CPM_OF_PROCESSES ? (x->m->n - 1) / 4 : x->m->n / 2;
    return most > 1 ? most : 1;
}

static const char *name_of(const cpm_examiner *x, int parameter)
{
    return parameter < 0 ? "time" : x->m->type->parameters[parameter].name;
}

static int note_group(cpm_examiner *x, int comparison, int found, double times)
{
    static const char *const of[] = {[CPM_OF_PROCESSES] = "processes",
                                     [CPM_OF_PAIRS] = "pairs",
                                     [CPM_OF_EXPERIMENTS] = "experiments"};
    const cpm_comparison *k = &x->d->compared[comparison];
    return cpm_note(&x->d->notes, x->e,
                    "%d of %d %s are unlike the others in %s (%.2g times): too many to be "
                    "faults, so a group of its own",
                    found, k->tests, of[family_of(k->kind)], name_of(x, k->parameter), times);
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
    double sum = 0;
    for (int q = 0; q < x->count; q++)
        if (counts(x, &x->at[q], comparison)) {
            suspects++;
            found += is_found(x, &x->at[q]);
            sum += log(x->at[q].symptom.times);
        }
    if (found && suspects > most_faults(x, &x->d->compared[comparison]))
        return note_group(x, comparison, suspects, exp(sum / suspects));
    for (int q = 0; found && !status && q < x->count; q++)
        if (counts(x, &x->at[q], comparison) && is_found(x, &x->at[q]))
            status = cpm_examine_keep(x, &x->at[q].symptom);
    return status;
}

static int judge(cpm_examiner *x)
{
    int status = CPM_OK;
    test_count t = count_tests(x);
    for (int f = 0; !status && f < CPM_FAMILIES; f++)
        status = correct_family(x, (cpm_family)f, &t);
    if (!status)
        set_least(x, &t);
    for (int c = 0; !status && c < x->d->comparisons; c++)
        status = judge_comparison(x, c);
    return status;
}

/* ---- examining */

static bool is_compared(const cpm_model *m, int p)
{
    const cpm_parameter *a = &m->type->parameters[p];
    return (a->shape == CPM_PROCESS || a->shape == CPM_PAIR) && strcmp(a->unit, "B") != 0 &&
           cpm_model_has_parameter(m, p);
}

static int examine_model(cpm_examiner *x)
{
    int compared = 0, status = CPM_OK;
    x->d->model = x->m;
    x->d->times = calloc((size_t)x->m->type->count, sizeof *x->d->times);
    if (!x->d->times)
        return cpm_fail(x->e, CPM_ENOMEM, "no memory for a diagnosis");
    for (int p = 0; !status && p < x->m->type->count; p++) {
        if (!is_compared(x->m, p))
            continue;
        compared++;
        status = x->m->type->parameters[p].shape == CPM_PAIR ? cpm_examine_pairs(x, p)
                                                             : cpm_examine_processes(x, p);
    }
    if (!status && !compared)
        return cpm_fail(x->e, CPM_EDATA,
                        "model %s has no parameters of processes or pairs to compare",
                        x->m->type->name);
    return status;
}

int cpm_diagnose(const cpm_model *m, const cpm_measurements *results, const cpm_doctor_options *o,
                 cpm_diagnosis *out, cpm_error *e)
{
    cpm_diagnosis d = {0};
    cpm_examiner x = {.m = m, .o = o, .d = &d, .e = e};
    int status = examine_model(&x);
    if (!status && results)
        status = cpm_examine_experiments(&x, results);
    if (!status)
        status = judge(&x);
    if (!status)
        status = cpm_examine_hosts(&x);
    free(x.at);
    free(x.freedom);
    if (status)
        cpm_diagnosis_clear(&d);
    else
        *out = d;
    return status;
}

void cpm_diagnosis_clear(cpm_diagnosis *d)
{
    for (int p = 0; d->times && p < d->model->type->count; p++)
        free(d->times[p]);
    free(d->times);
    free(d->at);
    free(d->compared);
    free(d->notes);
    *d = (cpm_diagnosis){0};
}
