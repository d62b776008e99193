/* Reading the operands of cpm compare. */
#include "tools/examine/compare_input.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/vector.h"
#include "libraries/openmpi_rule.h"
#include "measurements/batch_calls.h"
#include "measurements/import.h"
#include "tools/examine/compare.h"
#include "tools/frame/output.h"
#include "tools/measure/conditions.h"
#include "tools/predict/beyond.h"
#include "tools/predict/native.h"

static bool is_observed(const compare_input *x, const cpm_measurement *r)
{
    bool known = r->what.collective.algorithm || x->library != CPM_LIBRARY_OTHER;
    return !r->what.kind && known && r->what.send_bytes > 0 && r->summary.min > 0 &&
           r->summary.median > 0 && r->summary.mean > 0;
}

static observation *find(compare_input *x, const cpm_experiment *what)
{
    int k = cpm_measurements_find(&x->known, what);
    return k < 0 ? NULL : &x->at[k];
}

static int add_observation(compare_input *x, const cpm_measurement *r, const cpm_measurements *of,
                           cpm_error *e)
{
    double value = cpm_summary_value(&r->summary, of->statistic);
    observation *o = find(x, &r->what);
    cpm_combining what = r->what.collective.combining;
    if (o && o->what.collective.combining != what)
        return cpm_fail(
            e, CPM_EINVAL, "%s combines %s in one file and %s in another: compare them separately",
            r->what.collective.operation->name, cpm_combinings[o->what.collective.combining].name,
            cpm_combinings[what].name);
    if (o) {
        o->value += (value - o->value) / ++o->files;
        o->low = fmin(o->low, r->summary.ci_low);
        o->high = fmax(o->high, r->summary.ci_high);
        o->least = fmin(o->least, value);
        o->most = fmax(o->most, value);
        return CPM_OK;
    }
    if (!cpm_vector_extend(&x->at, x->count, sizeof *x->at))
        return cpm_no_memory(e);
    int status = cpm_measurements_add(&x->known, &(cpm_measurement){.what = r->what}, e);
    if (status)
        return status;
    x->at[x->count++] = (observation){.what = r->what,
                                      .value = value,
                                      .low = r->summary.ci_low,
                                      .high = r->summary.ci_high,
                                      .least = value,
                                      .most = value,
                                      .files = 1,
                                      .taken = cpm_benchmark_conditions_of(&of->metadata)};
    return CPM_OK;
}

/* All files are of the same processes. */
static int check_processes(compare_input *x, const char *path, int n, const char *hosts,
                           cpm_error *e)
{
    if (x->n && n != x->n)
        return cpm_fail(e, CPM_EPROCESS, "%s: has %d processes, but those before it have %d", path,
                        n, x->n);
    char file[PATH_MAX];
    if (hosts && *hosts && *x->hosts && strcmp(hosts, x->hosts) != 0)
        fprintf(stderr,
                "cpm: warning: %s: has other hosts than those before it, or in another order\n",
                cpm_escape(path, file, sizeof file));
    if (hosts && !*x->hosts)
        snprintf(x->hosts, sizeof x->hosts, "%s", hosts);
    x->n = n;
    return CPM_OK;
}

/* Calls that follow each other take another time than isolated ones. */
static int check_timing(compare_input *x, const char *path, const cpm_metadata *metadata,
                        cpm_error *e)
{
    char own[CPM_BATCH_NAME], others[CPM_BATCH_NAME];
    cpm_error why = {0};
    int batch;
    if (cpm_batch_of_metadata(metadata, &batch, &why))
        return cpm_fail(e, why.code, "%s: %s", path, why.text);
    if (x->count && batch != x->batch) {
        cpm_batch_name(batch, own);
        cpm_batch_name(x->batch, others);
        return cpm_fail(e, CPM_EINVAL,
                        "%s: its timing is '%s', but '%s' in those before it: compare them "
                        "separately",
                        path, own, others);
    }
    x->batch = batch;
    return CPM_OK;
}

