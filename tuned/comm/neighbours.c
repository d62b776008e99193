/* Each process says who it sends to; who it receives from it compares with what the others say. */
#include "tuned/comm/neighbours.h"

#include <stdlib.h>
#include <string.h>

#include "executor/layout.h"

enum { MOST_EDGES = 1 << 18 }; /* of more all processes would work for 0.1 s */

void tuned_neighbours_clear(tuned_state *t)
{
    cpm_neighbours_free(t->neighbours);
    free(t->block_at[0]);
    free(t->block_at[1]);
    t->neighbours = NULL;
    t->block_at[0] = t->block_at[1] = NULL;
}

int tuned_neighbours_count(const tuned_state *t, cpm_side side)
{
    const cpm_neighbours *g = t->neighbours;
    const int *first = (side == CPM_SEND_SIDE ? g->first_out : g->first_in) + t->rank;
    return first[1] - first[0];
}

#ifdef CPM_SMPI
bool tuned_neighbours_are_known(MPI_Comm comm)
{
    (void)comm;
    return false;
}

bool tuned_neighbours_find(tuned_state *t)
{
    (void)t;
    return true;
}

bool tuned_neighbours_are_lonely(MPI_Comm comm)
{
    (void)comm;
    return false;
}
#else
bool tuned_neighbours_are_known(MPI_Comm comm)
{
    int kind = MPI_UNDEFINED;
    return PMPI_Topo_test(comm, &kind) == MPI_SUCCESS && kind != MPI_UNDEFINED;
}

/* ---- this process's ---- */

/* As MPI has them, MPI_PROC_NULL among them. */
typedef struct {
    int count[2];
    int *of[2]; /* who it sends to, and receives from */
} lists;

static bool allocate(lists *l, int out, int in)
{
    l->count[0] = out;
    l->count[1] = in;
    for (int k = 0; k < 2; k++)
        l->of[k] = malloc((size_t)l->count[k] * sizeof(int) + 1);
    return l->of[0] && l->of[1];
}

/* MPI 4.0, 8.6: along each dimension the one before, then the one behind. */
static bool list_grid(MPI_Comm comm, lists *l)
{
    int dimensions = 0;
    PMPI_Cartdim_get(comm, &dimensions);
    if (!allocate(l, 2 * dimensions, 2 * dimensions))
        return false;
    int *next = l->of[0];
    for (int d = 0; d < dimensions; d++, next += 2)
        PMPI_Cart_shift(comm, d, 1, &next[0], &next[1]);
    memcpy(l->of[1], l->of[0], 2 * (size_t)dimensions * sizeof(int));
    return true;
}

static bool list_graph(MPI_Comm comm, int rank, lists *l)
{
    int count = 0;
    PMPI_Graph_neighbors_count(comm, rank, &count);
    if (!allocate(l, count, count))
        return false;
    PMPI_Graph_neighbors(comm, rank, count, l->of[0]);
    memcpy(l->of[1], l->of[0], (size_t)count * sizeof(int));
    return true;
}

static bool list_distributed(MPI_Comm comm, lists *l)
{
    int in = 0, out = 0, weighted;
    PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    int *weights = malloc(((size_t)in + (size_t)out) * sizeof *weights + 1);
    bool done = weights && allocate(l, out, in);
    if (done)
        PMPI_Dist_graph_neighbors(comm, in, l->of[1], weights, out, l->of[0], weights + in);
    free(weights);
    return done;
}

bool tuned_neighbours_are_lonely(MPI_Comm comm)
{
    int kind = MPI_UNDEFINED, rank, in = 0, out = 0, weighted;
    PMPI_Topo_test(comm, &kind);
    if (kind != MPI_GRAPH && kind != MPI_DIST_GRAPH)
        return false;
    PMPI_Comm_rank(comm, &rank);
    if (kind == MPI_GRAPH)
        PMPI_Graph_neighbors_count(comm, rank, &in);
    else
        PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    const bool has_any = in > 0 && (kind == MPI_GRAPH || out > 0);
    return !tuned_all(comm, has_any);
}

static bool list(const tuned_state *t, lists *l)
{
    int kind = MPI_UNDEFINED;
    PMPI_Topo_test(t->comm, &kind);
    return kind == MPI_CART    ? list_grid(t->comm, l)
           : kind == MPI_GRAPH ? list_graph(t->comm, t->rank, l)
                               : list_distributed(t->comm, l);
}

/* ---- everybody's ---- */

