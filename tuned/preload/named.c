/* Whether the program may call nonblocking or persistent collectives: it, or a library that is
 * loaded, names one that it does not have itself. */
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "tuned/preload/library.h"

/* In C, or in Fortran: there the letters are small. Each has others behind it, as of
 * reduce_scatter. */
static bool is_nonblocking(const char *name)
{
    static const char *const collectives[] = {"barrier",   "bcast",    "scatter",  "gather",
                                              "allgather", "alltoall", "reduce",   "allreduce",
                                              "scan",      "exscan",   "neighbor_"};
    if (strncasecmp(name, "MPI_", 4) != 0)
        return false;
    const bool lasts = strcasestr(name, "_init"), begins = strncasecmp(name + 4, "I", 1) == 0;
    const char *what = name + 4 + (begins && !lasts);
    for (size_t k = 0; (lasts || begins) && k < sizeof collectives / sizeof *collectives; k++)
        if (strncasecmp(what, collectives[k], strlen(collectives[k])) == 0)
            return true;
    return false;
}

/* What a library tells the loader, which may have made addresses of offsets. */
typedef struct {
    ElfW(Addr) base;
    const ElfW(Dyn) * at;
} tables;

/* 0: it has none. */
static ElfW(Addr) value_of(const tables *t, ElfW(Sxword) tag)
{
    for (const ElfW(Dyn) *d = t->at; d->d_tag != DT_NULL; d++)
        if (d->d_tag == tag)
            return d->d_un.d_val;
    return 0;
}

static const void *table_of(const tables *t, ElfW(Sxword) tag)
{
    const ElfW(Addr) value = value_of(t, tag);
    return value ? (const void *)(value + (value < t->base ? t->base : 0)) : NULL;
}

static unsigned long symbol_of(const ElfW(Rel) * r)
{
#if UINTPTR_MAX > 0xffffffff
    return ELF64_R_SYM(r->r_info);
#else
    return ELF32_R_SYM(r->r_info);
#endif
}

/* Of what the loader is to fill in, such as the addresses of functions that are called; each entry
 * has so many bytes, and begins alike. */
static bool names_any_in(const tables *t, ElfW(Sxword) table, ElfW(Sxword) bytes, size_t each)
{
    const ElfW(Sym) *symbols = table_of(t, DT_SYMTAB);
    const char *names = table_of(t, DT_STRTAB), *at = table_of(t, table);
    const size_t count = symbols && names && at ? value_of(t, bytes) / each : 0;
    for (size_t k = 0; k < count; k++) {
        const ElfW(Sym) *one = &symbols[symbol_of((const ElfW(Rel) *)(at + k * each))];
        if (one->st_shndx == SHN_UNDEF && is_nonblocking(names + one->st_name))
            return true;
    }
    return false;
}

static bool names_any(const tables *t)
{
    const size_t long_one = sizeof(ElfW(Rela)), short_one = sizeof(ElfW(Rel));
    const size_t of_calls = value_of(t, DT_PLTREL) == DT_RELA ? long_one : short_one;
    return names_any_in(t, DT_JMPREL, DT_PLTRELSZ, of_calls) ||
           names_any_in(t, DT_RELA, DT_RELASZ, long_one) ||
           names_any_in(t, DT_REL, DT_RELSZ, short_one);
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
