#include "tables/gains.h"

bool cpm_rule_is_predicted(const cpm_rule *r)
{
    return r->what.algorithm && r->figures.measured == 0;
}

static double least_gain(const cpm_rules *r, int k)
{
    bool again = k + 1 < r->count && r->at[k].figures.native <= 0 &&
                 cpm_collective_same(&r->at[k].what, &r->at[k + 1].what);
    return r->at[again ? k + 1 : k].figures.least_gain;
}

static void keep(cpm_rules *r, cpm_gains *counts)
{
    for (int k = 0; k < r->count; k++) {
        cpm_rule *x = &r->at[k];
        bool predicted = cpm_rule_is_predicted(x);
        bool unsure = x->what.algorithm && !predicted && !(least_gain(r, k) > 0);
        counts->rules += x->what.algorithm != NULL;
        counts->predicted += predicted;
        counts->unsure += unsure;
        if (unsure)
            x->what = (cpm_collective){.operation = x->what.operation};
    }
}

cpm_gains cpm_table_keep_gains(cpm_table *t)
{
    cpm_gains counts = {0};
    for (int i = 0; i < t->count; i++)
        keep(&t->at[i], &counts);
    return counts;
}
