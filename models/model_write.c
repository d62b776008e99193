/* Writing a .mod file: one row of a matrix per line, so that people and diff can read it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_file.h"
#include "models/mod_source.h"

/* Digits of a number: enough that a model read back predicts the same, and 0.1 stays 0.1. Values of
 * processes and pairs, which are all of a large file, have as many as they are known to, and how
 * uncertain they are nobody knows better than to two. */
enum { DIGITS = 15, MOST_DIGITS = 9, LEAST_DIGITS = 4, CI_DIGITS = 2 };

/* ---- text */

static bool put_numbers(FILE *f, json_t *value, size_t digits)
{
    bool ok = value && json_dumpf(value, f, JSON_ENCODE_ANY | JSON_REAL_PRECISION(digits)) == 0;
    json_decref(value);
    return ok;
}

static bool put_json(FILE *f, json_t *value)
{
    return put_numbers(f, value, DIGITS);
}

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* ---- numbers of processes and pairs */

/* Of the number as it stands in the file. */
static int decimal_exponent(double value, int digits)
{
    char text[40];
    snprintf(text, sizeof text, "%.*e", digits - 1, value);
    return (int)strtol(strchr(text, 'e') + 1, NULL, 10);
}

/* As many digits as half an interval justifies: two more than the first digit of that, so that
 * rounding moves a value by at most a hundredth of it. Written again it has the same ones. */
static int digits_of(double value, double half)
{
    if (!(isfinite(value) && isfinite(half)) || value == 0)
        return DIGITS;
    if (half == 0)
        return MOST_DIGITS;
    int digits = decimal_exponent(value, MOST_DIGITS) - decimal_exponent(half, CI_DIGITS) + 3;
    return digits < LEAST_DIGITS ? LEAST_DIGITS : digits > MOST_DIGITS ? MOST_DIGITS : digits;
}

/* The shortest text: 1.5e-6 and not 1.5e-06. */
static void put_short(FILE *f, double value, int digits)
{
    char text[40] = "null";
    json_t *real = isfinite(value) ? json_real(value) : json_null();
    size_t flags = JSON_ENCODE_ANY | JSON_REAL_PRECISION(digits);
    size_t length = json_dumpb(real, text, sizeof text - 1, flags);
    text[length < sizeof text ? length : 0] = '\0';
    json_decref(real);
    char *exponent = strchr(text, 'e');
    char *first = exponent ? exponent + 1 + (exponent[1] == '-' || exponent[1] == '+') : NULL;
    if (first && *first == '0') /* not that of 1e10, which has no sign */
        memmove(first, first + 1, strlen(first));
    fputs(text, f);
}

/* half: of the intervals, which say how many digits; NULL: so many. */
static void put_row(FILE *f, const double *value, const double *half, int digits, int n)
{
    for (int i = 0; i < n; i++) {
        fputs(i ? "," : "[", f);
        put_short(f, value[i], half ? digits_of(value[i], half[i]) : digits);
    }
    fputs("]", f);
}

static void put_rows(FILE *f, const double *value, const double *half, int digits, int n)
{
    for (int i = 0; i < n; i++) {
        size_t row = (size_t)i * (size_t)n;
        fputs(i ? ",\n        " : "[\n        ", f);
        put_row(f, value + row, half ? half + row : NULL, digits, n);
    }
    fputs("\n      ]", f);
}

static bool put_values(FILE *f, cpm_shape shape, const double *value, const double *half,
                       int digits, int n)
{
    if (shape == CPM_SCALAR)
        return put_numbers(f, number(value[0]), digits);
    if (shape == CPM_PAIR)
        put_rows(f, value, half, digits, n);
    else
        put_row(f, value, half, digits, n);
    return true;
}

/* A sized parameter is a list of slices. */
static bool put_slices(FILE *f, const cpm_model *m, int p, const double *value, const double *half,
                       int digits)
{
    const cpm_parameter *parameter = &m->type->parameters[p];
    int g = parameter->shape == CPM_SWITCH ? m->switches.count : m->classes.count;
    if (!parameter->sized)
        return put_values(f, parameter->shape, value, half, digits, g);
    size_t count = cpm_parameter_values(m, p);
    bool ok = true;
    for (int k = 0; ok && k < cpm_parameter_slices(m, p); k++) {
        size_t slice = (size_t)k * count;
        fputs(k ? ",\n      " : "[\n      ", f);
        ok = put_values(f, parameter->shape, value + slice, half ? half + slice : NULL, digits, g);
    }
    fputs("]", f);
    return ok;
}

static bool all_unknown(const double *value, size_t count)
{
    size_t i = 0;
    while (i < count && !isfinite(value[i]))
        i++;
    return i == count;
}

/* Values that must fit together do not bear to be rounded one by one. */
static bool put_parameter(FILE *f, const cpm_model *m, int p, bool first)
{
    const double *half = m->type->check ? NULL : m->ci[p];
    const cpm_parameter *parameter = &m->type->parameters[p];
    fprintf(f, "%s    \"%s\": {\n      \"unit\": \"%s\",\n      \"value\": ", first ? "" : ",\n",
            parameter->name, parameter->unit);
    bool ok = put_slices(f, m, p, m->value[p], half, DIGITS);
    fputs(",\n      \"ci\": ", f);
    if (all_unknown(m->ci[p], cpm_parameter_all_values(m, p)))
        fputs("null", f);
    else
        ok = ok && put_slices(f, m, p, m->ci[p], NULL, CI_DIGITS);
    fputs("\n    }", f);
    return ok;
}

