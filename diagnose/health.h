/* A check that is repeated: today's model against a reference of the same hosts. The doctor
 * (doctor.h) and the comparison of models (diff.h) judge; here is what both say together. What the
 * doctor finds in the reference, too, is as it was accepted, and no finding. */
#ifndef CPM_DIAGNOSE_HEALTH_H
#define CPM_DIAGNOSE_HEALTH_H

#include "diagnose/diff.h"
#include "diagnose/doctor.h"

typedef enum { CPM_HEALTHY, CPM_UNHEALTHY, CPM_HEALTH_UNKNOWN } cpm_health_verdict;

typedef struct {
    cpm_health_verdict verdict;
    int absent; /* hosts of the reference that do not take part */
    int *fresh; /* [fresh_count] symptoms of today of what has none in the reference */
    int fresh_count;
    int known;               /* the other symptoms */
    int slower, faster;      /* changes of times: of values, and of slices as a whole */
    int other;               /* changes of what is no time: thresholds */
    int trips_slower;        /* messages that take longer */
    const cpm_change *worst; /* of the slower ones: a slice most values of which are slower, else
                                one of a process, host or switch, else a slice, else a pair;
                                NULL: there is none */
    const cpm_diff_trip *longer; /* the message that takes most times as long; NULL: none does */
} cpm_health;

/* process[i] of the reference is the one that process i on host[i] is compared with: the k-th on a
 * host with the k-th there, or, where the reference knows the inside of hosts, any. absent[j], of
 * reference->n: process j is the first of a host that is not among them. CPM_EDATA: a host that the
 * reference does not have, or more processes on one than there. CPM_ENOMEM. */
int cpm_health_match(const cpm_model *reference, const char *const *host, int n, int *process,
                     bool *absent, cpm_error *e);

/* The reference as today's model can be compared with it: those processes, and no thresholds where
 * today's campaign did not look for them. CPM_ENOMEM. */
int cpm_health_align(const cpm_model *reference, const int *process, const cpm_model *today,
                     cpm_model **out, cpm_error *e);

/* Whether a longer value of that parameter is a slower machine. */
bool cpm_health_is_time(const cpm_model_type *type, int parameter);

/* The verdict of diagnoses of today's model and the aligned reference, and of the difference of
 * both; diff is borrowed. type: of both. Healthy: nothing was found, and the doctor or the
 * difference would have found it. CPM_ENOMEM. */
int cpm_health_judge(const cpm_model_type *type, const cpm_diagnosis *today,
                     const cpm_diagnosis *reference, const cpm_diff_result *diff, int absent,
                     cpm_health *out, cpm_error *e);
void cpm_health_clear(cpm_health *h);

#endif
