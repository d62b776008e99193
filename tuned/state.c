/* A state is made at a communicator's first call that MPI takes at this rank. Whatever can fail on
 * one rank only is agreed on, and only collectives are called on the application's communicator:
 * its own receives may match any message there. Afterwards nothing is agreed on any more: MPI may
 * refuse a call at one rank only. */
#include "tuned/state.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "executor/reserve.h"
#include "hosts/hosts.h"
#include "selection/model_selector.h"
#include "tables/force.h"
#include "tables/ruleset_selector.h"
#include "tables/table_selector.h"
#include "tuned/adapt.h"
#include "tuned/adapt_open.h"
#include "tuned/attribute.h"
#include "tuned/environment.h"
#include "tuned/members.h"
#include "tuned/observed.h"
#include "tuned/report.h"
#include "tuned/topology.h"

#if defined(OPEN_MPI)
#define THIS_LIBRARY CPM_LIBRARY_OPENMPI
#elif defined(MPICH_VERSION)
#define THIS_LIBRARY CPM_LIBRARY_MPICH
#else
#define THIS_LIBRARY CPM_LIBRARY_OTHER
#endif

/* MPI libraries have a limited number of communicators (MPICH: 2046), and a program that runs out
 * of them ends: it must keep most for itself. Simulated processes count together and have no limit.
 */
#ifdef CPM_SMPI
enum { MOST_INSIDE = INT_MAX };
#else
enum { MOST_INSIDE = 256 };
#endif
static atomic_int inside_now;

/* The highest number that a call had in a communicator that has ended: MPI uses the identities of
 * communicators again, and messages of erroneous calls may still be there. */
static atomic_long last_call;

/* ---- its end ---- */

static void free_state(tuned_state *t)
{
    int finalized = 0;
    PMPI_Finalized(&finalized);
    tuned_adapt_free(t->adapt);
    if (t->inside != MPI_COMM_NULL && !finalized)
        tuned_tellings_clear(t);
    tuned_decisions_clear(&t->decisions);
    if (t->inside != MPI_COMM_NULL && !finalized) {
        mpib_groups_clear(&t->groups);
        PMPI_Comm_free(&t->inside);
        atomic_fetch_sub(&inside_now, 1);
    }
    tuned_own_clear(&t->own);
    if (t->selector)
        t->selector->free(t->selector);
    cpm_model_free(t->model);
    cpm_hosts_clear(&t->hosts);
    cpm_topology_free(t->topology);
    free(t->sizes);
    free(t->runs);
    free(t);
}

static void end_state(tuned_state *t)
{
    long last = atomic_load(&last_call);
    while (last < t->call && !atomic_compare_exchange_weak(&last_call, &last, t->call))
        continue;
    tuned_report_leave(t);
    free_state(t);
}

/* ---- the first call ---- */

bool tuned_all(MPI_Comm comm, bool own)
{
    int good = own;
    PMPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, comm);
    return good;
}

static bool may_make_inside(const tuned_state *t)
{
    return t->inside != MPI_COMM_NULL || atomic_load(&inside_now) < MOST_INSIDE;
}

/* What the ranks say of it, as the least counts. */
enum { ROOM, NO_CHOICE, NO_CHECK, NO_MODEL, NO_LAYOUT, ASKED };

static void say_asked(const tuned_state *t, bool chooses, long say[ASKED])
{
    const tuned_environment *said = tuned_environment_get();
    bool first = t && t->rank == 0;
    say[ROOM] = !t || may_make_inside(t);
    say[NO_CHOICE] = !(first && chooses);
    say[NO_CHECK] = !(first && said->check);
    say[NO_MODEL] = !(first && said->model && !said->table);
    say[NO_LAYOUT] = !(first && said->layout);
}

static tuned_asked asked_of(const long say[ASKED])
{
    return (tuned_asked){.room = say[ROOM],
                         .chooses = !say[NO_CHOICE],
                         .checks = !say[NO_CHECK],
                         .model = !say[NO_MODEL],
                         .layout = !say[NO_LAYOUT]};
}