static int without_nobody(const int *of, int count, int *kept)
{
    int left = 0;
    for (int k = 0; k < count; k++)
        if (of[k] != MPI_PROC_NULL)
            kept[left++] = of[k];
    return left;
}

typedef struct {
    int *count, *first; /* [n] */
    int *from, *to;     /* [edges] */
    int edges;
} everybody;

static void clear(everybody *all)
{
    free(all->count);
    free(all->first);
    free(all->from);
    free(all->to);
}

/* False: too many, or no memory. */
static bool add_up(everybody *all, int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++) {
        all->first[i] = (int)sum;
        sum += all->count[i];
        if (sum > MOST_EDGES)
            return false;
    }
    all->edges = (int)sum;
    all->from = malloc((size_t)sum * sizeof(int) + 1);
    all->to = malloc((size_t)sum * sizeof(int) + 1);
    for (int i = 0; all->from && i < n; i++)
        for (int k = 0; k < all->count[i]; k++)
            all->from[all->first[i] + k] = i;
    return all->from && all->to;
}

/* Collective; false: some have no memory, or there are too many. own: [out] NULL: no memory. */
static bool gather(const tuned_state *t, const int *own, int out, everybody *all)
{
    size_t n = (size_t)t->n;
    all->count = malloc(n * sizeof(int));
    all->first = malloc(n * sizeof(int));
    if (!tuned_all(t->comm, own && all->count && all->first))
        return false;
    PMPI_Allgather(&out, 1, MPI_INT, all->count, 1, MPI_INT, t->comm);
    if (!tuned_all(t->comm, add_up(all, t->n)))
        return false;
    PMPI_Allgatherv(own, out, MPI_INT, all->to, all->count, all->first, MPI_INT, t->comm);
    return true;
}

/* ---- where blocks lie ---- */

static int place_in(const int *of, int count, int process)
{
    int k = 0;
    while (k < count && of[k] != process)
        k++;
    return k;
}

/* To whom it sends is in the graph's order. */
static void place_sent(tuned_state *t, const lists *l)
{
    int block = 0;
    for (int k = 0; k < l->count[0]; k++)
        if (l->of[0][k] != MPI_PROC_NULL)
            t->block_at[0][block++] = k;
}

/* False: MPI's list has not all of them. */
static bool place_received(tuned_state *t, const lists *l)
{
    const cpm_neighbours *g = t->neighbours;
    for (int b = 0; b < tuned_neighbours_count(t, CPM_RECV_SIDE); b++) {
        const int k = place_in(l->of[1], l->count[1], g->from[g->in[g->first_in[t->rank] + b]]);
        if (k == l->count[1])
            return false;
        t->block_at[1][b] = k;
    }
    return true;
}

/* Which of several messages of a process is which block only MPI knows: a call of its own tells.
 * sent, received: [blocks of MPI]. */
static bool ask(tuned_state *t, const lists *l, int *sent, int *received)
{
    const cpm_neighbours *g = t->neighbours;
    for (int k = 0; k < l->count[0]; k++)
        sent[k] = -1;
    for (int k = 0; k < l->count[1]; k++)
        received[k] = -1;
    for (int b = 0; b < tuned_neighbours_count(t, CPM_SEND_SIDE); b++)
        sent[t->block_at[0][b]] = b;
    PMPI_Neighbor_alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, t->comm);
    for (int k = 0; k < l->count[1]; k++) {
        if (l->of[1][k] == MPI_PROC_NULL)
            continue;
        const int edge = g->first_out[l->of[1][k]] + received[k];
        if (received[k] < 0 || edge >= g->edges || g->to[edge] != t->rank)
            return false;
        t->block_at[1][g->place[edge]] = k;
    }
    return true;
}

static bool has_all(const cpm_neighbours *g)
{
    for (int i = 0; i < g->n; i++)
        if (g->first_out[i] == g->first_out[i + 1] || g->first_in[i] == g->first_in[i + 1])
            return false;
    return cpm_neighbours_most(g) <= g->n;
}

/* All say the same of a graph that all have. Collective. */
static bool place(tuned_state *t, const lists *l)
{
    const size_t blocks = (size_t)l->count[0] + (size_t)l->count[1];
    int *room = malloc(blocks * sizeof *room + 1);
    t->block_at[0] = malloc((size_t)l->count[0] * sizeof(int) + 1);
    t->block_at[1] = malloc((size_t)l->count[1] * sizeof(int) + 1);
    bool placed =
        room && t->block_at[0] && t->block_at[1] &&
        without_nobody(l->of[1], l->count[1], room) == tuned_neighbours_count(t, CPM_RECV_SIDE);
    if (placed)
        place_sent(t, l);
    if (t->neighbours->parallel)
        placed = tuned_all(t->comm, placed) && ask(t, l, room, room + l->count[0]);
    else
        placed = placed && place_received(t, l);
    free(room);
    return placed;
}

