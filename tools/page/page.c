/* The page as a whole: the template, and between its lines the data, the library of charts and the
 * script. */
#include "tools/page/page.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/text_file.h"
#include "tools/frame/output.h"
#include "tools/frame/unfinished.h"

/* Line by line; lines that begin with '@' are places. */
static const char *const template[] = {
#include "page_text.inc"
};
static const char *const script[] = {
#include "page_script.inc"
};

/* ---- files of a cluster */

const page_file *page_next(const page_cluster *k, const char *kind, const page_file *f)
{
    const page_file *end = k->files->at + k->files->count;
    for (f = f ? f + 1 : k->files->at; f < end; f++)
        if (f->cluster == k->number && (!kind || strcmp(f->kind->name, kind) == 0))
            return f;
    return NULL;
}

bool page_has(const page_cluster *k, const char *kind)
{
    return page_next(k, kind, NULL) != NULL;
}

const char *page_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int page_without(const page_cluster *k, const char *what, const cpm_error *why, cpm_error *e)
{
    if (why->code == CPM_ENOMEM)
        return cpm_fail(e, why->code, "%s", why->text);
    block_text(&k->to, "missing", "%s: %s", what, why->text);
    return CPM_OK;
}

/* ---- clusters */

static void set_title(const page_cluster *k)
{
    const page_file *f = k->main ? k->main : page_next(k, NULL, NULL);
    block_set_text(&k->to, k->data, "title", page_base_name(f->path));
}

static void set_apart(const page_cluster *k)
{
    const page_file *f = page_next(k, NULL, NULL);
    if (f->apart)
        block_set(&k->to, k->data, "apart",
                  block_print("%s is shown apart from the files before it: %s. Figures of "
                              "different parts of this page are not to be compared.",
                              page_base_name(f->path), f->apart));
}

static int make_section(page_cluster *k, const page_section *s, json_t *sections, cpm_error *e)
{
    json_t *section = json_object();
    block_set(&k->to, section, "id", block_print("%s-%d", s->id, k->number + 1));
    block_set_text(&k->to, section, "title", s->title);
    k->to.list = block_set_list(&k->to, section, "blocks");
    int status = s->make(k, e);
    block_append(&k->to, sections, section);
    return status;
}

static int make_sections(page_cluster *k, cpm_error *e)
{
    json_t *sections = block_set_list(&k->to, k->data, "sections");
    int status = CPM_OK;
    for (const page_section *s = page_sections; s->id && !status; s++)
        if (s->has(k))
            status = make_section(k, s, sections, e);
    return status;
}

static int make_cluster(page_cluster *k, cpm_error *e)
{
    page_findings found = {0};
    k->main = page_next(k, "model", NULL);
    k->found = &found;
    int status = page_find(k, &found, e);
    if (!status) {
        set_title(k);
        set_apart(k);
        status = make_sections(k, e);
    }
    page_findings_clear(&found);
    return status;
}

/* ---- data */

/* All that the page shows; the caller's, also on failure. */
static int make_data(const call *c, const page_files *files, json_t **out, cpm_error *e)
{
    bool failed = false;
    block_list to = {.failed = &failed};
    json_t *data = *out = json_object();
    json_t *clusters = block_set_list(&to, data, "clusters");
    int status = CPM_OK;
    for (int i = 0; i < files->clusters && !status; i++) {
        page_cluster k = {.c = c, .files = files, .number = i, .to = to, .data = json_object()};
        status = make_cluster(&k, e);
        block_append(&to, clusters, k.data);
    }
    return !status && failed ? cpm_no_memory(e) : status;
}

/* ---- the library of charts */

static const char package[] = "libjs-chart.js";
static const char *const libraries[] = {"/usr/share/javascript/chart.js/chart.min.js",
                                        "/usr/share/nodejs/chart.js/dist/chart.min.js"};

/* The page is made for these, and their text must not end its script. */
static bool is_library(const char *text)
{
    static const char *const heads[] = {"Chart.js v3.", "Chart.js v4."};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        const char *at = strstr(text, heads[i]);
        if (at && at - text < 100 && !strstr(text, "</script"))
            return true;
    }
    return false;
}

