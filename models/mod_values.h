/* The parameters in a .mod file. */
#ifndef CPM_MODELS_MOD_VALUES_H
#define CPM_MODELS_MOD_VALUES_H

#include "base/json.h"
#include "models/model.h"

/* The members with the message sizes of the levels. */
extern const char *const mod_regimes[CPM_LEVELS];

/* How many there are of what shapes depend on. */
typedef struct {
    int classes, switches, links; /* switches, links: 0 where nothing is known of these */
    int regimes[CPM_LEVELS];      /* of each level; 0 likewise */
} mod_counts;

/* Complains unless the parameters are those of the type in the shapes that so many classes,
 * switches and regimes ask for. Comes before anything is allocated, so that
 * memory is bounded by the file. */
int mod_check_shapes(const cpm_json *root, const cpm_model_type *type, const mod_counts *counts);

/* Fills value and ci of m, whose shapes were checked. */
int mod_read_values(const cpm_json *root, cpm_model *m);

#endif
