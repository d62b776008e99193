/* What the parts of the doctor use: values are compared, and become candidates. */
#include "diagnose/examiner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vector.h"

const double cpm_least_spread = 0.005;

cpm_family cpm_examine_family(cpm_symptom_kind kind)
{
    static const cpm_family families[] = {
        [CPM_OWN] = CPM_OF_PROCESSES,     [CPM_LINKS] = CPM_OF_PROCESSES,
        [CPM_WAYS] = CPM_OF_PROCESSES,    [CPM_LINK] = CPM_OF_PAIRS,
        [CPM_ASYMMETRY] = CPM_OF_PAIRS,   [CPM_EXPERIMENT] = CPM_OF_EXPERIMENTS,
        [CPM_CROWDED] = CPM_OF_PROCESSES, [CPM_UNLIKE] = CPM_OF_MEMBERS,
        [CPM_TRUNK] = CPM_OF_TRUNKS,      [CPM_TRUNK_WAYS] = CPM_OF_TRUNKS,
        [CPM_INNER] = CPM_OF_PAIRS,
    };
    return families[kind];
}

static int add_comparison(cpm_examiner *x, cpm_comparison c, double freedom)
{
    int count = x->d->comparisons;
    if (!cpm_vector_extend(&x->d->compared, count, sizeof c) ||
        !cpm_vector_extend(&x->freedom, count, sizeof freedom))
        return cpm_no_memory(x->e);
    x->freedom[x->d->comparisons] = freedom;
    x->d->compared[x->d->comparisons++] = c;
    return CPM_OK;
}

static int add_scored(cpm_examiner *x, const cpm_score *scores, int count,
                      const cpm_symptom *symptoms)
{
    if (!cpm_vector_reserve(&x->at, &x->capacity, x->count + count, sizeof *x->at))
        return cpm_no_memory(x->e);
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
                        .error = basis->error,
                        .inside = x->inside,
                        .others = basis->others,
                        .excess = basis->excess,
                        .hidden = symptoms[0].kind <= CPM_ASYMMETRY ? x->hidden : 0};
    if (!basis->seen && !(x->least > 0) && (c.kind == CPM_OWN || c.kind == CPM_LINK)) {
        x->d->alike = true;
        c.hidden = INFINITY;
    }
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
    int status = scores ? cpm_scores(logs, se, count, lost,
                                     cpm_examine_most_faults(x, symptoms[0].kind, count),
                                     fmax(cpm_least_spread, x->least), scores, &basis, x->e)
                        : cpm_no_memory(x->e);
    if (!status && symptoms[0].kind == CPM_OWN)
        status = cpm_examine_kinds(x, logs, se, count, symptoms, scores, &basis, &kinds);
    if (!status)
        status = add_scores(x, scores, &basis, count, kinds, symptoms, typical);
    free(scores);
    return status;
}

int cpm_examine_most_faults(const cpm_examiner *x, cpm_symptom_kind kind, int tests)
{
    cpm_family family = cpm_examine_family(kind);
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

int cpm_examine_keep(cpm_examiner *x, const cpm_symptom *s)
{
    if (!cpm_vector_extend(&x->d->at, x->d->count, sizeof *x->d->at))
        return cpm_no_memory(x->e);
    x->d->at[x->d->count++] = *s;
    return CPM_OK;
}
