/* Which collectives: "scatter:linear,gather", "bcast:native". */
#ifndef CPM_TOOLS_CHOICES_H
#define CPM_TOOLS_CHOICES_H

#include "mpib/experiments/experiment.h"

typedef struct {
    cpm_experiment *at; /* collectives; algorithm NULL: the MPI library's own */
    int count;
} choices;

/* Each text is a list of OP:ALGORITHM or OP (all its algorithms; with native also the MPI
 * library's own). None: all operations. root is set in each. CPM_EUNKNOWN with the known ones;
 * CPM_EINVAL for OP:native unless native. */
int choices_parse(char **text, int count, bool native, int root, choices *out, cpm_error *e);
void choices_clear(choices *c);

/* The one algorithm that text names, CPM's own. CPM_EINVAL if it names several. */
int choices_one(char *text, int root, cpm_experiment *out, cpm_error *e);

/* The algorithm's name, "native" for the MPI library's own. */
const char *choice_algorithm(const cpm_experiment *x);

#endif
