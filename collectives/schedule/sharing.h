/* How simultaneous messages divide what they share on their way (link ends of hosts, memory,
 * trunks): max-min fair, weighted, with caps (Bertsekas and Gallager, Data Networks, 6.5.2).
 *
 * A message that begins or ends changes the rates of those only that it is connected with through
 * resources in use: together they are a group, and only groups that changed are computed anew. */
#ifndef CPM_SCHEDULE_SHARING_H
#define CPM_SCHEDULE_SHARING_H

#include <stdbool.h>
#include <stdint.h>

enum { CPM_MOST_USES = 4 }; /* resources on the way of one message, all different */

typedef struct {
    int resource;   /* from 0 on */
    double seconds; /* per byte, of all its capacity: the same for all that use it */
} cpm_use;

/* A message whose bytes are under way. */
typedef struct {
    double cap; /* seconds per byte when it is alone, above 0 */
    cpm_use use[CPM_MOST_USES];
    int uses;
    double weight; /* its share of a full resource is in proportion to it, above 0 */
    double left;   /* seconds that it would still take alone, at the time since */
    double since;  /* seconds */
    double rate;   /* share of its own speed that it gets, at most 1 */
    int message;   /* of the caller */
    /* The module's own: */
    int at[CPM_MOST_USES]; /* its place among the users of each of its resources */
    bool in_group, settled;
} cpm_active;

typedef struct cpm_shared cpm_shared; /* a resource */

/* All that is under way; zero is nothing. */
typedef struct {
    cpm_active *flow; /* by place */
    int *unused;      /* places */
    cpm_shared *resource;
    int *changed; /* resources whose users are others than before */
    int *group;   /* places of the flows of the group that was settled last */
    int *meets;   /* its resources */
    int64_t flow_room, unused_room, resource_room, changed_room, group_room, meets_room;
    int flows, unused_count, resources, changes, members, meeting;
    double looks; /* how often a flow or a resource was looked at */
} cpm_sharing;

/* Adds a flow (cap, use, uses, weight, left, message) and gives its place; what shares nothing has
 * its rate at once. False: out of memory. */
bool cpm_sharing_begin(cpm_sharing *s, const cpm_active *flow, double now, int *place);
/* Takes one away. */
void cpm_sharing_end(cpm_sharing *s, int place);

/* Finds the rates of one group that has changed: it is in group[members], and may be empty. */
void cpm_sharing_settle(cpm_sharing *s, double now);

/* When a flow ends if nothing changes any more. */
double cpm_sharing_end_of(const cpm_active *flow);

void cpm_sharing_free(cpm_sharing *s);

#endif
