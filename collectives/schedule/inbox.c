/* In a dense pattern every sender has a place of its own in a rank's inbox; in a sparse one there
 * are a handful of messages in one chain. */
#include "collectives/schedule/inbox.h"

#include <stdlib.h>

void cpm_mails_open(cpm_mails *m)
{
    *m = (cpm_mails){.unused = -1};
}

void cpm_mails_free(cpm_mails *m)
{
    free(m->at);
    cpm_mails_open(m);
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

static void append_chain(cpm_inbox *b, cpm_mail *mail, int last)
{
    int m = last < 0 ? -1 : mail[last].next, first = m;
    while (m >= 0) {
        int next = mail[m].next;
        cpm_inbox_append(b, mail, m);
        m = next == first ? -1 : next;
    }
}

bool cpm_inbox_spread(cpm_inbox *b, cpm_mail *mail)
{
    cpm_inbox old = *b;
    int places = 4 * (b->places ? b->places : CPM_ONE_CHAIN);
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

int cpm_inbox_any(const cpm_inbox *b)
{
    int k = 0;
    while (b->places && b->chain[k] < 0)
        k++;
    return b->places ? b->chain[k] : b->last;
}
