/* The doctor's look at kinds of hosts: where more values are unlike the rest than could be faults,
 * each is compared with its kind. */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "estimators/examiner.h"
#include "estimators/kinds.h"

static void put_value(const cpm_examiner *x, int parameter, double value, int digits, char *text,
                      size_t size)
{
    const char *unit = x->m->type->parameters[parameter].unit;
    if (strcmp(unit, "s") == 0)
        snprintf(text, size, "%.*g us", digits, value * 1e6);
    else if (strcmp(unit, "s/B") == 0)
        snprintf(text, size, "%.*g ns/B", digits, value * 1e9);
    else
        snprintf(text, size, "%.*g %s", digits, value, unit);
}

/* "8 of about 8.9 us", of symptoms of kind k; work[count]. */
static void put_kind(const cpm_examiner *x, const cpm_kinds *kinds, int k,
                     const cpm_symptom *symptoms, int count, double *work, char *text, size_t size)
{
    int used = 0;
    char value[48];
    for (int i = 0; i < count; i++)
        if (kinds->of[i] == k && kinds->member[i])
            work[used++] = symptoms[i].value;
    put_value(x, symptoms[0].parameter, cpm_median(work, used), 2, value, sizeof value);
    snprintf(text, size, "%s%d of about %s", k ? ", " : "", kinds->size[k], value);
}

/* ", process 5 of none (13.2 us)" */
static void put_none(const cpm_examiner *x, const cpm_symptom *s, char *text, size_t size)
{
    char value[48];
    put_value(x, s->parameter, s->value, 3, value, sizeof value);
    if (cpm_diagnosis_of_hosts(x->d))
        snprintf(text, size, ", host %.60s of none (%s)", x->m->hosts[s->i], value);
    else
        snprintf(text, size, ", process %d of none (%s)", s->i, value);
}

static int note_kinds(cpm_examiner *x, const cpm_kinds *kinds, const cpm_symptom *symptoms,
                      int count, double *work)
{
    char name[80], list[1024] = "";
    size_t used = 0, size = sizeof list;
    cpm_examine_put_name(x, symptoms[0].parameter, symptoms[0].slice, name, sizeof name);
    for (int k = 0; k < kinds->count; k++, used = strlen(list))
        put_kind(x, kinds, k, symptoms, count, work, list + used, size - used);
    for (int i = 0; i < count; i++, used = strlen(list)) {
        if (kinds->member[i])
            continue;
        x->d->apart++;
        put_none(x, &symptoms[i], list + used, size - used);
    }
    return cpm_note(&x->d->notes, x->e, "%s are of %d kinds in %s: %s",
                    cpm_diagnosis_of_hosts(x->d) ? "hosts" : "processes", kinds->count, name, list);
}

/* Where kinds stand apart: scores against the kind's others. A kind's median has an error of its
 * own, and takes a degree of freedom. work[count]. */
static int score_in_kinds(cpm_examiner *x, const cpm_kinds *kinds, const double *logs,
                          const double *se, int count, double *work, cpm_score *scores,
                          cpm_score_basis *basis)
{
    for (int i = 0; i < count; i++)
        work[i] = logs[i] - kinds->others[i];
    int status = cpm_scores(work, se, count, 0, cpm_least_spread, scores, basis, x->e);
    if (status)
        return status;
    basis->freedom -= (kinds->count - 1) / 2.0;
    for (int i = 0; i < count; i++) {
        scores[i].score /= cpm_examine_few_others(kinds->size[kinds->of[i]] - 1);
        scores[i].p = fmin(1, 2 * gsl_cdf_tdist_Q(fabs(scores[i].score), basis->freedom));
    }
    return CPM_OK;
}

int cpm_examine_kinds(cpm_examiner *x, const double *logs, const double *se, int count,
                      const cpm_symptom *symptoms, cpm_score *scores, cpm_score_basis *basis,
                      int *of)
{
    cpm_kinds kinds;
    double *work = malloc((size_t)count * sizeof *work);
    int status =
        work ? cpm_kinds_find(logs, count, cpm_examine_most_faults(x, symptoms[0].kind, count),
                              &kinds, x->e)
             : cpm_fail(x->e, CPM_ENOMEM, "no memory to compare %d values", count);
    if (!status) {
        *of = kinds.count;
        if (kinds.count > 1)
            status = note_kinds(x, &kinds, symptoms, count, work);
        if (!status && kinds.count > 1)
            status = score_in_kinds(x, &kinds, logs, se, count, work, scores, basis);
        cpm_kinds_clear(&kinds);
    }
    free(work);
    return status;
}