/* Benchmarks that print the mean over the processes show less than the last one's time. */
static int check_mean(compare_input *x, const char *path, const cpm_metadata *metadata,
                      cpm_error *e)
{
    const bool mean = cpm_benchmark_conditions_of(metadata).mean;
    if (x->count && mean != x->mean)
        return cpm_fail(e, CPM_EINVAL,
                        "%s: its times are %s, but %s in those before it: compare them separately",
                        path, mean ? "means over the processes" : "the last process's",
                        mean ? "the last process's" : "means over the processes");
    x->mean = mean;
    return CPM_OK;
}

/* As --library says, or the file names the MPI library of its measurements. */
static int find_library(const call *c, compare_input *x, const cpm_metadata *metadata, cpm_error *e)
{
    cpm_error why = {0};
    if (!compare_of(c)->library) {
        x->library = native_library_of(cpm_metadata_get(metadata, "mpi"));
        return CPM_OK;
    }
    int status = cpm_library_find(compare_of(c)->library, &x->library, &why);
    return status ? cpm_fail(e, status, "--library: %s", why.text) : CPM_OK;
}

static bool has_natives(const cpm_measurements *m)
{
    for (int q = 0; q < m->count; q++)
        if (!m->at[q].what.kind && !m->at[q].what.collective.algorithm)
            return true;
    return false;
}

static int nothing_observed(const char *path, const cpm_measurements *m, cpm_error *e)
{
    if (has_natives(m))
        return cpm_fail(e, CPM_EDATA,
                        "%s: holds collectives by the MPI library's own choice only: say whose it "
                        "is, by --library openmpi, openmpi5 or mpich",
                        path);
    return cpm_fail(e, CPM_EDATA,
                    "%s: holds no collectives by CPM's algorithms; cpm bench coll OP:ALGORITHM "
                    "-o FILE.meas or cpm validate --meas FILE.meas measures some",
                    path);
}

/* Not repetitions of the same: what is in a cache takes another time. */
static int check_buffers(compare_input *x, const char *path, const char *buffers, cpm_error *e)
{
    if (buffers && *x->buffers && strcmp(buffers, x->buffers) != 0)
        return cpm_fail(e, CPM_EINVAL,
                        "%s: its buffers are '%s', but '%s' in those before it: compare them "
                        "separately",
                        path, buffers, x->buffers);
    if (buffers)
        snprintf(x->buffers, sizeof x->buffers, "%s", buffers);
    return CPM_OK;
}

/* Who shares a host is in the names of hosts, unless --layout says it. */
static int take_hosts(compare_input *x, const cpm_measurements *m, cpm_error *e)
{
    cpm_hosts hosts = {0};
    int status = x->placed.known.hosts ? CPM_OK : cpm_measurements_hosts(m, x->n, &hosts, e);
    if (!status && cpm_hosts_have_levels(&hosts))
        placement_take_hosts(&x->placed, &hosts);
    else
        cpm_hosts_clear(&hosts);
    return status;
}

/* Once: when the first file says of how many processes it is. */
static int open_placement(call *c, compare_input *x, const cpm_measurements *m, cpm_error *e)
{
    if (x->placed.n)
        return CPM_OK;
    int status = placement_open(c->set, x->n, &x->placed, e);
    return status ? status : take_hosts(x, m, e);
}

/* The output of another benchmark: of as many processes as the model, if it does not say. */
static int import_observations(const call *c, const compare_input *x, const char *path,
                               cpm_measurements *out, cpm_error *e)
{
    const cpm_import_options options = {
        .processes = x->n, .only = compare_of(c)->only, .of_openmpi = cpm_openmpi_algorithm_ours};
    const cpm_import_file file = {path, -1, -1};
    return cpm_import(&options, &file, 1, out, e);
}

