/* The blocking collectives of applications. */
#include "cpm/cpm_mpi.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/new_file.h"
#include "base/notice.h"
#include "hosts/launcher.h"
#include "tuned/adapt/learn.h"
#include "tuned/adapt/open.h"
#include "tuned/attribute.h"
#include "tuned/call/call.h"
#include "tuned/call/info.h"
#include "tuned/call/onset.h"
#include "tuned/call/records.h"
#include "tuned/call/sides.h"
#include "tuned/comm/layout.h"
#include "tuned/comm/neighbours.h"
#include "tuned/comm/schedules.h"
#include "tuned/comm/use_model.h"
#include "tuned/environment.h"
#include "tuned/report/report.h"
#include "tuned/trust.h"

const int *cpm_tuned_activity(void)
{
    return tuned_info_activity(tuned_environment_get()->active);
}

bool cpm_tuned_active(void)
{
    return __atomic_load_n(cpm_tuned_activity(), __ATOMIC_RELAXED);
}

/* What cannot be a file of anything is said by process 0 at once: where calls decide it is read
 * late, or in a short program never. */
static void look_for(const char *path, void (*warn)(const char *text))
{
    char text[4096];
    struct stat of;
    bool there = path && access(path, R_OK) == 0 && stat(path, &of) == 0;
    bool empty = there && S_ISREG(of.st_mode) && of.st_size == 0;
    if (!path || (there && !empty && !S_ISDIR(of.st_mode)))
        return;
    snprintf(text, sizeof text, "%s: cannot be read: %s", path,
             empty   ? "it is empty"
             : there ? strerror(EISDIR)
                     : strerror(errno));
    warn(text);
}

static void look_for_layout(void)
{
    cpm_hosts world = {0};
    cpm_error e = {0};
    if (tuned_environment_get()->layout && tuned_layout_read(&world, &e) != CPM_OK)
        tuned_warn(e.text);
    cpm_hosts_clear(&world);
}

static void look_for_files(const tuned_environment *said)
{
    if (!said->adapts)
        return;
    look_for(said->table, tuned_warn_of_model);
    look_for(said->model, tuned_warn_of_model);
    look_for(said->topology, tuned_warn);
    look_for_layout();
}

static void look_for_output(const char *variable, const char *path, cpm_file_kind kind)
{
    cpm_error e = {0};
    if (path && cpm_new_file_check(path, kind, NULL, &e))
        fprintf(stderr, "cpm: %s: %s; nothing is going to be written there\n", variable, e.text);
}

/* What cannot be written at the end is told before the program has run. */
static void look_for_outputs(const tuned_environment *said)
{
    look_for_output("CPM_PROFILE", said->profile, CPM_FILE_PROFILE);
    look_for_output("CPM_REPORT", said->report, CPM_FILE_REPORT);
}

static void say_note(const char *text)
{
    fprintf(stderr, "cpm: note: %s\n", text);
}

/* What is set and means nothing. */
static void say_remarks(const tuned_environment *said)
{
    for (int k = 0; k < said->remarks; k++)
        fprintf(stderr, "cpm: %s\n", said->remark[k]);
}

/* Another MPI's launcher starts as many programs of one process as there should be processes of one
 * program: none of them does what it was started for. */
static void stop_if_alone(void)
{
    int size = 1;
    cpm_error e = {0};
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!mpib_launched_by_another() || !mpib_launcher_check(size, "cpm run ...", &e))
        return;
    if (mpib_launched_first())
        fprintf(stderr, "cpm run: %s\n", e.text);
    fflush(NULL);
    PMPI_Finalize();
    _exit(1);
}

static bool is_prepared(const tuned_state *t)
{
    return t->adapt && t->adapt->prepared;
}

/* Whether it is one of the first of a communicator that chooses already: all ranks of that one
 * know, and messages among processes alone need no state, which takes as long as a communicator
 * does. */
static bool is_made_early(MPI_Comm parent)
{
    enum { MOST_EARLY = 16 };
    tuned_state *p = NULL;
    const bool known = tuned_state_known(parent, &p) && p;
    return known && (!p->native || is_prepared(p)) && p->early++ < MOST_EARLY;
}

