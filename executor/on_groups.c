/* Each phase is a call of the operation in a line, with arguments of its own: blocks that a process
 * collects or passes on lie in the user's buffer or in space, one after the other, as they do in
 * the user's buffer of that rank, so that no type is taken apart. */
#include "executor/on_groups.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/on_groups.h"
#include "executor/agree.h"
#include "executor/layout.h"

enum { NOWHERE = MPIB_BASES };

typedef struct {
    mpib_arguments a;         /* of the line */
    mpib_place from, to;      /* its buffers */
    size_t *each;             /* [processes of the line] counts of a reduce_scatter, owned; */
    int *counts;              /* the same for MPI, owned */
    MPI_Datatype block;       /* of many elements, owned; or MPI_DATATYPE_NULL */
    mpib_collective *planned; /* NULL: the MPI library's own */
} phase;

struct mpib_on_groups {
    phase at[3];
    int count;
    char *space;
    mpib_groups own;
};

/* A rank's view of the mesh while its phases are made. */
typedef struct {
    const cpm_collective *what;
    const mpib_arguments *a;
    const cpm_block_sizes *sizes;
    const mpib_lines *lines;
    cpm_mesh_places places;
    int number, root; /* in the mesh */
    size_t used;      /* bytes of space */
    mpib_on_groups *to;
} maker;

/* A line of this rank. */
typedef struct {
    int d, stride, extent;
    int start; /* the first number of the rank's line, */
    int own;   /* and of those that it stands for there */
    bool takes_part, is_root;
    bool first; /* it stands for itself alone */
} line;

static line line_of(const maker *m, int d)
{
    const int stride = cpm_mesh_stride(m->places.extent, d), extent = m->places.extent[d];
    const int span = stride * extent;
    const bool rooted = m->a->operation->rooted;
    line l = {.d = d,
              .stride = stride,
              .extent = extent,
              .start = m->number - m->number % span,
              .own = m->number - m->number % stride,
              .takes_part = extent > 1 && (!rooted || m->number % stride == m->root % stride),
              .is_root = m->number / stride % extent == m->root / stride % extent,
              .first = stride == 1};
    return l;
}

static phase *add_phase(maker *m, const line *l)
{
    phase *p = &m->to->at[m->to->count++];
    *p = (phase){.a = {.operation = m->a->operation,
                       .send.type = MPI_BYTE,
                       .recv.type = MPI_BYTE,
                       .op = m->a->op,
                       .root = m->root / l->stride % l->extent,
                       .comm = m->lines->comm[l->d]},
                 .from = {NOWHERE, 0},
                 .to = {NOWHERE, 0},
                 .block = MPI_DATATYPE_NULL};
    return p;
}

/* ---- data */

/* Blocks of count elements each, of which the one of number origin is at place. */
typedef struct {
    mpib_place place;
    const mpib_side *like;
    int origin;
} holder;

static mpib_place place_of(const holder *h, int number)
{
    const ptrdiff_t block = (ptrdiff_t)(h->like->count * mpib_type_extent(h->like->type));
    return (mpib_place){h->place.base, h->place.offset + (number - h->origin) * block};
}

/* So many elements in space. Their bytes may begin before the first one, or go on behind it. */
static mpib_place take_space(maker *m, const mpib_side *like, size_t elements)
{
    MPI_Aint lower, length, first, extent;
    PMPI_Type_get_extent(like->type, &first, &extent);
    PMPI_Type_get_true_extent(like->type, &lower, &length);
    const MPI_Aint behind = elements ? (MPI_Aint)(elements - 1) * extent : 0;
    const MPI_Aint begin = lower + (behind < 0 ? behind : 0);
    const MPI_Aint end = lower + length + (behind > 0 ? behind : 0);
    const mpib_place at = {MPIB_SPACE, (ptrdiff_t)m->used - begin};
    m->used += elements ? (size_t)(end - begin + 63) / 64 * 64 : 0;
    return at;
}

