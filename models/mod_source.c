/* Complaints about a place in a .mod file. */
#include "models/mod_source.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/file_kind.h"
#include "base/locale.h"

mod_place mod_top(const char *key)
{
    return (mod_place){{{key, 0}}, 1};
}

mod_place mod_inside(mod_place p, const char *key, int index)
{
    p.step[p.steps++] = (cpm_json_step){key, index};
    return p;
}

int mod_complain(const mod_source *s, const mod_place *p, const char *format, ...)
{
    char sentence[400];
    va_list list;
    va_start(list, format);
    locale_t before = cpm_locale_plain();
    vsnprintf(sentence, sizeof sentence, format, list);
    cpm_locale_restore(before);
    va_end(list);
    int line = cpm_json_line(s->text, p->step, p->steps);
    return cpm_fail(s->e, CPM_EPARSE, "%s:%d: %s", s->where, line, sentence);
}

const char *mod_kind(const json_t *value)
{
    if (!value)
        return "nothing";
    static const char *const name[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "a list",  [JSON_STRING] = "a string",
        [JSON_INTEGER] = "a number", [JSON_REAL] = "a number", [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",      [JSON_NULL] = "null"};
    return name[json_typeof(value)];
}

static int check_version(const mod_source *s, const json_t *root)
{
    const json_t *version = json_object_get(root, "version");
    mod_place p = mod_top("version");
    if (!json_is_integer(version))
        return mod_complain(s, &p, "expected a whole number as \"version\", found %s",
                            json_is_real(version) ? "a fraction" : mod_kind(version));
    if (json_integer_value(version) != 1)
        return mod_complain(s, &p, "version %lld of the format is not known, only 1",
                            (long long)json_integer_value(version));
    return CPM_OK;
}

static int check_format(const mod_source *s, const json_t *root, const char *kind,
                        const char *format)
{
    if (!json_is_object(root))
        return mod_complain(s, &(mod_place){.steps = 0}, "not a %s: %s", kind, mod_kind(root));
    const char *found = json_string_value(json_object_get(root, "format"));
    mod_place p = mod_top("format");
    if (!found)
        return mod_complain(s, &p, "not a %s: \"format\" is not \"%s\"", kind, format);
    if (strcmp(found, format) != 0)
        return mod_complain(s, &p, "not a %s: \"format\" is \"%s\", not \"%s\"", kind, found,
                            format);
    return check_version(s, root);
}

/* What people take for one. */
static int check_text(const mod_source *s, size_t size, const char *kind)
{
    static const char measurements[] = "# cpm measurements";
    const size_t length = sizeof measurements - 1;
    if (!size)
        return cpm_fail(s->e, CPM_EPARSE, "%s:1: not a %s: it is empty", s->where, kind);
    if (size < length || memcmp(s->text, measurements, length) != 0)
        return CPM_OK;
    return cpm_fail(s->e, CPM_EPARSE,
                    "%s:1: not a %s: it holds measurements: cpm fit makes a model of them; cpm "
                    "plot, compare and doctor take them as they are",
                    s->where, kind);
}

/* What is no JSON from the first character on is another kind of file. */
static int refuse_text(const mod_source *s, size_t size, const char *kind,
                       const json_error_t *wrong)
{
    size_t first = 0;
    while (first < size && strchr(" \t\r\n", s->text[first]))
        first++;
    if (first < size && s->text[first] != '{' && s->text[first] != '[')
        return cpm_fail(s->e, CPM_EPARSE, "%s:1: not a %s: it holds %s", s->where, kind,
                        cpm_file_kind_named(cpm_file_kind_of_text(s->text, size)));
    int line = wrong->line > 0 ? wrong->line : 1;
    if (wrong->position >= 0 && (size_t)wrong->position >= size)
        return cpm_fail(s->e, CPM_EPARSE, "%s:%d: the %s ends too early: it was cut off", s->where,
                        line, kind);
    return cpm_fail(s->e, CPM_EPARSE, "%s:%d: %s", s->where, line, wrong->text);
}

int mod_load(const mod_source *s, size_t size, const char *kind, const char *format, json_t **out)
{
    json_error_t wrong;
    int status = check_text(s, size, kind);
    if (status)
        return status;
    json_t *root = json_loadb(s->text, size, JSON_REJECT_DUPLICATES, &wrong);
    if (!root && !*wrong.text) /* jansson has no words for it */
        return cpm_no_memory(s->e);
    if (!root)
        return refuse_text(s, size, kind, &wrong);
    status = check_format(s, root, kind, format);
    if (status)
        json_decref(root);
    else
        *out = root;
    return status;
}

int mod_check_length(const mod_source *s, const mod_place *p, const char *what, const json_t *list,
                     int n)
{
    if (!json_is_array(list))
        return mod_complain(s, p, "%s: expected a list of %d values, found %s", what, n,
                            mod_kind(list));
    if (json_array_size(list) != (size_t)n)
        return mod_complain(s, p, "%s: expected %d values, found %zu", what, n,
                            json_array_size(list));
    return CPM_OK;
}

int mod_provenance(const mod_source *s, json_t *root, cpm_facts *facts)
{
    json_t *all = json_object_get(root, "provenance"), *value;
    mod_place p = mod_top("provenance");
    if (all && !json_is_object(all))
        return mod_complain(s, &p, "expected an object as \"provenance\", found %s", mod_kind(all));
    int status = CPM_OK;
    const char *key;
    json_object_foreach(all, key, value)
    {
        p = mod_inside(mod_top("provenance"), key, 0);
        if (!status && !json_is_string(value))
            status =
                mod_complain(s, &p, "expected a string as '%s', found %s", key, mod_kind(value));
        if (!status)
            status = cpm_facts_set(facts, s->e, key, "%s", json_string_value(value));
    }
    return status;
}
