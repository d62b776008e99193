/* The algorithm repository: one row per algorithm (algorithms/rows.def). */
#ifndef CPM_COLLECTIVES_ALGORITHM_H
#define CPM_COLLECTIVES_ALGORITHM_H

#include "collectives/hosts.h"
#include "collectives/operation.h"
#include "collectives/schedule/schedule.h"

struct cpm_messages;
struct cpm_topology;

/* Parameters of an algorithm, as people write them: OPERATION:NAME:segment=8K:k=4. Zero stands for
 * what is usual. */
typedef struct {
    size_t segment;   /* pieces of at most so many bytes */
    size_t threshold; /* bytes from which messages go one by one; CPM_FROM_NOTHING: all, empty ones,
                         too */
    int k;            /* chains, pieces or barriers: the family's parameter */
    int mesh[3];  /* extents; their product is n. CPM_MESH_OF_HOSTS: processes of a host x hosts,
                     CPM_MESH_ACROSS_HOSTS: hosts x processes of a host */
    int inner[3]; /* algorithm in each dimension of a mesh: 1 + its row of cpm_algorithms, or
                     CPM_INNER_NATIVE */
    int level[2]; /* the same within hosts and between them */
    int leaders;  /* of a host, who share the work between hosts */
} cpm_parameters;

enum { CPM_MESH_OF_HOSTS = -1, CPM_MESH_ACROSS_HOSTS = -2 }; /* instead of the first extent */

/* Instead of a row: the MPI library's own routine on the processes of a line (on_groups.h). */
enum { CPM_INNER_NATIVE = -1 };

/* The threshold that people write as 0. */
#define CPM_FROM_NOTHING SIZE_MAX

/* The bytes of a threshold, where usual stands for none. */
static inline size_t cpm_threshold(const cpm_parameters *p, size_t usual)
{
    if (p->threshold == CPM_FROM_NOTHING)
        return 0;
    return p->threshold ? p->threshold : usual;
}

/* Indices of level. */
enum { CPM_WITHIN_HOSTS, CPM_BETWEEN_HOSTS };

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
    const cpm_hosts *hosts;           /* of the n processes; NULL: not known */
    const cpm_neighbours *neighbours; /* the same */
} cpm_call;

/* What a row demands (CPM_NEEDS_...) and which parameters it takes (CPM_TAKES_...). */
enum {
    CPM_NEEDS_POWER_OF_2 = 1,
    CPM_NEEDS_EVEN = 2,
    CPM_NEEDS_TOPOLOGY = 4,
    CPM_NEEDS_TREE = 8,
    CPM_REORDERS = 16, /* contributions: the operation must commute */
    CPM_REORDERS_UNLESS_ROOT_0 = 32,
    CPM_REORDERS_UNLESS_IN_ROWS = 131072, /* ranks of hosts, by phases that keep the order */
    CPM_TAKES_SEGMENT = 64,
    CPM_TAKES_K = 128,
    CPM_TAKES_MESH = 256,
    CPM_TAKES_INNER = 2048, /* algorithms of the same operation in the dimensions of the mesh */
    CPM_TAKES_THRESHOLD = 512,
    CPM_TAKES_MAPPING = 1024,
    CPM_OWN_SIZE = 4096,     /* each process needs to know the sizes only of blocks that it gives or
                                gets itself: no message has others */
    CPM_CALMS = 8192,        /* it keeps senders from sending to one receiver together */
    CPM_NEEDS_HOSTS = 16384, /* several, one with several processes */
    CPM_TAKES_LEVELS = 32768, /* algorithms within hosts and between them */
    CPM_TAKES_LEADERS = 65536,
    CPM_NEEDS_ROWS = 262144, /* of each host consecutive ranks */
    CPM_NEEDS_NEIGHBOURS = 524288,
    CPM_NEEDS_GRID = 1048576,     /* under the neighbours */
    CPM_NEEDS_SIMPLE = 2097152,   /* no two edges from one process to the same other one */
    CPM_NEEDS_ONE_ROOT = 4194304, /* that of its messages */
};

