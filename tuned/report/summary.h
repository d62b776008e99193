/* What a person reads first of a report: a few sentences before the tables. */
#ifndef CPM_TUNED_REPORT_SUMMARY_H
#define CPM_TUNED_REPORT_SUMMARY_H

#include "base/report_table.h"
#include "base/statistics.h"

/* Begins the table; lines come next. */
void tuned_summary_begin(cpm_report_tables *all);
void tuned_summary_line(cpm_report_tables *all, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* What was saved, as a share with its interval, or that it cannot be told: "12 % of WHAT saved (8
 * to 15 %)". */
void tuned_summary_saved(const cpm_ratio *share, const char *what, char *text, size_t size);

#endif
