/* Maps line by line; every line is checked against those before it, so that an error has its line.
 */
#include "mapping/map_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "base/numbers.h"
#include "base/sizes.h"
#include "base/vector.h"

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
    cpm_lines lines;
    char *word[MOST_WORDS];
    int words;
    cpm_map map;
    int sizes;    /* lines "block" */
    bool *placed; /* processes that sit at a node */
    int64_t room; /* for processes */
    bool sized;   /* there was a line "size" */
} reader;

static int wrong_line(const reader *r)
{
    return cpm_lines_wrong(&r->lines,
                           "expected 'algorithm OP:NAME', 'size BYTES', 'block PROCESS BYTES' or "
                           "'node NODE process PROCESS [parent NODE]', found '%s%s'",
                           r->word[0], r->words > 1 ? " ..." : "");
}

static int read_number(const reader *r, const char *text, int *out)
{
    long value;
    if (!cpm_integer_parse(text, 0, CPM_MOST_PROCESSES - 1, &value))
        return cpm_lines_wrong(&r->lines, "'%s' is not a node or process", text);
    *out = (int)value;
    return CPM_OK;
}

static int read_bytes(const reader *r, const char *text, size_t *out)
{
    cpm_error why = {0};
    int status = cpm_size_parse(text, out, &why);
    return status ? cpm_lines_wrong(&r->lines, "%s", why.text) : CPM_OK;
}

/* The elements of an array that are new are 0. */
static bool lengthen(void *array, int64_t *room, int64_t count, size_t each)
{
    int64_t had = *room;
    if (!cpm_vector_reserve(array, room, count, each))
        return false;
    char *at;
    memcpy(&at, array, sizeof at);
    memset(at + (size_t)had * each, 0, (size_t)(*room - had) * each);
    return true;
}

/* All arrays are as long. */
static int reserve(reader *r, int index)
{
    int64_t had = r->room, a = had, b = had, c = had;
    if (!lengthen(&r->placed, &r->room, index + 1, sizeof *r->placed) ||
        !lengthen(&r->map.sizes, &a, r->room, sizeof *r->map.sizes) ||
        !lengthen(&r->map.mapping.process, &b, r->room, sizeof(int)) ||
        !lengthen(&r->map.mapping.parent, &c, r->room, sizeof(int)))
        return cpm_no_memory(r->lines.e);
    return CPM_OK;
}

static int read_algorithm(reader *r)
{
    if (r->map.algorithm)
        return cpm_lines_wrong(&r->lines, "a second algorithm; a map has one");
    r->map.algorithm = strdup(r->word[1]);
    return r->map.algorithm ? CPM_OK : cpm_no_memory(r->lines.e);
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
        return cpm_lines_wrong(&r->lines, "expected the block of process %d, found that of %d",
                               r->sizes, process);
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
        return cpm_lines_wrong(&r->lines, "node %d has %s parent, unlike %s", node,
                               has ? "a" : "no", node ? "node 1" : "any root");
    if (has && parent >= node)
        return cpm_lines_wrong(&r->lines, "the parent of node %d must be a node before it, not %d",
                               node, parent);
    return CPM_OK;
}

static int place(reader *r, int node, int process, int parent)
{
    cpm_mapping *t = &r->map.mapping;
    if (node != t->n)
        return cpm_lines_wrong(&r->lines, "expected node %d, found %d", t->n, node);
    if (process < r->room && r->placed[process])
        return cpm_lines_wrong(&r->lines, "process %d sits at a node already", process);
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
    r->words = cpm_words_before_remark(text, r->word, MOST_WORDS);
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
    int n = r->map.mapping.n;
    if (!r->map.algorithm)
        return cpm_lines_wrong(&r->lines, "the file ends without a line 'algorithm'");
    if (n == 0)
        return cpm_lines_wrong(&r->lines, "the file ends without a line 'node'");
    if (!r->sized)
        return cpm_lines_wrong(&r->lines, "the file ends without a line 'size'");
    if (r->sizes && r->sizes != n)
        return cpm_lines_wrong(&r->lines, "the file has %d blocks for %d processes", r->sizes, n);
    for (int i = 0; i < n; i++)
        if (!r->placed[i])
            return cpm_lines_wrong(&r->lines, "the file ends without a node for process %d", i);
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

static int read_lines(reader *r)
{
    int status = CPM_OK;
    for (char *line; (line = cpm_lines_next(&r->lines, &status));)
        status = read_line(r, line);
    return status ? status : check_whole(r);
}

int cpm_map_read(const char *path, cpm_map **out, cpm_error *e)
{
    reader r = {0};
    int status = cpm_lines_open(&r.lines, path, e);
    if (!status)
        status = read_lines(&r);
    cpm_lines_close(&r.lines);
    free(r.placed);
    cpm_map *read = status ? NULL : malloc(sizeof *read);
    if (!status && !read)
        status = cpm_no_memory(e);
    if (status) {
        clear(&r.map);
        return status;
    }
    drop_unused(&r);
    *read = r.map;
    *out = read;
    return CPM_OK;
}
