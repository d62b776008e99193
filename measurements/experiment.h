/* Experiments: what is measured. Each is a schedule, so it can be run, predicted and proved. */
#ifndef CPM_MEASUREMENTS_EXPERIMENT_H
#define CPM_MEASUREMENTS_EXPERIMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "collectives/collective.h"
#include "collectives/schedule/schedule.h"

/* A kind of point-to-point experiment, timed at process i from its first send to its last receive,
 * or as its steps say (CPM_START, CPM_STOP).
 * Blocks: 0 is a message out (M bytes), 1 a reply (N bytes), 2 what k sends to all (M bytes). */
typedef struct cpm_experiment_kind {
    const char *name;    /* "roundtrip" */
    const char *meaning; /* one line for people */
    int processes;       /* 1: i; 2: i and j; 3: i, j and k */
    /* Steps of the process with that role (0: i, 1: j, 2: k); peers are written as roles. */
    void (*build)(int count, int role, cpm_steps *out);
    bool contended; /* it means something only at once with the others of its round */
    bool answered;  /* its time ends with the one answer, of the last process that it names */
    bool third;     /* it has block 2 */
    cpm_combining combining; /* of what is combined in it, if anything is */
} cpm_experiment_kind;

/* clang-format off */
/* roundtrip   i sends M to j, j replies N.
 * one-to-two  i sends M to j, M to k, receives N from j, then N from k (thesis 4.4.2).
 * train       i sends count messages of M to j (which only takes them), then M to k; k replies N.
 *             count 1 is the experiment SECOND of doc/estimation.md.
 * send-time   i sends M to j, which waits for it: the duration of the send alone (o_s). j then
 *             replies N outside that time.
 * late-receive  the duration of a receive of N bytes from j that have arrived long before (o_r): i
 *             and j make a round trip (M out, N back) first, then i sends M again and waits for
 *             twice as long as all that has taken before it receives.
 * late-combine  the same where what is received last is combined with what i has (bytes, by
 *             exclusive or).
 * combine-bytes, combine-floats, combine-doubles  i combines N bytes with as many of its own, count
 *             times: of those classes (collectives/combining.h). It sends and receives nothing.
 * late-unpack  the same as late-receive where what is received last, and first, are N bytes and M that belong
 *             before them: they go to their places from where they were received. i sends no bytes.
 * fresh-trip  a round trip in which j gives the memory in which it has received M back to the
 *             system before it answers, and asks for it anew with the next M; count 2: the same
 *             without, to compare.
 * absent-sender  i asks with M and receives N bytes from j, which begins to send them and does
 *             nothing for MPI for twice as long as all that has taken before, among it the same
 *             round trip: whether the sender's processor is needed.
 * overwriting  k receives M bytes from j first; then i sends M to the same place at j, which answers
 *             without data: that is the time. N is 0.
 * sent-back   the same of two processes: i receives M bytes from j first, and sends them back.
 * two-to-one  i waits for both replies, sends M to j, M to k, and receives N from each in the order
 *             of their arrival.
 * saturation  i sends count messages of M to j, which replies N after the last (g of PLogP).
 * posted-trip  a round trip in which i waits for the reply from the beginning, so that its send
 *             does not block.
 * crowded-trip  a round trip while count - 1 other pairs make the same: of processes of the same
 *             host (or of the same two hosts). They are one round of a design.
 * crowded-burst  a saturation while other pairs make the same. They are one round of a design. N is
 *             of no weight, but says what they share: below 8 a switch's trunk up from it (even) or
 *             down to it (odd), with partners dealt in the way N / 2; below 16 whatever is between
 *             all hosts; from 16 on a link, (N - 16) / 2.
 * crowded-exchange  i and j send each other count messages, M one way and N the other, both at
 *             once, while other pairs, of hosts or of one host's processes, make the same. They are
 *             one round of a design.
 * crowded-triple  i, j and k send M to both others, N = M, all at once, while other hosts' processes
 *             make the same: i to j first, j to k, k to i. They are one round of a design.
 * Ends with a row whose name is NULL. */
/* clang-format on */
extern const cpm_experiment_kind cpm_experiment_kinds[];
enum { /* rows of that table */
       CPM_ROUNDTRIP,
       CPM_ONE_TO_TWO,
       CPM_TRAIN,
       CPM_SEND_TIME,
       CPM_LATE_RECEIVE,
       CPM_LATE_COMBINE,
       CPM_COMBINE_BYTES,
       CPM_COMBINE_FLOATS,
       CPM_COMBINE_DOUBLES,
       CPM_LATE_UNPACK,
       CPM_FRESH_TRIP,
       CPM_ABSENT_SENDER,
       CPM_OVERWRITING,
       CPM_SENT_BACK,
       CPM_TWO_TO_ONE,
       CPM_SATURATION,
       CPM_POSTED_TRIP,
       CPM_CROWDED_TRIP,
       CPM_CROWDED_BURST,
       CPM_CROWDED_EXCHANGE,
       CPM_CROWDED_TRIPLE
};