static int read_observations(call *c, compare_input *x, const char *path, bool imported,
                             cpm_error *e)
{
    cpm_measurements m = {0};
    int status = imported ? import_observations(c, x, path, &m, e)
                          : cpm_measurements_read(path, &m, NULL, e);
    int before = x->count;
    if (!status)
        status = find_library(c, x, &m.metadata, e);
    if (!status)
        status = check_mean(x, path, &m.metadata, e);
    if (!status)
        conditions_repeat(path, &m.metadata);
    if (!status)
        status = check_timing(x, path, &m.metadata, e);
    if (!status)
        status = check_buffers(x, path, cpm_metadata_get(&m.metadata, "buffers"), e);
    if (!status)
        status = check_processes(x, path, m.n, cpm_metadata_get(&m.metadata, "hosts"), e);
    if (!status)
        status = open_placement(c, x, &m, e);
    if (!status)
        status = cpm_measurements_check_placement(&m, path, &x->placed.known, e);
    int seen = 0;
    for (int q = 0; q < m.count && !status; q++)
        if (is_observed(x, &m.at[q])) {
            status = add_observation(x, &m.at[q], &m, e);
            seen++;
        }
    if (!status && !seen && before == x->count)
        status = nothing_observed(path, &m, e);
    cpm_measurements_clear(&m);
    return status;
}

/* "a b c", as in measurements; "" if one has no name, which may be any. */
static void join_hosts(const cpm_model *m, char *text, size_t size)
{
    size_t used = 0;
    bool named = true;
    *text = '\0';
    for (int i = 0; i < m->n && used < size; i++) {
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? " " : "", m->hosts[i]);
        named = named && m->hosts[i][0];
    }
    if (!named)
        *text = '\0';
}

static int read_model(call *c, compare_input *x, const char *path, cpm_error *e)
{
    char hosts[4096];
    for (int k = x->models; k < x->models + 2; k++)
        if (!cpm_vector_extend(&x->model, k, sizeof(cpm_model *)) ||
            !cpm_vector_extend(&x->file, k, sizeof *x->file))
            return cpm_no_memory(e);
    x->file[x->models] = x->file[x->models + 1] = path;
    int status = cpm_model_read(path, &x->model[x->models], e);
    if (status)
        return status;
    conditions_repeat(path, &x->model[x->models]->metadata);
    x->models++;
    status = placement_lay_out(c->set, &x->model[x->models - 1], e);
    if (status)
        return status;
    join_hosts(x->model[x->models - 1], hosts, sizeof hosts);
    status = check_processes(x, path, x->model[x->models - 1]->n, hosts, e);
    if (!status)
        status = cpm_model_average(x->model[x->models - 1], &x->model[x->models], e);
    x->models += !status;
    return status;
}

static bool is_imported(const char *path)
{
    const cpm_import_format *format = NULL;
    cpm_error why = {0};
    return access(path, R_OK) == 0 && !cpm_import_recognise(path, &format, &why) && format;
}

static int read_operand(call *c, compare_input *x, const char *operand, char **algorithms,
                        int *count, cpm_error *e)
{
    int status = file_refuse_pipe(operand, e);
    if (status)
        return status;
    if (file_begins(operand, "{"))
        return read_model(c, x, operand, e);
    if (file_begins(operand, "# cpm measurements"))
        return read_observations(c, x, operand, false, e);
    if (is_imported(operand))
        return read_observations(c, x, operand, true, e);
    FILE *f = strchr(operand, ':') ? NULL : fopen(operand, "r");
    if (f) {
        fclose(f);
        return cpm_fail(e, CPM_EPARSE, "%s: is neither a model nor measurements", operand);
    }
    if (strchr(operand, '.') && !strchr(operand, ':'))
        return cpm_fail(e, CPM_EIO, "%s: cannot be read: %s", operand, strerror(ENOENT));
    algorithms[(*count)++] = (char *)operand;
    return CPM_OK;
}

static bool is_asked_for(const choices *asked, const cpm_experiment *what)
{
    for (int k = 0; k < asked->count; k++)
        if (cpm_collective_same(&asked->at[k], &what->collective))
            return true;
    return asked->count == 0;
}

