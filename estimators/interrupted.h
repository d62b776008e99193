/* Series of a sweep over message sizes that were interrupted as a whole. */
#ifndef CPM_ESTIMATORS_INTERRUPTED_H
#define CPM_ESTIMATORS_INTERRUPTED_H

#include "measurements/measurements.h"

/* A processor that another program has for some time slices lengthens all repetitions of an
 * experiment, up to ten thousand times, and no statistic of theirs shows it; the sizes beside it
 * do. An experiment was interrupted if it took more than CPM_INTERRUPTION times as long as one of
 * the same kind and processes with longer messages; a round trip also if it took so much longer
 * than the next shorter one's time per byte lets expect, and a send or receive if it did than a
 * round trip of its message. */
enum { CPM_INTERRUPTION = 10 };

/* Round trips with empty replies, send times and late receives. */
typedef struct {
    cpm_measurements
        m;         /* interrupted ones have the time between their neighbours'; only m.at, and
                      it without samples, is its own: the rest belongs to what it was made of */
    int count, of; /* interrupted experiments, and all of those kinds */
} cpm_uninterrupted;

/* CPM_EDATA, with what to do, if more than a third of the sizes of one kind and pair were
 * interrupted. CPM_ENOMEM. */
int cpm_uninterrupted_take(const cpm_measurements *m, cpm_uninterrupted *out, cpm_error *e);
void cpm_uninterrupted_clear(cpm_uninterrupted *u);

#endif
