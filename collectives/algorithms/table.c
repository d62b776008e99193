/* The table of algorithms. A new algorithm is one build function, or a parameter of a family, and
 * one row here. */
#include "collectives/algorithm.h"
#include "collectives/algorithms/bruck.h"
#include "collectives/algorithms/compose.h"
#include "collectives/algorithms/doubling.h"
#include "collectives/algorithms/linear_sync.h"
#include "collectives/algorithms/phased.h"
#include "collectives/algorithms/rings.h"
#include "collectives/algorithms/shapes.h"
#include "collectives/algorithms/split.h"
#include "collectives/algorithms/topology_algorithms.h"
#include "collectives/algorithms/trees.h"

/* ---- variants ---- */

static const bool no = false, yes = true;

static const cpm_phases ring = {false, CPM_UNSYNCHRONIZED}, ring_light = {false, CPM_LIGHT_BARRIER},
                        ring_barrier = {false, CPM_BARRIERS},
                        ring_barriers = {false, CPM_N_BARRIERS}, pair = {true, CPM_UNSYNCHRONIZED},
                        pair_light = {true, CPM_LIGHT_BARRIER}, pair_barrier = {true, CPM_BARRIERS},
                        pair_barriers = {true, CPM_N_BARRIERS};

static const cpm_mesh binomial_2d = {2, "binomial"}, binomial_3d = {3, "binomial"},
                      simple_2d = {2, "simple"}, simple_3d = {3, "simple"},
                      doubling_2d = {2, "recursive-doubling"},
                      doubling_3d = {3, "recursive-doubling"};

static const cpm_sequence
    scatter_doubling = {"scatter:binomial", "allgather:recursive-doubling"},
    scatter_ring = {"scatter:binomial", "allgather:logical-ring"},
    halving_gather = {"reduce_scatter:halving", "gather:binomial"},
    gather_bcast = {"gather:binomial", "bcast:binomial"},
    linear_linear = {"gather:linear", "bcast:linear"},
    reduce_bcast = {"reduce:binomial", "bcast:binomial"},
    rab1_simple = {"reduce_scatter:halving", "allgather:simple"},
    rab1_2d = {"reduce_scatter:halving", "allgather:2d"},
    rab1_3d = {"reduce_scatter:halving", "allgather:3d"},
    rab1_doubling = {"reduce_scatter:halving", "allgather:recursive-doubling"},
    rab1_bruck = {"reduce_scatter:halving", "allgather:bruck"},
    rab1_ring = {"reduce_scatter:halving", "allgather:ring"},
    rab1_ring_light = {"reduce_scatter:halving", "allgather:ring-light"},
    rab1_ring_barrier = {"reduce_scatter:halving", "allgather:ring-barrier"},
    rab1_tslr = {"reduce_scatter:halving", "allgather:tslr"},
    rab2_ring = {"reduce_scatter:pairwise", "allgather:ring"},
    rab2_ring_light = {"reduce_scatter:pairwise-light", "allgather:ring-light"},
    rab2_ring_barrier = {"reduce_scatter:pairwise-barrier", "allgather:ring-barrier"},
    rab2_ring_tslr = {"reduce_scatter:pairwise", "allgather:tslr"},
    rab2_ring_light_tslr = {"reduce_scatter:pairwise-light", "allgather:tslr"},
    rab2_ring_barrier_tslr = {"reduce_scatter:pairwise-barrier", "allgather:tslr"},
    rings = {"reduce_scatter:ring", "allgather:logical-ring"};

/* ---- sources ---- */

#define FAGG    "Fagg et al. 2006, 5.1"
#define STAR    "Faraj, Yuan, Lowenthal 2006 (STAR-MPI), 3.1"
#define AAPC    "Faraj, Yuan 2005 (all-to-all), 4"
#define MESH    "Kuehnemann, Rauber, Ruenger 2006, 2"
#define VIRTUAL "Kuehnemann, Rauber, Ruenger 2006, 3.1"
#define THAKUR  "Thakur, Rabenseifner, Gropp 2005"
#define THESIS  "O'Flynn 2009"

