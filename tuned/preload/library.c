/* The kinds of MPI library differ in what a communicator is (MPICH: an int, Open MPI: an address):
 * what was built for one passes everything on in a process of the other. The arguments are still
 * whole then, as the compiler makes a jump of a call with the same arguments. */
#include "tuned/preload/preload.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef OPEN_MPI
static const char built_for[] = "Open MPI";
static const bool for_open_mpi = true;
#else
static const char built_for[] = "MPICH";
static const bool for_open_mpi = false;
#endif

/* No communicator can be asked for the rank in a library of the other kind: launchers' word. */
static bool is_first_process(void)
{
    static const char *const names[] = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const char *rank = getenv(names[k]);
        if (rank)
            return strcmp(rank, "0") == 0;
    }
    return true;
}

static bool look(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
    int length = 0;
    PMPI_Get_library_version(version, &length);
    if ((strstr(version, "Open MPI") != NULL) == for_open_mpi)
        return true;
    if (is_first_process())
        fprintf(stderr,
                "libcpm-tuned: built for %s, but the program uses %.40s: nothing is tuned; build "
                "CPM with the program's MPI\n",
                built_for, version);
    return false;
}

/* State of the process by nature: it has one MPI library. */
bool preload_fits_library(void)
{
    enum { UNKNOWN, FITS, DOES_NOT };
    static atomic_int known = UNKNOWN;
    int now = atomic_load_explicit(&known, memory_order_relaxed);
    if (now == UNKNOWN) {
        now = look() ? FITS : DOES_NOT;
        atomic_store_explicit(&known, now, memory_order_relaxed);
    }
    return now == FITS;
}
