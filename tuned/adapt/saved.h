/* What calls by other ways than MPI's own routine saved, for reports: by calls in turns with it.
 *
 * Where both ran in turns each stretch of such calls is its own measure, so times that change, and
 * odd calls from before, say nothing; what stretches say is as uncertain as they are few and
 * unlike. Calls between take the part of native's time that the last stretches and the next have
 * shown.
 * Seconds are means over processes; where a root judges, its share is that of all. */
#ifndef CPM_TUNED_ADAPT_SAVED_H
#define CPM_TUNED_ADAPT_SAVED_H

#include <stdbool.h>

#include "adapt/adapt.h"

/* What part a candidate's call takes of one by it and one by native, in turns: between 0 and 1,
 * so that no odd call outweighs others. A mean in which older stretches count less. */
typedef struct {
    double weight, sum, squares; /* sums of weights, times the part, times its square */
    double weights, errors;      /* sums of squares of weights, and of these times errors */
} tuned_part;

/* Of one candidate. Zero is none. */
typedef struct {
    tuned_part part;
    double alone;   /* seconds of its calls since the last stretch */
    double spent;   /* of those before, */
    double saved;   /* so much longer MPI's own would have taken; below 0: less */
    double squares; /* sum over stretches of the squares of what each says */
    double error;   /* standard error of what shares say: one that is wrong makes all calls wrong */
} tuned_saved;

/* Of many: what was gained and lost, neither below 0, the standard error of both, and seconds of
 * calls of which nothing is known. */
typedef struct {
    double spent, gained, lost, error, unknown;
    double met; /* seconds of exchanges, which come on top of spent */
} tuned_saved_sum;

/* What was seen between two exchanges, by candidates, of which 0 is native; chosen ran when nothing
 * was tried. */
void tuned_saved_feed(tuned_saved *each, int chosen, const cpm_adapt_figures *f, int count);

/* Calls in so many seconds, which ran alone. */
void tuned_saved_rest(tuned_saved *s, double spent);

/* Adds that of a candidate, or of native; another sum. */
void tuned_saved_add(tuned_saved_sum *to, const tuned_saved *s, bool native);
void tuned_saved_join(tuned_saved_sum *to, const tuned_saved_sum *more);

/* Half of the interval of 95 % of gained - lost; NaN: nothing is known, as one call in a hundred
 * was never compared, or it is as wide as all of MPI's own time. */
double tuned_saved_interval(const tuned_saved_sum *s);

#endif
