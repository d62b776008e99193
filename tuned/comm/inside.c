#include "tuned/comm/inside.h"

#include <limits.h>
#include <stdatomic.h>

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
