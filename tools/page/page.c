/* The page as a whole: the template, and between its lines the clusters and their sections. */
#include "tools/page/page.h"

#include <limits.h>
#include <string.h>

#include "tools/examine/plot_data.h"
#include "tools/frame/output.h"
#include "tools/frame/unfinished.h"

/* The template, line by line; lines that begin with '@' are places. */
static const char *const template[] = {
#include "page_text.inc"
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

/* ---- pictures */

void page_command(const page_cluster *k, const char *makes, const char *const *words)
{
    fputs("<span class=\"command\">", k->out);
    html_print(k->out, "%s", makes);
    fputs("<code>", k->out);
    html_print(k->out, "%s", words[0]);
    for (const char *const *word = words + 1; *word; word++) {
        fputc(' ', k->out);
        html_shell_word(k->out, *word);
    }
    fputs("</code></span>\n", k->out);
}

int page_figure(const page_cluster *k, const char *path, const char *caption,
                const char *const *made_by, cpm_error *e)
{
    fputs("<figure><div class=\"scroll picture\" tabindex=\"0\">", k->out);
    int status = html_picture(k->out, path, ++*k->pictures, caption, e);
    fputs("</div><figcaption>", k->out);
    html_print(k->out, "%s", caption);
    if (made_by)
        page_command(k, "", made_by);
    fputs("</figcaption></figure>\n", k->out);
    return status;
}

/* Without the path of a file that is gone when this is read. */
static const char *told(const page_cluster *k, const char *text)
{
    size_t length = strlen(k->folder);
    const char *end = strncmp(text, k->folder, length) == 0 ? strstr(text + length, ": ") : NULL;
    return end ? end + 2 : text;
}

int page_without(const page_cluster *k, const char *what, const cpm_error *why, cpm_error *e)
{
    if (why->code == CPM_ENOMEM)
        return cpm_fail(e, why->code, "%s", why->text);
    html_element(k->out, "p class=\"missing\"", "%s: %s", what, told(k, why->text));
    return CPM_OK;
}

int page_without_picture(const page_cluster *k, const cpm_error *why, cpm_error *e)
{
    if (why->code == CPM_EIO)
        cpm_fail(k->missing, why->code, "%s", told(k, why->text));
    return page_without(k, "No picture", why, e);
}

/* ---- clusters */

static void name_cluster(const page_cluster *k, char *name, size_t size)
{
    const page_file *f = k->main ? k->main : page_next(k, NULL, NULL);
    snprintf(name, size, "%s", page_base_name(f->path));
}

static void write_apart(const page_cluster *k)
{
    const page_file *f = page_next(k, NULL, NULL);
    if (f->apart)
        html_element(k->out, "p class=\"note\"",
                     "%s is shown apart from the files before it: %s. Figures of different parts "
                     "of this page are not to be compared.",
                     page_base_name(f->path), f->apart);
}

static int write_section(const page_cluster *k, const page_section *s, cpm_error *e)
{
    fprintf(k->out, "<section id=\"%s-%d\">\n", s->id, k->number + 1);
    html_element(k->out, "h3", "%s", s->title);
    int status = s->write(k, e);
    fputs("</section>\n", k->out);
    return status;
}

static int write_cluster(const page_cluster *k, cpm_error *e)
{
    char name[NAME_MAX + 1];
    int status = CPM_OK;
    name_cluster(k, name, sizeof name);
    fprintf(k->out, "<article id=\"cluster-%d\">\n", k->number + 1);
    html_element(k->out, "h2", "%s", name);
    write_apart(k);
    for (const page_section *s = page_sections; s->id && !status; s++)
        if (s->has(k))
            status = write_section(k, s, e);
    fputs("</article>\n", k->out);
    return status;
}

static void write_contents(const page_cluster *k)
{
    char name[NAME_MAX + 1];
    name_cluster(k, name, sizeof name);
    fprintf(k->out, "<li><a href=\"#cluster-%d\">", k->number + 1);
    html_text(k->out, name);
    fputs("</a> ", k->out);
    for (const page_section *s = page_sections; s->id; s++)
        if (s->has(k)) {
            fprintf(k->out, "<a href=\"#%s-%d\">", s->id, k->number + 1);
            html_text(k->out, s->title);
            fputs("</a> ", k->out);
        }
    fputs("</li>\n", k->out);
}

/* ---- the whole page */

typedef struct {
    const call *c;
    const page_files *files;
    FILE *out;
    const char *folder;
    int pictures;
    cpm_error missing;
} page;

static page_cluster cluster_of(page *p, int number)
{
    page_cluster k = {.c = p->c,
                      .files = p->files,
                      .number = number,
                      .out = p->out,
                      .folder = p->folder,
                      .pictures = &p->pictures,
                      .missing = &p->missing};
    k.main = page_next(&k, "model", NULL);
    return k;
}

static int put_contents(page *p, cpm_error *e)
{
    (void)e;
    for (int i = 0; i < p->files->clusters; i++) {
        const page_cluster k = cluster_of(p, i);
        write_contents(&k);
    }
    return CPM_OK;
}

static int put_clusters(page *p, cpm_error *e)
{
    int status = CPM_OK;
    for (int i = 0; i < p->files->clusters && !status; i++) {
        const page_cluster k = cluster_of(p, i);
        status = write_cluster(&k, e);
    }
    return status;
}

static int put_title(page *p, cpm_error *e)
{
    (void)e;
    html_print(p->out, "Cluster report: %s", page_base_name(p->files->at->path));
    return CPM_OK;
}

static int put_heading(page *p, cpm_error *e)
{
    (void)e;
    html_print(p->out, "How the cluster of %s communicates", page_base_name(p->files->at->path));
    return CPM_OK;
}

static int put_end(page *p, cpm_error *e)
{
    cpm_metadata now = {0};
    int status = cpm_metadata_date(&now, e);
    if (!status)
        status = call_describe(p->c, &now, e);
    if (!status) {
        html_print(p->out, "Written by CPM %s on %s:", CPM_VERSION, cpm_metadata_get(&now, "date"));
        fputs(" <code>", p->out);
        html_text(p->out, cpm_metadata_get(&now, "command"));
        fputs("</code>\n", p->out);
    }
    cpm_metadata_clear(&now);
    return status;
}

/* What stands where the template has such a line. */
static const struct {
    const char *line;
    int (*put)(page *p, cpm_error *e);
} places[] = {{"@title\n", put_title},
              {"@heading\n", put_heading},
              {"@contents\n", put_contents},
              {"@clusters\n", put_clusters},
              {"@end\n", put_end}};

static int write_line(page *p, const char *line, cpm_error *e)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strcmp(line, places[i].line) == 0)
            return places[i].put(p, e);
    fputs(line, p->out);
    return CPM_OK;
}

static int write_lines(page *p, cpm_error *e)
{
    int status = CPM_OK;
    for (size_t i = 0; i < sizeof template / sizeof *template && !status; i++)
        status = write_line(p, template[i], e);
    return status;
}

int page_write(const call *c, const page_files *files, const char *path, cpm_error *e)
{
    char folder[PATH_MAX];
    cpm_new_file out;
    int status = unfinished_folder_create(folder, sizeof folder, e);
    if (status)
        return status;
    status = unfinished_file_open(&out, path, CPM_FILE_PAGE, e);
    if (!status) {
        page p = {.c = c, .files = files, .out = out.stream, .folder = folder};
        status = unfinished_file_close(&out, write_lines(&p, e), e);
        if (!status && p.missing.code)
            status = cpm_fail(e, p.missing.code, "%s: is written without some pictures: %s", path,
                              p.missing.text);
    }
    unfinished_folder_remove(folder);
    return status;
}
