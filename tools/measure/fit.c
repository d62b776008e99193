/* cpm fit: from measurements to a model. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "estimators/asked.h"
#include "libraries/openmpi_rule.h"
#include "measurements/import.h"
#include "tools/frame/options.h"
#include "tools/frame/output.h"
#include "tools/measure/conditions.h"
#include "tools/measure/estimation.h"

/* What to fit, and to what. */
typedef struct {
    estimation_settings estimation;
    const char *from;
    bool residuals;
    int processes;    /* of imported collectives; 0: not said */
    const char *only; /* label of imported tables; NULL: not said */
} fit_settings;

static fit_settings *fit_of(const call *c)
{
    return (fit_settings *)c->set;
}

/* ---- files of other benchmarks */

static const char digits[] = "0123456789";

static int rank(const char *text)
{
    errno = 0;
    long value = strtol(text, NULL, 10);
    return errno || value > INT_MAX ? INT_MAX : (int)value;
}

/* "I,J=FILE", or a file: whatever else a name may have in it. */
static cpm_import_file operand(const char *text)
{
    size_t first = strspn(text, digits);
    const char *second = text + first + 1;
    if (!first || text[first] != ',')
        return (cpm_import_file){text, -1, -1};
    size_t length = strspn(second, digits);
    if (!length || second[length] != '=')
        return (cpm_import_file){text, -1, -1};
    return (cpm_import_file){second + length + 1, rank(text), rank(second)};
}

static int find_format(const call *c, const cpm_import_format **out, cpm_error *e)
{
    cpm_error why = {0};
    *out = NULL;
    if (!fit_of(c)->from)
        return CPM_OK;
    int status = cpm_import_find(fit_of(c)->from, out, &why);
    return status ? cpm_fail(e, status, "--from: %s", why.text) : CPM_OK;
}

/* Files of another benchmark: --from says so, or the first one looks like it. A pipe is read once.
 */
static bool is_imported(const call *c)
{
    const char *path = operand(c->operand[0]).path;
    const cpm_import_format *format = NULL;
    cpm_error why = {0};
    if (fit_of(c)->from)
        return true;
    return !file_refuse_pipe(path, &why) && !file_begins(path, "# cpm measurements") &&
           !cpm_import_recognise(path, &format, &why) && format;
}

static bool ends_in(const char *text, const char *with)
{
    size_t length = strlen(text), end = strlen(with);
    return length > end && strcmp(text + length - end, with) == 0;
}

/* The measurements themselves are asked for, not a model. */
static bool keeps_measurements(const call *c)
{
    return c->set->out.path && ends_in(c->set->out.path, ".meas") && is_imported(c);
}

/* All operands, each FILE or I,J=FILE, as --from says. */
static int import_operands(const call *c, cpm_measurements *out, cpm_error *e)
{
    cpm_import_options options = {.processes = fit_of(c)->processes,
                                  .pairs_only = !keeps_measurements(c),
                                  .only = fit_of(c)->only,
                                  .of_openmpi = cpm_openmpi_algorithm_ours};
    int status = find_format(c, &options.format, e);
    if (status)
        return status;
    cpm_import_file *files = calloc((size_t)c->operands, sizeof *files);
    if (!files)
        return cpm_no_memory(e);
    for (int f = 0; f < c->operands; f++)
        files[f] = operand(c->operand[f]);
    status = cpm_import(&options, files, c->operands, out, e);
    free(files);
    return status;
}

static void say_cautions(const cpm_metadata *metadata)
{
    for (int k = 0; k < metadata->count; k++)
        if (cpm_metadata_belongs(metadata->items[k].key, "caution"))
            fprintf(stderr, "cpm: note: %s\n", metadata->items[k].value);
}

/* Writes what was imported. */
static int keep_measurements(const call *c, cpm_measurements *m, cpm_error *e)
{
    cpm_meas_file *file = NULL;
    cpm_measurements header = {.metadata = m->metadata, .n = m->n, .statistic = m->statistic};
    int status = cpm_meas_open(c->set->out.path, false, false, &header, &file, e);
    for (int q = 0; q < m->count && !status; q++)
        status = cpm_meas_append(file, &m->at[q], e);
    if (!status)
        status = cpm_meas_complete(file, 0, e);
    cpm_meas_close(file);
    return status;
}

/* ---- the subcommand */

