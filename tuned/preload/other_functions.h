/* Collectives that stay with MPI: included with
 * CPM_OTHER(function, (parameters), (arguments)) defined, which it forgets again. For those whose
 * counts are MPI_Count this is CPM_OTHER_LARGE, if that is defined.
 *
 * Blocking ones of CPM's operations whose counts an int can hold are in c_bindings.c, larger ones in
 * large_counts.c. */
#include <mpi.h>

#ifndef CPM_OTHER_LARGE
#define CPM_OTHER_LARGE CPM_OTHER
#endif

/* clang-format off */
#define OF_BARRIER(INT, AINT)    MPI_Comm comm
#define TO_BARRIER               comm
#define OF_BCAST(INT, AINT)      void *buffer, INT count, MPI_Datatype type, int root, MPI_Comm comm
#define TO_BCAST                 buffer, count, type, root, comm
#define OF_SCATTER(INT, AINT)    const void *send, INT send_count, MPI_Datatype send_type, void *recv, INT recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm
#define TO_SCATTER               send, send_count, send_type, recv, recv_count, recv_type, root, comm
#define OF_SCATTERV(INT, AINT)   const void *send, const INT *counts, const AINT *displacements, MPI_Datatype send_type, void *recv, INT recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm
#define TO_SCATTERV              send, counts, displacements, send_type, recv, recv_count, recv_type, root, comm
#define OF_GATHER                OF_SCATTER
#define TO_GATHER                TO_SCATTER
#define OF_GATHERV(INT, AINT)    const void *send, INT send_count, MPI_Datatype send_type, void *recv, const INT *counts, const AINT *displacements, MPI_Datatype recv_type, int root, MPI_Comm comm
#define TO_GATHERV               send, send_count, send_type, recv, counts, displacements, recv_type, root, comm
#define OF_ALLGATHER(INT, AINT)  const void *send, INT send_count, MPI_Datatype send_type, void *recv, INT recv_count, MPI_Datatype recv_type, MPI_Comm comm
#define TO_ALLGATHER             send, send_count, send_type, recv, recv_count, recv_type, comm
#define OF_ALLGATHERV(INT, AINT) const void *send, INT send_count, MPI_Datatype send_type, void *recv, const INT *counts, const AINT *displacements, MPI_Datatype recv_type, MPI_Comm comm
#define TO_ALLGATHERV            send, send_count, send_type, recv, counts, displacements, recv_type, comm
#define OF_ALLTOALL              OF_ALLGATHER
#define TO_ALLTOALL              TO_ALLGATHER
#define OF_ALLTOALLV(INT, AINT)  const void *send, const INT *send_counts, const AINT *from, MPI_Datatype send_type, void *recv, const INT *recv_counts, const AINT *to, MPI_Datatype recv_type, MPI_Comm comm
#define TO_ALLTOALLV             send, send_counts, from, send_type, recv, recv_counts, to, recv_type, comm
#define OF_ALLTOALLW(INT, AINT)  const void *send, const INT *send_counts, const AINT *from, const MPI_Datatype *send_types, void *recv, const INT *recv_counts, const AINT *to, const MPI_Datatype *recv_types, MPI_Comm comm
#define TO_ALLTOALLW             send, send_counts, from, send_types, recv, recv_counts, to, recv_types, comm
#define OF_NEIGHBORW(INT, AINT)  const void *send, const INT *send_counts, const MPI_Aint *send_at, const MPI_Datatype *send_types, void *recv, const INT *recv_counts, const MPI_Aint *recv_at, const MPI_Datatype *recv_types, MPI_Comm comm
#define TO_NEIGHBORW             send, send_counts, send_at, send_types, recv, recv_counts, recv_at, recv_types, comm
#define OF_REDUCE(INT, AINT)     const void *send, void *recv, INT count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm
#define TO_REDUCE                send, recv, count, type, op, root, comm
#define OF_ALLREDUCE(INT, AINT)  const void *send, void *recv, INT count, MPI_Datatype type, MPI_Op op, MPI_Comm comm
#define TO_ALLREDUCE             send, recv, count, type, op, comm
#define OF_REDUCE_SCATTER(INT, AINT) const void *send, void *recv, const INT *counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm
#define TO_REDUCE_SCATTER        send, recv, counts, type, op, comm

