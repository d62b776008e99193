/* Open MPI's rules for HAN, its collectives of two levels: which component runs a collective, by
 * number of processes and message size (ompi/mca/coll/han/coll_han_dynamic_file.h).
 *
 * What a table runs by hosts is HAN's, and what it names else coll/tuned's, whose own rules say the
 * algorithm. Where the library decides, HAN stays, as it does without a file. Counts come before
 * what they count, and a comment only before the first: names are read as they stand. */
#include <string.h>

#include "libraries/export.h"

/* Topologic level of the communicator itself. */
enum { GLOBAL = 2 };

/* Which collectives HAN looks up; blocks: by the bytes of a block, which all processes know. */
static const struct {
    const char *name;
    bool blocks;
} collectives[] = {{"allgather", true}, {"allgatherv", true}, {"allreduce", true},
                   {"barrier", false},  {"bcast", true},      {"gather", false},
                   {"reduce", true},    {"scatter", false}};
enum { COLLECTIVES = sizeof collectives / sizeof *collectives };

typedef struct {
    cpm_target target;
    FILE *out;
    cpm_exported *counts;
} export;

static bool is_by_hosts(const cpm_rule *rule)
{
    return rule->what.algorithm && strncmp(rule->what.algorithm->name, "hosts", 5) == 0;
}

static const char *component_of(const export *x, const cpm_rules *r, const cpm_rule *rule)
{
    bool theirs = cpm_their_algorithm_of(&x->target, r->operation->name, r->n, &rule->what,
                                         rule->from) != NULL;
    return theirs && !is_by_hosts(rule) ? "tuned" : "han";
}

/* One for all sizes; HAN, if the table has several. */
static const char *component_of_all(const export *x, const cpm_rules *r)
{
    const char *all = r->count ? component_of(x, r, &r->at[0]) : "han";
    for (int k = 1; k < r->count; k++)
        if (strcmp(component_of(x, r, &r->at[k]), all) != 0)
            return "han";
    return all;
}

/* The next rule from k on with another component than before. */
static int next_change(const export *x, const cpm_rules *r, int k, const char *before)
{
    while (k < r->count && strcmp(component_of(x, r, &r->at[k]), before) == 0)
        k++;
    return k;
}

/* HAN reads sizes from 0 on. */
static void put_sizes(const export *x, const cpm_rules *r)
{
    bool begins = r->count && r->at[0].from == 0;
    const char *first = begins ? component_of(x, r, &r->at[0]) : "han", *now = first;
    int count = 1;
    for (int k = next_change(x, r, 0, now); k < r->count; k = next_change(x, r, k, now)) {
        now = component_of(x, r, &r->at[k]);
        count++;
    }
    fprintf(x->out, "%d\n0 %s\n", count, now = first);
    for (int k = next_change(x, r, 0, now); k < r->count; k = next_change(x, r, k, now)) {
        now = component_of(x, r, &r->at[k]);
        fprintf(x->out, "%zu %s\n", r->at[k].from, now);
    }
}

static void count_rules(const export *x, const cpm_rules *r, bool blocks)
{
    const char *all = component_of_all(x, r);
    for (int k = 0; k < r->count; k++) {
        const cpm_rule *rule = &r->at[k];
        bool known = is_by_hosts(rule) || strcmp(component_of(x, r, rule), "tuned") == 0;
        x->counts->rules += rule->what.algorithm != NULL;
        x->counts->left += rule->what.algorithm &&
                           (!known || (!blocks && strcmp(component_of(x, r, rule), all) != 0));
    }
}

static void put_collective(const export *x, const cpm_table *t, int c)
{
    const cpm_operation *o = cpm_table_operation(t, collectives[c].name);
    int groups = 1;
    for (int i = 0; i < t->count; i++)
        groups += t->at[i].operation == o && t->at[i].n > 1;
    fprintf(x->out, "%s\n1\n%d\n%d\n1\n1\n0 han\n", collectives[c].name, GLOBAL, groups);
    for (int i = 0; i < t->count; i++) {
        const cpm_rules *r = &t->at[i];
        if (r->operation != o || r->n < 2)
            continue;
        fprintf(x->out, "%d\n", r->n);
        if (collectives[c].blocks)
            put_sizes(x, r);
        else
            fprintf(x->out, "1\n0 %s\n", component_of_all(x, r));
        count_rules(x, r, collectives[c].blocks);
    }
}

void cpm_export_han(const cpm_table *t, bool commuting, FILE *out, cpm_exported *counts)
{
    *counts = (cpm_exported){0};
    const export x = {{CPM_LIBRARY_OPENMPI, commuting}, out, counts};
    int some = 0;
    for (int c = 0; c < COLLECTIVES; c++)
        some += cpm_table_operation(t, collectives[c].name) != NULL;
    fprintf(out, "%d\n", some);
    for (int c = 0; c < COLLECTIVES; c++)
        if (cpm_table_operation(t, collectives[c].name))
            put_collective(&x, t, c);
}
