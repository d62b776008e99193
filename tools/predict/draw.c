/* cpm draw: a picture of an algorithm, or of a predicted run of it. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"
#include "collectives/schedule/draw.h"
#include "tools/examine/plot_data.h"
#include "tools/frame/choices.h"
#include "tools/frame/options.h"
#include "tools/frame/output.h"
#include "tools/frame/placement.h"
#include "tools/frame/program.h"
#include "tools/frame/unfinished.h"
#include "tools/predict/beyond.h"
#include "tools/predict/draw_timeline.h"

/* What to draw. */
typedef struct {
    settings shared;
    const char *model;
    int processes;
} draw_settings;

static draw_settings *draw_of(const call *c)
{
    return (draw_settings *)c->set;
}

enum { PROCESSES = 16, BYTES = 1024, MOST_PROCESSES = 4096 };

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), of_end = strlen(end);
    return length >= of_end && strcmp(text + length - of_end, end) == 0;
}

static bool is_text(const char *output)
{
    return !output_is_file(output) || ends_with(output, ".dot");
}

/* ---- the graph */

static int write_text(const cpm_graph *g, const cpm_hosts *hosts, const char *title,
                      const char *path, cpm_error *e)
{
    cpm_new_file out;
    int code = output_open(path, CPM_FILE_GRAPH, &out, e);
    if (code)
        return code;
    code = cpm_draw_graph(g, hosts, title, out.stream, e);
    return cpm_new_file_close(&out, code, e);
}

/* What dot -Tplain says of it: "graph 1 4.4 0.99", how much it was scaled down, and how many inches
 * it was wide and high before. */
static int check_size(void *context, cpm_error *e)
{
    static const char head[] = "graph ";
    const char *plain = context;
    char line[128] = "", *at = line + sizeof head - 1;
    FILE *f = fopen(plain, "re");
    bool told = f && fgets(line, sizeof line, f) && strncmp(line, head, sizeof head - 1) == 0;
    if (f)
        fclose(f);
    if (!told || cpm_number(at, &at) >= 1)
        return CPM_OK;
    double width = cpm_number(at, &at), height = cpm_number(at, &at);
    return cpm_fail(
        e, CPM_EINVAL,
        "a picture of %.0f x %.0f cm is too large to be read (at most 119, as a sheet of A0 "
        "is long): " DRAW_FEWER ", -o FILE.dot lists all messages",
        2.54 * width, 2.54 * height);
}

/* dot -Tpng graph -o picture -Tplain -o plain, where the size is that of the largest paper: what is
 * larger is scaled down, so that it takes no memory, and refused. */
static int render(const char *graph, const char *picture, cpm_error *e)
{
    enum { OUTPUT = 5 };
    char format[16], plain[PATH_MAX + 32];
    snprintf(format, sizeof format, "-T%s", strrchr(picture, '.') + 1);
    snprintf(plain, sizeof plain, "%s.plain", graph);
    char *argv[] = {"dot", "-Gsize=46.8,46.8", format, (char *)graph, "-o",
                    NULL,  "-Tplain",          "-o",   plain,         NULL};
    return program_draw(&(program_picture){argv, OUTPUT, "graphviz", picture, check_size, plain},
                        e);
}

static int draw_picture(const cpm_graph *g, const cpm_hosts *hosts, const char *title,
                        const char *output, cpm_error *e)
{
    FILE *f;
    char folder[PATH_MAX], text[PATH_MAX + 16];
    int code = unfinished_folder_create(folder, sizeof folder, e);
    if (code)
        return code;
    snprintf(text, sizeof text, "%s/graph", folder);
    code = plot_file_open(folder, "graph", &f, e);
    if (!code) {
        code = cpm_draw_graph(g, hosts, title, f, e);
        int closed = plot_file_close(folder, f, e);
        code = code ? code : closed;
    }
    if (!code)
        code = render(text, output, e);
    unfinished_folder_remove(folder);
    return code;
}

static int draw_schedule(const cpm_schedule *s, bool empty, const cpm_hosts *hosts,
                         const char *title, const char *output, cpm_error *e)
{
    cpm_graph g = {0};
    int code = cpm_graph_create(s, &g, e);
    if (code)
        return code;
    if (empty)
        cpm_graph_empty(&g);
    code = is_text(output) ? CPM_OK : draw_check_messages(g.count, e);
    if (!code)
        code = (is_text(output) ? write_text : draw_picture)(&g, hosts, title, output, e);
    cpm_graph_free(&g);
    return code;
}

/* ---- the subcommand */

static void make_title(const call *c, const cpm_collective *x, size_t bytes, const cpm_model *m,
                       char *title, size_t size)
{
    char root[32] = "", model[96] = "";
    if (x->operation->rooted)
        snprintf(root, sizeof root, ", root %d", x->at.root);
    if (m)
        snprintf(model, sizeof model, ", %zu bytes, %s", bytes, m->type->name);
    snprintf(title, size, "%s, %d process%s%s%s", c->operand[0], x->at.n, x->at.n == 1 ? "" : "es",
             root, model);
}

