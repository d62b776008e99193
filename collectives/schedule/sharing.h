/* How simultaneous messages divide what they share on their way (link ends of hosts, memory,
 * trunks): max-min fair, weighted, with caps (Bertsekas and Gallager, Data Networks, 6.5.2).
 *
 * Messages under way that use the same resources with the same cap and weight, as those from the
 * processes of one host to those of another do, have the same rate: a bundle. So what is computed
 * grows with pairs of hosts, not of processes.
 *
 * A message that begins or ends changes the rates of those bundles only that it is connected with
 * through resources in use: together they are a group, and only groups that changed are computed
 * anew.
 *
 * In a crowd, a group of many, one that comes or goes changes little for the others. There changes
 * wait for each other, for a share (tolerance) of the shortest time that any first to end of its
 * bundle takes: the first of a bundle waits meanwhile, and what one that ends leaves is not used
 * yet. */
#ifndef CPM_COLLECTIVES_SCHEDULE_SHARING_H
#define CPM_COLLECTIVES_SCHEDULE_SHARING_H

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    CPM_MOST_USES = 32, /* resources on the way of one message; one named twice is used twice */
    CPM_CROWD = 64      /* bundles of the smallest crowd */
};

typedef struct {
    int resource;   /* from 0 on */
    double seconds; /* per byte, of all its capacity: the same for all that use it */
} cpm_use;

/* A message whose bytes are to be under way. */
typedef struct {
    double cap;    /* seconds per byte when it is alone, above 0 */
    double weight; /* its share of a full resource is in proportion to it, above 0 */
    double left;   /* seconds that it would take alone */
    cpm_use use[CPM_MOST_USES];
    int uses;
    int message; /* of the caller */
} cpm_starting;

typedef struct {
    double end;   /* progress of its bundle with which it has arrived */
    double begin; /* seconds */
    int message;
} cpm_bundled;

/* What is looked at whenever rates change comes first: it is one line of a cache. */
typedef struct {
    alignas(64) int count;
    /* The module's own: */
    int uses;
    double cap, weight;
    double rate;         /* share of its own speed that each gets, at most 1 */
    double progress;     /* seconds of transfer alone that each has made, at the time since */
    double first, begin; /* of the first flow to end: its end, in progress, and its beginning */
    int resource[CPM_MOST_USES];
    double since;
    int at[CPM_MOST_USES]; /* its place among the users of each of its resources */
    cpm_bundled *others;   /* [count - 1] a heap, at the top of which is the first flow */
    int64_t room;
    int message; /* of the first flow to end; of a bundle without flows the next unused place */
} cpm_bundle;

typedef struct cpm_shared cpm_shared; /* a resource */

/* All that is under way; zero is nothing. */
typedef struct {
    double tolerance;   /* of crowds; 0: none is treated as one */
    cpm_bundle *bundle; /* by place */
    double *end;        /* of a bundle's first flow to end, if nothing changes any more; by place */
    bool *settled;      /* while rates are found: the bundle has one; by place */
    cpm_shared *resource;
    int *changed; /* resources whose users are others than before */
    int *later;   /* those of them that wait for other changes */
    int *group;   /* places of the bundles of the group that was settled last */
    int *meets;   /* its resources */
    int64_t bundle_room, end_room, settled_room, resource_room, changed_room, later_room,
        group_room, meets_room;
    int bundles, resources, changes, waiting, members, meeting;
    int unused;   /* places: the first of them and 1, or 0; the next ones likewise */
    double now;   /* when a group was settled last */
    double first; /* of the group that was settled last: when its first ends, if nothing changes */
    double shortest; /* the least that a first of it takes from its beginning to its end */
    double widest;   /* the largest product of cap and weight in it */
    double due;      /* until when it waits for changes */
    double wake;     /* when the first of those that wait is due */
    double looks;    /* how often a bundle or a resource was looked at */
} cpm_sharing;

/* Adds a flow and gives the place of its bundle; what shares nothing has one of its own, and its
 * rate at once. False: out of memory. */
bool cpm_sharing_begin(cpm_sharing *s, const cpm_starting *flow, double now, int *place);
/* Takes away that flow of a bundle that ends first; returns its message. */
int cpm_sharing_end(cpm_sharing *s, int place);

/* Finds the rates of one group that has changed: it is in group[members], and may be empty. */
void cpm_sharing_settle(cpm_sharing *s, double now);

/* What waits (waiting > 0, the first until wake) is changed again, and waits on if it is not due.
 * No other changes may be left. */
void cpm_sharing_wake(cpm_sharing *s);

void cpm_sharing_free(cpm_sharing *s);

#endif
