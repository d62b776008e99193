/* Extended LMO: overheads of sending and receiving apart, link ends that messages share, and
 * regimes of message sizes, some of them synchronous (doc/models/lmo2.md). */
#ifndef CPM_MODELS_LMO2_H
#define CPM_MODELS_LMO2_H

#include "models/formula.h"

/* The sizes of the model are the first sizes of its regimes. S, M1, M2 as for LMO; NaN: unknown. */
enum {
    CPM_LMO2_CS,         /* send overhead: constant */
    CPM_LMO2_TS,         /* and per byte */
    CPM_LMO2_CR,         /* receive overhead: constant */
    CPM_LMO2_TR,         /* and per byte */
    CPM_LMO2_CN,         /* overhead of a synchronous send that does not block: constant */
    CPM_LMO2_TN,         /* and per byte; NaN: the same as of one that does */
    CPM_LMO2_L,          /* latency */
    CPM_LMO2_INVBETA,    /* time per byte of a message alone */
    CPM_LMO2_GO,         /* time per byte of a host's outgoing link end; NaN: not shared */
    CPM_LMO2_GI,         /* of its incoming one */
    CPM_LMO2_RENDEZVOUS, /* sends are synchronous from this size on */
    CPM_LMO2_LATE,       /* 1: buffered messages start when their receive is posted */
    CPM_LMO2_S,
    CPM_LMO2_M1,
    CPM_LMO2_M2,
    CPM_LMO2_PE, /* share of gathers between M1 and M2 that escalate */
    CPM_LMO2_TE, /* what an escalation adds */
    /* the same of messages among processes of one host, per host (class) */
    CPM_LMO2_INSIDE_CS,
    CPM_LMO2_INSIDE_TS,
    CPM_LMO2_INSIDE_CR,
    CPM_LMO2_INSIDE_TR,
    CPM_LMO2_INSIDE_CN,
    CPM_LMO2_INSIDE_TN,
    CPM_LMO2_INSIDE_L,
    CPM_LMO2_INSIDE_INVBETA,
    CPM_LMO2_MEMORY, /* time per byte of the memory that they share, each socket's its own where
                        the model tells these apart; NaN: not shared */
    CPM_LMO2_INSIDE_RENDEZVOUS,
    CPM_LMO2_UP,   /* time per byte of a switch's trunk to the others; NaN: not shared */
    CPM_LMO2_DOWN, /* and from them */
    CPM_LMO2_LINK, /* of a link inside the network; NaN: not shared, or never full */
    /* the same as inside, of messages between sockets of one host */
    CPM_LMO2_ACROSS_CS,
    CPM_LMO2_ACROSS_TS,
    CPM_LMO2_ACROSS_CR,
    CPM_LMO2_ACROSS_TR,
    CPM_LMO2_ACROSS_CN,
    CPM_LMO2_ACROSS_TN,
    CPM_LMO2_ACROSS_L,
    CPM_LMO2_ACROSS_INVBETA,
    CPM_LMO2_SOCKETS, /* time per byte of the link of a host's sockets; NaN: not shared */
    CPM_LMO2_ACROSS_RENDEZVOUS,
    CPM_LMO2_FETCHED,  /* inside a host, from this size on, the receiver's processor moves the bytes
                        */
    CPM_LMO2_FETCHING, /* then: time per byte of the memory that such messages share, as MEMORY */
    CPM_LMO2_SOURCE,   /* then: time per byte of one process's memory, if several read it at once */
    CPM_LMO2_COPYING,  /* then: of what a process copies and what others copy from it, together */
    CPM_LMO2_UNCHANGED,   /* then: time per byte less of what a process sends as it was */
    CPM_LMO2_OVERWRITING, /* then: time per byte more where others have read from its place */
    CPM_LMO2_OC, /* combining a contribution of bytes: constant; NaN: unknown, and taken to be
                    nothing */
    CPM_LMO2_CB, /* and per byte */
    CPM_LMO2_OM, /* copying a run of bytes: constant; NaN: unknown, and taken to be nothing */
    CPM_LMO2_CM, /* and per byte */
    /* combining floats and doubles; NaN: unknown, and taken to be as of bytes */
    CPM_LMO2_FLOATS_OC,
    CPM_LMO2_FLOATS_CB,
    CPM_LMO2_DOUBLES_OC,
    CPM_LMO2_DOUBLES_CB,
    CPM_LMO2_CF, /* memory that MPI's own routines ask for anew, per byte; NaN: unknown, and taken
                    to be nothing */
};
extern const cpm_model_type cpm_lmo2;

/* The constant of a class of combining, which its slope follows; of others that of bytes. */
extern const int cpm_lmo2_combining[CPM_COMBININGS];

/* Root's sends one after the other, each as long as its overhead or its link end takes. */
double cpm_lmo2_linear_scatter(const cpm_model *m, const cpm_formula_call *c);
/* Receives in turn, none before it has arrived; all after the shared link end is through with them
 * if that takes longer. */
double cpm_lmo2_linear_gather(const cpm_model *m, const cpm_formula_call *c);
/* The same plus what escalations add on average between M1 and M2. */
double cpm_lmo2_linear_gather_expected(const cpm_model *m, const cpm_formula_call *c);

/* How a note begins of what a campaign found by itself. */
#define CPM_LMO2_SHARED "messages of different hosts share links inside the network"
/* What a note begins with where they are not as the topology tells. */
#define CPM_LMO2_CONTRADICTED "round trips contradict the topology"

/* Notes of a fit that could not find out whether messages share something. */
#define CPM_LMO2_MEMORY_UNKNOWN  "whether messages inside a host share its memory is not known"
#define CPM_LMO2_SOCKETS_UNKNOWN "whether messages between sockets share their link is not known"
#define CPM_LMO2_ENDS_UNKNOWN    "whether messages between two hosts share link ends is not known"
/* One that could, of those that receivers may fetch. */
#define CPM_LMO2_FETCHING_SEEN "memory: long messages inside share that of"

#endif
