/* What the doctor and the difference of two models say together. */
#include "diagnose/health.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measurements/resume.h"
#include "models/subset.h"

/* ---- who is compared with whom */

/* The k-th process of the reference on that host, or -1; *count: how many there are. */
static int find_process(const cpm_model *reference, const char *host, int k, int *count)
{
    int found = -1;
    *count = 0;
    for (int j = 0; j < reference->n; j++)
        if (strcmp(reference->hosts[j], host) == 0 && (*count)++ == k)
            found = j;
    return found;
}

static int match(const cpm_model *reference, const char *const *host, int i, int *process,
                 cpm_error *e)
{
    int k = 0, count;
    for (int before = 0; before < i; before++)
        k += strcmp(host[before], host[i]) == 0;
    process[i] = find_process(reference, host[i], k, &count);
    if (process[i] < 0 && count > 0 && reference->inside.count > 0)
        process[i] = find_process(reference, host[i], k % count, &count);
    if (process[i] >= 0)
        return CPM_OK;
    if (count == 0)
        return cpm_fail(e, CPM_EDATA,
                        "is a model of other hosts: process %d is on '%s', which is not among them",
                        i, host[i]);
    return cpm_fail(e, CPM_EDATA, "has %d process%s on host '%s', and there are more now", count,
                    count == 1 ? "" : "es", host[i]);
}

/* The first of each host of the reference that nobody is on. */
static void find_absent(const cpm_model *reference, const char *const *host, int n, bool *absent)
{
    for (int j = 0; j < reference->n; j++) {
        absent[j] = true;
        for (int k = 0; k < j && absent[j]; k++)
            absent[j] = strcmp(reference->hosts[k], reference->hosts[j]) != 0;
        for (int i = 0; i < n && absent[j]; i++)
            absent[j] = strcmp(host[i], reference->hosts[j]) != 0;
    }
}

int cpm_health_match(const cpm_model *reference, const char *const *host, int n, int *process,
                     bool *absent, cpm_error *e)
{
    int status = CPM_OK;
    for (int i = 0; i < n && !status; i++)
        status = match(reference, host, i, process, e);
    if (!status)
        find_absent(reference, host, n, absent);
    return status;
}

/* ---- the reference, as it is compared */

static void forget_thresholds(cpm_model *m, const cpm_model *today)
{
    const char *design = cpm_metadata_get(&today->metadata, "design");
    if (!design || !strstr(design, CPM_DESIGN_WITHOUT))
        return;
    for (int p = 0; p < m->type->count; p++) {
        const cpm_parameter *of = &m->type->parameters[p];
        if (of->shape == CPM_SCALAR && of->optional && !of->sized && isnan(today->value[p][0]))
            m->value[p][0] = m->ci[p][0] = NAN;
    }
}

/* The words of a fact that has one for each process, in another order. */
static int put_words(const char *const *word, const int *process, int n, const char *key,
                     cpm_metadata *to, cpm_error *e)
{
    char *line = NULL;
    size_t size;
    FILE *out = open_memstream(&line, &size);
    if (!out)
        return cpm_no_memory(e);
    for (int i = 0; i < n; i++) {
        const char *w = word[process[i]];
        fprintf(out, "%s%.*s", i ? " " : "", (int)strcspn(w, " "), w);
    }
    int status = fclose(out) == 0 ? cpm_metadata_set(to, e, key, "%s", line) : cpm_no_memory(e);
    free(line);
    return status;
}

static int reorder(const cpm_model *from, const char *key, const int *process, cpm_model *to,
                   cpm_error *e)
{
    const char *at = cpm_metadata_get(&from->metadata, key);
    if (!at)
        return CPM_OK;
    const char **word = malloc((size_t)from->n * sizeof *word);
    if (!word)
        return cpm_no_memory(e);
    int count = 0, status = CPM_OK;
    for (at += strspn(at, " "); *at && count < from->n; at += strspn(at, " ")) {
        word[count++] = at;
        at += strcspn(at, " ");
    }
    if (count == from->n && !*at)
        status = put_words(word, process, to->n, key, &to->metadata, e);
    free(word);
    return status;
}

int cpm_health_align(const cpm_model *reference, const int *process, const cpm_model *today,
                     cpm_model **out, cpm_error *e)
{
    cpm_model *m = NULL;
    int status =
        cpm_model_select(reference, process, today->n, !cpm_model_has_classes(reference), &m, e);
    if (!status)
        status = reorder(reference, CPM_METADATA_OVERHEADS, process, m, e);
    if (!status)
        status = reorder(reference, "binding", process, m, e);
    if (!status)
        forget_thresholds(m, today);
    return cpm_model_hand_over(status, m, out);
}

