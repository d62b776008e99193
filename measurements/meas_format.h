/* What readers and writers of .meas files agree on. */
#ifndef CPM_MEASUREMENTS_MEAS_FORMAT_H
#define CPM_MEASUREMENTS_MEAS_FORMAT_H

#include <stdbool.h>
#include <string.h>

#define CPM_MEAS_TITLE   "# cpm measurements"
#define CPM_MEAS_VERSION "1"
/* Files of before have the columns up to reps. */
#define CPM_MEAS_EARLIER                                                                       \
    "experiment i j k count send_bytes reply_bytes round mean median huber min max sd ci_low " \
    "ci_high reps"
#define CPM_MEAS_COLUMNS CPM_MEAS_EARLIER " huber_half"
#define CPM_MEAS_SAMPLES " samples" /* of a raw file */

/* Whether line holds the names of the columns; *earlier: those of before, *raw: with samples. */
static inline bool cpm_meas_columns(const char *line, bool *earlier, bool *raw)
{
    size_t length = strlen(CPM_MEAS_COLUMNS);
    *earlier = strncmp(line, CPM_MEAS_COLUMNS, length) != 0;
    if (*earlier)
        length = strlen(CPM_MEAS_EARLIER);
    if (*earlier && strncmp(line, CPM_MEAS_EARLIER, length) != 0)
        return false;
    *raw = strcmp(line + length, CPM_MEAS_SAMPLES) == 0;
    return *raw || line[length] == '\0';
}

#endif
