/* What the command asks of MPI. Everything of it that includes mpi.h is in this folder; where CPM
 * is built without MPI, none.c stands for all of it. */
#ifndef CPM_TOOLS_MPI_PROCESSES_H
#define CPM_TOOLS_MPI_PROCESSES_H

#include "collectives/hosts.h"
#include "tools/frame/command.h"

/* For people: the library of MPI and its launcher, or that there is none. */
void processes_describe(char *text, size_t size);

/* CPM_EMPI, if CPM is built without MPI, saying that what ("cpm run preloads ...") needs it. */
int processes_need_mpi(const char *what, cpm_error *e);

/* Before all processes end because of a mistake in the command line, which the first has told: none
 * goes before that is done. Instead of a session. */
void processes_let_first_speak(void);

/* Ends all processes that a launcher started because this one failed before MPI began, which the
 * others may wait for. */
void processes_abort(void);

/* Starts MPI and sets c->machine to its processes. Notes in c->oversubscription if a host is
 * oversubscribed. Same status on every rank; processes_end is due also after a failure. */
int processes_start(call *c, cpm_error *e);
void processes_end(call *c);

/* Of a call whose processes have started: the first n of them as a machine of their own
 * (mpib_sub_cluster_create), and who shares a host (mpib_hosts). Collective. */
int processes_part(const call *c, int n, cpm_machine **out, cpm_error *e);
int processes_hosts(cpm_hosts *out, cpm_error *e);

#endif
