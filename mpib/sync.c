/* Clock synchronisation with rank 0 by round trips (Cristian 1989), offset and drift. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mpib/clock.h"

enum { TAG_ASK = 1, TAG_TELL = 2, ID_SIZE = 64 };

/* What the round trips say about rank 0's clock minus the own one. */
typedef struct {
    double low, high; /* the offset lies between: no message travels back in time */
    double offset;    /* from the shortest round trip, at local time when */
    double shortest, when;
} offset_bounds;

static void answer(MPI_Comm comm, const mpib_clock *clock, int trips, int peer)
{
    for (int i = 0; i < trips; i++) {
        MPI_Recv(NULL, 0, MPI_BYTE, peer, TAG_ASK, comm, MPI_STATUS_IGNORE);
        double now = clock->now(clock);
        MPI_Send(&now, 1, MPI_DOUBLE, peer, TAG_TELL, comm);
    }
}

static void narrow(offset_bounds *b, double asked, double told, double heard)
{
    b->low = fmax(b->low, told - heard);
    b->high = fmin(b->high, told - asked);
    if (heard - asked >= b->shortest)
        return;
    b->shortest = heard - asked;
    b->when = asked + (heard - asked) / 2;
    b->offset = told - b->when;
}

static offset_bounds ask(MPI_Comm comm, const mpib_clock *clock, int trips)
{
    offset_bounds b = {.low = -INFINITY, .high = INFINITY, .shortest = INFINITY};
    for (int i = 0; i < trips; i++) {
        double told, asked = clock->now(clock);
        MPI_Send(NULL, 0, MPI_BYTE, 0, TAG_ASK, comm);
        MPI_Recv(&told, 1, MPI_DOUBLE, 0, TAG_TELL, comm, MPI_STATUS_IGNORE);
        narrow(&b, asked, told, clock->now(clock));
    }
    return b;
}

/* Processes of one running kernel see one clock; its name is the boot id. */
static void read_machine_id(char id[ID_SIZE])
{
    memset(id, 0, ID_SIZE);
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (!f)
        return;
    if (!fgets(id, ID_SIZE, f))
        id[0] = '\0';
    fclose(f);
}

static bool on_machine_of_rank_0(MPI_Comm comm)
{
    char own[ID_SIZE], first[ID_SIZE];
    read_machine_id(own);
    memcpy(first, own, ID_SIZE);
    PMPI_Bcast(first, ID_SIZE, MPI_CHAR, 0, comm);
    return own[0] && memcmp(first, own, ID_SIZE) == 0;
}

/* Keeps sync exact at the moment of this measurement; the line through the first one gives the
 * drift, but only if the offset moved by more than the two errors together. */
static void update(mpib_sync *sync, const offset_bounds *b, double error)
{
    double moved = b->offset - sync->offset, elapsed = b->when - sync->since;
    if (sync->error > 0 && elapsed > 0 && fabs(moved) > sync->error + error)
        sync->drift = moved / elapsed;
    else
        *sync = (mpib_sync){.offset = b->offset, .since = b->when};
    sync->error = error;
}

static void synchronize_own(MPI_Comm comm, const mpib_clock *clock, int trips, double resolution,
                            bool shared, mpib_sync *sync)
{
    offset_bounds b = ask(comm, clock, trips);
    if (shared && b.low <= resolution && b.high >= -resolution)
        *sync = (mpib_sync){.since = b.when, .error = resolution};
    else
        update(sync, &b, b.shortest / 2 + resolution);
}

int mpib_synchronize(MPI_Comm comm, const mpib_clock *clock, int trips, mpib_sync *sync,
                     double *worst, cpm_error *e)
{
    int rank, n;
    if (MPI_Comm_rank(comm, &rank) != MPI_SUCCESS || MPI_Comm_size(comm, &n) != MPI_SUCCESS)
        return cpm_fail(e, CPM_EMPI, "clock synchronisation: the communicator is not usable");
    double resolution = clock->resolution; /* rank 0's, then both together */
    PMPI_Bcast(&resolution, 1, MPI_DOUBLE, 0, comm);
    resolution = rank == 0 ? resolution : resolution + clock->resolution;
    bool same = on_machine_of_rank_0(comm);
    bool shared = clock->shared_anywhere || (clock->shared_on_host && same);
    for (int peer = 1; peer < n && rank == 0; peer++)
        answer(comm, clock, trips, peer);
    if (rank == 0)
        *sync = (mpib_sync){.since = clock->now(clock), .error = resolution};
    else
        synchronize_own(comm, clock, trips, resolution, shared, sync);
    double largest = sync->error;
    PMPI_Allreduce(&sync->error, &largest, 1, MPI_DOUBLE, MPI_MAX, comm);
    if (worst)
        *worst = largest;
    return CPM_OK;
}

double mpib_global_time(const mpib_sync *sync, double local)
{
    return local + sync->offset + sync->drift * (local - sync->since);
}
