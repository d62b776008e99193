/* Rounds of a design that are filled: each experiment, or group of them, is in the first round in
 * which nothing that it takes is taken by another. */
#ifndef CPM_ESTIMATORS_ROUNDS_H
#define CPM_ESTIMATORS_ROUNDS_H

#include "measurements/experiment.h"

/* Zero but for wide is none. */
typedef struct {
    size_t wide;   /* things that can be taken: 0..wide - 1 */
    cpm_design in; /* all experiments, without rounds */
    int *round;    /* [in.count] */
    char *busy;    /* [rounds][wide] */
    int *taken;    /* [takes] by what is added next */
    int takes, rounds;
    int64_t round_room, busy_room, taken_room;
} cpm_rounds;

/* What is added next takes that. CPM_ENOMEM. */
int cpm_rounds_take(cpm_rounds *r, int what, cpm_error *e);
/* Adds experiments that are at once. CPM_ENOMEM. */
int cpm_rounds_add(cpm_rounds *r, const cpm_experiment *x, int count, cpm_error *e);
/* Appends all rounds to a design. CPM_ENOMEM. */
int cpm_rounds_put(const cpm_rounds *r, cpm_design *next, cpm_error *e);
void cpm_rounds_clear(cpm_rounds *r);

#endif
