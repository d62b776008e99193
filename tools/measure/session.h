/* A session: the machine that a measuring subcommand works on. */
#ifndef CPM_TOOLS_MEASURE_SESSION_H
#define CPM_TOOLS_MEASURE_SESSION_H

#include "tools/frame/command.h"

/* Sets c->machine: a model that simulates the cluster if the options ask for one, else the
 * processes of MPI, which is started. Notes in c->oversubscription if a host is oversubscribed.
 * Same status on every rank; session_end is due also after a failure. */
int session_start(call *c, cpm_error *e);
void session_end(call *c);

/* Every rank gets the status and the sentence of the first that failed. Collective. */
int session_agree(call *c, int status, cpm_error *e);

/* CPM_EPROCESS, saying how to start the subcommand, if there are fewer processes than least. */
int session_needs(const call *c, int least, cpm_error *e);

#endif