/* ---- the verdict */

bool cpm_health_is_time(const cpm_model_type *type, int parameter)
{
    const char *unit = type->parameters[parameter].unit;
    return strcmp(unit, "s") == 0 || strcmp(unit, "s/B") == 0;
}

/* In which of its values a fault shows may be others each time. */
static bool has_symptom(const cpm_diagnosis *d, const cpm_symptom *s)
{
    for (const cpm_symptom *k = d->at; k < d->at + d->count; k++)
        if (cpm_symptoms_share_subject(k, s))
            return true;
    return false;
}

static void find_fresh(const cpm_diagnosis *today, const cpm_diagnosis *reference, cpm_health *h)
{
    for (int q = 0; q < today->count; q++)
        if (has_symptom(reference, &today->at[q]))
            h->known++;
        else
            h->fresh[h->fresh_count++] = q;
}

static bool is_slower(const cpm_model_type *type, const cpm_change *c)
{
    return cpm_health_is_time(type, c->parameter) && c->to > c->from;
}

/* Whether most values of a slice that moved together are slower one by one, too. */
static bool is_wide(const cpm_model_type *type, const cpm_diff_result *diff, const cpm_change *c)
{
    int singles = 0;
    for (const cpm_change *k = diff->at; k < diff->at + diff->count; k++)
        singles += !k->together && k->parameter == c->parameter && k->slice == c->slice &&
                   is_slower(type, k);
    return 2 * singles > c->together;
}

/* Whose fault it is, is said best by what is of one process; unless it is that of all. */
static int rank_of(const cpm_model_type *type, const cpm_diff_result *diff, const cpm_change *c)
{
    cpm_shape shape = type->parameters[c->parameter].shape;
    if (c->together)
        return is_wide(type, diff, c) ? 0 : 2;
    return shape == CPM_PAIR || shape == CPM_SCALAR ? 3 : 1;
}

/* Changes come by their significance. */
static void count_changes(const cpm_model_type *type, const cpm_diff_result *diff, cpm_health *h)
{
    int best = INT_MAX;
    for (const cpm_change *c = diff->at; c < diff->at + diff->count; c++) {
        bool time = cpm_health_is_time(type, c->parameter);
        h->faster += time && c->to < c->from;
        h->other += !time || isnan(c->from) || isnan(c->to);
        if (!is_slower(type, c))
            continue;
        h->slower++;
        int rank = rank_of(type, diff, c);
        if (rank < best) {
            best = rank;
            h->worst = c;
        }
    }
}

static void count_trips(const cpm_diff_result *diff, cpm_health *h)
{
    for (const cpm_diff_trip *t = diff->trips; t < diff->trips + diff->trip_count; t++) {
        if (!t->changed || t->to <= t->from)
            continue;
        h->trips_slower++;
        if (!h->longer || t->to / t->from > h->longer->to / h->longer->from)
            h->longer = t;
    }
}

/* Values without any interval that differ may be errors: the difference says that it cannot tell.
 */
static bool is_vague(const cpm_diff_result *diff)
{
    return diff->verdict == CPM_DIFF_CANNOT_TELL;
}

int cpm_health_judge(const cpm_model_type *type, const cpm_diagnosis *today,
                     const cpm_diagnosis *reference, const cpm_diff_result *diff, int absent,
                     cpm_health *out, cpm_error *e)
{
    cpm_health h = {.absent = absent,
                    .fresh = malloc(((size_t)today->count + 1) * sizeof *h.fresh)};
    if (!h.fresh)
        return cpm_no_memory(e);
    find_fresh(today, reference, &h);
    if (!is_vague(diff)) {
        count_changes(type, diff, &h);
        count_trips(diff, &h);
    }
    bool found = h.absent || h.fresh_count || h.slower || h.trips_slower;
    bool told = diff->verdict == CPM_DIFF_SAME || cpm_diagnosis_could_tell(today);
    h.verdict = found ? CPM_UNHEALTHY : told ? CPM_HEALTHY : CPM_HEALTH_UNKNOWN;
    *out = h;
    return CPM_OK;
}

void cpm_health_clear(cpm_health *h)
{
    free(h->fresh);
    *h = (cpm_health){0};
}
