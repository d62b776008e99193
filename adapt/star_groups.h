/* Groups of algorithms that are alike in what they spare: STAR-MPI tries one of each first (Faraj,
 * Yuan, Lowenthal 2006, 3.3). */
#ifndef CPM_ADAPT_STAR_GROUPS_H
#define CPM_ADAPT_STAR_GROUPS_H

#include "collectives/algorithm.h"

/* The group of an algorithm among those of its operation, from 1 on: the paper's for the operations
 * that it groups; what it does not know goes by what it spares (its row). Algorithms of two levels
 * are a group, and so are those that keep senders from sending together. */
int cpm_star_group(const cpm_algorithm *a);

/* Whether STAR-MPI itself has the algorithm for blocks of so many bytes (3.1). */
bool cpm_star_has(const cpm_algorithm *a, size_t bytes);

/* Whether it has any for the operation, by the name of that whose algorithms these are. */
bool cpm_star_knows(const char *operation);

#endif
