/* Panels of measured times: kinds of experiments, and operations with their algorithms. */
#include "tools/examine/plot_times.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/examine/plot_data.h"

enum { MOST_SERIES = 512 };

typedef struct {
    char name[CPM_EXPERIMENT_NAME];
    int panel;
} series;

typedef struct {
    const cpm_measurements *m;
    series at[MOST_SERIES];
    int count, panels;
    int *of; /* the series of each measurement; owned */
} drawing;

/* ---- what belongs together */

/* "bcast:chain:segment=8K" is a series of "bcast", "train" one of its own. */
static int panel_of(const drawing *d, const char *name)
{
    size_t length = strcspn(name, ":");
    for (int k = 0; k < d->count; k++)
        if (strncmp(d->at[k].name, name, length) == 0 && strchr(":", d->at[k].name[length]))
            return d->at[k].panel;
    return d->panels;
}

static int series_of(drawing *d, const cpm_experiment *x, cpm_error *e)
{
    series new;
    int k = 0;
    cpm_experiment_name(x, new.name, sizeof new.name);
    while (k < d->count && strcmp(d->at[k].name, new.name) != 0)
        k++;
    if (k < d->count)
        return k;
    if (k == MOST_SERIES)
        return cpm_fail(e, CPM_EDATA, "it holds more than %d algorithms: draw some of them",
                        MOST_SERIES);
    new.panel = panel_of(d, new.name);
    if (new.panel == d->panels)
        d->panels++;
    d->at[d->count++] = new;
    return k;
}

static int collect(drawing *d, cpm_error *e)
{
    d->of = malloc((size_t)d->m->count * sizeof *d->of);
    if (!d->of)
        return cpm_no_memory(e);
    for (int i = 0; i < d->m->count; i++) {
        d->of[i] = series_of(d, &d->m->at[i].what, e);
        if (d->of[i] < 0)
            return d->of[i];
    }
    return CPM_OK;
}

/* ---- axes */

/* What was varied: x. */
typedef enum { BY_SIZE, BY_PROCESS, BY_ALGORITHM } axis;

typedef struct {
    double least, most; /* of x; least is positive where others are */
    double lowest, highest;
    bool zero;         /* there is a size of 0 */
    axis by;           /* the sender or root, or the algorithm where there is one of these, too, if
                        * there is one size only */
    const char *label; /* of x */
} ranges;

/* Of sizes the longer one of a message and its reply. */
static double x_of(const drawing *d, int i, axis by)
{
    const cpm_experiment *what = &d->m->at[i].what;
    size_t longer = what->send_bytes > what->reply_bytes ? what->send_bytes : what->reply_bytes;
    return by == BY_SIZE ? (double)longer : by == BY_PROCESS ? what->i : d->of[i];
}

static void add_x(ranges *r, double x)
{
    r->zero = r->zero || (x == 0 && r->by == BY_SIZE);
    if (x > 0 || r->by != BY_SIZE) {
        r->least = fmin(r->least, x);
        r->most = fmax(r->most, x);
    }
}

typedef struct {
    double value, low, high; /* seconds */
} shown_time;

/* Of a collective its statistic, as tables have it; of other experiments what a fit makes of them,
 * as up to 8 repetitions the statistic's interval is their range. */
static shown_time shown_of(const cpm_measurements *m, const cpm_measurement *at)
{
    if (!at->what.kind)
        return (shown_time){cpm_summary_value(&at->summary, m->statistic), at->summary.ci_low,
                            at->summary.ci_high};
    double value = cpm_measurement_value(at, m->statistic);
    double half = cpm_measurement_half(at, m->statistic);
    if (m->statistic != CPM_MEDIAN || half != at->summary.huber_half)
        return (shown_time){value, at->summary.ci_low, at->summary.ci_high};
    return (shown_time){value, fmax(0, value - half), value + half};
}

/* The ends of intervals count as far as they leave something to be seen of the values. */
static void add_y(ranges *r, const cpm_measurements *m, const cpm_measurement *at)
{
    enum { FAR = 2 };
    shown_time t = shown_of(m, at);
    r->lowest = fmin(r->lowest, fmax(fmin(t.value, t.low), t.value / FAR));
    r->highest = fmax(r->highest, fmin(fmax(t.value, t.high), t.value * FAR));
}

static ranges ranges_by(const drawing *d, int panel, axis by)
{
    ranges r = {INFINITY, -INFINITY, INFINITY, 0, false, by, "size [bytes]"};
    for (int i = 0; i < d->m->count; i++)
        if (d->at[d->of[i]].panel == panel) {
            add_x(&r, x_of(d, i, by));
            add_y(&r, d->m, &d->m->at[i]);
            if (by == BY_PROCESS)
                r.label = d->m->at[i].what.kind ? "sender" : "root";
        }
    if (r.most < 0) /* of nothing but empty messages */
        r.least = r.most = 0;
    return r;
}

