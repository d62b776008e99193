/* Looks come when the calls have doubled: what they cost is a share of the calls that vanishes. */
#include "tuned/adapt.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "tuned/adapt_meeting.h"
#include "tuned/adapt_offer.h"
#include "tuned/adapt_rooted.h"
#include "tuned/environment.h"
#include "tuned/learn.h"
#include "tuned/memory.h"

/* Calls before the first look, which costs as much as some short ones; after opening it comes
 * sooner. */
enum { FIRST = 64, FIRST_PROMISED = 8, SOON = 8, OFTEN = 512, MOST_OFFERS = 8 };

/* Every so manieth call at least brings all together: a look waits for one. */
enum { MOST_APART = 8 };

/* Libraries may send to each of n processes in a look that nobody waits for: calls by then, for
 * each process, where looks are of that kind. */
enum { FIRST_APART = 8 };

/* Of scatterv and gatherv: of these a root may lose a hundred milliseconds each. */
enum { FIRST_ROOTED = 6 };

/* Small collectives of opening, about: hosts, the communicator, which is several of them, and an
 * agreement; and of an offer. */
enum { OF_OPENING = 10, OF_OFFER = 3 };

/* A look before the first one where each process has moved so many bytes by then in calls that
 * bring all together: a link of 100 Gbit/s needs 0.3 ms for them and a hundredth of that for a
 * look, one that is slower that much more for either. */
static const double much = 4e6;

/* Seconds of calls that are worth noting before anything is open. */
static const double long_enough = 2e-5;

/* The program's, once: the first communicators that open have it. Picoseconds. */
static atomic_llong constant = 1000000000;

/* Seconds that opening took the last time; 0: never seen. */
static _Atomic double opening;

/* ---- what a look says ---- */

/* Adds, but of what is below 0 the least counts: libraries may reduce parts of an array apart, so
 * no place tells what a word is. */
static void combine_words(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    const int64_t *from = in;
    int64_t *to = inout;
    for (int k = 0; k < *count; k++)
        if (from[k] >= 0 && to[k] >= 0)
            to[k] += from[k];
        else if (from[k] < to[k])
            to[k] = from[k];
}

static void begin_reduction(const tuned_state *t, tuned_look *l)
{
    MPI_Comm comm = t->adapt->open ? t->inside : t->comm;
    PMPI_Op_create(combine_words, 1, &l->combine);
    if (l->at_once)
        PMPI_Allreduce(MPI_IN_PLACE, l->say, TUNED_LOOK_WORDS, MPI_INT64_T, l->combine, comm);
    else
        PMPI_Iallreduce(MPI_IN_PLACE, l->say, TUNED_LOOK_WORDS, MPI_INT64_T, l->combine, comm,
                        &l->request);
}

/* Its request has ended, or there was none. */
static void end_reduction(tuned_look *l)
{
    if (l->combine != MPI_OP_NULL)
        PMPI_Op_free(&l->combine);
}

/* ---- the end of the program ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static tuned_adapt *all;
static bool watching;

/* False: ranks do not come to what is under way. */
static bool end_requests(tuned_adapt *a)
{
    bool ended = tuned_meeting_end(&a->look.request);
    if (ended)
        end_reduction(&a->look);
    for (tuned_context *x = a->contexts.all; x && ended; x = x->next)
        ended = tuned_meeting_end(&x->meeting.request);
    return ended;
}

/* MPI_COMM_SELF ends first when MPI does: everything works then. */
static int at_end(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    pthread_mutex_lock(&lock);
    for (tuned_adapt *a = all; a; a = a->next)
        end_requests(a);
    pthread_mutex_unlock(&lock);
    return MPI_SUCCESS;
}

static void watch_the_end(void)
{
    int key, initialized = 0;
    PMPI_Initialized(&initialized); /* a session has no such communicator */
    watching = true;
    if (!initialized)
        return;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &key, NULL);
    PMPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
}

