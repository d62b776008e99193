/* CPM with MPI: models of a communicator, collectives that are chosen by a model, and benchmarks of
 * operations of one's own. Built for one MPI library; link cpm::mpib (pkg-config: mpib), which has
 * all of cpm.h too.
 *
 * What is collective fails on every rank or on none, unless a rank gives other arguments. */
#ifndef CPM_MPI_H
#define CPM_MPI_H

#include <mpi.h>

#include "cpm/cpm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Models of a communicator ---- */

/* Reads a .mod file at rank 0 of comm for all of its ranks. Each frees its *out with
 * cpm_model_free. Collective; CPM_EIO, CPM_EPARSE, CPM_ENOMEM, CPM_EINVAL (an
 * inter-communicator). */
CPM_API int cpm_model_load(const char *path, MPI_Comm comm, cpm_model **out, cpm_error *e);

/* The model of rank root becomes known to all (thesis 6.3): *m is given at root and set elsewhere,
 * where it is the caller's to free. Collective, as above. */
CPM_API int cpm_model_bcast(cpm_model **m, int root, MPI_Comm comm, cpm_error *e);

/* Measures the processes of comm for about so many seconds and estimates a model of that type
 * ("lmo") from what was measured (thesis 6.3); every rank gets it, to free. Collective, as above;
 * CPM_EDATA if the time was too short, CPM_EPROCESS, CPM_EUNKNOWN. */
CPM_API int cpm_model_estimate(const char *type, double seconds, MPI_Comm comm, cpm_model **out,
                               cpm_error *e);

/* Collectives below choose by this model on comm from now on; process i of the model is rank i of
 * comm. m is copied; NULL: MPI's own routines again. Collective, as above; CPM_EPROCESS: the model
 * has another number of processes. After an error what decided before still does. */
CPM_API int cpm_use_model(MPI_Comm comm, const cpm_model *m, cpm_error *e);

/* The calls on comm themselves decide from now on, within a budget, as with CPM_ADAPT
 * (doc/adapt.md): what m predicts to be the fastest is tried first; NULL: nothing is known before.
 * The rest as above; cpm_use_model ends it. */
CPM_API int cpm_use_adapting(MPI_Comm comm, const cpm_model *m, cpm_error *e);

/* The rules of CPM_RULES see this value as value:NAME on comm from now on (doc/rules.md); before it
 * is 0. A value that changes makes what was decided be decided anew. All ranks give the same.
 * Names are of letters, digits, '.', '_' and '-', without "value:". Collective; CPM_ENOMEM;
 * CPM_EINVAL: no rule could ask for such a name, whether there are rules or not. */
CPM_API int cpm_set_value(MPI_Comm comm, const char *name, long value, cpm_error *e);

/* ---- Collectives ---- */

/* Collectives that are run as a model, a decision table or the user says. Arguments, results and
 * errors are those of MPI's: MPI_SUCCESS or its code, after comm's error handler was called.
 * Collective over comm.
 *
 * What decides on a communicator is what was given to it by cpm_use_model or cpm_use_adapting; else
 * what the environment says (CPM_FORCE, CPM_RULES, CPM_TABLE, CPM_MODEL, CPM_ADAPT, doc/tuned.md);
 * else everything is MPI's own. What these cannot do (inter-communicators, wrong arguments) is
 * passed to MPI's own routine. */
CPM_API int cpm_barrier(MPI_Comm comm);
CPM_API int cpm_bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm);
CPM_API int cpm_scatter(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                        int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm);
CPM_API int cpm_scatterv(const void *send, const int *send_counts, const int *displacements,
                         MPI_Datatype send_type, void *recv, int recv_count, MPI_Datatype recv_type,
                         int root, MPI_Comm comm);
CPM_API int cpm_gather(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                       int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm);
CPM_API int cpm_gatherv(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                        const int *recv_counts, const int *displacements, MPI_Datatype recv_type,
                        int root, MPI_Comm comm);
CPM_API int cpm_allgather(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                          int recv_count, MPI_Datatype recv_type, MPI_Comm comm);
CPM_API int cpm_allgatherv(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                           const int *recv_counts, const int *displacements, MPI_Datatype recv_type,
                           MPI_Comm comm);