static bool is_varied(const ranges *r)
{
    return r->most > (r->zero ? 0 : r->least);
}

static ranges ranges_of(const drawing *d, int panel)
{
    for (axis by = BY_SIZE; by <= BY_ALGORITHM; by++) {
        ranges r = ranges_by(d, panel, by);
        if (is_varied(&r))
            return r;
    }
    return ranges_by(d, panel, BY_SIZE);
}

/* Sizes that grow a lot are drawn by their logarithms; size 0 stands left of them. */
static bool is_logarithmic(const ranges *r)
{
    enum { MUCH = 40 };
    return r->by == BY_SIZE && r->most >= MUCH * r->least && r->least > 0;
}

/* ---- files */

static void print_series(const drawing *d, int k, const ranges *r, FILE *out)
{
    double zero = is_logarithmic(r) ? r->least / 2 : 0;
    for (int i = 0; i < d->m->count; i++) {
        const cpm_measurement *at = &d->m->at[i];
        double x = x_of(d, i, r->by);
        shown_time t = shown_of(d->m, at);
        if (d->of[i] == k)
            fprintf(out, "%.9g %.9g %.9g %.9g\n", x > 0 ? x : zero, t.value, t.low, t.high);
    }
    fputs("\n\n", out); /* gnuplot tells blocks by two empty lines */
}

static int write_series(const drawing *d, int panel, const ranges *r, const char *folder,
                        cpm_error *e)
{
    FILE *f;
    char name[16];
    snprintf(name, sizeof name, "%d", panel + 1);
    int status = plot_file_open(folder, name, &f, e);
    if (status)
        return status;
    for (int k = 0; k < d->count; k++)
        if (d->at[k].panel == panel)
            print_series(d, k, r, f);
    return plot_file_close(folder, f, e);
}

/* Returns how many series it has. */
static int print_titles(const drawing *d, int panel, FILE *out)
{
    int count = 0;
    for (int k = 0; k < d->count; k++)
        count += d->at[k].panel == panel;
    fprintf(out, "SERIES = %d; array TITLE[%d]\n", count, count);
    for (int k = 0, at = 0; k < d->count; k++)
        if (d->at[k].panel == panel) {
            const char *algorithm = strchr(d->at[k].name, ':');
            fprintf(out, "TITLE[%d] = ", ++at);
            plot_print_quoted(algorithm ? algorithm + 1 : d->at[k].name, out);
            fputc('\n', out);
        }
    return count;
}

static int print_panel(const drawing *d, int panel, const ranges *r, FILE *out)
{
    static const char *const names[] = {"size", "process", "algorithm"};
    int k = 0;
    while (d->at[k].panel != panel)
        k++;
    int count = print_titles(d, panel, out);
    const char *name = d->at[k].name;
    fprintf(out, "FILE = FOLDER . \"/%d\"; XLABEL = \"%s\"; NAME = \"%.*s\"\n", panel + 1, r->label,
            count > 1 ? (int)strcspn(name, ":") : (int)strlen(name), name);
    fprintf(out, "LEAST = %.9g; MOST = %.9g; LOWEST = %.9g; HIGHEST = %.9g\n", r->least, r->most,
            r->lowest * 1e6, r->highest * 1e6);
    fprintf(out, "LOGARITHMIC = %d; ZERO = %d; BY = \"%s\"\nload DIR . \"times_panel.gp\"\n",
            is_logarithmic(r), r->zero, names[r->by]);
    return count;
}

static int write_panels(const drawing *d, const char *folder, int *most, cpm_error *e)
{
    FILE *f;
    int status = plot_file_open(folder, "panels", &f, e);
    if (status)
        return status;
    *most = 0;
    for (int panel = 0; !status && panel < d->panels; panel++) {
        ranges r = ranges_of(d, panel);
        int count = print_panel(d, panel, &r, f);
        *most = count > *most ? count : *most;
        status = write_series(d, panel, &r, folder, e);
    }
    int closed = plot_file_close(folder, f, e);
    return status ? status : closed;
}

int plot_write_times(const char *folder, const cpm_measurements *m, int *panels, int *most,
                     cpm_error *e)
{
    drawing *d = calloc(1, sizeof *d);
    if (!d)
        return cpm_no_memory(e);
    d->m = m;
    int status = collect(d, e);
    if (!status)
        status = write_panels(d, folder, most, e);
    *panels = d->panels;
    free(d->of);
    free(d);
    return status;
}
