/* Reading a topology line by line: every line is checked against what the lines before it said, so
 * that an error has its line. What is connected is kept as disjoint sets: a link within one set
 * closes a cycle, and in the end there must be one set. */
#include <fnmatch.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "base/vector.h"
#include "collectives/network_shapes.h"
#include "collectives/topology_forms.h"
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
    char *shape; /* NULL: none is named */
    int shape_line;
    cpm_links_draft shared; /* when all hosts are known */
    struct {
        char *text;
        int line;
    } * shared_line;
    int shared_lines;
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

/* port NULL: the switch that stands for the shape. */
static int read_host(reader *r, char *name, char *port)
{
    int s = 0, status = port ? find_switch(r, port, &s) : CPM_OK;
    if (!port && !r->shape)
        return cpm_lines_wrong(&r->lines,
                               "host '%s' has no switch: expected 'host NAME SWITCH', or a line "
                               "'shape ...' before",
                               name);
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

/* The only line that names switches, then: its hosts are all at one. */
static int read_shape(reader *r, const char *text)
{
    text += strspn(text, " \t") + strlen("shape");
    text += strspn(text, " \t");
    if (r->count > 0)
        return cpm_lines_wrong(&r->lines, "'shape' must come before hosts, and without switches");
    if (!cpm_network_shape_named(text))
        return cpm_lines_wrong(&r->lines,
                               "expected 'shape torus ...', 'fat-tree ...' or 'dragonfly ...'");
    r->shape = strdup(text);
    r->shape_line = r->lines.number;
    return r->shape ? add_node(r, r->shape, false) : cpm_no_memory(r->lines.e);
}

/* "shared NAME HOSTS > HOSTS", read when all hosts are known. */
static int keep_shared(reader *r, const char *text)
{
    if (!cpm_vector_extend(&r->shared_line, r->shared_lines, sizeof *r->shared_line) ||
        !(r->shared_line[r->shared_lines].text = strdup(text)))
        return cpm_no_memory(r->lines.e);
    r->shared_line[r->shared_lines++].line = r->lines.number;
    return CPM_OK;
}

static bool begins(const char *text, const char *word)
{
    size_t length = strlen(word);
    text += strspn(text, " \t");
    return strncmp(text, word, length) == 0 && strspn(text + length, " \t") > 0;
}

static int read_line(reader *r, char *text)
{
    enum { MOST = 4 };
    char *word[MOST];
    text[strcspn(text, "#\n")] = '\0';
    if (begins(text, "shape"))
        return read_shape(r, text);
    if (begins(text, "shared"))
        return keep_shared(r, text);
    int words = cpm_words_before_remark(text, word, MOST);
    if (words == 0)
        return CPM_OK;
    if (words == 2 && strcmp(word[0], "switch") == 0)
        return add_node(r, word[1], false);
    if ((words == 3 || words == 2) && strcmp(word[0], "host") == 0)
        return read_host(r, word[1], words == 3 ? word[2] : NULL);
    if (words == 3 && strcmp(word[0], "link") == 0)
        return read_link(r, word[1], word[2]);
    return cpm_lines_wrong(&r->lines,
                           "expected 'switch NAME', 'host NAME SWITCH', 'link SWITCH SWITCH', "
                           "'shape ...' or 'shared ...' (or Slurm's topology.conf, or what "
                           "ibnetdiscover prints), found '%s%s'",
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
    *t = (cpm_topology){.hosts = r->hosts,
                        .nodes = r->count,
                        .name = calloc(nodes, sizeof *t->name),
                        .line = calloc(nodes, sizeof *t->line),
                        .first = calloc(nodes + 1, sizeof *t->first),
                        .neighbour = calloc(2 * nodes, sizeof *t->neighbour)};
    if (t->name && t->line && t->first && t->neighbour)
        return t;
    cpm_topology_free(t);
    return NULL;
}

/* ---- what is shared besides */

/* Of the words up to one that begins with < or >, or the end: is[hosts]. */
static int match_hosts(const cpm_topology *t, char **rest, bool *is, char **stop, cpm_lines *lines)
{
    char *word;
    memset(is, 0, (size_t)t->hosts * sizeof *is);
    *stop = NULL;
    while ((word = strsep(rest, " \t"))) {
        bool any = false;
        if (!*word)
            continue;
        if (*word == '<' || *word == '>') {
            *stop = word;
            return CPM_OK;
        }
        for (int h = 0; h < t->hosts; h++)
            if (fnmatch(word, t->name[h], 0) == 0)
                any = is[h] = true;
        if (!any)
            return cpm_lines_wrong(lines, "no host is called '%s'", word);
    }
    return CPM_OK;
}

static int use_pairs(const cpm_topology *t, cpm_links_draft *d, int link, const bool *is, bool both,
                     cpm_error *e)
{
    int status = CPM_OK;
    for (int i = 0; i < t->hosts; i++)
        for (int j = 0; j < t->hosts && !status; j++) {
            if (i == j || !is[i] || !is[t->hosts + j])
                continue;
            status = cpm_links_draft_use(d, i, j, link, e);
            if (!status && both)
                status = cpm_links_draft_use(d, j, i, link, e);
        }
    return status;
}

/* is[2*hosts]: space. */
static int read_shared(reader *r, const cpm_topology *t, char *text, bool *is)
{
    char *rest = text, *name, *way = NULL, *end = NULL;
    strsep(&rest, " \t");
    do
        name = strsep(&rest, " \t");
    while (name && !*name);
    int status = name ? match_hosts(t, &rest, is, &way, &r->lines) : CPM_OK;
    bool both = way && strcmp(way, "<>") == 0;
    if (!status && way && (both || strcmp(way, ">") == 0))
        status = match_hosts(t, &rest, is + t->hosts, &end, &r->lines);
    else if (!status)
        end = text;
    if (status || end)
        return status ? status
                      : cpm_lines_wrong(&r->lines, "expected 'shared NAME HOSTS > HOSTS' or "
                                                   "'shared NAME HOSTS <> HOSTS'");
    cpm_error why = {0};
    int link = cpm_links_draft_name(&r->shared, name, &why);
    if (link == CPM_EPARSE)
        return cpm_lines_wrong(&r->lines, "%s", why.text);
    int64_t before = r->shared.uses;
    status =
        link < 0 ? cpm_no_memory(r->lines.e) : use_pairs(t, &r->shared, link, is, both, r->lines.e);
    return !status && r->shared.uses == before
               ? cpm_lines_wrong(&r->lines, "link '%s' is used by no pair of hosts", name)
               : status;
}

static int read_all_shared(reader *r, cpm_topology *t)
{
    bool *is = malloc(2 * (size_t)t->hosts * sizeof *is);
    int status = is ? CPM_OK : cpm_no_memory(r->lines.e);
    r->shared.hosts = t->hosts;
    for (int k = 0; k < r->shared_lines && !status; k++) {
        char *text = r->shared_line[k].text;
        r->lines.number = r->shared_line[k].line;
        status = read_shared(r, t, text + strspn(text, " \t"), is);
    }
    free(is);
    return status ? status : cpm_links_draft_end(&r->shared, &t->links, r->lines.e);
}

static int add_links(reader *r, cpm_topology *t)
{
    cpm_error why = {0};
    if (r->shape && r->shared_lines) {
        r->lines.number = r->shared_line[0].line;
        return cpm_lines_wrong(&r->lines, "a network has a 'shape', or 'shared' links, not both");
    }
    if (r->shared_lines)
        return read_all_shared(r, t);
    if (!r->shape)
        return CPM_OK;
    t->shape = strdup(r->shape);
    r->lines.number = r->shape_line;
    int status = t->shape ? cpm_links_of_shape(t->shape, t->hosts, &t->links, &why)
                          : cpm_no_memory(r->lines.e);
    return status && t->shape ? cpm_lines_wrong(&r->lines, "%s", why.text) : status;
}

static int finish(reader *r, cpm_topology **out)
{
    int *number = malloc((size_t)r->count * sizeof *number);
    cpm_topology *t = number ? allocate(r) : NULL;
    int status = t ? CPM_OK : cpm_no_memory(r->lines.e);
    if (t) {
        name_nodes(r, t, number);
        list_neighbours(r, t, number);
        status = add_links(r, t);
    }
    free(number);
    if (status)
        cpm_topology_free(t);
    else
        *out = t;
    return status;
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
    for (int k = 0; k < r->shared_lines; k++)
        free(r->shared_line[k].text);
    free(r->shared_line);
    free(r->shape);
    cpm_links_draft_clear(&r->shared);
    free(r->at);
    free(r->link);
}

static int read_own(reader *r, cpm_topology **out)
{
    int status = read_lines(r);
    return status ? status : finish(r, out);
}

static int read_other(const cpm_topology_form *form, cpm_lines *lines, cpm_topology **out)
{
    int status = form->read(lines, out);
    if (!status)
        (*out)->form = form->name;
    return status;
}

/* Of lines that are open, or are not for the reason of status. */
static int read_opened(reader *r, int status, cpm_topology **out)
{
    const cpm_topology_form *form = status ? NULL : cpm_topology_form_of(&r->lines);
    if (!status)
        status = form ? read_other(form, &r->lines, out) : read_own(r, out);
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
