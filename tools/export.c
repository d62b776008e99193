/* cpm export: an algorithm in the language of another program. */
#include "mpib/schedule/goal.h"
#include "tools/choices.h"
#include "tools/measuring.h"
#include "tools/options.h"
#include "tools/placement.h"

static void put_comment(const call *c, const cpm_experiment *x, FILE *out)
{
    fprintf(out, "// cpm export: %s, blocks of %zu bytes", c->operand[0], c->set.message);
    if (x->operation->rooted)
        fprintf(out, ", root %d", x->i);
    putc('\n', out);
}

static int write_schedule(const call *c, const cpm_experiment *x, const cpm_schedule *s,
                          cpm_error *e)
{
    FILE *out;
    int code = output_open(c->set.output, &out, e);
    if (code)
        return code;
    put_comment(c, x, out);
    code = cpm_goal_write(
        s, &(cpm_block_sizes){.bytes = x->operation->dataless ? 0 : c->set.message}, out, e);
    int closed = output_close(out, c->set.output, e);
    return code ? code : closed;
}

static int run(call *c, cpm_error *e)
{
    cpm_experiment x;
    cpm_schedule *s = NULL;
    placement placed = {0};
    int code = placement_open(&c->set, c->set.processes, &placed, e);
    choices_context context = {
        .n = c->set.processes, .root = c->set.root, .placement = &placed.known};
    if (!code)
        code = choices_one(c->operand[0], &context, &x, e);
    if (!code)
        code = output_check(c->set.output, e);
    cpm_call shape = code ? (cpm_call){0} : cpm_experiment_call(&x, c->set.processes);
    shape.bytes = c->set.message;
    if (!code)
        code = cpm_schedule_create(x.algorithm, &shape, &s, e);
    if (!code)
        code = write_schedule(c, &x, s, e);
    cpm_schedule_free(s);
    placement_close(&placed);
    return code;
}

static int check(const call *c, cpm_error *e)
{
    return c->set.goal ? CPM_OK : cpm_fail(e, CPM_EINVAL, "in which language? known is --goal");
}

static void defaults(settings *s)
{
    s->message = 1024;
    s->processes = 16;
}

/* clang-format off */
static const option own[] = {
    {"goal", 0, NULL, "as GOAL, the language of LogGOPSim", offsetof(settings, goal), NULL},
    {"processes", 'n', "N", "number of processes (default 16)", offsetof(settings, processes),
     set_integer},
    {"size", 'm', "SIZE", "block size (default 1K)", offsetof(settings, message), set_size},
    {"root", 0, "R", "root process (default 0)", offsetof(settings, root), set_integer},
    {"output", 'o', "FILE", "where it goes (default: standard output)", offsetof(settings, output),
     set_text},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */
static const option *const options[] = {own, topology_options, NULL};

const command cpm_export = {
    .name = "export",
    .operands = "OP:ALGORITHM",
    .summary = "write an algorithm for another program",
    .description = "Writes the messages of an algorithm and their order for LogGOPSim: txt2bin -i "
                   "FILE.goal -o FILE.bin; LogGOPSim -f FILE.bin.",
    .example = "cpm export --goal bcast:binomial -n 1024 -m 64K -o bcast.goal",
    .min_operands = 1,
    .max_operands = 1,
    .defaults = defaults,
    .check = check,
    .options = options,
    .run = run,
};
