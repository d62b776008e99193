/* Complaints about a place in a .mod file. */
#include "models/mod_source.h"

#include <stdarg.h>
#include <stdio.h>

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
    vsnprintf(sentence, sizeof sentence, format, list);
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
