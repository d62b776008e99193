/* Two that were measured in turns: who is faster, as far as the turns tell. */
#ifndef CPM_ADAPT_TURNS_H
#define CPM_ADAPT_TURNS_H

#include "base/statistics.h"

enum { CPM_LEAST_TURNS = 4 }; /* with fewer nobody can tell */

typedef enum { CPM_CANNOT_TELL, CPM_GAINS, CPM_LOSES } cpm_verdict;

/* "cannot tell", "gains", "loses". */
const char *cpm_verdict_name(cpm_verdict v);

typedef struct {
    cpm_ratio gain; /* share of the first one's time that the second saves, mean of the turns */
    /* What the first one seems to save between two turns, where there is nothing to save. */
    cpm_ratio itself;
    cpm_verdict verdict;
} cpm_turns_outcome;

/* first[count], second[count]: seconds of each in each turn, above 0. Intervals are those of a mean
 * by Student's t, of 95 %. A gain or a loss is one whose interval does not hold 0, and is none
 * where the first one's against itself does not hold it either: then the machine has changed. Fewer
 * turns than CPM_LEAST_TURNS: cannot tell, and values are NaN. CPM_ENOMEM. */
int cpm_turns_judge(const double *first, const double *second, int count, cpm_turns_outcome *out,
                    cpm_error *e);

#endif
