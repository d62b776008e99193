#include "tuned/report/summary.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

void tuned_summary_begin(cpm_report_tables *all)
{
    static const cpm_report_table_column columns[] = {{"summary", 0}, {NULL, 0}};
    static const cpm_report_table summary = {"summary", NULL, columns};
    cpm_report_tables_begin(all, &summary);
}

void tuned_summary_line(cpm_report_tables *all, const char *format, ...)
{
    char text[300];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    cpm_report_tables_row(all, "s", text);
}

/* Two digits, or all before the point. */
static const char *percent(double share, char text[16])
{
    double value = 100 * share;
    snprintf(text, 16, "%.*f", fabs(value) < 1 ? 2 : fabs(value) < 10 ? 1 : 0, value);
    return text;
}

void tuned_summary_saved(const cpm_ratio *share, const char *what, char *text, size_t size)
{
    char value[16], low[16], high[16];
    double sign = share->high < 0 ? -1 : 1;
    percent(sign * share->value, value);
    percent(sign * (sign < 0 ? share->high : share->low), low);
    percent(sign * (sign < 0 ? share->low : share->high), high);
    if (isnan(share->value))
        snprintf(text, size, "cannot tell how much of %s was saved", what);
    else if (share->low > 0 || share->high < 0)
        snprintf(text, size, "%s %% of %s %s (%s to %s %%)", value, what,
                 sign < 0 ? "lost" : "saved", low, high);
    else
        snprintf(text, size, "cannot tell whether %s was saved: %s to %s %%", what, low, high);
}
