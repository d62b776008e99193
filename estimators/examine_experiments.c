/* The doctor's look at what lies behind a model: experiments that do not fit, crowded hosts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "estimators/examiner.h"
#include "estimators/outliers.h"
#include "models/experiments.h"

/* ---- experiments */

typedef struct {
    cpm_examiner *x;
    const cpm_measurements *results;
    double *ratio, *se; /* [results->count] logarithm of time / prediction; NaN: not compared */
    double *value, *error, *work;
    cpm_symptom *symptoms;
} residuals;

static bool is_fitted(const cpm_measurement *r)
{
    return (r->what.kind == &cpm_experiment_kinds[CPM_ROUNDTRIP] ||
            r->what.kind == &cpm_experiment_kinds[CPM_TRAIN]) &&
           r->summary.min > 0;
}

static bool is_alike(const cpm_experiment *a, const cpm_experiment *b)
{
    return a->kind == b->kind && a->count == b->count && a->send_bytes == b->send_bytes &&
           a->reply_bytes == b->reply_bytes;
}

static int set_ratio(residuals *s, int q)
{
    const cpm_measurement *r = &s->results->at[q];
    double time = cpm_measurement_value(r, s->results->statistic), expected;
    s->ratio[q] = NAN;
    if (!is_fitted(r))
        return CPM_OK;
    int status = cpm_model_experiments(s->x->m, &r->what, 1, &expected, s->x->e);
    if (status || !(expected > 0))
        return status;
    s->ratio[q] = log(time / expected);
    s->se[q] = cpm_standard_error((r->summary.ci_high - r->summary.ci_low) / 2 / time,
                                  s->x->o->confidence);
    return CPM_OK;
}

static bool is_first(const residuals *s, int q)
{
    for (int r = 0; r < q; r++)
        if (!isnan(s->ratio[r]) && is_alike(&s->results->at[r].what, &s->results->at[q].what))
            return false;
    return true;
}

static int note_misfit(residuals *s, const cpm_experiment *what, int count, double times)
{
    if (fmax(times, 1 / times) < 1 + s->x->o->least_effect)
        return CPM_OK;
    return cpm_note(&s->x->d->notes, s->x->e,
                    "%d %s experiments of %zu B take %.3g times what the model says: it "
                    "does not fit this cluster",
                    count, what->kind->name, what->send_bytes, times);
}

/* All experiments like q. */
static int compare_like(residuals *s, int q)
{
    const cpm_experiment *what = &s->results->at[q].what;
    int count = 0;
    for (int r = q; r < s->results->count; r++)
        if (!isnan(s->ratio[r]) && is_alike(what, &s->results->at[r].what)) {
            s->symptoms[count] = (cpm_symptom){
                .kind = CPM_EXPERIMENT,
                .parameter = -1,
                .i = r,
                .j = -1,
                .value = cpm_measurement_value(&s->results->at[r], s->results->statistic)};
            s->work[count] = s->value[count] = s->ratio[r];
            s->error[count++] = s->se[r];
        }
    double times = exp(cpm_median(s->work, count));
    int status = note_misfit(s, what, count, times);
    return status ? status : cpm_examine(s->x, s->value, s->error, count, 0, s->symptoms, times);
}

static int compare_all(residuals *s)
{
    int status = CPM_OK;
    for (int q = 0; !status && q < s->results->count; q++)
        status = set_ratio(s, q);
    for (int q = 0; !status && q < s->results->count; q++)
        if (!isnan(s->ratio[q]) && is_first(s, q))
            status = compare_like(s, q);
    return status;
}

int cpm_examine_experiments(cpm_examiner *x, const cpm_measurements *results)
{
    size_t count = (size_t)results->count + 1;
    residuals s = {.x = x, .results = results};
    double *tables = malloc(5 * count * sizeof *tables);
    s.symptoms = malloc(count * sizeof *s.symptoms);
    int status = CPM_OK;
    if (tables && s.symptoms) {
        s.ratio = tables, s.se = tables + count, s.value = tables + 2 * count;
        s.error = tables + 3 * count, s.work = tables + 4 * count;
        status = compare_all(&s);
    } else {
        status = cpm_fail(x->e, CPM_ENOMEM, "no memory to compare experiments");
    }
    free(tables);
    free(s.symptoms);
    return status;
}

/* ---- hosts */

enum { MOST_PROCESSORS = 1 << 16 };

/* The q-th of the words that are separated by blanks; its length, 0 if there is none. */
static int word_of(const char *words, int q, const char **word)
{
    for (; q > 0; q--) {
        words += strcspn(words, " ");
        words += strspn(words, " ");
    }
    *word = words;
    return (int)strcspn(words, " ");
}

/* Marks the processors of a list "0-3,8"; false if it is none, or was cut. */
static bool mark_processors(const char *list, int length, bool *processors)
{
    const char *end = list + length;
    while (list < end) {
        char *behind;
        long first = strtol(list, &behind, 10), last = first;
        if (behind == list)
            return false;
        if (*behind == '-')
            last = strtol(behind + 1, &behind, 10);
        if (first < 0 || last < first || last >= MOST_PROCESSORS)
            return false;
        for (long c = first; c <= last; c++)
            processors[c] = true;
        if (behind < end && *behind != ',')
            return false;
        list = behind + 1;
    }
    return length > 0;
}

/* Processes on the host of rank, and the processors they may use together: 0 if that is unknown. */
static int count_processors(const cpm_model *m, const char *bindings, int rank, bool *marks,
                            int *processes)
{
    int processors = 0;
    bool known = true;
    memset(marks, 0, MOST_PROCESSORS * sizeof *marks);
    *processes = 0;
    for (int i = 0; i < m->n; i++) {
        const char *word;
        if (strcmp(m->hosts[i], m->hosts[rank]) != 0)
            continue;
        ++*processes;
        int length = word_of(bindings, i, &word);
        known = known && mark_processors(word, length, marks);
    }
    for (int c = 0; c < MOST_PROCESSORS; c++)
        processors += marks[c];
    return known ? processors : 0;
}

static bool is_first_on_host(const cpm_model *m, int rank)
{
    for (int i = 0; i < rank; i++)
        if (strcmp(m->hosts[i], m->hosts[rank]) == 0)
            return false;
    return m->hosts[rank][0] != '\0';
}

static int examine_host(cpm_examiner *x, const char *bindings, int rank, bool *marks)
{
    int processes, processors = count_processors(x->m, bindings, rank, marks, &processes);
    if (processors == 0 || processes <= processors)
        return CPM_OK;
    cpm_symptom s = {.kind = CPM_CROWDED,
                     .parameter = -1,
                     .i = rank,
                     .j = processes,
                     .value = processors,
                     .times = (double)processes / processors};
    return cpm_examine_keep(x, &s);
}

int cpm_examine_hosts(cpm_examiner *x)
{
    const char *bindings = cpm_facts_get(&x->m->facts, "binding");
    if (!bindings)
        return CPM_OK;
    bool *marks = malloc(MOST_PROCESSORS * sizeof *marks);
    int status =
        marks ? CPM_OK : cpm_fail(x->e, CPM_ENOMEM, "no memory for the processors of a host");
    for (int i = 0; !status && i < x->m->n; i++)
        if (is_first_on_host(x->m, i))
            status = examine_host(x, bindings, i, marks);
    free(marks);
    return status;
}
