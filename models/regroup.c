/* Means over processes and pairs: the same model for other classes of its processes. */
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/allocate.h"

/* How many processes or pairs one value of parameter p stands for: of class a, or from class a to
 * class b. */
static double weight_of(const cpm_model *m, int p, int a, int b)
{
    bool pair = m->type->parameters[p].shape == CPM_PAIR;
    return pair ? cpm_classes_pairs(&m->classes, a, b) : m->classes.members[a];
}

double cpm_parameter_mean(const cpm_model *m, int p)
{
    return cpm_parameter_mean_at(m, p, 0);
}

double cpm_parameter_mean_at(const cpm_model *m, int p, int slice)
{
    size_t count = cpm_parameter_values(m, p);
    const double *value = m->value[p] + (size_t)slice * count;
    int g = m->classes.count;
    double sum = 0, all = 0;
    if (m->type->parameters[p].shape == CPM_SCALAR)
        return value[0];
    if (cpm_shape_thing(m->type->parameters[p].shape))
        return count ? gsl_stats_mean(value, 1, count) : NAN;
    for (size_t at = 0; at < count; at++) {
        bool pair = m->type->parameters[p].shape == CPM_PAIR;
        int a = pair ? (int)(at / (size_t)g) : (int)at, b = pair ? (int)(at % (size_t)g) : 0;
        double weight = weight_of(m, p, a, b);
        sum += weight > 0 ? weight * value[at] : 0;
        all += weight;
    }
    return sum / all;
}

/* ---- regrouping one slice of a parameter */

/* Sums of one value of the new model: known values, and squares of the known intervals. */
typedef struct {
    double sum, squares;
    int values, intervals;
} collected;

typedef struct {
    const cpm_model *from;
    cpm_model *to;
    int p, slice;
    collected *at; /* [values of a slice of to] */
} regrouping;

static void collect(const regrouping *r, size_t from, size_t to)
{
    double value = r->from->value[r->p][from], half = r->from->ci[r->p][from];
    collected *c = &r->at[to];
    if (!isnan(value)) {
        c->sum += value;
        c->values++;
    }
    if (isfinite(half)) {
        c->squares += half * half;
        c->intervals++;
    }
}

/* Where nothing is known, and where no pair is, what a new model has stays. */
static void set_mean(const regrouping *r, const collected *c, size_t place)
{
    bool pair = r->to->type->parameters[r->p].shape == CPM_PAIR;
    double independent = pair ? fmax(1, c->intervals / 2.0) : c->intervals;
    if (c->values > 0)
        r->to->value[r->p][place] = c->sum / c->values;
    if (c->intervals > 0 && c->intervals == c->values)
        r->to->ci[r->p][place] = sqrt(c->squares / c->intervals / independent);
}

static void collect_pairs_of(const regrouping *r, int i)
{
    for (int j = 0; j < r->from->n; j++)
        if (i != j && !cpm_model_inside(r->from, i, j))
            collect(r, cpm_pair_place(r->from, r->slice, i, j), cpm_pair_place(r->to, 0, i, j));
}

static void regroup_slice(const regrouping *r)
{
    size_t count = cpm_parameter_values(r->to, r->p);
    memset(r->at, 0, count * sizeof *r->at);
    for (int i = 0; i < r->from->n; i++)
        if (r->to->type->parameters[r->p].shape == CPM_PROCESS)
            collect(r, cpm_place(r->from, r->slice, i), cpm_place(r->to, 0, i));
        else
            collect_pairs_of(r, i);
    for (size_t place = 0; place < count; place++)
        set_mean(r, &r->at[place], (size_t)r->slice * count + place);
}

static void regroup_parameter(regrouping *r)
{
    cpm_shape shape = r->from->type->parameters[r->p].shape;
    size_t bytes = cpm_parameter_all_values(r->from, r->p) * sizeof(double);
    if (shape != CPM_PROCESS && shape != CPM_PAIR) { /* it does not depend on the classes */
        memcpy(r->to->value[r->p], r->from->value[r->p], bytes);
        memcpy(r->to->ci[r->p], r->from->ci[r->p], bytes);
    }
    for (r->slice = 0; (shape == CPM_PROCESS || shape == CPM_PAIR) &&
                       r->slice < cpm_parameter_slices(r->from, r->p);
         r->slice++)
        regroup_slice(r);
}

/* ---- the model */

int cpm_model_regroup(const cpm_model *m, const cpm_classes *classes, cpm_model **out, cpm_error *e)
{
    if (classes->n != m->n)
        return cpm_fail(e, CPM_EINVAL, "classes of %d processes for a model of %d", classes->n,
                        m->n);
    cpm_model *to;
    int status = cpm_model_create_like(m, classes, &to, e);
    if (status)
        return status;
    size_t room = (size_t)classes->count * (size_t)classes->count;
    regrouping r = {.from = m, .to = to, .at = malloc(room * sizeof *r.at)};
    status = r.at ? cpm_model_copy_hosts(m, to, e) : cpm_no_memory(e);
    if (!status)
        status = cpm_model_set_switches(to, &m->switches, e);
    if (!status)
        status = cpm_model_set_links(to, &m->links, e);
    if (!status)
        status = cpm_model_copy_provenance(m, to, e);
    for (; !status && r.p < m->type->count; r.p++)
        regroup_parameter(&r);
    free(r.at);
    return cpm_model_hand_over(status, to, out);
}

int cpm_model_average(const cpm_model *m, cpm_model **out, cpm_error *e)
{
    static const char *const all[] = {"all"};
    int *of = calloc((size_t)m->n, sizeof *of);
    cpm_classes one = {0};
    int status = of ? cpm_classes_create(m->n, of, 1, all, &one, e) : cpm_no_memory(e);
    free(of);
    if (!status)
        status = cpm_model_regroup(m, &one, out, e);
    cpm_classes_clear(&one);
    return status;
}
