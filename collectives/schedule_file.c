/* Schedule files line by line: what is wrong in one has its line, and what the whole does is
 * proved.
 */
#include "collectives/schedule_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "base/vector.h"
#include "collectives/msccl/msccl.h"
#include "collectives/schedule/proof.h"

enum { MOST_WORDS = 6, MOST_RUNS = 1 << 24 };

/* A proof looks at each position at each process. */
static const int64_t most_to_prove = INT64_C(1) << 27;

/* ---- blocks */

/* Of pieces the first, of these of processes FROM the first, of these of TO the first, and so on:
 * that is the order of positions. Where units are no pairs FROM is the unit and TO is 0. */
typedef struct {
    int64_t first[3], last[3];
} item;

enum { PIECE, FROM, TO };

typedef struct {
    const cpm_messages *of;
    int64_t units;
    bool pairs;
    int pieces;
} naming;

static naming naming_of(const cpm_messages *m)
{
    return (naming){.of = m,
                    .units = m->operation->units(m->n, NULL),
                    .pairs = cpm_operation_is_of_pairs(m->operation),
                    .pieces = m->pieces > 1 ? m->pieces : 1};
}

/* The longest beginning of a run that is one item; returns how many positions it has. */
static int64_t first_item(const naming *x, cpm_run run, item *out)
{
    int64_t unit = run.first % x->units, piece = run.first / x->units;
    int64_t row = x->pairs ? x->of->n : x->units, inside = unit % row;
    int64_t count = run.count < row - inside ? run.count : row - inside;
    int64_t from = x->pairs ? unit / row : unit, to = x->pairs ? inside : 0;
    *out = (item){{piece, from, to},
                  {piece, x->pairs ? from : from + count - 1, x->pairs ? to + count - 1 : 0}};
    return count;
}

/* Makes one item of a and what follows it, where that is one. */
static bool join(item *a, const item *b)
{
    bool same[3];
    for (int k = 0; k < 3; k++)
        same[k] = a->first[k] == b->first[k] && a->last[k] == b->last[k];
    int grows = same[PIECE] ? FROM : PIECE;
    bool joins = same[TO] && (grows == PIECE ? same[FROM] : a->first[PIECE] == a->last[PIECE]) &&
                 b->first[grows] == a->last[grows] + 1;
    if (joins)
        a->last[grows] = b->last[grows];
    return joins;
}

static void print_range(const item *x, int part, FILE *out)
{
    fprintf(out, "%lld", (long long)x->first[part]);
    if (x->last[part] != x->first[part])
        fprintf(out, "-%lld", (long long)x->last[part]);
}

static void print_item(const naming *x, const item *i, const char *before, FILE *out)
{
    fputs(before, out);
    print_range(i, FROM, out);
    if (x->pairs) {
        fputc('>', out);
        print_range(i, TO, out);
    }
    if (i->first[PIECE] > 0 || i->last[PIECE] + 1 < x->pieces) {
        fputc('.', out);
        print_range(i, PIECE, out);
    }
}

static void print_blocks(const naming *x, const cpm_message *m, FILE *out)
{
    item now = {0};
    const char *before = " ";
    bool some = false;
    for (int64_t r = m->first_run; r < m->first_run + m->runs; r++) {
        cpm_run left = x->of->run[r];
        while (left.count > 0) {
            item next;
            int64_t count = first_item(x, left, &next);
            left = (cpm_run){left.first + count, left.count - count};
            if (some && join(&now, &next))
                continue;
            if (some) {
                print_item(x, &now, before, out);
                before = ",";
            }
            now = next;
            some = true;
        }
    }
    if (some)
        print_item(x, &now, before, out);
    else
        fputs(" -", out);
}

/* ---- writing */

static void print_round(const cpm_message *m, FILE *out)
{
    bool both = m->round[0] == m->round[1] && m->deferred[0] == m->deferred[1];
    for (int side = 0; side < (both ? 1 : 2); side++)
        fprintf(out, "%s%d%s", side ? "/" : "", m->round[side], m->deferred[side] ? "*" : "");
}

