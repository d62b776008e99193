/* Open MPI's rules file, by collective, number of processes and message size: in numbers, which all
 * releases read, or in JSON, for release 6.
 *
 * In numbers the rule of the largest numbers not above those of a call holds; algorithm 0 is the
 * library's own decision. Without a rule for 0 processes the first one would hold for fewer
 * processes too. A file with a wrong count anywhere is ignored without a word, so lines are counted
 * before they are written. In JSON the first rule that matches holds, and the library decides where
 * none does. */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "collectives/algorithms/shapes.h"
#include "libraries/export.h"
#include "tables/gains.h"

/* One line: from so many bytes on. */
typedef struct {
    size_t from;
    int algorithm, fan;
    size_t segment;
    bool predicted; /* nobody measured it */
} line;

typedef struct {
    bool any; /* a rule of the list is written */
} json_state;

typedef struct {
    const cpm_table *table;
    cpm_target target;
    FILE *out;
    cpm_exported *counts;
    json_state *state;
} export;

/* Writes a line; next is where the one after it begins, SIZE_MAX: it is the last one. */
typedef void line_writer(const export *x, const line *l, size_t next);

/* ---- rules */

static line line_of(const export *x, const cpm_openmpi_collective *c, const cpm_rules *r,
                    const cpm_rule *rule)
{
    const cpm_their_algorithm *t =
        cpm_their_algorithm_of(&x->target, c->name, r->n, &rule->what, rule->from);
    line l = {.from = rule->from};
    if (c->size == CPM_OPENMPI_TOTAL && __builtin_mul_overflow(rule->from, (size_t)r->n, &l.from))
        l.from = SIZE_MAX;
    if (!t)
        return l;
    l.algorithm = t->number;
    l.predicted = cpm_rule_is_predicted(rule);
    l.segment = rule->what.with.segment;
    if (strcmp(c->name, "allgather") == 0 && strcmp(t->algorithm, "bruck") == 0)
        l.fan = 2; /* 4.1 does not look at it; where it is a radix, less runs forever */
    if (t->properties & CPM_THEIRS_TAKES_K)
        l.fan = rule->what.with.k ? rule->what.with.k
                                  : ((const cpm_tree_shape *)rule->what.algorithm->variant)->k;
    return l;
}

static bool is_same(const line *a, const line *b)
{
    return a->algorithm == b->algorithm && a->fan == b->fan && a->segment == b->segment;
}

/* Calls each, if not NULL, with the lines of r, ascending from 0, none like the one before it.
 * Returns how many. */
static int each_line(const export *x, const cpm_openmpi_collective *c, const cpm_rules *r,
                     line_writer *each)
{
    line last = {0};
    int count = r->count && line_of(x, c, r, &r->at[0]).from > 0; /* the library's own */
    for (int k = 0; k < r->count; k++) {
        line l = line_of(x, c, r, &r->at[k]);
        if (l.from > INT_MAX) /* the library would not read it */
            break;
        if (k > 0 && is_same(&l, &last))
            continue;
        if (count && each)
            each(x, &last, l.from);
        count++;
        last = l;
    }
    if (count && each)
        each(x, &last, SIZE_MAX);
    return count;
}

static void put_line(const export *x, const line *l, size_t next)
{
    (void)next;
    fprintf(x->out, "%zu %d %d %zu%s\n", l->from, l->algorithm, l->fan, l->segment,
            l->predicted ? " # predicted" : "");
}

/* ---- one rule for all sizes */

/* The first rule whose line is like that of rule k; without memory k itself. */
static int first_like(const export *x, const cpm_openmpi_collective *c, const cpm_rules *r, int k,
                      cpm_hash *first)
{
    line l = line_of(x, c, r, &r->at[k]), other;
    uint64_t key = cpm_hash_mix((uint64_t)l.algorithm, (uint64_t)l.fan);
    key = cpm_hash_mix(key, l.segment) | 1;
    cpm_slot *slot = cpm_hash_find(first, key);
    for (; slot; slot = cpm_hash_next(first, slot)) {
        other = line_of(x, c, r, &r->at[slot->index]);
        if (is_same(&l, &other))
            return slot->index;
    }
    slot = cpm_hash_add(first, key);
    if (slot)
        slot->index = k;
    return k;
}

/* The line that holds for most doublings. */
static line usual_line(const export *x, const cpm_openmpi_collective *c, const cpm_rules *r)
{
    line usual = {0};
    double most = -1;
    cpm_hash first = {0}; /* indices of the rules with the first of like lines */
    double *held = calloc((size_t)r->count + 1, sizeof *held);
    if (!held)
        return usual;
    for (int k = 0; k < r->count; k++)
        held[first_like(x, c, r, k, &first)] += cpm_rules_doublings(r, k);
    for (int k = 0; k < r->count; k++)
        if (held[k] > most) {
            usual = line_of(x, c, r, &r->at[k]);
            most = held[k];
        }
    free(held);
    cpm_hash_free(&first);
    usual.from = 0;
    return usual;
}

/* ---- the file */

