/* A schedule: for each rank, which blocks it sends to and receives from whom, in which round.
 *
 * It holds no sizes, no buffers and no MPI; running, predicting, checking and drawing read it.
 * A round is a set of messages that are under way together: its receives are posted, its sends are
 * started in the order written, and the round ends when all of them have completed; contributions
 * received in it are combined then, in the order written. A rank that must wait for one message
 * before it starts the next puts them in two rounds. Messages between two ranks match in the order
 * in which they were written.
 *
 * A deferred round ends as soon as its messages are started; they are waited for after the last
 * round, all together, and what they bring is there then. No later message may touch their
 * positions, but to send what they send, too, nor follow one of them from its sender to its
 * receiver, and contributions are not deferred.
 *
 * Blocks are named by position. An operation has units (the block of each process, or the one
 * buffer of a broadcast), and each may be cut into pieces: position = piece * units + unit.
 *
 * Schedules are produced rank by rank, so a schedule of 65,536 ranks costs no more memory than the
 * longest list of steps of one rank. */
#ifndef CPM_COLLECTIVES_SCHEDULE_SCHEDULE_H
#define CPM_COLLECTIVES_SCHEDULE_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "collectives/combining.h"
#include "collectives/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

/* CPM_COMBINE receives contributions of a reduction and combines them with those that the rank has;
 * what comes from a lower rank goes before them.
 * The last six are for experiments: a rank's time runs from CPM_START (else its beginning) to
 * CPM_STOP (else its end); CPM_WAIT lets its processor idle for twice the time that has passed
 * since its beginning, so that what takes at most as long as what it did until then has happened;
 * at CPM_REWRITE what it sends is written anew, outside of anybody's time; at CPM_MERGE it combines
 * what lies at a position with as much that it has, and nobody sends; at CPM_RENEW it gives
 * the memory of a position back to the system, and asks for it anew when it is written. */
typedef enum {
    CPM_SEND,
    CPM_RECV,
    CPM_COMBINE,
    CPM_START,
    CPM_STOP,
    CPM_WAIT,
    CPM_REWRITE,
    CPM_MERGE,
    CPM_RENEW
} cpm_step_kind;

/* Positions [first, first + count). */
typedef struct {
    int64_t first, count;
} cpm_run;

/* One message of one rank: runs of positions, one after the other; none is a message without data,
 * which only synchronises. */
typedef struct {
    cpm_step_kind kind : 8;
    bool deferred : 1; /* its round is */
    int peer;
    int round;
    int runs;       /* number of them */
    int64_t more;   /* the second run and those after it begin at more_runs[more] */
    cpm_run run;    /* the first */
    uint64_t names; /* a hash of all runs, made by cpm_schedule_rank: both ends have the same */
} cpm_step;

/* The steps of one rank, in order; reused from rank to rank. */
typedef struct {
    cpm_step *at;
    int64_t capacity;
    int count;
    cpm_run *more_runs;
    int64_t more_count, more_capacity;
    int round;  /* of the next step */
    int failed; /* out of memory while building; cpm_schedule_rank reports it */
} cpm_steps;

void cpm_steps_free(cpm_steps *s);

/* Makes room for one more; false, and noted: out of memory. */
bool cpm_steps_grow(cpm_steps *s);

static inline void cpm_steps_add(cpm_steps *s, cpm_step_kind kind, int peer, int64_t first,
                                 int64_t count)
{
    if (s->count == s->capacity && !cpm_steps_grow(s))
        return;
    cpm_step *step = &s->at[s->count++];
    step->kind = kind;
    step->deferred = false;
    step->peer = peer;
    step->round = s->round;
    step->runs = count > 0;
    step->more = 0;
    step->run.first = count > 0 ? first : 0;
    step->run.count = count > 0 ? count : 0;
}

/* What a build function says: a message of count positions from first on (0: without data). */
static inline void cpm_send(cpm_steps *s, int peer, int64_t first, int64_t count)
{
    cpm_steps_add(s, CPM_SEND, peer, first, count);
}

static inline void cpm_recv(cpm_steps *s, int peer, int64_t first, int64_t count)
{
    cpm_steps_add(s, CPM_RECV, peer, first, count);
}

static inline void cpm_combine(cpm_steps *s, int peer, int64_t first, int64_t count)
{
    cpm_steps_add(s, CPM_COMBINE, peer, first, count);
}

/* Adds count positions from first on to the last message. */
void cpm_and(cpm_steps *s, int64_t first, int64_t count);
/* The same of positions that are counted round n: one run, or two. */
void cpm_and_around(cpm_steps *s, int64_t first, int64_t count, int n);
void cpm_next_round(cpm_steps *s); /* does nothing if the current round is empty */
/* The same, and the current round is deferred. */
void cpm_defer_round(cpm_steps *s);
/* What is no message, as a round of its own. */
void cpm_mark(cpm_steps *s, cpm_step_kind kind);

/* Moves of ranks (symmetry.h). */
typedef enum {
    CPM_SHIFTS, /* rank r becomes r + g mod n */
    CPM_TWISTS, /* r xor g, where n and the period are powers of two */
} cpm_moves;

