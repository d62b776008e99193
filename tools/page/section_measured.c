/* What was measured, where and when: the files of a cluster. */
#include <stdlib.h>
#include <string.h>

#include "tools/examine/show.h"
#include "tools/page/sections.h"

/* So many names of hosts are a list. */
enum { FEW_HOSTS = 16 };

/* ---- in large figures */

static void add_card(const page_cluster *k, json_t *items, json_t *value, const char *meaning)
{
    json_t *item = block_append_list(&k->to, items);
    block_append(&k->to, item, value);
    block_append(&k->to, item, block_text_of(meaning));
}

static void add_number(const page_cluster *k, json_t *items, int number, const char *one,
                       const char *several)
{
    add_card(k, items, block_print("%d", number), number == 1 ? one : several);
}

static void make_cards(const page_cluster *k, const page_file *f)
{
    const char *date = cpm_metadata_get(&f->metadata, "date");
    json_t *items = block_set_list(&k->to, block_add(&k->to, "cards"), "items");
    if (f->on.count)
        add_number(k, items, f->on.count, "host", "hosts");
    if (f->n)
        add_number(k, items, f->n, "process", "processes");
    if (date) /* the day of "2026-01-31T12:00:00Z" */
        add_card(k, items, block_print("%.10s", date), "measured on");
    if (f->model)
        add_card(k, items, block_text_of(f->model->type->name), "model");
}

/* ---- hosts */

/* "node0, node1 and 254 more, node255 the last". */
static int make_hosts(const page_cluster *k, const page_file *f, cpm_error *e)
{
    int listed = f->on.count > FEW_HOSTS ? FEW_HOSTS / 2 : f->on.count;
    char *text = NULL;
    size_t size;
    FILE *out = f->on.count ? open_memstream(&text, &size) : NULL;
    if (!out)
        return f->on.count ? cpm_no_memory(e) : CPM_OK;
    for (int i = 0; i < listed; i++)
        fprintf(out, "%s%s", i ? ", " : "", f->on.name[i]);
    if (listed < f->on.count)
        fprintf(out, " and %d more, the last %s", f->on.count - listed,
                f->on.name[f->on.count - 1]);
    int status = fclose(out) == 0 ? CPM_OK : cpm_no_memory(e);
    if (!status)
        block_text(&k->to, NULL, "Hosts: %s.", text);
    free(text);
    return status;
}

/* Of the first file that says it. */
static void add_fact(const page_cluster *k, json_t *items, const char *key, const char *meaning)
{
    for (const page_file *f = NULL; (f = page_next(k, NULL, f));) {
        const char *value = cpm_metadata_get(&f->metadata, key);
        if (!value || !*value)
            continue;
        block_item(&k->to, items, "%s: %s (%s)", meaning, value, page_base_name(f->path));
        return;
    }
}

/* A table of decisions says nothing of it. */
static void add_measured_by(const page_cluster *k, json_t *items)
{
    char by[200];
    for (const page_file *f = NULL; (f = page_next(k, NULL, f));)
        if ((f->model || f->measurements) && *show_measured_by(&f->metadata, by, sizeof by)) {
            block_item(&k->to, items, "Measured by: %s (%s)", by, page_base_name(f->path));
            return;
        }
}

/* What was said while it was measured: each once, as a model has what its measurements say. */
static int add_warnings(const page_cluster *k, json_t *items, cpm_error *e)
{
    cpm_metadata seen = {0};
    int status = CPM_OK;
    for (const page_file *f = NULL; (f = page_next(k, NULL, f));)
        for (int q = 0; q < f->metadata.count && !status; q++) {
            const cpm_fact *x = &f->metadata.items[q];
            int before = seen.count;
            if (!cpm_metadata_belongs(x->key, "warning"))
                continue;
            status = cpm_metadata_append(&seen, e, "warning", "%s", x->value);
            if (seen.count > before)
                block_item(&k->to, items, "Warning when it was measured: %s (%s)", x->value,
                           page_base_name(f->path));
        }
    cpm_metadata_clear(&seen);
    return status;
}

static int make_conditions(const page_cluster *k, cpm_error *e)
{
    static const char *const metadata[][2] = {
        {"mpi", "MPI library"},
        {"layout", "Layout"},
        {"inside", "Inside a host"},
        {"precision", "Precision"},
        {"statistic", "Statistic"},
        {"timing", "Timing"},
        {"method", "Method of the fit"},
        {"measurements", "Measurements"},
        {"noise", "Noise that was added"},
        {"caution", "Caution"},
    };
    json_t *items = block_items(&k->to);
    int status = add_warnings(k, items, e);
    add_measured_by(k, items);
    for (size_t i = 0; i < sizeof metadata / sizeof *metadata; i++)
        add_fact(k, items, metadata[i][0], metadata[i][1]);
    return status;
}

/* ---- files */

static void fact_cell(table *t, const page_file *f, const char *key)
{
    const char *value = cpm_metadata_get(&f->metadata, key);
    table_cell(t, "%s", value && *value ? value : "-");
}

static void count_cell(table *t, int count)
{
    if (count)
        table_cell(t, "%d", count);
    else
        table_cell(t, "-");
}

static void duration_cell(table *t, const page_file *f)
{
    if (f->measurements && f->measurements->duration >= 0)
        table_cell(t, "%.3g s", f->measurements->duration);
    else
        table_cell(t, f->measurements ? "not ended" : "-");
}

int page_measured(const page_cluster *k, cpm_error *e)
{
    const page_file *first = k->main ? k->main : page_next(k, NULL, NULL);
    table t = {0};
    make_cards(k, first);
    int status = make_hosts(k, first, e);
    if (!status)
        status = make_conditions(k, e);
    if (status)
        return status;
    table_head(&t, "file", "what it is", "processes", "hosts", "date", "took", "command", NULL);
    for (const page_file *f = NULL; (f = page_next(k, NULL, f));) {
        table_cell(&t, "%s", f->path);
        table_cell(&t, "%s", f->kind->name);
        count_cell(&t, f->n);
        count_cell(&t, f->on.count);
        fact_cell(&t, f, "date");
        duration_cell(&t, f);
        fact_cell(&t, f, "command");
    }
    block_table(&k->to, &t, "The files of this part, and the commands that made them", NULL);
    return CPM_OK;
}
