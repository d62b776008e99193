/* A picture of a diagnosis: one file of deviations and one of findings for each parameter and size,
 * and the script doctor.gp. */
#include "tools/examine/doctor_plot.h"
#include "base/escape.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "tools/examine/plot_data.h"
#include "tools/frame/program.h"
#include "tools/frame/unfinished.h"

enum { LIST = 1024 };

static bool is_pair(const cpm_diagnosis *d, int p)
{
    return d->model->type->parameters[p].shape == CPM_PAIR;
}

/* A panel: what was compared, a parameter at one size. */
typedef struct {
    const cpm_diagnosis *d;
    int parameter, slice;
    char name[64]; /* "invbeta", or "invbeta,65536" */
} panel;

static panel panel_of(const cpm_diagnosis *d, const cpm_comparison *c)
{
    panel p = {d, c->parameter, c->slice, ""};
    const char *name = d->model->type->parameters[c->parameter].name;
    if (c->slice)
        snprintf(p.name, sizeof p.name, "%s,%zu", name,
                 cpm_parameter_sizes(d->model, c->parameter)->at[c->slice]);
    else
        snprintf(p.name, sizeof p.name, "%s", name);
    return p;
}

/* "i times" or "i j times"; what was not compared is left out. */
static void write_times(const panel *p, FILE *f)
{
    const cpm_diagnosis *d = p->d;
    size_t count = cpm_parameter_values(d->model, p->parameter);
    size_t n = (size_t)d->model->n;
    const double *times = d->times[p->parameter] + (size_t)p->slice * count;
    for (size_t at = 0; at < count; at++) {
        if (!(times[at] > 0))
            continue;
        if (is_pair(d, p->parameter))
            fprintf(f, "%zu %zu %.6g\n", at / n, at % n, times[at]);
        else
            fprintf(f, "%zu %.6g\n", at, times[at]);
    }
}

static bool is_of(const panel *p, const cpm_symptom *s)
{
    return s->parameter == p->parameter && s->slice == p->slice;
}

static bool has_findings(const panel *p)
{
    for (int q = 0; q < p->d->count; q++)
        if (is_of(p, &p->d->at[q]))
            return true;
    return false;
}

/* "i j": a link, both ways; "i i" of pair parameters: all links of a process. */
static void write_found(const panel *p, FILE *f)
{
    for (int q = 0; q < p->d->count; q++) {
        const cpm_symptom *s = &p->d->at[q];
        if (!is_of(p, s))
            continue;
        fprintf(f, "%d %d %.6g\n", s->i, s->j < 0 ? s->i : s->j, s->times);
        if (s->kind == CPM_LINK)
            fprintf(f, "%d %d %.6g\n", s->j, s->i, s->times);
    }
}

static int write_file(const char *folder, const panel *p, const char *suffix,
                      void (*write)(const panel *p, FILE *f), cpm_error *e)
{
    FILE *f;
    char file[sizeof p->name + 8];
    snprintf(file, sizeof file, "%s%s", p->name, suffix);
    int status = plot_file_open(folder, file, &f, e);
    if (status)
        return status;
    write(p, f);
    return plot_file_close(folder, f, e);
}

/* Whether c is the first comparison of its parameter and size. */
static bool begins_panel(const cpm_diagnosis *d, int c)
{
    const cpm_comparison *own = &d->compared[c];
    for (int b = 0; b < c; b++)
        if (d->compared[b].parameter == own->parameter && d->compared[b].slice == own->slice)
            return false;
    return own->parameter >= 0;
}

/* Names of the panels, and for each "row" (processes) or "map" (pairs), "row-found" or "map-found"
 * where there are findings. */
static int write_data(const char *folder, const cpm_diagnosis *d, char names[LIST],
                      char shapes[LIST], cpm_error *e)
{
    int status = CPM_OK;
    *names = *shapes = '\0';
    for (int c = 0; !status && c < d->comparisons; c++) {
        if (!begins_panel(d, c))
            continue;
        panel p = panel_of(d, &d->compared[c]);
        if (strlen(names) + strlen(p.name) + 2 > LIST ||
            strlen(shapes) + sizeof "row-found " > LIST)
            continue;
        status = write_file(folder, &p, "", write_times, e);
        if (!status)
            status = write_file(folder, &p, ".found", write_found, e);
        strcat(strcat(names, p.name), " ");
        strcat(strcat(shapes, is_pair(d, p.parameter) ? "map" : "row"),
               has_findings(&p) ? "-found " : " ");
    }
    return status;
}

static int draw(const char *input, const char *output, const char *folder, const cpm_diagnosis *d,
                cpm_error *e)
{
    char names[LIST], shapes[LIST], title[512], name[NAME_MAX + 1], n[16];
    int status = write_data(folder, d, names, shapes, e);
    if (status)
        return status;
    if (!*names)
        return cpm_fail(e, CPM_EDATA, "%s: no parameter can be compared, so nothing is drawn",
                        input);
    const char *slash = strrchr(input, '/');
    bool hosts = cpm_diagnosis_of_hosts(d);
    snprintf(title, sizeof title, "%s: %d %s against each other",
             cpm_escape(slash ? slash + 1 : input, name, sizeof name), d->model->n,
             hosts ? "hosts" : "processes");
    if (hosts)
        status = plot_write_ticks(folder, d->model->hosts, d->model->n, PLOT_FEW_TICKS, e);
    if (status)
        return status;
    snprintf(n, sizeof n, "%d", d->model->n);
    return gnuplot_run("doctor",
                       (const char *const[]){output, folder, title, n, names, shapes,
                                             hosts ? "host" : "process", NULL},
                       e);
}

int doctor_plot(const char *input, const char *output, const cpm_diagnosis *d, cpm_error *e)
{
    char folder[PATH_MAX];
    int status = plot_check_format(output, e);
    if (!status)
        status = unfinished_folder_create(folder, sizeof folder, e);
    if (status)
        return status;
    status = draw(input, output, folder, d, e);
    unfinished_folder_remove(folder);
    return status;
}
