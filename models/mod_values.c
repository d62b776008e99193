/* The parameters in a .mod file: every value against what the model's table says. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/mod_source.h"

const char *const mod_regimes[CPM_LEVELS] = {"sizes", "inside", "across"};

/* ---- shapes; there are g classes, or switches */

static int check_slice(const mod_source *s, const mod_place *p, const cpm_parameter *parameter,
                       const json_t *value, int g)
{
    char what[80];
    snprintf(what, sizeof what, "parameter '%s'", parameter->name);
    if (parameter->shape == CPM_SCALAR)
        return CPM_OK;
    int status = mod_check_length(s, p, what, value, g);
    for (int i = 0; !status && parameter->shape == CPM_PAIR && i < g; i++) {
        mod_place row = mod_inside(*p, NULL, i);
        snprintf(what, sizeof what, "parameter '%s', row %d", parameter->name, i);
        status = mod_check_length(s, &row, what, json_array_get(value, (size_t)i), g);
    }
    return status;
}

static int check_shape(const mod_source *s, const mod_place *p, const cpm_parameter *parameter,
                       const json_t *value, int g, int sizes)
{
    if (!parameter->sized)
        return check_slice(s, p, parameter, value, g);
    char what[80];
    snprintf(what, sizeof what, "parameter '%s', for each of \"%s\"", parameter->name,
             mod_regimes[parameter->level]);
    int status = mod_check_length(s, p, what, value, sizes);
    for (int k = 0; !status && k < sizes; k++) {
        mod_place slice = mod_inside(*p, NULL, k);
        status = check_slice(s, &slice, parameter, json_array_get(value, (size_t)k), g);
    }
    return status;
}

/* What is missing that the parameter is of; NULL: nothing. */
static const char *lacks(const cpm_parameter *parameter, const mod_counts *counts)
{
    if (parameter->level == CPM_INSIDE && !counts->regimes[CPM_INSIDE])
        return "messages inside a host, whose sizes (\"inside\") are missing";
    if (parameter->level == CPM_ACROSS && !counts->regimes[CPM_ACROSS])
        return "messages between sockets, whose sizes (\"across\") are missing";
    if (parameter->shape == CPM_SWITCH && !counts->switches)
        return "switches, which (\"switches\") are missing";
    return NULL;
}

static int check_parameter(const mod_source *s, const json_t *all, const cpm_parameter *parameter,
                           const mod_counts *counts)
{
    mod_place p = mod_inside(mod_top("parameters"), parameter->name, 0);
    const json_t *object = json_object_get(all, parameter->name);
    const char *missing = lacks(parameter, counts);
    bool of_network =
        parameter->level == CPM_BETWEEN && counts->regimes[CPM_INSIDE] > 0 && counts->classes == 1;
    int g = parameter->shape == CPM_SWITCH ? counts->switches : counts->classes;
    int sizes = counts->regimes[parameter->level];
    if (!object && (parameter->optional || missing || of_network))
        return CPM_OK; /* written before the model knew it, or nothing is known */
    if (missing)
        return mod_complain(s, &p, "parameter '%s' is of %s", parameter->name, missing);
    if (!json_is_object(object))
        return mod_complain(s, &p, "parameter '%s': expected an object, found %s", parameter->name,
                            mod_kind(object));
    const char *unit = json_string_value(json_object_get(object, "unit"));
    mod_place of_unit = mod_inside(p, "unit", 0);
    if (!unit || strcmp(unit, parameter->unit) != 0)
        return mod_complain(s, &of_unit, "parameter '%s': its \"unit\" must be \"%s\"",
                            parameter->name, parameter->unit);
    mod_place of_value = mod_inside(p, "value", 0), of_ci = mod_inside(p, "ci", 0);
    int status = check_shape(s, &of_value, parameter, json_object_get(object, "value"), g, sizes);
    const json_t *ci = json_object_get(object, "ci");
    if (!status && ci && !json_is_null(ci))
        status = check_shape(s, &of_ci, parameter, ci, g, sizes);
    return status;
}

int mod_check_shapes(const mod_source *s, const json_t *root, const cpm_model_type *type,
                     const mod_counts *counts)
{
    json_t *all = json_object_get(root, "parameters"), *object;
    mod_place p = mod_top("parameters");
    int status = CPM_OK;
    if (!json_is_object(all))
        return mod_complain(s, &p, "expected an object as \"parameters\", found %s", mod_kind(all));
    for (int i = 0; !status && i < type->count; i++)
        status = check_parameter(s, all, &type->parameters[i], counts);
    const char *name;
    json_object_foreach(all, name, object)
    {
        p = mod_inside(mod_top("parameters"), name, 0);
        if (!status && cpm_parameter_index(type, name) < 0)
            status = mod_complain(s, &p, "model %s has no parameter '%s'", type->name, name);
    }
    return status;
}