static tuned_state *allocate(MPI_Comm comm)
{
    tuned_state *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->comm = comm;
    t->inside = MPI_COMM_NULL;
    PMPI_Comm_rank(comm, &t->rank);
    PMPI_Comm_size(comm, &t->n);
    size_t n = (size_t)t->n;
    t->sizes = malloc(5 * n * sizeof *t->sizes); /* ptrdiff_t is as large as size_t */
    t->runs = calloc(CPM_OPERATIONS * n, sizeof *t->runs);
    if (!t->sizes || !t->runs || !tuned_decisions_prepare(&t->decisions, t->n) ||
        !mpib_reserve_keep()) {
        free_state(t);
        return NULL;
    }
    for (size_t k = 0; k < 2; k++) {
        t->counts[k] = t->sizes + (1 + k) * n;
        t->displacements[k] = (ptrdiff_t *)(t->sizes + (3 + k) * n);
    }
    return t;
}

cpm_selector_options tuned_selector_options(void)
{
    cpm_selector_options options = CPM_SELECTOR_DEFAULT;
    options.library = THIS_LIBRARY;
    options.total = 5;
    return options;
}

static int select_by_model(tuned_state *t, cpm_error *e)
{
    const cpm_selector_options options = tuned_selector_options();
    return cpm_selector_of_model(t->model, &options, &t->selector, e);
}

static int select_named(tuned_state *t, const tuned_members *who, cpm_error *e)
{
    const tuned_environment *said = tuned_environment_get();
    const cpm_table *table;
    const cpm_model *whole;
    if (said->table) {
        int status = tuned_environment_table(&table, e);
        return status ? status : cpm_selector_of_table(table, &t->selector, e);
    }
    if (!said->model)
        return CPM_OK;
    cpm_error why = {0};
    int status = tuned_environment_model(&whole, e);
    if (status != CPM_OK)
        return status;
    status = tuned_members_model(whole, who, &t->model, &why);
    return status ? cpm_fail(e, status, "%s: %s", said->model, why.text) : select_by_model(t, e);
}

/* Rank 0 of some communicators only does not repeat what rank 0 of the program says. */
static bool speaks_for_all(void)
{
    int initialized = 0, rank = 0;
    PMPI_Initialized(&initialized);
    if (initialized)
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank == 0;
}

/* Rules go before what was selected until now. */
static int select_by_rules(tuned_state *t, cpm_error *e)
{
    const cpm_ruleset *rules;
    cpm_selector *others = t->selector;
    if (!tuned_environment_get()->rules)
        return CPM_OK;
    t->selector = NULL; /* it is freed if this fails */
    int status = tuned_environment_rules(&rules, e);
    if (!status && speaks_for_all())
        tuned_environment_say_notes();
    if (!status)
        return cpm_selector_of_rules(rules, others, &t->selector, e);
    if (others)
        others->free(others);
    return status;
}

/* Rank 0: what the environment names. who: all ranks, if it is a model. */
static int open_selector(tuned_state *t, const tuned_members *who, cpm_error *e)
{
    const char *force = tuned_environment_get()->force;
    const cpm_error *wrong = &tuned_environment_get()->adapt_failure;
    if (wrong->code)
        return cpm_fail(e, wrong->code, "%s", wrong->text);
    int status = select_named(t, who, e);
    if (!status)
        status = select_by_rules(t, e);
    if (status != CPM_OK || !force)
        return status;
    cpm_selector *others = t->selector;
    cpm_error why = {0};
    t->selector = NULL; /* it is freed if this fails */
    status = cpm_selector_forced(force, others, &t->selector, &why);
    return status ? cpm_fail(e, status, "--force (CPM_FORCE): %s", why.text) : CPM_OK;
}

/* ---- the private communicator ---- */

