#include "tuned/call/active.h"

#include "cpm/cpm_mpi.h"
#include "tuned/call/records.h"
#include "tuned/comm/progress.h"
#include "tuned/environment.h"

static tuned_active *runs;
static bool advancing;

bool tuned_active_pause(void)
{
    const bool before = advancing;
    advancing = true;
    return before;
}

void tuned_active_resume(bool before)
{
    advancing = before;
}

/* ---- what is held ---- */

void tuned_active_hold_types(tuned_active *r, mpib_arguments *a, bool lasting)
{
    MPI_Datatype *of[] = {&a->send.type, &a->recv.type};
    for (int k = 0; k < 2; k++) {
        r->types[k] = MPI_DATATYPE_NULL;
        if (lasting)
            continue;
        PMPI_Type_dup(*of[k], &r->types[k]);
        *of[k] = r->types[k];
    }
}

void tuned_active_let_types_go(tuned_active *r)
{
    for (int k = 0; k < 2; k++)
        if (r->types[k] != MPI_DATATYPE_NULL)
            PMPI_Type_free(&r->types[k]);
}

void tuned_active_forget(tuned_state *t)
{
    for (tuned_active *r = runs; r; r = r->next)
        if (r->state == t)
            r->decision = NULL;
}

/* ---- the end ---- */

static void report(const tuned_active *r)
{
    const double seconds = PMPI_Wtime() - r->start;
    const tuned_count one = {.calls = 1,
                             .bytes = (double)r->bytes,
                             .spent = seconds,
                             .expected = -1,
                             .smallest = r->bytes,
                             .largest = r->bytes};
    tuned_count *all = tuned_counts_of(&r->decision->counts, tuned_size_class(r->bytes));
    if (all)
        tuned_count_add(all, &one);
}

static void end(tuned_active *r, int failed)
{
    tuned_state *t = r->state;
    const int back = r->is_staged ? tuned_unstage(&r->staged, t, r->tag) : MPI_SUCCESS;
    r->failed = failed ? failed : back;
    if (r->decision && tuned_environment_get()->reported)
        report(r);
    r->ended(r);
    tuned_state_let_go(t);
}

static void leave(tuned_active **at)
{
    *at = (*at)->next;
    tuned_progress_want(-1);
}

static void advance_all(void)
{
    for (tuned_active **at = &runs, *r = *at; r; r = *at) {
        int failed;
        if (mpib_collective_advance(r->collective, &failed)) {
            leave(at);
            end(r, failed);
        } else {
            at = &r->next;
        }
    }
}

void tuned_active_go_on(void)
{
    if (advancing)
        return;
    advancing = true;
    advance_all();
    tuned_records_look_at_all();
    advancing = false;
}

/* What has come may be some run's; other ends of messages are looked for now and then. */
void cpm_tuned_advance(bool something_came)
{
    enum { PATIENCE = 16 };
    static unsigned in_vain;
    tuned_progress_heard();
    if (something_came || ++in_vain % PATIENCE == 0)
        tuned_active_go_on();
}

/* Others go on meanwhile, as MPI looks for messages. */
void tuned_active_wait(tuned_active *r)
{
    tuned_active **at = &runs;
    while (*at != r)
        at = &(*at)->next;
    leave(at);
    end(r, mpib_collective_finish(r->collective));
}

/* ---- the beginning ---- */

static int begin(tuned_active *r, const mpib_arguments *a, const void *send, void *recv,
                 bool finishes)
{
    r->is_staged = r->state->on_device;
    const int failed =
        r->is_staged ? tuned_stage(&r->staged, r->state, a, r->tag, &send, &recv) : MPI_SUCCESS;
    if (failed) {
        tuned_unstage(&r->staged, r->state, r->tag);
        return failed;
    }
    if (tuned_environment_get()->reported)
        r->start = PMPI_Wtime();
    mpib_collective_begin(r->collective, send, recv, finishes, r->tag);
    tuned_active **last = &runs;
    while (*last)
        last = &(*last)->next;
    r->next = NULL;
    *last = r;
    tuned_state_hold(r->state);
    tuned_progress_want(1);
    return MPI_SUCCESS;
}

int tuned_active_begin(tuned_active *r, const mpib_arguments *a, const void *send, void *recv,
                       bool finishes)
{
    const bool before = tuned_active_pause();
    const int failed = begin(r, a, send, recv, finishes);
    tuned_active_resume(before);
    return failed;
}
