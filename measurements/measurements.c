/* Results in memory, found again by what was measured. */
#include "measurements/measurements.h"

#include <stdlib.h>

#include "base/vector.h"
#include "collectives/parameters.h"

static uint64_t key_of(const cpm_experiment *x)
{
    uint64_t key = cpm_hash_mix(0, (uint64_t)(uintptr_t)x->kind);
    key = cpm_hash_mix(key, (uint64_t)(uintptr_t)x->collective.operation);
    key = cpm_hash_mix(key, (uint64_t)(uintptr_t)x->collective.algorithm);
    key = cpm_hash_mix(key, cpm_parameters_hash(&x->collective.with));
    key = cpm_hash_mix(key, (uint64_t)x->i);
    key = cpm_hash_mix(key, (uint64_t)x->j);
    key = cpm_hash_mix(key, (uint64_t)x->k);
    key = cpm_hash_mix(key, (uint64_t)x->count);
    key = cpm_hash_mix(key, x->send_bytes);
    key = cpm_hash_mix(key, x->reply_bytes);
    return key | 1;
}

int cpm_measurements_find(const cpm_measurements *m, const cpm_experiment *x)
{
    const cpm_slot *slot = cpm_hash_find(&m->by_experiment, key_of(x));
    while (slot && !cpm_experiment_equal(&m->at[slot->index].what, x))
        slot = cpm_hash_next(&m->by_experiment, slot);
    return slot ? slot->index : -1;
}

const cpm_measurement *cpm_measurements_best(const cpm_measurements *m, cpm_experiment x)
{
    int found = -1;
    for (x.count = CPM_ALONE; x.count > 0 && found < 0; x.count--)
        found = cpm_measurements_find(m, &x);
    return found < 0 ? NULL : &m->at[found];
}

double cpm_measurement_value(const cpm_measurement *m, cpm_statistic statistic)
{
    if (statistic == CPM_MEDIAN && m->summary.huber > 0)
        return m->summary.huber;
    return cpm_summary_value(&m->summary, statistic);
}

double cpm_measurement_half(const cpm_measurement *m, cpm_statistic statistic)
{
    const cpm_summary *s = &m->summary;
    bool of_location = statistic == CPM_MEDIAN && s->huber > 0 && s->huber_half > 0;
    return of_location ? s->huber_half : (s->ci_high - s->ci_low) / 2;
}

int cpm_measurements_add(cpm_measurements *m, const cpm_measurement *r, cpm_error *e)
{
    cpm_slot *slot = NULL;
    if (cpm_vector_extend(&m->at, m->count, sizeof *m->at))
        slot = cpm_hash_add(&m->by_experiment, key_of(&r->what));
    if (!slot)
        return cpm_no_memory(e);
    slot->index = m->count;
    m->at[m->count++] = *r;
    return CPM_OK;
}

void cpm_measurements_clear(cpm_measurements *m)
{
    for (int i = 0; i < m->count; i++)
        free(m->at[i].samples);
    free(m->at);
    cpm_hash_free(&m->by_experiment);
    cpm_metadata_clear(&m->metadata);
    *m = (cpm_measurements){0};
}