/* Collective. */
static bool make(tuned_state *t, const lists *l, const everybody *all)
{
    bool made =
        cpm_neighbours_create(t->n, all->edges, all->from, all->to, &t->neighbours, NULL) == CPM_OK;
    return tuned_all(t->comm, made) && has_all(t->neighbours) && place(t, l);
}

bool tuned_neighbours_find(tuned_state *t)
{
    lists l = {0};
    everybody all = {0};
    if (t->neighbours || !tuned_neighbours_are_known(t->comm))
        return true;
    bool listed = list(t, &l);
    int *own = listed ? malloc((size_t)l.count[0] * sizeof *own + 1) : NULL;
    int out = own ? without_nobody(l.of[0], l.count[0], own) : 0;
    bool found = gather(t, own, out, &all) && make(t, &l, &all);
    clear(&all);
    free(own);
    free(l.of[0]);
    free(l.of[1]);
    if (!found)
        tuned_neighbours_clear(t);
    return found;
}
#endif

const cpm_neighbours *tuned_neighbours_for(const tuned_state *t, const cpm_operation *o)
{
    const cpm_neighbours *g = t->neighbours;
    return g && g->parallel && cpm_operation_ends_know_sizes(o) ? NULL : g;
}

void tuned_neighbours_place(const tuned_state *t, mpib_arguments *a)
{
    mpib_side *side[2] = {&a->send, &a->recv};
    for (int which = 0; t->neighbours && which < 2; which++) {
        const cpm_side name = which ? CPM_RECV_SIDE : CPM_SEND_SIDE;
        if (cpm_operation_blocks(a->operation, name, false) != CPM_BLOCK_OF_NEIGHBOUR ||
            side[which]->counts)
            continue;
        const int blocks = tuned_neighbours_count(t, name);
        ptrdiff_t *to = t->displacements[which];
        for (int b = 0; b < t->n; b++) /* plans look at all n */
            to[b] = b < blocks ? t->block_at[which][b] * (ptrdiff_t)side[which]->count : 0;
        side[which]->displacements = to;
    }
}

static bool has_all_arrays(const tuned_side_arrays *x, bool has_types)
{
    return x->counts && (x->displacements || x->addresses) && (x->types || !has_types);
}

/* Elements of all blocks, or bytes where they have types. False: a count is below 0, or elements
 * have no type. */
static bool add_up_blocks(const tuned_side_arrays *x, int listed, size_t *sum)
{
    *sum = 0;
    for (int k = 0; k < listed; k++) {
        const int count = x->counts[k];
        if (count < 0 || (x->types && count && !tuned_is_type(x->types[k])))
            return false;
        *sum += (size_t)count * (x->types ? mpib_type_size(tuned_type_of_block(x, k)) : 1);
    }
    return true;
}

/* Block b of a side (0, 1) becomes MPI's block k; below 0: an empty one. */
static void set_block(const tuned_state *t, int side, int b, const tuned_side_arrays *x, int k)
{
    const bool empty = k < 0;
    t->counts[side][b] = empty ? 0 : (size_t)x->counts[k];
    t->displacements[side][b] = empty ? 0 : tuned_displacement(x, k);
    if (x->types)
        t->types[side][b] = empty ? MPI_BYTE : tuned_type_of_block(x, k);
}

bool tuned_neighbours_convert(const tuned_state *t, cpm_side which, bool has_types,
                              const tuned_side_arrays *x, mpib_side *side)
{
    const int s = which == CPM_RECV_SIDE, listed = tuned_listed_blocks(t->comm, which);
    size_t sum;
    if ((listed && !has_all_arrays(x, has_types)) || !add_up_blocks(x, listed, &sum))
        return false;
    side->counts = NULL;
    side->displacements = NULL;
    side->types = NULL;
    side->count = listed ? sum / (size_t)listed : 0;
    if (!t->neighbours)
        return true;
    const int blocks = tuned_neighbours_count(t, which);
    for (int b = 0; b < t->n; b++) /* plans look at all n */
        set_block(t, s, b, x, b < blocks ? t->block_at[s][b] : -1);
    side->counts = t->counts[s];
    side->displacements = t->displacements[s];
    side->types = x->types ? t->types[s] : NULL;
    return true;
}
