/* Text files as a whole. */
#include "base/text_file.h"

#include <errno.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/locale.h"
#include "base/new_file.h"
#include "base/pipe.h"
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
        return cpm_fail(e, reason == ENOMEM ? CPM_ENOMEM : CPM_EIO, "%s: cannot be read: %s", name,
                        strerror(reason));
    all[count] = '\0';
    *text = all;
    *size = count;
    return CPM_OK;
}

int cpm_text_read(const char *path, char **text, size_t *size, cpm_error *e)
{
    int file = cpm_open_to_read(path);
    return read_and_close(file < 0 ? NULL : fdopen(file, "r"), path, text, size, e);
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

char *cpm_text_by(bool (*put)(FILE *f, const void *what), const void *what)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return NULL;
    locale_t before = cpm_locale_plain();
    bool ok = put(f, what) && !ferror(f);
    cpm_locale_restore(before);
    if (fclose(f) == 0 && ok)
        return text;
    free(text);
    return NULL;
}

int cpm_text_write(const char *path, const char *text, cpm_file_kind kind, cpm_error *e)
{
    cpm_new_file f;
    int status = cpm_new_file_open(&f, path, kind, e);
    if (status)
        return status;
    fputs(text, f.stream);
    return cpm_new_file_close(&f, CPM_OK, e);
}
