/* Messages on their way: first in, first out from each sender to each receiver. */
#ifndef CPM_COLLECTIVES_SCHEDULE_INBOX_H
#define CPM_COLLECTIVES_SCHEDULE_INBOX_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"
#include "collectives/schedule/clocks.h"

typedef struct {
    cpm_incoming way;
    uint32_t names; /* of the positions that the sender says it carries */
    int from;
    int next; /* in a chain: the one after it, and the first after the last; of free ones the next
                 one, -1 */
} cpm_mail;

/* All messages under way. */
typedef struct {
    cpm_mail *at;
    int64_t capacity;
    int used, unused; /* unused: first of those that are free again, -1 */
} cpm_mails;

/* What waits for one receiver. A chain holds the messages of some senders in the order in which
 * they came: few messages are one chain, more are spread over places. */
typedef struct {
    int waiting; /* messages */
    int places;  /* 0 or a power of two */
    int *chain;  /* [places] last of each chain, -1 */
    int last;    /* of the only chain, if there are no places; -1 */
} cpm_inbox;

void cpm_mails_open(cpm_mails *m);
void cpm_mails_free(cpm_mails *m);

/* The index of a new message, which stays the same until it is dropped; -1: out of memory. */
static inline int cpm_mails_new(cpm_mails *m)
{
    int index = m->unused;
    if (index >= 0)
        m->unused = m->at[index].next;
    else if (m->used < INT_MAX &&
             cpm_vector_reserve(&m->at, &m->capacity, m->used + 1, sizeof *m->at))
        index = m->used++;
    return index;
}

static inline void cpm_mails_drop(cpm_mails *m, int index)
{
    m->at[index].next = m->unused;
    m->unused = index;
}

/* An empty one, which owns no memory. */
void cpm_inbox_open(cpm_inbox *b);
void cpm_inbox_close(cpm_inbox *b);

enum { CPM_ONE_CHAIN = 8 }; /* messages for which no places are made */

static inline int *cpm_inbox_chain(cpm_inbox *b, int from)
{
    if (!b->places)
        return &b->last;
    /* Neighbours have neighbouring places; a power of two apart they have different ones. */
    unsigned rank = (unsigned)from;
    return &b->chain[(rank ^ rank >> 5 ^ rank >> 10) & (unsigned)(b->places - 1)];
}

static inline void cpm_inbox_append(cpm_inbox *b, cpm_mail *mail, int m)
{
    int *last = cpm_inbox_chain(b, mail[m].from);
    mail[m].next = m;
    if (*last >= 0) {
        mail[m].next = mail[*last].next;
        mail[*last].next = m;
    }
    *last = m;
}

/* Makes more places. False: out of memory. */
bool cpm_inbox_spread(cpm_inbox *b, cpm_mail *mail);

/* False: out of memory. */
static inline bool cpm_inbox_put(cpm_inbox *b, cpm_mail *mail, int index)
{
    if (b->waiting >= CPM_ONE_CHAIN && b->waiting > b->places && !cpm_inbox_spread(b, mail))
        return false;
    cpm_inbox_append(b, mail, index);
    b->waiting++;
    return true;
}

/* Takes the oldest message of a sender; -1 if there is none. */
static inline int cpm_inbox_take(cpm_inbox *b, cpm_mail *mail, int from)
{
    int *last = cpm_inbox_chain(b, from), before = *last;
    if (before < 0)
        return -1;
    int m = mail[before].next;
    for (; mail[m].from != from; before = m, m = mail[m].next)
        if (m == *last)
            return -1;
    mail[before].next = mail[m].next;
    if (m == *last)
        *last = m == before ? -1 : before;
    b->waiting--;
    return m;
}

/* A message that waits; there must be one. */
int cpm_inbox_any(const cpm_inbox *b);

#endif
