/* The doctor: which processes (or hosts, if the model knows their inside), links and experiments
 * are slower than the others.
 *
 * Values are compared as logarithms, each with the mean and standard deviation of those others that
 * are alike (estimators/outliers.h), so that a cluster of unlike hosts is its own measure. What a
 * process does to all its links is taken off them first (median polish) and counts as one symptom
 * of the process. A symptom is significant after Holm's correction over all tests, and large.
 * What is faster than the others is no symptom; a note says so. Where more than faults are unlike
 * the rest, hosts are of kinds (diagnose/kinds.h), and each is compared with those of its kind;
 * if no kinds stand apart a note says so, and health cannot be told. Few values say little of their
 * spread, so parameters of as many processes share what they say of it (Smyth 2004, "Linear models
 * and empirical Bayes methods for assessing differential expression"); and of few hosts one may be
 * the only one of its kind, so that it must be farther off to be a fault. */
#ifndef CPM_DIAGNOSE_DOCTOR_H
#define CPM_DIAGNOSE_DOCTOR_H

#include "measurements/measurements.h"
#include "models/model.h"

typedef struct {
    double least_effect; /* 0.2: 20 % more, or as many times less */
    double alpha;        /* chance of any false symptom on a healthy cluster */
    double confidence;   /* of the model's intervals; 0: as its fact says */
    double fault;        /* 2: healthy is where what is so many times slower would be found */
} cpm_doctor_options;

#define CPM_DOCTOR_DEFAULT ((cpm_doctor_options){.least_effect = 0.2, .alpha = 0.001, .fault = 2})

/* Processes i and j are hosts (those of the model of hosts) but where it says otherwise. */
typedef enum {
    CPM_OWN,        /* a parameter of process i */
    CPM_LINKS,      /* a pair parameter, in all links of process i */
    CPM_WAYS,       /* all links of process i: out against in */
    CPM_LINK,       /* a pair parameter of the link i, j, beyond what i and j explain */
    CPM_ASYMMETRY,  /* the link i, j: one way against the other */
    CPM_EXPERIMENT, /* measurement i against the model */
    CPM_UNLIKE,     /* process i of the whole model: overheads against those of its host */
    CPM_CROWDED,    /* the host of process i of the whole model: j processes on fewer processors */
    CPM_TRUNK,      /* the trunk of switch i, up or down, against all others */
    CPM_TRUNK_WAYS, /* the trunk from switch i to j, of two, against the other way */
    CPM_INNER,      /* a pair parameter of j ways that share link inner[i] inside the network */
} cpm_symptom_kind;

typedef struct {
    cpm_symptom_kind kind;
    int parameter; /* index, or -1 */
    int slice;     /* of a sized parameter, else 0 */
    int i, j;      /* see kind; of an asymmetry the slower way; -1: none */
    double value;  /* of the parameter (median over the links of a process; the slower way of an
                      asymmetry), seconds of an experiment, processors of an oversubscribed host */
    double times;  /* how many times what it would be like the others */
    double p;      /* chance of the like on a healthy cluster, over all tests; 0: certain */
    bool of_kind;  /* the others are those of its kind (see cpm_comparison), not all */
} cpm_symptom;

/* What one parameter was compared by. */
typedef struct {
    cpm_symptom_kind kind;
    int parameter, slice;
    int example; /* experiments: index of the first measurement of the kind and size; else -1 */
    int tests;
    int kinds;      /* of hosts: above 1 each value was compared with those of its kind only */
    double typical; /* median value */
    double spread;  /* of logarithms: 0.05 is about 5 % */
    double error;   /* usual standard error of a logarithm, which is part of the spread */
    double least;   /* what is so many times as slow as the others is found, 19 times of 20 */
    bool inside;    /* links inside hosts */
    int others;     /* values that one is compared with */
    double excess;  /* by how much the square of the largest error is above that of error */
    double hidden;  /* values that are not compared may be so many times the typical one; 0: there
                       are none */
} cpm_comparison;