enum {
    MAP = CPM_TAKES_MAPPING,
    SEG = CPM_TAKES_SEGMENT,
    K = CPM_TAKES_K,
    MESHED = CPM_TAKES_MESH,
    GRID = CPM_TAKES_MESH | CPM_TAKES_INNER,
    POWER = CPM_NEEDS_POWER_OF_2,
    ROOT0 = CPM_REORDERS_UNLESS_ROOT_0,
    MIXES = CPM_REORDERS,
};

/* clang-format off */
const cpm_algorithm cpm_algorithms[] = {
    {"bcast", "linear",               FAGG " (basic linear)",   MAP | SEG,     &cpm_tree_linear,    cpm_tree_bcast},
    {"bcast", "star",                 VIRTUAL,                  MAP | SEG,     &cpm_tree_star,      cpm_tree_bcast},
    {"bcast", "binomial",             THAKUR,                   MAP | SEG,     &cpm_tree_binomial,  cpm_tree_bcast},
    {"bcast", "hypercube",            VIRTUAL,                  MAP | SEG,     &cpm_tree_hypercube, cpm_tree_bcast},
    {"bcast", "binary",               FAGG " (binary tree)",    MAP | SEG,     &cpm_tree_binary,    cpm_tree_bcast},
    {"bcast", "chain",                FAGG " (pipeline)",       MAP | SEG,     &cpm_tree_chain,     cpm_tree_bcast},
    {"bcast", "chains",               FAGG " (chain)",          MAP | SEG | K, &cpm_tree_chains,    cpm_tree_bcast},
    {"bcast", "tree",                 "any tree",               MAP | SEG | CPM_NEEDS_TREE, &cpm_tree_any, cpm_tree_bcast},
    {"bcast", "split-binary",         FAGG " (split binary tree)", SEG,        NULL,                cpm_split_binary},
    {"bcast", "scatter-doubling",     THAKUR " (van de Geijn)", SEG | POWER,   &scatter_doubling,   cpm_scatter_allgather},
    {"bcast", "scatter-ring",         THAKUR " (van de Geijn)", SEG,           &scatter_ring,       cpm_scatter_allgather},
    {"bcast", "2d",                   MESH,                     SEG | GRID,    &binomial_2d,        cpm_mesh_create},
    {"bcast", "3d",                   MESH,                     SEG | GRID,    &binomial_3d,        cpm_mesh_create},

    {"scatter", "linear",             THESIS ", 4.2",           MAP,           &cpm_tree_linear,      cpm_tree_scatter},
    {"scatter", "star",               VIRTUAL,                  MAP,           &cpm_tree_star,        cpm_tree_scatter},
    {"scatter", "binomial",           THESIS ", 5.1 (figure 5.1)", MAP,        &cpm_tree_binomial,    cpm_tree_scatter},
    {"scatter", "hypercube",          VIRTUAL,                  MAP,           &cpm_tree_hypercube,   cpm_tree_scatter},
    {"scatter", "binary",             "the binary tree of bcast", MAP,         &cpm_tree_binary,      cpm_tree_scatter},
    {"scatter", "chain",              "the chain of bcast",     MAP,           &cpm_tree_chain,       cpm_tree_scatter},
    {"scatter", "large-first",        "Dichev, Rychkov, Lastovetsky 2010", 0,     &cpm_tree_large_first, cpm_tree_scatter},
    {"scatter", "large-last",         "Dichev, Rychkov, Lastovetsky 2010", 0,     &cpm_tree_large_last,  cpm_tree_scatter},
    {"scatter", "traeff",             "Traeff 2004",            0,             &cpm_tree_traeff,      cpm_tree_scatter},
    {"scatter", "tree",               "any tree",               MAP | CPM_NEEDS_TREE, &cpm_tree_any,  cpm_tree_scatter},
    {"scatter", "split",              THESIS ", 7.1",           SEG | K,       &no,                   cpm_split_scatter},
    {"scatter", "split-barrier",      THESIS ", 7.1",           SEG | K,       &yes,                  cpm_split_scatter},
    {"scatter", "2d",                 MESH,                     GRID,          &binomial_2d,          cpm_mesh_create},
    {"scatter", "3d",                 MESH,                     GRID,          &binomial_3d,          cpm_mesh_create},

    {"gather", "linear",              THESIS ", 4.3",           MAP,           &cpm_tree_linear,      cpm_tree_gather},
    {"gather", "star",                VIRTUAL,                  MAP,           &cpm_tree_star,        cpm_tree_gather},
    {"gather", "binomial",            THESIS ", 5.1 (figure 5.1)", MAP,        &cpm_tree_binomial,    cpm_tree_gather},
    {"gather", "hypercube",           VIRTUAL,                  MAP,           &cpm_tree_hypercube,   cpm_tree_gather},
    {"gather", "binary",              "the binary tree of bcast", MAP,         &cpm_tree_binary,      cpm_tree_gather},
    {"gather", "chain",               "the chain of bcast",     MAP,           &cpm_tree_chain,       cpm_tree_gather},
    {"gather", "large-first",         "Dichev, Rychkov, Lastovetsky 2010", 0,     &cpm_tree_large_first, cpm_tree_gather},
    {"gather", "large-last",          "Dichev, Rychkov, Lastovetsky 2010", 0,     &cpm_tree_large_last,  cpm_tree_gather},
    {"gather", "traeff",              "Traeff 2004",            0,             &cpm_tree_traeff,      cpm_tree_gather},
    {"gather", "tree",                "any tree",               MAP | CPM_NEEDS_TREE, &cpm_tree_any,  cpm_tree_gather},
    {"gather", "split",               THESIS ", 7.1",           SEG | K,       &no,                   cpm_split_gather},
    {"gather", "split-barrier",       THESIS ", 7.1",           SEG | K,       &yes,                  cpm_split_gather},
    {"gather", "linear-sync",         "Open MPI (linear with synchronization)", CPM_TAKES_THRESHOLD | CPM_OWN_SIZE, NULL, cpm_linear_sync_gather},
    {"gather", "2d",                  MESH,                     GRID,          &binomial_2d,          cpm_mesh_create},
    {"gather", "3d",                  MESH,                     GRID,          &binomial_3d,          cpm_mesh_create},

    {"reduce", "linear",              FAGG,                     SEG,                 &cpm_tree_linear,    cpm_tree_reduce},
    {"reduce", "star",                VIRTUAL,                  SEG,                 &cpm_tree_star,      cpm_tree_reduce},
    {"reduce", "binomial",            THAKUR,                   MAP | SEG | ROOT0,   &cpm_tree_binomial,  cpm_tree_reduce},
    {"reduce", "hypercube",           VIRTUAL,                  MAP | SEG | ROOT0,   &cpm_tree_hypercube, cpm_tree_reduce},
    {"reduce", "binary",              FAGG,                     MAP | SEG | MIXES,   &cpm_tree_binary,    cpm_tree_reduce},
    {"reduce", "chain",               FAGG " (pipeline)",       MAP | SEG | ROOT0,   &cpm_tree_chain,     cpm_tree_reduce},
    {"reduce", "chains",              FAGG " (chain)",          MAP | SEG | K | ROOT0, &cpm_tree_chains,  cpm_tree_reduce},
    {"reduce", "tree",                "any tree",               MAP | SEG | MIXES | CPM_NEEDS_TREE, &cpm_tree_any, cpm_tree_reduce},
    {"reduce", "rabenseifner",        "Rabenseifner 2004",      MIXES,               &halving_gather,     cpm_rabenseifner},
    {"reduce", "2d",                  MESH,                     SEG | GRID | MIXES,  &binomial_2d,        cpm_mesh_create},
    {"reduce", "3d",                  MESH,                     SEG | GRID | MIXES,  &binomial_3d,        cpm_mesh_create},

    {"reduce_scatter", "halving",     THAKUR ", 4.3",           MIXES,         NULL,          cpm_halving_reduce_scatter},
    {"reduce_scatter", "pairwise",    THAKUR ", 4.3",           MIXES,         &ring,         cpm_phased_reduce_scatter},
    {"reduce_scatter", "pairwise-light", STAR " (Rab2, light barrier)", MIXES, &ring_light,   cpm_phased_reduce_scatter},
    {"reduce_scatter", "pairwise-barrier", STAR " (Rab2, MPI barrier)", MIXES, &ring_barrier, cpm_phased_reduce_scatter},
    {"reduce_scatter", "alltoall",    STAR " (Rab2)",           0,             "alltoall:spreading-simple", cpm_apart},
    {"reduce_scatter", "ring",        "Patarasuk, Yuan 2009",   MIXES,         NULL,          cpm_ring_reduce_scatter},

    {"allgather", "simple",           STAR,                     0,             &yes,           cpm_simple_allgather},
    {"allgather", "2d",               STAR ", " MESH,           GRID,          &simple_2d,     cpm_mesh_create},
    {"allgather", "3d",               STAR ", " MESH,           GRID,          &simple_3d,     cpm_mesh_create},
    {"allgather", "recursive-doubling", THAKUR ", 4.1",         POWER,         NULL,           cpm_doubling_allgather},
    {"allgather", "bruck",            "Bruck et al. 1997",      0,             NULL,           cpm_bruck_allgather},
    {"allgather", "logical-ring",     THAKUR ", 4.1 (ring)",    0,             NULL,           cpm_ring_allgather},
    {"allgather", "ring",             STAR,                     0,             &ring,          cpm_phased_allgather},
    {"allgather", "ring-light",       STAR,                     0,             &ring_light,    cpm_phased_allgather},
    {"allgather", "ring-barrier",     STAR,                     0,             &ring_barrier,  cpm_phased_allgather},
    {"allgather", "pair",             STAR,                     POWER,         &pair,          cpm_phased_allgather},
    {"allgather", "pair-light",       STAR,                     POWER,         &pair_light,    cpm_phased_allgather},
    {"allgather", "pair-barrier",     STAR,                     POWER,         &pair_barrier,  cpm_phased_allgather},
    {"allgather", "neighbor",         "Chen, Zhang, Zhou 2005", CPM_NEEDS_EVEN, NULL,          cpm_neighbor_allgather},
    {"allgather", "tslr",             STAR,                     CPM_NEEDS_TOPOLOGY, NULL,      cpm_topology_allgather},
    {"allgather", "gather-bcast",     "gather, then bcast",     0,             &gather_bcast,  cpm_gather_bcast},

    {"alltoall", "simple",            AAPC ".1",                0,             &no,            cpm_simple_alltoall},
    {"alltoall", "spreading-simple",  AAPC ".1",                0,             &yes,           cpm_simple_alltoall},
    {"alltoall", "2d",                AAPC ".1",                MESHED,          "allgather:2d", cpm_by_allgather},
    {"alltoall", "3d",                AAPC ".1",                MESHED,          "allgather:3d", cpm_by_allgather},
    {"alltoall", "recursive-doubling", AAPC ".1",               POWER,         "allgather:recursive-doubling", cpm_by_allgather},
    {"alltoall", "bruck",             "Bruck et al. 1997",      0,             NULL,           cpm_bruck_alltoall},
    {"alltoall", "ring",              AAPC ".2",                0,             &ring,          cpm_phased_alltoall},
    {"alltoall", "ring-light",        AAPC ".2",                0,             &ring_light,    cpm_phased_alltoall},
    {"alltoall", "ring-barrier",      AAPC ".2",                0,             &ring_barrier,  cpm_phased_alltoall},
    {"alltoall", "ring-barriers",     AAPC ".2 (k barriers)",   K,             &ring_barriers, cpm_phased_alltoall},
    {"alltoall", "pair",              AAPC ".2",                POWER,         &pair,          cpm_phased_alltoall},
    {"alltoall", "pair-light",        AAPC ".2",                POWER,         &pair_light,    cpm_phased_alltoall},
    {"alltoall", "pair-barrier",      AAPC ".2",                POWER,         &pair_barrier,  cpm_phased_alltoall},
    {"alltoall", "pair-barriers",     AAPC ".2 (k barriers)",   POWER | K,     &pair_barriers, cpm_phased_alltoall},
    {"alltoall", "topology",          AAPC ".2",                CPM_NEEDS_TOPOLOGY, &no,       cpm_topology_alltoall},
    {"alltoall", "topology-barrier",  AAPC ".2",                CPM_NEEDS_TOPOLOGY, &yes,      cpm_topology_alltoall},
    {"alltoallv", "switched",         "simple below a threshold, ring above", CPM_TAKES_THRESHOLD, NULL, cpm_switched_alltoall},

    {"allreduce", "recursive-doubling", THAKUR ", 4.4",         0,             NULL,           cpm_doubling_allreduce},
    {"allreduce", "reduce-bcast",     "reduce, then bcast",     SEG,           &reduce_bcast,  cpm_reduce_bcast},
    {"allreduce", "logical-ring",     "Patarasuk, Yuan 2009",   MIXES,         &rings,         cpm_rabenseifner},
    {"allreduce", "2d",               MESH,                     GRID | MIXES,  &doubling_2d,   cpm_mesh_create},
    {"allreduce", "3d",               MESH,                     GRID | MIXES,  &doubling_3d,   cpm_mesh_create},
    {"allreduce", "allgather-bruck",  STAR " (by allgather)",   0,             "allgather:bruck", cpm_apart},
    {"allreduce", "allgather-2d",     STAR " (by allgather)",   MESHED,          "allgather:2d", cpm_apart},
    {"allreduce", "allgather-3d",     STAR " (by allgather)",   MESHED,          "allgather:3d", cpm_apart},
    {"allreduce", "allgather-doubling", STAR " (by allgather)", POWER,         "allgather:recursive-doubling", cpm_apart},
    {"allreduce", "allgather-ring",   STAR " (by allgather)",   0,             "allgather:ring", cpm_apart},
    {"allreduce", "rab1-simple",      STAR " (Rab1)",           MIXES,         &rab1_simple,   cpm_rabenseifner},
    {"allreduce", "rab1-2d",          STAR " (Rab1)",           MIXES,         &rab1_2d,       cpm_rabenseifner},
    {"allreduce", "rab1-3d",          STAR " (Rab1)",           MIXES,         &rab1_3d,       cpm_rabenseifner},
    {"allreduce", "rab1-doubling",    STAR " (Rab1)",           POWER | MIXES, &rab1_doubling, cpm_rabenseifner},
    {"allreduce", "rab1-bruck",       STAR " (Rab1)",           MIXES,         &rab1_bruck,    cpm_rabenseifner},
    {"allreduce", "rab1-ring",        STAR " (Rab1)",           MIXES,         &rab1_ring,     cpm_rabenseifner},
    {"allreduce", "rab1-ring-light",  STAR " (Rab1)",           MIXES,         &rab1_ring_light, cpm_rabenseifner},
    {"allreduce", "rab1-ring-barrier", STAR " (Rab1)",          MIXES,         &rab1_ring_barrier, cpm_rabenseifner},
    {"allreduce", "rab1-tslr",        STAR " (Rab1)",           CPM_NEEDS_TOPOLOGY | MIXES, &rab1_tslr, cpm_rabenseifner},
    {"allreduce", "rab2-ring",        STAR " (Rab2)",           MIXES,         &rab2_ring,     cpm_rabenseifner},
    {"allreduce", "rab2-ring-light",  STAR " (Rab2)",           MIXES,         &rab2_ring_light, cpm_rabenseifner},
    {"allreduce", "rab2-ring-barrier", STAR " (Rab2)",          MIXES,         &rab2_ring_barrier, cpm_rabenseifner},
    {"allreduce", "rab2-ring-tslr",   STAR " (Rab2)",           CPM_NEEDS_TOPOLOGY | MIXES, &rab2_ring_tslr, cpm_rabenseifner},
    {"allreduce", "rab2-ring-light-tslr", STAR " (Rab2)",       CPM_NEEDS_TOPOLOGY | MIXES, &rab2_ring_light_tslr, cpm_rabenseifner},
    {"allreduce", "rab2-ring-barrier-tslr", STAR " (Rab2)",     CPM_NEEDS_TOPOLOGY | MIXES, &rab2_ring_barrier_tslr, cpm_rabenseifner},

    {"barrier", "linear",             "gather, then bcast",     0,             &linear_linear, cpm_gather_bcast},
    {"barrier", "tree",               "gather, then bcast",     0,             &gather_bcast,  cpm_gather_bcast},
    {"barrier", "dissemination",      "Hensgen, Finkel, Manber 1988", 0,       NULL,           cpm_dissemination_barrier},
    {"barrier", "recursive-doubling", "Thakur, Rabenseifner, Gropp 2005, 4.4 (folded)", 0, NULL, cpm_doubling_barrier},
    {0},
};
/* clang-format on */
