/* A schedule as a list of its messages: what a schedule file holds, and what a search makes. A row
 * of the table of algorithms can be made of it, so that it is proved, predicted, drawn and executed
 * as all others are. */
#ifndef CPM_COLLECTIVES_SCHEDULE_MESSAGES_H
#define CPM_COLLECTIVES_SCHEDULE_MESSAGES_H

#include "collectives/algorithm.h"

/* The two ends of a message. */
enum { CPM_AT_SENDER, CPM_AT_RECEIVER };

typedef struct {
    int from, to;
    int round[2];     /* of either end, as schedule.h has rounds: numbers that grow, with gaps */
    bool deferred[2]; /* that round; the same for all messages of a rank's round */
    bool combines;    /* what comes is combined with what is there */
    int runs;         /* of positions; 0: no data */
    int64_t first_run;
} cpm_message;

/* Messages of a rank's round are in the order of the list, whether they are sent or combined. A
 * position is piece * units + unit, units by the operation's numbers. */
typedef struct cpm_messages {
    const cpm_operation *operation; /* none of neighbours */
    int n, root;                    /* root 0 if the operation has none */
    int pieces;                     /* of each unit; 0: 1 */
    bool apart;                     /* as in a schedule */
    int *host;                      /* [n] number of each process's host; NULL: of no layout */
    cpm_message *at;
    int64_t count, capacity;
    cpm_run *run;
    int64_t run_count, run_capacity;
} cpm_messages;

void cpm_messages_clear(cpm_messages *m);

/* Adds a message without data, which cpm_messages_and fills, in that round of both ends.
 * CPM_ENOMEM.
 */
int cpm_messages_add(cpm_messages *m, int from, int to, int round, bool combines, cpm_error *e);

/* Adds count positions from first on to the last message. CPM_ENOMEM. */
int cpm_messages_and(cpm_messages *m, int64_t first, int64_t count, cpm_error *e);

/* Those of a schedule, as far as possible in rounds that have one number at both ends. *out must be
 * empty. CPM_EINVAL: of neighbours, of experiments, or no list has the order of all ranks;
 * CPM_EWRONG: ends do not match; CPM_ENOMEM. */
int cpm_messages_of(const cpm_schedule *s, cpm_messages *out, cpm_error *e);

/* The layout that the list is made for, which is copied. CPM_ENOMEM. */
int cpm_messages_set_hosts(cpm_messages *m, const cpm_hosts *hosts, cpm_error *e);

/* Who sends to whom becomes who receives, and the last the first: what gave now collects. op: the
 * operation that does so ("reduce" of "bcast"). *out must be empty. CPM_ENOMEM. */
int cpm_messages_reverse(const cpm_messages *m, const cpm_operation *op, cpm_messages *out,
                         cpm_error *e);

/* The same messages as people read them, and as they lie in memory: each names its units in order,
 * all pieces of one together; in as many pieces only as messages take apart; in the order of
 * rounds, as cpm_messages_of has them. *out must be empty. CPM_ENOMEM. */
int cpm_messages_tidy(const cpm_messages *m, cpm_messages *out, cpm_error *e);

/* A row that does this, called name; name and m are borrowed. Whether its contributions keep the
 * order of ranks is for the caller to find (CPM_REORDERS is set). */
cpm_algorithm cpm_messages_row(const cpm_messages *m, const char *name);

/* CPM_EINVAL, with the reason: the call is of other processes, another root or other hosts. */
int cpm_messages_apply(const cpm_messages *m, const cpm_call *call, cpm_error *e);

#endif
