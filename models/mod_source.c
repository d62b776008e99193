/* Complaints about a place in a .mod file. */
#include "models/mod_source.h"

#include <stdarg.h>
#include <stdio.h>

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