/* What an algorithm spares, at the price of the others (groups of STAR-MPI, Faraj, Yuan, Lowenthal
 * 2006, 3.3). */
typedef enum {
    CPM_SPARES_STARTUPS,   /* few messages one after the other on a block's way */
    CPM_SPARES_BANDWIDTH,  /* few bytes through a process, or all the time */
    CPM_SPARES_CONTENTION, /* few messages on a link, or to a receiver, at a time */
} cpm_group;

/* The values of an algorithm's parameters that are worth trying (tries.h lists them for a call). */
typedef struct {
    bool segments;     /* powers of four */
    size_t segment[2]; /* these, and never whole blocks */
    struct {
        const char *threshold; /* of a model; NULL: none */
        double part;
    } below;          /* segments just smaller than that part of a threshold that blocks reach */
    const char *from; /* the threshold parameter: this one of the model, if blocks reach it */
    size_t thresholds[4];    /* others, whatever the model: those that blocks reach */
    const char *until;       /* blocks that reach this one are tried with segments below only */
    int k[6];                /* the first is what stands for k = 0 */
    int meshes;              /* so many dimensions, those of hosts if it is two */
    int leaders[3];          /* besides one; those that the hosts have processes for */
    const char *level[2][6]; /* algorithms within hosts, and between them, besides the usual ones */
} cpm_tries;

typedef struct cpm_algorithm cpm_algorithm;

/* Fills a schedule (n and root are set) by a row and a call. CPM_EINVAL, CPM_ENOMEM. */
typedef int cpm_create(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e);

struct cpm_algorithm {
    const char *operation, *name; /* "scatter", "binomial" */
    const char *source;           /* paper or book */
    cpm_group group;
    unsigned properties;    /* CPM_NEEDS_..., CPM_TAKES_... */
    const cpm_tries *tries; /* NULL: as it stands */
    cpm_create *create;
    const void *variant; /* of the family: a tree's shape */
    size_t least, most;  /* bytes of n blocks together for which it makes sense; 0: any */
    int processes;       /* up to so many it is tried; 0: any number */
    const struct cpm_messages *messages; /* of a list of them; NULL: what create makes */
    bool theirs; /* an MPI library's way of what another row does: tried only where answers are to
                    be that library's algorithms */
};

/* All algorithms, ends with a row whose name is NULL. */
extern const cpm_algorithm cpm_algorithms[];

/* Whether a row is an algorithm of that operation ("scatter:binomial" is one of scatterv too), whose
 * sizes its processes know as far as they need them. */
bool cpm_algorithm_serves(const cpm_algorithm *a, const cpm_operation *operation);

/* The row of operation and name. CPM_EUNKNOWN, with the list of those that the operation has;
 * CPM_EINVAL: its processes need sizes that they do not know. */
int cpm_algorithm_find(const char *operation, const char *name, const cpm_algorithm **out,
                       cpm_error *e);

/* CPM_EINVAL with the reason and the algorithms that do, if a does not apply to this call. */
int cpm_algorithm_applies(const cpm_algorithm *a, const cpm_call *call, cpm_error *e);

/* Whether contributions are combined in the order of ranks, whatever the hosts and parameters
 * (cpm_collective_keeps_order knows these). */
bool cpm_algorithm_keeps_order(const cpm_algorithm *a, int root);

/* What a row needs, in words ("a power of two of processes"), "any n" if nothing. */
void cpm_algorithm_needs(const cpm_algorithm *a, char *text, size_t size);

/* The names of the parameters that a row takes ("segment, k"), "-" if none. */
void cpm_algorithm_takes(const cpm_algorithm *a, char *text, size_t size);

/* "start-ups", "bandwidth" or "contention". */
const char *cpm_algorithm_group(const cpm_algorithm *a);

/* The schedule of an algorithm; the caller frees it with cpm_schedule_free. CPM_EINVAL: n < 1,
 * root out of range, mapping not a permutation or not starting with the root, or the algorithm does
 * not apply. CPM_ENOMEM. */
int cpm_schedule_create(const cpm_algorithm *a, const cpm_call *call, cpm_schedule **out,
                        cpm_error *e);

#endif
