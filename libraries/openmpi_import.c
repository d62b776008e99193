/* Open MPI's dynamic rules, as rules. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "base/size.h"
#include "base/vector.h"
#include "libraries/openmpi_rule.h"
#include "tables/ruleset_lines.h"

/* ---- numbers of Open MPI's file ---- */

typedef struct {
    long value;
    int line;
} number;

typedef struct {
    number *at;
    int64_t count, room, next;
    const char *where;
    bool fifth; /* version 2: a rule may have a fifth number in its line */
    FILE *out;
    char **notes;
    cpm_error *e;
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
        return cpm_fail(f->e, CPM_EPARSE, "%s:%s", f->where, f->wrong_count);
    return cpm_fail(f->e, CPM_EPARSE, "%s:%d: %s", f->where, line, what);
}

static int read_words(numbers *f, cpm_lines *lines, char *text)
{
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
            return cpm_no_memory(f->e);
        f->at[f->count++] = (number){value, lines->number};
        text = end;
    }
    return CPM_OK;
}

static int read_numbers(numbers *f, const char *text)
{
    static const char version[] = "rule-file-version-";
    cpm_lines lines;
    int status = cpm_lines_open_text(&lines, f->where, text, f->e);
    if (status)
        return status;
    for (char *line; (line = cpm_lines_next(&lines, &status)) && !status;) {
        bool head = lines.number == 1 && strncmp(line, version, sizeof version - 1) == 0;
        f->fifth = f->fifth || head;
        if (head && strcmp(line + sizeof version - 1, "2") != 0)
            status = cpm_lines_wrong(&lines, "this version of the format is not known, only 1 "
                                             "(without a word) and 2");
        else if (!head)
            status = read_words(f, &lines, line);
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

/* ---- one rule ---- */

/* From so many bytes on. */
typedef struct {
    number from, algorithm, fan, segment;
} rule;

/* What it is called here, for the calls that r is about. A segment that CPM's algorithm cannot have
 * is left to the library. */
static int put_rule(const numbers *f, const rule *said, cpm_openmpi_rule r)
{
    char name[CPM_COLLECTIVE_NAME];
    cpm_collective what;
    cpm_error why = {0};
    r.algorithm = said->algorithm.value;
    r.fan = said->fan.value;
    r.segment = said->segment.value;
    cpm_openmpi_rule_name(&r, name, sizeof name);
    if (cpm_collective_parse(name, &what, &why)) {
        fprintf(f->out, "%s:native\n", r.collective->name);
        return !f->notes
                   ? CPM_OK
                   : cpm_note(f->notes, f->e, "%s:%d: %s cannot be used: %s: left to the library",
                              f->where, said->algorithm.line, name, why.text);
    }
    const char *left = cpm_openmpi_rule_put(&r, f->out);
    if (!left || !f->notes)
        return CPM_OK;
    return cpm_note(f->notes, f->e, "%s:%d: %s by algorithm %ld of Open MPI %s", f->where,
                    said->algorithm.line, r.collective->name, r.algorithm, left);
}

static int take_rule(numbers *f, rule *r)
{
    int status = take(f, "a message size", &r->from);
    if (!status)
        status = take(f, "an algorithm", &r->algorithm);
    if (!status)
        status = take(f, "a fan-out", &r->fan);
    if (!status)
        status = take(f, "a segment size", &r->segment);
    if (!status && f->fifth && f->next < f->count && f->at[f->next].line == r->segment.line)
        f->next++; /* requests at a time: nothing of a schedule */
    return status;
}

/* ---- lists, which ascend: the last one that is not above a call's numbers holds ---- */

static int take_count(numbers *f, const char *what, number *count)
{
    int status = take(f, what, count);
    if (!status && count->value > f->count)
        status = refuse(f, count->line, "there are not so many numbers in the file");
    return status;
}

/* Of two that are equal the last one holds. */
static int check_ascending(const numbers *f, const number *before, const number *now)
{
    if (now->value >= before->value)
        return CPM_OK;
    return refuse(f, now->line,
                  "%ld does not ascend after %ld, and Open MPI looks no further than the first "
                  "one that is too large for a call",
                  now->value, before->value);
}

/* The rules of a collective on some processes. */
static int put_sizes_of(const numbers *f, cpm_openmpi_rule of, const rule *r, long count)
{
    const cpm_openmpi_collective *c = of.collective;
    const char *quantity = c->size == CPM_OPENMPI_BLOCK ? "bytes" : "total-bytes";
    int status = CPM_OK;
    for (long k = count - 1; k >= 0 && !status; k--) {
        if (k > 0)
            fprintf(f->out, "%s %s >= %ld\n", k == count - 1 ? "if" : "else if", quantity,
                    r[k].from.value);
        else if (count > 1)
            fputs("else\n", f->out);
        of.least_bytes = k > 0 ? r[k].from.value : 0; /* the first holds for less, too */
        of.most_bytes = k + 1 < count ? r[k + 1].from.value - 1 : LONG_MAX;
        status = put_rule(f, &r[k], of);
    }
    fputs(count > 1 ? "end\n" : "", f->out);
    return status;
}

/* Whether the next four numbers are in one line, as rows are in most files. */
static bool is_row_next(const numbers *f)
{
    return f->next + 3 < f->count && f->at[f->next].line == f->at[f->next + 3].line;
}

/* Such rows say where a count is wrong: one that goes on in the next line is none, and one behind
 * the last is left over. */
static void doubt_count(numbers *f, const number *count, const rule *r, long rows)
{
    bool more = rows == count->value;
    if (*f->wrong_count || !rows || r->from.line != r->segment.line || is_row_next(f) != more)
        return;
    snprintf(f->wrong_count, sizeof f->wrong_count,
             "%d: %ld message sizes are announced, but there are %s lines of four numbers",
             count->line, count->value, more ? "more" : "fewer");
}

static int take_sizes(numbers *f, rule **out, long *count)
{
    number n;
    int status = take_count(f, "a number of message sizes", &n);
    if (status)
        return status;
    *count = n.value;
    *out = calloc((size_t)n.value + 1, sizeof **out);
    if (!*out)
        return cpm_no_memory(f->e);
    for (long k = 0; k < n.value && !status; k++) {
        doubt_count(f, &n, *out, k);
        status = take_rule(f, &(*out)[k]);
        if (!status && k > 0)
            status = check_ascending(f, &(*out)[k - 1].from, &(*out)[k].from);
    }
    if (!status)
        doubt_count(f, &n, *out, n.value);
    return status;
}

/* Rules by number of processes. */
typedef struct {
    number n;
    rule *at;
    long count;
} part;

/* ---- rows that no call comes to ---- */

static int note_dead(const numbers *f, const cpm_openmpi_collective *c, const number *row,
                     const char *of)
{
    if (!f->notes)
        return CPM_OK;
    return cpm_note(f->notes, f->e, "%s:%d: no call matches the row of %s for %ld %s: left out",
                    f->where, row->line, c->name, row->value, of);
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

/* Leaves out those of a part, which is for least processes or more. The first one holds for shorter
 * messages, too. */
static int drop_dead_sizes(const numbers *f, const cpm_openmpi_collective *c, part *p,
                           int64_t least)
{
    const cpm_operation *o = NULL;
    int status = cpm_operation_find(c->name, &o, f->e);
    long count = p->count;
    for (long k = p->count = 0; k < count && !status; k++) {
        int64_t from = k ? p->at[k].from.value : 0;
        int64_t to = k + 1 < count ? p->at[k + 1].from.value - 1 : INT64_MAX;
        if (!cpm_rules_see_bytes(o)) /* there, too, the size is 0 */
            to = from == 0 && to >= 0 ? 0 : -1;
        if (can_be(least, c->size != CPM_OPENMPI_BLOCK, from, to))
            p->at[p->count++] = p->at[k];
        else
            status = note_dead(f, c, &p->at[k].from, "bytes");
    }
    return status;
}

/* Files begin so: what the library itself decides for communicators that have no rules. */
static bool is_usual_beginning(const part *p)
{
    return p->n.value == 0 && p->count == 1 && p->at->algorithm.value == 0;
}

/* The same of the parts of a collective; the first one holds for fewer processes, too. */
static int drop_dead_parts(const numbers *f, const cpm_openmpi_collective *c, part *p, long *count)
{
    int status = CPM_OK;
    long parts = *count;
    for (long k = *count = 0; k < parts && !status; k++) {
        int64_t least = k && p[k].n.value > 1 ? p[k].n.value : 1;
        int64_t most = k + 1 < parts ? p[k + 1].n.value - 1 : INT32_MAX;
        if (most > INT32_MAX)
            most = INT32_MAX;
        if (least > most) {
            status = is_usual_beginning(&p[k]) ? CPM_OK : note_dead(f, c, &p[k].n, "processes");
            continue;
        }
        status = drop_dead_sizes(f, c, &p[k], least);
        part live = p[k];
        p[k] = p[*count]; /* both are freed once */
        p[(*count)++] = live;
    }
    return status;
}

static int put_parts(const numbers *f, const cpm_openmpi_collective *c, const part *p, long count)
{
    int status = CPM_OK;
    bool only = count == 1; /* the first holds for fewer processes, too */
    for (long k = count - 1; k >= 0 && !status; k--) {
        if (k > 0)
            fprintf(f->out, "%s processes >= %ld\n", k == count - 1 ? "if" : "else if",
                    p[k].n.value);
        else if (!only)
            fputs("else\n", f->out);
        const cpm_openmpi_rule of = {.collective = c,
                                     .least_processes = k > 0 ? p[k].n.value : 1,
                                     .most_processes =
                                         k + 1 < count ? p[k + 1].n.value - 1 : INT_MAX};
        if (p[k].count)
            status = put_sizes_of(f, of, p[k].at, p[k].count);
        else
            fprintf(f->out, "%s:native\n", c->name);
    }
    fputs(only ? "" : "end\n", f->out);
    return status;
}

static int take_part(numbers *f, part *p, const part *before)
{
    int status = take(f, "a number of processes", &p->n);
    if (!status && before)
        status = check_ascending(f, &before->n, &p->n);
    return status ? status : take_sizes(f, &p->at, &p->count);
}

/* c is NULL for a collective that CPM does not choose. */
static int take_parts(numbers *f, const cpm_openmpi_collective *c, long count)
{
    part *p = calloc((size_t)count + 1, sizeof *p);
    int status = p ? CPM_OK : cpm_no_memory(f->e);
    for (long k = 0; k < count && !status; k++)
        status = take_part(f, &p[k], k ? &p[k - 1] : NULL);
    long live = count;
    if (!status && c)
        status = drop_dead_parts(f, c, p, &live);
    if (!status && c)
        status = put_parts(f, c, p, live);
    for (long k = 0; p && k < count; k++)
        free(p[k].at);
    free(p);
    return status;
}

/* ---- collectives ---- */

/* By their numbers (ompi/mca/coll/base/coll_base_functions.h). */
static const char *const all_collectives[] = {"allgather",
                                              "allgatherv",
                                              "allreduce",
                                              "alltoall",
                                              "alltoallv",
                                              "alltoallw",
                                              "barrier",
                                              "bcast",
                                              "exscan",
                                              "gather",
                                              "gatherv",
                                              "reduce",
                                              "reduce_scatter",
                                              "reduce_scatter_block",
                                              "scan",
                                              "scatter",
                                              "scatterv",
                                              "neighbor_allgather",
                                              "neighbor_allgatherv",
                                              "neighbor_alltoall",
                                              "neighbor_alltoallv",
                                              "neighbor_alltoallw"};

static void name_collective(long id, char *name, size_t size)
{
    if (id < (long)(sizeof all_collectives / sizeof *all_collectives))
        snprintf(name, size, "%s", all_collectives[id]);
    else
        snprintf(name, size, "collective %ld", id);
}

static int leave_out(numbers *f, const number *id)
{
    char name[48];
    name_collective(id->value, name, sizeof name);
    size_t at = strlen(f->left_out);
    snprintf(f->left_out + at, sizeof f->left_out - at, "%s%s", at ? ", " : "", name);
    if (!f->notes)
        return CPM_OK;
    return cpm_note(f->notes, f->e,
                    "%s:%d: %s (%ld of Open MPI) is none that CPM chooses: its rules are left out",
                    f->where, id->line, name, id->value);
}

static const cpm_openmpi_collective *find_collective(long id)
{
    for (const cpm_openmpi_collective *c = cpm_openmpi_collectives; c->name; c++)
        if (c->id == id)
            return c;
    return NULL;
}

/* The v-operation, which rules mean too, is a collective of its own there. */
static void put_head(const numbers *f, const cpm_openmpi_collective *c)
{
    fprintf(f->out, "if operation = %s", c->name);
    for (const cpm_operation *o = cpm_operations; o->name; o++)
        if (o->like && strcmp(o->like, c->name) == 0)
            fprintf(f->out, " and operation != %s", o->name);
    fputc('\n', f->out);
}

static int take_collective(numbers *f, bool *seen)
{
    number id, count;
    int status = take(f, "a collective", &id);
    if (!status)
        status = take_count(f, "a number of communicator sizes", &count);
    if (status)
        return status;
    const cpm_openmpi_collective *c = find_collective(id.value);
    if (c && seen[c - cpm_openmpi_collectives])
        return refuse(f, id.line, "this collective has rules already");
    if (c)
        seen[c - cpm_openmpi_collectives] = true;
    else
        status = leave_out(f, &id);
    c = count.value ? c : NULL;
    f->any = f->any || c;
    if (c)
        put_head(f, c);
    if (!status)
        status = take_parts(f, c, count.value);
    fputs(c ? "end\n" : "", f->out);
    return status;
}

static int take_all(numbers *f)
{
    bool seen[32] = {false};
    number count = {0};
    int status = take_count(f, "the number of collectives", &count);
    for (long k = 0; k < count.value && !status; k++)
        status = take_collective(f, seen);
    if (!status && f->next < f->count)
        status = refuse(f, f->at[f->next].line,
                        "there is more than the counts before it say: Open MPI would ignore it");
    if (!status && !f->any && *f->left_out)
        return cpm_fail(f->e, CPM_EPARSE,
                        "%s: there are rules for %s only, which CPM does not choose: nothing is "
                        "left to use",
                        f->where, f->left_out);
    if (!status && !f->any)
        return refuse(f, count.line, "there are no rules for any collective");
    return status;
}

static int convert(numbers *f, const char *text, char **rules)
{
    size_t size = 0;
    f->out = open_memstream(rules, &size);
    if (!f->out)
        return cpm_no_memory(f->e);
    int status = read_numbers(f, text);
    if (!status)
        status = take_all(f);
    if (ferror(f->out))
        status = status ? status : cpm_no_memory(f->e);
    if (fclose(f->out) != 0 && !status)
        status = cpm_no_memory(f->e);
    if (status) {
        free(*rules);
        *rules = NULL;
    }
    return status;
}

int cpm_rules_of_openmpi(const char *text, const char *where, char **rules, char **notes,
                         cpm_error *e)
{
    numbers f = {.where = where, .notes = notes, .e = e};
    int status = convert(&f, text, rules);
    free(f.at);
    if (status && notes) { /* the failure says it all */
        free(*notes);
        *notes = NULL;
    }
    return status;
}