CPM_API int cpm_alltoall(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                         int recv_count, MPI_Datatype recv_type, MPI_Comm comm);
CPM_API int cpm_alltoallv(const void *send, const int *send_counts, const int *send_displacements,
                          MPI_Datatype send_type, void *recv, const int *recv_counts,
                          const int *recv_displacements, MPI_Datatype recv_type, MPI_Comm comm);
CPM_API int cpm_alltoallw(const void *send, const int *send_counts, const int *send_displacements,
                          const MPI_Datatype *send_types, void *recv, const int *recv_counts,
                          const int *recv_displacements, const MPI_Datatype *recv_types,
                          MPI_Comm comm);
CPM_API int cpm_reduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                       int root, MPI_Comm comm);
CPM_API int cpm_allreduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm);
CPM_API int cpm_scan(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                     MPI_Comm comm);
CPM_API int cpm_exscan(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm);
CPM_API int cpm_reduce_scatter(const void *send, void *recv, const int *recv_counts,
                               MPI_Datatype type, MPI_Op op, MPI_Comm comm);
CPM_API int cpm_reduce_scatter_block(const void *send, void *recv, int recv_count,
                                     MPI_Datatype type, MPI_Op op, MPI_Comm comm);
CPM_API int cpm_neighbor_allgather(const void *send, int send_count, MPI_Datatype send_type,
                                   void *recv, int recv_count, MPI_Datatype recv_type,
                                   MPI_Comm comm);
CPM_API int cpm_neighbor_allgatherv(const void *send, int send_count, MPI_Datatype send_type,
                                    void *recv, const int *recv_counts, const int *displacements,
                                    MPI_Datatype recv_type, MPI_Comm comm);
CPM_API int cpm_neighbor_alltoall(const void *send, int send_count, MPI_Datatype send_type,
                                  void *recv, int recv_count, MPI_Datatype recv_type,
                                  MPI_Comm comm);
CPM_API int cpm_neighbor_alltoallv(const void *send, const int *send_counts,
                                   const int *send_displacements, MPI_Datatype send_type,
                                   void *recv, const int *recv_counts,
                                   const int *recv_displacements, MPI_Datatype recv_type,
                                   MPI_Comm comm);
CPM_API int cpm_neighbor_alltoallw(const void *send, const int *send_counts,
                                   const MPI_Aint *send_displacements,
                                   const MPI_Datatype *send_types, void *recv,
                                   const int *recv_counts, const MPI_Aint *recv_displacements,
                                   const MPI_Datatype *recv_types, MPI_Comm comm);

/* Keys of an info ("cpm_bcast": "chain:segment=8K") choose the algorithms of an operation on comm
 * from now on, those of rank 0 (doc/rules.md). Collective: what the preloaded library does after
 * MPI_Comm_set_info. */
CPM_API void cpm_tuned_set_info(MPI_Comm comm, MPI_Info info);
/* Adds the keys that hold on comm to an info. Local. */
CPM_API void cpm_tuned_get_info(MPI_Comm comm, MPI_Info info);

/* Whether the environment, or an info, asks for anything; thread-safe. */
CPM_API bool cpm_tuned_active(void);
/* Where that is said from now on, 1 or 0, for who asks before each call: to be read atomically. */
CPM_API const int *cpm_tuned_activity(void);

/* Nonblocking forms. They need somebody who calls cpm_tuned_advance: the preloaded library does;
 * else they are MPI's own. What a model or table says of a kind of call holds from the next
 * blocking one on for which all ranks wait (doc/tuned.md). Errors of what has begun are those of
 * its request.
 * MPI_Waitall of MPICH ends the program where a null request stands beside one under way: use
 * cpm_waitall. */
CPM_API int cpm_ibarrier(MPI_Comm comm, MPI_Request *request);
CPM_API int cpm_ibcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                       MPI_Request *request);
CPM_API int cpm_iscatter(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                         int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm,
                         MPI_Request *request);
CPM_API int cpm_iscatterv(const void *send, const int *send_counts, const int *displacements,
                          MPI_Datatype send_type, void *recv, int recv_count,
                          MPI_Datatype recv_type, int root, MPI_Comm comm, MPI_Request *request);
CPM_API int cpm_igather(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                        int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm,
                        MPI_Request *request);
CPM_API int cpm_igatherv(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                         const int *recv_counts, const int *displacements, MPI_Datatype recv_type,
                         int root, MPI_Comm comm, MPI_Request *request);
