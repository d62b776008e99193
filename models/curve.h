/* A curve over message sizes: one number of a sized parameter, linear between the model's sizes. */
#ifndef CPM_MODELS_CURVE_H
#define CPM_MODELS_CURVE_H

#include "models/model.h"

/* The sized parameter p at a place (cpm_place or cpm_pair_place of slice 0) for messages of that
 * many bytes. Constant below the first size. Above the last one it goes on with the slope from the
 * last size that is at most half of it, so that neighbouring sizes near a leap do not steer it;
 * never below 0. */
double cpm_curve_at(const cpm_model *m, int p, size_t place, size_t bytes);

#endif
