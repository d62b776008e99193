/* Choosing by measurements: which algorithms meet at which sizes, what is to be measured next, and
 * who has won. Nothing is measured here: who measures asks what is next, and is told the same after
 * an interruption, because the answer follows from what was measured so far.
 *
 * As the generator of A. Faraj and X. Yuan (An Empirical Approach for Efficient All-to-All
 * Personalized Communication on Ethernet Switched Clusters, ICPP 2005, section 5): the best of all
 * at a grid of sizes, then, between sizes with different ones, the size where they change, by
 * bisection with the two alone. Beyond it a model may leave out who has no chance, the library's
 * own routine takes part in every contest, and nobody wins by less than the noise. */
#ifndef CPM_ADAPT_CONTEST_H
#define CPM_ADAPT_CONTEST_H

#include "measurements/measurements.h"
#include "models/model.h"
#include "selection/choice.h"
#include "selection/selector_options.h"
#include "tables/decision_table.h"

/* Algorithms of an operation for blocks of so many bytes. */
typedef struct {
    const cpm_operation *operation;
    size_t bytes;
    double weight;      /* of a program's time, seconds; 0: nothing is known of it */
    cpm_collective *at; /* [count] the library's own routine first; owned */
    double *predicted;  /* [count] seconds, NAN: not predicted; the fastest second; owned. NULL:
                           there is no model */
    int count;
    int dropped; /* candidates that the model left out */
} cpm_contest;

typedef struct {
    cpm_contest *at; /* by operation, then ascending bytes; all of one number of processes */
    int count;
    bool batch;   /* calls that follow each other at once are measured */
    bool divide;  /* look for the sizes between two contests where winners change */
    double gain;  /* share of the time that a difference has to be (CPM_CONTEST_GAIN) */
    double level; /* of the tests that tell it from noise (CPM_CONTEST_LEVEL) */
} cpm_contests;

#define CPM_CONTEST_GAIN       0.01
#define CPM_CONTEST_LEVEL      0.05
#define CPM_CONTEST_WITHIN     1.2
#define CPM_CONTEST_CONFIDENCE 0.95 /* of the interval of a gain */

/* Who takes part. Borrowed. */
typedef struct {
    const cpm_model *model;       /* of the n processes; NULL: all candidates take part */
    cpm_selector_options options; /* which candidates there are, and whether calls are in batches */
    /* With a model those take part that it predicts to take up to so many times as long as the
     * fastest (CPM_CONTEST_WITHIN), and not to escalate unless all do; of these the three fastest,
     * and of an algorithm the two fastest sets of parameters. Who is the fastest at the next
     * smaller size counts as the fastest while no other is faster by the gain: what take the same
     * time change nothing. */
    double within;
    /* The library's own routines on groups (collectives/on_groups.h) take part, too: no model
     * predicts them, so with one the two fastest meshes of those above have such a version. */
    bool groups;
} cpm_contest_field;

/* Appends the contest of that request; requests come by operation, then ascending bytes. Nothing is
 * added if field->options.only has nothing of the operation; where none of what it has applies the
 * library's own is alone. CPM_ENOMEM and as predictions. */
int cpm_contests_add(cpm_contests *c, const cpm_contest_field *field, const cpm_request *r,
                     double weight, cpm_error *e);
void cpm_contests_clear(cpm_contests *c);

/* Appends to next what is not measured yet: of all contests, those with the most weight first, then
 * first those far apart in size; where nothing is missing of them, what bisection needs. Of what is
 * predicted the fastest comes first, and of the others those that still have a chance then: that
 * would be faster than the fastest of the contest by the gain if the model were twice as far off as
 * it was at worst with this operation. Nothing is appended when all is known. CPM_ENOMEM. */
int cpm_contests_next(const cpm_contests *c, const cpm_measurements *m, cpm_design *next,
                      cpm_error *e);

/* What the measurements say of a contest. Borrows from them. */
typedef struct {
    const cpm_measurement *winner; /* NULL: not measured, at least not the library's own routine */
    const cpm_measurement *native, *next; /* next: the fastest but the winner, or NULL */
    double lead;  /* 1 - seconds of the winner / seconds of next; negative: kept all the same */
    int measured; /* of the contest's algorithms */
    int dropped;  /* candidates that the model left out, and those that had no chance any more */
    bool within_noise; /* another was faster than the library's own, but not for sure */
} cpm_outcome;

/* Of the contest, if before (may be NULL) has won the one of the next smaller size: who was as fast
 * as the fastest and won there wins here, too. CPM_ENOMEM. */
int cpm_contest_outcome(const cpm_contests *c, const cpm_contest *x, const cpm_collective *before,
                        const cpm_measurements *m, cpm_outcome *out, cpm_error *e);

/* Adds the rules that follow, with their figures, for n processes: one at the size of every contest
 * that was measured, and where winners change; from the size of one that was not on, if it comes
 * behind a rule for another, the library's own routine. CPM_ENOMEM. */
int cpm_contests_table(const cpm_contests *c, const cpm_measurements *m, int n, cpm_table *t,
                       cpm_error *e);

#endif
