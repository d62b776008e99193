/* The model in words: how long messages take, on each level, and between which hosts they are
 * slow. */
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/checked.h"
#include "models/predict.h"
#include "tools/examine/show.h"
#include "tools/page/sections.h"

/* Messages whose times are told, and of how many pairs of processes at most on each level. */
static const size_t sizes[] = {1, 1024, 65536, 1048576};
enum { SIZES = 4, MOST_PAIRS = 256, MOST_PROCESSES = 512 };

typedef struct {
    int from, to;
    double seconds[SIZES];
} trip;

typedef struct {
    const cpm_model *m;
    trip at[MOST_PAIRS];
    int count;
    long all; /* pairs of the level */
} trips;

/* ---- times */

/* A message of two processes is a broadcast among them. */
static int time_message(const cpm_model *two, size_t bytes, double *out, cpm_error *e)
{
    cpm_collective c;
    int status = cpm_collective_parse("bcast:linear", &c, e);
    if (status)
        return status;
    c.at.n = 2;
    *out = cpm_predict_bytes(two, &c, bytes, NULL, NULL, e);
    return *out < 0 ? (int)*out : CPM_OK;
}

static int time_pair(const cpm_model *m, trip *t, cpm_error *e)
{
    cpm_model *two = NULL;
    int status = cpm_model_subset(m, (const int[]){t->from, t->to}, 2, &two, e);
    for (int s = 0; s < SIZES && !status; s++)
        status = time_message(two, sizes[s], &t->seconds[s], e);
    cpm_model_free(two);
    return status;
}

/* Of many processes every so many are looked at. */
static int step_of(const cpm_model *m)
{
    return (m->n + MOST_PROCESSES - 1) / MOST_PROCESSES;
}

static long count_pairs(const cpm_model *m, cpm_level level)
{
    long count = 0;
    int step = step_of(m);
    for (int i = 0; i < m->n; i += step)
        for (int j = 0; j < m->n; j += step)
            count += i != j && cpm_model_level(m, i, j) == level;
    return count;
}

/* Every so many of the level's pairs. */
static int time_level(const cpm_model *m, cpm_level level, trips *out, cpm_error *e)
{
    long seen = 0, every;
    int status = CPM_OK, step = step_of(m);
    *out = (trips){.m = m, .all = count_pairs(m, level)};
    every = (out->all + MOST_PAIRS - 1) / MOST_PAIRS;
    for (int i = 0; i < m->n; i += step)
        for (int j = 0; j < m->n && !status; j += step) {
            if (i == j || cpm_model_level(m, i, j) != level || seen++ % every)
                continue;
            out->at[out->count] = (trip){.from = i, .to = j};
            status = time_pair(m, &out->at[out->count++], e);
        }
    return status;
}

static int by_time(const void *a, const void *b)
{
    const trip *x = a, *y = b;
    return (x->seconds[0] > y->seconds[0]) - (x->seconds[0] < y->seconds[0]);
}

/* ---- tables */

static void size_cell(table *t, size_t bytes)
{
    if (bytes >= 1048576)
        table_cell(t, "%zu MB", bytes / 1048576);
    else if (bytes >= 1024)
        table_cell(t, "%zu KB", bytes / 1024);
    else
        table_cell(t, "%zu B", bytes);
}

static void add_sizes(table *t, const trips *x, cpm_level level)
{
    double time[MOST_PAIRS];
    for (int s = 0; s < SIZES; s++) {
        for (int k = 0; k < x->count; k++)
            time[k] = x->at[k].seconds[s];
        gsl_sort(time, 1, (size_t)x->count);
        double median = gsl_stats_median_from_sorted_data(time, 1, (size_t)x->count);
        table_cell(t, "%s", x->m->inside.count ? show_levels[level] : "between processes");
        size_cell(t, sizes[s]);
        table_us(t, time[0]);
        table_us(t, median);
        table_us(t, time[x->count - 1]);
        double rate = (double)sizes[s] / median / 1e6;
        table_cell(t, rate < 1000 ? "%.3g" : "%.0f", rate);
    }
}

