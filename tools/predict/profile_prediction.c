/* Every kind of calls twice: as the MPI library does it, and as the model chooses. */
#include "tools/predict/profile_prediction.h"

#include <math.h>
#include <stdlib.h>

#include "models/model_topology.h"
#include "models/predict.h"
#include "selection/library_defaults.h"
#include "selection/model_selector.h"
#include "tools/predict/beyond.h"

/* The processes of a communicator. */
typedef struct {
    int number; /* of the communicator; -1: none yet */
    cpm_model *model;
    cpm_selector *selector[2]; /* of isolated calls, of calls that follow each other */
    cpm_topology *topology;    /* as the model knows it */
    cpm_library library;
    cpm_combining combining; /* of reductions: the profile does not say it */
    size_t *sizes;           /* [n] of blocks that only the root knows: all the same */
} members;

static void close_members(members *w)
{
    for (int k = 0; k < 2; k++)
        if (w->selector[k])
            w->selector[k]->free(w->selector[k]);
    cpm_model_free(w->model);
    cpm_topology_free(w->topology);
    free(w->sizes);
    *w = (members){.number = -1, .library = w->library, .combining = w->combining};
}

static const int batches[] = {CPM_ISOLATED, CPM_BATCH_BY_SIZE};

/* Trees are not mapped: how good they get depends on the time that is given to that. */
static int open_members(members *w, const cpm_model *whole, const cpm_profile *p, int number,
                        cpm_error *e)
{
    const cpm_profile_communicator *c = &p->communicators[number];
    cpm_selector_options options = CPM_SELECTOR_DEFAULT;
    options.library = w->library;
    options.seconds = 0;
    close_members(w);
    int status = cpm_model_subset(whole, c->process, c->n, &w->model, e);
    if (!status)
        status = cpm_model_topology(w->model, &w->topology, e);
    for (int k = 0; k < 2 && !status; k++) {
        options.batch = batches[k];
        status = cpm_selector_of_model(w->model, &options, &w->selector[k], e);
    }
    if (!status && !(w->sizes = malloc((size_t)c->n * sizeof *w->sizes)))
        status = cpm_no_memory(e);
    w->number = number;
    return status;
}

static cpm_request request_of(const members *w, const cpm_profile_calls *c)
{
    const cpm_model *m = w->model;
    cpm_request r = {.operation = c->operation,
                     .combining = w->combining,
                     .n = m->n,
                     .root = c->root < 0 ? 0 : c->root,
                     .bytes = cpm_profile_bytes(c),
                     .hosts = cpm_hosts_have_levels(&m->on) ? &m->on : NULL,
                     .topology = w->topology};
    for (int i = 0; i < m->n; i++)
        w->sizes[i] = r.bytes;
    if (c->operation->sizes == CPM_KNOWN_TO_ROOT)
        r.sizes = w->sizes;
    return r;
}

/* Negative: e says why. */
static double predict(const members *w, const cpm_request *r, bool follows,
                      const cpm_collective *what, cpm_error *e)
{
    const cpm_collective c = cpm_request_collective(r, what);
    return cpm_predict_bytes(w->model, &c, r->bytes, &(cpm_walking){.batch = batches[follows]},
                             NULL, e);
}

/* The fastest of what the library may do. */
static int predict_usual(const members *w, const cpm_request *r, bool follows, double *out,
                         cpm_error *e)
{
    cpm_collective usual[CPM_MOST_USUAL];
    int count = cpm_library_default(w->library, r, usual);
    *out = NAN;
    for (int k = 0; k < count; k++) {
        cpm_error why = {0};
        usual[k].by_library = true;
        double seconds = predict(w, r, follows, &usual[k], &why);
        if (why.code == CPM_ENOMEM)
            return cpm_fail(e, why.code, "%s", why.text);
        if (seconds >= 0)
            *out = fmin(isnan(*out) ? seconds : *out, seconds);
    }
    return CPM_OK;
}

