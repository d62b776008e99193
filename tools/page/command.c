/* cpm report: one page about a cluster, for people. */
#include <limits.h>
#include <string.h>

#include "tools/frame/options.h"
#include "tools/frame/output.h"
#include "tools/frame/overwriting.h"
#include "tools/page/page.h"

/* FILE.mod gives FILE.html here. */
static int default_output(const char *model, char *path, size_t size, cpm_error *e)
{
    const char *name = page_base_name(model), *end = strrchr(name, '.');
    int length = end && end != name ? (int)(end - name) : (int)strlen(name);
    if (snprintf(path, size, "%.*s.html", length, name) >= (int)size)
        return cpm_fail(e, CPM_EINVAL, "%s: too long a name", model);
    return CPM_OK;
}

static int run(call *c, cpm_error *e)
{
    char name[PATH_MAX];
    page_files files = {0};
    int status = default_output(c->operand[0], name, sizeof name, e);
    const char *path = c->set->out.path = c->set->out.path ? c->set->out.path : name;
    if (!status)
        status = overwriting_check(c, e);
    if (!status)
        status = output_check(path, CPM_FILE_PAGE, e);
    if (!status)
        status = page_files_read(c->operand, c->operands, &files, e);
    if (!status && strcmp(files.at->kind->name, "model") != 0)
        status = cpm_fail(e, CPM_EINVAL,
                          "%s: not a model: name the model of the cluster first "
                          "(cpm model)",
                          c->operand[0]);
    if (!status)
        status = page_write(c, &files, path, e);
    page_files_free(&files);
    if (!status && output_is_file(path))
        puts(path);
    return status;
}

/* clang-format off */
static const option own[] = {
    {"output", 'o', "FILE.html", "write the page to FILE.html; - is standard output (default: "
     "the model's name with .html, here)", offsetof(settings, out.path), set_new_file},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const command cpm_report_command = {
    .name = "report",
    .operands = "FILE.mod [FILE ...]",
    .summary = "write a report of a cluster as an HTML page",
    .description =
        "Writes a self-contained HTML file with interactive charts. It begins with the verdict: "
        "health, how exact the model is, what changed. It compares predictions with the given "
        "observations, names the fastest algorithm over the message size, maps the hosts, and "
        "describes the model in words. It lists what programs would gain or have gained. Several "
        "models of one kind are shown as a history. Input files are models, measurements, "
        "tables of cpm validate, compare and tune, and the --profile, --learn and --report "
        "(--format json) files of cpm run. Files of other hosts or of another MPI library are "
        "shown apart. Prints the name of the page. Charts need Chart.js (libjs-chart.js); without "
        "it the page has tables. Needs no MPI.",
    .example = "cpm report cluster.mod cluster.meas observed.meas -o cluster.html\n"
               "cpm report october.mod november.mod december.mod -o history.html",
    .min_operands = 1,
    .max_operands = 1000,
    .options = {own, force_options},
    .run = run,
};
