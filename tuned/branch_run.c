/* Messages are derived types: what begins them, then blocks where they lie, so nothing is packed.
 */
#include <stdint.h>
#include <string.h>

#include "mpib/layout.h"
#include "tuned/branch.h"

enum { TAG_TREE = 2, TAG_DIRECT, TAG_OWN };

/* A call at this process. */
typedef struct {
    tuned_branch *b;
    MPI_Comm comm;
    bool scatters;
    const mpib_side *blocks; /* root: of all processes; else of this one */
    char *buffer;
    MPI_Aint extent;
    size_t element;
    bool dense; /* blocks are sent as bytes */
    int failed;
} run;

/* ---- messages ---- */

static void note(run *r, int status)
{
    if (status != MPI_SUCCESS && r->failed == MPI_SUCCESS)
        r->failed = status;
}

static void add(run *r, const void *at, size_t count, MPI_Datatype type)
{
    tuned_parts *p = &r->b->parts;
    p->length[p->count] = (int)count;
    p->place[p->count] = (MPI_Aint)((intptr_t)at - (intptr_t)r->b->present);
    p->type[p->count++] = type;
}

/* The block of a process in the buffer of the user. */
static char *block_of(const run *r, int rank, size_t *count)
{
    const mpib_side *s = r->blocks;
    *count = s->counts ? s->counts[rank] : s->count;
    ptrdiff_t place = 0;
    if (s->displacements)
        place = s->displacements[rank];
    return r->buffer + place * r->extent;
}

static void add_block(run *r, int k)
{
    const tuned_branch *b = r->b;
    size_t count = b->sizes[b->member[k]];
    if (!b->present[k])
        return;
    if (b->parent >= 0 && k > 0) {
        add(r, b->space + b->offset[k], count, MPI_BYTE);
        return;
    }
    const char *at = block_of(r, b->member[k], &count);
    if (r->dense)
        add(r, at, count * r->element, MPI_BYTE);
    else
        add(r, at, count, r->blocks->type);
}

/* What begins a message of members [first, end), filled up so that no element behind it lies askew:
 * MPICH 4.0 takes a long message in pieces, and cannot split it within an element. */
static void begin(run *r, int first, int end)
{
    const tuned_branch *b = r->b;
    size_t flags = (size_t)(end - first), over = flags % TUNED_ALIGNMENT;
    r->b->parts.count = 0;
    add(r, b->present + first, flags, MPI_BYTE);
    if (over > 0)
        add(r, b->present + b->members + (size_t)first * TUNED_ALIGNMENT, TUNED_ALIGNMENT - over,
            MPI_BYTE);
}

/* A message of members [first, end), all of which are known to be present or not. */
static void begin_known(run *r, int first, int end)
{
    begin(r, first, end);
    for (int k = first; k < end; k++)
        add_block(r, k);
}

/* One that is to be received: whatever it carries lies at the offset of its first member. */
static void begin_unknown(run *r, int first, int end)
{
    const tuned_branch *b = r->b;
    size_t most = 0;
    begin(r, first, end);
    if (first == 0)
        add_block(r, 0);
    int next = first == 0 ? 1 : first;
    for (int k = next; k < end; k++)
        most += b->sizes[b->member[k]];
    if (next < end)
        add(r, b->space + b->offset[next], most, MPI_BYTE);
}

/* Where the blocks of members [first, end) lie, one after the other from that of first on; all: as
 * if all were present. */
static void locate(tuned_branch *b, int first, int end, bool all)
{
    for (int k = first; k + 1 < end; k++)
        b->offset[k + 1] = b->offset[k] + (all || b->present[k] ? b->sizes[b->member[k]] : 0);
}

static MPI_Datatype finish(run *r)
{
    tuned_parts *p = &r->b->parts;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    note(r, PMPI_Type_create_struct(p->count, p->length, p->place, p->type, &type));
    note(r, PMPI_Type_commit(&type));
    return type;
}

static void send_now(run *r, int peer)
{
    MPI_Datatype type = finish(r);
    note(r, PMPI_Send(r->b->present, 1, type, peer, TAG_TREE, r->comm));
    PMPI_Type_free(&type);
}

static void receive_now(run *r, int peer)
{
    MPI_Datatype type = finish(r);
    note(r, PMPI_Recv(r->b->present, 1, type, peer, TAG_TREE, r->comm, MPI_STATUS_IGNORE));
    PMPI_Type_free(&type);
}

static void start(run *r, int peer, MPI_Request *request)
{
    MPI_Datatype type = finish(r);
    if (r->scatters)
        note(r, PMPI_Isend(r->b->present, 1, type, peer, TAG_TREE, r->comm, request));
    else
        note(r, PMPI_Irecv(r->b->present, 1, type, peer, TAG_TREE, r->comm, request));
    PMPI_Type_free(&type);
}

/* ---- one after the other, or all at once ---- */

