/* Names of policies. */
#include "adapt/policy.h"

#include "base/names.h"

const char *cpm_adapt_policy_named(int k)
{
    static const char *const names[] = {[CPM_ADAPT_BUDGET] = "budget",
                                        [CPM_ADAPT_STAR] = "star",
                                        [CPM_ADAPT_STAR_BASIC] = "star-basic",
                                        [CPM_ADAPT_THRESHOLD] = "threshold"};
    return k < (int)(sizeof names / sizeof *names) ? names[k] : NULL;
}

int cpm_adapt_policy_parse(const char *text, cpm_adapt_policy *out, cpm_error *e)
{
    int k;
    int status = cpm_names_find(cpm_adapt_policy_named, "policy", text, &k, e);
    if (!status)
        *out = (cpm_adapt_policy)k;
    return status;
}
