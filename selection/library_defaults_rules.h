/* The form of an MPI library's own decisions: the first rule that holds is what it does. */
#ifndef CPM_SELECTION_LIBRARY_DEFAULTS_RULES_H
#define CPM_SELECTION_LIBRARY_DEFAULTS_RULES_H

#include <stddef.h>
#include <stdint.h>

#include "selection/library_defaults.h"

/* What is compared: the bytes of a block, of all processes' blocks, or a block's per process or per
 * host, of which the largest power of 2 counts: these share a reduction. */
typedef enum { BLOCK, ALL, SHARE, SHARE_OF_HOST } usual_measure;

enum {
    COMMUTES = 1,
    POWER_OF_2 = 2,
    FEW = 4,   /* processes: less than 8 */
    HOSTS = 8, /* with several processes on one of several */
    FEW_HOSTS = 16,
    WIDE = 32,       /* hosts: 8 processes each */
    WIDE_POWER = 64, /* and a power of 2 */
    EVEN = 128,      /* processes */
    ONE_HOST = 256,  /* with all of several processes */
    IN_ROWS = 512    /* hosts: of consecutive ranks */
};

typedef struct {
    const char *operation, *algorithm; /* NULL: nothing of the repository is like it */
    unsigned needs;
    usual_measure what;
    size_t up_to; /* bytes */
    int below;    /* processes; 0: any number */
} usual_rule;

/* Open MPI's without levels; ends with a rule without an operation. */
extern const usual_rule cpm_library_default_openmpi[];

/* Open MPI 5's in two levels; false: it goes in one level, by these rules. */
bool cpm_library_default_by_levels(const cpm_request *r, cpm_collective *out);

#endif
