#include <pthread.h>
#include <stdlib.h>

#include "hosts/launcher.h"
#include "tuned/adapt/adapt.h"
#include "tuned/adapt/epoch.h"
#include "tuned/adapt/exchange.h"
#include "tuned/adapt/memory.h"
#include "tuned/adapt/offer.h"
#include "tuned/adapt/plan.h"
#include "tuned/attribute.h"
#include "tuned/environment.h"
#include "tuned/trust.h"

enum { FIRST_PROMISED = 8 };

/* ---- the end of the program ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static tuned_adapt *all;
static bool watching;

/* False: ranks do not come to what is under way. */
static bool end_requests(tuned_adapt *a)
{
    bool ended = tuned_exchange_end(&a->epoch.request);
    if (ended)
        tuned_epoch_forget(&a->epoch);
    for (int k = 0; k < a->floods.count && ended; k++)
        ended = tuned_exchange_end(&a->floods.at[k].request);
    for (tuned_context *x = a->contexts.all; x && ended; x = x->next)
        ended = tuned_exchange_end(&x->exchange.request);
    return ended && tuned_exchange_end(&a->meeting.offers.one.request);
}

static int at_end(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    pthread_mutex_lock(&lock);
    for (tuned_adapt *a = all; a; a = a->next)
        end_requests(a);
    pthread_mutex_unlock(&lock);
    return MPI_SUCCESS;
}

static void watch(void)
{
    if (!watching)
        tuned_attribute_at_end(at_end);
    watching = true;
}

void tuned_adapt_watch(void)
{
    pthread_mutex_lock(&lock);
    watch();
    pthread_mutex_unlock(&lock);
}

static void enter(tuned_adapt *a)
{
    pthread_mutex_lock(&lock);
    watch();
    a->next = all;
    if (all)
        all->previous = a;
    all = a;
    pthread_mutex_unlock(&lock);
}

static void leave(const tuned_adapt *a)
{
    pthread_mutex_lock(&lock);
    if (a->previous)
        a->previous->next = a->next;
    else
        all = a->next;
    if (a->next)
        a->next->previous = a->previous;
    pthread_mutex_unlock(&lock);
}

/* ---- what it has shown ---- */

static void remember(tuned_adapt *a)
{
    if (a->hosts && a->open)
        tuned_memory_add(&a->contexts, a->n, a->hosts);
    free(a->hosts);
    a->hosts = NULL;
}

void tuned_adapt_remember(void)
{
    pthread_mutex_lock(&lock);
    for (tuned_adapt *a = all; a; a = a->next)
        remember(a);
    pthread_mutex_unlock(&lock);
}

/* ---- its life ---- */

/* Soon where lessons promise a gain, of which all know. */
static long first_look(MPI_Comm comm)
{
    return comm == MPI_COMM_WORLD && tuned_memory_promises_world() ? FIRST_PROMISED
                                                                   : TUNED_FIRST_EPOCH;
}

tuned_adapt *tuned_adapt_create(MPI_Comm comm, cpm_adapt_policy policy, bool checked)
{
    tuned_adapt *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    PMPI_Comm_size(comm, &a->n);
    a->floods.n = a->n;
    a->floods.on_one_host = comm == MPI_COMM_WORLD && mpib_launched_on_one_host();
    a->policy = policy;
    a->at_once = policy != CPM_ADAPT_BUDGET;
    a->named = a->at_once; /* nothing is remembered */
    a->open_now = checked || a->at_once;
    a->next_epoch = a->open_now ? 1 : first_look(comm);
    a->ledger = a->started.ledger = cpm_ledger_new();
    a->started.ledger.constant = 0;
    a->epoch.request = MPI_REQUEST_NULL;
    a->epoch.combine = MPI_OP_NULL;
    a->meeting.offers.one.request = MPI_REQUEST_NULL;
    a->stretches.next = a->started.next = a->at_once ? 1 : TUNED_FIRST_EPOCH;
    enter(a);
    return a;
}

bool tuned_adapt_begin(tuned_state *t)
{
    const tuned_environment *said = tuned_environment_get();
    if (!tuned_adapts(t->comm))
        return true;
    t->native = true;
    t->adapt = tuned_adapt_create(t->comm, said->policy, said->check);
    return t->adapt;
}

/* From no call on they have an engine. */
static void give_up_held(tuned_state *t, const tuned_adapt *a)
{
    for (tuned_context *x = a->contexts.all; x; x = x->next)
        if (x->held)
            tuned_offer_let_go(t, x, true);
}

/* What is under way with ranks that do not come stays in memory. */
void tuned_adapt_stop(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    t->adapt = NULL;
    if (!a)
        return;
    leave(a);
    remember(a);
    if (!end_requests(a))
        return;
    give_up_held(t, a);
    tuned_contexts_clear(&a->contexts);
    free(a->meeting.offers.one.message);
    for (int k = 0; k < 2; k++)
        free(a->rooted[k].sizes);
    free(a);
}

bool tuned_adapt_goes_on(const tuned_state *t)
{
    return t->onset.listed || (t->rounds && t->rounds->onset.listed);
}

void tuned_adapt_end(tuned_state *t)
{
    if (t->adapt && tuned_adapt_goes_on(t))
        remember(t->adapt);
    else
        tuned_adapt_stop(t);
}
