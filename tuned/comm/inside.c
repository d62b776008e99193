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
bool tuned_inside_make(tuned_state *t)
{
    MPI_Group group;
    PMPI_Comm_group(t->comm, &group);
    int failed = PMPI_Comm_create(t->comm, group, &t->inside);
    if (failed)
        t->inside = MPI_COMM_NULL;
    PMPI_Group_free(&group);
    return t->inside != MPI_COMM_NULL;
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
}
