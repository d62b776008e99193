/* Maps line by line; every line is checked against those before it, so that an error has its line.
 */
#include "mapping/map_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"

static void clear(cpm_map *m)
{
    free(m->algorithm);
    free(m->sizes);
    cpm_mapping_clear(&m->mapping);
}

void cpm_map_free(cpm_map *m)
{
    if (m)
        clear(m);
    free(m);
}

void cpm_map_print(const cpm_map *m, char *const *hosts, FILE *out)
{
    const cpm_mapping *t = &m->mapping;
    fprintf(out, "algorithm %s\n", m->algorithm);
    fprintf(out, "size %zu\n", m->bytes);
    for (int i = 0; m->sizes && i < t->n; i++)
        fprintf(out, "block %d %zu\n", i, m->sizes[i]);
    for (int v = 0; v < t->n; v++) {
        fprintf(out, "node %d process %d", v, t->process[v]);
        if (t->parent && v)
            fprintf(out, " parent %d", t->parent[v]);
        if (hosts)
            fprintf(out, "  # %s", hosts[t->process[v]]);
        fputc('\n', out);
    }
}

/* ---- reading */

enum { MOST_WORDS = 7 };

typedef struct {
    const char *path;
    int line;
    char *word[MOST_WORDS];
    int words;
    cpm_map map;
    int sizes;    /* lines "block" */
    bool *placed; /* processes that sit at a node */
    int room;     /* for processes */
    bool sized;   /* there was a line "size" */
    cpm_error *e;
} reader;

static int wrong_line(const reader *r)
{
    return cpm_fail(r->e, CPM_EPARSE,
                    "%s:%d: expected 'algorithm OP:NAME', 'size BYTES', 'block PROCESS BYTES' or "
                    "'node NODE process PROCESS [parent NODE]', found '%s%s'",
                    r->path, r->line, r->word[0], r->words > 1 ? " ..." : "");
}

static int read_number(const reader *r, const char *text, int *out)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (!isdigit((unsigned char)text[0]) || *end || errno || value >= 1 << 24)
        return cpm_fail(r->e, CPM_EPARSE, "%s:%d: '%s' is not a node or process", r->path, r->line,
                        text);
    *out = (int)value;
    return CPM_OK;
}

static int read_bytes(const reader *r, const char *text, size_t *out)
{
    cpm_error why = {0};
    int status = cpm_size_parse(text, out, &why);
    return status ? cpm_fail(r->e, status, "%s:%d: %s", r->path, r->line, why.text) : CPM_OK;
}

/* The elements of an array that are new are 0. */
static bool lengthen(void *array, size_t from, size_t to, size_t each)
{
    char *more = realloc(*(void **)array, to * each);
    if (!more)
        return false;
    memset(more + from * each, 0, (to - from) * each);
    *(void **)array = more;
    return true;
}

static int reserve(reader *r, int index)
{
    size_t had = (size_t)r->room, room = had ? 2 * had : 16;
    if (index < r->room)
        return CPM_OK;
    while (room <= (size_t)index)
        room *= 2;
    if (!lengthen(&r->placed, had, room, sizeof *r->placed) ||
        !lengthen(&r->map.sizes, had, room, sizeof *r->map.sizes) ||
        !lengthen(&r->map.mapping.process, had, room, sizeof(int)) ||
        !lengthen(&r->map.mapping.parent, had, room, sizeof(int)))
        return cpm_fail(r->e, CPM_ENOMEM, "%s: no memory for the map", r->path);
    r->room = (int)room;
    return CPM_OK;
}

static int read_algorithm(reader *r)
{
    if (r->map.algorithm)
        return cpm_fail(r->e, CPM_EPARSE, "%s:%d: a second algorithm; a map has one", r->path,
                        r->line);
    r->map.algorithm = strdup(r->word[1]);
    return r->map.algorithm ? CPM_OK
                            : cpm_fail(r->e, CPM_ENOMEM, "%s: no memory for the map", r->path);
}

static int read_size(reader *r)
{
    r->sized = true;
    return read_bytes(r, r->word[1], &r->map.bytes);
}

static int read_block(reader *r)
{
    int process = 0, status = read_number(r, r->word[1], &process);
    if (!status && process != r->sizes)
        return cpm_fail(r->e, CPM_EPARSE,
                        "%s:%d: expected the block of process %d, found that of %d", r->path,
                        r->line, r->sizes, process);
    if (!status)
        status = reserve(r, process);
    if (!status)
        status = read_bytes(r, r->word[2], &r->map.sizes[r->sizes++]);
    return status;
}

/* The tree is free if the second node has a parent. */
static int check_parent(reader *r, int node, int parent)
{
    bool has = r->words == 6, wanted = node > 1 ? r->map.mapping.parent[1] >= 0 : node && has;
    if (has != wanted)
        return cpm_fail(r->e, CPM_EPARSE, "%s:%d: node %d has %s parent, unlike %s", r->path,
                        r->line, node, has ? "a" : "no", node ? "node 1" : "any root");
    if (has && parent >= node)
        return cpm_fail(r->e, CPM_EPARSE,
                        "%s:%d: the parent of node %d must be a node before it, not %d", r->path,
                        r->line, node, parent);
    return CPM_OK;
}

