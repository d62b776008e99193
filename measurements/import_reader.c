/* Words, numbers, tables and rows of foreign files. */
#include "measurements/import_reader.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/numbers.h"
#include "base/vector.h"

int cpm_import_wrong(const cpm_import_reader *r, const char *expected)
{
    return cpm_lines_wrong(&r->lines, "expected %s, found '%s'", expected, r->shown);
}

/* Without "# " before it and blanks behind it. */
static void keep_name(const char *line, char *name, size_t size)
{
    line += strspn(line, "# \t");
    size_t length = strlen(line);
    while (length && strchr(" \t", line[length - 1]))
        length--;
    if (length >= size)
        length = size - 1;
    memcpy(name, line, length);
    name[length] = '\0';
}

void cpm_import_title(cpm_import_reader *r, const char *line)
{
    keep_name(line, r->title, sizeof r->title);
}

void cpm_import_leave_out(cpm_import_reader *r, const char *line)
{
    keep_name(line, r->left_out, sizeof r->left_out);
}

int cpm_import_caution(cpm_import_reader *r, const char *sentence)
{
    return cpm_metadata_append(r->rows->metadata, r->lines.e, "caution", "%s", sentence);
}

/* ---- numbers */

/* strtoull would take signs, hexadecimal numbers and names as well. */
static bool made_of(const char *word, const char *characters)
{
    return *word && word[strspn(word, characters)] == '\0';
}

static bool is_whole(const char *word)
{
    return made_of(word, "0123456789");
}

bool cpm_import_bytes(const char *word, size_t *bytes)
{
    if (!is_whole(word))
        return false;
    errno = 0;
    unsigned long long value = strtoull(word, NULL, 10);
    *bytes = (size_t)value;
    return errno == 0 && value <= PTRDIFF_MAX;
}

bool cpm_import_reps(const char *word, int *reps)
{
    size_t value;
    if (!cpm_import_bytes(word, &value) || value < 1 || value > INT_MAX)
        return false;
    *reps = (int)value;
    return true;
}

bool cpm_import_number(const char *word, double *value)
{
    return cpm_number_parse(word, value) && !cpm_number_flaw(*value);
}

bool cpm_import_seconds(const char *word, double unit, double *seconds)
{
    double value;
    if (!cpm_number_parse(word, &value))
        return false;
    *seconds = value * unit;
    return *seconds > 0 && !cpm_number_flaw(*seconds);
}

bool cpm_import_microseconds(const char *word, double *seconds)
{
    return cpm_import_seconds(word, 1e-6, seconds);
}

int cpm_import_fields(char *line, char **field, int most)
{
    int fields = 0;
    for (char *next; (next = strsep(&line, ",")); fields++) {
        next += strspn(next, " \t\"");
        size_t length = strlen(next);
        while (length && strchr(" \t\"", next[length - 1]))
            next[--length] = '\0';
        if (fields < most)
            field[fields] = next;
    }
    return fields;
}

/* ---- tables */

void cpm_import_begin(cpm_import_reader *r)
{
    r->table = (cpm_import_table){.decimals = -1};
}

static bool is_number(const char *word)
{
    double value;
    return cpm_number_parse(word, &value);
}

/* Of numbers with a fixed number of decimals the last word of a cut line has fewer. */
static int decimals(const char *word)
{
    const char *point = strchr(word, '.');
    return point ? (int)strlen(point + 1) : 0;
}

bool cpm_import_is_row(cpm_import_reader *r, char *const *word, int words, int value)
{
    cpm_import_table *t = &r->table;
    size_t bytes = 0;
    if (words == 0)
        return !(t->broken = true);
    bool whole = is_whole(word[0]), first = !t->begun;
    bool ascends = whole && (!cpm_import_bytes(word[0], &bytes) || first || bytes > t->before);
    bool number = words > value && is_number(word[value]),
         like = !t->columns || words == t->columns;
    bool begins = isdigit((unsigned char)*word[0]) || strchr("+-", *word[0]);
    bool row = ascends && number && like;
    if (!row && (t->broken || !(ascends || (begins && !whole && number && like))))
        return !(t->broken = true);
    if (row) {
        if (r->lines.whole)
            t->decimals = decimals(word[words - 1]);
        else if (decimals(word[words - 1]) == t->decimals)
            r->lines.whole = true; /* only the end of the line is missing */
        t->before = bytes;
        t->begun = true;
        t->columns = words;
    }
    return true;
}

/* ---- rows */

int cpm_import_add(cpm_import_reader *r, const cpm_experiment *what, double seconds, int reps)
{
    cpm_import_rows *rows = r->rows;
    if (!r->lines.whole)
        return cpm_lines_wrong(&r->lines,
                               "expected the end of the line: the file was cut short within it");
    if (what->kind && what->count > CPM_EXPERIMENT_MOST)
        return cpm_lines_wrong(&r->lines, "expected a window of at most %d messages, found %d",
                               CPM_EXPERIMENT_MOST, what->count);
    if (!cpm_vector_extend(&rows->at, rows->count, sizeof *rows->at))
        return cpm_no_memory(r->lines.e);
    rows->at[rows->count++] =
        (cpm_import_row){*what, seconds, reps, what->kind ? 0 : r->processes, r->averaging};
    r->averaged = r->averaged || r->averaging;
    return CPM_OK;
}

