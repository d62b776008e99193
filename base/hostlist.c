/* One bracket after the other is replaced by each of its numbers; what has none is a name. */
#include "base/hostlist.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 1 << 20, MOST_DIGITS = 9 };

typedef struct {
    int (*each)(const char *name, void *data);
    void *data;
    int names;
    cpm_error *e;
} expansion;

static int expand(expansion *x, const char *head, const char *rest, size_t length);

/* Head and so many bytes of more. NULL: no memory. */
static char *joined(const expansion *x, const char *head, const char *more, size_t length)
{
    char *text = NULL;
    if (asprintf(&text, "%s%.*s", head, (int)length, more) >= 0)
        return text;
    cpm_no_memory(x->e);
    return NULL;
}

/* Digits at a text, and their number; 0: there are none, or too many. */
static size_t take_number(const char *at, long *number)
{
    size_t digits = strspn(at, "0123456789");
    *number = digits && digits <= MOST_DIGITS ? strtol(at, NULL, 10) : 0;
    return digits <= MOST_DIGITS ? digits : 0;
}

/* "08-10" or "7"; at what is behind it, *range. */
static int expand_range(expansion *x, const char *head, const char **range, const char *rest,
                        size_t length)
{
    long low, high;
    const char *begin = *range;
    size_t width = take_number(begin, &low), digits = width;
    *range += width;
    high = low;
    if (width && **range == '-') {
        digits = take_number(++*range, &high);
        *range += digits;
    }
    if (!digits || high < low || (**range != ',' && **range != ']'))
        return cpm_fail(x->e, CPM_EPARSE, "expected numbers as in '[0-3,12]', found '[%.40s'",
                        begin);
    for (long k = low; k <= high; k++) {
        char number[24];
        int printed = snprintf(number, sizeof number, "%0*ld", (int)width, k);
        char *longer = joined(x, head, number, (size_t)printed);
        int status = longer ? expand(x, longer, rest, length) : CPM_ENOMEM;
        free(longer);
        if (status)
            return status;
    }
    return CPM_OK;
}

static int expand_bracket(expansion *x, const char *head, const char *bracket, size_t length)
{
    const char *end = memchr(bracket, ']', length);
    if (!end)
        return cpm_fail(x->e, CPM_EPARSE, "expected ']' behind '%.40s'", bracket);
    size_t left = length - (size_t)(end + 1 - bracket);
    int status = CPM_OK;
    for (const char *at = bracket; at < end && !status;) {
        at++;
        status = expand_range(x, head, &at, end + 1, left);
    }
    return status;
}

static int take_name(expansion *x, const char *name)
{
    if (x->names++ == MOST_NAMES)
        return cpm_fail(x->e, CPM_EPARSE, "more than %d names", MOST_NAMES);
    return x->each(name, x->data);
}

static int expand(expansion *x, const char *head, const char *rest, size_t length)
{
    size_t plain = strcspn(rest, "[]");
    bool bracket = plain < length;
    if (bracket && rest[plain] == ']')
        return cpm_fail(x->e, CPM_EPARSE, "expected '[' before '%.40s'", rest + plain);
    char *longer = joined(x, head, rest, bracket ? plain : length);
    if (!longer)
        return CPM_ENOMEM;
    int status =
        bracket ? expand_bracket(x, longer, rest + plain, length - plain) : take_name(x, longer);
    free(longer);
    return status;
}

/* Up to a comma that is in no bracket. */
static size_t length_of_one(const char *text)
{
    size_t length = 0;
    for (int open = 0; text[length] && (open || text[length] != ','); length++)
        open = text[length] == '[' || (open && text[length] != ']');
    return length;
}

int cpm_hostlist(const char *text, int (*each)(const char *name, void *data), void *data,
                 cpm_error *e)
{
    expansion x = {each, data, 0, e};
    int status = CPM_OK;
    while (*text && !status) {
        size_t length = length_of_one(text);
        if (length)
            status = expand(&x, "", text, length);
        text += length;
        text += *text == ',';
    }
    return status;
}
