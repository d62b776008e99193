/* The algorithms of Open MPI 4.1 (numbers: ompi_info --param coll tuned --level 9), of MPICH 4
 * (src/mpi/coll/coll_algorithms.txt) and of UCC (ucc_info -A, tl/ucp). Where a library has but one
 * algorithm there is nothing to choose, and no row.
 *
 * What Open MPI sends, in which order and whether it waits, was compared with its own messages
 * (tests/libraries/library_defaults.c). Its allreduce by a reduce and a bcast chooses these by its
 * own rules, its allgather by a gather and a bcast, too.
 *
 * Open MPI runs what a rule says also for operations that do not commute, with wrong results where
 * the algorithm reorders (4.1.4: reduce 2 to 5, allreduce 4 and 5, reduce_scatter 2 and 3). What is
 * left of reduce then is no choice worth making, so all its rows ask that they do. */
#include "selection/libraries.h"

#include <string.h>

#include "base/names.h"
#include "collectives/parameters.h"

#define MPICH   CPM_LIBRARY_MPICH
#define OPENMPI CPM_LIBRARY_OPENMPI
#define UCC     CPM_LIBRARY_UCC

enum {
    SEG = CPM_THEIRS_TAKES_SEGMENT,
    K = CPM_THEIRS_TAKES_K,
    POWER = CPM_THEIRS_NEEDS_POWER_OF_2,
    ODD = CPM_THEIRS_NEEDS_NO_POWER_OF_2,
    MIXES = CPM_THEIRS_NEEDS_COMMUTING,
    BUILT_IN = CPM_THEIRS_NEEDS_BUILT_IN,
    TWO = CPM_THEIRS_NEEDS_TWO_SEGMENTS,
    EVEN = CPM_THEIRS_NEEDS_EVEN,
};

