/* A schedule: for each rank, which blocks it sends to and receives from whom, in which round.
 *
 * It holds no sizes, no buffers and no MPI; running, predicting, checking and drawing read it.
 * A round is a set of messages that are under way together: its receives are posted, its sends are
 * started in the order written, and the round ends when all of them have completed. A rank that
 * must wait for one message before it starts the next puts them in two rounds. Messages between
 * two ranks match in the order in which they were written.
 *
 * Schedules are produced rank by rank, so a schedule of 65,536 ranks costs no more memory than the
 * longest list of steps of one rank. */
#ifndef CPM_SCHEDULE_SCHEDULE_H
#define CPM_SCHEDULE_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpib/base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The last three are for experiments: a rank's time runs from CPM_START (else its beginning) to
 * CPM_STOP (else its end); CPM_WAIT lets its processor idle for twice the time that has passed
 * since its beginning, so that what takes at most as long as what it did until then has happened.
 */
typedef enum { CPM_SEND, CPM_RECV, CPM_START, CPM_STOP, CPM_WAIT } cpm_step_kind;

/* One message of one rank: blocks [first + t*stride, first + t*stride + count), t = 0..times-1. */
typedef struct {
    cpm_step_kind kind;
    int peer;
    int round;
    int times;
    int64_t first, count, stride;
} cpm_step;

/* The steps of one rank, in order; reused from rank to rank. */
typedef struct {
    cpm_step *at;
    int count, capacity;
    int round;  /* of the next step */
    int failed; /* out of memory while building; cpm_schedule_rank reports it */
} cpm_steps;

void cpm_steps_free(cpm_steps *s);

/* What a build function says. count blocks from first on; see cpm_step for the strided forms. */
void cpm_send(cpm_steps *s, int peer, int64_t first, int64_t count);
void cpm_recv(cpm_steps *s, int peer, int64_t first, int64_t count);
void cpm_next_round(cpm_steps *s); /* does nothing if the current round is empty */
/* CPM_START, CPM_STOP or CPM_WAIT, as a round of its own. */
void cpm_mark(cpm_steps *s, cpm_step_kind kind);

typedef struct cpm_schedule cpm_schedule;
struct cpm_schedule {
    int n;            /* processes */
    int root;         /* -1 if the operation has none */
    int64_t blocks;   /* number of different blocks */
    const int *order; /* order[p]: which block of the operation position p is; NULL: p itself.
                         Steps count in positions, so that every subtree is one run. */
    void (*build)(const cpm_schedule *s, int rank, cpm_steps *out);
    void *state; /* of the build function; owned */
    void (*free_state)(void *state);
};

/* Replaces out by the steps of rank. CPM_EINVAL if rank is out of range, CPM_EWRONG if a peer is,
 * CPM_ENOMEM. */
int cpm_schedule_rank(const cpm_schedule *s, int rank, cpm_steps *out, cpm_error *e);

void cpm_schedule_free(cpm_schedule *s);

/* Sizes of blocks, by the operation's block number (not by position). */
typedef struct {
    size_t bytes;       /* of every block if each is NULL */
    const size_t *each; /* [blocks] bytes, or NULL */
} cpm_block_sizes;

/* Whether a step is a message. */
bool cpm_step_is_message(const cpm_step *step);

/* CPM_EWRONG unless the two ends of a message, at ranks from and to, name the same blocks. */
int cpm_steps_match(const cpm_step *send, int from, const cpm_step *recv, int to, cpm_error *e);

/* Bytes of the message of one step. */
size_t cpm_step_bytes(const cpm_schedule *s, const cpm_step *step, const cpm_block_sizes *sizes);

#ifdef __cplusplus
}
#endif
#endif