/* MPI may have no communicator left, which is no error of the application's. */
static MPI_Errhandler keep_errors(MPI_Comm comm)
{
    MPI_Errhandler before;
    PMPI_Comm_get_errhandler(comm, &before);
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return before;
}

static void give_back_errors(MPI_Comm comm, MPI_Errhandler before)
{
    if (before == MPI_ERRHANDLER_NULL) /* as a simulator may say */
        return;
    PMPI_Comm_set_errhandler(comm, before);
    PMPI_Errhandler_free(&before);
}

/* Not a duplicate: that would call the application's functions that copy attributes. */
static bool make_inside(tuned_state *t)
{
    MPI_Group group;
    PMPI_Comm_group(t->comm, &group);
    int failed = PMPI_Comm_create(t->comm, group, &t->inside);
    if (failed)
        t->inside = MPI_COMM_NULL;
    PMPI_Group_free(&group);
    return t->inside != MPI_COMM_NULL;
}

/* At least 32767, says the standard. */
static long find_most_tag(void)
{
    int *most = NULL, found = 0;
    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &found);
    return found && *most > 32767 ? *most : 32767;
}

/* All have made it. */
static void keep_inside(tuned_state *t)
{
    PMPI_Comm_set_errhandler(t->inside, MPI_ERRORS_RETURN);
    t->most_tag = find_most_tag();
    atomic_fetch_add(&inside_now, 1);
}

/* ---- hosts ---- */

static void say_why_not(const tuned_state *t, int status, const cpm_error *e)
{
    if (t->rank == 0 && status != CPM_OK)
        tuned_warn(e->text);
    else if (status != CPM_OK)
        tuned_warning_heard();
}

/* A model or table that is of no use ends nothing where calls decide: they know nothing before. */
static void say_goes_on(const tuned_state *t, int status, const cpm_error *e)
{
    if (t->rank == 0 && status != CPM_OK)
        tuned_warn_of_model(e->text);
    else if (status != CPM_OK)
        tuned_warning_of_model_heard();
}

const cpm_hosts *tuned_state_hosts(const tuned_state *t)
{
    return t->hosts.of ? &t->hosts : NULL;
}

int tuned_state_read_layout(cpm_hosts *world, cpm_error *e)
{
    const tuned_environment *said = tuned_environment_get();
    cpm_error why = {0};
    int status = cpm_hosts_read(said->layout, said->placement, world, &why);
    int all = 0;
    PMPI_Comm_size(MPI_COMM_WORLD, &all);
    if (!status && world->n != all)
        status = cpm_fail(&why, CPM_EPROCESS, "%s are %d processes, but the program has %d",
                          said->layout, world->n, all);
    return status ? cpm_fail(e, status, "--layout (CPM_LAYOUT): %s", why.text) : CPM_OK;
}

static int read_layout(const tuned_state *t, cpm_hosts *out, cpm_error *e)
{
    cpm_hosts world = {0};
    cpm_error why = {0};
    int status = tuned_state_read_layout(&world, e);
    if (!status && mpib_hosts_within(t->comm, &world, out, &why) != CPM_OK)
        status = cpm_fail(e, why.code, "--layout (CPM_LAYOUT): %s", why.text);
    cpm_hosts_clear(&world);
    return status;
}

/* Collective: as rank 0 has read it. */
static int take_layout(tuned_state *t, cpm_hosts *own, int status, cpm_error *e)
{
    int told[2] = {status, own->count};
    PMPI_Bcast(told, 2, MPI_INT, 0, t->inside);
    if (!own->of)
        own->of = malloc((size_t)t->n * sizeof *own->of);
    if (!tuned_all(t->inside, own->of && !told[0])) {
        cpm_hosts_clear(own);
        return told[0] ? told[0] : cpm_no_memory(e);
    }
    PMPI_Bcast(own->of, t->n, MPI_INT, 0, t->inside);
    t->hosts = (cpm_hosts){.n = t->n, .count = told[1], .of = own->of, .name = own->name};
    own->of = NULL;
    own->name = NULL;
    cpm_hosts_clear(own);
    return CPM_OK;
}

