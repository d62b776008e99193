/* The operations: which rank holds which unit before and after. */
#include "collectives/operation.h"

#include <stdio.h>
#include <string.h>

#include "base/names.h"

static int64_t one(int n, const cpm_neighbours *g)
{
    (void)n, (void)g;
    return 1;
}

static int64_t one_per_process(int n, const cpm_neighbours *g)
{
    (void)g;
    return n;
}

static bool root_holds(int n, int root, int rank, int64_t unit, const cpm_neighbours *g)
{
    (void)g, (void)n, (void)unit;
    return rank == root;
}

static bool all_hold(int n, int root, int rank, int64_t unit, const cpm_neighbours *g)
{
    (void)g, (void)n, (void)root, (void)rank, (void)unit;
    return true;
}

static bool own(int n, int root, int rank, int64_t unit, const cpm_neighbours *g)
{
    (void)g, (void)n, (void)root;
    return unit == rank;
}

static int64_t one_per_pair(int n, const cpm_neighbours *g)
{
    (void)g;
    return (int64_t)n * n;
}

static bool comes_from(int n, int root, int rank, int64_t unit, const cpm_neighbours *g)
{
    (void)g, (void)root;
    return unit / n == rank;
}

static bool goes_to(int n, int root, int rank, int64_t unit, const cpm_neighbours *g)
{
    (void)g, (void)root;
    return unit % n == rank;
}

static bool all_but_the_first_hold(int n, int root, int rank, int64_t unit, const cpm_neighbours *g)
{
    (void)g, (void)n, (void)root, (void)unit;
    return rank > 0;
}

static int64_t one_per_edge(int n, const cpm_neighbours *g)
{
    return g ? g->edges : n;
}

static bool edge_leaves(int n, int root, int rank, int64_t unit, const cpm_neighbours *g)
{
    (void)n, (void)root;
    return g->from[unit] == rank;
}

static bool edge_ends(int n, int root, int rank, int64_t unit, const cpm_neighbours *g)
{
    (void)n, (void)root;
    return g->to[unit] == rank;
}

static bool from_a_neighbour(int n, int root, int rank, int64_t unit, const cpm_neighbours *g)
{
    (void)n, (void)root;
    return cpm_neighbours_edge(g, (int)unit, rank) >= 0;
}

static bool up_to(int process, int rank)
{
    return process <= rank;
}

