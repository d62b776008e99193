/* Reading a .meas file, line by line. */
#include <limits.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "base/numbers.h"
#include "collectives/temporaries.h"
#include "measurements/meas_format.h"
#include "measurements/measurements.h"

typedef struct {
    cpm_lines lines;
    bool columns_seen, earlier, raw; /* the line of column names; cpm_meas_columns */
    cpm_combining combining;         /* of collectives: bytes, where the header does not say it */
    bool by_library;                 /* collectives are the MPI library's own routines */
    cpm_measurements m;
} reader;

static int read_processes(reader *r, const char *value)
{
    long n;
    if (!cpm_integer_parse(value, 1, CPM_MOST_PROCESSES, &n))
        return cpm_lines_wrong(&r->lines, "processes: '%s' is not a number of processes, 1 to %d",
                               value, CPM_MOST_PROCESSES);
    if (r->m.n && r->m.n != n)
        return cpm_lines_wrong(&r->lines, "%ld processes, but %d processes before", n, r->m.n);
    r->m.n = (int)n;
    return CPM_OK;
}

static int read_seconds(reader *r, const char *key, const char *value, double *out)
{
    double seconds;
    if (!cpm_number_parse(value, &seconds) || cpm_number_flaw(seconds) || seconds < 0)
        return cpm_lines_wrong(&r->lines, "%s: '%s' is not a time in seconds", key, value);
    *out = seconds;
    return CPM_OK;
}

/* "# key: value" anywhere in the file. */
static int read_fact(reader *r, char *line)
{
    static const char blank[] = " \t\r";
    char *key = line + 1 + strspn(line + 1, blank);
    char *colon = strchr(key, ':');
    if (!colon)
        return CPM_OK; /* a remark */
    *colon = '\0';
    char *value = colon + 1 + strspn(colon + 1, blank);
    if (strcmp(key, "duration") == 0)
        return read_seconds(r, key, value, &r->m.duration);
    if (strcmp(key, "elapsed") == 0)
        return read_seconds(r, key, value, &r->m.elapsed);
    int status = cpm_metadata_set(&r->m.metadata, r->lines.e, key, "%s", value);
    if (!status && strcmp(key, "processes") == 0)
        status = read_processes(r, value);
    if (!status && strcmp(key, "statistic") == 0 &&
        cpm_statistic_parse(value, &r->m.statistic, NULL))
        status = cpm_lines_wrong(&r->lines, "unknown statistic '%s'", value);
    if (!status && strcmp(key, CPM_METADATA_COMBINING) == 0 &&
        cpm_combining_find(value, &r->combining, NULL))
        status = cpm_lines_wrong(&r->lines, "unknown class of combining '%s'", value);
    if (!status && strcmp(key, CPM_METADATA_ROUTINES) == 0) {
        r->by_library = strcmp(value, CPM_ROUTINES_LIBRARY) == 0;
        if (!r->by_library)
            status = cpm_lines_wrong(
                &r->lines, "unknown routines '%s' (known: " CPM_ROUTINES_LIBRARY ")", value);
    }
    return status;
}

static int read_first(reader *r, const char *line)
{
    size_t length = strlen(CPM_MEAS_TITLE);
    if (strncmp(line, CPM_MEAS_TITLE, length) != 0)
        return cpm_lines_wrong(&r->lines,
                               "not a file of measurements: it does not begin with '%s %s'",
                               CPM_MEAS_TITLE, CPM_MEAS_VERSION);
    if (strcmp(line + length, " " CPM_MEAS_VERSION) != 0)
        return cpm_lines_wrong(&r->lines, "version '%s' of the format is not known, only %s",
                               line + length + 1, CPM_MEAS_VERSION);
    return CPM_OK;
}

static int read_columns(reader *r, const char *line)
{
    if (!cpm_meas_columns(line, &r->earlier, &r->raw))
        return cpm_lines_wrong(&r->lines, "expected the column names '%s'", CPM_MEAS_COLUMNS);
    if (r->m.n == 0)
        return cpm_lines_wrong(&r->lines, "the header does not say how many processes there were");
    r->columns_seen = true;
    return CPM_OK;
}

static int read_integer(reader *r, const char *name, const char *word, long least, long most,
                        long *out)
{
    if (cpm_integer_parse(word, least, most, out))
        return CPM_OK;
    return cpm_lines_wrong(&r->lines, "%s: '%s' is not a whole number from %ld to %ld", name, word,
                           least, most);
}

static int read_int(reader *r, const char *name, const char *word, int least, int *out)
{
    long value;
    int status = read_integer(r, name, word, least, 1 << 30, &value);
    if (!status)
        *out = (int)value;
    return status;
}

static int read_bytes(reader *r, const char *name, const char *word, size_t *out)
{
    long value;
    int status = read_integer(r, name, word, 0, LONG_MAX, &value);
    if (!status)
        *out = (size_t)value;
    return status;
}

static int read_time(reader *r, const char *name, const char *word, double *out)
{
    if (!cpm_number_parse(word, out))
        return cpm_lines_wrong(&r->lines, "%s: '%s' is not a number", name, word);
    if (cpm_number_flaw(*out))
        return cpm_lines_wrong(&r->lines, "%s: the time %s %s", name, word, cpm_number_flaw(*out));
    if (*out < 0)
        return cpm_lines_wrong(&r->lines, "%s: the time %s is negative", name, word);
    return CPM_OK;
}