/* clang-format off */
const cpm_their_algorithm cpm_their_algorithms[] = {
    {OPENMPI, "bcast",                "star",               1, NULL, 0},
    {OPENMPI, "bcast",                "chains-at-once",     2, NULL, SEG | K},
    {OPENMPI, "bcast",                "chain",              3, NULL, SEG},
    {OPENMPI, "bcast",                "split-binary",       4, NULL, SEG | TWO},
    {OPENMPI, "bcast",                "binary-at-once",     5, NULL, SEG},
    {OPENMPI, "bcast",                "binomial-at-once",   6, NULL, SEG},
    {OPENMPI, "bcast",                "knomial-at-once",    7, NULL, SEG},
    {OPENMPI, "bcast",                "scatter-doubling",   8, NULL, POWER},
    {OPENMPI, "bcast",                "scatter-ring",       9, NULL, 0},
    {OPENMPI, "scatter",              "linear",             1, NULL, 0},
    {OPENMPI, "scatter",              "binomial",           2, NULL, 0},
    {OPENMPI, "scatter",              "star",               3, NULL, 0},
    {OPENMPI, "gather",               "linear",             1, NULL, 0},
    {OPENMPI, "gather",               "binomial",           2, NULL, 0},
    {OPENMPI, "gather",               "linear-sync-in-two", 3, NULL, 0},
    {OPENMPI, "allgather",            "bruck",              2, NULL, 0},
    {OPENMPI, "allgather",            "recursive-doubling", 3, NULL, POWER},
    {OPENMPI, "allgather",            "logical-ring",       4, NULL, 0},
    {OPENMPI, "allgather",            "neighbor",           5, NULL, EVEN},
    {OPENMPI, "allgatherv",           "bruck",              2, NULL, 0},
    {OPENMPI, "allgatherv",           "logical-ring",       3, NULL, 0},
    {OPENMPI, "allgatherv",           "neighbor",           4, NULL, EVEN},
    {OPENMPI, "alltoall",             "spreading-simple",   1, NULL, 0},
    {OPENMPI, "alltoall",             "ring",               2, NULL, 0},
    {OPENMPI, "alltoall",             "bruck",              3, NULL, 0},
    {OPENMPI, "reduce",               "linear-backwards",   1, NULL, MIXES},
    {OPENMPI, "reduce",               "chains",             2, NULL, SEG | K | MIXES},
    {OPENMPI, "reduce",               "chain",              3, NULL, SEG | MIXES},
    {OPENMPI, "reduce",               "binary",             4, NULL, SEG | MIXES},
    {OPENMPI, "reduce",               "binomial",           5, NULL, SEG | MIXES},
    {OPENMPI, "reduce",               "rabenseifner-near",  7, NULL, MIXES},
    {OPENMPI, "allreduce",            "recursive-doubling", 3, NULL, 0},
    {OPENMPI, "allreduce",            "logical-ring",       4, NULL, MIXES},
    {OPENMPI, "allreduce",            "rabenseifner-near",  6, NULL, 0},
    {OPENMPI, "reduce_scatter",       "halving",            2, NULL, MIXES},
    {OPENMPI, "reduce_scatter",       "ring",               3, NULL, MIXES},
    {OPENMPI, "barrier",              "linear",             1, NULL, 0},
    {OPENMPI, "barrier",              "recursive-doubling", 3, NULL, 0},
    {OPENMPI, "barrier",              "dissemination",      4, NULL, 0},
    {OPENMPI, "barrier",              "tree",               6, NULL, 0},

    {MPICH, "bcast",                "binomial",           0, "MPIR_Bcast_intra_binomial", 0},
    {MPICH, "bcast",                "scatter-doubling",   0, "MPIR_Bcast_intra_scatter_recursive_doubling_allgather", POWER},
    {MPICH, "bcast",                "scatter-ring",       0, "MPIR_Bcast_intra_scatter_ring_allgather", 0},
    {MPICH, "allgather",            "bruck",              0, "MPIR_Allgather_intra_brucks", 0},
    {MPICH, "allgather",            "recursive-doubling", 0, "MPIR_Allgather_intra_recursive_doubling", POWER},
    {MPICH, "allgather",            "logical-ring",       0, "MPIR_Allgather_intra_ring", 0},
    {MPICH, "allgatherv",           "bruck",              0, "MPIR_Allgatherv_intra_brucks", 0},
    {MPICH, "allgatherv",           "recursive-doubling", 0, "MPIR_Allgatherv_intra_recursive_doubling", POWER},
    {MPICH, "allgatherv",           "logical-ring",       0, "MPIR_Allgatherv_intra_ring", 0},
    {MPICH, "alltoall",             "bruck",              0, "MPIR_Alltoall_intra_brucks", 0},
    {MPICH, "alltoall",             "spreading-simple",   0, "MPIR_Alltoall_intra_scattered", 0},
    {MPICH, "alltoall",             "pair",               0, "MPIR_Alltoall_intra_pairwise", 0},
    {MPICH, "alltoall",             "ring",               0, "MPIR_Alltoall_intra_pairwise", ODD},
    {MPICH, "reduce",               "binomial",           0, "MPIR_Reduce_intra_binomial", 0},
    {MPICH, "reduce",               "rabenseifner-near",  0, "MPIR_Reduce_intra_reduce_scatter_gather", POWER | BUILT_IN},
    {MPICH, "reduce",               "rabenseifner",       0, "MPIR_Reduce_intra_reduce_scatter_gather", ODD | BUILT_IN},
    {MPICH, "allreduce",            "recursive-doubling", 0, "MPIR_Allreduce_intra_recursive_doubling", 0},
    {MPICH, "allreduce",            "rabenseifner-folded", 0, "MPIR_Allreduce_intra_reduce_scatter_allgather", BUILT_IN},
    {MPICH, "reduce_scatter",       "halving",            0, "MPIR_Reduce_scatter_intra_recursive_halving", MIXES},
    {MPICH, "reduce_scatter",       "pairwise",           0, "MPIR_Reduce_scatter_intra_pairwise", MIXES},
    {MPICH, "reduce_scatter_block", "halving",            0, "MPIR_Reduce_scatter_block_intra_recursive_halving", MIXES},
    {MPICH, "reduce_scatter_block", "pairwise",           0, "MPIR_Reduce_scatter_block_intra_pairwise", MIXES},

    {UCC, "bcast",          "knomial-at-once",     0, "knomial",     K},
    {UCC, "reduce",         "knomial",             0, "knomial",     K},
    {UCC, "reduce",         "binomial",            0, "knomial",     0},
    {UCC, "reduce",         "rabenseifner-near",   0, "srg",         POWER},
    {UCC, "allreduce",      "recursive-doubling",  0, "knomial",     POWER},
    {UCC, "allreduce",      "rabenseifner-near",   0, "sra_knomial", POWER},
    {UCC, "allreduce",      "rabenseifner-folded", 0, "sra_knomial", POWER},
    {UCC, "allreduce",      "logical-ring",        0, "ring",        0},
    {UCC, "allgather",      "logical-ring",        0, "ring",        0},
    {UCC, "allgather",      "neighbor",            0, "neighbor",    EVEN},
    {UCC, "allgather",      "bruck",               0, "bruck",       0},
    {UCC, "allgather",      "recursive-doubling",  0, "knomial",     POWER},
    {UCC, "allgather",      "simple",              0, "linear",      0},
    {UCC, "alltoall",       "spreading-simple",    0, "pairwise",    0},
    {UCC, "alltoall",       "ring",                0, "pairwise",    0},
    {UCC, "alltoall",       "bruck",               0, "bruck",       0},
    {UCC, "reduce_scatter", "ring",                0, "ring",        0},
    {UCC, "reduce_scatter", "halving",             0, "knomial",     POWER},
    {0},
};
/* clang-format on */

