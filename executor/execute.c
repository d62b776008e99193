/* Running a plan: places become addresses, rounds become MPI's calls. */
#include "executor/execute.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "executor/plan.h"
#include "executor/wait.h"

static char *address(char *const bases[MPIB_ALL_BASES], mpib_place place)
{
    return (char *)((uintptr_t)bases[place.base] + (uintptr_t)place.offset);
}

static int pack(const mpib_plan *p, const mpib_message *m, char *const bases[MPIB_ALL_BASES])
{
    int failed = MPI_SUCCESS;
    char *to = p->space + m->at.offset;
    for (int i = 0; i < m->pieces; i++) {
        const mpib_piece *from = &p->pieces[m->first_piece + i];
        failed = mpib_first_failure(
            failed,
            mpib_gather_elements(&p->combiner, address(bases, from->place), to, from->bytes));
        to += from->bytes;
    }
    return failed;
}

/* What comes is from lower ranks, the nearest first. */
static int keep(const mpib_plan *p, const mpib_piece *piece, char *from,
                char *const bases[MPIB_ALL_BASES])
{
    const mpib_place result = {MPIB_RECV_BUFFER, piece->place.offset - p->accumulated};
    return piece->later
               ? mpib_combine(&p->combiner, from, address(bases, result), piece->bytes, false)
               : mpib_scatter_elements(&p->combiner, from, address(bases, result), piece->bytes);
}

static int combine_with_input(const mpib_plan *p, const mpib_piece *piece, const char *from,
                              char *to, char *const bases[MPIB_ALL_BASES])
{
    const mpib_place input = {MPIB_SEND_BUFFER, piece->place.offset - p->accumulated};
    int moved =
        from == to ? MPI_SUCCESS : mpib_scatter_elements(&p->combiner, from, to, piece->bytes);
    return mpib_first_failure(
        moved, mpib_combine_with(&p->combiner, address(bases, input), to, piece->bytes));
}

static int unpack_piece(const mpib_plan *p, const mpib_message *m, const mpib_piece *piece,
                        char *from, char *const bases[MPIB_ALL_BASES])
{
    char *to = address(bases, piece->place);
    if (!mpib_message_combines(m))
        return mpib_scatter_elements(&p->combiner, from, to, piece->bytes);
    int kept = p->keeps ? keep(p, piece, from, bases) : MPI_SUCCESS;
    if (m->input)
        return mpib_first_failure(kept, combine_with_input(p, piece, from, to, bases));
    return mpib_first_failure(
        kept, mpib_combine(&p->combiner, from, to, piece->bytes, m->peer > p->combiner.rank));
}

static int unpack(const mpib_plan *p, const mpib_message *m, char *const bases[MPIB_ALL_BASES])
{
    int failed = MPI_SUCCESS;
    char *from = address(bases, m->at);
    for (int i = 0; i < m->pieces; i++) {
        const mpib_piece *to = &p->pieces[m->first_piece + i];
        int unpacked = unpack_piece(p, m, to, from, bases);
        failed = mpib_first_failure(failed, unpacked);
        from += to->bytes;
    }
    return failed;
}

/* What runs within a collective calls MPI by its profiling names: no tool, and not CPM's own
 * preloaded library, sees it as the application's. All return MPI's error code. */
static int run_send(const mpib_plan *p, const mpib_message *m, char *const bases[MPIB_ALL_BASES],
                    MPI_Comm comm, int tag)
{
    int failed = m->packed ? pack(p, m, bases) : MPI_SUCCESS;
    return mpib_first_failure(
        failed, PMPI_Send(address(bases, m->at), m->count, m->type, m->peer, tag, comm));
}

static int run_receive(const mpib_plan *p, const mpib_message *m, char *const bases[MPIB_ALL_BASES],
                       MPI_Comm comm, int tag)
{
    int failed =
        PMPI_Recv(address(bases, m->at), m->count, m->type, m->peer, tag, comm, MPI_STATUS_IGNORE);
    return mpib_message_settles(m) && !failed ? unpack(p, m, bases) : failed;
}

