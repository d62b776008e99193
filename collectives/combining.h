/* What contributions of a reduction are combined: what that takes a byte depends on the MPI
 * operation and type, by a factor of ten and more. Calls that take about the same are a class. */
#ifndef CPM_COLLECTIVES_COMBINING_H
#define CPM_COLLECTIVES_COMBINING_H

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    CPM_COMBINING_BYTES,
    CPM_COMBINING_FLOATS,
    CPM_COMBINING_DOUBLES,
    CPM_COMBINING_OTHER, /* is not measured, and nobody asks for it by its name */
    CPM_COMBININGS,
    CPM_COMBINING_USUAL = CPM_COMBINING_DOUBLES /* where nobody says */
} cpm_combining;

/* A row for each class. */
typedef struct {
    const char *name;     /* "doubles" */
    const char *measured; /* the MPI operation and type that it is measured by: "sum of
                             MPI_DOUBLE" */
    const char *stands_for;
} cpm_combining_row;
/* A fact of files: what their reductions combine. */
#define CPM_METADATA_COMBINING "combining"

extern const cpm_combining_row cpm_combinings[CPM_COMBININGS];

/* The names of those that are measured. As cpm_names. */
const char *cpm_combining_named(int k);

/* CPM_EUNKNOWN with the known ones. */
int cpm_combining_find(const char *name, cpm_combining *out, cpm_error *e);

#ifdef __cplusplus
}
#endif
#endif
