/* What files of other benchmarks have besides round trips: streams of messages, and some pairs
 * only. */
#ifndef CPM_ESTIMATORS_STREAMS_H
#define CPM_ESTIMATORS_STREAMS_H

#include "measurements/measurements.h"

/* The experiments of a kind between two processes, sorted by pair. */
typedef struct {
    int n, *first, *order; /* first[i*n+j] .. first[i*n+j+1]: indices of order[], of measurements */
} cpm_by_pair;

/* Only round trips with equal messages both ways, if kind is CPM_ROUNDTRIP. CPM_ENOMEM. */
int cpm_by_pair_sort(const cpm_measurements *m, int kind, cpm_by_pair *out, cpm_error *e);
void cpm_by_pair_clear(cpm_by_pair *b);

/* Whether m was imported: then pairs may be missing. */
bool cpm_is_imported(const cpm_measurements *m);

/* The time per byte that a stream of count long messages shows if an empty message takes so many
 * seconds one way: its last one is answered. */
double cpm_stream_slope(const cpm_measurement *stream, cpm_statistic statistic, double empty);

/* Pairs of which nothing was imported. Zero: none. */
typedef struct {
    long count;
    char first[80]; /* the first four of them, for people */
} cpm_missing_pairs;

void cpm_missing_pairs_add(cpm_missing_pairs *p, int i, int j);
/* Notes that some of the pairs of n processes were not measured, if so. CPM_ENOMEM. */
int cpm_missing_pairs_note(const cpm_missing_pairs *p, int n, char **notes, cpm_error *e);

#endif