static void say_slowest(const page_cluster *k, const trips *x)
{
    const trip *slow = &x->at[x->count - 1], *middle = &x->at[x->count / 2];
    double times = slow->seconds[0] / middle->seconds[0];
    if (x->count < 3 || !(times > 1.2))
        return;
    fputs("<li>", k->out);
    html_print(k->out, "The slowest way for a short message is from process %d", slow->from);
    html_print(k->out, *x->m->hosts[slow->from] ? " (host %s)" : "%s", x->m->hosts[slow->from]);
    html_print(k->out, " to process %d", slow->to);
    html_print(k->out, *x->m->hosts[slow->to] ? " (host %s)" : "%s", x->m->hosts[slow->to]);
    html_print(k->out, ": %.2f us, %.1f times the median.", slow->seconds[0] * 1e6, times);
    fputs("</li>\n", k->out);
}

static int write_times(const page_cluster *k, cpm_error *e)
{
    const cpm_model *m = k->main->model;
    table t = {0};
    trips *x = malloc(sizeof *x);
    int status = x ? CPM_OK : cpm_no_memory(e);
    bool some = false;
    table_head(&t, "messages", "size", "least [us]", "median [us]", "most [us]", "median [MB/s]",
               NULL);
    fputs("<ul>\n", k->out);
    for (cpm_level level = CPM_BETWEEN; level < CPM_LEVELS && !status; level++) {
        status = time_level(m, level, x, e);
        if (status || !x->count)
            continue;
        some = some || x->count < x->all || step_of(m) > 1;
        add_sizes(&t, x, level);
        qsort(x->at, (size_t)x->count, sizeof *x->at, by_time);
        say_slowest(k, x);
    }
    fputs("</ul>\n", k->out);
    free(x);
    int written = html_table(k->out, &t,
                             some ? "How long a message takes, one way, as the model predicts (of "
                                    "some of the pairs of processes)"
                                  : "How long a message takes, one way, as the model predicts",
                             e);
    return status ? status : written;
}

/* ---- words */

static void write_regimes(const page_cluster *k, const cpm_model *m)
{
    for (cpm_level level = CPM_BETWEEN; level < CPM_LEVELS; level++) {
        const cpm_sizes *of = cpm_model_regimes(m, level);
        if (!show_has_level(m, level) || of->count < 2)
            continue;
        fputs("<li>", k->out);
        html_print(k->out, "Messages %s are of %d kinds, which change at ",
                   m->inside.count ? show_levels[level] : "between processes", of->count);
        for (int s = 1; s < of->count; s++)
            html_print(k->out, "%s%zu",
                       s == 1               ? ""
                       : s + 1 == of->count ? " and "
                                            : ", ",
                       of->at[s]);
        fputs(" bytes.</li>\n", k->out);
    }
}

static void write_kind(const page_cluster *k, const cpm_model *m)
{
    fputs("<p>", k->out);
    html_print(k->out, "%s is a model of %d process%s", page_base_name(k->main->path), m->n,
               m->n == 1 ? "" : "es");
    if (k->main->on.count)
        html_print(k->out, " on %d host%s", k->main->on.count, k->main->on.count == 1 ? "" : "s");
    if (cpm_model_has_classes(m) && m->classes.count < m->n)
        html_print(k->out, ", in %d class%s of like ones", m->classes.count,
                   m->classes.count == 1 ? "" : "es");
    if (m->switches.count)
        html_print(k->out, ", at %d switches", m->switches.count);
    html_print(k->out, ", of the kind %s.", m->type->title);
    fputs("</p>\n", k->out);
}

static void write_check(const page_cluster *k, const cpm_model *m)
{
    char text[CPM_CHECKED_TEXT];
    cpm_checked c;
    if (!cpm_checked_of(&m->metadata, &c))
        return;
    bool bad = cpm_checked_is_bad(&c);
    html_element(k->out, bad ? "p class=\"bad\"" : "p",
                 "In its own check, of %d collectives that nothing was fitted to, it was %s.%s",
                 c.count, cpm_checked_text(&c, text),
                 bad ? " It does not describe its machine." : "");
}

int page_in_words(const page_cluster *k, cpm_error *e)
{
    const cpm_model *m = k->main->model;
    write_kind(k, m);
    write_check(k, m);
    fputs("<ul>\n", k->out);
    write_regimes(k, m);
    html_items(k->out, m->notes); /* how many regimes, which resources are shared */
    fputs("</ul>\n", k->out);
    return m->n > 1 ? write_times(k, e) : CPM_OK;
}
