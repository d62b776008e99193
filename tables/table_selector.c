/* A decision table decides. */
#include <math.h>
#include <stdlib.h>

#include "tables/table_selector.h"

typedef struct {
    cpm_selector base;
    const cpm_table *table;
} tabled;

static int set_expected(const cpm_rules *rules, const cpm_request *r, cpm_choice *out, cpm_error *e)
{
    double seconds = cpm_rules_seconds(rules, r->bytes);
    if (isnan(seconds))
        return CPM_OK;
    out->expected = malloc((size_t)r->n * sizeof *out->expected);
    if (!out->expected)
        return cpm_no_memory(e);
    for (int i = 0; i < r->n; i++)
        out->expected[i] = seconds;
    return CPM_OK;
}

static int choose(cpm_selector *s, const cpm_request *r, cpm_choice *out, cpm_error *e)
{
    const cpm_rules *rules = cpm_table_find(((const tabled *)s)->table, r->operation, r->n);
    cpm_choice answer = {.most = SIZE_MAX, .any_root = true};
    int k = rules ? cpm_rules_find(rules, r->bytes) : -1;
    bool runs = false;
    int status = k >= 0 ? cpm_request_name(r, &rules->at[k].what, &answer, &runs, e) : CPM_OK;
    if (rules && k + 1 < rules->count)
        answer.most = rules->at[k + 1].from - 1;
    if (k >= 0)
        answer.least = rules->at[k].from;
    if (!status && runs)
        status = set_expected(rules, r, &answer, e);
    if (!status)
        *out = answer;
    return status;
}

static void finish(cpm_selector *s)
{
    free(s);
}

static const cpm_collective *first_on_topology(const cpm_table *t)
{
    for (int i = 0; i < t->count; i++)
        for (int k = 0; k < t->at[i].count; k++)
            if (cpm_needs_topology(&t->at[i].at[k].what))
                return &t->at[i].at[k].what;
    return NULL;
}

int cpm_selector_of_table(const cpm_table *t, cpm_selector **out, cpm_error *e)
{
    tabled *s = malloc(sizeof *s);
    if (!s)
        return cpm_no_memory(e);
    *s = (tabled){{choose, finish, first_on_topology(t)}, t};
    *out = &s->base;
    return CPM_OK;
}
