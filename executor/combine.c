/* MPI_Reduce_local does a op b into b only, so what comes after one's own goes into the incoming
 * message and is copied back; for an operation that commutes the order does not matter. */
#include "executor/combine.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- sums of few elements ---- */

enum { FEW = 16 };

static void add_doubles(const void *in, void *inout, size_t elements)
{
    const double *from = in;
    double *to = inout;
    for (size_t k = 0; k < elements; k++)
        to[k] += from[k];
}

static void add_floats(const void *in, void *inout, size_t elements)
{
    const float *from = in;
    float *to = inout;
    for (size_t k = 0; k < elements; k++)
        to[k] += from[k];
}

/* Overflows are what they are in MPI: the bits that are left. */
static void add_ints(const void *in, void *inout, size_t elements)
{
    const unsigned *from = in;
    unsigned *to = inout;
    for (size_t k = 0; k < elements; k++)
        to[k] += from[k];
}

static void set_few(mpib_combiner *c)
{
    if (c->op == MPI_SUM && !c->holes)
        c->few = c->type == MPI_DOUBLE  ? add_doubles
                 : c->type == MPI_FLOAT ? add_floats
                 : c->type == MPI_INT   ? add_ints
                                        : NULL;
}

/* ---- all others ---- */

int mpib_combiner_create(const mpib_layout *l, int rank, size_t largest, mpib_combiner *out,
                         cpm_error *e)
{
    mpib_combiner c = {
        .rank = rank, .holes = l->holes, .commutes = l->commutes, .type = l->type, .op = l->op};
    bool combines = l->op != MPI_OP_NULL;
    c.size = combines && l->sizes->grain ? l->sizes->grain : 1;
    c.extent = combines ? l->extent : 1;
    if (combines && l->holes) {
        MPI_Aint lower, extent;
        PMPI_Type_get_true_extent(l->type, &lower, &extent);
        c.lower = lower;
        c.element_space = malloc((largest / c.size + 1) * c.extent + (size_t)extent);
        if (!c.element_space)
            return cpm_no_memory(e);
    }
    set_few(&c);
    *out = c;
    return CPM_OK;
}

void mpib_combiner_free(mpib_combiner *c)
{
    free(c->element_space);
    c->element_space = NULL;
}

/* MPI's counts are int: so many elements at once. */
static size_t next_part(const mpib_combiner *c, size_t left)
{
    size_t most = INT_MAX / c->size;
    return left < most ? left : most;
}

int mpib_gather_elements(const mpib_combiner *c, const char *from, char *to, size_t bytes)
{
    int failed = MPI_SUCCESS;
    if (!c->holes) {
        memcpy(to, from, bytes);
        return MPI_SUCCESS;
    }
    for (size_t left = bytes / c->size, part; left > 0; left -= part) {
        part = next_part(c, left);
        int position = 0, space = (int)(part * c->size);
        int packed = PMPI_Pack(from, (int)part, c->type, to, space, &position, MPI_COMM_SELF);
        failed = mpib_first_failure(failed, packed);
        from += part * c->extent;
        to += part * c->size;
    }
    return failed;
}

int mpib_scatter_elements(const mpib_combiner *c, const char *from, char *to, size_t bytes)
{
    int failed = MPI_SUCCESS;
    if (!c->holes) {
        memcpy(to, from, bytes);
        return MPI_SUCCESS;
    }
    for (size_t left = bytes / c->size, part; left > 0; left -= part) {
        part = next_part(c, left);
        int position = 0, space = (int)(part * c->size);
        int unpacked = PMPI_Unpack(from, space, &position, to, (int)part, c->type, MPI_COMM_SELF);
        failed = mpib_first_failure(failed, unpacked);
        from += part * c->size;
        to += part * c->extent;
    }
    return failed;
}

static int reduce(const mpib_combiner *c, const char *in, char *inout, size_t elements)
{
    int failed = MPI_SUCCESS;
    if (c->few && elements <= FEW) {
        c->few(in, inout, elements);
        return MPI_SUCCESS;
    }
    for (size_t left = elements, part; left > 0; left -= part) {
        part = next_part(c, left);
        int reduced = PMPI_Reduce_local(in, inout, (int)part, c->type, c->op);
        failed = mpib_first_failure(failed, reduced);
        in += part * c->extent;
        inout += part * c->extent;
    }
    return failed;
}

int mpib_combine_with(const mpib_combiner *c, const char *input, char *own, size_t bytes)
{
    return reduce(c, input, own, bytes / c->size);
}

/* Copies elements as they lie: only their own bytes, not the holes of a user's buffer. */
static int copy_back(const mpib_combiner *c, const char *elements, char *packed, char *own,
                     size_t bytes)
{
    if (!c->holes) {
        memcpy(own, elements, bytes);
        return MPI_SUCCESS;
    }
    int failed = mpib_gather_elements(c, elements, packed, bytes);
    return mpib_first_failure(failed, mpib_scatter_elements(c, packed, own, bytes));
}

int mpib_combine(const mpib_combiner *c, char *incoming, char *own, size_t bytes, bool after)
{
    size_t elements = bytes / c->size;
    int failed = MPI_SUCCESS;
    char *in = incoming;
    if (c->holes) {
        in = c->element_space - c->lower;
        failed = mpib_scatter_elements(c, incoming, in, bytes);
    }
    if (!after || c->commutes)
        return mpib_first_failure(failed, reduce(c, in, own, elements));
    failed = mpib_first_failure(failed, reduce(c, own, in, elements));
    return mpib_first_failure(failed, copy_back(c, in, incoming, own, bytes));
}
