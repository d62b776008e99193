/* What a campaign was asked for, as the header of its file says it: a fit of the file is to be what
 * the command that measured would have fitted. */
#ifndef CPM_ESTIMATORS_ASKED_H
#define CPM_ESTIMATORS_ASKED_H

#include "estimators/estimator.h"

/* What options borrow. */
typedef struct {
    cpm_sizes sizes;
    cpm_class_rules *rules;
} cpm_asked;

/* Sets "design", "sizes", "classes" and "gap" of a header. classes: they were asked for, by rules
 * or to be found. CPM_ENOMEM. */
int cpm_asked_describe(const cpm_estimator *estimator, const cpm_estimation *options,
                       cpm_metadata *metadata, cpm_error *e);

/* Fills in what options leave open from the header of the file called name; cpm_asked_clear is due
 * when they are not used any more, also after a failure. Files of before say less, and then the
 * usual holds. CPM_EPARSE: what the header says makes no sense. CPM_ENOMEM. */
int cpm_asked_complete(const cpm_metadata *header, const char *name, cpm_estimation *options,
                       cpm_asked *out, cpm_error *e);
void cpm_asked_clear(cpm_asked *a);

/* The level of the measurements' intervals; 0.95 where the header does not say it. */
double cpm_asked_confidence(const cpm_metadata *header);

/* "lmo2" and "joint" of the design "lmo2, joint, no thresholds"; empty where it is not of a model.
 * size: of both. */
void cpm_asked_estimator(const cpm_metadata *header, char *model, char *method, size_t size);

#endif