/* Which ranks share a host, as the environment of rank 0 says. Collective. */
static void take_named_hosts(tuned_state *t)
{
    cpm_hosts own = {0};
    cpm_error e = {0};
    int status = t->rank == 0 ? read_layout(t, &own, &e) : CPM_OK;
    status = take_layout(t, &own, status, &e);
    t->native = status != CPM_OK;
    say_why_not(t, status, &e);
}

/* ---- switches ---- */

/* As rank 0 knows of them. Collective. */
static void know_switches(tuned_state *t, int from)
{
    cpm_error e = {0};
    int status = t->native ? CPM_OK : tuned_topology_find(t, from, &e);
    t->native = t->native || status != CPM_OK;
    say_why_not(t, status, &e);
}

/* ---- opening ---- */

/* What is agreed on when all have made what they need: the greatest of what the ranks say. */
enum {
    FAILED,  /* no private communicator */
    CALL,    /* number of the last call: all go on with the same */
    WITHOUT, /* -status: why hosts are not known */
    WRONG,   /* of rank 0: -status of what the environment names; the others: */
    CHOSEN,
    CHECKED,
    TOPOLOGY,
    ELAPSED, /* ps */
    AGREED
};

/* Which ranks share a host, as MPI says, unless that is known or of no use. Collective. */
static int find_hosts(tuned_state *t, const tuned_asked *asked, cpm_error *e)
{
    bool missing = asked->chooses && asked->room && !asked->layout && !t->hosts.of;
    int status = missing ? mpib_hosts_apart(t->comm, (int *)t->sizes, &t->hosts, e) : CPM_OK;
    return status == CPM_EMPI ? CPM_OK : status; /* MPI cannot tell */
}

/* Since then this rank has been opening. */
static void take_agreed(tuned_state *t, const tuned_asked *asked, const int64_t *agreed, bool made)
{
    bool wanted = !agreed[FAILED] && (agreed[CHOSEN] || agreed[CHECKED]);
    if (made && wanted)
        keep_inside(t);
    else if (made)
        PMPI_Comm_free(&t->inside);
    bool inside = wanted && t->inside != MPI_COMM_NULL;
    t->native = !agreed[CHOSEN] || !inside || agreed[WITHOUT];
    t->checked = agreed[CHECKED] && inside;
    if (agreed[WITHOUT]) /* some know them */
        cpm_hosts_clear(&t->hosts);
    if (asked->layout && !t->hosts.of && !t->native)
        take_named_hosts(t);
}

/* Before there was a private communicator the ranks may not have agreed on it. */
static long highest_call(const tuned_state *t)
{
    long last = t->inside == MPI_COMM_NULL ? atomic_load(&last_call) : 0;
    return last > t->call ? last : t->call;
}

/* All count from the same number on. */
static void count_from(tuned_state *t, long call)
{
    t->call = t->since = call;
    memset(t->runs, 0, (size_t)CPM_OPERATIONS * (size_t)t->n * sizeof *t->runs);
    memset(t->nothing, 0, sizeof t->nothing);
}

/* Where nobody asks what MPI takes the root may be any number. */
static uint16_t *runs_of(const tuned_state *t, const cpm_operation *o, int root)
{
    size_t place = root < 0 || root >= t->n ? 0 : (size_t)root;
    return &t->runs[(size_t)(o - cpm_operations) * (size_t)t->n + place];
}

void tuned_state_count(tuned_state *t, const cpm_operation *o, int root)
{
    const uint64_t place = (uint64_t)(o - cpm_operations) << 32 | (uint64_t)(unsigned)root;
    t->call++;
    t->stream = cpm_hash_mix(cpm_hash_mix((uint64_t)t->since, place), (*runs_of(t, o, root))++);
}

unsigned tuned_state_run(const tuned_state *t, const cpm_operation *o, int root)
{
    return (unsigned)t->since + *runs_of(t, o, root);
}

