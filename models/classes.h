/* Classes of like processes. Values of a model are kept once per class, and once per pair of
 * classes; where nobody is known to be like another every process is a class of its own. */
#ifndef CPM_MODELS_CLASSES_H
#define CPM_MODELS_CLASSES_H

#include <stdbool.h>

#include "base/error.h"
#include "collectives/hosts.h"

typedef struct {
    int n;            /* processes */
    int count;        /* classes */
    int *of;          /* [n] class of each process */
    int *members;     /* [count] number of its processes, at least 1 */
    double *together; /* [count] ordered pairs of its processes that are on the same host, where
                         messages inside a host are of another kind; NULL: they are not */
    char **name;      /* [count]; NULL: every process stands alone, class i is process i */
} cpm_classes;

/* Classes of n processes: of[n] is below count, names are copied; both NULL: every process stands
 * alone (count is n). CPM_EINVAL names a class without a process. CPM_ENOMEM. */
int cpm_classes_create(int n, const int *of, int count, const char *const *name, cpm_classes *out,
                       cpm_error *e);
int cpm_classes_copy(const cpm_classes *from, cpm_classes *out, cpm_error *e);
void cpm_classes_clear(cpm_classes *c);

/* The same processes are together, under the same names. */
bool cpm_classes_equal(const cpm_classes *a, const cpm_classes *b);

/* Sets together from the hosts of the processes. CPM_ENOMEM. */
int cpm_classes_set_hosts(cpm_classes *c, const cpm_hosts *hosts, cpm_error *e);

/* Whether a message (between hosts, if those inside are of another kind) can go from a process of
 * class a to another one of class b. */
bool cpm_classes_meet(const cpm_classes *c, int a, int b);

/* Ordered pairs of processes that such a message can be between, the first of class a and the
 * second of class b. Different classes are taken to be on different hosts. */
double cpm_classes_pairs(const cpm_classes *c, int a, int b);

#endif