static void enter(tuned_adapt *a)
{
    pthread_mutex_lock(&lock);
    if (!watching)
        watch_the_end();
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
    return comm == MPI_COMM_WORLD && tuned_learn_promises() ? FIRST_PROMISED : FIRST;
}

tuned_adapt *tuned_adapt_create(MPI_Comm comm, cpm_adapt_policy policy, bool checked)
{
    tuned_adapt *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    PMPI_Comm_size(comm, &a->n);
    a->policy = policy;
    a->at_once = policy != CPM_ADAPT_BUDGET;
    a->named = a->at_once; /* nothing is remembered */
    a->open_now = checked || a->at_once;
    a->next_look = a->open_now ? 1 : first_look(comm);
    a->ledger = cpm_ledger_new();
    a->look.request = MPI_REQUEST_NULL;
    a->look.combine = MPI_OP_NULL;
    enter(a);
    return a;
}

/* What is under way with ranks that do not come stays in memory. */
void tuned_adapt_free(tuned_adapt *a)
{
    if (!a)
        return;
    leave(a);
    remember(a);
    if (!end_requests(a))
        return;
    tuned_contexts_clear(&a->contexts);
    for (int k = 0; k < 2; k++)
        free(a->rooted[k].sizes);
    free(a);
}

void tuned_adapt_hear(tuned_adapt *a, int n, int64_t outside, int64_t costs)
{
    double share = 1e-12 / n;
    a->ledger.native += (double)outside * share;
    a->ledger.taken += (double)outside * share;
    cpm_ledger_charge(&a->ledger, (double)costs * share);
}

/* ---- looking ---- */

/* A communicator that the program frees while a request of its is open lives on, with the
 * program's attributes: before there is a private one looks are waited for at once, and are rarer,
 * and end where ranks run apart: the next one would find them four times as far.
 * That of all processes is not freed. */
static bool waits(const tuned_state *t)
{
    return !t->adapt->open && (t->adapt->open_now || t->comm != MPI_COMM_WORLD);
}

/* Whether a look is waited for at once. */
static bool is_at_once(const tuned_state *t)
{
    return t->adapt->together || waits(t);
}

/* Seconds of a call so far, by MPI's own routines; 0: not known yet. Before it is open only looks
 * tell of calls: of those until they began, half of all at the end of an early one. */
static double call_time(const tuned_adapt *a, long calls)
{
    return a->ledger.native / (double)(!a->open && a->told ? a->told : calls);
}

static bool is_wished(const tuned_adapt *a, const tuned_context *x)
{
    return !x->engine && !x->ended && x->spent >= tuned_offer_cost(a->n);
}

/* What took the longest so far, but for those that have candidates, and others that took at least
 * half as long: they come first. */
static bool is_wished_first(const tuned_adapt *a, const tuned_context *x)
{
    double most = 0;
    for (const tuned_context *y = a->contexts.all; y; y = y->next)
        if (is_wished(a, y))
            most = fmax(most, y->spent);
    return is_wished(a, x) && 2 * x->spent >= most;
}

/* Of these the one with the longest calls, of which few tell what the others would need many for;
 * NULL: nothing is worth it. */
static const tuned_context *most_wished(const tuned_adapt *a)
{
    const tuned_context *most = NULL;
    for (const tuned_context *x = a->contexts.all; x; x = x->next)
        if (is_wished_first(a, x) &&
            (!most || x->spent * (double)most->noted > most->spent * (double)x->noted))
            most = x;
    return most;
}

static int count_wishes(const tuned_adapt *a)
{
    int count = 0;
    for (const tuned_context *x = a->contexts.all; x; x = x->next)
        count += is_wished_first(a, x);
    return count < MOST_OFFERS ? count : MOST_OFFERS;
}

