/* A collective: operation, algorithm, parameters and placement. It is what is measured, predicted,
 * chosen, forced, stored, told to other ranks, drawn and exported; nobody else takes its name
 * apart. */
#ifndef CPM_COLLECTIVES_COLLECTIVE_H
#define CPM_COLLECTIVES_COLLECTIVE_H

#include "collectives/algorithm.h"

/* Where a collective takes place. Arrays, topology and hosts are borrowed, and NULL where nothing
 * is known of them. */
typedef struct {
    int n;              /* processes; 0: any number, then there are no arrays */
    int root;           /* 0 where the operation has none */
    const int *mapping; /* [n] process at tree node v, mapping[0] is the root; NULL: (v + root) mod
                           n */
    const int *parent;  /* [n] of "tree": parent[v] of node v > 0; parents send to lower nodes first
                         */
    const double *weights; /* [n] block sizes of v-operations over their mean; NULL: all the same */
    const struct cpm_topology *topology;
    const cpm_hosts *hosts;           /* of n processes */
    const cpm_neighbours *neighbours; /* of operations of neighbours */
} cpm_placement;

typedef struct {
    const cpm_operation *operation;
    const cpm_algorithm *algorithm; /* NULL: the MPI library's own routine, "native" */
    cpm_parameters with;
    cpm_placement at;
    cpm_combining combining; /* of a reduction: what is combined; no part of its name */
    bool by_library;         /* run by the MPI library's own routine (collectives/temporaries.h,
                                collectives/schedule/from_input.h);
                                likewise */
} cpm_collective;

enum { CPM_COLLECTIVE_NAME = 128 }; /* is long enough for any name */

/* Reads "scatter:binomial", "bcast:chain:segment=8K", "gather:native"; the placement is empty.
 * CPM_EUNKNOWN with the known ones; CPM_EINVAL: no algorithm is named, or a value cannot be.
 * CPM_ENOMEM. */
int cpm_collective_parse(const char *text, cpm_collective *out, cpm_error *e);
/* The same of what follows the operation: "chain:segment=8K". */
int cpm_collective_parse_algorithm(const cpm_operation *operation, const char *text,
                                   cpm_collective *out, cpm_error *e);

/* A row in its plain form, of its own operation. CPM_EUNKNOWN. */
int cpm_collective_of(const cpm_algorithm *a, cpm_collective *out, cpm_error *e);

/* Writes "bcast:chain:segment=8192", and without the operation. */
void cpm_collective_print(const cpm_collective *c, char *text, size_t size);
void cpm_collective_print_algorithm(const cpm_collective *c, char *text, size_t size);

/* The algorithm's name, "native" for the MPI library's own. */
const char *cpm_collective_algorithm(const cpm_collective *c);

/* Whether two have the same name: operation, algorithm and parameters. */
bool cpm_collective_same(const cpm_collective *a, const cpm_collective *b);
/* Whether they are the same thing: their placements, too. */
bool cpm_collective_equal(const cpm_collective *a, const cpm_collective *b);

/* ---- placements */

enum { CPM_FINGERPRINT = 128 };

/* What tells placements apart whatever the root: "map=12 hex digits blocks=... topology=...
 * hosts=...", those that there are, "plain" if there are none. Equal placements have equal ones,
 * here and elsewhere; of the weights the first 6 digits count, and of hosts their levels: one, or
 * as many as processes, do not. */
void cpm_placement_fingerprint(const cpm_placement *at, char text[CPM_FINGERPRINT]);

/* ---- travelling */

/* Bytes of a collective with a placement of up to n processes, packed; of none, the head alone. */
enum { CPM_PACKED_HEAD = 96 };
size_t cpm_collective_packed_bytes(int n);
/* As bytes for processes that run the same program. A topology, hosts and neighbours do not travel:
 * both sides have them. */
void cpm_collective_pack(const cpm_collective *c, void *bytes);
/* Arrays of *out are in bytes, which is aligned as from malloc. */
void cpm_collective_unpack(const void *bytes, cpm_collective *out);

/* ---- to a schedule */

/* CPM_EINVAL with the reason and the algorithms that do, if the algorithm does not apply to the
 * placement. Native always does. */
int cpm_collective_applies(const cpm_collective *c, cpm_error *e);

/* Whether contributions are combined in the order of ranks, as an operation that does not commute
 * demands: by the algorithm with these parameters, from this root, on these hosts. Native does. */
bool cpm_collective_keeps_order(const cpm_collective *c);

/* Bytes of each unit of a v-operation whose blocks have so many bytes on average, as the weights of
 * its placement say; the caller frees them. *out is NULL if they are all the same. Unit i*n + j of
 * alltoallv has the weight of j, who gets it, as each edge of neighbor_alltoallv. CPM_ENOMEM. */
int cpm_collective_sizes(const cpm_collective *c, size_t bytes, size_t **out, cpm_error *e);

/* The schedule for units of these sizes; the caller frees it with cpm_schedule_free. CPM_EINVAL:
 * native; n < 1, root out of range, mapping not a permutation or not starting with the root, or
 * the algorithm does not apply. CPM_ENOMEM. */
int cpm_collective_schedule(const cpm_collective *c, const cpm_block_sizes *sizes,
                            cpm_schedule **out, cpm_error *e);

#endif
