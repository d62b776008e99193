/* What the pictures have in common: fonts, colours, numbers. */
#include "collectives/schedule/draw.h"

#include <stdlib.h>

static void put_quoted(const char *text, FILE *out)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putc('\\', out);
        putc(*text, out);
    }
}

void cpm_draw_host(const cpm_draw_clusters *c, int host, FILE *out)
{
    if (c->hosts->name)
        put_quoted(c->hosts->name[host], out);
    else
        fprintf(out, "host %d", host);
}

/* ---- the whole */

static int find_clusters(const cpm_hosts *hosts, cpm_draw_clusters *out, cpm_error *e)
{
    *out = (cpm_draw_clusters){0};
    if (!hosts || hosts->count == hosts->n)
        return CPM_OK;
    out->rank_of = malloc((size_t)hosts->n * sizeof *out->rank_of);
    out->first = malloc(((size_t)hosts->count + 1) * sizeof *out->first);
    if (!out->rank_of || !out->first)
        return cpm_no_memory(e);
    cpm_hosts_sort(hosts, out->rank_of, out->first);
    out->hosts = hosts;
    return CPM_OK;
}

static int draw(const cpm_graph *g, const cpm_draw_clusters *clusters, const char *title, FILE *out,
                cpm_error *e)
{
    cpm_graph edges = {0};
    bool upwards;
    int *parent = malloc((size_t)g->n * sizeof *parent);
    if (!parent)
        return cpm_no_memory(e);
    int code = cpm_graph_without_rounds(g, &edges, e);
    if (!code && cpm_graph_is_tree(&edges, parent, &upwards))
        cpm_draw_tree(&edges, parent, upwards, clusters, title, out);
    else if (!code)
        cpm_draw_rounds(g, clusters, title, out);
    cpm_graph_free(&edges);
    free(parent);
    return code;
}

int cpm_draw_graph(const cpm_graph *g, const cpm_hosts *hosts, const char *title, FILE *out,
                   cpm_error *e)
{
    cpm_draw_clusters clusters;
    int code = find_clusters(hosts, &clusters, e);
    if (!code)
        code = draw(g, &clusters, title, out, e);
    free(clusters.rank_of);
    free(clusters.first);
    return code;
}

/* ---- what the pictures have in common */

/* What the looks of edges mean, as far as they occur. */
static void put_legend(const cpm_graph *g, FILE *out)
{
    bool combined = false, empty = false;
    for (int k = 0; k < g->count; k++) {
        empty = empty || g->at[k].positions == 0;
        combined = combined || (g->at[k].positions > 0 && g->at[k].combined);
    }
    fputs(combined ? ", orange: combined on arrival" : "", out);
    fputs(empty ? ", dashed: without data" : "", out);
}

void cpm_draw_title(const cpm_graph *g, const char *title, const char *legend, FILE *out)
{
    fputs("label=\"", out);
    put_quoted(title, out);
    fprintf(out, "\\n%s", legend);
    put_legend(g, out);
    fputs("\\n \"", out);
}

/* Colours as of the plots, which colour-blind readers can tell apart. */
void cpm_draw_head(FILE *out)
{
    fputs("digraph schedule {\n"
          "  graph [fontname=\"sans-serif\", fontsize=13, bgcolor=white];\n"
          "  node [fontname=\"sans-serif\", fontsize=10, shape=circle, fixedsize=true, width=0.28, "
          "style=filled, fillcolor=white, color=\"#444444\"];\n"
          "  edge [fontname=\"sans-serif\", fontsize=10, color=\"#0072b2\", arrowsize=0.6];\n",
          out);
}

void cpm_draw_blocks(const cpm_graph *g, int64_t positions, char text[32])
{
    if (positions % g->pieces == 0)
        snprintf(text, 32, "%lld", (long long)(positions / g->pieces));
    else
        snprintf(text, 32, "%lld/%d", (long long)positions, g->pieces);
}

void cpm_draw_style(const cpm_edge *edge, FILE *out)
{
    if (edge->positions == 0)
        fputs(", style=dashed, color=\"#888888\"", out);
    else if (edge->combined)
        fputs(", color=\"#d55e00\"", out);
}
