#include "tuned/call/pending.h"

#include <pthread.h>
#include <stdio.h>

#include "tuned/attribute.h"

static tuned_pending all = {.previous = &all, .next = &all};
static bool watching;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a thread of CPM's may end calls */

static int at_end(MPI_Comm comm, int key, void *value, void *extra)
{
    int count = 0, rank = 0;
    (void)comm, (void)key, (void)value, (void)extra;
    for (const tuned_pending *p = all.next; p != &all; p = p->next)
        count++;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (count)
        fprintf(stderr,
                "cpm: rank %d of MPI_COMM_WORLD has not completed %d nonblocking call%s by "
                "MPI_Wait or MPI_Test, the "
                "first: i%s (CPM_CHECK)\n",
                rank, count, count > 1 ? "s" : "", all.next->operation->name);
    return MPI_SUCCESS;
}

void tuned_pending_enter(tuned_pending *p, const cpm_operation *o)
{
    if (!watching)
        tuned_attribute_at_end(at_end);
    watching = true;
    pthread_mutex_lock(&lock);
    *p = (tuned_pending){.previous = all.previous, .next = &all, .operation = o};
    all.previous->next = p;
    all.previous = p;
    pthread_mutex_unlock(&lock);
}

void tuned_pending_leave(tuned_pending *p)
{
    if (!p->operation)
        return;
    pthread_mutex_lock(&lock);
    p->previous->next = p->next;
    p->next->previous = p->previous;
    pthread_mutex_unlock(&lock);
    p->operation = NULL;
}
