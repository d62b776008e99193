/* An algorithm of the repository as an operation of the benchmark. */
#include <stdlib.h>
#include <string.h>

#include "mpib/execute.h"
#include "mpib/machine_mpi.h"

enum { TAG_DATA = 41 };

typedef struct {
    mpib_coll_operation base;
    const cpm_algorithm *algorithm;
    char *buffer;
    mpib_plan *plan;
} scheduled;

static void execute(mpib_coll_operation *self, MPI_Comm comm, int root, size_t bytes)
{
    (void)root;
    (void)bytes;
    mpib_plan_run(((scheduled *)self)->plan, comm, TAG_DATA);
}

/* Where a rank keeps its blocks. One that begins or ends with all of them has the user's buffer, in
 * the operation's order. Any other keeps what passes through it in the order of positions, so that
 * a subtree's blocks lie together and memory is needed only for them. */
typedef struct {
    size_t *place; /* [blocks], or NULL: the operation's order */
    size_t space;  /* bytes */
} block_places;

static bool holds_all(const cpm_operation *op, const cpm_schedule *s, int rank)
{
    bool before = true, after = true;
    for (int64_t b = 0; b < s->blocks && (before || after); b++) {
        before = before && op->before(s->n, s->root, rank, b);
        after = after && op->after(s->n, s->root, rank, b);
    }
    return before || after;
}

static void mark_touched(const cpm_steps *steps, size_t *touched)
{
    for (int i = 0; i < steps->count; i++) {
        const cpm_step *x = &steps->at[i];
        for (int t = 0; t < x->times; t++)
            for (int64_t b = 0; b < x->count; b++)
                touched[x->first + t * x->stride + b] = 1;
    }
}

/* touched[position] becomes place[block]. */
static int pack_places(const cpm_schedule *s, int rank, size_t bytes, block_places *p, cpm_error *e)
{
    cpm_steps steps = {0};
    size_t *touched = calloc((size_t)s->blocks, sizeof *touched);
    p->place = calloc((size_t)s->blocks, sizeof *p->place);
    int status = touched && p->place
                     ? cpm_schedule_rank(s, rank, &steps, e)
                     : cpm_fail(e, CPM_ENOMEM, "no memory for %lld blocks", (long long)s->blocks);
    if (status == CPM_OK) {
        mark_touched(&steps, touched);
        for (int64_t position = 0; position < s->blocks; position++) {
            p->place[s->order ? s->order[position] : position] = p->space;
            p->space += touched[position] * bytes;
        }
    }
    cpm_steps_free(&steps);
    free(touched);
    return status;
}

static int find_places(const cpm_operation *op, const cpm_schedule *s, int rank, size_t bytes,
                       block_places *p, cpm_error *e)
{
    if (s->blocks > 0 && bytes > (size_t)INT64_MAX / (size_t)s->blocks)
        return cpm_fail(e, CPM_EINVAL, "%s: blocks of %zu bytes are too large", op->name, bytes);
    if (!holds_all(op, s, rank))
        return pack_places(s, rank, bytes, p, e);
    p->space = (size_t)s->blocks * bytes;
    return CPM_OK;
}

static int make_plan(scheduled *x, const cpm_schedule *s, int rank, size_t bytes, cpm_error *e)
{
    block_places p = {0};
    cpm_block_sizes sizes = {.bytes = bytes};
    const cpm_operation *op;
    int status = cpm_operation_find(x->algorithm->operation, &op, e);
    if (status == CPM_OK)
        status = mpib_plan_check(s, rank, &sizes, e);
    if (status == CPM_OK)
        status = find_places(op, s, rank, bytes, &p, e);
    if (status == CPM_OK && !(x->buffer = malloc(p.space + 1)))
        status = cpm_fail(e, CPM_ENOMEM, "%s: no memory for %zu bytes", op->name, p.space);
    if (status == CPM_OK) {
        memset(x->buffer, 1, p.space + 1); /* pages that were never written are slower to send */
        status = mpib_plan_create(s, rank, &sizes, x->buffer, p.place, &x->plan, e);
    }
    free(p.place);
    return status;
}

static void finalize(mpib_coll_operation *self)
{
    scheduled *x = (scheduled *)self;
    mpib_plan_free(x->plan);
    free(x->buffer);
    x->plan = NULL;
    x->buffer = NULL;
}

static int initialize(mpib_coll_operation *self, MPI_Comm comm, int root, size_t bytes,
                      cpm_error *e)
{
    scheduled *x = (scheduled *)self;
    cpm_schedule *s = NULL;
    int rank, n;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n);
    cpm_call call = {.n = n, .root = root};
    int status = cpm_schedule_create(x->algorithm, &call, &s, e);
    if (status == CPM_OK)
        status = make_plan(x, s, rank, bytes, e);
    cpm_schedule_free(s);
    if (status != CPM_OK)
        finalize(self);
    return status;
}

int mpib_scheduled_create(const cpm_algorithm *algorithm, mpib_coll_operation **out, cpm_error *e)
{
    scheduled *x = calloc(1, sizeof *x);
    if (!x)
        return cpm_fail(e, CPM_ENOMEM, "%s:%s: no memory", algorithm->operation, algorithm->name);
    x->base = (mpib_coll_operation){algorithm->name, initialize, execute, finalize};
    x->algorithm = algorithm;
    *out = &x->base;
    return CPM_OK;
}
