/* Self-consistent performance guidelines: what a collective may take at most, by what else could be
 * called in its place. An MPI library that breaks one could have called that itself.
 *
 * J. L. Träff, W. Gropp, R. Thakur: Self-consistent MPI performance guidelines, IEEE TPDS 21
 * (2010); that a routine is mended by calling the others instead: S. Hunold, A. Carpen-Amarie:
 * Autotuning MPI collectives using performance guidelines, HPC Asia 2018. Nothing is measured here.
 */
#ifndef CPM_ADAPT_GUIDELINES_H
#define CPM_ADAPT_GUIDELINES_H

#include "base/sizes.h"
#include "base/statistics.h"
#include "measurements/campaign.h"

/* A pattern: the left operation takes no longer than those on the right one after the other, for
 * the same data. */
typedef struct {
    const char *left, *right[2]; /* operations; right[1] may be NULL */
    const char *mends[2]; /* algorithms of left that do the same as the right, or a part of it
                             that is enough; the second may be NULL */
} cpm_guideline_pattern;

/* Ends with a row whose left is NULL. */
extern const cpm_guideline_pattern cpm_guideline_patterns[];

typedef enum {
    CPM_GUIDELINE_KEPT,
    CPM_GUIDELINE_VIOLATED,
    CPM_GUIDELINE_UNKNOWN
} cpm_guideline_verdict;

/* The pattern that the algorithm mends where the library's own routine is slower: the first one of
 * its operation. NULL: none. */
const cpm_guideline_pattern *cpm_guideline_mended_by(const cpm_collective *c);

/* "allreduce <= reduce + bcast". */
enum { CPM_GUIDELINE_TEXT = 96 };
void cpm_guideline_print(const cpm_guideline_pattern *p, char text[CPM_GUIDELINE_TEXT]);

/* "kept", "violated", "cannot tell". */
const char *cpm_guideline_verdict_name(cpm_guideline_verdict v);

/* A guideline at one size. Its algorithms are the library's own. */
typedef struct {
    char text[CPM_GUIDELINE_TEXT]; /* "allreduce <= reduce + bcast", "bcast <= bcast of 2048 B" */
    cpm_experiment left, right[2];
    int rights;
    double times; /* left takes no longer than so many times what is on the right */
    cpm_experiment mends[2];
    int mend_count;
    /* what was measured, when it was judged */
    double left_seconds, right_seconds; /* medians; right with its times */
    cpm_ratio ratio;                    /* left over right: median of the turns, 95 % */
    double p; /* of such a violation where there is none, over all guidelines */
    cpm_guideline_verdict verdict;
    int mended; /* of a violated one: index into mends of who is faster than left for sure,
                   the faster one of two; -1: nobody */
    cpm_ratio mended_ratio; /* its time over that of left */
} cpm_guideline;

typedef struct {
    cpm_guideline *at;
    int count;
} cpm_guidelines;

/* What is asked of them. Borrowed. */
typedef struct {
    int n, root;
    const cpm_placement *placement; /* NULL: nothing is known */
    cpm_combining combining;
    const cpm_sizes *sizes; /* of blocks, ascending; what has one message for all (bcast, reduce,
                               allreduce) gets n times as much */
    const bool *only;       /* [CPM_OPERATIONS] on the left; NULL: all */
} cpm_guideline_field;

/* Patterns at every size, then for each operation of a size with the next: that a larger call takes
 * no less (monotony), and that it takes no longer than several smaller ones (split-robustness).
 * CPM_ENOMEM. */
int cpm_guidelines_create(const cpm_guideline_field *f, cpm_guidelines *out, cpm_error *e);
void cpm_guidelines_clear(cpm_guidelines *g);

/* Appends everything that is to be measured, each thing once and in a round of its own; backwards
 * in every second turn. CPM_ENOMEM. */
int cpm_guidelines_ask(const cpm_guidelines *g, int turn, cpm_design *next, cpm_error *e);

/* The times that a guideline may miss by without being violated, and the level of the tests. */
#define CPM_GUIDELINE_TOLERANCE 0.05
#define CPM_GUIDELINE_LEVEL     0.05

/* Judges each by the samples of m, of which those of a number belong together (a turn): Wilcoxon's
 * signed-rank test, with Holm's correction over all guidelines. Violated: left takes longer by more
 * than the tolerance. Kept: it does not. What was not measured is taken out of the list.
 * CPM_EDATA: there are no samples. CPM_ENOMEM. */
int cpm_guidelines_judge(cpm_guidelines *g, const cpm_measurements *m, double tolerance,
                         double level, cpm_error *e);

#endif
