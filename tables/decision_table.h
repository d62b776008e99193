/* A decision table: for operations, numbers of processes and sizes, which algorithm. It has one
 * form, which people can read (doc/tune.md), several sources and several exports. */
#ifndef CPM_TABLES_DECISION_TABLE_H
#define CPM_TABLES_DECISION_TABLE_H

#include <stdio.h>

#include "base/metadata.h"
#include "collectives/collective.h"
#include "tables/table_handle.h"

/* Of a rule that was measured, at its own size. */
typedef struct {
    int measured;  /* algorithms that were compared; 0: there are no figures */
    double native; /* seconds of the library's own routine; 0: unknown */
    double lead;   /* 1 - seconds / seconds of the fastest other one; negative: the library's own is
                      kept, because the other's lead is not beyond the noise */
    double least_gain; /* over the library's own, share of its time: the lower end of the interval
                          of 95 %; 0: unknown, or it is the library's own */
} cpm_rule_figures;

/* From so many bytes of a block on (their mean, if they differ), up to the next rule. */
typedef struct {
    size_t from;
    cpm_collective what; /* of the rules' operation; native: the MPI library's own routine */
    double seconds;      /* expected for blocks of from bytes; NaN: unknown */
    bool batch; /* these are of calls that follow each other at once, else of isolated ones */
    cpm_rule_figures figures;
} cpm_rule;

/* The rules of one operation on n processes, ascending. */
typedef struct {
    const cpm_operation *operation;
    int n;
    cpm_rule *at;
    int count;
} cpm_rules;

struct cpm_table {
    cpm_metadata metadata; /* provenance */
    cpm_rules *at;         /* by operation in the order of cpm_operations, then ascending n */
    int count;
};

void cpm_table_clear(cpm_table *t);

/* Adds a rule; of an operation and n they come in ascending order. CPM_EINVAL: they do not, n < 1,
 * the algorithm is another operation's, seconds are negative. CPM_ENOMEM. */
int cpm_table_add(cpm_table *t, const cpm_operation *o, int n, const cpm_rule *rule, cpm_error *e);

/* Adds all rules of another table. As cpm_table_add. */
int cpm_table_join(cpm_table *t, const cpm_table *from, cpm_error *e);

/* The operation of that name if the table has rules for it, else the one whose algorithms it has if
 * it has rules for that ("scatterv": "scatter"); NULL. */
const cpm_operation *cpm_table_operation(const cpm_table *t, const char *name);

/* The rules for n processes: those of the largest number that is not above it, of the operation
 * that has the rules of o. NULL: there are none. */
const cpm_rules *cpm_table_find(const cpm_table *t, const cpm_operation *o, int n);

/* Calls as a program makes them: each rule says whether they follow each other. */
#define CPM_TABLE_AS_CALLED "as called"

/* What calls it was made for, if it is not for isolated ones: its fact "timing", "batch", "batch of
 * 20" (measurements/batch_calls.h) or CPM_TABLE_AS_CALLED. NULL: for isolated ones, or it does not
 * say.
 */
const char *cpm_table_batch(const cpm_table *t);

/* How often the size doubles while rule k holds. A table ends with its last size: 0 of the last. */
double cpm_rules_doublings(const cpm_rules *r, int k);

/* Index of the last rule whose size is not above bytes; -1: there is none. */
int cpm_rules_find(const cpm_rules *r, size_t bytes);

/* Seconds that are expected for blocks of so many bytes, on the line through the times of the
 * sizes next to them, of the last two above the last. NaN: unknown. */
double cpm_rules_seconds(const cpm_rules *r, size_t bytes);

/* cpm_table_read of a text in memory; errors call it where. */
int cpm_table_unpack(const char *text, size_t size, const char *where, cpm_table **out,
                     cpm_error *e);
/* The provenance and the rules, with which the file ends. False: a text that is not UTF-8. */
bool cpm_table_put(const cpm_table *t, FILE *f);

#endif
