/* Whether the program may call nonblocking collectives: it, or a library that is loaded, names one
 * that it does not have itself. */
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "tuned/preload/library.h"

/* In C, or in Fortran: there the letters are small. Each has others behind it, as of
 * reduce_scatter.
 */
static bool is_nonblocking(const char *name)
{
    static const char *const begin[] = {"MPI_Ibarrier", "MPI_Ibcast",     "MPI_Iscatter",
                                        "MPI_Igather",  "MPI_Iallgather", "MPI_Ialltoall",
                                        "MPI_Ireduce",  "MPI_Iallreduce", "MPI_Iscan",
                                        "MPI_Iexscan",  "MPI_Ineighbor_"};
    for (size_t k = 0; k < sizeof begin / sizeof *begin; k++)
        if (strncasecmp(name, begin[k], strlen(begin[k])) == 0)
            return true;
    return false;
}

/* What a library needs and has, as it tells the loader; which may have made addresses of offsets.
 */
typedef struct {
    ElfW(Addr) base;
    const ElfW(Dyn) * at;
} tables;

static const void *table_of(const tables *t, ElfW(Sxword) tag)
{
    for (const ElfW(Dyn) *d = t->at; d->d_tag != DT_NULL; d++)
        if (d->d_tag == tag)
            return (const void *)(d->d_un.d_ptr + (d->d_un.d_ptr < t->base ? t->base : 0));
    return NULL;
}

/* Symbols that are not found by a hash are those that it needs, and come first. */
static unsigned count_needed(const tables *t)
{
    const unsigned *quick = table_of(t, DT_GNU_HASH), *all = table_of(t, DT_HASH);
    return quick ? quick[1] : all ? all[1] : 0;
}

static bool names_any(const tables *t)
{
    const ElfW(Sym) *symbols = table_of(t, DT_SYMTAB);
    const char *names = table_of(t, DT_STRTAB);
    const unsigned count = symbols && names ? count_needed(t) : 0;
    for (unsigned k = 1; k < count; k++)
        if (symbols[k].st_shndx == SHN_UNDEF && is_nonblocking(names + symbols[k].st_name))
            return true;
    return false;
}

/* MPI's own Fortran functions name all of C's. */
static bool is_of_mpi(const char *path)
{
    const char *last = path ? strrchr(path, '/') : NULL;
    return last && strncmp(last, "/libmpi", 7) == 0;
}

static int look_at(struct dl_phdr_info *of, size_t size, void *found)
{
    (void)size;
    tables t = {.base = of->dlpi_addr};
    for (int k = 0; k < of->dlpi_phnum; k++)
        if (of->dlpi_phdr[k].p_type == PT_DYNAMIC)
            t.at = (const ElfW(Dyn) *)(of->dlpi_addr + of->dlpi_phdr[k].p_vaddr);
    *(bool *)found = t.at && !is_of_mpi(of->dlpi_name) && names_any(&t);
    return *(bool *)found;
}

bool cpm_names_nonblocking(void)
{
    bool found = false;
    dl_iterate_phdr(look_at, &found);
    return found;
}
