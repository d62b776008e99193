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

void cpm_draw_tree(const cpm_graph *edges, const int *parent, bool upwards, const char *title,
                   FILE *out)
{
    char legend[64];
    describe(edges, legend);
    cpm_draw_head(out);
    fputs("  ", out);
    cpm_draw_title(edges, title, legend, out);
    fprintf(out, "; labelloc=t; ordering=out; rankdir=%s; ranksep=0.4; nodesep=0.2;\n",
            is_long(edges, parent) ? "LR" : "TB");
    for (int r = 0; r < edges->n; r++)
        fprintf(out, "  %d%s;\n", r,
                parent[r] < 0 ? " [fillcolor=\"#0072b2\", fontcolor=white]" : "");
    for (int k = 0; k < edges->count; k++)
        draw_edge(edges, &edges->at[upwards ? edges->count - 1 - k : k], upwards,
                  messages_of_each(edges) == 0, out);
    fputs("}\n", out);
}
