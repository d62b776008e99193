#include "tuned/adapt/offers.h"

#include "tuned/adapt/epoch.h"
#include "tuned/adapt/offer.h"
#include "tuned/adapt/plan.h"
#include "tuned/adapt/stretch.h"

/* Of STAR's policies all that have none, one after the other. */
static const tuned_context *most_wished(const tuned_state *t, const tuned_offers *o)
{
    const tuned_adapt *a = t->adapt;
    if (t->rank != 0 || t->orphan)
        return NULL;
    return a->at_once ? tuned_stretch_without_candidates(a, o->persistent)
                      : tuned_epoch_most_wished(a, true, o->persistent);
}

/* Whether there is another one; all know alike. */
static bool begin_next(tuned_state *t, tuned_offers *o)
{
    tuned_adapt *a = t->adapt;
    const double start = PMPI_Wtime();
    if (o->count <= 0 || o->left < o->each)
        return false;
    const tuned_context *x = most_wished(t, o);
    tuned_offer_begin(t, &o->one, o->comm, x ? &x->kind : NULL, o->left);
    o->under_way = true;
    o->count--;
    o->left -= o->each;
    const double spent = PMPI_Wtime() - start;
    a->own.costs += spent + TUNED_OF_OFFER * a->heard.sync;
    t->decisions.deciding += spent;
    tuned_stretch_leave_out(a, spent);
    return true;
}

bool tuned_offers_have_ended(tuned_state *t, tuned_offers *o)
{
    if (o->under_way && !tuned_offer_has_ended(t, &o->one))
        return false;
    if (o->under_way && !o->one.room)
        o->count = 0;
    o->failed = o->failed || (o->under_way && o->one.failed);
    o->under_way = false;
    return !begin_next(t, o);
}
