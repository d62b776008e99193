/* What plot scripts read: folders of small text files. */
#ifndef CPM_TOOLS_EXAMINE_PLOT_DATA_H
#define CPM_TOOLS_EXAMINE_PLOT_DATA_H

#include <stdio.h>

#include "models/model.h"

/* CPM_EINVAL unless a picture's name ends with .png, .pdf or .svg. */
int plot_check_format(const char *output, cpm_error *e);

/* One file for each process and pair parameter that has known values, named after it, with lines as
 * cpm show --param prints them, and "panels", which draws them all (see gnuplot/model.gp). Regimes
 * of message sizes have a file for each pair parameter and regime, and of process parameters a
 * block of lines for each regime. A model that knows the inside of hosts is drawn by hosts: *ends,
 * how many there are. *count: the panels. CPM_EIO, CPM_ENOMEM. */
int plot_write_model(const char *folder, const cpm_model *m, int *count, int *ends, cpm_error *e);

/* The names of these hosts, or those of the hosts of processes, as plot_write_ticks. */
int plot_write_names(const char *folder, const cpm_model *m, int most, cpm_error *e);

/* Whether axes name hosts: the model knows their inside, or each process is on another one. Else
 * they number processes. CPM_ENOMEM. */
int plot_names_hosts(const cpm_model *m, bool *names, cpm_error *e);

/* Prints parameter p: "value ci", after "i" or "i j" if it has several (or the names of hosts, if
 * the model knows their inside and has one process on each), after the size if it is sized. */
void plot_print_parameter(const cpm_model *m, int p, FILE *out);

/* Text in single quotes, as gnuplot reads it. */
void plot_print_quoted(const char *text, FILE *out);

/* Writes "ticks", commands that name the processes 0 to n - 1 of an axis (see gnuplot/common.gp) by
 * name[n], about most of them: without the domain that all have, and of a long name its beginning
 * and its end. CPM_EIO. */
int plot_write_ticks(const char *folder, char *const *name, int n, int most, cpm_error *e);
enum { PLOT_FEW_TICKS = 20 };

/* A file in a folder of plot data (unfinished_folder_create), for writing. CPM_EIO. */
int plot_file_open(const char *folder, const char *name, FILE **out, cpm_error *e);
int plot_file_close(const char *folder, FILE *f, cpm_error *e);

#endif
