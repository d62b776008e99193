/* Rules as they are written: what the reader leaves to the compiler and the printer. */
#ifndef CPM_TABLES_RULESET_LINES_H
#define CPM_TABLES_RULESET_LINES_H

#include "tables/ruleset.h"

typedef enum {
    CPM_RULE_IF,
    CPM_RULE_ELSE_IF,
    CPM_RULE_ELSE,
    CPM_RULE_END,
    CPM_RULE_USE
} cpm_rule_word;

struct cpm_rule_line {
    cpm_rule_word word;
    int number;       /* in the file */
    int first, count; /* conditions of an if; rule first of a use */
};

/* quantity = value and the like, by the index of the comparison in cpm_rule_comparisons. Of those
 * that are yes or no it is = 1 or != 1. */
struct cpm_rule_condition {
    int quantity, comparison;
    int64_t value;
};

enum { CPM_EQUAL, CPM_UNEQUAL, CPM_BELOW, CPM_AT_MOST, CPM_ABOVE, CPM_AT_LEAST, CPM_COMPARISONS };
extern const char *const cpm_rule_comparisons[CPM_COMPARISONS];

/* A quantity of its own, not the application's. */
typedef struct {
    const char *name;
    int64_t least, most; /* that it can be */
    bool size, truth;    /* bytes; yes or no */
} cpm_rule_quantity;
extern const char cpm_rule_named[]; /* what the application's begin with */
extern const cpm_rule_quantity cpm_rule_quantities[CPM_ASKS_NAMED];

/* Makes r->test of r->line. CPM_ENOMEM. */
int cpm_ruleset_translate(cpm_ruleset *r, cpm_error *e);

/* Whether bytes of the operation are more than 0 as rules see them: a barrier has none, and those
 * of an alltoallv nobody knows. */
bool cpm_rules_see_bytes(const cpm_operation *o);

/* From the first to the last value for which a condition holds; false: for which it does not. */
bool cpm_rule_condition_range(const cpm_rule_condition *c, int64_t *low, int64_t *high);

/* Takes from the ends of ranges what others exclude: 4 hosts are at least 4 processes. False: there
 * is no such call. Some that are impossible are kept. */
bool cpm_region_narrow(cpm_region *g);

/* CPM_EPARSE if a condition or rule can never hold; where is the name of the file. CPM_ENOMEM. */
int cpm_ruleset_check(const cpm_ruleset *r, const char *where, cpm_error *e);

/* The words of a rule's condition. */
void cpm_rule_condition_print(const cpm_ruleset *r, const cpm_rule_condition *c, char *text,
                              size_t size);

/* A decision table as rules, text that the caller frees. CPM_ENOMEM. */
int cpm_rules_of_table(const cpm_table *t, char **text, cpm_error *e);

#endif
