/* Reading the rules, and who they are for. */
#include "estimators/class_rules.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/hash.h"
#include "base/lines.h"
#include "base/numbers.h"
#include "base/vector.h"

typedef struct {
    char *who;       /* pattern of hosts; NULL: ranks */
    int first, last; /* ranks */
    int class, line;
} rule;

struct cpm_class_rules {
    char *path;
    rule *at;
    int count;
    char **name; /* [classes] */
    int classes;
    cpm_hash by_name; /* indices into name */
};

/* ---- reading */

static int find_class(const cpm_class_rules *r, const char *name)
{
    const cpm_slot *slot = cpm_hash_find(&r->by_name, cpm_hash_text(name));
    while (slot && strcmp(r->name[slot->index], name) != 0)
        slot = cpm_hash_next(&r->by_name, slot);
    return slot ? slot->index : r->classes;
}

static bool add_class(cpm_class_rules *r, const char *name)
{
    bool room = cpm_vector_extend(&r->name, r->classes, sizeof *r->name);
    char *copy = room ? strdup(name) : NULL;
    cpm_slot *slot = copy ? cpm_hash_add(&r->by_name, cpm_hash_text(name)) : NULL;
    if (!slot) {
        free(copy);
        return false;
    }
    slot->index = r->classes;
    r->name[r->classes++] = copy;
    return true;
}

/* "3" or "0-15"; false: something else, that is a host. */
static bool parse_ranks(const char *word, rule *out)
{
    char *end;
    if (!isdigit((unsigned char)*word))
        return false;
    long first = strtol(word, &end, 10), last = first;
    if (*end == '-' && isdigit((unsigned char)end[1]))
        last = strtol(end + 1, &end, 10);
    if (*end || last < first || last > CPM_MOST_PROCESSES)
        return false;
    out->first = (int)first;
    out->last = (int)last;
    return true;
}

static bool add_rule(cpm_class_rules *r, const char *who, const char *class, int line)
{
    if (!cpm_vector_extend(&r->at, r->count, sizeof *r->at))
        return false;
    rule *new = &r->at[r->count];
    *new = (rule){.class = find_class(r, class), .line = line};
    if (!parse_ranks(who, new) && !(new->who = strdup(who)))
        return false;
    r->count++;
    return new->class < r->classes || add_class(r, class);
}

static int read_line(cpm_class_rules *r, const cpm_lines *l, char *line)
{
    char *word[2];
    int words = cpm_words_before_remark(line, word, 2);
    if (words == 0)
        return CPM_OK;
    if (words == 2 && !cpm_is_utf8(word[1])) /* it goes into a file of JSON */
        return cpm_lines_wrong(l, "the class '%s' is not UTF-8", word[1]);
    if (words != 2)
        return cpm_lines_wrong(l, "expected a host (or ranks) and its class, found %s",
                               words == 1 ? "one word" : "more words");
    return add_rule(r, word[0], word[1], l->number) ? CPM_OK : cpm_no_memory(l->e);
}

static int read_lines(cpm_class_rules *r, cpm_lines *l)
{
    int status = CPM_OK;
    for (char *line; (line = cpm_lines_next(l, &status));)
        status = read_line(r, l, line);
    if (!status && r->count == 0)
        return cpm_lines_wrong(l, "there are no classes in it");
    return status;
}

/* Closes the lines. */
static int read_opened(cpm_lines *l, cpm_class_rules **out, cpm_error *e)
{
    cpm_class_rules *r = calloc(1, sizeof *r);
    int status = r && (r->path = strdup(l->name)) ? read_lines(r, l) : cpm_no_memory(e);
    cpm_lines_close(l);
    if (status)
        cpm_class_rules_free(r);
    else
        *out = r;
    return status;
}

int cpm_class_rules_read(const char *path, cpm_class_rules **out, cpm_error *e)
{
    cpm_lines l;
    int status = cpm_lines_open(&l, path, e);
    return status ? status : read_opened(&l, out, e);
}

/* ---- as a line */

int cpm_class_rules_line(const cpm_class_rules *r, char **out, cpm_error *e)
{
    size_t size;
    FILE *f = open_memstream(out, &size);
    for (int q = 0; f && q < r->count; q++) {
        fputs(q ? " " : "", f);
        if (r->at[q].who)
            fputs(r->at[q].who, f);
        else
            fprintf(f, "%d-%d", r->at[q].first, r->at[q].last);
        fprintf(f, " %s", r->name[r->at[q].class]);
    }
    return f && fclose(f) == 0 ? CPM_OK : cpm_no_memory(e);
}

/* Every second blank ends a rule. */
int cpm_class_rules_of_line(const char *line, const char *name, cpm_class_rules **out, cpm_error *e)
{
    cpm_lines l;
    char *text = strdup(line);
    bool second = false;
    for (char *c = text; c && *c; c++)
        if (*c == ' ') {
            *c = second ? '\n' : ' ';
            second = !second;
        }
    int status = text ? cpm_lines_open_text(&l, name, text, e) : cpm_no_memory(e);
    free(text);
    return status ? status : read_opened(&l, out, e);
}

void cpm_class_rules_free(cpm_class_rules *r)
{
    if (!r)
        return;
    for (int q = 0; q < r->count; q++)
        free(r->at[q].who);
    for (int k = 0; k < r->classes; k++)
        free(r->name[k]);
    free(r->at);
    free(r->name);
    cpm_hash_free(&r->by_name);
    free(r->path);
    free(r);
}

/* ---- applying */