int cpm_import_latency(cpm_import_reader *r, size_t bytes, double seconds, int reps)
{
    const cpm_experiment what = cpm_experiment_pair(CPM_ROUNDTRIP, r->i, r->j, bytes, bytes);
    return cpm_import_add(r, &what, 2 * seconds, reps);
}

/* Nothing is known of a rate that was rounded to nothing. */
static int add_messages(cpm_import_reader *r, int kind, size_t reply, size_t bytes, int count,
                        double rate)
{
    if (!(rate > 0) || bytes == 0)
        return CPM_OK;
    cpm_experiment what = cpm_experiment_pair(kind, r->i, r->j, bytes, reply);
    what.count = count;
    return cpm_import_add(r, &what, (double)count * (double)bytes / rate, 1);
}

int cpm_import_stream(cpm_import_reader *r, size_t bytes, int count, double rate)
{
    return add_messages(r, CPM_SATURATION, 0, bytes, count, rate);
}

int cpm_import_exchange(cpm_import_reader *r, size_t bytes, int count, double rate)
{
    return add_messages(r, CPM_CROWDED_EXCHANGE, bytes, bytes, count, rate / 2);
}

int cpm_import_many(cpm_import_reader *r, size_t bytes, int count, double rate)
{
    cpm_experiment what =
        cpm_experiment_pair(CPM_CROWDED_BURST, r->pairs - 1, 2 * r->pairs - 1, bytes, 8);
    if (r->pairs == 1)
        return cpm_import_stream(r, bytes, count, rate);
    if (!(rate > 0) || bytes == 0)
        return CPM_OK;
    what.count = count;
    return cpm_import_add(r, &what, count * (double)bytes / (rate / r->pairs), 1);
}

/* ---- collectives */

const char *cpm_import_operation(const char *name)
{
    static const char *const others[][2] = {{"broadcast", "bcast"},
                                            {"all-to-allv personalized exchange", "alltoallv"},
                                            {"all-to-all personalized exchange", "alltoall"},
                                            {"reduce_scatter_block", "reduce_scatter"},
                                            {"reduce-scatter", "reduce_scatter"}};
    if (strncasecmp(name, "MPI_", 4) == 0)
        name += 4;
    for (int pass = 0; pass < 2; pass++, name++) {
        for (size_t k = 0; k < sizeof others / sizeof *others; k++)
            if (strcasecmp(name, others[k][0]) == 0)
                return others[k][1];
        for (const cpm_operation *o = cpm_operations; o->name; o++)
            if (strcasecmp(name, o->name) == 0)
                return o->name;
        if (tolower((unsigned char)*name) != 'i') /* Ibcast does not block */
            return NULL;
    }
    return NULL;
}

cpm_combining cpm_import_combining(const char *datatype)
{
    static const char *const eight[] = {"double", "long", "int64"};
    static const char *const one[] = {"char", "byte", "int8"};
    for (size_t k = 0; k < sizeof eight / sizeof *eight; k++)
        if (strcasestr(datatype, eight[k]))
            return CPM_COMBINING_DOUBLES;
    for (size_t k = 0; k < sizeof one / sizeof *one; k++)
        if (strcasestr(datatype, one[k]))
            return CPM_COMBINING_BYTES;
    return CPM_COMBINING_FLOATS;
}

size_t cpm_import_block(const cpm_import_reader *r, size_t bytes)
{
    bool shared = r->operation && strcmp(r->operation, "reduce_scatter") == 0;
    return shared && r->processes > 1 ? bytes / (size_t)r->processes : bytes;
}

static int check_same(cpm_import_reader *r, cpm_import_timing timing, bool combines)
{
    cpm_import_rows *rows = r->rows;
    if (rows->timing != CPM_IMPORT_UNTIMED && rows->timing != timing)
        return cpm_lines_wrong(&r->lines, "these collectives are timed until the last process has "
                                          "finished, others as the mean over processes: import "
                                          "them separately");
    if (combines && rows->combines && rows->combining != r->combining)
        return cpm_lines_wrong(&r->lines,
                               "this reduction combines %s, others %s: import them "
                               "separately",
                               cpm_combinings[r->combining].name,
                               cpm_combinings[rows->combining].name);
    rows->timing = timing;
    if (combines)
        rows->combining = r->combining;
    rows->combines = rows->combines || combines;
    return CPM_OK;
}

int cpm_import_collective(cpm_import_reader *r, const char *algorithm, size_t bytes, double seconds,
                          int reps, cpm_import_timing timing)
{
    char name[CPM_COLLECTIVE_NAME];
    cpm_experiment what = {0};
    snprintf(name, sizeof name, "%s:%s", r->operation, algorithm ? algorithm : "native");
    int status = cpm_experiment_parse(name, &what, r->lines.e);
    if (status)
        return status;
    if (r->processes < 0 || r->processes > CPM_MOST_PROCESSES)
        return cpm_lines_wrong(&r->lines, "%d is not a number of processes, 1 to %d", r->processes,
                               CPM_MOST_PROCESSES);
    bool dataless = what.collective.operation->dataless;
    if ((!dataless && bytes == 0) || r->processes == 1)
        return CPM_OK; /* nothing moves */
    what.j = what.k = -1;
    what.count = 1;
    what.send_bytes = dataless ? 1 : bytes;
    bool combines = what.collective.operation->combines;
    what.collective.combining = combines ? r->combining : CPM_COMBINING_BYTES;
    what.collective.by_library = true;
    status = check_same(r, timing, combines);
    return status ? status : cpm_import_add(r, &what, seconds, reps);
}
