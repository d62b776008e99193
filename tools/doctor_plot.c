/* A picture of a diagnosis: one file of deviations and one of findings for each parameter, and the
 * script doctor.gp. */
#include "tools/doctor_plot.h"
#include "base/shown.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "tools/plot_data.h"
#include "tools/program.h"

enum { LIST = 1024 };

static bool is_pair(const cpm_diagnosis *d, int p)
{
    return d->model->type->parameters[p].shape == CPM_PAIR;
}

/* "i times" or "i j times"; what was not compared is left out. */
static void write_times(const cpm_diagnosis *d, int p, FILE *f)
{
    size_t count = cpm_parameter_values(d->model, p), n = (size_t)d->model->n;
    for (size_t at = 0; at < count; at++) {
        if (!(d->times[p][at] > 0))
            continue;
        if (is_pair(d, p))
            fprintf(f, "%zu %zu %.6g\n", at / n, at % n, d->times[p][at]);
        else
            fprintf(f, "%zu %.6g\n", at, d->times[p][at]);
    }
}

static bool has_findings(const cpm_diagnosis *d, int p)
{
    for (int q = 0; q < d->count; q++)
        if (d->at[q].parameter == p)
            return true;
    return false;
}

/* "i j": a link, both ways; "i i" of pair parameters: all links of a process. */
static void write_found(const cpm_diagnosis *d, int p, FILE *f)
{
    for (int q = 0; q < d->count; q++) {
        const cpm_symptom *s = &d->at[q];
        if (s->parameter != p)
            continue;
        fprintf(f, "%d %d %.6g\n", s->i, s->j < 0 ? s->i : s->j, s->times);
        if (s->kind == CPM_LINK)
            fprintf(f, "%d %d %.6g\n", s->j, s->i, s->times);
    }
}

static int write_file(const char *folder, const char *name, const char *suffix,
                      const cpm_diagnosis *d, int p,
                      void (*write)(const cpm_diagnosis *d, int p, FILE *f), cpm_error *e)
{
    FILE *f;
    char file[LIST + 8];
    snprintf(file, sizeof file, "%s%s", name, suffix);
    int status = plot_file_open(folder, file, &f, e);
    if (status)
        return status;
    write(d, p, f);
    return plot_file_close(folder, f, e);
}

static bool was_compared(const cpm_diagnosis *d, int p)
{
    for (int c = 0; c < d->comparisons; c++)
        if (d->compared[c].parameter == p)
            return true;
    return false;
}

/* Names of the parameters, and for each "row" (processes) or "map" (pairs), "row-found" or
 * "map-found" where there are findings. */
static int write_data(const char *folder, const cpm_diagnosis *d, char names[LIST],
                      char shapes[LIST], cpm_error *e)
{
    int status = CPM_OK;
    *names = *shapes = '\0';
    for (int p = 0; !status && p < d->model->type->count; p++) {
        const char *name = d->model->type->parameters[p].name;
        if (!was_compared(d, p) || strlen(names) + strlen(name) + 2 > LIST ||
            strlen(shapes) + sizeof "row-found " > LIST)
            continue;
        status = write_file(folder, name, "", d, p, write_times, e);
        if (!status)
            status = write_file(folder, name, ".found", d, p, write_found, e);
        strcat(strcat(names, name), " ");
        strcat(strcat(shapes, is_pair(d, p) ? "map" : "row"), has_findings(d, p) ? "-found " : " ");
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
    snprintf(title, sizeof title, "%s: %d processes against each other",
             cpm_shown(slash ? slash + 1 : input, name, sizeof name), d->model->n);
    snprintf(n, sizeof n, "%d", d->model->n);
    return gnuplot_run("doctor",
                       (const char *const[]){output, folder, title, n, names, shapes, NULL}, e);
}

int doctor_plot(const char *input, const char *output, const cpm_diagnosis *d, cpm_error *e)
{
    char folder[PATH_MAX];
    int status = plot_check_format(output, e);
    if (!status)
        status = plot_folder_create(folder, sizeof folder, e);
    if (status)
        return status;
    status = draw(input, output, folder, d, e);
    plot_folder_remove(folder);
    return status;
}
