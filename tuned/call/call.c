/* From MPI's arguments to a decision and a plan. */
#include "tuned/call/call.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>

#include "cpm/cpm_mpi.h"
#include "executor/combining.h"
#include "tuned/adapt/rooted.h"
#include "tuned/adapt/stretch.h"
#include "tuned/call/begun.h"
#include "tuned/call/device.h"
#include "tuned/call/meeting.h"
#include "tuned/call/records.h"
#include "tuned/call/round.h"
#include "tuned/call/staged.h"
#include "tuned/comm/neighbours.h"
#include "tuned/comm/numbers.h"
#include "tuned/comm/plans.h"
#include "tuned/environment.h"
#include "tuned/report/ab_comparison.h"

/* ---- deciding ---- */

/* Ranks whose sides differ are wrong, and MPI's own routines mostly return from that. The decision
 * for the size of the other side, which r gets, if there is none for that of the own one. */
static tuned_decision *of_other_side(const tuned_state *t, const mpib_arguments *a, cpm_request *r)
{
    const mpib_side *send = &a->send, *recv = &a->recv;
    if (recv->counts || (send->count == recv->count && send->type == recv->type))
        return NULL;
    cpm_request other = *r;
    other.bytes = tuned_block_bytes(a->operation->in_place == CPM_SEND_SIDE ? recv : send);
    if (!other.bytes || other.bytes == r->bytes || tuned_find(&t->decisions, r, 0, t->call))
        return NULL;
    tuned_decision *known = tuned_find(&t->decisions, &other, 0, t->call);
    if (known)
        *r = other;
    return known;
}

/* To the root of a scatter nobody sends, so it sees no others go by another decision. */
static tuned_decision *decide_by_size(tuned_state *t, const mpib_arguments *a, bool fits,
                                      cpm_request *r)
{
    tuned_decision *d = a->operation->in_place == CPM_RECV_SIDE ? of_other_side(t, a, r) : NULL;
    if (!d && fits)
        d = tuned_decide(t, r, 0, t->call);
    cpm_request other = *r;
    tuned_decision *known = d ? of_other_side(t, a, &other) : NULL;
    if (!known || (known != d && d->call == t->call))
        return d;
    *r = other;
    return known;
}

/* Nobody knows the sizes of all of an alltoallv: they are no part of the decision. */
static int decide(tuned_call *c, const mpib_arguments *a, const tuned_size *size, cpm_request *r)
{
    tuned_state *t = c->state;
    if (a->operation->sizes == CPM_KNOWN_TO_ROOT) {
        tuned_announced *told = NULL;
        int status = tuned_announced_sizes(t, a, r, &told);
        c->collective = told ? told->plan : NULL;
        c->decision = told ? told->decision : NULL;
        return status;
    }
    const bool sized = a->operation->sizes == CPM_KNOWN_TO_ALL && !a->operation->dataless;
    c->decision = sized ? decide_by_size(t, a, tuned_size_fits(a->operation, size), r)
                        : tuned_decide(t, r, 0, t->call);
    return CPM_OK;
}

/* bytes: of each block, where all know it and each is NULL. Else, where sizes are checked, making a
 * plan is collective: no rank may have one from before. */
static int plan(tuned_call *c, mpib_arguments *a, size_t bytes, const size_t *each)
{
    const cpm_block_sizes sizes = {.bytes = each ? 0 : bytes, .each = each};
    const bool known = a->operation->sizes == CPM_KNOWN_TO_ALL;
    const bool lasting = c->checked.lasting && (known || !c->state->checked);
    return tuned_plans_get(&c->decision->plans, &c->decision->choice, a, c->state->n, lasting,
                           known ? &sizes : NULL, &c->collective, &c->kept, NULL);
}

int tuned_error_of(int status)
{
    return status == CPM_OK ? MPI_SUCCESS : status == CPM_ENOMEM ? MPI_ERR_NO_MEM : MPI_ERR_OTHER;
}

