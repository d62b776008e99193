/* The algorithms that come into question for a request, with their parameters. */
#ifndef CPM_SELECTION_CANDIDATES_H
#define CPM_SELECTION_CANDIDATES_H

#include "models/model.h"
#include "selection/choice.h"
#include "selection/selector_options.h"

typedef struct {
    cpm_collective what; /* of the request's operation, n and root; mapping and parent are owned */
    bool usual;          /* the library's own routine may be this one ... */
    bool allowed;        /* ... which can be in place of one that the request does not allow */
    double effort;       /* seconds that its prediction takes, about */
    double plain;        /* seconds, as if messages did not hinder each other */
    double least;        /* seconds that it takes at least */
    double messages;     /* about, */
    double runs;         /* and runs of positions in them */
    int known;           /* of evaluating: what least is known by */
    double seconds;      /* predicted; negative: not known */
    double *finish;      /* [n] the same for every process, owned; NULL: not known */
    bool at_risk;        /* it escalates */
} candidate;

typedef struct {
    candidate *at;
    int count;
} candidates;

/* What the options let be an answer, of each row with those parameters that are worth trying and
 * that the request allows; and what is usual. m may be NULL: then without thresholds.
 * CPM_ENOMEM. */
int candidates_list(const cpm_model *m, const cpm_selector_options *o, const cpm_request *r,
                    candidates *out, cpm_error *e);
void candidates_clear(candidates *c);

/* Whether it is what was named, with these parameters. */
bool candidates_named(const cpm_selector_options *o, const cpm_collective *c);

/* The k-th is none any more; the others stay in order. */
void candidates_remove(candidates *c, int k);

/* Appends, unless it is there; owned parts are taken over then, and freed else. CPM_ENOMEM. */
int candidates_add(candidates *c, candidate *x, cpm_error *e);

#endif
