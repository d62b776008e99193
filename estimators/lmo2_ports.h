/* Which partners of a process use the same port of it, where it has several (rails, or a port for
 * each neighbour): one message to each of two partners, right after each other (train), takes
 * longer if they leave by the same port. Messages are taken to come in by the port they leave by.
 */
#ifndef CPM_ESTIMATORS_LMO2_PORTS_H
#define CPM_ESTIMATORS_LMO2_PORTS_H

#include "collectives/links.h"
#include "measurements/measurements.h"
#include "models/model.h"

/* Appends trains of messages of so many bytes among n processes, if those of the usual design,
 * which are measured, show that some partners share a port and others do not, by more than noise:
 * of each process the first partner whose port is not known yet, with each of the others. Before,
 * round trips of pairs that lack them at that size. Nothing if all is known.
 * CPM_ENOMEM. */
int cpm_lmo2_ports_plan(int n, size_t bytes, const cpm_measurements *so_far, cpm_design *next,
                        cpm_error *e);

/* The ports, in and out, of processes that have several, as links; none: no process has, or it was
 * not measured. CPM_ENOMEM. */
int cpm_lmo2_ports_find(int n, size_t bytes, const cpm_measurements *m, cpm_links *out,
                        cpm_error *e);

/* Forgets link ends that are as slow as a port: two ports at once were seen to be faster. */
void cpm_lmo2_ports_keep(cpm_model *m);

#endif