static void print_host(const cpm_messages *m, int host, char *const *host_of, FILE *out)
{
    const char *before = "host ";
    int last = -1;
    for (int i = 0; i < m->n; i++) {
        if (m->host[i] != host)
            continue;
        int end = i;
        while (end + 1 < m->n && m->host[end + 1] == host)
            end++;
        fprintf(out, "%s%d", before, i);
        if (end > i)
            fprintf(out, "-%d", end);
        before = ",";
        last = i = end;
    }
    if (last >= 0)
        fprintf(out, host_of ? "  # %s\n" : "\n", host_of ? host_of[last] : "");
}

void cpm_schedule_print(const cpm_messages *m, char *const *host_of, FILE *out)
{
    const naming x = naming_of(m);
    fprintf(out, "operation %s\nprocesses %d\n", m->operation->name, m->n);
    if (m->operation->rooted)
        fprintf(out, "root %d\n", m->root);
    if (x.pieces > 1)
        fprintf(out, "pieces %d\n", x.pieces);
    if (m->apart)
        fprintf(out, "contributions apart\n");
    for (int h = 0; m->host && h < m->n; h++)
        print_host(m, h, host_of, out);
    for (int64_t k = 0; k < m->count; k++) {
        const cpm_message *one = &m->at[k];
        print_round(one, out);
        fprintf(out, " %d %s %d", one->from, one->combines ? "+>" : "->", one->to);
        print_blocks(&x, one, out);
        fputc('\n', out);
    }
}

/* ---- reading */

typedef struct {
    cpm_lines *lines;
    char *word[MOST_WORDS];
    int words;
    cpm_messages m;
    naming naming;
    bool rooted; /* there was a line "root" */
    int hosts;
} reader;

/* Digits at *text, which moves behind them: a number from 0 to most. */
static bool read_digits(const char **text, int64_t most, int64_t *out)
{
    int64_t value = 0;
    const char *at = *text;
    if (*at < '0' || *at > '9')
        return false;
    for (; *at >= '0' && *at <= '9'; at++) {
        value = 10 * value + (*at - '0');
        if (value > most)
            return false;
    }
    *text = at;
    *out = value;
    return true;
}

/* "3" or "3-5" of numbers below count. */
static bool read_range(const char **text, int64_t count, int64_t *first, int64_t *last)
{
    if (!read_digits(text, count - 1, first))
        return false;
    *last = *first;
    if (**text != '-')
        return true;
    ++*text;
    return read_digits(text, count - 1, last) && *last >= *first;
}

static int wrong_blocks(const reader *r, const char *text)
{
    const naming *x = &r->naming;
    return cpm_lines_wrong(r->lines,
                           "'%s' names no blocks: %s of numbers below %lld%s, with commas between, "
                           "or '-' for none",
                           text, x->pairs ? "FROM>TO" : "BLOCK or FIRST-LAST",
                           (long long)(x->pairs ? r->m.n : x->units),
                           x->pieces > 1 ? ", and .PIECE or .FIRST-LAST behind them for some pieces"
                                         : "");
}

static bool read_item(const naming *x, const char **text, item *out)
{
    int64_t processes = x->pairs ? x->of->n : x->units;
    *out = (item){{0}, {x->pieces - 1}};
    if (!read_range(text, processes, &out->first[FROM], &out->last[FROM]))
        return false;
    if (x->pairs) {
        if (**text != '>')
            return false;
        ++*text;
        if (!read_range(text, processes, &out->first[TO], &out->last[TO]))
            return false;
    }
    if (**text != '.')
        return true;
    ++*text;
    return read_range(text, x->pieces, &out->first[PIECE], &out->last[PIECE]);
}