/* Seconds of this rank that lessons would have saved so far. */
static double promised(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    double seconds = 0;
    if (!a->open && !a->hosts && a->policy == CPM_ADAPT_BUDGET)
        a->hosts = tuned_memory_known_hosts(t->comm);
    for (const tuned_context *x = a->contexts.all; x && a->hosts && !a->open; x = x->next)
        seconds += x->spent * tuned_memory_promise(a->hosts, t->n, &x->kind);
    return seconds;
}

/* Seconds to read what the environment names, by its size; an ordinary file of 10 KB took 0.5 to 2
 * ms, one of 9 MB 0.2 to 0.3 s. */
static double reading(void)
{
    const tuned_environment *said = tuned_environment_get();
    const char *path = said->table ? said->table : said->model;
    struct stat of;
    if (!path)
        return 0;
    return 1e-3 + (stat(path, &of) ? 4e-3 : 6e-8 * (double)of.st_size);
}

static void begin_look(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    bool first = t->rank == 0;
    double start = PMPI_Wtime();
    a->look.say[TUNED_LOOK_OUTSIDE] = tuned_ps(a->outside, t->n);
    a->look.say[TUNED_LOOK_WORTH] = tuned_ps(a->worth, t->n);
    a->look.say[TUNED_LOOK_COSTS] = tuned_ps(a->costs, t->n);
    a->look.say[TUNED_LOOK_CONSTANT] = atomic_load(&constant);
    a->look.say[TUNED_LOOK_OPENING] = first ? tuned_ps(atomic_load(&opening), t->n) : 0;
    a->look.say[TUNED_LOOK_READING] = first ? tuned_ps(reading(), t->n) : 0;
    a->look.say[TUNED_LOOK_OFFER] = first ? tuned_ps(tuned_offer_cost(t->n), t->n) : 0;
    a->look.say[TUNED_LOOK_WISHES] = first ? count_wishes(a) : 0;
    a->look.say[TUNED_LOOK_NAMES] = first && tuned_memory_has_any();
    a->look.say[TUNED_LOOK_LEARNT] = first ? tuned_ps(promised(t), t->n) : 0;
    a->outside = a->costs = 0;
    a->begun = t->call - a->origin;
    a->look.say[TUNED_LOOK_DOUBTS] = a->doubt;
    a->look.say[TUNED_LOOK_ELAPSED] = tuned_ps(start - a->since, t->n);
    a->look.say[TUNED_LOOK_LONGEST] = -1 - a->look.say[TUNED_LOOK_ELAPSED];
    a->look.say[TUNED_LOOK_LATE] = a->rooted[0].late + a->rooted[1].late;
    const tuned_asked own = tuned_state_asks(t);
    a->look.say[TUNED_LOOK_FULL] = !own.room;
    a->look.say[TUNED_LOOK_CHECKS] = own.checks;
    a->look.say[TUNED_LOOK_MODEL] = own.model;
    a->look.say[TUNED_LOOK_LAYOUT] = own.layout;
    a->look.at_once = is_at_once(t);
    begin_reduction(t, &a->look);
    a->look.waited = PMPI_Wtime() - start;
    a->costs += a->look.at_once ? tuned_adapt_cost(a, a->look.waited) : a->look.waited;
}

/* Ranks differ by a call or two wherever they are: what is more than that they have run apart. */
static void note_distance(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    double mean = (double)a->look.say[TUNED_LOOK_ELAPSED] * 1e-12 / t->n;
    double longest = (double)-a->look.say[TUNED_LOOK_LONGEST] * 1e-12;
    a->apart = fmax(0, longest - mean - 2 * call_time(a, t->call - a->origin));
}

/* All have come together. */
static void meet(tuned_adapt *a)
{
    a->since = PMPI_Wtime();
    a->apart = 0;
}

