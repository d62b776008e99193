/* Networks as they are cabled: hosts at switches, and any cables between switches. What other
 * programs say of a network is one at first. If its cables make a tree it is a topology of
 * switches; else there are several ways between two hosts, and which of them messages take is
 * assumed. */
#ifndef CPM_COLLECTIVES_FABRIC_H
#define CPM_COLLECTIVES_FABRIC_H

#include <stdbool.h>

#include "base/lines.h"
#include "collectives/links.h"
#include "collectives/topology_handle.h"

typedef struct {
    char *name;
    int line;  /* of the file, that names it */
    int at;    /* of a host: its switch */
    int place; /* of a host: how many are before it at its switch */
} cpm_fabric_node;

/* Between two switches. */
typedef struct {
    int a, b;
    int line;
    int nth; /* how many of the same two switches are before it */
} cpm_cable;

typedef struct cpm_fabric {
    int hosts, switches, cables;
    cpm_fabric_node *host, *at; /* at: switches */
    cpm_cable *cable;
    int *first; /* NULL before it is a topology. [switches + 1] cables at switch s are
                   end[first[s]] .. end[first[s + 1] - 1] */
    int *end;   /* [2 cables] the first to each other switch come first, then the second ones */
} cpm_fabric;

/* Adds a node or a cable; its number is how many there were before. Names are copied. CPM_ENOMEM.
 */
int cpm_fabric_add_switch(cpm_fabric *f, const char *name, int line, cpm_error *e);
int cpm_fabric_add_host(cpm_fabric *f, const char *name, int line, int at, cpm_error *e);
int cpm_fabric_add_cable(cpm_fabric *f, int a, int b, int line, cpm_error *e);

void cpm_fabric_clear(cpm_fabric *f);

/* How many parts there are without a way between them; part[switches]: one switch of that of each.
 */
int cpm_fabric_parts(const cpm_fabric *f, int *part);

/* The switch behind a cable of switch s. */
int cpm_fabric_far_end(const cpm_fabric *f, int cable, int s);

/* A fabric of one part, with hosts, becomes a topology, and is cleared in any case. Where cables
 * make no tree, all switches with hosts are at one core in its tree. CPM_ENOMEM. */
int cpm_topology_of_fabric(cpm_fabric *f, cpm_topology **out, cpm_error *e);

/* Of that of a topology: how many cables there are from a switch to each, -1: there is no way.
 * queue[switches]: space. */
void cpm_fabric_distances(const cpm_fabric *f, int from, int *distance, int *queue);

/* What messages between hosts share: cables, by direction, and the switches themselves. Host h is
 * host like[h] of the fabric. Messages go one of the shortest ways, of which their destination
 * decides (D-mod-k): at each switch in turn over the cables that lead nearer, by the number of the
 * destination, divided by how many switches could have been chosen before. Hosts are numbered
 * switch by switch. CPM_ENOMEM. */
int cpm_links_of_fabric(const cpm_fabric *f, const int *like, int hosts, cpm_links *out,
                        cpm_error *e);

#endif
