/* Epochs come when the calls have doubled: what they cost is a share of the calls that vanishes. */
#include "tuned/adapt/plan.h"

#include <limits.h>
#include <math.h>

/* Calls after opening until the next epoch; calls from which on epochs do not come when they have
 * doubled any more. */
enum { SOON = 8, OFTEN = 512 };

/* Every so manieth call at least brings all together: an epoch waits for one. */
enum { MOST_APART = 8 };

/* Libraries may send to each of n processes in an epoch that nobody waits for: calls by then, for
 * each process, where epochs are of that kind. */
enum { FIRST_APART = 8 };

/* The same where a root is flooded, and how many times as many calls ranks make until such an epoch
 * ends: they may send that much faster than it receives. */
enum { FIRST_FLOODED = 1024, MORE_FLOODED = 7 };

/* Small collectives of opening, about: hosts, the communicator, which is several of them, and an
 * agreement; where that was prepared. */
enum { OF_OPENING = 10, OF_PREPARED = 2 };

/* What a good choice gains, about, of the calls to which there are candidates. */
static const double part_to_gain = 0.05;

/* Seconds that a program's first communicator takes libraries longer than others, about: Open MPI
 * 4.1 0.3 to 0.4 ms, MPICH 4.0 0.5 to 0.8 ms. Simulated ones take no time of a processor. */
#ifdef CPM_SMPI
static const double of_first = 0;
#else
static const double of_first = 8e-4;
#endif

bool tuned_plan_floods(const tuned_adapt *a, long calls)
{
    return a->alike.floods > 0 && calls > MOST_APART * (calls - a->alike.floods);
}

bool tuned_plan_waits(const tuned_state *t)
{
    return !t->adapt->open && (t->adapt->open_now || t->comm != MPI_COMM_WORLD);
}

bool tuned_plan_is_at_once(const tuned_state *t)
{
    return t->adapt->alike.together || tuned_plan_waits(t);
}

double tuned_plan_call_time(const tuned_adapt *a, long calls)
{
    return !a->open && a->told ? a->heard.each : a->ledger.native / (double)calls;
}

double tuned_plan_drain(const tuned_adapt *a, long calls)
{
    return a->alike.together ? 0 : fmin(2e-3, 4 * tuned_plan_call_time(a, calls)) + a->heard.apart;
}

/* What may be lost by now, if calls since the last epoch began took as long as those before. */
static double room_after(const tuned_adapt *a, long calls)
{
    cpm_ledger now = a->ledger;
    double since = (double)(calls - a->told) * tuned_plan_call_time(a, calls);
    now.native += since;
    now.taken += since;
    return cpm_ledger_room(&now);
}

/* The part of what may be lost that opening may cost: there must be something left for trying. More
 * where it is known what is to be tried, where a root waits for what was lost, which is much to
 * gain, and where no rank is ahead of others, so that what it costs is known. */
static double part_for_opening(const tuned_adapt *a)
{
    bool known = a->epoch.all.learnt > 0 || a->heard.lost;
    return a->alike.together || a->heard.lost ? 0.75 : known ? 0.5 : 0.25;
}

bool tuned_plan_fits(const tuned_adapt *a, double seconds, long calls)
{
    return seconds <= room_after(a, calls) * part_for_opening(a);
}

/* Seconds of a program's first communicator, if opening makes it. */
static double first_of(const tuned_adapt *a)
{
    return a->prepared || a->epoch.all.opening > 0 ? 0 : of_first;
}

/* What may be lost where opening and so many seconds more fit. What the first communicator takes is
 * known, and comes once: trying may wait for it. */
static double room_to_open(const tuned_adapt *a, double more)
{
    const double all = a->heard.needed + more;
    return fmax(all, (all - first_of(a)) / part_for_opening(a));
}

bool tuned_plan_opening_fits(const tuned_adapt *a, double drain, long calls)
{
    return room_to_open(a, drain) <= room_after(a, calls);
}

/* Seconds that a good choice gains. */
static double gain_of(const tuned_adapt *a)
{
    return part_to_gain * fmin(a->heard.worth, a->heard.worth_each * (double)a->told);
}

bool tuned_plan_is_worth(const tuned_adapt *a, double seconds)
{
    return seconds <= fmax(gain_of(a), (double)a->epoch.all.learnt * 1e-12);
}

double tuned_plan_opening(const tuned_adapt *a)
{
    if (a->prepared)
        return OF_PREPARED * a->heard.sync;
    double seen = (double)a->epoch.all.opening * 1e-12;
    double reading = (double)a->epoch.all.reading * 1e-12;
    if (seen > 0)
        return seen;
    return a->heard.sync > 0 ? first_of(a) + tuned_plan_preparing(a->heard.sync) + reading : 0;
}

double tuned_plan_preparing(double sync)
{
    return OF_OPENING * sync;
}

double tuned_plan_offer(const tuned_adapt *a)
{
    return (double)a->epoch.all.offer * 1e-12 + TUNED_OF_OFFER * a->heard.sync;
}

double tuned_plan_part_for_offers(const tuned_adapt *a)
{
    return a->alike.together ? 0.9 : 0.5;
}