/* So many blocks; of more elements than an int counts as elements of a type. */
static int set_side(phase *p, mpib_side *side, const mpib_side *like, int blocks, cpm_error *e)
{
    *side = (mpib_side){.count = like->count * (size_t)blocks, .type = like->type};
    if (side->count <= INT_MAX)
        return CPM_OK;
    if (like->count > INT_MAX || PMPI_Type_contiguous((int)like->count, like->type, &p->block) ||
        PMPI_Type_commit(&p->block))
        return cpm_fail(e, CPM_EMPI, "MPI has no datatype of %zu elements", like->count);
    *side = (mpib_side){.count = (size_t)blocks, .type = p->block};
    return CPM_OK;
}

/* ---- the phases of each operation */

static int add_bcast(maker *m, const line *l, holder *h, cpm_error *e)
{
    (void)h, (void)e;
    phase *p = add_phase(m, l);
    p->a.recv = m->a->recv;
    p->to = (mpib_place){MPIB_RECV_BUFFER, 0};
    return CPM_OK;
}

/* From the root's buffer, or from where those for whom this rank stands have arrived. */
static int add_scatter(maker *m, const line *l, holder *h, cpm_error *e)
{
    phase *p = add_phase(m, l);
    int status = CPM_OK;
    if (l->is_root) {
        p->from = place_of(h, l->start);
        status = set_side(p, &p->a.send, h->like, l->stride, e);
    }
    p->a.in_place = l->is_root && (!l->first || m->a->in_place);
    if (p->a.in_place || status)
        return status;
    if (l->first) {
        p->to = (mpib_place){MPIB_RECV_BUFFER, 0};
        p->a.recv = m->a->recv;
        return CPM_OK;
    }
    const mpib_place space = take_space(m, &m->a->recv, m->a->recv.count * (size_t)l->stride);
    *h = (holder){space, &m->a->recv, l->own};
    p->to = h->place;
    return set_side(p, &p->a.recv, h->like, l->stride, e);
}

/* Numbers for which this rank comes to stand, while it is the root of its lines. */
static int span_of(const maker *m)
{
    int span = 1;
    for (int d = 0; d < 3; d++) {
        const line l = line_of(m, d);
        if (l.takes_part && l.is_root)
            span = l.stride * l.extent;
    }
    return span;
}

static holder gathered(maker *m)
{
    const int span = span_of(m);
    if (m->number == m->root)
        return (holder){{MPIB_RECV_BUFFER, 0}, &m->a->recv, 0};
    if (span == 1)
        return (holder){{NOWHERE, 0}, &m->a->send, 0};
    const mpib_place space = take_space(m, &m->a->send, m->a->send.count * (size_t)span);
    return (holder){space, &m->a->send, m->number - m->number % span};
}

static int add_gather(maker *m, const line *l, holder *h, cpm_error *e)
{
    phase *p = add_phase(m, l);
    int status = CPM_OK;
    if (l->is_root) {
        p->to = place_of(h, l->start);
        status = set_side(p, &p->a.recv, h->like, l->stride, e);
    }
    p->a.in_place = l->is_root && (!l->first || m->a->in_place);
    if (p->a.in_place || status)
        return status;
    p->from = l->first ? (mpib_place){MPIB_SEND_BUFFER, 0} : place_of(h, l->own);
    return set_side(p, &p->a.send, l->first ? &m->a->send : h->like, l->stride, e);
}

static int add_allgather(maker *m, const line *l, holder *h, cpm_error *e)
{
    phase *p = add_phase(m, l);
    p->to = place_of(h, l->start);
    p->a.in_place = !l->first || m->a->in_place;
    if (!p->a.in_place) {
        p->from = (mpib_place){MPIB_SEND_BUFFER, 0};
        p->a.send = m->a->send;
    }
    return set_side(p, &p->a.recv, h->like, l->stride, e);
}

