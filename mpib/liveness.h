/* The liveness probe of a watch, without its sockets and clocks: when who is probed, whose answers
 * count, and who is missing. Time is what it is told, in seconds. Local. */
#ifndef CPM_MPIB_LIVENESS_H
#define CPM_MPIB_LIVENESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is sent: a probe to a rank, and its answer. The key keeps other campaigns and strangers
 * apart; who can read the network reads it. */
typedef struct {
    uint64_t key;
    int32_t rank, answer;
} mpib_datagram;

typedef struct {
    int n, rank;
    int first, last; /* ranks that this one probes: [first, last) */
    uint64_t key;    /* of the campaign */
    double patience; /* for which nothing may move on */
    double interval; /* between two looks, and two probes */
    bool *known;     /* [n] has answered at some time */
    bool *answered;  /* [n] to the present probe */
    unsigned ticks;  /* as last seen */
    double since;    /* when they last changed */
    double next;     /* when to look again */
    int probes;      /* without all answers so far */
} mpib_liveness;

/* Rank 0 probes the others, the others probe rank 0, rank r after 1 + r times the patience. False:
 * no memory; mpib_liveness_clear is due also then. */
bool mpib_liveness_init(mpib_liveness *r, int n, int rank, double patience, double now);
void mpib_liveness_clear(mpib_liveness *r);

/* Takes size bytes that came from anywhere. True: they are a probe of this rank, and *answer is
 * what is to be sent back. */
bool mpib_liveness_take(mpib_liveness *r, const void *bytes, size_t size, mpib_datagram *answer);

typedef enum { MPIB_ALL_IS_WELL, MPIB_PROBE_THEM, MPIB_SOME_ARE_LOST } mpib_liveness_state;

/* What is to be done now; ticks: how often something has moved on so far. */
mpib_liveness_state mpib_liveness_look(mpib_liveness *r, double now, unsigned ticks);

/* Whether that rank is to be probed: it has not answered. */
bool mpib_liveness_lacks(const mpib_liveness *r, int rank);
/* Whether it once answered and now does not. */
bool mpib_liveness_misses(const mpib_liveness *r, int rank);

#endif
