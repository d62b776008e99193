/* Numbers in texts of ours are the same in every country, whatever locale an application has set.
 */
#ifndef CPM_BASE_LOCALE_H
#define CPM_BASE_LOCALE_H

#include <locale.h>

/* From here on this thread prints and reads numbers with a point. Returns what
 * cpm_locale_restore takes. */
locale_t cpm_locale_plain(void);
void cpm_locale_restore(locale_t before);

/* strtod, with a point. */
double cpm_number(const char *text, char **end);

#endif