CPM_API int cpm_iallgather(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                           int recv_count, MPI_Datatype recv_type, MPI_Comm comm,
                           MPI_Request *request);
CPM_API int cpm_iallgatherv(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                            const int *recv_counts, const int *displacements,
                            MPI_Datatype recv_type, MPI_Comm comm, MPI_Request *request);
CPM_API int cpm_ialltoall(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                          int recv_count, MPI_Datatype recv_type, MPI_Comm comm,
                          MPI_Request *request);
CPM_API int cpm_ialltoallv(const void *send, const int *send_counts, const int *send_displacements,
                           MPI_Datatype send_type, void *recv, const int *recv_counts,
                           const int *recv_displacements, MPI_Datatype recv_type, MPI_Comm comm,
                           MPI_Request *request);
CPM_API int cpm_ialltoallw(const void *send, const int *send_counts, const int *send_displacements,
                           const MPI_Datatype *send_types, void *recv, const int *recv_counts,
                           const int *recv_displacements, const MPI_Datatype *recv_types,
                           MPI_Comm comm, MPI_Request *request);
CPM_API int cpm_ireduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                        int root, MPI_Comm comm, MPI_Request *request);
CPM_API int cpm_iallreduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                           MPI_Comm comm, MPI_Request *request);
CPM_API int cpm_iscan(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                      MPI_Comm comm, MPI_Request *request);
CPM_API int cpm_iexscan(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                        MPI_Comm comm, MPI_Request *request);
CPM_API int cpm_ireduce_scatter(const void *send, void *recv, const int *recv_counts,
                                MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request);
CPM_API int cpm_ireduce_scatter_block(const void *send, void *recv, int recv_count,
                                      MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                      MPI_Request *request);
CPM_API int cpm_ineighbor_allgather(const void *send, int send_count, MPI_Datatype send_type,
                                    void *recv, int recv_count, MPI_Datatype recv_type,
                                    MPI_Comm comm, MPI_Request *request);
CPM_API int cpm_ineighbor_allgatherv(const void *send, int send_count, MPI_Datatype send_type,
                                     void *recv, const int *recv_counts, const int *displacements,
                                     MPI_Datatype recv_type, MPI_Comm comm, MPI_Request *request);
CPM_API int cpm_ineighbor_alltoall(const void *send, int send_count, MPI_Datatype send_type,
                                   void *recv, int recv_count, MPI_Datatype recv_type,
                                   MPI_Comm comm, MPI_Request *request);
CPM_API int cpm_ineighbor_alltoallv(const void *send, const int *send_counts,
                                    const int *send_displacements, MPI_Datatype send_type,
                                    void *recv, const int *recv_counts,
                                    const int *recv_displacements, MPI_Datatype recv_type,
                                    MPI_Comm comm, MPI_Request *request);
CPM_API int cpm_ineighbor_alltoallw(const void *send, const int *send_counts,
                                    const MPI_Aint *send_displacements,
                                    const MPI_Datatype *send_types, void *recv,
                                    const int *recv_counts, const MPI_Aint *recv_displacements,
                                    const MPI_Datatype *recv_types, MPI_Comm comm,
                                    MPI_Request *request);

/* Open MPI 5 says that it is MPI 3.1; of MPI 4 it has the persistent ones. */
#if MPI_VERSION >= 4 || (defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5)
#define CPM_HAS_PERSISTENT 1
#else
#define CPM_HAS_PERSISTENT 0
#endif

/* Persistent forms (MPI 4), as above; they are decided where they are made, which is collective.
 * They are started and freed by the last three, which take any other request, too. What fails in a
 * run is told to comm's error handler. */
#if CPM_HAS_PERSISTENT
CPM_API int cpm_barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request *request);
CPM_API int cpm_bcast_init(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                           MPI_Info info, MPI_Request *request);
CPM_API int cpm_scatter_init(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                             int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm,
                             MPI_Info info, MPI_Request *request);
CPM_API int cpm_scatterv_init(const void *send, const int *send_counts, const int *displacements,
                              MPI_Datatype send_type, void *recv, int recv_count,
                              MPI_Datatype recv_type, int root, MPI_Comm comm, MPI_Info info,
                              MPI_Request *request);
CPM_API int cpm_gather_init(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                            int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm,
                            MPI_Info info, MPI_Request *request);
