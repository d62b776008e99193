/* Compositions: a rank's steps are those of other schedules in which it has a smaller number, one
 * schedule after the other, with ranks and positions translated. */
#include "collectives/algorithms/compose.h"

#include <stdlib.h>
#include <string.h>

#include "collectives/algorithms/pieces.h"

/* One schedule within the composition. Its position p stands for width positions from
 * offset + p * width on; in a mesh the offset is that of the rank's line. */
typedef struct {
    cpm_schedule *inner;
    int stride;     /* between the processes of a line */
    bool from_root; /* only lines whose coordinates below this dimension are the root's take part */
    bool by_line;
    bool borrowed; /* inner belongs to another phase */
    int64_t offset, width;
} phase;

typedef struct {
    int count;
    phase at[];
} composition;

static void composition_free(void *state)
{
    composition *c = state;
    for (int k = 0; k < c->count; k++)
        if (!c->at[k].borrowed)
            cpm_schedule_free(c->at[k].inner);
    free(c);
}

/* ---- translation ---- */

/* Adds positions of the outer schedule to the last message, growing its last run where it can. */
static void add(cpm_steps *out, int64_t first, int64_t count)
{
    cpm_step *step = &out->at[out->count - 1];
    cpm_run *last = step->runs <= 1 ? &step->run : &out->more_runs[step->more + step->runs - 2];
    if (step->runs > 0 && last->first + last->count == first)
        last->count += count;
    else
        cpm_and(out, first, count);
}

static void translate_run(const phase *p, int64_t offset, cpm_run run, cpm_steps *out)
{
    const cpm_schedule *inner = p->inner;
    if (!inner->order) {
        add(out, offset + run.first * p->width, run.count * p->width);
        return;
    }
    int64_t units = cpm_schedule_units(inner);
    for (int64_t q = run.first; q < run.first + run.count; q++) {
        int64_t position = cpm_piece_at(inner, q) * units + cpm_unit_at(inner, q);
        add(out, offset + position * p->width, p->width);
    }
}

/* Steps from begin on are those of the phase's schedule. Each is in turn the last one, to which
 * runs are added; the runs that it had stay behind it until then. */
static void translate(const phase *p, int begin, int base, int64_t offset, cpm_steps *out)
{
    int end = out->count;
    for (int k = begin; k < end && !out->failed; k++) {
        cpm_step inner = out->at[k];
        out->at[k].peer = base + inner.peer * p->stride;
        out->at[k].runs = 0;
        out->count = k + 1;
        for (int q = 0; q < inner.runs && !out->failed; q++)
            translate_run(p, offset, cpm_step_run(out, &inner, q), out);
    }
    out->count = end;
}

static void build_phase(const cpm_schedule *s, const phase *p, int rank, cpm_steps *out)
{
    int own = rank / p->stride % p->inner->n, base = rank - own * p->stride, begin = out->count;
    if (p->from_root && base % p->stride != s->root % p->stride)
        return;
    int64_t line = rank - rank % ((int64_t)p->stride * p->inner->n);
    p->inner->build(p->inner, own, out);
    translate(p, begin, base, p->by_line ? line : p->offset, out);
    cpm_next_round(out);
}

static void build(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const composition *c = s->state;
    for (int k = 0; k < c->count && !out->failed; k++)
        build_phase(s, &c->at[k], rank, out);
}

/* ---- creation ---- */

static int composition_create(int count, cpm_schedule *s, composition **out, cpm_error *e)
{
    composition *c = calloc(1, sizeof *c + (size_t)count * sizeof *c->at);
    if (!c)
        return cpm_fail(e, CPM_ENOMEM, "out of memory for %d phases", count);
    s->build = build;
    s->state = c;
    s->free_state = composition_free;
    *out = c;
    return CPM_OK;
}

/* The schedule of "operation:algorithm" for a call. */
static int create_named(const char *text, const cpm_call *call, cpm_schedule **out, cpm_error *e)
{
    char operation[32];
    size_t length = strcspn(text, ":");
    if (length >= sizeof operation || !text[length])
        return cpm_fail(e, CPM_EUNKNOWN, "'%s' is not OPERATION:ALGORITHM", text);
    memcpy(operation, text, length);
    operation[length] = '\0';
    const cpm_algorithm *a = NULL;
    int code = cpm_algorithm_find(operation, text + length + 1, &a, e);
    return code ? code : cpm_schedule_create(a, call, out, e);
}