typedef struct {
    const cpm_model *whole; /* what was given */
    const cpm_model *model; /* what was compared: its processes, or one process of each host */
    cpm_model *own;         /* the same, if it was made for that; else NULL */
    cpm_symptom *at;
    int count;
    cpm_comparison *compared;
    int comparisons;
    double fault;  /* of the options */
    int apart;     /* values that are of none of the kinds of the others, and may be slow */
    int groups;    /* comparisons of own parameters in which too many are unlike the others */
    int lone;      /* slow hosts that may as well be the only ones of a kind, as there are few */
    int withdrawn; /* slow links that may be of a kind, as too many are unlike the others elsewhere
                    */
    char **inner;  /* [inners] hosts near a slow link inside the network: "h1, h2" */
    int inners;
    bool alike;        /* values are all the same, and without intervals, which says nothing */
    bool contradicted; /* by its own notes: point-to-point experiments depart from the model; or by
                          its own check (models/checked.h) */
    bool *minor;       /* [type->count] a fault of that size there would slow no message much */
    double **times; /* [type->count][as the parameter's values, all slices] value over the typical
                       one; NaN where it was not compared; NULL for parameters without process or
                       pair */
    char *notes;    /* sentences, one per line; may be NULL */
} cpm_diagnosis;

/* Whether both are of one process or host, link, switch or experiment; of the same cluster, but not
 * necessarily of one diagnosis. */
bool cpm_symptoms_share_subject(const cpm_symptom *a, const cpm_symptom *b);

/* Whether what was compared are hosts. */
static inline bool cpm_diagnosis_of_hosts(const cpm_diagnosis *d)
{
    return d->model->inside.count > 0;
}

/* Whether a fault of the options' size would have been found, had there been one: in every kind of
 * comparison that was made (a parameter of several regimes in one of them), and of every parameter
 * that the model must have. Experiments are exempt, and parameters as cpm_diagnosis_would_find
 * says. Not if the model's own notes or its own check contradict it,
 * more of own parameters are unlike the rest than could be faults, or slow values, or links, may be
 * of another kind. */
bool cpm_diagnosis_could_tell(const cpm_diagnosis *d);

/* Whether both are of the same values, of whatever regime. */
static inline bool cpm_comparison_is_like(const cpm_comparison *a, const cpm_comparison *b)
{
    return a->kind == b->kind && a->parameter == b->parameter && a->inside == b->inside;
}

/* Of those like comparison c: the one in which the smallest fault would have been found. */
const cpm_comparison *cpm_diagnosis_best(const cpm_diagnosis *d, const cpm_comparison *c);

/* Whether a fault of that size would have been found by comparison c, or one of another regime of
 * the same values; or need not be: a parameter that the model may lack and that depends on the
 * message (what a synchronous send costs), or one in which it would slow no message much. */
bool cpm_diagnosis_would_find(const cpm_diagnosis *d, const cpm_comparison *c);

/* Whether the model must have parameter p, and nothing of it could be compared. */
bool cpm_diagnosis_lacks(const cpm_diagnosis *d, int p);

/* Examines a model, which the diagnosis borrows, and the experiments that it was fitted to (results
 * may be NULL): those whose time departs from its prediction more than others of their kind and
 * size do. A model that knows the inside of hosts is examined by hosts, and its processes, if their
 * overheads are a fact of it (CPM_METADATA_OVERHEADS), against those of their host: what one of
 * them explains, because it stood for its host, is no symptom of the host. Of classes: a symptom of
 * processes that have like ones is one of their class, and no fault. Oversubscription is judged by
 * the model's metadata "hosts" and "binding". CPM_EDATA if it has no parameter of processes or
 * pairs, CPM_ENOMEM. */
int cpm_diagnose(const cpm_model *m, const cpm_measurements *results, const cpm_doctor_options *o,
                 cpm_diagnosis *out, cpm_error *e);

/* Frees what is inside. */
void cpm_diagnosis_clear(cpm_diagnosis *d);

#endif
