/* Written beside what it replaces, and renamed. */
#include "base/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int failed(const cpm_new_file *f, cpm_error *e)
{
    const char *why = errno ? strerror(errno) : "not all of it arrived";
    if (strcmp(f->path, "-") == 0)
        return cpm_fail(e, CPM_EIO, "standard output cannot be written: %s", why);
    return cpm_fail(e, CPM_EIO, "%s: cannot be written: %s", f->path, why);
}

int cpm_link_check(const char *path, cpm_error *e)
{
    struct stat status;
    if (lstat(path, &status) != 0 || !S_ISLNK(status.st_mode) || stat(path, &status) == 0)
        return CPM_OK;
    return cpm_fail(e, CPM_EIO,
                    "%s: cannot be written: it is a link that leads nowhere; remove it, or name "
                    "where it leads to",
                    path);
}

/* Frees what is not open any more; errno stays. */
static void forget(cpm_new_file *f)
{
    int reason = errno;
    free(f->target);
    free(f->temporary);
    *f = (cpm_new_file){0};
    errno = reason;
}

/* mkostemps gives a file only its owner may read: a file of ours gets what the old one has, or a
 * new one would have. */
static void allow_as_usual(int file, const char *target)
{
    struct stat old;
    mode_t mask = umask(0);
    umask(mask);
    bool there = stat(target, &old) == 0;
    (void)!fchmod(file, there ? old.st_mode & 0777 : 0666 & ~mask);
}

/* The part of a name from its last dot on, if it has one. */
static const char *suffix_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return dot && dot != name ? dot : "";
}

static bool open_beside(cpm_new_file *f)
{
    const char *suffix = suffix_of(f->target);
    if (asprintf(&f->temporary, "%s.XXXXXX%s", f->target, suffix) < 0) {
        f->temporary = NULL;
        return false;
    }
    int file = mkostemps(f->temporary, (int)strlen(suffix), O_CLOEXEC);
    if (file < 0)
        return false;
    allow_as_usual(file, f->target);
    f->stream = fdopen(file, "w");
    if (!f->stream) {
        close(file);
        unlink(f->temporary);
    }
    return f->stream != NULL;
}

/* A link is followed, so that it stays a link. */
static bool open_regular(cpm_new_file *f, bool there)
{
    f->target = there ? realpath(f->path, NULL) : strdup(f->path);
    if (!f->target || (there && access(f->target, W_OK) != 0))
        return false;
    return open_beside(f);
}

int cpm_new_file_open(cpm_new_file *f, const char *path, cpm_error *e)
{
    struct stat status;
    *f = (cpm_new_file){.path = path};
    if (strcmp(path, "-") == 0) {
        f->stream = stdout;
        return CPM_OK;
    }
    int dangling = cpm_link_check(path, e);
    if (dangling)
        return dangling;
    bool there = stat(path, &status) == 0;
    bool good;
    errno = 0;
    if (there && !S_ISREG(status.st_mode))
        good = (f->stream = fopen(path, "we")) != NULL;
    else
        good = open_regular(f, there);
    if (good)
        return CPM_OK;
    int failure = failed(f, e);
    forget(f);
    return failure;
}

/* Everything is with the operating system, and on the disk where that can be asked for and it is
 * wanted; closes. */
static bool finish(cpm_new_file *f, bool wanted)
{
    errno = 0;
    bool good = fflush(f->stream) == 0 && !ferror(f->stream);
    if (good && wanted && f->temporary)
        good = fsync(fileno(f->stream)) == 0;
    if (f->stream == stdout)
        return good;
    int reason = errno;
    if (fclose(f->stream) != 0 && good)
        return false;
    errno = reason;
    return good;
}

int cpm_new_file_close(cpm_new_file *f, int status, cpm_error *e)
{
    bool written = finish(f, !status);
    if (written && !status && f->temporary)
        written = rename(f->temporary, f->target) == 0;
    if (!status && !written)
        status = failed(f, e);
    if (status && f->temporary)
        unlink(f->temporary);
    forget(f);
    return status;
}
