/* Drawing a schedule: its graph in Graphviz's language. */
#ifndef CPM_SCHEDULE_DRAW_H
#define CPM_SCHEDULE_DRAW_H

#include <stdio.h>

#include "collectives/schedule/graph.h"

/* Writes a picture of g below title. A tree is drawn as such, its edges marked with the number of
 * blocks (as figure 5.1 of O'Flynn's thesis, 2009); anything else as circles of processes, one for
 * each round, or for several that are alike. The text is laid out by dot. CPM_ENOMEM. */
int cpm_draw_graph(const cpm_graph *g, const char *title, FILE *out, cpm_error *e);

/* ---- for the two kinds of pictures */

/* The tree of all edges, each once; parent[n] as of cpm_graph_is_tree. */
void cpm_draw_tree(const cpm_graph *edges, const int *parent, bool upwards, const char *title,
                   FILE *out);
void cpm_draw_rounds(const cpm_graph *g, const char *title, FILE *out);

/* What both begin with; ends inside of the braces. */
void cpm_draw_head(FILE *out);

/* A label: title, below it the legend and what the looks of edges mean. */
void cpm_draw_title(const cpm_graph *g, const char *title, const char *legend, FILE *out);

/* A number of positions in blocks: "3", "1/8". */
void cpm_draw_blocks(const cpm_graph *g, int64_t positions, char text[32]);

/* Attributes of an edge: what is combined and what is without data look different. */
void cpm_draw_style(const cpm_edge *edge, FILE *out);

#endif