/* All its ranks say the same. */
static bool needs_state(MPI_Comm comm, bool early)
{
    const tuned_environment *said = tuned_environment_get();
    int topology = MPI_UNDEFINED;
    if (said->profile || comm == MPI_COMM_NULL)
        return false;
    if (said->check)
        return true;
    if (tuned_adapts(comm) ? !said->early : !tuned_environment_chooses())
        return false;
    PMPI_Topo_test(comm, &topology);
    return comm == MPI_COMM_WORLD || topology != MPI_UNDEFINED || early;
}

/* Where calls decide nothing else is asked of all before the first one. */
static void look_for_neighbours(MPI_Comm comm)
{
    const bool lonely =
        comm != MPI_COMM_NULL && tuned_adapts(comm) && tuned_neighbours_are_lonely(comm);
    tuned_state *t = lonely ? tuned_state_of(comm) : NULL;
    if (t)
        t->lonely = true;
}

/* Where calls decide, and nothing says that it is to be opened at once. */
static bool is_to_be_prepared(MPI_Comm comm)
{
    const tuned_environment *said = tuned_environment_get();
    return comm != MPI_COMM_NULL && tuned_adapts(comm) && !said->early && !said->check &&
           !said->profile && said->policy != CPM_ADAPT_THRESHOLD && tuned_state_is_possible(comm);
}

void cpm_tuned_made(MPI_Comm parent, MPI_Comm comm)
{
    const bool early = is_made_early(parent);
    tuned_state *p = NULL;
    look_for_neighbours(comm);
    tuned_state *t = needs_state(comm, early) ? tuned_state_of(comm) : NULL;
    if (t && t->adapt && !t->adapt->open && tuned_environment_get()->early)
        tuned_adapt_open_early(t);
    if (t)
        tuned_records_begin(t);
    if (early && is_to_be_prepared(comm) && tuned_state_known(parent, &p) && is_prepared(p))
        tuned_open_prepare(tuned_state_of(comm), comm, p->adapt->heard.sync);
}

int cpm_tuned_free(MPI_Comm *comm, int (*own)(MPI_Comm *comm))
{
    return tuned_attribute_free(comm, own);
}

void cpm_tuned_begin(double seconds)
{
    int initialized = 0;
    PMPI_Initialized(&initialized); /* a session has no such communicator */
    if (initialized)
        stop_if_alone();
    if (initialized && tuned_is_root(MPI_COMM_WORLD, 0)) {
        cpm_notice_to(say_note);
        say_remarks(tuned_environment_get());
        look_for_files(tuned_environment_get());
        look_for_outputs(tuned_environment_get());
    }
    const tuned_environment *said = tuned_environment_get();
    if (said->profile || said->compare || (said->adapts && said->reported))
        tuned_report_begin();
#ifndef CPM_SMPI
    if (initialized && (tuned_environment_chooses() || tuned_environment_adapts()))
        tuned_onset_watch();
#endif
    if (initialized) {
        tuned_schedules_begin();
        tuned_trust_begin();
        cpm_tuned_made(MPI_COMM_NULL, MPI_COMM_WORLD);
    }
    tuned_learn_begin();
    tuned_open_may_prepare(seconds);
#ifndef CPM_SMPI
    if (initialized && is_to_be_prepared(MPI_COMM_WORLD))
        tuned_open_prepare(tuned_state_of(MPI_COMM_WORLD), MPI_COMM_WORLD, 0);
#endif
}

int cpm_use_model(MPI_Comm comm, const cpm_model *m, cpm_error *e)
{
    tuned_state *t;
    return tuned_use_model(comm, m, false, &t, e);
}

int cpm_use_adapting(MPI_Comm comm, const cpm_model *m, cpm_error *e)
{
    tuned_state *t;
    int status = tuned_use_model(comm, m, true, &t, e);
    return status || !t ? status : tuned_open_asked(t, e);
}

int cpm_barrier(MPI_Comm comm)
{
    const tuned_signature s = {.operation = CPM_OP_BARRIER};
    tuned_slot *hot = tuned_hot_begin(comm, &s, NULL, NULL);
    if (hot && hot->by.plan)
        return tuned_hot_run(hot, NULL, NULL);
    if (hot)
        return tuned_hot_end(hot, PMPI_Barrier(comm));
    tuned_call c;
    mpib_arguments a = tuned_barrier_arguments();
    if (tuned_call_begin(&c, comm, &a, NULL, NULL, NULL))
        return tuned_call_run(&c, &s, NULL, NULL);
    return tuned_call_native(&c, &s, PMPI_Barrier(comm));
}

