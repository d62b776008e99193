/* cpm plot: a picture of a model, of a validation, or of measurements. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "tools/examine/plot_data.h"
#include "tools/examine/plot_times.h"
#include "tools/examine/plot_words.h"
#include "tools/frame/options.h"
#include "tools/frame/output.h"
#include "tools/frame/pairs.h"
#include "tools/frame/program.h"
#include "tools/frame/unfinished.h"

/* What a title calls a file. */
static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- a model */

/* A map of more has several pairs in a pixel; two of so many take some 5 s, which grow by the
 * square. */
enum { MOST_ENDS = 1024 };

static void model_title(const cpm_model *m, const char *input, char *title, size_t size)
{
    char name[NAME_MAX + 1], on[40] = "";
    if (m->inside.count > 0)
        snprintf(on, sizeof on, " on %d host%s", m->on.count, m->on.count == 1 ? "" : "s");
    snprintf(title, size, "%s: %s, %d processes%s", cpm_escape(base_name(input), name, sizeof name),
             m->type->title, m->n, on);
}

static int draw_model(const cpm_model *m, const char *input, const char *output, const char *folder,
                      cpm_error *e)
{
    char title[512], n[16], panels[16];
    int count = 0, units = 0;
    bool names = false;
    int status = plot_write_model(folder, m, &count, &units, e);
    if (!status)
        status = plot_names_hosts(m, &names, e);
    if (!status && names)
        status = plot_write_names(folder, m, PLOT_FEW_TICKS, e);
    if (!status && count == 0)
        return cpm_fail(e, CPM_EDATA,
                        "%s: the model has no per-process or per-pair parameters "
                        "to plot",
                        input);
    model_title(m, input, title, sizeof title);
    snprintf(n, sizeof n, "%d", units);
    snprintf(panels, sizeof panels, "%d", count);
    return status ? status
                  : gnuplot_run("model",
                                (const char *const[]){output, folder, title, n, panels,
                                                      names ? "host" : "process", NULL},
                                e);
}

static int plot_model(const char *input, const char *output, const char *folder, cpm_error *e)
{
    cpm_model *m = NULL;
    int status = cpm_model_read(input, &m, e);
    if (!status)
        status = pairs_check(m, input, "drawn", MOST_ENDS, e);
    if (!status)
        status = draw_model(m, input, output, folder, e);
    cpm_model_free(m);
    return status;
}

/* ---- measurements */

static int plot_measurements(const char *input, const char *output, const char *folder,
                             cpm_error *e)
{
    cpm_measurements m = {0};
    char title[512], name[NAME_MAX + 1], panels[16], series[16];
    int count = 0, most = 0, status = cpm_measurements_read(input, &m, NULL, e);
    if (!status && m.count == 0)
        status = cpm_fail(e, CPM_EDATA, "%s: holds no measurements", input);
    if (!status)
        status = plot_write_times(folder, &m, &count, &most, e);
    snprintf(title, sizeof title, "%s: %d processes",
             cpm_escape(base_name(input), name, sizeof name), m.n);
    snprintf(panels, sizeof panels, "%d", count);
    snprintf(series, sizeof series, "%d", most);
    if (!status)
        status = gnuplot_run("times",
                             (const char *const[]){output, folder, title, panels, series, NULL}, e);
    cpm_measurements_clear(&m);
    return status;
}

/* ---- tables */

static int plot_validation(const char *input, const char *output, const char *folder, cpm_error *e)
{
    char algorithms[1][PLOT_LIST], name[NAME_MAX + 1], data[PATH_MAX + 2];
    int status = plot_words_read(input, "cpm validate", 1, algorithms, e);
    (void)folder;
    if (status)
        return status;
    return gnuplot_run("validation",
                       (const char *const[]){output, program_file(input, data, sizeof data),
                                             cpm_escape(base_name(input), name, sizeof name),
                                             *algorithms, NULL},
                       e);
}

/* Of the first root. */
static int plot_comparison(const char *input, const char *output, const char *folder, cpm_error *e)
{
    enum { MODELS, ALGORITHMS, ROOTS, COLUMNS };
    char words[COLUMNS][PLOT_LIST], title[PLOT_LIST + 512], name[NAME_MAX + 1], data[PATH_MAX + 2];
    int status = plot_words_read(input, "cpm compare", COLUMNS, words, e);
    (void)folder;
    if (status)
        return status;
    char *root = words[ROOTS] + 1;
    root[strcspn(root, "\"")] = '\0';
    snprintf(title, sizeof title, "%s, root %s", cpm_escape(base_name(input), name, sizeof name),
             root);
    return gnuplot_run("comparison",
                       (const char *const[]){output, program_file(input, data, sizeof data), title,
                                             words[ALGORITHMS], words[MODELS], root, NULL},
                       e);
}

