/* The locale "C", for a moment and one thread. */
#include "base/locale.h"

#include <stdlib.h>

locale_t cpm_locale_plain(void)
{
    return uselocale(newlocale(LC_ALL_MASK, "C", NULL)); /* a constant of the C library */
}

void cpm_locale_restore(locale_t before)
{
    uselocale(before);
}

double cpm_number(const char *text, char **end)
{
    locale_t before = cpm_locale_plain();
    double value = strtod(text, end);
    cpm_locale_restore(before);
    return value;
}
