/* The doctor's look at what lies behind a model: experiments that do not fit, oversubscribed hosts.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/statistics.h"
#include "diagnose/examiner.h"
#include "estimators/asked.h"
#include "estimators/outliers.h"
#include "models/experiments.h"

/* ---- experiments */

typedef struct {
    cpm_examiner *x;
    const cpm_measurements *results;
    double *ratio, *se; /* [results->count] logarithm of time / prediction; NaN: not compared */
    double *value, *error, *work;
    cpm_symptom *symptoms;
    int *apart; /* [n*n] the largest count of round trips with bytes: how far from company */
} residuals;

static int *apart_of(const residuals *s, const cpm_measurement *r)
{
    return &s->apart[(size_t)r->what.i * (size_t)s->results->n + (size_t)r->what.j];
}

/* If messages of a pair were measured again, apart from others, what was not says no more. */
static bool is_roundtrip(const residuals *s, const cpm_measurement *r)
{
    return r->what.kind == &cpm_experiment_kinds[CPM_ROUNDTRIP] &&
           (r->what.send_bytes == 0 || r->what.count == *apart_of(s, r));
}

static void find_apart(residuals *s)
{
    for (int q = 0; q < s->results->count; q++) {
        const cpm_measurement *r = &s->results->at[q];
        if (r->what.kind == &cpm_experiment_kinds[CPM_ROUNDTRIP] && r->what.send_bytes > 0 &&
            r->what.count > *apart_of(s, r))
            *apart_of(s, r) = r->what.count;
    }
}

/* Where messages share link ends, these are chosen among few explanations of all trains of a
 * process: a single one may depart from that. */
static bool is_fitted(const residuals *s, const cpm_measurement *r)
{
    bool train = r->what.kind == &cpm_experiment_kinds[CPM_TRAIN] && !s->x->whole->type->flow;
    return (train || is_roundtrip(s, r)) && r->summary.min > 0;
}

static bool is_alike(const cpm_experiment *a, const cpm_experiment *b)
{
    return a->kind == b->kind && a->count == b->count && a->send_bytes == b->send_bytes &&
           a->reply_bytes == b->reply_bytes;
}

static bool ran_at_once(const residuals *s, int a, int b)
{
    return s->results->at[a].what.kind && s->results->at[a].round == s->results->at[b].round;
}

/* The seconds of experiment q beside the others of its round, if these are more. */
static int expect_beside_others(const residuals *s, int q, double *expected)
{
    int first = q, end = q + 1, status = CPM_OK;
    while (first > 0 && ran_at_once(s, first - 1, q))
        first--;
    while (end < s->results->count && ran_at_once(s, end, q))
        end++;
    size_t count = (size_t)(end - first);
    cpm_experiment *what = malloc(count * sizeof *what);
    double *seconds = malloc(count * sizeof *seconds);
    if (!what || !seconds) {
        status = cpm_no_memory(s->x->e);
    } else {
        for (int k = first; k < end; k++)
            what[k - first] = s->results->at[k].what;
        status = cpm_model_experiments(s->x->whole, what, (int)count, seconds, s->x->e);
    }
    if (!status)
        *expected = fmax(*expected, seconds[q - first]);
    free(what);
    free(seconds);
    return status == CPM_EINVAL ? CPM_OK : status; /* not disjoint: rounds say nothing */
}

/* A message that had company is as right as one that had none: they start when they can. */
static int expect_of(const residuals *s, int q, double time, double *expected)
{
    const cpm_model *m = s->x->whole;
    int status = cpm_model_experiments(m, &s->results->at[q].what, 1, expected, s->x->e);
    if (status || !cpm_model_flows(m) || time < (1 + s->x->o->least_effect) * *expected)
        return status;
    double beside = *expected;
    status = expect_beside_others(s, q, &beside);
    *expected = fmin(time, beside);
    return status;
}

static int set_ratio(residuals *s, int q)
{
    const cpm_measurement *r = &s->results->at[q];
    double time = cpm_measurement_value(r, s->results->statistic), expected;
    s->ratio[q] = NAN;
    if (!is_fitted(s, r))
        return CPM_OK;
    int status = expect_of(s, q, time, &expected);
    if (status || !(expected > 0))
        return status;
    s->ratio[q] = log(time / expected);
    s->se[q] = cpm_standard_error(cpm_measurement_half(r, s->results->statistic) / time,
                                  cpm_asked_confidence(&s->results->metadata));
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
    s.apart = calloc((size_t)results->n * (size_t)results->n, sizeof *s.apart);
    int status = CPM_OK;
    if (tables && s.symptoms && s.apart) {
        find_apart(&s);
        s.ratio = tables, s.se = tables + count, s.value = tables + 2 * count;
        s.error = tables + 3 * count, s.work = tables + 4 * count;
        status = compare_all(&s);
    } else {
        status = cpm_no_memory(x->e);
    }
    free(tables);
    free(s.symptoms);
    free(s.apart);
    return status;
}

