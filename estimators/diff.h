/* What changed between two models of the same kind and processes, beyond their uncertainty. */
#ifndef CPM_ESTIMATORS_DIFF_H
#define CPM_ESTIMATORS_DIFF_H

#include "models/model.h"

typedef struct {
    double alpha;        /* 0.01: chance of any false change between models of one cluster */
    double least_effect; /* 0: a change of any size counts if it is significant */
    double confidence;   /* of the models' intervals */
} cpm_diff_options;

#define CPM_DIFF_DEFAULT ((cpm_diff_options){.alpha = 0.01, .least_effect = 0, .confidence = 0.95})

typedef struct {
    int parameter;
    int slice; /* of a sized parameter, else 0 */
    int i, j;  /* process (class if the result is by_class), or sender and receiver; -1: none. Of a
                  pair whose two ways are equal in both models only i <= j is compared */
    double from, to; /* NaN: unknown (a threshold that was sought and not found) */
    double p; /* chance of such a change by the errors alone, over all tests; 0: exact values */
} cpm_change;

typedef struct {
    int compared, changed; /* values */
    int unjudged;          /* values that differ, without an interval beside others that have one */
    int unmeasured;        /* values that only one of the models knows: not compared */
} cpm_diff_count;

typedef struct {
    cpm_change *at; /* by significance, then by size */
    int count;
    cpm_diff_count *of; /* [parameters] */
    bool by_class;      /* both models have the same classes, which are compared */
} cpm_diff_result;

/* Compares b with a. A value's standard error is taken from its interval; p-values are corrected
 * over all values (Holm). If neither model has any interval, values are exact. What only one of
 * them measured is no change; where message sizes have other regimes only the first ones are
 * compared. Where only one has classes, or they have others, every process and pair is compared.
 * CPM_EDATA: another model, another number of processes or another host, saying which. CPM_ENOMEM.
 */
int cpm_diff_models(const cpm_model *a, const cpm_model *b, const cpm_diff_options *o,
                    cpm_diff_result *out, cpm_error *e);
void cpm_diff_clear(cpm_diff_result *r);

/* A message's time under b over that under a: the median over pairs and the pair where it departs
 * most; i -1: there is no such pair. */
typedef struct {
    double median, most;
    int i, j;
} cpm_diff_effect;

/* CPM_ENOMEM. Models as in cpm_diff_models. level: of pairs that are that far apart in both models;
 * where these differ, the one of the two that knows less. */
int cpm_diff_message(const cpm_model *a, const cpm_model *b, size_t bytes, cpm_level level,
                     cpm_diff_effect *out, cpm_error *e);

#endif
