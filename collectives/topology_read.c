/* Reading a topology line by line: every line is checked against what the lines before it said, so
 * that an error has its line. What is connected is kept as disjoint sets: a link within one set
 * closes a cycle, and in the end there must be one set. */
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "base/vector.h"
#include "collectives/topology_tree.h"

typedef struct {
    char *name;
    int index; /* in the order of the file */
    int line;
    bool host;
    int set; /* a node of the same set, closer to its representative, which names itself */
} node;

typedef struct {
    int a, b, line;
} link_line;

typedef struct {
    cpm_lines lines;
    node **at;
    int count, hosts;
    void *names; /* nodes by name, for tsearch */
    link_line *link;
    int links;
} reader;

/* ---- nodes */

static int by_name(const void *a, const void *b)
{
    const node *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static node *find(const reader *r, char *name)
{
    node **found = tfind(&(node){.name = name}, &r->names, by_name);
    return found ? *found : NULL;
}

static int keep(reader *r, node *new)
{
    if (!new || !new->name || !cpm_vector_extend(&r->at, r->count, sizeof *r->at) ||
        !tsearch(new, &r->names, by_name)) {
        if (new)
            free(new->name);
        free(new);
        return cpm_no_memory(r->lines.e);
    }
    r->at[r->count++] = new;
    r->hosts += new->host;
    return CPM_OK;
}

static int add_node(reader *r, char *name, bool host)
{
    const node *same = find(r, name);
    if (same)
        return cpm_lines_wrong(&r->lines, "'%s' is already the name of the %s of line %d", name,
                               same->host ? "host" : "switch", same->line);
    node *new = malloc(sizeof *new);
    if (new)
        *new = (node){strdup(name), r->count, r->lines.number, host, r->count};
    return keep(r, new);
}

static int find_switch(const reader *r, char *name, int *index)
{
    const node *found = find(r, name);
    if (!found)
        return cpm_lines_wrong(
            &r->lines, "unknown switch '%s' (a line 'switch %s' must come before)", name, name);
    if (found->host)
        return cpm_lines_wrong(&r->lines, "'%s' is the host of line %d, not a switch", name,
                               found->line);
    *index = found->index;
    return CPM_OK;
}

/* ---- links */

static int set_of(const reader *r, int v)
{
    while (r->at[v]->set != v)
        v = r->at[v]->set = r->at[r->at[v]->set]->set;
    return v;
}

static int join(reader *r, int a, int b)
{
    if (!cpm_vector_extend(&r->link, r->links, sizeof *r->link))
        return cpm_no_memory(r->lines.e);
    r->link[r->links++] = (link_line){a, b, r->lines.number};
    r->at[set_of(r, a)]->set = set_of(r, b);
    return CPM_OK;
}

/* Why a and b, which are connected already, cannot be linked. */
static int superfluous(const reader *r, int a, int b)
{
    const char *x = r->at[a]->name, *y = r->at[b]->name;
    for (int k = 0; k < r->links; k++) {
        const link_line *l = &r->link[k];
        if ((l->a == a && l->b == b) || (l->a == b && l->b == a))
            return cpm_lines_wrong(&r->lines,
                                   "a second link between '%s' and '%s' (the first is in line %d)",
                                   x, y, l->line);
    }
    return cpm_lines_wrong(
        &r->lines, "the link between '%s' and '%s' closes a cycle; a topology is a tree", x, y);
}

/* ---- lines */

static int read_host(reader *r, char *name, char *port)
{
    int s, status = find_switch(r, port, &s);
    if (!status)
        status = add_node(r, name, true);
    return status ? status : join(r, r->count - 1, s);
}

static int read_link(reader *r, char *one, char *other)
{
    int a, b, status = find_switch(r, one, &a);
    if (!status)
        status = find_switch(r, other, &b);
    if (status)
        return status;
    return set_of(r, a) == set_of(r, b) ? superfluous(r, a, b) : join(r, a, b);
}

static int read_line(reader *r, char *text)
{
    enum { MOST = 4 };
    char *word[MOST];
    int words = cpm_words_before_remark(text, word, MOST);
    if (words == 0)
        return CPM_OK;
    if (words == 2 && strcmp(word[0], "switch") == 0)
        return add_node(r, word[1], false);
    if (words == 3 && strcmp(word[0], "host") == 0)
        return read_host(r, word[1], word[2]);
    if (words == 3 && strcmp(word[0], "link") == 0)
        return read_link(r, word[1], word[2]);
    return cpm_lines_wrong(&r->lines,
                           "expected 'switch NAME', 'host NAME SWITCH' or 'link SWITCH SWITCH', "
                           "found '%s%s'",
                           word[0], words > 1 ? " ..." : "");
}

static int check_whole(const reader *r)
{
    if (r->hosts == 0)
        return cpm_lines_wrong(&r->lines, "the file ends without a line 'host NAME SWITCH'");
    for (int v = 1; v < r->count; v++)
        if (set_of(r, v) != set_of(r, 0))
            return cpm_fail(r->lines.e, CPM_EPARSE,
                            "%s:%d: '%s' is not connected with '%s'; a line 'link' is missing",
                            r->lines.name, r->at[v]->line, r->at[v]->name, r->at[0]->name);
    return CPM_OK;
}

static int read_lines(reader *r)
{
    int status = CPM_OK;
    for (char *line; (line = cpm_lines_next(&r->lines, &status));)
        status = read_line(r, line);
    return status ? status : check_whole(r);
}

/* ---- the result */

/* Numbers of the nodes in the result: hosts first. Names change hands. */
static void name_nodes(reader *r, cpm_topology *t, int *number)
{
    int hosts = 0, switches = r->hosts;
    for (int v = 0; v < r->count; v++) {
        number[v] = r->at[v]->host ? hosts++ : switches++;
        t->name[number[v]] = r->at[v]->name;
        t->line[number[v]] = r->at[v]->line;
        r->at[v]->name = NULL;
    }
}

/* Counts links at both ends, then fills from the back, last links first: a node's neighbours are
 * in the order of their lines. */
static void list_neighbours(const reader *r, cpm_topology *t, const int *number)
{
    for (int k = 0; k < r->links; k++) {
        t->first[number[r->link[k].a]]++;
        t->first[number[r->link[k].b]]++;
    }
    for (int v = 1; v <= t->nodes; v++)
        t->first[v] += t->first[v - 1];
    for (int k = r->links - 1; k >= 0; k--) {
        int a = number[r->link[k].a], b = number[r->link[k].b];
        t->neighbour[--t->first[a]] = b;
        t->neighbour[--t->first[b]] = a;
    }
}

static cpm_topology *allocate(const reader *r)
{
    size_t nodes = (size_t)r->count;
    cpm_topology *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    *t = (cpm_topology){r->hosts,
                        r->count,
                        calloc(nodes, sizeof *t->name),
                        calloc(nodes, sizeof *t->line),
                        calloc(nodes + 1, sizeof *t->first),
                        calloc(2 * nodes, sizeof *t->neighbour)};
    if (t->name && t->line && t->first && t->neighbour)
        return t;
    cpm_topology_free(t);
    return NULL;
}

static int finish(reader *r, cpm_topology **out)
{
    int *number = malloc((size_t)r->count * sizeof *number);
    cpm_topology *t = number ? allocate(r) : NULL;
    if (t) {
        name_nodes(r, t, number);
        list_neighbours(r, t, number);
        *out = t;
    }
    free(number);
    return t ? CPM_OK : cpm_no_memory(r->lines.e);
}

static void keep_node(void *entry)
{
    (void)entry;
}

static void reader_free(reader *r)
{
    tdestroy(r->names, keep_node);
    for (int v = 0; v < r->count; v++) {
        free(r->at[v]->name);
        free(r->at[v]);
    }
    free(r->at);
    free(r->link);
}

/* Of lines that are open, or are not for the reason of status. */
static int read_opened(reader *r, int status, cpm_topology **out)
{
    if (!status)
        status = read_lines(r);
    if (!status)
        status = finish(r, out);
    cpm_lines_close(&r->lines);
    reader_free(r);
    return status;
}

int cpm_topology_parse(const char *text, const char *name, cpm_topology **out, cpm_error *e)
{
    reader r = {0};
    return read_opened(&r, cpm_lines_open_text(&r.lines, name, text, e), out);
}

int cpm_topology_read(const char *path, cpm_topology **out, cpm_error *e)
{
    reader r = {0};
    return read_opened(&r, cpm_lines_open(&r.lines, path, e), out);
}
