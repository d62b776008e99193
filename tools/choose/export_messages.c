/* cpm export --goal, --schedule: the messages of an algorithm, for LogGOPSim and for CPM itself. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/numbers.h"
#include "collectives/schedule/goal.h"
#include "collectives/schedule_file.h"
#include "models/loggp.h"
#include "tools/choose/export.h"
#include "tools/frame/choices.h"
#include "tools/frame/output.h"
#include "tools/frame/placement.h"

static void put_comment(const call *c, const cpm_collective *x, FILE *out)
{
    fprintf(out, "%s: %s, blocks of %zu bytes",
            export_of(c)->goal ? "// cpm export" : "# cpm schedule", c->operand[0],
            export_of(c)->message);
    if (x->operation->rooted)
        fprintf(out, ", root %d", x->at.root);
    putc('\n', out);
}

static cpm_file_kind kind_of(const call *c)
{
    return export_of(c)->goal ? CPM_FILE_GOAL : CPM_FILE_SCHEDULE;
}

static int write_list(const cpm_collective *x, const cpm_schedule *s, FILE *out, cpm_error *e)
{
    cpm_messages m = {0};
    int code = cpm_messages_of(s, &m, e);
    if (!code && cpm_hosts_have_levels(x->at.hosts))
        code = cpm_messages_set_hosts(&m, x->at.hosts, e);
    if (!code)
        cpm_schedule_print(&m, NULL, out);
    cpm_messages_clear(&m);
    return code;
}

static int write_schedule(const call *c, const cpm_collective *x, const cpm_schedule *s,
                          cpm_error *e)
{
    const cpm_block_sizes sizes = {.bytes = x->operation->dataless ? 0 : export_of(c)->message};
    cpm_new_file out;
    int code = output_open(c->set->out.path, kind_of(c), &out, e);
    if (code)
        return code;
    put_comment(c, x, out.stream);
    code = export_of(c)->goal ? cpm_goal_write(s, &sizes, out.stream, e)
                              : write_list(x, s, out.stream, e);
    return cpm_new_file_close(&out, code, e);
}

/* ---- how to use it */

/* LogGOPSim's parameters are integers, and their unit is what one takes it to be. */
static int check_parameters(const call *c, const cpm_model *m, cpm_error *e)
{
    const double units = export_of(c)->picoseconds ? 1e12 : 1e9;
    if (m->type != &cpm_loggp)
        return cpm_fail(e, CPM_EINVAL, "--model: LogGOPSim needs a loggp model, not %s",
                        m->type->name);
    for (int p = 0; p < m->type->count; p++)
        if (!(units * cpm_parameter_mean(m, p) < INT_MAX))
            return cpm_fail(e, CPM_EINVAL, "--model: %s is too long for LogGOPSim in %s",
                            m->type->parameters[p].name,
                            export_of(c)->picoseconds ? "picoseconds" : "nanoseconds");
    return CPM_OK;
}

static int read_parameters(const call *c, cpm_model **m, cpm_error *e)
{
    if (!export_of(c)->model)
        return CPM_OK;
    int status = cpm_model_read(export_of(c)->model, m, e);
    return status ? status : check_parameters(c, *m, e);
}

static void say_parameters(const call *c, const cpm_model *m)
{
    const double units = export_of(c)->picoseconds ? 1e12 : 1e9;
    double worst = 0;
    for (int p = 0; p < m->type->count; p++) {
        double value = units * cpm_parameter_mean(m, p);
        fprintf(stderr, " -%s %.0f", m->type->parameters[p].name, value);
        worst = fmax(worst, value > 0 ? fabs(round(value) / value - 1) : 0);
    }
    fprintf(stderr, ", in %s\n", export_of(c)->picoseconds ? "picoseconds" : "nanoseconds");
    if (worst > 0.01)
        fprintf(stderr, "cpm export: rounding moves parameters by up to %.0f %%%s\n", 100 * worst,
                export_of(c)->picoseconds ? "" : ": --picoseconds");
}

/* Without a file, where the text goes, nobody runs it as it is. */
static void say(const call *c, const cpm_model *m)
{
    char shown[PATH_MAX];
    const char *file =
        output_is_file(c->set->out.path) ? cpm_escape(c->set->out.path, shown, sizeof shown) : NULL;
    if (!file && !m)
        return;
    fprintf(stderr,
            "cpm export: use it with txt2bin -i %s -o FILE.bin and LogGOPSim -f FILE.bin -S %d",
            file ? file : "FILE", INT_MAX);
    if (m)
        say_parameters(c, m);
    else
        putc('\n', stderr);
    fputs("cpm export: that takes messages of less than 2 GiB as eager, and longer ones for "
          "rendezvous\n",
          stderr);
}

int export_messages(call *c, cpm_error *e)
{
    cpm_model *m = NULL;
    cpm_collective x;
    cpm_schedule *s = NULL;
    placement placed = {0};
    const int n = export_of(c)->processes == EXPORT_UNSET ? 16 : export_of(c)->processes;
    if (n > CPM_MOST_PROCESSES)
        return cpm_fail(e, CPM_EINVAL, "--processes: %d are too many (at most %d)", n,
                        CPM_MOST_PROCESSES);
    int code = placement_open(c->set, n, &placed, e);
    choices_context context = {.n = n, .root = c->set->calls.root, .placement = &placed.known};
    if (!code)
        code = choices_one(c->operand[0], &context, &x, e);
    if (!code)
        code = read_parameters(c, &m, e);
    if (!code)
        code = output_check(c->set->out.path, kind_of(c), e);
    const cpm_block_sizes sizes = {.bytes = export_of(c)->message};
    if (!code)
        code = cpm_collective_schedule(&x, &sizes, &s, e);
    if (!code)
        code = write_schedule(c, &x, s, e);
    if (!code && export_of(c)->goal)
        say(c, m);
    cpm_model_free(m);
    cpm_schedule_free(s);
    placement_close(&placed);
    return code;
}
