/* The ways of messages through a fabric, and what they share. */
#include <stdio.h>
#include <stdlib.h>

#include "collectives/fabric.h"

/* The ways to one host are being drawn. */
typedef struct {
    const cpm_fabric *f;
    int width;     /* most hosts of a switch */
    int *number;   /* of links: of both ways of each cable, then of switches; -1: none yet */
    int *leaf;     /* [switches] how many with hosts are before it */
    int *distance; /* [switches] from the switch of the destination */
    int *queue;    /* [switches] space */
    int from, to;  /* hosts of whoever asks */
    int64_t to_number;
    int64_t among; /* by how many it is divided so far */
    cpm_links_draft draft;
    cpm_error *e;
} drawing;

/* The k-th link, of that name, is on the way at hand. */
static int pass(drawing *w, int k, const char *name)
{
    return cpm_links_draft_cross(&w->draft, w->from, w->to, name, &w->number[k], w->e);
}

static int pass_switch(drawing *w, int s)
{
    return pass(w, 2 * w->f->cables + s, w->f->at[s].name);
}

static bool is_parallel(const cpm_fabric *f, const cpm_cable *c)
{
    int cables = 0;
    for (int q = f->first[c->a]; q < f->first[c->a + 1]; q++)
        cables += cpm_fabric_far_end(f, f->end[q], c->a) == c->b;
    return cables > 1;
}

static int pass_cable(drawing *w, int cable, int from)
{
    const cpm_cable *c = &w->f->cable[cable];
    int k = 2 * cable + (c->b == from), status;
    char *name = NULL, nth[16] = "";
    if (w->number[k] >= 0)
        return pass(w, k, NULL);
    if (is_parallel(w->f, c))
        snprintf(nth, sizeof nth, ":%d", c->nth + 1);
    if (asprintf(&name, "%s>%s%s", w->f->at[from].name,
                 w->f->at[cpm_fabric_far_end(w->f, cable, from)].name, nth) < 0)
        return cpm_no_memory(w->e);
    status = pass(w, k, name);
    free(name);
    return status;
}

/* The cable over which the way at hand goes on from a switch: of those that lead nearer, the one
 * that has as many before it as the destination's number says. */
static int choose(drawing *w, int s)
{
    const cpm_fabric *f = w->f;
    int nearer = 0, switches = 0, q = f->first[s];
    for (int r = q; r < f->first[s + 1]; r++) {
        bool near = w->distance[cpm_fabric_far_end(f, f->end[r], s)] < w->distance[s];
        nearer += near;
        switches += near && f->cable[f->end[r]].nth == 0;
    }
    for (int64_t before = w->to_number / w->among % nearer;; q++)
        if (w->distance[cpm_fabric_far_end(f, f->end[q], s)] < w->distance[s] && before-- == 0)
            break;
    w->among *= switches;
    return f->end[q];
}

static int cross(drawing *w, int at)
{
    int status = pass_switch(w, at);
    w->among = 1;
    while (!status && w->distance[at] > 0) {
        int cable = choose(w, at);
        status = pass_cable(w, cable, at);
        at = cpm_fabric_far_end(w->f, cable, at);
        if (!status)
            status = pass_switch(w, at);
    }
    return status;
}

static void number_leaves(drawing *w)
{
    for (int s = 0, leaves = 0; s < w->f->switches; s++) {
        int hosts = w->f->at[s].place;
        w->leaf[s] = leaves;
        leaves += hosts > 0;
        w->width = hosts > w->width ? hosts : w->width;
    }
}

static int cross_all(drawing *w, const int *like)
{
    const cpm_fabric *f = w->f;
    int status = CPM_OK;
    for (w->to = 0; w->to < w->draft.hosts && !status; w->to++) {
        const cpm_fabric_node *to = &f->host[like[w->to]];
        w->to_number = (int64_t)w->leaf[to->at] * w->width + to->place;
        cpm_fabric_distances(f, to->at, w->distance, w->queue);
        for (w->from = 0; w->from < w->draft.hosts && !status; w->from++)
            if (w->from != w->to)
                status = cross(w, f->host[like[w->from]].at);
    }
    return status;
}

int cpm_links_of_fabric(const cpm_fabric *f, const int *like, int hosts, cpm_links *out,
                        cpm_error *e)
{
    size_t links = 2 * (size_t)f->cables + (size_t)f->switches;
    drawing w = {.f = f,
                 .number = malloc(links * sizeof *w.number),
                 .distance = malloc(3 * (size_t)f->switches * sizeof *w.distance),
                 .draft.hosts = hosts,
                 .e = e};
    int status = w.number && w.distance ? CPM_OK : cpm_no_memory(e);
    for (size_t k = 0; k < links && !status; k++)
        w.number[k] = -1;
    if (!status) {
        w.queue = w.distance + f->switches;
        w.leaf = w.queue + f->switches;
        number_leaves(&w);
        status = cross_all(&w, like);
    }
    free(w.number);
    free(w.distance);
    if (!status)
        return cpm_links_draft_end(&w.draft, out, e);
    cpm_links_draft_clear(&w.draft);
    return status;
}
