/* The state of what a repetition sends. */
#ifndef CPM_MEASUREMENTS_BUFFERS_H
#define CPM_MEASUREMENTS_BUFFERS_H

#include "base/error.h"

/* Written before every repetition, as by a program that computes it; the same all the time, so that
 * it soon is in the caches of all who read it; or written, and then in no cache, as what is
 * received. */
typedef enum { MPIB_BUFFERS_FRESH, MPIB_BUFFERS_SAME, MPIB_BUFFERS_COLD } mpib_buffers;

/* In that order. As cpm_names. */
const char *mpib_buffers_named(int k);
int mpib_buffers_parse(const char *text, mpib_buffers *b, cpm_error *e);

#endif
