/* A decision table as a C file: rules become plans, and these the tables of an executor that is
 * written with them. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/escape.h"
#include "libraries/export.h"
#include "libraries/routine.h"

typedef struct {
    const cpm_table *table;
    const cpm_routine_options *options;
    cpm_exported *counts;
    cpm_routines routines;
} export;

/* ---- rules */

static cpm_collective collective_of(const export *x, const cpm_operation *o, const cpm_rules *r,
                                    int k)
{
    cpm_collective c = r->at[k].what;
    c.operation = o;
    c.at = (cpm_placement){.n = r->n, .topology = x->options->topology, .hosts = x->options->hosts};
    return c;
}

static int add(export *x, const cpm_collective *c, size_t from, size_t before, cpm_error *e)
{
    int notes = x->routines.note_count;
    if (!c->algorithm)
        return cpm_routines_leave(&x->routines, c, from, e);
    int status = cpm_routines_add(&x->routines, c, from, before, e);
    x->counts->rules++;
    x->counts->left += x->routines.note_count > notes;
    return status;
}

/* All rules name the same: whatever the sizes are. */
static bool are_alike(const cpm_rules *r)
{
    for (int k = 1; k < r->count; k++)
        if (!cpm_collective_same(&r->at[k].what, &r->at[0].what))
            return false;
    return true;
}

/* Only the root knows the sizes, so they cannot decide. An operation that would follow the rules of
 * another loses none of its own. */
static int add_known_to_root(export *x, const cpm_operation *o, const cpm_rules *r, cpm_error *e)
{
    cpm_collective c = collective_of(x, o, r, 0);
    char why[120];
    if (are_alike(r))
        return add(x, &c, 0, (size_t)INT_MAX + 1, e);
    if (r->operation == o) {
        x->counts->rules += r->count;
        x->counts->left += r->count;
    }
    snprintf(why, sizeof why, "the rules of %s differ by size, which only the root knows here",
             r->operation->name);
    c.algorithm = NULL;
    c.with = (cpm_parameters){0};
    return cpm_routines_note(&x->routines, &c, 0, why, e);
}

/* Sizes that nobody knows, or that there are none of, are 0 to the table. */
static int add_sizeless(export *x, const cpm_operation *o, const cpm_rules *r, cpm_error *e)
{
    int k = cpm_rules_find(r, 0);
    if (k < 0 && r->operation != o)
        return CPM_OK;
    cpm_collective c = collective_of(x, o, r, k < 0 ? 0 : k);
    if (k < 0) {
        x->counts->rules += r->count;
        x->counts->left += r->count;
        c.algorithm = NULL;
        c.with = (cpm_parameters){0};
        return cpm_routines_note(&x->routines, &c, r->at[0].from,
                                 "the sizes are unknown, and there is no rule from 0 bytes", e);
    }
    return add(x, &c, 0, (size_t)INT_MAX + 1, e);
}

static int add_sized(export *x, const cpm_operation *o, const cpm_rules *r, cpm_error *e)
{
    int status = CPM_OK;
    for (int k = 0; k < r->count && r->at[k].from <= INT_MAX && !status; k++) {
        size_t before = k + 1 < r->count ? r->at[k + 1].from : SIZE_MAX;
        cpm_collective c = collective_of(x, o, r, k);
        before = before <= INT_MAX ? before : (size_t)INT_MAX + 1;
        status = add(x, &c, r->at[k].from, before, e);
    }
    return status;
}

static int add_rules(export *x, const cpm_operation *o, const cpm_rules *r, cpm_error *e)
{
    const bool follows_in_vain = o->types && r->operation != o;
    if (r->n < 2 || r->count == 0 || follows_in_vain)
        return CPM_OK;
    if (o->sizes == CPM_KNOWN_TO_ROOT)
        return add_known_to_root(x, o, r, e);
    if (o->sizes == CPM_KNOWN_TO_NOBODY || o->dataless)
        return add_sizeless(x, o, r, e);
    return add_sized(x, o, r, e);
}

static bool is_asked_for(const export *x, const cpm_rules *r)
{
    return x->options->n == 0 || x->options->n == r->n;
}

static int add_all(export *x, cpm_error *e)
{
    int status = CPM_OK;
    for (const cpm_operation *o = cpm_operations; o->name; o++) {
        const cpm_operation *named = cpm_table_operation(x->table, o->name);
        for (int k = 0; k < x->table->count && !status; k++) {
            const cpm_rules *r = &x->table->at[k];
            if (r->operation == named && is_asked_for(x, r))
                status = add_rules(x, o, r, e);
        }
    }
    return status;
}

/* ---- what cannot be */

static void name_processes(const cpm_table *t, char *text, size_t size)
{
    size_t used = 0;
    int last = 0;
    for (int next = INT_MAX; last < INT_MAX && used < size; last = next, next = INT_MAX) {
        for (int k = 0; k < t->count; k++)
            if (t->at[k].n > last && t->at[k].n < next)
                next = t->at[k].n;
        if (next < INT_MAX)
            used += (size_t)snprintf(text + used, size - used, "%s%d", last ? ", " : "", next);
    }
}

static int check_processes(const export *x, cpm_error *e)
{
    char held[200] = "no number", table[256];
    for (int k = 0; k < x->table->count; k++)
        if (is_asked_for(x, &x->table->at[k]))
            return CPM_OK;
    name_processes(x->table, held, sizeof held);
    cpm_escape(x->options->table, table, sizeof table);
    if (x->options->n == 0)
        return cpm_fail(e, CPM_EINVAL, "%s: the table has no rules", table);
    return cpm_fail(e, CPM_EINVAL, "%s: the table has no rules for %d processes, but for %s", table,
                    x->options->n, held);
}

static int check_some(const export *x, cpm_error *e)
{
    const cpm_routines *r = &x->routines;
    char table[256];
    for (int k = 0; k < r->rule_count; k++)
        if (r->rules[k].first >= 0)
            return CPM_OK;
    cpm_escape(x->options->table, table, sizeof table);
    return cpm_fail(e, CPM_EINVAL, "%s: there is nothing in the table that a routine could run%s%s",
                    table, r->note_count ? ": " : ", only MPI's own",
                    r->note_count ? r->notes[0] : "");
}

int cpm_export_c(const cpm_table *t, const cpm_routine_options *o, FILE *out, FILE *notes,
                 cpm_exported *counts, cpm_error *e)
{
    export x = {.table = t, .options = o, .counts = counts};
    *counts = (cpm_exported){0};
    int status = check_processes(&x, e);
    status = status ? status : add_all(&x, e);
    status = status ? status : check_some(&x, e);
    if (!status)
        cpm_routines_write(&x.routines, o, out);
    for (int k = 0; k < x.routines.note_count && notes && !status; k++)
        fprintf(notes, "%s\n", x.routines.notes[k]);
    cpm_routines_clear(&x.routines);
    return status;
}
