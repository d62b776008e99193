/* Rules that people write: conditions about a call, and what runs it if they hold (doc/rules.md).
 *
 * A set of rules is a tree of tests, each of which asks whether a quantity is in a range. It is
 * compiled once for a communicator and operation: what is constant there is not asked any more. */
#ifndef CPM_TABLES_RULESET_H
#define CPM_TABLES_RULESET_H

#include <stdint.h>
#include <stdio.h>

#include "selection/choice.h"
#include "tables/decision_table.h"

/* What rules ask of a call. Those up to CPM_ASKS_POWER_OF_TWO are constant in a communicator; the
 * application's own values follow the others. */
enum {
    CPM_ASKS_OPERATION, /* index in cpm_operations */
    CPM_ASKS_PROCESSES,
    CPM_ASKS_HOSTS,    /* as many as processes where nothing is known of them */
    CPM_ASKS_PER_HOST, /* processes of the host that has most */
    CPM_ASKS_POWER_OF_TWO,
    CPM_ASKS_TOTAL, /* bytes of as many blocks as there are processes */
    CPM_ASKS_BYTES,
    CPM_ASKS_ROOT, /* 0 where the operation has none */
    CPM_ASKS_COMMUTING,
    CPM_ASKS_NAMED,
    CPM_MOST_NAMED = 16,
    CPM_ASKS = CPM_ASKS_NAMED + CPM_MOST_NAMED
};

/* The quantities of a call. */
typedef struct {
    int64_t of[CPM_ASKS];
} cpm_situation;

/* Calls between two corners, both included. */
typedef struct {
    cpm_situation least, most;
} cpm_region;

/* Whether low <= quantity <= low + span. What follows is another test, or, if negative, an end:
 * -1: no rule holds, -2 - k: rule k does. */
typedef struct {
    int64_t low;
    uint64_t span;
    int32_t quantity, holds, fails;
    int32_t line; /* in which it is written */
} cpm_rule_test;

enum { CPM_NO_RULE = -1 };

typedef struct {
    int line;
    cpm_collective what; /* operation NULL: all; algorithm NULL: the MPI library's own */
} cpm_written_rule;

typedef struct cpm_rule_line cpm_rule_line;
typedef struct cpm_rule_condition cpm_rule_condition;

typedef struct {
    cpm_written_rule *rule;
    int rules;
    cpm_rule_test *test; /* a test comes after those that follow it */
    int tests, first;
    char *named[CPM_MOST_NAMED]; /* the application's values: "value:phase" */
    int names;
    cpm_rule_line *line; /* as they are written; see ruleset_lines.h */
    int lines;
    cpm_rule_condition *condition;
    int conditions;
} cpm_ruleset;

/* Rules as people write them; errors call the text where. The caller frees *out. CPM_ENOMEM;
 * CPM_EPARSE "WHERE:LINE: what": also rules that are found never to hold, because others contradict
 * them or always hold before. */
int cpm_ruleset_parse(const char *text, const char *where, cpm_ruleset **out, cpm_error *e);
void cpm_ruleset_free(cpm_ruleset *r);

/* The same rules in one form, each with its number as a remark. */
void cpm_ruleset_print(const cpm_ruleset *r, FILE *out);

/* A quantity as rules call it: "bytes", "value:phase". */
const char *cpm_ruleset_quantity(const cpm_ruleset *r, int quantity);

/* The quantity that is the application's value of that name, without "value:"; CPM_NO_RULE: no rule
 * asks for it. */
int cpm_ruleset_named(const cpm_ruleset *r, const char *name);

/* Whether a value of the application can be called so: letters, digits, '.', '_' and '-'. */
bool cpm_rules_can_name(const char *name);

/* The quantities of a call but for the application's values, which are 0. */
cpm_situation cpm_situation_of(const cpm_request *r);

/* All calls there can be. */
cpm_region cpm_region_of_all(void);

/* The index of the rule that holds; CPM_NO_RULE. within, if not NULL, gets all calls that the same
 * tests lead to it. */
int cpm_ruleset_find(const cpm_ruleset *r, const cpm_situation *s, cpm_region *within);

/* Rules for one operation on one communicator. */
typedef struct {
    cpm_rule_test *test;
    int32_t first;
} cpm_compiled_rules;

/* What is constant in calls like s is asked now. The caller frees out->test. CPM_ENOMEM. */
int cpm_ruleset_compile(const cpm_ruleset *r, const cpm_situation *s, cpm_compiled_rules *out,
                        cpm_error *e);
/* As cpm_ruleset_find, of calls like that which they were compiled for. */
int cpm_compiled_rules_find(const cpm_compiled_rules *c, const cpm_situation *s,
                            cpm_region *within);

#endif