/* Seconds that an epoch takes, about. */
static double epoch_time(const tuned_adapt *a)
{
    return a->heard.sync > 0 ? a->heard.sync : 5e-4;
}

bool tuned_plan_may_meet(const tuned_adapt *a)
{
    return cpm_ledger_room(&a->ledger) > 2 * epoch_time(a);
}

/* Calls until what may be lost has grown to so many seconds. */
static double until_room(const tuned_adapt *a, double seconds, long calls)
{
    double missing = seconds - room_after(a, calls);
    return missing > 0 ? missing / (a->ledger.share * tuned_plan_call_time(a, calls)) : 0;
}

/* Calls until the next epoch where nothing is open: it may cost half a per cent of them; where that
 * are many, as many as there were, but after a very early epoch some more. */
static long until_it_pays(const tuned_adapt *a, long calls)
{
    const double share = 0.005, each = tuned_plan_call_time(a, calls);
    if (tuned_plan_floods(a, calls))
        return 3 * calls;
    double often = each > 0 ? epoch_time(a) / (share * each) : 1;
    long most = calls < TUNED_FIRST_EPOCH ? 4L * TUNED_FIRST_EPOCH : calls;
    return often < (double)most ? (long)often + 1 : most;
}

/* Calls until so many seconds are worth it; infinite: none of late is worth anything. */
static double until_worth(const tuned_adapt *a, double seconds)
{
    if (tuned_plan_is_worth(a, seconds))
        return 0;
    return (seconds - gain_of(a)) / (part_to_gain * a->heard.worth_each);
}

/* Calls until it can be opened, if all is as it was of late: earlier epochs are of no use. But a
 * program's first calls take less and less, so each time a quarter as many as before, or when that
 * pays. */
static long until_it_opens(const tuned_adapt *a, long calls)
{
    double need = room_to_open(a, 2 * epoch_time(a)); /* this epoch and the next */
    long pays = until_it_pays(a, calls);
    if (!(a->heard.needed > 0) || !(tuned_plan_call_time(a, calls) > 0))
        return pays;
    const double least = fmin((double)pays, (double)calls / 4);
    const double most = (a->heard.worth_each > 0 ? 4.0 : 1.0) * (double)calls;
    double often = fmax(until_room(a, need, calls), until_worth(a, a->heard.needed));
    often = fmax(often, least);
    return often < most ? (long)often + 1 : (long)most;
}

/* Calls until something can be offered, for which there was no room. */
static long until_offer(const tuned_adapt *a, long calls)
{
    double need = (tuned_plan_offer(a) + epoch_time(a)) / tuned_plan_part_for_offers(a);
    double often = until_room(a, need, calls);
    return often < (double)calls ? (long)often + 1 : calls;
}

/* Calls after it was opened until the next epoch: then it is known what calls there are. */
static long until_shown(const tuned_adapt *a, long calls)
{
    long often = until_it_pays(a, calls);
    if (a->heard.lost)
        return SOON / 2;
    often = often < calls / 4 ? often : calls / 4;
    return often > SOON ? often : SOON;
}

void tuned_plan_next(const tuned_state *t, bool opened)
{
    tuned_adapt *a = t->adapt;
    long calls = t->call - a->origin, often = calls < OFTEN ? calls : calls / 2;
    const double most = a->ledger.share * a->ledger.native + a->ledger.constant;
    if (!a->open && a->alike.together)
        often = until_it_opens(a, calls);
    else if (tuned_plan_waits(t))
        often = 4 * a->heard.apart > most ? LONG_MAX / 2 : 3 * calls;
    else if (!a->open)
        often = until_it_pays(a, calls);
    if (opened)
        often = until_shown(a, calls);
    if (a->open && a->poor)
        often = until_offer(a, calls);
    a->next_epoch = a->at_once ? LONG_MAX : t->call + often;
}

long tuned_plan_meanwhile(const tuned_adapt *a, long calls)
{
    bool known = a->open || a->heard.lost || tuned_plan_call_time(a, calls) > 4 * epoch_time(a);
    long some = known ? calls / 8 : calls;
    if (!a->open && tuned_plan_floods(a, calls))
        return MORE_FLOODED * calls;
    if (a->open && calls - a->opened < some)
        some = calls - a->opened;
    return some > 2 ? some : 2;
}

bool tuned_plan_is_better_later(const tuned_adapt *a, long calls)
{
    return !a->alike.together && calls <= MOST_APART * a->alike.met;
}

long tuned_plan_later(long times)
{
    enum { SOME = 16 };
    return 1 + times / SOME;
}

long tuned_plan_first_apart(const tuned_adapt *a, long calls)
{
    const long apart = (long)FIRST_APART * a->n;
    bool more = tuned_plan_floods(a, calls) && apart < FIRST_FLOODED;
    return a->origin + (more ? FIRST_FLOODED : apart);
}

bool tuned_plan_is_too_early(const tuned_state *t, long calls)
{
    const tuned_adapt *a = t->adapt;
    bool apart = !a->alike.together && (!tuned_plan_waits(t) || tuned_plan_floods(a, calls));
    return !a->begun && calls >= TUNED_FIRST_EPOCH && apart &&
           t->call < tuned_plan_first_apart(a, calls);
}
