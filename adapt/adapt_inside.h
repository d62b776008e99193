/* What the policies of trying share. */
#ifndef CPM_ADAPT_ADAPT_INSIDE_H
#define CPM_ADAPT_ADAPT_INSIDE_H

#include <stddef.h>

#include "adapt/adapt.h"

/* Values of which the mean and its error are asked for. */
typedef struct {
    long count;
    double sum, squares;
} adapt_tally;

void adapt_tally_add(adapt_tally *t, double value);
double adapt_tally_mean(const adapt_tally *t);   /* 0 of none */
double adapt_tally_spread(const adapt_tally *t); /* standard deviation; 0 of fewer than two */

typedef struct {
    size_t each, whole; /* bytes of what the policy keeps: of a candidate, and beside these */
    bool bounded;       /* by what the ledger has room for */
    void (*begin)(cpm_adapt *a);
    /* What was seen has been counted: decides about it. */
    void (*judge)(cpm_adapt *a, const cpm_adapt_figures *f, int count);
    cpm_adapt_period (*next)(cpm_adapt *a);
    void (*look)(const cpm_adapt *a, int who, cpm_adapt_seen *seen); /* adds what it knows */
    /* NULL: no notice is taken. */
    void (*start_from)(cpm_adapt *a, int who, double ratio, long calls);
    void (*start_without)(cpm_adapt *a, int who, double ratio, long calls);
    void (*end)(cpm_adapt *a); /* NULL: nothing to do */
    void (*expect)(cpm_adapt *a, double native);
    void (*recall)(cpm_adapt *a, const cpm_adapt_figures *native);
} adapt_type;

extern const adapt_type adapt_budget, adapt_star, adapt_star_basic, adapt_threshold;

/* A candidate's calls since the beginning. */
typedef struct {
    long calls;
    double sum;       /* s */
    adapt_tally kept; /* those of which each is known */
} adapt_calls;

struct cpm_adapt {
    const adapt_type *type;
    cpm_ledger *ledger;
    int count, incumbent;
    long calls;              /* of all */
    long chosen_after;       /* of these; as cpm_adapt_chosen_after() */
    bool all_told;           /* no calls were made while the ranks met */
    double level;            /* seconds that native takes for a call now; 0: not known */
    double level_error;      /* standard error of that */
    double met;              /* seconds of all meetings */
    cpm_adapt_candidate *as; /* [count] */
    adapt_calls *seen;       /* [count] */
    void *each, *whole;      /* the policy's */
};

/* The turn of the one context that tries: taken if it is free, or there is less to gain for its
 * owner, or that has not been heard of for long. False: another tries, or saves for a trial that
 * has more to gain. */
bool adapt_take_turn(cpm_adapt *a);
void adapt_leave_turn(cpm_adapt *a);

/* What may be lost is kept for a, which runs native and has more to gain than who saves already. */
void adapt_save(cpm_adapt *a);
void adapt_save_no_more(cpm_adapt *a);

/* The figures of who, or NULL. */
const cpm_adapt_figures *adapt_figures_of(const cpm_adapt_figures *f, int count, int who);

/* What native takes is what all of its calls say. */
void adapt_note_native(cpm_adapt *a);

/* The incumbent is one that was chosen now. */
void adapt_note_choice(cpm_adapt *a);

#endif
