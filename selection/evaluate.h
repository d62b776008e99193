/* Predicting candidates, as many as can be in bounded time. */
#ifndef CPM_SELECTION_EVALUATE_H
#define CPM_SELECTION_EVALUATE_H

#include "selection/candidates.h"
#include "selection/escalation.h"
#include "selection/size_class.h"

/* Everything is borrowed. */
typedef struct {
    const cpm_model *model;
    cpm_request request; /* of the largest size of the class */
    cpm_size_class sizes;
    bool irregular; /* the model has an irregular region: */
    cpm_switch_buffer buffer;
    bool traced;           /* walks are watched */
    double most;           /* seconds of walks in a pass over all candidates */
    double most_of_search; /* the same of a search for the best (most) */
    double most_of_usual;  /* and there of a first walk of what is usual (twice that) */
    double within; /* those are wanted that take up to so many times as long as the fastest (1) */
    double share_of_usual; /* or, where that is not at risk, no more than this share of what is
                              usual (infinite: whatever that takes) */
    double computing; /* above 0: seconds of candidates are of nonblocking calls, with as long a
                         computation between beginning and end */
    int batch;        /* seconds of candidates are of isolated calls, or of one in a batch */
} evaluation;

evaluation evaluation_of(const cpm_model *m, const cpm_request *r, cpm_size_class sizes,
                         double most);

/* Predicts x with the model's walk, and whether it escalates at one end of the class. It stays not
 * predicted if it does not apply. CPM_ENOMEM. */
int evaluate_one(const evaluation *v, candidate *x, cpm_error *e);

/* Predicts those of c that come near to the fastest, and what is usual, as long as the sum of their
 * efforts is bounded. Of what takes longer to walk than that the time is estimated; where processes
 * share a host, or hosts a link, the fastest is none of those, unless it is usual. What not even an
 * estimate is possible of is not known. */
int evaluate_all(const evaluation *v, candidates *c, cpm_error *e);

/* The fastest that the request allows; one that does not escalate before all that do. NULL: none is
 * known. */
const candidate *candidates_best(const candidates *c);

/* Seconds that it takes, or takes at least if only that is known; else negative. */
double candidate_time(const candidate *x);

/* Near enough to the fastest to be worth a closer look: within twice its time. */
bool candidate_is_promising(const candidate *x, const candidate *best);

#endif
