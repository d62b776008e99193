/* The table of algorithms, from rows.def. */
#include "collectives/algorithm.h"
#include "collectives/algorithms/compose.h"
#include "collectives/algorithms/levels.h"
#include "collectives/algorithms/mesh.h"
#include "collectives/algorithms/phased.h"
#include "collectives/algorithms/shapes.h"

/* ---- what rows name ---- */

#define ROW(o, nm, from, spares, needs, worth, create, variant, ...) cpm_create create;
#define TREE(o, nm, from, spares, needs, worth, create, shape, ...) \
    cpm_create create;                                              \
    extern const cpm_tree_shape shape;
#include "collectives/algorithms/rows.def"

/* ---- sources ---- */

#define FAGG       "Fagg et al. 2006, 5.1"
#define FAGG_TUNED "Fagg et al. 2006 (tuned collectives)"
#define STAR       "Faraj, Yuan, Lowenthal 2006 (STAR-MPI), 3.1"
#define AAPC       "Faraj, Yuan 2005 (all-to-all), 4"
#define BUCKETS    "Jain, Sabharwal 2010; Sack, Gropp 2015"
#define MESH       "Hartmann, Kuehnemann, Rauber, Ruenger 2006, 2"
#define VIRTUAL    "Hartmann, Kuehnemann, Rauber, Ruenger 2006, 3.1"
#define THAKUR     "Thakur, Rabenseifner, Gropp 2005"
#define THESIS     "O'Flynn 2009"
#define TWO_LEVELS "Karonis et al. 2000; leaders: Traeff, Hunold 2020"
#define BINE       "De Sensi et al. 2025 (Bine)"
#define SWING      "De Sensi et al. 2024 (Swing)"
#define CIRCULANT  "Traeff 2024 (circulant graphs)"
#define CIRCULANT_BLOCKS "Traeff 2023, 2024 (optimal broadcast schedules)"
#define LANES      "Traeff 2020 (k-lane)"
#define TWO_TREES  "Sanders, Speck, Traeff 2009"
#define COMBINING  "Traeff et al. 2016 (message-combining)"
#define KNOMIAL    "k-nomial tree, as in Open MPI"
#define AS_OPENMPI "as in Open MPI"

/* ---- properties ---- */

enum {
    MAP = CPM_TAKES_MAPPING,
    SEG = CPM_TAKES_SEGMENT,
    K = CPM_TAKES_K,
    MESHED = CPM_TAKES_MESH,
    GRID = CPM_TAKES_MESH | CPM_TAKES_INNER,
    THRESHOLD = CPM_TAKES_THRESHOLD,
    POWER = CPM_NEEDS_POWER_OF_2,
    EVEN = CPM_NEEDS_EVEN,
    GIVEN_TREE = CPM_NEEDS_TREE,
    TOPOLOGY = CPM_NEEDS_TOPOLOGY,
    ROOT0 = CPM_REORDERS_UNLESS_ROOT_0,
    MIXES = CPM_REORDERS,
    IN_ROWS = CPM_REORDERS_UNLESS_IN_ROWS,
    CALMS = CPM_CALMS,
    OWN_SIZE = CPM_OWN_SIZE,
    HOSTS = CPM_NEEDS_HOSTS | CPM_TAKES_LEVELS,
    LEADERS = CPM_TAKES_LEADERS,
    ROWS = CPM_NEEDS_HOSTS | CPM_NEEDS_ROWS,
    NEAR = CPM_NEEDS_NEIGHBOURS,
    GRIDDED = CPM_NEEDS_GRID,
    SIMPLE = CPM_NEEDS_SIMPLE,
    SEVERAL = CPM_NEEDS_HOSTS,

    /* Who gets everything to combine or keep a part of it gets up to n times what he needs: beyond
     * some start-ups' worth of bytes this cannot pay. */
    EVERYTHING_TO_ALL = 1 << 20,

    /* Phases between all processes, many messages each: working them out takes longer than they
     * gain. */
    FEW = 128,
};

/* ---- parameters worth trying ---- */

