/* A budget: how often the rounds of a design can be repeated in the time that is left. */
#ifndef CPM_MEASUREMENTS_BUDGET_H
#define CPM_MEASUREMENTS_BUDGET_H

#include "base/statistics.h"
#include "measurements/experiment.h"

/* What rounds of such experiments have taken, and with how many repetitions. */
typedef struct {
    cpm_experiment like;
    double seconds, reps;
} cpm_round_cost;

typedef struct {
    cpm_round_cost *known;
    int count;
} cpm_costs;

void cpm_costs_clear(cpm_costs *c);

/* A round of experiments like x has taken that long with so many repetitions. CPM_ENOMEM. */
int cpm_costs_learn(cpm_costs *c, const cpm_experiment *x, int reps, double seconds, cpm_error *e);

/* Whether such rounds were measured. */
bool cpm_costs_known(const cpm_costs *c, const cpm_experiment *x);

/* Seconds for one repetition of every round from first on; of kinds that are not known yet the
 * dearest one that is. 0 if nothing is known. */
double cpm_costs_of(const cpm_costs *c, const cpm_design *d, int first);

/* Repetitions that all rounds from first on can have in the seconds that are left, within p's
 * bounds; p's least where nothing is known. */
int cpm_budget_reps(const cpm_costs *c, const cpm_design *d, int first, double left,
                    const cpm_precision *p);

/* Moves one experiment of each kind and size between two or three processes to the front, as a
 * round of its own, so that the costs of all are soon known, and then the rest of these rounds,
 * which take longer than one experiment alone. CPM_ENOMEM. */
int cpm_budget_order(cpm_design *d, cpm_error *e);

#endif
