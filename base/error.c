/* The first failure is kept: whoever knows the reason writes it, callers only pass it on. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/escape.h"
#include "base/locale.h"

int cpm_fail(cpm_error *e, int code, const char *format, ...)
{
    if (!e || e->code != CPM_OK)
        return code;
    e->code = code;
    char text[sizeof e->text];
    va_list list;
    va_start(list, format);
    locale_t before = cpm_locale_plain();
    vsnprintf(text, sizeof text, format, list);
    cpm_locale_restore(before);
    va_end(list);
    cpm_escape(text, e->text, sizeof e->text);
    return code;
}

const char *cpm_status_text(int code)
{
    switch (code) {
    case CPM_OK:
        return "done";
#define X(name, number, sentence) \
    case CPM_##name:              \
        return sentence;
        CPM_STATUS_LIST(X)
#undef X
    default:
        return "unknown status";
    }
}

void cpm_error_clear(cpm_error *e)
{
    e->code = CPM_OK;
    e->text[0] = '\0';
}
