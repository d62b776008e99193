/* MPI libraries, and what they call the algorithms that they have too. */
#ifndef CPM_SELECTION_LIBRARIES_H
#define CPM_SELECTION_LIBRARIES_H

#include "collectives/collective.h"

/* The MPI library whose own routine is the alternative, so that it is kept where nothing is gained.
 * From Open MPI 5 on two levels are used where several hosts have several processes each. */
typedef enum {
    CPM_LIBRARY_OTHER,
    CPM_LIBRARY_MPICH,
    CPM_LIBRARY_OPENMPI,
    CPM_LIBRARY_OPENMPI5,
    CPM_LIBRARY_UCC /* has no decisions of its own that are known */
} cpm_library;

/* What a library's algorithm takes, and what it asks of a call besides what ours does. */
enum {
    CPM_THEIRS_TAKES_SEGMENT = 1,
    CPM_THEIRS_TAKES_K = 2,
    CPM_THEIRS_NEEDS_NO_POWER_OF_2 = 4, /* on one it is another algorithm */
    CPM_THEIRS_NEEDS_COMMUTING = 8,     /* and does not look itself: wrong results otherwise */
    CPM_THEIRS_NEEDS_BUILT_IN = 16,     /* operation, and as many elements as processes */
    CPM_THEIRS_NEEDS_POWER_OF_2 = 32,   /* otherwise it is another one, or stops */
    CPM_THEIRS_NEEDS_TWO_SEGMENTS = 64, /* or more in a block: otherwise it is another one */
    CPM_THEIRS_NEEDS_EVEN = 128,        /* number of processes: otherwise it is another one */
};

typedef struct {
    cpm_library library;
    const char *collective, *algorithm; /* the library's collective, our algorithm */
    int number;                         /* Open MPI's, as ompi_info lists them */
    const char *name;                   /* MPICH's, UCC's */
    unsigned properties;
} cpm_their_algorithm;

/* Ends with a row without collective. */
extern const cpm_their_algorithm cpm_their_algorithms[];

/* Open MPI's trees have at most so many children; more are cut to it. */
enum { CPM_OPENMPI_MOST_CHILDREN = 32 };

/* A collective in Open MPI's rules file. */
typedef struct {
    const char *name; /* of the operation and the collective */
    int id;           /* in ompi/mca/coll/base/coll_base_functions.h */
    enum {
        CPM_OPENMPI_BLOCK, /* what the library calls message size is a block (allgatherv: their
                              mean) */
        CPM_OPENMPI_TOTAL, /* ... all blocks of a process together */
        CPM_OPENMPI_NONE,  /* ... nothing, or not known to be the same at all processes: a decision
                              by size could be another at each */
    } size;
} cpm_openmpi_collective;

/* Ends with a row without a name. */
extern const cpm_openmpi_collective cpm_openmpi_collectives[];

/* "openmpi", "openmpi5", "mpich". As cpm_names. */
const char *cpm_library_named(int k);

/* Its name; "other". */
const char *cpm_library_name(cpm_library library);

/* CPM_EUNKNOWN with the known ones. */
int cpm_library_find(const char *name, cpm_library *out, cpm_error *e);

/* For whom a table is made or exported. */
typedef struct {
    cpm_library library;
    bool commuting; /* the user says that all operations of the program commute: only MPICH can be
                       told to ask */
} cpm_target;

/* What the library's collective runs on n processes to do the same as ours with blocks of so many
 * bytes, and of more; NULL: it cannot. */
const cpm_their_algorithm *cpm_their_algorithm_of(const cpm_target *target, const char *collective,
                                                  int n, const cpm_collective *ours, size_t bytes);

#endif
