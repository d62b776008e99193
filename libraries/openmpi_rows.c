/* Rows of Open MPI as conditions and algorithms. What rules of CPM cannot say is noted once a row.
 */
#include "libraries/openmpi_rows.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "tables/ruleset_lines.h"

/* ---- notes ---- */

/* Whether one of the lines of notes is this one. */
static bool is_noted(const char *notes, const char *line)
{
    size_t length = strlen(line);
    for (const char *at = notes; at && (at = strstr(at, line)); at += length)
        if ((at == notes || at[-1] == '\n') && (!at[length] || at[length] == '\n'))
            return true;
    return false;
}

int cpm_openmpi_note(const cpm_openmpi_target *to, int line, const char *format, ...)
{
    char *sentence = NULL, *whole = NULL;
    va_list more;
    if (!to->notes)
        return CPM_OK;
    va_start(more, format);
    int length = vasprintf(&sentence, format, more);
    va_end(more);
    if (length < 0 || asprintf(&whole, "%s:%d: %s", to->where, line, sentence) < 0) {
        free(length < 0 ? NULL : sentence);
        return cpm_no_memory(to->e);
    }
    int status = is_noted(*to->notes, whole) ? CPM_OK : cpm_note(to->notes, to->e, "%s", whole);
    free(whole);
    free(sentence);
    return status;
}

int cpm_openmpi_note_dead(const cpm_openmpi_target *to, const cpm_openmpi_collective *c, int line,
                          int64_t value, const char *of)
{
    return cpm_openmpi_note(to, line, "no call matches the row of %s for %lld %s: left out",
                            c->name, (long long)value, of);
}

/* ---- one row ---- */

/* Open MPI cuts between elements. Of those of 8 bytes it takes as many as are nearest; where the
 * segment is less than one, nothing is cut. */
static long whole_elements(long segment)
{
    return segment < 8 ? 0 : segment / 8 * 8 + (segment % 8 > 4 ? 8 : 0);
}

static int note_segment(const cpm_openmpi_target *to, const cpm_openmpi_row *row,
                        const cpm_openmpi_rule *r)
{
    if (row->segment == r->segment || !cpm_openmpi_rule_cuts(r))
        return CPM_OK;
    return r->segment ? cpm_openmpi_note(to, row->line,
                                         "segments of %ld bytes are whole elements: %ld bytes are "
                                         "taken, for elements of 8 bytes",
                                         row->segment, r->segment)
                      : cpm_openmpi_note(to, row->line,
                                         "segments of %ld bytes are less than an element of 8 "
                                         "bytes, which goes whole: no segments",
                                         row->segment);
}

/* Leaves of a reduce wait for their segments in turn. */
static int note_requests(const cpm_openmpi_target *to, const cpm_openmpi_row *row,
                         const cpm_openmpi_rule *r)
{
    if (!row->requests || !r->segment || strcmp(r->collective->name, "reduce") != 0 ||
        !cpm_openmpi_rule_cuts(r))
        return CPM_OK;
    return cpm_openmpi_note(to, row->line,
                            "that a process has at most %ld segments of a reduce under way is not "
                            "known here: left out",
                            row->requests);
}

/* A segment that CPM's algorithm cannot have is left to the library. */
static int put_row(const cpm_openmpi_target *to, const cpm_openmpi_row *row, cpm_openmpi_rule r)
{
    char name[CPM_COLLECTIVE_NAME];
    cpm_collective what;
    cpm_error why = {0};
    r.algorithm = row->algorithm;
    r.fan = row->fan;
    r.radix = row->radix;
    r.segment = whole_elements(row->segment);
    cpm_openmpi_rule_name(&r, name, sizeof name);
    if (cpm_collective_parse(name, &what, &why)) {
        fprintf(to->out, "%s:native\n", r.collective->name);
        return cpm_openmpi_note(to, row->line, "%s cannot be used: %s: left to the library", name,
                                why.text);
    }
    int status = note_segment(to, row, &r);
    if (!status)
        status = note_requests(to, row, &r);
    const char *left = cpm_openmpi_rule_put(&r, to->out);
    return status || !left ? status
                           : cpm_openmpi_note(to, row->line, "%s by algorithm %ld of Open MPI %s",
                                              r.collective->name, r.algorithm, left);
}

/* ---- rows by size ---- */

static int put_rows(const cpm_openmpi_target *to, cpm_openmpi_rule of, const cpm_openmpi_rows *rows)
{
    const cpm_openmpi_collective *c = of.collective;
    const char *quantity = c->size == CPM_OPENMPI_BLOCK ? "bytes" : "total-bytes";
    const cpm_openmpi_row *row = rows->row;
    int status = CPM_OK;
    if (!rows->count)
        fprintf(to->out, "%s:native\n", c->name);
    for (long k = rows->count - 1; k >= 0 && !status; k--) {
        if (k > 0)
            fprintf(to->out, "%s %s >= %lld\n", k == rows->count - 1 ? "if" : "else if", quantity,
                    (long long)row[k].from);
        else if (rows->count > 1)
            fputs("else\n", to->out);
        of.least_bytes = k > 0 ? (long)row[k].from : 0; /* the first holds for less, too */
        of.most_bytes = k + 1 < rows->count ? (long)row[k + 1].from - 1 : LONG_MAX;
        status = put_row(to, &row[k], of);
    }
    fputs(rows->count > 1 ? "end\n" : "", to->out);
    return status;
}

