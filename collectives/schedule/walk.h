/* The walk: predicts a schedule from what one message costs. It knows no algorithm and no model. */
#ifndef CPM_COLLECTIVES_SCHEDULE_WALK_H
#define CPM_COLLECTIVES_SCHEDULE_WALK_H

#include "collectives/schedule/schedule.h"
#include "collectives/schedule/trace.h"

/* What a message of some bytes from one rank to another costs, in seconds. */
typedef struct {
    double send; /* sender's processor is busy */
    double gap;  /* least interval between starts on the same link end, out or in */
    double wire; /* from the end of send to the arrival of the last byte */
    double recv; /* receiver's processor is busy, from arrival (or later) on */
    double hold; /* from the end of send the sender's round goes on for so long at least; usually 0
                  */
} cpm_cost;

typedef void cpm_cost_function(const void *model, int from, int to, size_t bytes, cpm_cost *cost);

/* How to walk; NULL and {0}: to the end, where combining takes no time. Everything is borrowed. */
typedef struct {
    cpm_combine_function *combine; /* NULL: it takes no time */
    cpm_copy_function *copy;       /* likewise: what is packed, unpacked, or copied besides */
    cpm_fresh_function *fresh;     /* likewise: memory that is asked for anew */
    /* Seconds: the call is a nonblocking one, and each rank's program computes for so long where
     * the rank would wait for the first time, else at its end. */
    double computing;
    double until;        /* a walk in which a rank comes to it ends there, and gives it; 0: never */
    const double *leave; /* [n] seconds: when each rank begins; NULL: all at 0 */
    const cpm_trace *trace; /* watches; NULL: nobody does */
} cpm_plain_walking;

/* Seconds until the last rank has finished s, every rank starting at 0 or as how->leave says.
 *   a message starts at start = max(sender's processor, sender's outgoing link end);
 *   then processor = start + send, outgoing link end = start + gap;
 *   it arrives at max(start + send + wire, receiver's incoming link end + gap), which is the new
 *   time of the incoming link end (the first message finds it free);
 *   receives of one round are taken in the order of arrival: processor = max(processor, arrival)
 *   + recv;
 *   what a round has received to be combined is combined when all of its messages are there;
 *   contributions that are apart are combined at the end of all, by who has got them;
 *   what lies in several pieces is packed before it is sent, and unpacked as it is combined; what a
 *   rank copies besides (placing.h) is copied before and behind its rounds.
 * Linear in the number of messages. finish[n], if not NULL, gets every rank's time: from where it
 * begins, or CPM_START, to its end, or CPM_STOP.
 * Negative (a status code) on failure: CPM_EDEADLOCK naming the rank that waits and for whom,
 * CPM_EWRONG if a message's blocks differ between its two ends, CPM_ENOMEM. Local.
 * Schedules whose family says that all ranks are alike are walked in step (in_step.h), and their
 * blocks are not compared: that is what cpm_check does. */
double cpm_plain_walk(const cpm_schedule *s, const cpm_block_sizes *sizes, cpm_cost_function *cost,
                      const void *model, const cpm_plain_walking *how, double *finish,
                      cpm_error *e);

/* The same as NULL says. */
double cpm_walk(const cpm_schedule *s, const cpm_block_sizes *sizes, cpm_cost_function *cost,
                const void *model, double *finish, cpm_error *e);

#endif
