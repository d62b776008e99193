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
    const cpm_mesh *mesh = a->variant;
    int stride = d == 0 ? 1 : d == 1 ? extent[0] : extent[0] * extent[1];
    int root = c->number_of ? c->number_of[call->root] : call->root;
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

/* ---- meshes of hosts */

/* Numbers processes host by host; the extents are the processes of a host, and the hosts. */
static int number_by_host(const cpm_hosts *hosts, composition *c, int *first, int extent[3],
                          cpm_error *e)
{
    cpm_hosts_sort(hosts, c->rank_of, first);
    for (int v = 0; v < hosts->n; v++)
        c->number_of[c->rank_of[v]] = v;
    for (int h = 1; h < hosts->count; h++)
        if (first[h + 1] - first[h] != first[1])
            return cpm_fail(e, CPM_EINVAL,
                            "mesh=hosts needs as many processes on every host: that of process 0 "
                            "has %d, that of process %d has %d",
                            first[1], c->rank_of[first[h]], first[h + 1] - first[h]);
    extent[0] = first[1];
    extent[1] = hosts->count;
    extent[2] = 1;
    return CPM_OK;
}

static int mesh_of_hosts(const cpm_call *call, int dimensions, composition *c, int extent[3],
                         cpm_error *e)
{
    if (!call->hosts)
        return cpm_fail(e, CPM_EINVAL, "mesh=hosts: needs a layout (which processes share a host)");
    if (dimensions != 2)
        return cpm_fail(e, CPM_EINVAL, "mesh=hosts: has two dimensions, not %d", dimensions);
    size_t n = (size_t)call->n;
    int *first = malloc(((size_t)call->hosts->count + 1) * sizeof *first);
    c->rank_of = malloc(n * sizeof *c->rank_of);
    c->number_of = malloc(n * sizeof *c->number_of);
    int code = first && c->rank_of && c->number_of
                   ? number_by_host(call->hosts, c, first, extent, e)
                   : cpm_fail(e, CPM_ENOMEM, "out of memory for a mesh of %d processes", call->n);
    free(first);
    return code;
}

/* Operations in two or three dimensions (Hartmann, Kuehnemann, Rauber, Ruenger 2006); the variant
 * is a cpm_mesh. */
int cpm_mesh_create(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    const cpm_mesh *mesh = a->variant;
    int extent[3];
    composition *c = NULL;
    int code = composition_create(mesh->dimensions, s, &c, e);
    if (!code)
        code = call->with.mesh[0] == CPM_MESH_OF_HOSTS
                   ? mesh_of_hosts(call, mesh->dimensions, c, extent, e)
                   : cpm_mesh_extents(call, mesh->dimensions, extent, e);
    for (int k = 0; k < mesh->dimensions && !code; k++)
        code = add_dimension(c, a, call, extent,
                             goes_outward(a->operation) ? mesh->dimensions - 1 - k : k, e);
    if (code)
        return code;
    s->pieces = counts_units(a->operation) ? 1 : cpm_segments(call);
    s->blocks = counts_units(a->operation) ? call->n : s->pieces;
    s->order = counts_units(a->operation) ? c->rank_of : NULL;
    return CPM_OK;
}
