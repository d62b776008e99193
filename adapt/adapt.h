/* Which of several ways to run the calls of a context (an operation of a size on a communicator):
 * the calls themselves decide, and what trying may lose is bounded. Nothing here communicates,
 * reads a clock or draws lots: ranks that are told the same figures decide the same. */
#ifndef CPM_ADAPT_ADAPT_H
#define CPM_ADAPT_ADAPT_H

#include <stdbool.h>

#include "base/error.h"

/* How to try: within a budget (adapt_budget.c); whatever it costs as STAR-MPI does, with and
 * without groups of algorithms (adapt_star.c), or thresholds in ascending order
 * (adapt_threshold.c). */
typedef enum {
    CPM_ADAPT_BUDGET,
    CPM_ADAPT_STAR,
    CPM_ADAPT_STAR_BASIC,
    CPM_ADAPT_THRESHOLD
} cpm_adapt_policy;

/* A way to run the calls of a context. The first, index 0, is the library's own routine. */
typedef struct {
    double predicted; /* seconds; NaN: no model */
    int group;        /* STAR's grouping: one of each group before the rest of a group */
    bool at_risk;     /* predicted to lose messages: only tried last */
    bool calm;        /* made so that it does not time out: it is not suspected of that */
} cpm_adapt_candidate;

typedef struct cpm_adapt cpm_adapt;

/* What was gained and lost against native, in seconds. NaN: native's time was not known. */
typedef struct {
    double gained; /* by calls of what was chosen */
    double tried;  /* lost by calls of what was being tried; below 0: gained */
    double met;    /* by meetings of the ranks */
    double error;  /* standard error of the first two: native did not run meanwhile */
} cpm_adapt_account;

/* What trying has cost and gained in a communicator, shared by its contexts. What calls that belong
 * to no engine took is added to native and taken by the caller. */
typedef struct {
    double share, constant; /* what may be lost: a share of native's time, and seconds */
    double native;          /* seconds that native would have taken for all calls so far */
    double taken;           /* seconds that they took, all costs of meeting and deciding included */
    double ahead;           /* seconds that ranks are ahead of a root: they will wait for it, which
                               is in neither of these yet */
    double charged;         /* seconds of meeting and deciding: no calls */
    double meeting;         /* seconds that a meeting of the ranks takes, mean so far */
    cpm_adapt_account account; /* of all contexts */
    double planned;            /* seconds that trials under way may lose */
    const cpm_adapt *trying;   /* one context tries at a time what is not expected to be faster, as
                                  others disturb it; NULL: none */
    const cpm_adapt *saving;   /* one that runs native waits until its next trial may cost what it
                                  does; NULL: none */
    int refused;               /* how often another wanted to since these were heard of */
    int opening;               /* contexts that have not met yet */
} cpm_ledger;

/* 2 % and 1 ms. */
cpm_ledger cpm_ledger_new(void);

/* Seconds of what belongs to no context: opening, deciding. */
void cpm_ledger_charge(cpm_ledger *l, double seconds);

/* Seconds that may be lost now: share and constant, less what was lost so far, or with half of what
 * was gained for certain. Negative: overdrawn. */
double cpm_ledger_room(const cpm_ledger *l);

/* The next calls of a context: first and second in turns (equal: only that one), so many. Then the
 * ranks begin to meet, and first runs another CPM_ADAPT_MEANWHILE calls, which are told at the next
 * meeting. */
typedef struct {
    int first, second, calls;
} cpm_adapt_period;

/* Who runs a call of a period of which so many were made, calls of the context in all. Who is first
 * of a pair changes as in the sequence of Thue and Morse: a program whose calls repeat themselves
 * by two, four ... has some of each kind for both. */
int cpm_adapt_turn(const cpm_adapt_period *p, int made, long calls);

enum { CPM_ADAPT_MEANWHILE = 2, CPM_ADAPT_KEPT = 32 };

/* What was seen of one candidate since the last meeting: seconds of each call, mean over ranks or
 * whatever else calls are compared by. */
typedef struct {
    int who;
    long calls;
    double sum;            /* of all calls */
    double spent;          /* likewise, but mean over ranks; 0: that is what the sum is */
    int kept;              /* up to CPM_ADAPT_KEPT */
    const double *seconds; /* [kept] the last of them */
} cpm_adapt_figures;

/* The ledger is borrowed; candidates are copied. CPM_ENOMEM, CPM_EINVAL (count < 1). */
int cpm_adapt_create(cpm_adapt_policy p, const cpm_adapt_candidate *c, int count, cpm_ledger *l,
                     cpm_adapt **out, cpm_error *e);
void cpm_adapt_free(cpm_adapt *a);

/* A call by native takes about so many seconds, as was seen before anything was fed: what is tried
 * first need not wait until that is known better. No notice is taken of it by STAR's policies. */
void cpm_adapt_expect(cpm_adapt *a, double native);

/* Calls by native that were seen before anything was fed, and that the ledger knows. No notice is
 * taken of them by STAR's policies. */
void cpm_adapt_recall(cpm_adapt *a, const cpm_adapt_figures *native);

/* What was seen since the last meeting, each candidate once at most, and the seconds that meeting
 * took. Never fails. */
void cpm_adapt_feed(cpm_adapt *a, const cpm_adapt_figures *f, int count, double meeting);

/* What is fed next are all calls so far: none was made while the ranks met. */
void cpm_adapt_tell_all(cpm_adapt *a);

/* What to run next. */
cpm_adapt_period cpm_adapt_next(cpm_adapt *a);

/* For reports and memory. */
typedef struct {
    long calls;  /* all of this candidate */
    double mean; /* seconds of a call; 0: never called */
    double error;
    bool tried, out;
    double ratio, ratio_error; /* of native's time, by calls in turns; 0: not known (STAR: never) */
} cpm_adapt_seen;

/* What runs when nothing is tried. */
int cpm_adapt_incumbent(const cpm_adapt *a);

/* Calls until what runs when nothing is tried was chosen, the last time; 0: nothing was, native has
 * always run. Of STAR's policies: until the end of Measure_Select, the last time. */
long cpm_adapt_chosen_after(const cpm_adapt *a);

cpm_adapt_seen cpm_adapt_look(const cpm_adapt *a, int who);

/* Seconds that all meetings took which were fed. */
double cpm_adapt_met(const cpm_adapt *a);

/* Learnt before: who took ratio of native's time in so many calls there. It is judged by a few
 * calls in turns with native; others are not tried before as many calls, unless it fails. Before
 * anything was fed; no notice is taken of it by STAR's policies, and where ratio is 1 or more. */
void cpm_adapt_start_from(cpm_adapt *a, int who, double ratio, long calls);

/* Learnt before: who took ratio of native's time, or was given up. Whatever the ratio, it is not
 * tried before as many calls, or a number that is not large, unless what was started from fails.
 * Before anything was fed, and before cpm_adapt_start_from; no notice is taken by STAR's policies.
 */
void cpm_adapt_start_without(cpm_adapt *a, int who, double ratio, long calls);

#endif