static const char *name_of(const call *c)
{
    return c->operands == 1 ? operand(c->operand[0]).path : "these files";
}

/* What was measured for other sizes than those that are fitted may lack what these need, or have
 * more, which is then left out. */
static int check_sizes(const call *c, const cpm_metadata *header, cpm_error *e)
{
    const char *measured = cpm_metadata_get(header, "sizes");
    char *asked = NULL, file[PATH_MAX];
    if (!measured || !c->set->calls.sizes.count)
        return CPM_OK;
    int status = cpm_sizes_text(&c->set->calls.sizes, &asked, e);
    if (!status && strcmp(asked, measured) != 0)
        fprintf(
            stderr,
            "cpm: warning: %s: was measured for sizes '%.200s', and is fitted for '%.200s'. The "
            "model may differ from that of cpm model: omit --sizes\n",
            cpm_escape(c->operand[0], file, sizeof file), measured, asked);
    free(asked);
    return status;
}

/* What a campaign was made for is fitted to it unless another model is asked for: its design begins
 * with the model's name and method. Whatever else has round trips is enough for Hockney's. */
static int choose_model(call *c, const cpm_measurements *m, char *model, char *method, size_t size,
                        cpm_error *e)
{
    const cpm_estimator *estimator;
    const cpm_metadata *header = &m->metadata;
    const char *best = "hockney";
    cpm_error why = {0};
    int status =
        cpm_metadata_get(header, "imported_from") ? cpm_import_bears(m, &best, &why) : CPM_OK;
    if (status)
        return cpm_fail(e, status, "%s: %s", name_of(c), why.text);
    cpm_asked_estimator(header, model, method, size);
    bool known = cpm_estimator_find(model, method, &estimator, NULL) == CPM_OK;
    bool same = known && (!estimation_of(c)->model || strcmp(estimation_of(c)->model, model) == 0);
    if (!estimation_of(c)->estimator && same)
        estimation_of(c)->estimator = method;
    if (!known)
        snprintf(model, size, "%s", best);
    if (!estimation_of(c)->model)
        estimation_of(c)->model = model;
    return CPM_OK;
}

/* checksum: empty where they are not of one file. Read once: the file may be a pipe. */
static int read_measured(const call *c, cpm_measurements *out, char checksum[65], cpm_error *e)
{
    *checksum = '\0';
    cpm_error why = {0};
    if (is_imported(c))
        return import_operands(c, out, e);
    int status = cpm_estimate_read(c->operand[0], out, checksum, &why);
    bool begins = file_begins(c->operand[0], "# cpm measurements");
    return !status ? CPM_OK
                   : cpm_fail(e, status, "%s%s", why.text,
                              status != CPM_EPARSE || begins
                                  ? ""
                                  : "; nor is it the output of a benchmark that --from lists");
}

static int check_confidence(const call *c, const cpm_estimator *estimator, cpm_error *e)
{
    if (!(c->set->how.precision.confidence > 0) || estimator->finds_intervals)
        return CPM_OK;
    return cpm_fail(e, CPM_EINVAL,
                    "--confidence: intervals of %s come from its measurements: measure with "
                    "--confidence",
                    estimator->model);
}

static int settle(call *c, const cpm_measurements *m, char *model, char *method, size_t size,
                  cpm_error *e)
{
    int status = choose_model(c, m, model, method, size, e);
    conditions_repeat(c->operand[0], &m->metadata);
    return status ? status : check_sizes(c, &m->metadata, e);
}

static int fit_measured(call *c, const cpm_measurements *m, const char *checksum, const char *mod,
                        cpm_error *e)
{
    const cpm_estimator *estimator;
    cpm_estimation options;
    cpm_class_rules *rules = NULL;
    char model[64], method[64];
    int status = settle(c, m, model, method, sizeof model, e);
    if (!status)
        status = estimation_find(c, &estimator, &options, e);
    if (!status)
        status = check_confidence(c, estimator, e);
    if (!status)
        status = estimation_classes(c, &rules, &options, e);
    if (!status)
        status = output_check(mod, CPM_FILE_MODEL, e);
    if (!status)
        status = estimation_write(estimator, &options, m, name_of(c), *checksum ? checksum : NULL,
                                  fit_of(c)->residuals ? &c->set->out.format : NULL, mod, e);
    cpm_class_rules_free(rules);
    return status;
}

