/* Open MPI's dynamic rules in numbers, as rules. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "base/vector.h"
#include "libraries/openmpi_rows.h"

/* ---- numbers of Open MPI's file ---- */

typedef struct {
    long value;
    int line;
    int nth, in_line; /* which of how many numbers of its line it is, from 0 */
} number;

typedef struct {
    cpm_openmpi_target to;
    number *at;
    int64_t count, room, next;
    bool fifth;            /* version 2: a rule may have a fifth number in its line */
    bool lines;            /* a row was a line of its own */
    char wrong_count[128]; /* what lines say against a count; "": nothing */
    char left_out[256];    /* collectives that CPM does not choose, by name */
    bool any;              /* there are rules that it can use */
} numbers;

/* A count that is wrong makes all numbers after it mean something else: it is said rather than what
 * these come to. */
static int refuse(const numbers *f, int line, const char *format, ...)
{
    char what[256];
    va_list more;
    va_start(more, format);
    vsnprintf(what, sizeof what, format, more);
    va_end(more);
    if (*f->wrong_count)
        return cpm_fail(f->to.e, CPM_EPARSE, "%s:%s", f->to.where, f->wrong_count);
    return cpm_fail(f->to.e, CPM_EPARSE, "%s:%d: %s", f->to.where, line, what);
}

static int read_words(numbers *f, cpm_lines *lines, char *text)
{
    int64_t first = f->count;
    text[strcspn(text, "#")] = '\0';
    while (*(text += strspn(text, " \t"))) {
        char *end;
        errno = 0;
        long value = strtol(text, &end, 0);
        if (end == text || (*end && !isspace((unsigned char)*end)) || errno || value < 0)
            return cpm_lines_wrong(lines,
                                   "'%.*s' is not a number, and Open MPI's rules are "
                                   "numbers only",
                                   (int)strcspn(text, " \t"), text);
        if (!cpm_vector_reserve(&f->at, &f->room, f->count + 1, sizeof *f->at))
            return cpm_no_memory(f->to.e);
        f->at[f->count] = (number){value, lines->number, (int)(f->count - first), 0};
        f->count++;
        text = end;
    }
    for (int64_t k = first; k < f->count; k++)
        f->at[k].in_line = (int)(f->count - first);
    return CPM_OK;
}

/* "rule-file-version-2": such a line is for Open MPI 5.0.7 and later. */
static int read_version(numbers *f, cpm_lines *lines, const char *version)
{
    if (strcmp(version, "1") != 0 && strcmp(version, "2") != 0)
        return cpm_lines_wrong(lines, "this version of the format is not known, only 1 and 2");
    f->fifth = *version == '2';
    return cpm_openmpi_note(&f->to, lines->number,
                            "Open MPI before 5.0.7 ignores a file with this line");
}

static int read_numbers(numbers *f, const char *text)
{
    static const char version[] = "rule-file-version-";
    cpm_lines lines;
    int status = cpm_lines_open_text(&lines, f->to.where, text, f->to.e);
    if (status)
        return status;
    for (char *line; (line = cpm_lines_next(&lines, &status)) && !status;) {
        bool head = !f->count && strncmp(line, version, sizeof version - 1) == 0;
        status =
            head ? read_version(f, &lines, line + sizeof version - 1) : read_words(f, &lines, line);
    }
    cpm_lines_close(&lines);
    return status;
}

static int take(numbers *f, const char *what, number *out)
{
    if (f->next < f->count) {
        *out = f->at[f->next++];
        return CPM_OK;
    }
    int last = f->count ? f->at[f->count - 1].line : 1;
    return refuse(f, last, "the file ends where %s should be: a count before it is too large",
                  what);
}

/* What is no part of a row. Where rows are lines of their own, it does not stand in one. */
static int take_alone(numbers *f, const char *what, number *out)
{
    int status = take(f, what, out);
    if (status || !f->lines || out->nth || out->in_line < 4)
        return status;
    return refuse(f, out->line, "%s should be here, but %d numbers are: a count before it is wrong",
                  what, out->in_line);
}

/* A number that the library keeps as an int. */
static int take_int(numbers *f, const char *what, number *out)
{
    int status = take(f, what, out);
    return status || out->value <= INT_MAX
               ? status
               : refuse(f, out->line, "%ld is more than %s can be in Open MPI (%d)", out->value,
                        what, INT_MAX);
}

/* ---- one row ---- */

static int take_row(numbers *f, cpm_openmpi_row *row, bool *whole)
{
    number from = {0}, algorithm = {0}, fan = {0}, segment = {0}, requests = {0};
    int status = take(f, "a message size", &from);
    if (!status)
        status = take_int(f, "an algorithm", &algorithm);
    if (!status)
        status = take_int(f, "a fan-out", &fan);
    if (!status)
        status = take_int(f, "a segment size", &segment);
    if (!status && f->fifth && f->next < f->count && f->at[f->next].line == segment.line)
        status = take_int(f, "a number of requests", &requests);
    if (status)
        return status;
    *row = (cpm_openmpi_row){.from = from.value,
                             .algorithm = algorithm.value,
                             .fan = fan.value,
                             .segment = segment.value,
                             .requests = requests.value,
                             .line = from.line,
                             .radix = f->fifth};
    *whole = !from.nth && from.line == segment.line;
    f->lines = f->lines || (*whole && from.in_line <= 5);
    return CPM_OK;
}