static int read_samples(reader *r, char *words, cpm_measurement *x)
{
    int there = 1;
    for (const char *at = words; (at = strchr(at, ',')); at++)
        there++;
    if (there != x->summary.reps)
        return cpm_lines_wrong(&r->lines, "expected %d samples, found %d", x->summary.reps, there);
    x->samples = malloc((size_t)there * sizeof *x->samples);
    if (!x->samples)
        return cpm_no_memory(r->lines.e);
    int count = 0, status = CPM_OK;
    for (char *word; !status && (word = strsep(&words, ",")); count++)
        status = read_time(r, "samples", word, &x->samples[count]);
    return status;
}

static int read_what(reader *r, char *const *word, cpm_experiment *x)
{
    cpm_error unknown = {0};
    if (cpm_experiment_parse(word[0], x, &unknown))
        return cpm_lines_wrong(&r->lines, "%s", unknown.text);
    x->collective.combining = r->combining;
    x->collective.by_library = r->by_library;
    int status = read_int(r, "i", word[1], 0, &x->i);
    if (!status)
        status = read_int(r, "j", word[2], -1, &x->j);
    if (!status)
        status = read_int(r, "k", word[3], -1, &x->k);
    if (!status)
        status = read_int(r, "count", word[4], 1, &x->count);
    if (!status)
        status = read_bytes(r, "send_bytes", word[5], &x->send_bytes);
    if (!status)
        status = read_bytes(r, "reply_bytes", word[6], &x->reply_bytes);
    if (!status && cpm_experiment_check(x, r->m.n, &unknown))
        status = cpm_lines_wrong(&r->lines, "%s", unknown.text);
    return status;
}

/* Columns mean .. ci_high are times, then reps, then huber_half unless the file is of before. */
static int read_summary(reader *r, char *const *word, cpm_summary *s)
{
    static const char *const name[] = {"mean", "median", "huber",  "min",
                                       "max",  "sd",     "ci_low", "ci_high"};
    double *const value[] = {&s->mean, &s->median, &s->huber,  &s->min,
                             &s->max,  &s->sd,     &s->ci_low, &s->ci_high};
    int status = CPM_OK;
    for (int i = 0; i < 8 && !status; i++)
        status = read_time(r, name[i], word[i], value[i]);
    if (!status)
        status = read_int(r, "reps", word[8], 1, &s->reps);
    return status || r->earlier ? status : read_time(r, "huber_half", word[9], &s->huber_half);
}

static int read_row(reader *r, char *line)
{
    enum { COLUMNS = 18 };
    char *word[COLUMNS + 1];
    int columns = r->earlier ? COLUMNS - 1 : COLUMNS;
    int expected = columns + (r->raw ? 1 : 0), words = cpm_words(line, word, expected);
    if (words != expected)
        return cpm_lines_wrong(&r->lines, "expected %d columns, found %d", expected, words);
    cpm_measurement x = {0};
    int status = read_what(r, word, &x.what);
    if (!status)
        status = read_int(r, "round", word[7], 0, &x.round);
    if (!status)
        status = read_summary(r, word + 8, &x.summary);
    if (!status && r->raw)
        status = read_samples(r, word[columns], &x);
    if (!status && cpm_measurements_find(&r->m, &x.what) >= 0)
        status = cpm_lines_wrong(&r->lines, "this experiment stands in the file already");
    if (!status)
        status = cpm_measurements_add(&r->m, &x, r->lines.e);
    if (status)
        free(x.samples);
    return status;
}

static int read_line(reader *r, char *line)
{
    if (r->lines.number == 1)
        return read_first(r, line);
    if (line[0] == '#')
        return read_fact(r, line);
    if (line[strspn(line, " \t\r")] == '\0')
        return CPM_OK;
    return r->columns_seen ? read_row(r, line) : read_columns(r, line);
}

static int read_lines(reader *r)
{
    int status = CPM_OK;
    for (char *line; (line = cpm_lines_next(&r->lines, &status));)
        status = read_line(r, line);
    if (!status && r->lines.number == 0)
        return cpm_lines_wrong(&r->lines, "not a file of measurements: it has no complete line");
    if (!status && !r->columns_seen)
        return cpm_lines_wrong(&r->lines, "the file ends within its header: nothing was measured "
                                          "into it; remove it, or name another one");
    return status;
}

/* Closes the lines. */
static int read_opened(reader *r, cpm_measurements *out, char checksum[65])
{
    if (checksum)
        SHA256Data((const uint8_t *)r->lines.text, r->lines.size, checksum);
    cpm_lines_drop_torn(&r->lines);
    int status = read_lines(r);
    cpm_lines_close(&r->lines);
    if (status)
        cpm_measurements_clear(&r->m);
    else
        *out = r->m;
    return status;
}

int cpm_measurements_read(const char *path, cpm_measurements *out, char checksum[65], cpm_error *e)
{
    reader r = {.m.duration = -1};
    int status = cpm_lines_open(&r.lines, path, e);
    return status ? status : read_opened(&r, out, checksum);
}

int cpm_measurements_read_open(int file, const char *name, cpm_measurements *out, char checksum[65],
                               cpm_error *e)
{
    reader r = {.m.duration = -1};
    int status = cpm_lines_open_file(&r.lines, file, name, e);
    return status ? status : read_opened(&r, out, checksum);
}
