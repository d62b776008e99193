/* Classes of like processes. Values of a model are kept once per class, and once per pair of
 * classes; where nobody is known to be like another every process is a class of its own. */
#ifndef CPM_MODELS_CLASSES_H
#define CPM_MODELS_CLASSES_H

#include <stdbool.h>

#include "base/error.h"

typedef struct {
    int n;        /* processes */
    int count;    /* classes */
    int *of;      /* [n] class of each process */
    int *members; /* [count] number of its processes, at least 1 */
    char **name;  /* [count]; NULL: every process stands alone, class i is process i */
} cpm_classes;

/* Classes of n processes: of[n] is below count, names are copied; both NULL: every process stands
 * alone (count is n). CPM_EINVAL names a class without a process. CPM_ENOMEM. */
int cpm_classes_create(int n, const int *of, int count, const char *const *name, cpm_classes *out,
                       cpm_error *e);
int cpm_classes_copy(const cpm_classes *from, cpm_classes *out, cpm_error *e);
void cpm_classes_clear(cpm_classes *c);

/* The same processes are together, under the same names. */
bool cpm_classes_equal(const cpm_classes *a, const cpm_classes *b);

/* Whether a message can go from a process of class a to another one of class b. */
bool cpm_classes_meet(const cpm_classes *c, int a, int b);

/* Ordered pairs of different processes, the first of class a and the second of class b. */
double cpm_classes_pairs(const cpm_classes *c, int a, int b);

#endif
