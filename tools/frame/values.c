/* The values of options: from the text on the command line to what it means. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "measurements/timing_names.h"
#include "tools/frame/options.h"

int set_text(void *value, const char *text, cpm_error *e)
{
    if (!*text)
        return cpm_fail(e, CPM_EPARSE, "must not be empty");
    *(const char **)value = text;
    return CPM_OK;
}

int set_new_file(void *value, const char *text, cpm_error *e)
{
    return set_text(value, text, e);
}

static int parse_integer(const char *text, long min, long max, long *out, cpm_error *e)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (end == text || *end || errno || value < min || value > max)
        return cpm_fail(e, CPM_EPARSE, "'%s' is not a whole number from %ld to %ld", text, min,
                        max);
    *out = value;
    return CPM_OK;
}

int set_integer(void *value, const char *text, cpm_error *e)
{
    long parsed;
    int status = parse_integer(text, 0, INT_MAX, &parsed, e);
    if (!status)
        *(int *)value = (int)parsed;
    return status;
}

int set_unsigned(void *value, const char *text, cpm_error *e)
{
    long parsed;
    int status = parse_integer(text, 0, UINT_MAX, &parsed, e);
    if (!status)
        *(unsigned *)value = (unsigned)parsed;
    return status;
}

/* A number from 0 on, behind which there may be a unit. */
static int parse_number(double *out, const char *text, const char *unit, cpm_error *e)
{
    char *end;
    double parsed = strtod(text, &end);
    if (end == text || (*end && strcmp(end, unit) != 0) || cpm_number_flaw(parsed) || parsed < 0)
        return cpm_fail(e, CPM_EPARSE, "'%s' is not a number from 0 on", text);
    *out = parsed;
    return CPM_OK;
}

int set_number(void *value, const char *text, cpm_error *e)
{
    return parse_number(value, text, "", e);
}

int set_seconds(void *value, const char *text, cpm_error *e)
{
    return parse_number(value, text, "s", e);
}

int set_fraction(void *value, const char *text, cpm_error *e)
{
    double parsed;
    int status = parse_number(&parsed, text, "%", e);
    if (!status)
        *(double *)value = text[strlen(text) - 1] == '%' ? parsed / 100 : parsed;
    return status;
}

int set_share(void *value, const char *text, cpm_error *e)
{
    double parsed;
    int status = set_fraction(&parsed, text, e);
    if (status)
        return status;
    if (!(parsed > 0 && parsed < 1))
        return cpm_fail(e, CPM_EPARSE, "'%s' is not between 0 and 1", text);
    *(double *)value = parsed;
    return CPM_OK;
}

int set_times(void *value, const char *text, cpm_error *e)
{
    double parsed;
    int status = set_number(&parsed, text, e);
    if (status)
        return status;
    if (!(parsed > 1))
        return cpm_fail(e, CPM_EPARSE, "'%s' is not above 1", text);
    *(double *)value = parsed;
    return CPM_OK;
}

int set_size(void *value, const char *text, cpm_error *e)
{
    return cpm_size_parse(text, value, e);
}

int set_sizes(void *value, const char *text, cpm_error *e)
{
    cpm_sizes parsed = {0};
    int status = cpm_sizes_parse(text, &parsed, e);
    if (status)
        return status;
    cpm_sizes_free(value);
    *(cpm_sizes *)value = parsed;
    return CPM_OK;
}

int set_statistic(void *value, const char *text, cpm_error *e)
{
    return cpm_statistic_parse(text, value, e);
}

int set_timing(void *value, const char *text, cpm_error *e)
{
    return mpib_timing_parse(text, value, e);
}

int set_format(void *value, const char *text, cpm_error *e)
{
    return cpm_format_parse(text, value, e);
}

int set_combining(void *value, const char *text, cpm_error *e)
{
    return cpm_combining_find(text, value, e);
}
