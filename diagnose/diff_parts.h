/* What the parts of a comparison of two models share. */
#ifndef CPM_DIAGNOSE_DIFF_PARTS_H
#define CPM_DIAGNOSE_DIFF_PARTS_H

#include "diagnose/diff.h"

/* Families of tests, each of which has its share of alpha. */
enum { CPM_DIFF_FAMILIES = 3 };

/* All messages of a size and level together. */
typedef struct {
    size_t bytes;
    cpm_level level;
    double p;
    bool longer; /* or shorter */
} cpm_diff_common;

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
    cpm_diff_common *common; /* what is tested of messages together; NULL: nothing */
    int common_count;
    double confidence_a, confidence_b; /* of their intervals */
    bool exact;                        /* neither model has an interval */
    bool blind; /* not all that a message consists of has an interval in both */
} cpm_diff_work;

/* Chance of so large a difference by errors alone. */
double cpm_diff_chance(double from, double to, double error);
/* Standard error of a difference, from half the intervals in a and in b. */
double cpm_diff_error(const cpm_diff_work *c, double half_a, double half_b);
/* The least difference that is seen nine times in ten among so many tests. */
double cpm_diff_visible(const cpm_diff_options *o, int tests, double error);

/* Tests messages of both models; nothing if c is exact or blind. CPM_ENOMEM. */
int cpm_diff_test_trips(cpm_diff_work *c, cpm_error *e);

/* How many tests that are. */
static inline int cpm_diff_trip_tests(const cpm_diff_work *c)
{
    return c->r->trip_count + c->common_count;
}

static inline bool cpm_diff_is_of(const cpm_diff_work *c, const cpm_diff_trip *t, size_t bytes,
                                  cpm_level level)
{
    return t->of.bytes == bytes && cpm_model_level(c->a, t->of.from, t->of.to) == level;
}

/* By how much a message takes longer than those from half to twice its size did, or shorter (below
 * 0), as a logarithm; 0 if it does not. */
double cpm_diff_departure(const cpm_diff_work *c, const cpm_diff_trip *t);

/* Where regimes are others: for each size and level the chance that errors alone make most messages
 * depart by CPM_DIFF_LONGER. Errors of messages are those of their own. CPM_ENOMEM. */
int cpm_diff_test_common(cpm_diff_work *c, const cpm_sizes *sizes, cpm_error *e);

/* Counts for each parameter what would not have been seen, and from where on changes are. The
 * values of c are as they were tested. CPM_ENOMEM. */
int cpm_diff_look(cpm_diff_work *c, cpm_error *e);

/* First and last size of a parameter's slice: where what it says of constants and of slopes
 * matters most. */
size_t cpm_diff_first_size(const cpm_model *m, int p, int slice);
size_t cpm_diff_last_size(const cpm_model *m, int p, int slice);

#endif
