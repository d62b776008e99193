/* The files of a page: what each is, and of which cluster. */
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/text_file.h"
#include "base/vector.h"
#include "tools/frame/output.h"
#include "tools/page/page.h"

/* ---- what is on which host */

/* Of a name for each process; where one has none nothing is known. */
static int take_hosts(page_file *f, char *const *name, int n, cpm_error *e)
{
    char *line = NULL, word[256];
    size_t size = 0;
    FILE *text = open_memstream(&line, &size);
    bool known = n > 0;
    for (int i = 0; text && i < n; i++) {
        known = known && name[i] && name[i][0];
        if (known)
            fprintf(text, "%s ", cpm_escape_word(name[i], word, sizeof word));
    }
    int status = text && fclose(text) == 0 ? CPM_OK : cpm_no_memory(e);
    if (!status && known)
        status = cpm_hosts_of_line(line, &f->on, e);
    free(line);
    return status;
}

/* ---- one file of each kind */

static int read_model(page_file *f, cpm_error *e)
{
    int status = cpm_model_read(f->path, &f->model, e);
    if (status)
        return status;
    f->n = f->model->n;
    status = cpm_metadata_copy(&f->metadata, &f->model->metadata, e);
    return status ? status : take_hosts(f, f->model->hosts, f->n, e);
}

static int read_measurements(page_file *f, cpm_error *e)
{
    f->measurements = calloc(1, sizeof *f->measurements);
    if (!f->measurements)
        return cpm_no_memory(e);
    int status = cpm_measurements_read(f->path, f->measurements, NULL, e);
    if (status)
        return status;
    const char *hosts = cpm_metadata_get(&f->measurements->metadata, "hosts");
    f->n = f->measurements->n;
    status = cpm_metadata_copy(&f->metadata, &f->measurements->metadata, e);
    return status || !hosts || !*hosts ? status : cpm_hosts_of_line(hosts, &f->on, e);
}

static int read_profile(page_file *f, cpm_error *e)
{
    int status = cpm_profile_read(f->path, &f->profile, e);
    if (status)
        return status;
    f->n = f->profile->n;
    status = cpm_metadata_copy(&f->metadata, &f->profile->metadata, e);
    return status ? status : take_hosts(f, f->profile->hosts, f->n, e);
}

/* Lessons are a decision table, too, with its provenance. */
static int read_table(page_file *f, cpm_error *e)
{
    int status = cpm_table_read(f->path, &f->table, e);
    return status ? status : cpm_metadata_copy(&f->metadata, &f->table->metadata, e);
}

static int read_lessons(page_file *f, cpm_error *e)
{
    f->lessons = calloc(1, sizeof *f->lessons);
    if (!f->lessons)
        return cpm_no_memory(e);
    return cpm_tuning_history_read(f->path, f->lessons, e);
}

static int read_run(page_file *f, cpm_error *e)
{
    f->run = json_load_file(f->path, JSON_REJECT_DUPLICATES, NULL);
    return f->run ? CPM_OK : cpm_fail(e, CPM_EPARSE, "%s: not a report of cpm run", f->path);
}

/* Tables of text are read when they are shown. */
static int read_nothing(page_file *f, cpm_error *e)
{
    (void)f;
    (void)e;
    return CPM_OK;
}

const page_kind page_kinds[] = {
    {"model", NULL, "cpm model", read_model},
    {"measurements", "# cpm measurements", NULL, read_measurements},
    {"validation", "# cpm validation", NULL, read_nothing},
    {"comparison", "# cpm comparison 1", NULL, read_nothing},
    {"comparison of runs", "# cpm comparison of runs", NULL, read_nothing},
    {"decision table", NULL, "cpm table", read_table},
    {"lessons", NULL, "cpm lessons", read_lessons},
    {"profile", NULL, "cpm profile", read_profile},
    {"run report", NULL, "cpm report", read_run},
    {NULL, NULL, NULL, NULL},
};

/* ---- which kind */

static const page_kind *kind_of_format(const char *format)
{
    const page_kind *k = page_kinds;
    while (k->name && !(k->format && strcmp(k->format, format) == 0))
        k++;
    return k->name ? k : NULL;
}

static int find_json(const char *path, const page_kind **out, cpm_error *e)
{
    json_error_t why;
    json_t *all = json_load_file(path, 0, &why);
    if (!all)
        return cpm_fail(e, CPM_EPARSE, "%s:%d: %s", path, why.line, why.text);
    const char *format = json_string_value(json_object_get(all, "format"));
    bool lessons = json_is_array(json_object_get(all, "lessons"));
    *out = format ? kind_of_format(lessons ? "cpm lessons" : format) : NULL;
    json_decref(all);
    return CPM_OK;
}

static int find_kind(const char *path, const page_kind **out, cpm_error *e)
{
    int status = file_refuse_pipe(path, e);
    FILE *f = status ? NULL : fopen(path, "re");
    if (!f)
        return status ? status : cpm_fail(e, CPM_EIO, "%s: cannot be read: %m", path);
    fclose(f);
    *out = NULL;
    status = file_begins(path, "{") ? find_json(path, out, e) : CPM_OK;
    for (const page_kind *k = page_kinds; !status && !*out && k->name; k++)
        if (k->begins && file_begins(path, k->begins))
            *out = k;
    if (!status && !*out)
        status = cpm_fail(e, CPM_EPARSE,
                          "%s: not a file that cpm report reads. It reads models, measurements, "
                          "tables of cpm validate, compare or tune, and files of cpm run "
                          "--profile, --learn or --report (as JSON)",
                          path);
    return status;
}

