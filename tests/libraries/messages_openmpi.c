/* Open MPI's messages: those of its collectives do not go through MPI's functions, but through the
 * table of functions of its point-to-point layer, and are waited for through another table. Both
 * are exported; here their functions are replaced by others that note what is asked for.
 *
 * The tables' forms are those of ompi/mca/pml/pml.h and ompi/request/request.h. */
#include <dlfcn.h>
#include <mpi.h>
#include <string.h>

#include "messages.h"

#ifdef OPEN_MPI

typedef int irecv_function(void *, size_t, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
typedef int recv_function(void *, size_t, MPI_Datatype, int, int, MPI_Comm, MPI_Status *);
typedef int isend_function(const void *, size_t, MPI_Datatype, int, int, int, MPI_Comm,
                           MPI_Request *);
typedef int send_function(const void *, size_t, MPI_Datatype, int, int, int, MPI_Comm);
typedef int start_function(size_t, MPI_Request *);

/* Behind the functions for processes and communicators, of which 5.0 has one more. */
typedef struct {
    irecv_function *irecv_init, *irecv;
    recv_function *recv;
    isend_function *isend_init, *isend;
    send_function *send;
    void *probes[2];
    start_function *start;
} layer;

typedef struct {
    void *tests[4];
    int (*wait)(MPI_Request *, MPI_Status *);
    int (*wait_any)(size_t, MPI_Request *, int *, MPI_Status *);
    int (*wait_all)(size_t, MPI_Request *, MPI_Status *);
} requests;

/* A message that is under way, or a persistent one that can be started. */
typedef struct {
    MPI_Request request;
    message what;
    long posted;
    bool under_way;
} pending;

enum { MOST_PENDING = 1024 };

static layer real;
static requests real_requests;
static messages *heard;
static pending known[MOST_PENDING];
static int known_count, group;
static long now, last_send;
static bool waited; /* since the last send was started */

static message *hear(void)
{
    if (heard->count < 0 || heard->count == MOST_MESSAGES) {
        heard->count = -1;
        return NULL;
    }
    return &heard->at[heard->count++];
}

static void hear_send(message what, bool blocks)
{
    bool follows = heard->count > 0 && heard->at[heard->count - 1].sends && !waited;
    message *m = hear();
    group += !follows;
    if (m)
        *m = what;
    if (m)
        m->group = group;
    last_send = ++now;
    waited = blocks;
}

static void hear_receive(const pending *p)
{
    message *m = hear();
    if (m)
        *m = p->what;
    if (m) {
        m->group = group;
        m->ahead = last_send > p->posted;
    }
}

/* Of MPI_COMM_WORLD: where there are several hosts 5.0 makes communicators of its own. */
static int rank_of_all(MPI_Comm comm, int peer)
{
    MPI_Group group_of, all;
    int rank = ANYBODY;
    if (peer < 0)
        return ANYBODY;
    PMPI_Comm_group(comm, &group_of);
    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    PMPI_Group_translate_ranks(group_of, 1, &peer, all, &rank);
    PMPI_Group_free(&group_of);
    PMPI_Group_free(&all);
    return rank;
}

static message what_of(bool sends, size_t count, MPI_Datatype type, int peer, MPI_Comm comm)
{
    int size;
    PMPI_Type_size(type, &size);
    return (message){.sends = sends, .peer = rank_of_all(comm, peer), .bytes = (long)count * size};
}

/* ---- requests ---- */

static pending *find(MPI_Request r)
{
    for (int k = 0; k < known_count; k++)
        if (known[k].request == r)
            return &known[k];
    return NULL;
}

static void keep(MPI_Request r, message what, bool under_way)
{
    pending *p = find(r);
    if (!p && known_count < MOST_PENDING)
        p = &known[known_count++];
    if (p)
        *p = (pending){r, what, ++now, under_way};
    else
        heard->count = -1;
}

/* Those of a list that are under way and are waited for now. */
static void hear_waits(size_t count, MPI_Request *list)
{
    bool any = false;
    for (size_t k = 0; k < count; k++) {
        pending *p = find(list[k]);
        if (!p || !p->under_way)
            continue;
        if (!p->what.sends) {
            group += !any;
            any = true;
            hear_receive(p);
        }
        p->under_way = false;
        waited = true;
    }
}

/* What a process sends to itself is no message of the schedule: 5.0 does so where 4.1 copies. */
static bool hears(int peer, MPI_Comm comm)
{
    int rank = MPI_PROC_NULL;
    if (heard)
        PMPI_Comm_rank(comm, &rank);
    return heard && peer != rank;
}

/* ---- what stands in the tables ---- */

static int irecv(void *buffer, size_t count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                 MPI_Request *r)
{
    int code = real.irecv(buffer, count, type, peer, tag, comm, r);
    if (hears(peer, comm))
        keep(*r, what_of(false, count, type, peer, comm), true);
    return code;
}

static int irecv_init(void *buffer, size_t count, MPI_Datatype type, int peer, int tag,
                      MPI_Comm comm, MPI_Request *r)
{
    int code = real.irecv_init(buffer, count, type, peer, tag, comm, r);
    if (hears(peer, comm))
        keep(*r, what_of(false, count, type, peer, comm), false);
    return code;
}

static int receive(void *buffer, size_t count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                   MPI_Status *status)
{
    if (hears(peer, comm)) {
        group++;
        hear_receive(&(pending){.what = what_of(false, count, type, peer, comm), .posted = ++now});
        waited = true;
    }
    return real.recv(buffer, count, type, peer, tag, comm, status);
}

static int isend(const void *buffer, size_t count, MPI_Datatype type, int peer, int tag, int mode,
                 MPI_Comm comm, MPI_Request *r)
{
    if (hears(peer, comm))
        hear_send(what_of(true, count, type, peer, comm), false);
    int code = real.isend(buffer, count, type, peer, tag, mode, comm, r);
    if (hears(peer, comm))
        keep(*r, what_of(true, count, type, peer, comm), true);
    return code;
}

static int isend_init(const void *buffer, size_t count, MPI_Datatype type, int peer, int tag,
                      int mode, MPI_Comm comm, MPI_Request *r)
{
    int code = real.isend_init(buffer, count, type, peer, tag, mode, comm, r);
    if (hears(peer, comm))
        keep(*r, what_of(true, count, type, peer, comm), false);
    return code;
}

static int send_now(const void *buffer, size_t count, MPI_Datatype type, int peer, int tag,
                    int mode, MPI_Comm comm)
{
    if (hears(peer, comm))
        hear_send(what_of(true, count, type, peer, comm), true);
    return real.send(buffer, count, type, peer, tag, mode, comm);
}

static int start(size_t count, MPI_Request *list)
{
    for (size_t k = 0; heard && k < count; k++) {
        pending *p = find(list[k]);
        if (!p)
            continue;
        p->posted = ++now;
        p->under_way = true;
        if (p->what.sends)
            hear_send(p->what, false);
    }
    return real.start(count, list);
}

static int wait_one(MPI_Request *r, MPI_Status *status)
{
    if (heard)
        hear_waits(1, r);
    return real_requests.wait(r, status);
}

static int wait_all(size_t count, MPI_Request *list, MPI_Status *statuses)
{
    if (heard)
        hear_waits(count, list);
    return real_requests.wait_all(count, list, statuses);
}

bool messages_are_starts(void)
{
    return false;
}

bool messages_show_waits(size_t bytes)
{
    (void)bytes;
    return true;
}

static layer *find_layer(void)
{
    static const struct {
        const char *version;
        int before; /* functions */
    } known_forms[] = {{"Open MPI v4.1.", 6}, {"Open MPI v5.0.", 7}};
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    void **table = dlsym(RTLD_DEFAULT, "mca_pml");
    MPI_Get_library_version(version, &(int){0});
    for (int k = 0; table && k < 2; k++)
        if (strstr(version, known_forms[k].version))
            return (layer *)(table + known_forms[k].before);
    return NULL;
}

const char *messages_open(void)
{
    layer *l = find_layer();
    requests *r = dlsym(RTLD_DEFAULT, "ompi_request_functions");
    if (!l || !r)
        return "messages are heard of Open MPI 4.1 and 5.0 only";
    real = *l;
    real_requests = *r;
    l->irecv = irecv;
    l->irecv_init = irecv_init;
    l->recv = receive;
    l->isend = isend;
    l->isend_init = isend_init;
    l->send = send_now;
    l->start = start;
    r->wait = wait_one;
    r->wait_all = wait_all;
    return NULL;
}

void messages_begin(messages *to)
{
    to->count = 0;
    known_count = group = 0;
    now = last_send = 0;
    waited = true;
    heard = to;
}

void messages_end(void)
{
    heard = NULL;
}

#endif