static int add_item(reader *r, const item *x)
{
    const naming *by = &r->naming;
    int status = CPM_OK;
    for (int64_t p = x->first[PIECE]; p <= x->last[PIECE] && !status; p++) {
        if (!by->pairs)
            status = cpm_messages_and(&r->m, p * by->units + x->first[FROM],
                                      x->last[FROM] - x->first[FROM] + 1, r->lines->e);
        for (int64_t i = x->first[FROM]; by->pairs && i <= x->last[FROM] && !status; i++)
            status = cpm_messages_and(&r->m, p * by->units + i * r->m.n + x->first[TO],
                                      x->last[TO] - x->first[TO] + 1, r->lines->e);
        if (!status && r->m.run_count > MOST_RUNS)
            return cpm_lines_wrong(r->lines, "messages have more than %d runs of blocks",
                                   MOST_RUNS);
    }
    return status;
}

static int read_blocks(reader *r, const char *text)
{
    const char *at = text;
    int status = CPM_OK;
    if (strcmp(text, "-") == 0)
        return CPM_OK;
    for (bool more = true; more && !status;) {
        item x;
        if (!read_item(&r->naming, &at, &x) || (*at && *at != ','))
            return wrong_blocks(r, text);
        status = add_item(r, &x);
        more = *at == ',';
        at += more;
    }
    return status;
}

static int read_rounds(reader *r, const char *text, cpm_message *out)
{
    enum { MOST_ROUNDS = 1 << 30 };
    const char *at = text;
    for (int side = 0; side < 2; side++) {
        int64_t round;
        if (!read_digits(&at, MOST_ROUNDS, &round))
            break;
        out->round[side] = (int)round;
        out->deferred[side] = *at == '*';
        at += *at == '*';
        if (side == 0 && !*at) {
            out->round[1] = out->round[0];
            out->deferred[1] = out->deferred[0];
            return CPM_OK;
        }
        if (side == 1 && !*at)
            return CPM_OK;
        if (*at++ != '/')
            break;
    }
    return cpm_lines_wrong(r->lines,
                           "'%s' is no round: a number, or two as in 3/4 for the sender's and the "
                           "receiver's; * behind it: waited for at the end",
                           text);
}

static int read_process(const reader *r, const char *text, int *out)
{
    const char *at = text;
    int64_t value;
    if (!read_digits(&at, r->m.n - 1, &value) || *at)
        return cpm_lines_wrong(r->lines, "'%s' is none of the processes 0 to %d", text, r->m.n - 1);
    *out = (int)value;
    return CPM_OK;
}

static int read_message(reader *r)
{
    cpm_message x = {.combines = strcmp(r->word[2], "+>") == 0};
    int status = CPM_OK;
    if (!r->m.operation || !r->m.n)
        return cpm_lines_wrong(r->lines, "a message before the lines 'operation' and 'processes'");
    if (x.combines && !r->m.operation->combines)
        return cpm_lines_wrong(r->lines, "'+>' combines, which %s does not", r->m.operation->name);
    r->naming = naming_of(&r->m);
    status = read_rounds(r, r->word[0], &x);
    if (!status)
        status = read_process(r, r->word[1], &x.from);
    if (!status)
        status = read_process(r, r->word[3], &x.to);
    if (!status && x.from == x.to)
        return cpm_lines_wrong(r->lines, "process %d sends to itself", x.from);
    if (!status)
        status = cpm_messages_add(&r->m, x.from, x.to, 0, x.combines, r->lines->e);
    if (status)
        return status;
    for (int side = 0; side < 2; side++) {
        r->m.at[r->m.count - 1].round[side] = x.round[side];
        r->m.at[r->m.count - 1].deferred[side] = x.deferred[side];
    }
    return read_blocks(r, r->word[4]);
}

static int read_operation(reader *r)
{
    cpm_error why = {0};
    const cpm_operation *o;
    if (r->m.operation)
        return cpm_lines_wrong(r->lines, "a second operation; a schedule is of one");
    if (cpm_operation_find(r->word[1], &o, &why))
        return cpm_lines_wrong(r->lines, "%s", why.text);
    if (cpm_operation_is_of_neighbours(o))
        return cpm_lines_wrong(r->lines, "%s: schedules of neighbours are not read", o->name);
    r->m.operation = o;
    return CPM_OK;
}

