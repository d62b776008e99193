/* A state is made at a communicator's first call that MPI takes at this rank. Afterwards nothing is
 * agreed on any more: MPI may refuse a call at one rank only. */
#include "tuned/comm/state.h"

#include <limits.h>
#include <stdlib.h>

#include "executor/emergency.h"
#include "tuned/attribute.h"
#include "tuned/comm/announced.h"
#include "tuned/comm/hooks.h"
#include "tuned/comm/inside.h"
#include "tuned/comm/neighbours.h"
#include "tuned/comm/numbers.h"
#include "tuned/comm/open.h"
#include "tuned/environment.h"
#include "tuned/trust.h"

/* ---- the hooks ---- */

static bool all_make(tuned_state *t)
{
    bool made = true;
    for (int k = 0; k < tuned_hooks_count && made; k++)
        if (tuned_hooks_of_all[k].makes)
            made = tuned_hooks_of_all[k].makes(t);
    return made;
}

static void all_end(tuned_state *t)
{
    for (int k = 0; k < tuned_hooks_count; k++)
        if (tuned_hooks_of_all[k].ends)
            tuned_hooks_of_all[k].ends(t);
}

/* ---- its end ---- */

/* Nobody holds it. */
static void end_alone(tuned_state *t)
{
    int finalized = 0;
    PMPI_Finalized(&finalized);
    bool inside = t->inside != MPI_COMM_NULL && !finalized;
    if (inside)
        tuned_notices_clear(t);
    tuned_announced_clear(&t->announced);
    tuned_decisions_clear(&t->decisions);
    if (inside)
        tuned_inside_free(t);
    tuned_hints_clear(&t->hints);
    if (t->selector)
        t->selector->free(t->selector);
    cpm_model_free(t->model);
    cpm_hosts_clear(&t->hosts);
    cpm_topology_free(t->topology);
    tuned_neighbours_clear(t);
    free(t->sizes);
    free(t->types[0]);
    free(t->runs);
    free(t->rounds);
    free(t);
}

void tuned_state_hold(tuned_state *t)
{
    t->held++;
}

void tuned_state_let_go(tuned_state *t)
{
    if (!--t->held && t->orphan)
        end_alone(t);
}

static void free_state(tuned_state *t)
{
    all_end(t);
    end_alone(t);
}

/* Calls under way end as if their communicator were there. */
static void end_state(tuned_state *t)
{
    tuned_numbers_end(t);
    all_end(t);
    t->orphan = t->held > 0;
    if (!t->orphan)
        end_alone(t);
}

/* ---- the first call ---- */

static tuned_state *allocate(MPI_Comm comm)
{
    tuned_state *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->comm = comm;
    t->inside = t->aside = MPI_COMM_NULL;
    t->pass_most = LONG_MAX;
    PMPI_Comm_rank(comm, &t->rank);
    PMPI_Comm_size(comm, &t->n);
    size_t n = (size_t)t->n;
    t->sizes = malloc(5 * n * sizeof *t->sizes); /* ptrdiff_t is as large as size_t */
    t->types[0] = malloc(2 * n * sizeof *t->types[0]);
    t->runs = calloc(CPM_OPERATIONS * n, sizeof *t->runs);
    if (!t->sizes || !t->types[0] || !t->runs || !tuned_decisions_prepare(&t->decisions, t->n) ||
        !mpib_emergency_keep()) {
        free_state(t);
        return NULL;
    }
    for (size_t k = 0; k < 2; k++) {
        t->counts[k] = t->sizes + (1 + k) * n;
        t->displacements[k] = (ptrdiff_t *)(t->sizes + (3 + k) * n);
        t->types[k] = t->types[0] + k * n;
    }
    if (all_make(t))
        return t;
    free_state(t);
    return NULL;
}

static void attach(MPI_Comm comm, tuned_state *t)
{
    tuned_attribute_set(comm, t, end_state);
    for (int k = 0; k < tuned_hooks_count; k++)
        if (tuned_hooks_of_all[k].attached)
            tuned_hooks_of_all[k].attached(comm, t);
}

