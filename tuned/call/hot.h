/* The hot path: calls of which nothing new is to be learnt now, by MPI's own routine or as was
 * chosen for good.
 *
 * Clocks, checks of arguments and looks into tables take 0.1 to 0.3 us, a call of MPI's own takes
 * 0.5 us and more. So calls like those that were watched are passed on, to MPI's own routine or to
 * the plan that is kept for them: one table of their arguments is looked into, and they are
 * counted. Between long stretches of such calls a few are
 * watched as all others are (call.h). What the passed ones took is reckoned when the next one is
 * watched: each as long as watched ones of the same arguments did, together no longer than the time
 * since. All ranks count as if each call had been watched: what they agree on does not change.
 *
 * Stretches are long only where calls follow each other fast: where clocks would be half a per cent
 * of the time from call to call or less, every call is watched. So is every call of programs with
 * MPI_THREAD_MULTIPLE, and of simulated processes, as what is here is one for the process. */
#ifndef CPM_TUNED_CALL_HOT_H
#define CPM_TUNED_CALL_HOT_H

#include "tuned/adapt/adapt.h"
#include "tuned/call/device.h"
#include "tuned/comm/state.h"

/* The arguments of a call but for its buffers, as the caller gave them; 0 where there are none. */
typedef struct {
    int operation, in_place, root, send_count, recv_count;
    MPI_Datatype send_type, recv_type;
    MPI_Op op;
} tuned_signature;

/* By what calls are run that are not MPI's own routine; it may be gone when plans were dropped. */
typedef struct {
    mpib_collective *plan; /* NULL: MPI's own routine */
    unsigned long dropped; /* plans so far */
    uint64_t stream;       /* of these calls' numbers */
    bool nulls[2];         /* whether buffers to send and to receive were NULL */
    ptrdiff_t place;       /* bytes before the own block among all: MPI refuses buffers that are the
                              same, so that distance is checked anew */
} tuned_run;

/* Calls of the same arguments. Large messages leave little in the caches: what each call looks at
 * comes first, in two lines of them. */
typedef struct tuned_slot {
    _Alignas(64) tuned_signature of;
    tuned_turn turn; /* context and flood, if there are any */
    uint16_t *run;   /* of the state: their number */
    long passed;     /* calls that are not reckoned yet */
    bool quiet;      /* nothing is to be learnt of them: they are passed on */
    bool meets;      /* it is none of those in which only a root waits */
    tuned_run by;
    struct tuned_slot *next; /* of those with such calls */
    tuned_state *state;
    tuned_decision *decision; /* NULL: none */
    size_t bytes, own;        /* of a block: as all know it, as this rank does */
    long watched;             /* calls, and their mean */
    double mean;              /* seconds */
} tuned_slot;

/* Powers of two; a call has one of so many places. */
enum { TUNED_HOT_COMMS = 8, TUNED_SLOTS = 128, TUNED_PLACES = 4 };

/* Of a communicator. */
typedef struct tuned_slots {
    tuned_slot *last;           /* of its last call that was passed on, if any is to be reckoned */
    unsigned mark[TUNED_SLOTS]; /* hash of the arguments; 0: the place is free */
    tuned_slot at[TUNED_SLOTS];
} tuned_slots;

/* A communicator with such calls. */
typedef struct {
    MPI_Comm comm;
    tuned_state *state;
    tuned_slots *slots;
    const long *due; /* the call of this number is watched */
} tuned_hot_comm;

/* Of the process. */
typedef struct {
    long left;          /* calls until some are watched; 0 where nothing may be passed on */
    tuned_slot *passed; /* all with calls to be reckoned */
    tuned_hot_comm at[TUNED_HOT_COMMS];
} tuned_hot;

extern tuned_hot tuned_hot_here;

static inline tuned_hot_comm *tuned_hot_comm_of(MPI_Comm comm)
{
    const uintptr_t handle = (uintptr_t)comm; /* of MPICH: kinds in the highest bits */
    return &tuned_hot_here.at[(handle ^ handle >> 6 ^ handle >> 29) % TUNED_HOT_COMMS];
}

static inline unsigned tuned_mark(const tuned_signature *s)
{
    const unsigned counts = (unsigned)s->send_count * 31u + (unsigned)s->recv_count;
    const unsigned who =
        (unsigned)s->operation * 64u + (unsigned)s->root * 2u + (unsigned)s->in_place;
    return (counts * 2654435769u + who * 2246822519u) | 1u;
}

/* The first place of such calls. */
static inline unsigned tuned_place(unsigned mark)
{
    return (mark >> 25) & ~(TUNED_PLACES - 1u);
}

/* Whatever a compiler makes of their length. */
static inline tuned_slot *tuned_slot_of(tuned_slots *all, const tuned_signature *s, unsigned mark)
    __attribute__((always_inline));
