/* Values, their places, and what is wrong with them. */
#include "base/json.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_kind.h"
#include "base/locale.h"
#include "base/numbers.h"
#include "base/text_file.h"

static cpm_json inside(const cpm_json *of, const char *key, int index, json_t *value)
{
    cpm_json in = *of;
    in.value = value;
    in.step[in.steps++] = (cpm_json_step){key, index};
    return in;
}

cpm_json cpm_json_member(const cpm_json *object, const char *key)
{
    return inside(object, key, 0, json_object_get(object->value, key));
}

cpm_json cpm_json_element(const cpm_json *list, int index)
{
    return inside(list, NULL, index, json_array_get(list->value, (size_t)index));
}

/* ---- complaints */

int cpm_json_complain(const cpm_json *at, const char *format, ...)
{
    char sentence[400];
    va_list list;
    va_start(list, format);
    locale_t before = cpm_locale_plain();
    vsnprintf(sentence, sizeof sentence, format, list);
    cpm_locale_restore(before);
    va_end(list);
    int line = cpm_json_line(at->of->text, at->step, at->steps);
    return cpm_fail(at->of->e, CPM_EPARSE, "%s:%d: %s", at->of->where, line, sentence);
}

const char *cpm_json_kind(const json_t *value)
{
    if (!value)
        return "nothing";
    static const char *const name[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "a list",  [JSON_STRING] = "a string",
        [JSON_INTEGER] = "a number", [JSON_REAL] = "a number", [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",      [JSON_NULL] = "null"};
    return name[json_typeof(value)];
}

static int expected(const cpm_json *at, const char *what, const char *found)
{
    const char *key = at->steps ? at->step[at->steps - 1].key : NULL;
    return key ? cpm_json_complain(at, "expected %s as \"%s\", found %s", what, key, found)
               : cpm_json_complain(at, "expected %s, found %s", what, found);
}

int cpm_json_expected(const cpm_json *at, const char *what)
{
    return expected(at, what, cpm_json_kind(at->value));
}

int cpm_json_check_length(const cpm_json *list, const char *what, int n)
{
    if (!json_is_array(list->value))
        return cpm_json_complain(list, "%s: expected a list of %d values, found %s", what, n,
                                 cpm_json_kind(list->value));
    if (json_array_size(list->value) != (size_t)n)
        return cpm_json_complain(list, "%s: expected %d values, found %zu", what, n,
                                 json_array_size(list->value));
    return CPM_OK;
}

/* ---- members */

static int read_whole(const cpm_json *at, const cpm_json_field *f)
{
    json_int_t n = json_integer_value(at->value);
    if (!json_is_integer(at->value))
        return expected(at, "a whole number",
                        json_is_real(at->value) ? "a fraction" : cpm_json_kind(at->value));
    if (n < f->least && f->most == LONG_MAX)
        return cpm_json_complain(at, "\"%s\": %lld is below %ld", f->name, (long long)n, f->least);
    if (n < f->least || n > f->most)
        return cpm_json_complain(at, "\"%s\": %lld is not in %ld..%ld", f->name, (long long)n,
                                 f->least, f->most);
    if (f->type == CPM_JSON_INT)
        *(int *)f->out = (int)n;
    else if (f->type == CPM_JSON_LONG)
        *(long *)f->out = (long)n;
    else
        *(size_t *)f->out = (size_t)n;
    return CPM_OK;
}

static int read_number(const cpm_json *at, const cpm_json_field *f)
{
    if (!json_is_number(at->value))
        return cpm_json_expected(at, "a number");
    double number = json_number_value(at->value) + 0.0; /* no -0 */
    const char *flaw =
        f->type == CPM_JSON_REAL && number < 0 ? "is negative" : cpm_number_flaw(number);
    if (flaw)
        return cpm_json_complain(at, "\"%s\": %g %s", f->name, number, flaw);
    *(double *)f->out = number;
    return CPM_OK;
}

static int read_field(const cpm_json *at, const cpm_json_field *f)
{
    if (f->optional && (!at->value || json_is_null(at->value)))
        return CPM_OK;
    switch (f->type) {
    case CPM_JSON_REAL:
    case CPM_JSON_SIGNED:
        return read_number(at, f);
    case CPM_JSON_STRING:
        *(const char **)f->out = json_string_value(at->value);
        return json_is_string(at->value) ? CPM_OK : cpm_json_expected(at, "a string");
    case CPM_JSON_LIST:
        *(cpm_json *)f->out = *at;
        return json_is_array(at->value) ? CPM_OK : cpm_json_expected(at, "a list");
    default:
        return read_whole(at, f);
    }
}

int cpm_json_fields(const cpm_json *object, const cpm_json_field *fields)
{
    int status = CPM_OK;
    for (const cpm_json_field *f = fields; f->name && !status; f++) {
        cpm_json at = cpm_json_member(object, f->name);
        status = read_field(&at, f);
    }
    return status;
}

int cpm_json_provenance(const cpm_json *root, cpm_metadata *metadata)
{
    cpm_json all = cpm_json_member(root, "provenance");
    if (all.value && !json_is_object(all.value))
        return cpm_json_expected(&all, "an object");
    int status = CPM_OK;
    const char *key;
    json_t *value;
    json_object_foreach(all.value, key, value)
    {
        cpm_json one = cpm_json_member(&all, key);
        if (!status)
            status = json_is_string(value) ? cpm_metadata_set(metadata, root->of->e, key, "%s",
                                                              json_string_value(value))
                                           : cpm_json_expected(&one, "a string");
    }
    return status;
}

/* ---- files */

static int check_format(const cpm_json *root, const cpm_json_form *form)
{
    if (!json_is_object(root->value))
        return cpm_json_complain(root, "not a %s: %s", form->kind, cpm_json_kind(root->value));
    cpm_json format = cpm_json_member(root, "format"), at = cpm_json_member(root, "version");
    const char *found = json_string_value(format.value);
    long version;
    const cpm_json_field fields[] = {
        {"version", CPM_JSON_LONG, &version, .least = LONG_MIN, .most = LONG_MAX}, {0}};
    if (!found)
        return cpm_json_complain(&format, "not a %s: \"format\" is not \"%s\"", form->kind,
                                 form->format);
    if (strcmp(found, form->format) != 0)
        return cpm_json_complain(&format, "not a %s: \"format\" is \"%s\", not \"%s\"", form->kind,
                                 found, form->format);
    int status = cpm_json_fields(root, fields);
    return status || version == 1
               ? status
               : cpm_json_complain(&at, "version %ld of the format is not known, only 1", version);
}

/* What people take for one. */
static int check_text(const cpm_json_text *t, size_t size, const char *kind)
{
    static const char measurements[] = "# cpm measurements";
    const size_t length = sizeof measurements - 1;
    if (!size)
        return cpm_fail(t->e, CPM_EPARSE, "%s:1: not a %s: it is empty", t->where, kind);
    if (size < length || memcmp(t->text, measurements, length) != 0)
        return CPM_OK;
    return cpm_fail(t->e, CPM_EPARSE,
                    "%s:1: not a %s: it holds measurements: cpm fit makes a model of them; cpm "
                    "plot, compare and doctor take them as they are",
                    t->where, kind);
}

/* What is no JSON from the first character on is another kind of file. */
static int refuse_text(const cpm_json_text *t, size_t size, const char *kind,
                       const json_error_t *wrong)
{
    size_t first = 0;
    while (first < size && strchr(" \t\r\n", t->text[first]))
        first++;
    if (first < size && t->text[first] != '{' && t->text[first] != '[')
        return cpm_fail(t->e, CPM_EPARSE, "%s:1: not a %s: it holds %s", t->where, kind,
                        cpm_file_kind_named(cpm_file_kind_of_text(t->text, size)));
    int line = wrong->line > 0 ? wrong->line : 1;
    if (wrong->position >= 0 && (size_t)wrong->position >= size)
        return cpm_fail(t->e, CPM_EPARSE, "%s:%d: the %s ends too early: it was cut off", t->where,
                        line, kind);
    return cpm_fail(t->e, CPM_EPARSE, "%s:%d: %s", t->where, line, wrong->text);
}

int cpm_json_unpack(const char *text, size_t size, const char *where, const cpm_json_form *form,
                    void *out, cpm_error *e)
{
    const cpm_json_text t = {where, text, e};
    json_error_t wrong;
    int status = check_text(&t, size, form->kind);
    if (status)
        return status;
    const cpm_json root = {&t, json_loadb(text, size, JSON_REJECT_DUPLICATES, &wrong), {{0}}, 0};
    if (!root.value && !*wrong.text) /* jansson has no words for it */
        return cpm_no_memory(e);
    if (!root.value)
        return refuse_text(&t, size, form->kind, &wrong);
    status = check_format(&root, form);
    if (!status)
        status = form->read(&root, out);
    json_decref(root.value);
    return status;
}

int cpm_json_read(const char *path, const cpm_json_form *form, void *out, cpm_error *e)
{
    char *text;
    size_t size;
    int status = cpm_text_read(path, &text, &size, e);
    if (status)
        return status;
    status = cpm_json_unpack(text, size, path, form, out, e);
    free(text);
    return status;
}
