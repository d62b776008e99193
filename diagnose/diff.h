/* What changed between two models of the same kind and processes, beyond their uncertainty, and
 * whether a change would have been seen (doc/statistics.md). */
#ifndef CPM_DIAGNOSE_DIFF_H
#define CPM_DIAGNOSE_DIFF_H

#include "models/draws.h"
#include "models/model.h"

/* "The same" is said if a value that many times as large would have been seen, or a change that
 * makes a message longer by that share. */
enum { CPM_DIFF_LARGE = 3 };
#define CPM_DIFF_LONGER 0.5

typedef struct {
    double alpha;        /* 0.01: chance of any false change between models of one cluster */
    double least_effect; /* 0: a change of any size counts if it is significant */
    double confidence;   /* of the models' intervals; 0: of each as its fact says */
} cpm_diff_options;

#define CPM_DIFF_DEFAULT ((cpm_diff_options){.alpha = 0.01, .least_effect = 0})

typedef struct {
    int parameter;
    int slice; /* of a sized parameter, else 0 */
    int i, j;  /* process (class if the result is by_class), or sender and receiver; -1: none. Of a
                  pair whose two ways are equal in both models only i <= j is compared */
    int together; /* 0: a value; else so many values of a slice moved the same way, which says more
                     than each of them; from and to are their medians, i and j -1 */
    double from, to; /* NaN: unknown (a threshold that was sought and not found) */
    double p; /* chance of such a change by the errors alone, over all tests; 0: exact values */
} cpm_change;

typedef struct {
    int compared, changed; /* values */
    int small;             /* values that changed, by less than least_effect: left out */
    int unjudged;          /* values that differ, without an interval in one of the models */
    int unmeasured;        /* values that only one of the models knows: not compared */
    int unmatched;         /* slices of message sizes that the other model has otherwise */
    int unseen;            /* values whose changes would not have been seen as the verdict asks */
    double seen;           /* share by which a value changes if it is seen to by itself; the median;
                              NaN: not known */
} cpm_diff_count;

/* A message of both models; p as of a change. */
typedef struct {
    cpm_message of;
    double from, to, error, p; /* seconds; standard error of their difference */
    bool changed;
} cpm_diff_trip;

typedef enum {
    CPM_DIFF_SAME,
    CPM_DIFF_CHANGED,
    CPM_DIFF_CANNOT_TELL /* nothing was seen to change, but not all could have been seen; or values
                            differ, however little, and neither model has intervals */
} cpm_diff_verdict;

typedef struct {
    cpm_diff_verdict verdict;
    cpm_change *at; /* by significance, then by size */
    int count;
    cpm_diff_count *of;   /* [parameters] */
    bool by_class;        /* both models have the same classes, which are compared */
    bool exact;           /* neither model has any interval: nothing is known of uncertainty */
    bool equal;           /* all values are, whatever the intervals, and none was left out */
    cpm_diff_trip *trips; /* messages that were tested */
    int trip_count, trips_changed;
    int trips_unseen; /* of which it would not have been seen that they take half as long again */
} cpm_diff_result;

/* Compares b with a. A value's standard error is taken from its interval. Three families of tests,
 * each with a third of alpha and corrected within itself (Holm): every value; whether the values of
 * a slice moved together; and times of messages, where the intervals of all that they consist of
 * are known. If neither model has any interval, values are compared as they are. Where message
 * sizes have other regimes only the first ones are compared, if they begin at the same size, and of
 * the others the times of messages. Where only one has classes, or they have others, every process
 * and pair is compared.
 *
 * The verdict is "the same" if all values are equal, or else only if every value is known in both
 * models or in neither, none differs that has no interval in one of them, and of each it would have
 * been seen if it were three times as large, or made a message half as long again: by itself, or in
 * that message; where regimes are others, of each message that was tested. CPM_EDATA: another
 * model, another number of processes or another host, saying which. CPM_ENOMEM.
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
