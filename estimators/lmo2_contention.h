/* What several messages at once show: how fast a host's memory is that the messages inside it
 * share, from all pairs of its processes (where sockets are told apart: of its largest one's), once
 * with buffered messages and once with synchronous ones; how fast the link between its sockets is,
 * from pairs of one process on each of the two largest; how fast a process copies while another
 * copies from it, from all pairs that exchange long messages; and of two hosts how fast their link
 * ends are, from all their processes in pairs, one of each host, as no message can meet another
 * there otherwise. The capacity is that with which the flow walk gives the times that these took.
 */
#ifndef CPM_ESTIMATORS_LMO2_CONTENTION_H
#define CPM_ESTIMATORS_LMO2_CONTENTION_H

#include "collectives/hosts.h"
#include "measurements/measurements.h"
#include "models/model.h"

/* Appends round trips of messages of so many bytes, of all pairs of a host at once, on all hosts of
 * four processes or more; of two processes an exchange, of three one of all of them. Those of a
 * campaign that was stopped amid a round are asked for with other partners. CPM_ENOMEM. */
int cpm_lmo2_memory_plan(const cpm_hosts *hosts, size_t bytes, const cpm_measurements *so_far,
                         cpm_design *next, cpm_error *e);
/* The same from one socket to another. */
int cpm_lmo2_sockets_plan(const cpm_hosts *hosts, size_t bytes, const cpm_measurements *so_far,
                          cpm_design *next, cpm_error *e);
/* Of messages of so many bytes, which are synchronous: round trips of all pairs of a host at once
 * with such a message out, and with another back, too (of three processes an exchange of all). What
 * the one takes longer than the other shows how fast the memory is, whenever the pairs begin. */
int cpm_lmo2_fetching_plan(const cpm_hosts *hosts, size_t bytes, const cpm_measurements *so_far,
                           cpm_design *next, cpm_error *e);
/* Exchanges of such messages of all pairs of a host at once; of three processes of the first two.
 */
int cpm_lmo2_copying_plan(const cpm_hosts *hosts, size_t bytes, const cpm_measurements *so_far,
                          cpm_design *next, cpm_error *e);
/* The same as of memory from each of two hosts to the other; nothing of more hosts, or with one
 * process. */
int cpm_lmo2_ends_plan(const cpm_hosts *hosts, size_t bytes, const cpm_measurements *so_far,
                       cpm_design *next, cpm_error *e);

/* Sets the capacities of m, which has all other parameters of the inside of hosts, and notes what
 * was found. Hosts of which it was not measured are like most others. CPM_EDATA,
 * CPM_ENOMEM. */
int cpm_lmo2_memory_fit(const cpm_hosts *hosts, size_t bytes, const cpm_measurements *measured,
                        cpm_model *m, cpm_error *e);
int cpm_lmo2_sockets_fit(const cpm_hosts *hosts, size_t bytes, const cpm_measurements *measured,
                         cpm_model *m, cpm_error *e);
/* The same of Gf_in of m, as if receivers fetched (fetched_in is not known yet). */
int cpm_lmo2_fetching_fit(const cpm_hosts *hosts, size_t bytes, const cpm_measurements *measured,
                          cpm_model *m, cpm_error *e);
/* The same of Gx_in of m, where receivers fetch (fetched_in is known); hosts whose exchanges are
 * faster than Gf_in allows lose that. */
int cpm_lmo2_copying_fit(const cpm_hosts *hosts, size_t bytes, const cpm_measurements *measured,
                         cpm_model *m, cpm_error *e);
/* The same of the link ends of two hosts, which has the parameters between them. */
int cpm_lmo2_ends_fit(const cpm_hosts *hosts, size_t bytes, const cpm_measurements *measured,
                      cpm_model *m, cpm_error *e);

#endif
