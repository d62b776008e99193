/* The state of what a repetition sends. */
#ifndef CPM_MEASUREMENTS_BUFFERS_H
#define CPM_MEASUREMENTS_BUFFERS_H

#include "base/error.h"

/* Written before every repetition, as by a program that computes it; or the same all the time, so
 * that it soon is in the caches of all who read it. */
typedef enum { MPIB_BUFFERS_FRESH, MPIB_BUFFERS_SAME } mpib_buffers;

/* In that order. As cpm_names. */
const char *mpib_buffers_named(int k);
int mpib_buffers_parse(const char *text, mpib_buffers *b, cpm_error *e);

#endif
