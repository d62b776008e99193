/* What cpm doctor says, for others to show too. */
#ifndef CPM_TOOLS_DOCTOR_H
#define CPM_TOOLS_DOCTOR_H

#include "estimators/doctor.h"
#include "tools/table.h"

/* Appends what the diagnosis of a model without experiments found: who it is and what there is of
 * it; what was compared; and sets verdict to the sentence that sums it up. Verdict and tables are
 * the caller's to free, also on failure. CPM_ENOMEM. */
int doctor_tabulate(const cpm_model *m, const cpm_diagnosis *d, table *findings, table *compared,
                    char **verdict, cpm_error *e);

#endif
