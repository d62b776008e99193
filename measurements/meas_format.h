/* What readers and writers of .meas files agree on. */
#ifndef CPM_EXPERIMENTS_MEAS_FORMAT_H
#define CPM_EXPERIMENTS_MEAS_FORMAT_H

#define CPM_MEAS_TITLE   "# cpm measurements"
#define CPM_MEAS_VERSION "1"
#define CPM_MEAS_COLUMNS                                                                       \
    "experiment i j k count send_bytes reply_bytes round mean median huber min max sd ci_low " \
    "ci_high reps"

#endif
