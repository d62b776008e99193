/* cpm export --goal: an algorithm for LogGOPSim. */
#include "base/numbers.h"
#include "collectives/schedule/goal.h"
#include "tools/choices.h"
#include "tools/export.h"
#include "tools/output.h"
#include "tools/placement.h"

static void put_comment(const call *c, const cpm_collective *x, FILE *out)
{
    fprintf(out, "// cpm export: %s, blocks of %zu bytes", c->operand[0], c->set.message);
    if (x->operation->rooted)
        fprintf(out, ", root %d", x->at.root);
    putc('\n', out);
}

static int write_schedule(const call *c, const cpm_collective *x, const cpm_schedule *s,
                          cpm_error *e)
{
    cpm_new_file out;
    int code = output_open(c->set.output, &out, e);
    if (code)
        return code;
    put_comment(c, x, out.stream);
    code = cpm_goal_write(
        s, &(cpm_block_sizes){.bytes = x->operation->dataless ? 0 : c->set.message}, out.stream, e);
    return cpm_new_file_close(&out, code, e);
}

int export_goal(call *c, cpm_error *e)
{
    cpm_collective x;
    cpm_schedule *s = NULL;
    placement placed = {0};
    const int n = c->set.processes == EXPORT_UNSET ? 16 : c->set.processes;
    if (n > CPM_MOST_PROCESSES)
        return cpm_fail(e, CPM_EINVAL, "--processes: %d are too many (at most %d)", n,
                        CPM_MOST_PROCESSES);
    int code = placement_open(&c->set, n, &placed, e);
    choices_context context = {.n = n, .root = c->set.root, .placement = &placed.known};
    if (!code)
        code = choices_one(c->operand[0], &context, &x, e);
    if (!code)
        code = output_check(c->set.output, e);
    const cpm_block_sizes sizes = {.bytes = c->set.message};
    if (!code)
        code = cpm_collective_schedule(&x, &sizes, &s, e);
    if (!code)
        code = write_schedule(c, &x, s, e);
    cpm_schedule_free(s);
    placement_close(&placed);
    return code;
}