/* Starts one message of several; a request that could not be made is none to wait for. */
static int start(const mpib_plan *p, const mpib_message *m, char *const bases[MPIB_ALL_BASES],
                 MPI_Comm comm, int tag, MPI_Request *r)
{
    *r = MPI_REQUEST_NULL;
    if (mpib_message_receives(m))
        return PMPI_Irecv(address(bases, m->at), m->count, m->type, m->peer, tag, comm, r);
    int failed = m->packed ? pack(p, m, bases) : MPI_SUCCESS;
    return mpib_first_failure(
        failed, PMPI_Isend(address(bases, m->at), m->count, m->type, m->peer, tag, comm, r));
}

/* The receive is posted first, as in all rounds: some MPI_Sendrecv do so only behind their send,
 * which lets the peer wait. */
static int run_pair(const mpib_plan *p, const mpib_message *a, const mpib_message *b,
                    char *const bases[MPIB_ALL_BASES], MPI_Comm comm, int tag)
{
    bool first_receives = mpib_message_receives(a);
    const mpib_message *send = first_receives ? b : a, *recv = first_receives ? a : b;
    MPI_Request sent, received;
    int posted = start(p, recv, bases, comm, tag, &received);
    int failed = mpib_first_failure(posted, start(p, send, bases, comm, tag, &sent));
    int arrived = PMPI_Wait(&received, MPI_STATUS_IGNORE);
    failed = mpib_first_failure(failed,
                                mpib_first_failure(arrived, PMPI_Wait(&sent, MPI_STATUS_IGNORE)));
    if (mpib_message_settles(recv) && !posted && !arrived)
        failed = mpib_first_failure(failed, unpack(p, recv, bases));
    return failed;
}

/* The messages of one round: receives first, so that nothing arrives unexpected. */
static int start_several(mpib_plan *p, const mpib_round *r, char *const bases[MPIB_ALL_BASES],
                         MPI_Comm comm, int tag)
{
    const mpib_message *m = p->messages;
    int failed = MPI_SUCCESS;
    for (int sends = 0; sends < 2; sends++)
        for (int i = r->begin; i < r->end; i++)
            if (mpib_message_receives(&m[i]) != sends) {
                int status = start(p, &m[i], bases, comm, tag, &p->requests[i]);
                failed = failed ? failed : status;
            }
    return failed;
}

static int finish_several(mpib_plan *p, const mpib_round *r, char *const bases[MPIB_ALL_BASES])
{
    const mpib_message *m = p->messages;
    int waited = mpib_wait_all(&p->requests[r->begin], &p->statuses[r->begin], r->end - r->begin);
    int failed = waited;
    for (int i = r->begin; i < r->end; i++)
        if (mpib_message_receives(&m[i]) && mpib_message_settles(&m[i]) &&
            !(waited && p->statuses[i].MPI_ERROR))
            failed = mpib_first_failure(failed, unpack(p, &m[i], bases));
    return failed;
}

/* Whole pages go back to the system: who writes them next gets others. */
static void renew(char *from, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t before = (page - (uintptr_t)from % page) % page;
    if (bytes > before + page)
        madvise(from + before, (bytes - before) / page * page, MADV_DONTNEED);
}

static int run_round(mpib_plan *p, const mpib_round *r, char *const bases[MPIB_ALL_BASES],
                     MPI_Comm comm, int tag)
{
    const mpib_message *m = &p->messages[r->begin];
    int started;
    switch (r->kind) {
    case MPIB_ONE_SEND:
        return run_send(p, m, bases, comm, tag);
    case MPIB_ONE_RECEIVE:
        return run_receive(p, m, bases, comm, tag);
    case MPIB_ONE_OF_EACH:
        return run_pair(p, m, m + 1, bases, comm, tag);
    case MPIB_SEVERAL:
        started = start_several(p, r, bases, comm, tag);
        return mpib_first_failure(started, finish_several(p, r, bases));
    case MPIB_DEFERRED:
        return start_several(p, r, bases, comm, tag);
    case MPIB_MARK:
        if (m->kind == CPM_RENEW)
            renew(address(bases, m->at), m->bytes);
        return m->kind == CPM_MERGE ? unpack(p, m, bases) : MPI_SUCCESS;
    }
    return MPI_SUCCESS;
}

int mpib_round_run(mpib_plan *p, const mpib_round *r, char *const bases[MPIB_ALL_BASES],
                   MPI_Comm comm, int tag)
{
    return run_round(p, r, bases, comm, tag);
}

/* After the last round, those from one on. */
static int finish_deferred(mpib_plan *p, int from, char *const bases[MPIB_ALL_BASES])
{
    int failed = MPI_SUCCESS;
    for (int k = from; k < p->round_count; k++)
        if (p->rounds[k].kind == MPIB_DEFERRED)
            failed = mpib_first_failure(failed, finish_several(p, &p->rounds[k], bases));
    return failed;
}