/* ---- values */

/* False: it is no number. */
static bool take_number(const json_t *json, bool nullable, double *out)
{
    if (!json_is_number(json) && !(nullable && json_is_null(json)))
        return false;
    *out = json_is_number(json) ? json_number_value(json) : NAN;
    return true;
}

static int complain_number(const mod_source *s, const mod_place *p, const char *name,
                           const json_t *json)
{
    return mod_complain(s, p, "parameter '%s': expected a number, found %s", name, mod_kind(json));
}

static int read_row(const mod_source *s, const mod_place *p, const char *name, const json_t *row,
                    bool nullable, double *out)
{
    size_t count = json_array_size(row);
    for (size_t i = 0; i < count; i++) {
        const json_t *json = json_array_get(row, i);
        if (take_number(json, nullable, &out[i]))
            continue;
        mod_place at = mod_inside(*p, NULL, (int)i);
        return complain_number(s, &at, name, json);
    }
    return CPM_OK;
}

static int read_slice(const mod_source *s, const mod_place *p, const cpm_parameter *parameter,
                      const json_t *json, bool nullable, int g, double *out)
{
    if (parameter->shape == CPM_SCALAR)
        return take_number(json, nullable, out) ? CPM_OK
                                                : complain_number(s, p, parameter->name, json);
    if (parameter->shape != CPM_PAIR)
        return read_row(s, p, parameter->name, json, nullable, out);
    int status = CPM_OK;
    for (int i = 0; !status && i < g; i++) {
        mod_place row = mod_inside(*p, NULL, i);
        status = read_row(s, &row, parameter->name, json_array_get(json, (size_t)i), nullable,
                          out + (size_t)i * (size_t)g);
    }
    return status;
}

static int read_values(const mod_source *s, const mod_place *p, int parameter, const json_t *json,
                       bool nullable, const cpm_model *m, double *out)
{
    const cpm_parameter *of = &m->type->parameters[parameter];
    size_t count = cpm_parameter_values(m, parameter);
    int status = CPM_OK;
    if (!of->sized)
        return read_slice(s, p, of, json, nullable, m->classes.count, out);
    for (int k = 0; !status && k < cpm_parameter_slices(m, parameter); k++) {
        mod_place slice = mod_inside(*p, NULL, k);
        status = read_slice(s, &slice, of, json_array_get(json, (size_t)k), nullable,
                            m->classes.count, out + (size_t)k * count);
    }
    return status;
}

static int read_parameter(const mod_source *s, const json_t *root, int p, cpm_model *m)
{
    const cpm_parameter *parameter = &m->type->parameters[p];
    const json_t *object = json_object_get(json_object_get(root, "parameters"), parameter->name);
    mod_place at = mod_inside(mod_top("parameters"), parameter->name, 0);
    mod_place of_value = mod_inside(at, "value", 0), of_ci = mod_inside(at, "ci", 0);
    if (!object) /* which was found to be allowed, if all processes are on one host */
        return parameter->optional || !cpm_model_has_parameter(m, p)
                   ? CPM_OK
                   : mod_complain(s, &at, "parameter '%s' is missing", parameter->name);
    int status = read_values(s, &of_value, p, json_object_get(object, "value"), parameter->optional,
                             m, m->value[p]);
    const json_t *ci = json_object_get(object, "ci");
    if (!status && ci && !json_is_null(ci))
        status = read_values(s, &of_ci, p, ci, true, m, m->ci[p]);
    return status;
}

static int check_values(const mod_source *s, const cpm_model *m)
{
    cpm_flaw flaw;
    if (cpm_model_check(m, &flaw))
        return CPM_OK;
    mod_place p = mod_inside(mod_top("parameters"), m->type->parameters[flaw.parameter].name, 0);
    p = mod_inside(p, flaw.in_ci ? "ci" : "value", 0);
    if (flaw.size >= 0)
        p = mod_inside(p, NULL, flaw.size);
    if (flaw.i >= 0)
        p = mod_inside(p, NULL, flaw.i);
    if (flaw.j >= 0)
        p = mod_inside(p, NULL, flaw.j);
    return mod_complain(s, &p, "%s", flaw.text);
}

int mod_read_values(const mod_source *s, const json_t *root, cpm_model *m)
{
    int status = CPM_OK;
    for (int p = 0; !status && p < m->type->count; p++)
        status = read_parameter(s, root, p, m);
    return status ? status : check_values(s, m);
}
