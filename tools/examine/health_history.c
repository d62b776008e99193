/* Names begin with the date, so that their order is that of time. */
#include "tools/examine/health_history.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int make(const char *folder, cpm_error *e)
{
    struct stat s;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return cpm_fail(e, CPM_EIO, "%s: no folder can be made: %s", folder, strerror(errno));
    if (stat(folder, &s) != 0)
        return cpm_fail(e, CPM_EIO, "%s: cannot be read: %s", folder, strerror(errno));
    if (!S_ISDIR(s.st_mode))
        return cpm_fail(e, CPM_EIO, "%s: is no folder: name another with --history", folder);
    if (access(folder, W_OK | X_OK) != 0)
        return cpm_fail(e, CPM_EIO, "%s: cannot be written: %s", folder, strerror(errno));
    return CPM_OK;
}

/* "20260131T120000Z.mod", "20260131T120000Z_2.mod"; not what a killed run may have left. */
static int is_run(const struct dirent *d)
{
    static const char digits[] = "0123456789";
    const char *at = d->d_name;
    if (strspn(at, digits) != 8 || at[8] != 'T' || strspn(at + 9, digits) != 6 || at[15] != 'Z')
        return 0;
    at += 16;
    if (*at == '_')
        at += 1 + strspn(at + 1, digits);
    return strcmp(at, ".mod") == 0;
}

static int list(health_history *h, cpm_error *e)
{
    struct dirent **at;
    int count = scandir(h->folder, &at, is_run, versionsort), status = CPM_OK;
    if (count < 0)
        return errno == ENOMEM
                   ? cpm_no_memory(e)
                   : cpm_fail(e, CPM_EIO, "%s: cannot be read: %s", h->folder, strerror(errno));
    h->path = calloc((size_t)count + 1, sizeof *h->path);
    for (int k = 0; k < count; k++) {
        if (h->path && asprintf(&h->path[h->count], "%s/%s", h->folder, at[k]->d_name) >= 0)
            h->count++;
        else
            status = cpm_no_memory(e);
        free(at[k]);
    }
    free(at);
    return status;
}

static int find_next(health_history *h, cpm_error *e)
{
    char date[32];
    time_t now = time(NULL);
    struct tm utc;
    strftime(date, sizeof date, "%Y%m%dT%H%M%SZ", gmtime_r(&now, &utc));
    for (int k = 1;; k++) {
        int length = k == 1 ? asprintf(&h->next, "%s/%s.mod", h->folder, date)
                            : asprintf(&h->next, "%s/%s_%d.mod", h->folder, date, k);
        if (length < 0) {
            h->next = NULL;
            return cpm_no_memory(e);
        }
        if (access(h->next, F_OK) != 0)
            return CPM_OK;
        free(h->next);
    }
}

int health_history_open(const char *folder, health_history *out, cpm_error *e)
{
    *out = (health_history){.folder = strdup(folder)};
    int status = out->folder ? make(folder, e) : cpm_no_memory(e);
    if (!status)
        status = list(out, e);
    return status ? status : find_next(out, e);
}

void health_history_clear(health_history *h)
{
    for (int k = 0; k < h->count; k++)
        free(h->path[k]);
    free(h->path);
    free(h->folder);
    free(h->next);
    *h = (health_history){0};
}