/* clang-format off */
#define NONE     {CPM_NO_BLOCK, CPM_NO_BLOCK}
#define ONE      {CPM_ONE_BLOCK, CPM_ONE_BLOCK}
#define EACH     {CPM_BLOCK_OF_EACH, CPM_BLOCK_OF_EACH}
#define NEAR     {CPM_BLOCK_OF_NEIGHBOUR, CPM_BLOCK_OF_NEIGHBOUR}
#define AT_ROOT  {CPM_BLOCK_OF_EACH, CPM_NO_BLOCK}
#define ALL      CPM_KNOWN_TO_ALL
#define ROOT     CPM_KNOWN_TO_ROOT
#define NOBODY   CPM_KNOWN_TO_NOBODY
#define NEITHER  CPM_NEITHER_SIDE
#define SEND     CPM_SEND_SIDE
#define RECV     CPM_RECV_SIDE
const cpm_operation cpm_operations[] = {
                               /* name           like         plain                 rooted combines dataless counts sizes   in_place send     recv     units            before      after     contributes leaves_own_out */
    [CPM_OP_BCAST]          = {"bcast",          NULL,        "binomial",           true,  false, false, false, ALL,    NEITHER, NONE,    ONE,     one,             root_holds, all_hold},
    [CPM_OP_SCATTER]        = {"scatter",        NULL,        "linear",             true,  false, false, false, ALL,    RECV,    AT_ROOT, ONE,     one_per_process, root_holds, own},
    [CPM_OP_SCATTERV]       = {"scatterv",       "scatter",   "linear",             true,  false, false, true,  ROOT,   RECV,    AT_ROOT, ONE,     one_per_process, root_holds, own},
    [CPM_OP_GATHER]         = {"gather",         NULL,        "linear",             true,  false, false, false, ALL,    SEND,    ONE,     AT_ROOT, one_per_process, own,        root_holds},
    [CPM_OP_GATHERV]        = {"gatherv",        "gather",    "linear",             true,  false, false, true,  ROOT,   SEND,    ONE,     AT_ROOT, one_per_process, own,        root_holds},
    [CPM_OP_REDUCE]         = {"reduce",         NULL,        "binomial",           true,  true,  false, false, ALL,    SEND,    NONE,    ONE,     one,             all_hold,   root_holds},
    [CPM_OP_REDUCE_SCATTER] = {"reduce_scatter", NULL,        "pairwise",           false, true,  false, true,  ALL,    SEND,    NONE,    EACH,    one_per_process, all_hold,   own},
    [CPM_OP_ALLGATHER]      = {"allgather",      NULL,        "logical-ring",       false, false, false, false, ALL,    SEND,    ONE,     EACH,    one_per_process, own,        all_hold},
    [CPM_OP_ALLGATHERV]     = {"allgatherv",     "allgather", "logical-ring",       false, false, false, true,  ALL,    SEND,    ONE,     EACH,    one_per_process, own,        all_hold},
    [CPM_OP_ALLTOALL]       = {"alltoall",       NULL,        "spreading-simple",   false, false, false, false, ALL,    SEND,    EACH,    EACH,    one_per_pair,    comes_from, goes_to},
    [CPM_OP_ALLTOALLV]      = {"alltoallv",      "alltoall",  "spreading-simple",   false, false, false, true,  NOBODY, SEND,    EACH,    EACH,    one_per_pair,    comes_from, goes_to},
    [CPM_OP_ALLTOALLW]      = {"alltoallw",      "alltoall",  "spreading-simple",   false, false, false, true,  NOBODY, SEND,    EACH,    EACH,    one_per_pair,    comes_from, goes_to, .types = true},
    [CPM_OP_ALLREDUCE]      = {"allreduce",      NULL,        "recursive-doubling", false, true,  false, false, ALL,    SEND,    NONE,    ONE,     one,             all_hold,   all_hold},
    [CPM_OP_SCAN]           = {"scan",           NULL,        "doubling",           false, true,  false, false, ALL,    SEND,    NONE,    ONE,     one,             all_hold,   all_hold, up_to},
    [CPM_OP_EXSCAN]         = {"exscan",         NULL,        "doubling",           false, true,  false, false, ALL,    SEND,    NONE,    ONE,     one,             all_hold,   all_but_the_first_hold, up_to, true},
    [CPM_OP_BARRIER]        = {"barrier",        NULL,        "dissemination",      false, false, true,  false, ALL,    NEITHER, NONE,    NONE,    one_per_process, own,        all_hold},
    [CPM_OP_NEIGHBOR_ALLGATHER] = {"neighbor_allgather", NULL, "direct",          false, false, false, false, ALL,    NEITHER, ONE,     NEAR,    one_per_process, own,        from_a_neighbour},
    [CPM_OP_NEIGHBOR_ALLGATHERV] = {"neighbor_allgatherv", "neighbor_allgather", "direct", false, false, false, true, NOBODY, NEITHER, ONE, NEAR,   one_per_process, own,        from_a_neighbour},
    [CPM_OP_NEIGHBOR_ALLTOALL]  = {"neighbor_alltoall",  NULL, "direct",          false, false, false, false, ALL,    NEITHER, NEAR,    NEAR,    one_per_edge,    edge_leaves, edge_ends},
    [CPM_OP_NEIGHBOR_ALLTOALLV] = {"neighbor_alltoallv", "neighbor_alltoall", "direct", false, false, false, true, NOBODY, NEITHER, NEAR,    NEAR,    one_per_edge,    edge_leaves, edge_ends},
    [CPM_OP_NEIGHBOR_ALLTOALLW] = {"neighbor_alltoallw", "neighbor_alltoall", "direct", false, false, false, true, NOBODY, NEITHER, NEAR,    NEAR,    one_per_edge,    edge_leaves, edge_ends, .types = true},
    [CPM_OPERATIONS]        = {0},
};
/* clang-format on */

cpm_blocks cpm_operation_blocks(const cpm_operation *o, cpm_side side, bool at_root)
{
    if (side == CPM_SEND_SIDE)
        return at_root ? o->send.at_root : o->send.elsewhere;
    return at_root ? o->recv.at_root : o->recv.elsewhere;
}

cpm_side cpm_operation_significant(const cpm_operation *o, bool at_root)
{
    cpm_blocks sent = cpm_operation_blocks(o, CPM_SEND_SIDE, at_root);
    cpm_blocks received = cpm_operation_blocks(o, CPM_RECV_SIDE, at_root);
    return sent > received ? CPM_SEND_SIDE : CPM_RECV_SIDE;
}

bool cpm_operation_is_of_neighbours(const cpm_operation *o)
{
    return o->recv.elsewhere == CPM_BLOCK_OF_NEIGHBOUR;
}

bool cpm_operation_ends_know_sizes(const cpm_operation *o)
{
    return cpm_operation_is_of_neighbours(o) && o->sizes == CPM_KNOWN_TO_NOBODY;
}

bool cpm_operation_is_whole(const cpm_operation *o)
{
    return o->units(2, NULL) == 1;
}

bool cpm_operation_is_of_pairs(const cpm_operation *o)
{
    return o->send.elsewhere == CPM_BLOCK_OF_EACH && o->recv.elsewhere == CPM_BLOCK_OF_EACH;
}

bool cpm_operation_stays_in_place(const cpm_operation *o, bool at_root)
{
    bool moves = !o->combines && !o->dataless && !cpm_operation_is_of_pairs(o);
    return moves && o->in_place != CPM_NEITHER_SIDE && (!o->rooted || at_root);
}

const char *cpm_operation_named(int k)
{
    return cpm_operations[k].name;
}

int cpm_operation_find(const char *name, const cpm_operation **out, cpm_error *e)
{
    int k;
    int status = cpm_names_find(cpm_operation_named, "operation", name, &k, e);
    if (!status)
        *out = &cpm_operations[k];
    return status;
}