CPM_API int cpm_gatherv_init(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                             const int *recv_counts, const int *displacements,
                             MPI_Datatype recv_type, int root, MPI_Comm comm, MPI_Info info,
                             MPI_Request *request);
CPM_API int cpm_allgather_init(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                               int recv_count, MPI_Datatype recv_type, MPI_Comm comm, MPI_Info info,
                               MPI_Request *request);
CPM_API int cpm_allgatherv_init(const void *send, int send_count, MPI_Datatype send_type,
                                void *recv, const int *recv_counts, const int *displacements,
                                MPI_Datatype recv_type, MPI_Comm comm, MPI_Info info,
                                MPI_Request *request);
CPM_API int cpm_alltoall_init(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                              int recv_count, MPI_Datatype recv_type, MPI_Comm comm, MPI_Info info,
                              MPI_Request *request);
CPM_API int cpm_alltoallv_init(const void *send, const int *send_counts,
                               const int *send_displacements, MPI_Datatype send_type, void *recv,
                               const int *recv_counts, const int *recv_displacements,
                               MPI_Datatype recv_type, MPI_Comm comm, MPI_Info info,
                               MPI_Request *request);
CPM_API int cpm_alltoallw_init(const void *send, const int *send_counts,
                               const int *send_displacements, const MPI_Datatype *send_types,
                               void *recv, const int *recv_counts, const int *recv_displacements,
                               const MPI_Datatype *recv_types, MPI_Comm comm, MPI_Info info,
                               MPI_Request *request);
CPM_API int cpm_reduce_init(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                            int root, MPI_Comm comm, MPI_Info info, MPI_Request *request);
CPM_API int cpm_allreduce_init(const void *send, void *recv, int count, MPI_Datatype type,
                               MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request);
CPM_API int cpm_scan_init(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm, MPI_Info info, MPI_Request *request);
CPM_API int cpm_exscan_init(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                            MPI_Comm comm, MPI_Info info, MPI_Request *request);
CPM_API int cpm_reduce_scatter_init(const void *send, void *recv, const int *recv_counts,
                                    MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Info info,
                                    MPI_Request *request);
CPM_API int cpm_reduce_scatter_block_init(const void *send, void *recv, int recv_count,
                                          MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                          MPI_Info info, MPI_Request *request);
CPM_API int cpm_neighbor_allgather_init(const void *send, int send_count, MPI_Datatype send_type,
                                        void *recv, int recv_count, MPI_Datatype recv_type,
                                        MPI_Comm comm, MPI_Info info, MPI_Request *request);
CPM_API int cpm_neighbor_allgatherv_init(const void *send, int send_count, MPI_Datatype send_type,
                                         void *recv, const int *recv_counts,
                                         const int *displacements, MPI_Datatype recv_type,
                                         MPI_Comm comm, MPI_Info info, MPI_Request *request);
CPM_API int cpm_neighbor_alltoall_init(const void *send, int send_count, MPI_Datatype send_type,
                                       void *recv, int recv_count, MPI_Datatype recv_type,
                                       MPI_Comm comm, MPI_Info info, MPI_Request *request);
CPM_API int cpm_neighbor_alltoallv_init(const void *send, const int *send_counts,
                                        const int *send_displacements, MPI_Datatype send_type,
                                        void *recv, const int *recv_counts,
                                        const int *recv_displacements, MPI_Datatype recv_type,
                                        MPI_Comm comm, MPI_Info info, MPI_Request *request);
CPM_API int cpm_neighbor_alltoallw_init(const void *send, const int *send_counts,
                                        const MPI_Aint *send_displacements,
                                        const MPI_Datatype *send_types, void *recv,
                                        const int *recv_counts, const MPI_Aint *recv_displacements,
                                        const MPI_Datatype *recv_types, MPI_Comm comm,
                                        MPI_Info info, MPI_Request *request);
#endif
/* Operations of the program's own that collectives under way combine by are freed behind them. */
CPM_API int cpm_op_free(MPI_Op *op);
CPM_API int cpm_start(MPI_Request *request);
CPM_API int cpm_startall(int count, MPI_Request *requests);
CPM_API int cpm_request_free(MPI_Request *request);
CPM_API int cpm_wait(MPI_Request *request, MPI_Status *status);
CPM_API int cpm_waitall(int count, MPI_Request *requests, MPI_Status *statuses);

