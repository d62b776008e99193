/* Circles of processes, one for each round; rounds in a row that are alike share one. Processes of
 * a host stand side by side, hosts a place apart. Everything has its place in points (layout nop2):
 * circles lie in rows, rank 0 is on top of each, and arrows bend to the middle so that they cross
 * no process. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/schedule/draw.h"

/* Distances in points. A process fills NODE to both sides of the circle; arrows begin and end a bit
 * beside the middle of it. */
static const double SPACING = 30, LEAST_RADIUS = 40, MARGIN = 44, CAPTION = 30, NODE = 10,
                    ARROW = 6, BESIDE = 3.5, LABEL = 8, TITLE = 48, HOST = 24;

/* Rounds first..last, which have the same edges: those of first are [begin, end). */
typedef struct {
    int first, last, begin, end;
    int64_t each; /* positions of every message with data, 0 if there is none, -1 if they differ */
} panel;

typedef struct {
    const cpm_graph *g;
    const cpm_draw_clusters *clusters;
    double radius, width, height;
    int columns;
} layout;

/* ---- rounds that are alike */

static int end_of_round(const cpm_graph *g, int begin)
{
    int k = begin;
    while (k < g->count && g->at[k].round == g->at[begin].round)
        k++;
    return k;
}

static bool is_like(const cpm_edge *a, const cpm_edge *b)
{
    return a->from == b->from && a->to == b->to && a->positions == b->positions &&
           a->messages == b->messages && a->combined == b->combined;
}

static bool rounds_are_alike(const cpm_graph *g, const panel *p, int begin, int end)
{
    if (end - begin != p->end - p->begin)
        return false;
    for (int k = begin; k < end; k++)
        if (!is_like(&g->at[k], &g->at[p->begin + k - begin]))
            return false;
    return true;
}

static int64_t positions_of_each(const cpm_graph *g, const panel *p)
{
    int64_t each = 0;
    for (int k = p->begin; k < p->end; k++) {
        int64_t positions = g->at[k].positions;
        if (positions && each && positions != each)
            return -1;
        each = positions ? positions : each;
    }
    return each;
}

/* The panel whose edges begin there; returns where the next one's do. */
static int find_panel(const cpm_graph *g, int begin, panel *p)
{
    int end = end_of_round(g, begin);
    *p = (panel){g->at[begin].round, g->at[begin].round, begin, end, 0};
    p->each = positions_of_each(g, p);
    while (end < g->count && rounds_are_alike(g, p, end, end_of_round(g, end))) {
        p->last = g->at[end].round;
        end = end_of_round(g, end);
    }
    return end;
}

static int count_panels(const cpm_graph *g)
{
    int count = 0;
    panel p;
    for (int k = 0; k < g->count; count++)
        k = find_panel(g, k, &p);
    return count;
}

/* ---- a circle */

typedef struct {
    double x, y;
} point;

/* Clockwise from the top. */
static point on_circle(point centre, double radius, double angle)
{
    return (point){centre.x + radius * sin(angle), centre.y + radius * cos(angle)};
}

/* Places on a circle: hosts have one between them. */
static int places(const layout *l)
{
    return l->g->n + (l->clusters->hosts ? l->clusters->hosts->count : 0);
}

static int place_of(const layout *l, int rank)
{
    const cpm_draw_clusters *c = l->clusters;
    if (!c->hosts)
        return rank;
    int host = c->hosts->of[rank], q = c->first[host];
    while (c->rank_of[q] != rank)
        q++;
    return q + host;
}

static double angle_of(const layout *l, int rank)
{
    return 2 * acos(-1) * place_of(l, rank) / places(l);
}

static bool takes_part(const layout *l, const panel *p, int rank)
{
    for (int k = p->begin; k < p->end; k++)
        if (l->g->at[k].from == rank || l->g->at[k].to == rank)
            return true;
    return false;
}

/* Neighbouring hosts differ, the last and the first, too. */
static const char *tint_of(const layout *l, int rank)
{
    enum { TURNS = 3 };
    static const char *const tints[] = {", fillcolor=\"#dcecf6\"", ", fillcolor=\"#fbe6d8\"",
                                        ", fillcolor=\"#dff2ea\"", ", fillcolor=\"#ece4f2\""};
    const cpm_hosts *hosts = l->clusters->hosts;
    if (!hosts)
        return "";
    int host = hosts->of[rank], turn = host % TURNS;
    return tints[host + 1 == hosts->count && turn == 0 ? TURNS : turn];
}

