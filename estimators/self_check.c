#include "estimators/self_check.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/locale.h"
#include "measurements/held_out.h"
#include "models/checked.h"
#include "models/experiments.h"

/* Dense exchanges show what messages share inside the network, and what is one of root its link
 * end; a reduction shows combining, and all pairs of a tree. Eager messages and synchronous ones
 * take different ways: those of bruck are up to half of all blocks. The sizes are such that a
 * campaign of 16 hosts with a process each takes up to 5 % longer. Sweeps for thresholds are of
 * other algorithms. */
static const struct {
    const char *name;
    size_t bytes;
} collectives[] = {
    {"allgather:bruck", 32 << 10},
    {"alltoall:simple", 16 << 10},
    {"gather:star", 64 << 10},
    {"reduce:binomial", 64 << 10},
};
enum { COLLECTIVES = sizeof collectives / sizeof *collectives };

/* A message for every pair is not sent, nor predicted, among more processes than these; nor are
 * more bytes than these received on a host, but in blocks of 1 KB: by the root of a gather, or by
 * all processes of the host of what all others have. */
enum { MOST_OF_PAIRS = 128, MOST_BYTES = 4 << 20, LEAST_BLOCK = 1 << 10 };

static size_t bytes_for(const cpm_operation *o, size_t bytes, int n, int each)
{
    size_t blocks = (size_t)n * (size_t)(o->rooted ? 1 : each);
    while (!o->combines && bytes > LEAST_BLOCK && bytes * blocks > MOST_BYTES)
        bytes /= 2;
    return bytes;
}

static bool is_of_pairs(const cpm_operation *o)
{
    return o == &cpm_operations[CPM_OP_ALLTOALL];
}

static int experiment_of(int k, int n, int each, bool *applies, cpm_experiment *out, cpm_error *e)
{
    cpm_collective c;
    int status = cpm_collective_parse(collectives[k].name, &c, e);
    if (status)
        return status;
    *out = cpm_experiment_of(&c, bytes_for(c.operation, collectives[k].bytes, n, each));
    c.at.n = n;
    *applies = cpm_collective_applies(&c, NULL) == CPM_OK &&
               (n <= MOST_OF_PAIRS || !is_of_pairs(c.operation));
    return CPM_OK;
}

static bool is_checked(const char *model)
{
    const cpm_model_type *type;
    return cpm_model_type_find(model, &type, NULL) == CPM_OK && cpm_model_type_knows_inside(type);
}

int cpm_self_check_describe(const char *model, int n, int each, cpm_metadata *header, cpm_error *e)
{
    char list[COLLECTIVES * (CPM_EXPERIMENT_NAME + 24)] = "";
    size_t used = 0;
    int status = CPM_OK;
    if (n < 2 || !is_checked(model))
        return CPM_OK;
    for (int k = 0; k < COLLECTIVES && !status; k++) {
        cpm_experiment x;
        bool applies = false;
        status = experiment_of(k, n, each, &applies, &x, e);
        if (!status && applies)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s@%zu", used ? " " : "",
                                     collectives[k].name, x.send_bytes);
    }
    return status || !used ? status : cpm_metadata_set(header, e, CPM_METADATA_CHECK, "%s", list);
}

/* Of any number of processes. */
bool cpm_self_check_measures(const char *model, const cpm_experiment *x)
{
    for (int k = 0; k < COLLECTIVES && !x->kind && is_checked(model); k++) {
        cpm_experiment own;
        bool applies;
        if (experiment_of(k, 2, 1, &applies, &own, NULL))
            continue;
        const size_t most = own.send_bytes;
        own.send_bytes = x->send_bytes;
        if (LEAST_BLOCK <= x->send_bytes && x->send_bytes <= most && cpm_experiment_equal(&own, x))
            return true;
    }
    return false;
}

int cpm_self_check_plan(const cpm_measurements *so_far, cpm_design *next, cpm_error *e)
{
    cpm_experiment x;
    int status = CPM_OK;
    for (int k = 0; !status && cpm_held_out_at(&so_far->metadata, k, &x); k++) {
        status = cpm_design_add(next, &x, e);
        if (!status)
            status = cpm_design_close_round(next, e);
    }
    return status;
}

static int compare(const cpm_measurements *m, const cpm_measurement *r, const cpm_model *model,
                   FILE *out, int *count)
{
    char name[CPM_EXPERIMENT_NAME];
    double seconds, observed = cpm_measurement_value(r, m->statistic);
    cpm_error why = {0};
    int status = cpm_model_experiments(model, &r->what, 1, &seconds, &why);
    if (status == CPM_ENOMEM || status || !(observed > 0))
        return status == CPM_ENOMEM ? status : CPM_OK;
    cpm_experiment_name(&r->what, name, sizeof name);
    locale_t before = cpm_locale_plain();
    fprintf(out, "%s%s@%zu %+.4g %.4g", (*count)++ ? ", " : "", name, r->what.send_bytes,
            seconds / observed - 1,
            seconds / observed * cpm_measurement_half(r, m->statistic) / observed);
    cpm_locale_restore(before);
    return CPM_OK;
}

int cpm_self_check_make(const cpm_measurements *m, cpm_model *model, cpm_error *e)
{
    char *text = NULL;
    size_t size;
    int count = 0, status = CPM_OK;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return cpm_no_memory(e);
    for (int q = 0; q < m->count && !status; q++)
        if (cpm_is_held_out(m, &m->at[q].what))
            status = compare(m, &m->at[q], model, out, &count);
    if (fclose(out) || status)
        status = cpm_no_memory(e);
    if (!status && count)
        status = cpm_metadata_set(&model->metadata, e, CPM_METADATA_CHECKED, "%s", text);
    free(text);
    return status;
}
