/* Which algorithms are as fast as the fastest. */
#include "tools/examine/standing.h"

#include <stdio.h>

#include "base/rank_tests.h"

static const double level = 0.05;

const char *standing_name(standing s)
{
    static const char *const names[] = {[STANDING_ALONE] = "-",
                                        [STANDING_FASTEST] = "fastest",
                                        [STANDING_AS_FAST] = "as fast",
                                        [STANDING_SLOWER] = "slower",
                                        [STANDING_TOO_FEW] = "too few"};
    return names[s];
}

void standing_explain(void)
{
    printf("# standing: among the algorithms of an operation, by a test of ranks at a level of "
           "%g %%\n",
           100 * level);
}

static bool is_comparable(const cpm_measurement *a, const cpm_measurement *with)
{
    return a && a->samples && with->samples &&
           a->what.collective.operation == with->what.collective.operation;
}

static int compare(const cpm_measurement *a, const cpm_measurement *fastest, int among,
                   standing *out, cpm_error *e)
{
    cpm_pair_test test;
    int m = a->summary.reps, n = fastest->summary.reps;
    int status = cpm_steel_dwass_test(a->samples, m, fastest->samples, n, among, &test, e);
    if (status)
        return status;
    if (test.p <= level)
        *out = test.above > 0.5 ? STANDING_SLOWER : STANDING_AS_FAST;
    else
        *out = cpm_steel_dwass_least(m, n, among) > level ? STANDING_TOO_FEW : STANDING_AS_FAST;
    return CPM_OK;
}

int standing_find(const cpm_measurement *const *result, int count, int which,
                  cpm_statistic statistic, standing *out, cpm_error *e)
{
    const cpm_measurement *fastest = NULL;
    int among = 0;
    for (int i = 0; i < count; i++) {
        if (!is_comparable(result[i], result[which]))
            continue;
        among++;
        if (!fastest || cpm_summary_value(&result[i]->summary, statistic) <
                            cpm_summary_value(&fastest->summary, statistic))
            fastest = result[i];
    }
    if (among < 2)
        *out = STANDING_ALONE;
    else if (fastest == result[which])
        *out = STANDING_FASTEST;
    else
        return compare(result[which], fastest, among, out, e);
    return CPM_OK;
}
