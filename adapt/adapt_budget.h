/* What the policy with a budget keeps, and its parts: what candidates are worth (adapt_worth.c),
 * what calls say about that (adapt_budget.c), what to run next (adapt_period.c). */
#ifndef CPM_ADAPT_ADAPT_BUDGET_H
#define CPM_ADAPT_ADAPT_BUDGET_H

#include "adapt/adapt_inside.h"
#include "adapt/adapt_late.h"

static const double adapt_gain =
    0.05; /* share of the incumbent's time: less is not worth a change */

/* Of a candidate. Shares are of native's time, both without time-outs. */
typedef struct {
    adapt_late late;
    adapt_late shares; /* since it is being tried */
    adapt_late alone;  /* calls when nothing else ran, since it was chosen or all changed: in turns
                          with others they take another time */
    double known;      /* share as it was last found; 0: never */
    double known_log;
    double guess; /* share that is expected as long as none is known: predicted, or as of others */
    long returns; /* out until so many calls */
    int dropped;  /* how often */
} adapt_budget_one;

typedef struct {
    double expected;       /* seconds of a call by native, before any was fed; 0: not known */
    bool opening;          /* it has not met yet */
    int tried;             /* -1: none */
    double planned;        /* seconds that the trial under way may lose: of the ledger's */
    int learnt;            /* what was started from, until it fails; 0: nothing */
    bool upset;            /* all may be otherwise: each is seen once before any is seen twice */
    bool checking;         /* native against the incumbent: */
    long checked;          /* calls by native */
    adapt_late check;      /* their time in shares of the incumbent's */
    long known_by;         /* calls by native that the incumbent's share is known by */
    int period;            /* calls of the incumbent alone */
    long since, interval;  /* calls since the last check; when to make the next */
    double lost, timeouts; /* seconds and number of time-outs of all */
    /* As adapt_refresh() found them: */
    double unit;    /* seconds of a call without time-outs by native */
    double full;    /* the same, odd calls in full */
    double timeout; /* what one loses, in units */
    double varying; /* how much single calls vary: a share */
    double trust;   /* how far the model may be off: a factor */
    double pooled;  /* time-outs for each call by one that is not known */
} adapt_budget_state;

static inline adapt_budget_state *adapt_budget_of(const cpm_adapt *a)
{
    return a->whole;
}

static inline adapt_budget_one *adapt_one(const cpm_adapt *a, int who)
{
    return &((adapt_budget_one *)a->each)[who];
}

/* ---- adapt_worth.c */

/* Draws the conclusions from what was seen: first of all after each change. */
void adapt_refresh(cpm_adapt *a);

/* The same before anything was seen: native takes so many seconds. */
void adapt_expect(cpm_adapt *a, double native);

bool adapt_is_predicted(const cpm_adapt *a, int who);
double adapt_prediction(const cpm_adapt *a, int who); /* share of what is predicted for native */

bool adapt_times_out(const cpm_adapt *a, int who);

/* Share of native's time without time-outs that a call by who takes, time-outs included; the error
 * of that of calls without them. */
double adapt_value(const cpm_adapt *a, int who);
double adapt_calm_error(const cpm_adapt *a, int who);

/* Error of the difference between the values of x and y. */
double adapt_error_between(const cpm_adapt *a, int x, int y);

/* ---- adapt_period.c */

enum { ADAPT_CHECK_PAIRS = 4, ADAPT_ENOUGH_PAIRS = 4 }; /* to judge the chosen one; to choose one */
enum { ADAPT_ENOUGH_ALONE = 16 }; /* calls by which what runs alone is known */

bool adapt_is_out(const cpm_adapt *a, int who);
cpm_adapt_period adapt_next_period(cpm_adapt *a);

/* It has met, or never will again. */
void adapt_met(cpm_adapt *a);

#endif
