/* The parameters of a model: tables, bars of hosts and maps of links. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tools/page/sections.h"
#include "tools/pairs.h"
#include "tools/plot_data.h"
#include "tools/program.h"
#include "tools/show.h"

/* Maps of more hosts are of one of each class. */
enum { MOST_UNITS = 256 };

static int write_levels(const page_cluster *k, cpm_error *e)
{
    const cpm_model *m = k->main->model;
    int status = CPM_OK;
    for (cpm_level level = CPM_BETWEEN; level < CPM_LEVELS && !status; level++) {
        char caption[128];
        table t = {0};
        if (!show_has_level(m, level))
            continue;
        snprintf(caption, sizeof caption, "Parameters%s%s", m->inside.count ? " of messages " : "",
                 m->inside.count ? show_levels[level] : "");
        status = show_level(m, level, &t, e);
        if (!status)
            status = html_table(k->out, &t, caption, e);
        table_clear(&t);
    }
    return status;
}

/* ---- what is drawn */

/* A process of each class. */
static int one_of_each(const cpm_model *m, cpm_model **out, cpm_error *e)
{
    int *process = calloc((size_t)m->classes.count, sizeof *process);
    if (!process)
        return cpm_fail(e, CPM_ENOMEM, "no memory for classes");
    for (int i = m->n - 1; i >= 0; i--)
        process[m->classes.of[i]] = i;
    int status = cpm_model_subset(m, process, m->classes.count, out, e);
    free(process);
    return status;
}

/* Each process of another host, by names. */
static bool has_names(const page_cluster *k, const cpm_model *m)
{
    return m->inside.count > 0 || k->main->on.count == k->main->n;
}

typedef struct {
    const page_cluster *k;
    const cpm_model *m; /* what is drawn */
    plot_panel *panel;
    int count, units;
    bool named;
} drawing;

static int draw_panel(const drawing *d, int number, const char *form, cpm_error *e)
{
    char output[PATH_MAX + 16], n[16], which[16];
    const page_cluster *k = d->k;
    cpm_error why = {0};
    snprintf(output, sizeof output, "%s/picture.svg", k->folder);
    snprintf(n, sizeof n, "%d", d->units);
    snprintf(which, sizeof which, "%d", number + 1);
    int status = gnuplot_run("panel",
                             (const char *const[]){output, k->folder, which, n,
                                                   d->named ? "host" : "process", form, NULL},
                             &why);
    if (status)
        return cpm_fail(e, why.code, "%s", why.text);
    const char *const made_by[] = {"cpm plot", k->main->path, "-o", "model.svg", NULL};
    return page_figure(k, output, d->panel[number].title, d->m == k->main->model ? made_by : NULL,
                       e);
}

static int write_ticks(const drawing *d, int most, cpm_error *e)
{
    cpm_model *hosts = NULL;
    if (!d->named)
        return CPM_OK;
    int status = d->m->inside.count ? cpm_model_of_hosts(d->m, &hosts, e) : CPM_OK;
    if (!status)
        status =
            plot_write_ticks(d->k->folder, hosts ? hosts->hosts : d->m->hosts, d->units, most, e);
    cpm_model_free(hosts);
    return status;
}

/* Maps are of the first and the last regime only (tools/plot_data.c). */
static bool leaves_out_maps(const cpm_model *m)
{
    if (!cpm_model_type_knows_inside(m->type))
        return false;
    for (int p = 0; p < m->type->count; p++)
        if (m->type->parameters[p].shape == CPM_PAIR && cpm_model_has_parameter(m, p) &&
            cpm_parameter_slices(m, p) > 2)
            return true;
    return false;
}

/* All of a kind, small ones side by side. */
static int draw_all(const drawing *d, cpm_error *e)
{
    int status = write_ticks(d, PLOT_FEW_TICKS, e);
    fputs("<div class=\"figures\">\n", d->k->out);
    for (int i = 0; i < d->count && !status; i++)
        status = draw_panel(d, i, d->panel[i].map ? "map" : "bars", e);
    fputs("</div>\n", d->k->out);
    if (leaves_out_maps(d->m))
        html_element(d->k->out, "p class=\"note\"",
                     "Maps are of the smallest and of the largest messages; cpm show --param "
                     "prints the sizes between.");
    return status;
}

/* Maps in which every host has its name, where there is no room for them in the small ones. */
static int draw_large(const drawing *d, cpm_error *e)
{
    int status = d->units > PLOT_FEW_TICKS ? write_ticks(d, d->units, e) : CPM_OK;
    for (int i = 0; i < d->count && !status && d->units > PLOT_FEW_TICKS; i++) {
        if (!d->panel[i].map)
            continue;
        fputs("<details>\n", d->k->out);
        html_element(d->k->out, "summary", "Enlarged, with the names of all %d: %s", d->units,
                     d->panel[i].title);
        status = draw_panel(d, i, "large", e);
        fputs("</details>\n", d->k->out);
    }
    return status;
}

static int draw_model(drawing *d, cpm_error *e)
{
    int status = plot_write_model(d->k->folder, d->m, &d->panel, &d->count, &d->units, e);
    if (!status && d->count)
        status = draw_all(d, e);
    if (!status && d->count)
        status = draw_large(d, e);
    free(d->panel);
    return status;
}

static int draw(const page_cluster *k, cpm_error *e)
{
    const cpm_model *m = k->main->model;
    cpm_model *few = NULL;
    int status = CPM_OK;
    if (pairs_ends(m) > MOST_UNITS && m->classes.count > MOST_UNITS) {
        html_element(
            k->out, "p class=\"note\"",
            "%d hosts in %d classes are too many for maps; the tables above sum them up, and "
            "cpm show --param prints every value.",
            pairs_ends(m), m->classes.count);
        return CPM_OK;
    }
    if (pairs_ends(m) > MOST_UNITS) {
        html_element(
            k->out, "p class=\"note\"",
            "%d hosts are too many for maps: these are of one of each of %d classes of like "
            "ones.",
            pairs_ends(m), m->classes.count);
        status = one_of_each(m, &few, e);
    }
    drawing d = {.k = k, .m = few ? few : m, .named = has_names(k, m)};
    if (!status)
        status = draw_model(&d, e);
    cpm_model_free(few);
    return status;
}

int page_parameters(const page_cluster *k, cpm_error *e)
{
    cpm_error why = {0};
    int status = draw(k, &why);
    if (status)
        status = page_without_picture(k, &why, e);
    return status ? status : write_levels(k, e);
}
