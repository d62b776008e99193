/* Outputs: tried before anything is measured, and not taken for written before they are. */
#include "tools/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text_file.h"

bool file_begins(const char *path, const char *text)
{
    char head[32] = "";
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    size_t length = fread(head, 1, strlen(text), f);
    fclose(f);
    return length == strlen(text) && memcmp(head, text, length) == 0;
}

static bool is_standard(const char *path)
{
    return !path || strcmp(path, "-") == 0;
}

/* A file that is renamed to path must be creatable beside it. */
static bool folder_takes_files(const char *path)
{
    char *trial = NULL;
    if (asprintf(&trial, "%s.XXXXXX", path) < 0)
        return false;
    int fd = mkstemp(trial);
    int reason = errno;
    if (fd >= 0) {
        close(fd);
        unlink(trial);
    }
    free(trial);
    errno = reason;
    return fd >= 0;
}

int output_check(const char *path, cpm_error *e)
{
    struct stat status;
    if (is_standard(path))
        return CPM_OK;
    bool there = stat(path, &status) == 0;
    if (there && S_ISDIR(status.st_mode))
        return cpm_fail(e, CPM_EIO, "%s: cannot be written: %s", path, strerror(EISDIR));
    bool good = there ? access(path, W_OK) == 0 : true;
    if (good && (!there || S_ISREG(status.st_mode)))
        good = folder_takes_files(path);
    return good ? CPM_OK : cpm_fail(e, CPM_EIO, "%s: cannot be written: %s", path, strerror(errno));
}

int output_open(const char *path, output_file *o, cpm_error *e)
{
    *o = (output_file){.stream = stdout};
    if (is_standard(path))
        return CPM_OK;
    o->path = path;
    o->stream = open_memstream(&o->text, &o->size);
    return o->stream ? CPM_OK : cpm_fail(e, CPM_ENOMEM, "no memory for the output %s", path);
}

static int close_standard(cpm_error *e)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return CPM_OK;
    return cpm_fail(e, CPM_EIO, "standard output cannot be written: %s", strerror(errno));
}

int output_close(output_file *o, int status, cpm_error *e)
{
    if (!o->path)
        return status ? status : close_standard(e);
    bool whole = !ferror(o->stream);
    whole = fclose(o->stream) == 0 && whole;
    if (!status && !whole)
        status = cpm_fail(e, CPM_ENOMEM, "no memory for the output %s", o->path);
    if (!status)
        status = cpm_text_write(o->path, o->text, e);
    free(o->text);
    return status;
}

void output_lines(const char *prefix, const char *text, FILE *out)
{
    while (text && *text) {
        int length = (int)strcspn(text, "\n");
        fprintf(out, "%s%.*s\n", prefix, length, text);
        text += length + (text[length] == '\n');
    }
}

int output_json(json_t *all, cpm_error *e)
{
    if (!all)
        return cpm_fail(e, CPM_ENOMEM, "no memory for JSON");
    json_dumpf(all, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    putchar('\n');
    json_decref(all);
    return CPM_OK;
}
