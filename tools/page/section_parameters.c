/* The parameters of a model: of each host, maps of links, and tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/examine/show.h"
#include "tools/frame/pairs.h"
#include "tools/page/sections.h"

/* Maps of more hosts are of one of each class; of so many values a map has every message size, of
 * more the first and the last. */
enum { MOST_UNITS = 256, MOST_VALUES = 1 << 17 };

/* ---- tables */

static int make_levels(const page_cluster *k, cpm_error *e)
{
    const cpm_model *m = k->main->model;
    int status = CPM_OK;
    for (cpm_level level = CPM_BETWEEN; level <= CPM_LOCAL && !status; level++) {
        char caption[128];
        table t = {0};
        if (!show_has_level(m, level))
            continue;
        snprintf(caption, sizeof caption, "Parameters%s%s",
                 level == CPM_LOCAL ? " of what is done "
                 : m->inside.count  ? " of messages "
                                    : "",
                 level == CPM_LOCAL || m->inside.count ? show_levels[level] : "");
        status = show_level(m, level, &t, e);
        if (!status)
            block_table(&k->to, &t, caption, NULL);
        table_clear(&t);
    }
    return status;
}

/* ---- what stands at axes: hosts, where the model knows their inside, else processes; or classes
 */

typedef struct {
    const page_cluster *k;
    const cpm_model *m; /* of one process on each host, or as it is */
    bool classes;
    int n;
} units;

static size_t place_of(const units *u, int slice, int i)
{
    return u->classes ? (size_t)slice * (size_t)u->n + (size_t)i : cpm_place(u->m, slice, i);
}

static size_t pair_place_of(const units *u, int slice, int i, int j)
{
    return u->classes ? place_of(u, slice, i) * (size_t)u->n + (size_t)j
                      : cpm_pair_place(u->m, slice, i, j);
}

/* Whether there are messages from i to j, which the pair parameters tell of. Those of a class to
 * itself are between its members. */
static bool are_pair(const units *u, int i, int j)
{
    return u->classes ? cpm_classes_meet(&u->m->classes, i, j)
                      : i != j && !cpm_model_inside(u->m, i, j);
}

static void set_names(const units *u)
{
    const page_cluster *k = u->k;
    json_t *names = block_set_list(&k->to, k->data, "names");
    bool hosts = u->m->inside.count > 0 || k->main->on.count == k->main->n;
    block_set_text(&k->to, k->data, "unit", u->classes ? "class" : hosts ? "host" : "process");
    for (int i = 0; i < u->n; i++) {
        const char *host = u->classes ? u->m->classes.name[i] : u->m->hosts[i];
        if (u->classes || (hosts && *host))
            block_append(&k->to, names, block_text_of(host));
        else
            block_append(&k->to, names,
                         *host ? block_print("%d (%s)", i, host) : block_print("%d", i));
    }
}

/* ---- a parameter */

/* Of bars that are all 0, as of combining in a cluster that plays none, there is nothing to see. */
static bool is_shown(const cpm_model *m, int p)
{
    const bool bars = m->type->parameters[p].shape != CPM_PAIR;
    for (size_t at = 0; at < cpm_parameter_all_values(m, p); at++)
        if (!isnan(m->value[p][at]) && !(bars && m->value[p][at] == 0))
            return true;
    return false;
}

/* Places that the doctor found: [index of the size, i, j]; j -1: all of i. */
static void set_marks(const units *u, json_t *block, int p)
{
    const cpm_diagnosis *d = &u->k->found->diagnosis;
    bool pair = u->m->type->parameters[p].shape == CPM_PAIR;
    json_t *marks = block_set_list(&u->k->to, block, "marks");
    for (int q = 0; q < d->count && !u->classes; q++) {
        const cpm_symptom *s = &d->at[q];
        bool of_link = s->kind == CPM_LINK || s->kind == CPM_ASYMMETRY;
        bool of_host = s->kind == CPM_OWN || s->kind == CPM_LINKS || s->kind == CPM_WAYS;
        if (s->parameter != p || !(of_link || of_host) || (of_link && !pair))
            continue;
        json_t *mark = block_append_list(&u->k->to, marks);
        block_append(&u->k->to, mark, json_integer(s->slice));
        block_append(&u->k->to, mark, json_integer(s->i));
        block_append(&u->k->to, mark, json_integer(of_link ? s->j : -1));
    }
}

/* With the sizes from which the first count slices hold, or the first and the last. */
static json_t *begin(const units *u, const char *is, int p, bool ends_only)
{
    const cpm_parameter *parameter = &u->m->type->parameters[p];
    const cpm_sizes *sizes = cpm_parameter_sizes(u->m, p);
    int count = cpm_parameter_slices(u->m, p);
    json_t *block = block_add(&u->k->to, is);
    block_set(&u->k->to, block, "title",
              block_print("%s: %s", parameter->name, parameter->meaning));
    block_set_text(&u->k->to, block, "unit", unit_named(parameter->unit)->shown);
    json_t *slices = block_set_list(&u->k->to, block, "slices");
    json_t *from = parameter->sized ? block_set_list(&u->k->to, block, "sizes") : NULL;
    for (int s = 0; s < count; s++) {
        if (ends_only && s > 0 && s + 1 < count)
            continue;
        block_append(&u->k->to, slices, json_integer(s));
        if (from)
            block_append(&u->k->to, from, json_integer((json_int_t)sizes->at[s]));
    }
    set_marks(u, block, p);
    return block;
}

