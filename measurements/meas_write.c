/* A .meas file that grows with its campaign: every row is in the operating system's hands before
 * the next experiment begins, and on the disk before the next round does. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/lines.h"
#include "base/locale.h"
#include "base/new_file.h"
#include "base/pipe.h"
#include "measurements/meas_format.h"
#include "measurements/measurements.h"
#include "measurements/resume.h"

struct cpm_meas_file {
    char *path;   /* as it was given, for messages */
    char *target; /* path, or where it leads to if it is a link */
    FILE *stream;
    bool raw, of_before; /* of_before: the file that is resumed lacks newer columns */
    double earlier;      /* seconds of the campaign that is resumed */
    double noted;        /* elapsed seconds when they were last written */
};

static int failed(const cpm_meas_file *f, cpm_error *e)
{
    const char *why = strerror(errno ? errno : EIO);
    if (strcmp(f->path, "-") == 0)
        return cpm_fail(e, CPM_EIO, "standard output cannot be written: %s", why);
    return cpm_fail(e, CPM_EIO, "%s: %s", f->path, why);
}

static int flush(cpm_meas_file *f, cpm_error *e)
{
    return fflush(f->stream) || ferror(f->stream) ? failed(f, e) : CPM_OK;
}

static void print_seconds(cpm_meas_file *f, const char *key, double seconds)
{
    locale_t before = cpm_locale_plain();
    fprintf(f->stream, "# %s: %.9g\n", key, seconds);
    cpm_locale_restore(before);
}

/* Pipes and terminals cannot be synchronised, and need not. */
int cpm_meas_sync(cpm_meas_file *f, double elapsed, cpm_error *e)
{
    if (elapsed - f->noted >= 1) {
        print_seconds(f, "elapsed", f->earlier + elapsed);
        f->noted = elapsed;
    }
    if (flush(f, e))
        return CPM_EIO;
    if (fdatasync(fileno(f->stream)) && errno != EINVAL && errno != EROFS && errno != ENOTSUP)
        return failed(f, e);
    return CPM_OK;
}

static int write_header(cpm_meas_file *f, const cpm_metadata *metadata, cpm_error *e)
{
    fprintf(f->stream, "%s %s\n", CPM_MEAS_TITLE, CPM_MEAS_VERSION);
    for (int i = 0; i < metadata->count; i++)
        fprintf(f->stream, "# %s: %s\n", metadata->items[i].key, metadata->items[i].value);
    fprintf(f->stream, "%s%s\n", CPM_MEAS_COLUMNS, f->raw ? CPM_MEAS_SAMPLES : "");
    return flush(f, e);
}

/* Where appending goes on: behind the last whole line that is not the closing one. */
static int find_end(cpm_meas_file *f, bool *raw, size_t *end, cpm_error *e)
{
    cpm_lines l;
    int status = cpm_lines_open_file(&l, fileno(f->stream), f->path, e);
    if (status)
        return status;
    cpm_lines_drop_torn(&l);
    *end = 0;
    for (const char *line; (line = cpm_lines_next(&l, &status));) {
        bool earlier, samples;
        if (cpm_meas_columns(line, &earlier, &samples)) {
            f->of_before = earlier;
            *raw = samples;
        }
        if (strncmp(line, "# duration:", 11) != 0)
            *end = l.next;
    }
    cpm_lines_close(&l);
    return status;
}

/* ---- who may write: one campaign at a time ---- */

/* File systems without locks have none to break. */
static int lock(const char *path, int file, cpm_error *e)
{
    if (flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return CPM_OK;
    return cpm_fail(e, CPM_EIO,
                    "%s: another campaign is writing it; wait for its end, or name another file",
                    path);
}

/* Rows are appended, wherever another process may have left the file's end. file: -1 with errno. */
static int append_to(cpm_meas_file *f, int file, cpm_error *e)
{
    f->stream = file < 0 ? NULL : fdopen(file, "a");
    if (!f->stream && file >= 0)
        close(file);
    return f->stream ? lock(f->path, file, e) : failed(f, e);
}

static int open_to_append(cpm_meas_file *f, int flags, cpm_error *e)
{
    return append_to(f, open(f->target, O_APPEND | O_CLOEXEC | flags, 0666), e);
}

int cpm_meas_read_back(const cpm_meas_file *f, cpm_measurements *out, char checksum[65],
                       cpm_error *e)
{
    return cpm_measurements_read_open(fileno(f->stream), f->path, out, checksum, e);
}

/* ---- resuming ---- */

static int continue_file(cpm_meas_file *f, cpm_measurements *old, const cpm_metadata *part,
                         cpm_error *e)
{
    bool raw = false;
    size_t end;
    int status = find_end(f, &raw, &end, e);
    if (status)
        return status;
    if (raw != f->raw)
        return cpm_fail(e, CPM_EINVAL, "%s: cannot resume: it was written %s --raw", f->path,
                        raw ? "with" : "without");
    if (ftruncate(fileno(f->stream), (off_t)end))
        return failed(f, e);
    char date[32];
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    fprintf(f->stream, "# resumed: %s\n", date);
    int merged = cpm_resume_merge(f->path, &old->metadata, part, f->stream, e);
    return merged ? merged : flush(f, e);
}

/* It is read when nobody else can write it any more. */
static int resume_file(cpm_meas_file *f, cpm_measurements *m, cpm_error *e)
{
    cpm_measurements old = {0};
    int status = cpm_old_file_check(f->path, CPM_FILE_MEASUREMENTS, NULL, e);
    if (!status)
        status = open_to_append(f, O_RDWR, e);
    if (!status)
        status = cpm_meas_read_back(f, &old, NULL, e);
    if (!status)
        status = cpm_resume_check(f->path, &old, &m->metadata, e);
    if (!status)
        status = continue_file(f, &old, &m->metadata, e);
    if (status) {
        cpm_measurements_clear(&old);
        return status;
    }
    f->earlier = old.duration > 0 ? old.duration : old.elapsed;
    cpm_measurements_clear(m);
    *m = old;
    return CPM_OK;
}

/* ---- a new file ---- */

static bool exists(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode) && s.st_size > 0;
}

