/* What cpm diff says, for others to show too. */
#ifndef CPM_TOOLS_EXAMINE_DIFF_H
#define CPM_TOOLS_EXAMINE_DIFF_H

#include "diagnose/diff.h"
#include "tools/frame/table.h"

typedef struct {
    cpm_diff_verdict verdict;
    int count;     /* values that changed */
    char *says;    /* the verdict in a sentence */
    table changes; /* a head and the first of them, the most significant first */
} diff_said;

/* Compares two models as cpm diff does without options. out is the caller's to clear, also on
 * failure. Errors as of cpm_diff_models. */
int diff_tell(const cpm_model *before, const cpm_model *after, diff_said *out, cpm_error *e);
void diff_said_clear(diff_said *said);

#endif
