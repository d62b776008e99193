/* Writing a .mod file: one row of a matrix per line, so that people and diff can read it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_file.h"
#include "models/mod_values.h"

/* Digits of a number: enough that a model read back predicts the same, and 0.1 stays 0.1. Values of
 * processes and pairs, which are all of a large file, have as many as they are known to, and how
 * uncertain they are nobody knows better than to two. */
enum { DIGITS = 15, MOST_DIGITS = 9, LEAST_DIGITS = 4, CI_DIGITS = 2 };

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

/* half: of the intervals, which say how many digits; NULL: so many. */
static void put_row(FILE *f, const double *value, const double *half, int digits, int n)
{
    for (int i = 0; i < n; i++) {
        fputs(i ? "," : "[", f);
        cpm_json_put_number(f, value[i], half ? digits_of(value[i], half[i]) : digits);
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

static void put_values(FILE *f, cpm_shape shape, const double *value, const double *half,
                       int digits, int n)
{
    if (shape == CPM_SCALAR)
        cpm_json_put_number(f, value[0], digits);
    else if (shape == CPM_PAIR)
        put_rows(f, value, half, digits, n);
    else
        put_row(f, value, half, digits, n);
}

/* A sized parameter is a list of slices, a line each, or all in one where each has one value. */
static void put_slices(FILE *f, const cpm_model *m, int p, const double *value, const double *half,
                       int digits)
{
    const cpm_parameter *parameter = &m->type->parameters[p];
    int g = cpm_shape_thing(parameter->shape) ? cpm_model_things(m, parameter->shape)
                                              : m->classes.count;
    if (!parameter->sized) {
        put_values(f, parameter->shape, value, half, digits, g);
        return;
    }
    size_t count = cpm_parameter_values(m, p);
    for (int k = 0; k < cpm_parameter_slices(m, p); k++) {
        size_t slice = (size_t)k * count;
        fputs(k ? "," : "[", f);
        fputs(count > 1 ? "\n      " : k ? " " : "", f);
        put_values(f, parameter->shape, value + slice, half ? half + slice : NULL, digits, g);
    }
    fputs("]", f);
}

static bool all_unknown(const double *value, size_t count)
{
    size_t i = 0;
    while (i < count && !isfinite(value[i]))
        i++;
    return i == count;
}

/* Values that must fit together do not bear to be rounded one by one. */
static void put_parameter(FILE *f, const cpm_model *m, int p, bool first)
{
    const double *half = m->type->check ? NULL : m->ci[p];
    const cpm_parameter *parameter = &m->type->parameters[p];
    fprintf(f, "%s    \"%s\": {\n      \"unit\": \"%s\",\n      \"value\": ", first ? "" : ",\n",
            parameter->name, parameter->unit);
    put_slices(f, m, p, m->value[p], half, DIGITS);
    fputs(",\n      \"ci\": ", f);
    if (all_unknown(m->ci[p], cpm_parameter_all_values(m, p)))
        fputs("null", f);
    else
        put_slices(f, m, p, m->ci[p], NULL, CI_DIGITS);
    fputs("\n    }", f);
}

static void put_parameters(FILE *f, const cpm_model *m)
{
    bool first = true;
    fputs("  \"parameters\": {\n", f);
    for (int p = 0; p < m->type->count; p++)
        if (cpm_model_has_parameter(m, p)) {
            put_parameter(f, m, p, first);
            first = false;
        }
    fputs("\n  }\n}\n", f);
}

/* ---- the other members */

/* The processes of class k. */
static bool put_class(FILE *f, const cpm_classes *c, int k)
{
    bool any = false;
    fputs(k ? ",\n    " : "\n    ", f);
    bool ok = cpm_json_put_text(f, c->name[k]);
    fputs(": [", f);
    for (int i = 0; i < c->n; i++)
        if (c->of[i] == k) {
            fprintf(f, "%s%d", any ? ", " : "", i);
            any = true;
        }
    fputs("]", f);
    return ok;
}

static bool put_classes(FILE *f, const char *key, const cpm_classes *c)
{
    if (!c->name)
        return true;
    bool ok = true;
    fprintf(f, "  \"%s\": {", key);
    for (int k = 0; ok && k < c->count; k++)
        ok = put_class(f, c, k);
    fputs("\n  },\n", f);
    return ok;
}

static void put_sizes(FILE *f, const char *name, const cpm_sizes *sizes)
{
    for (int k = 0; k < sizes->count; k++) {
        if (k == 0)
            fprintf(f, "  \"%s\": [", name);
        fprintf(f, "%s%zu", k ? ", " : "", sizes->at[k]);
    }
    fputs(sizes->count ? "],\n" : "", f);
}

/* Where the model tells them apart. */
static void put_sockets(FILE *f, const cpm_model *m)
{
    if (!m->across.count || !m->on.socket)
        return;
    fputs("  \"sockets\": [", f);
    for (int i = 0; i < m->n; i++) {
        fputs(i ? ", " : "", f);
        if (m->on.socket[i] < 0)
            fputs("null", f);
        else
            fprintf(f, "%d", m->on.socket[i]);
    }
    fputs("],\n", f);
}

/* One per line; empty ones say nothing. */
static bool put_notes(FILE *f, const char *notes)
{
    bool ok = true, any = false;
    const char *line = notes ? notes : "";
    fputs("  \"notes\": [", f);
    while (ok && *(line += strspn(line, "\n"))) {
        size_t length = strcspn(line, "\n");
        char *one = strndup(line, length);
        fputs(any ? ",\n    " : "\n    ", f);
        ok = one && cpm_json_put_text(f, one);
        free(one);
        any = true;
        line += length;
    }
    fputs(any ? "\n  ],\n" : "],\n", f);
    return ok;
}

/* Their names, and which hosts use each. */
static bool put_links(FILE *f, const cpm_links *l)
{
    bool ok = true;
    for (int k = 0; k < l->count && ok; k++) {
        fputs(k ? ",\n    " : "  \"links\": {\n    ", f);
        ok = cpm_json_put_text(f, l->name[k]);
        fputs(": \"", f);
        ok = ok && cpm_links_put(l, k, f, NULL) == CPM_OK;
        fputs("\"", f);
    }
    fputs(l->count ? "\n  },\n" : "", f);
    return ok;
}

static bool put_model(FILE *f, const void *model)
{
    const cpm_model *m = model;
    cpm_json_put_head(f, "model");
    fprintf(f, ",\n  \"model\": \"%s\",\n  \"processes\": %d,\n", m->type->name, m->n);
    bool ok = cpm_json_put_texts(f, "hosts", m->hosts, m->n) &&
              put_classes(f, "classes", &m->classes) && put_classes(f, "switches", &m->switches) &&
              put_links(f, &m->links);
    for (int level = 0; level < CPM_LEVELS; level++)
        put_sizes(f, mod_regimes[level], cpm_model_regimes(m, level));
    put_sockets(f, m);
    ok = ok && cpm_json_put_provenance(f, &m->metadata) && put_notes(f, m->notes);
    put_parameters(f, m);
    return ok;
}

int cpm_model_pack(const cpm_model *m, char **text, cpm_error *e)
{
    cpm_flaw flaw;
    if (!cpm_model_check(m, &flaw))
        return cpm_fail(e, CPM_EDATA, "the model cannot be written: %s", flaw.text);
    char *packed = cpm_text_by(put_model, m);
    if (!packed)
        return cpm_no_memory(e);
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
