/* The executor: runs a schedule over MPI point-to-point. */
#ifndef CPM_EXECUTOR_EXECUTE_H
#define CPM_EXECUTOR_EXECUTE_H

#include <mpi.h>

#include "collectives/schedule/schedule.h"

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
    bool from_input;       /* cpm_take_from_input: the input, which is the send buffer, was not
                              copied to where the result accumulates */
    bool leaves_own_out;   /* as the operation: the receive buffer gets what came */
    ptrdiff_t accumulated; /* where the result accumulates: an offset from its base */
    bool any_sizes;        /* sizes are those expected, and where blocks lie is found in each run
                              (executor/any_sizes.h): place is not asked */
} mpib_layout;

/* The plan of rank. Steps whose positions do not lie one after the other are sent through packed
 * space; messages above 2 GiB go as one derived datatype. CPM_ENOMEM, CPM_EMPI. Local. */
int mpib_plan_create(const mpib_layout *layout, int rank, mpib_plan **out, cpm_error *e);

/* Of several error codes the first counts. */
static inline int mpib_first_failure(int before, int now)
{
    return before ? before : now;
}

/* Runs it once. A round with one message is a blocking send or receive; others post all receives,
 * start the sends in order and wait for all. Returns MPI's
 * error code, where the communicator's errors return: the first, after all rounds, so that nobody
 * waits for a message and none is left for a later call. */
int mpib_plan_run(mpib_plan *p, char *const bases[MPIB_BASES], MPI_Comm comm, int tag);

/* The same by steps: begins, and each advance goes on as far as messages have come. A plan has one
 * run at a time. True: the run has ended, and *failed is what mpib_plan_run returns. Or the rest is
 * waited for by finish, which returns that; finishes: it is likely that finish comes first. */
void mpib_plan_begin(mpib_plan *p, char *const bases[MPIB_BASES], bool finishes, MPI_Comm comm,
                     int tag);
bool mpib_plan_advance(mpib_plan *p, int *failed);
int mpib_plan_finish(mpib_plan *p);

/* Writes value over all that it sends from the bases. */
void mpib_plan_write_sent(const mpib_plan *p, char *const bases[MPIB_BASES], char value);

/* Who is told of a run: of steps that are no messages, which mpib_plan_run passes over, and before
 * a send that answers the receive of the round before. */
typedef struct {
    void (*mark)(void *context, cpm_step_kind kind);
    void (*before_answer)(void *context);
    void *context;
} mpib_observer;

/* mpib_plan_run, observed. */
int mpib_plan_observe(mpib_plan *p, char *const bases[MPIB_BASES], const mpib_observer *observer,
                      MPI_Comm comm, int tag);

/* CPM_OK for MPI_SUCCESS, else CPM_EMPI with MPI's own words for the code that what returned. */
int mpib_status_of(int code, const char *what, cpm_error *e);

void mpib_plan_free(mpib_plan *p);

#endif
