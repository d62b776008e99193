/* One listener of the process. */
#include "base/notice.h"

#include <stdarg.h>
#include <stdio.h>

/* Of the process by nature: it has one standard error, and one who owns it. */
static void (*listener)(const char *text);

void cpm_notice_to(void (*say)(const char *text))
{
    listener = say;
}

void cpm_notice(const char *form, ...)
{
    char text[2048];
    va_list values;
    if (!listener)
        return;
    va_start(values, form);
    vsnprintf(text, sizeof text, form, values);
    va_end(values);
    listener(text);
}