static void draw_nodes(const layout *l, const panel *p, int number, point centre, FILE *out)
{
    for (int r = 0; r < l->g->n; r++) {
        point at = on_circle(centre, l->radius, angle_of(l, r));
        fprintf(out, "  p%dr%d [label=\"%d\", pos=\"%.1f,%.1f\"%s%s];\n", number, r, r, at.x, at.y,
                takes_part(l, p, r) ? "" : ", color=\"#cccccc\", fontcolor=\"#bbbbbb\"",
                tint_of(l, r));
    }
}

/* Points that a host's name takes, about. */
static double width_of_name(const layout *l, int host)
{
    const cpm_hosts *hosts = l->clusters->hosts;
    return 5.5 * (hosts->name ? (double)strlen(hosts->name[host]) : 8);
}

/* Their names, outside of the circle. */
static void draw_hosts(const layout *l, int number, point centre, FILE *out)
{
    const cpm_draw_clusters *c = l->clusters;
    for (int h = 0; c->hosts && h < c->hosts->count; h++) {
        double from = angle_of(l, c->rank_of[c->first[h]]);
        double to = angle_of(l, c->rank_of[c->first[h + 1] - 1]), middle = (from + to) / 2;
        point at = on_circle(centre, l->radius + HOST, middle);
        fprintf(out, "  p%dh%d [shape=plaintext, fixedsize=false, style=\"\", fontsize=9, label=\"",
                number, h);
        cpm_draw_host(c, h, out);
        fprintf(out, "\", pos=\"%.1f,%.1f\"];\n", at.x + sin(middle) * width_of_name(l, h) / 2,
                at.y);
    }
}

/* ---- an arrow */

/* A Bezier curve with room for arrow heads at its ends. */
typedef struct {
    point tail, at[4], tip;
} curve;

static point between(point a, point b, double part)
{
    return (point){a.x + part * (b.x - a.x), a.y + part * (b.y - a.y)};
}

/* A third of the straight way to the other end, pulled towards the middle: neighbours more, so that
 * the arrow points at them, others less, so that the eye can follow it. */
static point bend(point end, point other, point centre, double apart)
{
    return between(between(end, other, 1. / 3), centre, 0.38 - 0.34 * sin(apart / 2));
}

/* Leaves the process at the side where the other one is, if any, or at the far side, and reaches
 * that likewise. */
static curve make_curve(const layout *l, point centre, const cpm_edge *edge, bool both, bool far)
{
    double pi = acos(-1), radius = l->radius - NODE - 1;
    double from = angle_of(l, edge->from), to = angle_of(l, edge->to);
    double apart = remainder(to - from, 2 * pi);
    double side = fabs(apart) > pi - 1e-6 ? 0 : copysign(BESIDE / radius, apart);
    if (far)
        side = side == 0 ? BESIDE / radius : -side;
    point tail = on_circle(centre, radius, from + side), tip = on_circle(centre, radius, to - side);
    point first = bend(tail, tip, centre, fabs(apart)),
          second = bend(tip, tail, centre, fabs(apart));
    double head = ARROW / hypot(tip.x - second.x, tip.y - second.y);
    return (curve){
        tail,
        {both ? between(tail, first, head) : tail, first, second, between(tip, second, head)},
        tip};
}

static point along(const curve *c, double part)
{
    double rest = 1 - part;
    double weight[] = {rest * rest * rest, 3 * rest * rest * part, 3 * rest * part * part,
                       part * part * part};
    point p = {0, 0};
    for (int k = 0; k < 4; k++) {
        p.x += weight[k] * c->at[k].x;
        p.y += weight[k] * c->at[k].y;
    }
    return p;
}

/* Where a label does not touch it, at its right, nearer to its sender. */
static point beside(const curve *c)
{
    point at = along(c, 0.3), next = along(c, 0.31);
    double length = hypot(next.x - at.x, next.y - at.y);
    return (point){at.x + LABEL * (next.y - at.y) / length,
                   at.y - LABEL * (next.x - at.x) / length};
}

static void put_curve(const curve *c, bool both, FILE *out)
{
    fputs(", pos=\"", out);
    if (both)
        fprintf(out, "s,%.1f,%.1f ", c->tail.x, c->tail.y);
    fprintf(out, "e,%.1f,%.1f", c->tip.x, c->tip.y);
    for (int k = 0; k < 4; k++)
        fprintf(out, " %.1f,%.1f", c->at[k].x, c->at[k].y);
    fputs("\"", out);
}

static int by_ends(const void *a, const void *b)
{
    const cpm_edge *x = a, *y = b;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                              : (x->to > y->to) - (x->to < y->to);
}

static const cpm_edge *find_opposite(const cpm_graph *g, const panel *p, const cpm_edge *edge)
{
    cpm_edge opposite = {.from = edge->to, .to = edge->from};
    return bsearch(&opposite, &g->at[p->begin], (size_t)(p->end - p->begin), sizeof opposite,
                   by_ends);
}

