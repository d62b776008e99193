/* What the parts of a comparison of two models share. */
#ifndef CPM_ESTIMATORS_DIFF_PARTS_H
#define CPM_ESTIMATORS_DIFF_PARTS_H

#include "estimators/diff.h"

/* "The same" is said if a value that many times as large would have been seen, or a change that
 * makes a message longer by that share. */
enum { CPM_DIFF_LARGE = 3 };
#define CPM_DIFF_LONGER 0.5

/* Families of tests, each of which has its share of alpha. */
enum { CPM_DIFF_FAMILIES = 3 };

typedef struct {
    const cpm_model *a, *b;
    const cpm_diff_options *o;
    cpm_diff_result *r;
    cpm_change *at;          /* values that are tested; then what changed */
    double *p;               /* [count] */
    double *error, *tripled; /* [count] standard errors of the difference: of these values, and if
                                that of b were CPM_DIFF_LARGE times as large with its interval */
    int count;
    cpm_change *kinds; /* slices that are tested as a whole */
    double *kind_p;    /* [kind_count] */
    int kind_count;
    double *from, *to; /* of the slice at hand: values that have an interval */
    double sum;        /* of their scores */
    int judged;
    bool exact; /* neither model has an interval */
    bool blind; /* not all that a message consists of has an interval in both */
} cpm_comparison;

/* Rounding in files. */
bool cpm_diff_equal(double from, double to);
/* Chance of so large a difference by errors alone. */
double cpm_diff_chance(double from, double to, double error);
/* The least difference that is seen nine times in ten among so many tests. */
double cpm_diff_visible(const cpm_diff_options *o, int tests, double error);

/* Tests messages of both models; nothing if c is exact or blind. CPM_ENOMEM. */
int cpm_diff_test_trips(cpm_comparison *c, cpm_error *e);

/* Counts for each parameter what would not have been seen, and from where on changes are. The
 * values of c are as they were tested. CPM_ENOMEM. */
int cpm_diff_look(cpm_comparison *c, cpm_error *e);

/* First and last size of a parameter's slice: where what it says of constants and of slopes
 * matters most. */
size_t cpm_diff_first_size(const cpm_model *m, int p, int slice);
size_t cpm_diff_last_size(const cpm_model *m, int p, int slice);

#endif