static int draw_sized(call *c, const cpm_collective *x, const cpm_block_sizes *sizes,
                      const cpm_model *m, cpm_error *e)
{
    const char *output = c->set->out.path;
    const cpm_block_sizes none = {0};
    bool dataless = x->operation->dataless;
    char title[512];
    cpm_schedule *s = NULL;
    int code = cpm_collective_schedule(x, sizes, &s, e);
    if (code)
        return code;
    make_title(c, x, sizes->bytes, m, title, sizeof title);
    code = m ? draw_timeline(m, s, dataless ? &none : sizes, title, output, e)
             : draw_schedule(s, dataless, x->at.hosts, title, output, e);
    cpm_schedule_free(s);
    if (!code && !is_text(output))
        puts(output);
    return code;
}

static int draw_placed(call *c, placement *placed, int n, const cpm_model *m, cpm_error *e)
{
    cpm_collective x;
    size_t *each = NULL, bytes = c->set->calls.sizes.at[0];
    choices_context context = {.n = n,
                               .root = c->set->calls.root,
                               .placement = &placed->known,
                               .combining = CPM_COMBINING_USUAL};
    if (n > MOST_PROCESSES)
        return cpm_fail(e, CPM_EINVAL, "%d processes are too many for a picture (at most %d)", n,
                        MOST_PROCESSES);
    int code = choices_one(c->operand[0], &context, &x, e);
    if (!code)
        code = placement_check(placed, c->set, &(choices){&x, 1}, e);
    if (!code)
        code = cpm_collective_sizes(&x, bytes, &each, e);
    if (!code)
        code = draw_sized(c, &x, &(cpm_block_sizes){.bytes = bytes, .each = each}, m, e);
    free(each);
    return code;
}

static int draw_with(call *c, const cpm_model *m, cpm_error *e)
{
    placement placed = {0};
    int n = draw_of(c)->processes >= 0                  ? draw_of(c)->processes
            : m                                         ? m->n
            : c->set->where.map || c->set->where.layout ? -1
                                                        : PROCESSES;
    if (m && n > m->n)
        return cpm_fail(e, CPM_EPROCESS, "%s has %d processes, not %d", draw_of(c)->model, m->n, n);
    int code = placement_open(c->set, n, &placed, e);
    if (!code && m && m->n == placed.n)
        placement_of_model(&placed, m);
    if (!code && !c->set->calls.sizes.count)
        code = cpm_sizes_add(&c->set->calls.sizes, BYTES, e);
    if (!code)
        code = draw_placed(c, &placed, placed.n, m, e);
    placement_close(&placed);
    return code;
}

static int run(call *c, cpm_error *e)
{
    cpm_model *m = NULL;
    cpm_file_kind kind = is_text(c->set->out.path) ? CPM_FILE_GRAPH : CPM_FILE_PICTURE;
    int code = output_check(c->set->out.path, kind, e);
    if (!code && draw_of(c)->model)
        code = cpm_model_read(draw_of(c)->model, &m, e);
    if (!code && m)
        code = placement_lay_out(c->set, &m, e);
    if (!code && m)
        code = beyond_warn(m, beyond_largest(&c->set->calls.sizes), e);
    if (!code)
        code = draw_with(c, m, e);
    cpm_model_free(m);
    return code;
}

static int check(const call *c, cpm_error *e)
{
    bool text = is_text(c->set->out.path);
    if (c->set->calls.sizes.count > 1)
        return cpm_fail(e, CPM_EINVAL, "--size: a picture shows one size, not %d",
                        c->set->calls.sizes.count);
    if (draw_of(c)->model && text)
        return cpm_fail(e, CPM_EINVAL, "a time line (--model) needs -o FILE.svg, .pdf or .png");
    return text ? CPM_OK : plot_check_format(c->set->out.path, e);
}

static void defaults(void *set)
{
    draw_settings *s = set;
    s->processes = -1; /* as many as are usual */
}

/* clang-format off */
static const option own[] = {
    {"processes", 'n', "N", "number of processes (default 16, or the model's)",
     offsetof(draw_settings, processes), set_integer},
    {"root", 0, "R", "root process (default 0)", offsetof(settings, calls.root), set_integer},
    {"model", 0, "FILE.mod", "draw the time line of the run that this model predicts",
     offsetof(draw_settings, model), set_text},
    {"size", 'm', "SIZE", "block size (default 1K), for --model and segment=...", offsetof(settings, calls.sizes),
     set_sizes},
    {"output", 'o', "FILE", "write a picture (.svg, .pdf, .png), or the graph as text (.dot; "
     "default: standard output)", offsetof(settings, out.path), set_new_file},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const command cpm_draw_command = {
    .name = "draw",
    .operands = "OP:ALGORITHM",
    .summary = "draw the messages of an algorithm, or a predicted run of it",
    .description = "Draws who sends how many blocks to whom. The picture is a tree if the "
                   "algorithm is one, otherwise a circle of processes for each round. In a "
                   "round, processes wait for each other. With --model, draws the time line of "
                   "the predicted run, with a row per process. Limits: 1000 messages, paper of "
                   "size A0, and 500 processes in time lines. Needs Graphviz for graphs, gnuplot "
                   "for time lines.",
    .example = "cpm draw scatter:binomial -n 16 -o tree.svg\n"
               "cpm draw scatter:binomial --model cluster.mod -m 64K -o run.png",
    .min_operands = 1,
    .max_operands = 1,
    .defaults = defaults,
    .check = check,
    .settings = sizeof(draw_settings),
    .options = {own, placement_options, graph_options, topology_options, layout_options,
                force_options},
    .run = run,
};
