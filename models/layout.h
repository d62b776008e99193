/* Layouts of processes on hosts that are a model's, or like these. */
#ifndef CPM_MODELS_LAYOUT_H
#define CPM_MODELS_LAYOUT_H

#include "models/model.h"

/* For each of n processes, on host[i] of so many hosts and there on socket[i] (as cpm_model_place
 * has it), one of m's that it is like; m knows the inside of its hosts. Hosts beyond m's are like
 * these in turn. CPM_ENOMEM. */
int cpm_layout_seats(const cpm_model *m, const int *host, int hosts, const int *socket, int n,
                     int *process, cpm_error *e);

/* The model of a layout with more hosts than m has, none of them named. All are as the mean of m's,
 * which must be alike (models/alike.h). Those beyond m's are on switches of their own, as m's are
 * on theirs. A model without the inside of hosts has one process on each, and so has the layout.
 * Notes what is assumed (models/extrapolation.h). CPM_EDATA: m has one host, of which no network is
 * known, or unlike ones; CPM_ENOMEM. */
int cpm_model_more_hosts(const cpm_model *m, const cpm_hosts *layout, cpm_model **out,
                         cpm_error *e);

#endif