void tuned_state_uncount(tuned_state *t, const cpm_operation *o, int root)
{
    t->call--;
    (*runs_of(t, o, root))--;
}

/* Everything that communicates: hosts, the private communicator, switches. status: of what rank 0
 * decides by, e: its text; chosen: there is something. Collective. Seconds until all had agreed,
 * the longest of a rank. */
static double open_everything(tuned_state *t, const tuned_asked *asked, int status, bool chosen,
                              double start, cpm_error *e)
{
    cpm_error why = {0};
    int64_t say[AGREED] = {[CALL] = highest_call(t)};
    MPI_Errhandler before = keep_errors(t->comm);
    say[WITHOUT] = -find_hosts(t, asked, &why);
    bool makes = (asked->chooses || asked->checks) && asked->room && t->inside == MPI_COMM_NULL;
    bool made = makes && make_inside(t);
    give_back_errors(t->comm, before);
    say[FAILED] = t->inside == MPI_COMM_NULL;
    if (t->rank == 0) {
        say[WRONG] = -status;
        say[CHOSEN] = chosen;
        say[CHECKED] = asked->checks;
        say[TOPOLOGY] = tuned_topology_from(t);
    }
    say[ELAPSED] = (int64_t)((PMPI_Wtime() - start) * 1e12);
    PMPI_Allreduce(MPI_IN_PLACE, say, AGREED, MPI_INT64_T, MPI_MAX, t->comm);
    count_from(t, (long)say[CALL]);
    take_agreed(t, asked, say, made);
    if (t->adapt)
        say_goes_on(t, (int)-say[WRONG], e);
    else
        say_why_not(t, (int)-say[WRONG], e);
    if (say[WITHOUT] && !why.code)
        cpm_fail(&why, (int)-say[WITHOUT], "no memory for the hosts of %d processes", t->n);
    say_why_not(t, (int)-say[WITHOUT], &why);
    know_switches(t, (int)say[TOPOLOGY]);
    return (double)say[ELAPSED] * 1e-12;
}

/* ---- what the environment names ---- */

/* What a model, if the environment names one, has to know of all ranks: nothing, their hosts, or
 * their sockets, too. */
enum { NOTHING, HOSTS, SOCKETS };

static int what_to_know(void)
{
    const cpm_model *whole;
    bool known = tuned_environment_model(&whole, NULL) == CPM_OK;
    return known && whole->across.count > 0 ? SOCKETS : HOSTS;
}

/* The ranks' hosts, where rank 0 decides by a model. Collective. */
static int find_members(const tuned_state *t, tuned_members *who, cpm_error *e)
{
    int to_know = t->rank == 0 ? what_to_know() : NOTHING;
    PMPI_Bcast(&to_know, 1, MPI_INT, 0, t->comm);
    return tuned_members_find(t->comm, to_know == SOCKETS, who, e);
}

/* Collective: rank 0 opens, all are told whether. */
static double open_environment(tuned_state *t, const tuned_asked *asked)
{
    cpm_error e = {0};
    tuned_members who = {0};
    int status = CPM_OK;
    double start = PMPI_Wtime();
    if (asked->model)
        status = find_members(t, &who, &e);
    if (t->rank == 0 && status == CPM_OK)
        status = open_selector(t, &who, &e);
    if (t->selector && who.names)
        tuned_mind_oversubscription(who.names, t->n);
    tuned_members_clear(&who);
    if (t->adapt && status != CPM_OK) {
        cpm_model_free(t->model); /* of which there may be a part */
        t->model = NULL;
    }
    bool chosen = t->selector || t->adapt;
    return open_everything(t, asked, status, chosen, start, &e);
}

static void attach(MPI_Comm comm, tuned_state *t)
{
    tuned_attribute_set(comm, t, end_state);
    if (tuned_environment_get()->profile || tuned_environment_get()->compare)
        tuned_observe_check();
    if (t && tuned_observes())
        t->group = tuned_group_of(comm);
    if (t)
        tuned_report_enter(t);
}

