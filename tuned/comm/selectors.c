#include "tuned/comm/selectors.h"

#include <stdlib.h>
#include <string.h>

#include "collectives/schedule_file.h"
#include "selection/model_selector.h"
#include "tables/force.h"
#include "tables/ruleset_selector.h"
#include "tables/table_selector.h"
#include "tuned/environment.h"

/* Programs that were built with Open MPI 4 run with 5, too. */
cpm_library tuned_library(void)
{
#if defined(OPEN_MPI)
    static const char name[] = "Open MPI v";
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    PMPI_Get_library_version(version, &(int){0});
    const char *number = strstr(version, name);
    bool five = number && strtol(number + strlen(name), NULL, 10) >= 5;
    return five ? CPM_LIBRARY_OPENMPI5 : CPM_LIBRARY_OPENMPI;
#elif defined(MPICH_VERSION)
    return CPM_LIBRARY_MPICH;
#else
    return CPM_LIBRARY_OTHER;
#endif
}

cpm_selector_options tuned_selector_options(void)
{
    cpm_selector_options options = CPM_SELECTOR_DEFAULT;
    options.library = tuned_library();
    options.total = 5;
    return options;
}

int tuned_select_by_model(tuned_state *t, cpm_error *e)
{
    const cpm_selector_options options = tuned_selector_options();
    return cpm_selector_of_model(t->model, &options, &t->selector, e);
}

static int select_named(tuned_state *t, const tuned_members *who, cpm_error *e)
{
    const tuned_environment *said = tuned_environment_get();
    const cpm_table *table;
    const cpm_model *whole;
    if (said->table) {
        int status = tuned_environment_table(&table, e);
        return status ? status : cpm_selector_of_table(table, &t->selector, e);
    }
    if (!said->model)
        return CPM_OK;
    cpm_error why = {0};
    int status = tuned_environment_model(&whole, e);
    if (status != CPM_OK)
        return status;
    status = tuned_members_model(whole, who, &t->model, &why);
    return status ? cpm_fail(e, status, "%s: %s", said->model, why.text)
                  : tuned_select_by_model(t, e);
}

/* Rank 0 of some communicators only does not repeat what rank 0 of the program says. */
static bool speaks_for_all(void)
{
    int initialized = 0, rank = 0;
    PMPI_Initialized(&initialized);
    if (initialized)
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank == 0;
}

/* Rules go before what was selected until now. */
static int select_by_rules(tuned_state *t, cpm_error *e)
{
    const cpm_ruleset *rules;
    cpm_selector *others = t->selector;
    if (!tuned_environment_get()->rules)
        return CPM_OK;
    t->selector = NULL; /* it is freed if this fails */
    int status = tuned_environment_rules(&rules, e);
    if (!status && speaks_for_all())
        tuned_environment_say_notes();
    if (!status)
        return cpm_selector_of_rules(rules, others, &t->selector, e);
    if (others)
        others->free(others);
    return status;
}

int tuned_select_by_environment(tuned_state *t, const tuned_members *who, cpm_error *e)
{
    const char *force = tuned_environment_get()->force;
    const cpm_error *wrong = &tuned_environment_get()->adapt_failure;
    if (wrong->code)
        return cpm_fail(e, wrong->code, "%s", wrong->text);
    cpm_schedule_files_close(true); /* if MPI_Init has not: with sessions there are none */
    int status = select_named(t, who, e);
    if (!status)
        status = select_by_rules(t, e);
    if (status != CPM_OK || !force)
        return status;
    cpm_selector *others = t->selector;
    cpm_error why = {0};
    t->selector = NULL; /* it is freed if this fails */
    status = cpm_selector_forced(force, others, &t->selector, &why);
    return status ? cpm_fail(e, status, "--force (CPM_FORCE): %s", why.text) : CPM_OK;
}
