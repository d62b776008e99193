/* A model of today against a reference: what the doctor and the comparison say, and one line. */
#ifndef CPM_TOOLS_EXAMINE_CHECKUP_H
#define CPM_TOOLS_EXAMINE_CHECKUP_H

#include <stdio.h>

#include "diagnose/health.h"
#include "tools/examine/diff.h"

typedef struct {
    double alpha; /* probability of any false finding; the doctor and the comparison have half each
                   */
    double least_effect, fault; /* as cpm_doctor_options */
    bool subset;                /* hosts that do not take part are not asked for */
} checkup_options;

typedef struct {
    checkup_options options;
    cpm_model *reference, *run; /* as their files say */
    cpm_model *aligned;         /* the reference, of the processes of the run */
    bool *absent;               /* [reference->n] as cpm_health_match sets it */
    cpm_diagnosis today, before;
    diff_pair pair;
    cpm_diff_result diff;
    cpm_health health;
} checkup;

/* Of two files. CPM_EDATA, with the name of the reference: it is of other hosts. What reading them
 * and cpm_diagnose say. checkup_clear is due also after a failure. */
int checkup_open(const char *reference, const char *run, const checkup_options *o, checkup *x,
                 cpm_error *e);
void checkup_clear(checkup *x);

/* "2026-01-31T12:00:00Z", or "an unknown date". */
const char *checkup_date(const cpm_model *m);

/* Who it is that is slow: "host n3". Nothing, unless the verdict is unhealthy. */
void checkup_put_subject(FILE *out, const checkup *x);

/* Whether what was found of x was found of the other, too: its subject, or its host among others.
 */
bool checkup_same_finding(const checkup *x, const checkup *other);

/* The verdict in one line, without its end. */
void checkup_put_line(FILE *out, const checkup *x);

/* What there is of each part: found, well or not told. */
typedef enum { CHECKUP_WELL, CHECKUP_FOUND, CHECKUP_NOT_TOLD } checkup_part;

/* Against each other, and against the reference; and what there is to say of it, in one line. */
checkup_part checkup_of_each_other(const checkup *x);
checkup_part checkup_of_reference(const checkup *x);
void checkup_put_each_other(FILE *out, const checkup *x);
void checkup_put_reference(FILE *out, const checkup *x);

#endif
