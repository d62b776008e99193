/* Where a rank keeps the blocks of a collective, and what it has to copy for that: the executor
 * lays out its buffers by this, and walks price it. */
#ifndef CPM_COLLECTIVES_SCHEDULE_PLACING_H
#define CPM_COLLECTIVES_SCHEDULE_PLACING_H

#include "collectives/schedule/schedule.h"

/* A unit lies in the receive buffer if the rank gets it, else in the send buffer if the rank gives
 * it, else it only passes through and lies in space, in the order of positions. */
typedef struct {
    const cpm_schedule *s;
    int rank;
    bool send, recv; /* the rank has this buffer; MPI_IN_PLACE leaves out one */
    bool pairs;      /* units are pairs of processes */
    bool through;    /* its own unit lies in space, too: it travels together with what passes */
    bool from_input; /* of a reduction that is not in place: cpm_take_from_input */
} cpm_placing;

/* Buffers as benchmarks have them (cpm_operation_stays_in_place), steps: of rank. */
int cpm_placing_usual(const cpm_schedule *s, const cpm_steps *steps, int rank, cpm_placing *out,
                      cpm_error *e);

/* Sets through, when all else is set. */
void cpm_placing_see(cpm_placing *p, const cpm_steps *steps);

/* The buffer in which the algorithm finds a unit; CPM_NEITHER_SIDE: space. */
cpm_side cpm_placing_side(const cpm_placing *p, int64_t unit);

/* How many blocks a side has. */
int cpm_placing_blocks(const cpm_placing *p, cpm_side side);
/* Which of them a unit is. */
int64_t cpm_placing_block(const cpm_placing *p, cpm_side side, int64_t unit);
/* And back. */
int64_t cpm_placing_unit(const cpm_placing *p, cpm_side side, int block);

/* Runs of bytes that a message is made of, 0 if it has none. Sent or received, more than one go
 * through packed space. Exact unless what passes through lies nearer together than its positions:
 * then there may be fewer. Linear in runs, in positions where these are those of a tree or pairs.
 */
int64_t cpm_step_pieces(const cpm_placing *p, const cpm_steps *steps, const cpm_step *step);

/* What is copied besides. */
typedef struct {
    int before, after; /* the messages: copies */
    size_t bytes_before, bytes_after;
} cpm_own_copies;

cpm_own_copies cpm_placing_copies(const cpm_placing *p, const cpm_steps *steps,
                                  const cpm_block_sizes *sizes);

/* What a processor does by itself besides messages, in seconds. */
typedef struct {
    double before, after; /* all of its messages */
} cpm_own_work;

/* Copies besides, of every call of the schedule, and what is combined at the end of all
 * (cpm_steps_combine_apart). Functions that are NULL take no time. */
cpm_own_work cpm_placing_work(const cpm_placing *p, const cpm_steps *steps,
                              const cpm_block_sizes *sizes, cpm_combine_function *combine,
                              cpm_copy_function *copy, const void *model);

#endif
