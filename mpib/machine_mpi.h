/* Inside of the MPI machine, shared by its parts; not for other folders. */
#ifndef CPM_MPIB_MACHINE_MPI_H
#define CPM_MPIB_MACHINE_MPI_H

#include "collectives/hosts.h"
#include "measurements/batch_calls.h"
#include "mpib/mpi_machine.h"
#include "mpib/repeat.h"
#include "mpib/watch.h"

typedef struct {
    cpm_machine base; /* first, so that a cpm_machine of this kind is one of these */
    MPI_Comm control; /* handshakes, decisions, results; collectives by their PMPI names, so that a
                         library that replaces MPI's is measured and not used */
    MPI_Comm work;    /* what is measured; no tag of the two can be mistaken for the other's */
    MPI_Comm here;    /* of a host, simulated ones too; MPI_COMM_NULL: MPI cannot tell */
    mpib_timing timing, usual; /* now, and unless collectives are to begin together */
    mpib_buffers buffers;
    char *evicting; /* [evicting_bytes] what is written to have cold buffers; NULL: none yet */
    size_t evicting_bytes;
    int batch; /* of that timing: how many calls (measurements/batch_calls.h) */
    mpib_clock clock;
    mpib_sync sync;
    double sync_error; /* the largest of all ranks, seconds; the same everywhere */
    double synced;     /* local time of the last synchronisation */
    mpib_watch *watch; /* NULL: nobody watches */
    cpm_hosts hosts;   /* of the processes; none of simulated ones */
    double slack;      /* rank 0: seconds between the order to start and the start */
} mpi_machine;

/* Bounds of slack, seconds. The least is for messages through memory: processes that waited for
 * 200 us found their caches cold, and 1 B took 0.8 us instead of 0.3 us. */
#define MPIB_LEAST_SLACK 2e-5
#define MPIB_MOST_SLACK  0.1

/* The pause before a repetition of x: on one host the least slack, so that what is measured between
 * two processes is what a collective consists of; between hosts none. */
double mpib_pause_of(const mpi_machine *m, const mpib_exchange *x);

/* Synchronises the clocks if that was never done or so long ago that they may have drifted apart.
 * Collective. */
int mpib_machine_refresh(mpi_machine *m, cpm_error *e);

/* The parts of cpm_machine that have files of their own. */
int mpib_machine_measure(cpm_machine *machine, const cpm_experiment *x, int count,
                         const cpm_precision *p, cpm_measurement *results, cpm_error *e);
int mpib_machine_describe(cpm_machine *machine, cpm_metadata *metadata, cpm_error *e);
int mpib_machine_overlap(cpm_machine *machine, const cpm_experiment *x, double computing,
                         const cpm_precision *p, cpm_overlap *out, cpm_error *e);

/* A collective (borrowed) as a user's operation. The caller frees it with free(). CPM_ENOMEM.
 * Local.
 */
int mpib_benchmarked_create(const cpm_experiment *x, mpib_coll_operation **out, cpm_error *e);
/* From now on by nonblocking calls: begun, computed for so many seconds of the clock (borrowed),
 * waited for. Not on groups (collectives/on_groups.h). */
void mpib_benchmarked_begin(mpib_coll_operation *op, const mpib_clock *clock, double computing);

#endif
