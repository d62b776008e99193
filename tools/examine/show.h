/* What cpm show says of a model, for others to show too. */
#ifndef CPM_TOOLS_EXAMINE_SHOW_H
#define CPM_TOOLS_EXAMINE_SHOW_H

#include "models/model.h"
#include "tools/frame/table.h"

/* The names of levels, by level. */
extern const char *const show_levels[];

/* Whether a model has messages of a level: between hosts it has none if all are on one. */
bool show_has_level(const cpm_model *m, cpm_level level);

/* Whose times these are, in words; "" where the metadata do not say it. */
const char *show_measured_by(const cpm_metadata *metadata, char *text, size_t size);

/* Appends head and rows: of each parameter of a level (without scalars) the smallest, median and
 * largest value, in units for people; sized ones have a row for each size. CPM_ENOMEM. */
int show_level(const cpm_model *m, cpm_level level, table *t, cpm_error *e);

#endif
