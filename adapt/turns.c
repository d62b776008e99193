#include "adapt/turns.h"

#include <math.h>
#include <stdlib.h>

const char *cpm_verdict_name(cpm_verdict v)
{
    static const char *const names[] = {"cannot tell", "gains", "loses"};
    return names[v];
}

/* The share that is saved where times take these ratios. */
static int mean_share(const double *ratios, int count, cpm_ratio *out, cpm_error *e)
{
    const cpm_precision p = {.confidence = 0.95, .statistic = CPM_MEAN};
    cpm_summary s;
    int status = cpm_summarize(ratios, count, &p, &s, e);
    if (!status)
        *out = (cpm_ratio){1 - s.mean, 1 - s.ci_high, 1 - s.ci_low};
    return status;
}

static bool holds_0(const cpm_ratio *r)
{
    return r->low <= 0 && r->high >= 0;
}

static cpm_verdict judge(const cpm_turns_outcome *o)
{
    if (holds_0(&o->gain) || !holds_0(&o->itself))
        return CPM_CANNOT_TELL;
    return o->gain.low > 0 ? CPM_GAINS : CPM_LOSES;
}

int cpm_turns_judge(const double *first, const double *second, int count, cpm_turns_outcome *out,
                    cpm_error *e)
{
    *out = (cpm_turns_outcome){{NAN, NAN, NAN}, {NAN, NAN, NAN}, CPM_CANNOT_TELL};
    if (count < CPM_LEAST_TURNS)
        return CPM_OK;
    double *ratios = malloc((size_t)count * sizeof *ratios);
    if (!ratios)
        return cpm_no_memory(e);
    for (int k = 0; k < count; k++)
        ratios[k] = second[k] / first[k];
    int status = mean_share(ratios, count, &out->gain, e);
    for (int k = 0; k + 1 < count; k += 2)
        ratios[k / 2] = first[k + 1] / first[k];
    if (!status)
        status = mean_share(ratios, count / 2, &out->itself, e);
    if (!status)
        out->verdict = judge(out);
    free(ratios);
    return status;
}
