/* The MPI library's own collectives, called with the arguments of a planned call. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "mpib/collective.h"

/* One side as MPI wants it. */
typedef struct {
    int count;
    int *counts, *places; /* [n], or NULL */
    MPI_Datatype type;
} int_side;

static int convert(const mpib_side *s, int n, bool needs_arrays, int_side *out, cpm_error *e)
{
    ptrdiff_t next = 0;
    if (s->count > INT_MAX)
        return cpm_fail(e, CPM_EINVAL, "%zu elements are more than MPI's int can count", s->count);
    *out = (int_side){.count = (int)s->count, .type = s->type};
    if (!needs_arrays)
        return CPM_OK;
    out->counts = malloc(2 * (size_t)n * sizeof *out->counts);
    if (!out->counts)
        return cpm_fail(e, CPM_ENOMEM, "no memory for the counts of %d blocks", n);
    out->places = out->counts + n;
    for (int b = 0; b < n; b++) {
        size_t count = s->counts ? s->counts[b] : s->count;
        ptrdiff_t place = s->places ? s->places[b] : next;
        if (count > INT_MAX || place > INT_MAX || place < INT_MIN)
            return cpm_fail(e, CPM_EINVAL, "block %d is above what MPI's int can count", b);
        out->counts[b] = (int)count;
        out->places[b] = (int)place;
        next += (ptrdiff_t)count;
    }
    return CPM_OK;
}

typedef struct {
    const mpib_arguments *a;
    int_side send, recv;
    const void *sendbuf;
    void *recvbuf;
} routine;

static void bcast(const routine *r)
{
    MPI_Bcast(r->recvbuf, r->recv.count, r->recv.type, r->a->root, r->a->comm);
}

static void scatter(const routine *r)
{
    MPI_Scatter(r->sendbuf, r->send.count, r->send.type, r->recvbuf, r->recv.count, r->recv.type,
                r->a->root, r->a->comm);
}

static void scatterv(const routine *r)
{
    MPI_Scatterv(r->sendbuf, r->send.counts, r->send.places, r->send.type, r->recvbuf,
                 r->recv.count, r->recv.type, r->a->root, r->a->comm);
}

static void gather(const routine *r)
{
    MPI_Gather(r->sendbuf, r->send.count, r->send.type, r->recvbuf, r->recv.count, r->recv.type,
               r->a->root, r->a->comm);
}

static void gatherv(const routine *r)
{
    MPI_Gatherv(r->sendbuf, r->send.count, r->send.type, r->recvbuf, r->recv.counts, r->recv.places,
                r->recv.type, r->a->root, r->a->comm);
}

static void reduce(const routine *r)
{
    MPI_Reduce(r->sendbuf, r->recvbuf, r->recv.count, r->recv.type, r->a->op, r->a->root,
               r->a->comm);
}

static void reduce_scatter(const routine *r)
{
    MPI_Reduce_scatter(r->sendbuf, r->recvbuf, r->recv.counts, r->recv.type, r->a->op, r->a->comm);
}

static void allgather(const routine *r)
{
    MPI_Allgather(r->sendbuf, r->send.count, r->send.type, r->recvbuf, r->recv.count, r->recv.type,
                  r->a->comm);
}

static void allgatherv(const routine *r)
{
    MPI_Allgatherv(r->sendbuf, r->send.count, r->send.type, r->recvbuf, r->recv.counts,
                   r->recv.places, r->recv.type, r->a->comm);
}

static void alltoall(const routine *r)
{
    MPI_Alltoall(r->sendbuf, r->send.count, r->send.type, r->recvbuf, r->recv.count, r->recv.type,
                 r->a->comm);
}

static void alltoallv(const routine *r)
{
    MPI_Alltoallv(r->sendbuf, r->send.counts, r->send.places, r->send.type, r->recvbuf,
                  r->recv.counts, r->recv.places, r->recv.type, r->a->comm);
}

static void allreduce(const routine *r)
{
    MPI_Allreduce(r->sendbuf, r->recvbuf, r->recv.count, r->recv.type, r->a->op, r->a->comm);
}

static void barrier(const routine *r)
{
    MPI_Barrier(r->a->comm);
}

static const struct {
    const char *name;
    void (*run)(const routine *r);
    bool send_arrays, recv_arrays;
} routines[] = {
    {"bcast", bcast, false, false},
    {"scatter", scatter, false, false},
    {"scatterv", scatterv, true, false},
    {"gather", gather, false, false},
    {"gatherv", gatherv, false, true},
    {"reduce", reduce, false, false},
    {"reduce_scatter", reduce_scatter, false, true},
    {"allgather", allgather, false, false},
    {"allgatherv", allgatherv, false, true},
    {"alltoall", alltoall, false, false},
    {"alltoallv", alltoallv, true, true},
    {"allreduce", allreduce, false, false},
    {"barrier", barrier, false, false},
};

/* MPI_IN_PLACE stands where the standard wants it. */
static void put_in_place(routine *r)
{
    if (!r->a->in_place)
        return;
    if (strncmp(r->a->operation->name, "scatter", 7) == 0)
        r->recvbuf = MPI_IN_PLACE;
    else
        r->sendbuf = MPI_IN_PLACE;
}

int mpib_native_run(const mpib_arguments *arguments, const void *send, void *recv, cpm_error *e)
{
    routine r = {.a = arguments, .sendbuf = send, .recvbuf = recv};
    int n, status = CPM_OK;
    MPI_Comm_size(arguments->comm, &n);
    for (size_t k = 0; k < sizeof routines / sizeof *routines; k++) {
        if (strcmp(routines[k].name, arguments->operation->name) != 0)
            continue;
        status = convert(&arguments->send, n, routines[k].send_arrays, &r.send, e);
        if (status == CPM_OK)
            status = convert(&arguments->recv, n, routines[k].recv_arrays, &r.recv, e);
        put_in_place(&r);
        if (status == CPM_OK)
            routines[k].run(&r);
    }
    free(r.send.counts);
    free(r.recv.counts);
    return status;
}
