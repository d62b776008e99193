/* How an algorithm stands among those that were measured of the same operation and size: whether it
 * is slower than the fastest, by a test of all against each other. */
#ifndef CPM_TOOLS_EXAMINE_STANDING_H
#define CPM_TOOLS_EXAMINE_STANDING_H

#include "measurements/measurements.h"

typedef enum {
    STANDING_ALONE,   /* nothing to be compared with, or no repetitions were kept */
    STANDING_FASTEST, /* by the statistic; the first of equal ones */
    STANDING_AS_FAST, /* not slower than that one at the level */
    STANDING_SLOWER,
    STANDING_TOO_FEW /* so few repetitions that the test could not tell */
} standing;

/* "-", "fastest", "as fast", "slower", "too few". */
const char *standing_name(standing s);
/* Prints the line of a table's head that explains such a column. */
void standing_explain(void);

/* Of result[which] among result[count], all of one size, at a level of 5 %: by Steel's and Dwass'
 * test (base/rank_tests.h) of those of the same operation that have their repetitions. NULL among
 * the results: was not measured. CPM_ENOMEM. */
int standing_find(const cpm_measurement *const *result, int count, int which,
                  cpm_statistic statistic, standing *out, cpm_error *e);

#endif
