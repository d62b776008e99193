#include "tuned/comm/schedules.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "collectives/schedule_file.h"
#include "tables/force.h"
#include "tuned/environment.h"

static bool may_name_files(const tuned_environment *said)
{
    return said->table || said->rules || (said->force && strchr(said->force, CPM_SCHEDULE_FILE));
}

/* Whoever names a file reads it: that is all that is wanted here. Errors are said where they count.
 */
static void read_named(const tuned_environment *said)
{
    const cpm_table *table;
    const cpm_ruleset *rules;
    cpm_selector *forced = NULL;
    if (said->force && cpm_selector_forced(said->force, NULL, &forced, NULL) == CPM_OK)
        forced->free(forced);
    if (said->table)
        tuned_environment_table(&table, NULL);
    if (said->rules)
        tuned_environment_rules(&rules, NULL);
}

void tuned_schedules_begin(void)
{
    int rank = 0;
    char *text = NULL;
    size_t packed = 0;
    if (!may_name_files(tuned_environment_get())) {
        cpm_schedule_files_close(true);
        return;
    }
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        read_named(tuned_environment_get());
        if (cpm_schedule_files_pack(&text, &packed, NULL) != CPM_OK)
            packed = 0;
    }
    long size = (long)packed;
    PMPI_Bcast(&size, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    if (rank)
        text = malloc((size_t)size + 1);
    int good = text != NULL && size <= INT_MAX;
    PMPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (good && size)
        PMPI_Bcast(text, (int)size, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (good && rank)
        good = cpm_schedule_files_unpack(text, (size_t)size, NULL) == CPM_OK;
    PMPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    cpm_schedule_files_close(good);
    free(text);
}
