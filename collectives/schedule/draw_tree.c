/* A tree: the root on top, or at the left of a long one; children in the order in which they are
 * sent to. */
#include "collectives/schedule/draw.h"

static int depth_of(const int *parent, int rank)
{
    int depth = 0;
    while (parent[rank] >= 0) {
        rank = parent[rank];
        depth++;
    }
    return depth;
}

/* A tree that has more levels than half of its processes is easier to read from left to right. */
static bool is_long(const cpm_graph *g, const int *parent)
{
    int depth = 0;
    for (int r = 0; r < g->n; r++) {
        int own = depth_of(parent, r);
        depth = own > depth ? own : depth;
    }
    return 2 * depth > g->n;
}

/* The number of messages of every edge, 0 if they differ. */
static int messages_of_each(const cpm_graph *g)
{
    for (int k = 1; k < g->count; k++)
        if (g->at[k].messages != g->at[0].messages)
            return 0;
    return g->count ? g->at[0].messages : 1;
}

static void describe(const cpm_graph *g, char legend[64])
{
    int each = messages_of_each(g);
    if (each == 1)
        snprintf(legend, 64, "numbers: blocks");
    else if (each)
        snprintf(legend, 64, "numbers: blocks, each in %d messages", each);
    else
        snprintf(legend, 64, "numbers: blocks (messages)");
}

/* Always from the parent to the child, so that dot puts the root on top. */
static void draw_edge(const cpm_graph *g, const cpm_edge *edge, bool upwards, bool count, FILE *out)
{
    char blocks[32];
    cpm_draw_blocks(g, edge->positions, blocks);
    fprintf(out, "  %d -> %d [%slabel=\" %s", upwards ? edge->to : edge->from,
            upwards ? edge->from : edge->to, upwards ? "dir=back, " : "", blocks);
    if (count)
        fprintf(out, " (%d)", edge->messages);
    fputs("\"", out);
    cpm_draw_style(edge, out);
    fputs("];\n", out);
}

static void draw_node(const int *parent, int rank, FILE *out)
{
    fprintf(out, "  %d%s;\n", rank,
            parent[rank] < 0 ? " [fillcolor=\"#0072b2\", fontcolor=white]" : "");
}

static void draw_cluster(const cpm_draw_clusters *c, int host, const int *parent, FILE *out)
{
    fprintf(out, "  subgraph cluster_%d {\n  label=\"", host);
    cpm_draw_host(c, host, out);
    fputs("\"; labelloc=t; fontsize=10; style=\"rounded,filled\"; color=\"#bbbbbb\"; "
          "fillcolor=\"#f4f4f4\";\n",
          out);
    for (int q = c->first[host]; q < c->first[host + 1]; q++)
        draw_node(parent, c->rank_of[q], out);
    fputs("  }\n", out);
}

static void draw_nodes(const cpm_draw_clusters *c, const int *parent, int n, FILE *out)
{
    for (int h = 0; c->hosts && h < c->hosts->count; h++)
        draw_cluster(c, h, parent, out);
    for (int r = 0; !c->hosts && r < n; r++)
        draw_node(parent, r, out);
}

void cpm_draw_tree(const cpm_graph *edges, const int *parent, bool upwards,
                   const cpm_draw_clusters *clusters, const char *title, FILE *out)
{
    char legend[64];
    describe(edges, legend);
    cpm_draw_head(out);
    fputs("  ", out);
    cpm_draw_title(edges, title, legend, out);
    fprintf(out, "; labelloc=t;%s rankdir=%s; ranksep=0.4; nodesep=0.2;\n",
            clusters->hosts ? "" : " ordering=out;", is_long(edges, parent) ? "LR" : "TB");
    draw_nodes(clusters, parent, edges->n, out);
    for (int k = 0; k < edges->count; k++)
        draw_edge(edges, &edges->at[upwards ? edges->count - 1 - k : k], upwards,
                  messages_of_each(edges) == 0, out);
    fputs("}\n", out);
}
