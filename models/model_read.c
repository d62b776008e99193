/* Reading a .mod file: JSON by jansson, then every value against what the model's table says. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/json_line.h"
#include "models/model.h"

/* The text being read: what messages need. */
typedef struct {
    const char *where, *text;
    cpm_error *e;
} source;

/* The way to a value that is wrong: at most parameters, name, value or ci, size, i, j. */
typedef struct {
    cpm_json_step step[6];
    int steps;
} place;

static place top(const char *key)
{
    return (place){{{key, 0}}, 1};
}

static place inside(place p, const char *key, int index)
{
    p.step[p.steps++] = (cpm_json_step){key, index};
    return p;
}

static int complain(const source *s, const place *p, const char *format, ...)
{
    char sentence[400];
    va_list list;
    va_start(list, format);
    vsnprintf(sentence, sizeof sentence, format, list);
    va_end(list);
    int line = cpm_json_line(s->text, p->step, p->steps);
    return cpm_fail(s->e, CPM_EPARSE, "%s:%d: %s", s->where, line, sentence);
}

static const char *kind_name(const json_t *value)
{
    if (!value)
        return "nothing";
    static const char *const name[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "a list",  [JSON_STRING] = "a string",
        [JSON_INTEGER] = "a number", [JSON_REAL] = "a number", [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",      [JSON_NULL] = "null"};
    return name[json_typeof(value)];
}

/* ---- header */

static int check_format(const source *s, const json_t *root)
{
    if (!json_is_object(root))
        return complain(s, &(place){.steps = 0}, "not a model file: %s", kind_name(root));
    const char *format = json_string_value(json_object_get(root, "format"));
    place p = top("format");
    if (!format || strcmp(format, "cpm model") != 0)
        return complain(s, &p, "not a model file: \"format\" is not \"cpm model\"");
    const json_t *version = json_object_get(root, "version");
    p = top("version");
    if (!json_is_integer(version))
        return complain(s, &p, "expected a number as \"version\", found %s", kind_name(version));
    if (json_integer_value(version) != 1)
        return complain(s, &p, "version %lld of the format is not known, only 1",
                        (long long)json_integer_value(version));
    return CPM_OK;
}

static int read_type(const source *s, const json_t *root, const cpm_model_type **type)
{
    const json_t *model = json_object_get(root, "model");
    place p = top("model");
    if (!json_is_string(model))
        return complain(s, &p, "expected a name as \"model\", found %s", kind_name(model));
    cpm_error unknown = {0};
    if (cpm_model_type_find(json_string_value(model), type, &unknown))
        return complain(s, &p, "%s", unknown.text);
    return CPM_OK;
}

static int read_processes(const source *s, const json_t *root, const cpm_model_type *type, int *n)
{
    const json_t *processes = json_object_get(root, "processes");
    place p = top("processes");
    if (!json_is_integer(processes))
        return complain(s, &p, "expected a number as \"processes\", found %s",
                        kind_name(processes));
    json_int_t count = json_integer_value(processes);
    if (count < type->min_processes || count > 1 << 24)
        return complain(s, &p, "model %s cannot have %lld processes (at least %d)", type->name,
                        (long long)count, type->min_processes);
    *n = (int)count;
    return CPM_OK;
}

/* Bytes, ascending. A model has them exactly if one of its parameters is sized. */
static int read_sizes(const source *s, const json_t *root, const cpm_model_type *type,
                      cpm_sizes *out)
{
    const json_t *all = json_object_get(root, "sizes");
    place p = top("sizes");
    if (!cpm_model_type_sized(type) && !all)
        return CPM_OK;
    if (!cpm_model_type_sized(type))
        return complain(s, &p, "model %s has no \"sizes\"", type->name);
    if (!json_is_array(all) || json_array_size(all) == 0)
        return complain(s, &p, "model %s needs a list of message sizes as \"sizes\"", type->name);
    out->at = malloc(json_array_size(all) * sizeof *out->at);
    if (!out->at)
        return cpm_fail(s->e, CPM_ENOMEM, "%s: no memory for the message sizes", s->where);
    for (size_t k = 0; k < json_array_size(all); k++) {
        const json_t *size = json_array_get(all, k);
        place at = inside(p, NULL, (int)k);
        json_int_t bytes = json_is_integer(size) ? json_integer_value(size) : -1;
        if (bytes < 0 || (k > 0 && (size_t)bytes <= out->at[k - 1]))
            return complain(s, &at, "message size %zu: expected bytes above those before it", k);
        out->at[out->count++] = (size_t)bytes;
    }
    return CPM_OK;
}

/* ---- shapes: checked before anything is allocated, so that memory is bounded by the file */

static int check_length(const source *s, const place *p, const char *what, const json_t *list,
                        int n)
{
    if (!json_is_array(list))
        return complain(s, p, "%s: expected a list of %d values, found %s", what, n,
                        kind_name(list));
    if (json_array_size(list) != (size_t)n)
        return complain(s, p, "%s: expected %d values, found %zu", what, n, json_array_size(list));
    return CPM_OK;
}

static int check_slice(const source *s, const place *p, const cpm_parameter *parameter,
                       const json_t *value, int n)
{
    char what[80];
    snprintf(what, sizeof what, "parameter '%s'", parameter->name);
    if (parameter->shape == CPM_SCALAR)
        return CPM_OK;
    int status = check_length(s, p, what, value, n);
    for (int i = 0; !status && parameter->shape == CPM_PAIR && i < n; i++) {
        place row = inside(*p, NULL, i);
        snprintf(what, sizeof what, "parameter '%s', row %d", parameter->name, i);
        status = check_length(s, &row, what, json_array_get(value, (size_t)i), n);
    }
    return status;
}

static int check_shape(const source *s, const place *p, const cpm_parameter *parameter,
                       const json_t *value, int n, int sizes)
{
    if (!parameter->sized)
        return check_slice(s, p, parameter, value, n);
    char what[80];
    snprintf(what, sizeof what, "parameter '%s', for each of \"sizes\"", parameter->name);
    int status = check_length(s, p, what, value, sizes);
    for (int k = 0; !status && k < sizes; k++) {
        place slice = inside(*p, NULL, k);
        status = check_slice(s, &slice, parameter, json_array_get(value, (size_t)k), n);
    }
    return status;
}

static int check_parameter(const source *s, const json_t *all, const cpm_parameter *parameter,
                           int n, int sizes)
{
    place p = inside(top("parameters"), parameter->name, 0);
    const json_t *object = json_object_get(all, parameter->name);
    if (!json_is_object(object))
        return complain(s, &p, "parameter '%s': expected an object, found %s", parameter->name,
                        kind_name(object));
    const char *unit = json_string_value(json_object_get(object, "unit"));
    place of_unit = inside(p, "unit", 0);
    if (!unit || strcmp(unit, parameter->unit) != 0)
        return complain(s, &of_unit, "parameter '%s': its \"unit\" must be \"%s\"", parameter->name,
                        parameter->unit);
    place of_value = inside(p, "value", 0), of_ci = inside(p, "ci", 0);
    int status = check_shape(s, &of_value, parameter, json_object_get(object, "value"), n, sizes);
    const json_t *ci = json_object_get(object, "ci");
    if (!status && ci && !json_is_null(ci))
        status = check_shape(s, &of_ci, parameter, ci, n, sizes);
    return status;
}

static int check_shapes(const source *s, const json_t *root, const cpm_model_type *type, int n,
                        int sizes)
{
    place p = top("hosts");
    int status = check_length(s, &p, "\"hosts\"", json_object_get(root, "hosts"), n);
    const json_t *all = json_object_get(root, "parameters");
    p = top("parameters");
    if (!status && !json_is_object(all))
        return complain(s, &p, "expected an object as \"parameters\", found %s", kind_name(all));
    for (int i = 0; !status && i < type->count; i++)
        status = check_parameter(s, all, &type->parameters[i], n, sizes);
    const char *name;
    json_t *object;
    json_object_foreach((json_t *)all, name, object)
    {
        p = inside(top("parameters"), name, 0);
        if (!status && cpm_parameter_index(type, name) < 0)
            status = complain(s, &p, "model %s has no parameter '%s'", type->name, name);
    }
    return status;
}

/* ---- values */

static int read_number(const source *s, const place *p, const char *name, const json_t *json,
                       bool nullable, double *out)
{
    if (json_is_null(json) && nullable) {
        *out = NAN;
        return CPM_OK;
    }
    if (!json_is_number(json))
        return complain(s, p, "parameter '%s': expected a number, found %s", name, kind_name(json));
    *out = json_number_value(json);
    return CPM_OK;
}

static int read_row(const source *s, const place *p, const char *name, const json_t *row,
                    bool nullable, double *out)
{
    int status = CPM_OK;
    for (size_t i = 0; !status && i < json_array_size(row); i++) {
        place at = inside(*p, NULL, (int)i);
        status = read_number(s, &at, name, json_array_get(row, i), nullable, &out[i]);
    }
    return status;
}

static int read_slice(const source *s, const place *p, const cpm_parameter *parameter,
                      const json_t *json, bool nullable, int n, double *out)
{
    if (parameter->shape == CPM_SCALAR)
        return read_number(s, p, parameter->name, json, nullable, out);
    if (parameter->shape == CPM_PROCESS)
        return read_row(s, p, parameter->name, json, nullable, out);
    int status = CPM_OK;
    for (int i = 0; !status && i < n; i++) {
        place row = inside(*p, NULL, i);
        status = read_row(s, &row, parameter->name, json_array_get(json, (size_t)i), nullable,
                          out + (size_t)i * (size_t)n);
    }
    return status;
}

static int read_values(const source *s, const place *p, int parameter, const json_t *json,
                       bool nullable, const cpm_model *m, double *out)
{
    const cpm_parameter *of = &m->type->parameters[parameter];
    size_t count = cpm_parameter_values(m->type, parameter, m->n);
    int status = CPM_OK;
    if (!of->sized)
        return read_slice(s, p, of, json, nullable, m->n, out);
    for (int k = 0; !status && k < m->sizes.count; k++) {
        place slice = inside(*p, NULL, k);
        status = read_slice(s, &slice, of, json_array_get(json, (size_t)k), nullable, m->n,
                            out + (size_t)k * count);
    }
    return status;
}

static int read_parameter(const source *s, const json_t *root, int p, cpm_model *m)
{
    const cpm_parameter *parameter = &m->type->parameters[p];
    const json_t *object = json_object_get(json_object_get(root, "parameters"), parameter->name);
    place at = inside(top("parameters"), parameter->name, 0);
    place of_value = inside(at, "value", 0), of_ci = inside(at, "ci", 0);
    int status = read_values(s, &of_value, p, json_object_get(object, "value"), parameter->optional,
                             m, m->value[p]);
    const json_t *ci = json_object_get(object, "ci");
    if (!status && ci && !json_is_null(ci))
        status = read_values(s, &of_ci, p, ci, true, m, m->ci[p]);
    return status;
}

static int check_values(const source *s, const cpm_model *m)
{
    cpm_flaw flaw;
    if (cpm_model_check(m, &flaw))
        return CPM_OK;
    place p = inside(top("parameters"), m->type->parameters[flaw.parameter].name, 0);
    p = inside(p, flaw.in_ci ? "ci" : "value", 0);
    if (flaw.size >= 0)
        p = inside(p, NULL, flaw.size);
    if (flaw.i >= 0)
        p = inside(p, NULL, flaw.i);
    if (flaw.j >= 0)
        p = inside(p, NULL, flaw.j);
    return complain(s, &p, "%s", flaw.text);
}

static int read_hosts(const source *s, const json_t *root, cpm_model *m)
{
    int status = CPM_OK;
    for (int i = 0; !status && i < m->n; i++) {
        const json_t *host = json_array_get(json_object_get(root, "hosts"), (size_t)i);
        place p = inside(top("hosts"), NULL, i);
        status = json_is_string(host)
                     ? cpm_model_set_host(m, i, json_string_value(host), s->e)
                     : complain(s, &p, "host %d: expected a name, found %s", i, kind_name(host));
    }
    return status;
}

static int read_provenance(const source *s, json_t *root, cpm_model *m)
{
    json_t *all = json_object_get(root, "provenance"), *value;
    place p = top("provenance");
    if (all && !json_is_object(all))
        return complain(s, &p, "expected an object as \"provenance\", found %s", kind_name(all));
    const char *key;
    json_object_foreach(all, key, value)
    {
        p = inside(top("provenance"), key, 0);
        if (!json_is_string(value))
            return complain(s, &p, "expected a string as '%s', found %s", key, kind_name(value));
        int status = cpm_facts_set(&m->facts, s->e, key, "%s", json_string_value(value));
        if (status)
            return status;
    }
    return CPM_OK;
}

static int add_note(const source *s, const char *note, cpm_model *m)
{
    char *joined = NULL;
    if (asprintf(&joined, "%s%s%s", m->notes ? m->notes : "", m->notes ? "\n" : "", note) < 0)
        return cpm_fail(s->e, CPM_ENOMEM, "%s: no memory for the notes", s->where);
    free(m->notes);
    m->notes = joined;
    return CPM_OK;
}

static int read_notes(const source *s, const json_t *root, cpm_model *m)
{
    const json_t *all = json_object_get(root, "notes");
    place p = top("notes");
    if (all && !json_is_array(all))
        return complain(s, &p, "expected a list as \"notes\", found %s", kind_name(all));
    int status = CPM_OK;
    for (size_t i = 0; !status && i < json_array_size(all); i++) {
        const json_t *note = json_array_get(all, i);
        p = inside(top("notes"), NULL, (int)i);
        status = json_is_string(note)
                     ? add_note(s, json_string_value(note), m)
                     : complain(s, &p, "note %zu: expected a string, found %s", i, kind_name(note));
    }
    return status;
}

static int read_content(const source *s, json_t *root, cpm_model *m)
{
    int status = read_hosts(s, root, m);
    for (int p = 0; !status && p < m->type->count; p++)
        status = read_parameter(s, root, p, m);
    if (!status)
        status = check_values(s, m);
    if (!status)
        status = read_provenance(s, root, m);
    return status ? status : read_notes(s, root, m);
}

static int read_model(const source *s, json_t *root, cpm_model **out)
{
    const cpm_model_type *type = NULL;
    int n = 0;
    cpm_sizes sizes = {0};
    int status = check_format(s, root);
    if (!status)
        status = read_type(s, root, &type);
    if (!status)
        status = read_processes(s, root, type, &n);
    if (!status)
        status = read_sizes(s, root, type, &sizes);
    if (!status)
        status = check_shapes(s, root, type, n, sizes.count);
    cpm_model *m = NULL;
    if (!status)
        status = cpm_model_create_sized(type, n, &sizes, &m, s->e);
    free(sizes.at);
    if (!status)
        status = read_content(s, root, m);
    if (status)
        cpm_model_free(m);
    else
        *out = m;
    return status;
}

/* ---- public */

int cpm_model_unpack(const char *text, size_t size, const char *where, cpm_model **out,
                     cpm_error *e)
{
    json_error_t wrong;
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &wrong);
    if (!root)
        return cpm_fail(e, CPM_EPARSE, "%s:%d: %s", where, wrong.line > 0 ? wrong.line : 1,
                        wrong.text);
    source s = {where, text, e};
    int status = read_model(&s, root, out);
    json_decref(root);
    return status;
}

/* The whole file; NULL with errno set. */
static char *read_all(FILE *f, size_t *size)
{
    char *text = NULL;
    size_t used = 0, room = 0;
    do {
        if (used + 1 >= room) {
            room = room ? 2 * room : 65536;
            char *more = realloc(text, room);
            if (!more)
                break;
            text = more;
        }
        used += fread(text + used, 1, room - 1 - used, f);
    } while (!feof(f) && !ferror(f));
    if (!feof(f)) {
        free(text);
        return NULL;
    }
    *size = used;
    return text;
}

int cpm_model_read(const char *path, cpm_model **out, cpm_error *e)
{
    FILE *f = fopen(path, "r");
    if (!f)
        return cpm_fail(e, CPM_EIO, "%s: cannot be read: %s", path, strerror(errno));
    size_t size = 0;
    char *text = read_all(f, &size);
    int reason = errno;
    fclose(f);
    if (!text)
        return cpm_fail(e, CPM_EIO, "%s: cannot be read: %s", path, strerror(reason));
    int status = cpm_model_unpack(text, size, path, out, e);
    free(text);
    return status;
}
