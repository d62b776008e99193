/* Pictures of measured times: what gnuplot/times.gp reads. */
#ifndef CPM_TOOLS_EXAMINE_PLOT_TIMES_H
#define CPM_TOOLS_EXAMINE_PLOT_TIMES_H

#include "measurements/measurements.h"

/* Writes into a folder the files "1", "2", ... of panels, one for each kind of experiment and each
 * collective operation, and "panels", commands that draw them (see gnuplot/times.gp): over the size
 * of messages, or where there is but one, over the sender or the root. A panel has a series for
 * each algorithm. *panels: how many; *series: the most that one has. CPM_EDATA: more algorithms
 * than can be drawn. CPM_EIO, CPM_ENOMEM. */
int plot_write_times(const char *folder, const cpm_measurements *m, int *panels, int *series,
                     cpm_error *e);

#endif
