/* Elements of a reduction: moving those of a type with holes, and combining them. */
#ifndef CPM_EXECUTOR_COMBINE_H
#define CPM_EXECUTOR_COMBINE_H

#include "executor/execute.h"

typedef struct {
    int rank;
    bool holes, commutes;
    size_t size, extent; /* bytes of an element as it is sent and as it lies */
    ptrdiff_t lower;     /* true lower bound: where an element's first byte lies */
    MPI_Datatype type;
    MPI_Op op;
    /* inout = in op inout, for few elements, which MPI takes longer to begin with; NULL: MPI does
     * it
     */
    void (*few)(const void *in, void *inout, size_t elements);
    char *element_space; /* elements as they lie, of one piece; holes only */
} mpib_combiner;

/* For rank and pieces of at most so many bytes, as they are sent. CPM_ENOMEM. */
int mpib_combiner_create(const mpib_layout *l, int rank, size_t largest, mpib_combiner *out,
                         cpm_error *e);
void mpib_combiner_free(mpib_combiner *c);

/* What follows returns MPI's error code: of the first part that failed, after all. */

/* Elements of bytes bytes, as they are sent, from where they lie, and back. */
int mpib_gather_elements(const mpib_combiner *c, const char *from, char *to, size_t bytes);
int mpib_scatter_elements(const mpib_combiner *c, const char *from, char *to, size_t bytes);

/* own = input op own, of an operation that commutes. */
int mpib_combine_with(const mpib_combiner *c, const char *input, char *own, size_t bytes);

/* own = incoming op own, or own op incoming if incoming goes after it. incoming is used up. */
int mpib_combine(const mpib_combiner *c, char *incoming, char *own, size_t bytes, bool after);

#endif
