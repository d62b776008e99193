/* The algorithm repository: one row per algorithm. */
#ifndef CPM_ALGORITHMS_ALGORITHM_H
#define CPM_ALGORITHMS_ALGORITHM_H

#include "mpib/algorithms/operation.h"
#include "mpib/schedule/schedule.h"

/* What shapes a schedule besides the algorithm. */
typedef struct {
    int n, root;
    const int *mapping; /* [n] mapping[v]: process at tree node v, mapping[0] == root; NULL: (v +
                           root) mod n. Borrowed until the schedule is created. */
} cpm_call;

typedef struct cpm_algorithm {
    const char *operation, *name; /* "scatter", "binomial" */
    const char *source;           /* paper or book */
    const char *applies;          /* "any n" */
    const void *variant;          /* of the family: a tree's shape */
    /* Fills a schedule (n and root are set). CPM_EINVAL, CPM_ENOMEM. */
    int (*create)(const struct cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                  cpm_error *e);
} cpm_algorithm;

/* All algorithms, ends with a row whose name is NULL. */
extern const cpm_algorithm cpm_algorithms[];

/* The row of operation and name. CPM_EUNKNOWN, with the list of those that the operation has. */
int cpm_algorithm_find(const char *operation, const char *name, const cpm_algorithm **out,
                       cpm_error *e);

/* The schedule of an algorithm; the caller frees it with cpm_schedule_free. CPM_EINVAL: n < 1,
 * root out of range, mapping not a permutation or not starting with the root. CPM_ENOMEM. */
int cpm_schedule_create(const cpm_algorithm *a, const cpm_call *call, cpm_schedule **out,
                        cpm_error *e);

#endif
