/* Text files as a whole. */
#include "base/text_file.h"

#include <errno.h>
#include <sha2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vector.h"

/* ---- reading */

/* The whole file; NULL with errno set. */
static char *read_all(FILE *f, size_t *size)
{
    enum { ROOM = 65536 };
    char *text = NULL;
    int64_t used = 0, room = 0;
    while (!feof(f) && !ferror(f) && cpm_vector_reserve(&text, &room, used ? used + 2 : ROOM, 1))
        used += (int64_t)fread(text + used, 1, (size_t)(room - 1 - used), f);
    if (!feof(f)) {
        free(text);
        return NULL;
    }
    *size = (size_t)used;
    return text;
}

/* Closes f; NULL: errno tells why it could not be opened. */
static int read_and_close(FILE *f, const char *name, char **text, size_t *size, cpm_error *e)
{
    size_t count = 0;
    char *all = f ? read_all(f, &count) : NULL;
    int reason = errno;
    if (f)
        fclose(f);
    if (!all)
        return cpm_fail(e, CPM_EIO, "%s: cannot be read: %s", name, strerror(reason));
    all[count] = '\0';
    *text = all;
    *size = count;
    return CPM_OK;
}

int cpm_text_read(const char *path, char **text, size_t *size, cpm_error *e)
{
    return read_and_close(fopen(path, "r"), path, text, size, e);
}

int cpm_text_read_open(int file, const char *name, char **text, size_t *size, cpm_error *e)
{
    int own = dup(file);
    FILE *f = own < 0 || lseek(own, 0, SEEK_SET) < 0 ? NULL : fdopen(own, "r");
    if (!f && own >= 0) {
        int reason = errno;
        close(own);
        errno = reason;
    }
    return read_and_close(f, name, text, size, e);
}

int cpm_text_checksum(const char *path, char checksum[65], cpm_error *e)
{
    char *text;
    size_t size;
    int status = cpm_text_read(path, &text, &size, e);
    if (status)
        return status;
    SHA256Data((const uint8_t *)text, size, checksum);
    free(text);
    return CPM_OK;
}

/* ---- writing */

/* Writes all of text, makes sure that it is on disk, closes. errno tells why not. */
static bool write_and_close(FILE *f, const char *text, bool sync)
{
    bool ok = fputs(text, f) >= 0 && fflush(f) == 0 && (!sync || fsync(fileno(f)) == 0);
    int reason = errno;
    if (fclose(f) != 0 && ok)
        return false;
    errno = reason;
    return ok;
}

static bool write_directly(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    return f && write_and_close(f, text, false);
}

/* mkstemp gives a file only its owner may read; a file of ours gets what a new file would have. */
static void allow_as_umask_says(int fd)
{
    mode_t mask = umask(0);
    umask(mask);
    (void)!fchmod(fd, 0666 & ~mask);
}

static bool write_beside(const char *target, const char *text)
{
    char *temporary = NULL;
    if (asprintf(&temporary, "%s.XXXXXX", target) < 0)
        return false;
    int fd = mkstemp(temporary);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    bool ok = f != NULL;
    if (ok) {
        allow_as_umask_says(fd);
        ok = write_and_close(f, text, true) && rename(temporary, target) == 0;
    }
    int reason = errno;
    if (!ok && fd >= 0)
        unlink(temporary);
    free(temporary);
    errno = reason;
    return ok;
}

/* A link is followed, so that it stays a link. */
static bool replace(const char *path, const char *text)
{
    char *target = realpath(path, NULL);
    bool ok = write_beside(target ? target : path, text);
    int reason = errno;
    free(target);
    errno = reason;
    return ok;
}

static bool is_special(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

int cpm_text_write(const char *path, const char *text, cpm_error *e)
{
    bool ok;
    if (strcmp(path, "-") == 0)
        ok = fputs(text, stdout) >= 0 && fflush(stdout) == 0;
    else
        ok = is_special(path) ? write_directly(path, text) : replace(path, text);
    return ok ? CPM_OK : cpm_fail(e, CPM_EIO, "%s: cannot be written: %s", path, strerror(errno));
}
