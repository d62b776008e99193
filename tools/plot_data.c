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

/* "3 ", or the name of its host; of a switch its own. */
static void print_unit(const cpm_model *m, cpm_shape shape, int i, bool names, FILE *out)
{
    if (names)
        fprintf(out, "%s ", shape == CPM_SWITCH ? m->switches.name[i] : m->hosts[i]);
    else
        fprintf(out, "%d ", i);
}

/* One slice, for every process or pair, whatever their classes are. */
static void print_slice(const cpm_model *m, int p, int slice, bool sizes, bool names, FILE *out)
{
    cpm_shape shape = m->type->parameters[p].shape;
    int rows = shape == CPM_SCALAR ? 1 : shape == CPM_SWITCH ? m->switches.count : m->n;
    int columns = shape == CPM_PAIR ? m->n : 1;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            if (shape == CPM_PAIR && (i == j || cpm_model_inside(m, i, j)))
                continue;
            size_t place = (size_t)slice;
            if (sizes && m->type->parameters[p].sized)
                fprintf(out, "%zu ", cpm_parameter_sizes(m, p)->at[slice]);
            if (shape != CPM_SCALAR) {
                place = shape == CPM_SWITCH ? (size_t)i : cpm_place(m, slice, i);
                print_unit(m, shape, i, names, out);
            }
            if (shape == CPM_PAIR) {
                place = cpm_pair_place(m, slice, i, j);
                print_unit(m, shape, j, names, out);
            }
            fprintf(out, "%.15g %.15g\n", m->value[p][place], m->ci[p][place]);
        }
}

void plot_print_parameter(const cpm_model *m, int p, FILE *out)
{
    bool names = m->inside.count > 0 && m->on.count == m->n;
    for (int slice = 0; slice < cpm_parameter_slices(m, p); slice++)
        print_slice(m, p, slice, true, names, out);
}

static bool is_known(const cpm_model *m, int p)
{
    for (size_t at = 0; at < cpm_parameter_all_values(m, p); at++)
        if (!isnan(m->value[p][at]))
            return true;
    return false;
}

/* ---- panels */

typedef struct {
    const char *folder;
    const cpm_model *m;
    FILE *list;
    int count;
} panel_list;

/* Constants only: gnuplot executes it. */
static void print_panel(panel_list *l, int p, const char *file, const char *title,
                        const char *script)
{
    const cpm_parameter *parameter = &l->m->type->parameters[p];
    const unit *u = unit_named(parameter->unit);
    fprintf(l->list, "FILE = FOLDER . \"/%s\"; FACTOR = %g; VALUE = %d\n", file, u->factor,
            parameter->shape == CPM_PAIR ? 4 : 3);
    fprintf(l->list, "NAME = \"%s\"; YLABEL = \"%s\"\n", title, u->shown);
    fprintf(l->list, "load DIR . \"%s_panel.gp\"\n", script);
    l->count++;
}

static int write_file(const panel_list *l, const char *name, int p,
                      void (*print)(const cpm_model *m, int p, int slice, FILE *out), int slice,
                      cpm_error *e)
{
    FILE *f;
    int status = plot_file_open(l->folder, name, &f, e);
    if (status)
        return status;
    print(l->m, p, slice, f);
    return plot_file_close(l->folder, f, e);
}

static void print_all(const cpm_model *m, int p, int slice, FILE *out)
{
    (void)slice;
    for (int k = 0; k < cpm_parameter_slices(m, p); k++)
        print_slice(m, p, k, true, false, out);
}

/* gnuplot tells blocks by two empty lines. */
static void print_blocks(const cpm_model *m, int p, int slice, FILE *out)
{
    (void)slice;
    for (int k = 0; k < cpm_parameter_slices(m, p); k++) {
        fputs(k ? "\n\n" : "", out);
        print_slice(m, p, k, false, false, out);
    }
}

/* A whole matrix, which gnuplot draws as an image. */
static void print_map(const cpm_model *m, int p, int slice, FILE *out)
{
    for (int i = 0; i < m->n; i++)
        for (int j = 0; j < m->n; j++)
            fprintf(out, "%d %d %.15g\n", i, j,
                    i == j ? NAN : m->value[p][cpm_pair_place(m, slice, i, j)]);
}

/* The parameter of all sizes, or of none, in one panel. */
static int add_whole(panel_list *l, int p, cpm_error *e)
{
    const cpm_parameter *parameter = &l->m->type->parameters[p];
    char title[160];
    snprintf(title, sizeof title, "%s: %s", parameter->name, parameter->meaning);
    print_panel(l, p, parameter->name, title,
                parameter->sized               ? "size"
                : parameter->shape == CPM_PAIR ? "pair"
                                               : "process");
    return write_file(l, parameter->name, p, print_all, 0, e);
}

