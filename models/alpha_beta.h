/* The alpha-beta estimates of the literature: with p equal processes an algorithm takes
 * A(p) alpha + B(p) M beta. Each row: operation, algorithm, identifier, source, A, B, the domain
 * and the parameters that it knows.
 *
 * In its domain an estimate equals the walk. A light barrier is a message without data, a barrier
 * log2 p of them; N are the barriers of the k that was asked for. */
#ifndef CPM_MODELS_ALPHA_BETA_H
#define CPM_MODELS_ALPHA_BETA_H

#include "models/formula.h"

#define CPM_AAPC   "Faraj, Yuan 2005, 4"
#define CPM_THAKUR "Thakur, Rabenseifner, Gropp 2005"

/* Bruck's data are p/2 log2 p blocks in the text of the source; its formula prints p^2/2 log2 p. */
/* clang-format off */
#define CPM_ALPHA_BETA(X)                                                                         \
    X("alltoall", "simple", aapc_simple, CPM_AAPC, p - 1, p - 1, CPM_FORMULA_UNCONTENDED, 0)      \
    X("alltoall", "spreading-simple", aapc_spreading, CPM_AAPC, p - 1, p - 1, 0, 0)               \
    X("alltoall", "recursive-doubling", aapc_doubling, CPM_AAPC, lg, (p - 1) * p,                 \
      CPM_FORMULA_POWER_OF_2, 0)                                                                  \
    X("alltoall", "bruck", aapc_bruck, CPM_AAPC, lg, p / 2 * lg, CPM_FORMULA_POWER_OF_2, 0)       \
    X("alltoall", "2d", aapc_2d, CPM_AAPC, 2 * (sqrt(p) - 1), (p - 1) * p, CPM_FORMULA_SQUARE, 0) \
    X("alltoall", "3d", aapc_3d, CPM_AAPC, 3 * (cbrt(p) - 1), (p - 1) * p, CPM_FORMULA_CUBE, 0)   \
    X("alltoall", "ring", aapc_ring, CPM_AAPC, p - 1, p - 1, 0, 0)                                \
    X("alltoall", "ring-light", aapc_ring_light, CPM_AAPC, p - 1 + p - 2, p - 1, 0, 0)            \
    X("alltoall", "ring-barrier", aapc_ring_barrier, CPM_AAPC, p - 1 + (p - 2) * lg, p - 1,       \
      CPM_FORMULA_POWER_OF_2, 0)                                                                  \
    X("alltoall", "ring-barriers", aapc_ring_barriers, CPM_AAPC, p - 1 + N * lg, p - 1,           \
      CPM_FORMULA_POWER_OF_2, CPM_TAKES_K)                                                        \
    X("alltoall", "pair", aapc_pair, CPM_AAPC, p - 1, p - 1, 0, 0)                                \
    X("alltoall", "pair-light", aapc_pair_light, CPM_AAPC, p - 1 + p - 2, p - 1, 0, 0)            \
    X("alltoall", "pair-barrier", aapc_pair_barrier, CPM_AAPC, p - 1 + (p - 2) * lg, p - 1,       \
      0, 0)                                                                                       \
    X("alltoall", "pair-barriers", aapc_pair_barriers, CPM_AAPC, p - 1 + N * lg, p - 1,           \
      0, CPM_TAKES_K)                                                                             \
    X("allgather", "recursive-doubling", allgather_doubling, CPM_THAKUR ", 4.1", lg, p - 1,       \
      CPM_FORMULA_POWER_OF_2, 0)                                                                  \
    X("allgather", "bruck", allgather_bruck, CPM_THAKUR ", 4.1", lg, p - 1,                       \
      CPM_FORMULA_POWER_OF_2, 0)                                                                  \
    X("allgather", "logical-ring", allgather_ring, CPM_THAKUR ", 4.1", p - 1, p - 1, 0, 0)        \
    X("bcast", "scatter-doubling", bcast_scatter_doubling, CPM_THAKUR ", 4.2", 2 * lg,            \
      2 * (p - 1) / p, CPM_FORMULA_POWER_OF_2 | CPM_FORMULA_EQUAL_PARTS, 0)                       \
    X("bcast", "scatter-ring", bcast_scatter_ring, CPM_THAKUR ", 4.2", lg + p - 1,                \
      2 * (p - 1) / p, CPM_FORMULA_POWER_OF_2 | CPM_FORMULA_EQUAL_PARTS, 0)                       \
    X("reduce_scatter", "halving", scatter_halving, CPM_THAKUR ", 4.3", lg, p - 1,                \
      CPM_FORMULA_POWER_OF_2, 0)                                                                  \
    X("reduce_scatter", "pairwise", scatter_pairwise, CPM_THAKUR ", 4.3", p - 1, p - 1, 0, 0)     \
    X("reduce", "rabenseifner", reduce_rabenseifner, CPM_THAKUR ", 4.4", 2 * lg, 2 * (p - 1) / p, \
      CPM_FORMULA_POWER_OF_2 | CPM_FORMULA_EQUAL_PARTS, 0)                                        \
    X("allreduce", "recursive-doubling", allreduce_doubling, CPM_THAKUR ", 4.5", lg, lg,          \
      CPM_FORMULA_POWER_OF_2, 0)                                                                  \
    X("allreduce", "rab1-doubling", allreduce_rabenseifner, CPM_THAKUR ", 4.5", 2 * lg,           \
      2 * (p - 1) / p, CPM_FORMULA_POWER_OF_2 | CPM_FORMULA_EQUAL_PARTS, 0)                       \
    X("barrier", "dissemination", barrier_dissemination, "Hensgen, Finkel, Manber 1988", lg, 0,   \
      CPM_FORMULA_POWER_OF_2, 0)                                                                  \
    X("barrier", "recursive-doubling", barrier_doubling, CPM_THAKUR, lg, 0,                       \
      CPM_FORMULA_POWER_OF_2, 0)
/* clang-format on */

#define X(operation, algorithm, name, source, messages, blocks, domain, takes) \
    double cpm_alpha_beta_##name(const cpm_model *m, const cpm_formula_call *c);
CPM_ALPHA_BETA(X)
#undef X

#endif
