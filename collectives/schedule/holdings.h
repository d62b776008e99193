/* What every rank of a schedule holds while the checker runs it: blocks, or for a reduction whose
 * contributions each of its blocks has. */
#ifndef CPM_COLLECTIVES_SCHEDULE_HOLDINGS_H
#define CPM_COLLECTIVES_SCHEDULE_HOLDINGS_H

#include "collectives/operation.h"
#include "collectives/schedule/schedule.h"

typedef struct cpm_holdings cpm_holdings;

/* As the operation begins. ordered: contributions may only be combined with those of the next lower
 * or higher ranks, as an operation that does not commute demands. CPM_ENOMEM. */
int cpm_holdings_create(const cpm_schedule *s, const cpm_operation *op, bool ordered,
                        cpm_holdings **out, cpm_error *e);
void cpm_holdings_free(cpm_holdings *h);

/* What rank sends in a step, to be given to cpm_holdings_receive and freed; NULL if the names of
 * the positions say it. CPM_EWRONG if the rank does not hold it, CPM_ENOMEM. */
int cpm_holdings_send(const cpm_holdings *h, int rank, const cpm_steps *steps, const cpm_step *step,
                      uint64_t **content, cpm_error *e);

/* Rank has received content. CPM_EWRONG: a contribution would count twice or out of order. */
int cpm_holdings_receive(cpm_holdings *h, int rank, const cpm_steps *steps, const cpm_step *step,
                         const uint64_t *content, cpm_error *e);

/* CPM_EWRONG unless every rank holds what the operation demands in the end. */
int cpm_holdings_check_end(const cpm_holdings *h, cpm_error *e);

#endif