static void end_look(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    double start = PMPI_Wtime();
    if (a->look.request != MPI_REQUEST_NULL) {
        PMPI_Wait(&a->look.request, MPI_STATUS_IGNORE);
        a->costs += tuned_adapt_cost(a, PMPI_Wtime() - start);
    }
    a->look.request = MPI_REQUEST_NULL;
    end_reduction(&a->look);
    a->told = a->begun;
    a->lost = a->look.say[TUNED_LOOK_LATE] > 0;
    tuned_adapt_hear(a, t->n, a->look.say[TUNED_LOOK_OUTSIDE], a->look.say[TUNED_LOOK_COSTS]);
    if (!a->open)
        a->ledger.constant = (double)a->look.say[TUNED_LOOK_CONSTANT] * 1e-12 / t->n;
    note_distance(t);
}

double tuned_adapt_cost(const tuned_adapt *a, double waited)
{
    const double most = a->sync > 0 ? a->sync : 1e-4;
    return waited < most ? waited : most;
}

/* ---- opening ---- */

/* Seconds of a small collective to which all come at the same time, the same on all ranks. */
static double measure(tuned_state *t, double drain)
{
    double start = PMPI_Wtime();
    tuned_all(t->comm, true);
    double together = PMPI_Wtime();
    tuned_all(t->comm, true);
    int64_t ps = tuned_ps(PMPI_Wtime() - together, t->n);
    PMPI_Allreduce(MPI_IN_PLACE, &ps, 1, MPI_INT64_T, MPI_SUM, t->comm);
    double waited = together - start, sync = (double)ps * 1e-12 / t->n;
    t->adapt->costs += (waited < drain ? waited : drain) + 2 * sync;
    meet(t->adapt);
    return sync;
}

/* Calls that follow at once are under way together: what interrupts them costs some of them, and
 * those that are ahead wait. */
static double drain_of(const tuned_adapt *a, long calls)
{
    return a->together ? 0 : fmin(2e-3, 4 * call_time(a, calls)) + a->apart;
}

/* The same, where all have just come to a look: the last of them has not waited for anybody. */
static double least_look(const tuned_state *t)
{
    int64_t ps = tuned_ps(t->adapt->look.waited, t->n);
    PMPI_Allreduce(MPI_IN_PLACE, &ps, 1, MPI_INT64_T, MPI_MIN, t->comm);
    double sync = (double)ps * 1e-12;
    t->adapt->costs += 2 * sync; /* this one, and what of the look was not known to be a cost */
    return sync;
}

/* The same on all ranks: as the last look, or by a small collective for the purpose. */
static void note_sync(tuned_state *t, double drain)
{
    tuned_adapt *a = t->adapt;
    double sync = a->together && a->look.at_once ? least_look(t) : measure(t, drain);
    a->sync = a->sync > 0 ? fmin(a->sync, sync) : sync;
}

/* Whether opening, which may cost so much, pays if so large a part of the calls is gained, or what
 * lessons promise. */
static bool is_worth(const tuned_state *t, double seconds)
{
    const double part = 0.05;
    const int64_t *said = t->adapt->look.say;
    double gain = part * (double)said[TUNED_LOOK_WORTH] * 1e-12 / t->n;
    return seconds <= fmax(gain, (double)said[TUNED_LOOK_LEARNT] * 1e-12);
}

/* What may be lost by now, if calls since the last look began took as long as those before. */
static double room_after(const tuned_adapt *a, long calls)
{
    cpm_ledger now = a->ledger;
    double since = (double)(calls - a->told) * call_time(a, calls);
    now.native += since;
    now.taken += since;
    return cpm_ledger_room(&now);
}

/* The part of what may be lost that opening may cost: there must be something left for trying. More
 * where it is known what is to be tried, where a root waits for what was lost, which is much to
 * gain, and where no rank is ahead of others, so that what it costs is known. */
static double part_for_opening(const tuned_adapt *a)
{
    bool known = a->look.say[TUNED_LOOK_LEARNT] > 0 || a->lost;
    return a->together ? 0.75 : known ? 0.5 : 0.25;
}

static bool fits(const tuned_adapt *a, double seconds, long calls)
{
    return seconds <= room_after(a, calls) * part_for_opening(a);
}

