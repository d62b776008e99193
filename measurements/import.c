/* Reading the files of other benchmarks, line by line, each by its format. */
#include "measurements/import.h"
#include "base/names.h"
#include "base/numbers.h"

#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measurements/import_reader.h"

const char *cpm_import_named(int k)
{
    return cpm_import_formats[k] ? cpm_import_formats[k]->name : NULL;
}

int cpm_import_find(const char *name, const cpm_import_format **out, cpm_error *e)
{
    int k;
    int status = cpm_names_find(cpm_import_named, "format", name, &k, e);
    if (!status)
        *out = cpm_import_formats[k];
    return status;
}

/* ---- one file */

/* Sees a line before its format does. hint: the format whose first line it is, if another's. */
static int take_line(const cpm_import_format *format, cpm_import_reader *r, char *line,
                     const cpm_import_format **hint)
{
    snprintf(r->shown, sizeof r->shown, "%s", line);
    for (const cpm_import_format *const *f = cpm_import_formats; *f; f++)
        if ((*f)->begins(line))
            *hint = *f;
    return format->read(r, line);
}

static int nothing_found(const cpm_import_format *format, const cpm_import_reader *r,
                         const cpm_import_format *hint)
{
    if (hint && strcmp(hint->name, format->name) != 0)
        return cpm_lines_wrong(&r->lines, "expected %s before the end; it looks like %s (%s)",
                               format->expected, hint->name, hint->programs);
    return cpm_lines_wrong(&r->lines, "expected %s before the end of the file", format->expected);
}

static int read_file(const cpm_import_format *format, cpm_import_reader *r, const char *path,
                     cpm_error *e)
{
    const cpm_import_format *hint = NULL;
    int before = r->rows->count, status = cpm_lines_open(&r->lines, path, e);
    if (status)
        return status;
    SHA256Data((const uint8_t *)r->lines.text, r->lines.size, r->checksum);
    for (char *line; (line = cpm_lines_next(&r->lines, &status));)
        status = take_line(format, r, line, &hint);
    if (!status && r->rows->count == before)
        status = nothing_found(format, r, hint);
    cpm_lines_close(&r->lines);
    return status;
}

/* ---- all files */

/* Of all that r has read so far, an average is no repetition of a single pair's time, and belongs
 * to no pair in particular. */
static int check_average(const cpm_import_file *file, bool first, bool averaged_before,
                         const cpm_import_reader *r)
{
    if (r->averaged && file->i >= 0)
        return cpm_fail(r->lines.e, CPM_EDATA,
                        "%s: is an average over all pairs that ran at once, which cannot be given "
                        "as the time of processes %d and %d",
                        file->path, file->i, file->j);
    if (!first && r->averaged != averaged_before)
        return cpm_fail(r->lines.e, CPM_EDATA,
                        "%s: averages over several pairs and times of a single one cannot be mixed",
                        file->path);
    return CPM_OK;
}

static int add_file_metadata(cpm_metadata *metadata, const cpm_import_reader *r, bool pair,
                             cpm_error *e)
{
    char which[32] = "";
    if (pair)
        snprintf(which, sizeof which, "%d,%d=", r->i, r->j);
    const char *files = cpm_metadata_get(metadata, "measurements");
    const char *sums = cpm_metadata_get(metadata, "measurements_sha256");
    int status = cpm_metadata_set(metadata, e, "measurements", "%s%s%s%s", files ? files : "",
                                  files ? " " : "", which, r->lines.name);
    if (!status)
        status = cpm_metadata_set(metadata, e, "measurements_sha256", "%s%s%s", sums ? sums : "",
                                  sums ? " " : "", r->checksum);
    if (!status && *r->title && !cpm_metadata_get(metadata, "benchmark"))
        status = cpm_metadata_set(metadata, e, "benchmark", "%s", r->title);
    return status;
}

static int check_pair(const cpm_import_file *file, const cpm_import_file *first, cpm_error *e)
{
    enum { MOST = CPM_MOST_PROCESSES };
    if ((file->i < 0) != (first->i < 0))
        return cpm_fail(e, CPM_EINVAL,
                        "%s: the pair of processes must be said of all files (I,J=FILE) or of none",
                        file->i < 0 ? file->path : first->path);
    if (file->i < 0 && file->j < 0)
        return CPM_OK;
    if (file->i < 0 || file->j < 0 || file->i == file->j || file->i >= MOST || file->j >= MOST)
        return cpm_fail(e, CPM_EINVAL, "%s: %d and %d are not a pair of processes", file->path,
                        file->i, file->j);
    return CPM_OK;
}

static void set_pair(cpm_import_reader *r, const cpm_import_file *file)
{
    bool turned = file->i > file->j;
    r->i = file->i < 0 ? 0 : turned ? file->j : file->i;
    r->j = file->i < 0 ? 1 : turned ? file->i : file->j;
}

static int read_files(const cpm_import_format *format, const cpm_import_file *files, int count,
                      cpm_import_rows *rows, cpm_metadata *metadata, bool *averaged, cpm_error *e)
{
    int status = CPM_OK;
    for (int f = 0; f < count && !status; f++) {
        cpm_import_reader r = {.rows = rows};
        status = check_pair(&files[f], &files[0], e);
        set_pair(&r, &files[f]);
        if (!status)
            status = read_file(format, &r, files[f].path, e);
        if (!status)
            status = check_average(&files[f], f == 0, *averaged, &r);
        *averaged = r.averaged;
        if (!status)
            status = add_file_metadata(metadata, &r, files[f].i >= 0, e);
    }
    return status;
}

int cpm_import(const cpm_import_format *format, const cpm_import_file *files, int count,
               cpm_measurements *out, cpm_error *e)
{
    cpm_measurements m = {.duration = -1, .statistic = CPM_MEDIAN};
    cpm_import_rows rows = {0};
    bool averaged = false;
    int status = cpm_metadata_set(&m.metadata, e, "imported_from",
                                  "%s: its mean one-way times, doubled", format->name);
    if (!status)
        status = read_files(format, files, count, &rows, &m.metadata, &averaged, e);
    if (!status && averaged)
        status = cpm_metadata_set(&m.metadata, e, "caution", "%s", cpm_import_caution);
    if (!status)
        status = cpm_import_measurements(&rows, &m, e);
    free(rows.at);
    if (status)
        cpm_measurements_clear(&m);
    else
        *out = m;
    return status;
}

const cpm_import_format *const cpm_import_formats[] = {&cpm_import_osu, &cpm_import_imb,
                                                       &cpm_import_logp_mpi, NULL};
