/* Moving elements within a process, and what is known of their types. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "executor/layout.h"

int mpib_moves_add(mpib_moves *m, const mpib_move *move, cpm_error *e)
{
    if (!cpm_vector_extend(&m->at, m->count, sizeof *m->at))
        return cpm_no_memory(e);
    m->at[m->count] = *move;
    m->at[m->count].size = mpib_type_size(move->type);
    m->at[m->count++].extent = mpib_type_extent(move->type);
    return CPM_OK;
}

void mpib_arrangement_clear(mpib_arrangement *a)
{
    free(a->context);
    free(a->passing);
    free(a->before.at);
    free(a->after.at);
    *a = (mpib_arrangement){0};
}

/* Where a process sends messages to itself. Not in MPI_COMM_SELF: another thread may do the same
 * there, and the program may have a receive open that takes anything. */
typedef struct {
    MPI_Comm comm;
    int tag;
} oneself;

static int send_to_oneself(const oneself *self, const void *from, int from_count,
                           MPI_Datatype from_type, void *to, int to_count, MPI_Datatype to_type)
{
    int rank;
    PMPI_Comm_rank(self->comm, &rank);
    return PMPI_Sendrecv(from, from_count, from_type, rank, self->tag, to, to_count, to_type, rank,
                         self->tag, self->comm, MPI_STATUS_IGNORE);
}

/* MPI's counts are int: elements are moved in parts. */
static size_t part_of(size_t left, size_t size)
{
    size_t most = INT_MAX / (size ? size : 1);
    return left < most ? left : most;
}

/* MPICH 4.0 refuses MPI_BOTTOM, which is NULL there, when it packs and unpacks; messages may begin
 * and end there. */
static int pack(const oneself *self, const char *from, int part, MPI_Datatype type, char *to,
                int bytes)
{
    int position = 0;
    return from ? PMPI_Pack(from, part, type, to, bytes, &position, self->comm)
                : send_to_oneself(self, from, part, type, to, bytes, MPI_PACKED);
}

static int unpack(const oneself *self, const char *from, int bytes, char *to, int part,
                  MPI_Datatype type)
{
    int position = 0;
    return to ? PMPI_Unpack(from, bytes, &position, to, part, type, self->comm)
              : send_to_oneself(self, from, bytes, MPI_PACKED, to, part, type);
}

static int move_part(const oneself *self, const mpib_move *m, const char *from, char *to, int part,
                     int bytes)
{
    switch (m->kind) {
    case MPIB_PACK:
        return pack(self, from, part, m->type, to, bytes);
    case MPIB_UNPACK:
        return unpack(self, from, bytes, to, part, m->type);
    case MPIB_COPY:
        return send_to_oneself(self, from, part, m->type, to, part, m->type);
    case MPIB_REDUCE:
        return PMPI_Reduce_local(from, to, part, m->type, m->op);
    }
    return MPI_SUCCESS;
}

int mpib_move_run(const mpib_move *m, const char *from, char *to, MPI_Comm comm, int tag)
{
    const oneself self = {comm, tag};
    size_t size = m->size, extent = m->extent;
    int failed = MPI_SUCCESS;
    if (m->dense && m->kind != MPIB_REDUCE) {
        memcpy(to, from, m->elements * size);
        return MPI_SUCCESS;
    }
    for (size_t left = m->elements, part; left > 0; left -= part) {
        part = part_of(left, size);
        int moved = move_part(&self, m, from, to, (int)part, (int)(part * size));
        failed = mpib_first_failure(failed, moved);
        from += part * (m->kind == MPIB_UNPACK ? size : extent);
        to += part * (m->kind == MPIB_PACK ? size : extent);
    }
    return failed;
}

int mpib_moves_run(const mpib_moves *m, char *const bases[MPIB_BASES], MPI_Comm comm, int tag)
{
    int failed = MPI_SUCCESS;
    for (int i = 0; i < m->count; i++) {
        const mpib_move *x = &m->at[i];
        int moved = mpib_move_run(x, bases[x->from.base] + x->from.offset,
                                  bases[x->to.base] + x->to.offset, comm, tag);
        failed = mpib_first_failure(failed, moved);
    }
    return failed;
}

/* ---- types ---- */

size_t mpib_type_size(MPI_Datatype type)
{
    int size;
    PMPI_Type_size(type, &size);
    return (size_t)size;
}

size_t mpib_type_extent(MPI_Datatype type)
{
    MPI_Aint lower, extent;
    PMPI_Type_get_extent(type, &lower, &extent);
    return (size_t)extent;
}

static bool basic_is_dense(MPI_Datatype type)
{
    MPI_Aint lower, extent;
    PMPI_Type_get_extent(type, &lower, &extent);
    return lower == 0 && (size_t)extent == mpib_type_size(type);
}

static bool copies_are_dense(MPI_Datatype type, int integers, int addresses, int types)
{
    int count[2];
    MPI_Aint address[1];
    MPI_Datatype of[1];
    if (integers > 2 || addresses > 0 || types != 1)
        return false;
    PMPI_Type_get_contents(type, integers, addresses, types, count, address, of);
    bool dense = mpib_type_is_dense(of[0]);
    PMPI_Type_get_envelope(of[0], &integers, &addresses, &types, &count[0]);
    if (count[0] != MPI_COMBINER_NAMED)
        PMPI_Type_free(&of[0]);
    return dense;
}

bool mpib_type_is_dense(MPI_Datatype type)
{
    int integers, addresses, types, combiner;
    PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    if (combiner == MPI_COMBINER_NAMED)
        return basic_is_dense(type);
    if (combiner == MPI_COMBINER_CONTIGUOUS || combiner == MPI_COMBINER_DUP)
        return copies_are_dense(type, integers, addresses, types);
    return false;
}