/* False: it is the library's turn. */
static bool take_turn(tuned_call *c)
{
    c->by =
        tuned_ab_side(c->operation, c->root, tuned_numbers_run(c->state, c->operation, c->root));
    c->compared = c->decision;
    if (c->by == TUNED_BY_AB_LIBRARY)
        c->decision = NULL;
    return c->decision != NULL;
}

/* By the calls themselves. */
static int decide_by_calls(tuned_call *c, const mpib_arguments *a, const tuned_size *size,
                           cpm_request *r)
{
    c->decision =
        tuned_size_fits(a->operation, size) ? tuned_adapt_turn(c->state, r, a, &c->turn) : NULL;
    if (!c->decision || !tuned_is_rooted(a->operation))
        return CPM_OK;
    return tuned_rooted_plan(c->state, c->turn.context, c->turn.who, a, &c->collective);
}

/* Whether it was told in this call, which is the first by it. A rank that may have missed that one
 * knows it by its number within operation and root: it may make it later, when others go on. */
static bool was_told_now(const tuned_state *t, tuned_decision *d)
{
    const bool first = !d->met;
    d->met = true;
    return !t->adapt && (t->behind ? d->stream == t->stream : first);
}

cpm_request tuned_request_of(tuned_state *t, mpib_arguments *a, const tuned_checked *checked,
                             size_t bytes)
{
    cpm_request r = {.operation = a->operation,
                     .n = t->n,
                     .root = a->root,
                     .bytes = bytes,
                     .hosts = tuned_state_hosts(t),
                     .topology = t->topology,
                     .neighbours = tuned_neighbours_for(t, a->operation),
                     .ordered = checked->ordered};
    if (a->operation->combines)
        r.combining = mpib_combining_of(a->recv.type, checked->lasting);
    a->comm = t->inside;
    a->groups = &t->groups;
    if (cpm_operation_is_of_neighbours(a->operation))
        tuned_neighbours_place(t, a);
    return r;
}

/* What calls that do not block need, in one for which all wait. */
static void meet_if_due(tuned_state *t)
{
    if (!tuned_stretch_is_due(t->adapt))
        return;
    tuned_stretch_meet(t);
    tuned_begun_changed();
}

static bool is_run(tuned_call *c, mpib_arguments *a)
{
    tuned_state *t = c->state;
    const tuned_size size =
        a->operation->sizes == CPM_KNOWN_TO_ALL ? tuned_size_of(t, a) : (tuned_size){0};
    cpm_request r = tuned_request_of(t, a, &c->checked, size.own);
    c->arguments = a;
    if (t->wanted_count && tuned_waiting(a->operation) == CPM_ALL_WAIT)
        tuned_begun_decide(t);
    if (t->adapt && tuned_waiting(a->operation) == CPM_ALL_WAIT)
        meet_if_due(t);
    c->failed =
        tuned_error_of(t->adapt ? decide_by_calls(c, a, &size, &r) : decide(c, a, &size, &r));
    c->bytes = c->own = r.bytes;
    c->observed = true;
    if (c->failed)
        return true;
    if (!c->decision || !c->decision->choice.what.algorithm)
        return false;
    const bool told = was_told_now(t, c->decision);
    if (tuned_environment_get()->compare && !take_turn(c))
        return false;
    c->for_any_sizes = c->kept = c->collective != NULL;
    c->tag = tuned_tag(t, told);
    if (!c->for_any_sizes)
        c->failed = tuned_error_of(plan(c, a, r.bytes, size.each));
    return true;
}

/* The ranks compare what they say, those whose arguments MPI refuses, too: to these MPI itself says
 * what is wrong. */
int tuned_call_check(tuned_state *t, mpib_arguments *a, tuned_form form, bool right)
{
    cpm_error e = {0};
    a->comm = t->inside;
    tuned_records_begin(t);
    tuned_records_look(t);
    int status = tuned_check(a, form, right, t->compared, &e);
    tuned_records_look(t);
    if (status != CPM_OK && t->rank == 0)
        fprintf(stderr, "cpm: %s\n", e.text);
    if (status != CPM_OK) /* an error handler that ends the job does not come before that is said */
        PMPI_Barrier(t->inside);
    return status == CPM_EINVAL ? MPI_ERR_ARG : tuned_error_of(status);
}

