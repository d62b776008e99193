/* The kinds of MPI library differ in what a communicator is (MPICH: an int, Open MPI: an address),
 * so functions built for one cannot even pass on the arguments of a program that uses the other.
 * Such a program is started again without them, before it has begun; one that loads MPI later on is
 * the business of late.c, and begins again where that does not help. */
#include "tuned/preload/library.h"

#include <errno.h>
#include <link.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hosts/launched.h"

static const char own_name[] = "libcpm-tuned.so";

#ifdef OPEN_MPI
static const char built_for[] = "Open MPI";
static const bool for_open_mpi = true;
#else
static const char built_for[] = "MPICH";
static const bool for_open_mpi = false;
#endif

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

/* ---- libraries that are loaded ---- */

static const char *without_folders(const char *path)
{
    const char *last = strrchr(path, '/');
    return last ? last + 1 : path;
}

/* MPICH's are libmpich.so and, as those of libraries with its binary interface, libmpi.so.12; Open
 * MPI's are libmpi.so with a higher number. */
bool cpm_is_other_mpi(const char *path)
{
    static const char mpi[] = "libmpi.so.";
    const char *name = without_folders(path);
    bool numbered = strncmp(name, mpi, sizeof mpi - 1) == 0;
    long number = numbered ? strtol(name + sizeof mpi - 1, NULL, 10) : 0;
    bool mpich = strncmp(name, "libmpich.so", 11) == 0 || number == 12;
    return for_open_mpi ? mpich : number > 12;
}

static int look_at(struct dl_phdr_info *of, size_t size, void *found)
{
    (void)size;
    bool *other = found;
    *other = *other || (of->dlpi_name && cpm_is_other_mpi(of->dlpi_name));
    return *other;
}

static bool is_other_loaded(void)
{
    bool other = false;
    dl_iterate_phdr(look_at, &other);
    return other;
}

/* The libraries that an executable was linked with, its own dynamic section. */
static const ElfW(Dyn) * dynamic_section(const struct dl_phdr_info *of)
{
    for (int k = 0; k < of->dlpi_phnum; k++)
        if (of->dlpi_phdr[k].p_type == PT_DYNAMIC)
            return (const ElfW(Dyn) *)(of->dlpi_addr + of->dlpi_phdr[k].p_vaddr);
    return NULL;
}

/* On some processors the loader has not made addresses of the offsets there. */
static const char *names_in(const struct dl_phdr_info *of, const ElfW(Dyn) * section)
{
    for (; section->d_tag != DT_NULL; section++)
        if (section->d_tag == DT_STRTAB) {
            ElfW(Addr) at = section->d_un.d_ptr;
            return (const char *)(at < of->dlpi_addr ? of->dlpi_addr + at : at);
        }
    return NULL;
}

/* Of Open MPI also libmpi_mpifh.so and others for Fortran, of MPICH libmpichfort.so. */
static bool is_own_mpi(const char *name)
{
    return strncmp(name, "libmpi", 6) == 0 && !cpm_is_other_mpi(name) &&
           (for_open_mpi || strncmp(name, "libmpi_", 7) != 0);
}

/* The first object is the executable. */
static int look_at_executable(struct dl_phdr_info *of, size_t size, void *found)
{
    (void)size;
    const ElfW(Dyn) *section = dynamic_section(of);
    const char *names = section ? names_in(of, section) : NULL;
    bool *own = found;
    for (; names && section->d_tag != DT_NULL; section++)
        *own = *own || (section->d_tag == DT_NEEDED && is_own_mpi(names + section->d_un.d_val));
    return 1;
}

/* Whether the executable was linked with the kind of MPI that this library was built for. */
static bool needs_own_mpi(void)
{
    bool own = false;
    dl_iterate_phdr(look_at_executable, &own);
    return own;
}

/* ---- what is said and done ---- */

static char **arguments;
static bool both_from_the_start; /* the program's own choice: what MPI says of itself counts */
static atomic_bool is_said;

const char *cpm_name_of_other_mpi(void)
{
    return for_open_mpi ? "MPICH" : "Open MPI";
}

static void say(const char *whose, const char *other)
{
    if (!mpib_launched_first() || atomic_exchange(&is_said, true))
        return;
    fprintf(stderr,
            "cpm: %s was built for %s, but %s %.*s; MPI's own collectives are used. "
            "Nothing is counted: take a cpm that was built with the program's MPI\n",
            own_name, built_for, whose, (int)strcspn(other, ",\n"), other);
}

/* If the program cannot be started again it goes on, for better or worse. */
static void start_again(void)
{
    fflush(NULL);
    if (arguments && leave_preloaded())
        execv("/proc/self/exe", arguments);
}

void cpm_begin_without(const char *uses)
{
    if (both_from_the_start)
        return;
    say("the program uses", uses);
    start_again();
}

void cpm_leave_other_mpi_alone(void)
{
    if (is_other_loaded())
        cpm_begin_without(cpm_name_of_other_mpi());
}

/* ---- at the start ---- */

/* Then the program is probably of the other kind, too, and loads it later. One that was linked with
 * this kind is so many programs of one process each: who begins MPI says so (collectives.c). Not
 * mpib_launched_by_another: that is about several processes, while one alone loads the other MPI
 * just as well; and both kinds may be started by Slurm, and MPICH's by anybody who speaks PMI. */
static bool is_launched_by_other(void)
{
    bool by_open_mpi = getenv("OMPI_COMM_WORLD_RANK"), by_mpich = getenv("MPI_LOCALNRANKS");
    return for_open_mpi ? by_mpich && !by_open_mpi : by_open_mpi && !by_mpich;
}

/* What Open MPI starts besides a program that no launcher of its own has started. */
static bool is_daemon(void)
{
    return strcmp(program_invocation_short_name, "orted") == 0 ||
           strcmp(program_invocation_short_name, "prted") == 0;
}

/* glibc gives constructors the arguments of main. */
__attribute__((constructor)) static void leave_other_libraries_alone(int argc, char **argv)
{
    /* Open MPI's MPI_MAX_LIBRARY_VERSION_STRING is 256, MPICH's 8192. */
    char version[16384] = "";
    (void)argc;
    arguments = argv;
    both_from_the_start = is_other_loaded();
    bool program_fits = fits(version);
    if (program_fits && (!is_launched_by_other() || needs_own_mpi() || is_daemon()))
        return;
    if (program_fits)
        say("the launcher is that of", cpm_name_of_other_mpi());
    else
        say("the program uses", version);
    start_again();
}