static int add_phase(composition *c, const char *text, const cpm_call *call, int64_t width,
                     cpm_error *e)
{
    phase p = {.stride = 1, .width = width};
    int code = create_named(text, call, &p.inner, e);
    if (!code)
        c->at[c->count++] = p;
    return code;
}

/* What a phase over all processes inherits of a call. */
static cpm_call same_processes(const cpm_call *call, int root)
{
    return (cpm_call){.n = call->n, .root = root, .bytes = call->bytes, .topology = call->topology};
}

static int sequence(const cpm_algorithm *a, const cpm_call *first, const cpm_call *second,
                    int64_t width, cpm_schedule *s, cpm_error *e)
{
    const cpm_sequence *names = a->variant;
    composition *c = NULL;
    int code = composition_create(2, s, &c, e);
    if (!code)
        code = add_phase(c, names->first, first, 1, e);
    if (!code)
        code = add_phase(c, names->second, second, width, e);
    return code;
}

cpm_create cpm_scatter_allgather, cpm_rabenseifner, cpm_reduce_bcast, cpm_gather_bcast,
    cpm_by_allgather, cpm_apart, cpm_mesh_create;

/* bcast: a scatter of n pieces, then an allgather; with segments, one after the other. */
int cpm_scatter_allgather(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                          cpm_error *e)
{
    const cpm_sequence *names = a->variant;
    int segments = cpm_segments(call);
    cpm_call inner = same_processes(call, call->root);
    composition *c = NULL;
    s->blocks = s->pieces = segments * call->n;
    inner.bytes = call->bytes / (size_t)s->pieces;
    int code = composition_create(2 * segments, s, &c, e);
    if (!code)
        code = add_phase(c, names->first, &inner, 1, e);
    if (!code)
        code = add_phase(c, names->second, &inner, 1, e);
    for (; !code && c->count < 2 * segments; c->count++) {
        c->at[c->count] = c->at[c->count - 2];
        c->at[c->count].offset += call->n;
        c->at[c->count].borrowed = true;
    }
    return code;
}

/* allreduce and reduce: a reduce_scatter of n pieces, then an allgather or a gather. */
int cpm_rabenseifner(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    cpm_call inner = same_processes(call, call->root);
    inner.bytes = call->bytes / (size_t)call->n;
    s->blocks = s->pieces = call->n;
    return sequence(a, &inner, &inner, 1, s, e);
}

/* allreduce: a reduce to process 0, then a bcast. */
int cpm_reduce_bcast(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    cpm_call inner = same_processes(call, 0);
    inner.with.segment = call->with.segment;
    s->blocks = s->pieces = cpm_segments(call);
    return sequence(a, &inner, &inner, 1, s, e);
}

/* allgather and barrier: a gather at process 0, then a bcast of everything. */
int cpm_gather_bcast(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    cpm_call first = same_processes(call, 0), second = first;
    first.sizes = call->sizes;
    s->blocks = call->n;
    return sequence(a, &first, &second, call->n, s, e);
}

/* alltoall by an allgather of everything; the variant names it ("allgather:bruck"). */
int cpm_by_allgather(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    cpm_call inner = same_processes(call, 0);
    composition *c = NULL;
    inner.with = call->with;
    s->blocks = (int64_t)call->n * call->n;
    int code = composition_create(1, s, &c, e);
    return code ? code : add_phase(c, a->variant, &inner, call->n, e);
}

/* allreduce by an allgather of all contributions, reduce_scatter by an alltoall of them: each
 * process combines them itself. The variant names the algorithm ("allgather:bruck"). */
int cpm_apart(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    cpm_call inner = same_processes(call, 0);
    composition *c = NULL;
    inner.with = call->with;
    s->pieces = call->n;
    s->apart = call->n > 1;
    int code = composition_create(1, s, &c, e);
    if (!code)
        code = add_phase(c, a->variant, &inner, 1, e);
    if (!code)
        s->blocks = c->at[0].inner->blocks;
    return code;
}

/* ---- meshes ---- */