int cpm_bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    const tuned_signature s = {
        .operation = CPM_OP_BCAST, .root = root, .recv_count = count, .recv_type = type};
    tuned_slot *hot = tuned_hot_begin(comm, &s, NULL, buffer);
    if (hot && hot->by.plan)
        return tuned_hot_run(hot, NULL, buffer);
    if (hot)
        return tuned_hot_end(hot, PMPI_Bcast(buffer, count, type, root, comm));
    tuned_call c;
    mpib_arguments a = tuned_bcast_arguments(count, type, root);
    if (tuned_call_begin(&c, comm, &a, NULL, NULL, buffer))
        return tuned_call_run(&c, &s, NULL, buffer);
    return tuned_call_native(&c, &s, PMPI_Bcast(buffer, count, type, root, comm));
}

int cpm_scatter(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm)
{
    const tuned_signature s = tuned_moves_signature(CPM_OP_SCATTER, root, recv == MPI_IN_PLACE,
                                                    send_count, send_type, recv_count, recv_type);
    tuned_slot *hot = tuned_hot_begin(comm, &s, send, recv);
    if (hot && hot->by.plan)
        return tuned_hot_run(hot, send, recv);
    if (hot)
        return tuned_hot_end(hot, PMPI_Scatter(send, send_count, send_type, recv, recv_count,
                                               recv_type, root, comm));
    tuned_call c;
    mpib_arguments a = tuned_scatter_arguments(CPM_OP_SCATTER, send_count, send_type, recv,
                                               recv_count, recv_type, root, comm);
    if (tuned_call_begin(&c, comm, &a, NULL, send, recv))
        return tuned_call_run(&c, &s, send, recv);
    return tuned_call_native(
        &c, &s, PMPI_Scatter(send, send_count, send_type, recv, recv_count, recv_type, root, comm));
}

int cpm_scatterv(const void *send, const int *send_counts, const int *displacements,
                 MPI_Datatype send_type, void *recv, int recv_count, MPI_Datatype recv_type,
                 int root, MPI_Comm comm)
{
    tuned_call c;
    mpib_arguments a = tuned_scatter_arguments(CPM_OP_SCATTERV, 0, send_type, recv, recv_count,
                                               recv_type, root, comm);
    const tuned_arrays arrays = tuned_scatterv_arrays(send_counts, displacements, root, comm);
    if (tuned_call_begin(&c, comm, &a, &arrays, send, recv))
        return tuned_call_run(&c, NULL, send, recv);
    return tuned_call_native(&c, NULL,
                             PMPI_Scatterv(send, send_counts, displacements, send_type, recv,
                                           recv_count, recv_type, root, comm));
}

int cpm_gather(const void *send, int send_count, MPI_Datatype send_type, void *recv, int recv_count,
               MPI_Datatype recv_type, int root, MPI_Comm comm)
{
    const tuned_signature s = tuned_moves_signature(CPM_OP_GATHER, root, send == MPI_IN_PLACE,
                                                    send_count, send_type, recv_count, recv_type);
    tuned_slot *hot = tuned_hot_begin(comm, &s, send, recv);
    if (hot && hot->by.plan)
        return tuned_hot_run(hot, send, recv);
    if (hot)
        return tuned_hot_end(
            hot, PMPI_Gather(send, send_count, send_type, recv, recv_count, recv_type, root, comm));
    tuned_call c;
    mpib_arguments a = tuned_gather_arguments(CPM_OP_GATHER, send, send_count, send_type,
                                              recv_count, recv_type, root, comm);
    if (tuned_call_begin(&c, comm, &a, NULL, send, recv))
        return tuned_call_run(&c, &s, send, recv);
    return tuned_call_native(
        &c, &s, PMPI_Gather(send, send_count, send_type, recv, recv_count, recv_type, root, comm));
}

int cpm_gatherv(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                const int *recv_counts, const int *displacements, MPI_Datatype recv_type, int root,
                MPI_Comm comm)
{
    tuned_call c;
    mpib_arguments a = tuned_gather_arguments(CPM_OP_GATHERV, send, send_count, send_type, 0,
                                              recv_type, root, comm);
    const tuned_arrays arrays = tuned_gatherv_arrays(recv_counts, displacements, root, comm);
    if (tuned_call_begin(&c, comm, &a, &arrays, send, recv))
        return tuned_call_run(&c, NULL, send, recv);
    return tuned_call_native(&c, NULL,
                             PMPI_Gatherv(send, send_count, send_type, recv, recv_counts,
                                          displacements, recv_type, root, comm));
}