/* Measurements may have taken hours: an earlier file is not overwritten. Nobody writes it. */
static int keep_old(const cpm_meas_file *f, cpm_error *e)
{
    int file = open(f->target, O_RDONLY | O_CLOEXEC);
    int status = file < 0 ? failed(f, e) : lock(f->path, file, e);
    if (!status)
        status = cpm_old_file_keep(f->target, f->path, e);
    if (file >= 0)
        close(file);
    return status;
}

/* What is there and holds nothing (an empty file, a device) is written; what is not there must not
 * appear in between. */
static int open_new(cpm_meas_file *f, cpm_error *e)
{
    struct stat s;
    if (strcmp(f->path, "-") == 0) {
        f->stream = fdopen(dup(STDOUT_FILENO), "w");
        return f->stream ? CPM_OK : failed(f, e);
    }
    if (stat(f->target, &s) != 0)
        return open_to_append(f, O_RDWR | O_CREAT | O_EXCL, e);
    return S_ISREG(s.st_mode) ? open_to_append(f, O_RDWR, e)
                              : append_to(f, cpm_open_to_write(f->path), e);
}

static int create_file(cpm_meas_file *f, const cpm_metadata *metadata, cpm_error *e)
{
    bool keeps = false;
    int status = cpm_old_file_check(f->path, CPM_FILE_MEASUREMENTS, &keeps, e);
    if (!status && keeps)
        status = keep_old(f, e);
    errno = 0;
    if (!status)
        status = open_new(f, e);
    return status ? status : write_header(f, metadata, e);
}

/* A link is followed, so that it stays a link; one that leads nowhere is none to write to. */
static int find_target(cpm_meas_file *f, cpm_error *e)
{
    int status = cpm_link_check(f->path, e);
    if (status)
        return status;
    f->target = cpm_link_target(f->path);
    return f->target ? CPM_OK : failed(f, e);
}

void cpm_meas_close(cpm_meas_file *f)
{
    if (!f)
        return;
    if (f->stream)
        fclose(f->stream);
    free(f->path);
    free(f->target);
    free(f);
}

int cpm_meas_open(const char *path, bool resume, bool raw, cpm_measurements *m, cpm_meas_file **out,
                  cpm_error *e)
{
    cpm_meas_file *f = calloc(1, sizeof *f);
    if (f)
        f->path = strdup(path);
    int status = CPM_OK;
    if (!f || !f->path)
        status = cpm_no_memory(e);
    if (!status)
        status = find_target(f, e);
    if (!status) {
        f->raw = raw;
        status = resume && exists(path) ? resume_file(f, m, e) : create_file(f, &m->metadata, e);
    }
    if (status)
        cpm_meas_close(f);
    else
        *out = f;
    return status;
}

static void print_row(const cpm_meas_file *f, const cpm_measurement *r)
{
    char name[CPM_EXPERIMENT_NAME];
    const cpm_experiment *x = &r->what;
    const cpm_summary *s = &r->summary;
    cpm_experiment_name(x, name, sizeof name);
    fprintf(f->stream, "%s %d %d %d %d %zu %zu %d", name, x->i, x->j, x->k, x->count, x->send_bytes,
            x->reply_bytes, r->round);
    fprintf(f->stream, " %.12g %.12g %.12g %.12g %.12g %.12g %.12g %.12g %d", s->mean, s->median,
            s->huber, s->min, s->max, s->sd, s->ci_low, s->ci_high, s->reps);
    if (!f->of_before)
        fprintf(f->stream, " %.12g", s->huber_half);
    for (int i = 0; f->raw && i < s->reps; i++)
        fprintf(f->stream, "%c%.12g", i ? ',' : ' ', r->samples[i]);
    fputc('\n', f->stream);
}

int cpm_meas_append(cpm_meas_file *f, const cpm_measurement *r, cpm_error *e)
{
    if (f->raw && !r->samples)
        return cpm_fail(e, CPM_EINVAL, "%s: a row of a raw file needs its samples", f->path);
    errno = 0;
    locale_t before = cpm_locale_plain();
    print_row(f, r);
    cpm_locale_restore(before);
    return flush(f, e);
}

int cpm_meas_add(cpm_meas_file *f, cpm_metadata *header, const char *key, const cpm_metadata *more,
                 cpm_error *e)
{
    int before = header->count, status = cpm_metadata_append_all(header, more, key, e);
    for (int k = before; f && k < header->count; k++)
        fprintf(f->stream, "# %s: %s\n", header->items[k].key, header->items[k].value);
    return status || !f ? status : flush(f, e);
}

int cpm_meas_complete(cpm_meas_file *f, double duration, cpm_error *e)
{
    print_seconds(f, "duration", f->earlier + duration);
    return flush(f, e);
}
