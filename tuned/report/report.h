/* What was chosen, how often, and how long it took: printed, or written to a file,
 * when the program ends, if the environment asks for it (CPM_VERBOSE=1, CPM_REPORT=FILE). */
#ifndef CPM_TUNED_REPORT_REPORT_H
#define CPM_TUNED_REPORT_REPORT_H

#include "tuned/comm/state.h"

/* MPI has begun, and calls are to be observed (tuned/report/observed.h), or the load of hosts: what
 * comes of it is written at the end. Collective over MPI_COMM_WORLD. */
void tuned_report_begin(void);

/* A state begins and ends; thread-safe. The report counts all that live at the end, too. */
void tuned_report_enter(tuned_state *t);
void tuned_report_leave(tuned_state *t);

/* A nonblocking call is MPI's own, as its communicator has no state yet. What it returns counts
 * others like it, in programs with one thread in MPI at a time. */
long *tuned_report_unknown(void);

/* Adds a state's decisions to the report, before they are forgotten. */
void tuned_report_count(tuned_state *t);

#endif
