/* Which made schedule is for which sizes, as rules (tables/ruleset.h). */
#ifndef CPM_TOOLS_CHOOSE_SYNTHESIZE_RULES_H
#define CPM_TOOLS_CHOOSE_SYNTHESIZE_RULES_H

#include <stdio.h>

#include "collectives/collective.h"

typedef struct {
    size_t bytes;                   /* of a block */
    char name[CPM_COLLECTIVE_NAME]; /* what is best there, without the operation */
} synthesize_choice;

/* Rules for calls like what, on blocks from the first size to the last; sizes ascend. Between two
 * sizes the rule changes at their geometric mean. */
void synthesize_print_rules(const cpm_collective *what, const synthesize_choice *at, int count,
                            FILE *out);

/* Writes the path of the file for a size: NAME.schedule becomes NAME-64K.schedule. CPM_EINVAL: it
 * is longer than room. */
int synthesize_path(const char *path, size_t bytes, char *out, size_t room, cpm_error *e);

#endif
