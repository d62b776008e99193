/* Searching for a schedule of messages that takes less time, by a model, than every algorithm of
 * the repository does.
 *
 * A model's walk is the judge. Rows of the table give starts, a greedy matching of senders and
 * receivers in time gives others, and small random changes improve the best of them. */
#ifndef CPM_MAPPING_SYNTHESIS_H
#define CPM_MAPPING_SYNTHESIS_H

#include "collectives/schedule/messages.h"
#include "mapping/mapping.h"

/* What was found. */
typedef struct {
    cpm_messages messages;
    double seconds;                /* predicted */
    double row_seconds;            /* the same of the fastest row that was tried */
    char row[CPM_COLLECTIVE_NAME]; /* its name, without the operation */
    /* What messages began as: "row" (nothing faster was found), "rows" (messages of a row,
     * changed), "greedy" (matching in time), "routes" (the same over trees and rings of hosts),
     * "steps" (pieces down trees in lockstep), "gossip" (rounds of messages with all news). */
    const char *way;
    long tried;     /* walks taken */
    bool converged; /* it ended before the time did: the same seed gives the same result */
} cpm_synthesized;

/* With more processes than that the result is the fastest row's. */
enum { CPM_SYNTHESIS_PROCESSES = 256 };

/* Searches for a schedule of operation, root, weights and hosts of what, whose algorithm is
 * ignored, with blocks of so many bytes on average on the model's processes. effort: attempts are
 * runs of small changes in a row that gain nothing; threads are ignored. The result does what the
 * operation demands (cpm_check) if contributions may be combined in any order, and is never slower
 * than the fastest row, unless it is searched for unaided. CPM_EINVAL: operations of neighbours,
 * scan and exscan; unaided scatter, gather and alltoall; the root is out of range; the effort is
 * not positive. CPM_EDATA: the model does not predict from messages (interp). CPM_EWRONG: what was
 * found fails its proof, which is a mistake of this function. CPM_ENOMEM. */
int cpm_synthesize(const cpm_model *m, const cpm_collective *what, size_t bytes,
                   const cpm_mapping_effort *effort, bool unaided, cpm_synthesized *out,
                   cpm_error *e);

void cpm_synthesized_clear(cpm_synthesized *s);

#endif
