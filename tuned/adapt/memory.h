/* What the calls on communicators have shown, as long as the process lives: those of like ones that
 * come later start from it. Each process knows of those whose rank 0 it was, and tells the others
 * what comes of it with its offers: what they remember differs. Thread-safe. */
#ifndef CPM_TUNED_ADAPT_MEMORY_H
#define CPM_TUNED_ADAPT_MEMORY_H

#include "tuned/adapt/adapt.h"

/* What is remembered of a way to run calls. */
typedef struct {
    double ratio; /* of native's time; 0: nothing is remembered */
    double most;  /* what that is at most */
    long calls;   /* by which the kind of calls is known */
    bool praised; /* it is to be chosen */
} tuned_remembered;

/* What the processes of a communicator run on, as lessons have it: a text at rank 0, which the
 * caller frees; elsewhere, and where there is no memory, NULL. Collective on the private
 * communicator. */
char *tuned_memory_hosts(const tuned_state *t);

/* The same of one that has just these processes, if one was met before; the caller frees it. NULL:
 * not known. Local. */
char *tuned_memory_known_hosts(MPI_Comm comm);

/* The same by the names of their hosts (MPI_MAX_PROCESSOR_NAME bytes each). NULL: no memory. */
char *tuned_memory_text_of(const char *names, int n);

/* The processes of comm run on these hosts. Local. */
void tuned_memory_note(MPI_Comm comm, const char *hosts);

/* Whether anybody's hosts are known, without which nothing is recalled. Local. */
bool tuned_memory_has_any(void);

/* Adds what a communicator of n processes on these hosts has shown. Local. */
void tuned_memory_add(const tuned_contexts *all, int n, const char *hosts);

/* Where the root alone knows sizes its calls are of one kind; what they show is remembered for the
 * class of the mean of those that it told. */
tuned_kind tuned_memory_kind(const tuned_kind *k, size_t mean);

/* What is remembered of such calls run as what says. Local. */
tuned_remembered tuned_memory_recall(const char *hosts, int n, const tuned_kind *k,
                                     const cpm_collective *what);

/* The largest share of native's time that a way is known to save in such calls; 0: none. Local. */
double tuned_memory_promise(const char *hosts, int n, const tuned_kind *k);

/* Whether MPI_COMM_WORLD is known to gain by one of the lessons; the same on all processes. Local.
 */
bool tuned_memory_promises_world(void);
void tuned_memory_promise_world(bool gains);

/* What an earlier program has shown: the text of a file of lessons, which is freed. Local. */
void tuned_memory_load(char *text, size_t size);

/* What this process has added, as such a text, which the caller frees; NULL: nothing. Local. */
char *tuned_memory_learnt(void);

/* Of CPM, for lessons; borrowed. */
const char *tuned_memory_version(void);

#endif
