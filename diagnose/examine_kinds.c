/* The doctor's look at kinds of hosts: where more values are unlike the rest than could be faults,
 * each is compared with its kind. */
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "diagnose/examiner.h"
#include "diagnose/kinds.h"

static void put_value(const cpm_examiner *x, int parameter, double value, int digits, char *text,
                      size_t size)
{
    const char *unit = x->m->type->parameters[parameter].unit;
    double by = 1;
    if (strcmp(unit, "s") == 0) {
        by = 1e6;
        unit = "us";
    } else if (strcmp(unit, "s/B") == 0) {
        by = 1e9;
        unit = "ns/B";
    }
    if (value * by >= 100)
        snprintf(text, size, "%.0f %s", value * by, unit);
    else
        snprintf(text, size, "%.*g %s", digits, value * by, unit);
}

/* work[count]. */
static double median_of_kind(const cpm_kinds *kinds, int k, const cpm_symptom *symptoms, int count,
                             double *work)
{
    int used = 0;
    for (int i = 0; i < count; i++)
        if (kinds->of[i] == k && kinds->member[i])
            work[used++] = symptoms[i].value;
    return cpm_median(work, used);
}

/* "8 of about 8.9 us", of symptoms of kind k; work[count]. */
static void put_kind(const cpm_examiner *x, const cpm_kinds *kinds, int k,
                     const cpm_symptom *symptoms, int count, double *work, char *text, size_t size)
{
    char value[48];
    put_value(x, symptoms[0].parameter, median_of_kind(kinds, k, symptoms, count, work), 2, value,
              sizeof value);
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

/* Whether one that is of no kind may be slow: not if it is as fast as the fastest kind, nor if it
 * does not differ from the nearest but by chance, nor if it is in a class with others, which says
 * of which kind it is. */
static bool is_doubtful(const cpm_examiner *x, const cpm_symptom *s, double fastest, double p)
{
    bool slower = s->value > fastest * (1 + x->o->least_effect) && p <= x->o->alpha;
    return slower && (!x->classes->name || cpm_examine_is_alone(x->classes, s->i));
}

static int note_kinds(cpm_examiner *x, const cpm_kinds *kinds, const cpm_symptom *symptoms,
                      const cpm_score *scores, int count, double *work)
{
    char name[80], list[1024] = "";
    size_t used = 0, size = sizeof list;
    cpm_examine_put_name(x, symptoms[0].parameter, symptoms[0].slice, name, sizeof name);
    double fastest = median_of_kind(kinds, 0, symptoms, count, work);
    for (int k = 0; k < kinds->count; k++, used = strlen(list))
        put_kind(x, kinds, k, symptoms, count, work, list + used, size - used);
    for (int i = 0; i < count; i++, used = strlen(list)) {
        if (kinds->member[i])
            continue;
        x->d->apart += is_doubtful(x, &symptoms[i], fastest, scores[i].p);
        put_none(x, &symptoms[i], list + used, size - used);
    }
    return cpm_note(&x->d->notes, x->e, "%s are of %d kinds in %s: %s",
                    cpm_diagnosis_of_hosts(x->d) ? "hosts" : "processes", kinds->count, name, list);
}

/* Where kinds stand apart: scores against the kind's others; each further median takes a degree of
 * freedom. work[count]. */
static int score_in_kinds(cpm_examiner *x, const cpm_kinds *kinds, const double *logs,
                          const double *se, int count, double *work, cpm_score *scores,
                          cpm_score_basis *basis)
{
    for (int i = 0; i < count; i++)
        work[i] = logs[i] - kinds->others[i];
    return cpm_scores(work, se, count, kinds->count - 1, cpm_examine_most_faults(x, CPM_OWN, count),
                      cpm_least_spread, scores, basis, x->e);
}

/* ---- kinds of hosts by any parameter */

int cpm_examine_find_kinds(cpm_examiner *x, const double *logs, int count, const int *who)
{
    cpm_kinds kinds;
    int status =
        cpm_kinds_find(logs, count, cpm_examine_most_faults(x, CPM_OWN, count), &kinds, x->e);
    if (status || kinds.count == 1 || count < x->m->n || !(kinds.apart > x->apart)) {
        cpm_kinds_clear(&kinds);
        return status;
    }
    if (!x->kind)
        x->kind = malloc((size_t)x->m->n * sizeof *x->kind);
    for (int q = 0; x->kind && q < count; q++)
        x->kind[who[q]] = kinds.of[q];
    x->apart = kinds.apart;
    cpm_kinds_clear(&kinds);
    return x->kind ? CPM_OK : cpm_no_memory(x->e);
}

/* Those, where the values of this parameter do not stand apart, but are more alike within them;
 * work[count]. */
static int take_kinds(const cpm_examiner *x, const double *logs, int count,
                      const cpm_symptom *symptoms, cpm_kinds *kinds)
{
    const double more_alike = 0.7; /* kinds of nothing leave the spread as it is */
    cpm_kinds given;
    int *of = malloc((size_t)count * sizeof *of);
    if (!of)
        return cpm_no_memory(x->e);
    for (int q = 0; q < count; q++)
        of[q] = x->kind[symptoms[q].i];
    int status = cpm_kinds_given(logs, count, of, &given, x->e);
    free(of);
    if (status)
        return status;
    bool better =
        cpm_kinds_spread(logs, count, &given) < more_alike * gsl_stats_sd(logs, 1, (size_t)count);
    cpm_kinds_clear(better ? kinds : &given);
    if (better)
        *kinds = given;
    return CPM_OK;
}

int cpm_examine_kinds(cpm_examiner *x, const double *logs, const double *se, int count,
                      const cpm_symptom *symptoms, cpm_score *scores, cpm_score_basis *basis,
                      int *of)
{
    cpm_kinds kinds = {0};
    double *work = malloc((size_t)count * sizeof *work);
    int status =
        work ? cpm_kinds_find(logs, count, cpm_examine_most_faults(x, symptoms[0].kind, count),
                              &kinds, x->e)
             : cpm_no_memory(x->e);
    if (!status && kinds.count == 1 && x->kind && count == x->m->n)
        status = take_kinds(x, logs, count, symptoms, &kinds);
    if (!status)
        *of = kinds.count;
    if (!status && kinds.count > 1)
        status = score_in_kinds(x, &kinds, logs, se, count, work, scores, basis);
    if (!status && kinds.count > 1)
        status = note_kinds(x, &kinds, symptoms, scores, count, work);
    cpm_kinds_clear(&kinds);
    free(work);
    return status;
}
