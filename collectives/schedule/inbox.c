/* In a dense pattern every sender has a place of its own in a rank's inbox; in a sparse one there
 * are a handful of messages in one chain. */
#include "collectives/schedule/inbox.h"

#include <limits.h>
#include <stdlib.h>

#include "base/vector.h"

enum { ONE_CHAIN = 8 }; /* messages for which no places are made */

void cpm_mails_open(cpm_mails *m)
{
    *m = (cpm_mails){.unused = -1};
}

void cpm_mails_free(cpm_mails *m)
{
    free(m->at);
    cpm_mails_open(m);
}

int cpm_mails_new(cpm_mails *m)
{
    int index = m->unused;
    if (index >= 0)
        m->unused = m->at[index].next;
    else if (m->used < INT_MAX &&
             cpm_vector_reserve(&m->at, &m->capacity, m->used + 1, sizeof *m->at))
        index = m->used++;
    return index;
}

void cpm_mails_drop(cpm_mails *m, int index)
{
    m->at[index].next = m->unused;
    m->unused = index;
}

void cpm_inbox_open(cpm_inbox *b)
{
    *b = (cpm_inbox){.last = -1};
}

void cpm_inbox_close(cpm_inbox *b)
{
    free(b->chain);
    cpm_inbox_open(b);
}

static int *chain_of(cpm_inbox *b, int from)
{
    if (!b->places)
        return &b->last;
    /* Neighbours have neighbouring places; a power of two apart they have different ones. */
    unsigned rank = (unsigned)from;
    return &b->chain[(rank ^ rank >> 5 ^ rank >> 10) & (unsigned)(b->places - 1)];
}

static void append(cpm_inbox *b, cpm_mail *mail, int m)
{
    int *last = chain_of(b, mail[m].from);
    mail[m].next = m;
    if (*last >= 0) {
        mail[m].next = mail[*last].next;
        mail[*last].next = m;
    }
    *last = m;
}

static void append_chain(cpm_inbox *b, cpm_mail *mail, int last)
{
    int m = last < 0 ? -1 : mail[last].next, first = m;
    while (m >= 0) {
        int next = mail[m].next;
        append(b, mail, m);
        m = next == first ? -1 : next;
    }
}

static bool spread(cpm_inbox *b, cpm_mail *mail)
{
    cpm_inbox old = *b;
    int places = 4 * (b->places ? b->places : ONE_CHAIN);
    int *chain = malloc((size_t)places * sizeof *chain);
    if (!chain)
        return false;
    for (int k = 0; k < places; k++)
        chain[k] = -1;
    b->chain = chain;
    b->places = places;
    b->last = -1;
    append_chain(b, mail, old.last);
    for (int k = 0; k < old.places; k++)
        append_chain(b, mail, old.chain[k]);
    free(old.chain);
    return true;
}

bool cpm_inbox_put(cpm_inbox *b, cpm_mail *mail, int index)
{
    if (b->waiting >= ONE_CHAIN && b->waiting > b->places && !spread(b, mail))
        return false;
    append(b, mail, index);
    b->waiting++;
    return true;
}

int cpm_inbox_take(cpm_inbox *b, cpm_mail *mail, int from)
{
    int *last = chain_of(b, from), before = *last;
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

int cpm_inbox_any(const cpm_inbox *b)
{
    int k = 0;
    while (b->places && b->chain[k] < 0)
        k++;
    return b->places ? b->chain[k] : b->last;
}
