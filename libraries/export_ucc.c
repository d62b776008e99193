/* A configuration file of UCC, whose collectives Open MPI can run (coll/ucc): what its layer over
 * UCX does by collective, bytes and number of processes (UCC's docs/user_guide.md).
 *
 *   UCC_TL_UCP_TUNE = bcast:0-800:[4-7]:inf:@knomial#...    from 0 to 799 bytes, of 4 to 7
 * processes
 *
 * An algorithm's own settings hold for all calls. Where rules ask for several values of one, that
 * holds which does so over most doublings of the size. What UCC 1.9.0 sends by each algorithm was
 * compared with ours on 5, 6, 8 and 9 processes. */
#include <stdio.h>
#include <string.h>

#include "collectives/algorithms/shapes.h"
#include "libraries/export.h"

/* What of a call UCC takes for its size: allgather and alltoall count all blocks of a process. */
static const struct {
    const char *name;
    bool total;
} collectives[] = {{"bcast", false},    {"reduce", false},  {"allreduce", false},
                   {"allgather", true}, {"alltoall", true}, {"reduce_scatter", false}};
enum { COLLECTIVES = sizeof collectives / sizeof *collectives };

/* What makes UCC's algorithm ours; value 0: the children that a rule has. */
typedef struct {
    const char *collective, *algorithm, *variable, *value;
} setting;

static const setting settings[] = {
    {"bcast", "knomial-at-once", "BCAST_KN_RADIX", NULL},
    {"reduce", "knomial", "REDUCE_KN_RADIX", NULL},
    {"reduce", "binomial", "REDUCE_KN_RADIX", "2"},
    {"reduce", "rabenseifner-near", "REDUCE_SRG_KN_RADIX", "2"},
    {"reduce", "rabenseifner-near", "REDUCE_SRG_KN_PIPELINE", "n"},
    {"allreduce", "recursive-doubling", "ALLREDUCE_KN_RADIX", "2"},
    {"allreduce", "rabenseifner-near", "ALLREDUCE_SRA_KN_RADIX", "2"},
    {"allreduce", "rabenseifner-near", "ALLREDUCE_SRA_KN_PIPELINE", "n"},
    {"allreduce", "rabenseifner-folded", "ALLREDUCE_SRA_KN_RADIX", "2"},
    {"allreduce", "rabenseifner-folded", "ALLREDUCE_SRA_KN_PIPELINE", "n"},
    {"allreduce", "logical-ring", "REDUCE_SCATTER_RING_BIDIRECTIONAL", "n"},
    {"allgather", "recursive-doubling", "ALLGATHER_KN_RADIX", "2"},
    {"alltoall", "spreading-simple", "ALLTOALL_PAIRWISE_NUM_POSTS", "inf"},
    {"alltoall", "ring", "ALLTOALL_PAIRWISE_NUM_POSTS", "1"},
    {"reduce_scatter", "halving", "REDUCE_SCATTER_KN_RADIX", "2"},
    {"reduce_scatter", "ring", "REDUCE_SCATTER_RING_BIDIRECTIONAL", "n"},
};
enum {
    SETTINGS = sizeof settings / sizeof *settings,
    VALUE = 16,
    MOST_VALUES =
        SETTINGS * CPM_OPENMPI_MOST_CHILDREN /* of all variables: no rule has more children */
};

typedef struct {
    const cpm_table *table;
    FILE *out;
    cpm_exported *counts;
    char value[SETTINGS][VALUE]; /* of the variable, at the first row that has it; "": not set */
} export;

static const cpm_their_algorithm *theirs(const cpm_rules *r, const cpm_rule *rule)
{
    static const cpm_target ucc = {.library = CPM_LIBRARY_UCC};
    return cpm_their_algorithm_of(&ucc, r->operation->name, r->n, &rule->what, rule->from);
}

static bool is_of(const setting *s, const cpm_rules *r, const cpm_rule *rule)
{
    return rule->what.algorithm && strcmp(s->collective, r->operation->name) == 0 &&
           strcmp(s->algorithm, rule->what.algorithm->name) == 0 && theirs(r, rule);
}

static const char *value_of(const setting *s, const cpm_rule *rule, char buffer[VALUE])
{
    int k = rule->what.with.k;
    if (s->value)
        return s->value;
    if (!k)
        k = ((const cpm_tree_shape *)rule->what.algorithm->variant)->k;
    snprintf(buffer, VALUE, "%d", k);
    return buffer;
}

static int first_of(const char *variable)
{
    int k = 0;
    while (strcmp(settings[k].variable, variable) != 0)
        k++;
    return k;
}

/* ---- the value of each variable */

/* Of one value of a variable: over how many doublings of the size rules ask for it, and one more
 * for each rule. */
typedef struct {
    int variable; /* the first row that has it */
    char value[VALUE];
    double sum;
} vote;