/* The sum so far is at h: what this rank gives, then what it has combined. */
static int add_reduce(maker *m, const line *l, holder *h, cpm_error *e)
{
    (void)e;
    const bool mine = !m->a->operation->rooted || m->number == m->root;
    phase *p = add_phase(m, l);
    p->a.recv = m->a->recv;
    p->from = h->place;
    if (!l->is_root && m->a->operation->rooted)
        return CPM_OK;
    if (mine)
        p->to = (mpib_place){MPIB_RECV_BUFFER, 0};
    else
        p->to =
            h->place.base == MPIB_SPACE ? h->place : take_space(m, &m->a->recv, m->a->recv.count);
    p->a.in_place = h->place.base == p->to.base;
    h->place = p->to;
    return CPM_OK;
}

static size_t elements_of(const mpib_side *s, int first, int count)
{
    size_t sum = 0;
    for (int b = first; b < first + count; b++)
        sum += s->counts ? s->counts[b] : s->count;
    return sum;
}

/* What is combined for this rank's line is at h, from its first number on. */
static int add_reduce_scatter(maker *m, const line *l, holder *h, cpm_error *e)
{
    const mpib_side *recv = &m->a->recv;
    phase *p = add_phase(m, l);
    p->a.recv = (mpib_side){.type = recv->type};
    p->each = malloc((size_t)l->extent * sizeof *p->each);
    p->counts = malloc((size_t)l->extent * sizeof *p->counts);
    if (!p->each || !p->counts)
        return cpm_no_memory(e);
    for (int k = 0; k < l->extent; k++) {
        p->each[k] = elements_of(recv, l->start + k * l->stride, l->stride);
        p->counts[k] = (int)p->each[k];
    }
    p->a.recv.counts = p->each;
    p->from = h->place;
    p->to = l->first ? (mpib_place){MPIB_RECV_BUFFER, 0}
                     : take_space(m, recv, elements_of(recv, l->own, l->stride));
    p->a.in_place = p->from.base == p->to.base && p->to.base == MPIB_RECV_BUFFER;
    h->place = p->to;
    return CPM_OK;
}

typedef int adder(maker *m, const line *l, holder *h, cpm_error *e);

static adder *const adders[CPM_OPERATIONS] = {
    [CPM_OP_BCAST] = add_bcast,
    [CPM_OP_SCATTER] = add_scatter,
    [CPM_OP_GATHER] = add_gather,
    [CPM_OP_REDUCE] = add_reduce,
    [CPM_OP_REDUCE_SCATTER] = add_reduce_scatter,
    [CPM_OP_ALLGATHER] = add_allgather,
    [CPM_OP_ALLREDUCE] = add_reduce,
};

static int index_of(const cpm_operation *o)
{
    return (int)(o - cpm_operations);
}

/* Where the data of the first phase are. */
static holder begin(maker *m)
{
    const mpib_arguments *a = m->a;
    const int base = a->operation->combines && a->in_place ? MPIB_RECV_BUFFER : MPIB_SEND_BUFFER;
    switch (index_of(a->operation)) {
    case CPM_OP_GATHER:
        return gathered(m);
    case CPM_OP_ALLGATHER:
        return (holder){{MPIB_RECV_BUFFER, 0}, &a->recv, 0};
    default:
        return (holder){{base, 0}, &a->send, 0};
    }
}

/* ---- dimensions that are done by algorithms of the repository */

static int plan_line(const maker *m, const line *l, phase *p, cpm_error *e)
{
    const cpm_algorithm *inner = NULL;
    int status = cpm_mesh_inner(m->what->algorithm, &m->what->with, l->d, &inner, e);
    if (status || !inner)
        return status;
    const cpm_collective what = {
        .operation = m->a->operation, .algorithm = inner, .with.segment = m->what->with.segment};
    const size_t size = mpib_type_size(p->a.recv.type);
    size_t *each = p->each ? malloc((size_t)l->extent * sizeof *each) : NULL;
    if (p->each && !each)
        return cpm_no_memory(e);
    for (int k = 0; p->each && k < l->extent; k++)
        each[k] = p->each[k] * size;
    const int blocks = cpm_mesh_counts_blocks(m->what->algorithm) ? l->stride : 1;
    const cpm_block_sizes sizes = {.bytes = each ? 0 : m->sizes->bytes * (size_t)blocks,
                                   .each = each};
    status = mpib_collective_create_sized(&what, &p->a, &sizes, &p->planned, e);
    free(each);
    return status;
}