/* From now on the program's requests are waited for by cpm_wait and cpm_waitall, and
 * cpm_tuned_before_completion is called before all other functions of MPI that ask whether requests
 * have ended. Persistent collectives take less time then: MPI does not know that they were started.
 * Once, before any is made. Local. */
CPM_API void cpm_tuned_completes(void);
CPM_API void cpm_tuned_before_completion(int count, const MPI_Request *requests);

/* The caller calls cpm_tuned_advance whenever MPI looks for messages, as long as *calls, the number
 * of nonblocking calls under way, is not 0. calls lasts as long as the process. Once, before a
 * collective is called. Local. */
CPM_API void cpm_tuned_progresses(int *calls);

/* Goes on with nonblocking calls; something_came: MPI has seen a message, or the caller cannot say.
 * Local; not while another thread is in MPI. */
CPM_API void cpm_tuned_advance(bool something_came);

/* Whether the environment (CPM_PROGRESS=1) asks for a thread that goes on with nonblocking calls
 * while the program computes. Then MPI is begun with MPI_THREAD_MULTIPLE, and the thread by the
 * next function, before cpm_tuned_begin. The program has one thread at most in MPI, as without it.
 * The thread ends before MPI does. False: there is none. Local. */
CPM_API bool cpm_tuned_wants_thread(void);
CPM_API bool cpm_tuned_thread_begin(void);
CPM_API void cpm_tuned_thread_end(void);

/* MPI has begun, in so many seconds; 0: nonblocking collectives are not to be tuned where none
 * blocks. What the environment asks for that all processes have to do together is begun, too, and
 * process 0 says what is set there and means nothing. Collective over MPI_COMM_WORLD, once, before
 * any other collective. */
CPM_API void cpm_tuned_begin(double seconds);

/* A communicator was made, by a call of all ranks of parent, or of others (MPI_COMM_NULL). What its
 * ranks would have to agree on in its first call is agreed on here where that call may not block,
 * and where CPM_CHECK=1 they begin to compare their calls. Collective over comm, which may be
 * MPI_COMM_NULL. */
CPM_API void cpm_tuned_made(MPI_Comm parent, MPI_Comm comm);

/* A communicator is freed by own, which is MPI_Comm_free's or MPI_Comm_disconnect's PMPI_ name.
 * Functions of the program that MPI calls meanwhile, to end attributes, may call collectives on it.
 * Returns what own returns. Collective over *comm. */
CPM_API int cpm_tuned_free(MPI_Comm *comm, int (*own)(MPI_Comm *comm));

/* Who cannot end a call of a collective before all ranks have begun it. */
typedef enum {
    CPM_NOBODY_WAITS, /* bcast, scatter, alltoallv, scan, those of neighbours: before some have */
    CPM_ROOT_WAITS,   /* gather, reduce */
    CPM_ALL_WAIT      /* allreduce, allgather, alltoall */
} cpm_waiting;

/* This rank makes a call of a collective with MPI's own routine while others may make theirs with
 * one of these: calls are numbered, by the same numbers on all ranks. Collective. */
CPM_API void cpm_tuned_pass(MPI_Comm comm, cpm_waiting who);

/* The same of a nonblocking one. Local. */
CPM_API void cpm_tuned_pass_begun(MPI_Comm comm);

/* A collective that CPM does not take begins, and has ended: a profile counts these by function
 * ("MPI_Ibcast", shorter than 64 characters). The first returns seconds, which the second gets;
 * below 0: nothing is counted. Local, thread-safe. */
CPM_API double cpm_tuned_other_begin(void);
CPM_API void cpm_tuned_other_end(const char *function, double begun);

/* MPI's own routine has made, or refused, a persistent one, with that status, which is returned: a
 * profile counts what is started by cpm_start and cpm_startall, but with MPI_THREAD_MULTIPLE.
 * function lasts. Local. */
CPM_API int cpm_tuned_other_made(const char *function, int status, const MPI_Request *request);

#ifdef __cplusplus
}
#endif

/* ---- Benchmarks ---- */

#include "mpib/benchmark.h"

/* ---- Agreement ---- */

#include "executor/agree.h"

/* ---- Before MPI begins ---- */

#include "hosts/launched.h"

#endif
