/* Decision tables for applications: made by a model, read, asked. */
#include "tables/decision_table.h"

#include <math.h>
#include <stdlib.h>

#include "cpm/cpm.h"
#include "models/model_topology.h"
#include "tables/table_selector.h"
#include "tables/tabulate.h"

int cpm_table_create(cpm_table **out, cpm_error *e)
{
    cpm_table *t = calloc(1, sizeof *t);
    if (!t)
        return cpm_no_memory(e);
    *out = t;
    return CPM_OK;
}

/* ---- what it holds ---- */

static void describe(const cpm_rules *of, const cpm_rule *rule, cpm_rule_info *out)
{
    const cpm_rule_figures *f = &rule->figures;
    *out = (cpm_rule_info){.operation = of->operation->name,
                           .processes = of->n,
                           .from = rule->from,
                           .seconds = rule->seconds,
                           .native = f->native > 0 ? f->native : NAN,
                           .lead = f->measured ? f->lead : NAN,
                           .least_gain = f->least_gain != 0 ? f->least_gain : NAN,
                           .measured = f->measured};
    cpm_collective_print_algorithm(&rule->what, out->algorithm, sizeof out->algorithm);
}

bool cpm_table_rule(const cpm_table *t, int index, cpm_rule_info *out)
{
    for (int i = 0; i < t->count && index >= 0; i++) {
        if (index < t->at[i].count) {
            describe(&t->at[i], &t->at[i].at[index], out);
            return true;
        }
        index -= t->at[i].count;
    }
    return false;
}

bool cpm_table_fact(const cpm_table *t, int index, const char **key, const char **value)
{
    return cpm_metadata_at(&t->metadata, index, key, value);
}

int cpm_table_set_fact(cpm_table *t, const char *key, const char *value, cpm_error *e)
{
    return cpm_metadata_set(&t->metadata, e, key, "%s", value);
}

/* ---- making one ---- */

static int check(const cpm_table *t, const cpm_model *m, const cpm_operation *o, int root,
                 const cpm_sizes *sizes, cpm_error *e)
{
    if (root < 0 || root >= m->n)
        return cpm_fail(e, CPM_EINVAL, "root %d is not in 0..%d", root, m->n - 1);
    if (sizes->count < 1)
        return cpm_fail(e, CPM_EINVAL, "a table needs sizes");
    for (int k = 1; k < sizes->count; k++)
        if (sizes->at[k] <= sizes->at[k - 1])
            return cpm_fail(e, CPM_EINVAL, "sizes must ascend, and %zu follows %zu", sizes->at[k],
                            sizes->at[k - 1]);
    for (int i = 0; i < t->count; i++)
        if (t->at[i].operation == o && t->at[i].n == m->n)
            return cpm_fail(e, CPM_EINVAL, "the table has rules of %s on %d processes already",
                            o->name, m->n);
    return CPM_OK;
}

int cpm_table_tune(cpm_table *t, const cpm_model *m, const char *operation, int root,
                   const size_t *sizes, int count, cpm_error *e)
{
    const cpm_operation *o = NULL;
    const cpm_sizes all = {.at = (size_t *)sizes, .count = count};
    cpm_selector_options options = CPM_SELECTOR_OWN;
    cpm_topology *topology = NULL;
    cpm_table rules = {0}; /* nothing is added if anything fails */
    int status = cpm_operation_find(operation, &o, e);
    if (!status)
        status = check(t, m, o, root, &all, e);
    if (!status)
        status = cpm_model_topology(m, &topology, e);
    options.topology = topology;
    if (!status)
        status = cpm_tabulate(&rules, m, &options, o, root, &all, e);
    if (!status)
        status = cpm_table_join(t, &rules, e);
    cpm_table_clear(&rules);
    cpm_topology_free(topology);
    return status;
}

/* ---- asking it ---- */

static int ask(const cpm_table *t, const cpm_request *r, cpm_selection *out, cpm_error *e)
{
    cpm_selector *s = NULL;
    cpm_choice chosen = {0};
    int status = cpm_selector_of_table(t, &s, e);
    if (status)
        return status;
    status = s->choose(s, r, &chosen, e);
    s->free(s);
    if (!status) {
        const cpm_collective what = cpm_request_collective(r, &chosen.what);
        cpm_collective_print(&what, out->collective, sizeof out->collective);
        out->seconds = chosen.expected ? chosen.expected[0] : NAN;
    }
    cpm_choice_clear(&chosen);
    return status;
}

int cpm_table_select(const cpm_table *t, const char *operation, int processes, size_t bytes,
                     cpm_selection *out, cpm_error *e)
{
    cpm_request r = {.n = processes, .bytes = bytes};
    if (processes < 1)
        return cpm_fail(e, CPM_EINVAL, "%d processes call nothing", processes);
    int status = cpm_operation_find(operation, &r.operation, e);
    return status ? status : ask(t, &r, out, e);
}