/* Whether there is anything to decide: between groups, and for one process alone, there is not. */
static bool is_candidate(MPI_Comm comm)
{
    int inter = 0, n = 0;
    PMPI_Comm_test_inter(comm, &inter);
    PMPI_Comm_size(comm, &n);
    return !inter && n > 1;
}

static bool names_a_choice(void)
{
    const tuned_environment *said = tuned_environment_get();
    return said->force || said->rules || said->table || said->model;
}

/* All begin with the same number. Collective; NULL on every rank if one had no memory. */
static tuned_state *begin_together(MPI_Comm comm, tuned_state *t, tuned_asked *asked)
{
    long least[2 + ASKED] = {t != NULL, -atomic_load(&last_call)};
    say_asked(t, names_a_choice(), least + 2);
    PMPI_Allreduce(MPI_IN_PLACE, least, 2 + ASKED, MPI_LONG, MPI_MIN, comm);
    *asked = asked_of(least + 2);
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
    tuned_state *t = is_candidate(comm) ? allocate(comm) : NULL;
    if (t)
        t->native = true;
    attach(comm, t);
    return t;
}

bool tuned_state_open(tuned_state *t, const tuned_asked *asked, double *seconds)
{
    *seconds = open_environment(t, asked);
    return !t->native;
}

static bool adapts(void)
{
    const tuned_environment *said = tuned_environment_get();
    return said->adapts && !said->adapt_failure.code;
}

static tuned_state *allocate_adapting(MPI_Comm comm)
{
    const tuned_environment *said = tuned_environment_get();
    tuned_state *t = allocate(comm);
    if (!t)
        return NULL;
    t->native = true; /* until it is opened */
    t->adapt = tuned_adapt_create(comm, said->policy, said->check);
    if (t->adapt)
        return t;
    free_state(t);
    return NULL;
}

/* No other rank hears of it. Without a state this one would not come when the others look, so it
 * needs the reserve. */
static tuned_state *make_alone(MPI_Comm comm)
{
    tuned_state *t = is_candidate(comm) ? allocate_adapting(comm) : NULL;
    if (!t && is_candidate(comm) && mpib_reserve_spend())
        t = allocate_adapting(comm);
    attach(comm, t);
    return t;
}

