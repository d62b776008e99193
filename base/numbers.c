/* strtod and strtol would take signs, hexadecimal numbers, names and spaces as well. */
#include "base/numbers.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"

const char *cpm_number_flaw(double value)
{
    double size = fabs(value);
    if (isnan(value))
        return "is not a number";
    if (isinf(value))
        return "is infinite";
    if (size > CPM_NUMBER_MOST)
        return "is too large (at most 1e30)";
    return value != 0 && size < CPM_NUMBER_LEAST ? "is too small (0, or at least 1e-100)" : NULL;
}

bool cpm_number_parse(const char *text, double *out)
{
    const char *first = text + (*text == '-');
    char *end;
    if ((!isdigit((unsigned char)*first) && *first != '.') || text[strspn(text, "0123456789.eE+-")])
        return false;
    double value = cpm_number(text, &end);
    if (*end)
        return false;
    *out = value;
    return true;
}

bool cpm_integer_parse(const char *text, long least, long most, long *out)
{
    const char *digits = text + (*text == '-');
    size_t count = strspn(digits, "0123456789");
    if (!count || digits[count] || (digits[0] == '0' && (count > 1 || *text == '-')))
        return false;
    errno = 0;
    long value = strtol(text, NULL, 10);
    if (errno || value < least || value > most)
        return false;
    *out = value;
    return true;
}

bool cpm_has_power_of_two(int64_t least, int64_t most)
{
    int64_t power = 1;
    while (power < least)
        power *= 2;
    return power <= most;
}

bool cpm_has_other_than_power_of_two(int64_t least, int64_t most)
{
    int64_t powers = 0;
    for (int64_t power = 1; power <= most; power *= 2)
        powers += power >= least;
    return most - least + 1 > powers;
}
