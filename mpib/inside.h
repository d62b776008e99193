/* What the processors of a host share, as Linux tells under /sys: it is what hwloc would show. */
#ifndef CPM_MPIB_INSIDE_H
#define CPM_MPIB_INSIDE_H

#include <mpi.h>
#include <sched.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of the processors that processes may use; 0: it is not told. */
typedef struct {
    int sockets, caches; /* caches of the last level */
} mpib_inside;

/* Of the processors in used; cpus is the folder with cpu0, cpu1, ... Local. */
mpib_inside mpib_inside_of(const char *cpus, const cpu_set_t *used);

/* The most of any host of comm. Collective. */
mpib_inside mpib_inside_hosts(MPI_Comm comm);

#ifdef __cplusplus
}
#endif

#endif
