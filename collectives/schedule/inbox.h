/* Messages on their way: first in, first out from each sender to each receiver. */
#ifndef CPM_SCHEDULE_INBOX_H
#define CPM_SCHEDULE_INBOX_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    double arrival;   /* of the last byte if the receiver's link end is free */
    double gap, recv; /* as in cpm_cost */
    uint32_t names;   /* of the positions that the sender says it carries */
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
int cpm_mails_new(cpm_mails *m);
void cpm_mails_drop(cpm_mails *m, int index);

/* An empty one, which owns no memory. */
void cpm_inbox_open(cpm_inbox *b);
void cpm_inbox_close(cpm_inbox *b);
/* False: out of memory. */
bool cpm_inbox_put(cpm_inbox *b, cpm_mail *mail, int index);
/* Takes the oldest message of a sender; -1 if there is none. */
int cpm_inbox_take(cpm_inbox *b, cpm_mail *mail, int from);
/* A message that waits; there must be one. */
int cpm_inbox_any(const cpm_inbox *b);

#endif