static bool put_parameters(FILE *f, const cpm_model *m)
{
    bool ok = true, first = true;
    fputs("  \"parameters\": {\n", f);
    for (int p = 0; ok && p < m->type->count; p++)
        if (cpm_model_has_parameter(m, p)) {
            ok = put_parameter(f, m, p, first);
            first = false;
        }
    fputs("\n  }\n}\n", f);
    return ok;
}

static bool put_hosts(FILE *f, const cpm_model *m)
{
    json_t *hosts = json_array();
    for (int i = 0; i < m->n; i++)
        json_array_append_new(hosts, json_string(m->hosts[i]));
    fputs("  \"hosts\": ", f);
    bool ok = json_array_size(hosts) == (size_t)m->n;
    ok = put_json(f, hosts) && ok;
    fputs(",\n", f);
    return ok;
}

/* Takes over the list of its processes. */
static bool put_class(FILE *f, const cpm_classes *c, int k, json_t *processes)
{
    fputs(k ? ",\n    " : "\n    ", f);
    bool ok = put_json(f, json_string(c->name[k]));
    fputs(": ", f);
    return put_json(f, processes) && ok;
}

static bool put_classes(FILE *f, const char *key, const cpm_classes *c)
{
    if (!c->name)
        return true;
    json_t *members = json_array();
    for (int k = 0; k < c->count; k++)
        json_array_append_new(members, json_array());
    for (int i = 0; i < c->n; i++)
        json_array_append_new(json_array_get(members, (size_t)c->of[i]), json_integer(i));
    bool ok = true;
    fprintf(f, "  \"%s\": {", key);
    for (int k = 0; ok && k < c->count; k++)
        ok = put_class(f, c, k, json_incref(json_array_get(members, (size_t)k)));
    fputs("\n  },\n", f);
    json_decref(members);
    return ok;
}

static bool put_sizes(FILE *f, const char *name, const cpm_sizes *sizes)
{
    if (sizes->count == 0)
        return true;
    json_t *all = json_array();
    for (int k = 0; k < sizes->count; k++)
        json_array_append_new(all, json_integer((json_int_t)sizes->at[k]));
    fprintf(f, "  \"%s\": ", name);
    bool ok = put_json(f, all);
    fputs(",\n", f);
    return ok;
}

/* Where the model tells them apart. */
static bool put_sockets(FILE *f, const cpm_model *m)
{
    if (!m->across.count || !m->on.socket)
        return true;
    json_t *all = json_array();
    for (int i = 0; i < m->n; i++)
        json_array_append_new(all,
                              m->on.socket[i] < 0 ? json_null() : json_integer(m->on.socket[i]));
    fputs("  \"sockets\": ", f);
    bool ok = put_json(f, all);
    fputs(",\n", f);
    return ok;
}

bool mod_put_provenance(FILE *f, const cpm_facts *facts)
{
    bool ok = true;
    fputs("  \"provenance\": {", f);
    for (int i = 0; ok && i < facts->count; i++) {
        fputs(i ? ",\n    " : "\n    ", f);
        ok = put_json(f, json_string(facts->items[i].key));
        fputs(": ", f);
        ok = ok && put_json(f, json_string(facts->items[i].value));
    }
    fputs(facts->count ? "\n  },\n" : "},\n", f);
    return ok;
}

/* One per line; empty ones say nothing. */
static bool put_notes(FILE *f, const char *notes)
{
    bool ok = true, any = false;
    const char *line = notes ? notes : "";
    fputs("  \"notes\": [", f);
    while (ok && *(line += strspn(line, "\n"))) {
        size_t length = strcspn(line, "\n");
        fputs(any ? ",\n    " : "\n    ", f);
        ok = put_json(f, json_stringn(line, length));
        any = true;
        line += length;
    }
    fputs(any ? "\n  ],\n" : "],\n", f);
    return ok;
}

static bool put_model(FILE *f, const cpm_model *m)
{
    fprintf(f, "{\n  \"format\": \"cpm model\",\n  \"version\": 1,\n  \"model\": \"%s\",\n",
            m->type->name);
    fprintf(f, "  \"processes\": %d,\n", m->n);
    return put_hosts(f, m) && put_classes(f, "classes", &m->classes) &&
           put_classes(f, "switches", &m->switches) && put_sizes(f, "sizes", &m->sizes) &&
           put_sizes(f, "inside", &m->inside) && put_sizes(f, "across", &m->across) &&
           put_sockets(f, m) && mod_put_provenance(f, &m->facts) && put_notes(f, m->notes) &&
           put_parameters(f, m);
}

int cpm_model_pack(const cpm_model *m, char **text, cpm_error *e)
{
    cpm_flaw flaw;
    if (!cpm_model_check(m, &flaw))
        return cpm_fail(e, CPM_EDATA, "the model cannot be written: %s", flaw.text);
    char *packed = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&packed, &size);
    if (!f)
        return cpm_no_memory(e);
    bool ok = put_model(f, m);
    ok = !ferror(f) && ok;
    if (fclose(f) != 0 || !ok) {
        free(packed);
        return cpm_no_memory(e);
    }
    *text = packed;
    return CPM_OK;
}

int cpm_model_write(const cpm_model *m, const char *path, cpm_error *e)
{
    char *text = NULL;
    int status = cpm_model_pack(m, &text, e);
    if (!status)
        status = cpm_text_write(path, text, CPM_FILE_MODEL, e);
    free(text);
    return status;
}
