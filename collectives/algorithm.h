/* The algorithm repository: one row per algorithm (table.c). */
#ifndef CPM_ALGORITHMS_ALGORITHM_H
#define CPM_ALGORITHMS_ALGORITHM_H

#include "collectives/operation.h"
#include "collectives/schedule/schedule.h"

struct cpm_topology;

/* Parameters of an algorithm, as people write them: OPERATION:NAME:segment=8K:k=4. Zero stands for
 * what is usual. */
typedef struct {
    size_t segment;   /* pieces of at most so many bytes */
    size_t threshold; /* bytes from which messages go one by one */
    int k;            /* chains, pieces or barriers: the family's parameter */
    int mesh[3];      /* extents; their product is n */
    int inner[3];     /* algorithm in each dimension of a mesh: 1 + its row of cpm_algorithms */
} cpm_parameters;

/* What a build function is told (collectives/collective.h makes it of a collective). What an
 * algorithm does not use it ignores. All pointers are borrowed until the schedule is created. */
typedef struct {
    int n, root;
    size_t bytes;        /* of a unit, for algorithms that look at sizes */
    const size_t *sizes; /* [units] bytes, if they differ */
    cpm_parameters with;
    const int *mapping; /* [n] mapping[v]: process at tree node v, mapping[0] == root; NULL: (v +
                           root) mod n */
    const int
        *parent; /* [n] of "tree": parent[v] of node v > 0; parents send to lower nodes first */
    const struct cpm_topology *topology;
} cpm_call;

/* What a row demands (CPM_NEEDS_...) and which parameters it takes (CPM_TAKES_...). */
enum {
    CPM_NEEDS_POWER_OF_2 = 1,
    CPM_NEEDS_EVEN = 2,
    CPM_NEEDS_TOPOLOGY = 4,
    CPM_NEEDS_TREE = 8,
    CPM_REORDERS = 16, /* contributions: the operation must commute */
    CPM_REORDERS_UNLESS_ROOT_0 = 32,
    CPM_TAKES_SEGMENT = 64,
    CPM_TAKES_K = 128,
    CPM_TAKES_MESH = 256,
    CPM_TAKES_INNER = 2048, /* algorithms of the same operation in the dimensions of the mesh */
    CPM_TAKES_THRESHOLD = 512,
    CPM_TAKES_MAPPING = 1024,
    CPM_OWN_SIZE = 4096, /* who is not the root needs to know its own block's size only */
};

typedef struct cpm_algorithm {
    const char *operation, *name; /* "scatter", "binomial" */
    const char *source;           /* paper or book */
    unsigned properties;          /* CPM_NEEDS_..., CPM_TAKES_... */
    const void *variant;          /* of the family: a tree's shape */
    /* Fills a schedule (n and root are set). CPM_EINVAL, CPM_ENOMEM. */
    int (*create)(const struct cpm_algorithm *a, const cpm_call *call, cpm_schedule *s,
                  cpm_error *e);
} cpm_algorithm;

/* All algorithms, ends with a row whose name is NULL. */
extern const cpm_algorithm cpm_algorithms[];

/* Whether a row is an algorithm of that operation ("scatter:binomial" is one of scatterv too). */
bool cpm_algorithm_serves(const cpm_algorithm *a, const cpm_operation *operation);

/* The row of operation and name. CPM_EUNKNOWN, with the list of those that the operation has. */
int cpm_algorithm_find(const char *operation, const char *name, const cpm_algorithm **out,
                       cpm_error *e);

/* CPM_EINVAL with the reason and the algorithms that do, if a does not apply to this call. */
int cpm_algorithm_applies(const cpm_algorithm *a, const cpm_call *call, cpm_error *e);

/* Whether contributions are combined in the order of ranks. */
bool cpm_algorithm_keeps_order(const cpm_algorithm *a, int root);

/* What a row needs, in words ("a power of two of processes"), "any n" if nothing. */
void cpm_algorithm_needs(const cpm_algorithm *a, char *text, size_t size);

/* The names of the parameters that a row takes ("segment, k"), "-" if none. */
void cpm_algorithm_takes(const cpm_algorithm *a, char *text, size_t size);

/* The schedule of an algorithm; the caller frees it with cpm_schedule_free. CPM_EINVAL: n < 1,
 * root out of range, mapping not a permutation or not starting with the root, or the algorithm does
 * not apply. CPM_ENOMEM. */
int cpm_schedule_create(const cpm_algorithm *a, const cpm_call *call, cpm_schedule **out,
                        cpm_error *e);

#endif