int cpm_allgather(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                  int recv_count, MPI_Datatype recv_type, MPI_Comm comm)
{
    const tuned_signature s = tuned_moves_signature(CPM_OP_ALLGATHER, 0, send == MPI_IN_PLACE,
                                                    send_count, send_type, recv_count, recv_type);
    tuned_slot *hot = tuned_hot_begin(comm, &s, send, recv);
    if (hot && hot->by.plan)
        return tuned_hot_run(hot, send, recv);
    if (hot)
        return tuned_hot_end(
            hot, PMPI_Allgather(send, send_count, send_type, recv, recv_count, recv_type, comm));
    tuned_call c;
    mpib_arguments a =
        tuned_dense_arguments(CPM_OP_ALLGATHER, send, send_count, send_type, recv_count, recv_type);
    if (tuned_call_begin(&c, comm, &a, NULL, send, recv))
        return tuned_call_run(&c, &s, send, recv);
    return tuned_call_native(
        &c, &s, PMPI_Allgather(send, send_count, send_type, recv, recv_count, recv_type, comm));
}

int cpm_allgatherv(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                   const int *recv_counts, const int *displacements, MPI_Datatype recv_type,
                   MPI_Comm comm)
{
    tuned_call c;
    mpib_arguments a =
        tuned_dense_arguments(CPM_OP_ALLGATHERV, send, send_count, send_type, 0, recv_type);
    const tuned_arrays arrays = {.recv.counts = recv_counts, .recv.displacements = displacements};
    if (tuned_call_begin(&c, comm, &a, &arrays, send, recv))
        return tuned_call_run(&c, NULL, send, recv);
    return tuned_call_native(&c, NULL,
                             PMPI_Allgatherv(send, send_count, send_type, recv, recv_counts,
                                             displacements, recv_type, comm));
}

int cpm_alltoall(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                 int recv_count, MPI_Datatype recv_type, MPI_Comm comm)
{
    const tuned_signature s = tuned_moves_signature(CPM_OP_ALLTOALL, 0, send == MPI_IN_PLACE,
                                                    send_count, send_type, recv_count, recv_type);
    tuned_slot *hot = tuned_hot_begin(comm, &s, send, recv);
    if (hot && hot->by.plan)
        return tuned_hot_run(hot, send, recv);
    if (hot)
        return tuned_hot_end(
            hot, PMPI_Alltoall(send, send_count, send_type, recv, recv_count, recv_type, comm));
    tuned_call c;
    mpib_arguments a =
        tuned_dense_arguments(CPM_OP_ALLTOALL, send, send_count, send_type, recv_count, recv_type);
    if (tuned_call_begin(&c, comm, &a, NULL, send, recv))
        return tuned_call_run(&c, &s, send, recv);
    return tuned_call_native(
        &c, &s, PMPI_Alltoall(send, send_count, send_type, recv, recv_count, recv_type, comm));
}

int cpm_alltoallv(const void *send, const int *send_counts, const int *send_displacements,
                  MPI_Datatype send_type, void *recv, const int *recv_counts,
                  const int *recv_displacements, MPI_Datatype recv_type, MPI_Comm comm)
{
    tuned_call c;
    mpib_arguments a = tuned_dense_arguments(CPM_OP_ALLTOALLV, send, 0, send_type, 0, recv_type);
    const tuned_arrays arrays = tuned_alltoallv_arrays(send, send_counts, send_displacements,
                                                       recv_counts, recv_displacements);
    if (tuned_call_begin(&c, comm, &a, &arrays, send, recv))
        return tuned_call_run(&c, NULL, send, recv);
    return tuned_call_native(&c, NULL,
                             PMPI_Alltoallv(send, send_counts, send_displacements, send_type, recv,
                                            recv_counts, recv_displacements, recv_type, comm));
}

