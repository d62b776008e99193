/* What a collective takes at least, without walking how its messages hinder each other. */
#ifndef CPM_SELECTION_BOUND_H
#define CPM_SELECTION_BOUND_H

#include "models/model.h"

/* Seconds below which no walk can end; messages, and runs of positions behind their first ones,
 * about. */
typedef struct {
    double seconds, messages, runs;
} cpm_least;

/* By a look at the steps of a few ranks: the most that the processor of one of them has to send and
 * receive, or that they alone give a resource (a link end of a host, memory, a trunk) to carry. It
 * ends where one of these processors comes to until (infinite: never); then seconds is no less, and
 * messages and runs are of those that were looked at. CPM_ENOMEM, CPM_EWRONG. */
int cpm_least_of_few(const cpm_model *m, const cpm_schedule *s, const cpm_block_sizes *sizes,
                     double until, cpm_least *out, cpm_error *e);

/* The model's messages share resources (cpm_model_flows); CPM_ENOMEM, CPM_EWRONG.
 * By a plain walk in which every message has its way for itself, and the most that any processor
 * and resource has to do. It ends where that comes to until (infinite: never), and seconds is no
 * less then. finish[n], unless it ended so, gets the times of the ranks, of which none has a later
 * one than seconds says. */
int cpm_least_of_walk(const cpm_model *m, const cpm_schedule *s, const cpm_block_sizes *sizes,
                      double until, double *finish, double *seconds, cpm_error *e);

#endif