#define BLOCKING(name, OF, ...)       CPM_OTHER(MPI_##name, (OF(int, int)), (__VA_ARGS__))
#define NONBLOCKING(name, OF, ...)    CPM_OTHER(MPI_I##name, (OF(int, int), MPI_Request *request), (__VA_ARGS__, request))

BLOCKING(Scan, OF_ALLREDUCE, TO_ALLREDUCE)
BLOCKING(Exscan, OF_ALLREDUCE, TO_ALLREDUCE)
BLOCKING(Alltoallw, OF_ALLTOALLW, TO_ALLTOALLW)
BLOCKING(Neighbor_allgather, OF_ALLGATHER, TO_ALLGATHER)
BLOCKING(Neighbor_allgatherv, OF_ALLGATHERV, TO_ALLGATHERV)
BLOCKING(Neighbor_alltoall, OF_ALLTOALL, TO_ALLTOALL)
BLOCKING(Neighbor_alltoallv, OF_ALLTOALLV, TO_ALLTOALLV)
BLOCKING(Neighbor_alltoallw, OF_NEIGHBORW, TO_NEIGHBORW)
NONBLOCKING(barrier, OF_BARRIER, TO_BARRIER)
NONBLOCKING(bcast, OF_BCAST, TO_BCAST)
NONBLOCKING(scatter, OF_SCATTER, TO_SCATTER)
NONBLOCKING(scatterv, OF_SCATTERV, TO_SCATTERV)
NONBLOCKING(gather, OF_GATHER, TO_GATHER)
NONBLOCKING(gatherv, OF_GATHERV, TO_GATHERV)
NONBLOCKING(allgather, OF_ALLGATHER, TO_ALLGATHER)
NONBLOCKING(allgatherv, OF_ALLGATHERV, TO_ALLGATHERV)
NONBLOCKING(alltoall, OF_ALLTOALL, TO_ALLTOALL)
NONBLOCKING(alltoallv, OF_ALLTOALLV, TO_ALLTOALLV)
NONBLOCKING(alltoallw, OF_ALLTOALLW, TO_ALLTOALLW)
NONBLOCKING(reduce, OF_REDUCE, TO_REDUCE)
NONBLOCKING(allreduce, OF_ALLREDUCE, TO_ALLREDUCE)
NONBLOCKING(reduce_scatter, OF_REDUCE_SCATTER, TO_REDUCE_SCATTER)
NONBLOCKING(reduce_scatter_block, OF_ALLREDUCE, TO_ALLREDUCE)
NONBLOCKING(scan, OF_ALLREDUCE, TO_ALLREDUCE)
NONBLOCKING(exscan, OF_ALLREDUCE, TO_ALLREDUCE)
NONBLOCKING(neighbor_allgather, OF_ALLGATHER, TO_ALLGATHER)
NONBLOCKING(neighbor_allgatherv, OF_ALLGATHERV, TO_ALLGATHERV)
NONBLOCKING(neighbor_alltoall, OF_ALLTOALL, TO_ALLTOALL)
NONBLOCKING(neighbor_alltoallv, OF_ALLTOALLV, TO_ALLTOALLV)
NONBLOCKING(neighbor_alltoallw, OF_NEIGHBORW, TO_NEIGHBORW)

#if MPI_VERSION >= 4
#define LARGE(name, OF, ...)            CPM_OTHER_LARGE(MPI_##name##_c, (OF(MPI_Count, MPI_Aint)), (__VA_ARGS__))
#define LARGE_NONBLOCKING(name, OF, ...) CPM_OTHER_LARGE(MPI_I##name##_c, (OF(MPI_Count, MPI_Aint), MPI_Request *request), (__VA_ARGS__, request))
#define PERSISTENT(name, OF, ...)       CPM_OTHER(MPI_##name##_init, (OF(int, int), MPI_Info info, MPI_Request *request), (__VA_ARGS__, info, request))
#define LARGE_PERSISTENT(name, OF, ...) CPM_OTHER_LARGE(MPI_##name##_init_c, (OF(MPI_Count, MPI_Aint), MPI_Info info, MPI_Request *request), (__VA_ARGS__, info, request))
#define ALL(Name, name, OF, ...)            \
    PERSISTENT(Name, OF, __VA_ARGS__)       \
    LARGE_PERSISTENT(Name, OF, __VA_ARGS__) \
    LARGE_NONBLOCKING(name, OF, __VA_ARGS__)

