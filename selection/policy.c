/* Names of policies. */
#include "selection/policy.h"

#include <string.h>

int cpm_adapt_policy_parse(const char *text, cpm_adapt_policy *out, cpm_error *e)
{
    static const char *const names[] = {[CPM_ADAPT_BUDGET] = "budget",
                                        [CPM_ADAPT_STAR] = "star",
                                        [CPM_ADAPT_STAR_BASIC] = "star-basic",
                                        [CPM_ADAPT_THRESHOLD] = "threshold"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(text, names[k]) == 0) {
            *out = (cpm_adapt_policy)k;
            return CPM_OK;
        }
    return cpm_fail(e, CPM_EUNKNOWN,
                    "unknown policy '%s' (known: budget, star, star-basic, threshold)", text);
}