/* clang-format off */
static const cpm_tries
    segments = {.segments = true},
    chains = {.segments = true, .k = {4, 2, 8}},
    fans = {.k = {4, 3, 8}},
    fans_segments = {.segments = true, .k = {4, 3, 8}},
    lanes = {.k = {4, 2, 16}},
    lanes_segments = {.segments = true, .k = {4, 2, 16}},
    mesh_2d = {.meshes = 2},
    mesh_3d = {.meshes = 3},
    segments_2d = {.segments = true, .meshes = 2},
    segments_3d = {.segments = true, .meshes = 3},
    levels_bcast = {.segments = true, .leaders = {2, 4, 8}, .level = {{"linear"}, {"linear", "knomial", "chain", "scatter-ring", "scatter-doubling", "split-binary"}}},
    levels_scatter = {.leaders = {2, 4, 8}, .level = {{"linear"}, {"linear", "knomial"}}},
    levels_gather = {.leaders = {2, 4, 8}, .level = {{"linear"}, {"linear", "knomial"}}},
    levels_reduce = {.segments = true, .leaders = {2, 4, 8}, .level = {{"linear", "chain"}, {"linear", "knomial", "chain", "rabenseifner"}}},
    levels_reduce_scatter = {.leaders = {2, 4, 8}, .level = {{"linear"}, {"pairwise", "ring"}}},
    levels_allgather = {.leaders = {2, 4, 8}, .level = {{"linear"}, {"bruck", "logical-ring", "simple"}}},
    levels_alltoall = {.leaders = {2, 4, 8}, .level = {{"linear", "bruck"}, {"bruck", "ring"}}},
    levels_allreduce = {.segments = true, .leaders = {2, 4, 8}, .level = {{"linear"}, {"rab1-doubling", "rab1-bruck", "logical-ring"}}},
    levels_long = {.leaders = {2, 4, 8}, .level = {{"scatter-ring"}, {"logical-ring"}}},
    radices = {.k = {4, 8, 16}},
    wide = {.k = {4, 3, 8, 16}},
    barriers = {.k = {1, 2, 4, 8}},
    together = {.k = {1, 4, 12}}, /* phases */
    paces = {.segment = {4096, 16384}}, /* two at a time fit into a shallow buffer of a switch */
    one_by_one = {.from = "M1"},
    switching = {.from = "M1", .thresholds = {CPM_FROM_NOTHING, 2048, 16384, 131072}},
    /* The leap in scatter begins at S (thesis 7.2). */
    below_s = {.segments = true, .below = {"S", 1}, .k = {2}},
    /* Of a gather's pieces that senders send all at once M1 does not hold (thesis 7.2). One by one,
     * one gather in 20 just below M1 escalates, and there are many: hence half of it. */
    wild_gather = {.until = "M1", .k = {2}},
    calm_gather = {.until = "M1", .below = {"M1", 0.5}, .k = {2}};
/* ---- variants ---- */

#define RING          false
#define PAIR          true
#define FLAG(x)       &(const bool){x}
#define PHASES(...)   &(const cpm_phases){__VA_ARGS__}
#define MESH_OF(...)  &(const cpm_mesh){__VA_ARGS__}
#define SEQUENCE(...) &(const cpm_sequence){__VA_ARGS__}
#define PHASES_OF(...) (const cpm_level_phase[]){__VA_ARGS__, {CPM_END_OF_LEVELS, NULL}}
#define TEAM(usual)   {CPM_OF_TEAMS, usual}
#define LEADER(usual) {CPM_OF_LEADERS, usual}
#define LANE(usual)   {CPM_OF_LANES, usual}

/* ---- the table ---- */

#define ROW(o, nm, from, spares, needs, worth, made, differs, ...)                                 \
    {.operation = o, .name = nm, .source = from, .group = CPM_SPARES_##spares,                     \
     .properties = needs, .tries = worth, .create = made, .variant = differs, __VA_ARGS__},
#define TREE(o, nm, from, spares, needs, worth, made, shape, ...)                                  \
    ROW(o, nm, from, spares, needs, worth, made, &shape, __VA_ARGS__)
/* clang-format on */

const cpm_algorithm cpm_algorithms[] = {
#include "collectives/algorithms/rows.def"
    {0},
};