static void put_rules(const export *x, const cpm_openmpi_collective *c, const cpm_rules *r)
{
    fprintf(x->out, "%d # processes\n", r->n);
    if (c->size == CPM_OPENMPI_NONE) {
        line usual = usual_line(x, c, r);
        fputs("1 # sizes\n", x->out);
        put_line(x, &usual, SIZE_MAX);
        return;
    }
    fprintf(x->out, "%d # sizes: from, algorithm, fan, segment\n", each_line(x, c, r, NULL));
    each_line(x, c, r, put_line);
}

/* The rules of an operation that has some of its own, by number of processes. */
static int count_rules(const cpm_table *t, const cpm_operation *o)
{
    int count = 0;
    for (int i = 0; i < t->count; i++)
        count += t->at[i].operation == o;
    return count;
}

static void put_collective(const export *x, const cpm_openmpi_collective *c)
{
    const cpm_operation *o = cpm_table_operation(x->table, c->name);
    if (!o)
        return;
    fprintf(x->out, "%d # %s\n%d # numbers of processes\n", c->id, c->name,
            count_rules(x->table, o) + 1);
    fputs("0 # fewer processes than below: the library decides\n1\n0 0 0 0\n", x->out);
    for (int i = 0; i < x->table->count; i++)
        if (x->table->at[i].operation == o)
            put_rules(x, c, &x->table->at[i]);
}

/* ---- JSON */

/* A row by which the library decides is none: it does so without. */
static void put_json_line(const export *x, const line *l, size_t next)
{
    if (!l->algorithm)
        return;
    fprintf(x->out, "%s\n          {\"msg_size_min\": %zu", x->state->any ? "," : "", l->from);
    if (next < SIZE_MAX)
        fprintf(x->out, ", \"msg_size_max\": %zu", next - 1);
    fprintf(x->out, ", \"alg\": %d", l->algorithm);
    if (l->fan)
        fprintf(x->out, ", \"faninout\": %d", l->fan);
    if (l->segment)
        fprintf(x->out, ", \"seg_size\": %zu", l->segment);
    fputc('}', x->out);
    x->state->any = true;
}

/* Up to most processes; 0: there is no limit. */
static void put_json_rules(const export *x, const cpm_openmpi_collective *c, const cpm_rules *r,
                           int most)
{
    fprintf(x->out, "      {\"comm_size_min\": %d, ", r->n);
    if (most)
        fprintf(x->out, "\"comm_size_max\": %d, ", most);
    fputs("\"rules\": [", x->out);
    x->state->any = false;
    if (c->size == CPM_OPENMPI_NONE) {
        line usual = usual_line(x, c, r);
        put_json_line(x, &usual, SIZE_MAX);
    } else
        each_line(x, c, r, put_json_line);
    fputs("]}", x->out);
}

static void put_json_collective(const export *x, const cpm_openmpi_collective *c, bool first)
{
    const cpm_rules *before = NULL;
    fprintf(x->out, "%s    \"%s\": [\n", first ? "" : ",\n", c->name);
    for (int i = 0; i < x->table->count; i++) {
        const cpm_rules *r = &x->table->at[i];
        if (r->operation != cpm_table_operation(x->table, c->name))
            continue;
        if (before)
            put_json_rules(x, c, before, r->n - 1);
        fputs(before ? ",\n" : "", x->out);
        before = r;
    }
    put_json_rules(x, c, before, 0);
    fputs("]", x->out);
}

static void count_followed(const export *x)
{
    for (int i = 0; i < x->table->count; i++) {
        const cpm_rules *r = &x->table->at[i];
        for (int k = 0; k < r->count; k++) {
            const cpm_their_algorithm *t = cpm_their_algorithm_of(
                &x->target, r->operation->name, r->n, &r->at[k].what, r->at[k].from);
            x->counts->rules += r->at[k].what.algorithm != NULL;
            x->counts->left += r->at[k].what.algorithm && !t;
            x->counts->even += t && t->properties & CPM_THEIRS_NEEDS_EVEN;
        }
    }
}

void cpm_export_openmpi_json(const cpm_table *t, bool commuting, FILE *out, cpm_exported *counts)
{
    *counts = (cpm_exported){0};
    json_state state = {0};
    const export x = {t, {CPM_LIBRARY_OPENMPI, commuting}, out, counts, &state};
    bool first = true;
    fputs("{\n  \"rule_file_version\": 3,\n  \"module\": \"tuned\",\n  \"collectives\": {\n", out);
    for (const cpm_openmpi_collective *c = cpm_openmpi_collectives; c->name; c++)
        if (cpm_table_operation(t, c->name)) {
            put_json_collective(&x, c, first);
            first = false;
        }
    fputs("\n  }\n}\n", out);
    count_followed(&x);
}

void cpm_export_openmpi(const cpm_table *t, bool commuting, FILE *out, cpm_exported *counts)
{
    *counts = (cpm_exported){0};
    const export x = {t, {CPM_LIBRARY_OPENMPI, commuting}, out, counts, NULL};
    int some = 0;
    for (const cpm_openmpi_collective *c = cpm_openmpi_collectives; c->name; c++)
        some += cpm_table_operation(t, c->name) != NULL;
    fprintf(out, "%d # collectives\n", some);
    for (const cpm_openmpi_collective *c = cpm_openmpi_collectives; c->name; c++)
        put_collective(&x, c);
    count_followed(&x);
}
