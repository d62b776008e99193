/* The checked mode (CPM_CHECK=1): before each call that blocks the ranks compare what they say;
 * records.h has those that do not. */
#ifndef CPM_TUNED_CALL_CHECK_H
#define CPM_TUNED_CALL_CHECK_H

#include "executor/collective.h"

typedef enum { TUNED_BLOCKING, TUNED_NONBLOCKING, TUNED_PERSISTENT } tuned_form;

/* What a rank says of its call. */
typedef struct {
    int sound, operation, form, root, op;
    long begun;            /* nonblocking calls that it made before */
    size_t sent, received; /* bytes of its own block, where it sends and receives it */
} tuned_said;

enum { TUNED_CALL_NAME = 64, TUNED_DIFFERENCE = 200 };

/* sound: MPI takes the arguments; else only the call itself is said. Local. */
tuned_said tuned_say(const mpib_arguments *a, int rank, tuned_form form, bool sound);

/* As reports have it: "ibcast", "bcast_init". Returns name. */
const char *tuned_said_call(const tuned_said *s, char name[TUNED_CALL_NAME]);

/* Whether they are of different operations or forms. */
bool tuned_calls_differ(const tuned_said *s, const tuned_said *t);

/* Whether ranks a and b say different things, or a rank's sides differ; why: in which way. */
bool tuned_said_differ(const tuned_said *s, int a, const tuned_said *t, int b,
                       char why[TUNED_DIFFERENCE]);
bool tuned_said_differs_itself(const tuned_said *s, int rank, char why[TUNED_DIFFERENCE]);

/* CPM_EINVAL on every rank, with a sentence that names who differs, if the ranks of a->comm differ
 * in operation, form, root, MPI operation or sizes, in the number of nonblocking calls begun
 * before, or if only some have arguments that MPI takes (sound); if none has it is CPM_OK.
 * CPM_ENOMEM on every rank. Collective. */
int tuned_check(const mpib_arguments *a, tuned_form form, bool sound, long begun, cpm_error *e);

#endif
