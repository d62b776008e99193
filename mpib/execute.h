/* The executor: runs a schedule over MPI point-to-point. */
#ifndef CPM_MPIB_EXECUTE_H
#define CPM_MPIB_EXECUTE_H

#include <mpi.h>

#include "mpib/clock.h"
#include "mpib/schedule/schedule.h"

/* A plan of one rank: its steps with buffers and requests, made once and run many times without
 * allocating. */
typedef struct mpib_plan mpib_plan;

/* buffer holds all blocks, block b of the operation at displacement[b] bytes (NULL: blocks lie one
 * after the other by size). Steps whose blocks do not
 * lie one after the other in buffer are sent through packed space. CPM_ENOMEM, CPM_EINVAL
 * (message above 2 GiB). Local. */
int mpib_plan_create(const cpm_schedule *s, int rank, const cpm_block_sizes *sizes, void *buffer,
                     const size_t *displacement, mpib_plan **out, cpm_error *e);

/* CPM_EINVAL if a message of rank is above 2 GiB, CPM_ENOMEM: to know before the buffer is
 * allocated. Local. */
int mpib_plan_check(const cpm_schedule *s, int rank, const cpm_block_sizes *sizes, cpm_error *e);

/* Runs it once. A round with one message is a blocking send or receive; others post all receives,
 * start the sends in order and wait for all. */
void mpib_plan_run(mpib_plan *p, MPI_Comm comm, int tag);

/* The same, and returns the seconds of this rank's time: from CPM_START to CPM_STOP if it has these
 * steps (mpib_plan_run passes over them and CPM_WAIT). */
double mpib_plan_time(mpib_plan *p, const mpib_clock *clock, MPI_Comm comm, int tag);

void mpib_plan_free(mpib_plan *p);

#endif