/* A collective is an experiment of all processes. Then kind is NULL, i is the root, j = k = -1, M
 * the (mean) block size and N 0; the root and number of processes of its placement are not looked
 * at. */
typedef struct {
    const cpm_experiment_kind *kind; /* NULL: a collective */
    cpm_collective collective;
    int i, j, k; /* -1: the kind has none */
    int count;   /* messages of a train, a saturation, a crowded burst or (each way) exchange; pairs
                    of crowded trips; times that is combined; 1 or 2 of fresh trips; else 1,
                    CPM_APART or CPM_ALONE */
    size_t send_bytes, reply_bytes; /* M, N */
} cpm_experiment;

/* What was measured beside others is measured again: beside what it does not meet, as far as
 * switches are known, or beside nothing at all. */
enum { CPM_APART = 2, CPM_ALONE = 3 };
enum { CPM_EXPERIMENT_MOST = 100000 };              /* messages of a train or saturation */
enum { CPM_EXPERIMENT_NAME = CPM_COLLECTIVE_NAME }; /* is long enough for any name */

/* Name as it stands in a .meas file: "train", "scatter:binomial", "bcast:chain:segment=8192",
 * "gather:native". */
void cpm_experiment_name(const cpm_experiment *x, char *name, size_t size);

/* Sets kind, or the collective, of x from such a name. CPM_EUNKNOWN with the known ones. */
int cpm_experiment_parse(const char *name, cpm_experiment *x, cpm_error *e);

/* CPM_EINVAL unless ranks fit the kind, differ and are below n, and count is in
 * 1..CPM_EXPERIMENT_MOST. */
int cpm_experiment_check(const cpm_experiment *x, int n, cpm_error *e);

bool cpm_experiment_equal(const cpm_experiment *a, const cpm_experiment *b);

/* The collective of an experiment among n processes, root and all. */
cpm_collective cpm_experiment_collective(const cpm_experiment *x, int n);
/* The experiment of a collective with blocks of so many bytes. */
cpm_experiment cpm_experiment_of(const cpm_collective *c, size_t bytes);
/* An experiment of two processes with one message each way. */
cpm_experiment cpm_experiment_pair(int kind, int i, int j, size_t send_bytes, size_t reply_bytes);
/* One of a process that combines so many bytes count times. */
cpm_experiment cpm_experiment_combine(int kind, int i, int count, size_t bytes);

/* The processes that take part; measured at the first. Returns how many (n for a collective, and
 * then who is not touched). */
int cpm_experiment_ranks(const cpm_experiment *x, int n, int who[3]);

enum { CPM_EXPERIMENT_BLOCKS = 3 };
/* Bytes of its blocks; 0 of those that its kind does not have. */
void cpm_experiment_blocks(const cpm_experiment *x, size_t bytes[CPM_EXPERIMENT_BLOCKS]);

/* The schedule of several disjoint experiments at once (point-to-point kinds; peers are ranks), or
 * of one collective with an algorithm. The experiments are borrowed. Block b of experiment q is
 * block CPM_EXPERIMENT_BLOCKS q + b. CPM_EINVAL: not disjoint, of different classes of combining,
 * or native. CPM_ENOMEM.
 */
int cpm_experiments_schedule(const cpm_experiment *x, int count, int n, cpm_schedule **out,
                             cpm_error *e);

/* A design: the experiments of a round are disjoint and are measured at once. */
typedef struct {
    cpm_experiment *at; /* all rounds, one after the other */
    int count;
    int *end; /* [rounds] index behind the last experiment of a round */
    int rounds;
} cpm_design;

/* Appends x to the round that is open. CPM_ENOMEM. */
int cpm_design_add(cpm_design *d, const cpm_experiment *x, cpm_error *e);
/* Closes the round; an empty one is left out. CPM_ENOMEM. */
int cpm_design_close_round(cpm_design *d, cpm_error *e);
void cpm_design_clear(cpm_design *d);

/* One round per experiment, but for those that are contended: what cannot disturb each other.
 * CPM_ENOMEM. */
int cpm_design_serial(cpm_design *d, cpm_error *e);

/* Appends round trips between all pairs (i < j) at M = N = bytes as a round-robin tournament:
 * n - 1 rounds of disjoint pairs for n even, n for n odd. CPM_ENOMEM. */
int cpm_design_tournament(cpm_design *d, int n, size_t bytes, cpm_error *e);

#endif