/* Whether rules can ask for from to to bytes, and a call on so many processes or more have them:
 * less than a byte for each there is not. */
static bool can_be(int64_t least, bool total, int64_t from, int64_t to)
{
    char text[24];
    size_t bytes;
    snprintf(text, sizeof text, "%lld", (long long)from);
    return from <= to && (from == 0 || !total || to >= least) &&
           cpm_size_parse(text, &bytes, NULL) == CPM_OK;
}

static void mark(const cpm_openmpi_row *row)
{
    if (row->lives)
        *row->lives = true;
}

/* Keeps the rows that calls of least processes or more come to. */
static int keep_rows(const cpm_openmpi_target *to, const cpm_openmpi_collective *c,
                     cpm_openmpi_rows *rows, int64_t least)
{
    const cpm_operation *o = NULL;
    int status = cpm_operation_find(c->name, &o, to->e);
    long count = rows->count;
    for (long k = rows->count = 0; k < count && !status; k++) {
        int64_t from = k ? rows->row[k].from : 0;
        int64_t last = k + 1 < count ? rows->row[k + 1].from - 1 : INT64_MAX;
        if (!cpm_rules_see_bytes(o)) /* there, too, the size is 0 */
            last = from == 0 && last >= 0 ? 0 : -1;
        if (!can_be(least, c->size != CPM_OPENMPI_BLOCK, from, last))
            continue;
        mark(&rows->row[k]);
        rows->row[rows->count++] = rows->row[k];
    }
    return status;
}

/* ---- rows by the places of processes ---- */

/* How many kinds of communicators of so many processes there are to come to. */
static int kinds_for(const cpm_openmpi_part *p, int64_t most)
{
    int kinds = 0;
    bool ends = false;
    for (; kinds < p->kinds && !ends; kinds++)
        ends = p->of[kinds].where == CPM_OPENMPI_ANYWHERE || most == 1 || (most == 2 && kinds == 1);
    return kinds;
}

/* What else there is is left to the library. */
static int put_part(const cpm_openmpi_target *to, cpm_openmpi_rule of, const cpm_openmpi_part *p)
{
    static const char *const condition[] = {
        [CPM_OPENMPI_ONE_HOST] = "hosts = 1", [CPM_OPENMPI_HOST_EACH] = "processes-per-host = 1"};
    int kinds = kinds_for(p, of.most_processes), status = CPM_OK;
    bool asks = kinds && p->of[0].where && of.most_processes > 1;
    bool all = kinds && (p->of[kinds - 1].where == CPM_OPENMPI_ANYWHERE ||
                         (kinds > 1 && of.most_processes <= 2));
    for (int k = 0; k < kinds && !status; k++) {
        if (asks && (k < kinds - 1 || !all))
            fprintf(to->out, "%s %s\n", k ? "else if" : "if", condition[p->of[k].where]);
        else if (asks)
            fputs("else\n", to->out);
        status = put_rows(to, of, &p->of[k]);
    }
    if (!kinds || (asks && !all))
        fprintf(to->out, "%s%s:native\n", kinds ? "else\n" : "", of.collective->name);
    fputs(asks ? "end\n" : "", to->out);
    return status;
}

/* ---- parts by number of processes ---- */

static int64_t last_of(const cpm_openmpi_part *p, long k, long count)
{
    int64_t last = k + 1 < count ? p[k + 1].from - 1 : INT32_MAX;
    return last < INT32_MAX ? last : INT32_MAX;
}

/* Keeps the parts that communicators come to. */
static int keep_parts(const cpm_openmpi_target *to, const cpm_openmpi_collective *c,
                      cpm_openmpi_part *p, long *count)
{
    int status = CPM_OK;
    long parts = *count;
    for (long k = *count = 0; k < parts && !status; k++) {
        int64_t least = k && p[k].from > 1 ? p[k].from : 1, most = last_of(p, k, parts);
        if (least > most)
            continue;
        for (int i = 0; i < kinds_for(&p[k], most) && !status; i++)
            status = keep_rows(to, c, &p[k].of[i], least);
        cpm_openmpi_part live = p[k];
        p[k] = p[*count]; /* both are freed once */
        p[(*count)++] = live;
    }
    return status;
}

/* The v-operation, which rules mean too, is a collective of its own there. */
static void put_head(const cpm_openmpi_target *to, const cpm_openmpi_collective *c)
{
    fprintf(to->out, "if operation = %s", c->name);
    for (const cpm_operation *o = cpm_operations; o->name; o++)
        if (o->like && strcmp(o->like, c->name) == 0)
            fprintf(to->out, " and operation != %s", o->name);
    fputc('\n', to->out);
}

int cpm_openmpi_put(const cpm_openmpi_target *to, const cpm_openmpi_collective *c,
                    cpm_openmpi_part *p, long count)
{
    int status = keep_parts(to, c, p, &count);
    bool only = count == 1; /* the first holds for fewer processes, too */
    put_head(to, c);
    for (long k = count - 1; k >= 0 && !status; k--) {
        if (k > 0)
            fprintf(to->out, "%s processes >= %lld\n", k == count - 1 ? "if" : "else if",
                    (long long)p[k].from);
        else if (!only)
            fputs("else\n", to->out);
        const cpm_openmpi_rule of = {.collective = c,
                                     .least_processes = k > 0 ? (long)p[k].from : 1,
                                     .most_processes = (long)last_of(p, k, count)};
        status = put_part(to, of, &p[k]);
    }
    fputs(only ? "end\n" : "end\nend\n", to->out);
    return status;
}
