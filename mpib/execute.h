/* The executor: runs a schedule over MPI point-to-point. */
#ifndef CPM_MPIB_EXECUTE_H
#define CPM_MPIB_EXECUTE_H

#include <mpi.h>

#include "collectives/schedule/schedule.h"
#include "mpib/clock.h"

/* A plan of one rank: its steps with addresses and requests, made once and run many times without
 * allocating. Addresses are relative to bases that each run gives anew. */
typedef struct mpib_plan mpib_plan;

enum { MPIB_SEND_BUFFER, MPIB_RECV_BUFFER, MPIB_SPACE, MPIB_BASES };

/* Bytes of one base. */
typedef struct {
    int base;
    ptrdiff_t offset;
} mpib_place;

/* Where a rank keeps what its schedule counts in positions. */
typedef struct {
    const cpm_schedule *schedule;
    const cpm_block_sizes *sizes; /* of what is sent: elements one after the other */
    /* Where a unit lies (with contributions apart: that of process piece to it). Pieces lie in it
     * where their elements do. */
    mpib_place (*place)(const void *context, int64_t unit, int piece);
    const void *context;
    /* Of a reduction. A type with holes is packed when sent and unpacked when received; then
     * sizes->grain is its size. */
    MPI_Op op; /* MPI_OP_NULL: nothing is combined */
    MPI_Datatype type;
    bool holes;
    size_t extent; /* bytes from one element to the next */
    bool commutes;
    bool any_sizes; /* sizes are those expected, and where blocks lie is found in each run
                       (mpib/any_sizes.h): place is not asked */
} mpib_layout;

/* The plan of rank. Steps whose positions do not lie one after the other are sent through packed
 * space; messages above 2 GiB go as one derived datatype. CPM_ENOMEM, CPM_EMPI. Local. */
int mpib_plan_create(const mpib_layout *layout, int rank, mpib_plan **out, cpm_error *e);

/* Of several error codes the first counts. */
static inline int mpib_first_failure(int before, int now)
{
    return before ? before : now;
}

/* Runs it once. A round with one message is a blocking send or receive, one of a send and a receive
 * MPI_Sendrecv; others post all receives, start the sends in order and wait for all. Returns MPI's
 * error code, where the communicator's errors return: the first, after all rounds, so that nobody
 * waits for a message and none is left for a later call. */
int mpib_plan_run(mpib_plan *p, char *const bases[MPIB_BASES], MPI_Comm comm, int tag);

/* What a rank's time is taken by. */
typedef struct {
    const mpib_clock *clock;
    double pause;  /* seconds that it computes before it sends what follows a receive; 0: none */
    double paused; /* set to the seconds that it did */
} mpib_stopwatch;

/* The same, and sets the seconds of this rank's time unless it fails: from CPM_START to CPM_STOP if
 * it has these steps (mpib_plan_run passes over them and CPM_WAIT), pauses included. */
int mpib_plan_time(mpib_plan *p, char *const bases[MPIB_BASES], mpib_stopwatch *watch,
                   MPI_Comm comm, int tag, double *seconds);

/* CPM_OK for MPI_SUCCESS, else CPM_EMPI with MPI's own words for the code that what returned. */
int mpib_status_of(int code, const char *what, cpm_error *e);

void mpib_plan_free(mpib_plan *p);

#endif
