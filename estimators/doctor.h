/* The doctor: which processes, links and experiments of a model are unlike the others.
 *
 * Values are compared as logarithms, each with the others' median and robust spread, so
 * that a cluster of unlike hosts is its own measure. What a process does to all its links is taken
 * off them first (median polish) and counts as one symptom of the process. A symptom is significant
 * after Holm's correction over all tests, and large. Several alike symptoms, more than faults are
 * expected, are a group of other hosts or links: that is noted, and no fault. */
#ifndef CPM_ESTIMATORS_DOCTOR_H
#define CPM_ESTIMATORS_DOCTOR_H

#include "measurements/measurements.h"
#include "models/model.h"

typedef struct {
    double least_effect; /* 0.2: 20 % more, or as many times less */
    double alpha;        /* chance of any false symptom on a healthy cluster */
    double confidence;   /* of the model's intervals */
} cpm_doctor_options;

#define CPM_DOCTOR_DEFAULT \
    ((cpm_doctor_options){.least_effect = 0.2, .alpha = 0.01, .confidence = 0.95})

typedef enum {
    CPM_OWN,        /* a parameter of process i */
    CPM_LINKS,      /* a pair parameter, in all links of process i */
    CPM_WAYS,       /* all links of process i: out against in */
    CPM_LINK,       /* a pair parameter of the link i, j, beyond what i and j explain */
    CPM_ASYMMETRY,  /* the link i, j: one way against the other */
    CPM_EXPERIMENT, /* measurement i against the model */
    CPM_CROWDED,    /* the host of process i: j processes on fewer processors */
} cpm_symptom_kind;

typedef struct {
    cpm_symptom_kind kind;
    int parameter; /* index, or -1 */
    int i, j;      /* see kind; of an asymmetry the slower way; -1: none */
    double value;  /* of the parameter (median over the links of a process; the slower way of an
                      asymmetry), seconds of an experiment, processors of a crowded host */
    double times;  /* how many times what it would be like the others */
    double p;      /* chance of the like on a healthy cluster, over all tests; 0: certain */
} cpm_symptom;

/* What one parameter was compared by. */
typedef struct {
    cpm_symptom_kind kind;
    int parameter;
    int example; /* experiments: index of the first measurement of the kind and size; else -1 */
    int tests;
    double typical; /* median value */
    double spread;  /* of logarithms: 0.05 is about 5 % */
    double least;   /* how many times the others' a value must be to be found */
} cpm_comparison;

typedef struct {
    const cpm_model *model;
    cpm_symptom *at; /* by kind */
    int count;
    cpm_comparison *compared;
    int comparisons;
    double **times; /* [type->count][as the parameter's values] value over the typical one; NaN
                       where it was not compared; NULL for parameters without process or pair */
    char *notes;    /* sentences, one per line; may be NULL */
} cpm_diagnosis;

/* Examines a model without classes (cpm_model_expand), which the diagnosis borrows, and the
 * experiments that it was fitted to (results may be NULL): those whose time departs from its
 * prediction more than others of their kind and size do. Oversubscription is judged by the model's
 * facts "hosts" and "binding". CPM_EDATA if it has no parameter of processes or pairs,
 * CPM_ENOMEM. */
int cpm_diagnose(const cpm_model *m, const cpm_measurements *results, const cpm_doctor_options *o,
                 cpm_diagnosis *out, cpm_error *e);

/* Leaves what is no fault out of the diagnosis of an expanded model whose processes are in these
 * classes: a symptom of processes that have like ones is one of their class. CPM_ENOMEM. */
int cpm_diagnosis_of_classes(cpm_diagnosis *d, const cpm_classes *c, cpm_error *e);

/* Frees what is inside. */
void cpm_diagnosis_clear(cpm_diagnosis *d);

#endif
