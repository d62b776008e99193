/* The parameters in a .mod file: every value against what the model's table says. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/mod_values.h"

const char *const mod_regimes[CPM_LEVELS] = {"sizes", "inside", "across"};

/* ---- shapes; there are g classes, or switches */

static int check_slice(const cpm_json *at, const cpm_parameter *parameter, int g)
{
    char what[80];
    snprintf(what, sizeof what, "parameter '%s'", parameter->name);
    if (parameter->shape == CPM_SCALAR)
        return CPM_OK;
    int status = cpm_json_check_length(at, what, g);
    for (int i = 0; !status && parameter->shape == CPM_PAIR && i < g; i++) {
        cpm_json row = cpm_json_element(at, i);
        snprintf(what, sizeof what, "parameter '%s', row %d", parameter->name, i);
        status = cpm_json_check_length(&row, what, g);
    }
    return status;
}

static int check_shape(const cpm_json *at, const cpm_parameter *parameter, int g, int sizes)
{
    if (!parameter->sized)
        return check_slice(at, parameter, g);
    char what[80];
    snprintf(what, sizeof what, "parameter '%s', for each of \"%s\"", parameter->name,
             mod_regimes[parameter->level]);
    int status = cpm_json_check_length(at, what, sizes);
    for (int k = 0; !status && k < sizes; k++) {
        cpm_json slice = cpm_json_element(at, k);
        status = check_slice(&slice, parameter, g);
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
    if (parameter->shape == CPM_INNER_LINK && !counts->links)
        return "links, which (\"links\") are missing";
    return NULL;
}

static int check_parameter(const cpm_json *all, const cpm_parameter *parameter,
                           const mod_counts *counts)
{
    cpm_json p = cpm_json_member(all, parameter->name);
    const char *missing = lacks(parameter, counts);
    bool of_network =
        parameter->level == CPM_BETWEEN && counts->regimes[CPM_INSIDE] > 0 && counts->classes == 1;
    int g = parameter->shape == CPM_SWITCH       ? counts->switches
            : parameter->shape == CPM_INNER_LINK ? counts->links
                                                 : counts->classes;
    int sizes = parameter->level == CPM_LOCAL ? 1 : counts->regimes[parameter->level];
    if (!p.value && (parameter->optional || missing || of_network))
        return CPM_OK; /* written before the model knew it, or nothing is known */
    if (missing)
        return cpm_json_complain(&p, "parameter '%s' is of %s", parameter->name, missing);
    if (!json_is_object(p.value))
        return cpm_json_complain(&p, "parameter '%s': expected an object, found %s",
                                 parameter->name, cpm_json_kind(p.value));
    cpm_json unit = cpm_json_member(&p, "unit"), value = cpm_json_member(&p, "value"),
             ci = cpm_json_member(&p, "ci");
    const char *text = json_string_value(unit.value);
    if (!text || strcmp(text, parameter->unit) != 0)
        return cpm_json_complain(&unit, "parameter '%s': its \"unit\" must be \"%s\"",
                                 parameter->name, parameter->unit);
    int status = check_shape(&value, parameter, g, sizes);
    if (!status && ci.value && !json_is_null(ci.value))
        status = check_shape(&ci, parameter, g, sizes);
    return status;
}

int mod_check_shapes(const cpm_json *root, const cpm_model_type *type, const mod_counts *counts)
{
    cpm_json all = cpm_json_member(root, "parameters");
    int status = CPM_OK;
    if (!json_is_object(all.value))
        return cpm_json_expected(&all, "an object");
    for (int i = 0; !status && i < type->count; i++)
        status = check_parameter(&all, &type->parameters[i], counts);
    const char *name;
    json_t *object;
    json_object_foreach(all.value, name, object)
    {
        cpm_json p = cpm_json_member(&all, name);
        if (!status && cpm_parameter_index(type, name) < 0)
            status = cpm_json_complain(&p, "model %s has no parameter '%s'", type->name, name);
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

static int complain_number(const cpm_json *at, const char *name)
{
    return cpm_json_complain(at, "parameter '%s': expected a number, found %s", name,
                             cpm_json_kind(at->value));
}

static int read_row(const cpm_json *row, const char *name, bool nullable, double *out)
{
    size_t count = json_array_size(row->value);
    for (size_t i = 0; i < count; i++)
        if (!take_number(json_array_get(row->value, i), nullable, &out[i])) {
            cpm_json at = cpm_json_element(row, (int)i);
            return complain_number(&at, name);
        }
    return CPM_OK;
}

static int read_slice(const cpm_json *at, const cpm_parameter *parameter, bool nullable, int g,
                      double *out)
{
    if (parameter->shape == CPM_SCALAR)
        return take_number(at->value, nullable, out) ? CPM_OK
                                                     : complain_number(at, parameter->name);
    if (parameter->shape != CPM_PAIR)
        return read_row(at, parameter->name, nullable, out);
    int status = CPM_OK;
    for (int i = 0; !status && i < g; i++) {
        cpm_json row = cpm_json_element(at, i);
        status = read_row(&row, parameter->name, nullable, out + (size_t)i * (size_t)g);
    }
    return status;
}

static int read_values(const cpm_json *at, int parameter, bool nullable, const cpm_model *m,
                       double *out)
{
    const cpm_parameter *of = &m->type->parameters[parameter];
    size_t count = cpm_parameter_values(m, parameter);
    int status = CPM_OK;
    if (!of->sized)
        return read_slice(at, of, nullable, m->classes.count, out);
    for (int k = 0; !status && k < cpm_parameter_slices(m, parameter); k++) {
        cpm_json slice = cpm_json_element(at, k);
        status = read_slice(&slice, of, nullable, m->classes.count, out + (size_t)k * count);
    }
    return status;
}

static int read_parameter(const cpm_json *all, int p, cpm_model *m)
{
    const cpm_parameter *parameter = &m->type->parameters[p];
    cpm_json at = cpm_json_member(all, parameter->name);
    cpm_json value = cpm_json_member(&at, "value"), ci = cpm_json_member(&at, "ci");
    if (!at.value) /* which was found to be allowed, if all processes are on one host */
        return parameter->optional || !cpm_model_has_parameter(m, p)
                   ? CPM_OK
                   : cpm_json_complain(&at, "parameter '%s' is missing", parameter->name);
    int status = read_values(&value, p, parameter->optional, m, m->value[p]);
    if (!status && ci.value && !json_is_null(ci.value))
        status = read_values(&ci, p, true, m, m->ci[p]);
    return status;
}

static int check_values(const cpm_json *all, const cpm_model *m)
{
    cpm_flaw flaw;
    if (cpm_model_check(m, &flaw))
        return CPM_OK;
    cpm_json p = cpm_json_member(all, m->type->parameters[flaw.parameter].name);
    p = cpm_json_member(&p, flaw.in_ci ? "ci" : "value");
    const int index[] = {flaw.size, flaw.i, flaw.j};
    for (int k = 0; k < 3; k++)
        if (index[k] >= 0)
            p = cpm_json_element(&p, index[k]);
    return cpm_json_complain(&p, "%s", flaw.text);
}

int mod_read_values(const cpm_json *root, cpm_model *m)
{
    const cpm_json all = cpm_json_member(root, "parameters");
    int status = CPM_OK;
    for (int p = 0; !status && p < m->type->count; p++)
        status = read_parameter(&all, p, m);
    return status ? status : check_values(&all, m);
}