/* Whether a small collective was never measured, or seemed to take as long as many calls. */
static bool may_be_odd(const tuned_adapt *a, long calls)
{
    return !(a->sync > 0) || a->sync > 16 * call_time(a, calls);
}

/* As it was seen in this process, or of as many small collectives; 0: not known. */
static double time_of_opening(const tuned_adapt *a)
{
    double seen = (double)a->look.say[TUNED_LOOK_OPENING] * 1e-12;
    double reading = (double)a->look.say[TUNED_LOOK_READING] * 1e-12;
    return seen > 0 ? seen : a->sync > 0 ? OF_OPENING * a->sync + reading : 0;
}

static bool is_time_to_open(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    bool known = a->look.say[TUNED_LOOK_OPENING] > 0;
    long calls = t->call - a->origin;
    double drain = drain_of(a, calls);
    if (a->open_now)
        return true;
    if (!known && may_be_odd(a, calls) && fits(a, drain + 1e-4, calls) && is_worth(t, drain + 1e-4))
        note_sync(t, drain);
    a->needed = time_of_opening(a);
    drain = drain_of(a, calls); /* nobody is ahead who was waited for */
    return a->needed > 0 && fits(a, a->needed + drain, calls) && is_worth(t, a->needed + drain);
}

/* False: it cannot be opened, and nothing is adapted. */
static bool open_together(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    const int64_t *said = a->look.say;
    const tuned_asked asked = {.room = !said[TUNED_LOOK_FULL],
                               .chooses = true,
                               .checks = said[TUNED_LOOK_CHECKS] > 0,
                               .model = said[TUNED_LOOK_MODEL] > 0,
                               .layout = said[TUNED_LOOK_LAYOUT] > 0};
    long calls = t->call - a->origin;
    double longest;
    if (!(a->sync > 0) || !a->together)
        note_sync(t, drain_of(a, calls));
    double start = PMPI_Wtime();
    a->open = tuned_state_open(t, &asked, &longest);
    a->origin = t->call - calls;
    a->opened = calls;
    cpm_ledger_charge(&a->ledger, longest + a->sync); /* and of their agreement */
    atomic_store(&constant, 0);
    atomic_store(&opening, PMPI_Wtime() - start);
    return a->open;
}

/* What is shown is remembered for these hosts. */
static void name_hosts(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    double start = PMPI_Wtime();
    free(a->hosts);
    a->hosts = tuned_memory_hosts(t);
    a->named = true; /* or there is no memory */
    a->costs += PMPI_Wtime() - start;
}

/* Before candidates are worked out where something may be recalled, or what is shown is of use
 * soon; that of all processes lives for long, and candidates come first. */
static bool names_first(const tuned_state *t)
{
    return t->adapt->look.say[TUNED_LOOK_NAMES] || t->comm != MPI_COMM_WORLD;
}

/* ---- deciding ---- */

/* To work one out, and to tell it. */
static double time_of_offer(const tuned_adapt *a)
{
    return (double)a->look.say[TUNED_LOOK_OFFER] * 1e-12 + OF_OFFER * a->sync;
}

static double part_for_offers(const tuned_adapt *a)
{
    return a->together ? 0.9 : 0.5;
}

/* What is decided here is charged when the others have heard of it, so it is counted here, too. */
static void offer_together(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    double each = time_of_offer(a);
    double left = cpm_ledger_room(&a->ledger) * part_for_offers(a), start = PMPI_Wtime();
    bool wished = a->look.say[TUNED_LOOK_WISHES] > 0 && !a->look.say[TUNED_LOOK_DOUBTS];
    bool more = wished && left >= each;
    a->poor = wished && !more;
    if (more)
        cpm_ledger_charge(&a->ledger, drain_of(a, t->call - a->origin));
    for (int64_t k = 0; more && k < a->look.say[TUNED_LOOK_WISHES] && left >= each; k++) {
        const tuned_context *x = t->rank == 0 ? most_wished(a) : NULL;
        more = tuned_offer_make(t, x ? &x->kind : NULL, left);
        left -= each;
    }
    double spent = PMPI_Wtime() - start;
    a->costs += spent;
    t->decisions.deciding += spent;
}

