/* What a model is, in a word: so that two campaigns of a machine that a model simulates can be told
 * to be of one machine. */
#ifndef CPM_MODELS_FINGERPRINT_H
#define CPM_MODELS_FINGERPRINT_H

#include "models/model.h"

enum { CPM_MODEL_FINGERPRINT = 17 }; /* 16 hex digits and the end */

/* Of the type, who shares hosts, sockets, classes and switches, and all values: of what predictions
 * depend on. Names, intervals, notes and provenance are not in it. */
void cpm_model_fingerprint(const cpm_model *m, char text[CPM_MODEL_FINGERPRINT]);

#endif
