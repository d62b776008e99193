/* Compositions: a rank's steps are those of other schedules in which it has a smaller number, one
 * schedule after the other, with ranks and positions translated. */
#include "collectives/algorithms/compose.h"

#include <stdlib.h>
#include <string.h>

#include "collectives/algorithms/mesh.h"
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
    int *number_of,
        *rank_of; /* [n] numbers of ranks in a mesh of hosts, and back; NULL: the same */
    int count;
    phase at[];
} composition;

static void composition_free(void *state)
{
    composition *c = state;
    for (int k = 0; k < c->count; k++)
        if (!c->at[k].borrowed)
            cpm_schedule_free(c->at[k].inner);
    free(c->number_of);
    free(c->rank_of);
    free(c);
}

/* ---- translation ---- */

void cpm_add_positions(cpm_steps *out, int64_t first, int64_t count)
{
    cpm_step *step = &out->at[out->count - 1];
    cpm_run *last = step->runs <= 1 ? &step->run : &out->more_runs[step->more + step->runs - 2];
    if (step->runs > 0 && last->first + last->count == first)
        last->count += count;
    else
        cpm_and(out, first, count);
}

static void translate_run(const cpm_part *p, cpm_run run, cpm_steps *out)
{
    const cpm_schedule *inner = p->inner;
    if (!inner->order) {
        p->add(p->map, run.first, run.count, out);
        return;
    }
    int64_t units = cpm_schedule_units(inner);
    for (int64_t q = run.first; q < run.first + run.count; q++)
        p->add(p->map, cpm_piece_at(inner, q) * units + cpm_unit_at(inner, q), 1, out);
}

static int rank_of(const cpm_part *p, int process)
{
    int number = p->base + process * p->stride;
    return p->rank_of ? p->rank_of[number] : number;
}

/* Steps from begin on are those of the part's schedule. Each is in turn the last one, to which
 * runs are added; the runs that it had stay behind it until then. */
static void translate(const cpm_part *p, int begin, cpm_steps *out)
{
    int end = out->count;
    for (int k = begin; k < end && !out->failed; k++) {
        cpm_step inner = out->at[k];
        out->at[k].peer = rank_of(p, inner.peer);
        out->at[k].runs = 0;
        out->count = k + 1;
        for (int q = 0; q < inner.runs && !out->failed; q++)
            translate_run(p, cpm_step_run(out, &inner, q), out);
    }
    out->count = end;
}

void cpm_part_build(const cpm_part *p, cpm_steps *out)
{
    int begin = out->count;
    p->inner->build(p->inner, p->process, out);
    translate(p, begin, out);
    cpm_next_round(out);
}

/* Position p of a phase stands for width positions from offset + p * width on. */
typedef struct {
    int64_t offset, width;
} stretch;

static void add_stretch(const void *map, int64_t first, int64_t count, cpm_steps *out)
{
    const stretch *m = map;
    cpm_add_positions(out, m->offset + first * m->width, count * m->width);
}

/* number: of the rank, in which lines are counted. */
static void build_phase(const phase *p, int number, int root, const int *rank_of, cpm_steps *out)
{
    int own = number / p->stride % p->inner->n, base = number - own * p->stride;
    if (p->from_root && base % p->stride != root % p->stride)
        return;
    int64_t line = number - number % ((int64_t)p->stride * p->inner->n);
    const stretch map = {p->by_line ? line : p->offset, p->width};
    const cpm_part part = {p->inner, own, base, p->stride, rank_of, add_stretch, &map};
    cpm_part_build(&part, out);
}

static void build(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const composition *c = s->state;
    int number = c->number_of ? c->number_of[rank] : rank;
    int root = c->number_of && s->root >= 0 ? c->number_of[s->root] : s->root;
    for (int k = 0; k < c->count && !out->failed; k++)
        build_phase(&c->at[k], number, root, c->rank_of, out);
}

/* ---- creation ---- */

static int composition_create(int count, cpm_schedule *s, composition **out, cpm_error *e)
{
    composition *c = calloc(1, sizeof *c + (size_t)count * sizeof *c->at);
    if (!c)
        return cpm_no_memory(e);
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
    return (cpm_call){.n = call->n,
                      .root = root,
                      .bytes = call->bytes,
                      .topology = call->topology,
                      .hosts = call->hosts};
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

/* allreduce: a reduce_scatter of n pieces, then an allgather. */
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

/* What the schedule of a phase may not be: its positions then are not blocks of the operation. */
int cpm_can_be_phase(const cpm_algorithm *a, const cpm_schedule *inner, cpm_error *e)
{
    if (!inner->apart)
        return CPM_OK;
    return cpm_fail(e, CPM_EINVAL,
                    "%s:%s keeps contributions apart and cannot be a part of another algorithm",
                    a->operation, a->name);
}

static int add_dimension(composition *c, const cpm_algorithm *a, const cpm_call *call,
                         const int extent[3], int d, cpm_error *e)
{
    int stride = cpm_mesh_stride(extent, d);
    int root = c->number_of ? c->number_of[call->root] : call->root;
    phase p = {.stride = stride};
    p.by_line = cpm_mesh_counts_blocks(a);
    p.width = p.by_line ? stride : 1;
    const cpm_algorithm *inner = NULL;
    const cpm_operation *operation = NULL;
    int code = cpm_operation_find(a->operation, &operation, e);
    if (!code)
        code = cpm_mesh_inner(a, &call->with, d, &inner, e);
    if (!code && !inner)
        code = cpm_fail(e, CPM_EINVAL,
                        "%s:%s:%c=native: the MPI library's own routine has no schedule: it can be "
                        "run and measured, but not predicted, drawn or proved",
                        a->operation, a->name, "xyz"[d]);
    if (code)
        return code;
    p.from_root = operation->rooted;
    cpm_call line = {.n = extent[d],
                     .root = operation->rooted ? root / stride % extent[d] : 0,
                     .bytes = call->bytes * (size_t)p.width,
                     .with.segment = call->with.segment};
    code = cpm_schedule_create(inner, &line, &p.inner, e);
    if (code)
        return code;
    c->at[c->count++] = p;
    int pieces = p.inner->pieces > 1 ? p.inner->pieces : 1;
    code = cpm_can_be_phase(inner, p.inner, e);
    if (!code && extent[d] > 1 && pieces != cpm_segments(&line))
        return cpm_fail(e, CPM_EINVAL,
                        "%s:%s cuts its data by the number of processes and cannot be a dimension "
                        "of a mesh",
                        inner->operation, inner->name);
    return code;
}

/* Operations in two or three dimensions (Hartmann, Kuehnemann, Rauber, Ruenger 2006); the variant
 * is a cpm_mesh. */
int cpm_mesh_create(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    const cpm_mesh *mesh = a->variant;
    const bool blocks = cpm_mesh_counts_blocks(a);
    cpm_mesh_places at = {0};
    composition *c = NULL;
    int code = composition_create(mesh->dimensions, s, &c, e);
    if (!code)
        code = cpm_mesh_places_of(a, call, &at, e);
    if (code)
        return code;
    c->number_of = at.number_of;
    c->rank_of = at.rank_of;
    for (int k = 0; k < mesh->dimensions && !code; k++)
        code = add_dimension(c, a, call, at.extent, cpm_mesh_phase(a, k), e);
    if (code)
        return code;
    s->pieces = blocks ? 1 : cpm_segments(call);
    s->blocks = blocks ? call->n : s->pieces;
    s->order = blocks ? c->rank_of : NULL;
    return CPM_OK;
}