/* ---- lists, which ascend: the last one that is not above a call's numbers holds ---- */

static int take_count(numbers *f, const char *what, const char *many, number *count)
{
    int status = take_alone(f, what, count);
    if (!status && count->value > f->count)
        status = refuse(f, count->line,
                        "%ld %s are announced, more than there are numbers in the "
                        "file",
                        count->value, many);
    return status;
}

/* Of two that are equal the last one holds. */
static int check_ascending(const numbers *f, int line, int64_t before, int64_t now,
                           const number *count, const char *many)
{
    return now >= before
               ? CPM_OK
               : refuse(f, line,
                        "%lld does not ascend after %lld: fewer than the %ld %s that line %d "
                        "announces, or in another order",
                        (long long)now, (long long)before, count->value, many, count->line);
}

/* ---- the rows for a number of processes ---- */

typedef struct {
    number n;
    cpm_openmpi_row *row;
    bool *lives; /* [count] of each row */
    long count;
} group;

/* Whether the next four numbers are in one line, as rows are in most files. */
static bool is_row_next(const numbers *f)
{
    return f->next + 3 < f->count && f->at[f->next].line == f->at[f->next + 3].line;
}

/* Such rows say where a count is wrong: one that goes on in the next line is none, and one behind
 * the last is left over. */
static void doubt_count(numbers *f, const number *count, bool whole, long rows)
{
    bool more = rows == count->value;
    if (*f->wrong_count || !rows || !whole || is_row_next(f) != more)
        return;
    snprintf(f->wrong_count, sizeof f->wrong_count,
             "%d: %ld message sizes are announced, but there are %s lines of four numbers",
             count->line, count->value, more ? "more" : "fewer");
}

/* Open MPI ignores files whose rows do not begin so. */
static int check_first(const numbers *f, const group *g)
{
    return !g->row->from ? CPM_OK
                         : refuse(f, g->row->line,
                                  "the first message size must be 0, not %lld: Open MPI ignores "
                                  "the file",
                                  (long long)g->row->from);
}

static int take_rows(numbers *f, group *g, const number *count)
{
    static const char many[] = "message sizes";
    int status = CPM_OK;
    bool whole = false;
    for (long k = 0; k < count->value && !status; k++) {
        doubt_count(f, count, whole, k);
        g->count = k + 1;
        status = take_row(f, &g->row[k], &whole);
        g->row[k].lives = &g->lives[k];
        if (!status)
            status = k > 0 ? check_ascending(f, g->row[k].line, g->row[k - 1].from, g->row[k].from,
                                             count, many)
                           : check_first(f, g);
    }
    if (!status)
        doubt_count(f, count, whole, count->value);
    return status;
}

static int take_group(numbers *f, group *g, const group *before, const number *groups)
{
    number count;
    int status = take_alone(f, "a number of processes", &g->n);
    if (!status && before)
        status = check_ascending(f, g->n.line, before->n.value, g->n.value, groups,
                                 "communicator sizes");
    if (!status)
        status = take_count(f, "a number of message sizes", "message sizes", &count);
    if (status)
        return status;
    g->row = calloc((size_t)count.value + 1, sizeof *g->row);
    g->lives = calloc((size_t)count.value + 1, sizeof *g->lives);
    return g->row && g->lives ? take_rows(f, g, &count) : cpm_no_memory(f->to.e);
}

/* ---- rows that no call comes to ---- */

/* Files begin so: what the library itself decides for communicators that have no rules. */
static bool is_usual_beginning(const group *g)
{
    return g->n.value == 0 && g->count == 1 && g->row->algorithm == 0;
}

static int note_dead(const numbers *f, const cpm_openmpi_collective *c, const group *g)
{
    long living = 0;
    int status = CPM_OK;
    for (long k = 0; k < g->count; k++)
        living += g->lives[k];
    if (!living)
        return !g->count || is_usual_beginning(g)
                   ? CPM_OK
                   : cpm_openmpi_note_dead(&f->to, c, g->n.line, g->n.value, "processes");
    for (long k = 0; k < g->count && !status; k++)
        if (!g->lives[k])
            status = cpm_openmpi_note_dead(&f->to, c, g->row[k].line, g->row[k].from, "bytes");
    return status;
}

/* ---- collectives ---- */

