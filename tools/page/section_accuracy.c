/* Predictions against observations: errors of every operation, and pictures over the size; and what
 * was observed. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "tools/examine/compare.h"
#include "tools/examine/plot_words.h"
#include "tools/frame/program.h"
#include "tools/page/sections.h"

enum { MOST_PICTURES = 24 };

/* ---- which files */

static bool is_of_collective(const cpm_measurement *r)
{
    return !r->what.kind && r->summary.median > 0;
}

/* Whether a file has collectives; own: by CPM's algorithms. */
static bool has_collectives(const page_file *f, bool own)
{
    for (int i = 0; f->measurements && i < f->measurements->count; i++) {
        const cpm_measurement *r = &f->measurements->at[i];
        if (is_of_collective(r) && (!own || r->what.collective.algorithm))
            return true;
    }
    return false;
}

static bool is_comparable(const page_cluster *k, const page_file *f)
{
    return k->main && f->n == k->main->n && (f->model || has_collectives(f, true));
}

static bool has_comparable(const page_cluster *k)
{
    for (const page_file *f = NULL; (f = page_next(k, "measurements", f));)
        if (is_comparable(k, f))
            return true;
    return false;
}

bool page_has_observed(const page_cluster *k)
{
    return has_comparable(k) || page_has(k, "validation") || page_has(k, "comparison") ||
           page_has(k, "comparison of runs");
}

bool page_has_collectives(const page_cluster *k)
{
    for (const page_file *f = NULL; (f = page_next(k, "measurements", f));)
        if (has_collectives(f, false))
            return true;
    return false;
}

/* ---- pictures of tables */

/* How a table of predictions is drawn, one algorithm at a time. */
typedef struct {
    const char *script, *writer;
    int columns, column; /* that hold words; that of the algorithm */
} style;

static const style comparison = {"comparison", "cpm compare", 3, 1};
static const style validation = {"validation", "cpm validate", 1, 0};

typedef struct {
    const page_cluster *k;
    const style *by;
    const char *table;          /* its path */
    const char *const *made_by; /* the command that draws it */
    char words[3][PLOT_LIST];   /* of its first columns */
} tabled;

static int draw_algorithm(const tabled *t, const char *quoted, cpm_error *e)
{
    char output[PATH_MAX + 16], data[PATH_MAX + 2], root[32];
    snprintf(output, sizeof output, "%s/picture.svg", t->k->folder);
    snprintf(root, sizeof root, "%.*s", (int)strcspn(t->words[2] + 1, "\""), t->words[2] + 1);
    const char *models = t->by == &comparison ? t->words[0] : NULL;
    return gnuplot_run(t->by->script,
                       (const char *const[]){output, program_file(t->table, data, sizeof data), " ",
                                             quoted, models, root, NULL},
                       e);
}

static int put_algorithm(const tabled *t, const char *quoted, cpm_error *e)
{
    char path[PATH_MAX + 16], caption[PLOT_LIST];
    int status = draw_algorithm(t, quoted, e);
    snprintf(path, sizeof path, "%s/picture.svg", t->k->folder);
    snprintf(caption, sizeof caption, "%.*s: predicted and observed", (int)strlen(quoted) - 2,
             quoted + 1);
    return status ? status : page_figure(t->k, path, caption, t->made_by, e);
}

static int put_algorithms(const tabled *t, cpm_error *e)
{
    int status = CPM_OK, count = 0;
    const char *word = t->words[t->by->column];
    fputs("<div class=\"figures\">\n", t->k->out);
    for (; *word && !status && count < MOST_PICTURES; count++) {
        char quoted[PLOT_LIST];
        int length = 2 + (int)strcspn(word + 1, "\"");
        snprintf(quoted, sizeof quoted, "%.*s", length, word);
        status = put_algorithm(t, quoted, e);
        word += length + (word[length] == ' ');
    }
    fputs("</div>\n", t->k->out);
    if (*word && !status)
        html_element(t->k->out, "p class=\"note\"", "Only the first %d algorithms are drawn.",
                     MOST_PICTURES);
    return status;
}

/* Says on the page what is not installed. */
static int put_pictures(tabled *t, cpm_error *e)
{
    cpm_error why = {0};
    int status = plot_words_read(t->table, t->by->writer, t->by->columns, t->words, &why);
    if (!status)
        status = put_algorithms(t, &why);
    return status ? page_without_picture(t->k, &why, e) : CPM_OK;
}

/* ---- models against observations */

/* Comparable files: models first, then observations. Returns how many. */
static int list_operands(const page_cluster *k, const char **out)
{
    static const char *const kinds[] = {"model", "measurements"};
    int count = 0;
    for (int i = 0; i < 2; i++)
        for (const page_file *f = NULL; (f = page_next(k, kinds[i], f));)
            if (is_comparable(k, f))
                out[count++] = f->path;
    return count;
}