/* ---- creation */

static int make_phases(maker *m, cpm_error *e)
{
    const cpm_mesh *mesh = m->what->algorithm->variant;
    holder h = begin(m);
    int status = CPM_OK;
    for (int k = 0; k < mesh->dimensions && !status; k++) {
        const line l = line_of(m, cpm_mesh_phase(m->what->algorithm, k));
        if (!l.takes_part)
            continue;
        status = adders[index_of(m->a->operation)](m, &l, &h, e);
        if (!status)
            status = plan_line(m, &l, &m->to->at[m->to->count - 1], e);
    }
    return status;
}

/* The MPI library's own routine on all processes. */
static int make_whole(maker *m, cpm_error *e)
{
    const mpib_arguments *a = m->a;
    const int n = index_of(a->operation) == CPM_OP_REDUCE_SCATTER ? m->what->at.n : 0;
    phase *p = &m->to->at[m->to->count++];
    *p = (phase){.a = *a,
                 .from = {MPIB_SEND_BUFFER, 0},
                 .to = {MPIB_RECV_BUFFER, 0},
                 .block = MPI_DATATYPE_NULL};
    p->counts = malloc((size_t)n * sizeof *p->counts + 1);
    for (int b = 0; b < n && p->counts; b++)
        p->counts[b] = (int)elements_of(&a->recv, b, 1);
    return p->counts ? CPM_OK : cpm_no_memory(e);
}

/* MPI counts what is combined for a line in an int. */
static bool is_too_long(const maker *m)
{
    return index_of(m->a->operation) == CPM_OP_REDUCE_SCATTER &&
           elements_of(&m->a->recv, 0, m->what->at.n) > INT_MAX;
}

static int fill(maker *m, cpm_error *e)
{
    const bool whole = m->what->at.n == 1 || m->lines->missing || is_too_long(m);
    int status = whole ? make_whole(m, e) : make_phases(m, e);
    if (!status && m->used && !(m->to->space = malloc(m->used)))
        status = cpm_no_memory(e);
    if (!status && m->used)
        memset(m->to->space, 0, m->used);
    return status;
}

static int numbers_of(maker *m, cpm_error *e)
{
    const cpm_call call = {.n = m->what->at.n, .with = m->what->with, .hosts = m->what->at.hosts};
    int rank, status = cpm_mesh_places_of(m->what->algorithm, &call, &m->places, e);
    PMPI_Comm_rank(m->a->comm, &rank);
    const int *number_of = m->places.number_of;
    m->number = number_of ? number_of[rank] : rank;
    m->root = number_of ? number_of[m->what->at.root] : m->what->at.root;
    return status;
}

int mpib_on_groups_create(const cpm_collective *what, const mpib_arguments *arguments,
                          const cpm_block_sizes *sizes, mpib_on_groups **out, cpm_error *e)
{
    mpib_on_groups *g = calloc(1, sizeof *g);
    maker m = {.what = what, .a = arguments, .sizes = sizes, .to = g};
    int status = g ? cpm_on_groups_check(what, e) : cpm_no_memory(e);
    if (!status)
        status = numbers_of(&m, e);
    if (!arguments->groups) /* they are made now, by all ranks or none */
        status = mpib_agree(arguments->comm, status, e);
    if (!status)
        status = mpib_groups_get(arguments->groups ? arguments->groups : &g->own, arguments->comm,
                                 &what->with, &m.places, &m.lines, e);
    if (!status)
        status = fill(&m, e);
    cpm_mesh_places_clear(&m.places);
    if (status)
        mpib_on_groups_free(g);
    else
        *out = g;
    return status;
}

/* ---- running */