bool tuned_state_is_possible(MPI_Comm comm)
{
    int inter = 0, n = 0;
    PMPI_Comm_test_inter(comm, &inter);
    PMPI_Comm_size(comm, &n);
    return !inter && n > 1;
}

/* All begin with the same number. Collective; NULL on every rank if one had no memory. */
static tuned_state *begin_together(MPI_Comm comm, tuned_state *t, tuned_asked *asked)
{
    long least[2 + TUNED_ASKED_WORDS] = {t != NULL, -tuned_numbers_last()};
    tuned_asked_say(t, tuned_environment_chooses(), least + 2);
    PMPI_Allreduce(MPI_IN_PLACE, least, 2 + TUNED_ASKED_WORDS, MPI_LONG, MPI_MIN, comm);
    *asked = tuned_asked_by(least + 2);
    if (t && !least[0]) {
        free_state(t);
        return NULL;
    }
    if (t)
        t->call = t->since = -least[1];
    return t;
}

/* Calls are only watched: nothing is agreed on. */
static tuned_state *make_watching_state(MPI_Comm comm)
{
    tuned_state *t = tuned_state_is_possible(comm) ? allocate(comm) : NULL;
    if (t)
        t->native = true;
    attach(comm, t);
    return t;
}

/* No other rank hears of it. Without a state this one would not come when the others exchange
 * statistics, so it needs the emergency memory. */
static tuned_state *make_alone(MPI_Comm comm)
{
    tuned_state *t = tuned_state_is_possible(comm) ? allocate(comm) : NULL;
    if (!t && tuned_state_is_possible(comm) && mpib_emergency_spend())
        t = allocate(comm);
    attach(comm, t);
    return t;
}

/* draft: NULL, or what becomes it. */
static tuned_state *make_state(MPI_Comm comm, tuned_state *draft, tuned_asked *asked)
{
    tuned_state *t = NULL;
    if (tuned_state_is_possible(comm))
        t = begin_together(comm, draft ? draft : allocate(comm), asked);
    attach(comm, t);
    return t;
}

bool tuned_state_known(MPI_Comm comm, tuned_state **out)
{
    *out = NULL;
    return comm == MPI_COMM_NULL || tuned_attribute_get(comm, out) ||
           !tuned_environment_get()->active;
}

tuned_state *tuned_state_draft(MPI_Comm comm)
{
    const tuned_environment *said = tuned_environment_get();
    bool together = !said->profile && !said->check && !tuned_adapts(comm);
    return together && tuned_state_is_possible(comm) ? allocate(comm) : NULL;
}

void tuned_state_drop(tuned_state *draft)
{
    if (draft)
        free_state(draft);
}

tuned_state *tuned_state_first(MPI_Comm comm, tuned_state *draft)
{
    tuned_asked asked;
    if (tuned_environment_get()->profile)
        return make_watching_state(comm);
    if (tuned_adapts(comm))
        return make_alone(comm);
    tuned_state *t = make_state(comm, draft, &asked);
    if (t)
        tuned_open_environment(t, &asked);
    return t;
}

tuned_state *tuned_state_of(MPI_Comm comm)
{
    tuned_state *t = NULL;
    return tuned_state_known(comm, &t) ? t : tuned_state_first(comm, NULL);
}

tuned_state *tuned_state_make(MPI_Comm comm)
{
    tuned_state *t = NULL;
    tuned_asked asked;
    if (tuned_environment_get()->active)
        return tuned_state_of(comm);
    return tuned_attribute_get(comm, &t) ? t : make_state(comm, NULL, &asked);
}

/* ---- somebody else decides ---- */

void tuned_state_forget(tuned_state *t)
{
    for (int k = 0; k < tuned_hooks_count; k++)
        if (tuned_hooks_of_all[k].renews)
            tuned_hooks_of_all[k].renews(t);
    t->since = ++t->call;
    tuned_announced_clear(&t->announced);
    tuned_decisions_forget(&t->decisions);
}

void tuned_state_renew(tuned_state *t)
{
    tuned_state_forget(t);
    tuned_open_choosing(t, false);
}
