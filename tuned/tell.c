/* Sends are started and looked at again when something else is told. */
#include "tuned/tell.h"

#include <stdlib.h>
#include <string.h>

#include "tuned/state.h"

struct tuned_telling {
    tuned_telling *next;
    int count;
    void *bytes;
    MPI_Request requests[]; /* [count] */
};

/* Tags of one call, and where those begin of a call in which a decision was told. */
enum { TAGS_OF_A_CALL = 4, TOLD = 2 };

int tuned_tag(const tuned_state *t, bool told)
{
    long calls = (t->most_tag - TUNED_FIRST_TAG) / TAGS_OF_A_CALL;
    return TUNED_FIRST_TAG + (int)(t->stream % (uint64_t)calls) * TAGS_OF_A_CALL +
           (told ? TOLD : 0);
}

static void free_telling(tuned_telling *x)
{
    free(x->bytes);
    free(x);
}

static void drop_finished(tuned_telling **all)
{
    for (tuned_telling **at = all, *x = *at; x; x = *at) {
        int finished = 0;
        PMPI_Testall(x->count, x->requests, &finished, MPI_STATUSES_IGNORE);
        if (!finished) {
            at = &x->next;
            continue;
        }
        *at = x->next;
        free_telling(x);
    }
}

static tuned_telling *create(int count, const void *bytes, size_t size)
{
    tuned_telling *x = malloc(sizeof *x + (size_t)count * sizeof *x->requests);
    void *copy = malloc(size);
    if (!x || !copy) {
        free(x);
        free(copy);
        return NULL;
    }
    memcpy(copy, bytes, size);
    *x = (tuned_telling){.bytes = copy, .count = count};
    return x;
}

static void tell_and_wait(const tuned_state *t, int tag, const void *bytes, size_t size)
{
    for (int r = 0; r < t->n; r++)
        if (r != t->rank)
            PMPI_Send(bytes, (int)size, MPI_BYTE, r, tag, t->inside);
}

void tuned_tell(tuned_state *t, int tag, const void *bytes, size_t size)
{
    drop_finished(&t->tellings);
    tuned_telling *x = create(t->n - 1, bytes, size);
    if (!x) {
        tell_and_wait(t, tag, bytes, size);
        return;
    }
    for (int r = 0, k = 0; r < t->n; r++)
        if (r != t->rank)
            PMPI_Isend(x->bytes, (int)size, MPI_BYTE, r, tag, t->inside, &x->requests[k++]);
    x->next = t->tellings;
    t->tellings = x;
}

void tuned_hear(const tuned_state *t, int rank, int tag, void *bytes, size_t size)
{
    PMPI_Recv(bytes, (int)size, MPI_BYTE, rank, tag, t->inside, MPI_STATUS_IGNORE);
}

bool tuned_has_come(const tuned_state *t, int rank, int tag)
{
    int come = 0;
    PMPI_Iprobe(rank, tag, t->inside, &come, MPI_STATUS_IGNORE);
    return come;
}

/* A message that is longer than nothing is cut. */
static void drop_messages(const tuned_state *t)
{
    for (int tag = TUNED_TAG_DECISION; tag <= TUNED_TAG_GATHERV; tag++)
        while (tuned_has_come(t, MPI_ANY_SOURCE, tag))
            tuned_hear(t, MPI_ANY_SOURCE, tag, NULL, 0);
}

void tuned_tellings_clear(tuned_state *t)
{
    drop_messages(t);
    drop_finished(&t->tellings);
    for (tuned_telling *x = t->tellings, *next; x; x = next) {
        next = x->next;
        for (int k = 0; k < x->count; k++)
            if (x->requests[k] != MPI_REQUEST_NULL)
                PMPI_Request_free(&x->requests[k]);
        free(x);
    }
    t->tellings = NULL;
}