static inline tuned_slot *tuned_hot_begin(MPI_Comm comm, const tuned_signature *s, const void *send,
                                          const void *recv) __attribute__((always_inline));

/* Member by member, so that the one at hand stays in registers. */
static inline bool tuned_are_same(const tuned_signature *a, const tuned_signature *b)
{
    return a->operation == b->operation && a->in_place == b->in_place && a->root == b->root &&
           a->send_count == b->send_count && a->recv_count == b->recv_count &&
           a->send_type == b->send_type && a->recv_type == b->recv_type && a->op == b->op;
}

/* NULL: none is of such calls. */
static inline tuned_slot *tuned_slot_of(tuned_slots *all, const tuned_signature *s, unsigned mark)
{
    unsigned k = tuned_place(mark);
    for (const unsigned end = k + TUNED_PLACES; all->mark[k] != mark;)
        if (++k == end)
            return NULL;
    return tuned_are_same(&all->at[k].of, s) ? &all->at[k] : NULL;
}

/* Whether a call is run as the one was that was watched: something is tried in turns with it, or
 * was chosen since. */
static inline bool tuned_turn_holds(const tuned_turn *was)
{
    tuned_context *x = was->context;
    return !x || (x->spare-- > 0 && was->who == (x->engine ? x->period.first : 0));
}

/* Whether MPI may refuse these buffers, though it took those of the call that was watched. */
static inline bool tuned_are_doubtful(const tuned_run *by, bool in_place, const void *send,
                                      const void *recv)
{
    const ptrdiff_t apart = (const char *)send - (const char *)recv;
    const bool same = apart == 0 || apart == by->place || apart == -by->place;
    return by->nulls[0] != !send || by->nulls[1] != !recv || (send && recv && same) ||
           (send == MPI_IN_PLACE) + (recv == MPI_IN_PLACE) != in_place ||
           tuned_on_device(send, recv) ||
           by->dropped != atomic_load_explicit(&tuned_plans_dropped, memory_order_relaxed);
}

/* Counts the call and returns what it is one of: it is to be run by tuned_hot_run, if there is a
 * plan, else by MPI's own routine, whose result is given to tuned_hot_end. NULL: the call is to be
 * watched (tuned_call_begin). */
static inline tuned_slot *tuned_hot_begin(MPI_Comm comm, const tuned_signature *s, const void *send,
                                          const void *recv)
{
    tuned_hot *here = &tuned_hot_here;
    const tuned_hot_comm *of = tuned_hot_comm_of(comm);
    if (here->left <= 0 || of->comm != comm || !of->slots || of->state->call + 1 >= *of->due)
        return NULL;
    tuned_slot *slot = tuned_slot_of(of->slots, s, tuned_mark(s));
    if (!slot || !slot->quiet || !tuned_turn_holds(&slot->turn) ||
        (slot->by.plan && tuned_are_doubtful(&slot->by, s->in_place, send, recv)))
        return NULL;
    tuned_flood *flood = slot->turn.flood;
    if (flood && tuned_flood_is_due(flood, of->state->met))
        return NULL;
    if (flood)
        flood->calls++;
    of->state->met += slot->meets;
    here->left--;
    of->slots->last = slot;
    of->state->call++;
    ++*slot->run;
    if (!slot->passed++) {
        slot->next = here->passed;
        here->passed = slot;
    }
    return slot;
}

/* Returns what the collective returns to the application. */
int tuned_hot_run(const tuned_slot *slot, const void *send, void *recv);

int tuned_hot_failed(tuned_slot *slot, int status);

/* Returns what the collective returns to the application. */
static inline int tuned_hot_end(tuned_slot *slot, int status)
{
    return status == MPI_SUCCESS ? status : tuned_hot_failed(slot, status);
}

/* Reckons the calls that were passed on: before anything else is counted or decided. Local. */
void tuned_hot_settle(void);

/* A watched call: calls like it may be passed on from now on. */
typedef struct {
    tuned_state *state;
    tuned_turn turn;
    tuned_decision *decision;
    mpib_collective *plan; /* NULL: it was by MPI's own routine */
    const void *send, *recv;
    size_t bytes, own;
    double seconds, end; /* end: MPI_Wtime then; below 0: calls are not timed */
} tuned_watched;
void tuned_hot_learn(const tuned_signature *s, const tuned_watched *w);

/* Any watched call has ended then; below 0: calls are not timed. */
void tuned_hot_watched(double end);

/* Other things are decided there than before: calls have to be watched again. */
void tuned_hot_doubt(tuned_state *t);

/* The communicator ends. */
void tuned_hot_leave(tuned_state *t);

/* The program ends: nothing is passed on any more. */
void tuned_hot_stop(void);

#endif
