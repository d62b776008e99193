/* Estimators: which experiments a model needs, and its parameters from their results.
 *
 * An estimator is pure: it neither measures nor knows MPI. One row per model and method. */
#ifndef CPM_ESTIMATORS_ESTIMATOR_H
#define CPM_ESTIMATORS_ESTIMATOR_H

#include "base/sizes.h"
#include "estimators/class_rules.h"
#include "measurements/campaign.h"
#include "models/model.h"

typedef struct {
    cpm_sizes sizes;     /* hockney regression: sizes of the round trips; else the largest is M */
    size_t message;      /* M of the non-empty experiments; 0: chosen (32 KiB) */
    int train, partners; /* joint design: messages of a train (24), least trains per process (5) */
    double parameter_error; /* joint design: partners are added until half the intervals of 95 % of
                               the C and of the t are at most this share of them; 0: never */
    bool thresholds;        /* measure and find S, M1, M2 (LMO) */
    double confidence;      /* of the parameters' intervals; 0: as of those of the measurements */
    const cpm_class_rules
        *class_rules;           /* who is in which class; NULL: every process stands alone */
    bool find_classes;          /* or the fit finds the classes */
    const cpm_classes *classes; /* of the processes at hand: what plan and fit functions get */
    bool gap_saturation; /* PLogP: the gap of every size by saturation, not from round trips */
    bool gap_chosen;     /* it was said which; else a file says what it was measured for */
} cpm_estimation;

#define CPM_ESTIMATION_DEFAULT                 \
    ((cpm_estimation){.train = 24,             \
                      .partners = 5,           \
                      .parameter_error = 0.03, \
                      .thresholds = true,      \
                      .confidence = 0.95})

/* A parameter_error that is never reached: a budget ends the campaign. */
#define CPM_PARAMETER_ERROR_BUDGET 1e-9

/* Planner in the sense of cpm_planner. CPM_EPROCESS. */
typedef int cpm_plan_function(const cpm_estimation *options, int n, const cpm_measurements *so_far,
                              cpm_design *next, cpm_error *e);
/* CPM_EDATA naming the experiments that are missing. Sets notes; values that come out negative and
 * must not be are raised by the caller. */
typedef int cpm_fit_function(const cpm_estimation *options, const cpm_measurements *m,
                             cpm_model **out, cpm_error *e);

/* From which size on sends between hosts wait for their receivers, 0: from none. Only where all
 * that the plan function asks for was measured. */
typedef int cpm_rendezvous_function(const cpm_estimation *options, const cpm_measurements *m,
                                    size_t *bytes, cpm_error *e);

/* What to do where experiments contradict a model that was fitted to them; NULL: nothing is known.
 */
typedef struct {
    const char *roundtrips, *others;
    const char *non_empty;   /* of the others, if they have another reason */
    const char *collectives; /* that thresholds were looked for in; NULL: they say nothing */
} cpm_advice;

typedef struct {
    const char *model, *method; /* "lmo", "joint" */
    const char *title, *source;
    int min_processes;
    cpm_plan_function *plan;
    cpm_fit_function *fit;
    cpm_advice advice;
    cpm_rendezvous_function *rendezvous; /* NULL: the model does not know */
    bool knows_classes;   /* fits one value for a class; else those of its processes are averaged */
    bool finds_intervals; /* at the confidence of the options; else they are made of the measured
                             times' intervals, and of their confidence */
} cpm_estimator;

/* How the note begins of a model that does not use the switches and links that were measured. */
#define CPM_TOPOLOGY_LEFT_OUT "the topology of the measurements is left out"

/* All estimators, the default method of a model first; ends with a row whose model is NULL. */
extern const cpm_estimator cpm_estimators[];

/* The methods of all models, each once. As cpm_names. */
const char *cpm_estimator_named(int k);

/* method NULL: the default. CPM_EUNKNOWN with the known ones. */
int cpm_estimator_find(const char *model, const char *method, const cpm_estimator **out,
                       cpm_error *e);

/* fit to the classes if asked (of a method that knows none, the values of a class are their mean),
 * then thresholds if asked, then provenance (metadata of the measurements, the intervals'
 * confidence, file name and checksum), then the check by what the header holds out, which is not
 * fitted to (estimators/self_check.h). name: whose data they are, for people; NULL: nobody's.
 * checksum NULL: they are not of one file of that name. If R is missing: CPM_ER unless
 * !options->thresholds. */
int cpm_estimate(const cpm_estimator *estimator, const cpm_estimation *options,
                 const cpm_measurements *m, const char *name, const char *checksum, cpm_model **out,
                 cpm_error *e);

/* cpm_measurements_read of what can be fitted. CPM_EDATA unless its campaign ended: a file that was
 * cut short looks like a smaller campaign. */
int cpm_estimate_read(const char *path, cpm_measurements *out, char checksum[65], cpm_error *e);

/* cpm_estimate of what was read so; what options leave open (sizes, thresholds, classes, gap,
 * confidence) is as the header says that the campaign was asked for, so that a fit gives what cpm
 * model gave (estimators/asked.h). CPM_EPARSE: the header. */
int cpm_estimate_as_asked(const cpm_estimator *estimator, const cpm_estimation *options,
                          const cpm_measurements *m, const char *path, const char *checksum,
                          cpm_model **out, cpm_error *e);

/* Both; the measurements go to results. */
int cpm_estimate_file(const cpm_estimator *estimator, const cpm_estimation *options,
                      const char *path, cpm_measurements *results, cpm_model **out, cpm_error *e);

/* Sets negative values of parameters that must not be negative to 0, with a note for each parameter
 * that says how many there were: what all fits end with. CPM_ENOMEM. */
int cpm_estimate_raise_negative(cpm_model *m, cpm_error *e);

/* A cpm_planner: context is a cpm_estimator_context. Last comes the check that the header of what
 * was measured names (estimators/self_check.h). */
typedef struct {
    const cpm_estimator *estimator;
    const cpm_estimation *options;
} cpm_estimator_context;
cpm_planner cpm_estimator_planner;
/* How many of the most repetitions an experiment is worth; the same context. */
int cpm_estimator_repetitions(void *context, const cpm_experiment *x, int most);
/* CPM_OK if the parameters can be estimated from what was measured so far; the same context. */
int cpm_estimator_enough(void *context, const cpm_measurements *so_far, cpm_error *e);

#endif
