/* The parameters of a model: tables, bars of hosts and maps of links. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tools/examine/plot_data.h"
#include "tools/examine/show.h"
#include "tools/frame/pairs.h"
#include "tools/frame/program.h"
#include "tools/page/sections.h"

/* Maps of more hosts are of one of each class. */
enum { MOST_UNITS = 256 };

static int write_levels(const page_cluster *k, cpm_error *e)
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
            status = html_table(k->out, &t, caption, e);
        table_clear(&t);
    }
    return status;
}

/* ---- what is drawn */

/* Each process of another host, by names. */
static bool names_hosts(const page_file *f)
{
    return f->model->inside.count > 0 || f->on.count == f->n;
}

typedef struct {
    const page_cluster *k;
    const cpm_model *m;
    bool classes; /* are drawn, not hosts or processes */
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
    return page_figure(k, output, d->panel[number].title, d->classes ? NULL : made_by, e);
}

static int write_names(const drawing *d, int most, cpm_error *e)
{
    return d->named ? plot_write_names(d->k->folder, d->m, d->classes, most, e) : CPM_OK;
}

/* Maps are of the first and the last regime only (tools/examine/plot_data.c). */
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
    int status = write_names(d, PLOT_FEW_TICKS, e);
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
    int status = d->units > PLOT_FEW_TICKS ? write_names(d, d->units, e) : CPM_OK;
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
    int status =
        plot_write_model(d->k->folder, d->m, d->classes, &d->panel, &d->count, &d->units, e);
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
    bool classes = pairs_ends(m) > MOST_UNITS;
    drawing d = {.k = k, .m = m, .classes = classes, .named = classes || names_hosts(k->main)};
    if (classes && m->classes.count > MOST_UNITS) {
        html_element(
            k->out, "p class=\"note\"",
            "%d hosts in %d classes are too many for maps; the tables above sum them up, and "
            "cpm show --param prints every value.",
            pairs_ends(m), m->classes.count);
        return CPM_OK;
    }
    if (classes)
        html_element(k->out, "p class=\"note\"",
                     "%d hosts are too many for maps: these are of %d classes of like ones. Their "
                     "diagonals are between two of the same class.",
                     pairs_ends(m), m->classes.count);
    return draw_model(&d, e);
}

int page_parameters(const page_cluster *k, cpm_error *e)
{
    cpm_error why = {0};
    int status = draw(k, &why);
    if (status)
        status = page_without_picture(k, &why, e);
    return status ? status : write_levels(k, e);
}