/* Seconds that a look takes, about. */
static double look_time(const tuned_adapt *a)
{
    return a->sync > 0 ? a->sync : 5e-4;
}

/* Calls until what may be lost has grown to so many seconds. */
static double until_room(const tuned_adapt *a, double seconds, long calls)
{
    double missing = seconds - room_after(a, calls);
    return missing > 0 ? missing / (a->ledger.share * call_time(a, calls)) : 0;
}

/* Calls until the next look where nothing is open: it may cost half a per cent of them; where that
 * are many, as many as there were, but after a very early look some more. */
static long until_it_pays(const tuned_adapt *a, long calls)
{
    const double share = 0.005, each = call_time(a, calls);
    double often = each > 0 ? look_time(a) / (share * each) : 1;
    long most = calls < FIRST ? 4L * FIRST : calls;
    return often < (double)most ? (long)often + 1 : most;
}

/* Calls until it can be opened, if all is as it was: earlier looks are of no use. */
static long until_it_opens(const tuned_adapt *a, long calls)
{
    double need = (a->needed + 2 * look_time(a)) / part_for_opening(a); /* this look and the next */
    long pays = until_it_pays(a, calls);
    if (!(a->needed > 0) || !(call_time(a, calls) > 0))
        return pays;
    double often = until_room(a, need, calls), most = 4.0 * (double)calls;
    return often < most ? (long)often + 1 : (long)most;
}

/* Calls until something can be offered, for which there was no room. */
static long until_offer(const tuned_adapt *a, long calls)
{
    double need = (time_of_offer(a) + look_time(a)) / part_for_offers(a);
    double often = until_room(a, need, calls);
    return often < (double)calls ? (long)often + 1 : calls;
}

/* Calls after it was opened until the next look: then it is known what calls there are. */
static long until_shown(const tuned_adapt *a, long calls)
{
    long often = until_it_pays(a, calls);
    if (a->lost)
        return SOON / 2;
    often = often < calls / 4 ? often : calls / 4;
    return often > SOON ? often : SOON;
}

static void plan_next(const tuned_state *t, bool opened)
{
    tuned_adapt *a = t->adapt;
    long calls = t->call - a->origin, often = calls < OFTEN ? calls : calls / 2;
    const double most = a->ledger.share * a->ledger.native + a->ledger.constant;
    if (!a->open && a->together)
        often = until_it_opens(a, calls);
    else if (waits(t))
        often = 4 * a->apart > most ? LONG_MAX / 2 : 3 * calls;
    else if (!a->open)
        often = until_it_pays(a, calls);
    if (opened)
        often = until_shown(a, calls);
    if (a->open && a->poor)
        often = until_offer(a, calls);
    a->next_look = a->at_once ? LONG_MAX : t->call + often;
}

/* Calls between the begin and the end of a look. A root that sends is far ahead of those that
 * receive: where calls are short, or not known, or all have just come together, it makes as many
 * calls again, so that it does not wait. */
static long meanwhile(const tuned_adapt *a, long calls)
{
    bool known = a->open || a->lost || call_time(a, calls) > 4 * look_time(a);
    long some = known ? calls / 8 : calls;
    if (a->open && calls - a->opened < some)
        some = calls - a->opened;
    return some > 2 ? some : 2;
}

/* A look is best after a call that has brought all together, if the program makes such calls. */
static bool is_better_later(const tuned_adapt *a, long calls)
{
    return !a->together && calls <= MOST_APART * a->met;
}

/* The number of the call before which a first look that nobody waits for may cost too much. */
static long first_apart(const tuned_adapt *a)
{
    return a->origin + (long)FIRST_APART * a->n;
}

