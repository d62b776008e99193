/* Reading the rules, and who they are for. */
#include "estimators/class_rules.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

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
};

/* ---- reading */

static int find_class(const cpm_class_rules *r, const char *name)
{
    int k = 0;
    while (k < r->classes && strcmp(r->name[k], name) != 0)
        k++;
    return k;
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
    if (!cpm_vector_extend(&r->at, r->count, sizeof *r->at) ||
        !cpm_vector_extend(&r->name, r->classes, sizeof *r->name))
        return false;
    rule *new = &r->at[r->count];
    *new = (rule){.class = find_class(r, class), .line = line};
    if (!parse_ranks(who, new) && !(new->who = strdup(who)))
        return false;
    r->count++;
    if (new->class == r->classes && !(r->name[r->classes] = strdup(class)))
        return false;
    r->classes += new->class == r->classes;
    return true;
}

static int read_line(cpm_class_rules *r, const cpm_lines *l, char *line)
{
    char *word[2];
    int words = cpm_words_before_remark(line, word, 2);
    if (words == 0)
        return CPM_OK;
    if (words != 2)
        return cpm_lines_wrong(l, "expected a host (or ranks) and its class, found %s",
                               words == 1 ? "one word" : "more words");
    return add_rule(r, word[0], word[1], l->number)
               ? CPM_OK
               : cpm_fail(l->e, CPM_ENOMEM, "%s: no memory for the classes", l->name);
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

int cpm_class_rules_read(const char *path, cpm_class_rules **out, cpm_error *e)
{
    cpm_lines l;
    int status = cpm_lines_open(&l, path, e);
    if (status)
        return status;
    cpm_class_rules *r = calloc(1, sizeof *r);
    status = r && (r->path = strdup(path)) ? read_lines(r, &l)
                                           : cpm_fail(e, CPM_ENOMEM, "no memory for classes");
    cpm_lines_close(&l);
    if (status)
        cpm_class_rules_free(r);
    else
        *out = r;
    return status;
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

static bool is_for(const rule *q, int i, char *const *host)
{
    return q->who ? host && fnmatch(q->who, host[i], 0) == 0 : i >= q->first && i <= q->last;
}

/* by[i] is the rule that gave process i its class, NULL: none yet. */
static int apply_rule(const cpm_class_rules *r, const rule *q, int n, char *const *host,
                      const rule **by, cpm_error *e)
{
    int found = 0;
    for (int i = 0; i < n; i++) {
        if (!is_for(q, i, host))
            continue;
        found++;
        if (by[i] && by[i]->class != q->class)
            return cpm_fail(e, CPM_EDATA, "%s:%d: process %d%s%s has class '%s' from line %d",
                            r->path, q->line, i, host ? " on host " : "", host ? host[i] : "",
                            r->name[by[i]->class], by[i]->line);
        by[i] = q;
    }
    if (!found && q->who)
        return cpm_fail(e, CPM_EDATA, "%s:%d: no process is on host '%s'", r->path, q->line,
                        q->who);
    if (!q->who && q->last >= n)
        return cpm_fail(e, CPM_EDATA, "%s:%d: there is no process %d, only 0 to %d", r->path,
                        q->line, q->last, n - 1);
    return CPM_OK;
}

static int apply_rules(const cpm_class_rules *r, int n, char *const *host, const rule **by, int *of,
                       cpm_error *e)
{
    int status = CPM_OK;
    for (int q = 0; q < r->count && !status; q++)
        status = apply_rule(r, &r->at[q], n, host, by, e);
    for (int i = 0; i < n && !status; i++)
        if (by[i])
            of[i] = by[i]->class;
        else
            status = cpm_fail(e, CPM_EDATA, "%s: process %d%s%s has no class", r->path, i,
                              host ? " on host " : "", host ? host[i] : "");
    return status;
}

int cpm_class_rules_apply(const cpm_class_rules *r, int n, const char *hosts, cpm_classes *out,
                          cpm_error *e)
{
    char *list = strdup(hosts ? hosts : ""), **host = calloc((size_t)n, sizeof *host);
    const rule **by = calloc((size_t)n, sizeof(const rule *));
    int *of = calloc((size_t)n, sizeof *of);
    int status = CPM_OK;
    if (!list || !host || !by || !of)
        status = cpm_fail(e, CPM_ENOMEM, "no memory for the classes of %d processes", n);
    if (!status) {
        bool known = hosts && split_hosts(list, n, host);
        status = apply_rules(r, n, known ? host : NULL, by, of, e);
    }
    if (!status)
        status = cpm_classes_create(n, of, r->classes, (const char *const *)r->name, out, e);
    free(list);
    free(host);
    free(by);
    free(of);
    return status;
}
