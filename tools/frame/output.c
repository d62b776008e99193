/* Outputs: tried before anything is measured, and not taken for written before they are. */
#include "tools/frame/output.h"

#include "base/escape.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool file_begins(const char *path, const char *text)
{
    char head[32] = "";
    FILE *f = file_refuse_pipe(path, NULL) ? NULL : fopen(path, "r");
    if (!f)
        return false;
    size_t length = fread(head, 1, strlen(text), f);
    fclose(f);
    return length == strlen(text) && memcmp(head, text, length) == 0;
}

cpm_file_kind file_kind(const char *path)
{
    int file = file_refuse_pipe(path, NULL) ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    cpm_file_kind kind = file < 0 ? CPM_FILE_UNKNOWN : cpm_file_kind_of(file);
    if (file >= 0)
        close(file);
    return kind;
}

int file_refuse_pipe(const char *path, cpm_error *e)
{
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISFIFO(status.st_mode))
        return CPM_OK;
    return cpm_fail(e, CPM_EINVAL,
                    "%s: is a pipe, and it is read more than once: write it to a file first", path);
}

bool file_is_same(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && S_ISREG(one.st_mode) &&
           one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

int output_check_format(const char *path, cpm_format format, cpm_error *e)
{
    if (format != CPM_FORMAT_TEXT && path && strcmp(path, "-") == 0)
        return cpm_fail(e, CPM_EINVAL, "--format and -o - would both write to standard output");
    return CPM_OK;
}

bool output_is_file(const char *path)
{
    return path && strcmp(path, "-") != 0;
}

/* A folder that takes no files, or a disk that takes none, is known when one is there. */
int output_check(const char *path, cpm_file_kind kind, cpm_error *e)
{
    struct stat status;
    if (!output_is_file(path))
        return CPM_OK;
    bool special = stat(path, &status) == 0 && !S_ISREG(status.st_mode);
    if (special && !S_ISDIR(status.st_mode)) /* opening a pipe would wait for its reader */
        return access(path, W_OK) == 0
                   ? CPM_OK
                   : cpm_fail(e, CPM_EIO, "%s: cannot be written: %s", path, strerror(errno));
    cpm_new_file trial;
    int code = cpm_new_file_open(&trial, path, kind, e);
    if (!code)
        cpm_new_file_close(&trial, CPM_EINVAL, NULL);
    return code;
}

int output_open(const char *path, cpm_file_kind kind, cpm_new_file *out, cpm_error *e)
{
    return cpm_new_file_open(out, path ? path : "-", kind, e);
}

int output_move_to(const char *path, cpm_file_kind kind, output_move *m, cpm_error *e)
{
    m->standard = -1;
    if (!output_is_file(path))
        return CPM_OK;
    int status = output_open(path, kind, &m->file, e);
    if (status)
        return status;
    fflush(stdout);
    m->standard = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (m->standard >= 0 && dup2(fileno(m->file.stream), STDOUT_FILENO) >= 0)
        return CPM_OK;
    status = cpm_fail(e, CPM_EIO, "%s: cannot be written: %s", path, strerror(errno));
    return output_end_move(m, status, e);
}

int output_end_move(output_move *m, int status, cpm_error *e)
{
    if (m->file.stream == NULL)
        return status;
    if (!status && (fflush(stdout) != 0 || ferror(stdout)))
        status = cpm_fail(e, CPM_EIO, "%s: cannot be written: %s", m->file.path, strerror(errno));
    if (m->standard >= 0) {
        dup2(m->standard, STDOUT_FILENO);
        close(m->standard);
    }
    return cpm_new_file_close(&m->file, status, e);
}

void output_lines(const char *prefix, const char *text, FILE *out)
{
    while (text && *text) {
        int length = (int)strcspn(text, "\n");
        char *line = strndup(text, (size_t)length);
        fputs(prefix, out);
        cpm_put_shown(out, line ? line : "");
        fputc('\n', out);
        free(line);
        text += length + (text[length] == '\n');
    }
}

int output_sheets(cpm_report_tables *s, cpm_format format, cpm_error *e)
{
    int status = cpm_report_tables_print(s, format, "", stdout, e);
    cpm_report_tables_clear(s);
    return status;
}

int output_sheets_to(const cpm_report_tables *s, const char *path, cpm_file_kind kind, cpm_error *e)
{
    cpm_new_file out;
    int status = output_open(path, kind, &out, e);
    if (status)
        return status;
    status = cpm_report_tables_print(s, CPM_FORMAT_TSV, "", out.stream, e);
    return cpm_new_file_close(&out, status, e);
}

int output_end(cpm_error *e)
{
    cpm_new_file standard;
    int code = output_open("-", CPM_FILE_UNKNOWN, &standard, e);
    return code ? code : cpm_new_file_close(&standard, CPM_OK, e);
}