/* Wrong arguments are left to MPI's own routine, which knows how to complain. The others may make
 * no call: this one has no number. */
static bool refuse(tuned_call *c, const mpib_arguments *a)
{
    tuned_state *t = c->state;
    t->refused = t->call + 1;
    t->behind = true;
    tuned_hot_doubt(t);
    if (c->failed) /* all have heard of it, and nobody makes the call */
        return false;
    if (t->adapt)
        tuned_adapt_refuse(t->adapt);
    else if (!t->native) {
        tuned_decide_nothing(t, a->operation);
        tuned_announce_nothing(t, a);
    }
    return false;
}

/* What is known of a call that is MPI's own routine. */
static void watch(tuned_call *c, const mpib_arguments *a)
{
    tuned_state *t = c->state;
    bool known = !a->operation->combines || mpib_op_is_predefined(a->op);
    c->observed = true;
    c->arguments = a;
    const tuned_size size = tuned_size_of(t, a);
    c->own = size.own;
    c->bytes = a->operation->sizes == CPM_KNOWN_TO_ALL ? size.own : 0;
    const cpm_request r = {
        .operation = a->operation, .n = t->n, .root = a->root, .bytes = c->bytes};
    if (known && tuned_size_fits(a->operation, &size) && tuned_adapt_expects(t))
        tuned_adapt_note(t, &r, &c->turn);
}

/* Deciding is no part of the call. */
static bool is_run_after_deciding(tuned_call *c, mpib_arguments *a)
{
    const double deciding = c->state->decisions.deciding;
    const int made = c->state->decisions.made;
    bool runs = is_run(c, a);
    if (c->state->decisions.made != made)
        tuned_hot_doubt(c->state);
    if (c->start >= 0)
        c->start += c->state->decisions.deciding - deciding;
    return runs;
}

static void settle_meeting(tuned_state *t)
{
    if (tuned_meeting_settle(t))
        tuned_begun_changed();
}

static void epoch_if_due(tuned_state *t)
{
    if (!tuned_adapt_is_due(t->adapt, t->call))
        return;
    tuned_adapt_epoch(t);
    tuned_rounds_prepare(t);
    tuned_hot_doubt(t);
    tuned_begun_changed();
}

/* Calls in which ranks may run ahead of a root. */
static void look_for_floods(tuned_call *c, const mpib_arguments *a)
{
    tuned_state *t = c->state;
    bool met = false;
    if (tuned_waiting(a->operation) != CPM_ROOT_WAITS) {
        t->met++;
        return;
    }
    if (!t->adapt || a->operation->sizes != CPM_KNOWN_TO_ALL)
        return;
    const cpm_request r = {.operation = a->operation,
                           .n = t->n,
                           .root = a->root,
                           .bytes = tuned_size_of(t, a).own,
                           .ordered = c->checked.ordered};
    c->turn.flood = tuned_adapt_flood(t, &r, &met);
    if (!met)
        return;
    tuned_rounds_prepare(t);
    tuned_hot_doubt(t);
}

/* asked: whether MPI takes the arguments is known, and it does. */
static bool begin_counted(tuned_call *c, mpib_arguments *a, const tuned_arrays *arrays, bool asked)
{
    tuned_state *t = c->state;
    if (tuned_lacks_graph(t, c->operation)) {
        tuned_say_graph_is_lacking(t, c->operation);
        c->start = tuned_environment_get()->timed ? PMPI_Wtime() : -1;
        return false;
    }
    tuned_numbers_count(t, c->operation, c->root);
    c->counted = true;
    settle_meeting(t);
    epoch_if_due(t);
    look_for_floods(c, a);
    if (tuned_environment_get()->timed || t->adapt)
        c->start = PMPI_Wtime();
    if (!t->native)
        return is_run_after_deciding(c, a);
    if (c->start >= 0 && (asked || tuned_counts_are_right(t, a, arrays)))
        watch(c, a);
    return false;
}

