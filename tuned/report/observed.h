/* What each process observes of its calls, by kind, and how it becomes one account of them all at
 * the end: for cpm run --profile and --compare.
 *
 * While the program runs nothing is sent: communicators of the same processes in the same order
 * have the same number at all of these, a hash, and calls are told apart by what all know of them.
 * What is kept is bounded: of too many communicators or kinds of calls it is only counted that they
 * were. */
#ifndef CPM_TUNED_REPORT_OBSERVED_H
#define CPM_TUNED_REPORT_OBSERVED_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "collectives/operation.h"

/* Communicators of the same processes in the same order. */
typedef struct tuned_group {
    uint64_t id;
    int n;
    int *process;        /* [n] of MPI_COMM_WORLD */
    int kinds;           /* of calls: of this process */
    bool left_out, mine; /* left_out: its calls are only counted; mine: this process is rank 0 */
} tuned_group;

/* Who ran a call: MPI's own routines; where these and chosen algorithms run in turns
 * (tuned/report/ab_comparison.h), whose turn it was. */
typedef enum { TUNED_BY_LIBRARY, TUNED_BY_AB_LIBRARY, TUNED_BY_AB_CHOSEN } tuned_by;

enum { TUNED_NAME = 80, TUNED_GAPS = 32 };

/* Calls of one kind. Sums over calls, and in the end over processes. */
typedef struct {
    uint64_t group;
    int64_t size; /* bytes of a block, those of all or the upper end of a class; -1: all sizes */
    int32_t operation, root, by;
    int32_t processes;        /* that observed it */
    int64_t calls;            /* of each; at the end the most of any */
    int64_t all;              /* calls of all processes */
    int64_t timed;            /* of these; the others are taken to be like them */
    int64_t gaps[TUNED_GAPS]; /* calls that began less than 2^k ns after the process's last one, and
                                 not less than half of that */
    int32_t warm; /* of those in turns the first is not counted: it may make connections */
    double bytes; /* of blocks */
    double seconds, squares;    /* of calls, and their squares */
    double between;             /* seconds from the end of the process's last call */
    double variance;            /* at the end: sum of those of the processes' means, s^2 */
    double least, most;         /* at the end: means of the process that is the shortest in such
                                   calls, and the longest; seconds, */
    int32_t least_at, most_at;  /* and which these are */
    char algorithm[TUNED_NAME]; /* that was chosen; empty: none */
} tuned_observed;

/* What MPI_Init begins at all processes: collective over MPI_COMM_WORLD. */
void tuned_observe_begin(void);
bool tuned_observes(void);
/* Says once in the program if it was not begun. Local. */
void tuned_observe_check(void);

/* The group of a communicator. NULL: no memory, or processes outside of MPI_COMM_WORLD. Local,
 * thread-safe. */
tuned_group *tuned_group_of(MPI_Comm comm);

/* A call of a group. size: see above; bytes: of a block; start: MPI_Wtime at its begin. Local,
 * thread-safe. */
typedef struct {
    const cpm_operation *operation;
    int root;
    int64_t size;
    double bytes, start, seconds;
    tuned_by by;
    const char *algorithm; /* that was chosen; empty: none */
} tuned_observation;
void tuned_observe(tuned_group *g, const tuned_observation *o);

/* So many calls that were not timed, and so they took about o->seconds each, which followed so long
 * after others; start: when all had ended. */
void tuned_observe_passed(tuned_group *g, const tuned_observation *o, long calls, double gap);

/* Calls of a function that CPM does not take. */
typedef struct {
    char function[TUNED_NAME];
    int64_t calls;
    double seconds; /* of all these calls */
} tuned_other;
/* So many seconds of one such call. Local, thread-safe. */
void tuned_observe_other(const char *function, double seconds);

/* All that was observed, at process 0. */
typedef struct {
    tuned_observed *at; /* by group, operation, root, size, by; owned */
    int count;
    tuned_group *groups; /* the largest first; owned */
    int group_count;
    tuned_other *others; /* by function; sums over processes; owned */
    int other_count;
    int64_t left_out;            /* calls: the most of any process */
    double seconds, collectives; /* since MPI_Init, and of that in calls: means over processes */
    char *hosts; /* of the processes, MPI_MAX_PROCESSOR_NAME bytes each; owned; set at rank 0 */
    int n;
    bool busy; /* others used the processors: what is compared says nothing */
} tuned_account;

/* Collective over MPI_COMM_WORLD, at the end; nothing is observed afterwards. CPM_ENOMEM at process
 * 0: some process had no memory for it. */
int tuned_account_make(tuned_account *out, cpm_error *e);
void tuned_account_clear(tuned_account *a);

#endif
