/* Designs that several estimators use: which processes meet in which round. */
#ifndef CPM_ESTIMATORS_DESIGNS_H
#define CPM_ESTIMATORS_DESIGNS_H

#include "estimators/estimator.h"

enum { CPM_DEFAULT_MESSAGE = 32 * 1024 }; /* bytes: eager with the common MPI libraries over TCP */

/* M of the non-empty experiments: options->message, else the largest of options->sizes, else
 * CPM_DEFAULT_MESSAGE. Never 0. */
size_t cpm_design_message(const cpm_estimation *options);

/* The largest message of a design over many sizes: of options->message and options->sizes; 256 KiB
 * if these are not given. */
size_t cpm_design_largest(const cpm_estimation *options);

/* Whether everything of the design was measured. */
bool cpm_design_is_measured(const cpm_design *d, const cpm_measurements *so_far);

/* Appends that experiment between the pairs of the first rounds of a tournament of n processes, of
 * all n rounds: of all pairs. Each round is followed by the same with the pairs turned.
 * CPM_ENOMEM. */
int cpm_design_both_ways(cpm_design *next, int n, int rounds, int kind, size_t send_bytes,
                         size_t reply_bytes, cpm_error *e);
/* The same until each has met so many that are near it, or all of these: near[i*n + j] says whether
 * j is near i. CPM_ENOMEM. */
int cpm_design_near(cpm_design *next, int n, int partners, const bool *near, cpm_experiment x,
                    cpm_error *e);

/* Partners are added in such steps where a fit is not precise enough. */
enum { CPM_PARTNERS_STEP = 5 };

/* Appends trains of count messages of that many bytes: every process is root of partners of them,
 * each with another replier, in rounds of up to n / 3 disjoint triplets. partners above n - 1 is n
 * - 1. A design with more partners, a multiple of CPM_PARTNERS_STEP, contains one with fewer. n
 * >= 3. CPM_ENOMEM. */
int cpm_design_trains(cpm_design *d, int n, int count, int partners, size_t bytes,
                      size_t reply_bytes, cpm_error *e);

/* Appends one-to-two experiments with empty replies for all 3 C(n,3) choices of a root and two
 * others, in rounds of disjoint triplets (thesis 4.4.3). n >= 3. CPM_ENOMEM. */
int cpm_design_triplets(cpm_design *d, int n, size_t bytes, cpm_error *e);

#endif
