/* Where processes are simulated, they share the communicator and its attributes, and whoever frees
 * it first ends them for all: there the attribute is a place for each rank, which stays. */
#include "tuned/attribute.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int keyval = MPI_KEYVAL_INVALID;
static pthread_once_t keyval_once = PTHREAD_ONCE_INIT;

#ifndef CPM_SMPI

static _Atomic(tuned_end *) end_state; /* the same at every call */

/* What this thread asked for last: MPI takes several times as long to find an attribute. Handles
 * are used again, so it is forgotten whenever a communicator with an attribute ends. */
static atomic_ulong ends = 1;
static _Thread_local struct {
    MPI_Comm comm;
    tuned_state *state;
    unsigned long ends; /* 0: nothing was asked for */
} last;

/* Communicators that this thread frees, each within the freeing of the next. */
typedef struct ending {
    MPI_Comm comm;
    const struct ending *outer;
} ending;
static _Thread_local const ending *endings;

static bool is_ending(MPI_Comm comm)
{
    const ending *e = endings;
    while (e && e->comm != comm)
        e = e->outer;
    return e;
}

static int end(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)extra;
    atomic_fetch_add(&ends, 1);
    if (value)
        atomic_load (&end_state)(value);
    return MPI_SUCCESS;
}

static void make_keyval(void)
{
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end, &keyval, NULL);
}

bool tuned_attribute_get(MPI_Comm comm, tuned_state **out)
{
    int found = 0;
    unsigned long now = atomic_load_explicit(&ends, memory_order_acquire);
    if (comm == last.comm && now == last.ends) {
        *out = last.state;
        return true;
    }
    if (is_ending(comm)) {
        *out = NULL;
        return true;
    }
    pthread_once(&keyval_once, make_keyval);
    PMPI_Comm_get_attr(comm, keyval, out, &found);
    if (found) {
        last.comm = comm;
        last.state = *out;
        last.ends = now;
    }
    return found;
}

void tuned_attribute_set(MPI_Comm comm, tuned_state *t, tuned_end *end_of_state)
{
    atomic_store(&end_state, end_of_state);
    PMPI_Comm_set_attr(comm, keyval, t);
}

static bool may_be_freed(const MPI_Comm *comm)
{
    return comm && *comm != MPI_COMM_NULL && *comm != MPI_COMM_WORLD && *comm != MPI_COMM_SELF;
}

int tuned_attribute_free(MPI_Comm *comm, tuned_free *own)
{
    tuned_state *t;
    if (!may_be_freed(comm))
        return own(comm);
    if (tuned_attribute_get(*comm, &t))
        PMPI_Comm_delete_attr(*comm, keyval);
    const ending this = {*comm, endings};
    endings = &this;
    const int status = own(comm);
    endings = this.outer;
    return status;
}

#else

typedef struct {
    tuned_state *state;
    bool set;
} place;

static void make_keyval(void)
{
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
}

static place *own_place(MPI_Comm comm)
{
    place *all = NULL;
    int found = 0, rank = 0;
    pthread_once(&keyval_once, make_keyval);
    PMPI_Comm_get_attr(comm, keyval, &all, &found);
    PMPI_Comm_rank(comm, &rank);
    return found ? all + rank : NULL;
}

bool tuned_attribute_get(MPI_Comm comm, tuned_state **out)
{
    const place *own = own_place(comm);
    if (!own || !own->set)
        return false;
    *out = own->state;
    return true;
}

void tuned_attribute_set(MPI_Comm comm, tuned_state *t, tuned_end *end)
{
    (void)end;
    int n = 0;
    PMPI_Comm_size(comm, &n);
    if (!own_place(comm)) {
        place *all = calloc((size_t)n, sizeof *all);
        if (!all)
            return;
        PMPI_Comm_set_attr(comm, keyval, all);
    }
    *own_place(comm) = (place){t, true};
}

int tuned_attribute_free(MPI_Comm *comm, tuned_free *own)
{
    return own(comm);
}

#endif

void tuned_attribute_at_end(MPI_Comm_delete_attr_function *end_of_mpi)
{
    int key, initialized = 0;
    PMPI_Initialized(&initialized);
    if (!initialized)
        return;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_of_mpi, &key, NULL);
    PMPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
}