/* ---- hosts */

enum { MOST_PROCESSORS = 1 << 16 };

/* Marks where ranges begin and end of the processors of a list "0-3,8"; false if it is none, or was
 * cut. */
static bool mark_processors(const char *list, int length, int *marks)
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
        marks[first]++;
        marks[last + 1]--;
        if (behind < end && *behind != ',')
            return false;
        list = behind + 1;
    }
    return length > 0;
}

/* Hosts, and who is on them. */
typedef struct {
    const cpm_model *m;
    const char **word; /* [n] the processors of each process, up to a blank; "": unknown */
    cpm_hash first;    /* their first processes by name */
    int *next;         /* [n] the next process on the same host, -1: there is none */
    int *last;         /* [n] of a first process: the last on its host so far; else -1 */
    int *marks;        /* [MOST_PROCESSORS + 1] ranges that begin less those that have ended */
} occupancy;

static void split_words(const char *words, int n, const char **word)
{
    for (int i = 0; i < n; i++) {
        word[i] = words;
        words += strcspn(words, " ");
        words += strspn(words, " ");
    }
}

/* Puts process i behind the others on its host. False: no memory. */
static bool seat(occupancy *c, int i)
{
    const char *host = c->m->hosts[i];
    uint64_t key = cpm_hash_text(host);
    cpm_slot *slot = cpm_hash_find(&c->first, key);
    while (slot && strcmp(c->m->hosts[slot->index], host) != 0)
        slot = cpm_hash_next(&c->first, slot);
    c->next[i] = c->last[i] = -1;
    if (slot) {
        c->next[c->last[slot->index]] = i;
        c->last[slot->index] = i;
        return true;
    }
    slot = cpm_hash_add(&c->first, key);
    if (slot)
        slot->index = c->last[i] = i;
    return slot != NULL;
}

/* Processes on the host of its first one, and the processors they may use together: 0 if that is
 * unknown. */
static int count_processors(const occupancy *c, int first, int *processes)
{
    int processors = 0, open = 0;
    bool known = true;
    memset(c->marks, 0, (MOST_PROCESSORS + 1) * sizeof *c->marks);
    *processes = 0;
    for (int i = first; i >= 0; i = c->next[i]) {
        ++*processes;
        known = known && mark_processors(c->word[i], (int)strcspn(c->word[i], " "), c->marks);
    }
    for (int k = 0; k < MOST_PROCESSORS; k++)
        processors += (open += c->marks[k]) > 0;
    return known ? processors : 0;
}

static int examine_host(cpm_examiner *x, const occupancy *c, int rank)
{
    int processes, processors = count_processors(c, rank, &processes);
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

static int examine_occupancy(cpm_examiner *x, occupancy *c, const char *bindings)
{
    bool room = true;
    int status = CPM_OK;
    split_words(bindings, c->m->n, c->word);
    for (int i = 0; i < c->m->n && room; i++)
        room = seat(c, i);
    if (!room)
        return cpm_no_memory(x->e);
    for (int i = 0; i < c->m->n && !status; i++)
        if (c->last[i] >= 0 && *c->m->hosts[i])
            status = examine_host(x, c, i);
    return status;
}

int cpm_examine_hosts(cpm_examiner *x)
{
    const char *bindings = cpm_metadata_get(&x->whole->metadata, "binding");
    size_t n = (size_t)x->whole->n;
    if (!bindings)
        return CPM_OK;
    occupancy c = {.m = x->whole,
                   .word = malloc(n * sizeof *c.word),
                   .next = malloc(n * sizeof *c.next),
                   .last = malloc(n * sizeof *c.last),
                   .marks = malloc((MOST_PROCESSORS + 1) * sizeof *c.marks)};
    int status = c.word && c.next && c.last && c.marks ? examine_occupancy(x, &c, bindings)
                                                       : cpm_no_memory(x->e);
    cpm_hash_free(&c.first);
    free(c.word);
    free(c.next);
    free(c.last);
    free(c.marks);
    return status;
}
