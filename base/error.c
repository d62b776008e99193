/* The first failure is kept: whoever knows the reason writes it, callers only pass it on. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/locale.h"

/* A control character of C0 or C1 (in UTF-8 c2 80 to c2 9f); how many bytes it has, 0: it is none.
 */
static int control(const char *at)
{
    unsigned char first = (unsigned char)at[0], second = first ? (unsigned char)at[1] : 0;
    if (first == 0xc2 && second >= 0x80 && second < 0xa0)
        return 2;
    return first && (first < ' ' || first == 0x7f);
}

/* What a terminal would obey, or what would end the line, is shown: ESC as \x1b. What does not fit
 * is cut. */
static void show_controls(const char *from, char *to, size_t size)
{
    size_t used = 0, more = 0;
    for (int bytes; *from; from += bytes ? bytes : 1, used += more) {
        bytes = control(from);
        more = bytes ? sizeof "\\x1b" - 1 : 1;
        if (used + more >= size)
            break;
        if (bytes)
            snprintf(to + used, size - used, "\\x%02x", (unsigned char)from[bytes - 1]);
        else
            to[used] = *from;
    }
    to[used] = '\0';
}

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
    show_controls(text, e->text, sizeof e->text);
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
