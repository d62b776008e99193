/* One thread per process: answers probes, and probes others when nothing moves on. */
#include "mpib/watch.h"
#include "base/escape.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "executor/agree.h"
#include "mpib/liveness.h"

enum { MOST_ADDRESSES = 4, MOST_NAME = 64 };

/* Where a process can be probed; in network byte order. */
typedef struct {
    uint32_t address[MOST_ADDRESSES];
    int addresses;
    uint16_t port;
    char host[MOST_NAME];
} contact;

struct mpib_watch {
    contact *contacts; /* [n] */
    int socket;
    mpib_liveness probe;
    atomic_uint ticks;
    atomic_bool ending;
    pthread_t thread;
    mpib_lost *lost;
    void *context;
};

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the thread */

static void send_to(const mpib_watch *w, const contact *to, const mpib_datagram *d)
{
    for (int a = 0; a < to->addresses; a++) {
        struct sockaddr_in place = {
            .sin_family = AF_INET, .sin_port = to->port, .sin_addr.s_addr = to->address[a]};
        sendto(w->socket, d, sizeof *d, 0, (struct sockaddr *)&place, sizeof place);
    }
}

/* So many at a time that a flood does not keep it from looking. */
static void receive_all(mpib_watch *w)
{
    const int most = 4 * w->probe.n + 64;
    for (int k = 0; k < most; k++) {
        mpib_datagram d, answer;
        struct sockaddr_in from;
        socklen_t size = sizeof from;
        ssize_t bytes = recvfrom(w->socket, &d, sizeof d, MSG_DONTWAIT | MSG_TRUNC,
                                 (struct sockaddr *)&from, &size);
        if (bytes < 0)
            break;
        if (mpib_liveness_take(&w->probe, &d, (size_t)bytes, &answer))
            sendto(w->socket, &answer, sizeof answer, 0, (struct sockaddr *)&from, sizeof from);
    }
}

static void probe_others(const mpib_watch *w)
{
    for (int r = w->probe.first; r < w->probe.last; r++) {
        mpib_datagram d = {.key = w->probe.key, .rank = r};
        if (mpib_liveness_lacks(&w->probe, r))
            send_to(w, &w->contacts[r], &d);
    }
}

static void tell_lost(const mpib_watch *w)
{
    char who[512] = "";
    size_t used = 0;
    for (int r = w->probe.first; r < w->probe.last && used < sizeof who; r++)
        if (mpib_liveness_misses(&w->probe, r))
            used += (size_t)snprintf(who + used, sizeof who - used, "%srank %d (%s)",
                                     used ? ", " : "", r, w->contacts[r].host);
    w->lost(w->context, who);
}

static void *watch_thread(void *argument)
{
    mpib_watch *w = argument;
    mpib_liveness_state state = MPIB_PROBE_THEM; /* who can be reached at all */
    while (state != MPIB_SOME_ARE_LOST && !atomic_load(&w->ending)) {
        struct pollfd ready = {.fd = w->socket, .events = POLLIN};
        if (state == MPIB_PROBE_THEM)
            probe_others(w);
        poll(&ready, 1, (int)(1000 * w->probe.interval));
        receive_all(w);
        state = mpib_liveness_look(&w->probe, seconds_now(), atomic_load(&w->ticks));
    }
    if (state == MPIB_SOME_ARE_LOST)
        tell_lost(w);
    return NULL;
}

/* Signals are for the thread that measures. */
static int start_thread(mpib_watch *w, cpm_error *e)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&w->thread, NULL, watch_thread, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed ? cpm_no_memory(e) : CPM_OK;
}

/* ---- setting up */

/* Whether MPI has all processes on one host. Collective. */
static bool is_one_host(MPI_Comm comm, int n)
{
    MPI_Comm here = MPI_COMM_NULL;
    int count = 0;
    if (PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here) == MPI_SUCCESS)
        PMPI_Comm_size(here, &count);
    if (here != MPI_COMM_NULL)
        PMPI_Comm_free(&here);
    int all = 0, own = count == n;
    return PMPI_Allreduce(&own, &all, 1, MPI_INT, MPI_LAND, comm) == MPI_SUCCESS && all;
}

