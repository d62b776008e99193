/* What a model's uncertainty does to its predictions: Monte Carlo over its parameters' intervals.
 */
#ifndef CPM_MODELS_DRAWS_H
#define CPM_MODELS_DRAWS_H

#include "models/draws_handle.h"
#include "models/walking.h"

/* Half the interval of cpm_predict_bytes (models/predict.h), seconds, of the same level as those of
 * the parameters. Negative on failure, as there. Several threads may ask at once. */
double cpm_draws_half(const cpm_draws *d, const cpm_collective *c, size_t bytes,
                      const cpm_walking *how, cpm_error *e);

typedef struct {
    int from, to;
    size_t bytes;
} cpm_message;

/* half[count]: half the intervals of single messages' times (cpm_model_p2p), by so many draws, of
 * which one is in memory at a time; 0 where no parameter has an interval. CPM_ENOMEM. */
int cpm_draws_messages(const cpm_model *m, int draws, const cpm_message *at, int count,
                       double *half, cpm_error *e);

/* ---- for the draw functions of models */

/* An error for a value with that interval, in units in which intervals are twice as wide as errors
 * usually are; 0 if half is unknown. */
double cpm_draw_error(cpm_random *random, double half);

/* The half width that is left of whole when those of two parts, which were estimated apart and
 * subtracted, are taken out. */
double cpm_half_without(double whole, double part, double other);

#endif