static int fit_to(call *c, const char *mod, cpm_error *e)
{
    cpm_measurements m = {0};
    char file[PATH_MAX], checksum[65];
    int status = read_measured(c, &m, checksum, e);
    if (!status)
        status = keeps_measurements(c) ? keep_measurements(c, &m, e)
                                       : fit_measured(c, &m, checksum, mod, e);
    if (!status && is_imported(c))
        say_cautions(&m.metadata);
    if (!status && output_is_file(mod))
        fprintf(stderr, "cpm: wrote %s%s\n", cpm_escape(mod, file, sizeof file),
                is_imported(c) && !keeps_measurements(c)
                    ? ": cpm show says what such files do not tell"
                    : "");
    cpm_measurements_clear(&m);
    return status;
}

static int run(call *c, cpm_error *e)
{
    if (c->set->out.path)
        return fit_to(c, c->set->out.path, e);
    char *mod = with_suffix(c->operand[0], ".meas", ".mod");
    int status = mod ? fit_to(c, mod, e) : cpm_no_memory(e);
    free(mod);
    return status;
}

static int check(const call *c, cpm_error *e)
{
    bool imported = is_imported(c);
    if (!imported && c->operands > 1)
        return cpm_fail(e, CPM_EINVAL, "unexpected argument '%s': several files only with --from",
                        c->operand[1]);
    if (imported && !c->set->out.path)
        return cpm_fail(
            e, CPM_EINVAL,
            "what another benchmark printed (--from) needs -o FILE.mod, the name of the "
            "model");
    if ((fit_of(c)->processes || fit_of(c)->only) &&
        file_begins(c->operand[0], "# cpm measurements"))
        return cpm_fail(e, CPM_EINVAL, "--%s is of files of other benchmarks (--from)",
                        fit_of(c)->processes ? "processes" : "only");
    if (!fit_of(c)->residuals && c->set->out.format != CPM_FORMAT_TEXT)
        return cpm_fail(e, CPM_EINVAL, "--format needs --residuals");
    if (fit_of(c)->residuals && c->set->out.path && strcmp(c->set->out.path, "-") == 0)
        return cpm_fail(e, CPM_EINVAL, "--residuals and -o - would both write to standard output");
    return CPM_OK;
}

/* clang-format off */
static const option own[] = {
    {"from", 0, "BENCHMARK",
     "the files are output of another benchmark: osu, imb, logp_mpi, nxnlatbw, mpigraph, mpibench, "
     "netgauge, skampi, reprompi, pico, simgrid or pandas. auto: what each file looks like, which is the default "
     "for files that are not CPM's. Several files are repetitions; I,J=FILE was measured between "
     "processes I and J. Needs -o", offsetof(fit_settings, from), set_text},
    {"processes", 0, "N", "imported collectives ran on N processes, where their files do not say "
     "it; of tables of several numbers, take those of N", offsetof(fit_settings, processes), set_integer},
    {"only", 0, "NAME", "of files with tables of several MPI libraries or machines, take those that "
     "are called NAME there", offsetof(fit_settings, only), set_text},
    {"output", 'o', "FILE.mod", "write the model to FILE.mod (default: the measurements' name "
                                "with .mod); FILE.meas: what was imported, as it is",
     offsetof(settings, out.path), set_new_file},
    {"residuals", 0, NULL, "print how far the measurements are from the model, by kind of experiment",
     offsetof(fit_settings, residuals), NULL},
    {"confidence", 0, "X",
     "confidence level of the intervals of hockney and lmo (default: that of the measurements). "
     "Other models always use the intervals of the measurements",
     offsetof(settings, how.precision.confidence), set_share},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const command cpm_fit = {
    .name = "fit",
    .operands = "FILE.meas|FILE...|I,J=FILE...",
    .summary = "estimate a model's parameters from measurements",
    .description =
        "Estimates the parameters of a model from a file of measurements and writes the model. "
        "Also reads what other benchmarks measured (--from), and makes the best model that it "
        "bears: lmo2 of latencies and bandwidths, hockney of latencies. Needs no MPI.",
    .example = "cpm fit --model lmo cluster.meas -o cluster.mod\n"
               "cpm fit osu_latency.txt -o two.mod",
    .min_operands = 1,
    .max_operands = 100000,
    .settings = sizeof(fit_settings),
    .options = {own, format_options, estimation_options, force_options},
    .check = check,
    .run = run,
};
