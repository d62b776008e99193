/* What plot scripts read: folders of small text files. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "tools/examine/plot_data.h"
#include "tools/frame/table.h"

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

/* ---- files */

/* The folder is gone when this is read, where it was is not. */
static int cannot_write(const char *folder, const char *why, cpm_error *e)
{
    const char *slash = strrchr(folder, '/');
    return cpm_fail(e, CPM_EIO,
                    "%.*s: data of a picture cannot be written there: %s (TMPDIR names "
                    "another folder)",
                    (int)(slash - folder), folder, why);
}

int plot_file_open(const char *folder, const char *name, FILE **out, cpm_error *e)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    *out = fopen(path, "w");
    return *out ? CPM_OK : cannot_write(folder, strerror(errno), e);
}

int plot_file_close(const char *folder, FILE *f, cpm_error *e)
{
    bool bad = ferror(f);
    return fclose(f) == 0 && !bad ? CPM_OK : cannot_write(folder, "is the disk full?", e);
}

/* ---- models */

/* Whether there are messages from i to j, which the pair parameters tell of. */
static bool are_pair(const cpm_model *m, int i, int j)
{
    return i != j && !cpm_model_inside(m, i, j);
}

/* "3 ", or the name of its host; of a switch or link its own. */
static void print_unit(const cpm_model *m, cpm_shape shape, int i, bool names, FILE *out)
{
    if (names)
        fprintf(out, "%s ", cpm_shape_thing(shape) ? cpm_model_thing(m, shape, i) : m->hosts[i]);
    else
        fprintf(out, "%d ", i);
}