/* A whole number behind the first word, once, before all messages. */
static int read_number(reader *r, long least, long most, bool again, int *out)
{
    long value;
    if (again)
        return cpm_lines_wrong(r->lines, "a second line '%s'", r->word[0]);
    if (r->m.count)
        return cpm_lines_wrong(r->lines, "a line '%s' behind the first message", r->word[0]);
    if (!cpm_integer_parse(r->word[1], least, most, &value))
        return cpm_lines_wrong(r->lines, "%s: '%s' is not a number from %ld to %ld", r->word[0],
                               r->word[1], least, most);
    *out = (int)value;
    return CPM_OK;
}

static int read_processes(reader *r)
{
    return read_number(r, 1, CPM_MOST_PROCESSES, r->m.n, &r->m.n);
}

static int read_root(reader *r)
{
    if (!r->m.operation || !r->m.operation->rooted || !r->m.n)
        return cpm_lines_wrong(r->lines,
                               "a root behind no operation that has one and its processes");
    int status = read_number(r, 0, r->m.n - 1, r->rooted, &r->m.root);
    r->rooted = true;
    return status;
}

static int read_pieces(reader *r)
{
    return read_number(r, 2, CPM_MOST_PROCESSES, r->m.pieces, &r->m.pieces);
}

static int read_apart(reader *r)
{
    if (strcmp(r->word[1], "apart") != 0 || !r->m.operation || !r->m.operation->combines)
        return cpm_lines_wrong(r->lines, "expected 'contributions apart' of a reduction");
    r->m.apart = true;
    return CPM_OK;
}

static int read_host(reader *r)
{
    const char *at = r->word[1];
    if (!r->m.n)
        return cpm_lines_wrong(r->lines, "a host before the line 'processes'");
    if (!r->m.host && !(r->m.host = calloc((size_t)r->m.n, sizeof *r->m.host)))
        return cpm_no_memory(r->lines->e);
    r->hosts++;
    for (bool more = true; more;) {
        int64_t first, last;
        if (!read_range(&at, r->m.n, &first, &last) || (*at && *at != ','))
            return cpm_lines_wrong(r->lines,
                                   "'%s' names no processes from 0 to %d: FIRST or FIRST-LAST, "
                                   "with commas between",
                                   r->word[1], r->m.n - 1);
        for (; first <= last; first++) {
            if (r->m.host[first])
                return cpm_lines_wrong(r->lines, "process %lld is on a host already",
                                       (long long)first);
            r->m.host[first] = r->hosts;
        }
        more = *at == ',';
        at += more;
    }
    return CPM_OK;
}

static int wrong_line(const reader *r)
{
    return cpm_lines_wrong(r->lines,
                           "expected 'operation OP', 'processes N', 'root R', 'pieces P', "
                           "'contributions apart', 'host LIST' or 'ROUND FROM -> TO BLOCKS' ('+>' "
                           "where the receiver combines), found '%s%s'",
                           r->word[0], r->words > 1 ? " ..." : "");
}

static int read_line(reader *r, char *text)
{
    static const struct {
        const char *first;
        int (*read)(reader *r);
    } known[] = {{"operation", read_operation}, {"processes", read_processes}, {"root", read_root},
                 {"pieces", read_pieces},       {"contributions", read_apart}, {"host", read_host}};
    r->words = cpm_words_before_remark(text, r->word, MOST_WORDS);
    if (r->words == 0)
        return CPM_OK;
    /* of what is no schedule nothing is shown: files from elsewhere may name any path */
    if (!r->m.operation && (r->words != 2 || strcmp(r->word[0], "operation") != 0))
        return cpm_lines_wrong(r->lines, "no schedule: it does not begin with 'operation OP'");
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (r->words == 2 && strcmp(r->word[0], known[k].first) == 0)
            return known[k].read(r);
    bool message = r->words == 5 && r->word[0][0] >= '0' && r->word[0][0] <= '9' &&
                   (strcmp(r->word[2], "->") == 0 || strcmp(r->word[2], "+>") == 0);
    return message ? read_message(r) : wrong_line(r);
}

