/* The doctor and classes: what a group of like processes has in common is no fault of any of them.
 */
#include "estimators/doctor.h"

static bool is_alone(const cpm_classes *c, int i)
{
    return i >= 0 && c->members[c->of[i]] == 1;
}

static bool is_fault(const cpm_classes *c, const cpm_symptom *s)
{
    if (s->kind == CPM_CROWDED || s->kind == CPM_EXPERIMENT)
        return true;
    bool link = s->kind == CPM_LINK || s->kind == CPM_ASYMMETRY;
    return is_alone(c, s->i) || (link && is_alone(c, s->j));
}

int cpm_diagnosis_of_classes(cpm_diagnosis *d, const cpm_classes *c, cpm_error *e)
{
    int kept = 0;
    if (!c->name)
        return CPM_OK;
    for (int q = 0; q < d->count; q++)
        if (is_fault(c, &d->at[q]))
            d->at[kept++] = d->at[q];
    d->count = kept;
    return cpm_note(&d->notes, e,
                    "only processes that are alone in their class can be unlike the rest; who does "
                    "not belong to its class is in the notes of the model (cpm show)");
}
