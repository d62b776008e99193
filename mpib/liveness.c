/* After so many probes without an answer a process is lost, but for those that never answered:
 * nothing may come through to them. */
#include "mpib/liveness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PROBES = 4 };

static void begin(mpib_liveness *r, double now)
{
    r->since = r->next = now;
    r->probes = 0;
    memset(r->answered, 0, (size_t)r->n * sizeof *r->answered);
}

bool mpib_liveness_init(mpib_liveness *r, int n, int rank, double patience, double now)
{
    *r = (mpib_liveness){.n = n,
                         .rank = rank,
                         .first = rank == 0,
                         .last = rank == 0 ? n : 1,
                         .patience = patience * (1 + rank),
                         .known = calloc((size_t)n, sizeof *r->known),
                         .answered = calloc((size_t)n, sizeof *r->answered)};
    r->interval = fmin(1, r->patience / 8);
    if (!r->known || !r->answered)
        return false;
    begin(r, now);
    return true;
}

void mpib_liveness_clear(mpib_liveness *r)
{
    free(r->known);
    free(r->answered);
    *r = (mpib_liveness){0};
}

bool mpib_liveness_take(mpib_liveness *r, const void *bytes, size_t size, mpib_datagram *answer)
{
    mpib_datagram d;
    if (size != sizeof d)
        return false;
    memcpy(&d, bytes, sizeof d);
    if (d.key != r->key || d.rank < 0 || d.rank >= r->n)
        return false;
    if (d.answer) {
        r->known[d.rank] = r->answered[d.rank] = true;
        return false;
    }
    *answer = (mpib_datagram){.key = r->key, .rank = r->rank, .answer = 1};
    return d.rank == r->rank;
}

static bool misses_any(const mpib_liveness *r)
{
    for (int other = r->first; other < r->last; other++)
        if (mpib_liveness_misses(r, other))
            return true;
    return false;
}

mpib_liveness_state mpib_liveness_look(mpib_liveness *r, double now, unsigned ticks)
{
    if (ticks != r->ticks) {
        r->ticks = ticks;
        begin(r, now);
    }
    if (now < r->next)
        return MPIB_ALL_IS_WELL;
    r->next = now + r->interval;
    if (now - r->since < r->patience)
        return MPIB_ALL_IS_WELL;
    if (r->probes++ < PROBES)
        return MPIB_PROBE_THEM;
    if (misses_any(r))
        return MPIB_SOME_ARE_LOST;
    begin(r, now); /* all are alive: what they do takes long */
    return MPIB_ALL_IS_WELL;
}

bool mpib_liveness_lacks(const mpib_liveness *r, int rank)
{
    return !r->answered[rank];
}

bool mpib_liveness_misses(const mpib_liveness *r, int rank)
{
    return r->known[rank] && !r->answered[rank];
}
