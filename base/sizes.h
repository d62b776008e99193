/* Message sizes as people write them: 64, 1K, 2M, lists and ranges. */
#ifndef CPM_BASE_SIZES_H
#define CPM_BASE_SIZES_H

#include "base/metadata.h"
#include "base/size.h"

typedef struct {
    size_t *at; /* bytes, in the order written, without repeats */
    int count;
} cpm_sizes;

/* A list "1K,2K", a doubling range "1K:1M" (from 0 it goes 0, 1, 2, 4, ...) or a stride
 * "0:256K:4K", or several of these joined by commas. The end is included if it is reached.
 * out must be empty; it is set only on success. CPM_EPARSE, CPM_ENOMEM (more than 100,000 sizes
 * is CPM_EPARSE). */
int cpm_sizes_parse(const char *text, cpm_sizes *out, cpm_error *e);

/* Appends one size unless it is there. CPM_ENOMEM. */
int cpm_sizes_add(cpm_sizes *s, size_t bytes, cpm_error *e);

/* Appends one size, however often it is there: cpm_sizes_sort() leaves each once. For many, in the
 * time of sorting them. CPM_ENOMEM; CPM_EPARSE: more than 200,000, of which more than 100,000
 * differ. */
int cpm_sizes_note(cpm_sizes *s, size_t bytes, cpm_error *e);

/* "1024 4096", in bytes, in the order they have; the caller frees it. CPM_ENOMEM. */
int cpm_sizes_text(const cpm_sizes *s, char **out, cpm_error *e);
/* Sets "sizes" of a header to that. CPM_ENOMEM. */
int cpm_sizes_describe(const cpm_sizes *s, cpm_metadata *header, cpm_error *e);
/* The text, back. CPM_EPARSE, CPM_ENOMEM. */
int cpm_sizes_of_text(const char *text, cpm_sizes *out, cpm_error *e);

void cpm_sizes_sort(cpm_sizes *s); /* ascending, each once */
void cpm_sizes_free(cpm_sizes *s);

/* The sizes between which a straight line is not good enough (thesis 6.2, adaptive sizes).
 * x[count] ascending sizes and y[count] their times. Whenever an inner point departs by more than
 * tolerance (relative to its time) from the line through its two neighbours, the midpoints of both
 * adjacent intervals are proposed, as long as they are at least min_step bytes from both ends.
 * next must be empty. At most max_new sizes, the largest departures first. CPM_ENOMEM. */
int cpm_sizes_bisect(const size_t *x, const double *y, int count, double tolerance, size_t min_step,
                     int max_new, cpm_sizes *next, cpm_error *e);

#endif
