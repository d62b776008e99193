/* The open benchmarks of thesis chapter 3: of a user's own point-to-point operation and of a
 * user's own collective operation. */
#ifndef CPM_MPIB_BENCHMARK_H
#define CPM_MPIB_BENCHMARK_H

#include <mpi.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/summary.h"
#include "measurements/timing.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The processes of a communicator, ready to be measured. */
typedef struct cpm_machine cpm_machine;

/* comm is duplicated, its processes are measured by MPI_Wtime. The caller frees *out with
 * mpib_machine_free. Collective over comm; CPM_EMPI, CPM_ENOMEM. */
CPM_API int mpib_machine_create(MPI_Comm comm, mpib_timing timing, cpm_machine **out, cpm_error *e);
/* Collective. m may be NULL, then on every rank. */
CPM_API void mpib_machine_free(cpm_machine *m);

/* A user's point-to-point operation (thesis 3.2.1): its own struct begins with this one. Its
 * functions communicate over comm only; initialize and finalize are called once on every rank. */
typedef struct mpib_p2p_operation mpib_p2p_operation;
struct mpib_p2p_operation {
    const char *name;
    int (*initialize)(mpib_p2p_operation *self, MPI_Comm comm, size_t bytes, cpm_error *e);
    void (*measure)(mpib_p2p_operation *self, MPI_Comm comm, size_t bytes, int mirror);
    void (*mirror)(mpib_p2p_operation *self, MPI_Comm comm, size_t bytes, int measure);
    void (*finalize)(mpib_p2p_operation *self);
};

/* Times op between all pairs i < j, measured at i; with parallel as rounds of disjoint pairs.
 * results[n(n-1)/2] in order (0,1), (0,2), ... are set at rank 0 (may be NULL elsewhere).
 * Collective; fails on every rank or on none: CPM_EINVAL, CPM_EPROCESS, CPM_ENOMEM, or what
 * initialize returns. */
CPM_API int mpib_measure_p2p(cpm_machine *machine, mpib_p2p_operation *op, size_t bytes,
                             bool parallel, const cpm_precision *p, cpm_summary *results,
                             cpm_error *e);

/* A user's collective operation (thesis 3.3.2), likewise. */
typedef struct mpib_coll_operation mpib_coll_operation;
struct mpib_coll_operation {
    const char *name;
    int (*initialize)(mpib_coll_operation *self, MPI_Comm comm, int root, size_t bytes,
                      cpm_error *e);
    /* A failure, which one rank alone may have, ends the measurement after this repetition. */
    int (*execute)(mpib_coll_operation *self, MPI_Comm comm, int root, size_t bytes, cpm_error *e);
    void (*finalize)(mpib_coll_operation *self);
    /* Writes anew what this rank sends, before each repetition and outside its time; NULL: nothing
       is written, and a process reads again and again what it has in its cache. */
    void (*refresh)(mpib_coll_operation *self);
};

/* Times op with the machine's timing method; repetitions (batches) are isolated by a double
 * barrier. result is set at rank 0; samples[p->max_reps], if not NULL, too. Collective, as above.
 */
CPM_API int mpib_measure_coll(cpm_machine *machine, mpib_coll_operation *op, int root, size_t bytes,
                              const cpm_precision *p, cpm_summary *result, double *samples,
                              cpm_error *e);

#ifdef __cplusplus
}
#endif
#endif
