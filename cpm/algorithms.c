/* What there is: operations and their algorithms. */
#include "collectives/algorithm.h"
#include "cpm/cpm.h"

const char *cpm_operation_name(int index)
{
    return index >= 0 && index < CPM_OPERATIONS ? cpm_operations[index].name : NULL;
}

static void describe(const cpm_algorithm *a, const cpm_operation *of, cpm_algorithm_info *out)
{
    *out = (cpm_algorithm_info){.operation = of->name,
                                .name = a->name,
                                .source = a->source,
                                .group = cpm_algorithm_group(a),
                                .least = a->least,
                                .most = a->most};
    cpm_algorithm_needs(a, out->needs, sizeof out->needs);
    cpm_algorithm_takes(a, out->takes, sizeof out->takes);
}

bool cpm_algorithm_get(const char *operation, int index, cpm_algorithm_info *out)
{
    const cpm_operation *of;
    if (index < 0 || cpm_operation_find(operation, &of, NULL))
        return false;
    int seen = 0;
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        if (cpm_algorithm_serves(a, of) && seen++ == index) {
            describe(a, of, out);
            return true;
        }
    return false;
}
