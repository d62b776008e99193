/* Block ownership: what every rank of a schedule holds while the proof runs it: blocks, or for a
 * reduction whose contributions each of its blocks has. */
#ifndef CPM_COLLECTIVES_SCHEDULE_OWNERSHIP_H
#define CPM_COLLECTIVES_SCHEDULE_OWNERSHIP_H

#include "collectives/operation.h"
#include "collectives/schedule/schedule.h"

typedef struct cpm_ownership cpm_ownership;

/* As the operation begins. ordered: contributions may only be combined with those of the next lower
 * or higher ranks, as an operation that does not commute demands. CPM_ENOMEM. */
int cpm_ownership_create(const cpm_schedule *s, const cpm_operation *op, bool ordered,
                         cpm_ownership **out, cpm_error *e);
void cpm_ownership_free(cpm_ownership *h);

/* What rank sends in a step, to be given to cpm_ownership_receive and freed; NULL if the names of
 * the positions say it. CPM_EWRONG if the rank does not hold it, CPM_ENOMEM. */
int cpm_ownership_send(const cpm_ownership *h, int rank, const cpm_steps *steps,
                       const cpm_step *step, uint64_t **content, cpm_error *e);

/* Rank has received content. CPM_EWRONG: a contribution would count twice or out of order. */
int cpm_ownership_receive(cpm_ownership *h, int rank, const cpm_steps *steps, const cpm_step *step,
                          const uint64_t *content, cpm_error *e);

/* CPM_EWRONG unless every rank holds what the operation demands in the end. */
int cpm_ownership_check_end(const cpm_ownership *h, cpm_error *e);

#endif
