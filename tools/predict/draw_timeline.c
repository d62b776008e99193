/* A picture of a predicted run: the walk tells its messages, two small files hold them, the
 * script timeline.gp draws these. */
#include "tools/predict/draw_timeline.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/schedule/timeline.h"
#include "models/walking.h"
#include "tools/examine/plot_data.h"
#include "tools/frame/program.h"
#include "tools/frame/unfinished.h"

/* A predicted run. */
typedef struct {
    cpm_timeline messages;
    double *finish; /* [n] */
    double end;
    int n;
} run;

static int predict(const cpm_model *m, const cpm_schedule *s, const cpm_block_sizes *sizes, run *r,
                   cpm_error *e)
{
    if (m->type->predict)
        return cpm_fail(e, CPM_EDATA,
                        "model %s predicts whole algorithms and knows no messages to draw",
                        m->type->name);
    r->n = s->n;
    r->finish = calloc((size_t)s->n, sizeof *r->finish);
    if (!r->finish)
        return cpm_no_memory(e);
    cpm_trace trace = cpm_timeline_trace(&r->messages);
    r->end = cpm_model_walk(m, s, sizes, &(cpm_walking){.trace = &trace}, r->finish, e);
    return r->end < 0 ? (int)r->end : cpm_timeline_check(&r->messages, e);
}

/* ---- files */

enum { SENDING, RECEIVING, WAITING };

/* What is too short to be seen is left out: its border would be all that there is of it. */
static void write_box(const run *r, double begin, double end, int rank, int kind, FILE *out)
{
    if (end - begin > 1e-4 * r->end || kind == WAITING)
        fprintf(out, "%.9g %.9g %d %d\n", begin, end, rank, kind);
}

/* Whatever a process does is drawn over its waiting. */
static void write_boxes(const run *r, FILE *out)
{
    for (int rank = 0; rank < r->n; rank++)
        write_box(r, 0, r->finish[rank], rank, WAITING, out);
    for (int k = 0; k < r->messages.count; k++) {
        const cpm_timed_message *m = &r->messages.at[k];
        write_box(r, m->send_begin, m->send_end, m->from, SENDING, out);
        write_box(r, m->recv_begin, m->recv_end, m->to, RECEIVING, out);
    }
}

static void write_ways(const run *r, FILE *out)
{
    for (int k = 0; k < r->messages.count; k++) {
        const cpm_timed_message *m = &r->messages.at[k];
        fprintf(out, "%.9g %d %.9g %d\n", m->left, m->from, m->arrival, m->to);
    }
}

static int write_file(const char *folder, const char *name, const run *r,
                      void (*write)(const run *r, FILE *out), cpm_error *e)
{
    FILE *out;
    int code = plot_file_open(folder, name, &out, e);
    if (code)
        return code;
    write(r, out);
    return plot_file_close(folder, out, e);
}

/* A unit in which a time line is easy to read. */
static const char *unit_of(const run *r, double *factor)
{
    *factor = r->end < 1e-2 ? 1e6 : r->end < 10 ? 1e3 : 1;
    return *factor > 1e3 ? "us" : *factor > 1 ? "ms" : "s";
}

/* "node003: 12" for each process. */
static int write_names(const cpm_model *m, const char *folder, cpm_error *e)
{
    enum { MOST = 40 };
    char **name = calloc((size_t)m->n, sizeof *name);
    int code = name ? CPM_OK : cpm_no_memory(e);
    for (int i = 0; !code && i < m->n; i++) {
        size_t size = strlen(m->hosts[i]) + 16;
        name[i] = malloc(size);
        if (name[i])
            snprintf(name[i], size, "%s: %d", m->hosts[i], i);
        else
            code = cpm_no_memory(e);
    }
    if (!code)
        code = plot_write_ticks(folder, name, m->n, MOST, e);
    for (int i = 0; name && i < m->n; i++)
        free(name[i]);
    free(name);
    return code;
}

static int draw(const run *r, const char *folder, const char *title, bool names, const char *output,
                cpm_error *e)
{
    char n[16], end[32], messages[16], whole[512], per_second[16];
    double factor;
    const char *shown = unit_of(r, &factor);
    snprintf(whole, sizeof whole, "%s: %.2f %s", title, r->end * factor, shown);
    snprintf(per_second, sizeof per_second, "%.0f", factor);
    snprintf(n, sizeof n, "%d", r->n);
    snprintf(end, sizeof end, "%.9g", r->end);
    snprintf(messages, sizeof messages, "%d", r->messages.count);
    int code = write_file(folder, "boxes", r, write_boxes, e);
    if (!code)
        code = write_file(folder, "ways", r, write_ways, e);
    if (!code)
        code = gnuplot_run("timeline",
                           (const char *const[]){output, folder, whole, n, end, messages, shown,
                                                 per_second, names ? "host" : "process", NULL},
                           e);
    return code;
}

int draw_check_messages(int64_t count, cpm_error *e)
{
    enum { MOST_MESSAGES = 1000 };
    if (count <= MOST_MESSAGES)
        return CPM_OK;
    return cpm_fail(e, CPM_EINVAL,
                    "a picture cannot show %lld messages (at most %d): " DRAW_FEWER
                    ", -o FILE.dot lists them all",
                    (long long)count, MOST_MESSAGES);
}

/* The rows of more would be so low that they are a picture of nothing, or higher than any paper. */
static int check_rows(int n, cpm_error *e)
{
    enum { MOST_ROWS = 500 };
    if (n <= MOST_ROWS)
        return CPM_OK;
    return cpm_fail(e, CPM_EINVAL, "a time line cannot show %d processes (at most %d): " DRAW_FEWER,
                    n, MOST_ROWS);
}

int draw_timeline(const cpm_model *m, const cpm_schedule *s, const cpm_block_sizes *sizes,
                  const char *title, const char *output, cpm_error *e)
{
    run r = {0};
    char folder[PATH_MAX];
    int code = predict(m, s, sizes, &r, e);
    if (!code)
        code = draw_check_messages(r.messages.count, e);
    if (!code)
        code = check_rows(r.n, e);
    if (!code)
        code = unfinished_folder_create(folder, sizeof folder, e);
    if (!code) {
        bool names = cpm_hosts_have_levels(&m->on);
        if (names)
            code = write_names(m, folder, e);
        if (!code)
            code = draw(&r, folder, title, names, output, e);
        unfinished_folder_remove(folder);
    }
    cpm_timeline_free(&r.messages);
    free(r.finish);
    return code;
}
