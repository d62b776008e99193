/* Jansson keeps no places of values, so the way to one is walked once more over the text, which is
 * known to be valid JSON. */
#include "base/json_line.h"

#include <stddef.h>
#include <string.h>

static const char *skip_space(const char *p)
{
    return p + strspn(p, " \t\r\n");
}

/* p at the opening quote; returns what follows the closing one. */
static const char *skip_string(const char *p)
{
    for (p++; *p != '"'; p++)
        if (*p == '\\')
            p++;
    return p + 1;
}

static const char *skip_value(const char *p)
{
    int depth = 0;
    do {
        if (*p == '"') {
            p = skip_string(p);
            continue;
        }
        depth += (*p == '[' || *p == '{') - (*p == ']' || *p == '}');
        p++;
    } while (depth > 0 || !strchr(",]} \t\r\n", *p));
    return p;
}

/* p behind a value: the next one of the same list or object, or NULL. */
static const char *next_value(const char *p)
{
    p = skip_space(p);
    return *p == ',' ? skip_space(p + 1) : NULL;
}

static const char *find_element(const char *p, int index)
{
    if (*p != '[')
        return NULL;
    p = skip_space(p + 1);
    for (int i = 0; *p != ']'; i++) {
        if (i == index)
            return p;
        p = next_value(skip_value(p));
        if (!p)
            return NULL;
    }
    return NULL;
}

static const char *find_member(const char *p, const char *key)
{
    if (*p != '{')
        return NULL;
    p = skip_space(p + 1);
    size_t length = strlen(key);
    while (p && *p != '}') {
        const char *name = p + 1, *end = skip_string(p);
        const char *value = skip_space(skip_space(end) + 1);
        if ((size_t)(end - 1 - name) == length && strncmp(name, key, length) == 0)
            return value;
        p = next_value(skip_value(value));
    }
    return NULL;
}

int cpm_json_line(const char *text, const cpm_json_step *path, int steps)
{
    const char *p = skip_space(text);
    for (int s = 0; s < steps; s++) {
        const char *inside =
            path[s].key ? find_member(p, path[s].key) : find_element(p, path[s].index);
        if (!inside)
            break;
        p = inside;
    }
    int line = 1;
    for (const char *q = text; q < p; q++)
        line += *q == '\n';
    return line;
}
