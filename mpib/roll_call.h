/* The roll call of a watch, without its sockets and clocks: when who is called, whose answers
 * count, and who is missing. Time is what it is told, in seconds. Local. */
#ifndef CPM_MPIB_ROLL_CALL_H
#define CPM_MPIB_ROLL_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is sent: a call to a rank, and its answer. The key keeps other campaigns and strangers
 * apart; who can read the network reads it. */
typedef struct {
    uint64_t key;
    int32_t rank, answer;
} mpib_datagram;

typedef struct {
    int n, rank;
    int first, last; /* ranks that this one calls: [first, last) */
    uint64_t key;    /* of the campaign */
    double patience; /* for which nothing may move on */
    double interval; /* between two looks, and two calls */
    bool *known;     /* [n] has answered at some time */
    bool *answered;  /* [n] to the present roll call */
    unsigned ticks;  /* as last seen */
    double since;    /* when they last changed */
    double next;     /* when to look again */
    int calls;       /* of the present roll call */
} mpib_roll_call;

/* Rank 0 calls the others, the others call rank 0, rank r after 1 + r times the patience. False: no
 * memory; mpib_roll_call_clear is due also then. */
bool mpib_roll_call_init(mpib_roll_call *r, int n, int rank, double patience, double now);
void mpib_roll_call_clear(mpib_roll_call *r);

/* Takes size bytes that came from anywhere. True: they are a call to this rank, and *answer is what
 * is to be sent back. */
bool mpib_roll_call_take(mpib_roll_call *r, const void *bytes, size_t size, mpib_datagram *answer);

typedef enum { MPIB_ALL_IS_WELL, MPIB_CALL_THEM, MPIB_SOME_ARE_LOST } mpib_roll_call_state;

/* What is to be done now; ticks: how often something has moved on so far. */
mpib_roll_call_state mpib_roll_call_look(mpib_roll_call *r, double now, unsigned ticks);

/* Whether that rank is to be called: it has not answered. */
bool mpib_roll_call_lacks(const mpib_roll_call *r, int rank);
/* Whether it once answered and now does not. */
bool mpib_roll_call_misses(const mpib_roll_call *r, int rank);

#endif
