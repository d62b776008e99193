/* Written beside what it replaces, and renamed. */
#include "base/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/notice.h"
#include "base/pipe.h"

/* ---- what a command was told; of the process, as its command line is */

static bool force;
static const char *force_option;

void cpm_new_file_force(bool forced, const char *option)
{
    force = forced;
    force_option = option;
}

/* ---- what is there */

static int refuse_kind(const char *path, cpm_file_kind old, cpm_file_kind new, cpm_error *e)
{
    char shown[PATH_MAX];
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    if (!force_option)
        return cpm_fail(e, CPM_EIO,
                        "%s: not overwritten: it holds %s, and this is %s; name another file", path,
                        cpm_file_kind_named(old), cpm_file_kind_named(new));
    return cpm_fail(e, CPM_EIO,
                    "%s: not overwritten: it holds %s, and this is %s; name another file, or add "
                    "%s, which keeps it as %s.~1~",
                    path, cpm_file_kind_named(old), cpm_file_kind_named(new), force_option,
                    cpm_escape(name, shown, sizeof shown));
}

/* The superuser may write what nobody may, and whoever took the right to write away meant it. */
static int check_rights(const char *path, const struct stat *s, cpm_error *e)
{
    if ((s->st_mode & 0222) == 0)
        return cpm_fail(e, CPM_EIO, "%s: cannot be written: it is read-only", path);
    if (access(path, W_OK) != 0)
        return cpm_fail(e, CPM_EIO, "%s: cannot be written: %s", path, strerror(errno));
    return CPM_OK;
}

static cpm_file_kind kind_of(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    cpm_file_kind kind = file < 0 ? CPM_FILE_UNKNOWN : cpm_file_kind_of(file);
    if (file >= 0)
        close(file);
    return kind;
}

/* An empty file has nothing to lose. */
int cpm_old_file_check(const char *path, cpm_file_kind kind, bool *keeps, cpm_error *e)
{
    struct stat s;
    bool keep = false;
    int status = CPM_OK;
    if (strcmp(path, "-") != 0 && stat(path, &s) == 0 && S_ISREG(s.st_mode)) {
        status = check_rights(path, &s, e);
        cpm_file_kind old = status || s.st_size == 0 ? kind : kind_of(path);
        bool same = old == kind && (kind != CPM_FILE_UNKNOWN || s.st_size == 0);
        keep = s.st_size > 0 && !(same && cpm_file_kind_is_made_again(kind));
        if (!status && !same && !force)
            status = refuse_kind(path, old, kind, e);
    }
    if (keeps && !status)
        *keeps = keep;
    return status;
}

static int check_folder(const char *target, const char *path, cpm_error *e)
{
    const char *end = strrchr(target, '/');
    char *folder = !end ? strdup(".") : strndup(target, end == target ? 1 : (size_t)(end - target));
    int status = CPM_OK;
    if (!folder)
        status = cpm_no_memory(e);
    else if (access(folder, W_OK | X_OK) != 0)
        status = cpm_fail(e, CPM_EIO, "%s: cannot be written: %s", path, strerror(errno));
    free(folder);
    return status;
}

static int check_place(const char *path, cpm_error *e)
{
    struct stat s;
    if (strcmp(path, "-") == 0)
        return CPM_OK;
    if (stat(path, &s) == 0 && !S_ISREG(s.st_mode))
        return S_ISDIR(s.st_mode)
                   ? cpm_fail(e, CPM_EIO, "%s: cannot be written: %s", path, strerror(EISDIR))
                   : CPM_OK;
    int status = cpm_link_check(path, e);
    if (status)
        return status;
    char *target = cpm_link_target(path);
    status = target ? check_folder(target, path, e)
                    : cpm_fail(e, CPM_EIO, "%s: cannot be written: %s", path, strerror(errno));
    free(target);
    return status;
}

int cpm_new_file_check(const char *path, cpm_file_kind kind, bool *keeps, cpm_error *e)
{
    int status = check_place(path, e);
    return status ? status : cpm_old_file_check(path, kind, keeps, e);
}

/* Gives the file a name that nothing has. File systems that cannot promise it are asked first. */
static int rename_to_free(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    if (access(to, F_OK) == 0) {
        errno = EEXIST;
        return -1;
    }
    return rename(from, to);
}