/* Where nothing is ever agreed on, as with a profile, nobody has to know what MPI refuses. */
static bool begin(tuned_call *c, mpib_arguments *a, const tuned_arrays *arrays, const void *send,
                  const void *recv)
{
    tuned_state *t = c->state;
    bool asked = !t->native || t->checked || t->adapt;
    t->on_device = asked && tuned_on_device(send, recv);
    if (asked)
        c->checked = tuned_check_arguments(t, a, arrays, send, recv);
    if (t->checked)
        c->failed = tuned_call_check(t, a, TUNED_BLOCKING, c->checked.right);
    if (c->failed && c->checked.right)
        return true;
    return asked && !c->checked.right ? refuse(c, a) : begin_counted(c, a, arrays, asked);
}

/* Whether that has ever been so: it is not known of which communicator, if that has a state later.
 */
static atomic_bool some_refused_first;

/* Of a communicator's first call. NULL: there is nothing to decide, or MPI refuses the call at this
 * rank: the others are not called for that. */
static tuned_state *make_state(MPI_Comm comm, mpib_arguments *a, const tuned_arrays *arrays,
                               const void *send, const void *recv)
{
    tuned_state *draft = tuned_state_draft(comm);
    if (draft && !tuned_check_arguments(draft, a, arrays, send, recv).right) {
        tuned_state_drop(draft);
        atomic_store(&some_refused_first, true);
        return NULL;
    }
    tuned_state *t = tuned_state_first(comm, draft);
    if (t)
        t->behind = atomic_load(&some_refused_first);
    return t;
}

/* Between groups everything is MPI's: such calls are only counted. */
static bool is_inter(MPI_Comm comm)
{
    int inter = 0;
    return comm != MPI_COMM_NULL && PMPI_Comm_test_inter(comm, &inter) == MPI_SUCCESS && inter;
}

tuned_state *tuned_call_state(MPI_Comm comm, mpib_arguments *a, const tuned_arrays *arrays,
                              const void *send, const void *recv)
{
    tuned_state *t;
    return tuned_state_known(comm, &t) ? t : make_state(comm, a, arrays, send, recv);
}

bool tuned_call_begin(tuned_call *c, MPI_Comm comm, mpib_arguments *a, const tuned_arrays *arrays,
                      const void *send, const void *recv)
{
    *c = (tuned_call){.operation = a->operation, .root = a->root, .start = -1};
    tuned_hot_settle();
    c->state = tuned_call_state(comm, a, arrays, send, recv);
    if (!c->state && tuned_observes() && is_inter(comm))
        c->start = cpm_tuned_other_begin();
    return c->state && begin(c, a, arrays, send, recv);
}

double cpm_tuned_other_begin(void)
{
    return tuned_observes() ? PMPI_Wtime() : -1;
}

void cpm_tuned_other_end(const char *function, double begun)
{
    if (begun >= 0 && tuned_observes())
        tuned_observe_other(function, PMPI_Wtime() - begun);
}

void cpm_tuned_pass(MPI_Comm comm, cpm_waiting who)
{
    tuned_state *t = tuned_state_of(comm);
    if (!t)
        return;
    tuned_hot_settle();
    t->call++;
    settle_meeting(t);
    epoch_if_due(t);
    t->met += who != CPM_ROOT_WAITS;
    if (t->adapt)
        tuned_adapt_pass(t, who);
}

/* This rank's part of the mean over ranks. */
static double part_of_bytes(const tuned_state *t, const cpm_operation *o, int root, size_t own)
{
    if (o->sizes != CPM_KNOWN_TO_ROOT)
        return (double)own;
    return t->rank == root ? (double)own * t->n : 0; /* which knows those of all */
}