/* ---- the whole */

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* A round of a process is deferred or not. */
static int check_rounds(const reader *r)
{
    const cpm_messages *m = &r->m;
    uint64_t *key = malloc((size_t)(2 * m->count + 1) * sizeof *key);
    int status = CPM_OK;
    if (!key)
        return cpm_no_memory(r->lines->e);
    for (int64_t k = 0; k < m->count; k++)
        for (int side = 0; side < 2; side++)
            key[2 * k + side] = (uint64_t)(side ? m->at[k].to : m->at[k].from) << 32 |
                                (uint64_t)m->at[k].round[side] << 1 | m->at[k].deferred[side];
    qsort(key, (size_t)(2 * m->count), sizeof *key, compare_keys);
    for (int64_t k = 1; k < 2 * m->count && !status; k++)
        if (key[k] != key[k - 1] && key[k] >> 1 == key[k - 1] >> 1)
            status = cpm_lines_wrong(
                r->lines,
                "round %llu of process %llu is deferred (*) in one message and "
                "not in another one",
                (unsigned long long)(key[k] & UINT32_MAX) >> 1, (unsigned long long)key[k] >> 32);
    free(key);
    return status;
}

static int check_hosts(const reader *r)
{
    for (int i = 0; r->m.host && i < r->m.n; i++)
        if (!r->m.host[i]--)
            return cpm_lines_wrong(r->lines, "the file ends without a host of process %d", i);
    return CPM_OK;
}

static int check_whole(const reader *r)
{
    const cpm_messages *m = &r->m;
    if (!m->operation || !m->n)
        return cpm_lines_wrong(r->lines, "the file ends without a line '%s'",
                               m->operation ? "processes" : "operation");
    if (m->operation->rooted && !r->rooted)
        return cpm_lines_wrong(r->lines, "the file ends without a line 'root'");
    if (m->apart && m->pieces != m->n)
        return cpm_lines_wrong(r->lines,
                               "where contributions are apart there are as many pieces as "
                               "processes, not %d",
                               m->pieces);
    if (naming_of(m).units > most_to_prove / m->n / naming_of(m).pieces)
        return cpm_lines_wrong(r->lines,
                               "%s of %d processes in %d pieces is too large to be proved",
                               m->operation->name, m->n, naming_of(m).pieces);
    int status = check_hosts(r);
    return status ? status : check_rounds(r);
}

/* What it does, by a row that is made of it. */
static int prove(const cpm_messages *m, const char *name, bool *ordered, cpm_error *e)
{
    const cpm_algorithm row = cpm_messages_row(m, name);
    cpm_schedule *s = NULL;
    cpm_error why = {0};
    int status = cpm_schedule_create(&row, &(cpm_call){.n = m->n, .root = m->root}, &s, &why);
    if (!status)
        status = cpm_check(s, m->operation, false, &why);
    *ordered = !status && cpm_check(s, m->operation, true, NULL) == CPM_OK;
    cpm_schedule_free(s);
    return status ? cpm_fail(e, status, "%s: it does not do what %s demands: %s", name,
                             m->operation->name, why.text)
                  : CPM_OK;
}

static int read_lines(cpm_lines *lines, cpm_messages *out)
{
    reader r = {.lines = lines};
    int status = CPM_OK;
    for (char *line; (line = cpm_lines_next(lines, &status));)
        status = read_line(&r, line);
    if (!status)
        status = check_whole(&r);
    *out = r.m;
    return status;
}

int cpm_schedule_read(cpm_lines *lines, cpm_messages *out, bool *ordered, cpm_error *e)
{
    cpm_messages m = {0};
    int status = cpm_msccl_is_xml(lines->text)
                     ? cpm_msccl_read(lines->name, lines->text, lines->size, &m, e)
                     : read_lines(lines, &m);
    if (!status)
        status = prove(&m, lines->name, ordered, e);
    if (status)
        cpm_messages_clear(&m);
    *out = m;
    return status;
}
