/* Reading the files of other benchmarks, line by line, each by its format. */
#include "measurements/import.h"
#include "base/names.h"
#include "base/numbers.h"
#include "base/unpack.h"

#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measurements/import_reader.h"

/* ---- formats */

static int count_formats(void)
{
    int count = 0;
    while (cpm_import_formats[count])
        count++;
    return count;
}

const char *cpm_import_named(int k)
{
    int count = count_formats();
    return k < count ? cpm_import_formats[k]->name : k == count ? "auto" : NULL;
}

int cpm_import_find(const char *name, const cpm_import_format **out, cpm_error *e)
{
    int k;
    int status = cpm_names_find(cpm_import_named, "format", name, &k, e);
    if (!status)
        *out = cpm_import_formats[k]; /* behind the last it is NULL: auto */
    return status;
}

/* That whose first line is found first; NULL: none. Reads all lines up to that. */
static const cpm_import_format *recognise(cpm_import_reader *r, int *status)
{
    for (char *line; (line = cpm_lines_next(&r->lines, status));) {
        line = cpm_import_plain(r, line);
        for (const cpm_import_format *const *f = cpm_import_formats; *f; f++)
            if ((*f)->begins(line))
                return *f;
    }
    return NULL;
}

/* ---- one file */

/* The text that is packed in it. The checksum is the file's. */
static int open_file(cpm_import_reader *r, const char *path, cpm_error *e)
{
    int status = cpm_lines_open(&r->lines, path, e);
    if (status)
        return status;
    SHA256Data((const uint8_t *)r->lines.text, r->lines.size, r->checksum);
    status = cpm_unpack(path, &r->lines.text, &r->lines.size, e);
    if (status)
        cpm_lines_close(&r->lines);
    return status;
}

/* What is read of it twice: reading changes lines. */
static const cpm_import_format *look(const cpm_import_reader *of, int *status)
{
    cpm_import_reader r = {.lines = of->lines};
    r.lines.text = malloc(of->lines.size + 1);
    if (!r.lines.text) {
        *status = cpm_no_memory(r.lines.e);
        return NULL;
    }
    memcpy(r.lines.text, of->lines.text, of->lines.size);
    const cpm_import_format *format = recognise(&r, status);
    cpm_lines_close(&r.lines);
    return format;
}

int cpm_import_recognise(const char *path, const cpm_import_format **out, cpm_error *e)
{
    cpm_import_reader r = {0};
    int status = open_file(&r, path, e);
    if (status)
        return status;
    *out = recognise(&r, &status);
    cpm_lines_close(&r.lines);
    return status;
}

static int list_formats(const cpm_import_reader *r)
{
    char text[400] = "";
    size_t used = 0;
    for (const cpm_import_format *const *f = cpm_import_formats; *f && used < sizeof text; f++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "",
                                 (*f)->programs);
    return cpm_fail(r->lines.e, CPM_EPARSE,
                    "%s: is not the output of a benchmark that CPM knows (%s): give the "
                    "benchmark's own output",
                    r->lines.name, text);
}

static int nothing_found(const cpm_import_format *format, const cpm_import_reader *r,
                         const cpm_import_format *like)
{
    if (like && like != format)
        return cpm_lines_wrong(&r->lines, "expected %s; it looks like %s: --from %s",
                               format->expected, like->programs, like->name);
    if (*r->left_out)
        return cpm_lines_wrong(&r->lines, "expected %s; found '%s' only, which CPM cannot use",
                               format->expected, r->left_out);
    return cpm_lines_wrong(&r->lines, "expected %s before the end of the file", format->expected);
}

static int read_lines(const cpm_import_format *format, cpm_import_reader *r)
{
    int status = CPM_OK;
    for (char *line; (line = cpm_lines_next(&r->lines, &status));) {
        line = cpm_import_plain(r, line);
        snprintf(r->shown, sizeof r->shown, "%s", line);
        status = format->read(r, line);
    }
    return !status && format->end ? format->end(r) : status;
}

/* "osu", or "osu, imb" of files of several. */
static int name_format(const cpm_import_format *format, const cpm_import_reader *r)
{
    cpm_metadata *metadata = r->rows->metadata;
    const char *before = cpm_metadata_get(metadata, "imported_from");
    if (before && strstr(before, format->name))
        return CPM_OK;
    return cpm_metadata_set(metadata, r->lines.e, "imported_from", "%s%s%s", before ? before : "",
                            before ? ", " : "", format->name);
}

/* format NULL: what it looks like. */
static int read_opened(const cpm_import_format *format, cpm_import_reader *r)
{
    int before = r->rows->count, status = CPM_OK;
    const cpm_import_format *like = look(r, &status);
    if (!status && !format && !like)
        return list_formats(r);
    if (!status)
        status = name_format(format ? format : like, r);
    if (!status)
        status = read_lines(format ? format : like, r);
    if (!status && r->rows->count == before)
        status = nothing_found(format ? format : like, r, like);
    return status;
}