static int place(reader *r, int node, int process, int parent)
{
    cpm_mapping *t = &r->map.mapping;
    if (node != t->n)
        return cpm_fail(r->e, CPM_EPARSE, "%s:%d: expected node %d, found %d", r->path, r->line,
                        t->n, node);
    if (process < r->room && r->placed[process])
        return cpm_fail(r->e, CPM_EPARSE, "%s:%d: process %d sits at a node already", r->path,
                        r->line, process);
    int status = check_parent(r, node, parent);
    if (!status)
        status = reserve(r, node > process ? node : process);
    if (status)
        return status;
    r->placed[process] = true;
    t->process[node] = process;
    t->parent[node] = r->words == 6 ? parent : -1;
    t->n++;
    return CPM_OK;
}

static int read_node(reader *r)
{
    int node = 0, process = 0, parent = -1;
    int status = read_number(r, r->word[1], &node);
    if (!status)
        status = read_number(r, r->word[3], &process);
    if (!status && r->words == 6)
        status = read_number(r, r->word[5], &parent);
    return status ? status : place(r, node, process, parent);
}

static bool is(const reader *r, int words, const char *first)
{
    return r->words == words && strcmp(r->word[0], first) == 0;
}

static bool is_node(const reader *r)
{
    return (is(r, 4, "node") || (is(r, 6, "node") && strcmp(r->word[4], "parent") == 0)) &&
           strcmp(r->word[2], "process") == 0;
}

static int read_line(reader *r, char *text)
{
    char *rest = text;
    text[strcspn(text, "#")] = '\0';
    r->words = 0;
    for (char *next; r->words < MOST_WORDS && (next = strsep(&rest, " \t\r\n"));)
        if (*next)
            r->word[r->words++] = next;
    if (r->words == 0)
        return CPM_OK;
    if (is(r, 2, "algorithm"))
        return read_algorithm(r);
    if (is(r, 2, "size"))
        return read_size(r);
    if (is(r, 3, "block"))
        return read_block(r);
    return is_node(r) ? read_node(r) : wrong_line(r);
}

static int check_whole(const reader *r)
{
    int n = r->map.mapping.n, line = r->line ? r->line : 1;
    if (!r->map.algorithm)
        return cpm_fail(r->e, CPM_EPARSE, "%s:%d: the file ends without a line 'algorithm'",
                        r->path, line);
    if (n == 0)
        return cpm_fail(r->e, CPM_EPARSE, "%s:%d: the file ends without a line 'node'", r->path,
                        line);
    if (!r->sized)
        return cpm_fail(r->e, CPM_EPARSE, "%s:%d: the file ends without a line 'size'", r->path,
                        line);
    if (r->sizes && r->sizes != n)
        return cpm_fail(r->e, CPM_EPARSE, "%s:%d: the file has %d blocks for %d processes", r->path,
                        line, r->sizes, n);
    for (int i = 0; i < n; i++)
        if (!r->placed[i])
            return cpm_fail(r->e, CPM_EPARSE, "%s:%d: the file ends without a node for process %d",
                            r->path, line, i);
    return CPM_OK;
}

/* What a map does not have is NULL. */
static void drop_unused(reader *r)
{
    cpm_mapping *t = &r->map.mapping;
    if (!r->sizes) {
        free(r->map.sizes);
        r->map.sizes = NULL;
    }
    if (t->n < 2 || t->parent[1] < 0) {
        free(t->parent);
        t->parent = NULL;
    }
}

static int read_lines(reader *r, FILE *f)
{
    char *text = NULL;
    size_t room = 0;
    int status = CPM_OK;
    while (!status && getline(&text, &room, f) >= 0) {
        r->line++;
        status = read_line(r, text);
    }
    if (!status && ferror(f))
        status = cpm_fail(r->e, CPM_EIO, "%s: cannot be read: %s", r->path, strerror(errno));
    free(text);
    return status ? status : check_whole(r);
}

int cpm_map_read(const char *path, cpm_map **out, cpm_error *e)
{
    reader r = {.path = path, .e = e};
    FILE *f = fopen(path, "r");
    if (!f)
        return cpm_fail(e, CPM_EIO, "%s: cannot be read: %s", path, strerror(errno));
    int status = read_lines(&r, f);
    fclose(f);
    free(r.placed);
    cpm_map *read = status ? NULL : malloc(sizeof *read);
    if (!status && !read)
        status = cpm_fail(e, CPM_ENOMEM, "%s: no memory for the map", path);
    if (status) {
        clear(&r.map);
        return status;
    }
    drop_unused(&r);
    *read = r.map;
    *out = read;
    return CPM_OK;
}
