/* State of the process by nature: interposed functions have no argument to carry it. */
#include "tuned/environment.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tuned_environment environment;
static pthread_once_t environment_once = PTHREAD_ONCE_INIT;
static atomic_bool environment_known;

static const char *value_of(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* Forced algorithms leave nothing to adapt. */
static void read_policy(tuned_environment *e)
{
    const char *value = value_of("CPM_ADAPT");
    cpm_error why = {0};
    e->adapts = value && strcmp(value, "0") != 0;
    if (e->adapts && e->force)
        cpm_fail(&e->adapt_failure, CPM_EINVAL,
                 "CPM_ADAPT: CPM_FORCE leaves nothing to adapt: set one of them");
    else if (e->adapts && strcmp(value, "1") != 0 &&
             cpm_adapt_policy_parse(value, &e->policy, &why) != CPM_OK)
        cpm_fail(&e->adapt_failure, why.code, "CPM_ADAPT: %s", why.text);
}

static void read_environment(void)
{
    const char *verbose = value_of("CPM_VERBOSE"), *check = value_of("CPM_CHECK");
    const char *reproducible = value_of("CPM_REPRODUCIBLE");
    tuned_environment *e = &environment;
    e->force = value_of("CPM_FORCE");
    e->table = value_of("CPM_TABLE");
    e->model = value_of("CPM_MODEL");
    e->layout = value_of("CPM_LAYOUT");
    e->placement = value_of("CPM_PLACEMENT");
    e->report = value_of("CPM_REPORT");
    e->format = value_of("CPM_FORMAT");
    e->verbose = verbose && strcmp(verbose, "0") != 0;
    e->check = check && strcmp(check, "1") == 0;
    e->timed = e->verbose || e->report || e->format; /* what is wrong with a format is told */
    read_policy(e);
    e->reproducible = reproducible && strcmp(reproducible, "0") != 0;
    e->active = e->force || e->table || e->model || e->timed || e->check || e->adapts;
}

const tuned_environment *tuned_environment_get(void)
{
    /* Every call of a collective asks: pthread_once takes several times as long as a look. */
    if (!atomic_load_explicit(&environment_known, memory_order_acquire)) {
        pthread_once(&environment_once, read_environment);
        atomic_store_explicit(&environment_known, true, memory_order_release);
    }
    return &environment;
}

static struct {
    pthread_once_t model_once, table_once;
    cpm_model *model;
    cpm_table *table;
    cpm_error model_failure, table_failure;
} named = {.model_once = PTHREAD_ONCE_INIT, .table_once = PTHREAD_ONCE_INIT};

static void read_model(void)
{
    cpm_model_read(tuned_environment_get()->model, &named.model, &named.model_failure);
}

static void read_table(void)
{
    cpm_table_read(tuned_environment_get()->table, &named.table, &named.table_failure);
}

int tuned_environment_model(const cpm_model **out, cpm_error *e)
{
    pthread_once(&named.model_once, read_model);
    if (named.model_failure.code)
        return cpm_fail(e, named.model_failure.code, "%s", named.model_failure.text);
    *out = named.model;
    return CPM_OK;
}

int tuned_environment_table(const cpm_table **out, cpm_error *e)
{
    pthread_once(&named.table_once, read_table);
    if (named.table_failure.code)
        return cpm_fail(e, named.table_failure.code, "%s", named.table_failure.text);
    *out = named.table;
    return CPM_OK;
}

static atomic_bool warned;

void tuned_warn(const char *text)
{
    if (!atomic_exchange(&warned, true))
        fprintf(stderr, "cpm: %s; MPI's own collectives are used\n", text);
}

void tuned_warning_heard(void)
{
    atomic_store(&warned, true);
}