/* The largest divisor of n that is at most its root of that degree. */
static int divisor_near_root(int n, int degree)
{
    int best = 1;
    for (int d = 1; degree == 2 ? (long)d * d <= n : (long)d * d * d <= n; d++)
        best = n % d == 0 ? d : best;
    return best;
}

int cpm_mesh_extents(const cpm_call *call, int dimensions, int extent[3], cpm_error *e)
{
    const int *given = call->with.mesh;
    int n = call->n;
    if (given[0] || given[1] || given[2]) {
        long product = 1;
        for (int d = 0; d < 3; d++) {
            extent[d] = d < dimensions ? given[d] : 1;
            product *= extent[d];
        }
        if (product != n || (dimensions == 2 && given[2] > 1))
            return cpm_fail(e, CPM_EINVAL,
                            "a mesh of %dx%d%s%.0d does not make %d processes in %d dimensions",
                            given[0], given[1], given[2] ? "x" : "", given[2], n, dimensions);
        return CPM_OK;
    }
    extent[2] = dimensions == 3 ? divisor_near_root(n, 3) : 1;
    extent[1] = divisor_near_root(n / extent[2], 2);
    extent[0] = n / extent[1] / extent[2];
    return CPM_OK;
}

/* Operations that pass their data on, from the root or to all: (dimension, direction) of a phase.
 */
static bool goes_outward(const char *operation)
{
    return strcmp(operation, "bcast") == 0 || strcmp(operation, "scatter") == 0;
}

static bool counts_units(const char *operation)
{
    return strcmp(operation, "scatter") == 0 || strcmp(operation, "gather") == 0 ||
           strcmp(operation, "allgather") == 0;
}

static int add_dimension(composition *c, const cpm_algorithm *a, const cpm_call *call,
                         const int extent[3], int d, cpm_error *e)
{
    const cpm_mesh *mesh = a->variant;
    int stride = d == 0 ? 1 : d == 1 ? extent[0] : extent[0] * extent[1];
    phase p = {.stride = stride};
    p.by_line = counts_units(a->operation);
    p.width = p.by_line ? stride : 1;
    const cpm_algorithm *inner =
        call->with.inner[d] ? &cpm_algorithms[call->with.inner[d] - 1] : NULL;
    const cpm_operation *operation = NULL;
    int code = cpm_operation_find(a->operation, &operation, e);
    if (!code && !inner)
        code = cpm_algorithm_find(a->operation, mesh->inner, &inner, e);
    if (!code && strcmp(inner->operation, a->operation) != 0)
        code = cpm_fail(e, CPM_EINVAL, "%s:%s is no algorithm of %s", inner->operation, inner->name,
                        a->operation);
    if (code)
        return code;
    p.from_root = operation->rooted;
    cpm_call line = {.n = extent[d],
                     .root = operation->rooted ? call->root / stride % extent[d] : 0,
                     .bytes = call->bytes * (size_t)p.width,
                     .with.segment = call->with.segment};
    code = cpm_schedule_create(inner, &line, &p.inner, e);
    if (code)
        return code;
    c->at[c->count++] = p;
    int pieces = p.inner->pieces > 1 ? p.inner->pieces : 1;
    if (p.inner->apart || (extent[d] > 1 && pieces != cpm_segments(&line)))
        return cpm_fail(e, CPM_EINVAL,
                        "%s:%s cuts its data by the number of processes and cannot be a dimension "
                        "of a mesh",
                        inner->operation, inner->name);
    return CPM_OK;
}

/* Operations in two or three dimensions (Hartmann, Kuehnemann, Rauber, Ruenger 2006); the variant
 * is a cpm_mesh. */
int cpm_mesh_create(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    const cpm_mesh *mesh = a->variant;
    int extent[3];
    composition *c = NULL;
    int code = cpm_mesh_extents(call, mesh->dimensions, extent, e);
    if (!code)
        code = composition_create(mesh->dimensions, s, &c, e);
    for (int k = 0; k < mesh->dimensions && !code; k++)
        code = add_dimension(c, a, call, extent,
                             goes_outward(a->operation) ? mesh->dimensions - 1 - k : k, e);
    if (code)
        return code;
    s->pieces = counts_units(a->operation) ? 1 : cpm_segments(call);
    s->blocks = counts_units(a->operation) ? call->n : s->pieces;
    return CPM_OK;
}
