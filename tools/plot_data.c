/* What plot scripts read: folders of small text files. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/plot_data.h"
#include "tools/table.h"

/* ---- the picture */

int plot_check_format(const char *output, cpm_error *e)
{
    static const char *const known[] = {".png", ".pdf", ".svg", NULL};
    const char *end = strrchr(output, '.');
    for (int i = 0; end && known[i]; i++)
        if (strcmp(end, known[i]) == 0)
            return CPM_OK;
    return cpm_fail(e, CPM_EINVAL, "%s: a plot's name ends with .png, .pdf or .svg", output);
}

/* ---- the folder */

int plot_folder_create(char *path, size_t size, cpm_error *e)
{
    const char *parent = getenv("TMPDIR");
    snprintf(path, size, "%s/cpm-plot.XXXXXX", parent && *parent ? parent : "/tmp");
    if (mkdtemp(path))
        return CPM_OK;
    return cpm_fail(e, CPM_EIO, "%s: no folder for plot data: %s", path, strerror(errno));
}

void plot_folder_remove(const char *path)
{
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
    rmdir(path);
}

int plot_file_open(const char *folder, const char *name, FILE **out, cpm_error *e)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    *out = fopen(path, "w");
    return *out ? CPM_OK : cpm_fail(e, CPM_EIO, "%s: %s", path, strerror(errno));
}

int plot_file_close(const char *folder, FILE *f, cpm_error *e)
{
    bool bad = ferror(f);
    if (fclose(f) != 0 || bad)
        return cpm_fail(e, CPM_EIO, "%s: plot data cannot be written", folder);
    return CPM_OK;
}

/* ---- models */

/* One slice, for every process or pair, whatever their classes are. */
static void print_slice(const cpm_model *m, int p, int slice, FILE *out)
{
    cpm_shape shape = m->type->parameters[p].shape;
    int rows = shape == CPM_SCALAR ? 1 : shape == CPM_SWITCH ? m->switches.count : m->n;
    int columns = shape == CPM_PAIR ? m->n : 1;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            if (shape == CPM_PAIR && (i == j || cpm_model_inside(m, i, j)))
                continue;
            size_t place = (size_t)slice;
            if (m->type->parameters[p].sized)
                fprintf(out, "%zu ", cpm_parameter_sizes(m, p)->at[slice]);
            if (shape != CPM_SCALAR) {
                place = shape == CPM_SWITCH ? (size_t)i : cpm_place(m, slice, i);
                fprintf(out, "%d ", i);
            }
            if (shape == CPM_PAIR) {
                place = cpm_pair_place(m, slice, i, j);
                fprintf(out, "%d ", j);
            }
            fprintf(out, "%.15g %.15g\n", m->value[p][place], m->ci[p][place]);
        }
}

void plot_print_parameter(const cpm_model *m, int p, FILE *out)
{
    for (int slice = 0; slice < cpm_parameter_slices(m, p); slice++)
        print_slice(m, p, slice, out);
}

static bool is_known(const cpm_model *m, int p)
{
    size_t count = cpm_parameter_values(m, p);
    for (size_t at = 0; at < count * (size_t)cpm_parameter_slices(m, p); at++)
        if (!isnan(m->value[p][at]))
            return true;
    return false;
}

/* Constants only: gnuplot executes it. */
static void print_panel(const cpm_model *m, int p, FILE *out)
{
    const cpm_parameter *parameter = &m->type->parameters[p];
    const unit *u = unit_named(parameter->unit);
    bool pair = parameter->shape == CPM_PAIR;
    const char *script = parameter->sized ? "size" : pair ? "pair" : "process";
    fprintf(out, "FILE = FOLDER . \"/%s\"; FACTOR = %g; VALUE = %d\n", parameter->name, u->factor,
            pair ? 4 : 3);
    fprintf(out, "NAME = \"%s: %s\"; YLABEL = \"%s\"\n", parameter->name, parameter->meaning,
            u->shown);
    fprintf(out, "load DIR . \"%s_panel.gp\"\n", script);
}

static int write_parameter(const char *folder, const cpm_model *m, int p, cpm_error *e)
{
    FILE *f;
    int status = plot_file_open(folder, m->type->parameters[p].name, &f, e);
    if (status)
        return status;
    plot_print_parameter(m, p, f);
    return plot_file_close(folder, f, e);
}

