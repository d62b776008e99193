/* Preloaded: counts the messages that an MPI library sends through UCX, for collectives.c, and notes
 * what it starts and when it waits, for messages_mpich.c. */
#include "count_sends.h"

#include <dlfcn.h>

typedef void *send_function(void *endpoint, const void *buffer, size_t count, unsigned long tag,
                            const void *parameters);
typedef void *receive_function(void *worker, void *buffer, size_t count, unsigned long tag,
                               unsigned long mask, const void *parameters);
typedef unsigned progress_function(void *worker);
extern send_function ucp_tag_send_nbx;
extern receive_function ucp_tag_recv_nbx;
extern progress_function ucp_worker_progress;

unsigned long count_sends;
started_message count_sends_started[MOST_STARTED];
int count_sends_starts; /* may be more than there is room for */

static bool waited;

static void note(void *endpoint, size_t bytes)
{
    int k = count_sends_starts++;
    if (k < MOST_STARTED)
        count_sends_started[k] = (started_message){endpoint, bytes, waited};
    waited = false;
}

void *ucp_tag_send_nbx(void *endpoint, const void *buffer, size_t count, unsigned long tag,
                       const void *parameters)
{
    static send_function *next;
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "ucp_tag_send_nbx");
    count_sends++;
    note(endpoint, count);
    return next(endpoint, buffer, count, tag, parameters);
}

void *ucp_tag_recv_nbx(void *worker, void *buffer, size_t count, unsigned long tag,
                       unsigned long mask, const void *parameters)
{
    static receive_function *next;
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "ucp_tag_recv_nbx");
    note(NULL, count);
    return next(worker, buffer, count, tag, mask, parameters);
}

unsigned ucp_worker_progress(void *worker)
{
    static progress_function *next;
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "ucp_worker_progress");
    waited = true;
    return next(worker);
}
