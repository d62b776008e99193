/* What fits share: sentences for people, and keeping parameters possible. */
#ifndef CPM_ESTIMATORS_NOTES_H
#define CPM_ESTIMATORS_NOTES_H

#include "models/model.h"

/* Appends a sentence to m->notes. CPM_ENOMEM. */
int cpm_note(cpm_model *m, cpm_error *e, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Sets negative values of parameters that must not be negative to 0, with a note for each parameter
 * that says how many there were. CPM_ENOMEM. */
int cpm_note_negative(cpm_model *m, cpm_error *e);

#endif
