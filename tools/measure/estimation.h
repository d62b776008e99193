/* What measure, fit and model share: which model, by which method, from which file to which. */
#ifndef CPM_TOOLS_MEASURE_ESTIMATION_H
#define CPM_TOOLS_MEASURE_ESTIMATION_H

#include "estimators/estimator.h"
#include "measurements/measurements.h"
#include "tools/frame/command.h"

/* How plogp's gap is measured (--gap). */
typedef enum { GAP_USUAL, GAP_ROUNDTRIPS, GAP_SATURATION } gap_way;
/* "roundtrips", "saturation": as cpm_names. */
const char *gap_named(int k);

/* What to estimate. */
typedef struct {
    settings shared;
    const char *model, *estimator, *classes, *discover;
    gap_way gap;
    double parameter_error;
    bool no_thresholds;
} estimation_settings;

static inline estimation_settings *estimation_of(const call *c)
{
    return (estimation_settings *)c->set;
}

/* --model, --estimator, --classes, --no-thresholds ... */
extern const option estimation_options[];
/* --topology and --discover, for those that measure. */
extern const option switches_options[];

/* CPM_EINVAL if both of these are given. */
int estimation_check(const call *c, cpm_error *e);

/* The estimator that the options name, and its own options. CPM_EUNKNOWN. */
int estimation_find(const call *c, const cpm_estimator **out, cpm_estimation *options,
                    cpm_error *e);

/* Reads the file of --classes and enters it into options, which borrow the rules; the caller frees
 * them (NULL: there is no file). Local: of several processes only the one that plans and fits needs
 * them. CPM_EIO, CPM_EPARSE. */
int estimation_classes(const call *c, cpm_class_rules **rules, cpm_estimation *options,
                       cpm_error *e);

/* Measures the design of the estimator into path; file as in measuring_run. Collective; same status
 * on every rank. */
int estimation_measure(call *c, const cpm_estimator *estimator, const cpm_estimation *options,
                       const char *path, cpm_meas_file **file, cpm_error *e);

/* The same with its results, which are the caller's, at rank 0; more: NULL, or what the header says
 * besides; path NULL: in memory only, and then file is NULL, too. */
int estimation_campaign(call *c, const cpm_estimator *estimator, const cpm_estimation *options,
                        const cpm_metadata *more, const char *path, cpm_measurements *results,
                        cpm_meas_file **file, cpm_error *e);

/* Fits the model to what is in the file, which is called name, writes it to mod, and says what its
 * check has shown (tools/measure/self_check.h). Local. */
int estimation_fit_measured(const cpm_estimator *estimator, const cpm_estimation *options,
                            const cpm_meas_file *file, const char *name, bool quiet,
                            const char *mod, cpm_error *e);

/* Fits the model to measurements, writes it to mod and says what its check has shown; with report
 * says, in that form, on standard output how well it fits. name: whose data they are, for people.
 * checksum: of the file of that name, which was read by cpm_estimate_read; NULL: the metadata say
 * already where they are from. Local. */
int estimation_write(const cpm_estimator *estimator, const cpm_estimation *options,
                     const cpm_measurements *m, const char *name, const char *checksum,
                     const cpm_format *report, const char *mod, cpm_error *e);

/* path with another suffix, or with it appended where old is not its end; the caller frees it.
 * NULL: no memory. */
char *with_suffix(const char *path, const char *old, const char *suffix);

#endif
