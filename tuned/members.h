/* Which processes of a model the ranks of a communicator are. */
#ifndef CPM_TUNED_MEMBERS_H
#define CPM_TUNED_MEMBERS_H

#include <mpi.h>

#include "models/model.h"

/* The ranks of a communicator. */
typedef struct {
    int n;
    char *names;  /* of their hosts, MPI_MAX_PROCESSOR_NAME bytes each */
    int *sockets; /* on these (mpib_socket_here); NULL: nobody asked */
} tuned_members;

/* At rank 0, which clears it; elsewhere nothing is found. sockets: asked for, the same everywhere.
 * Collective. CPM_ENOMEM at rank 0, whose ranks are told nothing then. */
int tuned_members_find(MPI_Comm comm, bool sockets, tuned_members *out, cpm_error *e);
void tuned_members_clear(tuned_members *w);

/* The model of those ranks: the k-th rank on a host is the k-th process that the model has there.
 * CPM_EPROCESS: the program has not as many processes as the model; CPM_EDATA: a rank's host is not
 * in the model, or has fewer processes there. Local. */
int tuned_members_model(const cpm_model *m, const tuned_members *w, cpm_model **out, cpm_error *e);

/* Says once, at rank 0 of all processes, if more ranks run on its host than it has processors,
 * and idle ones do not give theirs away. names as above. Local. */
void tuned_mind_oversubscription(const char *names, int n);

#endif