static void count_vote(vote *votes, int *count, int variable, const char *value, double doublings)
{
    int k = 0;
    while (k < *count && (votes[k].variable != variable || strcmp(votes[k].value, value) != 0))
        k++;
    if (k == MOST_VALUES)
        return;
    if (k == *count) {
        votes[(*count)++] = (vote){.variable = variable};
        snprintf(votes[k].value, VALUE, "%s", value);
    }
    votes[k].sum += 1 + doublings;
}

static int count_votes(const cpm_table *t, vote *votes)
{
    char buffer[VALUE];
    int count = 0;
    for (int i = 0; i < t->count; i++)
        for (int q = 0; q < t->at[i].count; q++)
            for (int k = 0; k < SETTINGS; k++)
                if (is_of(&settings[k], &t->at[i], &t->at[i].at[q]))
                    count_vote(votes, &count, first_of(settings[k].variable),
                               value_of(&settings[k], &t->at[i].at[q], buffer),
                               cpm_rules_doublings(&t->at[i], q));
    return count;
}

static void choose_values(export *x)
{
    vote votes[MOST_VALUES];
    double most[SETTINGS] = {0};
    int count = count_votes(x->table, votes);
    for (int k = 0; k < count; k++) {
        const vote *v = &votes[k];
        if (v->sum > most[v->variable]) {
            most[v->variable] = v->sum;
            snprintf(x->value[v->variable], VALUE, "%s", v->value);
        }
    }
}

/* ---- rules */

/* The algorithm that UCC runs as the rule has it; NULL: it decides by itself. */
static const char *name_of(const export *x, const cpm_rules *r, const cpm_rule *rule)
{
    char buffer[VALUE];
    const cpm_their_algorithm *t = theirs(r, rule);
    for (int k = 0; k < SETTINGS && t; k++)
        if (is_of(&settings[k], r, rule) && strcmp(value_of(&settings[k], rule, buffer),
                                                   x->value[first_of(settings[k].variable)]) != 0)
            return NULL;
    return t ? t->name : NULL;
}

static size_t size_of(bool total, const cpm_rules *r, int k)
{
    size_t bytes = r->at[k].from;
    if (total && __builtin_mul_overflow(bytes, (size_t)r->n, &bytes))
        return SIZE_MAX;
    return bytes;
}

/* The processes that rules hold for: up to those of the next ones. */
static void put_processes(const export *x, int i)
{
    const cpm_rules *r = &x->table->at[i];
    bool last = i + 1 == x->table->count || x->table->at[i + 1].operation != r->operation;
    if (last)
        fprintf(x->out, "[%d-inf]", r->n);
    else
        fprintf(x->out, "[%d-%d]", r->n, x->table->at[i + 1].n - 1);
}

static bool is_same_name(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Rules that follow each other by one algorithm are one. any: there were some before. */
static bool put_rules(const export *x, int i, bool total, bool any)
{
    const cpm_rules *r = &x->table->at[i];
    for (int from = 0, to; from < r->count; from = to) {
        const char *name = name_of(x, r, &r->at[from]);
        for (to = from + 1; to < r->count && is_same_name(name, name_of(x, r, &r->at[to])); to++)
            ;
        if (!name)
            continue;
        fprintf(x->out, "%s%s:%zu-", any ? "#" : "UCC_TL_UCP_TUNE = ", r->operation->name,
                size_of(total, r, from));
        if (to < r->count)
            fprintf(x->out, "%zu:", size_of(total, r, to));
        else
            fputs("inf:", x->out);
        put_processes(x, i);
        fprintf(x->out, ":inf:@%s", name);
        any = true;
    }
    return any;
}

static void count_rules(const export *x)
{
    for (int i = 0; i < x->table->count; i++)
        for (int k = 0; k < x->table->at[i].count; k++) {
            const cpm_rules *r = &x->table->at[i];
            const cpm_their_algorithm *t = theirs(r, &r->at[k]);
            bool kept = name_of(x, r, &r->at[k]) != NULL;
            x->counts->rules += r->at[k].what.algorithm != NULL;
            x->counts->left += r->at[k].what.algorithm && !kept;
            x->counts->even += kept && t->properties & CPM_THEIRS_NEEDS_EVEN;
        }
}

void cpm_export_ucc(const cpm_table *t, FILE *out, cpm_exported *counts)
{
    export x = {.table = t, .out = out, .counts = counts};
    bool any = false;
    *counts = (cpm_exported){0};
    choose_values(&x);
    for (int k = 0; k < SETTINGS; k++)
        if (*x.value[k])
            fprintf(out, "UCC_TL_UCP_%s = %s\n", settings[k].variable, x.value[k]);
    for (int c = 0; c < COLLECTIVES; c++)
        for (int i = 0; i < t->count; i++)
            if (strcmp(t->at[i].operation->name, collectives[c].name) == 0 && t->at[i].n > 1)
                any = put_rules(&x, i, collectives[c].total, any);
    if (any)
        putc('\n', out);
    count_rules(&x);
}
