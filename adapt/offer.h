/* What an adaptive run time tries: the candidates of a request. */
#ifndef CPM_ADAPT_OFFER_H
#define CPM_ADAPT_OFFER_H

#include "adapt/adapt.h"
#include "selection/model_selector.h"
#include "tables/decision_table.h"

typedef struct {
    cpm_collective what; /* mapping and parent are owned; hosts are the request's or the model's,
                            the topology is the request's */
    cpm_adapt_candidate as;
} cpm_offer_one;

/* Index 0 is the library's own routine; then, in the order of trying, the others: those that are at
 * risk last, otherwise what is predicted to be faster first. Each is allowed by the request
 * (cpm_request_allows), and what is the same under several names is there once. */
typedef struct {
    cpm_offer_one *at;
    int count;
} cpm_offer;

enum { CPM_MOST_OFFERED = 16 }; /* besides the library's own */

/* By a model, which is borrowed and has the n processes of r (CPM_EPROCESS): what it predicts to
 * take at most three times as long as the fastest, and at most twice as long as the library's own
 * routine; of each algorithm, and threshold, at most two, with the parameters, or the tree that is
 * mapped in options->seconds, that it predicts to be the fastest. Seconds are those of the largest
 * size of the request's class (size_class.h), the library's those of what it is known to do, NaN if
 * that is not known. Where blocks differ and nobody knows how, they are taken to be as long as
 * their mean; where the model can predict nothing, or nothing is known of sizes, as without a
 * model, and where gathers escalate the gatherv that asks for blocks one by one comes first.
 * CPM_ENOMEM. */
int cpm_offer_of_model(const cpm_model *m, const cpm_selector_options *options,
                       const cpm_request *r, cpm_offer *out, cpm_error *e);

/* Without a model: of each algorithm at most two, as it stands and, for large blocks, in segments
 * (of two levels: with several leaders; meshes: of hosts; one with a threshold: with all that may
 * suit sizes that are not known), in the order of the time in a textbook's
 * homogeneous cluster (textbook.h), so that what is hopeless comes last.
 * Nothing is predicted (NaN). Where no bytes are known, blocks are taken to have 4 KiB. CPM_ENOMEM.
 */
int cpm_offer_of_groups(const cpm_request *r, cpm_offer *out, cpm_error *e);

/* The algorithms of STAR-MPI itself for its operations (alltoall, allgather, allreduce and the
 * v-operations like these), in the order of its groups and without a prediction, as the paper's
 * experiments need them; for others as without a model. CPM_ENOMEM. */
int cpm_offer_of_star(const cpm_request *r, cpm_offer *out, cpm_error *e);

/* Algorithms with a threshold, with 0, 256 B to 16 MB in steps of 1 to 1.5 or 1.33, and 1 GB (all
 * messages are below it), in this order, without a prediction; of operations for which there is
 * none the library's own only. CPM_ENOMEM. */
int cpm_offer_of_thresholds(const cpm_request *r, cpm_offer *out, cpm_error *e);

/* What the table, which is borrowed, says comes first, unless it is the library's own; then as
 * without a model. CPM_ENOMEM. */
int cpm_offer_of_table(const cpm_table *t, const cpm_request *r, cpm_offer *out, cpm_error *e);

/* The library's own routine is not known, so what is predicted is the fastest of what it may be; it
 * was seen to take so many seconds. 0: it was not seen. */
void cpm_offer_expect_native(cpm_offer *o, double seconds);

/* Of a gather that was seen to wait for what a switch loses: the seconds that the library's own
 * routine takes so, and those that others may take which keep senders from sending together. */
void cpm_offer_expect_calm(cpm_offer *o, double native, double calm);

void cpm_offer_clear(cpm_offer *o);

#endif