/* What all know of a size is part of the kind of call. */
static void observe(const tuned_call *c, double seconds)
{
    const bool known = c->operation->sizes == CPM_KNOWN_TO_ALL;
    char algorithm[TUNED_NAME] = "";
    if (c->compared)
        tuned_choice_print(&c->compared->choice, algorithm, sizeof algorithm);
    const tuned_observation o = {.operation = c->operation,
                                 .root = c->root,
                                 .size = known ? (int64_t)c->bytes : -1,
                                 .bytes = part_of_bytes(c->state, c->operation, c->root, c->own),
                                 .start = c->start,
                                 .seconds = seconds,
                                 .by = c->by,
                                 .algorithm = algorithm};
    tuned_observe(c->state->group, &o);
}

/* Where not all know the size it is what this rank knows of it. */
static size_t shown_bytes(const tuned_call *c)
{
    if (c->bytes)
        return c->bytes;
    return c->arguments ? tuned_size_of(c->state, c->arguments).own : c->own;
}

/* d: NULL: nothing was decided. */
static void report(tuned_state *t, tuned_decision *d, const cpm_operation *o, size_t bytes,
                   double seconds, long calls, long passed)
{
    if (!d) {
        d = &t->decisions.undecided[o - cpm_operations];
        d->operation = o;
    }
    const double expected = d->choice.expected ? d->choice.expected[t->rank] : -1;
    const tuned_count some = {.calls = calls,
                              .passed = passed,
                              .bytes = (double)bytes * (double)calls,
                              .spent = seconds * (double)calls,
                              .expected = expected < 0 ? -1 : expected * (double)calls,
                              .smallest = bytes,
                              .largest = bytes};
    tuned_count *all = tuned_counts_of(&d->counts, tuned_size_class(bytes));
    if (all)
        tuned_count_add(all, &some);
}

/* Returns the seconds that it took; below 0: calls are not timed. */
static double end(const tuned_call *c)
{
    if (c->start < 0) {
        tuned_hot_watched(-1);
        return -1;
    }
    double seconds = PMPI_Wtime() - c->start;
    if (tuned_environment_get()->reported)
        report(c->state, c->decision, c->operation, shown_bytes(c), seconds, 1, 0);
    if (c->state->group && c->observed)
        observe(c, seconds);
    if (c->state->adapt)
        tuned_adapt_count(c->state, c->operation, c->root, &c->turn, seconds);
    tuned_hot_watched(c->start + seconds);
    return seconds;
}

/* ---- calls that are passed on ---- */

static bool is_lasting(const mpib_arguments *a)
{
    return tuned_type_is_named(a->send.type) && tuned_type_is_named(a->recv.type) &&
           (!a->operation->combines || mpib_op_is_predefined(a->op));
}

/* Whether it was by MPI's own routine, or by what is kept for calls like it. */
static bool can_be_repeated(const tuned_call *c)
{
    const bool native = !c->decision || !c->decision->choice.what.algorithm;
    return native || (c->kept && !c->for_any_sizes && !c->failed);
}

/* How many calls like it are run the same way and need not be watched: where nothing is decided, or
 * something was chosen for good, or nothing is being tried. */
static long spare_after(const tuned_call *c)
{
    const tuned_state *t = c->state;
    if (!c->arguments || t->checked || t->behind || c->operation->sizes != CPM_KNOWN_TO_ALL ||
        !is_lasting(c->arguments) || !can_be_repeated(c))
        return 0;
    if (t->adapt)
        return tuned_adapt_spare(t, &c->turn);
    return t->native || c->decision ? LONG_MAX : 0;
}

/* plan: NULL: MPI's own routine has run it. */
static void learn(const tuned_call *c, const tuned_signature *s, mpib_collective *plan,
                  const void *send, const void *recv, double seconds)
{
    const long spare = spare_after(c);
    if (c->turn.context)
        c->turn.context->spare = spare;
    if (!spare)
        return;
    const tuned_watched w = {.state = c->state,
                             .turn = c->turn,
                             .decision = c->decision,
                             .plan = plan,
                             .send = send,
                             .recv = recv,
                             .bytes = c->bytes,
                             .own = c->own,
                             .seconds = seconds};
    tuned_hot_learn(s, &w);
}

