/* Slurm's topology.conf: a line for each switch, with the nodes or the switches that are at it. A
 * switch may be named before its line, and at several others. */
#include <ctype.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/hostlist.h"
#include "base/vector.h"
#include "collectives/fabric.h"
#include "collectives/topology_forms.h"
#include "collectives/topology_tree.h"

typedef struct {
    char *name;
    int index;
} entry;

/* A switch that is named as being at another. */
typedef struct {
    char *name;
    int at, line;
} child;

typedef struct {
    cpm_lines *lines; /* whose number is that of the line at hand */
    cpm_error *e;
    char *line; /* with those that continue it */
    cpm_fabric f;
    void *hosts, *switches; /* entries by name, for tsearch */
    child *child;
    int children;
    bool *below; /* [switches] */
} reader;

/* ---- names */

static int by_name(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* -1: it is not there. */
static int find(void *const *names, const char *name)
{
    entry **found = tfind(&(entry){.name = (char *)name}, names, by_name);
    return found ? (*found)->index : -1;
}

static int keep(reader *r, void **names, const char *name, int index)
{
    entry *new = malloc(sizeof *new);
    if (new)
        *new = (entry){strdup(name), index};
    if (new &&new->name && tsearch(new, names, by_name))
        return CPM_OK;
    if (new)
        free(new->name);
    free(new);
    return cpm_no_memory(r->e);
}

static void free_entry(void *at)
{
    entry *old = at;
    free(old->name);
    free(old);
}

/* ---- lines */

static int add_node(const char *name, void *data)
{
    reader *r = data;
    int same = find(&r->hosts, name), at = r->f.switches - 1;
    if (same >= 0)
        return cpm_lines_wrong(r->lines, "node '%s' is at switch '%s' already (line %d)", name,
                               r->f.at[r->f.host[same].at].name, r->f.host[same].line);
    int status = keep(r, &r->hosts, name, r->f.hosts);
    return status ? status : cpm_fabric_add_host(&r->f, name, r->lines->number, at, r->e);
}

static int add_child(const char *name, void *data)
{
    reader *r = data;
    if (!cpm_vector_extend(&r->child, r->children, sizeof *r->child) ||
        !(r->child[r->children].name = strdup(name)))
        return cpm_no_memory(r->e);
    r->child[r->children].line = r->lines->number;
    r->child[r->children++].at = r->f.switches - 1;
    return CPM_OK;
}

static int add_all(reader *r, const char *list, int (*each)(const char *name, void *data))
{
    cpm_error why = {0};
    int status = cpm_hostlist(list, each, r, &why);
    return *why.text ? cpm_lines_wrong(r->lines, "%s", why.text) : status;
}

static int add_switch(reader *r, const char *name, const char *nodes, const char *switches)
{
    int same = find(&r->switches, name);
    if (same >= 0)
        return cpm_lines_wrong(r->lines, "switch '%s' has a line already (%d)", name,
                               r->f.at[same].line);
    if (!nodes && !switches)
        return cpm_lines_wrong(r->lines, "switch '%s' has neither 'Nodes=' nor 'Switches='", name);
    int status = keep(r, &r->switches, name, r->f.switches);
    if (!status)
        status = cpm_fabric_add_switch(&r->f, name, r->lines->number, r->e);
    if (!status && nodes)
        status = add_all(r, nodes, add_node);
    return !status && switches ? add_all(r, switches, add_child) : status;
}

/* Cuts "Key = value" off a text; the value may be in quotes. False: there is none. */
static bool take_pair(char **at, char **key, char **value)
{
    *key = *at + strspn(*at, " \t");
    char *end = *key + strspn(*key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    char *equal = end + strspn(end, " \t");
    if (end == *key || *equal != '=')
        return false;
    *value = equal + 1 + strspn(equal + 1, " \t");
    bool quoted = **value == '"';
    *value += quoted;
    *end = '\0';
    end = *value + strcspn(*value, quoted ? "\"" : " \t");
    *at = end + (*end != '\0');
    *end = '\0';
    return true;
}

static int read_line(reader *r)
{
    static const char *const keys[] = {"SwitchName", "Nodes", "Switches", "LinkSpeed"};
    enum { NAME, NODES, SWITCHES, KEYS = sizeof keys / sizeof *keys };
    char *value[KEYS] = {0}, *key, *of, *at = r->line;
    while (*(at += strspn(at, " \t"))) {
        int k = 0;
        if (!take_pair(&at, &key, &of))
            return cpm_lines_wrong(r->lines,
                                   "expected 'SwitchName=NAME Nodes=...' or 'SwitchName=NAME "
                                   "Switches=...', found '%.40s'",
                                   at);
        while (k < KEYS && strcasecmp(keys[k], key) != 0)
            k++;
        if (k == KEYS)
            return cpm_lines_wrong(
                r->lines, "unknown '%s='; known are SwitchName, Nodes, Switches and LinkSpeed",
                key);
        if (value[k])
            return cpm_lines_wrong(r->lines, "a second '%s='", keys[k]);
        value[k] = of;
    }
    if (at == r->line + strspn(r->line, " \t"))
        return CPM_OK;
    if (!value[NAME] || !*value[NAME])
        return cpm_lines_wrong(r->lines, "expected 'SwitchName=NAME'");
    return add_switch(r, value[NAME], value[NODES], value[SWITCHES]);
}

/* Puts a line behind what it continues. *more: the next one continues it. */
static int join(reader *r, char *line, bool *more)
{
    line[strcspn(line, "#")] = '\0';
    size_t length = strlen(line), before = r->line ? strlen(r->line) : 0;
    *more = length && line[length - 1] == '\\';
    length -= *more;
    char *joined = realloc(r->line, before + length + 1);
    if (!joined)
        return cpm_no_memory(r->e);
    memcpy(joined + before, line, length);
    joined[before + length] = '\0';
    r->line = joined;
    return CPM_OK;
}

/* Of lines that continue others the first one has the number. */
static int read_lines(reader *r)
{
    int status = CPM_OK, first = 0, last;
    bool more = false;
    for (char *line; (line = cpm_lines_next(r->lines, &status));) {
        last = r->lines->number;
        first = more ? first : last;
        status = join(r, line, &more);
        if (status || more)
            continue;
        r->lines->number = first;
        status = read_line(r);
        if (status)
            return status;
        r->lines->number = last;
        *r->line = '\0';
    }
    return !status && more ? cpm_lines_wrong(r->lines, "the file ends where this line goes on")
                           : status;
}

/* ---- what switches are at others */

static int add_cable(reader *r, int k)
{
    const child *c = &r->child[k];
    const char *above = r->f.at[c->at].name;
    int below = find(&r->switches, c->name);
    r->lines->number = c->line;
    if (below < 0)
        return cpm_lines_wrong(r->lines, "switch '%s' below '%s' has no line 'SwitchName=%s ...'",
                               c->name, above, c->name);
    for (int q = k - 1; q >= 0 && r->child[q].at == c->at; q--)
        if (strcmp(r->child[q].name, c->name) == 0)
            return cpm_lines_wrong(r->lines, "switch '%s' is twice below '%s'", c->name, above);
    r->below[below] = true;
    return cpm_fabric_add_cable(&r->f, c->at, below, c->line, r->e);
}

/* Those are done that have only such below them. Returns how many are not in the end: those of
 * loops, and above them. waits[switches]: space. */
static int count_looped(const cpm_fabric *f, bool *done, bool *waits)
{
    int left = f->switches, before = left + 1;
    while (left < before) {
        memset(waits, 0, (size_t)f->switches * sizeof *waits);
        for (int k = 0; k < f->cables; k++)
            if (!done[f->cable[k].b])
                waits[f->cable[k].a] = true;
        before = left;
        for (int s = 0; s < f->switches; s++) {
            left -= !waits[s] && !done[s];
            done[s] = !waits[s];
        }
    }
    return left;
}

/* Down over those that are not done: after so many steps it is in a loop. */
static int descend(const cpm_fabric *f, const bool *done)
{
    int at = 0;
    while (done[at])
        at++;
    for (int step = 0, k; step < f->switches; step++) {
        for (k = 0; f->cable[k].a != at || done[f->cable[k].b];)
            k++;
        at = f->cable[k].b;
    }
    return at;
}

static int refuse_loops(reader *r)
{
    bool *done = calloc(2 * (size_t)r->f.switches, sizeof *done);
    int status = done ? CPM_OK : cpm_no_memory(r->e);
    if (done && count_looped(&r->f, done, done + r->f.switches)) {
        const cpm_fabric_node *in = &r->f.at[descend(&r->f, done)];
        r->lines->number = in->line;
        status = cpm_lines_wrong(r->lines, "switch '%s' is below itself: a loop", in->name);
    }
    free(done);
    return status;
}

/* Parts without a switch above them all are at one that nobody names. */
static int join_parts(reader *r)
{
    int known = r->f.switches, *part = malloc((size_t)known * sizeof *part);
    int status = part ? CPM_OK : cpm_no_memory(r->e);
    bool whole = !status && cpm_fabric_parts(&r->f, part) == 1;
    free(part);
    if (status || whole)
        return status;
    status = cpm_fabric_add_switch(&r->f, "(core)", 0, r->e);
    for (int s = 0; s < known && !status; s++)
        if (!r->below[s])
            status = cpm_fabric_add_cable(&r->f, known, s, r->f.at[s].line, r->e);
    return status;
}

static int connect_all(reader *r)
{
    if (!r->f.hosts)
        return cpm_lines_wrong(r->lines, "the file ends without 'Nodes='");
    r->below = calloc((size_t)r->f.switches, sizeof *r->below);
    int status = r->below ? CPM_OK : cpm_no_memory(r->e);
    for (int k = 0; k < r->children && !status; k++)
        status = add_cable(r, k);
    if (!status)
        status = refuse_loops(r);
    return status ? status : join_parts(r);
}

bool cpm_topology_slurm_begins(const char *line)
{
    return strncasecmp(line, "SwitchName", strlen("SwitchName")) == 0 &&
           line[strlen("SwitchName") + strspn(line + strlen("SwitchName"), " \t")] == '=';
}

int cpm_topology_slurm_read(cpm_lines *lines, cpm_topology **out)
{
    reader r = {.lines = lines, .e = lines->e};
    int status = read_lines(&r);
    if (!status)
        status = connect_all(&r);
    if (!status)
        status = cpm_topology_of_fabric(&r.f, out, r.e);
    cpm_fabric_clear(&r.f);
    tdestroy(r.hosts, free_entry);
    tdestroy(r.switches, free_entry);
    for (int k = 0; k < r.children; k++)
        free(r.child[k].name);
    free(r.child);
    free(r.below);
    free(r.line);
    return status;
}