int cpm_alltoallw(const void *send, const int *send_counts, const int *send_displacements,
                  const MPI_Datatype *send_types, void *recv, const int *recv_counts,
                  const int *recv_displacements, const MPI_Datatype *recv_types, MPI_Comm comm)
{
    tuned_call c;
    mpib_arguments a = tuned_dense_arguments(CPM_OP_ALLTOALLW, send, 0, MPI_BYTE, 0, MPI_BYTE);
    const tuned_arrays arrays =
        tuned_alltoallw_arrays(send, send_counts, send_displacements, send_types, recv_counts,
                               recv_displacements, recv_types);
    if (tuned_call_begin(&c, comm, &a, &arrays, send, recv))
        return tuned_call_run(&c, NULL, send, recv);
    return tuned_call_native(&c, NULL,
                             PMPI_Alltoallw(send, send_counts, send_displacements, send_types, recv,
                                            recv_counts, recv_displacements, recv_types, comm));
}

int cpm_reduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm)
{
    const tuned_signature s = tuned_reduction_signature(CPM_OP_REDUCE, root, send, count, type, op);
    tuned_slot *hot = tuned_hot_begin(comm, &s, send, recv);
    if (hot && hot->by.plan)
        return tuned_hot_run(hot, send, recv);
    if (hot)
        return tuned_hot_end(hot, PMPI_Reduce(send, recv, count, type, op, root, comm));
    tuned_call c;
    mpib_arguments a = tuned_reduction_arguments(CPM_OP_REDUCE, send, count, type, op, root);
    if (tuned_call_begin(&c, comm, &a, NULL, send, recv))
        return tuned_call_run(&c, &s, send, recv);
    return tuned_call_native(&c, &s, PMPI_Reduce(send, recv, count, type, op, root, comm));
}

typedef int reduction(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                      MPI_Comm comm);

/* Of no root, where all blocks have the same size. Inlined, as nanoseconds count. */
static inline __attribute__((always_inline)) int reduce_for_all(int operation, reduction *own,
                                                                const void *send, void *recv,
                                                                int count, MPI_Datatype type,
                                                                MPI_Op op, MPI_Comm comm)
{
    const tuned_signature s = tuned_reduction_signature(operation, 0, send, count, type, op);
    tuned_slot *hot = tuned_hot_begin(comm, &s, send, recv);
    if (hot && hot->by.plan)
        return tuned_hot_run(hot, send, recv);
    if (hot)
        return tuned_hot_end(hot, own(send, recv, count, type, op, comm));
    tuned_call c;
    mpib_arguments a = tuned_reduction_arguments(operation, send, count, type, op, 0);
    if (tuned_call_begin(&c, comm, &a, NULL, send, recv))
        return tuned_call_run(&c, &s, send, recv);
    return tuned_call_native(&c, &s, own(send, recv, count, type, op, comm));
}

int cpm_allreduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    return reduce_for_all(CPM_OP_ALLREDUCE, PMPI_Allreduce, send, recv, count, type, op, comm);
}

int cpm_scan(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    return reduce_for_all(CPM_OP_SCAN, PMPI_Scan, send, recv, count, type, op, comm);
}

int cpm_exscan(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    return reduce_for_all(CPM_OP_EXSCAN, PMPI_Exscan, send, recv, count, type, op, comm);
}

int cpm_reduce_scatter(const void *send, void *recv, const int *recv_counts, MPI_Datatype type,
                       MPI_Op op, MPI_Comm comm)
{
    tuned_call c;
    mpib_arguments a = tuned_reduction_arguments(CPM_OP_REDUCE_SCATTER, send, 0, type, op, 0);
    const tuned_arrays arrays = {.recv.counts = recv_counts};
    if (tuned_call_begin(&c, comm, &a, &arrays, send, recv))
        return tuned_call_run(&c, NULL, send, recv);
    return tuned_call_native(&c, NULL,
                             PMPI_Reduce_scatter(send, recv, recv_counts, type, op, comm));
}

int cpm_reduce_scatter_block(const void *send, void *recv, int recv_count, MPI_Datatype type,
                             MPI_Op op, MPI_Comm comm)
{
    return reduce_for_all(CPM_OP_REDUCE_SCATTER, PMPI_Reduce_scatter_block, send, recv, recv_count,
                          type, op, comm);
}

#ifndef CPM_SMPI
typedef int exchange(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                     int recv_count, MPI_Datatype recv_type, MPI_Comm comm);