/* ---- which cluster */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names of hosts in order; the caller frees the array. */
static char **sorted(const cpm_hosts *h)
{
    char **name = malloc((size_t)h->count * sizeof *name);
    if (name) {
        memcpy(name, h->name, (size_t)h->count * sizeof *name);
        qsort(name, (size_t)h->count, sizeof *name, by_text);
    }
    return name;
}

/* How many hosts both have. */
static int common(char *const *a, int of_a, char *const *b, int of_b)
{
    int i = 0, j = 0, count = 0;
    while (i < of_a && j < of_b) {
        int order = strcmp(a[i], b[j]);
        count += order == 0;
        i += order <= 0;
        j += order >= 0;
    }
    return count;
}

/* Whether the hosts of one file are hosts of the other. */
static int same_hosts(const page_file *f, const page_file *g, bool *same, cpm_error *e)
{
    char **a = sorted(&f->on), **b = sorted(&g->on);
    int fewer = f->on.count < g->on.count ? f->on.count : g->on.count;
    int status = a && b ? CPM_OK : cpm_no_memory(e);
    *same = !status && common(a, f->on.count, b, g->on.count) == fewer;
    free(a);
    free(b);
    return status;
}

static bool other_library(const page_file *f, const page_file *g)
{
    const char *a = cpm_metadata_get(&f->metadata, "mpi"),
               *b = cpm_metadata_get(&g->metadata, "mpi");
    return a && b && strcmp(a, b) != 0;
}

/* What it is of the first cluster that it is not of. */
static int say_apart(page_file *f, const char *text, cpm_error *e)
{
    if (!f->apart)
        f->apart = strdup(text);
    return f->apart ? CPM_OK : cpm_no_memory(e);
}

/* Against the file g: of its cluster, or why not. */
static int compare(page_file *f, const page_file *g, bool *belongs, cpm_error *e)
{
    bool known = f->on.count && g->on.count, hosts = true;
    int status = known ? same_hosts(f, g, &hosts, e) : CPM_OK;
    *belongs = false;
    if (!status && !hosts)
        return say_apart(f, "its hosts are others", e);
    if (!status && !known && f->n && g->n && f->n != g->n)
        return say_apart(f, "it has another number of processes", e);
    if (!status && other_library(f, g))
        return say_apart(f, "its MPI library is another, or another version", e);
    *belongs = !status;
    return status;
}

/* Whether a file is of a cluster: there is no file of it that it contradicts. */
static int fits(const page_files *files, page_file *f, int cluster, bool *belongs, cpm_error *e)
{
    int status = CPM_OK;
    *belongs = true;
    for (const page_file *g = files->at; g < f && !status && *belongs; g++)
        if (g->cluster == cluster)
            status = compare(f, g, belongs, e);
    return status;
}

/* A file that says neither hosts nor library is of the cluster of the model that it was made of, if
 * it names one that is there, else of that of the file before it. */
static int find_maker(const page_files *files, page_file *f, cpm_error *e)
{
    const char *made_of = cpm_metadata_get(&f->metadata, "model_sha256");
    int status = CPM_OK;
    f->cluster = f == files->at ? 0 : f[-1].cluster;
    for (const page_file *g = files->at; made_of && g < f && !status; g++) {
        char checksum[65];
        if (!g->model)
            continue;
        status = cpm_text_checksum(g->path, checksum, e);
        if (!status && strcmp(checksum, made_of) == 0) {
            f->cluster = g->cluster;
            break;
        }
    }
    return status;
}

static int find_cluster(page_files *files, page_file *f, cpm_error *e)
{
    bool belongs = false, says = f->n > 0 || cpm_metadata_get(&f->metadata, "mpi");
    int status = says ? CPM_OK : find_maker(files, f, e);
    for (int k = 0; k < files->clusters && says && !status && !belongs; k++) {
        status = fits(files, f, k, &belongs, e);
        f->cluster = belongs ? k : files->clusters;
    }
    if (belongs) {
        free(f->apart);
        f->apart = NULL;
    }
    return status;
}

/* ---- all of them */

static int read_file(page_files *files, const char *path, cpm_error *e)
{
    for (int i = 0; i < files->count; i++)
        if (file_is_same(files->at[i].path, path))
            return cpm_fail(e, CPM_EINVAL,
                            "%s: is given twice, and would count twice: name it once", path);
    page_file *f = &files->at[files->count++];
    f->path = path;
    int status = find_kind(path, &f->kind, e);
    if (!status)
        status = f->kind->read(f, e);
    if (!status)
        status = find_cluster(files, f, e);
    if (f->cluster >= files->clusters)
        files->clusters = f->cluster + 1;
    return status;
}

int page_files_read(char *const *path, int count, page_files *out, cpm_error *e)
{
    int status = CPM_OK;
    *out = (page_files){.at = calloc((size_t)count, sizeof *out->at)};
    if (!out->at)
        return cpm_no_memory(e);
    for (int i = 0; i < count && !status; i++)
        status = read_file(out, path[i], e);
    return status;
}

static void free_file(page_file *f)
{
    free(f->apart);
    cpm_hosts_clear(&f->on);
    cpm_metadata_clear(&f->metadata);
    cpm_model_free(f->model);
    if (f->measurements)
        cpm_measurements_clear(f->measurements);
    free(f->measurements);
    cpm_table_free(f->table);
    cpm_profile_free(f->profile);
    if (f->lessons)
        cpm_tuning_history_clear(f->lessons);
    free(f->lessons);
    json_decref(f->run);
}

void page_files_free(page_files *files)
{
    for (int i = 0; i < files->count; i++)
        free_file(&files->at[i]);
    free(files->at);
    *files = (page_files){0};
}
