/* Algorithms of two levels: within hosts and between them, for any layout of processes on hosts. */
#ifndef CPM_COLLECTIVES_ALGORITHMS_LEVELS_H
#define CPM_COLLECTIVES_ALGORITHMS_LEVELS_H

#include "collectives/algorithm.h"

/* Some processes of a host lead it, each at the head of a team of its processes; the k-th leaders
 * of all hosts make up lane k (Traeff, Hunold 2020; one leader: two levels as in Karonis et al.
 * 2000). A phase is an operation of every team, of the leaders of every host (of a rooted operation
 * only of the root's), or of the leaders of every lane. */
typedef enum { CPM_OF_TEAMS, CPM_OF_LEADERS, CPM_OF_LANES, CPM_END_OF_LEVELS } cpm_level;

typedef struct {
    cpm_level level;
    const char *usual; /* "bcast:binomial" */
} cpm_level_phase;

/* The variant of a row is its phases in their order, up to CPM_END_OF_LEVELS. */
enum { CPM_MOST_LEVEL_PHASES = 5 };

/* The row of that name which a phase within hosts, or between them, has (CPM_WITHIN_HOSTS,
 * CPM_BETWEEN_HOSTS): the first whose operation has one. CPM_EUNKNOWN with their operations. */
int cpm_level_find(const cpm_algorithm *a, int level, const char *name, const cpm_algorithm **out,
                   cpm_error *e);

/* Whether contributions are combined in the order of ranks: hosts have consecutive ones, one leader
 * each, and all phases that combine keep the order from their roots. */
bool cpm_levels_keep_order(const cpm_algorithm *a, const cpm_parameters *with, int root,
                           const cpm_hosts *hosts);

#endif