static int exchange_with_neighbours(int operation, exchange *own, const void *send, int send_count,
                                    MPI_Datatype send_type, void *recv, int recv_count,
                                    MPI_Datatype recv_type, MPI_Comm comm)
{
    const tuned_signature s =
        tuned_moves_signature(operation, 0, false, send_count, send_type, recv_count, recv_type);
    tuned_slot *hot = tuned_hot_begin(comm, &s, send, recv);
    if (hot && hot->by.plan)
        return tuned_hot_run(hot, send, recv);
    if (hot)
        return tuned_hot_end(hot,
                             own(send, send_count, send_type, recv, recv_count, recv_type, comm));
    tuned_call c;
    mpib_arguments a =
        tuned_neighbor_arguments(operation, send_count, send_type, recv_count, recv_type);
    if (tuned_call_begin(&c, comm, &a, NULL, send, recv))
        return tuned_call_run(&c, &s, send, recv);
    return tuned_call_native(&c, &s,
                             own(send, send_count, send_type, recv, recv_count, recv_type, comm));
}

int cpm_neighbor_allgather(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                           int recv_count, MPI_Datatype recv_type, MPI_Comm comm)
{
    return exchange_with_neighbours(CPM_OP_NEIGHBOR_ALLGATHER, PMPI_Neighbor_allgather, send,
                                    send_count, send_type, recv, recv_count, recv_type, comm);
}

int cpm_neighbor_alltoall(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                          int recv_count, MPI_Datatype recv_type, MPI_Comm comm)
{
    return exchange_with_neighbours(CPM_OP_NEIGHBOR_ALLTOALL, PMPI_Neighbor_alltoall, send,
                                    send_count, send_type, recv, recv_count, recv_type, comm);
}

int cpm_neighbor_allgatherv(const void *send, int send_count, MPI_Datatype send_type, void *recv,
                            const int *recv_counts, const int *displacements,
                            MPI_Datatype recv_type, MPI_Comm comm)
{
    tuned_call c;
    mpib_arguments a =
        tuned_neighbor_arguments(CPM_OP_NEIGHBOR_ALLGATHERV, send_count, send_type, 0, recv_type);
    const tuned_arrays arrays = {.recv.counts = recv_counts, .recv.displacements = displacements};
    if (tuned_call_begin(&c, comm, &a, &arrays, send, recv))
        return tuned_call_run(&c, NULL, send, recv);
    return tuned_call_native(&c, NULL,
                             PMPI_Neighbor_allgatherv(send, send_count, send_type, recv,
                                                      recv_counts, displacements, recv_type, comm));
}

int cpm_neighbor_alltoallv(const void *send, const int *send_counts, const int *send_displacements,
                           MPI_Datatype send_type, void *recv, const int *recv_counts,
                           const int *recv_displacements, MPI_Datatype recv_type, MPI_Comm comm)
{
    tuned_call c;
    mpib_arguments a =
        tuned_neighbor_arguments(CPM_OP_NEIGHBOR_ALLTOALLV, 0, send_type, 0, recv_type);
    const tuned_arrays arrays = tuned_alltoallv_arrays(send, send_counts, send_displacements,
                                                       recv_counts, recv_displacements);
    if (tuned_call_begin(&c, comm, &a, &arrays, send, recv))
        return tuned_call_run(&c, NULL, send, recv);
    return tuned_call_native(&c, NULL,
                             PMPI_Neighbor_alltoallv(send, send_counts, send_displacements,
                                                     send_type, recv, recv_counts,
                                                     recv_displacements, recv_type, comm));
}

int cpm_neighbor_alltoallw(const void *send, const int *send_counts,
                           const MPI_Aint *send_displacements, const MPI_Datatype *send_types,
                           void *recv, const int *recv_counts, const MPI_Aint *recv_displacements,
                           const MPI_Datatype *recv_types, MPI_Comm comm)
{
    tuned_call c;
    mpib_arguments a =
        tuned_neighbor_arguments(CPM_OP_NEIGHBOR_ALLTOALLW, 0, MPI_BYTE, 0, MPI_BYTE);
    const tuned_arrays arrays = tuned_neighbor_alltoallw_arrays(
        send_counts, send_displacements, send_types, recv_counts, recv_displacements, recv_types);
    if (tuned_call_begin(&c, comm, &a, &arrays, send, recv))
        return tuned_call_run(&c, NULL, send, recv);
    return tuned_call_native(&c, NULL,
                             PMPI_Neighbor_alltoallw(send, send_counts, send_displacements,
                                                     send_types, recv, recv_counts,
                                                     recv_displacements, recv_types, comm));
}
#endif
