/* A picture of a diagnosis. */
#ifndef CPM_TOOLS_EXAMINE_DOCTOR_PLOT_H
#define CPM_TOOLS_EXAMINE_DOCTOR_PLOT_H

#include "diagnose/doctor.h"

/* Draws every parameter's deviations into output (.png, .pdf, .svg), findings marked; input is the
 * name for the title. CPM_EINVAL for another ending; CPM_EIO (no gnuplot). */
int doctor_plot(const char *input, const char *output, const cpm_diagnosis *d, cpm_error *e);

#endif
