#include "tuned/report/host_load.h"

#include <stdio.h>

#include "hosts/load.h"

/* Simulated processes have a machine of their own, and no time when the program ends. */
#ifdef CPM_SMPI
static const bool simulated = true;
#else
static const bool simulated = false;
#endif

static mpib_usage since;
static bool begun;

void tuned_host_load_begin(void)
{
    since = mpib_usage_now();
    begun = !simulated;
}

bool tuned_host_load_disturbs(char *text, size_t size)
{
    mpib_load load;
    *text = '\0';
    if (!begun || mpib_load_since(MPI_COMM_WORLD, &since, &load, NULL) != CPM_OK ||
        !mpib_load_disturbs(&load, mpib_tolerated_use))
        return false;
    snprintf(text, size,
             "host is busy: times of this run compare badly (others used %.1f of the %d processors "
             "of %s, where %d ranks ran)",
             load.others, load.processors, load.name, load.ranks);
    return true;
}
