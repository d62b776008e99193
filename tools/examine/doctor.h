/* What cpm doctor says, for others to show too. */
#ifndef CPM_TOOLS_EXAMINE_DOCTOR_H
#define CPM_TOOLS_EXAMINE_DOCTOR_H

#include "diagnose/doctor.h"
#include "tools/frame/table.h"

/* The pairs of more hosts, or processes, are not compared: of so many each parameter takes 5 s and
 * in all 800 MB are needed, of 10,000 it would be two minutes and 20 GB. */
enum { DOCTOR_MOST_ENDS = 2048 };

/* Prints what cpm doctor does of a model without experiments. CPM_ENOMEM. */
int doctor_print(const cpm_model *m, const cpm_diagnosis *d, cpm_error *e);

/* Appends what the diagnosis of a model without experiments found: who it is and what there is of
 * it; what was compared; and sets verdict to the sentence that sums it up. Verdict and tables are
 * the caller's to free, also on failure. CPM_ENOMEM. */
int doctor_tabulate(const cpm_model *m, const cpm_diagnosis *d, table *findings, table *compared,
                    char **verdict, cpm_error *e);

#endif