/* Those that come before the usual one have their reasons. */
static bool is_too_early(const tuned_state *t, long calls)
{
    const tuned_adapt *a = t->adapt;
    return !a->begun && calls >= FIRST && t->call < first_apart(a) && !is_at_once(t);
}

void tuned_adapt_look(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    long calls = t->call - a->origin;
    bool was_open = a->open;
    if (!a->open && !a->open_now && !a->useful) { /* nor would a look be of use */
        plan_next(t, false);
        return;
    }
    if (a->look.request == MPI_REQUEST_NULL) {
        if (is_better_later(a, calls)) {
            a->next_look = t->call + 1;
            return;
        }
        if (is_too_early(t, calls)) {
            a->next_look = first_apart(a);
            return;
        }
        begin_look(t);
        a->next_look = t->call + meanwhile(a, calls);
        if (!is_at_once(t))
            return;
    }
    end_look(t);
    if (a->look.at_once)
        a->since = PMPI_Wtime();
    if (!was_open && is_time_to_open(t) && !open_together(t)) {
        tuned_adapt_free(a);
        t->adapt = NULL;
        return;
    }
    if (a->open && !a->named && names_first(t))
        name_hosts(t);
    if (was_open || (a->open && (a->together || a->look.say[TUNED_LOOK_LEARNT])))
        offer_together(t);
    if (was_open && !a->named && !a->poor)
        name_hosts(t);
    plan_next(t, a->open != was_open);
}

/* ---- calls ---- */

static bool stays_native(const cpm_operation *o)
{
    return o->combines && tuned_environment_get()->reproducible;
}

static bool is_left_alone(const tuned_adapt *a, const cpm_request *r)
{
    const cpm_operation *o = r->operation;
    bool sized = o->sizes == CPM_KNOWN_TO_ALL && !o->dataless;
    bool other = a->policy == CPM_ADAPT_THRESHOLD && o->sizes != CPM_KNOWN_TO_NOBODY;
    return other || stays_native(o) || (sized && (!r->bytes || r->bytes > INT_MAX));
}

/* Bytes that a process gives or gets, about. */
static double bytes_of(const cpm_request *r)
{
    bool each = !r->operation->rooted &&
                cpm_operation_blocks(r->operation, CPM_RECV_SIDE, false) == CPM_BLOCK_OF_EACH;
    return (double)r->bytes * (each ? r->n : 1);
}

/* Before the first look: all count alike. Of others the call may be refused at some ranks only. */
static void count_bytes(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    if (!a->together)
        return;
    a->moved += a->moving;
    if (a->moved >= much && a->next_look > t->call + 1)
        a->next_look = t->call + 1;
}

/* What all count alike of a call, whatever a rank knows of it: it decides where they look. */
static void count_alike(tuned_state *t, bool together, bool useful)
{
    tuned_adapt *a = t->adapt;
    a->together = together;
    a->met += together;
    if (!a->open && useful) {
        if (!a->useful++)
            meet(a);
        if (!a->begun)
            count_bytes(t);
    }
    a->moving = 0;
}

bool tuned_adapt_expects(const tuned_state *t)
{
    const tuned_adapt *a = t->adapt;
    if (!a || a->open || a->at_once)
        return false;
    return !a->told || (t->rank == 0 && (call_time(a, t->call - a->origin) > long_enough ||
                                         tuned_memory_has_any()));
}

void tuned_adapt_note(tuned_state *t, const cpm_request *r, tuned_turn *out)
{
    tuned_contexts *known = &t->adapt->contexts;
    bool alone = is_left_alone(t->adapt, r);
    t->adapt->moving = alone ? 0 : bytes_of(r);
    if (alone || t->rank != 0)
        return;
    const tuned_kind kind = tuned_contexts_kind(known, r);
    out->context = tuned_contexts_find(known, r);
    if (!out->context)
        out->context = tuned_contexts_enter(known, &kind);
}

