/* Decision tables in memory: rules in order, and finding them. */
#include "tables/decision_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "measurements/batch_calls.h"

void cpm_table_clear(cpm_table *t)
{
    for (int i = 0; i < t->count; i++)
        free(t->at[i].at);
    free(t->at);
    cpm_metadata_clear(&t->metadata);
    *t = (cpm_table){0};
}

void cpm_table_free(cpm_table *t)
{
    if (t)
        cpm_table_clear(t);
    free(t);
}

/* ---- adding */

static int check(const cpm_operation *o, int n, const cpm_rule *rule, cpm_error *e)
{
    if (n < 1)
        return cpm_fail(e, CPM_EINVAL, "%s: a table cannot have rules for %d processes", o->name,
                        n);
    const cpm_algorithm *a = rule->what.algorithm;
    if (a && !cpm_algorithm_serves(a, o))
        return cpm_fail(e, CPM_EINVAL, "%s:%s is no algorithm of %s", a->operation, a->name,
                        o->name);
    if (rule->seconds < 0)
        return cpm_fail(e, CPM_EINVAL, "%s: %g seconds are negative", o->name, rule->seconds);
    return CPM_OK;
}

/* The first rules that do not come before those of o and n. */
static int place_of(const cpm_table *t, const cpm_operation *o, long n)
{
    int low = 0, high = t->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        const cpm_rules *r = &t->at[middle];
        if (r->operation < o || (r->operation == o && r->n < n))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The rules of o and n, made if there are none; NULL: no memory. */
static cpm_rules *rules_of(cpm_table *t, const cpm_operation *o, int n)
{
    int i = place_of(t, o, n);
    if (i < t->count && t->at[i].operation == o && t->at[i].n == n)
        return &t->at[i];
    if (!cpm_vector_extend(&t->at, t->count, sizeof *t->at))
        return NULL;
    memmove(&t->at[i + 1], &t->at[i], (size_t)(t->count - i) * sizeof *t->at);
    t->at[i] = (cpm_rules){.operation = o, .n = n};
    t->count++;
    return &t->at[i];
}

int cpm_table_add(cpm_table *t, const cpm_operation *o, int n, const cpm_rule *rule, cpm_error *e)
{
    int status = check(o, n, rule, e);
    if (status)
        return status;
    cpm_rules *r = rules_of(t, o, n);
    if (r && r->count && rule->from <= r->at[r->count - 1].from)
        return cpm_fail(e, CPM_EINVAL, "%s, %d processes: sizes must ascend, and %zu follows %zu",
                        o->name, n, rule->from, r->at[r->count - 1].from);
    if (!r || !cpm_vector_extend(&r->at, r->count, sizeof *r->at))
        return cpm_no_memory(e);
    r->at[r->count] = *rule;
    r->at[r->count++].what.operation = o;
    return CPM_OK;
}

int cpm_table_join(cpm_table *t, const cpm_table *from, cpm_error *e)
{
    int status = CPM_OK;
    for (int i = 0; i < from->count; i++) {
        const cpm_rules *r = &from->at[i];
        for (int k = 0; k < r->count && !status; k++)
            status = cpm_table_add(t, r->operation, r->n, &r->at[k], e);
    }
    return status;
}

/* ---- finding */

static bool has_rules(const cpm_table *t, const cpm_operation *o)
{
    int i = place_of(t, o, 0);
    return i < t->count && t->at[i].operation == o;
}

const cpm_operation *cpm_table_operation(const cpm_table *t, const char *name)
{
    const cpm_operation *o = NULL;
    if (cpm_operation_find(name, &o, NULL) != CPM_OK)
        return NULL;
    if (has_rules(t, o))
        return o;
    return o->like ? cpm_table_operation(t, o->like) : NULL;
}

const cpm_rules *cpm_table_find(const cpm_table *t, const cpm_operation *o, int n)
{
    const cpm_operation *named = cpm_table_operation(t, o->name);
    int behind = named ? place_of(t, named, n + 1L) : 0;
    return behind && t->at[behind - 1].operation == named ? &t->at[behind - 1] : NULL;
}

const char *cpm_table_batch(const cpm_table *t)
{
    char isolated[CPM_BATCH_NAME];
    const char *timing = cpm_metadata_get(&t->metadata, "timing");
    cpm_batch_name(CPM_ISOLATED, isolated);
    return timing && strcmp(timing, isolated) != 0 ? timing : NULL;
}

double cpm_rules_doublings(const cpm_rules *r, int k)
{
    return k + 1 < r->count ? log2((double)r->at[k + 1].from + 1) - log2((double)r->at[k].from + 1)
                            : 0;
}

int cpm_rules_find(const cpm_rules *r, size_t bytes)
{
    int low = 0, high = r->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (r->at[middle].from <= bytes)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

/* Where two rules meet both algorithms take as long, so the line between the times of their sizes
 * is one of the first. */
double cpm_rules_seconds(const cpm_rules *r, size_t bytes)
{
    int k = cpm_rules_find(r, bytes);
    if (k < 0)
        return NAN;
    if (r->count == 1 || bytes == r->at[k].from)
        return r->at[k].seconds;
    const cpm_rule *low = &r->at[k + 1 < r->count ? k : k - 1], *high = low + 1;
    double part = ((double)bytes - (double)low->from) / (double)(high->from - low->from);
    return fmax(low->seconds + part * (high->seconds - low->seconds), 0);
}
