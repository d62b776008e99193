/* Sentences of a fit, kept in the model. */
#include "estimators/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int cpm_note(cpm_model *m, cpm_error *e, const char *format, ...)
{
    char sentence[400], *all;
    va_list list;
    va_start(list, format);
    vsnprintf(sentence, sizeof sentence, format, list);
    va_end(list);
    if (asprintf(&all, "%s%s%s", m->notes ? m->notes : "", m->notes ? "\n" : "", sentence) < 0)
        return cpm_fail(e, CPM_ENOMEM, "no memory for the notes of the model");
    free(m->notes);
    m->notes = all;
    return CPM_OK;
}

static int raise_negative(cpm_model *m, int parameter, cpm_error *e)
{
    size_t count = cpm_parameter_values(m->type, parameter, m->classes.count) *
                   (size_t)cpm_parameter_slices(m, parameter);
    int negative = 0;
    double worst = 0;
    for (size_t v = 0; v < count; v++) {
        double *value = &m->value[parameter][v];
        if (!(*value < 0))
            continue;
        worst = *value < worst ? *value : worst;
        *value = 0;
        negative++;
    }
    if (!negative)
        return CPM_OK;
    return cpm_note(m, e,
                    "%d of %zu values of %s came out negative (down to %.3g %s) and are set to 0",
                    negative, count, m->type->parameters[parameter].name, worst,
                    m->type->parameters[parameter].unit);
}

int cpm_note_negative(cpm_model *m, cpm_error *e)
{
    int status = CPM_OK;
    for (int p = 0; p < m->type->count && !status; p++)
        if (!m->type->parameters[p].may_be_negative)
            status = raise_negative(m, p, e);
    return status;
}