void tuned_call_passed(tuned_state *t, const tuned_passed *p)
{
    const tuned_observation o = {.operation = p->operation,
                                 .root = p->root,
                                 .size = (int64_t)p->bytes,
                                 .bytes = part_of_bytes(t, p->operation, p->root, p->own),
                                 .start = p->end,
                                 .seconds = p->seconds,
                                 .algorithm = ""};
    if (tuned_environment_get()->reported)
        report(t, p->decision, p->operation, p->bytes, p->seconds, p->calls, p->calls);
    if (t->group)
        tuned_observe_passed(t->group, &o, p->calls, p->gap);
    if (t->adapt)
        tuned_adapt_passed(t, p->operation, &p->turn, p->calls, p->seconds);
}

/* The others cannot be told: they wait for this rank's messages. */
static void say_out_of_memory(const tuned_state *t, const cpm_operation *o)
{
    fprintf(stderr,
            "cpm: rank %d of %d: no memory for %s, and its reserve is too small. The call fails "
            "there, and others may wait for it\n",
            t->rank, t->n, o->name);
}

void tuned_call_failed(const tuned_state *t, const cpm_operation *o, int failed)
{
    if (failed == MPI_ERR_NO_MEM)
        say_out_of_memory(t, o);
    PMPI_Comm_call_errhandler(t->comm, failed);
}

static int run_staged(tuned_call *c, const void *send, void *recv)
{
    tuned_staged staged;
    int failed = tuned_stage(&staged, c->state, c->arguments, c->tag, &send, &recv);
    if (!failed)
        failed = c->for_any_sizes ? mpib_collective_run_any_sizes(c->collective, c->arguments, send,
                                                                  recv, c->tag)
                                  : mpib_collective_run(c->collective, send, recv, c->tag);
    const int back = tuned_unstage(&staged, c->state, c->tag);
    return failed ? failed : back;
}

int tuned_call_run(tuned_call *c, const tuned_signature *s, const void *send, void *recv)
{
    if (!c->failed)
        c->failed = run_staged(c, send, recv);
    if (!c->kept)
        mpib_collective_free(c->collective);
    const double seconds = end(c);
    if (s)
        learn(c, s, c->collective, send, recv, seconds);
    if (c->failed)
        tuned_call_failed(c->state, c->operation, c->failed);
    return c->failed;
}

/* Whether MPI found that arguments are wrong, before it sent anything. */
bool tuned_call_is_refusal(int status)
{
    static const int refusals[] = {MPI_ERR_BUFFER, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_COMM,
                                   MPI_ERR_ROOT,   MPI_ERR_OP,    MPI_ERR_ARG,  MPI_ERR_TOPOLOGY};
    int class = MPI_SUCCESS;
    if (status != MPI_SUCCESS)
        PMPI_Error_class(status, &class);
    for (size_t k = 0; k < sizeof refusals / sizeof *refusals; k++)
        if (class == refusals[k])
            return true;
    return false;
}

void tuned_call_refused(tuned_state *t, const cpm_operation *o, int root)
{
    tuned_call c = {.state = t, .operation = o, .root = root};
    const mpib_arguments a = {.operation = o, .root = root};
    refuse(&c, &a);
}

static void end_other(const tuned_call *c)
{
    char name[TUNED_NAME];
    if (c->start < 0)
        return;
    snprintf(name, sizeof name, "%s of inter-communicators", c->operation->name);
    cpm_tuned_other_end(name, c->start);
}

/* What MPI refuses though its arguments seemed right was no call, either. */
int tuned_call_native(tuned_call *c, const tuned_signature *s, int status)
{
    if (c->counted && status != MPI_SUCCESS && tuned_call_is_refusal(status)) {
        tuned_numbers_uncount(c->state, c->operation, c->root);
        c->state->met -= tuned_waiting(c->operation) != CPM_ROOT_WAITS;
        if (c->turn.flood)
            c->turn.flood->calls--;
        refuse(c, c->arguments);
        return status;
    }
    if (!c->state) {
        end_other(c);
        return status;
    }
    const double seconds = end(c);
    if (s)
        learn(c, s, NULL, NULL, NULL, seconds);
    return status;
}
