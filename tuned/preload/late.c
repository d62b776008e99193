/* Programs that load MPI while they run, as interpreters do. What they load finds the functions of
 * this library and of the MPI that it was built for, which stand before all others: that is meant
 * to be where it is of the same MPI, and is the end of the program where it is of another. So it
 * begins again without this library before that is loaded. */
#include "tuned/preload/library.h"

#if defined(__linux__) && !defined(CPM_SMPI) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file that is mapped. */
typedef struct {
    const char *bytes;
    size_t size;
} image;

static bool holds(const image *f, size_t at, size_t bytes)
{
    return at <= f->size && bytes <= f->size - at;
}

/* What is at an address when it is loaded; NULL: nothing. */
static const char *loaded_at(const image *f, const ElfW(Phdr) * parts, int count,
                             ElfW(Addr) address)
{
    for (int k = 0; k < count; k++)
        if (parts[k].p_type == PT_LOAD && address >= parts[k].p_vaddr &&
            address - parts[k].p_vaddr < parts[k].p_filesz) {
            size_t at = parts[k].p_offset + (address - parts[k].p_vaddr);
            return holds(f, at, 1) ? f->bytes + at : NULL;
        }
    return NULL;
}

static bool is_string(const image *f, const char *s)
{
    return s >= f->bytes && s < f->bytes + f->size &&
           memchr(s, '\0', (size_t)(f->bytes + f->size - s));
}

static bool needs_in(const image *f, const char *names, const ElfW(Dyn) * all, size_t count)
{
    for (size_t k = 0; k < count && all[k].d_tag != DT_NULL; k++)
        if (all[k].d_tag == DT_NEEDED && all[k].d_un.d_val < f->size &&
            is_string(f, names + all[k].d_un.d_val) && cpm_is_other_mpi(names + all[k].d_un.d_val))
            return true;
    return false;
}

static const char *names_of(const image *f, const ElfW(Phdr) * parts, int count,
                            const ElfW(Dyn) * all, size_t entries)
{
    for (size_t k = 0; k < entries && all[k].d_tag != DT_NULL; k++)
        if (all[k].d_tag == DT_STRTAB)
            return loaded_at(f, parts, count, all[k].d_un.d_ptr);
    return NULL;
}

/* Whether a shared library says that it needs MPI's of the other kind. */
static bool needs_other_mpi(const image *f)
{
    const ElfW(Ehdr) *head = (const void *)f->bytes;
    if (!holds(f, 0, sizeof *head) || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_phentsize != sizeof(ElfW(Phdr)) ||
        !holds(f, head->e_phoff, head->e_phnum * sizeof(ElfW(Phdr))))
        return false;
    const ElfW(Phdr) *parts = (const void *)(f->bytes + head->e_phoff);
    for (int k = 0; k < head->e_phnum; k++)
        if (parts[k].p_type == PT_DYNAMIC && holds(f, parts[k].p_offset, parts[k].p_filesz)) {
            const ElfW(Dyn) *all = (const void *)(f->bytes + parts[k].p_offset);
            size_t entries = parts[k].p_filesz / sizeof *all;
            const char *names = names_of(f, parts, head->e_phnum, all, entries);
            return names && needs_in(f, names, all, entries);
        }
    return false;
}

static bool file_needs_other_mpi(const char *path)
{
    struct stat of;
    bool needs = false;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    if (!fstat(file, &of) && S_ISREG(of.st_mode) && of.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)of.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        const image f = {bytes, (size_t)of.st_size};
        needs = bytes != MAP_FAILED && needs_other_mpi(&f);
        if (bytes != MAP_FAILED)
            munmap(bytes, f.size);
    }
    close(file);
    return needs;
}

/* Before MPI's of the other kind is loaded. */
static __attribute__((noinline)) void look_at(const char *path, int flags)
{
    if (path && !(flags & RTLD_NOLOAD) &&
        (cpm_is_other_mpi(path) || (strchr(path, '/') && file_needs_other_mpi(path))))
        cpm_begin_without(cpm_name_of_other_mpi());
}

typedef void *opener(const char *path, int flags);

static __attribute__((noinline)) opener *next_opener(void)
{
    return (opener *)dlsym(RTLD_NEXT, "dlopen");
}

/* The linker looks at who calls it, for the folders in which that looks for libraries: so its
 * function is jumped to, and not called. */
#if defined(__clang__)
#define LAST_CALL __attribute__((musttail))
#else
#define LAST_CALL
__attribute__((optimize("O2", "no-stack-protector")))
#endif
void *dlopen(const char *path, int flags)
{
    look_at(path, flags);
    opener *next = next_opener();
    LAST_CALL return next(path, flags);
}
#endif
