/* The model in words: how long messages take, on each level, and between which hosts they are
 * slow. */
#include <stdio.h>

#include "tools/examine/show.h"
#include "tools/page/messages.h"
#include "tools/page/sections.h"

/* ---- times */

static void add_size(table *t, const message_pairs *x, cpm_level level, size_t bytes)
{
    char size[MESSAGES_SIZE];
    const message_times times = messages_time(x, bytes);
    double rate = (double)bytes / times.median / 1e6;
    table_cell(t, "%s", messages_level(x->m, level));
    table_cell(t, "%s", messages_size(bytes, size));
    table_us(t, times.least);
    table_us(t, times.median);
    table_us(t, times.most);
    table_cell(t, rate < 1000 ? "%.3g" : "%.0f", rate);
}

static void say_process(const cpm_model *m, int process, char *text, size_t size)
{
    const char *host = m->hosts[process];
    snprintf(text, size, "process %d%s%.200s%s", process, *host ? " (host " : "", host,
             *host ? ")" : "");
}

static void say_slowest(const page_cluster *k, json_t *items, const message_pairs *x)
{
    char from[256], to[256];
    const message_times t = messages_time(x, 1);
    if (x->count < 3 || !(t.most > 1.2 * t.median))
        return;
    say_process(x->m, t.slowest.from, from, sizeof from);
    say_process(x->m, t.slowest.to, to, sizeof to);
    block_item(&k->to, items,
               "The slowest way for a short message is from %s to %s: %.2f us, %.1f times the "
               "median.",
               from, to, t.most * 1e6, t.most / t.median);
}

/* A curve of many sizes: [bytes, us]. */
static void add_curve(const page_cluster *k, json_t *series, const message_pairs *x,
                      const char *name, size_t which)
{
    enum { MOST = 1 << 22 };
    json_t *line = json_object();
    block_set_text(&k->to, line, "name", name);
    json_t *at = block_set_list(&k->to, line, "at");
    for (size_t bytes = 1; bytes <= MOST; bytes += (bytes + 3) / 4) {
        const message_times t = messages_time(x, bytes);
        json_t *point = block_append_list(&k->to, at);
        block_append(&k->to, point, json_integer((json_int_t)bytes));
        block_append(&k->to, point,
                     block_number((const double[]){t.least, t.median, t.most}[which] * 1e6, 4));
    }
    block_append(&k->to, series, line);
}

static void add_curves(const page_cluster *k, json_t *series, const message_pairs *x,
                       cpm_level level)
{
    static const char *const which[] = {"least", "median", "most"};
    for (size_t i = 0; i < 3; i++) {
        char name[100];
        snprintf(name, sizeof name, "%s, %s", messages_level(x->m, level), which[i]);
        add_curve(k, series, x, name, i);
    }
}

static void make_times(const page_cluster *k, json_t *items)
{
    static const size_t sizes[] = {1, 1024, 65536, 1048576};
    const cpm_model *m = k->main->model;
    json_t *chart = json_object();
    json_t *series = block_set_list(&k->to, chart, "series");
    table t = {0};
    bool some = false;
    table_head(&t, "messages", "size", "least [us]", "median [us]", "most [us]", "median [MB/s]",
               NULL);
    for (cpm_level level = CPM_BETWEEN; level < CPM_LEVELS; level++) {
        message_pairs x;
        messages_find(m, level, &x);
        for (size_t s = 0; x.count && s < sizeof sizes / sizeof *sizes; s++)
            add_size(&t, &x, level, sizes[s]);
        if (x.count) {
            say_slowest(k, items, &x);
            add_curves(k, series, &x, level);
        }
        some = some || x.some;
    }
    const char *title = some ? "How long a message takes, one way, as the model predicts (of some "
                               "of the pairs of processes)"
                             : "How long a message takes, one way, as the model predicts";
    block_set_text(&k->to, chart, "is", "lines");
    block_set_text(&k->to, chart, "title", title);
    block_append(&k->to, k->to.list, chart);
    block_table(&k->to, &t, title, NULL);
}

/* ---- words */

static void say_regimes(const page_cluster *k, json_t *items, const cpm_model *m)
{
    for (cpm_level level = CPM_BETWEEN; level < CPM_LEVELS; level++) {
        const cpm_sizes *of = cpm_model_regimes(m, level);
        char sizes[400] = "";
        size_t length = 0;
        if (!show_has_level(m, level) || of->count < 2)
            continue;
        for (int s = 1; s < of->count && length < sizeof sizes; s++)
            length += (size_t)snprintf(sizes + length, sizeof sizes - length, "%s%zu",
                                       s == 1               ? ""
                                       : s + 1 == of->count ? " and "
                                                            : ", ",
                                       of->at[s]);
        block_item(&k->to, items, "Messages %s are of %d kinds, which change at %s bytes.",
                   messages_level(m, level), of->count, sizes);
    }
}

static void say_kind(const page_cluster *k, const cpm_model *m)
{
    char hosts[64] = "", classes[64] = "", switches[64] = "";
    if (k->main->on.count)
        snprintf(hosts, sizeof hosts, " on %d host%s", k->main->on.count,
                 k->main->on.count == 1 ? "" : "s");
    if (cpm_model_has_classes(m) && m->classes.count < m->n)
        snprintf(classes, sizeof classes, ", in %d class%s of like ones", m->classes.count,
                 m->classes.count == 1 ? "" : "es");
    if (m->switches.count)
        snprintf(switches, sizeof switches, ", at %d switches", m->switches.count);
    block_text(&k->to, NULL, "%s is a model of %d process%s%s%s%s, of the kind %s.",
               page_base_name(k->main->path), m->n, m->n == 1 ? "" : "es", hosts, classes, switches,
               m->type->title);
}

int page_in_words(const page_cluster *k, cpm_error *e)
{
    const cpm_model *m = k->main->model;
    (void)e;
    say_kind(k, m);
    json_t *items = block_items(&k->to);
    say_regimes(k, items, m);
    block_lines(&k->to, items, m->notes); /* how many regimes, which resources are shared */
    if (m->n > 1)
        make_times(k, items);
    return CPM_OK;
}
