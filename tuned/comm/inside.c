#include "tuned/comm/inside.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

#include "tuned/attribute.h"

/* MPI libraries have a limited number of communicators (MPICH: 2046), and a program that runs out
 * of them ends: it must keep most for itself. Simulated processes count together and have no limit.
 */
#ifdef CPM_SMPI
enum { MOST_INSIDE = INT_MAX };
#else
enum { MOST_INSIDE = 256 };
#endif
static atomic_int inside_now;

bool tuned_inside_has_room(const tuned_state *t)
{
    return t->inside != MPI_COMM_NULL || atomic_load(&inside_now) < MOST_INSIDE;
}

/* Not a duplicate: that would call the application's functions that copy attributes. */
static bool make(const tuned_state *t, MPI_Comm *out)
{
    MPI_Group group;
    PMPI_Comm_group(t->comm, &group);
    int failed = PMPI_Comm_create(t->comm, group, out);
    if (failed)
        *out = MPI_COMM_NULL;
    PMPI_Group_free(&group);
    return *out != MPI_COMM_NULL;
}

bool tuned_inside_make(tuned_state *t)
{
    return make(t, &t->inside);
}

/* MPI may have no communicator left. */
bool tuned_inside_another(tuned_state *t, bool able)
{
    MPI_Errhandler before;
    const bool room = atomic_load(&inside_now) < MOST_INSIDE;
    if (!tuned_all(t->comm, able && room))
        return false;
    PMPI_Comm_get_errhandler(t->comm, &before);
    PMPI_Comm_set_errhandler(t->comm, MPI_ERRORS_RETURN);
    const bool made = make(t, &t->aside);
    PMPI_Comm_set_errhandler(t->comm, before);
    PMPI_Errhandler_free(&before);
    const bool kept = tuned_all(t->comm, made);
    if (made && !kept)
        PMPI_Comm_free(&t->aside);
    if (!kept)
        return false;
    PMPI_Comm_set_errhandler(t->aside, MPI_ERRORS_RETURN);
    atomic_fetch_add(&inside_now, 1);
    return true;
}

/* ---- whom to ask ---- */

static MPI_Comm alone = MPI_COMM_NULL;
static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER;

void tuned_inside_make_room(void)
{
    pthread_mutex_lock(&asking);
    if (alone != MPI_COMM_NULL)
        PMPI_Comm_free(&alone);
    pthread_mutex_unlock(&asking);
}

#ifndef CPM_SMPI
static pthread_once_t ends_once = PTHREAD_ONCE_INIT;

static int free_alone(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    tuned_inside_make_room();
    return MPI_SUCCESS;
}

static void free_at_end(void)
{
    tuned_attribute_at_end(free_alone);
}

/* Not a duplicate: that would call the application's functions that copy attributes. Nor
 * MPI_COMM_SELF itself: who changes its error handler cannot give back that it had none. */
static void make_alone(void)
{
    MPI_Group group;
    pthread_once(&ends_once, free_at_end);
    PMPI_Comm_group(MPI_COMM_SELF, &group);
    if (PMPI_Comm_create(MPI_COMM_SELF, group, &alone) != MPI_SUCCESS)
        alone = MPI_COMM_NULL;
    PMPI_Group_free(&group);
    if (alone != MPI_COMM_NULL)
        PMPI_Comm_set_errhandler(alone, MPI_ERRORS_RETURN);
}
#endif

MPI_Comm tuned_inside_ask(const tuned_state *t)
{
    if (t->inside != MPI_COMM_NULL)
        return t->inside;
    pthread_mutex_lock(&asking);
#ifndef CPM_SMPI
    if (alone == MPI_COMM_NULL)
        make_alone();
#endif
    return alone;
}

void tuned_inside_asked(const tuned_state *t)
{
    if (t->inside == MPI_COMM_NULL)
        pthread_mutex_unlock(&asking);
}

/* ---- tags and the end ---- */

/* At least 32767, says the standard. */
static long find_most_tag(void)
{
    int *most = NULL, found = 0;
    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &found);
    return found && *most > 32767 ? *most : 32767;
}

void tuned_inside_keep(tuned_state *t)
{
    PMPI_Comm_set_errhandler(t->inside, MPI_ERRORS_RETURN);
    t->most_tag = find_most_tag();
    atomic_fetch_add(&inside_now, 1);
}

void tuned_inside_drop(tuned_state *t)
{
    PMPI_Comm_free(&t->inside);
}

void tuned_inside_free(tuned_state *t)
{
    mpib_groups_clear(&t->groups);
    PMPI_Comm_free(&t->inside);
    atomic_fetch_sub(&inside_now, 1);
    if (t->aside == MPI_COMM_NULL)
        return;
    PMPI_Comm_free(&t->aside);
    atomic_fetch_sub(&inside_now, 1);
}