/* Rows are copied: what no call comes to is taken out of them. */
static int put_groups(const numbers *f, const cpm_openmpi_collective *c, const group *g, long count)
{
    cpm_openmpi_part *part = calloc((size_t)count, sizeof *part);
    int status = part ? CPM_OK : cpm_no_memory(f->to.e);
    for (long k = 0; k < count && !status; k++) {
        size_t bytes = (size_t)(g[k].count + 1) * sizeof *g->row;
        cpm_openmpi_row *row = malloc(bytes);
        part[k] = (cpm_openmpi_part){
            .from = g[k].n.value, .of = {{.row = row, .count = g[k].count}}, .kinds = 1};
        if (row)
            memcpy(row, g[k].row, bytes);
        else
            status = cpm_no_memory(f->to.e);
    }
    if (!status)
        status = cpm_openmpi_put(&f->to, c, part, count);
    for (long k = 0; part && k < count; k++)
        free(part[k].of->row);
    free(part);
    for (long k = 0; k < count && !status; k++)
        status = note_dead(f, c, &g[k]);
    return status;
}

/* c is NULL for a collective that CPM does not choose. */
static int take_groups(numbers *f, const cpm_openmpi_collective *c, const number *count)
{
    group *g = calloc((size_t)count->value + 1, sizeof *g);
    int status = g ? CPM_OK : cpm_no_memory(f->to.e);
    for (long k = 0; k < count->value && !status; k++)
        status = take_group(f, &g[k], k ? &g[k - 1] : NULL, count);
    if (!status && c)
        status = put_groups(f, c, g, count->value);
    for (long k = 0; g && k < count->value; k++) {
        free(g[k].row);
        free(g[k].lives);
    }
    free(g);
    return status;
}

static int leave_out(numbers *f, const number *id)
{
    const char *name = cpm_openmpi_collective_named(id->value);
    size_t at = strlen(f->left_out);
    snprintf(f->left_out + at, sizeof f->left_out - at, "%s%s", at ? ", " : "", name);
    return cpm_openmpi_note(&f->to, id->line,
                            "%s (%ld of Open MPI) is none that CPM chooses: its rules are left "
                            "out",
                            name, id->value);
}

/* The numbers that were read are those of one collective. */
static int check_collective(const numbers *f, const number *id, const bool *seen)
{
    if (!cpm_openmpi_collective_named(id->value))
        return refuse(f, id->line, "Open MPI has no collective %ld, and ignores the file",
                      id->value);
    if (seen[id->value])
        return refuse(f, id->line, "%s has rules already, which Open MPI would forget",
                      cpm_openmpi_collective_named(id->value));
    return CPM_OK;
}

static int take_collective(numbers *f, bool *seen)
{
    number id, count;
    int status = take_alone(f, "a collective", &id);
    if (!status)
        status = take_count(f, "a number of communicator sizes", "communicator sizes", &count);
    if (!status)
        status = check_collective(f, &id, seen);
    if (status)
        return status;
    seen[id.value] = true;
    const cpm_openmpi_collective *c = cpm_openmpi_collective_find(id.value);
    if (!c)
        status = leave_out(f, &id);
    c = count.value ? c : NULL;
    f->any = f->any || c;
    return status ? status : take_groups(f, c, &count);
}

static int take_all(numbers *f)
{
    bool seen[64] = {false};
    number count = {0};
    int status = take_count(f, "the number of collectives", "collectives", &count);
    for (long k = 0; k < count.value && !status; k++)
        status = take_collective(f, seen);
    if (!status && f->next < f->count)
        status = refuse(f, f->at[f->next].line,
                        "there is more than the counts before it say: Open MPI would ignore it");
    if (!status && *f->wrong_count)
        status = refuse(f, 0, "");
    if (!status && !f->any && *f->left_out)
        return cpm_fail(f->to.e, CPM_EPARSE,
                        "%s: there are rules for %s only, which CPM does not choose: nothing is "
                        "left to use",
                        f->to.where, f->left_out);
    if (!status && !f->any)
        return refuse(f, count.line, "there are no rules for any collective");
    return status;
}

static int convert(numbers *f, const char *text, char **rules)
{
    size_t size = 0;
    f->to.out = open_memstream(rules, &size);
    if (!f->to.out)
        return cpm_no_memory(f->to.e);
    int status = read_numbers(f, text);
    if (!status)
        status = take_all(f);
    if (ferror(f->to.out))
        status = status ? status : cpm_no_memory(f->to.e);
    if (fclose(f->to.out) != 0 && !status)
        status = cpm_no_memory(f->to.e);
    if (status) {
        free(*rules);
        *rules = NULL;
    }
    return status;
}

int cpm_rules_of_openmpi(const char *text, const char *where, char **rules, char **notes,
                         cpm_error *e)
{
    numbers f = {.to = {.where = where, .notes = notes, .e = e}};
    int status = convert(&f, text, rules);
    free(f.at);
    if (status && notes) { /* the failure says it all */
        free(*notes);
        *notes = NULL;
    }
    return status;
}
