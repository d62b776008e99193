/* Persistent collectives that CPM knows: their starts, runs and ends. The request that the
 * application gets is MPI's own persistent one, of a message to oneself that the end of a run
 * sends: it is waited for, tested and freed as any other. Where all functions that ask for its end
 * ask here before, MPI's request is started when one of them does, and never by MPI_Wait and
 * MPI_Waitall, which run the rest of the schedule. Where a profile only counts starts it is the
 * collective's. */
#ifndef CPM_TUNED_CALL_STARTED_H
#define CPM_TUNED_CALL_STARTED_H

#include "tuned/call/active.h"
#include "tuned/call/arguments.h"
#include "tuned/comm/plans.h"

typedef struct tuned_started_call {
    tuned_active active;
    tuned_plan *plan;        /* NULL: MPI's own routine has run it so far */
    tuned_decision *planned; /* by which; NULL: it was forgotten */
    const void *send;
    void *recv;
    MPI_Request request; /* the application's */
    MPI_Comm end_comm;   /* of the message to oneself */
    int end_tag;
    bool on_device; /* its buffers are */
    bool hidden;    /* it was started, but the application's request was not */
    bool done;      /* then: its run has ended */
    /* Where calls decide: */
    MPI_Request native; /* MPI's own, the application's where starts are only counted; else
                           MPI_REQUEST_NULL */
    tuned_plan *asked;  /* its arguments alone; NULL: it was decided where it was made */
    uint64_t number_of_tag;
    cpm_request kind;
    tuned_checked checked;
    bool counted;                    /* it is MPI's own, and a profile counts its starts */
    const char *function;            /* "MPI_Bcast_init" */
    struct tuned_started_call *next; /* all of the process */
} tuned_started_call;

/* To be called when a run of it has ended. */
void tuned_started_complete(tuned_active *active);

/* A new one gets its request, which is *request then. Returns MPI's error code; then what it holds
 * is given up, but for its own memory. Local. */
int tuned_started_enter(tuned_started_call *p, MPI_Request *request);

/* Gives up what it holds but its own memory. Local. */
void tuned_started_give_up(tuned_started_call *p);

/* For messages to oneself where a communicator has no private one yet. MPI_COMM_NULL: MPI could not
 * make it. Local. */
MPI_Comm tuned_started_own_comm(void);
int tuned_started_own_tag(void);

/* Decisions are forgotten: no report gets what is started from now on. */
void tuned_persistent_forget(tuned_state *t);

#endif