/* Those at which other hosts can send probes; a loopback address would be one of theirs. */
static void list_addresses(contact *c)
{
    struct ifaddrs *list = NULL;
    if (getifaddrs(&list))
        return;
    for (struct ifaddrs *a = list; a && c->addresses < MOST_ADDRESSES; a = a->ifa_next)
        if (a->ifa_addr && a->ifa_addr->sa_family == AF_INET && (a->ifa_flags & IFF_UP) &&
            !(a->ifa_flags & IFF_LOOPBACK))
            c->address[c->addresses++] = ((struct sockaddr_in *)a->ifa_addr)->sin_addr.s_addr;
    freeifaddrs(list);
}

/* Nobody probes from elsewhere if all processes are here. */
static int open_socket(mpib_watch *w, bool one_host, contact *own, cpm_error *e)
{
    struct sockaddr_in place = {.sin_family = AF_INET,
                                .sin_addr.s_addr = htonl(one_host ? INADDR_LOOPBACK : INADDR_ANY)};
    socklen_t size = sizeof place;
    w->socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (w->socket < 0 || bind(w->socket, (struct sockaddr *)&place, sizeof place) ||
        getsockname(w->socket, (struct sockaddr *)&place, &size))
        return cpm_fail(e, CPM_EMPI, "no socket to watch the other processes");
    own->port = place.sin_port;
    if (one_host)
        own->address[own->addresses++] = place.sin_addr.s_addr;
    else
        list_addresses(own);
    return CPM_OK;
}

static int allocate(mpib_watch *w, int n, int rank, double patience, cpm_error *e)
{
    w->contacts = calloc((size_t)n, sizeof *w->contacts);
    if (!mpib_liveness_init(&w->probe, n, rank, patience, seconds_now()) || !w->contacts)
        return cpm_no_memory(e);
    return CPM_OK;
}

static void watch_free(mpib_watch *w)
{
    if (w->socket >= 0)
        close(w->socket);
    free(w->contacts);
    mpib_liveness_clear(&w->probe);
    free(w);
}

/* Everybody learns where everybody can be probed. */
static int exchange(mpib_watch *w, MPI_Comm comm, const contact *own, cpm_error *e)
{
    int status = PMPI_Bcast(&w->probe.key, 1, MPI_UINT64_T, 0, comm);
    if (status == MPI_SUCCESS)
        status =
            PMPI_Allgather(own, sizeof *own, MPI_BYTE, w->contacts, sizeof *own, MPI_BYTE, comm);
    return status == MPI_SUCCESS ? CPM_OK : cpm_fail(e, CPM_EMPI, "MPI cannot gather addresses");
}

static int set_up(mpib_watch *w, MPI_Comm comm, double patience, cpm_error *e)
{
    int n, rank;
    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &rank);
    contact own = {0};
    char name[MPI_MAX_PROCESSOR_NAME];
    int length;
    MPI_Get_processor_name(name, &length);
    cpm_escape_word(name, own.host, sizeof own.host);
    bool one_host = is_one_host(comm, n);
    int status = allocate(w, n, rank, patience, e);
    /* Rank 0's key is the one that counts; nobody shall guess it. */
    if (!status && getrandom(&w->probe.key, sizeof w->probe.key, 0) != sizeof w->probe.key)
        status = cpm_fail(e, CPM_EMPI, "no random numbers for the key of the watch");
    if (!status)
        status = open_socket(w, one_host, &own, e);
    status = mpib_agree(comm, status, e);
    if (!status)
        status = exchange(w, comm, &own, e);
    if (!status)
        status = start_thread(w, e);
    return status;
}

int mpib_watch_start(MPI_Comm comm, double patience, mpib_lost *lost, void *context,
                     mpib_watch **out, cpm_error *e)
{
    mpib_watch *w = calloc(1, sizeof *w);
    int status = mpib_agree(comm, w ? CPM_OK : cpm_no_memory(e), e);
    if (status) {
        free(w);
        return status;
    }
    w->socket = -1;
    w->lost = lost;
    w->context = context;
    int own = set_up(w, comm, patience, e);
    status = mpib_agree(comm, own, e);
    if (!status)
        *out = w;
    else if (!own)
        mpib_watch_stop(w);
    else
        watch_free(w);
    return status;
}

void mpib_watch_tick(mpib_watch *watch)
{
    if (watch)
        atomic_fetch_add(&watch->ticks, 1);
}

void mpib_watch_stop(mpib_watch *watch)
{
    if (!watch)
        return;
    atomic_store(&watch->ending, true);
    pthread_join(watch->thread, NULL);
    watch_free(watch);
}