/* ---- which of them */

typedef struct {
    const char *begins; /* the file's first characters */
    int (*plot)(const char *input, const char *output, const char *folder, cpm_error *e);
} plotter;

static const plotter plotters[] = {
    {"{", plot_model},
    {"# cpm measurements", plot_measurements},
    {"# cpm validation", plot_validation},
    {"# cpm comparison 1", plot_comparison},
    {NULL, NULL},
};

static int find_plotter(const char *input, const plotter **out, cpm_error *e)
{
    if (access(input, R_OK) != 0)
        return cpm_fail(e, CPM_EIO, "%s: %s", input, strerror(errno));
    int status = file_refuse_pipe(input, e);
    if (status)
        return status;
    for (const plotter *p = plotters; p->begins; p++)
        if (file_begins(input, p->begins)) {
            *out = p;
            return CPM_OK;
        }
    return cpm_fail(e, CPM_EPARSE,
                    "%s: is neither a model nor measurements nor a table of cpm validate -o or cpm "
                    "compare -o of models",
                    input);
}

static int plot_to(const char *input, const char *output, cpm_error *e)
{
    const plotter *p = NULL;
    char folder[PATH_MAX];
    int status = plot_check_format(output, e);
    if (!status)
        status = find_plotter(input, &p, e);
    if (!status)
        status = output_check(output, CPM_FILE_PICTURE, e);
    if (!status)
        status = unfinished_folder_create(folder, sizeof folder, e);
    if (status)
        return status;
    status = p->plot(input, output, folder, e);
    unfinished_folder_remove(folder);
    if (!status)
        puts(output);
    return status;
}

/* ---- the subcommand */

static bool is_folder(const char *path)
{
    struct stat status;
    return path && stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* FILE.mod gives FILE.png and FILE.meas, which lies beside it, FILE-meas.png; in folder or, if that
 * is NULL, where the input lies. */
static int plot_beside(const char *input, const char *folder, cpm_error *e)
{
    char path[PATH_MAX];
    const char *name = base_name(input), *end = strrchr(name, '.');
    int length = end && end != name ? (int)(end - name) : (int)strlen(name);
    int place = folder ? (int)strlen(folder) : (int)(name - input);
    int written =
        snprintf(path, sizeof path, "%.*s%s%.*s%s.png", place, folder ? folder : input,
                 folder ? "/" : "", length, name, end && strcmp(end, ".meas") == 0 ? "-meas" : "");
    if (written >= (int)sizeof path)
        return cpm_fail(e, CPM_EINVAL, "%s: too long a name", input);
    return plot_to(input, path, e);
}

static int run(call *c, cpm_error *e)
{
    bool folder = is_folder(c->set->out.path);
    if (c->set->out.path && !folder && c->operands > 1)
        return cpm_fail(e, CPM_EINVAL, "-o %s: not a folder, but there are %d files",
                        c->set->out.path, c->operands);
    if (c->set->out.path && !folder)
        return plot_to(c->operand[0], c->set->out.path, e);
    int status = CPM_OK;
    for (int i = 0; !status && i < c->operands; i++)
        status = plot_beside(c->operand[i], c->set->out.path, e);
    return status;
}

/* clang-format off */
static const option own[] = {
    {"output", 'o', "FILE", "write the plot to FILE: .png, .pdf, .svg, or a folder (default: the "
     "input's name with .png)", offsetof(settings, out.path), set_new_file},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const command cpm_plot = {
    .name = "plot",
    .operands = "FILE ...",
    .summary = "draw a model, a validation, a comparison or measurements",
    .description = "Draws the parameters of a model (FILE.mod), predictions against observations "
                   "(tables of cpm validate -o and cpm compare -o), or measurements (FILE.meas). "
                   "Needs gnuplot. Prints the names of the plots. Scripts come from the "
                   "installation of cpm, or from CPM_GNUPLOT_DIR.",
    .example = "cpm plot cluster.mod -o cluster.png",
    .min_operands = 1,
    .max_operands = 1000,
    .options = {own, force_options},
    .run = run,
};
