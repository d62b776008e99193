/* What was measured, where and when: the files of a cluster. */
#include <stdlib.h>
#include <string.h>

#include "tools/examine/show.h"
#include "tools/page/sections.h"

/* So many names of hosts are a list. */
enum { FEW_HOSTS = 16 };

/* ---- in large figures */

static void card(FILE *out, const char *value, const char *meaning)
{
    fputs("<div><b>", out);
    html_text(out, value);
    fputs("</b><span>", out);
    html_text(out, meaning);
    fputs("</span></div>\n", out);
}

static void number_card(FILE *out, int number, const char *one, const char *several)
{
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    card(out, text, number == 1 ? one : several);
}

/* The day of "2026-01-31T12:00:00Z". */
static void date_card(FILE *out, const cpm_metadata *metadata)
{
    const char *date = cpm_metadata_get(metadata, "date");
    char day[11];
    if (!date)
        return;
    snprintf(day, sizeof day, "%s", date);
    card(out, day, "measured on");
}

static void write_cards(const page_cluster *k, const page_file *f)
{
    fputs("<div class=\"facts\">\n", k->out);
    if (f->on.count)
        number_card(k->out, f->on.count, "host", "hosts");
    if (f->n)
        number_card(k->out, f->n, "process", "processes");
    date_card(k->out, &f->metadata);
    if (f->model)
        card(k->out, f->model->type->name, "model");
    fputs("</div>\n", k->out);
}

/* ---- hosts */

/* "node0, node1 and 254 more, node255 the last". */
static void write_hosts(const page_cluster *k, const page_file *f)
{
    int listed = f->on.count > FEW_HOSTS ? FEW_HOSTS / 2 : f->on.count;
    if (!f->on.count)
        return;
    fputs("<p>Hosts: ", k->out);
    for (int i = 0; i < listed; i++)
        html_print(k->out, "%s%s", i ? ", " : "", f->on.name[i]);
    if (listed < f->on.count)
        html_print(k->out, " and %d more, the last %s", f->on.count - listed,
                   f->on.name[f->on.count - 1]);
    fputs(".</p>\n", k->out);
}

/* Of the first file that says it. */
static void write_fact(const page_cluster *k, const char *key, const char *meaning)
{
    for (const page_file *f = NULL; (f = page_next(k, NULL, f));) {
        const char *value = cpm_metadata_get(&f->metadata, key);
        if (!value || !*value)
            continue;
        fputs("<li>", k->out);
        html_print(k->out, "%s: %s (%s)", meaning, value, page_base_name(f->path));
        fputs("</li>\n", k->out);
        return;
    }
}

/* A table of decisions says nothing of it. */
static void write_measured_by(const page_cluster *k)
{
    char by[200];
    for (const page_file *f = NULL; (f = page_next(k, NULL, f));)
        if ((f->model || f->measurements) && *show_measured_by(&f->metadata, by, sizeof by)) {
            fputs("<li>", k->out);
            html_print(k->out, "Measured by: %s (%s)", by, page_base_name(f->path));
            fputs("</li>\n", k->out);
            return;
        }
}

/* What was said while it was measured: each once, as a model has what its measurements say. */
static int write_warnings(const page_cluster *k, cpm_error *e)
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
            if (seen.count == before)
                continue;
            fputs("<li>", k->out);
            html_print(k->out, "Warning when it was measured: %s (%s)", x->value,
                       page_base_name(f->path));
            fputs("</li>\n", k->out);
        }
    cpm_metadata_clear(&seen);
    return status;
}

static int write_conditions(const page_cluster *k, cpm_error *e)
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
    fputs("<ul>\n", k->out);
    int status = write_warnings(k, e);
    write_measured_by(k);
    for (size_t i = 0; i < sizeof metadata / sizeof *metadata; i++)
        write_fact(k, metadata[i][0], metadata[i][1]);
    fputs("</ul>\n", k->out);
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
    write_cards(k, first);
    write_hosts(k, first);
    int status = write_conditions(k, e);
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
    return html_table(k->out, &t, "The files of this part, and the commands that made them", e);
}
