/* The ways to time a collective (measurements/timing.h), as people name them. */
#ifndef CPM_MEASUREMENTS_TIMING_NAMES_H
#define CPM_MEASUREMENTS_TIMING_NAMES_H

#include "base/error.h"
#include "measurements/timing.h"

/* In the order of mpib_timing. As cpm_names. */
const char *mpib_timing_named(int k);
int mpib_timing_parse(const char *text, mpib_timing *t, cpm_error *e);

#endif
