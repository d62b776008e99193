/* Which choices are run without looking at calls: what is to be trusted, and a table where it was
 * measured. What else names a choice is tried in the program's calls. */
#ifndef CPM_TUNED_TRUST_H
#define CPM_TUNED_TRUST_H

#include <mpi.h>
#include <stdbool.h>

#include "tables/decision_table.h"

/* Whether the calls of comm decide: the same on all of its ranks. Local. */
bool tuned_adapts(MPI_Comm comm);

/* What MPI_Init begins at all processes: process 0 looks at where the table was measured. Until
 * then none is trusted. Collective over MPI_COMM_WORLD. */
void tuned_trust_begin(void);

/* Sets measured[k] for each number k of processes for which t has measured rules, if it was
 * measured with this library and its first k processes were on the hosts names[k]
 * (MPI_MAX_PROCESSOR_NAME bytes each) of the program; else a sentence why not, empty if it was not
 * measured at all. measured[n + 1] is 0 before. Local. */
void tuned_trust_look(const cpm_table *t, const char *library, const char *names, int n,
                      char *measured, char *why, size_t size);

#endif