static void set_bases(const mpib_plan *p, char *const given[MPIB_BASES],
                      char *bases[MPIB_ALL_BASES])
{
    memcpy(bases, given, MPIB_BASES * sizeof *given);
    bases[MPIB_PACKED] = p->space;
    bases[MPIB_MEMORY] = NULL;
}

static bool answers(const mpib_plan *p, int k)
{
    return k > 0 && p->rounds[k].kind == MPIB_ONE_SEND && p->rounds[k - 1].kind == MPIB_ONE_RECEIVE;
}

static void tell(const mpib_observer *o, const mpib_plan *p, int k)
{
    if (p->rounds[k].kind == MPIB_MARK)
        o->mark(o->context, p->messages[p->rounds[k].begin].kind);
    else if (answers(p, k))
        o->before_answer(o->context);
}

int mpib_plan_observe(mpib_plan *p, char *const given[MPIB_BASES], const mpib_observer *observer,
                      MPI_Comm comm, int tag)
{
    char *bases[MPIB_ALL_BASES];
    int failed = MPI_SUCCESS;
    set_bases(p, given, bases);
    for (int k = 0; k < p->round_count; k++) {
        if (observer)
            tell(observer, p, k);
        failed = mpib_first_failure(failed, run_round(p, &p->rounds[k], bases, comm, tag));
    }
    return mpib_first_failure(failed, finish_deferred(p, 0, bases));
}

int mpib_plan_run(mpib_plan *p, char *const bases[MPIB_BASES], MPI_Comm comm, int tag)
{
    return mpib_plan_observe(p, bases, NULL, comm, tag);
}

/* ---- by steps ---- */

static void note_failure(mpib_plan *p, int failed)
{
    p->run.failed = mpib_first_failure(p->run.failed, failed);
}

/* Whether a round that was started has ended: then what came is where it belongs. */
static bool has_ended(mpib_plan *p, const mpib_round *r)
{
    const mpib_message *m = p->messages;
    const int count = r->end - r->begin;
    note_failure(p, mpib_test_each(&p->requests[r->begin], count, &p->run.ended));
    if (p->run.ended < count)
        return false;
    p->run.ended = 0;
    for (int i = r->begin; i < r->end && !p->run.failed; i++)
        if (mpib_message_receives(&m[i]) && mpib_message_settles(&m[i]))
            note_failure(p, unpack(p, &m[i], p->run.bases));
    return true;
}

static int start_of_run(mpib_plan *p, int i)
{
    const mpib_plan_run_state *now = &p->run;
    return start(p, &p->messages[i], now->bases, now->comm, now->tag, &p->requests[i]);
}

static void begin_round(mpib_plan *p, const mpib_round *r)
{
    if (r->kind == MPIB_MARK)
        note_failure(p, run_round(p, r, p->run.bases, p->run.comm, p->run.tag));
    else if (r->end - r->begin == 1)
        note_failure(p, start_of_run(p, r->begin));
    else
        note_failure(p, start_several(p, r, p->run.bases, p->run.comm, p->run.tag));
    p->run.waits = r->kind != MPIB_MARK && r->kind != MPIB_DEFERRED;
}

/* ---- a first round whose receive is late ---- */

/* A short message takes MPI less time if it is received when it is waited for. */
static bool may_be_late(const mpib_plan *p, const mpib_round *r)
{
    enum { SHORT = 1024 };
    const bool one = r->kind == MPIB_ONE_RECEIVE || r->kind == MPIB_ONE_OF_EACH;
    return one && p->messages[r->begin].bytes <= SHORT && p->messages[r->end - 1].bytes <= SHORT;
}

static int late_receive(const mpib_plan *p, const mpib_round *r)
{
    return mpib_message_receives(&p->messages[r->begin]) ? r->begin : r->begin + 1;
}

static void begin_late(mpib_plan *p, const mpib_round *r)
{
    for (int i = r->begin; i < r->end; i++)
        if (i == late_receive(p, r))
            p->requests[i] = MPI_REQUEST_NULL;
        else
            note_failure(p, start_of_run(p, i));
    p->run.waits = p->run.late = true;
}

