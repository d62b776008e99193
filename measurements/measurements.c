/* Results in memory, found again by what was measured. */
#include "measurements/measurements.h"

#include <stdint.h>
#include <stdlib.h>

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * 0x100000001b3u; /* FNV-1a, a word at a time */
}

static uint64_t hash_of(const cpm_experiment *x)
{
    uint64_t hash = 0xcbf29ce484222325u;
    hash = mix(hash, (uint64_t)(uintptr_t)x->kind);
    hash = mix(hash, (uint64_t)(uintptr_t)x->collective.operation);
    hash = mix(hash, (uint64_t)(uintptr_t)x->collective.algorithm);
    hash = mix(hash, (uint64_t)x->i);
    hash = mix(hash, (uint64_t)x->j);
    hash = mix(hash, (uint64_t)x->k);
    hash = mix(hash, (uint64_t)x->count);
    hash = mix(hash, x->send_bytes);
    hash = mix(hash, x->reply_bytes);
    return hash ^ hash >> 32;
}

/* The slot that holds x, or the free one where it belongs. */
static int slot_of(const cpm_measurements *m, const cpm_experiment *x)
{
    int slot = (int)(hash_of(x) % (uint64_t)m->slots);
    while (m->slot[slot] >= 0 && !cpm_experiment_equal(&m->at[m->slot[slot]].what, x))
        slot = (slot + 1) % m->slots;
    return slot;
}

int cpm_measurements_find(const cpm_measurements *m, const cpm_experiment *x)
{
    return m->slots ? m->slot[slot_of(m, x)] : -1;
}

double cpm_measurement_value(const cpm_measurement *m, cpm_statistic statistic)
{
    if (statistic == CPM_MEDIAN && m->summary.huber > 0)
        return m->summary.huber;
    return cpm_summary_value(&m->summary, statistic);
}

/* Room for twice as many results; the table of slots stays at most half full. */
static int grow(cpm_measurements *m, cpm_error *e)
{
    int room = m->slots ? m->slots : 16;
    cpm_measurement *at = realloc(m->at, (size_t)room * sizeof *at);
    if (at)
        m->at = at;
    int *slot = at ? malloc(2 * (size_t)room * sizeof *slot) : NULL;
    if (!slot)
        return cpm_fail(e, CPM_ENOMEM, "no memory for %d measurements", room);
    free(m->slot);
    m->slot = slot;
    m->slots = 2 * room;
    for (int i = 0; i < m->slots; i++)
        slot[i] = -1;
    for (int i = 0; i < m->count; i++)
        slot[slot_of(m, &m->at[i].what)] = i;
    return CPM_OK;
}

int cpm_measurements_add(cpm_measurements *m, const cpm_measurement *r, cpm_error *e)
{
    int status = 2 * m->count < m->slots ? CPM_OK : grow(m, e);
    if (status)
        return status;
    m->at[m->count] = *r;
    m->slot[slot_of(m, &r->what)] = m->count;
    m->count++;
    return CPM_OK;
}

void cpm_measurements_clear(cpm_measurements *m)
{
    for (int i = 0; i < m->count; i++)
        free(m->at[i].samples);
    free(m->at);
    free(m->slot);
    cpm_facts_clear(&m->facts);
    *m = (cpm_measurements){0};
}
