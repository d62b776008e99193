/* cpm model: measures the processes it runs on and writes their model. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "tools/frame/options.h"
#include "tools/frame/output.h"
#include "tools/frame/placement.h"
#include "tools/measure/estimation.h"
#include "tools/measure/measuring.h"
#include "tools/measure/session.h"

/* What to estimate, and where its measurements go. */
typedef struct {
    estimation_settings estimation;
    const char *meas;
} model_settings;

static model_settings *model_of(const call *c)
{
    return (model_settings *)c->set;
}

typedef struct {
    const cpm_estimator *estimator;
    cpm_estimation options;
    cpm_class_rules *rules;
    const char *meas, *mod;
    cpm_meas_file *file; /* rank 0's, until the model is written: nobody else measures into it */
} work;

/* The measurements stay, and the message says what to do with them. */
static int fit(const call *c, const work *w, cpm_error *e)
{
    cpm_error why = {0};
    char mod[PATH_MAX], meas[PATH_MAX];
    int status = estimation_fit_measured(w->estimator, &w->options, w->file, w->meas,
                                         c->set->out.quiet, w->mod, &why);
    if (status)
        return cpm_fail(e, status,
                        "%s (the measurements are in %s; to fit again: cpm fit --model %s "
                        "--estimator %s%s%s %s -o %s)",
                        why.text, w->meas, w->estimator->model, w->estimator->method,
                        estimation_of(c)->classes ? " --classes " : "",
                        estimation_of(c)->classes ? estimation_of(c)->classes : "", w->meas,
                        w->mod);
    if (!c->set->out.quiet)
        fprintf(stderr, "cpm: wrote %s, measurements in %s\n",
                output_is_file(w->mod) ? cpm_escape(w->mod, mod, sizeof mod) : "the model",
                cpm_escape(w->meas, meas, sizeof meas));
    return CPM_OK;
}

static int measure_and_fit(call *c, work *w, cpm_error *e)
{
    int status = session_agree(c, c->speaks ? output_check(w->mod, CPM_FILE_MODEL, e) : CPM_OK, e);
    int read = status || !c->speaks ? CPM_OK : estimation_classes(c, &w->rules, &w->options, e);
    if (!status)
        status = session_agree(c, read, e);
    if (!status)
        status = estimation_measure(c, w->estimator, &w->options, w->meas, &w->file, e);
    if (!status)
        status = session_agree(c, c->speaks ? fit(c, w, e) : CPM_OK, e);
    return status;
}

static int run(call *c, cpm_error *e)
{
    work w = {.mod = c->set->out.path};
    int status = estimation_find(c, &w.estimator, &w.options, e);
    if (!status)
        status = session_needs(c, w.estimator->min_processes, e);
    if (status)
        return status;
    /* What is no regular name ("-", /dev/stdout) has none to derive another from. */
    bool named = strcmp(w.mod, "-") != 0 && strncmp(w.mod, "/dev/", 5) != 0;
    char *derived = with_suffix(named ? w.mod : "cluster", ".mod", ".meas");
    w.meas = model_of(c)->meas ? model_of(c)->meas : derived;
    status = session_agree(c, derived ? CPM_OK : cpm_no_memory(e), e);
    if (!status)
        status = measure_and_fit(c, &w, e);
    cpm_meas_close(w.file);
    cpm_class_rules_free(w.rules);
    free(derived);
    return status;
}

static int check(const call *c, cpm_error *e)
{
    if (model_of(c)->meas && strcmp(model_of(c)->meas, "-") == 0)
        return cpm_fail(e, CPM_EINVAL,
                        "--meas -: the model is fitted to the file of its measurements, so it "
                        "must be a file");
    int status = estimation_check(c, e);
    return status ? status : placement_check_simulated(c->set, e);
}

static void defaults(void *set)
{
    settings *s = set;
    measuring_model_defaults(s);
    s->out.path = "cluster.mod";
}

/* clang-format off */
static const option own[] = {
    {"output", 'o', "FILE.mod", "write the model to FILE.mod (default cluster.mod)",
     offsetof(settings, out.path), set_new_file},
    {"meas", 0, "FILE.meas", "write the measurements to FILE.meas (default: the model's name "
                             "with .meas)",
     offsetof(model_settings, meas), set_new_file},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const command cpm_model_command = {
    .name = "model",
    .operands = "",
    .summary = "measure the processes of the run and write their model",
    .description = "Measures the processes of the run and estimates the parameters of a model: "
                   "cpm measure and cpm fit in one. The measurements stay in a file of their "
                   "own; if the fit fails, repeat it with cpm fit.",
    .example = "mpiexec -n 4 cpm model -o cluster.mod",
    .measures = true,
    .settings = sizeof(model_settings),
    .options = {own, estimation_options, switches_options, measuring_options, budget_options,
                measurements_options, simulated_layout_options, force_options},
    .defaults = defaults,
    .check = check,
    .run = run,
};
