/* The width of a number decides more than anything else: MPICH 4.0 takes 0.4 to 0.7 ns for each
 * whatever it is, Open MPI's vector instructions so long for so many bytes. Within a class maxima
 * may take twice as long as sums. */
#include "collectives/combining.h"

#include <stddef.h>

#include "base/names.h"

/* clang-format off */
const cpm_combining_row cpm_combinings[CPM_COMBININGS] = {
    [CPM_COMBINING_BYTES] = {"bytes", "exclusive or of MPI_BYTE", "elements of one byte"},
    [CPM_COMBINING_FLOATS] = {"floats", "sum of MPI_FLOAT", "numbers of 2 to 7 bytes, integers, too"},
    [CPM_COMBINING_DOUBLES] = {"doubles", "sum of MPI_DOUBLE", "numbers of 8 bytes and more: long integers, complex ones, pairs"},
    [CPM_COMBINING_OTHER] = {"other", NULL, "MPI_LONG_DOUBLE, and users' operations"},
};
/* clang-format on */

const char *cpm_combining_named(int k)
{
    return cpm_combinings[k].measured ? cpm_combinings[k].name : NULL;
}

int cpm_combining_find(const char *name, cpm_combining *out, cpm_error *e)
{
    int k;
    int status = cpm_names_find(cpm_combining_named, "class of combining", name, &k, e);
    if (!status)
        *out = (cpm_combining)k;
    return status;
}
