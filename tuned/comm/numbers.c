#include "tuned/comm/numbers.h"

#include <stdatomic.h>
#include <string.h>

/* The highest number that a call had in a communicator that has ended: MPI uses the identities of
 * communicators again, and messages of erroneous calls may still be there. */
static atomic_long last_call;

long tuned_numbers_last(void)
{
    return atomic_load(&last_call);
}

void tuned_numbers_end(const tuned_state *t)
{
    long last = atomic_load(&last_call);
    while (last < t->call && !atomic_compare_exchange_weak(&last_call, &last, t->call))
        continue;
}

void tuned_numbers_from(tuned_state *t, long call)
{
    t->call = t->since = call;
    memset(t->runs, 0, (size_t)CPM_OPERATIONS * (size_t)t->n * sizeof *t->runs);
    memset(t->nothing, 0, sizeof t->nothing);
}

/* Where nobody asks what MPI takes the root may be any number. */
uint16_t *tuned_numbers_place(const tuned_state *t, const cpm_operation *o, int root)
{
    size_t place = root < 0 || root >= t->n ? 0 : (size_t)root;
    return &t->runs[(size_t)(o - cpm_operations) * (size_t)t->n + place];
}

uint64_t tuned_numbers_stream(const tuned_state *t, const cpm_operation *o, int root)
{
    const uint64_t place = (uint64_t)(o - cpm_operations) << 32 | (uint64_t)(unsigned)root;
    return cpm_hash_mix((uint64_t)t->since, place);
}

void tuned_numbers_count(tuned_state *t, const cpm_operation *o, int root)
{
    uint16_t *number = tuned_numbers_place(t, o, root);
    t->call++;
    t->stream = tuned_numbers_in(tuned_numbers_stream(t, o, root), (*number)++);
}

unsigned tuned_numbers_run(const tuned_state *t, const cpm_operation *o, int root)
{
    return (unsigned)t->since + *tuned_numbers_place(t, o, root);
}

void tuned_numbers_uncount(tuned_state *t, const cpm_operation *o, int root)
{
    t->call--;
    (*tuned_numbers_place(t, o, root))--;
}
