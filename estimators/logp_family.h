/* What the estimators of LogP, LogGP and PLogP share: experiments between all ordered pairs, and
 * the gap and overheads that they say (Culler et al. 1996; Kielmann et al. 2000; thesis 2.2). */
#ifndef CPM_ESTIMATORS_LOGP_FAMILY_H
#define CPM_ESTIMATORS_LOGP_FAMILY_H

#include "estimators/estimator.h"

typedef struct {
    double value, half; /* seconds; half width of its confidence interval */
} cpm_time;

/* Appends what one message size needs: round trips with an empty reply, the duration of a send, and
 * of a receive that need not wait. CPM_ENOMEM. */
int cpm_design_logp_size(cpm_design *next, int n, size_t bytes, cpm_error *e);

/* Appends, for every ordered pair, the next saturation by messages of that size: 100 of them, then
 * twice as many until the time per message changes by less than 1 % (Kielmann et al. 2000).
 * Nothing where that is reached. CPM_ENOMEM. */
int cpm_design_saturation(cpm_design *next, int n, const cpm_measurements *so_far, size_t bytes,
                          cpm_error *e);

/* The round trip of i and j, M bytes out and N back. CPM_EDATA if it is missing. */
int cpm_take_roundtrip(const cpm_measurements *m, int i, int j, size_t send_bytes,
                       size_t reply_bytes, cpm_time *out, cpm_error *e);

/* The gap of messages from i to j by the longest saturation there is: its time without the round
 * trip of the last message, by the number of the others. CPM_EDATA if one is missing. */
int cpm_take_gap(const cpm_measurements *m, int i, int j, size_t bytes, cpm_time *out,
                 cpm_error *e);

/* Mean over the partners of i of the duration of a send (CPM_SEND_TIME) or of a receive
 * (CPM_LATE_RECEIVE) of that many bytes (thesis 5.2). CPM_EDATA if there is none. */
int cpm_take_overhead(const cpm_measurements *m, int kind, int i, size_t bytes, cpm_time *out,
                      cpm_error *e);

/* Sets a process's o, the mean of both overheads, for every process of LogP or LogGP. */
int cpm_set_overheads(const cpm_measurements *m, size_t bytes, cpm_model *model, int parameter,
                      cpm_error *e);

/* LogGP can be derived from its result. */
cpm_fit_function cpm_plogp_fit;

#endif