/* Of each unit, or switch or link. */
static void add_hosts(const units *u, int p)
{
    const cpm_parameter *parameter = &u->m->type->parameters[p];
    const bool thing = cpm_shape_thing(parameter->shape) != NULL;
    const double factor = unit_named(parameter->unit)->factor;
    const block_list *to = &u->k->to;
    int count = thing ? cpm_model_things(u->m, parameter->shape) : u->n;
    json_t *block = begin(u, "hosts", p, false);
    json_t *values = block_set_list(to, block, "values"), *halves = block_set_list(to, block, "ci");
    for (int s = 0; s < cpm_parameter_slices(u->m, p); s++) {
        json_t *value = block_append_list(to, values), *half = block_append_list(to, halves);
        for (int i = 0; i < count; i++) {
            size_t place = thing ? (size_t)s * (size_t)count + (size_t)i : place_of(u, s, i);
            block_append(to, value, block_number(u->m->value[p][place] * factor, 4));
            block_append(to, half, block_number(u->m->ci[p][place] * factor, 2));
        }
    }
    if (!thing)
        return;
    json_t *names = block_set_list(to, block, "names");
    for (int i = 0; i < count; i++)
        block_append(to, names, block_text_of(cpm_model_thing(u->m, parameter->shape, i)));
}

static void add_map(const units *u, int p)
{
    const double factor = unit_named(u->m->type->parameters[p].unit)->factor;
    const block_list *to = &u->k->to;
    int count = cpm_parameter_slices(u->m, p);
    bool ends_only = (long)count * u->n * u->n > MOST_VALUES;
    json_t *block = begin(u, "map", p, ends_only);
    json_t *values = block_set_list(to, block, "values");
    for (int s = 0; s < count; s++) {
        if (ends_only && s > 0 && s + 1 < count)
            continue;
        json_t *value = block_append_list(to, values);
        for (int i = 0; i < u->n; i++)
            for (int j = 0; j < u->n; j++)
                block_append(
                    to, value,
                    are_pair(u, i, j)
                        ? block_number(u->m->value[p][pair_place_of(u, s, i, j)] * factor, 3)
                        : json_null());
    }
}

static void add_parameters(const units *u)
{
    const cpm_model *m = u->m;
    for (int p = 0; p < m->type->count; p++) {
        cpm_shape shape = m->type->parameters[p].shape;
        if (shape == CPM_SCALAR || !cpm_model_has_parameter(m, p) || !is_shown(m, p) ||
            (shape == CPM_PAIR && u->n < 2))
            continue;
        (shape == CPM_PAIR ? add_map : add_hosts)(u, p);
    }
}

/* ---- messages */

/* The first process of a unit, or the next one of it; -1: it has none. */
static int process_of(const units *u, int of, int behind)
{
    if (!u->classes)
        return behind < of ? of : -1;
    for (int i = behind + 1; i < u->m->n; i++)
        if (u->m->classes.of[i] == of)
            return i;
    return -1;
}

/* Of each pair, what a message of that many bytes takes [us], or how fast it is [MB/s]. */
static void add_messages(const units *u, const char *title, size_t bytes, bool rate)
{
    const block_list *to = &u->k->to;
    json_t *block = block_add(to, "map");
    block_set_text(to, block, "title", title);
    block_set_text(to, block, "unit", rate ? "MB/s" : "us");
    block_set(to, block, "fast", json_boolean(rate)); /* more is better */
    json_t *value = block_append_list(to, block_set_list(to, block, "values"));
    for (int i = 0; i < u->n; i++)
        for (int j = 0; j < u->n; j++) {
            int from = process_of(u, i, -1), other = process_of(u, j, i == j ? from : -1);
            double us = other >= 0 && are_pair(u, i, j)
                            ? cpm_model_p2p(u->m, from, other, bytes) * 1e6
                            : NAN;
            block_append(to, value, block_number(rate ? (double)bytes / us : us, 3));
        }
}

static void make_maps(const units *u)
{
    set_names(u);
    if (u->n > 1) {
        add_messages(u, "Latency: a message of 1 byte, as predicted", 1, false);
        add_messages(u, "Bandwidth: a message of 1 MB, as predicted", 1048576, true);
    }
    add_parameters(u);
}

/* ---- the section */

static int make_units(const page_cluster *k, cpm_error *e)
{
    const cpm_model *m = k->main->model;
    cpm_model *hosts = NULL;
    units u = {.k = k, .m = m, .classes = pairs_ends(m) > MOST_UNITS};
    if (u.classes && m->classes.count > MOST_UNITS) {
        block_text(&k->to, "note",
                   "%d hosts in %d classes are too many for maps; the tables below sum them up, "
                   "and cpm show --param prints every value.",
                   pairs_ends(m), m->classes.count);
        return CPM_OK;
    }
    if (u.classes)
        block_text(&k->to, "note",
                   "%d hosts are too many for maps: these are of %d classes of like ones. Their "
                   "diagonals are between two of the same class.",
                   pairs_ends(m), m->classes.count);
    int status = m->inside.count > 0 && !u.classes ? cpm_model_of_hosts(m, &hosts, e) : CPM_OK;
    if (hosts)
        u.m = hosts;
    u.n = u.classes ? m->classes.count : u.m->n;
    if (!status)
        make_maps(&u);
    cpm_model_free(hosts);
    return status;
}

int page_parameters(const page_cluster *k, cpm_error *e)
{
    int status = make_units(k, e);
    return status ? status : make_levels(k, e);
}
