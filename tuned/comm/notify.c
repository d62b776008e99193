/* Sends are started and looked at again when something else is told. */
#include "tuned/comm/notify.h"

#include <stdlib.h>
#include <string.h>

#include "tuned/comm/state.h"

struct tuned_notice {
    tuned_notice *next;
    int count;
    void *bytes;
    MPI_Request requests[]; /* [count] */
};

/* Tags of one call, and where those begin of a call in which a decision was told. */
enum { TAGS_OF_A_CALL = 4, TOLD = 2 };

/* So many calls have different tags; half as many tags are of nonblocking calls. */
static long different_calls(const tuned_state *t)
{
    return (t->most_tag - TUNED_FIRST_TAG) / TAGS_OF_A_CALL / 2;
}

int tuned_tag_of_begun_at(const tuned_state *t, uint64_t number)
{
    const uint64_t calls = (uint64_t)different_calls(t);
    return TUNED_FIRST_TAG + (int)(calls * TAGS_OF_A_CALL + number % calls);
}

int tuned_tag_of_begun(tuned_state *t)
{
    return tuned_tag_of_begun_at(t, t->begun++);
}

int tuned_tag(const tuned_state *t, bool told)
{
    long calls = different_calls(t);
    return TUNED_FIRST_TAG + (int)(t->stream % (uint64_t)calls) * TAGS_OF_A_CALL +
           (told ? TOLD : 0);
}

static void free_notice(tuned_notice *x)
{
    free(x->bytes);
    free(x);
}

static void drop_finished(tuned_notice **all)
{
    for (tuned_notice **at = all, *x = *at; x; x = *at) {
        int finished = 0;
        PMPI_Testall(x->count, x->requests, &finished, MPI_STATUSES_IGNORE);
        if (!finished) {
            at = &x->next;
            continue;
        }
        *at = x->next;
        free_notice(x);
    }
}

static tuned_notice *create(int count, const void *bytes, size_t size)
{
    tuned_notice *x = malloc(sizeof *x + (size_t)count * sizeof *x->requests);
    void *copy = malloc(size);
    if (!x || !copy) {
        free(x);
        free(copy);
        return NULL;
    }
    memcpy(copy, bytes, size);
    *x = (tuned_notice){.bytes = copy, .count = count};
    return x;
}

static void notify_and_wait(const tuned_state *t, int tag, const void *bytes, size_t size)
{
    for (int r = 0; r < t->n; r++)
        if (r != t->rank)
            PMPI_Send(bytes, (int)size, MPI_BYTE, r, tag, t->inside);
}

void tuned_notify(tuned_state *t, int tag, const void *bytes, size_t size)
{
    drop_finished(&t->notices);
    tuned_notice *x = create(t->n - 1, bytes, size);
    if (!x) {
        notify_and_wait(t, tag, bytes, size);
        return;
    }
    for (int r = 0, k = 0; r < t->n; r++)
        if (r != t->rank)
            PMPI_Isend(x->bytes, (int)size, MPI_BYTE, r, tag, t->inside, &x->requests[k++]);
    x->next = t->notices;
    t->notices = x;
}

void tuned_notify_rank(tuned_state *t, int rank, int tag, const void *bytes, size_t size)
{
    drop_finished(&t->notices);
    tuned_notice *x = create(1, bytes, size);
    if (!x) {
        PMPI_Send(bytes, (int)size, MPI_BYTE, rank, tag, t->inside);
        return;
    }
    PMPI_Isend(x->bytes, (int)size, MPI_BYTE, rank, tag, t->inside, x->requests);
    x->next = t->notices;
    t->notices = x;
}

void tuned_take_notice(const tuned_state *t, int rank, int tag, void *bytes, size_t size)
{
    PMPI_Recv(bytes, (int)size, MPI_BYTE, rank, tag, t->inside, MPI_STATUS_IGNORE);
}

bool tuned_has_notice(const tuned_state *t, int rank, int tag)
{
    int come = 0;
    PMPI_Iprobe(rank, tag, t->inside, &come, MPI_STATUS_IGNORE);
    return come;
}

/* A message that is longer than nothing is cut. */
static void drop_messages(const tuned_state *t)
{
    for (int tag = TUNED_TAG_DECISION; tag <= TUNED_TAG_RECORD; tag++)
        while (tuned_has_notice(t, MPI_ANY_SOURCE, tag))
            tuned_take_notice(t, MPI_ANY_SOURCE, tag, NULL, 0);
}

void tuned_notices_clear(tuned_state *t)
{
    drop_messages(t);
    drop_finished(&t->notices);
    for (tuned_notice *x = t->notices, *next; x; x = next) {
        next = x->next;
        for (int k = 0; k < x->count; k++)
            if (x->requests[k] != MPI_REQUEST_NULL)
                PMPI_Request_free(&x->requests[k]);
        free(x);
    }
    t->notices = NULL;
}
