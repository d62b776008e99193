/* One row has what it takes. */
#include "selection/one_by_one.h"

#include "selection/escalation.h"

static const cpm_algorithm *row_of(const cpm_operation *o)
{
    const unsigned wanted = CPM_OWN_SIZE | CPM_CALMS | CPM_TAKES_THRESHOLD;
    for (const cpm_algorithm *a = cpm_algorithms; o->like && a->name; a++)
        if (cpm_algorithm_serves(a, o) && (a->properties & wanted) == wanted)
            return a;
    return NULL;
}

bool cpm_one_by_one(const cpm_model *m, const cpm_request *r, cpm_collective *out)
{
    cpm_switch_buffer buffer;
    const cpm_algorithm *a = row_of(r->operation);
    if (!a || r->n < 3 || !cpm_switch_buffer_of(m, &buffer))
        return false;
    *out = (cpm_collective){.algorithm = a};
    out->with.threshold = (size_t)(buffer.bytes / (r->n - 1) / 2) + 1;
    return true;
}