/* A bar for each regime beside the others. */
static int add_bars(panel_list *l, int p, cpm_error *e)
{
    const cpm_parameter *parameter = &l->m->type->parameters[p];
    const cpm_sizes *sizes = cpm_parameter_sizes(l->m, p);
    char title[160];
    snprintf(title, sizeof title, "%s: %s", parameter->name, parameter->meaning);
    fputs("SIZES = \"", l->list);
    for (int k = 0; k < sizes->count; k++)
        fprintf(l->list, "%s%zu", k ? " " : "", sizes->at[k]);
    fputs("\"\n", l->list);
    print_panel(l, p, parameter->name, title, "regimes");
    return write_file(l, parameter->name, p, print_blocks, 0, e);
}

/* A map of a regime. */
static int add_map(panel_list *l, int p, int slice, cpm_error *e)
{
    const cpm_parameter *parameter = &l->m->type->parameters[p];
    char title[200], file[64];
    snprintf(file, sizeof file, "%s.%d", parameter->name, slice);
    snprintf(title, sizeof title, "%s: %s, messages from %zu B on", parameter->name,
             parameter->meaning, l->m->sizes.at[slice]);
    print_panel(l, p, file, title, "map");
    return write_file(l, file, p, print_map, slice, e);
}

/* Maps of the first and the last regime: those between are like one of them. */
static int add_regimes(panel_list *l, int p, cpm_error *e)
{
    int last = cpm_parameter_slices(l->m, p) - 1;
    if (l->m->type->parameters[p].shape != CPM_PAIR)
        return add_bars(l, p, e);
    int status = add_map(l, p, 0, e);
    return status || last == 0 ? status : add_map(l, p, last, e);
}

static int add_panels(panel_list *l, cpm_error *e)
{
    int status = CPM_OK;
    bool regimes = cpm_model_type_knows_inside(l->m->type);
    for (int p = 0; !status && p < l->m->type->count; p++) {
        const cpm_parameter *parameter = &l->m->type->parameters[p];
        if (parameter->shape == CPM_SCALAR || !cpm_model_has_parameter(l->m, p) ||
            !is_known(l->m, p) || (parameter->shape == CPM_PAIR && l->m->n < 2))
            continue;
        status = regimes && parameter->sized ? add_regimes(l, p, e) : add_whole(l, p, e);
    }
    return status;
}

void plot_print_quoted(const char *text, FILE *out)
{
    fputc('\'', out);
    for (; *text; text++)
        fputs(*text == '\'' ? "''" : (char[]){*text, '\0'}, out);
    fputc('\'', out);
}

int plot_write_ticks(const char *folder, char *const *name, int n, int most, cpm_error *e)
{
    FILE *f;
    int step = (n + most - 1) / most, status = plot_file_open(folder, "ticks", &f, e);
    if (status)
        return status;
    fputs("array TICK[", f);
    fprintf(f, "%d]\narray NAME_OF[%d]\n", (n + step - 1) / step, (n + step - 1) / step);
    for (int i = 0; i < n; i += step) {
        fprintf(f, "TICK[%d] = %d; NAME_OF[%d] = ", i / step + 1, i, i / step + 1);
        plot_print_quoted(name[i], f);
        fputc('\n', f);
    }
    return plot_file_close(folder, f, e);
}

/* Of a model of processes, each with its number, or of one process on each host. */
static int write_panels(const char *folder, const cpm_model *m, int *count, cpm_error *e)
{
    panel_list l = {.folder = folder, .m = m};
    int status = plot_file_open(folder, "panels", &l.list, e);
    if (status)
        return status;
    status = add_panels(&l, e);
    *count = l.count;
    int closed = plot_file_close(folder, l.list, e);
    if (!status && !closed && m->inside.count > 0)
        status = plot_write_ticks(folder, m->hosts, m->n, PLOT_FEW_TICKS, e);
    return status ? status : closed;
}

int plot_write_model(const char *folder, const cpm_model *m, int *panels, int *units, cpm_error *e)
{
    cpm_model *hosts = NULL;
    int status = m->inside.count > 0 ? cpm_model_of_hosts(m, &hosts, e) : CPM_OK;
    if (!status)
        status = write_panels(folder, hosts ? hosts : m, panels, e);
    *units = hosts ? hosts->n : m->n;
    cpm_model_free(hosts);
    return status;
}
