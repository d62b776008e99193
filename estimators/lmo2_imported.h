/* Extended LMO from what other benchmarks measured: latencies of pairs, and streams of messages or
 * the times of sends and receives. */
#ifndef CPM_ESTIMATORS_LMO2_IMPORTED_H
#define CPM_ESTIMATORS_LMO2_IMPORTED_H

#include "estimators/streams.h"
#include "models/model.h"

/* Regimes are those of the latencies' curve. Overheads are those that were measured, or what a
 * short message takes in a stream; link ends are as fast as the longest messages of streams. What
 * is unknown (synchronous sends, combining, copying, pairs) is noted. CPM_EDATA: there are no
 * latencies of two sizes, or neither streams nor overheads. CPM_ENOMEM. */
int cpm_lmo2_fit_imported(const cpm_measurements *m, cpm_model **out, cpm_error *e);

/* A curve y[count] over ascending x[count], in pieces that are straight: first[] gets the indices
 * of their first points (most of them at most), at least 3 points each unless it is the only one.
 * As many pieces as pay for their parameters (Schwarz's criterion). Returns how many; 0: no memory.
 */
int cpm_curve_pieces(const double *x, const double *y, int count, int most, int *first);

#endif
