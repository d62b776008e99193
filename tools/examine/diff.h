/* What cpm diff compares and says, for others to say too. */
#ifndef CPM_TOOLS_EXAMINE_DIFF_H
#define CPM_TOOLS_EXAMINE_DIFF_H

#include "base/sizes.h"
#include "diagnose/diff.h"
#include "tools/frame/table.h"

/* Sizes of messages whose times are shown. */
#define DIFF_SIZES "0,1K,64K,1M"

/* Models as they are compared. If both know the inside of hosts, whatever processes are on them:
 * with two processes on each, and if both tell its sockets apart a third on another one. */
typedef struct {
    const cpm_model *a, *b; /* borrowed, or those that are placed */
    bool hosts, sockets;
    cpm_model *placed[2]; /* owned; NULL: a and b are the models that were given */
} diff_pair;

/* Makes of both models, which must live as long, what is compared. It is the caller's to clear,
 * also on failure. CPM_ENOMEM, and as cpm_model_place. */
int diff_pair_make(const cpm_model *a, const cpm_model *b, diff_pair *of, cpm_error *e);
void diff_pair_clear(diff_pair *of);

/* Prints what changed: the verdict, how many values of each parameter, which, and how much longer
 * messages take. full: all of them, however many. CPM_ENOMEM. */
int diff_print(const diff_pair *of, const cpm_diff_result *r, double least_effect, bool full,
               const cpm_sizes *sizes, cpm_error *e);

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
