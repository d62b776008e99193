/* What a campaign measures besides what a model is fitted to: collectives of all processes, which
 * its header names, and which no estimator sees. They show how far off the model is.
 *   # check: allgather:bruck@65536 gather:star@65536        NAME@BYTES, root 0 */
#ifndef CPM_MEASUREMENTS_HELD_OUT_H
#define CPM_MEASUREMENTS_HELD_OUT_H

#include "measurements/measurements.h"

#define CPM_METADATA_CHECK "check"

/* Whether the header of m holds x out. */
bool cpm_is_held_out(const cpm_measurements *m, const cpm_experiment *x);

/* Whether the header names collectives, if it names any. CPM_EDATA. */
int cpm_held_out_check(const cpm_metadata *header, cpm_error *e);

/* The index-th collective that a header names. False past the last, and of a word that is none. */
bool cpm_held_out_at(const cpm_metadata *header, int index, cpm_experiment *out);

/* All of m but what is held out: m itself, or *own, whose rows and search alone are its own (the
 * rest, samples too, belongs to m). NULL: no memory. */
const cpm_measurements *cpm_without_held_out(const cpm_measurements *m, cpm_measurements *own,
                                             cpm_error *e);
void cpm_without_held_out_clear(cpm_measurements *own);

#endif
