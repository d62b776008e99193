/* Are the parameters of a model times that can be? */
#include <math.h>
#include <stdio.h>

#include "base/numbers.h"
#include "models/model.h"

/* "'C' of process 3", "'L' from 0 to 3", "'C' of class 'fast'", "'S'" */
static void name_place(const cpm_model *m, const cpm_flaw *f, char *text, size_t size)
{
    const cpm_parameter *p = &m->type->parameters[f->parameter];
    const char *what = f->in_ci ? "confidence interval of " : "";
    char *const *name = m->classes.name;
    char bytes[32] = "", whose[96] = "";
    if (f->size >= 0)
        snprintf(bytes, sizeof bytes, " at %zu B",
                 cpm_parameter_sizes(m, f->parameter)->at[f->size]);
    if (p->shape == CPM_PROCESS && name)
        snprintf(whose, sizeof whose, " of class '%.32s'", name[f->i]);
    else if (cpm_shape_thing(p->shape))
        snprintf(whose, sizeof whose, " of %s '%.32s'", cpm_shape_thing(p->shape),
                 cpm_model_thing(m, p->shape, f->i));
    else if (p->shape == CPM_PROCESS)
        snprintf(whose, sizeof whose, " of process %d", f->i);
    else if (p->shape == CPM_PAIR && name)
        snprintf(whose, sizeof whose, " from class '%.32s' to '%.32s'", name[f->i], name[f->j]);
    else if (p->shape == CPM_PAIR)
        snprintf(whose, sizeof whose, " from %d to %d", f->i, f->j);
    snprintf(text, size, "%sparameter '%s'%s%s", what, p->name, bytes, whose);
}

static const char *wrong_value(const cpm_model *m, const cpm_flaw *f, double value)
{
    const cpm_parameter *p = &m->type->parameters[f->parameter];
    if (isnan(value))
        return f->in_ci || p->optional ? NULL : "is not a number";
    if (isinf(value) && f->in_ci) /* without bound it is unknown, and is written as null */
        return NULL;
    if (cpm_number_flaw(value))
        return cpm_number_flaw(value);
    if (p->shape == CPM_PAIR && value != 0 && !cpm_classes_meet(&m->classes, f->i, f->j))
        return "must be 0 (a process sends nothing to itself)";
    return value < 0 && (f->in_ci || !p->may_be_negative) ? "is negative" : NULL;
}

static bool check_value(const cpm_model *m, cpm_flaw *f, double value)
{
    const char *wrong = wrong_value(m, f, value);
    if (!wrong)
        return true;
    char place[176];
    name_place(m, f, place, sizeof place);
    snprintf(f->text, sizeof f->text, "%s %s: %g %s", place, wrong, value,
             m->type->parameters[f->parameter].unit);
    return false;
}

static bool check_slice(const cpm_model *m, int p, int k, bool in_ci, cpm_flaw *f)
{
    cpm_shape shape = m->type->parameters[p].shape;
    size_t columns = shape == CPM_PAIR ? (size_t)m->classes.count : 1;
    size_t rows = cpm_parameter_values(m, p) / columns;
    const double *value = (in_ci ? m->ci[p] : m->value[p]) + (size_t)k * rows * columns;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            *f = (cpm_flaw){.parameter = p,
                            .size = m->type->parameters[p].sized ? k : -1,
                            .i = shape == CPM_SCALAR ? -1 : (int)i,
                            .j = shape == CPM_PAIR ? (int)j : -1,
                            .in_ci = in_ci};
            if (!check_value(m, f, value[i * columns + j]))
                return false;
        }
    return true;
}

static bool check_values(const cpm_model *m, int p, bool in_ci, cpm_flaw *f)
{
    for (int k = 0; k < cpm_parameter_slices(m, p); k++)
        if (!check_slice(m, p, k, in_ci, f))
            return false;
    return true;
}

bool cpm_model_check(const cpm_model *m, cpm_flaw *flaw)
{
    for (int p = 0; p < m->type->count; p++)
        if (!check_values(m, p, false, flaw) || !check_values(m, p, true, flaw))
            return false;
    return !m->type->check || m->type->check(m, flaw);
}
