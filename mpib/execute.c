/* Running a plan: places become addresses, rounds become MPI's calls. */
#include "mpib/execute.h"

#include <string.h>

#include "mpib/plan.h"

static char *address(char *const bases[MPIB_ALL_BASES], mpib_place place)
{
    return bases[place.base] + place.offset;
}

static void pack(const mpib_plan *p, const mpib_message *m, char *const bases[MPIB_ALL_BASES])
{
    char *to = p->space + m->at.offset;
    for (int i = 0; i < m->pieces; i++) {
        const mpib_piece *from = &p->pieces[m->first_piece + i];
        mpib_gather_elements(&p->combiner, address(bases, from->place), to, from->bytes);
        to += from->bytes;
    }
}

static void unpack(const mpib_plan *p, const mpib_message *m, char *const bases[MPIB_ALL_BASES])
{
    char *from = p->space + m->at.offset;
    for (int i = 0; i < m->pieces; i++) {
        const mpib_piece *to = &p->pieces[m->first_piece + i];
        if (m->kind == CPM_COMBINE)
            mpib_combine(&p->combiner, from, address(bases, to->place), to->bytes,
                         m->peer > p->combiner.rank);
        else
            mpib_scatter_elements(&p->combiner, from, address(bases, to->place), to->bytes);
        from += to->bytes;
    }
}

static void run_send(const mpib_plan *p, const mpib_message *m, char *const bases[MPIB_ALL_BASES],
                     MPI_Comm comm, int tag)
{
    if (m->packed)
        pack(p, m, bases);
    MPI_Send(address(bases, m->at), m->count, m->type, m->peer, tag, comm);
}

static void run_receive(const mpib_plan *p, const mpib_message *m,
                        char *const bases[MPIB_ALL_BASES], MPI_Comm comm, int tag)
{
    MPI_Recv(address(bases, m->at), m->count, m->type, m->peer, tag, comm, MPI_STATUS_IGNORE);
    if (m->packed)
        unpack(p, m, bases);
}

static void run_pair(const mpib_plan *p, const mpib_message *a, const mpib_message *b,
                     char *const bases[MPIB_ALL_BASES], MPI_Comm comm, int tag)
{
    const mpib_message *send = mpib_message_receives(a) ? b : a,
                       *recv = mpib_message_receives(a) ? a : b;
    if (send->packed)
        pack(p, send, bases);
    MPI_Sendrecv(address(bases, send->at), send->count, send->type, send->peer, tag,
                 address(bases, recv->at), recv->count, recv->type, recv->peer, tag, comm,
                 MPI_STATUS_IGNORE);
    if (recv->packed)
        unpack(p, recv, bases);
}

/* Messages [begin, end) of one round: receives first, so that nothing arrives unexpected. */
static void run_several(mpib_plan *p, int begin, int end, char *const bases[MPIB_ALL_BASES],
                        MPI_Comm comm, int tag)
{
    const mpib_message *m = p->messages;
    MPI_Request *r = p->requests;
    for (int i = begin; i < end; i++)
        if (mpib_message_receives(&m[i]))
            MPI_Irecv(address(bases, m[i].at), m[i].count, m[i].type, m[i].peer, tag, comm,
                      &r[i - begin]);
    for (int i = begin; i < end; i++)
        if (m[i].kind == CPM_SEND) {
            if (m[i].packed)
                pack(p, &m[i], bases);
            MPI_Isend(address(bases, m[i].at), m[i].count, m[i].type, m[i].peer, tag, comm,
                      &r[i - begin]);
        }
    MPI_Waitall(end - begin, r, MPI_STATUSES_IGNORE);
    for (int i = begin; i < end; i++)
        if (mpib_message_receives(&m[i]) && m[i].packed)
            unpack(p, &m[i], bases);
}

static void run_round(mpib_plan *p, const mpib_round *r, char *const bases[MPIB_ALL_BASES],
                      MPI_Comm comm, int tag)
{
    const mpib_message *m = &p->messages[r->begin];
    switch (r->kind) {
    case MPIB_ONE_SEND:
        run_send(p, m, bases, comm, tag);
        break;
    case MPIB_ONE_RECEIVE:
        run_receive(p, m, bases, comm, tag);
        break;
    case MPIB_ONE_OF_EACH:
        run_pair(p, m, m + 1, bases, comm, tag);
        break;
    case MPIB_SEVERAL:
        run_several(p, r->begin, r->end, bases, comm, tag);
        break;
    case MPIB_MARK:
        break;
    }
}

static void set_bases(const mpib_plan *p, char *const given[MPIB_BASES],
                      char *bases[MPIB_ALL_BASES])
{
    memcpy(bases, given, MPIB_BASES * sizeof *given);
    bases[MPIB_PACKED] = p->space;
}

void mpib_plan_run(mpib_plan *p, char *const given[MPIB_BASES], MPI_Comm comm, int tag)
{
    char *bases[MPIB_ALL_BASES];
    set_bases(p, given, bases);
    for (int k = 0; k < p->round_count; k++)
        run_round(p, &p->rounds[k], bases, comm, tag);
}

typedef struct {
    double begin, start, stop; /* local times; stop is negative until it is known */
} stopwatch;

static void pass_mark(cpm_step_kind kind, const mpib_clock *clock, stopwatch *w)
{
    static const mpib_sync local = {0};
    double now = clock->now(clock);
    if (kind == CPM_START)
        w->start = now;
    else if (kind == CPM_STOP)
        w->stop = now;
    else
        mpib_wait_until(clock, &local, now + 2 * (now - w->begin));
}

double mpib_plan_time(mpib_plan *p, char *const given[MPIB_BASES], const mpib_clock *clock,
                      MPI_Comm comm, int tag)
{
    char *bases[MPIB_ALL_BASES];
    double begin = clock->now(clock);
    stopwatch w = {begin, begin, -1};
    set_bases(p, given, bases);
    for (int k = 0; k < p->round_count; k++)
        if (p->rounds[k].kind == MPIB_MARK)
            pass_mark(p->messages[p->rounds[k].begin].kind, clock, &w);
        else
            run_round(p, &p->rounds[k], bases, comm, tag);
    return (w.stop < 0 ? clock->now(clock) : w.stop) - w.start;
}
