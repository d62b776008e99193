/* Opening a state: the private communicator, hosts, switches, and who decides. Whatever can fail on
 * one rank only is agreed on, and only collectives are called on the application's communicator:
 * its own receives may match any message there. */
#ifndef CPM_TUNED_COMM_OPEN_H
#define CPM_TUNED_COMM_OPEN_H

#include "tuned/comm/state.h"

/* What is to be opened. room: a rank may have another private communicator; the rest as rank 0's
 * environment has it: somebody decides, calls are compared, there is a model, a layout of hosts. */
typedef struct {
    bool room, progresses, chooses, checks, model, layout;
} tuned_asked;

/* As this rank says: rank 0 of all, others only of their room
 * and of their progress (tuned/comm/progress.h). chooses: somebody decides. Local. */
tuned_asked tuned_asked_here(const tuned_state *t, bool chooses);

/* The same as words of which the ranks' least count, and what these say. Local. t may be NULL. */
enum { TUNED_ASKED_WORDS = 6 };
void tuned_asked_say(const tuned_state *t, bool chooses, long say[TUNED_ASKED_WORDS]);
tuned_asked tuned_asked_by(const long say[TUNED_ASKED_WORDS]);

/* Agrees on the numbers of calls and opens what the environment names. asked: as all ranks know it,
 * room as that of all. t->native on every rank: MPI's own routines remain. Collective. Seconds
 * until all had agreed, the longest of a rank. */
double tuned_open_environment(tuned_state *t, const tuned_asked *asked);

/* Opens for who decides already, as rank 0 knows, or for the calls. Collective. */
void tuned_open_choosing(tuned_state *t, bool adapts);

#endif
