/* The operations that test programs call, in the order of the functions of program.h. */
#ifndef CPM_TESTS_PRELOAD_OPERATIONS_H
#define CPM_TESTS_PRELOAD_OPERATIONS_H

typedef enum {
    BARRIER,
    BCAST,
    SCATTER,
    SCATTERV,
    GATHER,
    GATHERV,
    ALLGATHER,
    ALLGATHERV,
    ALLTOALL,
    ALLTOALLV,
    REDUCE,
    ALLREDUCE,
    REDUCE_SCATTER,
    REDUCE_SCATTER_BLOCK,
    SCAN,
    EXSCAN,
    OPERATIONS
} operation;

static const char *const names[OPERATIONS] = {"barrier",        "bcast",
                                              "scatter",        "scatterv",
                                              "gather",         "gatherv",
                                              "allgather",      "allgatherv",
                                              "alltoall",       "alltoallv",
                                              "reduce",         "allreduce",
                                              "reduce_scatter", "reduce_scatter_block",
                                              "scan",           "exscan"};

#endif
