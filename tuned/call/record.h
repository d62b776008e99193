/* What a rank says of a nonblocking call, as it goes to the rank that compares. */
#ifndef CPM_TUNED_CALL_RECORD_H
#define CPM_TUNED_CALL_RECORD_H

#include <stdint.h>

#include "tuned/call/check.h"

/* Arguments that are not known are like any other. At the end of its communicator a rank says how
 * many calls it has made. */
typedef enum { TUNED_RECORD_KNOWN, TUNED_RECORD_UNKNOWN, TUNED_RECORD_END } tuned_record_kind;

typedef struct {
    uint64_t stream; /* of the communicator: MPI uses identities of those that have ended again */
    long number;     /* of the call, from 1 on, or of the last one */
    tuned_record_kind kind;
    int rank;
    tuned_said said;
    size_t count;
    size_t sizes[]; /* [count] bytes of blocks: of one, if all know that size or it is the rank's
                       own; of each where there is a count for each; of an alltoallv those to each,
                       then those from each */
} tuned_record;

/* Of arguments that are right, without stream and number; NULL: no memory. Local. */
tuned_record *tuned_record_make(const mpib_arguments *a, int n, int rank);

size_t tuned_record_bytes(const tuned_record *r);
size_t tuned_record_most_bytes(int n);

/* Whether two ranks of n differ in what they say of the same call; why: in which way. */
bool tuned_records_differ(const tuned_record *a, const tuned_record *b, int n,
                          char why[TUNED_DIFFERENCE]);

/* Whether two that do not differ from a third may differ from each other. */
bool tuned_record_is_of_pairs(const tuned_record *r);

#endif
