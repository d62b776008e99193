/* What is known of the processes of a collective besides their number: --map, --blocks, --graph,
 * --topology and --layout. */
#ifndef CPM_TOOLS_FRAME_PLACEMENT_H
#define CPM_TOOLS_FRAME_PLACEMENT_H

#include "collectives/topology_tree.h"
#include "mapping/map_file.h"
#include "tools/frame/choices.h"
#include "tools/frame/command.h"

typedef struct {
    cpm_placement known; /* borrows from the rest */
    int n;
    cpm_map *map;    /* NULL without --map */
    double *weights; /* [n] blocks of v-operations over their mean; NULL: all the same */
    cpm_topology *topology;
    cpm_neighbours *neighbours;
    cpm_hosts hosts; /* empty: not known */
    size_t mean;     /* of the blocks, or the map's; 0: neither */
} placement;

extern const option placement_options[]; /* --map, --blocks */
extern const option graph_options[];
extern const option topology_options[];
extern const option layout_options[];           /* --layout, --placement */
extern const option simulated_layout_options[]; /* the same, of a machine that a model simulates */

/* The option that says how many processes there are; NULL: none does. */
const char *placement_sets_processes(const settings *s);

/* Reads what the options name, for n processes, -1: for as many as the map, the layout or the graph
 * has. Sets the root to the map's, and the sizes, where none are given, to the mean of the blocks.
 * CPM_EIO, CPM_EPARSE; CPM_EPROCESS: of another number of processes; CPM_EINVAL: --root is another,
 * or --blocks are others, than the map's, or the topology has not enough hosts. */
int placement_open(settings *s, int n, placement *out, cpm_error *e);
void placement_close(placement *p);

/* The file of --topology. CPM_EINVAL, of a shape in its place; as cpm_topology_read. */
int placement_read_topology(const char *file, cpm_topology **out, cpm_error *e);

/* Replaces a model that knows the inside of hosts by that of the processes that --layout puts on
 * them; nothing to do for others, and without --layout. Errors as of cpm_hosts_read and
 * cpm_model_lay_out; CPM_EPROCESS: of a model without the inside of hosts the layout has others
 * together than were measured together. */
int placement_lay_out(const settings *s, cpm_model **m, cpm_error *e);

/* CPM_EINVAL for --layout where nothing is simulated: of real processes MPI says who shares a host.
 */
int placement_check_simulated(const settings *s, cpm_error *e);

/* Where nothing else says which processes share a host, the model does; it is borrowed. */
void placement_of_model(placement *p, const cpm_model *m);
/* The same of the switches. CPM_ENOMEM. */
int placement_at_switches(placement *p, const cpm_model *m, cpm_error *e);

/* These are the hosts, which p takes over; there were none. */
void placement_take_hosts(placement *p, cpm_hosts *hosts);

/* CPM_EINVAL unless all that are chosen are the algorithm of the map. */
int placement_check(const placement *p, const settings *s, const choices *which, cpm_error *e);

#endif