static void put_label(const layout *l, const cpm_edge *edge, const curve *c, FILE *out)
{
    point at = beside(c);
    char blocks[32];
    cpm_draw_blocks(l->g, edge->positions, blocks);
    fprintf(out, ", label=\"%s\", lp=\"%.1f,%.1f\"", blocks, at.x, at.y);
}

/* Opposite messages that are alike share an arrow with two heads. */
static void draw_edge(const layout *l, const panel *p, int number, point centre,
                      const cpm_edge *edge, FILE *out)
{
    const cpm_edge *opposite = find_opposite(l->g, p, edge);
    bool shared =
        opposite && opposite->positions == edge->positions && opposite->combined == edge->combined;
    if (shared && opposite->from < edge->from)
        return;
    bool far = opposite && !shared && edge->from > edge->to;
    curve c = make_curve(l, centre, edge, shared, far);
    fprintf(out, "  p%dr%d -> p%dr%d [dir=%s", number, edge->from, number, edge->to,
            shared ? "both" : "forward");
    put_curve(&c, shared, out);
    if (edge->positions && p->each < 0)
        put_label(l, edge, &c, out);
    cpm_draw_style(edge, out);
    fputs("];\n", out);
}

static void draw_caption(const layout *l, const panel *p, int number, point centre, FILE *out)
{
    char blocks[32];
    fprintf(out,
            "  p%d [shape=plaintext, fixedsize=false, style=\"\", pos=\"%.1f,%.1f\", label=\"round",
            number, centre.x, centre.y + l->radius + CAPTION + (l->clusters->hosts ? HOST : 0));
    if (p->first == p->last)
        fprintf(out, " %d", p->first + 1);
    else
        fprintf(out, "s %d to %d", p->first + 1, p->last + 1);
    if (p->each > 0) {
        cpm_draw_blocks(l->g, p->each, blocks);
        fprintf(out, ": %s block%s", blocks, p->each > l->g->pieces ? "s" : "");
    }
    fputs("\"];\n", out);
}

static void draw_panel(const layout *l, const panel *p, int number, FILE *out)
{
    const int row = number / l->columns, column = number % l->columns;
    point centre = {column * l->width, -row * l->height};
    draw_caption(l, p, number, centre, out);
    draw_hosts(l, number, centre, out);
    draw_nodes(l, p, number, centre, out);
    for (int k = p->begin; k < p->end; k++)
        draw_edge(l, p, number, centre, &l->g->at[k], out);
}

/* ---- all of them */

/* Whether there is a round whose messages differ in size. */
static bool has_labels(const cpm_graph *g)
{
    bool labels = false;
    panel p;
    for (int k = 0; k < g->count && !labels; labels = p.each < 0)
        k = find_panel(g, k, &p);
    return labels;
}

/* At the sides of a circle. */
static double room_for_names(const layout *l)
{
    double widest = 0;
    for (int h = 0; l->clusters->hosts && h < l->clusters->hosts->count; h++)
        widest = fmax(widest, width_of_name(l, h) + HOST);
    return 2 * widest;
}

/* Up to four in one row, more in a picture that is somewhat wider than high. */
static layout make_layout(const cpm_graph *g, const cpm_draw_clusters *clusters)
{
    int panels = count_panels(g);
    layout l = {.g = g,
                .clusters = clusters,
                .columns = panels <= 4 ? panels : (int)ceil(sqrt(1.6 * panels))};
    l.radius =
        fmax(LEAST_RADIUS, SPACING * places(&l) / (2 * acos(-1))) * (has_labels(g) ? 1.5 : 1);
    l.height = 2 * l.radius + MARGIN + CAPTION + (clusters->hosts ? 2 * HOST : 0);
    l.width = 2 * l.radius + MARGIN + room_for_names(&l);
    return l;
}

static void draw_title(const layout *l, const char *title, FILE *out)
{
    fprintf(
        out,
        "  title [shape=plaintext, fixedsize=false, style=\"\", fontsize=13, pos=\"%.1f,%.1f\", ",
        (l->columns - 1) * l->width / 2,
        l->radius + CAPTION + TITLE + (l->clusters->hosts ? HOST : 0));
    cpm_draw_title(l->g, title, "arrows: messages of so many blocks", out);
    fputs("];\n", out);
}

void cpm_draw_rounds(const cpm_graph *g, const cpm_draw_clusters *clusters, const char *title,
                     FILE *out)
{
    layout l = make_layout(g, clusters);
    int number = 0;
    panel p;
    cpm_draw_head(out);
    fputs("  layout=nop2;\n", out);
    draw_title(&l, title, out);
    for (int k = 0; k < g->count; number++) {
        k = find_panel(g, k, &p);
        draw_panel(&l, &p, number, out);
    }
    fputs("}\n", out);
}
