#include "executor/combining.h"

#include "executor/layout.h"

mpib_combined mpib_combined_of(cpm_combining c)
{
    switch (c) {
    case CPM_COMBINING_FLOATS:
        return (mpib_combined){MPI_SUM, MPI_FLOAT, sizeof(float)};
    case CPM_COMBINING_DOUBLES:
        return (mpib_combined){MPI_SUM, MPI_DOUBLE, sizeof(double)};
    default:
        return (mpib_combined){MPI_BXOR, MPI_BYTE, 1};
    }
}

int mpib_op_number(MPI_Op op)
{
    const MPI_Op known[] = {MPI_SUM, MPI_MAX,  MPI_MIN,  MPI_PROD, MPI_BAND,   MPI_BOR,
                            MPI_LOR, MPI_LAND, MPI_BXOR, MPI_LXOR, MPI_MAXLOC, MPI_MINLOC};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (op == known[k])
            return (int)k;
    return -1;
}

/* Of predefined operations types are predefined, too. */
cpm_combining mpib_combining_of(MPI_Datatype type, bool predefined)
{
    if (!predefined || type == MPI_LONG_DOUBLE || type == MPI_LONG_DOUBLE_INT ||
        type == MPI_C_LONG_DOUBLE_COMPLEX)
        return CPM_COMBINING_OTHER;
    size_t bytes = mpib_type_size(type);
    return bytes == 1               ? CPM_COMBINING_BYTES
           : bytes < sizeof(double) ? CPM_COMBINING_FLOATS
                                    : CPM_COMBINING_DOUBLES;
}
