#include "tuned/comm/open.h"

#include "hosts/hosts.h"
#include "tuned/comm/hints.h"
#include "tuned/comm/inside.h"
#include "tuned/comm/layout.h"
#include "tuned/comm/neighbours.h"
#include "tuned/comm/numbers.h"
#include "tuned/comm/progress.h"
#include "tuned/comm/selectors.h"
#include "tuned/comm/topology.h"
#include "tuned/environment.h"
#include "tuned/members.h"

/* ---- what is asked for ---- */

enum { ROOM, PROGRESS, NO_CHOICE, NO_CHECK, NO_MODEL, NO_LAYOUT };

void tuned_asked_say(const tuned_state *t, bool chooses, long say[TUNED_ASKED_WORDS])
{
    const tuned_environment *said = tuned_environment_get();
    bool first = t && t->rank == 0;
    say[ROOM] = !t || tuned_inside_has_room(t);
    say[PROGRESS] = tuned_progress_known();
    say[NO_CHOICE] = !(first && chooses);
    say[NO_CHECK] = !(first && said->check);
    say[NO_MODEL] = !(first && said->model && !said->table);
    say[NO_LAYOUT] = !(first && said->layout);
}

tuned_asked tuned_asked_by(const long say[TUNED_ASKED_WORDS])
{
    return (tuned_asked){.room = say[ROOM],
                         .progresses = say[PROGRESS],
                         .chooses = !say[NO_CHOICE],
                         .checks = !say[NO_CHECK],
                         .model = !say[NO_MODEL],
                         .layout = !say[NO_LAYOUT]};
}

tuned_asked tuned_asked_here(const tuned_state *t, bool chooses)
{
    long own[TUNED_ASKED_WORDS];
    tuned_asked_say(t, chooses, own);
    return tuned_asked_by(own);
}

/* ---- what is said ---- */

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

/* ---- hosts and switches ---- */

/* Which ranks share a host, as MPI says, unless that is known or of no use. Collective. */
static int find_hosts(tuned_state *t, const tuned_asked *asked, cpm_error *e)
{
    bool missing = asked->chooses && asked->room && !asked->layout && !t->hosts.of;
    int status = missing ? mpib_hosts_apart(t->comm, (int *)t->sizes, &t->hosts, e) : CPM_OK;
    return status == CPM_EMPI ? CPM_OK : status; /* MPI cannot tell */
}

/* As the environment of rank 0 says. Collective. */
static void take_layout(tuned_state *t)
{
    cpm_error e = {0};
    int status = tuned_layout_take(t, &e);
    t->native = status != CPM_OK;
    say_why_not(t, status, &e);
}

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
    ALONE,   /* neighbours are not known */
    WRONG,   /* of rank 0: -status of what the environment names; the others: */
    CHOSEN,
    CHECKED,
    TOPOLOGY,
    ELAPSED, /* ps */
    AGREED
};

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

/* Since then this rank has been opening. */
static void take_agreed(tuned_state *t, const tuned_asked *asked, const int64_t *agreed, bool made)
{
    bool wanted = !agreed[FAILED] && (agreed[CHOSEN] || agreed[CHECKED]);
    if (made && wanted)
        tuned_inside_keep(t);
    else if (made)
        tuned_inside_drop(t);
    bool inside = wanted && t->inside != MPI_COMM_NULL;
    t->native = !agreed[CHOSEN] || !inside || agreed[WITHOUT];
    t->checked = agreed[CHECKED] && inside;
    t->progresses = asked->progresses;
    if (agreed[WITHOUT]) /* some know them */
        cpm_hosts_clear(&t->hosts);
    if (agreed[ALONE])
        tuned_neighbours_clear(t);
    if (asked->layout && !t->hosts.of && !t->native)
        take_layout(t);
}

/* Before there was a private communicator the ranks may not have agreed on it. */
static long highest_call(const tuned_state *t)
{
    long last = t->inside == MPI_COMM_NULL ? tuned_numbers_last() : 0;
    return last > t->call ? last : t->call;
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
    tuned_inside_make_room();
    say[WITHOUT] = -find_hosts(t, asked, &why);
    say[ALONE] = asked->chooses && asked->room && !tuned_neighbours_find(t);
    bool makes = (asked->chooses || asked->checks) && asked->room && t->inside == MPI_COMM_NULL;
    bool made = makes && tuned_inside_make(t);
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
    tuned_numbers_from(t, (long)say[CALL]);
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

/* Whether there is anybody who decides, as rank 0 knows, or the calls do. Collective. */
void tuned_open_choosing(tuned_state *t, bool adapts)
{
    cpm_error e = {0};
    long least[TUNED_ASKED_WORDS];
    bool chosen = adapts || tuned_hints_selector(t) != NULL;
    double start = PMPI_Wtime();
    tuned_asked_say(t, chosen, least);
    PMPI_Allreduce(MPI_IN_PLACE, least, TUNED_ASKED_WORDS, MPI_LONG, MPI_MIN, t->comm);
    const tuned_asked asked = tuned_asked_by(least);
    open_everything(t, &asked, CPM_OK, chosen, start, &e);
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

double tuned_open_environment(tuned_state *t, const tuned_asked *asked)
{
    cpm_error e = {0};
    tuned_members who = {0};
    int status = CPM_OK;
    double start = PMPI_Wtime();
    if (asked->model)
        status = find_members(t, &who, &e);
    if (t->rank == 0 && status == CPM_OK)
        status = tuned_select_by_environment(t, &who, &e);
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
