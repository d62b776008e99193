/* The doctor and classes: what a group of like processes has in common is no fault of any of them.
 */
#include "diagnose/examiner.h"

bool cpm_examine_is_alone(const cpm_classes *c, int i)
{
    return i >= 0 && c->members[c->of[i]] == 1;
}

static bool is_fault(const cpm_classes *c, const cpm_symptom *s)
{
    if (s->kind >= CPM_EXPERIMENT)
        return true;
    bool link = s->kind == CPM_LINK || s->kind == CPM_ASYMMETRY;
    return cpm_examine_is_alone(c, s->i) || (link && cpm_examine_is_alone(c, s->j));
}

int cpm_examine_leave_out_classes(cpm_examiner *x)
{
    cpm_diagnosis *d = x->d;
    int kept = 0;
    for (int q = 0; q < d->count; q++)
        if (is_fault(x->classes, &d->at[q]))
            d->at[kept++] = d->at[q];
    d->count = kept;
    d->groups = 0; /* classes say of which kind who is */
    return cpm_note(&d->notes, x->e,
                    "only processes that are alone in their class can be unlike the rest. The "
                    "notes of the model name processes that do not belong to their class (cpm "
                    "show)");
}
