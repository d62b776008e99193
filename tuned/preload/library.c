/* The kinds of MPI library differ in what a communicator is (MPICH: an int, Open MPI: an address),
 * so functions built for one cannot even pass on the arguments of a program that uses the other.
 * Such a program is started again without them, before it has begun. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char own_name[] = "libcpm-tuned.so";

#ifdef OPEN_MPI
static const char built_for[] = "Open MPI";
static const bool for_open_mpi = true;
#else
static const char built_for[] = "MPICH";
static const bool for_open_mpi = false;
#endif

/* No communicator can be asked for the rank yet: launchers' word. */
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

/* LD_PRELOAD without this library; false if it is not there. */
static bool leave_preloaded(void)
{
    const char *all = getenv("LD_PRELOAD");
    char *copy = all ? strdup(all) : NULL, *others = calloc(1, all ? strlen(all) + 2 : 1);
    char *rest = NULL;
    bool found = false;
    for (char *word = copy && others ? strtok_r(copy, ": ", &rest) : NULL; word;
         word = strtok_r(NULL, ": ", &rest)) {
        bool own = strstr(word, own_name) != NULL;
        found = found || own;
        if (!own)
            strcat(strcat(others, word), ":");
    }
    if (found && setenv("LD_PRELOAD", others, 1))
        found = false;
    free(copy);
    free(others);
    return found;
}

static bool fits(char *version)
{
    int length = 0;
    PMPI_Get_library_version(version, &length);
    return (strstr(version, "Open MPI") != NULL) == for_open_mpi;
}

/* glibc gives constructors the arguments of main. If the program cannot be started again it goes
 * on, for better or worse. */
__attribute__((constructor)) static void leave_other_libraries_alone(int argc, char **argv)
{
    /* Open MPI's MPI_MAX_LIBRARY_VERSION_STRING is 256, MPICH's 8192. */
    char version[16384] = "";
    (void)argc;
    if (fits(version))
        return;
    if (is_first_process())
        fprintf(stderr,
                "cpm: %s was built for %s, but the program uses %.*s; MPI's own collectives are "
                "used\n",
                own_name, built_for, (int)strcspn(version, ",\n"), version);
    if (leave_preloaded())
        execv("/proc/self/exe", argv);
}
