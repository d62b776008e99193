/* How much memory a flow walk's messages will take, as the ranks that begin show it. */
#ifndef CPM_COLLECTIVES_SCHEDULE_MEMORY_ESTIMATE_H
#define CPM_COLLECTIVES_SCHEDULE_MEMORY_ESTIMATE_H

#include "collectives/schedule/flow_walk.h"

/* Zero but for n is a beginning. */
typedef struct {
    int n, begun;          /* ranks */
    double messages, most; /* at a time: of all that have begun, of the one that has most */
    unsigned char *part;   /* of resources: which of the three below they were counted in */
    int64_t room;
    double firsts, lasts, only; /* resources that ways begin with, end with, consist of */
    int seen, lone;             /* ways, and those of them that share nothing */
} cpm_memory_estimate;

/* The next rank begins, which will have so many at a time. */
void cpm_memory_estimate_begin(cpm_memory_estimate *u, int messages);
/* One of their ways. Without any each message is taken to have resources of its own. */
void cpm_memory_estimate_see(cpm_memory_estimate *u, const cpm_flow *way);
/* Bytes of all ranks' messages while all are under way at once: each of the given bytes, which are
 * found by their pairs (pairs.h), and share (sharing.h). */
double cpm_memory_estimate_bytes(const cpm_memory_estimate *u, size_t each);

void cpm_memory_estimate_free(cpm_memory_estimate *u);

#endif
