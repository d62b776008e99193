#include "collectives/schedule/seen_runs.h"

#include <stdlib.h>

#include "base/vector.h"

static int by_first(const void *a, const void *b)
{
    const cpm_run *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

static bool in_order(const cpm_seen_runs *o)
{
    for (int64_t k = 1; k < o->count; k++)
        if (o->seen[k].first < o->seen[k - 1].first)
            return false;
    return true;
}

static int64_t end_of(cpm_run run)
{
    return run.first + run.count;
}

static void merge(cpm_seen_runs *o)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < o->count; k++) {
        cpm_run *last = kept ? &o->seen[kept - 1] : NULL, next = o->seen[k];
        if (last && next.first <= end_of(*last))
            last->count = end_of(next) > end_of(*last) ? end_of(next) - last->first : last->count;
        else
            o->seen[kept++] = next;
    }
    o->count = kept;
}

static bool is_one(const cpm_step *step, bool sends)
{
    return sends ? step->kind == CPM_SEND : step->kind == CPM_RECV || step->kind == CPM_COMBINE;
}

int cpm_seen_runs_see(cpm_seen_runs *o, bool sends, const cpm_steps *steps, cpm_error *e)
{
    o->count = 0;
    for (int k = 0; k < steps->count; k++)
        for (int r = 0; is_one(&steps->at[k], sends) && r < steps->at[k].runs; r++) {
            if (!cpm_vector_reserve(&o->seen, &o->capacity, o->count + 1, sizeof *o->seen))
                return cpm_no_memory(e);
            o->seen[o->count++] = cpm_step_run(steps, &steps->at[k], r);
        }
    if (!in_order(o))
        qsort(o->seen, (size_t)o->count, sizeof *o->seen, by_first);
    merge(o);
    return CPM_OK;
}

/* The last seen run that begins before the end of this one is the one that may overlap it. */
static bool overlaps(const cpm_seen_runs *o, cpm_run run)
{
    int64_t low = 0, high = o->count;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (o->seen[middle].first < end_of(run))
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && end_of(o->seen[low - 1]) > run.first;
}

bool cpm_seen_runs_hold(const cpm_seen_runs *o, const cpm_steps *steps, const cpm_step *step)
{
    for (int r = 0; step->kind <= CPM_RECV && r < step->runs; r++)
        if (overlaps(o, cpm_step_run(steps, step, r)))
            return true;
    return false;
}

void cpm_seen_runs_free(cpm_seen_runs *o)
{
    free(o->seen);
    *o = (cpm_seen_runs){0};
}
