/* Which processes of a model the ranks of a communicator are. */
#ifndef CPM_TUNED_MEMBERS_H
#define CPM_TUNED_MEMBERS_H

#include <mpi.h>

#include "models/model.h"

/* The names of the hosts of all ranks, MPI_MAX_PROCESSOR_NAME bytes each, at rank 0, which frees
 * them; elsewhere NULL. Collective. CPM_ENOMEM at rank 0, whose ranks are told nothing then. */
int tuned_members_names(MPI_Comm comm, char **names, cpm_error *e);

/* The model of those ranks: the k-th rank on a host is the k-th process that the model has there.
 * CPM_EPROCESS: the program has not as many processes as the model; CPM_EDATA: a rank's host is not
 * in the model, or has fewer processes there. Local. */
int tuned_members_model(const cpm_model *m, const char *names, int n, cpm_model **out,
                        cpm_error *e);

/* Says once, at rank 0 of all processes, if more ranks run on its host than it has processors,
 * and idle ones do not give theirs away. names as above. Local. */
void tuned_mind_oversubscription(const char *names, int n);

#endif