const cpm_openmpi_collective cpm_openmpi_collectives[] = {
    {"allgather", 0, CPM_OPENMPI_TOTAL},
    {"allgatherv", 1, CPM_OPENMPI_BLOCK},
    {"allreduce", 2, CPM_OPENMPI_BLOCK},
    {"alltoall", 3, CPM_OPENMPI_TOTAL},
    {"barrier", 6, CPM_OPENMPI_NONE},
    {"bcast", 7, CPM_OPENMPI_BLOCK},
    {"gather", 9, CPM_OPENMPI_NONE},
    {"reduce", 11, CPM_OPENMPI_BLOCK},
    {"reduce_scatter", 12, CPM_OPENMPI_TOTAL},
    {"scatter", 15, CPM_OPENMPI_NONE},
    {0},
};

static const struct {
    const char *name;
    cpm_library library;
} named[] = {{"openmpi", CPM_LIBRARY_OPENMPI},
             {"openmpi5", CPM_LIBRARY_OPENMPI5},
             {"mpich", CPM_LIBRARY_MPICH},
             {NULL, CPM_LIBRARY_OTHER}};

const char *cpm_library_named(int k)
{
    return named[k].name;
}

const char *cpm_library_name(cpm_library library)
{
    int k = 0;
    while (named[k].name && named[k].library != library)
        k++;
    return named[k].name ? named[k].name : "other";
}

int cpm_library_find(const char *name, cpm_library *out, cpm_error *e)
{
    int k;
    int status = cpm_names_find(cpm_library_named, "MPI library", name, &k, e);
    if (!status)
        *out = named[k].library;
    return status;
}

/* Whether the library's algorithm has no other parameters than those that it takes: trees of Open
 * MPI are cut to so many children. */
static bool takes(const cpm_their_algorithm *t, const cpm_parameters *with)
{
    cpm_parameters other = *with;
    if (t->properties & CPM_THEIRS_TAKES_SEGMENT)
        other.segment = 0;
    if (t->properties & CPM_THEIRS_TAKES_K && with->k <= CPM_OPENMPI_MOST_CHILDREN)
        other.k = 0;
    return cpm_parameters_equal(&other, &(cpm_parameters){0});
}

/* Of a block in two halves each is at least one segment long. */
static bool is_cut(const cpm_their_algorithm *t, const cpm_parameters *with, size_t bytes)
{
    return !(t->properties & CPM_THEIRS_NEEDS_TWO_SEGMENTS) || bytes / 2 >= with->segment;
}

/* Whether it can be asked for in all calls, or in those that the library can be told of. */
static bool is_safe(const cpm_their_algorithm *t, const cpm_target *target, int n)
{
    bool power = (n & (n - 1)) == 0;
    if (t->properties & (power ? CPM_THEIRS_NEEDS_NO_POWER_OF_2 : CPM_THEIRS_NEEDS_POWER_OF_2))
        return false;
    if (t->properties & CPM_THEIRS_NEEDS_EVEN && n % 2)
        return false;
    return !(t->properties & CPM_THEIRS_NEEDS_COMMUTING) || t->library == CPM_LIBRARY_MPICH ||
           target->commuting;
}

/* All releases of Open MPI number their algorithms alike. */
static bool is_of(const cpm_their_algorithm *t, const cpm_target *target)
{
    return t->library == target->library ||
           (t->library == CPM_LIBRARY_OPENMPI && target->library == CPM_LIBRARY_OPENMPI5);
}

const cpm_their_algorithm *cpm_their_algorithm_of(const cpm_target *target, const char *collective,
                                                  int n, const cpm_collective *ours, size_t bytes)
{
    for (const cpm_their_algorithm *t = cpm_their_algorithms; ours->algorithm && t->collective; t++)
        if (is_of(t, target) && strcmp(t->collective, collective) == 0 &&
            strcmp(t->algorithm, ours->algorithm->name) == 0 && takes(t, &ours->with) &&
            is_cut(t, &ours->with, bytes) && is_safe(t, target, n))
            return t;
    return NULL;
}
