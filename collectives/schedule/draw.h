/* Drawing a schedule: its graph in Graphviz's language. */
#ifndef CPM_COLLECTIVES_SCHEDULE_DRAW_H
#define CPM_COLLECTIVES_SCHEDULE_DRAW_H

#include <stdio.h>

#include "collectives/hosts.h"
#include "collectives/schedule/graph.h"

/* Writes a picture of g below title. A tree is drawn as such, its edges marked with the number of
 * blocks (as figure 5.1 of O'Flynn's thesis, 2009); anything else as circles of processes, one for
 * each round, or for several that are alike. Processes that share a host (hosts, NULL: not known)
 * stand together below its name or number. The text is laid out by dot. CPM_ENOMEM. */
int cpm_draw_graph(const cpm_graph *g, const cpm_hosts *hosts, const char *title, FILE *out,
                   cpm_error *e);

/* ---- for the two kinds of pictures */

/* Processes by hosts; hosts NULL: there is nothing to show of them. */
typedef struct {
    const cpm_hosts *hosts;
    int *rank_of, *first; /* as cpm_hosts_sort gives them */
} cpm_draw_clusters;

/* "host 3", or its name; in a form that can stand between double quotes. */
void cpm_draw_host(const cpm_draw_clusters *c, int host, FILE *out);

/* The tree of all edges, each once; parent[n] as of cpm_graph_is_tree. */
void cpm_draw_tree(const cpm_graph *edges, const int *parent, bool upwards,
                   const cpm_draw_clusters *clusters, const char *title, FILE *out);
void cpm_draw_rounds(const cpm_graph *g, const cpm_draw_clusters *clusters, const char *title,
                     FILE *out);

/* What both begin with; ends inside of the braces. */
void cpm_draw_head(FILE *out);

/* A label: title, below it the legend and what the looks of edges mean. */
void cpm_draw_title(const cpm_graph *g, const char *title, const char *legend, FILE *out);

/* A number of positions in blocks: "3", "1/8". */
void cpm_draw_blocks(const cpm_graph *g, int64_t positions, char text[32]);

/* Attributes of an edge: what is combined and what is without data look different. */
void cpm_draw_style(const cpm_edge *edge, FILE *out);

#endif