static int read_file(const cpm_import_format *format, cpm_import_reader *r, const char *path,
                     cpm_error *e)
{
    int status = open_file(r, path, e);
    if (status)
        return status;
    status = read_opened(format, r);
    cpm_lines_close(&r->lines);
    return status;
}

/* ---- all files */

/* What is kept of all of them. */
typedef struct {
    cpm_import_rows rows;
    char *names, *sums; /* joined by blanks */
    size_t names_size, sums_size;
    FILE *to_names, *to_sums;
    cpm_metadata *metadata;
    cpm_error *e;
} importing;

/* An average belongs to no pair in particular. */
static int check_average(importing *all, const cpm_import_file *file, const cpm_import_reader *r)
{
    if (r->averaged && file->i >= 0)
        return cpm_fail(all->e, CPM_EDATA,
                        "%s: is an average over all pairs that ran at once, which cannot be given "
                        "as the time of processes %d and %d",
                        file->path, file->i, file->j);
    return CPM_OK;
}

static int add_file_metadata(importing *all, const cpm_import_file *file,
                             const cpm_import_reader *r)
{
    const char *between = ftell(all->to_names) ? " " : "";
    if (file->i >= 0)
        fprintf(all->to_names, "%s%d,%d=%s", between, r->i, r->j, r->lines.name);
    else
        fprintf(all->to_names, "%s%s", between, r->lines.name);
    fprintf(all->to_sums, "%s%s", between, r->checksum);
    if (!*r->title || cpm_metadata_get(all->metadata, "benchmark"))
        return CPM_OK;
    return cpm_metadata_set(all->metadata, all->e, "benchmark", "%s", r->title);
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
    r->named = file->i >= 0;
    r->i = file->i < 0 ? 0 : turned ? file->j : file->i;
    r->j = file->i < 0 ? 1 : turned ? file->i : file->j;
}

static int import_file(importing *all, const cpm_import_options *options,
                       const cpm_import_file *file, const cpm_import_file *first)
{
    cpm_import_reader r = {.rows = &all->rows,
                           .options = options,
                           .combining = CPM_COMBINING_FLOATS,
                           .processes = options->processes};
    int status = check_pair(file, first, all->e);
    set_pair(&r, file);
    if (!status)
        status = read_file(options->format, &r, file->path, all->e);
    if (!status)
        status = check_average(all, file, &r);
    return status ? status : add_file_metadata(all, file, &r);
}

static int set_files(importing *all)
{
    fflush(all->to_names);
    fflush(all->to_sums);
    int status = cpm_metadata_set(all->metadata, all->e, "measurements", "%s", all->names);
    if (!status)
        status = cpm_metadata_set(all->metadata, all->e, "measurements_sha256", "%s", all->sums);
    return status;
}

static int import_all(importing *all, const cpm_import_options *options,
                      const cpm_import_file *files, int count)
{
    all->to_names = open_memstream(&all->names, &all->names_size);
    all->to_sums = open_memstream(&all->sums, &all->sums_size);
    int status = all->to_names && all->to_sums ? CPM_OK : cpm_no_memory(all->e);
    for (int f = 0; f < count && !status; f++)
        status = import_file(all, options, &files[f], &files[0]);
    if (!status)
        status = set_files(all);
    if (all->to_names)
        fclose(all->to_names);
    if (all->to_sums)
        fclose(all->to_sums);
    free(all->names);
    free(all->sums);
    return status;
}

int cpm_import(const cpm_import_options *options, const cpm_import_file *files, int count,
               cpm_measurements *out, cpm_error *e)
{
    cpm_measurements m = {.duration = -1, .statistic = CPM_MEDIAN};
    importing all = {.rows = {.metadata = &m.metadata}, .metadata = &m.metadata, .e = e};
    int status = import_all(&all, options, files, count);
    if (!status && options->only && !*all.rows.label)
        status = cpm_fail(e, CPM_EDATA,
                          "nothing of '%s': the files do not say of which library or machine they "
                          "are",
                          options->only);
    if (!status)
        status = cpm_import_measurements(options, &all.rows, &m, e);
    free(all.rows.at);
    free(all.rows.hosts);
    if (status)
        cpm_measurements_clear(&m);
    else
        *out = m;
    return status;
}

/* In the order in which they are looked for: a line may seem to be of several. */
const cpm_import_format *const cpm_import_formats[] = {&cpm_import_osu,
                                                       &cpm_import_imb,
                                                       &cpm_import_logp_mpi,
                                                       &cpm_import_nxnlatbw,
                                                       &cpm_import_mpigraph,
                                                       &cpm_import_mpibench,
                                                       &cpm_import_netgauge,
                                                       &cpm_import_skampi,
                                                       &cpm_import_repro,
                                                       &cpm_import_pico,
                                                       &cpm_import_simgrid,
                                                       &cpm_import_pandas,
                                                       NULL};