/* One slice, for every process or pair of them. */
static void print_slice(const cpm_model *m, int p, int slice, bool sizes, bool names, FILE *out)
{
    cpm_shape shape = m->type->parameters[p].shape;
    int rows = shape == CPM_SCALAR ? 1 : cpm_shape_thing(shape) ? cpm_model_things(m, shape) : m->n;
    int columns = shape == CPM_PAIR ? m->n : 1;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            if (shape == CPM_PAIR && !are_pair(m, i, j))
                continue;
            size_t place = (size_t)slice;
            if (sizes && m->type->parameters[p].sized)
                fprintf(out, "%zu ", cpm_parameter_sizes(m, p)->at[slice]);
            if (shape != CPM_SCALAR) {
                place = cpm_shape_thing(shape) ? (size_t)i : cpm_place(m, slice, i);
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

/* Of bars that are all 0, as of combining in a cluster that plays none, there is nothing to see. */
static bool is_shown(const cpm_model *m, int p)
{
    const bool bars = m->type->parameters[p].shape != CPM_PAIR;
    for (size_t at = 0; at < cpm_parameter_all_values(m, p); at++)
        if (!isnan(m->value[p][at]) && !(bars && m->value[p][at] == 0))
            return true;
    return false;
}

/* ---- panels */

enum { TITLE = 200 };

typedef struct {
    const char *folder;
    const cpm_model *m;
    FILE *out;
    int count;
} panel_list;

/* Of the values that are known in a regime. NaN: none, or no memory. */
static double median_of_slice(const cpm_model *m, int p, int slice)
{
    double *known = malloc((size_t)m->n * sizeof *known);
    int count = 0;
    for (int i = 0; known && i < m->n; i++) {
        double value = m->value[p][cpm_place(m, slice, i)];
        if (!isnan(value))
            known[count++] = value;
    }
    double median = cpm_median(known, count);
    free(known);
    return median;
}

/* Of a process parameter that is drawn by regimes: where these begin, and its medians in them. */
static void print_regimes(const cpm_model *m, int p, const cpm_sizes *sizes, FILE *out)
{
    fputs("SIZES = \"", out);
    for (int k = 0; k < sizes->count; k++)
        fprintf(out, "%s%zu", k ? " " : "", sizes->at[k]);
    fputs("\"; MEDIANS = \"", out);
    for (int k = 0; k < sizes->count; k++) {
        double median = median_of_slice(m, p, k);
        if (isnan(median))
            fprintf(out, "%sNaN", k ? " " : "");
        else
            fprintf(out, "%s%#.9g", k ? " " : "", median); /* gnuplot takes "2e-6" for 2 */
    }
    fputs("\"\n", out);
}

/* Constants only: gnuplot executes it. Switches and links are told by their numbers. */
static void print_panel(const cpm_model *m, const char *title, const cpm_parameter *parameter,
                        const char *file, const char *script, FILE *out)
{
    const char *thing = cpm_shape_thing(parameter->shape);
    const unit *u = unit_named(parameter->unit);
    fprintf(out, "FILE = FOLDER . \"/%s\"; FACTOR = %g; VALUE = %d\n", file, u->factor,
            2 + (parameter->shape == CPM_PAIR) + (strcmp(script, "size") == 0));
    fprintf(out, "NAME = \"%s\"; YLABEL = \"%s\"\n", title, u->shown);
    if (thing)
        fprintf(out,
                "OTHERS = N; UNIT_OF_OTHERS = UNIT; OTHERS_NAMED = NAMED\n"
                "N = %d; UNIT = \"%s\"; NAMED = 0\n",
                cpm_model_things(m, parameter->shape), thing);
    fprintf(out, "load DIR . \"%s_panel.gp\"\n", script);
    if (thing)
        fputs("N = OTHERS; UNIT = UNIT_OF_OTHERS; NAMED = OTHERS_NAMED\n", out);
}

static void add_panel(panel_list *l, int p, const char *file, const char *title, const char *script,
                      const cpm_sizes *regimes)
{
    l->count++;
    if (regimes)
        print_regimes(l->m, p, regimes, l->out);
    print_panel(l->m, title, &l->m->type->parameters[p], file, script, l->out);
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
                    are_pair(m, i, j) ? m->value[p][cpm_pair_place(m, slice, i, j)] : NAN);
}

static int add_drawn(panel_list *l, int p, const char *title, const char *script,
                     const cpm_sizes *regimes, cpm_error *e)
{
    const char *file = l->m->type->parameters[p].name;
    add_panel(l, p, file, title, script, regimes);
    return write_file(l, file, p, regimes ? print_blocks : print_all, 0, e);
}

/* The parameter of all sizes, or of none, in one panel. */
static int add_whole(panel_list *l, int p, cpm_error *e)
{
    const cpm_parameter *parameter = &l->m->type->parameters[p];
    char title[TITLE];
    snprintf(title, sizeof title, "%s: %s", parameter->name, parameter->meaning);
    return add_drawn(l, p, title, parameter->sized ? "size" : "process", NULL, e);
}

/* A step for each regime. */
static int add_steps(panel_list *l, int p, cpm_error *e)
{
    const cpm_parameter *parameter = &l->m->type->parameters[p];
    char title[TITLE];
    snprintf(title, sizeof title, "%s: %s", parameter->name, parameter->meaning);
    return add_drawn(l, p, title, "regimes", cpm_parameter_sizes(l->m, p), e);
}

/* A map, of a regime if there are any. */
static int add_map(panel_list *l, int p, int slice, cpm_error *e)
{
    const cpm_parameter *parameter = &l->m->type->parameters[p];
    char title[TITLE], file[64], from[48] = "";
    if (parameter->sized)
        snprintf(from, sizeof from, ", messages from %zu B on", l->m->sizes.at[slice]);
    snprintf(file, sizeof file, "%s.%d", parameter->name, slice);
    snprintf(title, sizeof title, "%s: %s%s", parameter->name, parameter->meaning, from);
    add_panel(l, p, file, title, "map", NULL);
    return write_file(l, file, p, print_map, slice, e);
}

/* Maps of the first and the last regime: those between are like one of them. */
static int add_regimes(panel_list *l, int p, cpm_error *e)
{
    int last = cpm_parameter_slices(l->m, p) - 1;
    if (l->m->type->parameters[p].shape != CPM_PAIR)
        return add_steps(l, p, e);
    int status = add_map(l, p, 0, e);
    return status || last == 0 ? status : add_map(l, p, last, e);
}

static int add_panels(panel_list *l, cpm_error *e)
{
    int status = CPM_OK;
    bool regimes = cpm_model_type_knows_inside(l->m->type);
    for (int p = 0; !status && p < l->m->type->count; p++) {
        const cpm_parameter *parameter = &l->m->type->parameters[p];
        bool pair = parameter->shape == CPM_PAIR;
        if (parameter->shape == CPM_SCALAR || !cpm_model_has_parameter(l->m, p) ||
            !is_shown(l->m, p) || (pair && l->m->n < 2))
            continue;
        status = regimes && parameter->sized ? add_regimes(l, p, e)
                 : pair && !parameter->sized ? add_map(l, p, 0, e)
                                             : add_whole(l, p, e);
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

int plot_names_hosts(const cpm_model *m, bool *names, cpm_error *e)
{
    cpm_hosts on = {0};
    int status = cpm_hosts_named((const char *const *)m->hosts, m->n, &on, e);
    *names = !status && (m->inside.count > 0 || (on.count == m->n && *m->hosts[0]));
    cpm_hosts_clear(&on);
    return status;
}

static int write_panels(const char *folder, const cpm_model *m, int *count, cpm_error *e)
{
    panel_list l = {.folder = folder, .m = m};
    int status = plot_file_open(folder, "panels", &l.out, e);
    if (status)
        return status;
    status = add_panels(&l, e);
    *count = l.count;
    int closed = plot_file_close(folder, l.out, e);
    return status ? status : closed;
}

/* hosts: that of one process on each host, if m knows their inside; the caller's to free. */
static int find_hosts(const cpm_model *m, cpm_model **hosts, cpm_error *e)
{
    return m->inside.count > 0 ? cpm_model_of_hosts(m, hosts, e) : CPM_OK;
}

int plot_write_model(const char *folder, const cpm_model *m, int *count, int *ends, cpm_error *e)
{
    cpm_model *hosts = NULL;
    int status = find_hosts(m, &hosts, e);
    const cpm_model *of = hosts ? hosts : m;
    *count = 0;
    *ends = of->n;
    if (!status)
        status = write_panels(folder, of, count, e);
    cpm_model_free(hosts);
    return status;
}

int plot_write_names(const char *folder, const cpm_model *m, int most, cpm_error *e)
{
    cpm_model *hosts = NULL;
    int status = find_hosts(m, &hosts, e);
    const cpm_model *of = hosts ? hosts : m;
    if (!status)
        status = plot_write_ticks(folder, of->hosts, of->n, most, e);
    cpm_model_free(hosts);
    return status;
}
