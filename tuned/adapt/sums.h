/* What the ranks of a communicator tell each other of the calls they have seen: whole numbers with
 * names. Each is summed over the ranks, so that all get the same whatever the order of summing, but
 * for the longest of times. Times are picoseconds. */
#ifndef CPM_TUNED_ADAPT_SUMS_H
#define CPM_TUNED_ADAPT_SUMS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "adapt/adapt.h"
#include "tuned/comm/state.h"

/* Whole picoseconds, at most so many that those of n ranks can be summed, and not below 0. */
static inline int64_t tuned_ps(double seconds, int n)
{
    const double most = 9e18 / n, ps = seconds * 1e12;
    return (int64_t)(ps < 0 ? 0 : ps < most ? ps : most);
}

/* Seconds of one rank, of which others are about to hear: of calls that belong to no engine, and of
 * costs. */
typedef struct {
    double outside, costs;
} tuned_told;

/* In each. */
typedef struct {
    int64_t doubts;  /* ranks that may have counted otherwise: engines would end at once */
    int64_t outside; /* of calls that belong to no engine, since somebody heard of them */
    int64_t costs;   /* of exchanges, opening and deciding, likewise */
} tuned_common_sums;

/* In an epoch; what is of rank 0 alone the others leave 0. */
typedef struct {
    tuned_common_sums common;
    int64_t worth; /* of calls to which there are candidates, before it is open */
    int64_t constant;
    int64_t opening;               /* rank 0: what it took before, */
    int64_t reading;               /* what reading what the environment names takes, */
    int64_t offer;                 /* what an offer takes, */
    int64_t wishes;                /* how many kinds of calls it would decide on, */
    int64_t names;                 /* something is remembered: hosts are to be known, */
    int64_t learnt;                /* what lessons would have saved of the calls so far */
    int64_t lent;                  /* what persistent calls have spent beyond their own room */
    int64_t late;                  /* calls in which a root waited for long */
    int64_t idle;                  /* ranks on which nonblocking calls cannot go on by themselves */
    int64_t full;                  /* ranks that may not have another private communicator */
    int64_t checks, model, layout; /* rank 0: what is to be opened, as tuned_asked */
    int64_t elapsed;               /* since all had come together */
    int64_t no_longer;             /* the longest of a rank, as what is below 0 (tuned_longest) */
} tuned_epoch_sums;

/* Candidates of a period are two, and what ran while statistics were exchanged may be a third. */
enum { TUNED_TALLIES = 3 };

/* In an exchange of the statistics of one kind of calls. */
typedef struct {
    tuned_common_sums common;
    int64_t changes; /* ranks of whose own blocks the sizes have changed */
    int64_t calls;   /* of the context: the same number at every rank, or something is wrong */
    int64_t took;    /* the last exchange */
    int64_t sum[TUNED_TALLIES];                   /* of what is compared, */
    int64_t spent[TUNED_TALLIES];                 /* of whole calls, */
    int64_t last[TUNED_TALLIES * CPM_ADAPT_KEPT]; /* of the last calls, one tally after the other */
} tuned_exchange_sums;

/* Where a round of persistent calls begins (tuned/call/round.h); what is of rank 0 alone the others
 * leave 0. */
typedef struct {
    tuned_common_sums common;
    int64_t ends;                       /* ranks that hold no more of them */
    int64_t at_once;                    /* whatever it takes: STAR's policies */
    int64_t wishes;                     /* as in an epoch, */
    int64_t offer;                      /* likewise; */
    int64_t room;                       /* what other calls leave, or have spent, below 0 */
    int64_t fewest[TUNED_MOST_STARTED]; /* starts of each call, as what is below 0 */
} tuned_round_sums;

/* Of which only the largest counts, beside sums, none of which is below 0. */
static inline int64_t tuned_longest(int64_t x)
{
    return ~x;
}

/* The same of the smallest; either gives back what the other one was given. */
static inline int64_t tuned_fewest(int64_t x)
{
    return x ^ INT64_MIN;
}

/* Sums, waited for at once (request NULL) or not. combine: of an epoch or a round, to be freed when
 * it has ended. last: how many of those are used. Return what MPI says. Collective. */
int tuned_sum_epoch(tuned_epoch_sums *s, MPI_Comm comm, MPI_Op *combine, MPI_Request *request);
int tuned_sum_round(tuned_round_sums *s, MPI_Comm comm, MPI_Op *combine, MPI_Request *request);
int tuned_sum_exchange(tuned_exchange_sums *s, int last, MPI_Comm comm, MPI_Request *request);

#endif