static void say_kept(const char *path, const char *kept)
{
    char old[PATH_MAX], now[PATH_MAX];
    cpm_notice("the earlier %s is kept as %s", cpm_escape(path, old, sizeof old),
               cpm_escape(kept, now, sizeof now));
}

/* Moves it by move to the first name that is free, which the caller frees. */
static int keep(const char *target, const char *path, int (*move)(const char *, const char *),
                char **kept, cpm_error *e)
{
    enum { MOST_KEPT = 100000 };
    for (int k = 1; k <= MOST_KEPT; k++) {
        if (asprintf(kept, "%s.~%d~", target, k) < 0)
            return cpm_no_memory(e);
        int failure = move(target, *kept) ? errno : 0;
        if (!failure)
            return CPM_OK;
        free(*kept);
        if (failure != EEXIST)
            return cpm_fail(e, CPM_EIO, "%s: the earlier file cannot be kept beside it: %s", path,
                            strerror(failure));
    }
    return cpm_fail(e, CPM_EIO, "%s: too many earlier files are kept beside it", path);
}

int cpm_old_file_keep(const char *target, const char *path, cpm_error *e)
{
    char *kept;
    int status = keep(target, path, rename_to_free, &kept, e);
    if (status)
        return status;
    say_kept(path, kept);
    free(kept);
    return CPM_OK;
}

char *cpm_link_target(const char *path)
{
    struct stat s;
    bool leads = lstat(path, &s) == 0 && S_ISLNK(s.st_mode);
    return leads ? realpath(path, NULL) : strdup(path);
}

/* So that there is always a file of that name; where a file cannot have two names it is renamed. */
static int link_to_free(const char *from, const char *to)
{
    if (link(from, to) == 0)
        return 0;
    return errno == EEXIST ? -1 : rename_to_free(from, to);
}

/* ---- what is new */

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
    const char *suffix = suffix_of(f->path);
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
static bool open_regular(cpm_new_file *f)
{
    f->target = cpm_link_target(f->path);
    return f->target && open_beside(f);
}

static bool open_special(cpm_new_file *f)
{
    int file = cpm_open_to_write(f->path);
    f->stream = file < 0 ? NULL : fdopen(file, "w");
    if (!f->stream && file >= 0)
        close(file);
    return f->stream;
}

int cpm_new_file_open(cpm_new_file *f, const char *path, cpm_file_kind kind, cpm_error *e)
{
    struct stat status;
    *f = (cpm_new_file){.path = path};
    if (strcmp(path, "-") == 0) {
        f->stream = stdout;
        return CPM_OK;
    }
    int failure = cpm_new_file_check(path, kind, &f->keeps, e);
    if (failure)
        return failure;
    bool there = stat(path, &status) == 0;
    errno = 0;
    if (there && !S_ISREG(status.st_mode) ? open_special(f) : open_regular(f))
        return CPM_OK;
    failure = failed(f, e);
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

static bool same_content(const char *a, const char *b)
{
    FILE *one = fopen(a, "re"), *other = fopen(b, "re");
    int c = 0;
    bool same = one && other;
    while (same && c != EOF) {
        c = getc(one);
        same = c == getc(other);
    }
    if (one)
        fclose(one);
    if (other)
        fclose(other);
    return same;
}

static int take_name(const cpm_new_file *f, cpm_error *e)
{
    errno = 0;
    return rename(f->temporary, f->target) == 0 ? CPM_OK : failed(f, e);
}

/* The old one has both names for a while. */
static int keep_and_take_name(const cpm_new_file *f, cpm_error *e)
{
    char *kept;
    int status = keep(f->target, f->path, link_to_free, &kept, e);
    if (status)
        return status;
    status = take_name(f, e);
    if (!status)
        say_kept(f->path, kept);
    else if (access(f->target, F_OK) == 0)
        unlink(kept);
    else
        (void)!rename(kept, f->target);
    free(kept);
    return status;
}

int cpm_new_file_close(cpm_new_file *f, int status, cpm_error *e)
{
    bool written = finish(f, !status);
    if (!status && !written)
        status = failed(f, e);
    if (!status && f->temporary) /* what is the same is not kept twice */
        status = f->keeps && !same_content(f->temporary, f->target) ? keep_and_take_name(f, e)
                                                                    : take_name(f, e);
    if (status && f->temporary)
        unlink(f->temporary);
    forget(f);
    return status;
}