static void post_late(mpib_plan *p)
{
    p->run.late = false;
    note_failure(p, start_of_run(p, late_receive(p, &p->rounds[p->run.round])));
}

static void finish_late(mpib_plan *p, const mpib_round *r)
{
    const mpib_plan_run_state *now = &p->run;
    const int i = late_receive(p, r);
    const mpib_message *m = &p->messages[i];
    const int came = PMPI_Recv(address(now->bases, m->at), m->count, m->type, m->peer, now->tag,
                               now->comm, MPI_STATUS_IGNORE);
    note_failure(p, came);
    if (r->kind == MPIB_ONE_OF_EACH)
        note_failure(p, PMPI_Wait(&p->requests[r->begin + r->end - 1 - i], MPI_STATUS_IGNORE));
    if (!came && mpib_message_settles(m))
        note_failure(p, unpack(p, m, now->bases));
}

/* ---- all rounds ---- */

/* Until there is one to wait for. */
static void begin_rounds(mpib_plan *p)
{
    while (p->run.round < p->round_count && !p->run.waits) {
        begin_round(p, &p->rounds[p->run.round]);
        p->run.round += !p->run.waits;
    }
}

void mpib_plan_begin(mpib_plan *p, char *const given[MPIB_BASES], bool finishes, MPI_Comm comm,
                     int tag)
{
    p->run = (mpib_plan_run_state){.comm = comm, .tag = tag};
    set_bases(p, given, p->run.bases);
    if (finishes && p->round_count && may_be_late(p, p->rounds))
        begin_late(p, p->rounds);
    else
        begin_rounds(p);
}

/* Rounds one after the other, then those that were deferred. */
bool mpib_plan_advance(mpib_plan *p, int *failed)
{
    if (p->run.late)
        post_late(p);
    while (p->run.waits) {
        if (!has_ended(p, &p->rounds[p->run.round]))
            return false;
        p->run.waits = false;
        p->run.round++;
        begin_rounds(p);
    }
    for (; p->run.deferred < p->round_count; p->run.deferred++) {
        const mpib_round *r = &p->rounds[p->run.deferred];
        if (r->kind == MPIB_DEFERRED && !has_ended(p, r))
            return false;
    }
    *failed = p->run.failed;
    return true;
}

/* Of its messages some may have ended. */
static void finish_started(mpib_plan *p, const mpib_round *r)
{
    if (p->run.late)
        finish_late(p, r);
    else if (r->kind == MPIB_ONE_SEND)
        note_failure(p, PMPI_Wait(&p->requests[r->begin], MPI_STATUS_IGNORE));
    else
        note_failure(p, finish_several(p, r, p->run.bases));
}

int mpib_plan_finish(mpib_plan *p)
{
    mpib_plan_run_state *now = &p->run;
    if (now->waits)
        finish_started(p, &p->rounds[now->round++]);
    for (; now->round < p->round_count; now->round++)
        note_failure(p, run_round(p, &p->rounds[now->round], now->bases, now->comm, now->tag));
    note_failure(p, finish_deferred(p, now->deferred, now->bases));
    return now->failed;
}

/* As messages of a train do. */
static bool sends_the_same(const mpib_plan *p, const mpib_message *a, const mpib_message *b)
{
    const mpib_place *x = &p->pieces[a->first_piece].place, *y = &p->pieces[b->first_piece].place;
    return a->kind == b->kind && a->pieces == b->pieces && a->bytes == b->bytes &&
           x->base == y->base && x->offset == y->offset;
}

void mpib_plan_write_sent(const mpib_plan *p, char *const given[MPIB_BASES], char value)
{
    char *bases[MPIB_ALL_BASES];
    set_bases(p, given, bases);
    for (int k = 0; k < p->count; k++) {
        const mpib_message *m = &p->messages[k];
        if (m->kind != CPM_SEND || !m->pieces || (k > 0 && sends_the_same(p, m - 1, m)))
            continue;
        for (int i = 0; i < m->pieces; i++) {
            const mpib_piece *x = &p->pieces[m->first_piece + i];
            memset(address(bases, x->place), value, x->bytes);
        }
    }
}

int mpib_status_of(int code, const char *what, cpm_error *e)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    if (code == MPI_SUCCESS)
        return CPM_OK;
    PMPI_Error_string(code, text, &(int){0});
    text[strcspn(text, "\n")] = '\0';
    return cpm_fail(e, CPM_EMPI, "%s: %s", what, text);
}
