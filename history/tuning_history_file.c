/* A file of lessons that several jobs share. Who writes has it locked: the file that has the name
 * then, as another may have replaced the one that was opened. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/new_file.h"
#include "base/text_file.h"
#include "history/tuning_history.h"

/* Tries, and microseconds between two: about ten seconds. */
enum { TRIES = 500, PAUSE = 20000 };

/* A pipe would never end, and cannot be written anew. */
static int check_regular(const char *path, cpm_error *e)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return cpm_link_check(path, e);
    if (S_ISREG(status.st_mode))
        return CPM_OK;
    return cpm_fail(e, CPM_EINVAL, "%s: not a tuning-history file", path);
}

int cpm_tuning_history_read(const char *path, cpm_tuning_history *all, cpm_error *e)
{
    char *text;
    size_t size;
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return cpm_link_check(path, e);
    int status = check_regular(path, e);
    if (!status)
        status = cpm_text_read(path, &text, &size, e);
    if (status)
        return status;
    status = cpm_tuning_history_unpack(text, size, path, all, e);
    free(text);
    return status;
}

/* ---- the lock */

static int failed(const char *path, cpm_error *e)
{
    return cpm_fail(e, CPM_EIO, "%s: cannot be written: %s", path, strerror(errno));
}

/* Whether the open file is the one of that name. */
static bool is_current(int file, const char *path)
{
    struct stat own, named;
    return fstat(file, &own) == 0 && stat(path, &named) == 0 && own.st_dev == named.st_dev &&
           own.st_ino == named.st_ino;
}

/* File systems without locks have none to wait for. */
static bool is_locked_out(int file)
{
    return flock(file, LOCK_EX | LOCK_NB) != 0 && (errno == EWOULDBLOCK || errno == EINTR);
}

/* The open file, which is made if there is none; -1. */
static int lock(const char *path, cpm_error *e)
{
    for (int k = 0; k < TRIES; k++) {
        int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (file < 0) {
            failed(path, e);
            return -1;
        }
        bool out = is_locked_out(file);
        if (!out && is_current(file, path))
            return file;
        close(file);
        if (out)
            usleep(PAUSE);
    }
    cpm_fail(e, CPM_EIO, "%s: cannot be written: another process holds it", path);
    return -1;
}

/* ---- writing */

/* What the file has, as far as it can be read, and what is new. */
static int merge(const char *path, int file, const cpm_tuning_history *newer,
                 cpm_tuning_history *all, bool *empty, cpm_error *e)
{
    char *text;
    size_t size;
    cpm_error damage = {0};
    int status = cpm_text_read_open(file, path, &text, &size, e);
    if (status)
        return status;
    *empty = size == 0;
    status = cpm_tuning_history_unpack(text, size, path, all, &damage);
    free(text);
    if (status && status != CPM_EPARSE)
        return cpm_fail(e, status, "%s", damage.text);
    status = cpm_tuning_history_add_all(all, newer, e);
    return status == CPM_EINVAL ? CPM_OK : status; /* as many as there may be */
}

int cpm_tuning_history_write(const char *path, const cpm_tuning_history *newer, cpm_error *e)
{
    cpm_tuning_history all = {0};
    bool empty = false;
    int status = check_regular(path, e);
    int file = status ? -1 : lock(path, e);
    if (file < 0)
        return status ? status : CPM_EIO;
    status = merge(path, file, newer, &all, &empty, e);
    char *text = status ? NULL : cpm_tuning_history_text(&all);
    if (!status)
        status = text ? cpm_text_write(path, text, CPM_FILE_HISTORY, e) : cpm_no_memory(e);
    if (status && empty)
        unlink(path);
    free(text);
    close(file);
    cpm_tuning_history_clear(&all);
    return status;
}
