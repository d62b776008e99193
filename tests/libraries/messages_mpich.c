/* MPICH's messages, as count_sends.c notes what goes through UCX: which messages are started, in
 * which order. Of receives it is not told from whom, and whether a send is waited for before the
 * next message is started shows only where messages are so large that no send ends at once. */
#include <dlfcn.h>
#include <mpi.h>

#include "count_sends.h"
#include "messages.h"

#ifndef OPEN_MPI

enum { MOST_PROCESSES = 256 };
static const size_t large = 1 << 18;

static started_message *started;
static int *starts;
static void *endpoint_of[MOST_PROCESSES];
static messages *heard;

/* One message to each other process shows which endpoint is whose. */
static bool learn_endpoints(void)
{
    int rank, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    for (int d = 1; d < n && n <= MOST_PROCESSES; d++) {
        int to = (rank + d) % n, from = (rank + n - d) % n;
        MPI_Request r;
        MPI_Irecv(NULL, 0, MPI_BYTE, from, d, MPI_COMM_WORLD, &r);
        *starts = 0;
        MPI_Send(NULL, 0, MPI_BYTE, to, d, MPI_COMM_WORLD);
        endpoint_of[to] = *starts ? started[0].endpoint : NULL;
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        if (!endpoint_of[to])
            return false;
    }
    return n <= MOST_PROCESSES;
}

static int peer_of(const void *endpoint)
{
    for (int p = 0; endpoint && p < MOST_PROCESSES; p++)
        if (endpoint_of[p] == endpoint)
            return p;
    return ANYBODY;
}

bool messages_are_starts(void)
{
    return true;
}

const char *messages_open(void)
{
    started = dlsym(RTLD_DEFAULT, "count_sends_started");
    starts = dlsym(RTLD_DEFAULT, "count_sends_starts");
    if (!started || !starts || !learn_endpoints())
        return "messages do not go through UCX, or nothing is preloaded";
    return NULL;
}

void messages_begin(messages *to)
{
    heard = to;
    *starts = 0;
}

/* What a process sends to itself, and as many receives: nobody knows which, and the first ones are as
 * good as others. */
static void drop_own(void)
{
    int own = 0, kept = 0;
    for (int k = 0; k < *starts; k++)
        own += started[k].endpoint && peer_of(started[k].endpoint) == ANYBODY;
    for (int k = 0, received = 0; k < *starts; k++) {
        const started_message *s = &started[k];
        bool drop = s->endpoint ? peer_of(s->endpoint) == ANYBODY : received++ < own;
        if (!drop)
            started[kept++] = *s;
    }
    *starts = kept;
}

/* Sends follow each other where the library did not wait between them. */
void messages_end(void)
{
    if (*starts <= MOST_MESSAGES)
        drop_own();
    heard->count = *starts <= MOST_MESSAGES ? *starts : -1;
    for (int k = 0, group = 0; k < heard->count; k++) {
        const started_message *s = &started[k];
        bool follows = k > 0 && s->endpoint && started[k - 1].endpoint &&
                       started[k - 1].bytes >= large && !s->waited;
        group += !follows;
        heard->at[k] = (message){.sends = s->endpoint,
                                 .peer = peer_of(s->endpoint),
                                 .bytes = s->bytes > 1 ? (long)s->bytes : -1, /* 1: of a type */
                                 .group = group};
    }
}

bool messages_show_waits(size_t bytes)
{
    return bytes >= large;
}

#endif
