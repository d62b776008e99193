/* The messages of a schedule as a graph: who sends how many blocks to whom, and in which round.
 *
 * A rank's rounds are its own business; the rounds of the graph are those of all ranks together, on
 * a machine where every message takes one round and is sent synchronously. */
#ifndef CPM_COLLECTIVES_SCHEDULE_GRAPH_H
#define CPM_COLLECTIVES_SCHEDULE_GRAPH_H

#include "collectives/schedule/schedule.h"

typedef struct {
    int from, to;
    int round;         /* of the graph, from 0 on */
    int messages;      /* that are counted here */
    int64_t positions; /* blocks or pieces of blocks; 0: without data */
    bool combined;     /* with what the receiver has */
} cpm_edge;

typedef struct {
    int n, rounds;
    int root;   /* of the schedule, -1: none */
    int pieces; /* positions of a block */
    int count;
    cpm_edge *at; /* in the order of rounds, senders, receivers; one for each of these */
} cpm_graph;

/* CPM_EDEADLOCK, CPM_EWRONG: the schedule is wrong under synchronous sends; CPM_ENOMEM. */
int cpm_graph_create(const cpm_schedule *s, cpm_graph *out, cpm_error *e);
void cpm_graph_free(cpm_graph *g);

/* The same with one edge for each sender and receiver, in its first round. CPM_ENOMEM. */
int cpm_graph_without_rounds(const cpm_graph *g, cpm_graph *out, cpm_error *e);

/* As messages without data, for operations that have none. */
void cpm_graph_empty(cpm_graph *g);

/* Whether edges without rounds are a tree: all from parents to children (*upwards false) or all
 * from children to parents, and its root is the schedule's, if that has one. parent[n]: -1 for the
 * root. */
bool cpm_graph_is_tree(const cpm_graph *g, int *parent, bool *upwards);

#endif