/* All moves by multiples g of the period, which divides n. Every rank is moved to exactly one of
 * those below the period, its like. */
typedef struct {
    cpm_moves by;
    int period;
} cpm_symmetry;

typedef struct cpm_schedule cpm_schedule;
struct cpm_schedule {
    const cpm_operation *operation; /* NULL: of experiments, whose units lie one after the other */
    int n;                          /* processes */
    int root;                       /* -1 if the operation has none */
    const cpm_neighbours *neighbours; /* borrowed; NULL unless the operation is of neighbours */
    int64_t blocks;                   /* positions: units times pieces */
    int pieces;                       /* into how many each unit is cut, as equal as can be; 0: 1 */
    bool apart; /* of a reduction: piece p of a unit is the whole contribution of process p; who
                   ends with all of them combines them in their order */
    cpm_combining combining; /* of a reduction: what is combined */
    bool by_library; /* as in cpm_collective: its routines copy a contribution before they add to it
                      */
    int calls;       /* that follow each other; 0: 1 */
    const int *order; /* order[u]: which unit of the operation unit position u is; NULL: u itself.
                         Steps count in positions, so that every subtree is one run. */
    cpm_symmetry symmetry; /* each rank does what its like does, but for which ranks and units it
                              speaks of; period 0: the family knows of none */
    void (*build)(const cpm_schedule *s, int rank, cpm_steps *out);
    void *state; /* of the build function; owned */
    void (*free_state)(void *state);
};

int64_t cpm_schedule_units(const cpm_schedule *s);
/* The unit of a position, by the operation's number, and its piece. */
int64_t cpm_unit_at(const cpm_schedule *s, int64_t position);
int cpm_piece_at(const cpm_schedule *s, int64_t position);

/* A position for people: "block 3", "piece 2 of block 3", "the contribution of rank 2 to block 3".
 */
enum { CPM_POSITION_NAME = 64 };
void cpm_position_name(const cpm_schedule *s, int64_t position, char text[CPM_POSITION_NAME]);

/* Replaces out by the steps of rank. CPM_EINVAL if rank is out of range, CPM_EWRONG if a peer is,
 * CPM_ENOMEM. */
int cpm_schedule_rank(const cpm_schedule *s, int rank, cpm_steps *out, cpm_error *e);

void cpm_schedule_free(cpm_schedule *s);

/* Seconds that a rank's processor takes to combine a contribution of so many bytes with its own:
 * walks ask for that of the schedule's class. */
typedef double cpm_combine_function(const void *model, int rank, cpm_combining what, size_t bytes);
/* Seconds that it takes to copy so many bytes that lie in so many pieces. */
typedef double cpm_copy_function(const void *model, int rank, int64_t pieces, size_t bytes);
/* Seconds that it takes more to write so many bytes of memory that it has just asked for. */
typedef double cpm_fresh_function(const void *model, int rank, double bytes);

/* Sizes of units, by the operation's number. */
typedef struct {
    size_t bytes;       /* of every unit if each is NULL */
    const size_t *each; /* [units] bytes, or NULL */
    size_t grain;       /* units are cut between elements of so many bytes; 0: 1 */
} cpm_block_sizes;

static inline bool cpm_step_is_message(const cpm_step *step)
{
    return step->kind <= CPM_COMBINE;
}

bool cpm_step_receives(const cpm_step *step);

/* Run k of a message. */
cpm_run cpm_step_run(const cpm_steps *steps, const cpm_step *step, int k);

/* Positions of all runs of a message. */
int64_t cpm_step_positions(const cpm_steps *steps, const cpm_step *step);

/* CPM_EWRONG unless the two ends of a message, at ranks from and to, name the same positions. */
int cpm_steps_match(const cpm_step *send, int from, const cpm_step *recv, int to, cpm_error *e);

/* Seconds that rank combines at the end of all, where contributions are apart: those of all others
 * to what it ends with, if steps receive them. combine NULL: none. */
double cpm_steps_combine_apart(const cpm_schedule *s, const cpm_steps *steps, int rank,
                               const cpm_block_sizes *sizes, cpm_combine_function *combine,
                               const void *model);

/* Where piece begins in a unit of that many bytes; piece == pieces: the end. */
size_t cpm_piece_offset(const cpm_schedule *s, size_t bytes, size_t grain, int piece);

/* Bytes of all runs of the message of one step of steps. */
size_t cpm_runs_bytes(const cpm_schedule *s, const cpm_steps *steps, const cpm_step *step,
                      const cpm_block_sizes *sizes);

/* The same; most messages are one run of whole units as long as each other. */
static inline size_t cpm_step_bytes(const cpm_schedule *s, const cpm_steps *steps,
                                    const cpm_step *step, const cpm_block_sizes *sizes)
{
    bool whole = !sizes->each && (s->pieces <= 1 || s->apart);
    if (whole && step->runs <= 1)
        return (size_t)step->run.count * sizes->bytes;
    return cpm_runs_bytes(s, steps, step, sizes);
}

#ifdef __cplusplus
}
#endif
#endif
