/* What the policy with a budget keeps, and its parts: when one is better than another (evidence.c),
 * what candidates are worth (adapt_worth.c), what calls say about that (adapt_budget.c), what to
 * run next (adapt_period.c). */
#ifndef CPM_ADAPT_ADAPT_BUDGET_H
#define CPM_ADAPT_ADAPT_BUDGET_H

#include "adapt/adapt_inside.h"
#include "adapt/adapt_late.h"
#include "adapt/evidence.h"

/* Of a candidate. Shares are of native's time, both without time-outs. */
typedef struct {
    adapt_late late;
    adapt_pairs pairs; /* with the incumbent, since it is being tried */
    adapt_late alone;  /* calls when nothing else ran, since it was chosen or all changed: in turns
                          with others they take another time */
    double known;      /* share as it was last found; 0: never */
    double error;      /* standard error of that */
    double least;      /* so much at least, at the level; 0: as little as may be */
    double known_log;
    double guess; /* share that is expected as long as none is known: predicted, or as of others */
    long returns; /* out until so many calls */
    int dropped;  /* how often */
} adapt_budget_one;

typedef struct {
    double expected;       /* seconds of a call by native, before any was fed; 0: not known */
    bool opening;          /* it has not met yet */
    int tried;             /* -1: none */
    int trials;            /* that were looked at */
    double planned;        /* seconds that the trial under way may lose: of the ledger's */
    int learnt;            /* what was started from, until it fails; 0: nothing */
    bool upset;            /* all may be otherwise: each is seen once before any is seen twice */
    bool checking;         /* native against the incumbent: */
    long since_change;     /* calls, when all was otherwise the last time */
    bool doubted;          /* as its calls have changed */
    long checked;          /* calls by native */
    adapt_pairs check;     /* they and the incumbent's */
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

bool adapt_times_out(const cpm_adapt *a, int who);

/* Share of native's time without time-outs that a call by who takes, time-outs included. */
double adapt_value(const cpm_adapt *a, int who);

/* The same of calls without time-outs, and its standard error. */
double adapt_calm(const cpm_adapt *a, int who);
double adapt_calm_error(const cpm_adapt *a, int who);

/* Standard error of what time-outs add to that. */
double adapt_timeout_error(const cpm_adapt *a, int who);

/* Its calls and time-outs of late. */
adapt_rate adapt_rate_of(const cpm_adapt *a, int who);

/* Whether it may be shown to be faster than the incumbent, and worth it. */
bool adapt_has_chance(const cpm_adapt *a, int who);

/* Whether it is better than the incumbent. */
adapt_question adapt_question_of(const cpm_adapt *a, int who);

/* As far as the model and calls say: it disturbs nobody. */
bool adapt_is_predicted_faster(const cpm_adapt *a, int who);

/* The same, where it was seen before what native takes, and while nothing was ever chosen. */
bool adapt_is_promised(const cpm_adapt *a, int who);

/* Seconds that a call by who is expected to lose, one unknown somewhat more, and something always.
 */
double adapt_expected_loss(const cpm_adapt *a, int who);

bool adapt_is_out(const cpm_adapt *a, int who);

/* Who is tried next; -1: nobody. */
int adapt_most_promising(const cpm_adapt *a);

/* ---- adapt_period.c */

enum { ADAPT_CHECK_PAIRS = 4 };   /* to judge the chosen one */
enum { ADAPT_ENOUGH_ALONE = 16 }; /* calls by which what runs alone is known */

cpm_adapt_period adapt_next_period(cpm_adapt *a);

/* It has met, or never will again. */
void adapt_met(cpm_adapt *a);

#endif