static int predict_one(const members *w, const cpm_profile_calls *calls, profile_times *out,
                       cpm_error *e)
{
    const cpm_request r = request_of(w, calls);
    bool follows = cpm_profile_follows(calls);
    cpm_selector *selector = w->selector[follows];
    cpm_choice choice = {0};
    int status = predict_usual(w, &r, follows, &out->native, e);
    if (!status)
        status = selector->choose(selector, &r, &choice, e);
    if (status)
        return status;
    choice.what.operation = calls->operation;
    cpm_collective_print_algorithm(&choice.what, out->algorithm, sizeof out->algorithm);
    out->best = choice.what.algorithm ? predict(w, &r, follows, &choice.what, e) : out->native;
    cpm_choice_clear(&choice);
    return out->best < 0 ? (int)out->best : CPM_OK;
}

static int predict_all(const cpm_model *whole, const cpm_profile *p, cpm_combining what,
                       profile_times *at, cpm_error *e)
{
    members w = {.number = -1, .library = p->library, .combining = what};
    int status = CPM_OK;
    for (int i = 0; i < p->count && !status; i++) {
        if (p->at[i].communicator != w.number)
            status = open_members(&w, whole, p, p->at[i].communicator, e);
        if (!status)
            status = predict_one(&w, &p->at[i], &at[i], e);
    }
    close_members(&w);
    return status;
}

/* A process is in some communicators only. */
static profile_sums sum_up(const cpm_profile *p, const profile_times *at)
{
    profile_sums all = {0};
    for (int i = 0; i < p->count; i++) {
        const cpm_profile_calls *c = &p->at[i];
        double calls = (double)c->calls * p->communicators[c->communicator].n / p->n;
        if (isnan(at[i].native))
            continue;
        all.observed += calls * c->mean;
        all.native += calls * at[i].native;
        all.best += calls * at[i].best;
    }
    return all;
}

static int predict_calls(const cpm_model *whole, const cpm_profile *p, cpm_combining what,
                         profile_times **at, cpm_error *e)
{
    *at = calloc((size_t)p->count + 1, sizeof **at);
    return *at ? predict_all(whole, p, what, *at, e) : cpm_no_memory(e);
}

int profile_tabulate(const cpm_model *m, const cpm_profile *p, const char *name, table *t,
                     profile_sums *sums, cpm_error *e)
{
    cpm_model *whole = NULL;
    profile_times *at = NULL;
    int status = profile_model(m, p, name, &whole, e);
    if (!status)
        status = predict_calls(whole, p, CPM_COMBINING_USUAL, &at, e);
    if (!status) {
        *sums = sum_up(p, at);
        profile_rows(&(profile_prediction){.profile = p, .at = at}, "operation", t);
    }
    free(at);
    cpm_model_free(whole);
    return status;
}

static int print(const call *c, const cpm_model *whole, const cpm_profile *p, cpm_error *e)
{
    profile_times *at = NULL;
    int status = predict_calls(whole, p, c->set->calls.combining, &at, e);
    if (!status)
        status = profile_print(&(profile_prediction){c, whole, p, at, sum_up(p, at)}, e);
    free(at);
    return status;
}

static size_t largest_block(const cpm_profile *p)
{
    size_t largest = 0;
    for (int i = 0; i < p->count; i++)
        if (cpm_profile_bytes(&p->at[i]) > largest)
            largest = cpm_profile_bytes(&p->at[i]);
    return largest;
}

static bool has_reductions(const cpm_profile *p)
{
    for (int i = 0; i < p->count; i++)
        if (p->at[i].operation->combines)
            return true;
    return false;
}

int profile_predict(const call *c, const cpm_model *m, cpm_error *e)
{
    cpm_profile *p = NULL;
    cpm_model *whole = NULL;
    int status = cpm_profile_read(c->set->calls.profile, &p, e);
    if (!status)
        status = profile_model(m, p, c->set->calls.profile, &whole, e);
    if (!status)
        status = beyond_warn(m, largest_block(p), e);
    if (!status)
        beyond_warn_combining(m, has_reductions(p), c->set->calls.combining);
    if (!status)
        status = print(c, whole, p, e);
    cpm_model_free(whole);
    cpm_profile_free(p);
    return status;
}