/* host[n] of a list of names; false if there are not n. They point into list, which is cut. */
static bool split_hosts(char *list, int n, char **host)
{
    for (int i = 0; i < n; i++)
        if (!(host[i] = strsep(&list, " ")))
            return false;
    return true;
}

/* Rules on their way to processes. */
typedef struct {
    const cpm_class_rules *rules;
    int n;
    char **host;     /* [n]; NULL: unknown */
    cpm_hash hosts;  /* first processes of hosts */
    int *next;       /* [n] the next process of the same host, -1: there is none */
    const rule **by; /* [n] the rule that gave it its class, NULL: none yet */
    int64_t trials;  /* of patterns with hosts, all together */
    cpm_error *e;
} applying;

enum { MOST_TRIALS = 100000000 };

/* The first process of a host, -1: there is none. */
static int first_on(const applying *a, const char *host)
{
    const cpm_slot *slot = cpm_hash_find(&a->hosts, cpm_hash_text(host));
    while (slot && strcmp(a->host[slot->index], host) != 0)
        slot = cpm_hash_next(&a->hosts, slot);
    return slot ? slot->index : -1;
}

/* From the last process to the first, so that each list ascends. */
static bool list_hosts(applying *a)
{
    for (int i = a->n - 1; i >= 0; i--) {
        uint64_t key = cpm_hash_text(a->host[i]);
        cpm_slot *slot = cpm_hash_find(&a->hosts, key);
        while (slot && strcmp(a->host[slot->index], a->host[i]) != 0)
            slot = cpm_hash_next(&a->hosts, slot);
        a->next[i] = slot ? slot->index : -1;
        if (!slot && !(slot = cpm_hash_add(&a->hosts, key)))
            return false;
        slot->index = i;
    }
    return true;
}

static bool is_pattern(const rule *q)
{
    return q->who && strpbrk(q->who, "*?[\\");
}

/* The process after i that a rule is for, i -1: the first; -1: there is none. */
static int next_for(const applying *a, const rule *q, int i)
{
    if (!q->who) {
        int next = i < 0 ? q->first : i + 1;
        return next <= q->last && next < a->n ? next : -1;
    }
    if (!a->host)
        return -1;
    if (!is_pattern(q))
        return i < 0 ? first_on(a, q->who) : a->next[i];
    for (i++; i < a->n; i++)
        if (fnmatch(q->who, a->host[i], 0) == 0)
            return i;
    return -1;
}

/* So that a file of many patterns, or of many ranges of all ranks, does not take for ever. */
static int count_trials(applying *a, const rule *q)
{
    if (is_pattern(q))
        a->trials += a->n;
    else if (!q->who)
        a->trials += q->last - q->first + 1;
    if (a->trials <= MOST_TRIALS)
        return CPM_OK;
    return cpm_fail(a->e, CPM_EDATA,
                    "%s:%d: too many patterns and ranks for %d processes; name hosts, or use fewer",
                    a->rules->path, q->line, a->n);
}

static int apply_rule(applying *a, const rule *q)
{
    const cpm_class_rules *r = a->rules;
    int first = next_for(a, q, -1), status = count_trials(a, q);
    for (int i = first; i >= 0 && !status; i = next_for(a, q, i)) {
        if (a->by[i] && a->by[i]->class != q->class)
            return cpm_fail(a->e, CPM_EDATA, "%s:%d: process %d%s%s has class '%s' from line %d",
                            r->path, q->line, i, a->host ? " on host " : "",
                            a->host ? a->host[i] : "", r->name[a->by[i]->class], a->by[i]->line);
        a->by[i] = q;
    }
    if (status)
        return status;
    if (first < 0 && q->who)
        return cpm_fail(a->e, CPM_EDATA, "%s:%d: no process is on host '%s'", r->path, q->line,
                        q->who);
    if (!q->who && q->last >= a->n)
        return cpm_fail(a->e, CPM_EDATA, "%s:%d: there is no process %d, only 0 to %d", r->path,
                        q->line, q->last, a->n - 1);
    return CPM_OK;
}

static int apply_rules(applying *a, int *of)
{
    const cpm_class_rules *r = a->rules;
    int status = CPM_OK;
    for (int q = 0; q < r->count && !status; q++)
        status = apply_rule(a, &r->at[q]);
    for (int i = 0; i < a->n && !status; i++)
        if (a->by[i])
            of[i] = a->by[i]->class;
        else
            status = cpm_fail(a->e, CPM_EDATA, "%s: process %d%s%s has no class", r->path, i,
                              a->host ? " on host " : "", a->host ? a->host[i] : "");
    return status;
}

int cpm_class_rules_apply(const cpm_class_rules *r, int n, const char *hosts, cpm_classes *out,
                          cpm_error *e)
{
    char *list = strdup(hosts ? hosts : ""), **host = calloc((size_t)n, sizeof *host);
    int *of = calloc((size_t)n, sizeof *of);
    applying a = {.rules = r,
                  .n = n,
                  .next = calloc((size_t)n, sizeof *a.next),
                  .by = calloc((size_t)n, sizeof(const rule *)),
                  .e = e};
    bool room = list && host && of && a.next && a.by;
    if (room && hosts && split_hosts(list, n, host)) {
        a.host = host;
        room = list_hosts(&a);
    }
    int status = room ? apply_rules(&a, of) : cpm_no_memory(e);
    if (!status)
        status = cpm_classes_create(n, of, r->classes, (const char *const *)r->name, out, e);
    free(list);
    free(host);
    free(a.by);
    free(a.next);
    cpm_hash_free(&a.hosts);
    free(of);
    return status;
}