LARGE(Scatterv, OF_SCATTERV, TO_SCATTERV)
LARGE(Gatherv, OF_GATHERV, TO_GATHERV)
LARGE(Allgatherv, OF_ALLGATHERV, TO_ALLGATHERV)
LARGE(Alltoallv, OF_ALLTOALLV, TO_ALLTOALLV)
LARGE(Alltoallw, OF_ALLTOALLW, TO_ALLTOALLW)
LARGE(Reduce_scatter, OF_REDUCE_SCATTER, TO_REDUCE_SCATTER)
LARGE(Scan, OF_ALLREDUCE, TO_ALLREDUCE)
LARGE(Exscan, OF_ALLREDUCE, TO_ALLREDUCE)
LARGE(Neighbor_allgather, OF_ALLGATHER, TO_ALLGATHER)
LARGE(Neighbor_allgatherv, OF_ALLGATHERV, TO_ALLGATHERV)
LARGE(Neighbor_alltoall, OF_ALLTOALL, TO_ALLTOALL)
LARGE(Neighbor_alltoallv, OF_ALLTOALLV, TO_ALLTOALLV)
LARGE(Neighbor_alltoallw, OF_NEIGHBORW, TO_NEIGHBORW)
PERSISTENT(Barrier, OF_BARRIER, TO_BARRIER)
ALL(Bcast, bcast, OF_BCAST, TO_BCAST)
ALL(Scatter, scatter, OF_SCATTER, TO_SCATTER)
ALL(Scatterv, scatterv, OF_SCATTERV, TO_SCATTERV)
ALL(Gather, gather, OF_GATHER, TO_GATHER)
ALL(Gatherv, gatherv, OF_GATHERV, TO_GATHERV)
ALL(Allgather, allgather, OF_ALLGATHER, TO_ALLGATHER)
ALL(Allgatherv, allgatherv, OF_ALLGATHERV, TO_ALLGATHERV)
ALL(Alltoall, alltoall, OF_ALLTOALL, TO_ALLTOALL)
ALL(Alltoallv, alltoallv, OF_ALLTOALLV, TO_ALLTOALLV)
ALL(Alltoallw, alltoallw, OF_ALLTOALLW, TO_ALLTOALLW)
ALL(Reduce, reduce, OF_REDUCE, TO_REDUCE)
ALL(Allreduce, allreduce, OF_ALLREDUCE, TO_ALLREDUCE)
ALL(Reduce_scatter, reduce_scatter, OF_REDUCE_SCATTER, TO_REDUCE_SCATTER)
ALL(Reduce_scatter_block, reduce_scatter_block, OF_ALLREDUCE, TO_ALLREDUCE)
ALL(Scan, scan, OF_ALLREDUCE, TO_ALLREDUCE)
ALL(Exscan, exscan, OF_ALLREDUCE, TO_ALLREDUCE)
ALL(Neighbor_allgather, neighbor_allgather, OF_ALLGATHER, TO_ALLGATHER)
ALL(Neighbor_allgatherv, neighbor_allgatherv, OF_ALLGATHERV, TO_ALLGATHERV)
ALL(Neighbor_alltoall, neighbor_alltoall, OF_ALLTOALL, TO_ALLTOALL)
ALL(Neighbor_alltoallv, neighbor_alltoallv, OF_ALLTOALLV, TO_ALLTOALLV)
ALL(Neighbor_alltoallw, neighbor_alltoallw, OF_NEIGHBORW, TO_NEIGHBORW)
#undef LARGE
#undef LARGE_NONBLOCKING
#undef PERSISTENT
#undef LARGE_PERSISTENT
#undef ALL
#endif
#undef BLOCKING
#undef NONBLOCKING
#undef CPM_OTHER
#undef CPM_OTHER_LARGE
/* clang-format on */
