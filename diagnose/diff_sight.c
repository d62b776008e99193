/* Whether a change would have been seen. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "diagnose/diff_parts.h"

typedef struct {
    const cpm_diff_work *c;
    cpm_model *probe; /* the first model, of which one value is changed */
    double *seen;     /* of the parameter at hand */
    int count;
} sight;

/* ---- by itself */

static bool is_seen_alone(const sight *s, int q)
{
    const cpm_diff_work *c = s->c;
    return cpm_diff_visible(c->o, c->count, c->tripled[q]) <=
           (CPM_DIFF_LARGE - 1) * fabs(c->at[q].from);
}

/* ---- in messages */

static bool concerns(const cpm_model *m, const cpm_change *v, const cpm_diff_trip *t)
{
    int from = m->classes.of[t->of.from], to = m->classes.of[t->of.to];
    if (v->j < 0)
        return from == v->i || to == v->i;
    return (from == v->i && to == v->j) || (from == v->j && to == v->i);
}

static size_t place_of(const cpm_model *m, const cpm_change *v)
{
    size_t g = (size_t)m->classes.count,
           slice = (size_t)v->slice * cpm_parameter_values(m, v->parameter);
    return slice + (v->j < 0 ? (size_t)v->i : (size_t)v->i * g + (size_t)v->j);
}

/* Whether it is seen in some message that the value has grown by that much. */
static bool is_seen_in_messages(const sight *s, int q, double by)
{
    const cpm_change *v = &s->c->at[q];
    const cpm_diff_result *r = s->c->r;
    double *value = &s->probe->value[v->parameter][place_of(s->probe, v)], was = *value;
    bool seen = false;
    *value = was + by;
    for (int k = 0; k < r->trip_count && !seen; k++) {
        const cpm_diff_trip *t = &r->trips[k];
        if (!concerns(s->c->a, v, t))
            continue;
        double later = cpm_model_p2p(s->probe, t->of.from, t->of.to, t->of.bytes) - t->from;
        seen = later > 0 && later >= cpm_diff_visible(s->c->o, cpm_diff_trip_tests(s->c), t->error);
    }
    *value = was;
    return seen;
}

/* Seconds of the shortest message that the value is part of. */
static double shortest(const cpm_model *m, const cpm_change *v, size_t bytes)
{
    cpm_level level = m->type->parameters[v->parameter].level;
    double least = INFINITY;
    for (int i = 0; i < m->n; i++) {
        if (m->classes.of[i] != v->i)
            continue;
        for (int j = 0; j < m->n; j++)
            if (i != j && (v->j < 0 || m->classes.of[j] == v->j) &&
                (level == CPM_LOCAL || cpm_model_level(m, i, j) == level))
                least =
                    fmin(least, fmin(cpm_model_p2p(m, i, j, bytes), cpm_model_p2p(m, j, i, bytes)));
        if (isfinite(least))
            break; /* the others of its class are like it */
    }
    return least;
}

/* By how much a value grows if it makes a message so much longer; 0: it is no part of messages, as
 * times and times per byte of processes and pairs are. */
static double grown(const sight *s, int q)
{
    const cpm_model *m = s->c->a;
    const cpm_change *v = &s->c->at[q];
    const cpm_parameter *p = &m->type->parameters[v->parameter];
    bool per_byte = strcmp(p->unit, "s/B") == 0;
    if ((!per_byte && strcmp(p->unit, "s") != 0) || v->i < 0 || cpm_shape_thing(p->shape))
        return 0;
    size_t bytes = per_byte ? cpm_diff_last_size(m, v->parameter, v->slice)
                            : cpm_diff_first_size(m, v->parameter, v->slice);
    double least = shortest(m, v, bytes);
    return isfinite(least) ? CPM_DIFF_LONGER * least / (per_byte ? (double)bytes : 1) : 0;
}

static bool is_seen(const sight *s, int q)
{
    const cpm_diff_work *c = s->c;
    if (is_seen_alone(s, q))
        return true;
    double by = grown(s, q);
    return by > 0 &&
           (cpm_diff_visible(c->o, c->count, c->error[q]) <= by || is_seen_in_messages(s, q, by));
}

/* ---- all of them */

static void look_at(sight *s, int q)
{
    const cpm_diff_work *c = s->c;
    const cpm_change *v = &c->at[q];
    if (c->exact || isnan(v->from) || isnan(v->to) || isnan(c->error[q]))
        return;
    if (v->from != 0)
        s->seen[s->count++] = cpm_diff_visible(c->o, c->count, c->error[q]) / fabs(v->from);
    c->r->of[v->parameter].unseen += !is_seen(s, q);
}

/* Values are in the order of parameters. */
static void look_at_all(sight *s)
{
    const cpm_diff_work *c = s->c;
    for (int p = 0, q = 0; p < c->a->type->count; p++) {
        s->count = 0;
        for (; q < c->count && c->at[q].parameter == p; q++)
            look_at(s, q);
        c->r->of[p].seen = s->count ? cpm_median(s->seen, s->count) : NAN;
    }
}

int cpm_diff_look(cpm_diff_work *c, cpm_error *e)
{
    sight s = {.c = c, .seen = malloc(((size_t)c->count + 1) * sizeof *s.seen)};
    int status = s.seen ? cpm_model_regroup(c->a, &c->a->classes, &s.probe, e) : cpm_no_memory(e);
    if (!status)
        look_at_all(&s);
    cpm_model_free(s.probe);
    free(s.seen);
    return status;
}