/* Keeps what was asked for, and lists the algorithms that are there. */
static int choose(compare_input *x, char **algorithms, int count, cpm_error *e)
{
    choices asked = {0};
    int kept = 0;
    choices_context context = {.n = x->n,
                               .placement = &x->placed.known,
                               .leave_out = true,
                               .command = "compare",
                               .libraries = true,
                               .native = x->library != CPM_LIBRARY_OTHER};
    int status = count ? choices_parse(algorithms, count, &context, &asked, e) : CPM_OK;
    for (int k = 0; k < x->count && !status; k++)
        if (is_asked_for(&asked, &x->at[k].what))
            x->at[kept++] = x->at[k];
    choices_clear(&asked);
    x->count = kept;
    for (int k = 0; k < kept && !status; k++)
        status = choices_add(&x->which, &x->at[k].what.collective, e);
    return status;
}

static int by_what(const void *a, const void *b)
{
    const observation *x = a, *y = b;
    char first[CPM_EXPERIMENT_NAME], second[CPM_EXPERIMENT_NAME];
    if (x->what.collective.operation != y->what.collective.operation)
        return x->what.collective.operation < y->what.collective.operation ? -1 : 1;
    if (x->what.collective.algorithm != y->what.collective.algorithm)
        return x->what.collective.algorithm < y->what.collective.algorithm ? -1 : 1;
    cpm_experiment_name(&x->what, first, sizeof first);
    cpm_experiment_name(&y->what, second, sizeof second);
    if (strcmp(first, second) != 0) /* by their parameters */
        return strcmp(first, second);
    if (x->what.i != y->what.i)
        return x->what.i < y->what.i ? -1 : 1;
    return (x->what.send_bytes > y->what.send_bytes) - (x->what.send_bytes < y->what.send_bytes);
}

static int read_operands(call *c, compare_input *x, char **algorithms, int *count, cpm_error *e)
{
    int status = CPM_OK;
    for (int k = 0; k < c->operands && !status; k++)
        status = read_operand(c, x, c->operand[k], algorithms, count, e);
    if (!status && x->models == 0)
        status = cpm_fail(e, CPM_EINVAL,
                          "no model is given: FILE.mod (without one two FILE.meas are compared)");
    if (!status && x->count == 0)
        status = cpm_fail(e, CPM_EINVAL, "no observations are given: FILE.meas of cpm bench coll");
    return status;
}

/* Of each model, of what is compared. */
static int warn_of_models(const compare_input *x, cpm_error *e)
{
    size_t largest = 0;
    cpm_combining what;
    bool combines = choices_combine(&x->which, &what);
    int status = CPM_OK;
    for (int k = 0; k < x->count; k++)
        if (x->at[k].what.send_bytes > largest)
            largest = x->at[k].what.send_bytes;
    for (int k = 0; k < x->models && !status; k += 2) { /* behind it is its average */
        conditions_compare_buffers(&x->model[k]->metadata, *x->buffers ? x->buffers : NULL);
        beyond_warn_combining(x->model[k], combines, what);
        status = beyond_warn(x->model[k], largest, e);
    }
    return status;
}

int compare_read(call *c, compare_input *x, cpm_error *e)
{
    int count = 0;
    char **algorithms = malloc((size_t)c->operands * sizeof *algorithms);
    if (!algorithms)
        return cpm_no_memory(e);
    int status = read_operands(c, x, algorithms, &count, e);
    for (int k = 0; k < x->count; k++)
        x->at[k].what.collective.at = x->placed.known;
    if (!status) {
        qsort(x->at, (size_t)x->count, sizeof *x->at, by_what);
        status = choose(x, algorithms, count, e);
    }
    free(algorithms);
    if (!status && x->count == 0)
        status = cpm_fail(e, CPM_EDATA, "none of these algorithms was observed");
    return status ? status : warn_of_models(x, e);
}

void compare_input_free(compare_input *x)
{
    for (int k = 0; k < x->models; k++)
        cpm_model_free(x->model[k]);
    free(x->model);
    free(x->file);
    free(x->at);
    cpm_measurements_clear(&x->known);
    choices_clear(&x->which);
    placement_close(&x->placed);
}