static void begin_child(run *r, const tuned_child *c)
{
    if (r->scatters || r->b->parent < 0)
        begin_known(r, c->first, c->end);
    else
        begin_unknown(r, c->first, c->end);
}

static void serve_children(run *r)
{
    tuned_branch *b = r->b;
    for (int k = 0; k < b->children; k++) {
        int peer = b->member[b->child[k].first];
        begin_child(r, &b->child[k]);
        if (b->together)
            start(r, peer, &b->request[k]);
        else if (r->scatters)
            send_now(r, peer);
        else
            receive_now(r, peer);
    }
    if (b->together)
        note(r, PMPI_Waitall(b->children, b->request, MPI_STATUSES_IGNORE));
}

static void scatter(run *r)
{
    tuned_branch *b = r->b;
    if (b->parent >= 0) {
        begin_unknown(r, 0, b->members);
        receive_now(r, b->parent);
        locate(b, 1, b->members, false);
    }
    serve_children(r);
}

static void gather(run *r)
{
    tuned_branch *b = r->b;
    serve_children(r);
    if (b->parent < 0)
        return;
    for (int k = 0; k < b->children; k++)
        locate(b, b->child[k].first, b->child[k].end, false);
    begin_known(r, 0, b->members);
    send_now(r, b->parent);
}

/* ---- blocks of other sizes than known ---- */

/* Which blocks go along the tree, as far as this process knows. */
static void find_present(const run *r)
{
    tuned_branch *b = r->b;
    int known = b->parent < 0 ? b->members : 1;
    for (int k = 0; k < known; k++) {
        size_t count;
        block_of(r, b->member[k], &count);
        b->present[k] = count * r->element == b->sizes[b->member[k]];
    }
    if (b->parent < 0)
        b->present[0] = 0; /* the root's own block goes nowhere */
    b->offset[0] = 0;
    if (b->members > 1)
        b->offset[1] = 0;
    locate(b, 1, b->members, true);
}

static void start_block(run *r, int k, int peer, MPI_Request *request)
{
    size_t count;
    char *at = block_of(r, r->b->member[k], &count);
    bool sends = r->scatters == (r->b->parent < 0);
    if (sends)
        note(r, PMPI_Isend(at, (int)count, r->blocks->type, peer, TAG_DIRECT, r->comm, request));
    else
        note(r, PMPI_Irecv(at, (int)count, r->blocks->type, peer, TAG_DIRECT, r->comm, request));
}

/* The requests follow those of the children. */
static int start_direct(run *r, MPI_Request *request)
{
    tuned_branch *b = r->b;
    int count = 0;
    if (b->parent >= 0 && !b->present[0])
        start_block(r, 0, b->root, &request[count++]);
    for (int k = 1; b->parent < 0 && k < b->members; k++)
        if (!b->present[k])
            start_block(r, k, b->member[k], &request[count++]);
    return count;
}

/* ---- the call ---- */

/* The root's own block, from its one buffer to its other one. */
static void copy_own(run *r, const mpib_arguments *a, const void *send, void *recv)
{
    const mpib_side *other = r->scatters ? &a->recv : &a->send;
    int self = r->b->rank;
    size_t count;
    char *at = block_of(r, self, &count);
    const void *from = r->scatters ? at : send;
    void *to = r->scatters ? recv : at;
    int given = (int)(r->scatters ? count : other->count);
    int got = (int)(r->scatters ? other->count : count);
    if (mpib_type_is_dense(a->send.type) && mpib_type_is_dense(a->recv.type) && given > 0)
        memcpy(to, from, count * r->element);
    else
        note(r, PMPI_Sendrecv(from, given, a->send.type, self, TAG_OWN, to, got, a->recv.type, self,
                              TAG_OWN, r->comm, MPI_STATUS_IGNORE));
}

int tuned_branch_run(tuned_branch *b, const mpib_arguments *a, MPI_Comm comm, const void *send,
                     void *recv)
{
    bool scatters = a->operation->in_place == CPM_RECV_SIDE;
    bool from_send = scatters == (b->parent < 0);
    run r = {.b = b,
             .comm = comm,
             .scatters = scatters,
             .blocks = from_send ? &a->send : &a->recv,
             .buffer = from_send ? (char *)(uintptr_t)send : recv,
             .failed = MPI_SUCCESS};
    r.extent = (MPI_Aint)mpib_type_extent(r.blocks->type);
    r.element = mpib_type_size(r.blocks->type);
    r.dense = mpib_type_is_dense(r.blocks->type);
    find_present(&r);
    MPI_Request *direct = b->request + b->children;
    int waiting = start_direct(&r, direct);
    if (scatters)
        scatter(&r);
    else
        gather(&r);
    if (b->parent < 0 && !a->in_place)
        copy_own(&r, a, send, recv);
    note(&r, PMPI_Waitall(waiting, direct, MPI_STATUSES_IGNORE));
    return r.failed;
}