/* draft: NULL, or what becomes it. */
static tuned_state *make_state(MPI_Comm comm, tuned_state *draft, tuned_asked *asked)
{
    tuned_state *t = NULL;
    if (is_candidate(comm))
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
    bool together = !said->profile && !said->check && !adapts();
    return together && is_candidate(comm) ? allocate(comm) : NULL;
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
    if (adapts())
        return make_alone(comm);
    tuned_state *t = make_state(comm, draft, &asked);
    if (t)
        open_environment(t, &asked);
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

/* Whether there is anybody who decides, as rank 0 knows, or the calls do. Collective. */
static void open_choosing(tuned_state *t, bool adapts)
{
    cpm_error e = {0};
    long least[ASKED];
    bool chosen = adapts || tuned_own_selector(t) != NULL;
    double start = PMPI_Wtime();
    say_asked(t, chosen, least);
    PMPI_Allreduce(MPI_IN_PLACE, least, ASKED, MPI_LONG, MPI_MIN, t->comm);
    const tuned_asked asked = asked_of(least);
    open_everything(t, &asked, CPM_OK, chosen, start, &e);
}

/* From now on what the application says decides. */
static void stop_adapting(tuned_state *t)
{
    tuned_adapt_free(t->adapt);
    t->adapt = NULL;
}

tuned_asked tuned_state_asks(const tuned_state *t)
{
    long own[ASKED];
    say_asked(t, true, own);
    return asked_of(own);
}

void tuned_state_renew(tuned_state *t)
{
    tuned_report_count(t);
    stop_adapting(t);
    t->since = ++t->call;
    tuned_decisions_forget(&t->decisions);
    open_choosing(t, false);
}

/* ---- a model that the application gives ---- */

static int copy_model(const cpm_model *m, int n, cpm_model **out, cpm_error *e)
{
    if (m->n != n)
        return cpm_fail(e, CPM_EPROCESS, "the model has %d processes, the communicator %d", m->n,
                        n);
    int *process = malloc((size_t)n * sizeof *process);
    if (!process)
        return cpm_no_memory(e);
    for (int i = 0; i < n; i++)
        process[i] = i;
    int status = cpm_model_subset(m, process, n, out, e);
    free(process);
    return status;
}

/* The failure of rank 0 is everybody's. */
static int share_failure(const tuned_state *t, int status, cpm_error *e)
{
    cpm_error told = {.code = status};
    if (t->rank == 0 && e)
        told = *e;
    PMPI_Bcast(&told, sizeof told, MPI_BYTE, 0, t->comm);
    if (t->rank != 0 && told.code)
        cpm_fail(e, told.code, "%s", told.text);
    return told.code;
}

/* What decides at rank 0, and what it owns. */
typedef struct {
    cpm_selector *selector;
    cpm_model *model;
    cpm_topology *topology; /* it may be the model's */
} choosing;

static choosing take_choosing(tuned_state *t)
{
    const choosing taken = {t->selector, t->model, t->topology};
    t->selector = NULL;
    t->model = NULL;
    t->topology = NULL;
    return taken;
}

static void end_choosing(const choosing *c)
{
    if (c->selector)
        c->selector->free(c->selector);
    cpm_model_free(c->model);
    cpm_topology_free(c->topology);
}

/* Rank 0: decides by m instead of what did; in vain all stays as it was. selects: not if the calls
 * decide. */
static int replace_model(tuned_state *t, const cpm_model *m, bool selects, choosing *before,
                         cpm_error *e)
{
    *before = take_choosing(t);
    int status = m ? copy_model(m, t->n, &t->model, e) : CPM_OK;
    if (m && selects && status == CPM_OK)
        status = select_by_model(t, e);
    if (status == CPM_OK)
        return CPM_OK;
    const choosing failed = take_choosing(t);
    end_choosing(&failed);
    t->selector = before->selector;
    t->model = before->model;
    t->topology = before->topology;
    *before = (choosing){0};
    return status;
}

/* All adapt, or nobody: MPI's own routines remain. Collective. */
static int adapt_together(tuned_state *t, cpm_error *e)
{
    if (!t->native)
        t->adapt = tuned_adapt_create(t->comm, CPM_ADAPT_BUDGET, false);
    if (tuned_all(t->comm, t->adapt != NULL)) {
        tuned_open_asked(t);
        return CPM_OK;
    }
    stop_adapting(t);
    t->native = true;
    return cpm_no_memory(e);
}

int tuned_state_use_model(MPI_Comm comm, const cpm_model *m, bool adapts, cpm_error *e)
{
    tuned_state *t = NULL;
    cpm_error own = {0};
    choosing before = {0};
    int status = CPM_OK;
    if (tuned_environment_get()->profile)
        return CPM_OK;
    bool new = !tuned_attribute_get(comm, &t) && !tuned_environment_get()->active;
    t = tuned_state_make(comm);
    if (!t)
        return CPM_OK; /* one process, or two groups: there is nothing to choose */
    if (t->rank == 0)
        status = replace_model(t, m, !adapts, &before, &own);
    status = share_failure(t, status, &own);
    if (status && new)
        open_choosing(t, false);
    if (status)
        return cpm_fail(e, status, "%s", own.text);
    tuned_report_count(t);
    stop_adapting(t);
    t->since = ++t->call;
    tuned_decisions_forget(&t->decisions);
    end_choosing(&before);
    if (t->rank != 0) {
        before = take_choosing(t);
        end_choosing(&before);
    }
    open_choosing(t, adapts);
    return adapts ? adapt_together(t, e) : CPM_OK;
}
