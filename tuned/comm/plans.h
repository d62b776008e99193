/* Planned calls that are kept for the next call with the same arguments. */
#ifndef CPM_TUNED_COMM_PLANS_H
#define CPM_TUNED_COMM_PLANS_H

#include <stdatomic.h>

#include "executor/collective.h"
#include "selection/choice.h"

typedef struct tuned_plan tuned_plan;

typedef struct {
    tuned_plan *kept; /* the last used first */
    int count;
    size_t bytes; /* of their space */
} tuned_plans;

/* How many plans were dropped in this process: what was kept of one may be gone. */
extern atomic_ulong tuned_plans_dropped;

/* A plan of the call of n processes by choice; kept: it belongs to plans, else the caller frees it.
 * lasting: types and operation are MPI's own: handles of others may come to mean something else,
 * and their plans are not kept. sizes->each as in mpib_collective_create_sized; sizes NULL: the
 * ranks tell each other, unless each needs to know only what it does (CPM_OWN_SIZE). CPM_ENOMEM and
 * the like. */
int tuned_plans_get(tuned_plans *plans, const cpm_choice *choice, const mpib_arguments *a, int n,
                    bool lasting, const cpm_block_sizes *sizes, mpib_collective **out, bool *kept,
                    cpm_error *e);

/* The same of a call that is under way for a while: nobody else gets the plan until it is given
 * back; plans NULL: it is not kept. Local: sizes are known, or NULL
 * and not needed, and no algorithm is on groups. */
int tuned_plans_take(tuned_plans *plans, const cpm_choice *choice, const mpib_arguments *a, int n,
                     const cpm_block_sizes *sizes, tuned_plan **out, cpm_error *e);
void tuned_plans_give(tuned_plans *plans, tuned_plan *p);

/* Arguments alone, to be given like a plan; NULL: no memory. */
tuned_plan *tuned_plan_of_arguments(const mpib_arguments *a, int n);
mpib_collective *tuned_plan_collective(const tuned_plan *p);
/* The arrays of both sides are the plan's own. */
const mpib_arguments *tuned_plan_arguments(const tuned_plan *p);

void tuned_plans_clear(tuned_plans *plans);

/* Whether a type is one of MPI's own. */
bool tuned_type_is_named(MPI_Datatype type);

#endif