static int read_library(const char *path, char **out, cpm_error *e)
{
    size_t size;
    int status = cpm_text_read(path, out, &size, e);
    if (status || is_library(*out))
        return status;
    free(*out);
    *out = NULL;
    return cpm_fail(e, CPM_EINVAL, "%s: not Chart.js 3 or 4, made small", path);
}

/* *out: its text, which the caller frees; NULL: it is not installed. */
static int find_library(char **out, cpm_error *e)
{
    const char *chosen = getenv("CPM_CHART_JS");
    *out = NULL;
    if (chosen)
        return *chosen ? read_library(chosen, out, e) : CPM_OK;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        cpm_error why = {0};
        int status = read_library(libraries[i], out, &why);
        if (!status)
            return CPM_OK;
        if (status == CPM_ENOMEM)
            return cpm_fail(e, status, "%s", why.text);
    }
    return CPM_OK;
}

/* ---- the page */

typedef struct {
    FILE *out;
    const page_files *files;
    const char *data, *library; /* texts; library NULL: there is none */
    const cpm_metadata *now;    /* date and command */
} page;

static void put_title(const page *p)
{
    fputs("Cluster report: ", p->out);
    cpm_put_entities(p->out, page_base_name(p->files->at->path));
    fputc('\n', p->out);
}

static void put_end(const page *p)
{
    fprintf(p->out, "Written by CPM %s on %s: <code>", CPM_VERSION,
            cpm_metadata_get(p->now, "date"));
    cpm_put_entities(p->out, cpm_metadata_get(p->now, "command"));
    fputs("</code>\n", p->out);
}

/* No text in it ends the element that it is in, or begins a comment. */
static void put_data(const page *p)
{
    for (const char *c = p->data; *c; c++) {
        if (*c == '<')
            fputs("\\u003c", p->out);
        else
            fputc(*c, p->out);
    }
    fputc('\n', p->out);
}

static void put_library(const page *p)
{
    if (p->library)
        fputs(p->library, p->out);
}

static void put_script(const page *p)
{
    for (size_t i = 0; i < sizeof script / sizeof *script; i++)
        fputs(script[i], p->out);
}

/* What stands where the template has such a line. */
static const struct {
    const char *line;
    void (*put)(const page *p);
} places[] = {{"@title\n", put_title},
              {"@end\n", put_end},
              {"@data\n", put_data},
              {"@library\n", put_library},
              {"@script\n", put_script}};

static void put_line(const page *p, const char *line)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strcmp(line, places[i].line) == 0) {
            places[i].put(p);
            return;
        }
    fputs(line, p->out);
}

static int write_page(const page *of, const char *path, cpm_error *e)
{
    cpm_new_file out;
    page p = *of;
    int status = unfinished_file_open(&out, path, CPM_FILE_PAGE, e);
    if (status)
        return status;
    p.out = out.stream;
    for (size_t i = 0; i < sizeof template / sizeof *template; i++)
        put_line(&p, template[i]);
    return unfinished_file_close(&out, CPM_OK, e);
}

/* The data as text, which the caller frees. library: there is one. */
static int write_data(const call *c, const page_files *files, bool library, char **out,
                      cpm_error *e)
{
    json_t *data = NULL;
    int status = make_data(c, files, &data, e);
    if (!status && !library && json_object_set_new(data, "package", json_string(package)) != 0)
        status = cpm_no_memory(e);
    *out = status ? NULL : json_dumps(data, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(data);
    return status || *out ? status : cpm_no_memory(e);
}

int page_write(const call *c, const page_files *files, const char *path, cpm_error *e)
{
    cpm_metadata now = {0};
    char *text = NULL, *library = NULL;
    int status = find_library(&library, e);
    if (!status)
        status = cpm_metadata_date(&now, e);
    if (!status)
        status = call_describe(c, &now, e);
    if (!status)
        status = write_data(c, files, library != NULL, &text, e);
    if (!status)
        status = write_page(&(page){NULL, files, text, library, &now}, path, e);
    if (!status && !library)
        fprintf(stderr,
                "cpm: note: the page has tables instead of charts: install %s, or let "
                "CPM_CHART_JS name Chart.js\n",
                package);
    cpm_metadata_clear(&now);
    free(text);
    free(library);
    return status;
}