/* A kind of calls that is new: rank 0 notes it, or all decide on it. */
static tuned_context *meet_new(tuned_state *t, const cpm_request *r)
{
    tuned_adapt *a = t->adapt;
    const tuned_kind kind = tuned_contexts_kind(&a->contexts, r);
    if (!a->at_once)
        return t->rank == 0 ? tuned_contexts_enter(&a->contexts, &kind) : NULL;
    double start = PMPI_Wtime();
    a->at_once = tuned_offer_make(t, t->rank == 0 ? &kind : NULL, INFINITY);
    a->costs += PMPI_Wtime() - start;
    t->decisions.deciding += PMPI_Wtime() - start;
    return tuned_contexts_find(&a->contexts, r);
}

/* Where the others do not know how much a rank gives and gets. The tuner of thresholds compares
 * calls of any sizes, as the paper's does. */
static void look_at_sizes(const tuned_state *t, tuned_context *x, const mpib_arguments *a)
{
    if (x->kind.operation->sizes != CPM_KNOWN_TO_NOBODY || t->adapt->policy == CPM_ADAPT_THRESHOLD)
        return;
    uint64_t now = a->in_place ? 1 : tuned_hash(a->send.counts, t->n);
    now = cpm_hash_mix(now, tuned_hash(a->recv.counts, t->n));
    x->changed = x->changed || (x->sizes && x->sizes != now);
    x->sizes = now;
}

tuned_decision *tuned_adapt_turn(tuned_state *t, const cpm_request *r, const mpib_arguments *a,
                                 tuned_turn *out)
{
    *out = (tuned_turn){0};
    if (is_left_alone(t->adapt, r))
        return NULL;
    tuned_context *x = tuned_contexts_find(&t->adapt->contexts, r);
    if (tuned_is_rooted(r->operation))
        tuned_rooted_note(t, x, a);
    if (!x)
        x = meet_new(t, r);
    *out = (tuned_turn){.context = x};
    if (!x || !x->engine)
        return NULL;
    out->who = tuned_meeting_turn(t, x);
    look_at_sizes(t, x, a);
    return x->engine ? x->candidates[out->who] : NULL;
}

/* Before it is open: all count alike. */
static void count_rooted(tuned_state *t)
{
    tuned_adapt *a = t->adapt;
    if (++a->rooted_calls == FIRST_ROOTED && !waits(t) && t->call < a->origin + FIRST)
        a->next_look = t->call + 1;
}

void tuned_adapt_count(tuned_state *t, const cpm_operation *o, int root, const tuned_turn *turn,
                       double seconds)
{
    tuned_context *x = turn->context;
    count_alike(t, tuned_brings_together(o), !stays_native(o));
    if (!t->adapt->open && !stays_native(o))
        t->adapt->worth += seconds;
    if (tuned_is_rooted(o)) {
        if (root == t->rank)
            tuned_rooted_count(t->adapt, o, seconds);
        count_rooted(t);
    }
    if (!x || !x->engine || x->ended)
        t->adapt->outside += seconds;
    if (x && x->engine && !x->ended)
        tuned_meeting_count(t, x, turn->who, seconds);
    else if (x) {
        x->spent += seconds;
        x->noted++;
    }
}

void tuned_adapt_pass(tuned_state *t, bool together)
{
    count_alike(t, together, true);
}

/* The kind of the call is not known, as its arguments are wrong: most likely it was that of the
 * last one. If all refuse it alike they still count alike; if not, what was counted wrong ends with
 * the next meeting. Of operations that bring all together nobody counts it: the others are in it
 * until this rank makes it well, so this one must not wait for them, but hear from MPI what is
 * wrong. */
void tuned_adapt_refuse(tuned_state *t, const cpm_operation *o)
{
    tuned_adapt *a = t->adapt;
    tuned_context *x = a->contexts.last[o - cpm_operations].context;
    a->doubt = true;
    if (tuned_brings_together(o) || !x || !x->engine || x->ended)
        return;
    int who = tuned_meeting_turn(t, x);
    if (x->engine)
        tuned_meeting_count(t, x, who, 0);
}
