/* What a program's collectives were, and how long they took: the file of cpm run --profile
 * (doc/profile.md). */
#ifndef CPM_HISTORY_PROFILE_H
#define CPM_HISTORY_PROFILE_H

#include <stdbool.h>

#include "base/metadata.h"
#include "base/sizes.h"
#include "collectives/operation.h"
#include "selection/libraries.h"

/* All communicators of the same processes in the same order. */
typedef struct {
    int n;
    int *process; /* [n] of the program, in the order of ranks */
} cpm_profile_communicator;

/* Calls of one kind. Times are means over calls and processes, seconds. */
typedef struct {
    int communicator; /* its number */
    const cpm_operation *operation;
    int root;     /* -1: it has none */
    double bytes; /* of a block; where only the root or nobody knows the sizes of all: the mean of
                     all blocks of all calls */
    long calls, back_to_back; /* that began sooner after the process's last call than about a tenth
                                 of mean, or 2 us; mean over processes */
    long timed;            /* of these, mean over processes; the others are taken to be like them */
    double mean, between;  /* of a call; from the end of the process's last call to its begin */
    double least, most;    /* mean of the process that is the shortest in them, and the longest: */
    int least_at, most_at; /* these processes of the program; -1: nothing is known of that */
} cpm_profile_calls;

/* Calls of a function that CPM does not take: "MPI_Ibcast", "bcast of inter-communicators". */
typedef struct {
    char *function;
    long calls;     /* of all processes */
    double seconds; /* in these calls, mean over all processes of the program */
} cpm_profile_other;

typedef struct {
    cpm_metadata metadata;
    cpm_library library; /* whose routines ran */
    int n;               /* processes of the program */
    char **hosts;        /* [n] as models name them */
    double seconds;      /* from MPI_Init to MPI_Finalize, mean over processes */
    double collectives;  /* of that in the calls, mean over processes */
    long left_out;       /* calls that are not among these: there were too many kinds */
    cpm_profile_communicator *communicators;
    int communicator_count;
    cpm_profile_calls *at; /* by communicator, operation, root, bytes */
    int count;
    cpm_profile_other *others; /* by function */
    int other_count;
} cpm_profile;

void cpm_profile_free(cpm_profile *p);

/* Bytes of a block, whole ones; whether there are any, or the operation carries none. */
size_t cpm_profile_bytes(const cpm_profile_calls *c);
bool cpm_profile_carries(const cpm_profile_calls *c);

/* Whether such calls follow the program's last one at once: most of them do. */
bool cpm_profile_follows(const cpm_profile_calls *c);

/* Of the calls of that operation in communicators of n processes, but those that carry nothing:
 * whether they do, by the time that they take; the block sizes, ascending, added to out
 * (CPM_ENOMEM); seconds of a process in those of one size. */
bool cpm_profile_batched(const cpm_profile *p, const cpm_operation *o, int n);
int cpm_profile_sizes(const cpm_profile *p, const cpm_operation *o, int n, cpm_sizes *out,
                      cpm_error *e);
double cpm_profile_seconds(const cpm_profile *p, const cpm_operation *o, int n, size_t bytes);

/* CPM_EIO; CPM_EPARSE: "FILE:LINE: what". The caller frees it. */
int cpm_profile_read(const char *path, cpm_profile **out, cpm_error *e);

/* As cpm_text_write (base/text_file.h). */
int cpm_profile_write(const cpm_profile *p, const char *path, cpm_error *e);

#endif
