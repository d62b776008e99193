/* What plot scripts read: folders of small text files. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/plot_data.h"

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

static int open_in(const char *folder, const char *name, FILE **out, cpm_error *e)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    *out = fopen(path, "w");
    return *out ? CPM_OK : cpm_fail(e, CPM_EIO, "%s: %s", path, strerror(errno));
}

static int close_in(const char *folder, FILE *f, cpm_error *e)
{
    bool bad = ferror(f);
    if (fclose(f) != 0 || bad)
        return cpm_fail(e, CPM_EIO, "%s: plot data cannot be written", folder);
    return CPM_OK;
}

/* ---- models */

void plot_print_parameter(const cpm_model *m, int p, FILE *out)
{
    cpm_shape shape = m->type->parameters[p].shape;
    size_t count = cpm_parameter_values(m->type, p, m->n), n = (size_t)m->n;
    for (size_t at = 0; at < count; at++) {
        if (shape == CPM_PAIR && at / n == at % n)
            continue;
        if (shape == CPM_PAIR)
            fprintf(out, "%zu %zu ", at / n, at % n);
        else if (shape == CPM_PROCESS)
            fprintf(out, "%zu ", at);
        fprintf(out, "%.15g %.15g\n", m->value[p][at], m->ci[p][at]);
    }
}

int plot_write_model(const char *folder, const cpm_model *m, cpm_error *e)
{
    int status = CPM_OK;
    for (int p = 0; !status && p < m->type->count; p++) {
        FILE *f;
        if (m->type->parameters[p].shape == CPM_SCALAR)
            continue;
        status = open_in(folder, m->type->parameters[p].name, &f, e);
        if (status)
            break;
        plot_print_parameter(m, p, f);
        status = close_in(folder, f, e);
    }
    return status;
}

/* ---- measurements */

static void name_at(const cpm_measurements *m, int i, char name[64])
{
    cpm_experiment_name(&m->at[i].what, name, 64);
}

/* Whether experiment i is the first of its name. */
static bool is_new(const cpm_measurements *m, int i)
{
    char name[64], other[64];
    name_at(m, i, name);
    for (int k = 0; k < i; k++) {
        name_at(m, k, other);
        if (strcmp(name, other) == 0)
            return false;
    }
    return true;
}

/* Few sizes are drawn apart, sizes that double on a logarithmic axis. */
static const char *axis_of(const cpm_measurements *m, const char *name)
{
    enum { FEW_SIZES = 3, STRIDE_SIZES = 24 };
    cpm_sizes sizes = {0};
    char other[64];
    for (int i = 0; i < m->count && sizes.count <= STRIDE_SIZES; i++) {
        name_at(m, i, other);
        if (strcmp(name, other) == 0 && cpm_sizes_add(&sizes, m->at[i].what.send_bytes, NULL))
            break;
    }
    int count = sizes.count;
    cpm_sizes_free(&sizes);
    return count < FEW_SIZES ? "row" : count <= STRIDE_SIZES ? "log" : "linear";
}

static void print_results(const cpm_measurements *m, const char *name, bool rows, FILE *out)
{
    char other[64];
    size_t row = 0;
    for (int i = 0; i < m->count; i++) {
        const cpm_measurement *r = &m->at[i];
        name_at(m, i, other);
        if (strcmp(name, other) != 0)
            continue;
        fprintf(out, "%zu %.9g %.9g %.9g\n", rows ? ++row : r->what.send_bytes,
                cpm_summary_value(&r->summary, m->statistic), r->summary.ci_low,
                r->summary.ci_high);
    }
}

int plot_write_measurements(const char *folder, const cpm_measurements *m, char *names, char *axes,
                            size_t size, cpm_error *e)
{
    int status = CPM_OK, files = 0;
    *names = *axes = '\0';
    for (int i = 0; !status && i < m->count; i++) {
        char name[64], file[16];
        FILE *f;
        if (!is_new(m, i))
            continue;
        name_at(m, i, name);
        const char *axis = axis_of(m, name);
        snprintf(file, sizeof file, "%d", ++files);
        status = open_in(folder, file, &f, e);
        if (status)
            break;
        print_results(m, name, strcmp(axis, "row") == 0, f);
        status = close_in(folder, f, e);
        snprintf(names + strlen(names), size - strlen(names), "%s ", name);
        snprintf(axes + strlen(axes), size - strlen(axes), "%s ", axis);
    }
    return status;
}