int plot_write_model(const char *folder, const cpm_model *m, int *panels, cpm_error *e)
{
    FILE *list;
    int status = plot_file_open(folder, "panels", &list, e);
    if (status)
        return status;
    *panels = 0;
    for (int p = 0; !status && p < m->type->count; p++) {
        if (m->type->parameters[p].shape == CPM_SCALAR || !is_known(m, p))
            continue;
        status = write_parameter(folder, m, p, e);
        print_panel(m, p, list);
        ++*panels;
    }
    int closed = plot_file_close(folder, list, e);
    return status ? status : closed;
}

/* ---- measurements */

enum { MOST_KINDS = 64, NAME = 64 };

/* The different names of experiments, in order of appearance. */
typedef struct {
    char name[MOST_KINDS][NAME];
    int count;
    int *of; /* of each measurement; owned */
} kinds;

static int find_kind(const kinds *k, const cpm_experiment *x)
{
    char name[NAME];
    int i = 0;
    cpm_experiment_name(x, name, sizeof name);
    while (i < k->count && strcmp(k->name[i], name) != 0)
        i++;
    return i;
}

static int collect_kinds(const cpm_measurements *m, kinds *k, cpm_error *e)
{
    *k = (kinds){.of = malloc((size_t)m->count * sizeof *k->of)};
    if (!k->of)
        return cpm_fail(e, CPM_ENOMEM, "no memory for the kinds of %d measurements", m->count);
    for (int i = 0; i < m->count; i++) {
        k->of[i] = find_kind(k, &m->at[i].what);
        if (k->of[i] == k->count && k->count < MOST_KINDS)
            cpm_experiment_name(&m->at[i].what, k->name[k->count++], NAME);
    }
    return CPM_OK;
}

/* Few sizes are drawn apart, sizes that double on a logarithmic axis. */
static const char *axis_of(const cpm_measurements *m, const kinds *k, int kind)
{
    enum { FEW_SIZES = 3, STRIDE_SIZES = 24 };
    cpm_sizes sizes = {0};
    int status = CPM_OK;
    for (int i = 0; !status && i < m->count && sizes.count <= STRIDE_SIZES; i++)
        if (k->of[i] == kind)
            status = cpm_sizes_add(&sizes, m->at[i].what.send_bytes, NULL);
    int count = sizes.count;
    cpm_sizes_free(&sizes);
    return count < FEW_SIZES ? "row" : count <= STRIDE_SIZES ? "log" : "linear";
}

static void print_results(const cpm_measurements *m, const kinds *k, int kind, bool rows, FILE *out)
{
    size_t row = 0;
    for (int i = 0; i < m->count; i++) {
        const cpm_measurement *r = &m->at[i];
        if (k->of[i] == kind)
            fprintf(out, "%zu %.9g %.9g %.9g\n", rows ? ++row : r->what.send_bytes,
                    cpm_summary_value(&r->summary, m->statistic), r->summary.ci_low,
                    r->summary.ci_high);
    }
}

static int write_kind(const char *folder, const cpm_measurements *m, const kinds *k, int kind,
                      const char *axis, cpm_error *e)
{
    char file[16];
    FILE *f;
    snprintf(file, sizeof file, "%d", kind + 1);
    int status = plot_file_open(folder, file, &f, e);
    if (status)
        return status;
    print_results(m, k, kind, strcmp(axis, "row") == 0, f);
    return plot_file_close(folder, f, e);
}

int plot_write_measurements(const char *folder, const cpm_measurements *m, char *names, char *axes,
                            size_t size, cpm_error *e)
{
    kinds k;
    int status = collect_kinds(m, &k, e);
    *names = *axes = '\0';
    for (int i = 0; !status && i < k.count; i++) {
        const char *axis = axis_of(m, &k, i);
        status = write_kind(folder, m, &k, i, axis, e);
        snprintf(names + strlen(names), size - strlen(names), "%s ", k.name[i]);
        snprintf(axes + strlen(axes), size - strlen(axes), "%s ", axis);
    }
    free(k.of);
    return status;
}