typedef struct {
    const phase *p;
    const void *send;
    void *recv;
} routine;

static int run_bcast(const routine *r)
{
    const mpib_side *s = &r->p->a.recv;
    return PMPI_Bcast(r->recv, (int)s->count, s->type, r->p->a.root, r->p->a.comm);
}

static int run_scatter(const routine *r)
{
    const mpib_arguments *a = &r->p->a;
    return PMPI_Scatter(r->send, (int)a->send.count, a->send.type, r->recv, (int)a->recv.count,
                        a->recv.type, a->root, a->comm);
}

static int run_gather(const routine *r)
{
    const mpib_arguments *a = &r->p->a;
    return PMPI_Gather(r->send, (int)a->send.count, a->send.type, r->recv, (int)a->recv.count,
                       a->recv.type, a->root, a->comm);
}

static int run_reduce(const routine *r)
{
    const mpib_arguments *a = &r->p->a;
    return PMPI_Reduce(r->send, r->recv, (int)a->recv.count, a->recv.type, a->op, a->root, a->comm);
}

static int run_reduce_scatter(const routine *r)
{
    const mpib_arguments *a = &r->p->a;
    return PMPI_Reduce_scatter(r->send, r->recv, r->p->counts, a->recv.type, a->op, a->comm);
}

static int run_allgather(const routine *r)
{
    const mpib_arguments *a = &r->p->a;
    return PMPI_Allgather(r->send, (int)a->send.count, a->send.type, r->recv, (int)a->recv.count,
                          a->recv.type, a->comm);
}

static int run_allreduce(const routine *r)
{
    const mpib_side *s = &r->p->a.recv;
    return PMPI_Allreduce(r->send, r->recv, (int)s->count, s->type, r->p->a.op, r->p->a.comm);
}

static int (*const routines[CPM_OPERATIONS])(const routine *r) = {
    [CPM_OP_BCAST] = run_bcast,
    [CPM_OP_SCATTER] = run_scatter,
    [CPM_OP_GATHER] = run_gather,
    [CPM_OP_REDUCE] = run_reduce,
    [CPM_OP_REDUCE_SCATTER] = run_reduce_scatter,
    [CPM_OP_ALLGATHER] = run_allgather,
    [CPM_OP_ALLREDUCE] = run_allreduce,
};

static int run_phase(const phase *p, char *const bases[MPIB_BASES], int tag)
{
    routine r = {p, p->from.base == NOWHERE ? NULL : bases[p->from.base] + p->from.offset,
                 p->to.base == NOWHERE ? NULL : bases[p->to.base] + p->to.offset};
    if (p->planned)
        return mpib_collective_run(p->planned, r.send, r.recv, tag);
    if (p->a.in_place && p->a.operation->in_place == CPM_RECV_SIDE)
        r.recv = MPI_IN_PLACE;
    else if (p->a.in_place)
        r.send = MPI_IN_PLACE;
    return routines[index_of(p->a.operation)](&r);
}

int mpib_on_groups_run(mpib_on_groups *g, const void *send, void *recv, int tag)
{
    /* nothing is written to the send buffer */
    char *const bases[MPIB_BASES] = {
        [MPIB_SEND_BUFFER] = (char *)send, [MPIB_RECV_BUFFER] = recv, [MPIB_SPACE] = g->space};
    int failed = MPI_SUCCESS;
    for (int k = 0; k < g->count; k++)
        failed = mpib_first_failure(failed, run_phase(&g->at[k], bases, tag));
    return failed;
}

void mpib_on_groups_free(mpib_on_groups *g)
{
    if (!g)
        return;
    for (int k = 0; k < g->count; k++) {
        mpib_collective_free(g->at[k].planned);
        free(g->at[k].each);
        free(g->at[k].counts);
        if (g->at[k].block != MPI_DATATYPE_NULL)
            PMPI_Type_free(&g->at[k].block);
    }
    mpib_groups_clear(&g->own);
    free(g->space);
    free(g);
}