static int put_comparison(const page_cluster *k, const char **operand, int count, cpm_error *e)
{
    char path[PATH_MAX + 16];
    table t = {0};
    cpm_error why = {0};
    snprintf(path, sizeof path, "%s/comparison.tsv", k->folder);
    compare_settings set = {.shared.out.path = path};
    call c = {.operand = (char **)operand, .operands = count, .set = &set.shared};
    if (compare_tabulate(&c, &t, &why)) {
        table_clear(&t);
        return page_without(k, "Not compared", &why, e);
    }
    int status = html_table(k->out, &t,
                            "Mean absolute relative error of predictions over sizes and roots; "
                            "observations: how much these vary. \"homogeneous\": the same model "
                            "with the averages of its parameters",
                            e);
    tabled pictures = {.k = k,
                       .by = &comparison,
                       .table = path,
                       .made_by = (const char *const[]){"cpm plot", "comparison.tsv", NULL}};
    return status ? status : put_pictures(&pictures, e);
}

/* "cpm compare a.mod b.meas -o comparison.tsv" */
static void put_command(const page_cluster *k, const char **operand, int count)
{
    operand[count] = "-o";
    operand[count + 1] = "comparison.tsv";
    operand[count + 2] = NULL;
    page_command(k, "Made by ", operand - 1);
}

static int compare_files(const page_cluster *k, cpm_error *e)
{
    const char **words = calloc((size_t)k->files->count + 4, sizeof *words);
    if (!words)
        return cpm_no_memory(e);
    words[0] = "cpm compare";
    int count = list_operands(k, words + 1);
    int status = put_comparison(k, words + 1, count, e);
    if (!status)
        put_command(k, words + 1, count);
    free(words);
    return status;
}

/* ---- tables that were given */

static int read_rows(cpm_lines *l, table *t)
{
    int status = CPM_OK;
    for (char *line; (line = cpm_lines_next(l, &status));) {
        int cells = 0;
        if (*line == '#')
            continue;
        for (char *word; (word = strsep(&line, "\t")); cells++)
            if (!t->columns || t->count < t->columns || cells < t->columns)
                table_cell(t, "%s", word);
        if (!t->columns)
            t->columns = cells;
        for (; cells < t->columns; cells++)
            table_cell(t, "-");
    }
    return status;
}

static int put_table(const page_cluster *k, const char *path, cpm_error *e)
{
    cpm_lines l;
    table t = {0};
    int status = cpm_lines_open(&l, path, e);
    if (!status)
        status = read_rows(&l, &t);
    cpm_lines_close(&l);
    fputs("<details><summary>All rows</summary>\n", k->out);
    if (!status)
        status = html_table(k->out, &t, path, e);
    fputs("</details>\n", k->out);
    table_clear(&t);
    return status;
}

/* by: NULL: there are no pictures of it. */
static int put_tables(const page_cluster *k, const char *kind, const style *by, cpm_error *e)
{
    int status = CPM_OK;
    for (const page_file *f = NULL; !status && (f = page_next(k, kind, f));) {
        tabled t = {.k = k,
                    .by = by,
                    .table = f->path,
                    .made_by = (const char *const[]){"cpm plot", f->path, NULL}};
        html_element(k->out, "h4", "%s", page_base_name(f->path));
        status = by ? put_pictures(&t, e) : CPM_OK;
        if (!status)
            status = put_table(k, f->path, e);
    }
    return status;
}

int page_accuracy(const page_cluster *k, cpm_error *e)
{
    int status = has_comparable(k) ? compare_files(k, e) : CPM_OK;
    if (!status)
        status = put_tables(k, "validation", &validation, e);
    if (!status)
        status = put_tables(k, "comparison", &comparison, e);
    if (!status)
        status = put_tables(k, "comparison of runs", NULL, e);
    return status;
}

/* ---- what was observed */

static void add_observations(table *t, const page_file *f)
{
    char name[CPM_EXPERIMENT_NAME];
    for (int i = 0; i < f->measurements->count; i++) {
        const cpm_measurement *r = &f->measurements->at[i];
        if (!is_of_collective(r))
            continue;
        cpm_experiment_name(&r->what, name, sizeof name);
        table_cell(t, "%s", name);
        table_cell(t, "%d", r->what.i);
        table_cell(t, "%zu", r->what.send_bytes);
        table_us(t, cpm_summary_value(&r->summary, f->measurements->statistic));
        table_us(t, r->summary.ci_low);
        table_us(t, r->summary.ci_high);
        table_cell(t, "%d", r->summary.reps);
        table_cell(t, "%s", page_base_name(f->path));
    }
}

int page_observations(const page_cluster *k, cpm_error *e)
{
    table t = {0};
    table_head(&t, "collective", "root", "bytes", "time [us]", "from [us]", "to [us]",
               "repetitions", "file", NULL);
    for (const page_file *f = NULL; (f = page_next(k, "measurements", f));)
        add_observations(&t, f);
    fputs("<details><summary>Every observation with its confidence interval</summary>\n", k->out);
    int status = html_table(k->out, &t, "Observed collectives; from, to: confidence interval", e);
    fputs("</details>\n", k->out);
    return status;
}
