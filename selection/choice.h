/* What is asked of a selection, and what it answers. */
#ifndef CPM_SELECTION_CHOICE_H
#define CPM_SELECTION_CHOICE_H

#include "collectives/collective.h"

/* A value that the application gave a name, for rules. */
typedef struct {
    char *name;
    long value;
} cpm_named_value;

/* A call of a collective, as far as every process knows it. Borrowed. */
typedef struct {
    const cpm_operation *operation;
    int n, root;
    size_t bytes;           /* of a block; their mean, if they differ */
    const size_t *sizes;    /* [units] bytes of the blocks of v-operations; NULL: not known */
    const cpm_hosts *hosts; /* of the n processes; NULL: not known */
    const struct cpm_topology *topology; /* of the n processes; NULL: not known */
    const cpm_neighbours *neighbours;    /* the same; of operations of neighbours */
    bool ordered; /* contributions are combined in the order of ranks: MPI's operation does not
                     commute */
    cpm_combining combining; /* what is combined */
    bool ahead; /* calls follow each other and ranks run ahead of the root: what they take is the
                   work of the busiest rank */
    bool begun; /* a nonblocking call, between whose beginning and end the process may
                   compute */
    int persistent; /* number on its communicator of a call that is started again and again; 0: it
                       is none */
    const cpm_named_value *named; /* [named_count] the application's */
    int named_count;
} cpm_request;

/* The bytes of a request with those blocks: their mean, rounded up. */
size_t cpm_mean_bytes(const size_t *sizes, int n);

/* How it is to be run. */
typedef struct {
    cpm_collective what; /* of the request's operation; mapping and parent are owned */
    double *expected;    /* [n] seconds until each process has finished, owned; NULL: unknown */
    /* It holds for blocks of these bytes, both included, and for the request's root or any. */
    size_t least, most;
    bool any_root;
    bool by_sizes; /* it is for the very sizes that were given, and the request's root, only */
    /* What was forced by its name, and cannot be run for this request; borrowed from the selector.
     */
    const cpm_collective *refused;
} cpm_choice;

void cpm_choice_clear(cpm_choice *c);

/* Whether it holds for whatever sizes, and no process needs to know others' (CPM_OWN_SIZE). */
bool cpm_choice_needs_own_sizes(const cpm_choice *c);

/* CPM_OK if an algorithm can be run for this request as what says, but for the operation and the
 * placement's n and root, which are the request's: it serves the operation, applies to n, keeps the
 * order if it must. CPM_EINVAL with the reason. */
int cpm_request_allows(const cpm_request *r, const cpm_collective *what, cpm_error *e);

/* The same as a question. CPM_ENOMEM, when nothing is known. */
int cpm_request_asks(const cpm_request *r, const cpm_collective *what, bool *allowed, cpm_error *e);

/* The answer of who names what for all sizes, and roots if the root does not matter; native where
 * that cannot be run (*runs: it can). CPM_ENOMEM. */
int cpm_request_name(const cpm_request *r, const cpm_collective *what, cpm_choice *out, bool *runs,
                     cpm_error *e);

/* The same algorithm, parameters and tree for the request's operation, n and root. */
cpm_collective cpm_request_collective(const cpm_request *r, const cpm_collective *what);

#endif
