/* Networks with names: the links of a torus, a fat tree or a dragonfly, and who uses them. */
#ifndef CPM_COLLECTIVES_NETWORK_SHAPES_H
#define CPM_COLLECTIVES_NETWORK_SHAPES_H

#include <stdbool.h>

#include "collectives/links.h"

/* Whether a text is meant to be one: its first word is "torus", "fat-tree" or "dragonfly". */
bool cpm_network_shape_named(const char *text);

/* "torus 4x4x2": hosts in the order of their places, those of the first dimension next to each
 *   other; messages go through one dimension after the other, the shorter way round.
 * "fat-tree 4,4 1,2 1,1": from the leaves up how many children a switch has, how many parents a
 *   child, and how many cables there are between the two (Zahavi 2012, PGFT); the destination
 *   decides the way up (D-mod-k).
 * "dragonfly 3,1 1,1 4,1 2": groups, chassis of a group, routers of a chassis, each with its number
 *   of cables, and hosts of a router (Kim et al. 2008, as Cray's XC); messages go the shortest way.
 *   Group g is linked with router g of the first chassis of each group, counted round.
 * Links are those between switches, one for each direction, and the switches themselves.
 * CPM_EINVAL: there is no such shape, its numbers are none, or it has not so many hosts.
 * CPM_ENOMEM.
 */
int cpm_links_of_shape(const char *text, int hosts, cpm_links *out, cpm_error *e);

#endif
